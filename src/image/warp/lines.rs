//! Lines of results: pixels whose sources are all inside in blocks, the others one by one.

use super::{FAR, Steps};
use crate::image::{Border, Image, Pixel};
use core::ops::Range;

/// Pixels that are computed together.
pub const BLOCK: usize = 32;

/// `2²²·p`, rounded half up, of bytes and fractions of 11 bits.
#[inline(always)]
pub(crate) fn blend_bytes([a, b, c, d]: [u8; 4], [x, y]: [u32; 2]) -> u8 {
    let line =
        |a: u8, b: u8| (u32::from(a) << 11).wrapping_add(u32::from(b).wrapping_sub(a.into()).wrapping_mul(x));
    let (up, down) = (line(a, b), line(c, d));
    ((up << 11).wrapping_add(down.wrapping_sub(up).wrapping_mul(y)).wrapping_add(1 << 21) >> 22) as u8
}

/// The same of 16 bits and fractions of 15 bits: along lines rounded to multiples of 1/2.
#[inline(always)]
pub(crate) fn blend_words([a, b, c, d]: [u16; 4], [x, y]: [u32; 2]) -> u16 {
    let line = |a: u16, b: u16| {
        let product = u32::from(b).wrapping_sub(a.into()).wrapping_mul(x);
        (u32::from(a) << 15).wrapping_add(product).wrapping_add(1 << 13) >> 14
    };
    let (up, down) = (line(a, b), line(c, d));
    ((up << 15).wrapping_add(down.wrapping_sub(up).wrapping_mul(y)).wrapping_add(1 << 15) >> 16) as u16
}

/// The same of floats and fractions of 16 bits. What has the weight 0 is left out.
#[inline(always)]
pub(crate) fn blend_floats([a, b, c, d]: [f32; 4], at: [u32; 2]) -> f32 {
    // Exact: fractions have 16 bits.
    let [x, y] = at.map(|at| at.cast_signed() as f32 * (1.0 / 65536.0));
    let mix = |a: f32, b: f32, x: f32| if x == 0.0 { a } else { a * (1.0 - x) + b * x };
    mix(mix(a, b, x), mix(c, d, x), y)
}

/// `n` elements from element `at` on of two lines, of which the second is as long as the first. A loop that ends where there are none reads element by
/// element; of others compilers make gathers.
#[inline(always)]
fn around<'a, P>(up: &'a [P], down: &'a [P], at: u32, n: usize) -> Option<(&'a [P], &'a [P])> {
    let at = at as usize;
    up.get(at..at + n).zip(down.get(at..at + n))
}

/// Blends pixels of `C` bytes; a word has the `L` bytes of a pixel, or of two where these are one or two.
#[inline(always)]
pub(crate) fn block_of_bytes<const C: usize, const L: usize>(
    lines: [&[u8]; 2],
    at: &[u32; BLOCK],
    [fx, fy]: &[[u32; BLOCK]; 2],
    out: &mut [[u8; C]],
) {
    let [up, down] = lines;
    let [mut a, mut b, mut c, mut d] = [[0u32; BLOCK]; 4];
    let word = |bytes: &[u8]| {
        let two = || bytes.first_chunk::<2>().map(|two| u16::from_le_bytes(*two).into());
        bytes.first_chunk::<4>().map(|four| u32::from_le_bytes(*four)).or_else(two).unwrap_or_default()
    };
    let to = a.iter_mut().zip(&mut b).zip(c.iter_mut().zip(&mut d));
    for ((((a, b), (c, d)), at), _) in to.zip(at).zip(&*out) {
        let Some((up, down)) = around(up, down, *at, C + L) else { return };
        (*a, *c) = (word(up), word(down));
        if L > 2 {
            let right = |line: &[u8]| line.get(C..).map(word).unwrap_or_default();
            (*b, *d) = (right(up), right(down));
        }
    }
    if L <= 2 {
        for ((b, d), (a, c)) in b.iter_mut().zip(&mut d).zip(a.iter().zip(&c)) {
            (*b, *d) = (*a >> (8 * L), *c >> (8 * L));
        }
    }
    let mut found = [0u32; BLOCK];
    for channel in 0..C {
        let byte = |word: &u32| (*word >> (8 * channel)) as u8;
        let pixels = a.iter().zip(&b).zip(c.iter().zip(&d)).zip(fx.iter().zip(fy));
        for (to, (((a, b), (c, d)), (x, y))) in found.iter_mut().zip(pixels) {
            let p = blend_bytes([byte(a), byte(b), byte(c), byte(d)], [*x, *y]);
            *to |= u32::from(p) << (8 * channel);
        }
    }
    for (to, p) in out.iter_mut().zip(found) {
        if let Some(p) = p.to_le_bytes().first_chunk::<C>() {
            *to = *p;
        }
    }
}

/// Blends pixels of `C` elements, of which `L` are read at a time.
#[inline(always)]
pub(crate) fn block_of_pixels<P: Pixel, const C: usize, const L: usize>(
    lines: [&[P]; 2],
    at: &[u32; BLOCK],
    [fx, fy]: &[[u32; BLOCK]; 2],
    out: &mut [[P; C]],
) {
    let [up, down] = lines;
    if C == 1 {
        let [mut above, mut below] = [[[P::default(); 2]; BLOCK]; 2];
        for (((a, b), at), _) in above.iter_mut().zip(&mut below).zip(at).zip(&*out) {
            let Some((up, down)) = around(up, down, *at, 2) else { return };
            let (Some(up), Some(down)) = (up.first_chunk(), down.first_chunk()) else { return };
            (*a, *b) = (*up, *down);
        }
        let mut found = [P::default(); BLOCK];
        let pixels = above.iter().zip(&below).zip(fx.iter().zip(fy));
        for (to, (([a, b], [c, d]), (x, y))) in found.iter_mut().zip(pixels) {
            *to = P::blend([*a, *b, *c, *d], [*x, *y]);
        }
        out.iter_mut().zip(found).for_each(|(to, p)| *to = [p; C]);
        return;
    }
    let [mut a, mut b, mut c, mut d] = [[[P::default(); L]; BLOCK]; 4];
    let to = a.iter_mut().zip(&mut b).zip(c.iter_mut().zip(&mut d));
    for ((((a, b), (c, d)), at), _) in to.zip(at).zip(&*out) {
        let Some((up, down)) = around(up, down, *at, C + L) else { return };
        let (right_up, right_down) = (up.get(C..).unwrap_or_default(), down.get(C..).unwrap_or_default());
        let four = (up.first_chunk(), right_up.first_chunk(), down.first_chunk(), right_down.first_chunk());
        if let (Some(p), Some(q), Some(r), Some(s)) = four {
            (*a, *b, *c, *d) = (*p, *q, *r, *s);
        }
    }
    let mut found = [[P::default(); BLOCK]; L];
    for (channel, found) in found.iter_mut().enumerate().take(C) {
        let of = |pixel: &[P; L]| pixel.get(channel).copied().unwrap_or_default();
        let pixels = a.iter().zip(&b).zip(c.iter().zip(&d)).zip(fx.iter().zip(fy));
        for (to, (((a, b), (c, d)), (x, y))) in found.iter_mut().zip(pixels) {
            *to = P::blend([of(a), of(b), of(c), of(d)], [*x, *y]);
        }
    }
    for (channel, found) in found.iter().enumerate().take(C) {
        for (to, p) in out.iter_mut().zip(found) {
            if let Some(to) = to.get_mut(channel) {
                *to = *p;
            }
        }
    }
}

/// A place of the source: of the pixel at its upper left, and the fractions.
#[derive(Clone, Copy)]
struct SourcePoint {
    at: [i32; 2],
    fraction: [u32; 2],
}

/// The source, and what is read beyond it. Pixels have `C` channels, of which blocks read `L`, if there are three one more; results are blended of four
/// pixels, or one pixel.
#[derive(Clone, Copy)]
struct Source<'a, P, const C: usize, const L: usize, const FOUR: bool> {
    src: Image<'a, P>,
    border: Border<P>,
    /// The column and the row from which on a block cannot read, as not all pixels are inside.
    inner: [i64; 2],
    /// Elements from row to row, where 32 bits hold the number of every element.
    stride: Option<u32>,
}

impl<'a, P: Pixel, const C: usize, const L: usize, const FOUR: bool> Source<'a, P, C, L, FOUR> {
    #[inline(always)]
    fn new(src: Image<'a, P>, border: Border<P>) -> Self {
        let (_, stride) = src.parts();
        let more = i64::from(FOUR);
        // One element more than the pixels have may be that of another column.
        let inner = [src.width() as i64 - more - i64::from(FOUR && L > C), src.height() as i64 - more];
        let stride = u32::try_from(stride.saturating_mul(src.height())).ok().map(|_| stride as u32);
        Self { src, border, inner, stride }
    }
    /// One pixel, whose sources may be anywhere.
    #[inline(always)]
    fn one(&self, SourcePoint { at: [x, y], fraction }: SourcePoint) -> [P; C] {
        let (src, border) = (self.src, self.border);
        let line = |y: i32| border.index(y as isize, src.height()).map(|y| src.line(y).as_chunks::<C>().0);
        let column = |x: i32| border.index(x as isize, src.width());
        let pixel = |line: Option<&'a [[P; C]]>, column: Option<usize>| {
            let found = line.zip(column).and_then(|(line, at)| line.get(at));
            found.copied().unwrap_or([border.value(); C])
        };
        if !FOUR {
            return pixel(line(y), column(x));
        }
        let (up, down, left, right) = (line(y), line(y + 1), column(x), column(x + 1));
        let four = [pixel(up, left), pixel(up, right), pixel(down, left), pixel(down, right)];
        let mut out = [P::default(); C];
        let [a, b, c, d] = four;
        for ((((to, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *to = P::blend([a, b, c, d], fraction);
        }
        out
    }
    /// Up to [`BLOCK`] pixels whose sources are all inside: `at` has the numbers of their first elements.
    #[inline(always)]
    fn block(&self, at: &[u32; BLOCK], fraction: &[[u32; BLOCK]; 2], out: &mut [[P; C]]) {
        let (data, stride) = self.src.parts();
        if FOUR {
            let down = data.get(stride..).unwrap_or_default();
            let Some(up) = data.get(..down.len()) else { return };
            return P::block::<C, L>([up, down], at, fraction, out);
        }
        for (to, at) in out.iter_mut().zip(at) {
            let Some(p) = data.get(*at as usize..).and_then(|data| data.first_chunk::<C>()) else { return };
            *to = *p;
        }
    }
}

/// Lines of [`warp_affine`](crate::warp_affine()).
#[derive(Clone, Copy)]
pub(super) struct AffineLines<'a, P, const C: usize, const L: usize, const FOUR: bool> {
    source: Source<'a, P, C, L, FOUR>,
    steps: Steps,
}

/// The numbers `i` of `0..n` for which `start + step·i` is in a range.
#[inline(always)]
fn within(start: i64, step: i64, range: Range<i64>, n: usize) -> Range<usize> {
    let (start, step, low, high) = match step {
        0 if range.contains(&start) => return 0..n,
        0 => return 0..0,
        // Both signs change, and with them the ends of the range.
        step if step < 0 => (-start, -step, 1 - range.end, 1 - range.start),
        _ => (start, step, range.start, range.end),
    };
    let first = |from: i64| {
        let up = from.saturating_sub(start).saturating_add(step - 1);
        up.checked_div_euclid(step).unwrap_or_default().clamp(0, n as i64) as usize
    };
    first(low)..first(high)
}

/// The numbers that are in both.
#[inline(always)]
fn both(a: Range<usize>, b: Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

impl<'a, P: Pixel, const C: usize, const L: usize, const FOUR: bool> AffineLines<'a, P, C, L, FOUR> {
    #[inline(always)]
    pub(super) fn new(src: Image<'a, P>, border: Border<P>, steps: Steps) -> Self {
        Self { source: Source::new(src, border), steps }
    }
    /// A place with 32 bits behind the point.
    #[inline(always)]
    fn of_fixed(place: [i64; 2]) -> SourcePoint {
        let at = place.map(|p| (p >> 32) as i32);
        SourcePoint { at, fraction: place.map(|p| (p as u32) >> (32 - P::FRACTION)) }
    }
    /// Line `y` of the result.
    #[inline(always)]
    pub(super) fn line(self, y: usize, out: &mut [P]) {
        let Self { source, steps: Steps(steps) } = self;
        let out = out.as_chunks_mut::<C>().0;
        let n = out.len();
        let start = steps.map(|[_, down, start]| start + down * y as i64);
        let step = steps.map(|[right, ..]| right);
        // The pixels whose places are in this range, of columns and of rows.
        let inside = |low: i64, ends: [i64; 2]| {
            let of = |([start, step], end): ([i64; 2], i64)| within(start, step, low << 32..end << 32, n);
            let ([x, y], [u, v], [w, h]) = (start, step, ends);
            both(of(([x, u], w)), of(([y, v], h)))
        };
        let inner = if source.stride.is_some() { inside(0, source.inner) } else { 0..0 };
        let mut near = 0..n;
        if let Border::Constant(value) = source.border {
            // Elsewhere all pixels are the constant.
            near = inside(-i64::from(FOUR), [source.src.width() as i64, source.src.height() as i64]);
            let (before, rest) = out.split_at_mut_checked(near.start).unwrap_or_default();
            before.fill([value; C]);
            rest.get_mut(near.len()..).unwrap_or_default().fill([value; C]);
        }
        let inner = if inner.is_empty() { near.end..near.end } else { inner };
        let place = |x: usize| {
            let ([u, v], [right, down]) = (start, step);
            [u + right * x as i64, v + down * x as i64]
        };
        for part in [near.start..inner.start, inner.end..near.end] {
            let from = part.start;
            for (k, to) in out.get_mut(part).unwrap_or_default().iter_mut().enumerate() {
                *to = source.one(Self::of_fixed(place(from + k)));
            }
        }
        let stride = source.stride.unwrap_or_default();
        let from = inner.start;
        let [right, down] = step;
        for (k, out) in out.get_mut(inner).unwrap_or_default().chunks_mut(BLOCK).enumerate() {
            let [x, y] = place(from + k * BLOCK);
            let (mut at, mut fx, mut fy) = ([0u32; BLOCK], [0u32; BLOCK], [0u32; BLOCK]);
            let to = at.iter_mut().zip(&mut fx).zip(&mut fy);
            for (i, ((at, fx), fy)) in to.enumerate() {
                let [x, y] = [
                    x.wrapping_add(right.wrapping_mul(i as i64)),
                    y.wrapping_add(down.wrapping_mul(i as i64)),
                ];
                let [column, row] = [x, y].map(|p| (p.cast_unsigned() >> 32) as u32);
                *at = row.wrapping_mul(stride).wrapping_add(column.wrapping_mul(C as u32));
                *fx = (x as u32) >> (32 - P::FRACTION);
                *fy = (y as u32) >> (32 - P::FRACTION);
            }
            source.block(&at, &[fx, fy], out);
        }
    }
}

/// The nearest whole number, which is even at a half, and the rest, both exactly, of a magnitude below [`FAR`]. Compilers make no vectors of `as i32`.
#[inline(always)]
fn round(x: f32) -> (i32, f32) {
    // Sums with it are between 2²³ and 2²⁴, where floats are the whole numbers.
    const WHOLE: f32 = 12_582_912.0;
    let sum = x + WHOLE;
    (sum.to_bits().wrapping_sub(WHOLE.to_bits()).cast_signed(), x - (sum - WHOLE))
}

/// Lines of [`remap`](crate::remap()).
#[derive(Clone, Copy)]
pub(super) struct MapLines<'a, P, const C: usize, const L: usize, const FOUR: bool>(
    Source<'a, P, C, L, FOUR>,
);

impl<'a, P: Pixel, const C: usize, const L: usize, const FOUR: bool> MapLines<'a, P, C, L, FOUR> {
    #[inline(always)]
    pub(super) fn new(src: Image<'a, P>, border: Border<P>) -> Self {
        Self(Source::new(src, border))
    }
    /// A coordinate of each place: the pixel at its left and its fraction, or the nearest pixel; that of 0 where it is NaN or far.
    #[inline(always)]
    fn coordinates(places: &[f32; BLOCK], whole: &mut [i32; BLOCK], fraction: &mut [u32; BLOCK]) {
        let unit = (1i32 << P::FRACTION) as f32;
        for ((place, whole), fraction) in places.iter().zip(whole).zip(fraction) {
            let place = if place.abs() < FAR { *place } else { 0.0 };
            // Exact, as is the product with a power of two.
            let (near, rest) = round(place);
            if FOUR {
                let (part, rest) = round(rest * unit);
                let part = part + i32::from(rest == 0.5);
                *whole = near + (part >> P::FRACTION);
                *fraction = part.cast_unsigned() & ((1 << P::FRACTION) - 1);
            } else {
                *whole = near + i32::from(rest == 0.5);
            }
        }
    }
    /// The line of the result for the places of a line of the map.
    #[inline(always)]
    pub(super) fn line(self, map: &[f32], out: &mut [P]) {
        let Self(source) = self;
        let (out, map) = (out.as_chunks_mut::<C>().0, map.as_chunks::<2>().0);
        let stride = source.stride.unwrap_or_default();
        // No column is inside where 32 bits do not hold the elements' numbers.
        let [width, height] = source.inner.map(|n| if source.stride.is_some() { n as i32 } else { 0 });
        let constant = [source.border.value(); C];
        let (is_constant, more) = (matches!(source.border, Border::Constant(_)), i32::from(FOUR));
        // The columns and rows of which none is inside, behind the image; before it, those that are less than `-more`.
        let end = [source.src.width() as i32, source.src.height() as i32];
        for (out, map) in out.chunks_mut(BLOCK).zip(map.chunks(BLOCK)) {
            // Places behind the line are far.
            let (mut xs, mut ys) = ([FAR; BLOCK], [FAR; BLOCK]);
            for ((to_x, to_y), [x, y]) in xs.iter_mut().zip(&mut ys).zip(map) {
                (*to_x, *to_y) = (*x, *y);
            }
            let (mut columns, mut rows) = ([0i32; BLOCK], [0i32; BLOCK]);
            let (mut at, mut fraction) = ([0u32; BLOCK], [[0u32; BLOCK]; 2]);
            let [fx, fy] = &mut fraction;
            Self::coordinates(&xs, &mut columns, fx);
            Self::coordinates(&ys, &mut rows, fy);
            let mut outside = 0;
            for ((at, (column, row)), (x, y)) in
                at.iter_mut().zip(columns.iter().zip(&rows)).zip(xs.iter().zip(&ys))
            {
                let known = (x.abs() < FAR) & (y.abs() < FAR);
                let inside = (*column >= 0) & (*column < width) & (*row >= 0) & (*row < height);
                outside += u32::from(!(known & inside));
                let across = column.cast_unsigned().wrapping_mul(C as u32);
                *at = row.cast_unsigned().wrapping_mul(stride).wrapping_add(across);
            }
            if outside as usize == BLOCK - map.len() {
                source.block(&at, &fraction, out);
                continue;
            }
            let [fx, fy] = &fraction;
            let spots = columns.iter().zip(&rows).zip(fx.iter().zip(fy));
            for ((to, [x, y]), ((column, row), (fx, fy))) in out.iter_mut().zip(map).zip(spots) {
                let known = (x.abs() < FAR) & (y.abs() < FAR);
                let [right, bottom] = end;
                let near = (-more..right).contains(column) & (-more..bottom).contains(row);
                *to = if known & (near | !is_constant) {
                    source.one(SourcePoint { at: [*column, *row], fraction: [*fx, *fy] })
                } else {
                    constant
                };
            }
        }
    }
}
