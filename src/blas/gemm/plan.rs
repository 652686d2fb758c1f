//! Chooses the kernel of a matrix product from sizes and strides alone, before anything runs.
//!
//! | path | when | kernel |
//! |---|---|---|
//! | `few` | few rows, columns and products, all matrices row-major, one thread, no epilogue | `tiny` |
//! | [`Path::OneTile`] | C is one register tile, B is small | `loops::one_tile` |
//! | [`Path::Direct`] | B is small: nothing is packed | `loops::tile_by_tile` |
//! | [`Path::SmallN`] | few columns of C | `small_n` |
//! | [`Path::SmallM`] | one row of C, or few and a B beyond the second-level cache | `small_m` |
//! | [`Path::Gebp`] | all else | `loops::run`; on threads `shared_b`, or each half of C is planned again |

use super::small_m::GROUP;
use super::{Problem, tune};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};

/// What the choice depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// The inner dimension.
    pub k: usize,
    /// Whether A's rows are contiguous.
    pub a_unit: bool,
    /// Whether B's rows are contiguous.
    pub b_unit: bool,
}

impl Shape {
    #[inline(always)]
    pub(super) fn of<T: Element>(p: &Problem<'_, T>) -> Self {
        let (m, n, k) = (p.c.rows(), p.c.cols(), p.a.cols());
        Self { m, n, k, a_unit: p.a.col_stride() == 1, b_unit: p.b.col_stride() == 1 }
    }

    /// Multiplications.
    #[inline(always)]
    pub(super) fn work(self) -> usize {
        self.m.saturating_mul(self.n).saturating_mul(self.k)
    }

    /// Bytes of B.
    #[inline(always)]
    fn bytes<T>(self) -> usize {
        self.k.saturating_mul(self.n).saturating_mul(size_of::<T>())
    }

    /// Whether one pass over operands that lie in the caches does all, and nothing is packed.
    #[inline(always)]
    pub(super) fn direct<S: Simd, T: Element>(self) -> bool {
        (self.b_unit || self.n <= 1)
            && self.bytes::<T>() <= tune::DIRECT_BYTES
            && self.k <= tune::depth(S::ISA)
    }

    /// Whether lanes are rows of C: it has few columns, and squares of A fill the registers.
    #[inline(always)]
    pub(super) fn small_n<S: Simd, T: Element>(self) -> bool {
        let lanes = T::Vec::<S>::LANES;
        self.n <= tune::small_n(S::ISA) && self.a_unit && self.m >= lanes && self.k >= lanes
    }

    /// Columns whose sums wait in a workspace of `scratch` elements while B passes row by row; 0 when that does not pay, or the
    /// workspace is too short.
    #[inline(always)]
    pub(super) fn small_m<S: Simd, T: Element>(self, scratch: usize) -> usize {
        let Self { m, n, k, .. } = self;
        let lanes = T::Vec::<S>::LANES;
        let pays = self.b_unit
            && k >= GROUP
            && n >= 4 * lanes
            && (m == 1 || (m <= tune::rows(S::ISA) && self.bytes::<T>() > tune::NEAR_BYTES));
        if !pays {
            return 0;
        }
        let fits = (scratch / m.max(1)).min(tune::SUMS / size_of::<T>() / m.max(1));
        if fits >= n { n } else { fits / (8 * lanes) * (8 * lanes) }
    }
}

/// The kernel of a product on one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// C is one register tile, and A and B are read where they are.
    OneTile,
    /// Tile by tile; A and B are read where they are.
    Direct,
    /// Few columns of C: squares of A are transposed in registers.
    SmallN,
    /// Few rows of C: B passes once, row by row.
    SmallM {
        /// Columns whose sums wait in the workspace.
        cols: usize,
    },
    /// Blocks, panels and tiles, packed where that pays.
    Gebp,
}

impl Path {
    /// For this shape and a workspace of `scratch` elements. At the sizes of the first two every instruction shows.
    #[inline(always)]
    pub(super) fn of<S: Simd, T: Element>(shape: Shape, scratch: usize) -> Self {
        let direct = shape.direct::<S, T>();
        let lanes = T::Vec::<S>::LANES;
        if direct && shape.m <= tune::rows(S::ISA) && shape.n <= tune::vectors(S::ISA) * lanes {
            return Self::OneTile;
        }
        if shape.small_n::<S, T>() {
            return Self::SmallN;
        }
        // A single row has a kernel of its own.
        if direct && shape.m != 1 {
            return Self::Direct;
        }
        match shape.small_m::<S, T>(scratch) {
            0 => Self::Gebp,
            cols => Self::SmallM { cols },
        }
    }
}

/// Whether [`few`](super::tiny::run) does it: then the shapes agree too, and α is not 0.
#[inline(always)]
pub(super) fn few<S: Simd, T: Element>(p: &Problem<'_, T>) -> bool {
    let Problem { alpha, a, b, c, .. } = p;
    let most = tune::few(S::ISA);
    // Numbers and not arrays: those would be compared in memory. A single column may be better as a row.
    (2..=most).contains(&c.cols())
        && (1..=most).contains(&c.rows())
        && (1..=most).contains(&a.cols())
        && a.rows() == c.rows()
        && b.rows() == a.cols()
        && b.cols() == c.cols()
        && a.col_stride() == 1
        && b.col_stride() == 1
        && c.col_stride() == 1
        && *alpha != T::ZERO
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Portable;
    #[cfg(target_arch = "x86_64")]
    use crate::lanes::{Avx2, Sse2};
    use crate::view::{MatMut, MatRef};

    /// Of matrices by rows.
    fn rows(m: usize, n: usize, k: usize) -> Shape {
        Shape { m, n, k, a_unit: true, b_unit: true }
    }

    /// Every threshold from both sides, for one set and type.
    fn around<S: Simd, T: Element>() {
        let of = |shape: Shape| Path::of::<S, T>(shape, usize::MAX);
        let (lanes, size) = (T::Vec::<S>::LANES, size_of::<T>());
        let (mr, nr, depth) = (tune::rows(S::ISA), tune::vectors(S::ISA) * lanes, tune::depth(S::ISA));
        let widest = tune::small_n(S::ISA);

        // One tile, one row more, one column more.
        assert_eq!(of(rows(mr, nr, 5)), Path::OneTile);
        assert_eq!(of(rows(mr + 1, nr, 5)), Path::Direct);
        assert_eq!(of(rows(mr, nr + 1, 5)), Path::Direct);
        assert_eq!(of(rows(1, 1, 1)), Path::OneTile);
        // A deep pass, and one step more.
        let n = (tune::DIRECT_BYTES / size / (depth + 1)).min(nr);
        assert_eq!(of(rows(mr, n, depth)), Path::OneTile);
        assert_eq!(of(rows(mr.max(2), n, depth + 1)), Path::Gebp);
        // The largest B that is read where it is, and one row more.
        let (k, n) = (40, tune::DIRECT_BYTES / size / 40);
        assert_eq!(of(rows(mr + 1, n, k)), Path::Direct);
        assert_eq!(of(rows(mr + 1, n, k + 1)), Path::Gebp);
        assert_eq!(of(rows(2, n, k + 1)), Path::Gebp);
        // B by columns, but for a single one, which has no rows to tell.
        assert_eq!(of(Shape { b_unit: false, ..rows(mr + 1, 5, 5) }), Path::Gebp);
        assert_eq!(of(Shape { b_unit: false, ..rows(mr, 1, 5) }), Path::OneTile);

        // Few columns, where the set has the kernel.
        let long = 4 * mr + lanes;
        let few_columns = if widest > 0 { Path::SmallN } else { Path::Direct };
        assert_eq!(of(rows(long, widest.max(1), lanes)), few_columns);
        assert_eq!(of(rows(long, widest + 1, lanes)), Path::Direct);
        assert_eq!(of(rows(long, widest.max(1), lanes - 1)), Path::Direct);
        assert_eq!(of(Shape { a_unit: false, ..rows(long, widest.max(1), lanes) }), Path::Direct);
        assert_eq!(rows(lanes, widest.max(1), lanes).small_n::<S, T>(), widest > 0);
        assert!(!rows(lanes - 1, widest.max(1), lanes).small_n::<S, T>());

        // A single row past a tile.
        let cols = tune::SUMS / size;
        assert_eq!(
            of(rows(1, (nr + 1).max(4 * lanes), GROUP)),
            Path::SmallM { cols: (nr + 1).max(4 * lanes) }
        );
        assert_eq!(of(rows(1, (nr + 1).max(4 * lanes), GROUP - 1)), Path::Gebp);
        assert_eq!(of(rows(1, cols, GROUP)), Path::SmallM { cols });
        assert_eq!(of(rows(1, cols + 1, GROUP)), Path::SmallM { cols: cols / (8 * lanes) * (8 * lanes) });
        assert_eq!(of(Shape { b_unit: false, ..rows(1, cols, GROUP) }), Path::Gebp);
        // Columns that a workspace holds; one too short for a strip is no help.
        let path = |scratch| Path::of::<S, T>(rows(1, cols + 1, GROUP), scratch);
        assert_eq!(path(16 * lanes), Path::SmallM { cols: 16 * lanes });
        assert_eq!(path(8 * lanes), Path::SmallM { cols: 8 * lanes });
        assert_eq!(path(8 * lanes - 1), Path::Gebp);
        // Few rows, and a B that the second-level cache does not hold.
        let (k, n) = (96, tune::NEAR_BYTES / size / 96);
        assert!(matches!(of(rows(mr, n + 1, k)), Path::SmallM { .. }));
        assert_eq!(of(rows(mr, n, k)), Path::Gebp);
        assert_eq!(of(rows(mr + 1, n + 1, k)), Path::Gebp);

        // `few`, one size at a time.
        let most = tune::few(S::ISA);
        let x = [T::ONE; (tune::FEW_SIDE + 2) * (tune::FEW_SIDE + 2)];
        let takes = |m: usize, n: usize, k: usize, alpha: T| {
            let mut y = x;
            let (a, b) = (MatRef::packed(&x, m, k), MatRef::packed(&x, k, n));
            few::<S, T>(&Problem { alpha, beta: T::ONE, a, b, c: MatMut::packed(&mut y, m, n) })
        };
        assert_eq!(takes(most.max(1), most.max(2), most.max(1), T::ONE), most > 0);
        assert_eq!(takes(1, 2, 1, T::ONE), most > 0);
        let side = most.max(2);
        for (m, n, k) in
            [(most + 1, side, side), (side, most + 1, side), (side, side, most + 1), (side, 1, side)]
        {
            assert!(!takes(m, n, k, T::ONE), "{m} {n} {k}");
        }
        assert!(!takes(side, side, side, T::ZERO));
    }

    #[test]
    fn every_threshold_from_both_sides() {
        around::<Portable<4>, f32>();
        around::<Portable<4>, f64>();
        #[cfg(target_arch = "x86_64")]
        {
            around::<Sse2, f32>();
            around::<Avx2, f32>();
            around::<Avx2, f64>();
        }
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        {
            around::<crate::lanes::Avx512, f32>();
            around::<crate::lanes::Avx512, f64>();
        }
    }
}
