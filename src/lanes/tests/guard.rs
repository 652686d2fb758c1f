//! Slices flush against unmapped pages on either side: a read or write outside faults.

use super::super::drive;
use super::super::executor::Serial;
use super::super::fold::{fold, position};
use super::super::inout::InOut;
use super::*;

on_every_lane! {
    nothing_outside_is_touched: check_guarded;
}

unsafe extern "C" {
    fn mmap(addr: *mut u8, len: usize, prot: i32, flags: i32, fd: i32, offset: i64) -> *mut u8;
    fn mprotect(addr: *mut u8, len: usize, prot: i32) -> i32;
    fn munmap(addr: *mut u8, len: usize) -> i32;
}

/// As large as any page of the targets.
const PAGE: usize = 1 << 16;

/// One page that can be used between two that cannot.
struct Guarded(*mut u8);

impl Guarded {
    fn new() -> Self {
        // SAFETY: an anonymous private mapping (0x22) without access (0), at an address of the
        // system's choice; its middle page then gets reads and writes (3).
        unsafe {
            let p = mmap(std::ptr::null_mut(), 3 * PAGE, 0, 0x22, -1, 0);
            assert!(p.addr() != usize::MAX, "mmap failed");
            assert_eq!(mprotect(p.add(PAGE), PAGE, 3), 0, "mprotect failed");
            Self(p)
        }
    }

    /// `n` elements, from the page's first byte or up to its last; `k` counts what is in them.
    fn slice<T: Element>(&mut self, at_end: bool, n: usize, k: usize) -> &mut [T] {
        let bytes = n * size_of::<T>();
        assert!(bytes <= PAGE);
        let start = PAGE + if at_end { PAGE - bytes } else { 0 };
        // SAFETY: the slice lies within the middle page and is aligned, as a page is; zeroed or
        // once written memory is initialised; the borrow of `self` keeps it unique.
        let x = unsafe { std::slice::from_raw_parts_mut(self.0.add(start).cast::<T>(), n) };
        for (i, x) in x.iter_mut().enumerate() {
            *x = T::from_usize((i + k) % 13);
        }
        x
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrows from it any more.
        unsafe { munmap(self.0, 3 * PAGE) };
    }
}

fn check_guarded<S: Simd, T: Scalar>(s: S, _: T) {
    let lanes = T::Vec::<S>::LANES;
    let [mut a, mut b, mut c, mut y] = std::array::from_fn(|_| Guarded::new());
    for n in (0..=4 * lanes + 1).chain(9 * lanes..9 * lanes + 4) {
        for at_end in [false, true] {
            let y = y.slice::<T>(at_end, n, 0);
            let x: [&[T]; 3] = [a.slice(at_end, n, 1), b.slice(at_end, n, 2), c.slice(at_end, n, 3)];
            let agrees = |y: &[T], x: &[&[T]]| {
                assert!((0..n).all(|i| same(y[i], mul_then_add(x, i))), "{} n = {n}", S::NAME);
            };
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, [x[0]], y),
            );
            agrees(y, &x[..1]);
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, [x[0], x[1]], y),
            );
            agrees(y, &x[..2]);
            s.vectorize(
                #[inline(always)]
                || drive::map(Serial, s, MulThenAdd, x, y),
            );
            agrees(y, &x);
            y.copy_from_slice(x[0]);
            s.vectorize(
                #[inline(always)]
                || drive::map_in_place(Serial, s, MulThenAdd, y),
            );
            agrees(y, &x[..1]);
            y.copy_from_slice(x[0]);
            s.vectorize(
                #[inline(always)]
                || drive::zip_in_place(Serial, s, MulThenAdd, y, x[1]),
            );
            agrees(y, &x[..2]);
            let dot: f64 = (0..n).map(|i| x[0][i].to_f64() * x[1][i].to_f64()).sum();
            let squares: f64 = x[0].iter().map(|x| x.to_f64() * x.to_f64()).sum();
            assert_eq!(fold(s, DotMax, [x[0], x[1]])[0].to_f64(), dot, "{} n = {n}", S::NAME);
            assert_eq!(fold(s, DotMax, [x[0]])[0].to_f64(), squares, "{} n = {n}", S::NAME);
            assert_eq!(fold(s, Dot, [x[0], x[1]])[0].to_f64(), dot, "{} n = {n}", S::NAME);
            assert_eq!(fold(s, Dot, [x[0]])[0].to_f64(), squares, "{} n = {n}", S::NAME);
            assert_eq!(position(s, x[0], T::from_f64(0.5)), n, "{}", S::NAME);
            let got = InOut::new(x[0], y).map_fold(Serial, s, (MulThenAdd, -T::ONE), Dot);
            agrees(y, &x[..1]);
            y.copy_from_slice(x[0]);
            assert_eq!(InOut::in_place(y).map_fold(Serial, s, (MulThenAdd, -T::ONE), Dot), got);
            agrees(y, &x[..1]);
        }
    }
}
