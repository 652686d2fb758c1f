//! The loops of element-wise kernels. Whole vectors run first, then exactly one tail: a map ends with the last whole
//! vector (masked when there is none), a reduction with a masked one. Kernels write no loop of their own. Callers check
//! lengths and pass slices, of which the shortest decides; nothing here fails.

use super::executor::{Executor, tree};
use super::vector::Vector;
use super::{COMPACT, Element, Simd, all_have, from_fn, shortest};
use crate::alu::{Alu, Body, Number};

/// `y[i] = body(x₀[i], x₁[i], …)`, as far as all go. What `y[i]` becomes does not depend on the part that `j` puts it in.
#[inline(always)]
pub(crate) fn map<J, S, T, B, const N: usize>(j: J, s: S, body: B, x: [&[T]; N], y: &mut [T])
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, N>,
{
    debug_assert!(all_have(&x, y.len()));
    let n = shortest(&x).min(y.len());
    // SAFETY: every slice has `n` elements or more.
    unsafe { map_parts(j, s, body, x.map(<[T]>::as_ptr), y.as_mut_ptr(), n) }
}

/// `y[i] = body(y[i])`.
#[inline(always)]
pub(crate) fn map_in_place<J, S, T, B>(j: J, s: S, body: B, y: &mut [T])
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, 1>,
{
    let p = y.as_mut_ptr();
    // SAFETY: input and output are the same slice; each element is read before it is written.
    unsafe { map_parts(j, s, body, [p.cast_const()], p, y.len()) }
}

/// `y[i] = body(y[i], x[i])`, as far as both go.
#[inline(always)]
pub(crate) fn zip_in_place<J, S, T, B>(j: J, s: S, body: B, y: &mut [T], x: &[T])
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, 2>,
{
    debug_assert!(x.len() == y.len());
    let p = y.as_mut_ptr();
    // SAFETY: both have so many elements; each element of `y` is read before it is written.
    unsafe { map_parts(j, s, body, [p.cast_const(), x.as_ptr()], p, y.len().min(x.len())) }
}

/// Two values from two values, lane by lane.
pub(crate) trait Pair<T: Number>: Copy {
    /// The new `x[i]` and `y[i]`.
    fn eval<V: Alu<Elem = T>>(self, xy: [V; 2]) -> [V; 2];
}

/// `K` values from themselves and `N` others, lane by lane.
pub(crate) trait Update<T: Number, const N: usize, const K: usize>: Copy + Send + Sync {
    /// The new values of `y`.
    fn eval<V: Alu<Elem = T>>(self, x: [V; N], y: [V; K]) -> [V; K];
}

impl<T: Number, B: Pair<T> + Send + Sync> Update<T, 0, 2> for B {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, []: [V; 0], xy: [V; 2]) -> [V; 2] {
        Pair::eval(self, xy)
    }
}

/// `(x[i], y[i]) = body(x[i], y[i])`, as far as both go.
#[inline(always)]
pub(crate) fn pair_in_place<S: Simd, T: Element, B: Pair<T> + Send + Sync>(
    s: S,
    body: B,
    x: &mut [T],
    y: &mut [T],
) {
    update(s, body, [], [x, y]);
}

/// [`update`] of one vector.
/// # Safety
/// All pointers have a vector's elements from `i` on.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < N and k < K")]
unsafe fn update_one<S, T, B, const N: usize, const K: usize>(
    s: S,
    body: B,
    x: [*const T; N],
    y: [*mut T; K],
    i: usize,
) where
    S: Simd,
    T: Element,
    B: Update<T, N, K>,
{
    // SAFETY: the caller's promise.
    unsafe {
        let u = from_fn(
            #[inline(always)]
            |k| T::Vec::<S>::load(s, x[k].add(i)),
        );
        let v = from_fn(
            #[inline(always)]
            |k| T::Vec::<S>::load(s, y[k].add(i)),
        );
        let v = body.eval(u, v);
        for k in 0..K {
            v[k].store(y[k].add(i));
        }
    }
}

/// Where slices begin, and the length of the shortest.
#[inline]
pub(super) fn begin<T, const K: usize>(y: [&mut [T]; K]) -> ([*mut T; K], usize) {
    let n = y.iter().fold(usize::MAX, |n, y| n.min(y.len()));
    (y.map(|y| y.as_mut_ptr()), n)
}

/// `(y₀[i], y₁[i], …) = body(x₀[i], …, y₀[i], …)`, as far as all go.
#[inline(always)]
pub(crate) fn update<S, T, B, const N: usize, const K: usize>(s: S, body: B, x: [&[T]; N], y: [&mut [T]; K])
where
    S: Simd,
    T: Element,
    B: Update<T, N, K>,
{
    let lanes = T::Vec::<S>::LANES;
    let (y, n) = begin(y);
    let (x, n) = (x.map(<[T]>::as_ptr), shortest(&x).min(n));
    let mut i = 0;
    while !COMPACT && n - i >= 4 * lanes {
        for k in 0..4 {
            // SAFETY: the four vectors from `i` on end at or before `n`.
            unsafe { update_one(s, body, x, y, i + k * lanes) };
        }
        i += 4 * lanes;
    }
    while !COMPACT && n - i >= lanes {
        // SAFETY: the vector at `i` ends at or before `n`.
        unsafe { update_one(s, body, x, y, i) };
        i += lanes;
    }
    while i < n {
        let part = lanes.min(n - i);
        #[allow(clippy::indexing_slicing, reason = "k < N and k < K")]
        // SAFETY: the part ends at or before `n`.
        unsafe {
            let u = from_fn(
                #[inline(always)]
                |k| load_some(s, x[k].add(i), part, T::ONE),
            );
            let v = from_fn(
                #[inline(always)]
                |k| load_some(s, y[k].add(i), part, T::ONE),
            );
            let v = body.eval(u, v);
            for k in 0..K {
                store_some(v[k], y[k].add(i), part);
            }
        }
        i += part;
    }
}

/// Elements that one thread takes at a time: 32768 keep it busy for some microseconds.
pub(crate) const GRAIN: usize = 1 << 15;

/// Bytes read and written from which a map's stores are non-temporal: what it wrote first would be evicted by
/// the end. Not reading a line before it is overwritten saves a quarter to a third of the time.
pub(crate) const STREAM_BYTES: usize = 64 << 20;

/// Bytes read and written from which a map prefetches the lines of its result for writing: more than the first
/// cache holds. A store then does not wait for its line, for 3 to 6 % of the time.
pub(crate) const CLAIM_BYTES: usize = 32 << 10;

/// Bytes read and written from which a map prefetches its operands: more than the second cache holds. The CPU's own
/// prefetchers stop at the end of each page, and a body of some thirty instructions keeps too few loads in flight to
/// hide the first of the next: from memory that cost a body like `exp` a quarter of its time, and the
/// sigmoid a third.
pub(crate) const FAR_BYTES: usize = 2 << 20;

/// The prefetch distance in bytes.
pub(crate) const AHEAD_BYTES: usize = 2 << 10;

/// Prefetches what comes [`AHEAD_BYTES`] after element `i` of each operand.
#[inline(always)]
fn ahead<S: Simd, T: Element, const N: usize>(s: S, x: [*const T; N], i: usize) {
    for x in x {
        T::Vec::<S>::prefetch(s, x.wrapping_add(i).wrapping_byte_add(AHEAD_BYTES));
    }
}

/// [`map_raw`], the parts run by `j`.
/// # Safety
/// Each of `x` is valid for reads and `y` for writes of `n` elements. One of `x` may be `y`; else
/// they don't overlap it.
#[inline(always)]
pub(super) unsafe fn map_parts<J: Executor, S: Simd, T: Element, B: Body<T, N>, const N: usize>(
    j: J,
    s: S,
    body: B,
    x: [*const T; N],
    y: *mut T,
    n: usize,
) {
    let bytes = n.saturating_mul((N + 1) * size_of::<T>());
    let stream = T::Vec::<S>::STREAMS && bytes >= STREAM_BYTES && !x.contains(&y.cast_const());
    if J::SERIAL || n <= GRAIN {
        // SAFETY: the caller's promise.
        return unsafe { map_raw(s, body, x, y, n, stream) };
    }
    let at = Pointers(x, y);
    let part = |start: usize, n: usize| {
        s.vectorize(
            #[inline(always)]
            || {
                let Pointers(x, y) = &at;
                // SAFETY: the tree's leaves are disjoint parts of `0..n`.
                unsafe { map_raw(s, body, from(x, start), y.add(start), n, stream) }
            },
        );
    };
    tree(j, 0, n, GRAIN, &part, &|(), ()| ());
}

/// The places of element `i`.
/// # Safety
/// All have so many elements, or more.
#[inline(always)]
unsafe fn from<T, const N: usize>(x: &[*const T; N], i: usize) -> [*const T; N] {
    // SAFETY: the caller's promise.
    x.map(|x| unsafe { x.add(i) })
}

/// What [`map_parts`] hands to other threads.
struct Pointers<T, const N: usize>([*const T; N], *mut T);

// SAFETY: `map_parts` uses disjoint ranges on different threads.
unsafe impl<T: Send + Sync, const N: usize> Sync for Pointers<T, N> {}

/// `y[i] = body(x₀[i], x₁[i], …)`, with non-temporal stores if `stream`.
/// # Safety
/// As [`map_parts`]; with `stream`, none of `x` is `y`.
#[inline(always)]
pub(super) unsafe fn map_raw<S: Simd, T: Element, B: Body<T, N>, const N: usize>(
    s: S,
    body: B,
    x: [*const T; N],
    y: *mut T,
    n: usize,
    stream: bool,
) {
    let lanes = T::Vec::<S>::LANES;
    // SAFETY: all offsets stay below `n`.
    unsafe {
        if COMPACT || n < lanes {
            let mut i = 0;
            while i < n {
                let part = lanes.min(n - i);
                #[allow(clippy::indexing_slicing, reason = "k < N")]
                let v = from_fn(
                    #[inline(always)]
                    |k| load_some(s, x[k].add(i), part, T::ONE),
                );
                store_some(eval(body, v), y.add(i), part);
                i += if COMPACT { part } else { n };
            }
            return;
        }
        let moved = n.saturating_mul((N + 1) * size_of::<T>());
        if T::Vec::<S>::STREAMS && stream || T::Vec::<S>::CLAIMS && moved >= FAR_BYTES {
            return map_far(s, body, x, y, n, stream);
        }
        map_whole::<S, T, B, N, false>(s, body, x, y, n, false);
    }
}

/// [`map_raw`] with prefetches or non-temporal stores: a function of its own, so that a short map saves no registers for it.
/// # Safety
/// As [`map_raw`], of a vector or more.
#[inline(never)]
unsafe fn map_far<S: Simd, T: Element, B: Body<T, N>, const N: usize>(
    s: S,
    body: B,
    x: [*const T; N],
    y: *mut T,
    n: usize,
    stream: bool,
) {
    s.vectorize(
        #[inline(always)]
        // SAFETY: the caller's promise.
        || unsafe { map_whole::<S, T, B, N, true>(s, body, x, y, n, stream) },
    );
}

/// [`map_raw`] of a vector or more; with `FAR` operands are prefetched.
/// # Safety
/// As [`map_raw`], and `stream` only with `FAR`.
#[inline(always)]
unsafe fn map_whole<S: Simd, T: Element, B: Body<T, N>, const N: usize, const FAR: bool>(
    s: S,
    body: B,
    x: [*const T; N],
    y: *mut T,
    n: usize,
    stream: bool,
) {
    let lanes = T::Vec::<S>::LANES;
    // SAFETY: all offsets stay below `n`.
    unsafe {
        // The tail is the last whole vector. It is read before anything is written, as `y` may be
        // one of `x`; what it shares with the vector before is written twice with the same bits.
        let last = load_each(s, x, n - lanes);
        let mut i = 0;
        let boundary = y.align_offset(lanes * size_of::<T>());
        let stream = FAR && T::Vec::<S>::STREAMS && stream && boundary < lanes;
        if stream {
            // The first vector, then whole registers from their first boundary on.
            eval(body, load_each(s, x, 0)).store(y);
            i = boundary;
        } else if const { size_of::<T::Vec<S>>() >= 64 }
            && n >= 16 * lanes
            && boundary < lanes
            && boundary > 0
        {
            // A register is a line of the cache: where it crosses two, each access counts twice.
            #[allow(clippy::indexing_slicing, reason = "k < N")]
            let first = from_fn(
                #[inline(always)]
                |k| T::Vec::<S>::load_first(s, x[k], boundary, T::ONE),
            );
            eval(body, first).store_first(y, boundary);
            i = boundary;
        }
        // The loads do that where nothing but the result is read.
        let apart = x.iter().any(|x| *x != y.cast_const());
        let moved = n.saturating_mul((N + 1) * size_of::<T>());
        let claim = T::Vec::<S>::CLAIMS && apart && moved >= CLAIM_BYTES;
        while n - i >= 4 * lanes {
            if FAR && T::Vec::<S>::CLAIMS {
                ahead(s, x, i);
                ahead(s, x, i + lanes);
                ahead(s, x, i + 2 * lanes);
                ahead(s, x, i + 3 * lanes);
            }
            let v0 = eval(body, load_each(s, x, i));
            let v1 = eval(body, load_each(s, x, i + lanes));
            let v2 = eval(body, load_each(s, x, i + 2 * lanes));
            let v3 = eval(body, load_each(s, x, i + 3 * lanes));
            if stream {
                v0.stream(y.add(i));
                v1.stream(y.add(i + lanes));
                v2.stream(y.add(i + 2 * lanes));
                v3.stream(y.add(i + 3 * lanes));
                i += 4 * lanes;
                continue;
            }
            if claim {
                // Of the next round.
                let next = y.wrapping_add(i + 4 * lanes);
                T::Vec::<S>::claim(s, next);
                T::Vec::<S>::claim(s, next.wrapping_add(lanes));
                T::Vec::<S>::claim(s, next.wrapping_add(2 * lanes));
                T::Vec::<S>::claim(s, next.wrapping_add(3 * lanes));
            }
            v0.store(y.add(i));
            v1.store(y.add(i + lanes));
            v2.store(y.add(i + 2 * lanes));
            v3.store(y.add(i + 3 * lanes));
            i += 4 * lanes;
        }
        if stream {
            T::Vec::<S>::fence(s);
        }
        while n - i >= lanes {
            eval(body, load_each(s, x, i)).store(y.add(i));
            i += lanes;
        }
        if i < n {
            eval(body, last).store(y.add(n - lanes));
        }
    }
}

/// The body on one vector. Builds with debug assertions hold it once for each type of vector: compiled without
/// optimisation, a loop with ten copies of it is most of what they compile.
#[cfg_attr(debug_assertions, inline(never))]
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn eval<T: Element, V: Alu<Elem = T>, B: Body<T, N>, const N: usize>(body: B, x: [V; N]) -> V {
    body.eval(x)
}

/// The first `n` elements, `fill` in the other lanes; `n < LANES`, or `n ≤ LANES` when [`COMPACT`].
/// # Safety
/// `p` is valid for reads of `n` elements.
#[inline(always)]
pub(crate) unsafe fn load_some<S: Simd, T: Element>(s: S, p: *const T, n: usize, fill: T) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe {
        match COMPACT {
            true if n == T::Vec::<S>::LANES => T::Vec::<S>::load(s, p),
            true => load_apart(s, p, n, fill),
            false => T::Vec::<S>::load_first(s, p, n, fill),
        }
    }
}

/// Writes the first `n` elements; `n < LANES`, or `n ≤ LANES` when [`COMPACT`].
/// # Safety
/// `p` is valid for writes of `n` elements.
#[inline(always)]
pub(crate) unsafe fn store_some<V: Vector>(v: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match COMPACT {
            true if n == V::LANES => v.store(p),
            true => store_apart(v, p, n),
            false => v.store_first(p, n),
        }
    }
}

/// The first `n ≤ LANES` elements, zeros beyond.
/// # Safety
/// They are valid for reads.
#[inline(always)]
pub(crate) unsafe fn load_up_to<S: Simd, T: Element>(s: S, p: *const T, n: usize) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe { if n == T::Vec::<S>::LANES { T::Vec::<S>::load(s, p) } else { load_some(s, p, n, T::ZERO) } }
}

/// Writes the first `n ≤ LANES` elements.
/// # Safety
/// They are valid for writes.
#[inline(always)]
pub(crate) unsafe fn store_up_to<V: Vector>(v: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { if n == V::LANES { v.store(p) } else { store_some(v, p, n) } }
}

/// [`Vector::load_first`], once for all loops.
/// # Safety
/// As [`Vector::load_first`].
#[inline(never)]
unsafe fn load_apart<S: Simd, T: Element>(s: S, p: *const T, n: usize, fill: T) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe { T::Vec::<S>::load_first(s, p, n, fill) }
}

/// [`Vector::store_first`], once for all loops.
/// # Safety
/// As [`Vector::store_first`].
#[inline(never)]
unsafe fn store_apart<V: Vector>(v: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { v.store_first(p, n) }
}

/// # Safety
/// Each of `x` is valid for reads of `i + LANES` elements.
#[inline(always)]
unsafe fn load_each<S: Simd, T: Element, const N: usize>(s: S, x: [*const T; N], i: usize) -> [T::Vec<S>; N] {
    #[allow(clippy::indexing_slicing, reason = "k < N")]
    from_fn(
        #[inline(always)]
        // SAFETY: the caller's promise.
        |k| unsafe { T::Vec::<S>::load(s, x[k].add(i)) },
    )
}
