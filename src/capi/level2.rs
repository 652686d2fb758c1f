//! The C ABI of BLAS level 2 on full matrices.

use super::{
    Checked, Order, Scratch, Word, increment, matrix, matrix_mut, size, strides, vector, vector_mut,
};
use core::ffi::{c_char, c_int};

/// A matrix that is there transposed, and so a triangle that is the other one.
fn t<T: Copy>(
    yes: bool,
    a: crate::MatRef<'_, T>,
    triangle: crate::Triangle,
) -> (crate::MatRef<'_, T>, crate::Triangle) {
    if yes { (a.t(), triangle.t()) } else { (a, triangle) }
}

export! { gemv(w trans, i m, i n, s alpha, p a, i lda, p x, i incx, s beta, m y, i incy):
f32 cblas_sgemv sgemv_, f64 cblas_dgemv dgemv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn gemv<T: Scratch>(
    order: Word,
    trans: Word,
    m: c_int,
    n: c_int,
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
    let (m, n) = (size(3, m)?, size(4, n)?);
    let (columns, rows) = if t { (m, n) } else { (n, m) };
    strides(7, order, [m, n], lda)?;
    increment(9, incx)?;
    increment(12, incy)?;
    // As the reference does: y is not even scaled where A is empty.
    if m == 0 || n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, x, y) = unsafe {
        (matrix(7, order, [m, n], a, lda)?, vector(9, columns, x, incx)?, vector_mut(12, rows, y, incy)?)
    };
    Ok(plain!(gemv(alpha, if t { a.t() } else { a }, x, beta, y))?)
}

export! { ger(i m, i n, s alpha, p x, i incx, p y, i incy, m a, i lda):
f32 cblas_sger sger_, f64 cblas_dger dger_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn ger<T: Scratch>(
    order: Word,
    m: c_int,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    y: *const T,
    incy: c_int,
    a: *mut T,
    lda: c_int,
) -> Checked<()> {
    let order = order.order(1)?;
    let (m, n) = (size(2, m)?, size(3, n)?);
    increment(6, incx)?;
    increment(8, incy)?;
    strides(10, order, [m, n], lda)?;
    if m == 0 || n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (x, y, a) =
        unsafe { (vector(6, m, x, incx)?, vector(8, n, y, incy)?, matrix_mut(10, order, [m, n], a, lda)?) };
    Ok(crate::ger(alpha, x, y, a)?)
}

export! { syr(w uplo, i n, s alpha, p x, i incx, m a, i lda): f32 cblas_ssyr ssyr_, f64 cblas_dsyr dsyr_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn syr<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    a: *mut T,
    lda: c_int,
) -> Checked<()> {
    let (order, triangle, n) = (order.order(1)?, uplo.triangle(2)?, size(3, n)?);
    increment(6, incx)?;
    strides(8, order, [n, n], lda)?;
    if n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (x, a) = unsafe { (vector(6, n, x, incx)?, matrix_mut(8, order, [n, n], a, lda)?) };
    Ok(crate::syr(alpha, x, triangle, a)?)
}

export! { syr2(w uplo, i n, s alpha, p x, i incx, p y, i incy, m a, i lda):
f32 cblas_ssyr2 ssyr2_, f64 cblas_dsyr2 dsyr2_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn syr2<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    x: *const T,
    incx: c_int,
    y: *const T,
    incy: c_int,
    a: *mut T,
    lda: c_int,
) -> Checked<()> {
    let (order, triangle, n) = (order.order(1)?, uplo.triangle(2)?, size(3, n)?);
    increment(6, incx)?;
    increment(8, incy)?;
    strides(10, order, [n, n], lda)?;
    if n == 0 || alpha == T::ZERO {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (x, y, a) =
        unsafe { (vector(6, n, x, incx)?, vector(8, n, y, incy)?, matrix_mut(10, order, [n, n], a, lda)?) };
    Ok(crate::syr2(alpha, x, y, triangle, a)?)
}

export! { symv(w uplo, i n, s alpha, p a, i lda, p x, i incx, s beta, m y, i incy):
f32 cblas_ssymv ssymv_, f64 cblas_dsymv dsymv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn symv<T: Scratch>(
    order: Word,
    uplo: Word,
    n: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    x: *const T,
    incx: c_int,
    beta: T,
    y: *mut T,
    incy: c_int,
) -> Checked<()> {
    let (order, triangle, n) = (order.order(1)?, uplo.triangle(2)?, size(3, n)?);
    strides(6, order, [n, n], lda)?;
    increment(8, incx)?;
    increment(11, incy)?;
    if n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, x, y) =
        unsafe { (matrix(6, order, [n, n], a, lda)?, vector(8, n, x, incx)?, vector_mut(11, n, y, incy)?) };
    Ok(crate::symv(alpha, triangle, a, x, beta, y)?)
}

macro_rules! triangular {
    ($f:ident: $($names:tt)*) => {
        export! { $f(w uplo, w trans, w diag, i n, p a, i lda, m x, i incx): $($names)* }

        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        unsafe fn $f<T: Scratch>(
            order: Word,
            uplo: Word,
            trans: Word,
            diag: Word,
            n: c_int,
            a: *const T,
            lda: c_int,
            x: *mut T,
            incx: c_int,
        ) -> Checked<()> {
            let order: Order = order.order(1)?;
            let (triangle, transposed) = (uplo.triangle(2)?, trans.transposed(3)?);
            let (diagonal, n) = (diag.diagonal(4)?, size(5, n)?);
            strides(7, order, [n, n], lda)?;
            increment(9, incx)?;
            if n == 0 {
                return Ok(());
            }
            // SAFETY: the caller passes pointers that are valid for these sizes.
            let (a, x) = unsafe { (matrix(7, order, [n, n], a, lda)?, vector_mut(9, n, x, incx)?) };
            let (a, triangle) = t(transposed, a, triangle);
            Ok(crate::$f(triangle, diagonal, a, x)?)
        }
    };
}
triangular! { trmv: f32 cblas_strmv strmv_, f64 cblas_dtrmv dtrmv_ }
triangular! { trsv: f32 cblas_strsv strsv_, f64 cblas_dtrsv dtrsv_ }
