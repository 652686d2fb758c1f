//! A symmetric system from a Matrix Market file, by the library's reader. Memory grows with what the file has, not with what it says it has.

use crate::system::{Matrix, room};
use fulmen::sparse::market::Reader;
use fulmen::{coo_to_csr, coo_to_csr_workspace};
use std::io::{self, BufRead};

/// The symmetric matrix of a file, or why it is none.
pub fn read(from: impl BufRead) -> Result<Matrix, String> {
    let reader = Reader::new(from).map_err(|e| e.to_string())?;
    let (rows, cols, stored) = (reader.rows(), reader.cols(), reader.stored());
    if rows != cols || rows == 0 {
        return Err(format!("{rows} x {cols} is not square, or empty"));
    }
    // The diagonal is stored, so this bounds the memory for rows by the file.
    if stored < rows as u64 {
        return Err(format!("{stored} elements are too few for a diagonal of {rows}"));
    }
    let (mut i, mut j, mut x) = (Vec::new(), Vec::new(), Vec::new());
    let full = |e: std::collections::TryReserveError| e.to_string();
    for element in reader {
        let (row, column, value) = element.map_err(|e| e.to_string())?;
        if !value.is_finite() {
            return Err(format!("row {} and column {} have no finite number", row + 1, column + 1));
        }
        for all in [&mut i, &mut j] {
            all.try_reserve(1).map_err(full)?;
        }
        x.try_reserve(1).map_err(full)?;
        i.push(row);
        j.push(column);
        x.push(value);
    }
    let len = x.len();
    let (offsets, columns) = (room(rows + 1, 0).map_err(full)?, room(len, 0).map_err(full)?);
    let mut m = Matrix { offsets, columns, values: room(len, 0.0).map_err(full)? };
    let mut workspace = room(coo_to_csr_workspace(rows, rows, len), 0).map_err(full)?;
    let Matrix { offsets, columns, values } = &mut m;
    let n = coo_to_csr(rows, rows, &i, &j, &x, offsets, columns, values, &mut workspace);
    let n = n.map_err(|e| e.to_string())?;
    m.columns.truncate(n);
    m.values.truncate(n);
    if let Some(i) = (0..rows).find(|&i| m.at(i, i).is_none()) {
        return Err(format!("element {0} of the diagonal is not stored", i + 1));
    }
    if let Some((i, j)) = m.lopsided() {
        return Err(format!("it is not symmetric in row {} and column {}", i + 1, j + 1));
    }
    Ok(m)
}

/// As [`read`], of a file.
pub fn open(path: &std::path::Path) -> Result<Matrix, String> {
    let file = std::fs::File::open(path).and_then(|f| match f.metadata()?.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => Ok(f),
    });
    read(io::BufReader::new(file.map_err(|e| e.to_string())?))
}
