//! The general matrix product `C = αAB + βC`: its public functions, and the choice between its kernels.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | the choice between the kernels below |
//! | `tune` | every parameter: register tiles, blocks, thresholds |
//! | `micro` | the micro-kernel, generic over instruction set, rows and vectors |
//! | `store` | the write-back of a register tile: α, β, the epilogue |
//! | `loops` | the five loops, with and without packing |
//! | `small_m` | few rows of C: B is streamed once, row by row |
//! | `small_n` | few columns of C: squares of A are transposed in registers |
//! | `fixed` | sizes known at compile time |
//! | `tiny` | few rows and columns: almost nothing runs before the first multiplication |
//! | `gebp` | block times panel in the caches, for other kernels |
//! | `shared_b` | several threads, one packed B |
//! | `threads` | several threads, each with a block of C and its own panels |
//! | `pack`, `prepacked` | packing of operands, for one call or for many |
//! | `backward` | the gradients of the operands |
//! | `epilogue`, `batch` | epilogues in registers; many products of one shape |
//! | `half` | bf16 and f16 operands, converted to `f32` by packing |
//! | `int8`, `int8_micro` | 8-bit operands, also with zero points; sums in `i32` |
//! | `amx`, `amx_pack`, `amx_threads`, `split_bf16` | AMX: loops, packing, threads, and `f32` as a sum of bf16 |
//! | `typed` | declarations of the functions of the last three rows |

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) mod amx;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod amx_pack;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) mod amx_threads;
pub(crate) mod backward;
mod batch;
mod epilogue;
mod fixed;
pub(crate) mod gebp;
#[cfg(feature = "half")]
pub(crate) mod half;
pub(crate) mod int8;
mod int8_micro;
#[cfg(any(test, kani))]
mod kani;
mod loops;
mod micro;
pub(crate) mod pack;
mod plan;
mod prepacked;
mod scratch;
mod shared_b;
pub(crate) mod small_m;
mod small_n;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) mod split_bf16;
mod store;
mod strided;
mod threads;
mod tile;
mod tiny;
pub(crate) mod tune;
pub(crate) mod typed;

pub use backward::{
    gemm_backward_a, gemm_backward_a_on, gemm_backward_b, gemm_backward_b_on, gemm_backward_workspace,
};
pub(crate) use batch::batch_by;
pub use batch::{gemm_batched, gemm_batched_on, gemm_strided_batched, gemm_strided_batched_on};
pub use epilogue::{BiasCol, BiasRow, Chain, Epilogue, Pointwise, Residual, ScaleCol, ScaleRow};
pub use fixed::{gemm_fixed, gemm_fixed_on};
pub(crate) use gebp::*;
#[cfg(feature = "half")]
pub(crate) use half::rows_to_f32;
#[cfg(feature = "half")]
pub use half::*;
pub use int8::*;
pub(crate) use pack::transpose as in_registers;
pub use prepacked::{PackedB, gemm_packed, pack_b, pack_b_on, packed_b_len};
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use split_bf16::{AmxPath, gemm_f32_amx_workspace};
#[cfg(any(feature = "half", all(target_arch = "x86_64", feature = "avx512")))]
pub use typed::*;

use crate::contract::{Call, Violation, contract, in_parts, nan};
use crate::error::{Error, enough, same_shape};
use crate::forms::named;
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, native};
use crate::parts::{LINE, aligned};
use crate::view::{MatMut, MatRef};
pub(crate) use loops::share;
use loops::{Plan, Rhs};
use plan::{Path, Shape};
pub(crate) use strided::{gather_lanes, scatter_lanes};

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
        same_shape("b", [a.cols(), b.cols()], [b.rows(), b.cols()])?;
        same_shape("c", [a.rows(), b.cols()], [c.rows(), c.cols()])?;
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
        let none = p.c.rows() == 0 || p.c.cols() == 0 || Shape::of(&p).direct::<S, T>();
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

    /// Whether the transposed product is the better one.
    #[inline(always)]
    fn by_columns(&self) -> bool {
        let (rs, cs) = (self.c.row_stride(), self.c.col_stride());
        let (m, n) = (self.c.rows(), self.c.cols());
        // B by columns, and few rows: B is read where it is, a row of Bᵀ at a time, and A is what is packed.
        if self.b.col_stride() != 1 && self.b.row_stride() == 1 && m <= tune::MOST_LANES && n > m {
            return true;
        }
        // C by columns; a single column is a row of its transpose when that suits A.
        if n == 1 { self.a.row_stride() == 1 && m > 1 } else { cs != 1 && rs == 1 && m > 1 }
    }
}

ops! { $ gemm_ops in crate::blas::gemm;
    /// `C = αAB + βC`.
    ///
    /// Shapes: A is `m` by `k`, B is `k` by `n`, C is `m` by `n`, each with any strides ([`MatRef`], [`MatMut`]); a
    /// transposed operand is `a.t()`. Each element is `Σ_p a[i][p]·b[p][j]` in the order of `p`, one fused
    /// multiply-add at a time where the instruction set has it, in passes of equal length of at most 512 (AVX-512)
    /// or 256 products; then `α` times the sum of each pass is added to `βC`. So the bits depend on the
    /// instruction set, the row of A and the column of B, not on the shape, the strides, the place in C or the
    /// number of threads. The error is within `γ_(k + 2·passes + 2)·(|α||A||B| + |β||C|)`, of which the
    /// contract states the largest value over the instruction sets.
    ///
    /// NaN and ±0: `β = 0` writes C without reading it, `α = 0` (or `k = 0`) reads neither A nor B, and the
    /// products are then `+0`. Otherwise NaN and infinities spread by IEEE 754, also through `0·∞`.
    ///
    /// Errors: [`Error::Shape`] names `b` or `c`; [`Error::Workspace`]. Nothing is written then.
    ///
    /// Scratch: [`gemm_workspace`]; what it holds before and after does not matter. Aligned to a cache line it is
    /// used best, and more than is needed may help a product of few rows.
    ///
    /// ```
    /// use fulmen::{MatMut, MatRef, gemm, gemm_workspace};
    /// let (a, b) = ([1.0f32, 2.0, 3.0, 4.0], [5.0f32, 6.0, 7.0, 8.0]);
    /// let mut c = [0.0f32; 4];
    /// let mut workspace = [0.0; gemm_workspace(2, 2, 2)];
    /// let (a, b) = (MatRef::row_major(&a, 2, 2)?, MatRef::row_major(&b, 2, 2)?);
    /// gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [19.0, 22.0, 43.0, 50.0]);
    /// // C += 2·A·Bᵀ
    /// gemm(2.0, a, b.t(), 1.0, MatMut::row_major(&mut c, 2, 2)?, &mut workspace)?;
    /// assert_eq!(c, [53.0, 68.0, 121.0, 156.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/matrix_product.rs`.
    ///
    /// Source: K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication" (2008); the bound:
    /// N. Higham, "Accuracy and Stability of Numerical Algorithms", §3.5.
    #[doc(alias = "matmul")]
    threads "Large products take turns at blocks of B: all threads pack one together, then each takes rows of C from what is left. Of smaller ones C is cut along its longer side, again and again, until every thread has a part, and each thread packs what it needs into its own share of the workspace. Products below about a million multiplications per thread use fewer threads, and so does a workspace that is shorter than [`gemm_workspace`](crate::parallel::gemm_workspace()) says: one for a single thread is enough for any result.\n\n\
        ```\n\
        use fulmen::{MatMut, MatRef, parallel};\n\
        let n = 300;\n\
        let (a, b, mut c) = (vec![1.0f32; n * n], vec![2.0; n * n], vec![0.0; n * n]);\n\
        let mut workspace = vec![0.0; parallel::gemm_workspace(n, n, n, 4)];\n\
        let (a, b) = (MatRef::row_major(&a, n, n)?, MatRef::row_major(&b, n, n)?);\n\
        parallel::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, n, n)?, &mut workspace)?;\n\
        assert!(c.iter().all(|c| *c == 600.0));\n\
        # Ok::<(), fulmen::Error>(())\n\
        ```\n"
    gemm, gemm_on, product_by
        (alpha: by T, a: mat T, b: mat T, beta: by T, c: mat_inout T, workspace: scratch T) -> Result<()>;
}

/// The product, its parts run by `j`.
#[inline]
#[allow(clippy::too_many_arguments, reason = "BLAS")]
pub(crate) fn product_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    beta: T,
    mut c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    contract!(
        gemm,
        gemm_by(j, s, Problem { alpha, beta, a, b, c: c.reborrow() }, (), workspace),
        each | check | check_elements(alpha, a, b, c.as_ref(), check)
    )
}

/// Applies `check` to each element of C, with its row of A and then with its column of B as the input; α = 0
/// reads neither.
pub(crate) fn check_elements<T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: MatRef<'_, T>,
    check: impl Fn(&Call<'_, T>) -> Result<(), Violation>,
) -> Result<(), Violation> {
    if alpha == T::ZERO || c.rows() == 0 || c.cols() == 0 {
        return Ok(());
    }
    for (x, c) in [(a, c), (b.t(), c.t())] {
        for i in 0..x.rows() {
            // What the postconditions see of a row: whether it has a NaN.
            let mut p = 0;
            while p < x.cols() && !matches!(x.get(i, p), Some(v) if nan(v)) {
                p += 1;
            }
            let row = [if p < x.cols() { T::NAN } else { T::ZERO }];
            in_parts(c.cols(), |j| [c.get(i, j).unwrap_or_default()], |[y]| check(&Call::new(&[&row], y)))?;
        }
    }
    Ok(())
}

/// [`gemm`], then an [`Epilogue`] on each element of the result while it is still in a register.
///
/// Errors: also [`Error::Len`] and [`Error::Shape`] of `epilogue`, and what its body refuses.
///
/// ```
/// use fulmen::{BiasCol, Chain, MatMut, MatRef, Pointwise, Relu, gemm_with};
/// let (x, w, bias) = ([1.0f32, -2.0], [1.0f32, 2.0, 3.0, 4.0], [0.5, 1.0]);
/// let mut y = [0.0f32; 2];
/// let (x, w) = (MatRef::row_major(&x, 1, 2)?, MatRef::row_major(&w, 2, 2)?);
/// // A linear layer with its activation: y = relu(xWᵀ + b).
/// let layer = Chain(BiasCol(&bias), Pointwise(Relu));
/// let mut workspace = [0.0; fulmen::gemm_workspace(1, 2, 2)];
/// gemm_with(1.0, x, w.t(), 0.0, MatMut::row_major(&mut y, 1, 2)?, layer, &mut workspace)?;
/// assert_eq!(y, [0.0, 0.0]);
/// gemm_with(-1.0, x, w.t(), 0.0, MatMut::row_major(&mut y, 1, 2)?, layer, &mut workspace)?;
/// assert_eq!(y, [3.5, 6.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
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
    named!([Result] gemm_with at serial s, (a: mat, b: mat, c: mat_inout), gemm_by(Serial, s, Problem { alpha, beta, a, b, c }, epilogue, workspace))
}

/// [`gemm_with_on`], the parts run by `j`.
pub(crate) fn gemm_by<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    p: Problem<'_, T>,
    epilogue: E,
    workspace: &mut [T],
) -> Result<(), Error> {
    if const { J::SERIAL && E::NONE && tiny::here::<S>() } && plan::few::<S, T>(&p) {
        tiny::run(s, &p);
        return Ok(());
    }
    any(j, s, p, epilogue, workspace)
}

/// [`gemm_by`] of any size; apart, as the registers that it saves are not free.
#[inline(never)]
fn any<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
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

/// Checks the workspace and runs the loops.
#[inline(always)]
pub(crate) fn run<J: Executor, S: Simd, T: Element, E: Epilogue<T>>(
    j: J,
    s: S,
    e: E,
    p: Problem<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    if p.c.rows() == 0 || p.c.cols() == 0 || (E::NONE && p.a.cols() == 0 && p.beta == T::ONE) {
        return Ok(());
    }
    let shape = Shape::of(&p);
    let work = shape.work();
    let path = Path::of::<S, T>(shape, workspace.len());
    // These need no workspace; large ones go to threads.
    if J::SERIAL || work < 2 * tune::GRAIN {
        match path {
            Path::OneTile => {
                loops::one_tile(s, e, p);
                return Ok(());
            }
            Path::Direct => {
                loops::tile_by_tile(s, e, p);
                return Ok(());
            }
            _ => {}
        }
    }
    let plan = Plan::new::<S, T>(p.a, p.b);
    let (needed, got) = (plan.needed::<S, T>(), workspace.len());
    enough(needed, got)?;
    let parts = threads::parts(j, work, needed, got);
    if parts <= 1 {
        serial(s, e, p, plan, path, workspace);
        return Ok(());
    }
    if !J::SERIAL && shared_b::applies::<S, T>(&p, plan, work, parts) {
        // Inside the pool from here on: entering it costs a wait each time.
        j.join(usize::MAX, || shared_b::run(j, s, e, p, plan, workspace, parts), || ());
        return Ok(());
    }
    let Problem { alpha, beta, a, b, c } = p;
    let tile = threads::tile::<S, T>();
    threads::divide(j, parts, tile, a, b, c, workspace, |at, a, b, c, workspace| {
        let p = Problem { alpha, beta, a, b, c };
        let (plan, path) = (Plan::new::<S, T>(p.a, p.b), Path::of::<S, T>(Shape::of(&p), workspace.len()));
        serial(s, e.part(at), p, plan, path, workspace);
    });
    Ok(())
}

/// One thread's part; the workspace is long enough.
fn serial<S: Simd, T: Element, E: Epilogue<T>>(
    s: S,
    e: E,
    p: Problem<'_, T>,
    plan: Plan,
    path: Path,
    workspace: &mut [T],
) {
    match path {
        Path::SmallN => small_n::run(s, e, p, plan.depth),
        Path::SmallM { cols } => small_m::run(s, e, p, plan.depth, cols, workspace),
        // A part that alone would be direct is so in the loops: they pack nothing then.
        Path::OneTile | Path::Direct | Path::Gebp => {
            let (_, scratch_b) = plan.scratch(T::Vec::<S>::LANES);
            let (b, a) = aligned(workspace).split_at_mut_checked(scratch_b).unwrap_or_default();
            loops::run(s, e, p, plan, true, a, Rhs::PackInto(b));
        }
    }
}
