//! Views of complex matrices as real views with twice as many columns: real and imaginary parts alternate.

use super::{MatMut, MatRef};
use crate::complex::Complex;

macro_rules! parts {
    ($View:ident) => {
        impl<'a, T> $View<'a, Complex<T>> {
            /// Real and imaginary parts in turn, twice as many columns; only where the numbers of a row follow each other.
            #[inline]
            pub(crate) fn parts(self) -> Option<$View<'a, T>> {
                if self.cs != 1 && self.cols > 1 {
                    return None;
                }
                // What a view holds is in memory: twice its strides are numbers; one that leads nowhere may be any.
                let (ptr, cols, rs) = (self.ptr.cast(), 2 * self.cols, self.rs.wrapping_mul(2));
                Some($View { ptr, rows: self.rows, cols, rs, cs: 1, life: core::marker::PhantomData })
            }
        }
    };
}
parts!(MatRef);
parts!(MatMut);
