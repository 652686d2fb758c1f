//! Arrays of `f32` that are stored as `bf16`: a kernel that reads or writes one is recompiled with the conversion.

use super::super::device::{Binding, Device, Error, Launch, Program};
use super::super::pass::store_halves;
use super::super::template::Argument;
use super::super::template::launch::{ZERO_WORDS, ZEROS};
use super::Gpu;
use super::plan::Planner;
use crate::hardware::Language;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;

/// The numbers of such buffers, and the kernels made for them: by the key of the kernel, and which parameters are `bf16`.
#[derive(Debug, Default)]
pub(super) struct Bf16Buffers {
    buffers: RefCell<BTreeSet<u64>>,
    made: RefCell<BTreeMap<(u128, Bf16Params), Arc<Program>>>,
}

impl Bf16Buffers {
    pub(super) fn add(&self, number: u64) {
        self.buffers.borrow_mut().insert(number);
    }
    pub(super) fn forget(&self, number: u64) {
        self.buffers.borrow_mut().remove(&number);
    }
    pub(super) fn has(&self, number: impl FnOnce() -> u64) -> bool {
        let all = self.buffers.borrow();
        !all.is_empty() && all.contains(&number())
    }
}

impl Planner {
    /// # Errors
    /// [`Error::Limit`] where kernels are in WGSL, which has no addresses.
    pub(super) fn can_store_bf16(&self) -> Result<(), Error> {
        if self.language != Language::Wgsl {
            return Ok(());
        }
        let (device, what) = (self.device.clone(), "elements stored as bf16");
        Err(Error::Limit { device, what, asked: 1, available: 0 })
    }
}

/// The whole words of memory of `bf16` with what would be this of `f32`, and the bytes before that in the first of them.
pub(super) const fn bf16_binding<B>(b: Binding<'_, B>) -> (Binding<'_, B>, u64) {
    let [start, end] = [b.start / 2, (b.start + b.bytes) / 2];
    let first = start - start % 4;
    (Binding { buffer: b.buffer, start: first, bytes: end.next_multiple_of(4) - first }, start % 4)
}

/// The bytes of `f32` as those of the nearest `bf16`, ties to even; NaN stays one.
pub(super) fn to_bf16(bytes: &[u8]) -> Vec<u8> {
    let near = |word: &[u8; 4]| crate::float16::f32_to_bf16(f32::from_le_bytes(*word)).to_le_bytes();
    bytes.as_chunks::<4>().0.iter().flat_map(near).collect()
}

/// The bytes of `bf16` as those of `f32`.
pub(super) fn from_bf16(bytes: &[u8]) -> Vec<u8> {
    bytes.as_chunks::<2>().0.iter().flat_map(|[low, high]| [0, 0, *low, *high]).collect()
}

/// Which parameters of a kernel are operands, which of those are stored as `bf16`, and which of those start in the middle of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bf16Params([u64; 3]);

impl Bf16Params {
    /// With those of further parameters behind so many.
    pub(super) fn followed(self, parameters: usize, by: Self) -> Self {
        let (Self([a, b, c]), Self(by)) = (self, by);
        let [d, e, f] = by.map(|bits| bits.unbounded_shl(parameters as u32));
        Self([a | d, b | e, c | f])
    }
}

/// Those of the first 64 arguments; `starts` has for each operand that is stored as `bf16` the bytes between the word where it
/// starts and its first element.
pub(super) fn bf16_params(arguments: &[Argument], starts: &[Option<u64>]) -> Bf16Params {
    let [mut operands, mut halves, mut odd] = [0u64; 3];
    for (k, argument) in arguments.iter().enumerate().take(64) {
        if let Argument::Buffer(b) = argument {
            operands |= 1 << k;
            if let Some(before) = starts.get(*b).copied().flatten() {
                halves |= 1 << k;
                odd |= u64::from(before > 0) << k;
            }
        }
    }
    Bf16Params([operands, halves, odd])
}

impl<D: Device> Gpu<D> {
    /// Launches kernels, of which the first `own` bindings are operands that may be stored as `bf16`.
    pub(super) fn launch(
        &self,
        launches: &[Launch],
        bindings: &[Binding<'_, D::Buffer>],
        own: usize,
    ) -> Result<(), Error> {
        self.state.last.take();
        let state = &*self.state;
        let zeros = |l: &Launch| l.arguments.contains(&Argument::Buffer(ZEROS));
        if launches.iter().any(zeros) {
            let (mut launches, mut bindings) = (launches.to_vec(), bindings.to_vec());
            for a in
                launches.iter_mut().flat_map(|l| &mut l.arguments).filter(|a| **a == Argument::Buffer(ZEROS))
            {
                *a = Argument::Buffer(bindings.len());
            }
            bindings.push(Binding { buffer: state.zeros()?, start: 0, bytes: 4 * ZERO_WORDS as u64 });
            return self.launch(&launches, &bindings, own);
        }
        let (mut words, starts) = self.bf16_words(bindings.get(..own).unwrap_or(bindings));
        if starts.iter().all(Option::is_none) {
            return state.launch(launches, bindings);
        }
        words.extend(bindings.iter().skip(own));
        let launches =
            launches.iter().map(|l| self.with_bf16(l, &starts)).collect::<Result<Vec<_>, Error>>()?;
        state.launch(&launches, &words)
    }

    /// The words of operands, and where one is stored as `bf16` the bytes between the word where it starts and its first element.
    pub(super) fn bf16_words<'a>(
        &self,
        bindings: &[Binding<'a, D::Buffer>],
    ) -> (Vec<Binding<'a, D::Buffer>>, Vec<Option<u64>>) {
        let each = bindings.iter().map(|b| {
            let (part, before) = bf16_binding(*b);
            if self.state.is_bf16(b.buffer) { (part, Some(before)) } else { (*b, None) }
        });
        each.unzip()
    }

    fn with_bf16(&self, launch: &Launch, starts: &[Option<u64>]) -> Result<Launch, Error> {
        let kernel = launch.program.kernel();
        let mut fits = launch.program.text().is_none() && launch.arguments.len() <= 64;
        let Bf16Params([operands, mut halves, mut odd]) = bf16_params(&launch.arguments, starts);
        // Those that it reads as `bf16` by itself.
        fits &= kernel.halves & odd == 0;
        halves &= !kernel.halves;
        odd &= !kernel.halves;
        // What a tensor map describes is `bf16` already.
        fits &= launch.arguments.iter().all(|a| match a {
            Argument::Map(b, _) => starts.get(*b).copied().flatten().is_none(),
            _ => true,
        });
        if !fits {
            return Err(self.unsupported());
        }
        let program = self.program_for(&launch.program, Bf16Params([operands, halves, odd]))?;
        Ok(Launch { program, ..launch.clone() })
    }

    fn unsupported(&self) -> Error {
        let device = self.state.planner.device.clone();
        Error::Limit { device, what: "kernels of this op on elements stored as bf16", asked: 1, available: 0 }
    }

    /// The program for operands that are stored so.
    pub(super) fn program_for(
        &self,
        program: &Arc<Program>,
        params: Bf16Params,
    ) -> Result<Arc<Program>, Error> {
        let Bf16Params(parameters) = params;
        if parameters[1] == 0 {
            return Ok(Arc::clone(program));
        }
        let key = (program.key(), params);
        if let Some(made) = self.state.bf16.made.borrow().get(&key) {
            return Ok(Arc::clone(made));
        }
        let kernel = store_halves(program.kernel(), parameters).ok_or_else(|| self.unsupported())?;
        let made = Arc::new(Program::new(kernel).own());
        self.state.bf16.made.borrow_mut().insert(key, Arc::clone(&made));
        Ok(made)
    }
}
