//! Blocks of 256 whose groups have quantised scales of their own: `q2_k` to `q6_k`.

use super::block::{Block, Half, Sealed, part, size};
use super::q8::Q8_K;
use super::search::{Mins, affine, codes_into, error, extreme, inverse, nearest, symmetric, weights_from};
use crate::lanes::Simd;

/// Two bits, groups of 16 with 4-bit scales and mins: `d·scale·q − dmin·min`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q2_K {
    scales: [u8; 16],
    qs: [u8; 64],
    d: Half,
    dmin: Half,
}

/// Three bits, groups of 16 with 6-bit scales: `d·(scale − 32)·(q − 4)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q3_K {
    hmask: [u8; 32],
    qs: [u8; 64],
    scales: [u8; 12],
    d: Half,
}

/// Four bits, groups of 32 with 6-bit scales and mins: `d·scale·q − dmin·min`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q4_K {
    d: Half,
    dmin: Half,
    scales: [u8; 12],
    qs: [u8; 128],
}

/// Five bits, as [`Q4_K`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q5_K {
    d: Half,
    dmin: Half,
    scales: [u8; 12],
    qh: [u8; 32],
    qs: [u8; 128],
}

/// Six bits, groups of 16 with 8-bit scales: `d·scale·(q − 32)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q6_K {
    ql: [u8; 128],
    qh: [u8; 64],
    scales: [i8; 16],
    d: Half,
}

size!(Q2_K = 84, Q3_K = 110, Q4_K = 144, Q5_K = 176, Q6_K = 210);

/// The 6-bit scale and min of a group of 32.
#[inline(always)]
fn scale_min(b: &[u8; 12], group: usize) -> [i32; 2] {
    let at = |i: usize| i32::from(b.get(i).copied().unwrap_or(0));
    let i = group & 3;
    if group < 4 {
        [at(i) & 63, at(i + 4) & 63]
    } else {
        let x = at(i + 8);
        [x & 15 | (at(i) >> 6) << 4, x >> 4 | (at(i + 4) >> 6) << 4]
    }
}

/// The inverse of [`scale_min`] for all groups.
fn pack_scales(scales: &[[i32; 2]; 8]) -> [u8; 12] {
    let (first, last) = scales.split_at(4);
    let mut to = [0; 12];
    let (a, rest) = to.split_at_mut(4);
    let (b, c) = rest.split_at_mut(4);
    for ((((a, b), c), x), y) in a.iter_mut().zip(b).zip(c).zip(first).zip(last) {
        let ([s, m], [t, n]) = (*x, *y);
        *a = (s & 63 | (t >> 4) << 6) as u8;
        *b = (m & 63 | (n >> 4) << 6) as u8;
        *c = (t & 15 | (n & 15) << 4) as u8;
    }
    to
}

/// The low or, for odd chunks, high nibbles of the chunk's 32 bytes.
#[inline(always)]
fn nibbles(qs: &[u8; 128], chunk: usize) -> [i8; 32] {
    let bytes: [u8; 32] = part(qs, chunk / 2 * 32);
    let shift = chunk % 2 * 4;
    let mut to = [0; 32];
    // `map` of an array is not always inlined.
    for (to, x) in to.iter_mut().zip(&bytes) {
        *to = (x >> shift & 15) as i8;
    }
    to
}

/// Codes of eight groups, low nibbles of even ones beside those of the next.
fn pack_nibbles(q: &[i8; 256]) -> [u8; 128] {
    let mut to = [0; 128];
    for (to, pair) in to.chunks_exact_mut(32).zip(q.chunks_exact(64)) {
        let (low, high) = pair.split_at(32);
        for ((to, low), high) in to.iter_mut().zip(low).zip(high) {
            *to = (low & 15) as u8 | ((high & 15) as u8) << 4;
        }
    }
    to
}

/// A block with scales and mins of `G` groups, before it is packed.
struct Groups<const G: usize> {
    d: Half,
    dmin: Half,
    scales: [[i32; 2]; G],
    codes: [i8; 256],
    error: f32,
}

/// Scales and mins of one sign up to `top`, with codes in `0..=n`.
fn groups_of<const G: usize>(x: &[f32], w: Option<&[f32]>, n: i32, top: i32, mins: Mins) -> Groups<G> {
    let sign = if mins == Mins::Below { 1.0 } else { -1.0 };
    let len = const { 256 / G };
    let each = || x.chunks(len).enumerate().map(|(i, x)| (x, weights_from(w, len * i)));
    let mut real = [[0.0f32; 2]; G];
    for (to, (x, w)) in real.iter_mut().zip(each()) {
        *to = affine(x, w, n, mins);
    }
    let [top_d, top_m] = real.iter().fold([0.0f32; 2], |[a, b], [s, m]| [a.max(*s), b.max(m * sign)]);
    let (d, dmin) = (Half::above(top_d / top as f32), Half::above(top_m / top as f32 * sign));
    let (df, mf) = (d.get(), dmin.get());
    let mut all = Groups { d, dmin, scales: [[0; 2]; G], codes: [0; 256], error: 0.0 };
    for (((scale, q), real), (x, w)) in
        all.scales.iter_mut().zip(all.codes.chunks_exact_mut(len)).zip(&real).zip(each())
    {
        let [s, m] = [nearest(real[0] * inverse(df)), nearest(real[1] * inverse(mf))];
        let mut least = f32::INFINITY;
        // Rounding the one moves the best of the other.
        for s in s - 2..=s + 1 {
            for m in m - 1..=m + 1 {
                let (s, m) = (s.clamp(0, top), m.clamp(0, top));
                let e = error(x, w, df * s as f32, mf * m as f32, 0, n);
                if e < least {
                    (least, *scale) = (e, [s, m]);
                }
            }
        }
        let [s, m] = *scale;
        codes_into(x, df * s as f32, mf * m as f32, 0, n, q);
        all.error += least;
    }
    all
}

/// Scales and mins for codes in `0..=n`: mins of the sign that leaves the smaller error.
fn groups<const G: usize>(x: &[f32], w: Option<&[f32]>, n: i32, top: i32) -> Groups<G> {
    let below = groups_of(x, w, n, top, Mins::Below);
    if x.iter().all(|x| *x > 0.0) {
        let above = groups_of(x, w, n, top, Mins::Above);
        if above.error < below.error {
            return above;
        }
    }
    below
}

/// The factor, the scales in `-top..top` of groups of 16, and codes in `-n..n`.
fn signed(x: &[f32], w: Option<&[f32]>, n: i32, top: i32) -> (Half, [i32; 16], [i8; 256]) {
    let each = || x.chunks(16).enumerate().map(|(i, x)| (x, weights_from(w, 16 * i)));
    let mut real = [0.0f32; 16];
    for (to, (x, w)) in real.iter_mut().zip(each()) {
        *to = symmetric(x, w, n);
    }
    let factor = Half::above(extreme(&real) / -top as f32);
    let d = factor.get();
    let (mut scales, mut all) = ([0; 16], [0; 256]);
    for (((scale, real), (x, w)), q) in scales.iter_mut().zip(&real).zip(each()).zip(all.chunks_exact_mut(16))
    {
        let s = nearest(real * inverse(d));
        let mut least = f32::INFINITY;
        for s in s - 2..=s + 2 {
            let s = s.clamp(-top, top - 1);
            let e = error(x, w, d * s as f32, 0.0, -n, n - 1);
            if e < least {
                (least, *scale) = (e, s);
            }
        }
        codes_into(x, d * *scale as f32, 0.0, -n, n - 1, q);
    }
    (factor, scales, all)
}

/// The pairs of bits of the chunk's 32 elements.
#[inline(always)]
fn pairs(qs: &[u8; 64], chunk: usize) -> [i8; 32] {
    let bytes: [u8; 32] = part(qs, chunk / 4 * 32);
    let shift = chunk % 4 * 2;
    let mut to = [0; 32];
    for (to, x) in to.iter_mut().zip(&bytes) {
        *to = (x >> shift & 3) as i8;
    }
    to
}

/// The inverse of [`pairs`], of the low two bits.
fn pack_pairs(q: &[i8; 256]) -> [u8; 64] {
    let mut to = [0; 64];
    for (chunk, q) in q.chunks_exact(32).enumerate() {
        for (to, q) in to.iter_mut().skip(chunk / 4 * 32).zip(q) {
            *to |= ((q & 3) as u8) << (chunk % 4 * 2);
        }
    }
    to
}

impl Block for Q2_K {
    const NAME: &'static str = "q2_k";
    const TYPE: u32 = 10;
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q2_K {
    const RANGE: u8 = 2;
    const MINS: bool = true;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { scales: [0; 16], qs: [0; 64], d: Half::ZERO, dmin: Half::ZERO };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), self.dmin.get()]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        pairs(&self.qs, chunk)
    }
    #[inline(always)]
    fn scales(&self, chunk: usize) -> [i32; 2] {
        part::<_, 2>(&self.scales, 2 * chunk).map(
            #[inline(always)]
            |x| i32::from(x & 15),
        )
    }
    #[inline(always)]
    fn mins(&self, chunk: usize) -> [i32; 2] {
        part::<_, 2>(&self.scales, 2 * chunk).map(
            #[inline(always)]
            |x| i32::from(x >> 4),
        )
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let g = groups::<16>(x, w, 3, 15);
        let scales = g.scales.map(|[s, m]| (s | m << 4) as u8);
        Self { scales, qs: pack_pairs(&g.codes), d: g.d, dmin: g.dmin }
    }
}

impl Block for Q3_K {
    const NAME: &'static str = "q3_k";
    const TYPE: u32 = 11;
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q3_K {
    const RANGE: u8 = 1;
    const MINS: bool = false;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { hmask: [0xff; 32], qs: [0; 64], scales: [0; 12], d: Half::ZERO };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        let mut q = pairs(&self.qs, chunk);
        for (q, high) in q.iter_mut().zip(&self.hmask) {
            *q = (*q | ((high >> (chunk & 7) & 1) << 2) as i8) - 4;
        }
        q
    }
    #[inline(always)]
    fn scales(&self, chunk: usize) -> [i32; 2] {
        let at = |i: usize| i32::from(self.scales.get(i).copied().unwrap_or(0));
        [2 * chunk, 2 * chunk + 1].map(
            #[inline(always)]
            |i| (at(i & 7) >> (i / 8 * 4) & 15 | (at(8 + i % 4) >> (i / 4 * 2) & 3) << 4) - 32,
        )
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, scales, q) = signed(x, w, 4, 32);
        let q = q.map(|q| q + 4);
        let mut to = Self { hmask: [0; 32], qs: pack_pairs(&q), scales: [0; 12], d };
        for (chunk, q) in q.chunks_exact(32).enumerate() {
            for (high, q) in to.hmask.iter_mut().zip(q) {
                *high |= (*q as u8 >> 2) << chunk;
            }
        }
        let (low, high) = to.scales.split_at_mut(8);
        for (i, s) in scales.iter().map(|s| (s + 32) as u8).enumerate() {
            for low in low.iter_mut().skip(i & 7).take(1) {
                *low |= (s & 15) << (i / 8 * 4);
            }
            for high in high.iter_mut().skip(i & 3).take(1) {
                *high |= (s >> 4) << (i / 4 * 2);
            }
        }
        to
    }
}

impl Block for Q4_K {
    const NAME: &'static str = "q4_k";
    const TYPE: u32 = 12;
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q4_K {
    const RANGE: u8 = 2;
    const MINS: bool = true;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, dmin: Half::ZERO, scales: [0; 12], qs: [0; 128] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), self.dmin.get()]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        nibbles(&self.qs, chunk)
    }
    #[inline(always)]
    fn scales(&self, chunk: usize) -> [i32; 2] {
        [scale_min(&self.scales, chunk)[0]; 2]
    }
    #[inline(always)]
    fn mins(&self, chunk: usize) -> [i32; 2] {
        [scale_min(&self.scales, chunk)[1]; 2]
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let g = groups(x, w, 15, 63);
        Self { d: g.d, dmin: g.dmin, scales: pack_scales(&g.scales), qs: pack_nibbles(&g.codes) }
    }
}

impl Block for Q5_K {
    const NAME: &'static str = "q5_k";
    const TYPE: u32 = 13;
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q5_K {
    const RANGE: u8 = 2;
    const MINS: bool = true;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, dmin: Half::ZERO, scales: [0; 12], qh: [0; 32], qs: [0; 128] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), self.dmin.get()]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        let mut q = nibbles(&self.qs, chunk);
        for (q, high) in q.iter_mut().zip(&self.qh) {
            *q |= ((high >> (chunk & 7) & 1) << 4) as i8;
        }
        q
    }
    #[inline(always)]
    fn scales(&self, chunk: usize) -> [i32; 2] {
        [scale_min(&self.scales, chunk)[0]; 2]
    }
    #[inline(always)]
    fn mins(&self, chunk: usize) -> [i32; 2] {
        [scale_min(&self.scales, chunk)[1]; 2]
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let g = groups(x, w, 31, 63);
        let mut qh = [0; 32];
        for (group, q) in g.codes.chunks_exact(32).enumerate() {
            for (high, q) in qh.iter_mut().zip(q) {
                *high |= ((*q as u8) >> 4 & 1) << group;
            }
        }
        Self { d: g.d, dmin: g.dmin, scales: pack_scales(&g.scales), qh, qs: pack_nibbles(&g.codes) }
    }
}

impl Block for Q6_K {
    const NAME: &'static str = "q6_k";
    const TYPE: u32 = 14;
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q6_K {
    const RANGE: u8 = 1;
    const MINS: bool = false;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { ql: [0; 128], qh: [0xaa; 64], scales: [0; 16], d: Half::ZERO };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        // Four chunks in each half of the block.
        let (half, at) = (chunk / 4, chunk % 4);
        let low: [u8; 32] = part(&self.ql, 64 * half + at % 2 * 32);
        let high: [u8; 32] = part(&self.qh, 32 * half);
        let (shift, pair) = (at / 2 * 4, at * 2);
        let mut q = [0; 32];
        for ((q, low), high) in q.iter_mut().zip(&low).zip(&high) {
            *q = (low >> shift & 15 | (high >> pair & 3) << 4) as i8 - 32;
        }
        q
    }
    #[inline(always)]
    fn scales(&self, chunk: usize) -> [i32; 2] {
        part::<_, 2>(&self.scales, 2 * chunk).map(i32::from)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, scales, all) = signed(x, w, 32, 128);
        let mut to = Self { d, scales: scales.map(|s| s as i8), ..Self::ZERO };
        to.qh = [0; 64];
        for (chunk, q) in all.chunks_exact(32).enumerate() {
            let (half, at) = (chunk / 4, chunk % 4);
            let low = to.ql.iter_mut().skip(64 * half + at % 2 * 32);
            let high = to.qh.iter_mut().skip(32 * half);
            for ((low, high), q) in low.zip(high).zip(q) {
                let q = (q + 32) as u8;
                *low |= (q & 15) << (at / 2 * 4);
                *high |= (q >> 4) << (2 * at);
            }
        }
        to
    }
}
