//! Complex numbers: pairs in memory, as C, Fortran and `num-complex` lay them out.

use crate::error::Error;
use crate::lanes::Element;
use bytemuck::{must_cast_slice, must_cast_slice_mut};
use core::fmt;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + i·im`: interleaved, as `float complex` of C and `num_complex::Complex` are.
///
/// A slice of numbers, real and imaginary part in turn, is a slice of these and back without a copy. They are plain data to
/// [bytemuck](https://docs.rs/bytemuck), whose `cast_slice` also views those of other crates as these and back.
///
/// See `examples/small/complex.rs`.
///
/// ```
/// use fulmen::Complex;
/// let z = Complex::of(&[1.0f32, 2.0, 3.0, -4.0])?;
/// assert_eq!(z[0] * z[1], Complex::new(11.0, 2.0));
/// assert_eq!(Complex::parts(z), [1.0, 2.0, 3.0, -4.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(from = "[T; 2]", into = "[T; 2]", bound(serialize = "T: Clone + serde::Serialize"))
)]
pub struct Complex<T> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

/// Of `f32`.
#[allow(non_camel_case_types, reason = "as the primitive types")]
pub type c32 = Complex<f32>;
/// Of `f64`.
#[allow(non_camel_case_types, reason = "as the primitive types")]
pub type c64 = Complex<f64>;

impl<T> Complex<T> {
    /// `re + i·im`.
    #[inline]
    pub const fn new(re: T, im: T) -> Self {
        Self { re, im }
    }
}

impl<T: Element> Complex<T> {
    /// 0.
    pub const ZERO: Self = Self { re: T::ZERO, im: T::ZERO };
    /// 1.
    pub const ONE: Self = Self { re: T::ONE, im: T::ZERO };
    /// The imaginary unit.
    pub const I: Self = Self { re: T::ZERO, im: T::ONE };

    /// `re - i·im`.
    #[inline]
    pub fn conj(self) -> Self {
        Self { re: self.re, im: -self.im }
    }

    /// `re² + im²`.
    #[inline]
    pub fn norm_sqr(self) -> T {
        self.re * self.re + self.im * self.im
    }

    /// `√(re² + im²)`, which overflows only where the result does; [`abs_complex`](crate::abs_complex()) is that of many.
    ///
    /// ```
    /// assert_eq!(fulmen::c64::new(3.0, -4.0).abs(), 5.0);
    /// assert!(fulmen::c64::new(3e200, -4e200).abs() < 6e200);
    /// ```
    #[doc(alias = "norm")]
    #[inline]
    pub fn abs(self) -> T {
        T::from_f64(libm::hypot(self.re.to_f64(), self.im.to_f64()))
    }

    /// The angle from the positive real axis, from -π to π; [`arg_complex`](crate::arg_complex()) is that of many.
    ///
    /// ```
    /// assert_eq!(fulmen::c64::new(0.0, 2.0).arg(), core::f64::consts::FRAC_PI_2);
    /// ```
    #[inline]
    pub fn arg(self) -> T {
        T::from_f64(libm::atan2(self.im.to_f64(), self.re.to_f64()))
    }

    /// The number with this absolute value and this angle.
    ///
    /// ```
    /// use fulmen::c64;
    /// let z = c64::from_polar(2.0, core::f64::consts::PI);
    /// assert!((z - c64::new(-2.0, 0.0)).abs() < 1e-15);
    /// ```
    #[inline]
    pub fn from_polar(abs: T, arg: T) -> Self {
        let (sin, cos) = libm::sincos(arg.to_f64());
        Self { re: abs * T::from_f64(cos), im: abs * T::from_f64(sin) }
    }

    /// Both parts times `k`.
    #[inline]
    pub fn scale(self, k: T) -> Self {
        Self { re: self.re * k, im: self.im * k }
    }

    /// Numbers in turn as complex ones.
    ///
    /// Errors: [`Error::Rows`] when their number is odd.
    #[inline]
    pub fn of(parts: &[T]) -> Result<&[Self], Error> {
        let (pairs, rest) = parts.as_chunks::<2>();
        if rest.is_empty() { Ok(must_cast_slice(pairs)) } else { Err(Error::rows("parts", 2, parts.len())) }
    }

    /// Numbers in turn as complex ones, to be written.
    ///
    /// Errors: [`Error::Rows`] when their number is odd.
    #[inline]
    pub fn of_mut(parts: &mut [T]) -> Result<&mut [Self], Error> {
        let got = parts.len();
        let (pairs, rest) = parts.as_chunks_mut::<2>();
        if rest.is_empty() { Ok(must_cast_slice_mut(pairs)) } else { Err(Error::rows("parts", 2, got)) }
    }

    /// Real and imaginary parts in turn.
    #[inline]
    pub const fn parts(z: &[Self]) -> &[T] {
        must_cast_slice(z)
    }

    /// Real and imaginary parts in turn, to be written.
    #[inline]
    pub const fn parts_mut(z: &mut [Self]) -> &mut [T] {
        must_cast_slice_mut(z)
    }
}

impl<T: Element> Add for Complex<T> {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self { re: self.re + o.re, im: self.im + o.im }
    }
}

impl<T: Element> Sub for Complex<T> {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Self { re: self.re - o.re, im: self.im - o.im }
    }
}

/// The formula of the definition: an infinite factor may give NaN, as with `num-complex`.
impl<T: Element> Mul for Complex<T> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Self { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

impl<T: Element> Mul<T> for Complex<T> {
    type Output = Self;
    #[inline]
    fn mul(self, k: T) -> Self {
        self.scale(k)
    }
}

/// The power of 2 of the larger part; that of 1 where there is none.
fn exponent(parts: [f64; 2]) -> i32 {
    let most = parts[0].abs().max(parts[1].abs());
    if most > 0.0 && most < f64::INFINITY { libm::frexp(most).1 } else { 0 }
}

/// Neither a square nor a product on the way overflows or underflows. A divisor that is 0 or infinite gives NaN, as with `num-complex`.
///
/// ```
/// use fulmen::c64;
/// assert_eq!(c64::new(11.0, 2.0) / c64::new(3.0, -4.0), c64::new(1.0, 2.0));
/// assert_eq!(c64::from(1e300) / c64::new(0.0, 1e300), -c64::I);
/// ```
impl<T: Element> Div for Complex<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let (z, w) = ([self.re, self.im].map(T::to_f64), [o.re, o.im].map(T::to_f64));
        let (above, below) = (exponent(z), exponent(w));
        let ([a, b], [c, d]) = (z.map(|x| libm::ldexp(x, -above)), w.map(|x| libm::ldexp(x, -below)));
        let square = c * c + d * d;
        let back = |x: f64| T::from_f64(libm::ldexp(x / square, above - below));
        Self { re: back(a * c + b * d), im: back(b * c - a * d) }
    }
}

impl<T: Element> Div<T> for Complex<T> {
    type Output = Self;
    #[inline]
    fn div(self, k: T) -> Self {
        Self { re: self.re / k, im: self.im / k }
    }
}

impl<T: Element> DivAssign for Complex<T> {
    #[inline]
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

/// In order, from 0.
///
/// ```
/// use fulmen::c64;
/// assert_eq!([c64::ONE, c64::I].iter().sum::<c64>(), c64::new(1.0, 1.0));
/// assert_eq!([c64::I, c64::I].into_iter().product::<c64>(), -c64::ONE);
/// ```
impl<T: Element> Sum for Complex<T> {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}
impl<'a, T: Element> Sum<&'a Self> for Complex<T> {
    fn sum<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.copied().sum()
    }
}
/// In order, from 1.
impl<T: Element> Product for Complex<T> {
    fn product<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ONE, Mul::mul)
    }
}
impl<'a, T: Element> Product<&'a Self> for Complex<T> {
    fn product<I: Iterator<Item = &'a Self>>(all: I) -> Self {
        all.copied().product()
    }
}

/// As `num-complex` writes them; a precision is that of both parts.
///
/// ```
/// use fulmen::c64;
/// assert_eq!(c64::new(1.5, -2.0).to_string(), "1.5-2i");
/// assert_eq!(format!("{:.2}", c64::I), "0.00+1.00i");
/// ```
impl<T: fmt::Display + PartialEq> fmt::Display for Complex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { re, im } = self;
        // NaN is written without a sign.
        #[allow(clippy::eq_op, reason = "only NaN is unequal to itself")]
        let plus = if im == im { "" } else { "+" };
        match f.precision() {
            Some(digits) => write!(f, "{re:.digits$}{plus}{im:+.digits$}i"),
            None => write!(f, "{re}{plus}{im:+}i"),
        }
    }
}

impl<T: Element> Neg for Complex<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl<T: Element> AddAssign for Complex<T> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<T: Element> SubAssign for Complex<T> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<T: Element> MulAssign for Complex<T> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<T: Element> From<T> for Complex<T> {
    #[inline]
    fn from(re: T) -> Self {
        Self { re, im: T::ZERO }
    }
}

/// Real and imaginary part.
///
/// ```
/// use fulmen::{c32, c64};
/// assert_eq!([[1.0, 2.0], [3.0, 4.0]].map(c64::from)[1], c64::from((3.0, 4.0)));
/// assert_eq!((c64::from(c32::I), <[f64; 2]>::from(c64::I)), (c64::I, [0.0, 1.0]));
/// ```
impl<T> From<[T; 2]> for Complex<T> {
    #[inline]
    fn from([re, im]: [T; 2]) -> Self {
        Self { re, im }
    }
}

/// Real and imaginary part.
impl<T> From<Complex<T>> for [T; 2] {
    #[inline]
    fn from(z: Complex<T>) -> Self {
        [z.re, z.im]
    }
}

/// Real and imaginary part.
impl<T> From<(T, T)> for Complex<T> {
    #[inline]
    fn from((re, im): (T, T)) -> Self {
        Self { re, im }
    }
}

impl From<c32> for c64 {
    #[inline]
    fn from(z: c32) -> Self {
        Self { re: z.re.into(), im: z.im.into() }
    }
}
