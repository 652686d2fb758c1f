//! The traits by which an op of several reductions and a map (a norm, softmax, a variance) is written once for CPUs and
//! GPUs: on a CPU it runs over slices, on a GPU over the elements of a block, and [`Alu`] computes between the
//! reductions.

use super::executor::{Executor, Serial, tree};
use super::fold::{Fold, fold_by, fold_views, to_scalar};
use super::portable::{Portable, scalar};
use super::vector::Vector;
use super::{Element, Simd};
use crate::alu::{Alu, Body, Number};
use crate::view::VecRef;

/// What can be folded as often as needed.
pub(crate) trait Folds<T: Number, const N: usize> {
    /// Where the arithmetic on states runs.
    type V: Alu<Elem = T>;
    /// The state after all elements.
    fn fold<F: Fold<T, N, K>, const K: usize>(&self, f: F) -> [Self::V; K];
    /// [`Streams::fold`] where `m` holds, else `otherwise`.
    fn fold_where<F: Fold<T, N, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K];
    /// A value as the parameter of a body.
    fn number(&self, v: Self::V) -> T;
}

/// Elements of a sample: their mean is within a tenth of a standard deviation of that of all, where order means nothing.
pub(crate) const SAMPLE: usize = 128;

/// `N` streams of one length.
pub(crate) trait Streams<T: Number, const N: usize>: Folds<T, N> {
    /// The summary of all elements.
    fn summary<P: Summary<T, N, K>, const K: usize>(&self, p: P) -> [Self::V; K];
    /// [`Streams::summary`] where `m` holds, else `otherwise`.
    fn summary_where<P: Summary<T, N, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K];
    /// How many elements there are.
    fn len(&self) -> Self::V;
    /// The state after the first [`SAMPLE`] elements, which tell about where the others are, and how many these were;
    /// after all of them where reading them again costs nothing.
    fn sample<F: Fold<T, N, K>, const K: usize>(&self, f: F) -> ([Self::V; K], Self::V) {
        (self.fold(f), self.len())
    }
}

/// What is known of a part after several folds over it; parts are merged.
pub(crate) trait Summary<T: Number, const N: usize, const K: usize>: Copy + Send + Sync {
    /// Elements that a part may have when there are `n` in all: it is read again from a cache.
    fn block(self, n: usize) -> usize;
    /// Of a part. Mark it `#[inline(always)]`.
    fn of<R: Streams<T, N>>(self, part: &R) -> [R::V; K];
    /// Of both parts; one without elements changes nothing.
    fn merge<V: Alu<Elem = T>>(self, a: [V; K], b: [V; K]) -> [V; K];
    /// Of no elements; `like` only names where. A GPU's block may have none.
    #[cfg(feature = "gpu")]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; K];
}

/// A row that becomes another of the same length.
pub(crate) trait Row<T: Number>: Streams<T, 1> {
    /// The first element.
    fn first(&self) -> Self::V;
    /// Whether `m` holds, where that is known before the work is done.
    fn known(&self, m: <Self::V as Alu>::Mask) -> Option<bool>;
    /// `y[i] = body(x[i])`.
    fn map<B: Body<T, 1>>(&mut self, body: B);
    /// `y[i] = body(x[i], γ[i])`.
    fn map_scaled<B: Body<T, 2>>(&mut self, body: B);
    /// `y[i] = body(x[i], γ[i], β[i])`.
    fn map_affine<B: Body<T, 3>>(&mut self, body: B);
}

/// Slices of one length.
#[derive(Clone, Copy)]
pub(crate) struct Slices<'a, J, S, T, const N: usize>(pub(crate) J, pub(crate) S, pub(crate) [&'a [T]; N]);

impl<J: Executor, S: Simd, T: Element, const N: usize> Folds<T, N> for Slices<'_, J, S, T, N> {
    type V = T::Vec<Portable<1>>;
    #[inline(always)]
    fn fold<F: Fold<T, N, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        fold_by(self.0, self.1, f, self.2).map(scalar)
    }
    #[inline(always)]
    fn fold_where<F: Fold<T, N, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        if Self::V::any(m) { self.fold(f) } else { otherwise }
    }
    #[inline(always)]
    fn number(&self, v: Self::V) -> T {
        to_scalar(v)
    }
}

impl<J: Executor, S: Simd, T: Element, const N: usize> Streams<T, N> for Slices<'_, J, S, T, N> {
    #[inline(always)]
    fn summary<P: Summary<T, N, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        let Self(j, s, x) = *self;
        let n = x.first().map_or(0, |x| x.len());
        let block = p.block(n);
        if n <= block {
            return p.of(self);
        }
        let part = |start: usize, n: usize| {
            let x = x.map(|x| x.get(start..start + n).unwrap_or_default());
            s.vectorize(
                #[inline(always)]
                || p.of(&Slices(Serial, s, x)).map(to_scalar),
            )
        };
        let merge = |a: [T; K], b: [T; K]| p.merge(a.map(scalar), b.map(scalar)).map(to_scalar);
        tree(j, 0, n, block, &part, &merge).map(scalar)
    }
    #[inline(always)]
    fn summary_where<P: Summary<T, N, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        if Self::V::any(m) { rarely(self, p) } else { otherwise }
    }
    #[inline(always)]
    fn len(&self) -> Self::V {
        scalar(T::from_usize(self.2.first().map_or(0, |x| x.len())))
    }
    #[inline(always)]
    fn sample<F: Fold<T, N, K>, const K: usize>(&self, f: F) -> ([Self::V; K], Self::V) {
        let some = Slices(self.0, self.1, self.2.map(|x| x.get(..SAMPLE).unwrap_or(x)));
        (some.fold(f), some.len())
    }
}

/// [`Streams::summary`], kept out of the way of what is common.
#[cold]
#[inline(never)]
fn rarely<T, R, P, const N: usize, const K: usize>(x: &R, p: P) -> [R::V; K]
where
    T: Element,
    R: Streams<T, N>,
    P: Summary<T, N, K>,
{
    x.summary(p)
}

/// A vector with a stride: the bits of [`Slices`].
#[derive(Clone, Copy)]
pub(crate) struct Strided<'a, J, S, T>(pub(crate) J, pub(crate) S, pub(crate) VecRef<'a, T>);

impl<J: Executor, S: Simd, T: Element> Folds<T, 1> for Strided<'_, J, S, T> {
    type V = T::Vec<Portable<1>>;
    #[inline(always)]
    fn fold<F: Fold<T, 1, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        fold_views(self.0, self.1, f, [self.2]).map(scalar)
    }
    #[inline(always)]
    fn fold_where<F: Fold<T, 1, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        if Self::V::any(m) { self.fold(f) } else { otherwise }
    }
    #[inline(always)]
    fn number(&self, v: Self::V) -> T {
        to_scalar(v)
    }
}
