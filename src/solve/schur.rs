//! The real Schur form, `A = ZTZᵀ`: Householder reduction to Hessenberg form, then Francis's implicit double-shift QR.

use super::qr::reflection;
use super::{abs, finite, largest, multiply, scales};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::dot_on;
use crate::slices;
use crate::view::MatMut;

/// Elements of workspace that [`schur`] needs for an `n` by `n` A.
pub const fn schur_workspace(n: usize) -> usize {
    n.saturating_mul(2).saturating_add(3).saturating_mul(n)
}

ops! { $ schur_ops in crate::solve::schur;
    /// `A = ZTZᵀ` and the eigenvalues of A: Z orthogonal, T over A, upper triangular but for blocks of two rows on its diagonal, one for each pair of
    /// complex eigenvalues, `re ± i·im`, whose diagonal is `re` twice and whose other elements have opposite signs. The eigenvalues come
    /// in the order of T's diagonal, of a pair the one with a positive imaginary part first; `im` is 0 for real ones. The first columns of Z
    /// up to a block's end span an invariant subspace of A.
    ///
    /// Shapes: A and `z` are `n` by `n`, of any strides; `re` and `im` have `n` elements. Z and T are those of a matrix that differs from A by a small multiple
    /// of `n·u·|A|`. Eigenvalues of a matrix that is far from normal may be off by much more than those of a symmetric one.
    ///
    /// NaN and ±0: NaN and infinities are refused. No square overflows or underflows on the way; what is past the largest number is infinite.
    ///
    /// Errors: [`Error::Shape`] names `a` or `z`; [`Error::Len`] `re` or `im`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when A holds NaN
    /// or an infinity: nothing is written then. [`Error::Convergence`] when 30 sweeps for each eigenvalue (and 300 for all of them where that is more), with other shifts after each ten, are not
    /// enough, which no matrix is known to need; what is left is of no use.
    ///
    /// Scratch: [`schur_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, schur, schur_workspace};
    /// // A turn by a right angle.
    /// let (mut a, mut z, mut re, mut im) = ([0.0f64, -1.0, 1.0, 0.0], [0.0; 4], [9.0; 2], [9.0; 2]);
    /// let (t, z) = (MatMut::row_major(&mut a, 2, 2)?, MatMut::row_major(&mut z, 2, 2)?);
    /// schur(t, z, &mut re, &mut im, &mut [0.0; schur_workspace(2)])?;
    /// assert_eq!((re, im), ([0.0, 0.0], [1.0, -1.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Francis, "The QR Transformation" (1961); what counts as 0: M. Ahues, F. Tisseur, "A New Deflation Criterion for the QR Algorithm" (1997); the
    /// blocks of two: Z. Bai, J. Demmel, "On Swapping Diagonal Blocks in Real Schur Form" (1993). Contract: `contracts/schur-v1.yaml`.
    #[doc(alias = "gees")]
    serial schur, schur_on, schur_by (a: mat_inout T, z: mat_out T, re: out T, im: out T, workspace: scratch T) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the factors, and the eigenvalues")]
pub(crate) fn schur_by<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    mut z: MatMut<'_, T>,
    re: &mut [T],
    im: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_shape("z", [n, n], [z.rows(), z.cols()])?;
    same_len("re", n, re.len())?;
    same_len("im", n, im.len())?;
    enough(schur_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), None)?;
    let [by, back] = scales(largest(s, a.as_ref(), false));
    let (h, rest) = workspace.split_at_mut_checked(n * n).unwrap_or_default();
    let (turned, rest) = rest.split_at_mut_checked(n * n).unwrap_or_default();
    let mut m = Hessenberg { n, h, z: turned };
    for (i, row) in m.h.chunks_exact_mut(n.max(1)).enumerate() {
        for (j, to) in row.iter_mut().enumerate() {
            *to = a.get(i, j).unwrap_or_default() * by;
        }
    }
    m.reduce(s, rest)?;
    let done = s.vectorize(
        #[inline(always)]
        || m.iterate(re, im),
    );
    if done.is_none() {
        return Err(Error::convergence("a", None));
    }
    for i in 0..n {
        for j in 0..n {
            a.set(i, j, m.at(i, j));
            z.set(i, j, m.z.get(j * n + i).copied().unwrap_or_default());
        }
    }
    if back != T::ONE {
        multiply(a.reborrow(), back, false);
        re.iter_mut().chain(im.iter_mut()).for_each(|x| *x = *x * back);
    }
    contract!(
        schur,
        Ok(()),
        each | check | {
            let mut all = re.iter().chain(&*im);
            all.try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
        }
    )
}

/// A Hessenberg matrix by rows during the iteration, and the transpose of the orthogonal matrix that transforms it.
pub(super) struct Hessenberg<'a, T> {
    pub n: usize,
    pub h: &'a mut [T],
    /// Of no elements when nobody wants it.
    pub z: &'a mut [T],
}

fn sqrt<T: Element>(x: T) -> T {
    T::from_f64(libm::sqrt(x.to_f64()))
}

fn larger<T: Element>(x: T, y: T) -> [T; 2] {
    if x > y { [x, y] } else { [y, x] }
}

impl<T: Element> Hessenberg<'_, T> {
    #[inline(always)]
    pub fn at(&self, i: usize, j: usize) -> T {
        self.h.get(i * self.n + j).copied().unwrap_or_default()
    }
    #[inline(always)]
    fn set(&mut self, i: usize, j: usize, x: T) {
        if let Some(to) = self.h.get_mut(i * self.n + j) {
            *to = x;
        }
    }

    /// Zeros below the first diagonal under the main one; `scratch` is for three vectors.
    pub fn reduce<S: Simd>(&mut self, s: S, scratch: &mut [T]) -> Result<(), Error> {
        let n = self.n;
        self.z.fill(T::ZERO);
        self.z.iter_mut().step_by(n.saturating_add(1)).for_each(|x| *x = T::ONE);
        for k in 0..n.saturating_sub(2) {
            let (v, w) = scratch.split_at_mut_checked(n).unwrap_or_default();
            let (v, w) = (v.get_mut(..n - k - 1).unwrap_or_default(), w.get_mut(..n).unwrap_or_default());
            for (i, v) in v.iter_mut().enumerate() {
                *v = self.at(k + 1 + i, k);
            }
            let tau = reflection(s, v);
            if tau == T::ZERO {
                continue;
            }
            let beta = v.first_mut().map_or(T::ZERO, |first| core::mem::replace(first, T::ONE));
            for i in k + 1..n {
                self.set(i, k, if i == k + 1 { beta } else { T::ZERO });
            }
            // From the left, on the columns behind.
            let w_rest = w.get_mut(k + 1..).unwrap_or_default();
            w_rest.fill(T::ZERO);
            let below = self.h.get_mut((k + 1) * n..).unwrap_or_default();
            for (row, v) in slices::lines(below, n).zip(&*v) {
                axpy_on(s, *v, row.get(k + 1..).unwrap_or_default(), w_rest)?;
            }
            for (row, v) in slices::lines_mut(below, n).zip(&*v) {
                axpy_on(s, -tau * *v, w_rest, row.get_mut(k + 1..).unwrap_or_default())?;
            }
            // From the right, on all rows.
            for row in slices::lines_mut(self.h, n) {
                let row = row.get_mut(k + 1..).unwrap_or_default();
                let f = dot_on(s, v, row)?;
                axpy_on(s, -tau * f, v, row)?;
            }
            // The rows of the transpose of Z are its columns.
            w.fill(T::ZERO);
            let below = self.z.get_mut((k + 1) * n..).unwrap_or_default();
            for (row, v) in slices::lines(below, n).zip(&*v) {
                axpy_on(s, *v, row, w)?;
            }
            for (row, v) in slices::lines_mut(below, n).zip(&*v) {
                axpy_on(s, -tau * *v, w, row)?;
            }
        }
        Ok(())
    }

    /// The eigenvalues, from the last; nothing when there is no end.
    #[inline(always)]
    pub fn iterate(&mut self, re: &mut [T], im: &mut [T]) -> Option<()> {
        let mut most = self.n.saturating_mul(30).max(300);
        let mut end = self.n;
        while end > 0 {
            let i = end - 1;
            let mut turns = 0;
            let l = loop {
                let l = self.split(i);
                if l > 0 {
                    self.set(l, l - 1, T::ZERO);
                }
                if l + 1 >= i {
                    break l;
                }
                most = most.checked_sub(1)?;
                turns += 1;
                self.step(l, i, turns);
            };
            if l == i {
                (*re.get_mut(i)?, *im.get_mut(i)?) = (self.at(i, i), T::ZERO);
            } else {
                let [first, second] = self.pair(i);
                (*re.get_mut(i - 1)?, *im.get_mut(i - 1)?) = (first[0], first[1]);
                (*re.get_mut(i)?, *im.get_mut(i)?) = (second[0], second[1]);
            }
            end = l;
        }
        Some(())
    }

    /// The first row of the last block that no zero divides.
    fn split(&self, i: usize) -> usize {
        let ulp = T::from_f64(libm::ldexp(1.0, -T::SIGNIFICAND));
        let least = T::MIN_NORMAL * (T::from_usize(self.n) / ulp);
        for k in (1..=i).rev() {
            let below = abs(self.at(k, k - 1));
            if below <= least {
                return k;
            }
            let [above, here] = [self.at(k - 1, k - 1), self.at(k, k)];
            let mut size = abs(above) + abs(here);
            if size == T::ZERO {
                if k >= 2 {
                    size = size + abs(self.at(k - 1, k - 2));
                }
                if k + 1 < self.n {
                    size = size + abs(self.at(k + 1, k));
                }
            }
            if below <= ulp * size {
                let [ab, ba] = larger(below, abs(self.at(k - 1, k)));
                let [aa, bb] = larger(abs(here), abs(above - here));
                let s = aa + ab;
                let [bound, _] = larger(least, ulp * (bb * (aa / s)));
                if ba * (ab / s) <= bound {
                    return k;
                }
            }
        }
        0
    }

    /// Both shifts of a step: their real parts and imaginary ones.
    fn shifts(&self, l: usize, i: usize, turn: usize) -> [[T; 2]; 2] {
        let f = T::from_f64;
        let odd = |s: T, at: T| [f(0.75) * s + at, f(-0.4375) * s, s, f(0.75) * s + at];
        let [a, b, c, d] = match turn % 20 {
            10 => odd(abs(self.at(l + 1, l)) + abs(self.at(l + 2, l + 1)), self.at(l, l)),
            0 => odd(abs(self.at(i, i - 1)) + abs(self.at(i - 1, i - 2)), self.at(i, i)),
            _ => [self.at(i - 1, i - 1), self.at(i - 1, i), self.at(i, i - 1), self.at(i, i)],
        };
        let s = abs(a) + abs(b) + abs(c) + abs(d);
        if s == T::ZERO {
            return [[T::ZERO; 2]; 2];
        }
        let [a, b, c, d] = [a / s, b / s, c / s, d / s];
        let mean = (a + d) * f(0.5);
        let det = (a - mean) * (d - mean) - b * c;
        let root = sqrt(abs(det));
        if det >= T::ZERO {
            return [[mean * s, root * s], [mean * s, -root * s]];
        }
        let [p, q] = [mean + root, mean - root];
        let near = if abs(p - d) <= abs(q - d) { p } else { q };
        [[near * s, T::ZERO]; 2]
    }

    /// One sweep of a double shift over the rows from `l` to `i`.
    #[inline(always)]
    fn step(&mut self, l: usize, i: usize, turn: usize) {
        let ulp = T::from_f64(libm::ldexp(1.0, -T::SIGNIFICAND));
        let [[re, im], [re2, im2]] = self.shifts(l, i, turn);
        let mut m = i - 2;
        let mut v = loop {
            let [here, next, below] = [self.at(m, m), self.at(m + 1, m + 1), self.at(m + 1, m)];
            let s = abs(here - re2) + abs(im2) + abs(below);
            let f = below / s;
            let v = [
                f * self.at(m, m + 1) + (here - re) * ((here - re2) / s) - im * (im2 / s),
                f * (here + next - re - re2),
                f * self.at(m + 2, m + 1),
            ];
            let s = abs(v[0]) + abs(v[1]) + abs(v[2]);
            let v = v.map(|x| x / s);
            if m == l {
                break v;
            }
            let before = abs(self.at(m - 1, m - 1)) + abs(here) + abs(next);
            if abs(self.at(m, m - 1)) * (abs(v[1]) + abs(v[2])) <= ulp * abs(v[0]) * before {
                break v;
            }
            m -= 1;
        };
        for k in m..i {
            let rows = if k + 1 == i { 2 } else { 3 };
            if k > m {
                v = [
                    self.at(k, k - 1),
                    self.at(k + 1, k - 1),
                    if rows == 3 { self.at(k + 2, k - 1) } else { T::ZERO },
                ];
            }
            let (tau, beta) = small(&mut v);
            if k > m {
                self.set(k, k - 1, beta);
                self.set(k + 1, k - 1, T::ZERO);
                if rows == 3 {
                    self.set(k + 2, k - 1, T::ZERO);
                }
            } else if m > l {
                // Not the negative, as its row may have been scaled.
                let x = self.at(k, k - 1) * (T::ONE - tau);
                self.set(k, k - 1, x);
            }
            let n = self.n;
            let t = v.map(|v| tau * v);
            lines(self.h, [k * n + k, (k + 1) * n], n, rows, v, t);
            let last = if i < k + 3 { i } else { k + 3 };
            for row in slices::lines_mut(self.h, n).take(last + 1) {
                if rows == 3 {
                    if let Some([x, y, z]) = row.get_mut(k..k + 3).and_then(|x| x.first_chunk_mut()) {
                        let sum = *x + v[1] * *y + v[2] * *z;
                        (*x, *y, *z) = (*x - sum * t[0], *y - sum * t[1], *z - sum * t[2]);
                    }
                } else if let Some([x, y]) = row.get_mut(k..k + 2).and_then(|x| x.first_chunk_mut()) {
                    let sum = *x + v[1] * *y;
                    (*x, *y) = (*x - sum * t[0], *y - sum * t[1]);
                }
            }
            lines(self.z, [k * n, (k + 1) * n], n, rows, v, t);
        }
    }

    /// The block of the rows before `i` and of `i` in its standard form; both eigenvalues.
    #[inline(always)]
    fn pair(&mut self, i: usize) -> [[T; 2]; 2] {
        let n = self.n;
        let ([a, b, c, d], [cos, sin]) = standard(
            [self.at(i - 1, i - 1), self.at(i - 1, i), self.at(i, i - 1), self.at(i, i)].map(T::to_f64),
        );
        let of = [a, b, c, d].map(T::from_f64);
        let [x, y] = [cos, sin].map(T::from_f64);
        let turn = |p: &mut T, q: &mut T| (*p, *q) = (x * *p + y * *q, x * *q - y * *p);
        for (m, from) in [(&mut *self.h, i + 1), (&mut *self.z, 0)] {
            let (above, below) = m.split_at_mut_checked(i * n).unwrap_or_default();
            let first = above.get_mut((i - 1) * n + from..).unwrap_or_default();
            let second = below.get_mut(from..n).unwrap_or_default();
            first.iter_mut().zip(second).for_each(|(p, q)| turn(p, q));
        }
        for row in slices::lines_mut(self.h, n).take(i - 1) {
            if let Some([p, q]) = row.get_mut(i - 1..=i).and_then(|x| x.first_chunk_mut()) {
                turn(p, q);
            }
        }
        for (k, x) in of.into_iter().enumerate() {
            self.set(i - 1 + k / 2, i - 1 + k % 2, x);
        }
        let im =
            T::from_f64(if c == 0.0 { 0.0 } else { libm::sqrt(libm::fabs(b)) * libm::sqrt(libm::fabs(c)) });
        [[of[0], im], [of[3], -im + T::ZERO]]
    }
}

/// Two or three rows of a matrix, of which the first has `from[0]` as its first element and ends with `from[1]`, reflected.
#[inline(always)]
fn lines<T: Element>(m: &mut [T], from: [usize; 2], n: usize, rows: usize, v: [T; 3], t: [T; 3]) {
    let wide = from[1] - from[0];
    let (first, rest) = m.get_mut(from[0]..).unwrap_or_default().split_at_mut_checked(n).unwrap_or_default();
    let (second, third) =
        if rows == 3 { rest.split_at_mut_checked(n).unwrap_or_default() } else { (rest, &mut [][..]) };
    let (first, second) = (first.iter_mut().take(wide), second.iter_mut().take(wide));
    if rows == 3 {
        for ((x, y), z) in first.zip(second).zip(third) {
            let sum = *x + v[1] * *y + v[2] * *z;
            (*x, *y, *z) = (*x - sum * t[0], *y - sum * t[1], *z - sum * t[2]);
        }
    } else {
        for (x, y) in first.zip(second) {
            let sum = *x + v[1] * *y;
            (*x, *y) = (*x - sum * t[0], *y - sum * t[1]);
        }
    }
}

/// The reflection of three numbers: τ and the new first number; `v` is its vector.
fn small<T: Element>(v: &mut [T; 3]) -> (T, T) {
    let [x, y, z] = *v;
    if y == T::ZERO && z == T::ZERO {
        *v = [T::ONE, T::ZERO, T::ZERO];
        return (T::ZERO, x);
    }
    let norm = T::from_f64(libm::hypot(libm::hypot(x.to_f64(), y.to_f64()), z.to_f64()));
    let beta = if x < T::ZERO { norm } else { -norm };
    let d = x - beta;
    *v = [T::ONE, y / d, z / d];
    ((beta - x) / beta, beta)
}

/// What a turn makes of two rows and columns: triangular, or with equal elements on the diagonal and others of opposite signs; and the turn.
fn standard([a, b, c, d]: [f64; 4]) -> ([f64; 4], [f64; 2]) {
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    if c == 0.0 {
        return ([a, b, c, d], [1.0, 0.0]);
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], [0.0, 1.0]);
    }
    if a - d == 0.0 && sign(b) != sign(c) {
        return ([a, b, c, d], [1.0, 0.0]);
    }
    let apart = a - d;
    let p = 0.5 * apart;
    let (most, least) =
        (libm::fabs(b).max(libm::fabs(c)), libm::fabs(b).min(libm::fabs(c)) * sign(b) * sign(c));
    let scale = libm::fabs(p).max(most);
    let z = p / scale * p + most / scale * least;
    if z >= 4.0 * f64::EPSILON {
        // Two real ones.
        let z = p + sign(p) * libm::sqrt(scale) * libm::sqrt(z);
        let tau = libm::hypot(c, z);
        return ([d + z, b - c, 0.0, d - most / z * least], [z / tau, c / tau]);
    }
    // A pair, or nearly the same one twice: equal elements on the diagonal.
    let sigma = b + c;
    let tau = libm::hypot(sigma, apart);
    let cos = libm::sqrt(0.5 * (1.0 + libm::fabs(sigma) / tau));
    let sin = -(p / (tau * cos)) * sign(sigma);
    let [aa, bb, cc, dd] = [a * cos + b * sin, b * cos - a * sin, c * cos + d * sin, d * cos - c * sin];
    let [a, b, c, d] = [aa * cos + cc * sin, bb * cos + dd * sin, cc * cos - aa * sin, dd * cos - bb * sin];
    let mean = 0.5 * (a + d);
    if c != 0.0 && b != 0.0 && sign(b) == sign(c) {
        let (root_b, root_c) = (libm::sqrt(libm::fabs(b)), libm::sqrt(libm::fabs(c)));
        let p = sign(c) * root_b * root_c;
        let tau = 1.0 / libm::sqrt(libm::fabs(b + c));
        let (x, y) = (root_b * tau, root_c * tau);
        return ([mean + p, b - c, 0.0, mean - p], [cos * x - sin * y, cos * y + sin * x]);
    }
    if c != 0.0 && b == 0.0 {
        return ([mean, -c, 0.0, mean], [-sin, cos]);
    }
    ([mean, b, c, mean], [cos, sin])
}
