//! NumPy arrays as slices and views, in place: what is read, what is written, and what is refused.
//!
//! # Why kernels may run without the GIL
//! A kernel runs while other Python threads do. Four things keep its memory as it expects it:
//! - `Read` and `Out` hold the borrow flags of rust-numpy for the whole call: no other call of this module, nor of
//!   another extension that uses them, writes what is read here, or touches what is written.
//! - They hold references to the arrays, so that the memory is neither freed nor moved; `ndarray.resize` refuses an
//!   array that others refer to.
//! - `Out` refuses memory between the first and the last byte of any argument, whatever object owns it.
//! - Python code that writes an argument meanwhile is not stopped by a flag, as with NumPy's own functions that
//!   release the GIL. Such a write changes numbers only: kernels read these arrays as floats and bytes, of which all
//!   bits are values, and derive no address from them. What addresses follow from, the offsets and columns of a sparse
//!   matrix, is copied before it is checked (`sparse.rs`).

use fulmen::{MatMut, MatRef};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::ops::Range;

/// A NumPy array as Python passes it.
pub type Any<'a, 'py> = &'a Bound<'py, PyAny>;
/// What a function returns.
pub type Given<'py> = PyResult<Bound<'py, PyAny>>;

/// `f32` and `f64`.
pub trait Item: fulmen::Element + Layout<As = Self> {
    /// Pairs of them, as NumPy has them.
    type Pair: Layout<As = fulmen::Complex<Self>>;
    /// From a Python float.
    fn of(x: f64) -> Self;
}
impl Item for f32 {
    type Pair = numpy::Complex32;
    fn of(x: f64) -> Self {
        x as Self
    }
}
impl Item for f64 {
    type Pair = numpy::Complex64;
    fn of(x: f64) -> Self {
        x
    }
}

/// Elements of NumPy that lie in memory as one of fulmen's types does.
///
/// # Safety
/// `As` has the size, the alignment and the valid bits of `Self`.
pub unsafe trait Layout: Element + Copy {
    /// That type.
    type As: Copy + Send + Sync;
}
macro_rules! same_layout {
    ($($T:ty => $As:ty),*) => {$(
        // SAFETY: it is the same type, or two numbers in the order real, imaginary (`repr(C)`).
        unsafe impl Layout for $T {
            type As = $As;
        }
    )*};
}
same_layout!(f32 => f32, f64 => f64, u8 => u8, u32 => u32, i32 => i32, i64 => i64,
    numpy::Complex32 => fulmen::c32, numpy::Complex64 => fulmen::c64);

/// The op and the argument that an error names.
#[derive(Clone, Copy)]
pub struct Name(pub &'static str, pub &'static str);

impl Name {
    pub fn value(self, what: impl Display) -> PyErr {
        PyValueError::new_err(format!("{}: `{}` {what}", self.0, self.1))
    }
    pub fn kind(self, what: impl Display) -> PyErr {
        PyTypeError::new_err(format!("{}: `{}` {what}", self.0, self.1))
    }
}

/// What an op refuses.
pub fn refused(why: fulmen::Error) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Scratch of zeros.
pub fn scratch<T: Copy + Default>(len: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len)
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {len} elements of scratch")))?;
    room.resize(len, T::default());
    Ok(room)
}

/// Threads that kernels run on.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

fn array<'a, 'py>(name: Name, x: Any<'a, 'py>) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    x.cast::<PyUntypedArray>().map_err(|_| {
        let kind = x.get_type().name().map_or("no array".into(), |n| n.to_string());
        name.kind(format_args!("is a {kind}, a NumPy array expected"))
    })
}

/// Whether elements are `f64` (or pairs of them) instead of `f32`.
pub fn is_double(op: &'static str, arg: &'static str, x: Any<'_, '_>, pairs: bool) -> PyResult<bool> {
    let (name, py) = (Name(op, arg), x.py());
    let found = array(name, x)?.dtype();
    let (single, double, say) = if pairs {
        (dtype::<numpy::Complex32>(py), dtype::<numpy::Complex64>(py), "complex64 or complex128")
    } else {
        (dtype::<f32>(py), dtype::<f64>(py), "float32 or float64")
    };
    if found.is_equiv_to(&double) {
        Ok(true)
    } else if found.is_equiv_to(&single) {
        Ok(false)
    } else {
        Err(name.kind(format_args!("has the dtype {found}, {say} expected: {arg}.astype(…) converts it")))
    }
}

/// The expression with `$T` as `f32` or `f64`, as the elements of `$x` are.
macro_rules! by_type {
    ($op:expr, $arg:literal, $x:expr, $T:ident => $call:expr) => {
        $crate::arrays::by_type!(@ $op, $arg, $x, false, $T => $call)
    };
    (pairs $op:expr, $arg:literal, $x:expr, $T:ident => $call:expr) => {
        $crate::arrays::by_type!(@ $op, $arg, $x, true, $T => $call)
    };
    (@ $op:expr, $arg:literal, $x:expr, $pairs:literal, $T:ident => $call:expr) => {
        if $crate::arrays::is_double($op, $arg, $x, $pairs)? {
            type $T = f64;
            $call
        } else {
            type $T = f32;
            $call
        }
    };
}
pub(crate) use by_type;

fn typed<'a, 'py, T: Layout>(name: Name, x: Any<'a, 'py>) -> PyResult<&'a Bound<'py, PyArrayDyn<T>>> {
    let found = array(name, x)?.dtype();
    x.cast::<PyArrayDyn<T>>()
        .map_err(|_| name.kind(format_args!("has the dtype {found}, {} expected", dtype::<T>(x.py()))))
}

/// The addresses from the first byte to behind the last one; empty without elements.
fn reach<T: Layout>(x: &Bound<'_, PyArrayDyn<T>>) -> Range<usize> {
    let (mut low, mut high) = (x.data() as usize, x.data() as usize + size_of::<T>());
    for (&n, &step) in x.shape().iter().zip(x.strides()) {
        if n == 0 {
            return 0..0;
        }
        let far = (n - 1) * step.unsigned_abs();
        if step < 0 { low -= far } else { high += far }
    }
    low..high
}

/// Rows, columns and strides in elements of what has at most two axes.
fn plane<T: Layout>(name: Name, x: &Bound<'_, PyArrayDyn<T>>) -> PyResult<([usize; 2], [isize; 2])> {
    let size = size_of::<T>() as isize;
    let (shape, strides) = match (x.shape(), x.strides()) {
        (&[], &[]) => ([1, 1], [0, 0]),
        (&[n], &[s]) => ([1, n], [0, s]),
        (&[m, n], &[r, s]) => ([m, n], [r, s]),
        (shape, _) => return Err(name.value(format_args!("has {} axes, at most 2 expected", shape.len()))),
    };
    if strides.iter().any(|s| s % size != 0) || !(x.data() as usize).is_multiple_of(align_of::<T>()) {
        return Err(name.value("is not aligned to its elements: np.array(…) copies it"));
    }
    Ok((shape, strides.map(|s| s / size)))
}

fn flat<T: Layout>(name: Name, x: &Bound<'_, PyArrayDyn<T>>) -> PyResult<()> {
    if !x.is_c_contiguous() {
        return Err(name.value(
            "is not contiguous in C order, which this op reads in place: np.ascontiguousarray(…) copies it",
        ));
    }
    if !(x.data() as usize).is_multiple_of(align_of::<T>()) {
        return Err(name.value("is not aligned to its elements: np.array(…) copies it"));
    }
    Ok(())
}

/// An array that is read in place.
pub struct Read<'py, T: Layout> {
    pub name: Name,
    guard: PyReadonlyArrayDyn<'py, T>,
}

impl<'py, T: Layout> Read<'py, T> {
    pub fn new(op: &'static str, arg: &'static str, x: Any<'_, 'py>) -> PyResult<Self> {
        let name = Name(op, arg);
        let guard = typed::<T>(name, x)?.try_readonly();
        let guard = guard.map_err(|_| name.value("is being written by another call"))?;
        Ok(Self { name, guard })
    }
    pub fn shape(&self) -> &[usize] {
        self.guard.shape()
    }
    pub fn axes(&self) -> usize {
        self.guard.shape().len()
    }
    /// The length of the last axis, and of all before it together.
    pub fn lines(&self) -> PyResult<(usize, usize)> {
        let (cols, rows) =
            self.shape().split_last().ok_or_else(|| self.name.value("has no axis, at least 1 expected"))?;
        Ok((*cols, rows.iter().product()))
    }
    /// Sizes of so many axes.
    pub fn sizes<const N: usize>(&self) -> PyResult<[usize; N]> {
        let shape = self.shape();
        shape.try_into().map_err(|_| self.name.value(format_args!("has {} axes, {N} expected", shape.len())))
    }
    /// All elements, which lie in C order.
    pub fn slice(&self) -> PyResult<&[T::As]> {
        flat(self.name, &self.guard)?;
        if self.guard.is_empty() {
            return Ok(&[]);
        }
        // SAFETY: it is aligned and contiguous, `As` is laid out as `T`, and the guard holds it; see the module.
        Ok(unsafe { std::slice::from_raw_parts(self.guard.data().cast(), self.guard.len()) })
    }
    /// A matrix with any strides; a vector is one row.
    pub fn matrix(&self) -> PyResult<MatRef<'_, T::As>> {
        let ([m, n], [r, s]) = plane(self.name, &self.guard)?;
        // SAFETY: NumPy vouches for the elements that shape and strides name, and the guard holds them; see the module.
        unsafe { MatRef::from_raw_parts(self.guard.data().cast::<T::As>().cast_const(), m, n, r, s) }
            .map_err(refused)
    }
    /// The lines along the last axis: of two axes with any strides, of more contiguous.
    pub fn rows(&self) -> PyResult<MatRef<'_, T::As>> {
        if self.axes() <= 2 {
            return self.matrix();
        }
        let (cols, rows) = self.lines()?;
        MatRef::row_major(self.slice()?, rows, cols).map_err(refused)
    }
    fn reach(&self) -> (Name, Range<usize>) {
        (self.name, reach(&self.guard))
    }
    /// `Ok` when it has this shape.
    pub fn expect(&self, shape: &[usize]) -> PyResult<()> {
        same_shape(self.name, shape, self.shape())
    }
}

fn same_shape(name: Name, expected: &[usize], got: &[usize]) -> PyResult<()> {
    if expected == got {
        Ok(())
    } else {
        Err(name.value(format_args!("has the shape {got:?}, {expected:?} expected")))
    }
}

/// An argument of any element type, of which `out` may be no part.
pub trait Apart {
    fn bytes(&self) -> (Name, Range<usize>);
}
impl<T: Layout> Apart for Read<'_, T> {
    fn bytes(&self) -> (Name, Range<usize>) {
        self.reach()
    }
}

/// An array that is written in place: that of the caller, or a new one.
pub struct Out<'py, T: Layout> {
    name: Name,
    guard: PyReadwriteArrayDyn<'py, T>,
}

impl<'py, T: Layout> Out<'py, T> {
    /// `out`, if it has this shape and lies apart from what is read; zeros if there is none.
    pub fn new(
        py: Python<'py>,
        op: &'static str,
        out: Option<Any<'_, 'py>>,
        shape: &[usize],
        read: &[&dyn Apart],
    ) -> PyResult<Self> {
        match out {
            Some(out) => Self::of(Name(op, "out"), out, shape, read),
            None => Self::zeros(py, Name(op, "out"), shape),
        }
    }
    /// An argument that is written, under the same conditions.
    pub fn of(name: Name, x: Any<'_, 'py>, shape: &[usize], read: &[&dyn Apart]) -> PyResult<Self> {
        let array = typed::<T>(name, x)?;
        same_shape(name, shape, array.shape())?;
        let own = reach(array);
        for other in read {
            let (Name(_, arg), bytes) = other.bytes();
            if own.start < bytes.end && bytes.start < own.end {
                return Err(name.value(format_args!("overlaps `{arg}` in memory")));
            }
        }
        let guard = array.try_readwrite().map_err(|why| match why {
            numpy::BorrowError::NotWriteable => name.value("is read-only"),
            _ => name.value("is in use by another call"),
        })?;
        Ok(Self { name, guard })
    }
    fn zeros(py: Python<'py>, name: Name, shape: &[usize]) -> PyResult<Self> {
        // By Python, whose error for a size that no memory has is an exception.
        let array = py.import("numpy")?.call_method1("zeros", (shape, dtype::<T>(py)))?;
        Self::of(name, &array, shape, &[])
    }
    pub fn slice(&mut self) -> PyResult<&mut [T::As]> {
        flat(self.name, &self.guard)?;
        if self.guard.is_empty() {
            return Ok(&mut []);
        }
        // SAFETY: it is aligned, contiguous and writeable, `As` is laid out as `T`, and the guard keeps others away; see the module.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.guard.data().cast(), self.guard.len()) })
    }
    pub fn matrix(&mut self) -> PyResult<MatMut<'_, T::As>> {
        let ([m, n], [r, s]) = plane(self.name, &self.guard)?;
        // SAFETY: NumPy vouches for the elements that shape and strides name, and the guard keeps others away; see the module.
        unsafe { MatMut::from_raw_parts(self.guard.data().cast::<T::As>(), m, n, r, s) }
            .map_err(|_| self.name.value("has elements that share memory"))
    }
    pub fn rows(&mut self) -> PyResult<MatMut<'_, T::As>> {
        let shape = self.guard.shape();
        let Some((&cols, before)) = shape.split_last().filter(|_| shape.len() > 2) else {
            return self.matrix();
        };
        let rows = before.iter().product();
        MatMut::row_major(self.slice()?, rows, cols).map_err(refused)
    }
    /// The array, of which others may do what they want.
    pub fn done(self) -> Bound<'py, PyAny> {
        let array = self.guard.as_any().clone();
        drop(self.guard);
        array
    }
}
impl<T: Layout> Apart for Out<'_, T> {
    fn bytes(&self) -> (Name, Range<usize>) {
        (self.name, reach(&self.guard))
    }
}
