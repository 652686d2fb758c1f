//! Builds a kernel in SSA form from Rust: a [`Value`] knows its type at compile time and has the operators.

use super::error::Error;
use super::ir::{
    Approx, Block, Cmp, Group, Hopper, Id, Ids, Inst, Kernel, Mma, Op, Rmw, Shuffle, Space, Special, Table,
    Variable, Vote,
};
use super::types::*;
use super::verify;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::marker::PhantomData;

mod value;

pub use value::Bitwise;

/// A kernel that is being written.
#[derive(Debug)]
pub struct Builder {
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    kernel: Kernel,
    // Open blocks inside the kernel's own, the innermost last.
    open: Vec<Block>,
    contract: bool,
}

/// A value of type `T`, written once by a kernel.
#[derive(Debug)]
pub struct Value<'b, T> {
    builder: &'b Builder,
    id: Id,
    ty: PhantomData<T>,
}

impl<T> Clone for Value<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Value<'_, T> {}

impl State {
    fn innermost(&mut self) -> &mut Block {
        self.open.last_mut().unwrap_or(&mut self.kernel.body)
    }
}

impl Builder {
    /// A kernel without parameters.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let kernel = Kernel {
            name: String::from(name),
            params: Vec::new(),
            types: Vec::new(),
            shared: Vec::new(),
            local: Vec::new(),
            tables: Vec::new(),
            threads: None,
            resident: None,
            rounds: false,
            halves: 0,
            body: Block::EMPTY,
        };
        Self { state: RefCell::new(State { kernel, open: Vec::new(), contract: false }) }
    }

    /// States the shape of a block; a launch with another is refused.
    pub fn threads(&self, threads: [u32; 3]) {
        self.state.borrow_mut().kernel.threads = Some(threads);
    }

    /// States how many blocks a multiprocessor is to hold at once; see [`Kernel::resident`].
    pub fn resident(&self, blocks: u32) {
        self.state.borrow_mut().kernel.resident = Some(blocks);
    }

    /// States that the kernel does nothing but round; see [`Kernel::rounds`].
    pub fn rounds(&self) {
        self.state.borrow_mut().kernel.rounds = true;
    }

    /// States which parameters point to `bf16`; see [`Kernel::halves`].
    pub(crate) fn halves(&self, parameters: u64) {
        self.state.borrow_mut().kernel.halves = parameters;
    }

    /// From here on a product and a sum may be rounded once (`true`) or not.
    pub fn contract(&self, allowed: bool) {
        self.state.borrow_mut().contract = allowed;
    }

    /// The kernel; refused when a value is used where it is not defined or a barrier is not reached by all threads.
    pub fn finish(self) -> Result<Kernel, Error> {
        let kernel = self.state.into_inner().kernel;
        verify::kernel(&kernel)?;
        Ok(kernel)
    }

    // The bodies of kernels call these functions in thousands of places: inlined there, they were half of the library's code.
    #[inline(never)]
    pub(crate) fn emit(&self, op: Op, types: &[Type], args: &[Id]) -> Ids {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let dst: Ids = types.iter().map(|ty| state.kernel.fresh(*ty)).collect();
        let mut inst = Inst::new(op, dst.clone(), args.into());
        inst.contract = state.contract && matches!(op, Op::Add | Op::Sub | Op::Mul);
        state.innermost().insts.push(inst);
        dst
    }

    fn value<T: Scalar>(&self, id: Id) -> Value<'_, T> {
        Value { builder: self, id, ty: PhantomData }
    }

    fn one<T: Scalar>(&self, op: Op, args: &[Id]) -> Value<'_, T> {
        self.value(self.single(op, T::TYPE, args))
    }

    #[inline(never)]
    fn single(&self, op: Op, ty: Type, args: &[Id]) -> Id {
        self.emit(op, &[ty], args).at(0)
    }

    fn many<T: Scalar, const N: usize>(&self, op: Op, args: &[Id]) -> [Value<'_, T>; N] {
        self.array(&self.emit(op, &[T::TYPE; N], args))
    }

    /// A parameter; a pointer to global memory is a `U64`.
    pub fn param<T: Stored>(&self) -> Value<'_, T> {
        let k = {
            let params = &mut self.state.borrow_mut().kernel.params;
            params.push(T::TYPE);
            params.len() as u32 - 1
        };
        self.one(Op::Param(k), &[])
    }

    /// Parameters of one type, one after the other.
    pub fn params<T: Stored, const N: usize>(&self) -> [Value<'_, T>; N] {
        core::array::from_fn(|_| self.param())
    }

    /// The constant with these bits.
    #[inline(never)]
    pub fn bits<T: Scalar>(&self, bits: u64) -> Value<'_, T> {
        self.one(Op::Const(bits & T::TYPE.mask()), &[])
    }

    /// An integer constant.
    pub fn int<T: Integer>(&self, c: i64) -> Value<'_, T> {
        self.bits(c as u64)
    }

    /// A constant.
    pub fn f32(&self, c: f32) -> Value<'_, F32> {
        self.bits(u64::from(c.to_bits()))
    }

    /// A constant.
    pub fn f64(&self, c: f64) -> Value<'_, F64> {
        self.bits(c.to_bits())
    }

    /// A special register.
    pub fn special(&self, s: Special) -> Value<'_, U32> {
        self.one(Op::Special(s), &[])
    }

    /// The address of a new shared variable.
    pub fn shared(&self, bytes: u32, align: u32) -> Value<'_, U32> {
        let k = declare(&mut self.state.borrow_mut().kernel.shared, Variable { bytes, align });
        self.one(Op::Shared(k), &[])
    }

    /// The address of a new local variable.
    pub fn local(&self, bytes: u32, align: u32) -> Value<'_, U32> {
        let k = declare(&mut self.state.borrow_mut().kernel.local, Variable { bytes, align });
        self.one(Op::Local(k), &[])
    }

    /// The address of a table of constants; equal tables are one.
    pub fn table(&self, ty: Type, bits: Vec<u64>) -> Value<'_, U64> {
        let k = {
            let tables = &mut self.state.borrow_mut().kernel.tables;
            let table = Table { ty, bits };
            let known = tables.iter().position(|t| *t == table);
            known.unwrap_or_else(|| {
                tables.push(table);
                tables.len() - 1
            })
        };
        self.one(Op::Table(k as u32), &[])
    }

    /// Reads a value at an address plus `offset` bytes.
    pub fn load<'b, T: Stored>(
        &'b self,
        space: Space,
        at: impl Into<Address<'b>>,
        offset: i32,
    ) -> Value<'b, T> {
        self.one(Op::Load { space, offset }, &[at.into().0])
    }

    /// Reads two or four neighbours at once; the address is a multiple of their size.
    pub fn load_vector<'b, T: Stored, const N: usize>(
        &'b self,
        space: Space,
        at: impl Into<Address<'b>>,
        offset: i32,
    ) -> [Value<'b, T>; N] {
        self.many(Op::Load { space, offset }, &[at.into().0])
    }

    /// Writes a value at an address plus `offset` bytes.
    pub fn store<'b, T: Stored>(
        &'b self,
        space: Space,
        at: impl Into<Address<'b>>,
        offset: i32,
        v: Value<'b, T>,
    ) {
        self.emit(Op::Store { space, offset }, &[], &[at.into().0, v.id]);
    }

    /// Writes two or four neighbours at once.
    pub fn store_vector<'b, T: Stored, const N: usize>(
        &'b self,
        space: Space,
        at: impl Into<Address<'b>>,
        offset: i32,
        v: [Value<'b, T>; N],
    ) {
        let args: Ids = core::iter::once(at.into().0).chain(v.map(|v| v.id)).collect();
        self.emit(Op::Store { space, offset }, &[], &args);
    }

    /// Changes memory, and gives what was there.
    pub fn atomic<'b, T: Stored>(
        &'b self,
        space: Space,
        rmw: Rmw,
        at: impl Into<Address<'b>>,
        v: Value<'b, T>,
    ) -> Value<'b, T> {
        self.one(Op::Atomic { space, rmw }, &[at.into().0, v.id])
    }

    /// `new` where memory equals `old`; gives what was there.
    pub fn compare_exchange<'b, T: Stored>(
        &'b self,
        space: Space,
        at: impl Into<Address<'b>>,
        old: Value<'b, T>,
        new: Value<'b, T>,
    ) -> Value<'b, T> {
        self.one(Op::Atomic { space, rmw: Rmw::CompareExchange }, &[at.into().0, new.id, old.id])
    }

    /// Every thread of the block waits for the others.
    pub fn barrier(&self) {
        self.emit(Op::Barrier, &[], &[]);
    }

    /// Earlier accesses are seen by the whole device before later ones.
    pub fn fence(&self) {
        self.emit(Op::Fence, &[], &[]);
    }

    /// The thread ends.
    pub fn exit(&self) {
        self.emit(Op::Exit, &[], &[]);
    }

    /// Starts a copy of 4, 8 or 16 bytes to shared memory.
    pub fn copy_async(&self, to: Value<'_, U32>, from: Value<'_, U64>, bytes: u8) {
        self.emit(Op::CopyAsync { bytes }, &[], &[to.id, from.id]);
    }

    /// Ends a group of copies.
    pub fn copy_commit(&self) {
        self.emit(Op::CopyCommit, &[], &[]);
    }

    /// Waits until at most `pending` groups are under way.
    pub fn copy_wait(&self, pending: u8) {
        self.emit(Op::CopyWait(pending), &[], &[]);
    }

    /// `N` (one, two or four) 8 × 8 matrices of 16-bit elements; lane `8k + r` names row `r` of matrix `k`.
    pub fn ldmatrix<const N: usize>(&self, at: Value<'_, U32>, transpose: bool) -> [Value<'_, B32>; N] {
        self.many(Op::LdMatrix { transpose }, &[at.id])
    }

    /// `A · B + C` of the warp.
    pub fn mma<'b>(
        &'b self,
        kind: Mma,
        a: [Value<'b, B32>; 4],
        b: [Value<'b, B32>; 2],
        c: [Value<'b, F32>; 4],
    ) -> [Value<'b, F32>; 4] {
        let args: Ids =
            a.iter().map(|v| v.id).chain(b.iter().map(|v| v.id)).chain(c.iter().map(|v| v.id)).collect();
        self.many(Op::Mma(kind), &args)
    }

    /// Two numbers in 16 bits each, to nearest even, the first in the low half; `of` is a type of 16 bits.
    pub fn pack<'b>(&'b self, of: Group, low: Value<'b, F32>, high: Value<'b, F32>) -> Value<'b, B32> {
        self.one(Op::Pack(of), &[high.id, low.id])
    }

    /// An instruction of Hopper and later that has no result.
    pub fn hopper<'b>(&'b self, op: Hopper, args: &[Address<'b>]) {
        let args: Ids = args.iter().map(|a| a.0).collect();
        self.emit(Op::Hopper(op), &[], &args);
    }

    /// Whether the phase of a barrier in shared memory is over.
    pub fn try_wait<'b>(&'b self, at: Value<'b, U32>, parity: Value<'b, U32>) -> Value<'b, Pred> {
        self.one(Op::Hopper(Hopper::BarrierTryWait), &[at.id, parity.id])
    }

    /// `A · B + C` of a warp group, operands in shared memory by their descriptors, with the depth along their rows or
    /// `across` them; `A · B` without any of C.
    pub fn wgmma<'b, T: Scalar>(
        &'b self,
        input: Group,
        n: u16,
        [a, b]: [Value<'b, U64>; 2],
        across: [bool; 2],
        c: &[Value<'b, T>],
    ) -> Vec<Value<'b, T>> {
        self.group(Hopper::GroupMma { input, n, held: false, across }, &[a.id, b.id], c)
    }

    /// As [`Builder::wgmma`], with 16 columns of A in registers, as sums lie in them, and B with its depth across its rows.
    pub fn wgmma_held<'b>(
        &'b self,
        input: Group,
        n: u16,
        a: [Value<'b, B32>; 4],
        b: Value<'b, U64>,
        c: &[Value<'b, F32>],
    ) -> Vec<Value<'b, F32>> {
        let [w, x, y, z] = a.map(|v| v.id);
        self.group(Hopper::GroupMma { input, n, held: true, across: [false, true] }, &[w, x, y, z, b.id], c)
    }

    fn group<'b, T: Scalar>(&'b self, op: Hopper, operands: &[Id], c: &[Value<'b, T>]) -> Vec<Value<'b, T>> {
        let Hopper::GroupMma { n, .. } = op else { return Vec::new() };
        let args: Ids = operands.iter().copied().chain(c.iter().map(|v| v.id)).collect();
        let types: Vec<Type> = (0..n / 2).map(|_| T::TYPE).collect();
        self.emit(Op::Hopper(op), &types, &args).iter().map(|id| self.value(*id)).collect()
    }

    // What a block's closure is called between: a caller has many of them, and each would be a copy of this.
    /// Opens a block with these parameters.
    fn open(&self, params: &[Type]) -> Ids {
        let mut state = self.state.borrow_mut();
        let state = &mut *state;
        let ids: Ids = params.iter().map(|ty| state.kernel.fresh(*ty)).collect();
        state.open.push(Block { params: ids.clone(), ..Block::EMPTY });
        ids
    }

    /// Closes the innermost block.
    fn close(&self, yields: Ids) -> Block {
        let mut block = self.state.borrow_mut().open.pop().unwrap_or(Block::EMPTY);
        block.yields = yields;
        block
    }

    fn values<T: Scalar>(&self, ids: &[Id]) -> Vec<Value<'_, T>> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    fn array<T: Scalar, const N: usize>(&self, ids: &[Id]) -> [Value<'_, T>; N] {
        core::array::from_fn(|k| self.value(ids.get(k).copied().unwrap_or(Id(0))))
    }

    fn control(&self, op: Op, types: &[Type], args: &[Id], blocks: Vec<Block>) -> Ids {
        let dst = self.emit(op, types, args);
        if let Some(inst) = self.state.borrow_mut().innermost().insts.last_mut() {
            inst.blocks = blocks;
        }
        dst
    }

    /// Does `then` in threads where `p` holds.
    pub fn when<'b>(&'b self, p: Value<'b, Pred>, then: impl FnOnce()) {
        self.open(&[]);
        then();
        let then = self.close(Ids::NONE);
        self.control(Op::If, &[], &[p.id], Vec::from([then, Block::EMPTY]));
    }

    /// `p ? then() : other()`, each only where it is needed.
    pub fn either<'b, T: Scalar, const N: usize>(
        &'b self,
        p: Value<'b, Pred>,
        then: impl FnOnce() -> [Value<'b, T>; N],
        other: impl FnOnce() -> [Value<'b, T>; N],
    ) -> [Value<'b, T>; N] {
        self.open(&[]);
        let then = self.closed(&then());
        self.open(&[]);
        let other = self.closed(&other());
        self.array(&self.chosen::<T>(N, p, [then, other]))
    }

    /// These values; where `p` holds, those of `then`, which are as many.
    pub fn unless<'b, T: Scalar>(
        &'b self,
        values: &[Value<'b, T>],
        p: Value<'b, Pred>,
        then: impl FnOnce() -> Vec<Value<'b, T>>,
    ) -> Vec<Value<'b, T>> {
        self.open(&[]);
        let then = self.closed(&then());
        self.open(&[]);
        let other = self.closed(values);
        self.values(&self.chosen::<T>(values.len(), p, [then, other]))
    }

    /// Closes a block that gives these; here and in what follows nothing depends on a caller's closure, so that it is
    /// compiled once for a type.
    fn closed<T: Scalar>(&self, values: &[Value<'_, T>]) -> Block {
        self.close(ids(values))
    }

    fn chosen<T: Scalar>(&self, n: usize, p: Value<'_, Pred>, blocks: [Block; 2]) -> Ids {
        self.control(Op::If, &alloc::vec![T::TYPE; n], &[p.id], Vec::from(blocks))
    }

    /// `for i in start..end` by `step`, with values carried from turn to turn; gives the last ones. Unrolling
    /// makes up to `unroll` copies of the body: 1 is none, 0 as many as there are turns.
    pub fn count<'b, I: Integer, T: Scalar>(
        &'b self,
        [start, end, step]: [Value<'b, I>; 3],
        unroll: u8,
        init: &[Value<'b, T>],
        body: impl FnOnce(Value<'b, I>, &[Value<'b, T>]) -> Vec<Value<'b, T>>,
    ) -> Vec<Value<'b, T>> {
        let (turn, carried) = self.open_turns(start, init);
        let next = body(turn, &carried);
        self.close_turns(unroll, [start, end, step], init, &next)
    }

    /// Opens the block of a loop that counts, and carries values.
    fn open_turns<'b, I: Integer, T: Scalar>(
        &'b self,
        start: Value<'b, I>,
        init: &[Value<'b, T>],
    ) -> (Value<'b, I>, Vec<Value<'b, T>>) {
        let types: Vec<Type> = core::iter::once(I::TYPE).chain(init.iter().map(|_| T::TYPE)).collect();
        let params = self.open(&types);
        let (turn, carried) = params.split_first().unwrap_or((&start.id, &[]));
        (self.value(*turn), self.values(carried))
    }

    /// Closes that block; what the loop gives.
    fn close_turns<'b, I: Integer, T: Scalar>(
        &'b self,
        unroll: u8,
        range: [Value<'b, I>; 3],
        init: &[Value<'b, T>],
        next: &[Value<'b, T>],
    ) -> Vec<Value<'b, T>> {
        let block = self.closed(next);
        let args: Ids = range.iter().map(|v| v.id).chain(init.iter().map(|v| v.id)).collect();
        let types: Vec<Type> = init.iter().map(|_| T::TYPE).collect();
        self.values(&self.control(Op::For { unroll }, &types, &args, Vec::from([block])))
    }

    /// Repeats `body` while it gives true; at least once.
    pub fn repeat<'b, T: Scalar, const N: usize>(
        &'b self,
        init: [Value<'b, T>; N],
        body: impl FnOnce([Value<'b, T>; N]) -> (Value<'b, Pred>, [Value<'b, T>; N]),
    ) -> [Value<'b, T>; N] {
        let (again, next) = body(self.array(&self.open(&[T::TYPE; N])));
        let block = self.close(core::iter::once(again.id).chain(next.iter().map(|v| v.id)).collect());
        self.array(&self.control(Op::Repeat, &[T::TYPE; N], &ids(&init), Vec::from([block])))
    }
}

fn ids<T>(values: &[Value<'_, T>]) -> Ids {
    values.iter().map(|v| v.id).collect()
}

fn declare(list: &mut Vec<Variable>, v: Variable) -> u32 {
    list.push(v);
    list.len() as u32 - 1
}

/// An operand whose type the instruction checks itself: an address, or an operand of [`Builder::hopper`].
#[derive(Debug, Clone, Copy)]
pub struct Address<'b>(Id, PhantomData<&'b Builder>);

impl<'b> From<Value<'b, U32>> for Address<'b> {
    fn from(v: Value<'b, U32>) -> Self {
        Self(v.id, PhantomData)
    }
}
impl<'b> From<Value<'b, U64>> for Address<'b> {
    fn from(v: Value<'b, U64>) -> Self {
        Self(v.id, PhantomData)
    }
}
