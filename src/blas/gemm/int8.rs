//! The matrix product of 8-bit integers with accumulation in `i32`; an epilogue may requantise the sums.

use super::epilogue::Epilogue;
use super::int8_micro::{scratch, sums};
use super::scratch::Scratch;
use super::threads::{divide, parts, tile};
use super::tune;
use crate::alu::Number;
use crate::error::{Error, enough, same_shape};
use crate::forms::named;
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, native};
use crate::parts::LINE;
use crate::view::{MatMut, MatRef};

ops! { $ int8_ops in crate::blas::gemm::int8;
    /// `C = αAB + βC` with A and B in `i8` and C in `i32`, modulo 2³².
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The result is exact modulo 2³², in
    /// two's complement: with α = 1 and β = 0 nothing wraps as long as `k ≤ 131071`, and in any case only the
    /// value of the whole expression counts. The bits are the same on every instruction set.
    ///
    /// There is no NaN; β = 0 writes C without reading it.
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_i8_workspace`], in `i32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_i8, gemm_i8_workspace};
    /// let (a, b) = ([1i8, 2, 3, -128], [5i8, 6, 7, -128]);
    /// let mut c = [0; 4];
    /// let mut workspace = [0; gemm_i8_workspace(2, 2, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    /// gemm_i8(1, a, b, 0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [19, -250, -881, 16402]);
    /// // C += 2·AB
    /// gemm_i8(2, a, b, 1, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [57, -750, -2643, 49206]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`gemm`](crate::gemm()).
    threads "Scratch: [`gemm_i8_workspace`](crate::gemm_i8_workspace()) for each thread."
    gemm_i8<>, gemm_i8_on, gemm_i8_by
        (alpha: by i32, a: mat i8, b: mat i8, beta: by i32, c: mat_inout i32, workspace: scratch i32) -> Result<()>;

    /// `C = α(A - a₀)(B - b₀) + βC` with A in `u8`, B in `i8` and C in `i32`, modulo 2³²: quantised activations by weights, each
    /// with the number that stands for zero.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The result is exact modulo 2³², in
    /// two's complement: with α = 1 and β = 0 nothing wraps as long as `k ≤ 33025`, and in any case only the value of the
    /// whole expression counts. The bits are the same on every instruction set. A B of `u8` is one of `i8` with 128 taken from
    /// its elements and from its zero.
    ///
    /// There is no NaN; β = 0 writes C without reading it.
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_u8_workspace`], in `i32`; what it holds before and after does not matter.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm_u8, gemm_u8_workspace};
    /// // A stands for [[-1, 2], [0, 127]], B for [[1], [3]].
    /// let (a, b) = ([127u8, 130, 128, 255], [-1i8, 1]);
    /// let mut c = [0; 2];
    /// let mut workspace = [0; gemm_u8_workspace(2, 1, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 1)?);
    /// gemm_u8(1, a, 128, b, -2, 0, MatMut::row_major(&mut c, 2, 1)?, &mut workspace)?;
    /// assert_eq!(c, [5, 381]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: B. Jacob et al.: Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference,
    /// 2018, §2.3. Contract: `contracts/gemm_u8-v1.yaml`.
    threads "Scratch: [`gemm_u8_workspace`](crate::gemm_u8_workspace()) for each thread."
    gemm_u8<>, gemm_u8_on, gemm_u8_by
        (alpha: by i32, a: mat u8, a_zero: by u8, b: mat i8, b_zero: by i8, beta: by i32, c: mat_inout i32, workspace: scratch i32) -> Result<()>;
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemm_i8_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    alpha: i32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_bytes_by(j, s, [alpha, beta], (a, 0), (b, 0), c, workspace)
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub(crate) fn gemm_u8_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    alpha: i32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    beta: i32,
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_bytes_by(j, s, [alpha, beta], (a, a_zero.into()), (b, b_zero.into()), c, workspace)
}

/// Elements of workspace that [`gemm_i8`] and its form for AMX need at most for an `m` by `k` A and a `k` by `n` B,
/// on any instruction set.
pub const fn gemm_i8_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    if m == 0 || n == 0 || k == 0 {
        return 0;
    }
    let depth = min(k.div_ceil(2), tune::MOST_DEPTH);
    // Whole tiles of rows and columns.
    let a = depth * min(m.saturating_add(8), tune::MOST_BAND);
    let b = min(depth.saturating_mul(n.saturating_add(3 * tune::MOST_LANES)), tune::MOST_BLOCK);
    let (lanes, tiles) = (a + b + LINE, tune::Tiling::INT8.workspace(m, n, k));
    // Only there are there tiles.
    if cfg!(all(target_arch = "x86_64", feature = "avx512")) && tiles > lanes { tiles } else { lanes }
}

/// `C = E(α·AB)`: the sums of [`gemm_i8`] as the nearest `f32`, times α, then an [`Epilogue`] while they are in registers:
/// scales ([`ScaleRow`](crate::ScaleRow), [`ScaleCol`](crate::ScaleCol)), a bias, an activation. C is `f32`, or `i8` or `u8` to
/// which the result is rounded ([`Requantize`]).
///
/// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides. The bits are the same on every instruction
/// set, unless those of the epilogue's body differ. With α = 0 neither A nor B is read. What stands for zero in a C of bytes
/// is added after [`RoundTiesEven`](crate::RoundTiesEven), so that ties are those without it.
///
/// NaN of the epilogue stays NaN in `f32` and becomes 0 in bytes; C is not read.
///
/// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Len`] and [`Error::Shape`] of `epilogue`, and what its body refuses;
/// [`Error::Workspace`]. Nothing is written then.
///
/// Scratch: [`gemm_i8_with_workspace`], in `i32`; what it holds before and after does not matter.
///
/// ```
/// use fulmen::{BiasCol, Chain, MatMut, MatRef, ScaleCol, gemm_i8_with, gemm_i8_with_workspace};
/// let (a, b) = ([1i8, 2, 3, -128], [5i8, 6, 7, -128]);
/// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
/// let mut workspace = [0; gemm_i8_with_workspace(2, 2, 2)];
/// // Weights with a scale for each column, activations with one of 0.5.
/// let scaled = Chain(ScaleCol(&[0.25, 2.0]), BiasCol(&[1.0, -1.0]));
/// let mut y = [0.0f32; 4];
/// gemm_i8_with(0.5, a, b, MatMut::row_major(&mut y, 2, 2)?, scaled, &mut workspace)?;
/// assert_eq!(y, [3.375, -251.0, -109.125, 16401.0]);
/// // The same as bytes.
/// let mut q = [0i8; 4];
/// gemm_i8_with(0.5, a, b, MatMut::row_major(&mut q, 2, 2)?, scaled, &mut workspace)?;
/// assert_eq!(q, [3, -128, -109, 127]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: B. Jacob et al.: Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference,
/// 2018, §2.4. Contract: `contracts/gemm_i8-v1.yaml`.
#[inline]
pub fn gemm_i8_with<C: Requantize, E: Epilogue<f32>>(
    alpha: f32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_i8_with_on(native(), alpha, a, b, c, epilogue, workspace)
}

/// [`gemm_i8_with`] on the instruction set of `s`.
pub fn gemm_i8_with_on<S: Simd, C: Requantize, E: Epilogue<f32>>(
    s: S,
    alpha: f32,
    a: MatRef<'_, i8>,
    b: MatRef<'_, i8>,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    named!([Result] gemm_i8_with at serial s, (a: mat, b: mat, c: mat_out), gemm_bytes_with_by(Serial, s, alpha, (a, 0), (b, 0), c, epilogue, workspace))
}

/// Elements of workspace that [`gemm_i8_with`] needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction set: a
/// deep product keeps its sums there.
pub const fn gemm_i8_with_workspace(m: usize, n: usize, k: usize) -> usize {
    let held = if k.div_ceil(2) <= tune::LEAST_DEPTH { 0 } else { m.saturating_mul(n) };
    gemm_i8_workspace(m, n, k).saturating_add(held)
}

/// `C = E(α(A - a₀)(B - b₀))`: as [`gemm_i8_with`], of the sums of [`gemm_u8`]. Scratch: [`gemm_i8_with_workspace`].
///
/// ```
/// use fulmen::{BiasCol, Chain, MatMut, MatRef, Pointwise, RoundTiesEven, gemm_i8_with_workspace, gemm_u8_with};
/// // A stands for [[-1, 2], [0, 127]], B for [[1], [3]].
/// let (a, b) = ([127u8, 130, 128, 255], [-1i8, 1]);
/// let mut c = [0u8; 2];
/// let mut workspace = [0; gemm_i8_with_workspace(2, 1, 2)];
/// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 1)?);
/// // Sums of 5 and 381 become 2.5 and 190.5, then bytes around 101.
/// let around = Chain(Pointwise(RoundTiesEven), BiasCol(&[101.0]));
/// gemm_u8_with(0.5, a, 128, b, -2, MatMut::row_major(&mut c, 2, 1)?, around, &mut workspace)?;
/// assert_eq!(c, [103, 255]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Contract: `contracts/gemm_u8-v1.yaml`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8_with<C: Requantize, E: Epilogue<f32>>(
    alpha: f32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    gemm_u8_with_on(native(), alpha, a, a_zero, b, b_zero, c, epilogue, workspace)
}

/// [`gemm_u8_with`] on the instruction set of `s`.
#[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
pub fn gemm_u8_with_on<S: Simd, C: Requantize, E: Epilogue<f32>>(
    s: S,
    alpha: f32,
    a: MatRef<'_, u8>,
    a_zero: u8,
    b: MatRef<'_, i8>,
    b_zero: i8,
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    let (a, b) = ((a, a_zero.into()), (b, b_zero.into()));
    named!([Result] gemm_u8_with at serial s, (c: mat_out), gemm_bytes_with_by(Serial, s, alpha, a, b, c, epilogue, workspace))
}

/// Elements of workspace that [`gemm_u8`] needs at most for an `m` by `k` A and a `k` by `n` B, on any instruction set.
pub const fn gemm_u8_workspace(m: usize, n: usize, k: usize) -> usize {
    gemm_i8_workspace(m, n, k)
}

/// What sums in `i32` become.
///
/// `f32` takes them as they are; `i8` and `u8` take the nearest integer, ties to even, or the nearest that they have; NaN
/// is 0 there.
pub trait Requantize: Copy + Send + sealed::Sealed {
    /// The name of a byte, its least and its largest.
    #[doc(hidden)]
    const BYTE: Option<(&'static str, [f32; 2])>;
    #[doc(hidden)]
    fn requantize(x: f32) -> Self;
}

mod sealed {
    /// Keeps [`Requantize`](super::Requantize) to these types.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for i8 {}
    impl Sealed for u8 {}
}

/// The nearest integer, of numbers of less than 2²².
#[inline(always)]
fn nearest(x: f32) -> f32 {
    // There is no `f32` between integers around here.
    const INTEGRAL: f32 = 1.5 * <f32 as Number>::INTEGRAL;
    (x + INTEGRAL) - INTEGRAL
}

impl Requantize for f32 {
    const BYTE: Option<(&'static str, [f32; 2])> = None;
    #[inline(always)]
    fn requantize(x: f32) -> Self {
        x
    }
}

macro_rules! requantize {
    ($($t:ident)*) => {$(
        impl Requantize for $t {
            const BYTE: Option<(&'static str, [f32; 2])> = Some((stringify!($t), [$t::MIN as f32, $t::MAX as f32]));
            #[inline(always)]
            fn requantize(x: f32) -> Self {
                nearest(x.clamp($t::MIN as f32, $t::MAX as f32)) as Self
            }
        }
    )*};
}
requantize!(i8 u8);

/// An element of a matrix of bytes: less what stands for zero it fits 16 bits.
pub(crate) trait Byte: Into<i16> + Copy + Sync {}
impl Byte for i8 {}
impl Byte for u8 {}

/// The product of matrices of bytes less their zeros, parts of C run by `j`.
pub(crate) fn gemm_bytes_by<J: Executor, S: Simd, A: Byte, B: Byte>(
    j: J,
    s: S,
    [alpha, beta]: [i32; 2],
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    c: MatMut<'_, i32>,
    workspace: &mut [i32],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
    let (m, n, k) = (c.rows(), c.cols(), a.cols());
    if m == 0 || n == 0 {
        return Ok(());
    }
    let (needed, got) = (scratch::<S>([m, n, k]).needed(), workspace.len());
    enough(needed, got)?;
    let parts = parts(j, m.saturating_mul(n).saturating_mul(k), needed, got);
    divide(j, parts, tile::<S, f32>(), a, b, c, workspace, |_, a, b, c, workspace| {
        part(s, [alpha, beta], (a, a_zero), (b, b_zero), c, workspace);
    });
    Ok(())
}

/// One thread's part; the workspace is long enough.
fn part<S: Simd, A: Byte, B: Byte>(
    s: S,
    [alpha, beta]: [i32; 2],
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    mut c: MatMut<'_, i32>,
    workspace: &mut [i32],
) {
    let scratch = scratch::<S>([c.rows(), c.cols(), a.cols()]);
    let k = if alpha == 0 { 0 } else { a.cols() };
    sums(s, (a, a_zero), (b, b_zero), k, scratch, workspace, |t| {
        let mut c = c.reborrow().block(t.at, t.size);
        let beta = if t.first { beta } else { 1 };
        s.vectorize(
            #[inline(always)]
            || {
                let blend = |x: i32, y: i32| alpha.wrapping_mul(x).wrapping_add(beta.wrapping_mul(y));
                for (i, sums) in t.sums.iter().enumerate().take(c.rows()) {
                    if let Some(row) = c.row_slice_mut(i) {
                        row.iter_mut().zip(sums).for_each(|(y, x)| *y = blend(*x, *y));
                        continue;
                    }
                    for (j, x) in sums.iter().enumerate() {
                        let y = c.get(i, j).unwrap_or(0);
                        c.set(i, j, blend(*x, y));
                    }
                }
            },
        );
    });
}

/// As [`gemm_bytes_by`], its sums in `f32` and an epilogue behind them.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemm_bytes_with_by<J: Executor, S: Simd, A: Byte, B: Byte, C: Requantize, E: Epilogue<f32>>(
    j: J,
    s: S,
    alpha: f32,
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    let (m, n, k) = (a.rows(), b.cols(), a.cols());
    same_shape("c", [m, n], [c.rows(), c.cols()])?;
    epilogue.check([m, n])?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    let scratch = scratch::<S>([m, n, k]);
    let (needed, got) = (scratch.needed().saturating_add(held([m, n, k], &scratch)), workspace.len());
    enough(needed, got)?;
    let parts = parts(j, m.saturating_mul(n).saturating_mul(k), needed, got);
    divide(j, parts, tile::<S, f32>(), a, b, c, workspace, |at, a, b, c, workspace| {
        part_with(s, alpha, (a, a_zero), (b, b_zero), c, epilogue.part(at), workspace);
    });
    Ok(())
}

/// Sums of several passes; those of one are in registers.
fn held([m, n, k]: [usize; 3], scratch: &Scratch) -> usize {
    if k.div_ceil(2) > scratch.depth { m.saturating_mul(n) } else { 0 }
}

/// One thread's part; the workspace is long enough.
fn part_with<S: Simd, A: Byte, B: Byte, C: Requantize, E: Epilogue<f32>>(
    s: S,
    alpha: f32,
    (a, a_zero): (MatRef<'_, A>, i16),
    (b, b_zero): (MatRef<'_, B>, i16),
    mut c: MatMut<'_, C>,
    epilogue: E,
    workspace: &mut [i32],
) {
    let [m, n, k] = [c.rows(), c.cols(), a.cols()];
    let scratch = scratch::<S>([m, n, k]);
    let (held, workspace) = workspace.split_at_mut_checked(held([m, n, k], &scratch)).unwrap_or_default();
    let k = if alpha == 0.0 { 0 } else { k };
    let lanes = S::F32::LANES;
    sums(s, (a, a_zero), (b, b_zero), k, scratch, workspace, |t| {
        let ([i0, j0], [rows, cols]) = (t.at, t.size);
        s.vectorize(
            #[inline(always)]
            || {
                for (i, sums) in t.sums.iter().enumerate().take(rows) {
                    let start = (i0 + i) * n + j0;
                    let before = held.get_mut(start..start + cols).unwrap_or_default();
                    let mut all = *sums;
                    if !t.first {
                        all.iter_mut().zip(&*before).for_each(|(x, y)| *x = x.wrapping_add(*y));
                    }
                    if !t.last {
                        before.iter_mut().zip(&all).for_each(|(y, x)| *y = *x);
                        continue;
                    }
                    let mut row = all.map(|x| alpha * x as f32);
                    for (v, x) in row.chunks_exact_mut(lanes).enumerate().take(cols.div_ceil(lanes)) {
                        let (at, n) = ([i0 + i, j0 + v * lanes], lanes.min(cols - v * lanes));
                        // SAFETY: `x` has as many elements as there are lanes.
                        unsafe {
                            let y = epilogue.apply(s, S::F32::load(s, x.as_ptr()), at, n);
                            y.store(x.as_mut_ptr());
                        }
                    }
                    let mut c = c.reborrow().block([i0 + i, j0], [1, cols]);
                    if let Some(to) = c.row_slice_mut(0) {
                        to.iter_mut().zip(&row).for_each(|(y, x)| *y = C::requantize(*x));
                    } else {
                        for (j, x) in row.iter().enumerate().take(cols) {
                            c.set(0, j, C::requantize(*x));
                        }
                    }
                }
            },
        );
    });
}
