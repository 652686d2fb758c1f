//! Products of bytes with an epilogue of a scale, a bias and a formula, whose results are `f32` or bytes.

use super::super::super::super::device::{Computes, Error, Launch};
use super::super::super::super::template::epilogue::{dequantise, requantise};
use super::super::super::super::template::{Along, Argument};
use super::super::super::super::types::F32;
use super::super::super::ops::bits as number;
use super::super::super::plan::{Plan, Planner, counted};
use super::super::super::{Gpu, Mat, MatMut, Product, Word};
use super::super::{Places, bits, renumber};
use super::{Bias, reached};
use crate::Requantize;
use crate::alu::{Body as _, Formula};
use alloc::vec::Vec;
use core::any::TypeId;

/// Rows and columns of a result as lines and their elements: how many, bytes from one to the next, and elements of sums in rows of
/// `n` from one to the next.
fn lines([m, n]: [usize; 2], [row_by, col_by]: [usize; 2]) -> Option<(bool, [[usize; 3]; 2])> {
    let [rows, cols] = [[m, row_by, n], [n, col_by, 1]];
    let reach = |[count, by, _]: [usize; 3]| count.saturating_sub(1).saturating_mul(by);
    let (turned, [of, inside]) = if m == 1 || row_by > reach(cols) {
        (false, [rows, cols])
    } else if n == 1 || col_by > reach(rows) {
        (true, [cols, rows])
    } else {
        return None;
    };
    // The distance of one from the next, where there is none, is past all.
    let past = |[count, by, sums]: [usize; 3], far: usize| [count, if count == 1 { far } else { by }, sums];
    let of = past(of, reach(inside) + 1);
    Some((turned, [of, past(inside, of[1])]))
}

impl Planner {
    /// The end of an `m` by `n` product's sums, rows one after the other, which are this operand: as `f32`, or as bytes of which
    /// so many are before C's first.
    fn bytes_end<C: Requantize, F: Formula<P, 1>, const P: usize>(
        &self,
        ([m, n], sums): ([usize; 2], usize),
        (strides, before): ([usize; 2], usize),
        bias: Option<Along>,
        numbers: &[u64],
    ) -> Result<Launch, Error> {
        let all = m.saturating_mul(n);
        let buffers = bias.map(|_| 3).into_iter().chain([sums, 2]).map(Argument::Buffer);
        let mut arguments: Vec<Argument> = buffers.collect();
        let key = |op, turned| (TypeId::of::<F>(), op, u32::from(turned), bias);
        let (program, count) = match C::BYTE {
            None => {
                let [row_by, col_by] = strides;
                reached(strides, [m, n])?;
                arguments.extend([all, n, row_by, col_by].map(bits));
                (self.ending(key("dequantise", false), || dequantise::<F, P>(bias))?.0, all)
            }
            Some(byte) => {
                let overlap = crate::Error::overlap("c");
                let (turned, [of, inside]) = lines([m, n], strides).ok_or(overlap)?;
                let reach = of[1].saturating_mul(of[0]);
                let words = before.saturating_add(reach).div_ceil(4);
                counted("c", 4 * words)?;
                let sizes = [words, before, of[0], inside[0], of[1], inside[1], of[2], inside[2]];
                arguments.extend(sizes.map(bits));
                let along = if turned { bias.map(Along::turned) } else { bias };
                (self.ending(key(byte.0, turned), || requantise::<F, P>(byte, along))?.0, words)
            }
        };
        arguments.extend(numbers.iter().map(|x| Argument::Bits(*x)));
        self.elements::<F32>((false, 1), |_| Ok(program), count, arguments)
    }
}

impl<D: Computes<f32>> Gpu<D> {
    /// What a bias and a formula make of `α·A·B`, as `f32` or as bytes: as [`gemm_i8_with`](crate::gemm_i8_with()) with
    /// [`Chain`](crate::Chain) of both. Sums go through memory.
    ///
    /// # Errors
    /// Those of [`gemm_i8`](crate::gemm_i8()), [`Len`](crate::Error::Len) of `bias`, those of the formula's body,
    /// [`Overlap`](crate::Error::Overlap) where rows of bytes in C lie between each other.
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a formula")]
    pub fn gemm_i8_with<C: Requantize + Word, F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        a: Mat<'_, i8, D>,
        b: Mat<'_, i8, D>,
        c: MatMut<'_, C, D>,
        bias: Bias<'_, f32, D>,
        formula: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        self.bytes_ended(
            alpha,
            (a, b),
            c,
            bias,
            (formula, parameters),
            |planner, product, (before, aligned)| planner.byte_product(product, before, aligned),
        )
    }

    /// As [`Gpu::gemm_i8_with`], of the sums of [`gemm_u8`](crate::gemm_u8()).
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_i8_with`].
    #[allow(clippy::too_many_arguments, reason = "BLAS, two zeros, a bias, a formula")]
    pub fn gemm_u8_with<C: Requantize + Word, F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        a: Mat<'_, u8, D>,
        a_zero: u8,
        b: Mat<'_, i8, D>,
        b_zero: i8,
        c: MatMut<'_, C, D>,
        bias: Bias<'_, f32, D>,
        formula: F,
        parameters: [f32; P],
    ) -> Result<(), Error> {
        let zeros = [a_zero.into(), b_zero.into()];
        self.bytes_ended(
            alpha,
            (a, b),
            c,
            bias,
            (formula, parameters),
            |planner, product, (before, aligned)| planner.unsigned_product(product, zeros, before, aligned),
        )
    }

    fn bytes_ended<A: Word, C: Requantize + Word, F: Formula<P, 1>, const P: usize>(
        &self,
        alpha: f32,
        (a, b): (Mat<'_, A, D>, Mat<'_, i8, D>),
        c: MatMut<'_, C, D>,
        bias: Bias<'_, f32, D>,
        (_, parameters): (F, [f32; P]),
        plan: impl FnOnce(&Planner, &Product<i32>, Places) -> Result<Plan, Error>,
    ) -> Result<(), Error> {
        F::body(parameters).check()?;
        let ([m, n], k) = (c.0.shape, a.shape[1]);
        let strides = [a.strides, b.strides, [n, 1]];
        let (operands, before, [first, second]) = self.operands([m, n], a, b)?;
        let (along, bias) = bias.parts([m, n])?;
        if m == 0 || n == 0 {
            return Ok(());
        }
        counted("c", m.saturating_mul(n))?;
        let k = if alpha == 0.0 { 0 } else { k };
        let product = Product::new([m, n, k], strides, [1, 0]);
        let mut bound: Vec<_> = operands.into_iter().chain([c.0.binding(self)?]).collect();
        let planner = &self.state.planner;
        let mut plan = plan(planner, &product, (before, [first, second, true]))?;
        // Sums are the first scratch, behind the bias.
        let sums = 3 + usize::from(along.is_some());
        renumber(&mut plan.launches, |k| match k {
            2 => sums,
            3..super::BIAS => k + sums - 2,
            _ => k,
        });
        plan.scratch.insert(0, 4 * (m * n) as u64);
        let numbers: Vec<u64> = [alpha].into_iter().chain(parameters).map(number).collect();
        let to = (c.0.strides, c.0.rest()?.before());
        plan.launches.push(planner.bytes_end::<C, F, P>(([m, n], sums), to, along, &numbers)?);
        bound.extend(bias.map(|bias| bias.binding(self)).transpose()?);
        self.run(&plan, &bound)
    }
}
