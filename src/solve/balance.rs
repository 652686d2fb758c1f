//! Balancing before an eigenvalue iteration (`gebal`): a permutation isolates eigenvalues, and powers of 2 scale rows and columns
//! to about the same norm.

use super::abs;
use crate::lanes::Element;
use crate::slices::{lines_mut, swap};
use crate::view::MatMut;

/// What was done to a matrix, for vectors to be taken back.
pub(super) struct Balance<'a, T> {
    /// The rows that have a scale here; for the others with which row each was exchanged.
    range: [usize; 2],
    marks: &'a mut [T],
}

/// The exponents of the scales, so that neither a product with one nor its square overflows.
const fn most<T: Element>() -> i32 {
    if T::SIGNIFICAND < 30 { 40 } else { 400 }
}

/// The exponent of the power of 2 that is just above a positive number.
fn exponent(x: f64) -> i32 {
    libm::frexp(x).1
}

impl<'a, T: Element> Balance<'a, T> {
    /// The matrix of `n` by `n`, balanced; `marks` has `n` elements.
    pub fn new(h: &mut [T], n: usize, marks: &'a mut [T]) -> Self {
        marks.fill(T::ONE);
        let mut to = Self { range: [0, n], marks };
        to.permute(h, n);
        to.scale(h, n);
        to
    }

    fn permute(&mut self, h: &mut [T], n: usize) {
        let mut found = true;
        while core::mem::take(&mut found) {
            for i in (0..self.range[1]).rev() {
                let end = self.range[1];
                let row = h.get(i * n..).and_then(|row| row.get(..end)).unwrap_or_default();
                if i < end && row.iter().enumerate().all(|(j, x)| j == i || *x == T::ZERO) {
                    self.exchange(h, n, end - 1, i);
                    self.range[1] = end - 1;
                    found = true;
                }
            }
        }
        found = true;
        while core::mem::take(&mut found) {
            for j in self.range[0]..self.range[1] {
                let [start, end] = self.range;
                let zero = |i: usize| i == j || h.get(i * n + j).is_none_or(|x| *x == T::ZERO);
                if j >= start && (start..end).all(zero) {
                    self.exchange(h, n, start, j);
                    self.range[0] = start + 1;
                    found = true;
                }
            }
        }
    }

    /// Row and column `i` go to place `to`.
    fn exchange(&mut self, h: &mut [T], n: usize, to: usize, i: usize) {
        if let Some(mark) = self.marks.get_mut(to) {
            *mark = T::from_usize(i);
        }
        if i == to {
            return;
        }
        for row in lines_mut(h, n) {
            swap(row, i, to);
        }
        let (above, below) = h.split_at_mut_checked(i.max(to) * n).unwrap_or_default();
        let first = above.get_mut(i.min(to) * n..).unwrap_or_default();
        first.iter_mut().zip(below.iter_mut().take(n)).for_each(|(p, q)| core::mem::swap(p, q));
    }

    fn scale(&mut self, h: &mut [T], n: usize) {
        let [start, end] = self.range;
        // Each change makes a row and a column shorter by a twentieth; this many passes no matrix is known to need.
        for _ in 0..100 {
            let mut changed = false;
            for i in start..end {
                let row = h.get(i * n..).and_then(|row| row.get(start..end)).unwrap_or_default();
                let r = length(row.iter());
                let c = length(h.iter().skip(start * n + i).step_by(n.max(1)).take(end - start));
                if r == 0.0 || c == 0.0 {
                    continue;
                }
                let scale = self.marks.get(i).copied().unwrap_or(T::ONE).to_f64();
                let before = exponent(scale) - 1;
                let e =
                    ((exponent(r) - exponent(c)) / 2).max(-most::<T>() - before).min(most::<T>() - before);
                let (f, g) = (libm::ldexp(1.0, e), libm::ldexp(1.0, -e));
                if e == 0 || c * f + r * g >= 0.95 * (c + r) {
                    continue;
                }
                changed = true;
                if let Some(mark) = self.marks.get_mut(i) {
                    *mark = T::from_f64(scale * f);
                }
                let (f, g) = (T::from_f64(f), T::from_f64(g));
                let row = h.get_mut(i * n..).and_then(|row| row.get_mut(start..n)).unwrap_or_default();
                row.iter_mut().for_each(|x| *x = *x * g);
                h.iter_mut().skip(i).step_by(n.max(1)).take(end).for_each(|x| *x = *x * f);
            }
            if !changed {
                break;
            }
        }
    }

    /// Columns that are vectors of the balanced matrix become vectors of the one before, of length 1. Where `im` is above 0 a column and the next one
    /// are the parts of a complex vector: its largest element becomes real.
    pub fn back(&self, mut v: MatMut<'_, T>, im: &[T], left: bool) {
        let n = v.rows();
        let [start, end] = self.range;
        let mark = |i: usize| self.marks.get(i).copied().unwrap_or_default();
        for i in start..end {
            let by = if left { T::ONE / mark(i) } else { mark(i) };
            for j in 0..n {
                v.set(i, j, v.get(i, j).unwrap_or_default() * by);
            }
        }
        for i in (0..start).rev().chain(end..n) {
            let k = mark(i).to_f64() as usize;
            for j in 0..n {
                if let (Some(x), Some(y)) = (v.get(i, j), v.get(k, j)) {
                    v.set(i, j, y);
                    v.set(k, j, x);
                }
            }
        }
        let mut j = 0;
        while j < n {
            let pair = im.get(j).is_some_and(|im| *im > T::ZERO);
            normalise(v.reborrow(), j, pair);
            j += if pair { 2 } else { 1 };
        }
    }
}

/// Column `j`, with the next one as its imaginary part when it is one of a pair, of length 1 and with a largest element that is real and positive.
fn normalise<T: Element>(mut v: MatMut<'_, T>, j: usize, pair: bool) {
    let at = |v: &MatMut<'_, T>, i: usize| {
        let of = |j| v.get(i, j).unwrap_or_default().to_f64();
        [of(j), if pair { of(j + 1) } else { 0.0 }]
    };
    let (mut sum, mut largest, mut turn) = (0.0, 0.0, [1.0, 0.0]);
    for i in 0..v.rows() {
        let [x, y] = at(&v, i);
        let square = x * x + y * y;
        sum += square;
        if square > largest {
            (largest, turn) = (square, [x, y]);
        }
    }
    let [c, s] = turn.map(|x| x / libm::hypot(turn[0], turn[1]) / libm::sqrt(sum));
    for i in 0..v.rows() {
        let [x, y] = at(&v, i);
        v.set(i, j, T::from_f64(c * x + s * y + 0.0));
        if pair {
            let turned = if [x, y] == turn { 0.0 } else { c * y - s * x };
            v.set(i, j + 1, T::from_f64(turned));
        }
    }
}

/// The 2-norm, whatever the size of the squares.
fn length<'a, T: Element>(x: impl Iterator<Item = &'a T> + Clone) -> f64 {
    let most = x.clone().fold(T::ZERO, |most, x| if abs(*x) > most { abs(*x) } else { most }).to_f64();
    if most == 0.0 {
        return 0.0;
    }
    most * libm::sqrt(x.map(|x| x.to_f64() / most).map(|x| x * x).sum())
}
