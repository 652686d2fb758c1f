//! Transforms of at most a few hundred points in one function: the lengths of the [passes](super::pass) are constants,
//! and their arrays are registers, or the stack where registers are too few.

use super::butterfly::{Dft, Pair, Radix, mul};
use super::pass::{in_turn, load, regrouped, store};
use crate::lanes::portable::scalar;
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};
use core::mem::MaybeUninit;

/// As [`whole`] for a number of points that a vector may hold several times: one butterfly, or two passes of 16 or 32 points,
/// on numbers. `None` for other lengths.
/// # Safety
/// As there.
#[inline]
pub(super) unsafe fn few<S: Simd, T: Element>(
    s: S,
    n: usize,
    from: *const T,
    to: *mut T,
    roots: *const T,
    back: (bool, T),
) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match n {
            2 => two::<S, T, 2, 1>(s, from, to, roots, back),
            3 => two::<S, T, 3, 1>(s, from, to, roots, back),
            4 => two::<S, T, 4, 1>(s, from, to, roots, back),
            5 => two::<S, T, 5, 1>(s, from, to, roots, back),
            7 => two::<S, T, 7, 1>(s, from, to, roots, back),
            8 => two::<S, T, 8, 1>(s, from, to, roots, back),
            16 if !COMPACT => two::<S, T, 4, 4>(s, from, to, roots, back),
            32 if !COMPACT => two::<S, T, 8, 4>(s, from, to, roots, back),
            _ => return None,
        }
    }
    Some(())
}

/// Passes of radices `A` and `B` on numbers.
/// # Safety
/// As [`whole`], for their product, which is 32 at most.
#[inline(never)]
#[allow(clippy::indexing_slicing, reason = "below 32")]
unsafe fn two<S: Simd, T: Element, const A: usize, const B: usize>(
    s: S,
    from: *const T,
    to: *mut T,
    roots: *const T,
    (back, scale): (bool, T),
) where
    Dft: Radix<A> + Radix<B>,
{
    s.vectorize(
        #[inline(always)]
        || {
            let swapped = |[re, im]: Pair<_>| if back { [im, re] } else { [re, im] };
            let scale = scalar(scale);
            let mut x = [[scalar(T::ZERO); 2]; 32];
            // SAFETY: the caller's promise.
            unsafe {
                for p in 0..B {
                    <Dft as Radix<A>>::dft(
                        #[inline(always)]
                        |k| {
                            let from = from.add(2 * (p + k * B));
                            swapped([scalar(from.read()), scalar(from.add(1).read())])
                        },
                        #[inline(always)]
                        |j, v| {
                            let at = roots.wrapping_add(2 * (j.max(1) - 1) * B + p);
                            x[j * B + p] = if j > 0 && B > 1 {
                                mul(v, [scalar(at.read()), scalar(at.add(B).read())])
                            } else {
                                v
                            };
                        },
                    );
                }
                for j in 0..A {
                    <Dft as Radix<B>>::dft(
                        #[inline(always)]
                        |k| x[j * B + k],
                        #[inline(always)]
                        |k, v| {
                            let to = to.add(2 * (j + k * A));
                            let [re, im] = swapped(if back { [v[0] * scale, v[1] * scale] } else { v });
                            re.store(to);
                            im.store(to.add(1));
                        },
                    );
                }
            }
        },
    );
}

/// The most vectors that hold a part of all numbers.
pub(crate) const VECTORS: usize = 64;

/// Whether a transform of `n` points runs here: not where code is to be small.
pub(super) const fn fits<S: Simd, T: Element>(n: usize) -> bool {
    let lanes = <T::Vec<S> as Vector>::LANES;
    !COMPACT && lanes > 1 && matches!(n, 64 | 128 | 256 | 512) && n / lanes <= VECTORS
}

/// The transform of `n` points, with their parts exchanged and the result times `scale` if `back`.
/// # Safety
/// It [`fits`]; `n` complex numbers are valid for reads at `from` and for writes at `to`, which may be one, and the roots of a
/// plan for `n` at `roots`.
#[inline]
pub(super) unsafe fn whole<S: Simd, T: Element>(
    s: S,
    n: usize,
    from: *const T,
    to: *mut T,
    roots: *const T,
    (back, scale): (bool, T),
) {
    // SAFETY: the caller's promise.
    unsafe {
        match (n, back) {
            (64, false) => three::<S, T, 4, 4, 4, false>(s, from, to, roots, scale),
            (64, true) => three::<S, T, 4, 4, 4, true>(s, from, to, roots, scale),
            (128, false) => three::<S, T, 4, 4, 8, false>(s, from, to, roots, scale),
            (128, true) => three::<S, T, 4, 4, 8, true>(s, from, to, roots, scale),
            (256, false) => three::<S, T, 4, 8, 8, false>(s, from, to, roots, scale),
            (256, true) => three::<S, T, 4, 8, 8, true>(s, from, to, roots, scale),
            (_, false) => three::<S, T, 8, 8, 8, false>(s, from, to, roots, scale),
            (_, true) => three::<S, T, 8, 8, 8, true>(s, from, to, roots, scale),
        }
    }
}

/// Passes of radices `A`, `B` and `C`.
/// # Safety
/// As [`whole`], for their product.
#[inline(never)]
#[allow(clippy::indexing_slicing, reason = "below VECTORS, as `fits` says, and below the radices")]
unsafe fn three<S: Simd, T: Element, const A: usize, const B: usize, const C: usize, const BACK: bool>(
    s: S,
    from: *const T,
    to: *mut T,
    roots: *const T,
    scale: T,
) where
    Dft: Radix<A> + Radix<B> + Radix<C>,
{
    s.vectorize(
        #[inline(always)]
        || {
            let lanes = T::Vec::<S>::LANES;
            let zero = T::Vec::<S>::splat(s, T::ZERO);
            let mut x = [const { MaybeUninit::<Pair<T::Vec<S>>>::uninit() }; VECTORS];
            let mut y = x;
            // SAFETY: the caller's promise; each pass reads what the one before has written.
            unsafe {
                let m = B * C;
                let mut i = 0;
                while i < m / lanes {
                    let mut z = [[zero; A]; 2];
                    <Dft as Radix<A>>::dft(
                        #[inline(always)]
                        |k| load::<S, T, true, BACK, true>(s, [from; 2], i * lanes + k * m, lanes),
                        #[inline(always)]
                        |j, v: Pair<T::Vec<S>>| {
                            [z[0][j], z[1][j]] = turned::<S, T>(s, j, v, roots.wrapping_add(i * lanes), m);
                        },
                    );
                    let [re, im] = z;
                    let z = [in_turn::<S, T, A>(s, re), in_turn::<S, T, A>(s, im)];
                    for j in 0..A {
                        x[i * A + j].write([z[0][j], z[1][j]]);
                    }
                    i += 1;
                }
                let (roots, m) = (roots.add(2 * (A - 1) * m), A * C);
                let mut i = 0;
                while i < m / lanes {
                    let mut z = [[zero; B]; 2];
                    <Dft as Radix<B>>::dft(
                        #[inline(always)]
                        |k| x[i + k * (m / lanes)].assume_init(),
                        #[inline(always)]
                        |j, v: Pair<T::Vec<S>>| {
                            [z[0][j], z[1][j]] = turned::<S, T>(s, j, v, roots.wrapping_add(i * lanes), m);
                        },
                    );
                    let [re, im] = z;
                    let z = [grouped::<S, T, A, B>(s, re), grouped::<S, T, A, B>(s, im)];
                    // Vectors of the `A` numbers at a place.
                    let many = const { if A > T::Vec::<S>::LANES { A / T::Vec::<S>::LANES } else { 1 } };
                    for j in 0..B {
                        y[i / many * many * B + j * many + i % many].write([z[0][j], z[1][j]]);
                    }
                    i += 1;
                }
                let done = A * B;
                let scale = T::Vec::<S>::splat(s, scale);
                let mut i = 0;
                while i < done / lanes {
                    <Dft as Radix<C>>::dft(
                        #[inline(always)]
                        |k| y[i + k * (done / lanes)].assume_init(),
                        #[inline(always)]
                        |j, v: Pair<T::Vec<S>>| {
                            let v = if BACK { [v[0] * scale, v[1] * scale] } else { v };
                            store::<S, T, true, BACK, true>(s, v, [to; 2], i * lanes + j * done, lanes);
                        },
                    );
                    i += 1;
                }
            }
        },
    );
}

/// Output `j` of a butterfly times its roots, which are `m` numbers for real and as many for imaginary parts.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn turned<S: Simd, T: Element>(
    s: S,
    j: usize,
    v: Pair<T::Vec<S>>,
    roots: *const T,
    m: usize,
) -> Pair<T::Vec<S>> {
    if j == 0 {
        return v;
    }
    // SAFETY: the caller's promise.
    unsafe {
        let at = roots.add(2 * (j - 1) * m);
        mul(v, [T::Vec::<S>::load(s, at), T::Vec::<S>::load(s, at.add(m))])
    }
}

/// [`regrouped`] by groups of `A` numbers, where a vector has several.
#[inline(always)]
fn grouped<S: Simd, T: Element, const A: usize, const B: usize>(s: S, z: [T::Vec<S>; B]) -> [T::Vec<S>; B] {
    match const { T::Vec::<S>::LANES / A } {
        2 => regrouped::<S, T, B, 2>(s, z),
        4 => regrouped::<S, T, B, 4>(s, z),
        _ => z,
    }
}
