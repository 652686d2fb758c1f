//! Elements of two bytes on their way to kernels of `f32`.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::types::{F32, U32, U64};
use super::flat::{each, get, put};

/// `f16` as `f32`, exactly: a matrix on strides, row by row. Parameters: from, to; its elements, columns, the strides of
/// rows and columns, and how many elements behind the word that `from` starts with the first is.
pub fn widen() -> Result<Kernel, Error> {
    let b = Builder::new("widen_f16");
    let [from, to] = [(); 2].map(|()| b.param::<U64>());
    let [n, cols, row, col, first] = [(); 5].map(|()| b.param::<U32>());
    each(&b, n, |i| {
        let r = i / cols;
        let k = first + r * row + (i - r * cols) * col;
        let word = get::<U32>(from, k >> b.int(1));
        put(to, i, half(word >> ((k & b.int(1)) << b.int(4))));
    });
    b.finish()
}

/// The number whose bits are the lower half. Subnormals are made from integers, as devices may take those of `f32` for 0.
fn half(bits: Value<'_, U32>) -> Value<'_, F32> {
    let b = bits.builder();
    let int = |c: i64| b.int::<U32>(c);
    let magnitude = bits & int(0x7fff);
    let wide = magnitude << int(13);
    let exponent = magnitude >> int(10);
    let special = exponent.compare(Cmp::Eq, int(31));
    let normal = Value::select(special, wide | int(0x7f80_0000), wide + int(112 << 23));
    let tiny = (magnitude.to::<F32>() * b.f32(f32::from_bits(103 << 23))).cast::<U32>();
    let all = Value::select(exponent.compare(Cmp::Eq, int(0)), tiny, normal);
    (all | ((bits & int(0x8000)) << int(16))).cast()
}
