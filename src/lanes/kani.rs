//! Proof harnesses for index arithmetic. Kani proves each for any arguments within its bound (`cargo kani`); the tests
//! try every argument of a smaller bound.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "tests")]

use super::executor::{Serial, split, tree};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A tree over more than one leaf splits strictly inside, at whole leaves; its first half is a power
/// of two of leaves and the larger one. So the order depends on the length alone.
fn split_is_inside(n: usize, leaf: usize) {
    let mid = split(n, leaf);
    assert!(0 < mid && mid < n);
    assert!(mid.is_multiple_of(leaf) && (mid / leaf).is_power_of_two());
    assert!(n - mid <= mid);
}

/// The leaves of a tree are the elements in order, each once; only the last may be short.
fn leaves_cover(start: usize, n: usize, leaf: usize) {
    let end = AtomicUsize::new(start);
    let part = |at: usize, len: usize| {
        assert_eq!(at, end.fetch_add(len, Relaxed));
        assert!(len == leaf || at + len == start + n);
        len
    };
    assert_eq!(tree(Serial, start, n, leaf, &part, &|a, b| a + b), n);
    assert_eq!(end.into_inner(), start + n);
}

/// The heap of `top_k` yields the largest, in order, and of equal ones the first.
fn heap_selects<const N: usize>(x: [u8; N], k: usize) {
    let x = x.map(f32::from);
    let (mut values, mut indices) = ([0.0; N], [0; N]);
    crate::top_k(&x, k, &mut values[..k], &mut indices[..k]).unwrap();
    for j in 0..k {
        let i: u32 = indices[j];
        let i = i as usize;
        assert!(values[j] == x[i]);
        // Exactly j elements go before it: the larger ones, and equal ones at smaller indices.
        let before = (0..N).filter(|&o| x[o] > x[i] || (x[o] == x[i] && o < i)).count();
        assert_eq!(before, j);
    }
}

#[cfg(test)]
mod exhaustive {
    #[test]
    fn split_is_inside() {
        for leaf in 1..=40 {
            for n in leaf + 1..=2000 {
                super::split_is_inside(n, leaf);
            }
        }
        for leaf in [1, 8192, 1 << 17] {
            for log in 20..usize::BITS - 1 {
                for n in (1usize << log) - 2..=(1 << log) + 2 {
                    super::split_is_inside(n, leaf);
                }
            }
        }
    }

    #[test]
    fn leaves_cover() {
        for leaf in 1..=16 {
            for n in 0..=400 {
                super::leaves_cover(n % 7, n, leaf);
            }
        }
    }

    #[test]
    fn heap_selects() {
        for code in 0..4u32.pow(6) {
            let x: [u8; 6] = core::array::from_fn(|i| (code >> (2 * i) & 3) as u8);
            for k in 0..=6 {
                super::heap_selects(x, k);
            }
        }
    }
}

#[cfg(kani)]
mod harness {
    #[kani::proof]
    fn split_is_inside() {
        let (n, leaf): (usize, usize) = (kani::any(), kani::any());
        kani::assume(0 < leaf && leaf < n && n <= isize::MAX as usize);
        super::split_is_inside(n, leaf);
    }

    #[kani::proof]
    #[kani::unwind(10)]
    fn leaves_cover() {
        let (start, n, leaf): (usize, usize, usize) = (kani::any(), kani::any(), kani::any());
        kani::assume(0 < leaf && n <= 8 * leaf && leaf <= 1 << 20 && start <= 1 << 40);
        super::leaves_cover(start, n, leaf);
    }

    #[kani::proof]
    #[kani::unwind(8)]
    fn heap_selects() {
        let (x, k): ([u8; 5], usize) = (kani::any(), kani::any());
        kani::assume(k <= 5);
        super::heap_selects(x, k);
    }
}
