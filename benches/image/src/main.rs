//! Ops on images of bytes, contenders interleaved on one thread: fulmen, fast_image_resize, imageproc and image, and a copy of as many bytes.
//! Work is the pixels that are read.

use fast_image_resize as fir;
use fulmen::image::*;
use fulmen_harness::race::{Case, Contender, Race};
use image::{GrayImage, RgbImage};

const W: usize = 1920;
const H: usize = 1080;

/// A picture: slow changes, edges and some noise.
fn picture(w: usize, h: usize, channels: usize) -> Vec<u8> {
    let mut s = 1u64;
    let mut next = || {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (s >> 60) as usize
    };
    let of = |i: usize, noise: usize| {
        let (x, y) = (i / channels % w, i / channels / w);
        let side = if (x / 97 + y / 61) % 2 == 0 { 40 } else { 0 };
        ((x * 100 / w + y * 90 / h + side + i % channels * 7 + noise) % 256) as u8
    };
    (0..w * h * channels).map(|i| of(i, next())).collect()
}

struct Bench {
    race: Race,
    only: Vec<String>,
}

impl Bench {
    fn wanted(&self, op: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == op)
    }
    fn case(
        &mut self,
        op: &str,
        ty: &str,
        size: &str,
        pixels: usize,
        mut list: Vec<Contender<'_>>,
        bytes: usize,
    ) {
        let (from, mut to) = (vec![1u8; bytes], vec![0u8; bytes]);
        list.push(Contender::roof(None, move || {
            to.copy_from_slice(std::hint::black_box(&from));
            std::hint::black_box(&mut to);
        }));
        let case = Case { op, ty, size: size.into(), work: pixels as f64 * 1e3, unit: "Mpx/s" };
        self.race.case(&case, list);
    }
}

/// Sizes before and after.
const SIZES: [([usize; 2], [usize; 2]); 3] =
    [([3840, 2160], [1366, 768]), ([3840, 2160], [1280, 720]), ([1920, 1080], [3840, 2160])];

/// Resizes beside those of fast_image_resize, of pixels of so many channels.
fn resizes<P: Resample>(bench: &mut Bench, ty: &str, kinds: &[(usize, fir::PixelType)], of: fn(u8) -> P)
where
    P: bytemuck::Pod,
    P::Weight: Default + Clone,
    P::Middle: Default + Clone,
{
    if !bench.wanted("resize") {
        return;
    }
    for (from, to) in SIZES {
        for (name, by, filter) in [
            ("bilinear", Interpolation::Bilinear, fir::FilterType::Bilinear),
            ("bicubic", Interpolation::Bicubic, fir::FilterType::CatmullRom),
            ("lanczos3", Interpolation::Lanczos3, fir::FilterType::Lanczos3),
        ] {
            for &(channels, kind) in kinds {
                let ([w, h], [wide, high]) = (from, to);
                let src: Vec<P> = picture(w, h, channels).into_iter().map(of).collect();
                let mut a = vec![of(0); wide * high * channels];
                let resize = Resize { from, to, by, antialias: true };
                let mut spans = vec![[0; 2]; resize.spans()];
                let mut weights = vec![P::Weight::default(); resize.weights::<P::Weight>()];
                let plan = ResizePlan::new(resize, &mut spans, &mut weights).unwrap();
                let mut room = vec![P::Middle::default(); fulmen::resize_workspace(w, channels)];
                let bytes = bytemuck::cast_slice(&src);
                let from = fir::images::ImageRef::new(w as u32, h as u32, bytes, kind).unwrap();
                let mut to = fir::images::Image::new(wide as u32, high as u32, kind);
                let mut resizer = fir::Resizer::new();
                let options = fir::ResizeOptions::new()
                    .resize_alg(fir::ResizeAlg::Convolution(filter))
                    .use_alpha(false);
                let list = vec![
                    Contender::ours(|| {
                        let view = Image::new(&src, w, h, channels).unwrap();
                        let to = ImageMut::new(&mut a, wide, high, channels).unwrap();
                        fulmen::resize(plan, view, to, &mut room).unwrap();
                    }),
                    Contender::peer("fast_image_resize", || {
                        resizer.resize(&from, &mut to, &options).unwrap()
                    }),
                ];
                let bytes = (w * h + wide * high) * channels * size_of::<P>() / 2;
                let size = format!("{name} x{channels} {wide}x{high}");
                bench.case("resize", ty, &size, w * h, list, bytes);
            }
        }
    }
}

type Call<'a> = Box<dyn FnMut() + 'a>;

/// An op on a grey picture of 1920 × 1080 with a grey result, and peers.
fn grey_op<'a>(
    bench: &mut Bench,
    op: &str,
    size: &str,
    mut ours: impl FnMut(Image<'_, u8>, ImageMut<'_, u8>),
    peers: Vec<(&'a str, Call<'a>)>,
) {
    if !bench.wanted(op) {
        return;
    }
    let (src, mut dst) = (picture(W, H, 1), vec![0u8; W * H]);
    let mut list = vec![Contender::ours(|| {
        ours(Image::new(&src, W, H, 1).unwrap(), ImageMut::new(&mut dst, W, H, 1).unwrap());
    })];
    list.extend(peers.into_iter().map(|(name, run)| Contender::peer(name, run)));
    bench.case(op, "u8", size, W * H, list, W * H);
}

/// A peer's op on the same picture.
fn peer<'a, R>(picture: &'a GrayImage, run: impl Fn(&GrayImage) -> R + 'a) -> (&'static str, Call<'a>) {
    ("imageproc", Box::new(move || drop(std::hint::black_box(run(picture)))))
}

fn greys(bench: &mut Bench) {
    let grey = GrayImage::from_raw(W as u32, H as u32, picture(W, H, 1)).unwrap();
    for n in [3usize, 5, 15, 31] {
        let mut room = vec![0; fulmen::median_workspace(W, n)];
        let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
            fulmen::median(from, n, Border::Clamp, to, &mut room).unwrap();
        };
        let r = (n / 2) as u32;
        let peers = vec![peer(&grey, move |x| imageproc::filter::median_filter(x, r, r))];
        grey_op(bench, "median", &n.to_string(), ours, peers);
    }
    for n in [5usize, 15] {
        let mut room = vec![0; fulmen::box_filter_workspace(W, 1, n)];
        let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
            fulmen::box_filter(from, [n; 2], Border::Clamp, to, &mut room).unwrap();
        };
        let r = (n / 2) as u32;
        let peers = vec![peer(&grey, move |x| imageproc::filter::box_filter(x, r, r))];
        grey_op(bench, "box_filter", &n.to_string(), ours, peers);
    }
    for sigma in [1.1, 5.0] {
        let n = gaussian_len(sigma);
        let mut weights = vec![0; n];
        let mut room = vec![0; fulmen::correlate_separable_workspace(W, 1, n)];
        let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
            fulmen::gaussian(from, sigma, Border::Reflect101, to, &mut weights, &mut room).unwrap();
        };
        let peers = vec![peer(&grey, move |x| imageproc::filter::gaussian_blur_f32(x, sigma as f32))];
        grey_op(bench, "gaussian", &format!("sigma {sigma}"), ours, peers);
    }
    let mut five = [0; 5];
    let kernel = Kernel::gaussian(1.1, &mut five).unwrap();
    let mut room = vec![0; fulmen::correlate_separable_workspace(W, 1, 5)];
    let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
        fulmen::correlate_separable(from, kernel, kernel, Border::Reflect101, to, &mut room).unwrap();
    };
    grey_op(bench, "gaussian", "5x5", ours, vec![]);
    for n in [3usize, 15] {
        let mut room = vec![0; fulmen::morphology_workspace(W, 1, [n; 2])];
        let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
            fulmen::dilate(from, [n; 2], Border::Constant(0), to, &mut room).unwrap();
        };
        let r = (n / 2) as u8;
        let linf = imageproc::distance_transform::Norm::LInf;
        let peers = vec![peer(&grey, move |x| imageproc::morphology::dilate(x, linf, r))];
        grey_op(bench, "dilate", &n.to_string(), ours, peers);
    }
    let mut room = vec![0; fulmen::equalize_workspace(1)];
    let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| fulmen::equalize(from, to, &mut room).unwrap();
    let peers = vec![peer(&grey, imageproc::contrast::equalize_histogram)];
    grey_op(bench, "equalize", "", ours, peers);
    let (mut counts, mut room) = (vec![0; 256], vec![0; fulmen::histogram_workspace()]);
    for flat in [false, true] {
        let mut grey = grey.clone();
        if flat {
            grey.fill(77);
        }
        let own = grey.clone();
        let ours = |_: Image<'_, u8>, _: ImageMut<'_, u8>| {
            let from = Image::new(own.as_raw(), W, H, 1).unwrap();
            fulmen::histogram(from, &mut counts, &mut room).unwrap();
        };
        let peers = vec![peer(&grey, imageproc::stats::histogram)];
        grey_op(bench, "histogram", if flat { "one level" } else { "" }, ours, peers);
    }
    let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| {
        fulmen::threshold_image(from, 100, ThresholdKind::Binary, to).unwrap();
    };
    let kind = || imageproc::contrast::ThresholdType::Binary;
    let peers = vec![peer(&grey, move |x| imageproc::contrast::threshold(x, 100, kind()))];
    grey_op(bench, "threshold_image", "", ours, peers);
    let mut sums = vec![0u32; (W + 1) * (H + 1)];
    let ours = |from: Image<'_, u8>, _: ImageMut<'_, u8>| {
        fulmen::integral(from, ImageMut::new(&mut sums, W + 1, H + 1, 1).unwrap()).unwrap();
    };
    let peers = vec![peer(&grey, imageproc::integral_image::integral_image::<_, u32>)];
    grey_op(bench, "integral", "u32", ours, peers);
    let ours = |from: Image<'_, u8>, to: ImageMut<'_, u8>| fulmen::flip(from, Flip::Horizontal, to).unwrap();
    let peers = vec![peer(&grey, |x| image::imageops::flip_horizontal(x))];
    grey_op(bench, "flip", "horizontal", ours, peers);
    let mut turned = vec![0; W * H];
    let ours = |from: Image<'_, u8>, _: ImageMut<'_, u8>| {
        fulmen::rotate90(from, Turn::Right, ImageMut::new(&mut turned, H, W, 1).unwrap()).unwrap();
    };
    let peers = vec![peer(&grey, |x| image::imageops::rotate90(x))];
    grey_op(bench, "rotate90", "right", ours, peers);
}

fn colours(bench: &mut Bench) {
    let (src, chroma) = (picture(W, H, 3), picture(W / 2, H / 2, 2));
    let luma = picture(W, H, 1);
    let rgb = RgbImage::from_raw(W as u32, H as u32, src.clone()).unwrap();
    let from = || Image::new(&src, W, H, 3).unwrap();
    let (mut one, mut three) = (vec![0u8; W * H], vec![0u8; 3 * W * H]);
    if bench.wanted("grey") {
        let list = vec![
            Contender::ours(|| {
                fulmen::grey(from(), Luma::Bt601, ImageMut::new(&mut one, W, H, 1).unwrap()).unwrap();
            }),
            Contender::peer("image", || drop(std::hint::black_box(image::imageops::grayscale(&rgb)))),
        ];
        bench.case("grey", "u8", "", W * H, list, 2 * W * H);
    }
    if bench.wanted("rgb_to_bgr") {
        let list = vec![Contender::ours(|| {
            fulmen::rgb_to_bgr(from(), ImageMut::new(&mut three, W, H, 3).unwrap()).unwrap();
        })];
        bench.case("rgb_to_bgr", "u8", "", W * H, list, 3 * W * H);
    }
    if bench.wanted("rgb_to_hsv") {
        let list = vec![Contender::ours(|| {
            fulmen::rgb_to_hsv(from(), ImageMut::new(&mut three, W, H, 3).unwrap()).unwrap();
        })];
        bench.case("rgb_to_hsv", "u8", "", W * H, list, 3 * W * H);
    }
    if bench.wanted("nv12_to_rgb") {
        let list = vec![Contender::ours(|| {
            let y = Image::new(&luma, W, H, 1).unwrap();
            let uv = Image::new(&chroma, W / 2, H / 2, 2).unwrap();
            let to = ImageMut::new(&mut three, W, H, 3).unwrap();
            fulmen::nv12_to_rgb(y, uv, Yuv::Bt601, to).unwrap();
        })];
        bench.case("nv12_to_rgb", "u8", "", W * H, list, 9 * W * H / 4);
    }
}

/// Frames of video as tensors: one pass beside the chain of separate calls, ours too.
fn tensors(bench: &mut Bench) {
    const NORMAL: Normalization = Normalization::of([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);
    let sizes = [([1920, 1080], [640, 640]), ([3840, 2160], [224, 224]), ([3840, 2160], [1280, 720])];
    if !bench.wanted("nv12_to_tensor") {
        return;
    }
    for (from, to) in sizes {
        let ([w, h], [m, n]) = (from, to);
        let resize = Resize { from, to, by: Interpolation::Bilinear, antialias: true };
        let (luma, chroma) = (picture(w, h, 1), picture(w / 2, h / 2, 2));
        let y = || Image::new(&luma, w, h, 1).unwrap();
        let uv = || Image::new(&chroma, w / 2, h / 2, 2).unwrap();
        let memory = |of: Resize| (vec![[0; 2]; of.spans()], vec![0i16; of.weights::<i16>()]);
        let ((mut spans, mut weights), (mut pairs, mut others)) = (memory(resize), memory(resize.chroma()));
        let plan = ResizePlan::new(resize, &mut spans, &mut weights).unwrap();
        let of_chroma = ResizePlan::new(resize.chroma(), &mut pairs, &mut others).unwrap();
        let (mut colours, mut small) = (vec![0u8; 3 * w * h], vec![0u8; 3 * m * n]);
        let (mut dst, mut other) = (vec![0f32; 3 * m * n], vec![0f32; 3 * m * n]);
        let mut room = vec![0i16; fulmen::rgb_to_tensor_workspace(w, m)];
        let mut workspace = vec![0i16; fulmen::nv12_to_tensor_workspace(w, m)];
        let list = vec![
            Contender::ours(|| {
                let (coding, to) = (Yuv::Bt601, &mut dst);
                fulmen::nv12_to_tensor(plan, of_chroma, y(), uv(), coding, NORMAL, to, &mut workspace)
                    .unwrap();
            }),
            Contender::peer("chain", || {
                fulmen::nv12_to_rgb(y(), uv(), Yuv::Bt601, ImageMut::new(&mut colours, w, h, 3).unwrap())
                    .unwrap();
                let (from, to) =
                    (Image::new(&colours, w, h, 3).unwrap(), ImageMut::new(&mut small, m, n, 3).unwrap());
                fulmen::resize(plan, from, to, &mut room).unwrap();
                let planes = other.chunks_exact_mut(m * n).zip(NORMAL.scale.into_iter().zip(NORMAL.offset));
                for (c, (plane, (scale, offset))) in planes.enumerate() {
                    for (to, p) in plane.iter_mut().zip(small.as_chunks::<3>().0) {
                        *to = f32::from(p[c]) * scale + offset;
                    }
                }
            }),
        ];
        bench.case("nv12_to_tensor", "u8", &format!("{w}x{h} {m}x{n}"), w * h, list, w * h * 3 / 2);
    }
}

/// A turn by 10 degrees about the middle and a scale of 0.9, and the map of the same places.
fn warps(bench: &mut Bench) {
    let centre = [(W - 1) as f64 / 2.0, (H - 1) as f64 / 2.0];
    let matrix = Affine::rotation(centre, 10.0, 0.9).inverse().unwrap();
    let places = (0..W * H).flat_map(|i| matrix.at([(i % W) as f64, (i / W) as f64])).map(|x| x as f32);
    let places: Vec<f32> = places.collect();
    let map = Image::new(&places, W, H, 2).unwrap();
    for (name, by) in [("nearest", Sampler::Nearest), ("bilinear", Sampler::Bilinear)] {
        for channels in [1, 3, 4] {
            let (src, mut dst) = (picture(W, H, channels), vec![0u8; W * H * channels]);
            let from = Image::new(&src, W, H, channels).unwrap();
            let mut to = ImageMut::new(&mut dst, W, H, channels).unwrap();
            let border = Border::Constant(0);
            let size = format!("{name} x{channels}");
            if bench.wanted("warp_affine") {
                let run = || fulmen::warp_affine(from, matrix, by, border, to.reborrow()).unwrap();
                bench.case("warp_affine", "u8", &size, W * H, vec![Contender::ours(run)], W * H * channels);
            }
            if bench.wanted("remap") {
                let run = || fulmen::remap(from, map, by, border, to.reborrow()).unwrap();
                bench.case("remap", "u8", &size, W * H, vec![Contender::ours(run)], W * H * (channels + 4));
            }
        }
    }
    if bench.wanted("warp_affine") {
        wide_warps::<u16>(bench, "u16", matrix, |p| u16::from(p) * 257);
        wide_warps::<f32>(bench, "f32", matrix, f32::from);
    }
}

/// The same turn of wider elements.
fn wide_warps<P: Pixel>(bench: &mut Bench, ty: &str, matrix: Affine, of: fn(u8) -> P) {
    for channels in [1, 3] {
        let src: Vec<P> = picture(W, H, channels).into_iter().map(of).collect();
        let mut dst = vec![P::default(); W * H * channels];
        let from = Image::new(&src, W, H, channels).unwrap();
        let mut to = ImageMut::new(&mut dst, W, H, channels).unwrap();
        let border = Border::Constant(P::default());
        let run = || fulmen::warp_affine(from, matrix, Sampler::Bilinear, border, to.reborrow()).unwrap();
        let bytes = W * H * channels * size_of::<P>();
        bench.case(
            "warp_affine",
            ty,
            &format!("bilinear x{channels}"),
            W * H,
            vec![Contender::ours(run)],
            bytes,
        );
    }
}

/// Masks of each kind, whose other pixels are 255: shapes of about 60 pixels, one pixel that is 0, noise, stripes and diagonals.
fn distances(bench: &mut Bench) {
    if !bench.wanted("distance_transform") {
        return;
    }
    let noise = picture(W, H, 1);
    let blob = |x: f64, y: f64| (x / 19.0).sin() + (y / 23.0).sin() + ((x + y) / 31.0).sin();
    let of = |name: &str, x: usize, y: usize| match name {
        "blobs" => blob(x as f64, y as f64) > 0.0,
        "corner" => x + y > 0,
        "noise" => noise[y * W + x] & 1 > 0,
        "stripes" => x / 97 % 2 > 0,
        _ => (x + y) % 600 > 0,
    };
    let mut room = vec![0; fulmen::distance_transform_workspace(W)];
    let mut dst = vec![0f32; W * H];
    for name in ["blobs", "corner", "noise", "stripes", "diagonals"] {
        let mask: Vec<u8> = (0..W * H).map(|i| if of(name, i % W, i / W) { 255 } else { 0 }).collect();
        let from = Image::new(&mask, W, H, 1).unwrap();
        let run = || {
            let to = ImageMut::new(&mut dst, W, H, 1).unwrap();
            fulmen::distance_transform(from, to, &mut room).unwrap();
        };
        bench.case("distance_transform", "u8", name, W * H, vec![Contender::ours(run)], 5 * W * H / 2);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    println!("lanes {:?}", fulmen::NATIVE);
    let only = args.iter().filter(|a| !a.starts_with("--")).cloned().collect();
    let mut bench = Bench { race: Race::new(&args), only };
    let kinds = [(1, fir::PixelType::U8), (3, fir::PixelType::U8x3), (4, fir::PixelType::U8x4)];
    resizes::<u8>(&mut bench, "u8", &kinds, |p| p);
    resizes::<f32>(&mut bench, "f32", &[(1, fir::PixelType::F32)], f32::from);
    greys(&mut bench);
    colours(&mut bench);
    tensors(&mut bench);
    warps(&mut bench);
    distances(&mut bench);
    if let Some(path) = args.iter().find_map(|a| a.strip_prefix("--csv=")) {
        bench
            .race
            .finish(
                path.as_ref(),
                "Images, fulmen over the fastest of fast_image_resize, imageproc and image (right of 1 is faster)",
            )
            .unwrap();
    }
}
