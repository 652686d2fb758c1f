//! QR and least squares on devices. Errors that a CPU finds before it writes are found on the way, as in
//! [`solve`](super::solve).

use super::super::device::{Computes, Device, Error};
use super::super::template::factor::LEAF;
use super::super::template::{Index, panel, reflect};
use super::blas::Left;
use super::ops::{Done, Scalar, arguments};
use super::solve::block;
use super::{Array, Gpu, Mat, MatMut, View};
use crate::{Diagonal, Side, Triangle};

/// Where blocks of reflections begin and end.
fn blocks(k: usize) -> impl DoubleEndedIterator<Item = [usize; 2]> {
    let wide = LEAF as usize;
    (0..k.div_ceil(wide)).map(move |i| [i * wide, k.min((i + 1) * wide)])
}

impl<D: Device> Gpu<D> {
    pub(super) fn qr_of<T: Scalar>(
        &self,
        name: &'static str,
        what: Index,
        a: Mat<'_, T, D>,
        tau: View<'_, T, D>,
    ) -> Result<(), Error>
    where
        D: Computes<T>,
    {
        let [m, n] = a.shape;
        let k = m.min(n);
        let scratch = self.panels(a, k)?;
        let own = self.reflecting(m, k, n - k.min(LEAF as usize))?;
        for [from, to] in blocks(k) {
            let (part, tau) = (block(a, [from, m], [from, to])?, tau.part(from..to)?);
            self.panel(part, &scratch, |part| {
                let bound = [part.binding(self)?, tau.binding(self)?, self.status()?];
                let words = [m - from, to - from, part.strides[0], part.strides[1], from];
                let told = arguments::<T>(3, &words, &[]);
                let make = |meet, held| match held {
                    Some(held) => panel::qr::<T::Recorded>(meet, what, held),
                    None => reflect::qr::<T::Recorded>(meet, what),
                };
                let launch = self.state.planner.panel::<T::Recorded>(name, m - from, make, told)?;
                self.run_one(launch, &bound)
            })?;
            self.reflections(true, part, tau, block(a, [from, m], [to, n])?, &own)?;
        }
        Ok(())
    }

    /// Memory for [`reflections`](Self::reflections) of `m` rows: of V, `VᵀV`, and `VᵀC` of so many columns.
    pub(super) fn reflecting<T: Scalar>(
        &self,
        m: usize,
        k: usize,
        cols: usize,
    ) -> Result<[Array<T, D>; 3], Error>
    where
        D: Computes<T>,
    {
        let k = if cols == 0 { 0 } else { k.min(LEAF as usize) };
        let all = m.saturating_mul(k);
        self.state.planner.line::<T::Recorded>("factors", all)?;
        let [v, g, w] = [all, k * k, k.saturating_mul(cols)].map(|n| self.alloc(n));
        Ok([v?, g?, w?])
    }

    /// A block of reflections and C: `C - V·Tᵀ·VᵀC` when `transposed`, else with T, whose inverse is the upper triangle of `VᵀV` but
    /// for its diagonal.
    pub(super) fn reflections<T: Scalar>(
        &self,
        transposed: bool,
        factors: Mat<'_, T, D>,
        tau: View<'_, T, D>,
        c: Mat<'_, T, D>,
        [v, g, w]: &[Array<T, D>; 3],
    ) -> Done
    where
        D: Computes<T>,
    {
        let ([m, k], cols) = (factors.shape, c.shape[1]);
        if cols == 0 {
            return Ok(());
        }
        let all = m * k;
        let [v, g, w] = [(v, all), (g, k * k), (w, k * cols)].map(|(own, n)| own.view().part(0..n));
        let (v, g, w) = (v?, g?, w?);
        let bound = [factors.binding(self)?, tau.binding(self)?, v.binding(self)?];
        let words = [all, k, factors.strides[0], factors.strides[1]];
        self.run_flat::<T>("vectors", reflect::vectors::<T::Recorded>, all, &bound, (&words, &[]))?;
        let (v, t, w) = (v.matrix(m, k)?, g.matrix(k, k)?, w.matrix(k, cols)?);
        self.gemm(T::ONE, v.t(), v, T::ZERO, MatMut(t))?;
        let bound = [g.binding(self)?, tau.binding(self)?];
        self.run_flat::<T>("inverse", reflect::inverse::<T::Recorded>, k, &bound, (&[k], &[]))?;
        self.gemm(T::ONE, v.t(), c, T::ZERO, MatMut(w))?;
        let (triangle, t) = if transposed { (Triangle::Lower, t.t()) } else { (Triangle::Upper, t) };
        self.triangular(true, &Left::new(Side::Left, triangle, Diagonal::NonUnit, t, w)?)?;
        self.gemm(-T::ONE, v, w, T::ONE, MatMut(c))
    }

    pub(super) fn qr_apply_of<T: Scalar>(
        &self,
        transposed: bool,
        factors: Mat<'_, T, D>,
        tau: View<'_, T, D>,
        c: Mat<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let m = factors.shape[0];
        let own = self.reflecting(m, tau.len(), c.shape[1])?;
        let each = |[from, to]: [usize; 2]| {
            let part = block(factors, [from, m], [from, to])?;
            self.reflections(transposed, part, tau.part(from..to)?, c.rows(from..m)?, &own)
        };
        let mut all = blocks(tau.len());
        // Qᵀ has the first one first.
        if transposed { all.try_for_each(each) } else { all.rev().try_for_each(each) }
    }
}
