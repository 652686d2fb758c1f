//! Sums of products of 16-bit weights with bytes or 16-bit numbers, two products to an instruction, for filters and resizes of
//! bytes. The sums are exact modulo 2³², so all instruction sets give the same bits.

use super::{Portable, from_fn};

#[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
mod neon;
pub(crate) mod read;
#[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Elements of a row that are summed together.
pub const BLOCK: usize = 32;

/// Rows that are resized together.
pub const LINES: usize = 4;

/// Sums of products with pairs of weights.
pub trait Taps: Copy {
    /// Whether the registers hold the sums of two blocks.
    const TWO: bool;
    /// [`BLOCK`] sums of 32 bits, in an order that depends on the instruction set.
    type Sums: Copy;
    /// Four sums for each of [`LINES`] lines.
    type Lines: Copy;
    /// Sums that are all `x`.
    fn all(self, x: i32) -> Self::Sums;
    /// `sum[i] + by[0]·a[i] + by[1]·b[i]`.
    fn add_bytes(self, sums: Self::Sums, a: &[u8; BLOCK], b: &[u8; BLOCK], by: [i16; 2]) -> Self::Sums;
    /// As [`Taps::add_bytes`], of 16-bit numbers. The sums may have another order.
    fn add_numbers(self, sums: Self::Sums, a: &[i16; BLOCK], b: &[i16; BLOCK], by: [i16; 2]) -> Self::Sums;
    /// The sums of [`Taps::add_bytes`], shifted to the right and saturated.
    fn to_numbers(self, sums: Self::Sums, shift: u32) -> [i16; BLOCK];
    /// The sums of [`Taps::add_numbers`], shifted to the right and saturated.
    fn to_bytes(self, sums: Self::Sums, shift: u32) -> [u8; BLOCK];
    /// Sums that are all `x`.
    fn lines(self, x: i32) -> Self::Lines;
    /// The first two pixels of `x`, of `C` channels (2 to 4). Each becomes four numbers, in an order that depends on the instruction set;
    /// the numbers past the channels are arbitrary.
    fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8];
    /// `sum[i] + by[0]·x[i] + by[1]·z[i]` in each line, where `x` and `z` are its two pixels as [`Taps::two_pixels`] gives them.
    fn add_pixels(self, sums: Self::Lines, pixels: &[[i16; 8]; LINES], by: [i16; 2]) -> Self::Lines;
    /// `sum[i] + by[2i]·x[2i] + by[2i + 1]·x[2i + 1]` in each line.
    fn add_products(self, sums: Self::Lines, x: [&[i16; 8]; LINES], by: &[i16; 8]) -> Self::Lines;
    /// The sums of two adjacent pixels, shifted to the right and saturated: `2·C` bytes in each line; those behind them are arbitrary.
    fn pixels_to_bytes<const C: usize>(self, sums: [Self::Lines; 2], shift: u32) -> [[u8; 8]; LINES];
    /// The totals of the four sums of each of four adjacent pixels of one channel, shifted to the right and saturated.
    fn totals_to_bytes(self, sums: [Self::Lines; 4], shift: u32) -> [[u8; 4]; LINES];
}

/// Two weights in the two halves of 32 bits, as the instructions take them.
#[inline(always)]
#[allow(dead_code, reason = "a target may have no intrinsics")]
const fn pair([a, b]: [i16; 2]) -> i32 {
    (b as i32) << 16 | a as u16 as i32
}

/// In each line, the first `C` of its lower four bytes, and the first `C` of its upper four bytes directly behind them.
#[inline(always)]
#[allow(dead_code, reason = "a target may have no intrinsics")]
fn together<const C: usize>(lines: [u64; LINES]) -> [[u8; 8]; LINES] {
    // The upper four bytes move down.
    let mask = u64::from(u32::MAX) >> (32 - 8 * C);
    let one = |x: u64| (x & mask | (x >> 32) << (8 * C)).to_le_bytes();
    let [a, b, c, d] = lines;
    [one(a), one(b), one(c), one(d)]
}

#[inline(always)]
fn plus(sum: i32, x: impl Into<i32>, by: i16) -> i32 {
    sum.wrapping_add(x.into() * i32::from(by))
}
/// A sum, shifted to the right and clipped.
#[inline(always)]
fn byte(sum: i32, shift: u32) -> u8 {
    (sum >> shift).clamp(0, 255) as u8
}
#[inline(always)]
fn at<T: Copy + Default>(x: &[T], i: usize) -> T {
    x.get(i).copied().unwrap_or_default()
}

impl<const N: usize> Taps for Portable<N> {
    const TWO: bool = false;
    type Sums = [i32; BLOCK];
    type Lines = [[i32; 4]; LINES];
    #[inline(always)]
    fn all(self, x: i32) -> Self::Sums {
        [x; BLOCK]
    }
    #[inline(always)]
    fn add_bytes(
        self,
        mut sums: Self::Sums,
        a: &[u8; BLOCK],
        b: &[u8; BLOCK],
        [v, w]: [i16; 2],
    ) -> Self::Sums {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = plus(plus(*sum, *a, v), *b, w);
        }
        sums
    }
    #[inline(always)]
    fn add_numbers(
        self,
        mut sums: Self::Sums,
        a: &[i16; BLOCK],
        b: &[i16; BLOCK],
        [v, w]: [i16; 2],
    ) -> Self::Sums {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = plus(plus(*sum, *a, v), *b, w);
        }
        sums
    }
    #[inline(always)]
    fn to_numbers(self, sums: Self::Sums, shift: u32) -> [i16; BLOCK] {
        sums.map(|sum| (sum >> shift).clamp(i16::MIN.into(), i16::MAX.into()) as i16)
    }
    #[inline(always)]
    fn to_bytes(self, sums: Self::Sums, shift: u32) -> [u8; BLOCK] {
        sums.map(|sum| byte(sum, shift))
    }
    #[inline(always)]
    fn lines(self, x: i32) -> Self::Lines {
        [[x; 4]; LINES]
    }
    #[inline(always)]
    fn two_pixels<const C: usize>(self, x: &[i16; 8]) -> [i16; 8] {
        from_fn(
            #[inline(always)]
            |i| at(x, i / 4 * C + i % 4),
        )
    }
    #[inline(always)]
    fn add_pixels(self, mut sums: Self::Lines, pixels: &[[i16; 8]; LINES], [v, w]: [i16; 2]) -> Self::Lines {
        for (sums, x) in sums.iter_mut().zip(pixels) {
            let (a, b) = x.split_at(4);
            for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
                *sum = plus(plus(*sum, *a, v), *b, w);
            }
        }
        sums
    }
    #[inline(always)]
    fn add_products(self, mut sums: Self::Lines, x: [&[i16; 8]; LINES], by: &[i16; 8]) -> Self::Lines {
        for (sums, x) in sums.iter_mut().zip(x) {
            for ((sum, [a, b]), [v, w]) in sums.iter_mut().zip(x.as_chunks().0).zip(by.as_chunks().0) {
                *sum = plus(plus(*sum, *a, *v), *b, *w);
            }
        }
        sums
    }
    #[inline(always)]
    fn pixels_to_bytes<const C: usize>(self, [a, b]: [Self::Lines; 2], shift: u32) -> [[u8; 8]; LINES] {
        let mut to = [[0; 8]; LINES];
        for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
            let sums = a.into_iter().take(C).chain(b);
            to.iter_mut().zip(sums).for_each(|(to, sum)| *to = byte(sum, shift));
        }
        to
    }
    #[inline(always)]
    fn totals_to_bytes(self, sums: [Self::Lines; 4], shift: u32) -> [[u8; 4]; LINES] {
        let mut to = [[0; 4]; LINES];
        for (x, pixel) in sums.iter().enumerate() {
            for (to, sums) in to.iter_mut().zip(pixel) {
                let total = sums.iter().fold(0, |total: i32, sum| total.wrapping_add(*sum));
                to.get_mut(x).into_iter().for_each(|to| *to = byte(total, shift));
            }
        }
        to
    }
}
