//! Linear systems on devices (Cholesky, LU, triangular solves). A CPU checks for NaN, infinities and zero pivots before
//! it writes; a device finds them while it computes, and the next download returns the error.

use super::super::device::{Computes, Device, Error};
use super::super::template::factor::{self, EXCHANGED_COLUMNS, LEAF, TRIANGLE};
use super::super::template::{Index, diagonal, panel};
use super::blas::{Left, half};
use super::ops::{Done, Scalar, arguments, called};
use super::{Array, Gpu, Mat, MatMut, View, ViewMut};
use crate::backend::{Blas, Products, Solvers};
use crate::error::{same_len, same_shape};
use crate::{Diagonal, Side, Triangle};

/// A block of a matrix.
pub(super) fn block<T, D: Device>(
    a: Mat<'_, T, D>,
    rows: [usize; 2],
    cols: [usize; 2],
) -> Result<Mat<'_, T, D>, Error> {
    a.rows(rows[0]..rows[1])?.cols(cols[0]..cols[1])
}

impl<D: Device> Gpu<D> {
    /// The factor of at most [`TRIANGLE`] rows, of which the first is `first` of the whole matrix.
    pub(super) fn cholesky_of<T: Scalar>(&self, a: Mat<'_, T, D>, first: usize) -> Done
    where
        D: Computes<T>,
    {
        let n = a.shape[0];
        let bound = [a.binding(self)?, self.status()?];
        let told = arguments::<T>(2, &[n, a.strides[0], a.strides[1], first], &[]);
        let planner = &self.state.planner;
        // WGSL's shared memory is read as it is written.
        let scratch = planner.limits.shared >= 24 << 10;
        let make = || factor::cholesky::<T::Recorded>(planner.optimise, scratch);
        let launch = planner.factor::<T::Recorded>("cholesky", make, 1, told)?;
        self.run_one(launch, &bound)
    }

    /// Says the first zero of a diagonal.
    pub(super) fn divides<T: Scalar>(&self, what: Index, a: Mat<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let n = a.shape[0];
        if n == 0 {
            return Ok(());
        }
        let bound = [a.binding(self)?, self.status()?];
        let words = [n, a.strides[0].saturating_add(a.strides[1])];
        let make = |meet| factor::divides::<T::Recorded>(meet, what);
        self.run_blocks::<T>(what.names().0, make, [1, 1], &bound, (&words, &[]))
    }

    /// The factors of a part with no more columns than rows, whose first row is `first` of the whole matrix.
    fn lu_of<T: Scalar>(
        &self,
        a: Mat<'_, T, D>,
        pivots: View<'_, u32, D>,
        first: usize,
        scratch: &Array<T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let [m, n] = a.shape;
        if n > LEAF as usize {
            let h = half(n, LEAF as usize);
            let (left, right) = (a.cols(0..h)?, a.cols(h..n)?);
            let (done, rest) = (pivots.part(0..h)?, pivots.part(h..n)?);
            self.lu_of(left, done, first, scratch)?;
            self.exchange(right, done, first)?;
            self.unit_lower(left.rows(0..h)?, right.rows(0..h)?)?;
            let below = right.rows(h..m)?;
            self.gemm(-T::ONE, left.rows(h..m)?, right.rows(0..h)?, T::ONE, MatMut(below))?;
            self.lu_of(below, rest, first + h, scratch)?;
            return self.exchange(left.rows(h..m)?, rest, first + h);
        }
        self.panel(a, scratch, |a| {
            let bound = [a.binding(self)?, pivots.binding(self)?, self.status()?];
            let told = arguments::<T>(3, &[m, n, a.strides[0], a.strides[1], first], &[]);
            let make = |meet, held| match held {
                Some(held) => panel::lu::<T::Recorded>(meet, held),
                None => factor::lu::<T::Recorded>(meet),
            };
            let launch = self.state.planner.panel::<T::Recorded>("lu", m, make, told)?;
            self.run_one(launch, &bound)
        })
    }

    /// Memory for [`panel`](Self::panel)s of at most [`LEAF`] of `k` columns of A, if they need any.
    pub(super) fn panels<T: Scalar>(&self, a: Mat<'_, T, D>, k: usize) -> Result<Array<T, D>, Error> {
        let cols = if a.strides[0] == 1 { 0 } else { k.min(LEAF as usize) };
        self.alloc(a.shape[0].saturating_mul(cols))
    }

    /// A factor of a panel: where its columns are not contiguous, of a copy whose are, that goes back.
    pub(super) fn panel<T: Scalar>(
        &self,
        a: Mat<'_, T, D>,
        scratch: &Array<T, D>,
        f: impl FnOnce(Mat<'_, T, D>) -> Done,
    ) -> Done
    where
        D: Computes<T>,
    {
        let [m, n] = a.shape;
        if scratch.is_empty() {
            return f(a);
        }
        let copy = scratch.view().part(0..m * n)?.matrix(n, m)?;
        self.transpose(a, MatMut(copy))?;
        f(copy.t())?;
        self.transpose(copy, MatMut(a))
    }

    /// `B = L⁻¹·B` of a triangle whose diagonal is of ones.
    fn unit_lower<T: Scalar>(&self, l: Mat<'_, T, D>, b: Mat<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        self.triangular(true, &Left::new(Side::Left, Triangle::Lower, Diagonal::Unit, l, b)?)
    }

    /// Exchanges the rows of a part whose first row is `first` of the whole matrix.
    fn exchange<T: Scalar>(&self, a: Mat<'_, T, D>, pivots: View<'_, u32, D>, first: usize) -> Done
    where
        D: Computes<T>,
    {
        self.exchange_of(("exchange", Index::LuPivots, false), a, pivots, first)
    }

    /// The same, said by another op, or taken back.
    fn exchange_of<T: Scalar>(
        &self,
        (op, what, back): (&'static str, Index, bool),
        a: Mat<'_, T, D>,
        pivots: View<'_, u32, D>,
        first: usize,
    ) -> Done
    where
        D: Computes<T>,
    {
        let [rows, cols] = a.shape;
        if cols == 0 || pivots.is_empty() {
            return Ok(());
        }
        let bound = [a.binding(self)?, pivots.binding(self)?, self.status()?];
        let words = [cols, pivots.len(), rows, a.strides[0], a.strides[1], first];
        let told = arguments::<T>(3, &words, &[]);
        let blocks = cols.div_ceil(EXCHANGED_COLUMNS as usize);
        let make = || factor::exchange::<T::Recorded>(what, back);
        let launch = self.state.planner.factor::<T::Recorded>(op, make, blocks, told)?;
        self.run_one(launch, &bound)
    }

    /// Whether factors with exchanged rows and right-hand sides go together.
    fn check_solve<T: Scalar>(
        &self,
        factors: Mat<'_, T, D>,
        pivots: View<'_, u32, D>,
        b: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = factors.shape[0];
        same_shape("factors", [n; 2], factors.shape)?;
        same_len("pivots", n, pivots.len())?;
        same_shape("b", [n, b.shape[1]], b.shape)?;
        self.matrices([("factors", factors), ("b", b)])?;
        Ok(())
    }
}

impl<T: Scalar, D: Computes<T>> Solvers<T> for Gpu<D> {
    /// [`cholesky`](crate::cholesky()): parts of 128 rows by one block of threads, between them triangular solves and products,
    /// nothing of which waits for the host. At 4096 an H100 does 9.2 TFLOP/s.
    ///
    /// NaN and infinities in the triangle are refused as pivots are that are not positive: the next
    /// [`download`](Gpu::download) gives [`Error::Pivot`] with the index of the first one. Nothing of use is in the triangle then.
    ///
    /// ```
    /// use fulmen::backend::Solvers;
    /// use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let mut a = gpu.upload(&[4.0f32, 7.0, 2.0, 10.0])?;
    /// gpu.cholesky(a.view_mut().matrix(2, 2)?, ())?;
    /// let mut l = [0.0; 4];
    /// gpu.download(a.view(), &mut l)?;
    /// assert_eq!(l, [2.0, 7.0, 1.0, 3.0]);
    /// gpu.write(&[1.0, 0.0, 2.0, 1.0], a.view_mut())?;
    /// gpu.cholesky(a.view_mut().matrix(2, 2)?, ())?;
    /// let said = gpu.download(a.view(), &mut l);
    /// assert_eq!(said, Err(Error::Pivot { op: "cholesky", arg: "a", index: 1 }));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn cholesky(&self, a: MatMut<'_, T, D>, _: ()) -> Done {
        called!(cholesky, {
            same_shape("a", [a.0.shape[0]; 2], a.0.shape)?;
            self.matrices([("a", a.0)])?;
            let n = a.0.shape[0];
            for first in (0..n).step_by(TRIANGLE as usize) {
                let end = n.min(first + TRIANGLE as usize);
                let (own, below) = ([first, end], [end, n]);
                let l = block(a.0, own, own)?;
                self.cholesky_of(l, first)?;
                if end == n {
                    break;
                }
                let [between, rest] = [block(a.0, below, own)?, block(a.0, below, below)?];
                let (side, upper) = (Side::Right, Triangle::Upper);
                self.triangular(true, &Left::new(side, upper, Diagonal::NonUnit, l.t(), between)?)?;
                self.rank_k(-T::ONE, [between; 2], T::ONE, false, rest)?;
            }
            Ok(())
        })
    }

    /// [`cholesky_solve`](crate::cholesky_solve()). A zero on the diagonal is said by the next [`download`](Gpu::download) as
    /// [`Error::Pivot`]; B holds NaN and infinities then.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn cholesky_solve(&self, l: Mat<'_, T, D>, b: MatMut<'_, T, D>, _: ()) -> Done {
        called!(cholesky_solve, {
            let (n, b) = (l.shape[0], b.0);
            same_shape("l", [n; 2], l.shape)?;
            same_shape("b", [n, b.shape[1]], b.shape)?;
            self.matrices([("l", l), ("b", b)])?;
            self.divides(Index::CholeskySolve, l)?;
            let (side, diagonal) = (Side::Left, Diagonal::NonUnit);
            self.triangular(true, &Left::new(side, Triangle::Lower, diagonal, l, b)?)?;
            self.triangular(true, &Left::new(side, Triangle::Upper, diagonal, l.t(), b)?)
        })
    }

    /// [`lu`](crate::lu()): 32 columns by one block of threads, between them triangular solves and products, nothing of which
    /// waits for the host. A panel of up to 8192 rows is held in registers; at 4096 an H200 does 2.7 TFLOP/s.
    ///
    /// NaN and infinities are not refused before the first write: the next [`download`](Gpu::download) gives [`Error::Pivot`]
    /// with the index of the first pivot that is 0, NaN or infinite. The factorisation is complete then, as that of a matrix
    /// with a pivot of 0 is; NaN and infinities spread. In a column behind the last pivot they are not seen.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn lu(&self, a: MatMut<'_, T, D>, pivots: ViewMut<'_, u32, D>, _: ()) -> Done {
        called!(lu, {
            let (a, [m, n]) = (a.0, a.0.shape);
            let k = m.min(n);
            same_len("pivots", k, pivots.len())?;
            self.matrices([("a", a)])?;
            if k == 0 {
                return Ok(());
            }
            let pivots = pivots.read();
            let scratch = self.panels(a, k)?;
            self.lu_of(a.cols(0..k)?, pivots, 0, &scratch)?;
            // Only fewer rows than columns leave columns on the right.
            let right = a.cols(k..n)?;
            self.exchange(right, pivots, 0)?;
            let l = block(a, [0, k], [0, k])?;
            self.unit_lower(l, right.rows(0..k)?)
        })
    }

    /// [`lu_solve`](crate::lu_solve()). The next [`download`](Gpu::download) says a zero on U's diagonal as [`Error::Pivot`]; B
    /// holds NaN and infinities then. It says a pivot that is no row as [`Error::Index`]; no rows are exchanged for it.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn lu_solve(&self, factors: Mat<'_, T, D>, pivots: View<'_, u32, D>, b: MatMut<'_, T, D>, _: ()) -> Done {
        called!(lu_solve, {
            let b = b.0;
            self.check_solve(factors, pivots, b)?;
            self.divides(Index::LuSolve, factors)?;
            self.exchange(b, pivots, 0)?;
            self.unit_lower(factors, b)?;
            let upper = Left::new(Side::Left, Triangle::Upper, Diagonal::NonUnit, factors, b)?;
            self.triangular(true, &upper)
        })
    }

    /// [`inverse`](crate::inverse()). Of what [`lu`](Self::lu) says, the next [`download`](Gpu::download) says the same, under that
    /// name; NaN and infinities are in A then.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn inverse(&self, a: MatMut<'_, T, D>, mut pivots: ViewMut<'_, u32, D>, _: ()) -> Done {
        called!(inverse, {
            let (a, n) = (a.0, a.0.shape[0]);
            same_shape("a", [n; 2], a.shape)?;
            self.lu(MatMut(a), pivots.lend(), ())?;
            if n == 0 {
                return Ok(());
            }
            let (mut scratch, mut ones) = (self.alloc::<T>(n.saturating_mul(n))?, self.alloc::<T>(n)?);
            self.fill(T::ZERO, scratch.view_mut())?;
            self.fill(T::ONE, ones.view_mut())?;
            let x = scratch.view().matrix(n, n)?;
            let diagonal = Mat { shape: [n, 1], strides: [n + 1, 1], ..x };
            self.copy(ones.view().matrix(n, 1)?, MatMut(diagonal))?;
            self.exchange(x, pivots.read(), 0)?;
            self.unit_lower(a, x)?;
            self.triangular(true, &Left::new(Side::Left, Triangle::Upper, Diagonal::NonUnit, a, x)?)?;
            self.transpose(x.t(), MatMut(a))
        })
    }

    /// [`determinant`](crate::determinant()) into a view of one element. The next [`download`](Gpu::download) says a pivot that is no row as
    /// [`Error::Index`].
    ///
    /// ```
    /// use fulmen::backend::Solvers;
    /// use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (f, pivots, mut det) = (gpu.upload(&[2.0f32, 2.0, 0.5, 3.0])?, gpu.upload(&[1, 1])?, gpu.alloc(1)?);
    /// gpu.determinant(f.view().matrix(2, 2)?, pivots.view(), det.view_mut())?;
    /// let mut found = [0.0];
    /// gpu.download(det.view(), &mut found)?;
    /// assert_eq!(found, [-6.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn determinant(&self, factors: Mat<'_, T, D>, pivots: View<'_, u32, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(determinant, {
            let n = factors.shape[0];
            same_shape("factors", [n; 2], factors.shape)?;
            same_len("pivots", n, pivots.len())?;
            same_len("out", 1, out.len())?;
            self.matrices([("factors", factors)])?;
            if n == 0 {
                return self.fill(T::ONE, out);
            }
            let bound = [factors.binding(self)?, pivots.binding(self)?, out.binding(self)?, self.status()?];
            let words = [n, factors.strides[0].saturating_add(factors.strides[1])];
            self.run_blocks::<T>(
                "determinant",
                diagonal::determinant::<T::Recorded>,
                [1, 1],
                &bound,
                (&words, &[]),
            )
        })
    }

    /// [`ldlt_solve`](crate::ldlt_solve()), with what [`ldlt`](crate::ldlt()) leaves beside the diagonal. The next [`download`](Gpu::download) says a
    /// block of one row that is 0 as [`Error::Pivot`], B holds NaN and infinities then, and a pivot that is no row as [`Error::Index`]; no
    /// rows are exchanged for it.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn ldlt_solve(
        &self,
        factors: Mat<'_, T, D>,
        off: View<'_, T, D>,
        pivots: View<'_, u32, D>,
        b: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(ldlt_solve, {
            let (n, b) = (factors.shape[0], b.0);
            self.check_solve(factors, pivots, b)?;
            same_len("off", n, off.len())?;
            let cols = b.shape[1];
            if n * cols == 0 {
                return Ok(());
            }
            self.exchange_of(("ldlt_exchange", Index::LdltPivots, false), b, pivots, 0)?;
            self.unit_lower(factors, b)?;
            let bound = [factors.binding(self)?, off.binding(self)?, b.binding(self)?, self.status()?];
            let step = factors.strides[0].saturating_add(factors.strides[1]);
            let words = [n, cols, step, b.strides[0], b.strides[1]];
            let make = diagonal::divided::<T::Recorded>;
            self.run_flat::<T>("ldlt_divided", make, n * cols, &bound, (&words, &[]))?;
            let upper = Left::new(Side::Left, Triangle::Upper, Diagonal::Unit, factors.t(), b)?;
            self.triangular(true, &upper)?;
            self.exchange_of(("ldlt_exchange_back", Index::LdltPivots, true), b, pivots, 0)
        })
    }

    /// [`qr`](crate::qr()): 32 columns by one block of threads, then the others by products of matrices, nothing of which waits
    /// for the host. A panel of up to 8192 rows is held in registers; at 4096 an H200 does 4.3 TFLOP/s.
    ///
    /// NaN and infinities are not refused before the first write: the next [`download`](Gpu::download) gives [`Error::Pivot`]
    /// with the index of the first column in which the reflections came upon one; they spread. Right of the last reflection they are not seen.
    ///
    /// ```
    /// use fulmen::backend::Solvers;
    /// use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (mut a, mut tau) = (gpu.upload(&[3.0f32, 4.0])?, gpu.alloc(1)?);
    /// gpu.qr(a.view_mut().matrix(2, 1)?, tau.view_mut(), ())?;
    /// let (mut factors, mut factor) = ([0.0; 2], [0.0]);
    /// gpu.download(a.view(), &mut factors)?;
    /// gpu.download(tau.view(), &mut factor)?;
    /// assert_eq!((factors, factor), ([-5.0, 0.5], [1.6]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn qr(&self, a: MatMut<'_, T, D>, tau: ViewMut<'_, T, D>, _: ()) -> Done {
        called!(qr, {
            same_len("tau", a.0.shape[0].min(a.0.shape[1]), tau.len())?;
            self.matrices([("a", a.0)])?;
            self.qr_of("qr", Index::Qr, a.0, tau.read())
        })
    }

    /// [`qr_apply`](crate::qr_apply()). NaN and infinities are not refused: they spread.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn qr_apply(
        &self,
        transposed: bool,
        factors: Mat<'_, T, D>,
        tau: View<'_, T, D>,
        c: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(qr_apply, {
            let ([m, n], c) = (factors.shape, c.0);
            same_len("tau", m.min(n), tau.len())?;
            same_shape("c", [m, c.shape[1]], c.shape)?;
            self.matrices([("factors", factors), ("c", c)])?;
            self.qr_apply_of(transposed, factors, tau, c)
        })
    }

    /// [`least_squares`](crate::least_squares()). NaN and infinities in A are said as by [`qr`](Self::qr), and as
    /// [`Error::Pivot`], too, the first zero on R's diagonal; B holds NaN and infinities then. Those in B spread.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn least_squares(&self, a: MatMut<'_, T, D>, tau: ViewMut<'_, T, D>, b: MatMut<'_, T, D>, _: ()) -> Done {
        called!(least_squares, {
            let (a, [m, n], b) = (a.0, a.0.shape, b.0);
            same_shape("a", [m.max(n), n], a.shape)?;
            same_len("tau", n, tau.len())?;
            same_shape("b", [m, b.shape[1]], b.shape)?;
            self.matrices([("a", a), ("b", b)])?;
            let tau = tau.read();
            self.qr_of("least_squares_qr", Index::LeastSquares, a, tau)?;
            self.qr_apply_of(true, a, tau, b)?;
            let r = a.rows(0..n)?;
            self.divides(Index::LeastSquares, r)?;
            let (side, upper) = (Side::Left, Triangle::Upper);
            self.triangular(true, &Left::new(side, upper, Diagonal::NonUnit, r, b.rows(0..n)?)?)
        })
    }

    /// [`eigh`](crate::eigh()) by Jacobi's method from both sides, whose eigenvalues are at the end vᵀAv / vᵀv of the matrix as it was
    /// given: of `n` rows they are off by no more than 10·√n·u·‖A‖₂. Up to 64 rows (what a block's memory has room for; 32 in WGSL) by one block of threads in
    /// one launch, more by a launch for every 4 vectors that each of its blocks turns.
    ///
    /// NaN and infinities are not refused before the first write: the next [`download`](Gpu::download) gives [`Error::Pivot`]
    /// with the index of a row that has one, or of the first row of a small matrix. Nothing of use is in A then. So is
    /// what 16 sweeps are not enough for, by the first row; no matrix is known to need as many.
    ///
    /// ```
    /// use fulmen::backend::Solvers;
    /// use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (mut a, mut values) = (gpu.upload(&[3.0f32, 9.0, 0.0, 1.0])?, gpu.alloc(2)?);
    /// gpu.eigh(a.view_mut().matrix(2, 2)?, values.view_mut(), ())?;
    /// let (mut v, mut found) = ([0.0; 4], [0.0; 2]);
    /// gpu.download(a.view(), &mut v)?;
    /// gpu.download(values.view(), &mut found)?;
    /// assert_eq!((v, found), ([0.0, 1.0, 1.0, 0.0], [1.0, 3.0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn eigh(&self, a: MatMut<'_, T, D>, values: ViewMut<'_, T, D>, _: ()) -> Done {
        called!(eigh, { self.eigh_of(a, values) })
    }

    /// [`svd`](crate::svd()) by Jacobi's method from one side: up to 64 rows and columns (what a block's memory has room for; of `f64` and in
    /// WGSL 32) by one block of threads in one launch, more by a launch for every 4 vectors that each of its blocks turns;
    /// the left vectors are the orthogonal factor of A·V, so that they are orthonormal whatever the rank. A is not written.
    ///
    /// NaN and infinities are not refused before the first write: the next [`download`](Gpu::download) gives [`Error::Pivot`]
    /// with the index of a column that has one, or of the first column of a small matrix; a row where there are fewer of these. Nothing of use is in the results then.
    /// So is what 16 sweeps are not enough for, by index 0; no matrix is known to need as many.
    ///
    /// ```
    /// use fulmen::backend::Solvers;
    /// use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (mut a, mut u) = (gpu.upload(&[3.0f32, 4.0])?, gpu.alloc(2)?);
    /// let (mut values, mut vt) = (gpu.alloc(1)?, gpu.alloc(1)?);
    /// let of = a.view_mut().matrix(2, 1)?;
    /// gpu.svd(of, u.view_mut().matrix(2, 1)?, values.view_mut(), vt.view_mut().matrix(1, 1)?, ())?;
    /// let mut found = [0.0];
    /// gpu.download(values.view(), &mut found)?;
    /// assert_eq!(found, [5.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn svd(
        &self,
        a: MatMut<'_, T, D>,
        u: MatMut<'_, T, D>,
        values: ViewMut<'_, T, D>,
        vt: MatMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(svd, {
            let (a, u, vt, [m, n]) = (a.0, u.0, vt.0, a.0.shape);
            let k = m.min(n);
            same_shape("u", [m, k], u.shape)?;
            same_len("values", k, values.len())?;
            same_shape("vt", [k, n], vt.shape)?;
            self.matrices([("a", a), ("u", u), ("vt", vt)])?;
            if k == 0 {
                return Ok(());
            }
            let [a, u, vt] = if m < n { [a.t(), vt.t(), u.t()] } else { [a, u, vt] };
            let strides = [a, u, vt].map(|x| [0, x.strides[0], x.strides[1]]);
            if let Some(launch) = self.state.planner.svd_whole::<T>([1, m.max(n), k], strides)? {
                let [a, u, vt] = [a, u, vt].map(|x| x.binding(self));
                return self.run_one(launch, &[a?, u?, values.binding(self)?, vt?, self.status()?]);
            }
            self.svd_of(a, u, values.read(), vt)
        })
    }
}
