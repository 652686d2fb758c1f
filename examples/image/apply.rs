//! One step on a picture, by the ops of the library.
//!
//! Alpha: what moves pixels moves alpha with them; what makes a pixel of several (`resize`, `blur`, `box`, `rotate`) does it with colours that
//! are multiplied by alpha, so that those of transparent pixels do not show; what changes each pixel by itself (`grey`,
//! `threshold --at`, `depth`) leaves alpha as it is. The other steps would show the colours of transparent pixels: they refuse such a picture,
//! and leave alpha as it is where all of it is opaque.

use crate::machine::{Held, Machine, failed};
use crate::picture::{Picture, Sample, Samples, collect, fits, product, room, with_samples, zeros};
use crate::program::Stop;
use crate::steps::{Area, Depth, Kernel, Sampling, Step, Wanted, Window};
use fulmen::image::{
    Affine, Border, Interpolation, Luma, Pixel, Resample, Resize, ResizePlan, Sampler, Turn, gaussian_len,
};
use fulmen::{box_filter_workspace, correlate_separable_workspace, resize_workspace};

/// What filters take: bytes and floats.
trait Filtered: Resample<Weight: Held, Middle: Held> + Held {}
impl Filtered for u8 {}
impl Filtered for f32 {}

fn useless<T>(why: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Useless(why.into()))
}

/// The result of `step` on `p`.
pub fn apply<M: Machine>(m: &M, step: &Step, p: Picture) -> Result<Picture, Stop> {
    let (size @ [width, height], channels) = (p.size(), p.channels);
    let whole = [width, height, channels];
    match *step {
        Step::Resize { size: to, by, no_antialias } => {
            let to = sides(to, size)?;
            let how = Resize { from: size, to, by: by.of(), antialias: !no_antialias };
            let copies = matches!(by, Kernel::Nearest | Kernel::NearestFloor);
            filtered(&p, to, copies, |x| resized(m, how, x, channels), |x| resized(m, how, x, channels))
        }
        Step::Blur { sigma, size: n } => filtered(
            &p,
            size,
            false,
            |x| blurred(m, (sigma, n), x, whole),
            |x| blurred(m, (sigma, n), x, whole),
        ),
        Step::Box { size: Window(window) } => {
            let workspace = box_filter_workspace(width, channels, window[0]);
            let of_bytes = |x: &[u8]| {
                m.run((x, whole), x.len(), workspace, |m, src, to, room| {
                    let to = M::image_mut(to, width, height, channels)?;
                    m.box_filter(src, window, Border::Clamp, to, room)
                })
            };
            filtered(&p, size, false, of_bytes, |x| mean(m, window, x, whole))
        }
        Step::Crop { area } => with_samples!(&p.samples, |data| cropped(data, whole, area)),
        Step::Flip { way } => with_samples!(&p.samples, |data| {
            let out = m.run::<_, _, u8>((data, whole), data.len(), 0, |m, src, to, _| {
                m.flip(src, way.of(), M::image_mut(to, width, height, channels)?)
            })?;
            Ok(Picture::new(size, channels, out))
        }),
        Step::Rotate { degrees, by } => {
            let degrees = degrees.rem_euclid(360.0);
            match degrees {
                0.0 | 360.0 => Ok(p),
                180.0 => apply(m, &Step::Flip { way: crate::steps::Way::Both }, p),
                90.0 | 270.0 => with_samples!(&p.samples, |data| {
                    let way = if degrees == 90.0 { Turn::Right } else { Turn::Left };
                    let out = m.run::<_, _, u8>((data, whole), data.len(), 0, |m, src, to, _| {
                        m.rotate90(src, way, M::image_mut(to, height, width, channels)?)
                    })?;
                    Ok(Picture::new([height, width], channels, out))
                }),
                _ => turned(m, &p, degrees, by),
            }
        }
        Step::Grey { luma } => grey(m, &p, luma.of()),
        Step::Median { size: n } => {
            let workspace = fulmen::median_workspace(width, n);
            beside_alpha(&p, |data, channels| {
                m.run((data, [width, height, channels]), data.len(), workspace, |m, src, to, room| {
                    m.median(src, n, Border::Clamp, M::image_mut(to, width, height, channels)?, room)
                })
            })
        }
        Step::Erode { size: Window(n) } | Step::Dilate { size: Window(n) } => {
            let erode = matches!(step, Step::Erode { .. });
            beside_alpha(&p, |data, channels| {
                let workspace = fulmen::morphology_workspace(width, channels, n);
                m.run((data, [width, height, channels]), data.len(), workspace, |m, src, to, room| {
                    let to = M::image_mut(to, width, height, channels)?;
                    if erode {
                        m.erode(src, n, Border::Clamp, to, room)
                    } else {
                        m.dilate(src, n, Border::Clamp, to, room)
                    }
                })
            })
        }
        Step::Equalize => beside_alpha(&p, |data, channels| {
            let workspace = fulmen::equalize_workspace(channels);
            m.run((data, [width, height, channels]), data.len(), workspace, |m, src, to, room| {
                m.equalize(src, M::image_mut(to, width, height, channels)?, room)
            })
        }),
        Step::Sobel => {
            opaque(&p)?;
            with_samples!(&p.samples, |data| {
                let (colours, alpha) = split(data, channels)?;
                let out = slopes(m, &colours, [width, height, p.colours()])?;
                Ok(Picture::new(size, channels, join(out, p.colours(), alpha)?))
            })
        }
        Step::Canny { low, high, norm } => {
            opaque(&p)?;
            let luma = grey(m, &p, Luma::Bt601)?;
            let (luma, _) = split(bytes(&luma)?, luma.channels)?;
            match m.canny((&luma, size), [low, high], norm.of()) {
                Some(out) => Ok(Picture::new(size, 1, out?)),
                None => useless(format!("{} does not have it: --backend cpu does", m.name())),
            }
        }
        Step::Threshold { at, kind, .. } => {
            let luma = grey(m, &p, Luma::Bt601)?;
            let (data, alpha) = split(bytes(&luma)?, luma.channels)?;
            let flat = [width, height, 1];
            let level = match at {
                Some(level) => level,
                None => {
                    opaque(&p)?;
                    let counts =
                        m.run((&data, flat), 256, fulmen::histogram_workspace(), |m, src, to, room| {
                            m.histogram(src, to, room)
                        })?;
                    let mut level = [0];
                    fulmen::otsu(&counts, &mut level).map_err(failed)?;
                    level[0]
                }
            };
            let out = m.run::<_, _, u8>((&data, flat), data.len(), 0, |m, src, to, _| {
                m.threshold_image(src, level, kind.of(), M::image_mut(to, width, height, 1)?)
            })?;
            Ok(Picture::new(size, luma.channels, join(out, 1, alpha)?))
        }
        Step::Flatten { onto } => match p.has_alpha() {
            true => with_samples!(&p.samples, |data| flattened(data, size, channels, onto)),
            false => Ok(p),
        },
        Step::Depth { bits } => deepened(p, bits),
    }
}

/// The sizes of the result, of which one may follow from the other and the ratio.
fn sides(wanted: Wanted, [width, height]: [usize; 2]) -> Result<[usize; 2], Stop> {
    let scaled = |side: usize, to: usize, of: usize| {
        let (side, to, of) = (side as u128, to as u128, of as u128);
        usize::try_from(((2 * side * to + of) / (2 * of)).max(1))
            .or_else(|_| useless("the result is too large"))
    };
    match wanted {
        Wanted(Some(w), Some(h)) => Ok([w, h]),
        Wanted(Some(w), None) => Ok([w, scaled(height, w, width)?]),
        Wanted(None, Some(h)) => Ok([scaled(width, h, height)?, h]),
        Wanted(None, None) => Ok([width, height]),
    }
}

/// The bytes of a picture that has such.
fn bytes(p: &Picture) -> Result<&[u8], Stop> {
    match &p.samples {
        Samples::Bytes(data) => Ok(data),
        Samples::Words(_) => {
            useless("it takes 8 bits for each number, not 16: the step `depth 8` rounds them")
        }
    }
}

/// Refuses a picture of which something is transparent.
fn opaque(p: &Picture) -> Result<(), Stop> {
    match p.is_transparent() {
        true => {
            useless("it would show the colours of transparent pixels: `flatten` puts the picture on a colour")
        }
        false => Ok(()),
    }
}

/// A step on the colours of an opaque picture of bytes; alpha is as before.
fn beside_alpha(
    p: &Picture,
    step: impl FnOnce(&[u8], usize) -> Result<Vec<u8>, Stop>,
) -> Result<Picture, Stop> {
    let data = bytes(p)?;
    opaque(p)?;
    let out = if p.has_alpha() {
        let (colours, alpha) = split(data, p.channels)?;
        join(step(&colours, p.colours())?, p.colours(), alpha)?
    } else {
        step(data, p.channels)?
    };
    Ok(Picture::new(p.size(), p.channels, out))
}

/// Colours, and alpha if there is one.
fn split<P: Sample>(data: &[P], channels: usize) -> Result<(Vec<P>, Option<Vec<P>>), Stop> {
    if channels % 2 == 1 {
        return Ok((collect(data.len(), data.iter().copied())?, None));
    }
    let pixels = data.len() / channels;
    let (mut colours, mut alpha) = (room(data.len() - pixels)?, room(pixels)?);
    for pixel in data.chunks_exact(channels) {
        let (a, others) = pixel.split_last().unwrap_or((&pixel[0], &[]));
        colours.extend_from_slice(others);
        alpha.push(*a);
    }
    Ok((colours, Some(alpha)))
}

/// Colours of so many channels, with alpha behind them if there is one.
fn join<P: Sample>(data: Vec<P>, channels: usize, alpha: Option<Vec<P>>) -> Result<Vec<P>, Stop> {
    let Some(alpha) = alpha else { return Ok(data) };
    let mut out = room(data.len().saturating_add(alpha.len()))?;
    for (pixel, a) in data.chunks_exact(channels).zip(alpha) {
        out.extend_from_slice(pixel);
        out.push(a);
    }
    Ok(out)
}

/// Floats; with alpha, colours are multiplied by it if `multiply`.
fn floats<P: Sample>(data: &[P], channels: usize, multiply: bool) -> Result<Vec<f32>, Stop> {
    let mut out = collect(data.len(), data.iter().map(|x| x.word() as f32))?;
    if multiply {
        for pixel in out.chunks_exact_mut(channels) {
            if let Some((a, colours)) = pixel.split_last_mut() {
                colours.iter_mut().for_each(|x| *x *= *a / P::MOST as f32);
            }
        }
    }
    Ok(out)
}

/// The nearest numbers; with alpha, colours are divided by it if `divide`.
fn rounded<P: Sample>(mut data: Vec<f32>, channels: usize, divide: bool) -> Result<Vec<P>, Stop> {
    if divide {
        for pixel in data.chunks_exact_mut(channels) {
            if let Some((a, colours)) = pixel.split_last_mut() {
                let factor = if *a >= 0.5 { P::MOST as f32 / *a } else { 0.0 };
                colours.iter_mut().for_each(|x| *x *= factor);
            }
        }
    }
    collect(data.len(), data.iter().map(|x| P::nearest(*x)))
}

/// A filter of bytes where that is all, otherwise of floats: of words, and of colours that are multiplied by alpha, unless the filter `copies`
/// whole pixels.
fn filtered(
    p: &Picture,
    to: [usize; 2],
    copies: bool,
    of_bytes: impl FnOnce(&[u8]) -> Result<Vec<u8>, Stop>,
    of_floats: impl FnOnce(&[f32]) -> Result<Vec<f32>, Stop>,
) -> Result<Picture, Stop> {
    let by_alpha = p.is_transparent() && !copies;
    match &p.samples {
        Samples::Bytes(data) if !by_alpha => Ok(Picture::new(to, p.channels, of_bytes(data)?)),
        Samples::Bytes(data) => {
            let out = of_floats(&floats(data, p.channels, true)?)?;
            Ok(Picture::new::<u8>(to, p.channels, rounded(out, p.channels, true)?))
        }
        Samples::Words(data) => {
            let out = of_floats(&floats(data, p.channels, by_alpha)?)?;
            Ok(Picture::new::<u16>(to, p.channels, rounded(out, p.channels, by_alpha)?))
        }
    }
}

fn resized<M: Machine, P: Filtered>(m: &M, how: Resize, data: &[P], channels: usize) -> Result<Vec<P>, Stop> {
    let ([width, height], [w, h]) = (how.from, how.to);
    let n = product(&[w, h, channels])?;
    // A plan takes its time: the result is known to fit before.
    fits(n.saturating_mul(size_of::<P>()))?;
    let (mut spans, mut weights) = (zeros(how.spans())?, zeros(how.weights::<P::Weight>())?);
    let plan = ResizePlan::new(how, &mut spans, &mut weights).map_err(failed)?;
    m.run((data, [width, height, channels]), n, resize_workspace(width, channels), |m, src, to, room| {
        m.resize(plan, src, M::image_mut(to, w, h, channels)?, room)
    })
}

fn blurred<M: Machine, P: Filtered>(
    m: &M,
    (sigma, size): (f64, Option<usize>),
    data: &[P],
    whole @ [width, height, channels]: [usize; 3],
) -> Result<Vec<P>, Stop> {
    let taps = size.unwrap_or_else(|| gaussian_len(sigma));
    let mut weights = zeros(taps)?;
    let workspace = correlate_separable_workspace(width, channels, taps);
    m.run((data, whole), data.len(), workspace, |m, src, to, room| {
        let to = M::image_mut(to, width, height, channels)?;
        if size.is_none() {
            return m.gaussian(src, sigma, Border::Clamp, to, &mut weights, room);
        }
        let kernel = fulmen::image::Kernel::gaussian(sigma, &mut weights)?;
        m.correlate_separable(src, kernel, kernel, Border::Clamp, to, room)
    })
}

/// The mean of a window of floats, of which the library has no box filter: a separable one of equal weights. Where a window is even, its
/// middle is the first pixel behind the half, as that of a box filter.
fn mean<M: Machine>(
    m: &M,
    window: [usize; 2],
    data: &[f32],
    whole @ [width, height, channels]: [usize; 3],
) -> Result<Vec<f32>, Stop> {
    let [mut across, mut down] = [zeros(window[0] | 1)?, zeros(window[1] | 1)?];
    let equal = |n: usize| collect(n | 1, (0..n | 1).map(|i| if i < n { 1.0 / n as f64 } else { 0.0 }));
    let across = fulmen::image::Kernel::new(&equal(window[0])?, &mut across).map_err(failed)?;
    let down = fulmen::image::Kernel::new(&equal(window[1])?, &mut down).map_err(failed)?;
    let workspace = correlate_separable_workspace(width, channels, across.len());
    m.run((data, whole), data.len(), workspace, |m, src, to, room| {
        let to = M::image_mut(to, width, height, channels)?;
        m.correlate_separable(src, down, across, Border::Clamp, to, room)
    })
}

/// Turned by an angle that is none of 90°, 180°, 270°.
fn turned<M: Machine>(m: &M, p: &Picture, degrees: f64, by: Sampling) -> Result<Picture, Stop> {
    let (size, channels) = (p.size().map(|n| n as f64), p.channels);
    let (sin, cos) = degrees.to_radians().sin_cos();
    let [w, h] = [[cos, sin], [sin, cos]]
        .map(|[a, b]| ((size[0] * a.abs() + size[1] * b.abs() - 1e-9).ceil() as usize).max(1));
    let n = product(&[w, h, channels])?;
    // From places of the result to those of the picture, whose centres are one.
    let [[a, b, _], [c, d, _]] = Affine::rotation([0.0; 2], degrees, 1.0).rows();
    let [x, y] = [(w as f64 - 1.0) / 2.0, (h as f64 - 1.0) / 2.0];
    let [u, v] = size.map(|n| (n - 1.0) / 2.0);
    let matrix = Affine::new([[a, b, u - a * x - b * y], [c, d, v - c * x - d * y]]);
    let whole = [p.width, p.height, channels];
    let job = Warp { matrix, by: by.of(), whole, to: [w, h], n };
    let by_alpha = p.has_alpha() && by == Sampling::Bilinear;
    with_samples!(&p.samples, |data| {
        let out = if by_alpha {
            rounded(job.run(m, &floats(data, channels, true)?)?, channels, true)?
        } else {
            job.run(m, data)?
        };
        Ok(Picture::new([w, h], channels, out))
    })
}

/// A picture of these columns, rows and channels, turned to other sizes with `n` numbers.
struct Warp {
    matrix: Affine,
    by: Sampler,
    whole: [usize; 3],
    to: [usize; 2],
    n: usize,
}

impl Warp {
    fn run<M: Machine, P: Pixel + Held>(&self, m: &M, data: &[P]) -> Result<Vec<P>, Stop> {
        let ([w, h], channels) = (self.to, self.whole[2]);
        m.run::<_, _, u8>((data, self.whole), self.n, 0, |m, src, to, _| {
            let to = M::image_mut(to, w, h, channels)?;
            m.warp_affine(src, self.matrix, self.by, Border::Constant(P::default()), to)
        })
    }
}

fn cropped<P: Sample>(
    data: &[P],
    [width, height, channels]: [usize; 3],
    area: Area,
) -> Result<Picture, Stop> {
    let Area { size: [w, h], at: [x, y] } = area;
    let within = |at: usize, n: usize, all: usize| at.checked_add(n).is_some_and(|end| end <= all);
    if !within(x, w, width) || !within(y, h, height) {
        return useless(format!("{w}x{h}+{x}+{y} reaches beyond the picture of {width} x {height}"));
    }
    let mut out = room(w * h * channels)?;
    for row in data.chunks_exact(width * channels).skip(y).take(h) {
        out.extend_from_slice(&row[x * channels..(x + w) * channels]);
    }
    Ok(Picture::new([w, h], channels, out))
}

/// The luma; alpha is as before.
fn grey<M: Machine>(m: &M, p: &Picture, luma: Luma) -> Result<Picture, Stop> {
    let (data, [width, height]) = (bytes(p)?, p.size());
    if p.colours() == 1 {
        return Ok(Picture::new(p.size(), p.channels, collect(data.len(), data.iter().copied())?));
    }
    let out =
        m.run::<_, _, u8>((data, [width, height, p.channels]), width * height, 0, |m, src, to, _| {
            m.grey(src, luma, M::image_mut(to, width, height, 1)?)
        })?;
    let (_, alpha) = if p.has_alpha() { split(data, p.channels)? } else { (Vec::new(), None) };
    Ok(Picture::new(p.size(), p.channels - 2, join(out, 1, alpha)?))
}

/// A quarter of the magnitudes of gradients.
fn slopes<M: Machine, P: Sample>(
    m: &M,
    data: &[P],
    whole @ [width, height, channels]: [usize; 3],
) -> Result<Vec<P>, Stop> {
    let n = data.len();
    let data = floats(data, channels, false)?;
    let both: Vec<f32> = m.run::<_, _, u8>((&data, whole), 2 * n, 0, |m, src, to, _| {
        let [dx, dy] = M::split(to, n)?;
        let [dx, dy] = [dx, dy].map(|to| M::image_mut(to, width, height, channels));
        m.sobel(src, Border::Clamp, dx?, dy?)
    })?;
    let (dx, dy) = both.split_at(n);
    collect(n, dx.iter().zip(dy).map(|(x, y)| P::nearest((x * x + y * y).sqrt() / 4.0)))
}

/// On a colour. A grey picture stays grey on a grey one.
fn flattened<P: Sample>(
    data: &[P],
    size: [usize; 2],
    channels: usize,
    onto: [u8; 3],
) -> Result<Picture, Stop> {
    let most = u64::from(P::MOST);
    let colours = if channels == 2 && onto == [onto[0]; 3] { 1 } else { 3 };
    let onto = onto.map(|level| u64::from(level) * most / 255);
    let mut out = room(product(&[size[0], size[1], colours])?)?;
    for pixel in data.chunks_exact(channels) {
        let a = u64::from(pixel[channels - 1].word());
        for (c, onto) in onto.iter().enumerate().take(colours) {
            let level = u64::from(pixel[c.min(channels - 2)].word());
            out.push(P::of(((level * a + onto * (most - a) + most / 2) / most) as u32));
        }
    }
    Ok(Picture::new(size, colours, out))
}

/// With so many bits for each number.
fn deepened(p: Picture, bits: Depth) -> Result<Picture, Stop> {
    let samples = match (&p.samples, bits) {
        (Samples::Bytes(data), Depth::Sixteen) => {
            Samples::Words(collect(data.len(), data.iter().map(|x| u16::from(*x) * 257))?)
        }
        (Samples::Words(data), Depth::Eight) => {
            let byte = |x: &u16| u8::of((u32::from(*x) * 255 + 32_767) / 65_535);
            Samples::Bytes(collect(data.len(), data.iter().map(byte))?)
        }
        _ => return Ok(p),
    };
    Ok(Picture { samples, ..p })
}

/// On white, in bytes, and no larger than this: for a contact sheet.
pub fn small<M: Machine>(m: &M, p: &Picture, most: usize) -> Result<Picture, Stop> {
    let largest = p.width.max(p.height);
    let mut small = if largest > most {
        let to = p.size().map(|n| (n * most / largest).max(1));
        let how = Resize { from: p.size(), to, by: Interpolation::Area, antialias: true };
        filtered(p, to, false, |x| resized(m, how, x, p.channels), |x| resized(m, how, x, p.channels))?
    } else {
        p.clone()
    };
    small = deepened(small, Depth::Eight)?;
    match small.has_alpha() {
        true => flattened(bytes(&small)?, small.size(), small.channels, [255; 3]),
        false => Ok(small),
    }
}
