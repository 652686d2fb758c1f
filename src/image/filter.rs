//! Separable filters: the product of a filter along rows and one along columns.

use super::parts::each_part;
use super::{Border, Image, ImageMut, Kernel, Resample};
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;

ops! { $ filter_ops in crate::image::filter;
    /// `dst[y][x][c] = Σₖ Σⱼ v[k]·h[j]·src[y + k - r][x + j - q][c]`, where `r` and `q` are half the lengths of `vertical` and
    /// `horizontal`, rounded down, and `border` says what is read beyond the edges. Kernels are not flipped: it is a correlation. A Gaussian
    /// blur is that of [`Kernel::gaussian`] for both.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`.
    ///
    /// Rounding: the sum over rows comes first. On `u8` it keeps six bits behind the point in an `i16`, nothing is clipped
    /// before the end, and the result is rounded once, half up: within 1 of the exact sum rounded half up, for kernels of at
    /// most 63 weights. OpenCV's blur of bytes has weights of eight bits and differs by up to 2. On `f32` each weight,
    /// product and sum is rounded, in order, without fused operations, so results have the same bits on every lane.
    ///
    /// NaN, infinities and ±0 (`f32`): a NaN below a kernel gives NaN, and so does an infinity below a weight of 0.
    ///
    /// Errors: [`Error::Shape`] names `dst` when it has other sizes than `src`, [`Error::Len`] when it has other channels,
    /// [`Error::Workspace`]. Nothing is written then. Scratch: [`correlate_separable_workspace`], which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut, Kernel};
    /// use fulmen::{correlate_separable, correlate_separable_workspace};
    /// let (src, mut dst) = ([0u8, 0, 0, 200, 0, 0, 0], [0u8; 7]);
    /// let (mut one, mut three) = ([0i16; 1], [0i16; 3]);
    /// let (one, three) = (Kernel::new(&[1.0], &mut one)?, Kernel::new(&[0.5, 0.25, 0.0], &mut three)?);
    /// let mut workspace = [0; correlate_separable_workspace(7, 1, 3)];
    /// let (from, to) = (Image::new(&src, 7, 1, 1)?, ImageMut::new(&mut dst, 7, 1, 1)?);
    /// correlate_separable(from, one, three, Border::Clamp, to, &mut workspace)?;
    /// assert_eq!(dst, [0, 0, 0, 50, 100, 0, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/correlate_separable-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`correlate_separable_workspace`](crate::correlate_separable_workspace()), and a shorter one lets fewer run."
        correlate_separable<P: crate::image::Resample>, correlate_separable_on, correlate_separable_by
        (src: image P, vertical: by Kernel<'_, P::Weight>, horizontal: by Kernel<'_, P::Weight>, border: by Border<P>, dst: image_out P, workspace: scratch P::Middle) -> Result<()>;
}

/// Elements of workspace that [`correlate_separable`](crate::correlate_separable()) needs for so many columns, channels and weights of
/// the horizontal kernel.
pub const fn correlate_separable_workspace(width: usize, channels: usize, horizontal: usize) -> usize {
    width.saturating_add(horizontal.saturating_sub(1)).saturating_mul(channels)
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn correlate_separable_by<J: Executor, S: Simd, P: Resample>(
    j: J,
    s: S,
    src: Image<'_, P>,
    vertical: Kernel<'_, P::Weight>,
    horizontal: Kernel<'_, P::Weight>,
    border: Border<P>,
    dst: ImageMut<'_, P>,
    workspace: &mut [P::Middle],
) -> Result<(), Error> {
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    let need = correlate_separable_workspace(src.width(), src.channels(), horizontal.len());
    enough(need, workspace.len())?;
    let job = Job { src, vertical, horizontal, border };
    each_part(
        j,
        s,
        (src.row_len(), need),
        0,
        dst,
        workspace,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, P>, workspace: &mut [P::Middle]| job.rows(s, y, dst, workspace),
    );
    Ok(())
}

/// What all rows of a result are made of.
#[derive(Debug, Clone, Copy)]
struct Job<'a, P: Resample> {
    src: Image<'a, P>,
    vertical: Kernel<'a, P::Weight>,
    horizontal: Kernel<'a, P::Weight>,
    border: Border<P>,
}

impl<P: Resample> Job<'_, P> {
    #[inline(always)]
    fn rows<S: Simd>(self, s: S, y: usize, mut dst: ImageMut<'_, P>, workspace: &mut [P::Middle]) {
        let Self { src, vertical, horizontal, border } = self;
        let ((v, v_bits), (h, h_bits)) = (vertical.parts(), horizontal.parts());
        let (n, channels, width) = (src.row_len(), src.channels(), src.width());
        let reach = h.len() / 2;
        for row in 0..dst.height() {
            let first = (y + row).cast_signed().wrapping_sub((v.len() / 2).cast_signed());
            let place = |k: usize| border.index(first.wrapping_add(k.cast_signed()), src.height());
            // Rows of a constant are those before and after these.
            let from = (0..v.len()).take_while(|k| place(*k).is_none()).count();
            let count = (from..v.len()).take_while(|k| place(*k).is_some()).count();
            let (before, inside) = v.split_at_checked(from).unwrap_or_default();
            let (inside, after) = inside.split_at_checked(count).unwrap_or_default();
            let (left, others) = workspace.split_at_mut((reach * channels).min(workspace.len()));
            let (middle, right) = others.split_at_mut(n.min(others.len()));
            P::rows(
                s,
                #[inline(always)]
                |k| place(from + k).map_or(&[], |at| src.line(at)),
                inside,
                v_bits,
                middle,
            );
            let flat = if let Border::Constant(value) = border {
                if count < v.len() {
                    let base = P::plus(P::flat(value, before, v_bits), P::flat(value, after, v_bits));
                    middle.iter_mut().for_each(|x| *x = P::plus(*x, base));
                }
                P::flat(value, v, v_bits)
            } else {
                P::Middle::default()
            };
            let beyond = |to: &mut [P::Middle], first: isize| {
                for (i, to) in to.chunks_exact_mut(channels.max(1)).enumerate() {
                    let at = border.index(first.wrapping_add(i.cast_signed()), width);
                    match at.and_then(|at| middle.get(at * channels..)) {
                        Some(pixel) => to.iter_mut().zip(pixel).for_each(|(to, x)| *to = *x),
                        None => to.fill(flat),
                    }
                }
            };
            beyond(left, -reach.cast_signed());
            beyond(right.get_mut(..reach * channels).unwrap_or_default(), width.cast_signed());
            P::along(s, workspace, channels, h, h_bits, dst.row_mut(row));
        }
    }
}
