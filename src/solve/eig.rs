//! Eigenvalues and eigenvectors of a general matrix: balancing, the Schur form, back substitution.

use super::balance::Balance;
use super::schur::Hessenberg;
use super::{finite, largest, scales};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::reduce::dot_on;
use crate::slices::swap;
use crate::view::{MatMut, MatRef};

/// Elements of workspace that [`eig`] needs for an `n` by `n` A.
pub const fn eig_workspace(n: usize) -> usize {
    let (vectors, product) = (n.saturating_mul(3), gemm_workspace(n, n, n));
    let scratch = if vectors > product { vectors } else { product };
    n.saturating_mul(2).saturating_add(1).saturating_mul(n).saturating_add(scratch)
}

ops! { $ eig_ops in crate::solve::eig;
    /// The eigenvalues `λ = re + i·im` of A, and on demand its eigenvectors: `Av = λv` of the right ones, `uᴴA = λuᴴ` of the left ones. Column `j` has the
    /// vector of a real eigenvalue `j`; of a pair of complex ones, which stand side by side with the positive imaginary part first, columns `j` and
    /// `j + 1` have the real and the imaginary part of the vector of the first, and that of the second is its conjugate.
    ///
    /// Shapes: A is `n` by `n`, and so are `left` and `right` where they are wanted, of any strides; `re` and `im` have `n` elements. Each vector has the
    /// 2-norm 1. The first of the largest magnitudes of a real one is positive, and that of a complex one is real and positive. A holds nothing of use
    /// then.
    /// Rows and columns are balanced first: those that permutations can make triangular are, and the others are multiplied by powers of 2. Values and vectors
    /// are those of a matrix that differs from the balanced one by a small multiple of `n·u·|A|`; those of a matrix far from normal may be off by much
    /// more. A defective matrix has fewer independent vectors than columns: some of what comes out are parallel then, up to rounding.
    ///
    /// NaN and ±0: NaN and infinities are refused. No square overflows or underflows on the way; an eigenvalue past the largest number is infinite.
    ///
    /// Errors: [`Error::Shape`] names `a`, `left` or `right`; [`Error::Len`] `re` or `im`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when A
    /// holds NaN or an infinity: nothing is written then. [`Error::Convergence`] as [`schur`](crate::schur()): what is left is of no use.
    ///
    /// Scratch: [`eig_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, eig, eig_workspace};
    /// // Growth by 2 along (1, 1) and by 1 along (1, 0).
    /// let (mut a, mut v, mut re, mut im) = ([1.0f64, 1.0, 0.0, 2.0], [0.0; 4], [0.0; 2], [0.0; 2]);
    /// let right = MatMut::row_major(&mut v, 2, 2)?;
    /// let workspace = &mut [0.0; eig_workspace(2)];
    /// eig(MatMut::row_major(&mut a, 2, 2)?, None, Some(right), &mut re, &mut im, workspace)?;
    /// assert_eq!((re, im), ([1.0, 2.0], [0.0, 0.0]));
    /// assert!((v[0], v[2]) == (1.0, 0.0) && (v[1] - 0.5f64.sqrt()).abs() < 1e-15 && v[1] == v[3]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/roots.rs`.
    ///
    /// Source: G. Peters, J. Wilkinson, "Eigenvectors of Real and Complex Matrices by LR and QR Triangularizations" (1970); balancing: B. Parlett, C. Reinsch,
    /// "Balancing a Matrix for Calculation of Eigenvalues and Eigenvectors" (1969), by the norms of R. James, J. Langou, B. Lowery, "On Matrix Balancing and Eigenvector
    /// Computation" (2014). Contract: `contracts/eig-v1.yaml`.
    #[doc(alias = "geev")]
    serial eig, eig_on, eig_by
        (a: mat_inout T, left: opt_mat_out T, right: opt_mat_out T, re: out T, im: out T, workspace: scratch T) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the vectors of both sides, and the eigenvalues")]
pub(crate) fn eig_by<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    left: Option<MatMut<'_, T>>,
    right: Option<MatMut<'_, T>>,
    re: &mut [T],
    im: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    for (arg, v) in [("left", &left), ("right", &right)] {
        if let Some(v) = v {
            same_shape(arg, [n, n], [v.rows(), v.cols()])?;
        }
    }
    same_len("re", n, re.len())?;
    same_len("im", n, im.len())?;
    enough(eig_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), None)?;
    let [by, back] = scales(largest(s, a.as_ref(), false));
    let (h, rest) = workspace.split_at_mut_checked(n * n).unwrap_or_default();
    let (z, rest) = rest.split_at_mut_checked(n * n).unwrap_or_default();
    let (marks, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    for (i, row) in h.chunks_exact_mut(n.max(1)).enumerate() {
        for (j, to) in row.iter_mut().enumerate() {
            *to = a.get(i, j).unwrap_or_default() * by;
        }
    }
    let balance = Balance::new(h, n, marks);
    // Eigenvalues alone need nothing of what turns the matrix.
    let z = if left.is_some() || right.is_some() { z } else { &mut [] };
    let mut m = Hessenberg { n, h, z };
    m.reduce(s, rest)?;
    let done = s.vectorize(
        #[inline(always)]
        || m.iterate(re, im),
    );
    if done.is_none() {
        return Err(Error::convergence("a", None));
    }
    for (v, left) in [(right, false), (left, true)] {
        let Some(mut v) = v else { continue };
        if left {
            flip(m.h, n);
        }
        vectors(s, &m, re, im, left, a.reborrow(), rest)?;
        let (z, x) = (MatRef::packed(m.z, n, n).t(), a.as_ref());
        let product = Problem { alpha: T::ONE, a: z, b: x, beta: T::ZERO, c: v.reborrow() };
        gemm_by(Serial, s, product, (), rest)?;
        balance.back(v, im, left);
    }
    if back != T::ONE {
        re.iter_mut().chain(im.iter_mut()).for_each(|x| *x = *x * back);
    }
    contract!(
        eig,
        Ok(()),
        each | check | {
            let mut all = re.iter().chain(&*im);
            all.try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
        }
    )
}

/// The transpose, with rows and columns in the opposite order: triangular as before, and its right vectors are the left ones backwards.
fn flip<T: Element>(h: &mut [T], n: usize) {
    for i in 0..n {
        for j in 0..n - i {
            let (at, to) = (i * n + j, (n - 1 - j) * n + n - 1 - i);
            if at < to {
                swap(h, at, to);
            }
        }
    }
}

/// The vectors of a triangular matrix with blocks of two, the columns of `to`: each with its largest element next to 1. Of a flipped matrix they are
/// written backwards, for eigenvalues backwards.
fn vectors<S: Simd, T: Element>(
    s: S,
    m: &Hessenberg<'_, T>,
    re: &[T],
    im: &[T],
    flipped: bool,
    mut to: MatMut<'_, T>,
    scratch: &mut [T],
) -> Result<(), Error> {
    let n = m.n;
    let of = |values: &[T], j: usize| values.get(j).copied().unwrap_or_default();
    let (x, scratch) = scratch.split_at_mut_checked(n).unwrap_or_default();
    let y = scratch.get_mut(..n).unwrap_or_default();
    let mut j = 0;
    while j < n {
        let pair = of(im, j) > T::ZERO;
        let wide = if pair { 2 } else { 1 };
        let first = if flipped { n - j - wide } else { j };
        let value = [of(re, j), of(im, j)];
        x.fill(T::ZERO);
        y.fill(T::ZERO);
        let mut vector = Vector { x: &mut *x, y: &mut *y, end: first + wide, pair };
        vector.start(m, first, value[1]);
        vector.substitute(s, m, first, value.map(T::to_f64))?;
        let most = vector.x.iter().chain(&*vector.y).fold(0.0f64, |most, x| most.max(libm::fabs(x.to_f64())));
        let by = T::from_f64(super::power(most, 1000));
        for i in 0..n {
            let row = if flipped { n - 1 - i } else { i };
            to.set(row, j, of(x, i) * by);
            if pair {
                // The vector of the conjugate.
                let y = of(y, i) * by;
                to.set(row, j + 1, if flipped { -y } else { y });
            }
        }
        j += wide;
    }
    Ok(())
}

/// A solution during back substitution, from the last row up: its real and its imaginary part.
struct Vector<'a, T> {
    x: &'a mut [T],
    y: &'a mut [T],
    end: usize,
    pair: bool,
}

type Complex = [f64; 2];
fn size(x: Complex) -> f64 {
    libm::fabs(x[0]) + libm::fabs(x[1])
}
fn times(x: Complex, y: Complex) -> Complex {
    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]
}
fn minus(x: Complex, y: Complex) -> Complex {
    [x[0] - y[0], x[1] - y[1]]
}
/// Of a quotient that is no large number.
fn quotient(x: Complex, y: Complex) -> Complex {
    let [x, y] = [x, y].map(|x| x.map(|part| libm::ldexp(part, -exponent(size(y)))));
    let square = y[0] * y[0] + y[1] * y[1];
    times(x, [y[0], -y[1]]).map(|part| part / square)
}
fn exponent(x: f64) -> i32 {
    libm::frexp(x).1
}
/// What a quotient's size is near to, as an exponent.
fn growth(x: Complex, y: Complex) -> i32 {
    if size(x) == 0.0 { i32::MIN } else { exponent(size(x)) - exponent(size(y)) }
}

/// Exponent that an element of a vector reaches before the vector is made smaller.
const HIGH: i32 = 20;

impl<T: Element> Vector<'_, T> {
    /// What the block of the eigenvalue itself determines, whose imaginary part is `im`.
    fn start(&mut self, m: &Hessenberg<'_, T>, first: usize, im: T) {
        let put = |to: &mut [T], i: usize, x: T| {
            if let Some(to) = to.get_mut(i) {
                *to = x;
            }
        };
        if !self.pair {
            return put(self.x, first, T::ONE);
        }
        let [above, below] = [m.at(first, first + 1), m.at(first + 1, first)];
        if super::abs(above) >= super::abs(below) {
            put(self.x, first, T::ONE);
            put(self.y, first + 1, im / above);
        } else {
            put(self.x, first, -im / below);
            put(self.y, first + 1, T::ONE);
        }
    }

    /// `(T - λ)x = 0` for the rows above `first`, from the last.
    fn substitute<S: Simd>(
        &mut self,
        s: S,
        m: &Hessenberg<'_, T>,
        first: usize,
        value: Complex,
    ) -> Result<(), Error> {
        let ulp = libm::ldexp(1.0, -T::SIGNIFICAND);
        let least = (ulp * size(value)).max(T::MIN_NORMAL.to_f64() * (m.n as f64 / ulp));
        let at = |i: usize, j: usize| m.at(i, j).to_f64();
        // No difference from the eigenvalue is smaller than its error.
        let apart = |x: Complex| if size(x) < least { [least, 0.0] } else { x };
        let mut i = first;
        while i > 0 {
            let two = i > 1 && m.at(i - 1, i - 2) != T::ZERO;
            let from = i - if two { 2 } else { 1 };
            let below = self.sum(s, m, i - 1, i)?;
            if two {
                let mut r = [self.sum(s, m, from, i)?, below];
                let mut a = [
                    [minus([at(from, from), 0.0], value), [at(from, i - 1), 0.0]],
                    [[at(i - 1, from), 0.0], minus([at(i - 1, i - 1), 0.0], value)],
                ];
                // The largest of the four elements becomes the pivot.
                let rows = a.map(|row| size(row[0]).max(size(row[1])));
                if rows[1] > rows[0] {
                    a.swap(0, 1);
                    r.swap(0, 1);
                }
                let exchanged = size(a[0][1]) > size(a[0][0]);
                if exchanged {
                    a.iter_mut().for_each(|row| row.swap(0, 1));
                }
                let pivot = apart(a[0][0]);
                let l = quotient(a[1][0], pivot);
                let last = apart(minus(a[1][1], times(l, a[0][1])));
                r[1] = minus(r[1], times(l, r[0]));
                let down = self.lower(i, growth(r[0], pivot).max(growth(r[1], last)));
                let r = r.map(|r| r.map(|part| libm::ldexp(part, -down)));
                let second = quotient(r[1], last);
                let first = quotient(minus(r[0], times(a[0][1], second)), pivot);
                let [p, q] = if exchanged { [second, first] } else { [first, second] };
                self.put(from, p);
                self.put(i - 1, q);
            } else {
                let pivot = apart(minus([at(from, from), 0.0], value));
                let down = self.lower(i, growth(below, pivot));
                self.put(from, quotient(below.map(|part| libm::ldexp(part, -down)), pivot));
            }
            i = from;
        }
        Ok(())
    }

    /// What row `i` of the matrix has for the elements from `from` on, with the opposite sign.
    fn sum<S: Simd>(&self, s: S, m: &Hessenberg<'_, T>, i: usize, from: usize) -> Result<Complex, Error> {
        let row = m.h.get(i * m.n + from..i * m.n + self.end).unwrap_or_default();
        let of = |x: &[T]| dot_on(s, row, x.get(from..self.end).unwrap_or_default());
        Ok([-of(self.x)?.to_f64(), if self.pair { -of(self.y)?.to_f64() } else { 0.0 }])
    }

    /// The elements from `from` on made smaller when the next one would be too large; by which exponent.
    fn lower(&mut self, from: usize, growth: i32) -> i32 {
        if growth <= HIGH {
            return 0;
        }
        let by = T::from_f64(libm::ldexp(1.0, -growth));
        for part in [&mut *self.x, &mut *self.y] {
            part.get_mut(from..self.end).unwrap_or_default().iter_mut().for_each(|x| *x = *x * by);
        }
        growth
    }

    fn put(&mut self, i: usize, x: Complex) {
        if let (Some(re), Some(im)) = (self.x.get_mut(i), self.y.get_mut(i)) {
            (*re, *im) = (T::from_f64(x[0]), T::from_f64(x[1]));
        }
    }
}
