//! Fourier transforms, convolutions and filters that allocate their result.

use super::{filled, product, rows_of};
use crate::complex::Complex;
use crate::error::{Error, not_empty};
use crate::fft as ops;
use crate::fft::{Convolver, Dct, DctKind, Direction, Extent, Fft, RealFft};
use crate::lanes::Element;
use crate::view::{MatMut, MatRef};
use alloc::vec::Vec;

/// Complex zeros, for scratch.
fn scratch<T: Element>(len: usize) -> Result<Vec<Complex<T>>, Error> {
    filled("workspace", Complex::ZERO, len)
}

fn whole<T: Element>(direction: Direction, x: &[Complex<T>]) -> Result<Vec<Complex<T>>, Error> {
    not_empty("x", x.len())?;
    let n = x.len();
    let mut workspace = scratch(ops::fft_workspace(n))?;
    let mut table = filled("table", T::ZERO, ops::fft_plan_len(n))?;
    let plan = Fft::plan(n, &mut table, &mut workspace)?;
    let mut out = filled("out", Complex::ZERO, n)?;
    ops::fft(&plan, direction, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// `out[j] = Σ x[k]·e^(-2πi·jk/n)` of all `n` numbers, by [`fft`](crate::fft()).
///
/// Shapes: any length but 0; the result is as long.
///
/// NaN and ±0: a NaN reaches a part of each number.
///
/// Errors: [`Error::Empty`] names `x`.
///
/// ```
/// use fulmen::{Complex, owned::fft};
/// let y = fft(&[1.0f64, -1.0, 1.0, -1.0].map(Complex::from))?;
/// assert_eq!(y, [0.0, 0.0, 4.0, 0.0].map(Complex::from));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "dft")]
pub fn fft<T: Element>(x: &[Complex<T>]) -> Result<Vec<Complex<T>>, Error> {
    whole(Direction::Forward, x)
}

/// `out[k] = 1/n·Σ x[j]·e^(2πi·jk/n)`, by [`fft`](crate::fft()): undoes [`fft`].
///
/// Shapes, NaN and errors: as there.
///
/// ```
/// use fulmen::{Complex, owned::ifft};
/// assert_eq!(ifft(&[0.0f64, 0.0, 4.0, 0.0].map(Complex::from))?[1].re, -1.0);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn ifft<T: Element>(x: &[Complex<T>]) -> Result<Vec<Complex<T>>, Error> {
    whole(Direction::Inverse, x)
}

/// The transform of a plane of `cols` columns along both axes, by [`fft_2d`](crate::fft_2d()).
///
/// Shapes: `x` has at least one row of `cols` numbers; the result is as large.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `x` or `cols`, [`Error::Rows`] `x`.
///
/// ```
/// use fulmen::{Complex, owned::fft_2d};
/// let y = fft_2d(&[1.0f64, 2.0, 3.0, 4.0].map(Complex::from), 2)?;
/// assert_eq!(y, [10.0, -2.0, -4.0, 0.0].map(Complex::from));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "fft2")]
pub fn fft_2d<T: Element>(x: &[Complex<T>], cols: usize) -> Result<Vec<Complex<T>>, Error> {
    not_empty("x", x.len())?;
    not_empty("cols", cols)?;
    let rows = rows_of("x", x, cols)?;
    let room = ops::fft_workspace(rows).max(ops::fft_workspace(cols)).max(ops::fft_2d_workspace(rows, cols));
    let mut workspace = scratch(room)?;
    let mut down = filled("table", T::ZERO, ops::fft_plan_len(rows))?;
    let mut along = filled("table", T::ZERO, ops::fft_plan_len(cols))?;
    let down = Fft::plan(rows, &mut down, &mut workspace)?;
    let along = Fft::plan(cols, &mut along, &mut workspace)?;
    let mut out = filled("out", Complex::ZERO, x.len())?;
    let (x, to) = (MatRef::row_major(x, rows, cols)?, MatMut::row_major(&mut out, rows, cols)?);
    ops::fft_2d(&down, &along, Direction::Forward, x, to, &mut workspace)?;
    Ok(out)
}

/// `out[j] = Σ x[k]·e^(-2πi·jk/n)` of `n` real numbers for `j` up to `n/2`, by [`rfft`](crate::rfft()): the rest are conjugates.
///
/// Shapes: any length but 0; the result has `n/2 + 1` numbers.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `x`.
///
/// ```
/// use fulmen::{Complex, owned::rfft};
/// assert_eq!(rfft(&[1.0f32, 0.0, -1.0, 0.0])?, [0.0, 2.0, 0.0].map(Complex::from));
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn rfft<T: Element>(x: &[T]) -> Result<Vec<Complex<T>>, Error> {
    not_empty("x", x.len())?;
    let mut workspace = scratch(ops::rfft_workspace(x.len()))?;
    let mut table = filled("table", T::ZERO, ops::rfft_plan_len(x.len()))?;
    let plan = RealFft::plan(x.len(), &mut table, &mut workspace)?;
    let mut out = filled("out", Complex::ZERO, plan.bins())?;
    ops::rfft(&plan, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// The `n` real numbers whose transform begins with `x`, by [`irfft`](crate::irfft()): undoes [`rfft`].
///
/// Shapes: `x` has `n/2 + 1` numbers.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `n` when it is 0; [`Error::Len`] names `x`.
///
/// ```
/// use fulmen::{Complex, owned::irfft};
/// assert_eq!(irfft(&[0.0f32, 2.0, 0.0].map(Complex::from), 4)?, [1.0, 0.0, -1.0, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn irfft<T: Element>(x: &[Complex<T>], n: usize) -> Result<Vec<T>, Error> {
    not_empty("n", n)?;
    crate::error::same_len("x", n / 2 + 1, x.len())?;
    let mut workspace = scratch(ops::rfft_workspace(n))?;
    let mut table = filled("table", T::ZERO, ops::rfft_plan_len(n))?;
    let plan = RealFft::plan(n, &mut table, &mut workspace)?;
    let mut out = filled("out", T::ZERO, n)?;
    ops::irfft(&plan, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// The cosine transform of all numbers, by [`dct`](crate::dct()); nothing is scaled.
///
/// Shapes: any length but 0; the result is as long.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `x`.
///
/// ```
/// use fulmen::{DctKind, owned::dct};
/// assert!((dct(DctKind::II, &[1.0f64, 2.0, 3.0, 4.0])?[0] - 10.0).abs() < 1e-14);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn dct<T: Element>(kind: DctKind, x: &[T]) -> Result<Vec<T>, Error> {
    not_empty("x", x.len())?;
    let mut workspace = scratch(ops::dct_workspace(x.len()))?;
    let mut table = filled("table", T::ZERO, ops::dct_plan_len(kind, x.len()))?;
    let plan = Dct::plan(kind, x.len(), &mut table, &mut workspace)?;
    let mut out = filled("out", T::ZERO, x.len())?;
    ops::dct(&plan, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// `out[l] = Σ kernel[k]·x[l + start - k]`, where `x` is 0 outside, by [`convolve`](crate::convolve()).
///
/// Shapes: the result has [`convolve_len`](crate::convolve_len) numbers for the `extent`.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `kernel`.
///
/// ```
/// use fulmen::{Extent, owned::convolve};
/// let y = convolve(&[1.0f64, 4.0, 9.0, 16.0], &[1.0, -1.0], Extent::Valid)?;
/// assert!(y.iter().zip([3.0, 5.0, 7.0]).all(|(a, b)| (a - b).abs() < 1e-13));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "fftconvolve")]
pub fn convolve<T: Element>(x: &[T], kernel: &[T], extent: Extent) -> Result<Vec<T>, Error> {
    not_empty("kernel", kernel.len())?;
    let n = ops::convolve_block(kernel.len(), x.len()).max(kernel.len());
    let mut workspace = scratch(ops::convolve_workspace(n))?;
    let mut table = filled("table", T::ZERO, ops::convolve_plan_len(n))?;
    let plan = Convolver::plan(kernel, n, &mut table, &mut workspace)?;
    let mut out = filled("out", T::ZERO, ops::convolve_len(extent, x.len(), kernel.len()))?;
    ops::convolve(&plan, extent, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// The transforms of frames of `x`, one each `hop` numbers, times `window`, by [`stft`](crate::stft()).
///
/// Shapes: with `n = window.len()`, the result has a row of `n/2 + 1` numbers for each of
/// [`stft_frames`](crate::stft_frames)`(x.len(), n, hop)` frames.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `window`, [`Error::Domain`] `hop` when it is 0.
///
/// ```
/// let y = fulmen::owned::stft(&[1.0f32, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0], &[1.0; 4], 4)?;
/// assert_eq!((y.len(), y[1].re, y[4].re), (6, 2.0, 2.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "spectrogram")]
pub fn stft<T: Element>(x: &[T], window: &[T], hop: usize) -> Result<Vec<Complex<T>>, Error> {
    not_empty("window", window.len())?;
    let n = window.len();
    let mut workspace = scratch(ops::stft_workspace(n))?;
    let mut table = filled("table", T::ZERO, ops::rfft_plan_len(n))?;
    let plan = RealFft::plan(n, &mut table, &mut workspace)?;
    let len = product("out", ops::stft_frames(x.len(), n, hop), plan.bins())?;
    let mut out = filled("out", Complex::ZERO, len)?;
    ops::stft(&plan, window, hop, x, &mut out, &mut workspace)?;
    Ok(out)
}

/// `out[i] = Σ taps[k]·x[i·decimation - k]`, where `x` is 0 before its beginning, by [`fir`](crate::fir()).
///
/// Shapes: `x` has a multiple of `decimation` numbers, and the result as many as that.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `taps`, [`Error::Domain`] `decimation` when it is 0, [`Error::Rows`] `x`.
///
/// ```
/// assert_eq!(fulmen::owned::fir(&[1.0f32, -1.0], 1, &[1.0, 4.0, 9.0])?, [1.0, 3.0, 5.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "lfilter")]
#[doc(alias = "decimate")]
pub fn fir<T: Element>(taps: &[T], decimation: usize, x: &[T]) -> Result<Vec<T>, Error> {
    not_empty("taps", taps.len())?;
    if decimation == 0 {
        return Err(Error::must_be("decimation", "at least 1"));
    }
    let mut out = filled("out", T::ZERO, rows_of("x", x, decimation)?)?;
    let mut state = filled("state", T::ZERO, taps.len().saturating_sub(1))?;
    ops::fir(taps, decimation, &mut state, x, &mut out)?;
    Ok(out)
}
