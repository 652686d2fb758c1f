//! What is made of the pixels of a window: medians, means, blurs, the least and the largest.

use super::filtered::{BORDERS, beyond, border_of, within};
use super::*;
use fulmen::lanes::{Simd, native};

/// An op on the window of each pixel, and its scratch.
const OPS: [&str; 4] = ["median", "box_filter", "erode", "dilate"];

/// Columns and rows of the window, of which a median has one number.
type Size = [usize; 2];

struct Call<'a> {
    op: &'a str,
    size: Size,
    border: Border<u8>,
    /// Workspaces of one thread.
    times: usize,
    /// Elements of the workspace.
    workspace: Option<usize>,
}

impl Call<'_> {
    fn of<S: Simd>(&self, s: S, src: Image<'_, u8>, dst: ImageMut<'_, u8>) -> Result<(), Error> {
        let (width, channels, size, border) = (src.width(), src.channels(), self.size, self.border);
        let room = |need: usize| self.workspace.unwrap_or(need * self.times);
        if self.op == "box_filter" {
            let mut room = vec![9; room(box_filter_workspace(width, channels, size[0]))];
            #[cfg(feature = "parallel")]
            if self.times > 1 {
                return fulmen::parallel::box_filter_on(s, src, size, border, dst, &mut room);
            }
            return box_filter_on(s, src, size, border, dst, &mut room);
        }
        if self.op == "median" {
            let mut room = vec![9; room(median_workspace(width, size[0]))];
            #[cfg(feature = "parallel")]
            if self.times > 1 {
                return fulmen::parallel::median_on(s, src, size[0], border, dst, &mut room);
            }
            return median_on(s, src, size[0], border, dst, &mut room);
        }
        let mut room = vec![9; room(morphology_workspace(width, channels, size))];
        #[cfg(feature = "parallel")]
        if self.times > 1 {
            return match self.op {
                "erode" => fulmen::parallel::erode_on(s, src, size, border, dst, &mut room),
                _ => fulmen::parallel::dilate_on(s, src, size, border, dst, &mut room),
            };
        }
        match self.op {
            "erode" => erode_on(s, src, size, border, dst, &mut room),
            _ => dilate_on(s, src, size, border, dst, &mut room),
        }
    }
}

/// What an op makes of a window.
fn of_window(op: &str, window: &mut [u8]) -> u8 {
    match op {
        "median" => {
            window.sort_unstable();
            window[window.len() / 2]
        }
        "box_filter" => {
            let sum: usize = window.iter().map(|p| usize::from(*p)).sum();
            ((2 * sum + window.len()) / (2 * window.len())) as u8
        }
        "erode" => *window.iter().min().unwrap(),
        _ => *window.iter().max().unwrap(),
    }
}

fn want(op: &str, src: &Owned<u8>, size: Size, border: Border<u8>) -> Vec<u8> {
    let ([w, h], channels) = (src.size, src.channels);
    let [wide, high] = [w + size[0] - 1, h + size[1] - 1];
    let pixels = src.elements();
    let mut all = vec![0; wide * high * channels];
    for (i, to) in all.iter_mut().enumerate() {
        let (c, x, y) = (i % channels, i / channels % wide, i / channels / wide);
        let at = [x as isize - (size[0] / 2) as isize, y as isize - (size[1] / 2) as isize];
        *to = beyond(&pixels, [w, h], channels, border, at, c) as u8;
    }
    let mut window = vec![0; size[0] * size[1]];
    (0..w * h * channels)
        .map(|i| {
            let (c, x, y) = (i % channels, i / channels % w, i / channels / w);
            for (k, to) in window.iter_mut().enumerate() {
                let (j, k) = (k % size[0], k / size[0]);
                *to = all[((y + k) * wide + x + j) * channels + c];
            }
            of_window(op, &mut window)
        })
        .collect()
}

/// Noise, few levels beside each other, or one slow change.
fn picture(r: &mut Noise, size: [usize; 2], channels: usize) -> Owned<u8> {
    let (kind, base) = (r.within(0..=2), r.within(0..=250));
    let mut at = 0;
    Owned::new(r, size, channels, |r| match kind {
        0 => u8::draw(r),
        1 => (base + r.within(0..=4)) as u8,
        _ => {
            at += r.within(0..=2);
            (base + at / 16) as u8
        }
    })
}

fn one(op: &str, image: [usize; 2], channels: usize, size: Size, border: &str, r: &mut Noise) {
    let border = border_of::<u8>(border, r.within(0..=255) as f64);
    let src = picture(r, image, channels);
    let want = want(op, &src, size, border);
    let blank = Owned::<u8>::blank(r, image, channels);
    for_each_lane!(|s| {
        for times in [1, 3] {
            let mut dst = blank.clone();
            let call = Call { op, size, border, times, workspace: None };
            call.of(s, src.view(), dst.view_mut()).unwrap();
            assert!(
                dst.elements() == want && dst.untouched(),
                "{op} {image:?} {channels} {size:?} {border:?}"
            );
        }
    });
}

/// Of an op whose windows are odd or not.
fn length(r: &mut Noise, op: &str, most: usize) -> usize {
    let n = r.within(0..=most);
    if op == "box_filter" { n + 1 } else { 2 * (n / 2) + 1 }
}

fn drawn(r: &mut Noise, op: &str) {
    for border in BORDERS {
        for channels in 1..=4 {
            let image = [r.size(40), r.size(7)];
            let [x, y] = [length(r, op, 8), length(r, op, 6)];
            one(op, image, channels, if op == "median" { [x; 2] } else { [x, y] }, border, r);
        }
    }
}

pub fn medians(r: &mut Noise) {
    drawn(r, "median");
    for border in BORDERS {
        // Around a block, of which the last reaches back, and between edges.
        for n in [3, 5] {
            let channels = r.within(1..=4);
            let blocks = [31, 32, 33, 36, 64, 70, 97][r.within(0..=6)];
            one("median", [blocks, 3], 1, [n; 2], border, r);
            one("median", [(blocks + 4 * channels) / channels, 6], channels, [n; 2], border, r);
        }
        one("median", [r.size(9), 3], 1, [r.within(4..=7) * 2 + 1; 2], border, r);
    }
    // Blocks whose columns are sorted together, of pixels that do not divide them.
    let channels = r.within(2..=4);
    one("median", [r.within(520..=700) / channels, 4], channels, [3; 2], "reflect", r);
    // Stripes, windows past what a sixteenth of the counts keeps, and the largest.
    one("median", [1100, 2], 1, [7; 2], "reflect_101", r);
    one("median", [90, 4], 1, [15; 2], "clamp", r);
    one("median", [9, 2], 1, [255; 2], "wrap", r);
    // Enough for threads.
    one("median", [2731, 13], 1, [3; 2], "constant", r);
    one("median", [2731, 13], 1, [5; 2], "clamp", r);
    one("median", [2731, 13], 1, [7; 2], "clamp", r);
}

pub fn means(r: &mut Noise) {
    drawn(r, "box_filter");
    // Areas on both sides of where the product is wide.
    for size in [[16, 16], [257, 1], [1, 256], [2, 129], [300, 7]] {
        one("box_filter", [r.size(20), 3], 1, size, "reflect", r);
    }
    one("box_filter", [700, 13], 4, [3, 2], "constant", r);
    // All quotients of an area: columns of sums that are drawn, of which halves round up.
    for area in [1usize, 2, 3, 7, 15, 16, 225, 255, 256, 257, 1000] {
        let src = vec![255u8; area];
        let mut src = Owned { data: src, size: [1, area], channels: 1, stride: 1, skip: [0; 2] };
        for sum in [
            0,
            area / 2,
            area.div_ceil(2),
            area,
            127 * area + area / 2,
            255 * area - 1,
            254 * area + area / 2,
        ] {
            let (whole, rest) = (sum / area, sum % area);
            src.data.iter_mut().enumerate().for_each(|(i, p)| *p = (whole + usize::from(i < rest)) as u8);
            let mut dst = vec![0; area];
            let call =
                Call { op: "box_filter", size: [1, area], border: Border::Wrap, times: 1, workspace: None };
            call.of(native(), src.view(), ImageMut::new(&mut dst, 1, area, 1).unwrap()).unwrap();
            assert_eq!(dst, vec![((2 * sum + area) / (2 * area)) as u8; area], "{area} {sum}");
        }
    }
}

pub fn extremes(r: &mut Noise) {
    for op in ["erode", "dilate"] {
        drawn(r, op);
        for border in BORDERS {
            one(
                op,
                [r.size(70), r.size(9)],
                1,
                [2 * r.within(0..=20) + 1, 2 * r.within(0..=9) + 1],
                border,
                r,
            );
        }
        one(op, [700, 13], 4, [3, 5], "constant", r);
    }
}

/// An opening of what is open, and a closing of what is closed, change nothing.
pub fn idempotent(r: &mut Noise) {
    let (size, image) = ([5, 3], [30, 20]);
    let src = picture(r, image, 1);
    let call = |op, border| Call { op, size, border, times: 1, workspace: None };
    for ops in [["erode", "dilate"], ["dilate", "erode"]] {
        let twice = |pixels: &[u8]| {
            let mut all = [pixels.to_vec(), vec![0; 600]];
            for op in ops {
                let [a, b] = &mut all;
                let neutral = Border::Constant(if op == "erode" { 255 } else { 0 });
                let (from, to) = (Image::new(a, 30, 20, 1).unwrap(), ImageMut::new(b, 30, 20, 1).unwrap());
                call(op, neutral).of(native(), from, to).unwrap();
                all.swap(0, 1);
            }
            all[0].clone()
        };
        let open = twice(&src.elements());
        assert_eq!(twice(&open), open);
        assert_ne!(open, src.elements());
    }
}

fn blur<T: Element + Resample<Middle: Default + Clone>>(
    r: &mut Noise,
    image: [usize; 2],
    channels: usize,
    sigma: f64,
    border: &str,
) {
    let border = border_of::<T>(border, 200.0);
    let src = Owned::<T>::drawn(r, image, channels);
    let pixels = src.elements();
    let reach = (4.0 * sigma).ceil() as isize;
    let bell = |i: isize| (-(i as f64 / sigma).powi(2) / 2.0).exp();
    let all: f64 = (-reach..=reach).map(bell).sum();
    let n = gaussian_len(sigma);
    assert_eq!(n as isize, 2 * reach + 1);
    let blank = Owned::<T>::blank(r, image, channels);
    let need = correlate_separable_workspace(image[0], channels, n);
    for_each_lane!(|s| {
        let mut dst = blank.clone();
        let (mut weights, mut room) = (vec![T::Weight::default(); n + 2], vec![T::Middle::default(); need]);
        gaussian_on(s, src.view(), sigma, border, dst.view_mut(), &mut weights, &mut room).unwrap();
        assert!(dst.untouched());
        for (i, got) in dst.elements().iter().enumerate() {
            let (c, x, y) = (i % channels, i / channels % image[0], i / channels / image[0]);
            let (mut sum, mut terms) = (0.0, 0.0);
            for k in -reach..=reach {
                for j in -reach..=reach {
                    let at = [x as isize + j, y as isize + k];
                    let term =
                        bell(j) * bell(k) / (all * all) * beyond(&pixels, image, channels, border, at, c);
                    (sum, terms) = (sum + term, terms + term.abs());
                }
            }
            let exact = if T::NAME == "u8" { (sum + 0.5).floor() } else { sum };
            within::<T>("gaussian", name_of(s), got.get(), exact, terms, 2 * n);
        }
        #[cfg(feature = "parallel")]
        {
            let (mut other, mut room) = (blank.clone(), vec![T::Middle::default(); 3 * need]);
            fulmen::parallel::gaussian_on(
                s,
                src.view(),
                sigma,
                border,
                other.view_mut(),
                &mut weights,
                &mut room,
            )
            .unwrap();
            assert_eq!(other.data, dst.data);
        }
    });
}

pub fn blurs(r: &mut Noise) {
    for border in BORDERS {
        let image = [r.size(9), r.size(5)];
        let (channels, sigma) = (r.within(1..=4), r.within(1..=200) as f64 / 100.0);
        blur::<u8>(r, image, channels, sigma, border);
        blur::<f32>(r, image, channels, sigma, border);
    }
    // Enough pixels that one is rounded the other way.
    blur::<u8>(r, [50, 30], 1, 1.0, "reflect");
    blur::<u8>(r, [40, 2], 1, 7.75, "reflect_101");
    // Enough for threads: only that the bits are the same, as the sums are those of the kernel.
    blur::<f32>(r, [1300, 9], 3, 0.2, "clamp");
}

pub fn case<S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<u8>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    let border = border_of(word(e, "border").unwrap_or("clamp"), number(e, "value").unwrap_or(0) as f64);
    let columns = number(e, "columns").or(number(e, "size")).unwrap();
    let size = [columns, number(e, "rows").unwrap_or(if op == "median" { columns } else { 1 })];
    into_bytes(e, [w, h], channels, |dst| {
        Call { op, size, border, times: 1, workspace: number(e, "workspace") }.of(s, src, dst)
    })
}

pub fn blur_case<T: Element + Resample<Middle: Default + Clone>, S: Simd>(
    s: S,
    e: &EdgeCase,
) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<T>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    let sigma: f64 = word(e, "sigma").unwrap().parse().unwrap();
    let border = border_of(word(e, "border").unwrap_or("clamp"), number(e, "value").unwrap_or(0) as f64);
    let n = gaussian_len(sigma).min(5000);
    let mut weights = vec![T::Weight::default(); number(e, "weights").unwrap_or(n)];
    let need = number(e, "workspace").unwrap_or(correlate_separable_workspace(w, channels, n));
    into(e, [w, h], channels, |dst| {
        gaussian_on(s, src, sigma, border, dst, &mut weights, &mut vec![T::Middle::default(); need])
    })
}

pub fn refusals() {
    assert_eq!(
        [
            median_workspace(usize::MAX, 3),
            median_workspace(9, 7),
            median_workspace(usize::MAX, 7),
            box_filter_workspace(usize::MAX, 1, 3),
            morphology_workspace(usize::MAX, 2, [3, 3]),
            morphology_workspace(4, 2, [3, 5]),
        ],
        [0, 15 * 274, 518 * 274, usize::MAX, usize::MAX, 76]
    );
    for op in OPS {
        let src = [1u8; 6];
        let mut dst = [7u8; 4];
        let call = Call { op, size: [3; 2], border: Border::Wrap, times: 1, workspace: None };
        let (from, to) = (Image::new(&src, 3, 2, 1).unwrap(), ImageMut::new(&mut dst, 2, 2, 1).unwrap());
        let refused = call.of(native(), from, to).unwrap_err();
        assert_eq!(refused, Error::shape("dst", [2, 3], [2, 2]));
        assert!(refused.to_string().contains(op), "{refused}");
        assert_eq!(dst, [7; 4]);
    }
}
