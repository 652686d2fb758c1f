//! Random numbers: parts of a stream on different threads.

use super::Threads;
use crate::Error;
use crate::lanes::{Simd, native};
use crate::random::ops::{
    bernoulli_by, exponential_by, integers_by, normal_by, random_bits_by, truncated_normal_by, uniform_by,
};
use crate::random::{Integer, Stream, Variate};

macro_rules! threaded {
    ($($f:ident $on:ident $by:ident [$($g:ident: $bound:ident)?] ($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {$(
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits.")]
        #[inline]
        pub fn $f $(<$g: $bound>)? ($($arg: $ty),*) $(-> $ret)? {
            $by(Threads, native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd $(, $g: $bound)?>(s: S, $($arg: $ty),*) $(-> $ret)? {
            $by(Threads, s, $($arg),*)
        }
    )*};
}

threaded! {
    random_bits random_bits_on random_bits_by [] (stream: Stream, out: &mut [u32]);
    uniform uniform_on uniform_by [T: Variate] (stream: Stream, out: &mut [T]);
    normal normal_on normal_by [T: Variate] (stream: Stream, mean: T, stddev: T, out: &mut [T]) -> Result<(), Error>;
    exponential exponential_on exponential_by [T: Variate] (stream: Stream, scale: T, out: &mut [T]) -> Result<(), Error>;
    truncated_normal truncated_normal_on truncated_normal_by [T: Variate]
        (stream: Stream, mean: T, stddev: T, low: T, high: T, out: &mut [T]) -> Result<(), Error>;
    integers integers_on integers_by [I: Integer] (stream: Stream, low: I, high: I, out: &mut [I]) -> Result<(), Error>;
    bernoulli bernoulli_on bernoulli_by [] (stream: Stream, p: f64, out: &mut [bool]) -> Result<(), Error>;
}
