//! Products of 16- and 8-bit floats with an epilogue of a bias and a formula.

use super::super::super::super::device::{Computes, Error};
use super::super::super::super::ir::Group;
use super::super::super::super::template::{self, epilogue::ended};
use super::super::super::super::types::F32;
use super::super::super::ops::bits as number;
use super::super::super::plan::{Plan, Planner};
use super::super::super::{Gpu, Mat, MatMut, Product, Word};
use super::super::Places;
use super::{Bias, Ending, Fused};
use crate::alu::{Body as _, Formula};
use crate::float8::E4m3;
use core::any::TypeId;
use half::{bf16, f16};

/// Steps of an end's own kernel up to which tiles end in it: what takes more keeps warp groups from multiplying for longer than that
/// kernel takes (on an H200, 2 048 and 4 096 rows; of 78 steps it pays, of 104 it does not).
const MOST_STEPS: usize = 80;

impl Planner {
    /// As [`Planner::low_precision_product`], with this end; a bias is the operand behind C.
    fn ended_product(
        &self,
        of: Group,
        product: &Product<f32>,
        (before, aligned): Places,
        fused: &Fused<'_>,
    ) -> Result<Plan, Error> {
        let end = &fused.end;
        let [m, n, k] = product.sizes;
        let sides = self.sides(product, before, aligned)?;
        let some = k > 0 && product.alpha != 0.0;
        let (_, steps) = self.ending((end.of, "f32", 1, end.bias), || (end.alone)(end.bias, 1))?;
        let few = steps <= MOST_STEPS;
        let fused =
            if few && some && m > 0 && n > 0 { self.groups(of, product, sides, Some(fused))? } else { None };
        let mut plan = match fused {
            Some(plan) => plan,
            None => {
                let mut plan = self.low_precision_product(of, product, before, aligned)?;
                if m > 0 && n > 0 {
                    plan.launches.push(self.end_alone::<F32, _>(product, end, aligned[2])?);
                }
                plan
            }
        };
        end.behind(&mut plan);
        Ok(plan)
    }
}

impl<D: Computes<f32>> Gpu<D> {
    /// [`gemm_bf16`](crate::gemm_bf16()), and of each element what a bias and a formula make of it: as
    /// [`gemm_bf16_with`](crate::gemm_bf16_with()) with [`Chain`](crate::Chain) of both.
    ///
    /// On warp groups an epilogue of few steps (a bias, `relu`, `clamp`, `approx_tanh`) is done while sums are in registers; one of
    /// more (`gelu`, `silu`), and every one on other devices, is a kernel behind the product. An array that lies as `bf16` has
    /// the product rounded there, and what the kernel makes of it once more.
    ///
    /// # Errors
    /// Those of [`gemm_bf16`](crate::gemm_bf16()), [`Len`](crate::Error::Len) of `bias`, those of the formula's body.
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    pub fn gemm_bf16_with<F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        a: Mat<'_, bf16, D>,
        b: Mat<'_, bf16, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        bias: Bias<'_, f32, D>,
        formula: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        self.gemm_ended(Group::Bf16, alpha, (a, b), beta, c, bias, formula, parameters)
    }

    /// As [`Gpu::gemm_bf16_with`], of `f16`.
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_bf16_with`].
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    pub fn gemm_f16_with<F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        a: Mat<'_, f16, D>,
        b: Mat<'_, f16, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        bias: Bias<'_, f32, D>,
        formula: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        self.gemm_ended(Group::F16, alpha, (a, b), beta, c, bias, formula, parameters)
    }

    /// As [`Gpu::gemm_bf16_with`], of [`E4m3`], as accurate as [`gemm_e4m3`](crate::gemm_e4m3()).
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_bf16_with`].
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    pub fn gemm_e4m3_with<F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        a: Mat<'_, E4m3, D>,
        b: Mat<'_, E4m3, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
        bias: Bias<'_, f32, D>,
        formula: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        self.gemm_ended(Group::E4m3, alpha, (a, b), beta, c, bias, formula, parameters)
    }

    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    fn gemm_ended<T: Word, F: Formula<P, 1>, const P: usize>(
        &self,
        of: Group,
        alpha: f32,
        (a, b): (Mat<'_, T, D>, Mat<'_, T, D>),
        beta: f32,
        c: MatMut<'_, f32, D>,
        bias: Bias<'_, f32, D>,
        _: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        F::body(parameters).check()?;
        let (along, bias) = bias.parts(c.0.shape)?;
        let parameters = parameters.map(number);
        let end =
            Ending { of: TypeId::of::<F>(), bias: along, parameters: &parameters, alone: ended::<F, F32, P> };
        let end = Fused { end, kernel: template::group_gemm_with::<F, P> };
        self.low_precision_gemm([alpha, beta], a, b, c, bias, |planner, product, places| {
            planner.ended_product(of, product, places, &end)
        })
    }
}
