//! Counts of levels, and what follows from them.

use super::*;
use fulmen::lanes::Simd;

const KINDS: [(&str, ThresholdKind); 5] = [
    ("binary", ThresholdKind::Binary),
    ("binary_inverse", ThresholdKind::BinaryInverse),
    ("truncate", ThresholdKind::Truncate),
    ("to_zero", ThresholdKind::ToZero),
    ("to_zero_inverse", ThresholdKind::ToZeroInverse),
];

/// Noise, one level or two parts.
fn picture(r: &mut Noise, size: [usize; 2], channels: usize) -> Owned<u8> {
    let (kind, base) = (r.within(0..=3), r.within(0..=100));
    Owned::new(r, size, channels, |r| match kind {
        0 => u8::draw(r),
        1 => base as u8,
        2 => (base + 100 * r.within(0..=1) + r.within(0..=20)) as u8,
        _ => (base + r.within(0..=3)) as u8,
    })
}

fn channel(src: &Owned<u8>, c: usize) -> Vec<u8> {
    src.elements().into_iter().skip(c).step_by(src.channels).collect()
}

/// The level of the definition: means and shares of both parts, of the pixels themselves.
fn parted(pixels: &[u8]) -> u8 {
    let mean = |part: &[u8]| part.iter().map(|p| f64::from(*p)).sum::<f64>() / part.len() as f64;
    let mut best = (-1.0, 0);
    let levels: std::collections::BTreeSet<u8> = pixels.iter().copied().collect();
    for t in &levels {
        let (below, above): (Vec<u8>, Vec<u8>) = pixels.iter().partition(|p| *p <= t);
        if above.is_empty() {
            continue;
        }
        let share = below.len() as f64 / pixels.len() as f64;
        let apart = share * (1.0 - share) * (mean(&below) - mean(&above)).powi(2);
        if apart > best.0 * (1.0 + 1e-12) {
            best = (apart, *t);
        }
    }
    if levels.len() == 1 { pixels[0] } else { best.1 }
}

pub fn counts(r: &mut Noise) {
    for (round, channels) in (0..8).zip((1..=4).cycle()) {
        let size = if round == 0 { [1, 1] } else { [r.size(90), r.size(9)] };
        let src = picture(r, size, channels);
        let mut want = vec![0u32; 256 * channels];
        for (i, p) in src.elements().into_iter().enumerate() {
            want[i % channels * 256 + usize::from(p)] += 1;
        }
        let levels: Vec<u8> = (0..channels).map(|c| parted(&channel(&src, c))).collect();
        for_each_lane!(|s| {
            let (mut counts, mut found) = (vec![9; 256 * channels], vec![9; channels]);
            histogram_on(s, src.view(), &mut counts, &mut vec![9; histogram_workspace()]).unwrap();
            assert_eq!(counts, want, "{size:?} {channels}");
            otsu_on(s, &counts, &mut found).unwrap();
            assert_eq!(found, levels, "{size:?} {channels}");
        });
    }
}

fn spread(r: &mut Noise, size: [usize; 2], channels: usize) {
    let src = picture(r, size, channels);
    let pixels = src.elements();
    let want: Vec<u8> = pixels
        .iter()
        .enumerate()
        .map(|(i, p)| {
            let all: Vec<u8> = pixels.iter().skip(i % channels).step_by(channels).copied().collect();
            let up_to = |v: u8| all.iter().filter(|p| **p <= v).count();
            let darkest = up_to(*all.iter().min().unwrap());
            if darkest == all.len() {
                return *p;
            }
            let exact = 255.0 * (up_to(*p) - darkest) as f64 / (all.len() - darkest) as f64;
            (exact + 0.5).floor() as u8
        })
        .collect();
    let blank = Owned::<u8>::blank(r, size, channels);
    for_each_lane!(|s| {
        let (mut dst, mut room) = (blank.clone(), vec![9; equalize_workspace(channels)]);
        equalize_on(s, src.view(), dst.view_mut(), &mut room).unwrap();
        assert!(dst.elements() == want && dst.untouched(), "{size:?} {channels}");
        #[cfg(feature = "parallel")]
        {
            let mut other = blank.clone();
            fulmen::parallel::equalize_on(s, src.view(), other.view_mut(), &mut room).unwrap();
            assert_eq!(other.data, dst.data);
        }
    });
}

/// Of images of many pixels there are few levels, or all are compared with all.
pub fn spreads(r: &mut Noise) {
    for channels in [1, 1, 2, 3, 4] {
        let size = [r.size(30), r.size(5)];
        spread(r, size, channels);
    }
    // Enough for threads, by sums.
    let src = Owned::<u8>::drawn(r, [400, 90], 1);
    let (mut one, mut other) = (vec![7; 36000], vec![7; 36000]);
    let mut room = vec![0; equalize_workspace(1)];
    equalize(src.view(), ImageMut::new(&mut one, 400, 90, 1).unwrap(), &mut room).unwrap();
    #[cfg(feature = "parallel")]
    {
        let to = ImageMut::new(&mut other, 400, 90, 1).unwrap();
        fulmen::parallel::equalize(src.view(), to, &mut room).unwrap();
        assert_eq!(one, other);
    }
    other.fill(0);
    assert_ne!(one, other);
}

pub fn thresholds(r: &mut Noise) {
    for (i, (name, kind)) in KINDS.into_iter().enumerate() {
        for channels in 1..=4 {
            let size = if channels == 4 && i == 0 { [700, 13] } else { [r.size(70), r.size(5)] };
            let (src, level) = (picture(r, size, channels), r.within(0..=255) as u8);
            let want: Vec<u8> = src
                .elements()
                .into_iter()
                .map(|p| match (name, p > level) {
                    ("binary", true) | ("binary_inverse", false) => 255,
                    ("truncate", true) => level,
                    ("truncate" | "to_zero_inverse", false) | ("to_zero", true) => p,
                    _ => 0,
                })
                .collect();
            let blank = Owned::<u8>::blank(r, size, channels);
            for_each_lane!(|s| {
                let mut dst = blank.clone();
                threshold_image_on(s, src.view(), level, kind, dst.view_mut()).unwrap();
                assert!(dst.elements() == want && dst.untouched(), "{name} {size:?} {channels}");
                #[cfg(feature = "parallel")]
                {
                    let mut other = blank.clone();
                    fulmen::parallel::threshold_image_on(s, src.view(), level, kind, other.view_mut())
                        .unwrap();
                    assert_eq!(other.data, dst.data);
                }
            });
        }
    }
}

fn total<A: Total + Into<u64> + PartialEq>(r: &mut Noise, channels: usize) {
    let [w, h] = [r.size(30), r.size(9)];
    let src = picture(r, [w, h], channels);
    let pixels = src.elements();
    let stride = (w + 1) * channels + 3;
    for_each_lane!(|s| {
        let mut sums = vec![A::default(); stride * (h + 1)];
        let to = ImageMut::strided(&mut sums, w + 1, h + 1, channels, stride).unwrap();
        integral_on(s, src.view(), to).unwrap();
        for (i, got) in sums.iter().enumerate() {
            let (y, x, c) = (i / stride, i % stride / channels, i % stride % channels);
            let inside = |i: usize| i / channels % w < x && i / channels / w < y && i % channels == c;
            let want = if x > w {
                0
            } else {
                (0..pixels.len()).filter(|i| inside(*i)).map(|i| u64::from(pixels[i])).sum()
            };
            assert_eq!(Into::<u64>::into(*got), want, "{w} {h} {channels} {x} {y} {c}");
        }
    });
}

pub fn totals(r: &mut Noise) {
    for channels in 1..=4 {
        total::<u32>(r, channels);
        total::<u64>(r, channels);
    }
}

pub fn case<S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<u8>(e, 0);
    let counted = |channels: usize| -> Vec<u32> {
        let mut counts = vec![0; 256 * channels];
        data.iter().enumerate().for_each(|(i, p)| counts[i % channels * 256 + usize::from(*p)] += 1);
        counts
    };
    if op == "otsu" {
        let mut counts = if channels == 0 { vec![] } else { counted(channels) };
        if let Some(n) = number(e, "counts") {
            counts.truncate(n);
        }
        if number(e, "none").is_some() {
            counts.fill(0);
        }
        let mut levels = vec![7; channels];
        let done = otsu_on(s, &counts, &mut levels);
        assert!(done.is_ok() || levels.iter().all(|level| *level == 7));
        return done.map(|()| levels.into_iter().map(f64::from).collect());
    }
    let src = Image::new(&data, w, h, channels)?;
    let mut room = vec![9; number(e, "workspace").unwrap_or(1024 * channels)];
    if op == "histogram" {
        let mut counts = vec![7; number(e, "counts").unwrap_or(256 * channels)];
        let done = histogram_on(s, src, &mut counts, &mut room);
        assert!(done.is_ok() || counts.iter().all(|n| *n == 7));
        let levels = word(e, "levels").unwrap_or_default().split(',');
        return done.map(|()| levels.map(|i| counts[i.parse::<usize>().unwrap()].into()).collect());
    }
    if op == "integral" {
        let (wide, high) =
            (number(e, "dst_width").unwrap_or(w + 1), number(e, "dst_height").unwrap_or(h + 1));
        let channels = number(e, "dst_channels").unwrap_or(channels);
        let mut sums = vec![7u32; wide * high * channels];
        let done = integral_on(s, src, ImageMut::new(&mut sums, wide, high, channels)?);
        assert!(done.is_ok() || sums.iter().all(|n| *n == 7));
        return done.map(|()| sums.into_iter().map(f64::from).collect());
    }
    into_bytes(e, [w, h], channels, |dst| match op {
        "equalize" => equalize_on(s, src, dst, &mut room),
        _ => {
            let name = word(e, "kind").unwrap_or("binary");
            let kind = KINDS.iter().find(|kind| kind.0 == name).unwrap().1;
            threshold_image_on(s, src, number(e, "level").unwrap() as u8, kind, dst)
        }
    })
}

pub fn refusals() {
    assert_eq!(
        [histogram_workspace(), equalize_workspace(3), equalize_workspace(usize::MAX)],
        [768, 1536, usize::MAX]
    );
    // The first image whose sums 32 bits may not hold is refused before its result is looked at.
    let src = vec![0u8; 16_843_010];
    for (n, error) in
        [(16_843_010, Error::overflow("src")), (16_843_009, Error::shape("dst", [2, 16_843_010], [1, 1]))]
    {
        let mut sums = [7u32];
        let from = Image::new(&src[..n], n, 1, 1).unwrap();
        assert_eq!(integral(from, ImageMut::new(&mut sums, 1, 1, 1).unwrap()), Err(error));
        assert_eq!(sums, [7]);
    }
    let mut sums = [7u64];
    let from = Image::new(&src, 16_843_010, 1, 1).unwrap();
    let refused = integral(from, ImageMut::new(&mut sums, 1, 1, 1).unwrap());
    assert_eq!(refused, Err(Error::shape("dst", [2, 16_843_011], [1, 1])));
}
