//! Images on the interpreter.

use super::*;
use fulmen::gpu::device::{Computes, Readback};
use fulmen::image::{Border, Flip, Image, ImageMut, Luma, Sampler, ThresholdKind};
use std::cell::RefCell;
use std::rc::Rc;

/// A host that keeps the names of the kernels that it runs, and in which WGSL has each of them if that is its language.
#[derive(Debug)]
struct Named {
    host: Host,
    names: Rc<RefCell<Vec<String>>>,
}

/// WGSL has each instruction of a kernel, which takes no more shared memory than WebGPU guarantees.
#[cfg(feature = "wgsl")]
fn has_wgsl(launch: &Launch) {
    let kernel = launch.program.kernel();
    // Each parameter in a buffer of its own.
    let buffers: Vec<usize> = (0..kernel.params.len()).collect();
    if let Err(e) = fulmen::gpu::wgsl::kernel(kernel, launch.block[0], &buffers, false) {
        panic!("{}: {e}", kernel.name);
    }
    assert!(kernel.shared_bytes() <= 16 << 10, "{}", kernel.name);
}

impl Device for Named {
    type Buffer = Buffer;
    fn facts(&self) -> &Facts {
        self.host.facts()
    }
    fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        self.host.allocate(bytes)
    }
    fn number(&self, buffer: &Buffer) -> u64 {
        self.host.number(buffer)
    }
    fn shares_words(&self, buffer: &Buffer, bytes: u64) {
        self.host.shares_words(buffer, bytes);
    }
    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.host.write(to, start, bytes)
    }
    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        for launch in list {
            let name = launch.program.kernel().name.clone();
            #[cfg(feature = "wgsl")]
            if self.facts().language == Language::Wgsl && !self.names.borrow().contains(&name) {
                has_wgsl(launch);
            }
            self.names.borrow_mut().push(name);
        }
        // SAFETY: the caller's.
        unsafe { self.host.launch(list, bindings) }
    }
    async fn read(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        self.host.read(parts).await
    }
}
impl Blocking for Named {}
impl Computes<f32> for Named {}

fn named() -> (Gpu<Named>, Rc<RefCell<Vec<String>>>) {
    named_on(Host::default())
}

fn named_on(host: Host) -> (Gpu<Named>, Rc<RefCell<Vec<String>>>) {
    let names: Rc<RefCell<Vec<String>>> = Rc::default();
    (Gpu::new(Named { host, names: Rc::clone(&names) }), names)
}

#[test]
fn images_have_the_bits_of_a_cpu() {
    let own = OPS.iter().filter(|op| op.family == "image" && matches!(op.gpu, Form::Template(_))).count();
    let mut names = Vec::new();
    // Windows of more than 15 columns have histograms of more than 16 KiB.
    for host in [host(16 << 10, 32, Language::Wgsl), host(48 << 10, 32, Language::Ptx)] {
        let (gpu, ran) = named_on(host);
        let all = layers::images::story(&gpu, "f32", 24, 3).unwrap();
        assert_eq!(all.len(), own);
        names.extend(ran.borrow_mut().drain(..));
    }
    for walk in ["_Words", "_Rows", "_Aligned"] {
        let count = names.iter().filter(|name| name.ends_with(walk)).count();
        assert!(count >= 20, "{count} launches{walk}");
    }
    let moving = names.iter().filter(|name| name.starts_with("moving_median"));
    let (wide, narrow): (Vec<_>, Vec<_>) = moving.partition(|name| name.contains("_16_"));
    assert!(wide.len() >= 2 && narrow.len() >= 4, "{wide:?} {narrow:?}");
}

/// The kernels that read words run for the images whose rows begin at words, and no others do: where rows of the result begin inside a
/// word, threads have the words of the whole image.
#[test]
fn images_are_walked_by_the_words_of_their_rows() {
    const SIZE: [usize; 2] = [20, 9];
    let (gpu, names) = named();
    // The elements before the first one and those between rows, of the source and of the result.
    for (source, result, walk) in [
        ([0, 0], [0, 0], "_Aligned"),
        ([8, 4], [4, 8], "_Aligned"),
        ([1, 0], [0, 0], "_Rows"),
        ([0, 3], [4, 4], "_Rows"),
        ([0, 0], [2, 0], "_Words"),
        ([0, 0], [0, 5], "_Words"),
    ] {
        let x = gpu.upload(&[9u8; 1200]).unwrap();
        let mut y = gpu.upload(&[7u8; 1200]).unwrap();
        let from = |channels: usize| {
            let stride = SIZE[0] * channels + source[1];
            let part = x.view().part(source[0]..source[0] + stride * SIZE[1]).unwrap();
            part.image_strided(SIZE[0], SIZE[1], channels, stride).unwrap()
        };
        macro_rules! out {
            ($channels:expr) => {{
                let stride = SIZE[0] * $channels + result[1];
                let [_, rest] = y.view_mut().split(result[0]).unwrap();
                let [part, _] = rest.split(stride * SIZE[1]).unwrap();
                part.image_strided(SIZE[0], SIZE[1], $channels, stride).unwrap()
            }};
        }
        names.borrow_mut().clear();
        gpu.grey(from(3), Luma::Bt601, out!(1)).unwrap();
        gpu.rgb_to_bgr(from(4), out!(4)).unwrap();
        gpu.rgb_to_hsv(from(3), out!(3)).unwrap();
        gpu.threshold_image(from(2), 3, ThresholdKind::Binary, out!(2)).unwrap();
        gpu.flip(from(3), Flip::Both, out!(3)).unwrap();
        gpu.erode(from(1), [3; 2], Border::Clamp, out!(1), ()).unwrap();
        gpu.box_filter(from(1), [5; 2], Border::Clamp, out!(1), ()).unwrap();
        gpu.median(from(1), 5, Border::Clamp, out!(1), ()).unwrap();
        let names: Vec<String> = names.borrow_mut().drain(..).collect();
        assert_eq!(names.len(), 8, "{names:?}");
        assert!(
            names.iter().all(|name| name.ends_with(walk)),
            "{source:?} {result:?}: {names:?}, not {walk}"
        );
    }
}

/// All hues and saturations: the quotients that the kernel rounds are those of all pairs of numbers that occur.
#[test]
fn hues_and_saturations_are_those_of_a_cpu() {
    let (gpu, names) = named();
    let mut x = Vec::new();
    for (most, apart) in (0..=255u8).flat_map(|most| (0..=most).map(move |apart| (most, apart))) {
        x.extend([most, most - apart, most - apart]);
        // The one in the middle is as far above the least one as `apart` is above 0, so that all distances occur with all others.
        let (least, middle) = (255 - most, 255 - most + apart);
        for [r, g, b] in [
            [255, middle, least],
            [255, least, middle],
            [middle, 255, least],
            [least, 255, middle],
            [middle, least, 255],
            [least, middle, 255],
        ] {
            x.extend([r, g, b]);
        }
    }
    let width = 448;
    let height = (x.len() / 3).div_ceil(width);
    x.resize(3 * width * height, 0);
    let mut want = vec![0; x.len()];
    let (from, to) =
        (Image::new(&x, width, height, 3).unwrap(), ImageMut::new(&mut want, width, height, 3).unwrap());
    fulmen::rgb_to_hsv(from, to).unwrap();
    let (x, mut y) = (gpu.upload(&x).unwrap(), gpu.alloc::<u8>(want.len()).unwrap());
    let from = x.view().image(width, height, 3).unwrap();
    gpu.rgb_to_hsv(from, y.view_mut().image(width, height, 3).unwrap()).unwrap();
    let mut got = vec![0; want.len()];
    gpu.download(y.view(), &mut got).unwrap();
    assert!(got == want);
    assert!(names.borrow().iter().all(|name| name == "rgb_to_hsv_Aligned"));
}

/// Devices may round reciprocals and products of floats by some units in the last place: quotients of hues and saturations stay exact.
#[test]
fn quotients_of_hues_allow_for_errors_of_reciprocals() {
    for d in 1..=255u32 {
        for n in (d..=661 * d).step_by(2) {
            for error in [-4.0, 0.0, 4.0] {
                let exact = (f64::from(n) + 0.5) / f64::from(2 * d);
                let off = exact * (1.0 + error * f64::from(f32::EPSILON));
                assert_eq!(off as u32, n / (2 * d), "{n} / {}", 2 * d);
            }
        }
    }
}

#[test]
fn what_a_cpu_refuses_is_refused() {
    let gpu = Gpu::new(Host::default());
    let (x, mut y) = (gpu.upload(&[1u8; 24]).unwrap(), gpu.upload(&[7u8; 24]).unwrap());
    let call = |e: fulmen::Error| Err(Error::Call(e));
    let from = x.view().image(4, 2, 3).unwrap();
    macro_rules! out {
        ($w:expr, $h:expr, $c:expr) => {
            y.view_mut().split($w * $h * $c).unwrap().into_iter().next().unwrap().image($w, $h, $c).unwrap()
        };
    }
    let shape = fulmen::Error::shape("dst", [2, 4], [2, 2]);
    assert_eq!(gpu.flip(from, Flip::Both, out!(2, 2, 3)), call(shape));
    let channels = fulmen::Error::len("dst", 3, 1);
    assert_eq!(gpu.flip(from, Flip::Both, out!(4, 2, 1)), call(channels));
    let even = fulmen::Error::must_be("size", "odd");
    assert_eq!(gpu.erode(from, [2, 3], Border::Wrap, out!(4, 2, 3), ()), call(even));
    let most = fulmen::Error::must_be("size", "odd and at most 255");
    assert_eq!(gpu.median(from, 257, Border::Wrap, out!(4, 2, 3), ()), call(most));
    assert!(x.view().image(5, 2, 3).is_err() && x.view().image_strided(4, 2, 3, 11).is_err());
    let steep = fulmen::image::Affine::new([[1.0, f64::NAN, 0.0], [0.0, 1.0, 0.0]]);
    let limit = "finite, at most 8192 in its first two columns and 2²⁹ in its third";
    let got = gpu.warp_affine(from, steep, Sampler::Nearest, Border::Wrap, out!(4, 2, 3));
    assert_eq!(got, call(fulmen::Error::must_be("matrix", limit)));
    let channels = fulmen::Error::len("dst", 3, 1);
    let one = fulmen::image::Affine::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let got = gpu.warp_affine(from, one, Sampler::Nearest, Border::Wrap, out!(4, 2, 1));
    assert_eq!(got, call(channels));
    let map = gpu.upload(&[0f32; 16]).unwrap();
    let got =
        gpu.remap(from, map.view().image(2, 4, 2).unwrap(), Sampler::Nearest, Border::Wrap, out!(4, 2, 3));
    assert_eq!(got, call(fulmen::Error::shape("map", [2, 4], [4, 2])));
    let got =
        gpu.remap(from, map.view().image(4, 4, 1).unwrap(), Sampler::Nearest, Border::Wrap, out!(4, 4, 1));
    assert_eq!(got, call(fulmen::Error::len("map", 2, 1)));
    let wide = gpu.upload(&vec![1u8; 32768]).unwrap();
    let got = gpu.warp_affine(
        wide.view().image(32768, 1, 1).unwrap(),
        one,
        Sampler::Bilinear,
        Border::Clamp,
        out!(4, 1, 1),
    );
    assert_eq!(got, call(fulmen::Error::must_be("src", "at most 32767 columns and rows")));
    let mut back = [0; 24];
    gpu.download(y.view(), &mut back).unwrap();
    assert_eq!(back, [7; 24], "nothing was written");
}

/// A column or row without weight is not read: whole places copy numbers of any kind.
#[test]
fn warps_leave_out_what_has_no_weight() {
    let gpu = Gpu::new(Host::default());
    let pixels = [f32::NAN, f32::INFINITY, -0.0, f32::NEG_INFINITY, 1.0, f32::MAX];
    let (x, mut y) = (gpu.upload(&pixels).unwrap(), gpu.upload(&[7f32; 6]).unwrap());
    let one = fulmen::image::Affine::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let to = y.view_mut().image(3, 2, 1).unwrap();
    let from = x.view().image(3, 2, 1).unwrap();
    gpu.warp_affine(from, one, Sampler::Bilinear, Border::Constant(f32::NAN), to).unwrap();
    let mut back = [0f32; 6];
    gpu.download(y.view(), &mut back).unwrap();
    assert_eq!(back.map(f32::to_bits), pixels.map(f32::to_bits));
}
