//! Calls of the ops on views by their names, and what they should give, for tests.

use crate::matrix::*;
use crate::reference::dd::Dd;
use fulmen::lanes::Simd;
use fulmen::{Diagonal, Element, Error, MatRef, Side, Triangle, VecMut, VecRef};

/// The arguments that are words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    pub side: Side,
    pub triangle: Triangle,
    pub diagonal: Diagonal,
}

impl Options {
    /// Each of the eight in turn.
    pub fn nth(i: usize) -> Self {
        let pick = |bit: usize| i >> bit & 1 == 1;
        Self {
            side: if pick(0) { Side::Right } else { Side::Left },
            triangle: if pick(1) { Triangle::Upper } else { Triangle::Lower },
            diagonal: if pick(2) { Diagonal::Unit } else { Diagonal::NonUnit },
        }
    }
    /// From the words of a contract's edge case.
    pub fn parse(words: &[String]) -> Self {
        let mut o = Self::nth(0);
        for w in words {
            match w.as_str() {
                "left" => o.side = Side::Left,
                "right" => o.side = Side::Right,
                "lower" => o.triangle = Triangle::Lower,
                "upper" => o.triangle = Triangle::Upper,
                "unit" => o.diagonal = Diagonal::Unit,
                "non_unit" => o.diagonal = Diagonal::NonUnit,
                other => panic!("no option is called {other}"),
            }
        }
        o
    }
    /// Whether the triangle holds element `(i, j)`.
    pub fn holds(self, i: usize, j: usize) -> bool {
        if self.triangle == Triangle::Lower { i >= j } else { i <= j }
    }
}

/// Ops whose result is the solution of equations.
pub fn solves(name: &str) -> bool {
    matches!(name, "trsv" | "trsm")
}

/// Ops on a triangular matrix.
pub fn triangular(name: &str) -> bool {
    matches!(name, "trmv" | "trmm") || solves(name)
}

/// Ops whose result is one triangle.
pub fn half(name: &str) -> bool {
    matches!(name, "syr" | "syr2" | "syrk" | "syr2k")
}

fn vector<T: Element>(x: &Matrix<T>) -> VecRef<'_, T> {
    x.view().col(0).unwrap()
}

fn vector_mut<T: Element>(x: &mut Matrix<T>) -> VecMut<'_, T> {
    x.view_mut().col(0).unwrap()
}

/// Calls `name` on the matrices, the last of which it writes; `parallel` its other form.
pub fn call<S: Simd, T: Element>(
    s: S,
    name: &str,
    o: Options,
    [alpha, beta]: [T; 2],
    m: &mut [Matrix<T>],
    parallel: bool,
) -> Result<(), Error> {
    let (out, x) = m.split_last_mut().unwrap();
    let [rows, cols] = out.shape;
    let k = x[0].shape[1];
    let mut workspace = vec![
        T::NAN;
        match name {
            "gemm" => fulmen::gemm_workspace(rows, cols, k),
            "symm" => fulmen::symm_workspace(o.side, rows, cols),
            "syrk" => fulmen::syrk_workspace(rows, k),
            "syr2k" => fulmen::syr2k_workspace(rows, k),
            "trmm" => fulmen::trmm_workspace(o.side, rows, cols),
            "trsm" => fulmen::trsm_workspace(o.side, rows, cols),
            _ => 0,
        }
    ];
    let w = &mut workspace[..];
    macro_rules! on {
        ($f:ident $parallel:ident ($($arg:expr),*)) => {{
            #[cfg(feature = "parallel")]
            if parallel {
                return fulmen::parallel::$parallel(s, $($arg),*);
            }
            let _ = parallel;
            fulmen::$f(s, $($arg),*)
        }};
    }
    match name {
        "gemm" => {
            let (a, b) = (x[0].view(), x[1].view());
            on!(gemm_on gemm_on(alpha, a, b, beta, out.view_mut(), w))
        }
        "gemv" => on!(gemv_on gemv_on(alpha, x[0].view(), vector(&x[1]), beta, vector_mut(out))),
        "ger" => fulmen::ger_on(s, alpha, vector(&x[0]), vector(&x[1]), out.view_mut()),
        "syr" => fulmen::syr_on(s, alpha, vector(&x[0]), o.triangle, out.view_mut()),
        "syr2" => fulmen::syr2_on(s, alpha, vector(&x[0]), vector(&x[1]), o.triangle, out.view_mut()),
        "symv" => fulmen::symv_on(s, alpha, o.triangle, x[0].view(), vector(&x[1]), beta, vector_mut(out)),
        "trmv" => fulmen::trmv_on(s, o.triangle, o.diagonal, x[0].view(), vector_mut(out)),
        "trsv" => fulmen::trsv_on(s, o.triangle, o.diagonal, x[0].view(), vector_mut(out)),
        "symm" => {
            let (a, b) = (x[0].view(), x[1].view());
            on!(symm_on symm_on(o.side, alpha, o.triangle, a, b, beta, out.view_mut(), w))
        }
        "syrk" => on!(syrk_on syrk_on(alpha, x[0].view(), beta, o.triangle, out.view_mut(), w)),
        "syr2k" => {
            on!(syr2k_on syr2k_on(alpha, x[0].view(), x[1].view(), beta, o.triangle, out.view_mut(), w))
        }
        "trmm" => on!(trmm_on trmm_on(o.side, alpha, o.triangle, o.diagonal, x[0].view(), out.view_mut(), w)),
        "trsm" => on!(trsm_on trsm_on(o.side, alpha, o.triangle, o.diagonal, x[0].view(), out.view_mut(), w)),
        other => panic!("no op is called {other}"),
    }
}

/// The shapes of the matrices of an op of these dimensions.
pub fn shapes(name: &str, o: Options, [m, n, k]: [usize; 3]) -> Vec<[usize; 2]> {
    let order = if o.side == Side::Left { m } else { n };
    match name {
        "gemm" => vec![[m, k], [k, n], [m, n]],
        "gemv" => vec![[m, k], [k, 1], [m, 1]],
        "ger" => vec![[m, 1], [n, 1], [m, n]],
        "syr" => vec![[n, 1], [n, n]],
        "syr2" => vec![[n, 1], [n, 1], [n, n]],
        "symv" => vec![[n, n], [n, 1], [n, 1]],
        "trmv" | "trsv" => vec![[n, n], [n, 1]],
        "symm" => vec![[order, order], [m, n], [m, n]],
        "syrk" => vec![[n, k], [n, n]],
        "syr2k" => vec![[n, k], [n, k], [n, n]],
        "trmm" | "trsm" => vec![[order, order], [m, n]],
        other => panic!("no op is called {other}"),
    }
}

/// Matrices for an op, NaN wherever it must not look.
pub fn inputs<T: Element>(
    name: &str,
    o: Options,
    shapes: &[[usize; 2]],
    layouts: &[Layout],
    seed: u64,
) -> Vec<Matrix<T>> {
    let last = shapes.len() - 1;
    shapes
        .iter()
        .enumerate()
        .map(|(i, &shape)| {
            let order = shape[0].max(1) as f64;
            let written = i == last;
            let special = i == 0 && (triangular(name) || matches!(name, "symv" | "symm"));
            let mut layout = layouts[i % layouts.len()];
            if (written || special) && matches!(layout, Repeated | Constant) {
                layout = Apart;
            }
            // A vector of stride zero is one that is repeated.
            if shape[1] == 1 && layout == Constant {
                layout = Repeated;
            }
            let noise = Matrix::<T>::new(Rows, shape, seed + i as u64);
            Matrix::with(layout, shape, |r, c| {
                let x = noise.at(r, c);
                if (special || (written && half(name))) && !o.holds(r, c) {
                    return T::NAN;
                }
                T::from_f64(match (special && triangular(name), r == c) {
                    (true, true) if o.diagonal == Diagonal::Unit => f64::NAN,
                    (true, true) => x + x.signum(),
                    // Solutions don't grow.
                    (true, false) => x / order,
                    _ => x,
                })
            })
        })
        .collect()
}

/// Element `(i, j)` of the matrix that `a` stands for; nothing where it is zero by definition.
fn element<T: Element>(name: &str, o: Options, a: &Matrix<T>, i: usize, j: usize) -> Option<f64> {
    if triangular(name) {
        let unit = i == j && o.diagonal == Diagonal::Unit;
        o.holds(i, j).then(|| if unit { 1.0 } else { a.at(i, j) })
    } else if o.holds(i, j) {
        Some(a.at(i, j))
    } else {
        Some(a.at(j, i))
    }
}

/// The products whose sum, times α, belongs to element `(i, j)`.
pub fn products<T: Element>(name: &str, o: Options, m: &[Matrix<T>], i: usize, j: usize) -> Vec<(f64, f64)> {
    let special = |b: &Matrix<T>| -> Vec<(f64, f64)> {
        let left = o.side == Side::Left || matches!(name, "symv" | "trmv" | "trsv");
        (0..m[0].shape[0])
            .filter_map(|p| {
                if left {
                    Some((element(name, o, &m[0], i, p)?, b.at(p, j)))
                } else {
                    Some((element(name, o, &m[0], p, j)?, b.at(i, p)))
                }
            })
            .collect()
    };
    let rows = |a: &Matrix<T>, b: &Matrix<T>| -> Vec<(f64, f64)> {
        (0..a.shape[1]).map(|p| (a.at(i, p), b.at(j, p))).collect()
    };
    match name {
        "gemv" => (0..m[0].shape[1]).map(|p| (m[0].at(i, p), m[1].at(p, j))).collect(),
        "ger" => rows(&m[0], &m[1]),
        "syr" | "syrk" => rows(&m[0], &m[0]),
        "syr2" | "syr2k" => [rows(&m[0], &m[1]), rows(&m[1], &m[0])].concat(),
        "symv" | "symm" | "trmv" | "trmm" | "trsv" | "trsm" => special(&m[1]),
        other => panic!("no op is called {other}"),
    }
}

/// α and β as the op has them: those that it does not take are 1, and 0 or 1 as it adds or not.
pub fn scales<T: Element>(name: &str, [alpha, beta]: [T; 2]) -> [f64; 2] {
    let [alpha, beta] = [alpha.to_f64(), beta.to_f64()];
    match name {
        "ger" | "syr" | "syr2" => [alpha, 1.0],
        "trmv" | "trsv" => [1.0, 0.0],
        "trmm" | "trsm" => [alpha, 0.0],
        _ => [alpha, beta],
    }
}

/// The exact element, the sum of its terms' magnitudes, and the number of its terms: of the result, or, where
/// equations are solved, of the difference between their sides for the solution in `new`.
pub fn exact<T: Element>(
    name: &str,
    o: Options,
    scales: [f64; 2],
    old: &[Matrix<T>],
    new: &Matrix<T>,
    i: usize,
    j: usize,
) -> (Dd, f64, usize) {
    let [alpha, beta] = scales;
    let last = &old[old.len() - 1];
    let solves = solves(name);
    let (mut sum, mut mass, mut n) = (Dd::ZERO, 0.0, 0);
    if alpha != 0.0 {
        let pairs = if solves {
            products(name, o, &[old[0].clone(), new.clone()], i, j)
        } else {
            products(name, o, old, i, j)
        };
        n = pairs.len();
        for (x, y) in pairs {
            sum = sum + Dd::from(x) * Dd::from(y);
            mass += (x * y).abs();
        }
    }
    if solves {
        let b = if alpha == 0.0 { 0.0 } else { alpha * last.at(i, j) };
        return (sum + Dd::from(-b), mass + b.abs(), n);
    }
    sum = sum * Dd::from(alpha);
    mass *= alpha.abs();
    if beta != 0.0 {
        sum = sum + Dd::from(beta) * Dd::from(last.at(i, j));
        mass += (beta * last.at(i, j)).abs();
    }
    (sum, mass, n)
}

/// An empty view, for calls that are refused.
pub fn none<'a, T>() -> MatRef<'a, T> {
    MatRef::row_major(&[], 0, 0).unwrap()
}
