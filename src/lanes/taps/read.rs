//! Reads several lines at a time. Lengths are checked once for all weights, not for each pair of them.

use super::{BLOCK, LINES, Taps};

/// The most lines that are looked up once for all blocks of a row.
pub const HELD: usize = 64;

/// Up to [`HELD`] lines.
#[derive(Debug)]
pub(crate) struct Held<'a, T> {
    lines: [&'a [T]; HELD],
    /// The number of lines that are held, each of `len` elements or more.
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
    /// How many of `weights` weights have a line: 0 where a line has no block from `x` on.
    #[inline(always)]
    fn ready(&self, x: usize, weights: usize) -> usize {
        if x.checked_add(BLOCK).is_some_and(|end| end <= self.len) { weights.min(self.count) } else { 0 }
    }
    /// The block of line `k` from `x` on.
    /// # Safety
    /// `k` is below the number that [`Held::ready`] returns for `x`.
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
    /// As [`Held::each`], two lines and `N` blocks at a time. Where the number of lines is odd, the last one is paired with itself, with the weight 0.
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
                // SAFETY: `weights.len() - 1 < ready`, as far as the last block.
                let a = unsafe { self.block(weights.len() - 1, x + i * BLOCK) };
                *sums = add(*sums, a, a, [*by, 0]);
            }
        }
        sums
    }
}

/// [`LINES`] lines of equal length, one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines<'a> {
    data: &'a [i16],
    /// Elements of one line: `data` has at least [`LINES`] times as many.
    step: usize,
}

impl<'a> Lines<'a> {
    pub(crate) const fn new(data: &'a [i16]) -> Self {
        Self { data, step: data.len() / LINES }
    }
    /// Whether each line has `count` elements from `from` on.
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
    /// Four sums for each line, whose total is `4·more + Σ by[k]·x[from + k]`.
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

/// Two pixels of all lines, as [`Taps::two_pixels`] has them.
pub(crate) type Two = [[i16; 8]; LINES];

/// Writes the pixels of `plain`, of `C` channels, to line `l` of `to`, as many as `to` holds. `plain` has eight elements from the first of the last
/// two pixels on: those past the pixels may be anything.
#[inline(always)]
pub(crate) fn spread<S: Taps, const C: usize>(s: S, plain: &[i16], to: &mut [Two], l: usize) {
    let last = to.len().saturating_sub(1).saturating_mul(2 * C);
    if l >= LINES || last.saturating_add(8) > plain.len() {
        return;
    }
    for (i, to) in to.iter_mut().enumerate() {
        // SAFETY: eight elements follow the first of the last two pixels, and there are more lines than `l`.
        let (from, to) = unsafe { (&*plain.as_ptr().add(i * 2 * C).cast(), to.get_unchecked_mut(l)) };
        *to = s.two_pixels::<C>(from);
    }
}

/// The plan of one direction. Each pixel of the result has a span, which is the first pixel of the source and the number of pixels, and `room`
/// weights, of which those past the span are 0. No span has more than `most` pairs of weights.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spans<'a> {
    pub(crate) spans: &'a [[u32; 2]],
    pub(crate) weights: &'a [i16],
    pub(crate) room: usize,
    pub(crate) most: usize,
}

/// The pixels `o` and `o + 1` of the result in all lines, of `C` channels: `Σ by[k]·x[k] + 1/2` over the span of each, shifted to the right and
/// saturated.
#[inline(always)]
fn two<S: Taps, const C: usize>(
    s: S,
    pixels: &[Two],
    (spans, o): (Spans<'_>, usize),
    shift: u32,
) -> [[u8; 8]; LINES] {
    let mut both = [s.lines(1 << (shift - 1)); 2];
    for (i, sums) in both.iter_mut().enumerate() {
        let o = (o + i).min(spans.spans.len().saturating_sub(1));
        let [from, count] = spans.spans.get(o).copied().unwrap_or_default();
        let weights = spans.weights.get(o * spans.room..).unwrap_or_default().as_chunks::<2>().0;
        let pixels = pixels.get(from as usize / 2..).unwrap_or_default();
        for (pixels, by) in pixels.iter().zip(weights).take(count.div_ceil(2) as usize) {
            *sums = s.add_pixels(*sums, pixels, *by);
        }
    }
    s.pixels_to_bytes::<C>(both, shift)
}

/// Computes all pixels of the result, of `C` channels, in all lines. `pixels` are those of the source.
#[inline(always)]
pub(crate) fn pixels<S: Taps, const C: usize>(
    s: S,
    pixels: &[Two],
    spans: Spans<'_>,
    shift: u32,
    out: [&mut [u8]; LINES],
) {
    let (n, mut out) = (spans.spans.len(), out);
    // Two results before this one are written as eight bytes: every line has eight from there on.
    let shortest = out.iter().map(|line| line.len()).min().unwrap_or_default();
    let eight = if shortest < 8 { 0 } else { ((shortest - 8) / C + 1).min(n.saturating_sub(1)) };
    let enough = spans.room.saturating_mul(n) <= spans.weights.len() && 2 * spans.most <= spans.room;
    let last = pixels.len().checked_sub(spans.most).filter(|_| enough);
    let to = out.each_mut().map(|line| line.as_mut_ptr());
    let mut o = 0;
    while o < eight {
        let mut sums = [s.lines(1 << (shift - 1)); 2];
        let mut inside = true;
        for (i, sums) in sums.iter_mut().enumerate() {
            // SAFETY: `o + 1 < n`.
            let from = unsafe { spans.spans.get_unchecked(o + i) }[0] as usize / 2;
            inside &= last.is_some_and(|last| from <= last);
            if inside {
                // SAFETY: there are `most` pairs of pixels from here on, and as many pairs of weights for each of the `n` results.
                let (mut x, mut by) = unsafe {
                    (
                        pixels.as_ptr().add(from),
                        spans.weights.as_ptr().add((o + i) * spans.room).cast::<[i16; 2]>(),
                    )
                };
                for _ in 0..spans.most {
                    // SAFETY: as above; the ends may be pointed at.
                    unsafe {
                        *sums = s.add_pixels(*sums, &*x, *by);
                        (x, by) = (x.add(1), by.add(1));
                    }
                }
            }
        }
        // Near the end of the line there may be fewer than `most` pairs of pixels.
        let found = if inside {
            s.pixels_to_bytes::<C>(sums, shift)
        } else {
            two::<S, C>(s, pixels, (spans, o), shift)
        };
        for (to, found) in to.into_iter().zip(found) {
            // SAFETY: all lines have eight bytes from element `o` on, as `o < eight`. The next pixels are written later than what is
            // past these.
            unsafe { to.add(o * C).cast::<[u8; 8]>().write(found) }
        }
        o += 2;
    }
    while o < n {
        let found = two::<S, C>(s, pixels, (spans, o), shift);
        for (out, found) in out.iter_mut().zip(found) {
            let found = found.into_iter().take(2 * C);
            out.iter_mut().skip(o * C).zip(found).for_each(|(to, p)| *to = p);
        }
        o += 2;
    }
}
