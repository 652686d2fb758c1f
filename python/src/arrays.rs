//! NumPy arrays as slices and views of the library, without copies, and the checks of arguments.
//!
//! # Why kernels may run without the GIL
//! A kernel runs while other Python threads run. Memory safety rests on four facts:
//! - `Read` and `Out` hold the borrow flags of rust-numpy for the whole call. No other call of this module, or of
//!   another extension that uses the flags, writes an array that is read here, or accesses an array that is written.
//! - They hold references to the arrays, so the memory is neither freed nor moved: `ndarray.resize` refuses an array
//!   with other references.
//! - `Out` refuses an array whose range of addresses overlaps that of an argument, whichever object owns the memory.
//! - No flag stops Python code that writes an argument during the call; NumPy's own functions that release the GIL
//!   have the same limit. Such a write is a data race that changes values, and not addresses: kernels read these arrays
//!   as floats and bytes, for which all bits are valid, and compute no address from them. The offsets and columns of a
//!   sparse matrix, from which addresses follow, are copied before they are checked (`sparse.rs`).

use fulmen::{MatMut, MatRef};
use numpy::{
    Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::ops::Range;

/// An argument as Python passes it.
pub type Arg<'a, 'py> = &'a Bound<'py, PyAny>;
/// The result of a function.
pub type Returned<'py> = PyResult<Bound<'py, PyAny>>;

/// The element types `f32` and `f64`.
pub trait Item: fulmen::Element + Layout<As = Self> {
    /// NumPy's complex numbers of this type.
    type Pair: Layout<As = fulmen::Complex<Self>>;
    /// Converts a Python float.
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

/// An element type of NumPy that has the memory layout of one of fulmen's types.
///
/// # Safety
/// `As` must have the size, the alignment and the valid bit patterns of `Self`.
pub unsafe trait Layout: Element + Copy {
    /// The type of fulmen.
    type As: Copy + Send + Sync;
}
macro_rules! same_layout {
    ($($T:ty => $As:ty),*) => {$(
        // SAFETY: both are the same type, or both are structs (`repr(C)`) of the real and the imaginary part, in this order.
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
    pub fn value_error(self, what: impl Display) -> PyErr {
        PyValueError::new_err(format!("{}: `{}` {what}", self.0, self.1))
    }
    pub fn type_error(self, what: impl Display) -> PyErr {
        PyTypeError::new_err(format!("{}: `{}` {what}", self.0, self.1))
    }
}

/// The exception for an error of the library.
pub fn value_error(why: fulmen::Error) -> PyErr {
    PyValueError::new_err(why.to_string())
}

/// Allocates `len` elements of scratch, which are zeros.
pub fn scratch<T: Copy + Default>(len: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(len)
        .map_err(|_| PyMemoryError::new_err(format!("no memory for {len} elements of scratch")))?;
    room.resize(len, T::default());
    Ok(room)
}

/// The number of threads that kernels run on.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

fn array<'a, 'py>(name: Name, x: Arg<'a, 'py>) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    x.cast::<PyUntypedArray>().map_err(|_| {
        let kind = x.get_type().name().map_or("Python object".into(), |n| n.to_string());
        name.type_error(format_args!("is a {kind}, a NumPy array expected"))
    })
}

/// Whether the elements are of double precision (`f64`, or complex where `pairs` is set). Types other than single and double are errors.
pub fn is_double(op: &'static str, arg: &'static str, x: Arg<'_, '_>, pairs: bool) -> PyResult<bool> {
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
        Err(name
            .type_error(format_args!("has the dtype {found}, {say} expected: {arg}.astype(…) converts it")))
    }
}

/// Evaluates the expression with `$T` as `f32` or `f64`, by the dtype of `$x`.
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

fn typed<'a, 'py, T: Layout>(name: Name, x: Arg<'a, 'py>) -> PyResult<&'a Bound<'py, PyArrayDyn<T>>> {
    let found = array(name, x)?.dtype();
    x.cast::<PyArrayDyn<T>>()
        .map_err(|_| name.type_error(format_args!("has the dtype {found}, {} expected", dtype::<T>(x.py()))))
}

/// The range of addresses from the first byte to the last one; it is empty without elements.
fn address_range<T: Layout>(x: &Bound<'_, PyArrayDyn<T>>) -> Range<usize> {
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

/// The rows, columns and strides (in elements) of an array of at most two axes.
fn matrix_layout<T: Layout>(name: Name, x: &Bound<'_, PyArrayDyn<T>>) -> PyResult<([usize; 2], [isize; 2])> {
    let size = size_of::<T>() as isize;
    let (shape, strides) = match (x.shape(), x.strides()) {
        (&[], &[]) => ([1, 1], [0, 0]),
        (&[n], &[s]) => ([1, n], [0, s]),
        (&[m, n], &[r, s]) => ([m, n], [r, s]),
        (shape, _) => {
            return Err(name.value_error(format_args!("has {} axes, at most 2 expected", shape.len())));
        }
    };
    if strides.iter().any(|s| s % size != 0) || !(x.data() as usize).is_multiple_of(align_of::<T>()) {
        return Err(name.value_error("is not aligned to its elements: np.array(…) copies it"));
    }
    Ok((shape, strides.map(|s| s / size)))
}

fn expect_contiguous<T: Layout>(name: Name, x: &Bound<'_, PyArrayDyn<T>>) -> PyResult<()> {
    if !x.is_c_contiguous() {
        return Err(name.value_error(
            "is not contiguous in C order, which this op reads in place: np.ascontiguousarray(…) copies it",
        ));
    }
    if !(x.data() as usize).is_multiple_of(align_of::<T>()) {
        return Err(name.value_error("is not aligned to its elements: np.array(…) copies it"));
    }
    Ok(())
}

/// An array that is read in place.
pub struct Read<'py, T: Layout> {
    pub name: Name,
    guard: PyReadonlyArrayDyn<'py, T>,
}

impl<'py, T: Layout> Read<'py, T> {
    pub fn new(op: &'static str, arg: &'static str, x: Arg<'_, 'py>) -> PyResult<Self> {
        let name = Name(op, arg);
        let guard = typed::<T>(name, x)?.try_readonly();
        let guard = guard.map_err(|_| name.value_error("is being written by another call"))?;
        Ok(Self { name, guard })
    }
    pub fn shape(&self) -> &[usize] {
        self.guard.shape()
    }
    pub fn axes(&self) -> usize {
        self.guard.shape().len()
    }
    /// The length of the last axis, and the product of the lengths of the others.
    pub fn lines(&self) -> PyResult<(usize, usize)> {
        let (cols, rows) = self
            .shape()
            .split_last()
            .ok_or_else(|| self.name.value_error("has no axis, at least 1 expected"))?;
        Ok((*cols, rows.iter().product()))
    }
    /// The lengths of the axes, which must be `N`.
    pub fn sizes<const N: usize>(&self) -> PyResult<[usize; N]> {
        let shape = self.shape();
        shape
            .try_into()
            .map_err(|_| self.name.value_error(format_args!("has {} axes, {N} expected", shape.len())))
    }
    /// All elements of an array in C order.
    pub fn slice(&self) -> PyResult<&[T::As]> {
        expect_contiguous(self.name, &self.guard)?;
        if self.guard.is_empty() {
            return Ok(&[]);
        }
        // SAFETY: the array is aligned and contiguous, `As` has the layout of `T`, and the guard borrows the array (see the module).
        Ok(unsafe { std::slice::from_raw_parts(self.guard.data().cast(), self.guard.len()) })
    }
    /// The array as a matrix with any strides. A vector is one row.
    pub fn matrix(&self) -> PyResult<MatRef<'_, T::As>> {
        let ([m, n], [r, s]) = matrix_layout(self.name, &self.guard)?;
        // SAFETY: NumPy guarantees that the elements of shape and strides are in its allocation, and the guard borrows it (see the module).
        unsafe { MatRef::from_raw_parts(self.guard.data().cast::<T::As>().cast_const(), m, n, r, s) }
            .map_err(value_error)
    }
    /// The rows along the last axis. An array of up to two axes may have any strides; one of more axes must be in C order.
    pub fn rows(&self) -> PyResult<MatRef<'_, T::As>> {
        if self.axes() <= 2 {
            return self.matrix();
        }
        let (cols, rows) = self.lines()?;
        MatRef::row_major(self.slice()?, rows, cols).map_err(value_error)
    }
    fn named_range(&self) -> (Name, Range<usize>) {
        (self.name, address_range(&self.guard))
    }
    /// Checks the shape.
    pub fn expect(&self, shape: &[usize]) -> PyResult<()> {
        same_shape(self.name, shape, self.shape())
    }
}

fn same_shape(name: Name, expected: &[usize], got: &[usize]) -> PyResult<()> {
    if expected == got {
        Ok(())
    } else {
        Err(name.value_error(format_args!("has the shape {got:?}, {expected:?} expected")))
    }
}

/// An argument of any element type, which `out` must not overlap.
pub trait Argument {
    fn byte_range(&self) -> (Name, Range<usize>);
}
impl<T: Layout> Argument for Read<'_, T> {
    fn byte_range(&self) -> (Name, Range<usize>) {
        self.named_range()
    }
}

/// An array that is written in place: one of the caller, or a new one.
pub struct Out<'py, T: Layout> {
    name: Name,
    guard: PyReadwriteArrayDyn<'py, T>,
}

impl<'py, T: Layout> Out<'py, T> {
    /// Takes `out`, which must have this shape and overlap no argument in `read`; without `out`, allocates zeros.
    pub fn new(
        py: Python<'py>,
        op: &'static str,
        out: Option<Arg<'_, 'py>>,
        shape: &[usize],
        read: &[&dyn Argument],
    ) -> PyResult<Self> {
        match out {
            Some(out) => Self::of(Name(op, "out"), out, shape, read),
            None => Self::zeros(py, Name(op, "out"), shape),
        }
    }
    /// Takes an argument that the op writes, under the same conditions.
    pub fn of(name: Name, x: Arg<'_, 'py>, shape: &[usize], read: &[&dyn Argument]) -> PyResult<Self> {
        let array = typed::<T>(name, x)?;
        same_shape(name, shape, array.shape())?;
        let own = address_range(array);
        for other in read {
            let (Name(_, arg), bytes) = other.byte_range();
            if own.start < bytes.end && bytes.start < own.end {
                return Err(name.value_error(format_args!("overlaps `{arg}` in memory")));
            }
        }
        let guard = array.try_readwrite().map_err(|why| match why {
            numpy::BorrowError::NotWriteable => name.value_error("is read-only"),
            _ => name.value_error("is in use by another call"),
        })?;
        Ok(Self { name, guard })
    }
    fn zeros(py: Python<'py>, name: Name, shape: &[usize]) -> PyResult<Self> {
        // NumPy allocates, as it raises a MemoryError where memory is short.
        let array = py.import("numpy")?.call_method1("zeros", (shape, dtype::<T>(py)))?;
        Self::of(name, &array, shape, &[])
    }
    pub fn slice(&mut self) -> PyResult<&mut [T::As]> {
        expect_contiguous(self.name, &self.guard)?;
        if self.guard.is_empty() {
            return Ok(&mut []);
        }
        // SAFETY: the array is aligned, contiguous and writeable, `As` has the layout of `T`, and the guard borrows it alone (see the module).
        Ok(unsafe { std::slice::from_raw_parts_mut(self.guard.data().cast(), self.guard.len()) })
    }
    pub fn matrix(&mut self) -> PyResult<MatMut<'_, T::As>> {
        let ([m, n], [r, s]) = matrix_layout(self.name, &self.guard)?;
        // SAFETY: NumPy guarantees that the elements of shape and strides are in its allocation, and the guard borrows it alone (see the module).
        unsafe { MatMut::from_raw_parts(self.guard.data().cast::<T::As>(), m, n, r, s) }
            .map_err(|_| self.name.value_error("has elements that share memory"))
    }
    pub fn rows(&mut self) -> PyResult<MatMut<'_, T::As>> {
        let shape = self.guard.shape();
        let Some((&cols, before)) = shape.split_last().filter(|_| shape.len() > 2) else {
            return self.matrix();
        };
        let rows = before.iter().product();
        MatMut::row_major(self.slice()?, rows, cols).map_err(value_error)
    }
    /// Ends the borrow, and returns the array.
    pub fn into_array(self) -> Bound<'py, PyAny> {
        let array = self.guard.as_any().clone();
        drop(self.guard);
        array
    }
}
impl<T: Layout> Argument for Out<'_, T> {
    fn byte_range(&self) -> (Name, Range<usize>) {
        (self.name, address_range(&self.guard))
    }
}
