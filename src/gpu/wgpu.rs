//! Any GPU that wgpu finds, as a device. Built for Vulkan, and for WebGPU in a browser; a program that wants wgpu's other
//! backends asks for them with wgpu's own features.
//!
//! A browser has no thread that may wait: there [`Wgpu::open_async`] and [`Gpu::download_async`](super::backend::Gpu::download_async)
//! are all that there is, and what the driver says against a call is the error of a later one.
//!
//! ```no_run
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

mod read;

use super::builder::Builder;
use super::device::{Binding, Computes, Device, Error, Facts, Launch, Limits, Program, check, choose};
use super::ir::{Cmp, Space, Special};
use super::template::{Argument, Meet};
use super::types::{F32, Type, U64};
use super::wgsl;
use crate::hardware::Language;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};
use core::num::NonZeroU64;
use read::{Said, said, say};
use std::sync::PoisonError;
use wgpu::BufferUsages as Usage;

/// Launches of one submission, and bytes of their words.
const LAUNCHES: usize = 256;
const WORDS: u64 = 128 << 10;

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
}

/// Memory of a device of wgpu's.
#[derive(Debug)]
pub struct Buffer {
    inner: wgpu::Buffer,
    device: wgpu::Device,
    bytes: u64,
    number: u64,
}

/// A kernel, its threads, and which of its parameters share buffers.
type Key = (u128, u32, Vec<usize>);

#[derive(Debug)]
struct Pipeline {
    inner: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bound: Vec<(usize, bool)>,
}

#[derive(Debug, Default)]
struct Pending {
    launches: Vec<Ready>,
    words: Vec<u8>,
}

/// A launch that waits for its submission.
#[derive(Debug)]
struct Ready {
    pipeline: Arc<Pipeline>,
    group: wgpu::BindGroup,
    words: u32,
    grid: [u32; 3],
}

async fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
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
        read::park(adapters()).iter().map(|a| a.get_info().name).collect()
    }

    /// The adapter with this index, or the first with this in its name (of any case), or the first for nothing.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::Driver`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn open(wanted: &str) -> Result<Self, Error> {
        read::park(Self::open_async(wanted))
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
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("fulmen"),
            required_limits: limits.clone(),
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
        };
        opened.fused = opened.fuses().await?;
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
            let [x, y, z] = core::array::from_fn(|_| b.param::<F32>());
            b.when(b.special(Special::TidX).compare(Cmp::Eq, b.int(0)), || {
                b.store(Space::Global, out, 0, x.fma(y, z));
            });
        }
        let kernel = b.finish().map_err(|error| Error::Kernel { kernel: String::from("fuses"), error })?;
        let (x, z) = (1.0 + f32::EPSILON * 2048.0, -(1.0 + f32::EPSILON * 4096.0));
        let mut arguments = alloc::vec![Argument::Buffer(0)];
        arguments.extend([x, x, z].map(|x| Argument::Bits(u64::from(x.to_bits()))));
        let program = Arc::new(Program::new(kernel));
        let buffer = self.allocate(4)?;
        let launch = Launch { program, grid: [1; 3], block: [1; 3], arguments };
        self.launch(&[launch], &[Binding { buffer: &buffer, start: 0, bytes: 4 }])?;
        let mut left = [0; 4];
        self.read(&buffer, 0, &mut left).await?;
        Ok(f32::from_le_bytes(left) != 0.0)
    }

    /// Gives the device back. Whatever is asked of it from now on is [`Error::Lost`].
    pub fn destroy(&self) {
        say(&self.lost, String::from("it was given back"));
        self.pending.take();
        self.device.destroy();
    }

    /// Pipelines compiled so far.
    #[must_use]
    pub fn pipelines(&self) -> usize {
        self.pipelines.borrow().len()
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

    fn pipeline(&self, l: &Launch, shared: Vec<usize>) -> Result<Arc<Pipeline>, Error> {
        let kernel = l.program.kernel();
        let [threads, 1, 1] = l.block else { return Err(Error::Arguments { kernel: kernel.name.clone() }) };
        let key = (l.program.key(), threads, shared);
        if let Some(pipeline) = self.pipelines.borrow().get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let refused = |reason: String| Error::Refused {
            device: self.facts.name.clone(),
            kernel: kernel.name.clone(),
            reason,
        };
        let whole = wgsl::kernel(kernel, threads, &key.2, self.fused).map_err(|e| refused(e.to_string()))?;
        self.facts.limit(
            "buffers of a kernel",
            whole.bound.len() as u64,
            u64::from(self.facts.limits.bindings),
        )?;
        let entry = |binding: usize, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
            count: None,
        };
        let mut entries: Vec<_> = whole
            .bound
            .iter()
            .enumerate()
            .map(|(k, (_, written))| {
                entry(k, wgpu::BufferBindingType::Storage { read_only: !written }, false)
            })
            .collect();
        entries.push(entry(entries.len(), wgpu::BufferBindingType::Uniform, true));
        let made = self.scoped(|| {
            let label = Some(kernel.name.as_str());
            let layout = self
                .device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label,
                source: wgpu::ShaderSource::Wgsl(whole.text.as_str().into()),
            });
            let of = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let inner = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&of),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Kernels write before they read.
                    zero_initialize_workgroup_memory: false,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            });
            Pipeline { inner, layout, bound: whole.bound.clone() }
        });
        self.alive()?;
        let made = Arc::new(made.map_err(refused)?);
        self.pipelines.borrow_mut().insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// The bytes of the words of a launch go behind `words`, where they start is given.
    fn ready(
        &self,
        l: &Launch,
        bindings: &[Binding<'_, Buffer>],
        words: &mut Vec<u8>,
    ) -> Result<Ready, Error> {
        let kernel = l.program.kernel();
        let wrong = || Error::Arguments { kernel: kernel.name.clone() };
        let mut of: Vec<Option<&Binding<'_, Buffer>>> = Vec::new();
        let mut scalars = Vec::new();
        for (a, ty) in l.arguments.iter().zip(&kernel.params) {
            match (a, ty) {
                (Argument::Buffer(k), Type::U64) => of.push(Some(bindings.get(*k).ok_or_else(wrong)?)),
                (Argument::Bits(bits), Type::U32 | Type::F32) => {
                    of.push(None);
                    scalars.push(u32::try_from(*bits).map_err(|_| wrong())?);
                }
                _ => return Err(wrong()),
            }
        }
        let number = |b: &Option<&Binding<'_, Buffer>>| b.map(|b| b.buffer.number);
        let shared: Vec<usize> = of
            .iter()
            .enumerate()
            .map(|(k, b)| of.iter().position(|o| b.is_some() && number(o) == number(b)).unwrap_or(k))
            .collect();
        let pipeline = self.pipeline(l, shared.clone())?;
        // What of each buffer is bound: from its first part to its last one.
        let mut windows: BTreeMap<usize, [u64; 2]> = BTreeMap::new();
        for (b, owner) in of.iter().zip(&shared) {
            let Some(b) = b else { continue };
            let from = b.start - b.start % self.aligned[0];
            let to = (b.start + b.bytes).max(from + 4).min(b.buffer.bytes);
            let window = windows.entry(*owner).or_insert([from, to]);
            *window = [window[0].min(from), window[1].max(to)];
        }
        let mut entries = Vec::new();
        for (binding, (k, _)) in pipeline.bound.iter().enumerate() {
            let (Some(Some(b)), Some([from, to])) = (of.get(*k), windows.get(k)) else { return Err(wrong()) };
            self.facts.limit("bytes of a binding", to - from, self.facts.limits.binding)?;
            entries.push(wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &b.buffer.inner,
                    offset: *from,
                    size: NonZeroU64::new(to - from),
                }),
            });
        }
        let start = (words.len() as u64).next_multiple_of(self.aligned[1]);
        words.resize(start as usize, 0);
        for word in scalars {
            words.extend_from_slice(&word.to_le_bytes());
        }
        for (b, owner) in of.iter().zip(&shared) {
            let Some(b) = b else { continue };
            let from = windows.get(owner).map_or(0, |w| w[0]);
            let at = u32::try_from((b.start - from) / 4).map_err(|_| wrong())?;
            words.extend_from_slice(&at.to_le_bytes());
        }
        words.extend_from_slice(&[0; 4]);
        words.resize(words.len().next_multiple_of(16), 0);
        let bytes = words.len() as u64 - start;
        entries.push(wgpu::BindGroupEntry {
            binding: entries.len() as u32,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.words,
                offset: 0,
                size: NonZeroU64::new(bytes),
            }),
        });
        let descriptor =
            wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = self.device.create_bind_group(&descriptor);
        Ok(Ready { pipeline, group, words: start as u32, grid: l.grid })
    }

    /// Hands what waits to the driver.
    fn flush(&self) -> Result<(), Error> {
        let Pending { launches, words } = self.pending.take();
        if launches.is_empty() {
            return self.alive();
        }
        self.queue.write_buffer(&self.words, 0, &words);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for l in &launches {
                pass.set_pipeline(&l.pipeline.inner);
                pass.set_bind_group(0, &l.group, &[l.words]);
                pass.dispatch_workgroups(l.grid[0], l.grid[1], l.grid[2]);
            }
        }
        self.queue.submit([encoder.finish()]);
        self.alive()
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
        let inner = self.scoped(|| self.device.create_buffer(&descriptor));
        self.alive()?;
        let inner = inner.map_err(|reason| Error::Driver { device: self.facts.name.clone(), reason })?;
        let number = self.buffers.get();
        self.buffers.set(number + 1);
        Ok(Buffer { inner, device: self.device.clone(), bytes: size, number })
    }

    fn write(&self, to: &Buffer, start: u64, bytes: &[u8]) -> Result<(), Error> {
        self.range(to, start, bytes.len() as u64)?;
        self.flush()?;
        self.queue.write_buffer(&to.inner, start, bytes);
        self.alive()
    }

    fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Buffer>]) -> Result<(), Error> {
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
        let Pending { launches, words } = &mut *self.pending.borrow_mut();
        let before = words.len();
        let ready = list.iter().map(|l| self.ready(l, bindings, words)).collect::<Result<Vec<_>, _>>();
        let whole = self.facts.limit("bytes of arguments", words.len() as u64, WORDS);
        match ready.and_then(|ready| whole.map(|()| ready)) {
            Ok(ready) => {
                launches.extend(ready);
                Ok(())
            }
            // Nothing of a list that is refused stays.
            Err(e) => {
                words.truncate(before);
                Err(e)
            }
        }
    }

    async fn read(&self, from: &Buffer, start: u64, to: &mut [u8]) -> Result<(), Error> {
        self.range(from, start, to.len() as u64)?;
        self.flush()?;
        if to.is_empty() {
            return Ok(());
        }
        self.copied(from, start, to).await
    }
}

impl Computes<f32> for Wgpu {}
