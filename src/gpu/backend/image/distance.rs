//! Distances to the nearest pixel that is 0.

use super::super::super::device::Device;
use super::super::super::template::image;
use super::super::super::types::F32;
use super::super::Gpu;
use super::super::ops::Done;
use super::launch::{Form, arguments, pass_params};
use super::view::ImageView;
use crate::image::distance::expect_distances;

/// The most parts of a column, each of which has a thread: one reads at most a whole column beyond its part.
const PARTS: usize = 16;

/// The fewest rows of a part.
const LEAST: usize = 16;

impl<D: Device> Gpu<D> {
    /// Writes to `dst` the distance of each pixel to the nearest one that is 0.
    pub(super) fn distances(&self, src: ImageView<'_, u8, D>, dst: ImageView<'_, f32, D>) -> Done {
        let [width, height] = src.sizes();
        expect_distances([width, height], src.place.channels)?;
        dst.place.expect("dst", [width, height], 1)?;
        let planner = &self.state.planner;
        let (along, far) = (self.alloc::<u32>(width * height)?, self.alloc::<u32>(height)?);
        let [x, out] = [src.binding(self, "src")?, dst.binding(self, "dst")?];
        let [along, far] = [along.view().binding(self)?, far.view().binding(self)?];
        let rows = height.div_ceil(PARTS).max(LEAST);
        let words = pass_params([width, height, src.before(), src.place.stride, rows], &[]);
        let make = || Some(image::distances_along_columns());
        let threads = width * height.div_ceil(rows);
        let launch =
            planner.flat_by::<F32>("distances_along_columns", 0, make, threads, arguments(3, &words))?;
        self.run_one(launch, &[x, along, far])?;
        let form = Form::new("near_distances", &[], 1);
        self.dispatch(form, image::near_distances, ("src", src), &[along, far], ("dst", dst), &[])?;
        let words = pass_params([width, height, dst.before(), dst.place.stride], &[]);
        let make = || Some(image::far_distances());
        let launch = planner.flat_by::<F32>("far_distances", 0, make, height, arguments(3, &words))?;
        self.run_one(launch, &[along, far, out])
    }
}
