//! Launches of the kernels of images, and their parameters.

use super::super::super::device::{Binding, Device, Launch};
use super::super::super::ir::Kernel;
use super::super::super::template::Argument;
use super::super::super::template::image::{self, Copy, LAYOUT_PARAMS, PixelType, Walk};
use super::super::super::types::F32;
use super::super::ops::Done;
use super::super::plan::{Plan, counted};
use super::super::{Gpu, ViewMut};
use super::view::ImageView;
use crate::error::same_len;
use crate::image::Pixel;
use alloc::vec::Vec;

/// The threads of most blocks that have a part of a row.
const ROW_THREADS: u32 = 128;

/// A kernel of an op: what distinguishes it from the op's other ones, each a number below the second one; the elements of the result that a
/// thread computes together; and whether sources beside the first one have rows that begin at words.
pub(super) struct Form<'a> {
    pub(super) op: &'static str,
    pub(super) parts: &'a [(usize, usize)],
    pub(super) elements: usize,
    /// The rows that a thread computes together.
    pub(super) rows: usize,
    pub(super) aligned: bool,
    /// The threads of a block that has a part of a row.
    pub(super) threads: u32,
}

impl<'a> Form<'a> {
    /// A kernel whose threads compute elements of one row, and whose sources all have rows that begin at words.
    pub(super) fn new(op: &'static str, parts: &'a [(usize, usize)], elements: usize) -> Self {
        Self { op, parts, elements, rows: 1, aligned: true, threads: ROW_THREADS }
    }
}

/// The parameters of a launch: lengths, of which those that exceed 32 bits are never used, and numbers.
pub(super) fn pass_params<const N: usize>(lengths: [usize; N], numbers: &[u32]) -> Vec<u32> {
    let lengths = lengths.iter().map(|w| u32::try_from(*w).unwrap_or(u32::MAX));
    lengths.chain(numbers.iter().copied()).collect()
}

/// The arguments of a launch: as many buffers, and words.
pub(super) fn arguments(buffers: usize, words: &[u32]) -> Vec<Argument> {
    let words = words.iter().map(|w| Argument::Bits(u64::from(*w)));
    (0..buffers).map(Argument::Buffer).chain(words).collect()
}

/// The blocks that have `each` of `n`, or `most`: then they loop.
pub(super) fn blocks_of(n: usize, each: usize, most: u32) -> u32 {
    u32::try_from(n.div_ceil(each)).unwrap_or(most).min(most)
}

impl<D: Device> Gpu<D> {
    /// How a kernel walks over `dst`, and the blocks of a row if it walks over rows.
    pub(super) fn walk<A, R>(
        &self,
        form: &Form<'_>,
        src: ImageView<'_, A, D>,
        dst: ImageView<'_, R, D>,
    ) -> (Walk, Option<u32>) {
        let [most, ..] = self.state.planner.limits.grid;
        let blocks = u32::try_from(dst.place.row().div_ceil(form.elements * form.threads as usize));
        let blocks = blocks.ok().filter(|n| *n <= most && dst.begins_at_words());
        let walk = match blocks {
            Some(_) if form.aligned && src.begins_at_words() => Walk::Aligned,
            Some(_) => Walk::Rows,
            None => Walk::Words,
        };
        (walk, blocks)
    }

    /// Launches a kernel over the elements of `dst`. Its arguments are `src`, the buffers of `more`, `dst`, the layouts of both, and `words`.
    pub(super) fn dispatch<A, R>(
        &self,
        form: Form<'_>,
        make: impl FnOnce(Walk) -> Result<Kernel, super::super::super::Error>,
        src: (&'static str, ImageView<'_, A, D>),
        more: &[Binding<'_, D::Buffer>],
        dst: (&'static str, ImageView<'_, R, D>),
        words: &[u32],
    ) -> Done {
        let (to, place, planner) = (PixelType::of(size_of::<R>()), dst.1.place, &self.state.planner);
        let all = (dst.1.before() + dst.1.span()).div_ceil(to.per_word());
        let mut bound = Vec::from([src.1.binding(self, src.0)?]);
        bound.extend(more.iter().copied());
        bound.push(dst.1.binding(self, dst.0)?);
        // The stride of an image of one row may exceed 32 bits; no address depends on it.
        let layout: [usize; LAYOUT_PARAMS] = [
            all,
            dst.1.before(),
            dst.1.span(),
            place.stride,
            place.row(),
            place.channels,
            place.height,
            src.1.before(),
            src.1.place.stride,
            src.1.place.row(),
        ];
        let arguments = arguments(bound.len(), &pass_params(layout, words));
        let (walk, blocks) = self.walk(&form, src.1, dst.1);
        let [_, rows, _] = planner.limits.grid;
        let number = form.parts.iter().fold(walk as usize, |all, (part, of)| all * of + part) as u32;
        let launch = match blocks {
            None => planner.flat_by::<F32>(form.op, number, || Some(make(walk)), all, arguments)?,
            Some(blocks) => {
                let program = planner.one_by::<F32>(form.op, number, || Some(make(walk)))?;
                let rows = blocks_of(place.height, form.rows, rows);
                Launch { program, grid: [blocks, rows, 1], block: [form.threads, 1, 1], arguments }
            }
        };
        self.run_one(launch, &bound)
    }

    /// Copies pixels: that of row `y` and column `x` is read from element `start + y·down + x·right` of the source on.
    pub(super) fn copy_strided<P: Pixel>(
        &self,
        src: ImageView<'_, P, D>,
        dst: ImageView<'_, P, D>,
        steps: [isize; 3],
        copy: Copy,
    ) -> Done {
        let of = PixelType::of(size_of::<P>());
        let [pixels, rows] = copy.block(of);
        // Rows that are read backwards begin at words where they end at words.
        let ends_at_words = src.place.row().is_multiple_of(of.per_word());
        let (kind, channels, aligned) = match copy {
            Copy::Forwards => (0, 1, true),
            Copy::Backwards(channels) => (channels, channels, ends_at_words),
            Copy::Column { channels, leftwards } => {
                (4 * (1 + usize::from(leftwards)) + channels, channels, !leftwards || ends_at_words)
            }
        };
        let parts = &[(kind, 13), (of.per_word(), 5)];
        let form = Form { rows, aligned, ..Form::new("image_copy", parts, pixels * channels) };
        let make = |walk| image::copy_strided(walk, of, copy);
        self.dispatch(form, make, ("src", src), &[], ("dst", dst), &steps.map(|n| n as u32))
    }

    /// Counts the levels of each channel.
    pub(super) fn count_levels(&self, src: ImageView<'_, u8, D>, counts: ViewMut<'_, u32, D>) -> Done {
        /// The rows of a block (23 µs for 3840×2160×3 on an H200, 34 with 4 and 30 with 1), and the words of a row that a thread has.
        const EACH: [usize; 2] = [2, 16];
        let (channels, [width, height], planner) = (src.place.channels, src.sizes(), &self.state.planner);
        let levels = image::LEVELS as usize * channels;
        same_len("counts", levels, counts.len())?;
        if u32::try_from(width as u64 * height as u64).is_err() {
            return Err(crate::Error::overflow("src").into());
        }
        // Kernels add 12 to the number of an element.
        counted("src", src.span().saturating_add(16))?;
        let bound = [src.binding(self, "src")?, counts.binding(self)?];
        let [columns, most, _] = planner.limits.grid;
        let x = blocks_of(src.place.row() / 4 + 2, EACH[1] * image::LEVELS as usize, columns);
        let grid = [x, blocks_of(height, EACH[0], most), 1];
        let program =
            planner.one_by::<F32>("count_levels", channels as u32, || Some(image::count_levels(channels)))?;
        let words = pass_params([height, src.before(), src.place.stride, src.place.row()], &[]);
        let arguments = arguments(bound.len(), &words);
        let count = Launch { program, grid, block: [image::LEVELS, 1, 1], arguments };
        let launches = Vec::from([planner.filled(1, levels, [0, 0])?, count]);
        self.run(&Plan { launches, scratch: Vec::new() }, &bound)
    }
}
