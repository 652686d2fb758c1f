//! Strided batches of matrices, and batched products and factorisations by one launch.

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::error::Error as Bad;
use super::super::ir::Kernel;
use super::super::template::Meet;
use super::super::template::small::{self, Factors, SMALL, SOLVED, Small};
use super::ops::{Done, Scalar, arguments, called};
use super::plan::{Planner, counted};
use super::{Gpu, Many, Mat, MatMut, Product, View, ViewMut};
use crate::backend::Solvers;
use crate::error::{same_len, same_shape};

/// Matrices of one shape at a regular distance, read.
#[derive(Debug)]
pub struct Batch<'a, T, D: Device> {
    all: View<'a, T, D>,
    /// Matrices, rows, columns.
    pub(super) sizes: [usize; 3],
    pub(super) strides: [usize; 3],
}

impl<T, D: Device> Clone for Batch<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for Batch<'_, T, D> {}

/// Matrices of one shape at a regular distance, written: no two of their elements are one.
#[derive(Debug)]
pub struct BatchMut<'a, T, D: Device>(pub(super) Batch<'a, T, D>);

impl<'a, T, D: Device> Batch<'a, T, D> {
    /// `[count, rows, cols]` and the strides from one matrix, row and column to the next.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds) when an element is not in the data, [`Overflow`](crate::Error::Overflow).
    pub fn strided(data: View<'a, T, D>, sizes: [usize; 3], strides: [usize; 3]) -> Result<Self, Error> {
        let arg = "data";
        if !sizes.contains(&0) {
            let ends = sizes.iter().zip(strides).map(|(n, by)| (n - 1).checked_mul(by));
            let end = ends.reduce(|p, q| p?.checked_add(q?)).flatten();
            if end.ok_or(crate::Error::overflow(arg))? >= data.len() {
                return Err(crate::Error::out_of_bounds(arg, data.len()).into());
            }
        }
        Ok(Self { all: data, sizes, strides })
    }

    pub(super) fn get(self, i: usize) -> Result<Mat<'a, T, D>, Error> {
        let ([_, rows, cols], [stride, row, col]) = (self.sizes, self.strides);
        let all = self.all.part((i * stride).min(self.all.len())..self.all.len())?;
        Ok(Mat { all, shape: [rows, cols], strides: [row, col], start: 0 })
    }
}

impl<'a, T, D: Device> BatchMut<'a, T, D> {
    /// As [`Batch::strided`]: each matrix ends before the next one starts, and so does the shorter of a row and a column.
    ///
    /// # Errors
    /// Those of [`Batch::strided`]; [`Overlap`](crate::Error::Overlap).
    pub fn strided(data: ViewMut<'a, T, D>, sizes: [usize; 3], strides: [usize; 3]) -> Result<Self, Error> {
        let ([count, rows, cols], [stride, row, col]) = (sizes, strides);
        let n = data.len();
        let batch = Batch::strided(data.matrix(1, n)?.0.all, sizes, strides)?;
        // Nothing overflows here that `strided` has taken.
        let reach = |n: usize, by: usize| n.saturating_sub(1).saturating_mul(by);
        let lines = |n: usize, small: usize, many: usize, large: usize| {
            (n <= 1 || small > 0) && (many <= 1 || large > reach(n, small))
        };
        let apart = count <= 1 || stride > reach(rows, row).saturating_add(reach(cols, col));
        let one = lines(cols, col, rows, row) || lines(rows, row, cols, col);
        if !(sizes.contains(&0) || apart && one) {
            return Err(crate::Error::overlap("data").into());
        }
        Ok(Self(batch))
    }
}

impl Planner {
    /// A launch of a kernel for many matrices of `n` rows, if these are so few that threads hold them.
    fn small<T: Scalar>(
        &self,
        op: &'static str,
        [count, n]: [usize; 2],
        [row, col]: [usize; 2],
        (held, form): (bool, u32),
        told: &dyn Fn(Small) -> alloc::vec::Vec<super::super::template::Argument>,
        make: impl Fn(Meet, Small) -> Result<Kernel, Bad>,
    ) -> Result<Option<Launch>, Error> {
        let Some(by) = Small::of(n, self.optimise, row < col) else { return Ok(None) };
        // Compilers of WGSL take a minute for what is unrolled over more.
        if self.short || held && !self.optimise && by.cols > 16 {
            return Ok(None);
        }
        let program = self.one_by::<T::Recorded>(op, by.form() << 1 | form, || Some(make(self.meet, by)))?;
        if program.kernel().shared_bytes() > self.limits.shared {
            return Ok(None);
        }
        self.grid_of(program, SMALL, [count.div_ceil(by.each() as usize), 1], told(by)).map(Some)
    }
}

impl<D: Device> Gpu<D> {
    /// What launches take of matrices; more elements than kernels count are refused.
    pub(super) fn bound_batch<'a, T: Scalar>(
        &self,
        arg: &'static str,
        of: Batch<'a, T, D>,
    ) -> Result<Binding<'a, D::Buffer>, Error>
    where
        D: Computes<T>,
    {
        let ([count, rows, cols], [stride, row, col]) = (of.sizes, of.strides);
        let reach = |n: usize, by: usize| n.saturating_sub(1).saturating_mul(by);
        let one = reach(rows, row).saturating_add(reach(cols, col)).saturating_add(1);
        self.state.planner.matrix::<T::Recorded>(arg, [count, one], [stride, 1])?;
        counted(arg, count.saturating_mul(rows))?;
        let end = reach(count, stride).saturating_add(one).min(of.all.len());
        of.all.part(0..end)?.binding(self)
    }

    /// [`gemm_strided_batched`](crate::gemm_strided_batched()), without a workspace of the caller's: one launch for all, whose
    /// blocks have a tile of one product each, and one more for every 65 535 of them; of fewer than 4096 multiplications and a
    /// depth of up to 32, a thread makes each element. A distance of 0 in A or B is one matrix for
    /// all. Products that are worth tensor cores, and few of a depth that blocks share, are [`gemm`](Self::gemm) one after
    /// the other.
    ///
    /// ```
    /// use fulmen::gpu::{backend::{Batch, BatchMut, Gpu}, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (a, b) = (gpu.upload(&[1.0f32, 2.0, 3.0, 4.0])?, gpu.upload(&[10.0f32, 100.0])?);
    /// let mut c = gpu.alloc(4)?;
    /// // Two columns of two elements, times one row of one element each.
    /// let a = Batch::strided(a.view(), [2, 2, 1], [2, 1, 1])?;
    /// let b = Batch::strided(b.view(), [2, 1, 1], [1, 1, 1])?;
    /// gpu.gemm_strided_batched(1.0, a, b, 0.0, BatchMut::strided(c.view_mut(), [2, 2, 1], [2, 1, 1])?)?;
    /// let mut got = [0.0f32; 4];
    /// gpu.download(c.view(), &mut got)?;
    /// assert_eq!(got, [10.0, 20.0, 300.0, 400.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len) when the batches differ in number, [`Shape`](crate::Error::Shape), `Overflow`,
    /// [`Error::Limit`], [`Error::Lost`].
    pub fn gemm_strided_batched<T: Scalar>(
        &self,
        alpha: T,
        a: Batch<'_, T, D>,
        b: Batch<'_, T, D>,
        beta: T,
        c: BatchMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(gemm_strided_batched, {
            let (c, [count, rows, k]) = (c.0, a.sizes);
            let ([many_b, depth, cols], [many_c, m, n]) = (b.sizes, c.sizes);
            same_len("b", count, many_b)?;
            same_len("c", count, many_c)?;
            same_shape("a", [m, k], [rows, k])?;
            same_shape("b", [k, n], [depth, cols])?;
            let strides = [a.strides, b.strides, c.strides];
            let product = Product::new([m, n, k], strides.map(|[_, r, c]| [r, c]), [alpha, beta]);
            let many = Many { counts: [1, count], apart: strides.map(|[by, ..]| [0, by]) };
            // What no launch reaches is refused, not taken apart.
            let bound = [self.bound_batch("a", a)?, self.bound_batch("b", b)?, self.bound_batch("c", c)?];
            match self.state.planner.products::<T::Recorded>(&product, &many)? {
                Some(plan) => self.run(&plan, &bound),
                None => (0..count)
                    .try_for_each(|i| self.gemm(alpha, a.get(i)?, b.get(i)?, beta, MatMut(c.get(i)?))),
            }
        })
    }

    /// [`cholesky_batched`](crate::cholesky_batched()): one launch for matrices of up to 64 rows (16 in WGSL), in registers, each of
    /// them read and written once; of more, [`cholesky`](Self::cholesky) of one after the other.
    ///
    /// What is refused the next [`download`](Self::download) says as [`Error::Pivot`], with the index of one of the first
    /// pivots of their matrices that are not positive: a row of all matrices, or, where one comes after the other, of its own.
    ///
    /// ```
    /// use fulmen::gpu::{backend::{BatchMut, Gpu}, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let mut a = gpu.upload(&[4.0f32, 7.0, 2.0, 10.0, 9.0, 7.0, 3.0, 5.0])?;
    /// gpu.cholesky_batched(BatchMut::strided(a.view_mut(), [2, 2, 2], [4, 2, 1])?)?;
    /// let mut l = [0.0; 8];
    /// gpu.download(a.view(), &mut l)?;
    /// assert_eq!(l, [2.0, 7.0, 1.0, 3.0, 3.0, 7.0, 1.0, 2.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn cholesky_batched<T: Scalar>(&self, a: BatchMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let (a, [count, n, cols]) = (a.0, a.0.sizes);
        same_shape("a", [n; 2], [n, cols])?;
        let bound = [self.bound_batch("a", a)?, self.status()?];
        if count * n == 0 {
            return Ok(());
        }
        let [stride, row, col] = a.strides;
        let told = |_| arguments::<T>(2, &[count, n, stride, row, col], &[]);
        let make = |_, by| small::cholesky::<T::Recorded>(by);
        let planner = &self.state.planner;
        match planner.small::<T>("cholesky_batched", [count, n], [row, col], (true, 0), &told, make)? {
            Some(launch) => self.run_one(launch, &bound),
            None => (0..count).try_for_each(|i| self.cholesky(MatMut(a.get(i)?), ())),
        }
    }

    /// [`lu_batched`](crate::lu_batched()), as [`cholesky_batched`](Self::cholesky_batched); a pivot that is 0, NaN or
    /// infinite is said as by [`lu`](Self::lu).
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn lu_batched<T: Scalar>(&self, a: BatchMut<'_, T, D>, pivots: ViewMut<'_, u32, D>) -> Done
    where
        D: Computes<T>,
    {
        let (a, [count, n, cols]) = (a.0, a.0.sizes);
        same_shape("a", [n; 2], [n, cols])?;
        same_len("pivots", count.saturating_mul(n), pivots.len())?;
        let bound = [self.bound_batch("a", a)?, pivots.binding(self)?, self.status()?];
        if count * n == 0 {
            return Ok(());
        }
        let [stride, row, col] = a.strides;
        let told = |_| arguments::<T>(3, &[count, n, stride, row, col], &[]);
        let make = |meet, by| small::lu::<T::Recorded>(meet, by);
        let planner = &self.state.planner;
        match planner.small::<T>("lu_batched", [count, n], [row, col], (true, 0), &told, make)? {
            Some(launch) => self.run_one(launch, &bound),
            None => (0..count).try_for_each(|i| self.lu(MatMut(a.get(i)?), pivots.sequence(i, count)?, ())),
        }
    }

    /// [`cholesky_solve_batched`](crate::cholesky_solve_batched()), as [`cholesky_batched`](Self::cholesky_batched), the factors
    /// in the memory that a block shares. A zero on a diagonal is said by the next [`download`](Self::download) as
    /// [`Error::Pivot`]; its B holds NaN and infinities then.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn cholesky_solve_batched<T: Scalar>(&self, l: Batch<'_, T, D>, b: BatchMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        self.solve_batched("cholesky_solve_batched", ("l", l), None, b.0)
    }

    /// [`lu_solve_batched`](crate::lu_solve_batched()), as [`cholesky_solve_batched`](Self::cholesky_solve_batched); a pivot
    /// that is no row is said as [`Error::Index`], and no rows are exchanged for it.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn lu_solve_batched<T: Scalar>(
        &self,
        factors: Batch<'_, T, D>,
        pivots: View<'_, u32, D>,
        b: BatchMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        self.solve_batched("lu_solve_batched", ("factors", factors), Some(pivots), b.0)
    }

    fn solve_batched<T: Scalar>(
        &self,
        op: &'static str,
        (arg, a): (&'static str, Batch<'_, T, D>),
        pivots: Option<View<'_, u32, D>>,
        b: Batch<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let ([count, n, cols], [many, rows, wide]) = (a.sizes, b.sizes);
        same_shape(arg, [n; 2], [n, cols])?;
        same_len("b", count, many)?;
        same_shape("b", [n, wide], [rows, wide])?;
        let mut bound = alloc::vec![self.bound_batch(arg, a)?, self.bound_batch("b", b)?];
        if let Some(pivots) = pivots {
            same_len("pivots", count.saturating_mul(n), pivots.len())?;
            bound.push(pivots.binding(self)?);
        }
        bound.push(self.status()?);
        if count * n == 0 {
            return Ok(());
        }
        let ([stride, row, col], [apart, down, along]) = (a.strides, b.strides);
        let (each, buffers) = (if wide == 1 { 1 } else { SOLVED }, bound.len());
        let told = |by: Small| {
            let [far, near] = if by.direct { [col, row] } else { [row, col] };
            arguments::<T>(buffers, &[count, n, stride, far, near, wide, apart, down, along], &[])
        };
        let of = if pivots.is_some() { Factors::Lu } else { Factors::Cholesky };
        let make = |_, by| small::solve::<T::Recorded>(by, of, each);
        let (planner, form) = (&self.state.planner, u32::from(wide == 1));
        if let Some(launch) = planner.small::<T>(op, [count, n], [row, col], (false, form), &told, make)? {
            return self.run_one(launch, &bound);
        }
        (0..count).try_for_each(|i| match pivots {
            Some(pivots) => self.lu_solve(a.get(i)?, pivots.sequence(i, count)?, MatMut(b.get(i)?), ()),
            None => self.cholesky_solve(a.get(i)?, MatMut(b.get(i)?), ()),
        })
    }
}
