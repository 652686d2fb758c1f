//! One-dimensional convolution over channels, with groups, and its gradients with respect to the input and the weights.
//!
//! The elements that a tap multiplies are a view of the input, whose column stride is the stride of the convolution.
//! One thread copies a part of the input at a time, so that taps find it in the caches even where rows are a power of
//! two apart. Groups of several channels are matrix products, one for each tap of the filter or, where a filter is
//! longer than the number of channels, one for each channel (the rows of its view overlap); a group of one channel is a
//! sum of shifted rows.

pub(crate) mod depthwise;
mod groups;
pub(crate) mod im2col;

use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::contract::contract;
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::fold_by;
use crate::lanes::{Element, Simd};
use crate::parts::{Count, Write, count, each_row};
use crate::reduce::Sum;
use crate::slices::lines_mut;
use crate::view::{MatMut, MatRef};
use core::ops::Range;
pub(crate) use groups::Lines;
use im2col::{Source, again, apart, block_cells, bounds, unfolded, unfolded_cells};
pub(crate) use im2col::{Tap, part, part_mut};

/// The sizes of a convolution of lines.
///
/// ```
/// use fulmen::Conv1d;
/// let conv = Conv1d { kernel: 3, stride: 2, padding: 1, ..Conv1d::new(80, 512, 3000, 3) };
/// assert_eq!(conv.output(), Ok(1500));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Conv1d {
    /// Lines of the input.
    pub channels_in: usize,
    /// Lines of the result.
    pub channels_out: usize,
    /// Elements of a line of the input.
    pub length: usize,
    /// Weights of a filter for one channel.
    pub kernel: usize,
    /// Elements from one place of the filter to the next.
    pub stride: usize,
    /// Zeros before and behind each line.
    pub padding: usize,
    /// Elements from one weight to the next.
    pub dilation: usize,
    /// Groups of channels (grouped convolution); divides both numbers of channels.
    pub groups: usize,
}

impl Conv1d {
    /// With a stride and a dilation of 1, one group and no padding.
    pub const fn new(channels_in: usize, channels_out: usize, length: usize, kernel: usize) -> Self {
        Self { channels_in, channels_out, length, kernel, stride: 1, padding: 0, dilation: 1, groups: 1 }
    }

    /// Elements of a line of the result.
    ///
    /// Errors: [`Error::Empty`] names `length` or `kernel`, [`Error::Domain`] `stride` or `dilation` when they are 0,
    /// `kernel` when the filter is longer than the padded line; [`Error::Overflow`].
    pub const fn output(&self) -> Result<usize, Error> {
        let Self { length, kernel, stride, padding, dilation, .. } = *self;
        if length == 0 {
            return Err(Error::empty("length"));
        }
        let Some(last) = kernel.checked_sub(1) else { return Err(Error::empty("kernel")) };
        if stride == 0 {
            return Err(Error::must_be("stride", "at least 1"));
        }
        if dilation == 0 {
            return Err(Error::must_be("dilation", "at least 1"));
        }
        let Some(span) = last.checked_mul(dilation) else { return Err(Error::overflow("dilation")) };
        let Some(both) = padding.checked_mul(2) else { return Err(Error::overflow("padding")) };
        match length.checked_add(both) {
            Some(padded) if span < padded => Ok((padded - span - 1) / stride + 1),
            Some(_) => Err(Error::must_be("kernel", "no longer than the padded line")),
            None => Err(Error::overflow("padding")),
        }
    }

    /// Elements from the first tap of a filter to the last.
    const fn span(&self) -> usize {
        self.kernel.saturating_sub(1).saturating_mul(self.dilation)
    }

    /// Elements of a line that so many output positions read.
    const fn copied(&self, cells: usize) -> usize {
        let all = cells.saturating_mul(self.stride).saturating_add(self.span());
        if all < self.length { all } else { self.length }
    }

    /// The output positions, of `n`, at which tap `k` reads the input and not its padding.
    #[inline(always)]
    pub(crate) fn tap(&self, k: usize, n: usize) -> Tap {
        let before = self.padding.saturating_sub(k * self.dilation);
        // A tap may be outside the line at every place.
        let (padded, stride) = (self.length + self.padding, self.stride.max(1));
        let start = before.div_ceil(stride).min(n);
        let end = padded.saturating_sub(k * self.dilation).div_ceil(stride).min(n);
        // Without a place there is no element either, and its number might overflow.
        let first = if start < end { start * self.stride + k * self.dilation - self.padding } else { 0 };
        Tap { cells: start..end.max(start), first }
    }

    /// The taps that read the input at position `l`, and the element that the first of them reads.
    #[inline(always)]
    pub(crate) fn taps(&self, l: usize) -> (Range<usize>, usize) {
        let at = l * self.stride;
        let (padded, apart) = (self.length + self.padding, self.dilation.max(1));
        let start = self.padding.saturating_sub(at).div_ceil(apart).min(self.kernel);
        let end = padded.saturating_sub(at).div_ceil(apart).min(self.kernel);
        (start..end.max(start), if start < end { at + start * self.dilation - self.padding } else { 0 })
    }

    /// The positions at which all taps read the input.
    #[inline(always)]
    fn within(&self, n: usize) -> Range<usize> {
        let (first, last) = (self.tap(0, n).cells, self.tap(self.kernel - 1, n).cells);
        let start = first.start.max(last.start).min(n);
        start..first.end.min(last.end).max(start)
    }

    /// For these operands, named.
    pub(crate) fn on(self, [x, weights, out]: [(&'static str, usize); 3]) -> Result<Lines, Error> {
        let n = self.output()?;
        let Self { channels_in, channels_out, length, kernel, groups, .. } = self;
        not_empty("channels_in", channels_in)?;
        not_empty("channels_out", channels_out)?;
        if groups == 0 || !channels_in.is_multiple_of(groups) || !channels_out.is_multiple_of(groups) {
            return Err(Error::must_be("groups", "a divisor of `channels_in` and of `channels_out`"));
        }
        let product = |a: usize, b: usize, arg| a.checked_mul(b).ok_or(Error::overflow(arg));
        let (read, write) = (product(channels_in, length, "length")?, product(channels_out, n, "padding")?);
        let [ci, co] = [channels_in / groups, channels_out / groups];
        let images = count(x.0, x.1, read)?;
        let filter = product(ci, kernel, "kernel")?;
        same_len(weights.0, product(filter, channels_out, "kernel")?, weights.1)?;
        same_len(out.0, images.saturating_mul(write), out.1)?;
        Ok(Lines { conv: self, n, ci, co, images })
    }
}

/// Elements of workspace that each of [`conv1d`], [`conv1d_backward_input`] and [`conv1d_backward_weights`] needs at most.
///
/// ```
/// const CONV: fulmen::Conv1d = fulmen::Conv1d::new(16, 32, 100, 3);
/// let workspace = [0.0f32; fulmen::conv1d_workspace(CONV)];
/// # assert!(workspace.len() < 1 << 20);
/// ```
pub const fn conv1d_workspace(conv: Conv1d) -> usize {
    const fn max(a: usize, b: usize) -> usize {
        if a > b { a } else { b }
    }
    let Ok(n) = conv.output() else { return 0 };
    if conv.groups == 0 {
        return 0;
    }
    let [ci, co] = [conv.channels_in / conv.groups, conv.channels_out / conv.groups];
    if apart(&conv, ci, co) {
        return 0;
    }
    let inner = max(ci, conv.kernel);
    let products = max(gemm_workspace(co, n, inner), gemm_workspace(co, inner, n));
    let mut products = max(products, gemm_workspace(ci, n, co));
    if unfolded(&conv, ci, co) {
        let (filter, copied) = (ci * conv.kernel, unfolded_cells(ci * conv.kernel, n));
        let whole = filter.saturating_mul(copied).saturating_add(gemm_workspace(co, copied, filter));
        products = max(products, whole);
    }
    if !again(&conv, ci, co) {
        return products;
    }
    // Lines whose parts are copied.
    let cells = block_cells(ci, co);
    let forward = conv.copied(cells).saturating_mul(ci).saturating_add(gemm_workspace(co, cells, ci));
    let copied = cells.saturating_add(conv.span() / max(conv.stride, 1)).saturating_add(2);
    max(products, max(forward, copied.saturating_mul(co).saturating_add(gemm_workspace(ci, cells, co))))
}

/// Elements `at`, `at + step`, … of `x`, `n` of them.
pub(crate) fn column<T: Element>(x: &[T], at: usize, step: usize, n: usize) -> impl Iterator<Item = T> {
    x.get(at..).unwrap_or_default().iter().step_by(step).take(n).copied()
}

ops! { $ conv1d_ops in crate::nn::conv1d;
    /// `out[b][o][l] = bias[o] + Σ_(c, k) weights[o][c][k]·x[b][g + c][l·stride + k·dilation - padding]` over the channels of
    /// `o`'s group, which begin at `g`, and the elements in the line.
    ///
    /// Shapes and units: `x` is `[images, channels_in, length]`, `weights` `[channels_out, channels_in / groups, kernel]`,
    /// `bias` has `channels_out` elements, `out` is `[images, channels_out, `[`output`](crate::Conv1d::output)`()]`.
    ///
    /// NaN and ±0: NaN where a factor is, also next to a zero; padding is not multiplied.
    ///
    /// Errors: those of [`Conv1d::output`](crate::Conv1d::output), [`Error::Empty`] names `channels_in` or `channels_out`,
    /// [`Error::Domain`] `groups` when it does not divide both, [`Error::Rows`] when `x` does not hold whole images,
    /// [`Error::Len`] when `weights`, `bias` or `out` has another length, [`Error::Workspace`].
    ///
    /// Scratch: [`conv1d_workspace`](crate::conv1d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv1d, conv1d};
    /// let conv = Conv1d { padding: 1, ..Conv1d::new(1, 1, 4, 3) };
    /// let mut out = [0.0f32; 4];
    /// conv1d(conv, &[1.0, 2.0, 4.0, 8.0], &[1.0, 0.0, -1.0], Some(&[0.5]), &mut out, &mut [])?;
    /// assert_eq!(out, [-1.5, -2.5, -5.5, 4.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/layers.rs`.
    ///
    /// Source: the definition (a correlation, as in networks). Contract: `contracts/conv1d-v1.yaml`.
    threads "Channels are on different threads, or parts of a group's product." conv1d, conv1d_on, conv1d_by
        (conv: by Conv1d, x: in T, weights: in T, bias: opt_in T, out: out T, workspace: scratch T) -> Result<()>;

    /// `dx[b][g + c][i] = Σ_(o, k) weights[o][c][k]·dy[b][o][l]` over the places with `i = l·stride + k·dilation - padding`: the
    /// gradient of [`conv1d`](crate::conv1d()) by its input.
    ///
    /// Shapes and units: as [`conv1d`](crate::conv1d()); `dy` has the shape of its result, `dx` that of its input.
    ///
    /// NaN and ±0: NaN where a factor is; what no filter reads becomes +0.
    ///
    /// Errors: as [`conv1d`](crate::conv1d()); [`Error::Rows`] names `dx`, [`Error::Len`] `weights` or `dy`.
    ///
    /// Scratch: [`conv1d_workspace`](crate::conv1d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv1d, conv1d_backward_input};
    /// let mut dx = [0.0f32; 3];
    /// conv1d_backward_input(Conv1d::new(1, 1, 3, 2), &[2.0, 3.0], &[1.0, 10.0], &mut dx, &mut [])?;
    /// assert_eq!(dx, [2.0, 23.0, 30.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/conv1d_backward_input-v1.yaml`.
    threads "As [`conv1d()`]." conv1d_backward_input, conv1d_backward_input_on, conv1d_backward_input_by
        (conv: by Conv1d, dy: in T, weights: in T, dx: out T, workspace: scratch T) -> Result<()>;

    /// `dweights[o][c][k] += Σ_(b, l) dy[b][o][l]·x[b][g + c][l·stride + k·dilation - padding]` and `dbias[o] += Σ_(b, l) dy[b][o][l]`:
    /// the gradient of [`conv1d`](crate::conv1d()) by its weights. Images are added in order.
    ///
    /// Shapes and units: as [`conv1d`](crate::conv1d()); `dy` has the shape of its result.
    ///
    /// NaN and ±0: NaN where a factor is; padding is not multiplied.
    ///
    /// Errors: as [`conv1d`](crate::conv1d()); [`Error::Len`] names `dweights`, `dbias` or `dy`.
    ///
    /// Scratch: [`conv1d_workspace`](crate::conv1d_workspace()); none where each channel is convolved by itself.
    ///
    /// ```
    /// use fulmen::{Conv1d, conv1d_backward_weights};
    /// let (mut dw, mut db) = ([0.0f32; 2], [0.0]);
    /// let conv = Conv1d::new(1, 1, 3, 2);
    /// conv1d_backward_weights(conv, &[1.0, 2.0, 4.0], &[1.0, 10.0], &mut dw, Some(&mut db), &mut [])?;
    /// assert_eq!((dw, db), ([21.0, 42.0], [11.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/conv1d_backward_weights-v1.yaml`.
    threads "As [`conv1d()`]." conv1d_backward_weights, conv1d_backward_weights_on, conv1d_backward_weights_by
        (conv: by Conv1d, x: in T, dy: in T, dweights: inout T, dbias: opt_inout T, workspace: scratch T) -> Result<()>;
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn conv1d_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv1d,
    x: &[T],
    weights: &[T],
    bias: Option<&[T]>,
    out: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let lines = conv.on([("x", x.len()), ("weights", weights.len()), ("out", out.len())])?;
    bias.map_or(Ok(()), |bias| same_len("bias", conv.channels_out, bias.len()))?;
    enough(conv1d_workspace(conv), workspace.len())?;
    let Lines { n, co, .. } = lines;
    let first = |row: usize| bias.and_then(|b| b.get(row % b.len().max(1))).copied().unwrap_or_default();
    if lines.apart() {
        each_row(
            j,
            s,
            n.saturating_mul(conv.kernel),
            (Count(0..conv.channels_out * lines.images), Write(&mut *out, n)),
            #[inline(always)]
            |(row, out): (Count, Write<'_, T>)| {
                out.0.fill(first(row.0.start));
                let line = part(x, row.0.start / co.max(1) * conv.length, conv.length);
                let w = part(weights, row.0.start % conv.channels_out.max(1) * conv.kernel, conv.kernel);
                depthwise::forward(s, conv, n, w, line, out.0);
            },
        );
    } else {
        let [read, write] = lines.groups();
        let most = lines.blocked::<J, T>();
        lines.each_group(|[xs, ws, ys]| {
            let out = part_mut(out, ys, write);
            let w = part(weights, ws, lines.filters()[1]);
            let all = Source { x: part(x, xs, read), len: conv.length, from: 0 };
            if lines.unfolds() {
                for (o, line) in lines_mut(out, n).enumerate() {
                    line.fill(first(ys / n.max(1) + o));
                }
                let within = lines.unfold((j, s), all, w, out, workspace)?;
                for cells in [0..within.start, within.end..n] {
                    lines.each_step(all, cells, |step| lines.add((j, s), w, step, out, workspace))?;
                }
                return Ok(());
            }
            for start in (0..n).step_by(most.unwrap_or(n).max(1)) {
                let cells = start..start.saturating_add(most.unwrap_or(n)).min(n);
                for (o, line) in lines_mut(out, n).enumerate() {
                    line.get_mut(cells.clone()).unwrap_or_default().fill(first(ys / n.max(1) + o));
                }
                let met = if most.is_some() { lines.met(&cells) } else { 0..0 };
                let (scratch, workspace) =
                    workspace.split_at_mut_checked(lines.ci * met.len()).unwrap_or_default();
                let block = if most.is_some() { all.copy(lines.ci, met, scratch) } else { all };
                lines.each_step(block, cells, |step| lines.add((j, s), w, step, out, workspace))?;
            }
            Ok(())
        })?;
    }
    contract!(
        conv1d,
        Ok(()),
        each | check | {
            let meets = |[xs, _, ys]: [usize; 3], [l, _, i]: [usize; 3]| {
                (column(x, xs + i, conv.length, lines.ci), column(out, ys + l, n, co))
            };
            lines.each_call(meets, check)
        }
    )
}

#[inline]
pub(crate) fn conv1d_backward_input_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv1d,
    dy: &[T],
    weights: &[T],
    dx: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let lines = conv.on([("dx", dx.len()), ("weights", weights.len()), ("dy", dy.len())])?;
    enough(conv1d_workspace(conv), workspace.len())?;
    let (Lines { n, ci, co, .. }, length) = (lines, conv.length);
    if lines.ci == 1 {
        each_row(
            j,
            s,
            length.saturating_mul(conv.kernel),
            (Count(0..conv.channels_in * lines.images), Write(&mut *dx, length)),
            #[inline(always)]
            |(row, dx): (Count, Write<'_, T>)| {
                dx.0.fill(T::ZERO);
                // The channels of the result that are made of this one.
                for o in 0..co {
                    let filter = row.0.start % conv.groups.max(1) * co + o;
                    let w = part(weights, filter * conv.kernel, conv.kernel);
                    depthwise::backward(s, conv, n, w, part(dy, (row.0.start * co + o) * n, n), dx.0);
                }
            },
        );
    } else {
        let [read, write] = lines.groups();
        // By elements, not by places: each takes the taps in the same order everywhere.
        let most = lines.blocked::<J, T>().map(|cells| cells.saturating_mul(conv.stride));
        lines.each_group(|[xs, ws, ys]| {
            let (dx, w) = (part_mut(dx, xs, read), part(weights, ws, lines.filters()[1]));
            let all = Source { x: part(dy, ys, write), len: n, from: 0 };
            let [row, k, len, step] =
                [lines.filters()[0], conv.kernel, length, conv.stride].map(|n| n as isize);
            for start in (0..length).step_by(most.unwrap_or(length).max(1)) {
                let reach = start..start.saturating_add(most.unwrap_or(length)).min(length);
                for line in lines_mut(dx, length) {
                    line.get_mut(reach.clone()).unwrap_or_default().fill(T::ZERO);
                }
                let taps = (0..conv.kernel).map(|tap| conv.tap(tap, n).reaching(&reach, conv.stride));
                let met = if most.is_some() { bounds(taps.clone()) } else { 0..0 };
                let (scratch, workspace) = workspace.split_at_mut_checked(co * met.len()).unwrap_or_default();
                let block = if most.is_some() { all.copy(co, met, scratch) } else { all };
                for (tap, Tap { cells, first }) in taps.enumerate().filter(|(_, t)| !t.cells.is_empty()) {
                    let c = MatMut::strided(&mut *dx, first, ci, cells.len(), len, step)?;
                    let a = MatRef::strided(w, tap, co, ci, row, k)?.t();
                    let b = MatRef::strided(
                        block.x,
                        cells.start - block.from,
                        co,
                        cells.len(),
                        block.len as isize,
                        1,
                    )?;
                    gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), workspace)?;
                }
            }
            Ok(())
        })?;
    }
    contract!(
        conv1d_backward_input,
        Ok(()),
        each | check | {
            let meets = |[xs, _, ys]: [usize; 3], [l, _, i]: [usize; 3]| {
                (column(dy, ys + l, n, co), column(dx, xs + i, conv.length, ci))
            };
            lines.each_call(meets, check)
        }
    )
}

#[inline]
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn conv1d_backward_weights_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    conv: Conv1d,
    x: &[T],
    dy: &[T],
    dweights: &mut [T],
    dbias: Option<&mut [T]>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let lines = conv.on([("x", x.len()), ("dweights", dweights.len()), ("dy", dy.len())])?;
    dbias.as_ref().map_or(Ok(()), |dbias| same_len("dbias", conv.channels_out, dbias.len()))?;
    enough(conv1d_workspace(conv), workspace.len())?;
    let Lines { n, ci, co, images, .. } = lines;
    let channels = Count(0..conv.channels_out);
    each_row(
        j,
        s,
        images.saturating_mul(n),
        (channels.clone(), Write(dbias.unwrap_or_default(), 1)),
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
    if lines.apart() {
        each_row(
            j,
            s,
            images.saturating_mul(n).saturating_mul(conv.kernel),
            (channels, Write(&mut *dweights, conv.kernel)),
            #[inline(always)]
            |(o, dw): (Count, Write<'_, T>)| {
                for image in 0..images {
                    let line = image * conv.channels_in + o.0.start / co.max(1);
                    let x = part(x, line * conv.length, conv.length);
                    let dy = part(dy, (image * conv.channels_out + o.0.start) * n, n);
                    depthwise::weights(s, conv, n, x, dy, dw.0);
                }
            },
        );
    } else {
        let [[read, write], [row, filters]] = [lines.groups(), lines.filters()];
        lines.each_group(|[xs, ws, ys]| {
            let dw = part_mut(dweights, ws, filters);
            let dy = MatRef::row_major(part(dy, ys, write), co, n)?;
            let x = Source { x: part(x, xs, read), len: conv.length, from: 0 };
            lines.each_step(x, 0..n, |step| {
                let strides = [row, step.apart].map(|n| n as isize);
                let c = MatMut::strided(&mut *dw, step.first, co, step.x.rows(), strides[0], strides[1])?;
                let (a, b) = (dy.sub(0..co, step.cells)?, step.x.t());
                gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), workspace)
            })
        })?;
    }
    contract!(
        conv1d_backward_weights,
        Ok(()),
        each | check | {
            let meets = |[_, ws, ys]: [usize; 3], [l, k, _]: [usize; 3]| {
                // Of the group's first channel.
                (column(dy, ys + l, n, 1), column(dweights, ws + k, conv.kernel, ci))
            };
            lines.each_call(meets, check)
        }
    )
}
