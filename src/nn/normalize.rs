//! Normalises rows: to unit length, to zero mean and unit variance (z-score), or to the interval 0 … 1.

use super::norm::{Standard, TimesTwice};
use super::{OnRow, RowOp, at_least_one, row_op};
use crate::alu::{Alu, Body, Number, Real};
use crate::error::Error;
use crate::lanes::executor::Executor;
use crate::lanes::fold::Fold;
use crate::lanes::inout::InOut;
use crate::lanes::multipass::Row;
use crate::lanes::{Element, Simd};
use crate::reduce::{ScaledSquares, SumSquares, centred, rescue, scales};

/// `1 / √x`; 0 for 0.
#[inline(always)]
fn inverse_length<V: Alu>(x: V) -> V {
    let (root, zero) = (x.sqrt(), x.c(0.0));
    V::select(root.eq(zero), zero, x.c(1.0) / root)
}

/// A row of [`normalize`](crate::normalize()).
#[inline(always)]
pub(crate) fn normalize_row<T: Number, R: Row<T>>(row: &mut R) {
    let [squares] = row.fold(SumSquares);
    let p = rescue(squares);
    let [squares] = row.fold_where(scales(p), ScaledSquares(row.number(p)), [squares]);
    let body = TimesTwice(row.number(p), row.number(inverse_length(squares)));
    row.map(body);
}

/// A row of [`zscore`](crate::zscore()).
#[inline(always)]
pub(crate) fn zscore_row<T: Number, R: Row<T>>(row: &mut R) {
    let m = centred(row, row.len().c(0.0));
    let body = Standard::new(m, inverse_length(m.variance), |v| row.number(v));
    row.map(body);
}

/// A row of [`minmax_normalize`](crate::minmax_normalize()).
#[inline(always)]
pub(crate) fn minmax_row<T: Number, R: Row<T>>(row: &mut R) {
    let [max, min, poison] = row.fold(Extent(row.number(row.first())));
    let one = max.c(1.0);
    // The difference of two finite values overflows only where halving them is exact enough.
    let p = R::V::select((max - min).eq(max.lit(T::INFINITY)), max.c(0.5), one);
    let range = max * p - min * p;
    let range = R::V::select(range.eq(max.c(0.0)), one, range);
    let body = Interval { p: row.number(p), low: row.number(min * p), range: row.number(range + poison) };
    row.map(body);
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Normalize(pub(crate) usize);

impl<T: Element> RowOp<T> for Normalize {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        normalize_row(&mut OnRow(j, s, row, [&[]; 2]));
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Zscore(pub(crate) usize);

impl<T: Element> RowOp<T> for Zscore {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        zscore_row(&mut OnRow(j, s, row, [&[]; 2]));
    }
}

/// The largest and the smallest element, starting from one of them; and 0, or NaN when an element is
/// NaN or infinite.
#[derive(Debug, Clone, Copy)]
struct Extent<T>(T);

impl<T: Number> Fold<T, 1, 3> for Extent<T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [self.0]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 3] {
        [like.param(self.0), like.param(self.0), like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [max, min, poison]: [V; 3], [x]: [V; 1]) -> [V; 3] {
        [x.max(max), x.min(min), x.mul_add(x.c(0.0), poison)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [a, b, c]: [V; 3], [d, e, f]: [V; 3]) -> [V; 3] {
        [d.max(a), e.min(b), c + f]
    }
}

/// `(x · p - low) / range`.
#[derive(Debug, Clone, Copy)]
struct Interval<T> {
    p: T,
    low: T,
    range: T,
}

impl<T: Number> Body<T, 1> for Interval<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x * x.param(self.p) - x.param(self.low)) / x.param(self.range)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MinmaxNormalize(pub(crate) usize);

impl<T: Element> RowOp<T> for MinmaxNormalize {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        minmax_row(&mut OnRow(j, s, row, [&[]; 2]));
    }
}

row_op! {
    /// `out[r][i] = x[r][i] / ‖x[r]‖₂`; a row of zeros stays zeros.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements; the result has no unit.
    /// Neither overflows nor underflows on the way ([`norm_l2`](crate::norm_l2())).
    ///
    /// NaN and ±0: a row with NaN becomes NaN as a whole; with an infinity, 0 and NaN.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows,
    /// [`Error::Len`] when `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut x = [3.0f32, 4.0, 0.0, 0.0];
    /// fulmen::normalize_in_place(&mut x, 2)?;
    /// assert_eq!(x, [0.6, 0.8, 0.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/normalize-v1.yaml`.
    normalize, normalize_on, normalize_in_place, normalize_in_place_on (cols: usize) Normalize(cols);

    /// `out[r][i] = (x[r][i] - µ) / σ`, `µ` and `σ` the row's mean and population standard deviation;
    /// a constant row becomes zeros.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements; the result has no unit.
    /// Squares neither overflow nor underflow on the way.
    ///
    /// NaN and ±0: a row with NaN or an infinity becomes NaN as a whole.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows,
    /// [`Error::Len`] when `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut x = [1.0f32, 3.0, 0.1, 0.1];
    /// fulmen::zscore_in_place(&mut x, 2)?;
    /// assert_eq!(x, [-1.0, 1.0, 0.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`variance`](crate::variance()). Contract: `contracts/zscore-v1.yaml`.
    zscore, zscore_on, zscore_in_place, zscore_in_place_on (cols: usize) Zscore(cols);

    /// `out[r][i] = (x[r][i] - min) / (max - min)` over each row; a constant row becomes zeros.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements; the result lies in 0 … 1,
    /// where the smallest element becomes 0 and the largest 1.
    ///
    /// NaN and ±0: a row with NaN or an infinity becomes NaN as a whole.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows,
    /// [`Error::Len`] when `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut x = [1.0f32, 3.0, 2.0];
    /// fulmen::minmax_normalize_in_place(&mut x, 3)?;
    /// assert_eq!(x, [0.0, 1.0, 0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/minmax_normalize-v1.yaml`.
    minmax_normalize, minmax_normalize_on, minmax_normalize_in_place, minmax_normalize_in_place_on
        (cols: usize) MinmaxNormalize(cols);
}
