//! Images read at places that a matrix or a map gives.

use super::super::super::device::{Binding, Device};
use super::super::super::template::image::{self, PixelType, Places};
use super::super::Gpu;
use super::super::ops::Done;
use super::launch::{Form, pass_params};
use super::view::ImageView;
use super::window::{axis, border_mode};
use crate::error::same_len;
use crate::image::warp::expect_sides;
use crate::image::{Affine, Border, Pixel, Sampler};
use alloc::vec::Vec;

impl<D: Device> Gpu<D> {
    /// An image read at the places of a matrix.
    pub(super) fn warped_by_matrix<P: Pixel>(
        &self,
        src: ImageView<'_, P, D>,
        matrix: Affine,
        how: (Sampler, Border<P>),
        dst: ImageView<'_, P, D>,
    ) -> Done {
        same_len("dst", src.place.channels, dst.place.channels)?;
        expect_sides(src.sizes(), dst.sizes())?;
        let steps = matrix.steps(how.0, P::FRACTION)?.0;
        let halves = |n: &i64| [*n as u32, (*n >> 32) as u32];
        let words = steps.as_flattened().iter().flat_map(halves).collect();
        self.warped(src, how, (Places::Matrix, &[], words), dst)
    }

    /// An image read at the places of a map.
    pub(super) fn warped_by_map<P: Pixel>(
        &self,
        src: ImageView<'_, P, D>,
        map: ImageView<'_, f32, D>,
        how: (Sampler, Border<P>),
        dst: ImageView<'_, P, D>,
    ) -> Done {
        map.place.expect("map", dst.sizes(), 2)?;
        same_len("dst", src.place.channels, dst.place.channels)?;
        expect_sides(src.sizes(), dst.sizes())?;
        let words = pass_params([map.before(), map.place.stride], &[]);
        self.warped(src, how, (Places::Map, &[map.binding(self, "map")?], words), dst)
    }

    fn warped<P: Pixel>(
        &self,
        src: ImageView<'_, P, D>,
        (by, border): (Sampler, Border<P>),
        (places, more, mut words): (Places, &[Binding<'_, D::Buffer>], Vec<u32>),
        dst: ImageView<'_, P, D>,
    ) -> Done {
        let (of, channels, (mode, value)) =
            (PixelType::of(size_of::<P>()), src.place.channels, border_mode(border));
        for n in src.sizes() {
            words.extend(pass_params(axis(&border, n, image::FIRST_PLACE as usize), &[]));
        }
        words.push(value);
        let four = by == Sampler::Bilinear;
        let parts = &[
            (channels, 5),
            (mode as usize, 4),
            (of.per_word(), 5),
            (usize::from(four), 2),
            (places as usize, 2),
        ];
        let elements = image::pixels_together(of, [channels; 2]) * channels;
        let form = Form { aligned: false, ..Form::new("image_warp", parts, elements) };
        let make = |walk| image::warp(walk, of, (places, mode), four.then_some(P::FRACTION), channels);
        self.dispatch(form, make, ("src", src), more, ("dst", dst), &words)
    }
}
