//! Vectors of 32 bytes on x86: SSE2 as pairs of registers, AVX2, and AVX-512 with VNNI where the build has it.

use super::{Bytes, bits};
use crate::lanes::{Avx2, Sse2};
use core::arch::x86_64::*;

/// The scale `at` in the first half and `8 + at` in the second, by bytes.
#[inline(always)]
unsafe fn spread(scales: __m256i, at: usize) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_shuffle_epi8(scales, _mm256_set1_epi16(0x100 + 0x202 * at as i16)) }
}

/// `sum + Σ a[i]·b[i]`.
#[inline(always)]
unsafe fn dot_avx2<const SIGNED: bool>(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        if SIGNED {
            // -128 has no magnitude of 8 bits, so the products are of 16.
            let half = |x| _mm256_cvtepi8_epi16(x);
            let low = _mm256_madd_epi16(half(_mm256_castsi256_si128(a)), half(_mm256_castsi256_si128(b)));
            let (a, b) = (_mm256_extracti128_si256::<1>(a), _mm256_extracti128_si256::<1>(b));
            _mm256_add_epi32(sum, _mm256_add_epi32(low, _mm256_madd_epi16(half(a), half(b))))
        } else {
            // No pair of products passes 16 bits: 2·63·128 < 2¹⁵.
            let pairs = _mm256_maddubs_epi16(a, b);
            _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
        }
    }
}

/// `sum + a·b` of neighbouring 16-bit numbers.
#[inline(always)]
unsafe fn pairs_avx2(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)) }
}

#[cfg(all(feature = "avx512", target_feature = "avx512vnni"))]
#[inline(always)]
unsafe fn dot_vnni<const SIGNED: bool>(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        if SIGNED {
            // (a + 128)·b − 128·b; the second is one for all rows.
            let offset = _mm256_set1_epi8(-128);
            let below = _mm256_dpbusd_epi32(_mm256_setzero_si256(), offset, b);
            _mm256_dpbusd_epi32(_mm256_sub_epi32(sum, below), _mm256_xor_si256(a, offset), b)
        } else {
            _mm256_dpbusd_epi32(sum, a, b)
        }
    }
}

#[cfg(all(feature = "avx512", target_feature = "avx512vnni"))]
#[inline(always)]
unsafe fn pairs_vnni(sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
    // SAFETY: the caller's.
    unsafe { _mm256_dpwssd_epi32(sum, a, b) }
}

macro_rules! bytes_256 {
    ($T:ident, $dot:ident, $pairs:ident) => {
        impl Bytes for $T {
            type Codes = __m256i;
            type Sums = __m256i;
            lane_fns! {
                fn bytes(self, x: [u8; 32]) -> __m256i = bits(x);
                fn array(self, x: __m256i) -> [u8; 32] = bits(x);
                fn nibbles(self, x: [u8; 16]) -> __m256i = {
                    let x: __m128i = bits(x);
                    let both = _mm256_set_m128i(_mm_srli_epi16::<4>(x), x);
                    _mm256_and_si256(both, _mm256_set1_epi8(15))
                };
                fn flags(self, x: [u8; 4]) -> __m256i = {
                    let at = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
                    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
                    let each = _mm256_shuffle_epi8(_mm256_set1_epi32(i32::from_le_bytes(x)), at);
                    let set = _mm256_cmpeq_epi8(_mm256_and_si256(each, bit), bit);
                    _mm256_and_si256(set, _mm256_set1_epi8(16))
                };
                fn field(self, x: __m256i, by: i32, mask: u8) -> __m256i = {
                    let count = _mm_cvtsi32_si128(by.abs());
                    let x = if by < 0 { _mm256_sll_epi16(x, count) } else { _mm256_srl_epi16(x, count) };
                    _mm256_and_si256(x, _mm256_set1_epi8(mask as i8))
                };
                fn order(self, x: __m256i, y: __m256i) -> [__m256i; 2] = [_mm256_min_epu8(x, y), _mm256_max_epu8(x, y)];
                fn or(self, x: __m256i, y: __m256i) -> __m256i = _mm256_or_si256(x, y);
                fn lookup(self, table: [i8; 16], at: __m256i) -> __m256i =
                    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bits(table)), at);
                fn scales(self, x: [u8; 16]) -> __m256i = {
                    let at = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
                    _mm256_cvtepi8_epi16(_mm_shuffle_epi8(bits(x), at))
                };
                fn wide_scales(self, x: [[u8; 2]; 16]) -> __m256i = {
                    let at = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
                    let halves = _mm256_shuffle_epi8(bits(x), _mm256_broadcastsi128_si256(at));
                    _mm256_permute4x64_epi64::<0b11_01_10_00>(halves)
                };
                fn scales_twice(self, x: [u8; 8]) -> __m256i =
                    _mm256_cvtepu8_epi16(_mm_set1_epi64x(i64::from_le_bytes(x)));
                fn zero(self) -> __m256i = _mm256_setzero_si256();
                fn plus(self, sum: __m256i, x: __m256i, by: i32) -> __m256i =
                    _mm256_add_epi32(sum, _mm256_mullo_epi32(x, _mm256_set1_epi32(by)));
                fn dot_scaled(self, sum: __m256i, a: __m256i, b: __m256i, scales: __m256i, at: usize) -> __m256i =
                    $pairs(sum, _mm256_maddubs_epi16(a, b), spread(scales, at));
                fn dot_scales(self, a: __m256i, b: __m256i) -> __m256i = _mm256_madd_epi16(a, b);
                fn totals(self, x: [__m256i; 4]) -> [i32; 4] = {
                    let [a, b, c, d] = x;
                    let y = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
                    bits(_mm_add_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256::<1>(y)))
                };
            }
            #[inline(always)]
            fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> __m256i {
                // SAFETY: the token proves the instructions.
                unsafe {
                    let x = _mm256_cvtepu8_epi16(bits(x));
                    let both = if HIGH {
                        _mm256_or_si256(_mm256_srli_epi16::<4>(x), _mm256_slli_epi16::<8>(x))
                    } else {
                        _mm256_or_si256(x, _mm256_slli_epi16::<4>(x))
                    };
                    _mm256_and_si256(both, _mm256_set1_epi8(15))
                }
            }
            #[inline(always)]
            fn dot<const SIGNED: bool>(self, sum: __m256i, a: __m256i, b: __m256i) -> __m256i {
                // SAFETY: the token proves the instructions, or for VNNI the build does.
                unsafe { $dot::<SIGNED>(sum, a, b) }
            }
            #[cfg(target_feature = "f16c")]
            lane_fns! {
                fn halves(self, x: [u16; 4]) -> [f32; 4] = {
                    let [a, b, c, d] = x;
                    bits(_mm_cvtph_ps(_mm_setr_epi16(a as i16, b as i16, c as i16, d as i16, 0, 0, 0, 0)))
                };
            }
        }
    };
}
bytes_256!(Avx2, dot_avx2, pairs_avx2);
#[cfg(feature = "avx512")]
use crate::lanes::Avx512;
#[cfg(all(feature = "avx512", target_feature = "avx512vnni"))]
bytes_256!(Avx512, dot_vnni, pairs_vnni);
#[cfg(all(feature = "avx512", not(target_feature = "avx512vnni")))]
bytes_256!(Avx512, dot_avx2, pairs_avx2);

/// The 16-bit numbers of the low and of the high bytes, signed or not.
#[inline(always)]
unsafe fn wide<const SIGNED: bool>(x: __m128i) -> (__m128i, __m128i) {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let zero = _mm_setzero_si128();
        let sign = if SIGNED { _mm_cmpgt_epi8(zero, x) } else { zero };
        (_mm_unpacklo_epi8(x, sign), _mm_unpackhi_epi8(x, sign))
    }
}

/// Every 16-bit element is `x`.
#[inline(always)]
unsafe fn all(x: [i16; 16], at: usize) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_set1_epi16(x.get(at).copied().unwrap_or(0)) }
}

impl Bytes for Sse2 {
    type Codes = [__m128i; 2];
    type Sums = __m128i;
    lane_fns! {
        fn bytes(self, x: [u8; 32]) -> [__m128i; 2] = bits(x);
        fn array(self, x: [__m128i; 2]) -> [u8; 32] = bits(x);
        fn nibbles(self, x: [u8; 16]) -> [__m128i; 2] = {
            let (x, mask) = (bits(x), _mm_set1_epi8(15));
            [_mm_and_si128(x, mask), _mm_and_si128(_mm_srli_epi16::<4>(x), mask)]
        };
        fn flags(self, x: [u8; 4]) -> [__m128i; 2] = {
            let twice = |x| _mm_unpacklo_epi8(x, x);
            let four = twice(twice(_mm_cvtsi32_si128(i32::from_le_bytes(x))));
            let bit = _mm_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let set = |x| _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(x, bit), bit), _mm_set1_epi8(16));
            [set(_mm_unpacklo_epi32(four, four)), set(_mm_unpackhi_epi32(four, four))]
        };
        fn field(self, x: [__m128i; 2], by: i32, mask: u8) -> [__m128i; 2] = {
            let (count, mask) = (_mm_cvtsi32_si128(by.abs()), _mm_set1_epi8(mask as i8));
            let part = |x| {
                _mm_and_si128(if by < 0 { _mm_sll_epi16(x, count) } else { _mm_srl_epi16(x, count) }, mask)
            };
            let [x, y] = x;
            [part(x), part(y)]
        };
        fn order(self, x: [__m128i; 2], y: [__m128i; 2]) -> [[__m128i; 2]; 2] = {
            let ([a, b], [c, d]) = (x, y);
            [[_mm_min_epu8(a, c), _mm_min_epu8(b, d)], [_mm_max_epu8(a, c), _mm_max_epu8(b, d)]]
        };
        fn or(self, x: [__m128i; 2], y: [__m128i; 2]) -> [__m128i; 2] = {
            let ([a, b], [c, d]) = (x, y);
            [_mm_or_si128(a, c), _mm_or_si128(b, d)]
        };
        fn lookup(self, table: [i8; 16], at: [__m128i; 2]) -> [__m128i; 2] = {
            // Comparisons, where loads would be one by one.
            let [a, b] = at;
            let mut to = [_mm_setzero_si128(); 2];
            for (x, i) in table.iter().zip(0i8..) {
                let (x, i, [y, z]) = (_mm_set1_epi8(*x), _mm_set1_epi8(i), to);
                to = [
                    _mm_or_si128(y, _mm_and_si128(_mm_cmpeq_epi8(a, i), x)),
                    _mm_or_si128(z, _mm_and_si128(_mm_cmpeq_epi8(b, i), x)),
                ];
            }
            to
        };
        fn scales(self, x: [u8; 16]) -> [__m128i; 2] = {
            let x = bits(x);
            [_mm_srai_epi16::<8>(_mm_slli_epi16::<8>(x)), _mm_srai_epi16::<8>(x)]
        };
        fn wide_scales(self, x: [[u8; 2]; 16]) -> [__m128i; 2] = {
            let [a, b]: [__m128i; 2] = bits(x);
            let low = |x| _mm_srai_epi32::<16>(_mm_slli_epi32::<16>(x));
            let high = |x| _mm_srai_epi32::<16>(x);
            [_mm_packs_epi32(low(a), low(b)), _mm_packs_epi32(high(a), high(b))]
        };
        fn scales_twice(self, x: [u8; 8]) -> [__m128i; 2] =
            [_mm_unpacklo_epi8(_mm_set1_epi64x(i64::from_le_bytes(x)), _mm_setzero_si128()); 2];
        fn zero(self) -> __m128i = _mm_setzero_si128();
        fn plus(self, sum: __m128i, x: __m128i, by: i32) -> __m128i = {
            // A constant, for which the compiler has shifts: a product of 32 bits is no instruction of this set.
            let x: [i32; 4] = bits(x);
            _mm_add_epi32(sum, bits(x.map(|x| x.wrapping_mul(by))))
        };
        fn dot_scaled(self, sum: __m128i, a: [__m128i; 2], b: [__m128i; 2], scales: [__m128i; 2], at: usize) -> __m128i = {
            let (each, mut sum) = (bits(scales), sum);
            for ((a, b), at) in a.into_iter().zip(b).zip([at, 8 + at]) {
                let ((a0, a1), (b0, b1), by) = (wide::<false>(a), wide::<true>(b), all(each, at));
                // 63·128 is no more than 16 bits.
                let low = _mm_madd_epi16(_mm_mullo_epi16(a0, by), b0);
                let high = _mm_madd_epi16(_mm_mullo_epi16(a1, by), b1);
                sum = _mm_add_epi32(sum, _mm_add_epi32(low, high));
            }
            sum
        };
        fn dot_scales(self, a: [__m128i; 2], b: [__m128i; 2]) -> __m128i = {
            let ([a0, a1], [b0, b1]) = (a, b);
            _mm_add_epi32(_mm_madd_epi16(a0, b0), _mm_madd_epi16(a1, b1))
        };
        fn totals(self, x: [__m128i; 4]) -> [i32; 4] = {
            let [a, b, c, d] = x;
            let ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
            let cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
            bits(_mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd)))
        };
    }
    #[inline(always)]
    fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> [__m128i; 2] {
        let [a, b] = self.nibbles(x);
        let (a, b) = if HIGH { (b, a) } else { (a, b) };
        // SAFETY: SSE2 is part of x86-64.
        unsafe { [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)] }
    }
    #[inline(always)]
    fn dot<const SIGNED: bool>(self, mut sum: __m128i, a: [__m128i; 2], b: [__m128i; 2]) -> __m128i {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            for (a, b) in a.into_iter().zip(b) {
                let ((a0, a1), (b0, b1)) = (wide::<SIGNED>(a), wide::<true>(b));
                let (low, high) = (_mm_madd_epi16(a0, b0), _mm_madd_epi16(a1, b1));
                sum = _mm_add_epi32(sum, _mm_add_epi32(low, high));
            }
        }
        sum
    }
}
