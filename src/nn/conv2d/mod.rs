//! Two-dimensional convolution over channels, with groups, and its gradients with respect to the input and the weights.
//!
//! An implicit matrix product (K. Chellapilla et al. 2006, cuDNN 2014): the windows of a block of places are copied, a row for each weight
//! of a filter, and one product of the filters and these makes all channels of the block; so no copy of the whole input is
//! made. A filter of one weight needs no copy. A group of one channel is a sum of shifted rows. Blocks don't depend on the
//! number of threads: each product and each copy is divided, and the bits are the same.
//!
//! Copies have zeros for the padding. Where a factor of these is infinite or NaN, the sums are those of shifted rows
//! too, which multiply no padding.

pub(crate) mod columns;
pub(crate) mod depthwise;
mod maps;

use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::contract::contract;
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::fold_by;
use crate::lanes::{Element, Simd};
use crate::nn::conv1d::{column, part, part_mut};
use crate::parts::{Count, Write, count, each_row};
use crate::reduce::Sum;
use crate::slices::lines_mut;
use crate::view::{MatMut, MatRef};
use columns::block_cells;
pub(crate) use maps::{Axis, Maps};
use maps::{apart, direct, finite};

/// The sizes of a convolution of planes. Of each pair, the first is down the rows, the second along the columns.
///
/// ```
/// use fulmen::Conv2d;
/// let conv = Conv2d { stride: [2, 2], padding: [[1, 1], [0, 1]], ..Conv2d::new(3, 64, [224, 224], [3, 3]) };
/// assert_eq!(conv.output(), Ok([112, 112]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Conv2d {
    /// Planes of the input.
    pub channels_in: usize,
    /// Planes of the result.
    pub channels_out: usize,
    /// Rows of a plane of the input.
    pub height: usize,
    /// Columns of a plane of the input.
    pub width: usize,
    /// Rows and columns of a filter for one channel.
    pub kernel: [usize; 2],
    /// Elements from one place of the filter to the next.
    pub stride: [usize; 2],
    /// Zeros `[[above, below], [left, right]]` of each plane.
    pub padding: [[usize; 2]; 2],
    /// Elements from one weight to the next.
    pub dilation: [usize; 2],
    /// Groups of channels (grouped convolution); divides both numbers of channels.
    pub groups: usize,
}

impl Conv2d {
    /// Of planes of so many rows and columns, with strides and dilations of 1, one group and no padding.
    pub const fn new(channels_in: usize, channels_out: usize, plane: [usize; 2], kernel: [usize; 2]) -> Self {
        let [height, width] = plane;
        Self {
            channels_in,
            channels_out,
            height,
            width,
            kernel,
            stride: [1; 2],
            padding: [[0; 2]; 2],
            dilation: [1; 2],
            groups: 1,
        }
    }

    /// Both directions.
    const fn axes(&self) -> [Axis; 2] {
        let Self { height, width, kernel: [kh, kw], stride: [sh, sw], padding, dilation: [dh, dw], .. } =
            *self;
        let [[above, below], [left, right]] = padding;
        [
            Axis { length: height, kernel: kh, stride: sh, before: above, behind: below, dilation: dh },
            Axis { length: width, kernel: kw, stride: sw, before: left, behind: right, dilation: dw },
        ]
    }

    /// Rows and columns of a plane of the result.
    ///
    /// Errors: [`Error::Empty`] names `height`, `width` or `kernel`, [`Error::Domain`] `stride` or `dilation` when one is 0,
    /// `kernel` when the filter is larger than the padded plane; [`Error::Overflow`].
    pub const fn output(&self) -> Result<[usize; 2], Error> {
        let [down, across] = self.axes();
        match (down.places("height"), across.places("width")) {
            (Ok(rows), Ok(cols)) => Ok([rows, cols]),
            (Err(e), _) | (_, Err(e)) => Err(e),
        }
    }

    /// For these operands, named.
    pub(crate) fn on(self, [x, weights, out]: [(&'static str, usize); 3]) -> Result<Maps, Error> {
        let [rows, cols] = self.output()?;
        let Self { channels_in, channels_out, height, width, kernel: [kh, kw], groups, .. } = self;
        not_empty("channels_in", channels_in)?;
        not_empty("channels_out", channels_out)?;
        if groups == 0 || !channels_in.is_multiple_of(groups) || !channels_out.is_multiple_of(groups) {
            return Err(Error::must_be("groups", "a divisor of `channels_in` and of `channels_out`"));
        }
        let product = |a: usize, b: usize, arg| a.checked_mul(b).ok_or(Error::overflow(arg));
        let read = product(channels_in, product(height, width, "height")?, "height")?;
        let write = product(channels_out, product(rows, cols, "padding")?, "padding")?;
        let [ci, co] = [channels_in / groups, channels_out / groups];
        let images = count(x.0, x.1, read)?;
        let filter = product(ci, product(kh, kw, "kernel")?, "kernel")?;
        same_len(weights.0, product(filter, channels_out, "kernel")?, weights.1)?;
        same_len(out.0, images.saturating_mul(write), out.1)?;
        let [down, across] = self.axes();
        Ok(Maps { conv: self, down, across, rows, cols, ci, co, images })
    }
}

/// Elements of workspace that each of [`conv2d`], [`conv2d_backward_input`] and [`conv2d_backward_weights`] needs at most.
///
/// ```
/// const CONV: fulmen::Conv2d = fulmen::Conv2d::new(16, 32, [20, 20], [3, 3]);
/// let workspace = [0.0f32; fulmen::conv2d_workspace(CONV)];
/// # assert!(workspace.len() < 1 << 20);
/// ```
pub const fn conv2d_workspace(conv: Conv2d) -> usize {
    const fn max(a: usize, b: usize) -> usize {
        if a > b { a } else { b }
    }
    let Ok([rows, cols]) = conv.output() else { return 0 };
    if conv.groups == 0 {
        return 0;
    }
    let [ci, co] = [conv.channels_in / conv.groups, conv.channels_out / conv.groups];
    let [kh, kw] = conv.kernel;
    let taps = kh.saturating_mul(kw);
    if apart(taps, ci, co) {
        return 0;
    }
    let (n, filter) = (rows.saturating_mul(cols), ci.saturating_mul(taps));
    let (cells, copied) = if direct(&conv) {
        (n, 0)
    } else {
        let cells = block_cells(filter, n);
        (cells, filter.saturating_mul(cells))
    };
    let products = max(gemm_workspace(co, cells, filter), gemm_workspace(filter, cells, co));
    copied.saturating_add(max(products, gemm_workspace(co, filter, cells)))
}

ops! { $ conv2d_ops in crate::nn::conv2d;
    /// `out[b][o][i][j] = bias[o] + Σ_(c, p, q) weights[o][c][p][q]·x[b][g + c][i·s₀ + p·d₀ - above][j·s₁ + q·d₁ - left]` over
    /// the channels of `o`'s group, which begin at `g`, and the elements in the plane; `s` is the stride, `d` the dilation.
    ///
    /// Shapes and units: `x` is `[images, channels_in, height, width]`, `weights` `[channels_out, channels_in / groups, kernel
    /// rows, kernel columns]`, `bias` has `channels_out` elements, `out` is `[images, channels_out, rows, columns]`, the last two
    /// as [`output`](crate::Conv2d::output) says.
    ///
    /// NaN and ±0: NaN where a factor is, also next to a zero; padding is not multiplied.
    ///
    /// Errors: those of [`Conv2d::output`](crate::Conv2d::output), [`Error::Empty`] names `channels_in` or `channels_out`,
    /// [`Error::Domain`] `groups` when it does not divide both, [`Error::Rows`] when `x` does not hold whole images,
    /// [`Error::Len`] when `weights`, `bias` or `out` has another length, [`Error::Workspace`].
    ///
    /// Scratch: [`conv2d_workspace`](crate::conv2d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv2d, conv2d};
    /// // The difference to the left neighbour.
    /// let conv = Conv2d { padding: [[0, 0], [1, 0]], ..Conv2d::new(1, 1, [2, 3], [1, 2]) };
    /// let mut out = [0.0f32; 6];
    /// conv2d(conv, &[1.0, 2.0, 4.0, 3.0, 3.0, 5.0], &[-1.0, 1.0], Some(&[0.5]), &mut out, &mut [])?;
    /// assert_eq!(out, [1.5, 1.5, 2.5, 3.5, 0.5, 2.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition (a correlation, as in networks); K. Chellapilla, S. Puri, P. Simard: High performance convolutional neural networks, 2006.
    /// Contract: `contracts/conv2d-v1.yaml`.
    threads "Channels are on different threads, or parts of a group's product." conv2d, conv2d_on, conv2d_by
        (conv: by Conv2d, x: in T, weights: in T, bias: opt_in T, out: out T, workspace: scratch T) -> Result<()>;

    /// `dx[b][g + c][y][z] = Σ_(o, p, q) weights[o][c][p][q]·dy[b][o][i][j]` over the places with `y = i·s₀ + p·d₀ - above` and
    /// `z = j·s₁ + q·d₁ - left`: the gradient of [`conv2d`](crate::conv2d()) by its input.
    ///
    /// Shapes and units: as [`conv2d`](crate::conv2d()); `dy` has the shape of its result, `dx` that of its input.
    ///
    /// NaN and ±0: NaN where a factor is; what no filter reads becomes +0.
    ///
    /// Errors: as [`conv2d`](crate::conv2d()); [`Error::Rows`] names `dx`, [`Error::Len`] `weights` or `dy`.
    ///
    /// Scratch: [`conv2d_workspace`](crate::conv2d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv2d, conv2d_backward_input};
    /// let mut dx = [0.0f32; 4];
    /// conv2d_backward_input(Conv2d::new(1, 1, [2, 2], [2, 2]), &[2.0], &[1.0, 10.0, 100.0, 0.0], &mut dx, &mut [])?;
    /// assert_eq!(dx, [2.0, 20.0, 200.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/conv2d_backward_input-v1.yaml`.
    threads "As [`conv2d()`]." conv2d_backward_input, conv2d_backward_input_on, conv2d_backward_input_by
        (conv: by Conv2d, dy: in T, weights: in T, dx: out T, workspace: scratch T) -> Result<()>;

    /// `dweights[o][c][p][q] += Σ_(b, i, j) dy[b][o][i][j]·x[b][g + c][i·s₀ + p·d₀ - above][j·s₁ + q·d₁ - left]` and
    /// `dbias[o] += Σ_(b, i, j) dy[b][o][i][j]`: the gradient of [`conv2d`](crate::conv2d()) by its weights. Images are added in
    /// order.
    ///
    /// Shapes and units: as [`conv2d`](crate::conv2d()); `dy` has the shape of its result.
    ///
    /// NaN and ±0: NaN where a factor is; padding is not multiplied.
    ///
    /// Errors: as [`conv2d`](crate::conv2d()); [`Error::Len`] names `dweights`, `dbias` or `dy`.
    ///
    /// Scratch: [`conv2d_workspace`](crate::conv2d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv2d, conv2d_backward_weights};
    /// let (mut dw, mut db) = ([0.0f32; 2], [0.0]);
    /// let conv = Conv2d::new(1, 1, [2, 2], [1, 2]);
    /// conv2d_backward_weights(conv, &[1.0, 2.0, 4.0, 8.0], &[1.0, 10.0], &mut dw, Some(&mut db), &mut [])?;
    /// assert_eq!((dw, db), ([41.0, 82.0], [11.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/conv2d_backward_weights-v1.yaml`.
    threads "As [`conv2d()`]." conv2d_backward_weights, conv2d_backward_weights_on, conv2d_backward_weights_by
        (conv: by Conv2d, x: in T, dy: in T, dweights: inout T, dbias: opt_inout T, workspace: scratch T) -> Result<()>;
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn conv2d_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv2d,
    x: &[T],
    weights: &[T],
    bias: Option<&[T]>,
    out: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let maps = conv.on([("x", x.len()), ("weights", weights.len()), ("out", out.len())])?;
    bias.map_or(Ok(()), |bias| same_len("bias", conv.channels_out, bias.len()))?;
    enough(conv2d_workspace(conv), workspace.len())?;
    let Maps { ci, co, .. } = maps;
    let (n, area, filter) = (maps.places(), maps.area(), maps.filter());
    let first = |row: usize| bias.and_then(|b| b.get(row % b.len().max(1))).copied().unwrap_or_default();
    let direct = direct(&conv);
    if maps.apart() || (!direct && maps.padded() && !finite(s, weights)) {
        each_row(
            j,
            s,
            n.saturating_mul(filter),
            (Count(0..conv.channels_out * maps.images), Write(&mut *out, n)),
            #[inline(always)]
            |(row, out): (Count, Write<'_, T>)| {
                out.0.fill(first(row.0.start));
                let group = row.0.start / co.max(1);
                let w = part(weights, row.0.start % conv.channels_out.max(1) * filter, filter);
                for c in 0..ci {
                    let x = part(x, (group * ci + c) * area, area);
                    maps.plane(s, part(w, c * maps.taps(), maps.taps()), x, out.0);
                }
            },
        );
    } else {
        maps.each_group(|[xs, ws, ys]| {
            let (x, out) = (part(x, xs, ci * area), part_mut(out, ys, co * n));
            let a = MatRef::row_major(part(weights, ws, co * filter), co, filter)?;
            for (o, plane) in lines_mut(out, n).enumerate() {
                plane.fill(first(ys / n.max(1) + o));
            }
            if direct {
                let (b, c) = (MatRef::row_major(x, ci, n)?, MatMut::row_major(out, co, n)?);
                return gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), workspace);
            }
            for cells in maps.blocks() {
                let (columns, rest) =
                    workspace.split_at_mut_checked(filter * cells.len()).unwrap_or_default();
                maps.unfold((j, s), x, &cells, columns);
                let b = MatRef::row_major(columns, filter, cells.len())?;
                let c = MatMut::row_major(&mut *out, co, n)?.sub(0..co, cells)?;
                gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), rest)?;
            }
            Ok(())
        })?;
    }
    contract!(
        conv2d,
        Ok(()),
        each | check | {
            let meets = |[xs, _, ys]: [usize; 3], [l, _, i]: [usize; 3]| {
                (column(x, xs + i, area, ci), column(out, ys + l, n, co))
            };
            maps.each_call(meets, check)
        }
    )
}

#[inline]
pub(crate) fn conv2d_backward_input_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv2d,
    dy: &[T],
    weights: &[T],
    dx: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let maps = conv.on([("dx", dx.len()), ("weights", weights.len()), ("dy", dy.len())])?;
    enough(conv2d_workspace(conv), workspace.len())?;
    let Maps { ci, co, .. } = maps;
    let (n, area, filter) = (maps.places(), maps.area(), maps.filter());
    if maps.apart() {
        each_row(
            j,
            s,
            area.saturating_mul(co).saturating_mul(filter),
            (Count(0..conv.channels_in * maps.images), Write(&mut *dx, area)),
            #[inline(always)]
            |(row, dx): (Count, Write<'_, T>)| {
                dx.0.fill(T::ZERO);
                // The channels of the result that are made of this one.
                for o in 0..co {
                    let w = part(weights, (row.0.start % conv.groups.max(1) * co + o) * filter, filter);
                    maps.plane_backward(s, w, part(dy, (row.0.start * co + o) * n, n), dx.0);
                }
            },
        );
    } else {
        dx.fill(T::ZERO);
        maps.each_group(|[xs, ws, ys]| {
            let (dy, dx) = (part(dy, ys, co * n), part_mut(dx, xs, ci * area));
            let a = MatRef::row_major(part(weights, ws, co * filter), co, filter)?.t();
            let dy = MatRef::row_major(dy, co, n)?;
            if direct(&conv) {
                let c = MatMut::row_major(dx, ci, n)?;
                return gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b: dy, c }, (), workspace);
            }
            for cells in maps.blocks() {
                let (columns, rest) =
                    workspace.split_at_mut_checked(filter * cells.len()).unwrap_or_default();
                let (b, c) =
                    (dy.sub(0..co, cells.clone())?, MatMut::row_major(&mut *columns, filter, cells.len())?);
                gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ZERO, a, b, c }, (), rest)?;
                maps.fold((j, s), columns, &cells, dx);
            }
            Ok(())
        })?;
    }
    contract!(
        conv2d_backward_input,
        Ok(()),
        each | check | {
            let meets = |[xs, _, ys]: [usize; 3], [l, _, i]: [usize; 3]| {
                (column(dy, ys + l, n, co), column(dx, xs + i, area, ci))
            };
            maps.each_call(meets, check)
        }
    )
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn conv2d_backward_weights_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv2d,
    x: &[T],
    dy: &[T],
    dweights: &mut [T],
    dbias: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let maps = conv.on([("x", x.len()), ("dweights", dweights.len()), ("dy", dy.len())])?;
    dbias.as_ref().map_or(Ok(()), |dbias| same_len("dbias", conv.channels_out, dbias.len()))?;
    enough(conv2d_workspace(conv), workspace.len())?;
    let Maps { ci, co, images, .. } = maps;
    let (n, area, taps, filter) = (maps.places(), maps.area(), maps.taps(), maps.filter());
    each_row(
        j,
        s,
        images.saturating_mul(n),
        (Count(0..conv.channels_out), Write(dbias.unwrap_or_default(), 1)),
        #[inline(always)]
        |(o, dbias): (Count, Write<'_, T>)| {
            let [sum] = dbias.0 else { return };
            for image in 0..images {
                let dy = part(dy, (image * conv.channels_out + o.0.start) * n, n);
                let [all] = fold_by(Serial, s, Sum, [dy]);
                *sum = *sum + all;
            }
        },
    );
    // Sums of rows of one image after the other, in the group whose first channel and filter are given.
    let by_rows = |images: core::ops::Range<usize>, filters: core::ops::Range<usize>, dw: &mut [T]| {
        each_row(
            j,
            s,
            images.len().saturating_mul(n).saturating_mul(filter),
            (Count(filters), Write(dw, filter)),
            #[inline(always)]
            |(o, dw): (Count, Write<'_, T>)| {
                for image in images.clone() {
                    let dy = part(dy, (image * conv.channels_out + o.0.start) * n, n);
                    let first = image * conv.channels_in + o.0.start / co.max(1) * ci;
                    for (c, dw) in lines_mut(&mut *dw.0, taps).enumerate() {
                        maps.plane_weights(s, part(x, (first + c) * area, area), dy, dw);
                    }
                }
            },
        );
    };
    let (direct, padded) = (direct(&conv), maps.padded());
    if maps.apart() {
        by_rows(0..images, 0..conv.channels_out, dweights);
    } else {
        maps.each_group(|[xs, ws, ys]| {
            let (x, dw) = (part(x, xs, ci * area), part_mut(dweights, ws, co * filter));
            let dy = part(dy, ys, co * n);
            if !direct && padded && !finite(s, dy) {
                let at = ys / n.max(1);
                let (image, o) = (at / conv.channels_out.max(1), at % conv.channels_out.max(1));
                by_rows(image..image + 1, o..o + co, dw);
                return Ok(());
            }
            let a = MatRef::row_major(dy, co, n)?;
            if direct {
                let (b, c) = (MatRef::row_major(x, ci, n)?.t(), MatMut::row_major(dw, co, ci)?);
                return gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), workspace);
            }
            for cells in maps.blocks() {
                let (columns, rest) =
                    workspace.split_at_mut_checked(filter * cells.len()).unwrap_or_default();
                maps.unfold((j, s), x, &cells, columns);
                let b = MatRef::row_major(columns, filter, cells.len())?.t();
                let (a, c) = (a.sub(0..co, cells)?, MatMut::row_major(&mut *dw, co, filter)?);
                gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), rest)?;
            }
            Ok(())
        })?;
    }
    contract!(
        conv2d_backward_weights,
        Ok(()),
        each | check | {
            let meets = |[_, ws, ys]: [usize; 3], [l, k, _]: [usize; 3]| {
                // Of the group's first channel.
                (column(dy, ys + l, n, 1), column(dweights, ws + k, taps, ci))
            };
            maps.each_call(meets, check)
        }
    )
}
