//! Elements of files: the digits that are written, and the parts that are read.

use crate::complex::c64;
use crate::lanes::Element;
use core::fmt::{self, Write};
use std::string::String;

/// A number in as few digits as its type needs.
pub enum Digits {
    Single(f32),
    Double(f64),
}
impl Digits {
    /// Writes the digits to `to`. A reader rounds them to `f64` and then to `f32`. Where that gives another `f32`, as for 7.038531e-26,
    /// the digits of the number as an `f64` are written instead.
    pub fn text(self, to: &mut String) -> fmt::Result {
        to.clear();
        let wide = match self {
            Self::Single(x) => {
                write!(to, "{x}")?;
                if to.parse::<f64>().is_ok_and(|read| read as f32 == x) {
                    return Ok(());
                }
                to.clear();
                f64::from(x)
            }
            Self::Double(x) => x,
        };
        write!(to, "{wide}")
    }
}
/// Numbers that are written in such digits.
pub trait Decimal: Copy {
    fn digits(self) -> Digits;
}
impl<T: Element> Decimal for T {
    fn digits(self) -> Digits {
        // As an `f64` an `f32` would have more digits than it needs.
        match T::SIGNIFICAND < 30 {
            true => Digits::Single(self.to_f64() as f32),
            false => Digits::Double(self.to_f64()),
        }
    }
}
#[cfg(feature = "half")]
impl Decimal for half::f16 {
    fn digits(self) -> Digits {
        Digits::Single(self.to_f32())
    }
}
#[cfg(feature = "half")]
impl Decimal for half::bf16 {
    fn digits(self) -> Digits {
        Digits::Single(self.to_f32())
    }
}

/// The parts of an element that is read.
pub trait Parts: Copy {
    const COMPLEX: bool;
    fn new(re: f64, im: f64) -> Self;
}
impl Parts for f64 {
    const COMPLEX: bool = false;
    fn new(re: f64, _: f64) -> Self {
        re
    }
}
impl Parts for c64 {
    const COMPLEX: bool = true;
    fn new(re: f64, im: f64) -> Self {
        Self { re, im }
    }
}
