//! The two passes of a resize: rows first, which leaves one row of numbers between them, then columns.

use super::plan::Weight;
use crate::image::Pixel;
use crate::lanes::Simd;
use crate::plain::Plain;
use core::ops::Range;

use crate::lanes::taps::read::{HELD, Held, Lines, Spans, Two, pixels, spread};
pub(crate) use crate::lanes::taps::{BLOCK, LINES};

/// Bytes of a row that the vertical pass sums for all rows of a group before it goes on to the next bytes.
/// They are whole blocks of [`BLOCK`] bytes, and an even number of pixels of 1 to 4 channels.
pub(crate) const STRIP: usize = 960;

/// Elements past an intermediate row that are read, and multiplied by weights of 0.
pub(crate) const PAST: usize = 8;

/// The fractional bits of the intermediate numbers where pixels are bytes.
const BITS: u32 = 6;

/// The element types that [`resize`](crate::resize()) takes: `u8`, whose weights are `i16`, and `f32`, whose weights are `f32`.
pub trait Resample: Pixel {
    /// The type of a plan's weights.
    type Weight: Weight;
    /// The type of the intermediate rows between the two passes, which the workspace holds.
    type Middle: Plain + Default;
    /// `out[i] = Σ weights[k]·rows(k)[i]`.
    #[doc(hidden)]
    fn rows<'a, S: Simd>(
        s: S,
        rows: impl Fn(usize) -> &'a [Self],
        weights: &[Self::Weight],
        bits: u32,
        out: &mut [Self::Middle],
    );
    /// Computes the elements `x` of [`Resample::rows`] for an image of `C` channels, and writes them where
    /// [`Resample::columns`] reads them. `line` is the number of columns, and the line of the group.
    #[doc(hidden)]
    fn strip<'a, S: Simd, const C: usize>(
        s: S,
        rows: impl Fn(usize) -> &'a [Self],
        weights: (&[Self::Weight], u32),
        middle: &mut [Self::Middle],
        line: (usize, usize),
        x: Range<usize>,
    );
    /// `out[l][o][c] = Σ weights[o·room + k]·x[spans[o][0] + k][c]` over `k < spans[o][1]`, where `x` are the `width` pixels of `C` channels of
    /// line `l`, which [`Resample::strip`] wrote to `middle`.
    #[doc(hidden)]
    fn columns<S: Simd, const C: usize>(
        s: S,
        middle: &mut [Self::Middle],
        width: usize,
        spans: &[[u32; 2]],
        weights: (&[Self::Weight], usize, u32),
        out: [&mut [Self]; LINES],
    );
    /// `out[i] = Σ weights[k]·middle[i + k·step]`.
    #[doc(hidden)]
    fn along<S: Simd>(
        s: S,
        middle: &[Self::Middle],
        step: usize,
        weights: &[Self::Weight],
        bits: u32,
        out: &mut [Self],
    );
    /// What rows whose elements are all `value` add to [`Resample::rows`].
    #[doc(hidden)]
    fn flat(value: Self, weights: &[Self::Weight], bits: u32) -> Self::Middle;
    /// The sum of both.
    #[doc(hidden)]
    fn plus(a: Self::Middle, b: Self::Middle) -> Self::Middle;
    /// The parameters of device kernels: `flat`, a number between the passes, as a word of 32 bits, and the bits that rounding removes from sums
    /// along rows and from sums along columns, whose weights have `bits` fractional bits.
    #[doc(hidden)]
    fn on_device(flat: Self::Middle, bits: [u32; 2]) -> (u32, [u32; 2]);
}

/// Elements of workspace that a group of [`LINES`] rows needs, for a source of `width` columns and `channels`.
pub(super) const fn room(width: usize, channels: usize) -> usize {
    let pixels = width.saturating_add(PAST).saturating_mul(LINES);
    if channels == 1 {
        return pixels;
    }
    // Each pixel has four numbers. Behind the pixels there is room for a strip, which is computed there and then copied.
    let row = width.saturating_mul(channels);
    let strip = if row < 2 * STRIP { row } else { 2 * STRIP };
    pixels.saturating_mul(4).saturating_add(strip + 2 * PAST)
}

/// Pairs of pixels of all lines, and the rest of the workspace.
type Pairs<'a> = (&'a mut [Two], &'a mut [i16]);

#[inline(always)]
fn pairs(middle: &mut [i16], pixels: usize) -> Pairs<'_> {
    let all = pixels.next_multiple_of(2).saturating_add(PAST - 2) * 4 * LINES;
    let (pairs, rest) = middle.split_at_mut(all.min(middle.len()));
    (pairs.as_chunks_mut().0.as_chunks_mut().0, rest)
}

/// The lines of a workspace of single elements or floats.
#[inline(always)]
fn line<M>(middle: &mut [M], l: usize, x: Range<usize>) -> &mut [M] {
    let step = middle.len() / LINES;
    middle.get_mut(l * step..).and_then(|line| line.get_mut(x)).unwrap_or_default()
}

/// `out[i] = Σ weights[k]·rows(k)[i]`, `N` blocks at a time. Sums begin as `start`, `block` adds the products of some rows with their weights
/// from an element on, and `end` converts the sums. Where fewer elements remain than `N` blocks have, the last blocks begin earlier. An `out`
/// that is shorter than `N` blocks is computed by `one`, element by element.
#[inline(always)]
fn sums<'a, P: 'a, W: Copy, A: Copy, M: Copy, const N: usize>(
    rows: impl Fn(usize) -> &'a [P],
    weights: &[W],
    (start, block, end): (A, impl Fn([A; N], &Held<'a, P>, &[W], usize) -> [A; N], impl Fn(A) -> [M; BLOCK]),
    one: impl Fn(usize) -> M,
    out: &mut [M],
) {
    let (n, mut x) = (out.len(), 0);
    if n < N * BLOCK {
        return out.iter_mut().enumerate().for_each(|(i, to)| *to = one(i));
    }
    let (mut at, mut held) = (usize::MAX, Held::new());
    while x < n {
        x = x.min(n - N * BLOCK);
        let mut sums = [start; N];
        for (group, weights) in weights.chunks(HELD).enumerate() {
            if at != group {
                at = group;
                held.hold((0..weights.len()).map(|k| rows(group * HELD + k)));
            }
            sums = block(sums, &held, weights, x);
        }
        let to = out.get_mut(x..).unwrap_or_default().as_chunks_mut::<BLOCK>().0;
        to.iter_mut().zip(sums).for_each(|(to, sums)| *to = end(sums));
        x += N * BLOCK;
    }
}

impl Resample for u8 {
    type Weight = i16;
    type Middle = i16;
    #[inline(always)]
    fn rows<'a, S: Simd>(
        s: S,
        rows: impl Fn(usize) -> &'a [u8],
        weights: &[i16],
        bits: u32,
        out: &mut [i16],
    ) {
        let shift = bits.saturating_sub(BITS);
        let start = (1 << shift) >> 1;
        let one = |i: usize| {
            let of = |sum: i32, (k, w): (usize, &i16)| {
                rows(k).get(i).map_or(sum, |p| sum + i32::from(*p) * i32::from(*w))
            };
            (weights.iter().enumerate().fold(start, of) >> shift) as i16
        };
        if S::TWO && out.len() >= 2 * BLOCK {
            return sums(
                &rows,
                weights,
                (
                    s.all(start),
                    #[inline(always)]
                    |sums, held: &Held<'_, u8>, weights: &[i16], x: usize| {
                        held.pairs::<_, 2>(
                            x,
                            weights,
                            sums,
                            #[inline(always)]
                            |sums, a, b, by| s.add_bytes(sums, a, b, by),
                        )
                    },
                    #[inline(always)]
                    |sums| s.to_numbers(sums, shift),
                ),
                one,
                out,
            );
        }
        sums(
            &rows,
            weights,
            (
                s.all(start),
                #[inline(always)]
                |sums, held: &Held<'_, u8>, weights: &[i16], x: usize| {
                    held.pairs::<_, 1>(
                        x,
                        weights,
                        sums,
                        #[inline(always)]
                        |sums, a, b, by| s.add_bytes(sums, a, b, by),
                    )
                },
                #[inline(always)]
                |sums| s.to_numbers(sums, shift),
            ),
            one,
            out,
        );
    }
    #[inline(always)]
    fn strip<'a, S: Simd, const C: usize>(
        s: S,
        rows: impl Fn(usize) -> &'a [u8],
        (weights, bits): (&[i16], u32),
        middle: &mut [i16],
        (width, l): (usize, usize),
        x: Range<usize>,
    ) {
        if C == 1 {
            return Self::rows(s, rows, weights, bits, line(middle, l, x));
        }
        let (two, plain) = pairs(middle, width);
        Self::rows(s, rows, weights, bits, plain.get_mut(..x.len()).unwrap_or_default());
        let two = two.get_mut(x.start / (2 * C)..x.end.div_ceil(2 * C)).unwrap_or_default();
        spread::<S, C>(s, plain, two, l);
    }
    #[inline(always)]
    fn columns<S: Simd, const C: usize>(
        s: S,
        middle: &mut [i16],
        width: usize,
        spans: &[[u32; 2]],
        (weights, room, bits): (&[i16], usize, u32),
        out: [&mut [u8]; LINES],
    ) {
        let mut out = out;
        let shift = bits + BITS;
        let half = 1 << (shift - 1);
        let span = |o: usize| {
            let o = o.min(spans.len().saturating_sub(1));
            let [from, count] = spans.get(o).copied().unwrap_or_default();
            (o * room, from as usize, count as usize)
        };
        // All pixels but those at an end take the same number of weights, of which the last may be 0: a CPU predicts when such a loop ends.
        let most = spans.iter().map(|[_, count]| *count as usize).max().unwrap_or_default();
        if C == 1 {
            let (lines, most) = (Lines::new(middle), most.div_ceil(8));
            let weights = weights.as_chunks::<8>().0;
            for o in (0..spans.len()).step_by(4) {
                let mut sums = [s.lines(half / 4); 4];
                for (i, sums) in sums.iter_mut().enumerate() {
                    let (at, from, count) = span(o + i);
                    let count = if lines.has(from, 8 * most) { most } else { count.div_ceil(8) };
                    let by = weights.get(at / 8..).and_then(|by| by.get(..count)).unwrap_or_default();
                    *sums = lines.products(s, from, by, half / 4);
                }
                let found = s.totals_to_bytes(sums, shift);
                for (out, four) in out.iter_mut().zip(found) {
                    put(out.get_mut(o..).unwrap_or_default(), four);
                }
            }
            return;
        }
        let (two, _) = pairs(middle, width);
        let spans = Spans { spans, weights, room, most: most.div_ceil(2) };
        pixels::<S, C>(s, two, spans, shift, out);
    }
    #[inline(always)]
    fn along<S: Simd>(s: S, middle: &[i16], step: usize, weights: &[i16], bits: u32, out: &mut [u8]) {
        let shift = bits + BITS;
        let start = 1 << (shift - 1);
        let rows = |k: usize| middle.get(k.wrapping_mul(step)..).unwrap_or_default();
        let one = |i: usize| {
            let of = |sum: i32, (k, w): (usize, &i16)| {
                rows(k).get(i).map_or(sum, |p: &i16| sum.wrapping_add(i32::from(*p) * i32::from(*w)))
            };
            (weights.iter().enumerate().fold(start, of) >> shift).clamp(0, 255) as u8
        };
        if S::TWO && out.len() >= 2 * BLOCK {
            return sums(
                rows,
                weights,
                (
                    s.all(start),
                    #[inline(always)]
                    |sums, held: &Held<'_, i16>, weights: &[i16], x: usize| {
                        held.pairs::<_, 2>(
                            x,
                            weights,
                            sums,
                            #[inline(always)]
                            |sums, a, b, by| s.add_numbers(sums, a, b, by),
                        )
                    },
                    #[inline(always)]
                    |sums| s.to_bytes(sums, shift),
                ),
                one,
                out,
            );
        }
        sums(
            rows,
            weights,
            (
                s.all(start),
                #[inline(always)]
                |sums, held: &Held<'_, i16>, weights: &[i16], x: usize| {
                    held.pairs::<_, 1>(
                        x,
                        weights,
                        sums,
                        #[inline(always)]
                        |sums, a, b, by| s.add_numbers(sums, a, b, by),
                    )
                },
                #[inline(always)]
                |sums| s.to_bytes(sums, shift),
            ),
            one,
            out,
        );
    }
    fn flat(value: u8, weights: &[i16], bits: u32) -> i16 {
        let shift = bits.saturating_sub(BITS);
        let sum: i32 = weights.iter().map(|w| i32::from(*w) * i32::from(value)).sum();
        ((sum + ((1 << shift) >> 1)) >> shift) as i16
    }
    fn plus(a: i16, b: i16) -> i16 {
        a.saturating_add(b)
    }
    fn on_device(flat: i16, [along, down]: [u32; 2]) -> (u32, [u32; 2]) {
        (i32::from(flat).cast_unsigned(), [along + BITS, down.saturating_sub(BITS)])
    }
}

/// Writes as many of the bytes as `to` holds.
#[inline(always)]
fn put<const N: usize>(to: &mut [u8], bytes: [u8; N]) {
    match to.first_chunk_mut::<N>() {
        Some(to) => *to = bytes,
        None => to.iter_mut().zip(bytes).for_each(|(to, p)| *to = p),
    }
}

/// `sum + Σ weights[k]·rows(k)[i]`, in order.
#[inline(always)]
fn add_floats(
    [sums]: [[f32; BLOCK]; 1],
    held: &Held<'_, f32>,
    weights: &[f32],
    x: usize,
) -> [[f32; BLOCK]; 1] {
    [held.each(x, weights, sums, |mut sums, line, w| {
        for (sum, p) in sums.iter_mut().zip(line) {
            *sum += p * w;
        }
        sums
    })]
}

impl Resample for f32 {
    type Weight = f32;
    type Middle = f32;
    #[inline(always)]
    fn rows<'a, S: Simd>(_: S, rows: impl Fn(usize) -> &'a [f32], weights: &[f32], _: u32, out: &mut [f32]) {
        let one = |i: usize| {
            let of = |sum: f32, (k, w): (usize, &f32)| rows(k).get(i).map_or(sum, |p| sum + p * w);
            weights.iter().enumerate().fold(0.0, of)
        };
        sums(&rows, weights, ([0.0; BLOCK], add_floats, |sums| sums), one, out);
    }
    #[inline(always)]
    fn strip<'a, S: Simd, const C: usize>(
        s: S,
        rows: impl Fn(usize) -> &'a [f32],
        (weights, bits): (&[f32], u32),
        middle: &mut [f32],
        (_, l): (usize, usize),
        x: Range<usize>,
    ) {
        Self::rows(s, rows, weights, bits, line(middle, l, x));
    }
    #[inline(always)]
    fn columns<S: Simd, const C: usize>(
        _: S,
        middle: &mut [f32],
        _: usize,
        spans: &[[u32; 2]],
        (weights, room, _): (&[f32], usize, u32),
        out: [&mut [f32]; LINES],
    ) {
        let (mut lines, mut out) = (middle.chunks_exact((middle.len() / LINES).max(1)), out);
        let lines = [(); LINES].map(|()| lines.next().unwrap_or_default());
        for (o, ([from, count], weights)) in spans.iter().zip(weights.chunks_exact(room.max(1))).enumerate() {
            let weights = weights.get(..*count as usize).unwrap_or_default();
            // The slices have the same length, so one loop runs over all of them.
            let [a, b, c, d] = lines.map(|line| {
                let pixels = line.as_chunks::<C>().0.get(*from as usize..);
                pixels.and_then(|pixels| pixels.get(..weights.len())).unwrap_or_default()
            });
            let mut sums = [[0.0f32; C]; LINES];
            for ((((a, b), c), d), w) in a.iter().zip(b).zip(c).zip(d).zip(weights) {
                for (sums, p) in sums.iter_mut().zip([a, b, c, d]) {
                    for (sum, p) in sums.iter_mut().zip(p) {
                        *sum += p * w;
                    }
                }
            }
            for (out, pixel) in out.iter_mut().zip(sums) {
                out.as_chunks_mut::<C>().0.get_mut(o).into_iter().for_each(|to| *to = pixel);
            }
        }
    }
    #[inline(always)]
    fn along<S: Simd>(_: S, middle: &[f32], step: usize, weights: &[f32], _: u32, out: &mut [f32]) {
        let rows = |k: usize| middle.get(k.wrapping_mul(step)..).unwrap_or_default();
        let one = |i: usize| {
            let of = |sum: f32, (k, w): (usize, &f32)| rows(k).get(i).map_or(sum, |p| sum + p * w);
            weights.iter().enumerate().fold(0.0, of)
        };
        sums(rows, weights, ([0.0; BLOCK], add_floats, |sums| sums), one, out);
    }
    fn flat(value: f32, weights: &[f32], _: u32) -> f32 {
        weights.iter().fold(0.0, |sum, w| sum + value * w)
    }
    fn plus(a: f32, b: f32) -> f32 {
        a + b
    }
    fn on_device(flat: f32, _: [u32; 2]) -> (u32, [u32; 2]) {
        (flat.to_bits(), [0; 2])
    }
}
