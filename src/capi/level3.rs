//! The C ABI of BLAS level 3.

use super::{At, Checked, Scratch, Word, matrix, matrix_mut, size, strides};
use crate::view::{MatMut, MatRef};
use crate::{Error, Side};
use core::ffi::{c_char, c_int};

export! { gemm(w transa, w transb, i m, i n, i k, s alpha, p a, i lda, p b, i ldb, s beta, m c, i ldc):
f32 cblas_sgemm sgemm_, f64 cblas_dgemm dgemm_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn gemm<T: Scratch>(
    order: Word,
    transa: Word,
    transb: Word,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Checked<()> {
    let (order, ta, tb) = (order.order(1)?, transa.transposed(2)?, transb.transposed(3)?);
    let (m, n, k) = (size(4, m)?, size(5, n)?, size(6, k)?);
    let shape = |t: bool, rows, cols| if t { [cols, rows] } else { [rows, cols] };
    strides(9, order, shape(ta, m, k), lda)?;
    strides(11, order, shape(tb, k, n), ldb)?;
    strides(14, order, [m, n], ldc)?;
    if m == 0 || n == 0 || ((alpha == T::ZERO || k == 0) && beta == T::ONE) {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, b, c) = unsafe {
        (
            matrix(9, order, shape(ta, m, k), a, lda)?,
            matrix(11, order, shape(tb, k, n), b, ldb)?,
            matrix_mut(14, order, [m, n], c, ldc)?,
        )
    };
    let (a, b) = (if ta { a.t() } else { a }, if tb { b.t() } else { b });
    Ok(with_room!(T, gemm(alpha, a, b, beta, c), crate::gemm_workspace(m, n, k))?)
}

/// `C = βC`: the product whose factor is 0, for which operands may be missing and no scratch is needed.
fn scaled<T: Scratch>(beta: T, c: MatMut<'_, T>) -> Result<(), Error> {
    let (a, b) = (MatRef::row_major(&[], c.rows(), 0)?, MatRef::row_major(&[], 0, c.cols())?);
    crate::gemm(T::ZERO, a, b, beta, c, &mut [])
}

export! { symm(w side, w uplo, i m, i n, s alpha, p a, i lda, p b, i ldb, s beta, m c, i ldc):
f32 cblas_ssymm ssymm_, f64 cblas_dsymm dsymm_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn symm<T: Scratch>(
    order: Word,
    side: Word,
    uplo: Word,
    m: c_int,
    n: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Checked<()> {
    let (order, side, triangle) = (order.order(1)?, side.side(2)?, uplo.triangle(3)?);
    let (m, n) = (size(4, m)?, size(5, n)?);
    let k = if side == Side::Left { m } else { n };
    strides(8, order, [k, k], lda)?;
    strides(10, order, [m, n], ldb)?;
    strides(13, order, [m, n], ldc)?;
    if m == 0 || n == 0 || (alpha == T::ZERO && beta == T::ONE) {
        return Ok(());
    }
    if alpha == T::ZERO {
        // SAFETY: the caller passes a pointer that is valid for these sizes.
        let c = unsafe { matrix_mut(13, order, [m, n], c, ldc)? };
        return Ok(scaled(beta, c)?);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, b, c) = unsafe {
        (
            matrix(8, order, [k, k], a, lda)?,
            matrix(10, order, [m, n], b, ldb)?,
            matrix_mut(13, order, [m, n], c, ldc)?,
        )
    };
    Ok(with_room!(T, symm(side, alpha, triangle, a, b, beta, c), crate::symm_workspace(side, m, n))?)
}

export! { syrk(w uplo, w trans, i n, i k, s alpha, p a, i lda, s beta, m c, i ldc):
f32 cblas_ssyrk ssyrk_, f64 cblas_dsyrk dsyrk_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn syrk<T: Scratch>(
    order: Word,
    uplo: Word,
    trans: Word,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Checked<()> {
    let (order, triangle, t) = (order.order(1)?, uplo.triangle(2)?, trans.transposed(3)?);
    let (n, k) = (size(4, n)?, size(5, k)?);
    let shape = if t { [k, n] } else { [n, k] };
    strides(8, order, shape, lda)?;
    strides(11, order, [n, n], ldc)?;
    if n == 0 || ((alpha == T::ZERO || k == 0) && beta == T::ONE) {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, c) = unsafe { (matrix(8, order, shape, a, lda)?, matrix_mut(11, order, [n, n], c, ldc)?) };
    let a = if t { a.t() } else { a };
    Ok(with_room!(T, syrk(alpha, a, beta, triangle, c), crate::syrk_workspace(n, k))?)
}

export! { syr2k(w uplo, w trans, i n, i k, s alpha, p a, i lda, p b, i ldb, s beta, m c, i ldc):
f32 cblas_ssyr2k ssyr2k_, f64 cblas_dsyr2k dsyr2k_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn syr2k<T: Scratch>(
    order: Word,
    uplo: Word,
    trans: Word,
    n: c_int,
    k: c_int,
    alpha: T,
    a: *const T,
    lda: c_int,
    b: *const T,
    ldb: c_int,
    beta: T,
    c: *mut T,
    ldc: c_int,
) -> Checked<()> {
    let (order, triangle, t) = (order.order(1)?, uplo.triangle(2)?, trans.transposed(3)?);
    let (n, k) = (size(4, n)?, size(5, k)?);
    let shape = if t { [k, n] } else { [n, k] };
    strides(8, order, shape, lda)?;
    strides(10, order, shape, ldb)?;
    strides(13, order, [n, n], ldc)?;
    if n == 0 || ((alpha == T::ZERO || k == 0) && beta == T::ONE) {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, b, c) = unsafe {
        (
            matrix(8, order, shape, a, lda)?,
            matrix(10, order, shape, b, ldb)?,
            matrix_mut(13, order, [n, n], c, ldc)?,
        )
    };
    let (a, b) = if t { (a.t(), b.t()) } else { (a, b) };
    Ok(with_room!(T, syr2k(alpha, a, b, beta, triangle, c), crate::syr2k_workspace(n, k))?)
}

macro_rules! triangular {
    ($f:ident $workspace:ident: $($names:tt)*) => {
        export! { $f(w side, w uplo, w transa, w diag, i m, i n, s alpha, p a, i lda, m b, i ldb): $($names)* }

        #[allow(clippy::too_many_arguments, reason = "BLAS")]
        unsafe fn $f<T: Scratch>(
            order: Word,
            side: Word,
            uplo: Word,
            transa: Word,
            diag: Word,
            m: c_int,
            n: c_int,
            alpha: T,
            a: *const T,
            lda: c_int,
            b: *mut T,
            ldb: c_int,
        ) -> Checked<()> {
            let (order, side, triangle) = (order.order(1)?, side.side(2)?, uplo.triangle(3)?);
            let (t, diagonal) = (transa.transposed(4)?, diag.diagonal(5)?);
            let (m, n) = (size(6, m)?, size(7, n)?);
            let k = if side == Side::Left { m } else { n };
            strides(10, order, [k, k], lda)?;
            strides(12, order, [m, n], ldb)?;
            if m == 0 || n == 0 {
                return Ok(());
            }
            // SAFETY: the caller passes pointers that are valid for these sizes.
            let (a, b) = unsafe { (matrix(10, order, [k, k], a, lda)?, matrix_mut(12, order, [m, n], b, ldb)?) };
            let (a, triangle) = if t { (a.t(), triangle.t()) } else { (a, triangle) };
            Ok(with_room!(T, $f(side, alpha, triangle, diagonal, a, b), crate::$workspace(side, m, n))?)
        }
    };
}
triangular! { trmm trmm_workspace: f32 cblas_strmm strmm_, f64 cblas_dtrmm dtrmm_ }
triangular! { trsm trsm_workspace: f32 cblas_strsm strsm_, f64 cblas_dtrsm dtrsm_ }
