//! The errors of planning: no tile fits, a chain cannot be fused, or a line of the facts is malformed.

use core::fmt;

/// Why a tile, a chain or a plan was refused.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanError {
    /// A size does not fit the integers, here or those that a kernel indexes with.
    Overflow {
        /// What is too large.
        arg: &'static str,
    },
    /// A size is zero, or no multiple of what it has to be a multiple of.
    Domain {
        /// The size.
        arg: &'static str,
    },
    /// A tile or a launch needs more than the target has.
    DoesNotFit {
        /// Of what.
        limit: Limit,
        /// How much is needed.
        needed: u64,
        /// How much there is.
        available: u64,
    },
    /// No tile fits the target.
    NoTile {
        /// What none of them fits.
        limit: Limit,
    },
    /// What was asked of this target is a question about the other kind of machine.
    WrongDevice {
        /// The kind that the question is about.
        expected: &'static str,
    },
    /// The target's language has no such type.
    Unsupported {
        /// The type.
        what: &'static str,
    },
    /// More nodes than a graph may have.
    TooManyNodes {
        /// The most.
        most: usize,
    },
    /// A node's input is no node of the graph.
    UnknownInput {
        /// The node.
        node: usize,
        /// The input.
        input: usize,
    },
    /// A node depends on itself.
    Cycle {
        /// A node of the cycle, or one that waits for it.
        node: usize,
    },
    /// A node has more or fewer inputs than its kind takes.
    Inputs {
        /// The node.
        node: usize,
    },
    /// The shapes of a node and of its inputs do not go together.
    Shapes {
        /// The node.
        node: usize,
    },
    /// The buffer for the chains is too short.
    Capacity {
        /// Chains needed.
        needed: usize,
        /// Chains it holds.
        got: usize,
    },
    /// A value inside the chain has readers outside it, so it cannot stay in registers.
    SeveralConsumers {
        /// The node that makes the value.
        node: usize,
    },
    /// The node cannot follow the one before it in a chain.
    NotFusible {
        /// The node.
        node: usize,
    },
}

/// What a target has a limited amount of.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Threads of a block or of an SM.
    Threads,
    /// Blocks of an SM.
    Blocks,
    /// Shared memory.
    SharedMemory,
    /// Registers.
    Registers,
    /// The shapes of the tensor cores.
    TensorCores,
    /// Blocks of a grid.
    Grid,
    /// Nothing that the facts tell.
    Unknown,
}

impl Limit {
    const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Blocks => "blocks",
            Self::SharedMemory => "shared memory",
            Self::Registers => "registers",
            Self::TensorCores => "tensor cores",
            Self::Grid => "the grid",
            Self::Unknown => "no known fact",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Overflow { arg } => write!(f, "the size of `{arg}` overflows"),
            Self::Domain { arg } => write!(f, "`{arg}` is zero or no multiple of what it has to be one of"),
            Self::DoesNotFit { limit, needed, available } => {
                write!(f, "the tile does not fit: {limit}, {needed} needed, {available} available")
            }
            Self::NoTile { limit } => write!(f, "no tile fits the target: {limit}"),
            Self::WrongDevice { expected } => write!(f, "the target is not a {expected}"),
            Self::Unsupported { what } => write!(f, "the target's language has no `{what}`"),
            Self::TooManyNodes { most } => write!(f, "the graph has more than {most} nodes"),
            Self::UnknownInput { node, input } => {
                write!(f, "node {node} reads node {input}, which does not exist")
            }
            Self::Cycle { node } => write!(f, "node {node} depends on itself"),
            Self::Inputs { node } => write!(f, "node {node} has the wrong number of inputs"),
            Self::Shapes { node } => write!(f, "the shapes of node {node} and its inputs do not go together"),
            Self::Capacity { needed, got } => {
                write!(f, "there is room for {got} chains, {needed} are needed")
            }
            Self::SeveralConsumers { node } => {
                write!(f, "the value of node {node} is read outside the chain too")
            }
            Self::NotFusible { node } => write!(f, "node {node} cannot follow the one before it in a chain"),
        }
    }
}

impl core::error::Error for PlanError {}

/// What is wrong with a text of facts, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactError {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong there.
    pub kind: FactErrorKind,
}

/// What can be wrong with a fact.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactErrorKind {
    /// Not a fact of the form `name(target, value).`
    Syntax,
    /// No predicate of this name.
    UnknownPredicate,
    /// The target has no `hardware_target` above.
    UnknownTarget,
    /// The value is of another kind, is zero, or does not fit.
    Value,
    /// The same fact twice.
    Duplicate,
    /// The target lacks a fact that every target of its kind needs.
    Missing(&'static str),
    /// The fact contradicts another of the same target.
    Contradiction(&'static str),
    /// More targets, or more shapes of a target, than there is room for.
    Capacity,
}

impl FactErrorKind {
    /// In words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Syntax => "expected `name(target, value).`",
            Self::UnknownPredicate => "unknown predicate",
            Self::UnknownTarget => "no hardware_target fact above names this target",
            Self::Value => "the value is of another kind, is zero, or does not fit",
            Self::Duplicate => "the fact is given twice",
            Self::Missing(_) => "the target lacks the fact ",
            Self::Contradiction(_) => "the target's facts contradict ",
            Self::Capacity => "more targets or shapes than there is room for",
        }
    }
    /// The predicate that the message is about.
    #[must_use]
    pub const fn predicate(self) -> &'static str {
        match self {
            Self::Missing(p) | Self::Contradiction(p) => p,
            _ => "",
        }
    }
}

impl core::fmt::Display for FactError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "line {}: {}{}", self.line, self.kind.message(), self.kind.predicate())
    }
}

impl core::error::Error for FactError {}
