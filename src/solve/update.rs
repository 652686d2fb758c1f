//! Rank-1 updates and downdates of a Cholesky factor.

use super::{abs, divides, finite};
use crate::blas::Triangle;
use crate::contract::{Call, contract};
use crate::error::{Error, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

ops! { $ update_ops in crate::solve::update;
    /// The factor of `LLᵀ + xxᵀ`, or with `down` of `LLᵀ - xxᵀ`, over L, in `n²` steps instead of `n³/3`. `x` is overwritten.
    ///
    /// Shapes: L is `n` by `n`, of any strides, as [`cholesky`](crate::cholesky()) leaves it: its other triangle is neither read nor written; `x` has `n`
    /// elements. The result is the factor of a matrix that differs from that by a small multiple of `n·u·(|L||Lᵀ| + |x||xᵀ|)`.
    ///
    /// NaN and ±0: NaN and infinities are refused. The diagonal that comes is not negative where that of L is positive.
    ///
    /// Errors: [`Error::Shape`] names `l`; [`Error::Len`] `x`; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity; [`Error::Pivot`] with the
    /// index of the first zero on the diagonal: nothing is written then. [`Error::Pivot`] with the order, `n`, when `LLᵀ - xxᵀ` is not positive definite to
    /// working precision: L is as it was, `x` of no use. Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, cholesky_update};
    /// let (mut l, mut x) = ([3.0f64, 0.0, 0.0, 1.0], [4.0, 0.0]);
    /// cholesky_update(false, MatMut::row_major(&mut l, 2, 2)?, &mut x)?;
    /// assert_eq!(l, [5.0, 0.0, 0.0, 1.0]);
    /// cholesky_update(true, MatMut::row_major(&mut l, 2, 2)?, &mut [4.0, 0.0])?;
    /// assert!((l[0] - 3.0).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: P. Gill, G. Golub, W. Murray, M. Saunders, "Methods for Modifying Matrix Factorizations" (1974); the other way: J. Dongarra, C. Moler, J. Bunch,
    /// G. Stewart, "LINPACK Users' Guide", chapter 10. Contract: `contracts/cholesky_update-v1.yaml`.
    serial cholesky_update, cholesky_update_on, cholesky_update_by (down: by bool, l: mat_inout T, x: inout T) -> Result<()>;
}

/// Columns whose turns are made together, so that a row is read and written once for all of them.
pub(crate) const GROUP: usize = 8;

/// The elements of row `i` in these columns, as a slice.
#[inline(always)]
fn turned<T: Element>(l: &mut MatMut<'_, T>, i: usize, [from, to]: [usize; 2], f: impl FnOnce(&mut [T])) {
    if let Some(row) = l.row_slice_mut(i) {
        return f(row.get_mut(from..to).unwrap_or_default());
    }
    let mut scratch = [T::ZERO; GROUP];
    let row = scratch.get_mut(..to - from).unwrap_or_default();
    row.iter_mut().zip(from..).for_each(|(to, k)| *to = l.get(i, k).unwrap_or_default());
    f(row);
    row.iter().zip(from..).for_each(|(x, k)| _ = l.set(i, k, *x));
}

/// The cosine and the sine that turn `(f, g)` into its length, and that.
fn turn<T: Element>(f: T, g: T) -> [T; 3] {
    if g == T::ZERO {
        return [T::ONE, T::ZERO, f];
    }
    let (x, y) = (f.to_f64(), g.to_f64());
    let square = x * x + y * y;
    // Where squares are neither subnormal nor infinite, which is nearly everywhere, that is a fifth of the time.
    let r = if square > 1e-280 && square < 1e300 { libm::sqrt(square) } else { libm::hypot(x, y) };
    [T::from_f64(f.to_f64() / r), T::from_f64(g.to_f64() / r), T::from_f64(r)]
}

pub(crate) fn cholesky_update_by<S: Simd, T: Element>(
    _: S,
    down: bool,
    mut l: MatMut<'_, T>,
    x: &mut [T],
) -> Result<(), Error> {
    let n = l.rows();
    same_shape("l", [n, n], [n, l.cols()])?;
    same_len("x", n, x.len())?;
    finite("l", l.as_ref(), Some(Triangle::Lower))?;
    finite("x", MatRef::packed(x, 1, n), None)?;
    divides("l", l.as_ref())?;
    if down {
        downdate(l.reborrow(), x)?;
    } else {
        for from in (0..n).step_by(GROUP) {
            let (to, mut turns) = (n.min(from + GROUP), [[T::ONE, T::ZERO]; GROUP]);
            for i in from..n {
                let Some(g) = x.get_mut(i) else { continue };
                let cols = to.min(i);
                turned(&mut l, i, [from, cols], |row| {
                    for (a, [c, s]) in row.iter_mut().zip(&turns) {
                        (*a, *g) = (*c * *a + *s * *g, *c * *g - *s * *a);
                    }
                });
                if i < to {
                    let Some(d) = l.get(i, i) else { continue };
                    let [c, s, r] = turn(d, *g);
                    l.set(i, i, abs(r));
                    if let Some(to) = turns.get_mut(i - from) {
                        *to = if r < T::ZERO { [-c, -s] } else { [c, s] };
                    }
                }
            }
        }
    }
    contract!(
        cholesky_update,
        Ok(()),
        each | check | {
            let mut diagonal = (0..n).filter_map(|i| l.get(i, i));
            diagonal.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
        }
    )
}

/// Rotations from the last row up that make of `(L⁻¹x, √(1 - |L⁻¹x|²))` a unit vector: they make of L the factor, and of zeros x.
fn downdate<T: Element>(mut l: MatMut<'_, T>, x: &mut [T]) -> Result<(), Error> {
    let n = l.rows();
    let mut norm = 0.0f64;
    for i in 0..n {
        let (done, rest) = x.split_at_mut_checked(i).unwrap_or_default();
        let Some(to) = rest.first_mut() else { continue };
        let sum = done.iter().enumerate().fold(*to, |sum, (j, p)| sum - l.get(i, j).unwrap_or_default() * *p);
        *to = sum / l.get(i, i).unwrap_or(T::ONE);
        norm = libm::hypot(norm, to.to_f64());
    }
    let short = (1.0 - norm) * (1.0 + norm);
    let definite = short > 0.0;
    if !definite {
        return Err(Error::pivot("l", n));
    }
    let mut alpha = T::from_f64(libm::sqrt(short));
    // The turns, from the last: (alpha, x[k]) becomes its length. Column k of the factor is turned against what is added up of those behind it, row by
    // row: that lies over x from k on, as its place is known then.
    let mut to = n;
    while to > 0 {
        let (from, mut turns) = ((to - 1) / GROUP * GROUP, [[T::ONE, T::ZERO]; GROUP]);
        for (turned, p) in turns.iter_mut().zip(x.get(from..to).unwrap_or_default()).rev() {
            let [c, s, r] = turn(alpha, *p);
            (alpha, *turned) = (r, [c, s]);
        }
        for (i, x) in x.iter_mut().enumerate().skip(from) {
            let mut carried = if i < to { T::ZERO } else { *x };
            turned(&mut l, i, [from, to.min(i + 1)], |row| {
                for (a, [c, s]) in row.iter_mut().zip(&turns).rev() {
                    (*a, carried) = (*c * *a - *s * carried, *c * carried + *s * *a);
                }
            });
            *x = carried;
        }
        to = from;
    }
    for k in 0..n {
        if l.get(k, k).is_some_and(|d| d < T::ZERO) {
            (k..n).for_each(|i| _ = l.get(i, k).map(|a| l.set(i, k, -a)));
        }
    }
    Ok(())
}
