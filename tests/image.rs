//! Images: against formulas over all pixels at once, in f64 or in whole numbers, on every lane and on threads.

use common::lanes::*;
use common::nn::Noise;
use common::seed::Seed;
use common::yaml::{contract, schema::EdgeCase};
use fulmen::image::*;
use fulmen::*;

#[path = "image/coloured.rs"]
mod coloured;
#[path = "image/distances.rs"]
mod distances;
#[path = "image/filtered.rs"]
mod filtered;
#[path = "image/levels.rs"]
mod levels;
#[path = "image/resized.rs"]
mod resized;
#[path = "image/tensors.rs"]
mod tensors;
#[path = "image/views.rs"]
mod views;
#[path = "image/warped.rs"]
mod warped;
#[path = "image/windows.rs"]
mod windows;

/// An element type and its numbers.
trait Element: Pixel + PartialEq + std::fmt::Debug {
    const NAME: &'static str;
    fn of(x: f64) -> Self;
    fn get(self) -> f64;
    /// Drawn: bytes of all values, some at the ends.
    fn draw(r: &mut Noise) -> Self;
}
impl Element for u8 {
    const NAME: &'static str = "u8";
    fn of(x: f64) -> u8 {
        x as u8
    }
    fn get(self) -> f64 {
        self.into()
    }
    fn draw(r: &mut Noise) -> u8 {
        if r.one_in(4) { [0, 255][r.within(0..=1)] } else { r.within(0..=255) as u8 }
    }
}
impl Element for u16 {
    const NAME: &'static str = "u16";
    fn of(x: f64) -> u16 {
        x as u16
    }
    fn get(self) -> f64 {
        self.into()
    }
    fn draw(r: &mut Noise) -> u16 {
        if r.one_in(4) { [0, 65535][r.within(0..=1)] } else { r.within(0..=65535) as u16 }
    }
}
impl Element for f32 {
    const NAME: &'static str = "f32";
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn get(self) -> f64 {
        self.into()
    }
    fn draw(r: &mut Noise) -> f32 {
        r.within(0..=2_000_000) as f32 / 1e6 - 1.0
    }
}

/// An image with its place in memory: a region of one that is larger, of rows that are apart.
#[derive(Debug, Clone)]
struct Owned<T> {
    data: Vec<T>,
    size: [usize; 2],
    channels: usize,
    stride: usize,
    skip: [usize; 2],
}

impl<T: Element> Owned<T> {
    /// Pixels of `of`, others between and around them.
    fn new(
        r: &mut Noise,
        [width, height]: [usize; 2],
        channels: usize,
        mut of: impl FnMut(&mut Noise) -> T,
    ) -> Self {
        let skip = [r.within(0..=3), r.within(0..=2)];
        let all = [width + skip[0] + r.within(0..=2), height + skip[1] + r.within(0..=1)];
        let stride = all[0] * channels + r.within(0..=5);
        let data = (0..stride * all[1]).map(|_| of(r)).collect();
        Self { data, size: [width, height], channels, stride, skip }
    }
    fn drawn(r: &mut Noise, size: [usize; 2], channels: usize) -> Self {
        Self::new(r, size, channels, T::draw)
    }
    fn blank(r: &mut Noise, size: [usize; 2], channels: usize) -> Self {
        Self::new(r, size, channels, |_| T::of(77.0))
    }
    fn view(&self) -> Image<'_, T> {
        let ([w, h], [x, y]) = (self.size, self.skip);
        let all = Image::strided(&self.data, w + x, h + y, self.channels, self.stride).unwrap();
        all.region(x, y, w, h).unwrap()
    }
    fn view_mut(&mut self) -> ImageMut<'_, T> {
        let ([w, h], [x, y]) = (self.size, self.skip);
        let all = ImageMut::strided(&mut self.data, w + x, h + y, self.channels, self.stride).unwrap();
        all.region(x, y, w, h).unwrap()
    }
    /// The elements, row after row.
    fn elements(&self) -> Vec<T> {
        let view = self.view();
        (0..self.size[1]).flat_map(|y| view.row(y).to_vec()).collect()
    }
    /// Whether everything beside the pixels is as [`Owned::blank`] left it.
    fn untouched(&self) -> bool {
        let ([w, h], [x, y], c) = (self.size, self.skip, self.channels);
        self.data.iter().enumerate().all(|(i, v)| {
            let (row, at) = (i / self.stride, i % self.stride);
            let inside = (y..y + h).contains(&row) && (x * c..(x + w) * c).contains(&at);
            inside || *v == T::of(77.0)
        })
    }
}

/// What `op` makes of an image of the sizes of a case, which may say others; it is not written where the op fails.
fn into<T: Element>(
    e: &EdgeCase,
    [w, h]: [usize; 2],
    channels: usize,
    op: impl FnOnce(ImageMut<'_, T>) -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    let of = |name, or| number(e, name).unwrap_or(or);
    let (w, h, channels) = (of("dst_width", w), of("dst_height", h), of("dst_channels", channels));
    let mut out = vec![T::of(7.0); w * h * channels];
    let done = op(ImageMut::new(&mut out, w, h, channels)?);
    assert!(done.is_ok() || out.iter().all(|x| *x == T::of(7.0)));
    done.map(|()| out.iter().map(|x| x.get()).collect())
}
fn into_bytes(
    e: &EdgeCase,
    size: [usize; 2],
    channels: usize,
    op: impl FnOnce(ImageMut<'_, u8>) -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    into(e, size, channels, op)
}

fn word<'a>(e: &'a EdgeCase, name: &str) -> Option<&'a str> {
    e.options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('='))
}
fn number(e: &EdgeCase, name: &str) -> Option<usize> {
    word(e, name).map(|v| v.parse().unwrap())
}

/// The image of a case: `channels` and the shape are those of the case.
fn input<T: Element>(e: &EdgeCase, i: usize) -> (Vec<T>, [usize; 2], usize) {
    let data: Vec<T> = e.inputs[i].iter().map(|x| T::of(x.value(T::NAME))).collect();
    let channels = number(e, "channels").unwrap_or(1);
    let [rows, cols] = e.shapes.as_ref().unwrap()[i];
    (data, [cols / channels.max(1), rows], channels)
}

/// All ops on images, and how many cases each has at least.
const OPS: [(&str, usize); 25] = [
    ("resize", 20),
    ("correlate_separable", 15),
    ("sobel", 12),
    ("canny", 14),
    ("gaussian", 15),
    ("box_filter", 16),
    ("median", 17),
    ("erode", 16),
    ("dilate", 16),
    ("histogram", 7),
    ("otsu", 10),
    ("threshold_image", 10),
    ("equalize", 10),
    ("integral", 7),
    ("grey", 9),
    ("rgb_to_bgr", 7),
    ("rgb_to_hsv", 11),
    ("nv12_to_rgb", 10),
    ("rgb_to_tensor", 8),
    ("nv12_to_tensor", 11),
    ("flip", 8),
    ("rotate90", 7),
    ("warp_affine", 19),
    ("remap", 13),
    ("distance_transform", 15),
];

#[test]
fn edge_cases() {
    for (op, least) in OPS {
        let c = contract(op);
        assert!(c.edge_cases.len() >= least, "{op}");
        for e in &c.edge_cases {
            for ty in &c.types {
                if e.types.as_ref().is_some_and(|all| !all.contains(ty)) {
                    continue;
                }
                for_each_lane!(|s| {
                    let got = match (op, ty.as_str()) {
                        ("canny", _) => filtered::canny_case(s, e),
                        ("correlate_separable" | "sobel", "u8") => filtered::case::<u8, _>(s, op, e),
                        ("correlate_separable" | "sobel", _) => filtered::case::<f32, _>(s, op, e),
                        ("median" | "box_filter" | "erode" | "dilate", _) => windows::case(s, op, e),
                        ("gaussian", "u8") => windows::blur_case::<u8, _>(s, e),
                        ("gaussian", _) => windows::blur_case::<f32, _>(s, e),
                        ("histogram" | "otsu" | "threshold_image" | "equalize" | "integral", _) => {
                            levels::case(s, op, e)
                        }
                        ("distance_transform", _) => distances::case(s, e),
                        ("rgb_to_tensor" | "nv12_to_tensor", _) => tensors::case(s, op, e),
                        ("warp_affine" | "remap", "u8") => warped::case::<u8, _>(s, op, e),
                        ("warp_affine" | "remap", _) => warped::case::<f32, _>(s, op, e),
                        ("resize", "u8") => resized::case::<u8, _>(s, e),
                        ("resize", _) => resized::case::<f32, _>(s, e),
                        ("flip" | "rotate90" | "rgb_to_bgr", "f32") => {
                            coloured::moved_case::<f32, _>(s, op, e)
                        }
                        ("flip" | "rotate90" | "rgb_to_bgr", _) => coloured::moved_case::<u8, _>(s, op, e),
                        _ => coloured::case(s, op, e),
                    };
                    match &e.error {
                        Some(error) => assert!(format!("{:?}", got.unwrap_err()).starts_with(error.as_str())),
                        None => {
                            let want: Vec<f64> =
                                e.out.as_ref().unwrap().iter().map(|x| x.value(ty)).collect();
                            let got = got.unwrap();
                            let same = |(a, b): (&f64, &f64)| {
                                a.to_bits() == b.to_bits() || a == b && *a != 0.0 || a.is_nan() && b.is_nan()
                            };
                            assert!(
                                got.len() == want.len() && got.iter().zip(&want).all(same),
                                "{op} {} {ty}: {got:?}",
                                e.name
                            );
                        }
                    }
                });
            }
        }
    }
}

#[test]
fn refusals() {
    resized::refusals();
    filtered::refusals();
    windows::refusals();
    levels::refusals();
    warped::refusals();
    distances::refusals();
}

#[test]
fn resize_is_the_kernel() {
    resized::drawn(&mut Noise(5), 1);
}

#[test]
fn filters_are_the_sum() {
    filtered::filters(&mut Noise(6));
}

#[test]
fn slopes_are_those_of_nine_pixels() {
    filtered::gradients(&mut Noise(7));
}

#[test]
fn edges_are_the_definition() {
    filtered::outlines(&mut Noise(8));
    filtered::winding();
}

#[test]
fn bells_are_one_in_all() {
    filtered::bells();
}

#[test]
fn medians_are_the_middle() {
    windows::medians(&mut Noise(9));
}

#[test]
fn means_are_exact() {
    windows::means(&mut Noise(10));
}

#[test]
fn blurs_are_the_sum() {
    windows::blurs(&mut Noise(11));
}

#[test]
fn extremes_are_those_of_rectangles() {
    windows::extremes(&mut Noise(12));
    windows::idempotent(&mut Noise(13));
}

#[test]
fn counts_are_those_of_a_loop() {
    levels::counts(&mut Noise(14));
}

#[test]
fn levels_tell_apart() {
    levels::counts(&mut Noise(15));
}

#[test]
fn thresholds_are_the_definition() {
    levels::thresholds(&mut Noise(16));
}

#[test]
fn levels_are_spread() {
    levels::spreads(&mut Noise(17));
}

#[test]
fn totals_are_those_of_rectangles() {
    levels::totals(&mut Noise(18));
}

#[test]
fn greys_are_the_formula() {
    coloured::greys(&mut Noise(19));
}

#[test]
fn channels_change_places() {
    coloured::moved(&mut Noise(20), "rgb_to_bgr");
}

#[test]
fn hues_are_the_formula() {
    coloured::hues(&mut Noise(21));
}

#[test]
fn frames_are_the_formula() {
    coloured::frames(&mut Noise(22));
}

#[test]
fn turns_are_the_definition() {
    coloured::moved(&mut Noise(23), "flip");
    coloured::moved(&mut Noise(24), "rotate90");
}

#[test]
fn warps_are_the_formula() {
    warped::matrices(&mut Noise(25));
}

#[test]
fn maps_are_the_formula() {
    warped::maps(&mut Noise(26));
}

#[test]
fn distances_are_the_nearest() {
    distances::nearest(&mut Noise(27));
}

/// The same, of sizes that a seed draws.
#[test]
fn drawn_images() {
    let seed = Seed::new("drawn_images");
    resized::drawn(&mut seed.stream("resize"), 3);
    filtered::filters(&mut seed.stream("filters"));
    filtered::gradients(&mut seed.stream("slopes"));
    filtered::outlines(&mut seed.stream("edges"));
    windows::medians(&mut seed.stream("medians"));
    windows::means(&mut seed.stream("means"));
    windows::blurs(&mut seed.stream("blurs"));
    windows::extremes(&mut seed.stream("extremes"));
    levels::counts(&mut seed.stream("counts"));
    levels::thresholds(&mut seed.stream("thresholds"));
    levels::spreads(&mut seed.stream("spread"));
    levels::totals(&mut seed.stream("totals"));
    coloured::greys(&mut seed.stream("greys"));
    coloured::hues(&mut seed.stream("hues"));
    coloured::frames(&mut seed.stream("frames"));
    tensors::chains(&mut seed.stream("tensors"));
    warped::matrices(&mut seed.stream("matrices"));
    warped::maps(&mut seed.stream("maps"));
    distances::nearest(&mut seed.stream("distances"));
    for op in ["rgb_to_bgr", "flip", "rotate90"] {
        coloured::moved(&mut seed.stream(op), op);
    }
}

#[test]
fn tensors_are_the_chain() {
    tensors::chains(&mut Noise(25));
    tensors::near_colours(&mut Noise(26));
}
