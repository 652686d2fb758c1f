//! Compiles kernels to compute pipelines on background threads, while the host continues, and caches them.

use super::{Wgpu, scoped};
use crate::gpu::device::{Error, Launch};
use crate::gpu::types::Type;
use crate::gpu::wgsl;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::OnceLock;

/// A kernel, its threads, and which of its parameters share buffers.
pub(super) type Key = (u128, u32, Vec<usize>);

/// A kernel that is compiled, or is going to be.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) bound: Vec<(usize, bool)>,
    source: Source,
    made: OnceLock<Result<wgpu::ComputePipeline, String>>,
}

#[derive(Debug)]
struct Source {
    device: wgpu::Device,
    name: String,
    text: String,
    layout: wgpu::PipelineLayout,
    own: bool,
}

impl Source {
    fn compile(&self) -> Result<wgpu::ComputePipeline, String> {
        let label = Some(self.name.as_str());
        scoped(&self.device, || {
            let source = wgpu::ShaderSource::Wgsl(self.text.as_str().into());
            let module = wgpu::ShaderModuleDescriptor { label, source };
            let module = if self.own {
                // SAFETY: the crate's own kernels. Loops are counted, shared variables are as long as what the threads
                // touch (the interpreter, which the tests run them on, refuses other accesses), and accesses to buffers lie
                // in operands that were checked.
                unsafe {
                    self.device.create_shader_module_trusted(module, wgpu::ShaderRuntimeChecks::unchecked())
                }
            } else {
                self.device.create_shader_module(module)
            };
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&self.layout),
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Kernels write before they read.
                    zero_initialize_workgroup_memory: false,
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            })
        })
    }
}

impl Pipeline {
    /// Compiles it unless that was done; waits for who does it.
    fn made(&self) -> Result<&wgpu::ComputePipeline, &String> {
        self.made.get_or_init(|| self.source.compile()).as_ref()
    }
}

impl Wgpu {
    /// What the driver made of it, or what it said.
    pub(super) fn made<'a>(&self, of: &'a Pipeline) -> Result<&'a wgpu::ComputePipeline, Error> {
        of.made().map_err(|reason| self.refused(&of.source.name, reason.clone()))
    }

    fn refused(&self, kernel: &str, reason: String) -> Error {
        Error::Refused { device: self.facts.name.clone(), kernel: kernel.into(), reason }
    }

    /// The kernel of a launch; the driver has begun with it.
    pub(super) fn pipeline(&self, l: &Launch, shared: Vec<usize>) -> Result<Arc<Pipeline>, Error> {
        let kernel = l.program.kernel();
        let [threads, 1, 1] = l.block else { return Err(Error::Arguments { kernel: kernel.name.clone() }) };
        let key = (l.program.key(), threads, shared);
        if let Some(pipeline) = self.pipelines.borrow().get(&key) {
            return Ok(Arc::clone(pipeline));
        }
        let refused = |reason| self.refused(&kernel.name, reason);
        let whole = match l.program.text() {
            None => wgsl::kernel(kernel, threads, &key.2, self.fused).map_err(|e| refused(e.to_string()))?,
            Some(text) => {
                let of = kernel.params.iter().filter(|of| **of == Type::U64).count();
                wgsl::Whole { text: text.into(), bound: (0..of).map(|k| (k, k + 1 == of)).collect() }
            }
        };
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
        let layouts = scoped(&self.device, || {
            let label = Some(kernel.name.as_str());
            let layout = self
                .device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label, entries: &entries });
            let of = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            (layout, of)
        });
        self.alive()?;
        let (bound_by, layout) = layouts.map_err(refused)?;
        let source = Source {
            device: self.device.clone(),
            name: kernel.name.clone(),
            text: whole.text,
            layout,
            own: l.program.is_own(),
        };
        let made = Arc::new(Pipeline { layout: bound_by, bound: whole.bound, source, made: OnceLock::new() });
        // Without a thread it is compiled when it is submitted. A browser compiles beside the page by itself.
        #[cfg(not(target_arch = "wasm32"))]
        {
            let begun = Arc::clone(&made);
            let _ = std::thread::Builder::new().name(kernel.name.clone()).spawn(move || begun.made().is_ok());
        }
        self.pipelines.borrow_mut().insert(key, Arc::clone(&made));
        Ok(made)
    }
}
