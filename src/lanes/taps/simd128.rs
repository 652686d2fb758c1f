//! Products of pairs on WebAssembly SIMD128.
#![allow(unused_unsafe, reason = "wasm intrinsics without pointers are safe; the shared macros don't know")]

use super::{BLOCK, LINES, Taps, pair, together};
use crate::lanes::Simd128;
use core::arch::wasm32::*;

/// Sixteen bytes of memory.
#[inline(always)]
unsafe fn load<T, const N: usize>(x: &[T; N], at: usize) -> v128 {
    const { assert!(size_of::<[T; N]>().is_multiple_of(16)) };
    debug_assert!(at < size_of::<[T; N]>() / 16);
    // SAFETY: the caller's: `at` is a part of the array.
    unsafe { v128_load(x.as_ptr().cast::<v128>().add(at)) }
}
#[inline(always)]
fn plus(sum: v128, x: v128, by: v128) -> v128 {
    i32x4_add(sum, i32x4_dot_i16x8(x, by))
}
/// Sixteen sums, shifted to the right and clipped.
#[inline(always)]
fn clipped([a, b, c, d]: [v128; 4], shift: u32) -> v128 {
    let two = |a, b| i16x8_narrow_i32x4(i32x4_shr(a, shift), i32x4_shr(b, shift));
    u8x16_narrow_i16x8(two(a, b), two(c, d))
}

impl Taps for Simd128 {
    const TWO: bool = false;
    type Sums = [v128; 8];
    type Lines = [v128; LINES];
    lane_fns! {
        fn all(self, x: i32) -> [v128; 8] = [i32x4_splat(x); 8];
        fn add_bytes(self, sums: [v128; 8], a: &[u8; BLOCK], b: &[u8; BLOCK], by: [i16; 2]) -> [v128; 8] = {
            let (by, mut sums) = (i32x4_splat(pair(by)), sums);
            for (i, sums) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let (a, b, [p, q, r, t]) = (load(a, i), load(b, i), *sums);
                let low = i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b);
                let high = i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b);
                *sums = [
                    plus(p, u16x8_extend_low_u8x16(low), by), plus(q, u16x8_extend_high_u8x16(low), by),
                    plus(r, u16x8_extend_low_u8x16(high), by), plus(t, u16x8_extend_high_u8x16(high), by),
                ];
            }
            sums
        };
        fn add_numbers(self, sums: [v128; 8], a: &[i16; BLOCK], b: &[i16; BLOCK], by: [i16; 2]) -> [v128; 8] = {
            let (by, mut sums) = (i32x4_splat(pair(by)), sums);
            for (i, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let (a, b, [p, q]) = (load(a, i), load(b, i), *sums);
                *sums = [
                    plus(p, i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b), by),
                    plus(q, i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b), by),
                ];
            }
            sums
        };
        fn to_numbers(self, sums: [v128; 8], shift: u32) -> [i16; BLOCK] = {
            let [a, b, c, d, e, f, g, h] = sums;
            let two = |a, b| i16x8_narrow_i32x4(i32x4_shr(a, shift), i32x4_shr(b, shift));
            core::mem::transmute::<[v128; 4], [i16; BLOCK]>([
                two(a, b), two(c, d), two(e, f), two(g, h),
            ])
        };
        fn to_bytes(self, sums: [v128; 8], shift: u32) -> [u8; BLOCK] = {
            let [a, b, c, d, e, f, g, h] = sums;
            core::mem::transmute::<[v128; 2], [u8; BLOCK]>([clipped([a, b, c, d], shift), clipped([e, f, g, h], shift)])
        };
        fn lines(self, x: i32) -> [v128; LINES] = [i32x4_splat(x); LINES];
        fn add_products(self, sums: [v128; LINES], x: [&[i16; 8]; LINES], by: &[i16; 8]) -> [v128; LINES] = {
            let ([p, q, r, t], [a, b, c, d], by) = (sums, x, load(by, 0));
            [plus(p, load(a, 0), by), plus(q, load(b, 0), by), plus(r, load(c, 0), by), plus(t, load(d, 0), by)]
        };
        fn add_pixels(self, sums: [v128; LINES], pixels: &[[i16; 8]; LINES], by: [i16; 2]) -> [v128; LINES] = {
            let ([p, q, r, t], by, x) = (sums, i32x4_splat(pair(by)), |i| load(pixels, i));
            [plus(p, x(0), by), plus(q, x(1), by), plus(r, x(2), by), plus(t, x(3), by)]
        };
        fn totals_to_bytes(self, sums: [[v128; LINES]; 4], shift: u32) -> [[u8; 4]; LINES] = {
            let [[p0, p1, p2, p3], [q0, q1, q2, q3], [r0, r1, r2, r3], [t0, t1, t2, t3]] = sums;
            let both = |a, b| i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b));
            let total = |a, b, c, d| both(both(a, b), both(c, d));
            let lines = [
                total(p0, q0, r0, t0), total(p1, q1, r1, t1), total(p2, q2, r2, t2), total(p3, q3, r3, t3),
            ];
            core::mem::transmute::<v128, [[u8; 4]; LINES]>(clipped(lines, shift))
        };
    }
    #[inline(always)]
    fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8] {
        // SAFETY: the token proves the instructions, and any bits are numbers.
        unsafe {
            let x = load(x, 0);
            let both = match C {
                2 => i16x8_shuffle::<0, 2, 1, 3, 2, 4, 3, 5>(x, x),
                3 => i16x8_shuffle::<0, 3, 1, 4, 2, 5, 3, 6>(x, x),
                _ => i16x8_shuffle::<0, 4, 1, 5, 2, 6, 3, 7>(x, x),
            };
            core::mem::transmute::<v128, [i16; 8]>(both)
        }
    }
    #[inline(always)]
    fn pixels_to_bytes<const C: usize>(self, sums: [[v128; LINES]; 2], shift: u32) -> [[u8; 8]; LINES] {
        let [[a, b, c, d], [e, f, g, h]] = sums;
        let lines = [clipped([a, e, b, f], shift), clipped([c, g, d, h], shift)];
        // SAFETY: any bits are numbers.
        together::<C>(unsafe { core::mem::transmute::<[v128; 2], [u64; LINES]>(lines) })
    }
}
