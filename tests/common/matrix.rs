//! Matrices in all layouts, for tests.

use fulmen::{Element, MatMut, MatRef};

/// How a matrix lies in its slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Layout {
    Rows,
    Cols,
    /// Rows with a gap between them.
    Padded,
    /// Neither stride is one.
    Apart,
    /// Both strides negative.
    Backwards,
    /// Rows that are one row (operands only).
    Repeated,
    /// Columns that are one column (operands only).
    Constant,
}
pub use Layout::*;

/// A matrix in a slice whose other elements are NaN.
#[derive(Debug, Clone)]
pub struct Matrix<T> {
    pub data: Vec<T>,
    pub offset: usize,
    pub shape: [usize; 2],
    pub strides: [isize; 2],
}

/// What surrounds a matrix.
pub const GUARD: usize = 5;

impl<T: Element> Matrix<T> {
    /// Numbers between -1 and 1.
    pub fn new(layout: Layout, shape: [usize; 2], seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Self::with(layout, shape, |_, _| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
        })
    }
    /// Element `(i, j)` is `f(i, j)`, row after row.
    pub fn with(layout: Layout, [rows, cols]: [usize; 2], mut f: impl FnMut(usize, usize) -> T) -> Self {
        let (r, c) = (rows as isize, cols as isize);
        let strides = match layout {
            Rows => [c, 1],
            Cols => [1, r],
            Padded => [c + 3, 1],
            Apart => [2 * c + 1, 2],
            Backwards => [-(c + 1), -1],
            Repeated => [0, 1],
            Constant => [1, 0],
        };
        let far = |n: usize, s: isize| n.saturating_sub(1) as isize * s;
        let span = far(rows, strides[0]).abs() + far(cols, strides[1]).abs();
        let first = GUARD as isize - far(rows, strides[0]).min(0) - far(cols, strides[1]).min(0);
        let mut x = Self {
            data: vec![T::NAN; span as usize + 1 + 2 * GUARD],
            offset: first as usize,
            shape: [rows, cols],
            strides,
        };
        for i in 0..rows {
            for j in 0..cols {
                let at = x.index(i, j);
                x.data[at] = f(i, j);
            }
        }
        x
    }
    /// Where element `(i, j)` lies in `data`.
    pub fn index(&self, i: usize, j: usize) -> usize {
        (self.offset as isize + i as isize * self.strides[0] + j as isize * self.strides[1]) as usize
    }
    /// Element `(i, j)`.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.data[self.index(i, j)].to_f64()
    }
    /// To read.
    pub fn view(&self) -> MatRef<'_, T> {
        let [r, c] = self.shape;
        MatRef::strided(&self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
    /// To write.
    pub fn view_mut(&mut self) -> MatMut<'_, T> {
        let [r, c] = self.shape;
        MatMut::strided(&mut self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
}

/// All layouts of what is read.
pub const OPERANDS: [Layout; 7] = [Rows, Cols, Padded, Apart, Backwards, Repeated, Constant];
/// All layouts of what is written.
pub const RESULTS: [Layout; 5] = [Rows, Cols, Padded, Apart, Backwards];
