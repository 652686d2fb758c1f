//! Frames as normalised tensors in another size.

use super::super::super::device::{Device, Launch};
use super::super::super::template::image::{self, TENSOR_THREADS, TENSOR_WORDS};
use super::super::super::types::F32;
use super::super::ops::Done;
use super::super::plan::counted;
use super::super::{Gpu, ViewMut};
use super::launch::{arguments, blocks_of, pass_params};
use super::view::ImageView;
use super::window::weight_words;
use crate::image::{Normalization, Resample, ResizePlan, Yuv};
use alloc::vec::Vec;

/// The most groups of four columns of the source that this many columns of the result are made of.
fn groups(plan: ResizePlan<'_, i16>, columns: usize) -> usize {
    let [along, _] = plan.lines();
    let of = |spans: &[[u32; 2]]| match spans {
        [[first, _], ..] => {
            spans.iter().fold(0, |n, [from, count]| n.max((from + count).div_ceil(4) - first / 4))
        }
        [] => 0,
    };
    along.spans.chunks(columns).map(of).max().unwrap_or_default() as usize
}

impl<D: Device> Gpu<D> {
    /// Resizes the sources of a frame, each by its plan, and writes its normalised planes.
    pub(super) fn tensor<const N: usize>(
        &self,
        sources: [(&'static str, ImageView<'_, u8, D>, ResizePlan<'_, i16>); N],
        coding: Option<Yuv>,
        normalization: Normalization,
        dst: ViewMut<'_, f32, D>,
    ) -> Done {
        let planner = &self.state.planner;
        counted("dst", dst.len().saturating_add(TENSOR_THREADS as usize))?;
        let (mut table, mut bound, mut words, mut aligned) = (Vec::new(), Vec::new(), Vec::new(), true);
        let mut size = [0; 2];
        // A block has as many pixels as it has threads, or so many fewer that each of its threads has at most one group of a source.
        let (mut columns, mut rows) = (64, 2);
        let most = |columns, rows| {
            sources.iter().map(|(.., plan)| rows * groups(*plan, columns)).max().unwrap_or_default()
        };
        while columns > 8 && most(columns, rows) > TENSOR_THREADS as usize {
            (columns, rows) = if rows > 1 { (columns, 1) } else { (columns / 2, 1) };
        }
        for (arg, src, plan) in sources {
            bound.push(src.binding(self, arg)?);
            aligned &= src.begins_at_words();
            size = plan.resize().to;
            let lines = plan.lines();
            let (_, shifts) = u8::on_device(0, lines.each_ref().map(|line| line.bits));
            words.extend(pass_params([src.before(), src.place.stride, src.place.row()], &[]));
            for (line, shift) in lines.iter().zip(shifts) {
                let weights = table.len() + 2 * line.spans.len();
                words.extend(pass_params([table.len(), weights, line.room, shift as usize], &[]));
                table.extend(line.spans.as_flattened());
                table.extend(weight_words(line.weights));
            }
            // As many of the groups as shared memory holds at a time.
            let most = groups(plan, columns);
            let held = most.min(TENSOR_WORDS / (4 * rows * src.place.channels)).max(1);
            words.extend(pass_params([most.div_ceil(held), held], &[]));
        }
        counted("plan", table.len())?;
        if let Some(coding) = coding {
            let (black, factors) = coding.factors();
            words.extend([black].iter().chain(&factors).map(|n| n.cast_unsigned()));
        }
        words.extend([normalization.scale, normalization.offset].as_flattened().iter().map(|x| x.to_bits()));
        let table = self.upload(&table)?;
        bound.push(table.view().binding(self)?);
        bound.push(dst.binding(self)?);
        let nv12 = coding.is_some();
        let number = 2 * u32::from(nv12) + u32::from(aligned);
        let make = || Some(image::tensor(nv12, aligned));
        let program = planner.one_by::<F32>("image_tensor", number, make)?;
        let ([most_x, most_y, _], [width, height]) = (planner.limits.grid, size);
        let grid = [blocks_of(width, columns, most_x), blocks_of(height, rows, most_y), 1];
        let mut all = pass_params([width, height, columns.ilog2() as usize, rows], &[]);
        all.extend(words);
        let arguments = arguments(bound.len(), &all);
        self.run_one(Launch { program, grid, block: [TENSOR_THREADS, 1, 1], arguments }, &bound)
    }
}
