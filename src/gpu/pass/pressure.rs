//! Estimates register pressure: how many registers are live at once.

use super::super::ir::{Block, Id, Kernel, Op};
use super::super::types::Type;
use alloc::collections::BTreeSet;

/// The largest number of 32-bit registers that hold values still needed; constants and predicates need none.
#[must_use]
pub fn pressure(k: &Kernel) -> u32 {
    if !k.is_shallow() {
        return 0;
    }
    let mut most = 0;
    let mut live = BTreeSet::new();
    block(k, &k.body, &mut live, &mut most);
    most
}

fn width(k: &Kernel, id: Id) -> u32 {
    match k.ty(id) {
        Type::Pred => 0,
        ty => ty.bits().div_ceil(32),
    }
}

fn note(k: &Kernel, live: &BTreeSet<Id>, most: &mut u32) {
    *most = (*most).max(live.iter().map(|id| width(k, *id)).sum());
}

/// Backwards from what is live at the end; leaves what is live at the start.
fn block(k: &Kernel, b: &Block, live: &mut BTreeSet<Id>, most: &mut u32) {
    live.extend(b.yields.iter());
    for i in b.insts.iter().rev() {
        note(k, live, most);
        i.dst.iter().for_each(|d| {
            live.remove(d);
        });
        if matches!(i.op, Op::Const(_)) {
            continue;
        }
        let looped = matches!(i.op, Op::For { .. } | Op::Repeat);
        let mut before = live.clone();
        for b in &i.blocks {
            let mut inside = live.clone();
            if looped {
                // What a turn reads from outside is live through all turns.
                inside.extend(i.args.iter().take(3));
                let mut first = inside.clone();
                block(k, b, &mut first, &mut 0);
                inside.extend(first.iter().filter(|id| !b.params.contains(id)));
            }
            block(k, b, &mut inside, most);
            b.params.iter().for_each(|p| {
                inside.remove(p);
            });
            before.extend(inside);
        }
        *live = before;
        live.extend(i.args.iter());
        note(k, live, most);
    }
}
