//! Splits the operands of an op by rows, together, and runs the parts serially or on several threads.

use crate::error::{Error, not_empty};
use crate::lanes::executor::Executor;
use crate::lanes::inout::InOut;
use crate::lanes::{Element, Simd};
use core::ops::Range;

/// Something that consists of rows.
pub(crate) trait Parts: Send + Sized {
    /// Whole rows.
    fn rows(&self) -> usize;
    /// The first `rows`, and the others.
    fn split(self, rows: usize) -> (Self, Self);
}

/// Rows of so many elements that are read.
pub(crate) struct Read<'a, T>(pub(crate) &'a [T], pub(crate) usize);

impl<T: Sync> Parts for Read<'_, T> {
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.len().checked_div(self.1).unwrap_or(0)
    }
    #[inline(always)]
    fn split(self, rows: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at_checked(rows * self.1).unwrap_or((self.0, &[]));
        (Self(a, self.1), Self(b, self.1))
    }
}

/// Rows of so many elements that are written.
pub(crate) struct Write<'a, T>(pub(crate) &'a mut [T], pub(crate) usize);

impl<T: Send> Parts for Write<'_, T> {
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.len().checked_div(self.1).unwrap_or(0)
    }
    #[inline(always)]
    fn split(self, rows: usize) -> (Self, Self) {
        let at = (rows * self.1).min(self.0.len());
        let (a, b) = self.0.split_at_mut(at);
        (Self(a, self.1), Self(b, self.1))
    }
}

/// The numbers of the rows.
#[derive(Debug, Clone)]
pub(crate) struct Count(pub(crate) Range<usize>);

impl Parts for Count {
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split(self, rows: usize) -> (Self, Self) {
        let at = (self.0.start + rows).min(self.0.end);
        (Self(self.0.start..at), Self(at..self.0.end))
    }
}

/// Rows of so many elements that are read and written, perhaps to the same place.
pub(crate) struct Change<'a, T>(pub(crate) InOut<'a, T>, pub(crate) usize);

impl<T: Element> Parts for Change<'_, T> {
    #[inline(always)]
    fn rows(&self) -> usize {
        self.0.len().checked_div(self.1).unwrap_or(0)
    }
    #[inline(always)]
    fn split(self, rows: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at(rows * self.1);
        (Self(a, self.1), Self(b, self.1))
    }
}

macro_rules! tuples {
    ($($P:ident $p:ident $q:ident),*) => {
        impl<$($P: Parts),*> Parts for ($($P,)*) {
            #[inline(always)]
            fn rows(&self) -> usize {
                // Callers check that all have as many.
                self.0.rows()
            }
            #[inline(always)]
            fn split(self, rows: usize) -> (Self, Self) {
                let ($($p,)*) = self;
                $(let ($p, $q) = $p.split(rows);)*
                (($($p,)*), ($($q,)*))
            }
        }
    };
}
tuples!(A a x, B b y);
tuples!(A a x, B b y, C c z);
tuples!(A a x, B b y, C c z, D d w);

/// Elements in a cache line, at most: what aligning a workspace may cost.
pub(crate) const LINE: usize = 16;

/// A workspace from its first whole cache line on: vectors of a packed panel don't cross lines.
#[inline]
pub(crate) fn aligned<T>(workspace: &mut [T]) -> &mut [T] {
    let skip = workspace.as_ptr().align_offset(64).min(LINE);
    workspace.get_mut(skip..).unwrap_or_default()
}

/// Elements that one thread takes at a time, as long as there is more than one row.
pub(crate) const GRAIN: usize = 32768;

/// Runs `row` on each row of `parts`, of about `cols` elements. Mark the closure `#[inline(always)]`: what is apart has not
/// the lanes' instructions.
pub(crate) fn each_row<J: Executor, S: Simd, P: Parts>(
    j: J,
    s: S,
    cols: usize,
    mut parts: P,
    row: impl Fn(P) + Copy + Sync,
) {
    let rows = parts.rows();
    let n = rows.saturating_mul(cols);
    if !J::SERIAL && rows > 1 && n > GRAIN {
        let (a, b) = parts.split(rows / 2);
        j.join(n, || each_row(j, s, cols, a, row), || each_row(j, s, cols, b, row));
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            for _ in 0..rows {
                let (one, rest) = parts.split(1);
                row(one);
                parts = rest;
            }
        },
    );
}

/// The number of rows in the argument `arg` of `len` elements, which must be whole.
#[inline]
pub(crate) fn count(arg: &'static str, len: usize, cols: usize) -> Result<usize, Error> {
    not_empty("cols", cols)?;
    if len.is_multiple_of(cols) { Ok(len / cols) } else { Err(Error::rows(arg, cols, len)) }
}
