//! Sparse matrices in compressed sparse row format, with SciPy's arrays.

use crate::arrays::{Arg, Argument, Item, Layout, Name, Out, Read, Returned, by_type, scratch, value_error};
use fulmen::{Error, Number, parallel};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, dtype};
use pyo3::prelude::*;

/// A sparse matrix in compressed sparse row format: `Csr(a.data, a.indices, a.indptr, a.shape)` for a `csr_array` of SciPy.
///
/// Row `i` has the elements `data[indptr[i]:indptr[i + 1]]`, whose columns are the same slice of `indices`, in ascending order
/// (`a.sort_indices()`). `data` is float32 or float64, and is read in place at each call. `indices` and `indptr` are int32 or
/// int64; they are copied and checked once, here, as kernels compute addresses from them.
///
/// >>> a = fulmen.Csr(np.array([2.0, 3.0]), np.array([0, 1]), np.array([0, 1, 2]), (2, 2))
/// >>> fulmen.spmv(a, np.array([1.0, 10.0]))
/// array([ 2., 30.])
#[pyclass(frozen, module = "fulmen")]
pub struct Csr {
    data: Py<PyAny>,
    columns: Vec<u32>,
    offsets: Vec<usize>,
    shape: (usize, usize),
}

/// Converts the numbers of an index array.
fn integers<To>(arg: &'static str, x: Arg<'_, '_>, to: impl Fn(i64) -> Option<To>) -> PyResult<Vec<To>> {
    fn all<T: Layout<As: Into<i64>>, To>(
        x: Read<'_, T>,
        to: impl Fn(i64) -> Option<To>,
    ) -> PyResult<Vec<To>> {
        let [_] = x.sizes()?;
        let each = x.slice()?.iter().map(|i| (*i).into());
        each.map(|i: i64| {
            to(i).ok_or_else(|| x.name.value_error(format_args!("holds {i}, which is not an index")))
        })
        .collect()
    }
    let name = Name("Csr", arg);
    let found = x.cast::<PyUntypedArray>().ok().map(|x| x.dtype());
    match found {
        Some(found) if found.is_equiv_to(&dtype::<i32>(x.py())) => all(Read::<i32>::new("Csr", arg, x)?, to),
        Some(found) if found.is_equiv_to(&dtype::<i64>(x.py())) => all(Read::<i64>::new("Csr", arg, x)?, to),
        Some(found) => Err(name.type_error(format_args!("has the dtype {found}, int32 or int64 expected"))),
        None => Err(name.type_error("is not a NumPy array")),
    }
}

impl Csr {
    /// The matrix with these values, whose number is checked.
    fn with_values<'a, T>(&'a self, values: &'a [T]) -> Result<fulmen::Csr<'a, T>, Error> {
        let (rows, cols) = self.shape;
        fulmen::Csr::new(rows, cols, &self.offsets, &self.columns, values)
    }
    fn expect(&self, x: &impl Argument, shape: &[usize], length: usize, of: &str) -> PyResult<()> {
        if shape == [length] {
            return Ok(());
        }
        Err(x
            .byte_range()
            .0
            .value_error(format_args!("has the shape {shape:?}, [{length}] expected, the {of} of `a`")))
    }
}

#[pymethods]
impl Csr {
    #[new]
    fn new(
        data: Arg<'_, '_>,
        indices: Arg<'_, '_>,
        indptr: Arg<'_, '_>,
        shape: (usize, usize),
    ) -> PyResult<Self> {
        let columns = integers("indices", indices, |i| u32::try_from(i).ok())?;
        let offsets = integers("indptr", indptr, |i| usize::try_from(i).ok())?;
        let matrix = Self { data: data.clone().unbind(), columns, offsets, shape };
        by_type!("Csr", "data", data, T => {
            let data = Read::<T>::new("Csr", "data", data)?;
            let [_] = data.sizes()?;
            matrix.with_values(data.slice()?).map_err(value_error)?;
        });
        Ok(matrix)
    }
    /// The numbers of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.shape
    }
    /// The number of stored elements.
    #[getter]
    fn nnz(&self) -> usize {
        self.columns.len()
    }
}

/// The product of a sparse matrix and a vector.
///
/// `a` is a `Csr` of `[m, n]`, `x` is `[n]`, contiguous, of the dtype of its data; the result is `[m]`.
///
/// >>> a = fulmen.Csr(np.array([2.0, 3.0]), np.array([0, 1]), np.array([0, 1, 2]), (2, 2))
/// >>> fulmen.spmv(a, np.array([1.0, 10.0]))
/// array([ 2., 30.])
#[pyfunction]
#[pyo3(signature = (a, x, out=None))]
pub fn spmv<'py>(a: &Csr, x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "spmv";
    let (py, data) = (x.py(), a.data.bind(x.py()));
    by_type!(OP, "a", data, T => {
        let (data, x) = (Read::<T>::new(OP, "a", data)?, Read::<T>::new(OP, "x", x)?);
        let (rows, cols) = a.shape;
        a.expect(&x, x.shape(), cols, "columns")?;
        let mut to = Out::<T>::new(py, OP, out, &[rows], &[&data, &x])?;
        let (values, from, y) = (data.slice()?, x.slice()?, to.slice()?);
        let run = || {
            let matrix = a.with_values(values)?;
            fulmen::dispatch!(|s| parallel::spmv_on(s, T::ONE, matrix, from, T::ZERO, y))
        };
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The `x` of `a @ x = b` for a sparse, symmetric, positive definite `a`, by conjugate gradients.
///
/// `a` is a `Csr` of `[n, n]`, `b` and `x0`, the first guess, which is 0 by default, are `[n]`, contiguous, of the dtype of its data;
/// the result is `[n]`. The iteration ends when `|b - a @ x| <= tolerance·|b|`; if it has not ended after `steps` steps
/// (`10·n` by default), a ValueError has the residual.
///
/// >>> a = fulmen.Csr(np.array([4.0, 1.0, 1.0, 3.0]), np.array([0, 1, 0, 1]), np.array([0, 2, 4]), (2, 2))
/// >>> fulmen.cg(a, np.array([6.0, 7.0]))
/// array([1., 2.])
#[pyfunction]
#[pyo3(signature = (a, b, x0=None, tolerance=1e-5, steps=None, out=None))]
pub fn cg<'py>(
    a: &Csr,
    b: Arg<'_, 'py>,
    x0: Option<Arg<'_, 'py>>,
    tolerance: f64,
    steps: Option<usize>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "cg";
    let (py, data) = (b.py(), a.data.bind(b.py()));
    by_type!(OP, "a", data, T => {
        let (data, b) = (Read::<T>::new(OP, "a", data)?, Read::<T>::new(OP, "b", b)?);
        let (n, cols) = a.shape;
        if n != cols {
            return Err(Name(OP, "a").value_error(format_args!("has the shape [{n}, {cols}], a square matrix expected")));
        }
        a.expect(&b, b.shape(), n, "rows")?;
        let x0 = x0.map(|x| Read::<T>::new(OP, "x0", x)).transpose()?;
        let mut read: Vec<&dyn Argument> = vec![&data, &b];
        read.extend(x0.as_ref().map(|x| x as &dyn Argument));
        let mut to = Out::<T>::new(py, OP, out, &[n], &read)?;
        let y = to.slice()?;
        match &x0 {
            Some(x) => {
                a.expect(x, x.shape(), n, "rows")?;
                y.copy_from_slice(x.slice()?);
            }
            None => y.fill(T::ZERO),
        }
        let mut workspace = scratch::<T>(fulmen::cg_workspace(n))?;
        let (values, right, tolerance) = (data.slice()?, b.slice()?, <T as Item>::of(tolerance));
        // SciPy's default.
        let steps = steps.unwrap_or(n.saturating_mul(10));
        let run = || {
            let matrix = a.with_values(values)?;
            fulmen::dispatch!(|s| fulmen::cg_on(s, matrix, None, right, y, tolerance, steps, &mut workspace))
        };
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}
