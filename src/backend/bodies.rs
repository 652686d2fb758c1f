//! Element-wise ops of a body (formula) that the caller writes, on any backend.

#[cfg(feature = "parallel")]
use super::Threads;
use super::{Cpu, Made, Memory};
use crate::alu::Formula;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::pointwise::{map_by, map_in_place_by};

/// Bodies of your own: each compiled by the backend, a device's as a kernel that is made once.
pub trait Bodies<T: Element>: Memory {
    /// `out[i] = body(x₀[i], x₁[i], …)`: [`map`](crate::map()). A device refuses more inputs than it binds.
    fn map<F: Formula<P, N>, const P: usize, const N: usize>(
        &self,
        formula: F,
        parameters: [T; P],
        x: [Self::Ref<'_, T>; N],
        out: Self::Mut<'_, T>,
    ) -> Made<Self>;
    /// `x[i] = body(x[i])`: [`map_in_place`](crate::map_in_place()).
    fn map_in_place<F: Formula<P, 1>, const P: usize>(
        &self,
        formula: F,
        parameters: [T; P],
        x: Self::Mut<'_, T>,
    ) -> Made<Self>;
}

macro_rules! slices {
    ($Backend:ident, $join:expr) => {
        impl<S: Simd, T: Element> Bodies<T> for $Backend<S> {
            #[inline]
            fn map<F: Formula<P, N>, const P: usize, const N: usize>(
                &self,
                _: F,
                parameters: [T; P],
                x: [&[T]; N],
                out: &mut [T],
            ) -> Made<Self> {
                map_by($join, self.0, F::body(parameters), x, out)
            }
            #[inline]
            fn map_in_place<F: Formula<P, 1>, const P: usize>(
                &self,
                _: F,
                parameters: [T; P],
                x: &mut [T],
            ) -> Made<Self> {
                map_in_place_by($join, self.0, F::body(parameters), x)
            }
        }
    };
}
slices!(Cpu, Serial);
#[cfg(feature = "parallel")]
slices!(Threads, crate::parallel::Threads);

#[cfg(feature = "gpu")]
impl<T: crate::gpu::backend::Scalar, D: crate::gpu::device::Computes<T>> Bodies<T>
    for crate::gpu::backend::Gpu<D>
{
    fn map<F: Formula<P, N>, const P: usize, const N: usize>(
        &self,
        formula: F,
        parameters: [T; P],
        x: [Self::Ref<'_, T>; N],
        out: Self::Mut<'_, T>,
    ) -> Made<Self> {
        Self::map(self, formula, parameters, x, out)
    }
    fn map_in_place<F: Formula<P, 1>, const P: usize>(
        &self,
        formula: F,
        parameters: [T; P],
        x: Self::Mut<'_, T>,
    ) -> Made<Self> {
        Self::map_in_place(self, formula, parameters, x)
    }
}
