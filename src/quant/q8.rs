//! Signed bytes: `q8_0`, `q8_1` and `q8_k`, which activations are quantised to.

use super::block::{Activation, Active, Block, Half, Sealed, part, size};
use super::search::{extreme, inverse};
use crate::lanes::Simd;

/// A byte each, `d·q`, blocks of 32.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_0 {
    d: Half,
    qs: [i8; 32],
}

/// As [`Q8_0`], with the sum of its elements.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_1 {
    d: Half,
    s: Half,
    qs: [i8; 32],
}

/// A byte each, `d·q` with `d` in single precision, blocks of 256, with the sums of the codes of each 16.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Q8_K {
    d: [u8; 4],
    qs: [i8; 256],
    bsums: [[u8; 2]; 16],
}

size!(Q8_0 = 34, Q8_1 = 36, Q8_K = 292);

/// The scale that maps the largest magnitude to 127, and the codes, ties away from zero.
#[inline(always)]
fn bytes<const N: usize>(x: &[f32]) -> (f32, [i8; N]) {
    let d = extreme(x).abs() / 127.0;
    let by = inverse(d);
    let mut q = [0; N];
    for (q, x) in q.iter_mut().zip(x) {
        let y = x * by;
        let whole = y as i32;
        let rest = y - whole as f32;
        *q = (whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)).clamp(-127, 127) as i8;
    }
    (d, q)
}

/// The sums of both halves.
#[inline(always)]
fn halves(q: &[i8; 32]) -> [i32; 2] {
    let (a, b) = q.split_at(16);
    [a, b].map(
        #[inline(always)]
        |x| x.iter().map(|x| i32::from(*x)).sum(),
    )
}

impl Block for Q8_0 {
    const NAME: &'static str = "q8_0";
    const TYPE: u32 = 8;
    const ELEMENTS: usize = 32;
    type Partner = Self;
}

impl Sealed for Q8_0 {
    const RANGE: u8 = 0;
    const MINS: bool = false;
    const LIMIT: f32 = 65504.0;
    const ZERO: Self = Self { d: Half::ZERO, qs: [0; 32] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        self.qs
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        Self { d: Half::of(d), qs }
    }
}

impl Active for Q8_0 {
    #[inline(always)]
    fn factor(&self) -> f32 {
        self.d.get()
    }
    #[inline(always)]
    fn sums(&self, _: usize) -> [i32; 2] {
        halves(&self.qs)
    }
    #[inline(always)]
    fn offset(&self, weighted: i32) -> f32 {
        self.d.get() * weighted as f32
    }
}
impl Activation for Q8_0 {}

impl Block for Q8_1 {
    const NAME: &'static str = "q8_1";
    const TYPE: u32 = 9;
    const ELEMENTS: usize = 32;
    type Partner = Self;
}

impl Sealed for Q8_1 {
    const RANGE: u8 = 0;
    const MINS: bool = false;
    // Its sum is a half, too.
    const LIMIT: f32 = 2047.0;
    const ZERO: Self = Self { d: Half::ZERO, s: Half::ZERO, qs: [0; 32] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.d.get(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, _: usize) -> [i8; 32] {
        self.qs
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        let [a, b] = halves(&qs);
        Self { d: Half::of(d), s: Half::of(d * (a + b) as f32), qs }
    }
}

impl Active for Q8_1 {
    #[inline(always)]
    fn factor(&self) -> f32 {
        self.d.get()
    }
    #[inline(always)]
    fn sums(&self, _: usize) -> [i32; 2] {
        // What `offset` reads instead.
        [0, 0]
    }
    #[inline(always)]
    fn offset(&self, _: i32) -> f32 {
        self.s.get()
    }
}
impl Activation for Q8_1 {}

impl Block for Q8_K {
    const NAME: &'static str = "q8_k";
    const TYPE: u32 = 15;
    const ELEMENTS: usize = 256;
    type Partner = Self;
}

impl Sealed for Q8_K {
    const RANGE: u8 = 0;
    const MINS: bool = false;
    const LIMIT: f32 = f32::MAX;
    const ZERO: Self = Self { d: [0; 4], qs: [0; 256], bsums: [[0; 2]; 16] };
    #[inline(always)]
    fn factors(&self) -> [f32; 2] {
        [self.factor(), 0.0]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, _: S, chunk: usize) -> [i8; 32] {
        part(&self.qs, 32 * chunk)
    }
    #[inline(always)]
    fn encode(x: &[f32], _: Option<&[f32]>) -> Self {
        let (d, qs) = bytes(x);
        let mut bsums = [[0; 2]; 16];
        for (to, q) in bsums.iter_mut().zip(qs.chunks_exact(16)) {
            *to = q.iter().map(|q| i16::from(*q)).sum::<i16>().to_le_bytes();
        }
        Self { d: d.to_le_bytes(), qs, bsums }
    }
}

impl Active for Q8_K {
    #[inline(always)]
    fn factor(&self) -> f32 {
        f32::from_le_bytes(self.d)
    }
    #[inline(always)]
    fn sums(&self, chunk: usize) -> [i32; 2] {
        part::<_, 2>(&self.bsums, 2 * chunk).map(
            #[inline(always)]
            |x| i32::from(i16::from_le_bytes(x)),
        )
    }
    #[inline(always)]
    fn offset(&self, weighted: i32) -> f32 {
        self.factor() * weighted as f32
    }
}
impl Activation for Q8_K {}
