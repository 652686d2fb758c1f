//! The LAPACK symbols of eigenvalues and singular values: `syev`, `syevd`, `sygv`, `geev`, `gesvd`, `gesdd`.

use super::orthogonal::form;
use super::systems::{cholesky, not_finite};
use super::*;

routine! { syev(w jobz, w uplo, i n, m a, i lda, m w, m work, i lwork): f32 ssyev_, f64 dsyev_ }
routine! { syevd(w jobz, w uplo, i n, m a, i lda, m w, m work, i lwork, k iwork, i liwork): f32 ssyevd_, f64 dsyevd_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn syev<T: Scratch>(
    jobz: Word,
    uplo: Word,
    n: c_int,
    a: *mut T,
    lda: c_int,
    w: *mut T,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let ([_, triangle], n) = symmetric(jobz, uplo, n, lda)?;
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        if query(8, work, lwork, (3 * long(n)).saturating_sub(1))? || n == 0 {
            return Ok(0);
        }
        eigen(triangle, n, a, lda, w)
    }
}

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn syevd<T: Scratch>(
    jobz: Word,
    uplo: Word,
    n: c_int,
    a: *mut T,
    lda: c_int,
    w: *mut T,
    work: *mut T,
    lwork: c_int,
    iwork: *mut c_int,
    liwork: c_int,
) -> Checked<c_int> {
    let ([vectors, triangle], n) = symmetric(jobz, uplo, n, lda)?;
    let [least, whole_least] = match (long(n), vectors) {
        (0 | 1, _) => [1, 1],
        (n, true) => [1 + 6 * n + 2 * n * n, 3 + 5 * n],
        (n, false) => [2 * n + 1, 1],
    };
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        let asked = query(8, work, if liwork == -1 { -1 } else { lwork }, least)?;
        if !asked && long(size(10, liwork)?) < whole_least {
            return Err(At(10));
        }
        iwork.write(c_int::try_from(whole_least).unwrap_or(c_int::MAX));
        if asked || n == 0 {
            return Ok(0);
        }
        eigen(triangle, n, a, lda, w)
    }
}

/// Whether vectors are wanted, whether the upper triangle is there, and the order.
fn symmetric(jobz: Word, uplo: Word, n: c_int, lda: c_int) -> Checked<([bool; 2], usize)> {
    let vectors = match jobz {
        Word::Letter(b'V') => true,
        Word::Letter(b'N') => false,
        _ => return Err(At(1)),
    };
    let triangle = uplo.triangle(2)?;
    let n = size(3, n)?;
    legal(5, [n, n], lda)?;
    Ok(([vectors, triangle == Triangle::Upper], n))
}

/// # Safety
/// `a` is valid for a matrix of order `n`, `w` for `n` numbers.
unsafe fn eigen<T: Scratch>(upper: bool, n: usize, a: *mut T, lda: c_int, w: *mut T) -> Checked<c_int> {
    // SAFETY: the caller's promise.
    let (mut a, w) =
        unsafe { (matrix_mut(5, Order::Columns, [n, n], a, lda)?, core::slice::from_raw_parts_mut(w, n)) };
    if upper {
        for i in 0..n {
            for j in 0..i {
                a.set(i, j, a.get(j, i).unwrap_or_default());
            }
        }
    }
    let r = with_room!(T, eigh(a.reborrow(), w), crate::eigh_workspace(n));
    ended(r, a, w)
}

/// `info` of eigenvalues and vectors, which are NaN where there are none.
fn ended<T: Scratch>(r: Result<(), Error>, a: MatMut<'_, T>, w: &mut [T]) -> Checked<c_int> {
    Ok(match done(r)? {
        Done::As(info) => info,
        _ => {
            spoil(a);
            w.fill(T::NAN);
            1
        }
    })
}

routine! { sygv(i itype, w jobz, w uplo, i n, m a, i lda, m b, i ldb, m w, m work, i lwork): f32 ssygv_, f64 dsygv_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn sygv<T: Scratch>(
    itype: c_int,
    jobz: Word,
    uplo: Word,
    n: c_int,
    a: *mut T,
    lda: c_int,
    b: *mut T,
    ldb: c_int,
    w: *mut T,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    if !(1..=3).contains(&itype) {
        return Err(At(1));
    }
    if !matches!(jobz, Word::Letter(b'V' | b'N')) {
        return Err(At(2));
    }
    let upper = uplo.triangle(3)? == Triangle::Upper;
    let n = size(4, n)?;
    legal(6, [n, n], lda)?;
    legal(8, [n, n], ldb)?;
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let (mut a, b, w) = unsafe {
        if query(11, work, lwork, (3 * long(n)).saturating_sub(1))? || n == 0 {
            return Ok(0);
        }
        let a = matrix_mut(6, Order::Columns, [n, n], a, lda)?;
        (a, matrix_mut(8, Order::Columns, [n, n], b, ldb)?, core::slice::from_raw_parts_mut(w, n))
    };
    for i in 0..n {
        for j in 0..i {
            let x = if upper { a.get(j, i) } else { a.get(i, j) }.unwrap_or_default();
            a.set(i, j, x);
            a.set(j, i, x);
        }
    }
    let mut l = if upper { b.t() } else { b };
    let r = if itype == 1 {
        with_room!(T, eigh_generalized(a.reborrow(), l.reborrow(), w), crate::eigh_generalized_workspace(n))
    } else {
        products(itype == 2, a.reborrow(), l.reborrow(), w)?
    };
    match r {
        Err(Error::Pivot { index, .. }) => Ok(whole(n.saturating_add(index).saturating_add(1))),
        // B, which is as it was, stops its factor as an indefinite one does.
        Err(Error::Nan { .. } | Error::Domain { .. }) if not_finite(l.as_ref()).is_some() => {
            Ok(whole(n).saturating_add(cholesky(Triangle::Lower, l)?))
        }
        r => ended(r, a, w),
    }
}

/// `ABx = λx`, or `BAx = λx`: values and vectors of `LᵀAL`, of which come `L⁻ᵀY`, or `LY`.
fn products<T: Scratch>(
    first: bool,
    mut a: MatMut<'_, T>,
    mut l: MatMut<'_, T>,
    w: &mut [T],
) -> Checked<Result<(), Error>> {
    let n = a.rows();
    let (one, left, right) = (T::ONE, Side::Left, Side::Right);
    let (lower, upper, with) = (Triangle::Lower, Triangle::Upper, Diagonal::NonUnit);
    let factored = with_room!(T, cholesky(l.reborrow()), crate::cholesky_workspace(n));
    if factored.is_err() {
        return Ok(factored);
    }
    let l = l.as_ref();
    let len = crate::trmm_workspace(left, n, n).max(crate::trmm_workspace(right, n, n));
    with_room!(T, trmm(right, one, lower, with, l, a.reborrow()), len)?;
    with_room!(T, trmm(left, one, upper, with, l.t(), a.reborrow()), len)?;
    let found = with_room!(T, eigh(a.reborrow(), w), crate::eigh_workspace(n));
    if found.is_ok() && first {
        with_room!(T, trsm(left, one, upper, with, l.t(), a), crate::trsm_workspace(left, n, n))?;
    } else if found.is_ok() {
        with_room!(T, trmm(left, one, lower, with, l, a), len)?;
    }
    Ok(found)
}

routine! { geev(w jobvl, w jobvr, i n, m a, i lda, m wr, m wi, m vl, i ldvl, m vr, i ldvr, m work, i lwork): f32 sgeev_, f64 dgeev_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn geev<T: Scratch>(
    jobvl: Word,
    jobvr: Word,
    n: c_int,
    a: *mut T,
    lda: c_int,
    wr: *mut T,
    wi: *mut T,
    vl: *mut T,
    ldvl: c_int,
    vr: *mut T,
    ldvr: c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let wanted = |at, job| match job {
        Word::Letter(b'V') => Ok(true),
        Word::Letter(b'N') => Ok(false),
        _ => Err(At(at)),
    };
    let (left, right) = (wanted(1, jobvl)?, wanted(2, jobvr)?);
    let n = size(3, n)?;
    legal(5, [n, n], lda)?;
    legal(9, if left { [n, n] } else { [1, 1] }, ldvl)?;
    legal(11, if right { [n, n] } else { [1, 1] }, ldvr)?;
    // SAFETY: the caller passes pointers that are valid for these sizes, and to vectors where they are wanted.
    let (mut a, mut vl, mut vr, wr, wi) = unsafe {
        if query(13, work, lwork, if left || right { 4 * long(n) } else { 3 * long(n) })? || n == 0 {
            return Ok(0);
        }
        let a = matrix_mut(5, Order::Columns, [n, n], a, lda)?;
        let vl = if left { Some(matrix_mut(9, Order::Columns, [n, n], vl, ldvl)?) } else { None };
        let vr = if right { Some(matrix_mut(11, Order::Columns, [n, n], vr, ldvr)?) } else { None };
        (a, vl, vr, core::slice::from_raw_parts_mut(wr, n), core::slice::from_raw_parts_mut(wi, n))
    };
    let r = {
        let (vl, vr) = (vl.as_mut().map(MatMut::reborrow), vr.as_mut().map(MatMut::reborrow));
        crate::eig(a.reborrow(), vl, vr, wr, wi, &mut memory::<T>(crate::eig_workspace(n))?)
    };
    let info = ended(r, a, wr)?;
    if info > 0 {
        wi.fill(T::NAN);
        [vl, vr].into_iter().flatten().for_each(spoil);
    }
    Ok(info)
}

/// What of the vectors of one side is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Job {
    All,
    Some,
    /// As many as there are singular values, over A.
    Over,
    None,
}

impl Job {
    fn of(at: c_int, word: Word) -> Checked<Self> {
        match word {
            Word::Letter(b'A') => Ok(Self::All),
            Word::Letter(b'S') => Ok(Self::Some),
            Word::Letter(b'O') => Ok(Self::Over),
            Word::Letter(b'N') => Ok(Self::None),
            _ => Err(At(at)),
        }
    }
    /// Vectors of length `n` that its own matrix has, of which there are `k` or all.
    const fn vectors(self, n: usize, k: usize) -> usize {
        match self {
            Self::All => n,
            Self::Some => k,
            Self::Over | Self::None => 0,
        }
    }
}

routine! { gesvd(w jobu, w jobvt, i m, i n, m a, i lda, m s, m u, i ldu, m vt, i ldvt, m work, i lwork): f32 sgesvd_, f64 dgesvd_ }
routine! { gesdd(w jobz, i m, i n, m a, i lda, m s, m u, i ldu, m vt, i ldvt, m work, i lwork, k iwork): f32 sgesdd_, f64 dgesdd_ }

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn gesvd<T: Scratch>(
    jobu: Word,
    jobvt: Word,
    m: c_int,
    n: c_int,
    a: *mut T,
    lda: c_int,
    s: *mut T,
    u: *mut T,
    ldu: c_int,
    vt: *mut T,
    ldvt: c_int,
    work: *mut T,
    lwork: c_int,
) -> Checked<c_int> {
    let jobs = [Job::of(1, jobu)?, Job::of(2, jobvt)?];
    if jobs == [Job::Over; 2] {
        return Err(At(2));
    }
    let (m, n) = (size(3, m)?, size(4, n)?);
    let (k, most) = (long(m.min(n)), long(m.max(n)));
    let least = (3 * k + most).max(5 * k);
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let info = unsafe {
        singular([6, 9, 11, 13], jobs, [m, n], a, lda, s, [u, vt], [ldu, ldvt], work, lwork, least)?
    };
    // Its iteration does not end with NaN, for which it has no number.
    Ok(if info < 0 { 1 } else { info })
}

#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn gesdd<T: Scratch>(
    jobz: Word,
    m: c_int,
    n: c_int,
    a: *mut T,
    lda: c_int,
    s: *mut T,
    u: *mut T,
    ldu: c_int,
    vt: *mut T,
    ldvt: c_int,
    work: *mut T,
    lwork: c_int,
    _iwork: *mut c_int,
) -> Checked<c_int> {
    let job = Job::of(1, jobz)?;
    let (m, n) = (size(2, m)?, size(3, n)?);
    let (k, most) = (long(m.min(n)), long(m.max(n)));
    let (jobs, least) = match job {
        Job::None => ([job; 2], 3 * k + most.max(7 * k)),
        // The wider vectors over A, the others all.
        Job::Over if m >= n => ([job, Job::All], 3 * k + most.max(5 * k * k + 4 * k)),
        Job::Over => ([Job::All, job], 3 * k + most.max(5 * k * k + 4 * k)),
        _ => ([job; 2], 4 * k * k + 6 * k + most),
    };
    // SAFETY: the caller passes pointers that are valid for these sizes.
    let info = unsafe {
        singular([5, 8, 10, 12], jobs, [m, n], a, lda, s, [u, vt], [ldu, ldvt], work, lwork, least)?
    };
    // It has a number for NaN.
    Ok(if info < 0 { -4 } else { info })
}

/// The positions are those of the leading dimensions and of `lwork`. Below zero where there is NaN or an infinity.
/// # Safety
/// The pointers are valid for what LAPACK says of these sizes.
#[allow(clippy::too_many_arguments, reason = "LAPACK")]
unsafe fn singular<T: Scratch>(
    at: [c_int; 4],
    [left, right]: [Job; 2],
    [m, n]: [usize; 2],
    a: *mut T,
    lda: c_int,
    s: *mut T,
    [u, vt]: [*mut T; 2],
    [ldu, ldvt]: [c_int; 2],
    work: *mut T,
    lwork: c_int,
    least: u128,
) -> Checked<c_int> {
    let k = m.min(n);
    let shapes = [[m, left.vectors(m, k)], [right.vectors(n, k), n]];
    legal(at[0], [m, n], lda)?;
    // LAPACK holds `ldu` to the rows of vectors that are asked for, where there are none of them too.
    legal(at[1], if matches!(left, Job::All | Job::Some) { shapes[0] } else { [1, 1] }, ldu)?;
    legal(at[2], if shapes[1][0] > 0 { shapes[1] } else { [1, 1] }, ldvt)?;
    // SAFETY: the caller's promise.
    unsafe {
        if query(at[3], work, lwork, least)? || k == 0 {
            return Ok(0);
        }
        let mut a = matrix_mut(at[0], Order::Columns, [m, n], a, lda)?;
        let values = core::slice::from_raw_parts_mut(s, k);
        let (mut own_u, mut own_vt) = (room::<T>(m, k)?, room::<T>(k, n)?);
        let (mut own_u, mut own_vt) =
            (MatMut::col_major(&mut own_u, m, k)?, MatMut::col_major(&mut own_vt, k, n)?);
        let r = {
            let (u, vt) = (own_u.reborrow(), own_vt.reborrow());
            with_room!(T, svd(a.reborrow(), u, values, vt), crate::svd_workspace(m, n))
        };
        let info = match done(r)? {
            Done::As(info) => info,
            odd => {
                spoil(own_u.reborrow());
                spoil(own_vt.reborrow());
                values.fill(T::NAN);
                if matches!(odd, Done::NotFinite) { -1 } else { 1 }
            }
        };
        for (job, own, to, ld, shape, turned) in [
            (left, own_u.as_ref(), u, ldu, shapes[0], false),
            (right, own_vt.as_ref(), vt, ldvt, shapes[1], true),
        ] {
            if job == Job::Over {
                copy(own, a.reborrow().block([0, 0], [own.rows(), own.cols()]));
            } else if job != Job::None {
                // Positions were found legal.
                let to = matrix_mut(0, Order::Columns, shape, to, ld)?;
                if turned { complete(own.t(), to.t())? } else { complete(own, to)? }
            }
        }
        Ok(info)
    }
}

/// Orthonormal columns, and as many more as `to` has, which are so with them.
fn complete<T: Scratch>(thin: MatRef<'_, T>, mut to: MatMut<'_, T>) -> Checked<()> {
    let (m, k, n) = (thin.rows(), thin.cols(), to.cols());
    copy(thin, to.reborrow().block([0, 0], [m, k]));
    if n > k {
        // R is diagonal: Q has the same columns, but for signs, and then those that are orthogonal to them.
        let mut tau = memory::<T>(k)?;
        let first = to.reborrow().block([0, 0], [m, k]);
        let r = with_room!(T, qr(first, &mut tau), crate::qr_workspace(m, k));
        if !matches!(done(r)?, Done::As(_)) {
            spoil(to);
            return Ok(());
        }
        form(to.reborrow(), &tau)?;
        copy(thin, to.block([0, 0], [m, k]));
    }
    Ok(())
}
