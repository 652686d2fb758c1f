//! The kernel of rotary embeddings: rotates pairs of elements, each pair by its own angle. The pairs are elements of
//! the two halves of a head, or neighbours.

use super::drive::{load_up_to, store_up_to};
use super::inout::InOut;
use super::vector::Vector;
use super::{Element, Simd, from_fn};
use crate::alu::Alu;

/// How pairs turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Whether neighbours are pairs, and not the halves of a head.
    pub neighbours: bool,
    /// Whether by the angle's opposite.
    pub back: bool,
    /// Whether rows follow, whose lines are prefetched for writing.
    pub more: bool,
}

/// The pair turned by the angle of this cosine and sine.
#[inline(always)]
pub(crate) fn pair<V: Alu>([a, b]: [V; 2], cos: V, sin: V) -> [V; 2] {
    [a.mul_add(cos, -(b * sin)), b.mul_add(cos, a * sin)]
}

/// Rotates contiguous heads; `cos` and `sin` have an angle for each pair of one head.
#[inline(always)]
pub(crate) fn rotate<S: Simd, T: Element>(s: S, turn: Turn, mut row: InOut<'_, T>, cos: &[T], sin: &[T]) {
    let half = cos.len().min(sin.len());
    let heads = row.len().checked_div(2 * half).unwrap_or(0);
    let from = row.input().as_ptr();
    let to = row.output().as_mut_ptr();
    let (cos, sin) = (cos.as_ptr(), sin.as_ptr());
    // What is read needs no prefetch for writing.
    let more = T::Vec::<S>::CLAIMS && turn.more && from != to.cast_const();
    let heads = Heads { from, to, half, heads, back: turn.back, more };
    let lanes = T::Vec::<S>::LANES;
    let mut i = 0;
    // SAFETY: the pairs of each call are in every head, and their angles in `cos` and `sin`.
    unsafe {
        while i < half {
            let n = lanes.min(half - i);
            let (c, d) = (cos.add(i), sin.add(i));
            let taken = match ((half - i) / lanes, turn.neighbours) {
                (0, false) => heads.turn::<S, 1, false>(s, c, d, i, n),
                (0, true) => heads.turn::<S, 1, true>(s, c, d, i, n),
                (1, false) => heads.turn::<S, 1, false>(s, c, d, i, lanes),
                (1, true) => heads.turn::<S, 1, true>(s, c, d, i, lanes),
                (2 | 3, false) => heads.turn::<S, 2, false>(s, c, d, i, lanes),
                (2 | 3, true) => heads.turn::<S, 2, true>(s, c, d, i, lanes),
                (_, false) => heads.turn::<S, 4, false>(s, c, d, i, lanes),
                (_, true) => heads.turn::<S, 4, true>(s, c, d, i, lanes),
            };
            i += taken;
        }
    }
}

/// Contiguous heads.
#[derive(Clone, Copy)]
struct Heads<T> {
    from: *const T,
    to: *mut T,
    half: usize,
    heads: usize,
    back: bool,
    more: bool,
}

impl<T: Element> Heads<T> {
    /// Rotates `n ≤ LANES` pairs from number `i` on of each head, and those of the `G - 1` registers that follow; says how
    /// many these are.
    /// # Safety
    /// The pairs are in every head, and `cos` and `sin` have their angles; a pair is read before it is written.
    #[inline(always)]
    unsafe fn turn<S: Simd, const G: usize, const NEIGHBOURS: bool>(
        self,
        s: S,
        cos: *const T,
        sin: *const T,
        i: usize,
        n: usize,
    ) -> usize {
        let lanes = T::Vec::<S>::LANES;
        // The pairs' first and second elements, or the first and second register of pairs.
        let (first, second) = if NEIGHBOURS { (lanes.min(2 * n), 2 * n - lanes.min(2 * n)) } else { (n, n) };
        let apart = if NEIGHBOURS { lanes } else { self.half };
        // SAFETY: the caller's promise.
        unsafe {
            let angles: [[T::Vec<S>; 2]; G] = from_fn(
                #[inline(always)]
                |g| {
                    let (c, d) = (load_up_to(s, cos.add(g * lanes), n), load_up_to(s, sin.add(g * lanes), n));
                    let d = if self.back { -d } else { d };
                    if NEIGHBOURS {
                        [interleave_halves::<S, T>(s, c), interleave_halves::<S, T>(s, d)]
                    } else {
                        [c, d]
                    }
                },
            );
            for h in 0..self.heads {
                if self.more && i == 0 {
                    let next = self.to.wrapping_add(2 * (self.heads + h) * self.half);
                    for p in (0..2 * self.half).step_by(64 / size_of::<T>()) {
                        T::Vec::<S>::claim(s, next.wrapping_add(p));
                    }
                }
                let at = 2 * h * self.half + if NEIGHBOURS { 2 * i } else { i };
                for (g, [c, d]) in angles.into_iter().enumerate() {
                    let at = at + g * if NEIGHBOURS { 2 * lanes } else { lanes };
                    let (x, y) = (self.from.add(at), self.to.add(at));
                    let a = load_up_to(s, x, first);
                    let b = if second == 0 {
                        T::Vec::<S>::splat(s, T::ZERO)
                    } else {
                        load_up_to(s, x.add(apart), second)
                    };
                    let [a, b] = if NEIGHBOURS { exchange::<S, T>(s, a, b) } else { [a, b] };
                    let [a, b] = pair([a, b], c, d);
                    let [a, b] = if NEIGHBOURS { exchange::<S, T>(s, a, b) } else { [a, b] };
                    store_up_to(a, y, first);
                    if second > 0 {
                        store_up_to(b, y.add(apart), second);
                    }
                }
            }
        }
        G * n
    }
}

/// The odd lanes of `a` and the even ones of `b` change places; a register of one lane has neither.
#[inline(always)]
fn exchange<S: Simd, T: Element>(s: S, a: T::Vec<S>, b: T::Vec<S>) -> [T::Vec<S>; 2] {
    if const { T::Vec::<S>::LANES == 1 } { [a, b] } else { T::Vec::<S>::exchange::<1>(s, a, b) }
}

/// The lanes in the order in which [`exchange`] leaves pairs: the first half to even lanes, the second to odd ones.
#[inline(always)]
fn interleave_halves<S: Simd, T: Element>(s: S, x: T::Vec<S>) -> T::Vec<S> {
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
