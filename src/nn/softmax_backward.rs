//! The backward passes of softmax and log-softmax, and softmax of masked scores.

use super::softmax::masked_row;
use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::fold;
use crate::lanes::inout::InOut;
use crate::lanes::{Element, Simd};
use crate::parts::{Change, Read, Write, count, each_row};
use crate::reduce::{Dot, Sum};

/// `y (dy - along)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Within<T>(pub(crate) T);
impl<T: Number> Body<T, 2> for Within<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [dy, y]: [V; 2]) -> V {
        y * (dy - y.param(self.0))
    }
}

/// `dy - e^y sum`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogWithin<T>(pub(crate) T);
impl<T: Number> Body<T, 2> for LogWithin<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [dy, y]: [V; 2]) -> V {
        dy - y.exp() * y.param(self.0)
    }
}

ops! { $ softmax_backward_ops in crate::nn::softmax_backward;
    /// `dx = y·(dy − Σ dy·y)` for each row: the gradient of [`softmax`](crate::softmax()), whose value is `y`.
    ///
    /// Shapes and units: `y`, `dy` and `dx` hold the same whole rows of `cols` elements. Each row of `dx` sums to zero
    /// within rounding.
    ///
    /// NaN and ±0: a row with NaN becomes NaN as a whole.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `y` does not hold whole rows, [`Error::Len`] when
    /// `dy` or `dx` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 2];
    /// fulmen::softmax_backward(&[0.5, 0.5], &[3.0, 1.0], 2, &mut dx)?;
    /// assert_eq!(dx, [0.5, -0.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/softmax_backward-v1.yaml`.
    #[doc(alias = "softmax_grad")]
    threads softmax_backward, softmax_backward_on, softmax_backward_by (y: in T, dy: in T, cols: by usize, dx: out T) -> Result<()>;

    /// `dx = dy − e^y·Σ dy` for each row: the gradient of [`log_softmax`](crate::log_softmax()), whose value is `y`.
    ///
    /// Shapes and units: `y`, `dy` and `dx` hold the same whole rows of `cols` elements.
    ///
    /// NaN and ±0: NaN in `y` spoils its element, in `dy` its row.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `y` does not hold whole rows, [`Error::Len`] when
    /// `dy` or `dx` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 2];
    /// fulmen::log_softmax_backward(&[0.0, f32::NEG_INFINITY], &[3.0, 1.0], 2, &mut dx)?;
    /// assert_eq!(dx, [-1.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/log_softmax_backward-v1.yaml`.
    threads log_softmax_backward, log_softmax_backward_on, log_softmax_backward_by
        (y: in T, dy: in T, cols: by usize, dx: out T) -> Result<()>;

    /// [`softmax`](crate::softmax()) of `x + mask` for each row: -inf in the mask hides an element.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements; `mask` as many rows as `x`, or one for all.
    ///
    /// NaN and ±0: as [`softmax`](crate::softmax()); a row that is hidden as a whole becomes zeros.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when
    /// `out` differs in length, or `mask` both from `x` and from one row. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 4];
    /// let hidden = f32::NEG_INFINITY;
    /// fulmen::masked_softmax(&[1.0, 1.0, 5.0, 6.0], &[0.0, 0.0, hidden, hidden], 2, &mut out)?;
    /// assert_eq!(out, [0.5, 0.5, 0.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`softmax`](crate::softmax()). Contract: `contracts/masked_softmax-v1.yaml`.
    threads masked_softmax, masked_softmax_on, masked_softmax_by (x: in T, mask: in T, cols: by usize, out: out T) -> Result<()>;
}

/// `f` on each row of `y` and `dy`.
#[inline]
fn backward<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    (y, dy): (&[T], &[T]),
    cols: usize,
    dx: &mut [T],
    f: impl Fn(&[T], InOut<'_, T>) + Copy + Sync,
) -> Result<(), Error> {
    count("y", y.len(), cols)?;
    same_len("dy", y.len(), dy.len())?;
    same_len("dx", y.len(), dx.len())?;
    let parts = (Read(y, cols), Change(InOut::new(dy, dx), cols));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(y, row): (Read<'_, T>, Change<'_, T>)| f(y.0, row.0),
    );
    Ok(())
}

#[inline]
pub(crate) fn softmax_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    y: &[T],
    dy: &[T],
    cols: usize,
    dx: &mut [T],
) -> Result<(), Error> {
    backward(
        j,
        s,
        (y, dy),
        cols,
        dx,
        #[inline(always)]
        |y, mut row| {
            let [along] = fold(s, Dot, [y, row.input()]);
            row.map2(Serial, s, Within(along), y);
        },
    )?;
    contract!(
        softmax_backward,
        Ok(()),
        each | check | {
            check(&Call::new(&[y], dx).cols(cols)).and_then(|()| check(&Call::new(&[dy], dx).cols(cols)))
        }
    )
}

#[inline]
pub(crate) fn log_softmax_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    y: &[T],
    dy: &[T],
    cols: usize,
    dx: &mut [T],
) -> Result<(), Error> {
    backward(
        j,
        s,
        (y, dy),
        cols,
        dx,
        #[inline(always)]
        |y, mut row| {
            let [sum] = fold(s, Sum, [row.input()]);
            row.map2(Serial, s, LogWithin(sum), y);
        },
    )?;
    contract!(log_softmax_backward, Ok(()), &Call::new(&[dy], dx).cols(cols))
}

#[inline]
pub(crate) fn masked_softmax_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    mask: &[T],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    count("x", x.len(), cols)?;
    same_len("out", x.len(), out.len())?;
    if mask.len() == cols {
        each_row(
            j,
            s,
            cols,
            (Read(x, cols), Write(&mut *out, cols)),
            #[inline(always)]
            |(x, out): (Read<'_, T>, Write<'_, T>)| {
                masked_row(s, x.0, mask, out.0);
            },
        );
    } else {
        same_len("mask", x.len(), mask.len())?;
        let parts = (Read(x, cols), Read(mask, cols), Write(&mut *out, cols));
        each_row(
            j,
            s,
            cols,
            parts,
            #[inline(always)]
            |(x, mask, out): (Read<'_, T>, Read<'_, T>, Write<'_, T>)| {
                masked_row(s, x.0, mask.0, out.0);
            },
        );
    }
    contract!(masked_softmax, Ok(()), &Call::new(&[x], out).cols(cols))
}
