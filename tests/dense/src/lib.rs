//! References of large matrices, and what counts assertions, optimised: without, they take longer than what they are for.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

pub mod compared;
pub mod dd;
pub mod errors;
pub mod factors;
pub mod waves;

/// A matrix in `f64`, row after row.
#[derive(Clone, Debug)]
pub struct Matrix {
    pub rows: usize,
    pub cols: usize,
    pub x: Vec<f64>,
}

impl Matrix {
    pub fn new(rows: usize, cols: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        Self { rows, cols, x: (0..rows * cols).map(|at| f(at / cols, at % cols)).collect() }
    }
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.x[i * self.cols + j]
    }
    pub fn scaled(mut self, by: f64) -> Self {
        self.x.iter_mut().for_each(|x| *x *= by);
        self
    }
    /// The largest sum of magnitudes of a column.
    pub fn norm(&self) -> f64 {
        (0..self.cols).map(|j| (0..self.rows).map(|i| self.at(i, j).abs()).sum()).fold(0.0, f64::max)
    }
    /// The root of the sum of squares, whatever their exponents.
    pub fn size(&self) -> f64 {
        let most =
            self.x.iter().fold(0.0, |most: f64, x| if x.abs() > most || x.is_nan() { x.abs() } else { most });
        if most == 0.0 {
            0.0
        } else {
            most * self.x.iter().map(|x| (x / most) * (x / most)).sum::<f64>().sqrt()
        }
    }
    pub fn magnitudes(&self) -> Self {
        Self { x: self.x.iter().map(|x| x.abs()).collect(), ..*self }
    }
    pub fn mul(&self, b: &Self) -> Self {
        let mut c = vec![0.0; self.rows * b.cols];
        for i in 0..self.rows {
            let c = &mut c[i * b.cols..][..b.cols];
            for p in 0..self.cols {
                let (f, b) = (self.at(i, p), &b.x[p * b.cols..][..b.cols]);
                c.iter_mut().zip(b).for_each(|(c, b)| *c += f * b);
            }
        }
        Self { rows: self.rows, cols: b.cols, x: c }
    }
    pub fn sub(&self, b: &Self) -> Self {
        Self { x: self.x.iter().zip(&b.x).map(|(a, b)| a - b).collect(), ..self.clone() }
    }
    pub fn t(&self) -> Self {
        Self::new(self.cols, self.rows, |i, j| self.at(j, i))
    }
}

/// `Σ aᵢ·bᵢ` and `Σ |aᵢ·bᵢ|`, in order.
pub fn dot(a: &[f64], b: &[f64]) -> [f64; 2] {
    a.iter().zip(b).fold([0.0; 2], |[sum, mass], (a, b)| [sum + a * b, mass + (a * b).abs()])
}

/// `Σ aᵢ·bᵢ` modulo 2³².
pub fn dot_i32(a: &[i32], b: &[i32]) -> i32 {
    a.iter().zip(b).fold(0i32, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

/// Adds `f·x` to sums and `|g·x|` to the masses beside them.
pub fn add([f, g]: [f64; 2], x: &[f64], to: &mut [[f64; 2]]) {
    for ([sum, mass], x) in to.iter_mut().zip(x) {
        *sum += f * x;
        *mass += (g * x).abs();
    }
}

/// Different numbers, as far as `f32` tells them apart.
pub fn numbered(n: usize) -> Vec<f32> {
    (0..n).map(|i| (i % 16_000_000) as f32).collect()
}

/// Whether `b`, with rows so far apart, is the transpose of `a` of `m` by `n`.
pub fn is_transpose(a: &[f32], [m, n]: [usize; 2], b: &[f32], stride: usize) -> bool {
    (0..n).all(|j| b[j * stride..][..m].iter().enumerate().all(|(i, x)| *x == a[i * n + j]))
}

pub fn nans(x: &[f32]) -> usize {
    x.iter().filter(|x| x.is_nan()).count()
}
