//! Quantised blocks in the layouts of GGUF files.

use crate::arrays::{Arg, Name, Out, Read, Returned, value_error};
use fulmen::parallel;
use fulmen::quant::{Block, Q4_0, Q4_K, Q6_K, Q8_0, blocks};
use pyo3::prelude::*;

/// Evaluates the expression with `$B` as the block type of the format.
macro_rules! of_format {
    ($op:literal, $name:expr, $B:ident => $call:expr) => {
        match $name {
            "q4_0" => {
                type $B = Q4_0;
                $call
            }
            "q8_0" => {
                type $B = Q8_0;
                $call
            }
            "q4_k" => {
                type $B = Q4_K;
                $call
            }
            "q6_k" => {
                type $B = Q6_K;
                $call
            }
            other => {
                let known = "expected \"q4_0\", \"q8_0\", \"q4_k\" or \"q6_k\"";
                Err(Name($op, "format").value_error(format_args!("is {other:?}; {known}")))
            }
        }
    };
}

/// The shape, with each block of `from` elements of the last axis replaced by one of `to` elements.
fn converted_shape(x: Name, shape: &[usize], from: usize, to: usize) -> PyResult<Vec<usize>> {
    let mut shape = shape.to_vec();
    match shape.last_mut() {
        Some(n) if *n % from == 0 => *n = *n / from * to,
        _ => {
            return Err(x.value_error(format_args!(
                "has the shape {shape:?}, a last axis of a multiple of {from} expected"
            )));
        }
    }
    Ok(shape)
}

fn quantized<'py, B: Block>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "quantize";
    let py = x.py();
    let x = Read::<f32>::new(OP, "x", x)?;
    let shape = converted_shape(x.name, x.shape(), B::ELEMENTS, size_of::<B>())?;
    let mut to = Out::<u8>::new(py, OP, out, &shape, &[&x])?;
    let (from, bytes) = (x.slice()?, to.slice()?);
    let y = bytemuck::try_cast_slice_mut::<u8, B>(bytes).map_err(|why| Name(OP, "out").value_error(why))?;
    py.detach(|| fulmen::dispatch!(|s| parallel::quantize_on(s, from, None, y))).map_err(value_error)?;
    Ok(to.into_array())
}

/// Quantises numbers to blocks of a GGUF format: "q4_0", "q8_0" (blocks of 32), "q4_k" or "q6_k" (of 256).
///
/// `x` is float32, contiguous in C order, finite, with a last axis of whole blocks. The result holds the bytes of the blocks
/// in its last axis, uint8: 18, 34, 144 or 210 for each.
///
/// >>> fulmen.quantize(np.ones(32, np.float32), "q8_0").shape
/// (34,)
#[pyfunction]
#[pyo3(signature = (x, format, out=None))]
pub fn quantize<'py>(x: Arg<'_, 'py>, format: &str, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    of_format!("quantize", format, B => quantized::<B>(x, out))
}

fn dequantized<'py, B: Block>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "dequantize";
    let py = x.py();
    let x = Read::<u8>::new(OP, "x", x)?;
    let shape = converted_shape(x.name, x.shape(), size_of::<B>(), B::ELEMENTS)?;
    let mut to = Out::<f32>::new(py, OP, out, &shape, &[&x])?;
    let (from, y) = (blocks::<B>(x.slice()?).map_err(value_error)?, to.slice()?);
    py.detach(|| fulmen::dispatch!(|s| parallel::dequantize_on(s, from, y))).map_err(value_error)?;
    Ok(to.into_array())
}

/// Dequantises blocks of a GGUF format: the inverse of `quantize`, up to its rounding.
///
/// `x` is uint8, contiguous in C order, with a last axis of the bytes of whole blocks; the result is float32.
///
/// >>> fulmen.dequantize(fulmen.quantize(np.zeros(32, np.float32), "q8_0"), "q8_0")[:2]
/// array([0., 0.], dtype=float32)
#[pyfunction]
#[pyo3(signature = (x, format, out=None))]
pub fn dequantize<'py>(x: Arg<'_, 'py>, format: &str, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    of_format!("dequantize", format, B => dequantized::<B>(x, out))
}
