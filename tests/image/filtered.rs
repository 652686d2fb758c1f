//! Filters, slopes and edges.

use super::*;
use fulmen::contract::{Tolerance, spec};

pub fn border_of<T: Element>(name: &str, value: f64) -> Border<T> {
    match name {
        "constant" => Border::Constant(T::of(value)),
        "clamp" => Border::Clamp,
        "reflect" => Border::Reflect,
        "reflect_101" => Border::Reflect101,
        _ => Border::Wrap,
    }
}
pub const BORDERS: [&str; 5] = ["constant", "clamp", "reflect", "reflect_101", "wrap"];

/// The number of pixel `(x, y)`, which may lie beyond the edges: steps one pixel at a time, as a border is walked.
pub fn beyond<T: Element>(
    pixels: &[T],
    [w, h]: [usize; 2],
    channels: usize,
    border: Border<T>,
    [x, y]: [isize; 2],
    c: usize,
) -> f64 {
    let place = |i: isize, n: usize| -> Option<usize> {
        let n = n as isize;
        let (mut at, mut step, mut left) =
            (if i < 0 { 0 } else { n - 1 }, if i < 0 { 1 } else { -1 }, if i < 0 { -i } else { i - n + 1 });
        if left <= 0 {
            return Some(i as usize);
        }
        match border {
            Border::Constant(_) => return None,
            Border::Clamp => return Some(at as usize),
            Border::Wrap => return Some(i.rem_euclid(n) as usize),
            // The first step stays where it is.
            Border::Reflect => left -= 1,
            _ => {}
        }
        let doubled = matches!(border, Border::Reflect);
        while left > 0 && n > 1 {
            if !(0..n).contains(&(at + step)) {
                step = -step;
                if doubled {
                    left -= 1;
                    continue;
                }
            }
            at += step;
            left -= 1;
        }
        Some(at as usize)
    };
    let value = if let Border::Constant(value) = border { value.get() } else { f64::NAN };
    match (place(x, w), place(y, h)) {
        (Some(x), Some(y)) => pixels[(y * w + x) * channels + c].get(),
        _ => value,
    }
}

pub fn within<T: Element>(op: &str, lane: &str, got: f64, exact: f64, terms: f64, n: usize) {
    let tolerance = spec(op).unwrap().tolerance(T::NAME).unwrap();
    let allowed = match tolerance {
        Tolerance::Gamma { times, plus, .. } => {
            let k = (times * n as f64 + plus) * f64::from(f32::EPSILON) / 2.0;
            k / (1.0 - k) * terms
        }
        Tolerance::Exact => 0.0,
        _ => tolerance.allowed::<f32>(0.0, &[], 0.0),
    };
    let error = (got - exact).abs();
    assert!(error <= allowed, "{op}: {got} for {exact}");
    if allowed > 0.0 {
        common::Errors::of(op, T::NAME, lane).see(error, allowed, n);
    }
}

fn filter<T: Element + Resample<Middle: Default + Clone>>(
    r: &mut Noise,
    size: [usize; 2],
    channels: usize,
    lens: [usize; 2],
    border: &str,
) {
    let border = border_of::<T>(border, 200.0);
    let src = Owned::<T>::drawn(r, size, channels);
    let pixels = src.elements();
    let mut weights =
        lens.map(|n| -> Vec<f64> { (0..n).map(|_| r.within(0..=2000) as f64 / 1000.0 - 0.7).collect() });
    for w in &mut weights {
        let size: f64 = w.iter().map(|w| w.abs()).sum();
        w.iter_mut().for_each(|w| *w *= 1.4 / size.max(0.1));
        if T::NAME == "u8" && w.iter().sum::<f64>() < 0.3 {
            w.iter_mut().for_each(|w| *w = w.abs());
        }
    }
    let [v, h] = &weights;
    let mut memory = lens.map(|n| vec![T::Weight::default(); n]);
    let [mv, mh] = &mut memory;
    let (kv, kh) = (Kernel::new(v, mv).unwrap(), Kernel::new(h, mh).unwrap());
    let blank = Owned::<T>::blank(r, size, channels);
    let need = correlate_separable_workspace(size[0], channels, h.len());
    for_each_lane!(|s| {
        let mut dst = blank.clone();
        correlate_separable_on(
            s,
            src.view(),
            kv,
            kh,
            border,
            dst.view_mut(),
            &mut vec![T::Middle::default(); need],
        )
        .unwrap();
        assert!(dst.untouched());
        for (i, got) in dst.elements().iter().enumerate() {
            let (c, x, y) = (i % channels, i / channels % size[0], i / channels / size[0]);
            let (mut sum, mut terms) = (0.0, 0.0);
            for (k, v) in v.iter().enumerate() {
                for (j, h) in h.iter().enumerate() {
                    let at = [
                        (x + j) as isize - (h_len(&weights) / 2) as isize,
                        (y + k) as isize - (lens[0] / 2) as isize,
                    ];
                    let term = v * h * beyond(&pixels, size, channels, border, at, c);
                    (sum, terms) = (sum + term, terms + term.abs());
                }
            }
            let exact = if T::NAME == "u8" { (sum + 0.5).floor().clamp(0.0, 255.0) } else { sum };
            within::<T>("correlate_separable", name_of(s), got.get(), exact, terms, lens[0] + lens[1]);
        }
        #[cfg(feature = "parallel")]
        {
            let (mut other, mut workspace) = (blank.clone(), vec![T::Middle::default(); 5 * need]);
            fulmen::parallel::correlate_separable_on(
                s,
                src.view(),
                kv,
                kh,
                border,
                other.view_mut(),
                &mut workspace,
            )
            .unwrap();
            assert_eq!(other.data, dst.data, "{size:?} {channels}");
        }
    });
}
fn h_len(weights: &[Vec<f64>; 2]) -> usize {
    weights[1].len()
}

pub fn filters(r: &mut Noise) {
    for border in BORDERS {
        for channels in 1..=4 {
            let size = [r.size(40), r.size(5)];
            let lens = [2 * r.within(0..=3) + 1, 2 * r.within(0..=4) + 1];
            filter::<u8>(r, size, channels, lens, border);
            filter::<f32>(r, size, channels, lens, border);
        }
    }
    // Enough for threads.
    filter::<u8>(r, [700, 13], 4, [3, 1], "constant");
    // More weights than rows of weights that are looked up before, over whole blocks and a part of one.
    filter::<u8>(r, [70, 3], 1, [1, 131], "clamp");
    filter::<f32>(r, [70, 3], 1, [1, 131], "clamp");
    filter::<u8>(r, [70, 3], 1, [131, 1], "reflect");
}

fn slopes<T: Element + Gradient<Derivative: Into<f64> + PartialEq>>(
    r: &mut Noise,
    size: [usize; 2],
    channels: usize,
    border: &str,
) {
    let border = border_of::<T>(border, 200.0);
    let src = Owned::<T>::drawn(r, size, channels);
    let pixels = src.elements();
    for_each_lane!(|s| {
        let n = size[0] * channels;
        let stride = n + 3;
        let mut both = [
            vec![T::Derivative::default(); stride * size[1]],
            vec![T::Derivative::default(); stride * size[1]],
        ];
        let [dx, dy] = &mut both;
        let view = |data| ImageMut::strided(data, size[0], size[1], channels, stride).unwrap();
        sobel_on(s, src.view(), border, view(dx), view(dy)).unwrap();
        for (i, (dx, dy)) in both[0].iter().zip(&both[1]).enumerate() {
            let (y, at) = (i / stride, i % stride);
            if at >= n {
                assert!(*dx == T::Derivative::default() && *dy == T::Derivative::default());
                continue;
            }
            let (x, c) = (at / channels, at % channels);
            let p = |i: isize, j: isize| {
                beyond(&pixels, size, channels, border, [x as isize + i, y as isize + j], c)
            };
            let (mut want, mut terms) = ([0.0; 2], [0.0; 2]);
            for (k, w) in [(-1, 1.0), (0, 2.0), (1, 1.0)] {
                for (i, (plus, minus)) in [(p(1, k), p(-1, k)), (p(k, 1), p(k, -1))].into_iter().enumerate() {
                    want[i] += w * (plus - minus);
                    terms[i] += w * (plus.abs() + minus.abs());
                }
            }
            for ((got, want), terms) in [*dx, *dy].into_iter().zip(want).zip(terms) {
                within::<T>("sobel", name_of(s), got.into(), want, terms, 1);
            }
        }
    });
}

pub fn gradients(r: &mut Noise) {
    for border in BORDERS {
        for channels in 1..=4 {
            let size = [r.size(40), r.size(7)];
            slopes::<u8>(r, size, channels, border);
            slopes::<f32>(r, size, channels, border);
        }
        for size in [[1, 1], [2, 2], [1, 5], [5, 1], [3, 3]] {
            slopes::<u8>(r, size, 1, border);
        }
    }
}

/// The definition, sweep after sweep.
fn edges(pixels: &[u8], [w, h]: [usize; 2], low: u32, high: u32, norm: Norm) -> Vec<u8> {
    let p = |x: isize, y: isize| beyond(pixels, [w, h], 1, Border::Clamp, [x, y], 0) as i64;
    let slope = |x: isize, y: isize| {
        let sum = |f: &dyn Fn(isize) -> i64| f(-1) + 2 * f(0) + f(1);
        [sum(&|k| p(x + 1, y + k) - p(x - 1, y + k)), sum(&|k| p(x + k, y + 1) - p(x + k, y - 1))]
    };
    let inside = |x: isize, y: isize| (0..w as isize).contains(&x) && (0..h as isize).contains(&y);
    // Squares of the norm.
    let size = |x: isize, y: isize| {
        let [dx, dy] = slope(x, y);
        match norm {
            _ if !inside(x, y) => 0,
            Norm::L1 => (dx.abs() + dy.abs()).pow(2),
            _ => dx * dx + dy * dy,
        }
    };
    let (low, high) = (i64::from(low).pow(2), i64::from(high).pow(2));
    let mut state = vec![0u8; w * h];
    for y in 0..h as isize {
        for x in 0..w as isize {
            let ([dx, dy], here) = (slope(x, y), size(x, y));
            let t = 13573.0 / 32768.0;
            let (ax, ay) = (dx.abs() as f64, dy.abs() as f64);
            let largest = if ay < t * ax {
                here > size(x - 1, y) && here >= size(x + 1, y)
            } else if ay > (t + 2.0) * ax {
                here > size(x, y - 1) && here >= size(x, y + 1)
            } else if dx.signum() * dy.signum() >= 0 {
                here > size(x - 1, y - 1) && here > size(x + 1, y + 1)
            } else {
                here > size(x + 1, y - 1) && here > size(x - 1, y + 1)
            };
            if here > low && largest {
                state[y as usize * w + x as usize] = if here > high { 2 } else { 1 };
            }
        }
    }
    loop {
        let before = state.clone();
        for y in 0..h {
            for x in 0..w {
                let near = |x: usize, y: usize| {
                    (y.saturating_sub(1)..(y + 2).min(h))
                        .any(|y| (x.saturating_sub(1)..(x + 2).min(w)).any(|x| before[y * w + x] == 2))
                };
                if before[y * w + x] == 1 && near(x, y) {
                    state[y * w + x] = 2;
                }
            }
        }
        if state == before {
            return state.iter().map(|s| if *s == 2 { 255 } else { 0 }).collect();
        }
    }
}

pub fn outlines(r: &mut Noise) {
    let mut seen = 0;
    for round in 0..14 {
        let size = [r.size(30), r.size(20)];
        // Steps along a line of any direction, lines, noise.
        let [a, b, c] = [0, 1, 2].map(|_| r.within(0..=40) as f64 - 20.0);
        let noise = [0, 3, 255][round % 3];
        let mut src = Owned::<u8>::blank(r, size, 1);
        let mut view = src.view_mut();
        for y in 0..size[1] {
            for (x, p) in view.row_mut(y).iter_mut().enumerate() {
                let side = a * (x as f64 - size[0] as f64 / 2.0) + b * (y as f64 - size[1] as f64 / 2.0) + c;
                let level = if round % 2 == 0 {
                    (side * 3.0 + 100.0).clamp(0.0, 200.0)
                } else {
                    f64::from(u8::from(side > 0.0)) * 120.0
                };
                *p = (level as usize + r.within(0..=noise)).min(255) as u8;
            }
        }
        let (low, norm) = (r.within(0..=200) as u32, [Norm::L1, Norm::L2][r.within(0..=1)]);
        let high = low + r.within(0..=400) as u32;
        let want = edges(&src.elements(), size, low, high, norm);
        seen += want.iter().filter(|p| **p == 255).count();
        let blank = Owned::<u8>::blank(r, size, 1);
        for_each_lane!(|s| {
            let mut dst = blank.clone();
            let mut workspace = vec![9; canny_workspace(size[0], size[1])];
            canny_on(s, src.view(), low, high, norm, dst.view_mut(), &mut workspace).unwrap();
            assert!(dst.elements() == want && dst.untouched(), "{size:?} {low} {high} {norm:?}");
        });
    }
    assert!(seen > 20, "{seen}");
}

/// A weak edge that winds from one strong pixel over the whole image, up and back again.
pub fn winding() {
    let (w, h) = (41, 29);
    let mut src = vec![0u8; w * h];
    for y in 0..h {
        for x in 0..w {
            let turn = if y / 4 % 2 == 0 { x == w - 1 } else { x == 0 };
            if y % 4 == 0 || (y % 4 > 0 && turn) {
                src[y * w + x] = 60;
            }
        }
    }
    src[(h - 1) * w + 20] = 255;
    let want = edges(&src, [w, h], 100, 500, Norm::L1);
    let (view, mut dst) = (Image::new(&src, w, h, 1).unwrap(), vec![7; w * h]);
    let mut workspace = vec![0; canny_workspace(w, h)];
    canny(view, 100, 500, Norm::L1, ImageMut::new(&mut dst, w, h, 1).unwrap(), &mut workspace).unwrap();
    assert_eq!(dst, want);
    let count = want.iter().filter(|p| **p == 255).count();
    assert!(count > 60, "{count}");
}

fn weights(e: &EdgeCase, name: &str) -> Vec<f64> {
    word(e, name).map_or(vec![1.0], |all| all.split(',').map(|w| w.parse().unwrap()).collect())
}

pub fn case<T: Element + Resample + Gradient<Derivative: Into<f64>>, S: fulmen::lanes::Simd>(
    s: S,
    op: &str,
    e: &EdgeCase,
) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<T>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    let border = border_of::<T>(word(e, "border").unwrap_or("clamp"), number(e, "value").unwrap_or(0) as f64);
    let (height, others) =
        (number(e, "dst_height").unwrap_or(h), number(e, "dst_channels").unwrap_or(channels));
    if op == "sobel" {
        let mut both = [
            vec![T::Derivative::default(); w * height * others],
            vec![T::Derivative::default(); w * height * others],
        ];
        let [dx, dy] = &mut both;
        let view = |data| ImageMut::new(data, w, height, others).unwrap();
        return sobel_on(s, src, border, view(dx), view(dy))
            .map(|()| both.concat().into_iter().map(Into::into).collect());
    }
    let mut out = vec![T::of(7.0); w * height * others];
    let dst = ImageMut::new(&mut out, w, height, others)?;
    let [v, h] = ["v", "h"].map(|name| weights(e, name));
    let (mut mv, mut mh) = (vec![T::Weight::default(); v.len()], vec![T::Weight::default(); h.len()]);
    let need = number(e, "workspace").unwrap_or(correlate_separable_workspace(w, channels, h.len()));
    let (kv, kh) = (Kernel::new(&v, &mut mv)?, Kernel::new(&h, &mut mh)?);
    let done = correlate_separable_on(s, src, kv, kh, border, dst, &mut vec![T::Middle::default(); need]);
    assert!(done.is_ok() || out.iter().all(|x| *x == T::of(7.0)));
    done.map(|()| out.iter().map(|x| x.get()).collect())
}

pub fn canny_case<S: fulmen::lanes::Simd>(s: S, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<u8>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    let height = number(e, "dst_height").unwrap_or(h);
    let mut out = vec![7; w * height * channels];
    let dst = ImageMut::new(&mut out, w, height, channels)?;
    let norm = if word(e, "norm") == Some("l2") { Norm::L2 } else { Norm::L1 };
    let need = number(e, "workspace").unwrap_or(canny_workspace(w, h));
    let of = |name| number(e, name).unwrap() as u32;
    let done = canny_on(s, src, of("low"), of("high"), norm, dst, &mut vec![9; need]);
    assert!(done.is_ok() || out.iter().all(|x| *x == 7));
    done.map(|()| out.into_iter().map(f64::from).collect())
}

pub fn refusals() {
    let kernel = |w: &[f64], n: usize| Kernel::<i16>::new(w, &mut vec![0; n]).map(|_| ()).err();
    let domain = |arg| Some(Error::domain(arg));
    assert_eq!(kernel(&[1.0], 1), None);
    assert_eq!(kernel(&[1.0], 2), Some(Error::len("to", 1, 2)));
    for wrong in [&[][..], &[0.5; 2], &[f64::NAN], &[f64::INFINITY], &[1.0, -1.0, 0.5], &[0.0; 2049]] {
        assert_eq!(kernel(wrong, wrong.len()), domain("weights"), "{}", wrong.len());
    }
    assert_eq!(kernel(&[0.0; 2047], 2047), None);
    assert_eq!(Kernel::<f32>::new(&[1.0, -1.0, 0.5], &mut [0.0; 3]).map(|k| k.len()), Ok(3));
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Kernel::<i16>::gaussian(sigma, &mut [0; 3]).err(), domain("sigma"));
    }
    for n in [0, 2, 2049] {
        assert_eq!(Kernel::<i16>::gaussian(1.0, &mut vec![0; n]).err(), domain("to"));
    }
    assert_eq!([0.5, 1.0, 1.1, 5.0, -1.0, f64::NAN].map(gaussian_len), [5, 9, 11, 41, 1, 1]);
    assert_eq!(gaussian_len(f64::INFINITY), usize::MAX);
    assert_eq!(
        [correlate_separable_workspace(usize::MAX, 3, 9), canny_workspace(usize::MAX, 2)],
        [usize::MAX; 2]
    );
    // What one of two outputs is refused for leaves both.
    let (src, mut dx, mut dy) = ([1u8, 2, 3, 4], [7i16; 4], [7i16; 2]);
    let done = sobel(
        Image::new(&src, 2, 2, 1).unwrap(),
        Border::Clamp,
        slopes_of(&mut dx, 2, 2),
        slopes_of(&mut dy, 2, 1),
    );
    assert_eq!(done, Err(Error::shape("dy", [2, 2], [1, 2])));
    assert_eq!((dx, dy), ([7; 4], [7; 2]));
}
fn slopes_of(data: &mut [i16], w: usize, h: usize) -> ImageMut<'_, i16> {
    ImageMut::new(data, w, h, 1).unwrap()
}

/// A Gaussian's weights are 1 in all, so that flat images stay what they are, and fall off as the bell does.
pub fn bells() {
    for sigma in [0.3, 1.0, 1.5, 5.0, 40.0] {
        let n = gaussian_len(sigma);
        let (mut whole, mut wide) = (vec![0i16; n], vec![0.0f32; n]);
        Kernel::gaussian(sigma, &mut whole).unwrap();
        Kernel::gaussian(sigma, &mut wide).unwrap();
        let sum: i32 = whole.iter().map(|w| i32::from(*w)).sum();
        assert!(sum == 1 << 14 || sum == 1 << 15, "{sigma}: {sum}");
        let at = |x: f64| (-x * x / (2.0 * sigma * sigma)).exp();
        let all: f64 = (0..n).map(|i| at(i as f64 - (n / 2) as f64)).sum();
        for (i, (a, b)) in whole.iter().zip(&wide).enumerate() {
            let exact = at(i as f64 - (n / 2) as f64) / all;
            assert!(
                (f64::from(*b) - exact).abs() < 1e-7
                    && (f64::from(*a) / f64::from(sum) - exact).abs() < 1.0 / f64::from(sum)
            );
        }
        let (mut src, mut room) = (vec![201u8; 60], vec![0; correlate_separable_workspace(10, 1, n)]);
        let k = Kernel::gaussian(sigma, &mut whole).unwrap();
        let from = src.clone();
        let view = ImageMut::new(&mut src, 10, 6, 1).unwrap();
        correlate_separable(Image::new(&from, 10, 6, 1).unwrap(), k, k, Border::Reflect, view, &mut room)
            .unwrap();
        assert_eq!(src, from);
    }
}
