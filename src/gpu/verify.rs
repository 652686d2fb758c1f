//! Verifies a kernel before anything else uses it: every value is defined, and types agree.

use super::error::Error;
use super::ir::{Block, Hopper, Id, Inst, Kernel, Mma, Op, Rmw, Space};
use super::name::name;
use super::pass::barrier;
use super::types::{Sort, Type};
use alloc::vec;
use alloc::vec::Vec;

/// Checks names, definitions, types and barriers.
pub(crate) fn kernel(k: &Kernel) -> Result<(), Error> {
    let mut letters = k.name.chars();
    let head = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    if !head || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(Error::Name);
    }
    if !k.is_shallow() {
        return Err(Error::Overflow { what: "the depth of nested blocks" });
    }
    let mut scope = Scope { k, defined: vec![false; k.types.len()], log: Vec::new() };
    scope.block(&k.body)?;
    barrier::check(k)
}

struct Scope<'k> {
    k: &'k Kernel,
    defined: Vec<bool>,
    log: Vec<Id>,
}

impl Scope<'_> {
    fn define(&mut self, id: Id) -> Result<(), Error> {
        match self.defined.get_mut(id.0 as usize) {
            Some(d) if !*d => {
                *d = true;
                self.log.push(id);
                Ok(())
            }
            _ => Err(Error::Undefined { value: id.0 }),
        }
    }

    fn used(&self, ids: &[Id]) -> Result<(), Error> {
        let bad = ids.iter().find(|id| self.defined.get(id.0 as usize) != Some(&true));
        bad.map_or(Ok(()), |id| Err(Error::Undefined { value: id.0 }))
    }

    fn block(&mut self, b: &Block) -> Result<(), Error> {
        let mark = self.log.len();
        b.params.iter().try_for_each(|id| self.define(*id))?;
        for inst in &b.insts {
            self.used(&inst.args)?;
            inst.blocks.iter().try_for_each(|b| self.block(b))?;
            if !fits(self.k, inst) {
                return Err(Error::Operand { instruction: name(inst.op) });
            }
            inst.dst.iter().try_for_each(|id| self.define(*id))?;
        }
        self.used(&b.yields)?;
        while self.log.len() > mark {
            if let Some(d) = self.log.pop().and_then(|id| self.defined.get_mut(id.0 as usize)) {
                *d = false;
            }
        }
        Ok(())
    }
}

/// The type of the addresses of a space.
#[inline]
pub(crate) const fn address(space: Space) -> Type {
    match space {
        Space::Global | Space::Const => Type::U64,
        Space::Shared | Space::Local => Type::U32,
    }
}

/// Whether the operands and results have types that the instruction takes.
fn fits(k: &Kernel, i: &Inst) -> bool {
    let types = |ids: &[Id]| -> Vec<Type> { ids.iter().map(|id| k.ty(*id)).collect() };
    let (d, a) = (types(&i.dst), types(&i.args));
    let block = |b: &Block| (types(&b.params), types(&b.yields));
    let carried = |n: usize| a.get(n..) == Some(&d[..]);
    match (i.op, &i.blocks[..]) {
        (Op::If, [then, other]) => {
            a == [Type::Pred]
                && [then, other].into_iter().all(|b| b.params.is_empty() && block(b).1 == d)
                && !d.contains(&Type::Pred)
        }
        (Op::For { .. }, [body]) => {
            let (params, yields) = block(body);
            let counter = a.first().copied().unwrap_or(Type::Pred);
            matches!(counter, Type::U32 | Type::S32 | Type::U64 | Type::S64)
                && a.iter().take(3).all(|t| *t == counter)
                && carried(3)
                && params.first() == Some(&counter)
                && params.get(1..) == Some(&d[..])
                && yields == d
                && !d.contains(&Type::Pred)
        }
        (Op::Repeat, [body]) => {
            let (params, yields) = block(body);
            carried(0)
                && params == d
                && yields.first() == Some(&Type::Pred)
                && yields.get(1..) == Some(&d[..])
                && !d.contains(&Type::Pred)
        }
        (_, []) => simple(k, i, &d, &a),
        _ => false,
    }
}

fn simple(k: &Kernel, i: &Inst, d: &[Type], a: &[Type]) -> bool {
    match (i.op, d, a) {
        (Op::Const(_), [d], []) => !matches!(d, Type::U8 | Type::S8),
        (Op::Param(p), [d], []) => k.params.get(p as usize) == Some(d) && *d != Type::Pred,
        (Op::Special(_), [Type::U32], []) => true,
        (Op::Shared(v), [Type::U32], []) => k.shared.get(v as usize).is_some(),
        (Op::Local(v), [Type::U32], []) => k.local.get(v as usize).is_some(),
        (Op::Table(t), [Type::U64], []) => k.tables.get(t as usize).is_some(),
        (Op::Load { space, .. }, d, [at]) => {
            let one = d.first().copied().unwrap_or(Type::Pred);
            *at == address(space) && vector(one, d.len()) && d.iter().all(|t| *t == one)
        }
        (Op::Store { space, .. }, [], [at, v @ ..]) => {
            let one = v.first().copied().unwrap_or(Type::Pred);
            space != Space::Const
                && *at == address(space)
                && vector(one, v.len())
                && v.iter().all(|t| *t == one)
        }
        (Op::Atomic { space, rmw }, [d], [at, v @ ..]) => {
            matches!(space, Space::Global | Space::Shared)
                && *at == address(space)
                && v.iter().all(|v| v == d)
                && v.len() == if rmw == Rmw::CompareExchange { 2 } else { 1 }
                && match rmw {
                    Rmw::Add => matches!(d, Type::U32 | Type::S32 | Type::U64 | Type::F32 | Type::F64),
                    Rmw::Min | Rmw::Max => matches!(d, Type::U32 | Type::S32 | Type::U64 | Type::S64),
                    _ => d.bits() >= 32,
                }
        }
        (Op::Shuffle(_), [d], [v, Type::U32]) => d == v && d.bits() >= 32,
        (Op::Vote(v), [d], [Type::Pred]) => {
            *d == if v == super::ir::Vote::Ballot { Type::U32 } else { Type::Pred }
        }
        (Op::Barrier | Op::Fence | Op::CopyCommit | Op::CopyWait(_) | Op::Exit, [], []) => true,
        (Op::CopyAsync { bytes: 4 | 8 | 16 }, [], [Type::U32, Type::U64]) => true,
        (Op::LdMatrix { .. }, d, [Type::U32]) => {
            matches!(d.len(), 1 | 2 | 4) && d.iter().all(|t| *t == Type::B32)
        }
        (Op::Mma(kind), d, a) => {
            let _: Mma = kind;
            let (ab, c) = a.split_at(6.min(a.len()));
            d == [Type::F32; 4] && ab == [Type::B32; 6] && c == [Type::F32; 4]
        }
        (Op::Hopper(h), d, a) => hopper(h, d, a),
        (op, [d], a) => op.arity() == Some(a.len()) && pure(op, *d, a),
        _ => false,
    }
}

fn vector(one: Type, count: usize) -> bool {
    one != Type::Pred && matches!(count, 1 | 2 | 4) && one.bytes() as usize * count <= 16
}

fn hopper(h: Hopper, d: &[Type], a: &[Type]) -> bool {
    match h {
        Hopper::BarrierInit | Hopper::BarrierExpect => d.is_empty() && a == [Type::U32, Type::U32],
        Hopper::BarrierArrive => d.is_empty() && a == [Type::U32],
        Hopper::BarrierTryWait => d == [Type::Pred] && a == [Type::U32, Type::U32],
        Hopper::TensorLoad => {
            d.is_empty()
                && matches!(a, [Type::U32, Type::U64, rest @ ..]
                    if matches!(rest.len(), 3 | 5) && rest.iter().all(|t| *t == Type::U32))
        }
        Hopper::MaxRegisters { count, .. } => {
            d.is_empty() && a.is_empty() && (24..=256).contains(&count) && count % 8 == 0
        }
        Hopper::MapPrefetch | Hopper::Prefetch => d.is_empty() && a == [Type::U64],
        Hopper::ProxyFence
        | Hopper::Await
        | Hopper::GroupFence
        | Hopper::GroupCommit
        | Hopper::GroupWait(_) => d.is_empty() && a.is_empty(),
        Hopper::GroupMma { n, held, input, across } => {
            let operands: &[Type] = match held {
                true => &[Type::B32, Type::B32, Type::B32, Type::B32, Type::U64],
                false => &[Type::U64; 2],
            };
            (8..=256).contains(&n)
                && n % 8 == 0
                && (!held && across == [false; 2] || input.depth() == 16)
                && d.len() == usize::from(n) / 2
                && (input.sums() == Type::F32 || n % 16 == 0 || n <= 24)
                && d.iter().all(|t| *t == input.sums())
                && a.strip_prefix(operands).is_some_and(|c| c.is_empty() || c == d)
        }
    }
}

fn pure(op: Op, d: Type, a: &[Type]) -> bool {
    let number = |t: Type| matches!(t.sort(), Sort::Unsigned | Sort::Signed | Sort::Float) && t.bits() >= 16;
    let integer = |t: Type| matches!(t.sort(), Sort::Unsigned | Sort::Signed) && t.bits() >= 16;
    let wide_float = matches!(d, Type::F32 | Type::F64);
    let same = a.iter().all(|t| *t == d);
    match op {
        Op::Neg => same && number(d),
        Op::Abs => same && number(d) && d.sort() != Sort::Unsigned,
        Op::Not | Op::And | Op::Or | Op::Xor => same && !d.is_float() && d.bits() != 8,
        Op::Sqrt => same && wide_float,
        Op::Approx(_) => same && d == Type::F32,
        Op::Popc | Op::Clz => d == Type::U32 && matches!(a, [t] if t.bits() >= 32 && !t.is_float()),
        Op::Brev => same && d.bits() >= 32 && !d.is_float(),
        Op::Convert => matches!(a, [from] if converts(*from, d)),
        Op::Pack(to) => to.depth() == 16 && d == Type::B32 && a == [Type::F32; 2],
        Op::Bitcast => matches!(a, [from] if from.bits() == d.bits() && d.bits() >= 16),
        Op::Add | Op::Sub | Op::Mul | Op::Min | Op::Max => same && number(d),
        Op::MulHi => same && integer(d),
        Op::MulWide => {
            matches!((a, d), ([Type::U32, Type::U32], Type::U64) | ([Type::S32, Type::S32], Type::S64))
        }
        Op::Div => same && (integer(d) || wide_float),
        Op::Rem => same && integer(d),
        Op::Shl | Op::Shr => matches!(a, [x, Type::U32] if *x == d) && integer(d),
        Op::Compare(_) => d == Type::Pred && matches!(a, [x, y] if x == y && number(*x)),
        Op::Fma => same && (d.is_float() || (integer(d) && d.bits() >= 32)),
        Op::Dot4 => same && d == Type::U32,
        Op::Select => matches!(a, [Type::Pred, x, y] if *x == d && *y == d) && d.bits() >= 16,
        _ => false,
    }
}

fn converts(from: Type, to: Type) -> bool {
    let integer = |t: Type| matches!(t.sort(), Sort::Unsigned | Sort::Signed);
    match (from, to) {
        (Type::F16 | Type::Bf16, Type::F32) | (Type::F32, Type::F16 | Type::Bf16) => true,
        (Type::F32, Type::F64) | (Type::F64, Type::F32) => true,
        (f, t) if integer(f) && integer(t) => f.bits() != t.bits(),
        (f, Type::F32 | Type::F64) => integer(f) && f.bits() >= 16,
        (Type::F32 | Type::F64, t) => integer(t) && t.bits() >= 16,
        _ => false,
    }
}
