//! Matrix products with a B that is packed once and multiplied many times.

use super::Problem;
use super::loops::{self, Plan, Rhs};
use crate::error::{Error, same_len};
use crate::error::{enough, same_shape};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Native, Simd, native};
use crate::view::{MatMut, MatRef};

/// A matrix in the order in which the register tiles of `S` read it, made by [`pack_b`].
#[derive(Debug, Clone, Copy)]
pub struct PackedB<'a, T, S = Native> {
    s: S,
    data: &'a [T],
    k: usize,
    n: usize,
}

/// Elements that [`pack_b`] needs for a `k` by `n` matrix, on any instruction set.
pub const fn packed_b_len(k: usize, n: usize) -> usize {
    k.saturating_mul(n.div_ceil(super::tune::MOST_LANES).saturating_mul(super::tune::MOST_LANES))
}

/// Packs `b` into `packed`, for any number of calls of [`gemm_packed`].
///
/// Errors: [`Error::Len`] when `packed` has not [`packed_b_len`] elements. What it held is lost.
#[inline]
pub fn pack_b<'a, T: Element>(b: MatRef<'_, T>, packed: &'a mut [T]) -> Result<PackedB<'a, T>, Error> {
    pack_b_on(native(), b, packed)
}

/// [`pack_b`] for the instruction set of `s`.
pub fn pack_b_on<'a, S: Simd, T: Element>(
    s: S,
    b: MatRef<'_, T>,
    packed: &'a mut [T],
) -> Result<PackedB<'a, T, S>, Error> {
    same_len("packed", packed_b_len(b.rows(), b.cols()), packed.len())?;
    loops::pack(s, b, packed);
    Ok(PackedB { s, data: packed, k: b.rows(), n: b.cols() })
}

/// `C = αAB + βC` with a packed B; the bits are those of [`gemm`](crate::gemm()), on the instruction set that B was packed for.
///
/// Errors: as [`gemm`](crate::gemm()). Scratch: none when A's rows are contiguous, else [`gemm_workspace`](crate::gemm_workspace()).
///
/// ```
/// use fulmen::{MatMut, MatRef, gemm_packed, pack_b, packed_b_len};
/// let (a, b) = ([1.0f32, 2.0], [3.0f32, 4.0, 5.0, 6.0]);
/// let mut room = [0.0; packed_b_len(2, 2)];
/// let b = pack_b(MatRef::row_major(&b, 2, 2)?, &mut room)?;
/// let mut c = [0.0f32; 2];
/// gemm_packed(1.0, MatRef::row_major(&a, 1, 2)?, b, 0.0, MatMut::row_major(&mut c, 1, 2)?, &mut [])?;
/// assert_eq!(c, [13.0, 16.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub fn gemm_packed<S: Simd, T: Element>(
    alpha: T,
    a: MatRef<'_, T>,
    b: PackedB<'_, T, S>,
    beta: T,
    c: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    same_shape("b", [a.cols(), b.n], [b.k, b.n])?;
    same_shape("c", [a.rows(), b.n], [c.rows(), c.cols()])?;
    if c.rows() == 0 || c.cols() == 0 {
        return Ok(());
    }
    // Only its shape is looked at; with α = 0, nothing of it.
    let zero = alpha == T::ZERO || b.k == 0;
    let inner = if zero { 0 } else { b.k };
    let alpha = if zero { T::ZERO } else { alpha };
    let a = a.block([0, 0], [a.rows(), inner]);
    let like = MatRef::packed(b.data, inner, b.n);
    let p = Problem { alpha, beta, a, b: like, c };
    let plan = Plan { pack_b: false, ..Plan::new::<S, T>(a, like) };
    let (needed, got) = (plan.needed::<S, T>(), workspace.len());
    enough(needed, got)?;
    debug_assert!(T::Vec::<S>::LANES <= super::tune::MOST_LANES);
    loops::run(b.s, (), p, plan, true, workspace, Rhs::Packed(b.data));
    Ok(())
}
