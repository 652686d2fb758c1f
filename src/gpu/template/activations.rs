//! Quantises rows of activations to blocks of signed bytes, for products with quantised weights.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::types::{F32, S32, U32, U64};
use super::block_reduce::{Meet, Threads, on_row};
use super::flat::{get, put};
use super::layer::each_row;
use crate::quant::layout::Factor;
use crate::quant::{Activation, MOST_SCALE};
use alloc::format;

/// Threads of a block, and the elements that it quantises at once: a whole number of any format's blocks.
pub const QUANTISED: u32 = 256;

/// The nearest half-precision number's bits, ties to even, by integers.
fn f32_to_f16<'b>(x: Value<'b, F32>) -> Value<'b, U32> {
    let b = x.builder();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let all: Value<'_, U32> = x.cast();
    let size = all & int(0x7fff_ffff);
    let odd = (size >> int(13)) & int(1);
    let normal = (size - int(112 << 23) + int(0xfff) + odd) >> int(13);
    // Below the smallest normal one: the spacing of 1/2 is that of halves there.
    let half = b.f32(0.5);
    let small = (size.cast::<F32>() + half).cast::<U32>() - half.cast();
    let special = Value::select(size.compare(Cmp::Gt, int(0x7f80_0000)), int(0x7e00), int(0x7c00));
    let near = Value::select(size.compare(Cmp::Lt, int(0x3880_0000)), small, normal);
    let near = Value::select(size.compare(Cmp::Ge, int(0x4780_0000)), special, near);
    near | (all >> int(16)) & int(0x8000)
}

/// [`quantize`](crate::quantize()) to a format of activations. A block that has an element that is not finite, or past
/// what the format holds, gets NaN for its scale. Parameters: `x`, `out`, which starts at a word; the elements.
pub fn quantize<A: Activation>(meet: Meet) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("quantize_{}", A::NAME));
    b.threads([QUANTISED, 1, 1]);
    let [x, out] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (each, halves) = (A::ELEMENTS as u32, size_of::<A>() as u32 / 2);
    let (many, single) = (QUANTISED / each, matches!(A::WORDS.d, Factor::Single(_)));
    let has_sum = !single && A::WORDS.m.is_some();
    // Halves before the codes.
    let head = if single || has_sum { 2 } else { 1 };
    let threads = Threads { block: QUANTISED, row: each };
    let [codes, heads] = [QUANTISED, many * 2].map(|words| b.shared(words * 4, 4));
    let place = |scratch: Value<'_, U32>, k: Value<'_, U32>| {
        b.typed::<U32>(scratch.id()) + b.typed::<U32>(k.id()) * int(4)
    };
    let read =
        |scratch: Value<'_, U32>, k: Value<'_, U32>| b.load::<U32>(Space::Shared, place(scratch, k), 0);
    let (tid, blocks) = (b.special(Special::TidX), n >> int(each.ilog2()));
    let [row, own] = threads.place(&b);
    each_row(&b, (n + int(QUANTISED - 1)) >> int(QUANTISED.ilog2()), |g| {
        let i = g * int(QUANTISED) + tid;
        let [v] = b.either(i.compare(Cmp::Lt, n), || [get::<F32>(x, i)], || [b.f32(0.0)]);
        // Of bits, so that NaN is the largest.
        let size = v.cast::<U32>() & int(0x7fff_ffff);
        let [top] = on_row(&b, meet, threads, [size], |[p], [q]| [p.most(q)]);
        let good = top.compare(Cmp::Le, int(A::LIMIT.to_bits()));
        let top = Value::select(good, top, int(0)).cast::<F32>();
        // Quotients rounded once, also where a language divides less exactly.
        let (least, most) = (b.f32(1.0 / 127.0), b.f32(MOST_SCALE));
        let d = top / b.f32(127.0);
        let d = (-d).fma(b.f32(127.0), top).fma(least, d);
        let d = Value::select(d.compare(Cmp::Gt, most), most, d);
        let by = b.f32(1.0) / d;
        let by = (-by).fma(d, b.f32(1.0)).fma(by, by);
        // 1/d is infinite up to 2⁻¹²⁸.
        let by = Value::select(d.cast::<U32>().compare(Cmp::Gt, int(0x0020_0000)), by, b.f32(0.0));
        let y = Value::select(good, v, b.f32(0.0)) * by;
        let whole = y.to::<S32>();
        let rest = y - whole.to::<F32>();
        let one = |p| Value::select(p, int(1), int(0));
        let (half, low) = (b.f32(0.5), b.f32(-0.5));
        let q = whole.cast::<U32>() + one(rest.compare(Cmp::Ge, half)) - one(rest.compare(Cmp::Le, low));
        b.store(Space::Shared, place(codes, tid), 0, q);
        let sum = has_sum.then(|| on_row(&b, meet, threads, [q], |[p], [q]| [p + q]));
        let d = Value::select(good, d, b.bits::<F32>(0x7fc0_0000));
        b.when(own.compare(Cmp::Eq, int(0)), || {
            let bits = d.cast::<U32>();
            let [first, second] = match sum {
                _ if single => [bits & int(0xffff), bits >> int(16)],
                Some([sum]) => [f32_to_f16(d), f32_to_f16(d * sum.cast::<S32>().to())],
                None => [f32_to_f16(d), int(0)],
            };
            let to = place(heads, row * int(2));
            b.store(Space::Shared, to, 0, first);
            b.store(Space::Shared, to, 4, second);
        });
        b.barrier();
        // Half `k` of this block's blocks, of which there may be fewer.
        let part = |k: Value<'_, U32>| {
            let k = b.typed::<U32>(k.id());
            let block = k / int(halves);
            let within = k - block * int(halves);
            let first = block * int(each);
            let [v] = b.either(
                within.compare(Cmp::Lt, int(head)),
                || [read(heads, block * int(2) + within)],
                || {
                    let pair = first + (within - int(head)) * int(2);
                    let of_codes = || {
                        [(read(codes, pair) & int(0xff)) | (read(codes, pair + int(1)) & int(0xff)) << int(8)]
                    };
                    if A::WORDS.sums.is_none() {
                        return of_codes();
                    }
                    let behind = within - int(head + each / 2);
                    b.either(within.compare(Cmp::Lt, int(head + each / 2)), of_codes, || {
                        let from = first + behind * int(16);
                        let sum = (1..16).fold(read(codes, from), |sum, k| sum + read(codes, from + int(k)));
                        [sum & int(0xffff)]
                    })
                },
            );
            (v, (g * int(many) + block).compare(Cmp::Lt, blocks))
        };
        b.when(tid.compare(Cmp::Lt, int(many * halves / 2)), || {
            let ((low, there), (high, both)) = (part(tid * int(2)), part(tid * int(2) + int(1)));
            b.when(there, || {
                let to = g * int(many * halves / 2) + tid;
                // Behind the last block is a neighbour's half of a word.
                let [high] =
                    b.either(both, || [high << int(16)], || [get::<U32>(out, to) & int(0xffff_0000)]);
                put(out, to, low | high);
            });
        });
    });
    b.finish()
}
