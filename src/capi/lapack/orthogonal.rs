//! The LAPACK symbols of QR and least squares: `geqrf`, `orgqr`, `ormqr`, `gels`.

use super::*;

routine! { geqrf(i m, i n, m a, i lda, m tau, m work, i lwork): f32 sgeqrf_, f64 dgeqrf_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn geqrf<T: Scratch>(
    m: c_int,
    n: c_int,
    a: *mut T,
    lda: c_int,
    tau: *mut T,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let (m, n) = (size(1, m)?, size(2, n)?);
    legal(4, [m, n], lda)?;
    let k = m.min(n);
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        if query(7, work, lwork, if k == 0 { 1 } else { long(n) })? || k == 0 {
            return Ok(0);
        }
        let a = matrix_mut(4, Order::Columns, [m, n], a, lda)?;
        let tau = core::slice::from_raw_parts_mut(tau, k);
        factor(a, tau)
    }
}

fn factor<T: Scratch>(mut a: MatMut<'_, T>, tau: &mut [T]) -> Checked<c_int> {
    let (m, n) = (a.rows(), a.cols());
    let r = with_room!(T, qr(a.reborrow(), tau), crate::qr_workspace(m, n));
    if !matches!(done(r)?, Done::As(_)) {
        spoil(a);
        tau.fill(T::NAN);
    }
    Ok(0)
}

routine! { orgqr(i m, i n, i k, m a, i lda, p tau, m work, i lwork): f32 sorgqr_, f64 dorgqr_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn orgqr<T: Scratch>(
    m: c_int,
    n: c_int,
    k: c_int,
    a: *mut T,
    lda: c_int,
    tau: *const T,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let m = size(1, m)?;
    let n = size(2, n).ok().filter(|n| *n <= m).ok_or(At(2))?;
    let k = size(3, k).ok().filter(|k| *k <= n).ok_or(At(3))?;
    legal(5, [m, n], lda)?;
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        if query(8, work, lwork, long(n))? || n == 0 {
            return Ok(0);
        }
        let a = matrix_mut(5, Order::Columns, [m, n], a, lda)?;
        let tau = if k == 0 { &[] } else { core::slice::from_raw_parts(tau, k) };
        form(a, tau)
    }
}

/// The first columns of Q over the vectors of its reflections, which lie in the first columns of `a`.
pub(super) fn form<T: Scratch>(mut a: MatMut<'_, T>, tau: &[T]) -> Checked<c_int> {
    let (m, n, k) = (a.rows(), a.cols(), tau.len());
    let mut vectors = room::<T>(m, k)?;
    let mut vectors = MatMut::col_major(&mut vectors, m, k)?;
    copy(a.as_ref().block([0, 0], [m, k]), vectors.reborrow());
    for j in 0..n {
        for i in 0..m {
            a.set(i, j, if i == j { T::ONE } else { T::ZERO });
        }
    }
    let len = crate::qr_apply_workspace(m, k, n);
    let r = with_room!(T, qr_apply(false, vectors.as_ref(), tau, a.reborrow()), len);
    if !matches!(done(r)?, Done::As(_)) {
        spoil(a);
    }
    Ok(0)
}

routine! { ormqr(w side, w trans, i m, i n, i k, p a, i lda, p tau, m c, i ldc, m work, i lwork): f32 sormqr_, f64 dormqr_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn ormqr<T: Scratch>(
    side: Word,
    trans: Word,
    m: c_int,
    n: c_int,
    k: c_int,
    a: *const T,
    lda: c_int,
    tau: *const T,
    c: *mut T,
    ldc: c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let left = side.side(1)? == Side::Left;
    let trans = trans.transposed(2).ok().filter(|_| !trans.conjugated()).ok_or(At(2))?;
    let (m, n) = (size(3, m)?, size(4, n)?);
    let (rows, least) = if left { (m, n) } else { (n, m) };
    let k = size(5, k).ok().filter(|k| *k <= rows).ok_or(At(5))?;
    legal(7, [rows, k], lda)?;
    legal(10, [m, n], ldc)?;
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, tau, mut c) = unsafe {
        if query(12, work, lwork, long(least))? || m == 0 || n == 0 || k == 0 {
            return Ok(0);
        }
        let a = matrix(7, Order::Columns, [rows, k], a, lda)?;
        let tau = core::slice::from_raw_parts(tau, k);
        (a, tau, matrix_mut(10, Order::Columns, [m, n], c, ldc)?)
    };
    // `CQ` is the transpose of `QᵀCᵀ`.
    let (trans, len) = (trans == left, crate::qr_apply_workspace(rows, k, least));
    let to = c.reborrow();
    let to = if left { to } else { to.t() };
    let r = with_room!(T, qr_apply(trans, a, tau, to), len);
    if !matches!(done(r)?, Done::As(_)) {
        spoil(c);
    }
    Ok(0)
}

routine! { gels(w trans, i m, i n, i nrhs, m a, i lda, m b, i ldb, m work, i lwork): f32 sgels_, f64 dgels_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn gels<T: Scratch>(
    trans: Word,
    m: c_int,
    n: c_int,
    nrhs: c_int,
    a: *mut T,
    lda: c_int,
    b: *mut T,
    ldb: c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let trans = trans.transposed(1).ok().filter(|_| !trans.conjugated()).ok_or(At(1))?;
    let (m, n, nrhs) = (size(2, m)?, size(3, n)?, size(4, nrhs)?);
    legal(6, [m, n], lda)?;
    legal(8, [m.max(n), nrhs], ldb)?;
    let k = m.min(n);
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, mut b) = unsafe {
        if query(10, work, lwork, long(k) + long(k.max(nrhs)))? || nrhs == 0 || m.max(n) == 0 {
            return Ok(0);
        }
        let b = matrix_mut(8, Order::Columns, [m.max(n), nrhs], b, ldb)?;
        if k == 0 {
            fill(b, T::ZERO);
            return Ok(0);
        }
        (matrix_mut(6, Order::Columns, [m, n], a, lda)?, b)
    };
    let r = if (m < n) != trans {
        underdetermined(if trans { a } else { a.t() }, b.reborrow())?
    } else {
        let a = if trans { a.t() } else { a };
        let (rows, mut tau) = (a.rows(), memory::<T>(k)?);
        let to = b.reborrow().block([0, 0], [rows, nrhs]);
        with_room!(T, least_squares(a, &mut tau, to), crate::least_squares_workspace(rows, k, nrhs))
    };
    match done(r)? {
        Done::As(info) => Ok(info),
        _ => {
            spoil(b);
            Ok(0)
        }
    }
}

/// The least X with `AᵀX = B`, for an A of no more columns than rows: B has as many rows as A, of which those of B come first.
fn underdetermined<T: Scratch>(mut a: MatMut<'_, T>, mut b: MatMut<'_, T>) -> Checked<Result<(), Error>> {
    let (m, n, cols) = (a.rows(), a.cols(), b.cols());
    let mut tau = memory::<T>(n)?;
    let r = with_room!(T, qr(a.reborrow(), &mut tau), crate::qr_workspace(m, n));
    if r.is_err() {
        return Ok(r);
    }
    let factors = a.as_ref();
    if let Some(index) = (0..n).find(|i| factors.get(*i, *i) == Some(T::ZERO)) {
        return Ok(Err(Error::pivot("a", index)));
    }
    for j in 0..cols {
        (n..m).for_each(|i| _ = b.set(i, j, T::ZERO));
    }
    let (l, to) = (factors.block([0, 0], [n, n]).t(), b.reborrow().block([0, 0], [n, cols]));
    let len = crate::trsm_workspace(Side::Left, n, cols);
    let r = with_room!(T, trsm(Side::Left, T::ONE, Triangle::Lower, Diagonal::NonUnit, l, to), len);
    if r.is_err() {
        return Ok(r);
    }
    Ok(with_room!(T, qr_apply(false, factors, &tau, b), crate::qr_apply_workspace(m, n, cols)))
}
