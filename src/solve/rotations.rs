//! Plane (Givens) rotations of implicit QR iterations: collected, then applied to the vectors strip by strip, each of which stays
//! in cache.

use super::{abs, sqrt};
use crate::alu::Alu;
use crate::blas::transpose;
use crate::error::{Error, enough};
use crate::lanes::executor::Serial;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Bytes of a row of a strip.
pub(crate) const STRIP: usize = 128;
/// Sweeps that are kept.
pub(crate) const SWEEPS: usize = 32;
/// Longest sweeps that there is room for.
pub(crate) const LONGEST: usize = 16;

// Where none waits, there is room for the sweep of `n - 1` rotations that `n` vectors may need.
const _: () = assert!(SWEEPS >= 1 && LONGEST >= 1);

/// Elements of the room for rotations of `n` vectors.
pub(super) const fn scratch(n: usize) -> usize {
    n.saturating_mul(2 * LONGEST)
}

/// Columns of a strip.
const fn columns<T>() -> usize {
    STRIP / size_of::<T>()
}

/// Elements of a strip of `n` vectors, of the narrower type.
pub(super) const fn strip(n: usize) -> usize {
    n.saturating_mul(columns::<f32>())
}

/// The rotation `[c s; -s c]` that makes of `(f, g)` `(r, 0)`: `[c, s, r]`.
#[inline(always)]
pub(super) fn rotation<S: Simd>(s: S, f: f64, g: f64) -> [f64; 3] {
    if g == 0.0 {
        return [1.0, 0.0, f];
    }
    if f == 0.0 {
        return [0.0, 1.0, g];
    }
    let most = abs(f).max(abs(g));
    // Squares of smaller numbers lose digits.
    let by = if most < 1e-140 { super::power(most, 1000) } else { 1.0 };
    let (f, g) = (f * by, g * by);
    let r = sqrt(s, f * f + g * g);
    [f / r, g / r, r / by]
}

/// Rotations of neighbours in a matrix's rows, each with what the one before left: of rows `start`, and the next ones up or down.
#[derive(Clone, Copy, Default)]
struct Sweep {
    start: usize,
    len: usize,
    down: bool,
}

impl Sweep {
    fn rows(self) -> [usize; 2] {
        if self.down { [self.start - self.len, self.start] } else { [self.start, self.start + self.len] }
    }
}

/// Sweeps that wait.
pub(super) struct Rotations<'a, T> {
    pairs: &'a mut [[T; 2]],
    used: usize,
    sweeps: [Sweep; SWEEPS],
    count: usize,
}

impl<'a, T: Element> Rotations<'a, T> {
    pub fn new(scratch: &'a mut [T]) -> Self {
        Self { pairs: scratch.as_chunks_mut().0, used: 0, sweeps: [Sweep::default(); SWEEPS], count: 0 }
    }
    /// Whether there is room for a sweep of `len` rotations.
    pub fn full(&self, len: usize) -> bool {
        self.count == SWEEPS || self.pairs.len() - self.used < len
    }
    /// A sweep that begins with row `start`; its `len` rotations follow by [`Self::push`].
    ///
    /// Errors: [`Error::Workspace`] when there is no room for it; those that wait are kept.
    pub fn begin(&mut self, start: usize, down: bool, len: usize) -> Result<(), Error> {
        let got = (self.pairs.len() - self.used).saturating_mul(2);
        let short = Error::workspace(len.saturating_mul(2), got);
        enough(len.saturating_mul(2), got)?;
        *self.sweeps.get_mut(self.count).ok_or(short)? = Sweep { start, len: 0, down };
        self.count += 1;
        Ok(())
    }
    /// Of row `x`, which the last one left, and the next one, `y`: `cx + sy` stays, and `cy - sx` goes on.
    pub fn push(&mut self, c: f64, s: f64) {
        debug_assert!(
            self.count > 0 && self.used < self.pairs.len(),
            "a rotation that no sweep has room for"
        );
        let sweep = self.count.checked_sub(1).and_then(|last| self.sweeps.get_mut(last));
        if let (Some(sweep), Some(pair)) = (sweep, self.pairs.get_mut(self.used)) {
            *pair = [T::from_f64(c), T::from_f64(s)];
            sweep.len += 1;
            self.used += 1;
        }
    }
    /// All of them, on the rows of `m`.
    pub fn apply<S: Simd>(&mut self, s: S, mut m: MatMut<'_, T>, buffer: &mut [T]) {
        let sweeps = self.sweeps.get(..self.count).unwrap_or_default();
        let (low, high) =
            sweeps.iter().filter(|sweep| sweep.len > 0).fold((usize::MAX, 0), |(low, high), sweep| {
                let [from, to] = sweep.rows();
                (low.min(from), high.max(to))
            });
        if low < high {
            let (n, width) = (high + 1 - low, columns::<T>());
            let buffer = buffer.get_mut(..n * width).unwrap_or_default();
            for at in (0..m.cols()).step_by(width) {
                let mut part = m.reborrow().block([low, at], [n, width]);
                let shape = [n, part.cols()];
                if part.cols() < width {
                    buffer.fill(T::ZERO);
                }
                let to = MatMut::packed(buffer, n, width).block([0, 0], shape);
                transpose::run(Serial, s, part.as_ref().t(), to);
                s.vectorize(
                    #[inline(always)]
                    || all(s, sweeps, self.pairs, low, buffer),
                );
                let from = MatRef::packed(buffer, n, width).block([0, 0], shape);
                transpose::run(Serial, s, from.t(), part.reborrow());
            }
        }
        (self.used, self.count) = (0, 0);
    }
}

#[inline(always)]
fn all<S: Simd, T: Element>(s: S, sweeps: &[Sweep], mut pairs: &[[T; 2]], low: usize, rows: &mut [T]) {
    for sweep in sweeps {
        let (these, rest) = pairs.split_at_checked(sweep.len).unwrap_or_default();
        pairs = rest;
        let (start, down) = (sweep.start - low, sweep.down);
        // As many registers of sums as leave room for what they are made of.
        const { assert!(T::Vec::<S>::LANES <= columns::<T>(), "a strip has a register at least") };
        let registers = columns::<T>() / T::Vec::<S>::LANES;
        let each = registers.min(4);
        for at in (0..registers).step_by(each).map(|k| k * T::Vec::<S>::LANES) {
            match each {
                4 => one::<S, T, 4>(s, rows, start, down, at, these),
                2 => one::<S, T, 2>(s, rows, start, down, at, these),
                _ => one::<S, T, 1>(s, rows, start, down, at, these),
            }
        }
    }
}

/// A sweep on `N` registers of columns from `at` on.
#[inline(always)]
fn one<S: Simd, T: Element, const N: usize>(
    s: S,
    rows: &mut [T],
    start: usize,
    down: bool,
    at: usize,
    pairs: &[[T; 2]],
) {
    let (width, lanes) = (columns::<T>(), T::Vec::<S>::LANES);
    let last = if down { start.checked_sub(pairs.len()) } else { start.checked_add(pairs.len()) };
    let inside = |row: usize| row < rows.len() / width;
    if !(last.is_some_and(inside) && inside(start) && at + N * lanes <= width) {
        return;
    }
    let step = if down { -(width as isize) } else { width as isize };
    // SAFETY: rows from `start` to `last` and the columns from `at` are inside, as was just seen, and nothing else is visited.
    unsafe {
        let mut to = rows.as_mut_ptr().add(start * width + at);
        let mut x: [T::Vec<S>; N] = crate::lanes::from_fn(
            #[inline(always)]
            |k| T::Vec::<S>::load(s, to.add(k * lanes)),
        );
        for &[c, r] in pairs {
            let (c, r) = (T::Vec::<S>::splat(s, c), T::Vec::<S>::splat(s, r));
            let next = to.offset(step);
            for (k, x) in x.iter_mut().enumerate() {
                let y = T::Vec::<S>::load(s, next.add(k * lanes));
                r.mul_add(y, c * *x).store(to.add(k * lanes));
                *x = (-r).mul_add(*x, c * y);
            }
            to = next;
        }
        for (k, x) in x.into_iter().enumerate() {
            x.store(to.add(k * lanes));
        }
    }
}

/// Rows of a matrix exchanged.
pub(super) fn exchange<S: Simd, T: Element>(
    s: S,
    m: MatMut<'_, T>,
    i: usize,
    k: usize,
) -> Result<(), crate::Error> {
    if i == k || m.cols() == 0 {
        return Ok(());
    }
    let (above, below) = m.split_rows(i.max(k))?;
    crate::blas::swap_on(s, above.row(i.min(k))?, below.row(0)?)
}

/// Numbers of a diagonal, or beside one, in `f64`, from one end or the other.
pub(super) struct Band<'a, T> {
    d: &'a mut [T],
    e: &'a mut [T],
    /// The element that is the first of the block.
    first: usize,
    /// Whether those before it are the next ones.
    down: bool,
}

impl<'a, T: Element> Band<'a, T> {
    pub fn new(d: &'a mut [T], e: &'a mut [T]) -> Self {
        Self { d, e, first: 0, down: false }
    }
    /// Block from `low` to `high`, from its other end when `down`.
    pub fn turn(&mut self, low: usize, high: usize, down: bool) {
        (self.first, self.down) = (if down { high } else { low }, down);
    }
    /// Where element `i` of the block is.
    pub fn place(&self, i: usize) -> usize {
        if self.down { self.first.wrapping_sub(i) } else { self.first.wrapping_add(i) }
    }
    fn beside(&self, i: usize) -> usize {
        if self.down { self.first.wrapping_sub(i + 1) } else { self.first.wrapping_add(i) }
    }
    /// Element `i` of the diagonal.
    pub fn d(&self, i: usize) -> f64 {
        self.d.get(self.place(i)).copied().unwrap_or_default().to_f64()
    }
    /// What stands between elements `i` and `i + 1`.
    pub fn e(&self, i: usize) -> f64 {
        self.e.get(self.beside(i)).copied().unwrap_or_default().to_f64()
    }
    pub fn set_d(&mut self, i: usize, x: f64) {
        let at = self.place(i);
        if let Some(d) = self.d.get_mut(at) {
            *d = T::from_f64(x);
        }
    }
    pub fn set_e(&mut self, i: usize, x: f64) {
        let at = self.beside(i);
        if let Some(e) = self.e.get_mut(at) {
            *e = T::from_f64(x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_past_the_room() {
        let mut room = [0.0f64; 9];
        let mut all = Rotations::new(&mut room);
        assert_eq!(all.begin(0, false, 5), Err(Error::workspace(10, 8)));
        assert_eq!(all.begin(0, false, 3), Ok(()));
        (0..3).for_each(|_| all.push(1.0, 0.0));
        assert_eq!((all.full(1), all.full(2)), (false, true));
        assert_eq!(all.begin(0, false, 2), Err(Error::workspace(4, 2)));
        assert_eq!((all.used, all.count), (3, 1));
        // As many sweeps as there can be, and one more.
        for _ in 1..SWEEPS {
            assert_eq!(all.begin(0, true, 0), Ok(()));
        }
        assert!(all.full(0));
        assert_eq!(all.begin(0, true, 0), Err(Error::workspace(0, 2)));
        // The longest sweep of each number of vectors.
        for n in 1..40 {
            let mut room = std::vec![0.0f32; scratch(n)];
            assert!(!Rotations::new(&mut room).full(n - 1), "{n}");
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a rotation that no sweep has room for")]
    fn no_rotation_is_dropped() {
        let mut scratch = [0.0f64; 4];
        let mut all = Rotations::new(&mut scratch);
        all.begin(0, false, 2).unwrap();
        (0..3).for_each(|_| all.push(1.0, 0.0));
        assert_eq!(all.used, 3);
    }
}
