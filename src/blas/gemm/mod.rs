//! The general matrix product `C = αAB + βC`.

mod batch;
mod epilogue;
mod loops;
mod micro;
mod pack;
mod packed;
mod skinny;
mod tune;

pub(crate) use batch::batch_by;
pub use batch::{gemm_batched, gemm_batched_on, gemm_strided_batched, gemm_strided_batched_on};
pub use epilogue::{BiasCol, BiasRow, Chain, Epilogue, Pointwise, Residual};
pub use packed::{PackedB, gemm_packed, pack_b, pack_b_on, packed_b_len};

use crate::error::Error;
use crate::lanes::fold::{Join, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, native};
use crate::view::{MatMut, MatRef};
use loops::{Plan, Right};
use micro::{Left, Scale};

/// The operands of one product.
pub(crate) struct Problem<'a, T> {
    pub alpha: T,
    pub beta: T,
    pub a: MatRef<'a, T>,
    pub b: MatRef<'a, T>,
    pub c: MatMut<'a, T>,
}

impl<'a, T: Element> Problem<'a, T> {
    /// Itself, when the shapes agree; without an inner dimension when α = 0, as BLAS then reads neither A nor B.
    #[inline(always)]
    fn checked(self) -> Result<Self, Error> {
        let Self { mut alpha, beta, a, b, c } = self;
        shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
        shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
        let inner = if alpha == T::ZERO { 0 } else { a.cols() };
        if inner == 0 {
            // Not NaN.
            alpha = T::ZERO;
        }
        let (a, b) = (a.block([0, 0], [a.rows(), inner]), b.block([0, 0], [inner, b.cols()]));
        Ok(Self { alpha, beta, a, b, c })
    }

    /// Elements of workspace that this product needs.
    fn needed<S: Simd>(self) -> usize {
        let p = if self.by_columns() { self.transposed() } else { self };
        let none = p.c.rows() == 0 || p.c.cols() == 0 || loops::one_tile::<S, T>(&p);
        if none { 0 } else { Plan::new::<S, T>(p.a, p.b).needed::<S, T>() }
    }

    /// A and B cut to C's rows and columns.
    fn fitted(self) -> Self {
        let Self { a, b, c, .. } = self;
        let (a, b) = (a.block([0, 0], [c.rows(), usize::MAX]), b.block([0, 0], [usize::MAX, c.cols()]));
        Self { a, b, c, ..self }
    }

    /// `Cᵀ = αBᵀAᵀ + βCᵀ`.
    fn transposed(self) -> Self {
        Self { a: self.b.t(), b: self.a.t(), c: self.c.t(), ..self }
    }

    /// Whether C is better met column by column.
    fn by_columns(&self) -> bool {
        let (rs, cs) = (self.c.row_stride(), self.c.col_stride());
        match (self.c.rows(), self.c.cols()) {
            (_, 1) => rs == 1 && self.a.row_stride() == 1,
            (1, _) => false,
            _ => cs != 1 && rs == 1,
        }
    }
}

/// `Ok` when a matrix has the shape that the others require.
#[inline(always)]
fn shape(arg: &'static str, expected: [usize; 2], got: [usize; 2]) -> Result<(), Error> {
    if expected == got { Ok(()) } else { Err(Error::Shape { arg, expected, got }) }
}

/// `C = αAB + βC`.
#[inline]
pub fn gemm<T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_with_on(native(), alpha, a, b, beta, c, (), workspace)
}

/// [`gemm`] on the instruction set of `s`.
#[inline]
pub fn gemm_on<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_with_on(s, alpha, a, b, beta, c, (), workspace)
}

/// [`gemm`], then an [`Epilogue`] on each element of the result before it is stored.
#[inline]
pub fn gemm_with<T: Element, E: Epilogue<T>>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_with_on(native(), alpha, a, b, beta, c, epilogue, workspace)
}

/// [`gemm_with`] on the instruction set of `s`.
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub fn gemm_with_on<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    c: MatMut<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    gemm_by(Serial, s, Problem { alpha, beta, a, b, c }, epilogue, workspace)
}

/// [`gemm_with_on`], the parts run by `j`.
pub(crate) fn gemm_by<J: Join, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    p: Problem<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    let p = p.checked()?;
    epilogue.check([p.c.rows(), p.c.cols()])?;
    if p.by_columns() {
        run(j, s, epilogue.transposed(), p.transposed(), workspace)
    } else {
        run(j, s, epilogue, p, workspace)
    }
}

/// Elements of workspace that [`gemm`] needs at most for an `m` by `k` A and a `k` by `n` B, whatever their
/// strides and whatever the instruction set.
///
/// Less may do: operands in rows, of few rows or up to about 160 by 160, need none.
///
/// ```
/// const N: usize = fulmen::gemm_workspace(64, 64, 300);
/// let workspace = [0.0f32; N];
/// # assert!(workspace.len() >= 300 * 64);
/// ```
pub const fn gemm_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    let depth = min(k, tune::MOST_DEPTH);
    // The roles of rows and columns are exchanged for a C by columns.
    let wide = if m > n { m } else { n };
    let cols = wide.saturating_add(tune::MOST_LANES);
    let a = min(depth.saturating_mul(wide), tune::MOST_BAND * tune::MOST_DEPTH);
    min(depth.saturating_mul(cols), tune::MOST_BLOCK) + a + LINE
}

/// Elements in a cache line, at most: what aligning the workspace may cost.
const LINE: usize = 16;

/// Checks the workspace and runs the loops.
#[inline(always)]
pub(crate) fn run<J: Join, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    if p.c.rows() == 0 || p.c.cols() == 0 || (E::NONE && p.a.cols() == 0 && p.beta == T::ONE) {
        return Ok(());
    }
    if loops::one_tile::<S, T>(&p) {
        let scale = Scale { alpha: p.alpha, beta: p.beta, last: true, far: false };
        micro::tiles(s, e, scale, Left::Plain(p.a), p.b, p.c, [0, 0], None);
        return Ok(());
    }
    let plan = Plan::new::<S, T>(p.a, p.b);
    let (needed, got) = (plan.needed::<S, T>(), workspace.len());
    if got < needed {
        return Err(Error::Workspace { needed, got });
    }
    let work = p.c.rows().saturating_mul(p.c.cols()).saturating_mul(p.a.cols());
    let parts = if J::SERIAL {
        1
    } else {
        j.threads().min(work / tune::GRAIN).min(got.checked_div(needed).unwrap_or(usize::MAX))
    };
    divide(j, s, e, p, workspace, parts);
    Ok(())
}

/// Halves of the longer side of C on different threads until each has its part.
fn divide<J: Join, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    workspace: &mut [T],
    parts: usize,
) {
    let (rows, cols) = (p.c.rows(), p.c.cols());
    let (mr, nr) = (tune::rows(S::ISA), tune::vectors(S::ISA) * T::Vec::<S>::LANES);
    let down = rows >= cols;
    let (all, unit) = if down { (rows, mr) } else { (cols, nr) };
    let cut = (all / parts.max(1) * (parts / 2)).next_multiple_of(unit);
    if parts <= 1 || cut >= all {
        return serial(s, e, p, workspace);
    }
    let Problem { alpha, beta, a, b, c } = p;
    let most = [usize::MAX; 2];
    let split = if down { c.split_rows(cut) } else { c.split_cols(cut) };
    let (Ok((c0, c1)), start) = (split, if down { [cut, 0] } else { [0, cut] }) else { return };
    let (a1, b1) = (a.block([start[0], 0], most), b.block([0, start[1]], most));
    let (w0, w1) = workspace.split_at_mut(workspace.len() / parts * (parts / 2));
    let (p0, p1) = (Problem { alpha, beta, a, b, c: c0 }, Problem { alpha, beta, a: a1, b: b1, c: c1 });
    j.join(
        usize::MAX,
        || divide(j, s, e, p0.fitted(), w0, parts / 2),
        || divide(j, s, e.part(start), p1, w1, parts - parts / 2),
    );
}

/// One thread's part; the workspace is long enough.
fn serial<S: Simd, T: Element, E: Epilogue<T>>(s: S, e: E, p: Problem<'_, T>, workspace: &mut [T]) {
    let plan = Plan::new::<S, T>(p.a, p.b);
    let chunk = skinny::chunk::<S, T>(&p, workspace.len());
    if chunk > 0 {
        return skinny::run(s, e, p, plan.depth, chunk, workspace);
    }
    // Vectors of a packed panel don't cross cache lines.
    let skip = workspace.as_ptr().align_offset(64).min(LINE);
    let aligned = workspace.get_mut(skip..).unwrap_or_default();
    let (_, room_b) = plan.room(T::Vec::<S>::LANES);
    let (b, a) = aligned.split_at_mut_checked(room_b).unwrap_or_default();
    loops::run(s, e, p, plan, a, Right::Room(b));
}
