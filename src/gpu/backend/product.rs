//! Plans matrix products: which units compute them, which tiles, and whether the depth is split (split-K).

use super::super::device::{Error, Launch};
use super::super::interpret::TensorMap;
use super::super::record::Recorded;
use super::super::template::launch::{ZERO_WORDS, ZEROS};
use super::super::template::tensor;
use super::super::template::{
    self, Argument, Division, GroupTile, TRIPLE_DEPTH, TRIPLE_ROWS, triple, triple_gemm,
};
use super::super::types::Type;
use super::plan::{Plan, Planner};
use alloc::vec;
use alloc::vec::Vec;

/// The least `m·n·k` of each multiprocessor that is worth the passes that take `f32` apart.
const TRIPLE: usize = 1 << 21;
/// The least sides.
const TRIPLE_SIDE: usize = 128;

/// The depth of a tile of 64 by 64 up to which it is taken apart to 16 by 16.
const TINY_DEPTH: usize = 128;
/// Tiles of 64 by 64 up to which they are taken apart to 32 by 32, and parts of the depth of each of these.
const FEW_TILES: usize = 16;
const MOST_PARTS: usize = 32;

/// Where there are several products of fewer multiplications than these and of up to this depth, a thread makes an element alone.
const SMALL: usize = 1 << 12;
const SMALL_DEPTH: usize = 32;

/// Depth from which on a product is rather split than one of several in a launch that leaves most of a device without work.
const SHARED_DEPTH: usize = 1024;

/// A product on strides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product<T> {
    /// Rows of C, its columns, and the depth.
    pub sizes: [usize; 3],
    /// Strides of the rows and columns of A, of B, of C.
    pub strides: [[usize; 2]; 3],
    /// α.
    pub alpha: T,
    /// β.
    pub beta: T,
    /// Whether C lies as `bf16`.
    pub halves: bool,
}

/// A word of a launch. A stride that no element needs may be longer than one.
fn bits(w: usize) -> Argument {
    Argument::Bits(u64::from(u32::try_from(w).unwrap_or(0)))
}

/// Products of one shape: how many there are along an outer and an inner axis, and for each of A, B and C the elements from one
/// matrix to the next along these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Many {
    /// Products along each axis.
    pub counts: [usize; 2],
    /// Of A, of B, of C.
    pub apart: [[usize; 2]; 3],
}

impl<T> Product<T> {
    /// C of elements as they are; the factors are α and β.
    pub const fn new(sizes: [usize; 3], strides: [[usize; 2]; 3], [alpha, beta]: [T; 2]) -> Self
    where
        T: Copy,
    {
        Self { sizes, strides, alpha, beta, halves: false }
    }

    /// The product of the transposes, where C is then row by row. The operands are B, A, C.
    fn transposed(self) -> Self {
        let ([m, n, k], [a, b, c]) = (self.sizes, self.strides);
        let turn = |[r, c]: [usize; 2]| [c, r];
        Self { sizes: [n, m, k], strides: [turn(b), turn(a), turn(c)], ..self }
    }
}

impl Planner {
    /// A product; the operands are A, B, C. With α = 0 neither A nor B is read.
    ///
    /// # Errors
    /// `Overflow` for offsets that kernels do not count, [`Error::Limit`].
    pub fn product<T: Recorded>(&self, of: &Product<T::Elem>) -> Result<Plan, Error> {
        let [m, n, k] = of.sizes;
        let [sa, sb, sc] = of.strides;
        for (arg, [rows, cols], [r, c]) in [("a", [m, k], sa), ("b", [k, n], sb), ("c", [m, n], sc)] {
            self.matrix::<T>(arg, [rows, cols], [r, c])?;
        }
        if m == 0 || n == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        let zero = <T::Elem as crate::Number>::ZERO;
        let k = if of.alpha == zero { 0 } else { k };
        let of = Product { sizes: [m, n, k], ..*of };
        if let Some(plan) = self.by_units::<T>(&of)? {
            return Ok(plan);
        }
        let (division, parts) = self.divided(T::TYPE.bytes(), of.sizes);
        let operands = [0, 1];
        if !division.split {
            let launch = self.strided::<T>(&of, division, operands, (2, sc), 1, Vec::new())?;
            return Ok(Plan { launches: vec![launch], scratch: Vec::new() });
        }
        let chunk = k.div_ceil(parts).next_multiple_of(division.depth as usize);
        let (parts, cells) = (k.div_ceil(chunk), m * n);
        if division.shared {
            let tiles = m.div_ceil(division.tile[0] as usize) * n.div_ceil(division.tile[1] as usize);
            let more = [bits(chunk), Argument::Buffer(3), Argument::Buffer(ZEROS)].to_vec();
            let launch = self.strided::<T>(&of, division, operands, (2, sc), parts, more)?;
            let elements = tiles as u64 * u64::from(division.tile[0] * division.tile[1]);
            let scratch = vec![elements * parts as u64 * u64::from(T::TYPE.bytes())];
            return Ok(Plan { launches: vec![launch], scratch });
        }
        let more = vec![bits(chunk), bits(cells)];
        let sums = self.strided::<T>(&of, division, operands, (3, [n, 1]), parts, more)?;
        let all = self.combine::<T>(&of, [3, 2], parts)?;
        let scratch = vec![cells as u64 * parts as u64 * u64::from(T::TYPE.bytes())];
        Ok(Plan { launches: vec![sums, all], scratch })
    }

    /// A product by warp groups of tensor cores, where there are some and it is worth it.
    fn by_units<T: Recorded>(&self, of: &Product<T::Elem>) -> Result<Option<Plan>, Error> {
        if T::TYPE == Type::F32 {
            let [alpha, beta] = [of.alpha, of.beta].map(|x| f32::from_bits(T::bits(x) as u32));
            let single = Product { sizes: of.sizes, strides: of.strides, alpha, beta, halves: of.halves };
            if let Some(plan) = self.rounded(&single)? {
                return Ok(Some(plan));
            }
        }
        self.triple::<T>(of)
    }

    /// Products of one shape by one launch, or one for as many as a grid has; the operands are A, B, C of all of them. `None`
    /// where one after the other is better: by tensor cores, or because blocks share a depth.
    ///
    /// # Errors
    /// As [`Planner::product`], for one of them.
    pub fn products<T: Recorded>(&self, of: &Product<T::Elem>, many: &Many) -> Result<Option<Plan>, Error> {
        let ([m, n, k], [outer, inner]) = (of.sizes, many.counts);
        let none = Plan { launches: Vec::new(), scratch: Vec::new() };
        if [m, n, outer, inner].contains(&0) {
            return Ok(Some(none));
        }
        let reach = |n: usize, by: usize| n.saturating_sub(1).saturating_mul(by);
        for ((arg, [rows, cols]), ([r, c], [far, near])) in [("a", [m, k]), ("b", [k, n]), ("c", [m, n])]
            .into_iter()
            .zip(of.strides.into_iter().zip(many.apart))
        {
            self.matrix::<T>(arg, [rows, cols], [r, c])?;
            let ends = [reach(rows, r), reach(cols, c), reach(outer, far), reach(inner, near)];
            let end = ends.into_iter().fold(1, usize::saturating_add);
            // Several launches reach what one does not.
            if self.line::<T>(arg, end).is_err() {
                return Ok(None);
            }
        }
        let count = outer.saturating_mul(inner);
        let k = if of.alpha == <T::Elem as crate::Number>::ZERO { 0 } else { k };
        let of = Product { sizes: [m, n, k], ..*of };
        if count == 1 || u32::try_from(count).is_err() || self.by_units::<T>(&of)?.is_some() {
            return Ok(None);
        }
        if m.saturating_mul(n).saturating_mul(k) < SMALL && k <= SMALL_DEPTH {
            return Ok(Some(Plan { launches: vec![self.small_products::<T>(&of, many)?], ..none }));
        }
        let Some(division) = self.division_of_many(T::TYPE.bytes(), of.sizes, count) else { return Ok(None) };
        let each = self.limits.grid[2] as usize;
        let launches = (0..count).step_by(each).map(|first| {
            let more = [first, inner].into_iter().chain(many.apart.into_iter().flatten()).map(bits).collect();
            self.strided::<T>(&of, division, [0, 1], (2, of.strides[2]), each.min(count - first), more)
        });
        Ok(Some(Plan { launches: launches.collect::<Result<_, Error>>()?, ..none }))
    }

    /// A launch of [`tensor::products`].
    fn small_products<T: Recorded>(&self, of: &Product<T::Elem>, many: &Many) -> Result<Launch, Error> {
        let zero = <T::Elem as crate::Number>::ZERO;
        let adds = of.beta != zero;
        let ([m, n, k], [outer, inner]) = (of.sizes, many.counts);
        let [a, b, c] = of.strides;
        let steps = |i: usize| many.apart.map(|by| by.get(i).copied().unwrap_or(0));
        let kept = [(outer, steps(0)), (inner, steps(1)), (m, [a[0], 0, c[0]]), (n, [0, b[1], c[1]])];
        let all = [outer, inner, m, n].into_iter().fold(1, usize::saturating_mul);
        let mut words = vec![all];
        words.extend(kept.into_iter().flat_map(|(size, [a, b, c])| [size, a, b, c]));
        words.extend([k, a[1], b[0]]);
        let mut arguments: Vec<Argument> = [0, 1, 2].map(Argument::Buffer).into();
        arguments.extend(words.into_iter().map(bits));
        // Of no depth nothing is added, even if α is NaN.
        let alpha = if k == 0 { zero } else { of.alpha };
        arguments.extend([alpha, of.beta].map(|x| Argument::Bits(T::bits(x))));
        let make = || Some(tensor::products::<T>(adds));
        self.flat_by::<T>("gemm_small", u32::from(adds), make, all, arguments)
    }

    /// How so many products are divided: by tiles of which little is outside of a matrix. `None` where their blocks occupy
    /// little of the device and their depth is worth being shared.
    fn division_of_many(&self, width: u32, [m, n, k]: [usize; 3], count: usize) -> Option<Division> {
        let multiprocessors = (self.blocks as usize / 8).max(1);
        let blocks = |d: Division| {
            let [rows, cols] = d.tile.map(|n| n as usize);
            m.div_ceil(rows).saturating_mul(n.div_ceil(cols)).saturating_mul(count)
        };
        let (small, large) = (m.min(n), m.max(n));
        let division = if self.short {
            Division::SHORT
        } else if large <= 16 {
            Division::TINY
        } else if small <= 32 {
            Division::LITTLE
        } else if width == 4 && small > 64 && 2 * blocks(Division::LARGE) >= multiprocessors {
            Division::LARGE
        } else if 2 * blocks(Division::SMALL) >= multiprocessors {
            Division::SMALL
        } else {
            Division::LITTLE
        };
        let idle = 4 * blocks(division) < multiprocessors && k >= SHARED_DEPTH;
        (!idle).then(|| self.fitted(Division { batched: true, ..division }, width))
    }

    /// A product of which the lower triangle of C is read and written alone.
    pub(super) fn lower<T: Recorded>(&self, of: &Product<T::Elem>) -> Result<Launch, Error> {
        let division = self.fitted(Division { lower: true, ..Division::SMALL }, T::TYPE.bytes());
        self.strided::<T>(of, division, [0, 1], (2, of.strides[2]), 1, Vec::new())
    }

    /// A launch of [`template::strided`] of these operands, in so many parts along z.
    fn strided<T: Recorded>(
        &self,
        of: &Product<T::Elem>,
        division: Division,
        operands: [usize; 2],
        (c, strides): (usize, [usize; 2]),
        parts: usize,
        more: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let make = || Some(template::strided::<T>(division));
        let program = self.one_by::<T>("gemm", division.number(), make)?;
        let ([m, n, k], [sa, sb, _], [a, b]) = (of.sizes, of.strides, operands);
        let mut arguments: Vec<Argument> = [a, b, c].map(Argument::Buffer).into();
        arguments.extend([[m, n].as_slice(), &[k], &sa, &sb, &strides].concat().into_iter().map(bits));
        arguments.extend([of.alpha, of.beta].map(|x| Argument::Bits(T::bits(x))));
        arguments.extend(more);
        let [rows, cols] = division.tile;
        let grid = self.grid([n.div_ceil(cols as usize), m.div_ceil(rows as usize), parts])?;
        Ok(Launch { program, grid, block: [division.threads(), 1, 1], arguments })
    }

    /// A launch of [`template::combine`]: sums in so many parts, and C.
    pub(super) fn combine<T: Recorded>(
        &self,
        of: &Product<T::Elem>,
        [sums, c]: [usize; 2],
        parts: usize,
    ) -> Result<Launch, Error> {
        let ([m, n, _], [_, _, strides]) = (of.sizes, of.strides);
        let mut arguments: Vec<Argument> = [sums, c].map(Argument::Buffer).into();
        arguments.extend([m * n, n, parts, strides[0], strides[1]].map(bits));
        arguments.extend([of.alpha, of.beta].map(|x| Argument::Bits(T::bits(x))));
        self.flat::<T>("gemm_combine", || Some(template::combine::<T>()), m * n, arguments)
    }

    /// A product of `f32` by warp groups, in three parts of `bf16`, where the device has these and there is enough to do:
    /// both operands are taken apart, tiles with elements that have no three parts are computed by threads, then the
    /// others by warp groups.
    fn triple<T: Recorded>(&self, of: &Product<T::Elem>) -> Result<Option<Plan>, Error> {
        // C row by row, or column by column as the product of the transposes.
        let turned = of.strides[2][1] != 1;
        let of = if turned { of.transposed() } else { *of };
        let ([m, n, k], [sa, sb, sc]) = (of.sizes, of.strides);
        let pitch = k.next_multiple_of(16);
        let multiprocessors = (self.blocks as usize / 8).max(1);
        let parts_of = |rows: usize| rows.checked_mul(3).and_then(|r| r.checked_mul(pitch));
        let counted = [m, n].iter().all(|r| parts_of(*r).is_some_and(|e| e < 1 << 31));
        let enough = m.min(n).min(k) >= TRIPLE_SIDE
            && m.saturating_mul(n).saturating_mul(k) / multiprocessors >= TRIPLE;
        if T::TYPE != Type::F32 || !self.groups || !enough || !counted || sc[1] != 1 || sc[0] < n {
            return Ok(None);
        }
        let tile = GroupTile::TRIPLE;
        let program = self.one::<T>("triple_gemm", || Some(triple_gemm(tile)))?;
        let limits = &self.limits;
        let across = [m, n].map(|r| r.div_ceil(TRIPLE_ROWS as usize));
        let tiles = across[0] * across[1];
        if program.kernel().shared_bytes() > limits.shared || tile.threads() > limits.threads {
            return Ok(None);
        }
        let slabs = k.div_ceil(TRIPLE_DEPTH as usize);
        let cells = m * n;
        // Nanoseconds of a slab on one multiprocessor of an H100, of the sums' way to memory and back, and of a launch.
        let time = |parts: usize| {
            let rounds = tiles.saturating_mul(parts).div_ceil(multiprocessors) * slabs.div_ceil(parts) * 1750;
            rounds + if parts > 1 { cells * (2 * parts + 1) / 600 + 3000 } else { 0 }
        };
        let most = (slabs / 4).min((1 << 31) / cells).clamp(1, 16);
        let parts = (1..=most).min_by_key(|parts| time(*parts)).unwrap_or(1);
        let chunk = slabs.div_ceil(parts);
        let parts = slabs.div_ceil(chunk);
        let split = parts > 1;
        // Operands, then scratch: the parts of A and B, their words, what is left to threads, and sums.
        let ([a, b], [of_a, of_b, words_a, words_b, told, sums]) =
            (if turned { [1, 0] } else { [0, 1] }, [3, 4, 5, 6, 7, 8]);
        let apart = |from: usize, rows: usize, [row, col]: [usize; 2], to: usize, words: usize| {
            let program = self.one::<T>("triple", || Some(triple()))?;
            let mut arguments: Vec<Argument> = [from, to].map(Argument::Buffer).into();
            arguments.extend([rows, k, row, col, pitch].map(bits));
            arguments.extend([Argument::Buffer(words), bits(slabs)]);
            let grid = [slabs as u32, rows.div_ceil(TRIPLE_ROWS as usize) as u32, 1];
            Ok::<_, Error>(Launch { program, grid, block: [256, 1, 1], arguments })
        };
        let mut launches = vec![apart(a, m, sa, of_a, words_a)?, apart(b, n, [sb[1], sb[0]], of_b, words_b)?];
        let division = Division { split, strange: true, ..Division::LARGE };
        let (c, strides) = if split { (sums, [n, 1]) } else { (2, sc) };
        let of_parts = [bits(chunk * TRIPLE_DEPTH as usize), bits(cells)];
        let mut more: Vec<Argument> = if split { of_parts.to_vec() } else { Vec::new() };
        more.extend([words_a, words_b].map(Argument::Buffer));
        more.extend([bits(slabs), Argument::Buffer(told)]);
        launches.push(self.strided::<T>(&of, division, [a, b], (c, strides), parts, more)?);
        let map = |at: usize, rows: usize| {
            let size = [3 * rows, pitch].map(|n| n as u32);
            let part = [TRIPLE_ROWS, TRIPLE_DEPTH];
            let stride = pitch as u64 * 2;
            let element = Type::Bf16;
            Argument::Map(at, TensorMap { at: 0, element, size, stride, part, swizzle: true, outer: None })
        };
        let mut arguments = vec![map(of_a, m), map(of_b, n), Argument::Buffer(c)];
        arguments.push(Argument::Bits(strides[0] as u64));
        arguments.extend([m, n, slabs, across[0], across[1]].map(bits));
        let one = <T::Elem as crate::Number>::ONE;
        let by = if split { [one, <T::Elem as crate::Number>::ZERO] } else { [of.alpha, of.beta] };
        arguments.extend(by.map(|x| Argument::Bits(T::bits(x))));
        arguments.extend([chunk, cells, m, n].map(bits));
        arguments.push(Argument::Buffer(told));
        let grid = [if split { tiles } else { tiles.min(multiprocessors) } as u32, 1, parts as u32];
        launches.push(Launch { program, grid, block: [tile.threads(), 1, 1], arguments });
        let word = |n: usize| n as u64 * 4;
        let mut scratch = vec![6 * (m * pitch) as u64, 6 * (n * pitch) as u64];
        scratch.extend([word(across[0] * slabs), word(across[1] * slabs), word(tiles)]);
        if split {
            launches.push(self.combine::<T>(&of, [sums, 2], parts)?);
            scratch.push(word(cells * parts));
        }
        Ok(Some(Plan { launches, scratch }))
    }

    /// The division for elements of so many bytes, within what a kernel may have without asking the driver for more.
    fn fitted(&self, d: Division, width: u32) -> Division {
        let d = Division { vector: d.vector.min(16 / width), wide: self.optimise, ..d };
        d.within(width, self.limits.shared.min(48 << 10))
    }

    /// How a product is divided, and in how many parts of its depth: the largest tiles that occupy the device.
    fn divided(&self, width: u32, [m, n, k]: [usize; 3]) -> (Division, usize) {
        let multiprocessors = (self.blocks as usize / 8).max(1);
        let tiles =
            |d: Division| m.div_ceil(d.tile[0] as usize).saturating_mul(n.div_ceil(d.tile[1] as usize));
        // The sums of all parts are counted and reached as one operand.
        let most =
            (1 << 31).min(usize::try_from(self.limits.binding / u64::from(width)).unwrap_or(usize::MAX));
        let parts = |d: Division, each: usize, least: usize| {
            let fits = most / m.saturating_mul(n).max(1);
            (each * multiprocessors / tiles(d)).min(k / least).min(fits).max(1)
        };
        let of = |d: Division, parts: usize| {
            let split = parts > 1;
            let shared = split && self.optimise && tiles(d) <= ZERO_WORDS;
            (self.fitted(Division { split, shared, ..d }, width), parts)
        };
        if self.short {
            return of(Division::SHORT, 1);
        }
        let large = parts(Division::LARGE, 1, 256);
        if width == 4 && m > 64 && n > 64 && 2 * tiles(Division::LARGE) * large >= multiprocessors {
            return of(Division::LARGE, large);
        }
        match tiles(Division::SMALL) {
            1 if k <= TINY_DEPTH => of(Division::TINY, 1),
            // Below four pieces of the depth their sums take longer than the depth.
            ..=FEW_TILES if k < 4 * 64 => of(Division::LITTLE, 1),
            ..=FEW_TILES => of(Division::LITTLE, parts(Division::LITTLE, 2, 64).min(MOST_PARTS)),
            _ => of(Division::SMALL, parts(Division::SMALL, 2, 64)),
        }
    }
}
