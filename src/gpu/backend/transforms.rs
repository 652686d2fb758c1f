//! Fourier and cosine transforms, convolutions and filters on devices.

use super::super::device::{Computes, Device, Error};
use super::super::template::fft::{self, Around};
use super::super::template::{spectra, window};
use super::fft::{Ends, Fft, List, Operand, RealFft};
use super::ops::{Done, Scalar, called};
use super::spectra::{ComplexConvolver, Convolver, Dct, Signal};
use super::{Gpu, Mat, MatMut, View, ViewMut};
use crate::backend::Transforms;
use crate::complex::Complex;
use crate::error::{not_empty, same_len, same_shape};
use crate::fft::rows::numbers;
use crate::{DctKind, Direction, Extent, convolve_len, stft_frames};

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
}

impl<T: Scalar, D: Computes<T>> Transforms<T> for Gpu<D> {
    /// [`fft`](crate::fft())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn fft(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
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
    fn fft_in_place(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: ViewMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
        called!(fft, {
            let rows = self.whole(plan, x.len())?;
            self.transforms(plan, direction, rows, [(x.read(), [plan.n, 1]); 2])
        })
    }

    /// [`fft_rows`](crate::fft_rows())
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn fft_rows(
        &self,
        plan: &Fft<T, D>,
        direction: Direction,
        x: Mat<'_, Complex<T>, D>,
        out: MatMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
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
    fn fft_2d(
        &self,
        down: &Fft<T, D>,
        along: &Fft<T, D>,
        direction: Direction,
        x: Mat<'_, Complex<T>, D>,
        out: MatMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
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
    fn fft_3d(
        &self,
        plans: [&Fft<T, D>; 3],
        direction: Direction,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
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

    /// [`rfft`](crate::rfft())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn rfft(&self, plan: &RealFft<T, D>, x: View<'_, T, D>, out: ViewMut<'_, Complex<T>, D>, _: ()) -> Done {
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
    fn irfft(&self, plan: &RealFft<T, D>, x: View<'_, Complex<T>, D>, out: ViewMut<'_, T, D>, _: ()) -> Done {
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
    fn stft(
        &self,
        plan: &RealFft<T, D>,
        window: View<'_, T, D>,
        hop: usize,
        x: View<'_, T, D>,
        out: ViewMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
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
            self.rfft(plan, scratch.view(), out, ())
        })
    }

    /// [`dct`](crate::dct())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn dct(&self, plan: &Dct<T, D>, x: View<'_, T, D>, out: ViewMut<'_, T, D>, _: ()) -> Done {
        called!(dct, {
            let n = plan.real.n;
            let rows = self.real_rows::<T>([x.len(), n], [out.len(), n])?;
            if rows == 0 {
                return Ok(());
            }
            let (all, bins) = (rows * n, plan.real.bins());
            let (even, m) = (n.is_multiple_of(2), n / 2);
            if plan.kind == DctKind::IV && even {
                let mut z = self.alloc::<Complex<T>>(rows * m)?;
                let mut list = List::new(self);
                let bound = [list.bind(x)?, list.bind(plan.roots.view())?, list.bind(z.view())?];
                list.flat("dct_ends", spectra::ends::<T::Recorded>, rows * m, &bound, &[rows * m, m], &[])?;
                list.go()?;
                self.fft_in_place(&plan.real.inner, Direction::Forward, z.view_mut(), ())?;
                let mut list = List::new(self);
                let bound = [list.bind(z.view())?, list.bind(plan.roots.view())?, list.bind(out.read())?];
                list.flat("dct_ended", spectra::ended::<T::Recorded>, rows * m, &bound, &[rows * m, m], &[])?;
                return list.go();
            }
            let (mut v, mut z) = (self.alloc::<T>(all)?, self.alloc::<Complex<T>>(rows * bins)?);
            let mut before = List::new(self);
            if plan.kind == DctKind::III {
                let bound = [before.bind(x)?, before.bind(plan.roots.view())?, before.bind(z.view())?];
                let words = [rows * bins, n, bins];
                before.flat("dct_third", spectra::third::<T::Recorded>, rows * bins, &bound, &words, &[])?;
                before.go()?;
                self.irfft(&plan.real, z.view(), v.view_mut(), ())?;
                let mut after = List::new(self);
                let bound = [after.bind(v.view())?, after.bind(out.read())?];
                // The inverse transform was divided by `n`.
                let half = T::from_usize(n) * T::from_f64(0.5);
                let make = || spectra::unfolded::<T::Recorded>(true);
                after.flat("dct_folded", make, all, &bound, &[all, n], &[half])?;
                return after.go();
            }
            let bound = [before.bind(x)?, before.bind(v.view())?];
            if plan.kind == DctKind::II {
                let make = || spectra::unfolded::<T::Recorded>(false);
                before.flat("dct_unfolded", make, all, &bound, &[all, n], &[T::ONE])?;
            } else {
                before.flat("dct_eighths", spectra::eighths::<T::Recorded>, all, &bound, &[all, n], &[])?;
            }
            before.go()?;
            self.rfft(&plan.real, v.view(), z.view_mut(), ())?;
            let mut after = List::new(self);
            let bound = [after.bind(z.view())?, after.bind(plan.roots.view())?, after.bind(out.read())?];
            let words = [all, n, bins];
            if plan.kind == DctKind::II {
                after.flat("dct_second", spectra::second::<T::Recorded>, all, &bound, &words, &[])?;
            } else {
                after.flat("dct_fourth", spectra::fourth::<T::Recorded>, all, &bound, &words, &[])?;
            }
            after.go()
        })
    }

    /// [`convolve`](crate::convolve())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn convolve(
        &self,
        plan: &Convolver<T, D>,
        extent: Extent,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(convolve, {
            same_len("out", convolve_len(extent, x.len(), plan.taps), out.len())?;
            let zeros = extent.zeros(plan.taps);
            self.overlapped(plan, &Signal { zeros, before: None, x }, out.read())
        })
    }

    /// [`fir_fft`](crate::fir_fft())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn fir_fft(
        &self,
        plan: &Convolver<T, D>,
        state: ViewMut<'_, T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(fir_fft, {
            same_len("state", plan.taps - 1, state.len())?;
            same_len("out", x.len(), out.len())?;
            self.overlapped(plan, &Signal { zeros: 0, before: Some(state.read()), x }, out.read())?;
            self.keep(x, state)
        })
    }

    /// [`convolve_complex`](crate::convolve_complex())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn convolve_complex(
        &self,
        plan: &ComplexConvolver<T, D>,
        extent: Extent,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
        called!(convolve_complex, {
            same_len("out", convolve_len(extent, x.len(), plan.taps), out.len())?;
            let sizes = [plan.fft.n, plan.fft.n + 1 - plan.taps];
            let rows = self.cut::<T>(sizes, [x.len(), out.len()], 2)?;
            if rows == 0 {
                return Ok(());
            }
            let mut z = self.alloc(rows * plan.fft.n)?;
            let signal = Signal { zeros: extent.zeros(plan.taps), before: None, x };
            self.blocks::<T, Complex<T>>(sizes, &signal, z.view())?;
            self.fft_in_place(&plan.fft, Direction::Forward, z.view_mut(), ())?;
            self.filtered(z.view(), plan.spectrum.view())?;
            self.fft_in_place(&plan.fft, Direction::Inverse, z.view_mut(), ())?;
            self.kept::<T, Complex<T>>(sizes, z.view(), out.read())
        })
    }

    /// [`fir`](crate::fir())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn fir(
        &self,
        taps: View<'_, T, D>,
        decimation: usize,
        state: ViewMut<'_, T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(fir, {
            not_empty("taps", taps.len())?;
            if decimation == 0 {
                return Err(crate::Error::must_be("decimation", "at least 1").into());
            }
            same_len("state", taps.len() - 1, state.len())?;
            if !x.len().is_multiple_of(decimation) {
                return Err(crate::Error::rows("x", decimation, x.len()).into());
            }
            same_len("out", x.len() / decimation, out.len())?;
            let planner = &self.state.planner;
            planner.line::<T::Recorded>("x", x.len().saturating_add(state.len()))?;
            if x.is_empty() {
                return Ok(());
            }
            let bound = [taps.binding(self)?, state.binding(self)?, x.binding(self)?, out.binding(self)?];
            let words = [out.len(), taps.len(), decimation];
            self.run_flat::<T>("fir", window::fir::<T::Recorded>, out.len(), &bound, (&words, &[]))?;
            self.keep(x, state)
        })
    }
}
