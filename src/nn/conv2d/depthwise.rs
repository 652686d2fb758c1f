//! Convolution of one plane by one filter: a row of the result is a sum of shifted rows of the input. Padding is not
//! multiplied.

use super::Maps;
use crate::lanes::{Element, Simd};
use crate::nn::conv1d::depthwise::{Shift, add_shifted, backward, forward, weights};
use crate::nn::conv1d::{part, part_mut};

/// Weights of the filters over one channel, from which on they are a product with the windows of its plane.
pub(crate) const FILTERS: usize = 128;
/// Rows and columns of the filters that take one pass over a row of the result.
pub(crate) const SQUARE: usize = 3;

impl Maps {
    /// `f` on each row of the result and row of a filter that reads the input there: these, and the row it reads.
    #[inline(always)]
    fn meetings(&self, mut f: impl FnMut(usize, usize, usize)) {
        let line = self.down.line();
        for row in 0..self.rows {
            let (taps, first) = line.taps(row);
            for (i, ky) in taps.enumerate() {
                f(row, ky, first + i * self.down.dilation);
            }
        }
    }

    /// All nine products of a row of the result in one pass.
    #[inline(always)]
    fn square<S: Simd, T: Element>(&self, s: S, w: &[T], x: &[T], first: usize, out: &mut [T]) {
        let across = self.across;
        let taps = crate::lanes::from_fn(
            #[inline(always)]
            |k| {
                let at = across.near(k % SQUARE, self.cols);
                let line = (first + k / SQUARE * self.down.dilation) * across.length;
                Shift {
                    w: w.get(k).copied().unwrap_or_default(),
                    to: at.cells.start,
                    from: line + at.first,
                    n: at.cells.len(),
                }
            },
        );
        add_shifted::<S, T, { SQUARE * SQUARE }>(s, taps, x, out);
    }

    /// Adds the convolution of a plane to that of the result.
    #[inline(always)]
    pub(super) fn plane<S: Simd, T: Element>(&self, s: S, w: &[T], x: &[T], out: &mut [T]) {
        let (down, across) = (self.down.line(), self.across.line());
        let (kw, width) = (across.kernel, across.length);
        let square = [down.kernel, kw, across.stride] == [SQUARE, SQUARE, 1];
        for row in 0..self.rows {
            let out = part_mut(out, row * self.cols, self.cols);
            let (taps, first) = down.taps(row);
            if square && taps.len() == SQUARE {
                self.square(s, w, x, first, out);
                continue;
            }
            for (i, ky) in taps.enumerate() {
                let x = part(x, (first + i * down.dilation) * width, width);
                forward(s, across, self.cols, part(w, ky * kw, kw), x, out);
            }
        }
    }

    /// Adds the gradient of a plane of the result to that of the input.
    #[inline(always)]
    pub(super) fn plane_backward<S: Simd, T: Element>(&self, s: S, w: &[T], dy: &[T], dx: &mut [T]) {
        let across = self.across.line();
        let (kw, width) = (across.kernel, across.length);
        self.meetings(
            #[inline(always)]
            |row, ky, at| {
                let (dy, dx) = (part(dy, row * self.cols, self.cols), part_mut(dx, at * width, width));
                backward(s, across, self.cols, part(w, ky * kw, kw), dy, dx);
            },
        );
    }

    /// Adds the gradient of a plane of the result to that of a filter.
    #[inline(always)]
    pub(super) fn plane_weights<S: Simd, T: Element>(&self, s: S, x: &[T], dy: &[T], dw: &mut [T]) {
        let across = self.across.line();
        let (kw, width) = (across.kernel, across.length);
        self.meetings(
            #[inline(always)]
            |row, ky, at| {
                let (x, dy) = (part(x, at * width, width), part(dy, row * self.cols, self.cols));
                weights(s, across, self.cols, x, dy, part_mut(dw, ky * kw, kw));
            },
        );
    }
}
