//! Pads a tensor with a constant or with its edge, reflected or wrapped-around elements.

use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Count, Write, each_row};
use crate::slices::{copy, lines_mut, split_mut};

/// What is around a tensor.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pad<T> {
    /// This number.
    Constant(T),
    /// The nearest element.
    Edge,
    /// Elements in a mirror whose plane is the outermost one, which is not repeated.
    Reflect,
    /// The elements of the other end.
    Wrap,
}

ops! { $ pad_ops in crate::einsum::pad;
    /// `out[i…] = x[i - before…]`, each axis by its own `padding = [before, after]`, and what `with` says where that is outside of `x`.
    ///
    /// Shapes: `x` has the shape `shape`, in rows: the last axis is dense. `padding` has as many elements as axes, and `out`
    /// as many elements as the lengths `before + shape[k] + after` multiply to. A tensor without axes is one number.
    ///
    /// NaN and ±0: copied bit by bit.
    ///
    /// Errors: [`Error::Len`] names `padding`, `x` or `out` when it has another length; [`Error::Domain`] names `padding` when an axis
    /// has less than it takes: one element for [`Pad::Edge`], one more than `before` and `after` for [`Pad::Reflect`], as many for
    /// [`Pad::Wrap`]; [`Error::Overflow`] names `shape` when elements cannot be counted. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Pad, pad};
    /// let mut out = [0.0f32; 8];
    /// pad(&[1.0, 2.0, 3.0, 4.0], &[2, 2], &[[0, 0], [1, 1]], Pad::Constant(9.0), &mut out)?;
    /// assert_eq!(out, [9.0, 1.0, 2.0, 9.0, 9.0, 3.0, 4.0, 9.0]);
    /// pad(&[1.0, 2.0, 3.0, 4.0], &[4], &[[2, 2]], Pad::Reflect, &mut out)?;
    /// assert_eq!(out, [3.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: NumPy 2.4 (`numpy.pad` with `constant`, `edge`, `reflect` and `wrap`). Contract: `contracts/pad-v1.yaml`.
    threads pad, pad_on, pad_by (x: in T, shape: host_in usize, padding: host_in [usize; 2], with: by Pad<T>, out: out T) -> Result<()>;
}

/// The elements of a tensor with these axes.
pub(crate) fn elements(shape: impl Iterator<Item = Option<usize>> + Clone) -> Result<usize, Error> {
    let overflow = Error::overflow("shape");
    if shape.clone().any(|n| n == Some(0)) {
        return Ok(0);
    }
    let n = shape.into_iter().try_fold(1usize, |all, n| all.checked_mul(n?));
    n.filter(|n| isize::try_from(*n).is_ok()).ok_or(overflow)
}

/// A tensor and what it becomes, as rows: of the last axis that grows, with all axes behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    /// The axes before the last one that grows.
    pub outer: (&'a [usize], &'a [[usize; 2]]),
    /// The length of that one, and how it grows.
    pub axis: (usize, [usize; 2]),
    /// The elements of all axes behind it.
    pub inner: usize,
}

impl<'a> Frame<'a> {
    /// What is refused is, but for the lengths of `x` and `out`, which are given back.
    pub(crate) fn new<T>(
        shape: &'a [usize],
        padding: &'a [[usize; 2]],
        with: &Pad<T>,
    ) -> Result<(Self, [usize; 2]), Error> {
        same_len("padding", shape.len(), padding.len())?;
        let axes = shape.iter().zip(padding);
        let grown = |(n, [before, after]): (&usize, &[usize; 2])| n.checked_add(*before)?.checked_add(*after);
        let lengths = [elements(shape.iter().map(|n| Some(*n)))?, elements(axes.clone().map(grown))?];
        let fits = |(n, [before, after]): (&usize, &[usize; 2])| {
            let most = *before.max(after);
            match with {
                Pad::Constant(_) => true,
                Pad::Edge => most == 0 || *n > 0,
                Pad::Reflect => most == 0 || most < *n,
                Pad::Wrap => most <= *n,
            }
        };
        if !axes.clone().all(fits) {
            return Err(Error::must_be("padding", "no more than the axis has elements for this padding"));
        }
        let last = axes.clone().rposition(|(_, by)| *by != [0; 2]).unwrap_or(0);
        let outer = (shape.get(..last).unwrap_or_default(), padding.get(..last).unwrap_or_default());
        let axis = (shape.get(last).copied().unwrap_or(1), padding.get(last).copied().unwrap_or_default());
        // Of a tensor with elements: others have none to look at.
        let inner = shape.iter().skip(last + 1).fold(1, |all: usize, n| all.saturating_mul(*n));
        Ok((Self { outer, axis, inner }, lengths))
    }

    /// The row of `x` that row `r` of the result comes from.
    #[inline(always)]
    fn row<T>(&self, mut r: usize, with: &Pad<T>) -> Option<usize> {
        let (mut at, mut rows) = (0, 1);
        for (n, by) in self.outer.0.iter().zip(self.outer.1).rev() {
            let all = n + by[0] + by[1];
            at += place(r.checked_rem(all)?, *n, by[0], with)? * rows;
            (r, rows) = (r.checked_div(all)?, rows * n);
        }
        Some(at)
    }
}

/// Where element `i` of an axis comes from.
#[inline(always)]
fn place<T>(i: usize, n: usize, before: usize, with: &Pad<T>) -> Option<usize> {
    // As if it were in `x`, from its first element on or from its last one back.
    let (ahead, at) = (before.saturating_sub(i), i.saturating_sub(before));
    match with {
        Pad::Constant(_) => (ahead == 0 && at < n).then_some(at),
        Pad::Edge => Some(at.min(n.saturating_sub(1))),
        Pad::Reflect => Some(if at < n { ahead + at } else { (2 * n - 2).saturating_sub(at) }),
        Pad::Wrap => Some(if ahead > 0 {
            n - ahead
        } else if at < n {
            at
        } else {
            at - n
        }),
    }
}

pub(crate) fn pad_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    shape: &[usize],
    padding: &[[usize; 2]],
    with: Pad<T>,
    out: &mut [T],
) -> Result<(), Error> {
    let (frame, [of_x, of_out]) = Frame::new(shape, padding, &with)?;
    same_len("x", of_x, x.len())?;
    same_len("out", of_out, out.len())?;
    if out.is_empty() {
        return Ok(());
    }
    let (n, [before, after]) = frame.axis;
    let (inner, value) = (frame.inner, if let Pad::Constant(value) = with { value } else { T::ZERO });
    let (dense, row) = (n * inner, (before + n + after) * inner);
    let count = Count(0..out.len().checked_div(row).unwrap_or(0));
    each_row(
        j,
        s,
        row,
        (Write(&mut *out, row), count),
        #[inline(always)]
        |(out, at): (Write<'_, T>, Count)| {
            let from = frame.row(at.0.start, &with).and_then(|r| x.get(r * dense..)?.get(..dense));
            let Some(from) = from else { return out.0.fill(value) };
            let (head, rest) = split_mut(out.0, before * inner);
            let (middle, tail) = split_mut(rest, dense);
            copy(from, middle);
            for (first, to) in [(0, head), (before + n, tail)] {
                for (i, to) in lines_mut(to, inner).enumerate() {
                    match place(first + i, n, before, &with).and_then(|k| from.get(k * inner..)?.get(..inner))
                    {
                        Some(from) => copy(from, to),
                        None => to.fill(value),
                    }
                }
            }
        },
    );
    contract!(
        pad,
        Ok(()),
        each | check | {
            let rows = out.chunks_exact(row).enumerate();
            rows.into_iter().try_for_each(|(r, y)| {
                let from = frame.row(r, &with).and_then(|r| x.get(r * dense..)?.get(..dense));
                let to = y.get(before * inner..).and_then(|y| y.get(..dense));
                from.zip(to).map_or(Ok(()), |(x, y)| check(&Call::new(&[x], y)))
            })
        }
    )
}
