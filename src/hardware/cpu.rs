//! Tiles of the matrix product on a CPU: the register tile (MR by NR) from the number of vector registers, and the
//! depth KC of each instruction set.

use super::error::{Limit, PlanError};
use super::machine::{Cpu, Scalar};
use super::tiling::{Choice, Form, Tile, stream_intensity};
use crate::isa::Isa;

/// Rows and vectors of a product's tile that stays in registers: sums, one row of B, an element of A and, without a
/// fused multiply-add, the products of a row. An element of A serves at least two vectors; rows are even and at most
/// eight, which keeps short edges cheap. The most sums win, then the most rows.
///
/// ```
/// use fulmen::hardware::{register_tile, target};
/// let avx512 = target("x86_64_v4").unwrap().cpu().unwrap();
/// assert_eq!(register_tile(avx512), Some([8, 3]));
/// ```
#[must_use]
pub const fn register_tile(cpu: &Cpu) -> Option<[u32; 2]> {
    let mut best = [0, 0];
    let mut vectors = 2;
    while vectors <= 4 {
        let operands = if cpu.fma { vectors + 1 } else { 2 * vectors + 1 };
        let rows = match cpu.vector_registers.checked_sub(operands) {
            Some(left) => left / vectors / 2 * 2,
            None => 0,
        };
        let rows = if rows > 8 { 8 } else { rows };
        if rows * vectors > best[0] * best[1] || (rows * vectors == best[0] * best[1] && rows > best[0]) {
            best = [rows, vectors];
        }
        vectors += 1;
    }
    if best[0] == 0 { None } else { Some(best) }
}

/// Inner dimension of a pass of `gemm`. It decides the order of the sums, so it belongs to the instruction set and not
/// to the machine. A panel of B takes at most half of the first-level cache of every machine that the facts know; with
/// AVX-512 twice that cache: measured, a panel that stays in the second level beats four times the passes over C.
#[must_use]
pub const fn pass_depth(isa: Isa) -> u32 {
    match isa {
        Isa::Avx512 => 512,
        Isa::Avx2 | Isa::Neon | Isa::Sse2 | Isa::Simd128 | Isa::Portable => 256,
    }
}

pub(super) fn choice(cpu: &Cpu, form: Form, scalar: Scalar) -> Result<Choice, PlanError> {
    let lanes = cpu.vector_bits / 8 / scalar.sum_bytes();
    let lanes = if lanes == 0 { 1 } else { lanes };
    let (tile, registers) = if matches!(form, Form::Gemm) {
        let [rows, vectors] = register_tile(cpu).ok_or(PlanError::NoTile { limit: Limit::Registers })?;
        let n = vectors.checked_mul(lanes).ok_or(PlanError::Overflow { arg: "n" })?;
        let k = pass_depth(cpu.isa);
        let operands = if cpu.fma { vectors + 1 } else { 2 * vectors + 1 };
        (Tile { m: rows, n, k, per_thread: [rows, n], stages: 1 }, rows * vectors + operands)
    } else {
        (Tile { m: 1, n: lanes, k: 1, per_thread: [1, lanes], stages: 1 }, 1)
    };
    Ok(Choice {
        tile,
        form,
        scalar,
        threads: 1,
        shared_bytes: 0,
        registers,
        occupancy: None,
        intensity: if matches!(form, Form::Gemm) { stream_intensity(&tile, scalar)? } else { 0 },
        balance: None,
        optin: false,
        tensor_cores: false,
    })
}
