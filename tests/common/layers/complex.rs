//! Linear algebra of complex numbers on a device, by the ops' own cases: matrices by rows and by columns with room between
//! them, vectors with strides.

use super::transforms::{Within, cases, check};
use crate::device::{Worst, specials};
use crate::nn::complex::{Axpy, Dot, Product, Vector, has, number};
use crate::nn::{Args, Noise, Op, Routine, pairs};
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, Gpu, Mat, MatMut, Scalar, View, ViewMut};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::{Complex, Conjugate};

/// A matrix, a number behind each of its rows, or columns, which nobody reads.
struct Wide<T, D: Device> {
    all: Array<Complex<T>, D>,
    shape: [usize; 2],
    columns: bool,
}

impl<T: Scalar, D: Computes<T> + Blocking> Wide<T, D> {
    fn new(gpu: &Gpu<D>, x: &[T], shape: [usize; 2], columns: bool) -> Result<Self, Error> {
        let line = if columns { shape[0] } else { shape[1] };
        let mut all = vec![];
        for line in Complex::of(x)?.chunks(line.max(1)) {
            all.extend(line);
            all.push(Complex::new(T::NAN, T::ONE));
        }
        Ok(Self { all: gpu.upload(&all)?, shape, columns })
    }
    fn view(&self) -> Result<Mat<'_, Complex<T>, D>, Error> {
        let [m, n] = self.shape;
        match self.columns {
            false => self.all.view().matrix(m, n + 1)?.cols(0..n),
            true => self.all.view().matrix(n, m + 1)?.cols(0..m).map(Mat::t),
        }
    }
    fn view_mut(&mut self) -> Result<MatMut<'_, Complex<T>, D>, Error> {
        let [m, n] = self.shape;
        let [inner, _] = match self.columns {
            false => self.all.view_mut().matrix(m, n + 1)?.split_cols(n)?,
            true => self.all.view_mut().matrix(n, m + 1)?.split_cols(m)?,
        };
        Ok(if self.columns { inner.t() } else { inner })
    }
    /// Its numbers, line after line; those behind the lines are as they were.
    fn back(&self, gpu: &Gpu<D>) -> Result<Vec<Complex<T>>, Error> {
        let line = if self.columns { self.shape[0] } else { self.shape[1] };
        let mut all = vec![Complex::ZERO; self.all.len()];
        gpu.download(self.all.view(), &mut all)?;
        let lines = all.chunks(line + 1);
        assert!(
            lines.clone().all(|l| l[line].re.to_f64().is_nan() && l[line].im == T::ONE),
            "written past a line"
        );
        Ok(lines.flat_map(|l| l[..line].to_vec()).collect())
    }
}

fn vector<'a, T: Scalar, D: Device>(
    a: &Args<T>,
    x: View<'a, Complex<T>, D>,
) -> Result<Mat<'a, Complex<T>, D>, Error> {
    let n = x.len();
    if has(a, "spread") { x.matrix(n / 2, 2)?.cols(0..1) } else { x.matrix(n, 1) }
}
fn vector_mut<'a, T: Scalar, D: Device>(
    a: &Args<T>,
    x: ViewMut<'a, Complex<T>, D>,
) -> Result<MatMut<'a, Complex<T>, D>, Error> {
    let n = x.len();
    if !has(a, "spread") {
        return x.matrix(n, 1);
    }
    let [inner, _] = x.matrix(n / 2, 2)?.split_cols(1)?;
    Ok(inner)
}

/// Words of an op by the bits of the case, and β real or not, instead of those that its sample has.
fn with<T: Scalar>(mut a: Args<T>, case: usize, words: &[&str], beta: Option<usize>) -> Args<T> {
    a.n.retain(|(name, _)| !words.contains(&&name[..]));
    let on = words.iter().enumerate().filter(|(k, _)| case >> k & 1 == 1);
    a.n.extend(on.map(|(_, name)| (String::from(*name), 1)));
    if let Some(at) = beta {
        let beta = [[0.0, 0.0], [0.5, 0.0], [0.5, -1.5], [0.0, 1.0]][(case + case / 4) % 4];
        a.x[at] = beta.map(T::from_f64).to_vec();
        if beta == [0.0; 2] {
            // What is not read.
            a.x[2].fill(T::NAN);
        }
    }
    a
}

/// All layouts of each operand, whichever shapes there are.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
) -> Result<Vec<Worst>, Error> {
    let mut noise = Noise(43);
    let shape = |case: usize| shapes[case % shapes.len()];
    let on = |x: &[T]| gpu.upload(Complex::of(x).unwrap());
    let mut samples = |case: usize| {
        let [rows, cols] = shape(case);
        let mut a = with(
            Product::sample(rows, cols, &mut noise),
            case,
            &["a_columns", "c_columns", "b_columns", "conjugate_a", "conjugate_b"],
            Some(4),
        );
        let of_c = a.size("m") * a.size("n") * 2;
        a.x[2].truncate(of_c);
        a.n.retain(|(name, _)| name != "spread");
        if case == 9 {
            // Neither is read.
            a.x[3] = vec![T::ZERO; 2];
            a.x[0].fill(T::NAN);
        }
        a
    };
    // Each layout with each, the conjugates with some.
    let all: Vec<_> = [0, 9, 18, 27, 28, 21, 14, 7].map(&mut samples).into();
    let product = cases::<T, D, Product>(gpu, language, all.into_iter(), |a, case, out| {
        let [m, n, k] = ["m", "n", "k"].map(|size| a.size(size));
        let left = Wide::new(gpu, &a.x[0], [m, k], has(a, "a_columns"))?;
        let right = Wide::new(gpu, &a.x[1], [k, n], has(a, "b_columns"))?;
        let conjugate = Conjugate { a: has(a, "conjugate_a"), b: has(a, "conjugate_b") };
        let (alpha, beta) = (number(&a.x[3]), number(&a.x[4]));
        let columns = has(a, "c_columns");
        if case % 3 == 0 {
            let c = out.view_mut();
            let c = if columns { c.matrix(n, m)?.t() } else { c.matrix(m, n)? };
            return gpu.gemm_complex(alpha, left.view()?, right.view()?, conjugate, beta, c, ());
        }
        let mut c = Wide::new(gpu, &a.x[2], [m, n], columns)?;
        gpu.gemm_complex(alpha, left.view()?, right.view()?, conjugate, beta, c.view_mut()?, ())?;
        gpu.write(&c.back(gpu)?, out.view_mut())
    })?;
    let mut noise = Noise(47);
    let words = ["a_columns", "conjugate"];
    let all = (0..6).map(|case| {
        let [rows, cols] = shape(case);
        with(Vector::sample(rows, cols, &mut noise), case, &words, Some(4))
    });
    let vectors = cases::<T, D, Vector>(gpu, language, all, |a, _, out| {
        let matrix = Wide::new(gpu, &a.x[0], [a.size("m"), a.size("n")], has(a, "a_columns"))?;
        let (x, y) = (on(&a.x[1])?, vector_mut(a, out.view_mut())?);
        let (alpha, beta) = (number(&a.x[3]), number(&a.x[4]));
        gpu.gemv_complex(alpha, matrix.view()?, has(a, "conjugate"), vector(a, x.view())?, beta, y)
    })?;
    let mut noise = Noise(53);
    // Past the numbers of a block.
    let all = [[1, 1], [9, 7], [3, 700], [2, 2100]].into_iter().enumerate();
    let all = all.map(|(case, [r, c])| with(Dot::sample(r, c, &mut noise), case, &["conjugate"], None));
    let dot = cases::<T, D, Dot>(gpu, language, all, |a, _, out: &mut Within<Complex<T>, D>| {
        let (x, y) = (on(&a.x[0])?, on(&a.x[1])?);
        gpu.dot_complex(has(a, "conjugate"), vector(a, x.view())?, vector(a, y.view())?, out.view_mut())
    })?;
    let mut noise = Noise(59);
    let all = (0..3).map(|case| {
        let [rows, cols] = shape(case);
        Axpy::sample(rows, cols, &mut noise)
    });
    let axpy = cases::<T, D, Axpy>(gpu, language, all, |a, _, out| {
        let x = on(&a.x[0])?;
        gpu.axpy_complex(number(&a.x[2]), vector(a, x.view())?, vector_mut(a, out.view_mut())?)
    })?;
    let mut all = vec![product, vectors, dot, axpy];
    all.extend(elements::<T, D>(gpu, language, shapes)?);
    Ok(all)
}

/// An op's cases, whose results are real numbers.
fn reals<T: Scalar, D: Computes<T> + Blocking, O: Op>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
    call: impl Fn(&Args<T>, View<'_, Complex<T>, D>, Vec<ViewMut<'_, T, D>>) -> Result<(), Error>,
) -> Result<Worst, Error> {
    let mut worst = Worst { op: O::NAME, share: 0.0, got: 0.0, want: 0.0 };
    let mut noise = Noise(61);
    for (case, [rows, cols]) in shapes.iter().enumerate() {
        let a: Args<T> = O::sample(*rows, *cols, &mut noise);
        let ran = |a: &Args<T>| -> Result<Vec<Vec<T>>, Error> {
            let x = gpu.upload(Complex::of(&a.x[0])?)?;
            let before = O::before(a);
            let mut outs = before
                .iter()
                .map(|out| Within::new(gpu, out, T::ONE, 1 + case % 2))
                .collect::<Result<Vec<_>, _>>()?;
            call(a, x.view(), outs.iter_mut().map(Within::view_mut).collect())?;
            outs.iter().map(|out| out.back(gpu)).collect()
        };
        for (out, want) in ran(&a)?.iter().zip(O::want(&a.wide())) {
            check(&mut worst, language, out, &want);
        }
        if a.x[0].len() < 300 {
            specials::poked(&Routine::native::<O>(), language, &a, &mut worst, &ran)?;
        }
    }
    Ok(worst)
}

/// Ops on each number, and norms of all.
fn elements<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
) -> Result<Vec<Worst>, Error> {
    let mut noise = Noise(67);
    let on = |x: &[T]| gpu.upload(Complex::of(x).unwrap());
    let all = shapes.iter().map(|[rows, cols]| pairs::Products::sample(*rows, *cols, &mut noise));
    let mut ran = vec![cases::<T, D, pairs::Products>(gpu, language, all, |a, _, out| {
        let (x, y) = (on(&a.x[0])?, on(&a.x[1])?);
        gpu.mul_complex(has(a, "conjugate"), x.view(), y.view(), out.view_mut())
    })?];
    // α real and not.
    let all = shapes.iter().chain(shapes).map(|[rows, cols]| pairs::Scaled::sample(*rows, *cols, &mut noise));
    ran.push(cases::<T, D, pairs::Scaled>(gpu, language, all, |a, _, out| {
        gpu.scal_complex(number(&a.x[1]), vector_mut(a, out.view_mut())?)
    })?);
    let all = shapes.iter().map(|[rows, cols]| pairs::Together::sample(*rows, *cols, &mut noise));
    ran.push(cases::<T, D, pairs::Together>(gpu, language, all, |a, _, out| {
        let (re, im) = (gpu.upload(&a.x[0])?, gpu.upload(&a.x[1])?);
        gpu.interleave(re.view(), im.view(), out.view_mut())
    })?);
    let one = |mut all: Vec<ViewMut<'_, T, D>>, f: &dyn Fn(ViewMut<'_, T, D>) -> Result<(), Error>| {
        f(all.pop().expect("a result"))
    };
    ran.push(reals::<T, D, pairs::Magnitudes>(gpu, language, shapes, |_, x, out| {
        one(out, &|out| gpu.abs_complex(x, out))
    })?);
    ran.push(reals::<T, D, pairs::Angles>(gpu, language, shapes, |_, x, out| {
        one(out, &|out| gpu.arg_complex(x, out))
    })?);
    ran.push(reals::<T, D, pairs::Apart>(gpu, language, shapes, |_, x, out| {
        let mut out = out.into_iter();
        gpu.deinterleave(x, out.next().expect("a result"), out.next().expect("a result"))
    })?);
    ran.push(reals::<T, D, pairs::Norm>(gpu, language, shapes, |a, x, out| {
        one(out, &|out| gpu.nrm2_complex(vector(a, x)?, out))
    })?);
    ran.push(reals::<T, D, pairs::Sums>(gpu, language, shapes, |a, x, out| {
        one(out, &|out| gpu.asum_complex(vector(a, x)?, out))
    })?);
    Ok(ran)
}
