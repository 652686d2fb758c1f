//! Plans the kernel of a fused chain: the tile from the facts of the machine, and the bodies by the names in the graph.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Kernel, Module, Space, Special};
use super::super::pass;
use super::super::ptx::target::Target;
use super::super::types::{F32, U32, U64};
use super::chain::{Broadcast, Steps, countable, elements, single};
use super::gemm::{End, product};
use super::{GemmTile, reduction, row};
use crate::hardware::{Form, Language, Node, Plan, Scalar};
use alloc::vec::Vec;
use core::cell::Cell;

impl Target {
    /// The target of a machine that the facts know, by its compute capability.
    #[must_use]
    pub fn of(machine: &crate::hardware::Target) -> Option<Self> {
        let [major, minor] = machine.gpu()?.compute_capability?;
        u16::try_from(major.checked_mul(10)?.checked_add(minor)?).ok().map(Self::sm)
    }
}

impl GemmTile {
    /// The tile of a plan.
    #[must_use]
    pub const fn of(plan: &Plan<'_>) -> Self {
        let t = &plan.choice.tile;
        let [tm, tn] = t.per_thread;
        Self { m: t.m, n: t.n, k: t.k, tm, tn, stages: t.stages }
    }
}

/// The kernels of a plan, and the values of the parameters of its ops.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The optimised kernels, in the order in which they run.
    pub module: Module,
    /// For each kernel the values of its last parameters, which are `f32`, in order.
    pub parameters: Vec<Vec<f64>>,
}

/// The kernels of a plan in `f32`. The names of the graph's nodes are those of the list of ops.
///
/// A product and the pointwise ops behind it are one kernel: `a`, `b`, `out`, the further operands in the order in which
/// the ops read them, then rows, columns and inner dimension (`U32`); the grid and the block are the plan's, all threads
/// of the block along x. Pointwise ops are one kernel, too: the operands, `out`, rows, columns. A norm is the kernel of
/// [`row`]; in front of a product it is the first of two kernels, which hands its rows on in memory. A reduction is the
/// kernels of its stages, see [`Reduction`](super::Reduction). The last parameters of a kernel are those of its nodes, in
/// the order of the chain; their values are no part of the text.
///
/// # Errors
/// `Overflow` for sizes that the counters do not reach, `Node` for a node that is no op of its kind, `Operands` and
/// `Parameters` for one that has more or fewer than its op, `Domain` for a parameter that its op refuses, `Operand` for a
/// type or language other than `f32` in PTX, `Tile` and `SharedMemory` for a tile that cannot run.
pub fn planned(plan: &Plan<'_>, graph: &[Node<'_>]) -> Result<Planned, Error> {
    if plan.language != Language::Ptx || plan.scalar != Scalar::F32 {
        return Err(Error::Operand { instruction: "plan" });
    }
    countable(plan)?;
    let root = plan.chain.root().ok_or(Error::Arguments)?;
    let node = |at: usize| graph.get(at).ok_or(Error::Node { node: at });
    let norm = |at: usize| {
        single(graph, at)?;
        let node = node(at)?;
        Ok((row::<F32>(node.name).ok_or(Error::Node { node: at })??, node.parameters.to_vec()))
    };
    let kernels: Vec<(Kernel, Vec<f64>)> = match plan.form {
        Form::Gemm => {
            single(graph, root)?;
            let mut all =
                plan.chain.prologue().iter().map(|at| norm(*at)).collect::<Result<Vec<_>, Error>>()?;
            let steps = Steps::new(graph, plan.chain.epilogue(), Some(root))?;
            all.push((fused_product(node(root)?.name, plan, &steps)?, steps.parameters));
            all
        }
        Form::Pointwise => {
            elements(plan)?;
            let steps = Steps::new(graph, plan.chain.nodes(), None)?;
            Vec::from([(fused_pointwise(node(root)?.name, &steps)?, steps.parameters)])
        }
        Form::RowReduce => Vec::from([norm(root)?]),
        Form::Reduce => {
            elements(plan)?;
            single(graph, root)?;
            let r = reduction::<F32>(node(root)?.name).ok_or(Error::Node { node: root })??;
            r.stages.into_iter().flat_map(|s| [s.parts, s.merge]).map(|k| (k, Vec::new())).collect()
        }
    };
    let (mut kernels, parameters): (Vec<_>, _) = kernels.into_iter().unzip();
    kernels.iter_mut().for_each(pass::optimise);
    Ok(Planned { module: Module { kernels }, parameters })
}

/// Keeps the first error of a closure that cannot return one.
fn keep<T>(slot: &Cell<Option<Error>>, result: Result<T, Error>, otherwise: T) -> T {
    result.unwrap_or_else(|e| {
        slot.set(slot.get().or(Some(e)));
        otherwise
    })
}

fn fused_product(name: &str, plan: &Plan<'_>, steps: &Steps<'_>) -> Result<Kernel, Error> {
    let available = plan.target.gpu().map_or(0, |gpu| gpu.shared_memory_per_block_max);
    let failed = Cell::new(None);
    let (more, numbers) = (steps.operands.len(), steps.parameters.len());
    let kernel = product(name, GemmTile::of(plan), available, more, numbers, |end: &End<'_, '_>| {
        let operands: Vec<_> = steps.operands.iter().enumerate().map(|(k, s)| end.operand(k, *s)).collect();
        keep(&failed, steps.run(Some(end.sum), &operands, end.numbers), end.sum)
    })?;
    failed.take().map_or(Ok(kernel), Err)
}

fn fused_pointwise(name: &str, steps: &Steps<'_>) -> Result<Kernel, Error> {
    let b = Builder::new(name);
    let failed = Cell::new(None);
    {
        let x: Vec<_> = steps.operands.iter().map(|_| b.param::<U64>()).collect();
        let (out, rows, cols) = (b.param::<U64>(), b.param::<U32>(), b.param::<U32>());
        let numbers: Vec<_> = steps.parameters.iter().map(|_| b.param::<F32>().number()).collect();
        let width = b.special(Special::NtidX);
        let start = b.special(Special::CtaidX) * width + b.special(Special::TidX);
        let bounds = [start, rows * cols, b.special(Special::NctaidX) * width];
        b.count::<U32, F32>(bounds, 1, &[], |i, _| {
            let four = b.int::<U32>(4);
            let load = |(x, broadcast): (&Value<'_, U64>, &Broadcast)| {
                let i = b.typed::<U32>(i.id());
                let at = match broadcast {
                    Broadcast::Full => i,
                    Broadcast::Row => i % b.typed::<U32>(cols.id()),
                    Broadcast::Col => i / b.typed::<U32>(cols.id()),
                    Broadcast::One => b.int(0),
                };
                b.load::<F32>(Space::Global, b.typed::<U64>(x.id()) + at.wide(b.typed(four.id())), 0)
            };
            let operands: Vec<_> = x.iter().zip(&steps.operands).map(load).collect();
            let v = keep(&failed, steps.run(None, &operands, &numbers), b.f32(0.0));
            b.store(Space::Global, out + i.wide(four), 0, v);
            Vec::new()
        });
    }
    let kernel = b.finish()?;
    failed.take().map_or(Ok(kernel), Err)
}
