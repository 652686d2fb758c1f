//! Element-wise ops of a matrix and a row or a column that is broadcast.

use crate::alu::{Alu, Body, Number, Real};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd, drive, native};

/// `body` with a second input that does not change.
#[derive(Debug, Clone, Copy)]
struct Second<B, T>(B, T);
impl<T: Number, B: Body<T, 2>> Body<T, 1> for Second<B, T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        self.0.eval([x, x.param(self.1)])
    }
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        self.0.check()
    }
}

/// `out[r][c] = body(x[r][c], row[c])`: a row for all rows, such as a bias.
///
/// Shapes: `x` and `out` hold whole rows of `row.len()` elements. NaN and ±0 as the body has them; the bits are those of
/// [`map`](crate::map) on a repeated `row`.
///
/// Errors: [`Error::Empty`] when `row` is empty, [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when `out`
/// differs in length from `x`; what the body's own check refuses. Scratch: none.
///
/// See `examples/small/csv.rs`.
///
/// ```
/// use fulmen::{Add, map_with_row};
/// let mut out = [0.0f32; 4];
/// map_with_row(Add, &[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0], &mut out)?;
/// assert_eq!(out, [11.0, 22.0, 13.0, 24.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn map_with_row<T: Element, B: Body<T, 2>>(
    body: B,
    x: &[T],
    row: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    map_with_row_on(native(), body, x, row, out)
}

/// [`map_with_row`] on the instruction set of `s`.
#[inline]
pub fn map_with_row_on<S: Simd, T: Element, B: Body<T, 2>>(
    s: S,
    body: B,
    x: &[T],
    row: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    crate::forms::span!(crate::error::OpName::NONE, at serial s, (x: in, row: in, out: out) as B);
    let cols = row.len();
    not_empty("row", cols)?;
    if !x.len().is_multiple_of(cols) {
        return Err(Error::rows("x", cols, x.len()));
    }
    same_len("out", x.len(), out.len())?;
    body.check()?;
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks_exact(cols).zip(out.chunks_exact_mut(cols)) {
                drive::map(Serial, s, body, [x, row], out);
            }
        },
    );
    Ok(())
}

/// `out[r][c] = body(x[r][c], column[r])`: a number for each row, such as the slope of a channel.
///
/// Shapes: `x` and `out` hold `column.len()` rows of equal length. NaN and ±0 as the body has them; the bits are those of
/// [`map`](crate::map) on a repeated `column`.
///
/// Errors: [`Error::Empty`] when `column` is empty, [`Error::Rows`] when `x` does not hold as many rows of equal length,
/// [`Error::Len`] when `out` differs in length from `x`; what the body's own check refuses. Scratch: none.
///
/// ```
/// use fulmen::{Mul, map_with_column};
/// let mut out = [0.0f32; 4];
/// map_with_column(Mul, &[1.0, 2.0, 3.0, 4.0], &[10.0, 100.0], &mut out)?;
/// assert_eq!(out, [10.0, 20.0, 300.0, 400.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn map_with_column<T: Element, B: Body<T, 2>>(
    body: B,
    x: &[T],
    column: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    map_with_column_on(native(), body, x, column, out)
}

/// [`map_with_column`] on the instruction set of `s`.
#[inline]
pub fn map_with_column_on<S: Simd, T: Element, B: Body<T, 2>>(
    s: S,
    body: B,
    x: &[T],
    column: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    crate::forms::span!(crate::error::OpName::NONE, at serial s, (x: in, column: in, out: out) as B);
    let rows = column.len();
    not_empty("column", rows)?;
    if !x.len().is_multiple_of(rows) {
        return Err(Error::rows("x", rows, x.len()));
    }
    same_len("out", x.len(), out.len())?;
    body.check()?;
    let cols = (x.len() / rows).max(1);
    s.vectorize(
        #[inline(always)]
        || {
            for ((x, out), second) in x.chunks_exact(cols).zip(out.chunks_exact_mut(cols)).zip(column) {
                drive::map(Serial, s, Second(body, *second), [x], out);
            }
        },
    );
    Ok(())
}
