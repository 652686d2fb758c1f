//! Images mirrored and turned.

use super::parts::each_line;
use super::{Image, ImageMut, Pixel};
use crate::error::Error;
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;

/// How [`flip`](crate::flip()) mirrors an image.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flip {
    /// The first column becomes the last one.
    Horizontal,
    /// The first row becomes the last one.
    Vertical,
    /// Both: half a turn.
    Both,
}

/// Which way [`rotate90`](crate::rotate90()) turns an image.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Clockwise: the first column, from below, becomes the first row.
    Right,
    /// Counter-clockwise: the last column, from above, becomes the first row.
    Left,
}

ops! { $ turn_ops in crate::image::turn;
    /// The image mirrored: `dst[y][x] = src[y][n - 1 - x]` for `n` columns, or `src[m - 1 - y][x]` for `m` rows, or both.
    ///
    /// Shapes: `dst` has the sizes and channels of `src`. Rounding: none; elements are copied bit by bit, NaN too.
    ///
    /// Errors: [`Error::Shape`] names `dst` when it has other sizes than `src`, [`Error::Len`] when it has other channels. Nothing is written
    /// then. Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Flip, Image, ImageMut};
    /// let (src, mut dst) = ([1u8, 2, 3, 4, 5, 6], [0u8; 6]);
    /// fulmen::flip(Image::new(&src, 3, 2, 1)?, Flip::Horizontal, ImageMut::new(&mut dst, 3, 2, 1)?)?;
    /// assert_eq!(dst, [3, 2, 1, 6, 5, 4]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/flip-v1.yaml`.
    threads
        flip<P: crate::image::Pixel>, flip_on, flip_by
        (src: image P, way: by Flip, dst: image_out P) -> Result<()>;

    /// The image turned by 90°: `dst[y][x] = src[m - 1 - x][y]` to the right, for `m` rows of `src`, or `src[x][n - 1 - y]` to the left, for `n` columns.
    ///
    /// Shapes: `dst` has as many columns as `src` has rows, as many rows as it has columns, and its channels. Rounding: none; elements are copied bit by
    /// bit, NaN too.
    ///
    /// Errors: [`Error::Shape`] names `dst` when it has other sizes, [`Error::Len`] when it has other channels. Nothing is written then.
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::image::{Image, ImageMut, Turn};
    /// let (src, mut dst) = ([1u8, 2, 3, 4, 5, 6], [0u8; 6]);
    /// fulmen::rotate90(Image::new(&src, 3, 2, 1)?, Turn::Right, ImageMut::new(&mut dst, 2, 3, 1)?)?;
    /// assert_eq!(dst, [4, 1, 5, 2, 6, 3]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/rotate90-v1.yaml`.
    threads
        rotate90<P: crate::image::Pixel>, rotate90_on, rotate90_by
        (src: image P, way: by Turn, dst: image_out P) -> Result<()>;
}

pub(crate) fn flip_by<J: Executor, S: Simd, P: Pixel>(
    j: J,
    s: S,
    src: Image<'_, P>,
    way: Flip,
    dst: ImageMut<'_, P>,
) -> Result<(), Error> {
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    each_line(
        j,
        s,
        src.row_len(),
        dst,
        #[inline(always)]
        |y: usize, out: &mut [P]| {
            let last = src.height().saturating_sub(1);
            let line = src.line(if way == Flip::Horizontal { y } else { last.saturating_sub(y) });
            if way == Flip::Vertical {
                out.iter_mut().zip(line).for_each(|(to, p)| *to = *p);
                return;
            }
            match src.channels() {
                1 => mirror::<P, 1>(line, out),
                2 => mirror::<P, 2>(line, out),
                3 => mirror::<P, 3>(line, out),
                _ => mirror::<P, 4>(line, out),
            }
        },
    );
    Ok(())
}

#[inline(always)]
fn mirror<P: Pixel, const C: usize>(line: &[P], out: &mut [P]) {
    let (to, from) = (out.as_chunks_mut::<C>().0, line.as_chunks::<C>().0);
    to.iter_mut().zip(from.iter().rev()).for_each(|(to, p)| *to = *p);
}

pub(crate) fn rotate90_by<J: Executor, S: Simd, P: Pixel>(
    j: J,
    s: S,
    src: Image<'_, P>,
    way: Turn,
    dst: ImageMut<'_, P>,
) -> Result<(), Error> {
    dst.expect("dst", [src.height(), src.width()], src.channels())?;
    let none: &mut [u8] = &mut [];
    super::parts::each_part(
        j,
        s,
        (src.height().saturating_mul(src.channels()), 0),
        0,
        dst,
        none,
        #[inline(always)]
        |y: usize, dst: ImageMut<'_, P>, _: &mut [u8]| match src.channels() {
            1 => turn::<P, 1>(src, way, y, dst),
            2 => turn::<P, 2>(src, way, y, dst),
            3 => turn::<P, 3>(src, way, y, dst),
            _ => turn::<P, 4>(src, way, y, dst),
        },
    );
    Ok(())
}

/// Rows of the source that are read together.
pub(crate) const TILE: usize = 32;

#[inline(always)]
fn turn<P: Pixel, const C: usize>(src: Image<'_, P>, way: Turn, y: usize, mut dst: ImageMut<'_, P>) {
    let (width, height) = (src.width(), src.height());
    for x in (0..height).step_by(TILE) {
        let mut lines = [&[][..]; TILE];
        for (k, line) in lines.iter_mut().enumerate() {
            let row = if way == Turn::Right { height.wrapping_sub(1 + x + k) } else { x + k };
            *line = src.line(row).as_chunks::<C>().0;
        }
        for row in 0..dst.height() {
            let at = if way == Turn::Right { y + row } else { width.wrapping_sub(1 + y + row) };
            let out = dst.row_mut(row).as_chunks_mut::<C>().0.iter_mut().skip(x);
            for (to, line) in out.zip(&lines) {
                if let Some(pixel) = line.get(at) {
                    *to = *pixel;
                }
            }
        }
    }
}
