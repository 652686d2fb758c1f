//! Prefetches the operands of the next panel of attention.

use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Lines of a matrix, to be prefetched one by one.
struct Lines<T> {
    x: *const T,
    row: isize,
    /// Elements of a row, and where the next line begins.
    cols: usize,
    at: usize,
    /// Rows that are left.
    rows: usize,
    /// Whether they will be written.
    write: bool,
}

/// Cache lines that are needed soon. Rows are too far apart for hardware prefetchers, and a CPU stalls when too many lines
/// are prefetched at once: they are issued between other work.
pub(super) struct Prefetch<T> {
    parts: [Option<Lines<T>>; 4],
    pub(super) lines: usize,
}

impl<T: Element> Prefetch<T> {
    pub(super) const fn nothing() -> Self {
        Self { parts: [const { None }; 4], lines: 0 }
    }

    fn push(&mut self, lines: Lines<T>, unit: bool) {
        if !unit || lines.rows == 0 || lines.cols == 0 {
            return;
        }
        if let Some(part) = self.parts.iter_mut().find(|p| p.is_none()) {
            self.lines += lines.rows * lines.cols.div_ceil(64 / size_of::<T>());
            *part = Some(lines);
        }
    }

    /// All of X will be read.
    pub(super) fn read(&mut self, x: MatRef<'_, T>) {
        let lines =
            Lines { x: x.ptr(), row: x.row_stride(), cols: x.cols(), at: 0, rows: x.rows(), write: false };
        self.push(lines, x.col_stride() == 1);
    }

    /// All of X will be written.
    pub(super) fn write(&mut self, x: MatMut<'_, T>) {
        let (row, cols, rows) = (x.row_stride(), x.cols(), x.rows());
        let lines = Lines { x: x.ptr(), row, cols, at: 0, rows, write: true };
        self.push(lines, x.col_stride() == 1);
    }

    /// Prefetches the next `n` lines.
    #[inline(always)]
    pub(super) fn next<S: Simd>(&mut self, s: S, n: usize) {
        for _ in 0..n {
            let [first, second, third, fourth] = &mut self.parts;
            let Some(part) = first.as_mut().or(second.as_mut()).or(third.as_mut()).or(fourth.as_mut()) else {
                return;
            };
            let at = part.x.wrapping_add(part.at);
            if part.write {
                T::Vec::<S>::claim(s, at.cast_mut());
            } else {
                T::Vec::<S>::prefetch(s, at);
            }
            part.at += 64 / size_of::<T>();
            if part.at < part.cols {
                continue;
            }
            (part.at, part.x, part.rows) = (0, part.x.wrapping_offset(part.row), part.rows - 1);
            if part.rows == 0
                && let Some(part) = self.parts.iter_mut().find(|p| p.is_some())
            {
                *part = None;
            }
        }
    }
}
