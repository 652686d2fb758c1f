//! The macros that make every form of an op from its declaration: the function, the one for a given instruction set,
//! the in-place one. A signature is written once.
//!
//! ```text
//! ops! { $ list in crate::path::of::this::file;
//!     /// The op's documentation.
//!     threads op, op_on, op_by (x: in T, cols: by usize, out: out T, workspace: scratch T) -> Result<()>;
//! }
//! ```
//!
//! `op_by` is the hand-written body: its first arguments are an executor and an instruction set. The row generates `op`
//! and `op_on` here, and, by the macro `list`, the function of [`parallel`](crate::parallel), the method of
//! [`backend`](crate::backend) and the entry of the table [`signatures`](crate::ops::signatures()). `threads` means
//! that the body passes parts to other threads; a text after it is added to the documentation of that form. `serial`
//! means that the op runs on the calling thread: its body takes no executor. `unit` replaces `threads` on a unit
//! without lanes (AMX), whose token is the first argument: the body takes no instruction set, and `none` replaces the
//! name of `op_on`. The `cfg` of a feature that compiles the bodies of a list follows the path. An op is generic over
//! `T: Element`, over the parameters after its name (`op<B: crate::quant::Block>`), or over nothing (`op<>`). An
//! argument is `name: kind type`:
//!
//! | kind | on slices | on a backend |
//! |---|---|---|
//! | `in` | `&[T]` | `Ref<T>` |
//! | `out`, `inout` | `&mut [T]` | `Mut<T>` |
//! | `scratch` | `&mut [T]` | `Workspace<T>`: `()` where the backend has a pool |
//! | `mat`, `vec` | `MatRef<T>`, `VecRef<T>` | `Mat<T>`, `Vec<T>` |
//! | `mat_out`, `mat_inout` | `MatMut<T>` | `MatMut<T>` |
//! | `vec_out`, `vec_inout` | `VecMut<T>` | `VecMut<T>` |
//! | `opt_in`, `opt_out`, `opt_inout`, `opt_mat`, `opt_mat_out` | an `Option` of these | an `Option` of these |
//! | `each_in` | `&[&[T]]` | `&[Ref<T>]` |
//! | `host_in` | `&[T]` | `&[T]`: the host's |
//! | `host_out`, `host_scratch` | `&mut [T]` | `&mut [T]`: the host's |
//! | `image`, `image_out` | `Image<T>`, `ImageMut<T>` | `Image<T>`, `ImageMut<T>` of the backend |
//! | `fft`, `ffts`, `rfft`, `dct`, `convolver`, `complex_convolver` | `&Fft<T>`, three of them, `&RealFft<T>`, … | the plan of the backend: `&Self::Fft`, … |
//! | `csr` | `Csr<T>` | the matrix of the backend: `&Self::Csr` |
//! | `opt_pages` | `Option<Pages<&[T]>>` | `Option<Pages<Ref<T>>>` |
//! | `by` | the type as it is | the type as it is |
//!
//! The number that an op gives is, on a backend, a last argument `out`: a view of one element, of `u32` for a position. Only the families of hosts alone
//! return it. So `Result<Complex<T> >` has a space: a macro sees one sign in `>>`.
//!
//! `inout` is read before it is written; `out` is written alone; `scratch` holds nothing that matters before or after.
//! after.

/// See the module.
macro_rules! ops {
    ($d:tt $list:ident in $($path:ident)::+ $(#[$cfg:meta])?; $($row:tt)*) => {
        $crate::forms::on_slices! { plain [$(#[$cfg])?] $($row)* }
        $crate::forms::list! { $d $list in $($path)::+ $(#[$cfg])?; $($row)* }
    };
}

/// As [`ops`], of ops whose contracts are of all of their operands and of the one result.
macro_rules! checked_ops {
    ($d:tt $list:ident in $($path:ident)::+; $($row:tt)*) => {
        $crate::forms::on_slices! { checked [] $($row)* }
        $crate::forms::list! { $d $list in $($path)::+; $($row)* }
    };
}

/// The macro `$list`, which calls another macro with the rows, behind its arguments and the path of the bodies.
macro_rules! list {
    ($d:tt $list:ident in $($path:ident)::+ $(#[$cfg:meta])?; $($row:tt)*) => {
        macro_rules! $list {
            ($d callback:ident $d ($d argument:tt)*) => {
                $d callback! { $d ($d argument)* [$(#[$cfg])? $($path)::+] $($row)* }
            };
        }
        pub(crate) use $list;
    };
}

/// `op` and `op_on` of each row.
macro_rules! on_slices {
    ($entry:ident $cfg:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $name:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       ($($arg:ident: $kind:ident $ty:ty),* $(,)?) $(-> $ret:ident $(<$of:ty>)?)?;)*) => {
        $($crate::forms::on_slices! { @$how $entry $cfg [$(<$($g: $bound)?>)?] $(#[$doc])* $name $on $by ($($arg: $kind $ty),*) $(-> $ret $(<$of>)?)? })*
    };
    (@$how:ident $entry:ident $cfg:tt [] $($row:tt)*) => { $crate::forms::on_slices! { @$how $entry $cfg [<T: $crate::Element>] $($row)* } };
    (@unit plain [$(#[$cfg:meta])?] [<>] $(#[$doc:meta])* $name:ident $on:ident $by:ident
       ($($arg:ident: $kind:ident $ty:ty),*) -> $ret:ident $(<$of:ty>)?) => {
        $(#[$cfg])?
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $name($($arg: $crate::forms::slice!($kind $ty)),*) -> $crate::forms::returned!($ret $(<$of>)?) {
            $crate::forms::named!([$ret] $name at serial $crate::lanes::native(), ($($arg: $kind),*), $by($crate::lanes::executor::Serial, $($arg),*))
        }
    };
    (@$how:ident $entry:ident [$(#[$cfg:meta])?] [<$($g:ident: $bound:path)?>] $(#[$doc:meta])* $name:ident $on:ident $by:ident
       ($($arg:ident: $kind:ident $ty:ty),*) $(-> $ret:ident $(<$of:ty>)?)?) => {
        $(#[$cfg])?
        $(#[$doc])*
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $name $(<$g: $bound>)? ($($arg: $crate::forms::slice!($kind $ty)),*) $(-> $crate::forms::returned!($ret $(<$of>)?))? {
            $on($crate::lanes::native(), $($arg),*)
        }
        $(#[$cfg])?
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        pub fn $on<S: $crate::lanes::Simd $(, $g: $bound)?>(s: S, $($arg: $crate::forms::slice!($kind $ty)),*)
            $(-> $crate::forms::returned!($ret $(<$of>)?))?
        {
            $crate::forms::named!([$($ret)?] $name at serial s, ($($arg: $kind),*), $crate::forms::entry!($how $entry $name $by s ($($arg),*)))
        }
    };
}

/// The call of a body on this thread, with the contract's check of what it did where that needs the operands alone.
macro_rules! entry {
    ($how:ident checked $name:ident $by:ident $s:ident ($($arg:ident),*)) => {
        $crate::contract::contract!($name, $crate::forms::entry!($how plain $name $by $s ($($arg),*)), of [$($arg),*])
    };
    (serial plain $name:ident $by:ident $s:ident ($($arg:ident),*)) => { $by($s, $($arg),*) };
    (threads plain $name:ident $by:ident $s:ident ($($arg:ident),*)) => { $by($crate::lanes::executor::Serial, $s, $($arg),*) };
}

/// The type of an argument on slices.
macro_rules! slice {
    (in $t:ty) => { &[$t] };
    (out $t:ty) => { &mut [$t] };
    (inout $t:ty) => { &mut [$t] };
    (scratch $t:ty) => { &mut [$t] };
    (mat $t:ty) => { $crate::MatRef<'_, $t> };
    (mat_out $t:ty) => { $crate::MatMut<'_, $t> };
    (mat_inout $t:ty) => { $crate::MatMut<'_, $t> };
    (vec $t:ty) => { $crate::VecRef<'_, $t> };
    (vec_out $t:ty) => { $crate::VecMut<'_, $t> };
    (vec_inout $t:ty) => { $crate::VecMut<'_, $t> };
    (opt_in $t:ty) => { Option<&[$t]> };
    (opt_out $t:ty) => { Option<&mut [$t]> };
    (opt_inout $t:ty) => { Option<&mut [$t]> };
    (opt_mat $t:ty) => { Option<$crate::MatRef<'_, $t>> };
    (opt_mat_out $t:ty) => { Option<$crate::MatMut<'_, $t>> };
    (each_in $t:ty) => { &[&[$t]] };
    (host_in $t:ty) => { &[$t] };
    (host_out $t:ty) => { &mut [$t] };
    (host_scratch $t:ty) => { &mut [$t] };
    (image $t:ty) => { $crate::Image<'_, $t> };
    (image_out $t:ty) => { $crate::ImageMut<'_, $t> };
    (fft $t:ty) => { &$crate::Fft<'_, $t> };
    (ffts $t:ty) => { [&$crate::Fft<'_, $t>; 3] };
    (rfft $t:ty) => { &$crate::RealFft<'_, $t> };
    (dct $t:ty) => { &$crate::Dct<'_, $t> };
    (convolver $t:ty) => { &$crate::Convolver<'_, $t> };
    (complex_convolver $t:ty) => { &$crate::ComplexConvolver<'_, $t> };
    (csr $t:ty) => { $crate::Csr<'_, $t> };
    (opt_pages $t:ty) => { Option<$crate::Pages<&[$t]>> };
    (by $t:ty) => { $t };
}

/// Evaluates a call of the op `$name`, and adds the name to its error. With `at` and the feature `trace`, the call is a span: after `at`
/// stand the executor and the instruction set, then the operands with their kinds of [`ops`], then `as` and the type of a `map`'s body.
macro_rules! named {
    ([Result] $name:ident, $call:expr) => {{
        const OP: $crate::error::OpName = $crate::error::OpName::of(stringify!($name));
        $call.map_err(|e| e.of(OP))
    }};
    ([Result] $name:ident at $place:ident $s:expr, $operands:tt $(as $body:ty)?, $call:expr) => {{
        $crate::forms::span!(const { $crate::error::OpName::of(stringify!($name)) }, at $place $s, $operands $(as $body)?);
        $crate::forms::named!([Result] $name, $call)
    }};
    ([$($ret:ident)?] $name:ident at $place:ident $s:expr, $operands:tt, $call:expr) => {{
        $crate::forms::span!(const { $crate::error::OpName::of(stringify!($name)) }, at $place $s, $operands);
        $call
    }};
}

/// Opens a [span](crate::trace::Span), which ends with the enclosing block. Without the feature `trace` it expands to nothing.
#[cfg(feature = "trace")]
macro_rules! span {
    ($op:expr, of $info:expr) => {
        let mut state = $crate::trace::SpanState::default();
        let _span = $crate::trace::Span::open(&mut state, || $crate::trace::SpanInfo { op: $op, ..$info });
    };
    ($op:expr, at $place:ident $s:expr, ($($arg:ident: $kind:ident),*) $(as $body:ty)?) => {
        let mut state = $crate::trace::SpanState::default();
        let _span = $crate::trace::Span::open(&mut state, || {
            #[allow(unused_mut, reason = "some ops have no operands in memory")]
            let mut traffic = $crate::trace::Traffic::default();
            $($crate::forms::count!($kind traffic $arg);)*
            $crate::trace::SpanInfo {
                op: $op,
                body: [$(core::any::type_name::<$body>(),)? ""][0],
                backend: stringify!($place),
                lane: $crate::trace::lane(&$s),
                traffic,
            }
        });
    };
}
#[cfg(not(feature = "trace"))]
macro_rules! span {
    ($($_:tt)*) => {};
}

/// Adds an operand of a kind of [`ops`] to the traffic of a span.
#[cfg(feature = "trace")]
macro_rules! count {
    (in $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (mat $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (vec $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (each_in $traffic:ident $x:ident) => {
        $x.iter().for_each(|x| $traffic.read(x))
    };
    (opt_in $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (opt_mat $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (host_in $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (image $traffic:ident $x:ident) => {
        $traffic.read(&$x)
    };
    (out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (mat_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (vec_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (opt_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (opt_mat_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (host_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (image_out $traffic:ident $x:ident) => {
        $traffic.written(&$x)
    };
    (inout $traffic:ident $x:ident) => {
        $traffic.updated(&$x)
    };
    (mat_inout $traffic:ident $x:ident) => {
        $traffic.updated(&$x)
    };
    (vec_inout $traffic:ident $x:ident) => {
        $traffic.updated(&$x)
    };
    (opt_inout $traffic:ident $x:ident) => {
        $traffic.updated(&$x)
    };
    // Scratch, numbers, plans, and operands of more than one slice are not counted.
    ($kind:ident $traffic:ident $x:ident) => {};
}

/// What an op returns: `Result<…>` is one with [`Error`](crate::Error).
macro_rules! returned {
    (Result<$t:ty>) => { Result<$t, $crate::Error> };
    ($t:ident) => { $t };
    ($t:ident<$of:ty>) => { $t<$of> };
}

#[cfg(feature = "trace")]
pub(crate) use count;
pub(crate) use {checked_ops, entry, list, named, on_slices, ops, returned, slice, span};
