//! The LAPACK symbols of linear systems: `potrf`, `potrs`, `posv`, `getrf`, `getrs`, `getri`, `gesv`, `trtrs`.

use super::*;

routine! { potrf(w uplo, i n, m a, i lda): f32 spotrf_, f64 dpotrf_ }

unsafe fn potrf<T: Scratch>(uplo: Word, n: c_int, a: *mut T, lda: c_int) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let n = size(2, n)?;
    legal(4, [n, n], lda)?;
    if n == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    let a = unsafe { matrix_mut(4, Order::Columns, [n, n], a, lda)? };
    cholesky(triangle, a)
}

/// The factor in that triangle.
pub(super) fn cholesky<T: Scratch>(triangle: Triangle, a: MatMut<'_, T>) -> Checked<c_int> {
    let mut l = if triangle == Triangle::Upper { a.t() } else { a };
    let n = l.rows();
    if let Done::As(info) = done(with_room!(T, cholesky(l.reborrow()), crate::cholesky_workspace(n)))? {
        return Ok(info);
    }
    // Nothing was written. The leading matrix that has NaN or an infinity has no factor, and one before it may have none.
    let row = not_finite(l.as_ref()).unwrap_or(0);
    let before = l.block([0, 0], [row; 2]);
    Ok(match done(with_room!(T, cholesky(before), crate::cholesky_workspace(row)))? {
        Done::As(info) if info > 0 => info,
        _ => whole(row + 1),
    })
}

/// The first row of the lower triangle that has NaN or an infinity.
pub(super) fn not_finite<T: Scratch>(l: MatRef<'_, T>) -> Option<usize> {
    let (n, mut row) = (l.rows(), l.rows());
    for j in 0..n {
        // By columns, as they lie, and no further down than what was found.
        let odd = |i: &usize| l.get(*i, j).is_some_and(|x| x - x != T::ZERO);
        row = (j..row).find(odd).unwrap_or(row);
    }
    (row < n).then_some(row)
}

routine! { potrs(w uplo, i n, i nrhs, p a, i lda, m b, i ldb): f32 spotrs_, f64 dpotrs_ }

unsafe fn potrs<T: Scratch>(
    uplo: Word,
    n: c_int,
    nrhs: c_int,
    a: *const T,
    lda: c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let [n, nrhs] = system([2, 5, 7], [n, nrhs, lda, ldb])?;
    if n == 0 || nrhs == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (a, b) = unsafe {
        (matrix(5, Order::Columns, [n, n], a, lda)?, matrix_mut(7, Order::Columns, [n, nrhs], b, ldb)?)
    };
    cholesky_solve(triangle, a, b)
}

fn cholesky_solve<T: Scratch>(triangle: Triangle, a: MatRef<'_, T>, mut b: MatMut<'_, T>) -> Checked<c_int> {
    let l = if triangle == Triangle::Upper { a.t() } else { a };
    triangular(Triangle::Lower, Diagonal::NonUnit, l, b.reborrow())?;
    triangular(Triangle::Upper, Diagonal::NonUnit, l.t(), b)?;
    Ok(0)
}

/// `B = A⁻¹B`, which divides by what is there, as LAPACK does.
fn triangular<T: Scratch>(
    triangle: Triangle,
    diagonal: Diagonal,
    a: MatRef<'_, T>,
    b: MatMut<'_, T>,
) -> Checked<()> {
    let len = crate::trsm_workspace(Side::Left, b.rows(), b.cols());
    Ok(with_room!(T, trsm(Side::Left, T::ONE, triangle, diagonal, a, b), len)?)
}

routine! { posv(w uplo, i n, i nrhs, m a, i lda, m b, i ldb): f32 sposv_, f64 dposv_ }

unsafe fn posv<T: Scratch>(
    uplo: Word,
    n: c_int,
    nrhs: c_int,
    a: *mut T,
    lda: c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let [n, nrhs] = system([2, 5, 7], [n, nrhs, lda, ldb])?;
    if n == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes; B is not looked at without columns.
    let mut a = unsafe { matrix_mut(5, Order::Columns, [n, n], a, lda)? };
    let info = cholesky(triangle, a.reborrow())?;
    if info != 0 || nrhs == 0 {
        return Ok(info);
    }
    // SAFETY: as above.
    let b = unsafe { matrix_mut(7, Order::Columns, [n, nrhs], b, ldb)? };
    cholesky_solve(triangle, a.as_ref(), b)
}

routine! { getrf(i m, i n, m a, i lda, k ipiv): f32 sgetrf_, f64 dgetrf_ }

unsafe fn getrf<T: Scratch>(m: c_int, n: c_int, a: *mut T, lda: c_int, ipiv: *mut c_int) -> Checked<c_int> {
    let (m, n) = (size(1, m)?, size(2, n)?);
    legal(4, [m, n], lda)?;
    if m == 0 || n == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    let a = unsafe { matrix_mut(4, Order::Columns, [m, n], a, lda)? };
    // SAFETY: as above: `ipiv` has min(m, n) elements.
    unsafe { lu(a, ipiv) }
}

/// # Safety
/// `ipiv` is valid for writes of `min(m, n)` integers.
unsafe fn lu<T: Scratch>(mut a: MatMut<'_, T>, ipiv: *mut c_int) -> Checked<c_int> {
    let (m, n) = (a.rows(), a.cols());
    let mut pivots = indices(m.min(n))?;
    let r = with_room!(T, lu(a.reborrow(), &mut pivots), crate::lu_workspace(m, n));
    let info = match done(r)? {
        Done::As(info) => info,
        _ => {
            pivots.iter_mut().enumerate().for_each(|(i, p)| *p = i as u32);
            spoil(a);
            0
        }
    };
    for (i, p) in pivots.iter().enumerate() {
        // SAFETY: `i` is below the length that the caller guarantees.
        unsafe { ipiv.wrapping_add(i).write(whole(*p as usize + 1)) };
    }
    Ok(info)
}

routine! { getrs(w trans, i n, i nrhs, p a, i lda, j ipiv, m b, i ldb): f32 sgetrs_, f64 dgetrs_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn getrs<T: Scratch>(
    trans: Word,
    n: c_int,
    nrhs: c_int,
    a: *const T,
    lda: c_int,
    ipiv: *const c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let trans = trans.transposed(1)?;
    let [n, nrhs] = system([2, 5, 8], [n, nrhs, lda, ldb])?;
    if n == 0 || nrhs == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        let a = matrix(5, Order::Columns, [n, n], a, lda)?;
        let b = matrix_mut(8, Order::Columns, [n, nrhs], b, ldb)?;
        lu_solve(trans, a, &exchanged(6, n, ipiv)?, b)
    }
}

/// The rows that were exchanged, from 0, all of which there are; the position is that of `ipiv`.
/// # Safety
/// `ipiv` is valid for reads of `n` integers.
unsafe fn exchanged(at: c_int, n: usize, ipiv: *const c_int) -> Checked<std::vec::Vec<u32>> {
    let mut pivots = indices(n)?;
    for (i, to) in pivots.iter_mut().enumerate() {
        // SAFETY: `i` is below the length that the caller guarantees.
        let p = size(at, unsafe { ipiv.wrapping_add(i).read() })?;
        *to = p.checked_sub(1).filter(|p| *p < n).ok_or(At(at))? as u32;
    }
    Ok(pivots)
}

fn lu_solve<T: Scratch>(
    trans: bool,
    a: MatRef<'_, T>,
    pivots: &[u32],
    mut b: MatMut<'_, T>,
) -> Checked<c_int> {
    let exchange = |(i, p): (usize, &u32), mut b: MatMut<'_, T>| {
        let p = *p as usize;
        if p != i {
            let (above, below) = b.reborrow().split_rows(i.max(p))?;
            crate::swap(above.row(i.min(p))?, below.row(0)?)?;
        }
        Ok::<(), At>(())
    };
    let mut rows = pivots.iter().enumerate();
    if trans {
        triangular(Triangle::Lower, Diagonal::NonUnit, a.t(), b.reborrow())?;
        triangular(Triangle::Upper, Diagonal::Unit, a.t(), b.reborrow())?;
        rows.rev().try_for_each(|row| exchange(row, b.reborrow()))?;
    } else {
        rows.try_for_each(|row| exchange(row, b.reborrow()))?;
        triangular(Triangle::Lower, Diagonal::Unit, a, b.reborrow())?;
        triangular(Triangle::Upper, Diagonal::NonUnit, a, b)?;
    }
    Ok(0)
}

routine! { gesv(i n, i nrhs, m a, i lda, k ipiv, m b, i ldb): f32 sgesv_, f64 dgesv_ }

unsafe fn gesv<T: Scratch>(
    n: c_int,
    nrhs: c_int,
    a: *mut T,
    lda: c_int,
    ipiv: *mut c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let [n, nrhs] = system([1, 4, 7], [n, nrhs, lda, ldb])?;
    if n == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        let mut a = matrix_mut(4, Order::Columns, [n, n], a, lda)?;
        let info = lu(a.reborrow(), ipiv)?;
        if info != 0 || nrhs == 0 {
            return Ok(info);
        }
        let b = matrix_mut(7, Order::Columns, [n, nrhs], b, ldb)?;
        lu_solve(false, a.as_ref(), &exchanged(5, n, ipiv)?, b)
    }
}

routine! { trtrs(w uplo, w trans, w diag, i n, i nrhs, p a, i lda, m b, i ldb): f32 strtrs_, f64 dtrtrs_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn trtrs<T: Scratch>(
    uplo: Word,
    trans: Word,
    diag: Word,
    n: c_int,
    nrhs: c_int,
    a: *const T,
    lda: c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let (triangle, t, diagonal) = (uplo.triangle(1)?, trans.transposed(2)?, diag.diagonal(3)?);
    let [n, nrhs] = system([4, 7, 9], [n, nrhs, lda, ldb])?;
    if n == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    let a = unsafe { matrix(7, Order::Columns, [n, n], a, lda)? };
    let zero = |i: &usize| a.get(*i, *i) == Some(T::ZERO);
    if let Some(i) = (0..n).find(zero).filter(|_| diagonal == Diagonal::NonUnit) {
        return Ok(whole(i + 1));
    }
    if nrhs > 0 {
        // SAFETY: as above.
        let b = unsafe { matrix_mut(9, Order::Columns, [n, nrhs], b, ldb)? };
        let (a, triangle) = if t { (a.t(), triangle.t()) } else { (a, triangle) };
        triangular(triangle, diagonal, a, b)?;
    }
    Ok(0)
}

routine! { getri(i n, m a, i lda, j ipiv, m work, i lwork): f32 sgetri_, f64 dgetri_ }

unsafe fn getri<T: Scratch>(
    n: c_int,
    a: *mut T,
    lda: c_int,
    ipiv: *const c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let n = size(1, n)?;
    legal(3, [n, n], lda)?;
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        if query(6, work, lwork, long(n))? || n == 0 {
            return Ok(0);
        }
        let mut a = matrix_mut(3, Order::Columns, [n, n], a, lda)?;
        let zero = |i: &usize| a.get(*i, *i) == Some(T::ZERO);
        if let Some(i) = (0..n).find(zero) {
            return Ok(whole(i + 1));
        }
        let pivots = exchanged(4, n, ipiv)?;
        let mut factors = room::<T>(n, n)?;
        let mut factors = MatMut::col_major(&mut factors, n, n)?;
        copy(a.as_ref(), factors.reborrow());
        fill(a.reborrow(), T::ZERO);
        (0..n).for_each(|i| _ = a.set(i, i, T::ONE));
        lu_solve(false, factors.as_ref(), &pivots, a)
    }
}
