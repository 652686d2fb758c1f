//! Element-wise ops on complex vectors (product, modulus, argument), and conversions between interleaved and planar
//! storage.

use super::conjugated;
use super::vectors::{is_nan, seen};
use crate::alu::math::inverse::angle;
use crate::alu::{Alu, Body, Number};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::map;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};

/// Numbers whose parts are taken apart at a time, for lanes.
pub(crate) const APART: usize = 64;

ops! { $ elements_ops in crate::blas::complex::elements;
    /// `out[i] = x[i]·y[i]`, or `conj(x[i])·y[i]`.
    ///
    /// Shapes: three slices of one length.
    ///
    /// NaN and ±0: as the formula of the definition, where an infinite factor may give NaN.
    ///
    /// Errors: [`Error::Len`] when `y` or `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, mul_complex};
    /// let (x, mut y) = ([Complex::new(1.0f32, 2.0)], [Complex::ZERO]);
    /// mul_complex(false, &x, &x, &mut y)?;
    /// assert_eq!(y, [Complex::new(-3.0, 4.0)]);
    /// mul_complex(true, &x, &x, &mut y)?;
    /// assert_eq!(y, [Complex::new(5.0, 0.0)]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/mul_complex-v1.yaml`.
    serial mul_complex, mul_complex_on, mul_complex_by
        (conjugate: by bool, x: in Complex<T>, y: in Complex<T>, out: out Complex<T>) -> Result<()>;

    /// `out[i] = √(re² + im²)` of `x[i]`, without overflow or underflow on the way.
    ///
    /// Shapes: two slices of one length.
    ///
    /// NaN and ±0: NaN where a part is NaN, also beside an infinity; else infinite where a part is.
    ///
    /// Errors: [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, abs_complex};
    /// let mut out = [0.0f32; 2];
    /// abs_complex(&[Complex::new(3e30, -4e30), Complex::I], &mut out)?;
    /// assert_eq!(out, [5e30, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition, by the quotient of the parts. Contract: `contracts/abs_complex-v1.yaml`.
    serial abs_complex, abs_complex_on, abs_complex_by (x: in Complex<T>, out: out T) -> Result<()>;

    /// `out[i]` is the angle of `x[i]`, in radians from -π to π: `atan2(im, re)`.
    ///
    /// Shapes: two slices of one length.
    ///
    /// NaN and ±0: NaN where a part is NaN. Of zeros and infinities as of C's `atan2`: the sign is that of the imaginary part, a
    /// real part of -0 is negative.
    ///
    /// Errors: [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, arg_complex};
    /// let mut out = [0.0f64; 2];
    /// arg_complex(&[Complex::I, Complex::new(-1.0, -0.0)], &mut out)?;
    /// assert_eq!(out, [core::f64::consts::FRAC_PI_2, -core::f64::consts::PI]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: ISO C, `atan2`; [`atan`](crate::atan()). Contract: `contracts/arg_complex-v1.yaml`.
    serial arg_complex, arg_complex_on, arg_complex_by (x: in Complex<T>, out: out T) -> Result<()>;

    /// `out[i] = re[i] + i·im[i]`: planar to interleaved.
    ///
    /// Shapes: three slices of one length.
    ///
    /// NaN and ±0: bits are copied.
    ///
    /// Errors: [`Error::Len`] when `im` or `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, interleave};
    /// let mut z = [Complex::ZERO; 2];
    /// interleave(&[1.0f32, 2.0], &[3.0, 4.0], &mut z)?;
    /// assert_eq!(Complex::parts(&z), [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/interleave-v1.yaml`.
    serial interleave, interleave_on, interleave_by (re: in T, im: in T, out: out Complex<T>) -> Result<()>;

    /// The parts of pairs apart: [`interleave`](crate::interleave()) the other way.
    ///
    /// Shapes: three slices of one length.
    ///
    /// NaN and ±0: bits are copied.
    ///
    /// Errors: [`Error::Len`] when `re` or `im` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Complex, deinterleave};
    /// let (mut re, mut im) = ([0.0f32; 2], [0.0; 2]);
    /// deinterleave(&[Complex::new(1.0, 3.0), Complex::new(2.0, 4.0)], &mut re, &mut im)?;
    /// assert_eq!((re, im), ([1.0, 2.0], [3.0, 4.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/deinterleave-v1.yaml`.
    serial deinterleave, deinterleave_on, deinterleave_by (x: in Complex<T>, re: out T, im: out T) -> Result<()>;
}

/// `√(a² + b²)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Magnitude;
impl<T: Number> Body<T, 2> for Magnitude {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        let (a, b, one) = (a.abs(), b.abs(), a.c(1.0));
        let (most, least) = (a.max(b), a.min(b));
        let quotient = least / most;
        let size = most * quotient.mul_add(quotient, one).sqrt();
        // Of a largest part that is 0 or infinite the quotient says nothing.
        let plain = most.eq(a.c(0.0)) | most.eq(a.lit(T::INFINITY));
        V::select(a.is_nan() | b.is_nan(), a + b, V::select(plain, most, size))
    }
}

/// The angle of `[re, im]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Angle;
impl<T: Number> Body<T, 2> for Angle {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [re, im]: [V; 2]) -> V {
        angle(im, re)
    }
}

pub(crate) fn mul_complex_by<S: Simd, T: Element>(
    s: S,
    conjugate: bool,
    x: &[Complex<T>],
    y: &[Complex<T>],
    out: &mut [Complex<T>],
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    same_len("out", x.len(), out.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for ((x, y), out) in x.iter().zip(y).zip(&mut *out) {
                *out = conjugated(conjugate, *x) * *y;
            }
        },
    );
    contract!(
        mul_complex,
        Ok(()),
        each | check | {
            let mut all = x.iter().zip(y).zip(&*out);
            all.try_for_each(|((x, y), out)| seen(is_nan(*x) || is_nan(*y), *out, &check))
        }
    )
}

/// The parts of numbers apart, as far as all go.
#[inline(always)]
fn apart<T: Element>(x: &[Complex<T>], re: &mut [T], im: &mut [T]) {
    for (x, (re, im)) in x.iter().zip(re.iter_mut().zip(im)) {
        (*re, *im) = (x.re, x.im);
    }
}

/// `body(re, im)` of each number.
fn of_parts<S: Simd, T: Element>(s: S, body: impl Body<T, 2>, x: &[Complex<T>], out: &mut [T]) {
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks(APART).zip(out.chunks_mut(APART)) {
                let (mut re, mut im) = ([T::ZERO; APART], [T::ZERO; APART]);
                apart(x, &mut re, &mut im);
                let parts = [&re, &im].map(|p| p.get(..out.len()).unwrap_or_default());
                map(Serial, s, body, parts, out);
            }
        },
    );
}

pub(crate) fn abs_complex_by<S: Simd, T: Element>(
    s: S,
    x: &[Complex<T>],
    out: &mut [T],
) -> Result<(), Error> {
    same_len("out", x.len(), out.len())?;
    of_parts(s, Magnitude, x, out);
    contract!(
        abs_complex,
        Ok(()),
        each | check | { x.iter().zip(&*out).try_for_each(|(x, y)| seen(is_nan(*x), (*y).into(), &check)) }
    )
}

pub(crate) fn arg_complex_by<S: Simd, T: Element>(
    s: S,
    x: &[Complex<T>],
    out: &mut [T],
) -> Result<(), Error> {
    same_len("out", x.len(), out.len())?;
    of_parts(s, Angle, x, out);
    contract!(
        arg_complex,
        Ok(()),
        each | check | { x.iter().zip(&*out).try_for_each(|(x, y)| seen(is_nan(*x), (*y).into(), &check)) }
    )
}

pub(crate) fn interleave_by<S: Simd, T: Element>(
    s: S,
    re: &[T],
    im: &[T],
    out: &mut [Complex<T>],
) -> Result<(), Error> {
    same_len("im", re.len(), im.len())?;
    same_len("out", re.len(), out.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for (out, (re, im)) in out.iter_mut().zip(re.iter().zip(im)) {
                *out = Complex::new(*re, *im);
            }
        },
    );
    contract!(
        interleave,
        Ok(()),
        each | check | {
            let mut all = re.iter().zip(im).zip(&*out);
            all.try_for_each(|((re, im), z)| seen(is_nan(Complex::new(*re, *im)), *z, &check))
        }
    )
}

pub(crate) fn deinterleave_by<S: Simd, T: Element>(
    s: S,
    x: &[Complex<T>],
    re: &mut [T],
    im: &mut [T],
) -> Result<(), Error> {
    same_len("re", x.len(), re.len())?;
    same_len("im", x.len(), im.len())?;
    s.vectorize(
        #[inline(always)]
        || apart(x, re, im),
    );
    contract!(
        deinterleave,
        Ok(()),
        each | check | {
            let mut all = x.iter().zip(re.iter().zip(&*im));
            all.try_for_each(|(x, (re, im))| seen(is_nan(*x), Complex::new(*re, *im), &check))
        }
    )
}
