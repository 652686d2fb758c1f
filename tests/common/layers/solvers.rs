//! Systems of linear equations on a device: sizes around the parts of 32, all layouts, and what is refused.

use super::Done;
use super::transforms::check_from;
use crate::device::{Worst, specials};
use crate::nn::ranks::Inverse;
use crate::nn::reflections::{LeastSquares, Qr, QrApply};
use crate::nn::solvers::{Cholesky, CholeskySolve, Determinant, Lu, LuSolve, columns};
use crate::nn::symmetric::LdltSolve;
use crate::nn::{Args, Noise, Op, Routine, Want};
use fulmen::backend::*;
use fulmen::gpu::backend::{Array, Gpu, Mat, MatMut, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};

/// A matrix inside a larger one whose other elements are NaN: by rows, by columns, or by rows with nothing around it.
struct Lies<T> {
    data: Vec<T>,
    /// Of the larger one.
    whole: [usize; 2],
    shape: [usize; 2],
    turned: bool,
    at: usize,
}

impl<T: Scalar> Lies<T> {
    fn new(x: &[T], shape: [usize; 2], layout: usize) -> Self {
        let (turned, at) = (layout % 3 == 1, if layout.is_multiple_of(3) { 0 } else { 2 });
        let [deep, flat] = if turned { [shape[1], shape[0]] } else { shape };
        let whole = [deep, flat + at + usize::from(at > 0)];
        let mut data = vec![T::from_f64(f64::NAN); whole[0] * whole[1]];
        let all = Self { data: vec![], whole, shape, turned, at };
        (0..x.len()).for_each(|k| data[all.index(k)] = x[k]);
        Self { data, ..all }
    }
    /// Where element `k` by rows is.
    fn index(&self, k: usize) -> usize {
        let [i, j] = [k / self.shape[1], k % self.shape[1]];
        let [deep, flat] = if self.turned { [j, i] } else { [i, j] };
        deep * self.whole[1] + self.at + flat
    }
    fn end(&self) -> usize {
        self.at + if self.turned { self.shape[0] } else { self.shape[1] }
    }
    fn view<'a, D: Device>(&self, on: Mat<'a, T, D>) -> Result<Mat<'a, T, D>, Error> {
        let part = on.cols(self.at..self.end())?;
        Ok(if self.turned { part.t() } else { part })
    }
    fn view_mut<'a, D: Device>(&self, on: MatMut<'a, T, D>) -> Result<MatMut<'a, T, D>, Error> {
        let [before, _] = on.split_cols(self.end())?;
        let [_, part] = before.split_cols(self.at)?;
        Ok(if self.turned { part.t() } else { part })
    }
    /// The elements by rows; nothing else was written.
    fn back(&self, op: &str, after: &[T]) -> Vec<T> {
        let mut outside = vec![true; after.len()];
        let places = (0..self.shape[0] * self.shape[1]).map(|k| self.index(k));
        places.clone().for_each(|at| outside[at] = false);
        for (at, x) in after.iter().enumerate() {
            assert!(!outside[at] || x.to_f64().is_nan(), "{op} wrote element {at}");
        }
        places.map(|at| after[at]).collect()
    }
}

/// Adds what was got to the worst of an op.
fn compare<T: Scalar>(worst: &mut Worst, language: &str, got: &[T], want: &[Want]) {
    check_from(worst, language, got, want, 0.0);
}

/// The matrix by an op in place, in this layout.
fn over<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &str,
    x: &Lies<T>,
    f: impl FnOnce(MatMut<'_, T, D>) -> Done,
) -> Result<Vec<T>, Error> {
    let mut on = gpu.upload(&x.data)?;
    f(x.view_mut(on.view_mut().matrix(x.whole[0], x.whole[1])?)?)?;
    let mut after = x.data.clone();
    gpu.download(on.view(), &mut after)?;
    Ok(x.back(op, &after))
}

fn words<T: Scalar>(x: &[T]) -> Vec<u32> {
    x.iter().map(|x| x.to_f64() as u32).collect()
}

/// A matrix that an op reads, in its layout.
struct Held<T, D: Device> {
    lies: Lies<T>,
    on: Array<T, D>,
}

impl<T: Scalar, D: Blocking> Held<T, D> {
    fn new(gpu: &Gpu<D>, lies: Lies<T>) -> Result<Self, Error> {
        Ok(Self { on: gpu.upload(&lies.data)?, lies })
    }
    fn view(&self) -> Result<Mat<'_, T, D>, Error> {
        self.lies.view(self.on.view().matrix(self.lies.whole[0], self.lies.whole[1])?)
    }
}

/// The op of these arguments, whose matrices lie in this layout and in those after it: its results, in the contract's order.
fn outputs<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &str,
    a: &Args<T>,
    layout: usize,
) -> Result<Vec<Vec<T>>, Error> {
    let m = a.get("m").unwrap_or_else(|| a.size("n"));
    let lies = |k: usize| Lies::new(&a.x[k], [m, columns(a.x[k].len(), m)], layout + k);
    let held = |k: usize| Held::new(gpu, lies(k));
    let pivots = |k: usize| gpu.upload(&words(&a.x[k]));
    let least = m.min(columns(a.x[0].len(), m));
    let numbers = |on: &Array<T, D>| {
        let mut found = vec![T::ZERO; on.len()];
        gpu.download(on.view(), &mut found).map(|()| found)
    };
    let none = || gpu.upload(&vec![T::from_f64(f64::NAN); least]);
    Ok(match op {
        "cholesky" => vec![over(gpu, op, &lies(0), |a| gpu.cholesky(a, ()))?],
        "cholesky_solve" => {
            let l = held(0)?;
            vec![over(gpu, op, &lies(1), |b| gpu.cholesky_solve(l.view()?, b, ()))?]
        }
        "lu" => {
            let mut pivots = gpu.upload(&vec![u32::MAX; least])?;
            let factors = over(gpu, op, &lies(0), |a| gpu.lu(a, pivots.view_mut(), ()))?;
            let mut found = vec![0; least];
            gpu.download(pivots.view(), &mut found)?;
            vec![factors, found.iter().map(|p| T::from_usize(*p as usize)).collect()]
        }
        "lu_solve" => {
            let (f, pivots) = (held(0)?, pivots(1)?);
            vec![over(gpu, op, &lies(2), |b| gpu.lu_solve(f.view()?, pivots.view(), b, ()))?]
        }
        "inverse" => {
            let mut pivots = gpu.upload(&vec![0u32; m])?;
            vec![over(gpu, op, &lies(0), |a| gpu.inverse(a, pivots.view_mut(), ()))?]
        }
        "determinant" => {
            let (f, pivots, mut out) = (held(0)?, pivots(1)?, gpu.alloc(1)?);
            gpu.determinant(f.view()?, pivots.view(), out.view_mut())?;
            vec![numbers(&out)?]
        }
        "ldlt_solve" => {
            let (f, off, pivots) = (held(0)?, gpu.upload(&a.x[1])?, pivots(2)?);
            vec![over(gpu, op, &lies(3), |b| gpu.ldlt_solve(f.view()?, off.view(), pivots.view(), b, ()))?]
        }
        "qr" => {
            let mut tau = none()?;
            let factors = over(gpu, op, &lies(0), |a| gpu.qr(a, tau.view_mut(), ()))?;
            vec![factors, numbers(&tau)?]
        }
        "qr_apply" => {
            let (f, tau, transposed) = (held(0)?, gpu.upload(&a.x[1])?, a.size("transposed") != 0);
            vec![over(gpu, op, &lies(2), |c| gpu.qr_apply(transposed, f.view()?, tau.view(), c, ()))?]
        }
        "least_squares" => {
            let (mut tau, mut x) = (none()?, Vec::new());
            let factors = over(gpu, op, &lies(0), |a| {
                x = over(gpu, op, &lies(1), |b| gpu.least_squares(a, tau.view_mut(), b, ()))?;
                Ok(())
            })?;
            vec![factors, numbers(&tau)?, x]
        }
        other => panic!("no call of {other}"),
    })
}

/// An op of these arguments against its reference; what it does not read of its matrix is NaN.
fn one<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    mut a: Args<T>,
    layout: usize,
    worst: &mut Worst,
) -> Done {
    let hidden: Vec<usize> = (0..a.x[0].len()).filter(|at| (op.unread)(&a, 0, *at)).collect();
    hidden.into_iter().for_each(|at| a.x[0][at] = T::from_f64(f64::NAN));
    let got = outputs(gpu, op.name, &a, layout)?;
    let want = (op.want)(&a.wide());
    assert_eq!(got.len(), want.len(), "{}", op.name);
    got.iter().zip(&want).for_each(|(got, want)| compare(worst, language, got, want));
    Ok(())
}

/// An op with special values among its arguments.
fn special<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    worst: &mut Worst,
) -> Done {
    specials::op(op, language, &[], worst, &|a| outputs(gpu, op.name, a, 1))
}

/// One size of each op.
fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    [n, cols, layout]: [usize; 3],
    all: &mut [Worst; 7],
) -> Done {
    let mut noise = Noise(31 + n as u64);
    // Samples of more are of an order of their own.
    let n = if n > 66 { 8 * 131 + n - 97 } else { n };
    let [factor, solve, lu, lu_solve, others @ ..] = all;
    one(
        gpu,
        &Routine::native::<Cholesky>(),
        language,
        Cholesky::sample(cols, n, &mut noise),
        layout,
        factor,
    )?;
    one(
        gpu,
        &Routine::native::<CholeskySolve>(),
        language,
        CholeskySolve::sample(cols, n, &mut noise),
        layout,
        solve,
    )?;
    for rows in [1, 2, 3] {
        one(gpu, &Routine::native::<Lu>(), language, Lu::sample(rows, n, &mut noise), layout + rows, lu)?;
    }
    one(
        gpu,
        &Routine::native::<LuSolve>(),
        language,
        LuSolve::sample(cols, n, &mut noise),
        layout,
        lu_solve,
    )?;
    reflections(gpu, language, [n, cols, layout], &mut noise, others)
}

/// One size of the orthogonal factor and of what it is for.
fn reflections<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    [n, cols, layout]: [usize; 3],
    noise: &mut Noise,
    all: &mut [Worst; 3],
) -> Done {
    let [qr, apply, least] = all;
    // Of many rows one shape.
    for rows in if n > 66 { 2..3 } else { 1..4 } {
        one(gpu, &Routine::native::<Qr>(), language, Qr::sample(rows, n, noise), layout + rows, qr)?;
        let mut a: Args<T> = QrApply::sample(rows, n, noise);
        let m = a.size("m");
        let k = columns(a.x[0].len(), m);
        // The triangle is not read, and neither is the vector of what is no reflection.
        (0..m * k).filter(|at| at % k >= at / k).for_each(|at| a.x[0][at] = T::from_f64(f64::NAN));
        if k > 3 {
            a.x[1][2] = T::ZERO;
            (0..m).for_each(|i| a.x[0][i * k + 2] = T::from_f64(f64::NAN));
        }
        let got = outputs(gpu, "qr_apply", &a, layout + rows)?;
        if k > 3 {
            (0..m).for_each(|i| a.x[0][i * k + 2] = T::ZERO);
        }
        compare(apply, language, &got[0], &QrApply::want(&a.wide())[0]);
    }
    one(
        gpu,
        &Routine::native::<LeastSquares>(),
        language,
        LeastSquares::sample(1 + cols % 2, n, noise),
        layout,
        least,
    )
}

/// Columns of more rows than a block has threads, for each number of rows that a thread holds and past the last, the large
/// elements in the last ones; columns whose squares leave the range, and those of which nothing is left to reflect.
fn narrow<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>, language: &str, all: &mut [Worst; 7]) -> Done {
    let [_, _, lu, _, qr, ..] = all;
    let mut noise = Noise(77);
    let sized = |x: Vec<T>, [m, n]: [usize; 2]| Args::new::<Qr>(vec![x], vec![], &[("m", m), ("n", n)]);
    for [m, n] in [[141, 6], [600, 9], [2100, 9], [4200, 5], [8200, 3]] {
        let mut tall = noise.slice::<T>(m * n, 1.0);
        (0..n).for_each(|k| tall[(m - 1 - k) * n + k] = T::from_usize(m));
        for layout in if m < 200 { 0..2 } else { 0..1 } {
            let a = Args::new::<Lu>(vec![tall.clone()], vec![], &[("m", m), ("n", n)]);
            one(gpu, &Routine::native::<Lu>(), language, a, layout, lu)?;
            one(gpu, &Routine::native::<Qr>(), language, sized(tall.clone(), [m, n]), layout, qr)?;
        }
    }
    // A pivot by whose reciprocal nothing is multiplied, and one whose is none.
    for by in [2f64.powi(-60), 2f64.powi(-140)].map(T::from_f64) {
        let column = [1.0, -3.0, 2.0, 0.5].map(|x| T::from_f64(x) * by);
        let a = Args::new::<Lu>(vec![column.to_vec()], vec![], &[("m", 4), ("n", 1)]);
        one(gpu, &Routine::native::<Lu>(), language, a, 0, lu)?;
    }
    let far = T::from_f64(2f64.powi(if T::SIGNIFICAND < 30 { 118 } else { 1000 }));
    for by in [far, T::ONE / far] {
        let column = [3.0, -4.0, 0.0, 12.0].map(|x| T::from_f64(x) * by);
        one(gpu, &Routine::native::<Qr>(), language, sized(column.to_vec(), [4, 1]), 0, qr)?;
    }
    let plain = |x: &[f64]| x.iter().map(|x| T::from_f64(*x)).collect();
    for (x, shape) in [
        (&[3.0, 7.0, 0.0, 5.0][..], [2, 2]),
        (&[0.0; 6], [3, 2]),
        (&[2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0, 4.0], [4, 2]),
        (&[-3.0], [1, 1]),
        (&[2.0, 4.0, 6.0], [1, 3]),
    ] {
        one(gpu, &Routine::native::<Qr>(), language, sized(plain(x), shape), 0, qr)?;
    }
    Ok(())
}

/// Triangles of more rows than a block has, and exchanges of more, of any rows.
fn whole<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>, language: &str, all: &mut [Worst; 7]) -> Done {
    let [factor, _, _, solve, ..] = all;
    // That is how samples of an order are asked for.
    let of = |n: usize| 8 * 131 + n - 97;
    let mut noise = Noise(91);
    for (n, layout) in [(129, 0), (200, 1)] {
        let a: Args<T> = Cholesky::sample(1, of(n), &mut noise);
        assert_eq!(a.size("n"), n);
        one(gpu, &Routine::native::<Cholesky>(), language, a, layout, factor)?;
    }
    let mut a: Args<T> = LuSolve::sample(1, of(201), &mut noise);
    let n = a.size("n");
    // Pivots before their rows, too, and the same ones again.
    a.x[1] =
        (0..n).map(|i| T::from_usize(if i % 3 == 0 { n - 1 } else { noise.bits() as usize % n })).collect();
    one(gpu, &Routine::native::<LuSolve>(), language, a, 0, solve)
}

/// The first pivot that is none is said, once, wherever it is.
fn refusals<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>) -> Done {
    let n = 70;
    let one = |[i, j]: [usize; 2], x: f64| {
        let mut a: Vec<T> = (0..n * n).map(|k| T::from_usize(usize::from(k % n == k / n))).collect();
        a[i * n + j] = T::from_f64(x);
        a
    };
    let mut none: [T; 1] = [T::ZERO];
    let mut said = |after: Done| after.and_then(|()| gpu.download(gpu.upload(&[T::ZERO])?.view(), &mut none));
    let pivot = |op, arg, index| Err(Error::Pivot { op, arg, index });
    // One is 1 - x², and what is behind it is of no use.
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (at, x, index) in [
        ([0, 0], 0.0, 0),
        ([5, 5], -1.0, 5),
        ([31, 31], nan, 31),
        ([32, 3], 1.0, 32),
        ([40, 33], 2.0, 40),
        ([64, 64], inf, 64),
        ([69, 2], nan, 69),
        ([69, 68], -inf, 69),
    ] {
        let mut on = gpu.upload(&one(at, x))?;
        let done = gpu.cholesky(on.view_mut().matrix(n, n)?, ());
        assert_eq!(said(done), pivot("cholesky", "a", index), "{at:?} {x}");
    }
    // Behind the first part.
    let mut far: Vec<T> = (0..140 * 140).map(|k| T::from_usize(usize::from(k % 141 == 0))).collect();
    far[130 * 141] = -T::ONE;
    let mut on = gpu.upload(&far)?;
    let done = gpu.cholesky(on.view_mut().matrix(140, 140)?, ());
    assert_eq!(said(done), pivot("cholesky", "a", 130));
    for (at, x, index) in
        [([0, 0], 0.0, 0), ([31, 31], 0.0, 31), ([69, 69], 0.0, 69), ([40, 33], nan, 33), ([66, 65], inf, 65)]
    {
        let (mut on, mut pivots) = (gpu.upload(&one(at, x))?, gpu.upload(&[0u32; 70])?);
        let done = gpu.lu(on.view_mut().matrix(n, n)?, pivots.view_mut(), ());
        assert_eq!(said(done), pivot("lu", "a", index), "{at:?} {x}");
        let mut kept = vec![T::ONE; n * n];
        gpu.download(on.view(), &mut kept)?;
        // With a pivot of 0 it is complete.
        assert!(x != 0.0 || kept == one(at, x), "{at:?}");
    }
    for zero in [0, 69] {
        let f = gpu.upload(&one([zero, zero], 0.0))?;
        let mut b = gpu.upload(&vec![T::ONE; 2 * n])?;
        let done = gpu.cholesky_solve(f.view().matrix(n, n)?, b.view_mut().matrix(n, 2)?, ());
        assert_eq!(said(done), pivot("cholesky_solve", "l", zero as u32));
        let pivots = gpu.upload(&Vec::from_iter(0..n as u32))?;
        let done = gpu.lu_solve(f.view().matrix(n, n)?, pivots.view(), b.view_mut().matrix(n, 2)?, ());
        assert_eq!(said(done), pivot("lu_solve", "factors", zero as u32));
    }
    let (f, pivots) = (gpu.upload(&one([0, 0], 1.0))?, gpu.upload(&[n as u32; 70])?);
    let mut b = gpu.upload(&vec![T::ONE; n])?;
    let done = gpu.lu_solve(f.view().matrix(n, n)?, pivots.view(), b.view_mut().matrix(n, 1)?, ());
    assert_eq!(said(done), Err(Error::Index { op: "lu_solve", arg: "pivots", index: n as u32 }));
    assert_eq!(said(Ok(())), Ok(()));
    // A column is refused when its reflection meets what is no number; what is right of the last one is not seen.
    let last = |index| pivot("qr", "a", index);
    for (at, x, index) in [([0, 0], nan, 0), ([69, 31], inf, 31), ([40, 33], nan, 33), ([69, 69], -inf, 69)] {
        let (mut on, mut tau) = (gpu.upload(&one(at, x))?, gpu.alloc(n)?);
        assert_eq!(said(gpu.qr(on.view_mut().matrix(n, n)?, tau.view_mut(), ())), last(index), "{at:?} {x}");
    }
    let mut b = gpu.upload(&vec![T::ONE; 2 * n])?;
    for (at, x, index) in [([0, 0], 0.0, 0), ([69, 69], 0.0, 69), ([50, 40], nan, 40)] {
        let (mut on, mut tau) = (gpu.upload(&one(at, x))?, gpu.alloc(n)?);
        let (on, b) = (on.view_mut().matrix(n, n)?, b.view_mut().matrix(n, 2)?);
        let done = gpu.least_squares(on, tau.view_mut(), b, ());
        assert_eq!(said(done), pivot("least_squares", "a", index), "{at:?} {x}");
    }
    // What a CPU refuses before it reads any element.
    let (mut on, mut tau) = (gpu.upload(&[T::ONE; 6])?, gpu.alloc(2)?);
    let tall = fulmen::Error::shape("a", [3, 3], [2, 3]);
    let mut three = gpu.alloc(3)?;
    let done =
        gpu.least_squares(on.view_mut().matrix(2, 3)?, three.view_mut(), tau.view_mut().matrix(2, 1)?, ());
    assert_eq!(done, Err(Error::Call(tall)));
    let len = fulmen::Error::len("tau", 2, 3);
    assert_eq!(gpu.qr(on.view_mut().matrix(2, 3)?, three.view_mut(), ()), Err(Error::Call(len)));
    let done = gpu.qr_apply(false, on.view().matrix(2, 3)?, three.view(), tau.view_mut().matrix(2, 1)?, ());
    assert_eq!(done, Err(Error::Call(len)));
    let rows = fulmen::Error::shape("c", [2, 1], [3, 1]);
    let done = gpu.qr_apply(false, on.view().matrix(2, 3)?, tau.view(), three.view_mut().matrix(3, 1)?, ());
    assert_eq!(done, Err(Error::Call(rows)));
    let rows = fulmen::Error::shape("b", [3, 1], [2, 1]);
    let done = gpu.least_squares(
        on.view_mut().matrix(3, 2)?,
        tau.view_mut(),
        three.view_mut().split(2)?[0].lend().matrix(2, 1)?,
        (),
    );
    assert_eq!(done, Err(Error::Call(rows)));
    let mut on = gpu.upload(&[T::ONE; 6])?;
    let shape = |arg| Err(Error::Call(fulmen::Error::shape(arg, [2, 2], [2, 3])));
    assert_eq!(gpu.cholesky(on.view_mut().matrix(2, 3)?, ()), shape("a"));
    let len = fulmen::Error::len("pivots", 2, 1);
    let mut short = gpu.upload(&[0u32])?;
    assert_eq!(gpu.lu(on.view_mut().matrix(2, 3)?, short.view_mut(), ()), Err(Error::Call(len)));
    Ok(())
}

/// `inverse` of this layout and order, and what it says of a pivot of 0.
fn inverses<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    sizes: &[[usize; 3]],
) -> Result<Worst, Error> {
    let mut worst = Worst { op: "inverse", share: 0.0, got: 0.0, want: 0.0 };
    for [n, cols, layout] in sizes {
        let a: Args<T> = Inverse::sample(*cols, *n, &mut Noise(57 + *n as u64));
        one(gpu, &Routine::native::<Inverse>(), language, a, *layout, &mut worst)?;
    }
    special(gpu, &Routine::native::<Inverse>(), language, &mut worst)?;
    let (mut on, mut pivots) = (gpu.upload(&[T::ONE; 4])?, gpu.upload(&[0u32; 2])?);
    gpu.inverse(on.view_mut().matrix(2, 2)?, pivots.view_mut(), ())?;
    let said = gpu.download(on.view(), &mut [T::ONE; 4]);
    assert_eq!(said, Err(Error::Pivot { op: "lu", arg: "a", index: 1 }));
    let shape = fulmen::Error::shape("a", [2, 2], [2, 1]);
    let done = gpu.inverse(on.view_mut().split(2)?[0].lend().matrix(2, 1)?, pivots.view_mut(), ());
    assert_eq!(done, Err(Error::Call(shape)));
    Ok(worst)
}

/// What is made of factors: determinants, and solutions of symmetric systems.
fn of_factors<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    sizes: &[[usize; 3]],
) -> Result<[Worst; 2], Error> {
    let mut all = ["determinant", "ldlt_solve"].map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 });
    let [det, solve] = &mut all;
    // More rows than a block has threads, and more than are exchanged at once.
    for [n, cols, layout] in sizes.iter().copied().chain([[150, 1, 1]]) {
        let a: Args<T> = Determinant::sample(1, n, &mut Noise(67 + n as u64));
        one(gpu, &Routine::native::<Determinant>(), language, a, layout, det)?;
        let a: Args<T> = LdltSolve::sample(cols, n, &mut Noise(71 + n as u64));
        one(gpu, &Routine::native::<LdltSolve>(), language, a, layout, solve)?;
    }
    special(gpu, &Routine::native::<Determinant>(), language, det)?;
    special(gpu, &Routine::native::<LdltSolve>(), language, solve)?;
    // Of one as factors the exchanges are all that is done, and taken back: in several turns, of which the last is first then.
    let n = 300;
    let one: Vec<T> = (0..n * n).map(|k| if k % (n + 1) == 0 { T::ONE } else { T::ZERO }).collect();
    let to: Vec<u32> = (0..n).map(|i| (i + i * 7 % (n - i)) as u32).collect();
    let b: Vec<T> = (0..n).map(|i| T::from_usize(i + 1)).collect();
    let (on, off, pivots) = (gpu.upload(&one)?, gpu.upload(&vec![T::ZERO; n])?, gpu.upload(&to)?);
    let mut on_b = gpu.upload(&b)?;
    let x = on_b.view_mut().matrix(n, 1)?;
    gpu.ldlt_solve(on.view().matrix(n, n)?, off.view(), pivots.view(), x, ())?;
    let mut x = vec![T::ZERO; n];
    gpu.download(on_b.view(), &mut x)?;
    assert!(x == b, "{language}: exchanges that are taken back");
    // Products on the way leave the range, the result does not; zeros, infinities and NaN.
    let most = if T::SIGNIFICAND < 30 { 100 } else { 900 };
    let far = |e: i32| 2f64.powi(e * most);
    for (d, want) in [
        ([far(1), far(1), far(-1), 3.0 * far(-1)], -3.0),
        ([far(-1), -far(-1), far(1), far(1)], 1.0),
        ([0.0, 2.0, 2.0, 2.0], -0.0),
        ([f64::INFINITY, 1.0, 2.0, -1.0], f64::INFINITY),
        ([f64::INFINITY, 0.0, 2.0, -1.0], f64::NAN),
        ([f64::NAN, 1.0, 2.0, 1.0], f64::NAN),
        ([far(1), far(1), 1.0, 1.0], f64::NEG_INFINITY),
        ([far(-1), far(-1), 1.0, -1.0], 0.0),
    ] {
        let a: Vec<T> = (0..16).map(|k| T::from_f64(if k % 5 == 0 { d[k / 5] } else { f64::NAN })).collect();
        let (on, pivots, mut out) = (gpu.upload(&a)?, gpu.upload(&[1u32, 1, 2, 3])?, gpu.alloc(1)?);
        gpu.determinant(on.view().matrix(4, 4)?, pivots.view(), out.view_mut())?;
        let mut found = [T::ONE];
        gpu.download(out.view(), &mut found)?;
        let found = found[0].to_f64();
        assert!(found == want || found.is_nan() && want.is_nan(), "{d:?}: {found}, not {want}");
    }
    let (f, off, mut b) = (gpu.upload(&[T::ZERO; 4])?, gpu.upload(&[T::ZERO; 2])?, gpu.upload(&[T::ONE; 2])?);
    let (good, bad, mut out) = (gpu.upload(&[0u32, 1])?, gpu.upload(&[0u32, 2])?, gpu.alloc(1)?);
    let fv = f.view().matrix(2, 2)?;
    gpu.ldlt_solve(fv, off.view(), good.view(), b.view_mut().matrix(2, 1)?, ())?;
    let said = gpu.download(b.view(), &mut [T::ONE; 2]);
    assert!(
        (0..2).any(|index| said == Err(Error::Pivot { op: "ldlt_solve", arg: "factors", index })),
        "{said:?}"
    );
    let one = gpu.upload(&[T::ONE; 4])?;
    let fv = one.view().matrix(2, 2)?;
    gpu.ldlt_solve(fv, off.view(), bad.view(), b.view_mut().matrix(2, 1)?, ())?;
    let said = gpu.download(b.view(), &mut [T::ONE; 2]);
    assert_eq!(said, Err(Error::Index { op: "ldlt_solve", arg: "pivots", index: 2 }));
    gpu.determinant(fv, bad.view(), out.view_mut())?;
    let said = gpu.download(out.view(), &mut [T::ONE; 1]);
    assert_eq!(said, Err(Error::Index { op: "determinant", arg: "pivots", index: 2 }));
    let len = |arg, expected, got| Err(Error::Call(fulmen::Error::len(arg, expected, got)));
    assert_eq!(gpu.determinant(fv, bad.view(), b.view_mut()), len("out", 1, 2));
    assert_eq!(gpu.ldlt_solve(fv, out.view(), good.view(), b.view_mut().matrix(2, 1)?, ()), len("off", 2, 1));
    Ok(all)
}

/// The ops, also of `far` rows.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    far: &[usize],
) -> Result<Vec<Worst>, Error> {
    let mut all = ["cholesky", "cholesky_solve", "lu", "lu_solve", "qr", "qr_apply", "least_squares"]
        .map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 });
    let sizes = [[1, 1, 0], [2, 3, 1], [31, 1, 2], [32, 2, 0], [33, 1, 1], [66, 2, 2]];
    let far = far.iter().take(1).map(|n| [*n, 1, n % 3]);
    let sizes: Vec<_> = sizes.into_iter().chain(far).collect();
    for size in &sizes {
        run::<T, D>(gpu, language, *size, &mut all)?;
    }
    super::batches::story::<T, D>(gpu, language, &mut all)?;
    let [factor, solve, lu, lu_solve, qr, apply, least] = &mut all;
    special(gpu, &Routine::native::<Cholesky>(), language, factor)?;
    special(gpu, &Routine::native::<CholeskySolve>(), language, solve)?;
    special(gpu, &Routine::native::<Lu>(), language, lu)?;
    special(gpu, &Routine::native::<LuSolve>(), language, lu_solve)?;
    special(gpu, &Routine::native::<Qr>(), language, qr)?;
    special(gpu, &Routine::native::<QrApply>(), language, apply)?;
    special(gpu, &Routine::native::<LeastSquares>(), language, least)?;
    narrow(gpu, language, &mut all)?;
    whole(gpu, language, &mut all)?;
    refusals::<T, D>(gpu)?;
    let inverse = inverses::<T, D>(gpu, language, &sizes)?;
    let others = of_factors::<T, D>(gpu, language, &sizes)?;
    Ok(all.into_iter().chain([inverse]).chain(others).collect())
}
