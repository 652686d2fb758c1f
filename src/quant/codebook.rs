//! The formats `iq4_nl` and `mxfp4`: a code of four bits selects a value of a non-uniform table.

use super::block::{Block, Half, Sealed, pack_nibbles, size};
use super::layout::{Factor, Field, Words};
use super::q8::Q8_0;
use super::search::{extreme, inverse, weight};
use crate::lanes::Simd;
use core::mem::offset_of;

/// `d·table[q]`, blocks of 32; the steps are finer around zero.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct IQ4_NL {
    d: Half,
    qs: [u8; 16],
}

/// Floats of two exponent bits and one of mantissa times a power of two, blocks of 32.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct MXFP4 {
    e: u8,
    qs: [u8; 16],
}

size!(IQ4_NL = 18, MXFP4 = 17);

const STEPS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/// Twice the values of the floats, as the factor is half the power.
const FLOATS: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];
/// The same, none negative.
const RAISED: [i8; 16] = [12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0];

/// The code of the step nearest to `x`.
#[inline(always)]
fn step(x: f32) -> i8 {
    STEPS.windows(2).map(|w| i8::from(x > w.iter().map(|x| f32::from(*x)).sum::<f32>() / 2.0)).sum()
}

/// The code of the float nearest to `x / 2`.
#[inline(always)]
fn float(x: f32) -> i8 {
    let (size, _) = FLOATS.split_at(8);
    let q: i8 =
        size.windows(2).map(|w| i8::from(x.abs() > w.iter().map(|x| f32::from(*x)).sum::<f32>() / 2.0)).sum();
    if x < 0.0 && q > 0 { q + 8 } else { q }
}

/// What a code stands for.
#[inline(always)]
fn value(table: &[i8; 16], q: i8) -> f32 {
    f32::from(table.get(q as usize & 15).copied().unwrap_or(0))
}

/// The codes by `code` for the factor `unit·size`, and their weighted squared error in units of `unit`.
fn with_factor(
    x: &[f32],
    w: Option<&[f32]>,
    [unit, size]: [f32; 2],
    table: &[i8; 16],
    code: fn(f32) -> i8,
) -> ([i8; 32], f32) {
    let (mut q, mut error) = ([0; 32], 0.0);
    let (by, whole) = (inverse(unit * size), inverse(unit));
    for (i, (q, x)) in q.iter_mut().zip(x).enumerate() {
        *q = code(x * by);
        let off = x * whole - value(table, *q) * size;
        error += weight(w, i) * off * off;
    }
    (q, error)
}

impl Block for IQ4_NL {
    const NAME: &'static str = "iq4_nl";
    const TYPE: Option<u32> = Some(20);
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for IQ4_NL {
    const SIGNED: bool = true;
    const ZERO: Self = Self { d: Half::ZERO, qs: [0x88; 16] };
    const WORDS: Words = Words {
        table: Some([&STEPS; 2]),
        ..Words::new(offset_of!(Self, d), &[Field::Nibbles(offset_of!(Self, qs))])
    };
    #[inline(always)]
    fn factors<S: Simd>(s: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [s.halves([a.d.bits(), b.d.bits(), c.d.bits(), d.d.bits()]), [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.lookup(STEPS, s.nibbles(self.qs))
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let top = extreme(x);
        if inverse(top) == 0.0 {
            return Self::ZERO;
        }
        let mut best = (-1.0, 0.0);
        for shift in -8..=8 {
            // The largest element near either end of the table.
            for end in [-127.0, 113.0] {
                let by = (end + shift as f32) / top;
                let (mut xq, mut qq) = (0.0f32, 0.0f32);
                for (i, x) in x.iter().enumerate() {
                    let v = value(&STEPS, step(x * by));
                    xq += weight(w, i) * (x / top) * v;
                    qq += weight(w, i) * v * v;
                }
                if qq > 0.0 && xq * xq > best.0 * qq {
                    best = (xq * xq / qq, xq / qq * top);
                }
            }
        }
        let mut to = (Self::ZERO, f32::INFINITY);
        for d in Half::around(best.1) {
            let (q, error) = with_factor(x, w, [best.1, d.get() / best.1], &STEPS, step);
            if error < to.1 {
                to = (Self { d, qs: pack_nibbles(&q) }, error);
            }
        }
        to.0
    }
}

/// Half of `2^(e − 127)`.
#[inline(always)]
fn half_power(e: u8) -> f32 {
    let e = u32::from(e);
    f32::from_bits(if e < 2 { 0x0020_0000 << e } else { (e - 1) << 23 })
}

impl Block for MXFP4 {
    const NAME: &'static str = "mxfp4";
    const TYPE: Option<u32> = Some(39);
    const ELEMENTS: usize = 32;
    type Partner = Q8_0;
}

impl Sealed for MXFP4 {
    const OFFSET: i32 = 12;
    const LIMIT: f32 = f32::MAX;
    const ZERO: Self = Self { e: 0, qs: [0; 16] };
    const WORDS: Words = Words {
        d: Factor::Power(offset_of!(Self, e)),
        table: Some([&RAISED; 2]),
        ..Words::new(0, &[Field::Nibbles(offset_of!(Self, qs))])
    };
    #[inline(always)]
    fn factors<S: Simd>(_: S, [a, b, c, d]: [&Self; 4]) -> [[f32; 4]; 2] {
        [[half_power(a.e), half_power(b.e), half_power(c.e), half_power(d.e)], [0.0; 4]]
    }
    #[inline(always)]
    fn codes<S: Simd>(&self, s: S, _: usize) -> S::Codes {
        s.lookup(RAISED, s.nibbles(self.qs))
    }
    fn encode(x: &[f32], w: Option<&[f32]>) -> Self {
        let near = ((extreme(x).abs().to_bits() >> 23) as i32 - 2).max(1);
        let unit = u8::try_from(near).map_or(0.0, half_power);
        let mut to = (Self::ZERO, f32::INFINITY);
        // In the power below the largest element saturates, which may cost less than what the others gain.
        // Past 252 the largest codes stand for infinity.
        for (e, size) in [(near - 1, 0.5), (near, 1.0), (near + 1, 2.0)] {
            let Some(e) = u8::try_from(e).ok().filter(|e| (1..=252).contains(e)) else { continue };
            let (q, error) = with_factor(x, w, [unit, size], &FLOATS, float);
            if error < to.1 {
                to = (Self { e, qs: pack_nibbles(&q) }, error);
            }
        }
        to.0
    }
}
