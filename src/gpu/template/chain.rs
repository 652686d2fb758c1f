//! A fused chain of pointwise ops: which op of the graph reads which operands or earlier results, and the order of the
//! evaluation.

use super::super::builder::Value;
use super::super::error::Error;
use super::super::record::Param;
use super::super::types::F32;
use super::pointwise::{apply, check, takes};
use crate::hardware::{Kind, Node, Plan};
use alloc::vec::Vec;

/// How an operand spreads over rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broadcast {
    /// One element for all.
    One,
    /// One element per column, such as a bias.
    Row,
    /// One element per row.
    Col,
    /// A matrix of the result's shape, such as a residual.
    Full,
}

/// What a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// What the step before made.
    Before,
    /// An operand of the chain.
    Operand(usize),
}

/// One op of a chain.
#[derive(Debug, Clone)]
struct Step<'a> {
    node: usize,
    name: &'a str,
    reads: Vec<From>,
    /// How many parameters it takes of those of the chain, which are in the order of the steps.
    parameters: usize,
}

/// The pointwise ops of a chain, in order, and what they read: from memory, and as arguments of the kernel.
#[derive(Debug, Clone)]
pub(crate) struct Steps<'a> {
    steps: Vec<Step<'a>>,
    pub(crate) operands: Vec<Broadcast>,
    pub(crate) parameters: Vec<f64>,
}

impl<'a> Steps<'a> {
    /// The steps of `nodes`, the first of which reads what `before` made, if there is such a node.
    pub(crate) fn new(graph: &[Node<'a>], nodes: &[usize], mut before: Option<usize>) -> Result<Self, Error> {
        let mut found = Self { steps: Vec::new(), operands: Vec::new(), parameters: Vec::new() };
        let mut known: Vec<usize> = Vec::new();
        for &at in nodes {
            let node = graph.get(at).ok_or(Error::Node { node: at })?;
            if node.kind != Kind::Pointwise {
                return Err(Error::Node { node: at });
            }
            let takes = takes(node.name).ok_or(Error::Node { node: at })?;
            operands(at, takes.operands, node.inputs.len())?;
            parameters(at, takes.parameters, node)?;
            let values: Vec<f32> = node.parameters.iter().map(|p| *p as f32).collect();
            check(node.name, &values).map_err(|e| refused(at, e))?;
            let mut reads = Vec::new();
            for &input in node.inputs {
                if Some(input) == before {
                    reads.push(From::Before);
                    continue;
                }
                let [rows, cols] = graph.get(input).ok_or(Error::Node { node: at })?.shape;
                let broadcast = match (rows == node.shape[0], cols == node.shape[1]) {
                    (true, true) => Broadcast::Full,
                    (false, true) => Broadcast::Row,
                    (true, false) => Broadcast::Col,
                    (false, false) => Broadcast::One,
                };
                let place = known.iter().position(|k| *k == input).unwrap_or_else(|| {
                    known.push(input);
                    found.operands.push(broadcast);
                    known.len() - 1
                });
                reads.push(From::Operand(place));
            }
            found.steps.push(Step { node: at, name: node.name, reads, parameters: takes.parameters });
            found.parameters.extend(node.parameters);
            before = Some(at);
        }
        Ok(found)
    }

    /// The value after all steps.
    pub(crate) fn run<'b>(
        &self,
        mut value: Option<Value<'b, F32>>,
        operands: &[Value<'b, F32>],
        mut parameters: &[Param<F32>],
    ) -> Result<Value<'b, F32>, Error> {
        for step in &self.steps {
            let read = |from: &From| match *from {
                From::Before => value,
                From::Operand(k) => operands.get(k).copied(),
            };
            let x: Option<Vec<_>> = step.reads.iter().map(read).collect();
            let (own, rest) = parameters.split_at_checked(step.parameters).ok_or(Error::Arguments)?;
            parameters = rest;
            value = x.and_then(|x| apply(step.name, &x, own));
            if value.is_none() {
                return Err(Error::Node { node: step.node });
            }
        }
        value.ok_or(Error::Arguments)
    }
}

/// Refuses a node whose op takes another number of operands.
pub(crate) fn operands(node: usize, expected: usize, got: usize) -> Result<(), Error> {
    if expected == got { Ok(()) } else { Err(Error::Operands { node, expected, got }) }
}

/// Refuses a node whose op takes another number of parameters.
pub(crate) fn parameters(node: usize, expected: usize, of: &Node<'_>) -> Result<(), Error> {
    let got = of.parameters.len();
    if expected == got { Ok(()) } else { Err(Error::Parameters { node, expected, got }) }
}

/// What an op's own check says, of a node.
pub(crate) fn refused(node: usize, e: crate::Error) -> Error {
    match e {
        crate::Error::Domain { arg, .. } => Error::Domain { node, arg },
        _ => Error::Node { node },
    }
}

/// The node at the root of a plan that is no pointwise op, if it has the operands and parameters of its op.
pub(crate) fn single(graph: &[Node<'_>], at: usize) -> Result<(), Error> {
    let node = graph.get(at).ok_or(Error::Node { node: at })?;
    let (inputs, numbers) = match node.kind {
        Kind::Norm => {
            let takes = super::row::takes(node.name).ok_or(Error::Node { node: at })?;
            if let [eps] = node.parameters {
                crate::alu::not_negative("eps", *eps).map_err(|e| refused(at, e))?;
            }
            (takes.operands, takes.parameters)
        }
        Kind::Reduce => (super::reduce::inputs(node.name).ok_or(Error::Node { node: at })?, 0),
        // The product itself: α and β are ops of the chain behind it.
        Kind::Contraction if node.name == "gemm" => (2, 0),
        _ => return Err(Error::Node { node: at }),
    };
    operands(at, inputs, node.inputs.len())?;
    parameters(at, numbers, node)
}

/// The longest a size may be: what a kernel counts with has room for a tile or a step more.
const LONGEST: u32 = 1 << 31;

/// Refuses sizes that the counters of kernels do not reach.
pub(crate) fn countable(plan: &Plan<'_>) -> Result<(), Error> {
    let [m, n, k] = plan.size;
    for (size, what) in [(m, "rows"), (n, "columns"), (k, "inner dimension")] {
        if size > LONGEST {
            return Err(Error::Overflow { what });
        }
    }
    Ok(())
}

/// Refuses more elements than the counter of a kernel reaches.
pub(crate) fn elements(plan: &Plan<'_>) -> Result<(), Error> {
    let [m, n, _] = plan.size;
    if u64::from(m) * u64::from(n) > u64::from(LONGEST) {
        return Err(Error::Overflow { what: "number of elements" });
    }
    Ok(())
}
