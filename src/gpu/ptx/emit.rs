//! Emits the PTX text of a kernel.

use super::super::error::Error;
use super::super::ir::{
    Approx, Block, Cmp, Group, Hopper, Id, Inst, Kernel, Mma, Module, Op, Rmw, Shuffle, Vote,
};
use super::super::name::name;
use super::super::types::{Sort, Type};
use super::super::verify;
use super::mnemonics::{self, approx, atomic, cmp, memory, param, rounding, special, vector};
use super::require::needs;
use super::target::{Isa, Target, number};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Write;

mod control;
mod hopper;

/// What a register is for PTX: its width decides, so that a bit cast costs nothing.
const CLASSES: [(&str, &str); 4] = [("%p", ".pred"), ("%h", ".b16"), ("%r", ".b32"), ("%l", ".b64")];

const fn class(ty: Type) -> u8 {
    match ty.bits() {
        1 => 0,
        8 | 16 => 1,
        32 => 2,
        _ => 3,
    }
}

impl Module {
    /// The lowest language version that has what the kernels use on this target; refused when the target
    /// lacks an instruction or the shared memory.
    pub fn isa(&self, target: Target) -> Result<Isa, Error> {
        fn walk(k: &Kernel, b: &Block, target: Target, isa: &mut Isa) -> Result<(), Error> {
            for i in &b.insts {
                let (least, gpu) = needs(k, i);
                if !target.has(gpu) {
                    return Err(Error::Lacks { target, instruction: name(i.op), needs: gpu });
                }
                *isa = (*isa).max(least);
                i.blocks.iter().try_for_each(|b| walk(k, b, target, isa))?;
            }
            Ok(())
        }
        let mut isa = target.isa();
        for k in &self.kernels {
            verify::kernel(k)?;
            let (needed, available) = (k.shared_bytes(), target.shared_memory_opt_in());
            if needed > available {
                return Err(Error::SharedMemory { needed, available });
            }
            walk(k, &k.body, target, &mut isa)?;
        }
        Ok(isa)
    }

    /// Writes PTX for `target`, in the lowest language version that has what is used.
    pub fn emit(&self, target: Target, out: &mut impl Write) -> Result<(), Error> {
        let isa = self.isa(target)?;
        out.write_str(".version ")?;
        isa.write(out)?;
        out.write_str("\n.target ")?;
        target.write(out)?;
        out.write_str("\n.address_size 64\n")?;
        let declared = target.shared_memory();
        if self.kernels.iter().any(|k| k.shared_bytes() > declared) {
            out.write_str("\n.extern .shared .align 1024 .b8 dynamic[];\n")?;
        }
        let early = target.starts_early();
        self.kernels.iter().try_for_each(|k| Emitter::new(k, declared, early).kernel(out))
    }
}

/// Whether a product of a warp group in this block defines the value, or a loop in it.
fn sums_of(b: &Block, id: Id) -> bool {
    let sums = |i: &&Inst| matches!(i.op, Op::Hopper(Hopper::GroupMma { .. }) | Op::For { .. });
    b.insts.iter().filter(sums).any(|i| i.dst.contains(&id))
}

/// Where a value lives: a register, or nowhere because its bits are written where it is used.
#[derive(Debug, Clone, Copy)]
struct Place {
    class: u8,
    number: u32,
    constant: Option<u64>,
    // Whether a constant has a register all the same.
    register: bool,
}

struct Emitter<'k> {
    k: &'k Kernel,
    places: Vec<Place>,
    counts: [u32; 4],
    labels: u32,
    loops: bool,
    // Where each shared variable is in what the launch adds, when it is more than can be declared.
    dynamic: Option<Vec<u32>>,
    used: Vec<u32>,
    early: bool,
}

type Done = Result<(), Error>;

impl<'k> Emitter<'k> {
    fn new(k: &'k Kernel, declared: u32, early: bool) -> Self {
        let none = Place { class: 0, number: u32::MAX, constant: None, register: true };
        let (starts, size) = Kernel::layout(&k.shared);
        let mut e = Self {
            k,
            places: vec![none; k.types.len()],
            counts: [0; 4],
            labels: 0,
            loops: false,
            dynamic: (size > declared).then_some(starts),
            used: super::super::pass::uses(k),
            early,
        };
        e.place(&k.body);
        e
    }

    fn set(&mut self, id: Id, place: Place) {
        if let Some(p) = self.places.get_mut(id.0 as usize) {
            *p = place;
        }
    }

    fn at(&self, id: Id) -> Place {
        let none = Place { class: 0, number: 0, constant: None, register: true };
        self.places.get(id.0 as usize).copied().unwrap_or(none)
    }

    fn register(&mut self, id: Id) {
        let class = class(self.k.ty(id));
        let mut number = 0;
        if let Some(n) = self.counts.get_mut(usize::from(class)) {
            number = *n;
            *n += 1;
        }
        self.set(id, Place { class, number, constant: None, register: true });
    }

    /// Gives every value its place. Results of a loop live where the values carried to its last turn do.
    fn place(&mut self, b: &Block) {
        for i in &b.insts {
            // A constant is written where arithmetic uses it; other uses want a register.
            if i.op.arity().is_none() || matches!(i.op, Op::Convert | Op::Bitcast) {
                let moved = matches!(i.op, Op::For { .. } | Op::Repeat);
                let values = if moved { &[][..] } else { &i.args[..] };
                values.iter().for_each(|id| self.demand(*id));
            }
            for block in &i.blocks {
                block.params.iter().for_each(|id| self.register(*id));
                self.place(block);
            }
            match i.op {
                Op::Const(bits) if self.k.ty(i.dst.at(0)).bits() >= 32 => {
                    let id = i.dst.at(0);
                    self.register(id);
                    let place = self.at(id);
                    self.set(id, Place { constant: Some(bits), register: false, ..place });
                }
                Op::Bitcast => {
                    let place = self.at(i.args.at(0));
                    self.set(i.dst.at(0), place);
                }
                Op::For { .. } | Op::Repeat => {
                    self.loops = true;
                    let skip = usize::from(i.op != Op::Repeat);
                    let params =
                        i.blocks.first().map(|b| b.params.clone()).unwrap_or(super::super::ir::Ids::NONE);
                    for (dst, param) in i.dst.iter().zip(params.iter().skip(skip)) {
                        let place = self.at(*param);
                        self.set(*dst, place);
                    }
                }
                // Accumulates in place where nothing else wants the addend: a copy would wait for the product before.
                Op::Hopper(Hopper::GroupMma { held, .. }) => {
                    let mut addends = i.args.iter().skip(if held { 5 } else { 2 });
                    for dst in i.dst.iter() {
                        let alone = |c: &&Id| {
                            (b.params.contains(c) || sums_of(b, **c))
                                && self.used.get(c.0 as usize) == Some(&1)
                        };
                        match addends.next().filter(alone) {
                            Some(c) => {
                                let place = self.at(*c);
                                self.set(*dst, place);
                            }
                            None => self.register(*dst),
                        }
                    }
                }
                _ => i.dst.iter().for_each(|id| self.register(*id)),
            }
        }
    }

    fn demand(&mut self, id: Id) {
        let place = self.at(id);
        self.set(id, Place { register: true, ..place });
    }

    fn kernel(&mut self, out: &mut impl Write) -> Done {
        let k = self.k;
        for (n, t) in k.tables.iter().enumerate() {
            let width = t.ty.bytes();
            write!(out, "\n.const .align {width} {} {}_t{n}[{}] = {{", t.ty.raw(), k.name, t.bits.len())?;
            for (j, bits) in t.bits.iter().enumerate() {
                write!(out, "{}{:#x}", if j == 0 { "" } else { ", " }, bits)?;
            }
            out.write_str("};")?;
        }
        ["\n.visible .entry ", &k.name, "("].iter().try_for_each(|s| out.write_str(s))?;
        for (n, ty) in k.params.iter().enumerate() {
            write!(out, "{}\n    .param {} p{n}", if n == 0 { "" } else { "," }, param(*ty))?;
        }
        out.write_str("\n)")?;
        if let Some([x, y, z]) = k.threads {
            write!(out, "\n.reqntid {x}, {y}, {z}")?;
            if let Some(blocks) = k.resident {
                write!(out, "\n.minnctapersm {blocks}")?;
            }
        }
        out.write_str("\n{\n")?;
        for ((prefix, ty), n) in CLASSES.iter().zip(self.counts) {
            if n > 0 {
                writeln!(out, "    .reg {ty} {prefix}<{n}>;")?;
            }
        }
        if self.loops {
            out.write_str("    .reg .pred %q;\n")?;
        }
        for (list, space, letter) in [(&k.shared, ".shared", 's'), (&k.local, ".local", 'l')] {
            let dynamic = letter == 's' && self.dynamic.is_some();
            for (n, v) in list.iter().enumerate().filter(|_| !dynamic) {
                writeln!(out, "    {space} .align {} .b8 {letter}{n}[{}];", v.align, v.bytes)?;
            }
        }
        if self.early {
            // The next kernel's blocks come as soon as there is room; like this one's, they wait for what was before.
            out.write_str("    griddepcontrol.launch_dependents;\n")?;
            if !k.body.insts.iter().any(|i| i.op == Op::Hopper(Hopper::Await)) {
                out.write_str("    griddepcontrol.wait;\n")?;
            }
        }
        self.block(&k.body, out)?;
        if k.body.insts.last().is_none_or(|i| i.op != Op::Exit) {
            out.write_str("    ret;\n")?;
        }
        out.write_str("}\n")?;
        Ok(())
    }

    fn block(&mut self, b: &Block, out: &mut impl Write) -> Done {
        b.insts.iter().try_for_each(|i| self.inst(i, out))
    }

    /// A register, or the bits of a constant as `ty` writes them.
    fn operand(&self, id: Id, ty: Type, out: &mut impl Write) -> Done {
        let place = self.at(id);
        match place.constant.filter(|_| !place.register) {
            None => {
                let (prefix, _) = CLASSES.get(usize::from(place.class)).copied().unwrap_or(("%r", ""));
                out.write_str(prefix)?;
                number(place.number, out)?;
            }
            Some(bits) => match ty {
                Type::F32 => write!(out, "0f{bits:08X}")?,
                Type::F64 => write!(out, "0d{bits:016X}")?,
                _ if ty.sort() == Sort::Signed => {
                    write!(out, "{}", ((bits << (64 - ty.bits())) as i64) >> (64 - ty.bits()))?
                }
                _ if bits < 4096 => number(bits as u32, out)?,
                _ => write!(out, "{bits:#x}")?,
            },
        }
        Ok(())
    }

    fn list(&self, ids: &[Id], ty: Type, out: &mut impl Write) -> Done {
        for (k, id) in ids.iter().enumerate() {
            if k > 0 {
                out.write_str(", ")?;
            }
            self.operand(*id, ty, out)?;
        }
        Ok(())
    }

    fn braces(&self, ids: &[Id], out: &mut impl Write) -> Done {
        out.write_str("{")?;
        self.list(ids, Type::B32, out)?;
        out.write_str("}")?;
        Ok(())
    }

    /// `    name suffixes`, then all results and operands.
    fn line(&self, words: &[&str], i: &Inst, ty: Type, out: &mut impl Write) -> Done {
        self.head(words, out)?;
        self.list(&i.dst, ty, out)?;
        if !i.dst.is_empty() && !i.args.is_empty() {
            out.write_str(", ")?;
        }
        self.list(&i.args, ty, out)?;
        out.write_str(";\n")?;
        Ok(())
    }

    fn head(&self, words: &[&str], out: &mut impl Write) -> Done {
        out.write_str("    ")?;
        words.iter().try_for_each(|w| out.write_str(w))?;
        out.write_str(" ")?;
        Ok(())
    }

    fn address(&self, id: Id, offset: i32, out: &mut impl Write) -> Done {
        out.write_str("[")?;
        self.operand(id, Type::U64, out)?;
        if offset != 0 {
            write!(out, "+{offset}")?;
        }
        out.write_str("]")?;
        Ok(())
    }

    fn inst(&mut self, i: &Inst, out: &mut impl Write) -> Done {
        let first = i.dst.first().or(i.args.get(1)).map_or(Type::B32, |id| self.k.ty(*id));
        match i.op {
            Op::If => self.branch(i, out),
            Op::For { .. } => self.counted(i, out),
            Op::Repeat => self.repeated(i, out),
            op if op.arity().is_some() => self.arithmetic(i, first, out),
            op if op.is_leaf() => self.leaf(i, first, out),
            Op::Hopper(h) => self.hopper(h, i, out),
            _ => self.other(i, first, out),
        }
    }

    fn leaf(&self, i: &Inst, ty: Type, out: &mut impl Write) -> Done {
        let dst = i.dst.at(0);
        match i.op {
            Op::Const(bits) => {
                if !self.at(dst).register {
                    return Ok(());
                }
                if ty == Type::Pred {
                    self.head(&["setp.ne.u32"], out)?;
                } else {
                    self.head(&["mov", ty.raw()], out)?;
                }
                self.operand(dst, ty, out)?;
                writeln!(out, ", {:#x}{};", bits, if ty == Type::Pred { ", 0" } else { "" })?;
                return Ok(());
            }
            Op::Param(_) => self.head(&["ld.param", param(ty)], out)?,
            _ => self.head(&["mov", ty.suffix()], out)?,
        }
        self.operand(dst, ty, out)?;
        out.write_str(", ")?;
        match i.op {
            Op::Param(n) => write!(out, "[p{n}]")?,
            Op::Special(s) => out.write_str(special(s))?,
            Op::Shared(n) => match self.dynamic.as_ref().map(|d| d.get(n as usize)) {
                Some(start) => write!(out, "dynamic+{}", start.copied().unwrap_or(0))?,
                None => write!(out, "s{n}")?,
            },
            Op::Local(n) => write!(out, "l{n}")?,
            Op::Table(n) => write!(out, "{}_t{n}", self.k.name)?,
            _ => {}
        }
        out.write_str(";\n")?;
        Ok(())
    }

    fn arithmetic(&self, i: &Inst, ty: Type, out: &mut impl Write) -> Done {
        let t = ty.suffix();
        let operand = self.k.ty(i.args.at(0));
        if let Op::Compare(c) = i.op
            && let Some(opposite) = self.opposite(c, i)
        {
            self.line(&["setp", opposite, operand.suffix()], i, operand, out)?;
            self.head(&["not.pred"], out)?;
            self.list(&[i.dst.at(0); 2], Type::Pred, out)?;
            out.write_str(";\n")?;
            return Ok(());
        }
        let rounded = if ty.is_float() && !i.contract { ".rn" } else { "" };
        let words: &[&str] = match i.op {
            Op::Neg if ty.sort() == Sort::Unsigned => &["neg.s", t.get(2..).unwrap_or_default()],
            Op::Neg => &["neg", t],
            Op::Abs => &["abs", t],
            Op::Not => &["not", ty.raw()],
            Op::Sqrt => &["sqrt.rn", t],
            // Without the steps that subnormal powers would take.
            Op::Approx(Approx::Ex2) => &["ex2.approx.ftz.f32"],
            Op::Approx(f) => &[approx(f), ".approx.f32"],
            Op::Popc => &["popc", operand.raw()],
            Op::Clz => &["clz", operand.raw()],
            Op::Brev => &["brev", ty.raw()],
            Op::Convert => &["cvt", rounding(operand, ty), t, operand.suffix()],
            Op::Pack(Group::F16) => &["cvt.rn.f16x2.f32"],
            Op::Pack(_) => &["cvt.rn.bf16x2.f32"],
            Op::Bitcast => return Ok(()),
            Op::Add => &["add", rounded, t],
            Op::Sub => &["sub", rounded, t],
            Op::Mul if ty.is_float() => &["mul", rounded, t],
            Op::Mul => &["mul.lo", t],
            Op::MulHi => &["mul.hi", t],
            Op::MulWide => &["mul.wide", operand.suffix()],
            Op::Div if ty.is_float() => &["div.rn", t],
            Op::Div => &["div", t],
            Op::Rem => &["rem", t],
            Op::Min => &["min", t],
            Op::Max => &["max", t],
            Op::And => &["and", ty.raw()],
            Op::Or => &["or", ty.raw()],
            Op::Xor => &["xor", ty.raw()],
            Op::Shl => &["shl", ty.raw()],
            Op::Shr => &["shr", t],
            Op::Compare(c) => &["setp", cmp(c, operand), operand.suffix()],
            Op::Fma if ty.is_float() => &["fma.rn", t],
            Op::Fma => &["mad.lo", t],
            Op::Dot4 => &["dp4a.s32.s32"],
            // The predicate comes last.
            _ => {
                self.head(&["selp", ty.raw()], out)?;
                self.list(&[i.dst.at(0), i.args.at(1), i.args.at(2), i.args.at(0)], Type::B64, out)?;
                out.write_str(";\n")?;
                return Ok(());
            }
        };
        let raw = matches!(i.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl);
        self.line(words, i, if raw { Type::B64 } else { operand }, out)
    }

    /// What is true where a comparison is false, for one that asks whether a number is no less than a constant of 0 or less. NVIDIA's
    /// assembler (12.9 to 13.5) takes such a comparison of a magnitude or a power as always true, which it is not with NaN; it keeps the
    /// opposite one, at the same cost.
    fn opposite(&self, c: Cmp, i: &Inst) -> Option<&'static str> {
        let (low, opposite) = match c {
            Cmp::Lt => (0, ".geu"),
            Cmp::Le => (0, ".gtu"),
            Cmp::Gt => (1, ".leu"),
            Cmp::Ge => (1, ".ltu"),
            Cmp::Eq | Cmp::Ne => return None,
        };
        let low = i.args.at(low);
        let bits = self.at(low).constant.filter(|_| self.k.ty(low) == Type::F32)?;
        (bits == 0 || bits >> 31 == 1).then_some(opposite)
    }

    fn other(&self, i: &Inst, ty: Type, out: &mut impl Write) -> Done {
        match i.op {
            Op::Load { space, offset } => {
                self.head(&["ld", mnemonics::space(space), vector(i.dst.len()), memory(ty)], out)?;
                if i.dst.len() > 1 {
                    self.braces(&i.dst, out)?
                } else {
                    self.list(&i.dst, ty, out)?
                }
                out.write_str(", ")?;
                self.address(i.args.at(0), offset, out)?;
            }
            Op::Store { space, offset } => {
                let values = i.args.get(1..).unwrap_or_default();
                self.head(&["st", mnemonics::space(space), vector(values.len()), memory(ty)], out)?;
                self.address(i.args.at(0), offset, out)?;
                out.write_str(", ")?;
                if values.len() > 1 { self.braces(values, out)? } else { self.list(values, ty, out)? }
            }
            Op::Atomic { space, rmw } => {
                let bits =
                    matches!(rmw, Rmw::And | Rmw::Or | Rmw::Xor | Rmw::Exchange | Rmw::CompareExchange);
                let t = if bits { ty.raw() } else { ty.suffix() };
                self.head(&["atom", mnemonics::space(space), atomic(rmw), t], out)?;
                self.list(&i.dst, ty, out)?;
                out.write_str(", ")?;
                self.address(i.args.at(0), 0, out)?;
                // The value that memory must equal comes first.
                for k in (1..i.args.len()).rev() {
                    out.write_str(", ")?;
                    self.operand(i.args.at(k), ty, out)?;
                }
            }
            Op::Shuffle(mode) => return self.shuffle(mode, i, ty, out),
            Op::Vote(v) => {
                let words = match v {
                    Vote::All => "all.pred",
                    Vote::Any => "any.pred",
                    Vote::Ballot => "ballot.b32",
                };
                self.head(&["vote.sync.", words], out)?;
                self.list(&[i.dst.at(0), i.args.at(0)], ty, out)?;
                out.write_str(", 0xffffffff")?;
            }
            Op::Barrier => self.head(&["bar.sync 0"], out)?,
            Op::Fence => self.head(&["membar.gl"], out)?,
            Op::Exit => self.head(&["ret"], out)?,
            Op::CopyAsync { bytes } => {
                let how = if bytes == 16 { "cp.async.cg.shared.global" } else { "cp.async.ca.shared.global" };
                self.head(&[how], out)?;
                self.address(i.args.at(0), 0, out)?;
                out.write_str(", ")?;
                self.address(i.args.at(1), 0, out)?;
                write!(out, ", {bytes}")?;
            }
            Op::CopyCommit => self.head(&["cp.async.commit_group"], out)?,
            Op::CopyWait(n) => write!(out, "    cp.async.wait_group {n}")?,
            Op::LdMatrix { transpose } => {
                let count = match i.dst.len() {
                    1 => ".x1",
                    2 => ".x2",
                    _ => ".x4",
                };
                let how = if transpose { ".trans.shared.b16" } else { ".shared.b16" };
                self.head(&["ldmatrix.sync.aligned.m8n8", count, how], out)?;
                self.braces(&i.dst, out)?;
                out.write_str(", ")?;
                self.address(i.args.at(0), 0, out)?;
            }
            Op::Mma(kind) => {
                let (how, a) = match kind {
                    Mma::F16 => ("m16n8k16.row.col.f32.f16.f16.f32", 4),
                    Mma::Bf16 => ("m16n8k16.row.col.f32.bf16.bf16.f32", 4),
                    Mma::Tf32 => ("m16n8k8.row.col.f32.tf32.tf32.f32", 4),
                };
                self.head(&["mma.sync.aligned.", how], out)?;
                self.braces(&i.dst, out)?;
                for range in [0..a, a..a + 2, a + 2..a + 6] {
                    out.write_str(", ")?;
                    self.braces(i.args.get(range).unwrap_or_default(), out)?;
                }
            }
            _ => return Ok(()),
        }
        out.write_str(";\n")?;
        Ok(())
    }

    /// 64 bits go as two halves.
    fn shuffle(&self, mode: Shuffle, i: &Inst, ty: Type, out: &mut impl Write) -> Done {
        let (how, clamp) = match mode {
            Shuffle::Up => ("up", "0x0"),
            Shuffle::Down => ("down", "0x1f"),
            Shuffle::Butterfly => ("bfly", "0x1f"),
            Shuffle::Index => ("idx", "0x1f"),
        };
        let (dst, src, lane) = (i.dst.at(0), i.args.at(0), i.args.at(1));
        let step = |to: &str, from: &str, out: &mut dyn Write| -> Done {
            write!(out, "    shfl.sync.{how}.b32 {to}, {from}, ")?;
            Ok(())
        };
        if ty.bits() == 32 {
            self.head(&["shfl.sync.", how, ".b32"], out)?;
            self.list(&[dst, src, lane], Type::B32, out)?;
            writeln!(out, ", {clamp}, 0xffffffff;")?;
            return Ok(());
        }
        out.write_str("    { .reg .b32 %lo, %hi;\n    mov.b64 {%lo, %hi}, ")?;
        self.operand(src, ty, out)?;
        out.write_str(";\n")?;
        for half in ["%lo", "%hi"] {
            step(half, half, out)?;
            self.operand(lane, Type::B32, out)?;
            writeln!(out, ", {clamp}, 0xffffffff;")?;
        }
        out.write_str("    mov.b64 ")?;
        self.operand(dst, ty, out)?;
        out.write_str(", {%lo, %hi}; }\n")?;
        Ok(())
    }
}
