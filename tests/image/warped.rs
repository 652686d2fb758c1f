//! Pixels at places that a matrix or a map gives.

use super::filtered::{BORDERS, border_of};
use super::*;
use fulmen::contract::spec;
use fulmen::lanes::Simd;

/// The bits behind the point of places, and what a result may be off by before places are exact.
trait Warped: Element {
    const BITS: u32;
    /// What the op says for exact places that are multiples of `2^-BITS`: the four pixels, and the fractions.
    fn exact(four: [f64; 4], at: [f64; 2]) -> f64;
    /// The tolerance for any places.
    fn allowed(op: &str) -> f64 {
        spec(op).unwrap().tolerance(Self::NAME).unwrap().allowed::<f32>(0.0, &[], 0.0)
    }
}
/// By the formula of products, in f64.
fn sum([p, q, r, s]: [f64; 4], [x, y]: [f64; 2]) -> f64 {
    let part = |p: f64, w: f64| if w == 0.0 { 0.0 } else { p * w };
    part(p, (1.0 - x) * (1.0 - y)) + part(q, x * (1.0 - y)) + part(r, (1.0 - x) * y) + part(s, x * y)
}
impl Warped for u8 {
    const BITS: u32 = 11;
    fn exact(four: [f64; 4], at: [f64; 2]) -> f64 {
        (sum(four, at) + 0.5).floor()
    }
}
impl Warped for u16 {
    const BITS: u32 = 15;
    fn exact([p, q, r, s]: [f64; 4], [x, y]: [f64; 2]) -> f64 {
        let line = |p: f64, q: f64| (2.0 * (p * (1.0 - x) + q * x) + 0.5).floor() / 2.0;
        let [above, below] = [line(p, q), line(r, s)];
        (above * (1.0 - y) + below * y + 0.5).floor()
    }
    fn allowed(_: &str) -> f64 {
        3.75
    }
}
impl Warped for f32 {
    const BITS: u32 = 16;
    fn exact([p, q, r, s]: [f64; 4], [x, y]: [f64; 2]) -> f64 {
        // Each operation is rounded, and what has no weight is not read.
        let one = |a: f64| a as f32;
        let mix = |p: f32, q: f32, x: f32| if x == 0.0 { p } else { p * (1.0 - x) + q * x };
        let (x, y) = (one(x), one(y));
        mix(mix(one(p), one(q), x), mix(one(r), one(s), x), y).into()
    }
}

/// The pixel that is read at place `i` of a line of `n`; none where the constant is.
fn place<T>(border: &Border<T>, i: i64, n: usize) -> Option<usize> {
    let n = n as i64;
    let mirrored = |period: i64, again: i64| {
        let at = i.rem_euclid(period.max(1));
        if at < n { at } else { period - again - at }
    };
    let at = match border {
        _ if (0..n).contains(&i) => i,
        Border::Constant(_) => return None,
        Border::Clamp if i < 0 => 0,
        Border::Clamp => n - 1,
        Border::Reflect => mirrored(2 * n, 1),
        Border::Reflect101 => mirrored(2 * (n - 1), 0),
        _ => i.rem_euclid(n),
    };
    Some(at as usize)
}

/// An image whose pixels are read at places, which may be beyond it.
struct Read<'a, T> {
    pixels: &'a [T],
    size: [usize; 2],
    channels: usize,
    border: Border<T>,
    by: Sampler,
}

impl<T: Warped> Read<'_, T> {
    fn constant(&self) -> f64 {
        if let Border::Constant(value) = self.border { value.get() } else { 0.0 }
    }
    fn pixel(&self, x: i64, y: i64, c: usize) -> f64 {
        let [w, h] = self.size;
        match (place(&self.border, x, w), place(&self.border, y, h)) {
            (Some(x), Some(y)) => self.pixels[(y * w + x) * self.channels + c].get(),
            _ => self.constant(),
        }
    }
    fn four(&self, [u, v]: [f64; 2], c: usize) -> ([f64; 4], [f64; 2]) {
        let (x, y) = (u.floor(), v.floor());
        let of = |i, k| self.pixel(x as i64 + i, y as i64 + k, c);
        ([of(0, 0), of(1, 0), of(0, 1), of(1, 1)], [u - x, v - y])
    }
    /// Checks a result at a place that is known within `off`; with 0 it is what the documentation says to the bit.
    fn check(&self, op: &str, lane: &str, [u, v]: [f64; 2], c: usize, off: f64, got: T) {
        let got = got.get();
        if self.by == Sampler::Nearest {
            let near = |a: f64| [a - off, a + off].map(|a| (a + 0.5).floor() as i64);
            let fits = near(u).iter().any(|x| near(v).iter().any(|y| self.pixel(*x, *y, c) == got));
            assert!(fits, "{op} {lane}: {got} at {u} {v}");
            return;
        }
        if off == 0.0 {
            let (four, at) = self.four([u, v], c);
            let want = T::exact(four, at);
            assert!(got.to_bits() == want.to_bits(), "{op} {lane}: {got} for {want} at {u} {v}");
        }
        let (four, at) = self.four([u, v], c);
        let (exact, allowed) = (sum(four, at), T::allowed(op));
        let error = (got - exact).abs();
        assert!(error <= allowed, "{op} {lane}: {got} for {exact} at {u} {v}");
        if T::NAME != "u16" {
            common::Errors::of(op, T::NAME, lane).see(error, allowed, 4);
        }
    }
}

/// A matrix for images of these sizes, which places the middle of the result near that of the source, or far from it. With `bits` its
/// numbers have so many bits behind the point.
fn matrix(r: &mut Noise, from: [usize; 2], to: [usize; 2], bits: Option<i32>) -> [[f64; 3]; 2] {
    let unit = |r: &mut Noise| r.within(0..=1_000_000) as f64 / 1e6;
    let angle = [0.0, 1.0, 10.0, 90.0, 180.0, 360.0 * unit(r), 360.0 * unit(r)][r.within(0..=6)];
    let scale = [1.0, 2f64.powf(6.0 * unit(r) - 3.0)][r.within(0..=1)];
    let shear = if r.one_in(3) { 2.0 * unit(r) - 1.0 } else { 0.0 };
    let (s, c) = angle.to_radians().sin_cos();
    let [a, b, d, e] = [scale * c, scale * (shear * c - s), scale * s, scale * (shear * s + c)];
    let far = match r.within(0..=9) {
        0 => 1e5,
        1 => 3e8,
        _ => 3.0,
    };
    let mut middle = |n: usize| n as f64 / 2.0 + far * (2.0 * unit(r) - 1.0);
    let (u, v) = (middle(from[0]), middle(from[1]));
    let (x, y) = (to[0] as f64 / 2.0, to[1] as f64 / 2.0);
    let rows = [[a, b, u - a * x - b * y], [d, e, v - d * x - e * y]];
    rows.map(|row| row.map(|m| bits.map_or(m, |bits| (m * 2f64.powi(bits)).round() / 2f64.powi(bits))))
}

/// Where a test is: the sizes, and how the image is read.
#[derive(Debug, Clone, Copy)]
struct How {
    from: [usize; 2],
    to: [usize; 2],
    channels: usize,
    border: &'static str,
    by: Sampler,
}

/// Runs an op on every lane and on threads, and gives the results of each lane to `check`.
macro_rules! on_lanes {
    ($r:ident, $how:ident, $T:ty, |$s:ident, $dst:ident| [$call:expr, $threads:expr], $check:expr) => {{
        let blank = Owned::<$T>::blank($r, $how.to, $how.channels);
        let mut first: Option<Vec<$T>> = None;
        for_each_lane!(|$s| {
            let mut out = blank.clone();
            let $dst = out.view_mut();
            $call.unwrap();
            assert!(out.untouched(), "{:?}", $how);
            let elements = out.elements();
            assert!(*first.get_or_insert_with(|| elements.clone()) == elements, "{:?}", $how);
            $check(name_of($s), &elements);
            #[cfg(feature = "parallel")]
            {
                let mut other = blank.clone();
                let $dst = other.view_mut();
                $threads.unwrap();
                assert!(other.data == out.data, "{:?} on threads", $how);
            }
        });
    }};
}

fn affine<T: Warped>(r: &mut Noise, how: How) {
    let bits = r.one_in(2).then(|| r.within(0..=T::BITS as usize) as i32);
    let rows = matrix(r, how.from, how.to, bits);
    let src = Owned::<T>::drawn(r, how.from, how.channels);
    let (pixels, border, matrix) = (src.elements(), border_of::<T>(how.border, 1.0), Affine::new(rows));
    let read = Read { pixels: &pixels, size: how.from, channels: how.channels, border, by: how.by };
    // Sums of numbers of a few bits are exact; others are off by as little as the documentation says.
    let off = if bits.is_some() { 0.0 } else { 2f64.powi(-17) };
    on_lanes!(
        r,
        how,
        T,
        |s, dst| [
            warp_affine_on(s, src.view(), matrix, how.by, border, dst),
            fulmen::parallel::warp_affine_on(s, src.view(), matrix, how.by, border, dst)
        ],
        |lane, out: &[T]| {
            for (i, got) in out.iter().enumerate() {
                let (x, y) = (i / how.channels % how.to[0], i / how.channels / how.to[0]);
                let at = rows.map(|[a, b, c]| a * x as f64 + b * y as f64 + c);
                read.check("warp_affine", lane, at, i % how.channels, off, *got);
            }
        }
    );
}

fn mapped<T: Warped>(r: &mut Noise, how: How) {
    let bits = r.one_in(2).then(|| r.within(0..=T::BITS as usize) as i32);
    let src = Owned::<T>::drawn(r, how.from, how.channels);
    // Most places of some maps are inside; those of others are anywhere.
    let (wild, mut k) = (r.within(0..=2), 0);
    let map = Owned::<f32>::new(r, how.to, 2, |r| {
        k += 1;
        let n = how.from[k % 2];
        match r.within(0..=[400, 40, 4][wild]) {
            0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 4_194_304.0, -1e30, 4_194_303.0, -4_194_303.5]
                [r.within(0..=6)],
            1 => r.within(0..=2_000_000) as f32 - 1e6,
            2 => r.within(0..=4 * n) as f32 / 2.0 - n as f32 / 2.0,
            3 => -1e-9 * r.within(0..=4) as f32,
            _ => {
                let at = (n - 1) as f64 * r.within(0..=1 << 20) as f64 / f64::from(1 << 20);
                bits.map_or(at, |bits| (at * 2f64.powi(bits)).round() / 2f64.powi(bits)) as f32
            }
        }
    });
    let (pixels, border) = (src.elements(), border_of::<T>(how.border, 1.0));
    let read = Read { pixels: &pixels, size: how.from, channels: how.channels, border, by: how.by };
    let places = map.elements();
    on_lanes!(
        r,
        how,
        T,
        |s, dst| [
            remap_on(s, src.view(), map.view(), how.by, border, dst),
            fulmen::parallel::remap_on(s, src.view(), map.view(), how.by, border, dst)
        ],
        |lane, out: &[T]| {
            for (i, got) in out.iter().enumerate() {
                let at = [0, 1].map(|k| f64::from(places[i / how.channels * 2 + k]));
                if at.iter().any(|a| a.is_nan() || a.abs() >= 4_194_304.0) {
                    assert_eq!(got.get(), read.constant(), "{how:?} at {at:?}");
                    continue;
                }
                // Places are rounded exactly.
                let unit = 2f64.powi(T::BITS as i32);
                let rounded = at.map(|a| (a * unit + 0.5).floor() / unit);
                if how.by == Sampler::Bilinear {
                    read.check("remap", lane, rounded, i % how.channels, 0.0, *got);
                }
                let near = how.by == Sampler::Nearest || rounded == at;
                let off = if near { 0.0 } else { 2f64.powi(-17) };
                read.check("remap", lane, at, i % how.channels, off, *got);
            }
        }
    );
}

/// Both ops by turns of each type, border and number of channels.
fn all(r: &mut Noise, run: &mut dyn FnMut(&mut Noise, &str, How)) {
    for by in [Sampler::Nearest, Sampler::Bilinear] {
        for border in BORDERS {
            for channels in 1..=4 {
                for ty in ["u8", "u16", "f32"] {
                    let mut size = |most| [r.size(most), r.size(most)];
                    let (mut from, mut to) = (size(60), size(70));
                    if r.one_in(3) {
                        // Most places are inside of a larger source.
                        from = [r.within(60..=200), r.within(40..=90)];
                        to = [r.within(30..=140), r.within(3..=20)];
                    }
                    run(r, ty, How { from, to, channels, border, by });
                }
            }
        }
        // Lines past many blocks, of one row or column.
        for ty in ["u8", "u16", "f32"] {
            let (long, other) = (r.within(1..=4100), r.within(1..=4100));
            let (from, to) =
                ([[long, 1], [1, other]][r.within(0..=1)], [[other, 1], [2, long]][r.within(0..=1)]);
            let (channels, border) = (r.within(1..=4), BORDERS[r.within(0..=4)]);
            run(r, ty, How { from, to, channels, border, by });
            run(r, ty, How { from: [long, 3], to: [other, 2], channels: 1, border: "clamp", by });
        }
        // Enough for threads.
        run(r, "u8", How { from: [91, 121], to: [97, 113], channels: 3, border: "constant", by });
    }
}

pub fn matrices(r: &mut Noise) {
    all(r, &mut |r, ty, how| match ty {
        "u8" => affine::<u8>(r, how),
        "u16" => affine::<u16>(r, how),
        _ => affine::<f32>(r, how),
    });
}

pub fn maps(r: &mut Noise) {
    all(r, &mut |r, ty, how| match ty {
        "u8" => mapped::<u8>(r, how),
        "u16" => mapped::<u16>(r, how),
        _ => mapped::<f32>(r, how),
    });
}

pub fn case<T: Element, S: Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, [w, h], channels) = input::<T>(e, 0);
    let src = Image::new(&data, w, h, channels)?;
    let border = border_of::<T>(word(e, "border").unwrap(), number(e, "value").unwrap_or(0) as f64);
    let by = if word(e, "by") == Some("nearest") { Sampler::Nearest } else { Sampler::Bilinear };
    if op == "warp_affine" {
        let m: Vec<f64> = word(e, "m").unwrap().split('/').map(|m| m.parse().unwrap()).collect();
        let matrix = Affine::new([[m[0], m[1], m[2]], [m[3], m[4], m[5]]]);
        let size = [number(e, "width").unwrap_or(w), number(e, "height").unwrap_or(h)];
        return into(e, size, channels, |dst| warp_affine_on(s, src, matrix, by, border, dst));
    }
    let map: Vec<f32> = e.inputs[1].iter().map(|x| x.value("f32") as f32).collect();
    let (of_map, [rows, cols]) = (number(e, "map_channels").unwrap_or(2), e.shapes.as_ref().unwrap()[1]);
    let map = Image::new(&map, cols / of_map, rows, of_map)?;
    into(e, [map.width(), map.height()], channels, |dst| remap_on(s, src, map, by, border, dst))
}

pub fn refusals() {
    let (long, mut to) = (vec![9u8; 32768], vec![7u8; 32768]);
    let must = |arg| Err(Error::must_be(arg, "at most 32767 columns and rows"));
    let one = Affine::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let map = vec![0f32; 65536];
    for by in [Sampler::Nearest, Sampler::Bilinear] {
        for [w, h] in [[32768, 1], [1, 32768]] {
            let (src, short) =
                (Image::new(&long, w, h, 1).unwrap(), Image::new(&long[..1], 1, 1, 1).unwrap());
            let mut dst = ImageMut::new(&mut to, w, h, 1).unwrap();
            let got = warp_affine(short, one, by, Border::Clamp, dst.reborrow());
            assert_eq!(got, must("dst"));
            let wide = Image::new(&map, w, h, 2).unwrap();
            assert_eq!(remap(short, wide, by, Border::Clamp, dst), must("dst"));
            let mut dst = ImageMut::new(&mut to[..1], 1, 1, 1).unwrap();
            assert_eq!(warp_affine(src, one, by, Border::Clamp, dst.reborrow()), must("src"));
            assert_eq!(
                remap(src, Image::new(&map[..2], 1, 1, 2).unwrap(), by, Border::Clamp, dst),
                must("src")
            );
        }
        // The largest.
        for [w, h] in [[32767, 1], [1, 32767]] {
            let pixels: Vec<u8> = (0..32767u32).map(|i| (i % 251) as u8).collect();
            let src = Image::new(&pixels, w, h, 1).unwrap();
            let mut out = vec![7u8; 32767];
            warp_affine(src, one, by, Border::Clamp, ImageMut::new(&mut out, w, h, 1).unwrap()).unwrap();
            assert!(out == pixels);
            let back = Affine::new([[-1.0, 0.0, (w - 1) as f64], [0.0, -1.0, (h - 1) as f64]]);
            warp_affine(src, back, by, Border::Clamp, ImageMut::new(&mut out, w, h, 1).unwrap()).unwrap();
            assert!(out.iter().rev().eq(&pixels));
        }
    }
    let limit = "finite, at most 8192 in its first two columns and 2²⁹ in its third";
    for (i, m) in [(0, 8192.5), (4, -8192.5), (2, 536_870_913.0), (5, f64::NEG_INFINITY), (1, f64::NAN)] {
        let mut rows = one.rows();
        rows[i / 3][i % 3] = m;
        let (src, dst) =
            (Image::new(&long[..4], 2, 2, 1).unwrap(), ImageMut::new(&mut to[..4], 2, 2, 1).unwrap());
        let got = warp_affine(src, Affine::new(rows), Sampler::Bilinear, Border::Wrap, dst);
        assert_eq!(got, Err(Error::must_be("matrix", limit)));
    }
    assert!(to.iter().all(|p| *p == 7));
}

/// Turns are those of OpenCV's `getRotationMatrix2D`, and inverses lead back.
#[test]
fn affine_matrices_lead_there_and_back() {
    let turn = Affine::rotation([1.0, 2.0], 90.0, 2.0).rows();
    let want = [[0.0, 2.0, -3.0], [-2.0, 0.0, 4.0]];
    let near = |a: &[f64], b: &[f64], most: f64| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= most);
    assert!(near(turn.as_flattened(), want.as_flattened(), 1e-12), "{turn:?}");
    let mut r = Seed::new("affine_matrices_lead_there_and_back").stream("matrices");
    for _ in 0..50 {
        let m = Affine::new(matrix(&mut r, [9, 7], [20, 30], None));
        let x = [r.within(0..=50) as f64, r.within(0..=50) as f64];
        assert!(near(&m.inverse().unwrap().at(m.at(x)), &x, 1e-4), "{m:?}");
    }
    assert_eq!(Affine::new([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]).inverse(), None);
    assert_eq!(Affine::new([[f64::NAN, 2.0, 0.0], [2.0, 4.0, 0.0]]).inverse(), None);
}
