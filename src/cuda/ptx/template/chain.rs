//! A chain of ops by their names: which bodies run on which operands.

use super::super::builder::Value;
use super::super::error::Error;
use super::OfRow;
use crate::hardware::{Kind, Node, Plan};
use alloc::vec::Vec;

/// How an operand spreads over rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
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

/// The pointwise ops of a chain, in order, and what they read from memory.
#[derive(Debug, Clone)]
pub(crate) struct Steps<'a> {
    steps: Vec<(usize, &'a str, Vec<From>)>,
    pub(crate) operands: Vec<Spread>,
}

impl<'a> Steps<'a> {
    /// The steps of `nodes`, the first of which reads what `before` made, if there is such a node.
    pub(crate) fn new(graph: &[Node<'a>], nodes: &[usize], mut before: Option<usize>) -> Result<Self, Error> {
        let mut found = Self { steps: Vec::new(), operands: Vec::new() };
        let mut known: Vec<usize> = Vec::new();
        for &at in nodes {
            let node = graph.get(at).ok_or(Error::Node { node: at })?;
            if node.kind != Kind::Pointwise {
                return Err(Error::Node { node: at });
            }
            let mut reads = Vec::new();
            for &input in node.inputs {
                if Some(input) == before {
                    reads.push(From::Before);
                    continue;
                }
                let [rows, cols] = graph.get(input).ok_or(Error::Node { node: at })?.shape;
                let spread = match (rows == node.shape[0], cols == node.shape[1]) {
                    (true, true) => Spread::Full,
                    (false, true) => Spread::Row,
                    (true, false) => Spread::Col,
                    (false, false) => Spread::One,
                };
                let place = known.iter().position(|k| *k == input).unwrap_or_else(|| {
                    known.push(input);
                    found.operands.push(spread);
                    known.len() - 1
                });
                reads.push(From::Operand(place));
            }
            found.steps.push((at, node.name, reads));
            before = Some(at);
        }
        Ok(found)
    }

    /// The value after all steps.
    pub(crate) fn run<'b, T: OfRow>(
        &self,
        mut value: Option<Value<'b, T>>,
        operands: &[Value<'b, T>],
    ) -> Result<Value<'b, T>, Error> {
        for (at, name, reads) in &self.steps {
            let read = |from: &From| match *from {
                From::Before => value,
                From::Operand(k) => operands.get(k).copied(),
            };
            let x: Option<Vec<_>> = reads.iter().map(read).collect();
            value = x.and_then(|x| T::apply(name, &x));
            if value.is_none() {
                return Err(Error::Node { node: *at });
            }
        }
        value.ok_or(Error::Arguments)
    }
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
