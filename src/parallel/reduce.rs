//! Reductions: the serial tree, its halves on different threads.

use super::Threads;
use crate::nn::logsumexp_by;
use crate::reduce::map_reduce::{map_reduce_by, map_reduce_rows_by};
use crate::reduce::*;
use crate::{Body, Element, Error, lanes::Simd, lanes::native};

macro_rules! reductions {
    ($($name:ident, $on:ident, $by:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on rayon's threads, same bits.")]
        #[inline]
        pub fn $name<T: Element>($($arg: $ty),*) -> $ret {
            $by(Threads, native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::parallel::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd, T: Element>(s: S, $($arg: $ty),*) -> $ret {
            $by(Threads, s, $($arg),*)
        }
    )*};
}
reductions! {
    sum, sum_on, sum_by(x: &[T]) -> T;
    sum_kahan, sum_kahan_on, sum_kahan_by(x: &[T]) -> T;
    sum_of_squares, sum_of_squares_on, sum_of_squares_by(x: &[T]) -> T;
    dot, dot_on, dot_by(a: &[T], b: &[T]) -> Result<T, Error>;
    prod, prod_on, prod_by(x: &[T]) -> T;
    max, max_on, max_by(x: &[T]) -> Result<T, Error>;
    min, min_on, min_by(x: &[T]) -> Result<T, Error>;
    argmax, argmax_on, argmax_by(x: &[T]) -> Result<usize, Error>;
    argmin, argmin_on, argmin_by(x: &[T]) -> Result<usize, Error>;
    argmax_last, argmax_last_on, argmax_last_by(x: &[T]) -> Result<usize, Error>;
    argmin_last, argmin_last_on, argmin_last_by(x: &[T]) -> Result<usize, Error>;
    mean, mean_on, mean_by(x: &[T]) -> Result<T, Error>;
    variance, variance_on, variance_by(x: &[T]) -> Result<T, Error>;
    stddev, stddev_on, stddev_by(x: &[T]) -> Result<T, Error>;
    covariance, covariance_on, covariance_by(a: &[T], b: &[T]) -> Result<T, Error>;
    correlation, correlation_on, correlation_by(a: &[T], b: &[T]) -> Result<T, Error>;
    logsumexp, logsumexp_on, logsumexp_by(x: &[T]) -> T;
    norm_l1, norm_l1_on, norm_l1_by(x: &[T]) -> T;
    norm_l2, norm_l2_on, norm_l2_by(x: &[T]) -> T;
    norm_linf, norm_linf_on, norm_linf_by(x: &[T]) -> T;
    euclidean_distance, euclidean_distance_on, euclidean_distance_by(a: &[T], b: &[T]) -> Result<T, Error>;
    cosine_similarity, cosine_similarity_on, cosine_similarity_by(a: &[T], b: &[T]) -> Result<T, Error>;
}

/// [`map_reduce`](crate::map_reduce()) on rayon's threads, same bits.
#[inline]
pub fn map_reduce<T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
) -> Result<T, Error> {
    map_reduce_on(native(), map, reduce, identity, x)
}

/// [`map_reduce`](crate::parallel::map_reduce()) on the instruction set of `s`.
#[inline]
pub fn map_reduce_on<S: Simd, T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    s: S,
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
) -> Result<T, Error> {
    map_reduce_by(Threads, s, (map, reduce), identity, x)
}

/// [`map_reduce_rows`](crate::map_reduce_rows()) on rayon's threads, same bits.
#[inline]
pub fn map_reduce_rows<T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    map_reduce_rows_on(native(), map, reduce, identity, x, cols, out)
}

/// [`map_reduce_rows`](crate::parallel::map_reduce_rows()) on the instruction set of `s`.
#[inline]
pub fn map_reduce_rows_on<S: Simd, T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    s: S,
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    map_reduce_rows_by(Threads, s, (map, reduce), identity, x, cols, out)
}
