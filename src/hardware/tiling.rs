//! Tiles of GPU and CPU kernels: the map between threads and elements, shared memory and registers that a tile needs,
//! occupancy, and arithmetic intensity (roofline).

use super::error::{Limit, PlanError};
use super::machine::{Gpu, Scalar, Target};
use core::fmt;

/// The shapes of kernels that there are templates for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Each result from the elements at the same place.
    Pointwise,
    /// One result from all elements.
    Reduce,
    /// Each row from itself.
    RowReduce,
    /// A product of matrices, with a body applied to each result.
    Gemm,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Pointwise, Self::Reduce, Self::RowReduce, Self::Gemm];

    /// Its name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pointwise => "pointwise",
            Self::Reduce => "reduce",
            Self::RowReduce => "row_reduce",
            Self::Gemm => "gemm",
        }
    }
}

/// Sizes of a tile, in elements.
///
/// A block makes `m × n` results, a thread `per_thread` of them: neighbouring rows and neighbouring columns. A
/// product takes `k` of the inner dimension at a time through shared memory, `stages` such pieces at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Rows.
    pub m: u32,
    /// Columns.
    pub n: u32,
    /// Inner dimension of one step.
    pub k: u32,
    /// Rows and columns of a thread.
    pub per_thread: [u32; 2],
    /// Steps that are in shared memory at once.
    pub stages: u32,
}

fn product(arg: &'static str, factors: &[u32]) -> Result<u32, PlanError> {
    let too_large = PlanError::Overflow { arg };
    factors.iter().try_fold(1u32, |p, &f| p.checked_mul(f)).ok_or(too_large)
}

impl Tile {
    /// Threads of a block.
    ///
    /// # Errors
    /// `Domain` when the rows or columns are not whole threads, `Overflow`.
    pub fn threads(&self) -> Result<u32, PlanError> {
        let [rows, cols] = self.per_thread;
        if rows == 0 || !self.m.is_multiple_of(rows) || self.m == 0 {
            return Err(PlanError::Domain { arg: "m" });
        }
        if cols == 0 || !self.n.is_multiple_of(cols) || self.n == 0 {
            return Err(PlanError::Domain { arg: "n" });
        }
        product("threads", &[self.m / rows, self.n / cols])
    }

    /// Bytes of shared memory: `stages · (m + n) · k` elements of a product, partial sums of each warp otherwise.
    ///
    /// # Errors
    /// `Overflow`, and those of [`Tile::threads`].
    pub fn shared_bytes(&self, form: Form, scalar: Scalar, warp_size: u32) -> Result<u32, PlanError> {
        let sums = |each| {
            let warps =
                self.threads()?.checked_div(warp_size).ok_or(PlanError::Domain { arg: "warp_size" })?;
            product("shared", &[warps, scalar.sum_bytes(), each])
        };
        match form {
            Form::Pointwise => Ok(0),
            Form::Reduce => sums(1),
            // A maximum and a sum, or a sum and a sum of squares.
            Form::RowReduce => sums(2),
            Form::Gemm => {
                let rows = self.m.checked_add(self.n).ok_or(PlanError::Overflow { arg: "shared" })?;
                product("shared", &[self.stages, rows, self.k, scalar.bytes()])
            }
        }
    }

    /// 32-bit registers of a thread, estimated: its results, two steps of its operands, and 32 for addresses and
    /// counters.
    ///
    /// # Errors
    /// `Overflow`.
    pub fn registers(&self, form: Form, scalar: Scalar) -> Result<u32, PlanError> {
        let [rows, cols] = self.per_thread;
        if !matches!(form, Form::Gemm) {
            return Ok(32);
        }
        let sums = product("registers", &[rows, cols, scalar.sum_bytes() / 4])?;
        let operands = product("registers", &[rows.saturating_add(cols), 2, scalar.bytes().div_ceil(4)])?;
        sums.checked_add(operands)
            .and_then(|r| r.checked_add(32))
            .ok_or(PlanError::Overflow { arg: "registers" })
    }

    /// Row and column, inside the tile, of result `i` of a thread: threads go along a row first.
    ///
    /// `None` when there is no such thread or no such result. Every element of the tile is that of exactly one pair.
    #[must_use]
    pub const fn element(&self, thread: u32, i: u32) -> Option<[u32; 2]> {
        let [rows, cols] = self.per_thread;
        let Some(across) = self.n.checked_div(cols) else { return None };
        let (Some(down), Some(right)) = (thread.checked_div(across), thread.checked_rem(across)) else {
            return None;
        };
        let (Some(y), Some(x)) = (i.checked_div(cols), i.checked_rem(cols)) else { return None };
        let (Some(top), Some(left)) = (down.checked_mul(rows), right.checked_mul(cols)) else { return None };
        if y >= rows || top >= self.m {
            return None;
        }
        Some([top + y, left + x])
    }

    /// Thread and result of an element: the inverse of [`Tile::element`].
    #[must_use]
    pub const fn owner(&self, [row, col]: [u32; 2]) -> Option<[u32; 2]> {
        let [rows, cols] = self.per_thread;
        if row >= self.m || col >= self.n {
            return None;
        }
        let Some(across) = self.n.checked_div(cols) else { return None };
        let (Some(down), Some(y)) = (row.checked_div(rows), row.checked_rem(rows)) else { return None };
        // `cols` is not zero: `across` exists.
        let Some(thread) = down.checked_mul(across) else { return None };
        match (thread.checked_add(col / cols), y.checked_mul(cols)) {
            (Some(thread), Some(i)) => Some([thread, i + col % cols]),
            _ => None,
        }
    }
}

/// Operations per byte of one step of a product, in thousandths: `2·m·n·k / ((m·k + k·n + m·n) · bytes)`.
///
/// This counts the result as moved with every step, as the published figure for the reference tile does.
///
/// # Errors
/// `Domain` when the tile is empty, `Overflow`.
///
/// ```
/// use fulmen::hardware::{Scalar, Tile, arithmetic_intensity};
/// let tile = Tile { m: 32, n: 32, k: 128, per_thread: [1, 1], stages: 1 };
/// assert_eq!(arithmetic_intensity(&tile, Scalar::F32), Ok(7111)); // 7.1 operations per byte
/// ```
pub fn arithmetic_intensity(tile: &Tile, scalar: Scalar) -> Result<u64, PlanError> {
    let [m, n, k] = [tile.m, tile.n, tile.k].map(u128::from);
    // Three factors of 32 bits and a small one stay below 2^128; the sum has terms of 64 bits.
    let moved = (m * k + k * n + m * n) * u128::from(scalar.bytes());
    ratio(2000 * m * n * k, moved)
}

/// Operations per byte of A and B alone, in thousandths: `2·m·n / ((m + n) · bytes)`. The result stays in registers
/// until the whole inner dimension is done, so this is what a long product reaches.
///
/// # Errors
/// `Domain` when the tile is empty, `Overflow`.
pub fn stream_intensity(tile: &Tile, scalar: Scalar) -> Result<u64, PlanError> {
    let [m, n] = [tile.m, tile.n].map(u128::from);
    ratio(2000 * m * n, (m + n) * u128::from(scalar.bytes()))
}

fn ratio(operations: u128, bytes: u128) -> Result<u64, PlanError> {
    let ratio = operations.checked_div(bytes).ok_or(PlanError::Domain { arg: "tile" })?;
    u64::try_from(ratio).map_err(|_| PlanError::Overflow { arg: "tile" })
}

/// How much of an SM blocks of one kind fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks that are on an SM at once.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps that an SM holds, where that is known.
    pub warps_max: Option<u32>,
    /// What keeps the next block out.
    pub limit: Limit,
}

impl Occupancy {
    /// Warps in percent of the most, where that is known.
    #[must_use]
    pub fn percent(&self) -> Option<u32> {
        let share = u64::from(self.warps) * 100 / u64::from(self.warps_max.filter(|&m| m > 0)?);
        u32::try_from(share).ok()
    }
}

/// Blocks of `threads` threads with `registers` registers each and `shared` bytes that an SM holds at once.
///
/// # Errors
/// `Domain` when the threads are not whole warps, `DoesNotFit` when not even one block fits.
///
/// ```
/// use fulmen::hardware::{Limit, occupancy, target};
/// let a100 = target("sm_80").unwrap().gpu().unwrap();
/// let got = occupancy(a100, 256, 128, 32768)?;
/// assert_eq!((got.blocks, got.percent(), got.limit), (2, Some(25), Limit::Registers));
/// # Ok::<(), fulmen::hardware::PlanError>(())
/// ```
pub fn occupancy(gpu: &Gpu, threads: u32, registers: u32, shared: u32) -> Result<Occupancy, PlanError> {
    if threads == 0 || !threads.is_multiple_of(gpu.warp_size) {
        return Err(PlanError::Domain { arg: "threads" });
    }
    let within = |limit, needed: u32, available: u32| {
        let (needed, available) = (u64::from(needed), u64::from(available));
        if needed <= available { Ok(()) } else { Err(PlanError::DoesNotFit { limit, needed, available }) }
    };
    within(Limit::Threads, threads, gpu.threads_per_block_max)?;
    within(Limit::SharedMemory, shared, gpu.shared_memory())?;
    if let Some(most) = gpu.registers_per_thread_max {
        within(Limit::Registers, registers, most)?;
    }
    let warps = threads / gpu.warp_size;
    let by_threads = gpu.threads_per_sm_max.map(|all| all / threads);
    let by_shared = gpu.shared_memory_per_sm.and_then(|all| {
        let unit = u64::from(gpu.shared_memory_allocation_unit.unwrap_or(1)).max(1);
        let asked = u64::from(shared).div_ceil(unit) * unit;
        let block = asked + u64::from(gpu.shared_memory_reserved_per_block);
        u32::try_from(u64::from(all).checked_div(block)?).ok()
    });
    let by_registers = gpu.registers_per_sm.map(|all| {
        let unit = u64::from(gpu.register_allocation_unit.unwrap_or(1)).max(1);
        let warp =
            (u64::from(registers) * u64::from(gpu.warp_size)).div_ceil(unit).max(1).saturating_mul(unit);
        // A warp's registers are in one part of the SM.
        let parts = u64::from(gpu.warp_allocation_unit.unwrap_or(1)).max(1);
        u32::try_from(u64::from(all) / parts / warp * parts).unwrap_or(u32::MAX) / warps
    });
    let known = [
        (by_threads, Limit::Threads),
        (gpu.blocks_per_sm_max, Limit::Blocks),
        (by_shared, Limit::SharedMemory),
        (by_registers, Limit::Registers),
    ];
    let mut blocks = (1, Limit::Unknown);
    for (most, limit) in known {
        if let Some(most) = most
            && (most < blocks.0 || blocks.1 == Limit::Unknown)
        {
            blocks = (most, limit);
        }
    }
    let (blocks, limit) = blocks;
    if blocks == 0 {
        return Err(PlanError::DoesNotFit { limit, needed: 1, available: 0 });
    }
    Ok(Occupancy {
        blocks,
        warps: blocks.saturating_mul(warps),
        warps_max: gpu.threads_per_sm_max.map(|all| all / gpu.warp_size),
        limit,
    })
}

/// The published rule for a product of `f32`: 32 rows and columns, 64 with shared memory that is asked for; as much
/// of the inner dimension as fits, in whole warps, up to 4096 elements of each factor.
///
/// # Errors
/// `WrongDevice` for a CPU or, with `optin`, a GPU without such memory; `NoTile` when not one warp fits.
///
/// ```
/// use fulmen::hardware::{reference_tile, target};
/// let p4 = reference_tile(target("sm_61").unwrap(), false)?;
/// assert_eq!([p4.m, p4.n, p4.k], [32, 32, 128]);
/// # Ok::<(), fulmen::hardware::PlanError>(())
/// ```
pub fn reference_tile(target: &Target, optin: bool) -> Result<Tile, PlanError> {
    let gpu = target.gpu().ok_or(PlanError::WrongDevice { expected: "GPU" })?;
    let (shared, m) = if optin {
        let expected = "GPU with shared memory to ask for";
        (gpu.shared_memory_per_block_optin.ok_or(PlanError::WrongDevice { expected })?, 64)
    } else {
        (gpu.shared_memory_per_block_max, 32)
    };
    let most = (shared / (2 * m * Scalar::F32.bytes())).min(4096 / m);
    let k = most - most.checked_rem(gpu.warp_size).ok_or(PlanError::Domain { arg: "warp_size" })?;
    if k == 0 {
        return Err(PlanError::NoTile { limit: Limit::SharedMemory });
    }
    Ok(Tile { m, n: m, k, per_thread: [m / 32, m / 32], stages: 1 })
}

/// A tile and why it was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The tile.
    pub tile: Tile,
    /// For what.
    pub form: Form,
    /// Of what.
    pub scalar: Scalar,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// Registers of a thread, estimated.
    pub registers: u32,
    /// How it fills an SM; nothing on a CPU.
    pub occupancy: Option<Occupancy>,
    /// Operations per byte of A and B, in thousandths; zero where there is no product.
    pub intensity: u64,
    /// Operations per byte at which arithmetic and memory take the same time, in thousandths, where that is known.
    pub balance: Option<u64>,
    /// Whether the shared memory has to be asked for.
    pub optin: bool,
    /// Whether the tensor cores do the products.
    pub tensor_cores: bool,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tile { m, n, k, per_thread: [rows, cols], stages } = self.tile;
        let thousandths = |f: &mut fmt::Formatter<'_>, v: u64| write!(f, "{}.{:03}", v / 1000, v % 1000);
        let (form, scalar) = (self.form.name(), self.scalar.name());
        writeln!(f, "tile        {m} x {n} x {k} of {scalar} for {form}, {rows} x {cols} a thread")?;
        let Some(occupancy) = self.occupancy else {
            return writeln!(f, "registers   {} vectors for sums, operands and one element", self.registers);
        };
        writeln!(f, "block       {} threads, {} registers each (estimated)", self.threads, self.registers)?;
        let asked = if self.optin { ", to be asked for" } else { "" };
        writeln!(f, "shared      {} bytes in {stages} stages{asked}", self.shared_bytes)?;
        write!(f, "occupancy   {} blocks, {} warps", occupancy.blocks, occupancy.warps)?;
        if let (Some(max), Some(percent)) = (occupancy.warps_max, occupancy.percent()) {
            write!(f, " of {max} ({percent} %)")?;
        }
        writeln!(f, "; limited by {}", occupancy.limit)?;
        if matches!(self.form, Form::Gemm) {
            f.write_str("intensity   ")?;
            thousandths(f, self.intensity)?;
            f.write_str(" operations per byte")?;
            if let Some(balance) = self.balance {
                f.write_str("; the machine balances at ")?;
                thousandths(f, balance)?;
                let short = if self.intensity < balance { "memory bound" } else { "arithmetic bound" };
                write!(f, ", so {short} without its caches")?;
            }
            writeln!(f)?;
            let by = if self.tensor_cores { "tensor cores" } else { "plain arithmetic" };
            writeln!(f, "products    {by}")?;
        }
        Ok(())
    }
}

/// What a tile takes, or why it does not fit.
///
/// # Errors
/// `Domain`, `Overflow`, `DoesNotFit`; `WrongDevice` for a CPU.
pub fn check_tile(target: &Target, form: Form, scalar: Scalar, tile: &Tile) -> Result<Choice, PlanError> {
    let gpu = target.gpu().ok_or(PlanError::WrongDevice { expected: "GPU" })?;
    evaluate(gpu, form, scalar, *tile)
}

pub(super) fn evaluate(gpu: &Gpu, form: Form, scalar: Scalar, tile: Tile) -> Result<Choice, PlanError> {
    let product = matches!(form, Form::Gemm);
    let threads = tile.threads()?;
    let shared_bytes = tile.shared_bytes(form, scalar, gpu.warp_size)?;
    let registers = tile.registers(form, scalar)?;
    let occupancy = occupancy(gpu, threads, registers, shared_bytes)?;
    let tensor_cores = product && gpu.shapes.has(scalar);
    let whole = |s: &super::machine::MmaShape| {
        s.scalar == scalar
            && tile.m.is_multiple_of(s.m)
            && tile.n.is_multiple_of(s.n)
            && tile.k.is_multiple_of(s.k)
    };
    if tensor_cores && !gpu.shapes.iter().any(whole) {
        return Err(PlanError::NoTile { limit: Limit::TensorCores });
    }
    Ok(Choice {
        tile,
        form,
        scalar,
        threads,
        shared_bytes,
        registers,
        occupancy: Some(occupancy),
        intensity: if product { stream_intensity(&tile, scalar)? } else { 0 },
        balance: if product { balance(gpu, scalar) } else { None },
        optin: shared_bytes > gpu.shared_memory_per_block_max,
        tensor_cores,
    })
}

/// Operations per byte at which arithmetic takes as long as memory, in thousandths. Facts have two rates: that of
/// `f16` stands for all types of the tensor cores but `f64`, that of `f32` for the rest.
fn balance(gpu: &Gpu, scalar: Scalar) -> Option<u64> {
    let on_tensor_cores = gpu.shapes.has(scalar) && scalar != Scalar::F64;
    let rate = if on_tensor_cores { gpu.fp16_gflops.or(gpu.fp32_gflops) } else { gpu.fp32_gflops }?;
    let ratio = u128::from(rate) * 1_000_000 / u128::from(gpu.memory_mb_s.filter(|&b| b > 0)?);
    u64::try_from(ratio).ok()
}
