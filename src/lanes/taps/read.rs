//! What is read side by side: lengths are checked once for all of it, not for each pair of weights.

use super::{BLOCK, LINES, Taps};

/// Lines that are looked up once for all blocks of a row.
pub const HELD: usize = 64;

/// Up to [`HELD`] lines.
#[derive(Debug)]
pub(crate) struct Held<'a, T> {
    lines: [&'a [T]; HELD],
    /// So many of them have `len` elements or more.
    count: usize,
    len: usize,
}

impl<'a, T> Held<'a, T> {
    pub(crate) const fn new() -> Self {
        Self { lines: [&[]; HELD], count: 0, len: 0 }
    }
    /// Holds these lines instead.
    #[inline(always)]
    pub(crate) fn hold(&mut self, lines: impl Iterator<Item = &'a [T]>) {
        (self.count, self.len) = (0, usize::MAX);
        for (to, line) in self.lines.iter_mut().zip(lines) {
            *to = line;
            self.count += 1;
            self.len = self.len.min(line.len());
        }
    }
    /// How many of so many weights have a line with a block from `x` on.
    #[inline(always)]
    fn ready(&self, x: usize, weights: usize) -> usize {
        if x.checked_add(BLOCK).is_some_and(|end| end <= self.len) { weights.min(self.count) } else { 0 }
    }
    /// The block of line `k` from `x` on.
    /// # Safety
    /// `k` is below what [`Held::ready`] says of `x`.
    #[inline(always)]
    unsafe fn block(&self, k: usize, x: usize) -> &'a [T; BLOCK] {
        // SAFETY: there are more lines than `k`, and each has a block from `x` on.
        unsafe { &*self.lines.get_unchecked(k).as_ptr().add(x).cast() }
    }
    /// `add` of each line's block from `x` on and its weight, in order.
    #[inline(always)]
    pub(crate) fn each<W: Copy, A>(
        &self,
        x: usize,
        weights: &[W],
        mut sums: A,
        add: impl Fn(A, &[T; BLOCK], W) -> A,
    ) -> A {
        let n = self.ready(x, weights.len());
        for (k, by) in weights.iter().take(n).enumerate() {
            // SAFETY: `k < n`.
            sums = add(sums, unsafe { self.block(k, x) }, *by);
        }
        sums
    }
    /// As [`Held::each`], two lines and `N` blocks at a time; beside the last of an odd number stands itself with the weight 0.
    #[inline(always)]
    pub(crate) fn pairs<A: Copy, const N: usize>(
        &self,
        x: usize,
        weights: &[i16],
        mut sums: [A; N],
        add: impl Fn(A, &[T; BLOCK], &[T; BLOCK], [i16; 2]) -> A,
    ) -> [A; N] {
        let ready = self.ready(x + (N - 1) * BLOCK, weights.len());
        let weights = weights.get(..ready).unwrap_or_default();
        let (pairs, last) = weights.as_chunks::<2>();
        for (k, by) in pairs.iter().enumerate() {
            for (i, sums) in sums.iter_mut().enumerate() {
                let x = x + i * BLOCK;
                // SAFETY: there are more weights than `2k + 1`, all ready as far as the last block.
                let (a, b) = unsafe { (self.block(2 * k, x), self.block(2 * k + 1, x)) };
                *sums = add(*sums, a, b, *by);
            }
        }
        if let [by] = last {
            for (i, sums) in sums.iter_mut().enumerate() {
                // SAFETY: this is the last weight, ready as all.
                let a = unsafe { self.block(weights.len() - 1, x + i * BLOCK) };
                *sums = add(*sums, a, a, [*by, 0]);
            }
        }
        sums
    }
}

/// [`LINES`] lines of as many elements, one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines<'a> {
    data: &'a [i16],
    /// Elements of one: [`LINES`] times as many are in the data.
    step: usize,
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(data: &'a [i16]) -> Self {
        Self { data, step: data.len() / LINES }
    }
    /// Whether there are so many elements from `from` on.
    #[inline(always)]
    pub(crate) fn has(self, from: usize, count: usize) -> bool {
        from.checked_add(count).is_some_and(|end| end <= self.step)
    }
    /// Eight elements of each line.
    /// # Safety
    /// `self.has(at, 8)`.
    #[inline(always)]
    unsafe fn eight(self, at: usize) -> [&'a [i16; 8]; LINES] {
        let p = self.data.as_ptr();
        // SAFETY: line `l` has `step` elements from `l·step` on.
        let line = |l: usize| unsafe { &*p.add(l * self.step + at).cast() };
        [line(0), line(1), line(2), line(3)]
    }
    /// Sums of which the total is `4·more + Σ by[k]·x[from + k]`.
    #[inline(always)]
    pub(crate) fn products<S: Taps>(self, s: S, from: usize, by: &[[i16; 8]], more: i32) -> S::Lines {
        let mut sums = s.lines(more);
        if self.has(from, by.len() * 8) {
            for (k, by) in by.iter().enumerate() {
                // SAFETY: `k < by.len()`.
                let x = unsafe { self.eight(from + k * 8) };
                sums = s.add_products(sums, x, by);
            }
        }
        sums
    }
}

/// `more + Σ by[k]·x[k]` of pixels, each two of them as [`Taps::two_pixels`] has them, in all lines.
#[inline(always)]
pub(crate) fn pixels<S: Taps>(s: S, pixels: &[[[i16; 8]; LINES]], by: &[[i16; 2]], more: i32) -> S::Lines {
    let mut sums = s.lines(more);
    for (pixels, by) in pixels.iter().zip(by) {
        sums = s.add_pixels(sums, pixels, *by);
    }
    sums
}
