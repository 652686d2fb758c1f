//! The forms of an op that are made from its body.

/// `op` and `op_on` from `op_by`, whose first arguments say how parts run and on which lanes.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident, $on:ident, $by:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
        pub fn $name<T: $crate::Element>($($arg: $ty),*) -> $ret {
            $on($crate::lanes::native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
        pub fn $on<S: $crate::lanes::Simd, T: $crate::Element>(s: S, $($arg: $ty),*) -> $ret {
            $by($crate::lanes::executor::Serial, s, $($arg),*)
        }
    )*};
}
pub(crate) use forms;
