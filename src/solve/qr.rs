//! Blocked Householder QR: the reflections of a panel are applied together as `Q = I - VTVᵀ`; least squares by it.

use super::{divides, finite};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{Diagonal, Side, Triangle, nrm2_on, transpose, trsm_by, trsm_workspace};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::dot_on;
use crate::slices::lines_mut;
use crate::view::{MatMut, MatRef, VecRef};

/// Reflections of a block.
pub(crate) const BLOCK: usize = 32;

/// Elements of the parts of a workspace: V, T, two products with V, and room for products.
const fn parts(m: usize, k: usize, cols: usize) -> [usize; 4] {
    let b = if k < BLOCK { k } else { BLOCK };
    let wide = if cols > b { cols } else { b };
    // The largest of the products in each dimension, and so of the workspace too.
    let long = if m > b { m } else { b };
    let scratch = [gemm_workspace(b, wide, long), gemm_workspace(long, wide, b)];
    let most = if scratch[0] > scratch[1] { scratch[0] } else { scratch[1] };
    [m.saturating_mul(b), b * b, b.saturating_mul(cols), most]
}

/// Elements of workspace that [`qr`] needs for an `m` by `n` A.
pub const fn qr_workspace(m: usize, n: usize) -> usize {
    qr_apply_workspace(m, if m < n { m } else { n }, n)
}

/// Elements of workspace that [`qr_apply`] needs for `k` reflections of `m` rows and a C of `cols` columns.
pub const fn qr_apply_workspace(m: usize, k: usize, cols: usize) -> usize {
    let [v, t, w, products] = parts(m, k, cols);
    v.saturating_add(t).saturating_add(w.saturating_mul(2)).saturating_add(products)
}

/// Elements of workspace that [`least_squares`] needs for an `m` by `n` A and a B of `cols` columns.
pub const fn least_squares_workspace(m: usize, n: usize, cols: usize) -> usize {
    let wide = if cols > n { cols } else { n };
    let (factor, solve) = (qr_apply_workspace(m, n, wide), trsm_workspace(Side::Left, n, cols));
    if factor > solve { factor } else { solve }
}

ops! { $ qr_ops in crate::solve::qr;
    /// `A = QR`: R lies in the upper triangle of A, and below it the vectors `v` of the reflections `H = I - τvvᵀ` whose product
    /// is Q; the first element of each, 1, is not stored.
    ///
    /// Shapes: A is `m` by `n`, of any strides; `tau` has `min(m, n)` elements, each 0 (no reflection) or from 1 to 2. Q
    /// is orthogonal and `QR` equals A to within `γ_(c·mn)` of each column's norm, c a small number. The signs of R's diagonal are those
    /// that lose nothing, not always positive.
    ///
    /// NaN and ±0: NaN and infinities are refused. No square overflows or underflows on the way.
    ///
    /// Errors: [`Error::Len`] names `tau`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] when A holds NaN or an
    /// infinity. Nothing is written then. Columns that depend on others are factored as any.
    ///
    /// Scratch: [`qr_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, qr, qr_workspace};
    /// let (mut a, mut tau) = ([3.0f64, 4.0], [0.0]);
    /// qr(MatMut::row_major(&mut a, 2, 1)?, &mut tau, &mut [0.0; qr_workspace(2, 1)])?;
    /// assert_eq!((a, tau), ([-5.0, 0.5], [1.6]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: R. Schreiber, C. Van Loan, "A Storage-Efficient WY Representation for Products of Householder Transformations"
    /// (1989); the bound: N. Higham, "Accuracy and Stability of Numerical Algorithms", §19.3. Contract: `contracts/qr-v1.yaml`.
    #[doc(alias = "geqrf")]
    threads qr, qr_on, qr_by (a: mat_inout T, tau: out T, workspace: scratch T) -> Result<()>;

    /// `C = QᵀC` when `transposed`, else `C = QC`, for the Q of [`qr`].
    ///
    /// Shapes: `factors` is `m` by `n`, as `qr` leaves it, C is `m` by any number of columns, both of any strides; `tau` has
    /// `min(m, n)` elements. From the right, `CQ` is `QᵀCᵀ` on `c.t()`; the columns of Q are `Q` times those of the identity.
    ///
    /// NaN and ±0: NaN and infinities are refused; the triangle above the diagonal of `factors` is not read.
    ///
    /// Errors: [`Error::Shape`] names `c`; [`Error::Len`] names `tau`; [`Error::Workspace`]; [`Error::Nan`] and
    /// [`Error::Domain`] name what holds NaN or an infinity. Nothing is written then.
    ///
    /// Scratch: [`qr_apply_workspace`]`(m, min(m, n), c.cols())`.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, qr_apply, qr_apply_workspace};
    /// let (factors, tau) = ([-5.0f32, 0.5], [1.6]);
    /// let (mut c, mut workspace) = ([-5.0f32, 0.0], [0.0; qr_apply_workspace(2, 1, 1)]);
    /// let to = MatMut::row_major(&mut c, 2, 1)?;
    /// qr_apply(false, MatRef::row_major(&factors, 2, 1)?, &tau, to, &mut workspace)?;
    /// assert!((c[0] - 3.0).abs() < 1e-6 && (c[1] - 4.0).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`qr`]. Contract: `contracts/qr_apply-v1.yaml`.
    threads qr_apply, qr_apply_on, qr_apply_by
        (transposed: by bool, factors: mat T, tau: in T, c: mat_inout T, workspace: scratch T) -> Result<()>;

    /// The X for which `|AX - B|`, column by column, is least: over the first rows of B. A and `tau` become those of [`qr`];
    /// the norm of a column's other rows is what remains.
    ///
    /// Shapes: A is `m` by `n`, `m ≥ n`, B is `m` by any number of columns; any strides; `tau` has `n` elements.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Shape`] names `a` when it has fewer rows than columns, or `b`; [`Error::Len`] names `tau`;
    /// [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity: nothing is written then.
    /// [`Error::Pivot`] with the index of the first zero on R's diagonal, a column that depends on those before: A is factored, and B is `QᵀB`.
    ///
    /// Scratch: [`least_squares_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, least_squares, least_squares_workspace};
    /// // A line through (0, 1), (1, 3), (2, 5).
    /// let (mut a, mut y, mut tau) = ([1.0f64, 0.0, 1.0, 1.0, 1.0, 2.0], [1.0, 3.0, 5.0], [0.0; 2]);
    /// let mut workspace = [0.0; least_squares_workspace(3, 2, 1)];
    /// let (a, b) = (MatMut::row_major(&mut a, 3, 2)?, MatMut::row_major(&mut y, 3, 1)?);
    /// least_squares(a, &mut tau, b, &mut workspace)?;
    /// assert!((y[0] - 1.0).abs() < 1e-14 && (y[1] - 2.0).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/polynomial.rs`.
    ///
    /// Source: G. Golub, "Numerical Methods for Solving Linear Least Squares Problems" (1965). Contract:
    /// `contracts/least_squares-v1.yaml`.
    #[doc(alias = "lstsq")]
    #[doc(alias = "gels")]
    threads least_squares, least_squares_on, least_squares_by
        (a: mat_inout T, tau: out T, b: mat_inout T, workspace: scratch T) -> Result<()>;
}

/// A workspace in its parts.
struct Scratch<'a, T> {
    v: &'a mut [T],
    t: &'a mut [T],
    w: [&'a mut [T]; 2],
    products: &'a mut [T],
}

impl<'a, T: Element> Scratch<'a, T> {
    fn new(workspace: &'a mut [T], m: usize, k: usize, cols: usize) -> Self {
        let [v, t, w, _] = parts(m, k, cols);
        let (v, rest) = workspace.split_at_mut_checked(v).unwrap_or_default();
        let (t, rest) = rest.split_at_mut_checked(t).unwrap_or_default();
        let (first, rest) = rest.split_at_mut_checked(w).unwrap_or_default();
        let (second, products) = rest.split_at_mut_checked(w).unwrap_or_default();
        Self { v, t, w: [first, second], products }
    }

    /// The vectors of a block, one after the other, as they stand below R's diagonal.
    fn read<S: Simd>(&mut self, s: S, a: MatRef<'_, T>) -> usize {
        transpose::run(Serial, s, a, MatMut::packed(self.v, a.cols(), a.rows()));
        a.rows()
    }

    /// Their ones, and zeros before them.
    fn complete(&mut self, m: usize, b: usize) {
        for (k, v) in lines_mut(self.v, m).take(b).enumerate() {
            if let Some((one, zeros)) = v.get_mut(..=k).and_then(<[T]>::split_last_mut) {
                zeros.fill(T::ZERO);
                *one = T::ONE;
            }
        }
    }

    /// `C = (I - VTVᵀ)C`, or with `Tᵀ`, of completed vectors.
    fn reflect<J: Executor, S: Simd>(
        &mut self,
        j: J,
        s: S,
        transposed: bool,
        tau: &[T],
        mut c: MatMut<'_, T>,
    ) -> Result<(), Error> {
        let (m, n, b) = (c.rows(), c.cols(), tau.len());
        let vt = MatRef::packed(self.v, b, m);
        gemm_by(j, s, product(vt, vt.t(), MatMut::packed(self.t, b, b)), (), self.products)?;
        triangle(self.t, tau);
        let [first, second] = &mut self.w;
        let t = MatRef::packed(self.t, b, b);
        let t = if transposed { t.t() } else { t };
        gemm_by(j, s, product(vt, c.as_ref(), MatMut::packed(first, b, n)), (), self.products)?;
        let w = MatRef::packed(first, b, n);
        gemm_by(j, s, product(t, w, MatMut::packed(second, b, n)), (), self.products)?;
        let b = MatRef::packed(second, b, n);
        let p = Problem { alpha: -T::ONE, beta: T::ONE, a: vt.t(), b, c: c.reborrow() };
        gemm_by(j, s, p, (), self.products)
    }
}

/// `C = AB`.
fn product<'a, T: Element>(a: MatRef<'a, T>, b: MatRef<'a, T>, c: MatMut<'a, T>) -> Problem<'a, T> {
    Problem { alpha: T::ONE, beta: T::ZERO, a, b, c }
}

/// T over `VᵀV`.
fn triangle<T: Element>(t: &mut [T], tau: &[T]) {
    let b = tau.len();
    for (j, f) in tau.iter().enumerate() {
        for i in 0..b {
            let at = |i: usize, j: usize| t.get(i * b + j).copied().unwrap_or_default();
            let x = match i.cmp(&j) {
                // What follows in the column is still that of `VᵀV`.
                core::cmp::Ordering::Less => -*f * (i..j).fold(T::ZERO, |sum, p| sum + at(i, p) * at(p, j)),
                core::cmp::Ordering::Equal => *f,
                core::cmp::Ordering::Greater => T::ZERO,
            };
            if let Some(to) = t.get_mut(i * b + j) {
                *to = x;
            }
        }
    }
}

/// The reflection that leaves of `x` its first element alone; the factor τ.
pub(super) fn reflection<S: Simd, T: Element>(s: S, x: &mut [T]) -> T {
    if x.iter().skip(1).all(|x| *x == T::ZERO) {
        return T::ZERO;
    }
    let mut norm = nrm2_on(s, VecRef::from(&*x));
    // Numbers whose differences and quotients are exact to the last bit.
    let far = T::INTEGRAL * T::INTEGRAL;
    let by = if norm < T::MIN_NORMAL * T::INTEGRAL {
        far
    } else if norm + norm < T::INFINITY {
        T::ONE
    } else {
        T::ONE / far
    };
    if by != T::ONE {
        for x in x.iter_mut() {
            *x = *x * by;
        }
        norm = nrm2_on(s, VecRef::from(&*x));
    }
    let Some((first, rest)) = x.split_first_mut() else { return T::ZERO };
    let beta = if *first < T::ZERO { norm } else { -norm };
    let (tau, d) = ((beta - *first) / beta, *first - beta);
    for x in rest {
        *x = *x / d;
    }
    *first = beta / by;
    tau
}

/// A block of columns, one after the other.
fn columns<S: Simd, T: Element>(s: S, v: &mut [T], m: usize, tau: &mut [T]) -> Result<(), Error> {
    for (k, tau) in tau.iter_mut().enumerate() {
        let (done, rest) = v.split_at_mut_checked((k + 1) * m).unwrap_or_default();
        let x = done.get_mut(k * m + k..).unwrap_or_default();
        *tau = reflection(s, x);
        let Some(r) = x.first_mut().map(|x| core::mem::replace(x, T::ONE)) else { continue };
        for column in lines_mut(rest, m) {
            let to = column.get_mut(k..).unwrap_or_default();
            let w = dot_on(s, x, to)?;
            axpy_on(s, -*tau * w, x, to)?;
        }
        if let Some(first) = x.first_mut() {
            *first = r;
        }
    }
    Ok(())
}

pub(super) fn factor<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    tau: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.cols();
    let mut scratch = Scratch::new(workspace, a.rows(), tau.len(), n);
    for (i, tau) in tau.chunks_mut(BLOCK).enumerate() {
        let (at, b) = (i * BLOCK, tau.len());
        let mut panel = a.reborrow().block([at, at], [usize::MAX, b]);
        let m = scratch.read(s, panel.as_ref());
        columns(s, scratch.v.get_mut(..m * b).unwrap_or_default(), m, tau)?;
        transpose::run(Serial, s, MatRef::packed(scratch.v, b, m), panel.reborrow());
        if at + b < n {
            scratch.complete(m, b);
            scratch.reflect(j, s, true, tau, a.reborrow().block([at, at + b], [usize::MAX, usize::MAX]))?;
        }
    }
    Ok(())
}

/// The product of reflections over their vectors, which stand `below` rows (0 or 1) under the diagonal of a square matrix.
pub(super) fn form<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    tau: &[T],
    below: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let mut scratch = Scratch::new(workspace, a.rows(), tau.len(), a.cols());
    let blocks = tau.len().div_ceil(BLOCK);
    for at in (0..blocks).rev().map(|i| i * BLOCK) {
        let tau = tau.get(at..tau.len().min(at + BLOCK)).unwrap_or_default();
        let b = tau.len();
        let m = scratch.read(s, a.as_ref().block([at + below, at], [usize::MAX, b]));
        scratch.complete(m, b);
        let mut to = a.reborrow().block([at + below, at + below], [usize::MAX; 2]);
        unit(to.reborrow(), b);
        scratch.reflect(j, s, false, tau, to)?;
    }
    if below > 0 {
        unit(a, below);
    }
    Ok(())
}

/// The first rows and columns as those of the identity.
fn unit<T: Element>(mut a: MatMut<'_, T>, b: usize) {
    for i in 0..a.rows() {
        for j in 0..if i < b { a.cols() } else { b } {
            a.set(i, j, if i == j { T::ONE } else { T::ZERO });
        }
    }
}

pub(super) fn apply<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    transposed: bool,
    factors: MatRef<'_, T>,
    tau: &[T],
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    if c.cols() == 0 {
        return Ok(());
    }
    let mut scratch = Scratch::new(workspace, c.rows(), tau.len(), c.cols());
    let blocks = tau.len().div_ceil(BLOCK);
    for i in 0..blocks {
        // Qᵀ has the first one first.
        let at = BLOCK * if transposed { i } else { blocks - 1 - i };
        let tau = tau.get(at..tau.len().min(at + BLOCK)).unwrap_or_default();
        let m = scratch.read(s, factors.block([at, at], [usize::MAX, tau.len()]));
        scratch.complete(m, tau.len());
        scratch.reflect(j, s, transposed, tau, c.reborrow().block([at, 0], [usize::MAX, usize::MAX]))?;
    }
    Ok(())
}

pub(crate) fn qr_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatMut<'_, T>,
    tau: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    same_len("tau", m.min(n), tau.len())?;
    enough(qr_workspace(m, n), workspace.len())?;
    // There may be any number of empty rows.
    if tau.is_empty() {
        return Ok(());
    }
    finite("a", a.as_ref(), None)?;
    contract!(
        qr,
        factor(j, s, a, tau, workspace),
        each | check | tau.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}

pub(crate) fn qr_apply_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    transposed: bool,
    factors: MatRef<'_, T>,
    tau: &[T],
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, k) = (factors.rows(), factors.rows().min(factors.cols()));
    same_len("tau", k, tau.len())?;
    same_shape("c", [m, c.cols()], [c.rows(), c.cols()])?;
    enough(qr_apply_workspace(m, k, c.cols()), workspace.len())?;
    if tau.is_empty() {
        return Ok(());
    }
    finite("factors", factors, Some(Triangle::Lower))?;
    finite("tau", MatRef::packed(tau, 1, k), None)?;
    finite("c", c.as_ref(), None)?;
    contract!(
        qr_apply,
        apply(j, s, transposed, factors, tau, c.reborrow(), workspace),
        each | check | tau.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}

pub(crate) fn least_squares_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    tau: &mut [T],
    mut b: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (a.rows(), a.cols());
    same_shape("a", [m.max(n), n], [m, n])?;
    same_len("tau", n, tau.len())?;
    same_shape("b", [m, b.cols()], [b.rows(), b.cols()])?;
    enough(least_squares_workspace(m, n, b.cols()), workspace.len())?;
    if n == 0 {
        return Ok(());
    }
    finite("a", a.as_ref(), None)?;
    if b.cols() > 0 {
        finite("b", b.as_ref(), None)?;
    }
    factor(j, s, a.reborrow(), tau, workspace)?;
    let factors = a.as_ref();
    apply(j, s, true, factors, tau, b.reborrow(), workspace)?;
    divides("a", factors)?;
    let (r, to) = (factors.block([0, 0], [n, n]), b.reborrow().block([0, 0], [n, usize::MAX]));
    trsm_by(j, s, Side::Left, T::ONE, Triangle::Upper, Diagonal::NonUnit, r, to, workspace)?;
    contract!(
        least_squares,
        Ok(()),
        each | check | tau.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}
