//! Activations.

use super::{Fixed, Table};
use crate::error::{Error, same_len};
use crate::lanes::{Simd, native};

/// `f` of each element.
#[inline(always)]
fn each<S: Simd, T: Fixed>(s: S, x: &[T], out: &mut [T], f: impl Fn(T) -> T) -> Result<(), Error> {
    same_len("out", x.len(), out.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.iter().zip(out) {
                *out = f(*x);
            }
        },
    );
    Ok(())
}

/// `out[i] = max(x[i], 0)`.
///
/// Shapes and units: `out` is as long as `x`; any place of the point.
///
/// NaN and ±0: there are none.
///
/// Errors: [`Error::Len`] when `out` has another length. Scratch: none.
///
/// ```
/// let mut out = [7i8; 3];
/// fulmen::fixed_relu(&[-128, 0, 127], &mut out)?;
/// assert_eq!(out, [0, 0, 127]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: CMSIS-NN (`arm_relu_q7`, `arm_relu_q15`). Contract: `contracts/fixed_relu-v1.yaml`.
#[inline]
pub fn fixed_relu<T: Fixed>(x: &[T], out: &mut [T]) -> Result<(), Error> {
    fixed_relu_on(native(), x, out)
}

/// [`fixed_relu`](crate::fixed_relu()) on the instruction set of `s`.
pub fn fixed_relu_on<S: Simd, T: Fixed>(s: S, x: &[T], out: &mut [T]) -> Result<(), Error> {
    each(s, x, out, |x| x.max(T::default()))
}

macro_rules! tabled {
    ($($name:ident $on:ident $Table:ident $formula:literal $example:literal;)*) => {$(
        #[doc = concat!("`", $formula, "` by a table of its values at the sixteenths from −8 to 8, rounded to the nearest and saturated.")]
        /// Of a Q7 argument the value is that of the next sixteenth below; of a Q15 argument it lies on the line between
        /// that and the next one above, rounded down, and is the last value past the last sixteenth.
        ///
        /// Shapes and units: `out` is as long as `x`; an element of `x` has `int_bits` bits before the point besides the sign, 3
        /// at most: it is `x·2^int_bits/128` or `x·2^int_bits/32768`. A result is Q7 or Q15.
        ///
        /// NaN and ±0: there are none.
        ///
        /// Errors: [`Error::Domain`] when `int_bits` is above 3; [`Error::Len`] when `out` has another length. Scratch: none.
        ///
        /// ```
        /// // −8, 0 and 1 in Q3.4.
        /// let mut out = [7i8; 3];
        #[doc = concat!("fulmen::", stringify!($name), "(&[-128, 0, 16], 3, &mut out)?;")]
        #[doc = concat!("assert_eq!(out, ", $example, ");")]
        /// # Ok::<(), fulmen::Error>(())
        /// ```
        ///
        #[doc = concat!("Source: CMSIS-NN (`arm_nn_activations_direct_q7`, `arm_nn_activations_direct_q15`). Contract: `contracts/", stringify!($name), "-v1.yaml`.")]
        #[inline]
        pub fn $name<T: Fixed>(x: &[T], int_bits: u32, out: &mut [T]) -> Result<(), Error> {
            $on(native(), x, int_bits, out)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on the instruction set of `s`.")]
        pub fn $on<S: Simd, T: Fixed>(s: S, x: &[T], int_bits: u32, out: &mut [T]) -> Result<(), Error> {
            if int_bits > 3 {
                return Err(Error::Domain { arg: "int_bits" });
            }
            each(s, x, out, #[inline(always)] |x| x.looked_up(Table::$Table, int_bits))
        }
    )*};
}
tabled! {
    fixed_sigmoid fixed_sigmoid_on Sigmoid "out[i] = 1/(1 + e^−x[i])" "[0, 64, 94]";
    fixed_tanh fixed_tanh_on Tanh "out[i] = tanh(x[i])" "[-128, 0, 97]";
}
