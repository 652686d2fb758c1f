//! Emits control flow as PTX: labels, branches, and moves of the values that blocks pass on.

use super::*;

impl<'k> Emitter<'k> {
    pub(super) fn copy(&self, to: Id, from: Id, out: &mut impl Write) -> Done {
        let (p, q) = (self.at(to), self.at(from));
        if q.constant.is_none() && p.number == q.number {
            return Ok(());
        }
        self.head(&["mov", self.k.ty(to).raw()], out)?;
        self.operand(to, Type::B64, out)?;
        out.write_str(", ")?;
        self.operand(from, Type::B64, out)?;
        out.write_str(";\n")?;
        Ok(())
    }

    /// `to ← from`, all at once: a value that a copy would overwrite too early waits in a register of its own.
    fn copies(&self, to: &[Id], from: &[Id], out: &mut impl Write) -> Done {
        let same = |a: Id, b: Id| {
            let (a, b) = (self.at(a), self.at(b));
            b.constant.is_none() && (a.class, a.number) == (b.class, b.number)
        };
        let early = |k: usize, f: Id| to.iter().take(k).any(|t| same(*t, f));
        let waiting: Vec<(usize, Id)> =
            from.iter().copied().enumerate().filter(|(k, f)| early(*k, *f)).collect();
        if !waiting.is_empty() {
            out.write_str("    {\n")?;
        }
        for (k, f) in &waiting {
            let raw = self.k.ty(*f).raw();
            write!(out, "    .reg {raw} %w{k};\n    mov{raw} %w{k}, ")?;
            self.operand(*f, Type::B64, out)?;
            out.write_str(";\n")?;
        }
        for (k, (t, f)) in to.iter().zip(from).enumerate() {
            if early(k, *f) {
                self.head(&["mov", self.k.ty(*t).raw()], out)?;
                self.operand(*t, Type::B64, out)?;
                writeln!(out, ", %w{k};")?;
            } else {
                self.copy(*t, *f, out)?;
            }
        }
        if !waiting.is_empty() {
            out.write_str("    }\n")?;
        }
        Ok(())
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    pub(super) fn branch(&mut self, i: &Inst, out: &mut impl Write) -> Done {
        let (other, end) = (self.label(), self.label());
        let [then, els] = i.blocks.as_slice() else { return Ok(()) };
        out.write_str("    @!")?;
        self.operand(i.args.at(0), Type::Pred, out)?;
        let plain = els.insts.is_empty() && els.yields.is_empty();
        writeln!(out, " bra $L{};", if plain { end } else { other })?;
        self.block(then, out)?;
        self.copies(&i.dst, &then.yields, out)?;
        if !plain {
            writeln!(out, "    bra $L{end};\n$L{other}:")?;
            self.block(els, out)?;
            self.copies(&i.dst, &els.yields, out)?;
        }
        writeln!(out, "$L{end}:")?;
        Ok(())
    }

    pub(super) fn counted(&mut self, i: &Inst, out: &mut impl Write) -> Done {
        let (top, end) = (self.label(), self.label());
        let Some(body) = i.blocks.first() else { return Ok(()) };
        let (counter, carried) = (body.params.at(0), body.params.get(1..).unwrap_or_default());
        let ty = self.k.ty(counter);
        let t = ty.suffix();
        self.copies(carried, i.args.get(3..).unwrap_or_default(), out)?;
        self.copy(counter, i.args.at(0), out)?;
        writeln!(out, "$L{top}:")?;
        self.head(&["setp.ge", t, " %q,"], out)?;
        self.list(&[counter, i.args.at(1)], ty, out)?;
        writeln!(out, ";\n    @%q bra $L{end};")?;
        self.block(body, out)?;
        self.copies(carried, &body.yields, out)?;
        self.head(&["add", t], out)?;
        self.list(&[counter, counter, i.args.at(2)], ty, out)?;
        writeln!(out, ";\n    bra $L{top};\n$L{end}:")?;
        Ok(())
    }

    pub(super) fn repeated(&mut self, i: &Inst, out: &mut impl Write) -> Done {
        let top = self.label();
        let Some(body) = i.blocks.first() else { return Ok(()) };
        self.copies(&body.params, &i.args, out)?;
        writeln!(out, "$L{top}:")?;
        self.block(body, out)?;
        self.copies(&body.params, body.yields.get(1..).unwrap_or_default(), out)?;
        out.write_str("    @")?;
        self.operand(body.yields.at(0), Type::Pred, out)?;
        writeln!(out, " bra $L{top};")?;
        Ok(())
    }
}
