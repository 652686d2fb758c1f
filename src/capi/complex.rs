//! The C ABI of the complex routines. C passes complex scalars by address. A Fortran function that returns a complex
//! number has no symbol here, as compilers do not agree on how it is returned.

use super::level1::{count, one_by_one, read_one_by_one};
use super::{
    At, Checked, Scratch, Word, cblas, increment, matrix, matrix_mut, repeated, size, start, strides, vector,
    vector_mut,
};
use crate::Conjugate;
use crate::complex::Complex;
use core::ffi::{c_char, c_int};

export_vectors! { swap(i n, o x, i incx, o y, i incy): f32 cblas_cswap cswap_, f64 cblas_zswap zswap_ }

unsafe fn swap<T: Scratch>(n: c_int, x: *mut Complex<T>, incx: c_int, y: *mut Complex<T>, incy: c_int) {
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe { one_by_one(count(n), [x, y], [incx, incy], |x, y| [y, x]) }
}

export_vectors! { copy(i n, z x, i incx, o y, i incy): f32 cblas_ccopy ccopy_, f64 cblas_zcopy zcopy_ }

unsafe fn copy<T: Scratch>(n: c_int, x: *const Complex<T>, incx: c_int, y: *mut Complex<T>, incy: c_int) {
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe { read_one_by_one(count(n), x, y, [incx, incy], |x, _| x) }
}

export_vectors! { axpy(i n, z alpha, z x, i incx, o y, i incy): f32 cblas_caxpy caxpy_, f64 cblas_zaxpy zaxpy_ }

unsafe fn axpy<T: Scratch>(
    n: c_int,
    alpha: *const Complex<T>,
    x: *const Complex<T>,
    incx: c_int,
    y: *mut Complex<T>,
    incy: c_int,
) {
    let n = count(n);
    if n == 0 {
        return;
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        let alpha = alpha.read();
        if alpha == Complex::ZERO {
            return;
        }
        match (vector(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("axpy", crate::axpy_complex(alpha, x, y).map_err(At::from)),
            _ => read_one_by_one(n, x, y, [incx, incy], |x, y| alpha * x + y),
        }
    }
}

/// # Safety
/// `x` is valid for reads and writes of `n` numbers.
unsafe fn scaled<T: Scratch>(n: c_int, alpha: Complex<T>, x: *mut Complex<T>, incx: c_int) {
    if n <= 0 || incx <= 0 {
        return;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    if let Ok(x) = unsafe { vector_mut(0, count(n), x, incx) } {
        crate::scal_complex(alpha, x);
    }
}

export_vectors! { scal(i n, z alpha, o x, i incx): f32 cblas_cscal cscal_, f64 cblas_zscal zscal_ }

unsafe fn scal<T: Scratch>(n: c_int, alpha: *const Complex<T>, x: *mut Complex<T>, incx: c_int) {
    if n > 0 {
        // SAFETY: the caller passes pointers that are valid for these sizes.
        unsafe { scaled(n, alpha.read(), x, incx) }
    }
}

export_vectors! { real_scal(i n, s alpha, o x, i incx): f32 cblas_csscal csscal_, f64 cblas_zdscal zdscal_ }

unsafe fn real_scal<T: Scratch>(n: c_int, alpha: T, x: *mut Complex<T>, incx: c_int) {
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { scaled(n, alpha.into(), x, incx) }
}

/// # Safety
/// Both vectors are valid for reads of `n` numbers.
unsafe fn dot<T: Scratch>(
    conjugate: bool,
    n: c_int,
    [x, y]: [*const Complex<T>; 2],
    inc: [c_int; 2],
) -> Complex<T> {
    let n = count(n);
    if n == 0 {
        return Complex::ZERO;
    }
    let [(x, dx), (y, dy)] = [start(n, x, inc[0]), start(n, y, inc[1])];
    // SAFETY: the caller passes pointers that are valid for these sizes; what is read may be repeated.
    let (x, y) = unsafe { (repeated(n, x, dx), repeated(n, y, dy)) };
    crate::dot_complex(conjugate, x, y).unwrap_or_default()
}

/// The products of vectors, of whose first one numbers are conjugated or not; what they give goes to an address.
macro_rules! dots {
    ($($T:ident $conjugate:literal $cblas:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $cblas(
            n: c_int,
            x: *const Complex<$T>,
            incx: c_int,
            y: *const Complex<$T>,
            incy: c_int,
            to: *mut Complex<$T>,
        ) {
            // SAFETY: the pointers are what CBLAS demands, which the C caller guarantees.
            unsafe { to.write(dot($conjugate, n, [x, y], [incx, incy])) }
        }
    )*};
}
dots! {
    f32 false cblas_cdotu_sub;
    f32 true cblas_cdotc_sub;
    f64 false cblas_zdotu_sub;
    f64 true cblas_zdotc_sub;
}

export_vectors! { nrm2(i n, z x, i incx) -> value: f32 cblas_scnrm2 scnrm2_, f64 cblas_dznrm2 dznrm2_ }

unsafe fn nrm2<T: Scratch>(n: c_int, x: *const Complex<T>, incx: c_int) -> T {
    if n <= 0 {
        return T::ZERO;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { vector(0, count(n), x, incx) }.map_or(T::ZERO, |x| crate::nrm2_complex(x))
}

export_vectors! { asum(i n, z x, i incx) -> value: f32 cblas_scasum scasum_, f64 cblas_dzasum dzasum_ }

unsafe fn asum<T: Scratch>(n: c_int, x: *const Complex<T>, incx: c_int) -> T {
    if n <= 0 || incx < 0 {
        return T::ZERO;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { vector(0, count(n), x, incx) }.map_or(T::ZERO, |x| crate::asum_complex(x))
}

export! { gemv(w trans, i m, i n, z alpha, z a, i lda, z x, i incx, z beta, o y, i incy):
f32 cblas_cgemv cgemv_, f64 cblas_zgemv zgemv_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn gemv<T: Scratch>(
    order: Word,
    trans: Word,
    m: c_int,
    n: c_int,
    alpha: *const Complex<T>,
    a: *const Complex<T>,
    lda: c_int,
    x: *const Complex<T>,
    incx: c_int,
    beta: *const Complex<T>,
    y: *mut Complex<T>,
    incy: c_int,
) -> Checked<()> {
    let (order, t) = (order.order(1)?, trans.transposed(2)?);
    let (m, n) = (size(3, m)?, size(4, n)?);
    let (columns, rows) = if t { (m, n) } else { (n, m) };
    strides(7, order, [m, n], lda)?;
    increment(9, incx)?;
    increment(12, incy)?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        let (alpha, beta) = (alpha.read(), beta.read());
        if alpha == Complex::ZERO && beta == Complex::ONE {
            return Ok(());
        }
        let a = matrix(7, order, [m, n], a, lda)?;
        let (x, y) = (vector(9, columns, x, incx)?, vector_mut(12, rows, y, incy)?);
        Ok(crate::gemv_complex(alpha, if t { a.t() } else { a }, trans.conjugated(), x, beta, y)?)
    }
}

export! { gemm(w transa, w transb, i m, i n, i k, z alpha, z a, i lda, z b, i ldb, z beta, o c, i ldc):
f32 cblas_cgemm cgemm_, f64 cblas_zgemm zgemm_ }

#[allow(clippy::too_many_arguments, reason = "BLAS")]
unsafe fn gemm<T: Scratch>(
    order: Word,
    transa: Word,
    transb: Word,
    m: c_int,
    n: c_int,
    k: c_int,
    alpha: *const Complex<T>,
    a: *const Complex<T>,
    lda: c_int,
    b: *const Complex<T>,
    ldb: c_int,
    beta: *const Complex<T>,
    c: *mut Complex<T>,
    ldc: c_int,
) -> Checked<()> {
    let (order, ta, tb) = (order.order(1)?, transa.transposed(2)?, transb.transposed(3)?);
    let (m, n, k) = (size(4, m)?, size(5, n)?, size(6, k)?);
    let shape = |t: bool, rows, cols| if t { [cols, rows] } else { [rows, cols] };
    strides(9, order, shape(ta, m, k), lda)?;
    strides(11, order, shape(tb, k, n), ldb)?;
    strides(14, order, [m, n], ldc)?;
    if m == 0 || n == 0 {
        return Ok(());
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (alpha, a, b, beta, c) = unsafe {
        let (alpha, beta) = (alpha.read(), beta.read());
        if (alpha == Complex::ZERO || k == 0) && beta == Complex::ONE {
            return Ok(());
        }
        let a = matrix(9, order, shape(ta, m, k), a, lda)?;
        let b = matrix(11, order, shape(tb, k, n), b, ldb)?;
        (alpha, a, b, beta, matrix_mut(14, order, [m, n], c, ldc)?)
    };
    let (a, b) = (if ta { a.t() } else { a }, if tb { b.t() } else { b });
    let conjugate = Conjugate { a: transa.conjugated(), b: transb.conjugated() };
    Ok(with_room!(T, gemm_complex(alpha, a, b, conjugate, beta, c), crate::gemm_complex_workspace(m, n, k))?)
}
