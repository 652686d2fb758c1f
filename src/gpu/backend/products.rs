//! Matrix products and transposes.

use super::super::device::Computes;
use super::super::template::{TRANSPOSE_TILE, layer};
use super::ops::{Done, Scalar, called};
use super::{Gpu, Mat, MatMut};
use crate::backend::Products;
use crate::error::same_shape;

impl<T: Scalar, D: Computes<T>> Products<T> for Gpu<D> {
    fn gemm(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(gemm, { Self::gemm(self, alpha, a, b, beta, c) })
    }

    fn gemm_backward_a(
        &self,
        dc: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        da: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(gemm_backward_a, {
            same_shape("b", [b.shape[0], dc.shape[1]], b.shape)?;
            same_shape("da", [dc.shape[0], b.shape[0]], da.0.shape)?;
            Self::gemm(self, T::ONE, dc, b.t(), beta, da)
        })
    }

    fn gemm_backward_b(
        &self,
        a: Mat<'_, T, D>,
        dc: Mat<'_, T, D>,
        beta: T,
        db: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(gemm_backward_b, {
            same_shape("dc", [a.shape[0], dc.shape[1]], dc.shape)?;
            same_shape("db", [a.shape[1], dc.shape[1]], db.0.shape)?;
            Self::gemm(self, T::ONE, a.t(), dc, beta, db)
        })
    }

    fn transpose(&self, a: Mat<'_, T, D>, b: MatMut<'_, T, D>) -> Done {
        called!(transpose, {
            let [m, n] = a.shape;
            same_shape("b", [n, m], b.0.shape)?;
            let planner = &self.state.planner;
            planner.matrix::<T::Recorded>("a", a.shape, a.strides)?;
            planner.matrix::<T::Recorded>("b", b.0.shape, b.0.strides)?;
            if m == 0 || n == 0 {
                return Ok(());
            }
            let words = [m, n, a.strides[0], a.strides[1], b.0.strides[0], b.0.strides[1]];
            let tiles = [n, m].map(|n| n.div_ceil(TRANSPOSE_TILE as usize));
            let bound = [a.binding(self)?, b.0.binding(self)?];
            self.run_blocks::<T>(
                "transpose",
                |_| layer::transpose::<T::Recorded>(),
                tiles,
                &bound,
                (&words, &[]),
            )
        })
    }

    fn gemv(&self, alpha: T, a: Mat<'_, T, D>, x: Mat<'_, T, D>, beta: T, y: MatMut<'_, T, D>) -> Done {
        called!(gemv, { self.gemv_by(alpha, a, x, beta, y) })
    }
}
