//! Sparse matrices on devices: from the host, or with a pattern that the device computes, as transposes and products (SpGEMM).

use super::super::device::{Computes, Device, Error};
use super::super::error::Error as Bad;
use super::super::ir::Kernel;
use super::super::template::pattern::{self, ADDED, DIGITS, SORTED};
use super::ops::{Done, Scalar, called};
use super::sparse::{Rows, Sparse};
use super::{Array, Gpu, View};
use crate::Csr;
use crate::backend::{Blocking, SparseMatrices, Transfer};
use crate::error::same_shape;
use alloc::vec;
use alloc::vec::Vec;

/// Threads that are worth having: more of them share the columns of a row.
const THREADS: usize = 1 << 16;
/// Parts of a row at most, and columns of one at least.
const PARTS: usize = 32;
const COLUMNS: usize = 32;

/// Where rows begin that have so many elements.
fn begins(counts: &[u32]) -> Vec<u32> {
    let mut at = 0;
    let mut all = vec![0];
    all.extend(counts.iter().map(|n| {
        at += n;
        at
    }));
    all
}

impl<D: Device> Gpu<D> {
    /// A kernel over words, with a thread for each of `n`.
    fn words(
        &self,
        op: &'static str,
        make: fn() -> Result<Kernel, Bad>,
        n: usize,
        over: &[View<'_, u32, D>],
        sizes: &[usize],
    ) -> Done {
        let bound = over.iter().map(|x| x.binding(self)).collect::<Result<Vec<_>, _>>()?;
        self.run_flat::<f32>(op, make, n, &bound, (sizes, &[]))
    }

    /// Counts become where each of them begins.
    fn begins(&self, counts: View<'_, u32, D>) -> Done {
        let (n, parts) = (counts.len(), counts.len().div_ceil(ADDED));
        let mut before = self.alloc::<u32>(parts)?;
        if parts <= 1 {
            self.fill(0, before.view_mut())?;
        } else {
            self.words("sparse_sums", pattern::sums, parts, &[counts, before.view()], &[n, parts])?;
            self.begins(before.view())?;
        }
        self.words("sparse_begins", pattern::begins, parts, &[counts, before.view()], &[n, parts])
    }

    /// The order in which columns ascend, those of one column as they were.
    fn order(&self, columns: View<'_, u32, D>, cols: usize) -> Result<Array<u32, D>, Error> {
        let (n, parts) = (columns.len(), columns.len().div_ceil(SORTED));
        let [mut order, mut next] = [self.alloc::<u32>(n)?, self.alloc::<u32>(n)?];
        self.words("sparse_numbers", pattern::numbers, n, &[order.view()], &[n])?;
        let mut counts = self.alloc::<u32>(DIGITS * parts)?;
        let mut shift = 0;
        while cols.saturating_sub(1) >> shift > 0 {
            self.fill(0, counts.view_mut())?;
            let sizes = [n, parts, shift];
            let all = [columns, order.view(), counts.view(), next.view()];
            self.words("sparse_digits", pattern::digits, parts, &all[..3], &sizes)?;
            self.begins(counts.view())?;
            self.words("sparse_moved", pattern::moved, parts, &all, &sizes)?;
            core::mem::swap(&mut order, &mut next);
            shift += DIGITS.ilog2() as usize;
        }
        Ok(order)
    }

    /// The rows of the transpose of a matrix of such a shape, and where its elements are.
    pub(super) fn transposed(
        &self,
        rows: &Rows<D>,
        [m, n]: [usize; 2],
    ) -> Result<(Rows<D>, Array<u32, D>), Error> {
        let (columns, len) = (rows.columns.view(), rows.columns.len());
        let (order, mut offsets) = (self.order(columns, n)?, self.alloc::<u32>(n + 1)?);
        let to = self.alloc::<u32>(len)?;
        if len == 0 {
            self.fill(0, offsets.view_mut())?;
        } else {
            let all = [columns, order.view(), offsets.view()];
            self.words("sparse_columns", pattern::columns, n + 1, &all, &[len, n + 1])?;
            let all = [rows.offsets.view(), order.view(), to.view()];
            self.words("sparse_rows", pattern::rows, len, &all, &[len, m])?;
        }
        Ok((Rows { offsets, columns: to }, order))
    }
}

impl<T: Scalar, D: Computes<T>> SparseMatrices<T> for Gpu<D> {
    type Csr<'a> = Sparse<T, D>;

    /// A sparse matrix, from the host.
    ///
    /// # Errors
    /// [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn csr<'a>(&self, a: Csr<'a, T>) -> Result<Self::Csr<'a>, Error> {
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("a", a.len())?;
        planner.line::<T::Recorded>("rows", a.rows().max(a.cols()).saturating_add(1))?;
        let all = || (0..a.rows()).map(|i| a.row(i));
        let counts: Vec<u32> = all().map(|(columns, _)| columns.len() as u32).collect();
        let columns: Vec<u32> = all().flat_map(|(columns, _)| columns.iter().copied()).collect();
        let rows = Rows { offsets: self.upload(&begins(&counts))?, columns: self.upload(&columns)? };
        let values = self.upload(a.values())?;
        Ok(Sparse::new([a.rows(), a.cols()], rows, values))
    }

    /// [`csr_transpose`](crate::csr_transpose()), into memory of its own; nothing waits for the host.
    ///
    /// ```
    /// use fulmen::{Csr, backend::SparseMatrices, gpu::{backend::Gpu, device::{Error, Host}}};
    /// let gpu = Gpu::new(Host::default());
    /// let a = gpu.csr(Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?)?;
    /// let t = gpu.csr_transpose(&a, (), (), ())?;
    /// let (mut offsets, mut columns) = ([0; 4], [0; 3]);
    /// gpu.download(t.offsets(), &mut offsets)?;
    /// gpu.download(t.columns(), &mut columns)?;
    /// assert_eq!((offsets, columns), ([0, 1, 2, 3], [0, 1, 0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    fn csr_transpose<'a>(
        &self,
        a: &Self::Csr<'_>,
        _: Self::Workspace<'a, usize>,
        _: Self::Workspace<'a, u32>,
        _: Self::Workspace<'a, T>,
    ) -> Result<Self::Csr<'a>, Error> {
        called!(csr_transpose, {
            let ([m, n], len) = (a.shape(), a.values().len());
            let (rows, order) = self.transposed(&a.rows, [m, n])?;
            let values = self.alloc::<T>(len)?;
            let bound =
                [a.values().binding(self)?, order.view().binding(self)?, values.view().binding(self)?];
            self.run_flat::<T>(
                "sparse_ordered",
                pattern::ordered::<T::Recorded>,
                len,
                &bound,
                (&[len], &[]),
            )?;
            Ok(Sparse::new([n, m], rows, values))
        })
    }

    /// [`spgemm`](crate::spgemm()), into memory of its own: it waits once, for the number of elements. A thread has a part of the columns of a
    /// row, up to 32 of them at a time; so sums have the order of a CPU, whose bits they are where products are rounded before they are
    /// added. Made for rows of few elements: a row of the result that is made of thousands is one thread's work where there are many rows.
    ///
    /// ```
    /// use fulmen::{Csr, backend::SparseMatrices, gpu::{backend::Gpu, device::{Error, Host}}};
    /// let gpu = Gpu::new(Host::default());
    /// let a = gpu.csr(Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?)?;
    /// let b = gpu.csr(Csr::new(3, 2, &[0, 1, 2, 3], &[1, 0, 0], &[1.0, 3.0, 5.0])?)?;
    /// let c = gpu.spgemm(&a, &b, (), (), (), ())?;
    /// let (mut columns, mut values) = ([0; 3], [0.0; 3]);
    /// gpu.download(c.columns(), &mut columns)?;
    /// gpu.download(c.values(), &mut values)?;
    /// assert_eq!((columns, values), ([0, 1, 0], [5.0, 4.0, 6.0]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Overflow`](crate::Error::Overflow) when elements are more than 32 bits count, [`Error::Limit`],
    /// [`Error::Lost`], and what the next [`download`](Self::download) would say.
    fn spgemm<'a>(
        &self,
        a: &Self::Csr<'_>,
        b: &Self::Csr<'_>,
        _: Self::Workspace<'a, usize>,
        _: Self::Workspace<'a, u32>,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, usize>,
    ) -> Result<Self::Csr<'a>, Error>
    where
        Self: Blocking,
    {
        called!(spgemm, {
            let ([m, k], [rows, n]) = (a.shape(), b.shape());
            same_shape("b", [k, n], [rows, n])?;
            let mut offsets = self.alloc::<u32>(m + 1)?;
            let of_b = b.values().len();
            if m == 0 || of_b == 0 {
                self.fill(0, offsets.view_mut())?;
                let rows = Rows { offsets, columns: self.alloc(0)? };
                return Ok(Sparse::new([m, n], rows, self.alloc(0)?));
            }
            let parts = (THREADS / m).min(PARTS).min(n.div_ceil(COLUMNS)).max(1);
            let (threads, wide) = (m.saturating_mul(parts), n.div_ceil(parts));
            self.state.planner.line::<T::Recorded>("a", threads.saturating_add(1))?;
            let mut counts = self.alloc::<u32>(threads + 1)?;
            self.fill(0, counts.view_mut())?;
            let sizes = [threads, parts, wide, n, of_b];
            let all = [a.offsets(), a.columns(), b.offsets(), b.columns(), counts.view()];
            self.words("spgemm_counted", pattern::counted, threads, &all, &sizes)?;
            self.begins(counts.view())?;
            let mut len = [0];
            Transfer::download(self, counts.view().part(threads..threads + 1)?, &mut len)?;
            if len == [u32::MAX] {
                return Err(crate::Error::overflow("b").into());
            }
            let len = len[0] as usize;
            self.state.planner.line::<T::Recorded>("b", len)?;
            let (columns, values) = (self.alloc::<u32>(len)?, self.alloc::<T>(len)?);
            let taken = [counts.view(), offsets.view()];
            self.words("sparse_every", pattern::every, m + 1, &taken, &[m + 1, parts])?;
            if len > 0 {
                let [p, q, r, s, begins] = all;
                self.words(
                    "spgemm_listed",
                    pattern::listed,
                    threads,
                    &[p, q, r, s, begins, columns.view()],
                    &sizes,
                )?;
                let [x, y, to] = [a.values(), b.values(), values.view()].map(|x| x.binding(self));
                let mut bound =
                    [p, q, r, s].iter().map(|x| x.binding(self)).collect::<Result<Vec<_>, _>>()?;
                bound.extend([x?, y?, begins.binding(self)?, to?]);
                let make = pattern::multiplied::<T::Recorded>;
                self.run_flat::<T>("spgemm", make, threads, &bound, (&sizes, &[]))?;
            }
            Ok(Sparse::new([m, n], Rows { offsets, columns }, values))
        })
    }
}
