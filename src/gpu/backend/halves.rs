//! Products of `f16`: by cooperative matrices where a device has them and whole tiles are aligned; else as `f32`.

use super::super::device::{Computes, Device, Error, Launch};
use super::super::template::{self, Argument};
use super::super::types::F32;
#[cfg(feature = "wgsl")]
use super::super::{
    builder::Builder,
    device::Program,
    types::{U32, U64},
    wgsl::{Matrices, NEIGHBOURS, matrices},
};
use super::ops::Done;
use super::plan::{Plan, Planner};
use super::{Gpu, Mat, MatMut, Product};
#[cfg(feature = "wgsl")]
use super::{ops::bits, plan::Made};
use crate::error::same_shape;
use alloc::vec;
use alloc::vec::Vec;
use half::f16;

/// Where the operands of a product of `f16` start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Starts {
    /// Elements between the word at which A and B are bound and their first.
    pub odd: [usize; 2],
    /// Whether A, B and C start at multiples of 16 bytes.
    pub aligned: bool,
}

impl Planner {
    /// A product of `f16` to `f32`; the operands are A, B, C.
    ///
    /// # Errors
    /// Those of [`Planner::product`].
    pub fn product_f16(&self, of: &Product<f32>, starts: Starts) -> Result<Plan, Error> {
        let ([m, n, k], [sa, sb, _]) = (of.sizes, of.strides);
        for (arg, shape, strides) in [("a", [m, k], sa), ("b", [k, n], sb)] {
            self.matrix::<F32>(arg, shape, strides)?;
        }
        #[cfg(feature = "wgsl")]
        if let Some(plan) = self.by_matrices(of, starts)? {
            return Ok(plan);
        }
        let inner = Product { strides: [[k, 1], [n, 1], of.strides[2]], ..*of };
        let plan = self.product::<F32>(&inner)?;
        if k == 0 || plan.launches.is_empty() || of.alpha == 0.0 {
            return Ok(plan);
        }
        // Its operands A and B are the first two pieces of scratch.
        let moved = |at: &mut usize| match *at {
            0 | 1 => *at += 3,
            2 => {}
            _ => *at += 2,
        };
        let mut launches = vec![
            self.widened([0, 3], [m, k], sa, starts.odd[0])?,
            self.widened([1, 4], [k, n], sb, starts.odd[1])?,
        ];
        launches.extend(plan.launches.into_iter().map(|mut l| {
            for a in &mut l.arguments {
                if let Argument::Buffer(at) | Argument::Map(at, _) = a {
                    moved(at);
                }
            }
            l
        }));
        let mut scratch = vec![4 * (m * k) as u64, 4 * (k * n) as u64];
        scratch.extend(plan.scratch);
        Ok(Plan { launches, scratch })
    }

    /// A launch of [`template::widen`].
    fn widened(
        &self,
        operands: [usize; 2],
        [rows, cols]: [usize; 2],
        [row, col]: [usize; 2],
        first: usize,
    ) -> Result<Launch, Error> {
        self.line::<F32>("rows * cols", rows * cols)?;
        let mut arguments: Vec<Argument> = operands.map(Argument::Buffer).into();
        let words = [rows * cols, cols, row, col, first];
        arguments.extend(words.map(|w| Argument::Bits(u64::from(u32::try_from(w).unwrap_or(0)))));
        self.flat::<F32>("widen_f16", || Some(template::widen()), rows * cols, arguments)
    }

    /// A launch of [`matrices`], where the device has them and the operands fit: whole tiles, lines of eight, contiguous along
    /// one side.
    #[cfg(feature = "wgsl")]
    fn by_matrices(&self, of: &Product<f32>, starts: Starts) -> Result<Option<Plan>, Error> {
        let ([m, n, k], [sa, sb, sc]) = (of.sizes, of.strides);
        let by = Matrices::LARGE;
        let [rows, cols] = by.tile.map(|t| t as usize);
        let eight = NEIGHBOURS as usize;
        // The contiguous side, and the pitch of the other one.
        let side = |[deep, flat]: [usize; 2]| match (deep, flat) {
            (1, pitch) if pitch % eight == 0 => Some((true, pitch)),
            (pitch, 1) if pitch % eight == 0 => Some((false, pitch)),
            _ => None,
        };
        let (Some((along_a, pitch_a)), Some((along_b, pitch_b))) = (side([sa[1], sa[0]]), side(sb)) else {
            return Ok(None);
        };
        let whole = m % rows == 0 && n % cols == 0 && k % by.depth as usize == 0 && m * n * k > 0;
        let fits = by.shared() <= self.limits.shared && by.threads() <= self.limits.threads;
        let aligned = starts.aligned && sc[1] == 1 && sc[0] % 4 == 0;
        if !(self.matrices && whole && fits && aligned) || of.alpha == 0.0 {
            return Ok(None);
        }
        self.matrix::<F32>("c", [m, n], sc)?;
        let form = u32::from(along_a) + 2 * u32::from(along_b);
        let made = self.made::<F32>("gemm_f16", form, || {
            let b = Builder::new("gemm_f16_matrices");
            b.threads([by.threads(), 1, 1]);
            let _ = [(); 3].map(|()| b.param::<U64>());
            let _ = [(); 4].map(|()| b.param::<U32>());
            let _ = [(); 2].map(|()| b.param::<F32>());
            b.shared(by.shared(), 16);
            let program =
                b.finish().map(|kernel| Program::written(kernel, matrices(by, [along_a, along_b])).own());
            Some(program.map(|p| Made { programs: vec![p.into()], widths: Vec::new(), states: 0 }))
        })?;
        let Some(program) = made.programs.first().cloned() else { return Ok(None) };
        let mut arguments: Vec<Argument> = (0..3).map(Argument::Buffer).collect();
        let words = [k, pitch_a, pitch_b, sc[0]];
        arguments.extend(words.map(|w| Argument::Bits(u64::from(u32::try_from(w).unwrap_or(0)))));
        arguments.extend([of.alpha, of.beta].map(|x| Argument::Bits(bits(x))));
        let grid = [n / cols, m / rows, 1].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let launch = Launch { program, grid, block: [by.threads(), 1, 1], arguments };
        Ok(Some(Plan { launches: vec![launch], scratch: Vec::new() }))
    }
}

impl<D: Device> Gpu<D> {
    /// [`gemm_f16`](crate::gemm_f16()), without a workspace of the caller's.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn gemm_f16(
        &self,
        alpha: f32,
        a: Mat<'_, f16, D>,
        b: Mat<'_, f16, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
    ) -> Done
    where
        D: Computes<f32>,
    {
        let ([m, n], k) = (c.0.shape, a.shape[1]);
        same_shape("a", [m, k], a.shape)?;
        same_shape("b", [k, n], b.shape)?;
        let strides = [a.strides, b.strides, c.0.strides];
        let bound = [a.binding(self)?, b.binding(self)?, c.0.binding(self)?];
        let odd = [a.rest()?.odd(), b.rest()?.odd()];
        let aligned = odd == [0; 2] && super::plan::wide(&bound);
        let of = Product { sizes: [m, n, k], strides, alpha, beta };
        let plan = self.state.planner.product_f16(&of, Starts { odd, aligned })?;
        self.run(&plan, &bound)
    }
}
