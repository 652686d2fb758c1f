//! Medians.

use super::parts::{each_line, each_part};
use super::{Border, Image, ImageMut};
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Simd, from_fn};
use core::num::NonZero;

ops! { $ rank_ops in crate::image::rank;
    /// Median filter: `dst[y][x][c]` is the median of `src[y + k][x + j][c]` for `-size/2 <= k, j <= size/2`, the middle one of these `size²` numbers when they are sorted.
    /// `border` says what is read beyond the edges. From a `size` of 7 on the time for a pixel does not depend on it.
    ///
    /// Shapes: `size` is odd, at most 255; `dst` has the sizes and channels of `src`, each channel by itself.
    ///
    /// Rounding: none. NaN and ±0: there are none. `Border::Clamp` gives the medians of OpenCV and Pillow.
    ///
    /// Errors: [`Error::Domain`] names `size` when it is even or above 255; [`Error::Shape`] names `dst` when it has other sizes than
    /// `src`, [`Error::Len`] when it has other channels; [`Error::Workspace`]. Nothing is written then. Scratch: [`median_workspace`], which
    /// may hold anything.
    ///
    /// ```
    /// use fulmen::image::{Border, Image, ImageMut};
    /// let (src, mut dst) = ([10u8, 10, 200, 10, 30, 30], [0u8; 6]);
    /// let mut workspace = [0; fulmen::median_workspace(6, 3)];
    /// let (from, to) = (Image::new(&src, 6, 1, 1)?, ImageMut::new(&mut dst, 6, 1, 1)?);
    /// fulmen::median(from, 3, Border::Clamp, to, &mut workspace)?;
    /// assert_eq!(dst, [10, 10, 10, 30, 30, 30]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: N. Devillard, "Fast median search: an ANSI C implementation", 1998 (sorting networks for sizes of 3 and 5); S. Perreault,
    /// P. Hébert, "Median filtering in constant time", 2007, with cumulative histograms. Contract: `contracts/median-v1.yaml`.
    threads "`workspace` is shared among the threads: for `n` of them it has `n` times [`median_workspace`](crate::median_workspace()), and a shorter one lets fewer run."
        median<>, median_on, median_by
        (src: image u8, size: by usize, border: by Border<u8>, dst: image_out u8, workspace: scratch u8) -> Result<()>;
}

/// Columns of a result whose counts are kept at a time, so that a cache holds them.
pub(crate) const STRIPE: usize = 512;

/// Sixteen levels, or the sixteen parts of one.
pub(crate) const GROUP: usize = 16;

/// Elements of workspace that [`median`](crate::median()) needs for `width` columns and this `size`: 0 for a size up to 5.
pub const fn median_workspace(width: usize, size: usize) -> usize {
    // For a column, its sums of counts for each sixteenth of the levels and for each level, and two of its pixels.
    const COLUMN: usize = GROUP + GROUP * GROUP + 2;
    let columns = if width < STRIPE { width } else { STRIPE };
    if size <= 5 { 0 } else { columns.saturating_add(size - 1).saturating_mul(COLUMN) }
}

/// Checks that the size of a window is odd, so that it has a centre, and that a byte can count its rows.
pub(crate) fn expect_window(size: usize) -> Result<(), Error> {
    if size.is_multiple_of(2) || size > usize::from(u8::MAX) {
        return Err(Error::must_be("size", "odd and at most 255"));
    }
    Ok(())
}

pub(crate) fn median_by<J: Executor, S: Simd>(
    j: J,
    s: S,
    src: Image<'_, u8>,
    size: usize,
    border: Border<u8>,
    dst: ImageMut<'_, u8>,
    workspace: &mut [u8],
) -> Result<(), Error> {
    expect_window(size)?;
    dst.expect("dst", [src.width(), src.height()], src.channels())?;
    let need = median_workspace(src.width(), size);
    enough(need, workspace.len())?;
    let job = Job { src, size, border };
    // Functions of their own, as the networks of small windows and the counts of large ones want other registers.
    let cols = src.row_len();
    match size {
        1 => each_line(
            j,
            s,
            cols,
            dst,
            #[inline(always)]
            |y: usize, out: &mut [u8]| out.iter_mut().zip(src.line(y)).for_each(|(to, p)| *to = *p),
        ),
        3 => each_line(
            j,
            s,
            cols,
            dst,
            #[inline(always)]
            |y: usize, out: &mut [u8]| {
                job.few(
                    s,
                    y,
                    out,
                    #[inline(always)]
                    |rows| of_nine(s, rows),
                    #[inline(always)]
                    |rows, out| by_columns(s, rows, job.channels(), out),
                );
            },
        ),
        5 => each_line(
            j,
            s,
            cols,
            dst,
            #[inline(always)]
            |y: usize, out: &mut [u8]| {
                job.few(
                    s,
                    y,
                    out,
                    #[inline(always)]
                    |rows| of_many(s, rows),
                    #[inline(always)]
                    |rows, out| {
                        by_blocks(
                            s,
                            rows,
                            job.channels(),
                            out,
                            #[inline(always)]
                            |rows| of_many(s, rows),
                        );
                    },
                );
            },
        ),
        _ => each_part(
            j,
            s,
            (cols, need),
            0,
            dst,
            workspace,
            #[inline(always)]
            |y: usize, dst: ImageMut<'_, u8>, workspace: &mut [u8]| job.many(y, dst, workspace),
        ),
    }
    Ok(())
}

/// What all rows of a result are made of.
#[derive(Debug, Clone, Copy)]
struct Job<'a> {
    src: Image<'a, u8>,
    size: usize,
    border: Border<u8>,
}

impl<'a> Job<'a> {
    /// The row in place `y`; none where it is a constant.
    #[inline(always)]
    fn line(&self, y: isize) -> Option<&'a [u8]> {
        self.border.index(y, self.src.height()).map(|at| self.src.line(at))
    }

    #[inline(always)]
    fn channels(&self) -> usize {
        self.src.channels().max(1)
    }

    /// A row of medians of `N` by `N` pixels: `of` makes a block of those of its elements, and `inside` blocks beside each other whose
    /// windows are in the image, of rows that begin with the first window. The last block begins earlier where fewer elements remain.
    #[inline(always)]
    fn few<S: Simd, const N: usize>(
        self,
        s: S,
        y: usize,
        out: &mut [u8],
        of: impl Fn(&[[S::Codes; N]; N]) -> S::Codes,
        inside: impl Fn([&[u8]; N], &mut [[u8; BLOCK]]),
    ) {
        let (n, c) = (self.src.row_len(), self.channels());
        let reach = N / 2;
        let first = y.cast_signed().wrapping_sub(reach.cast_signed());
        let mut lines = [None; N];
        for (k, line) in lines.iter_mut().enumerate() {
            *line = self.line(first.wrapping_add(k.cast_signed()));
        }
        let mut i = 0;
        while i < n {
            // The blocks from here on whose windows are in the image.
            let whole = n.saturating_sub(i + reach * c) / BLOCK;
            if whole > 0 && i >= reach * c && lines.iter().all(Option::is_some) {
                let from = i - reach * c..(i + reach * c).saturating_add(whole * BLOCK);
                let rows = lines.map(|line| line.and_then(|line| line.get(from.clone())).unwrap_or_default());
                let to = out.get_mut(i..).unwrap_or_default().as_chunks_mut::<BLOCK>().0;
                inside(rows, to.get_mut(..whole).unwrap_or_default());
                i += whole * BLOCK;
                continue;
            }
            i = i.min(n.saturating_sub(BLOCK));
            let inside = i.checked_sub(reach * c).filter(|_| i + BLOCK + reach * c <= n);
            let mut from = [None; N];
            for (from, line) in from.iter_mut().zip(lines) {
                *from = line.zip(inside).and_then(|(line, at)| line.get(at..));
            }
            let mut beside = [[0; BESIDE]; N];
            if from.iter().any(Option::is_none) {
                for ((from, line), beside) in from.iter_mut().zip(lines).zip(&mut beside) {
                    self.beyond(line, i, reach, beside);
                    *from = Some(beside);
                }
            }
            let rows = &from;
            let blocks = from_fn(
                #[inline(always)]
                |y| {
                    let line = rows.get(y).copied().flatten().unwrap_or_default();
                    from_fn(
                        #[inline(always)]
                        |x| {
                            let block = line.get(x * c..).and_then(<[u8]>::first_chunk::<BLOCK>);
                            s.bytes(block.copied().unwrap_or_default())
                        },
                    )
                },
            );
            let found = s.array(of(&blocks));
            let to = out.get_mut(i..).unwrap_or_default();
            match to.first_chunk_mut::<BLOCK>() {
                Some(to) => *to = found,
                None => to.iter_mut().zip(found).for_each(|(to, p)| *to = p),
            }
            i += BLOCK;
        }
    }

    /// Reads elements of a row to `to`, from `reach` pixels before element `i` on. They may lie beyond the edges.
    #[inline(never)]
    fn beyond(&self, line: Option<&[u8]>, i: usize, reach: usize, to: &mut [u8]) {
        let Some(line) = line else { return to.fill(self.border.value()) };
        let (c, before) = (self.channels(), reach * self.channels());
        let to = to.get_mut(..BLOCK + 2 * before).unwrap_or_default();
        let (left, from) = (before.saturating_sub(i), i.saturating_sub(before));
        let inside = line.get(from..).unwrap_or_default();
        to.iter_mut().skip(left).zip(inside).for_each(|(to, p)| *to = *p);
        let width = self.src.width();
        let channels = NonZero::new(c).unwrap_or(NonZero::<usize>::MIN);
        let beyond = |(k, to): (usize, &mut u8)| {
            let (x, channel) = ((i + k) / channels, (i + k) % channels);
            let at = self.border.index(x.cast_signed().wrapping_sub(reach.cast_signed()), width);
            let found = at.and_then(|x| line.get(x * c + channel));
            *to = found.copied().unwrap_or_else(|| self.border.value());
        };
        to.iter_mut().enumerate().take(left).for_each(beyond);
        to.iter_mut().enumerate().skip(left + inside.len()).for_each(beyond);
    }

    /// Rows of medians, of which the counts of each column are kept from row to row.
    #[inline(always)]
    fn many(self, y: usize, mut dst: ImageMut<'_, u8>, workspace: &mut [u8]) {
        let (channels, size, reach) = (self.src.channels().max(1), self.size, (self.size / 2).cast_signed());
        let y = y.cast_signed();
        for c in 0..channels {
            for x in (0..self.src.width()).step_by(STRIPE) {
                let columns = (self.src.width() - x).min(STRIPE) + size - 1;
                let (new, rest) = workspace.split_at_mut(columns.min(workspace.len()));
                let (old, rest) = rest.split_at_mut(columns.min(rest.len()));
                let (coarse, fine) = rest.split_at_mut((GROUP * columns).min(rest.len()));
                let coarse = coarse.as_chunks_mut::<GROUP>().0;
                let fine = fine.as_chunks_mut::<GROUP>().0;
                let fine = fine.get_mut(..GROUP * columns).unwrap_or_default();
                coarse.fill([0; GROUP]);
                fine.fill([0; GROUP]);
                let first = x.cast_signed().wrapping_sub(reach);
                let read = |row: isize, to: &mut [u8]| {
                    self.border.read(self.line(row), (channels, c), first, to);
                };
                for k in -reach..reach {
                    read(y.wrapping_add(k), new);
                    enter(new, coarse, fine);
                }
                for row in 0..dst.height() {
                    let at = y.wrapping_add(row.cast_signed());
                    read(at.wrapping_add(reach), new);
                    if row == 0 {
                        enter(new, coarse, fine);
                    } else {
                        read(at.wrapping_sub(reach + 1), old);
                        exchange(old, new, coarse, fine);
                    }
                    let out = dst.row_mut(row).get_mut(x * channels + c..).unwrap_or_default();
                    slide(size, coarse, fine, out.iter_mut().step_by(channels));
                }
            }
        }
    }
}

/// Blocks of medians of nine: the three pixels of each column are sorted once for the three windows that have it. The median of nine is that of
/// three: the largest of the smallest of the columns, the median of their medians, and the smallest of their largest.
#[inline(always)]
fn by_columns<S: Simd>(s: S, rows: [&[u8]; 3], channels: usize, out: &mut [[u8; BLOCK]]) {
    let mut sorted = [[0; COLUMNS]; 3];
    for (k, out) in out.chunks_mut(SORTED).enumerate() {
        let n = out.len() * BLOCK + 2 * channels;
        let part = from_fn(
            #[inline(always)]
            |y| {
                let row = rows.get(y).copied().unwrap_or_default();
                row.get(k * SORTED * BLOCK..).and_then(|row| row.get(..n)).unwrap_or_default()
            },
        );
        sort_columns(s, part, &mut sorted, 0);
        // The rest, in a block that ends with the last window.
        let last = n.saturating_sub(BLOCK);
        sort_columns(s, part, &mut sorted, last);
        let [low, middle, high] = &sorted;
        let each = out
            .iter_mut()
            .zip(to_the_right(low, channels))
            .zip(to_the_right(middle, channels))
            .zip(to_the_right(high, channels));
        for (((to, low), middle), high) in each {
            let ([_, _, low], [_, middle, _], [high, _, _]) =
                (of_blocks(s, low), of_blocks(s, middle), of_blocks(s, high));
            *to = s.array(of_three(s, [low, middle, high])[1]);
        }
    }
}

/// Blocks of a row whose columns are sorted together.
pub(crate) const SORTED: usize = 16;
/// Their columns, with two pixels of four channels.
pub(crate) const COLUMNS: usize = SORTED * BLOCK + 2 * 4;

/// Blocks of a row, beside those a pixel and two pixels to the right of them.
#[inline(always)]
fn to_the_right(row: &[u8], channels: usize) -> impl Iterator<Item = [&[u8; BLOCK]; 3]> {
    beside(from_fn(
        #[inline(always)]
        |x| row.get(x * channels..).unwrap_or_default().as_chunks().0,
    ))
}

#[inline(always)]
fn beside([a, b, c]: [&[[u8; BLOCK]]; 3]) -> impl Iterator<Item = [&[u8; BLOCK]; 3]> {
    a.iter().zip(b).zip(c).map(|((a, b), c)| [a, b, c])
}

/// Sorts the columns of three rows, from element `at` on, as far as they are whole blocks.
#[inline(always)]
fn sort_columns<S: Simd>(s: S, rows: [&[u8]; 3], sorted: &mut [[u8; COLUMNS]; 3], at: usize) {
    let from = from_fn(
        #[inline(always)]
        |y| rows.get(y).and_then(|row| row.get(at..)).unwrap_or_default().as_chunks::<BLOCK>().0,
    );
    let [low, middle, high] = sorted;
    let blocks = |row| <[u8]>::get_mut(row, at..).unwrap_or_default().as_chunks_mut::<BLOCK>().0;
    let to = blocks(low).iter_mut().zip(blocks(middle)).zip(blocks(high));
    for (from, ((low, middle), high)) in beside(from).zip(to) {
        let [a, b, c] = of_blocks(s, from);
        (*low, *middle, *high) = (s.array(a), s.array(b), s.array(c));
    }
}

#[inline(always)]
fn of_blocks<S: Simd>(s: S, [a, b, c]: [&[u8; BLOCK]; 3]) -> [S::Codes; 3] {
    of_three(s, [s.bytes(*a), s.bytes(*b), s.bytes(*c)])
}

/// Three numbers in ascending order.
#[inline(always)]
fn of_three<S: Simd>(s: S, p: [S::Codes; 3]) -> [S::Codes; 3] {
    let [a, b, c] = p;
    let [a, b] = s.order(a, b);
    let [b, c] = s.order(b, c);
    let [a, b] = s.order(a, b);
    [a, b, c]
}

/// Blocks of medians, each of all pixels of its windows.
#[inline(always)]
fn by_blocks<S: Simd, const N: usize>(
    s: S,
    rows: [&[u8]; N],
    channels: usize,
    out: &mut [[u8; BLOCK]],
    of: impl Fn(&[[S::Codes; N]; N]) -> S::Codes,
) {
    let n = out.len();
    let rows: [[&[[u8; BLOCK]]; N]; N] = from_fn(
        #[inline(always)]
        |y| {
            let row = rows.get(y).copied().unwrap_or_default();
            from_fn(
                #[inline(always)]
                |x| row.get(x * channels..).unwrap_or_default().as_chunks().0,
            )
        },
    );
    let each = |y: usize, x: usize| rows.get(y).and_then(|row| row.get(x)).copied().unwrap_or_default();
    if rows.as_flattened().iter().any(|blocks| blocks.len() < n) {
        return;
    }
    for (k, to) in out.iter_mut().enumerate() {
        let blocks = from_fn(
            #[inline(always)]
            |y| {
                from_fn(
                    #[inline(always)]
                    |x| s.bytes(each(y, x).get(k).copied().unwrap_or_default()),
                )
            },
        );
        *to = s.array(of(&blocks));
    }
}

/// Elements whose medians are found together.
pub(crate) const BLOCK: usize = 32;

/// The most elements of a row that a block needs: that is for medians of 5 by 5 pixels of four channels.
pub(crate) const BESIDE: usize = BLOCK + 4 * 4;

/// A network that selects the median: for each pair of indices, `$with` exchanges two elements, so that the first one is the smaller. The
/// network of nine numbers leaves their median at 4, and that of 25 numbers at 12; N. Devillard gives both, of 19 and of 99 exchanges.
macro_rules! network {
    (9, $with:ident, $($s:ident $p:ident)?) => {
        $with!($($s, $p,)? 1 2, 4 5, 7 8, 0 1, 3 4, 6 7, 1 2, 4 5, 7 8, 0 3, 5 8, 4 7, 3 6, 1 4, 2 5, 4 7, 4 2, 6 4, 4 2)
    };
    (25, $with:ident, $($s:ident $p:ident)?) => {
        $with!($($s, $p,)? 0 1, 3 4, 2 4, 2 3, 6 7, 5 7, 5 6, 9 10, 8 10, 8 9, 12 13, 11 13, 11 12, 15 16, 14 16, 14 15, 18 19, 17 19, 17 18, 21 22, 20 22, 20 21, 23 24, 2 5, 3 6, 0 6, 0 3, 4 7, 1 7, 1 4, 11 14, 8 14, 8 11, 12 15, 9 15, 9 12, 13 16, 10 16, 10 13, 20 23, 17 23, 17 20, 21 24, 18 24, 18 21, 19 22, 8 17, 9 18, 0 18, 0 9, 10 19, 1 19, 1 10, 11 20, 2 20, 2 11, 12 21, 3 21, 3 12, 13 22, 4 22, 4 13, 14 23, 5 23, 5 14, 15 24, 6 24, 6 15, 7 16, 7 19, 13 21, 15 23, 7 13, 7 15, 1 9, 3 11, 5 17, 11 17, 9 17, 4 10, 6 12, 7 14, 4 6, 4 7, 12 14, 10 14, 6 7, 10 12, 6 10, 6 17, 12 17, 7 17, 7 10, 12 18, 7 12, 10 18, 12 20, 10 20, 10 12)
    };
}

/// Exchanges elements by a network.
macro_rules! order {
    ($s:ident, $p:ident, $($a:literal $b:literal),* $(,)?) => {$(
        [$p[$a], $p[$b]] = $s.order($p[$a], $p[$b]);
    )*};
}

/// The pairs of a network.
#[cfg(feature = "gpu")]
macro_rules! pairs {
    ($($a:literal $b:literal),* $(,)?) => { &[$([$a, $b]),*] };
}

/// The network for the medians of nine numbers.
#[cfg(feature = "gpu")]
pub(crate) const OF_NINE: &[[usize; 2]] = network!(9, pairs,);

/// The network for the medians of 25 numbers.
#[cfg(feature = "gpu")]
pub(crate) const OF_25: &[[usize; 2]] = network!(25, pairs,);

/// The medians of nine numbers.
#[inline(always)]
fn of_nine<S: Simd>(s: S, rows: &[[S::Codes; 3]; 3]) -> S::Codes {
    let [[a, b, c], [d, e, f], [g, h, i]] = *rows;
    let mut p = [a, b, c, d, e, f, g, h, i];
    network!(9, order, s p);
    p[4]
}

/// The medians of 25 numbers.
#[inline(always)]
fn of_many<S: Simd>(s: S, rows: &[[S::Codes; 5]; 5]) -> S::Codes {
    let [[a, b, c, d, e], [f, g, h, i, j], [k, l, m, n, o], [q, r, t, u, v], [w, x, y, z, last]] = *rows;
    let mut p = [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q, r, t, u, v, w, x, y, z, last];
    network!(25, order, s p);
    p[12]
}

/// For each number below 16, 1 from its place on.
const FROM: [[u8; GROUP]; GROUP] = {
    let mut all = [[0; GROUP]; GROUP];
    let mut i = 0;
    while i < GROUP * GROUP {
        let (number, place) = (i / GROUP, i % GROUP);
        #[allow(clippy::indexing_slicing, reason = "when it is compiled")]
        {
            all[number][place] = (place >= number) as u8;
        }
        i += 1;
    }
    all
};

/// The sixteenth of the levels that a pixel is in, and which of its parts.
#[inline(always)]
fn parts(p: u8) -> (usize, [u8; GROUP], [u8; GROUP]) {
    let of = |i: u8| FROM.get(usize::from(i)).copied().unwrap_or_default();
    (usize::from(p >> 4), of(p >> 4), of(p & 15))
}

#[inline(always)]
fn add(to: &mut [u8; GROUP], counts: [u8; GROUP]) {
    to.iter_mut().zip(counts).for_each(|(to, n)| *to = to.wrapping_add(n));
}
#[inline(always)]
fn subtract(to: &mut [u8; GROUP], counts: [u8; GROUP]) {
    to.iter_mut().zip(counts).for_each(|(to, n)| *to = to.wrapping_sub(n));
}

/// Counts a row of pixels.
#[inline(always)]
fn enter(new: &[u8], coarse: &mut [[u8; GROUP]], fine: &mut [[u8; GROUP]]) {
    for ((p, coarse), fine) in new.iter().zip(coarse).zip(fine.as_chunks_mut::<GROUP>().0) {
        let (group, levels, within) = parts(*p);
        add(coarse, levels);
        if let Some(fine) = fine.get_mut(group) {
            add(fine, within);
        }
    }
}

/// Counts a row of pixels instead of another.
#[inline(always)]
fn exchange(old: &[u8], new: &[u8], coarse: &mut [[u8; GROUP]], fine: &mut [[u8; GROUP]]) {
    let pixels = old.iter().zip(new).zip(coarse).zip(fine.as_chunks_mut::<GROUP>().0);
    for (((p, q), coarse), fine) in pixels {
        if p == q {
            continue;
        }
        let ((group, levels, within), (other, more, also)) = (parts(*p), parts(*q));
        subtract(coarse, levels);
        add(coarse, more);
        if let Some(fine) = fine.get_mut(group) {
            subtract(fine, within);
        }
        if let Some(fine) = fine.get_mut(other) {
            add(fine, also);
        }
    }
}

/// The sums of counts of the columns of a window.
#[derive(Debug, Clone, Copy, Default)]
struct Sums([u16; GROUP]);

impl Sums {
    #[inline(always)]
    fn add(&mut self, column: &[u8; GROUP]) {
        let wide = column.map(u16::from);
        self.0 = core::array::from_fn(|i| {
            let [sum, n] = [&self.0, &wide].map(|x| x.get(i).copied().unwrap_or_default());
            sum.wrapping_add(n)
        });
    }
    #[inline(always)]
    fn subtract(&mut self, column: &[u8; GROUP]) {
        let wide = column.map(u16::from);
        self.0 = core::array::from_fn(|i| {
            let [sum, n] = [&self.0, &wide].map(|x| x.get(i).copied().unwrap_or_default());
            sum.wrapping_sub(n)
        });
    }
    /// The first part whose sum is above `rank`.
    #[inline(always)]
    fn find(&self, rank: u16) -> u8 {
        self.0.iter().map(|sum| u8::from(*sum <= rank)).sum()
    }
}

/// The medians of a row.
#[inline(always)]
fn slide<'a>(
    size: usize,
    coarse: &[[u8; GROUP]],
    fine: &[[u8; GROUP]],
    out: impl Iterator<Item = &'a mut u8>,
) {
    let rank = (size * size / 2) as u16;
    let fine = fine.as_chunks::<GROUP>().0;
    let (before, entering) = coarse.split_at_checked(size - 1).unwrap_or_default();
    // Those of the levels come last. Those of each sixteenth, of the columns before a place, are brought up to date where they are read.
    let mut all = [Sums::default(); GROUP + 1];
    let mut ends = [0; GROUP];
    if let Some(levels) = all.last_mut() {
        before.iter().for_each(|column| levels.add(column));
    }
    for (x, (to, (new, old))) in out.zip(entering.iter().zip(coarse)).enumerate() {
        let Some(levels) = all.last_mut() else { return };
        levels.add(new);
        let group = usize::from(levels.find(rank)).min(GROUP - 1);
        let below = group.checked_sub(1).and_then(|i| levels.0.get(i).copied()).unwrap_or(0);
        levels.subtract(old);
        let (Some(sums), Some(at)) = (all.get_mut(group), ends.get_mut(group)) else { return };
        let (mut from, end) = (*at, x + size);
        if from <= x {
            (*sums, from) = (Sums::default(), x);
        } else {
            for column in fine.get(from - size..x).unwrap_or_default() {
                column.get(group).into_iter().for_each(|column| sums.subtract(column));
            }
        }
        for column in fine.get(from..end).unwrap_or_default() {
            column.get(group).into_iter().for_each(|column| sums.add(column));
        }
        *at = end;
        *to = (group as u8) << 4 | sums.find(rank.wrapping_sub(below));
    }
}
