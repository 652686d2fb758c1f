//! Rotations of pairs of elements, each by its own angle: of the halves of a head, or of neighbours.

use super::inout::InOut;
use super::vector::Vector;
use super::{Element, Simd};
use crate::alu::Alu;

/// How pairs turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Whether neighbours are pairs, and not the halves of a head.
    pub neighbours: bool,
    /// Whether by the angle's opposite.
    pub back: bool,
}

/// The pair turned by the angle of this cosine and sine.
#[inline(always)]
pub(crate) fn pair<V: Alu>([a, b]: [V; 2], cos: V, sin: V) -> [V; 2] {
    [a.mul_add(cos, -(b * sin)), b.mul_add(cos, a * sin)]
}

/// Rotates heads that lie one after the other; `cos` and `sin` have an angle for each pair of one head.
#[inline(always)]
pub(crate) fn rotate<S: Simd, T: Element>(s: S, turn: Turn, mut row: InOut<'_, T>, cos: &[T], sin: &[T]) {
    let half = cos.len().min(sin.len());
    let heads = row.len().checked_div(2 * half).unwrap_or(0);
    let from = row.input().as_ptr();
    let to = row.output().as_mut_ptr();
    let (cos, sin) = (cos.as_ptr(), sin.as_ptr());
    let lanes = T::Vec::<S>::LANES;
    let mut i = 0;
    while i < half {
        let n = lanes.min(half - i);
        // SAFETY: `n` pairs from `i` on are in every head; a pair is read before it is written.
        unsafe {
            let (mut c, mut d) = (some(s, cos.add(i), n), some(s, sin.add(i), n));
            if turn.back {
                d = -d;
            }
            if turn.neighbours {
                (c, d) = (spread::<S, T>(s, c), spread::<S, T>(s, d));
            }
            for h in 0..heads {
                let (x, y) = (from.add(2 * h * half), to.add(2 * h * half));
                let at = if turn.neighbours { 2 * i } else { i };
                // The pairs' first and second elements, or the first and second register of pairs.
                let (first, second) =
                    if turn.neighbours { (lanes.min(2 * n), 2 * n - lanes.min(2 * n)) } else { (n, n) };
                let apart = if turn.neighbours { lanes } else { half };
                let a = some(s, x.add(at), first);
                let b = if second == 0 {
                    T::Vec::<S>::splat(s, T::ZERO)
                } else {
                    some(s, x.add(at + apart), second)
                };
                let [a, b] = if turn.neighbours { exchange::<S, T>(s, a, b) } else { [a, b] };
                let [a, b] = pair([a, b], c, d);
                let [a, b] = if turn.neighbours { exchange::<S, T>(s, a, b) } else { [a, b] };
                put(a, y.add(at), first);
                if second > 0 {
                    put(b, y.add(at + apart), second);
                }
            }
        }
        i += n;
    }
}

/// The odd lanes of `a` and the even ones of `b` change places; a register of one lane has neither.
#[inline(always)]
fn exchange<S: Simd, T: Element>(s: S, a: T::Vec<S>, b: T::Vec<S>) -> [T::Vec<S>; 2] {
    if const { T::Vec::<S>::LANES == 1 } { [a, b] } else { T::Vec::<S>::exchange::<1>(s, a, b) }
}

/// The lanes in the order in which [`exchange`] leaves pairs: the first half to even lanes, the second to odd ones.
#[inline(always)]
fn spread<S: Simd, T: Element>(s: S, x: T::Vec<S>) -> T::Vec<S> {
    let half = T::Vec::<S>::LANES / 2;
    let (mut from, mut to) = ([T::ZERO; 16], [T::ZERO; 16]);
    // SAFETY: `LANES <= 16`.
    unsafe { x.store(from.as_mut_ptr()) };
    if half == 0 {
        return x;
    }
    for (i, to) in to.iter_mut().enumerate().take(2 * half) {
        *to = from.get(i / 2 + i % 2 * half).copied().unwrap_or(T::ZERO);
    }
    // SAFETY: `LANES <= 16`.
    unsafe { T::Vec::<S>::load(s, to.as_ptr()) }
}

/// The first `n ≤ LANES` elements, zeros beyond.
/// # Safety
/// They are valid for reads.
#[inline(always)]
unsafe fn some<S: Simd, T: Element>(s: S, p: *const T, n: usize) -> T::Vec<S> {
    // SAFETY: the caller's promise.
    unsafe {
        if n == T::Vec::<S>::LANES {
            T::Vec::<S>::load(s, p)
        } else {
            T::Vec::<S>::load_first(s, p, n, T::ZERO)
        }
    }
}

/// Writes the first `n ≤ LANES` elements.
/// # Safety
/// They are valid for writes.
#[inline(always)]
unsafe fn put<V: Vector>(x: V, p: *mut V::Elem, n: usize) {
    // SAFETY: the caller's promise.
    unsafe { if n == V::LANES { x.store(p) } else { x.store_first(p, n) } }
}
