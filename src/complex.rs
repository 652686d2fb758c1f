//! Complex numbers: pairs in memory, as C, Fortran and `num-complex` lay them out.

use crate::error::Error;
use crate::lanes::Element;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + i·im`: interleaved, as `float complex` of C and `num_complex::Complex` are.
///
/// A slice of numbers, real and imaginary part in turn, is a slice of these and back without a copy, which is also the way
/// to and from other crates (with `bytemuck`, `Complex::of(bytemuck::cast_slice(theirs))`).
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
        let n = pairs(parts.len())?;
        // SAFETY: `n` pairs of the slice's numbers; `Self` is two contiguous ones, with their alignment.
        Ok(unsafe { core::slice::from_raw_parts(parts.as_ptr().cast(), n) })
    }

    /// Numbers in turn as complex ones, to be written.
    ///
    /// Errors: [`Error::Rows`] when their number is odd.
    #[inline]
    pub fn of_mut(parts: &mut [T]) -> Result<&mut [Self], Error> {
        let n = pairs(parts.len())?;
        // SAFETY: as in `of`, and borrowed mutably.
        Ok(unsafe { core::slice::from_raw_parts_mut(parts.as_mut_ptr().cast(), n) })
    }

    /// Real and imaginary parts in turn.
    #[inline]
    pub const fn parts(z: &[Self]) -> &[T] {
        // SAFETY: each element is two contiguous numbers, and no slice is longer than the address space.
        unsafe { core::slice::from_raw_parts(z.as_ptr().cast(), 2 * z.len()) }
    }

    /// Real and imaginary parts in turn, to be written.
    #[inline]
    pub const fn parts_mut(z: &mut [Self]) -> &mut [T] {
        // SAFETY: as in `parts`, and borrowed mutably.
        unsafe { core::slice::from_raw_parts_mut(z.as_mut_ptr().cast(), 2 * z.len()) }
    }
}

fn pairs(got: usize) -> Result<usize, Error> {
    if got.is_multiple_of(2) { Ok(got / 2) } else { Err(Error::rows("parts", 2, got)) }
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
