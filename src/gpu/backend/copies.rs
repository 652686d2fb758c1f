//! A cache of operands rounded to `bf16`: several products read the same matrix, which is rounded once and again only
//! after it was written.

use super::super::alias;
use super::super::device::{Binding, Device, Error, Launch};
use super::super::template::Argument;
use super::Gpu;
use super::ops::called;
use super::plan::Plan;
use super::pool::Allocation;
use super::stored::bf16_binding;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Range;

/// What a copy is of, and how it was made.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    /// The number of the buffer, and the bytes of it.
    buffer: u64,
    bytes: Range<u64>,
    /// The kernel, and its arguments that are no operands.
    program: u128,
    words: Vec<u64>,
}

/// The copies, and what is known of kernels.
#[derive(Debug)]
pub(super) struct Copies<B> {
    all: RefCell<Vec<(Source, Rc<Allocation<B>>)>>,
    written: RefCell<BTreeMap<u128, u64>>,
}

impl<B> Default for Copies<B> {
    fn default() -> Self {
        Self { all: RefCell::default(), written: RefCell::default() }
    }
}

impl<B> Copies<B> {
    /// Takes all.
    pub(super) fn take(&self) -> Vec<Rc<Allocation<B>>> {
        self.all.take().into_iter().map(|(_, memory)| memory).collect()
    }

    /// Takes those of these bytes of a buffer.
    pub(super) fn stale(&self, buffer: impl FnOnce() -> u64, bytes: &Range<u64>) -> Vec<Rc<Allocation<B>>> {
        let mut all = self.all.borrow_mut();
        if all.is_empty() {
            return Vec::new();
        }
        let number = buffer();
        let stale =
            |of: &Source| of.buffer == number && of.bytes.start < bytes.end && bytes.start < of.bytes.end;
        all.extract_if(.., |(of, _)| stale(of)).map(|(_, memory)| memory).collect()
    }

    fn written(&self, launch: &Launch) -> u64 {
        let of = || match launch.program.text() {
            Some(_) => alias::ALL,
            None => launch.program.kernel().written(),
        };
        *self.written.borrow_mut().entry(launch.program.key()).or_insert_with(of)
    }
}

impl<D: Device> Gpu<D> {
    /// [`Gpu::run`] where operands are rounded: without the launches whose results are there.
    pub(super) fn run_rounding(&self, plan: &Plan, operands: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
        let done = self.run_with_copies(plan, operands);
        if done.is_err() {
            // Those that were to be made may not have been.
            self.state.give_up();
        }
        done
    }

    fn run_with_copies(&self, plan: &Plan, operands: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
        let (state, own) = (&*self.state, operands.len());
        let mut buffers = vec![None; plan.scratch.len()];
        let mut there = vec![None; plan.scratch.len()];
        let mut launches = Vec::with_capacity(plan.launches.len());
        for launch in &plan.launches {
            let Some((from, to)) = rounded(launch, operands) else {
                self.note_writes(launch, operands);
                launches.push(launch.clone());
                continue;
            };
            if let Some(there) = there.get_mut(to)
                && self.lies_rounded(launch, from)
            {
                *there = Some(bf16_binding(from).0);
                continue;
            }
            let (memory, new) = self.copy(launch, from, plan.scratch.get(to).copied().unwrap_or(0))?;
            if let Some(to) = buffers.get_mut(to) {
                *to = Some(memory);
            }
            if new {
                launches.push(launch.clone());
            }
        }
        for ((memory, bytes), there) in buffers.iter_mut().zip(&plan.scratch).zip(&there) {
            if memory.is_none() && there.is_none() {
                *memory = Some(Rc::new(state.take(*bytes)?));
            }
        }
        let mut bindings = operands.to_vec();
        bindings.extend(buffers.iter().zip(&there).filter_map(|(memory, there)| match memory {
            Some(b) => Some(Binding { buffer: &b.buffer, start: 0, bytes: b.bytes }),
            None => *there,
        }));
        let done = self.launch(&launches, &bindings, own);
        buffers.into_iter().flatten().for_each(|memory| state.done(memory));
        done
    }

    /// Whether what a launch would round lies as its result would: lines of `bf16` as far from each other, where tensor maps
    /// read them.
    fn lies_rounded(&self, launch: &Launch, from: Binding<'_, D::Buffer>) -> bool {
        matches!(launch.arguments[..], [.., by, _, pitch] if by == pitch)
            && launch.program.kernel().name == "round_lines"
            && from.start.is_multiple_of(32)
            && self.state.is_bf16(from.buffer)
    }

    /// The copy that a launch makes, and whether it is still to be made.
    fn copy(
        &self,
        launch: &Launch,
        from: Binding<'_, D::Buffer>,
        bytes: u64,
    ) -> Result<(Rc<Allocation<D::Buffer>>, bool), Error> {
        called!(copy, {
            let word = |a: &Argument| if let Argument::Bits(bits) = a { Some(*bits) } else { None };
            let source = Source {
                buffer: self.state.device.number(from.buffer),
                bytes: from.start..from.start + from.bytes,
                program: launch.program.key(),
                words: launch.arguments.iter().filter_map(word).collect(),
            };
            let all = &self.state.copies.all;
            let kept = all.borrow().iter().find(|(of, _)| *of == source).map(|(_, memory)| Rc::clone(memory));
            if let Some(kept) = kept {
                return Ok((kept, false));
            }
            let new = Rc::new(self.state.take(bytes)?);
            all.borrow_mut().push((source, Rc::clone(&new)));
            Ok((new, true))
        })
    }

    /// Copies of what a launch writes are none any more.
    fn note_writes(&self, launch: &Launch, operands: &[Binding<'_, D::Buffer>]) {
        if self.state.copies.all.borrow().is_empty() {
            return;
        }
        let written = self.state.copies.written(launch);
        for (k, argument) in launch.arguments.iter().enumerate() {
            if let Argument::Buffer(b) = argument
                && written >> k.min(63) & 1 != 0
                && let Some(b) = operands.get(*b)
            {
                self.state.changed(b.buffer, &(b.start..b.start + b.bytes));
            }
        }
    }
}

/// The operand that a launch rounds, and the number of the scratch where the result goes.
fn rounded<'a, B>(launch: &Launch, operands: &[Binding<'a, B>]) -> Option<(Binding<'a, B>, usize)> {
    match launch.arguments[..] {
        [Argument::Buffer(from), Argument::Buffer(to), ..] if launch.program.kernel().rounds => {
            Some((*operands.get(from)?, to.checked_sub(operands.len())?))
        }
        _ => None,
    }
}
