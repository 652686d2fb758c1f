//! Element-wise ops on rayon: each thread computes a part of the slices.

use super::Threads;
use crate::forms::named;
use crate::lanes::{Simd, native};
use crate::nn::{Geglu, Swiglu};
use crate::pointwise::*;
use crate::{Body, Element, Error};

/// [`map`](crate::map()) on rayon's threads, same bits.
///
/// ```
/// let (a, b) = (vec![1.0f32; 100_000], vec![2.0; 100_000]);
/// let mut out = vec![0.0; 100_000];
/// fulmen::parallel::map(fulmen::Add, [&a, &b], &mut out)?;
/// assert!(out.iter().all(|y| *y == 3.0));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn map<T: Element, B: Body<T, N>, const N: usize>(
    body: B,
    x: [&[T]; N],
    out: &mut [T],
) -> Result<(), Error> {
    map_on(native(), body, x, out)
}

/// [`map`](crate::parallel::map()) on the instruction set of `s`.
#[inline]
pub fn map_on<S: Simd, T: Element, B: Body<T, N>, const N: usize>(
    s: S,
    body: B,
    x: [&[T]; N],
    out: &mut [T],
) -> Result<(), Error> {
    named!([Result] map at threads s, (x: each_in, out: out) as B, map_by(Threads, s, body, x, out))
}

/// [`map_in_place`](crate::map_in_place()) on rayon's threads, same bits.
#[inline]
pub fn map_in_place<T: Element, B: Body<T, 1>>(body: B, x: &mut [T]) -> Result<(), Error> {
    map_in_place_on(native(), body, x)
}

/// [`map_in_place`](crate::parallel::map_in_place()) on the instruction set of `s`.
#[inline]
pub fn map_in_place_on<S: Simd, T: Element, B: Body<T, 1>>(s: S, body: B, x: &mut [T]) -> Result<(), Error> {
    named!([Result] map_in_place at threads s, (x: inout) as B, map_in_place_by(Threads, s, body, x))
}

/// [`zip_in_place`](crate::zip_in_place()) on rayon's threads, same bits.
#[inline]
pub fn zip_in_place<T: Element, B: Body<T, 2>>(body: B, a: &mut [T], b: &[T]) -> Result<(), Error> {
    zip_in_place_on(native(), body, a, b)
}

/// [`zip_in_place`](crate::parallel::zip_in_place()) on the instruction set of `s`.
#[inline]
pub fn zip_in_place_on<S: Simd, T: Element, B: Body<T, 2>>(
    s: S,
    body: B,
    a: &mut [T],
    b: &[T],
) -> Result<(), Error> {
    named!([Result] zip_in_place at threads s, (a: inout, b: in) as B, zip_in_place_by(Threads, s, body, a, b))
}

/// [`axpy`](crate::axpy()) on rayon's threads, same bits.
#[inline]
pub fn axpy<T: Element>(alpha: T, x: &[T], y: &mut [T]) -> Result<(), Error> {
    axpy_on(native(), alpha, x, y)
}

/// [`axpy`](crate::parallel::axpy()) on the instruction set of `s`.
#[inline]
pub fn axpy_on<S: Simd, T: Element>(s: S, alpha: T, x: &[T], y: &mut [T]) -> Result<(), Error> {
    named!([Result] axpy at threads s, (x: in, y: inout), axpy_by(Threads, s, alpha, x, y))
}

/// `op`, `op_on` and, where there is one, `op_in_place` for each element-wise row of the list of
/// ops, from its body.
macro_rules! forms {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $value:expr),*]
       $family:ident, $gpu:ident $(: $why:literal)?;)*) => {$(
        forms! { @$shape ($($f),*) $body [$($parameter),*] }
    )*};
    (@unary ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        forms! { fn $f $on (x: &[T], $($p: T,)* out: &mut [T]) map_by(forms!(body $body $($p)*), [x], out) (x: in, out: out) }
        forms! { in_place $f $in_place (x: &mut [T] $(, $p: T)*) map_in_place_by(forms!(body $body $($p)*), x) (x: inout) }
    };
    (@binary ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        forms! { fn $f $on (a: &[T], b: &[T], $($p: T,)* out: &mut [T]) map_by(forms!(body $body $($p)*), [a, b], out) (a: in, b: in, out: out) }
        forms! { in_place $f $in_place (a: &mut [T], b: &[T] $(, $p: T)*) zip_in_place_by(forms!(body $body $($p)*), a, b) (a: inout, b: in) }
    };
    (@ternary ($f:ident, $on:ident) $body:ident []) => {
        forms! { fn $f $on (a: &[T], b: &[T], c: &[T], out: &mut [T]) map_by($body, [a, b, c], out) (a: in, b: in, c: in, out: out) }
    };
    (@$other:ident $($row:tt)*) => {};

    (body $body:ident) => { $body };
    (body $body:ident $($p:ident)+) => { $body($($p),+) };

    (fn $f:ident $on:ident ($($arg:ident: $ty:ty),*) $by:ident($($call:expr),*) $operands:tt) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) on rayon's threads, same bits.")]
        #[inline]
        pub fn $f<T: Element>($($arg: $ty),*) -> Result<(), Error> {
            $on(native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd, T: Element>(s: S, $($arg: $ty),*) -> Result<(), Error> {
            named!([Result] $f at threads s, $operands, $by(Threads, s, $($call),*))
        }
    };
    (in_place $f:ident $in_place:ident ($($arg:ident: $ty:ty),*) $by:ident($($call:expr),*) $operands:tt) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::parallel::", stringify!($f), "()) over its first input.")]
        #[inline]
        pub fn $in_place<T: Element>($($arg: $ty),*) -> Result<(), Error> {
            named!([Result] $f at threads native(), $operands, $by(Threads, native(), $($call),*))
        }
    };
}
crate::for_each_op!(forms);
