//! The C ABI of BLAS level 2 on banded and packed matrices (`gbmv`, `sbmv`, `spmv`, `tbmv`, `tpsv`, …). A column is
//! contiguous in each of these layouts. In row-major order a row is, so that such a matrix is the transpose of a
//! column-major one.

use super::{Checked, Order, Scratch, Word, increment, repeated, size, start};
use crate::view::{MatMut, VecMut};
use crate::{Diagonal, Error, Triangle};
use core::ffi::{c_char, c_int};

/// How a matrix of `n` columns lies in memory.
#[derive(Clone, Copy)]
enum Layout {
    /// `rows` rows, `below` diagonals below the main one and `above` above it.
    Band { rows: usize, below: usize, above: usize, ld: usize },
    /// A triangle, column behind column.
    Packed { n: usize, triangle: Triangle },
}

/// A piece of a column: where it begins in memory, its first row and the row behind its last one.
#[derive(Clone, Copy)]
struct Line {
    at: usize,
    rows: [usize; 2],
}

impl Layout {
    /// The triangle of a symmetric or triangular matrix with `k` diagonals beside the main one.
    fn triangle(triangle: Triangle, n: usize, k: usize, ld: usize) -> Self {
        let [below, above] = if matches!(triangle, Triangle::Upper) { [0, k] } else { [k, 0] };
        Self::Band { rows: n, below, above, ld }
    }

    /// What column `j` has.
    fn line(self, j: usize) -> Line {
        match self {
            Self::Band { rows, below, above, ld } => {
                let end = rows.min(j + below + 1);
                let first = j.saturating_sub(above).min(end);
                Line { at: j * ld + (above + first).saturating_sub(j), rows: [first, end] }
            }
            Self::Packed { triangle: Triangle::Upper, .. } => Line { at: j * (j + 1) / 2, rows: [0, j + 1] },
            Self::Packed { n, .. } => Line { at: j * (2 * n - j + 1) / 2, rows: [j, n] },
        }
    }
}

impl Line {
    /// Without element `j`, which is its first or its last one, and where that is.
    fn without(self, j: usize) -> (Self, usize) {
        let Self { at, rows: [first, end] } = self;
        if first == j {
            (Self { at: at + 1, rows: [j + 1, end] }, at)
        } else {
            (Self { at, rows: [first, j] }, at + j - first)
        }
    }

    fn len(self) -> usize {
        self.rows[1] - self.rows[0]
    }
}

/// The elements of a vector, some apart.
#[derive(Clone, Copy)]
struct Apart<T> {
    first: *mut T,
    step: isize,
}

impl<T: Scratch> Apart<T> {
    fn new(n: usize, p: *mut T, inc: c_int) -> Self {
        let (first, step) = start(n, p, inc);
        Self { first: first.cast_mut(), step }
    }
    fn at(self, i: usize) -> *mut T {
        self.first.wrapping_offset(i as isize * self.step)
    }
    /// # Safety
    /// There is element `i`, to be read.
    unsafe fn get(self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { self.at(i).read() }
    }
    /// # Safety
    /// There is element `i`, to be written.
    unsafe fn put(self, i: usize, x: T) {
        // SAFETY: the caller's promise.
        unsafe { self.at(i).write(x) }
    }
    /// `self[line] += alpha · other`, which is `step` apart.
    /// # Safety
    /// There are the elements of the line, to be written, and as many to be read, which are others.
    unsafe fn add(self, line: Line, alpha: T, other: *const T, step: isize) -> Result<(), Error> {
        // SAFETY: the caller's promise; a step is not 0.
        unsafe {
            let to = MatMut::from_raw(self.at(line.rows[0]), [line.len(), 1], [self.step, 1]);
            crate::axpy_strided(alpha, repeated(line.len(), other, step), VecMut::of_col(to))
        }
    }
    /// `a[line] += alpha · self[line]` of a matrix at `a`.
    /// # Safety
    /// There are the elements of the line, to be read and, of the matrix, to be written, which are others.
    unsafe fn add_to(self, a: *mut T, line: Line, alpha: T) -> Result<(), Error> {
        let column = Self { first: a.wrapping_add(line.at), step: 1 };
        let whole = Line { at: 0, rows: [0, line.len()] };
        // SAFETY: the caller's promise.
        unsafe { column.add(whole, alpha, self.at(line.rows[0]), self.step) }
    }
    /// `Σ self[line] · other`.
    /// # Safety
    /// There are the elements of the line, and as many of `other`.
    unsafe fn dot(self, line: Line, other: *const T) -> Result<T, Error> {
        // SAFETY: the caller's promise.
        let [x, y] = unsafe {
            [repeated(line.len(), self.at(line.rows[0]), self.step), repeated(line.len(), other, 1)]
        };
        crate::dot_strided(x, y)
    }
    /// `self = beta · self`, which is not read where `beta` is 0.
    /// # Safety
    /// There are `n` elements, to be written.
    unsafe fn scale(self, n: usize, beta: T) {
        for i in 0..n {
            // SAFETY: the caller's promise.
            unsafe { self.put(i, if beta == T::ZERO { T::ZERO } else { beta * self.get(i) }) }
        }
    }
}

/// By columns: a triangle of a matrix that lies by rows is the other one of the transposed matrix.
fn by_columns(order: Order, triangle: Triangle) -> Triangle {
    if order == Order::Rows { triangle.t() } else { triangle }
}

/// A leading dimension of at least so many elements.
fn leading(at: c_int, ld: c_int, least: usize) -> Checked<usize> {
    let ld = size(at, ld)?;
    if ld < least { Err(super::At(at)) } else { Ok(ld) }
}

export! { gbmv(w trans, i m, i n, i kl, i ku, s alpha, p a, i lda, p x, i incx, s beta, m y, i incy):
f32 cblas_sgbmv sgbmv_, f64 cblas_dgbmv dgbmv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn gbmv<T: Scratch>(
    order: Word,
    trans: Word,
    m: c_int,
    n: c_int,
    kl: c_int,
    ku: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Checked<()> {
    let (order, t) = (order.order(1)?, trans.transposed(2)?);
    let ([m, n], [kl, ku]) = ([size(3, m)?, size(4, n)?], [size(5, kl)?, size(6, ku)?]);
    let ld = leading(9, lda, kl.saturating_add(ku).saturating_add(1))?;
    increment(11, incx)?;
    increment(14, incy)?;
    if m == 0 || n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    let (columns, rows) = if t { (m, n) } else { (n, m) };
    let (x, y) = (Apart::new(columns, x.cast_mut(), incx), Apart::new(rows, y, incy));
    // The matrix that lies by columns, and whether the product is with its transposed one.
    let by_rows = order == Order::Rows;
    let ([rows, below, columns, above], t) = if by_rows { ([n, ku, m, kl], !t) } else { ([m, kl, n, ku], t) };
    let layout = Layout::Band { rows, below, above, ld };
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        if beta != T::ONE {
            y.scale(if t { columns } else { rows }, beta);
        }
        if alpha == T::ZERO {
            return Ok(());
        }
        for j in 0..columns {
            let line = layout.line(j);
            let column = a.wrapping_add(line.at);
            if t {
                y.put(j, y.get(j) + alpha * x.dot(line, column)?);
            } else {
                y.add(line, alpha * x.get(j), column, 1)?;
            }
        }
    }
    Ok(())
}

/// `y = αAx + βy` of a symmetric A of which a triangle is there.
/// # Safety
/// The pointers are valid for these sizes.
unsafe fn symmetric<T: Scratch>(
    n: usize,
    layout: Layout,
    [alpha, beta]: [T; 2],
    a: *const T,
    [x, y]: [Apart<T>; 2],
) -> Checked<()> {
    // SAFETY: the caller's promise.
    unsafe {
        if beta != T::ONE {
            y.scale(n, beta);
        }
        if alpha == T::ZERO {
            return Ok(());
        }
        for j in 0..n {
            let line = layout.line(j);
            let (beside, _) = line.without(j);
            y.add(line, alpha * x.get(j), a.wrapping_add(line.at), 1)?;
            y.put(j, y.get(j) + alpha * x.dot(beside, a.wrapping_add(beside.at))?);
        }
    }
    Ok(())
}

export! { sbmv(w uplo, i n, i k, s alpha, p a, i lda, p x, i incx, s beta, m y, i incy):
f32 cblas_ssbmv ssbmv_, f64 cblas_dsbmv dsbmv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn sbmv<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Checked<()> {
    let triangle = by_columns(order.order(1)?, uplo.triangle(2)?);
    let (n, k) = (size(3, n)?, size(4, k)?);
    let ld = leading(7, lda, k.saturating_add(1))?;
    increment(9, incx)?;
    increment(12, incy)?;
    if n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    let vectors = [Apart::new(n, x.cast_mut(), incx), Apart::new(n, y, incy)];
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe { symmetric(n, Layout::triangle(triangle, n, k, ld), [alpha, beta], a, vectors) }
}

export! { spmv(w uplo, i n, s alpha, p a, p x, i incx, s beta, m y, i incy):
f32 cblas_sspmv sspmv_, f64 cblas_dspmv dspmv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn spmv<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    a: *const T,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Checked<()> {
    let triangle = by_columns(order.order(1)?, uplo.triangle(2)?);
    let n = size(3, n)?;
    increment(7, incx)?;
    increment(10, incy)?;
    if n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    let vectors = [Apart::new(n, x.cast_mut(), incx), Apart::new(n, y, incy)];
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe { symmetric(n, Layout::Packed { n, triangle }, [alpha, beta], a, vectors) }
}

export! { spr(w uplo, i n, s alpha, p x, i incx, m a): f32 cblas_sspr sspr_, f64 cblas_dspr dspr_ }

unsafe fn spr<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    a: *mut T,
) -> Checked<()> {
    let triangle = by_columns(order.order(1)?, uplo.triangle(2)?);
    let n = size(3, n)?;
    increment(6, incx)?;
    if n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    let (layout, x) = (Layout::Packed { n, triangle }, Apart::new(n, x.cast_mut(), incx));
    for j in 0..n {
        let line = layout.line(j);
        // SAFETY: the caller passes pointers that are valid for these sizes.
        unsafe { x.add_to(a, line, alpha * x.get(j))? }
    }
    Ok(())
}

export! { spr2(w uplo, i n, s alpha, p x, i incx, p y, i incy, m a):
f32 cblas_sspr2 sspr2_, f64 cblas_dspr2 dspr2_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn spr2<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    y: *const T,
    incy: c_int,
    a: *mut T,
) -> Checked<()> {
    let triangle = by_columns(order.order(1)?, uplo.triangle(2)?);
    let n = size(3, n)?;
    increment(6, incx)?;
    increment(8, incy)?;
    if n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    let layout = Layout::Packed { n, triangle };
    let [x, y] = [Apart::new(n, x.cast_mut(), incx), Apart::new(n, y.cast_mut(), incy)];
    for j in 0..n {
        let line = layout.line(j);
        // SAFETY: the caller passes pointers that are valid for these sizes.
        unsafe {
            x.add_to(a, line, alpha * y.get(j))?;
            y.add_to(a, line, alpha * x.get(j))?;
        }
    }
    Ok(())
}

/// What a triangular matrix is for: a product, or a solution.
#[derive(Clone, Copy)]
enum Use {
    Product,
    Solution,
}

/// `x = op(A) x` or `x = op(A)⁻¹ x`.
/// # Safety
/// The pointers are valid for these sizes.
unsafe fn triangular<T: Scratch>(
    what: Use,
    n: usize,
    layout: Layout,
    (triangle, transposed, diagonal): (Triangle, bool, Diagonal),
    a: *const T,
    x: Apart<T>,
) -> Checked<()> {
    let (upper, solve) = (matches!(triangle, Triangle::Upper), matches!(what, Use::Solution));
    let unit = matches!(diagonal, Diagonal::Unit);
    // A product writes an element when no other needs it any more, a solution when all that it needs are there.
    let down = upper != (transposed != solve);
    for step in 0..n {
        let j = if down { step } else { n - 1 - step };
        let (beside, middle) = layout.line(j).without(j);
        let column = a.wrapping_add(beside.at);
        // SAFETY: the caller's promise; the diagonal is not looked at where it is ones.
        unsafe {
            let d = if unit { T::ONE } else { a.wrapping_add(middle).read() };
            match (solve, transposed) {
                (false, false) => {
                    x.add(beside, x.get(j), column, 1)?;
                    x.put(j, d * x.get(j));
                }
                (false, true) => x.put(j, d * x.get(j) + x.dot(beside, column)?),
                (true, false) => {
                    x.put(j, x.get(j) / d);
                    x.add(beside, -x.get(j), column, 1)?;
                }
                (true, true) => x.put(j, (x.get(j) - x.dot(beside, column)?) / d),
            }
        }
    }
    Ok(())
}

macro_rules! banded {
    ($f:ident $what:ident: $($names:tt)*) => {
        export! { $f(w uplo, w trans, w diag, i n, i k, p a, i lda, m x, i incx): $($names)* }

        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        unsafe fn $f<T: Scratch>(
            order: Word,
            uplo: Word,
            trans: Word,
            diag: Word,
            n: c_int,
            k: c_int,
            a: *const T,
            lda: c_int,
            x: *mut T,
            incx: c_int,
        ) -> Checked<()> {
            let order = order.order(1)?;
            let (triangle, t) = (by_columns(order, uplo.triangle(2)?), trans.transposed(3)?);
            let (diagonal, n, k) = (diag.diagonal(4)?, size(5, n)?, size(6, k)?);
            let ld = leading(8, lda, k.saturating_add(1))?;
            increment(10, incx)?;
            if n == 0 {
                return Ok(());
            }
            let kind = (triangle, t != (order == Order::Rows), diagonal);
            let (layout, x) = (Layout::triangle(triangle, n, k, ld), Apart::new(n, x, incx));
            // SAFETY: the caller passes pointers that are valid for these sizes.
            unsafe { triangular(Use::$what, n, layout, kind, a, x) }
        }
    };
}
banded! { tbmv Product: f32 cblas_stbmv stbmv_, f64 cblas_dtbmv dtbmv_ }
banded! { tbsv Solution: f32 cblas_stbsv stbsv_, f64 cblas_dtbsv dtbsv_ }

macro_rules! packed {
    ($f:ident $what:ident: $($names:tt)*) => {
        export! { $f(w uplo, w trans, w diag, i n, p a, m x, i incx): $($names)* }

        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        unsafe fn $f<T: Scratch>(
            order: Word,
            uplo: Word,
            trans: Word,
            diag: Word,
            n: c_int,
            a: *const T,
            x: *mut T,
            incx: c_int,
        ) -> Checked<()> {
            let order = order.order(1)?;
            let (triangle, t) = (by_columns(order, uplo.triangle(2)?), trans.transposed(3)?);
            let (diagonal, n) = (diag.diagonal(4)?, size(5, n)?);
            increment(8, incx)?;
            if n == 0 {
                return Ok(());
            }
            let kind = (triangle, t != (order == Order::Rows), diagonal);
            // SAFETY: the caller passes pointers that are valid for these sizes.
            unsafe { triangular(Use::$what, n, Layout::Packed { n, triangle }, kind, a, Apart::new(n, x, incx)) }
        }
    };
}
packed! { tpmv Product: f32 cblas_stpmv stpmv_, f64 cblas_dtpmv dtpmv_ }
packed! { tpsv Solution: f32 cblas_stpsv stpsv_, f64 cblas_dtpsv dtpsv_ }
