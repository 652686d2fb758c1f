//! Emits Hopper's instructions as PTX: mbarrier, TMA, WGMMA.

use super::super::super::ir::{Group, Hopper, Inst};
use super::super::super::types::Type;
use super::{Done, Emitter};
use core::fmt::Write;

impl Emitter<'_> {
    pub(super) fn hopper(&self, h: Hopper, i: &Inst, out: &mut impl Write) -> Done {
        let a = |k| i.args.at(k);
        match h {
            Hopper::BarrierInit => {
                self.head(&["mbarrier.init.shared.b64"], out)?;
                self.address(a(0), 0, out)?;
                out.write_str(", ")?;
                self.operand(a(1), Type::U32, out)?;
            }
            Hopper::BarrierExpect => {
                self.head(&["mbarrier.arrive.expect_tx.shared.b64 _,"], out)?;
                self.address(a(0), 0, out)?;
                out.write_str(", ")?;
                self.operand(a(1), Type::U32, out)?;
            }
            Hopper::BarrierArrive => {
                self.head(&["mbarrier.arrive.shared.b64 _,"], out)?;
                self.address(a(0), 0, out)?;
            }
            Hopper::MapPrefetch => {
                self.head(&["prefetch.tensormap"], out)?;
                self.address(a(0), 0, out)?;
            }
            Hopper::Prefetch => {
                self.head(&["prefetch.global.L2"], out)?;
                self.address(a(0), 0, out)?;
            }
            Hopper::Await => self.head(&["griddepcontrol.wait"], out)?,
            Hopper::ProxyFence => self.head(&["fence.proxy.async"], out)?,
            Hopper::BarrierTryWait => {
                self.head(&["mbarrier.try_wait.parity.shared.b64"], out)?;
                self.operand(i.dst.at(0), Type::Pred, out)?;
                out.write_str(", ")?;
                self.address(a(0), 0, out)?;
                out.write_str(", ")?;
                self.operand(a(1), Type::U32, out)?;
            }
            Hopper::TensorLoad => {
                let (how, corner) = match i.args.len() {
                    7 => ("cp.async.bulk.tensor.4d", &[a(2), a(3), a(4), a(5)][..]),
                    _ => ("cp.async.bulk.tensor.2d", &[a(2), a(3)][..]),
                };
                self.head(&[how, ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"], out)?;
                self.address(a(0), 0, out)?;
                out.write_str(", [")?;
                self.operand(a(1), Type::U64, out)?;
                out.write_str(", ")?;
                self.braces(corner, out)?;
                out.write_str("], ")?;
                self.address(a(2 + corner.len()), 0, out)?;
            }
            Hopper::MaxRegisters { more, count } => {
                let how = if more { "inc" } else { "dec" };
                write!(out, "    setmaxnreg.{how}.sync.aligned.u32 {count}")?;
            }
            Hopper::GroupFence => self.head(&["wgmma.fence.sync.aligned"], out)?,
            Hopper::GroupCommit => self.head(&["wgmma.commit_group.sync.aligned"], out)?,
            Hopper::GroupWait(n) => write!(out, "    wgmma.wait_group.sync.aligned {n}")?,
            Hopper::GroupMma { n, input, held, across } => {
                // Accumulates in place: the results start as the addend.
                let operands = if held { 5 } else { 2 };
                for (dst, c) in i.dst.iter().zip(i.args.iter().skip(operands)) {
                    self.copy(*dst, *c, out)?;
                }
                // Only 16-bit inputs can be transposed.
                let how = match input {
                    Group::F16 => "k16.f32.f16.f16",
                    Group::Bf16 => "k16.f32.bf16.bf16",
                    Group::Tf32 => "k8.f32.tf32.tf32",
                    Group::E4m3 => "k32.f32.e4m3.e4m3",
                    Group::S8 => "k32.s32.s8.s8",
                };
                let adds = u8::from(i.args.len() > operands);
                write!(out, "    wgmma.mma_async.sync.aligned.m64n{n}{how} ")?;
                self.braces(&i.dst, out)?;
                out.write_str(", ")?;
                if held {
                    self.braces(&[a(0), a(1), a(2), a(3)], out)?;
                    out.write_str(", ")?;
                    self.operand(a(4), Type::U64, out)?;
                } else {
                    self.list(&[a(0), a(1)], Type::U64, out)?;
                }
                write!(out, ", {adds}")?;
                // Only floats can be negated.
                if input.sums() == Type::F32 {
                    out.write_str(", 1, 1")?;
                }
                let [a_across, b_across] = across.map(u8::from);
                if input.depth() == 16 && !held {
                    write!(out, ", {a_across}")?;
                }
                if input.depth() == 16 {
                    write!(out, ", {b_across}")?;
                }
            }
        }
        out.write_str(";\n")?;
        Ok(())
    }
}
