//! The predicates of `facts.pl`, and the conversion of the facts of a target to a typed machine.

use super::const_fn::{at, get};
use super::error::{FactError, FactErrorKind};
use super::machine::{Cpu, Device, Gpu, Language, MmaShapes, Target};
use crate::isa::Isa;

/// What the value of a predicate is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// A whole number above zero.
    Whole,
    /// A number above zero with at most three decimals, kept in thousandths.
    Decimal,
    /// One of these atoms; its place is kept.
    Atom(&'static [&'static str]),
}

const BOOL: Kind = Kind::Atom(&["false", "true"]);
const LANGUAGES: Kind = Kind::Atom(&["ptx", "wgsl", "rust"]);
const ISAS: Kind = Kind::Atom(Isa::NAMES);

/// Names each predicate of two arguments once: the constants index the table of them.
macro_rules! predicates {
    ($($K:ident $name:literal $kind:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "constants that index a table")]
        #[derive(Clone, Copy)]
        enum Key { $($K),* }
        pub(super) const PREDICATES: [(&str, Kind); [$(Key::$K),*].len()] = [$(($name, $kind)),*];
    };
}

predicates! {
    LANGUAGE "hw_language" LANGUAGES;
    CAPABILITY "hw_compute_capability" Kind::Decimal;
    WARP "hw_warp_size" Kind::Whole;
    THREADS "hw_threads_per_block_max" Kind::Whole;
    THREADS_SM "hw_threads_per_sm_max" Kind::Whole;
    BLOCKS_SM "hw_blocks_per_sm_max" Kind::Whole;
    GRID_X "hw_grid_x_max" Kind::Whole;
    GRID_Y "hw_grid_y_max" Kind::Whole;
    SHARED "hw_shared_memory_per_block_max" Kind::Whole;
    OPTIN "hw_shared_memory_per_block_optin" Kind::Whole;
    SHARED_SM "hw_shared_memory_per_sm" Kind::Whole;
    RESERVED "hw_shared_memory_reserved_per_block" Kind::Whole;
    REGISTERS_SM "hw_registers_per_sm" Kind::Whole;
    REGISTERS "hw_registers_per_thread_max" Kind::Whole;
    UNIT "hw_register_allocation_unit" Kind::Whole;
    PARTS "hw_warp_allocation_unit" Kind::Whole;
    SHARED_UNIT "hw_shared_memory_allocation_unit" Kind::Whole;
    SMS "hw_sm_count" Kind::Whole;
    BANDWIDTH "hw_memory_bandwidth_gb_s" Kind::Decimal;
    FP32 "hw_fp32_flops_tflops" Kind::Decimal;
    FP16 "hw_fp16_flops_tflops" Kind::Decimal;
    TENSOR "hw_supports_tensor_cores" BOOL;
    ISA "hw_isa" ISAS;
    VECTOR "hw_vector_bits" Kind::Whole;
    VECTORS "hw_vector_registers" Kind::Whole;
    FMA "hw_supports_fma" BOOL;
    PIPES "hw_fma_pipes" Kind::Whole;
    LATENCY "hw_fma_latency" Kind::Whole;
    L1 "hw_l1_data_cache" Kind::Whole;
    L2 "hw_l2_cache" Kind::Whole;
    LINE "hw_cache_line" Kind::Whole;
}

/// Blocks along each side of a grid where no fact says more: what every WebGPU device takes.
const GRID: u32 = 65535;

pub(super) const TARGET: &str = "hardware_target";
pub(super) const SHAPES: &str = "hw_tensor_core_shapes";

/// The facts of one target as they are read; zero stands for a fact that is not there.
#[derive(Clone, Copy)]
pub(super) struct Raw {
    pub name: &'static str,
    pub line: u32,
    /// Value plus one, so that the first atom of a list is not zero.
    pub values: [u64; PREDICATES.len()],
    pub shapes: MmaShapes,
}

impl Raw {
    pub const EMPTY: Self =
        Self { name: "", line: 0, values: [0; PREDICATES.len()], shapes: MmaShapes::EMPTY };

    const fn get(&self, key: Key) -> Option<u64> {
        match at(&self.values, key as usize) {
            Some(&v) if v > 0 => Some(v - 1),
            _ => None,
        }
    }
    /// A whole number; the reader refused what does not fit 32 bits.
    const fn whole(&self, key: Key) -> Option<u32> {
        match self.get(key) {
            Some(v) => Some(v as u32),
            None => None,
        }
    }
    const fn or(&self, key: Key, otherwise: u32) -> u32 {
        match self.whole(key) {
            Some(v) => v,
            None => otherwise,
        }
    }
    const fn yes(&self, key: Key) -> bool {
        matches!(self.get(key), Some(1))
    }
    const fn need(&self, key: Key) -> Result<u32, FactError> {
        match self.whole(key) {
            Some(v) => Ok(v),
            None => Err(self.wrong(FactErrorKind::Missing(name_of(key)))),
        }
    }
    const fn wrong(&self, kind: FactErrorKind) -> FactError {
        FactError { line: self.line, kind }
    }
    const fn contradicts(&self, key: Key) -> FactError {
        self.wrong(FactErrorKind::Contradiction(name_of(key)))
    }
}

const fn name_of(key: Key) -> &'static str {
    match at(&PREDICATES, key as usize) {
        Some(p) => p.0,
        None => "",
    }
}

/// The target of these facts, when none is missing and none contradicts another.
pub(super) const fn typed(raw: &Raw) -> Result<Target, FactError> {
    let language = match raw.get(Key::LANGUAGE) {
        Some(0) => Language::Ptx,
        Some(1) => Language::Wgsl,
        Some(_) => Language::Rust,
        // What is not said follows from what is.
        None if raw.get(Key::ISA).is_some() => Language::Rust,
        None if raw.get(Key::CAPABILITY).is_some() => Language::Ptx,
        None => Language::Wgsl,
    };
    let device = if matches!(language, Language::Rust) {
        Device::Cpu(get!(cpu(raw)))
    } else {
        Device::Gpu(get!(gpu(raw, language)))
    };
    Ok(Target { name: raw.name, language, device })
}

const fn gpu(raw: &Raw, language: Language) -> Result<Gpu, FactError> {
    let compute_capability = match raw.get(Key::CAPABILITY) {
        // One decimal: 8.6 is major 8, minor 6.
        Some(v) if v % 100 == 0 && v < 100_000 => Some([(v / 1000) as u32, (v % 1000 / 100) as u32]),
        Some(_) => return Err(raw.contradicts(Key::CAPABILITY)),
        None if matches!(language, Language::Ptx) => {
            return Err(raw.wrong(FactErrorKind::Missing(name_of(Key::CAPABILITY))));
        }
        None => None,
    };
    let gpu = Gpu {
        compute_capability,
        warp_size: get!(raw.need(Key::WARP)),
        threads_per_block_max: get!(raw.need(Key::THREADS)),
        threads_per_sm_max: raw.whole(Key::THREADS_SM),
        blocks_per_sm_max: raw.whole(Key::BLOCKS_SM),
        grid_max: [raw.or(Key::GRID_X, GRID), raw.or(Key::GRID_Y, GRID)],
        shared_memory_per_block_max: get!(raw.need(Key::SHARED)),
        shared_memory_per_block_optin: raw.whole(Key::OPTIN),
        shared_memory_per_sm: raw.whole(Key::SHARED_SM),
        shared_memory_reserved_per_block: raw.or(Key::RESERVED, 0),
        registers_per_sm: raw.whole(Key::REGISTERS_SM),
        registers_per_thread_max: raw.whole(Key::REGISTERS),
        register_allocation_unit: raw.whole(Key::UNIT),
        warp_allocation_unit: raw.whole(Key::PARTS),
        shared_memory_allocation_unit: raw.whole(Key::SHARED_UNIT),
        sm_count: raw.whole(Key::SMS),
        memory_mb_s: raw.get(Key::BANDWIDTH),
        fp32_gflops: raw.get(Key::FP32),
        fp16_gflops: raw.get(Key::FP16),
        tensor_cores: get!(raw.need(Key::TENSOR)) == 1,
        shapes: raw.shapes,
    };
    // Facts that contradict each other would give tiles that do not fit.
    if !gpu.threads_per_block_max.is_multiple_of(gpu.warp_size) {
        return Err(raw.contradicts(Key::THREADS));
    }
    if let Some(sm) = gpu.threads_per_sm_max
        && (sm < gpu.threads_per_block_max || !sm.is_multiple_of(gpu.warp_size))
    {
        return Err(raw.contradicts(Key::THREADS_SM));
    }
    if let Some(optin) = gpu.shared_memory_per_block_optin
        && optin < gpu.shared_memory_per_block_max
    {
        return Err(raw.contradicts(Key::OPTIN));
    }
    if let Some(sm) = gpu.shared_memory_per_sm
        && (sm as u64) < gpu.shared_memory() as u64 + gpu.shared_memory_reserved_per_block as u64
    {
        return Err(raw.contradicts(Key::SHARED_SM));
    }
    // Without published shapes, products are planned in plain arithmetic.
    if !gpu.tensor_cores && !gpu.shapes.is_empty() {
        return Err(raw.contradicts(Key::TENSOR));
    }
    if raw.get(Key::ISA).is_some() {
        return Err(raw.contradicts(Key::ISA));
    }
    Ok(gpu)
}

const fn cpu(raw: &Raw) -> Result<Cpu, FactError> {
    let cpu = Cpu {
        isa: match Isa::at(get!(raw.need(Key::ISA)) as usize) {
            Some(isa) => isa,
            None => return Err(raw.contradicts(Key::ISA)),
        },
        vector_bits: get!(raw.need(Key::VECTOR)),
        vector_registers: get!(raw.need(Key::VECTORS)),
        fma: match raw.get(Key::FMA) {
            Some(_) => raw.yes(Key::FMA),
            None => return Err(raw.wrong(FactErrorKind::Missing(name_of(Key::FMA)))),
        },
        fma_pipes: raw.whole(Key::PIPES),
        fma_latency: raw.whole(Key::LATENCY),
        l1_data_cache: raw.whole(Key::L1),
        l2_cache: raw.whole(Key::L2),
        cache_line: raw.whole(Key::LINE),
    };
    if !cpu.vector_bits.is_multiple_of(32) {
        return Err(raw.contradicts(Key::VECTOR));
    }
    if raw.get(Key::WARP).is_some() {
        return Err(raw.contradicts(Key::WARP));
    }
    Ok(cpu)
}
