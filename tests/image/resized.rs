//! Other sizes.

use super::*;
use fulmen::contract::spec;

pub const ALL: [(&str, Interpolation); 7] = [
    ("nearest", Interpolation::Nearest),
    ("nearest_floor", Interpolation::NearestFloor),
    ("bilinear", Interpolation::Bilinear),
    ("bicubic", Interpolation::Bicubic),
    ("bicubic_sharp", Interpolation::BicubicSharp),
    ("lanczos3", Interpolation::Lanczos3),
    ("area", Interpolation::Area),
];

/// A plan's memory.
pub struct Planned<W> {
    resize: Resize,
    spans: Vec<[u32; 2]>,
    weights: Vec<W>,
}
impl<W: Weight> Planned<W> {
    pub fn new(resize: Resize) -> Self {
        let weights = vec![W::default(); resize.weights::<W>()];
        Self { resize, spans: vec![[9; 2]; resize.spans()], weights }
    }
    pub fn plan(&mut self) -> ResizePlan<'_, W> {
        ResizePlan::new(self.resize, &mut self.spans, &mut self.weights).unwrap()
    }
}

fn kernel(by: Interpolation, x: f64) -> f64 {
    let x = x.abs();
    let sinc =
        |x: f64| if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) };
    let cubic = |a: f64| match x {
        _ if x <= 1.0 => (a + 2.0) * x.powi(3) - (a + 3.0) * x.powi(2) + 1.0,
        _ if x < 2.0 => a * x.powi(3) - 5.0 * a * x.powi(2) + 8.0 * a * x - 4.0 * a,
        _ => 0.0,
    };
    match by {
        Interpolation::Bilinear => (1.0 - x).max(0.0),
        Interpolation::Bicubic => cubic(-0.5),
        Interpolation::BicubicSharp => cubic(-0.75),
        _ if x < 3.0 => sinc(x) * sinc(x / 3.0),
        _ => 0.0,
    }
}

/// The weights of all `n` pixels for each of `m` results.
fn matrix(by: Interpolation, antialias: bool, n: usize, m: usize) -> Vec<Vec<f64>> {
    let ratio = n as f64 / m as f64;
    let scale = if antialias { ratio.max(1.0) } else { 1.0 };
    let of = |o: usize| {
        let mut w = vec![0.0; n];
        match by {
            Interpolation::Nearest => w[(2 * o + 1) * n / (2 * m)] = 1.0,
            Interpolation::NearestFloor => w[o * n / m] = 1.0,
            Interpolation::Area => {
                let (from, to) = (o as f64 * ratio, (o + 1) as f64 * ratio);
                for (j, w) in w.iter_mut().enumerate() {
                    *w = (to.min(j as f64 + 1.0) - from.max(j as f64)).max(0.0);
                }
            }
            _ => {
                for j in -4..n as isize + 4 {
                    let inside = (0..n as isize).contains(&j);
                    if inside || !antialias {
                        let at = j.clamp(0, n as isize - 1) as usize;
                        w[at] += kernel(by, (j as f64 + 0.5 - (o as f64 + 0.5) * ratio) / scale);
                    }
                }
            }
        }
        let sum: f64 = w.iter().sum();
        w.iter().map(|w| w / sum).collect()
    };
    (0..m).map(of).collect()
}

/// `Σ v·w·src` and `Σ |v·w·src|`, element by element.
fn reference<T: Element>(src: &Owned<T>, resize: Resize) -> Vec<[f64; 2]> {
    let [x, y] = [0, 1].map(|i| matrix(resize.by, resize.antialias, resize.from[i], resize.to[i]));
    let (elements, c) = (src.elements(), src.channels);
    let mut out = vec![];
    for v in &y {
        for w in &x {
            for c0 in 0..c {
                let mut sums = [0.0; 2];
                for (k, v) in v.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    for (j, w) in w.iter().enumerate().filter(|(_, w)| **w != 0.0) {
                        let term = v * w * elements[(k * resize.from[0] + j) * c + c0].get();
                        sums[0] += term;
                        sums[1] += term.abs();
                    }
                }
                out.push(sums);
            }
        }
    }
    out
}

/// What an element may be off by, where so many weights are summed.
fn allowed<T: Element>(taps: usize, terms: f64) -> f64 {
    let tolerance = spec("resize").unwrap().tolerance(T::NAME).unwrap();
    match T::NAME {
        "u8" => tolerance.allowed::<f32>(0.0, &[], 0.0),
        _ => {
            let fulmen::contract::Tolerance::Gamma { times, plus, .. } = tolerance else { panic!("a gamma") };
            let k = (times * taps as f64 + plus) * f64::from(f32::EPSILON) / 2.0;
            k / (1.0 - k) * terms
        }
    }
}

/// A workspace of numbers that no resize may read: NaN in `f32`, the least and a large number in `i16`.
fn stale<M: bytemuck::Pod>(n: usize) -> Vec<M> {
    let mut all = vec![M::zeroed(); n];
    let bytes = bytemuck::cast_slice_mut::<M, u8>(&mut all).iter_mut();
    bytes.zip([0x00, 0x80, 0xc0, 0x7f].into_iter().cycle()).for_each(|(to, byte)| *to = byte);
    all
}

fn one<T: Element + Resample<Middle: Default + bytemuck::Pod>>(
    r: &mut Noise,
    resize: Resize,
    channels: usize,
) {
    let src = Owned::<T>::drawn(r, resize.from, channels);
    let want = reference(&src, resize);
    let blank = Owned::<T>::blank(r, resize.to, channels);
    let mut planned = Planned::<T::Weight>::new(resize);
    let plan = planned.plan();
    let need = resize_workspace(resize.from[0], channels);
    let taps = [0, 1].map(|i| matrix(resize.by, resize.antialias, resize.from[i], resize.to[i]));
    let most = |m: &Vec<Vec<f64>>| m.iter().map(|w| w.iter().filter(|w| **w != 0.0).count()).max().unwrap();
    let [tx, ty] = [most(&taps[0]), most(&taps[1])];
    // Beyond what the contract says of ten times fewer.
    let more = if T::NAME == "u8" { tx.max(ty).saturating_sub(62).div_ceil(72) as f64 } else { 0.0 };
    let check = |dst: &Owned<T>, lane: &str| {
        assert!(dst.untouched(), "{resize:?} {channels}");
        let mut errors = common::Errors::of("resize", T::NAME, lane);
        for (i, (got, [sum, terms])) in dst.elements().iter().zip(&want).enumerate() {
            let exact = if T::NAME == "u8" { (sum + 0.5).floor().clamp(0.0, 255.0) } else { *sum };
            let (error, allowed) = ((got.get() - exact).abs(), allowed::<T>(tx + ty, *terms) + more);
            assert!(error <= allowed, "{resize:?} {channels} at {i}: {got:?} for {sum}");
            errors.see(error, allowed, tx + ty);
        }
    };
    for_each_lane!(|s| {
        let mut dst = blank.clone();
        let mut workspace = stale::<T::Middle>(need);
        resize_on(s, plan, src.view(), dst.view_mut(), &mut workspace).unwrap();
        check(&dst, name_of(s));
        #[cfg(feature = "parallel")]
        for rows in [1, 3, 8] {
            let mut other = blank.clone();
            let mut workspace = stale::<T::Middle>(rows * need);
            fulmen::parallel::resize_on(s, plan, src.view(), other.view_mut(), &mut workspace).unwrap();
            assert_eq!(other.data, dst.data, "{resize:?} {channels} {rows}");
        }
    });
}

/// Of each kernel, with `step` channels more from one case to the next.
pub fn drawn(r: &mut Noise, step: usize) {
    let size = |name: &str| fulmen::thresholds::ALL.iter().find(|t| t.name == name).unwrap().value;
    let block = size("lanes::taps::BLOCK");
    let both = |r: &mut Noise, resize: Resize, channels: usize| {
        one::<u8>(r, resize, channels);
        one::<f32>(r, resize, channels);
    };
    for (_, by) in ALL {
        for antialias in [false, true] {
            for channels in (1..=4).step_by(step) {
                let mut size = |most| [r.size(most), r.size(most)];
                let resize = Resize { from: size(40), to: size(30), by, antialias };
                both(r, resize, channels);
            }
            // Rows around a block, and as many pixels.
            for blocks in 1..=2 {
                let from = [blocks * block - 1 + r.within(0..=2), 3];
                both(r, Resize { from, to: [from[0], 3], by, antialias }, 1);
            }
        }
    }
    // Rows around a strip of bytes and two, where the last is longer, and around those of floats.
    let (strip, held) = (size("image::resize::passes::STRIP"), size("lanes::taps::read::HELD"));
    for channels in 1..=4 {
        let times = [1, 2, 3][r.within(0..=2)];
        let from = [times * strip / channels - 1 + r.within(0..=2), 5];
        let to = [r.within(40..=60), 6];
        both(r, Resize { from, to, by: Interpolation::Bicubic, antialias: true }, channels);
        let from = [times * strip / 4 / channels - 1 + r.within(0..=2), 2];
        one::<f32>(r, Resize { from, to: [9, 3], by: Interpolation::Area, antialias: true }, channels);
    }
    // As many weights as rows that are looked up together, one less and one more; so for columns.
    for n in held - 1..=held + 1 {
        let to = [2 * block + 1, 1];
        both(r, Resize { from: [to[0], n], to, by: Interpolation::Bilinear, antialias: true }, 1);
        both(r, Resize { from: [n, 2], to: [1, 2], by: Interpolation::Bicubic, antialias: true }, n % 4 + 1);
    }
    // Enough for threads, and a reduction of many pixels to few.
    for (by, channels) in
        [(Interpolation::Bilinear, 3), (Interpolation::Nearest, 1), (Interpolation::Lanczos3, 4)]
    {
        let from = [900 / channels, 11];
        both(r, Resize { from, to: [5, 61], by, antialias: true }, channels);
    }
}

pub fn by_name(e: &EdgeCase) -> Interpolation {
    let name = word(e, "by").unwrap();
    ALL.iter().find(|(n, _)| *n == name).unwrap().1
}

pub fn case<T: Element + Resample, S: fulmen::lanes::Simd>(s: S, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, from, channels) = input::<T>(e, 0);
    let to = [number(e, "width").unwrap(), number(e, "height").unwrap()];
    let resize = Resize { from, to, by: by_name(e), antialias: number(e, "antialias") == Some(1) };
    let mut planned = Planned::new(resize);
    let need = number(e, "workspace").unwrap_or(resize_workspace(from[0], channels));
    let height = number(e, "dst_height").unwrap_or(to[1]);
    let others = number(e, "dst_channels").unwrap_or(channels);
    let mut out = vec![T::of(7.0); to[0] * height * others];
    let dst = ImageMut::new(&mut out, to[0], height, others)?;
    let src = Image::new(&data, from[0], from[1], channels)?;
    let done = resize_on(s, planned.plan(), src, dst, &mut vec![T::Middle::default(); need]);
    assert!(done.is_ok() || out.iter().all(|x| *x == T::of(7.0)));
    done.map(|()| out.iter().map(|x| x.get()).collect())
}

pub fn refusals() {
    let ok = Resize { from: [4, 3], to: [2, 2], by: Interpolation::Bilinear, antialias: true };
    let plan = |resize: Resize, spans: usize, weights: usize| {
        ResizePlan::<i16>::new(resize, &mut vec![[9; 2]; spans], &mut vec![9; weights]).map(|_| ()).err()
    };
    let len = |arg, expected, got| Some(Error::len(arg, expected, got));
    assert_eq!((ok.spans(), ok.weights::<i16>(), ok.weights::<f32>()), (4, 32, 14));
    assert_eq!(plan(ok, 4, 32), None);
    assert_eq!(plan(ok, 5, 32), len("spans", 4, 5));
    assert_eq!(plan(ok, 4, 31), len("weights", 32, 31));
    assert_eq!(plan(Resize { from: [0, 3], ..ok }, 4, 32), Some(Error::empty("from")));
    assert_eq!(plan(Resize { to: [2, 0], ..ok }, 2, 16), Some(Error::empty("to")));
    if let Ok(large) = usize::try_from(1u64 << 32) {
        assert_eq!(plan(Resize { from: [large, 3], ..ok }, 4, 32), Some(Error::overflow("from")));
        assert_eq!(plan(Resize { to: [2, large], ..ok }, 4, 32), Some(Error::overflow("to")));
    }
    assert_eq!(Resize { to: [usize::MAX, usize::MAX], ..ok }.weights::<f32>(), usize::MAX);
    assert_eq!(resize_workspace(usize::MAX, 3), usize::MAX);
    let mut planned = Planned::<i16>::new(ok);
    let plan = planned.plan();
    let (src, mut dst, mut room) = ([9u8; 36], [7u8; 12], [0i16; 220]);
    let view = |w, h, c| Image::new(&src[..w * h * c], w, h, c).unwrap();
    let shape = |arg, expected, got| Err(Error::shape(arg, expected, got));
    let mut to = |src, w: usize, h: usize, c: usize, need: usize| {
        let dst = ImageMut::new(&mut dst[..w * h * c], w, h, c).unwrap();
        resize(plan, src, dst, &mut room[..need])
    };
    assert_eq!(to(view(3, 3, 3), 2, 2, 3, 220), shape("src", [3, 4], [3, 3]));
    assert_eq!(to(view(4, 2, 3), 2, 2, 3, 220), shape("src", [3, 4], [2, 4]));
    assert_eq!(to(view(4, 3, 3), 2, 1, 3, 220), shape("dst", [2, 2], [1, 2]));
    assert_eq!(to(view(4, 3, 3), 1, 2, 3, 220), shape("dst", [2, 2], [2, 1]));
    assert_eq!(to(view(4, 3, 3), 2, 2, 2, 220), Err(Error::len("dst", 3, 2)));
    assert_eq!(to(view(4, 3, 3), 2, 2, 3, 219), Err(Error::workspace(220, 219)));
    assert_eq!(dst, [7; 12]);
}

/// Every weight that is planned is 1 in all, so that flat images stay what they are; what stands between the passes
/// fits 16 bits.
#[test]
fn weights_are_one_in_all() {
    let mut r = Seed::new("weights_are_one_in_all").stream("weights");
    for (_, by) in ALL {
        for antialias in [false, true] {
            for _ in 0..6 {
                let resize = Resize { from: [r.size(300), 2], to: [r.size(60), 2], by, antialias };
                let room = resize.weights::<i16>() / 2;
                let mut planned = Planned::<i16>::new(Resize {
                    from: [resize.from[0]; 2],
                    to: [resize.to[0]; 2],
                    ..resize
                });
                planned.plan();
                let (n, all) = (resize.to[0], &planned.weights);
                assert!(room > 0 && all.len().is_multiple_of(2 * n));
                for w in all.chunks(all.len() / (2 * n)) {
                    let sum: i64 = w.iter().map(|w| i64::from(*w)).sum();
                    let size: i64 = w.iter().map(|w| i64::from(*w).abs()).sum();
                    assert!((1 << 14..=1 << 21).contains(&sum) && sum.count_ones() == 1, "{resize:?}: {sum}");
                    assert!(size < 2 * sum, "{resize:?}: {size} of {sum}");
                }
            }
        }
    }
}
