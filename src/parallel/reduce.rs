//! Reductions on rayon: the tree is that of the serial reduction, and its halves run on different threads.

use super::Threads;
use crate::forms::named;
use crate::reduce::map_reduce::{map_reduce_by, map_reduce_rows_by};
use crate::{Body, Element, Error, lanes::Simd, lanes::native};

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
    named!([Result] map_reduce at threads s, (x: each_in) as M, map_reduce_by(Threads, s, (map, reduce), identity, x))
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
    named!([Result] map_reduce_rows at threads s, (x: each_in, out: out) as M, map_reduce_rows_by(Threads, s, (map, reduce), identity, x, cols, out))
}
