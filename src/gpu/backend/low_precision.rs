//! Low-precision products: 16- and 8-bit floats with sums in `f32`, signed bytes with sums in `i32`. They run on Hopper's warp
//! groups (WGMMA), of `f16` on cooperative matrices where a device has those; else floats are converted to `f32`, and bytes go by
//! dot products of four (DP4A).

mod attention;
mod ending;
#[cfg(feature = "half")]
mod halves;

pub use ending::Bias;
use ending::Fused;

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::ir::{Group, Kernel};
use super::super::template::launch::ZEROS;
use super::super::template::{
    self, Argument, BYTE_DEPTH, BYTE_TILE, CONVERT_TILE, Factor, GroupProduct, ROUNDED_EACH,
};
use super::super::types::{F32, Type};
use super::ops::called;
use super::plan::{Plan, Planner};
use super::{Gpu, Mat, MatMut, Product, View, Word};
use crate::backend::Integers;
use crate::error::same_shape;
use alloc::vec;
use alloc::vec::Vec;

/// The least sides of a product of warp groups.
const GROUP_SIDE: usize = 16;
/// Products of terms from which on rounding them first pays.
const ROUNDED: usize = 1 << 21;

/// An operand: its number, rows, depth, their strides, elements between the word where its binding starts and its
/// first, and whether it starts at a multiple of 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    at: usize,
    sizes: [usize; 2],
    strides: [usize; 2],
    before: usize,
    aligned: bool,
}

/// Operands of `f32`, the first ones of a plan: they start at words.
pub(super) fn float_sides<T, D: Device, const N: usize>(all: [Mat<'_, T, D>; N]) -> [Side; N] {
    let mut next = 0..;
    all.map(|x| Side {
        at: next.next().unwrap_or(0),
        sizes: x.shape,
        strides: x.strides,
        before: 0,
        aligned: true,
    })
}

impl Side {
    /// Whether tensor maps read lines of this length as they are, of elements of which so many are 16 bytes: from line to
    /// line, and along one, it is so far.
    const fn is_mapped(self, [by, along]: [usize; 2], length: usize, each: usize) -> bool {
        along == 1 && by >= length && by.is_multiple_of(each) && self.aligned
    }
}

fn bits(n: usize) -> Argument {
    Argument::Bits(u64::from(u32::try_from(n).unwrap_or(0)))
}

/// Operands that are others.
fn renumber(launches: &mut [Launch], moved: impl Fn(usize) -> usize) {
    for argument in launches.iter_mut().flat_map(|l| &mut l.arguments) {
        match argument {
            Argument::Buffer(k) | Argument::Map(k, _) => *k = moved(*k),
            Argument::Bits(_) => {}
        }
    }
}

/// A product of copies of A and B, which these launches make: they are the first scratch, that of `product` comes after it.
fn of_copies(mut launches: Vec<Launch>, mut scratch: Vec<u64>, mut product: Plan) -> Plan {
    let copies = scratch.len();
    let moved = |k: usize| match k {
        0 | 1 => k + 3,
        2 | ZEROS => k,
        k => k + copies,
    };
    renumber(&mut product.launches, moved);
    launches.extend(product.launches);
    scratch.extend(product.scratch);
    Plan { launches, scratch }
}

impl Planner {
    /// Copies a matrix row by row, converted to `f32` or with rows of a multiple of so many elements; gives the elements
    /// between rows too.
    fn convert_rows(
        &self,
        of: Group,
        wide: bool,
        x: Side,
        to: usize,
        by: usize,
    ) -> Result<(Launch, usize), Error> {
        let make = || template::convert_rows(of, wide);
        self.rows_by((template::convert_rows_name(of, wide), make), x, to, by)
    }

    /// As [`Planner::convert_rows`], by a kernel of this name.
    fn rows_by(
        &self,
        (name, make): (&'static str, impl FnOnce() -> Result<Kernel, super::super::Error>),
        x: Side,
        to: usize,
        by: usize,
    ) -> Result<(Launch, usize), Error> {
        let [rows, depth] = x.sizes;
        let pitch = depth.next_multiple_of(by);
        let program = self.one::<F32>(name, || Some(make()))?;
        let mut arguments = vec![Argument::Buffer(x.at), Argument::Buffer(to)];
        let [row_by, depth_by] = x.strides;
        arguments.extend([x.before, rows, depth, row_by, depth_by, pitch].map(bits));
        let grid = self.convert_grid(rows, pitch).ok_or(crate::Error::overflow("a"))?;
        Ok((Launch { program, grid, block: [256, 1, 1], arguments }, pitch))
    }

    /// The blocks that convert so many rows, where a launch has as many.
    fn convert_grid(&self, rows: usize, pitch: usize) -> Option<[u32; 3]> {
        let [high, deep] = CONVERT_TILE.map(|t| t as usize);
        let down = u32::try_from(rows.div_ceil(high)).ok().filter(|down| *down <= self.limits.grid[1])?;
        Some([pitch.div_ceil(deep) as u32, down, 1])
    }

    /// Rounds `lines` lines of neighbours, which start `by` apart, to `bf16`, each from a multiple of 16 bytes on; gives the
    /// elements between those, too: as many, where there is not much more between the lines than in them, so that memory that
    /// lies as `bf16` already is as its copy would be.
    fn round_lines(
        &self,
        at: usize,
        [lines, length]: [usize; 2],
        by: usize,
        to: usize,
    ) -> Result<(Launch, usize), Error> {
        let each = ROUNDED_EACH as usize;
        let filled = length.next_multiple_of(each);
        let pieces = filled / each;
        let pitch = if by.is_multiple_of(each) && by / 4 <= filled { by } else { filled };
        // Lines that follow each other are one.
        let (told, all) = match by == filled {
            true => ([1, lines * pitch, by, lines * pieces, pitch], lines * pieces),
            false => ([lines, length, by, pieces, pitch], lines * pieces),
        };
        let mut arguments: Vec<Argument> = [at, to].map(Argument::Buffer).into();
        arguments.extend(told.map(bits));
        let make = || Some(template::round_lines());
        Ok((self.flat::<F32>("round_lines", make, all, arguments)?, pitch))
    }

    /// An operand of `f32` rounded to `bf16`, where tensor maps read it: where it lies, the elements between its lines, and
    /// whether those are along its rows rather than its depth.
    fn rounded_side(&self, side: Side, to: usize) -> Result<(Launch, usize, bool), Error> {
        let ([rows, depth], [row_by, depth_by]) = (side.sizes, side.strides);
        let (launch, pitch, across) = match [row_by, depth_by] {
            [by, 1] if by >= depth => {
                let (launch, pitch) = self.round_lines(side.at, [rows, depth], by, to)?;
                (launch, pitch, false)
            }
            [1, by] if by >= rows => {
                let (launch, pitch) = self.round_lines(side.at, [depth, rows], by, to)?;
                (launch, pitch, true)
            }
            _ => {
                let (launch, pitch) = self.convert_rows(Group::Tf32, false, side, to, 8)?;
                (launch, pitch, false)
            }
        };
        Ok((launch, pitch, across))
    }

    /// The operands A and B of a product, checked with C.
    fn sides<T>(
        &self,
        product: &Product<T>,
        before: [usize; 2],
        aligned: [bool; 3],
    ) -> Result<[Side; 2], Error> {
        let ([m, n, k], [sa, sb, sc]) = (product.sizes, product.strides);
        for (arg, [rows, cols], [r, c]) in [("a", [m, k], sa), ("b", [k, n], sb), ("c", [m, n], sc)] {
            self.matrix::<F32>(arg, [rows, cols], [r, c])?;
        }
        let ([before_a, before_b], [aligned_a, aligned_b, _]) = (before, aligned);
        Ok([
            Side { at: 0, sizes: [m, k], strides: sa, before: before_a, aligned: aligned_a },
            Side { at: 1, sizes: [n, k], strides: [sb[1], sb[0]], before: before_b, aligned: aligned_b },
        ])
    }

    /// A product of floats of 16 or 8 bits; the operands are A, B, C. `before` are the elements between the words where the
    /// bindings of A and B start and their first, `aligned` whether A, B and C start at multiples of 16 bytes.
    ///
    /// # Errors
    /// As [`Planner::product`].
    #[cfg(feature = "half")]
    pub fn low_precision_product(
        &self,
        of: Group,
        product: &Product<f32>,
        before: [usize; 2],
        aligned: [bool; 3],
    ) -> Result<Plan, Error> {
        let ([m, n, k], [.., sc]) = (product.sizes, product.strides);
        let sides = self.sides(product, before, aligned)?;
        if m == 0 || n == 0 || k == 0 || product.alpha == 0.0 {
            return self.product::<F32>(&Product { sizes: [m, n, 0], ..*product });
        }
        if let Some(plan) = self.groups(of, product, sides, None)? {
            return Ok(plan);
        }
        #[cfg(feature = "wgsl")]
        if of == Group::F16
            && let Some(plan) = self.by_matrices(product, aligned == [true; 3])?
        {
            return Ok(plan);
        }
        let [to_a, to_b] =
            [(sides[0], 3), (sides[1], 4)].map(|(side, to)| self.convert_rows(of, true, side, to, 2));
        let (to_a, to_b) = (to_a?, to_b?);
        let strides = [[to_a.1, 1], [1, to_b.1], sc];
        let wide = self.product::<F32>(&Product { strides, ..*product })?;
        let scratch = vec![4 * (m * to_a.1) as u64, 4 * (n * to_b.1) as u64];
        Ok(of_copies(vec![to_a.0, to_b.0], scratch, wide))
    }

    /// A product of signed bytes; the operands are A, B, C.
    fn byte_product(
        &self,
        product: &Product<i32>,
        before: [usize; 2],
        aligned: [bool; 3],
    ) -> Result<Plan, Error> {
        let [m, n, k] = product.sizes;
        let sides = self.sides(product, before, aligned)?;
        let k = if product.alpha == 0 { 0 } else { k };
        if m == 0 || n == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        if k > 0
            && let Some(plan) = self.groups(Group::S8, product, sides, None)?
        {
            return Ok(plan);
        }
        let (mut launches, mut scratch, mut at, mut words) = (Vec::new(), Vec::new(), [0, 1], 0);
        for (side, at) in sides.into_iter().zip(&mut at).filter(|_| k > 0) {
            *at = 3 + scratch.len();
            let (launch, pitch) = self.convert_rows(Group::S8, false, side, *at, 4 * BYTE_DEPTH as usize)?;
            words = pitch / 4;
            launches.push(launch);
            scratch.push((side.sizes[0] * pitch) as u64);
        }
        launches.push(self.bytes_by_threads(product, at, words)?);
        Ok(Plan { launches, scratch })
    }

    /// A product of signed bytes by threads, of A and B of so many words a row at these operands.
    fn bytes_by_threads(
        &self,
        product: &Product<i32>,
        at: [usize; 2],
        words: usize,
    ) -> Result<Launch, Error> {
        let ([m, n, _], [.., sc]) = (product.sizes, product.strides);
        let program = self.one::<F32>("byte_product", || Some(template::byte_product()))?;
        let mut arguments: Vec<Argument> = [at[0], at[1], 2].map(Argument::Buffer).into();
        arguments.extend([m, n, words, sc[0], sc[1]].map(bits));
        arguments.extend([product.alpha, product.beta].map(|x| Argument::Bits(x.bits().into())));
        let tile = BYTE_TILE as usize;
        let grid = self.grid([n.div_ceil(tile), m.div_ceil(tile), 1])?;
        Ok(Launch { program, grid, block: [256, 1, 1], arguments })
    }

    /// A product of bytes of A without a sign and of B with one, each less its zero: those of A less 128 are signed, and what
    /// the zeros make, which are of sums of rows and columns, is in C before the product is added.
    fn unsigned_product(
        &self,
        product: &Product<i32>,
        [a_zero, b_zero]: [i32; 2],
        before: [usize; 2],
        aligned: [bool; 3],
    ) -> Result<Plan, Error> {
        let ([m, n, k], [.., sc]) = (product.sizes, product.strides);
        let [a, b] = self.sides(product, before, aligned)?;
        if m == 0 || n == 0 || k == 0 || product.alpha == 0 {
            return self.byte_product(&Product { alpha: 0, ..*product }, before, aligned);
        }
        let by = 4 * BYTE_DEPTH as usize;
        let (to_a, pitch) = self.rows_by(("signed_rows", template::signed_rows), a, 3, by)?;
        let (to_b, _) = self.convert_rows(Group::S8, false, b, 4, by)?;
        let mut launches = vec![to_a, to_b];
        for (from, rows) in [(3, m), (4, n)] {
            let told = [Argument::Buffer(from), Argument::Buffer(from + 2), bits(rows), bits(pitch / 4)];
            launches.push(self.blocks::<F32>("byte_sums", template::byte_sums, [rows, 1], told.into())?);
        }
        let (alpha, a_zero) = (product.alpha, a_zero - 128);
        let zeros = alpha.wrapping_mul(a_zero * b_zero).wrapping_mul(k as i32);
        let [by_rows, by_cols] = [b_zero, a_zero].map(|zero| alpha.wrapping_mul(-zero));
        let mut told: Vec<Argument> = [5, 6, 2].map(Argument::Buffer).into();
        told.extend([m * n, n, sc[0], sc[1]].map(bits));
        told.extend([zeros, by_rows, by_cols, product.beta].map(|x| Argument::Bits(x.bits().into())));
        launches.push(self.flat::<F32>("byte_zeros", || Some(template::byte_zeros()), m * n, told)?);
        let strides = [[pitch, 1], [1, pitch], sc];
        let signed = Product { strides, beta: 1, ..*product };
        let [a, b] = self.sides(&signed, [0; 2], [true, true, aligned[2]])?;
        let signed = match self.groups(Group::S8, &signed, [a, b], None)? {
            Some(plan) => plan,
            None => {
                let launches = vec![self.bytes_by_threads(&signed, [0, 1], pitch / 4)?];
                Plan { launches, scratch: Vec::new() }
            }
        };
        let scratch = [m * pitch, n * pitch, 4 * m, 4 * n].map(|n| n as u64).into();
        Ok(of_copies(launches, scratch, signed))
    }

    /// A product of `f32` whose operands are rounded to `bf16`, where the device is asked to and there is enough to do.
    pub(super) fn rounded(&self, product: &Product<f32>) -> Result<Option<Plan>, Error> {
        let [m, n, k] = product.sizes;
        if !self.rounds || m.saturating_mul(n).saturating_mul(k) < ROUNDED {
            return Ok(None);
        }
        // Elements of 32 bits start at words.
        let sides = self.sides(product, [0; 2], [true; 3])?;
        self.groups(Group::Tf32, product, sides, None)
    }

    /// By warp groups, where there are some and C lies row by row, or column by column as the product of the transposes.
    /// Operands that tensor maps cannot describe are copied first; those of `f32` are rounded to `bf16` meanwhile.
    fn groups<T: Factor + From<i8>>(
        &self,
        from: Group,
        product: &Product<T>,
        [a, b]: [Side; 2],
        end: Option<&Fused<'_>>,
    ) -> Result<Option<Plan>, Error> {
        let of = if from == Group::Tf32 { Group::Bf16 } else { from };
        let turned = product.strides[2][1] != 1;
        let ([a, b], [row, col]) = match turned {
            true => ([b, a], [product.strides[2][1], product.strides[2][0]]),
            false => ([a, b], product.strides[2]),
        };
        let ([m, k], n) = (a.sizes, b.sizes[0]);
        if !self.groups || m.min(n).min(k) < GROUP_SIDE || col != 1 || row < n {
            return Ok(None);
        }
        let width = of.element().bytes() as usize;
        let each = 16 / width;
        let (mut launches, mut scratch, mut maps) = (Vec::new(), Vec::new(), [(0, 0, false); 2]);
        for (side, map) in [a, b].into_iter().zip(&mut maps) {
            let [row_by, depth_by] = side.strides;
            *map = if from == of && side.is_mapped([row_by, depth_by], k, each) {
                (side.at, row_by, false)
            } else if from == of && width == 2 && side.is_mapped([depth_by, row_by], side.sizes[0], each) {
                (side.at, depth_by, true)
            } else {
                let to = 3 + scratch.len();
                let (launch, pitch, across) = match from {
                    Group::Tf32 => self.rounded_side(side, to)?,
                    _ => {
                        let (launch, pitch) = self.convert_rows(from, false, side, to, each)?;
                        (launch, pitch, false)
                    }
                };
                launches.push(launch);
                let [rows, depth] = side.sizes;
                scratch.push((width * if across { depth } else { rows } * pitch) as u64);
                (to, pitch, across)
            };
        }
        let [lda, ldb, ldc] = [maps[0].1, maps[1].1, row].map(|n| n as u64);
        let [m, n, k] = [m, n, k].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let (alpha, beta, across) = (product.alpha, product.beta, maps.map(|m| m.2));
        let output = of.sums();
        let p = GroupProduct { m, n, k, across, lda, ldb, ldc, alpha, beta, input: of, output };
        let multiprocessors = (self.blocks / 8).max(1);
        let output = if product.halves && of == Group::Bf16 { Type::Bf16 } else { output };
        let p = GroupProduct { output, ..p };
        let (tile, parts) = p.division(multiprocessors);
        let op = match of {
            Group::Bf16 if output == Type::Bf16 => "group_gemm_bf16_bf16",
            Group::Bf16 => "group_gemm_bf16",
            Group::E4m3 => "group_gemm_e4m3",
            Group::S8 => "group_gemm_s8",
            Group::F16 | Group::Tf32 => "group_gemm_f16",
        };
        let split = parts > 1;
        let form = tile.number()
            | across.iter().fold(0, |all, x| all << 1 | u32::from(*x)) << 30
            | u32::from(split) << 29;
        let made = (tile, of, output, across, split);
        let program = match end {
            None => {
                self.one_by::<F32>(op, form, || Some(template::group_gemm(tile, of, output, across, split)))?
            }
            Some(end) => self.ended(end, op, (form, turned), made)?,
        };
        if program.kernel().shared_bytes() > self.limits.shared || tile.threads() > self.limits.threads {
            return Ok(None);
        }
        let wrong = |error| Error::Kernel { kernel: program.kernel().name.clone(), error };
        let (grid, mut arguments) = p.arguments(tile, parts, multiprocessors).map_err(wrong)?;
        for argument in &mut arguments {
            match argument {
                Argument::Map(k, _) => *k = if *k == 0 { maps[0].0 } else { maps[1].0 },
                Argument::Buffer(k @ 3) => *k = 3 + scratch.len(),
                Argument::Buffer(k @ 4) => *k = ZEROS,
                _ => {}
            }
        }
        if split {
            scratch.push(p.shared(tile, parts));
        }
        arguments.extend(end.into_iter().flat_map(Fused::arguments));
        launches.push(Launch { program, grid, block: [tile.threads(), 1, 1], arguments });
        Ok(Some(Plan { launches, scratch }))
    }
}

/// How operands lie: elements in front of A and B, and which of A, B, C start at a multiple of 16 bytes.
type Places = ([usize; 2], [bool; 3]);

impl<D: Computes<f32>> Gpu<D> {}

impl<D: Computes<f32>> Gpu<D> {}

#[cfg(feature = "half")]
impl<D: Computes<f32>> Gpu<D> {
    fn low_precision_floats<T: Word>(
        &self,
        of: Group,
        alpha: f32,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: f32,
        c: MatMut<'_, f32, D>,
    ) -> Result<(), Error> {
        self.low_precision_gemm([alpha, beta], a, b, c, None, |planner, product, (before, aligned)| {
            planner.low_precision_product(of, product, before, aligned)
        })
    }
}

/// Two operands as they are bound, the elements in front of each, and which start at a multiple of 16 bytes.
type Operands<'a, B> = ([Binding<'a, B>; 2], [usize; 2], [bool; 2]);

impl<D: Device> Gpu<D> {
    /// The operands of an `m` by `n` product, if they have the shapes for it.
    fn operands<'a, A: Word, B: Word>(
        &self,
        [m, n]: [usize; 2],
        a: Mat<'a, A, D>,
        b: Mat<'a, B, D>,
    ) -> Result<Operands<'a, D::Buffer>, Error> {
        let k = a.shape[1];
        same_shape("a", [m, k], a.shape)?;
        same_shape("b", [k, n], b.shape)?;
        let before = [a.rest()?.before() / A::BYTES, b.rest()?.before() / B::BYTES];
        let bound = [a.binding(self)?, b.binding(self)?];
        let [first, second] = bound.each_ref().map(|b| b.start.is_multiple_of(16));
        Ok((bound, before, [first && before[0] == 0, second && before[1] == 0]))
    }

    fn low_precision_gemm<A: Word, B: Word, C: Word>(
        &self,
        [alpha, beta]: [C; 2],
        a: Mat<'_, A, D>,
        b: Mat<'_, B, D>,
        c: MatMut<'_, C, D>,
        bias: Option<View<'_, C, D>>,
        plan: impl FnOnce(&Planner, &Product<C>, Places) -> Result<Plan, Error>,
    ) -> Result<(), Error> {
        let ([m, n], k) = (c.0.shape, a.shape[1]);
        let strides = [a.strides, b.strides, c.0.strides];
        let (operands, before, [first, second]) = self.operands([m, n], a, b)?;
        let to = c.0.binding(self)?;
        let halves = to.start.is_multiple_of(8) && self.state.is_bf16(to.buffer);
        let product = Product { sizes: [m, n, k], strides, alpha, beta, halves };
        let bias = bias.map(|bias| bias.binding(self)).transpose()?;
        let aligned = [first, second, to.start.is_multiple_of(16)];
        let plan = plan(&self.state.planner, &product, (before, aligned))?;
        let bound: Vec<_> = operands.into_iter().chain([to]).chain(bias).collect();
        self.run(&plan, &bound)
    }
}

impl<D: Computes<f32>> Integers for Gpu<D> {
    /// [`gemm_i8`](crate::gemm_i8()), without a workspace of the caller's.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    fn gemm_i8(
        &self,
        alpha: i32,
        a: Mat<'_, i8, D>,
        b: Mat<'_, i8, D>,
        beta: i32,
        c: MatMut<'_, i32, D>,
        _: (),
    ) -> Result<(), Error> {
        called!(gemm_i8, {
            self.low_precision_gemm([alpha, beta], a, b, c, None, |planner, product, (before, aligned)| {
                planner.byte_product(product, before, aligned)
            })
        })
    }

    /// [`gemm_u8`](crate::gemm_u8()), without a workspace of the caller's.
    ///
    /// # Errors
    /// Those of [`Gpu::gemm_i8`].
    #[allow(clippy::too_many_arguments, reason = "BLAS, and two zeros")]
    fn gemm_u8(
        &self,
        alpha: i32,
        a: Mat<'_, u8, D>,
        a_zero: u8,
        b: Mat<'_, i8, D>,
        b_zero: i8,
        beta: i32,
        c: MatMut<'_, i32, D>,
        _: (),
    ) -> Result<(), Error> {
        called!(gemm_u8, {
            self.low_precision_gemm([alpha, beta], a, b, c, None, |planner, product, (before, aligned)| {
                planner.unsigned_product(product, [a_zero.into(), b_zero.into()], before, aligned)
            })
        })
    }
}
