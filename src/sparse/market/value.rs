//! Elements of files: the digits that a writer gives them, and what a reader makes them of.

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
    /// As text. A reader rounds it to `f64` and then to `f32`: where that ends at another `f32`, as with 7.038531e-26, the digits of
    /// the `f64` are taken.
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
/// What has them.
pub trait Decimal: Copy {
    fn digits(self) -> Digits;
}
impl<T: Element> Decimal for T {
    fn digits(self) -> Digits {
        // Of an `f32` the digits of the `f64` that it is would be more than it has.
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

/// What an element is made of.
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
