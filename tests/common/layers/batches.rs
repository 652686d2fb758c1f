//! Many small systems on a device: every number of threads and registers, all layouts, and what is refused.

use super::Done;
use super::transforms::check_from;
use crate::device::{Worst, specials};
use crate::nn::solvers::{Cholesky, CholeskySolve, Lu, LuSolve, columns};
use crate::nn::{Args, Noise, Routine};
use fulmen::gpu::backend::{Array, Batch, BatchMut, Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};

/// Matrices in one array, between them NaN.
pub struct All<T> {
    data: Vec<T>,
    sizes: [usize; 3],
    strides: [usize; 3],
}

impl<T: Scalar> All<T> {
    pub fn new(of: &[Vec<T>], [n, cols]: [usize; 2], layout: usize) -> Self {
        let (sizes, gap) = ([of.len(), n, cols], [0, 3, 2, 0][layout % 4]);
        let strides = match layout % 3 {
            1 => [(n + gap) * cols + gap, 1, n + gap],
            _ => [n * (cols + gap) + 2 * gap, cols + gap, 1],
        };
        let mut all = Self { data: vec![T::from_f64(f64::NAN); of.len() * strides[0]], sizes, strides };
        for (i, x) in of.iter().enumerate() {
            (0..x.len()).for_each(|k| {
                let at = all.at(i, k);
                all.data[at] = x[k];
            });
        }
        all
    }
    fn at(&self, i: usize, k: usize) -> usize {
        let cols = self.sizes[2];
        [i, k / cols, k % cols].iter().zip(self.strides).map(|(i, by)| i * by).sum()
    }
    fn read<'a, D: Device>(&self, on: &'a Array<T, D>) -> Result<Batch<'a, T, D>, Error> {
        Batch::strided(on.view(), self.sizes, self.strides)
    }
    /// By an op in place; nothing between the matrices was written.
    pub fn over<D: Computes<T> + Blocking>(
        &self,
        gpu: &Gpu<D>,
        f: impl FnOnce(BatchMut<'_, T, D>) -> Done,
    ) -> Result<Vec<Vec<T>>, Error> {
        let mut on = gpu.upload(&self.data)?;
        f(BatchMut::strided(on.view_mut(), self.sizes, self.strides)?)?;
        let mut after = self.data.clone();
        gpu.download(on.view(), &mut after)?;
        let [count, n, cols] = self.sizes;
        let places: Vec<Vec<_>> =
            (0..count).map(|i| (0..n * cols).map(|k| self.at(i, k)).collect()).collect();
        for at in (0..after.len()).filter(|at| !places.iter().flatten().any(|p| p == at)) {
            assert!(after[at].to_f64().is_nan(), "element {at} of {:?} was written", self.sizes);
        }
        Ok(places.iter().map(|p| p.iter().map(|at| after[*at]).collect()).collect())
    }
}

fn input<T: Scalar>(of: &[Args<T>], which: usize) -> Vec<Vec<T>> {
    of.iter().map(|a| a.x[which].clone()).collect()
}

fn words<T: Scalar>(of: &[Args<T>]) -> Vec<u32> {
    of.iter().flat_map(|a| a.x[1].iter().map(|p| p.to_f64() as u32)).collect()
}

/// The batched form of an op of these arguments, of one size, in this layout: each of its results for each matrix.
fn outputs<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &str,
    of: &[Args<T>],
    layout: usize,
) -> Result<Vec<Vec<Vec<T>>>, Error> {
    let n = of[0].size("n");
    let all = |k: usize| All::new(&input(of, k), [n, columns(of[0].x[k].len(), n)], layout + k);
    let a = all(0);
    let (on, mut pivots) = (gpu.upload(&a.data)?, gpu.upload(&vec![u32::MAX; of.len() * n])?);
    Ok(match op {
        "cholesky" => vec![a.over(gpu, |a| gpu.cholesky_batched(a))?],
        "cholesky_solve" => vec![all(1).over(gpu, |b| gpu.cholesky_solve_batched(a.read(&on)?, b))?],
        "lu" => {
            let factors = a.over(gpu, |a| gpu.lu_batched(a, pivots.view_mut()))?;
            let mut found = vec![0; of.len() * n];
            gpu.download(pivots.view(), &mut found)?;
            let numbers = |p: &[u32]| p.iter().map(|p| T::from_usize(*p as usize)).collect();
            vec![factors, found.chunks(n).map(numbers).collect()]
        }
        _ => {
            let pivots = gpu.upload(&words(of))?;
            vec![all(2).over(gpu, |b| gpu.lu_solve_batched(a.read(&on)?, pivots.view(), b))?]
        }
    })
}

/// An op of so many matrices against its reference, and with special values; what it does not read of a matrix is NaN.
fn one<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    [count, n, rows, layout]: [usize; 4],
    r: &mut Noise,
    worst: &mut Worst,
) -> Done {
    let mut all: Vec<Args<T>> = (0..count).map(|_| (op.sample)(rows, n, r)).collect();
    let clean = all[0].clone();
    for a in &mut all {
        let hidden: Vec<usize> = (0..n * n).filter(|at| (op.unread)(a, 0, *at)).collect();
        hidden.into_iter().for_each(|at| a.x[0][at] = T::from_f64(f64::NAN));
    }
    for (k, got) in outputs(gpu, op.name, &all, layout)?.iter().enumerate() {
        let want = |a: &Args<T>| (op.want)(&a.wide()).remove(k);
        got.iter().zip(&all).for_each(|(got, a)| check_from(worst, language, got, &want(a), 0.0));
    }
    if n > 9 {
        return Ok(());
    }
    specials::poked(op, language, &clean, worst, &|a| {
        // What is wrong with one matrix is nothing to its neighbours.
        let of = [clean.clone(), a.clone(), clean.clone()];
        let ran = outputs(gpu, op.name, &of, layout).map_err(|e| match e {
            Error::Pivot { op, arg, index } => Error::Pivot { op, arg, index: index % n as u32 },
            other => other,
        })?;
        assert!(ran.iter().all(|of| of[0] == of[2]), "{}: {a:?}", op.name);
        Ok(ran.into_iter().map(|mut of| of.swap_remove(1)).collect())
    })
}

fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    [count, n, cols, layout]: [usize; 4],
    [factor, solve, lu, lu_solve]: [&mut Worst; 4],
) -> Done {
    let r = &mut Noise(17 + n as u64);
    one(gpu, &Routine::native::<Cholesky>(), language, [count, n, 1, layout], r, factor)?;
    one(gpu, &Routine::native::<CholeskySolve>(), language, [count, n, cols, layout], r, solve)?;
    one(gpu, &Routine::native::<Lu>(), language, [count, n, 1, layout + 1], r, lu)?;
    one(gpu, &Routine::native::<LuSolve>(), language, [count, n, cols, layout], r, lu_solve)
}

/// One of the first pivots that are none is said, among the rows of all; the other matrices are not the worse for it.
fn refusals<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>) -> Done {
    let n = 9;
    let one = |at: [usize; 3], x: f64| {
        let k = at[0] * n * n + at[1] * n + at[2];
        let mut a: Vec<T> =
            (0..5 * n * n).map(|k| T::from_usize(usize::from(k % (n * n) % (n + 1) == 0))).collect();
        a[k] = T::from_f64(x);
        a
    };
    let (sizes, by) = ([5, n, n], [n * n, n, 1]);
    let mut none: [T; 1] = [T::ZERO];
    let mut said = |after: Done| after.and_then(|()| gpu.download(gpu.upload(&[T::ZERO])?.view(), &mut none));
    // A device of short kernels takes one matrix after the other, which says its own row.
    let alone = gpu.device().facts().short;
    let pivot = |done: Done, op, arg, index| {
        let index = if alone { index % n as u32 } else { index };
        assert_eq!(done, Err(Error::Pivot { op, arg, index }), "{op}");
    };
    for (at, x, index) in [([0, 0, 0], 0.0, 0), ([3, 4, 2], f64::NAN, 31), ([4, 8, 8], -1.0, 44)] {
        let mut on = gpu.upload(&one(at, x))?;
        let done = gpu.cholesky_batched(BatchMut::strided(on.view_mut(), sizes, by)?);
        pivot(said(done), "cholesky", "a", index);
    }
    for (at, x, index) in [([1, 0, 0], 0.0, 9), ([3, 4, 2], f64::INFINITY, 29), ([4, 8, 8], 0.0, 44)] {
        let (mut on, mut pivots) = (gpu.upload(&one(at, x))?, gpu.alloc(5 * n)?);
        let done = gpu.lu_batched(BatchMut::strided(on.view_mut(), sizes, by)?, pivots.view_mut());
        pivot(said(done), "lu", "a", index);
        let mut after = vec![T::ONE; 5 * n * n];
        gpu.download(on.view(), &mut after)?;
        // With a pivot of 0 it is complete, and so are the others.
        let own = at[0] * n * n..(at[0] + 1) * n * n;
        let clean = one([0, 0, 0], 1.0);
        assert!(
            (0..after.len())
                .all(|k| (x != 0.0 && own.contains(&k)) || after[k] == one(at, x)[k] || after[k] == clean[k])
        );
        let pivots = gpu.upload(&vec![0..n as u32; 5].into_iter().flatten().collect::<Vec<_>>())?;
        let mut b = gpu.upload(&vec![T::ONE; 5 * n])?;
        let f = gpu.upload(&one([4, 8, 8], 0.0))?;
        let f = Batch::strided(f.view(), sizes, by)?;
        let (rhs, by) = ([5, n, 1], [n, 1, 1]);
        let done = gpu.cholesky_solve_batched(f, BatchMut::strided(b.view_mut(), rhs, by)?);
        pivot(said(done), "cholesky_solve", "l", 44);
        let done = gpu.lu_solve_batched(f, pivots.view(), BatchMut::strided(b.view_mut(), rhs, by)?);
        pivot(said(done), "lu_solve", "factors", 44);
    }
    let f = gpu.upload(&one([0, 0, 0], 1.0))?;
    let f = Batch::strided(f.view(), sizes, by)?;
    let mut bad: Vec<u32> = (0..5 * n as u32).map(|k| k % n as u32).collect();
    bad[40] = n as u32;
    let pivots = gpu.upload(&bad)?;
    let mut b = gpu.upload(&vec![T::ONE; 5 * n])?;
    let done = gpu.lu_solve_batched(f, pivots.view(), BatchMut::strided(b.view_mut(), [5, n, 1], [n, 1, 1])?);
    assert_eq!(said(done), Err(Error::Index { op: "lu_solve", arg: "pivots", index: n as u32 }));
    let call = |e| Err(Error::Call(e));
    let len = |arg, expected, got| call(fulmen::Error::len(arg, expected, got));
    let (short, mut x) = (gpu.upload(&[0u32])?, gpu.alloc::<T>(12)?);
    let done = gpu.lu_solve_batched(f, short.view(), BatchMut::strided(b.view_mut(), [5, n, 1], [n, 1, 1])?);
    assert_eq!(done, len("pivots", 45, 1));
    let done = gpu.cholesky_solve_batched(f, BatchMut::strided(b.view_mut(), [4, n, 1], [n, 1, 1])?);
    assert_eq!(done, len("b", 5, 4));
    let wide = BatchMut::strided(x.view_mut(), [2, 2, 3], [6, 3, 1])?;
    let shape = fulmen::Error::shape("a", [2, 2], [2, 3]);
    assert_eq!(gpu.cholesky_batched(wide), call(shape));
    let overlap = call(fulmen::Error::overlap("data"));
    let outside = call(fulmen::Error::out_of_bounds("data", 12));
    for (by, want) in
        [([3, 2, 1], &overlap), ([4, 1, 1], &overlap), ([5, 1, 2], &Ok(())), ([9, 2, 1], &outside)]
    {
        let made = BatchMut::strided(x.view_mut(), [2, 2, 2], by).map(|_| ());
        assert_eq!(&made, want, "{by:?}");
    }
    assert!(matches!(Batch::strided(x.view(), [3, 3, 3], [usize::MAX, 1, 1]), Err(Error::Call(_))));
    // Of nothing, however many.
    gpu.cholesky_batched(BatchMut::strided(x.view_mut(), [0, 4, 4], [9, 9, 9])?)?;
    gpu.lu_batched(BatchMut::strided(x.view_mut(), [4, 0, 0], [9, 9, 9])?, gpu.alloc(0)?.view_mut())
}

/// The ops on batches.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    all: &mut [Worst; 7],
) -> Done {
    let [factor, solve, lu, lu_solve, ..] = all;
    let sizes = [
        [9, 1, 1, 0],
        [17, 7, 5, 1],
        [3, 16, 1, 2],
        [5, 20, 2, 3],
        [3, 32, 4, 1],
        [1, 33, 1, 2],
        [2, 64, 3, 0],
    ];
    for size in sizes.into_iter().chain([[2, 66, 1, 0]]) {
        run::<T, D>(gpu, language, size, [factor, solve, lu, lu_solve])?;
    }
    refusals::<T, D>(gpu)
}
