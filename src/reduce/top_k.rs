//! The `k` largest or smallest elements with their indices (`top_k`, `bottom_k`).

use super::extrema::{BLOCK, Quick, has_nan};
use super::{run, select};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Serial, tree};
use crate::lanes::{Element, Simd};
use crate::pointwise::{Maximum, Minimum};

/// Elements of a block that are skipped together when none is among the largest so far.
pub(crate) const STRIDE: usize = 64;

/// The kept elements as a binary heap in the caller's slices; the root is the one to go first: the
/// smallest (the largest, unless `LARGEST` are kept), of equal ones the one with the highest index.
struct Heap<'a, T, const LARGEST: bool> {
    values: &'a mut [T],
    indices: &'a mut [u32],
}

impl<'a, T: Element, const LARGEST: bool> Heap<'a, T, LARGEST> {
    #[inline(always)]
    fn get(&self, i: usize) -> (T, u32) {
        let value = self.values.get(i).copied().unwrap_or(T::ZERO);
        (value, self.indices.get(i).copied().unwrap_or(0))
    }

    #[inline(always)]
    fn set(&mut self, i: usize, (value, index): (T, u32)) {
        if let (Some(v), Some(at)) = (self.values.get_mut(i), self.indices.get_mut(i)) {
            (*v, *at) = (value, index);
        }
    }

    /// Whether `a` is to be kept rather than `b`, of other value.
    #[inline(always)]
    fn beyond(a: T, b: T) -> bool {
        if LARGEST { a > b } else { a < b }
    }

    /// Whether `a` goes before `b`.
    #[inline(always)]
    fn first_to_go(a: (T, u32), b: (T, u32)) -> bool {
        Self::beyond(b.0, a.0) || (a.0 == b.0 && a.1 > b.1)
    }

    /// Puts `x` in at `i` and moves it down among the first `n` until no child goes before it.
    fn sift(&mut self, mut i: usize, n: usize, x: (T, u32)) {
        loop {
            let mut child = 2 * i + 1;
            if child >= n {
                break;
            }
            if child + 1 < n && Self::first_to_go(self.get(child + 1), self.get(child)) {
                child += 1;
            }
            if !Self::first_to_go(self.get(child), x) {
                break;
            }
            self.set(i, self.get(child));
            i = child;
        }
        self.set(i, x);
    }

    /// Makes a heap of arbitrary content.
    fn build(&mut self) {
        let n = self.values.len();
        for i in (0..n / 2).rev() {
            self.sift(i, n, self.get(i));
        }
    }

    /// Sorts arbitrary content.
    fn order(values: &'a mut [T], indices: &'a mut [u32]) {
        let mut heap = Self { values, indices };
        heap.build();
        heap.sort();
    }

    /// What goes first moves to the end.
    fn sort(&mut self) {
        for n in (1..self.values.len()).rev() {
            let (root, last) = (self.get(0), self.get(n));
            self.sift(0, n, last);
            self.set(n, root);
        }
    }
}

ops! { $ top_k_ops in crate::reduce::top_k;
    /// The `k` largest elements, largest first, and where they are; ties in order of the index.
    ///
    /// Shapes and units: `values` and `indices` have `k` elements; `values[j] = x[indices[j]]`.
    ///
    /// NaN and ±0: NaN is an error, since it has no place in an order; -0 and +0 tie.
    ///
    /// Errors: [`Error::Domain`] for `k` when it exceeds the length of `x`, [`Error::Len`] when
    /// `values` or `indices` has another length than `k`, [`Error::Overflow`] for `x` of 2³² elements or more,
    /// [`Error::Nan`]. Scratch: none beyond the
    /// results, which hold a heap of `k` elements, or candidates and the indices that are sorted.
    ///
    /// ```
    /// let (mut values, mut indices) = ([0.0f32; 2], [0u32; 2]);
    /// fulmen::top_k(&[1.0, 7.0, 9.0, 7.0], 2, &mut values, &mut indices)?;
    /// assert_eq!((values, indices), ([9.0, 7.0], [2, 1]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Williams, *Algorithm 232: Heapsort* (1964), with a filter by block maxima; for many elements Floyd and
    /// Rivest, *Expected Time Bounds for Selection* (1975), and a radix sort.
    /// Contract: `contracts/top_k-v1.yaml`.
    #[doc(alias = "topk")]
    serial top_k, top_k_on, top_k_by (x: in T, k: by usize, values: out T, indices: out u32) -> Result<()>;

    /// The `k` smallest elements, smallest first, and where they are; ties in order of the index.
    ///
    /// Shapes and units: `values` and `indices` have `k` elements; `values[j] = x[indices[j]]`.
    ///
    /// NaN and ±0: NaN is an error, since it has no place in an order; -0 and +0 tie.
    ///
    /// Errors: [`Error::Domain`] for `k` when it exceeds the length of `x`, [`Error::Len`] when
    /// `values` or `indices` has another length than `k`, [`Error::Overflow`] for `x` of 2³² elements or more,
    /// [`Error::Nan`]. Scratch: none beyond the
    /// results, which hold a heap of `k` elements, or candidates and the indices that are sorted.
    ///
    /// ```
    /// let (mut values, mut indices) = ([0.0f32; 2], [0u32; 2]);
    /// fulmen::bottom_k(&[3.0, 7.0, 1.0, 3.0], 2, &mut values, &mut indices)?;
    /// assert_eq!((values, indices), ([1.0, 3.0], [2, 0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/sort.rs`.
    ///
    /// Source: as [`top_k`]. Contract: `contracts/bottom_k-v1.yaml`.
    serial bottom_k, bottom_k_on, bottom_k_by (x: in T, k: by usize, values: out T, indices: out u32) -> Result<()>;
}

pub(crate) fn top_k_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    k: usize,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<(), Error> {
    contract!(
        top_k,
        select_by::<_, _, true>(s, x, k, values, indices),
        &Call::new(&[x], values).indices(indices)
    )
}

pub(crate) fn bottom_k_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    k: usize,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<(), Error> {
    contract!(
        bottom_k,
        select_by::<_, _, false>(s, x, k, values, indices),
        &Call::new(&[x], values).indices(indices)
    )
}

fn select_by<S: Simd, T: Element, const LARGEST: bool>(
    s: S,
    x: &[T],
    k: usize,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<(), Error> {
    if k > x.len() {
        return Err(Error::must_be("k", "at most the length of `x`"));
    }
    if u32::try_from(x.len()).is_err() {
        return Err(Error::overflow("x"));
    }
    same_len("values", k, values.len())?;
    same_len("indices", k, indices.len())?;
    let best = |x: &[T]| {
        let first = x.first().copied().unwrap_or(T::ZERO);
        if LARGEST {
            run(Serial, s, Quick(Maximum, first), [x])
        } else {
            run(Serial, s, Quick(Minimum, first), [x])
        }
    };
    let with_nan = |start: usize, n: usize| {
        let x = x.get(start..start + n).unwrap_or_default();
        let [_, sum] = best(x);
        has_nan(sum, x)
    };
    if tree(Serial, 0, x.len(), BLOCK, &with_nan, &|a, b| a || b) {
        return Err(Error::nan("x"));
    }

    if (select::pays::<T>(x.len(), k) || !scan::<_, LARGEST>(x, best, values, indices)) && select::ROOM {
        select::best::<_, _, LARGEST>(s, x, values, indices);
        if k > select::FEW {
            select::sort::<T, LARGEST>(x, values, indices);
        } else {
            Heap::<T, LARGEST>::order(values, indices);
        }
    }
    Ok(())
}

/// Keeps the best so far in a heap, whose root most elements are compared with in vain. Gives up, with anything in the
/// results, when so many enter it that [`select::best`] is faster.
#[inline(always)]
fn scan<T: Element, const LARGEST: bool>(
    x: &[T],
    best: impl Fn(&[T]) -> [T; 2],
    values: &mut [T],
    indices: &mut [u32],
) -> bool {
    let k = values.len();
    let mut left = select::entries::<T>(x.len());
    let mut heap = Heap::<T, LARGEST> { values, indices };
    let beyond = Heap::<T, LARGEST>::beyond;
    for (i, v) in x.iter().enumerate().take(k) {
        heap.set(i, (*v, i as u32));
    }
    heap.build();
    // A later element must be beyond the root: with equality it would be the first to go.
    let mut at = k;
    for block in x.get(k..).unwrap_or_default().chunks(BLOCK) {
        let mut start = at;
        at += block.len();
        if k == 0 || !beyond(best(block)[0], heap.get(0).0) {
            continue;
        }
        for part in block.chunks(STRIDE) {
            if beyond(best(part)[0], heap.get(0).0) {
                if select::ROOM && left < part.len() {
                    return false;
                }
                for (i, v) in part.iter().enumerate() {
                    if beyond(*v, heap.get(0).0) {
                        heap.sift(0, k, (*v, (start + i) as u32));
                        left -= 1;
                    }
                }
            }
            start += part.len();
        }
    }
    heap.sort();
    true
}
