//! The errors of a kernel that is refused while it is built, verified or emitted.

use super::ptx::target::Target;
use core::fmt;

/// Why a kernel was not built, not emitted, or stopped in the interpreter.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The target has no such instruction.
    Lacks {
        /// The target.
        target: Target,
        /// The instruction.
        instruction: &'static str,
        /// The first target that has it; one with the letter `a` has no successors.
        needs: Target,
    },
    /// An operand has a type, or there are operands in a number, that the instruction does not take.
    Operand {
        /// The instruction.
        instruction: &'static str,
    },
    /// A value is used where it is not defined on every path.
    Undefined {
        /// The number of the value.
        value: u32,
    },
    /// A barrier that not every thread of the block reaches: behind an exit, or under a condition or a
    /// loop that differs between threads.
    Barrier {
        /// What keeps a thread from it.
        why: &'static str,
    },
    /// A tile that cannot run.
    Tile {
        /// The rule that is broken.
        rule: &'static str,
    },
    /// A node of a graph that no template runs: its name is no op of its kind.
    Node {
        /// Its place in the graph.
        node: usize,
    },
    /// A node of a graph has more or fewer operands than its op.
    Operands {
        /// Its place in the graph.
        node: usize,
        /// As many as the op takes.
        expected: usize,
        /// As many as the node has.
        got: usize,
    },
    /// A node of a graph has more or fewer parameters than its op.
    Parameters {
        /// Its place in the graph.
        node: usize,
        /// As many as the op takes.
        expected: usize,
        /// As many as the node has.
        got: usize,
    },
    /// A node of a graph has a parameter that its op refuses.
    Domain {
        /// Its place in the graph.
        node: usize,
        /// The parameter's name.
        arg: &'static str,
    },
    /// Shared memory of a block is larger than the target has.
    SharedMemory {
        /// Bytes that the kernel declares.
        needed: u32,
        /// Bytes that a block can have.
        available: u32,
    },
    /// A size does not fit the type that indexes it.
    Overflow {
        /// What is too large.
        what: &'static str,
    },
    /// A name that PTX does not allow.
    Name,
    /// The writer failed.
    Write,
    /// An access outside of what was allocated.
    OutOfBounds {
        /// The space that was accessed.
        space: &'static str,
        /// The address.
        address: u64,
        /// The width of the access in bytes.
        bytes: u32,
        /// The thread, in its block.
        thread: u32,
    },
    /// An address is not a multiple of the width of the access.
    Misaligned {
        /// The space that was accessed.
        space: &'static str,
        /// The address.
        address: u64,
        /// The width of the access in bytes.
        bytes: u32,
    },
    /// Memory was read that nothing had written.
    Uninitialised {
        /// The space that was read.
        space: &'static str,
        /// The address.
        address: u64,
    },
    /// Two threads of a block use the same shared memory, one of them writes, and no barrier orders them.
    Race {
        /// The address in shared memory.
        address: u64,
        /// One thread.
        first: u32,
        /// The other thread.
        second: u32,
    },
    /// A warp's instruction was reached by a part of its lanes.
    Divergent {
        /// The instruction.
        instruction: &'static str,
    },
    /// The arguments of a launch are not those of the kernel.
    Arguments,
    /// The interpreter does not know what this instruction does.
    NotInterpreted {
        /// The instruction.
        instruction: &'static str,
    },
    /// A loop ran for longer than the interpreter waits.
    Endless,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Lacks { target, instruction, needs } => {
                write!(f, "{target} has no `{instruction}`; {needs} has")
            }
            Self::Operand { instruction } => write!(f, "`{instruction}` does not take these operands"),
            Self::Undefined { value } => write!(f, "value {value} is not defined on every path to its use"),
            Self::Barrier { why } => write!(f, "not every thread reaches a barrier: {why}"),
            Self::Tile { rule } => write!(f, "the tile breaks a rule: {rule}"),
            Self::Node { node } => write!(f, "node {node} is no op that a template runs"),
            Self::Operands { node, expected, got } => {
                write!(f, "node {node} takes {expected} operands, it has {got}")
            }
            Self::Parameters { node, expected, got } => {
                write!(f, "node {node} takes {expected} parameters, it has {got}")
            }
            Self::Domain { node, arg } => write!(f, "node {node} does not take this value of `{arg}`"),
            Self::SharedMemory { needed, available } => {
                write!(f, "{needed} bytes of shared memory, a block has {available}")
            }
            Self::Overflow { what } => write!(f, "{what} does not fit its type"),
            Self::Name => write!(f, "a name starts with a letter and goes on with letters, digits and `_`"),
            Self::Write => write!(f, "the writer failed"),
            Self::OutOfBounds { space, address, bytes, thread } => {
                write!(f, "thread {thread}: {bytes} bytes at {space} address {address:#x} are out of bounds")
            }
            Self::Misaligned { space, address, bytes } => {
                write!(f, "{space} address {address:#x} is not a multiple of {bytes}")
            }
            Self::Uninitialised { space, address } => {
                write!(f, "{space} address {address:#x} is read before it is written")
            }
            Self::Race { address, first, second } => {
                write!(f, "threads {first} and {second} race at shared address {address:#x}")
            }
            Self::Divergent { instruction } => write!(f, "`{instruction}` was reached by a part of a warp"),
            Self::Arguments => write!(f, "the arguments are not those of the kernel"),
            Self::NotInterpreted { instruction } => write!(f, "the interpreter has no `{instruction}`"),
            Self::Endless => write!(f, "a loop did not end"),
        }
    }
}

impl core::error::Error for Error {}

impl From<fmt::Error> for Error {
    fn from(_: fmt::Error) -> Self {
        Self::Write
    }
}
