//! Resizes images.

pub(crate) mod passes;
mod plan;

pub use passes::Resample;
pub use plan::{Interpolation, Resize, ResizePlan, Weight};

use super::parts::each_part;
use super::{Image, ImageMut};
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
pub(super) use passes::LINES;
use passes::STRIP;

ops! { $ resize_ops in crate::image::resize;
    /// `dst[y][x][c] = Σₖ Σⱼ v[y][k]·w[x][j]·src[k][j][c]`, where the weights `w` of columns and `v` of rows are those of the plan: the kernel
    /// of [`Interpolation`] around the centre of the result, `(x + 1/2)·n/m` for `n` columns of the source and `m` of the result,
    /// divided by the sum of all.
    ///
    /// Shapes: `src` has the sizes `from` of the plan's [`Resize`], `dst` has `to`, and both have as many channels, each of which is
    /// resized by itself. Alpha is a channel like the others: premultiply the colours by it, so that those of transparent pixels
    /// do not show.
    ///
    /// Rounding: rows are summed first. On `u8` nothing is clipped between the two sums, where a number has six bits behind the point
    /// in an `i16`; the result is rounded once, half up, and clipped once. It is within 1 of the exact sum rounded half up where the
    /// rows and columns become at most ten times fewer; 72 further weights in a direction add 1 at most. Pillow
    /// and `fast_image_resize` round and clip to bytes between their sums, the former columns first, the latter rows first,
    /// and differ on noise by up to about 40. On `f32` each weight, product and sum is rounded, in order, without fused
    /// operations, so results have the same bits on every lane.
    ///
    /// NaN, infinities and ±0 (`f32`): a pixel within a kernel's width counts even where the kernel is 0, so that a NaN
    /// there, or an infinity, gives NaN. Nearest neighbours are copied bit by bit.
    ///
    /// Errors: [`Error::Shape`] names `src` or `dst` when it has other sizes than the plan, [`Error::Len`] `dst` when it has other
    /// channels than `src`, [`Error::Workspace`]. Nothing is written then. Scratch: [`resize_workspace`], which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, Interpolation, Resize, ResizePlan};
    /// use fulmen::{resize, resize_workspace};
    /// let third = Resize { from: [9, 1], to: [3, 1], by: Interpolation::Bilinear, antialias: true };
    /// let (mut spans, mut weights) = ([[0; 2]; 4], [0i16; 32]);
    /// let plan = ResizePlan::new(third, &mut spans, &mut weights[..third.weights::<i16>()])?;
    /// let (src, mut dst) = ([0u8, 0, 0, 240, 0, 0, 0, 0, 0], [0u8; 3]);
    /// let mut workspace = [0; resize_workspace(9, 1)];
    /// resize(plan, Image::new(&src, 9, 1, 1)?, ImageMut::new(&mut dst, 3, 1, 1)?, &mut workspace)?;
    /// assert_eq!(dst, [30, 53, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: R. G. Keys, "Cubic convolution interpolation for digital image processing", 1981 (the cubics); C. E. Duchon, "Lanczos
    /// filtering in one and two dimensions", 1979. Contract: `contracts/resize-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`resize_workspace`](crate::resize_workspace()), and a shorter one lets fewer run."
        resize<P: crate::image::Resample>, resize_on, resize_by
        (plan: by ResizePlan<'_, P::Weight>, src: image P, dst: image_out P, workspace: scratch P::Middle) -> Result<()>;
}

/// Elements of workspace that [`resize`](crate::resize()) needs for a source of so many columns and channels.
pub const fn resize_workspace(width: usize, channels: usize) -> usize {
    passes::room(width, channels)
}

pub(crate) fn resize_by<J: Executor, S: Simd, P: Resample>(
    j: J,
    s: S,
    plan: ResizePlan<'_, P::Weight>,
    src: Image<'_, P>,
    dst: ImageMut<'_, P>,
    workspace: &mut [P::Middle],
) -> Result<(), Error> {
    let sizes = plan.resize();
    src.expect("src", sizes.from, src.channels())?;
    dst.expect("dst", sizes.to, src.channels())?;
    enough(resize_workspace(src.width(), src.channels()), workspace.len())?;
    let job = Job { plan, src };
    let size = (src.row_len(), resize_workspace(src.width(), src.channels()));
    each_part(
        j,
        s,
        size,
        0,
        dst,
        workspace,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, P>, workspace: &mut [P::Middle]| match job.src.channels() {
            1 => job.rows::<S, 1>(s, y, dst, workspace),
            2 => job.rows::<S, 2>(s, y, dst, workspace),
            3 => job.rows::<S, 3>(s, y, dst, workspace),
            _ => job.rows::<S, 4>(s, y, dst, workspace),
        },
    );
    Ok(())
}

/// What all rows of a result are made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a, P: Resample> {
    pub(super) plan: ResizePlan<'a, P::Weight>,
    pub(super) src: Image<'a, P>,
}

impl<P: Resample> Job<'_, P> {
    /// Rows of the result, from row `y` on.
    #[inline(always)]
    pub(super) fn rows<S: Simd, const C: usize>(
        self,
        s: S,
        y: usize,
        mut dst: ImageMut<'_, P>,
        workspace: &mut [P::Middle],
    ) {
        let [columns, lines] = self.plan.lines();
        let (n, strip) = (self.src.row_len(), STRIP / size_of::<P>());
        let middle = workspace.get_mut(..resize_workspace(self.src.width(), C)).unwrap_or_default();
        let weights = lines.weights.get(y.saturating_mul(lines.room)..).unwrap_or_default();
        let spans = lines.spans.get(y..).unwrap_or_default();
        let mut spans = spans.iter().zip(weights.chunks_exact(lines.room.max(1)));
        for first in (0..dst.height()).step_by(LINES) {
            let mut out = dst.rows_mut::<LINES>(first);
            let group = spans.clone().take(LINES);
            spans.by_ref().take(LINES).for_each(drop);
            if self.plan.resize().by.picks() {
                for (out, ([from, _], _)) in out.iter_mut().zip(group) {
                    let pixels = self.src.line(*from as usize).as_chunks::<C>().0;
                    for (to, [at, _]) in out.as_chunks_mut::<C>().0.iter_mut().zip(columns.spans) {
                        if let Some(pixel) = pixels.get(*at as usize) {
                            *to = *pixel;
                        }
                    }
                }
                continue;
            }
            // A strip at a time, so that what the rows of a group have in common stays in the first cache.
            let mut x = 0;
            while x < n {
                let end = if n - x < 2 * strip { n } else { x + strip };
                for (l, ([from, count], weights)) in group.clone().enumerate() {
                    let from = *from as usize;
                    P::strip::<S, C>(
                        s,
                        #[inline(always)]
                        |k| self.src.line(from + k).get(x..end).unwrap_or_default(),
                        (weights.get(..*count as usize).unwrap_or_default(), lines.bits),
                        middle,
                        (self.src.width(), l),
                        x..end,
                    );
                }
                x = end;
            }
            let weights = (columns.weights, columns.room, columns.bits);
            P::columns::<S, C>(s, middle, self.src.width(), columns.spans, weights, out);
        }
    }
}
