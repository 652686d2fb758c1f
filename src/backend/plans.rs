//! The objects of a backend that are not arrays: plans of transforms, and sparse matrices. On a CPU they lie in memory of the
//! caller; a device keeps them in its pool, and takes `()` instead of that memory.

#[cfg(feature = "parallel")]
use super::Threads;
use super::{Blocking, Cpu, Memory};
use crate::lanes::{Element, Simd};
use crate::{Complex, csr_transpose_on, spgemm_on};
use crate::{ComplexConvolver, Convolver, Csr, Dct, DctKind, Error, Fft, RealFft};

/// The trait of plans, and what implements it on a CPU: their types, the lengths of their tables, and the functions that make
/// them, with the name of the function of the type that does.
macro_rules! plans {
    ($(#[$trait_doc:meta])* $Trait:ident {
        types { $($(#[$type_doc:meta])* $Plan:ident;)* }
        lengths { $($(#[$len_doc:meta])* $len:ident($($len_arg:ident: $len_ty:ty),*);)* }
        functions { $($(#[$doc:meta])* $f:ident($($arg:ident: $ty:ty),*) -> $Made:ident = $make:ident;)* }
    }) => {
        $(#[$trait_doc])*
        pub trait $Trait<T: Element>: Memory {
            $($(#[$type_doc])* type $Plan<'a>;)*
            $($(#[$len_doc])* fn $len(&self, $($len_arg: $len_ty),*) -> usize;)*
            $(
                $(#[$doc])*
                fn $f<'a>(
                    &self,
                    $($arg: $ty,)*
                    table: Self::Workspace<'a, T>,
                    workspace: Self::Workspace<'_, Complex<T>>,
                ) -> Result<Self::$Made<'a>, Self::Error>;
            )*
        }
        plans! { @slices Cpu $Trait [$($Plan)*] [$($len($($len_arg: $len_ty),*))*] [$($f($($arg: $ty),*) -> $Made = $make)*] }
        #[cfg(feature = "parallel")]
        plans! { @slices Threads $Trait [$($Plan)*] [$($len($($len_arg: $len_ty),*))*] [$($f($($arg: $ty),*) -> $Made = $make)*] }
    };
    (@slices $Backend:ident $Trait:ident [$($Plan:ident)*] [$($len:ident($($len_arg:ident: $len_ty:ty),*))*]
     [$($f:ident($($arg:ident: $ty:ty),*) -> $Made:ident = $make:ident)*]) => {
        impl<S: Simd, T: Element> $Trait<T> for $Backend<S> {
            $(type $Plan<'a> = $Plan<'a, T>;)*
            $(#[inline] fn $len(&self, $($len_arg: $len_ty),*) -> usize { crate::$len($($len_arg),*) })*
            $(
                #[inline]
                fn $f<'a>(
                    &self,
                    $($arg: $ty,)*
                    table: Self::Workspace<'a, T>,
                    workspace: Self::Workspace<'_, Complex<T>>,
                ) -> Result<Self::$Made<'a>, Error> {
                    $Made::$make($($arg,)* table, workspace)
                }
            )*
        }
    };
}
plans! {
    /// Plans of transforms, in types of the backend. The ops of [`Transforms`](super::Transforms) take them.
    ///
    /// `table` is memory for the plan: pass [`Memory::host_workspace`] of a slice of the host, with as many elements as the function
    /// with the suffix `_len` returns, which is 0 on a device. `workspace` is as long as that of the op which takes the plan.
    ///
    /// ```
    /// use fulmen::backend::{Backend, Cpu};
    /// use fulmen::{Complex, Direction};
    /// // `x` and `out` are memory of the backend; the plan and the workspace are in memory of the host, where the backend uses it.
    /// fn spectrum<B: Backend<f32>>(
    ///     b: &B,
    ///     n: usize,
    ///     x: B::Ref<'_, Complex<f32>>,
    ///     out: B::Mut<'_, Complex<f32>>,
    /// ) -> Result<(), B::Error> {
    ///     let (mut table, mut room) = (vec![0.0; b.fft_plan_len(n)], vec![Complex::default(); b.fft_workspace(n)]);
    ///     let plan = b.fft_plan(n, B::host_workspace(&mut table), B::host_workspace(&mut room))?;
    ///     b.fft(&plan, Direction::Forward, x, out, B::host_workspace(&mut room))
    /// }
    /// let mut out = [Complex::default(); 4];
    /// spectrum(&Cpu::native(), 4, &[Complex::new(1.0, 0.0); 4], &mut out)?;
    /// assert_eq!(out[0], Complex::new(4.0, 0.0));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    Plans {
        types {
            /// [`Fft`](crate::Fft), or what a device has for it.
            Fft;
            /// [`RealFft`](crate::RealFft), or what a device has for it.
            RealFft;
            /// [`Dct`](crate::Dct), or what a device has for it.
            Dct;
            /// [`Convolver`](crate::Convolver), or what a device has for it.
            Convolver;
            /// [`ComplexConvolver`](crate::ComplexConvolver), or what a device has for it.
            ComplexConvolver;
        }
        lengths {
            /// Elements of the table of [`Plans::fft_plan`].
            fft_plan_len(n: usize);
            /// Elements of the table of [`Plans::rfft_plan`].
            rfft_plan_len(n: usize);
            /// Elements of the table of [`Plans::dct_plan`].
            dct_plan_len(kind: DctKind, n: usize);
            /// Elements of the table of [`Plans::convolve_plan`] and [`Plans::correlate_plan`].
            convolve_plan_len(n: usize);
            /// Elements of the table of [`Plans::convolve_complex_plan`] and [`Plans::correlate_complex_plan`].
            convolve_complex_plan_len(n: usize);
        }
        functions {
            /// For transforms of `n` complex numbers: [`Fft::plan`](crate::Fft::plan).
            fft_plan(n: usize) -> Fft = plan;
            /// For transforms of `n` real numbers: [`RealFft::plan`](crate::RealFft::plan).
            rfft_plan(n: usize) -> RealFft = plan;
            /// For cosine transforms of one kind and length: [`Dct::plan`](crate::Dct::plan).
            dct_plan(kind: DctKind, n: usize) -> Dct = plan;
            /// For convolutions with a kernel by transforms of length `n`: [`Convolver::plan`](crate::Convolver::plan).
            convolve_plan(kernel: &[T], n: usize) -> Convolver = plan;
            /// For correlations with a kernel: [`Convolver::correlation`](crate::Convolver::correlation).
            correlate_plan(kernel: &[T], n: usize) -> Convolver = correlation;
            /// As [`Plans::convolve_plan`], of complex numbers: [`ComplexConvolver::plan`](crate::ComplexConvolver::plan).
            convolve_complex_plan(kernel: &[Complex<T>], n: usize) -> ComplexConvolver = plan;
            /// As [`Plans::correlate_plan`], of complex numbers:
            /// [`ComplexConvolver::correlation`](crate::ComplexConvolver::correlation).
            correlate_complex_plan(kernel: &[Complex<T>], n: usize) -> ComplexConvolver = correlation;
        }
    }
}

/// Sparse matrices in compressed rows (CSR), in a type of the backend, and the ops whose result is a sparse matrix.
///
/// `offsets`, `columns` and `values` are memory for the result: pass [`Memory::host_workspace`] of slices of the host, with as many
/// elements as the op of the same name needs. A device ignores them, because the result lies in its pool.
pub trait SparseMatrices<T: Element>: Memory {
    /// [`Csr`](crate::Csr), or what a device has for it.
    type Csr<'a>;

    /// Brings a matrix of the host to this backend. A CPU returns the matrix itself, a device copies it.
    fn csr<'a>(&self, a: Csr<'a, T>) -> Result<Self::Csr<'a>, Self::Error>;

    /// [`csr_transpose`](crate::csr_transpose()), which returns the matrix.
    fn csr_transpose<'a>(
        &self,
        a: &Self::Csr<'_>,
        offsets: Self::Workspace<'a, usize>,
        columns: Self::Workspace<'a, u32>,
        values: Self::Workspace<'a, T>,
    ) -> Result<Self::Csr<'a>, Self::Error>;

    /// [`spgemm`](crate::spgemm()), which returns the matrix. A device waits once, for the number of its elements.
    #[allow(clippy::too_many_arguments, reason = "the parts of the result")]
    fn spgemm<'a>(
        &self,
        a: &Self::Csr<'_>,
        b: &Self::Csr<'_>,
        offsets: Self::Workspace<'a, usize>,
        columns: Self::Workspace<'a, u32>,
        values: Self::Workspace<'a, T>,
        workspace: Self::Workspace<'_, usize>,
    ) -> Result<Self::Csr<'a>, Self::Error>
    where
        Self: Blocking;
}

macro_rules! sparse {
    ($Backend:ident) => {
        impl<S: Simd, T: Element> SparseMatrices<T> for $Backend<S> {
            type Csr<'a> = Csr<'a, T>;

            #[inline]
            fn csr<'a>(&self, a: Csr<'a, T>) -> Result<Self::Csr<'a>, Error> {
                Ok(a)
            }
            #[inline]
            fn csr_transpose<'a>(
                &self,
                a: &Self::Csr<'_>,
                offsets: Self::Workspace<'a, usize>,
                columns: Self::Workspace<'a, u32>,
                values: Self::Workspace<'a, T>,
            ) -> Result<Self::Csr<'a>, Error> {
                csr_transpose_on(self.0, *a, offsets, columns, values)?;
                Csr::new(a.cols(), a.rows(), offsets, columns, values)
            }
            #[inline]
            fn spgemm<'a>(
                &self,
                a: &Self::Csr<'_>,
                b: &Self::Csr<'_>,
                offsets: Self::Workspace<'a, usize>,
                columns: Self::Workspace<'a, u32>,
                values: Self::Workspace<'a, T>,
                workspace: Self::Workspace<'_, usize>,
            ) -> Result<Self::Csr<'a>, Error> {
                let n = spgemm_on(self.0, *a, *b, offsets, columns, values, workspace)?;
                let (columns, values) = (columns.get(..n), values.get(..n));
                Csr::new(a.rows(), b.cols(), offsets, columns.unwrap_or_default(), values.unwrap_or_default())
            }
        }
    };
}
sparse!(Cpu);
#[cfg(feature = "parallel")]
sparse!(Threads);
