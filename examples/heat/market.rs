//! Matrix Market files (R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats", NISTIR 5935): coordinates of
//! real or whole numbers, general or symmetric. Read line by line; memory grows with what the file has, not with what it says it has.

use crate::system::Matrix;
use core::fmt;
use std::io::{self, BufRead, Read};

/// Bytes of the longest line.
const LINE: usize = 1024;

/// Why a file is no such matrix, and in which line; 0 where it is none's.
#[derive(Debug)]
pub struct Wrong {
    pub line: usize,
    pub why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.why),
            n => write!(f, "line {n}: {}", self.why),
        }
    }
}

/// The lines, counted.
struct Lines<R> {
    from: R,
    at: usize,
}

impl<R: BufRead> Lines<R> {
    fn wrong<T>(&self, why: impl Into<String>) -> Result<T, Wrong> {
        Err(Wrong { line: self.at, why: why.into() })
    }
    /// The next line, or nothing at the end.
    fn next(&mut self) -> Result<Option<String>, Wrong> {
        let mut bytes = Vec::new();
        let limited = &mut (&mut self.from).take(LINE as u64 + 1);
        self.at += 1;
        match limited.read_until(b'\n', &mut bytes) {
            Err(e) => return self.wrong(e.to_string()),
            Ok(0) => return Ok(None),
            Ok(n) if n > LINE => return self.wrong(format!("it is longer than {LINE} bytes")),
            Ok(_) => {}
        }
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(Some(text)),
            _ => self.wrong("it is no text"),
        }
    }
    /// The next line with numbers, in words.
    fn words(&mut self) -> Result<Option<Vec<String>>, Wrong> {
        while let Some(line) = self.next()? {
            if !line.starts_with('%') && !line.trim().is_empty() {
                return Ok(Some(line.split_whitespace().map(String::from).collect()));
            }
        }
        Ok(None)
    }
}

/// The symmetric matrix of a file.
pub fn read(from: impl BufRead) -> Result<Matrix, Wrong> {
    let mut lines = Lines { from, at: 0 };
    let head = lines.next()?.unwrap_or_default().to_ascii_lowercase();
    let words: Vec<&str> = head.split_whitespace().collect();
    let symmetric = match words[..] {
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "general"] => false,
        ["%%matrixmarket", "matrix", "coordinate", "real" | "integer", "symmetric"] => true,
        ["%%matrixmarket", ..] => {
            return lines.wrong(
                "only \"matrix coordinate\", \"real\" or \"integer\", \"general\" or \"symmetric\" is read",
            );
        }
        _ => return lines.wrong("a Matrix Market file begins with %%MatrixMarket"),
    };
    let Some(sizes) = lines.words()? else { return lines.wrong("the file ends before its sizes") };
    let whole = |w: &String| w.parse::<usize>().ok();
    let sizes: Option<Vec<usize>> = sizes.iter().map(whole).collect();
    let Some([rows, cols, count]) = sizes.as_deref().and_then(|s| <[usize; 3]>::try_from(s).ok()) else {
        return lines.wrong("rows, columns and elements are three whole numbers");
    };
    if rows != cols || rows == 0 {
        return lines.wrong(format!("{rows} x {cols} is not square, or empty"));
    }
    if u32::try_from(rows).is_err() {
        return lines.wrong(format!("{rows} rows are more than 32 bits count"));
    }
    // The diagonal is stored, so this bounds the memory for rows by the file.
    if count < rows {
        return lines.wrong(format!("{count} elements are too few for a diagonal of {rows}"));
    }
    let mut triplets: Vec<(u32, u32, f64)> = Vec::new();
    let mut got = 0;
    while let Some(words) = lines.words()? {
        if got == count {
            return lines.wrong(format!("there are more elements than the {count} of the head"));
        }
        got += 1;
        let [i, j, v] = &words[..] else { return lines.wrong("an element is a row, a column and a number") };
        let index = |w: &String| w.parse::<u32>().ok().filter(|i| (1..=rows).contains(&(*i as usize)));
        let (Some(i), Some(j)) = (index(i), index(j)) else {
            return lines.wrong(format!("row and column are from 1 to {rows}"));
        };
        let Some(v) = v.parse::<f64>().ok().filter(|v| v.is_finite()) else {
            return lines.wrong("the element is no finite number");
        };
        if symmetric && j > i {
            return lines.wrong("a symmetric matrix is stored by its lower triangle");
        }
        let room = triplets.try_reserve(2);
        if room.is_err() {
            return lines.wrong("memory is full");
        }
        triplets.push((i - 1, j - 1, v));
        if symmetric && i != j {
            triplets.push((j - 1, i - 1, v));
        }
    }
    if got < count {
        return lines.wrong(format!("the file ends after {got} of {count} elements"));
    }
    let m = Matrix::of(rows, triplets);
    let none = |why| Err(Wrong { line: 0, why });
    if let Some(i) = (0..rows).find(|&i| m.at(i, i).is_none()) {
        return none(format!("element {0} of the diagonal is not stored", i + 1));
    }
    if let Some((i, j)) = m.lopsided() {
        return none(format!("it is not symmetric in row {} and column {}", i + 1, j + 1));
    }
    Ok(m)
}

/// As [`read`], of a file.
pub fn open(path: &std::path::Path) -> Result<Matrix, Wrong> {
    let file = std::fs::File::open(path).and_then(|f| match f.metadata()?.is_dir() {
        true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        false => Ok(f),
    });
    match file {
        Ok(file) => read(io::BufReader::new(file)),
        Err(e) => Err(Wrong { line: 0, why: e.to_string() }),
    }
}
