//! Element-wise ops, row ops, top-k and one-dimensional convolution that allocate their result.

use super::{filled, product, rows_of};
use crate::Conv1d;
use crate::alu::Body;
use crate::error::Error;
use crate::lanes::Element;
use alloc::vec::Vec;

/// `out[i] = body(x[0][i], …)` in one pass, by [`map`](crate::map()): any of the bodies of [`pointwise`](crate::pointwise), or one of
/// your own.
///
/// Shapes: all inputs have one length, and so has the result.
///
/// NaN and ±0: those of the body's op.
///
/// Errors: [`Error::Len`] when the lengths differ; those of the body's parameters.
///
/// ```
/// use fulmen::{Add, Exp, Relu, Then, owned::map};
/// assert_eq!(map(Then(Add, Relu), [&[1.0f32, -5.0], &[2.0, 3.0]])?, [3.0, 0.0]);
/// assert_eq!(map(Exp, [&[0.0f64]])?, [1.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn map<T: Element, B: Body<T, N>, const N: usize>(body: B, x: [&[T]; N]) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, x.first().map_or(0, |x| x.len()))?;
    crate::map(body, x, &mut out)?;
    Ok(out)
}

/// `e^(x - max) / Σ e^(x - max)` of each row of `cols` numbers, by [`softmax`](crate::softmax()).
///
/// Shapes: the result is as `x`.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `cols`, [`Error::Rows`] `x`.
///
/// ```
/// assert_eq!(fulmen::owned::softmax(&[1.0f32, 1.0, 0.0, f32::NEG_INFINITY], 2)?, [0.5, 0.5, 1.0, 0.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn softmax<T: Element>(x: &[T], cols: usize) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, x.len())?;
    crate::softmax(x, cols, &mut out)?;
    Ok(out)
}

/// The logarithms of [`softmax`], by [`log_softmax`](crate::log_softmax()).
///
/// Shapes: the result is as `x`.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `cols`, [`Error::Rows`] `x`.
///
/// ```
/// let y = fulmen::owned::log_softmax(&[3.0f64, 3.0], 2)?;
/// assert!((y[0] + 2.0f64.ln()).abs() < 1e-15);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn log_softmax<T: Element>(x: &[T], cols: usize) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, x.len())?;
    crate::log_softmax(x, cols, &mut out)?;
    Ok(out)
}

/// The running sums of each row of `cols` numbers, by [`cumsum`](crate::cumsum()).
///
/// Shapes: the result is as `x`.
///
/// NaN and ±0: as the op.
///
/// Errors: [`Error::Empty`] names `cols`, [`Error::Rows`] `x`.
///
/// ```
/// assert_eq!(fulmen::owned::cumsum(&[1.0f32, 2.0, 3.0, 4.0], 2)?, [1.0, 3.0, 3.0, 7.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "prefix_sum")]
pub fn cumsum<T: Element>(x: &[T], cols: usize) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, x.len())?;
    crate::cumsum(x, cols, &mut out)?;
    Ok(out)
}

/// The `k` largest elements, largest first, and where they are, by [`top_k`](crate::top_k()); with `k = x.len()` that sorts.
///
/// Shapes: both results have `k` elements.
///
/// NaN and ±0: NaN is refused; -0 and +0 tie.
///
/// Errors: [`Error::Domain`] names `k` when it is more than there are; [`Error::Nan`].
///
/// ```
/// let (values, indices) = fulmen::owned::top_k(&[1.0f32, 7.0, 9.0, 7.0], 2)?;
/// assert_eq!((values, indices), (vec![9.0, 7.0], vec![2, 1]));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "argsort")]
#[doc(alias = "sort")]
pub fn top_k<T: Element>(x: &[T], k: usize) -> Result<(Vec<T>, Vec<u32>), Error> {
    best(x, k, crate::top_k)
}

/// The `k` smallest elements, smallest first, and where they are, by [`bottom_k`](crate::bottom_k()); with `k = x.len()` that sorts.
///
/// Shapes, NaN and errors: as [`top_k`].
///
/// ```
/// let (values, indices) = fulmen::owned::bottom_k(&[3.0f32, 7.0, 1.0], 3)?;
/// assert_eq!((values, indices), (vec![1.0, 3.0, 7.0], vec![2, 0, 1]));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "argsort")]
#[doc(alias = "sort")]
pub fn bottom_k<T: Element>(x: &[T], k: usize) -> Result<(Vec<T>, Vec<u32>), Error> {
    best(x, k, crate::bottom_k)
}

fn best<T: Element>(
    x: &[T],
    k: usize,
    op: impl Fn(&[T], usize, &mut [T], &mut [u32]) -> Result<(), Error>,
) -> Result<(Vec<T>, Vec<u32>), Error> {
    if k > x.len() {
        return Err(Error::must_be("k", "at most the length of `x`"));
    }
    let (mut values, mut indices) = (filled("values", T::ZERO, k)?, filled("indices", 0, k)?);
    op(x, k, &mut values, &mut indices)?;
    Ok((values, indices))
}

/// The convolution of lines with filters, as networks have it, by [`conv1d`](crate::conv1d()).
///
/// Shapes: `x` is `[images, channels_in, length]`, `weights` `[channels_out, channels_in / groups, kernel]`, `bias`, where it is, has
/// `channels_out` elements; the result is `[images, channels_out, conv.output()]`.
///
/// NaN and ±0: as the op.
///
/// Errors: those of [`Conv1d::output`] and of the op.
///
/// ```
/// use fulmen::{Conv1d, owned::conv1d};
/// let conv = Conv1d { padding: 1, ..Conv1d::new(1, 1, 4, 3) };
/// let y = conv1d(conv, &[1.0f32, 2.0, 4.0, 8.0], &[1.0, 0.0, -1.0], Some(&[0.5]))?;
/// assert_eq!(y, [-1.5, -2.5, -5.5, 4.5]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn conv1d<T: Element>(conv: Conv1d, x: &[T], weights: &[T], bias: Option<&[T]>) -> Result<Vec<T>, Error> {
    let n = conv.output()?;
    let images = rows_of("x", x, product("length", conv.channels_in, conv.length)?)?;
    let len = product("out", product("padding", conv.channels_out, n)?, images)?;
    let mut out = filled("out", T::ZERO, len)?;
    let mut workspace = filled("workspace", T::ZERO, crate::conv1d_workspace(conv))?;
    crate::conv1d(conv, x, weights, bias, &mut out, &mut workspace)?;
    Ok(out)
}
