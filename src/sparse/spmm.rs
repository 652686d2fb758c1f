//! Sparse times dense, `Y = αAX + βY` (SpMM).

use super::Csr;
use super::spmv::{Cut, axpby, divide};
use crate::contract::{Call, contract, nan};
use crate::error::{Error, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// Columns of Y whose sums are registers: two of 16 elements, and more of fewer.
pub(crate) const WIDE: usize = 32;
/// Columns of Y where fewer than [`WIDE`] are left.
pub(crate) const NARROW: usize = 8;

ops! { $ spmm_ops in crate::sparse::spmm;
    /// `Y = αAX + βY` for a sparse A and dense X and Y.
    ///
    /// Shapes: X has as many rows as A columns, Y as many rows as A and as many columns as X; any strides, of which rows of neighbours are
    /// fast. Each element of Y is one sum, in the order of the elements of A's row. So the bits are the same on every instruction set, for any
    /// strides, and at any number of threads, which have whole rows, about as many elements of A each.
    ///
    /// NaN and ±0: `β = 0` writes Y without reading it, `α = 0` reads neither A nor X, and a row without elements is 0.
    /// Otherwise NaN and infinities spread by IEEE 754, also through a stored 0.
    ///
    /// Errors: [`Error::Shape`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, MatMut, MatRef, spmm};
    /// let a = Csr::new(2, 2, &[0, 1, 3], &[1, 0, 1], &[2.0f32, 3.0, 4.0])?;
    /// let (x, mut y) = ([10.0, 1.0, 100.0, 2.0], [0.0; 4]);
    /// spmm(1.0, a, MatRef::row_major(&x, 2, 2)?, 0.0, MatMut::row_major(&mut y, 2, 2)?)?;
    /// assert_eq!(y, [200.0, 4.0, 430.0, 11.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/spmm-v1.yaml`.
    threads spmm, spmm_on, spmm_by (alpha: by T, a: csr T, x: mat T, beta: by T, y: mat_inout T) -> Result<()>;
}

impl<T: Element> Cut for MatMut<'_, T> {
    #[inline(always)]
    fn rows(&self) -> usize {
        MatMut::rows(self)
    }
    #[inline(always)]
    fn cut(self, at: usize) -> Option<(Self, Self)> {
        self.split_rows(at).ok()
    }
}

pub(crate) fn spmm_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: Csr<'_, T>,
    x: MatRef<'_, T>,
    beta: T,
    mut y: MatMut<'_, T>,
) -> Result<(), Error> {
    let n = x.cols();
    same_shape("x", [a.cols(), n], [x.rows(), n])?;
    same_shape("y", [a.rows(), n], [y.rows(), y.cols()])?;
    divide(j, a, n, y.reborrow(), 0, &|y, first| {
        s.vectorize(
            #[inline(always)]
            || rows(alpha, a, x, beta, y, first),
        )
    });
    contract!(
        spmm,
        Ok(()),
        each | check | {
            let all = (0..y.rows()).flat_map(|i| (0..n).map(move |j| (i, j)));
            all.filter_map(|(i, j)| Some((i, j, y.get(i, j)?))).try_for_each(|(i, j, y)| {
                let (columns, values) = a.row(i);
                let of = |(c, v): (&u32, &T)| nan(*v) || matches!(x.get(*c as usize, j), Some(x) if nan(x));
                let input = alpha != T::ZERO && columns.iter().zip(values).any(of);
                check(&Call::new(&[&[if input { T::NAN } else { T::ZERO }]], &[y]))
            })
        }
    )
}

#[inline(always)]
fn rows<T: Element>(alpha: T, a: Csr<'_, T>, x: MatRef<'_, T>, beta: T, mut y: MatMut<'_, T>, first: usize) {
    let n = x.cols();
    let one = |sum: T, y: T| axpby(alpha, sum, beta, y);
    let side_by_side = x.col_stride() == 1 || n <= 1;
    for (i, row) in a.rows_from(first).take(y.rows()).enumerate() {
        let row = if alpha == T::ZERO { (&[][..], &[][..]) } else { row };
        match y.row_slice_mut(i).filter(|_| side_by_side) {
            Some(y) => {
                let (wide, rest) = y.as_chunks_mut::<WIDE>();
                for (k, y) in wide.iter_mut().enumerate() {
                    tile(row, x, k * WIDE, y, one);
                }
                let from = n / WIDE * WIDE;
                let (narrow, rest) = rest.as_chunks_mut::<NARROW>();
                for (k, y) in narrow.iter_mut().enumerate() {
                    tile(row, x, from + k * NARROW, y, one);
                }
                let from = n / NARROW * NARROW;
                for (k, y) in rest.iter_mut().enumerate() {
                    tile(row, x, from + k, core::array::from_mut(y), one);
                }
            }
            None => {
                for j in 0..n {
                    let of =
                        |sum: T, (c, v): (&u32, &T)| sum + *v * x.get(*c as usize, j).unwrap_or_default();
                    let sum = row.0.iter().zip(row.1).fold(T::ZERO, of);
                    let old = y.get(i, j).unwrap_or_default();
                    y.set(i, j, one(sum, old));
                }
            }
        }
    }
}

/// Columns from `at` on of one row of Y.
#[inline(always)]
fn tile<T: Element, const W: usize>(
    (columns, values): (&[u32], &[T]),
    x: MatRef<'_, T>,
    at: usize,
    y: &mut [T; W],
    one: impl Fn(T, T) -> T,
) {
    let mut sums = [T::ZERO; W];
    for (c, v) in columns.iter().zip(values) {
        let Some(x) = x.row_slice(*c as usize).and_then(|x| x.get(at..)?.first_chunk::<W>()) else {
            continue;
        };
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum = *sum + *v * *x;
        }
    }
    for (y, sum) in y.iter_mut().zip(sums) {
        *y = one(sum, *y);
    }
}
