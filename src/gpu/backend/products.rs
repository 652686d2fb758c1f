//! Products of matrices and vectors, and transposes.

use super::super::device::Computes;
use super::super::template::{Meet, TRANSPOSE_TILE, layer};
use super::ops::{Done, Scalar, arguments};
use super::plan::wide;
use super::{Gpu, Mat, MatMut, ViewMut};
use crate::backend::Products;
use crate::error::{same_len, same_shape};

impl<T: Scalar, D: Computes<T> + 'static> Products<T> for Gpu<D> {
    fn gemm(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        Self::gemm(self, alpha, a, b, beta, c)
    }

    fn gemm_backward_a(
        &self,
        dc: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        da: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        same_shape("b", [b.shape[0], dc.shape[1]], b.shape)?;
        same_shape("da", [dc.shape[0], b.shape[0]], da.0.shape)?;
        Self::gemm(self, T::ONE, dc, b.t(), beta, da)
    }

    fn gemm_backward_b(
        &self,
        a: Mat<'_, T, D>,
        dc: Mat<'_, T, D>,
        beta: T,
        db: MatMut<'_, T, D>,
        _: ViewMut<'_, T, D>,
    ) -> Done {
        same_shape("dc", [a.shape[0], dc.shape[1]], dc.shape)?;
        same_shape("db", [a.shape[1], dc.shape[1]], db.0.shape)?;
        Self::gemm(self, T::ONE, a.t(), dc, beta, db)
    }

    fn transpose(&self, a: Mat<'_, T, D>, b: MatMut<'_, T, D>) -> Done {
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
        self.run_blocks::<T>("transpose", |_| layer::transpose::<T::Recorded>(), tiles, &bound, (&words, &[]))
    }

    fn gemv(&self, alpha: T, a: Mat<'_, T, D>, x: Mat<'_, T, D>, beta: T, y: MatMut<'_, T, D>) -> Done {
        let [m, n] = a.shape;
        same_len("x", n, x.shape[0])?;
        same_len("y", m, y.0.shape[0])?;
        // Threads of a block read neighbours; down the columns, those of a tile do.
        if a.strides[1] > a.strides[0] {
            return Self::gemm(self, alpha, a, x, beta, y);
        }
        let planner = &self.state.planner;
        planner.matrix::<T::Recorded>("a", a.shape, a.strides)?;
        planner.matrix::<T::Recorded>("x", x.shape, x.strides)?;
        planner.matrix::<T::Recorded>("y", y.0.shape, y.0.strides)?;
        if m == 0 {
            return Ok(());
        }
        let n = if alpha == T::ZERO { 0 } else { n };
        let words = [m, n, a.strides[0], a.strides[1], x.strides[0], y.0.strides[0]];
        let all = arguments(3, &words, &[alpha, beta]);
        let bound = [a.binding(self)?, x.binding(self)?, y.0.binding(self)?];
        let four = 16 / size_of::<T>();
        // Rows of whole pieces; in WGSL, where a buffer's elements have one type, of memory where `y`, which is written one by
        // one, is not.
        let [of_a, of_x, of_y] = bound.map(|b| core::ptr::from_ref(b.buffer));
        let apart = planner.optimise || (of_a != of_y && of_x != of_y);
        let lined = a.strides[1] == 1 && x.strides[0] == 1 && apart;
        let whole = n.is_multiple_of(four) && a.strides[0].is_multiple_of(four);
        let (op, lined) = match lined && whole && wide(&bound[..2]) {
            true => ("gemv_wide", true),
            false => ("gemv", false),
        };
        // Through Vulkan on an H100 rows that meet by shuffles were up to a ninth slower.
        let make = |meet| {
            let meet = if planner.optimise { meet } else { Meet::Memory };
            layer::gemv::<T::Recorded>(meet, lined, lined && planner.groups)
        };
        let launch = planner.blocks::<T::Recorded>(op, make, [m, 1], all)?;
        self.run_one(launch, &bound)
    }
}
