//! The formats `q4_0`, `q4_1`, `q5_0`, `q5_1`: blocks of 32 elements with one scale.

use super::block::{Block, Half, Sealed, pack_nibbles, size};
use super::layout::{Field, Words};
use super::q8::{Q8_0, Q8_1};
use super::search::{Mins, affine, codes, errors, symmetric};
use crate::lanes::Simd;
use core::mem::offset_of;

/// Four bits, `d·(q − 8)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q4_0 {
    d: Half,
    qs: [u8; 16],
}

/// Four bits, `d·q + m`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q4_1 {
    d: Half,
    m: Half,
    qs: [u8; 16],
}

/// Five bits, `d·(q − 16)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q5_0 {
    d: Half,
    qh: [u8; 4],
    qs: [u8; 16],
}

/// Five bits, `d·q + m`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q5_1 {
    d: Half,
    m: Half,
    qh: [u8; 4],
    qs: [u8; 16],
}

size!(Q4_0 = 18, Q4_1 = 20, Q5_0 = 22, Q5_1 = 24);

/// The fifth bits of codes.
fn fifth(q: &[i8; 32]) -> [u8; 4] {
    q.iter().enumerate().fold(0u32, |bits, (i, q)| bits | u32::from(*q as u8 >> 4 & 1) << i).to_le_bytes()
}

/// The scale with the least error, the first of such.
fn best<const N: usize>(scales: [Half; N], errors: impl Fn([f32; N]) -> [f32; N]) -> Half {
    let found = errors(scales.map(Half::get));
    let all = scales.into_iter().zip(found);
    all.min_by(|(_, p), (_, q)| p.total_cmp(q)).map_or(Half::ZERO, |(scale, _)| scale)
}

/// The best scale for codes in `-n..n` that is a half, and the codes plus `n`.
fn signed(x: &[f32], w: Option<&[f32]>, n: i32) -> (Half, [i8; 32]) {
    let d = best(Half::around(symmetric(x, w, n)), |d| errors(x, w, d, [0.0; 3], [-n, n - 1]));
    (d, codes(x, d.get(), 0.0, -n, n - 1).map(|q: i8| q + n as i8))
}

/// The best scale and offset that are halves, and the codes in `0..=n`.
fn offset(x: &[f32], w: Option<&[f32]>, n: i32) -> (Half, Half, [i8; 32]) {
    let [scale, min] = affine(x, w, n, Mins::Any);
    let m = Half::of(-min);
    // The offset's rounding moved the best scale.
    let steps = [0.99, 0.995, 1.0, 1.005, 1.01];
    let near = steps.map(|by| best(Half::around(scale * by), |d| errors(x, w, d, [-m.get(); 3], [0, n])));
    let d = best(near, |d| errors(x, w, d, [-m.get(); 5], [0, n]));
    (d, m, codes(x, d.get(), -m.get(), 0, n))
}

impl Block for Q4_0 {
    const NAME: &'static str = "q4_0";
    const TYPE: Option<u32> = Some(2);
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for Q4_0 {
    const OFFSET: i32 = 8;
    const ZERO: Self = Self { d: Half::ZERO, qs: [0x88; 16] };
    const WORDS: Words = Words::new(offset_of!(Self, d), &[Field::Nibbles(offset_of!(Self, qs))]);
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.nibbles(self.qs)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, q) = signed(x, w, 8);
        Self { d, qs: pack_nibbles(&q) }
    }
}

impl Block for Q4_1 {
    const NAME: &'static str = "q4_1";
    const TYPE: Option<u32> = Some(3);
    const ELEMENTS: usize = 32;
    type Partner = Q8_1;
}

impl Sealed for Q4_1 {
    const MINS: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, m: Half::ZERO, qs: [0; 16] };
    const WORDS: Words = Words::new(offset_of!(Self, d), &[Field::Nibbles(offset_of!(Self, qs))])
        .mins(offset_of!(Self, m), true);
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let [m, n, o, p] = s.halves([a.m.bits(), b.m.bits(), c.m.bits(), d.m.bits()]);
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [-m, -n, -o, -p]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.nibbles(self.qs)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, m, q) = offset(x, w, 15);
        Self { d, m, qs: pack_nibbles(&q) }
    }
}

impl Block for Q5_0 {
    const NAME: &'static str = "q5_0";
    const TYPE: Option<u32> = Some(6);
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for Q5_0 {
    const OFFSET: i32 = 16;
    const ZERO: Self = Self { d: Half::ZERO, qh: [0xff; 4], qs: [0; 16] };
    const WORDS: Words = Words::new(
        offset_of!(Self, d),
        &[Field::Nibbles(offset_of!(Self, qs)), Field::Flags(offset_of!(Self, qh))],
    );
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.or(s.nibbles(self.qs), s.flags(self.qh))
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, q) = signed(x, w, 16);
        Self { d, qh: fifth(&q), qs: pack_nibbles(&q) }
    }
}

impl Block for Q5_1 {
    const NAME: &'static str = "q5_1";
    const TYPE: Option<u32> = Some(7);
    const ELEMENTS: usize = 32;
    type Partner = Q8_1;
}

impl Sealed for Q5_1 {
    const MINS: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, m: Half::ZERO, qh: [0; 4], qs: [0; 16] };
    const WORDS: Words = Words::new(
        offset_of!(Self, d),
        &[Field::Nibbles(offset_of!(Self, qs)), Field::Flags(offset_of!(Self, qh))],
    )
    .mins(offset_of!(Self, m), true);
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let [m, n, o, p] = s.halves([a.m.bits(), b.m.bits(), c.m.bits(), d.m.bits()]);
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [-m, -n, -o, -p]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.or(s.nibbles(self.qs), s.flags(self.qh))
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, m, q) = offset(x, w, 31);
        Self { d, m, qh: fifth(&q), qs: pack_nibbles(&q) }
    }
}
