//! Fixed-point activation functions: ReLU, and the logistic function and tanh by a table.

use super::{Fixed, Table};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::Simd;

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

ops! { $ activation_ops in crate::fixed::activation;
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
    serial fixed_relu<T: crate::fixed::Fixed>, fixed_relu_on, fixed_relu_by (x: in T, out: out T) -> Result<()>;

    /// `out[i] = 1/(1 + e^−x[i])` by a table of its values at the sixteenths from −8 to 8, rounded to the nearest and saturated.
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
    /// fulmen::fixed_sigmoid(&[-128, 0, 16], 3, &mut out)?;
    /// assert_eq!(out, [0, 64, 94]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-NN (`arm_nn_activations_direct_q7`, `arm_nn_activations_direct_q15`). Contract: `contracts/fixed_sigmoid-v1.yaml`.
    serial fixed_sigmoid<T: crate::fixed::Fixed>, fixed_sigmoid_on, fixed_sigmoid_by (x: in T, int_bits: by u32, out: out T) -> Result<()>;

    /// `out[i] = tanh(x[i])` by a table of its values at the sixteenths from −8 to 8, rounded to the nearest and saturated.
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
    /// fulmen::fixed_tanh(&[-128, 0, 16], 3, &mut out)?;
    /// assert_eq!(out, [-128, 0, 97]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: CMSIS-NN (`arm_nn_activations_direct_q7`, `arm_nn_activations_direct_q15`). Contract: `contracts/fixed_tanh-v1.yaml`.
    serial fixed_tanh<T: crate::fixed::Fixed>, fixed_tanh_on, fixed_tanh_by (x: in T, int_bits: by u32, out: out T) -> Result<()>;
}

pub(crate) fn fixed_relu_by<S: Simd, T: Fixed>(s: S, x: &[T], out: &mut [T]) -> Result<(), Error> {
    each(s, x, out, |x| x.max(T::default()))
}

macro_rules! tabled {
    ($by:ident $Table:ident) => {
        pub(crate) fn $by<S: Simd, T: Fixed>(
            s: S,
            x: &[T],
            int_bits: u32,
            out: &mut [T],
        ) -> Result<(), Error> {
            if int_bits > 3 {
                return Err(Error::must_be("int_bits", "at most 3"));
            }
            each(
                s,
                x,
                out,
                #[inline(always)]
                |x| x.looked_up(Table::$Table, int_bits),
            )
        }
    };
}
tabled! { fixed_sigmoid_by Sigmoid }
tabled! { fixed_tanh_by Tanh }
