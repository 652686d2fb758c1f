//! The traits of `num-traits` and `num-complex` for complex numbers (features `num-traits` and `num-complex`).

use crate::complex::Complex;
use crate::error::Error;
use crate::lanes::Element;
use core::ops::{Rem, RemAssign};
use num_traits::{ConstOne, ConstZero, FromPrimitive, Inv, MulAdd, Num, NumCast, One, ToPrimitive, Zero};

impl<T: Element> Zero for Complex<T> {
    #[inline]
    fn zero() -> Self {
        Self::ZERO
    }
    #[inline]
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}

impl<T: Element> One for Complex<T> {
    #[inline]
    fn one() -> Self {
        Self::ONE
    }
}

impl<T: Element> ConstZero for Complex<T> {
    const ZERO: Self = Self::ZERO;
}

impl<T: Element> ConstOne for Complex<T> {
    const ONE: Self = Self::ONE;
}

impl<T: Element> Inv for Complex<T> {
    type Output = Self;
    #[inline]
    fn inv(self) -> Self {
        Self::ONE / self
    }
}

/// `self·a + b`, rounded as both ops are.
impl<T: Element> MulAdd for Complex<T> {
    type Output = Self;
    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
}

/// The remainder `self − o·q`, where `q` is `self / o` with both parts truncated to integers, as in `num-complex`.
impl<T: Element> Rem for Complex<T> {
    type Output = Self;
    fn rem(self, o: Self) -> Self {
        let Self { re, im } = self / o;
        let cut = |x: T| T::from_f64(libm::trunc(x.to_f64()));
        self - o * Self { re: cut(re), im: cut(im) }
    }
}

impl<T: Element> RemAssign for Complex<T> {
    #[inline]
    fn rem_assign(&mut self, o: Self) {
        *self = *self % o;
    }
}

/// Text is read as it is written: the real part, the imaginary part and an `i` (or `j`), or one of both, in a radix of 2 to 18.
///
/// ```
/// use fulmen::c64;
/// use num_traits::Num;
/// assert_eq!(c64::from_str_radix("1.5-2i", 10)?, c64::new(1.5, -2.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
impl<T: Element + Num> Num for Complex<T> {
    type FromStrRadixErr = Error;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Error> {
        // From 19 on `i` is a digit.
        if !(2..=18).contains(&radix) {
            return Err(Error::must_be("radix", "2 to 18"));
        }
        let wrong = || Error::must_be("text", "a number such as 1.5-2i");
        let number = |x: &str| T::from_str_radix(x, radix).map_err(|_| wrong());
        let Some(body) = text.strip_suffix(['i', 'j']) else {
            return Ok(Self { re: number(text)?, im: T::ZERO });
        };
        // A sign behind an `e` belongs to an exponent, where `e` is no digit.
        let mut before = None;
        let mut split = 0;
        for (at, c) in body.char_indices() {
            let exponent = radix <= 14 && matches!(before, Some('e' | 'E'));
            if matches!(c, '+' | '-') && !exponent {
                split = at;
            }
            before = Some(c);
        }
        let (re, im) = body.split_at_checked(split).ok_or(wrong())?;
        let im = match im {
            "" | "+" => T::ONE,
            "-" => -T::ONE,
            // One sign alone.
            _ => number(im.strip_prefix('+').filter(|rest| !rest.starts_with(['+', '-'])).unwrap_or(im))?,
        };
        Ok(Self { re: if re.is_empty() { T::ZERO } else { number(re)? }, im })
    }
}

impl<T: Element + ToPrimitive> Complex<T> {
    /// The real part of a number that has no other.
    fn real(&self) -> Option<T> {
        (self.im == T::ZERO).then_some(self.re)
    }
}

/// Conversions of numbers whose imaginary part is 0; others give `None`.
impl<T: Element + ToPrimitive> ToPrimitive for Complex<T> {
    fn to_i64(&self) -> Option<i64> {
        self.real()?.to_i64()
    }
    fn to_u64(&self) -> Option<u64> {
        self.real()?.to_u64()
    }
    fn to_f32(&self) -> Option<f32> {
        ToPrimitive::to_f32(&self.real()?)
    }
    fn to_f64(&self) -> Option<f64> {
        ToPrimitive::to_f64(&self.real()?)
    }
}

impl<T: Element + FromPrimitive> FromPrimitive for Complex<T> {
    fn from_i64(x: i64) -> Option<Self> {
        T::from_i64(x).map(<Self as From<T>>::from)
    }
    fn from_u64(x: u64) -> Option<Self> {
        T::from_u64(x).map(<Self as From<T>>::from)
    }
    fn from_f32(x: f32) -> Option<Self> {
        <T as FromPrimitive>::from_f32(x).map(<Self as From<T>>::from)
    }
    fn from_f64(x: f64) -> Option<Self> {
        <T as FromPrimitive>::from_f64(x).map(<Self as From<T>>::from)
    }
}

impl<T: Element + NumCast> NumCast for Complex<T> {
    fn from<N: ToPrimitive>(x: N) -> Option<Self> {
        <T as NumCast>::from(x).map(<Self as From<T>>::from)
    }
}

#[cfg(feature = "num-complex")]
impl<T> From<num_complex::Complex<T>> for Complex<T> {
    #[inline]
    fn from(z: num_complex::Complex<T>) -> Self {
        Self { re: z.re, im: z.im }
    }
}

#[cfg(feature = "num-complex")]
impl<T> From<Complex<T>> for num_complex::Complex<T> {
    #[inline]
    fn from(z: Complex<T>) -> Self {
        Self { re: z.re, im: z.im }
    }
}
