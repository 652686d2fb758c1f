//! Sparse matrices that are made of others: their pattern is an output, too.

use super::super::solvers::{bounded, indices};
use super::super::*;
use super::{elements, incomplete, pattern, square, with};
use fulmen::{Csr, MatRef, Triangle};
use std::collections::BTreeMap;

/// The most elements of a matrix here: calls allocate nothing, so what they are given lies in arrays.
const ELEMENTS: usize = 4096;

/// Indices as the integers of columns, in memory of its own.
fn narrow<T: Element>(x: &[T]) -> ([u32; ELEMENTS], usize) {
    assert!(x.len() <= ELEMENTS, "this test's arrays hold {ELEMENTS} elements, not {}", x.len());
    let mut to = [0; ELEMENTS];
    for (to, x) in to.iter_mut().zip(x) {
        *to = x.to_f64() as u32;
    }
    (to, x.len())
}

/// At most `rows` rows, so many that matrices of up to `each` elements a row stay within [`ELEMENTS`].
fn held(rows: usize, each: usize) -> usize {
    rows.min((ELEMENTS - 9) / each.max(1))
}

/// Where each row of `x` begins, its columns and its values, written by `f`, as numbers.
fn written<T: Element>(
    out: &mut [&mut [T]],
    f: impl FnOnce(&mut [usize], &mut [u32], &mut [T]) -> Result<(), Error>,
) -> Result<(), Error> {
    let [offsets, columns, values] = out else { return Ok(()) };
    let (mut starts, n) = indices(offsets);
    let (mut to, m) = narrow(columns);
    f(&mut starts[..n], &mut to[..m], values)?;
    offsets.iter_mut().zip(starts).for_each(|(to, x)| *to = T::from_usize(x));
    // What the op leaves as it is holds no column.
    let len = starts[..n].last().copied().unwrap_or(0);
    columns.iter_mut().zip(to).take(len).for_each(|(to, x)| *to = T::from_usize(x as usize));
    Ok(())
}

/// Room behind what is made.
fn spare<T: Element>(a: &Args<T>) -> usize {
    a.get("spare").unwrap_or(0).min(9)
}

/// The outputs of so many rows and elements.
fn before<T: Element>(a: &Args<T>, rows: usize, len: usize) -> Vec<Vec<T>> {
    let of = |k: usize| a.get(&format!("out{k}")).unwrap_or(len + spare(a)).min(ELEMENTS);
    vec![stale(bounded(rows) + 1), stale(of(1)), stale(of(2))]
}

/// Rows of elements with what they add: as outputs.
fn formed(rows: &[BTreeMap<usize, Vec<f64>>], a: &Args<f64>) -> Vec<Vec<Want>> {
    let exact = |x: f64| Want { value: x, mass: 0.0, n: 0 };
    let (mut offsets, mut columns, mut values) = (vec![exact(0.0)], vec![], vec![]);
    for row in rows {
        for (c, terms) in row {
            columns.push(exact(*c as f64));
            // A number that is alone keeps its sign.
            let sum = terms.iter().copied().reduce(|x, y| x + y).unwrap();
            values.push(Want { value: sum, mass: terms.iter().map(|x| x.abs()).sum(), n: terms.len() });
        }
        offsets.push(exact(columns.len() as f64));
    }
    let len = columns.len();
    let of = |k: usize| a.get(&format!("out{k}")).unwrap_or(len + spare(a));
    columns.resize(of(1), exact(STALE));
    values.resize(of(2), exact(STALE));
    vec![offsets, columns, values]
}

/// The sparse matrix of three inputs, from that one on.
fn operand<T: Element, R>(
    a: &Args<T>,
    from: usize,
    cols: usize,
    f: impl FnOnce(Csr<'_, T>) -> Result<R, Error>,
) -> Result<R, Error> {
    let (offsets, n) = indices(&a.x[from]);
    let (columns, m) = narrow(&a.x[from + 1]);
    Csr::new(n.saturating_sub(1), cols, &offsets[..n], &columns[..m], &a.x[from + 2]).and_then(f)
}

/// Rows of elements of the matrix of three inputs.
fn rows(a: &Args<f64>, from: usize) -> Vec<Vec<(usize, f64)>> {
    let ends = a.x[from].windows(2).map(|w| w[0] as usize..w[1] as usize);
    ends.map(|row| row.map(|k| (a.x[from + 1][k] as usize, a.x[from + 2][k])).collect()).collect()
}

/// A matrix as three arguments.
fn matrix<T: Element>(rows: usize, cols: usize, most: usize, r: &mut Noise) -> Vec<Vec<T>> {
    let (offsets, columns) = pattern(rows, cols, most, r);
    let whole = |x: usize| T::from_usize(x);
    let values = r.slice(columns.len(), 2.0);
    vec![
        offsets.into_iter().map(whole).collect(),
        columns.into_iter().map(|c| whole(c as usize)).collect(),
        values,
    ]
}

/// Marks, all of them wrong.
fn marks<T: Element>(a: &Args<T>) -> ([usize; 8192], usize) {
    ([usize::MAX / 3; 8192], a.get("marks").unwrap_or(8192).min(8192))
}

/// Columns that this test's memory holds.
fn narrowed(cols: usize) -> usize {
    cols.min(500)
}

pub struct Coordinates;
impl Op for Coordinates {
    const NAME: &'static str = "coo_to_csr";
    const IDS: Option<usize> = Some(1);
    fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
        // NaN is no index.
        input == 0
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [rows, cols] = [5 * rows.min(100), narrowed(cols)];
        let n = r.bits() as usize % (3 * rows.max(cols));
        let x = vec![r.ids(n, rows), r.ids(n, cols), r.slice(n, 2.0)];
        Args::new::<Self>(x, vec![], &[("rows", rows), ("cols", cols), ("spare", 2)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let mut all: Vec<_> = a.x[0].iter().map(|i| i.to_f64() as u32).zip(&a.ids).collect();
        all.sort_unstable();
        all.dedup();
        before(a, a.size("rows"), all.len())
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let ((i, n), (mut marks, m)) = (narrow(&a.x[0]), marks(a));
        let to = |offsets: &mut [usize], columns: &mut [u32], values: &mut [T]| {
            let (rows, cols) = (a.size("rows"), a.size("cols"));
            fulmen::coo_to_csr_on(
                s,
                rows,
                cols,
                &i[..n],
                &a.ids,
                &a.x[2],
                offsets,
                columns,
                values,
                &mut marks[..m],
            )
            .map(drop)
        };
        (form == Form::On).then(|| written(out, to))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut rows = vec![BTreeMap::<usize, Vec<f64>>::new(); a.size("rows")];
        for ((i, j), x) in a.x[0].iter().zip(&a.ids).zip(&a.x[2]) {
            rows[*i as usize].entry(*j as usize).or_default().push(*x);
        }
        formed(&rows, a)
    }
}

pub struct Transposed;
impl Op for Transposed {
    const NAME: &'static str = "csr_transpose";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let cols = narrowed(cols);
        let most = 2 + cols.min(40);
        Args::new::<Self>(matrix(held(7 * rows.min(50), most), cols, most, r), vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        before(a, a.size("cols"), a.x[1].len())
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        (form == Form::On).then(|| {
            written(out, |offsets, columns, values| {
                operand(a, 0, a.size("cols"), |m| fulmen::csr_transpose_on(s, m, offsets, columns, values))
            })
        })
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut to = vec![BTreeMap::<usize, Vec<f64>>::new(); a.size("cols")];
        for (i, j, v) in elements(a) {
            to[j].insert(i, vec![v]);
        }
        formed(&to, a)
    }
}

/// What is the same of sums and products: NaN is no index of the second matrix.
macro_rules! of_two {
    () => {
        const IDS: Option<usize> = Some(1);
        const STARTS: Option<usize> = Some(0);
        fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
            input == 3 || input == 4
        }
    };
}

/// Places, up to as many as this test's memory holds.
fn places<T: Element>(a: &Args<T>, of: impl Fn(&Args<f64>) -> Vec<BTreeMap<usize, Vec<f64>>>) -> usize {
    let fits = |k: usize| {
        let ascend = a.x[k].windows(2).all(|w| w[0] <= w[1]);
        let last = a.x[k].last().map_or(0, |x| x.to_f64() as usize);
        ascend && last <= a.x[k + 1].len() && last <= a.x[k + 2].len() && a.x[k][0] == T::ZERO
    };
    let all =
        a.x.iter().take(2).chain(&a.x[3..5]).flatten().all(|x| (0.0..ELEMENTS as f64).contains(&x.to_f64()));
    let there = !a.x[0].is_empty() && !a.x[3].is_empty() && all;
    if there && fits(0) && fits(3) { of(&a.wide()).iter().map(|row| row.len()).sum() } else { 3 }
}

pub struct Product;
impl Product {
    fn rows(a: &Args<f64>) -> Vec<BTreeMap<usize, Vec<f64>>> {
        let b = rows(a, 3);
        let row = |row: &Vec<(usize, f64)>| {
            let mut to = BTreeMap::<usize, Vec<f64>>::new();
            for (k, x) in row {
                // A sum begins with 0.
                b.get(*k)
                    .into_iter()
                    .flatten()
                    .for_each(|(j, y)| to.entry(*j).or_insert(vec![0.0]).push(x * y));
            }
            to
        };
        rows(a, 0).iter().map(row).collect()
    }
}
impl Op for Product {
    const NAME: &'static str = "spgemm";
    of_two!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [k, n] = [1 + cols % 31, narrowed(cols)];
        let m = held(4 * rows.min(50), n);
        let x = [matrix(m, k, 2 + k / 2, r), matrix(k, n, 2 + n / 4, r)].concat();
        Args::new::<Self>(x, vec![], &[("k", k), ("n", n), ("spare", 2)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        before(a, a.x[0].len().saturating_sub(1), places(a, Self::rows))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let (mut marks, len) = marks(a);
        let to = |offsets: &mut [usize], columns: &mut [u32], values: &mut [T]| {
            operand(a, 0, a.size("k"), |m| {
                operand(a, 3, a.size("n"), |n| {
                    fulmen::spgemm_on(s, m, n, offsets, columns, values, &mut marks[..len])
                })
            })
            .map(drop)
        };
        (form == Form::On).then(|| written(out, to))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        formed(&Self::rows(a), a)
    }
}

pub struct Sum;
impl Sum {
    fn rows(a: &Args<f64>) -> Vec<BTreeMap<usize, Vec<f64>>> {
        let both = rows(a, 0).into_iter().zip(rows(a, 3));
        let row = |(x, y): (Vec<(usize, f64)>, Vec<(usize, f64)>)| {
            let mut to = BTreeMap::<usize, Vec<f64>>::new();
            let factors = [a.p[0], a.p[1]];
            for ((c, v), f) in x.iter().map(|e| (e, factors[0])).chain(y.iter().map(|e| (e, factors[1]))) {
                to.entry(*c).or_default().push(f * v);
            }
            to
        };
        both.map(row).collect()
    }
}
impl Op for Sum {
    const NAME: &'static str = "spadd";
    of_two!();
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, most) = (narrowed(cols), 2 + cols.min(30) / 2);
        let m = held(6 * rows.min(40), 2 * most);
        let x = [matrix(m, n, most, r), matrix(m, n, most, r)].concat();
        Args::new::<Self>(x, vec![T::from_f64(1.5), T::from_f64(-0.75)], &[("cols", n), ("spare", 2)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        before(a, a.x[0].len().saturating_sub(1), places(a, Self::rows))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        _: &mut [T],
    ) -> Option<Result<(), Error>> {
        let to = |offsets: &mut [usize], columns: &mut [u32], values: &mut [T]| {
            operand(a, 0, a.size("cols"), |m| {
                operand(a, 3, a.size("cols"), |n| {
                    fulmen::spadd_on(s, a.p[0], m, a.p[1], n, offsets, columns, values)
                })
            })
            .map(drop)
        };
        (form == Form::On).then(|| written(out, to))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        formed(&Self::rows(a), a)
    }
}

pub struct Sampled;
impl Op for Sampled {
    const NAME: &'static str = "sddmm";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [m, n, k] = [3 * rows.min(50), 1 + cols % 29, cols.min(300)];
        let mut x = matrix(m, n, 2 + n / 3, r);
        x.extend([r.slice(m * k, 2.0), r.slice(k * n, 2.0)]);
        let beta = if k.is_multiple_of(4) { 0.0 } else { -0.75 };
        Args::new::<Self>(x, vec![T::from_f64(1.5), T::from_f64(beta)], &[("cols", n), ("k", k)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    called! {
        |s, a, [out], _| {
            let k = a.size("k");
            let m = a.x[3].len().checked_div(k).unwrap_or(a.x[0].len().saturating_sub(1));
            let inner = a.get("inner").unwrap_or(k);
            let n = a.x[4].len().checked_div(inner).unwrap_or(a.size("cols"));
            with(a, |p| {
                let (x, y) = (MatRef::row_major(&a.x[3], m, k)?, MatRef::row_major(&a.x[4], inner, n)?);
                fulmen::sddmm_on(s, a.p[0], x, y, p, a.p[1], out)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, k) = (a.size("cols"), a.size("k"));
        let one = |(at, (i, j, _)): (usize, (usize, usize, f64))| {
            let old = if a.p[1] == 0.0 { 0.0 } else { a.p[1] * a.x[2][at] };
            let mut want = Want { value: old, mass: old.abs(), n: k };
            for p in (0..k).filter(|_| a.p[0] != 0.0) {
                let term = a.p[0] * a.x[3][i * k + p] * a.x[4][p * n + j];
                (want.value, want.mass) = (want.value + term, want.mass + term.abs());
            }
            want
        };
        vec![elements(a).enumerate().map(one).collect()]
    }
}

pub struct Factor;
impl Op for Factor {
    const NAME: &'static str = "ic0";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, x) = square(rows, cols, true, r);
        Args::new::<Self>(x, vec![], &[("cols", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[2].len())]
    }
    called! {
        |s, a, [out], _| with(a, |m| fulmen::ic0_on(s, m, out))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.x[0].len() - 1;
        let at: std::collections::HashMap<(usize, usize), usize> =
            elements(a).enumerate().map(|(k, (i, j, _))| ((i, j), k)).collect();
        let mut f = a.x[2].clone();
        for i in 0..n {
            for j in 0..=i {
                let Some(&ij) = at.get(&(i, j)) else { continue };
                for p in 0..j {
                    if let (Some(&ip), Some(&jp)) = (at.get(&(i, p)), at.get(&(j, p))) {
                        f[ij] -= f[ip] * f[jp];
                    }
                }
                f[ij] = if i == j { f[ij].sqrt() } else { f[ij] / f[at[&(j, j)]] };
                if let Some(&ji) = at.get(&(j, i)) {
                    f[ji] = f[ij];
                }
            }
        }
        vec![super::super::solvers::wants(f, n)]
    }
}

pub struct Sweep;
impl Op for Sweep {
    const NAME: &'static str = "gauss_seidel";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let (n, mut x) = square(rows, cols, false, r);
        x.extend([r.slice(n, 2.0), r.slice(n, 2.0)]);
        let words: &[_] = if cols.is_multiple_of(2) { &[("cols", n), ("upper", 1)] } else { &[("cols", n)] };
        Args::new::<Self>(x, vec![T::from_f64(1.25)], words)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[4].clone()]
    }
    called! {
        |s, a, [out], _| {
            let order = if a.get("upper").is_some() { Triangle::Upper } else { Triangle::Lower };
            with(a, |m| fulmen::gauss_seidel_on(s, order, a.p[0], m, &a.x[3], out))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (all, mut x) = (rows(a, 0), a.x[4].clone());
        let n = all.len();
        for i in (0..n).map(|i| if a.get("upper").is_some() { n - 1 - i } else { i }) {
            let left = all[i].iter().fold(a.x[3][i], |left, (j, v)| left - v * x[*j]);
            let pivot = all[i].iter().find(|(j, _)| *j == i).map_or(f64::NAN, |(_, v)| *v);
            x[i] += a.p[0] * (left / pivot);
        }
        vec![super::super::solvers::wants(x, n)]
    }
}

/// The solution of a system, by elimination with rows exchanged.
fn solved(a: &Args<f64>) -> Vec<Vec<Want>> {
    let (n, mut b) = (a.x[4].len(), a.x[4].clone());
    let mut m = vec![0.0; n * n];
    elements(a).for_each(|(i, j, v)| m[i * n + j] = v);
    let pivots = super::super::solvers::lu(&mut m, n, n);
    super::super::solvers::lu_solve(&m, &pivots, n, 1, &mut b);
    vec![super::super::solvers::wants(b, n)]
}

/// A system that is not symmetric, its incomplete factors, a right-hand side and a guess.
fn unsymmetric<T: Element, O: Op>(rows: usize, cols: usize, words: &[&str], r: &mut Noise) -> Args<T> {
    let (n, mut x) = square(rows, cols, false, r);
    let a = Args::new::<O>(x.clone(), vec![], &[("cols", n)]);
    x.push(incomplete(&a.wide()).into_iter().map(T::from_f64).collect());
    x.extend([r.slice(n, 2.0), r.slice(n, 2.0)]);
    let tolerance = if size_of::<T>() == 4 { 4e-6 } else { 1e-14 };
    let sizes = [("cols", n), ("most", 100 + n), ("restart", 7), ("alone", 1)];
    // Every third without a preconditioner.
    let alone = (rows + cols).is_multiple_of(3);
    let has = |name: &str| name == "cols" || name == "alone" && alone || words.contains(&name);
    let sizes: Vec<_> = sizes.into_iter().filter(|(name, _)| has(name)).collect();
    Args::new::<O>(x, vec![T::from_f64(tolerance)], &sizes)
}

/// The call with both matrices.
fn with_factors<T: Element>(
    a: &Args<T>,
    f: impl FnOnce(Csr<'_, T>, Option<Csr<'_, T>>) -> Result<(), Error>,
) -> Result<(), Error> {
    let (offsets, n) = indices(&a.x[0]);
    let lu = Csr::new(n.saturating_sub(1), a.size("cols"), &offsets[..n], &a.ids, &a.x[3]);
    let lu = if a.get("alone").is_some() { None } else { Some(lu) };
    with(a, |m| f(m, lu.transpose()?))
}

pub struct Residuals;
impl Op for Residuals {
    const NAME: &'static str = "gmres";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, _: usize) -> bool {
        input == 3 && a.get("alone").is_some()
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        unsymmetric::<T, Self>(rows, cols, &["most", "restart"], r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[5].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::gmres_workspace(a.x[0].len().saturating_sub(1), a.size("restart").min(64))
    }
    called! {
        |s, a, [out], w| with_factors(a, |m, lu| {
            fulmen::gmres_on(s, m, lu, &a.x[4], out, a.p[0], a.size("restart"), a.size("most"), w)
        })
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        solved(a)
    }
}

pub struct Stabilised;
impl Op for Stabilised {
    const NAME: &'static str = "bicgstab";
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, _: usize) -> bool {
        input == 3 && a.get("alone").is_some()
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        unsymmetric::<T, Self>(rows, cols, &["most"], r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[5].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::bicgstab_workspace(a.x[0].len().saturating_sub(1))
    }
    called! {
        |s, a, [out], w| with_factors(a, |m, lu| {
            fulmen::bicgstab_on(s, m, lu, &a.x[4], out, a.p[0], a.size("most"), w)
        })
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        solved(a)
    }
}
