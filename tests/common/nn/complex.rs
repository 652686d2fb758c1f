//! Linear algebra of complex numbers, in pairs.

use super::transforms::{Sum, complex, complex_mut};
use super::*;
use fulmen::{Complex, Conjugate, MatMut, MatRef, VecMut, VecRef};

#[macro_export]
macro_rules! for_each_complex {
    ($cb:ident) => {
        $cb! {
            gemm_complex $crate::nn::complex::Product, threads;
            gemv_complex $crate::nn::complex::Vector;
            dot_complex $crate::nn::complex::Dot;
            axpy_complex $crate::nn::complex::Axpy;
        }
    };
}

pub fn has<T: Element>(a: &Args<T>, word: &str) -> bool {
    a.get(word).is_some()
}

/// The number that a slice starts with.
pub fn number<T: Element>(x: &[T]) -> Complex<T> {
    complex(x).first().copied().unwrap_or_default()
}

/// Each word as likely as not.
pub fn words(names: &[&'static str], sizes: &mut Vec<(&'static str, usize)>, r: &mut Noise) {
    for name in names {
        if r.bits().is_multiple_of(2) {
            sizes.push((name, 1));
        }
    }
}

fn matrix<T: Element>(
    x: &[T],
    rows: usize,
    cols: usize,
    columns: bool,
) -> Result<MatRef<'_, Complex<T>>, Error> {
    let x = complex(x);
    if columns { MatRef::col_major(x, rows, cols) } else { MatRef::row_major(x, rows, cols) }
}

/// Where element `(i, j)` is.
fn place(rows: usize, cols: usize, columns: bool, i: usize, j: usize) -> usize {
    if columns { i + j * rows } else { i * cols + j }
}

/// A sum of complex products, and the magnitudes that it adds.
#[derive(Default)]
pub struct Total([Sum; 2], f64);
impl Total {
    fn add(&mut self, a: [f64; 2], b: [f64; 2]) {
        self.0[0].add(a[0] * b[0]);
        self.0[0].add(-a[1] * b[1]);
        self.0[1].add(a[0] * b[1]);
        self.0[1].add(a[1] * b[0]);
        self.1 += size(a) * size(b);
    }
    fn value(&self) -> [f64; 2] {
        self.0.map(Sum::value)
    }
}
pub fn size(z: [f64; 2]) -> f64 {
    z[0].abs() + z[1].abs()
}
pub fn conj(yes: bool, [re, im]: [f64; 2]) -> [f64; 2] {
    [re, if yes { -im } else { im }]
}
pub fn at(x: &[f64], i: usize) -> [f64; 2] {
    [x[2 * i], x[2 * i + 1]]
}

/// The number times `alpha`.
pub fn times(alpha: [f64; 2], z: [f64; 2]) -> [f64; 2] {
    let mut all = Total::default();
    all.add(alpha, z);
    all.value()
}

/// `sum + βc`, the sum being of `k` products of this magnitude, α among them.
fn settled(sum: [f64; 2], mass: f64, beta: [f64; 2], c: [f64; 2], k: usize) -> [Want; 2] {
    // A real β multiplies each part; 0 reads nothing.
    let old = match beta {
        [0.0, 0.0] => [0.0; 2],
        [beta, 0.0] => c.map(|c| beta * c),
        _ => times(beta, c),
    };
    let mass = mass + if size(beta) == 0.0 { 0.0 } else { size(beta) * size(c) };
    [0, 1].map(|p| Want { value: sum[p] + old[p], mass, n: 2 * k + 1 })
}

pub struct Product;
impl Product {
    /// C's elements lie two apart where the option says so.
    fn spread<T: Element>(a: &Args<T>) -> usize {
        if has(a, "spread") { 2 } else { 1 }
    }
}
impl Op for Product {
    const NAME: &'static str = "gemm_complex";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let inner = 1 + r.bits() as usize % 12;
        let [m, n, k] = match r.bits() % 3 {
            0 => [rows, cols, inner],
            1 => [cols.min(700), inner, rows],
            _ => [inner, rows.min(40), cols.min(700)],
        };
        let mut sizes = vec![("m", m), ("n", n), ("k", k)];
        words(&["a_columns", "b_columns", "c_columns", "conjugate_a", "conjugate_b"], &mut sizes, r);
        if r.bits().is_multiple_of(4) {
            sizes.push(("spread", 1));
        }
        // As likely as not β is real.
        let mut beta = r.slice(2, 2.0);
        if r.bits().is_multiple_of(2) {
            beta[1] = T::ZERO;
        }
        let all = if sizes.iter().any(|s| s.0 == "spread") { 2 } else { 1 };
        let x = vec![
            r.slice(2 * m * k, 1.0),
            r.slice(2 * k * n, 1.0),
            r.slice(2 * m * n * all, 1.0),
            r.slice(2, 2.0),
            beta,
        ];
        Args::new::<Self>(x, vec![], &sizes)
    }
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        // Elements between those of C.
        input == 2 && !(at / 2).is_multiple_of(Self::spread(a))
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let [m, n, k] = ["m", "n", "k"].map(|n| a.size(n));
        let one = fulmen::gemm_complex_workspace(m, n, k);
        if one > 1 << 23 { 64 } else { 4 * one }
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        w: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        let [m, n, k] = ["m", "n", "k"].map(|n| a.size(n));
        let mut call = || {
            let left = matrix(&a.x[0], m, k, has(a, "a_columns"))?;
            let right = matrix(&a.x[1], k, n, has(a, "b_columns"))?;
            let c = complex_mut(out);
            let c = match (Self::spread(a), has(a, "c_columns")) {
                (2, false) => MatMut::strided(c, 0, m, n, 2isize.wrapping_mul(n as isize), 2)?,
                (2, true) => MatMut::strided(c, 0, m, n, 2, 2isize.wrapping_mul(m as isize))?,
                (_, false) => MatMut::row_major(c, m, n)?,
                (_, true) => MatMut::col_major(c, m, n)?,
            };
            let conjugate = Conjugate { a: has(a, "conjugate_a"), b: has(a, "conjugate_b") };
            let (alpha, beta) = (number(&a.x[3]), number(&a.x[4]));
            match form {
                #[cfg(feature = "parallel")]
                Form::Parallel => {
                    fulmen::parallel::gemm_complex_on(s, alpha, left, right, conjugate, beta, c, w)
                }
                _ => fulmen::gemm_complex_on(s, alpha, left, right, conjugate, beta, c, w),
            }
        };
        match form {
            Form::On => Some(call()),
            Form::Parallel if cfg!(feature = "parallel") => Some(call()),
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [m, n, k] = ["m", "n", "k"].map(|n| a.size(n));
        let (alpha, beta) = (at(&a.x[3], 0), at(&a.x[4], 0));
        let mut out: Vec<Want> = a.x[2].iter().map(|x| copied(*x)).collect();
        for i in 0..m {
            for j in 0..n {
                let (mut sum, mut mass, k) = (Total::default(), 0.0, if size(alpha) == 0.0 { 0 } else { k });
                for p in 0..k {
                    let x = at(&a.x[0], place(m, k, has(a, "a_columns"), i, p));
                    let y = at(&a.x[1], place(k, n, has(a, "b_columns"), p, j));
                    sum.add(conj(has(a, "conjugate_a"), x), times(alpha, conj(has(a, "conjugate_b"), y)));
                    // Whatever cancels in the product with α.
                    mass += size(alpha) * size(x) * size(y);
                }
                let to = Self::spread(a) * place(m, n, has(a, "c_columns"), i, j);
                let y = settled(sum.value(), mass, beta, at(&a.x[2], to), k);
                out[2 * to..2 * to + 2].copy_from_slice(&y);
            }
        }
        vec![out]
    }
}

/// A vector of `n` numbers, which lie two apart where the option says so.
pub fn vector<'a, T: Element>(a: &Args<T>, x: &'a [T], n: usize) -> Result<VecRef<'a, Complex<T>>, Error> {
    VecRef::strided(complex(x), 0, n, step(a) as isize)
}
pub fn vector_mut<'a, T: Element>(
    a: &Args<T>,
    x: &'a mut [T],
    n: usize,
) -> Result<VecMut<'a, Complex<T>>, Error> {
    VecMut::strided(complex_mut(x), 0, n, step(a) as isize)
}
pub fn step<T: Element>(a: &Args<T>) -> usize {
    if has(a, "spread") { 2 } else { 1 }
}
/// Elements between those of a vector.
pub fn between<T: Element>(a: &Args<T>, at: usize) -> bool {
    !(at / 2).is_multiple_of(step(a))
}

pub struct Vector;
impl Op for Vector {
    const NAME: &'static str = "gemv_complex";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let mut sizes = vec![("m", rows), ("n", cols)];
        words(&["a_columns", "conjugate"], &mut sizes, r);
        let step = if r.bits().is_multiple_of(4) { 2 } else { 1 };
        if step == 2 {
            sizes.push(("spread", 1));
        }
        let mut beta = r.slice(2, 2.0);
        if r.bits().is_multiple_of(2) {
            beta[1] = T::ZERO;
        }
        let x = vec![
            r.slice(2 * rows * cols, 1.0),
            r.slice(2 * cols * step, 1.0),
            r.slice(2 * rows * step, 1.0),
            r.slice(2, 2.0),
            beta,
        ];
        Args::new::<Self>(x, vec![], &sizes)
    }
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        (input == 1 || input == 2) && between(a, at)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[2].clone()]
    }
    called! {
        |s, a, [out], _| {
            let (m, n) = (a.size("m"), a.size("n"));
            matrix(&a.x[0], m, n, has(a, "a_columns")).and_then(|matrix| {
                // What does not fit is refused by the op, not by the view.
                let (n, m) = (n.min(complex(&a.x[1]).len() / step(a)), m.min(complex(out).len() / step(a)));
                let (x, y) = (vector(a, &a.x[1], n)?, vector_mut(a, out, m)?);
                fulmen::gemv_complex_on(s, number(&a.x[3]), matrix, has(a, "conjugate"), x, number(&a.x[4]), y)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (m, n, step) = (a.size("m"), a.size("n"), step(a));
        let (alpha, beta) = (at(&a.x[3], 0), at(&a.x[4], 0));
        let mut out: Vec<Want> = a.x[2].iter().map(|x| copied(*x)).collect();
        for i in 0..m {
            let mut sum = Total::default();
            for j in (0..n).filter(|_| size(alpha) != 0.0) {
                let z = at(&a.x[0], place(m, n, has(a, "a_columns"), i, j));
                sum.add(conj(has(a, "conjugate"), z), at(&a.x[1], step * j));
            }
            let y = settled(times(alpha, sum.value()), size(alpha) * sum.1, beta, at(&a.x[2], step * i), n);
            out[2 * step * i..][..2].copy_from_slice(&y);
        }
        vec![out]
    }
}

pub struct Dot;
impl Op for Dot {
    const NAME: &'static str = "dot_complex";
    const ONE_NAN_IS_ALL: bool = true;
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let mut sizes = vec![("n", n)];
        words(&["conjugate", "spread"], &mut sizes, r);
        let step = if sizes.iter().any(|s| s.0 == "spread") { 2 } else { 1 };
        Args::new::<Self>(vec![r.slice(2 * n * step, 1.0), r.slice(2 * n * step, 1.0)], vec![], &sizes)
    }
    fn unread<T: Element>(a: &Args<T>, _: usize, at: usize) -> bool {
        between(a, at)
    }
    fn before<T: Element>(_: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(2)]
    }
    called! {
        |s, a, [out], _| {
            let n = |x: &[T]| a.size("n").min(complex(x).len() / step(a));
            vector(a, &a.x[0], n(&a.x[0])).and_then(|x| {
                let z = fulmen::dot_complex_on(s, has(a, "conjugate"), x, vector(a, &a.x[1], n(&a.x[1]))?)?;
                out.iter_mut().zip([z.re, z.im]).for_each(|(to, z)| *to = z);
                Ok(())
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut sum = Total::default();
        for i in 0..a.size("n") {
            sum.add(conj(has(a, "conjugate"), at(&a.x[0], step(a) * i)), at(&a.x[1], step(a) * i));
        }
        vec![sum.value().map(|value| Want { value, mass: sum.1, n: 2 * a.size("n") }).to_vec()]
    }
}

pub struct Axpy;
impl Op for Axpy {
    const NAME: &'static str = "axpy_complex";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = rows * cols;
        let mut sizes = vec![("n", n)];
        words(&["spread"], &mut sizes, r);
        let step = sizes.len();
        Args::new::<Self>(
            vec![r.slice(2 * n * step, 1.0), r.slice(2 * n * step, 1.0), r.slice(2, 2.0)],
            vec![],
            &sizes,
        )
    }
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        input < 2 && between(a, at)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[1].clone()]
    }
    called! {
        |s, a, [out], _| {
            let n = |x: &[T]| a.size("n").min(complex(x).len() / step(a));
            let (x, m) = (vector(a, &a.x[0], n(&a.x[0])), n(out));
            x.and_then(|x| fulmen::axpy_complex_on(s, number(&a.x[2]), x, vector_mut(a, out, m)?))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let mut out: Vec<Want> = a.x[1].iter().map(|x| copied(*x)).collect();
        for i in 0..a.size("n") {
            let i = step(a) * i;
            let mut sum = Total::default();
            sum.add([1.0, 0.0], at(&a.x[0], i));
            // The formula, where 0 is a factor like any other.
            let mut y = Total::default();
            y.add(at(&a.x[2], 0), at(&a.x[0], i));
            let old = at(&a.x[1], i);
            (0..2).for_each(|p| y.0[p].add(old[p]));
            let mass = y.1 + size(old);
            for (to, value) in out[2 * i..2 * i + 2].iter_mut().zip(y.value()) {
                *to = Want { value, mass, n: 3 };
            }
        }
        vec![out]
    }
}
