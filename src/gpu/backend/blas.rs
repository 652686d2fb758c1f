//! BLAS level 1 on strided vectors, and ops on symmetric and triangular matrices, on devices.

use super::super::device::{Computes, Device, Error};
use super::super::template::triangle::{self, Rows};
use super::super::template::{Argument, THREADS, vector};
use super::ops::{Done, Scalar, arguments, called};
use super::product::Product;
use super::{Array, Gpu, Mat, MatMut, View, ViewMut};
use crate::backend::{Blas, Products};
use crate::error::{not_empty, same_len, same_shape};
use crate::{Diagonal, RotM, Side, Triangle};
use alloc::vec;

/// Rows of a triangle that one block works on; a larger one is halved, with a product of matrices between.
const BASE: usize = THREADS as usize;

fn square<T, D: Device>(a: Mat<'_, T, D>) -> Result<usize, Error> {
    same_shape("a", [a.shape[0]; 2], a.shape)?;
    Ok(a.shape[0])
}

/// The same symmetric matrix by its lower triangle.
fn lower<T, D: Device>(triangle: Triangle, a: Mat<'_, T, D>) -> Mat<'_, T, D> {
    if triangle == Triangle::Upper { a.t() } else { a }
}

/// Rows of a triangle that is computed by one launch, at most, unless its depth is at most [`SHALLOW`].
const LOWER: usize = 1024;

/// Depth of products of which blocks do nothing but read and write C.
const SHALLOW: usize = 128;

/// Where rows or columns are cut in two, so that parts of so many are whole.
pub(super) const fn half(n: usize, part: usize) -> usize {
    (n / 2).next_multiple_of(part)
}

/// A triangular matrix on the left of B, which is written.
pub(super) struct Left<'a, T, D: Device> {
    upper: bool,
    unit: bool,
    a: Mat<'a, T, D>,
    b: Mat<'a, T, D>,
}

impl<'a, T, D: Device> Left<'a, T, D> {
    pub(super) fn new(
        side: Side,
        triangle: Triangle,
        diagonal: Diagonal,
        a: Mat<'a, T, D>,
        b: Mat<'a, T, D>,
    ) -> Result<Self, Error> {
        let k = if side == Side::Left { b.shape[0] } else { b.shape[1] };
        same_shape("a", [k, k], a.shape)?;
        // `B·A` is `Aᵀ·Bᵀ`, transposed.
        let (a, b, triangle) =
            if side == Side::Left { (a, b, triangle) } else { (a.t(), b.t(), triangle.t()) };
        Ok(Self { upper: triangle == Triangle::Upper, unit: diagonal == Diagonal::Unit, a, b })
    }

    /// The halves, and what lies between them: a block of A, the rows of B that it multiplies, and those that it adds to. The half first
    /// whose rows of B the block multiplies.
    fn halves(&self) -> Result<([Self; 2], Mat<'a, T, D>), Error> {
        let (n, h) = (self.b.shape[0], half(self.b.shape[0], BASE));
        let part = |from: usize, to: usize| {
            let (a, b) = (self.a.cols(from..to)?.rows(from..to)?, self.b.rows(from..to)?);
            Ok::<_, Error>(Self { a, b, ..*self })
        };
        let (above, below) = (part(0, h)?, part(h, n)?);
        Ok(if self.upper {
            ([below, above], self.a.rows(0..h)?.cols(h..n)?)
        } else {
            ([above, below], self.a.rows(h..n)?.cols(0..h)?)
        })
    }
}

impl<D: Device> Gpu<D> {
    /// A kernel over two vectors, with a thread for each element.
    fn vectors<T: Scalar>(&self, op: &'static str, all: [Mat<'_, T, D>; 2], numbers: &[T]) -> Done
    where
        D: Computes<T>,
    {
        let [x, y] = all;
        let n = x.shape[0];
        same_len("y", n, y.shape[0])?;
        let (bound, _) = self.matrices([("x", x), ("y", y)])?;
        if n == 0 {
            return Ok(());
        }
        let told = arguments(2, &[n, x.strides[0], y.strides[0]], numbers);
        let make = || match op {
            "copy" => Some(vector::copy::<T::Recorded>(false)),
            "axpy_strided" => Some(vector::copy::<T::Recorded>(true)),
            _ => vector::pair::<T::Recorded>(op),
        };
        let launch = self.state.planner.flat::<T::Recorded>(op, make, n, told)?;
        self.run_one(launch, &bound)
    }

    /// Copies contiguous elements.
    pub(super) fn line_copy<T: Scalar>(&self, from: View<'_, T, D>, to: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let n = from.len();
        self.vectors("copy", [from.matrix(n, 1)?, to.matrix(n, 1)?.0], &[])
    }

    /// A matrix times α. Where α is 0, it is not read unless it is to `keep` NaN.
    fn times<T: Scalar>(&self, alpha: T, x: Mat<'_, T, D>, keep: bool) -> Done
    where
        D: Computes<T>,
    {
        let (bound, _) = self.matrices([("x", x)])?;
        let n = x.shape[0].saturating_mul(x.shape[1]);
        self.state.planner.line::<T::Recorded>("x", n)?;
        if n == 0 {
            return Ok(());
        }
        let words = [n, x.shape[1], x.strides[0], x.strides[1], usize::from(keep)];
        self.run_flat::<T>("scal", vector::scale::<T::Recorded>, n, &bound, (&words, &[alpha]))
    }

    /// The elements, contiguous: where they are, or copied to `scratch`.
    pub(super) fn gathered<'a, T: Scalar>(
        &self,
        x: Mat<'a, T, D>,
        scratch: &'a mut Option<Array<T, D>>,
    ) -> Result<View<'a, T, D>, Error>
    where
        D: Computes<T>,
    {
        if let Some(line) = x.line() {
            return Ok(line);
        }
        let n = x.shape[0];
        let scratch = scratch.insert(self.alloc(n)?);
        self.vectors("copy", [x, scratch.view().matrix(n, 1)?], &[])?;
        Ok(scratch.view())
    }

    /// The position of the largest magnitude of a column.
    pub(super) fn largest<T: Scalar>(&self, x: Mat<'_, T, D>, out: ViewMut<'_, u32, D>) -> Done
    where
        D: Computes<T>,
    {
        let n = x.shape[0];
        not_empty("x", n)?;
        same_len("out", 1, out.len())?;
        let (mut bound, _) = self.matrices([("x", x)])?;
        bound.push(out.binding(self)?);
        let planner = &self.state.planner;
        let blocks = n.div_ceil(16 * BASE).min(planner.blocks as usize);
        let made = vector::largest::<T::Recorded>;
        let all = [0, 2].map(Argument::Buffer).into_iter().chain(arguments::<T>(0, &[n, x.strides[0]], &[]));
        let search =
            planner.blocks::<T::Recorded>("iamax", |m| made(m, false), [blocks, 1], all.collect())?;
        let all = [0, 1, 2].map(Argument::Buffer).into_iter();
        let all = all.chain(arguments::<T>(0, &[blocks, x.strides[0]], &[])).collect();
        let merge = planner.blocks::<T::Recorded>("iamax_merge", |m| made(m, true), [1, 1], all)?;
        self.go(vec![search, merge], vec![4 * blocks as u64], &bound)
    }

    /// `y = α·A·x + β·y` of a matrix by one triangle.
    #[allow(clippy::too_many_arguments, reason = "BLAS")]
    fn by_rows<T: Scalar>(
        &self,
        rows: Rows,
        unit: bool,
        alpha: T,
        a: Mat<'_, T, D>,
        x: Mat<'_, T, D>,
        beta: T,
        y: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let (bound, _) = self.matrices([("a", a), ("x", x), ("y", y)])?;
        let n = a.shape[0];
        if n == 0 {
            return Ok(());
        }
        let most = if alpha == T::ZERO { 0 } else { n };
        let words = [n, most, a.strides[0], a.strides[1], x.strides[0], y.strides[0], usize::from(unit)];
        let op = match rows {
            Rows::Symmetric => "symv",
            Rows::Lower => "trmv",
            Rows::Upper => "trmv_upper",
        };
        let make = |meet| triangle::vector::<T::Recorded>(meet, rows);
        self.run_blocks::<T>(op, make, [n, 1], &bound, (&words, &[alpha, beta]))
    }

    /// `A += α·x·yᵀ` in one triangle, or with `both` also `α·y·xᵀ`.
    fn rank<T: Scalar>(
        &self,
        op: &'static str,
        alpha: T,
        [x, y]: [Mat<'_, T, D>; 2],
        triangle: Triangle,
        a: MatMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = square(a.0)?;
        same_len("x", n, x.shape[0])?;
        same_len("y", n, y.shape[0])?;
        let a = lower(triangle, a.0);
        let (bound, _) = self.matrices([("x", x), ("y", y), ("a", a)])?;
        self.state.planner.line::<T::Recorded>("a", n.saturating_mul(n))?;
        if n == 0 || alpha == T::ZERO {
            return Ok(());
        }
        let words = [n, x.strides[0], y.strides[0], a.strides[0], a.strides[1]];
        self.run_flat::<T>(
            op,
            || triangle::rank::<T::Recorded>(op == "syr2"),
            n * n,
            &bound,
            (&words, &[alpha]),
        )
    }

    /// `C = α·A·Bᵀ + β·C` in the lower triangle, with `both` `+ α·B·Aᵀ`. Between C's halves are products; on its diagonal a square
    /// is computed whole and half of it kept.
    pub(super) fn rank_k<T: Scalar>(
        &self,
        alpha: T,
        [a, b]: [Mat<'_, T, D>; 2],
        beta: T,
        both: bool,
        c: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = c.shape[0];
        let products = |rows: [Mat<'_, T, D>; 2], cols: [Mat<'_, T, D>; 2], beta: T, c: Mat<'_, T, D>| {
            let ([a, b], [s, t]) = (rows, cols);
            self.gemm(alpha, a, t.t(), beta, MatMut(c))?;
            if both { self.gemm(alpha, b, s.t(), T::ONE, MatMut(c)) } else { Ok(()) }
        };
        let (planner, depth) = (&self.state.planner, a.shape[1]);
        // Of one launch, of blocks that do not share the depth.
        let few = n <= LOWER && depth <= 2 * n || depth <= SHALLOW;
        let one = few && n > 0 && alpha != T::ZERO;
        if one && !planner.short && !planner.rounds {
            let product = |a: Mat<'_, T, D>, b: Mat<'_, T, D>, beta: T| {
                same_shape("a", [n, depth], a.shape)?;
                same_shape("b", [n, depth], b.shape)?;
                let strides = [a.strides, b.t().strides, c.strides];
                let of = Product::new([n, n, depth], strides, [alpha, beta]);
                let (bound, _) = self.matrices([("a", a), ("b", b), ("c", c)])?;
                self.run_one(planner.lower::<T::Recorded>(&of)?, &bound)
            };
            product(a, b, beta)?;
            return if both { product(b, a, T::ONE) } else { Ok(()) };
        }
        if n <= BASE {
            let mut scratch = self.alloc::<T>(n * n)?;
            let sums = scratch.view_mut().matrix(n, n)?.0;
            products([a, b], [a, b], T::ZERO, sums)?;
            let (bound, _) = self.matrices([("sums", sums), ("c", c)])?;
            if n == 0 {
                return Ok(());
            }
            let words = [n, c.strides[0], c.strides[1]];
            let make = triangle::merge::<T::Recorded>;
            return self.run_flat::<T>("triangle", make, n * n, &bound, (&words, &[beta]));
        }
        let h = half(n, BASE);
        let part = |from: usize, to: usize| Ok::<_, Error>([a.rows(from..to)?, b.rows(from..to)?]);
        let (above, below) = (part(0, h)?, part(h, n)?);
        products(below, above, beta, c.rows(h..n)?.cols(0..h)?)?;
        self.rank_k(alpha, above, beta, both, c.rows(0..h)?.cols(0..h)?)?;
        self.rank_k(alpha, below, beta, both, c.rows(h..n)?.cols(h..n)?)
    }

    /// `C += α·A·B`.
    fn plus<T: Scalar>(&self, alpha: T, a: Mat<'_, T, D>, b: Mat<'_, T, D>, c: Mat<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        if c.shape[1] == 1 {
            return Products::gemv(self, alpha, a, b, T::ONE, MatMut(c));
        }
        self.gemm(alpha, a, b, T::ONE, MatMut(c))
    }

    /// `B = A·B`, or with `solve` `B = A⁻¹·B`: by halves until one block of threads has all rows.
    pub(super) fn triangular<T: Scalar>(&self, solve: bool, of: &Left<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let [n, cols] = of.b.shape;
        if n == 0 || cols == 0 {
            return Ok(());
        }
        if n > BASE {
            let ([first, second], between) = of.halves()?;
            if solve {
                self.triangular(solve, &first)?;
                self.plus(-T::ONE, between, first.b, second.b)?;
                return self.triangular(solve, &second);
            }
            self.triangular(solve, &second)?;
            self.plus(T::ONE, between, first.b, second.b)?;
            return self.triangular(solve, &first);
        }
        let (bound, strides) = self.matrices([("a", of.a), ("b", of.b)])?;
        let words = [&[n, cols], &strides[..], &[of.unit, of.upper].map(usize::from)].concat();
        let (told, planner) = (arguments::<T>(2, &words, &[]), &self.state.planner);
        let launch = if solve {
            let turned = of.b.strides[0] < of.b.strides[1];
            // WGSL's shared memory is read as it is written.
            let make = || triangle::solve::<T::Recorded>(turned, planner.optimise);
            planner.factor::<T::Recorded>(
                if turned { "trsm_turned" } else { "trsm" },
                make,
                cols.div_ceil(triangle::SOLVED as usize),
                told,
            )
        } else {
            let make = |_| triangle::multiply::<T::Recorded>();
            planner.blocks::<T::Recorded>("trmm", make, [cols, 1], told)
        }?;
        self.run_one(launch, &bound)
    }

    /// `B = α·A·B`, or with `solve` `B = α·A⁻¹·B`.
    fn scaled_triangular<T: Scalar>(&self, solve: bool, alpha: T, of: &Left<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        // Before the first write.
        self.matrices([("a", of.a), ("b", of.b)])?;
        if alpha != T::ONE {
            self.times(alpha, of.b, false)?;
        }
        if alpha == T::ZERO { Ok(()) } else { self.triangular(solve, of) }
    }
}

impl<T: Scalar, D: Computes<T>> Blas<T> for Gpu<D> {
    fn ger(&self, alpha: T, x: Mat<'_, T, D>, y: Mat<'_, T, D>, a: MatMut<'_, T, D>) -> Done {
        called!(ger, {
            same_len("x", a.0.shape[0], x.shape[0])?;
            same_len("y", a.0.shape[1], y.shape[0])?;
            if alpha == T::ZERO { Ok(()) } else { self.gemm(alpha, x, y.t(), T::ONE, a) }
        })
    }

    fn syr(&self, alpha: T, x: Mat<'_, T, D>, triangle: Triangle, a: MatMut<'_, T, D>) -> Done {
        called!(syr, { self.rank("syr", alpha, [x, x], triangle, a) })
    }

    fn syr2(
        &self,
        alpha: T,
        x: Mat<'_, T, D>,
        y: Mat<'_, T, D>,
        triangle: Triangle,
        a: MatMut<'_, T, D>,
    ) -> Done {
        called!(syr2, { self.rank("syr2", alpha, [x, y], triangle, a) })
    }

    fn symv(
        &self,
        alpha: T,
        triangle: Triangle,
        a: Mat<'_, T, D>,
        x: Mat<'_, T, D>,
        beta: T,
        y: MatMut<'_, T, D>,
    ) -> Done {
        called!(symv, {
            let n = square(a)?;
            same_len("x", n, x.shape[0])?;
            same_len("y", n, y.0.shape[0])?;
            self.by_rows(Rows::Symmetric, false, alpha, lower(triangle, a), x, beta, y.0)
        })
    }

    fn trmv(&self, triangle: Triangle, diagonal: Diagonal, a: Mat<'_, T, D>, x: MatMut<'_, T, D>) -> Done {
        called!(trmv, {
            let n = square(a)?;
            same_len("x", n, x.0.shape[0])?;
            let scratch = self.alloc::<T>(n)?;
            let old = scratch.view().matrix(n, 1)?;
            self.vectors("copy", [x.0, old], &[])?;
            let rows = if triangle == Triangle::Upper { Rows::Upper } else { Rows::Lower };
            self.by_rows(rows, diagonal == Diagonal::Unit, T::ONE, a, old, T::ZERO, x.0)
        })
    }

    fn trsv(&self, triangle: Triangle, diagonal: Diagonal, a: Mat<'_, T, D>, x: MatMut<'_, T, D>) -> Done {
        called!(trsv, {
            let n = square(a)?;
            same_len("x", n, x.0.shape[0])?;
            self.scaled_triangular(true, T::ONE, &Left::new(Side::Left, triangle, diagonal, a, x.0)?)
        })
    }

    fn symm(
        &self,
        side: Side,
        alpha: T,
        triangle: Triangle,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(symm, {
            let n = if side == Side::Left { b.shape[0] } else { b.shape[1] };
            same_shape("a", [n, n], a.shape)?;
            same_shape("c", b.shape, c.0.shape)?;
            let a = lower(triangle, a);
            let (mut bound, _) = self.matrices([("a", a), ("b", b), ("c", c.0)])?;
            bound.truncate(1);
            let cells = n.saturating_mul(n);
            self.state.planner.line::<T::Recorded>("a", cells)?;
            let scratch = self.alloc::<T>(cells)?;
            // α = 0 reads no A.
            if cells > 0 && alpha != T::ZERO {
                bound.push(scratch.view().binding(self)?);
                let words = [n, a.strides[0], a.strides[1]];
                self.run_flat::<T>("mirror", triangle::mirror::<T::Recorded>, cells, &bound, (&words, &[]))?;
            }
            let whole = scratch.view().matrix(n, n)?;
            match side {
                Side::Left => self.gemm(alpha, whole, b, beta, c),
                Side::Right => self.gemm(alpha, b, whole, beta, c),
            }
        })
    }

    fn syrk(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        beta: T,
        triangle: Triangle,
        c: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(syrk, {
            same_shape("c", [a.shape[0]; 2], c.0.shape)?;
            self.matrices([("a", a), ("c", c.0)])?;
            self.rank_k(alpha, [a, a], beta, false, lower(triangle, c.0))
        })
    }

    fn syr2k(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        triangle: Triangle,
        c: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(syr2k, {
            same_shape("b", a.shape, b.shape)?;
            same_shape("c", [a.shape[0]; 2], c.0.shape)?;
            self.matrices([("a", a), ("b", b), ("c", c.0)])?;
            self.rank_k(alpha, [a, b], beta, true, lower(triangle, c.0))
        })
    }

    fn trmm(
        &self,
        side: Side,
        alpha: T,
        triangle: Triangle,
        diagonal: Diagonal,
        a: Mat<'_, T, D>,
        b: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(trmm, { self.scaled_triangular(false, alpha, &Left::new(side, triangle, diagonal, a, b.0)?) })
    }

    fn trsm(
        &self,
        side: Side,
        alpha: T,
        triangle: Triangle,
        diagonal: Diagonal,
        a: Mat<'_, T, D>,
        b: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(trsm, { self.scaled_triangular(true, alpha, &Left::new(side, triangle, diagonal, a, b.0)?) })
    }

    fn swap(&self, x: MatMut<'_, T, D>, y: MatMut<'_, T, D>) -> Done {
        called!(swap, { self.vectors("swap", [x.0, y.0], &[]) })
    }

    fn copy(&self, x: Mat<'_, T, D>, y: MatMut<'_, T, D>) -> Done {
        called!(copy, { self.vectors("copy", [x, y.0], &[]) })
    }

    fn scal(&self, alpha: T, x: MatMut<'_, T, D>) -> Done {
        called!(scal, { self.times(alpha, x.0, true) })
    }

    fn axpy_strided(&self, alpha: T, x: Mat<'_, T, D>, y: MatMut<'_, T, D>) -> Done {
        called!(axpy_strided, { self.vectors("axpy_strided", [x, y.0], &[alpha]) })
    }

    fn rot(&self, x: MatMut<'_, T, D>, y: MatMut<'_, T, D>, c: T, s: T) -> Done {
        called!(rot, { self.vectors("rot", [x.0, y.0], &[c, s]) })
    }

    fn rotm(&self, x: MatMut<'_, T, D>, y: MatMut<'_, T, D>, h: &RotM<T>) -> Done {
        called!(rotm, {
            let all = [x.0, y.0];
            match *h {
                RotM::Identity => Ok(same_len("y", all[0].shape[0], all[1].shape[0])?),
                RotM::Full { h11, h21, h12, h22 } => self.vectors("rotm", all, &[h11, h12, h21, h22]),
                RotM::UnitDiagonal { h21, h12 } => self.vectors("rotm_unit_diagonal", all, &[h21, h12]),
                RotM::UnitAntidiagonal { h11, h22 } => {
                    self.vectors("rotm_unit_antidiagonal", all, &[h11, h22])
                }
            }
        })
    }
}
