//! Reads and writes Matrix Market files (feature `std`): files are read element by element and written from CSR.
//!
//! The reader accepts what the format's definition allows, and the few other forms below, which programs write. Anything else
//! is refused with its line and a reason: no part of an element is ignored.
//!
//! - The first line is `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, from its first character, in upper or lower case.
//! - The format is `coordinate`, or `array` with all elements by columns. The field is `real` (or `double`), `integer`,
//!   `unsigned-integer` (as SciPy writes it), `complex`, or `pattern`, whose elements are 1 and have coordinates.
//! - A matrix is `general`, `symmetric`, `skew-symmetric` (no pattern, not unsigned) or `hermitian` (complex alone). All but
//!   `general` are square and are stored as their lower triangle, which lacks the diagonal where they are skew-symmetric. The
//!   diagonal of a Hermitian matrix is real. Elements of both triangles are returned.
//! - Lines end with LF or CR LF and have at most 1024 bytes; a comment may be longer. A comment has `%` as its first byte.
//!   Comments and empty lines may follow anywhere after the first line; spaces and tabs separate words.
//! - One line holds one element, and there are as many as the sizes say. Rows and columns count from 1. A place may come
//!   several times, which means the sum of its elements; all are returned, and [`coo_to_csr`](crate::coo_to_csr()) adds them.
//! - Numbers are decimal, as C or Fortran writes them: `+1.5`, `1.5e3`, `1.5D+03`, `1.5+103`. They are rounded to the nearest
//!   `f64`: what is too small for one is 0, what is too large is refused. `inf`, `infinity` and `nan`, of either sign and case,
//!   are read where the field is `real` or `complex`; C's hexadecimal numbers are not.
//! - Integers may have a point or an exponent (`4.0`, `1e3`), but no fraction, however small. Past 2⁵³ they are rounded to
//!   `f64`, as other numbers are.
//!
//! The memory is that of one line: the counts of a file are compared with its contents, and reserve nothing.
//!
//! ```
//! use fulmen::sparse::market::{Reader, write};
//! use fulmen::{Csr, coo_to_csr, coo_to_csr_workspace};
//! let file = "%%MatrixMarket matrix coordinate real symmetric\n% A comment.\n2 2 2\n1 1 4.0\n2 1 -1.5\n";
//! let reader = Reader::new(file.as_bytes())?;
//! let (rows, cols) = (reader.rows(), reader.cols());
//! let (mut i, mut j, mut x) = (vec![], vec![], vec![]);
//! for element in reader {
//!     let (row, column, value) = element?;
//!     (i.push(row), j.push(column), x.push(value));
//! }
//! let (mut offsets, mut columns, mut values) = (vec![0; rows + 1], vec![0; i.len()], vec![0.0; i.len()]);
//! let mut workspace = vec![0; coo_to_csr_workspace(rows, cols, i.len())];
//! let n = coo_to_csr(rows, cols, &i, &j, &x, &mut offsets, &mut columns, &mut values, &mut workspace).unwrap();
//! let a = Csr::new(rows, cols, &offsets, &columns[..n], &values[..n]).unwrap();
//! assert_eq!(a.row(0), (&[0, 1][..], &[4.0, -1.5][..]));
//! let mut to = vec![];
//! write(a, &mut to)?;
//! assert_eq!(to, b"%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n1 2 -1.5\n2 1 -1.5\n");
//! # Ok::<(), fulmen::sparse::market::Error>(())
//! ```
//!
//! Source: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market Exchange Formats: Initial Design" (NISTIR 5935, 1996).

use super::Csr;
use crate::complex::c64;
use core::fmt;
use std::io::{self, BufRead, Read as _, Write};
use std::vec::Vec;

/// Bytes of the longest line that is no comment, without its end, as the format has it.
pub const LINE: usize = 1024;

/// Why a file could not be read.
#[non_exhaustive]
#[derive(Debug)]
pub enum Error {
    /// Reading or writing failed.
    Io(io::Error),
    /// The file does not follow the format.
    Format {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(e) => e.fmt(f),
            Self::Format { line, why } => write!(f, "line {line}: {why}"),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(e) => Some(e),
            Self::Format { .. } => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// What the elements of a file are.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Real numbers.
    Real,
    /// Whole numbers.
    Integer,
    /// Whole numbers that are not negative (`unsigned-integer`, as SciPy writes it).
    Unsigned,
    /// Complex numbers, which [`Reader::complex`] reads.
    Complex,
    /// Places alone; their elements are 1.
    Pattern,
}

/// What a file leaves out.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    General,
    /// What stands above the diagonal, which is what stands opposite.
    Symmetric,
    /// The diagonal, which is 0, and what stands above it, which is the negative of what stands opposite.
    SkewSymmetric,
    /// What stands above the diagonal, which is the conjugate of what stands opposite.
    Hermitian,
}

mod value;

/// What a [`Reader`] makes of elements: `f64` or [`c64`].
pub trait Value: value::Parts {}
impl Value for f64 {}
impl Value for c64 {}

/// What [`write()`] takes: `f64`, `f32` and, with the feature `half`, `f16` and `bf16`.
pub trait Written: value::Decimal {}
impl<T: value::Decimal> Written for T {}

/// The elements of a file, each with its row and column, from 0: an iterator. Of a symmetric matrix an element comes before
/// that opposite to it. A matrix with all elements has them by columns, with its zeros. After an error there is nothing more.
#[derive(Debug)]
pub struct Reader<R, V = f64> {
    from: R,
    /// The last line, and its number.
    text: Vec<u8>,
    line: u64,
    shape: [usize; 2],
    field: Field,
    symmetry: Symmetry,
    len: u64,
    /// Elements that have yet to come.
    left: u64,
    /// Where the next one stands, when all elements are there.
    place: Option<[u32; 2]>,
    opposite: Option<(u32, u32, V)>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads up to the sizes of a matrix whose elements are no complex numbers.
    pub fn new(from: R) -> Result<Self, Error> {
        Self::begin(from)
    }
}

impl<R: BufRead> Reader<R, c64> {
    /// Reads up to the sizes of a matrix of complex numbers, or of others, whose imaginary parts are 0.
    ///
    /// ```
    /// use fulmen::c64;
    /// use fulmen::sparse::market::Reader;
    /// let file = "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1.5 -2.0\n";
    /// let all: Result<Vec<_>, _> = Reader::complex(file.as_bytes())?.collect();
    /// assert_eq!(all?, [(1, 0, c64 { re: 1.5, im: -2.0 }), (0, 1, c64 { re: 1.5, im: 2.0 })]);
    /// # Ok::<(), fulmen::sparse::market::Error>(())
    /// ```
    pub fn complex(from: R) -> Result<Self, Error> {
        Self::begin(from)
    }
}

impl<R: BufRead, V: Value> Reader<R, V> {
    fn begin(from: R) -> Result<Self, Error> {
        let (field, symmetry) = (Field::Real, Symmetry::General);
        let (shape, text) = ([0; 2], Vec::new());
        let mut to = Self {
            from,
            text,
            line: 0,
            shape,
            field,
            symmetry,
            len: 0,
            left: 0,
            place: None,
            opposite: None,
            ended: false,
        };
        if !to.next_line()? {
            return to.wrong("the file is empty");
        }
        let text = core::mem::take(&mut to.text);
        let head = to.utf8(&text)?;
        let mut words = head.split_ascii_whitespace();
        let mut is = |word: &str| words.next().is_some_and(|w| w.eq_ignore_ascii_case(word));
        // No blank may precede it.
        if !is("%%MatrixMarket") || !head.starts_with('%') {
            return to.wrong("a Matrix Market file begins with %%MatrixMarket");
        }
        if !is("matrix") {
            return to.wrong("only a matrix is read");
        }
        let one = |word: &str, of: &str| word.eq_ignore_ascii_case(of);
        let whole = match words.next().unwrap_or_default() {
            w if one(w, "coordinate") => false,
            w if one(w, "array") => true,
            _ => return to.wrong("a matrix is by coordinates or an array"),
        };
        let word = words.next().unwrap_or_default();
        to.field = match word {
            w if one(w, "real") || one(w, "double") => Field::Real,
            w if one(w, "integer") => Field::Integer,
            w if one(w, "unsigned-integer") => Field::Unsigned,
            w if one(w, "complex") => Field::Complex,
            w if one(w, "pattern") && !whole => Field::Pattern,
            _ => {
                return to.wrong(
                    "elements are real, integer, unsigned-integer, complex or, by coordinates, a pattern",
                );
            }
        };
        if to.field == Field::Complex && !V::COMPLEX {
            return to.wrong("elements are complex, and real ones are asked for");
        }
        let word = words.next().unwrap_or_default();
        to.symmetry = match word {
            w if one(w, "general") => Symmetry::General,
            w if one(w, "symmetric") => Symmetry::Symmetric,
            w if one(w, "skew-symmetric") => Symmetry::SkewSymmetric,
            w if one(w, "hermitian") => Symmetry::Hermitian,
            _ => return to.wrong("a matrix is general, symmetric, skew-symmetric or hermitian"),
        };
        if words.next().is_some() {
            return to.wrong("the head has five words");
        }
        match (to.symmetry, to.field) {
            (Symmetry::Hermitian, field) if field != Field::Complex => {
                return to.wrong("only a complex matrix is hermitian");
            }
            (Symmetry::SkewSymmetric, Field::Pattern | Field::Unsigned) => {
                return to.wrong("a skew-symmetric matrix is real, integer or complex");
            }
            _ => {}
        }
        if !to.content()? {
            return to.wrong("the file ends before its sizes");
        }
        let text = core::mem::take(&mut to.text);
        let mut words = to.utf8(&text)?.split_ascii_whitespace();
        let mut past = false;
        let mut next = || {
            words.next().and_then(|w| {
                let size = w.parse::<u64>();
                past |= size.as_ref().is_err_and(|e| *e.kind() == core::num::IntErrorKind::PosOverflow);
                size.ok()
            })
        };
        let [rows, cols] = [next(), next()];
        // An array says how many there are by its shape.
        let len = if whole { Some(0) } else { next() };
        let (Some(rows), Some(cols), Some(len), None) = (rows, cols, len, words.next()) else {
            return to.wrong(match whole {
                _ if past => "a size does not fit into 64 bits",
                true => "rows and columns are two whole numbers",
                false => "rows, columns and elements are three whole numbers",
            });
        };
        let most = u64::from(u32::MAX);
        let ([Ok(m), Ok(n)], true) = ([rows, cols].map(usize::try_from), rows <= most && cols <= most) else {
            return to.wrong("rows and columns do not fit into 32 bits");
        };
        if to.symmetry != Symmetry::General && m != n {
            return to.wrong("a symmetric matrix is square");
        }
        (to.shape, to.len) = ([m, n], len);
        if whole {
            // Both are below 2³², so this is below 2⁶⁴.
            to.len = match to.symmetry {
                Symmetry::General => rows * cols,
                Symmetry::Symmetric | Symmetry::Hermitian => rows * (rows + 1) / 2,
                Symmetry::SkewSymmetric => rows * rows.saturating_sub(1) / 2,
            };
            to.place = Some([to.top(0), 0]);
        }
        to.left = to.len;
        Ok(to)
    }
    /// The first row of a column of which all elements are there.
    const fn top(&self, column: u32) -> u32 {
        match self.symmetry {
            Symmetry::General => 0,
            Symmetry::Symmetric | Symmetry::Hermitian => column,
            Symmetry::SkewSymmetric => column.saturating_add(1),
        }
    }
    /// Rows.
    pub const fn rows(&self) -> usize {
        self.shape[0]
    }
    /// Columns.
    pub const fn cols(&self) -> usize {
        self.shape[1]
    }
    /// Elements that the file says it has: of a symmetric matrix about half of those that come.
    pub const fn stored(&self) -> u64 {
        self.len
    }
    /// What the elements are.
    pub const fn field(&self) -> Field {
        self.field
    }
    /// What the file leaves out.
    pub const fn symmetry(&self) -> Symmetry {
        self.symmetry
    }
    fn wrong<T>(&self, why: &'static str) -> Result<T, Error> {
        Err(Error::Format { line: self.line, why })
    }
    fn utf8<'a>(&self, text: &'a [u8]) -> Result<&'a str, Error> {
        core::str::from_utf8(text).or_else(|_| self.wrong("the line is not UTF-8"))
    }
    /// The next line; nothing at the end.
    fn next_line(&mut self) -> Result<bool, Error> {
        self.text.clear();
        self.line = self.line.saturating_add(1);
        // With its end, of two bytes perhaps.
        let n = (&mut self.from).take(LINE as u64 + 3).read_until(b'\n', &mut self.text)?;
        let ended = self.text.last() == Some(&b'\n');
        while self.text.last().is_some_and(|b| *b == b'\n' || *b == b'\r') {
            self.text.pop();
        }
        if self.text.len() > LINE {
            if self.line == 1 || self.text.first() != Some(&b'%') {
                return self.wrong("it is longer than 1024 bytes");
            }
            if !ended {
                self.skip_line()?;
            }
        }
        Ok(n > 0)
    }
    /// What is left of a line.
    fn skip_line(&mut self) -> Result<(), Error> {
        loop {
            let some = self.from.fill_buf()?;
            let end = some.iter().position(|b| *b == b'\n');
            let n = end.map_or(some.len(), |at| at.saturating_add(1));
            self.from.consume(n);
            if end.is_some() || n == 0 {
                return Ok(());
            }
        }
    }
    /// The next line that is neither empty nor a comment.
    fn content(&mut self) -> Result<bool, Error> {
        while self.next_line()? {
            if self.text.first() != Some(&b'%') && self.text.iter().any(|b| !b.is_ascii_whitespace()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
    fn element(&mut self) -> Result<Option<(u32, u32, V)>, Error> {
        if self.left == 0 {
            return if self.content()? {
                self.wrong("there are more elements than the sizes say")
            } else {
                Ok(None)
            };
        }
        if !self.content()? {
            return self.wrong("the file ends before its last element");
        }
        self.left -= 1;
        let read = elements(self.utf8(&self.text)?, self.shape, self.field, self.place);
        let ([i, j], [re, im]) = read.or_else(|why| self.wrong(why))?;
        let value = V::new(re, im);
        if let Some([i, j]) = self.place {
            let below = i.saturating_add(1);
            let next = if (below as usize) < self.shape[0] {
                [below, j]
            } else {
                let column = j.saturating_add(1);
                [self.top(column), column]
            };
            self.place = Some(next);
        }
        match self.symmetry {
            Symmetry::General => {}
            Symmetry::SkewSymmetric if i == j => {
                return self.wrong("a skew-symmetric matrix is stored without its diagonal");
            }
            _ if j > i => {
                return self.wrong(
                    "a symmetric matrix is stored by its lower triangle, without what is above the diagonal",
                );
            }
            Symmetry::Hermitian if i == j && im != 0.0 => {
                return self.wrong("the diagonal of a Hermitian matrix is real");
            }
            _ if i == j => {}
            Symmetry::Symmetric => self.opposite = Some((j, i, value)),
            Symmetry::SkewSymmetric => {
                let [re, im] = match self.field {
                    Field::Complex => [-re, -im],
                    // Integers have one zero.
                    Field::Integer => [0.0 - re, im],
                    _ => [-re, im],
                };
                self.opposite = Some((j, i, V::new(re, im)));
            }
            Symmetry::Hermitian => self.opposite = Some((j, i, V::new(re, -im))),
        }
        Ok(Some((i, j, value)))
    }
}

/// The place and the parts of the element that a line holds, or what is wrong with it. In an array the place is given.
fn elements(
    text: &str,
    shape: [usize; 2],
    field: Field,
    place: Option<[u32; 2]>,
) -> Result<([u32; 2], [f64; 2]), &'static str> {
    let mut words = text.split_ascii_whitespace();
    let place = match place {
        Some(place) => place,
        None => [index(words.next(), shape[0])?, index(words.next(), shape[1])?],
    };
    let mut next = || words.next().ok_or("a number of the element is missing");
    let parts = match field {
        Field::Pattern => [1.0, 0.0],
        Field::Real => [number(next()?)?, 0.0],
        Field::Complex => [number(next()?)?, number(next()?)?],
        Field::Integer | Field::Unsigned => {
            let word = next()?;
            let x = number(word)?;
            if !whole(word) {
                return Err("the number is not an integer");
            }
            if field == Field::Unsigned && x < 0.0 {
                return Err("the number of an unsigned field is negative");
            }
            // Integers have one zero.
            [x + 0.0, 0.0]
        }
    };
    match words.next() {
        None => Ok((place, parts)),
        Some(_) => Err("there is more on the line than one element"),
    }
}

/// A row or a column, from 0.
fn index(word: Option<&str>, below: usize) -> Result<u32, &'static str> {
    let word = word.ok_or("the row or the column of the element is missing")?;
    match word.parse::<u64>() {
        Ok(0) => Err("rows and columns count from 1"),
        Ok(x) if x <= below as u64 => {
            u32::try_from(x - 1).map_err(|_| "the row or the column is past the sizes of the matrix")
        }
        Err(e) if *e.kind() != core::num::IntErrorKind::PosOverflow => {
            Err("the row or the column is not a positive integer")
        }
        _ => Err("the row or the column is past the sizes of the matrix"),
    }
}

/// The digits of a number and its exponent, as C or Fortran writes it: behind `E` or `D`, or, of three digits, behind its sign alone.
fn split(word: &str) -> Option<(&str, &str)> {
    let bytes = word.as_bytes();
    let mark = |b: &u8| matches!(b, b'e' | b'E' | b'd' | b'D');
    let [before, after] = match bytes.iter().position(mark) {
        Some(at) => [at, at.saturating_add(1)],
        None => [bytes.iter().skip(1).position(|b| matches!(b, b'+' | b'-'))?.saturating_add(1); 2],
    };
    word.get(..before).zip(word.get(after..))
}

/// The `f64` nearest to a number.
fn number(word: &str) -> Result<f64, &'static str> {
    let x: Option<f64> = word.parse().ok().or_else(|| {
        let (digits, exponent) = split(word)?;
        std::format!("{digits}e{exponent}").parse().ok()
    });
    match x {
        None => Err("a number is expected"),
        // The file has digits, not the word for an infinity.
        Some(x) if x.is_infinite() && word.bytes().any(|b| b.is_ascii_digit()) => {
            Err("the number is beyond the largest f64")
        }
        Some(x) => Ok(x),
    }
}

/// Whether the digits are those of an integer. The nearest `f64` does not show that: every large one is an integer.
fn whole(word: &str) -> bool {
    let (digits, exponent) = split(word).unwrap_or((word, "0"));
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let (before, after) = (before.trim_start_matches(['+', '-']), after.trim_end_matches('0'));
    if !before.bytes().chain(after.bytes()).all(|b| b.is_ascii_digit()) {
        return false;
    }
    if after.is_empty() && before.bytes().all(|b| b == b'0') {
        return true;
    }
    // The power of 10 of the last digit that is not 0. Lines are too short to overflow it.
    let last = match after.len() {
        0 => before.len() as i64 - before.trim_end_matches('0').len() as i64,
        n => -(n as i64),
    };
    exponent.parse::<i64>().is_ok_and(|e| e >= -last)
}

impl<R: BufRead, V: Value> Iterator for Reader<R, V> {
    type Item = Result<(u32, u32, V), Error>;
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(element) = self.opposite.take() {
            return Some(Ok(element));
        }
        if self.ended {
            return None;
        }
        let next = self.element().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: BufRead, V: Value> core::iter::FusedIterator for Reader<R, V> {}

/// Writes a matrix as `coordinate real general`, with as many digits as its elements need: what [`Reader`] returns, rounded to their type (`f64`, `f32`,
/// `f16`, `bf16`), is each element in every bit. Infinities are written as `inf` and `-inf`. A NaN is written as `NaN` and is read as a NaN; its sign
/// and payload are lost. Nothing is buffered.
pub fn write<T: Written>(a: Csr<'_, T>, mut to: impl Write) -> Result<(), Error> {
    to.write_fmt(format_args!(
        "%%MatrixMarket matrix coordinate real general\n{} {} {}\n",
        a.rows(),
        a.cols(),
        a.len()
    ))?;
    let mut digits = std::string::String::new();
    for (i, (columns, values)) in a.rows_from(0).enumerate() {
        for (c, v) in columns.iter().zip(values) {
            v.digits().text(&mut digits).map_err(io::Error::other)?;
            to.write_fmt(format_args!("{} {} {digits}\n", i + 1, u64::from(*c) + 1))?;
        }
    }
    Ok(())
}
