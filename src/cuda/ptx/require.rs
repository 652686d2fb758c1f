//! The lowest language version and target that have an instruction.

use super::ir::{Approx, Hopper, Inst, Kernel, Op, Rmw, Space};
use super::target::{Isa, Target};
use super::types::Type;

/// What an instruction is called in errors.
pub(crate) const fn name(op: Op) -> &'static str {
    match op {
        Op::Const(_) => "const",
        Op::Param(_) => "ld.param",
        Op::Special(_) => "mov",
        Op::Shared(_) => "shared variable",
        Op::Local(_) => "local variable",
        Op::Table(_) => "table",
        Op::Neg => "neg",
        Op::Abs => "abs",
        Op::Not => "not",
        Op::Sqrt => "sqrt",
        Op::Approx(Approx::Tanh) => "tanh.approx",
        Op::Approx(_) => "approx",
        Op::Popc => "popc",
        Op::Clz => "clz",
        Op::Brev => "brev",
        Op::Convert => "cvt",
        Op::Bitcast => "bit cast",
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::MulHi => "mul.hi",
        Op::MulWide => "mul.wide",
        Op::Div => "div",
        Op::Rem => "rem",
        Op::Min => "min",
        Op::Max => "max",
        Op::And => "and",
        Op::Or => "or",
        Op::Xor => "xor",
        Op::Shl => "shl",
        Op::Shr => "shr",
        Op::Compare(_) => "setp",
        Op::Fma => "fma",
        Op::Select => "selp",
        Op::Load { .. } => "ld",
        Op::Store { .. } => "st",
        Op::Atomic { .. } => "atom",
        Op::Shuffle(_) => "shfl.sync",
        Op::Vote(_) => "vote.sync",
        Op::Barrier => "bar.sync",
        Op::Fence => "membar",
        Op::CopyAsync { .. } => "cp.async",
        Op::CopyCommit => "cp.async.commit_group",
        Op::CopyWait(_) => "cp.async.wait_group",
        Op::LdMatrix { .. } => "ldmatrix",
        Op::Mma(_) => "mma.sync",
        Op::Hopper(Hopper::BarrierInit) => "mbarrier.init",
        Op::Hopper(Hopper::BarrierExpect) => "mbarrier.arrive.expect_tx",
        Op::Hopper(Hopper::BarrierArrive) => "mbarrier.arrive",
        Op::Hopper(Hopper::ProxyFence) => "fence.proxy.async",
        Op::Hopper(Hopper::BarrierTryWait) => "mbarrier.try_wait",
        Op::Hopper(Hopper::TensorLoad) => "cp.async.bulk.tensor",
        Op::Hopper(Hopper::MaxRegisters { .. }) => "setmaxnreg",
        Op::Hopper(Hopper::GroupFence) => "wgmma.fence",
        Op::Hopper(Hopper::GroupCommit) => "wgmma.commit_group",
        Op::Hopper(Hopper::GroupWait(_)) => "wgmma.wait_group",
        Op::Hopper(Hopper::GroupMma { .. }) => "wgmma.mma_async",
        Op::Exit => "exit",
        Op::If => "if",
        Op::For { .. } => "for",
        Op::Repeat => "repeat",
    }
}

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
        Op::Convert if bf16(ty) => sm(70, 80),
        Op::Convert if bf16(operand) => sm(78, 90),
        Op::Atomic { rmw: Rmw::Add, .. } if ty == Type::F64 => sm(50, 60),
        Op::Shuffle(_) | Op::Vote(_) => sm(60, 30),
        Op::CopyAsync { .. } | Op::CopyCommit | Op::CopyWait(_) => sm(70, 80),
        Op::LdMatrix { .. } => sm(65, 75),
        Op::Mma(_) => sm(70, 80),
        Op::Hopper(Hopper::BarrierInit | Hopper::BarrierArrive) => sm(70, 80),
        Op::Hopper(Hopper::BarrierExpect | Hopper::TensorLoad | Hopper::ProxyFence) => sm(80, 90),
        Op::Hopper(Hopper::BarrierTryWait) => sm(78, 90),
        Op::Hopper(_) => (Isa(80), Target::SM_90A),
        Op::Load { space: Space::Const, .. } | Op::Table(_) => sm(22, 10),
        _ => sm(20, 20),
    }
}
