//! `InOut`: an input and an output of the same length that may be the same slice, so that an op
//! and its in-place form are one function.

use super::drive::map_parts;
use super::executor::Executor;
use super::fold::{Fold, map_fold};
use super::{Element, Simd};
use crate::alu::Body;
use core::marker::PhantomData;

/// An input and an output of the same length; either disjoint or the same slice.
#[derive(Debug)]
pub(crate) struct InOut<'a, T> {
    x: *const T,
    y: *mut T,
    n: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: it stands for a `&[T]` and a `&mut [T]`, which both are `Send`.
unsafe impl<T: Send + Sync> Send for InOut<'_, T> {}

impl<'a, T: Element> InOut<'a, T> {
    /// From one slice to another; the common length counts.
    #[inline(always)]
    pub(crate) fn new(x: &'a [T], y: &'a mut [T]) -> Self {
        debug_assert!(x.len() == y.len());
        Self { x: x.as_ptr(), y: y.as_mut_ptr(), n: y.len().min(x.len()), life: PhantomData }
    }

    /// Over its input.
    #[inline(always)]
    pub(crate) fn in_place(y: &'a mut [T]) -> Self {
        let p = y.as_mut_ptr();
        Self { x: p, y: p, n: y.len(), life: PhantomData }
    }

    /// Elements.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// The first `n` elements, and the rest.
    #[inline(always)]
    pub(crate) fn split_at(self, n: usize) -> (Self, Self) {
        let n = n.min(self.n);
        // SAFETY: `n` is at most the length.
        let (x, y) = unsafe { (self.x.add(n), self.y.add(n)) };
        (Self { x: self.x, y: self.y, n, life: PhantomData }, Self { x, y, n: self.n - n, life: PhantomData })
    }

    /// The input; what the output holds, once written in place.
    #[inline(always)]
    pub(crate) fn input(&self) -> &[T] {
        // SAFETY: built from slices of `n` elements; writes need `&mut self`.
        unsafe { core::slice::from_raw_parts(self.x, self.n) }
    }

    /// The output.
    #[inline(always)]
    pub(crate) fn output(&mut self) -> &mut [T] {
        // SAFETY: built from slices of `n` elements; reads need `&self`.
        unsafe { core::slice::from_raw_parts_mut(self.y, self.n) }
    }

    /// `y[i] = body(x[i])`.
    #[inline(always)]
    pub(crate) fn map<J: Executor, S: Simd>(&mut self, j: J, s: S, body: impl Body<T, 1>) {
        // SAFETY: `x` and `y` have `n` elements and are disjoint or the same.
        unsafe { map_parts(j, s, body, [self.x], self.y, self.n) }
    }

    /// `y[i] = body(x[i], a[i])` for `a` of the same length.
    #[inline(always)]
    pub(crate) fn map2<J: Executor, S: Simd>(&mut self, j: J, s: S, body: impl Body<T, 2>, a: &[T]) {
        let n = self.n.min(a.len());
        // SAFETY: as `map`; `a` has at least `n` elements and, being borrowed, is not `y`.
        unsafe { map_parts(j, s, body, [self.x, a.as_ptr()], self.y, n) }
    }

    /// `y[i] = body(x[i], a[i], b[i])` for `a` and `b` of the same length.
    #[inline(always)]
    pub(crate) fn map3<J: Executor, S: Simd>(&mut self, j: J, s: S, body: impl Body<T, 3>, a: &[T], b: &[T]) {
        let n = self.n.min(a.len()).min(b.len());
        // SAFETY: as `map`; `a` and `b` have at least `n` elements and, being borrowed, are not `y`.
        unsafe { map_parts(j, s, body, [self.x, a.as_ptr(), b.as_ptr()], self.y, n) }
    }

    /// `y[i] = body(x[i], a[i], b[i], c[i])` for `a`, `b` and `c` of the same length.
    #[inline(always)]
    pub(crate) fn map4<J: Executor, S: Simd>(
        &mut self,
        j: J,
        s: S,
        body: impl Body<T, 4>,
        others: [&[T]; 3],
    ) {
        let n = others.iter().fold(self.n, |n, x| n.min(x.len()));
        let [a, b, c] = others.map(<[T]>::as_ptr);
        // SAFETY: as `map`; the others have at least `n` elements and, being borrowed, are not `y`.
        unsafe { map_parts(j, s, body, [self.x, a, b, c], self.y, n) }
    }

    /// `y[i] = body(x[i])`, and the fold over all of `y`. `body(fill)` must not change the fold.
    #[inline(always)]
    pub(crate) fn map_fold<J: Executor, S: Simd, const K: usize>(
        &mut self,
        j: J,
        s: S,
        (body, fill): (impl Body<T, 1>, T),
        f: impl Fold<T, 1, K>,
    ) -> [T; K] {
        // SAFETY: `x` and `y` have `n` elements and are disjoint or the same.
        unsafe { map_fold(j, s, (body, [fill]), f, ([self.x], self.y, self.n)) }
    }

    /// `y[i] = body(x[i], a[i])` for `a` of the same length, and the fold over all of `y`. `body(fill)` must not change
    /// the fold.
    #[inline(always)]
    pub(crate) fn map2_fold<J: Executor, S: Simd, const K: usize>(
        &mut self,
        j: J,
        s: S,
        (body, fill): (impl Body<T, 2>, [T; 2]),
        f: impl Fold<T, 1, K>,
        a: &[T],
    ) -> [T; K] {
        let n = self.n.min(a.len());
        // SAFETY: as `map_fold`; `a` has at least `n` elements and, being borrowed, is not `y`.
        unsafe { map_fold(j, s, (body, fill), f, ([self.x, a.as_ptr()], self.y, n)) }
    }
}
