//! The element-wise ops on one element: the body, and so the bits, are those of the op on a slice.
//!
//! The functions are generated from the list of ops: each op of one, two or three inputs is here under its name. Those
//! with parameters return a `Result`, as the check of the body may refuse them.
//!
//! ```
//! use fulmen::scalar;
//! assert_eq!(scalar::relu(-1.5f32), 0.0);
//! assert_eq!(scalar::lerp(1.0f64, 3.0, 0.25)?, 1.5);
//! assert!(scalar::clamp(1.0f32, 2.0, 1.0).is_err());
//! # Ok::<(), fulmen::Error>(())
//! ```

use crate::alu::Body;
use crate::error::Error;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Native, Simd, native};

/// `body` in every lane of a register, of which one is taken.
#[inline]
fn one<T: Element, B: Body<T, N>, const N: usize>(body: B, x: [T; N]) -> T {
    let s = native();
    s.vectorize(
        #[inline(always)]
        || body.eval(x.map(|x| T::Vec::<Native>::splat(s, x))).lane0(),
    )
}

macro_rules! scalars {
    ($($shape:ident $name:ident($f:ident $(, $more:ident)*) $body:tt [$($parameter:ident: $value:expr),*]
       $family:ident, $gpu:ident $(: $why:literal)?;)*) => {$(
        scalars! { @$shape $f $body [$($parameter),*] }
    )*};
    (@unary $f:ident $body:ident []) => { scalars! { $f $body (x) } };
    (@unary $f:ident $body:ident [$($p:ident),+]) => { scalars! { $f $body (x) ($($p),+) } };
    (@binary $f:ident $body:ident []) => { scalars! { $f $body (a, b) } };
    (@binary $f:ident $body:ident [$($p:ident),+]) => { scalars! { $f $body (a, b) ($($p),+) } };
    (@ternary $f:ident $body:ident []) => { scalars! { $f $body (a, b, c) } };
    (@$other:ident $($row:tt)*) => {};

    ($f:ident $body:ident ($($x:ident),+)) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) of one element.")]
        #[inline]
        pub fn $f<T: Element>($($x: T),+) -> T {
            one(crate::$body, [$($x),+])
        }
    };
    ($f:ident $body:ident ($($x:ident),+) ($($p:ident),+)) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "()) of one element. Errors: as there, of the parameters.")]
        #[inline]
        pub fn $f<T: Element>($($x: T,)+ $($p: T),+) -> Result<T, Error> {
            let body = crate::$body($($p),+);
            Body::<T, { [$(stringify!($x)),+].len() }>::check(body)?;
            Ok(one(body, [$($x),+]))
        }
    };
}
crate::for_each_op!(scalars);
