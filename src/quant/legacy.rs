//! Blocks of 32 with one scale: `q4_0`, `q4_1`, `q5_0`, `q5_1`.

use super::block::{Block, Half, Sealed, nibbles, pack_nibbles, size};
use super::q8::{Q8_0, Q8_1};
use super::search::{Mins, affine, codes, error, symmetric};
use crate::lanes::Simd;

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

/// Nibbles with a fifth bit each: bit `i` of `high` belongs to element `i`.
#[inline(always)]
fn five(low: &[u8; 16], high: [u8; 4], offset: i8) -> [i8; 32] {
    let high = u32::from_le_bytes(high);
    let mut q = nibbles(low);
    for (i, q) in q.iter_mut().enumerate() {
        *q = (*q | ((high >> i & 1) as i8) << 4) - offset;
    }
    q
}

/// The fifth bits of codes.
fn fifth(q: &[i8; 32]) -> [u8; 4] {
    q.iter().enumerate().fold(0u32, |bits, (i, q)| bits | u32::from(*q as u8 >> 4 & 1) << i).to_le_bytes()
}

/// The scale with the least error.
fn best<const N: usize>(scales: [Half; N], error: impl Fn(f32) -> f32) -> Half {
    scales.into_iter().min_by(|a, b| error(a.get()).total_cmp(&error(b.get()))).unwrap_or(Half::ZERO)
}

/// The best scale for codes in `-n..n` that is a half, and the codes plus `n`.
fn signed(x: &[f32], w: Option<&[f32]>, n: i32) -> (Half, [i8; 32]) {
    let d = best(Half::around(symmetric(x, w, n)), |d| error(x, w, d, 0.0, -n, n - 1));
    (d, codes(x, d.get(), 0.0, -n, n - 1).map(|q: i8| q + n as i8))
}

/// The best scale and offset that are halves, and the codes in `0..=n`.
fn offset(x: &[f32], w: Option<&[f32]>, n: i32) -> (Half, Half, [i8; 32]) {
    let [scale, min] = affine(x, w, n, Mins::Any);
    let m = Half::of(-min);
    // The offset's rounding moved the best scale.
    let steps = [0.99, 0.995, 1.0, 1.005, 1.01];
    let near = steps.map(|by| best(Half::around(scale * by), |d| error(x, w, d, -m.get(), 0, n)));
    let d = best(near, |d| error(x, w, d, -m.get(), 0, n));
    (d, m, codes(x, d.get(), -m.get(), 0, n))
}

impl Block for Q4_0 {
    const NAME: &'static str = "q4_0";
    const TYPE: u32 = 2;
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for Q4_0 {
    const RANGE: u8 = 1;
    const MINS: bool = false;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, qs: [0x88; 16] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        let mut q = nibbles(&self.qs);
        for q in &mut q {
            *q -= 8;
        }
        q
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, q) = signed(x, w, 8);
        Self { d, qs: pack_nibbles(&q) }
    }
}

impl Block for Q4_1 {
    const NAME: &'static str = "q4_1";
    const TYPE: u32 = 3;
    const ELEMENTS: usize = 32;
    type Partner = Q8_1;
}

impl Sealed for Q4_1 {
    const RANGE: u8 = 2;
    const MINS: bool = true;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, m: Half::ZERO, qs: [0; 16] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), -self.m.get()]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        nibbles(&self.qs)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, m, q) = offset(x, w, 15);
        Self { d, m, qs: pack_nibbles(&q) }
    }
}

impl Block for Q5_0 {
    const NAME: &'static str = "q5_0";
    const TYPE: u32 = 6;
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for Q5_0 {
    const RANGE: u8 = 1;
    const MINS: bool = false;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, qh: [0xff; 4], qs: [0; 16] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        five(&self.qs, self.qh, 16)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, q) = signed(x, w, 16);
        Self { d, qh: fifth(&q), qs: pack_nibbles(&q) }
    }
}

impl Block for Q5_1 {
    const NAME: &'static str = "q5_1";
    const TYPE: u32 = 7;
    const ELEMENTS: usize = 32;
    type Partner = Q8_1;
}

impl Sealed for Q5_1 {
    const RANGE: u8 = 2;
    const MINS: bool = true;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, m: Half::ZERO, qh: [0; 4], qs: [0; 16] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), -self.m.get()]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        five(&self.qs, self.qh, 0)
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let (d, m, q) = offset(x, w, 31);
        Self { d, m, qh: fifth(&q), qs: pack_nibbles(&q) }
    }
}
