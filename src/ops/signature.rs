//! The signature of each op as data: its arguments with their kinds and types, from the declarations that its functions
//! are made from.

/// How an argument is passed. On slices and on a backend it has the types of this table, `T` being the argument's [`Argument::ty`].
///
/// | kind | on slices | on a backend |
/// |---|---|---|
/// | `in` | `&[T]` | `Ref<T>` |
/// | `out`, `inout` | `&mut [T]` | `Mut<T>` |
/// | `scratch` | `&mut [T]` | `Workspace<T>`: `()` where the backend has a pool |
/// | `mat`, `vec` | `MatRef<T>`, `VecRef<T>` | `Mat<T>`, `Vec<T>` |
/// | `mat_out`, `mat_inout` | `MatMut<T>` | `MatMut<T>` |
/// | `vec_out`, `vec_inout` | `VecMut<T>` | `VecMut<T>` |
/// | `opt_in`, `opt_out`, `opt_inout`, `opt_mat`, `opt_mat_out` | an `Option` of these | an `Option` of these |
/// | `each_in` | `&[&[T]]` | `&[Ref<T>]` |
/// | `host_in` | `&[T]` | `&[T]`: the host's |
/// | `host_out`, `host_scratch` | `&mut [T]` | `&mut [T]`: the host's |
/// | `image`, `image_out` | `Image<T>`, `ImageMut<T>` | `Image<T>`, `ImageMut<T>` of the backend |
/// | `fft`, `ffts`, `rfft`, `dct`, `convolver`, `complex_convolver` | `T`: a plan, or three | the plan of the backend: `&Self::Fft`, … |
/// | `csr` | `T` | the matrix of the backend: `&Self::Csr` |
/// | `opt_pages` | `T` | `Option<Pages<Ref<u32>>>` |
/// | `by` | the type as it is | the type as it is |
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// The word of the rows.
    pub name: &'static str,
    /// The op reads what the memory holds before the call.
    pub read: bool,
    /// The op writes the memory, and what it holds afterwards is a result.
    pub written: bool,
}

/// An argument.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// Its name, which errors have.
    pub name: &'static str,
    /// How it is passed.
    pub kind: Kind,
    /// The type of its elements, or its own type where the kind is `by`, a plan, a sparse matrix or a table of pages.
    pub ty: &'static str,
}

/// What a function takes and gives, and which threads it runs on.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// The function's name: an op, or another form of one.
    pub op: &'static str,
    /// The trait of [`backend`](crate::backend) with the method of this name, where one has it.
    pub family: Option<&'static str>,
    /// The type parameters, with their bounds.
    pub generics: &'static str,
    /// The arguments in order.
    pub arguments: &'static [Argument],
    /// The type of the result; an empty text stands for none.
    pub result: &'static str,
    /// The function has a form in the module `parallel`, which gives parts to other threads.
    pub threads: bool,
    /// What the documentation of that form adds.
    pub note: Option<&'static str>,
}

/// The kind of a word of the rows.
macro_rules! kind {
    (@ $name:ident $read:literal $written:literal) => {
        $crate::ops::Kind { name: stringify!($name), read: $read, written: $written }
    };
    (in) => { kind!(@ in true false) };
    (out) => { kind!(@ out false true) };
    (inout) => { kind!(@ inout true true) };
    (scratch) => { kind!(@ scratch false false) };
    (mat) => { kind!(@ mat true false) };
    (mat_out) => { kind!(@ mat_out false true) };
    (mat_inout) => { kind!(@ mat_inout true true) };
    (vec) => { kind!(@ vec true false) };
    (vec_out) => { kind!(@ vec_out false true) };
    (vec_inout) => { kind!(@ vec_inout true true) };
    (opt_in) => { kind!(@ opt_in true false) };
    (opt_out) => { kind!(@ opt_out false true) };
    (opt_inout) => { kind!(@ opt_inout true true) };
    (opt_mat) => { kind!(@ opt_mat true false) };
    (opt_mat_out) => { kind!(@ opt_mat_out false true) };
    (each_in) => { kind!(@ each_in true false) };
    (host_in) => { kind!(@ host_in true false) };
    (host_out) => { kind!(@ host_out false true) };
    (host_scratch) => { kind!(@ host_scratch false false) };
    (image) => { kind!(@ image true false) };
    (image_out) => { kind!(@ image_out false true) };
    (fft) => { kind!(@ fft false false) };
    (ffts) => { kind!(@ ffts false false) };
    (rfft) => { kind!(@ rfft false false) };
    (dct) => { kind!(@ dct false false) };
    (convolver) => { kind!(@ convolver false false) };
    (complex_convolver) => { kind!(@ complex_convolver false false) };
    (csr) => { kind!(@ csr false false) };
    (opt_pages) => { kind!(@ opt_pages false false) };
    (by) => { kind!(@ by false false) };
}

/// The type of an argument, written out.
macro_rules! own {
    (fft $t:ty) => {
        concat!("&Fft<'_, ", stringify!($t), ">")
    };
    (ffts $t:ty) => {
        concat!("[&Fft<'_, ", stringify!($t), ">; 3]")
    };
    (rfft $t:ty) => {
        concat!("&RealFft<'_, ", stringify!($t), ">")
    };
    (dct $t:ty) => {
        concat!("&Dct<'_, ", stringify!($t), ">")
    };
    (convolver $t:ty) => {
        concat!("&Convolver<'_, ", stringify!($t), ">")
    };
    (complex_convolver $t:ty) => {
        concat!("&ComplexConvolver<'_, ", stringify!($t), ">")
    };
    (csr $t:ty) => {
        concat!("Csr<'_, ", stringify!($t), ">")
    };
    (opt_pages $t:ty) => {
        concat!("Option<Pages<&[", stringify!($t), "]>>")
    };
    ($kind:ident $t:ty) => {
        stringify!($t)
    };
}

/// One entry of the table.
macro_rules! signature {
    ($op:ident $family:tt $threads:tt [$($note:literal)?] [$($g:ident: $bound:path)?] [$($arg:ident: $kind:ident $ty:ty),* $(,)?] $result:tt) => {
        Signature {
            op: stringify!($op),
            family: signature!(@some $family),
            generics: concat!($(stringify!($g), ": ", stringify!($bound))?),
            arguments: &[$(Argument { name: stringify!($arg), kind: kind!($kind), ty: own!($kind $ty) }),*],
            result: signature!(@result $result),
            threads: signature!(@threads $threads),
            note: signature!(@some [$($note)?]),
        }
    };
    (@some []) => { None };
    (@some [$text:literal]) => { Some($text) };
    (@some [$name:ident]) => { Some(stringify!($name)) };
    (@result []) => { "" };
    (@result [$ret:ident]) => { stringify!($ret) };
    (@result [$ret:ident $of:ty]) => { concat!(stringify!($ret), "<", stringify!($of), ">") };
    (@threads serial) => { false };
    (@threads threads) => { true };
    (@threads unit) => { true };
}

/// The entries of a list of rows; see `src/forms.rs`.
macro_rules! signatures {
    ($family:tt $path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $name:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       $arguments:tt $(-> $ret:ident $(<$of:ty>)?)?;)*) => {
        &[$(signatures! { @ $family $how [$($note)?] [$(<$($g: $bound)?>)?] $name $arguments [$($ret $($of)?)?] }),*]
    };
    (@ $family:tt $how:ident $note:tt [] $name:ident ($($arguments:tt)*) $ret:tt) => {
        signature! { $name $family $how $note [T: Element] [$($arguments)*] $ret }
    };
    (@ $family:tt $how:ident $note:tt [<$($g:ident: $bound:path)?>] $name:ident ($($arguments:tt)*) $ret:tt) => {
        signature! { $name $family $how $note [$($g: $bound)?] [$($arguments)*] $ret }
    };
}

/// The lists of all families.
macro_rules! families {
    ($($(#[$doc:meta])* $kind:ident $Trait:ident $(<$p:ident: $bound:path>)? $(#[$cfg:meta])? $(: $needed:path)? [$($($list:ident)::+)*];)*) => {
        pub(super) const OWN: &[&[Signature]] = &[$($(families!(@$kind $Trait $($list)::+)),*),*];
    };
    (@forms $Trait:ident $($list:ident)::+) => { $($list)::+! { signatures [] } };
    (@$kind:ident $Trait:ident $($list:ident)::+) => { $($list)::+! { signatures [$Trait] } };
}
crate::families::for_each_family! { families }

/// Those of the rows whose shape is their signature.
macro_rules! regular {
    ($($shape:ident $name:ident $f:tt $body:tt [$($p:ident: $value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        pub(super) const REGULAR: &[&[Signature]] = &[$(regular!(@$shape $name [$($p: by T,)*])),*];
    };
    (@unary $name:ident [$($p:tt)*]) => { regular!(+ $name Elementwise [x: in T, $($p)* out: out T]) };
    (@binary $name:ident [$($p:tt)*]) => { regular!(+ $name Elementwise [a: in T, b: in T, $($p)* out: out T]) };
    (@ternary $name:ident []) => { regular!(+ $name Elementwise [a: in T, b: in T, c: in T, out: out T]) };
    (@update $name:ident [$($p:tt)*]) => { regular!(+ $name Elementwise [$($p)* x: in T, y: inout T]) };
    (@rows $name:ident []) => { regular!(+ $name Rows [x: in T, cols: by usize, out: out T]) };
    (@rows_eps $name:ident []) => { regular!(+ $name Rows [x: in T, cols: by usize, eps: by T, out: out T]) };
    (@rows_scale $name:ident []) => { regular!(+ $name Rows [x: in T, gamma: in T, eps: by T, out: out T]) };
    (@rows_affine $name:ident []) => { regular!(+ $name Rows [x: in T, gamma: in T, beta: in T, eps: by T, out: out T]) };
    (@$other:ident $name:ident []) => { &[] };
    (+ $name:ident $family:ident $arguments:tt) => { &[signature! { $name [$family] threads [] [T: Element] $arguments [Result ()] }] };
}
crate::for_each_op!(regular);

/// The functions of all rows: those of regular shape, then those whose rows stand beside their bodies. Each op is one of them.
pub fn signatures() -> impl Iterator<Item = &'static Signature> {
    [REGULAR, OWN].into_iter().flatten().copied().flatten()
}
