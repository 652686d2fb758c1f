//! The five loops around the micro-kernel, as in BLIS: they divide C into cache blocks, pack the panels of B, and call
//! the micro-kernel for each register tile.
//!
//! | loop | over | block | why |
//! |---|---|---|---|
//! | 5 | columns of C | `NC` | the packed block of B fits the second-level cache |
//! | 4 | inner dimension | `KC` | a pass of the register tile amortises its update of C |
//! | 3 | rows of C | band | each panel of B reads the rows of A of the band again |
//! | 2 | columns of C | `NR` | one panel of B |
//! | 1 | rows of C | `MR` | one register tile |
//!
//! The first tile that reads a panel of B packs it, as its rows are in registers then.

use super::epilogue::Epilogue;
use super::micro::{Lhs, tiles};
use super::tile::Scale;
use super::{Problem, pack, tune};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::parts::LINE;
use crate::view::MatRef;

/// Which operands are packed, and the rows of C that share a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub pack_a: bool,
    pub pack_b: bool,
    pub band: usize,
    /// Vectors of columns in a block.
    pub block: usize,
    /// The deepest pass.
    pub depth: usize,
    /// Whether the operands don't stay in the second-level cache, so that C is prefetched.
    pub prefetch: bool,
    /// Whether C does not stay in any cache, so that it is stored non-temporally.
    pub stream: bool,
}

/// Where B's panels are.
pub(super) enum Rhs<'a, T> {
    /// To be packed into this scratch; or not at all.
    PackInto(&'a mut [T]),
    /// Packed before by [`pack`].
    Packed(&'a [T]),
}

/// The next part of `left`: `most`, unless the last two would be uneven.
#[inline(always)]
pub(crate) const fn share(left: usize, most: usize) -> usize {
    if left >= 2 * most {
        most
    } else if left > most {
        left.div_ceil(2)
    } else {
        left
    }
}

/// Columns of the next block, in vectors: whole panels but for the last block, so that the panels are the
/// same whatever the block.
#[inline(always)]
pub(super) const fn blocks(left: usize, most: usize, nv: usize) -> usize {
    let most = if most < 4 * nv { 4 * nv } else { most / nv * nv };
    let part = share(left, most);
    let whole = part.next_multiple_of(nv);
    if part == left || whole >= left { left } else { whole }
}

/// Packs all of B for [`Rhs::Packed`]: pass after pass, panel after panel.
pub(super) fn pack<S: Simd, T: Element>(s: S, b: MatRef<'_, T>, to: &mut [T]) {
    let lanes = T::Vec::<S>::LANES;
    let (k, vectors) = (b.rows(), b.cols().div_ceil(lanes));
    if vectors == 0 {
        return;
    }
    let depth = pass(S::ISA, k);
    let (mut pc, mut rest) = (0, to);
    while pc < k {
        let kb = depth.min(k - pc);
        let mut jr = 0;
        while jr < vectors {
            let width = share(vectors - jr, tune::vectors(S::ISA)) * lanes;
            let Some((panel, after)) = rest.split_at_mut_checked(width * kb) else { return };
            pack::panel(s, b.block([pc, jr * lanes], [kb, width]), width, panel);
            (rest, jr) = (after, jr + width / lanes);
        }
        pc += kb;
    }
}

/// Rows of the next call of the register tile: all whole tiles at once (one, if it packs), then the rest.
#[inline(always)]
pub(super) const fn run_of(left: usize, mr: usize, one: bool) -> usize {
    if left < 2 * mr || one { share(left, mr) } else { (left / mr - !left.is_multiple_of(mr) as usize) * mr }
}

/// The inner dimension of each pass: it depends on `k` alone.
#[inline(always)]
pub(super) const fn pass(isa: crate::lanes::Isa, k: usize) -> usize {
    let passes = k.div_ceil(tune::depth(isa));
    if passes <= 1 { k } else { k.div_ceil(passes) }
}

impl Plan {
    /// For this A and B.
    #[inline(always)]
    pub(super) fn new<S: Simd, T: Element>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Self {
        let lanes = T::Vec::<S>::LANES;
        let (m, k, n) = (a.rows(), a.cols(), b.cols());
        let mr = tune::rows(S::ISA);
        let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
        let small = bytes(k.saturating_mul(n)) <= tune::DIRECT_BYTES;
        // Rows of B that lie close together are read where they are.
        let close = b.col_stride() == 1 && bytes(b.row_stride().unsigned_abs()) <= tune::DIRECT_STRIDE;
        let unit = b.col_stride() == 1 || n <= 1;
        let pack_b = !(unit && (small || close || m < 4 * mr));
        let pack_a = a.col_stride() != 1 && k > 1 && !small;
        let depth = pass(S::ISA, k);
        // Deep passes take one tile of rows past all of B, shallow ones as many as the first-level cache holds.
        let rows = (tune::band(S::ISA) / depth.max(1)).clamp(1, tune::MOST_BAND / mr) * mr;
        let band = if pack_a || (pack_b && m > tune::FEW) { rows.min(m.max(1)) } else { m.max(1) };
        let most = (tune::block(S::ISA) / depth.max(1)).max(4 * tune::vectors(S::ISA));
        let block = n.div_ceil(lanes).min(most);
        let all = m.saturating_mul(n).saturating_add(k.saturating_mul(m.saturating_add(n)));
        let prefetch = pack_b && bytes(all) > tune::NEAR_BYTES;
        let stream = T::Vec::<S>::STREAMS && bytes(m.saturating_mul(n)) >= tune::STREAM_BYTES;
        Self { pack_a, pack_b, band, block, depth, prefetch, stream }
    }

    /// Elements of workspace.
    #[inline(always)]
    pub(super) const fn needed<S: Simd, T: Element>(self) -> usize {
        match self.scratch(T::Vec::<S>::LANES) {
            (0, 0) => 0,
            (a, b) => a + b + LINE,
        }
    }

    /// Elements of A's and B's packed parts.
    #[inline(always)]
    pub(super) const fn scratch(self, lanes: usize) -> (usize, usize) {
        let a = if self.pack_a { self.depth * self.band } else { 0 };
        let b = if self.pack_b { self.depth * self.block * lanes } else { 0 };
        (a, b)
    }
}

/// [`tile_by_tile`] for a C of one tile.
#[inline(always)]
pub(super) fn one_tile<S: Simd, T: Element, E: Epilogue<T>>(s: S, e: E, p: Problem<'_, T>) {
    let Problem { alpha, beta, a, b, c } = p;
    tiles(s, e, Scale::one_pass(alpha, beta), Lhs::Strided(a), b, c, [0, 0], None);
}

/// [`run`] for operands that are read where they are: at sizes where every instruction before the first tile shows.
#[inline(always)]
pub(super) fn tile_by_tile<S: Simd, T: Element, E: Epilogue<T>>(s: S, e: E, p: Problem<'_, T>) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let scale = Scale::one_pass(alpha, beta);
    let lanes = T::Vec::<S>::LANES;
    let (mr, nv) = (tune::rows(S::ISA), tune::vectors(S::ISA));
    let (m, k, vectors) = (c.rows(), b.rows(), c.cols().div_ceil(lanes));
    let mut jr = 0;
    while jr < vectors {
        let width = share(vectors - jr, nv);
        let col = jr * lanes;
        let panel = b.block([0, col], [k, width * lanes]);
        let mut ir = 0;
        while ir < m {
            let rows = run_of(m - ir, mr, false);
            let tile = c.reborrow().block([ir, col], [rows, width * lanes]);
            tiles(s, e, scale, Lhs::Strided(a.block([ir, 0], [rows, k])), panel, tile, [ir, col], None);
            ir += rows;
        }
        jr += width;
    }
}

/// `C = βC + αAB`, then the epilogue if `last`. `scratch_a` and `scratch_b` are as long as [`Plan::scratch`] says.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a product, and where its operands are packed")]
pub(super) fn run<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    p: Problem<'_, T>,
    plan: Plan,
    last: bool,
    scratch_a: &mut [T],
    mut right: Rhs<'_, T>,
) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (lanes, nv) = (T::Vec::<S>::LANES, tune::vectors(S::ISA));
    let (m, k, vectors) = (c.rows(), a.cols(), c.cols().div_ceil(lanes));
    // Loop 5.
    let mut jc = 0;
    while jc < vectors {
        let width = blocks(vectors - jc, plan.block, nv);
        let (col, cols) = (jc * lanes, width * lanes);
        // Loop 4; once for k = 0, which still scales C.
        let mut pc = 0;
        loop {
            let kb = plan.depth.min(k - pc);
            let p = Problem {
                alpha,
                beta: if pc == 0 { beta } else { T::ONE },
                a: a.block([0, pc], [m, kb]),
                b: b.block([pc, col], [kb, cols]),
                c: c.reborrow().block([0, col], [m, cols]),
            };
            let right = match &mut right {
                Rhs::PackInto(scratch) => Rhs::PackInto(scratch),
                Rhs::Packed(all) => {
                    Rhs::Packed(all.get((pc * vectors + jc * kb) * lanes..).unwrap_or_default())
                }
            };
            block(s, e.part([0, col]), p, plan, last && pc + kb == k, scratch_a, right);
            pc += kb;
            if pc >= k {
                break;
            }
        }
        jc += width;
    }
}

/// [`run`] for the columns of one block in one pass.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "as `run`")]
pub(super) fn block<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    p: Problem<'_, T>,
    plan: Plan,
    last: bool,
    scratch_a: &mut [T],
    right: Rhs<'_, T>,
) {
    let Problem { alpha, beta, a, b, mut c } = p;
    let (lanes, mr, nv) = (T::Vec::<S>::LANES, tune::rows(S::ISA), tune::vectors(S::ISA));
    let (m, k, vectors) = (c.rows(), a.cols(), c.cols().div_ceil(lanes));
    let unit = b.col_stride() == 1 || b.cols() <= 1;
    // Whole lines of C, written once and not soon read.
    let lines = (c.ptr().addr() | (c.row_stride().unsigned_abs() * size_of::<T>())).is_multiple_of(64);
    let stream = plan.stream && lines && last && beta == T::ZERO;
    let scale = Scale { alpha, beta, last, prefetch: plan.prefetch && !stream, stream };
    let (scratch_b, ready) = match right {
        Rhs::PackInto(scratch) => (scratch, None),
        Rhs::Packed(panels) => (&mut [][..], Some(panels)),
    };
    // Loop 3.
    let mut ic = 0;
    while ic < m {
        let band = plan.band.min(m - ic);
        if plan.pack_a {
            let mut i = 0;
            while i < band {
                let rows = share(band - i, mr);
                let to = scratch_a.get_mut(i * k..(i + rows) * k).unwrap_or_default();
                pack::interleave(s, a.block([ic + i, 0], [rows, k]), to);
                i += rows;
            }
        }
        // Loop 2.
        let mut jr = 0;
        while jr < vectors {
            let width = share(vectors - jr, nv) * lanes;
            let col = jr * lanes;
            // One band needs one panel at a time.
            let start = if band == m { 0 } else { col * k };
            let panel = scratch_b.get_mut(start..start + width * k).unwrap_or_default();
            let done = ready.map(|all| all.get(col * k..(col + width) * k).unwrap_or_default());
            let rows_of_b = b.block([0, col], [k, width]);
            if plan.pack_b && !unit && ic == 0 && done.is_none() {
                pack::panel(s, rows_of_b, width, panel);
            }
            // Loop 1.
            let mut ir = 0;
            while ir < band {
                let first = plan.pack_b && unit && ic + ir == 0;
                let rows = run_of(band - ir, mr, first);
                let at = [ic + ir, col];
                let left = if plan.pack_a {
                    Lhs::Packed(scratch_a.get(ir * k..(ir + rows) * k).unwrap_or_default(), k)
                } else {
                    Lhs::Strided(a.block([at[0], 0], [rows, k]))
                };
                let tile = c.reborrow().block(at, [rows, width]);
                if let Some(done) = done {
                    tiles(s, e, scale, left, MatRef::packed(done, k, width), tile, at, None);
                } else if !plan.pack_b {
                    tiles(s, e, scale, left, rows_of_b, tile, at, None);
                } else if first {
                    tiles(s, e, scale, left, rows_of_b, tile, at, Some(&mut *panel));
                } else {
                    tiles(s, e, scale, left, MatRef::packed(panel, k, width), tile, at, None);
                }
                ir += rows;
            }
            jr += width / lanes;
        }
        ic += band;
    }
    if stream {
        // Others may read C from here on.
        T::Vec::<S>::fence(s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::native;
    use crate::view::MatMut;

    #[repr(align(64))]
    struct Lines([f32; 16384]);

    /// The same bits with and without prefetches and non-temporal stores.
    #[test]
    fn hints_do_not_show() {
        fn one<S: Simd>(s: S) {
            let x = Lines(core::array::from_fn(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0));
            let lanes = <f32 as Element>::Vec::<S>::LANES;
            let (mr, nr) = (tune::rows(S::ISA), tune::vectors(S::ISA) * lanes);
            let (m, n, k) = (4 * mr + 1, (3 * nr + lanes).next_multiple_of(16), 9);
            let product = |prefetch, stream| {
                let (mut c, mut scratch) = (Lines([f32::NAN; 16384]), Lines([0.0; 16384]));
                let (a, b) = (MatRef::packed(&x.0, m, k), MatRef::packed(&x.0, k, n));
                let plan = Plan::new::<S, f32>(a, b);
                let plan = Plan { pack_b: true, pack_a: false, band: m, block: n, prefetch, stream, ..plan };
                let p = Problem { alpha: 1.0, beta: 0.0, a, b, c: MatMut::packed(&mut c.0, m, n) };
                run(s, (), p, plan, true, &mut [], Rhs::PackInto(&mut scratch.0));
                c.0.map(f32::to_bits)
            };
            let want = product(false, false);
            for (prefetch, stream) in [(true, false), (false, true), (true, true)] {
                assert!(product(prefetch, stream) == want, "{prefetch} {stream}");
            }
        }
        one(native());
        one(crate::lanes::Portable::<4>::new());
    }
}
