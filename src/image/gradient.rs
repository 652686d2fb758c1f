//! Image gradients (Sobel) and edge detection (Canny).

use super::{Border, Image, ImageMut, Pixel};
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::plain::Plain;
use core::ops::{Add, Sub};

/// The element types that [`sobel`](crate::sobel()) takes: `u8`, whose derivatives are `i16`, and `f32`, whose derivatives are `f32`.
pub trait Gradient: Pixel {
    /// The type of derivatives.
    type Derivative: Plain + Default + Add<Output = Self::Derivative> + Sub<Output = Self::Derivative>;
    /// The number as a derivative.
    #[doc(hidden)]
    fn wide(self) -> Self::Derivative;
}
impl Gradient for u8 {
    type Derivative = i16;
    #[inline(always)]
    fn wide(self) -> i16 {
        self.into()
    }
}
impl Gradient for f32 {
    type Derivative = f32;
    #[inline(always)]
    fn wide(self) -> f32 {
        self
    }
}

/// How [`canny`](crate::canny()) measures a gradient.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Norm {
    /// `|dx| + |dy|`.
    L1,
    /// `√(dx² + dy²)`, compared by its square.
    L2,
}

ops! { $ gradient_ops in crate::image::gradient;
    /// `dx = p·[-1 0 1; -2 0 2; -1 0 1]` and `dy = p·[-1 -2 -1; 0 0 0; 1 2 1]`, where `p` are the three by three pixels around each, and `border` says
    /// what is read beyond the edges. These are the derivatives to the right and downwards, for a step of one pixel, times 8.
    ///
    /// Shapes: `dx` and `dy` have the sizes and channels of `src`, each channel by itself.
    ///
    /// Rounding: none on `u8`, whose derivatives are `i16` from -1020 to 1020. On `f32` `dx = (d₀ + d₂) + (d₁ + d₁)`, where `dᵢ` is the difference of row
    /// `i`, and `dy` likewise, with the same bits on every lane.
    ///
    /// NaN, infinities and ±0 (`f32`): as the formula gives them, of the pixels whose weight is not 0.
    ///
    /// Errors: [`Error::Shape`] names `dx` or `dy` when it has other sizes than `src`, [`Error::Len`] when it has other channels. Nothing is
    /// written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut};
    /// let (src, mut dx, mut dy) = ([10u8, 20, 30], [0i16; 3], [7i16; 3]);
    /// let to = |data| ImageMut::new(data, 3, 1, 1);
    /// fulmen::sobel(Image::new(&src, 3, 1, 1)?, Border::Clamp, to(&mut dx)?, to(&mut dy)?)?;
    /// assert_eq!((dx, dy), ([40, 80, 40], [0; 3]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: I. Sobel, G. Feldman, 1968; the scale and signs are OpenCV's. Contract: `contracts/sobel-v1.yaml`.
    serial sobel<P: crate::image::Gradient>, sobel_on, sobel_by
        (src: image P, border: by Border<P>, dx: image_out P::Derivative, dy: image_out P::Derivative) -> Result<()>;
}

ops! { $ host_gradient_ops in crate::image::gradient;
    /// Canny's edge detector: `dst` is 255 at the edges of `src`, and 0 elsewhere. A pixel is a candidate if its gradient is above `low` and is a maximum across the edge
    /// (non-maximum suppression). Edges are the candidates above `high`, and those that a path of candidates, each one of the eight neighbours of the one before, connects
    /// with one of them (hysteresis).
    ///
    /// The gradient has [`sobel`](crate::sobel())'s derivatives with `Border::Clamp`, measured by `norm`; beyond the image it is 0. The image is not smoothed: call
    /// [`gaussian`](crate::gaussian()) before where that is wanted. A gradient is a maximum if it is more than that of the left or upper neighbour in its direction, and no less than
    /// that of the right or lower one; along diagonals it must be more than both. So of two equal neighbours the first is the edge, which is one pixel wide, and the edges of
    /// a mirrored image are not always the mirrored edges. Directions change at 22.5° and 67.5°, for which `tan 22.5°` is `13573/2¹⁵`.
    ///
    /// Shapes: `src` and `dst` have one channel and the same sizes.
    ///
    /// Rounding: none. NaN and ±0: there are none. The whole image is searched, with a stack in `workspace`.
    ///
    /// Errors: [`Error::Len`] names `src` when it does not have one channel; [`Error::Shape`] names `dst` when it has other sizes,
    /// [`Error::Len`] when it has more channels; [`Error::Domain`] names `low` when it is above `high`; [`Error::Overflow`] `src` when it has 2³² pixels or more; [`Error::Workspace`].
    /// Nothing is written then. Scratch: [`canny_workspace`], which may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, Norm};
    /// let (src, mut dst) = ([0u8, 0, 0, 0, 100, 100, 100, 100], [7u8; 8]);
    /// let mut workspace = [0; fulmen::canny_workspace(8, 1)];
    /// fulmen::canny(Image::new(&src, 8, 1, 1)?, 100, 300, Norm::L1, ImageMut::new(&mut dst, 8, 1, 1)?, &mut workspace)?;
    /// assert_eq!(dst, [0, 0, 0, 255, 0, 0, 0, 0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Canny, "A computational approach to edge detection", 1986; ties and directions are OpenCV's. Contract: `contracts/canny-v1.yaml`.
    serial canny<>, canny_on, canny_by
        (src: image u8, low: by u32, high: by u32, norm: by Norm, dst: image_out u8, workspace: host_scratch u32) -> Result<()>;
}

/// Elements of workspace that [`canny`](crate::canny()) needs for an image of so many columns and rows.
pub const fn canny_workspace(width: usize, height: usize) -> usize {
    // Three rows of derivatives and of their sizes, and each pixel once on the stack.
    width.saturating_mul(height.saturating_add(6)).saturating_add(6)
}

pub(crate) fn sobel_by<S: Simd, P: Gradient>(
    s: S,
    src: Image<'_, P>,
    border: Border<P>,
    mut dx: ImageMut<'_, P::Derivative>,
    mut dy: ImageMut<'_, P::Derivative>,
) -> Result<(), Error> {
    let size = [src.width(), src.height()];
    dx.expect("dx", size, src.channels())?;
    dy.expect("dy", size, src.channels())?;
    s.vectorize(
        #[inline(always)]
        || {
            for y in 0..src.height() {
                derivatives(src, border, y, dx.row_mut(y), dy.row_mut(y), |dx, dy, to, other| {
                    (*to, *other) = (dx, dy);
                });
            }
        },
    );
    Ok(())
}

/// Calls `each` with the derivatives of each element of a row, and the elements of both outputs.
#[inline(always)]
fn derivatives<P: Gradient, A, B>(
    src: Image<'_, P>,
    border: Border<P>,
    y: usize,
    one: &mut [A],
    two: &mut [B],
    each: impl Fn(P::Derivative, P::Derivative, &mut A, &mut B),
) {
    let (n, c) = (src.row_len(), src.channels());
    let line = |k: isize| border.index(y.cast_signed().wrapping_add(k), src.height()).map(|at| src.line(at));
    let lines = [line(-1), line(0), line(1)];
    let of = |a: [P::Derivative; 3], b: [P::Derivative; 3], z: [P::Derivative; 3]| {
        let ([a0, a1, a2], [b0, _, b2], [z0, z1, z2]) = (a, b, z);
        let (d0, d1, d2) = (a2 - a0, b2 - b0, z2 - z0);
        let (e0, e1, e2) = (z0 - a0, z1 - a1, z2 - a2);
        ((d0 + d2) + (d1 + d1), (e0 + e2) + (e1 + e1))
    };
    // An element whose neighbours may lie beyond the edges.
    let edge = |i: usize| {
        let beyond =
            || if let Border::Constant(value) = border { value.wide() } else { P::Derivative::default() };
        let (x, channel) = (i / c.max(1), i % c.max(1));
        let three = |line: Option<&[P]>| {
            [-1, 0, 1].map(|k: isize| {
                let at = border.index(x.cast_signed().wrapping_add(k), src.width());
                let found = line.zip(at).and_then(|(line, at)| line.get(at * c + channel));
                found.map_or_else(beyond, |p| p.wide())
            })
        };
        let [a, b, z] = lines.map(three);
        of(a, b, z)
    };
    let inner = n.saturating_sub(2 * c);
    let mut whole = 0;
    if let [Some(a), Some(b), Some(z)] = lines {
        let parts = |line| three_of(line, c, inner);
        let ((a0, a1, a2), (b0, b1, b2), (z0, z1, z2)) = (parts(a), parts(b), parts(z));
        let up = a0.iter().zip(a1).zip(a2);
        let level = b0.iter().zip(b1).zip(b2);
        let down = z0.iter().zip(z1).zip(z2);
        let to = one.iter_mut().zip(two.iter_mut()).skip(c);
        for ((((a, b), z), (one, two)), _) in up.zip(level).zip(down).zip(to).zip(0..inner) {
            let wide = |((x, y), z): ((&P, &P), &P)| [x.wide(), y.wide(), z.wide()];
            let (dx, dy) = of(wide(a), wide(b), wide(z));
            each(dx, dy, one, two);
        }
        whole = inner;
    }
    let last = if whole > 0 { c + whole } else { 0 };
    let first = if whole > 0 { c } else { 0 };
    for i in (0..first).chain(last..n) {
        if let (Some(one), Some(two)) = (one.get_mut(i), two.get_mut(i)) {
            let (dx, dy) = edge(i);
            each(dx, dy, one, two);
        }
    }
}

/// The pixels to the left of, at and to the right of `n` elements from the second pixel on.
#[inline(always)]
fn three_of<P>(line: &[P], c: usize, n: usize) -> (&[P], &[P], &[P]) {
    let from = |k: usize| line.get(k * c..).and_then(|line| line.get(..n)).unwrap_or_default();
    (from(0), from(1), from(2))
}

pub(crate) fn canny_by<S: Simd>(
    s: S,
    src: Image<'_, u8>,
    low: u32,
    high: u32,
    norm: Norm,
    mut dst: ImageMut<'_, u8>,
    workspace: &mut [u32],
) -> Result<(), Error> {
    let (width, height) = (src.width(), src.height());
    same_len("src", 1, src.channels())?;
    dst.expect("dst", [width, height], 1)?;
    if low > high {
        return Err(Error::must_be("low", "at most `high`"));
    }
    let pixels = width.saturating_mul(height);
    u32::try_from(pixels).map_err(|_| Error::overflow("src"))?;
    enough(canny_workspace(width, height), workspace.len())?;
    let limits = match norm {
        Norm::L1 => [low, high],
        Norm::L2 => [low.saturating_mul(low), high.saturating_mul(high)],
    };
    let (stack, rows) = workspace.split_at_mut(pixels.min(workspace.len()));
    s.vectorize(
        #[inline(always)]
        || {
            let found = largest(src, limits, norm, &mut dst, stack, rows);
            follow(&mut dst, stack, found);
            for y in 0..height {
                dst.row_mut(y).iter_mut().for_each(|p| *p = if *p == STRONG { 255 } else { 0 });
            }
        },
    );
    Ok(())
}

/// A pixel that is an edge if it is joined with one, and one that is.
const WEAK: u8 = 1;
const STRONG: u8 = 2;

/// `tan 22.5°` with 15 bits behind the point; `tan 67.5°` is 2 more.
const TAN: u32 = 13573;

/// Marks the pixels whose gradient is largest across the edge; those that are strong are put on the stack, of which the number is given.
#[inline(always)]
fn largest(
    src: Image<'_, u8>,
    [low, high]: [u32; 2],
    norm: Norm,
    dst: &mut ImageMut<'_, u8>,
    stack: &mut [u32],
    rows: &mut [u32],
) -> usize {
    let (width, height) = (src.width(), src.height());
    // A zero stands at both ends of each row.
    let line = (width + 2).max(1);
    let (sizes, directions) = rows.split_at_mut((3 * line).min(rows.len()));
    sizes.fill(0);
    let mut found = 0;
    for y in 0..=height {
        if let (Some(sizes), Some(directions)) =
            (sizes.chunks_exact_mut(line).nth(y % 3), directions.chunks_exact_mut(width.max(1)).nth(y % 3))
        {
            if y == height {
                sizes.fill(0);
            } else {
                let sizes = sizes.get_mut(1..=width).unwrap_or_default();
                let pack =
                    |dx: i16, dy: i16| u32::from(dx.cast_unsigned()) | u32::from(dy.cast_unsigned()) << 16;
                let (of_x, of_y) =
                    (|dx: i16| u32::from(dx.unsigned_abs()), |dy: i16| u32::from(dy.unsigned_abs()));
                match norm {
                    Norm::L1 => {
                        derivatives(src, Border::Clamp, y, sizes, directions, |dx, dy, size, both| {
                            (*size, *both) = (of_x(dx) + of_y(dy), pack(dx, dy));
                        })
                    }
                    Norm::L2 => {
                        derivatives(src, Border::Clamp, y, sizes, directions, |dx, dy, size, both| {
                            (*size, *both) = (of_x(dx) * of_x(dx) + of_y(dy) * of_y(dy), pack(dx, dy));
                        })
                    }
                }
            }
        }
        let Some(row) = y.checked_sub(1) else { continue };
        let sizes_of = |k: usize| sizes.chunks_exact(line).nth(k % 3).unwrap_or_default();
        // Rows above, at and below the one before this.
        let (above, here, below) = (sizes_of(y + 1), sizes_of(row), sizes_of(y));
        let directions = directions.chunks_exact(width.max(1)).nth(row % 3).unwrap_or_default();
        let at = |row: &[u32], x: usize| row.get(x).copied().unwrap_or_default();
        let sizes = here.iter().skip(1).zip(directions);
        for (x, ((size, direction), to)) in sizes.zip(dst.row_mut(row)).enumerate() {
            *to = 0;
            if *size <= low {
                continue;
            }
            let (dx, dy) = ((*direction as u16).cast_signed(), ((*direction >> 16) as u16).cast_signed());
            let (across, down) = (u32::from(dx.unsigned_abs()), u32::from(dy.unsigned_abs()) << 15);
            let (flat, steep) = (across * TAN, across * TAN + (across << 16));
            // A zero stands before the first, so that `x` is on the left of this pixel.
            let largest = if down < flat {
                *size > at(here, x) && *size >= at(here, x + 2)
            } else if down > steep {
                *size > at(above, x + 1) && *size >= at(below, x + 1)
            } else if (dx < 0) == (dy < 0) {
                *size > at(above, x) && *size > at(below, x + 2)
            } else {
                *size > at(above, x + 2) && *size > at(below, x)
            };
            if !largest {
                continue;
            }
            *to = WEAK;
            if *size > high {
                *to = STRONG;
                if let Some(to) = stack.get_mut(found) {
                    *to = (row * width + x) as u32;
                    found += 1;
                }
            }
        }
    }
    found
}

/// Makes every weak pixel strong that a path of such joins with one of the `n` of the stack.
#[inline(always)]
fn follow(dst: &mut ImageMut<'_, u8>, stack: &mut [u32], mut n: usize) {
    let (width, height) = (dst.width(), dst.height());
    while let Some(last) = n.checked_sub(1) {
        n = last;
        let at = stack.get(n).copied().unwrap_or_default() as usize;
        let (x, y) = (at % width.max(1), at / width.max(1));
        for row in y.saturating_sub(1)..(y + 2).min(height) {
            let from = x.saturating_sub(1);
            let near = dst.row_mut(row).get_mut(from..(x + 2).min(width)).unwrap_or_default();
            for (k, p) in near.iter_mut().enumerate() {
                if *p == WEAK {
                    *p = STRONG;
                    if let Some(to) = stack.get_mut(n) {
                        *to = (row * width + from + k) as u32;
                        n += 1;
                    }
                }
            }
        }
    }
}
