//! Map-reduce with two bodies, of the crate or of the caller: over a whole slice, and over each row.

use super::extrema::Exact;
use crate::alu::Body;
use crate::error::{Error, same_len};
use crate::forms::named;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::map_fold_by;
use crate::lanes::{Element, Simd, native};
use crate::parts::{Count, Write, count, each_row};
use crate::pointwise::same_lens;

/// `map(x₀[i], x₁[i], …)` for every `i`, joined by `reduce` from `identity` on, in one pass that writes nothing: any
/// reduction that two bodies say.
///
/// `reduce` is taken to be associative, up to rounding, and to give `v` for `identity` and `v`. The order is a function of
/// the lane width and the length, as that of [`sum`](crate::sum()): four accumulators.
///
/// Shapes and units: all inputs have one length; without elements the result is `identity`.
///
/// NaN and ±0: as the bodies say.
///
/// Errors: [`Error::Len`] when a later input (`b`, `c`) differs in length from the first; what a body's own check refuses.
/// Scratch: none.
///
/// ```
/// use fulmen::{Abs, Maximum, Sub, Then};
/// let far = fulmen::map_reduce(Then(Sub, Abs), Maximum, 0.0, [&[1.0f32, -5.0, 2.0], &[2.0, 3.0, 2.0]])?;
/// assert_eq!(far, 8.0);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: `std::transform_reduce`, ISO C++17, \[transform.reduce\].
#[inline]
pub fn map_reduce<T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
) -> Result<T, Error> {
    map_reduce_on(native(), map, reduce, identity, x)
}

/// [`map_reduce`] on the instruction set of `s`.
#[inline]
pub fn map_reduce_on<S: Simd, T: Element, M: Body<T, N>, R: Body<T, 2>, const N: usize>(
    s: S,
    map: M,
    reduce: R,
    identity: T,
    x: [&[T]; N],
) -> Result<T, Error> {
    named!([Result] map_reduce at serial s, (x: each_in) as M, map_reduce_by(Serial, s, (map, reduce), identity, x))
}

/// [`map_reduce_on`], the halves of its tree run by `j`.
#[inline]
pub(crate) fn map_reduce_by<J, S, T, M, R, const N: usize>(
    j: J,
    s: S,
    (map, reduce): (M, R),
    identity: T,
    x: [&[T]; N],
) -> Result<T, Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    M: Body<T, N>,
    R: Body<T, 2>,
{
    same_lens(&x)?;
    map.check()?;
    reduce.check()?;
    let [all] = map_fold_by(j, s, map, Exact(reduce, identity), x);
    Ok(all)
}

/// [`map_reduce`] of each row: `out[r]` is the result of row `r`, in the order and with the bits that the row alone has.
/// With [`map_with_column`](crate::map_with_column()) it makes row ops of your own.
///
/// Shapes and units: the inputs hold the same whole rows of `cols` elements; `out` has one element for each.
///
/// NaN and ±0: as the bodies say.
///
/// Errors: [`Error::Len`] when a later input (`b`, `c`) differs in length from the first, or `out` from the number of rows;
/// [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when the inputs do not hold whole rows; what a body's own check
/// refuses. Scratch: none.
///
/// ```
/// use fulmen::{Abs, Add, Div};
/// // Each row by the sum of its magnitudes.
/// let x = [1.0f32, -3.0, 2.0, 2.0];
/// let (mut sums, mut y) = ([0.0; 2], [0.0; 4]);
/// fulmen::map_reduce_rows(Abs, Add, 0.0, [&x], 2, &mut sums)?;
/// fulmen::map_with_column(Div, &x, &sums, &mut y)?;
/// assert_eq!(y, [0.25, -0.75, 0.5, 0.5]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: as [`map_reduce`].
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

/// [`map_reduce_rows`] on the instruction set of `s`.
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
    named!([Result] map_reduce_rows at serial s, (x: each_in, out: out) as M, map_reduce_rows_by(Serial, s, (map, reduce), identity, x, cols, out))
}

/// [`map_reduce_rows_on`], the rows split by `j`.
#[inline]
pub(crate) fn map_reduce_rows_by<J, S, T, M, R, const N: usize>(
    j: J,
    s: S,
    (map, reduce): (M, R),
    identity: T,
    x: [&[T]; N],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    M: Body<T, N>,
    R: Body<T, 2>,
{
    let len = x.first().map_or(0, |x| x.len());
    same_lens(&x)?;
    let rows = count("a", len, cols)?;
    same_len("out", rows, out.len())?;
    map.check()?;
    reduce.check()?;
    each_row(
        j,
        s,
        cols,
        (Count(0..rows), Write(out, 1)),
        #[inline(always)]
        |(row, out): (Count, Write<'_, T>)| {
            let row = row.0.start * cols;
            let x = x.map(|x| x.get(row..row + cols).unwrap_or_default());
            let [all] = map_fold_by(Serial, s, map, Exact(reduce, identity), x);
            out.0.fill(all);
        },
    );
    Ok(())
}
