//! Products of pairs on NEON: `smlal` multiplies, widens and adds, once for each weight of a pair.

use super::{BLOCK, LINES, Taps, together};
use crate::lanes::{COMPACT, Neon};
use core::arch::aarch64::*;

/// Eight numbers of memory.
#[inline(always)]
unsafe fn load<const N: usize>(x: &[i16; N], at: usize) -> int16x8_t {
    const { assert!(N.is_multiple_of(8)) };
    debug_assert!(at < N / 8);
    // SAFETY: the caller's: `at` is a part of the array.
    unsafe { vld1q_s16(x.as_ptr().add(8 * at)) }
}
/// Eight bytes of memory, as numbers.
#[inline(always)]
unsafe fn widen(x: &[u8; BLOCK], at: usize) -> int16x8_t {
    debug_assert!(at < BLOCK / 8);
    // SAFETY: the caller's: `at` is a part of the array.
    unsafe { vreinterpretq_s16_u16(vmovl_u8(vld1_u8(x.as_ptr().add(8 * at)))) }
}
/// The sums of eight elements.
#[inline(always)]
unsafe fn plus([p, q]: [int32x4_t; 2], a: int16x8_t, b: int16x8_t, [v, w]: [i16; 2]) -> [int32x4_t; 2] {
    // SAFETY: the caller's.
    unsafe {
        [
            vmlal_n_s16(vmlal_n_s16(p, vget_low_s16(a), v), vget_low_s16(b), w),
            vmlal_high_n_s16(vmlal_high_n_s16(q, a, v), b, w),
        ]
    }
}
/// Eight sums, shifted to the right and clipped.
#[inline(always)]
unsafe fn numbers(a: int32x4_t, b: int32x4_t, shift: int32x4_t) -> int16x8_t {
    // SAFETY: the caller's.
    unsafe { vcombine_s16(vqmovn_s32(vshlq_s32(a, shift)), vqmovn_s32(vshlq_s32(b, shift))) }
}

impl Taps for Neon {
    const TWO: bool = !COMPACT;
    type Sums = [int32x4_t; 8];
    type Lines = [int32x4_t; LINES];
    lane_fns! {
        fn all(self, x: i32) -> [int32x4_t; 8] = [vdupq_n_s32(x); 8];
        fn add_bytes(self, sums: [int32x4_t; 8], a: &[u8; BLOCK], b: &[u8; BLOCK], by: [i16; 2]) -> [int32x4_t; 8] = {
            let mut sums = sums;
            for (i, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *sums = plus(*sums, widen(a, i), widen(b, i), by);
            }
            sums
        };
        fn add_numbers(self, sums: [int32x4_t; 8], a: &[i16; BLOCK], b: &[i16; BLOCK], by: [i16; 2]) -> [int32x4_t; 8] = {
            let mut sums = sums;
            for (i, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                *sums = plus(*sums, load(a, i), load(b, i), by);
            }
            sums
        };
        fn to_numbers(self, sums: [int32x4_t; 8], shift: u32) -> [i16; BLOCK] = {
            // A negative count shifts to the right.
            let ([a, b, c, d, e, f, g, h], shift) = (sums, vdupq_n_s32(-(shift as i32)));
            core::mem::transmute::<[int16x8_t; 4], [i16; BLOCK]>([
                numbers(a, b, shift), numbers(c, d, shift), numbers(e, f, shift), numbers(g, h, shift),
            ])
        };
        fn to_bytes(self, sums: [int32x4_t; 8], shift: u32) -> [u8; BLOCK] = {
            let ([a, b, c, d, e, f, g, h], shift) = (sums, vdupq_n_s32(-(shift as i32)));
            let eight = |a, b| vqmovun_s16(numbers(a, b, shift));
            core::mem::transmute::<[uint8x8_t; 4], [u8; BLOCK]>([eight(a, b), eight(c, d), eight(e, f), eight(g, h)])
        };
        fn lines(self, x: i32) -> [int32x4_t; LINES] = [vdupq_n_s32(x); LINES];
        fn add_products(self, sums: [int32x4_t; LINES], x: [&[i16; 8]; LINES], by: &[i16; 8]) -> [int32x4_t; LINES] = {
            // Which products share a sum makes no difference to the total.
            let (mut sums, by) = (sums, load(by, 0));
            for (sum, x) in sums.iter_mut().zip(x) {
                let x = load(x, 0);
                *sum = vmlal_high_s16(vmlal_s16(*sum, vget_low_s16(x), vget_low_s16(by)), x, by);
            }
            sums
        };
        fn add_pixels(self, sums: [int32x4_t; LINES], pixels: &[[i16; 8]; LINES], by: [i16; 2]) -> [int32x4_t; LINES] = {
            let (mut sums, [v, w]) = (sums, by);
            for (sum, x) in sums.iter_mut().zip(pixels) {
                let x = load(x, 0);
                *sum = vmlal_high_n_s16(vmlal_n_s16(*sum, vget_low_s16(x), v), x, w);
            }
            sums
        };
        fn totals_to_bytes(self, sums: [[int32x4_t; LINES]; 4], shift: u32) -> [[u8; 4]; LINES] = {
            let ([p, q, r, t], shift) = (sums, vdupq_n_s32(-(shift as i32)));
            let ([p0, p1, p2, p3], [q0, q1, q2, q3], [r0, r1, r2, r3], [t0, t1, t2, t3]) = (p, q, r, t);
            let total = |a, b, c, d| vpaddq_s32(vpaddq_s32(a, b), vpaddq_s32(c, d));
            let low = numbers(total(p0, q0, r0, t0), total(p1, q1, r1, t1), shift);
            let high = numbers(total(p2, q2, r2, t2), total(p3, q3, r3, t3), shift);
            core::mem::transmute::<[uint8x8_t; 2], [[u8; 4]; LINES]>([vqmovun_s16(low), vqmovun_s16(high)])
        };
    }
    #[inline(always)]
    fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8] {
        // One pixel, then the other.
        // SAFETY: the token proves the instructions.
        unsafe {
            let x = load(x, 0);
            let next = match C {
                2 => vextq_s16::<2>(x, x),
                3 => vextq_s16::<3>(x, x),
                _ => vextq_s16::<4>(x, x),
            };
            core::mem::transmute::<int16x8_t, [i16; 8]>(vcombine_s16(vget_low_s16(x), vget_low_s16(next)))
        }
    }
    #[inline(always)]
    fn pixels_to_bytes<const C: usize>(self, sums: [[int32x4_t; LINES]; 2], shift: u32) -> [[u8; 8]; LINES] {
        // SAFETY: the token proves the instructions.
        unsafe {
            let ([[a, b, c, d], [e, f, g, h]], shift) = (sums, vdupq_n_s32(-(shift as i32)));
            let two = |a, e| vqmovun_s16(numbers(a, e, shift));
            let lines = [two(a, e), two(b, f), two(c, g), two(d, h)];
            together::<C>(core::mem::transmute::<[uint8x8_t; LINES], [u64; LINES]>(lines))
        }
    }
}
