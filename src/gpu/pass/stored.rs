//! Rewrites the accesses of `f32` operands that are stored as `bf16`: loads convert, stores round to nearest.

use super::super::ir::{Block, Group, Hopper, Id, Ids, Inst, Kernel, Op, Space};
use super::super::types::Type;
use super::{define, fold, remove_dead, rewrite};
use alloc::format;
use alloc::vec::Vec;

struct Stored {
    reach: super::super::alias::Reach,
    /// The parameters that are addresses of operands, and those of them that lie as `bf16`.
    operands: u64,
    halves: u64,
    /// Those whose first element is the second of its word.
    odd: u64,
    failed: bool,
}

/// The kernel with these operands as `bf16`, of those that its parameters point to, where every access is to one operand that
/// is known, of elements of four bytes, and neither atomic nor a copy to shared memory. An address is as far from the start of its operand as half of what
/// it was; operands that are `odd` start two bytes behind what their parameters say.
pub(crate) fn store_halves(k: &Kernel, [operands, halves, odd]: [u64; 3]) -> Option<Kernel> {
    let mut stored = Stored { reach: k.reach()?, operands, halves, odd, failed: false };
    let mut k = k.clone();
    rewrite(&mut k, |k, body| stored.block(k, body));
    if stored.failed {
        return None;
    }
    k.name = match odd {
        0 => format!("{}_halves_{halves:x}", k.name),
        _ => format!("{}_halves_{halves:x}_{odd:x}", k.name),
    };
    fold(&mut k);
    remove_dead(&mut k);
    Some(k)
}

impl Stored {
    fn block(&mut self, k: &mut Kernel, mut b: Block) -> Block {
        let mut out = Vec::with_capacity(b.insts.len());
        for mut i in b.insts {
            i.blocks = i.blocks.into_iter().map(|b| self.block(k, b)).collect();
            match i.op {
                // Kernels look at where it starts before they read neighbours at once.
                Op::Param(p) if self.odd >> p & 1 != 0 => {
                    let start = behind(k, &mut out, p);
                    let none = define(k, &mut out, Op::Const(0), Type::U64, &[]);
                    out.push(Inst::new(Op::Add, i.dst, Ids::from(&[start, none][..])));
                }
                Op::Load { space: Space::Global, offset } => match self.of(k, i.args.at(0)) {
                    Some(p) => self.load(k, &mut out, p, offset, &i),
                    None => out.push(i),
                },
                Op::Store { space: Space::Global, offset } => match self.of(k, i.args.at(0)) {
                    Some(p) => self.store(k, &mut out, p, offset, &i),
                    None => out.push(i),
                },
                Op::Hopper(Hopper::Prefetch) => {
                    let at = match self.of(k, i.args.at(0)) {
                        Some(p) => self.half_way(k, &mut out, p, i.args.at(0)),
                        None => i.args.at(0),
                    };
                    out.push(Inst::new(i.op, Ids::NONE, Ids::from(&[at][..])));
                }
                // No kernel does these with an operand that may lie so.
                Op::Atomic { space: Space::Global, .. } | Op::CopyAsync { .. } => {
                    let at = usize::from(matches!(i.op, Op::CopyAsync { .. }));
                    self.failed |= self.of(k, i.args.at(at)).is_some();
                    out.push(i);
                }
                _ => out.push(i),
            }
        }
        b.insts = out;
        b
    }

    /// The parameter that an address points into, if that lies as `bf16`.
    fn of(&mut self, k: &Kernel, at: Id) -> Option<u32> {
        let into = self.reach.known(at) & self.operands;
        if into & self.halves == 0 {
            return None;
        }
        self.failed |= into.count_ones() != 1 || k.ty(at).bytes() != 8;
        Some(into.trailing_zeros())
    }

    fn offset(&mut self, offset: i32) -> i32 {
        self.failed |= offset % 4 != 0;
        offset / 2
    }

    /// The address of an element where all take half their bytes: the mean of its address and that of the first.
    fn half_way(&self, k: &mut Kernel, out: &mut Vec<Inst>, p: u32, at: Id) -> Id {
        let first = match self.odd >> p & 1 {
            0 => define(k, out, Op::Param(p), Type::U64, &[]),
            _ => behind(k, out, p),
        };
        let sum = define(k, out, Op::Add, Type::U64, &[at, first]);
        let one = define(k, out, Op::Const(1), Type::U32, &[]);
        define(k, out, Op::Shr, Type::U64, &[sum, one])
    }

    fn four_bytes(&mut self, ty: Type) {
        self.failed |= ty.bytes() != 4;
    }

    fn load(&mut self, k: &mut Kernel, out: &mut Vec<Inst>, p: u32, offset: i32, i: &Inst) {
        self.four_bytes(k.ty(i.dst.at(0)));
        let at = self.half_way(k, out, p, i.args.at(0));
        let bits = self.bits(k, out, at, offset, i.dst.len());
        for (to, bits) in i.dst.iter().zip(bits) {
            out.push(Inst::new(Op::Bitcast, Ids::from(&[*to][..]), Ids::from(&[bits][..])));
        }
    }

    /// So many elements from an address on, as the bits of `f32`.
    fn bits(&mut self, k: &mut Kernel, out: &mut Vec<Inst>, at: Id, offset: i32, many: usize) -> Vec<Id> {
        let op = Op::Load { space: Space::Global, offset: self.offset(offset) };
        let sixteen = define(k, out, Op::Const(16), Type::U32, &[]);
        if many == 1 {
            let short = define(k, out, op, Type::U16, &[at]);
            let word = define(k, out, Op::Convert, Type::U32, &[short]);
            return Vec::from([define(k, out, Op::Shl, Type::U32, &[word, sixteen])]);
        }
        let words: Ids = (0..many / 2).map(|_| k.fresh(Type::U32)).collect();
        out.push(Inst::new(op, words.clone(), Ids::from(&[at][..])));
        let mask = define(k, out, Op::Const(0xffff_0000), Type::U32, &[]);
        let mut all = Vec::with_capacity(many);
        for word in words.iter() {
            all.push(define(k, out, Op::Shl, Type::U32, &[*word, sixteen]));
            all.push(define(k, out, Op::And, Type::U32, &[*word, mask]));
        }
        all
    }

    fn store(&mut self, k: &mut Kernel, out: &mut Vec<Inst>, p: u32, offset: i32, i: &Inst) {
        let ty = k.ty(i.args.at(1));
        self.four_bytes(ty);
        let at = self.half_way(k, out, p, i.args.at(0));
        let values: Vec<Id> = i.args.iter().skip(1).copied().collect();
        let values: Vec<Id> = match ty {
            Type::F32 => values,
            _ => values.into_iter().map(|v| define(k, out, Op::Bitcast, Type::F32, &[v])).collect(),
        };
        let pack = Op::Pack(Group::Bf16);
        let op = Op::Store { space: Space::Global, offset: self.offset(offset) };
        let args: Ids = if let [one] = values[..] {
            let zero = define(k, out, Op::Const(0), Type::F32, &[]);
            let word = define(k, out, pack, Type::B32, &[zero, one]);
            let word = define(k, out, Op::Bitcast, Type::U32, &[word]);
            let short = define(k, out, Op::Convert, Type::U16, &[word]);
            Ids::from(&[at, short][..])
        } else {
            let pairs = values.as_chunks::<2>().0;
            let words: Vec<Id> =
                pairs.iter().map(|[low, high]| define(k, out, pack, Type::B32, &[*high, *low])).collect();
            core::iter::once(at).chain(words).collect()
        };
        out.push(Inst::new(op, Ids::NONE, args));
    }
}

/// Where an operand starts that is odd.
fn behind(k: &mut Kernel, out: &mut Vec<Inst>, p: u32) -> Id {
    let word = define(k, out, Op::Param(p), Type::U64, &[]);
    let two = define(k, out, Op::Const(2), Type::U64, &[]);
    define(k, out, Op::Add, Type::U64, &[word, two])
}

#[cfg(test)]
mod tests {
    use super::super::super::builder::{Builder, Value};
    use super::super::super::ir::{Rmw, Space};
    use super::super::super::types::{F32, U32, U64};
    use super::store_halves;

    /// What a kernel does with a word and its second operand.
    type Does = dyn for<'b> Fn(&'b Builder, Value<'b, U32>, Value<'b, U64>);

    /// Whether a kernel that reads its first operand has a form with these as halves.
    fn has(halves: u64, does: &Does) -> bool {
        let b = Builder::new("k");
        b.threads([32, 1, 1]);
        let (x, y) = (b.param::<U64>(), b.param::<U64>());
        does(&b, b.load::<F32>(Space::Global, x, 4).cast(), y);
        store_halves(&b.finish().unwrap(), [0b11, halves, 0]).is_some()
    }

    #[test]
    fn operands_of_halves_are_read_and_written_by_elements_alone() {
        let put: &Does = &|b, v, y| b.store(Space::Global, y, 8, v);
        assert!(has(0b01, put) && has(0b10, put) && has(0b11, put), "a word that is written");
        let refused: [(&str, &Does); 4] = [
            ("an atomic sum", &|b, v, y| {
                b.atomic(Space::Global, Rmw::Add, y, v);
            }),
            ("a copy", &|b, v, y| {
                let scratch = b.shared(32, 16);
                b.copy_async(scratch, y, 16);
                b.copy_commit();
                b.copy_wait(0);
                b.store(Space::Shared, scratch, 16, v);
            }),
            ("eight bytes", &|b, v, y| b.store(Space::Global, y, 8, v.to::<U64>())),
            ("half an element", &|b, v, y| b.store(Space::Global, y, 2, v)),
        ];
        for (what, does) in refused {
            assert!(has(0b01, does) && !has(0b10, does) && !has(0b11, does), "{what}");
        }
    }
}
