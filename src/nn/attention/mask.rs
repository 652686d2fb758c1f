//! Soft-capping of scores, and the mask that is added before the softmax.

use super::BLOCK;
use super::panel::{self, Columns};
use crate::alu::{Alu, Body, Number};
use crate::error::Error;
use crate::lanes::drive::{self, Update};
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::pointwise::{Add, TanhBackward};
use crate::view::MatRef;

/// `c·tanh(x/c)`, and the `tanh`, of which [`TanhBackward`] makes the gradient.
#[inline(always)]
pub(crate) fn softcap<V: Alu>(x: V, cap: V) -> [V; 2] {
    let t = (x / cap).tanh();
    [cap * t, t]
}

/// [`softcap`] at a cap.
#[derive(Debug, Clone, Copy)]
struct Softcap<T>(T);

impl<T: Number> Body<T, 1> for Softcap<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        let [capped, _] = softcap(x, x.param(self.0));
        capped
    }
}

/// A score is capped, and the gradient of what comes of it, less their mean, becomes its own.
#[derive(Debug, Clone, Copy)]
struct Uncap<T>(T);

impl<T: Number> Update<T, 1, 2> for Uncap<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [mean]: [V; 1], [x, d]: [V; 2]) -> [V; 2] {
        let [capped, t] = softcap(x, x.param(self.0));
        [capped, TanhBackward.eval([t, d - mean])]
    }
}

/// What is added to scores: a row for each query, that of all heads or head after head.
#[derive(Clone, Copy)]
pub(super) struct Mask<'a, T> {
    x: MatRef<'a, T>,
    /// Rows from a head's to the next one's.
    head: usize,
    /// The row of the first query.
    first: usize,
}

/// The rows of a mask from a head's to the next one's, of `n` queries.
pub(crate) fn mask_rows(
    [rows, cols]: [usize; 2],
    heads: usize,
    n: usize,
    len: usize,
) -> Result<usize, Error> {
    if cols == len && rows == n {
        Ok(0)
    } else if cols == len && rows == heads * n {
        Ok(n)
    } else {
        Err(Error::shape("mask", [n, len], [rows, cols]))
    }
}

impl<'a, T: Element> Mask<'a, T> {
    pub(super) fn new(x: MatRef<'a, T>, heads: usize, n: usize, len: usize) -> Result<Self, Error> {
        Ok(Self { x, head: mask_rows([x.rows(), x.cols()], heads, n, len)?, first: 0 })
    }

    /// That of the heads and queries from these on.
    pub(super) fn from(self, head: usize, query: usize) -> Self {
        Self { first: self.first + head * self.head + query, ..self }
    }

    /// The elements of a query of a head, for the block of keys from `start` on.
    fn row(&self, head: usize, query: usize, start: usize) -> MatRef<'a, T> {
        self.x.block([self.first + head * self.head + query, start], [1, BLOCK])
    }

    /// Adds to the scores of the first `cols` columns of rows of `width`, a row for each key from `start` on.
    pub(super) fn add<S: Simd>(
        &self,
        s: S,
        x: &mut [T],
        [width, cols]: [usize; 2],
        at: Columns,
        [start, rows]: [usize; 2],
    ) {
        let of = |j: usize| {
            let [query, head] = at.query(j);
            self.row(head, query, start)
        };
        if self.x.col_stride() == 1 {
            panel::add(s, x, [width, cols], rows, |j| (j < at.count).then(|| of(j)));
            return;
        }
        for j in 0..at.count {
            let row = of(j);
            for (r, x) in x.iter_mut().skip(j).step_by(width).enumerate().take(rows) {
                *x = *x + row.get(0, r).unwrap_or(T::ZERO);
            }
        }
    }

    /// Adds to the scores of one query's head, of keys from `start` on.
    pub(super) fn add_row<S: Simd>(&self, s: S, x: &mut [T], head: usize, start: usize) {
        let row = self.row(head, 0, start);
        match row.row_slice(0).and_then(|row| row.get(..x.len())) {
            Some(row) => s.vectorize(
                #[inline(always)]
                || drive::zip_in_place(Serial, s, Add, x, row),
            ),
            None => {
                for (j, x) in x.iter_mut().enumerate() {
                    *x = *x + row.get(0, j).unwrap_or(T::ZERO);
                }
            }
        }
    }
}

/// Caps the scores of the first `cols` columns of rows of `width`; the last row may end with its columns.
#[inline(never)]
pub(super) fn cap<S: Simd, T: Element>(s: S, x: &mut [T], width: usize, cols: usize, by: T) {
    s.vectorize(
        #[inline(always)]
        || {
            for x in x.chunks_mut(width.max(1)).filter_map(|x| x.get_mut(..cols)) {
                drive::map_in_place(Serial, s, Softcap(by), x);
            }
        },
    );
}

/// [`cap`], and the gradients of the capped scores become those of the scores, but for the weights.
#[inline(never)]
pub(super) fn uncap<S: Simd, T: Element>(
    s: S,
    [x, slope]: [&mut [T]; 2],
    width: usize,
    cols: usize,
    mean: &[T],
    by: T,
) {
    let Some(mean) = mean.get(..cols) else { return };
    s.vectorize(
        #[inline(always)]
        || {
            for (x, d) in x.chunks_mut(width.max(1)).zip(slope.chunks_mut(width.max(1))) {
                if let (Some(x), Some(d)) = (x.get_mut(..cols), d.get_mut(..cols)) {
                    drive::update(s, Uncap(by), [mean], [x, d]);
                }
            }
        },
    );
}
