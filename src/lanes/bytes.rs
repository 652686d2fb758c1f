//! [`Simd::dot_i8`](super::Simd::dot_i8) and [`Simd::lookup_i8`](super::Simd::lookup_i8) by the instructions of each set. Inlined, the arrays are registers.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use core::arch::aarch64::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use core::arch::wasm32::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
/// The bits of `x` as a register, or as two.
///
/// # Safety
/// `A` and `B` have one size, and any bits are values of `B`.
#[inline(always)]
unsafe fn bits<A: Copy, B: Copy>(x: A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: the sizes are equal, and the caller promises the rest.
    unsafe { core::mem::transmute_copy(&x) }
}

/// # Safety
/// The CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn avx2<const RANGE: u8>(a: [i8; 32], b: [i8; 32]) -> [i32; 8] {
    // SAFETY: the caller's promise; arrays of 32 bytes have a register's size, and any bits are values of both.
    unsafe {
        let (a, b): (__m256i, __m256i) = (bits(a), bits(b));
        let ones = _mm256_set1_epi16(1);
        bits(match RANGE {
            // No pair of products passes 16 bits: 2·127·128 < 2¹⁵.
            2 => _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones),
            // (a + 64)·b − 64·b, exact modulo 2¹⁶, and the difference fits.
            1 => {
                let offset = _mm256_set1_epi8(64);
                let shifted = _mm256_maddubs_epi16(_mm256_add_epi8(a, offset), b);
                _mm256_madd_epi16(_mm256_sub_epi16(shifted, _mm256_maddubs_epi16(offset, b)), ones)
            }
            _ => {
                let (a0, a1) = (_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
                let (b0, b1) = (_mm256_castsi256_si128(b), _mm256_extracti128_si256::<1>(b));
                let low = _mm256_madd_epi16(_mm256_cvtepi8_epi16(a0), _mm256_cvtepi8_epi16(b0));
                let high = _mm256_madd_epi16(_mm256_cvtepi8_epi16(a1), _mm256_cvtepi8_epi16(b1));
                _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_hadd_epi32(low, high))
            }
        })
    }
}

/// # Safety
/// The CPU has AVX-512 F, BW, DQ, VL and AVX2.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[inline(always)]
pub(super) unsafe fn avx512<const RANGE: u8>(a: [i8; 32], b: [i8; 32]) -> [i32; 8] {
    // SAFETY: the caller's promise, and for VNNI the build's target feature; as in `avx2`.
    #[cfg(target_feature = "avx512vnni")]
    unsafe {
        let (a, b): (__m256i, __m256i) = (bits(a), bits(b));
        let zero = _mm256_setzero_si256();
        // (a + offset)·b − offset·b in 32 bits.
        let offset = _mm256_set1_epi8(if RANGE == 1 { 64 } else { -128 });
        if RANGE == 2 {
            bits(_mm256_dpbusd_epi32(zero, a, b))
        } else {
            let shifted = _mm256_dpbusd_epi32(zero, _mm256_add_epi8(a, offset), b);
            bits(_mm256_sub_epi32(shifted, _mm256_dpbusd_epi32(zero, offset, b)))
        }
    }
    // SAFETY: the caller's promise.
    #[cfg(not(target_feature = "avx512vnni"))]
    unsafe {
        avx2::<RANGE>(a, b)
    }
}

/// # Safety
/// None: SSE2 is part of x86-64.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn sse2(a: [i8; 32], b: [i8; 32]) -> [i32; 8] {
    // SAFETY: SSE2 is part of x86-64; two registers have an array's size, and any bits are values of both.
    unsafe {
        let (a, b): ([__m128i; 2], [__m128i; 2]) = (bits(a), bits(b));
        let wide = |x: __m128i| {
            let sign = _mm_cmpgt_epi8(_mm_setzero_si128(), x);
            (_mm_unpacklo_epi8(x, sign), _mm_unpackhi_epi8(x, sign))
        };
        let sums = |a: __m128i, b: __m128i| {
            let ((a0, a1), (b0, b1)) = (wide(a), wide(b));
            let low = _mm_castsi128_ps(_mm_madd_epi16(a0, b0));
            let high = _mm_castsi128_ps(_mm_madd_epi16(a1, b1));
            // Neighbours of both are added.
            let even = _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(low, high));
            let odd = _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(low, high));
            _mm_add_epi32(even, odd)
        };
        let ([a0, a1], [b0, b1]) = (a, b);
        bits([sums(a0, b0), sums(a1, b1)])
    }
}

/// # Safety
/// The CPU has NEON.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[inline(always)]
pub(super) unsafe fn neon(a: [i8; 32], b: [i8; 32]) -> [i32; 8] {
    // SAFETY: the caller's promise; two registers have an array's size, and any bits are values of both.
    unsafe {
        let ([a0, a1], [b0, b1]): ([int8x16_t; 2], [int8x16_t; 2]) = (bits(a), bits(b));
        let sums = |a: int8x16_t, b: int8x16_t| {
            let low = vpaddlq_s16(vmull_s8(vget_low_s8(a), vget_low_s8(b)));
            let high = vpaddlq_s16(vmull_high_s8(a, b));
            vpaddq_s32(low, high)
        };
        bits([sums(a0, b0), sums(a1, b1)])
    }
}

/// # Safety
/// None: the module is refused by an engine without SIMD128.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
#[allow(unused_unsafe, reason = "wasm intrinsics without pointers are safe")]
pub(super) unsafe fn simd128(a: [i8; 32], b: [i8; 32]) -> [i32; 8] {
    // SAFETY: two registers have an array's size, and any bits are values of both.
    unsafe {
        let ([a0, a1], [b0, b1]): ([v128; 2], [v128; 2]) = (bits(a), bits(b));
        let sums = |a: v128, b: v128| {
            let low = i32x4_dot_i16x8(i16x8_extend_low_i8x16(a), i16x8_extend_low_i8x16(b));
            let high = i32x4_dot_i16x8(i16x8_extend_high_i8x16(a), i16x8_extend_high_i8x16(b));
            i32x4_add(i32x4_shuffle::<0, 2, 4, 6>(low, high), i32x4_shuffle::<1, 3, 5, 7>(low, high))
        };
        bits([sums(a0, b0), sums(a1, b1)])
    }
}

/// # Safety
/// The CPU has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn lookup_avx2(table: [i8; 16], at: [i8; 32]) -> [i8; 32] {
    // SAFETY: the caller's promise; as in `avx2`.
    unsafe { bits(_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bits(table)), bits(at))) }
}

/// # Safety
/// The CPU has NEON.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[inline(always)]
pub(super) unsafe fn lookup_neon(table: [i8; 16], at: [i8; 32]) -> [i8; 32] {
    // SAFETY: the caller's promise; as in `neon`.
    unsafe {
        let [low, high]: [uint8x16_t; 2] = bits(at);
        bits([vqtbl1q_s8(bits(table), low), vqtbl1q_s8(bits(table), high)])
    }
}

/// # Safety
/// None: the module is refused by an engine without SIMD128.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(always)]
#[allow(unused_unsafe, reason = "wasm intrinsics without pointers are safe")]
pub(super) unsafe fn lookup_simd128(table: [i8; 16], at: [i8; 32]) -> [i8; 32] {
    // SAFETY: as in `simd128`.
    unsafe {
        let [low, high]: [v128; 2] = bits(at);
        bits([i8x16_swizzle(bits(table), low), i8x16_swizzle(bits(table), high)])
    }
}
