//! The LAPACK symbols of symmetric indefinite systems: `sytrf`, `sytrs`, `sysv`. LAPACK exchanges rows of the columns
//! before a block only when it solves, and stores the off-diagonal element of D where L has a zero.

use super::*;

routine! { sytrf(w uplo, i n, m a, i lda, k ipiv, m work, i lwork): f32 ssytrf_, f64 dsytrf_ }

unsafe fn sytrf<T: Scratch>(
    uplo: Word,
    n: c_int,
    a: *mut T,
    lda: c_int,
    ipiv: *mut c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let n = size(2, n)?;
    legal(4, [n, n], lda)?;
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        if query(7, work, lwork, 1)? || n == 0 {
            return Ok(0);
        }
        factor(triangle, matrix_mut(4, Order::Columns, [n, n], a, lda)?, ipiv)
    }
}

/// An upper triangle is a lower one from its end.
fn turned<T>(triangle: Triangle, a: MatMut<'_, T>) -> MatMut<'_, T> {
    match triangle {
        Triangle::Lower => a,
        Triangle::Upper => a.reversed_rows().t().reversed_rows().t(),
    }
}

/// Where LAPACK has what is `i` here.
fn place(triangle: Triangle, n: usize, i: usize) -> usize {
    if triangle == Triangle::Upper { n - 1 - i } else { i }
}

/// Rows `i` and `p` of the columns before `end`.
fn swap<T: Scratch>(a: &mut MatMut<'_, T>, i: usize, p: usize, end: usize) {
    for j in 0..end {
        if let (Some(x), Some(y)) = (a.get(i, j), a.get(p, j)) {
            a.set(i, j, y);
            a.set(p, j, x);
        }
    }
}

/// # Safety
/// `ipiv` is valid for writes of as many integers as A has rows.
unsafe fn factor<T: Scratch>(triangle: Triangle, a: MatMut<'_, T>, ipiv: *mut c_int) -> Checked<c_int> {
    let n = a.rows();
    let mut a = turned(triangle, a);
    let (mut off, mut pivots) = (memory::<T>(n)?, indices(n)?);
    let r = with_room!(T, ldlt(a.reborrow(), &mut off, &mut pivots), crate::ldlt_workspace(n));
    let info = match done(r)? {
        Done::As(0) => 0,
        Done::As(info) => whole(place(triangle, n, size(1, info - 1)?) + 1),
        _ => {
            pivots.iter_mut().enumerate().for_each(|(i, p)| *p = i as u32);
            off.fill(T::ZERO);
            for i in 0..n {
                (0..=i).for_each(|j| _ = a.set(i, j, T::NAN));
            }
            0
        }
    };
    let second = |off: &[T], i: usize| i > 0 && off.get(i - 1).is_some_and(|x| *x != T::ZERO);
    for (i, p) in pivots.iter().enumerate().rev() {
        swap(&mut a, i, *p as usize, i - usize::from(second(&off, i)));
    }
    for (i, x) in off.iter().enumerate() {
        if *x != T::ZERO {
            a.set(i + 1, i, *x);
        }
        let two = second(&off, i + 1);
        let p = pivots.get(i + usize::from(two)).map_or(i, |p| *p as usize);
        let p = whole(place(triangle, n, p) + 1);
        let to = ipiv.wrapping_add(place(triangle, n, i));
        // SAFETY: the place is below the length that the caller guarantees.
        unsafe { to.write(if two || second(&off, i) { -p } else { p }) };
    }
    Ok(info)
}

routine! { sytrs(w uplo, i n, i nrhs, p a, i lda, j ipiv, m b, i ldb): f32 ssytrs_, f64 dsytrs_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn sytrs<T: Scratch>(
    uplo: Word,
    n: c_int,
    nrhs: c_int,
    a: *const T,
    lda: c_int,
    ipiv: *const c_int,
    b: *mut T,
    ldb: c_int,
) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let [n, nrhs] = system([2, 5, 8], [n, nrhs, lda, ldb])?;
    if n == 0 || nrhs == 0 {
        return Ok(0);
    }
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        let a = matrix(5, Order::Columns, [n, n], a, lda)?;
        let b = matrix_mut(8, Order::Columns, [n, nrhs], b, ldb)?;
        solve(triangle, a, ipiv, b)
    }
}

/// # Safety
/// `ipiv` is valid for reads of as many integers as A has rows.
unsafe fn solve<T: Scratch>(
    triangle: Triangle,
    a: MatRef<'_, T>,
    ipiv: *const c_int,
    b: MatMut<'_, T>,
) -> Checked<c_int> {
    let n = a.rows();
    let (mut factors, mut off, mut pivots) = (room::<T>(n, n)?, memory::<T>(n)?, indices(n)?);
    let mut f = MatMut::col_major(&mut factors, n, n)?;
    for i in 0..n {
        for j in 0..=i {
            let [row, col] = [i, j].map(|i| place(triangle, n, i));
            f.set(i, j, a.get(row, col).unwrap_or_default());
        }
    }
    off.fill(T::ZERO);
    let mut i = 0;
    while i < n {
        // SAFETY: the place is below the length that the caller guarantees.
        let p = unsafe { ipiv.wrapping_add(place(triangle, n, i)).read() };
        let two = p < 0;
        let row = i + usize::from(two);
        let p = usize::try_from(p.unsigned_abs()).ok().and_then(|p| p.checked_sub(1)).filter(|p| *p < n);
        let (Some(p), true) = (p, row < n) else { return Err(At(6)) };
        let p = place(triangle, n, p);
        for (k, to) in pivots.iter_mut().enumerate().take(row + 1).skip(i) {
            *to = if k == row { p } else { k } as u32;
        }
        if let Some(x) = off.get_mut(i).filter(|_| two) {
            *x = f.get(row, i).unwrap_or_default();
            f.set(row, i, T::ZERO);
        }
        swap(&mut f, row, p, i);
        i = row + 1;
    }
    let mut b = if triangle == Triangle::Upper { b.reversed_rows() } else { b };
    let len = crate::ldlt_solve_workspace(n, b.cols());
    let r = with_room!(T, ldlt_solve(f.as_ref(), &off, &pivots, b.reborrow()), len);
    if !matches!(done(r)?, Done::As(0)) {
        spoil(b);
    }
    Ok(0)
}

routine! { sysv(w uplo, i n, i nrhs, m a, i lda, k ipiv, m b, i ldb, m work, i lwork): f32 ssysv_, f64 dsysv_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn sysv<T: Scratch>(
    uplo: Word,
    n: c_int,
    nrhs: c_int,
    a: *mut T,
    lda: c_int,
    ipiv: *mut c_int,
    b: *mut T,
    ldb: c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let triangle = uplo.triangle(1)?;
    let [n, nrhs] = system([2, 5, 8], [n, nrhs, lda, ldb])?;
    // SAFETY: the caller passes pointers that are valid for these sizes; `ipiv` has n elements.
    unsafe {
        if query(10, work, lwork, 1)? || n == 0 {
            return Ok(0);
        }
        let mut a = matrix_mut(5, Order::Columns, [n, n], a, lda)?;
        let info = factor(triangle, a.reborrow(), ipiv)?;
        if info != 0 || nrhs == 0 {
            return Ok(info);
        }
        solve(triangle, a.as_ref(), ipiv, matrix_mut(8, Order::Columns, [n, nrhs], b, ldb)?)
    }
}
