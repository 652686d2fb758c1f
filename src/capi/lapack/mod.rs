//! LAPACK symbols (`dpotrf_`) of the factorisations that the crate has. The calling convention is that of Fortran:
//! every argument is passed by address, matrices are column-major, and `info` is last.
//!
//! `info` is that of LAPACK: 0, or minus the position of an illegal argument, which is also named on the standard error
//! output, or the index of a pivot as the routine defines it; -1010 reports a failed allocation of scratch. The calling
//! thread has its own scratch, so `work` is not read; a query (`lwork = -1`) returns the minimal length that LAPACK
//! documents, and a shorter one is refused.
//!
//! The functions of the crate refuse NaN and infinities; these routines write NaN to every output instead, as callers
//! of LAPACK expect. Where a routine defines an `info` for a failure, it is set as well.

use super::{At, Checked, Order, Scratch, Word, matrix, matrix_mut, size, strides};
use crate::buffer::Buffer;
use crate::view::{MatMut, MatRef};
use crate::{Diagonal, Error, Side, Triangle};
use core::ffi::{c_char, c_int};

/// What LAPACK's own C interface returns where there is no memory.
const NO_MEMORY: c_int = -1010;

/// The type of an argument of Fortran: besides those of BLAS, integers that are read or written.
macro_rules! argument {
    ($T:ident w) => { *const c_char };
    ($T:ident i) => { *const c_int };
    ($T:ident j) => { *const c_int };
    ($T:ident k) => { *mut c_int };
    ($T:ident p) => { *const $T };
    ($T:ident m) => { *mut $T };
    (w = $x:ident) => { Word::letter($x) };
    (i = $x:ident) => { $x.read() };
    ($k:ident = $x:ident) => { $x };
}

/// Exports `f` under its names.
macro_rules! routine {
    ($f:ident($($k:ident $x:ident),*): $($T:ident $name:ident),*) => {
        routine!(@ $($T $name $f)* ($($k $x),*));
    };
    (@ $T:ident $name:ident $f:ident $($more:ident)* ($($k:ident $x:ident),*)) => {
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "LAPACK")]
        unsafe extern "C" fn $name($($x: argument!($T $k),)* info: *mut c_int) {
            // SAFETY: the pointers are what LAPACK demands, which the caller guarantees; each scalar is passed by its address.
            unsafe {
                let r = $f::<$T>($(argument!($k = $x)),*);
                info.write(crate::capi::lapack::outcome(stringify!($name), r));
            }
        }
        routine!(@ $($more)* ($($k $x),*));
    };
    (@ ($($k:ident $x:ident),*)) => {};
}

mod orthogonal;
mod spectral;
mod symmetric;
mod systems;

/// `info`, and a message where there is one.
fn outcome(name: &str, r: Checked<c_int>) -> c_int {
    match r {
        Ok(info) => info,
        Err(at) => {
            let info = if at == At::MEMORY { NO_MEMORY } else { -at.0 };
            super::xerbla(name, at, 0);
            info
        }
    }
}

/// What became of an op on data that may be anything.
enum Done {
    /// `info`: 0, or the pivot, from 1.
    As(c_int),
    /// There is NaN or an infinity.
    NotFinite,
    /// An iteration did not end.
    Diverged,
}

fn done(r: Result<(), Error>) -> Checked<Done> {
    match r {
        Ok(()) => Ok(Done::As(0)),
        Err(Error::Pivot { index, .. }) => Ok(Done::As(whole(index.saturating_add(1)))),
        Err(Error::Nan { .. } | Error::Domain { .. }) => Ok(Done::NotFinite),
        Err(Error::Convergence { .. }) => Ok(Done::Diverged),
        Err(e) => Err(e.into()),
    }
}

/// A size as C has it.
fn whole(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// The strides of a matrix of leading dimension `ld`, at that position, are legal.
fn legal(at: c_int, shape: [usize; 2], ld: c_int) -> Checked<()> {
    strides(at, Order::Columns, shape, ld).map(drop)
}

/// The order of a system and how many right-hand sides it has, which stand at the first of these positions and the next; the others
/// are those of A and B, whose leading dimensions are legal.
fn system([at, a, b]: [c_int; 3], [n, nrhs, lda, ldb]: [c_int; 4]) -> Checked<[usize; 2]> {
    let (n, nrhs) = (size(at, n)?, size(at + 1, nrhs)?);
    legal(a, [n, n], lda)?;
    legal(b, [n, nrhs], ldb)?;
    Ok([n, nrhs])
}

/// Answers a query, of which it says whether there was one, or refuses a workspace shorter than `least`.
/// # Safety
/// `work` is valid for a write.
unsafe fn query<T: Scratch>(at: c_int, work: *mut T, lwork: c_int, least: u128) -> Checked<bool> {
    let least = least.max(1);
    if lwork != -1 && long(size(at, lwork)?) < least {
        return Err(At(at));
    }
    // SAFETY: the caller's promise.
    unsafe { work.write(length(least)) };
    Ok(lwork == -1)
}

/// A size in the arithmetic of lengths of workspaces: five squares of the largest C integer fit on every machine.
const fn long(n: usize) -> u128 {
    n as u128
}

/// The least number that is no smaller: where `n` has more digits than the type, the nearest one may be, and a workspace of that
/// length would be refused.
fn length<T: Scratch>(n: u128) -> T {
    let mut x = T::from_f64(n as f64);
    // Doubling the step finds a larger number at once; a length that needs it is above 2²⁴.
    let mut step = 1_u128;
    while (x.to_f64() as u128) < n {
        x = T::from_f64(n.saturating_add(step) as f64);
        step = step.saturating_mul(2);
    }
    x
}

/// NaN everywhere.
fn spoil<T: Scratch>(a: MatMut<'_, T>) {
    fill(a, T::NAN);
}

/// One number everywhere.
fn fill<T: Scratch>(mut a: MatMut<'_, T>, x: T) {
    for j in 0..a.cols() {
        for i in 0..a.rows() {
            a.set(i, j, x);
        }
    }
}

/// A copy of one shape into another view of it.
fn copy<T: Scratch>(from: MatRef<'_, T>, mut to: MatMut<'_, T>) {
    for j in 0..from.cols() {
        for i in 0..from.rows() {
            to.set(i, j, from.get(i, j).unwrap_or_default());
        }
    }
}

/// Memory of `len` indices.
fn indices(len: usize) -> Checked<std::vec::Vec<u32>> {
    let mut scratch = std::vec::Vec::new();
    scratch.try_reserve_exact(len).map_err(|_| At::MEMORY)?;
    scratch.resize(len, 0);
    Ok(scratch)
}

/// Memory of `len` elements besides a workspace.
fn memory<T: Scratch>(len: usize) -> Checked<Buffer<T>> {
    Buffer::try_new(len).map_err(|_| At::MEMORY)
}

/// Memory for a matrix.
fn room<T: Scratch>(rows: usize, cols: usize) -> Checked<Buffer<T>> {
    memory(rows.checked_mul(cols).ok_or(At::MEMORY)?)
}
