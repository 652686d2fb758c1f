//! Plans of transforms on devices, and the parts of convolutions by overlap-save.

use super::super::device::{Computes, Device, Error};
use super::super::template::{fft, spectra};
use super::fft::{Fft, List, RealFft};
use super::ops::{Done, Scalar};
use super::{Array, Gpu, View, Word};
use crate::backend::{Plans, Transforms};
use crate::complex::Complex;
use crate::error::not_empty;
use crate::fft::dct::roots;
use crate::{DctKind, Direction};
use alloc::vec::Vec;

/// A plan of cosine transforms in memory of a device, as [`Dct`](crate::Dct) is on a CPU.
#[derive(Debug)]
pub struct Dct<T, D: Device> {
    pub(super) kind: DctKind,
    pub(super) real: RealFft<T, D>,
    pub(super) roots: Array<Complex<T>, D>,
}

/// A kernel of real numbers, transformed once, in memory of a device, as [`Convolver`](crate::Convolver) is on a CPU.
#[derive(Debug)]
pub struct Convolver<T, D: Device> {
    pub(super) fft: RealFft<T, D>,
    pub(super) taps: usize,
    spectrum: Array<Complex<T>, D>,
}

/// A kernel of complex numbers, transformed once, in memory of a device, as
/// [`ComplexConvolver`](crate::ComplexConvolver) is on a CPU.
#[derive(Debug)]
pub struct ComplexConvolver<T, D: Device> {
    pub(super) fft: Fft<T, D>,
    pub(super) taps: usize,
    pub(super) spectrum: Array<Complex<T>, D>,
}

/// Zeros, what came before, then `x`.
pub(super) struct Signal<'a, X, D: Device> {
    pub(super) zeros: usize,
    pub(super) before: Option<View<'a, X, D>>,
    pub(super) x: View<'a, X, D>,
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
    fn convolver<T: Scalar>(
        &self,
        kernel: impl ExactSizeIterator<Item = T>,
        n: usize,
    ) -> Result<Convolver<T, D>, Error>
    where
        D: Computes<T>,
    {
        let (taps, kernel) = (kernel.len(), padded(kernel, n)?);
        let fft = self.real_plan(n)?;
        let mut spectrum = self.alloc(fft.bins())?;
        self.rfft(&fft, self.upload(&kernel)?.view(), spectrum.view_mut(), ())?;
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
        let fft = self.complex_plan(n)?;
        let mut spectrum = self.upload(&kernel)?;
        self.fft_in_place(&fft, Direction::Forward, spectrum.view_mut(), ())?;
        Ok(ComplexConvolver { fft, taps, spectrum })
    }

    /// Blocks of `n` of the signal, `step` from one to the next, to all of `to`.
    pub(super) fn blocks<T: Scalar, X: Word>(
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
    pub(super) fn kept<T: Scalar, X: Word>(
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
    pub(super) fn filtered<T: Scalar>(
        &self,
        z: View<'_, Complex<T>, D>,
        filter: View<'_, Complex<T>, D>,
    ) -> Done
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
    pub(super) fn cut<T: Scalar>(
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

    pub(super) fn overlapped<T: Scalar>(
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
        self.rfft(&plan.fft, v.view(), z.view_mut(), ())?;
        self.filtered(z.view(), plan.spectrum.view())?;
        self.irfft(&plan.fft, z.view(), v.view_mut(), ())?;
        self.kept::<T, T>(sizes, v.view(), out)
    }
}

impl<T: Scalar, D: Computes<T>> Plans<T> for Gpu<D> {
    type Fft<'a> = Fft<T, D>;
    type RealFft<'a> = RealFft<T, D>;
    type Dct<'a> = Dct<T, D>;
    type Convolver<'a> = Convolver<T, D>;
    type ComplexConvolver<'a> = ComplexConvolver<T, D>;

    // A plan lies in memory of the device's pool.
    fn fft_plan_len(&self, _: usize) -> usize {
        0
    }
    fn rfft_plan_len(&self, _: usize) -> usize {
        0
    }
    fn dct_plan_len(&self, _: DctKind, _: usize) -> usize {
        0
    }
    fn convolve_plan_len(&self, _: usize) -> usize {
        0
    }
    fn convolve_complex_plan_len(&self, _: usize) -> usize {
        0
    }

    /// A plan of transforms of length `n`, its tables in memory of the device. It has the roots of each pass; a length that
    /// is no product of 2, 3, 5 and 7 is a convolution of at least twice its length.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, backend::{Plans, Transforms}, gpu::{backend::Gpu, device::Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let plan = gpu.fft_plan(4, (), ())?;
    /// let x = gpu.upload(&[1.0f32, 0.0, -1.0, 0.0].map(Complex::from))?;
    /// let mut y = gpu.alloc(4)?;
    /// gpu.fft(&plan, Direction::Forward, x.view(), y.view_mut(), ())?;
    /// let mut back = [Complex::ZERO; 4];
    /// gpu.download(y.view(), &mut back)?;
    /// assert_eq!(back.map(|y| y.re), [0.0, 2.0, 0.0, 2.0]);
    /// # Ok::<(), fulmen::gpu::device::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Empty`](crate::Error::Empty), [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn fft_plan<'a>(
        &self,
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::Fft<'a>, Error> {
        self.complex_plan(n)
    }

    /// A plan of transforms of `n` real numbers.
    ///
    /// # Errors
    /// As [`Plans::fft_plan`].
    fn rfft_plan<'a>(
        &self,
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::RealFft<'a>, Error> {
        self.real_plan(n)
    }

    /// A plan of cosine transforms of one kind and length.
    ///
    /// # Errors
    /// As [`Plans::fft_plan`].
    fn dct_plan<'a>(
        &self,
        kind: DctKind,
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::Dct<'a>, Error> {
        let real = self.real_plan(n)?;
        let roots: Vec<_> = roots(kind, n).collect();
        Ok(Dct { kind, real, roots: self.upload(&roots)? })
    }

    /// For convolutions with a kernel by transforms of length `n`: [`Convolver::plan`](crate::Convolver::plan).
    ///
    /// ```
    /// use fulmen::{Extent, backend::{Plans, Transforms}, gpu::{backend::Gpu, device::Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let (plan, x) = (gpu.convolve_plan(&[1.0f64, -1.0], 4, (), ())?, gpu.upload(&[1.0, 4.0, 9.0, 16.0])?);
    /// let mut out = gpu.alloc(5)?;
    /// gpu.convolve(&plan, Extent::Full, x.view(), out.view_mut(), ())?;
    /// let mut back = [0.0; 5];
    /// gpu.download(out.view(), &mut back)?;
    /// assert!(back.iter().zip([1.0, 3.0, 5.0, 7.0, -16.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    /// # Ok::<(), fulmen::gpu::device::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Empty`](crate::Error::Empty), [`Domain`](crate::Error::Domain), those of [`Plans::fft_plan`].
    fn convolve_plan<'a>(
        &self,
        kernel: &[T],
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::Convolver<'a>, Error> {
        self.convolver(kernel.iter().copied(), n)
    }

    /// For correlations with a kernel: [`Convolver::correlation`](crate::Convolver::correlation).
    ///
    /// # Errors
    /// As [`Plans::convolve_plan`].
    fn correlate_plan<'a>(
        &self,
        kernel: &[T],
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::Convolver<'a>, Error> {
        self.convolver(kernel.iter().rev().copied(), n)
    }

    /// As [`Plans::convolve_plan`], of complex numbers.
    ///
    /// # Errors
    /// As there.
    fn convolve_complex_plan<'a>(
        &self,
        kernel: &[Complex<T>],
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::ComplexConvolver<'a>, Error> {
        self.complex_convolver(kernel.iter().copied(), n)
    }

    /// As [`Plans::correlate_plan`], of complex numbers: [`ComplexConvolver::correlation`](crate::ComplexConvolver::correlation).
    ///
    /// # Errors
    /// As there.
    fn correlate_complex_plan<'a>(
        &self,
        kernel: &[Complex<T>],
        n: usize,
        _: Self::Workspace<'a, T>,
        _: Self::Workspace<'_, Complex<T>>,
    ) -> Result<Self::ComplexConvolver<'a>, Error> {
        self.complex_convolver(kernel.iter().rev().map(|z| z.conj()), n)
    }
}
