//! What the steps do with alpha, and with words of 16 bits.

use super::*;

/// A step that each picture runs through: with and without alpha.
const KEPT: [&str; 7] = [
    "sobel",
    "median --size 3",
    "erode --size 3",
    "dilate --size 5x3",
    "equalize",
    "threshold --otsu",
    "canny --low 9 --high 99",
];
/// Steps that make a pixel of several.
const WEIGHED: [&str; 6] = [
    "resize 23x31",
    "resize 50x40 --by lanczos3",
    "blur --sigma 1.7",
    "blur --sigma 2 --size 5",
    "box --size 3x4",
    "rotate 17",
];
/// Steps that move pixels.
const MOVED: [&str; 8] = [
    "crop 20x11+3+5",
    "flip horizontal",
    "flip both",
    "rotate 90",
    "rotate 180",
    "rotate -90",
    "resize 17x40 --by nearest",
    "resize 17x40 --by nearest-floor",
];

#[test]
fn alpha() {
    let folder = Folder::new("alpha");
    let mut draw = Draw::new();
    for colours in [1, 3] {
        let p = draw.bytes([37, 29], colours);
        // A hole, a slope, and opaque pixels.
        let alpha = |i: usize| match (i % 37, i / 37) {
            (4..18, 5..15) => 0,
            (x, 20..) => (x * 7) as u16,
            _ => 255,
        };
        let seen = p.with(alpha);
        let opaque = p.with(|_| 255);
        // The same picture with other colours where nothing is seen.
        let mut other = seen.clone();
        for pixel in other.data.chunks_exact_mut(colours + 1).filter(|pixel| pixel[colours] == 0) {
            pixel[..colours].iter_mut().for_each(|x| *x = 255 - *x);
        }
        assert!(other != seen);
        for step in MOVED {
            let got = ran(&seen, step);
            assert!(got.part(false) == ran(&p, step), "{step}");
            assert!(got.part(true) == ran(&seen.part(true), step), "{step}");
        }
        for step in WEIGHED {
            let got = ran(&seen, step);
            assert!(got == ran(&other, step), "{step}: colours of transparent pixels count");
            let a = ran(&seen.part(true), step);
            let off = |(x, y): (&u16, &u16)| x.abs_diff(*y) <= 1;
            assert!(got.part(true).data.iter().zip(&a.data).all(off), "{step}: alpha");
            // Where alpha is one number, colours are those of the picture without it. Only a turn has pixels beyond.
            let want = ran(&p, step);
            let even = ran(&p.with(|_| 200), step);
            let a = even.part(true).data;
            for (i, (got, want)) in even.part(false).data.iter().zip(&want.data).enumerate() {
                let inside = a[i / colours] >= 199;
                assert!(!inside || got.abs_diff(*want) <= 1, "{step} at {i}: {got}, not {want}");
            }
            let even = ran(&opaque, step);
            if !step.starts_with("rotate") {
                assert!(even.part(false) == want && even.part(true).data.iter().all(|a| *a == 255), "{step}");
            }
        }
        // Corners of a turned picture are transparent.
        let turned = ran(&opaque, "rotate 45");
        assert_eq!((turned.data[colours], turned.size), (0, [47, 47]));
        let middle = (turned.size[1] / 2 * turned.size[0] + turned.size[0] / 2) * (colours + 1);
        assert_eq!(turned.data[middle + colours], 255);
        for step in ["grey", "threshold --at 99", "depth 16"] {
            let got = ran(&seen, step);
            assert!(got.part(false) == ran(&p, step), "{step}");
            assert!(
                got.part(true) == ran(&seen.part(true), if step == "depth 16" { step } else { "" }),
                "{step}"
            );
        }
        for step in KEPT {
            let why = refused(&folder, &seen, step);
            assert!(
                why.contains(&format!("step 1, {step}: it would show the colours of transparent pixels")),
                "{why}"
            );
            let (got, want) = (ran(&opaque, step), ran(&p, step));
            if step.starts_with("canny") {
                assert!(got == want, "{step}");
            } else {
                assert!(got.part(false) == want && got.part(true).data.iter().all(|a| *a == 255), "{step}");
            }
        }
        for (words, onto) in
            [("", [255u32; 3]), (" --onto black", [0; 3]), (" --onto 20c0ff", [32, 192, 255])]
        {
            let got = ran(&seen, &format!("flatten{words}"));
            let channels = if colours == 1 && onto == [onto[0]; 3] { 1 } else { 3 };
            assert_eq!(got.channels, channels);
            for (i, got) in got.data.chunks_exact(channels).enumerate() {
                let a = f64::from(alpha(i)) / 255.0;
                for (c, got) in got.iter().enumerate() {
                    let level = f64::from(p.data[i * colours + c.min(colours - 1)]);
                    let want = level * a + f64::from(onto[c]) * (1.0 - a);
                    assert!(
                        (f64::from(*got) - want).abs() < 0.501,
                        "flatten{words} at {i}: {got}, not {want}"
                    );
                }
            }
            let (_, _, err) = program(&[&folder.path("in.png"), &folder.path("out.jpg")]);
            assert!(err.contains("out.jpg: JPEG has no alpha: the step `flatten`"), "{err}");
        }
    }
}

/// Words stay words: moved bit by bit, filtered as floats, or refused.
#[test]
fn sixteen_bits() {
    let folder = Folder::new("words");
    let mut draw = Draw::new();
    for channels in [1, 2, 3, 4] {
        let p = draw.words([31, 22], channels);
        assert!(chain(&folder, &p, "") == p);
        let at = |x: usize, y: usize, c: usize| p.data[(y * 31 + x) * channels + c];
        let made = |size: [usize; 2], of: &dyn Fn(usize, usize, usize) -> u16| {
            let n = size[0] * size[1] * channels;
            let data =
                (0..n).map(|i| of(i / channels % size[0], i / channels / size[0], i % channels)).collect();
            Raw { size, channels, bits: 16, data }
        };
        assert!(chain(&folder, &p, "flip horizontal") == made([31, 22], &|x, y, c| at(30 - x, y, c)));
        assert!(chain(&folder, &p, "rotate 90") == made([22, 31], &|x, y, c| at(y, 21 - x, c)));
        assert!(chain(&folder, &p, "crop 5x4+20+11") == made([5, 4], &|x, y, c| at(20 + x, 11 + y, c)));
        assert!(
            chain(&folder, &p, "resize 62x44 --by nearest") == made([62, 44], &|x, y, c| at(x / 2, y / 2, c))
        );
        for step in [
            "grey",
            "median --size 3",
            "canny --low 1 --high 2",
            "erode --size 3",
            "dilate --size 3",
            "equalize",
            "threshold --at 7",
        ] {
            // Alpha is refused first, for some.
            let opaque = if channels % 2 == 0 { p.part(false).with(|_| 65_535) } else { p.clone() };
            let why = refused(&folder, &opaque, step);
            assert!(why.contains("it takes 8 bits for each number, not 16: the step `depth 8`"), "{why}");
        }
        let eight = chain(&folder, &p, "depth 8");
        let byte = |x: &u16| (f64::from(*x) * 255.0 / 65_535.0).round() as u16;
        assert!(eight == Raw { bits: 8, data: p.data.iter().map(byte).collect(), ..p.clone() });
        let (_, _, err) = program(&[&folder.file("in.png", p.png()), &folder.path("out.jpeg")]);
        assert!(err.contains("out.jpeg: JPEG has 8 bits for each number, not 16"), "{err}");
        if channels % 2 == 0 {
            continue;
        }
        // Beside the same filters of the floats.
        let floats: Vec<f32> = p.data.iter().map(|x| f32::from(*x)).collect();
        let src = Image::new(&floats, 31, 22, channels).unwrap();
        let mut want = vec![0.0; floats.len()];
        let mut room = vec![0.0; fulmen::correlate_separable_workspace(31, channels, gaussian_len(1.4))];
        let to = ImageMut::new(&mut want, 31, 22, channels).unwrap();
        fulmen::gaussian(src, 1.4, Border::Clamp, to, &mut [0.0; gaussian_len(1.4)], &mut room).unwrap();
        let near = |got: Raw, want: &[f32]| {
            got.bits == 16
                && got
                    .data
                    .iter()
                    .zip(want)
                    .all(|(x, y)| (f32::from(*x) - y.clamp(0.0, 65_535.0)).abs() <= 0.5)
        };
        assert!(near(chain(&folder, &p, "blur --sigma 1.4"), &want));
        let how = Resize { from: [31, 22], to: [40, 9], by: Interpolation::Lanczos3, antialias: true };
        let (mut spans, mut weights) = (vec![[0; 2]; how.spans()], vec![0.0f32; how.weights::<f32>()]);
        let plan = ResizePlan::new(how, &mut spans, &mut weights).unwrap();
        let mut want = vec![0.0; 40 * 9 * channels];
        let mut room = vec![0.0; fulmen::resize_workspace(31, channels)];
        fulmen::resize(plan, src, ImageMut::new(&mut want, 40, 9, channels).unwrap(), &mut room).unwrap();
        assert!(near(chain(&folder, &p, "resize 40x9 --by lanczos3"), &want));
        let (mut dx, mut dy) = (vec![0.0; floats.len()], vec![0.0; floats.len()]);
        let of = |data| ImageMut::new(data, 31, 22, channels).unwrap();
        fulmen::sobel(src, Border::Clamp, of(&mut dx), of(&mut dy)).unwrap();
        let want: Vec<f32> = dx.iter().zip(&dy).map(|(x, y)| (x * x + y * y).sqrt() / 4.0).collect();
        assert!(near(chain(&folder, &p, "sobel"), &want));
        assert_eq!(chain(&folder, &p, "rotate 33").bits, 16);
    }
    // A transparent word counts for nothing.
    let mut p =
        Raw { size: [3, 1], channels: 2, bits: 16, data: vec![1000, 65_535, 60_000, 0, 1000, 65_535] };
    let got = chain(&folder, &p, "blur --sigma 1");
    assert_eq!(got.part(false).data, [1000; 3]);
    p.data[2] = 5;
    assert!(chain(&folder, &p, "blur --sigma 1") == got);
}
