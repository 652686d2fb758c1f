//! The sizes of a convolution of planes: where each weight meets the input.

use super::Conv2d;
use super::columns::block_cells;
use super::depthwise::FILTERS;
use crate::Conv1d;
use crate::contract::{Call, Violation};
use crate::error::Error;
use crate::lanes::{Element, Simd};
use crate::nn::conv1d::Tap;
use core::ops::Range;

/// A convolution along one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    pub(crate) length: usize,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    /// Zeros before and behind.
    pub(crate) before: usize,
    pub(crate) behind: usize,
    pub(crate) dilation: usize,
}

impl Axis {
    /// Places of the filter; `length` names the elements.
    pub(super) const fn places(&self, name: &'static str) -> Result<usize, Error> {
        let Self { length, kernel, stride, before, behind, dilation } = *self;
        if length == 0 {
            return Err(Error::empty(name));
        }
        let Some(last) = kernel.checked_sub(1) else { return Err(Error::empty("kernel")) };
        if stride == 0 {
            return Err(Error::must_be("stride", "at least 1"));
        }
        if dilation == 0 {
            return Err(Error::must_be("dilation", "at least 1"));
        }
        let Some(span) = last.checked_mul(dilation) else { return Err(Error::overflow("dilation")) };
        let Some(both) = before.checked_add(behind) else { return Err(Error::overflow("padding")) };
        match length.checked_add(both) {
            Some(padded) if span < padded => Ok((padded - span - 1) / stride + 1),
            Some(_) => Err(Error::must_be("kernel", "no larger than the padded plane")),
            None => Err(Error::overflow("padding")),
        }
    }

    /// The same of lines: of its padding, the places need what is before only.
    #[inline(always)]
    pub(super) fn line(&self) -> Conv1d {
        let Self { length, kernel, stride, before, dilation, .. } = *self;
        Conv1d { stride, padding: before, dilation, ..Conv1d::new(1, 1, length, kernel) }
    }

    /// The places, of `n`, at which tap `k` reads the input and not its padding.
    #[inline(always)]
    pub(super) fn tap(&self, k: usize, n: usize) -> Tap {
        if self.stride == 1 { self.near(k, n) } else { self.line().tap(k, n) }
    }

    /// [`Axis::tap`] with a stride of 1, which divides nothing.
    #[inline(always)]
    pub(super) fn near(&self, k: usize, n: usize) -> Tap {
        let (shift, padded) = (k * self.dilation, self.length + self.before);
        let start = self.before.saturating_sub(shift).min(n);
        let end = padded.saturating_sub(shift).min(n);
        let first = if start < end { start + shift - self.before } else { 0 };
        Tap { cells: start..end.max(start), first }
    }
}

/// A [`Conv2d`] on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maps {
    pub(crate) conv: Conv2d,
    pub(crate) down: Axis,
    pub(crate) across: Axis,
    /// Rows and columns of a plane of the result.
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    /// Channels of a group of the input.
    pub(crate) ci: usize,
    /// Channels of a group of the result.
    pub(crate) co: usize,
    pub(crate) images: usize,
}

/// Whether groups are single channels, whose results are sums of shifted rows.
pub(super) const fn apart(taps: usize, ci: usize, co: usize) -> bool {
    ci == 1 && co.saturating_mul(taps) < FILTERS
}

/// Whether the input is its own windows.
pub(super) const fn direct(conv: &Conv2d) -> bool {
    matches!(*conv, Conv2d { kernel: [1, 1], stride: [1, 1], padding: [[0, 0], [0, 0]], .. })
}

impl Maps {
    /// Elements of a plane of the input.
    pub(super) fn area(&self) -> usize {
        self.down.length * self.across.length
    }

    /// Elements of a plane of the result.
    pub(crate) fn places(&self) -> usize {
        self.rows * self.cols
    }

    /// Weights of a filter for one channel, and for all of a group.
    pub(super) fn taps(&self) -> usize {
        self.down.kernel * self.across.kernel
    }
    pub(super) fn filter(&self) -> usize {
        self.ci * self.taps()
    }

    pub(super) fn apart(&self) -> bool {
        apart(self.taps(), self.ci, self.co)
    }

    /// Whether a filter reads padding somewhere.
    pub(super) fn padded(&self) -> bool {
        let whole = |axis: &Axis, n: usize| {
            let span = (axis.kernel.max(1) - 1) * axis.dilation;
            axis.before == 0 && (n.max(1) - 1) * axis.stride + span < axis.length
        };
        !(whole(&self.down, self.rows) && whole(&self.across, self.cols))
    }

    /// The blocks of places whose windows are copied at a time.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let n = self.places();
        let most = block_cells(self.filter(), n).max(1);
        (0..n).step_by(most).map(move |start| start..n.min(start + most))
    }

    /// `f` on each image and group: where its input, its weights and its result begin.
    pub(super) fn each_group(&self, mut f: impl FnMut([usize; 3]) -> Result<(), Error>) -> Result<(), Error> {
        let [read, write] = [self.ci * self.area(), self.co * self.places()];
        for image in 0..self.images {
            for g in 0..self.conv.groups {
                let at = image * self.conv.groups + g;
                f([at * read, g * self.co * self.filter(), at * write])?;
            }
        }
        Ok(())
    }

    /// `f` on each place, weight of a plane and element that they meet.
    fn each_meeting(&self, mut f: impl FnMut(usize, usize, usize)) {
        for k in 0..self.taps() {
            let kw = self.across.kernel.max(1);
            let (down, across) = (self.down.tap(k / kw, self.rows), self.across.tap(k % kw, self.cols));
            for (i, r) in down.cells.enumerate() {
                let line = (down.first + i * self.down.stride) * self.across.length;
                let cells = across.cells.clone().enumerate();
                cells
                    .for_each(|(i, c)| f(r * self.cols + c, k, line + across.first + i * self.across.stride));
            }
        }
    }

    /// Each call of a contract: `f` gives, of a group, the input and the results that a place, a weight and an element have
    /// in common; NaN among the one must reach all of the others.
    pub(super) fn each_call<T: Element, X: Iterator<Item = T>, Y: Iterator<Item = T>>(
        &self,
        f: impl Fn([usize; 3], [usize; 3]) -> (X, Y),
        check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        let mut found = Ok(());
        let all = self.each_group(|at| {
            self.each_meeting(|l, k, i| {
                let (mut x, mut y) = f(at, [l, k, i]);
                let nan = x.any(|x| x.to_f64().is_nan());
                let x = [if nan { T::NAN } else { T::ZERO }];
                let one = y.try_for_each(|y| check(&Call::new(&[&x], &[y])));
                if found.is_ok() {
                    found = one;
                }
            });
            Ok(())
        });
        debug_assert!(all.is_ok());
        found
    }
}

/// Whether all are finite: a product with the zeros of the padding would make NaN of others.
pub(super) fn finite<S: Simd, T: Element>(s: S, x: &[T]) -> bool {
    s.vectorize(
        #[inline(always)]
        || x.chunks(256).all(|x| x.iter().fold(true, |all, x| all & (*x - *x == T::ZERO))),
    )
}
