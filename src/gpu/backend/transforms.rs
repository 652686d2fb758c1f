//! Fourier transforms on devices.

use super::super::device::{Computes, Device, Error};
use super::super::template::fft::{self, Around};
use super::super::template::spectra;
use super::fft::{Ends, Fft, List, Operand, RealFft};
use super::ops::{Done, Scalar, called};
use super::{Gpu, Mat, MatMut, View, ViewMut};
use crate::complex::Complex;
use crate::error::{not_empty, same_len, same_shape};
use crate::fft::rows::numbers;
use crate::{Direction, stft_frames};

impl<D: Device> Gpu<D> {
    fn transforms<T: Scalar>(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        rows: usize,
        operands: [(View<'_, Complex<T>, D>, [usize; 2]); 2],
    ) -> Done
    where
        D: Computes<T>,
    {
        if rows == 0 {
            return Ok(());
        }
        let scratch = self.scratch(plan, rows)?;
        let mut list = List::new(self);
        let mut at = operands.map(|(_, [row, point])| Operand { at: 0, row, point });
        for (o, (view, _)) in at.iter_mut().zip(operands) {
            o.at = list.bind(view)?;
        }
        let [(x, _), (out, _)] = operands;
        if x.same(out) {
            // Bound once.
            at[1].at = at[0].at;
        }
        list.transform(plan, rows, at, &scratch, Ends::of(direction, plan.n))?;
        list.go()
    }

    fn whole<T: Scalar>(&self, plan: &Fft<T, D>, got: usize) -> Result<usize, Error>
    where
        D: Computes<T>,
    {
        if !got.is_multiple_of(plan.n) {
            return Err(crate::Error::rows("x", plan.n, got).into());
        }
        self.state.planner.line::<T::Recorded>("x", got.saturating_mul(2))?;
        Ok(got / plan.n)
    }

    /// [`fft`](crate::fft())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn fft<T: Scalar>(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(fft, {
            let rows = self.whole(plan, x.len())?;
            same_len("out", x.len(), out.len())?;
            self.transforms(plan, direction, rows, [(x, [plan.n, 1]), (out.read(), [plan.n, 1])])
        })
    }

    /// [`fft_in_place`](crate::fft_in_place())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Error::Limit`], [`Error::Lost`].
    pub fn fft_in_place<T: Scalar>(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let rows = self.whole(plan, x.len())?;
        self.transforms(plan, direction, rows, [(x.read(), [plan.n, 1]); 2])
    }

    /// [`fft_rows`](crate::fft_rows())
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    pub fn fft_rows<T: Scalar>(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: Mat<'_, Complex<T>, D>,
        out: MatMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(fft_rows, {
            let rows = x.shape[0];
            same_shape("x", [rows, plan.n], x.shape)?;
            same_shape("out", [rows, plan.n], out.0.shape)?;
            self.pairs("x", x)?;
            self.pairs("out", out.0)?;
            let (from, to) = (x.strides, out.0.strides);
            self.transforms(plan, direction, rows, [(x.rest()?, from), (out.0.rest()?, to)])
        })
    }

    /// [`fft_2d`](crate::fft_2d())
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    pub fn fft_2d<T: Scalar>(
        &self,
        down: &Fft<T, D>,
        along: &Fft<T, D>,
        direction: Direction,
        x: Mat<'_, Complex<T>, D>,
        out: MatMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(fft_2d, {
            let shape = [down.n, along.n];
            same_shape("x", shape, x.shape)?;
            same_shape("out", shape, out.0.shape)?;
            self.pairs("x", x)?;
            self.pairs("out", out.0)?;
            let (from, to) = (x.strides, out.0.strides);
            let rest = out.0.rest()?;
            self.transforms(along, direction, down.n, [(x.rest()?, from), (rest, to)])?;
            self.transforms(down, direction, along.n, [(rest, [to[1], to[0]]); 2])
        })
    }

    /// [`fft_3d`](crate::fft_3d())
    ///
    /// # Errors
    /// [`Overflow`](crate::Error::Overflow), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn fft_3d<T: Scalar>(
        &self,
        plans: [&Fft<T, D>; 3],
        direction: Direction,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(fft_3d, {
            let [d, m, n] = plans.map(Fft::len);
            let all = numbers([d, m, n])?;
            same_len("x", all, x.len())?;
            same_len("out", all, out.len())?;
            self.state.planner.line::<T::Recorded>("x", all.saturating_mul(2))?;
            let [through, down, along] = plans;
            let to = out.read();
            self.transforms(along, direction, d * m, [(x, [n, 1]), (to, [n, 1])])?;
            for plane in (0..all).step_by(m * n) {
                let plane = to.part(plane..plane + m * n)?;
                self.transforms(down, direction, n, [(plane, [1, n]); 2])?;
            }
            self.transforms(through, direction, m * n, [(to, [1, m * n]); 2])
        })
    }

    /// Whole transforms of `cols` numbers in `x`, each of which becomes `each` of `out`.
    pub(super) fn real_rows<T: Scalar>(&self, x: [usize; 2], out: [usize; 2]) -> Result<usize, Error>
    where
        D: Computes<T>,
    {
        let ([got, cols], [len, each]) = (x, out);
        if !got.is_multiple_of(cols) {
            return Err(crate::Error::rows("x", cols, got).into());
        }
        let rows = got / cols;
        same_len("out", rows.saturating_mul(each), len)?;
        // The complex numbers before and after.
        let most = cols.max(each).saturating_add(1).saturating_mul(rows).saturating_mul(2);
        self.state.planner.line::<T::Recorded>("x", most)?;
        Ok(rows)
    }

    /// Where lines of real numbers stay in a block: a list, and its table of roots.
    #[allow(clippy::type_complexity, reason = "a list and a number")]
    fn real_list<'a, T: Scalar>(
        &'a self,
        plan: &'a RealFft<T, D>,
    ) -> Result<Option<(List<'a, T, D>, usize)>, Error>
    where
        D: Computes<T>,
    {
        let fits = plan.inner.is_smooth() && self.state.planner.in_blocks(&plan.inner).is_some();
        let Some(twist) = plan.twist.as_ref().filter(|_| fits) else { return Ok(None) };
        let mut list = List::new(self);
        let twist = list.bind(twist.view())?;
        Ok(Some((list, twist)))
    }

    /// [`rfft`](crate::rfft())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn rfft<T: Scalar>(
        &self,
        plan: &RealFft<T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(rfft, {
            let (n, bins) = (plan.n, plan.bins());
            let rows = self.real_rows::<T>([x.len(), n], [out.len(), bins])?;
            if rows == 0 {
                return Ok(());
            }
            let m = plan.inner.n;
            let line = |at| Operand { at, row: m, point: 1 };
            if let Some((mut list, twist)) = self.real_list(plan)? {
                let ([from, to], row) = ([list.bind(x)?, list.bind(out.read())?], bins);
                let operands = [line(from), Operand { row, ..line(to) }];
                list.real(&plan.inner, rows, operands, (Around::Real, twist), Ends::PLAIN)?;
                return list.go();
            }
            let scratch = self.scratch(&plan.inner, rows)?;
            let (z, more);
            z = self.alloc::<Complex<T>>(rows * m)?;
            let mut list = List::new(self);
            let [from, to, after] = [list.bind(x)?, list.bind(out.read())?, list.bind(z.view())?];
            if let Some(twist) = &plan.twist {
                list.transform(&plan.inner, rows, [line(from), line(after)], &scratch, Ends::PLAIN)?;
                let twist = list.bind(twist.view())?;
                let make = || fft::untangled::<T::Recorded>(false);
                list.flat("rfft", make, rows * (m / 2 + 1), &[after, to, twist], &[rows, m], &[])?;
                return list.go();
            }
            more = self.alloc::<Complex<T>>(rows * m)?;
            let before = list.bind(more.view())?;
            let make = spectra::to_complex::<T::Recorded>;
            list.flat("fft_to_complex", make, rows * n, &[from, before], &[rows * n], &[])?;
            list.transform(&plan.inner, rows, [line(before), line(after)], &scratch, Ends::PLAIN)?;
            let make = spectra::halved::<T::Recorded>;
            list.flat("fft_halved", make, rows * bins, &[after, to], &[rows, n, bins], &[])?;
            list.go()
        })
    }

    /// [`irfft`](crate::irfft())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn irfft<T: Scalar>(
        &self,
        plan: &RealFft<T, D>,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(irfft, {
            let (n, bins) = (plan.n, plan.bins());
            let rows = self.real_rows::<T>([x.len(), bins], [out.len(), n])?;
            if rows == 0 {
                return Ok(());
            }
            let m = plan.inner.n;
            let line = |at| Operand { at, row: m, point: 1 };
            let ends = Ends::of(Direction::Inverse, m);
            if let Some((mut list, twist)) = self.real_list(plan)? {
                let ([from, to], row) = ([list.bind(x)?, list.bind(out.read())?], bins);
                let operands = [Operand { row, ..line(from) }, line(to)];
                list.real(&plan.inner, rows, operands, (Around::RealBack, twist), ends)?;
                return list.go();
            }
            let scratch = self.scratch(&plan.inner, rows)?;
            let (z, more);
            z = self.alloc::<Complex<T>>(rows * m)?;
            let mut list = List::new(self);
            let [from, to, before] = [list.bind(x)?, list.bind(out.read())?, list.bind(z.view())?];
            if let Some(twist) = &plan.twist {
                let twist = list.bind(twist.view())?;
                let make = || fft::untangled::<T::Recorded>(true);
                list.flat("irfft", make, rows * (m / 2 + 1), &[from, before, twist], &[rows, m], &[])?;
                list.transform(&plan.inner, rows, [line(before), line(to)], &scratch, ends)?;
                return list.go();
            }
            more = self.alloc::<Complex<T>>(rows * m)?;
            let after = list.bind(more.view())?;
            let make = spectra::mirrored::<T::Recorded>;
            list.flat("fft_mirrored", make, rows * n, &[from, before], &[rows, n, bins], &[])?;
            list.transform(&plan.inner, rows, [line(before), line(after)], &scratch, ends)?;
            let make = spectra::real_parts::<T::Recorded>;
            list.flat("fft_real_parts", make, rows * n, &[after, to], &[rows * n], &[])?;
            list.go()
        })
    }

    /// [`stft`](crate::stft())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    pub fn stft<T: Scalar>(
        &self,
        plan: &RealFft<T, D>,
        window: View<'_, T, D>,
        hop: usize,
        x: View<'_, T, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(stft, {
            let (n, bins) = (plan.n, plan.bins());
            not_empty("window", window.len())?;
            if hop == 0 {
                return Err(crate::Error::must_be("hop", "at least 1").into());
            }
            if window.len() > n {
                return Err(crate::Error::len("window", n, window.len()).into());
            }
            let frames = stft_frames(x.len(), window.len(), hop);
            same_len("out", frames.saturating_mul(bins), out.len())?;
            let all = frames.checked_mul(n).ok_or(crate::Error::overflow("x"))?;
            self.state.planner.line::<T::Recorded>("x", all.max(x.len()))?;
            if frames == 0 {
                return Ok(());
            }
            let mut scratch = self.alloc::<T>(all)?;
            let to = scratch.view_mut();
            let mut list = List::<T, D>::new(self);
            let bound = [list.bind(x)?, list.bind(window)?, list.bind(to.read())?];
            let words = [frames, n, window.len(), hop];
            list.flat("stft", spectra::framed::<T::Recorded>, all, &bound, &words, &[])?;
            list.go()?;
            self.rfft(plan, scratch.view(), out)
        })
    }
}
