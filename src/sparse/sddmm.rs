//! SDDMM: the product of dense matrices, sampled at the pattern of a sparse one.

use super::Csr;
use crate::contract::{Call, contract};
use crate::error::{Error, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::view::MatRef;

/// Independent partial sums of a product.
pub(crate) const PARTS: usize = 16;

ops! { $ sddmm_ops in crate::sparse::sddmm;
    /// `values = α(XY) + β·values` where A stores elements: of a product of dense matrices what a sparse pattern samples. A's own values are not
    /// read; `values` has one for each of its elements, in their order.
    ///
    /// Shapes: X is `m` by `k`, Y `k` by `n`, of any strides, of which rows of X and columns of Y of neighbours are fast; A is `m` by `n`. A product has 16
    /// sums in turn, as far as whole sixteens go; halves of them are added, then what is left, one after the other. So the bits are the same on
    /// every instruction set and for any strides.
    ///
    /// NaN and ±0: `β = 0` writes `values` without reading them, `α = 0` reads neither X nor Y. Otherwise NaN and infinities spread by IEEE 754.
    ///
    /// Errors: [`Error::Shape`] names `y` or `a`, [`Error::Len`] `values`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, MatRef, sddmm};
    /// let a = Csr::new(2, 2, &[0, 1, 2], &[1, 0], &[0.0f32; 2])?;
    /// let (x, y, mut values) = ([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], [0.0; 2]);
    /// sddmm(1.0, MatRef::row_major(&x, 2, 2)?, MatRef::row_major(&y, 2, 2)?, a, 0.0, &mut values)?;
    /// assert_eq!(values, [100.0, 150.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/sddmm-v1.yaml`.
    serial sddmm, sddmm_on, sddmm_by (alpha: by T, x: mat T, y: mat T, a: csr T, beta: by T, values: inout T) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn sddmm_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    x: MatRef<'_, T>,
    y: MatRef<'_, T>,
    a: Csr<'_, T>,
    beta: T,
    values: &mut [T],
) -> Result<(), Error> {
    same_shape("y", [x.cols(), y.cols()], [y.rows(), y.cols()])?;
    same_shape("a", [x.rows(), y.cols()], [a.rows(), a.cols()])?;
    same_len("values", a.len(), values.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            let mut to = values.iter_mut();
            for (i, (columns, _)) in a.rows_from(0).enumerate() {
                let row = x.row_slice(i);
                for (c, to) in columns.iter().zip(to.by_ref()) {
                    let old = if beta == T::ZERO { T::ZERO } else { beta * *to };
                    *to = if alpha == T::ZERO { old } else { alpha * dot(row, x, y, [i, *c as usize]) + old };
                }
            }
        },
    );
    contract!(
        sddmm,
        Ok(()),
        each | check | {
            let nan = |x: Option<T>| x.is_some_and(|x| x.to_f64().is_nan());
            let rows =
                a.rows_from(0).enumerate().flat_map(|(i, (c, _))| c.iter().map(move |c| (i, *c as usize)));
            rows.zip(&*values).try_for_each(|((i, j), v)| {
                let odd = alpha != T::ZERO && (0..x.cols()).any(|p| nan(x.get(i, p)) || nan(y.get(p, j)));
                check(&Call::new(&[&[if odd { T::NAN } else { T::ZERO }]], &[*v]))
            })
        }
    )
}

/// A row of X, which may be one of neighbours, times a column of Y.
#[inline(always)]
fn dot<T: Element>(row: Option<&[T]>, x: MatRef<'_, T>, y: MatRef<'_, T>, [i, j]: [usize; 2]) -> T {
    let mut sums = [T::ZERO; PARTS];
    if let Some((row, column)) = row.zip(y.t().row_slice(j)) {
        let (row, last_row) = row.as_chunks::<PARTS>();
        let (column, last_column) = column.as_chunks::<PARTS>();
        for (row, column) in row.iter().zip(column) {
            for (sum, (x, y)) in sums.iter_mut().zip(row.iter().zip(column)) {
                *sum = *sum + *x * *y;
            }
        }
        return last_row.iter().zip(last_column).fold(halved(sums), |sum, (x, y)| sum + *x * *y);
    }
    let at = |p: usize| x.get(i, p).unwrap_or_default() * y.get(p, j).unwrap_or_default();
    let whole = x.cols() / PARTS * PARTS;
    for p in (0..whole).step_by(PARTS) {
        for (sum, p) in sums.iter_mut().zip(p..) {
            *sum = *sum + at(p);
        }
    }
    (whole..x.cols()).fold(halved(sums), |sum, p| sum + at(p))
}

/// The sum of all, halves added to halves.
#[inline(always)]
fn halved<T: Element>(sums: [T; PARTS]) -> T {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = sums;
    let (first, second) =
        (((a + i) + (e + m)) + ((c + k) + (g + o)), ((b + j) + (f + n)) + ((d + l) + (h + p)));
    first + second
}
