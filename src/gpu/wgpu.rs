//! Any GPU that wgpu finds, as a device. The features build wgpu for Vulkan, on Apple's systems for Metal instead, on
//! Windows for DirectX 12, too, and for WebGPU in a browser; a program enables other backends by features of wgpu.
//!
//! A thread of a browser may not wait: there, [`Wgpu::open_async`] and
//! [`Gpu::download_async`](super::backend::Gpu::download_async) replace the blocking functions, and an error of the
//! driver is returned by a later call.
//!
//! ```no_run
//! use fulmen::backend::Reductions;
//! use fulmen::gpu::{backend::Gpu, wgpu::Wgpu};
//! let gpu = Gpu::new(Wgpu::open("")?);
//! let x = gpu.upload(&[3.0f32, 4.0])?;
//! let mut norm = gpu.alloc(1)?;
//! gpu.norm_l2(x.view(), norm.view_mut())?;
//! # Ok::<(), fulmen::gpu::device::Error>(())
//! ```
//!
//! A device without `f64` is not asked for it:
//! ```compile_fail,E0277
//! use fulmen::gpu::{backend::Gpu, wgpu::Wgpu};
//! let gpu = Gpu::new(Wgpu::open("")?);
//! let (x, mut out) = (gpu.upload(&[2.0f64])?, gpu.alloc(1)?);
//! gpu.sqrt(x.view(), out.view_mut())?;
//! # Ok::<(), fulmen::gpu::device::Error>(())
//! ```

mod pipeline;
mod readback;
mod submit;

use super::builder::Builder;
use super::device::{
    Binding, Computes, Device, Error, Facts, Launch, Limits, Program, Readback, check, choose,
};
use super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::template::{Argument, Meet};
use super::types::{F32, U64};
use crate::hardware::Language;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicBool, Ordering};
use pipeline::{Key, Pipeline};
use readback::{Said, said, say, scoped};
use std::sync::PoisonError;
use submit::Pending;
use wgpu::BufferUsages as Usage;

/// Launches of one submission, and bytes of their words.
const LAUNCHES: usize = 512;
const WORDS: u64 = 256 << 10;

/// A device of wgpu's.
#[derive(Debug)]
pub struct Wgpu {
    facts: Facts,
    device: wgpu::Device,
    queue: wgpu::Queue,
    lost: Said,
    failed: Said,
    words: wgpu::Buffer,
    /// Where bindings start, and words.
    aligned: [u64; 2],
    /// Whether `fma` rounds once.
    fused: bool,
    buffers: Cell<u64>,
    pipelines: RefCell<BTreeMap<Key, Arc<Pipeline>>>,
    pending: RefCell<Pending>,
    submissions: Cell<u64>,
    /// What was read last came through it.
    staging: RefCell<Option<wgpu::Buffer>>,
    /// Whether memory went that bindings may hold.
    freed: Arc<AtomicBool>,
}

/// Memory of a device of wgpu's.
#[derive(Debug)]
pub struct Buffer {
    inner: wgpu::Buffer,
    device: wgpu::Device,
    bytes: u64,
    number: u64,
    freed: Arc<AtomicBool>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.freed.store(true, Ordering::Relaxed);
    }
}

/// Threads of a warp, as kernels that shuffle mean it.
const WARP: u32 = 32;

/// What products by cooperative matrices take.
const MATRICES: wgpu::Features =
    wgpu::Features::SHADER_F16.union(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX);

/// Whether the adapter's subgroups are of 32 threads. A browser's WGSL has them under another name.
fn warps(adapter: &wgpu::Adapter) -> bool {
    let info = adapter.get_info();
    cfg!(not(target_arch = "wasm32"))
        && adapter.features().contains(wgpu::Features::SUBGROUP)
        && [info.subgroup_min_size, info.subgroup_max_size] == [WARP; 2]
}

/// Whether 32 threads of the adapter share matrices of 16 × 16.
fn matrices(adapter: &wgpu::Adapter) -> bool {
    use wgpu::CooperativeScalarType::{F16, F32};
    let info = adapter.get_info();
    adapter.features().contains(MATRICES)
        && [info.subgroup_min_size, info.subgroup_max_size] == [WARP; 2]
        && adapter
            .cooperative_matrix_properties()
            .iter()
            .any(|p| [p.m_size, p.n_size, p.k_size] == [16; 3] && p.ab_type == F16 && p.cr_type == F32)
}

/// Permission for features that wgpu still works on.
fn experimental(wanted: bool) -> wgpu::ExperimentalFeatures {
    if !wanted {
        return wgpu::ExperimentalFeatures::disabled();
    }
    // SAFETY: wgpu warns of its own bugs: what it does not check yet of shaders. The only ones with cooperative matrices are
    // those of `wgsl::matrices`, whose loads and stores lie in operands that were checked.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}

async fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    // Places in the text of a kernel, which nobody reads, are not worth their time to a debug build; `WGPU_DEBUG=1` asks for them.
    descriptor.flags = descriptor.flags.difference(wgpu::InstanceFlags::DEBUG).with_env();
    let instance = wgpu::Instance::new(descriptor);
    let mut all = instance.enumerate_adapters(wgpu::Backends::PRIMARY).await;
    // Those that compute fastest first.
    all.sort_by_key(|a| match a.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    all
}

impl Wgpu {
    /// The names of the adapters, in the order of their indices.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn adapters() -> Vec<String> {
        readback::park(adapters()).iter().map(|a| a.get_info().name).collect()
    }

    /// The adapter with this index, or the first with this in its name (of any case), or the first for nothing.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::Driver`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(wanted: &str) -> Result<Self, Error> {
        readback::park(Self::open_async(wanted))
    }

    /// As [`Wgpu::open`], without waiting: all that there is in a browser, which offers one adapter or none.
    ///
    /// # Errors
    /// Those of [`Wgpu::open`].
    pub async fn open_async(wanted: &str) -> Result<Self, Error> {
        let all = adapters().await;
        let at = choose(wanted, all.iter().map(|a| a.get_info().name).collect())?;
        match all.get(at) {
            Some(adapter) => Self::on(adapter).await,
            None => Err(Error::NoAdapter { wanted: wanted.into(), found: Vec::new() }),
        }
    }

    /// The adapter that the environment variable `FULMEN_ADAPTER` names, any without it.
    ///
    /// # Errors
    /// Those of [`Wgpu::open`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn from_env() -> Result<Self, Error> {
        Self::open(&std::env::var("FULMEN_ADAPTER").unwrap_or_default())
    }

    async fn on(adapter: &wgpu::Adapter) -> Result<Self, Error> {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let (matrices, warps) = (matrices(adapter), warps(adapter));
        let mut wanted = wgpu::Features::empty();
        wanted.set(MATRICES, matrices);
        wanted.set(wgpu::Features::SUBGROUP, warps);
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("fulmen"),
            required_limits: limits.clone(),
            required_features: wanted,
            experimental_features: experimental(matrices),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = adapter
            .request_device(&descriptor)
            .await
            .map_err(|e| Error::Driver { device: info.name.clone(), reason: e.to_string() })?;
        let (lost, failed) = (Said::default(), Said::default());
        let (on_loss, on_error) = (Arc::clone(&lost), Arc::clone(&failed));
        device.set_device_lost_callback(move |reason, text| say(&on_loss, format!("{reason:?}: {text}")));
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| say(&on_error, e.to_string())));
        let words = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("words"),
            size: WORDS,
            usage: Usage::UNIFORM | Usage::COPY_DST,
            mapped_at_creation: false,
        });
        let groups = limits.max_compute_workgroups_per_dimension;
        let facts = Facts {
            name: info.name,
            language: Language::Wgsl,
            meet: Meet::Memory,
            groups: false,
            matrices,
            // A browser's own adapter: minutes for what others compile in a second.
            short: cfg!(target_arch = "wasm32") && info.device_type == wgpu::DeviceType::Cpu,
            blocks: if info.device_type == wgpu::DeviceType::Cpu { 16 } else { 4096 },
            limits: Limits {
                buffer: limits.max_buffer_size,
                binding: limits.max_storage_buffer_binding_size,
                bindings: limits.max_storage_buffers_per_shader_stage,
                grid: [groups; 3],
                threads: limits.max_compute_invocations_per_workgroup,
                shared: limits.max_compute_workgroup_storage_size,
            },
        };
        let aligned = [
            u64::from(limits.min_storage_buffer_offset_alignment),
            u64::from(limits.min_uniform_buffer_offset_alignment),
        ];
        let mut opened = Self {
            facts,
            device,
            queue,
            lost,
            failed,
            words,
            aligned,
            fused: true,
            buffers: Cell::default(),
            pipelines: RefCell::default(),
            pending: RefCell::default(),
            submissions: Cell::default(),
            staging: RefCell::default(),
            freed: Arc::default(),
        };
        opened.fused = opened.fuses().await?;
        if warps && opened.shuffles().await? {
            opened.facts.meet = Meet::Warps;
        }
        Ok(opened)
    }

    /// Whether `fma` rounds once: WGSL lets a device round the product, too.
    #[must_use]
    pub const fn fused(&self) -> bool {
        self.fused
    }

    /// Tries it: the last bit of (1 + 2⁻¹²)² is all that is left of it.
    async fn fuses(&self) -> Result<bool, Error> {
        let b = Builder::new("fuses");
        {
            let out = b.param::<U64>();
            let [x, y, z] = b.params::<F32, _>();
            b.when(b.special(Special::TidX).compare(Cmp::Eq, b.int(0)), || {
                b.store(Space::Global, out, 0, x.fma(y, z));
            });
        }
        let (x, z) = (1.0 + f32::EPSILON * 2048.0, -(1.0 + f32::EPSILON * 4096.0));
        let numbers = [x, x, z].map(|x| Argument::Bits(u64::from(x.to_bits())));
        let [left] = self.tried("fuses", b.finish(), 1, &numbers).await?;
        Ok(f32::from_bits(left) != 0.0)
    }

    /// Whether the threads of a subgroup are neighbours, which is not said. Tries it.
    async fn shuffles(&self) -> Result<bool, Error> {
        const N: u32 = 2 * WARP;
        let b = Builder::new("shuffles");
        {
            let (out, tid) = (b.param::<U64>(), b.special(Special::TidX));
            let of = [(Shuffle::Index, 0), (Shuffle::Butterfly, WARP / 2)];
            let [first, other] = of.map(|(mode, by)| tid.shuffle(mode, b.int(i64::from(by))));
            let at = out + tid.wide(b.int(4));
            b.store(Space::Global, at, 0, first * b.int(i64::from(N)) + other);
        }
        let found: [u32; N as usize] = self.tried("shuffles", b.finish(), N, &[]).await?;
        let mut all = (0..N).zip(found);
        Ok(all.all(|(tid, found)| found == tid / WARP * WARP * N + (tid ^ (WARP / 2))))
    }

    /// What a block of `threads` leaves.
    async fn tried<const N: usize>(
        &self,
        name: &'static str,
        kernel: Result<Kernel, super::Error>,
        threads: u32,
        numbers: &[Argument],
    ) -> Result<[u32; N], Error> {
        let kernel = kernel.map_err(|error| Error::Kernel { kernel: String::from(name), error })?;
        let mut arguments = alloc::vec![Argument::Buffer(0)];
        arguments.extend(numbers);
        let program = Arc::new(Program::new(kernel));
        let bytes = 4 * N as u64;
        let buffer = self.allocate(bytes)?;
        let launch = Launch { program, grid: [1; 3], block: [threads, 1, 1], arguments };
        // SAFETY: the two kernels above write what their block leaves, `N` words, to the buffer of as many.
        unsafe { self.launch(&[launch], &[Binding { buffer: &buffer, start: 0, bytes }])? };
        let mut left = alloc::vec![0; 4 * N];
        self.read(&mut [Readback { buffer: &buffer, start: 0, to: &mut left }]).await?;
        let mut words = left.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w));
        Ok(core::array::from_fn(|_| words.next().unwrap_or_default()))
    }

    /// Gives the device back. Whatever is asked of it from now on is [`Error::Lost`].
    pub fn destroy(&self) {
        say(&self.lost, String::from("it was given back"));
        self.pending.take();
        self.staging.take();
        self.device.destroy();
    }

    /// Pipelines compiled so far.
    #[must_use]
    pub fn pipelines(&self) -> usize {
        self.pipelines.borrow().len()
    }

    /// Submissions to the driver so far.
    #[must_use]
    pub const fn submissions(&self) -> u64 {
        self.submissions.get()
    }

    /// What the driver said since, if it is bad.
    fn alive(&self) -> Result<(), Error> {
        let device = || self.facts.name.clone();
        if let Some(reason) = said(&self.lost) {
            return Err(Error::Lost { device: device(), reason });
        }
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_or(Ok(()), |reason| Err(Error::Driver { device: device(), reason }))
    }

    fn range(&self, of: &Buffer, start: u64, bytes: u64) -> Result<(), Error> {
        if of.device != self.device {
            return Err(Error::Foreign);
        }
        self.facts.range(start, bytes, of.bytes)
    }
}

impl Device for Wgpu {
    type Buffer = Buffer;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: u64) -> Result<Buffer, Error> {
        self.alive()?;
        let available = self.facts.limits.buffer;
        self.facts.limit("bytes of a buffer", bytes, available)?;
        // A buffer is whole words, and no binding is empty.
        let size = bytes.next_multiple_of(4).max(4);
        let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let inner = scoped(&self.device, || self.device.create_buffer(&descriptor));
        self.alive()?;
        let inner = inner.map_err(|reason| Error::Driver { device: self.facts.name.clone(), reason })?;
        let number = self.buffers.get();
        self.buffers.set(number + 1);
        let freed = Arc::clone(&self.freed);
        Ok(Buffer { inner, device: self.device.clone(), bytes: size, number, freed })
    }

    fn number(&self, buffer: &Buffer) -> u64 {
        buffer.number
    }

    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.range(to, start, bytes.len() as u64)?;
        self.flush()?;
        self.queue.write_buffer(&to.inner, start, bytes);
        self.alive()
    }

    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
        self.alive()?;
        bindings.iter().try_for_each(|b| self.range(b.buffer, b.start, b.bytes))?;
        list.iter().try_for_each(|l| check(&self.facts, l, bindings.len()))?;
        let most = WORDS as usize / LAUNCHES;
        let full = |p: &Pending| {
            p.launches.len() + list.len() > LAUNCHES || p.words.len() + list.len() * most > WORDS as usize
        };
        if full(&self.pending.borrow()) {
            self.flush()?;
        }
        let pending = &mut *self.pending.borrow_mut();
        if self.freed.swap(false, Ordering::Relaxed) {
            pending.bound.clear();
        }
        let before = (pending.launches.len(), pending.words.len());
        let ready = list.iter().try_for_each(|l| self.ready(l, bindings, pending));
        let whole = || self.facts.limit("bytes of arguments", pending.words.len() as u64, WORDS);
        ready.and_then(|()| whole()).inspect_err(|_| {
            // Nothing of a list that is refused stays.
            pending.launches.truncate(before.0);
            pending.words.truncate(before.1);
        })
    }

    async fn read(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        parts.iter().try_for_each(|p| self.range(p.buffer, p.start, p.to.len() as u64))?;
        if parts.iter().all(|p| p.to.is_empty()) {
            return self.flush();
        }
        self.alive()?;
        self.copied(parts).await
    }
}

impl Computes<f32> for Wgpu {}
