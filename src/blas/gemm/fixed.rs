//! The matrix product of sizes known at compile time: only the micro-kernels that such a product needs are compiled,
//! each for its inner dimension `K`.

use super::micro;
use super::tile::Scale;
use super::{loops, tune};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd, native};
use crate::view::{MatMut, MatRef};

/// `C = αAB + βC` for matrices in arrays: no workspace, no packing, no errors, and the bits of
/// [`gemm`](crate::gemm()).
///
/// ```
/// let mut c = [[0.0f32; 2]; 3];
/// fulmen::gemm_fixed(1.0, &[[1.0], [2.0], [3.0]], &[[10.0, 20.0]], 0.0, &mut c);
/// assert_eq!(c, [[10.0, 20.0], [20.0, 40.0], [30.0, 60.0]]);
/// ```
#[inline]
pub fn gemm_fixed<T: Element, const M: usize, const N: usize, const K: usize>(
    alpha: T,
    a: &[[T; K]; M],
    b: &[[T; N]; K],
    beta: T,
    c: &mut [[T; N]; M],
) {
    gemm_fixed_on(native(), alpha, a, b, beta, c);
}

/// Whether tiles of `size` occur when `n` is cut into parts of at most `most`.
const fn occurs(n: usize, most: usize, size: usize) -> bool {
    let mut left = n;
    while left > 0 {
        let part = loops::share(left, most);
        if part == size {
            return true;
        }
        left -= part;
    }
    false
}

/// [`gemm_fixed`] on the instruction set of `s`.
#[inline]
pub fn gemm_fixed_on<S: Simd, T: Element, const M: usize, const N: usize, const K: usize>(
    s: S,
    alpha: T,
    a: &[[T; K]; M],
    b: &[[T; N]; K],
    beta: T,
    c: &mut [[T; N]; M],
) {
    let zero = alpha == T::ZERO || K == 0;
    let alpha = if zero { T::ZERO } else { alpha };
    let k = if zero { 0 } else { K };
    let a = MatRef::packed(a.as_flattened(), M, K).block([0, 0], [M, k]);
    let b = MatRef::packed(b.as_flattened(), K, N).block([0, 0], [k, N]);
    let mut c = MatMut::packed(c.as_flattened_mut(), M, N);
    let depth = const { loops::pass(S::ISA, K) };
    let mut pc = 0;
    loop {
        let kb = depth.min(k - pc);
        let scale = Scale::one_pass(alpha, if pc == 0 { beta } else { T::ONE });
        pass::<S, T, M, N, K>(s, scale, a.block([0, pc], [M, kb]), b.block([pc, 0], [kb, N]), c.reborrow());
        pc += kb;
        if pc >= k {
            break;
        }
    }
}

/// All tiles of one pass over the inner dimension.
#[inline]
fn pass<S: Simd, T: Element, const M: usize, const N: usize, const K: usize>(
    s: S,
    scale: Scale<T>,
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    mut c: MatMut<'_, T>,
) {
    let lanes = T::Vec::<S>::LANES;
    let mut j = 0;
    while j < N {
        let width = loops::share((N - j).div_ceil(lanes), tune::vectors(S::ISA)) * lanes;
        let mut i = 0;
        while i < M {
            let rows = loops::share(M - i, tune::rows(S::ISA));
            macro_rules! tiles {
                ($($R:literal)*) => {$(
                    if const { occurs(M, tune::rows(S::ISA), $R) } && rows == $R {
                        tiles!(@ $R 1 2 3);
                    }
                )*};
                (@ $R:literal $($V:literal)*) => {$(
                    if const { occurs(N.div_ceil(T::Vec::<S>::LANES), tune::vectors(S::ISA), $V) }
                        && width == $V * lanes
                    {
                        let (a, b) = (a.block([i, 0], [$R, K]), b.block([0, j], [K, $V * lanes]));
                        micro::one::<S, T, $R, $V, K>(s, scale, a, b, c.reborrow().block([i, j], [$R, $V * lanes]));
                    }
                )*};
            }
            tiles!(1 2 3 4 5 6 7 8);
            i += rows;
        }
        j += width;
    }
}
