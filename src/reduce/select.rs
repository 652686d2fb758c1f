//! Selects the `k` first elements of an order without allocation: the k-th one by counting against pivots, then a radix
//! sort.
//!
//! The key of an element is an unsigned number; keys are ordered as the elements are, the best first. The results serve
//! as scratch: they hold candidates while the k-th one is searched, and two arrays of indices during the sort.

use super::run;
use crate::alu::{Alu, Number, Real};
use crate::lanes::fold::Fold;
use crate::lanes::{COMPACT, Element, Simd};

/// Up to so many elements are sorted as a heap.
pub(crate) const FEW: usize = 128;
/// Elements that are compared with the k-th one together.
pub(crate) const PART: usize = 8;
/// Elements that pivots are chosen from.
pub(crate) const SAMPLES: usize = 64;
/// Elements that are looked at for these.
pub(crate) const LOOKED: usize = 1024;
/// Elements counted at a time: so many are exact in the lanes.
pub(crate) const COUNTED: usize = 1 << 22;
/// Values of a digit that is sorted by.
pub(crate) const RADIX: usize = 256;
/// Digits that are counted in one pass.
pub(crate) const DIGITS: usize = 4;

/// Whether there is room for it: neither a build for size nor firmware, where tables of digits are more than the stack
/// of any other op.
pub(super) const ROOM: bool = !COMPACT && cfg!(not(target_os = "none"));

/// Whether it sorts `n` elements: an index must be the pattern of a number, not of NaN, which a move may change.
const fn roomy<T>(n: usize) -> bool {
    ROOM && n < 0x7f80_0000 && size_of::<T>() >= 4
}

/// Whether the `k` first of `n` elements in any order are found sooner than by a heap.
pub(super) const fn pays<T>(n: usize, k: usize) -> bool {
    // In random order so many enter a heap of `k`, if `n` is a power of two times that.
    if !roomy::<T>(n) || k <= FEW {
        return false;
    }
    let times = match (n / k).checked_ilog2() {
        Some(log) => log as usize,
        None => 0,
    };
    k * (1 + times) > entries::<T>(n)
}

/// How many elements may enter a heap before it is given up.
pub(super) const fn entries<T>(n: usize) -> usize {
    if roomy::<T>(n) && n > FEW { n / 16 + 256 } else { usize::MAX }
}

/// The place of `x` in the order; both zeros have one.
#[inline(always)]
fn key<T: Element, const LARGEST: bool>(x: T) -> u64 {
    let (bits, sign) = (x.pattern(), sign::<T>());
    // Zero in the middle, and each magnitude so far from it.
    let rising = if bits & sign != 0 { sign.wrapping_mul(2).wrapping_sub(bits) } else { sign + bits };
    if LARGEST { sign.wrapping_mul(2).wrapping_sub(rising) } else { rising }
}

/// The element with this key.
#[inline(always)]
fn of_key<T: Element, const LARGEST: bool>(key: u64) -> T {
    let sign = sign::<T>();
    let rising = if LARGEST { sign.wrapping_mul(2).wrapping_sub(key) } else { key };
    T::of_pattern(if rising >= sign { rising - sign } else { sign.wrapping_mul(2).wrapping_sub(rising) })
}

/// The bit of the sign.
const fn sign<T>() -> u64 {
    1 << (8 * size_of::<T>() - 1)
}

/// Whether `a` is before `b`.
#[inline(always)]
fn before<T: Element, const LARGEST: bool>(a: T, b: T) -> bool {
    if LARGEST { a > b } else { a < b }
}

/// How many elements are before each of two.
#[derive(Debug, Clone, Copy)]
struct Before<T, const LARGEST: bool>([T; 2]);

impl<T: Number, const LARGEST: bool> Fold<T, 1, 2> for Before<T, LARGEST> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [if LARGEST { T::ZERO - T::INFINITY } else { T::INFINITY }]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.c(0.0); 2]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [n, m]: [V; 2], [x]: [V; 1]) -> [V; 2] {
        let [a, b] = self.0;
        let one = |t: V| {
            let before = if LARGEST { t.lt(x) } else { x.lt(t) };
            V::select(before, x.c(1.0), x.c(0.0))
        };
        [n + one(x.param(a)), m + one(x.param(b))]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [n, m]: [V; 2], [k, l]: [V; 2]) -> [V; 2] {
        [n + k, m + l]
    }
}

/// What is known of the k-th element: the first key and the one past the last that it may have, and how many elements
/// are before each of these.
#[derive(Clone, Copy)]
struct Bracket {
    low: u64,
    high: u64,
    below: usize,
    upto: usize,
}

impl Bracket {
    /// Narrows it by an element with `n` others before it.
    fn narrow(&mut self, pivot: u64, n: usize, k: usize) {
        if n < k {
            if pivot > self.low {
                (self.low, self.below) = (pivot, n);
            }
        } else if pivot < self.high {
            (self.high, self.upto) = (pivot, n);
        }
    }

    /// Two keys of it, between which the k-th element most likely is; `None` if nothing tells.
    fn guess<T: Element, const LARGEST: bool>(&self, x: &[T], k: usize) -> Option<[u64; 2]> {
        let mut sample = [0; SAMPLES];
        let mut count = 0;
        // As many of them within the bracket as there is room for, unless most are outside.
        let step = ((self.upto - self.below) / SAMPLES).max(x.len() / LOOKED) + 1;
        for key in x.iter().step_by(step).map(|x| key::<T, LARGEST>(*x)) {
            if key < self.low || key >= self.high {
                continue;
            }
            // Insertion: all that come later move up.
            let mut carried = key;
            for place in sample.iter_mut().take(count) {
                if *place > carried {
                    core::mem::swap(place, &mut carried);
                }
            }
            if let Some(place) = sample.get_mut(count) {
                *place = carried;
                count += 1;
            }
        }
        let (rank, all) = (k - self.below, self.upto - self.below);
        if count == all {
            let at = *sample.get(rank - 1)?;
            return Some([at, (at + 1).min(self.high - 1)]);
        }
        // The rank in the sample, about two standard deviations less and more.
        let middle = rank.saturating_mul(count) / all.max(1);
        let spread = 1 + (3 * middle * (count - middle.min(count)) / count.max(1)).isqrt();
        let low = middle.checked_sub(spread).and_then(|i| sample.get(i)).copied().unwrap_or(self.low);
        let high = if middle + spread < count { sample.get(middle + spread).copied() } else { None };
        let high = high.unwrap_or(self.high - 1);
        if low <= self.low && high >= self.high - 1 { None } else { Some([low, high]) }
    }
}

/// The k-th element `t`, k from 1, and how many equal ones are among the first `k`: these, and all before `t`.
/// `room` has `k` elements.
fn kth<S: Simd, T: Element, const LARGEST: bool>(s: S, x: &[T], k: usize, room: &mut [T]) -> (T, usize) {
    let (first, last) =
        (key::<T, LARGEST>(ends::<T, LARGEST>(true)), key::<T, LARGEST>(ends::<T, LARGEST>(false)));
    let mut in_room: Option<usize> = None;
    // Both counts are of the elements that are looked at.
    let mut k = k;
    let mut all = Bracket { low: first, high: last + 1, below: 0, upto: x.len() };
    let mut even = false;
    while all.high - all.low > 1 && all.upto != k {
        let looked = match in_room {
            Some(n) => room.get(..n).unwrap_or_default(),
            None => x,
        };
        let width = all.high - all.low;
        let third = (width / 3).max(1);
        let thirds = [all.low + third, all.high - third];
        let guess = if even { None } else { all.guess::<T, LARGEST>(looked, k) };
        let pivots = guess.unwrap_or(thirds);
        let had = all.upto - all.below;
        let counts = before_each::<_, _, LARGEST>(s, looked, pivots.map(of_key::<T, LARGEST>));
        for (pivot, n) in pivots.into_iter().zip(counts) {
            all.narrow(pivot, n, k);
        }
        let left = all.upto - all.below;
        // What chose badly is not asked twice in a row.
        even = !even && left > had / 2;
        if left <= room.len() && left <= looked.len() / 2 {
            let kept = s.vectorize(
                #[inline(always)]
                || keep::<_, LARGEST>(all, x, room, in_room),
            );
            in_room = Some(kept);
            k -= all.below;
            (all.upto, all.below) = (left, 0);
        }
    }
    if all.upto == k {
        return (of_key::<T, LARGEST>(all.high), 0);
    }
    (of_key::<T, LARGEST>(all.low), k - all.below)
}

/// The infinity that is before everything, or after it.
#[inline(always)]
fn ends<T: Element, const LARGEST: bool>(first: bool) -> T {
    if first == LARGEST { T::INFINITY } else { -T::INFINITY }
}

#[inline(always)]
fn before_each<S: Simd, T: Element, const LARGEST: bool>(s: S, x: &[T], pivots: [T; 2]) -> [usize; 2] {
    let mut counts = [0; 2];
    for part in x.chunks(COUNTED) {
        let found = run(crate::lanes::executor::Serial, s, Before::<T, LARGEST>(pivots), [part]);
        for (count, found) in counts.iter_mut().zip(found) {
            *count += found.to_f64() as usize;
        }
    }
    counts
}

/// Moves the elements of the bracket to the front of `room`, from its first `n` elements or from `x`. Returns how many.
#[inline(always)]
fn keep<T: Element, const LARGEST: bool>(all: Bracket, x: &[T], room: &mut [T], n: Option<usize>) -> usize {
    let [low, high] = [all.low, all.high - 1].map(of_key::<T, LARGEST>);
    let inside = |v: T| !before::<T, LARGEST>(v, low) & !before::<T, LARGEST>(high, v);
    let mut to = 0;
    if let Some(n) = n {
        for i in 0..n {
            let v = room.get(i).copied().unwrap_or_default();
            if let Some(place) = room.get_mut(to) {
                *place = v;
            }
            to += usize::from(inside(v));
        }
        return to;
    }
    each(x, inside, |_, v| {
        if let Some(place) = room.get_mut(to) {
            *place = v;
            to += 1;
        }
    });
    to
}

/// `f` of the elements that `wanted` names, and of their indices, in order.
#[inline(always)]
fn each<T: Element>(x: &[T], wanted: impl Fn(T) -> bool, mut f: impl FnMut(usize, T)) {
    let (parts, rest) = x.as_chunks::<PART>();
    for (p, part) in parts.iter().enumerate() {
        // A loop without exits over arrays becomes vectors.
        let mut flags = [0; PART];
        for (flag, v) in flags.iter_mut().zip(part) {
            *flag = u8::from(wanted(*v));
        }
        let mut flags = u64::from_le_bytes(flags);
        while flags != 0 {
            let i = flags.trailing_zeros() as usize / 8;
            flags &= flags - 1;
            f(PART * p + i, part.get(i).copied().unwrap_or_default());
        }
    }
    for (i, v) in rest.iter().enumerate().filter(|(_, v)| wanted(**v)) {
        f(x.len() - rest.len() + i, *v);
    }
}

/// Writes the `k` best elements and their indices, in order of these.
pub(super) fn best<S: Simd, T: Element, const LARGEST: bool>(
    s: S,
    x: &[T],
    values: &mut [T],
    indices: &mut [u32],
) {
    let k = values.len();
    if k == x.len() || k == 0 {
        for (i, index) in indices.iter_mut().enumerate() {
            *index = i as u32;
        }
    } else {
        let (at, ties) = kth::<_, _, LARGEST>(s, x, k, values);
        s.vectorize(
            #[inline(always)]
            || collect::<_, LARGEST>(x, at, ties, indices),
        );
    }
    gather(x, values, indices);
}

/// The indices of what is before `at`, and of the first `ties` that equal it.
#[inline(always)]
fn collect<T: Element, const LARGEST: bool>(x: &[T], at: T, mut ties: usize, indices: &mut [u32]) {
    let mut to = 0;
    each(
        x,
        #[inline(always)]
        |v| !before::<T, LARGEST>(at, v),
        |i, v| {
            let tie = usize::from(v == at);
            if let Some(place) = indices.get_mut(to) {
                *place = i as u32;
            }
            to += usize::from(tie == 0 || ties > 0);
            ties = ties.saturating_sub(tie);
        },
    );
}

/// `values[j] = x[indices[j]]`.
fn gather<T: Element>(x: &[T], values: &mut [T], indices: &[u32]) {
    for (value, i) in values.iter_mut().zip(indices) {
        *value = x.get(*i as usize).copied().unwrap_or_default();
    }
}

/// Sorts rising indices by the keys of their elements; `values` is the other place of the indices meanwhile.
pub(super) fn sort<T: Element, const LARGEST: bool>(x: &[T], values: &mut [T], indices: &mut [u32]) {
    let (mut low, mut high) = (u64::MAX, 0);
    for v in values.iter() {
        let key = key::<T, LARGEST>(*v);
        (low, high) = (low.min(key), high.max(key));
    }
    let of = |i: u32| key::<T, LARGEST>(x.get(i as usize).copied().unwrap_or_default()).wrapping_sub(low);
    let bits = 64 - high.saturating_sub(low).leading_zeros();
    let mut away = false;
    for first in (0..bits).step_by(8 * DIGITS) {
        let mut counts = [[0u32; RADIX]; DIGITS];
        let digit = |key: u64, d: usize| (key >> (first + 8 * d as u32) & 255) as usize;
        let mut count = |i: u32| {
            let key = of(i);
            for (d, counts) in counts.iter_mut().enumerate() {
                if let Some(n) = counts.get_mut(digit(key, d)) {
                    *n += 1;
                }
            }
        };
        // The order does not matter to the counts.
        if away {
            values.iter().for_each(|v| count(v.pattern() as u32));
        } else {
            indices.iter().for_each(|i| count(*i));
        }
        for (d, starts) in counts.iter_mut().enumerate() {
            let k = indices.len() as u32;
            if starts.contains(&k) {
                continue;
            }
            let mut start = 0;
            for n in starts.iter_mut() {
                (*n, start) = (start, start + *n);
            }
            let mut place = |i: u32| {
                let start = starts.get_mut(digit(of(i), d));
                start.map_or(0, |start| {
                    *start += 1;
                    *start as usize - 1
                })
            };
            if away {
                for v in values.iter() {
                    let i = v.pattern() as u32;
                    if let Some(to) = indices.get_mut(place(i)) {
                        *to = i;
                    }
                }
            } else {
                for i in indices.iter() {
                    if let Some(to) = values.get_mut(place(*i)) {
                        *to = T::of_pattern(u64::from(*i));
                    }
                }
            }
            away = !away;
        }
    }
    if away {
        for (i, v) in indices.iter_mut().zip(values.iter()) {
            *i = v.pattern() as u32;
        }
    }
    gather(x, values, indices);
}
