//! The epilogue of a matrix product as a kernel of its own: a bias and a body are applied to a product that is in
//! memory; `i32` sums are scaled to `f32` or requantised to bytes.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space};
use super::super::record::Recorded;
use super::super::types::{F32, U32, U64};
use super::flat::{at, each, each_piece, get, keep, neighbours, put};
use super::group::Along;
use crate::alu::{Alu, Body as _, Formula, Number, Real as _};
use alloc::format;
use alloc::vec::Vec;

/// What a formula makes of each element of a matrix and a bias, over it, `many` neighbours of a row at a time. Parameters: the bias,
/// if there is one, the matrix; its elements, columns and strides (`U32`), those of the formula. Any grid does.
pub(crate) fn ended<F: Formula<P, 1>, T: Recorded, const P: usize>(
    bias: Option<Along>,
    many: u32,
) -> Result<Kernel, Error> {
    let by = if many == 1 { "" } else { "_wide" };
    let b = Builder::new(&format!("ended_{}_{}{by}", F::NAME, T::Elem::NAME));
    let bias = bias.map(|along| (b.param::<U64>(), along));
    let c = b.param::<U64>();
    let [count, n, row_by, col_by] = b.params::<U32, 4>();
    let body = F::body(b.numbers::<T, P>());
    let read = |i| {
        let row = i / n;
        let col = i - row * n;
        let from = at::<T>(c, row * row_by + col * col_by);
        (row, col, from, neighbours::<T>(&b, Space::Global, from, 0, many))
    };
    each_piece(&b, count, many, read, |_, (row, col, to, v)| {
        let of_row = match bias {
            Some((bias, Along::Rows)) => Some(get::<T>(bias, row)),
            _ => None,
        };
        let new = (0..).zip(v).map(|(j, v)| {
            let bias = match bias {
                Some((bias, Along::Columns)) => Some(get::<T>(bias, col + b.int(j))),
                _ => of_row,
            };
            body.eval([bias.map_or(v, |bias| v + bias)])
        });
        keep(&b, Space::Global, to, &new.collect::<Vec<_>>());
    });
    b.finish()
}

/// The nearest `f32` of an `i32`.
fn signed(x: Value<'_, U32>) -> Value<'_, F32> {
    let b = x.builder();
    let negative = (x >> b.int::<U32>(31)).compare(Cmp::Ne, b.int(0));
    let size = Value::select(negative, b.int(0) - x, x).to::<F32>();
    Value::select(negative, -size, size)
}

/// What a scale, a bias and a formula make of the sum in this row and column.
struct Scaled<'b> {
    sums: Value<'b, U64>,
    bias: Option<(Value<'b, U64>, Along)>,
    alpha: Value<'b, F32>,
}

impl<'b> Scaled<'b> {
    fn at(&self, sum: Value<'b, U32>, [row, col]: [Value<'b, U32>; 2]) -> Value<'b, F32> {
        let v = self.alpha * signed(get::<U32>(self.sums, sum));
        match self.bias {
            None => v,
            Some((bias, Along::Rows)) => v + get::<F32>(bias, row),
            Some((bias, Along::Columns)) => v + get::<F32>(bias, col),
        }
    }
}

/// Sums as `f32`. Parameters: the bias, if there is one, sums one row after the other, the result; its elements, columns and strides
/// (`U32`), α (`F32`), those of the formula. Any grid does.
pub(crate) fn dequantise<F: Formula<P, 1>, const P: usize>(bias: Option<Along>) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("dequantise_{}", F::NAME));
    let bias = bias.map(|along| (b.param::<U64>(), along));
    let [sums, c] = b.params::<U64, 2>();
    let [count, n, row_by, col_by] = b.params::<U32, 4>();
    let scaled = Scaled { sums, bias, alpha: b.param() };
    let body = F::body(b.numbers::<F32, P>());
    each(&b, count, |i| {
        let row = i / n;
        let col = i - row * n;
        put::<F32>(c, row * row_by + col * col_by, body.eval([scaled.at(i, [row, col])]));
    });
    b.finish()
}

/// Sums as the nearest bytes of this name and within these limits, a word to a thread; NaN is 0. Bytes that are none of the result stay.
///
/// Lines of the result are its rows, or its columns where these are farther from each other. Parameters: the bias, if there is one
/// (along lines as if they were rows), sums, the result from its first word on; its words, bytes before its first, lines,
/// elements of a line, bytes from line to line and from element to element, and both in elements of the sums (`U32`), α (`F32`),
/// those of the formula. Any grid does.
pub(crate) fn requantise<F: Formula<P, 1>, const P: usize>(
    (byte, limits): (&str, [f32; 2]),
    bias: Option<Along>,
) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("requantise_{byte}_{}", F::NAME));
    let bias = bias.map(|along| (b.param::<U64>(), along));
    let [sums, c] = b.params::<U64, 2>();
    let [words, before, lines, length, line_by, by, sums_line_by, sums_by] = b.params::<U32, 8>();
    let scaled = Scaled { sums, bias, alpha: b.param() };
    let body = F::body(b.numbers::<F32, P>());
    let [low, high] = limits.map(|x| b.f32(x));
    each(&b, words, |w| {
        let old = get::<U32>(c, w);
        let mut new = b.int(0);
        for j in 0..4 {
            // Before the first byte this is past the last line.
            let offset = (w << b.int::<U32>(2)) + b.int(j) - before;
            let line = offset / line_by;
            let rest = offset - line * line_by;
            let element = rest / by;
            let inside = line.compare(Cmp::Lt, lines)
                & element.compare(Cmp::Lt, length)
                & (element * by).compare(Cmp::Eq, rest);
            let shift = b.int::<U32>(8 * j);
            let made = || {
                let sum = line * sums_line_by + element * sums_by;
                let v = body.eval([scaled.at(sum, [line, element])]);
                // The low bits are those of the nearest integer.
                let nearest = v.max(low).min(high) + b.f32(1.5 * <f32 as Number>::INTEGRAL);
                let byte = nearest.cast::<U32>() & b.int(0xff);
                [Value::select(v.compare(Cmp::Eq, v), byte, b.int(0)) << shift]
            };
            let [byte] = b.either(inside, made, || [old & (b.int::<U32>(0xff) << shift)]);
            new = new | byte;
        }
        put::<U32>(c, w, new);
    });
    b.finish()
}
