//! The image example: its steps beside the ops of the library, alpha, 16 bits, files, and the command line without a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../image/apply.rs"]
mod apply;
#[path = "../image/cli.rs"]
mod cli;
mod common;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for other programs")]
mod files;
#[path = "../image/formats.rs"]
mod formats;
#[path = "image_alpha.rs"]
mod image_alpha;
#[path = "image_files.rs"]
mod image_files;
#[path = "../image/machine.rs"]
mod machine;
#[path = "../image/made.rs"]
mod made;
#[path = "../image/picture.rs"]
mod picture;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "the program's main has the rest")]
mod program;
#[path = "../image/sheet.rs"]
mod sheet;
#[path = "../image/steps.rs"]
mod steps;

use common::Folder;
use fulmen::backend::Cpu;
use fulmen::image::{
    Affine, Border, Flip, Image, ImageMut, Interpolation, Kernel, Luma, Norm, Resize, ResizePlan, Sampler,
    ThresholdKind, Turn, gaussian_len,
};
use picture::{Picture, Samples};
use std::hash::{BuildHasher, Hasher};

/// What the program says to these arguments.
fn program(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(args.iter().map(|a| (*a).into()), &mut out, &mut err);
    // Which lanes it ran on is said by every run that computed.
    let err = String::from_utf8(err).unwrap();
    let rest: Vec<&str> = err.split_inclusive('\n').filter(|line| !line.starts_with("lanes: ")).collect();
    assert!(code != 0 || args.contains(&"--help") || err.contains("lanes: "));
    (code, String::from_utf8(out).unwrap(), rest.concat())
}

/// Numbers by a seed, which is printed: with it a failure can be seen again.
struct Draw(u64);

impl Draw {
    fn new() -> Self {
        let told = std::env::var("FULMEN_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = told.unwrap_or_else(|| std::hash::RandomState::new().build_hasher().finish());
        println!("FULMEN_SEED={seed}");
        Self(seed)
    }
    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// From `from` to `to`.
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + (self.next() % (to - from + 1) as u64) as usize
    }
    fn odd(&mut self, most: usize) -> usize {
        2 * self.between(0, most / 2) + 1
    }
    /// A picture of bytes; blocks of one level and noise, so that edges are there.
    fn bytes(&mut self, [width, height]: [usize; 2], channels: usize) -> Raw {
        let blocks: Vec<u8> = (0..64).map(|_| self.next() as u8).collect();
        let level = |i: usize, draw: &mut Self| {
            let (pixel, c) = (i / channels, i % channels);
            let (x, y) = (pixel % width, pixel / width);
            let level = blocks[(x / 7 + 3 * (y / 5) + 11 * c) % 64];
            if draw.next().is_multiple_of(16) { draw.next() as u8 } else { level }
        };
        let data = (0..width * height * channels).map(|i| level(i, self)).map(u16::from).collect();
        Raw { size: [width, height], channels, bits: 8, data }
    }
    fn words(&mut self, size: [usize; 2], channels: usize) -> Raw {
        let data = (0..size[0] * size[1] * channels).map(|_| self.next() as u16).collect();
        Raw { size, channels, bits: 16, data }
    }
}

/// A picture as the files of the tests have it.
#[derive(Debug, Clone, PartialEq)]
struct Raw {
    size: [usize; 2],
    channels: usize,
    bits: u8,
    data: Vec<u16>,
}

impl Raw {
    fn of_bytes(size: [usize; 2], channels: usize, data: &[u8]) -> Self {
        Self { size, channels, bits: 8, data: data.iter().copied().map(u16::from).collect() }
    }
    fn bytes(&self) -> Vec<u8> {
        assert_eq!(self.bits, 8);
        self.data.iter().map(|x| u8::try_from(*x).unwrap()).collect()
    }
    /// The colours, or alpha.
    fn part(&self, alpha: bool) -> Self {
        let colours = self.channels - 1;
        let keep = |i: usize| (i % self.channels == colours) == alpha;
        let data = self.data.iter().enumerate().filter(|(i, _)| keep(*i)).map(|(_, x)| *x).collect();
        Self { channels: if alpha { 1 } else { colours }, data, ..*self }
    }
    /// With this alpha.
    fn with(&self, alpha: impl Fn(usize) -> u16) -> Self {
        let pixels = self.data.chunks_exact(self.channels).enumerate();
        let data = pixels.flat_map(|(i, pixel)| pixel.iter().copied().chain([alpha(i)])).collect();
        Self { channels: self.channels + 1, data, ..*self }
    }
    /// As a PNG file.
    fn png(&self) -> Vec<u8> {
        let mut to = Vec::new();
        let mut encoder = png::Encoder::new(&mut to, self.size[0] as u32, self.size[1] as u32);
        encoder.set_color(match self.channels {
            1 => png::ColorType::Grayscale,
            2 => png::ColorType::GrayscaleAlpha,
            3 => png::ColorType::Rgb,
            _ => png::ColorType::Rgba,
        });
        let sixteen = self.bits == 16;
        encoder.set_depth(if sixteen { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
        let bytes = |x: &u16| if sixteen { x.to_be_bytes().to_vec() } else { vec![*x as u8] };
        let data: Vec<u8> = self.data.iter().flat_map(bytes).collect();
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&data).unwrap();
        writer.finish().unwrap();
        to
    }
    /// What is in a PNG file.
    fn read(path: &str) -> Self {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut data = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut data).unwrap();
        let sixteen = info.bit_depth == png::BitDepth::Sixteen;
        let data = match sixteen {
            true => data.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect(),
            false => data.into_iter().map(u16::from).collect(),
        };
        let size = [info.width as usize, info.height as usize];
        let bits = if sixteen { 16 } else { 8 };
        Self { size, channels: info.color_type.samples(), bits, data }
    }
}

/// The result of these steps.
fn chain(folder: &Folder, picture: &Raw, steps: &str) -> Raw {
    let (from, to) = (folder.file("in.png", picture.png()), folder.path("out.png"));
    let args: Vec<&str> =
        [from.as_str()].into_iter().chain(steps.split_whitespace()).chain([to.as_str()]).collect();
    let (code, out, err) = program(&args);
    assert!(code == 0 && err.is_empty(), "{steps}: {out}{err}");
    Raw::read(&to)
}

/// The result of these steps, without files.
fn ran(p: &Raw, steps: &str) -> Raw {
    let names = steps::Step::names();
    let mut lines: Vec<Vec<&str>> = Vec::new();
    for word in steps.split_whitespace() {
        match lines.last_mut() {
            Some(line) if !names.iter().any(|name| name == word) => line.push(word),
            _ => lines.push(vec![word]),
        }
    }
    let [width, height] = p.size;
    let samples = if p.bits == 8 { Samples::Bytes(p.bytes()) } else { Samples::Words(p.data.clone()) };
    let mut picture = Picture { width, height, channels: p.channels, samples };
    for words in lines {
        let step: steps::Step = program::parse("image", words.into_iter().map(Into::into)).unwrap();
        step.check().unwrap();
        picture = fulmen::dispatch!(|s| apply::apply(&Cpu(s), &step, picture).unwrap());
    }
    let (size, channels, bits) = (picture.size(), picture.channels, picture.bits() as u8);
    let data = match picture.samples {
        Samples::Bytes(data) => data.into_iter().map(u16::from).collect(),
        Samples::Words(data) => data,
    };
    Raw { size, channels, bits, data }
}

/// Why these steps refuse a picture. Nothing is written then.
fn refused(folder: &Folder, picture: &Raw, steps: &str) -> String {
    let (from, to) = (folder.file("in.png", picture.png()), folder.file("out.png", "old"));
    let args: Vec<&str> =
        [from.as_str()].into_iter().chain(steps.split_whitespace()).chain([to.as_str()]).collect();
    let (code, _, err) = program(&args);
    assert_eq!((code, err.lines().count()), (2, 1), "{steps}: {err}");
    assert_eq!(std::fs::read(&to).unwrap(), b"old", "{steps}");
    assert_eq!(folder.names(), ["in.png", "out.png"], "{steps}");
    err
}

/// What `op` writes from a picture of bytes.
fn of_op(
    p: &Raw,
    [w, h]: [usize; 2],
    channels: usize,
    op: impl FnOnce(Image<'_, u8>, ImageMut<'_, u8>),
) -> Raw {
    let (src, mut dst) = (p.bytes(), vec![0; w * h * channels]);
    op(
        Image::new(&src, p.size[0], p.size[1], p.channels).unwrap(),
        ImageMut::new(&mut dst, w, h, channels).unwrap(),
    );
    Raw::of_bytes([w, h], channels, &dst)
}

fn resized(p: &Raw, to: [usize; 2], by: Interpolation, antialias: bool) -> Raw {
    let how = Resize { from: p.size, to, by, antialias };
    let (mut spans, mut weights) = (vec![[0; 2]; how.spans()], vec![0; how.weights::<i16>()]);
    let plan = ResizePlan::new(how, &mut spans, &mut weights).unwrap();
    let mut room = vec![0; fulmen::resize_workspace(p.size[0], p.channels)];
    of_op(p, to, p.channels, |src, dst| fulmen::resize(plan, src, dst, &mut room).unwrap())
}

fn grey(p: &Raw, luma: Luma) -> Raw {
    match p.channels {
        1 => p.clone(),
        _ => of_op(p, p.size, 1, |src, dst| fulmen::grey(src, luma, dst).unwrap()),
    }
}

fn blurred(p: &Raw, sigma: f64, size: usize) -> Raw {
    let mut weights = vec![0i16; size];
    let kernel = Kernel::gaussian(sigma, &mut weights).unwrap();
    let mut room = vec![0; fulmen::correlate_separable_workspace(p.size[0], p.channels, size)];
    of_op(p, p.size, p.channels, |src, dst| {
        fulmen::correlate_separable(src, kernel, kernel, Border::Clamp, dst, &mut room).unwrap();
    })
}

fn thresholded(p: &Raw, level: u8, kind: ThresholdKind) -> Raw {
    of_op(p, p.size, 1, |src, dst| fulmen::threshold_image(src, level, kind, dst).unwrap())
}

/// Every step gives what the op gives that is called directly, on drawn pictures, of one pixel too.
#[test]
fn steps_are_the_ops() {
    let folder = Folder::new("ops");
    let mut draw = Draw::new();
    // Past the widths that the ops take at a time; and one pixel, one row, one column.
    let shapes = [
        [1, 1],
        [1, draw.between(2, 50)],
        [draw.between(67, 110), 1],
        [draw.between(67, 110), draw.between(20, 60)],
    ];
    let each = shapes.into_iter().enumerate().flat_map(|(i, size)| match i {
        1 => vec![(size, 1)],
        2 => vec![(size, 3)],
        _ => vec![(size, 1), (size, 3)],
    });
    for (size, channels) in each {
        let p = draw.bytes(size, channels);
        let [w, h] = size;
        let is = |steps: String, want: Raw| {
            // Pictures of some sizes go through files.
            let got =
                if size[1] == 1 && channels == 3 { chain(&folder, &p, &steps) } else { ran(&p, &steps) };
            assert!(got == want, "{steps} of {size:?}, {channels} channels");
        };
        let to = [draw.between(1, 90), draw.between(1, 90)];
        let by = [
            ("nearest", Interpolation::Nearest),
            ("nearest-floor", Interpolation::NearestFloor),
            ("bilinear", Interpolation::Bilinear),
            ("bicubic", Interpolation::Bicubic),
            ("bicubic-sharp", Interpolation::BicubicSharp),
            ("lanczos3", Interpolation::Lanczos3),
            ("area", Interpolation::Area),
        ];
        for (name, by) in by {
            is(format!("resize {}x{} --by {name}", to[0], to[1]), resized(&p, to, by, true));
        }
        is(
            format!("resize {}x{} --no-antialias", to[0], to[1]),
            resized(&p, to, Interpolation::Bicubic, false),
        );
        let ratio =
            |to: usize, side: usize, of: usize| ((side * to) as f64 / of as f64).round().max(1.0) as usize;
        let wide = [to[0], ratio(to[0], h, w)];
        is(format!("resize {}x", to[0]), resized(&p, wide, Interpolation::Bicubic, true));
        let high = [ratio(to[1], w, h), to[1]];
        is(format!("resize x{}", to[1]), resized(&p, high, Interpolation::Bicubic, true));

        let at = [draw.between(0, w - 1), draw.between(0, h - 1)];
        let part = [draw.between(1, w - at[0]), draw.between(1, h - at[1])];
        is(
            format!("crop {}x{}+{}+{}", part[0], part[1], at[0], at[1]),
            of_op(&p, part, channels, |src, mut dst| {
                let region = src.region(at[0], at[1], part[0], part[1]).unwrap();
                (0..part[1]).for_each(|y| dst.row_mut(y).copy_from_slice(region.row(y)));
            }),
        );
        is("grey".into(), grey(&p, Luma::Bt601));
        is("grey --luma bt709".into(), grey(&p, Luma::Bt709));
        let sigma = 0.3 + draw.between(0, 40) as f64 / 10.0;
        is(format!("blur --sigma {sigma}"), blurred(&p, sigma, gaussian_len(sigma)));
        let taps = draw.odd(21);
        is(format!("blur --sigma {sigma} --size {taps}"), blurred(&p, sigma, taps));
        let window = [draw.between(1, 12), draw.between(1, 12)];
        let mut room = vec![0; fulmen::box_filter_workspace(w, channels, window[0])];
        is(
            format!("box --size {}x{}", window[0], window[1]),
            of_op(&p, size, channels, |src, dst| {
                fulmen::box_filter(src, window, Border::Clamp, dst, &mut room).unwrap();
            }),
        );
        let n = draw.odd(11);
        let mut room = vec![0; fulmen::median_workspace(w, n)];
        is(
            format!("median --size {n}"),
            of_op(&p, size, channels, |src, dst| {
                fulmen::median(src, n, Border::Clamp, dst, &mut room).unwrap()
            }),
        );
        let window = [draw.odd(9), draw.odd(9)];
        let mut room = vec![0; fulmen::morphology_workspace(w, channels, window)];
        is(
            format!("erode --size {}x{}", window[0], window[1]),
            of_op(&p, size, channels, |src, dst| {
                fulmen::erode(src, window, Border::Constant(255), dst, &mut room).unwrap();
            }),
        );
        is(
            format!("dilate --size {}x{}", window[0], window[1]),
            of_op(&p, size, channels, |src, dst| {
                fulmen::dilate(src, window, Border::Constant(0), dst, &mut room).unwrap();
            }),
        );
        let mut room = vec![0; fulmen::equalize_workspace(channels)];
        is(
            "equalize".into(),
            of_op(&p, size, channels, |src, dst| fulmen::equalize(src, dst, &mut room).unwrap()),
        );
        let (mut dx, mut dy) = (vec![0i16; w * h * channels], vec![0i16; w * h * channels]);
        let of = |data| ImageMut::new(data, w, h, channels).unwrap();
        let bytes = p.bytes();
        let src = Image::new(&bytes, w, h, channels).unwrap();
        fulmen::sobel(src, Border::Clamp, of(&mut dx), of(&mut dy)).unwrap();
        let length =
            |(x, y): (&i16, &i16)| (f64::from(*x).hypot(f64::from(*y)) / 4.0).round().min(255.0) as u8;
        let slopes: Vec<u8> = dx.iter().zip(&dy).map(length).collect();
        is("sobel".into(), Raw::of_bytes(size, channels, &slopes));

        let luma = grey(&p, Luma::Bt601);
        let (low, high) = (draw.between(0, 200) as u32, draw.between(200, 600) as u32);
        let mut room = vec![0; fulmen::canny_workspace(w, h)];
        for (name, norm) in [("l1", Norm::L1), ("l2", Norm::L2)] {
            let want = of_op(&luma, size, 1, |src, dst| {
                fulmen::canny(src, low, high, norm, dst, &mut room).unwrap();
            });
            is(format!("canny --low {low} --high {high} --norm {name}"), want);
        }
        let level = draw.next() as u8;
        for (name, kind) in [
            ("binary", ThresholdKind::Binary),
            ("binary-inverse", ThresholdKind::BinaryInverse),
            ("truncate", ThresholdKind::Truncate),
            ("to-zero", ThresholdKind::ToZero),
            ("to-zero-inverse", ThresholdKind::ToZeroInverse),
        ] {
            is(format!("threshold --at {level} --kind {name}"), thresholded(&luma, level, kind));
        }
        let (mut counts, mut otsu) = ([0; 256], [0]);
        luma.data.iter().for_each(|x| counts[usize::from(*x)] += 1);
        fulmen::otsu(&counts, &mut otsu).unwrap();
        is("threshold --otsu".into(), thresholded(&luma, otsu[0], ThresholdKind::Binary));

        for (name, way) in
            [("horizontal", Flip::Horizontal), ("vertical", Flip::Vertical), ("both", Flip::Both)]
        {
            is(
                format!("flip {name}"),
                of_op(&p, size, channels, |src, dst| fulmen::flip(src, way, dst).unwrap()),
            );
        }
        for (degrees, way) in [(90, Turn::Right), (-270, Turn::Right), (270, Turn::Left), (-90, Turn::Left)] {
            is(
                format!("rotate {degrees}"),
                of_op(&p, [h, w], channels, |src, dst| fulmen::rotate90(src, way, dst).unwrap()),
            );
        }
        is(
            "rotate 180".into(),
            of_op(&p, size, channels, |src, dst| fulmen::flip(src, Flip::Both, dst).unwrap()),
        );
        is("rotate 0".into(), p.clone());
        is("rotate -360".into(), p.clone());
        let degrees = draw.between(1, 89) as f64 + 0.5;
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (width, height) = (w as f64, h as f64);
        let to = [width * cos + height * sin, width * sin + height * cos].map(|n| (n - 1e-9).ceil() as usize);
        // The turn around one centre, and then to the other.
        let centre = [(width - 1.0) / 2.0, (height - 1.0) / 2.0];
        let [[a, b, x], [c, d, y]] = Affine::rotation(centre, -degrees, 1.0).rows();
        let x = x + (to[0] as f64 - width) / 2.0;
        let y = y + (to[1] as f64 - height) / 2.0;
        let back = Affine::new([[a, b, x], [c, d, y]]).inverse().unwrap();
        for (name, by) in [("nearest", Sampler::Nearest), ("bilinear", Sampler::Bilinear)] {
            let want = of_op(&p, to, channels, |src, dst| {
                fulmen::warp_affine(src, back, by, Border::Constant(0), dst).unwrap();
            });
            let got = ran(&p, &format!("rotate {degrees} --by {name}"));
            assert_eq!((got.size, got.channels), (want.size, want.channels));
            // The matrices are the same but for the last bits of their numbers: few places fall on the other side of a pixel.
            let other = got.data.iter().zip(&want.data).filter(|(a, b)| a.abs_diff(**b) > 1).count();
            assert!(other <= got.data.len() / 50, "rotate {degrees} --by {name} of {size:?}: {other} differ");
        }
        is("depth 8".into(), p.clone());
        is("depth 16".into(), Raw { bits: 16, data: p.data.iter().map(|x| x * 257).collect(), ..p.clone() });
        is("depth 16 depth 8".into(), p.clone());
        is("flatten".into(), p.clone());
    }
}

/// Clockwise, as the help says: what is on the right goes down.
#[test]
fn turns_are_clockwise() {
    let folder = Folder::new("turn");
    let at = |x: usize, y: usize| u8::from((37..40).contains(&x) && (19..22).contains(&y)) * 255;
    let data: Vec<u8> = (0..41 * 41).map(|i| at(i % 41, i / 41)).collect();
    let p = Raw::of_bytes([41, 41], 1, &data);
    for (degrees, [right, down]) in
        [(45, [0.707, 0.707]), (-45, [0.707, -0.707]), (89, [0.017, 1.0]), (90, [0.0, 1.0])]
    {
        let got = chain(&folder, &p, &format!("rotate {degrees}"));
        let brightest = (0..got.data.len()).max_by_key(|i| got.data[*i]).unwrap();
        let centre = got.size.map(|n| (n as f64 - 1.0) / 2.0);
        let want = [centre[0] + 18.0 * right, centre[1] + 18.0 * down];
        let found = [brightest % got.size[0], brightest / got.size[0]].map(|n| n as f64);
        assert!(
            (found[0] - want[0]).abs() < 2.5 && (found[1] - want[1]).abs() < 2.5,
            "{degrees}: {found:?}, {want:?}"
        );
    }
}

/// A chain is its steps one after another, in the order in which they are written.
#[test]
fn chains_run_in_order() {
    let folder = Folder::new("chain");
    let mut draw = Draw::new();
    let p = draw.bytes([61, 44], 3);
    let steps = [
        "resize 50x",
        "rotate 30",
        "median --size 3",
        "grey",
        "blur --sigma 1",
        "flip vertical",
        "canny --low 20 --high 80",
    ];
    let mut one_by_one = p.clone();
    for step in steps {
        one_by_one = chain(&folder, &one_by_one, step);
    }
    assert!(chain(&folder, &p, &steps.join(" ")) == one_by_one);
    assert!(
        chain(&folder, &p, "crop 9x9+1+2 flip vertical") != chain(&folder, &p, "flip vertical crop 9x9+1+2")
    );
    // Of ops alone: an edge detection behind a blur.
    let smooth = blurred(&grey(&p, Luma::Bt601), 1.0, gaussian_len(1.0));
    let mut room = vec![0; fulmen::canny_workspace(61, 44)];
    let edges = of_op(&smooth, p.size, 1, |src, dst| {
        fulmen::canny(src, 50, 150, Norm::L1, dst, &mut room).unwrap();
    });
    assert!(chain(&folder, &p, "grey blur --sigma 1 canny --low 50 --high 150") == edges);
    assert!(chain(&folder, &p, "") == p);
}

/// Threads and the interpreter of device kernels give the bytes of one thread; what a device lacks is refused by name.
#[test]
fn backends() {
    let folder = Folder::new("backends");
    let mut draw = Draw::new();
    let p = folder.file("in.png", draw.bytes([45, 33], 3).with(|i| (i % 37 * 7) as u16).png());
    let (one, two) = (folder.path("one.png"), folder.path("two.png"));
    let steps = "resize 40x30 rotate 20 flatten blur --sigma 1 median --size 3 sobel erode --size 3 equalize grey box --size 3 threshold --otsu";
    let run = |backend: &str, to: &str, steps: &str| {
        let args: Vec<&str> =
            [&p, "--backend", backend].into_iter().chain(steps.split(' ')).chain([to]).collect();
        program(&args)
    };
    assert_eq!(run("cpu", &one, steps).0, 0);
    let others = machine::MACHINES.iter().filter(|name| ["threads", "interpreter"].contains(name));
    for backend in others {
        let (code, out, err) = run(backend, &two, steps);
        assert!(code == 0 && err.is_empty(), "{backend}: {out}{err}");
        assert!(Raw::read(&one) == Raw::read(&two), "{backend}");
        if *backend == "interpreter" {
            let (code, _, err) = run(backend, &two, "flatten canny --low 1 --high 2");
            assert!(
                code == 2
                    && err.contains("step 2, canny --low 1 --high 2: ")
                    && err.contains("--backend cpu does"),
                "{err}"
            );
        }
    }
    let (code, _, err) = run("abacus\n", &two, "grey");
    assert!(code == 2 && err.contains("there is no backend abacus\\n in this build, but cpu"), "{err}");
}
