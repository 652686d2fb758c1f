//! The intermediate representation of kernels: SSA values and structured control flow, so that dominance is nesting and
//! every analysis is one walk.

pub use super::ids::{Id, Ids};
use super::types::Type;
use alloc::string::String;
use alloc::vec::Vec;

/// Where memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Seen by all threads; addresses are `U64`.
    Global,
    /// Seen by the threads of a block; addresses are `U32`.
    Shared,
    /// Seen by one thread; addresses are `U32`.
    Local,
    /// Constant tables; addresses are `U64`.
    Const,
}

/// A comparison; with NaN only `Ne` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the textbook names")]
pub enum Cmp {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum Special {
    TidX,
    TidY,
    TidZ,
    NtidX,
    NtidY,
    NtidZ,
    CtaidX,
    CtaidY,
    CtaidZ,
    NctaidX,
    NctaidY,
    NctaidZ,
    LaneId,
    WarpId,
}

/// Instructions that a GPU answers approximately, `f32` only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum Approx {
    Ex2,
    Lg2,
    Rcp,
    Rsqrt,
    Sin,
    Cos,
    Tanh,
}

/// What an atomic does to memory; it gives the old value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum Rmw {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    /// The new value where memory equals the third operand.
    CompareExchange,
}

/// From which lane of its warp a shuffle reads; the second operand is the distance, mask or lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// A vote of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "PTX's own names")]
pub enum Vote {
    All,
    Any,
    /// One bit per lane.
    Ballot,
}

/// A product of a warp, `16 × 8 × k`, accumulated in `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mma {
    /// `f16` inputs, k = 16.
    F16,
    /// `bf16` inputs, k = 16.
    Bf16,
    /// `tf32` inputs, k = 8.
    Tf32,
}

/// The inputs of a product of a warp group, accumulated in `f32`, integers in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// `f16`, k = 16.
    F16,
    /// `bf16`, k = 16.
    Bf16,
    /// `tf32`, k = 8.
    Tf32,
    /// 8-bit floats with four bits of exponent, k = 32.
    E4m3,
    /// Signed bytes, k = 32.
    S8,
}

impl Group {
    /// What it is summed in.
    #[must_use]
    pub const fn sums(self) -> Type {
        match self {
            Self::S8 => Type::U32,
            _ => Type::F32,
        }
    }

    /// Elements along the depth of one product: 32 bytes.
    #[must_use]
    pub const fn depth(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 => 8,
            Self::E4m3 | Self::S8 => 32,
        }
    }
}

/// Instructions of Hopper and later that work on barriers in shared memory, tensor maps and warp groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hopper {
    /// `mbarrier.init` (address, count).
    BarrierInit,
    /// `mbarrier.arrive.expect_tx` (address, bytes).
    BarrierExpect,
    /// `mbarrier.arrive` (address).
    BarrierArrive,
    /// `fence.proxy.async`: tensor loads and warp groups see what the thread wrote before.
    ProxyFence,
    /// `mbarrier.try_wait.parity` (address, parity), gives a predicate.
    BarrierTryWait,
    /// `cp.async.bulk.tensor` (to, tensor map, x, y, barrier); where the map has four dimensions, (to, tensor map, x, y, z, w,
    /// barrier).
    TensorLoad,
    /// `prefetch.tensormap` (tensor map).
    MapPrefetch,
    /// `prefetch.global.L2` (address): the line comes to the second cache, whatever is written to it later.
    Prefetch,
    /// `griddepcontrol.wait`: what kernels before wrote is there. Kernels without it wait where they begin.
    Await,
    /// `setmaxnreg`: more registers per thread, or fewer.
    MaxRegisters {
        /// Whether the number grows.
        more: bool,
        /// The number.
        count: u16,
    },
    /// `wgmma.fence`.
    GroupFence,
    /// `wgmma.commit_group`.
    GroupCommit,
    /// `wgmma.wait_group` until at most this many are pending.
    GroupWait(u8),
    /// `wgmma.mma_async` m64nN of 32 bytes of depth (descriptor of A, descriptor of B, n/2 accumulators: none for zeros).
    GroupMma {
        /// The inputs.
        input: Group,
        /// Columns: a multiple of 8 up to 256.
        n: u16,
        /// Whether A is four registers of two 16-bit elements each, as sums of products lie in them.
        held: bool,
        /// Whether A, or B, of 16 bits, has its depth across its rows, which are of 64 elements.
        across: [bool; 2],
    },
}

/// What an instruction does. The type is that of its first result, else of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// These bits.
    Const(u64),
    /// A parameter of the kernel.
    Param(u32),
    /// A special register.
    Special(Special),
    /// The address of a shared variable.
    Shared(u32),
    /// The address of a local variable.
    Local(u32),
    /// The address of a constant table.
    Table(u32),
    /// `-a`.
    Neg,
    /// `|a|`.
    Abs,
    /// Every bit, or a truth value, flipped.
    Not,
    /// Square root, correctly rounded.
    Sqrt,
    /// An approximate function.
    Approx(Approx),
    /// Bits set.
    Popc,
    /// Leading zeros.
    Clz,
    /// Bits in reverse order.
    Brev,
    /// To another type: to nearest even, towards zero from floats to integers, to the nearest integer of what is out of range. NaN
    /// becomes what `cvt` of PTX makes of it; [`Value::to`](crate::gpu::Value::to) makes it 0.
    Convert,
    /// The same bits as another type.
    Bitcast,
    /// Two `f32` in 16 bits each, to nearest even: the first above the second. The type is that of a 16-bit input.
    Pack(Group),
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a · b`, the low half of integers.
    Mul,
    /// The high half of `a · b`.
    MulHi,
    /// `a · b` of 32-bit integers in 64 bits.
    MulWide,
    /// `a / b`; of integers towards zero, all bits set when `b` is zero.
    Div,
    /// The remainder of integer division; `a` when `b` is zero.
    Rem,
    /// The smaller; the one that is a number, if one is.
    Min,
    /// The larger; the one that is a number, if one is.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// `a << b`; 0 from the width on.
    Shl,
    /// `a >> b`, arithmetic for signed types.
    Shr,
    /// A comparison of the operands.
    Compare(Cmp),
    /// `a · b + c`, rounded once; the low half of integers.
    Fma,
    /// The products of the four signed bytes of `a` and `b` added to `c`.
    Dot4,
    /// `a ? b : c`.
    Select,
    /// Reads one, two or four values at an address plus `offset` bytes.
    Load {
        /// Where.
        space: Space,
        /// Bytes added to the address.
        offset: i32,
    },
    /// Writes one, two or four values (address, values).
    Store {
        /// Where.
        space: Space,
        /// Bytes added to the address.
        offset: i32,
    },
    /// Reads and changes memory at once (address, value).
    Atomic {
        /// Where.
        space: Space,
        /// The change.
        rmw: Rmw,
    },
    /// The value of another lane (value, lane).
    Shuffle(Shuffle),
    /// A vote on a truth value.
    Vote(Vote),
    /// Every thread of the block waits for the others.
    Barrier,
    /// Earlier accesses are seen by the whole device before later ones.
    Fence,
    /// Starts a copy from global to shared memory (to, from) of 4, 8 or 16 bytes.
    CopyAsync {
        /// 4, 8 or 16.
        bytes: u8,
    },
    /// Ends a group of copies.
    CopyCommit,
    /// Waits until at most this many groups are pending.
    CopyWait(u8),
    /// One, two or four 8 × 8 matrices of 16-bit elements from shared memory.
    LdMatrix {
        /// Whether each matrix is transposed.
        transpose: bool,
    },
    /// A product of the warp: A (4, 2 for k = 8 … in registers), B, C.
    Mma(Mma),
    /// An instruction of Hopper and later.
    Hopper(Hopper),
    /// The thread ends.
    Exit,
    /// `a ? block 0 : block 1`; the results are what the block yields.
    If,
    /// `for i in start..end step s` (start, end, step, carried…): block 0 takes `i` and the carried
    /// values and yields the next ones, the last of which are the results.
    For {
        /// How many copies of the body unrolling may make: 1 is none, 0 all.
        unroll: u8,
    },
    /// Block 0 takes the carried values and yields whether to go on, and the next ones; the last of which are the results.
    Repeat,
}

impl Op {
    /// Whether the result depends on the operands alone, so that equal ones can be shared and unused ones dropped.
    pub(crate) const fn is_pure(self) -> bool {
        (self.arity().is_some() && !matches!(self, Self::Load { .. })) || self.is_leaf()
    }

    /// Values that have no operand.
    pub(crate) const fn is_leaf(self) -> bool {
        matches!(
            self,
            Self::Const(_)
                | Self::Param(_)
                | Self::Special(_)
                | Self::Shared(_)
                | Self::Local(_)
                | Self::Table(_)
        )
    }

    /// Operands of arithmetic.
    #[inline]
    pub(crate) const fn arity(self) -> Option<usize> {
        Some(match self {
            Self::Neg
            | Self::Abs
            | Self::Not
            | Self::Sqrt
            | Self::Approx(_)
            | Self::Popc
            | Self::Clz
            | Self::Brev
            | Self::Convert
            | Self::Bitcast => 1,
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::MulHi
            | Self::MulWide
            | Self::Div
            | Self::Rem
            | Self::Min
            | Self::Max
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Shl
            | Self::Shr
            | Self::Compare(_)
            | Self::Pack(_) => 2,
            Self::Fma | Self::Dot4 | Self::Select => 3,
            _ => return None,
        })
    }
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Whether a product and a sum of floats may become one rounding.
    pub contract: bool,
    /// The values that it defines.
    pub dst: Ids,
    /// Its operands.
    pub args: Ids,
    /// The blocks of control flow.
    pub blocks: Vec<Block>,
}

impl Inst {
    pub(crate) fn new(op: Op, dst: Ids, args: Ids) -> Self {
        Self { op, contract: false, dst, args, blocks: Vec::new() }
    }
}

/// Instructions in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Values that control flow hands to the block.
    pub params: Ids,
    /// The instructions.
    pub insts: Vec<Inst>,
    /// Values that the block hands to control flow.
    pub yields: Ids,
}

impl Block {
    pub(crate) const EMPTY: Self = Self { params: Ids::NONE, insts: Vec::new(), yields: Ids::NONE };
}

/// Memory that a kernel declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Size.
    pub bytes: u32,
    /// Alignment, a power of two.
    pub align: u32,
}

/// A table of constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The type of the elements.
    pub ty: Type,
    /// Their bits.
    pub bits: Vec<u64>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Type>,
    /// The type of every value.
    pub types: Vec<Type>,
    /// Shared variables.
    pub shared: Vec<Variable>,
    /// Local variables.
    pub local: Vec<Variable>,
    /// Constant tables.
    pub tables: Vec<Table>,
    /// Threads of a block, where the kernel depends on it.
    pub threads: Option<[u32; 3]>,
    /// Blocks that a multiprocessor is to hold at once: PTX's compiler takes no more registers than leave room for them.
    pub resident: Option<u32>,
    /// Whether it does nothing but write the nearest `bf16` of its first operand to its second.
    pub rounds: bool,
    /// Parameters that point to elements which the kernel itself takes as `bf16`, a bit each.
    pub halves: u64,
    /// What a thread does.
    pub body: Block,
}

impl Kernel {
    #[inline]
    pub(crate) fn ty(&self, id: Id) -> Type {
        self.types.get(id.0 as usize).copied().unwrap_or(Type::B32)
    }

    pub(crate) fn fresh(&mut self, ty: Type) -> Id {
        let id = Id(self.types.len() as u32);
        self.types.push(ty);
        id
    }

    /// Where each shared variable starts, and the size of all.
    pub(crate) fn layout(variables: &[Variable]) -> (Vec<u32>, u32) {
        let mut at = 0u32;
        let starts = variables
            .iter()
            .map(|v| {
                let start = at.checked_next_multiple_of(v.align.max(1)).unwrap_or(u32::MAX);
                at = start.saturating_add(v.bytes);
                start
            })
            .collect();
        (starts, at)
    }

    /// How many instructions there are, those in blocks included.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.weight(|_| 1)
    }

    /// The sum of what each of its instructions weighs.
    pub(crate) fn weight(&self, of: impl Fn(&Op) -> usize) -> usize {
        let (mut n, mut open) = (0, Vec::from([&self.body]));
        while let Some(b) = open.pop() {
            n += b.insts.iter().map(|i| of(&i.op)).sum::<usize>();
            open.extend(b.insts.iter().flat_map(|i| &i.blocks));
        }
        n
    }
}

/// Blocks inside each other that a kernel has at most: what walks over them calls itself.
pub(crate) const DEPTH: usize = 128;

impl Kernel {
    /// Whether blocks are inside each other no deeper than [`DEPTH`].
    pub(crate) fn is_shallow(&self) -> bool {
        fn walk(b: &Block, left: usize) -> bool {
            let inner = |b| left.checked_sub(1).is_some_and(|left| walk(b, left));
            b.insts.iter().flat_map(|i| &i.blocks).all(inner)
        }
        walk(&self.body, DEPTH)
    }

    /// Bytes of shared memory.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        Self::layout(&self.shared).1
    }
}

/// Kernels of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// No kernels.
    #[must_use]
    pub const fn new() -> Self {
        Self { kernels: Vec::new() }
    }
}
