//! Makes the parallel form of each op that is declared as one which threads may share.

use super::Threads;
use crate::forms::{returned, slice};
use crate::image::{
    Affine, Border, Flip, Kernel, Luma, Normalization, ResizePlan, Sampler, ThresholdKind, Turn, Yuv,
};
use crate::lanes::{Simd, native};
use crate::*;

/// The functions of a list of rows; see [`crate::forms`].
macro_rules! on_threads {
    ($path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $name:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       ($($arg:ident: $kind:ident $ty:ty),* $(,)?) $(-> $ret:ident $(<$of:ty>)?)?;)*) => {
        $(on_threads! { @$how $path [$($note)?] [$(<$($g: $bound)?>)?] $name $on $by ($($arg: $kind $ty),*) $(-> $ret $(<$of>)?)? })*
    };
    (@serial $($row:tt)*) => {};
    (@threads $path:tt $note:tt [] $($row:tt)*) => { on_threads! { @threads $path $note [<T: Element>] $($row)* } };
    (@unit [$(#[$cfg:meta])? $($path:ident)::+] [$($note:literal)?] [<>] $name:ident $on:ident $by:ident ($($arg:ident: $kind:ident $ty:ty),*)
       -> $ret:ident $(<$of:ty>)?) => {
        $(#[$cfg])?
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on rayon's threads, same bits.")]
        $(
            #[doc = ""]
            #[doc = $note]
        )?
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $name($($arg: slice!($kind $ty)),*) -> returned!($ret $(<$of>)?) {
            crate::forms::named!([$ret] $name at threads native(), ($($arg: $kind),*), $($path)::+::$by(Threads, $($arg),*))
        }
    };
    (@threads [$(#[$cfg:meta])? $($path:ident)::+] [$($note:literal)?] [<$($g:ident: $bound:path)?>] $name:ident $on:ident $by:ident ($($arg:ident: $kind:ident $ty:ty),*)
       $(-> $ret:ident $(<$of:ty>)?)?) => {
        $(#[$cfg])?
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on rayon's threads, same bits.")]
        $(
            #[doc = ""]
            #[doc = $note]
        )?
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $name $(<$g: $bound>)? ($($arg: slice!($kind $ty)),*) $(-> returned!($ret $(<$of>)?))? {
            $on(native(), $($arg),*)
        }
        $(#[$cfg])?
        #[doc = concat!("[`", stringify!($name), "`](crate::parallel::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $on<S: Simd $(, $g: $bound)?>(s: S, $($arg: slice!($kind $ty)),*) $(-> returned!($ret $(<$of>)?))? {
            crate::forms::named!([$($ret)?] $name at threads s, ($($arg: $kind),*), $($path)::+::$by(Threads, s, $($arg),*))
        }
    };
}

/// The functions of all lists.
macro_rules! families {
    ($($(#[$doc:meta])* $kind:ident $Trait:ident $(<$p:ident: $bound:path>)? $(#[$cfg:meta])? $(: $needed:path)? [$($($list:ident)::+)*];)*) => { $($($($list)::+! { on_threads })*)* };
}
crate::families::for_each_family! { families }
