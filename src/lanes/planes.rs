//! Pixels of three bytes as planes of bytes, and back.
//!
//! Sixteen pixels are three registers, and `3·p + c`, the place of channel `c` of pixel `p`, runs through all places of a register modulo 16. So the
//! three registers are merged to one that has a channel of all pixels, which one lookup puts in order, and planes become pixels in the opposite order.

use super::Portable;

/// Pixels that are taken apart together.
pub const BLOCK: usize = 32;

/// Conversions between pixels of three bytes and planes.
pub trait Planes: Copy {
    /// The three planes of these pixels.
    #[inline(always)]
    fn planes(self, x: &[[u8; 3]; BLOCK]) -> [[u8; BLOCK]; 3] {
        let mut to = [[0; BLOCK]; 3];
        let [red, green, blue] = &mut to;
        for (((r, g), b), p) in red.iter_mut().zip(green).zip(blue).zip(x) {
            [*r, *g, *b] = *p;
        }
        to
    }
    /// The inverse of [`Planes::planes`].
    #[inline(always)]
    fn pixels(self, [red, green, blue]: &[[u8; BLOCK]; 3], to: &mut [[u8; 3]; BLOCK]) {
        for (((r, g), b), p) in red.iter().zip(green).zip(blue).zip(to) {
            *p = [*r, *g, *b];
        }
    }
}

impl<const N: usize> Planes for Portable<N> {}
// SSE2 has no lookup of bytes.
#[cfg(target_arch = "x86_64")]
impl Planes for super::Sse2 {}

/// For each channel, the places of a merged register that has it: in the order of pixels, and the pixel of each place.
#[allow(dead_code, reason = "a target may have no lookup of bytes")]
const ORDERS: [[[u8; 16]; 3]; 2] = {
    let mut to = [[[0; 16]; 3]; 2];
    let mut c = 0;
    while c < 3 {
        let mut p = 0;
        while p < 16 {
            let at = (3 * p + c) % 16;
            #[allow(clippy::indexing_slicing, reason = "when it is compiled")]
            {
                to[0][c][p] = at as u8;
                to[1][c][at] = p as u8;
            }
            p += 1;
        }
        c += 1;
    }
    to
};

/// All bits of every third byte, from the first or the second one on.
#[allow(dead_code, reason = "a target may have no lookup of bytes")]
const THIRDS: [[u8; 16]; 2] = {
    let mut to = [[0; 16]; 2];
    let mut i = 0;
    while i < 16 {
        #[allow(clippy::indexing_slicing, reason = "when it is compiled")]
        if i % 3 < 2 {
            to[i % 3][i] = 0xff;
        }
        i += 1;
    }
    to
};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, ORDERS, Planes, THIRDS};
    use crate::lanes::Avx2;
    use core::arch::x86_64::*;

    #[inline(always)]
    unsafe fn load(x: &[u8; 16]) -> __m128i {
        // SAFETY: it reads the array.
        unsafe { _mm_loadu_si128(x.as_ptr().cast()) }
    }

    macro_rules! planes_256 {
        ($T:ident) => {
            impl Planes for $T {
                lane_fns! {
                    fn planes(self, x: &[[u8; 3]; BLOCK]) -> [[u8; BLOCK]; 3] = {
                        let twice = |x: &[u8; 16]| _mm256_broadcastsi128_si256(load(x));
                        // Each half of a register is of one of two groups of sixteen pixels.
                        let (parts, _) = x.as_flattened().as_chunks::<16>();
                        let &[a, b, c, d, e, f] = parts else { return [[0; BLOCK]; 3] };
                        let two = |low, high| _mm256_set_m128i(load(&high), load(&low));
                        let [x, y, z] = [two(a, d), two(b, e), two(c, f)];
                        let [first, second] = [twice(&THIRDS[0]), twice(&THIRDS[1])];
                        // The first, second and third of every three bytes.
                        let merged = |a, b, c| _mm256_blendv_epi8(_mm256_blendv_epi8(c, b, second), a, first);
                        let [r, g, b] = [twice(&ORDERS[0][0]), twice(&ORDERS[0][1]), twice(&ORDERS[0][2])];
                        core::mem::transmute::<[__m256i; 3], [[u8; BLOCK]; 3]>([
                            _mm256_shuffle_epi8(merged(x, z, y), r),
                            _mm256_shuffle_epi8(merged(y, x, z), g),
                            _mm256_shuffle_epi8(merged(z, y, x), b),
                        ])
                    };
                    fn pixels(self, x: &[[u8; BLOCK]; 3], to: &mut [[u8; 3]; BLOCK]) -> () = {
                        let twice = |x: &[u8; 16]| _mm256_broadcastsi128_si256(load(x));
                        let [r, g, b] = core::mem::transmute::<[[u8; BLOCK]; 3], [__m256i; 3]>(*x);
                        let [of_r, of_g, of_b] = [twice(&ORDERS[1][0]), twice(&ORDERS[1][1]), twice(&ORDERS[1][2])];
                        let (r, g, b) = (_mm256_shuffle_epi8(r, of_r), _mm256_shuffle_epi8(g, of_g), _mm256_shuffle_epi8(b, of_b));
                        let [first, second] = [twice(&THIRDS[0]), twice(&THIRDS[1])];
                        let merged = |a, b, c| _mm256_blendv_epi8(_mm256_blendv_epi8(c, b, second), a, first);
                        let [x, y, z] = [merged(r, g, b), merged(g, b, r), merged(b, r, g)];
                        let parts = core::mem::transmute::<[__m256i; 3], [[u8; BLOCK]; 3]>([
                            _mm256_permute2x128_si256::<0x20>(x, y),
                            _mm256_permute2x128_si256::<0x30>(z, x),
                            _mm256_permute2x128_si256::<0x31>(y, z),
                        ]);
                        for (to, part) in to.as_flattened_mut().as_chunks_mut::<BLOCK>().0.iter_mut().zip(parts) {
                            *to = part;
                        }
                    };
                }
            }
        };
    }
    planes_256!(Avx2);
    #[cfg(feature = "avx512")]
    use crate::lanes::Avx512;
    #[cfg(feature = "avx512")]
    planes_256!(Avx512);
}

#[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
mod neon {
    use super::{BLOCK, Planes};
    use crate::lanes::Neon;
    use core::arch::aarch64::*;

    impl Planes for Neon {
        lane_fns! {
            fn planes(self, x: &[[u8; 3]; BLOCK]) -> [[u8; BLOCK]; 3] = {
                let x = x.as_ptr().cast::<u8>();
                // Two groups of sixteen pixels, which are the 96 bytes of the array.
                let (low, high) = (vld3q_u8(x), vld3q_u8(x.add(48)));
                let planes = [[low.0, high.0], [low.1, high.1], [low.2, high.2]];
                core::mem::transmute::<[[uint8x16_t; 2]; 3], [[u8; BLOCK]; 3]>(planes)
            };
            fn pixels(self, x: &[[u8; BLOCK]; 3], to: &mut [[u8; 3]; BLOCK]) -> () = {
                let [r, g, b] = core::mem::transmute::<[[u8; BLOCK]; 3], [[uint8x16_t; 2]; 3]>(*x);
                let to = to.as_mut_ptr().cast::<u8>();
                vst3q_u8(to, uint8x16x3_t(r[0], g[0], b[0]));
                vst3q_u8(to.add(48), uint8x16x3_t(r[1], g[1], b[1]));
            };
        }
    }
}

#[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
mod simd128 {
    #![allow(
        unused_unsafe,
        reason = "wasm intrinsics without pointers are safe; the shared macros don't know"
    )]
    use super::{BLOCK, ORDERS, Planes, THIRDS};
    use crate::lanes::Simd128;
    use core::arch::wasm32::*;

    /// Sixteen bytes as a register.
    #[inline(always)]
    fn load(x: [u8; 16]) -> v128 {
        // SAFETY: any bits are a value of a register.
        unsafe { core::mem::transmute::<[u8; 16], v128>(x) }
    }
    /// Of every three bytes the first of `a`, the second of `b` and the third of `c`.
    #[inline(always)]
    fn merged(a: v128, b: v128, c: v128) -> v128 {
        let [first, second] = THIRDS.map(load);
        v128_bitselect(a, v128_bitselect(b, c, second), first)
    }

    impl Planes for Simd128 {
        lane_fns! {
            fn planes(self, x: &[[u8; 3]; BLOCK]) -> [[u8; BLOCK]; 3] = {
                let (parts, _) = x.as_flattened().as_chunks::<16>();
                let &[a, b, c, d, e, f] = parts else { return [[0; BLOCK]; 3] };
                let [r, g, b_order] = ORDERS[0].map(load);
                let of = |x, y, z| {
                    [i8x16_swizzle(merged(x, z, y), r), i8x16_swizzle(merged(y, x, z), g), i8x16_swizzle(merged(z, y, x), b_order)]
                };
                let ([r, g, b], [s, h, c]) = (of(load(a), load(b), load(c)), of(load(d), load(e), load(f)));
                core::mem::transmute::<[[v128; 2]; 3], [[u8; BLOCK]; 3]>([[r, s], [g, h], [b, c]])
            };
            fn pixels(self, x: &[[u8; BLOCK]; 3], to: &mut [[u8; 3]; BLOCK]) -> () = {
                let planes = core::mem::transmute::<[[u8; BLOCK]; 3], [[v128; 2]; 3]>(*x);
                let [of_r, of_g, of_b] = ORDERS[1].map(load);
                let [[r, s], [g, h], [b, c]] = planes;
                let of = |r, g, b| {
                    let (r, g, b) = (i8x16_swizzle(r, of_r), i8x16_swizzle(g, of_g), i8x16_swizzle(b, of_b));
                    [merged(r, g, b), merged(g, b, r), merged(b, r, g)]
                };
                let parts = core::mem::transmute::<[[v128; 3]; 2], [[u8; 16]; 6]>([of(r, g, b), of(s, h, c)]);
                for (to, part) in to.as_flattened_mut().as_chunks_mut::<16>().0.iter_mut().zip(parts) {
                    *to = part;
                }
            };
        }
    }
}
