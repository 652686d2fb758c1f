//! Fuses a product and a sum that are marked as contractible into one FMA.

use super::super::ir::{Block, Ids, Inst, Kernel, Op};
use super::{Defs, define, rewrite, uses};
use alloc::vec::Vec;

/// `a · b + c` and `a · b - c` of floats, where both instructions allow it and the product has no other use.
pub fn fuse(k: &mut Kernel) {
    let (defs, used) = (Defs::new(k), uses(k));
    rewrite(k, |k, body| block(k, body, &defs, &used));
}

fn block(k: &mut Kernel, mut b: Block, defs: &Defs, used: &[u32]) -> Block {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut i in b.insts {
        i.blocks = i.blocks.into_iter().map(|b| block(k, b, defs, used)).collect();
        let ty = k.ty(i.dst.at(0));
        let product = |id| match defs.get(id) {
            Some((Op::Mul, args, true)) if used.get(id.0 as usize) == Some(&1) => {
                Some((args.at(0), args.at(1)))
            }
            _ => None,
        };
        let sides = match i.op {
            Op::Add if i.contract && ty.is_float() => [(0, 1), (1, 0)].as_slice(),
            Op::Sub if i.contract && ty.is_float() => [(0, 1)].as_slice(),
            _ => &[],
        };
        let found = sides.iter().find_map(|(m, c)| product(i.args.at(*m)).map(|p| (p, i.args.at(*c))));
        if let Some(((x, y), mut c)) = found {
            if i.op == Op::Sub {
                c = define(k, &mut out, Op::Neg, ty, &[c]);
            }
            i = Inst::new(Op::Fma, i.dst, Ids::from(&[x, y, c][..]));
        }
        out.push(i);
    }
    b.insts = out;
    b
}
