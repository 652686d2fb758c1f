//! The `f16` product on devices by WGSL's cooperative matrices, where a device has them and all tiles are whole and
//! aligned.

use super::super::builder::Builder;
use super::super::device::{Error, Launch, Program};
use super::super::template::Argument;
use super::super::types::{F32, U32, U64};
use super::super::wgsl::{Matrices, NEIGHBOURS, matrices};
use super::Product;
use super::ops::bits;
use super::plan::{Made, Plan, Planner};
use alloc::vec;
use alloc::vec::Vec;

impl Planner {
    /// A launch of [`matrices`], where the device has them and the operands fit: whole tiles, lines of eight, contiguous along
    /// one side.
    pub(super) fn by_matrices(&self, of: &Product<f32>, aligned: bool) -> Result<Option<Plan>, Error> {
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
        let aligned = aligned && sc[1] == 1 && sc[0] % 4 == 0;
        if !(self.matrices && whole && fits && aligned) || of.alpha == 0.0 {
            return Ok(None);
        }
        self.matrix::<F32>("c", [m, n], sc)?;
        let form = u32::from(along_a) + 2 * u32::from(along_b);
        let made = self.made::<F32>("gemm_f16", form, || {
            let b = Builder::new("gemm_f16_matrices");
            b.threads([by.threads(), 1, 1]);
            let _ = b.params::<U64, 3>();
            let _ = b.params::<U32, 4>();
            let _ = b.params::<F32, 2>();
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
