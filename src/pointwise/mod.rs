//! Element-wise ops: `out[i] = f(x[i], …)`.
//!
//! Every op is a [`Body`], and its functions run that body: `op` on the instruction set of the build, `op_on` on that
//! of a token, `op_in_place` over its first input. [`map`] runs any body, a composition or one of your own.

mod activations;
mod arithmetic;
mod backward;
mod broadcast;
mod compare;
mod extrema;
mod logarithmic;
mod rounding;
pub mod scalar;
mod softsign;
mod transcendental;
mod trigonometric;

pub use activations::*;
pub use arithmetic::*;
pub use backward::*;
pub use broadcast::*;
pub use compare::*;
pub use extrema::*;
pub use logarithmic::*;
pub use rounding::*;
pub use softsign::*;
pub use transcendental::*;
pub use trigonometric::*;

use crate::alu::Body;
use crate::error::{Error, same_len};
use crate::forms::named;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, drive, native};

/// The parameter name of an input, for errors.
pub(crate) const fn arg(k: usize) -> &'static str {
    match k {
        0 => "a",
        1 => "b",
        2 => "c",
        _ => "x",
    }
}

/// The first input sets the length.
#[inline]
pub(crate) fn same_lens<T, const N: usize>(x: &[&[T]; N]) -> Result<(), Error> {
    let n = x.first().map_or(0, |x| x.len());
    x.iter().enumerate().try_for_each(|(k, x)| same_len(arg(k), n, x.len()))
}

#[inline]
fn check<T, const N: usize>(x: &[&[T]; N], out: usize) -> Result<(), Error> {
    same_lens(x)?;
    // So that a wrong `out` is named as such.
    same_len("out", x.first().map_or(out, |x| x.len()), out)
}

/// `out[i] = body(x₀[i], x₁[i], …)` in one pass.
///
/// Errors: [`Error::Len`] when `out` or a later input (`b`, `c`, then `x`) differs in length from the first;
/// what the body's own check refuses.
///
/// ```
/// use fulmen::{Add, Relu, Then};
/// let mut out = [0.0f32; 2];
/// fulmen::map(Then(Add, Relu), [&[1.0, -5.0], &[2.0, 3.0]], &mut out)?;
/// assert_eq!(out, [3.0, 0.0]);
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

/// [`map`] on the instruction set of `s`.
#[inline]
pub fn map_on<S: Simd, T: Element, B: Body<T, N>, const N: usize>(
    s: S,
    body: B,
    x: [&[T]; N],
    out: &mut [T],
) -> Result<(), Error> {
    named!([Result] map at serial s, (x: each_in, out: out) as B, map_by(Serial, s, body, x, out))
}

/// [`map_on`], the parts run by `j`.
#[inline]
pub(crate) fn map_by<J, S, T, B, const N: usize>(
    j: J,
    s: S,
    body: B,
    x: [&[T]; N],
    out: &mut [T],
) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, N>,
{
    check(&x, out.len())?;
    body.check()?;
    s.vectorize(
        #[inline(always)]
        || drive::map(j, s, body, x, out),
    );
    Ok(())
}

/// `x[i] = body(x[i])` in one pass.
#[inline]
pub fn map_in_place<T: Element, B: Body<T, 1>>(body: B, x: &mut [T]) -> Result<(), Error> {
    map_in_place_on(native(), body, x)
}

/// [`map_in_place`] on the instruction set of `s`.
#[inline]
pub fn map_in_place_on<S: Simd, T: Element, B: Body<T, 1>>(s: S, body: B, x: &mut [T]) -> Result<(), Error> {
    named!([Result] map_in_place at serial s, (x: inout) as B, map_in_place_by(Serial, s, body, x))
}

/// [`map_in_place_on`], the parts run by `j`.
#[inline]
pub(crate) fn map_in_place_by<J, S, T, B>(j: J, s: S, body: B, x: &mut [T]) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, 1>,
{
    body.check()?;
    s.vectorize(
        #[inline(always)]
        || drive::map_in_place(j, s, body, x),
    );
    Ok(())
}

/// `a[i] = body(a[i], b[i])` in one pass.
///
/// Errors: [`Error::Len`] when `b` differs in length from `a`.
#[inline]
pub fn zip_in_place<T: Element, B: Body<T, 2>>(body: B, a: &mut [T], b: &[T]) -> Result<(), Error> {
    zip_in_place_on(native(), body, a, b)
}

/// [`zip_in_place`] on the instruction set of `s`.
#[inline]
pub fn zip_in_place_on<S: Simd, T: Element, B: Body<T, 2>>(
    s: S,
    body: B,
    a: &mut [T],
    b: &[T],
) -> Result<(), Error> {
    named!([Result] zip_in_place at serial s, (a: inout, b: in) as B, zip_in_place_by(Serial, s, body, a, b))
}

/// [`zip_in_place_on`], the parts run by `j`.
#[inline]
pub(crate) fn zip_in_place_by<J, S, T, B>(j: J, s: S, body: B, a: &mut [T], b: &[T]) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    B: Body<T, 2>,
{
    same_len("b", a.len(), b.len())?;
    body.check()?;
    s.vectorize(
        #[inline(always)]
        || drive::zip_in_place(j, s, body, a, b),
    );
    Ok(())
}

/// The functions of a one-input op, with its parameters in brackets:
/// `unary! { /// docs  leaky_relu, leaky_relu_on, leaky_relu_in_place, LeakyRelu[alpha] }`.
macro_rules! unary {
    ($(#[$doc:meta])* $name:ident, $on:ident, $in_place:ident, $body:ident $([$($p:ident),+])?) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<T: $crate::Element>(
            x: &[T], $($($p: T,)+)? out: &mut [T],
        ) -> Result<(), $crate::Error> {
            $on($crate::lanes::native(), x, $($($p,)+)? out)
        }
        #[doc = concat!("[`", stringify!($name), "`] on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: $crate::lanes::Simd, T: $crate::Element>(
            s: S, x: &[T], $($($p: T,)+)? out: &mut [T],
        ) -> Result<(), $crate::Error> {
            $crate::forms::named!([Result] $name at serial s, (x: in, out: out), $crate::contract::contract!(
                $name,
                $crate::pointwise::map_by($crate::lanes::executor::Serial, s, $body $(($($p),+))?, [x], out),
                &$crate::contract::Call::new(&[x], out).params(&[$($($p),+)?])
            ))
        }
        #[doc = concat!("[`", stringify!($name), "`] over its input.")]
        #[inline]
        pub fn $in_place<T: $crate::Element>(
            x: &mut [T], $($($p: T,)+)?
        ) -> Result<(), $crate::Error> {
            let s = $crate::lanes::native();
            $crate::forms::named!([Result] $name at serial s, (x: inout), $crate::pointwise::map_in_place_by(
                $crate::lanes::executor::Serial, s, $body $(($($p),+))?, x
            ))
        }
    };
}
pub(crate) use unary;

/// The functions of a two-input op; `_in_place` overwrites `a`.
macro_rules! binary {
    ($(#[$doc:meta])* $name:ident, $on:ident, $in_place:ident, $body:ident $([$($p:ident),+])?) => {
        $(#[$doc])*
        #[inline]
        pub fn $name<T: $crate::Element>(
            a: &[T], b: &[T], $($($p: T,)+)? out: &mut [T],
        ) -> Result<(), $crate::Error> {
            $on($crate::lanes::native(), a, b, $($($p,)+)? out)
        }
        #[doc = concat!("[`", stringify!($name), "`] on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: $crate::lanes::Simd, T: $crate::Element>(
            s: S, a: &[T], b: &[T], $($($p: T,)+)? out: &mut [T],
        ) -> Result<(), $crate::Error> {
            $crate::forms::named!([Result] $name at serial s, (a: in, b: in, out: out), $crate::contract::contract!(
                $name,
                $crate::pointwise::map_by($crate::lanes::executor::Serial, s, $body $(($($p),+))?, [a, b], out),
                &$crate::contract::Call::new(&[a, b], out).params(&[$($($p),+)?])
            ))
        }
        #[doc = concat!("[`", stringify!($name), "`] over `a`.")]
        #[inline]
        pub fn $in_place<T: $crate::Element>(
            a: &mut [T], b: &[T], $($($p: T,)+)?
        ) -> Result<(), $crate::Error> {
            let s = $crate::lanes::native();
            $crate::forms::named!([Result] $name at serial s, (a: inout, b: in), $crate::pointwise::zip_in_place_by(
                $crate::lanes::executor::Serial, s, $body $(($($p),+))?, a, b
            ))
        }
    };
}
pub(crate) use binary;
