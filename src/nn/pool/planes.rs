//! Windows over a plane: where they are, and the loops over them.

use super::Pool;
use crate::alu::{Alu, Body, Real};
use crate::contract::{Call, Violation};
use crate::lanes::fold::{Serial, fold_by};
use crate::lanes::portable::scalar;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, drive, strided};
use crate::pointwise::Add;
use crate::reduce::Exact;
use core::ops::Range;

/// A [`Pool`] on operands that fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Planes {
    pub(super) pool: Pool,
    /// Elements of a plane.
    pub(super) area: usize,
    /// Windows of a plane.
    pub(super) cells: usize,
    /// Windows from top to bottom.
    pub(super) rows: usize,
    /// Windows from left to right.
    pub(super) cols: usize,
}

/// Elements of a line of windows that are worked on at a time.
const TILE: usize = 256;

/// Neighbouring windows of one line of windows.
#[derive(Debug, Clone, Copy)]
struct Tile {
    /// The line.
    row: usize,
    /// The first window.
    col: usize,
    /// Windows.
    n: usize,
    /// Columns from the first window's start to the last one's end.
    span: usize,
    /// How many of them are padding before the plane.
    skip: usize,
}

impl Planes {
    /// The rows of the plane in windows of line `i`; there is one at least.
    #[inline(always)]
    fn rows(&self, i: usize) -> Range<usize> {
        let Pool { input: [h, _], kernel: [k, _], stride: [s, _], padding: [p, _] } = self.pool;
        (i * s).saturating_sub(p)..(i * s + k - p).min(h)
    }

    /// The columns in window `j`; there is one at least.
    #[inline(always)]
    fn cols(&self, j: usize) -> Range<usize> {
        let Pool { input: [_, w], kernel: [_, k], stride: [_, s], padding: [_, p] } = self.pool;
        (j * s).saturating_sub(p)..(j * s + k - p).min(w)
    }

    /// The columns of the plane in the tile's windows.
    #[inline(always)]
    fn columns(&self, tile: Tile) -> Range<usize> {
        let start = self.cols(tile.col).start;
        start..(start + tile.span - tile.skip).min(self.pool.input[1])
    }

    /// Whether windows are taken one by one: as they are whole lines of memory, or longer than a tile.
    #[inline(always)]
    fn single(&self) -> bool {
        self.pool.kernel[1] > TILE || self.lines()
    }

    /// Whether a window is one piece of memory.
    #[inline(always)]
    fn lines(&self) -> bool {
        self.pool.kernel[1] == self.pool.input[1] && self.pool.padding[1] == 0
    }

    /// The pieces of memory of a window.
    #[inline(always)]
    pub(super) fn pieces(self, i: usize, j: usize) -> impl Iterator<Item = Range<usize>> {
        let (w, rows, cols) = (self.pool.input[1], self.rows(i), self.cols(j));
        let (rows, height) = if self.lines() { (rows.start..rows.start + 1, rows.len()) } else { (rows, 1) };
        rows.map(move |r| r * w + cols.start..(r + height - 1) * w + cols.end)
    }

    /// Elements that the mean of a window counts.
    #[inline(always)]
    fn counted(&self, i: usize, j: usize, count_padding: bool) -> usize {
        if count_padding {
            self.pool.kernel[0].saturating_mul(self.pool.kernel[1])
        } else {
            self.rows(i).len() * self.cols(j).len()
        }
    }

    /// The tile from window `col` of line `row` on.
    #[inline(always)]
    fn tile(&self, row: usize, col: usize) -> Tile {
        let Pool { kernel: [_, k], stride: [_, s], padding: [_, p], .. } = self.pool;
        let n = (self.cols - col).min((TILE - k) / s + 1);
        Tile { row, col, n, span: (n - 1) * s + k, skip: p.saturating_sub(col * s) }
    }

    /// `f` on each tile of a plane.
    #[inline(always)]
    fn each_tile(&self, mut f: impl FnMut(Tile)) {
        for row in 0..self.rows {
            let mut col = 0;
            while col < self.cols {
                let tile = self.tile(row, col);
                f(tile);
                col += tile.n;
            }
        }
    }

    /// `f` on each window of a plane, and where it is in the result.
    #[inline(always)]
    pub(super) fn each_window(&self, mut f: impl FnMut(usize, usize, usize)) {
        for i in 0..self.rows {
            for j in 0..self.cols {
                f(i, j, i * self.cols + j);
            }
        }
    }

    /// What `body` makes of each window of a plane, one element after another.
    #[inline(always)]
    pub(super) fn windows<S: Simd, T: Element, B: Body<T, 2>>(
        &self,
        s: S,
        body: B,
        identity: T,
        x: &[T],
        out: &mut [T],
    ) {
        if self.single() {
            return self.each_window(
                #[inline(always)]
                |i, j, at| {
                    let whole = self.pieces(i, j).fold(identity, |all, piece| {
                        let x = x.get(piece).unwrap_or_default();
                        let [part] = fold_by(Serial, s, Exact(body, identity), [x]);
                        body.eval([scalar(all), scalar(part)]).lane0()
                    });
                    put(out, at, whole);
                },
            );
        }
        let Pool { input: [_, w], kernel: [_, k], stride: [_, step], .. } = self.pool;
        let (mut high, mut every) = ([identity; TILE], [identity; TILE]);
        self.each_tile(
            #[inline(always)]
            |tile| {
                // From top to bottom, and then from left to right.
                let (columns, rows) = (self.columns(tile), self.rows(tile.row));
                let line = |r: usize| part(x, r * w + columns.start..r * w + columns.end);
                let high = if rows.len() == 1 && columns.len() == tile.span {
                    line(rows.start)
                } else {
                    let high = part_mut(&mut high, 0..tile.span);
                    if columns.len() < tile.span {
                        high.fill(identity);
                    }
                    let real = part_mut(high, tile.skip..tile.skip + columns.len());
                    if rows.len() == 1 {
                        real.copy_from_slice(line(rows.start));
                    } else {
                        drive::map(Serial, s, body, [line(rows.start), line(rows.start + 1)], real);
                    }
                    for r in rows.skip(2) {
                        drive::zip_in_place(Serial, s, body, real, line(r));
                    }
                    &*high
                };
                let at = tile.row * self.cols + tile.col;
                let out = part_mut(out, at..at + tile.n);
                if step == 1 {
                    let taps = |t: usize| part(high, t..t + tile.n);
                    if k == 1 {
                        return out.copy_from_slice(taps(0));
                    }
                    drive::map(Serial, s, body, [taps(0), taps(1)], out);
                    for t in 2..k {
                        drive::zip_in_place(Serial, s, body, out, taps(t));
                    }
                } else {
                    strided::every(high, step, out);
                    let every = part_mut(&mut every, 0..tile.n);
                    for t in 1..k {
                        strided::every(part(high, t..tile.span), step, every);
                        drive::zip_in_place(Serial, s, body, out, every);
                    }
                }
            },
        );
    }

    /// Divides windows from `col` of line `row` on by the elements that they count.
    #[inline(always)]
    pub(super) fn divide<S: Simd, T: Element>(
        &self,
        s: S,
        count_padding: bool,
        [row, col]: [usize; 2],
        sums: &mut [T],
    ) {
        let Pool { input: [_, w], kernel: [_, k], stride: [_, step], padding: [_, p] } = self.pool;
        // The windows within the plane count as many elements.
        let within = if count_padding {
            0..sums.len()
        } else {
            let end = if w + p < k { 0 } else { (w + p - k) / step + 1 };
            let [start, end] = [p.div_ceil(step), end].map(|j| j.saturating_sub(col).min(sums.len()));
            start..end.max(start)
        };
        let by = |j| T::from_usize(self.counted(row, col + j, count_padding));
        for (j, sum) in sums.iter_mut().enumerate().filter(|(j, _)| !within.contains(j)) {
            *sum = (*sum + T::ZERO) / by(j);
        }
        let by = by(within.start.min(within.end.saturating_sub(1)));
        drive::map_in_place(Serial, s, DividedBy(by), part_mut(sums, within));
    }

    /// Adds the share of each window, over `dy`, to what it was made of.
    #[inline(always)]
    pub(super) fn spread<S: Simd, T: Element>(&self, s: S, count_padding: bool, dy: &[T], dx: &mut [T]) {
        if self.single() {
            return self.each_window(
                #[inline(always)]
                |i, j, at| {
                    let dy = dy.get(at).copied().unwrap_or_default();
                    let share = dy / T::from_usize(self.counted(i, j, count_padding));
                    for piece in self.pieces(i, j) {
                        drive::map_in_place(Serial, s, Plus(share), part_mut(dx, piece));
                    }
                },
            );
        }
        let Pool { input: [_, w], kernel: [_, k], stride: [_, step], .. } = self.pool;
        let (mut shares, mut wide) = ([T::ZERO; TILE], [T::ZERO; TILE]);
        self.each_tile(
            #[inline(always)]
            |tile| {
                let at = tile.row * self.cols + tile.col;
                let shares = part_mut(&mut shares, 0..tile.n);
                shares.copy_from_slice(part(dy, at..at + tile.n));
                self.divide(s, count_padding, [tile.row, tile.col], shares);
                let wide = part_mut(&mut wide, 0..tile.span);
                wide.fill(T::ZERO);
                for t in 0..k {
                    if step == 1 {
                        drive::zip_in_place(Serial, s, Add, part_mut(wide, t..t + tile.n), shares);
                    } else {
                        strided::spread_add(shares, step, part_mut(wide, t..tile.span));
                    }
                }
                let columns = self.columns(tile);
                let real = part(wide, tile.skip..tile.skip + columns.len());
                for r in self.rows(tile.row) {
                    let dx = part_mut(dx, r * w + columns.start..r * w + columns.end);
                    drive::zip_in_place(Serial, s, Add, dx, real);
                }
            },
        );
    }

    /// Where the first of the largest elements of a window is, or the first NaN.
    #[inline(always)]
    pub(super) fn largest<T: Element>(self, x: &[T], i: usize, j: usize) -> usize {
        let mut largest = (self.rows(i).start * self.pool.input[1] + self.cols(j).start, -T::INFINITY);
        for piece in self.pieces(i, j) {
            for (at, x) in piece.clone().zip(part(x, piece)) {
                let [nan, before] = [*x, largest.1].map(is_nan);
                // Without a branch: which is largest is hard to guess.
                let take = (*x > largest.1) | (nan & !before);
                largest = if take { (at, *x) } else { largest };
            }
        }
        largest.0
    }

    /// Whether NaN of each window of `x` reaches its element of `y`, over all planes.
    pub(super) fn each_call<T: Element>(
        self,
        x: &[T],
        y: &[T],
        check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        for (x, y) in x.chunks_exact(self.area).zip(y.chunks_exact(self.cells)) {
            let mut found = Ok(());
            self.each_window(|i, j, at| {
                let nan = self.pieces(i, j).any(|piece| part(x, piece).iter().any(|x| is_nan(*x)));
                let x = if nan { T::NAN } else { T::ZERO };
                let call = check(&Call::new(&[&[x]], part(y, at..at + 1)));
                found = found.and(call);
            });
            found?;
        }
        Ok(())
    }
}

/// `x / by`; -0 becomes +0.
#[derive(Debug, Clone, Copy)]
struct DividedBy<T>(T);
impl<T: Real> Body<T, 1> for DividedBy<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x + x.c(0.0)) / x.lit(self.0)
    }
}

/// `x + c`.
#[derive(Debug, Clone, Copy)]
struct Plus<T>(T);
impl<T: Real> Body<T, 1> for Plus<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x + x.lit(self.0)
    }
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "NaN is what differs from itself")]
fn is_nan<T: Element>(x: T) -> bool {
    x != x
}

/// The elements in the range, which `x` has.
#[inline(always)]
pub(super) fn part<T>(x: &[T], range: Range<usize>) -> &[T] {
    x.get(range).unwrap_or_default()
}

/// As [`part`].
#[inline(always)]
fn part_mut<T>(x: &mut [T], range: Range<usize>) -> &mut [T] {
    x.get_mut(range).unwrap_or_default()
}

/// `x[at] = value`.
#[inline(always)]
fn put<T>(x: &mut [T], at: usize, value: T) {
    if let Some(x) = x.get_mut(at) {
        *x = value;
    }
}
