//! Frames of a camera as the tensors that networks take, in another size.

use super::colour::{colours, shades};
use super::parts::each_part;
use super::resize::{Job, LINES};
use super::{Image, ImageMut, ResizePlan, Yuv, resize_workspace};
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::lanes::planes::BLOCK;
use crate::view::Place;

/// What [`rgb_to_tensor`](crate::rgb_to_tensor()) and [`nv12_to_tensor`](crate::nv12_to_tensor()) make of the levels 0 to 255 of red, green and blue:
/// `scale·level + offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Normalization {
    /// The factors of red, green and blue.
    pub scale: [f32; 3],
    /// What is added to their products.
    pub offset: [f32; 3],
}

impl Normalization {
    /// 0 to 1.
    pub const UNIT: Self = Self { scale: [1.0 / 255.0; 3], offset: [0.0; 3] };

    /// `(level/255 - mean)/std`, the form in which networks state it: scales of `1/(255·std)` and offsets of `-mean/std`. A `std` of 0 makes them
    /// infinite or NaN.
    ///
    /// ```
    /// use fulmen::image::Normalization;
    /// let n = Normalization::of([0.5, 0.5, 0.5], [0.5, 0.25, 1.0]);
    /// assert_eq!(n.offset, [-1.0, -2.0, -0.5]);
    /// ```
    #[must_use]
    pub const fn of([a, b, c]: [f32; 3], [r, g, s]: [f32; 3]) -> Self {
        let scale = [1.0 / (255.0 * r), 1.0 / (255.0 * g), 1.0 / (255.0 * s)];
        Self { scale, offset: [-a / r, -b / g, -c / s] }
    }
}

ops! { $ tensor_ops in crate::image::tensor;
    /// The tensor of an image of red, green and blue, in another size: `dst[c][y][x] = scale[c]·v[y][x][c] + offset[c]`, where `v` is the image that
    /// [`resize`](crate::resize()) gives with `plan`. It is one pass over the source: no image is stored in between.
    ///
    /// Shapes: `src` has 3 channels and the sizes `from` of the plan's [`Resize`](crate::image::Resize); `dst` has 3 planes of the sizes `to`, one after the other.
    ///
    /// Rounding: that of [`resize`](crate::resize()) to bytes; then the product and the sum are rounded to `f32`, without fused operations, so that results have
    /// the same bits on every lane and on CUDA; WGSL may round a product and a sum once. NaN, infinities and ±0: those of `scale` and `offset`, by the rules of IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `src` when it has other sizes than the plan, [`Error::Len`] when it does not have 3 channels, and `dst` when it
    /// has another length; [`Error::Workspace`]. Nothing is written then. Scratch: [`rgb_to_tensor_workspace`], which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, Interpolation, Normalization, Resize, ResizePlan};
    /// use fulmen::{rgb_to_tensor, rgb_to_tensor_workspace};
    /// const HALF: Resize = Resize { from: [2, 1], to: [1, 1], by: Interpolation::Area, antialias: true };
    /// let (mut spans, mut weights) = ([[0; 2]; HALF.spans()], [0i16; HALF.weights::<i16>()]);
    /// let plan = ResizePlan::new(HALF, &mut spans, &mut weights)?;
    /// let (src, mut dst) = ([0u8, 10, 255, 100, 10, 255], [0.0; 3]);
    /// let mut workspace = [0; rgb_to_tensor_workspace(2, 1)];
    /// let n = Normalization { scale: [0.5, 1.0, 2.0], offset: [0.0, -10.0, 1.0] };
    /// rgb_to_tensor(plan, Image::new(&src, 2, 1, 3)?, n, &mut dst, &mut workspace)?;
    /// assert_eq!(dst, [25.0, 0.0, 511.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: that of [`resize`](crate::resize()). Contract: `contracts/rgb_to_tensor-v1.yaml`.
    #[doc(alias = "preprocess")]
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`rgb_to_tensor_workspace`](crate::rgb_to_tensor_workspace()), and a shorter one lets fewer run."
        rgb_to_tensor<>, rgb_to_tensor_on, rgb_to_tensor_by
        (plan: by ResizePlan<'_, i16>, src: image u8, normalization: by Normalization, dst: out f32, workspace: scratch i16) -> Result<()>;

    /// The tensor of a video frame in NV12, in another size: `dst[c][y][x] = scale[c]·v[y][x][c] + offset[c]`. Luma and chroma are resized each by
    /// its own plan, and `v` is the colour of a level `Y` of luma and a pair `U` and `V` of chroma by the formula of [`nv12_to_rgb`](crate::nv12_to_rgb()). So colours are converted in
    /// the size of the result, and half the numbers are resized that the image of red, green and blue would have. Where no colour is clipped, the result is that of
    /// [`nv12_to_rgb`](crate::nv12_to_rgb()) followed by [`rgb_to_tensor`](crate::rgb_to_tensor()) but for rounding to bytes.
    ///
    /// Shapes: `luma` has one channel and the sizes `from` of `luma_plan`; `chroma` has two channels, half of the columns and rows of `luma`, rounded up, and the
    /// sizes `from` of `chroma_plan` ([`Resize::chroma`](crate::image::Resize::chroma)); both plans have the same sizes `to`, those of the 3 planes of `dst`, one after the other. A pair of chroma is
    /// in the centre of its two by two pixels. Where the width or the height is odd, the last pairs reach beyond the frame, and chroma is displaced by less than a pixel of luma.
    ///
    /// Rounding: that of [`resize`](crate::resize()) to bytes and of [`nv12_to_rgb`](crate::nv12_to_rgb()); then the product and the sum are rounded to `f32`, without fused operations, so that results have
    /// the same bits on every lane and on CUDA; WGSL may round a product and a sum once. NaN, infinities and ±0: those of `scale` and `offset`, by the rules of IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `luma` or `chroma` when it has other sizes than its plan, `chroma` also when its sizes are not half of those of `luma`, and `chroma_plan` when its
    /// sizes `to` are not those of `luma_plan`; [`Error::Len`] names `luma` or `chroma` when it does not have so many channels, and `dst` when it has another
    /// length; [`Error::Workspace`]. Nothing is written then. Scratch: [`nv12_to_tensor_workspace`], which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, Interpolation, Normalization, Resize, ResizePlan, Yuv};
    /// use fulmen::{nv12_to_tensor, nv12_to_tensor_workspace};
    /// const LUMA: Resize = Resize { from: [4, 2], to: [2, 1], by: Interpolation::Area, antialias: true };
    /// const CHROMA: Resize = LUMA.chroma();
    /// let (mut spans, mut weights) = ([[0; 2]; LUMA.spans()], [0i16; LUMA.weights::<i16>()]);
    /// let (mut pairs, mut others) = ([[0; 2]; CHROMA.spans()], [0i16; CHROMA.weights::<i16>()]);
    /// let luma_plan = ResizePlan::new(LUMA, &mut spans, &mut weights)?;
    /// let chroma_plan = ResizePlan::new(CHROMA, &mut pairs, &mut others)?;
    /// let (luma, chroma, mut dst) = ([16u8, 16, 235, 235, 16, 16, 235, 235], [128u8; 4], [7.0; 6]);
    /// let (y, uv) = (Image::new(&luma, 4, 2, 1)?, Image::new(&chroma, 2, 1, 2)?);
    /// let mut workspace = [0; nv12_to_tensor_workspace(4, 2)];
    /// nv12_to_tensor(luma_plan, chroma_plan, y, uv, Yuv::Bt709, Normalization::UNIT, &mut dst, &mut workspace)?;
    /// assert_eq!(dst, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: those of [`resize`](crate::resize()) and [`nv12_to_rgb`](crate::nv12_to_rgb()). Contract: `contracts/nv12_to_tensor-v1.yaml`.
    #[doc(alias = "preprocess")]
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`nv12_to_tensor_workspace`](crate::nv12_to_tensor_workspace()), and a shorter one lets fewer run."
        nv12_to_tensor<>, nv12_to_tensor_on, nv12_to_tensor_by
        (luma_plan: by ResizePlan<'_, i16>, chroma_plan: by ResizePlan<'_, i16>, luma: image u8, chroma: image u8, coding: by Yuv, normalization: by Normalization, dst: out f32, workspace: scratch i16) -> Result<()>;
}

/// Elements of workspace that hold bytes of a group of rows, three for each of `to` columns.
const fn bytes_room(to: usize) -> usize {
    to.saturating_mul(3 * LINES).div_ceil(2)
}

/// Elements of workspace that [`rgb_to_tensor`](crate::rgb_to_tensor()) needs for a source of `width` columns and a result of `to` columns.
pub const fn rgb_to_tensor_workspace(width: usize, to: usize) -> usize {
    resize_workspace(width, 3).saturating_add(bytes_room(to))
}

/// Elements of workspace that [`nv12_to_tensor`](crate::nv12_to_tensor()) needs for a frame of `width` columns and a result of `to` columns.
pub const fn nv12_to_tensor_workspace(width: usize, to: usize) -> usize {
    let (luma, chroma) = (resize_workspace(width, 1), resize_workspace(width.div_ceil(2), 2));
    let most = if luma > chroma { luma } else { chroma };
    most.saturating_add(bytes_room(to))
}

/// Checks a plan and the sizes of a source, and that `dst` has three planes of the plan's result.
pub(crate) fn check_rgb(plan: ResizePlan<'_, i16>, src: Place, dst: usize) -> Result<(), Error> {
    let sizes = plan.resize();
    src.expect("src", sizes.from, 3)?;
    same_len("dst", tensor_len(sizes.to), dst)
}

/// As [`check_rgb`], for a frame in NV12.
pub(crate) fn check_nv12(
    [luma_plan, chroma_plan]: [ResizePlan<'_, i16>; 2],
    [of_luma, of_chroma]: [Place; 2],
    dst: usize,
) -> Result<(), Error> {
    let (luma, chroma) = (luma_plan.resize(), chroma_plan.resize());
    of_luma.expect("luma", luma.from, 1)?;
    of_chroma.expect("chroma", chroma.from, 2)?;
    of_chroma.expect("chroma", luma.from.map(|n| n.div_ceil(2)), 2)?;
    let shape = |[width, height]: [usize; 2]| [height, width];
    crate::error::same_shape("chroma_plan", shape(luma.to), shape(chroma.to))?;
    same_len("dst", tensor_len(luma.to), dst)
}

/// The elements of three planes.
fn tensor_len([width, height]: [usize; 2]) -> usize {
    width.saturating_mul(height).saturating_mul(3)
}

/// The three planes of a result.
fn planes(dst: &mut [f32], [width, height]: [usize; 2]) -> Result<[ImageMut<'_, f32>; 3], Error> {
    let (each, mut rest) = (width.saturating_mul(height), dst);
    let mut plane = || {
        let (first, others) = core::mem::take(&mut rest).split_at_mut_checked(each).unwrap_or_default();
        rest = others;
        ImageMut::new(first, width, height, 1)
    };
    Ok([plane()?, plane()?, plane()?])
}

/// Writes the normalised elements of the three planes of a row, a block from element `at` on. Elements past the end are left out.
#[inline(always)]
fn write(by: Normalization, from: &[[u8; BLOCK]; 3], out: &mut [&mut [f32]; 3], at: usize) {
    let each = out.iter_mut().zip(from).zip(by.scale.into_iter().zip(by.offset));
    for ((out, from), (scale, offset)) in each {
        let of = |level: u8| f32::from(level) * scale + offset;
        let out = out.get_mut(at..).unwrap_or_default();
        match out.first_chunk_mut::<BLOCK>() {
            Some(to) => to.iter_mut().zip(from).for_each(|(to, p)| *to = of(*p)),
            None => out.iter_mut().zip(from).for_each(|(to, p)| *to = of(*p)),
        }
    }
}

/// A block of these elements from `at` on; those that are missing are 0.
#[inline(always)]
fn block<T: Copy + Default>(x: &[T], at: usize) -> [T; BLOCK] {
    let x = x.get(at..).unwrap_or_default();
    if let Some(block) = x.first_chunk::<BLOCK>() {
        return *block;
    }
    let mut to = [T::default(); BLOCK];
    to.iter_mut().zip(x).for_each(|(to, x)| *to = *x);
    to
}

/// The three planes of a result, of rows of `cols` elements of work each: `resized` writes three bytes for each column of a group of rows to memory, and `of` makes
/// planes of a block of a row of them, from a column on. Workspace holds the bytes and what `resized` needs.
#[inline(always)]
fn tensor<J: Executor, S: Simd>(
    (j, s): (J, S),
    (cols, need): (usize, usize),
    by: Normalization,
    planes: [ImageMut<'_, f32>; 3],
    workspace: &mut [i16],
    resized: impl Fn([usize; 2], &mut [u8], &mut [i16]) + Sync,
    of: impl Fn(usize, &[u8], usize) -> [[u8; BLOCK]; 3] + Sync,
) -> Result<(), Error> {
    enough(need, workspace.len())?;
    let [first_plane, ..] = &planes;
    let room = bytes_room(first_plane.width());
    each_part(
        j,
        s,
        (cols, need),
        0,
        planes,
        workspace,
        #[inline(always)]
        |y: usize, mut planes: [ImageMut<'_, f32>; 3], workspace: &mut [i16]| {
            let (bytes, middle) = workspace.split_at_mut(room.min(workspace.len()));
            let bytes = bytemuck::must_cast_slice_mut(bytes);
            let [first_plane, ..] = &planes;
            let (width, height) = (first_plane.width(), first_plane.height());
            for first in (0..height).step_by(LINES) {
                let rows = LINES.min(height - first);
                resized([y + first, rows], bytes, middle);
                for row in 0..rows {
                    let [a, b, c] = &mut planes;
                    let mut out = [a.row_mut(first + row), b.row_mut(first + row), c.row_mut(first + row)];
                    for at in (0..width).step_by(BLOCK) {
                        write(by, &of(row, bytes, at), &mut out, at);
                    }
                }
            }
        },
    );
    Ok(())
}

/// A group of rows of bytes, resized from row `y` on.
#[inline(always)]
fn resized<S: Simd, const C: usize>(
    s: S,
    job: Job<'_, u8>,
    [y, rows]: [usize; 2],
    bytes: &mut [u8],
    middle: &mut [i16],
) {
    let [width, _] = job.plan.resize().to;
    let bytes = bytes.get_mut(..rows * width * C).unwrap_or_default();
    if let Ok(to) = ImageMut::new(bytes, width, rows, C) {
        job.rows::<S, C>(s, y, to, middle);
    }
}

pub(crate) fn rgb_to_tensor_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    plan: ResizePlan<'_, i16>,
    src: Image<'_, u8>,
    normalization: Normalization,
    dst: &mut [f32],
    workspace: &mut [i16],
) -> Result<(), Error> {
    check_rgb(plan, src.place(), dst.len())?;
    let to = plan.resize().to;
    let need = rgb_to_tensor_workspace(src.width(), to[0]);
    let job = Job { plan, src };
    tensor(
        (j, s),
        (src.row_len().max(3 * to[0]), need),
        normalization,
        planes(dst, to)?,
        workspace,
        #[inline(always)]
        |rows, bytes: &mut [u8], middle: &mut [i16]| resized::<S, 3>(s, job, rows, bytes, middle),
        #[inline(always)]
        |row, bytes: &[u8], at| {
            let line = bytes.get(3 * row * to[0]..3 * (row + 1) * to[0]).unwrap_or_default();
            s.planes(&block(line.as_chunks::<3>().0, at))
        },
    )
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn nv12_to_tensor_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    luma_plan: ResizePlan<'_, i16>,
    chroma_plan: ResizePlan<'_, i16>,
    luma: Image<'_, u8>,
    chroma: Image<'_, u8>,
    coding: Yuv,
    normalization: Normalization,
    dst: &mut [f32],
    workspace: &mut [i16],
) -> Result<(), Error> {
    check_nv12([luma_plan, chroma_plan], [luma.place(), chroma.place()], dst.len())?;
    let to = luma_plan.resize().to;
    let need = nv12_to_tensor_workspace(luma.width(), to[0]);
    let jobs = (Job { plan: luma_plan, src: luma }, Job { plan: chroma_plan, src: chroma });
    let (black, factors) = coding.factors();
    tensor(
        (j, s),
        (luma.width().max(3 * to[0]), need),
        normalization,
        planes(dst, to)?,
        workspace,
        #[inline(always)]
        |rows, bytes: &mut [u8], middle: &mut [i16]| {
            let (levels, pairs) = bytes.split_at_mut((LINES * to[0]).min(bytes.len()));
            resized::<S, 1>(s, jobs.0, rows, levels, middle);
            resized::<S, 2>(s, jobs.1, rows, pairs, middle);
        },
        #[inline(always)]
        |row, bytes: &[u8], at| {
            let (levels, pairs) = bytes.split_at((LINES * to[0]).min(bytes.len()));
            let levels = levels.get(row * to[0]..(row + 1) * to[0]).unwrap_or_default();
            let pairs = pairs.get(2 * row * to[0]..2 * (row + 1) * to[0]).unwrap_or_default();
            let (mut us, mut vs) = ([0; BLOCK], [0; BLOCK]);
            let pairs = block(pairs.as_chunks::<2>().0, at);
            for ((u, v), pair) in us.iter_mut().zip(&mut vs).zip(&pairs) {
                [*u, *v] = *pair;
            }
            colours(black, factors, &block(levels, at), &shades(factors, &us, &vs))
        },
    )
}
