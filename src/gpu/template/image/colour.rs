//! Kernels that compute a pixel from the pixel in its place.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Approx, Cmp, Kernel};
use super::super::super::types::{F32, U32};
use super::{Args, PixelType, ROWS_TOGETHER, Source, Together, Walk, Words, anywhere, choose};
use alloc::vec;
use alloc::vec::Vec;

/// Exchanges the first and the third channel of `channels`. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS).
pub fn exchange(walk: Walk, of: PixelType, channels: usize) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("rgb_to_bgr"));
    let (args, []) = Args::new(&b, walk, of);
    args.write_pixels([channels; 2], &|p| {
        let mut p = Vec::from(p);
        if p.len() > 2 {
            p.swap(0, 2);
        }
        p
    });
    b.finish()
}

/// Compares bytes with a threshold. A byte `p` becomes `(p & keep) | add`, with one pair of masks above the threshold and another elsewhere.
/// Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), the threshold, `keep` and `add` above it, `keep` and `add` elsewhere. The images
/// are taken for images of one channel.
pub fn threshold(walk: Walk) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("threshold_image"));
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    let [level, keep, add, keep_other, add_other] = b.params::<U32, 5>();
    args.write_pixels([1; 2], &|p| {
        let of = p.iter().map(|p| {
            let above = p.compare(Cmp::Gt, level);
            (*p & Value::select(above, keep, keep_other)) | Value::select(above, add, add_other)
        });
        of.collect()
    });
    b.finish()
}

/// Converts colours of `channels` to grey levels. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), the weights of red, green and blue.
pub fn grey(walk: Walk, channels: usize) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("grey"));
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    let weights = b.params::<U32, 3>();
    args.write_pixels([channels, 1], &|p| {
        let parts = p.iter().zip(weights).map(|(p, weight)| *p * weight);
        let sum = parts.fold(b.int(1 << 14), |sum, part| sum + part);
        vec![sum >> b.int(15)]
    });
    b.finish()
}

/// `⌊a/d + 1/2⌋`, computed as `⌊(2a + d)/(2d)⌋`. Where `d` is 0, `a` is 0, too, and the result is 0. `a` is at most 330·`d`, and `d` at most 255.
///
/// For `n = 2a + d` the quotient `(n + 1/2)/(2d)` has the same whole part as `n/(2d)` and is 1/1020 or further from a whole number. It is at
/// most 331, so that reciprocals and products that are off by four units in the last place change it by less than 1/5000.
fn rounded<'b>(a: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    let b = d.builder();
    let d = d.most(b.int(1));
    let n = (a + a + d).to::<F32>() + b.f32(0.5);
    (n * (d + d).to::<F32>().approx(Approx::Rcp)).to()
}

/// Converts RGB to hue, saturation and value. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS).
pub fn hsv(walk: Walk) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("rgb_to_hsv"));
    let (args, []) = Args::new(&b, walk, PixelType::U8);
    args.write_pixels([3; 2], &|p| {
        let &[red, green, blue] = p else { return Vec::from(p) };
        let int = |n: i64| b.int::<U32>(n);
        let value = red.most(green).most(blue);
        let chroma = value - red.least(green).least(blue);
        let (is_red, is_green) = (red.compare(Cmp::Eq, value), green.compare(Cmp::Eq, value));
        let pick = |r, g, b| Value::select(is_red, r, Value::select(is_green, g, b));
        let (first, second) = (pick(green, blue, red), pick(blue, red, green));
        // A full turn, 180, is added, so that nothing is negative.
        let base = pick(int(180), int(240), int(300)) * chroma.most(int(1));
        let hue = rounded(base + first * int(30) - second * int(30), chroma);
        let hue = Value::select(hue.compare(Cmp::Ge, int(180)), hue - int(180), hue);
        let saturation = rounded(chroma * int(255), value);
        vec![hue, saturation, value]
    });
    b.finish()
}

/// Red, green and blue of a pixel, by the factors of [`nv12`].
pub(super) fn colours<'b>(
    [black, luma, red, green, green_of_v, blue]: [Value<'b, U32>; 6],
    level: Value<'b, U32>,
    [u, v]: [Value<'b, U32>; 2],
) -> [Value<'b, U32>; 3] {
    let b = level.builder();
    // The sums are modulo 2³². 1024 is added to the level (2³⁰ before the shift), so that no sum is negative.
    let shade = luma * (level - black) + b.int((1 << 19) + (1 << 30));
    let (u, v) = (u - b.int(128), v - b.int(128));
    let sums = [shade + red * v, shade + green * u + green_of_v * v, shade + blue * u];
    sums.map(|sum| (sum >> b.int(20)).most(b.int(1024)).least(b.int(1024 + 255)) - b.int(1024))
}

/// Converts NV12 to RGB. Buffers: luma, chroma, the result. Parameters: [`LAYOUT_PARAMS`](super::LAYOUT_PARAMS), the elements before chroma
/// in its first word, the stride of chroma, the elements of a row of it, the level of black, and the factors: of luma, of V for red, of U
/// and of V for green, of U for blue. In [`Walk::Aligned`] rows of chroma begin at words, too.
pub fn nv12(walk: Walk) -> Result<Kernel, Error> {
    let b = Builder::new(&walk.name("nv12_to_rgb"));
    let (args, [chroma]) = Args::new(&b, walk, PixelType::U8);
    let [before, stride, row] = b.params::<U32, 3>();
    let factors = b.params::<U32, 6>();
    let chroma = Source { x: chroma, before, stride, row, ..args.x };
    let one = b.int(1);
    args.write(
        PixelType::U8,
        &|at| {
            let level = args.x.get(at.y * args.x.stride + at.x);
            let pair = (at.y >> one) * stride + ((at.x >> one) << one);
            choose(at.c, &colours(factors, level, [0, 1].map(|k| chroma.get(pair + b.int(k)))))
        },
        // Four pixels are a word of luma and of chroma, and three of the result.
        Some(Together {
            elements: 12,
            rows: ROWS_TOGETHER,
            inside: &anywhere,
            words: Words::OfUnit(&|unit| {
                let first = unit.number << b.int(2);
                let levels = PixelType::U8.unpack(&args.x.words(unit.y * args.x.stride, first, 1, true));
                let shades = PixelType::U8.unpack(&chroma.words((unit.y >> one) * stride, first, 1, true));
                let pixels = levels.iter().enumerate().flat_map(|(k, level)| {
                    let shade = |c| shades.get(k / 2 * 2 + c).copied().unwrap_or(*level);
                    colours(factors, *level, [0, 1].map(shade))
                });
                PixelType::U8.pack(&pixels.collect::<Vec<_>>())
            }),
        }),
    );
    b.finish()
}
