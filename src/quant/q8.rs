//! The 8-bit formats `q8_0`, `q8_1` and `q8_k`, which activations are quantised to.

use super::block::{Activation, Active, Block, Half, Sealed, part, size};
use super::layout::{Factor, Words, bytes as bytes_at};
use super::search::inverse;
use crate::lanes::Simd;
use core::mem::offset_of;

/// A byte each, `d·q`, blocks of 32.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_0 {
    d: Half,
    qs: [u8; 32],
}

/// As [`Q8_0`], with the sum of its elements in half precision, which other readers of the layout take. Products here take
/// the sum of the codes instead: it is exact, and the half is off by up to 2⁻¹¹ of it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_1 {
    d: Half,
    s: Half,
    qs: [u8; 32],
}

/// A byte each, `d·q` with `d` in single precision, blocks of 256, with the sums of the codes of each 16, which products
/// with mins and offsets read instead of the codes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_K {
    d: [u8; 4],
    qs: [u8; 256],
    bsums: [[u8; 2]; 16],
}

size!(Q8_0 = 34, Q8_1 = 36, Q8_K = 292);

/// The largest scale of which 127 times is finite: that of the largest number was rounded up.
pub(crate) const MOST_SCALE: f32 = f32::from_bits((f32::MAX / 127.0).to_bits() - 1);

/// What numbers of few digits are added to for the nearest whole one.
const WHOLE: f32 = 1.5 * (1 << 23) as f32;

/// The scale that maps the largest magnitude to 127, and the codes, ties away from zero.
#[inline(always)]
pub(crate) fn bytes<const N: usize>(x: &[f32]) -> (f32, [u8; N]) {
    // Magnitudes have the order of their bits: of integers a register has the largest at once.
    let most = x.iter().fold(0, |m: u32, x| m.max(x.to_bits() & 0x7fff_ffff));
    let d = (f32::from_bits(most) / 127.0).min(MOST_SCALE);
    let by = inverse(d);
    let mut q = [0; N];
    for (q, x) in q.iter_mut().zip(x) {
        let y = x * by;
        // The nearest whole number is in the lowest bits of a sum that has no others; of two the even one.
        let sum = y + WHOLE;
        let rest = y - (sum - WHOLE);
        let even = sum.to_bits().wrapping_sub(WHOLE.to_bits()) as i32;
        let away = i32::from(rest == 0.5 && y > 0.0) - i32::from(rest == -0.5 && y < 0.0);
        *q = (even + away).clamp(-127, 127) as u8;
    }
    (d, q)
}

/// The sum of codes.
#[inline(always)]
fn sum(q: &[u8]) -> i16 {
    q.iter().map(|q| i16::from(*q as i8)).sum()
}

impl Block for Q8_0 {
    const NAME: &'static str = "q8_0";
    const TYPE: Option<u32> = Some(8);
    const ELEMENTS: usize = 32;
    type Partner = Self;
}

impl Sealed for Q8_0 {
    const SIGNED: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, qs: [0; 32] };
    const WORDS: Words = Words::new(offset_of!(Self, d), &[bytes_at(offset_of!(Self, qs))]);
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.bytes(self.qs)
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        Self { d: Half::of(d), qs }
    }
}

impl Active for Q8_0 {}
impl Activation for Q8_0 {}

impl Block for Q8_1 {
    const NAME: &'static str = "q8_1";
    const TYPE: Option<u32> = Some(9);
    const ELEMENTS: usize = 32;
    type Partner = Self;
}

impl Sealed for Q8_1 {
    const SIGNED: bool = true;
    // Its sum is a half, too.
    const LIMIT: f32 = 2047.0;
    const ZERO: Self = Self { d: Half::ZERO, s: Half::ZERO, qs: [0; 32] };
    const WORDS: Words =
        Words::new(offset_of!(Self, d), &[bytes_at(offset_of!(Self, qs))]).mins(offset_of!(Self, s), false);
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.bytes(self.qs)
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        Self { d: Half::of(d), s: Half::of(d * f32::from(sum(&qs))), qs }
    }
}

impl Active for Q8_1 {}
impl Activation for Q8_1 {}

impl Block for Q8_K {
    const NAME: &'static str = "q8_k";
    const TYPE: Option<u32> = Some(15);
    const ELEMENTS: usize = 256;
    type Partner = Self;
}

impl Sealed for Q8_K {
    const SIGNED: bool = true;
    const LIMIT: f32 = f32::MAX;
    const ZERO: Self = Self { d: [0; 4], qs: [0; 256], bsums: [[0; 2]; 16] };
    const WORDS: Words = Words {
        d: Factor::Single(offset_of!(Self, d)),
        sums: Some(offset_of!(Self, bsums)),
        ..Words::new(0, &[bytes_at(offset_of!(Self, qs))])
    };
    #[inline(always)]
    fn factors<S: Simd>(_: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        let of = f32::from_le_bytes;
        [[of(a.d), of(b.d), of(c.d), of(d.d)], [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, chunk: usize) -> S::Codes {
        s.bytes(part(&self.qs, 32 * chunk))
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        let mut bsums = [[0; 2]; 16];
        for (to, q) in bsums.iter_mut().zip(qs.chunks_exact(16)) {
            *to = sum(q).to_le_bytes();
        }
        Self { d: d.to_le_bytes(), qs, bsums }
    }
}

impl Active for Q8_K {
    #[inline(always)]
    fn sums<S: Simd>(&self, s: S) -> S::Codes {
        s.wide_scales(self.bsums)
    }
}
impl Activation for Q8_K {}
