//! The PTX version and the compute capability that each instruction requires.

use super::super::ir::{Approx, Hopper, Inst, Kernel, Op, Rmw, Space};
use super::super::types::Type;
use super::target::{Isa, Target};

/// The lowest version and target that have the instruction.
pub(crate) fn needs(k: &Kernel, i: &Inst) -> (Isa, Target) {
    let sm = |isa, sm| (Isa(isa), Target::sm(sm));
    let ty = i.dst.first().or(i.args.first()).map_or(Type::B32, |id| k.ty(*id));
    let operand = i.args.first().map_or(ty, |id| k.ty(*id));
    let bf16 = |t: Type| t == Type::Bf16;
    let half = |t: Type| t == Type::F16;
    match i.op {
        Op::Approx(Approx::Tanh) => sm(70, 75),
        Op::Min | Op::Max if half(ty) || bf16(ty) => sm(70, 80),
        Op::Fma | Op::Neg | Op::Abs if bf16(ty) => sm(70, 80),
        Op::Add | Op::Sub | Op::Mul if bf16(ty) => sm(78, 90),
        Op::Compare(_) if bf16(operand) => sm(78, 90),
        Op::Neg | Op::Abs | Op::Compare(_) if half(operand) => sm(65, 53),
        Op::Add | Op::Sub | Op::Mul | Op::Fma if half(ty) => sm(42, 53),
        Op::Pack(_) => sm(70, 80),
        Op::Convert if bf16(ty) => sm(70, 80),
        Op::Convert if bf16(operand) => sm(78, 90),
        Op::Atomic { rmw: Rmw::Add, .. } if ty == Type::F64 => sm(50, 60),
        Op::Dot4 => sm(50, 61),
        Op::Shuffle(_) | Op::Vote(_) => sm(60, 30),
        Op::CopyAsync { .. } | Op::CopyCommit | Op::CopyWait(_) => sm(70, 80),
        Op::LdMatrix { .. } => sm(65, 75),
        Op::Mma(_) => sm(70, 80),
        Op::Hopper(Hopper::BarrierInit | Hopper::BarrierArrive) => sm(70, 80),
        Op::Hopper(Hopper::BarrierExpect | Hopper::TensorLoad | Hopper::ProxyFence | Hopper::MapPrefetch) => {
            sm(80, 90)
        }
        Op::Hopper(Hopper::BarrierTryWait | Hopper::Await | Hopper::Prefetch) => sm(78, 90),
        Op::Hopper(_) => (Isa(80), Target::SM_90A),
        Op::Load { space: Space::Const, .. } | Op::Table(_) => sm(22, 10),
        _ => sm(20, 20),
    }
}
