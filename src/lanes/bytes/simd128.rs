//! Vectors of 32 bytes on WebAssembly SIMD128, as pairs of registers.
#![allow(unused_unsafe, reason = "wasm intrinsics without pointers are safe; the shared macros don't know")]

use super::{Bytes, bits};
use crate::lanes::Simd128;
use core::arch::wasm32::*;

/// Sums of two products each, of which none passes 16 bits: 2·63·128 < 2¹⁵.
#[inline(always)]
fn pairs(a: v128, b: v128) -> v128 {
    i16x8_add(i16x8_extmul_low_i8x16(a, b), i16x8_extmul_high_i8x16(a, b))
}

/// Every 16-bit element is scale `at`.
#[inline(always)]
fn all(x: [i16; 16], at: usize) -> v128 {
    i16x8_splat(x.get(at).copied().unwrap_or(0))
}

impl Bytes for Simd128 {
    type Codes = [v128; 2];
    type Sums = v128;
    lane_fns! {
        fn bytes(self, x: [u8; 32]) -> [v128; 2] = bits(x);
        fn array(self, x: [v128; 2]) -> [u8; 32] = bits(x);
        fn nibbles(self, x: [u8; 16]) -> [v128; 2] = {
            let x = bits(x);
            [v128_and(x, u8x16_splat(15)), u8x16_shr(x, 4)]
        };
        fn flags(self, x: [u8; 4]) -> [v128; 2] = {
            let bit = u64x2_splat(0x8040_2010_0804_0201);
            let each = u32x4_splat(u32::from_le_bytes(x));
            let set = |x| v128_and(u8x16_eq(v128_and(x, bit), bit), u8x16_splat(16));
            [
                set(i8x16_shuffle::<0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1>(each, each)),
                set(i8x16_shuffle::<2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3>(each, each)),
            ]
        };
        fn field(self, x: [v128; 2], by: i32, mask: u8) -> [v128; 2] = {
            // In 16 bits, as sets without 8-bit shifts make several instructions of one.
            let (count, mask) = (by.unsigned_abs(), u8x16_splat(mask));
            let part = |x| v128_and(if by < 0 { i16x8_shl(x, count) } else { u16x8_shr(x, count) }, mask);
            let [x, y] = x;
            [part(x), part(y)]
        };
        fn order(self, x: [v128; 2], y: [v128; 2]) -> [[v128; 2]; 2] = {
            let ([a, b], [c, d]) = (x, y);
            [[u8x16_min(a, c), u8x16_min(b, d)], [u8x16_max(a, c), u8x16_max(b, d)]]
        };
        fn or(self, x: [v128; 2], y: [v128; 2]) -> [v128; 2] = {
            let ([a, b], [c, d]) = (x, y);
            [v128_or(a, c), v128_or(b, d)]
        };
        fn lookup(self, table: [i8; 16], at: [v128; 2]) -> [v128; 2] = {
            let ([a, b], table) = (at, bits(table));
            [i8x16_swizzle(table, a), i8x16_swizzle(table, b)]
        };
        fn scales(self, x: [u8; 16]) -> [v128; 2] = {
            let x = bits(x);
            [i16x8_shr(i16x8_shl(x, 8), 8), i16x8_shr(x, 8)]
        };
        fn wide_scales(self, x: [[u8; 2]; 16]) -> [v128; 2] = {
            let [a, b]: [v128; 2] = bits(x);
            [i16x8_shuffle::<0, 2, 4, 6, 8, 10, 12, 14>(a, b), i16x8_shuffle::<1, 3, 5, 7, 9, 11, 13, 15>(a, b)]
        };
        fn scales_twice(self, x: [u8; 8]) -> [v128; 2] =
            [u16x8_extend_low_u8x16(u64x2_splat(u64::from_le_bytes(x))); 2];
        fn zero(self) -> v128 = i32x4_splat(0);
        fn plus(self, sum: v128, x: v128, by: i32) -> v128 = i32x4_add(sum, i32x4_mul(x, i32x4_splat(by)));
        fn dot_scaled(self, sum: v128, a: [v128; 2], b: [v128; 2], scales: [v128; 2], at: usize) -> v128 = {
            let ([a0, a1], [b0, b1], each) = (a, b, bits(scales));
            let first = i32x4_dot_i16x8(pairs(a0, b0), all(each, at));
            i32x4_add(sum, i32x4_add(first, i32x4_dot_i16x8(pairs(a1, b1), all(each, 8 + at))))
        };
        fn dot_scales(self, a: [v128; 2], b: [v128; 2]) -> v128 = {
            let ([a0, a1], [b0, b1]) = (a, b);
            i32x4_add(i32x4_dot_i16x8(a0, b0), i32x4_dot_i16x8(a1, b1))
        };
        fn totals(self, x: [v128; 4]) -> [i32; 4] = {
            let [a, b, c, d] = x;
            let sums = |a, b| i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(a, b), i32x4_shuffle::<1, 3, 5, 7>(a, b));
            bits(sums(sums(a, b), sums(c, d)))
        };
    }
    #[inline(always)]
    fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> [v128; 2] {
        let [a, b] = self.nibbles(x);
        let (a, b) = if HIGH { (b, a) } else { (a, b) };
        [
            i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b),
            i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b),
        ]
    }
    #[inline(always)]
    fn dot<const SIGNED: bool>(self, mut sum: v128, a: [v128; 2], b: [v128; 2]) -> v128 {
        for (a, b) in a.into_iter().zip(b) {
            sum = if SIGNED {
                let low = i32x4_extadd_pairwise_i16x8(i16x8_extmul_low_i8x16(a, b));
                i32x4_add(sum, i32x4_add(low, i32x4_extadd_pairwise_i16x8(i16x8_extmul_high_i8x16(a, b))))
            } else {
                i32x4_add(sum, i32x4_extadd_pairwise_i16x8(pairs(a, b)))
            };
        }
        sum
    }
}
