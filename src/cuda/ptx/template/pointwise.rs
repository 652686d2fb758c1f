//! `out[i] = body(x₀[i], x₁[i], …)`.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{F32, F64, U32, U64};
use crate::alu::{Body, Real};
use crate::for_each_op;
use alloc::format;
use alloc::vec::Vec;

/// Each thread takes every so-many-th element, so any grid does. Parameters: the inputs, `out`, the number of
/// elements (`U32`, up to 2³¹ less the threads of the grid).
pub fn pointwise<T: Recorded, B: Body<T::Elem, N>, const N: usize>(
    name: &str,
    body: B,
) -> Result<Kernel, Error> {
    body.check().map_err(|_| Error::Arguments)?;
    let b = Builder::new(name);
    let x: [_; N] = core::array::from_fn(|_| b.param::<U64>());
    let (out, n) = (b.param::<U64>(), b.param::<U32>());
    let width = b.special(Special::NtidX);
    let start = b.special(Special::CtaidX) * width + b.special(Special::TidX);
    let step = b.special(Special::NctaidX) * width;
    b.count::<U32, T>([start, n, step], 1, &[], |i, _| {
        let offset = i.wide(b.int(i64::from(T::TYPE.bytes())));
        let v = body.eval(x.map(|x| b.load::<T>(Space::Global, x + offset, 0)));
        b.store(Space::Global, out + offset, 0, v);
        Vec::new()
    });
    b.finish()
}

macro_rules! kernels {
    ($($shape:ident $name:ident($($f:ident),*) $body:ident [$($p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// The kernel of an element-wise op of the list, with the parameters of its row; `None` for an op of another
        /// shape and for an element type other than `F32` and `F64`.
        #[must_use]
        pub fn op<T: OfRow>(name: &str) -> Option<Result<Kernel, Error>> {
            T::of_row(name)
        }
        /// The element types of the list.
        pub trait OfRow: Recorded {
            #[doc(hidden)]
            fn of_row(name: &str) -> Option<Result<Kernel, Error>>;
            /// The body of an element-wise op on these values.
            #[doc(hidden)]
            fn apply<'b>(name: &str, x: &[Value<'b, Self>]) -> Option<Value<'b, Self>>;
        }
        impl OfRow for F32 {
            fn of_row(name: &str) -> Option<Result<Kernel, Error>> {
                Some(match name {
                    $(stringify!($name) => kernels!(@$shape Self, $name, $body [$($p),*]),)*
                    _ => return None,
                })
            }
            fn apply<'b>(name: &str, x: &[Value<'b, Self>]) -> Option<Value<'b, Self>> {
                match name {
                    $(stringify!($name) => kernels!(@apply $shape x, $body [$($p),*]),)*
                    _ => None,
                }
            }
        }
        impl OfRow for F64 {
            fn of_row(name: &str) -> Option<Result<Kernel, Error>> {
                Some(match name {
                    $(stringify!($name) => kernels!(@$shape Self, $name, $body [$($p),*]),)*
                    _ => return None,
                })
            }
            fn apply<'b>(name: &str, x: &[Value<'b, Self>]) -> Option<Value<'b, Self>> {
                match name {
                    $(stringify!($name) => kernels!(@apply $shape x, $body [$($p),*]),)*
                    _ => None,
                }
            }
        }
    };
    (@apply unary $x:ident, $body:ident [$($p:expr),*]) => { kernels!(@eval 1, $x, $body [$($p),*]) };
    (@apply binary $x:ident, $body:ident [$($p:expr),*]) => { kernels!(@eval 2, $x, $body [$($p),*]) };
    (@apply update $x:ident, $body:ident [$($p:expr),*]) => { kernels!(@eval 2, $x, $body [$($p),*]) };
    (@apply ternary $x:ident, $body:ident [$($p:expr),*]) => { kernels!(@eval 3, $x, $body [$($p),*]) };
    (@apply $other:ident $x:ident, $body:ident [$($p:expr),*]) => { None };
    (@eval $n:literal, $x:ident, $body:ident [$($p:expr),*]) => {
        <[Value<'b, Self>; $n]>::try_from($x).ok().map(|x| kernels!(@body $body $($p)*).eval(x))
    };
    (@unary $t:ty, $name:ident, $body:ident [$($p:expr),*]) => {
        pointwise::<$t, _, 1>(&format!("{}_{}", stringify!($name), <$t as Recorded>::Elem::NAME), kernels!(@body $body $($p)*))
    };
    (@binary $t:ty, $name:ident, $body:ident [$($p:expr),*]) => {
        pointwise::<$t, _, 2>(&format!("{}_{}", stringify!($name), <$t as Recorded>::Elem::NAME), kernels!(@body $body $($p)*))
    };
    (@update $t:ty, $name:ident, $body:ident [$($p:expr),*]) => {
        pointwise::<$t, _, 2>(&format!("{}_{}", stringify!($name), <$t as Recorded>::Elem::NAME), kernels!(@body $body $($p)*))
    };
    (@ternary $t:ty, $name:ident, $body:ident [$($p:expr),*]) => {
        pointwise::<$t, _, 3>(&format!("{}_{}", stringify!($name), <$t as Recorded>::Elem::NAME), kernels!(@body $body $($p)*))
    };
    (@body $body:ident) => { crate::$body };
    (@body $body:ident $($p:expr)+) => { crate::$body($($p),+) };
    (@$other:ident $t:ty, $name:ident, $body:ident [$($p:expr),*]) => { return None };
}
for_each_op!(kernels);
