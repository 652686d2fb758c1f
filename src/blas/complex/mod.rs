//! BLAS on complex matrices and vectors, whose real and imaginary parts are stored interleaved.

pub(crate) mod elements;
pub(crate) mod product;
pub(crate) mod vectors;

pub use elements::*;
pub use product::{gemm_complex, gemm_complex_on, gemm_complex_workspace};
pub use vectors::*;

use crate::complex::Complex;
use crate::lanes::Element;
use crate::view::MatMut;

/// Which operands of a product are conjugated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Conjugate {
    /// The first.
    pub a: bool,
    /// The second.
    pub b: bool,
}

impl Conjugate {
    /// Neither.
    pub const NONE: Self = Self { a: false, b: false };
}

/// `z`, or its conjugate.
#[inline(always)]
fn conjugated<T: Element>(yes: bool, z: Complex<T>) -> Complex<T> {
    if yes { z.conj() } else { z }
}

/// `c = βc`: zeros where β is 0, whatever was there; each part times β where that is real.
fn scaled<T: Element>(beta: Complex<T>, mut c: MatMut<'_, Complex<T>>) {
    if beta == Complex::ONE {
        return;
    }
    for i in 0..c.rows() {
        for j in 0..c.cols() {
            let old = c.get(i, j).unwrap_or_default();
            let new = match (beta.re == T::ZERO, beta.im == T::ZERO) {
                (true, true) => Complex::ZERO,
                (_, true) => old.scale(beta.re),
                _ => beta * old,
            };
            c.set(i, j, new);
        }
    }
}
