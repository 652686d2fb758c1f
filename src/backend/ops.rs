//! The backend traits, generic over the element type. The list of ops generates the methods of most of them, so a new
//! op is a new method of every backend.

#[cfg(feature = "parallel")]
use super::Threads;
use super::typed::*;
use super::{Bodies, Cpu, Done, Made, Memory, Plain, Plans, SparseMatrices, Transfer};
use crate::image::{
    Affine, Border, Flip, Kernel, Luma, Norm, Normalization, ResizePlan, Sampler, ThresholdKind, Turn, Yuv,
};
use crate::lanes::{Element, Simd};
use crate::nn::*;
use crate::pointwise::*;
use crate::{
    Adagrad, Adam, Biquad, Complex, Conjugate, Csr, Diagonal, Direction, EinsumPlan, Error, Extent, Momentum,
    Pad, RotM, Side, Triangle,
};

/// A trait that is nothing but others.
macro_rules! all_of {
    ($(#[$doc:meta])* $Trait:ident { $first:path $(, $other:path)* }) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: $first $(+ $other)* {}
        impl<T: Element, B: $first $(+ $other)*> $Trait<T> for B {}
    };
}
all_of! {
    /// Everything that each machine has, over elements of this type: threads of a CPU and devices.
    Backend {
        Elementwise<T>, Bodies<T>, Rows<T>, Reductions<T>, Products<T>, Layers<T>, Blas<T>, Network<T>, Analysis<T>, ComplexAlgebra<T>, Contractions<T>, Solvers<T>, Integers,
        Plans<T>, Transforms<T>, SparseMatrices<T>, SparseProducts<T>, Quantised, Images, Random<T>, RandomBits, RandomFlags<u32>, RandomIntegers<u32>, Caches<f32>, Scratch,
        Transfer<T>, Transfer<u32>
    }
}
all_of! {
    /// Everything that a CPU has: [`Backend`], and what no device has.
    HostBackend {
        Backend<T>, HostOps<T>, HostSparse<T>, HostQuantised, HostRandom, Scales, Compression, FixedPoint, HostImages
    }
}

/// One method: its declaration, or what it calls on this thread or on rayon's. `[f]` is a function of the crate and of
/// `parallel`, `{f}` one whose first argument is an executor.
macro_rules! method {
    (declare $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        fn $f(&self, $($arg: $ty),*) -> $ret;
    };
    (gpu $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        fn $f(&self, $($arg: $ty),*) -> $ret {
            // The device's own method.
            Self::$f(self, $($arg),*)
        }
    };
    ($mode:ident $f:ident ($($arg:ident: $ty:ty),*) -> $ret:ty = $how:tt ($($call:expr),*)) => {
        #[inline]
        fn $f(&self, $($arg: $ty),*) -> $ret {
            method!(@$mode $f $how self.0 ($($call),*))
        }
    };
    (@cpu $f:ident [$on:ident] $s:tt.$i:tt ($($call:expr),*)) => { crate::$on($s.$i, $($call),*) };
    (@threads $f:ident [$on:ident] $s:tt.$i:tt ($($call:expr),*)) => { crate::parallel::$on($s.$i, $($call),*) };
    (@cpu $f:ident {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { crate::forms::named!([Result] $f at serial $s.$i, (), $by(crate::lanes::executor::Serial, $s.$i, $($call),*)) };
    (@threads $f:ident {$by:ident} $s:tt.$i:tt ($($call:expr),*)) => { crate::forms::named!([Result] $f at threads $s.$i, (), $by(crate::parallel::Threads, $s.$i, $($call),*)) };
}

/// The methods of the regular rows of the list.
macro_rules! regular {
    ($mode:ident $want:ident
     $($shape:ident $name:ident $f:tt $body:tt [$($parameter:ident: $value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {$(
        regular! { @$want $shape $mode $f $body [$($parameter),*] }
    )*};
    (@elementwise ternary $mode:ident ($f:ident, $on:ident) $body:ident []) => {
        method! { $mode $f (a: Self::Ref<'_, T>, b: Self::Ref<'_, T>, c: Self::Ref<'_, T>, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (a, b, c, out) }
    };
    (@elementwise update $mode:ident ($f:ident, $on:ident) $body:ident [$p:ident]) => {
        method! { $mode $f ($p: T, x: Self::Ref<'_, T>, y: Self::Mut<'_, T>) -> Made<Self> = [$on] ($p, x, y) }
    };
    (@rows rows $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, cols: usize, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, cols, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, cols: usize) -> Made<Self> = {rows_in_place_by} ($body(cols), x) }
    };
    (@rows rows_eps $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, cols: usize, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, cols, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, cols: usize, eps: T) -> Made<Self> = {rows_in_place_by} ($body(cols, eps), x) }
    };
    (@rows rows_scale $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, gamma, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, gamma: Self::Ref<'_, T>, eps: T) -> Made<Self> = {rows_in_place_by} ($body { gamma, eps }, x) }
    };
    (@rows rows_affine $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident []) => {
        method! { $mode $f (x: Self::Ref<'_, T>, gamma: Self::Ref<'_, T>, beta: Self::Ref<'_, T>, eps: T, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x, gamma, beta, eps, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T>, gamma: Self::Ref<'_, T>, beta: Self::Ref<'_, T>, eps: T) -> Made<Self> = {rows_in_place_by} ($body { gamma, beta, eps }, x) }
    };
    (@elementwise unary $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        method! { $mode $f (x: Self::Ref<'_, T> $(, $p: T)*, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (x $(, $p)*, out) }
        method! { $mode $in_place (x: Self::Mut<'_, T> $(, $p: T)*) -> Made<Self> = {map_in_place_by} (regular!(=body $body $($p)*), x) }
    };
    (@elementwise binary $mode:ident ($f:ident, $on:ident, $in_place:ident) $body:ident [$($p:ident),*]) => {
        method! { $mode $f (a: Self::Ref<'_, T>, b: Self::Ref<'_, T> $(, $p: T)*, out: Self::Mut<'_, T>) -> Made<Self> = [$on] (a, b $(, $p)*, out) }
        method! { $mode $in_place (a: Self::Mut<'_, T>, b: Self::Ref<'_, T> $(, $p: T)*) -> Made<Self> = {zip_in_place_by} (regular!(=body $body $($p)*), a, b) }
    };
    (@$want:ident $shape:ident $($row:tt)*) => {};
    (=body $body:ident) => { $body };
    (=body $body:ident $($p:ident)+) => { $body($($p),+) };
}

/// The type of an argument on a backend; see [`crate::forms`].
macro_rules! memory {
    (in $t:ty) => { Self::Ref<'_, $t> };
    (out $t:ty) => { Self::Mut<'_, $t> };
    (inout $t:ty) => { Self::Mut<'_, $t> };
    (scratch $t:ty) => { Self::Workspace<'_, $t> };
    (mat $t:ty) => { Self::Mat<'_, $t> };
    (mat_out $t:ty) => { Self::MatMut<'_, $t> };
    (mat_inout $t:ty) => { Self::MatMut<'_, $t> };
    (vec $t:ty) => { Self::Vec<'_, $t> };
    (vec_out $t:ty) => { Self::VecMut<'_, $t> };
    (vec_inout $t:ty) => { Self::VecMut<'_, $t> };
    (opt_in $t:ty) => { Option<Self::Ref<'_, $t>> };
    (opt_out $t:ty) => { Option<Self::Mut<'_, $t>> };
    (opt_inout $t:ty) => { Option<Self::Mut<'_, $t>> };
    (opt_mat $t:ty) => { Option<Self::Mat<'_, $t>> };
    (opt_mat_out $t:ty) => { Option<Self::MatMut<'_, $t>> };
    (each_in $t:ty) => { &[Self::Ref<'_, $t>] };
    (host_in $t:ty) => { &[$t] };
    (host_out $t:ty) => { &mut [$t] };
    (host_scratch $t:ty) => { &mut [$t] };
    (image $t:ty) => { Self::Image<'_, $t> };
    (image_out $t:ty) => { Self::ImageMut<'_, $t> };
    (fft $t:ty) => { &<Self as Plans<$t>>::Fft<'_> };
    (ffts $t:ty) => { [&<Self as Plans<$t>>::Fft<'_>; 3] };
    (rfft $t:ty) => { &<Self as Plans<$t>>::RealFft<'_> };
    (dct $t:ty) => { &<Self as Plans<$t>>::Dct<'_> };
    (convolver $t:ty) => { &<Self as Plans<$t>>::Convolver<'_> };
    (complex_convolver $t:ty) => { &<Self as Plans<$t>>::ComplexConvolver<'_> };
    (csr $t:ty) => { &<Self as SparseMatrices<$t>>::Csr<'_> };
    (opt_pages $t:ty) => { Option<crate::Pages<Self::Ref<'_, $t>>> };
    (by $t:ty) => { $t };
}

/// An argument of a method as the op on slices takes it.
macro_rules! passed {
    (csr $arg:ident) => {
        *$arg
    };
    ($kind:ident $arg:ident) => {
        $arg
    };
}

/// What a method of an op on hosts returns: a backend may always fail.
macro_rules! fallible {
    () => { Result<(), Self::Error> };
    (Result $t:ty) => { Result<$t, Self::Error> };
    ($t:ty) => { Result<$t, Self::Error> };
    // The result of an op that cannot fail on slices.
    (@value [Result $($t:tt)*] $call:expr) => { $call };
    (@value [$($ret:tt)*] $call:expr) => { Ok($call) };
}

/// The methods of a list of rows; see [`crate::forms`]. Where the memory is the `host`'s, a method returns its number; where it may be
/// a `device`'s, a method writes its number to memory of one element: nothing waits for it.
macro_rules! rows {
    ($mode:ident $memory:ident $path:tt $($(#[$doc:meta])* $how:ident $($note:literal)? $f:ident $(<$($g:ident: $bound:path)?>)?, $on:ident, $by:ident
       ($($arg:ident: $kind:ident $ty:ty),* $(,)?) $(-> $ret:ident $(<$of:tt $(::$item:tt)? $(<$inner:tt>)?>)?)?;)*) => {$(
        rows! { @$mode $memory $how $f [$(<$($g: $bound)?>)?] $on ($($arg: $kind $ty),*) [$($ret $($of $(::$item)? $(<$inner>)?)?)?] }
    )*};
    // The trait has the parameter.
    (@$mode:ident parameter $how:ident $f:ident $g:tt $($row:tt)*) => {
        rows! { @$mode device $how $f [] $($row)* }
    };
    (@$mode:ident host $how:ident $f:ident $g:tt $on:ident $arguments:tt [$($result:tt)*]) => {
        rows! { @@$mode $how $f $g $on $arguments [$($result)*] [fallible!($($result)*)] [] }
    };
    (@$mode:ident device $how:ident $f:ident $g:tt $on:ident $arguments:tt []) => {
        rows! { @@$mode $how $f $g $on $arguments [] [Made<Self>] [] }
    };
    (@$mode:ident device $how:ident $f:ident $g:tt $on:ident $arguments:tt [Result ()]) => {
        rows! { @@$mode $how $f $g $on $arguments [Result ()] [Made<Self>] [] }
    };
    // One position of an op is of the type that arrays of them have.
    (@$mode:ident device $how:ident $f:ident $g:tt $on:ident $arguments:tt [Result usize]) => {
        rows! { @@$mode $how $f $g $on $arguments [Result usize] [Made<Self>] [u32] }
    };
    (@$mode:ident device $how:ident $f:ident $g:tt $on:ident $arguments:tt [Result $($t:tt)*]) => {
        rows! { @@$mode $how $f $g $on $arguments [Result $($t)*] [Made<Self>] [$($t)*] }
    };
    (@$mode:ident device $how:ident $f:ident $g:tt $on:ident $arguments:tt [$($t:tt)*]) => {
        rows! { @@$mode $how $f $g $on $arguments [$($t)*] [Made<Self>] [$($t)*] }
    };
    (@@declare $how:ident $f:ident [$(<$($g:ident: $bound:path)?>)?] $on:ident ($($arg:ident: $kind:ident $ty:ty),*) $result:tt [$ret:ty] [$($one:ty)?]) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())", $(" The ", stringify!($one), " is written to `out`, a view of one element.")?)]
        #[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty),)* $(out: Self::Mut<'_, $one>)?) -> $ret;
    };
    (@@threads threads $f:ident $g:tt $on:ident $arguments:tt $result:tt $ret:tt $one:tt) => {
        rows! { @call [crate::parallel::$on] $f $g $arguments $result $ret $one }
    };
    (@@$mode:ident $how:ident $f:ident $g:tt $on:ident $arguments:tt $result:tt $ret:tt $one:tt) => {
        rows! { @call [crate::$on] $f $g $arguments $result $ret $one }
    };
    (@call [$on:path] $f:ident [$(<$($g:ident: $bound:path)?>)?] ($($arg:ident: $kind:ident $ty:ty),*) $result:tt [$ret:ty] []) => {
        #[inline]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty)),*) -> $ret {
            fallible!(@value $result $on(self.0, $(passed!($kind $arg)),*))
        }
    };
    (@call [$on:path] $f:ident [$(<$($g:ident: $bound:path)?>)?] ($($arg:ident: $kind:ident $ty:ty),*) $result:tt [$ret:ty] [$one:ty]) => {
        #[inline]
        fn $f $($(<$g: $bound + Plain>)?)? (&self, $($arg: memory!($kind $ty),)* out: &mut [$one]) -> $ret {
            crate::forms::named!([Result] $f, put(out, || fallible!(@value $result $on(self.0, $(passed!($kind $arg)),*))))
        }
    };
}

/// A number as an element of memory: a position is a `u32`.
trait IntoElement<T> {
    fn element(self) -> Result<T, Error>;
}
impl<T: Element> IntoElement<T> for T {
    #[inline(always)]
    fn element(self) -> Result<T, Error> {
        Ok(self)
    }
}
impl<T: Element> IntoElement<Complex<T>> for Complex<T> {
    #[inline(always)]
    fn element(self) -> Result<Self, Error> {
        Ok(self)
    }
}
impl IntoElement<u32> for usize {
    #[inline]
    fn element(self) -> Result<u32, Error> {
        u32::try_from(self).map_err(|_| Error::overflow("out"))
    }
}

/// Writes the number that an op comes to; nothing is done where `out` is not one element.
#[inline]
fn put<T, N: IntoElement<T>>(out: &mut [T], number: impl FnOnce() -> Result<N, Error>) -> Done {
    let got = out.len();
    let [out] = out else { return Err(Error::len("out", 1, got)) };
    *out = number()?.element()?;
    Ok(())
}

/// The traits of the regular rows of the list of ops.
macro_rules! regular_family {
    ($(#[$doc:meta])* $Trait:ident of $want:ident) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: Memory { crate::for_each_op! { regular declare $want } }
        impl<S: Simd, T: Element> $Trait<T> for Cpu<S> { crate::for_each_op! { regular cpu $want } }
        #[cfg(feature = "parallel")]
        impl<S: Simd, T: Element> $Trait<T> for Threads<S> { crate::for_each_op! { regular threads $want } }
        #[cfg(feature = "gpu")]
        impl<T: crate::gpu::backend::Scalar, D: crate::gpu::device::Computes<T>> $Trait<T> for crate::gpu::backend::Gpu<D> {
            crate::for_each_op! { regular gpu $want }
        }
    };
}
regular_family! {
    /// Ops on each element by itself.
    Elementwise of elementwise
}
regular_family! {
    /// Ops on each row by itself.
    Rows of rows
}

/// The traits of the families, and what implements them.
macro_rules! families {
    ($($(#[$doc:meta])* $kind:ident $Trait:ident $(<$p:ident: $bound:path>)? $(#[$cfg:meta])? $(: $needed:path)? [$($($list:ident)::+)*];)*) => {
        $(families! { @$kind $(#[$doc])* $Trait [$($p: $bound)?] [$(#[$cfg])?] [$($needed)?] [$($($list)::+)*] })*
    };
    (@elements $($family:tt)*) => { families! { =elements device $($family)* } };
    (@host_elements $($family:tt)*) => { families! { =elements host $($family)* } };
    (@typed $($family:tt)*) => { families! { =typed device $($family)* } };
    (@host_typed $($family:tt)*) => { families! { =typed host $($family)* } };
    (=elements $memory:ident $(#[$doc:meta])* $Trait:ident [] [] [$($needed:path)?] [$($($list:ident)::+)*]) => {
        $(#[$doc])*
        pub trait $Trait<T: Element>: Memory $(+ $needed)? { $($($list)::+! { rows declare $memory })* }
        impl<S: Simd, T: Element> $Trait<T> for Cpu<S> { $($($list)::+! { rows cpu $memory })* }
        #[cfg(feature = "parallel")]
        impl<S: Simd, T: Element> $Trait<T> for Threads<S> { $($($list)::+! { rows threads $memory })* }
    };
    (@parameter $(#[$doc:meta])* $Trait:ident [$p:ident: $bound:path] [] [] [$($($list:ident)::+)*]) => {
        $(#[$doc])*
        pub trait $Trait<$p: Plain>: Memory { $($($list)::+! { rows declare parameter })* }
        impl<S: Simd, $p: $bound + Plain> $Trait<$p> for Cpu<S> { $($($list)::+! { rows cpu parameter })* }
        #[cfg(feature = "parallel")]
        impl<S: Simd, $p: $bound + Plain> $Trait<$p> for Threads<S> { $($($list)::+! { rows threads parameter })* }
    };
    (=typed $memory:ident $(#[$doc:meta])* $Trait:ident [] [$(#[$cfg:meta])?] [] [$($($list:ident)::+)*]) => {
        $(#[$cfg])?
        $(#[$doc])*
        pub trait $Trait: Memory { $($($list)::+! { rows declare $memory })* }
        $(#[$cfg])?
        impl<S: Simd> $Trait for Cpu<S> { $($($list)::+! { rows cpu $memory })* }
        $(#[$cfg])?
        #[cfg(feature = "parallel")]
        impl<S: Simd> $Trait for Threads<S> { $($($list)::+! { rows threads $memory })* }
    };
    (@by_hand $($functions:tt)*) => {};
    (@forms $($functions:tt)*) => {};
}
crate::families::for_each_family! { families }

#[cfg(test)]
mod tests {
    /// What has no method in [`Backend`](super::Backend): numbers of one call, and what needs a unit's token.
    const NONE: [&str; 4] = ["rotg", "rotmg", "gemm_bf16_amx", "gemm_f32_amx3"];

    /// The families of [`Backend`](super::Backend).
    const EVERYWHERE: [&str; 22] = [
        "Elementwise",
        "Rows",
        "Reductions",
        "Products",
        "Layers",
        "Blas",
        "Network",
        "Analysis",
        "ComplexAlgebra",
        "Contractions",
        "Solvers",
        "Integers",
        "Transforms",
        "SparseMatrices",
        "SparseProducts",
        "Quantised",
        "Images",
        "Random",
        "RandomBits",
        "RandomFlags",
        "RandomIntegers",
        "Caches",
    ];

    /// Families of devices that [`Backend`](super::Backend) does not have: one of the feature `half`, and one of bytes, for devices with
    /// loads of 8 bits alone.
    const BESIDE: [&str; 2] = ["Halves", "Compression"];

    /// A program over any backend calls every op of these families on a device, and no op of devices is in another family.
    #[test]
    fn families_of_all_backends_are_the_ops_of_devices() {
        use crate::ops::{Gpu, OPS, signatures};
        for op in OPS {
            let of = signatures().filter(|s| s.op == op.name).find_map(|s| s.family);
            let (all, some) =
                [&EVERYWHERE[..], &BESIDE].map(|list| of.is_some_and(|f| list.contains(&f))).into();
            match op.gpu {
                Gpu::Host(_) => assert!(!all && !some, "{}", op.name),
                _ => assert!(all || some, "{}", op.name),
            }
        }
        let beside = signatures().filter(|s| s.family.is_some_and(|f| BESIDE.contains(&f)));
        assert_eq!(beside.count(), 7);
    }

    #[test]
    fn every_op_is_a_method() {
        for op in crate::ops::OPS {
            let methods = crate::ops::signatures().filter(|s| s.op == op.name && s.family.is_some());
            let none = NONE.contains(&op.name);
            assert_eq!(methods.count() + usize::from(none), 1, "{}", op.name);
        }
    }
}
