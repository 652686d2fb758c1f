//! Complex BLAS level 1 (`axpy`, `dotu`, `dotc`, `nrm2`, `asum`, `scal`), and the complex matrix-vector product.

use super::{conjugated, scaled};
use crate::blas::gemv::gemv_by;
use crate::complex::Complex;
use crate::contract::{Call, Violation, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::view::{MatRef, VecMut, VecRef};

ops! { $ vectors_ops in crate::blas::complex::vectors;
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
    serial dot_complex, dot_complex_on, dot_complex_by (conjugate: by bool, x: vec Complex<T>, y: vec Complex<T>) -> Result<Complex<T> >;

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
    serial axpy_complex, axpy_complex_on, axpy_complex_by (alpha: by Complex<T>, x: vec Complex<T>, y: vec_inout Complex<T>) -> Result<()>;

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
    serial gemv_complex, gemv_complex_on, gemv_complex_by
        (alpha: by Complex<T>, a: mat Complex<T>, conjugate: by bool, x: vec Complex<T>, beta: by Complex<T>, y: vec_inout Complex<T>) -> Result<()>;

    /// `x[i] = αx[i]`: with a real α each part times it, as `csscal` of BLAS, else as `cscal`.
    ///
    /// Shapes: a vector of any stride.
    ///
    /// NaN and ±0: as the formula; α = 0 keeps NaN, and makes it of an infinity.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, VecMut, scal_complex};
    /// let mut x = [Complex::new(1.0f32, 2.0)];
    /// scal_complex(Complex::I, VecMut::from(&mut x[..]));
    /// assert_eq!(x, [Complex::new(-2.0, 1.0)]);
    /// ```
    ///
    /// Source: BLAS level 1. Contract: `contracts/scal_complex-v1.yaml`.
    serial scal_complex, scal_complex_on, scal_complex_by (alpha: by Complex<T>, x: vec_inout Complex<T>);

    /// `√(Σ re² + im²)`, without overflow or underflow on the way: `scnrm2` of BLAS.
    ///
    /// Shapes: a vector of any stride; 0 for nothing. Where its numbers follow each other, the bits of [`nrm2`](crate::nrm2()) of their parts.
    ///
    /// NaN and ±0: NaN when any part is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, VecRef, nrm2_complex};
    /// assert_eq!(nrm2_complex(VecRef::from(&[Complex::new(3e30f32, -4e30)][..])), 5e30);
    /// ```
    ///
    /// Source: BLAS level 1; as [`nrm2`](crate::nrm2()). Contract: `contracts/nrm2_complex-v1.yaml`.
    serial nrm2_complex, nrm2_complex_on, nrm2_complex_by (x: vec Complex<T>) -> T;

    /// `Σ |re| + |im|`: `scasum` of BLAS, no sum of magnitudes.
    ///
    /// Shapes: a vector of any stride; 0 for nothing. Where its numbers follow each other, the bits of [`asum`](crate::asum()) of their parts.
    ///
    /// NaN and ±0: NaN when any part is NaN, else +inf when any is infinite.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, VecRef, asum_complex};
    /// assert_eq!(asum_complex(VecRef::from(&[Complex::new(3.0f32, -4.0)][..])), 7.0);
    /// ```
    ///
    /// Source: BLAS level 1. Contract: `contracts/asum_complex-v1.yaml`.
    serial asum_complex, asum_complex_on, asum_complex_by (x: vec Complex<T>) -> T;
}

/// Numbers that a vector's loop takes at a time.
pub(crate) const TOGETHER: usize = 16;

/// Sums, each with the products of one number's parts more.
#[inline(always)]
fn meet<T: Element>(
    alike: &mut [[T; 2]; TOGETHER],
    across: &mut [[T; 2]; TOGETHER],
    x: &[Complex<T>],
    y: &[Complex<T>],
) {
    for (((p, q), x), y) in alike.iter_mut().zip(across).zip(x).zip(y) {
        *p = [p[0] + x.re * y.re, p[1] + x.im * y.im];
        *q = [q[0] + x.re * y.im, q[1] + x.im * y.re];
    }
}

/// `Σ x·y`, or of conjugates of `x`, of numbers that follow each other.
#[inline(always)]
fn products<T: Element>(conjugate: bool, x: &[Complex<T>], y: &[Complex<T>]) -> Complex<T> {
    // Products of parts that are alike, and of those that are not, in the order of the parts of `x`.
    let (mut alike, mut across) = ([[T::ZERO; 2]; TOGETHER], [[T::ZERO; 2]; TOGETHER]);
    let (xs, rest) = x.as_chunks::<TOGETHER>();
    let (ys, last) = y.as_chunks::<TOGETHER>();
    for (x, y) in xs.iter().zip(ys) {
        meet(&mut alike, &mut across, x, y);
    }
    meet(&mut alike, &mut across, rest, last);
    let total = |x: &[[T; 2]]| x.iter().fold([T::ZERO; 2], |s, x| [s[0] + x[0], s[1] + x[1]]);
    let ([rr, ii], [ri, ir]) = (total(&alike), total(&across));
    if conjugate { Complex::new(rr + ii, ri - ir) } else { Complex::new(rr - ii, ri + ir) }
}

pub(crate) fn dot_complex_by<S: Simd, T: Element>(
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

pub(crate) fn axpy_complex_by<S: Simd, T: Element>(
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

/// Columns of A at a time, whose factors are as many numbers twice.
pub(crate) const COLUMNS: usize = 128;
/// Rows of A at a time, which are read twice.
pub(crate) const ROWS: usize = 16;

/// `y += α·op(A)·x` by two products of real numbers: a row of A is one of `re, im, re, im, …`, which multiplies one vector for the
/// real part of a sum and another for the imaginary one.
fn by_rows<S: Simd, T: Element>(
    s: S,
    alpha: Complex<T>,
    a: MatRef<'_, Complex<T>>,
    conjugate: bool,
    x: &[Complex<T>],
    y: &mut [Complex<T>],
) -> Result<(), Error> {
    let (mut real, mut imaginary) = ([[T::ZERO; 2]; COLUMNS], [[T::ZERO; 2]; COLUMNS]);
    for (i, y) in y.chunks_mut(ROWS).enumerate() {
        let mut sums = [[T::ZERO; ROWS]; 2];
        for (j, x) in x.chunks(COLUMNS).enumerate() {
            for ((re, im), x) in real.iter_mut().zip(&mut imaginary).zip(x) {
                (*re, *im) =
                    if conjugate { ([x.re, x.im], [x.im, -x.re]) } else { ([x.re, -x.im], [x.im, x.re]) };
            }
            let Some(a) = a.block([ROWS * i, COLUMNS * j], [y.len(), x.len()]).parts() else { continue };
            for (factors, sums) in [&real, &imaginary].into_iter().zip(&mut sums) {
                let factors = factors.as_flattened().get(..2 * x.len()).unwrap_or_default();
                let sums = sums.get_mut(..y.len()).unwrap_or_default();
                gemv_by(Serial, s, T::ONE, a, factors.into(), T::ONE, sums.into())?;
            }
        }
        let [re, im] = sums;
        for (y, (re, im)) in y.iter_mut().zip(re.into_iter().zip(im)) {
            *y += alpha * Complex::new(re, im);
        }
    }
    Ok(())
}

#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn gemv_complex_by<S: Simd, T: Element>(
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
        (Some(x), Some(y)) if a.parts().is_some() => by_rows(s, alpha, a, conjugate, x, y)?,
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

pub(crate) fn scal_complex_by<S: Simd, T: Element>(s: S, alpha: Complex<T>, mut x: VecMut<'_, Complex<T>>) {
    let real = alpha.im == T::ZERO;
    let times = |z: Complex<T>| if real { z.scale(alpha.re) } else { alpha * z };
    match x.as_mut_slice() {
        Some(x) => s.vectorize(
            #[inline(always)]
            || x.iter_mut().for_each(|z| *z = times(*z)),
        ),
        None => {
            for i in 0..x.len() {
                x.set(i, times(x.get(i).unwrap_or_default()));
            }
        }
    }
    let checked: Result<(), Error> = contract!(
        scal_complex,
        Ok(()),
        each | check | {
            let mut all = (0..x.len()).filter_map(|i| x.get(i));
            all.try_for_each(|z| seen(is_nan(alpha), z, &check))
        }
    );
    debug_assert!(checked.is_ok());
}

/// What `f` gives of the parts of the numbers, or what `both` makes of the parts by themselves, where others lie between.
fn of_parts<T: Element>(
    x: VecRef<'_, Complex<T>>,
    f: impl Fn(VecRef<'_, T>) -> T,
    both: impl Fn([T; 2]) -> T,
) -> T {
    if let Some(x) = x.as_slice() {
        return f(VecRef::from(Complex::parts(x)));
    }
    let parts = x.as_col().parts();
    both([0, 1].map(|p| parts.and_then(|parts| parts.col(p).ok()).map_or(T::ZERO, &f)))
}

/// Whether a NaN among the numbers is one in what is made of all.
fn told<T: Element>(
    x: VecRef<'_, Complex<T>>,
    result: T,
    check: &impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    seen((0..x.len()).any(|i| x.get(i).is_some_and(is_nan)), result.into(), check)
}

pub(crate) fn nrm2_complex_by<S: Simd, T: Element>(s: S, x: VecRef<'_, Complex<T>>) -> T {
    let f = |x: VecRef<'_, T>| crate::nrm2_on(s, x);
    let norm = of_parts(x, f, |both| f(VecRef::from(&both[..])));
    let checked: Result<(), Error> = contract!(nrm2_complex, Ok(()), each | check | told(x, norm, &check));
    debug_assert!(checked.is_ok());
    norm
}

pub(crate) fn asum_complex_by<S: Simd, T: Element>(s: S, x: VecRef<'_, Complex<T>>) -> T {
    let sum = of_parts(x, |x| crate::asum_on(s, x), |[re, im]| re + im);
    let checked: Result<(), Error> = contract!(asum_complex, Ok(()), each | check | told(x, sum, &check));
    debug_assert!(checked.is_ok());
    sum
}
