//! Times ops on images of 3840 by 2160 pixels. The last column is the fraction of a copy's rate that an op reaches, for the bytes that it
//! must read and write once.

use crate::{median, say};
use fulmen::backend::Images;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::image::{
    Border, Flip, Interpolation, Luma, Normalization, Resize, ResizePlan, ThresholdKind, Turn, Yuv,
    gaussian_len,
};

const SIZE: [usize; 2] = [3840, 2160];

pub fn run<D: Computes<f32> + Blocking + 'static>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    peak: f64,
) -> Result<(), Error> {
    let ([w, h], n) = (SIZE, SIZE[0] * SIZE[1]);
    let bytes = |n: usize| (0..n).map(|i| (i * 2_654_435_761 >> 7) as u8).collect::<Vec<_>>();
    let (rgb, grey, chroma) =
        (gpu.upload(&bytes(3 * n))?, gpu.upload(&bytes(n))?, gpu.upload(&bytes(n / 2))?);
    let (mut to, mut one) = (gpu.alloc::<u8>(3 * n)?, gpu.alloc::<u8>(n)?);
    let (mut dx, mut dy) = (gpu.alloc::<i16>(n)?, gpu.alloc::<i16>(n)?);
    let (from, light) = (rgb.view().image(w, h, 3)?, grey.view().image(w, h, 1)?);
    let shade = chroma.view().image(w / 2, h / 2, 2)?;
    macro_rules! case {
        ($name:expr, $bytes:expr, $call:expr) => {{
            let seconds = median(10, wait, || $call)?;
            let rate = $bytes as f64 / seconds;
            say(&$name, seconds, &format!("{:.0} GB/s", rate / 1e9), rate / peak);
        }};
    }
    macro_rules! out {
        (3) => {
            to.view_mut().image(w, h, 3)?
        };
        (1) => {
            one.view_mut().image(w, h, 1)?
        };
    }
    case!("grey", 4 * n, gpu.grey(from, Luma::Bt601, out!(1)));
    case!("rgb_to_bgr", 6 * n, gpu.rgb_to_bgr(from, out!(3)));
    case!("rgb_to_hsv", 6 * n, gpu.rgb_to_hsv(from, out!(3)));
    case!("nv12_to_rgb", 9 * n / 2, gpu.nv12_to_rgb(light, shade, Yuv::Bt601, out!(3)));
    case!("threshold_image", 2 * n, gpu.threshold_image(light, 100, ThresholdKind::Binary, out!(1)));
    case!("flip, both ways", 6 * n, gpu.flip(from, Flip::Both, out!(3)));
    case!("rotate90", 6 * n, gpu.rotate90(from, Turn::Right, to.view_mut().image(h, w, 3)?));
    for k in [3, 15] {
        case!(format!("erode {k}x{k}"), 2 * n, gpu.erode(light, [k; 2], Border::Constant(255), out!(1), ()));
        case!(
            format!("box_filter {k}x{k}"),
            2 * n,
            gpu.box_filter(light, [k; 2], Border::Clamp, out!(1), ())
        );
        case!(format!("median {k}x{k}"), 2 * n, gpu.median(light, k, Border::Clamp, out!(1), ()));
    }
    for k in [7, 31] {
        case!(format!("median {k}x{k}"), 2 * n, gpu.median(light, k, Border::Clamp, out!(1), ()));
    }
    let mut counts = gpu.alloc::<u32>(3 * 256)?;
    case!("histogram", 3 * n, gpu.histogram(from, counts.view_mut(), ()));
    let dark = gpu.upload(&vec![0u8; n])?;
    let (black, mut first) = (dark.view().image(w, h, 1)?, gpu.alloc::<u32>(256)?);
    case!("histogram of one level", n, gpu.histogram(black, first.view_mut(), ()));
    case!("equalize", 9 * n, gpu.equalize(from, out!(3), ()));
    case!(
        "sobel",
        5 * n,
        gpu.sobel(light, Border::Reflect101, dx.view_mut().image(w, h, 1)?, dy.view_mut().image(w, h, 1)?)
    );
    for sigma in [1.0, 5.0] {
        let mut weights = vec![0i16; gaussian_len(sigma)];
        let name = format!("gaussian, sigma {sigma}");
        case!(name, 6 * n, gpu.gaussian(from, sigma, Border::Reflect101, out!(3), &mut weights, ()));
    }
    for (by, name) in [(Interpolation::Bilinear, "bilinear"), (Interpolation::Lanczos3, "lanczos3")] {
        let resize = Resize { from: SIZE, to: [1366, 768], by, antialias: true };
        let mut spans = vec![[0; 2]; resize.spans()];
        let mut weights = vec![0i16; resize.weights::<i16>()];
        let plan = ResizePlan::new(resize, &mut spans, &mut weights)?;
        let mut small = gpu.alloc::<u8>(3 * 1366 * 768)?;
        let name = format!("resize to 1366 by 768, {name}");
        let all = 3 * (n + 1366 * 768);
        case!(name, all, gpu.resize(plan, from, small.view_mut().image(1366, 768, 3)?, ()));
    }
    for to in [[224, 224], [1366, 768]] {
        let resize = Resize { from: SIZE, to, by: Interpolation::Bilinear, antialias: true };
        let memory = |of: Resize| (vec![[0; 2]; of.spans()], vec![0i16; of.weights::<i16>()]);
        let ((mut spans, mut weights), (mut pairs, mut others)) = (memory(resize), memory(resize.chroma()));
        let plan = ResizePlan::new(resize, &mut spans, &mut weights)?;
        let of_chroma = ResizePlan::new(resize.chroma(), &mut pairs, &mut others)?;
        let mut dst = gpu.alloc::<f32>(3 * to[0] * to[1])?;
        let unit = Normalization::UNIT;
        let name = |op: &str| format!("{op} {} by {}", to[0], to[1]);
        let all = n * 3 / 2 + 12 * to[0] * to[1];
        let (y, uv, coding) = (light, shade, Yuv::Bt601);
        case!(
            name("nv12_to_tensor"),
            all,
            gpu.nv12_to_tensor(plan, of_chroma, y, uv, coding, unit, dst.view_mut(), ())
        );
        let all = 3 * n + 12 * to[0] * to[1];
        case!(name("rgb_to_tensor"), all, gpu.rgb_to_tensor(plan, from, unit, dst.view_mut(), ()));
    }
    Ok(())
}
