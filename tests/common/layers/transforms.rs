//! Fourier transforms on a device: the ops' own cases, and lengths past what one block transforms.

use crate::device::{Worst, specials};
use crate::nn::convolutions::{Complexes, Cosines, Reals, Streamed, extent};
use crate::nn::transforms::{Forward, Frames, Planes, Real, RealInverse, Rows, Volumes, turn};
use crate::nn::{Args, Bounds, Noise, Op, Routine, Want};
use fulmen::backend::{Plans, Transforms};
use fulmen::contract::agrees;
use fulmen::gpu::backend::{Array, Gpu, Mat, MatMut, Scalar, View, ViewMut, Word};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::{Complex, Direction};

/// Elements, and marks around them that are no result; their number makes elements lie at multiples of 16 bytes or not.
pub struct Within<X, D: Device> {
    all: Array<X, D>,
    pad: usize,
    mark: X,
}

impl<X: Word + PartialEq + std::fmt::Debug, D: Blocking> Within<X, D> {
    pub fn new(gpu: &Gpu<D>, x: &[X], mark: X, pad: usize) -> Result<Self, Error> {
        let marks = vec![mark; pad];
        Ok(Self { all: gpu.upload(&[&marks[..], x, &marks].concat())?, pad, mark })
    }
    pub fn view(&self) -> View<'_, X, D> {
        self.all.view().part(self.pad..self.all.len() - self.pad).unwrap()
    }
    pub fn view_mut(&mut self) -> ViewMut<'_, X, D> {
        let (pad, n) = (self.pad, self.all.len() - 2 * self.pad);
        let [_, rest] = self.all.view_mut().split(pad).unwrap();
        let [inner, _] = rest.split(n).unwrap();
        inner
    }
    /// What is in it now; its marks are as they were.
    pub fn back(&self, gpu: &Gpu<D>) -> Result<Vec<X>, Error> {
        let mut all = vec![self.mark; self.all.len()];
        gpu.download(self.all.view(), &mut all)?;
        let end = all.len() - self.pad;
        assert!(
            all[..self.pad].iter().chain(&all[end..]).all(|x| *x == self.mark),
            "written past the result"
        );
        Ok(all[self.pad..end].to_vec())
    }
}

/// The errors of results, as shares of what their op's contract allows.
pub fn check<T: Scalar>(worst: &mut Worst, language: &str, got: &[T], want: &[Want]) {
    // WGSL leaves it open whether subnormal numbers are kept.
    let least = if language == "wgsl" { 16384.0 * f64::from(f32::MIN_POSITIVE) } else { 0.0 };
    check_from(worst, language, got, want, least);
}

/// [`check`], in which errors up to `least` are none.
pub fn check_from<T: Scalar>(worst: &mut Worst, language: &str, got: &[T], want: &[Want], least: f64) {
    assert_eq!(got.len(), want.len(), "{}", worst.op);
    let bounds = Bounds::on::<T>(worst.op, language);
    for (got, want) in got.iter().zip(want) {
        let off = (got.to_f64() - want.value).abs();
        let share =
            if agrees(*got, want.value, 0.0) || off <= least { 0.0 } else { off / bounds.allowed::<T>(want) };
        worst.add(if share.is_finite() { share } else { f64::INFINITY }, got.to_f64(), want.value);
    }
}

fn direction<T: Scalar>(a: &Args<T>) -> Direction {
    if a.get("inverse").is_some() { Direction::Inverse } else { Direction::Forward }
}

fn matrix<'a, T, D: Device>(
    a: &Args<T>,
    x: View<'a, Complex<T>, D>,
    [m, n]: [usize; 2],
) -> Result<Mat<'a, Complex<T>, D>, Error>
where
    T: Scalar,
{
    if a.get("across").is_some() { Ok(x.matrix(n, m)?.t()) } else { x.matrix(m, n) }
}
fn matrix_mut<'a, T, D: Device>(
    a: &Args<T>,
    x: ViewMut<'a, Complex<T>, D>,
    [m, n]: [usize; 2],
) -> Result<MatMut<'a, Complex<T>, D>, Error>
where
    T: Scalar,
{
    if a.get("across").is_some() { Ok(x.matrix(n, m)?.t()) } else { x.matrix(m, n) }
}

/// An op's cases, whose results are complex.
fn family<T: Scalar, D: Computes<T> + Blocking, O: Op>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
    call: impl Fn(&Args<T>, usize, &mut Within<Complex<T>, D>) -> Result<(), Error>,
) -> Result<Worst, Error> {
    let mut noise = Noise(29);
    cases::<T, D, O>(
        gpu,
        language,
        shapes.iter().map(|[rows, cols]| O::sample(*rows, *cols, &mut noise)),
        call,
    )
}

/// Cases of an op whose results are complex.
pub fn cases<T: Scalar, D: Computes<T> + Blocking, O: Op>(
    gpu: &Gpu<D>,
    language: &str,
    all: impl Iterator<Item = Args<T>>,
    call: impl Fn(&Args<T>, usize, &mut Within<Complex<T>, D>) -> Result<(), Error>,
) -> Result<Worst, Error> {
    let mut worst = Worst { op: O::NAME, share: 0.0, got: 0.0, want: 0.0 };
    let ran = |a: &Args<T>, case: usize| -> Result<Vec<T>, Error> {
        let before = O::before(a);
        let mark = Complex::new(T::from_f64(7.0), T::from_f64(9.0));
        let mut out = Within::new(gpu, Complex::of(&before[0])?, mark, 1 + case % 2)?;
        call(a, case, &mut out)?;
        Ok(Complex::parts(&out.back(gpu)?).to_vec())
    };
    let all: Vec<_> = all.collect();
    for (case, a) in all.iter().enumerate() {
        check(&mut worst, language, &ran(a, case)?, &O::want(&a.wide())[0]);
    }
    // The smaller ones with other numbers.
    let small = all.iter().enumerate().filter(|(_, a)| a.x.iter().all(|x| x.len() < 300));
    for (case, a) in small {
        specials::poked(&Routine::native::<O>(), language, a, &mut worst, &|a| Ok(vec![ran(a, case)?]))?;
    }
    Ok(worst)
}

/// The ops' own cases.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
) -> Result<Vec<Worst>, Error> {
    let complex = |x: &[T], pad: usize| Within::new(gpu, Complex::of(x).unwrap(), Complex::ONE, pad);
    let real = |x: &[T], pad: usize| Within::new(gpu, x, T::ONE, pad);
    let mut all = vec![family::<T, D, Forward>(gpu, language, shapes, |a, case, out| {
        let (plan, x) = (gpu.fft_plan(a.size("n"), (), ())?, complex(&a.x[0], case)?);
        if case % 2 == 1 {
            gpu.write(Complex::of(&a.x[0])?, out.view_mut())?;
            return gpu.fft_in_place(&plan, direction(a), out.view_mut(), ());
        }
        gpu.fft(&plan, direction(a), x.view(), out.view_mut(), ())
    })?];
    all.push(family::<T, D, Real>(gpu, language, shapes, |a, _, out| {
        gpu.rfft(&gpu.rfft_plan(a.size("n"), (), ())?, real(&a.x[0], 3)?.view(), out.view_mut(), ())
    })?);
    all.push(family::<T, D, Rows>(gpu, language, shapes, |a, case, out| {
        let (n, x) = (a.size("n"), complex(&a.x[0], case)?);
        let shape = [a.x[0].len() / 2 / n, n];
        let to = matrix_mut(a, out.view_mut(), shape)?;
        gpu.fft_rows(&gpu.fft_plan(n, (), ())?, direction(a), matrix(a, x.view(), shape)?, to, ())
    })?);
    all.push(family::<T, D, Planes>(gpu, language, shapes, |a, case, out| {
        let (shape, x) = ([a.size("m"), a.size("n")], complex(&a.x[0], case)?);
        let to = matrix_mut(a, out.view_mut(), shape)?;
        let [down, along] = shape.map(|n| gpu.fft_plan(n, (), ()));
        gpu.fft_2d(&down?, &along?, direction(a), matrix(a, x.view(), shape)?, to, ())
    })?);
    all.push(family::<T, D, Volumes>(gpu, language, shapes, |a, case, out| {
        let [d, m, n] = ["d", "m", "n"].map(|size| gpu.fft_plan(a.size(size), (), ()));
        let (plans, x) = ([&d?, &m?, &n?], complex(&a.x[0], case)?);
        gpu.fft_3d(plans, direction(a), x.view(), out.view_mut(), ())
    })?);
    all.push(family::<T, D, Frames>(gpu, language, shapes, |a, case, out| {
        let (window, x) = (real(&a.x[0], case)?, real(&a.x[1], case)?);
        gpu.stft(
            &gpu.rfft_plan(a.size("n"), (), ())?,
            window.view(),
            a.size("hop"),
            x.view(),
            out.view_mut(),
            (),
        )
    })?);
    let mut worst = Worst { op: "irfft", share: 0.0, got: 0.0, want: 0.0 };
    let mut noise = Noise(31);
    let inverse = |a: &Args<T>| {
        let x = complex(&a.x[0], 1)?;
        // An even number of them are complex ones that do not lie at multiples of their size.
        let mut out = real(&RealInverse::before(a)[0], 3)?;
        gpu.irfft(&gpu.rfft_plan(a.size("n"), (), ())?, x.view(), out.view_mut(), ())?;
        out.back(gpu)
    };
    for [rows, cols] in shapes {
        let a: Args<T> = RealInverse::sample(*rows, *cols, &mut noise);
        check(&mut worst, language, &inverse(&a)?, &RealInverse::want(&a.wide())[0]);
    }
    specials::op(&Routine::native::<RealInverse>(), language, &[], &mut worst, &|a| Ok(vec![inverse(a)?]))?;
    all.push(worst);
    all.extend(cosines::<T, D>(gpu, language)?);
    super::family(gpu, &Routine::native::<Reals>(), language, shapes, &[("convolve", &[])], &mut all)?;
    super::family(gpu, &Routine::native::<Streamed>(), language, shapes, &[("fir_fft", &[])], &mut all)?;
    all.push(family::<T, D, Complexes>(gpu, language, shapes, |a, case, out| {
        let (kernel, n) = (Complex::of(&a.x[0])?, a.size("n"));
        let plan = match a.get("correlation") {
            Some(_) => gpu.correlate_complex_plan(kernel, n, (), ())?,
            None => gpu.convolve_complex_plan(kernel, n, (), ())?,
        };
        gpu.convolve_complex(&plan, extent(a), complex(&a.x[1], case)?.view(), out.view_mut(), ())
    })?);
    Ok(all)
}

/// Cosine transforms of each kind, of even and of odd lengths.
fn cosines<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
) -> Result<Option<Worst>, Error> {
    let (op, mut noise, mut worst) = (Routine::<T>::native::<Cosines>(), Noise(41), None::<Worst>);
    for (kind, n) in [(2, 1), (2, 7), (2, 12), (3, 9), (3, 12), (4, 1), (4, 2), (4, 12), (4, 15), (4, 33)] {
        let a: Args<T> =
            Args::new::<Cosines>(vec![noise.slice(3 * n, 2.0)], vec![], &[("n", n), ("kind", kind)]);
        let this = super::run(gpu, &op, language, op.name, &a, 3 + n % 2)?;
        let more = worst.as_ref().is_none_or(|w| this.share > w.share || !this.share.is_finite());
        worst = if more { Some(this) } else { worst };
    }
    if let Some(worst) = &mut worst {
        specials::op(&op, language, &[], worst, &|a| super::outputs(gpu, &op, op.name, a, 3))?;
    }
    Ok(worst)
}

/// Two transforms of each length, of a few numbers among zeros, there and back; beside what `fft` came to in `ran`.
pub fn lengths<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    all: &[usize],
    ran: &mut [Worst],
) -> Result<(), Error> {
    let worst = ran.iter_mut().find(|w| w.op == "fft").unwrap();
    let mut noise = Noise(37);
    for n in all.iter().copied() {
        let plan = Plans::<T>::fft_plan(gpu, n, (), ())?;
        for (case, direction) in [Direction::Forward, Direction::Inverse].into_iter().enumerate() {
            let mut x = vec![Complex::<T>::ZERO; 2 * n];
            let places: Vec<usize> = (0..8).map(|k| k % 2 * n + noise.bits() as usize % n).collect();
            for at in &places {
                let z = noise.slice::<T>(2, 2.0);
                x[*at] = Complex::new(z[0], z[1]);
            }
            let (from, mut out) = (
                Within::new(gpu, &x, Complex::ONE, 1)?,
                Within::new(gpu, &vec![Complex::ZERO; 2 * n], Complex::ONE, 2)?,
            );
            gpu.fft(&plan, direction, from.view(), out.view_mut(), ())?;
            let (sign, scale) = if case == 1 { (1.0, 1.0 / n as f64) } else { (-1.0, 1.0) };
            let mut want = vec![];
            // Of long ones every so many results, of all places in a block.
            let step = (n >> 17) | 1;
            for row in x.chunks(n) {
                let some: Vec<(usize, [f64; 2])> = row
                    .iter()
                    .enumerate()
                    .filter(|(_, z)| **z != Complex::ZERO)
                    .map(|(k, z)| (k, [z.re.to_f64(), z.im.to_f64()]))
                    .collect();
                let square: f64 = some.iter().map(|(_, [a, b])| a * a + b * b).sum();
                let mass = scale * (n as f64 * square).sqrt();
                for j in (0..n).step_by(step) {
                    let mut y = [0.0; 2];
                    for (k, [a, b]) in &some {
                        let [c, s] = turn(j * k % n, n);
                        let s = sign * s;
                        y = [y[0] + a * c - b * s, y[1] + a * s + b * c];
                    }
                    want.extend(y.map(|y| Want { value: y * scale, mass, n }));
                }
            }
            let got = out.back(gpu)?;
            let some: Vec<_> = got.chunks(n).flat_map(|row| row.iter().copied().step_by(step)).collect();
            check(worst, language, Complex::parts(&some), &want);
        }
    }
    Ok(())
}
