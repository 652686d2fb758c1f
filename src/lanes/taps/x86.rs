//! Products of pairs on x86: `pmaddwd` of registers of 16 bytes on SSE2, of 32 on AVX2 and AVX-512.

use super::{BLOCK, LINES, Taps, pair, together as closed};
use crate::lanes::{Avx2, COMPACT, Sse2};
use core::arch::x86_64::*;

/// Sixteen bytes of memory.
#[inline(always)]
unsafe fn load<T, const N: usize>(x: &[T; N], at: usize) -> __m128i {
    const { assert!(size_of::<[T; N]>().is_multiple_of(16)) };
    debug_assert!(at < size_of::<[T; N]>() / 16);
    // SAFETY: the caller's: `at` is a part of the array.
    unsafe { _mm_loadu_si128(x.as_ptr().cast::<__m128i>().add(at)) }
}
/// Thirty-two bytes of memory.
#[inline(always)]
unsafe fn load_256<T, const N: usize>(x: &[T; N], at: usize) -> __m256i {
    const { assert!(size_of::<[T; N]>().is_multiple_of(32)) };
    debug_assert!(at < size_of::<[T; N]>() / 32);
    // SAFETY: the caller's: `at` is a part of the array.
    unsafe { _mm256_loadu_si256(x.as_ptr().cast::<__m256i>().add(at)) }
}

/// The byte indices of `x[i]` and `x[i + c]`, for `i` from 0 to 3.
const fn neighbours(c: usize) -> [u8; 16] {
    let mut to = [0; 16];
    let mut k = 0;
    while k < 16 {
        let i = k / 4 + if k % 4 < 2 { 0 } else { c };
        #[allow(clippy::indexing_slicing, reason = "when it is compiled")]
        {
            to[k] = (2 * i + k % 2) as u8;
        }
        k += 1;
    }
    to
}

/// The byte indices that move the first `c` of each four bytes next to each other, in each half.
const fn together(c: usize) -> [u8; 16] {
    let mut to = [0; 16];
    let mut k = 0;
    while k < 16 {
        let (half, i) = (k / 8 * 8, k % 8);
        #[allow(clippy::indexing_slicing, reason = "when it is compiled")]
        {
            to[k] = (half + if i < c { i } else { (4 + i - c) % 8 }) as u8;
        }
        k += 1;
    }
    to
}

macro_rules! taps_256 {
    ($T:ident) => {
        impl Taps for $T {
            const TWO: bool = !COMPACT;
            // A register has the sums of four elements of each half of 32 bytes, or of each half of 16 numbers.
            type Sums = [__m256i; 4];
            // Lines 0 and 1, and 2 and 3.
            type Lines = [__m256i; 2];
            lane_fns! {
                fn all(self, x: i32) -> [__m256i; 4] = [_mm256_set1_epi32(x); 4];
                fn add_bytes(self, sums: [__m256i; 4], a: &[u8; BLOCK], b: &[u8; BLOCK], by: [i16; 2]) -> [__m256i; 4] = {
                    let (by, zero) = (_mm256_set1_epi32(pair(by)), _mm256_setzero_si256());
                    let (a, b, [p, q, r, t]) = (load_256(a, 0), load_256(b, 0), sums);
                    let (low, high) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
                    [
                        _mm256_add_epi32(p, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), by)),
                        _mm256_add_epi32(q, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), by)),
                        _mm256_add_epi32(r, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), by)),
                        _mm256_add_epi32(t, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), by)),
                    ]
                };
                fn add_numbers(self, sums: [__m256i; 4], a: &[i16; BLOCK], b: &[i16; BLOCK], by: [i16; 2]) -> [__m256i; 4] = {
                    let (by, [p, q, r, t]) = (_mm256_set1_epi32(pair(by)), sums);
                    let (a0, b0, a1, b1) = (load_256(a, 0), load_256(b, 0), load_256(a, 1), load_256(b, 1));
                    [
                        _mm256_add_epi32(p, _mm256_madd_epi16(_mm256_unpacklo_epi16(a0, b0), by)),
                        _mm256_add_epi32(q, _mm256_madd_epi16(_mm256_unpackhi_epi16(a0, b0), by)),
                        _mm256_add_epi32(r, _mm256_madd_epi16(_mm256_unpacklo_epi16(a1, b1), by)),
                        _mm256_add_epi32(t, _mm256_madd_epi16(_mm256_unpackhi_epi16(a1, b1), by)),
                    ]
                };
                fn to_numbers(self, sums: [__m256i; 4], shift: u32) -> [i16; BLOCK] = {
                    let shift = _mm_cvtsi32_si128(shift as i32);
                    let ([p, q, r, t], part) = (sums, |x| _mm256_sra_epi32(x, shift));
                    let (x, y) = (_mm256_packs_epi32(part(p), part(q)), _mm256_packs_epi32(part(r), part(t)));
                    core::mem::transmute::<[__m256i; 2], [i16; BLOCK]>([
                        _mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y),
                    ])
                };
                fn to_bytes(self, sums: [__m256i; 4], shift: u32) -> [u8; BLOCK] = {
                    let shift = _mm_cvtsi32_si128(shift as i32);
                    let ([p, q, r, t], part) = (sums, |x| _mm256_sra_epi32(x, shift));
                    let x = _mm256_packus_epi16(_mm256_packs_epi32(part(p), part(q)), _mm256_packs_epi32(part(r), part(t)));
                    core::mem::transmute::<__m256i, [u8; BLOCK]>(_mm256_permute4x64_epi64::<0b11_01_10_00>(x))
                };
                fn lines(self, x: i32) -> [__m256i; 2] = [_mm256_set1_epi32(x); 2];
                fn add_products(self, sums: [__m256i; 2], x: [&[i16; 8]; LINES], by: &[i16; 8]) -> [__m256i; 2] = {
                    let ([a, b, c, d], [p, q], by) = (x, sums, _mm256_broadcastsi128_si256(load(by, 0)));
                    let (x, y) = (_mm256_set_m128i(load(b, 0), load(a, 0)), _mm256_set_m128i(load(d, 0), load(c, 0)));
                    [_mm256_add_epi32(p, _mm256_madd_epi16(x, by)), _mm256_add_epi32(q, _mm256_madd_epi16(y, by))]
                };
                fn add_pixels(self, sums: [__m256i; 2], pixels: &[[i16; 8]; LINES], by: [i16; 2]) -> [__m256i; 2] = {
                    let ([p, q], by) = (sums, _mm256_set1_epi32(pair(by)));
                    let (x, y) = (load_256(pixels, 0), load_256(pixels, 1));
                    [_mm256_add_epi32(p, _mm256_madd_epi16(x, by)), _mm256_add_epi32(q, _mm256_madd_epi16(y, by))]
                };
                fn totals_to_bytes(self, sums: [[__m256i; 2]; 4], shift: u32) -> [[u8; 4]; LINES] = {
                    let ([[a, b], [c, d], [e, f], [g, h]], shift) = (sums, _mm_cvtsi32_si128(shift as i32));
                    let total = |a, c, e, g| _mm256_hadd_epi32(_mm256_hadd_epi32(a, c), _mm256_hadd_epi32(e, g));
                    let (x, y) = (_mm256_sra_epi32(total(a, c, e, g), shift), _mm256_sra_epi32(total(b, d, f, h), shift));
                    let x = _mm256_packs_epi32(x, y);
                    // Lines 0 and 2, and lines 1 and 3.
                    let x = _mm256_packus_epi16(x, x);
                    let lines = _mm_unpacklo_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256::<1>(x));
                    core::mem::transmute::<__m128i, [[u8; 4]; LINES]>(lines)
                };
            }
            #[inline(always)]
            fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8] {
                // SAFETY: the token proves the instructions.
                unsafe {
                    let x = _mm_shuffle_epi8(load(x, 0), load(&const { neighbours(C) }, 0));
                    core::mem::transmute::<__m128i, [i16; 8]>(x)
                }
            }
            #[inline(always)]
            fn pixels_to_bytes<const C: usize>(self, sums: [[__m256i; 2]; 2], shift: u32) -> [[u8; 8]; LINES] {
                // SAFETY: the token proves the instructions.
                unsafe {
                    let ([[a, b], [c, d]], shift) = (sums, _mm_cvtsi32_si128(shift as i32));
                    let part = |x| _mm256_sra_epi32(x, shift);
                    let x = _mm256_packs_epi32(part(a), part(c));
                    let x = _mm256_packus_epi16(x, _mm256_packs_epi32(part(b), part(d)));
                    // Lines 0 and 2, and lines 1 and 3, of each two pixels of four bytes.
                    let x = match C {
                        2 | 3 => _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(load(&const { together(C) }, 0))),
                        _ => x,
                    };
                    let x = _mm256_permute4x64_epi64::<0b11_01_10_00>(x);
                    core::mem::transmute::<__m256i, [[u8; 8]; LINES]>(x)
                }
            }
        }
    };
}
taps_256!(Avx2);
#[cfg(feature = "avx512")]
use crate::lanes::Avx512;
#[cfg(feature = "avx512")]
taps_256!(Avx512);

/// `sum + by·x` of neighbouring numbers.
#[inline(always)]
unsafe fn madd(sum: __m128i, x: __m128i, by: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe { _mm_add_epi32(sum, _mm_madd_epi16(x, by)) }
}

impl Taps for Sse2 {
    const TWO: bool = false;
    type Sums = [__m128i; 8];
    type Lines = [__m128i; LINES];
    lane_fns! {
        fn all(self, x: i32) -> [__m128i; 8] = [_mm_set1_epi32(x); 8];
        fn add_bytes(self, sums: [__m128i; 8], a: &[u8; BLOCK], b: &[u8; BLOCK], by: [i16; 2]) -> [__m128i; 8] = {
            let (by, zero, mut sums) = (_mm_set1_epi32(pair(by)), _mm_setzero_si128(), sums);
            for (i, sums) in sums.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let (a, b, [p, q, r, t]) = (load(a, i), load(b, i), *sums);
                let (low, high) = (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b));
                *sums = [
                    madd(p, _mm_unpacklo_epi8(low, zero), by), madd(q, _mm_unpackhi_epi8(low, zero), by),
                    madd(r, _mm_unpacklo_epi8(high, zero), by), madd(t, _mm_unpackhi_epi8(high, zero), by),
                ];
            }
            sums
        };
        fn add_numbers(self, sums: [__m128i; 8], a: &[i16; BLOCK], b: &[i16; BLOCK], by: [i16; 2]) -> [__m128i; 8] = {
            let (by, mut sums) = (_mm_set1_epi32(pair(by)), sums);
            for (i, sums) in sums.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let (a, b, [p, q]) = (load(a, i), load(b, i), *sums);
                *sums = [madd(p, _mm_unpacklo_epi16(a, b), by), madd(q, _mm_unpackhi_epi16(a, b), by)];
            }
            sums
        };
        fn to_numbers(self, sums: [__m128i; 8], shift: u32) -> [i16; BLOCK] = {
            let shift = _mm_cvtsi32_si128(shift as i32);
            let ([a, b, c, d, e, f, g, h], part) = (sums, |x| _mm_sra_epi32(x, shift));
            let two = |a, b| _mm_packs_epi32(part(a), part(b));
            core::mem::transmute::<[__m128i; 4], [i16; BLOCK]>([
                two(a, b), two(c, d), two(e, f), two(g, h),
            ])
        };
        fn to_bytes(self, sums: [__m128i; 8], shift: u32) -> [u8; BLOCK] = {
            let shift = _mm_cvtsi32_si128(shift as i32);
            let ([a, b, c, d, e, f, g, h], part) = (sums, |x| _mm_sra_epi32(x, shift));
            let two = |a, b| _mm_packs_epi32(part(a), part(b));
            core::mem::transmute::<[__m128i; 2], [u8; BLOCK]>([
                _mm_packus_epi16(two(a, b), two(c, d)),
                _mm_packus_epi16(two(e, f), two(g, h)),
            ])
        };
        fn lines(self, x: i32) -> [__m128i; LINES] = [_mm_set1_epi32(x); LINES];
        fn add_products(self, sums: [__m128i; LINES], x: [&[i16; 8]; LINES], by: &[i16; 8]) -> [__m128i; LINES] = {
            let ([p, q, r, t], [a, b, c, d], by) = (sums, x, load(by, 0));
            [madd(p, load(a, 0), by), madd(q, load(b, 0), by), madd(r, load(c, 0), by), madd(t, load(d, 0), by)]
        };
        fn add_pixels(self, sums: [__m128i; LINES], pixels: &[[i16; 8]; LINES], by: [i16; 2]) -> [__m128i; LINES] = {
            let ([p, q, r, t], by, x) = (sums, _mm_set1_epi32(pair(by)), |i| load(pixels, i));
            [madd(p, x(0), by), madd(q, x(1), by), madd(r, x(2), by), madd(t, x(3), by)]
        };
        fn totals_to_bytes(self, sums: [[__m128i; LINES]; 4], shift: u32) -> [[u8; 4]; LINES] = {
            let (shift, [p, q, r, t]) = (_mm_cvtsi32_si128(shift as i32), sums);
            let total = |a, b, c, d| {
                let ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
                let cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
                _mm_sra_epi32(_mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd)), shift)
            };
            let ([p0, p1, p2, p3], [q0, q1, q2, q3], [r0, r1, r2, r3], [t0, t1, t2, t3]) = (p, q, r, t);
            let low = _mm_packs_epi32(total(p0, q0, r0, t0), total(p1, q1, r1, t1));
            let high = _mm_packs_epi32(total(p2, q2, r2, t2), total(p3, q3, r3, t3));
            core::mem::transmute::<__m128i, [[u8; 4]; LINES]>(_mm_packus_epi16(low, high))
        };
    }
    #[inline(always)]
    fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8] {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let x = load(x, 0);
            let next = match C {
                2 => _mm_srli_si128::<4>(x),
                3 => _mm_srli_si128::<6>(x),
                _ => _mm_srli_si128::<8>(x),
            };
            core::mem::transmute::<__m128i, [i16; 8]>(_mm_unpacklo_epi16(x, next))
        }
    }
    #[inline(always)]
    fn pixels_to_bytes<const C: usize>(self, sums: [[__m128i; LINES]; 2], shift: u32) -> [[u8; 8]; LINES] {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let ([[a, b, c, d], [e, f, g, h]], shift) = (sums, _mm_cvtsi32_si128(shift as i32));
            let two = |a, e| _mm_packs_epi32(_mm_sra_epi32(a, shift), _mm_sra_epi32(e, shift));
            let lines = [_mm_packus_epi16(two(a, e), two(b, f)), _mm_packus_epi16(two(c, g), two(d, h))];
            closed::<C>(core::mem::transmute::<[__m128i; 2], [u64; LINES]>(lines))
        }
    }
}
