//! Divides C into blocks for several threads, each of which packs its own panels.

use super::tune;
use crate::lanes::executor::Executor;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::{MatMut, MatRef};

/// On how many threads so many multiplications run with a workspace of `got` elements, `needed` for each.
#[inline(always)]
pub(super) fn parts<J: Executor>(j: J, work: usize, needed: usize, got: usize) -> usize {
    if J::SERIAL {
        return 1;
    }
    j.threads().min(work / tune::GRAIN).min(got.checked_div(needed).unwrap_or(usize::MAX))
}

/// Rows and columns of the register tile.
pub(super) fn tile<S: Simd, T: Element>() -> [usize; 2] {
    [tune::rows(S::ISA), tune::vectors(S::ISA) * T::Vec::<S>::LANES]
}

/// So many parts of C, cut between tiles: `run` gets where a part begins, what it takes of A and B, the part, and its share of
/// the workspace.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(super) fn divide<J: Executor, A: Sync, B: Sync, C: Send, W: Send>(
    j: J,
    parts: usize,
    tile: [usize; 2],
    a: MatRef<'_, A>,
    b: MatRef<'_, B>,
    c: MatMut<'_, C>,
    workspace: &mut [W],
    run: impl Fn([usize; 2], MatRef<'_, A>, MatRef<'_, B>, MatMut<'_, C>, &mut [W]) + Sync,
) {
    halves(j, parts, tile, [0, 0], c, workspace, &|[row, col], c, workspace| {
        let (rows, cols) = (c.rows(), c.cols());
        let (a, b) = (a.block([row, 0], [rows, usize::MAX]), b.block([0, col], [usize::MAX, cols]));
        run([row, col], a, b, c, workspace);
    });
}

/// Halves of the longer side. Halves of columns, each of which packs its part of B alone, were slower: 0.85 to 0.92 of the crate
/// gemm where halves of rows reach 0.9 to 1.0.
fn halves<J: Executor, C: Send, W: Send>(
    j: J,
    parts: usize,
    tile: [usize; 2],
    at: [usize; 2],
    c: MatMut<'_, C>,
    workspace: &mut [W],
    run: &(impl Fn([usize; 2], MatMut<'_, C>, &mut [W]) + Sync),
) {
    let ([rows, cols], [row, col]) = ([c.rows(), c.cols()], at);
    let down = rows >= cols;
    let (all, unit) = if down { (rows, tile[0]) } else { (cols, tile[1]) };
    let cut = (all / parts.max(1) * (parts / 2)).next_multiple_of(unit);
    if J::SERIAL || parts <= 1 || cut >= all {
        return run(at, c, workspace);
    }
    let split = if down { c.split_rows(cut) } else { c.split_cols(cut) };
    let (Ok((c0, c1)), next) = (split, if down { [row + cut, col] } else { [row, col + cut] }) else {
        return;
    };
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    j.join(
        usize::MAX,
        || halves(j, parts / 2, tile, at, c0, w0, run),
        || halves(j, parts - parts / 2, tile, next, c1, w1, run),
    );
}
