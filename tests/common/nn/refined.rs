//! Solutions by factors in `f32`.

use super::solvers::{bounded, cholesky, cholesky_solve, columns, dominated, lu, lu_solve, places, wants};
use super::*;
use fulmen::{MatMut, MatRef};

/// The order of the largest matrix, whose factors and scratch stand on the stack: nobody allocates in a call.
const ORDER: usize = 40;
type Narrow = [f32; 12000];

fn narrow<T: Element>(x: &[T]) -> ([f32; ORDER * ORDER], usize) {
    let mut to = [0.0; ORDER * ORDER];
    to.iter_mut().zip(x).for_each(|(to, x)| *to = x.to_f64() as f32);
    (to, x.len().min(ORDER * ORDER))
}

/// A system, what its matrix is in `f32`, and the numbers of steps that are enough.
fn sampled<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> (usize, Vec<T>, Vec<f64>, Vec<T>) {
    let n = cols.min(5 + cols % (ORDER - 4));
    let mut a = dominated::<T>(n, r);
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
    let small = a.iter().map(|x| f64::from(x.to_f64() as f32)).collect();
    (n, a, small, r.slice(n * rows.min(3), 2.0))
}

fn rows<T: Element>(a: &Args<T>) -> usize {
    a.get("rows").unwrap_or(a.size("n"))
}

/// Of `cols` columns, if there are as many elements.
fn wide<T>(x: &[T], n: usize) -> Result<MatRef<'_, T>, Error> {
    MatRef::row_major(x, n, x.len().checked_div(n).unwrap_or(0))
}

macro_rules! refined {
    ($name:literal, $right:literal, $workspace:path) => {
        const NAME: &'static str = $name;
        const REFUSES_NAN: bool = true;
        fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
            vec![stale(a.x[$right].len())]
        }
        fn workspace<T: Element>(a: &Args<T>) -> usize {
            let n = bounded(a.size("n"));
            $workspace(n, columns(a.x[$right].len(), n))[0]
        }
    };
}

pub struct LuRefine;
impl Op for LuRefine {
    refined!("lu_refine", 3, fulmen::lu_refine_workspace);
    const IDS: Option<usize> = Some(2);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, a, mut f, b) = sampled(rows, cols, r);
        let pivots = lu(&mut f, n, n).into_iter().map(T::from_usize).collect();
        let f = f.into_iter().map(T::from_f64).collect();
        Args::new::<Self>(vec![a, f, pivots, b], vec![], &[("n", n), ("most", 20)])
    }
    called! {
        |s, a, [out], w| {
            let (f, len) = narrow(&a.x[1]);
            let (p, count) = places(&a.x[2]);
            let (rows, n, mut small): (_, _, Narrow) = (rows(a), a.size("n"), [f32::NAN; 12000]);
            let cols = columns(out.len(), rows);
            let needed = fulmen::lu_refine_workspace(n, cols)[1].min(small.len());
            let small = &mut small[..a.get("narrow").unwrap_or(needed)];
            let most = a.size("most");
            wide(&a.x[0], n).and_then(|m| {
                let (f, b) = (wide(&f[..len], n)?, MatRef::row_major(&a.x[3], rows, cols)?);
                let x = MatMut::row_major(out, rows, cols)?;
                fulmen::lu_refine_on(s, m, f, &p[..count], b, x, most, w, small).map(drop)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let (mut f, mut b) = (a.x[0].clone(), a.x[3].clone());
        let pivots = lu(&mut f, n, n);
        lu_solve(&f, &pivots, n, columns(b.len(), n), &mut b);
        vec![wants(b, n)]
    }
}

pub struct CholeskyRefine;
impl Op for CholeskyRefine {
    refined!("cholesky_refine", 2, fulmen::cholesky_refine_workspace);
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let n = a.size("n");
        input < 2 && at % n > at / n
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, a, mut l, b) = sampled(rows, cols, r);
        cholesky(&mut l, n);
        let l = l.into_iter().map(T::from_f64).collect();
        Args::new::<Self>(vec![a, l, b], vec![], &[("n", n), ("most", 20)])
    }
    called! {
        |s, a, [out], w| {
            let (l, len) = narrow(&a.x[1]);
            let (rows, n, mut small): (_, _, Narrow) = (rows(a), a.size("n"), [f32::NAN; 12000]);
            let cols = columns(out.len(), rows);
            let needed = fulmen::cholesky_refine_workspace(n, cols)[1].min(small.len());
            let small = &mut small[..a.get("narrow").unwrap_or(needed)];
            let most = a.size("most");
            wide(&a.x[0], n).and_then(|m| {
                let (l, b) = (wide(&l[..len], n)?, MatRef::row_major(&a.x[2], rows, cols)?);
                let x = MatMut::row_major(out, rows, cols)?;
                fulmen::cholesky_refine_on(s, m, l, b, x, most, w, small).map(drop)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let (mut l, mut b) = (a.x[0].clone(), a.x[2].clone());
        cholesky(&mut l, n);
        cholesky_solve(&l, n, columns(b.len(), n), &mut b);
        vec![wants(b, n)]
    }
}
