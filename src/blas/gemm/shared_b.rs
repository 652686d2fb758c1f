//! The matrix product on several threads that share one packed B.
//!
//! | phase of a block | cut along | a part |
//! |---|---|---|
//! | 1 | columns | multiplies the first tile of rows, which packs its panels of B |
//! | 2 | rows | multiplies its rows by all panels |
//!
//! No panel is packed twice. There are more blocks of rows than threads, so that a thread that was delayed takes fewer.

use super::epilogue::Epilogue;
use super::loops::{self, Plan, Rhs, share};
use super::{Problem, tune};
use crate::lanes::executor::Executor;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::parts::aligned;

/// Whether this is the way: B is packed, and the rows are enough for parts that outweigh the two waits of a block.
#[inline(always)]
pub(super) fn applies<S: Simd, T: Element>(
    p: &Problem<'_, T>,
    plan: Plan,
    work: usize,
    parts: usize,
) -> bool {
    let rows = (p.c.rows() / tune::rows(S::ISA)).saturating_sub(1);
    plan.pack_b
        && parts > 1
        && rows >= 2 * parts
        && p.c.cols() >= tune::vectors(S::ISA) * T::Vec::<S>::LANES
        && work / parts >= tune::TOGETHER
}

/// What all parts of one pass share.
#[derive(Clone, Copy)]
struct Pass {
    plan: Plan,
    last: bool,
}

/// `C = αAB + βC`, then the epilogue; the workspace is long enough for `parts` threads.
pub(super) fn run<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    plan: Plan,
    workspace: &mut [T],
    parts: usize,
) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (lanes, mr, nv) = (T::Vec::<S>::LANES, tune::rows(S::ISA), tune::vectors(S::ISA));
    let (m, k, vectors) = (c.rows(), a.cols(), c.cols().div_ceil(lanes));
    let (scratch_a, _) = plan.scratch(lanes);
    let Some((scratch_a, scratch_b)) = aligned(workspace).split_at_mut_checked(parts * scratch_a) else {
        return;
    };
    // A's packed rows need room for each part.
    let turns = if plan.pack_a { parts } else { parts * tune::TURNS };
    // As many columns as fit: fewer waits.
    let most = scratch_b.len() / (plan.depth.max(1) * lanes);
    let mut jc = 0;
    while jc < vectors {
        let width = loops::blocks(vectors - jc, most, nv);
        let (col, cols) = (jc * lanes, width * lanes);
        let mut pc = 0;
        while pc < k {
            let kb = plan.depth.min(k - pc);
            let Some(panels) = scratch_b.get_mut(..cols * kb) else { return };
            let beta = if pc == 0 { beta } else { T::ONE };
            let (a, b) = (a.block([0, pc], [m, kb]), b.block([pc, col], [kb, cols]));
            let pass = Pass { plan, last: pc + kb == k };
            let e = e.part([0, col]);
            let Ok((top, below)) = c.reborrow().block([0, col], [m, cols]).split_rows(mr) else { return };
            let first = Problem { alpha, beta, a: a.block([0, 0], [mr, kb]), b, c: top };
            across(j, s, e, first, pass, (scratch_a, panels), parts);
            let rest = Problem { alpha, beta, a: a.block([mr, 0], [m, kb]), b, c: below };
            down(j, s, e.part([mr, 0]), rest, pass, (scratch_a, panels), turns);
            pc += kb;
        }
        jc += width;
    }
}

/// Phase 1: one tile of rows.
fn across<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    pass: Pass,
    (scratch_a, scratch_b): (&mut [T], &mut [T]),
    parts: usize,
) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (lanes, nv) = (T::Vec::<S>::LANES, tune::vectors(S::ISA));
    let (k, vectors) = (b.rows(), c.cols().div_ceil(lanes));
    let cut = vectors / nv * (parts / 2) / parts.max(1) * nv;
    // Panels as those of the whole: the last two may be narrower.
    if parts > 1 && cut > 0 && vectors - cut >= nv {
        let col = cut * lanes;
        let Ok((c0, c1)) = c.split_cols(col) else { return };
        let (p0, p1) = (
            Problem { alpha, beta, a, b, c: c0 }.fitted(),
            Problem { alpha, beta, a, b: b.block([0, col], [usize::MAX; 2]), c: c1 },
        );
        let (a0, a1) = scratch_a.split_at_mut(scratch_a.len() / parts * (parts / 2));
        let Some((b0, b1)) = scratch_b.split_at_mut_checked(col * k) else { return };
        j.join(
            usize::MAX,
            || across(j, s, e, p0, pass, (a0, b0), parts / 2),
            || across(j, s, e.part([0, col]), p1, pass, (a1, b1), parts - parts / 2),
        );
        return;
    }
    let (mut jr, mut rest) = (0, scratch_b);
    while jr < vectors {
        let width = share(vectors - jr, nv) * lanes;
        let col = jr * lanes;
        let Some((panel, after)) = rest.split_at_mut_checked(width * k) else { return };
        let c = c.reborrow().block([0, col], [usize::MAX, width]);
        let p = Problem { alpha, beta, a, b: b.block([0, col], [k, width]), c };
        loops::block(s, e.part([0, col]), p, pass.plan, pass.last, scratch_a, Rhs::PackInto(panel));
        (rest, jr) = (after, jr + width / lanes);
    }
}

/// Phase 2: the other rows.
fn down<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    pass: Pass,
    (scratch_a, panels): (&mut [T], &[T]),
    parts: usize,
) {
    let Problem { alpha, beta, a, b, c } = p;
    let rows = c.rows();
    let cut = (rows / parts.max(1) * (parts / 2)).next_multiple_of(tune::rows(S::ISA));
    if parts <= 1 || cut >= rows {
        let p = Problem { alpha, beta, a, b, c };
        return loops::run(s, e, p, pass.plan, pass.last, scratch_a, Rhs::Packed(panels));
    }
    let Ok((c0, c1)) = c.split_rows(cut) else { return };
    let (p0, p1) = (
        Problem { alpha, beta, a, b, c: c0 }.fitted(),
        Problem { alpha, beta, a: a.block([cut, 0], [usize::MAX; 2]), b, c: c1 },
    );
    let (a0, a1) = scratch_a.split_at_mut(scratch_a.len() / parts * (parts / 2));
    j.join(
        usize::MAX,
        || down(j, s, e, p0, pass, (a0, panels), parts / 2),
        || down(j, s, e.part([cut, 0]), p1, pass, (a1, panels), parts - parts / 2),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::executor::Serial;
    use crate::lanes::native;
    use crate::{BiasCol, MatMut, MatRef};

    /// The bits of one thread, whatever the parts, the layouts of A and B and the length of the workspace.
    fn same_bits<S: Simd>(s: S) {
        let x: [f32; 8192] = core::array::from_fn(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0);
        let (mr, lanes) = (tune::rows(S::ISA), <f32 as Element>::Vec::<S>::LANES);
        let nr = tune::vectors(S::ISA) * lanes;
        for (m, n, k) in
            [(4 * mr + 3, nr, 5), (5 * mr, 2 * nr + 1, 7), (4 * mr + 1, 4 * nr + 2 * lanes + 1, 9)]
        {
            for [ta, tb] in [[false, false], [true, false], [false, true], [true, true]] {
                let view = |t: bool, rows, cols| {
                    if t { MatRef::packed(&x, cols, rows).t() } else { MatRef::packed(&x, rows, cols) }
                };
                let (a, b, e) = (view(ta, m, k), view(tb, k, n), BiasCol(x.get(..n).unwrap_or_default()));
                let product = |parts: usize| {
                    let (mut c, mut scratch) = ([0.5f32; 8192], [0.0f32; 16384]);
                    let p = Problem { alpha: 0.3, beta: 0.7, a, b, c: MatMut::packed(&mut c, m, n) };
                    // Several passes and several blocks.
                    let small = Plan {
                        depth: 4,
                        block: 4 * tune::vectors(S::ISA),
                        pack_b: true,
                        pack_a: ta,
                        ..Plan::new::<S, f32>(a, b)
                    };
                    let plan = Plan { band: mr, ..small };
                    let needed = plan.needed::<S, f32>() * parts.max(1);
                    let scratch = scratch.get_mut(..needed).unwrap();
                    if parts == 0 {
                        let (_, scratch_b) = plan.scratch(lanes);
                        let (b, a) = scratch.split_at_mut(scratch_b);
                        loops::run(s, e, p, plan, true, a, Rhs::PackInto(b));
                    } else {
                        run(Serial, s, e, p, plan, scratch, parts);
                    }
                    c.map(f32::to_bits)
                };
                let want = product(0);
                for parts in 1..=4 {
                    assert!(product(parts) == want, "{m}x{k}x{n} {ta} {tb} on {parts}");
                }
            }
        }
    }

    #[test]
    fn parts_do_not_show() {
        same_bits(native());
        same_bits(crate::lanes::Portable::<4>::new());
    }
}
