//! Tests of loads, stores and loops at every length: each element is written, and no byte outside of the slice.

use super::super::executor::Serial;
use super::super::fold::{self, leaf_len};
use super::super::inout::InOut;
use super::super::{Portable, drive};
use super::*;

on_every_lane! {
    whole_and_partial: check_access;
    streaming: check_stream;
    moves: check_moves;
    positions: check_position;
    maps: check_maps;
    folds: check_folds;
}

const PAD: usize = 40;

/// `f` gets the middle `n` of a buffer of sentinels; the rest must stay.
fn fenced<T: Scalar>(n: usize, what: &str, f: impl FnOnce(&mut [T])) {
    let sentinel = T::from_f64(-77.125);
    let mut scratch = std::vec![sentinel; n + 2 * PAD];
    f(&mut scratch[PAD..PAD + n]);
    for (i, x) in scratch.iter().enumerate() {
        let outside = !(PAD..PAD + n).contains(&i);
        assert!(!outside || same(*x, sentinel), "{what}, n = {n}: wrote at {}", i as isize - PAD as isize);
    }
}

fn check_access<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let lanes = V::<S, T>::LANES;
    let x: Vec<T> = (0..3 * lanes).map(|i| T::from_usize(i + 1)).collect();
    let fill = T::from_f64(-5.5);
    for start in 0..lanes {
        for n in 0..=lanes {
            let mut got = [T::ZERO; 16];
            // SAFETY: `start + n <= 3 * lanes`; registers have at most 16 lanes.
            unsafe {
                let p = x[start..].as_ptr();
                let v = if n < lanes { V::<S, T>::load_first(s, p, n, fill) } else { V::<S, T>::load(s, p) };
                v.store(got.as_mut_ptr());
            }
            for (j, got) in got.iter().enumerate().take(lanes) {
                let want = if j < n { x[start + j] } else { fill };
                assert!(same(*got, want), "{} load, n = {n}, lane {j}: {got:?}, not {want:?}", S::NAME);
            }
            fenced::<T>(n, S::NAME, |y| {
                // SAFETY: `y` has `n` elements and `x` at least `start + lanes`.
                unsafe {
                    let v = V::<S, T>::load(s, x[start..].as_ptr());
                    if n < lanes { v.store_first(y.as_mut_ptr(), n) } else { v.store(y.as_mut_ptr()) }
                }
                assert_eq!(y, &x[start..start + n], "{} store, n = {n}", S::NAME);
            });
        }
    }
}

fn check_stream<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    #[repr(C, align(64))]
    struct Aligned<T>([T; 16], [T; 16]);
    let x: [T; 16] = std::array::from_fn(|i| T::from_usize(i + 1));
    let mut y = Aligned([T::ZERO; 16], [T::ZERO; 16]);
    // SAFETY: `y` is aligned to 64 bytes and no register is larger than its first half.
    unsafe { V::<S, T>::load(s, x.as_ptr()).stream(y.0.as_mut_ptr()) };
    V::<S, T>::fence(s);
    let lanes = V::<S, T>::LANES;
    assert_eq!(y.0[..lanes], x[..lanes], "{}", S::NAME);
    assert!(y.0[lanes..].iter().chain(&y.1).all(|&y| y == T::ZERO), "{} wrote too far", S::NAME);
}

fn check_maps<S: Simd, T: Scalar>(s: S, _: T) {
    let lanes = T::Vec::<S>::LANES;
    let data: [Vec<T>; 3] =
        [0, 1, 2].map(|k| (0..9 * lanes + 8).map(|i| T::from_f64(0.1 * (i * 7 % 97 + k) as f64)).collect());
    for n in (0..=4 * lanes + 1).chain(9 * lanes..9 * lanes + 4) {
        // Starts that are aligned to the element only, and not all alike.
        let x: [&[T]; 3] = std::array::from_fn(|k| &data[k][(k + n) % 4..][..n]);
        let agrees = |y: &[T], x: &[&[T]]| {
            for (i, y) in y.iter().enumerate() {
                let want = mul_then_add(x, i);
                assert!(same(*y, want), "{} of {}, n = {n}, i = {i}: {y:?}, not {want:?}", S::NAME, x.len());
            }
        };
        fenced::<T>(n, S::NAME, |y| {
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, [x[0]], y),
            );
            agrees(y, &x[..1]);
        });
        fenced::<T>(n, S::NAME, |y| {
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, [x[0], x[1]], y),
            );
            agrees(y, &x[..2]);
        });
        fenced::<T>(n, S::NAME, |y| {
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, x, y),
            );
            agrees(y, &x);
        });
        fenced::<T>(n, S::NAME, |y| {
            s.vectorize(
                #[inline(always)]
                // SAFETY: the slices have `n` elements.
                || unsafe {
                    drive::map_raw(s, MulThenAdd, x.map(<[T]>::as_ptr), y.as_mut_ptr(), n, true);
                },
            );
            agrees(y, &x);
        });
        fenced::<T>(n, S::NAME, |y| {
            y.copy_from_slice(x[0]);
            s.vectorize(
                #[inline(always)]
                || drive::map_in_place(Serial, s, MulThenAdd, y),
            );
            agrees(y, &x[..1]);
        });
        fenced::<T>(n, S::NAME, |y| {
            y.copy_from_slice(x[0]);
            s.vectorize(
                #[inline(always)]
                || drive::zip_in_place(Serial, s, MulThenAdd, y, x[1]),
            );
            agrees(y, &x[..2]);
        });
    }
}

/// The portable lanes of the same width reduce in the same order, to the same bits.
fn portable_fold<T, F, const N: usize, const K: usize>(lanes: usize, f: F, x: [&[T]; N]) -> [T; K]
where
    T: Element,
    F: Fold<T, N, K>,
{
    match lanes {
        1 => fold::fold(Portable::<1>::new(), f, x),
        2 => fold::fold(Portable::<2>::new(), f, x),
        4 => fold::fold(Portable::<4>::new(), f, x),
        8 => fold::fold(Portable::<8>::new(), f, x),
        _ => fold::fold(Portable::<16>::new(), f, x),
    }
}

fn check_folds<S: Simd, T: Scalar>(s: S, _: T) {
    let (lanes, leaf) = (T::Vec::<S>::LANES, leaf_len::<S, T>());
    let short = (0..=2 * lanes).chain((2..=17).flat_map(|k| [k * lanes, k * lanes + 1, (k + 1) * lanes - 1]));
    let long =
        [leaf + 5, 3 * leaf + 5, leaf, leaf - 1].into_iter().take(if cfg!(debug_assertions) { 1 } else { 4 });
    let data: [Vec<T>; 2] =
        [3, 5].map(|k| (0..3 * leaf + 8).map(|i| T::from_f64((i * k % 31) as f64 * 0.1 - 1.5)).collect());
    for n in short.chain(long) {
        let x: [&[T]; 2] = [&data[0][n % 3..][..n], &data[1][1..][..n]];
        let same_order = |same: bool| assert!(same, "{}, n = {n}: not the portable order", S::NAME);
        same_order(fold::fold(s, Dot, [x[0]]) == portable_fold(lanes, Dot, [x[0]]));
        same_order(fold::fold(s, Dot, x) == portable_fold(lanes, Dot, x));
        same_order(fold::fold(s, DotMax, [x[0]]) == portable_fold(lanes, DotMax, [x[0]]));
        same_order(fold::fold(s, DotMax, x) == portable_fold(lanes, DotMax, x));
        // Sums of small integers are exact in any order.
        let whole =
            |x: &[T]| -> Vec<T> { x.iter().map(|x| T::from_f64((x.to_f64() * 4.0).round())).collect() };
        let (a, b) = (whole(x[0]), whole(x[1]));
        let dot: f64 = a.iter().zip(&b).map(|(a, b)| a.to_f64() * b.to_f64()).sum();
        let max = a.iter().map(|a| a.to_f64().abs()).fold(0.0, f64::max);
        let [one] = fold::fold(s, Dot, [&a[..], &b[..]]).map(T::to_f64);
        let two = fold::fold(s, DotMax, [&a[..], &b[..]]).map(T::to_f64);
        assert_eq!((one, two), (dot, [dot, max]), "{}, n = {n}", S::NAME);

        // A map that folds what it stores: `a + 1`, and the sum of its squares. -1 becomes 0.
        let squares: f64 = a.iter().map(|a| (a.to_f64() + 1.0).powi(2)).sum();
        let agrees = |y: &[T], [got]: [T; 1]| {
            assert_eq!(got.to_f64(), squares, "{}, n = {n}", S::NAME);
            assert!(y.iter().zip(&a).all(|(y, a)| *y == *a + T::ONE), "{}, n = {n}", S::NAME);
        };
        let body = (MulThenAdd, -T::ONE);
        fenced::<T>(n, S::NAME, |y| {
            let got = InOut::new(&a, y).map_fold(Serial, s, body, Dot);
            agrees(y, got);
        });
        fenced::<T>(n, S::NAME, |y| {
            y.copy_from_slice(&a);
            let got = InOut::in_place(y).map_fold(Serial, s, body, Dot);
            agrees(y, got);
        });
    }
}

fn check_moves<S: Simd, T: Scalar>(s: S, _: T) {
    let lanes = T::Vec::<S>::LANES;
    let x: [T; 16] = std::array::from_fn(|i| T::from_usize(i + 1));
    // SAFETY: registers have at most 16 lanes.
    let v = unsafe { T::Vec::<S>::load(s, x.as_ptr()) };
    assert_eq!(v.lane0(), x[0], "{}", S::NAME);
    let moved = |by: usize, v: T::Vec<S>| {
        let mut y = [T::ZERO; 16];
        // SAFETY: as above.
        unsafe { v.store(y.as_mut_ptr()) };
        let left = lanes.saturating_sub(by);
        assert_eq!(y[..left], x[lanes - left..lanes], "{} down by {by}", S::NAME);
    };
    moved(1, v.down::<1>(s));
    moved(2, v.down::<2>(s));
    moved(4, v.down::<4>(s));
    moved(8, v.down::<8>(s));
    let other: [T; 16] = std::array::from_fn(|i| T::from_usize(i + 101));
    // SAFETY: as above.
    let w = unsafe { T::Vec::<S>::load(s, other.as_ptr()) };
    let exchanged = |by: usize, pair: [T::Vec<S>; 2]| {
        let mut y = [[T::ZERO; 16]; 2];
        for (y, v) in y.iter_mut().zip(pair) {
            // SAFETY: as above.
            unsafe { v.store(y.as_mut_ptr()) };
        }
        // Only steps below the width occur.
        for i in (0..lanes).filter(|_| by < lanes) {
            let want = if i & by == 0 { [x[i], x[i + by]] } else { [other[i - by], other[i]] };
            assert_eq!([y[0][i], y[1][i]], want, "{} exchange {by}, lane {i}", S::NAME);
        }
    };
    exchanged(1, T::Vec::<S>::exchange::<1>(s, v, w));
    exchanged(2, T::Vec::<S>::exchange::<2>(s, v, w));
    exchanged(4, T::Vec::<S>::exchange::<4>(s, v, w));
    exchanged(8, T::Vec::<S>::exchange::<8>(s, v, w));
}

fn check_position<S: Simd, T: Scalar>(s: S, _: T) {
    let lanes = T::Vec::<S>::LANES;
    for n in 0..=9 * lanes + 1 {
        let mut x = std::vec![T::ONE; n];
        assert_eq!(fold::position(s, &x, T::ZERO), n, "{}", S::NAME);
        for at in (0..n).rev() {
            x[at] = T::ZERO;
            assert_eq!(fold::position(s, &x, T::ZERO), at, "{} of {n}", S::NAME);
        }
    }
}
