//! Launches as data: which kernel, how many blocks, which arguments. No device is needed to plan one.

use super::super::error::Error;
use super::super::interpret::TensorMap;
use super::super::ir::{Group, Kernel};
use super::super::types::Type;
use super::group::{GroupTile, group_gemm};
use alloc::vec::Vec;

/// A product `C ← α·A·B + β·C` of A (m × k) and B (n × k, its depth along its rows), C row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupProduct {
    /// Rows of A and C.
    pub m: u32,
    /// Rows of B, columns of C.
    pub n: u32,
    /// The depth.
    pub k: u32,
    /// Elements from row to row of A.
    pub lda: u64,
    /// Elements from row to row of B.
    pub ldb: u64,
    /// Elements from row to row of C.
    pub ldc: u64,
    /// α.
    pub alpha: f32,
    /// β; C is not read where it is 0.
    pub beta: f32,
    /// Elements of A and B.
    pub input: Group,
    /// Elements of C: `F32`, `F16` or `Bf16`.
    pub output: Type,
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
    /// The arguments; buffers are A, B and C.
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
            Self::E4m3 => Type::U8,
        }
    }
}

impl GroupProduct {
    /// The tile that ends first on a machine of so many multiprocessors: rounds of tiles, each as long as its products
    /// at the rate that the tile reaches, and a start.
    #[must_use]
    pub fn tile(&self, multiprocessors: u32) -> GroupTile {
        let slabs = u64::from(self.k.div_ceil(4 * self.input.depth() as u32));
        let (mut best, mut least) = (0, u64::MAX);
        for (at, t) in GroupTile::ALL.iter().enumerate() {
            let tiles = u64::from(self.m.div_ceil(t.m)) * u64::from(self.n.div_ceil(t.n));
            let rounds = tiles.div_ceil(u64::from(multiprocessors.max(1)));
            // Clocks of a slab: products alone, or loads of its bytes at 64 a clock.
            let slab = u64::from((t.m * t.n / 32).max(2 * (t.m + t.n)));
            let time = rounds * (slabs * slab + 600 + u64::from(t.m * t.n / 32)) + 1500;
            if time < least {
                (best, least) = (at, time);
            }
        }
        GroupTile::ALL.get(best).copied().unwrap_or(GroupTile { m: 64, n: 64, stages: 6, groups: 1 })
    }

    /// The launch with this tile. Refused are sizes of 0, rows of A or B that are no multiple of 16 bytes, and row
    /// distances below the rows' length.
    pub fn launch(&self, tile: GroupTile, multiprocessors: u32) -> Result<GroupLaunch, Error> {
        let Self { m, n, k, lda, ldb, ldc, alpha, beta, input, output } = *self;
        let element = input.element();
        let width = u64::from(element.bytes());
        let deep = 4 * input.depth() as u32;
        if [m, n, k].iter().any(|s| !(1..=1 << 30).contains(s)) {
            return Err(Error::Overflow { what: "a size of a product (1 to 2^30)" });
        }
        let bad = |ld: u64, row: u32| ld < u64::from(row) || ld > 1 << 36;
        if bad(lda, k)
            || bad(ldb, k)
            || bad(ldc, n)
            || [lda, ldb].iter().any(|ld| !(ld * width).is_multiple_of(16))
        {
            return Err(Error::Tile {
                rule: "rows of A and B are a multiple of 16 bytes apart, and no shorter than they are long",
            });
        }
        let map = |at, rows, ld: u64, part| {
            let map = TensorMap {
                at: 0,
                element,
                size: [rows, k],
                stride: ld * width,
                part: [part, deep],
                swizzle: true,
            };
            Argument::Map(at, map)
        };
        let kernel = group_gemm(tile, input, output)?;
        let tiles = [m.div_ceil(tile.m), n.div_ceil(tile.n)];
        let [down, across] = tiles;
        let blocks = down.checked_mul(across).ok_or(Error::Overflow { what: "the number of tiles" })?;
        let bits = |v: u32| Argument::Bits(u64::from(v));
        let mut args = Vec::from([
            map(0, m, lda, tile.m),
            map(1, n, ldb, tile.n),
            Argument::Buffer(2),
            Argument::Bits(ldc),
        ]);
        args.extend([m, n, k.div_ceil(deep), down, across, alpha.to_bits(), beta.to_bits()].map(bits));
        Ok(GroupLaunch {
            grid: [blocks.min(multiprocessors.max(1)), 1, 1],
            threads: [tile.threads(), 1, 1],
            shared: kernel.shared_bytes(),
            kernel,
            args,
        })
    }
}
