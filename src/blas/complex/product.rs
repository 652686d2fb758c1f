//! The complex matrix product, computed by the real matrix product on interleaved real and imaginary parts.
//!
//! A row of A is, in memory, a row of twice as many real numbers `re, im, re, im, …`, and so is a row of C. If each
//! element of B becomes two rows `re, im` and `-im, re`, the complex product is one real product of `m` by `2k` with
//! `2k` by `2n` matrices, `8·mnk` operations, as many as four real products have. Only B is rearranged, a block at a
//! time, scaled by α.

use super::vectors::{is_nan, seen};
use super::{Conjugate, conjugated, scaled};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::{lines_mut, split_mut};
use crate::view::{MatMut, MatRef};

/// Columns of A, and rows of B, at a time: one pass of the real product.
pub(crate) const DEPTH: usize = 256;
/// Columns of B at a time.
pub(crate) const COLUMNS: usize = 512;
/// Rows of A at a time, where it is copied.
pub(crate) const ROWS: usize = 256;
/// Rows of C at a time, where it is copied.
pub(crate) const LINES: usize = 16;

/// How many real numbers of workspace [`gemm_complex`] of an `m` by `k` with a `k` by `n` matrix needs.
pub const fn gemm_complex_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    // The roles of rows and columns are exchanged for a C by columns.
    let wide = if m > n { m } else { n };
    let (depth, cols, rows) = (min(k, DEPTH), min(wide, COLUMNS), min(wide, ROWS));
    let copies = 4 * depth * cols + 2 * depth * rows + 2 * cols * LINES;
    copies.saturating_add(gemm_workspace(wide, 2 * cols, 2 * depth))
}

ops! { $ product_ops in crate::blas::complex::product;
    /// `C = α·op(A)·op(B) + βC` of complex numbers, where `op` conjugates or does nothing.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides; a transposed operand is `a.t()`. Best are rows
    /// of A and C, or columns of B and C, whose numbers follow each other; others are copied.
    ///
    /// Each part of a result is one sum of `2k` products as of [`gemm`](crate::gemm()), so its error is within
    /// `γ_(2k + 2·passes + 6)·(|α||A||B| + |β||C|)` with `|z| = |re| + |im|`, result by result: no three-product scheme, whose bound
    /// is one of norms.
    ///
    /// NaN and ±0: `β = 0` writes C without reading it, `α = 0` (or `k = 0`) reads neither A nor B. A real β multiplies each part. NaN and
    /// infinities otherwise spread as the formula of a product says.
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Scratch: [`gemm_complex_workspace`], of real numbers.
    ///
    /// ```
    /// use fulmen::{Complex, Conjugate, MatMut, MatRef, gemm_complex, gemm_complex_workspace};
    /// let a = [Complex::new(1.0f32, 2.0), Complex::I];
    /// let mut c = [Complex::ZERO; 1];
    /// let mut work = [0.0; gemm_complex_workspace(1, 1, 2)];
    /// let (a, to) = (MatRef::row_major(&a, 1, 2)?, MatMut::row_major(&mut c, 1, 1)?);
    /// // The square of a row's norm.
    /// let conjugate = Conjugate { a: false, b: true };
    /// gemm_complex(Complex::ONE, a, a.t(), conjugate, Complex::ZERO, to, &mut work)?;
    /// assert_eq!(c, [Complex::new(6.0, 0.0)]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: F. G. Van Zee, "Implementing high-performance complex matrix multiplication via the 1m method", 2020. Contract:
    /// `contracts/gemm_complex-v1.yaml`.
    threads "The real product is, with a workspace of [`gemm_complex_workspace`](crate::gemm_complex_workspace()) for each thread." gemm_complex, gemm_complex_on, gemm_complex_by
        (alpha: by Complex<T>, a: mat Complex<T>, b: mat Complex<T>, conjugate: by Conjugate, beta: by Complex<T>, c: mat_inout Complex<T>,
         workspace: scratch T) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemm_complex_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: Complex<T>,
    a: MatRef<'_, Complex<T>>,
    b: MatRef<'_, Complex<T>>,
    conjugate: Conjugate,
    beta: Complex<T>,
    mut c: MatMut<'_, Complex<T>>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    same_shape("b", [k, n], [b.rows(), n])?;
    same_shape("c", [m, n], [c.rows(), c.cols()])?;
    enough(gemm_complex_workspace(m, n, k), workspace.len())?;
    let Conjugate { a: first, b: second } = conjugate;
    let by_columns = c.col_stride() != 1 && c.row_stride() == 1 && m > 1;
    let (k, part) = (if alpha == Complex::ZERO { 0 } else { k }, c.reborrow());
    match by_columns {
        false => product(j, s, alpha, a.block([0, 0], [m, k]), b, [first, second], beta, part, workspace),
        true => {
            let (a, b) = (b.t(), a.t().block([0, 0], [k, m]));
            product(j, s, alpha, a.block([0, 0], [n, k]), b, [second, first], beta, part.t(), workspace)
        }
    }?;
    contract!(
        gemm_complex,
        Ok(()),
        each | check | {
            // Of a row, or a column, NaN is in a part of each result.
            [(a, c.as_ref()), (b.t(), c.as_ref().t())].into_iter().try_for_each(|(x, c)| {
                (0..x.rows()).try_for_each(|i| {
                    let nan = (0..k).any(|p| x.get(i, p).is_some_and(is_nan));
                    (0..c.cols()).filter_map(|j| c.get(i, j)).try_for_each(|y| seen(nan, y, &check))
                })
            })
        }
    )
}

/// The product, where the numbers in a row of C follow each other, or neither those of a column do.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
fn product<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: Complex<T>,
    a: MatRef<'_, Complex<T>>,
    b: MatRef<'_, Complex<T>>,
    [first, second]: [bool; 2],
    beta: Complex<T>,
    mut c: MatMut<'_, Complex<T>>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let (m, n, k) = (a.rows(), c.cols(), a.cols());
    if beta.im != T::ZERO || k == 0 {
        scaled(beta, c.reborrow());
    }
    let beta = if beta.im != T::ZERO { T::ONE } else { beta.re };
    let (depth, cols) = (k.min(DEPTH), n.min(COLUMNS));
    let (pairs, rest) = split_mut(workspace, 4 * depth * cols);
    let (lines, rest) = split_mut(rest, 2 * depth * m.min(ROWS));
    let (results, rest) = split_mut(rest, 2 * cols * LINES);
    // As many rows as are copied at once.
    let rows = match (c.reborrow().parts().is_some(), a.parts().is_some()) {
        (false, _) => LINES,
        (true, false) => ROWS,
        (true, true) => m.max(1),
    };
    for jc in (0..n).step_by(COLUMNS) {
        let n = (n - jc).min(COLUMNS);
        for pc in (0..k).step_by(DEPTH) {
            let k = (k - pc).min(DEPTH);
            let beta = if pc == 0 { beta } else { T::ONE };
            let pairs = pairs.get_mut(..4 * k * n).unwrap_or_default();
            as_pairs(alpha, b.block([pc, jc], [k, n]), [first, second], pairs);
            let b = MatRef::row_major(&*pairs, 2 * k, 2 * n)?;
            for ic in (0..m).step_by(rows) {
                let m = (m - ic).min(rows);
                let a = a.block([ic, pc], [m, k]);
                let a = match a.parts() {
                    Some(a) => a,
                    None => copied(a, lines)?,
                };
                let c = c.reborrow().block([ic, jc], [m, n]);
                multiply(j, s, a, b, beta, c, results, rest)?;
            }
        }
    }
    Ok(())
}

/// Rows, contiguous.
fn copied<'a, T: Element>(a: MatRef<'_, Complex<T>>, to: &'a mut [T]) -> Result<MatRef<'a, T>, Error> {
    let (m, k) = (a.rows(), a.cols());
    let to = to.get_mut(..2 * m * k).unwrap_or_default();
    for (i, row) in lines_mut(to, 2 * k).enumerate() {
        for (p, to) in row.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let z = a.get(i, p).unwrap_or_default();
            *to = [z.re, z.im];
        }
    }
    MatRef::row_major(to, m, 2 * k)
}

/// `αb` as two rows of real numbers for each row: those that multiply real, and those that multiply imaginary parts of A.
fn as_pairs<T: Element>(
    alpha: Complex<T>,
    b: MatRef<'_, Complex<T>>,
    [first, second]: [bool; 2],
    to: &mut [T],
) {
    // Blocks are no wider; with that, the compiler knows that the parts below fit.
    let n = b.cols().min(COLUMNS);
    if n == 0 {
        return;
    }
    for (p, rows) in to.chunks_exact_mut(4 * n).enumerate() {
        let (re, im) = rows.split_at_mut(2 * n);
        let row = b.row_slice(p);
        let pairs = re.as_chunks_mut::<2>().0.iter_mut().zip(im.as_chunks_mut::<2>().0);
        for (j, (re, im)) in pairs.enumerate() {
            let z = match row {
                Some(row) => row.get(j).copied(),
                None => b.get(p, j),
            };
            let z = alpha * conjugated(second, z.unwrap_or_default());
            *re = [z.re, z.im];
            *im = if first { [z.im, -z.re] } else { [-z.im, z.re] };
        }
    }
}

/// `C = AB + βC` of real numbers, where C is in pairs: over itself, or by a copy.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
fn multiply<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, Complex<T>>,
    results: &mut [T],
    rest: &mut [T],
) -> Result<(), Error> {
    let (m, n) = (c.rows(), c.cols());
    if let Some(c) = c.reborrow().parts() {
        return gemm_by(j, s, Problem { alpha: T::ONE, beta, a, b, c }, (), rest);
    }
    let results = results.get_mut(..2 * m * n).unwrap_or_default();
    let places = || (0..m).flat_map(|i| (0..n).map(move |j| (i, j)));
    if beta != T::ZERO {
        for (to, (i, j)) in results.as_chunks_mut::<2>().0.iter_mut().zip(places()) {
            let z = c.get(i, j).unwrap_or_default();
            *to = [z.re, z.im];
        }
    }
    let whole = MatMut::row_major(results, m, 2 * n)?;
    gemm_by(j, s, Problem { alpha: T::ONE, beta, a, b, c: whole }, (), rest)?;
    for ([re, im], (i, j)) in results.as_chunks::<2>().0.iter().zip(places()) {
        c.set(i, j, Complex::new(*re, *im));
    }
    Ok(())
}
