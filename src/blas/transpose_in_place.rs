//! Transposes a packed rectangular matrix in place, by rotations of columns and rows.
//!
//! `m` rows of `n ≥ m` elements that follow each other become `n` rows of `m`. With `c = gcd(m, n)` the element at
//! `(i, j)` reaches its place by moves within columns, within rows, and within columns again, none of which needs
//! more room than a row or some columns: rotations of each column by `⌊jc/n⌋`, which keep any two elements of a row
//! from wanting the same place; row `i` by `j → ((i + ⌊jc/n⌋) mod m + jm) mod n`; column `j` by
//! `i → (j + in − ⌊ic/m⌋) mod m`, here read from. The way back from `n` rows is the same, backwards. Columns are
//! moved some at a time, as many as a cache line holds.

use super::transpose::{transpose_in_place_on, transpose_on};
use crate::error::{Error, enough};
use crate::lanes::{Element, Simd, native};
use crate::slices;
use crate::view::{MatMut, MatRef};

/// Columns that are moved together.
pub(crate) const STRIP: usize = 16;

/// Elements of workspace that [`transpose_packed_in_place`] needs for a matrix of so many rows and columns: a longer
/// side, or sixteen shorter ones.
///
/// ```
/// assert_eq!(fulmen::transpose_packed_in_place_workspace(1000, 3000), 16_000);
/// assert_eq!(fulmen::transpose_packed_in_place_workspace(3000, 3000), 0);
/// ```
pub const fn transpose_packed_in_place_workspace(rows: usize, cols: usize) -> usize {
    let (short, long) = if rows < cols { (rows, cols) } else { (cols, rows) };
    if short <= 1 || rows == cols {
        return 0;
    }
    let (strips, all) = (short.saturating_mul(STRIP), short.saturating_mul(long));
    let scratch = if strips > long { strips } else { long };
    if scratch < all { scratch } else { all }
}

/// `a[j·rows + i] = a[i·cols + j]`: the transpose over itself of a matrix whose elements follow each other, row by
/// row, square or not.
///
/// Shapes: `a` has `rows·cols` elements: `rows` rows before, `cols` rows of `rows` elements after. A matrix by columns
/// is one by rows, transposed.
///
/// NaN and ±0: bits are moved as they are.
///
/// Errors: [`Error::Len`] names `a`, [`Error::Workspace`]; nothing is written then.
///
/// Scratch: [`transpose_packed_in_place_workspace`], some rows or columns; with one as long as `a` it is used for a
/// copy, which is faster.
///
/// ```
/// use fulmen::{transpose_packed_in_place, transpose_packed_in_place_workspace};
/// let mut a = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let mut workspace = [0.0; transpose_packed_in_place_workspace(2, 3)];
/// transpose_packed_in_place(&mut a, 2, 3, &mut workspace)?;
/// assert_eq!(a, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: B. Catanzaro, A. Keller and M. Garland, "A Decomposition for In-place Matrix Transposition" (2014).
/// Contract: `contracts/transpose-v1.yaml`.
#[inline]
pub fn transpose_packed_in_place<T: Element>(
    a: &mut [T],
    rows: usize,
    cols: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    transpose_packed_in_place_on(native(), a, rows, cols, workspace)
}

/// [`transpose_packed_in_place`] on the instruction set of `s`.
pub fn transpose_packed_in_place_on<S: Simd, T: Element>(
    s: S,
    a: &mut [T],
    rows: usize,
    cols: usize,
    workspace: &mut [T],
) -> Result<(), Error> {
    let expected = rows.checked_mul(cols).ok_or(Error::overflow("a"))?;
    if a.len() != expected {
        return Err(Error::len("a", expected, a.len()));
    }
    enough(transpose_packed_in_place_workspace(rows, cols), workspace.len())?;
    if rows <= 1 || cols <= 1 {
        return Ok(());
    }
    if rows == cols {
        return transpose_in_place_on(s, MatMut::packed(a, rows, cols));
    }
    if let Some(copy) = workspace.get_mut(..expected).filter(|copy| copy.len() == a.len()) {
        slices::copy(a, copy);
        return transpose_on(s, MatRef::packed(copy, rows, cols), MatMut::packed(a, cols, rows));
    }
    s.vectorize(
        #[inline(always)]
        || {
            if rows < cols {
                let moves = Moves::new(rows, cols);
                moves.columns::<T, false>(moves.rotation(), a, workspace);
                moves.rows::<T, false>(a, workspace);
                moves.columns::<T, false>(moves.shuffle(), a, workspace);
            } else {
                let moves = Moves::new(cols, rows);
                moves.columns::<T, true>(moves.shuffle(), a, workspace);
                moves.rows::<T, true>(a, workspace);
                moves.columns::<T, true>(moves.rotation(), a, workspace);
            }
        },
    );
    Ok(())
}

/// `x + y`, less `m` if that is not below it, for `x, y < m`.
#[inline(always)]
const fn wrapped(x: usize, y: usize, m: usize) -> usize {
    let sum = x + y;
    if sum < m { sum } else { sum - m }
}

/// The moves of `m` rows of `n > m` elements.
#[derive(Debug, Clone, Copy)]
struct Moves {
    m: usize,
    n: usize,
    /// The greatest common divisor of the two.
    c: usize,
}

/// `new[i][j] = old[(p(i) + q(j)) mod m][j]`: `p` begins with 0, goes on by `step` and back by one after each `every`;
/// `q` begins with 0 and goes on by one after each `wide`.
#[derive(Debug, Clone, Copy)]
struct Turn {
    step: usize,
    every: usize,
    wide: usize,
}

impl Moves {
    #[inline(always)]
    const fn new(m: usize, n: usize) -> Self {
        let (mut c, mut rest) = (n, m);
        while rest != 0 {
            (c, rest) = (rest, c % rest);
        }
        Self { m, n, c }
    }

    /// Each column by the number of its block.
    #[inline(always)]
    const fn rotation(self) -> Turn {
        Turn { step: 1, every: usize::MAX, wide: self.n / self.c }
    }

    /// Each column to its last places.
    #[inline(always)]
    const fn shuffle(self) -> Turn {
        Turn { step: self.n % self.m, every: self.m / self.c, wide: 1 }
    }

    /// A move within columns, or `BACK`.
    #[inline(always)]
    fn columns<T: Element, const BACK: bool>(self, turn: Turn, a: &mut [T], scratch: &mut [T]) {
        let Self { m, n, .. } = self;
        if turn.wide == n {
            // All columns are one block, which stays.
            return;
        }
        let (mut block, mut left) = (0, turn.wide);
        let mut j = 0;
        while j < n {
            let width = STRIP.min(n - j);
            // A strip's last part is missing in the last one: the scratch is as wide as it.
            let Some(scratch) = scratch.get_mut(..m * width) else { return };
            let mut by = [0; STRIP];
            for by in by.iter_mut().take(width) {
                *by = block;
                left -= 1;
                if left == 0 {
                    (block, left) = (wrapped(block, 1, m), turn.wide);
                }
            }
            match width {
                STRIP => self.strip::<T, BACK>(turn, &by, STRIP, a.get_mut(j..).unwrap_or_default(), scratch),
                _ => self.strip::<T, BACK>(turn, &by, width, a.get_mut(j..).unwrap_or_default(), scratch),
            }
            j += width;
        }
    }

    /// The columns at the start of `a`.
    #[inline(always)]
    fn strip<T: Element, const BACK: bool>(
        self,
        turn: Turn,
        by: &[usize; STRIP],
        width: usize,
        a: &mut [T],
        scratch: &mut [T],
    ) {
        let Self { m, n, .. } = self;
        let copy = |a: &mut [T], scratch: &mut [T], back: bool| {
            for (a, scratch) in a.chunks_mut(n).zip(scratch.chunks_exact_mut(width)) {
                let (Some(a), Some(scratch)) = (a.get_mut(..width), scratch.get_mut(..width)) else { return };
                if back { a.copy_from_slice(scratch) } else { scratch.copy_from_slice(a) }
            }
        };
        if !BACK {
            copy(a, scratch, false);
        }
        let (mut p, mut left) = (0, turn.every);
        for row in a.chunks_mut(n).take(m) {
            for (k, (x, by)) in row.iter_mut().zip(by).enumerate().take(width) {
                if let Some(y) = scratch.get_mut(wrapped(p, *by, m) * width + k) {
                    if BACK { *y = *x } else { *x = *y }
                }
            }
            p = wrapped(p, turn.step, m);
            left -= 1;
            if left == 0 {
                (p, left) = (wrapped(p, m - 1, m), turn.every);
            }
        }
        if BACK {
            copy(a, scratch, true);
        }
    }

    /// The move within rows, or `BACK`.
    #[inline(always)]
    fn rows<T: Element, const BACK: bool>(self, a: &mut [T], scratch: &mut [T]) {
        let Self { m, n, c } = self;
        let Some(scratch) = scratch.get_mut(..n) else { return };
        for (i, row) in a.chunks_exact_mut(n).enumerate() {
            if BACK {
                scratch.copy_from_slice(row);
            }
            // Column `k` of each block of `n/c`: their places follow each other.
            let mut place = 0;
            for k in 0..n / c {
                let mut at = i;
                for x in row.iter_mut().skip(k).step_by(n / c) {
                    if let Some(y) = scratch.get_mut(wrapped(place, at, n)) {
                        if BACK { *x = *y } else { *y = *x }
                    }
                    at = wrapped(at, 1, m);
                }
                place = wrapped(place, m, n);
            }
            if !BACK {
                row.copy_from_slice(scratch);
            }
        }
    }
}
