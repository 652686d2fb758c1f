//! The singular value decomposition: QR of a tall matrix, blocked bidiagonalisation, implicit QR iterations.

use super::rotations::{Band, Rotations, exchange, rotation, scratch, strip};
use super::{abs, finite, largest, multiply, orient, qr, scales, turn};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{gemv_on, transpose};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::slices::swap;
use crate::view::{MatMut, MatRef, VecMut, VecRef};

/// Rows and columns that are made bidiagonal before the rest of the matrix follows.
pub(crate) const BLOCK: usize = 32;

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace that [`svd`] needs for an `m` by `n` A.
pub const fn svd_workspace(m: usize, n: usize) -> usize {
    let (m, n) = if m < n { (n, m) } else { (m, n) };
    let b = if n < BLOCK { n } else { BLOCK };
    let panel = n.saturating_mul(4 * b).saturating_add(gemm_workspace(n, n, 2 * b));
    let turns = scratch(n).saturating_mul(2).saturating_add(strip(n));
    let rest = max(panel, max(turns, qr::qr_apply_workspace(m, n, n)));
    rest.saturating_add(n.saturating_mul(4))
}

ops! { $ svd_ops in crate::solve::svd;
    /// `A = U·diag(values)·Vᵀ`: the singular values, which descend and are not negative, the first `min(m, n)` left singular
    /// vectors in the columns of U, and the right ones in the rows of `Vᵀ`. Both are orthonormal whatever A's rank; the
    /// first of the largest magnitudes of each left vector (of each right one when `m < n`) is positive. A is overwritten.
    ///
    /// Shapes: with `k = min(m, n)`, A is `m` by `n`, `u` is `m` by `k`, `vt` is `k` by `n`, all of any strides; `values` has `k` elements.
    /// They are those of a matrix that differs from A by a small multiple of `m·u·|A|` (`n·u·|A|` when `m < n`).
    ///
    /// NaN and ±0: NaN and infinities are refused. No square overflows or underflows on the way; a value past the largest number is infinite.
    ///
    /// Errors: [`Error::Shape`] names `u` or `vt`; [`Error::Len`] names `values`; [`Error::Workspace`]; [`Error::Nan`] and
    /// [`Error::Domain`] when A holds NaN or an infinity: nothing is written then. [`Error::Convergence`] when 60 sweeps for each value are not
    /// enough, which no matrix is known to need; what is left is of no use.
    ///
    /// Scratch: [`svd_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, svd, svd_workspace};
    /// let (mut a, mut values) = ([3.0f64, 4.0], [0.0]);
    /// let (mut u, mut vt) = ([0.0; 2], [0.0]);
    /// let [a, u] = [&mut a, &mut u].map(|x| MatMut::row_major(x, 2, 1));
    /// svd(a?, u?, &mut values, MatMut::row_major(&mut vt, 1, 1)?, &mut [0.0; svd_workspace(2, 1)])?;
    /// assert!((values[0] - 5.0).abs() < 1e-14 && (vt[0] - 1.0).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/low_rank.rs`.
    ///
    /// Source: G. Golub, W. Kahan, "Calculating the Singular Values and Pseudo-Inverse of a Matrix" (1965); the iteration: J. Demmel, W.
    /// Kahan, "Accurate Singular Values of Bidiagonal Matrices" (1990); the blocks: J. Dongarra, S. Hammarling, D. Sorensen, "Block
    /// Reduction of Matrices to Condensed Forms for Eigenvalue Computations" (1989). Contract: `contracts/svd-v1.yaml`.
    #[doc(alias = "gesdd")]
    threads svd, svd_on, svd_by (a: mat_inout T, u: mat_out T, values: out T, vt: mat_out T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn svd_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatMut<'_, T>,
    mut u: MatMut<'_, T>,
    values: &mut [T],
    mut vt: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    let k = m.min(n);
    same_shape("u", [m, k], [u.rows(), u.cols()])?;
    same_len("values", k, values.len())?;
    same_shape("vt", [k, n], [vt.rows(), vt.cols()])?;
    enough(svd_workspace(m, n), workspace.len())?;
    // There may be any number of empty rows.
    if k == 0 {
        return Ok(());
    }
    finite("a", a.as_ref(), None)?;
    if m < n {
        tall(j, s, a.t(), vt.reborrow().t(), values, u.reborrow().t(), workspace)?;
    } else {
        tall(j, s, a, u.reborrow(), values, vt.reborrow(), workspace)?;
    }
    contract!(
        svd,
        Ok(()),
        each | check | {
            let all = |x: MatRef<'_, T>| {
                let all = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| [i, j]));
                let mut all = all.filter_map(|[i, j]| x.get(i, j));
                all.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
            };
            all(u.as_ref()).and_then(|()| all(vt.as_ref()))
        }
    )
}

/// Of at least as many rows as columns.
fn tall<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    mut u: MatMut<'_, T>,
    values: &mut [T],
    mut vt: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    let [by, back] = scales(largest(s, a.as_ref(), false));
    let (e, rest) = workspace.split_at_mut_checked(n).unwrap_or_default();
    let (first, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    let (left, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    let (right, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    let right = right.get_mut(..n - 1).unwrap_or_default();
    if m > n {
        if by != T::ONE {
            multiply(a.reborrow(), by, false);
        }
        qr::factor(j, s, a.reborrow(), first, rest)?;
    }
    transpose::run(Serial, s, a.as_ref().t(), u.reborrow());
    if m > n {
        for i in 0..m {
            (0..i.min(n)).for_each(|j| _ = u.set(i, j, T::ZERO));
        }
    } else if by != T::ONE {
        multiply(u.reborrow(), by, false);
    }
    let mut square = u.reborrow().block([0, 0], [n, n]);
    bidiagonal(j, s, square.reborrow(), values, e, [&mut *left, &mut *right], rest)?;
    transpose::run(Serial, s, square.as_ref().t(), vt.reborrow());
    qr::form(j, s, square.reborrow(), left, 0, rest)?;
    qr::form(j, s, vt.reborrow().t(), right, 1, rest)?;
    iterate(s, values, e, [square.reborrow().t(), vt.reborrow()], rest, n.saturating_mul(60))?;
    sort(s, values, [square.t(), vt.reborrow()])?;
    if m > n {
        qr::apply(j, s, false, a.as_ref(), first, u.reborrow(), rest)?;
    }
    orient(s, u.t(), Some(vt));
    if by != T::ONE {
        values.iter_mut().for_each(|x| *x = *x * back);
    }
    Ok(())
}

/// The values without signs and descending, and the rows with them.
fn sort<S: Simd, T: Element>(s: S, values: &mut [T], rows: [MatMut<'_, T>; 2]) -> Result<(), Error> {
    let [mut u, mut vt] = rows;
    for (i, x) in values.iter_mut().enumerate() {
        if *x < T::ZERO {
            turn(vt.reborrow(), i, -T::ONE);
        }
        // Not -0, either.
        *x = abs(*x) + T::ZERO;
    }
    for i in 0..values.len() {
        let rest = values.get(i..).unwrap_or_default().iter().zip(i..);
        let Some((_, most)) = rest.reduce(|x, y| if y.0 > x.0 { y } else { x }) else { continue };
        if most != i {
            swap(values, i, most);
            exchange(s, u.reborrow(), i, most)?;
            exchange(s, vt.reborrow(), i, most)?;
        }
    }
    Ok(())
}

/// `UᵀAV` with its diagonal in `d`, what stands above it in `e`; the vectors of U's reflections below the diagonal in A, and those of V's above
/// what is above it.
fn bidiagonal<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    d: &mut [T],
    e: &mut [T],
    [left, right]: [&mut [T]; 2],
    scratch: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    let mut rights = right.chunks_mut(BLOCK);
    for (at, ((left, d), e)) in
        left.chunks_mut(BLOCK).zip(d.chunks_mut(BLOCK)).zip(e.chunks_mut(BLOCK)).enumerate()
    {
        let (at, b) = (at * BLOCK, left.len());
        let r = n - at;
        let mut a = a.reborrow().block([at, at], [r, r]);
        let right = rights.next().unwrap_or_default();
        // Rows v and x, and rows y and u, of `A - vyᵀ - xuᵀ`.
        let (p, rest) = scratch.split_at_mut_checked(2 * b * r).unwrap_or_default();
        let (q, products) = rest.split_at_mut_checked(2 * b * r).unwrap_or_default();
        for (i, ((left, d), e)) in left.iter_mut().zip(d).zip(e).enumerate() {
            [*d, *left] = column(s, a.reborrow(), i, p, q)?;
            let [beside, tau] = row(s, a.reborrow(), i, p, q)?;
            *e = beside;
            if let Some(right) = right.get_mut(i) {
                *right = tau;
            }
        }
        if b < r {
            let part = |x| MatRef::packed(x, 2 * b, r).block([0, b], [2 * b, r]);
            let c = a.block([b, b], [r, r]);
            let p = Problem { alpha: -T::ONE, beta: T::ONE, a: part(p).t(), b: part(q), c };
            gemm_by(j, s, p, (), products)?;
        }
    }
    Ok(())
}

/// `y = Bᵀg - Rᵀ(Lg)`, times `tau`: B of what is left of A, R and L the rows that were found, of which `g` and `y` are the last ones.
fn follow<S: Simd, T: Element>(
    s: S,
    b: MatRef<'_, T>,
    [l, r]: [MatRef<'_, T>; 2],
    g: &[T],
    tau: T,
    y: &mut [T],
) -> Result<(), Error> {
    let mut w = [T::ZERO; 2 * BLOCK];
    let w = w.get_mut(..l.rows()).unwrap_or_default();
    gemv_on(s, T::ONE, b.t(), VecRef::from(g), T::ZERO, VecMut::from(&mut *y))?;
    gemv_on(s, T::ONE, l, VecRef::from(g), T::ZERO, VecMut::from(&mut *w))?;
    gemv_on(s, -T::ONE, r.t(), VecRef::from(&*w), T::ONE, VecMut::from(&mut *y))?;
    y.iter_mut().for_each(|y| *y = *y * tau);
    Ok(())
}

/// `x` from place `i` on, less `Lᵀg` of column `at` of R; zeros before it.
fn current<S: Simd, T: Element>(
    s: S,
    x: &mut [T],
    i: usize,
    l: MatRef<'_, T>,
    r: MatRef<'_, T>,
    at: usize,
    from: impl Fn(usize) -> T,
) -> Result<(), Error> {
    let mut g = [T::ZERO; 2 * BLOCK];
    let g = g.get_mut(..l.rows()).unwrap_or_default();
    for (t, g) in g.iter_mut().enumerate() {
        *g = r.get(t, at).unwrap_or_default();
    }
    for (k, x) in x.iter_mut().enumerate() {
        *x = if k < i { T::ZERO } else { from(k) };
    }
    let x = VecMut::from(x.get_mut(i..).unwrap_or_default());
    gemv_on(s, -T::ONE, l.block([0, i], [usize::MAX; 2]).t(), VecRef::from(&*g), T::ONE, x)
}

/// Row `t` of a panel of rows of `r`, and those before it.
fn split<T>(x: &mut [T], t: usize, r: usize) -> (MatRef<'_, T>, &mut [T]) {
    let (done, rest) = x.split_at_mut_checked(t * r).unwrap_or_default();
    (MatRef::packed(done, t, r), rest.get_mut(..r).unwrap_or_default())
}

/// Column `i` of a block: what stands on the diagonal, and the factor of the reflection from the left.
fn column<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    i: usize,
    p: &mut [T],
    q: &mut [T],
) -> Result<[T; 2], Error> {
    let r = a.rows();
    let ((p, v), (q, y)) = (split(p, 2 * i, r), split(q, 2 * i, r));
    current(s, v, i, p, q, i, |k| a.get(k, i).unwrap_or_default())?;
    let v = v.get_mut(i..).unwrap_or_default();
    let tau = qr::reflection(s, v);
    let d = v.first_mut().map_or(T::ZERO, |first| core::mem::replace(first, T::ONE));
    for (k, v) in v.iter().enumerate().skip(1) {
        a.set(i + k, i, *v);
    }
    let (above, y) = y.split_at_mut_checked(i + 1).unwrap_or_default();
    above.fill(T::ZERO);
    let b = a.as_ref().block([i, i + 1], [r, r]);
    // Views of nothing have no columns to agree on.
    if !y.is_empty() {
        let (p, q) = (p.block([0, i], [usize::MAX; 2]), q.block([0, i + 1], [usize::MAX; 2]));
        follow(s, b, [p, q], v, tau, y)?;
    }
    Ok([d, tau])
}

/// Row `i` of a block: what stands beside the diagonal, and the factor of the reflection from the right.
fn row<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    i: usize,
    p: &mut [T],
    q: &mut [T],
) -> Result<[T; 2], Error> {
    let r = a.rows();
    let ((p, x), (q, u)) = (split(p, 2 * i + 1, r), split(q, 2 * i + 1, r));
    current(s, u, i + 1, q, p, i, |k| a.get(i, k).unwrap_or_default())?;
    let u = u.get_mut(i + 1..).unwrap_or_default();
    let tau = qr::reflection(s, u);
    let e = u.first_mut().map_or(T::ZERO, |first| core::mem::replace(first, T::ONE));
    for (k, u) in u.iter().enumerate().skip(1) {
        a.set(i, i + 1 + k, *u);
    }
    let (above, x) = x.split_at_mut_checked(i + 1).unwrap_or_default();
    above.fill(T::ZERO);
    if !x.is_empty() {
        let [p, q] = [p, q].map(|x| x.block([0, i + 1], [usize::MAX; 2]));
        let b = a.as_ref().block([i + 1, i + 1], [r, r]);
        follow(s, b.t(), [q, p], u, tau, x)?;
    }
    Ok([e, tau])
}

/// The bidiagonal matrix made diagonal; the rows of `u`, its left vectors, and of `vt` are turned as it is.
fn iterate<S: Simd, T: Element>(
    s: S,
    d: &mut [T],
    e: &mut [T],
    [mut u, mut vt]: [MatMut<'_, T>; 2],
    workspace: &mut [T],
    most_sweeps: usize,
) -> Result<(), Error> {
    let n = d.len();
    let (first, rest) = workspace.split_at_mut_checked(scratch(n)).unwrap_or_default();
    let (second, buffer) = rest.split_at_mut_checked(scratch(n)).unwrap_or_default();
    let [mut left, mut right] = [Rotations::new(first), Rotations::new(second)];
    let mut band = Band::new(d, e);
    let unit = libm::ldexp(1.0, -T::SIGNIFICAND - 1);
    let tolerance = unit * libm::pow(unit, -0.125).clamp(10.0, 100.0);
    // What no relative error of a singular value can be made of.
    let (mut least, mut mu) = (abs(band.d(0)), abs(band.d(0)));
    for i in 1..n {
        mu = if mu == 0.0 { 0.0 } else { abs(band.d(i)) * (mu / (mu + abs(band.e(i - 1)))) };
        least = least.min(mu);
    }
    let floor = (n * n) as f64 * T::MIN_NORMAL.to_f64();
    let zero = (tolerance * least / libm::sqrt(n as f64)).max(floor);
    let (mut high, mut down, mut sweeps) = (n.saturating_sub(1), false, 0);
    let mut before: Option<[usize; 2]> = None;
    loop {
        band.turn(0, high, false);
        while high > 0 && abs(band.e(high - 1)) <= zero {
            band.set_e(high - 1, 0.0);
            high -= 1;
        }
        if high == 0 {
            break;
        }
        let low = (0..high).rev().find(|i| abs(band.e(*i)) <= zero).map_or(0, |i| i + 1);
        if before.is_none_or(|[from, to]| high < from || low > to) {
            down = abs(band.d(high)) > abs(band.d(low));
        }
        before = Some([low, high]);
        band.turn(low, high, down);
        let k = high - low;
        let Some(least) = split_off(&mut band, k, tolerance) else { continue };
        if sweeps == most_sweeps {
            return Err(Error::convergence("a", None));
        }
        sweeps += 1;
        if left.full(k) {
            left.apply(s, u.reborrow(), buffer);
            right.apply(s, vt.reborrow(), buffer);
        }
        left.begin(band.place(0), down, k)?;
        right.begin(band.place(0), down, k)?;
        let shift = shift(&band, k, least, n as f64 * tolerance, unit);
        // From the other end the matrix is transposed.
        let turns = if down { [&mut right, &mut left] } else { [&mut left, &mut right] };
        s.vectorize(
            #[inline(always)]
            || match shift {
                Some(shift) => shifted(s, &mut band, k, shift, turns),
                None => unshifted(s, &mut band, k, turns),
            },
        );
    }
    left.apply(s, u, buffer);
    right.apply(s, vt, buffer);
    Ok(())
}

/// Sets what is negligible to 0, or gives a lower bound of the smallest singular value.
fn split_off<T: Element>(band: &mut Band<'_, T>, k: usize, tolerance: f64) -> Option<f64> {
    if abs(band.e(k - 1)) <= tolerance * abs(band.d(k)) {
        band.set_e(k - 1, 0.0);
        return None;
    }
    let mut mu = abs(band.d(0));
    let mut least = mu;
    for i in 0..k {
        let e = abs(band.e(i));
        if e <= tolerance * mu {
            band.set_e(i, 0.0);
            return None;
        }
        mu = abs(band.d(i + 1)) * (mu / (mu + e));
        least = least.min(mu);
    }
    Some(least)
}

/// The smaller singular value of the last two rows and columns, unless it would cost small ones their accuracy.
fn shift<T: Element>(band: &Band<'_, T>, k: usize, least: f64, tolerance: f64, unit: f64) -> Option<f64> {
    let most = (0..=k).fold(0.0f64, |most, i| most.max(abs(band.d(i))));
    let most = (0..k).fold(most, |most, i| most.max(abs(band.e(i))));
    if tolerance * (least / most) <= unit {
        return None;
    }
    let [f, g, h] = [band.d(k - 1), band.e(k - 1), band.d(k)].map(abs);
    let (low, high) = (f.min(h), f.max(h));
    if low == 0.0 {
        return None;
    }
    let shift = if g < high {
        let (sum, difference, g) = (1.0 + low / high, (high - low) / high, (g / high) * (g / high));
        low * (2.0 / (libm::sqrt(sum * sum + g) + libm::sqrt(difference * difference + g)))
    } else {
        let by = high / g;
        let (sum, difference) = ((1.0 + low / high) * by, (high - low) / high * by);
        2.0 * (low * by / (libm::sqrt(1.0 + sum * sum) + libm::sqrt(1.0 + difference * difference)))
    };
    let first = abs(band.d(0));
    (first > 0.0 && (shift / first) * (shift / first) >= unit).then_some(shift)
}

/// A step of QR with a shift.
#[inline(always)]
fn shifted<S: Simd, T: Element>(
    token: S,
    band: &mut Band<'_, T>,
    k: usize,
    shift: f64,
    [left, right]: [&mut Rotations<'_, T>; 2],
) {
    let first = band.d(0);
    let mut f = (abs(first) - shift) * (libm::copysign(1.0, first) + shift / first);
    let mut g = band.e(0);
    for i in 0..k {
        let [c, s, r] = rotation(token, f, g);
        right.push(c, s);
        if i > 0 {
            band.set_e(i - 1, r);
        }
        let (d, e, next) = (band.d(i), band.e(i), band.d(i + 1));
        let (x, e, next) = (c * d + s * e, c * e - s * d, [s * next, c * next]);
        let [c, s, r] = rotation(token, x, next[0]);
        left.push(c, s);
        band.set_d(i, r);
        f = c * e + s * next[1];
        band.set_d(i + 1, c * next[1] - s * e);
        if i + 1 < k {
            g = s * band.e(i + 1);
            band.set_e(i + 1, c * band.e(i + 1));
        }
    }
    band.set_e(k - 1, f);
}

/// A step of QR without one, which keeps every singular value to its last digits.
#[inline(always)]
fn unshifted<S: Simd, T: Element>(
    token: S,
    band: &mut Band<'_, T>,
    k: usize,
    [left, right]: [&mut Rotations<'_, T>; 2],
) {
    let (mut c, mut old) = (1.0, [1.0, 0.0]);
    for i in 0..k {
        let [cos, sin, r] = rotation(token, band.d(i) * c, band.e(i));
        right.push(cos, sin);
        if i > 0 {
            band.set_e(i - 1, old[1] * r);
        }
        let [p, q, d] = rotation(token, old[0] * r, band.d(i + 1) * sin);
        left.push(p, q);
        band.set_d(i, d);
        (c, old) = (cos, [p, q]);
    }
    let h = band.d(k) * c;
    band.set_d(k, h * old[0]);
    band.set_e(k - 1, h * old[1]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_bounded() {
        let (mut d, mut e, mut u, mut v) = ([1.0, 2.0, 3.0], [1.0f64; 3], [0.0; 9], [0.0; 9]);
        let mut w = [0.0; svd_workspace(3, 3)];
        let mut run = |most| {
            let rows = [&mut u, &mut v].map(|x| MatMut::packed(x, 3, 3));
            iterate(crate::lanes::native(), &mut d, &mut e[..2], rows, &mut w, most)
        };
        assert_eq!(run(1), Err(Error::convergence("a", None)));
        assert_eq!(run(90), Ok(()));
    }
}
