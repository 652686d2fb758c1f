//! Batches launches into submissions: they are recorded until something is read or written, or until there are many.
//! Bind groups are cached, so that a repeated launch only writes its arguments.

use super::pipeline::Pipeline;
use super::{Buffer, Wgpu};
use crate::gpu::device::{Binding, Error, Launch};
use crate::gpu::template::Argument;
use crate::gpu::types::Type;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::num::NonZeroU64;
use std::collections::HashMap;

/// Launches whose bindings are kept.
const BOUND: usize = 1 << 14;

/// A kernel on these buffers.
#[derive(Debug)]
pub(super) struct Bound {
    pipeline: Arc<Pipeline>,
    group: wgpu::BindGroup,
}

#[derive(Debug, Default)]
pub(super) struct Pending {
    pub(super) launches: Vec<Ready>,
    pub(super) words: Vec<u8>,
    /// By the kernel, its threads, and the number of each buffer, with its window where it is not bound whole.
    pub(super) bound: HashMap<Vec<u64>, Arc<Bound>>,
    /// Such a key, while it is looked for.
    key: Vec<u64>,
}

/// A launch that waits for its submission.
#[derive(Debug)]
pub(super) struct Ready {
    bound: Arc<Bound>,
    words: u32,
    grid: [u32; 3],
}

impl Wgpu {
    /// What of a parameter's buffer is bound: all of it, or, of one that is longer than a binding, from the first part that
    /// a parameter has of it to the last one.
    fn window(&self, of: &Buffer, l: &Launch, bindings: &[Binding<'_, Buffer>]) -> [u64; 2] {
        if of.bytes <= self.facts.limits.binding {
            return [0, of.bytes];
        }
        let parts = l.arguments.iter().filter_map(|a| match a {
            Argument::Buffer(k) => bindings.get(*k).filter(|b| b.buffer.number == of.number),
            _ => None,
        });
        let all = parts.map(|b| {
            let from = b.start - b.start % self.aligned[0];
            [from, (b.start + b.bytes).max(from + 4).min(of.bytes)]
        });
        all.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or([0, 0])
    }

    /// The launch goes behind those that wait, its words behind theirs.
    pub(super) fn ready(
        &self,
        l: &Launch,
        bindings: &[Binding<'_, Buffer>],
        pending: &mut Pending,
    ) -> Result<(), Error> {
        let kernel = l.program.kernel();
        let wrong = || Error::Arguments { kernel: kernel.name.clone() };
        let Pending { launches, words, bound, key } = pending;
        let start = (words.len() as u64).next_multiple_of(self.aligned[1]);
        words.resize(start as usize, 0);
        key.clear();
        let program = l.program.key();
        key.extend([program as u64, (program >> 64) as u64, u64::from(l.block[0])]);
        let arguments = || l.arguments.iter().zip(&kernel.params);
        for (a, ty) in arguments() {
            match (a, ty) {
                (Argument::Buffer(_), Type::U64) => {}
                (Argument::Bits(bits), Type::U32 | Type::F32) => {
                    words.extend_from_slice(&u32::try_from(*bits).map_err(|_| wrong())?.to_le_bytes());
                }
                _ => return Err(wrong()),
            }
        }
        for (a, _) in arguments() {
            let Argument::Buffer(k) = a else { continue };
            let b = bindings.get(*k).ok_or_else(wrong)?;
            let [from, to] = self.window(b.buffer, l, bindings);
            key.push(b.buffer.number);
            if to - from < b.buffer.bytes {
                key.extend([from, to]);
            }
            let at = u32::try_from((b.start - from) / 4).map_err(|_| wrong())?;
            words.extend_from_slice(&at.to_le_bytes());
        }
        words.extend_from_slice(&[0; 4]);
        words.resize(words.len().next_multiple_of(16), 0);
        let bound = match bound.get(key.as_slice()) {
            Some(known) => Arc::clone(known),
            None => {
                let made = Arc::new(self.bind(l, bindings, words.len() as u64 - start)?);
                if bound.len() == BOUND {
                    bound.clear();
                }
                bound.insert(key.clone(), Arc::clone(&made));
                made
            }
        };
        launches.push(Ready { bound, words: start as u32, grid: l.grid });
        Ok(())
    }

    /// The kernel of a launch on its buffers, with so many bytes of words.
    fn bind(&self, l: &Launch, bindings: &[Binding<'_, Buffer>], words: u64) -> Result<Bound, Error> {
        let wrong = || Error::Arguments { kernel: l.program.kernel().name.clone() };
        let of: Vec<Option<&Binding<'_, Buffer>>> = l
            .arguments
            .iter()
            .map(|a| match a {
                Argument::Buffer(k) => bindings.get(*k),
                _ => None,
            })
            .collect();
        let number = |b: &Option<&Binding<'_, Buffer>>| b.map(|b| b.buffer.number);
        let shared: Vec<usize> = of
            .iter()
            .enumerate()
            .map(|(k, b)| of.iter().position(|o| b.is_some() && number(o) == number(b)).unwrap_or(k))
            .collect();
        let pipeline = self.pipeline(l, shared)?;
        let mut entries = Vec::new();
        for (binding, (k, _)) in pipeline.bound.iter().enumerate() {
            let Some(Some(b)) = of.get(*k) else { return Err(wrong()) };
            let [from, to] = self.window(b.buffer, l, bindings);
            self.facts.limit("bytes of a binding", to - from, self.facts.limits.binding)?;
            entries.push(wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &b.buffer.inner,
                    offset: from,
                    size: NonZeroU64::new(to - from),
                }),
            });
        }
        entries.push(wgpu::BindGroupEntry {
            binding: entries.len() as u32,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.words,
                offset: 0,
                size: NonZeroU64::new(words),
            }),
        });
        let descriptor =
            wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = self.device.create_bind_group(&descriptor);
        Ok(Bound { pipeline, group })
    }

    /// What waits, as one pass. Nothing of it runs if the driver refuses one of its kernels.
    pub(super) fn record(&self) -> Result<wgpu::CommandEncoder, Error> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pending = self.pending.borrow_mut();
        let Pending { launches, words, .. } = &mut *pending;
        let made: Result<Vec<_>, Error> = launches.iter().map(|l| self.made(&l.bound.pipeline)).collect();
        if let (Ok(made), false) = (&made, launches.is_empty()) {
            self.queue.write_buffer(&self.words, 0, words);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let mut set = None;
            for (l, pipeline) in launches.iter().zip(made) {
                if set != Some(pipeline) {
                    pass.set_pipeline(pipeline);
                    set = Some(pipeline);
                }
                pass.set_bind_group(0, &l.bound.group, &[l.words]);
                pass.dispatch_workgroups(l.grid[0], l.grid[1], l.grid[2]);
            }
        }
        let refused = made.err();
        launches.clear();
        words.clear();
        refused.map_or(Ok(encoder), Err)
    }

    /// Hands what waits to the driver.
    pub(super) fn flush(&self) -> Result<(), Error> {
        if !self.pending.borrow().launches.is_empty() {
            self.submit(self.record()?);
        }
        self.alive()
    }

    pub(super) fn submit(&self, what: wgpu::CommandEncoder) {
        self.submissions.set(self.submissions.get() + 1);
        self.queue.submit([what.finish()]);
    }
}
