//! The C ABI of the BLAS and LAPACK routines that the crate has (feature `capi`), `cblas_*` functions and Fortran
//! symbols (`sgemm_`), by which a program links it in place of another BLAS. `include/fulmen.h` declares them.
//!
//! As in the reference BLAS, an illegal argument is reported by its position to the handler of the program or on the
//! standard error output (`xerbla`), and nothing is written. A failed allocation of scratch is reported in the same
//! way; scratch is a buffer of the calling thread that grows as needed. With the feature `parallel` large products run
//! on the threads of rayon.
//!
//! Where the result is empty, or the scalars leave it unchanged, no operand is read: it may be a null pointer.
//!
//! The functions are as unsafe as C: pointers must be valid for the sizes passed with them, and outputs must not
//! overlap inputs.

use crate::buffer::Buffer;
use crate::lanes::Element;
use crate::view::{MatMut, MatRef, VecMut, VecRef};
use crate::{Diagonal, Error, Side, Triangle};
use core::cell::RefCell;
use core::ffi::{c_char, c_int};
use xerbla::xerbla;

/// The position of an illegal argument in the call of `cblas_*`, from 1.
#[derive(PartialEq, Eq)]
struct At(pub c_int);

impl At {
    /// There is no memory for scratch.
    const MEMORY: Self = Self(-1);
}

/// A failure below the checks of this module would be a defect of theirs: it is reported as argument 0.
impl From<Error> for At {
    fn from(_: Error) -> Self {
        Self(0)
    }
}

type Checked<T> = Result<T, At>;

/// Reports the error of a `cblas_*` call.
#[inline]
fn cblas(name: &str, r: Checked<()>) {
    if let Err(at) = r {
        xerbla(name, at, 0);
    }
}

/// Reports the error of a Fortran call, which has no argument for the order.
#[inline]
fn fortran(name: &str, r: Checked<()>) {
    if let Err(at) = r {
        xerbla(name, at, 1);
    }
}

/// How matrices lie in memory.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Rows,
    Columns,
}

/// Arguments that are numbers in C and letters in Fortran.
#[derive(Clone, Copy)]
enum Word {
    Number(c_int),
    Letter(u8),
}

impl Word {
    /// # Safety
    /// `p` is valid for reads of one character.
    #[inline]
    unsafe fn letter(p: *const c_char) -> Self {
        // SAFETY: the caller's promise.
        Self::Letter(unsafe { p.cast::<u8>().read() }.to_ascii_uppercase())
    }
    #[inline]
    fn order(self, at: c_int) -> Checked<Order> {
        match self {
            Self::Number(101) => Ok(Order::Rows),
            Self::Number(102) => Ok(Order::Columns),
            _ => Err(At(at)),
        }
    }
    /// Whether the numbers of the matrix are conjugated, which those of real ones are by themselves.
    #[inline]
    fn conjugated(self) -> bool {
        matches!(self, Self::Number(113) | Self::Letter(b'C'))
    }
    /// Whether the matrix is transposed.
    #[inline]
    fn transposed(self, at: c_int) -> Checked<bool> {
        match self {
            Self::Number(111) | Self::Letter(b'N') => Ok(false),
            Self::Number(112 | 113) | Self::Letter(b'T' | b'C') => Ok(true),
            _ => Err(At(at)),
        }
    }
    #[inline]
    fn triangle(self, at: c_int) -> Checked<Triangle> {
        match self {
            Self::Number(121) | Self::Letter(b'U') => Ok(Triangle::Upper),
            Self::Number(122) | Self::Letter(b'L') => Ok(Triangle::Lower),
            _ => Err(At(at)),
        }
    }
    #[inline]
    fn diagonal(self, at: c_int) -> Checked<Diagonal> {
        match self {
            Self::Number(131) | Self::Letter(b'N') => Ok(Diagonal::NonUnit),
            Self::Number(132) | Self::Letter(b'U') => Ok(Diagonal::Unit),
            _ => Err(At(at)),
        }
    }
    #[inline]
    fn side(self, at: c_int) -> Checked<Side> {
        match self {
            Self::Number(141) | Self::Letter(b'L') => Ok(Side::Left),
            Self::Number(142) | Self::Letter(b'R') => Ok(Side::Right),
            _ => Err(At(at)),
        }
    }
}

/// A size, which may not be negative.
#[inline]
fn size(at: c_int, n: c_int) -> Checked<usize> {
    usize::try_from(n).map_err(|_| At(at))
}

/// The row and column stride of a `rows` by `cols` matrix of leading dimension `ld`.
#[inline]
fn strides(at: c_int, order: Order, [rows, cols]: [usize; 2], ld: c_int) -> Checked<[isize; 2]> {
    let line = if order == Order::Rows { cols } else { rows };
    let ld = size(at, ld)?;
    if ld < line.max(1) {
        return Err(At(at));
    }
    Ok(if order == Order::Rows { [ld as isize, 1] } else { [1, ld as isize] })
}

/// A matrix that is read, as it lies; `at` is the position of its leading dimension.
/// # Safety
/// `p` is valid for reads of that matrix for as long as the view is used.
#[inline]
unsafe fn matrix<'a, T>(
    at: c_int,
    order: Order,
    shape: [usize; 2],
    p: *const T,
    ld: c_int,
) -> Checked<MatRef<'a, T>> {
    let strides = strides(at, order, shape, ld)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { MatRef::from_raw(p, shape, strides) })
}

/// A matrix that is written.
/// # Safety
/// `p` is valid for reads and writes of that matrix, of nothing else, for as long as the view is used.
#[inline]
unsafe fn matrix_mut<'a, T>(
    at: c_int,
    order: Order,
    shape: [usize; 2],
    p: *mut T,
    ld: c_int,
) -> Checked<MatMut<'a, T>> {
    let strides = strides(at, order, shape, ld)?;
    // SAFETY: the caller's promise; a leading dimension is no shorter than a line, so no two elements are one.
    Ok(unsafe { MatMut::from_raw(p, shape, strides) })
}

/// The increment of a vector, which may not be 0.
#[inline]
fn increment(at: c_int, inc: c_int) -> Checked<()> {
    if inc == 0 { Err(At(at)) } else { Ok(()) }
}

/// The first element and the stride of a vector: with a negative increment it starts at the other end.
#[inline]
fn start<T>(n: usize, p: *const T, inc: c_int) -> (*const T, isize) {
    let stride = inc as isize;
    let back = if inc < 0 { (n as isize - 1).max(0).wrapping_mul(-stride) } else { 0 };
    (p.wrapping_offset(back), stride)
}

/// A vector that is read.
/// # Safety
/// `p` is valid for reads of `n` elements `inc` apart for as long as the view is used.
#[inline]
unsafe fn vector<'a, T>(at: c_int, n: usize, p: *const T, inc: c_int) -> Checked<VecRef<'a, T>> {
    increment(at, inc)?;
    let (p, stride) = start(n, p, inc);
    // SAFETY: the caller's promise.
    Ok(VecRef::of_col(unsafe { MatRef::from_raw(p, [n, 1], [stride, 1]) }))
}

/// A vector that is read, all of it one element if the stride is 0.
/// # Safety
/// `p` is valid for reads of `n` elements `stride` apart for as long as the view is used.
#[inline]
unsafe fn repeated<'a, T>(n: usize, p: *const T, stride: isize) -> VecRef<'a, T> {
    // SAFETY: the caller's promise.
    VecRef::of_col(unsafe { MatRef::from_raw(p, [n, 1], [stride, 1]) })
}

/// A vector that is written.
/// # Safety
/// `p` is valid for reads and writes of `n` elements `inc` apart, and of nothing else, for as long as the view is used.
#[inline]
unsafe fn vector_mut<'a, T>(at: c_int, n: usize, p: *mut T, inc: c_int) -> Checked<VecMut<'a, T>> {
    increment(at, inc)?;
    let (p, stride) = start(n, p, inc);
    // SAFETY: the caller's promise; the stride is not zero.
    Ok(VecMut::of_col(unsafe { MatMut::from_raw(p.cast_mut(), [n, 1], [stride, 1]) }))
}

/// An element type with a buffer in each thread.
trait Scratch: Element {
    /// `f` with a workspace of `len` elements, if there is memory for it.
    fn with<R>(len: usize, f: impl FnOnce(&mut [Self]) -> R) -> Option<R>;
}

macro_rules! scratch {
    ($($t:ident)*) => {$(
        impl Scratch for $t {
            fn with<R>(len: usize, f: impl FnOnce(&mut [Self]) -> R) -> Option<R> {
                std::thread_local! {
                    static SCRATCH: RefCell<Option<Buffer<$t>>> = const { RefCell::new(None) };
                }
                let mut f = Some(f);
                let kept = SCRATCH.try_with(|scratch| {
                    // A call within a call of this thread, as a thread that waits for others may make, finds it in use.
                    let mut scratch = scratch.try_borrow_mut().ok()?;
                    if scratch.as_ref().is_none_or(|scratch| scratch.len() < len) {
                        *scratch = Buffer::try_new(len).ok();
                    }
                    f.take().map(|f| scratch.as_mut().map(|scratch| f(scratch)))
                });
                match (kept, f) {
                    (Ok(Some(r)), _) => r,
                    // In use, or the thread ends and a destructor of the program calls.
                    (_, Some(f)) => Buffer::try_new(len).ok().map(|mut scratch| f(&mut scratch)),
                    (_, None) => None,
                }
            }
        }
    )*};
}
scratch!(f32 f64);

/// The serial or the parallel form of an op that takes no workspace.
macro_rules! plain {
    ($op:ident($($arg:expr),*)) => {{
        #[cfg(feature = "parallel")]
        let r = crate::parallel::$op($($arg),*);
        #[cfg(not(feature = "parallel"))]
        let r = crate::$op($($arg),*);
        r
    }};
}

/// The serial or the parallel form of an op, with its workspace.
macro_rules! with_room {
    ($T:ident, $op:ident($($arg:expr),*), $len:expr) => {{
        #[cfg(feature = "parallel")]
        let len = $len.saturating_mul(rayon::current_num_threads());
        #[cfg(not(feature = "parallel"))]
        let len = $len;
        $T::with(len, |workspace| plain!($op($($arg,)* workspace))).ok_or(At::MEMORY)?
    }};
}
/// The type of an argument in C: a word, a number, a scalar, a pointer to read or to write, of real or of complex numbers.
macro_rules! in_c {
    ($T:ident w) => { c_int };
    ($T:ident i) => { c_int };
    ($T:ident s) => { $T };
    ($T:ident p) => { *const $T };
    ($T:ident m) => { *mut $T };
    ($T:ident z) => { *const Complex<$T> };
    ($T:ident o) => { *mut Complex<$T> };
    (w = $x:ident) => { Word::Number($x) };
    ($k:ident = $x:ident) => { $x };
}

/// The same in Fortran, where everything is a pointer.
macro_rules! in_fortran {
    ($T:ident w) => { *const c_char };
    ($T:ident i) => { *const c_int };
    ($T:ident s) => { *const $T };
    ($T:ident p) => { *const $T };
    ($T:ident m) => { *mut $T };
    ($T:ident z) => { *const Complex<$T> };
    ($T:ident o) => { *mut Complex<$T> };
    (w = $x:ident) => { Word::letter($x) };
    (i = $x:ident) => { $x.read() };
    (s = $x:ident) => { $x.read() };
    ($k:ident = $x:ident) => { $x };
}

/// Exports `f` under its names: of C, and of Fortran, whose matrices lie by columns.
macro_rules! export {
    ($f:ident($($k:ident $x:ident),*): $($T:ident $cblas:ident $fortran:ident),*) => {
        export!(@ $($T $cblas $fortran $f)* ($($k $x),*));
    };
    (@ $T:ident $cblas:ident $fortran:ident $f:ident $($more:ident)* ($($k:ident $x:ident),*)) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $cblas(order: c_int, $($x: in_c!($T $k)),*) {
            // SAFETY: the pointers are what the reference BLAS demands, which the C caller guarantees.
            let r = unsafe { $f::<$T>(Word::Number(order), $(in_c!($k = $x)),*) };
            crate::capi::cblas(stringify!($cblas), r);
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $fortran($($x: in_fortran!($T $k)),*) {
            // SAFETY: as above, of the Fortran caller; each scalar is passed by its address.
            let r = unsafe { $f::<$T>(Word::Number(102), $(in_fortran!($k = $x)),*) };
            crate::capi::fortran(stringify!($fortran), r);
        }
        export!(@ $($more)* ($($k $x),*));
    };
    (@ ($($k:ident $x:ident),*)) => {};
}

/// As [`export`], of what has no order, and perhaps a result.
macro_rules! export_vectors {
    ($f:ident($($k:ident $x:ident),*) $(-> $r:ident)?: $($T:ident $cblas:ident $fortran:ident),*) => {
        export_vectors!(@ $($T $cblas $fortran $f)* ($($k $x),*) $($r)?);
    };
    (@ $T:ident $cblas:ident $fortran:ident $f:ident $($more:ident)* ($($k:ident $x:ident),*) $($r:ident)?) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $cblas($($x: in_c!($T $k)),*) $(-> result!($T $r c))? {
            // SAFETY: the pointers are what the reference BLAS demands, which the C caller guarantees.
            let r = unsafe { $f::<$T>($(in_c!($k = $x)),*) };
            result!(c r $($r)?)
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $fortran($($x: in_fortran!($T $k)),*) $(-> result!($T $r fortran))? {
            // SAFETY: as above, of the Fortran caller; each scalar is passed by its address.
            let r = unsafe { $f::<$T>($(in_fortran!($k = $x)),*) };
            result!(fortran r $($r)?)
        }
        export_vectors!(@ $($more)* ($($k $x),*) $($r)?);
    };
    (@ ($($k:ident $x:ident),*) $($r:ident)?) => {};
}

/// A value, or an index, which Fortran counts from 1, with 0 for none.
macro_rules! result {
    ($T:ident value $to:ident) => {
        $T
    };
    ($T:ident index c) => {
        usize
    };
    ($T:ident index fortran) => {
        c_int
    };
    ($to:ident $x:ident) => {
        $x
    };
    ($to:ident $x:ident value) => {
        $x
    };
    (c $x:ident index) => {
        $x.unwrap_or(0)
    };
    (fortran $x:ident index) => {
        $x.and_then(|x| c_int::try_from(x).ok()).map_or(0, |x| x.saturating_add(1))
    };
}

mod banded;
mod complex;
mod lapack;
mod level1;
mod level2;
mod level3;
mod xerbla;
