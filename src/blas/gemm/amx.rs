//! The matrix product on AMX: three loops around a block of 32 by 32 elements of C, which stays in four tile registers.
//!
//! | loop | over | block | why |
//! |---|---|---|---|
//! | 5 | columns of C | `BLOCK` | the packed block of B fits the second-level cache |
//! | 4 | inner dimension | `DEPTH` | a panel of A and one of B fit the first-level cache |
//! | 3 | rows of C | `BAND` | the packed band of A fits the second-level cache beside B |
//! | 2, 1 | columns, rows | 32 | one quad of tiles |

use super::amx_pack;
use super::threads::divide;
use super::tune::Tiling;
use crate::error::{Error, enough, same_shape};
use crate::lanes::amx::{AmxTile, Quad, TileConfig, Words};
use crate::lanes::executor::Executor;
use crate::lanes::{Amx, Avx512, Simd};
use crate::view::{MatMut, MatRef};

/// Rows and columns of four tiles.
pub(crate) const SIDE: usize = 32;

/// An element of C.
pub(super) trait Sum: PartialEq + Send + Sync + Words {
    const ZERO: Self;
    const ONE: Self;
    fn of(word: u32) -> Self;
    fn word(self) -> u32;
    /// `self·x + beta·y`, without the second term for β = 0.
    fn blend(self, x: Self, beta: Self, y: Self) -> Self;
}

impl Sum for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    #[inline(always)]
    fn of(word: u32) -> Self {
        Self::from_bits(word)
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self.to_bits()
    }
    #[inline(always)]
    fn blend(self, x: Self, beta: Self, y: Self) -> Self {
        if beta == 0.0 { self * x } else { self * x + beta * y }
    }
}

impl Sum for i32 {
    const ZERO: Self = 0;
    const ONE: Self = 1;
    #[inline(always)]
    fn of(word: u32) -> Self {
        word.cast_signed()
    }
    #[inline(always)]
    fn word(self) -> u32 {
        self.cast_unsigned()
    }
    #[inline(always)]
    fn blend(self, x: Self, beta: Self, y: Self) -> Self {
        self.wrapping_mul(x).wrapping_add(beta.wrapping_mul(y))
    }
}

/// How elements become tiles, and tiles products.
pub(super) trait Product {
    type In: Copy + Sync;
    type Out: Sum;
    const TILING: Tiling;
    /// Packs up to 16 rows by a step of A into each second one of `to`, from `half` on.
    fn left(s: Avx512, a: MatRef<'_, Self::In>, to: &mut [AmxTile], half: usize);
    /// Packs a step by up to 16 columns of B likewise.
    fn right(s: Avx512, b: MatRef<'_, Self::In>, to: &mut [AmxTile], half: usize);
    /// # Safety
    /// As the kernels of [`TileConfig`].
    unsafe fn run(t: &TileConfig, a: *const AmxTile, b: *const AmxTile, steps: usize, quad: Quad, add: bool);
}

/// Elements that fill groups of 32 bits.
pub(super) struct Single<T>(core::marker::PhantomData<T>);
/// `f32` in three parts of eight bits, six products.
pub(super) struct Six;
/// `f32` in two parts of eight bits, three products.
pub(super) struct Three;

macro_rules! product {
    ($P:ty, $In:ty, $Out:ty, $tiling:ident, $kernel:ident, $left:expr, $right:expr) => {
        impl Product for $P {
            type In = $In;
            type Out = $Out;
            const TILING: Tiling = Tiling::$tiling;
            #[inline(always)]
            fn left(s: Avx512, a: MatRef<'_, $In>, to: &mut [AmxTile], half: usize) {
                $left(s, a, to, half)
            }
            #[inline(always)]
            fn right(s: Avx512, b: MatRef<'_, $In>, to: &mut [AmxTile], half: usize) {
                $right(s, b, to, half)
            }
            #[inline(always)]
            unsafe fn run(
                t: &TileConfig,
                a: *const AmxTile,
                b: *const AmxTile,
                steps: usize,
                quad: Quad,
                add: bool,
            ) {
                // SAFETY: the caller's promise.
                unsafe { t.$kernel(a, b, steps, quad, add) }
            }
        }
    };
}
#[cfg(feature = "half")]
product!(Single<half::bf16>, half::bf16, f32, BF16, bf16, amx_pack::left, amx_pack::right);
product!(Single<i8>, i8, i32, INT8, int8, amx_pack::left, amx_pack::right);
product!(Six, f32, f32, SIX, six, amx_pack::left_parts::<3>, amx_pack::right_parts::<3>);
product!(Three, f32, f32, THREE, three, amx_pack::left_parts::<2>, amx_pack::right_parts::<2>);

/// How a sum is stored.
#[derive(Debug, Clone, Copy)]
enum Scale<T> {
    /// It is C.
    Set,
    /// It went on from C, and is C.
    Add,
    /// `C = α·sum + βC`.
    Blend(T, T),
}

/// `C = αAB + βC`, its parts run by `j`.
///
/// With α = 1 and β = 0 the sums go on in the tiles from pass to pass; else each pass is added to C. Which
/// of the two depends on nothing else, so an element's bits depend on its row, its column, α and β.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(super) fn gemm_by<J: Executor, P: Product>(
    j: J,
    amx: Amx,
    alpha: P::Out,
    a: MatRef<'_, P::In>,
    b: MatRef<'_, P::In>,
    beta: P::Out,
    c: MatMut<'_, P::Out>,
    workspace: &mut [P::Out],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
    same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
    let (t, m, n) = (P::TILING, c.rows(), c.cols());
    let (needed, got) = (t.workspace(m, n, a.cols()), workspace.len());
    enough(needed, got)?;
    // BLAS reads neither A nor B then, and the products are 0, not NaN.
    let k = if alpha == P::Out::ZERO { 0 } else { a.cols() };
    let alpha = if k == 0 { P::Out::ZERO } else { alpha };
    if m == 0 || n == 0 || (k == 0 && beta == P::Out::ONE) {
        return Ok(());
    }
    let parts = if J::SERIAL {
        1
    } else {
        let products = t.parts * (t.parts + 1) / 2;
        let work = m.saturating_mul(n).saturating_mul(k).saturating_mul(products);
        j.threads().min(work / GRAIN).min(got.checked_div(needed).unwrap_or(usize::MAX))
    };
    let (a, b) = (a.block([0, 0], [m, k]), b.block([0, 0], [k, n]));
    divide(j, parts, [SIDE; 2], a, b, c, workspace, |_, a, b, c, workspace| {
        serial::<P>(amx, [alpha, beta], a, b, c, workspace);
    });
    Ok(())
}

/// Multiplications that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 23;

/// One thread's part; the workspace is long enough.
fn serial<P: Product>(
    amx: Amx,
    [alpha, beta]: [P::Out; 2],
    a: MatRef<'_, P::In>,
    b: MatRef<'_, P::In>,
    mut c: MatMut<'_, P::Out>,
    workspace: &mut [P::Out],
) {
    let (t, m, n, k) = (P::TILING, c.rows(), c.cols(), a.cols());
    let depth = t.pass(k);
    let (rows, cols) = (t.band(m), t.block(n));
    let scratch = AmxTile::within(workspace);
    let (scratch_a, scratch_b) = scratch.split_at_mut_checked(rows * depth * t.tiles()).unwrap_or_default();
    let tiles = amx.tiles();
    let exact = alpha == P::Out::ONE && beta == P::Out::ZERO;
    // Loop 5.
    let mut jc = 0;
    while jc < n {
        let cols = (cols * SIDE).min(n - jc);
        // Loop 4; once for k = 0, which still scales C.
        let mut pc = 0;
        loop {
            let kb = (depth * t.step).min(k - pc);
            let steps = kb.div_ceil(t.step);
            pack_right::<P>(amx, b.block([pc, jc], [kb, cols]), steps, scratch_b);
            let scale = match (exact, pc == 0) {
                (true, true) => Scale::Set,
                (true, false) => Scale::Add,
                (false, true) => Scale::Blend(alpha, beta),
                (false, false) => Scale::Blend(alpha, P::Out::ONE),
            };
            // Loop 3.
            let mut ic = 0;
            while ic < m {
                let rows = (rows * SIDE).min(m - ic);
                pack_left::<P>(amx, a.block([ic, pc], [rows, kb]), steps, scratch_a);
                let part = c.reborrow().block([ic, jc], [rows, cols]);
                panels::<P>(amx, &tiles, scale, steps, scratch_a, scratch_b, part);
                ic += rows;
            }
            pc += kb;
            if pc >= k {
                break;
            }
        }
        jc += cols;
    }
}

/// A band of A, panel after panel of 32 rows.
fn pack_left<P: Product>(amx: Amx, a: MatRef<'_, P::In>, steps: usize, scratch: &mut [AmxTile]) {
    let t = P::TILING;
    let s = amx.avx512();
    s.vectorize(
        #[inline(always)]
        || {
            for (i, panel) in scratch.chunks_exact_mut((steps * t.tiles()).max(1)).enumerate() {
                if i * SIDE >= a.rows() {
                    break;
                }
                for (p, to) in panel.chunks_exact_mut(t.tiles()).enumerate() {
                    for half in 0..2 {
                        let at = [i * SIDE + half * SIDE / 2, p * t.step];
                        P::left(s, a.block(at, [SIDE / 2, t.step]), to, half);
                    }
                }
            }
        },
    );
}

/// A block of B, panel after panel of 32 columns; read row by row.
fn pack_right<P: Product>(amx: Amx, b: MatRef<'_, P::In>, steps: usize, scratch: &mut [AmxTile]) {
    let t = P::TILING;
    let s = amx.avx512();
    s.vectorize(
        #[inline(always)]
        || {
            for p in 0..steps {
                for j in 0..b.cols().div_ceil(SIDE) {
                    let at = (j * steps + p) * t.tiles();
                    let to = scratch.get_mut(at..at + t.tiles()).unwrap_or_default();
                    for half in 0..2 {
                        let from = [p * t.step, j * SIDE + half * SIDE / 2];
                        P::right(s, b.block(from, [t.step, SIDE / 2]), to, half);
                    }
                }
            }
        },
    );
}

/// Loops 2 and 1: each 32 by 32 of this part of C.
fn panels<P: Product>(
    amx: Amx,
    tiles: &TileConfig,
    scale: Scale<P::Out>,
    steps: usize,
    scratch_a: &[AmxTile],
    scratch_b: &[AmxTile],
    mut c: MatMut<'_, P::Out>,
) {
    let len = steps * P::TILING.tiles();
    let mut apart = [AmxTile::ZERO; 4];
    let add = matches!(scale, Scale::Add);
    let whole = c.col_stride() == 1 && !matches!(scale, Scale::Blend(..));
    for j in 0..c.cols().div_ceil(SIDE) {
        for i in 0..c.rows().div_ceil(SIDE) {
            let panel =
                |scratch: &[AmxTile], i: usize| scratch.get(i * len..(i + 1) * len).map(<[AmxTile]>::as_ptr);
            let (Some(a), Some(b)) = (panel(scratch_a, i), panel(scratch_b, j)) else { return };
            let mut c = c.reborrow().block([i * SIDE, j * SIDE], [SIDE; 2]);
            if whole && c.rows() == SIDE && c.cols() == SIDE {
                let (p, down) = (c.ptr().cast::<u32>(), c.row_stride());
                let below = p.wrapping_offset(down * (SIDE / 2) as isize);
                let at = [p, p.wrapping_add(SIDE / 2), below, below.wrapping_add(SIDE / 2)];
                // SAFETY: the panels hold all steps; C has 32 rows of 32 contiguous elements, of four bytes.
                unsafe { P::run(tiles, a, b, steps, Quad { at, stride: down * 4 }, add) };
                continue;
            }
            if add {
                fetch(amx.avx512(), &mut c, &mut apart);
            }
            let at = apart.each_mut().map(|t| t.0.as_mut_ptr().cast());
            // SAFETY: the panels hold all steps, and each tile has its sixteen rows of 64 bytes.
            unsafe { P::run(tiles, a, b, steps, Quad { at, stride: 64 }, add) };
            store(amx.avx512(), scale, &mut c, &mut apart);
        }
    }
}

/// The quarters of up to 32 by 32 elements, each with the direction in which it is contiguous:
/// transposed if that is down.
fn quarters<T: Sum>(c: &mut MatMut<'_, T>, mut f: impl FnMut(usize, MatMut<'_, T>, bool)) {
    for i in 0..4 {
        let part = c.reborrow().block([i / 2 * SIDE / 2, i % 2 * SIDE / 2], [SIDE / 2; 2]);
        let down = part.col_stride() != 1 && part.row_stride() == 1;
        f(i, if down { part.t() } else { part }, down);
    }
}

/// C to the tiles.
fn fetch<T: Sum>(s: Avx512, c: &mut MatMut<'_, T>, to: &mut [AmxTile; 4]) {
    quarters(c, |i, part, down| {
        let Some(tile) = to.get_mut(i) else { return };
        for (i, row) in tile.0.iter_mut().enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                *x = part.get(i, j).map_or(0, T::word);
            }
        }
        if down {
            amx_pack::turn(s, tile);
        }
    });
}

/// The tiles to C.
fn store<T: Sum>(s: Avx512, scale: Scale<T>, c: &mut MatMut<'_, T>, from: &mut [AmxTile; 4]) {
    quarters(c, |i, mut part, down| {
        let Some(tile) = from.get_mut(i) else { return };
        if down {
            amx_pack::turn(s, tile);
        }
        s.vectorize(
            #[inline(always)]
            || {
                for (i, sums) in tile.0.iter().enumerate().take(part.rows()) {
                    if let Some(row) = part.row_slice_mut(i) {
                        match (scale, <&mut [T; 16]>::try_from(&mut *row)) {
                            // A whole row is one vector.
                            (Scale::Blend(alpha, beta), Ok(row)) => {
                                for (y, x) in row.iter_mut().zip(sums) {
                                    *y = alpha.blend(T::of(*x), beta, *y);
                                }
                            }
                            (Scale::Blend(alpha, beta), Err(_)) => {
                                for (y, x) in row.iter_mut().zip(sums) {
                                    *y = alpha.blend(T::of(*x), beta, *y);
                                }
                            }
                            _ => row.iter_mut().zip(sums).for_each(|(y, x)| *y = T::of(*x)),
                        }
                        continue;
                    }
                    for (j, x) in sums.iter().enumerate() {
                        let x = T::of(*x);
                        let y = match scale {
                            Scale::Blend(alpha, beta) => alpha.blend(x, beta, part.get(i, j).unwrap_or(x)),
                            _ => x,
                        };
                        part.set(i, j, y);
                    }
                }
            },
        );
    });
}
