//! Sliding windows along a row, a window in each lane: pooling reduces them by a sum or a maximum.

use super::drive::{begin, load_up_to, store_up_to};
use super::vector::Vector;
use super::{COMPACT, Element, Simd};
use crate::alu::{Alu, Body};

/// What is made of the elements of a window, one after the other.
pub(crate) trait Window<T, const K: usize>: Copy {
    /// Before the first element; `like` only names where.
    fn start<V: Alu<Elem = T>>(self, like: V) -> [V; K];
    /// After one more, which lies so far behind the window's first.
    fn step<V: Alu<Elem = T>>(self, acc: [V; K], x: V, at: V) -> [V; K];
}

/// All elements joined by a body, from its identity on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joined<B, T>(pub(crate) B, pub(crate) T);
impl<T: Element, B: Body<T, 2>> Window<T, 1> for Joined<B, T> {
    #[inline(always)]
    fn start<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
        [like.param(self.1)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [acc]: [V; 1], x: V, _: V) -> [V; 1] {
        [self.0.eval([acc, x])]
    }
}

/// The largest element and where the first of those is; the first NaN is larger than all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Largest;
impl<T: Element> Window<T, 2> for Largest {
    #[inline(always)]
    fn start<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.lit(-T::INFINITY), like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [most, place]: [V; 2], x: V, at: V) -> [V; 2] {
        let take = !x.le(most) & most.eq(most);
        [V::select(take, x, most), V::select(take, at, place)]
    }
}

/// Where the elements of windows are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slide {
    /// Lines of a window.
    pub(crate) rows: usize,
    /// Elements from one of them to the next.
    pub(crate) width: usize,
    /// Elements of a window in a line.
    pub(crate) cols: usize,
    /// Elements from one of those to the next.
    pub(crate) apart: usize,
    /// Elements from one window to the next.
    pub(crate) step: usize,
}

impl Slide {
    /// Windows of neighbours in one line.
    pub(crate) const fn line(cols: usize) -> Self {
        Self { rows: 1, width: 0, cols, apart: 1, step: 1 }
    }

    /// Writes the values of windows, the first of which begins at `x[0]`, as far as all of `y` go. All elements are in `x`.
    #[inline(always)]
    pub(crate) fn each<S, T, W, const K: usize>(self, s: S, window: W, x: &[T], y: [&mut [T]; K])
    where
        S: Simd,
        T: Element,
        W: Window<T, K>,
    {
        let (y, n) = begin(y);
        let (Some(last), Some(below)) = (n.checked_sub(1), self.rows.checked_sub(1)) else { return };
        let start = last.saturating_mul(self.step).saturating_add(below.saturating_mul(self.width));
        let line = match self.apart {
            1 => self.cols,
            apart => self.cols.saturating_sub(1).saturating_mul(apart).saturating_add(1),
        };
        let fits = start.saturating_add(line) <= x.len();
        debug_assert!(fits, "the last window is in the plane");
        if !fits {
            return;
        }
        let at = (x.as_ptr(), y);
        // SAFETY: the elements of all windows are in `x`, and `y` has one for each.
        unsafe {
            match [self.step, self.apart] {
                // What is known here is no arithmetic there.
                [1, 1] if !COMPACT => {
                    Self { apart: 1, step: 1, ..self }.run::<S, T, W, K, 1>(s, window, at, n)
                }
                [1, _] => self.run::<S, T, W, K, 1>(s, window, at, n),
                [2, 1] if !COMPACT && [self.rows, self.cols] == [2, 2] => {
                    Self { rows: 2, cols: 2, apart: 1, step: 2, ..self }
                        .run::<S, T, W, K, 2>(s, window, at, n);
                }
                [2, 1] if self.cols > 1 => {
                    Self { apart: 1, step: 2, ..self }.run::<S, T, W, K, 2>(s, window, at, n);
                }
                _ => self.run::<S, T, W, K, 0>(s, window, at, n),
            }
        }
    }

    /// The values of `n` windows; `STEP` is the step where it is known.
    /// # Safety
    /// All of their elements are valid for reads, and each of `y` for writes.
    #[inline(always)]
    unsafe fn run<S, T, W, const K: usize, const STEP: usize>(
        self,
        s: S,
        window: W,
        (x, y): (*const T, [*mut T; K]),
        n: usize,
    ) where
        S: Simd,
        T: Element,
        W: Window<T, K>,
    {
        let lanes = T::Vec::<S>::LANES;
        // From the place of an element to that of the next one, and of the next line's first behind it.
        let apart = if STEP == 2 { 1 } else { self.apart };
        let next = T::from_usize(self.width) - T::from_usize(self.cols * apart);
        let from = (window, [if STEP == 2 { T::ONE } else { T::from_usize(apart) }, next]);
        let mut i = 0;
        // SAFETY: no window is beyond the last; the caller's guarantee.
        unsafe {
            // Several at a time, as each waits for one element after the other.
            while !COMPACT && n - i >= 4 * lanes {
                put(self.values::<S, T, W, K, 4, STEP>(s, from, x.add(i * self.step), lanes), y, i, lanes);
                i += 4 * lanes;
            }
            while i < n {
                let part = lanes.min(n - i);
                if !COMPACT && part < lanes && n > lanes {
                    // What it shares with the vector before is written twice with the same bits.
                    i = n - lanes;
                }
                let first = x.add(i * self.step);
                if !COMPACT && n - i >= lanes {
                    put(self.values::<S, T, W, K, 1, STEP>(s, from, first, lanes), y, i, lanes);
                } else {
                    put(self.values::<S, T, W, K, 1, STEP>(s, from, first, part), y, i, part);
                }
                i += lanes.min(n - i);
            }
        }
    }

    /// The values of `n ≤ LANES` windows, the first of which begins at `x`, and of as many more times `LANES` as `U` says.
    /// # Safety
    /// All of their elements are valid for reads.
    #[inline(always)]
    unsafe fn values<S, T, W, const K: usize, const U: usize, const STEP: usize>(
        self,
        s: S,
        (window, places): (W, [T; 2]),
        x: *const T,
        n: usize,
    ) -> [[T::Vec<S>; K]; U]
    where
        S: Simd,
        T: Element,
        W: Window<T, K>,
    {
        let (zero, one) = (T::Vec::<S>::splat(s, T::ZERO), T::Vec::<S>::splat(s, T::ONE));
        let (mut acc, mut at) = ([window.start(zero); U], zero);
        let (by, next) = (zero.lit(places[0]), zero.lit(places[1]));
        // One window may have any step.
        let apart_by = self.step.wrapping_mul(T::Vec::<S>::LANES);
        for r in 0..self.rows {
            // SAFETY: the caller's promise; each use says why its elements are in the windows.
            unsafe {
                let x = x.add(r * self.width);
                let (mut t, mut place) = (0, 0);
                // In two registers each window has two elements.
                while STEP == 2 && self.cols - t >= 2 {
                    let then = at + one;
                    for (u, acc) in acc.iter_mut().enumerate() {
                        let [a, b] = pairs::<S, T>(s, x.add(place + u * apart_by), n);
                        *acc = window.step(window.step(*acc, a, at), b, then);
                    }
                    at = then + one;
                    (t, place) = (t + 2, place + 2);
                }
                while t < self.cols {
                    for (u, acc) in acc.iter_mut().enumerate() {
                        let x = x.add(place + u * apart_by);
                        let v = match STEP {
                            1 => load_up_to::<S, T>(s, x, n),
                            // The one before is an element of the same window.
                            2 => pairs::<S, T>(s, x.sub(1), n)[1],
                            _ => apart::<S, T>(s, x, self.step, n),
                        };
                        *acc = window.step(*acc, v, at);
                    }
                    at = at + by;
                    (t, place) = (t + 1, place + if STEP == 2 { 1 } else { self.apart });
                }
            }
            at = at + next;
        }
        acc
    }

    /// Adds to each element of one line what the windows have for it that chose it: `dy[before + j]` of window `j`, whose
    /// choice is number `places[before + j]`. The line's first column begins window 0 and is its number `first`; no window
    /// chose what stands before and behind the windows. For steps of 1 and 2.
    #[inline(always)]
    pub(crate) fn collect<S, T>(
        self,
        s: S,
        [places, dy]: [&[T]; 2],
        before: usize,
        first: usize,
        to: &mut [T],
    ) where
        S: Simd,
        T: Element,
    {
        let lanes = T::Vec::<S>::LANES;
        let vectors = to.len().div_ceil(self.step.max(1)) + lanes;
        let fits = before >= self.cols && places.len().min(dy.len()) >= before + vectors;
        debug_assert!(fits && matches!(self.step, 1 | 2), "room on both sides");
        if !fits || !matches!(self.step, 1 | 2) {
            return;
        }
        let mut i = 0;
        while i * self.step < to.len() {
            let to = to.get_mut(i * self.step..).unwrap_or_default();
            // SAFETY: a vector from `before + i` on is in both, and so is one that begins up to `cols` before.
            let (even, odd) = unsafe {
                let from = [places.as_ptr().add(before + i), dy.as_ptr().add(before + i)];
                let even = self.chosen(s, from, first, 0);
                (even, if self.step == 2 { self.chosen(s, from, first, 1) } else { even })
            };
            if self.step == 1 {
                add_to(s, even, to);
            } else {
                let [a, b] = T::Vec::<S>::zip(s, even, odd);
                let (low, high) = to.split_at_mut(lanes.min(to.len()));
                add_to(s, a, low);
                add_to(s, b, high);
            }
            i += lanes;
        }
    }

    /// For [`Slide::collect`], the columns `phase`, `phase + step`, …: what the windows at `places` and before have for them.
    /// # Safety
    /// A vector there is valid for reads, and one that begins up to `cols` elements before.
    #[inline(always)]
    unsafe fn chosen<S, T>(self, s: S, [places, dy]: [*const T; 2], first: usize, phase: usize) -> T::Vec<S>
    where
        S: Simd,
        T: Element,
    {
        let zero = T::Vec::<S>::splat(s, T::ZERO);
        let (mut sum, mut t, mut back) = (zero, phase, 0);
        while t < self.cols {
            // SAFETY: the caller's promise; `back` stays below `cols`.
            let (place, dy) =
                unsafe { (T::Vec::<S>::load(s, places.sub(back)), T::Vec::<S>::load(s, dy.sub(back))) };
            let chosen = place.eq(zero.lit(T::from_usize(first + t)));
            sum = sum + T::Vec::<S>::select(chosen, dy, zero);
            t += self.step;
            back += 1;
        }
        sum
    }
}

/// Adds as many lanes as there are elements.
#[inline(always)]
fn add_to<S: Simd, T: Element>(s: S, v: T::Vec<S>, to: &mut [T]) {
    let n = T::Vec::<S>::LANES.min(to.len());
    let p = to.as_mut_ptr();
    // SAFETY: `to` has `n` elements.
    unsafe { store_up_to(load_up_to::<S, T>(s, p, n) + v, p, n) }
}

/// The first elements of `n ≤ LANES` pairs, and the second ones.
/// # Safety
/// All are valid for reads.
#[inline(always)]
unsafe fn pairs<S: Simd, T: Element>(s: S, p: *const T, n: usize) -> [T::Vec<S>; 2] {
    let lanes = T::Vec::<S>::LANES;
    let first = lanes.min(2 * n);
    // SAFETY: the caller's promise.
    unsafe {
        let b = if first == 2 * n {
            T::Vec::<S>::splat(s, T::ZERO)
        } else {
            load_up_to::<S, T>(s, p.add(lanes), 2 * n - first)
        };
        T::Vec::<S>::unzip(s, load_up_to::<S, T>(s, p, first), b)
    }
}

/// `n ≤ LANES` elements so far apart, zeros beyond.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn apart<S: Simd, T: Element>(s: S, p: *const T, step: usize, n: usize) -> T::Vec<S> {
    // SAFETY: the caller's promise; `LANES <= 16`.
    unsafe {
        if n == T::Vec::<S>::LANES {
            return T::Vec::<S>::gather(s, p, step as isize);
        }
        let mut to = [T::ZERO; 16];
        for (i, to) in to.iter_mut().enumerate().take(n) {
            *to = p.add(i * step).read();
        }
        T::Vec::<S>::load(s, to.as_ptr())
    }
}

/// Writes the values of `n` windows from `i` on, and those of the vectors that follow.
/// # Safety
/// They are valid for writes.
#[inline(always)]
unsafe fn put<V: Vector, const K: usize, const U: usize>(
    v: [[V; K]; U],
    y: [*mut V::Elem; K],
    i: usize,
    n: usize,
) {
    for (u, v) in v.into_iter().enumerate() {
        for (v, y) in v.into_iter().zip(y) {
            // SAFETY: the caller's promise.
            unsafe { store_up_to(v, y.add(i + u * V::LANES), n) }
        }
    }
}

/// `to[2i] = even[i]` and `to[2i + 1] = odd[i]`; there is an odd one for each even one but perhaps the last.
#[inline(always)]
pub(crate) fn interleave<S: Simd, T: Element>(s: S, even: &[T], odd: &[T], to: &mut [T]) {
    let lanes = T::Vec::<S>::LANES;
    let n = even.len().min(odd.len()).min(to.len() / 2);
    let mut i = 0;
    while n - i >= lanes {
        // SAFETY: `i + LANES ≤ n`, and `to` has twice as many.
        unsafe {
            let (a, b) =
                (T::Vec::<S>::load(s, even.as_ptr().add(i)), T::Vec::<S>::load(s, odd.as_ptr().add(i)));
            let [a, b] = T::Vec::<S>::zip(s, a, b);
            a.store(to.as_mut_ptr().add(2 * i));
            b.store(to.as_mut_ptr().add(2 * i + lanes));
        }
        i += lanes;
    }
    let rest = |x| <[T]>::get(x, i..).unwrap_or_default();
    let pairs = to.get_mut(2 * i..).unwrap_or_default().chunks_mut(2);
    for ((to, even), odd) in pairs.zip(rest(even)).zip(rest(odd).iter().chain(&[T::ZERO])) {
        for (to, x) in to.iter_mut().zip([*even, *odd]) {
            *to = x;
        }
    }
}
