//! The blocking parameters of the matrix product: the register tile (MR, NR) of each instruction set, and the cache
//! blocks (MC, KC, NC).
//!
//! A tile of `MR` rows by `NV` vectors of C stays in registers during a pass over `KC` of the inner dimension. `KC`
//! alone decides the order of summation, so it is a constant of the instruction set and the element type. `NC` columns
//! of B, packed for one pass, stay in the second-level cache.

use crate::hardware::{TARGETS, Target, pass_depth, register_tile};
use crate::lanes::{Isa, Simd};

/// Rows and vectors of a register tile, as the facts about the first machine of a set give them. What is generic runs
/// on machines without facts too and takes the smallest.
const fn tile(isa: Isa) -> [usize; 2] {
    let mut rest: &[Target] = &TARGETS;
    while let Some((target, more)) = rest.split_first() {
        if let Some(cpu) = target.cpu()
            && cpu.isa as u8 == isa as u8
            && let Some([rows, vectors]) = register_tile(cpu)
        {
            return [rows as usize, vectors as usize];
        }
        rest = more;
    }
    [4, 2]
}

/// Rows of a register tile. With [`vectors`]: accumulators, one row of B and one element of A fit the
/// registers (32 on AVX-512 and NEON, 16 elsewhere).
pub(crate) const fn rows(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => const { tile(Isa::Avx512)[0] },
        Isa::Neon => const { tile(Isa::Neon)[0] },
        Isa::Avx2 => const { tile(Isa::Avx2)[0] },
        Isa::Sse2 => const { tile(Isa::Sse2)[0] },
        Isa::Simd128 => const { tile(Isa::Simd128)[0] },
        Isa::Portable => 4,
    }
}

/// Vectors in a row of a register tile.
pub(crate) const fn vectors(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => const { tile(Isa::Avx512)[1] },
        Isa::Neon => const { tile(Isa::Neon)[1] },
        Isa::Avx2 => const { tile(Isa::Avx2)[1] },
        Isa::Sse2 => const { tile(Isa::Sse2)[1] },
        Isa::Simd128 => const { tile(Isa::Simd128)[1] },
        Isa::Portable => 2,
    }
}

/// Most lanes that any set has.
pub(crate) const MOST_LANES: usize = 16;

/// Inner dimension of one pass.
pub(crate) const fn depth(isa: Isa) -> usize {
    pass_depth(isa) as usize
}

/// The deepest pass of every set.
pub(crate) const LEAST_DEPTH: usize = 256;

/// The deepest pass of any set.
pub(crate) const MOST_DEPTH: usize = 512;

/// Vectors of columns in a block, times the depth of the pass: about a quarter of a second-level cache (2 MiB
/// on servers with AVX-512, 1 MiB on other large cores), so that A and C pass by without pushing it out.
pub(crate) const fn block(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 18 * 512,
        Isa::Avx2 | Isa::Neon => 32 * 256,
        Isa::Sse2 | Isa::Simd128 | Isa::Portable => 32 * 256,
    }
}

/// Tiles of rows that take turns at a panel of B, times the depth of the pass: with AVX-512 the panel is
/// larger than the first-level cache, and what is read again stays in the second.
pub(crate) const fn band(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 512,
        Isa::Avx2 | Isa::Neon | Isa::Sse2 | Isa::Simd128 | Isa::Portable => 16 * 256,
    }
}

/// The most rows of a band of any set when A is packed.
pub(crate) const MOST_BAND: usize = 96;

/// Most elements in a block of any set.
pub(crate) const MOST_BLOCK: usize = 18 * 512 * MOST_LANES;

/// Whether a masked load costs no more than a plain one.
pub(crate) const fn masks<S: Simd>() -> bool {
    S::ISA.masks_are_free()
}

/// Rows, columns and inner dimension up to which [`tiny`](super::tiny) multiplies.
pub(crate) const FEW_SIDE: usize = 40;

/// The same for a set. The last vector is always masked, so it is for sets where that is free.
pub(super) const fn few(isa: Isa) -> usize {
    if isa.masks_are_free() { FEW_SIDE } else { 0 }
}

/// Bytes between rows of B up to which packing it does not pay either.
pub(crate) const DIRECT_STRIDE: usize = 1024;

/// Bytes of B up to which packing it does not pay.
pub(crate) const DIRECT_BYTES: usize = 160 * 160 * 4;

/// Rows of C up to which one band holds all: B is read once and A stays in the second-level cache.
pub(crate) const FEW: usize = 64;

/// Rows of B that the tile which packs it prefetches: rows at a power-of-two stride share one set of the first-level
/// cache, which has few ways.
pub(super) const AHEAD: isize = 8;

/// Steps from which a tile takes four at a time.
pub(crate) const LONG: usize = 192;

/// Prefetch distance of its rows of A then, in cache lines.
pub(crate) const LINES: usize = 2;

/// Bytes of all three matrices that stay in the second-level cache.
pub(crate) const NEAR_BYTES: usize = 1536 << 10;

/// Bytes of the sums that wait in the first-level cache: a third of it, beside what passes by.
pub(crate) const SUMS: usize = 16 << 10;

/// Bytes of C from which it is stored non-temporally.
pub(crate) const STREAM_BYTES: usize = 64 << 20;

/// Products of elements that are worth a thread: some ten microseconds.
pub(crate) const GRAIN: usize = 1 << 20;

/// Products of elements of each thread from which it pays to pack B together: some milliseconds.
pub(crate) const TOGETHER: usize = 1 << 25;

/// Parts of rows for each thread then.
pub(crate) const TURNS: usize = 4;

/// Columns of C up to which squares of A are transposed in registers: where that is one shuffle a step.
pub(super) const fn small_n(isa: Isa) -> usize {
    match isa {
        Isa::Avx512 => 4,
        Isa::Avx2 | Isa::Neon | Isa::Sse2 | Isa::Simd128 | Isa::Portable => 0,
    }
}

/// Prefetch distance of a row of A there, in elements.
pub(crate) const ALONG: usize = 64;

/// Blocks of a product on tiles (AMX): sixteen by sixteen elements of C each, in quads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    /// Elements of the inner dimension that one instruction multiplies.
    pub step: usize,
    /// Parts into which an element is split.
    pub parts: usize,
    /// Steps of one pass: a panel of A and one of B fit the first-level cache.
    pub depth: usize,
    /// Quads in a band: its rows of A and C are read again soon.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::Cpu;

    fn cpus() -> impl Iterator<Item = (&'static str, &'static Cpu)> {
        TARGETS.iter().filter_map(|t| Some((t.name, t.cpu()?)))
    }

    /// What was measured as fastest on each set is what the rule gives for every machine that has it.
    #[test]
    fn register_tiles_follow_from_the_facts() {
        let measured = |isa| match isa {
            Isa::Avx512 | Isa::Neon => [8, 3],
            Isa::Avx2 => [6, 2],
            Isa::Sse2 | Isa::Simd128 | Isa::Portable => [4, 2],
        };
        for (name, cpu) in cpus() {
            assert_eq!([rows(cpu.isa), vectors(cpu.isa)], measured(cpu.isa), "{name}");
            let [r, v] = register_tile(cpu).unwrap();
            if cpu.isa != Isa::Portable {
                assert_eq!(cpu.isa.registers(), cpu.vector_registers as usize, "{name}");
            }
            if cpu.isa == Isa::Portable {
                // One tile for all machines without a set of their own: it has to fit the known ones.
                assert!(r >= 4 && v >= 2, "{name}");
            } else {
                assert_eq!([r as usize, v as usize], measured(cpu.isa), "{name}");
            }
            let taken = rows(cpu.isa) * vectors(cpu.isa) + vectors(cpu.isa) + 1;
            assert!(taken <= cpu.vector_registers as usize, "{name}");
            if let (Some(pipes), Some(latency)) = (cpu.fma_pipes, cpu.fma_latency) {
                // Neoverse V1 has four pipes and still enough sums; a Cortex-M4F has one.
                assert!(rows(cpu.isa) * vectors(cpu.isa) >= (pipes * latency) as usize, "{name}");
            }
        }
    }

    /// A pass of B's panel: half of the first-level cache, or less. Only AVX-512 goes past it.
    #[test]
    fn passes_fit_the_caches() {
        for (name, cpu) in cpus() {
            let (Some(l1), Some(l2)) = (cpu.l1_data_cache, cpu.l2_cache) else { continue };
            let row = vectors(cpu.isa) * cpu.vector_bits as usize / 8;
            let panel = row * depth(cpu.isa);
            if cpu.isa == Isa::Avx512 {
                assert!(panel > l1 as usize && panel <= l2 as usize / 16, "{name}: {panel}");
            } else {
                assert!(panel <= l1 as usize / 2, "{name}: {panel}");
            }
            let block = block(cpu.isa) * cpu.vector_bits as usize / 8;
            assert!((l2 as usize / 8..=l2 as usize / 2).contains(&block), "{name}: {block} of {l2}");
        }
    }
}
