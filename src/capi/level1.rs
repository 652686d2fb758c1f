//! The C ABI of BLAS level 1. No argument is illegal here but the flag of `rotm`: as in the reference BLAS, a call with
//! no elements does nothing and reads no operand.

use super::{At, Checked, Scratch, cblas, vector, vector_mut};
use crate::RotM;
use core::ffi::c_int;

/// The number of elements, 0 for fewer.
pub(super) fn count(n: c_int) -> usize {
    usize::try_from(n).unwrap_or(0)
}

/// Element after element, each written before the next is read: what the reference does where an increment is 0.
/// # Safety
/// Both vectors are valid for reads and writes of `n` elements at their increments.
pub(super) unsafe fn one_by_one<T>(
    n: usize,
    [x, y]: [*mut T; 2],
    inc: [c_int; 2],
    f: impl Fn(T, T) -> [T; 2],
) {
    let [(x, dx), (y, dy)] = [super::start(n, x, inc[0]), super::start(n, y, inc[1])];
    for i in 0..n as isize {
        let (x, y) = (x.wrapping_offset(i * dx).cast_mut(), y.wrapping_offset(i * dy).cast_mut());
        // SAFETY: the caller's promise.
        unsafe {
            let [new_x, new_y] = f(x.read(), y.read());
            x.write(new_x);
            y.write(new_y);
        }
    }
}

export_vectors! { swap(i n, m x, i incx, m y, i incy): f32 cblas_sswap sswap_, f64 cblas_dswap dswap_ }

unsafe fn swap<T: Scratch>(n: c_int, x: *mut T, incx: c_int, y: *mut T, incy: c_int) {
    let n = count(n);
    if n == 0 {
        return;
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        match (vector_mut(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("swap", crate::swap(x, y).map_err(At::from)),
            _ => one_by_one(n, [x, y], [incx, incy], |x, y| [y, x]),
        }
    }
}

export_vectors! { copy(i n, p x, i incx, m y, i incy): f32 cblas_scopy scopy_, f64 cblas_dcopy dcopy_ }

unsafe fn copy<T: Scratch>(n: c_int, x: *const T, incx: c_int, y: *mut T, incy: c_int) {
    let n = count(n);
    if n == 0 {
        return;
    }
    // SAFETY: the caller passes pointers that are valid for these sizes; `x` is written with what it holds.
    unsafe {
        match (vector(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("copy", crate::copy(x, y).map_err(At::from)),
            _ => read_one_by_one(n, x, y, [incx, incy], |x, _| x),
        }
    }
}

/// As [`one_by_one`], where `x` is only read.
/// # Safety
/// `x` is valid for reads, `y` for reads and writes.
pub(super) unsafe fn read_one_by_one<T>(
    n: usize,
    x: *const T,
    y: *mut T,
    inc: [c_int; 2],
    f: impl Fn(T, T) -> T,
) {
    let [(x, dx), (y, dy)] = [super::start(n, x, inc[0]), super::start(n, y.cast_const(), inc[1])];
    for i in 0..n as isize {
        let (x, y) = (x.wrapping_offset(i * dx), y.wrapping_offset(i * dy).cast_mut());
        // SAFETY: the caller's promise.
        unsafe { y.write(f(x.read(), y.read())) }
    }
}

export_vectors! { axpy(i n, s alpha, p x, i incx, m y, i incy): f32 cblas_saxpy saxpy_, f64 cblas_daxpy daxpy_ }

unsafe fn axpy<T: Scratch>(n: c_int, alpha: T, x: *const T, incx: c_int, y: *mut T, incy: c_int) {
    let n = count(n);
    if n == 0 || alpha == T::ZERO {
        return;
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        match (vector(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("axpy", crate::axpy_strided(alpha, x, y).map_err(At::from)),
            _ => read_one_by_one(n, x, y, [incx, incy], |x, y| alpha * x + y),
        }
    }
}

export_vectors! { scal(i n, s alpha, m x, i incx): f32 cblas_sscal sscal_, f64 cblas_dscal dscal_ }

unsafe fn scal<T: Scratch>(n: c_int, alpha: T, x: *mut T, incx: c_int) {
    if n <= 0 || incx <= 0 {
        return;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    if let Ok(x) = unsafe { vector_mut(0, count(n), x, incx) } {
        crate::scal(alpha, x);
    }
}

export_vectors! { dot(i n, p x, i incx, p y, i incy) -> value: f32 cblas_sdot sdot_, f64 cblas_ddot ddot_ }

unsafe fn dot<T: Scratch>(n: c_int, x: *const T, incx: c_int, y: *const T, incy: c_int) -> T {
    let n = count(n);
    if n == 0 {
        return T::ZERO;
    }
    let (x, dx) = super::start(n, x, incx);
    let (y, dy) = super::start(n, y, incy);
    // SAFETY: the caller passes pointers that are valid for these sizes; what is read may be repeated.
    let (x, y) = unsafe { (super::repeated(n, x, dx), super::repeated(n, y, dy)) };
    crate::dot_strided(x, y).unwrap_or(T::ZERO)
}

/// The sum of `n` products of `f32`, each exact in `f64`, in eight sums of `f64` that are added in pairs.
fn wide_products(n: usize, at: impl Fn(usize) -> (f32, f32)) -> f64 {
    let mut sums = [0.0; 8];
    let add = |sums: &mut [f64; 8], first: usize, len: usize| {
        for (k, sum) in sums.iter_mut().enumerate().take(len) {
            let (x, y) = at(first + k);
            *sum += f64::from(x) * f64::from(y);
        }
    };
    let whole = n - n % 8;
    for first in (0..whole).step_by(8) {
        add(&mut sums, first, 8);
    }
    add(&mut sums, whole, n % 8);
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// # Safety
/// Both vectors are valid for reads of `n` elements at their increments.
unsafe fn wide_dot(n: c_int, [x, y]: [*const f32; 2], [incx, incy]: [c_int; 2]) -> f64 {
    let n = count(n);
    let [(x, dx), (y, dy)] = [super::start(n, x, incx), super::start(n, y, incy)];
    if [dx, dy] == [1, 1] {
        // SAFETY: the caller's promise.
        wide_products(n, |i| unsafe { (x.wrapping_add(i).read(), y.wrapping_add(i).read()) })
    } else {
        let [x, y] = [(x, dx), (y, dy)].map(|(p, step)| move |i: usize| p.wrapping_offset(i as isize * step));
        // SAFETY: the caller's promise.
        wide_products(n, |i| unsafe { (x(i).read(), y(i).read()) })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cblas_dsdot(n: c_int, x: *const f32, incx: c_int, y: *const f32, incy: c_int) -> f64 {
    // SAFETY: the pointers are what the reference BLAS demands, which the C caller guarantees.
    unsafe { wide_dot(n, [x, y], [incx, incy]) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn dsdot_(
    n: *const c_int,
    x: *const f32,
    incx: *const c_int,
    y: *const f32,
    incy: *const c_int,
) -> f64 {
    // SAFETY: as above, of the Fortran caller; each scalar is passed by its address.
    unsafe { wide_dot(n.read(), [x, y], [incx.read(), incy.read()]) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cblas_sdsdot(
    n: c_int,
    alpha: f32,
    x: *const f32,
    incx: c_int,
    y: *const f32,
    incy: c_int,
) -> f32 {
    // SAFETY: as above.
    (f64::from(alpha) + unsafe { wide_dot(n, [x, y], [incx, incy]) }) as f32
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sdsdot_(
    n: *const c_int,
    alpha: *const f32,
    x: *const f32,
    incx: *const c_int,
    y: *const f32,
    incy: *const c_int,
) -> f32 {
    // SAFETY: as above, of the Fortran caller; each scalar is passed by its address.
    unsafe { cblas_sdsdot(n.read(), alpha.read(), x, incx.read(), y, incy.read()) }
}

export_vectors! { nrm2(i n, p x, i incx) -> value: f32 cblas_snrm2 snrm2_, f64 cblas_dnrm2 dnrm2_ }

unsafe fn nrm2<T: Scratch>(n: c_int, x: *const T, incx: c_int) -> T {
    if n <= 0 {
        return T::ZERO;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { vector(0, count(n), x, incx) }.map_or(T::ZERO, |x| crate::nrm2(x))
}

export_vectors! { asum(i n, p x, i incx) -> value: f32 cblas_sasum sasum_, f64 cblas_dasum dasum_ }

unsafe fn asum<T: Scratch>(n: c_int, x: *const T, incx: c_int) -> T {
    if n <= 0 || incx < 0 {
        return T::ZERO;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { vector(0, count(n), x, incx) }.map_or(T::ZERO, |x| crate::asum(x))
}

export_vectors! { iamax(i n, p x, i incx) -> index: f32 cblas_isamax isamax_, f64 cblas_idamax idamax_ }

unsafe fn iamax<T: Scratch>(n: c_int, x: *const T, incx: c_int) -> Option<usize> {
    if n <= 0 || incx < 0 {
        return None;
    }
    // SAFETY: the caller passes a pointer that is valid for these sizes.
    unsafe { vector(0, count(n), x, incx) }.ok().and_then(|x| crate::iamax(x).ok())
}

export_vectors! { rot(i n, m x, i incx, m y, i incy, s c, s s): f32 cblas_srot srot_, f64 cblas_drot drot_ }

unsafe fn rot<T: Scratch>(n: c_int, x: *mut T, incx: c_int, y: *mut T, incy: c_int, c: T, s: T) {
    let n = count(n);
    if n == 0 {
        return;
    }
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        match (vector_mut(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("rot", crate::rot(x, y, c, s).map_err(At::from)),
            _ => one_by_one(n, [x, y], [incx, incy], |x, y| [c * x + s * y, c * y - s * x]),
        }
    }
}

export_vectors! { rotg(m a, m b, m c, m s): f32 cblas_srotg srotg_, f64 cblas_drotg drotg_ }

unsafe fn rotg<T: Scratch>(a: *mut T, b: *mut T, c: *mut T, s: *mut T) {
    // SAFETY: the caller passes four valid pointers.
    unsafe {
        let g = crate::rotg(a.read(), b.read());
        a.write(g.r);
        b.write(g.z);
        c.write(g.c);
        s.write(g.s);
    }
}

export_vectors! { rotm(i n, m x, i incx, m y, i incy, p param): f32 cblas_srotm srotm_, f64 cblas_drotm drotm_ }

unsafe fn rotm<T: Scratch>(n: c_int, x: *mut T, incx: c_int, y: *mut T, incy: c_int, param: *const T) {
    let n = count(n);
    if n == 0 {
        return;
    }
    // SAFETY: the caller passes five parameters; those that the flag makes constants are not used.
    let checked: Checked<RotM<T>> =
        RotM::from_param(unsafe { param.cast::<[T; 5]>().read() }).map_err(|_| At(6));
    let h = match checked {
        Ok(h) => h,
        Err(at) => return cblas("rotm", Err(at)),
    };
    let [[h11, h12], [h21, h22]] = h.matrix();
    // SAFETY: the caller passes pointers that are valid for these sizes.
    unsafe {
        match (vector_mut(0, n, x, incx), vector_mut(0, n, y, incy)) {
            (Ok(x), Ok(y)) => cblas("rotm", crate::rotm(x, y, &h).map_err(At::from)),
            _ => one_by_one(n, [x, y], [incx, incy], |x, y| [h11 * x + h12 * y, h21 * x + h22 * y]),
        }
    }
}

export_vectors! { rotmg(m d1, m d2, m x1, s y1, m param): f32 cblas_srotmg srotmg_, f64 cblas_drotmg drotmg_ }

unsafe fn rotmg<T: Scratch>(d1: *mut T, d2: *mut T, x1: *mut T, y1: T, param: *mut T) {
    // SAFETY: the caller passes three values and room for five parameters.
    unsafe {
        let g = crate::rotmg(d1.read(), d2.read(), x1.read(), y1);
        d1.write(g.d1);
        d2.write(g.d2);
        x1.write(g.x1);
        param.cast::<[T; 5]>().write(g.h.param());
    }
}
