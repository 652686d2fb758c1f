//! Frames as tensors: the chain of separate ops, bit by bit.

use super::coloured::{CODINGS, colour};
use super::resized::{ALL, Planned, by_name};
use super::*;
use fulmen::lanes::Simd;

/// What the conversion makes of a byte, in two roundings.
fn normalised(n: &Normalization, c: usize, level: u8) -> u32 {
    let product = f32::from(level) * n.scale[c];
    (product + n.offset[c]).to_bits()
}

/// A source resized alone, on one lane.
fn resized(src: &Owned<u8>, plan: ResizePlan<'_, i16>) -> Vec<u8> {
    let ([width, height], c) = (plan.resize().to, src.channels);
    let mut out = vec![7; width * height * c];
    let mut workspace = vec![0; resize_workspace(src.size[0], c)];
    resize(plan, src.view(), ImageMut::new(&mut out, width, height, c).unwrap(), &mut workspace).unwrap();
    out
}

fn drawn_normalization(r: &mut Noise) -> Normalization {
    let mut three = || [0; 3].map(|_| r.within(0..=2_000_000) as f32 / 3e5 - 3.0);
    Normalization { scale: three(), offset: three() }
}

/// Runs `op` on every lane with a workspace that nobody may read, alone and on threads, and compares the bits.
fn check(
    want: &[u32],
    need: usize,
    what: &dyn std::fmt::Debug,
    op: impl Fn(&mut [f32], &mut [i16], bool) -> Result<(), Error>,
) {
    for (rows, threads) in [(1, false), (1, true), (3, true), (8, true)] {
        let mut got = vec![f32::NAN; want.len()];
        op(&mut got, &mut vec![i16::MIN; rows * need], threads).unwrap();
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            assert_eq!(got.to_bits(), *want, "{what:?} at {i}: {got}, not {}", f32::from_bits(*want));
        }
    }
}

fn rgb(r: &mut Noise, resize: Resize) {
    let src = Owned::<u8>::drawn(r, resize.from, 3);
    let (mut planned, n) = (Planned::<i16>::new(resize), drawn_normalization(r));
    let plan = planned.plan();
    let bytes = resized(&src, plan);
    let pixels = bytes.as_chunks::<3>().0;
    let want: Vec<u32> = (0..3).flat_map(|c| pixels.iter().map(move |p| normalised(&n, c, p[c]))).collect();
    let need = rgb_to_tensor_workspace(resize.from[0], resize.to[0]);
    for_each_lane!(|s| {
        check(&want, need, &(resize, name_of(s)), |dst, workspace, threads| {
            #[cfg(feature = "parallel")]
            if threads {
                return fulmen::parallel::rgb_to_tensor_on(s, plan, src.view(), n, dst, workspace);
            }
            _ = threads;
            rgb_to_tensor_on(s, plan, src.view(), n, dst, workspace)
        });
    });
}

fn nv12(r: &mut Noise, resize: Resize, chroma_by: Interpolation, coding: usize) {
    let (_, coding, shares, full) = CODINGS[coding];
    let of_chroma = Resize { by: chroma_by, ..resize.chroma() };
    let luma = Owned::<u8>::drawn(r, resize.from, 1);
    let chroma = Owned::<u8>::drawn(r, resize.from.map(|n| n.div_ceil(2)), 2);
    let (mut one, mut other, n) =
        (Planned::<i16>::new(resize), Planned::<i16>::new(of_chroma), drawn_normalization(r));
    let (luma_plan, chroma_plan) = (one.plan(), other.plan());
    let (levels, pairs) = (resized(&luma, luma_plan), resized(&chroma, chroma_plan));
    let pixels: Vec<[u8; 3]> = levels
        .iter()
        .zip(pairs.as_chunks::<2>().0)
        .map(|(y, [u, v])| colour(shares, full, *y, *u, *v).map(|p| p as u8))
        .collect();
    let pixels = &pixels;
    let want: Vec<u32> = (0..3).flat_map(|c| pixels.iter().map(move |p| normalised(&n, c, p[c]))).collect();
    let need = nv12_to_tensor_workspace(resize.from[0], resize.to[0]);
    for_each_lane!(|s| {
        check(&want, need, &(resize, chroma_by, coding, name_of(s)), |dst, workspace, threads| {
            let (y, uv) = (luma.view(), chroma.view());
            #[cfg(feature = "parallel")]
            if threads {
                return fulmen::parallel::nv12_to_tensor_on(
                    s,
                    luma_plan,
                    chroma_plan,
                    y,
                    uv,
                    coding,
                    n,
                    dst,
                    workspace,
                );
            }
            _ = threads;
            nv12_to_tensor_on(s, luma_plan, chroma_plan, y, uv, coding, n, dst, workspace)
        });
    });
}

pub fn chains(r: &mut Noise) {
    let mut coding = 0;
    for (_, by) in ALL {
        for antialias in [false, true] {
            let mut size = |most| [r.size(most), r.size(most)];
            let resize = Resize { from: size(40), to: size(30), by, antialias };
            let chroma_by = ALL[r.within(0..=6)].1;
            rgb(r, resize);
            nv12(r, resize, chroma_by, coding % 4);
            coding += 1;
        }
    }
    // Around a block of a row, and two; groups of rows that are whole and that are not; enough for threads.
    for width in [31, 32, 33, 63, 64, 65] {
        let to = [width, r.within(3..=9)];
        let resize =
            Resize { from: [r.size(70), r.size(9)], to, by: Interpolation::Bilinear, antialias: true };
        rgb(r, resize);
        nv12(r, resize, Interpolation::Bilinear, width % 4);
    }
    let resize = Resize { from: [700, 64], to: [97, 61], by: Interpolation::Bicubic, antialias: true };
    rgb(r, resize);
    nv12(r, resize, Interpolation::Bilinear, 1);
}

/// A frame of one colour, whose result is near that of the frame in red, green and blue, resized: within a level of rounding for each factor.
pub fn near_colours(r: &mut Noise) {
    let from = [26, 18];
    let resize = Resize { from, to: [9, 7], by: Interpolation::Bilinear, antialias: true };
    let (mut one, mut other) = (Planned::<i16>::new(resize), Planned::<i16>::new(resize.chroma()));
    for (_, coding, ..) in CODINGS {
        // Slow changes of chroma and of luma, far from what is clipped.
        let luma: Vec<u8> = (0..26 * 18).map(|i| 110 + (i % 26 + i / 26) as u8 / 2).collect();
        let at = r.within(118..=124) as u8;
        let chroma: Vec<u8> = (0..13 * 9 * 2).map(|i| at + (i / 2 % 13) as u8 / 2).collect();
        let (y, uv) = (Image::new(&luma, 26, 18, 1).unwrap(), Image::new(&chroma, 13, 9, 2).unwrap());
        let mut colours = vec![0; 26 * 18 * 3];
        nv12_to_rgb(y, uv, coding, ImageMut::new(&mut colours, 26, 18, 3).unwrap()).unwrap();
        let levels = Normalization { scale: [1.0; 3], offset: [0.0; 3] };
        let (mut want, mut got) = ([0.0; 9 * 7 * 3], [0.0; 9 * 7 * 3]);
        let mut workspace = vec![0; nv12_to_tensor_workspace(26, 9).max(rgb_to_tensor_workspace(26, 9))];
        let colours = Image::new(&colours, 26, 18, 3).unwrap();
        rgb_to_tensor(one.plan(), colours, levels, &mut want, &mut workspace).unwrap();
        nv12_to_tensor(one.plan(), other.plan(), y, uv, coding, levels, &mut got, &mut workspace).unwrap();
        for (got, want) in got.iter().zip(want) {
            assert!((got - want).abs() <= 3.0, "{coding:?}: {got}, not about {want}");
        }
    }
}

fn normalization(e: &EdgeCase) -> Normalization {
    match word(e, "normalization") {
        Some("mixed") => Normalization { scale: [0.5, 1.0, 2.0], offset: [0.0, -10.0, 1.0] },
        Some("nan") => {
            Normalization { scale: [f32::NAN, f32::INFINITY, -1.0], offset: [0.0, f32::INFINITY, 0.0] }
        }
        _ => Normalization { scale: [1.0; 3], offset: [0.0; 3] },
    }
}

pub fn case<S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, size, channels) = input::<u8>(e, 0);
    let of = |name: &str, or: usize| number(e, name).unwrap_or(or);
    let to = [of("width", 1), of("height", 1)];
    let resize = Resize {
        from: [of("from_width", size[0]), size[1]],
        to,
        by: by_name(e),
        antialias: number(e, "antialias") == Some(1),
    };
    let n = normalization(e);
    let mut out = vec![7.0; of("dst_len", 3 * to[0] * to[1])];
    let mut planned = Planned::new(resize);
    let src = Image::new(&data, size[0], size[1], channels)?;
    let done = if op == "rgb_to_tensor" {
        let need = of("workspace", rgb_to_tensor_workspace(size[0], to[0]));
        rgb_to_tensor_on(s, planned.plan(), src, n, &mut out, &mut vec![0; need])
    } else {
        let chroma: Vec<u8> = e.inputs[1].iter().map(|x| x.value("u8") as u8).collect();
        let channels = of("chroma_channels", 2);
        let [rows, cols] = e.shapes.as_ref().unwrap()[1];
        let chroma = Image::new(&chroma, cols / channels, rows, channels)?;
        let name = word(e, "coding").unwrap_or("bt601");
        let coding = CODINGS.iter().find(|coding| coding.0 == name).unwrap().1;
        let of_chroma = Resize {
            from: [of("chroma_width", resize.chroma().from[0]), resize.chroma().from[1]],
            to: [of("chroma_to", to[0]), to[1]],
            ..resize
        };
        let mut other = Planned::new(of_chroma);
        let need = of("workspace", nv12_to_tensor_workspace(size[0], to[0]));
        let workspace = &mut vec![0; need];
        nv12_to_tensor_on(s, planned.plan(), other.plan(), src, chroma, coding, n, &mut out, workspace)
    };
    assert!(done.is_ok() || out.iter().all(|x| *x == 7.0));
    done.map(|()| out.iter().map(|x| f64::from(*x)).collect())
}
