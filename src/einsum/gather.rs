//! `gather`: slices of a tensor along one axis, chosen by indices.

use super::pad::elements;
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Count, Write, each_row};
use crate::slices::lines_mut;

ops! { $ gather_ops in crate::einsum::gather;
    /// `out[…, j, …] = x[…, ids[j], …]`: along one axis, the elements that the indices name, in their order. What
    /// [`embedding`](crate::embedding()) is for the rows of a table.
    ///
    /// Shapes: `x` has the shape `shape`, in rows: the last axis is dense. `out` has the same but for the axis `axis`, which is
    /// as long as `ids`.
    ///
    /// NaN and ±0: copied bit by bit.
    ///
    /// Errors: [`Error::Domain`] names `axis` when there is none; [`Error::Len`] names `x` or `out` when it has another length;
    /// [`Error::Overflow`] names `shape` when elements cannot be counted; [`Error::Index`] when an index is not below the length of the axis.
    /// Scratch: none.
    ///
    /// ```
    /// // The columns 2, 0 and 2 of a matrix.
    /// let mut out = [0.0f32; 6];
    /// fulmen::gather(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3], 1, &[2, 0, 2], &mut out)?;
    /// assert_eq!(out, [3.0, 1.0, 3.0, 6.0, 4.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ONNX (`Gather` of opset 13), NumPy 2.4 (`numpy.take` with an axis). Contract: `contracts/gather-v1.yaml`.
    threads gather, gather_on, gather_by (x: in T, shape: host_in usize, axis: by usize, ids: in u32, out: out T) -> Result<()>;
}

/// A tensor around one of its axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// The elements of the axes before it.
    pub outer: usize,
    /// Its length.
    pub n: usize,
    /// The elements of the axes behind it.
    pub inner: usize,
}

impl Axis {
    /// Around `axis` of `shape`, and how many elements the tensor has.
    pub(crate) fn of(shape: &[usize], axis: usize) -> Result<(Self, usize), Error> {
        let parts = shape.split_at_checked(axis).and_then(|(outer, rest)| Some((outer, rest.split_first()?)));
        let Some((outer, (&n, inner))) = parts else {
            return Err(Error::must_be("axis", "below the number of axes of `shape`"));
        };
        let all = elements(shape.iter().map(|n| Some(*n)))?;
        let [outer, inner] =
            [outer, inner].map(|of| of.iter().fold(1, |all: usize, n| all.saturating_mul(*n)));
        Ok((Self { outer, n, inner }, all))
    }

    /// What is refused is, but for the indices.
    pub(crate) fn new(shape: &[usize], axis: usize, [x, ids, out]: [usize; 3]) -> Result<Self, Error> {
        let (of, all) = Self::of(shape, axis)?;
        same_len("x", all, x)?;
        let others = shape.iter().enumerate().map(|(k, n)| Some(if k == axis { ids } else { *n }));
        same_len("out", elements(others)?, out)?;
        Ok(of)
    }
}

/// `Ok` when all indices are below `n`.
pub(super) fn below(n: usize, ids: &[u32]) -> Result<(), Error> {
    match ids.iter().find(|i| **i as usize >= n) {
        Some(&i) => Err(Error::index("ids", i as usize, n)),
        None => Ok(()),
    }
}

pub(crate) fn gather_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    shape: &[usize],
    axis: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    let Axis { outer, n, inner } = Axis::new(shape, axis, [x.len(), ids.len(), out.len()])?;
    below(n, ids)?;
    if out.is_empty() {
        return Ok(());
    }
    // Long elements one by one, others a matrix at a time.
    let each = if outer == 1 { inner } else { ids.len() * inner };
    let rows = Count(0..out.len().checked_div(each).unwrap_or(0));
    each_row(
        j,
        s,
        each,
        (Write(&mut *out, each), rows),
        #[inline(always)]
        |(out, at): (Write<'_, T>, Count)| {
            let (from, ids) = match outer {
                1 => (x, ids.get(at.0).unwrap_or_default()),
                _ => (x.get(at.0.start * n * inner..).unwrap_or_default(), ids),
            };
            chosen(from, inner, ids, out.0);
        },
    );
    contract!(
        gather,
        Ok(()),
        each | check | {
            let blocks = x.chunks_exact(n * inner).zip(out.chunks_exact(ids.len() * inner));
            let all = |(x, y): (&[T], &[T])| {
                let mut all = ids.iter().zip(y.chunks_exact(inner));
                all.try_for_each(|(id, y)| {
                    let x = x.get(*id as usize * inner..).and_then(|x| x.get(..inner)).unwrap_or_default();
                    check(&Call::new(&[x], y))
                })
            };
            blocks.into_iter().try_for_each(all)
        }
    )
}

/// Elements of `inner` numbers.
#[inline(always)]
fn chosen<T: Copy>(x: &[T], inner: usize, ids: &[u32], out: &mut [T]) {
    if inner == 1 {
        for (to, id) in out.iter_mut().zip(ids) {
            if let Some(x) = x.get(*id as usize) {
                *to = *x;
            }
        }
        return;
    }
    for (to, id) in lines_mut(out, inner).zip(ids) {
        if let Some(x) = x.get(*id as usize * inner..).and_then(|x| x.get(..inner)) {
            to.copy_from_slice(x);
        }
    }
}
