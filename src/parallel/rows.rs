//! Row ops on rayon: each thread computes whole rows, and a single long row is split along its reduction tree.

use super::Threads;
use crate::forms::named;
use crate::nn::*;
use crate::{Element, Error, lanes::Simd, lanes::native};

macro_rules! row_ops {
    ($($name:ident, $on:ident, $in_place:ident, $in_place_on:ident ($($arg:ident: $ty:ty),*) $op:expr;)*) => {$(
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on rayon's threads, same bits.")]
        #[inline]
        pub fn $name<T: Element>(x: &[T], $($arg: $ty,)* out: &mut [T]) -> Result<(), Error> {
            $on(native(), x, $($arg,)* out)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::parallel::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd, T: Element>(s: S, x: &[T], $($arg: $ty,)* out: &mut [T]) -> Result<(), Error> {
            named!([Result] $name at threads s, (x: in, out: out), rows_by(Threads, s, $op, x, out))
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::parallel::", stringify!($name), "()) over its input.")]
        #[inline]
        pub fn $in_place<T: Element>(x: &mut [T], $($arg: $ty),*) -> Result<(), Error> {
            $in_place_on(native(), x, $($arg),*)
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::parallel::", stringify!($in_place), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $in_place_on<S: Simd, T: Element>(s: S, x: &mut [T], $($arg: $ty),*) -> Result<(), Error> {
            named!([Result] $name at threads s, (x: inout), rows_in_place_by(Threads, s, $op, x))
        }
    )*};
}
row_ops! {
    softmax, softmax_on, softmax_in_place, softmax_in_place_on (cols: usize) Softmax(cols);
    log_softmax, log_softmax_on, log_softmax_in_place, log_softmax_in_place_on (cols: usize) LogSoftmax(cols);
    layer_norm, layer_norm_on, layer_norm_in_place, layer_norm_in_place_on
        (gamma: &[T], beta: &[T], eps: T) LayerNorm { gamma, beta, eps };
    layer_norm_simple, layer_norm_simple_on, layer_norm_simple_in_place, layer_norm_simple_in_place_on
        (cols: usize, eps: T) LayerNormSimple(cols, eps);
    rms_norm, rms_norm_on, rms_norm_in_place, rms_norm_in_place_on (gamma: &[T], eps: T) RmsNorm { gamma, eps };
    normalize, normalize_on, normalize_in_place, normalize_in_place_on (cols: usize) Normalize(cols);
    zscore, zscore_on, zscore_in_place, zscore_in_place_on (cols: usize) Zscore(cols);
    minmax_normalize, minmax_normalize_on, minmax_normalize_in_place, minmax_normalize_in_place_on
        (cols: usize) MinmaxNormalize(cols);
}
