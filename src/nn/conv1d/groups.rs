//! Divides a convolution into matrix products, one for each group and tap, and computes the offsets of their operands.

use super::Conv1d;
use super::im2col::{Source, Tap, apart, part};
use crate::blas::gemm::{Problem, gemm_by};
use crate::contract::{Call, Violation};
use crate::error::Error;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};
use core::ops::Range;

/// A [`Conv1d`] on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) conv: Conv1d,
    /// Elements of a line of the result.
    pub(crate) n: usize,
    /// Channels of a group of the input.
    pub(crate) ci: usize,
    /// Channels of a group of the result.
    pub(crate) co: usize,
    pub(crate) images: usize,
}

/// A product of one group: for a tap, or for a channel.
pub(super) struct Step<'a, T> {
    /// The elements of the input that the weights multiply: a column for each position.
    pub(super) x: MatRef<'a, T>,
    /// The places.
    pub(super) cells: Range<usize>,
    /// The first weight of the group.
    pub(super) first: usize,
    /// From one weight of a filter to the next.
    pub(super) apart: usize,
}

impl Lines {
    /// Whether groups are lines, and few are made of each: by rows, not by products.
    pub(super) fn apart(&self) -> bool {
        apart(&self.conv, self.ci, self.co)
    }

    /// Elements of a group's channels, of the input and of the result.
    pub(super) fn groups(&self) -> [usize; 2] {
        [self.ci * self.conv.length, self.co * self.n]
    }

    /// Weights of a filter and of a group.
    pub(super) fn filters(&self) -> [usize; 2] {
        [self.ci * self.conv.kernel, self.co * self.ci * self.conv.kernel]
    }

    /// `f` on each image and group: where its input, its weights and its result begin.
    pub(super) fn each_group(&self, mut f: impl FnMut([usize; 3]) -> Result<(), Error>) -> Result<(), Error> {
        let ([read, write], filters) = (self.groups(), self.filters()[1]);
        for image in 0..self.images {
            for g in 0..self.conv.groups {
                let at = image * self.conv.groups + g;
                f([at * read, g * filters, at * write])?;
            }
        }
        Ok(())
    }

    /// `f` on the products that make these places of a group's result, or the gradient of its weights. All places where a
    /// filter is longer than there are channels.
    pub(super) fn each_step<'a, T: Element>(
        &self,
        x: Source<'a, T>,
        cells: Range<usize>,
        mut f: impl FnMut(Step<'a, T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let &Self { conv, n, ci, .. } = self;
        let [len, s, d] = [x.len, conv.stride, conv.dilation].map(|n| n as isize);
        if conv.kernel <= ci {
            for tap in 0..conv.kernel {
                let Tap { cells, first } = conv.tap(tap, n).among(&cells, conv.stride);
                let x = MatRef::strided(x.x, first.saturating_sub(x.from), ci, cells.len(), len, s)?;
                f(Step { x, cells, first: tap, apart: conv.kernel })?;
            }
            return Ok(());
        }
        let within = conv.within(n);
        let edges = (0..within.start).chain(within.end..n);
        for channel in 0..ci {
            let (x, at) = (part(x.x, channel * conv.length, conv.length), channel * conv.kernel);
            let first = conv.taps(within.start).1;
            let all = MatRef::strided(x, first, conv.kernel, within.len(), d, s)?;
            f(Step { x: all, cells: within.clone(), first: at, apart: 1 })?;
            for l in edges.clone() {
                let (taps, first) = conv.taps(l);
                let x = MatRef::strided(x, first, taps.len(), 1, d, 1)?;
                f(Step { x, cells: l..l + 1, first: at + taps.start, apart: 1 })?;
            }
        }
        Ok(())
    }

    /// The weights of a step, of those of a group.
    pub(super) fn weights<'a, T: Element>(
        &self,
        w: &'a [T],
        step: &Step<'_, T>,
    ) -> Result<MatRef<'a, T>, Error> {
        let row = self.filters()[0] as isize;
        MatRef::strided(w, step.first, self.co, step.x.rows(), row, step.apart as isize)
    }

    /// Adds a step's product to a group's result.
    pub(super) fn add<J: Executor, S: Simd, T: Element>(
        &self,
        (j, s): (J, S),
        w: &[T],
        step: Step<'_, T>,
        out: &mut [T],
        workspace: &mut [T],
    ) -> Result<(), Error> {
        let (a, b) = (self.weights(w, &step)?, step.x);
        let c = MatMut::row_major(out, self.co, self.n)?.sub(0..self.co, step.cells)?;
        gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ONE, a, b, c }, (), workspace)
    }

    /// `f` on each position, tap and element of a line that it reads.
    fn each_meeting(&self, mut f: impl FnMut(usize, usize, usize)) {
        for k in 0..self.conv.kernel {
            let Tap { cells, first } = self.conv.tap(k, self.n);
            cells.enumerate().for_each(|(i, l)| f(l, k, first + i * self.conv.stride));
        }
    }

    /// Each call of a contract: `f` gives, of a group, the input and the results that a place, a tap and an element have
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
