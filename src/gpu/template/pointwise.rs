//! Pointwise kernels: `out[i] = body(x₀[i], x₁[i], …)`.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::Kernel;
use super::super::record::{Param, Recorded};
use super::super::types::{U32, U64};
use super::flat::map;
use crate::alu::{Body, Formula, Real};
use crate::for_each_op;
use alloc::format;
use alloc::vec::Vec;
use core::cell::Cell;

/// Each thread takes every so-many-th element, so any grid does. Parameters: the inputs, `out`, the number of
/// elements (`U32`, up to 2³¹ less the threads of the grid), then those that `body` is made from. They are the
/// kernel's, so one text serves all their values; whoever launches it checks them, as [`Body::check`] does.
///
/// ```
/// use fulmen::gpu::{F32, template::pointwise};
/// use fulmen::{Clamp, Exp, Then};
/// let kernel = pointwise::<F32, _, 2, 1>("clamped_exp", |[lo, hi]| Then(Clamp(lo, hi), Exp))?;
/// assert_eq!(kernel.params.len(), 5);
/// # Ok::<(), fulmen::gpu::Error>(())
/// ```
///
/// A body that holds a plain number is none of a kernel:
/// ```compile_fail,E0277
/// use fulmen::gpu::{F32, template::pointwise};
/// let _ = pointwise::<F32, _, 0, 1>("scale", |[]| fulmen::Scale(1.5f32));
/// ```
pub fn pointwise<T: Recorded, B: Body<Param<T>, N>, const P: usize, const N: usize>(
    name: &str,
    body: impl FnOnce([Param<T>; P]) -> B,
) -> Result<Kernel, Error> {
    pointwise_by(name, false, body)
}

/// As [`pointwise()`]; with `wide` each thread takes 16 bytes at a time, of arrays that start at multiples of so many.
fn pointwise_by<T: Recorded, B: Body<Param<T>, N>, const P: usize, const N: usize>(
    name: &str,
    wide: bool,
    body: impl FnOnce([Param<T>; P]) -> B,
) -> Result<Kernel, Error> {
    let b = begin(name, wide);
    let x: [_; N] = b.params::<U64, _>();
    let (out, n) = (b.param::<U64>(), b.param::<U32>());
    let body = body(b.numbers());
    map::<T, N, 1>(&b, n, wide, x, ([out], false), &|x, _| [body.eval(x)]);
    b.finish()
}

/// The kernel of a formula, over elements of this type.
pub(crate) fn formula<F: Formula<P, N>, T: Recorded, const P: usize, const N: usize>(
    wide: bool,
) -> Result<Kernel, Error> {
    pointwise_by(&format!("{}_{}", F::NAME, T::Elem::NAME), wide, F::body::<Param<T>>)
}

fn begin(name: &str, wide: bool) -> Builder {
    if wide { Builder::new(&format!("{name}_wide")) } else { Builder::new(name) }
}

/// The kernel of an element-wise op of the list; `None` for an op of another shape. Its parameters are those of [`pointwise()`].
#[must_use]
pub fn op<T: Recorded>(name: &str) -> Option<Result<Kernel, Error>> {
    op_by::<T>(name, false)
}

/// As [`op`]; with `wide` each thread takes 16 bytes at a time, of arrays that start at multiples of so many.
pub(crate) fn op_by<T: Recorded>(name: &str, wide: bool) -> Option<Result<Kernel, Error>> {
    let Takes { operands, parameters } = takes(name)?;
    match operands {
        1 => Some(op_of::<T, 1>(name, wide, parameters)),
        2 => Some(op_of::<T, 2>(name, wide, parameters)),
        3 => Some(op_of::<T, 3>(name, wide, parameters)),
        _ => None,
    }
}

/// The kernel of an op with `N` operands. The body is found by its name, so this is compiled once for all ops, and [`pointwise_by`] for each body.
fn op_of<T: Recorded, const N: usize>(name: &str, wide: bool, parameters: usize) -> Result<Kernel, Error> {
    let b = begin(&format!("{name}_{}", T::Elem::NAME), wide);
    let x: [_; N] = b.params::<U64, _>();
    let (out, n) = (b.param::<U64>(), b.param::<U32>());
    let numbers: Vec<_> = (0..parameters).map(|_| b.param::<T>().number()).collect();
    let known = Cell::new(true);
    map::<T, N, 1>(&b, n, wide, x, ([out], false), &|x, _| {
        [apply(name, &x, &numbers).unwrap_or_else(|| {
            known.set(false);
            b.bits(0)
        })]
    });
    if known.get() { b.finish() } else { Err(Error::Arguments) }
}

/// What an element-wise op of the list takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Takes {
    /// Inputs.
    pub operands: usize,
    /// Parameters.
    pub parameters: usize,
}

macro_rules! kernels {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// What an element-wise op of the list takes; `None` for an op of another shape.
        #[must_use]
        pub fn takes(name: &str) -> Option<Takes> {
            let (operands, parameters): (usize, usize) = match name {
                $(stringify!($name) => kernels!(@takes $shape [$($p),*]),)*
                _ => return None,
            };
            Some(Takes { operands, parameters })
        }
        /// What the op's own check says of these parameters.
        pub(crate) fn check(name: &str, p: &[f32]) -> Result<(), crate::Error> {
            match name {
                $(stringify!($name) => kernels!(@check $shape p, $body [$($p),*]),)*
                _ => Ok(()),
            }
        }
        /// The body of an element-wise op on these values, with these parameters; `None` unless they are as many as
        /// [`takes`] says.
        pub(crate) fn apply<'b, T: Recorded>(name: &str, x: &[Value<'b, T>], p: &[Param<T>]) -> Option<Value<'b, T>> {
            match name {
                $(stringify!($name) => kernels!(@apply $shape T, x, p, $body [$($p),*]),)*
                _ => None,
            }
        }
    };
    (@takes unary [$($p:expr),*]) => { (1, <[&str]>::len(&[$(stringify!($p)),*])) };
    (@takes binary [$($p:expr),*]) => { (2, <[&str]>::len(&[$(stringify!($p)),*])) };
    (@takes update [$($p:expr),*]) => { (2, <[&str]>::len(&[$(stringify!($p)),*])) };
    (@takes ternary [$($p:expr),*]) => { (3, <[&str]>::len(&[$(stringify!($p)),*])) };
    (@takes $other:ident [$($p:expr),*]) => { return None };
    (@check unary $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@checked 1, $p, $body [$($q),*]) };
    (@check binary $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@checked 2, $p, $body [$($q),*]) };
    (@check update $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@checked 2, $p, $body [$($q),*]) };
    (@check ternary $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@checked 3, $p, $body [$($q),*]) };
    (@check $other:ident $p:ident, $body:tt [$($q:expr),*]) => { Ok(()) };
    (@checked $n:literal, $p:ident, $body:ident []) => { Ok(()) };
    (@checked $n:literal, $p:ident, $body:ident [$($q:expr),+]) => {
        kernels!(@from $p, $body [$($q),+]).map_or(Ok(()), |b| Body::<f32, $n>::check(b))
    };
    (@apply unary $t:ident, $x:ident, $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@eval 1, $t, $x, $p, $body [$($q),*]) };
    (@apply binary $t:ident, $x:ident, $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@eval 2, $t, $x, $p, $body [$($q),*]) };
    (@apply update $t:ident, $x:ident, $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@eval 2, $t, $x, $p, $body [$($q),*]) };
    (@apply ternary $t:ident, $x:ident, $p:ident, $body:ident [$($q:expr),*]) => { kernels!(@eval 3, $t, $x, $p, $body [$($q),*]) };
    (@apply $other:ident $t:ident, $x:ident, $p:ident, $body:tt [$($q:expr),*]) => { None };
    (@eval $n:literal, $t:ident, $x:ident, $p:ident, $body:ident [$($q:expr),*]) => {
        match (<[Value<'b, $t>; $n]>::try_from($x), kernels!(@from $p, $body [$($q),*])) {
            (Ok(x), Some(body)) => Some(body.eval(x)),
            _ => None,
        }
    };
    // The body from a slice of its parameters.
    (@from $p:ident, $body:ident []) => { $p.is_empty().then_some(crate::$body) };
    (@from $p:ident, $body:ident [$a:expr]) => {
        match $p { &[a] => Some(crate::$body(a)), _ => None }
    };
    (@from $p:ident, $body:ident [$a:expr, $b:expr]) => {
        match $p { &[a, b] => Some(crate::$body(a, b)), _ => None }
    };
}
for_each_op!(kernels);
