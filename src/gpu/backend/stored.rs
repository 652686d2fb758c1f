//! Memory whose elements lie as `bf16`: kernels that read or write it are made again for that.

use super::super::device::{Binding, Device, Error, Launch, Program};
use super::super::pass::store_halves;
use super::super::template::Argument;
use super::Gpu;
use super::memory::State;
use super::plan::Planner;
use crate::hardware::Language;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;

/// The numbers of such buffers, and the kernels made for them: by the key of the kernel, its parameters that are operands,
/// those of them that lie so, and those that start in the middle of a word.
#[derive(Debug, Default)]
pub(super) struct Halves {
    buffers: RefCell<BTreeSet<u64>>,
    made: RefCell<BTreeMap<(u128, [u64; 3]), Arc<Program>>>,
}

impl Halves {
    pub(super) fn add(&self, number: u64) {
        self.buffers.borrow_mut().insert(number);
    }
    pub(super) fn forget(&self, number: u64) {
        self.buffers.borrow_mut().remove(&number);
    }
}

impl<D: Device> State<D> {
    pub(super) fn is_halves(&self, buffer: &D::Buffer) -> bool {
        let all = self.halves.buffers.borrow();
        !all.is_empty() && all.contains(&self.device.number(buffer))
    }
}

impl Planner {
    /// # Errors
    /// [`Error::Limit`] where kernels are in WGSL, which has no addresses.
    pub(super) fn has_halves(&self) -> Result<(), Error> {
        if self.language != Language::Wgsl {
            return Ok(());
        }
        let (device, what) = (self.device.clone(), "elements that lie as bf16");
        Err(Error::Limit { device, what, asked: 1, available: 0 })
    }
}

/// The whole words of memory of `bf16` with what would be this of `f32`, and the bytes before that in the first of them.
pub(super) const fn half_of<B>(b: Binding<'_, B>) -> (Binding<'_, B>, u64) {
    let [start, end] = [b.start / 2, (b.start + b.bytes) / 2];
    let first = start - start % 4;
    (Binding { buffer: b.buffer, start: first, bytes: end.next_multiple_of(4) - first }, start % 4)
}

/// The bytes of `f32` as those of the nearest `bf16`, ties to even; NaN stays one.
pub(super) fn to_halves(bytes: &[u8]) -> Vec<u8> {
    let near = |word: &[u8; 4]| crate::float16::narrow_bf16(f32::from_le_bytes(*word)).to_le_bytes();
    bytes.as_chunks::<4>().0.iter().flat_map(near).collect()
}

/// The bytes of `bf16` as those of `f32`.
pub(super) fn from_halves(bytes: &[u8]) -> Vec<u8> {
    bytes.as_chunks::<2>().0.iter().flat_map(|[low, high]| [0, 0, *low, *high]).collect()
}

impl<D: Device> Gpu<D> {
    /// Launches kernels, of which the first `own` bindings are operands that may lie as `bf16`.
    pub(super) fn launch(
        &self,
        launches: &[Launch],
        bindings: &[Binding<'_, D::Buffer>],
        own: usize,
    ) -> Result<(), Error> {
        let state = &*self.state;
        // Where one lies so, the bytes between the word where it starts and its first element.
        let mut lie = Vec::with_capacity(own);
        let mut words = bindings.to_vec();
        for b in words.iter_mut().take(own) {
            let (part, before) = half_of(*b);
            let is = state.is_halves(b.buffer);
            *b = if is { part } else { *b };
            lie.push(is.then_some(before));
        }
        if lie.iter().all(Option::is_none) {
            return state.device.launch(launches, bindings);
        }
        let launches = launches.iter().map(|l| self.on_halves(l, &lie)).collect::<Result<Vec<_>, Error>>()?;
        state.device.launch(&launches, &words)
    }

    fn on_halves(&self, launch: &Launch, lie: &[Option<u64>]) -> Result<Launch, Error> {
        let [mut operands, mut halves, mut odd] = [0u64; 3];
        let mut fits = launch.program.text().is_none() && launch.arguments.len() <= 64;
        for (k, argument) in launch.arguments.iter().enumerate().take(64) {
            match argument {
                Argument::Buffer(b) => {
                    operands |= 1 << k;
                    match lie.get(*b).copied().flatten() {
                        Some(before) if launch.program.kernel().halves >> k & 1 != 0 => fits &= before == 0,
                        Some(before) => {
                            halves |= 1 << k;
                            odd |= u64::from(before > 0) << k;
                        }
                        None => {}
                    }
                }
                // What a tensor map describes is `bf16` already.
                Argument::Map(b, _) => fits &= lie.get(*b).copied().flatten().is_none(),
                Argument::Bits(_) => {}
            }
        }
        if halves == 0 && fits {
            return Ok(launch.clone());
        }
        let key = (launch.program.key(), [operands, halves, odd]);
        let made = self.state.halves.made.borrow().get(&key).cloned();
        if let Some(program) = made.filter(|_| fits) {
            return Ok(Launch { program, ..launch.clone() });
        }
        let kernel = store_halves(launch.program.kernel(), [operands, halves, odd]).filter(|_| fits);
        let device = || self.state.planner.device.clone();
        let what = "kernels of this op on elements that lie as bf16";
        let kernel = kernel.ok_or_else(|| Error::Limit { device: device(), what, asked: 1, available: 0 })?;
        let program = Arc::new(Program::new(kernel).own());
        self.state.halves.made.borrow_mut().insert(key, Arc::clone(&program));
        Ok(Launch { program, ..launch.clone() })
    }
}
