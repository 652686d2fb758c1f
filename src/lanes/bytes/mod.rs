//! Vectors of 32 bytes for quantised blocks: unpacking of codes, and integer dot products. Instruction sets sum the
//! products in different lanes; the total is exact, so it is the same on all.

use super::{COMPACT, Portable, from_fn};
use crate::float16::f16_to_f32;

#[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
pub(super) mod neon;
#[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The bits of `x` as another type.
///
/// # Safety
/// Any bits are values of `B`.
#[inline(always)]
#[allow(dead_code, reason = "a target may have no intrinsics")]
unsafe fn bits<A: Copy, B: Copy>(x: A) -> B {
    const { assert!(size_of::<A>() == size_of::<B>()) };
    // SAFETY: the sizes are equal, and the caller guarantees the rest.
    unsafe { core::mem::transmute_copy(&x) }
}

/// Operations on 32 bytes and on the 16-bit scales of their groups.
pub trait Bytes: Copy {
    /// Whether loops over them are worth unrolling.
    const REGISTERS: bool = !COMPACT;
    /// 32 bytes, or 16 scales.
    type Codes: Copy;
    /// Partial sums of products, modulo 2³².
    type Sums: Copy;
    /// Bytes of memory.
    fn bytes(self, x: [u8; 32]) -> Self::Codes;
    /// The inverse of [`Bytes::bytes`].
    fn array(self, x: Self::Codes) -> [u8; 32];
    /// The low halves of 16 bytes, then the high ones.
    fn nibbles(self, x: [u8; 16]) -> Self::Codes;
    /// Both halves of each of 16 bytes, one beside the other: the low one first, or with `HIGH` the high one.
    fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> Self::Codes;
    /// 16 for each bit of `x` that is set, from the lowest.
    fn flags(self, x: [u8; 4]) -> Self::Codes;
    /// Each byte shifted to the right (to the left, by a negative `by`), of which `mask` stays. All of it must come from
    /// the byte itself.
    fn field(self, x: Self::Codes, by: i32, mask: u8) -> Self::Codes;
    /// The smaller and the larger of each two unsigned bytes.
    fn order(self, x: Self::Codes, y: Self::Codes) -> [Self::Codes; 2];
    /// Bit by bit.
    fn or(self, x: Self::Codes, y: Self::Codes) -> Self::Codes;
    /// `table[at[i]]`; the elements of `at` are below 16.
    fn lookup(self, table: [i8; 16], at: Self::Codes) -> Self::Codes;
    /// 16 signed scales: the even ones, then the odd ones.
    fn scales(self, x: [u8; 16]) -> Self::Codes;
    /// As [`Bytes::scales`], of little-endian numbers.
    fn wide_scales(self, x: [[u8; 2]; 16]) -> Self::Codes;
    /// 8 scales, twice.
    fn scales_twice(self, x: [u8; 8]) -> Self::Codes;
    /// 0.
    fn zero(self) -> Self::Sums;
    /// `sum + by·x`.
    fn plus(self, sum: Self::Sums, x: Self::Sums, by: i32) -> Self::Sums;
    /// `sum + Σ a[i]·b[i]`, the bytes of `b` signed; those of `a` are signed with `SIGNED`, and below 64 without.
    fn dot<const SIGNED: bool>(self, sum: Self::Sums, a: Self::Codes, b: Self::Codes) -> Self::Sums;
    /// `sum + Σ scale·a[i]·b[i]`, where the first half has the scale `at` of `scales` and the second `8 + at`. The
    /// bytes of `a` are below 64, those of `b` signed, the scales between -128 and 127.
    fn dot_scaled(
        self,
        sum: Self::Sums,
        a: Self::Codes,
        b: Self::Codes,
        scales: Self::Codes,
        at: usize,
    ) -> Self::Sums;
    /// `Σ a[i]·b[i]` of scales.
    fn dot_scales(self, a: Self::Codes, b: Self::Codes) -> Self::Sums;
    /// The total of each.
    fn totals(self, x: [Self::Sums; 4]) -> [i32; 4];
    /// Half-precision numbers.
    #[inline(always)]
    fn halves(self, x: [u16; 4]) -> [f32; 4] {
        let [a, b, c, d] = x;
        [f16_to_f32(a), f16_to_f32(b), f16_to_f32(c), f16_to_f32(d)]
    }
}

/// Element `i`, 0 past the end.
#[inline(always)]
fn at<T: Copy + Default>(x: &[T], i: usize) -> T {
    x.get(i).copied().unwrap_or_default()
}

/// Scale `i` of an array's bytes.
#[inline(always)]
fn scale(x: &[u8; 32], i: usize) -> i16 {
    i16::from_le_bytes([at(x, 2 * i), at(x, 2 * i + 1)])
}

/// The bytes of 16 scales.
#[inline(always)]
fn of_scales(f: impl Fn(usize) -> i16) -> [u8; 32] {
    from_fn(
        #[inline(always)]
        |i| at(&f(i / 2).to_le_bytes(), i % 2),
    )
}

impl<const N: usize> Bytes for Portable<N> {
    const REGISTERS: bool = false;
    type Codes = [u8; 32];
    type Sums = i32;
    #[inline(always)]
    fn bytes(self, x: [u8; 32]) -> [u8; 32] {
        x
    }
    #[inline(always)]
    fn array(self, x: [u8; 32]) -> [u8; 32] {
        x
    }
    #[inline(always)]
    fn nibbles(self, x: [u8; 16]) -> [u8; 32] {
        let mut to = [0; 32];
        let (low, high) = to.split_at_mut(16);
        for ((low, high), x) in low.iter_mut().zip(high).zip(&x) {
            (*low, *high) = (x & 15, x >> 4);
        }
        to
    }
    #[inline(always)]
    fn nibble_pairs<const HIGH: bool>(self, x: [u8; 16]) -> [u8; 32] {
        let mut to = [0; 32];
        for (to, x) in to.as_chunks_mut().0.iter_mut().zip(&x) {
            *to = if HIGH { [x >> 4, x & 15] } else { [x & 15, x >> 4] };
        }
        to
    }
    #[inline(always)]
    fn flags(self, x: [u8; 4]) -> [u8; 32] {
        let x = u32::from_le_bytes(x);
        let mut to = [0; 32];
        for (i, to) in to.iter_mut().enumerate() {
            *to = ((x >> i & 1) << 4) as u8;
        }
        to
    }
    #[inline(always)]
    fn field(self, mut x: [u8; 32], by: i32, mask: u8) -> [u8; 32] {
        for x in &mut x {
            *x = if by < 0 { *x << -by } else { *x >> by } & mask;
        }
        x
    }
    #[inline(always)]
    fn order(self, mut x: [u8; 32], mut y: [u8; 32]) -> [[u8; 32]; 2] {
        for (x, y) in x.iter_mut().zip(&mut y) {
            (*x, *y) = ((*x).min(*y), (*x).max(*y));
        }
        [x, y]
    }
    #[inline(always)]
    fn or(self, mut x: [u8; 32], y: [u8; 32]) -> [u8; 32] {
        for (x, y) in x.iter_mut().zip(&y) {
            *x |= y;
        }
        x
    }
    #[inline(always)]
    fn lookup(self, table: [i8; 16], mut x: [u8; 32]) -> [u8; 32] {
        for x in &mut x {
            *x = at(&table, usize::from(*x)) as u8;
        }
        x
    }
    #[inline(always)]
    fn scales(self, x: [u8; 16]) -> [u8; 32] {
        of_scales(
            #[inline(always)]
            |i| (at(&x, i % 8 * 2 + i / 8) as i8).into(),
        )
    }
    #[inline(always)]
    fn wide_scales(self, x: [[u8; 2]; 16]) -> [u8; 32] {
        of_scales(
            #[inline(always)]
            |i| i16::from_le_bytes(at(&x, i % 8 * 2 + i / 8)),
        )
    }
    #[inline(always)]
    fn scales_twice(self, x: [u8; 8]) -> [u8; 32] {
        of_scales(
            #[inline(always)]
            |i| at(&x, i % 8).into(),
        )
    }
    #[inline(always)]
    fn zero(self) -> i32 {
        0
    }
    #[inline(always)]
    fn plus(self, sum: i32, x: i32, by: i32) -> i32 {
        sum.wrapping_add(x.wrapping_mul(by))
    }
    #[inline(always)]
    fn dot<const SIGNED: bool>(self, sum: i32, a: [u8; 32], b: [u8; 32]) -> i32 {
        let products = a.iter().zip(&b).map(
            #[inline(always)]
            |(a, b)| i32::from(*a as i8) * i32::from(*b as i8),
        );
        sum.wrapping_add(products.sum())
    }
    #[inline(always)]
    fn dot_scaled(self, sum: i32, a: [u8; 32], b: [u8; 32], scales: [u8; 32], at: usize) -> i32 {
        let ((a, c), (b, d)) = (a.split_at(16), b.split_at(16));
        let half = |a: &[u8], b: &[u8], k| {
            let products = a.iter().zip(b).map(
                #[inline(always)]
                |(a, b)| i32::from(*a as i8) * i32::from(*b as i8),
            );
            products.sum::<i32>() * i32::from(scale(&scales, k))
        };
        sum.wrapping_add(half(a, b, at)).wrapping_add(half(c, d, 8 + at))
    }
    #[inline(always)]
    fn dot_scales(self, a: [u8; 32], b: [u8; 32]) -> i32 {
        (0..16).fold(0i32, |sum, i| sum.wrapping_add(i32::from(scale(&a, i)) * i32::from(scale(&b, i))))
    }
    #[inline(always)]
    fn totals(self, x: [i32; 4]) -> [i32; 4] {
        x
    }
}
