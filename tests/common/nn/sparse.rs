//! Sparse matrices.

use super::solvers::indices;
use super::*;
use fulmen::{Csr, Diagonal, MatMut, MatRef, Triangle};

pub mod ends;
pub mod formed;

#[macro_export]
macro_rules! for_each_sparse_op {
    ($cb:ident) => {
        $cb! {
            spmv $crate::nn::sparse::Spmv, threads;
            spmm $crate::nn::sparse::Spmm, threads;
            cg $crate::nn::sparse::Gradients;
            ilu0 $crate::nn::sparse::Ilu;
            spsv $crate::nn::sparse::Spsv;
            spmv_transposed $crate::nn::sparse::SpmvTransposed, threads;
            coo_to_csr $crate::nn::sparse::formed::Coordinates;
            csr_transpose $crate::nn::sparse::formed::Transposed;
            spgemm $crate::nn::sparse::formed::Product;
            spadd $crate::nn::sparse::formed::Sum;
            sddmm $crate::nn::sparse::formed::Sampled;
            ic0 $crate::nn::sparse::formed::Factor;
            gauss_seidel $crate::nn::sparse::formed::Sweep;
            gmres $crate::nn::sparse::formed::Residuals;
            bicgstab $crate::nn::sparse::formed::Stabilised;
            lobpcg $crate::nn::sparse::ends::Ends;
        }
    };
}

/// Ascending columns of each of `rows` rows, about `most` of `cols`, and where each row begins.
pub fn pattern(rows: usize, cols: usize, most: usize, r: &mut Noise) -> (Vec<usize>, Vec<u32>) {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for _ in 0..rows {
        // Some rows have nothing.
        let n = r.bits() as usize % (most + 1);
        let mut row: Vec<u32> = (0..n).map(|_| (r.bits() as usize % cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}

/// Rows, and what says where elements are, and the elements, as arguments.
fn sampled<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> (usize, Vec<Vec<T>>) {
    let rows = if cols > 1000 { 300 + rows } else { (7 * rows).min(400) };
    let (offsets, columns) = pattern(rows, cols, 2 + cols.min(600), r);
    let values = r.slice(columns.len(), 2.0);
    let columns = columns.iter().map(|c| T::from_usize(*c as usize)).collect();
    (rows, vec![offsets.iter().map(|x| T::from_usize(*x)).collect(), columns, values])
}

/// Those, with what is multiplied and what is written.
fn arguments<T: Element, O: Op>(
    matrix: Vec<Vec<T>>,
    x: Vec<T>,
    y: Vec<T>,
    sizes: &[(&str, usize)],
) -> Args<T> {
    let beta = if x.len().is_multiple_of(4) { 0.0 } else { -0.75 };
    Args::new::<O>([matrix, vec![x, y]].concat(), vec![T::from_f64(1.5), T::from_f64(beta)], sizes)
}

/// The call with the matrix that the arguments describe, if they do.
fn with<T: Element>(
    a: &Args<T>,
    f: impl FnOnce(Csr<'_, T>) -> Result<(), fulmen::Error>,
) -> Result<(), fulmen::Error> {
    let (offsets, n) = indices(&a.x[0]);
    let rows = a.get("rows").unwrap_or(n.saturating_sub(1));
    Csr::new(rows, a.size("cols"), &offsets[..n], &a.ids, &a.x[2]).and_then(f)
}

/// Every element with its row and column.
fn elements(a: &Args<f64>) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    let rows = (0..a.x[0].len().saturating_sub(1)).map(|i| (i, a.x[0][i] as usize..a.x[0][i + 1] as usize));
    rows.flat_map(move |(i, row)| row.map(move |k| (i, a.x[1][k] as usize, a.x[2][k])))
}

/// `βy`, and what is added to it: for each element of the matrix where in `y`, and what of `x`.
fn products(a: &Args<f64>, terms: impl Fn(usize, usize) -> Vec<(usize, usize)>) -> Vec<Vec<Want>> {
    let [alpha, beta] = [a.p[0], a.p[1]];
    let old = |y: f64| if beta == 0.0 { 0.0 } else { beta * y };
    let mut wants: Vec<Want> =
        a.x[4].iter().map(|y| Want { value: old(*y), mass: old(*y).abs(), n: 0 }).collect();
    for (i, j, v) in elements(a).filter(|_| alpha != 0.0) {
        for (to, from) in terms(i, j) {
            let (want, term) = (&mut wants[to], alpha * v * a.x[3][from]);
            (want.value, want.mass, want.n) = (want.value + term, want.mass + term.abs(), want.n + 1);
        }
    }
    vec![wants]
}

/// What is the same of every product: indices are whole numbers, and the last argument is written.
macro_rules! product {
    () => {
        const IDS: Option<usize> = Some(1);
        const STARTS: Option<usize> = Some(0);
        fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
            vec![a.x[4].clone()]
        }
    };
}

pub struct Spmv;
impl Op for Spmv {
    const NAME: &'static str = "spmv";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        arguments::<T, Self>(matrix, r.slice(cols, 2.0), r.slice(rows, 2.0), &[("cols", cols)])
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out)),
        parallel with(a, |m| fulmen::parallel::spmv_on(s, a.p[0], m, &a.x[3], a.p[1], out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        products(a, |i, j| vec![(i, j)])
    }
}

pub struct SpmvTransposed;
impl Op for SpmvTransposed {
    const NAME: &'static str = "spmv_transposed";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        arguments::<T, Self>(matrix, r.slice(rows, 2.0), r.slice(cols, 2.0), &[("cols", cols)])
    }
    fn open<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        a.p[0].to_f64().is_infinite() && !a.ids.contains(&(at as u32))
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out)),
        parallel with(a, |m| fulmen::parallel::spmv_transposed_on(s, a.p[0], m, &a.x[3], a.p[1], out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        products(a, |i, j| vec![(j, i)])
    }
}

pub struct Spmm;
impl Op for Spmm {
    const NAME: &'static str = "spmm";
    product!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (rows, matrix) = sampled(rows, cols, r);
        // Around both tiles, and their rests.
        let n = [1, 7, 8, 9, 31, 32, 33, 43, 75][r.bits() as usize % 9].min(2000usize.div_ceil(cols));
        let (x, y) = (r.slice(cols * n, 2.0), r.slice(rows * n, 2.0));
        arguments::<T, Self>(matrix, x, y, &[("cols", cols), ("n", n)])
    }
    called! {
        |s, a, [out], _| {
            let n = a.size("n");
            with(a, |m| {
                let [p, q] = [a.x[3].len(), out.len()].map(|len| len.checked_div(n).unwrap_or(0));
                let y = MatMut::row_major(out, q, n)?;
                fulmen::spmm_on(s, a.p[0], m, MatRef::row_major(&a.x[3], p, n)?, a.p[1], y)
            })
        },
        parallel {
            let n = a.size("n");
            with(a, |m| {
                let [p, q] = [a.x[3].len(), out.len()].map(|len| len.checked_div(n).unwrap_or(0));
                let y = MatMut::row_major(out, q, n)?;
                fulmen::parallel::spmm_on(s, a.p[0], m, MatRef::row_major(&a.x[3], p, n)?, a.p[1], y)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        products(a, |i, j| (0..n).map(|k| (i * n + k, j * n + k)).collect())
    }
}

/// A matrix whose diagonal outweighs its rows, about `most` elements each: where rows begin, columns, and elements, which are
/// those of a symmetric matrix with a positive diagonal, or of another one.
pub fn system(n: usize, most: usize, symmetric: bool, r: &mut Noise) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let (offsets, columns) = pattern(n, n.max(1), most.div_ceil(2), r);
    let mut rows = vec![std::collections::BTreeMap::new(); n];
    for (i, at) in offsets.windows(2).enumerate() {
        for j in columns[at[0]..at[1]].iter().map(|c| *c as usize).filter(|j| *j != i) {
            let x = r.slice::<f64>(2, 0.5 / most as f64);
            rows[i].insert(j, x[0]);
            rows[j].insert(i, if symmetric { x[0] } else { x[1] });
        }
    }
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for (i, mut row) in rows.into_iter().enumerate() {
        let sum: f64 = row.values().map(|x| x.abs()).sum();
        row.insert(i, if symmetric || i % 3 > 0 { 0.5 + sum } else { -0.5 - sum });
        columns.extend(row.keys().map(|j| *j as u32));
        values.extend(row.into_values());
        offsets.push(columns.len());
    }
    (offsets, columns, values)
}

/// The offsets, columns and elements of a system of an order for these numbers of rows and columns.
fn square<T: Element>(rows: usize, cols: usize, symmetric: bool, r: &mut Noise) -> (usize, Vec<Vec<T>>) {
    let n = super::solvers::order(cols);
    let (offsets, columns, values) = system(n, 2 * rows + cols % 21, symmetric, r);
    let numbers = |x: Vec<f64>| x.into_iter().map(T::from_f64).collect::<Vec<T>>();
    let whole = |x: Vec<usize>| x.into_iter().map(T::from_usize).collect();
    (n, vec![whole(offsets), whole(columns.iter().map(|c| *c as usize).collect()), numbers(values)])
}

/// `LU` without what fills in.
fn incomplete(a: &Args<f64>) -> Vec<f64> {
    let n = a.x[0].len() - 1;
    let at: std::collections::HashMap<(usize, usize), usize> =
        elements(a).enumerate().map(|(k, (i, j, _))| ((i, j), k)).collect();
    let mut f = a.x[2].clone();
    for i in 0..n {
        for k in 0..i {
            let Some(&ik) = at.get(&(i, k)) else { continue };
            f[ik] /= f[at[&(k, k)]];
            for j in k + 1..n {
                if let (Some(&ij), Some(&kj)) = (at.get(&(i, j)), at.get(&(k, j))) {
                    f[ij] -= f[ik] * f[kj];
                }
            }
        }
    }
    f
}

pub struct Spsv;
impl Spsv {
    fn words<T: Element>(a: &Args<T>) -> (Triangle, Diagonal) {
        (
            if a.get("upper").is_some() { Triangle::Upper } else { Triangle::Lower },
            if a.get("unit").is_some() { Diagonal::Unit } else { Diagonal::NonUnit },
        )
    }
    /// Whether the element is of the triangle.
    fn reads<T: Element>(a: &Args<T>, i: usize, j: usize) -> bool {
        match Self::words(a) {
            (_, Diagonal::Unit) if i == j => false,
            (Triangle::Upper, _) => j >= i,
            (Triangle::Lower, _) => j <= i,
        }
    }
}
impl Op for Spsv {
    const NAME: &'static str = "spsv";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        let other = |a: &Args<f64>| elements(a).nth(at).is_none_or(|(i, j, _)| !Self::reads(a, i, j));
        input == 2 && other(&a.wide())
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, mut x) = square(rows, cols, false, r);
        x.push(r.slice(n, 2.0));
        let words = [("cols", n), ("upper", 1), ("unit", 1)];
        let mut a = Args::new::<Self>(x, vec![], &words);
        let drop = [cols.is_multiple_of(2), (rows + cols).is_multiple_of(3)];
        a.n.retain(|(name, _)| !(name == "upper" && drop[0] || name == "unit" && drop[1]));
        a
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[3].clone()]
    }
    called! {
        |s, a, [out], _| {
            let (triangle, diagonal) = Self::words(a);
            with(a, |m| fulmen::spsv_on(s, triangle, diagonal, m, out))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, mut x) = (a.x[3].len(), a.x[3].clone());
        let upper = a.get("upper").is_some();
        for i in (0..n).map(|i| if upper { n - 1 - i } else { i }) {
            let mut divisor = 1.0;
            for (_, j, v) in elements(a).filter(|(row, j, _)| *row == i && Self::reads(a, i, *j)) {
                if i == j { divisor = v } else { x[i] -= v * x[j] }
            }
            x[i] /= divisor;
        }
        vec![super::solvers::wants(x, n)]
    }
}

pub struct Ilu;
impl Op for Ilu {
    const NAME: &'static str = "ilu0";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, x) = square(rows, cols, false, r);
        Args::new::<Self>(x, vec![], &[("cols", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[2].len())]
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::ilu0_on(s, m, out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        vec![super::solvers::wants(incomplete(a), a.x[0].len())]
    }
}

pub struct Gradients;
impl Op for Gradients {
    const NAME: &'static str = "cg";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, _: usize) -> bool {
        input == 3 && a.get("alone").is_some()
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, mut x) = square(rows, cols, true, r);
        let a = Args::new::<Self>(x.clone(), vec![], &[("cols", n)]);
        x.push(incomplete(&a.wide()).into_iter().map(T::from_f64).collect());
        x.extend([r.slice(n, 2.0), r.slice(n, 2.0)]);
        let tolerance = if size_of::<T>() == 4 { 4e-7 } else { 1e-15 };
        let mut a = Args::new::<Self>(
            x,
            vec![T::from_f64(tolerance)],
            &[("cols", n), ("most", 40 + n), ("alone", 1)],
        );
        // Every third without a preconditioner.
        a.n.retain(|(name, _)| name != "alone" || (rows + cols).is_multiple_of(3));
        a
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[5].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::cg_workspace(a.x[0].len().saturating_sub(1))
    }
    called! {
        |s, a, [out], w| {
            let (offsets, n) = indices(&a.x[0]);
            let lu = Csr::new(n.saturating_sub(1), a.size("cols"), &offsets[..n], &a.ids, &a.x[3]);
            let lu = if a.get("alone").is_some() { None } else { Some(lu) };
            with(a, |m| fulmen::cg_on(s, m, lu.transpose()?, &a.x[4], out, a.p[0], a.size("most"), w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        // By elimination: the diagonal outweighs its row.
        let (n, mut b) = (a.x[4].len(), a.x[4].clone());
        let mut m = vec![0.0; n * n];
        elements(a).for_each(|(i, j, v)| m[i * n + j] = v);
        super::solvers::cholesky(&mut m, n);
        super::solvers::cholesky_solve(&m, n, 1, &mut b);
        vec![super::solvers::wants(b, n)]
    }
}
