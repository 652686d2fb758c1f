//! Edge cases and postconditions of the product of matrices, whose arguments are views.

use common::cases::{params, values};
use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::EdgeCase;
use fulmen::contract::{Call, agrees, check, spec};
use fulmen::lanes::Simd;
use fulmen::{Element, MatMut, MatRef, gemm_on, gemm_workspace};

/// Row after row.
struct Matrix<T> {
    data: Vec<T>,
    rows: usize,
    cols: usize,
}

impl<T: Element> Matrix<T> {
    fn view(&self) -> MatRef<'_, T> {
        MatRef::row_major(&self.data, self.rows, self.cols).unwrap()
    }
    fn view_mut(&mut self) -> MatMut<'_, T> {
        MatMut::row_major(&mut self.data, self.rows, self.cols).unwrap()
    }
    /// The matrix so many times below and beside itself.
    fn tiled(&self, down: usize, across: usize) -> Self {
        let row = |i: usize| self.data[i % self.rows * self.cols..][..self.cols].repeat(across);
        let (rows, cols) = (self.rows * down, self.cols * across);
        Self { data: (0..rows).flat_map(row).collect(), rows, cols }
    }
    fn row(&self, i: usize) -> Vec<T> {
        (0..self.cols).map(|j| self.data[i * self.cols + j]).collect()
    }
    fn col(&self, j: usize) -> Vec<T> {
        (0..self.rows).map(|i| self.data[i * self.cols + j]).collect()
    }
}

/// `C = αAB + βC`, or the same by way of its transpose.
fn product<S: Simd, T: Element>(
    s: S,
    [alpha, beta]: [T; 2],
    a: &Matrix<T>,
    b: &Matrix<T>,
    c: &mut Matrix<T>,
    transposed: bool,
) {
    let mut ws = vec![T::NAN; gemm_workspace(a.rows, b.cols, a.cols)];
    let (a, b) = (a.view(), b.view());
    if transposed {
        gemm_on(s, alpha, b.t(), a.t(), beta, c.view_mut().t(), &mut ws).unwrap();
    } else {
        gemm_on(s, alpha, a, b, beta, c.view_mut(), &mut ws).unwrap();
    }
}

fn edge<S: Simd, T: Element>(s: S, e: &EdgeCase) {
    let c = contract("gemm");
    let tolerance = spec("gemm").and_then(|s| s.tolerance(T::NAME)).unwrap();
    let [alpha, beta] = params::<T>(c, e, T::NAME).try_into().unwrap();
    let [a, b, c] = [0, 1, 2].map(|i| values::<T>(&e.inputs[i], T::NAME, 1));
    let n = e.cols.unwrap();
    let (m, k) = (c.len() / n, b.len() / n);
    assert_eq!((a.len(), b.len(), c.len()), (m * k, k * n, m * n), "{}", e.name);
    let a = Matrix { data: a, rows: m, cols: k };
    let b = Matrix { data: b, rows: k, cols: n };
    let c = Matrix { data: c, rows: m, cols: n };
    let want = e.out.as_ref().unwrap();
    for (down, across) in [(1, 1), (9, 1), (1, 53), (9, 53)] {
        for transposed in [false, true] {
            let (a, b, old) = (a.tiled(down, 1), b.tiled(1, across), c.tiled(down, across));
            let mut new = c.tiled(down, across);
            product(s, [alpha, beta], &a, &b, &mut new, transposed);
            for i in 0..new.rows {
                for j in 0..new.cols {
                    let (got, want) = (new.row(i)[j].to_f64(), want[i % m * n + j % n].exact(T::NAME));
                    let row: Vec<f64> = a.row(i).iter().map(|x| x.to_f64()).collect();
                    let mass: f64 = row.iter().zip(b.col(j)).map(|(x, y)| (x * y.to_f64()).abs()).sum();
                    let mut terms =
                        if row.is_empty() || alpha == T::ZERO { 0.0 } else { alpha.to_f64().abs() * mass };
                    if beta != T::ZERO {
                        terms += (beta.to_f64() * old.row(i)[j].to_f64()).abs();
                    }
                    let allowed = tolerance.allowed::<T>(want, &[&row], terms);
                    let zeros = want == 0.0 && got == 0.0;
                    let sign = !zeros || want.is_sign_negative() == got.is_sign_negative();
                    assert!(
                        sign && agrees(T::from_f64(got), want, allowed),
                        "`{}` {} on {}, {down} by {across}, transposed {transposed}: ({i}, {j}) is {got:e}, expected {want:e}",
                        e.name,
                        T::NAME,
                        S::NAME,
                    );
                }
            }
        }
    }
}

#[test]
fn edge_cases() {
    let cases = &contract("gemm").edge_cases;
    assert!(cases.len() >= 10);
    for e in cases {
        for_each_lane!(|s| {
            edge::<_, f32>(s, e);
            edge::<_, f64>(s, e);
        });
    }
}

/// Small numbers, some of them NaN.
fn noise<T: Element>(rows: usize, cols: usize, seed: usize) -> Matrix<T> {
    let number = |x: usize| if x == 0 { T::NAN } else { T::from_f64(x as f64 / 8.0 - 6.0) };
    Matrix { data: common::scaling::eighths(seed).take(rows * cols).map(number).collect(), rows, cols }
}

fn spread<S: Simd, T: Element>(s: S) {
    let mut seen = [0; 2];
    for (seed, [m, n, k]) in
        [[1, 1, 1], [1, 40, 9], [9, 1, 20], [7, 50, 3], [17, 30, 5], [4, 9, 300]].into_iter().enumerate()
    {
        let (a, b) = (noise::<T>(m, k, seed), noise::<T>(k, n, seed + 50));
        for (beta, transposed) in [(0.0, false), (0.0, true), (1.5, false), (1.5, true)] {
            let mut c = Matrix { data: vec![T::ONE; m * n], rows: m, cols: n };
            product(s, [T::from_f64(0.5), T::from_f64(beta)], &a, &b, &mut c, transposed);
            for i in 0..m {
                for j in 0..n {
                    let (x, w, y) = (a.row(i), b.col(j), c.row(i)[j]);
                    let checked = check::gemm(&Call::new(&[&x, &w], &[y]));
                    assert_eq!(checked, Ok(()), "{} {m} x {k} x {n}: ({i}, {j})", S::NAME);
                    seen[usize::from(y.to_f64().is_nan())] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 100), "{seen:?}");
}

#[test]
fn postconditions() {
    for_each_lane!(|s| {
        spread::<_, f32>(s);
        spread::<_, f64>(s);
    });
}

fn scaled<S: Simd, T: Element>(s: S) -> usize {
    let c = contract("gemm");
    let one = |(seed, [m, n, k]): (usize, [usize; 3])| {
        common::scaling::holds(c, |factor| {
            let matrix = |rows: usize, cols: usize, seed: usize, name: &str| {
                let numbers = common::scaling::moderate::<T>(seed).take(rows * cols);
                Matrix { data: numbers.map(|x| x * factor(name)).collect(), rows, cols }
            };
            let (a, b) = (matrix(m, k, seed, "a"), matrix(k, n, seed + 50, "b"));
            let mut c = matrix(m, n, seed + 70, "c");
            let scalars = [("alpha", 0.7), ("beta", 1.5)].map(|(name, x)| T::from_f64(x) * factor(name));
            product(s, scalars, &a, &b, &mut c, seed % 2 == 1);
            vec![c.data]
        })
    };
    let shapes = [[1, 1, 1], [1, 40, 9], [9, 1, 20], [7, 50, 3], [17, 30, 5], [4, 9, 300], [40, 70, 30]];
    shapes.into_iter().enumerate().map(one).sum()
}

#[test]
fn invariants() {
    let s = fulmen::lanes::native();
    let compared = scaled::<_, f32>(s) + scaled::<_, f64>(s);
    assert!(compared > 1000, "{compared} elements compared");
}
