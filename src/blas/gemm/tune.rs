//! Every number of the matrix product: register tiles by instruction set, blocks by cache size.
//!
//! A tile of `MR` rows by `NV` vectors of C stays in registers. A pass over `KC` of the inner dimension
//! leaves it there; `KC` alone decides the order of summation, so it is a constant of the instruction
//! set and the element type. `NC` columns of B, packed for one pass, stay in the second-level cache.

use crate::lanes::{Isa, Simd};

/// Rows of a register tile. With [`vectors`]: accumulators, one row of B and one element of A fit the
/// registers (32 on AVX-512 and NEON, 16 elsewhere).
pub(super) const fn rows(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 | Isa::Neon => 8,
        Isa::Avx2 => 6,
        Isa::Sse2 | Isa::Simd128 | Isa::Portable => 4,
    }
}

/// Vectors in a row of a register tile.
pub(super) const fn vectors(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 | Isa::Neon => 3,
        Isa::Avx2 | Isa::Sse2 | Isa::Simd128 | Isa::Portable => 2,
    }
}

/// Most lanes that any set has.
pub(crate) const MOST_LANES: usize = 16;

/// Inner dimension of one pass.
pub(super) const fn depth(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 512,
        Isa::Avx2 | Isa::Neon => 256,
        Isa::Sse2 | Isa::Simd128 | Isa::Portable => 256,
    }
}

/// The deepest pass of any set.
pub(super) const MOST_DEPTH: usize = 512;

/// Vectors of columns in a block, times the depth of the pass: about a quarter of a second-level cache (2 MiB
/// on servers with AVX-512, 1 MiB on other large cores), so that A and C pass by without pushing it out.
pub(super) const fn block(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 18 * 512,
        Isa::Avx2 | Isa::Neon => 32 * 256,
        Isa::Sse2 | Isa::Simd128 | Isa::Portable => 32 * 256,
    }
}

/// Tiles of rows that take turns at a panel of B, times the depth of the pass: with AVX-512 the panel is
/// larger than the first-level cache, and what is read again stays in the second.
pub(super) const fn band(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 512,
        _ => 16 * 256,
    }
}

/// The most rows of a band of any set when A is packed.
pub(super) const MOST_BAND: usize = 96;

/// Most elements in a block of any set.
pub(super) const MOST_BLOCK: usize = 18 * 512 * MOST_LANES;

/// Whether a masked load costs no more than a plain one.
pub(super) const fn masks<S: Simd>() -> bool {
    matches!(S::ISA, Isa::Avx512)
}

/// Bytes between rows of B up to which packing it does not pay either.
pub(super) const DIRECT_STRIDE: usize = 1024;

/// Bytes of B up to which packing it does not pay.
pub(super) const DIRECT_BYTES: usize = 160 * 160 * 4;

/// Rows of C up to which one band holds all: B is met once and A stays in the second-level cache.
pub(super) const FEW: usize = 64;

/// Rows of B that the tile which packs it asks for in advance.
pub(super) const AHEAD: isize = 16;

/// Bytes of all three matrices that stay in the second-level cache.
pub(super) const NEAR_BYTES: usize = 1536 << 10;

/// Elements of the sums that wait in the first-level cache.
pub(super) const SUMS: usize = 4096;

/// Products of elements that are worth a thread: some ten microseconds.
pub(crate) const GRAIN: usize = 1 << 20;

/// Columns of C up to which squares of A are transposed in registers: where that is one shuffle a step.
pub(super) const fn narrow(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 4,
        _ => 0,
    }
}

/// Elements by which a row of A is asked for in advance there.
pub(super) const ALONG: usize = 64;

/// Blocks of a product on tiles (AMX): sixteen by sixteen elements of C each, in quads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    /// Elements of the inner dimension that one instruction multiplies.
    pub step: usize,
    /// Parts into which an element is split.
    pub parts: usize,
    /// Steps of one pass: a panel of A and one of B fit the first-level cache.
    pub depth: usize,
    /// Quads in a band: its rows of A and C are met again soon.
    pub band: usize,
    /// Quads in a block: its columns of B take half of the second-level cache.
    pub block: usize,
}

impl Tiling {
    pub const BF16: Self = Self { step: 32, parts: 1, depth: 16, band: 4, block: 32 };
    pub const INT8: Self = Self { step: 64, ..Self::BF16 };
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    pub const SIX: Self = Self { step: 32, parts: 3, depth: 8, band: 4, block: 20 };
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    pub const THREE: Self = Self { step: 32, parts: 2, depth: 8, band: 4, block: 32 };

    /// Tiles that one step of a panel takes.
    pub const fn tiles(self) -> usize {
        2 * self.parts
    }
    /// Steps of each pass: of equal length, and it depends on `k` alone.
    pub const fn pass(self, k: usize) -> usize {
        let steps = k.div_ceil(self.step);
        if steps <= self.depth { steps } else { steps.div_ceil(steps.div_ceil(self.depth)) }
    }
    /// Quads of rows in a band.
    pub const fn band(self, m: usize) -> usize {
        let quads = m.div_ceil(32);
        if quads < self.band { quads } else { self.band }
    }
    /// Quads of columns in a block.
    pub const fn block(self, n: usize) -> usize {
        let quads = n.div_ceil(32);
        if quads < self.block { quads } else { self.block }
    }
    /// 32-bit elements of workspace: a tile has 256, and the first one has to be aligned.
    pub const fn workspace(self, m: usize, n: usize, k: usize) -> usize {
        if m == 0 || n == 0 || k == 0 {
            return 0;
        }
        (self.band(m) + self.block(n)) * self.pass(k) * self.tiles() * 256 + 15
    }
}
