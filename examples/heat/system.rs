//! Matrices of compressed rows, in memory of their own.

use fulmen::{Csr, Error};
use std::collections::TryReserveError;

/// `n` elements, or an error where memory does not hold them.
pub fn room<T: Clone>(n: usize, of: T) -> Result<Vec<T>, TryReserveError> {
    let mut all = Vec::new();
    all.try_reserve_exact(n)?;
    all.resize(n, of);
    Ok(all)
}

/// What an iterator gives, which is at most `n` elements.
fn collected<T>(n: usize, from: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut all = Vec::new();
    all.try_reserve_exact(n)?;
    all.extend(from.take(n));
    Ok(all)
}

/// A square matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub offsets: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Matrix {
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }
    pub fn csr(&self) -> Result<Csr<'_, f64>, Error> {
        self.with(&self.values)
    }
    /// Other values in the same places.
    pub fn with<'a>(&'a self, values: &'a [f64]) -> Result<Csr<'a, f64>, Error> {
        Csr::new(self.rows(), self.rows(), &self.offsets, &self.columns, values)
    }
    /// Where the element in this row and column is stored.
    pub fn place(&self, i: usize, j: usize) -> Option<usize> {
        let row = self.columns.get(*self.offsets.get(i)?..*self.offsets.get(i + 1)?)?;
        let k = row.binary_search(&u32::try_from(j).ok()?).ok()?;
        Some(self.offsets.get(i)? + k)
    }
    /// The element in this row and column, if it is stored.
    pub fn at(&self, i: usize, j: usize) -> Option<f64> {
        self.values.get(self.place(i, j)?).copied()
    }
    /// Where it is not symmetric.
    pub fn lopsided(&self) -> Option<(usize, usize)> {
        let mut all = (0..self.rows()).flat_map(|i| {
            let row = self.columns.get(self.offsets[i]..self.offsets[i + 1]).unwrap_or_default();
            row.iter().map(move |j| (i, *j as usize))
        });
        all.find(|&(i, j)| self.at(i, j) != self.at(j, i))
    }
    /// The diagonal alone.
    pub fn diagonal(&self) -> Result<Self, TryReserveError> {
        let n = self.rows();
        let value = |i| self.at(i, i).unwrap_or(0.0);
        Ok(Self {
            offsets: collected(n + 1, 0..)?,
            columns: collected(n, 0..)?,
            values: collected(n, (0..n).map(value))?,
        })
    }
}

/// `-h²Δ` on `side` × `side` points whose neighbours outside are 0: four, less the neighbours.
pub fn laplacian(side: usize) -> Result<Matrix, TryReserveError> {
    let n = side * side;
    let mut m = Matrix { offsets: Vec::new(), columns: Vec::new(), values: Vec::new() };
    m.offsets.try_reserve_exact(n + 1)?;
    m.columns.try_reserve_exact(5 * n)?;
    m.values.try_reserve_exact(5 * n)?;
    m.offsets.push(0);
    for (i, j) in (0..n).map(|k| (k / side, k % side)) {
        let k = i * side + j;
        for (there, column, value) in [
            (i > 0, k.wrapping_sub(side), -1.0),
            (j > 0, k.wrapping_sub(1), -1.0),
            (true, k, 4.0),
            (j + 1 < side, k + 1, -1.0),
            (i + 1 < side, k + side, -1.0),
        ] {
            if there {
                m.columns.push(column as u32);
                m.values.push(value);
            }
        }
        m.offsets.push(m.columns.len());
    }
    Ok(m)
}

/// `h²f` of a heater, 1 strong, in the middle half of a plate of length 1.
pub fn heater(side: usize) -> Result<Vec<f64>, TryReserveError> {
    let h = 1.0 / (side + 1) as f64;
    let inside = |i: usize| (0.25..=0.75).contains(&(h * (i + 1) as f64));
    let n = side * side;
    collected(n, (0..n).map(|k| if inside(k / side) && inside(k % side) { h * h } else { 0.0 }))
}
