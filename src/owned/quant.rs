//! Quantisation and quantised products that allocate their result.

use super::{filled, rows_of};
use crate::error::Error;
use crate::quant::{Block, blocks};
use alloc::vec::Vec;

/// So many blocks of zeros.
fn room<B: Block>(len: usize) -> Result<Vec<B>, Error> {
    let bytes = filled("out", 0, size_of::<B>())?;
    match blocks::<B>(&bytes)? {
        [block, ..] => filled("out", *block, len),
        [] => Ok(Vec::new()),
    }
}

/// Blocks whose elements are near `x`, by [`quantize`](crate::quantize()); with `importance`, error `i` of each row has that weight.
///
/// Shapes: `x` has a multiple of [`Block::ELEMENTS`] numbers.
///
/// NaN and ±0: NaN and infinities are refused.
///
/// Errors: [`Error::Rows`] names `x`; those of the op.
///
/// ```
/// use fulmen::{owned::{dequantize, quantize}, quant::Q8_0};
/// let x: [f32; 64] = core::array::from_fn(|i| i as f32 / 63.0);
/// let few = quantize::<Q8_0>(&x, None)?;
/// assert!(dequantize(&few)?.iter().zip(x).all(|(y, x)| (x - y).abs() < 0.005));
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn quantize<B: Block>(x: &[f32], importance: Option<&[f32]>) -> Result<Vec<B>, Error> {
    let mut out = room(rows_of("x", x, B::ELEMENTS)?)?;
    crate::quantize(x, importance, &mut out)?;
    Ok(out)
}

/// The numbers that blocks hold, by [`dequantize`](crate::dequantize()).
///
/// Shapes: the result has [`Block::ELEMENTS`] numbers for each block.
///
/// NaN and ±0: as the scales give. Errors: [`Error::Overflow`] names `out`.
///
/// ```
/// use fulmen::{owned::{dequantize, quantize}, quant::Q4_0};
/// assert_eq!(dequantize(&quantize::<Q4_0>(&[0.0; 32], None)?)?, [0.0; 32]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn dequantize<B: Block>(x: &[B]) -> Result<Vec<f32>, Error> {
    let mut out = filled("out", 0.0, super::product("out", x.len(), B::ELEMENTS)?)?;
    crate::dequantize(x, &mut out)?;
    Ok(out)
}

/// A matrix of weights in blocks times a vector of quantised activations, by [`quant_gemv`](crate::quant_gemv()).
///
/// Shapes: `weights` has rows of the blocks that hold as many elements as `x` does; the result has a number for each row.
///
/// NaN and ±0: as the scales give.
///
/// Errors: [`Error::Rows`] names `weights`; those of the op.
///
/// ```
/// use fulmen::owned::{quant_gemv, quantize};
/// use fulmen::quant::{Block, Q4_0};
/// let weights = quantize::<Q4_0>(&[[1.0; 32], [-2.0; 32]].concat(), None)?;
/// let x = quantize::<<Q4_0 as Block>::Partner>(&[0.5; 32], None)?;
/// let y = quant_gemv(&weights, &x)?;
/// assert!((y[0] - 16.0).abs() < 0.1 && (y[1] + 32.0).abs() < 0.1);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn quant_gemv<B: Block>(weights: &[B], x: &[B::Partner]) -> Result<Vec<f32>, Error> {
    let elements = super::product("x", x.len(), <B::Partner as Block>::ELEMENTS)?;
    let blocks = elements.checked_div(B::ELEMENTS).unwrap_or(0);
    let mut out = filled("out", 0.0, rows_of("weights", weights, blocks)?)?;
    crate::quant_gemv(weights, x, &mut out)?;
    Ok(out)
}
