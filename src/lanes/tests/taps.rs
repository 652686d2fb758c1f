//! Tests of sums of products of pairs, of bytes put in order, and of planes.

use super::super::taps::{BLOCK, LINES};
use super::super::{Portable, Simd};
use std::vec::Vec;

/// Bits of all kinds.
struct Draw(u64);
impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| [0, 255, self.next() as u8, self.next() as u8][self.next() as usize % 4])
    }
    fn numbers<const N: usize>(&mut self) -> [i16; N] {
        let ends = [i16::MIN, i16::MAX, 0];
        std::array::from_fn(|_| *ends.get(self.next() as usize % 12).unwrap_or(&(self.next() as i16)))
    }
}

/// What a set makes of drawn operands: all of it, in the order of memory.
fn found<S: Simd>(s: S, seed: u64) -> Vec<u8> {
    let mut r = Draw(seed | 1);
    let mut to = Vec::new();
    let (start, shift) = (r.next() as i32 >> 4, r.next() as u32 % 31);
    let (mut sums, mut wide) = (s.all(start), s.all(start));
    for _ in 0..3 {
        let (a, b, by) = (r.bytes::<BLOCK>(), r.bytes::<BLOCK>(), r.numbers::<2>());
        sums = s.add_bytes(sums, &a, &b, by);
        to.extend(s.order(s.bytes(a), s.bytes(b)).map(|x| s.array(x)).concat());
        let (a, b, by) = (r.numbers::<BLOCK>(), r.numbers::<BLOCK>(), r.numbers::<2>());
        wide = s.add_numbers(wide, &a, &b, by);
    }
    to.extend(s.to_numbers(sums, shift).map(i16::to_le_bytes).concat());
    to.extend(s.to_bytes(wide, shift));
    let lines = |r: &mut Draw| -> [[i16; 8]; LINES] { std::array::from_fn(|_| r.numbers()) };
    let totals = [0; 4].map(|_| {
        let (x, by) = (lines(&mut r), r.numbers());
        s.add_products(s.lines(start), x.each_ref(), &by)
    });
    to.extend(s.totals_to_bytes(totals, shift).concat());
    to.extend(pixels::<S, 2>(s, &mut r, start, shift));
    to.extend(pixels::<S, 3>(s, &mut r, start, shift));
    to.extend(pixels::<S, 4>(s, &mut r, start, shift));
    let x: [[u8; 3]; BLOCK] = std::array::from_fn(|_| r.bytes());
    let mut back = [[7; 3]; BLOCK];
    let planes = s.planes(&x);
    s.pixels(&planes, &mut back);
    to.extend(planes.as_flattened());
    to.extend(back.as_flattened());
    to
}

fn pixels<S: Simd, const C: usize>(s: S, r: &mut Draw, start: i32, shift: u32) -> Vec<u8> {
    let sums = [0; 2].map(|_| {
        let pixels: [[i16; 8]; LINES] = std::array::from_fn(|_| s.two_pixels::<C>(&r.numbers()));
        s.add_pixels(s.lines(start), &pixels, r.numbers())
    });
    s.pixels_to_bytes::<C>(sums, shift).iter().flat_map(|line| &line[..2 * C]).copied().collect()
}

#[test]
fn products_of_pairs() {
    use super::present::*;
    for seed in 1..if cfg!(debug_assertions) { 400 } else { 4000 } {
        let want = found(Portable::<1>::new(), seed * 77);
        for_each_width!(|s| {
            let got = s.vectorize(
                #[inline(always)]
                || found(s, seed * 77),
            );
            assert!(got == want, "{} {seed}: {got:?}, not {want:?}", name_of(s));
        });
    }
}
