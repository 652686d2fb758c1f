//! The general matrix product `C = αAB + βC`.

mod epilogue;
mod loops;
mod micro;
mod pack;
mod skinny;
mod tune;

pub use epilogue::{BiasCol, BiasRow, Chain, Epilogue, Pointwise, Residual};

use crate::error::Error;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, native};
use crate::view::{MatMut, MatRef};
use loops::Plan;
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
    fn checked(alpha: T, a: MatRef<'a, T>, b: MatRef<'a, T>, beta: T, c: MatMut<'a, T>) -> Result<Self, Error> {
        let shape = |arg, expected: [usize; 2], got: [usize; 2]| {
            if expected == got { Ok(()) } else { Err(Error::Shape { arg, expected, got }) }
        };
        shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
        shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
        // BLAS: with α = 0 neither A nor B is read.
        let inner = if alpha == T::ZERO { 0 } else { a.cols() };
        let alpha = if inner == 0 { T::ZERO } else { alpha };
        Ok(Self {
            alpha,
            beta,
            a: a.block([0, 0], [a.rows(), inner]),
            b: b.block([0, 0], [inner, b.cols()]),
            c,
        })
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
    let p = Problem::checked(alpha, a, b, beta, c)?;
    epilogue.check([p.c.rows(), p.c.cols()])?;
    if p.by_columns() {
        run(s, epilogue.transposed(), p.transposed(), workspace)
    } else {
        run(s, epilogue, p, workspace)
    }
}

/// Elements of workspace that [`gemm`] needs at most for an `m` by `k` A and a `k` by `n` B.
///
/// Less may do: row-major operands of few rows or up to about 160 rows and columns need none.
pub const fn gemm_workspace(m: usize, n: usize, k: usize) -> usize {
    const fn min(a: usize, b: usize) -> usize {
        if a < b { a } else { b }
    }
    let depth = min(k, tune::MOST_DEPTH);
    // The roles of rows and columns are exchanged for a C by columns.
    let wide = if m > n { m } else { n };
    let cols = min(wide.next_multiple_of(tune::MOST_LANES), tune::MOST_COLS);
    depth * (cols + min(wide, tune::MOST_BAND)) + LINE
}

/// Elements in a cache line, at most: what aligning the workspace may cost.
const LINE: usize = 16;

/// Checks the workspace and runs the loops.
#[inline(always)]
fn run<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    p: Problem<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let lanes = T::Vec::<S>::LANES;
    if p.c.rows() == 0 || p.c.cols() == 0 || (E::NONE && p.a.cols() == 0 && p.beta == T::ONE) {
        return Ok(());
    }
    if loops::one_tile::<S, T>(&p) {
        let scale = Scale { alpha: p.alpha, beta: p.beta, last: true, far: false };
        micro::tiles(s, e, scale, Left::Plain(p.a), p.b, p.c, [0, 0], None);
        return Ok(());
    }
    let plan = Plan::new::<S, T>(p.a, p.b);
    let chunk = skinny::chunk::<S, T>(&p, workspace.len());
    if chunk > 0 {
        skinny::run(s, e, p, plan.depth, chunk, workspace);
        return Ok(());
    }
    let (room_a, room_b) = plan.room(lanes);
    if room_a + room_b == 0 {
        loops::run(s, e, p, plan, &mut [], &mut []);
        return Ok(());
    }
    let needed = room_a + room_b + LINE;
    let got = workspace.len();
    if got < needed {
        return Err(Error::Workspace { needed, got });
    }
    // Vectors of a packed panel don't cross cache lines.
    let skip = workspace.as_ptr().align_offset(64).min(LINE);
    let aligned = workspace.get_mut(skip..).unwrap_or_default();
    let Some((b, rest)) = aligned.split_at_mut_checked(room_b) else { return Ok(()) };
    loops::run(s, e, p, plan, rest, b);
    Ok(())
}
