//! The two passes of a resize: rows first, which leaves one row of numbers between them, then columns.

use super::plan::Weight;
use crate::image::Pixel;
use crate::plain::Plain;

/// Elements of a row that are summed together.
pub(crate) const BLOCK: usize = 32;

/// Elements past a row between the passes that are read, with weights of 0.
pub(crate) const PAST: usize = 8;

/// The bits behind the point of what stands between the passes on bytes.
const BITS: u32 = 6;

/// The element types that [`resize`](crate::resize()) takes: `u8`, whose weights are `i16`, and `f32`, whose weights are `f32`.
pub trait Resample: Pixel {
    /// The type of a plan's weights.
    type Weight: Weight;
    /// What stands between the passes, and what the workspace is made of.
    type Middle: Plain + Default;
    /// `out[i] = Σ weights[k]·rows(k)[i]`.
    #[doc(hidden)]
    fn rows<'a>(
        rows: impl Fn(usize) -> &'a [Self],
        weights: &[Self::Weight],
        bits: u32,
        out: &mut [Self::Middle],
    );
    /// `out[o][c] = Σ weights[o·room + k]·middle[spans[o][0] + k][c]`, for as many `k` as `spans[o][1]`, of `C` channels.
    #[doc(hidden)]
    fn columns<const C: usize>(
        middle: &[Self::Middle],
        other: &mut [Self::Middle],
        spans: &[[u32; 2]],
        weights: (&[Self::Weight], usize, u32),
        out: &mut [Self],
    );
    /// `out[i] = Σ weights[k]·middle[i + k·step]`.
    #[doc(hidden)]
    fn along(middle: &[Self::Middle], step: usize, weights: &[Self::Weight], bits: u32, out: &mut [Self]);
    /// What rows of `value` add to those of [`Resample::rows`].
    #[doc(hidden)]
    fn flat(value: Self, weights: &[Self::Weight], bits: u32) -> Self::Middle;
    /// The sum of both.
    #[doc(hidden)]
    fn plus(a: Self::Middle, b: Self::Middle) -> Self::Middle;
}

/// `out[i] = end(start + Σ weights[k]·rows(k)[i])`.
#[inline(always)]
fn sums<'a, P: Plain, W: Copy, A: Copy, M>(
    rows: impl Fn(usize) -> &'a [P],
    weights: &[W],
    start: A,
    plus: impl Fn(A, P, W) -> A,
    end: impl Fn(A) -> M,
    out: &mut [M],
) {
    let mut x = 0;
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    for out in blocks {
        let mut sums = [start; BLOCK];
        for (k, w) in weights.iter().enumerate() {
            let Some(row) = rows(k).get(x..).and_then(<[P]>::first_chunk::<BLOCK>) else { return };
            for (sum, p) in sums.iter_mut().zip(row) {
                *sum = plus(*sum, *p, *w);
            }
        }
        for (to, sum) in out.iter_mut().zip(sums) {
            *to = end(sum);
        }
        x += BLOCK;
    }
    for (i, to) in rest.iter_mut().enumerate() {
        let of = |sum, (k, w): (usize, &W)| rows(k).get(x + i).map_or(sum, |p| plus(sum, *p, *w));
        *to = end(weights.iter().enumerate().fold(start, of));
    }
}

impl Resample for u8 {
    type Weight = i16;
    type Middle = i16;
    #[inline(always)]
    fn rows<'a>(rows: impl Fn(usize) -> &'a [u8], weights: &[i16], bits: u32, out: &mut [i16]) {
        let shift = bits.saturating_sub(BITS);
        let start = (1 << shift) >> 1;
        sums(
            rows,
            weights,
            start,
            |sum: i32, p, w| sum + i32::from(p) * i32::from(w),
            |sum| (sum >> shift) as i16,
            out,
        );
    }
    #[inline(always)]
    fn columns<const C: usize>(
        middle: &[i16],
        other: &mut [i16],
        spans: &[[u32; 2]],
        (weights, room, bits): (&[i16], usize, u32),
        out: &mut [u8],
    ) {
        let shift = bits + BITS;
        let byte = |sum: i32| ((sum + (1 << (shift - 1))) >> shift).clamp(0, 255) as u8;
        let out = out.as_chunks_mut::<C>().0;
        let each = out.iter_mut().zip(spans).zip(weights.chunks_exact(room.max(1)));
        if C == 4 {
            // Two pixels at a time.
            for ((out, [from, count]), weights) in each {
                let mut pixels = middle.get(*from as usize * C..).unwrap_or_default();
                let mut sums = [0i32; 8];
                for w in weights.as_chunks::<2>().0.iter().take(count.div_ceil(2) as usize) {
                    let Some(two) = pixels.first_chunk::<8>() else { break };
                    let [v, w] = *w;
                    for ((sum, p), w) in sums.iter_mut().zip(two).zip([v, v, v, v, w, w, w, w]) {
                        *sum += i32::from(*p) * i32::from(w);
                    }
                    pixels = pixels.get(8..).unwrap_or_default();
                }
                let [a, b, c, d, e, f, g, h] = sums;
                for (to, sum) in out.iter_mut().zip([a + e, b + f, c + g, d + h]) {
                    *to = byte(sum);
                }
            }
            return;
        }
        if C == 1 {
            for ((out, span), weights) in each {
                out.fill(byte(dot(middle, span, weights)));
            }
            return;
        }
        let step = other.len() / C;
        planes::<C>(middle, other, step);
        for (c, plane) in other.chunks_exact(step.max(1)).take(C).enumerate() {
            for ((out, span), weights) in out.iter_mut().zip(spans).zip(weights.chunks_exact(room.max(1))) {
                if let Some(to) = out.get_mut(c) {
                    *to = byte(dot(plane, span, weights));
                }
            }
        }
    }
    #[inline(always)]
    fn along(middle: &[i16], step: usize, weights: &[i16], bits: u32, out: &mut [u8]) {
        let shift = bits + BITS;
        let rows = |k: usize| middle.get(k.wrapping_mul(step)..).unwrap_or_default();
        let plus = |sum: i32, x: i16, w: i16| sum.wrapping_add(i32::from(x) * i32::from(w));
        sums(rows, weights, 1 << (shift - 1), plus, |sum| (sum >> shift).clamp(0, 255) as u8, out);
    }
    fn flat(value: u8, weights: &[i16], bits: u32) -> i16 {
        let shift = bits.saturating_sub(BITS);
        let sum: i32 = weights.iter().map(|w| i32::from(*w) * i32::from(value)).sum();
        ((sum + ((1 << shift) >> 1)) >> shift) as i16
    }
    fn plus(a: i16, b: i16) -> i16 {
        a.saturating_add(b)
    }
}

/// `Σ weights[k]·x[from + k]`, in groups of eight.
#[inline(always)]
fn dot(x: &[i16], [from, count]: &[u32; 2], weights: &[i16]) -> i32 {
    let x = x.get(*from as usize..).unwrap_or_default().as_chunks::<8>().0;
    let weights = weights.as_chunks::<8>().0.iter().take(count.div_ceil(8) as usize);
    let mut sums = [0i32; 8];
    for (x, w) in x.iter().zip(weights) {
        for ((sum, x), w) in sums.iter_mut().zip(x).zip(w) {
            *sum += i32::from(*x) * i32::from(*w);
        }
    }
    sums.iter().sum()
}

/// Channel after channel, each of `step` elements.
#[inline(always)]
fn planes<const C: usize>(pixels: &[i16], planes: &mut [i16], step: usize) {
    let pixels = pixels.as_chunks::<C>().0;
    let (a, rest) = planes.split_at_mut(step.min(planes.len()));
    let (b, c) = rest.split_at_mut(step.min(rest.len()));
    if C == 2 {
        for ((p, a), b) in pixels.iter().zip(a).zip(b) {
            if let [x, y] = p.as_slice() {
                (*a, *b) = (*x, *y);
            }
        }
    } else {
        for (((p, a), b), c) in pixels.iter().zip(a).zip(b).zip(c) {
            if let [x, y, z] = p.as_slice() {
                (*a, *b, *c) = (*x, *y, *z);
            }
        }
    }
}

impl Resample for f32 {
    type Weight = f32;
    type Middle = f32;
    #[inline(always)]
    fn rows<'a>(rows: impl Fn(usize) -> &'a [f32], weights: &[f32], _: u32, out: &mut [f32]) {
        sums(rows, weights, 0.0, |sum: f32, p: f32, w: f32| sum + p * w, |sum| sum, out);
    }
    #[inline(always)]
    fn columns<const C: usize>(
        middle: &[f32],
        _: &mut [f32],
        spans: &[[u32; 2]],
        (weights, room, _): (&[f32], usize, u32),
        out: &mut [f32],
    ) {
        let each = out.as_chunks_mut::<C>().0.iter_mut().zip(spans).zip(weights.chunks_exact(room.max(1)));
        for ((out, [from, count]), weights) in each {
            let pixels = middle.as_chunks::<C>().0.get(*from as usize..).unwrap_or_default();
            let mut sums = [0.0f32; C];
            for (p, w) in pixels.iter().zip(weights).take(*count as usize) {
                for (sum, p) in sums.iter_mut().zip(p) {
                    *sum += p * w;
                }
            }
            *out = sums;
        }
    }
    #[inline(always)]
    fn along(middle: &[f32], step: usize, weights: &[f32], _: u32, out: &mut [f32]) {
        let rows = |k: usize| middle.get(k.wrapping_mul(step)..).unwrap_or_default();
        sums(rows, weights, 0.0, |sum: f32, x: f32, w: f32| sum + x * w, |sum| sum, out);
    }
    fn flat(value: f32, weights: &[f32], _: u32) -> f32 {
        weights.iter().fold(0.0, |sum, w| sum + value * w)
    }
    fn plus(a: f32, b: f32) -> f32 {
        a + b
    }
}
