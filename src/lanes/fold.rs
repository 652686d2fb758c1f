//! Reductions over slices: one unrolled leaf loop, whose partial results are merged in one fixed tree.
//!
//! The order of a reduction is a function of the lane width and the length only. A leaf of up to
//! `8192 LANES` elements runs independent accumulators of `LANES` lanes each: eight when the state is
//! one value read straight from slices, four otherwise. What the unrolled loop leaves goes, whole
//! vectors first, to accumulators of its own; the accumulators are merged in pairs, then the lanes
//! by halves. Leaves are merged by a tree that splits at the largest power of two of leaves below
//! the count. A parallel run evaluates the same tree, so it gives the same bits.

use super::drive::{eval, load_some, store_some};
use super::executor::{Executor, Serial, tree};
use super::portable::{Portable, scalar};
use super::vector::Vector;
use super::{COMPACT, Element, Simd, all_have, from_fn, shortest};
use crate::alu::{Alu, Body, Number, Real};
use crate::view::VecRef;

/// Registers in a leaf of the reduction tree.
pub(crate) const LEAF_VECTORS: usize = 8192;

/// Elements in a leaf of the reduction tree: at most 1024 steps for each of eight accumulators, and so
/// long that what happens between leaves does not show.
#[inline(always)]
pub(crate) const fn leaf_len<S: Simd, T: Element>() -> usize {
    LEAF_VECTORS * <T::Vec<S> as Vector>::LANES
}

/// A reduction of `N` streams whose state is `K` values.
pub(crate) trait Fold<T: Number, const N: usize, const K: usize>: Copy + Send + Sync {
    /// What masked-off lanes read, chosen so that `step` does not change the result.
    fn fill(self) -> [T; N]
    where
        T: Real;
    /// The state before the first element; `like` only names where.
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; K];
    /// The state after one element of each stream.
    fn step<V: Alu<Elem = T>>(self, acc: [V; K], x: [V; N]) -> [V; K];
    /// The state after both parts.
    fn merge<V: Alu<Elem = T>>(self, a: [V; K], b: [V; K]) -> [V; K];
}

/// Where the values of a fold come from.
trait Source<T: Element, const N: usize>: Copy + Sync {
    /// Whether the values cost nothing but a load, so that only accumulators hide the latency.
    const PLAIN: bool;
    /// Whether one copy of each step is enough.
    const ROLLED: bool = COMPACT;
    /// # Safety
    /// `i..i + LANES` lies within the streams; no other call covers these elements meanwhile.
    unsafe fn at<S: Simd>(self, s: S, i: usize) -> [T::Vec<S>; N];
    /// The last `n < LANES` elements, `n ≤ LANES` when [`COMPACT`], and a filling that `step` does not see.
    /// # Safety
    /// As `at` for `i..i + n`.
    unsafe fn last<S: Simd>(self, s: S, i: usize, n: usize, fill: [T; N]) -> [T::Vec<S>; N];
}

/// The elements of `N` slices.
#[derive(Clone, Copy)]
struct Contiguous<'a, T, const N: usize>([&'a [T]; N]);

impl<T: Element, const N: usize> Source<T, N> for Contiguous<'_, T, N> {
    const PLAIN: bool = true;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, i: usize) -> [T::Vec<S>; N] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        from_fn(
            #[inline(always)]
            // SAFETY: the caller's promise.
            |k| unsafe { T::Vec::<S>::load(s, self.0[k].as_ptr().add(i)) },
        )
    }
    #[inline(always)]
    unsafe fn last<S: Simd>(self, s: S, i: usize, n: usize, fill: [T; N]) -> [T::Vec<S>; N] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        from_fn(
            #[inline(always)]
            // SAFETY: the caller's promise.
            |k| unsafe { load_some(s, self.0[k].as_ptr().add(i), n, fill[k]) },
        )
    }
}

/// The elements of `N` vectors with any strides: the order of [`Contiguous`], so the same bits.
#[derive(Clone, Copy)]
struct Strided<'a, T, const N: usize>([VecRef<'a, T>; N]);

impl<T: Element, const N: usize> Source<T, N> for Strided<'_, T, N> {
    const PLAIN: bool = true;
    const ROLLED: bool = true;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, i: usize) -> [T::Vec<S>; N] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        from_fn(
            #[inline(always)]
            |k| {
                let (x, step) = (self.0[k].as_col(), self.0[k].stride());
                // SAFETY: the caller's promise; elements of the vector are so far apart.
                unsafe { T::Vec::<S>::gather(s, x.ptr().wrapping_offset(i as isize * step), step) }
            },
        )
    }
    #[inline(always)]
    unsafe fn last<S: Simd>(self, s: S, i: usize, n: usize, fill: [T; N]) -> [T::Vec<S>; N] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        from_fn(
            #[inline(always)]
            |k| gather_some(s, self.0[k], i, n, fill[k]),
        )
    }
}

/// The `n ≤ LANES` elements from `i` on, then `fill`.
#[inline(always)]
fn gather_some<S: Simd, T: Element>(s: S, x: VecRef<'_, T>, i: usize, n: usize, fill: T) -> T::Vec<S> {
    // As in `Vector::down`.
    let mut to = [fill; 16];
    for (k, to) in to.iter_mut().enumerate().take(T::Vec::<S>::LANES.min(n)) {
        *to = x.get(i + k).unwrap_or(fill);
    }
    // SAFETY: `LANES <= 16`.
    unsafe { T::Vec::<S>::load(s, to.as_ptr()) }
}

/// `body(x₀[i], x₁[i], …)`, stored to `y[i]` on the way.
#[derive(Clone, Copy)]
struct Mapped<B, T, const N: usize> {
    body: B,
    x: [*const T; N],
    y: *mut T,
    fill: [T; N],
}

// SAFETY: `Source` is called for disjoint ranges only, so threads never touch the same element.
unsafe impl<B: Sync, T: Send + Sync, const N: usize> Sync for Mapped<B, T, N> {}

impl<T: Element, B: Body<T, N>, const N: usize> Source<T, 1> for Mapped<B, T, N> {
    const PLAIN: bool = false;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, i: usize) -> [T::Vec<S>; 1] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        // SAFETY: the caller's promise; each element is read before it is written.
        unsafe {
            let v = eval(
                self.body,
                from_fn(
                    #[inline(always)]
                    |k| T::Vec::<S>::load(s, self.x[k].add(i)),
                ),
            );
            v.store(self.y.add(i));
            [v]
        }
    }
    #[inline(always)]
    unsafe fn last<S: Simd>(self, s: S, i: usize, n: usize, _: [T; 1]) -> [T::Vec<S>; 1] {
        #[allow(clippy::indexing_slicing, reason = "k < N")]
        // SAFETY: as above.
        unsafe {
            let v = eval(
                self.body,
                from_fn(
                    #[inline(always)]
                    |k| load_some(s, self.x[k].add(i), n, self.fill[k]),
                ),
            );
            store_some(v, self.y.add(i), n);
            [v]
        }
    }
}

/// `body(x₀[i], x₁[i], …)` of slices, which no identity of the fold may come out of.
#[derive(Clone, Copy)]
struct Evaluated<'a, B, T, const N: usize>(B, Contiguous<'a, T, N>);

impl<T: Element, B: Body<T, N>, const N: usize> Source<T, 1> for Evaluated<'_, B, T, N> {
    const PLAIN: bool = false;
    #[inline(always)]
    unsafe fn at<S: Simd>(self, s: S, i: usize) -> [T::Vec<S>; 1] {
        // SAFETY: the caller's promise.
        [eval(self.0, unsafe { self.1.at(s, i) })]
    }
    #[inline(always)]
    unsafe fn last<S: Simd>(self, s: S, i: usize, n: usize, fill: [T; 1]) -> [T::Vec<S>; 1] {
        let [fill] = fill;
        // As in `Vector::down`.
        let mut to = [fill; 16];
        // SAFETY: the caller's promise; `n <= LANES <= 16`.
        unsafe {
            store_some(eval(self.0, self.1.last(s, i, n, [T::ZERO; N])), to.as_mut_ptr(), n);
            [T::Vec::<S>::load(s, to.as_ptr())]
        }
    }
}

/// The state after all elements. All slices have the same length.
#[inline(always)]
pub(crate) fn fold<S: Simd, T: Element, F: Fold<T, N, K>, const N: usize, const K: usize>(
    s: S,
    f: F,
    x: [&[T]; N],
) -> [T; K] {
    fold_by(Serial, s, f, x)
}

/// [`fold`], the halves of the tree run by `j`.
#[inline(always)]
pub(crate) fn fold_by<J, S, T, F, const N: usize, const K: usize>(j: J, s: S, f: F, x: [&[T]; N]) -> [T; K]
where
    J: Executor,
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
{
    let n = x.first().map_or(0, |x| x.len());
    debug_assert!(all_have(&x, n));
    // SAFETY: every slice has `n` elements, as all callers check.
    unsafe { run(j, s, f, Contiguous(x), n) }
}

/// [`fold_by`] over `body(x₀[i], x₁[i], …)`.
#[inline(always)]
pub(crate) fn map_fold_by<J, S, T, B, F, const N: usize, const K: usize>(
    j: J,
    s: S,
    body: B,
    f: F,
    x: [&[T]; N],
) -> [T; K]
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, N>,
    F: Fold<T, 1, K>,
{
    let n = if N == 0 { 0 } else { shortest(&x) };
    // SAFETY: every slice has `n` elements or more.
    unsafe { run(j, s, f, Evaluated(body, Contiguous(x)), n) }
}

/// [`fold_by`] over vectors with strides, which all have the same length: the same bits whatever the strides.
#[inline]
pub(crate) fn fold_views<J, S, T, F, const N: usize, const K: usize>(
    j: J,
    s: S,
    f: F,
    x: [VecRef<'_, T>; N],
) -> [T; K]
where
    J: Executor,
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
{
    let slices = x.map(VecRef::as_slice);
    if slices.iter().all(Option::is_some) {
        return fold_by(j, s, f, slices.map(Option::unwrap_or_default));
    }
    let n = x.first().map_or(0, VecRef::len);
    debug_assert!(x.iter().all(|x| x.len() == n));
    // SAFETY: every vector has `n` elements, as all callers check.
    unsafe { run(j, s, f, Strided(x), n) }
}

/// `y[i] = body(x₀[i], x₁[i], …)`, and the fold over all of `y`. `body(fill)` must not change the fold.
/// # Safety
/// Each of `x` is valid for reads and `y` for writes of `n` elements; each of `x` is `y` or they don't overlap.
#[inline(always)]
pub(super) unsafe fn map_fold<J, S, T, B, F, const N: usize, const K: usize>(
    j: J,
    s: S,
    (body, fill): (B, [T; N]),
    f: F,
    (x, y, n): ([*const T; N], *mut T, usize),
) -> [T; K]
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, N>,
    F: Fold<T, 1, K>,
{
    // SAFETY: the caller's promise.
    unsafe { run(j, s, f, Mapped { body, x, y, fill }, n) }
}

/// # Safety
/// The streams of `x` have `n` elements.
#[inline(always)]
unsafe fn run<J, S, T, F, X, const N: usize, const K: usize>(j: J, s: S, f: F, x: X, n: usize) -> [T; K]
where
    J: Executor,
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
    X: Source<T, N>,
{
    if !COMPACT && n <= leaf_len::<S, T>() {
        // SAFETY: the caller's promise.
        return unsafe { part(s, f, x, 0, n) };
    }
    // SAFETY: the tree's leaves are disjoint parts of `0..n`.
    let part = |start, n| unsafe { part(s, f, x, start, n) };
    let merge = |a: [T; K], b: [T; K]| f.merge(a.map(scalar), b.map(scalar)).map(to_scalar);
    tree(j, 0, n, leaf_len::<S, T>(), &part, &merge)
}

/// A leaf and its lanes, merged; a function of its own, so that it is there once.
/// # Safety
/// As [`leaf`].
#[inline]
unsafe fn part<S, T, F, X, const N: usize, const K: usize>(s: S, f: F, x: X, start: usize, n: usize) -> [T; K]
where
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
    X: Source<T, N>,
{
    s.vectorize(
        #[inline(always)]
        // SAFETY: the caller's promise.
        || fold_lanes(s, f, unsafe { leaf(s, f, x, start, n) }),
    )
}

/// [`Fold::step`], held once by builds with debug assertions, as [`eval`] is.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn step<T, V, F, const N: usize, const K: usize>(f: F, acc: [V; K], x: [V; N]) -> [V; K]
where
    T: Element,
    V: Alu<Elem = T>,
    F: Fold<T, N, K>,
{
    f.step(acc, x)
}

/// # Safety
/// `i..i + n` lies within the streams of `x`; no other call covers these elements meanwhile.
#[inline(always)]
unsafe fn leaf<S, T, F, X, const N: usize, const K: usize>(
    s: S,
    f: F,
    x: X,
    mut i: usize,
    n: usize,
) -> [T::Vec<S>; K]
where
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
    X: Source<T, N>,
{
    let lanes = T::Vec::<S>::LANES;
    let end = i + n;
    // Eight accumulators fill two adders of four cycles; a larger state would not fit 16 registers.
    let wide = X::PLAIN && K == 1;
    let id = f.identity(T::Vec::<S>::splat(s, T::ZERO));
    if X::ROLLED {
        // SAFETY: the caller's promise.
        return unsafe {
            if wide { rolled(s, f, x, i, end, [id; 8]) } else { rolled(s, f, x, i, end, [id; 4]) }
        };
    }
    let [mut a0, mut a1, mut a2, mut a3, mut a4, mut a5, mut a6, mut a7] = [id; 8];
    macro_rules! step {
        ($($a:ident)*) => {$(
            // SAFETY: each use has checked that this vector ends at or before `end`.
            $a = step(f, $a, unsafe { x.at(s, i) });
            i += lanes;
        )*};
    }
    if wide {
        while end - i >= 8 * lanes {
            step!(a0 a1 a2 a3 a4 a5 a6 a7);
        }
        if end - i >= 4 * lanes {
            step!(a0 a1 a2 a3);
        }
    } else {
        while end - i >= 4 * lanes {
            step!(a4 a5 a6 a7);
        }
    }
    if end - i >= 2 * lanes {
        step!(a4 a5);
    }
    if end - i >= lanes {
        step!(a6);
    }
    if i < end {
        // SAFETY: the elements up to `end` are the caller's.
        a7 = step(f, a7, unsafe { x.last(s, i, end - i, f.fill()) });
    }
    let b = f.merge(f.merge(a4, a5), f.merge(a6, a7));
    if wide { f.merge(f.merge(f.merge(a0, a1), f.merge(a2, a3)), b) } else { b }
}

/// [`leaf`] with one copy of each step: the same accumulators in the same order, all eight or the last four of them.
/// # Safety
/// As [`leaf`] for `i..end`.
#[inline(always)]
unsafe fn rolled<S, T, F, X, const N: usize, const K: usize, const A: usize>(
    s: S,
    f: F,
    x: X,
    mut i: usize,
    end: usize,
    mut acc: [[T::Vec<S>; K]; A],
) -> [T::Vec<S>; K]
where
    S: Simd,
    T: Element,
    F: Fold<T, N, K>,
    X: Source<T, N>,
{
    const { assert!(A == 4 || A == 8) };
    let lanes = T::Vec::<S>::LANES;
    while i < end {
        let (first, count) = match (end - i) / lanes {
            0 => (A - 1, 1),
            1 => (A - 2, 1),
            2 | 3 => (A - 4, 2),
            4..8 => (0, 4),
            _ => (0, A),
        };
        for a in acc.iter_mut().skip(first).take(count) {
            let part = lanes.min(end - i);
            // SAFETY: the elements up to `end` are the caller's; a part is not longer than a vector.
            let v =
                unsafe { if !COMPACT && part == lanes { x.at(s, i) } else { x.last(s, i, part, f.fill()) } };
            *a = step(f, *a, v);
            i += part;
        }
    }
    let mut left = A;
    while left > 1 {
        left /= 2;
        #[allow(clippy::indexing_slicing, reason = "2 k + 1 < A")]
        for k in 0..left {
            acc[k] = f.merge(acc[2 * k], acc[2 * k + 1]);
        }
    }
    #[allow(clippy::indexing_slicing, reason = "0 < A")]
    acc[0]
}

/// Merges the lanes by halves: lane `j` with lane `j + LANES/2`, and so on down to one.
#[inline(always)]
fn fold_lanes<V: Vector, F: Fold<V::Elem, N, K>, const N: usize, const K: usize>(
    s: V::Token,
    f: F,
    mut acc: [V; K],
) -> [V::Elem; K] {
    macro_rules! halve {
        ($($by:literal)*) => {$(
            if V::LANES > $by {
                #[allow(clippy::indexing_slicing, reason = "k < K")]
                let down = from_fn(
                    #[inline(always)]
                    |k| acc[k].down::<$by>(s),
                );
                acc = f.merge(acc, down);
            }
        )*};
    }
    halve!(8 4 2 1);
    from_fn(
        #[inline(always)]
        |k| acc.get(k).copied().map_or(V::Elem::default(), Vector::lane0),
    )
}

/// The first `i` with `x[i] == v`; `x.len()` when there is none.
#[inline(always)]
pub(crate) fn position<S: Simd, T: Element>(s: S, x: &[T], v: T) -> usize {
    position_by::<S, T, false>(s, x, v)
}

/// The first `i` with `x[i] == v`, or `|x[i]| == v` if `ABS`; `x.len()` when there is none.
#[inline(always)]
pub(crate) fn position_by<S: Simd, T: Element, const ABS: bool>(s: S, x: &[T], v: T) -> usize {
    let lanes = T::Vec::<S>::LANES;
    let w = T::Vec::<S>::splat(s, v);
    let mut i = 0;
    let at = |i: usize| {
        // SAFETY: each use has checked that the vector at `i` ends within `x`.
        let x = unsafe { T::Vec::<S>::load(s, x.as_ptr().add(i)) };
        if ABS { x.abs().eq(w) } else { x.eq(w) }
    };
    while !COMPACT && x.len() - i >= 4 * lanes {
        let half = at(i) | at(i + lanes);
        if T::Vec::<S>::any(half | at(i + 2 * lanes) | at(i + 3 * lanes)) {
            break;
        }
        i += 4 * lanes;
    }
    while x.len() - i >= lanes && !T::Vec::<S>::any(at(i)) {
        i += lanes;
    }
    let rest = x.get(i..).unwrap_or_default();
    i + rest.iter().position(|x| *x == v || (ABS && magnitude(*x) == v)).unwrap_or(rest.len())
}

/// `|x|` of one element.
#[inline(always)]
pub(crate) fn magnitude<T: Element>(x: T) -> T {
    to_scalar(scalar(x).abs())
}

/// The element of a one-lane vector.
#[inline(always)]
pub(crate) fn to_scalar<V: Vector<Token = Portable<1>>>(v: V) -> V::Elem {
    v.lane0()
}
