//! Eigenvalues and singular values on devices by the Jacobi method: a launch for each round of a sweep, or one block
//! for a whole matrix. The host never waits: after convergence, further sweeps return at once.

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::error::Error as Bad;
use super::super::ir::Kernel;
use super::super::template::jacobi::{self, EARLY, SWEEPS, TURNED};
use super::super::template::{Argument, Index, Meet};
use super::batch::BatchMut;
use super::ops::{Done, Scalar, arguments};
use super::plan::Planner;
use super::{Array, Gpu, Mat, MatMut, View, ViewMut};
use crate::backend::Products;
use crate::backend::Solvers;
use crate::error::{same_len, same_shape};
use alloc::vec::Vec;
use core::ops::Range;

/// The sweeps of a symmetric matrix, of all, that come after V is made orthogonal and W is multiplied anew.
const AGAIN: usize = 4;

/// Half of the distance from 1 to the next number.
fn unit<T: Scalar>() -> f64 {
    libm::ldexp(1.0, -T::SIGNIFICAND - 1)
}

/// The cosine from which on vectors of so many elements are not orthogonal: what sums of as many products are sure of.
fn cosine<T: Scalar>(len: usize) -> T {
    T::from_f64((4.0 + libm::sqrt(len as f64)) * unit::<T>())
}

/// The part of the norm from which on an element beside the diagonal of a symmetric matrix is not zero: a few times what rounding
/// leaves of a product of columns, whose sums are of many short ones.
fn beside<T: Scalar>() -> T {
    T::from_f64(4.0 * unit::<T>())
}

/// The part of the longest of vectors of so many elements to which they are orthogonal: singular values need not be known to more than
/// sums of products of the largest elements are.
fn least<T: Scalar>(len: usize) -> f64 {
    0.5 * libm::sqrt(len as f64) * unit::<T>()
}

impl Planner {
    /// A launch of a block for each of many matrices of up to `n` rows and columns, if a block has the memory.
    pub(super) fn whole<T: Scalar>(
        &self,
        op: &'static str,
        [count, n]: [usize; 2],
        make: fn(Meet, u32, bool) -> Result<Kernel, Bad>,
        arguments: Vec<Argument>,
    ) -> Result<Option<Launch>, Error> {
        let Some(cols) = jacobi::whole(n).filter(|_| !self.short) else { return Ok(None) };
        let program = self.one_by::<T::Recorded>(op, cols, || Some(make(self.meet, cols, self.optimise)))?;
        let threads = jacobi::whole_threads(cols);
        if program.kernel().shared_bytes() > self.limits.shared || threads > self.limits.threads {
            return Ok(None);
        }
        self.grid_of(program, threads, [count, 1], arguments).map(Some)
    }

    /// The same of symmetric ones.
    pub(super) fn eigh_whole<T: Scalar>(
        &self,
        [count, n]: [usize; 2],
        strides: [usize; 3],
    ) -> Result<Option<Launch>, Error> {
        let told = arguments::<T>(3, &[&[count, n][..], &strides].concat(), &[beside()]);
        self.whole::<T>("eigh_batched", [count, n], jacobi::eigh::<T::Recorded>, told)
    }

    /// The same of ones of no fewer rows than columns, with the strides of A, U and Vᵀ.
    pub(super) fn svd_whole<T: Scalar>(
        &self,
        [count, m, n]: [usize; 3],
        strides: [[usize; 3]; 3],
    ) -> Result<Option<Launch>, Error> {
        let words = [&[count, m, n][..], strides.as_flattened()].concat();
        let told = arguments::<T>(5, &words, &[cosine(m), T::from_f64(least::<T>(m))]);
        self.whole::<T>("svd_batched", [count, m], jacobi::svd::<T::Recorded>, told)
    }
}

impl<D: Device> Gpu<D> {
    /// The eigenvalues, and over A the eigenvectors.
    pub(super) fn eigh_of<T: Scalar>(&self, a: MatMut<'_, T, D>, values: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let (a, n) = (a.0, a.0.shape[0]);
        same_shape("a", [n; 2], a.shape)?;
        same_len("values", n, values.len())?;
        self.matrices([("a", a)])?;
        if n == 0 {
            return Ok(());
        }
        let [row, col] = a.strides;
        if let Some(launch) = self.state.planner.eigh_whole::<T>([1, n], [0, row, col])? {
            return self.run_one(launch, &[a.binding(self)?, values.binding(self)?, self.status()?]);
        }
        self.state.planner.line::<T::Recorded>("a", n.saturating_mul(n))?;
        let [w, v, x] = [n * n; 3].map(|n| self.alloc::<T>(n));
        let [rows, squares, lengths, quotients, state] = [n, n, n, n, 2].map(|n| self.alloc::<T>(n));
        let (w, v, x, rows, squares) = (w?, v?, x?, rows?, squares?);
        let (lengths, quotients, state) = (lengths?, quotients?, state?);
        let [rows, squares, lengths, quotients, state] =
            [&rows, &squares, &lengths, &quotients, &state].map(|x| x.view().binding(self));
        let (rows, squares, lengths, quotients, state) = (rows?, squares?, lengths?, quotients?, state?);
        let a = a.binding(self)?;
        let each = [n, 1];
        let make = |meet| jacobi::rows::<T::Recorded>(meet, true);
        self.run_blocks::<T>("eigh_rows", make, each, &[a, rows, self.status()?], (&[n, n, row, col], &[]))?;
        let open = |name, again, w: &Array<T, D>, v: &Array<T, D>| {
            let bound = [a, rows, w.view().binding(self)?, v.view().binding(self)?, squares, state];
            let make = move |meet| jacobi::symmetric::<T::Recorded>(meet, again);
            self.run_blocks::<T>(name, make, each, &bound, (&[n, row, col], &[]))
        };
        open("eigh_open", false, &w, &v)?;
        let make = jacobi::longest::<T::Recorded>;
        self.run_blocks::<T>("eigh_norm", make, [1, 1], &[squares, state], (&[n], &[]))?;
        let mut words = self.alloc::<u32>(SWEEPS as usize)?;
        self.fill(0, words.view_mut())?;
        let (last, all) = (SWEEPS as usize - AGAIN, SWEEPS as usize);
        self.turns::<T>([w.view(), v.view()], Some(state), &words, 0..last, [n, n])?;
        // Thousands of rounded rotations leave V less orthogonal, and W further from A·V, than the answer may be off: V is made
        // orthogonal by a step of Newton and Schulz, W is multiplied anew, and both are rotated again.
        let [given, next, other] = [&v, &w, &x].map(|x| x.view().matrix(n, n));
        let (given, next, other, half) = (given?, next?, other?, T::from_f64(-0.5));
        self.gemm(T::ONE, given, given.t(), T::ZERO, MatMut(other))?;
        self.gemm(half, other, given, T::ZERO, MatMut(next))?;
        self.axpy(T::from_f64(1.5), v.view(), ViewMut(w.view()))?;
        open("eigh_again", true, &v, &w)?;
        self.gemm(T::ONE, next, given, T::ZERO, MatMut(other))?;
        let (w, v, scaled) = (x, w, v);
        let [_, after] = words.view_mut().split(last - 1)?;
        let [before, _] = after.split(1)?;
        self.fill(1, before)?;
        self.turns::<T>([w.view(), v.view()], Some(state), &words, last..all, [n, n])?;
        let (words, scaled, v_) =
            (words.view().binding(self)?, scaled.view().binding(self)?, v.view().binding(self)?);
        let bound = [scaled, v_, quotients, lengths, words, self.status()?];
        let make = jacobi::quotients::<T::Recorded>;
        self.run_blocks::<T>("eigh_quotients", make, each, &bound, (&[n], &[]))?;
        let (make, values) = (jacobi::eigenvectors::<T::Recorded>, values.binding(self)?);
        let bound = [v_, lengths, quotients, state, a, values];
        self.run_blocks::<T>("eigh_close", make, each, &bound, (&[n, row, col], &[]))
    }

    /// [`eigh_batched`](crate::eigh_batched()): one launch for all matrices of up to 64 rows, as by [`eigh`](Self::eigh); of more, one after
    /// the other. What is not finite is said by the first row of its matrix, among the rows of all.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn eigh_batched<T: Scalar>(&self, a: BatchMut<'_, T, D>, values: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let (a, [count, n, cols]) = (a.0, a.0.sizes);
        same_shape("a", [n; 2], [n, cols])?;
        same_len("values", count.saturating_mul(n), values.len())?;
        let bound = [self.bound_batch("a", a)?, values.binding(self)?, self.status()?];
        if count * n == 0 {
            return Ok(());
        }
        match self.state.planner.eigh_whole::<T>([count, n], a.strides)? {
            Some(launch) => self.run_one(launch, &bound),
            None => (0..count).try_for_each(|i| self.eigh(MatMut(a.get(i)?), values.sequence(i, count)?, ())),
        }
    }

    /// Rotates pairs of `n` vectors of W and V until none is past its limits, in some sweeps of all, with the state of a symmetric
    /// matrix and the words of the sweeps: each goes on where the one before it has rotated any.
    pub(super) fn turns<T: Scalar>(
        &self,
        [w, v]: [View<'_, T, D>; 2],
        state: Option<Binding<'_, D::Buffer>>,
        words: &Array<u32, D>,
        sweeps: Range<usize>,
        [n, len]: [usize; 2],
    ) -> Done
    where
        D: Computes<T>,
    {
        let mut bound = Vec::from([w.binding(self)?, v.binding(self)?, words.view().binding(self)?]);
        bound.extend(state);
        let (planner, is_symmetric) = (&self.state.planner, state.is_some());
        let turn = if is_symmetric { "eigh_turn" } else { "svd_turn" };
        // Two neighbours are one player.
        let rounds = n.div_ceil(TURNED / 2).next_multiple_of(2) - 1;
        let (first, least) = if is_symmetric { (beside::<T>(), 0.0) } else { (cosine(len), least::<T>(len)) };
        for sweep in sweeps.clone() {
            // Equal values turn each other's vectors by what is left of rounding: later sweeps leave more.
            let late = (sweep - sweeps.start).saturating_sub(EARLY) as f64;
            let cosine = first * T::from_f64(1.0 + late);
            let least = T::from_f64(libm::ldexp(least, late as i32));
            let launches = (0..rounds).map(|round| {
                let words = [n, len, n, rounds, round, sweep];
                let told = arguments::<T>(bound.len(), &words, &[cosine, least]);
                let make = |meet| jacobi::turn::<T::Recorded>(meet, is_symmetric, planner.optimise);
                planner.blocks::<T::Recorded>(turn, make, [rounds.div_ceil(2), 1], told)
            });
            let launches = launches.collect::<Result<Vec<_>, Error>>()?;
            self.go(launches, Vec::new(), &bound)?;
        }
        Ok(())
    }

    /// [`svd_batched`](crate::svd_batched()): one launch for all matrices of up to 64 rows and columns, as by [`svd`](Self::svd); of more,
    /// one after the other. What is not finite is said by the first column (row, where there are fewer of these) of its matrix,
    /// among those of all.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Len`](crate::Error::Len), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn svd_batched<T: Scalar>(
        &self,
        a: BatchMut<'_, T, D>,
        u: BatchMut<'_, T, D>,
        values: ViewMut<'_, T, D>,
        vt: BatchMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let (a, u, vt, [count, m, n]) = (a.0, u.0, vt.0, a.0.sizes);
        let k = m.min(n);
        for (arg, of, shape) in [("u", u, [m, k]), ("vt", vt, [k, n])] {
            let [many, rows, cols] = of.sizes;
            same_len(arg, count, many)?;
            same_shape(arg, shape, [rows, cols])?;
        }
        same_len("values", count.saturating_mul(k), values.len())?;
        let of = [self.bound_batch("a", a)?, self.bound_batch("u", u)?, self.bound_batch("vt", vt)?];
        let (values_, status) = (values.binding(self)?, self.status()?);
        if count * k == 0 {
            return Ok(());
        }
        let ([p, q, r], [a_, u_, vt_]) = (of, [a, u, vt].map(|x| x.strides));
        let turned = |[by, row, col]: [usize; 3]| [by, col, row];
        let (bound, strides) = match m < n {
            true => ([p, r, values_, q, status], [a_, vt_, u_].map(turned)),
            false => ([p, q, values_, r, status], [a_, u_, vt_]),
        };
        match self.state.planner.svd_whole::<T>([count, m.max(n), k], strides)? {
            Some(launch) => self.run_one(launch, &bound),
            None => (0..count).try_for_each(|i| {
                let (a, u, vt) = (MatMut(a.get(i)?), MatMut(u.get(i)?), MatMut(vt.get(i)?));
                self.svd(a, u, values.sequence(i, count)?, vt, ())
            }),
        }
    }

    /// The singular values of no fewer rows than columns.
    pub(super) fn svd_of<T: Scalar>(
        &self,
        a: Mat<'_, T, D>,
        u: Mat<'_, T, D>,
        values: View<'_, T, D>,
        vt: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let [m, n] = a.shape;
        self.state.planner.line::<T::Recorded>("a", m.saturating_mul(n))?;
        let [w, v, to] = [m * n, n * n, m * n].map(|n| self.alloc::<T>(n));
        let [rows, lengths, wide, state, tau] = [n, n, n, 1, n].map(|n| self.alloc::<T>(n));
        let (w, v, to, rows, lengths, wide, state, tau) = (w?, v?, to?, rows?, lengths?, wide?, state?, tau?);
        self.transpose(a, MatMut(w.view().matrix(n, m)?))?;
        let [w_, v_, to_, rows] = [&w, &v, &to, &rows].map(|x| x.view().binding(self));
        let (w_, v_, to_, rows) = (w_?, v_?, to_?, rows?);
        let [lengths, wide, state] = [&lengths, &wide, &state].map(|x| x.view().binding(self));
        let (lengths, wide, state) = (lengths?, wide?, state?);
        let each = [n, 1];
        let make = |meet| jacobi::rows::<T::Recorded>(meet, false);
        self.run_blocks::<T>("svd_rows", make, each, &[w_, rows, self.status()?], (&[n, m, m, 1], &[]))?;
        let make = jacobi::general::<T::Recorded>;
        self.run_blocks::<T>("svd_open", make, each, &[rows, w_, v_, state], (&[n, m], &[]))?;
        let mut words = self.alloc::<u32>(SWEEPS as usize)?;
        self.fill(0, words.view_mut())?;
        self.turns::<T>([w.view(), v.view()], None, &words, 0..SWEEPS as usize, [n, m])?;
        let (of, words) = (a.binding(self)?, words.view().binding(self)?);
        let all = [of, w_, v_, lengths, wide, words, self.status()?, state];
        let make = jacobi::lengths::<T::Recorded>;
        let [row, col] = a.strides;
        self.run_blocks::<T>("svd_lengths", make, each, &all, (&[n, m, row, col], &[]))?;
        let (u_, vt_) = (u.binding(self)?, vt.binding(self)?);
        let bound = [w_, v_, lengths, wide, state, to_, vt_, values.binding(self)?];
        let ([row, col], [down, along]) = (u.strides, vt.strides);
        let make = jacobi::ordered::<T::Recorded>;
        self.run_blocks::<T>("svd_order", make, each, &bound, (&[n, m, down, along], &[]))?;
        let factors = to.view().matrix(n, m)?.t();
        self.qr_of("svd_qr", Index::Svd, factors, tau.view())?;
        let make = jacobi::identity::<T::Recorded>;
        self.run_flat::<T>("svd_identity", make, m * n, &[u_], (&[m * n, n, row, col], &[]))?;
        self.qr_apply_of(false, factors, tau.view(), u)?;
        let words = [m, n, m + 1, row, col, down, along];
        self.run_blocks::<T>(
            "svd_close",
            jacobi::oriented::<T::Recorded>,
            each,
            &[to_, u_, vt_],
            (&words, &[]),
        )
    }
}
