//! Cosine transforms, and convolutions by overlap-save, on devices.

use super::super::device::{Computes, Device, Error};
use super::super::template::{fft, spectra};
use super::fft::{Fft, List, RealFft};
use super::ops::{Done, Scalar, called};
use super::{Array, Gpu, View, ViewMut, Word};
use crate::complex::Complex;
use crate::error::{not_empty, same_len};
use crate::fft::dct::roots;
use crate::{DctKind, Direction, Extent, convolve_len};
use alloc::vec::Vec;

/// A plan of cosine transforms in memory of a device, as [`Dct`](crate::Dct) is on a CPU.
#[derive(Debug)]
pub struct Dct<T, D: Device> {
    kind: DctKind,
    real: RealFft<T, D>,
    roots: Array<Complex<T>, D>,
}

/// A kernel of real numbers, transformed once, in memory of a device, as [`Convolver`](crate::Convolver) is on a CPU.
#[derive(Debug)]
pub struct Convolver<T, D: Device> {
    fft: RealFft<T, D>,
    taps: usize,
    spectrum: Array<Complex<T>, D>,
}

/// A kernel of complex numbers, transformed once, in memory of a device, as
/// [`ComplexConvolver`](crate::ComplexConvolver) is on a CPU.
#[derive(Debug)]
pub struct ComplexConvolver<T, D: Device> {
    fft: Fft<T, D>,
    taps: usize,
    spectrum: Array<Complex<T>, D>,
}

/// Zeros, what came before, then `x`.
struct Signal<'a, X, D: Device> {
    zeros: usize,
    before: Option<View<'a, X, D>>,
    x: View<'a, X, D>,
}

/// The kernel, and zeros up to `n`.
fn padded<X: Copy + Default>(kernel: impl ExactSizeIterator<Item = X>, n: usize) -> Result<Vec<X>, Error> {
    not_empty("kernel", kernel.len())?;
    if n < kernel.len() {
        return Err(crate::Error::must_be("n", "at least the length of `kernel`").into());
    }
    Ok(kernel.chain(core::iter::repeat(X::default())).take(n).collect())
}

impl<D: Device> Gpu<D> {
    /// A plan of cosine transforms of one kind and length.
    ///
    /// # Errors
    /// As [`Gpu::fft_plan`].
    pub fn dct_plan<T: Scalar>(&self, kind: DctKind, n: usize) -> Result<Dct<T, D>, Error>
    where
        D: Computes<T>,
    {
        let real = self.rfft_plan(n)?;
        let roots: Vec<_> = roots(kind, n).collect();
        Ok(Dct { kind, real, roots: self.upload(&roots)? })
    }

    /// [`dct`](crate::dct())
    ///
    /// # Errors
    /// [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn dct<T: Scalar>(&self, plan: &Dct<T, D>, x: View<'_, T, D>, out: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
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
                self.fft_in_place(&plan.real.inner, Direction::Forward, z.view_mut())?;
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
                self.irfft(&plan.real, z.view(), v.view_mut())?;
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
            self.rfft(&plan.real, v.view(), z.view_mut())?;
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

    fn convolver<T: Scalar>(
        &self,
        kernel: impl ExactSizeIterator<Item = T>,
        n: usize,
    ) -> Result<Convolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        let (taps, kernel) = (kernel.len(), padded(kernel, n)?);
        let fft = self.rfft_plan(n)?;
        let mut spectrum = self.alloc(fft.bins())?;
        self.rfft(&fft, self.upload(&kernel)?.view(), spectrum.view_mut())?;
        Ok(Convolver { fft, taps, spectrum })
    }

    fn complex_convolver<T: Scalar>(
        &self,
        kernel: impl ExactSizeIterator<Item = Complex<T>>,
        n: usize,
    ) -> Result<ComplexConvolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        let (taps, kernel) = (kernel.len(), padded(kernel, n)?);
        let fft = self.fft_plan(n)?;
        let mut spectrum = self.upload(&kernel)?;
        self.fft_in_place(&fft, Direction::Forward, spectrum.view_mut())?;
        Ok(ComplexConvolver { fft, taps, spectrum })
    }

    /// For convolutions with a kernel by transforms of length `n`: [`Convolver::plan`](crate::Convolver::plan).
    ///
    /// ```
    /// use fulmen::{Extent, gpu::{backend::Gpu, device::Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (plan, x) = (gpu.convolve_plan(&[1.0f64, -1.0], 4)?, gpu.upload(&[1.0, 4.0, 9.0, 16.0])?);
    /// let mut out = gpu.alloc(5)?;
    /// gpu.convolve(&plan, Extent::Full, x.view(), out.view_mut())?;
    /// let mut back = [0.0; 5];
    /// gpu.download(out.view(), &mut back)?;
    /// assert!(back.iter().zip([1.0, 3.0, 5.0, 7.0, -16.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    /// # Ok::<(), fulmen::gpu::device::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Empty`](crate::Error::Empty), [`Domain`](crate::Error::Domain), those of [`Gpu::fft_plan`].
    pub fn convolve_plan<T: Scalar>(&self, kernel: &[T], n: usize) -> Result<Convolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        self.convolver(kernel.iter().copied(), n)
    }

    /// For correlations with a kernel: [`Convolver::correlation`](crate::Convolver::correlation).
    ///
    /// # Errors
    /// As [`Gpu::convolve_plan`].
    pub fn correlate_plan<T: Scalar>(&self, kernel: &[T], n: usize) -> Result<Convolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        self.convolver(kernel.iter().rev().copied(), n)
    }

    /// As [`Gpu::convolve_plan`], of complex numbers.
    ///
    /// # Errors
    /// As there.
    pub fn convolve_complex_plan<T: Scalar>(
        &self,
        kernel: &[Complex<T>],
        n: usize,
    ) -> Result<ComplexConvolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        self.complex_convolver(kernel.iter().copied(), n)
    }

    /// As [`Gpu::correlate_plan`], of complex numbers: [`ComplexConvolver::correlation`](crate::ComplexConvolver::correlation).
    ///
    /// # Errors
    /// As there.
    pub fn correlate_complex_plan<T: Scalar>(
        &self,
        kernel: &[Complex<T>],
        n: usize,
    ) -> Result<ComplexConvolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        self.complex_convolver(kernel.iter().rev().map(|z| z.conj()), n)
    }

    /// Blocks of `n` of the signal, `step` from one to the next, to all of `to`.
    fn blocks<T: Scalar, X: Word>(
        &self,
        [n, step]: [usize; 2],
        signal: &Signal<'_, X, D>,
        to: View<'_, X, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        // Complex numbers are two real ones.
        let wide = |n: usize| n * (X::BYTES / T::BYTES);
        let old = signal.before.map_or(0, View::len);
        let words = [to.len(), n, step, signal.zeros, old, signal.x.len()].map(wide);
        let mut list = List::<T, D>::new(self);
        let x = list.bind(signal.x)?;
        let before = signal.before.map_or(Ok(x), |before| list.bind(before))?;
        let bound = [before, x, list.bind(to)?];
        let make = spectra::blocks::<T::Recorded>;
        list.flat("convolve_blocks", make, wide(to.len()), &bound, &words, &[])?;
        list.go()
    }

    /// The last `step` of each `n` of the blocks.
    fn kept<T: Scalar, X: Word>(
        &self,
        [n, step]: [usize; 2],
        blocks: View<'_, X, D>,
        out: View<'_, X, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let wide = |n: usize| n * (X::BYTES / T::BYTES);
        let mut list = List::<T, D>::new(self);
        let bound = [list.bind(blocks)?, list.bind(out)?];
        let words = [out.len(), n, step, n - step].map(wide);
        let make = spectra::kept::<T::Recorded>;
        list.flat("convolve_kept", make, wide(out.len()), &bound, &words, &[])?;
        list.go()
    }

    /// Lines times the numbers of the filter.
    fn filtered<T: Scalar>(&self, z: View<'_, Complex<T>, D>, filter: View<'_, Complex<T>, D>) -> Done
    where
        D: Computes<T>,
    {
        let mut list = List::<T, D>::new(self);
        let bound = [list.bind(z)?, list.bind(filter)?];
        let make = fft::filtered::<T::Recorded>;
        list.flat("fft_filtered", make, z.len(), &bound, &[z.len(), filter.len()], &[])?;
        list.go()
    }

    /// How many blocks there are of `n` numbers that overlap in all but `step`, each number being so many real ones.
    fn cut<T: Scalar>(
        &self,
        [n, step]: [usize; 2],
        [len, out]: [usize; 2],
        wide: usize,
    ) -> Result<usize, Error>
    where
        D: Computes<T>,
    {
        let rows = out.div_ceil(step);
        // The bins of the blocks are a few more.
        let most = rows.saturating_mul(n.saturating_add(2)).max(len);
        self.state.planner.line::<T::Recorded>("x", most.saturating_mul(wide))?;
        Ok(rows)
    }

    fn overlapped<T: Scalar>(
        &self,
        plan: &Convolver<T, D>,
        signal: &Signal<'_, T, D>,
        out: View<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = plan.fft.n;
        let sizes = [n, n + 1 - plan.taps];
        let rows = self.cut::<T>(sizes, [signal.x.len(), out.len()], 1)?;
        if rows == 0 {
            return Ok(());
        }
        let (mut v, mut z) = (self.alloc(rows * n)?, self.alloc(rows * plan.fft.bins())?);
        self.blocks::<T, T>(sizes, signal, v.view())?;
        self.rfft(&plan.fft, v.view(), z.view_mut())?;
        self.filtered(z.view(), plan.spectrum.view())?;
        self.irfft(&plan.fft, z.view(), v.view_mut())?;
        self.kept::<T, T>(sizes, v.view(), out)
    }

    /// [`convolve`](crate::convolve())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    pub fn convolve<T: Scalar>(
        &self,
        plan: &Convolver<T, D>,
        extent: Extent,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
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
    pub fn fir_fft<T: Scalar>(
        &self,
        plan: &Convolver<T, D>,
        state: ViewMut<'_, T, D>,
        x: View<'_, T, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
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
    pub fn convolve_complex<T: Scalar>(
        &self,
        plan: &ComplexConvolver<T, D>,
        extent: Extent,
        x: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
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
            self.fft_in_place(&plan.fft, Direction::Forward, z.view_mut())?;
            self.filtered(z.view(), plan.spectrum.view())?;
            self.fft_in_place(&plan.fft, Direction::Inverse, z.view_mut())?;
            self.kept::<T, Complex<T>>(sizes, z.view(), out.read())
        })
    }
}
