//! Colours in other numbers, and pixels in other places.

use super::*;
use fulmen::lanes::Simd;

fn luma_of(name: &str) -> (Luma, [i64; 3], [f64; 3]) {
    match name {
        "bt709" => (Luma::Bt709, [6966, 23436, 2366], [0.2126, 0.7152, 0.0722]),
        _ => (Luma::Bt601, [9798, 19235, 3735], [0.299, 0.587, 0.114]),
    }
}

pub fn greys(r: &mut Noise) {
    for name in ["bt601", "bt709"] {
        let (luma, weights, exact) = luma_of(name);
        assert_eq!(weights.iter().sum::<i64>(), 32768);
        for (channels, size) in [(3, [r.size(70), r.size(5)]), (4, [r.size(70), r.size(5)]), (3, [900, 13])] {
            let src = Owned::<u8>::drawn(r, size, channels);
            let pixels = src.elements();
            let blank = Owned::<u8>::blank(r, size, 1);
            for_each_lane!(|s| {
                let mut dst = blank.clone();
                grey_on(s, src.view(), luma, dst.view_mut()).unwrap();
                assert!(dst.untouched());
                for (p, got) in pixels.chunks(channels).zip(dst.elements()) {
                    let sum: i64 = weights.iter().zip(p).map(|(w, p)| w * i64::from(*p)).sum();
                    assert_eq!(i64::from(got), (sum + 16384).div_euclid(32768), "{name} {p:?}");
                    let near: f64 = exact.iter().zip(p).map(|(w, p)| w * f64::from(*p)).sum();
                    assert!((near - f64::from(got)).abs() < 0.51, "{name} {p:?}");
                }
                #[cfg(feature = "parallel")]
                {
                    let mut other = blank.clone();
                    fulmen::parallel::grey_on(s, src.view(), luma, other.view_mut()).unwrap();
                    assert_eq!(other.data, dst.data);
                }
            });
        }
    }
}

/// Hue and saturation as quotients of whole numbers, rounded half up.
fn hue([r, g, b]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [r, g, b].map(i64::from);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let apart = most - least;
    let rounded = |a: i64, b: i64| if b == 0 { 0 } else { (2 * a + b).div_euclid(2 * b) };
    let hue = match () {
        () if apart == 0 => 0,
        () if r == most => rounded(30 * (g - b), apart),
        () if g == most => rounded(30 * (b - r), apart) + 60,
        () => rounded(30 * (r - g), apart) + 120,
    };
    [hue.rem_euclid(180) as u8, rounded(255 * apart, most) as u8, most as u8]
}

pub fn hues(r: &mut Noise) {
    // All of two channels, beside each other, for drawn ones of the third; sizes past and below a block.
    let third = r.within(0..=255) as u8;
    let at = r.within(0..=2);
    let mut planes = vec![];
    for i in 0..=255u8 {
        for k in 0..=255u8 {
            let mut pixel = [i, k, third];
            pixel.swap(at, 2);
            planes.push(pixel);
        }
    }
    let size = [r.size(100), r.size(4)];
    let pictures = [
        Owned { data: planes.concat(), size: [65536 / 64, 64], channels: 3, stride: 3072, skip: [0; 2] },
        Owned::drawn(r, size, 3),
        Owned::new(r, [33, 2], 3, |r| r.within(0..=2) as u8 * 127),
    ];
    for src in pictures {
        let want: Vec<u8> = src.elements().as_chunks::<3>().0.iter().flat_map(|p| hue(*p)).collect();
        let blank = Owned::<u8>::blank(r, src.size, 3);
        for_each_lane!(|s| {
            let mut dst = blank.clone();
            rgb_to_hsv_on(s, src.view(), dst.view_mut()).unwrap();
            let got = dst.elements();
            let wrong = got.iter().zip(&want).position(|(a, b)| a != b).map(|i| i / 3 * 3);
            if let Some(i) = wrong {
                let [p, got, want] = [&src.elements(), &got, &want].map(|x| x[i..i + 3].to_vec());
                panic!("{p:?}: {got:?} for {want:?}");
            }
            assert!(dst.untouched());
            #[cfg(feature = "parallel")]
            {
                let mut other = blank.clone();
                fulmen::parallel::rgb_to_hsv_on(s, src.view(), other.view_mut()).unwrap();
                assert_eq!(other.data, dst.data);
            }
        });
    }
}

/// A coding; the share of red and blue in luma, and whether all levels are used.
pub const CODINGS: [(&str, Yuv, [f64; 2], bool); 4] = [
    ("bt601", Yuv::Bt601, [0.299, 0.114], false),
    ("bt709", Yuv::Bt709, [0.2126, 0.0722], false),
    ("bt601_full", Yuv::Bt601Full, [0.299, 0.114], true),
    ("bt709_full", Yuv::Bt709Full, [0.2126, 0.0722], true),
];

/// The colour by the recommendations' formulas, whose factors are rounded to 20 bits here.
pub fn colour([red, blue]: [f64; 2], full: bool, y: u8, u: u8, v: u8) -> [f64; 3] {
    let (black, luma, chroma) = if full { (0, 1.0, 1.0) } else { (16, 255.0 / 219.0, 255.0 / 224.0) };
    let green = 1.0 - red - blue;
    let unit = f64::from(1 << 20);
    let whole = |x: f64| (x * unit).round();
    let [y, u, v] = [i64::from(y) - black, i64::from(u) - 128, i64::from(v) - 128].map(|x| x as f64);
    let (of_v, of_u) = (2.0 * (1.0 - red) * chroma, 2.0 * (1.0 - blue) * chroma);
    [
        whole(luma) * y + whole(of_v) * v,
        whole(luma) * y + whole(-of_u * blue / green) * u + whole(-of_v * red / green) * v,
        whole(luma) * y + whole(of_u) * u,
    ]
    .map(|sum| (sum / unit + 0.5).floor().clamp(0.0, 255.0))
}

pub fn frames(r: &mut Noise) {
    for (i, (name, coding, shares, full)) in CODINGS.into_iter().enumerate() {
        for [w, h] in [
            [r.size(70), r.size(6)],
            [31, 2],
            [33, 3],
            [63, 2],
            [64, 2],
            if i == 0 { [1001, 15] } else { [1, 1] },
        ] {
            let (luma, chroma) =
                (Owned::<u8>::drawn(r, [w, h], 1), Owned::drawn(r, [w.div_ceil(2), h.div_ceil(2)], 2));
            let (ys, uvs) = (luma.elements(), chroma.elements());
            let blank = Owned::<u8>::blank(r, [w, h], 3);
            for_each_lane!(|s| {
                let mut dst = blank.clone();
                nv12_to_rgb_on(s, luma.view(), chroma.view(), coding, dst.view_mut()).unwrap();
                assert!(dst.untouched());
                for (i, got) in dst.elements().as_chunks::<3>().0.iter().enumerate() {
                    let at = 2 * (i / w / 2 * w.div_ceil(2) + i % w / 2);
                    let want = colour(shares, full, ys[i], uvs[at], uvs[at + 1]);
                    assert_eq!(got.map(f64::from), want, "{name} {w} {h} {i}");
                }
                #[cfg(feature = "parallel")]
                {
                    let mut other = blank.clone();
                    fulmen::parallel::nv12_to_rgb_on(s, luma.view(), chroma.view(), coding, other.view_mut())
                        .unwrap();
                    assert_eq!(other.data, dst.data);
                }
            });
        }
    }
}

/// How an op moves pixels: its words, the sizes of its result, and where the element `c` of the pixel `(x, y)` of that comes from.
struct Move {
    way: &'static str,
    size: fn([usize; 2]) -> [usize; 2],
    from: fn([usize; 2], usize, usize, usize) -> [usize; 3],
}
fn moves(op: &str) -> Vec<Move> {
    let same: fn([usize; 2]) -> [usize; 2] = |size| size;
    let turned: fn([usize; 2]) -> [usize; 2] = |[w, h]| [h, w];
    match op {
        "flip" => vec![
            Move { way: "horizontal", size: same, from: |[w, _], x, y, c| [w - 1 - x, y, c] },
            Move { way: "vertical", size: same, from: |[_, h], x, y, c| [x, h - 1 - y, c] },
            Move { way: "both", size: same, from: |[w, h], x, y, c| [w - 1 - x, h - 1 - y, c] },
        ],
        "rotate90" => vec![
            Move { way: "right", size: turned, from: |[_, h], x, y, c| [y, h - 1 - x, c] },
            Move { way: "left", size: turned, from: |[w, _], x, y, c| [w - 1 - y, x, c] },
        ],
        _ => vec![Move { way: "", size: same, from: |_, x, y, c| [x, y, [2, 1, 0, 3][c]] }],
    }
}

fn call<T: Element, S: Simd>(
    s: S,
    op: &str,
    way: &str,
    src: Image<'_, T>,
    dst: ImageMut<'_, T>,
    threads: bool,
) -> Result<(), Error> {
    let flip = match way {
        "horizontal" => Flip::Horizontal,
        "vertical" => Flip::Vertical,
        _ => Flip::Both,
    };
    let turn = if way == "right" { Turn::Right } else { Turn::Left };
    #[cfg(feature = "parallel")]
    if threads {
        return match op {
            "flip" => fulmen::parallel::flip_on(s, src, flip, dst),
            "rotate90" => fulmen::parallel::rotate90_on(s, src, turn, dst),
            _ => fulmen::parallel::rgb_to_bgr_on(s, src, dst),
        };
    }
    _ = threads;
    match op {
        "flip" => flip_on(s, src, flip, dst),
        "rotate90" => rotate90_on(s, src, turn, dst),
        _ => rgb_to_bgr_on(s, src, dst),
    }
}

fn moved_of<T: Element>(r: &mut Noise, op: &str, step: &Move, size: [usize; 2], channels: usize) {
    let src = Owned::<T>::drawn(r, size, channels);
    let blank = Owned::<T>::blank(r, (step.size)(size), channels);
    for_each_lane!(|s| {
        for threads in [false, true] {
            let mut dst = blank.clone();
            call(s, op, step.way, src.view(), dst.view_mut(), threads).unwrap();
            assert!(dst.untouched());
            let ([w, _], view) = (dst.size, src.view());
            for (i, got) in dst.elements().into_iter().enumerate() {
                let [x, y, c] = (step.from)(size, i / channels % w, i / channels / w, i % channels);
                assert_eq!(Some(got), view.get(x, y, c), "{op} {} {size:?} {channels} {i}", step.way);
            }
        }
    });
}

pub fn moved(r: &mut Noise, op: &str) {
    for step in moves(op) {
        for channels in if op == "rgb_to_bgr" { 3..=4 } else { 1..=4 } {
            let size = [r.size(70), r.size(40)];
            moved_of::<u8>(r, op, &step, size, channels);
            let size = [r.size(20), r.size(20)];
            moved_of::<f32>(r, op, &step, size, channels);
        }
        // Enough for threads.
        moved_of::<u8>(r, op, &step, [91, 121], 3);
    }
}

pub fn moved_case<T: Element, S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, size, channels) = input::<T>(e, 0);
    let src = Image::new(&data, size[0], size[1], channels)?;
    let way = word(e, "way").unwrap_or_default();
    let step = moves(op).into_iter().find(|step| step.way == way).unwrap();
    into(e, (step.size)(size), channels, |dst| call(s, op, way, src, dst, false))
}

pub fn case<S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<u8>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    match op {
        "grey" => {
            let (luma, ..) = luma_of(word(e, "luma").unwrap());
            into(e, [w, h], 1, |dst| grey_on(s, src, luma, dst))
        }
        "rgb_to_hsv" => into(e, [w, h], channels, |dst| rgb_to_hsv_on(s, src, dst)),
        _ => {
            let chroma: Vec<u8> = e.inputs[1].iter().map(|x| x.value("u8") as u8).collect();
            let channels = number(e, "chroma_channels").unwrap_or(2);
            let [rows, cols] = e.shapes.as_ref().unwrap()[1];
            let chroma = Image::new(&chroma, cols / channels, rows, channels)?;
            let name = word(e, "coding").unwrap_or("bt601");
            let coding = CODINGS.iter().find(|coding| coding.0 == name).unwrap().1;
            into(e, [w, h], 3, |dst| nv12_to_rgb_on(s, src, chroma, coding, dst))
        }
    }
}
