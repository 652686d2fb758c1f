//! The K-quants `q2_k` to `q6_k`: blocks of 256 elements, whose groups have quantised scales of their own.

use super::block::{Block, Half, Sealed, part, size};
use super::layout::{Field, Scales, Words, pieces};
use super::q8::Q8_K;
use super::search::{Mins, affine, codes_into, errors, extreme, inverse, nearest, symmetric, weights_from};
use crate::lanes::Simd;
use core::array::from_fn;
use core::mem::offset_of;

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
    scales: [u8; 16],
    d: Half,
}

size!(Q2_K = 84, Q3_K = 110, Q4_K = 144, Q5_K = 176, Q6_K = 210);

/// The 6-bit scales of eight groups, and their mins: four bytes at a time.
#[inline(always)]
fn scales_mins(b: &[u8; 12]) -> [[u8; 8]; 2] {
    let at = |i| u32::from_le_bytes(part(b, i));
    let (a, b, c) = (at(0), at(4), at(8));
    let (six, four, two) = (0x3f3f_3f3f, 0x0f0f_0f0f, 0x0303_0303);
    let both = |low: u32, high: u32| (u64::from(low) | u64::from(high) << 32).to_le_bytes();
    [both(a & six, c & four | (a >> 6 & two) << 4), both(b & six, c >> 4 & four | (b >> 6 & two) << 4)]
}

/// Both, as factors of groups.
#[inline(always)]
fn twice<S: Simd>(s: S, b: &[u8; 12]) -> [S::Codes; 2] {
    let [scales, mins] = scales_mins(b);
    [s.scales_twice(scales), s.scales_twice(mins)]
}

/// The inverse of [`scales_mins`].
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
fn nibbles<S: Simd>(s: S, qs: &[u8; 128], chunk: usize) -> S::Codes {
    s.field(s.bytes(part(qs, chunk / 2 * 32)), chunk as i32 % 2 * 4, 15)
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
        let near: [[i32; 2]; 12] = from_fn(|k| {
            let k = k as i32;
            [s - 2 + k / 3, m - 1 + k % 3].map(|x| x.clamp(0, top))
        });
        let [scales, mins] = [near.map(|[s, _]| df * s as f32), near.map(|[_, m]| mf * m as f32)];
        for (near, e) in near.into_iter().zip(errors(x, w, scales, mins, [0, n])) {
            if e < least {
                (least, *scale) = (e, near);
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
        // The last of the five is there several times: so many fill vectors.
        let near: [i32; 8] = from_fn(|k| (s - 2 + k.min(4) as i32).clamp(-top, top - 1));
        let found = errors(x, w, near.map(|s| d * s as f32), [0.0; 8], [-n, n - 1]);
        for (s, e) in near.into_iter().zip(found) {
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
fn pairs<S: Simd>(s: S, qs: &[u8; 64], chunk: usize) -> S::Codes {
    s.field(s.bytes(part(qs, chunk / 4 * 32)), chunk as i32 % 4 * 2, 3)
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
    const TYPE: Option<u32> = Some(10);
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q2_K {
    const GROUPS: bool = true;
    const MINS: bool = true;
    const ZERO: Self = Self { scales: [0; 16], qs: [0; 64], d: Half::ZERO, dmin: Half::ZERO };
    const WORDS: Words = Words::new(offset_of!(Self, d), &[pieces(offset_of!(Self, qs), 2, 0)])
        .mins(offset_of!(Self, dmin), false)
        .scales(Scales::Nibbles(offset_of!(Self, scales)));
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let mins = [a.dmin.bits(), b.dmin.bits(), c.dmin.bits(), d.dmin.bits()];
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), s.halves(mins)]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        pairs(s, &self.qs, chunk)
    }
    #[inline(always)]
    fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
        let x = u128::from_le_bytes(self.scales);
        let low = u128::from_le_bytes([15; 16]);
        [s.scales((x & low).to_le_bytes()), s.scales((x >> 4 & low).to_le_bytes())]
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let g = groups::<16>(x, w, 3, 15);
        let scales = g.scales.map(|[s, m]| (s | m << 4) as u8);
        Self { scales, qs: pack_pairs(&g.codes), d: g.d, dmin: g.dmin }
    }
}

impl Block for Q3_K {
    const NAME: &'static str = "q3_k";
    const TYPE: Option<u32> = Some(11);
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q3_K {
    const OFFSET: i32 = 4;
    const GROUPS: bool = true;
    const ZERO: Self = Self { hmask: [0xff; 32], qs: [0; 64], scales: [0; 12], d: Half::ZERO };
    const WORDS: Words = Words::new(
        offset_of!(Self, d),
        &[pieces(offset_of!(Self, qs), 2, 0), pieces(offset_of!(Self, hmask), 1, 2)],
    )
    .scales(Scales::Six(offset_of!(Self, scales)));
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        s.or(pairs(s, &self.qs, chunk), s.field(s.bytes(self.hmask), chunk as i32 - 2, 4))
    }
    #[inline(always)]
    fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
        let low = u64::from_le_bytes(part(&self.scales, 0));
        let high = u64::from(u32::from_le_bytes(part(&self.scales, 8)));
        // The high bits of scales 0 to 7; those of the others are four bits on.
        let high = high | high >> 2 << 32;
        let [four, two, top, half] = [0x0f, 0x03, 0x80, 0x20].map(|x| u64::from_le_bytes([x; 8]));
        let mut to = [0; 16];
        for (to, shift) in to.chunks_exact_mut(8).zip([0, 4]) {
            let all = low >> shift & four | (high >> shift & two) << 4;
            // Each byte is below 64, so it borrows from no other.
            to.copy_from_slice(&((all | top).wrapping_sub(half) ^ top).to_le_bytes());
        }
        [s.scales(to); 2]
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
    const TYPE: Option<u32> = Some(12);
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q4_K {
    const GROUPS: bool = true;
    const GROUP: usize = 32;
    const MINS: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, dmin: Half::ZERO, scales: [0; 12], qs: [0; 128] };
    const WORDS: Words = Words::new(offset_of!(Self, d), &[pieces(offset_of!(Self, qs), 4, 0)])
        .mins(offset_of!(Self, dmin), false)
        .scales(Scales::Packed(offset_of!(Self, scales)));
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let mins = [a.dmin.bits(), b.dmin.bits(), c.dmin.bits(), d.dmin.bits()];
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), s.halves(mins)]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        nibbles(s, &self.qs, chunk)
    }
    #[inline(always)]
    fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
        twice(s, &self.scales)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let g = groups(x, w, 15, 63);
        Self { d: g.d, dmin: g.dmin, scales: pack_scales(&g.scales), qs: pack_nibbles(&g.codes) }
    }
}

impl Block for Q5_K {
    const NAME: &'static str = "q5_k";
    const TYPE: Option<u32> = Some(13);
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q5_K {
    const GROUPS: bool = true;
    const GROUP: usize = 32;
    const MINS: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, dmin: Half::ZERO, scales: [0; 12], qh: [0; 32], qs: [0; 128] };
    const WORDS: Words = Words::new(
        offset_of!(Self, d),
        &[pieces(offset_of!(Self, qs), 4, 0), pieces(offset_of!(Self, qh), 1, 4)],
    )
    .mins(offset_of!(Self, dmin), false)
    .scales(Scales::Packed(offset_of!(Self, scales)));
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let mins = [a.dmin.bits(), b.dmin.bits(), c.dmin.bits(), d.dmin.bits()];
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), s.halves(mins)]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        s.or(nibbles(s, &self.qs, chunk), s.field(s.bytes(self.qh), chunk as i32 - 4, 16))
    }
    #[inline(always)]
    fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
        twice(s, &self.scales)
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
    const TYPE: Option<u32> = Some(14);
    const ELEMENTS: usize = 256;
    type Partner = Q8_K;
}

impl Sealed for Q6_K {
    const OFFSET: i32 = 32;
    const GROUPS: bool = true;
    const ZERO: Self = Self { ql: [0; 128], qh: [0xaa; 64], scales: [0; 16], d: Half::ZERO };
    const WORDS: Words = Words::new(
        offset_of!(Self, d),
        &[
            Field::Pieces { at: offset_of!(Self, ql), bits: 4, span: 4, lines: 2, up: 0 },
            pieces(offset_of!(Self, qh), 2, 4),
        ],
    )
    .scales(Scales::Bytes(offset_of!(Self, scales)));
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        // Four chunks in each half of the block.
        let (half, at) = (chunk / 4, chunk % 4);
        let low = s.bytes(part(&self.ql, 64 * half + at % 2 * 32));
        let high = s.bytes(part(&self.qh, 32 * half));
        s.or(s.field(low, at as i32 / 2 * 4, 15), s.field(high, at as i32 * 2 - 4, 0x30))
    }
    #[inline(always)]
    fn scales<S: Simd>(&self, s: S) -> [S::Codes; 2] {
        [s.scales(self.scales); 2]
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, scales, all) = signed(x, w, 32, 128);
        let mut to = Self { d, scales: scales.map(|s| s as u8), ..Self::ZERO };
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
