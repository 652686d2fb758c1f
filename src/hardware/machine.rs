//! The description of a machine: registers, caches, shared memory, tensor-core shapes, bandwidth.

use super::const_fn::{at_mut, same};
use crate::isa::Isa;

/// A machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Its name in the facts.
    pub name: &'static str,
    /// What a kernel for it is written in.
    pub language: Language,
    /// What it is made of.
    pub device: Device,
}

impl Target {
    pub(super) const EMPTY: Self =
        Self { name: "", language: Language::Rust, device: Device::Cpu(Cpu::EMPTY) };

    /// Its facts, if it is a GPU.
    #[must_use]
    pub const fn gpu(&self) -> Option<&Gpu> {
        match &self.device {
            Device::Gpu(gpu) => Some(gpu),
            Device::Cpu(_) => None,
        }
    }
    /// Its facts, if it is a CPU.
    #[must_use]
    pub const fn cpu(&self) -> Option<&Cpu> {
        match &self.device {
            Device::Cpu(cpu) => Some(cpu),
            Device::Gpu(_) => None,
        }
    }
    /// Whether it has this name, in a constant.
    #[must_use]
    pub const fn is(&self, name: &str) -> bool {
        same(self.name, name)
    }
}

/// What a kernel is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// NVIDIA's virtual instruction set.
    Ptx,
    /// WebGPU's shading language.
    Wgsl,
    /// The kernels of this crate, on the host.
    Rust,
}

/// A GPU or a CPU.
#[allow(clippy::large_enum_variant, reason = "one static table, nothing is moved")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// A machine of warps, blocks and shared memory.
    Gpu(Gpu),
    /// A core with vector registers and caches.
    Cpu(Cpu),
}

/// Facts of a GPU; `None` is what its vendor does not publish. Memory is in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gpu {
    /// Major and minor version of NVIDIA's architectures.
    pub compute_capability: Option<[u32; 2]>,
    /// Threads that run in step.
    pub warp_size: u32,
    /// Most threads of a block.
    pub threads_per_block_max: u32,
    /// Most threads that an SM holds.
    pub threads_per_sm_max: Option<u32>,
    /// Most blocks that an SM holds.
    pub blocks_per_sm_max: Option<u32>,
    /// Most blocks of a grid, along x and along y.
    pub grid_max: [u32; 2],
    /// Shared memory that a block gets without asking.
    pub shared_memory_per_block_max: u32,
    /// Shared memory that a block gets when the launch asks for it.
    pub shared_memory_per_block_optin: Option<u32>,
    /// Shared memory of an SM, for all its blocks.
    pub shared_memory_per_sm: Option<u32>,
    /// What the system keeps of it for each block.
    pub shared_memory_reserved_per_block: u32,
    /// 32-bit registers of an SM.
    pub registers_per_sm: Option<u32>,
    /// Most 32-bit registers of a thread.
    pub registers_per_thread_max: Option<u32>,
    /// Registers that a warp gets at a time.
    pub register_allocation_unit: Option<u32>,
    /// Parts of an SM, each with its share of the registers: a warp's are in one part.
    pub warp_allocation_unit: Option<u32>,
    /// Shared memory that a block gets at a time.
    pub shared_memory_allocation_unit: Option<u32>,
    /// SMs of the machine.
    pub sm_count: Option<u32>,
    /// Memory bandwidth, MB/s.
    pub memory_mb_s: Option<u64>,
    /// `f32` rate without tensor cores, GFLOP/s.
    pub fp32_gflops: Option<u64>,
    /// `f16` rate, dense, with sums in `f32`, GFLOP/s.
    pub fp16_gflops: Option<u64>,
    /// Whether there are instructions that multiply small matrices.
    pub tensor_cores: bool,
    /// Their shapes.
    pub shapes: MmaShapes,
}

impl Gpu {
    /// The most shared memory that a block can have, asked for where that is possible.
    #[must_use]
    pub const fn shared_memory(&self) -> u32 {
        match self.shared_memory_per_block_optin {
            Some(v) => v,
            None => self.shared_memory_per_block_max,
        }
    }
}

/// Facts of a CPU; `None` is what does not exist or is not published. Memory is in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu {
    /// The instruction set of this crate that it runs.
    pub isa: Isa,
    /// Bits of a vector register.
    pub vector_bits: u32,
    /// Vector registers.
    pub vector_registers: u32,
    /// Whether a product and a sum are one instruction.
    pub fma: bool,
    /// Such instructions started in a cycle.
    pub fma_pipes: Option<u32>,
    /// Cycles until the sum can be used.
    pub fma_latency: Option<u32>,
    /// First-level data cache.
    pub l1_data_cache: Option<u32>,
    /// Second-level cache of one core.
    pub l2_cache: Option<u32>,
    /// A line of the caches.
    pub cache_line: Option<u32>,
}

impl Cpu {
    const EMPTY: Self = Self {
        isa: Isa::Portable,
        vector_bits: 0,
        vector_registers: 0,
        fma: false,
        fma_pipes: None,
        fma_latency: None,
        l1_data_cache: None,
        l2_cache: None,
        cache_line: None,
    };
}

/// Types of elements that a tile can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// IEEE half precision.
    F16,
    /// The upper half of an `f32`.
    Bf16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Signed bytes.
    I8,
}

impl Scalar {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::F16, Self::Bf16, Self::F32, Self::F64, Self::I8];

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::I8 => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
    /// Bytes of a sum of them: at least 32 bits.
    #[must_use]
    pub const fn sum_bytes(self) -> u32 {
        match self {
            Self::F64 => 8,
            _ => 4,
        }
    }
    /// Its name in Rust and in the facts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::I8 => "i8",
        }
    }
}

/// A product of small matrices in one instruction: `m × k` times `k × n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MmaShape {
    /// Type of the factors.
    pub scalar: Scalar,
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Inner dimension.
    pub k: u32,
}

/// The shapes of a target's tensor cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MmaShapes {
    all: [MmaShape; 12],
    len: usize,
}

impl MmaShapes {
    pub(super) const EMPTY: Self =
        Self { all: [MmaShape { scalar: Scalar::F32, m: 0, n: 0, k: 0 }; 12], len: 0 };

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &MmaShape> {
        self.all.iter().take(self.len)
    }
    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Whether there is one for a type.
    #[must_use]
    pub const fn has(&self, scalar: Scalar) -> bool {
        let mut rest: &[MmaShape] = &self.all;
        let mut i = 0;
        while let Some((shape, more)) = rest.split_first() {
            if i < self.len && shape.scalar as u8 == scalar as u8 {
                return true;
            }
            rest = more;
            i += 1;
        }
        false
    }
    /// Whether there was room.
    pub(super) const fn push(&mut self, shape: MmaShape) -> bool {
        match at_mut(&mut self.all, self.len) {
            Some(place) => {
                *place = shape;
                self.len += 1;
                true
            }
            None => false,
        }
    }
}
