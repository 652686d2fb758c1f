//! Vectors of 32 bytes on NEON, as pairs of registers, with the dot-product instructions where the build has them.

use super::{Bytes, bits};
use crate::lanes::Neon;
use core::arch::aarch64::*;

/// `sum + Σ a[i]·b[i]` of neighbours.
#[cfg(not(target_feature = "dotprod"))]
#[inline(always)]
unsafe fn quads<const SIGNED: bool>(sum: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    // SAFETY: the caller's.
    unsafe {
        let low = vmull_s8(vget_low_s8(a), vget_low_s8(b));
        if SIGNED {
            vpadalq_s16(vpadalq_s16(sum, low), vmull_high_s8(a, b))
        } else {
            // No pair of products passes 16 bits: 2·63·128 < 2¹⁵.
            vpadalq_s16(sum, vmlal_high_s8(low, a, b))
        }
    }
}

/// `sum + Σ a[i]·b[i]` of neighbours.
#[cfg(target_feature = "dotprod")]
#[inline(always)]
pub(in crate::lanes) unsafe fn quads<const SIGNED: bool>(
    mut sum: int32x4_t,
    a: int8x16_t,
    b: int8x16_t,
) -> int32x4_t {
    // SAFETY: the build has the instruction; it touches these registers only.
    unsafe {
        core::arch::asm!(
            "sdot {sum:v}.4s, {a:v}.16b, {b:v}.16b",
            sum = inout(vreg) sum, a = in(vreg) a, b = in(vreg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// As [`quads`], each four in the lane that they lie in.
#[cfg(not(target_feature = "dotprod"))]
#[inline(always)]
pub(in crate::lanes) unsafe fn in_lanes<const SIGNED: bool>(
    sum: int32x4_t,
    a: int8x16_t,
    b: int8x16_t,
) -> int32x4_t {
    // SAFETY: the caller's.
    unsafe {
        let (low, high) = (vmull_s8(vget_low_s8(a), vget_low_s8(b)), vmull_high_s8(a, b));
        if SIGNED {
            vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)))
        } else {
            vpadalq_s16(sum, vpaddq_s16(low, high))
        }
    }
}
#[cfg(target_feature = "dotprod")]
pub(in crate::lanes) use quads as in_lanes;

/// Scale `at`.
#[inline(always)]
fn one(x: [i16; 16], at: usize) -> i32 {
    x.get(at).copied().unwrap_or(0).into()
}

impl Bytes for Neon {
    type Codes = [int8x16_t; 2];
    type Sums = int32x4_t;
    lane_fns! {
        fn bytes(self, x: [u8; 32]) -> [int8x16_t; 2] = bits(x);
        fn array(self, x: [int8x16_t; 2]) -> [u8; 32] = bits(x);
        fn nibbles(self, x: [u8; 16]) -> [int8x16_t; 2] = {
            let x: uint8x16_t = bits(x);
            [vreinterpretq_s8_u8(vandq_u8(x, vdupq_n_u8(15))), vreinterpretq_s8_u8(vshrq_n_u8::<4>(x))]
        };
        fn flags(self, x: [u8; 4]) -> [int8x16_t; 2] = {
            let bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
            let each = vreinterpretq_u8_u32(vdupq_n_u32(u32::from_le_bytes(x)));
            let set = |a, b| {
                let at = vcombine_u8(vdup_n_u8(a), vdup_n_u8(b));
                vreinterpretq_s8_u8(vandq_u8(vtstq_u8(vqtbl1q_u8(each, at), bit), vdupq_n_u8(16)))
            };
            [set(0, 1), set(2, 3)]
        };
        fn field(self, x: [int8x16_t; 2], by: i32, mask: u8) -> [int8x16_t; 2] = {
            // A negative count shifts to the right.
            let (count, mask) = (vdupq_n_s8(-by as i8), vdupq_n_u8(mask));
            let part = |x| vreinterpretq_s8_u8(vandq_u8(vshlq_u8(vreinterpretq_u8_s8(x), count), mask));
            let [x, y] = x;
            [part(x), part(y)]
        };
        fn order(self, x: [int8x16_t; 2], y: [int8x16_t; 2]) -> [[int8x16_t; 2]; 2] = {
            let ([a, b], [c, d]) = (x, y);
            let byte = |x| vreinterpretq_u8_s8(x);
            let least = |x, y| vreinterpretq_s8_u8(vminq_u8(byte(x), byte(y)));
            let most = |x, y| vreinterpretq_s8_u8(vmaxq_u8(byte(x), byte(y)));
            [[least(a, c), least(b, d)], [most(a, c), most(b, d)]]
        };
        fn or(self, x: [int8x16_t; 2], y: [int8x16_t; 2]) -> [int8x16_t; 2] = {
            let ([a, b], [c, d]) = (x, y);
            [vorrq_s8(a, c), vorrq_s8(b, d)]
        };
        fn lookup(self, table: [i8; 16], at: [int8x16_t; 2]) -> [int8x16_t; 2] = {
            let ([a, b], table) = (at, bits(table));
            [vqtbl1q_s8(table, vreinterpretq_u8_s8(a)), vqtbl1q_s8(table, vreinterpretq_u8_s8(b))]
        };
        fn scales(self, x: [u8; 16]) -> [int8x16_t; 2] = {
            let x: int16x8_t = bits(x);
            let even = vshrq_n_s16::<8>(vshlq_n_s16::<8>(x));
            [vreinterpretq_s8_s16(even), vreinterpretq_s8_s16(vshrq_n_s16::<8>(x))]
        };
        fn wide_scales(self, x: [[u8; 2]; 16]) -> [int8x16_t; 2] = {
            let [a, b]: [int16x8_t; 2] = bits(x);
            [vreinterpretq_s8_s16(vuzp1q_s16(a, b)), vreinterpretq_s8_s16(vuzp2q_s16(a, b))]
        };
        fn scales_twice(self, x: [u8; 8]) -> [int8x16_t; 2] = [vreinterpretq_s8_u16(vmovl_u8(bits(x))); 2];
        fn zero(self) -> int32x4_t = vdupq_n_s32(0);
        fn plus(self, sum: int32x4_t, x: int32x4_t, by: i32) -> int32x4_t = vmlaq_n_s32(sum, x, by);
        fn dot_scaled(self, sum: int32x4_t, a: [int8x16_t; 2], b: [int8x16_t; 2], scales: [int8x16_t; 2], at: usize) -> int32x4_t = {
            let ([a0, a1], [b0, b1], each, zero) = (a, b, bits(scales), vdupq_n_s32(0));
            let first = vmlaq_n_s32(sum, quads::<false>(zero, a0, b0), one(each, at));
            vmlaq_n_s32(first, quads::<false>(zero, a1, b1), one(each, 8 + at))
        };
        fn dot_scales(self, a: [int8x16_t; 2], b: [int8x16_t; 2]) -> int32x4_t = {
            let mut sum = vdupq_n_s32(0);
            for (a, b) in a.into_iter().zip(b) {
                let (a, b) = (vreinterpretq_s16_s8(a), vreinterpretq_s16_s8(b));
                sum = vmlal_high_s16(vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b)), a, b);
            }
            sum
        };
        fn totals(self, x: [int32x4_t; 4]) -> [i32; 4] = {
            let [a, b, c, d] = x;
            bits(vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d)))
        };
    }
    #[inline(always)]
    fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> [int8x16_t; 2] {
        let [a, b] = self.nibbles(x);
        let (a, b) = if HIGH { (b, a) } else { (a, b) };
        // SAFETY: the token proves the instructions.
        unsafe { [vzip1q_s8(a, b), vzip2q_s8(a, b)] }
    }
    #[inline(always)]
    fn dot<const SIGNED: bool>(self, sum: int32x4_t, a: [int8x16_t; 2], b: [int8x16_t; 2]) -> int32x4_t {
        let ([a0, a1], [b0, b1]) = (a, b);
        // SAFETY: the token proves the instructions.
        unsafe { quads::<SIGNED>(quads::<SIGNED>(sum, a0, b0), a1, b1) }
    }
}
