//! Launches as data: the kernel, the grid and the arguments, planned without a device.

use super::super::error::Error;
use super::super::interpret::TensorMap;
use super::super::ir::{Group, Kernel};
use super::super::types::Type;
use super::group::{GroupTile, group_gemm};
use alloc::vec::Vec;

/// A product `C ← α·A·B + β·C` of A (m × k) and B (n × k), their depth along their rows or across them, C row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupProduct<T = f32> {
    /// Rows of A and C.
    pub m: u32,
    /// Rows of B, columns of C.
    pub n: u32,
    /// The depth.
    pub k: u32,
    /// Whether A is k × m in memory, and B k × n: of 16 bits.
    pub across: [bool; 2],
    /// Elements from row to row of A.
    pub lda: u64,
    /// Elements from row to row of B.
    pub ldb: u64,
    /// Elements from row to row of C.
    pub ldc: u64,
    /// α.
    pub alpha: T,
    /// β; C is not read where it is 0.
    pub beta: T,
    /// Elements of A and B.
    pub input: Group,
    /// Elements of C: `F32`, `F16` or `Bf16`; `U32` of signed bytes.
    pub output: Type,
}

/// What products are scaled by: `f32`, or integers modulo 2³².
pub trait Factor: Copy {
    /// As a kernel gets it.
    fn bits(self) -> u32;
}
impl Factor for f32 {
    fn bits(self) -> u32 {
        self.to_bits()
    }
}
impl Factor for i32 {
    fn bits(self) -> u32 {
        self.cast_unsigned()
    }
}

/// An argument of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The address of the buffer with this number.
    Buffer(usize),
    /// A tensor map of the buffer with this number, its address relative to the buffer.
    Map(usize, TensorMap),
    /// These bits.
    Bits(u64),
}

/// The number of the operand that is zeros, and left as zeros.
pub(in super::super) const ZEROS: usize = usize::MAX;
/// How many words that are.
pub(in super::super) const ZERO_WORDS: usize = 1 << 15;

/// A launch of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupLaunch {
    /// The kernel.
    pub kernel: Kernel,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub threads: [u32; 3],
    /// Bytes of shared memory of a block; more than a target declares is asked for by the launch.
    pub shared: u32,
    /// The arguments; buffers are A, B and C, and where blocks share a tile their sums, of [`GroupProduct::shared`] bytes, and
    /// [`GroupProduct::ended`] words of zeros.
    pub args: Vec<Argument>,
}

impl Group {
    /// The type in memory.
    #[must_use]
    pub const fn element(self) -> Type {
        match self {
            Self::F16 => Type::F16,
            Self::Bf16 => Type::Bf16,
            Self::Tf32 => Type::F32,
            Self::E4m3 | Self::S8 => Type::U8,
        }
    }
}

impl<T: Factor> GroupProduct<T> {
    /// The tile that ends first on a machine of so many multiprocessors, and in how many parts blocks share its depth.
    #[must_use]
    pub fn division(&self, multiprocessors: u32) -> (GroupTile, u32) {
        let (mut best, mut least) = ((GroupTile::ALL[7], 1), u64::MAX);
        let [_, across] = self.across;
        let fits = |t: &GroupTile| {
            (!across || t.n.is_multiple_of(64)) && (self.input != Group::E4m3 || t.holds_slabs())
        };
        for tile in GroupTile::ALL.into_iter().filter(fits) {
            // Other numbers than powers of two are slower than both of their neighbours.
            for parts in (0..=self.most_parts(tile).ilog2()).map(|log| 1 << log) {
                let time = self.time(tile, parts, multiprocessors);
                if time < least {
                    (best, least) = ((tile, parts), time);
                }
            }
        }
        best
    }

    fn slabs(&self) -> u32 {
        self.k.div_ceil(4 * self.input.depth() as u32)
    }

    fn tiles(&self, tile: GroupTile) -> u64 {
        u64::from(self.m.div_ceil(tile.m)) * u64::from(self.n.div_ceil(tile.n))
    }

    /// Parts of four slabs and more; only sums in `f32` are added up.
    fn most_parts(&self, tile: GroupTile) -> u32 {
        let counted = self.ended(tile) <= ZERO_WORDS as u64;
        if counted && self.input != Group::S8 { (self.slabs() / 4).clamp(1, 16) } else { 1 }
    }

    /// Bytes of the sums of blocks that share tiles.
    #[must_use]
    pub fn shared(&self, tile: GroupTile, parts: u32) -> u64 {
        4 * u64::from(tile.m * tile.n) * self.tiles(tile) * u64::from(parts)
    }

    /// Words in which they count who ended.
    #[must_use]
    pub fn ended(&self, tile: GroupTile) -> u64 {
        self.tiles(tile) * u64::from(4 * tile.groups)
    }

    /// Clocks, about, as an H100 and an H200 took them: rounds of tiles, each as long as its products, what the second cache gives all
    /// that run, or what a load waits, and as its way to memory; and the sums of parts there and back.
    fn time(&self, t: GroupTile, parts: u32, multiprocessors: u32) -> u64 {
        let slabs = u64::from(self.slabs().div_ceil(parts));
        let tiles = self.tiles(t) * u64::from(parts);
        let multiprocessors = u64::from(multiprocessors.max(1));
        let bytes = u64::from(128 * (t.m + t.n)) * tiles.min(multiprocessors);
        let waits = match (t.groups, t.n) {
            (2, ..=96) => 650,
            (_, ..=32) => 470,
            (1, 128..) => 560,
            _ => 450,
        };
        // Rows that start within a line of 128 bytes are read by two.
        let lines = |ld: u64| (ld * u64::from(self.input.element().bytes())).is_multiple_of(128);
        let each = if lines(self.lda) && lines(self.ldb) { 6000 } else { 3000 };
        let slab = u64::from(t.m * t.n / 32).max(bytes / each).max(waits);
        let sums = match parts {
            1 => 0,
            _ => 3500 + u64::from(t.m.min(self.m.next_multiple_of(16)) * t.n) * u64::from(parts + 1) / 12,
        };
        tiles.div_ceil(multiprocessors) * (slabs * slab + u64::from(t.m * t.n / 5)) + 2000 + sums
    }

    /// The launch with this tile, whose depth blocks share in so many parts. Refused are sizes of 0, rows of A or B that are no multiple of 16 bytes, and row
    /// distances below the rows' length.
    pub fn launch(&self, tile: GroupTile, parts: u32, multiprocessors: u32) -> Result<GroupLaunch, Error> {
        let kernel = group_gemm(tile, self.input, self.output, self.across, parts > 1)?;
        let (grid, args) = self.arguments(tile, parts, multiprocessors)?;
        let shared = kernel.shared_bytes();
        Ok(GroupLaunch { kernel, grid, threads: [tile.threads(), 1, 1], shared, args })
    }

    /// The blocks and the arguments of a launch.
    pub(in super::super) fn arguments(
        &self,
        tile: GroupTile,
        parts: u32,
        multiprocessors: u32,
    ) -> Result<([u32; 3], Vec<Argument>), Error> {
        let Self { m, n, k, across, lda, ldb, ldc, alpha, beta, input, .. } = *self;
        let [a_across, b_across] = across;
        let element = input.element();
        let width = u64::from(element.bytes());
        let deep = 4 * input.depth() as u32;
        if [m, n, k].iter().any(|s| !(1..=1 << 30).contains(s)) {
            return Err(Error::Overflow { what: "a size of a product (1 to 2^30)" });
        }
        let bad = |ld: u64, row: u32| ld < u64::from(row) || ld > 1 << 36;
        if bad(lda, if a_across { m } else { k })
            || bad(ldb, if b_across { n } else { k })
            || bad(ldc, n)
            || [lda, ldb].iter().any(|ld| !(ld * width).is_multiple_of(16))
        {
            return Err(Error::Tile {
                rule: "rows of A and B are a multiple of 16 bytes apart, and no shorter than they are long",
            });
        }
        let map = |at, rows, ld: u64, part, across| {
            let (size, part) = if across { ([k, rows], [deep; 2]) } else { ([rows, k], [part, deep]) };
            let stride = ld * width;
            Argument::Map(at, TensorMap { at: 0, element, size, stride, part, swizzle: true, outer: None })
        };
        let (down, across) = (m.div_ceil(tile.m), n.div_ceil(tile.n));
        let blocks = down.checked_mul(across).ok_or(Error::Overflow { what: "the number of tiles" })?;
        let bits = |v: u32| Argument::Bits(u64::from(v));
        let mut args = Vec::from([
            map(0, m, lda, tile.m, a_across),
            map(1, n, ldb, tile.n, b_across),
            Argument::Buffer(2),
            Argument::Bits(ldc),
        ]);
        let slabs = self.slabs();
        if parts > 1 && (self.ended(tile) > ZERO_WORDS as u64 || input.sums() != Type::F32) {
            return Err(Error::Overflow { what: "the number of tiles that blocks share" });
        }
        // No part is empty.
        let chunk = slabs.div_ceil(parts.clamp(1, slabs));
        let parts = slabs.div_ceil(chunk);
        args.extend([m, n, slabs, down, across, alpha.bits(), beta.bits(), chunk, 0].map(bits));
        if parts > 1 {
            args.extend([3, 4].map(Argument::Buffer));
        }
        Ok(([blocks.min(multiprocessors.max(1)), 1, parts], args))
    }
}
