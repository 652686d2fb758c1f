//! `gather_elements` and `scatter_add_elements`, as in ONNX: each element of the result has an index of its own along
//! one axis.

use super::gather::{Axis, below};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Count, Read, Write, each_row};
use crate::slices::lines;

ops! { $ gather_elements_ops in crate::einsum::gather_elements;
    /// `out[…, j, …] = x[…, ids[…, j, …], …]`: along one axis, each element by an index of its own. So the places that
    /// [`argmax`](crate::argmax()) of rows or an order finds become elements.
    ///
    /// Shapes: `x` has the shape `shape`, in rows: the last axis is dense. `ids` and `out` have the same but for the axis `axis`, which
    /// has any length in both.
    ///
    /// NaN and ±0: copied bit by bit.
    ///
    /// Errors: [`Error::Domain`] names `axis` when there is none; [`Error::Overflow`] names `shape` when elements cannot be counted;
    /// [`Error::Len`] names `x` or `out` when it has another length; [`Error::Rows`] names `ids` when they are not the elements of such a tensor;
    /// [`Error::Index`] when an index is not below the length of the axis. Scratch: none.
    ///
    /// ```
    /// // An element of each row.
    /// let mut out = [0.0f32; 2];
    /// fulmen::gather_elements(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3], 1, &[2, 0], &mut out)?;
    /// assert_eq!(out, [3.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ONNX (`GatherElements` of opset 13), NumPy 2.4 (`numpy.take_along_axis`). Contract: `contracts/gather_elements-v1.yaml`.
    #[doc(alias = "take_along_axis")]
    threads gather_elements, gather_elements_on, gather_elements_by
        (x: in T, shape: host_in usize, axis: by usize, ids: in u32, out: out T) -> Result<()>;

    /// `out[…, ids[…, j, …], …] += x[…, j, …]`, in order of `j`: the gradient of [`gather_elements`](crate::gather_elements()) by its `x`.
    ///
    /// Shapes: `out` has the shape `shape`, in rows: the last axis is dense. `ids` and `x` have the same but for the axis `axis`, which
    /// has any length in both.
    ///
    /// NaN and ±0: as [`add`](crate::add()); what no index names stays as it is.
    ///
    /// Errors: [`Error::Domain`] names `axis` when there is none; [`Error::Overflow`] names `shape` when elements cannot be counted;
    /// [`Error::Len`] names `out` or `x` when it has another length; [`Error::Rows`] names `ids` when they are not the elements of such a tensor;
    /// [`Error::Index`] when an index is not below the length of the axis. Scratch: none.
    ///
    /// ```
    /// let mut out = [1.0f32; 4];
    /// fulmen::scatter_add_elements(&[1.0, 2.0, 4.0, 8.0], &[2, 2], 1, &[1, 1, 0, 1], &mut out)?;
    /// assert_eq!(out, [1.0, 4.0, 5.0, 9.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ONNX (`ScatterElements` of opset 18 that adds), PyTorch 2.15 (`scatter_add_`). Contract: `contracts/scatter_add_elements-v1.yaml`.
    #[doc(alias = "put_along_axis")]
    threads scatter_add_elements, scatter_add_elements_on, scatter_add_elements_by
        (x: in T, shape: host_in usize, axis: by usize, ids: in u32, out: inout T) -> Result<()>;
}

impl Axis {
    /// Around `axis` of the tensor that has `shape`, and how long the axis is in the one of the indices; what is refused is, but for
    /// the indices.
    pub(crate) fn along(
        shape: &[usize],
        axis: usize,
        whole: (&'static str, usize),
        ids: usize,
        each: (&'static str, usize),
    ) -> Result<(Self, usize), Error> {
        let (of, all) = Self::of(shape, axis)?;
        same_len(whole.0, all, whole.1)?;
        let cols = of.outer.saturating_mul(of.inner);
        match ids.checked_rem(cols) {
            None => same_len("ids", 0, ids)?,
            Some(0) => {}
            Some(_) => return Err(Error::rows("ids", cols, ids)),
        }
        same_len(each.0, ids, each.1)?;
        Ok((of, ids.checked_div(cols).unwrap_or(0)))
    }
}

pub(crate) fn gather_elements_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    shape: &[usize],
    axis: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    let (of, many) = Axis::along(shape, axis, ("x", x.len()), ids.len(), ("out", out.len()))?;
    let Axis { outer, n, inner } = of;
    below(n, ids)?;
    if out.is_empty() {
        return Ok(());
    }
    // Rows of the axis where it is the last one, of all axes behind it where it is not.
    let each = if inner == 1 && outer > 1 { many } else { inner };
    let rows = (many * inner).checked_div(each).unwrap_or(0);
    each_row(
        j,
        s,
        each,
        (Write(&mut *out, each), (Read(ids, each), Count(0..outer * rows))),
        #[inline(always)]
        |(out, (ids, at)): (Write<'_, T>, (Read<'_, u32>, Count))| {
            let from = x.get(at.0.start.checked_div(rows).unwrap_or(0) * n * inner..).unwrap_or_default();
            let step = usize::from(inner > 1);
            for (i, (to, id)) in out.0.iter_mut().zip(ids.0).enumerate() {
                if let Some(x) = from.get(*id as usize * inner + i * step) {
                    *to = *x;
                }
            }
        },
    );
    contract!(
        gather_elements,
        Ok(()),
        each | check | {
            ids.iter().zip(&*out).enumerate().try_for_each(|(e, (id, y))| {
                let at = (e / inner / many * n + *id as usize) * inner + e % inner;
                check(&Call::new(&[x.get(at..at + 1).unwrap_or_default()], &[*y]))
            })
        }
    )
}

pub(crate) fn scatter_add_elements_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    shape: &[usize],
    axis: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    let (of, many) = Axis::along(shape, axis, ("out", out.len()), ids.len(), ("x", x.len()))?;
    let Axis { n, inner, .. } = of;
    below(n, ids)?;
    if x.is_empty() {
        return Ok(());
    }
    let (all, each) = (n * inner, many * inner);
    each_row(
        j,
        s,
        all.max(each),
        (Write(&mut *out, all), (Read(x, each), Read(ids, each))),
        #[inline(always)]
        |(out, (x, ids)): (Write<'_, T>, (Read<'_, T>, Read<'_, u32>))| {
            for (x, ids) in lines(x.0, inner).zip(lines(ids.0, inner)) {
                for (i, (x, id)) in x.iter().zip(ids).enumerate() {
                    if let Some(to) = out.0.get_mut(*id as usize * inner + i) {
                        *to = *to + *x;
                    }
                }
            }
        },
    );
    contract!(
        scatter_add_elements,
        Ok(()),
        each | check | {
            ids.iter().zip(x).enumerate().try_for_each(|(e, (id, x))| {
                let at = (e / inner / many * n + *id as usize) * inner + e % inner;
                check(&Call::new(&[&[*x]], out.get(at..at + 1).unwrap_or_default()))
            })
        }
    )
}
