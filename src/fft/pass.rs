//! The passes of Stockham's algorithm, decimated in frequency: each pass reads one array and writes another, and none
//! reverses digits.
//!
//! Between passes real and imaginary parts lie in planes of their own. After passes whose radices multiply to `s`, the array is
//! `s` interleaved problems of `n / s` points, so that lanes go along `s`; the first pass, where that is 1, goes along the places
//! of a butterfly and transposes what it writes; while `s` is less than the lanes, they go along several places of `s` numbers.

use super::butterfly::{Dft, Pair, Radix, mul};
use crate::alu::Alu;
use crate::blas::transpose::lane_square;
use crate::complex::Complex;
use crate::lanes::drive::{load_up_to, store_up_to};
use crate::lanes::portable::scalar;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, from_fn};
use core::mem::MaybeUninit;

/// A pass over `width` contiguous numbers at each of `places`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pass {
    pub width: usize,
    /// How many places of a butterfly, and from one to the next, read and written.
    pub places: [usize; 3],
    /// From one point of a butterfly to the next, read and written.
    pub points: [usize; 2],
    /// From the root of a place to that of the next, from one output's to the next, from the real to the imaginary part.
    pub roots: [usize; 3],
    /// Whether each number has a root of its own, beside that of the number before.
    pub spread: bool,
}

/// `n` elements, a vector if `WHOLE`.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn get<S: Simd, T: Element, const WHOLE: bool>(s: S, p: *const T, n: usize) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe { if WHOLE { T::Vec::<S>::load(s, p) } else { load_up_to(s, p, n) } }
}

/// # Safety
/// `n` elements are valid for writes, a vector if `WHOLE`.
#[inline(always)]
unsafe fn put<V: Vector, const WHOLE: bool>(v: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { if WHOLE { v.store(p) } else { store_up_to(v, p, n) } }
}

/// `n` complex numbers from `i` on, in planes or in pairs; parts are exchanged if `SWAP`.
/// # Safety
/// They are valid for reads, a vector of them if `WHOLE`.
#[inline(always)]
pub(super) unsafe fn load<S: Simd, T: Element, const PAIRS: bool, const SWAP: bool, const WHOLE: bool>(
    s: S,
    from: [*const T; 2],
    i: usize,
    n: usize,
) -> Pair<T::Vec<S>> {
    // SAFETY: the caller's promise.
    unsafe {
        if !PAIRS {
            return [get::<S, T, WHOLE>(s, from[0].add(i), n), get::<S, T, WHOLE>(s, from[1].add(i), n)];
        }
        let p = from[0].add(2 * i);
        let few = (2 * n).min(T::Vec::<S>::LANES);
        let a = get::<S, T, WHOLE>(s, p, few);
        let b = get::<S, T, WHOLE>(s, p.add(few), 2 * n - few);
        let [re, im] = T::Vec::<S>::unzip(s, a, b);
        if SWAP { [im, re] } else { [re, im] }
    }
}

/// # Safety
/// `n` complex numbers from `i` on are valid for writes, a vector of them if `WHOLE`.
#[inline(always)]
pub(super) unsafe fn store<S: Simd, T: Element, const PAIRS: bool, const SWAP: bool, const WHOLE: bool>(
    s: S,
    [re, im]: Pair<T::Vec<S>>,
    to: [*mut T; 2],
    i: usize,
    n: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if !PAIRS {
            put::<_, WHOLE>(re, to[0].add(i), n);
            put::<_, WHOLE>(im, to[1].add(i), n);
            return;
        }
        let p = to[0].add(2 * i);
        let few = (2 * n).min(T::Vec::<S>::LANES);
        let [a, b] = if SWAP { T::Vec::<S>::zip(s, im, re) } else { T::Vec::<S>::zip(s, re, im) };
        put::<_, WHOLE>(a, p, few);
        put::<_, WHOLE>(b, p.add(few), 2 * n - few);
    }
}

/// A butterfly of each lane of `n ≤ LANES`, times the roots if `TURN`, else times `scale` if `BACK`. What is read in pairs, and
/// what is written in pairs, has its parts exchanged if `BACK`: a transform in between is then the inverse one.
/// # Safety
/// As [`load`] and [`store`], at each point.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "pointers and distances")]
unsafe fn butterfly<
    S: Simd,
    T: Element,
    const R: usize,
    const FROM: bool,
    const TO: bool,
    const TURN: bool,
    const BACK: bool,
    const WHOLE: bool,
>(
    s: S,
    from: [*const T; 2],
    to: [*mut T; 2],
    [read, write]: [usize; 2],
    points: [usize; 2],
    n: usize,
    (roots, by, spread): (*const T, [usize; 3], bool),
    scale: T::Vec<S>,
) where
    Dft: Radix<R>,
{
    Dft::dft(
        #[inline(always)]
        // SAFETY: the caller's promise.
        |k| unsafe {
            let at = read + k * points[0];
            if BACK {
                load::<S, T, FROM, true, WHOLE>(s, from, at, n)
            } else {
                load::<S, T, FROM, false, WHOLE>(s, from, at, n)
            }
        },
        #[inline(always)]
        // SAFETY: the caller's promise.
        |j, mut y: Pair<T::Vec<S>>| unsafe {
            let at = write + j * points[1];
            if TURN && j > 0 {
                let root = [roots.add((j - 1) * by[1]), roots.add((j - 1) * by[1] + by[2])];
                y = mul(
                    y,
                    if spread {
                        [get::<S, T, WHOLE>(s, root[0], n), get::<S, T, WHOLE>(s, root[1], n)]
                    } else {
                        [T::Vec::<S>::splat(s, root[0].read()), T::Vec::<S>::splat(s, root[1].read())]
                    },
                );
            }
            if TO && BACK {
                store::<S, T, TO, true, WHOLE>(s, [y[0] * scale, y[1] * scale], to, at, n);
            } else {
                store::<S, T, TO, false, WHOLE>(s, y, to, at, n);
            }
        },
    );
}

/// A pass over contiguous lanes. `FROM` and `TO` say what is in pairs; the last pass has no roots.
/// # Safety
/// What `pass` reaches is valid: `from` for reads, `to` for writes, the roots of each place; `from` and `to` don't overlap.
#[inline(never)]
pub(super) unsafe fn along<
    S: Simd,
    T: Element,
    const R: usize,
    const FROM: bool,
    const TO: bool,
    const TURN: bool,
    const BACK: bool,
>(
    s: S,
    from: [*const T; 2],
    to: [*mut T; 2],
    roots: *const T,
    scale: T,
    pass: &Pass,
) where
    Dft: Radix<R>,
{
    s.vectorize(
        #[inline(always)]
        || {
            let lanes = T::Vec::<S>::LANES;
            let scale = T::Vec::<S>::splat(s, scale);
            let &Pass { width, places, points, roots: by, spread } = pass;
            for p in 0..places[0] {
                let (read, write) = (p * places[1], p * places[2]);
                let roots = roots.wrapping_add(p * by[0]);
                let mut q = 0;
                while q < width {
                    // The last vector may repeat lanes of the one before: what it reads is not written.
                    let q0 = q.min(width.saturating_sub(lanes));
                    let at = [read + q0, write + q0];
                    // SAFETY: the numbers from each point on lie within what `pass` reaches.
                    unsafe {
                        if width < lanes {
                            butterfly::<S, T, R, FROM, TO, TURN, BACK, false>(
                                s,
                                from,
                                to,
                                at,
                                points,
                                width,
                                (roots, by, spread),
                                scale,
                            );
                        } else if spread {
                            butterfly::<S, T, R, FROM, TO, TURN, BACK, true>(
                                s,
                                from,
                                to,
                                at,
                                points,
                                lanes,
                                (roots.wrapping_add(q0), by, true),
                                scale,
                            );
                        } else {
                            butterfly::<S, T, R, FROM, TO, TURN, BACK, true>(
                                s,
                                from,
                                to,
                                at,
                                points,
                                lanes,
                                (roots, by, false),
                                scale,
                            );
                        }
                    }
                    q += lanes;
                }
            }
        },
    );
}

/// The first pass over contiguous pairs, at the places from `start` to `end` of `m`: lanes go along them, and
/// the outputs of a place become neighbours.
/// # Safety
/// `R·m` complex numbers of `from` are valid for reads and of `to` for writes, apart from each other; so are the roots.
#[inline(never)]
pub(super) unsafe fn first<S: Simd, T: Element, const R: usize, const BACK: bool>(
    s: S,
    from: *const T,
    to: [*mut T; 2],
    roots: *const T,
    m: usize,
    start: usize,
    end: usize,
) where
    Dft: Radix<R>,
{
    s.vectorize(
        #[inline(always)]
        || {
            let lanes = T::Vec::<S>::LANES;
            let mut p = start;
            while p < end {
                // SAFETY: the places are below `end`.
                unsafe {
                    if end - start < lanes {
                        across::<S, T, R, BACK, false>(s, from, to, roots, m, start, end - start);
                    } else {
                        across::<S, T, R, BACK, true>(s, from, to, roots, m, p.min(end - lanes), lanes);
                    }
                }
                p += lanes;
            }
        },
    );
}

/// `n` places from `p` on of the first pass.
/// # Safety
/// As [`first`].
#[inline(always)]
unsafe fn across<S: Simd, T: Element, const R: usize, const BACK: bool, const WHOLE: bool>(
    s: S,
    from: *const T,
    to: [*mut T; 2],
    roots: *const T,
    m: usize,
    p: usize,
    n: usize,
) where
    Dft: Radix<R>,
{
    let lanes = T::Vec::<S>::LANES;
    // SAFETY: the caller's promise; `outputs` has room for 16 vectors of at most 16 lanes.
    unsafe {
        let to = [to[0].add(R * p), to[1].add(R * p)];
        let mut outputs = [[const { MaybeUninit::<T>::uninit() }; 256]; 2];
        let [re, im] = &mut outputs;
        let outputs = [re.as_mut_ptr().cast::<T>(), im.as_mut_ptr().cast::<T>()];
        let place = if lanes == 1 { to } else { outputs };
        Dft::dft(
            #[inline(always)]
            |k| load::<S, T, true, BACK, WHOLE>(s, [from; 2], p + k * m, n),
            #[inline(always)]
            |j, mut y: Pair<T::Vec<S>>| {
                if j > 0 {
                    let at = roots.add(2 * (j - 1) * m + p);
                    y = mul(y, [get::<S, T, WHOLE>(s, at, n), get::<S, T, WHOLE>(s, at.add(m), n)]);
                }
                y[0].store(place[0].add(j * lanes));
                y[1].store(place[1].add(j * lanes));
            },
        );
        if lanes == 1 {
            return;
        }
        for [to, from] in [[to[0], outputs[0]], [to[1], outputs[1]]] {
            if WHOLE && const { R == 4 || R == 8 } {
                let y = from_fn(
                    #[inline(always)]
                    |j| T::Vec::<S>::load(s, from.add(j * lanes)),
                );
                for (j, y) in in_turn::<S, T, R>(s, y).into_iter().enumerate() {
                    y.store(to.add(j * lanes));
                }
            } else if WHOLE && R.is_multiple_of(lanes) {
                for j in (0..R).step_by(lanes) {
                    lane_square::<S, T, false>(s, from.add(j * lanes), lanes as isize, to.add(j), R as isize);
                }
            } else {
                for k in 0..n {
                    for j in 0..R {
                        to.add(k * R + j).write(from.add(j * lanes + k).read());
                    }
                }
            }
        }
    }
}

/// The lanes of all of `y` in turn: the first ones, then the second ones, and so on. `R` is 4 or 8.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "below R")]
pub(super) fn in_turn<S: Simd, T: Element, const R: usize>(s: S, mut y: [T::Vec<S>; R]) -> [T::Vec<S>; R] {
    for _ in 0..if R == 8 { 3 } else { 2 } {
        let z = y;
        for i in 0..R / 2 {
            [y[2 * i], y[2 * i + 1]] = T::Vec::<S>::zip(s, z[i], z[i + R / 2]);
        }
    }
    y
}

/// A pass over groups of `done` numbers, fewer than lanes, several groups at once: as [`along`] with `width = done`, whose roots are
/// spread, where lanes go along the numbers of all `places`.
/// # Safety
/// As [`along`]; `places·done` is no less than the lanes, and `done` is a half or a quarter of them.
#[inline(never)]
pub(super) unsafe fn groups<S: Simd, T: Element, const R: usize>(
    s: S,
    from: [*const T; 2],
    to: [*mut T; 2],
    roots: *const T,
    pass: &Pass,
) where
    Dft: Radix<R>,
{
    s.vectorize(
        #[inline(always)]
        || {
            // SAFETY: the caller's promise.
            unsafe {
                if 2 * pass.width == T::Vec::<S>::LANES {
                    grouped::<S, T, R, 2>(s, from, to, roots, pass);
                } else {
                    grouped::<S, T, R, 4>(s, from, to, roots, pass);
                }
            }
        },
    );
}

/// As [`groups`], of which `G` have the lanes of a vector.
/// # Safety
/// As there.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "below R")]
unsafe fn grouped<S: Simd, T: Element, const R: usize, const G: usize>(
    s: S,
    from: [*const T; 2],
    to: [*mut T; 2],
    roots: *const T,
    pass: &Pass,
) where
    Dft: Radix<R>,
{
    let lanes = T::Vec::<S>::LANES;
    let &Pass { places, points, roots: by, width, .. } = pass;
    let n = places[0] * width;
    let zero = T::Vec::<S>::splat(s, T::ZERO);
    let mut i = 0;
    while i < n {
        let at = i.min(n - lanes);
        let mut y = [[zero; R]; 2];
        // SAFETY: the caller's promise.
        unsafe {
            Dft::dft(
                #[inline(always)]
                |k| load::<S, T, false, false, true>(s, from, at + k * points[0], lanes),
                #[inline(always)]
                |j, mut z: Pair<T::Vec<S>>| {
                    if j > 0 {
                        let root = roots.add((j - 1) * by[1] + at);
                        z = mul(z, [T::Vec::<S>::load(s, root), T::Vec::<S>::load(s, root.add(by[2]))]);
                    }
                    [y[0][j], y[1][j]] = z;
                },
            );
            for (y, to) in y.into_iter().zip(to) {
                for (j, y) in regrouped::<S, T, R, G>(s, y).into_iter().enumerate() {
                    y.store(to.add(R * at + j * lanes));
                }
            }
        }
        i += lanes;
    }
}

/// All of the first group of `G` in each of `y`, then all of the second one, and so on. `G` is 1, 2 or 4, and no more than `R`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "below R")]
pub(super) fn regrouped<S: Simd, T: Element, const R: usize, const G: usize>(
    s: S,
    mut y: [T::Vec<S>; R],
) -> [T::Vec<S>; R] {
    let mut z = y;
    let mut t = 0;
    while t < R {
        if const { G == 4 } {
            [y[t], y[t + 2]] = halves::<S, T>(s, y[t], y[t + 2]);
            [y[t + 1], y[t + 3]] = halves::<S, T>(s, y[t + 1], y[t + 3]);
            [y[t], y[t + 1]] = quarters::<S, T>(s, y[t], y[t + 1]);
            [y[t + 2], y[t + 3]] = quarters::<S, T>(s, y[t + 2], y[t + 3]);
        } else if const { G == 2 } {
            [y[t], y[t + 1]] = halves::<S, T>(s, y[t], y[t + 1]);
        }
        for g in 0..G {
            z[g * (R / G) + t / G] = y[t + g];
        }
        t += G;
    }
    z
}

/// The second half of `a` exchanged for the first one of `b`.
#[inline(always)]
fn halves<S: Simd, T: Element>(s: S, a: T::Vec<S>, b: T::Vec<S>) -> [T::Vec<S>; 2] {
    match T::Vec::<S>::LANES {
        16 => T::Vec::<S>::exchange::<8>(s, a, b),
        8 => T::Vec::<S>::exchange::<4>(s, a, b),
        4 => T::Vec::<S>::exchange::<2>(s, a, b),
        _ => T::Vec::<S>::exchange::<1>(s, a, b),
    }
}

/// As [`halves`], of each half.
#[inline(always)]
fn quarters<S: Simd, T: Element>(s: S, a: T::Vec<S>, b: T::Vec<S>) -> [T::Vec<S>; 2] {
    match T::Vec::<S>::LANES {
        16 => T::Vec::<S>::exchange::<4>(s, a, b),
        8 => T::Vec::<S>::exchange::<2>(s, a, b),
        _ => T::Vec::<S>::exchange::<1>(s, a, b),
    }
}

/// Lanes in the opposite order.
#[inline(always)]
fn reversed<S: Simd, T: Element>(s: S, v: T::Vec<S>) -> T::Vec<S> {
    let (mut from, mut to) = ([T::ZERO; 16], [T::ZERO; 16]);
    // SAFETY: no vector has more than 16 lanes. Compilers turn this into shuffles.
    unsafe { v.store(from.as_mut_ptr()) }
    for (to, from) in to.iter_mut().zip(from.iter().take(T::Vec::<S>::LANES).rev()) {
        *to = *from;
    }
    // SAFETY: as above.
    unsafe { T::Vec::<S>::load(s, to.as_ptr()) }
}

/// `(a + b)/2 + t·(a - b)/2` and the conjugate of `(a + b)/2 - t·(a - b)/2`, for `b` the conjugate of what is passed.
#[inline(always)]
pub(crate) fn apart<V: Alu>(a: Pair<V>, b: Pair<V>, t: Pair<V>) -> [Pair<V>; 2] {
    let half = a[0].c(0.5);
    let (even, odd) =
        ([(a[0] + b[0]) * half, (a[1] - b[1]) * half], [(a[0] - b[0]) * half, (a[1] + b[1]) * half]);
    let odd = mul(odd, t);
    [[even[0] + odd[0], even[1] + odd[1]], [even[0] - odd[0], odd[1] - even[1]]]
}

/// Takes apart the transforms of even and odd places in all numbers of `z` but the first: `z[k]` and `z[m - k]` by the root
/// `k` of `twist`, or by its conjugate to put them together again.
pub(super) fn untangle<S: Simd, T: Element>(s: S, z: &mut [Complex<T>], twist: &[T], back: bool) {
    let m = z.len();
    let lanes = T::Vec::<S>::LANES;
    if twist.len() / 2 <= m / 2 {
        return;
    }
    let z = Complex::parts_mut(z).as_mut_ptr();
    let twist = twist.as_ptr();
    s.vectorize(
        #[inline(always)]
        || {
            let sign = T::Vec::<S>::splat(s, if back { -T::ONE } else { T::ONE });
            let mut k = 1;
            // SAFETY: `k..k + lanes` and the mirrored numbers lie in `z` and do not meet; roots go to `m / 2`.
            unsafe {
                while 2 * (k + lanes) <= m + 1 {
                    let mirror = m - k - (lanes - 1);
                    let a = load::<S, T, true, false, true>(s, [z.cast_const(); 2], k, lanes);
                    let b = load::<S, T, true, false, true>(s, [z.cast_const(); 2], mirror, lanes);
                    let t = load::<S, T, true, false, true>(s, [twist; 2], k, lanes);
                    let b = [reversed::<S, T>(s, b[0]), reversed::<S, T>(s, b[1])];
                    let [a, b] = apart(a, b, [t[0], t[1] * sign]);
                    let b = [reversed::<S, T>(s, b[0]), reversed::<S, T>(s, b[1])];
                    store::<S, T, true, false, true>(s, a, [z; 2], k, lanes);
                    store::<S, T, true, false, true>(s, b, [z; 2], mirror, lanes);
                    k += lanes;
                }
                while 2 * k <= m {
                    let one = |p: *const T, i: usize| {
                        [scalar(p.add(2 * i).read()), scalar(p.add(2 * i + 1).read())]
                    };
                    let [re, im] = one(twist, k);
                    let im = if back { -im } else { im };
                    let both = apart(one(z, k), one(z, m - k), [re, im]);
                    for (i, [re, im]) in [k, m - k].into_iter().zip(both) {
                        re.store(z.add(2 * i));
                        im.store(z.add(2 * i + 1));
                    }
                    k += 1;
                }
            }
        },
    );
}
