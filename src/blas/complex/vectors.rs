//! Vectors, and a matrix with a vector.

use super::{conjugated, scaled};
use crate::complex::Complex;
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, same_len};
use crate::lanes::fold::Join;
use crate::lanes::{Element, Simd};
use crate::nn::forms;
use crate::view::{MatRef, VecMut, VecRef};

forms! {
    /// `Σ x[i]·y[i]`, or `Σ conj(x[i])·y[i]`: `dotu` and `dotc` of BLAS.
    ///
    /// Shapes: two vectors of one length, any strides; the sum of nothing is 0.
    ///
    /// NaN and ±0: as sums of the products' parts. 16 partial sums, each in the order of the vector.
    ///
    /// Errors: [`Error::Len`] when `y` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, VecRef, dot_complex};
    /// let x = [Complex::new(1.0f32, 2.0), Complex::I];
    /// let x = VecRef::from(&x[..]);
    /// assert_eq!(dot_complex(true, x, x)?, Complex::new(6.0, 0.0));
    /// assert_eq!(dot_complex(false, x, x)?, Complex::new(-4.0, 4.0));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1. Contract: `contracts/dot_complex-v1.yaml`.
    dot_complex, dot_complex_on, dot_complex_by
        (conjugate: bool, x: VecRef<'_, Complex<T>>, y: VecRef<'_, Complex<T>>) -> Result<Complex<T>, Error>;
    /// `y[i] = αx[i] + y[i]`.
    ///
    /// Shapes: two vectors of one length, any strides.
    ///
    /// NaN and ±0: as the formula, also with α = 0.
    ///
    /// Errors: [`Error::Len`] when `y` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, VecMut, VecRef, axpy_complex};
    /// let (x, mut y) = ([Complex::new(1.0f32, 2.0)], [Complex::ONE]);
    /// axpy_complex(Complex::I, VecRef::from(&x[..]), VecMut::from(&mut y[..]))?;
    /// assert_eq!(y, [Complex::new(-1.0, 1.0)]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1. Contract: `contracts/axpy_complex-v1.yaml`.
    axpy_complex, axpy_complex_on, axpy_complex_by
        (alpha: Complex<T>, x: VecRef<'_, Complex<T>>, y: VecMut<'_, Complex<T>>) -> Result<(), Error>;
    /// `y = α·op(A)·x + βy`, where `op` conjugates or does nothing.
    ///
    /// Shapes: A is `m` by `n` with any strides, `x` has `n` numbers and `y` has `m`. Fast are rows or columns of A whose numbers follow
    /// each other, with vectors whose do.
    ///
    /// NaN and ±0: `β = 0` writes `y` without reading it, `α = 0` reads neither A nor `x`; a real β multiplies each part.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, MatRef, VecMut, VecRef, gemv_complex};
    /// let a = [Complex::ONE, Complex::I];
    /// let x = [Complex::new(2.0f32, 0.0), Complex::new(0.0, 3.0)];
    /// let mut y = [Complex::ZERO];
    /// let (a, x) = (MatRef::row_major(&a, 1, 2)?, VecRef::from(&x[..]));
    /// gemv_complex(Complex::ONE, a, true, x, Complex::ZERO, VecMut::from(&mut y[..]))?;
    /// assert_eq!(y, [Complex::new(5.0, 0.0)]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 2. Contract: `contracts/gemv_complex-v1.yaml`.
    gemv_complex, gemv_complex_on, gemv_complex_by
        (alpha: Complex<T>, a: MatRef<'_, Complex<T>>, conjugate: bool, x: VecRef<'_, Complex<T>>, beta: Complex<T>, y: VecMut<'_, Complex<T>>) -> Result<(), Error>;
}

/// Numbers that a vector's loop takes at a time.
pub(crate) const TOGETHER: usize = 16;

/// `Σ x·y`, or of conjugates of `x`, of numbers that follow each other.
#[inline(always)]
fn products<T: Element>(conjugate: bool, x: &[Complex<T>], y: &[Complex<T>]) -> Complex<T> {
    // Products of parts that are alike, and of those that are not, in the order of the parts of `x`.
    let (mut alike, mut across) = ([[T::ZERO; 2]; TOGETHER], [[T::ZERO; 2]; TOGETHER]);
    let (xs, rest) = x.as_chunks::<TOGETHER>();
    let (ys, last) = y.as_chunks::<TOGETHER>();
    for (x, y) in xs.iter().zip(ys) {
        for (((p, q), x), y) in alike.iter_mut().zip(&mut across).zip(x).zip(y) {
            *p = [p[0] + x.re * y.re, p[1] + x.im * y.im];
            *q = [q[0] + x.re * y.im, q[1] + x.im * y.re];
        }
    }
    for (((p, q), x), y) in alike.iter_mut().zip(&mut across).zip(rest).zip(last) {
        *p = [p[0] + x.re * y.re, p[1] + x.im * y.im];
        *q = [q[0] + x.re * y.im, q[1] + x.im * y.re];
    }
    let total = |x: &[[T; 2]]| x.iter().fold([T::ZERO; 2], |s, x| [s[0] + x[0], s[1] + x[1]]);
    let ([rr, ii], [ri, ir]) = (total(&alike), total(&across));
    if conjugate { Complex::new(rr + ii, ri - ir) } else { Complex::new(rr - ii, ri + ir) }
}

pub(crate) fn dot_complex_by<J: Join, S: Simd, T: Element>(
    _: J,
    s: S,
    conjugate: bool,
    x: VecRef<'_, Complex<T>>,
    y: VecRef<'_, Complex<T>>,
) -> Result<Complex<T>, Error> {
    same_len("y", x.len(), y.len())?;
    let sum = match (x.as_slice(), y.as_slice()) {
        (Some(x), Some(y)) => s.vectorize(
            #[inline(always)]
            || products(conjugate, x, y),
        ),
        _ => pairs(x, y).fold(Complex::ZERO, |sum, (x, y)| sum + conjugated(conjugate, x) * y),
    };
    contract!(
        dot_complex,
        Ok(sum),
        each | check | {
            let nan = pairs(x, y).any(|(x, y)| is_nan(x) || is_nan(y));
            seen(nan, sum, &check)
        }
    )
}

fn pairs<'a, T: Element>(
    x: VecRef<'a, Complex<T>>,
    y: VecRef<'a, Complex<T>>,
) -> impl Iterator<Item = (Complex<T>, Complex<T>)> + 'a {
    (0..x.len()).filter_map(move |i| Some((x.get(i)?, y.get(i)?)))
}

pub(super) fn is_nan<T: Element>(z: Complex<T>) -> bool {
    z.re.to_f64().is_nan() || z.im.to_f64().is_nan()
}

/// A call of the contract: where `nan`, a part of `y` is NaN.
pub(super) fn seen<T: Element>(
    nan: bool,
    y: Complex<T>,
    check: &impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let x = [if nan { T::NAN } else { T::ZERO }];
    check(&Call::new(&[&x], &[if y.re.to_f64().is_nan() { y.re } else { y.im }]))
}

/// `y += αx` of numbers that follow each other.
#[inline(always)]
fn add<T: Element>(alpha: Complex<T>, conjugate: bool, x: &[Complex<T>], y: &mut [Complex<T>]) {
    for (y, x) in y.iter_mut().zip(x) {
        let im = if conjugate { -x.im } else { x.im };
        *y = Complex::new(alpha.re * x.re - alpha.im * im + y.re, alpha.re * im + alpha.im * x.re + y.im);
    }
}

pub(crate) fn axpy_complex_by<J: Join, S: Simd, T: Element>(
    _: J,
    s: S,
    alpha: Complex<T>,
    x: VecRef<'_, Complex<T>>,
    mut y: VecMut<'_, Complex<T>>,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    match (x.as_slice(), y.as_mut_slice()) {
        (Some(x), Some(y)) => s.vectorize(
            #[inline(always)]
            || add(alpha, false, x, y),
        ),
        _ => {
            for i in 0..y.len() {
                let (x, old) = (x.get(i).unwrap_or_default(), y.get(i).unwrap_or_default());
                y.set(i, alpha * x + old);
            }
        }
    }
    contract!(
        axpy_complex,
        Ok(()),
        each | check | {
            pairs(x, y.as_ref()).try_for_each(|(x, y)| seen(is_nan(x) || is_nan(alpha), y, &check))
        }
    )
}

#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemv_complex_by<J: Join, S: Simd, T: Element>(
    _: J,
    s: S,
    alpha: Complex<T>,
    a: MatRef<'_, Complex<T>>,
    conjugate: bool,
    x: VecRef<'_, Complex<T>>,
    beta: Complex<T>,
    mut y: VecMut<'_, Complex<T>>,
) -> Result<(), Error> {
    same_len("x", a.cols(), x.len())?;
    same_len("y", a.rows(), y.len())?;
    scaled(beta, y.reborrow().as_col());
    let unread = alpha == Complex::ZERO;
    let columns = a.row_stride() == 1 && a.col_stride() != 1;
    match (x.as_slice(), y.as_mut_slice()) {
        _ if unread => {}
        (Some(x), Some(y)) if columns => s.vectorize(
            #[inline(always)]
            || {
                for (j, x) in x.iter().enumerate() {
                    let column = a.t().row_slice(j).unwrap_or_default();
                    add(alpha * *x, conjugate, column, y);
                }
            },
        ),
        (Some(x), Some(y)) if a.parts().is_some() => s.vectorize(
            #[inline(always)]
            || {
                for (i, y) in y.iter_mut().enumerate() {
                    *y += alpha * products(conjugate, a.row_slice(i).unwrap_or_default(), x);
                }
            },
        ),
        _ => {
            for i in 0..a.rows() {
                let terms =
                    (0..a.cols()).filter_map(|j| Some(conjugated(conjugate, a.get(i, j)?) * x.get(j)?));
                let sum = terms.fold(Complex::ZERO, |sum, z| sum + z);
                y.set(i, y.get(i).unwrap_or_default() + alpha * sum);
            }
        }
    }
    contract!(
        gemv_complex,
        Ok(()),
        each | check | {
            let all = is_nan(alpha) && a.cols() > 0 || (0..x.len()).any(|j| x.get(j).is_some_and(is_nan));
            let rows = if unread { 0 } else { a.rows() };
            (0..rows).try_for_each(|i| {
                let nan = all || (0..a.cols()).any(|j| a.get(i, j).is_some_and(is_nan));
                y.get(i).map_or(Ok(()), |y| seen(nan, y, &check))
            })
        }
    )
}
