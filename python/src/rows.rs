//! Element-wise ops, ops on the last axis, reductions and sorting.

use crate::arrays::{Arg, Item, Name, Out, Read, Returned, by_type, value_error};
use fulmen::lanes::Simd;
use fulmen::{Body, Element, Error, parallel};
use pyo3::prelude::*;

fn map<'py, T: Item, B: Body<T, 1>>(
    op: &'static str,
    body: B,
    x: Arg<'_, 'py>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    let py = x.py();
    let x = Read::<T>::new(op, "x", x)?;
    let mut to = Out::<T>::new(py, op, out, x.shape(), &[&x])?;
    let (from, y) = (x.slice()?, to.slice()?);
    py.detach(|| fulmen::dispatch!(|s| parallel::map_on(s, body, [from], y))).map_err(value_error)?;
    Ok(to.into_array())
}

macro_rules! pointwise {
    ($($(#[$doc:meta])* $name:ident $body:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// `x` has any shape, contiguous in C order, float32 or float64; the result has its shape and dtype.
        #[pyfunction]
        #[pyo3(signature = (x, out=None))]
        pub fn $name<'py>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
            by_type!(stringify!($name), "x", x, T => map::<T, _>(stringify!($name), fulmen::$body, x, out))
        }
    )*};
}

pointwise! {
    /// `e**x`, within 1 ulp.
    ///
    /// >>> fulmen.exp(np.array([0.0, 1.0]))
    /// array([1.        , 2.71828183])
    exp Exp;
    /// The natural logarithm, within 1 ulp: NaN below 0, -inf at 0.
    ///
    /// >>> fulmen.log(np.array([1.0, np.e]))
    /// array([0., 1.])
    log Ln;
    /// `tanh(x)`, within 1 ulp.
    ///
    /// >>> fulmen.tanh(np.array([0.0, 1.0]))
    /// array([0.        , 0.76159416])
    tanh Tanh;
    /// The error function `2/√π·∫e**(-t²)dt` from 0 to `x`, within 2 ulp.
    ///
    /// >>> fulmen.erf(np.array([0.0, 1.0]))
    /// array([0.        , 0.84270079])
    erf Erf;
    /// `x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2`, within 2 ulp.
    ///
    /// >>> fulmen.gelu(np.array([0.0, 1.0]))
    /// array([0.        , 0.84119199])
    gelu Gelu;
    /// `1/(1 + e**-x)`, within 1 ulp.
    ///
    /// >>> fulmen.sigmoid(np.array([0.0, 1.0]))
    /// array([0.5       , 0.73105858])
    sigmoid Sigmoid;
}

macro_rules! softmaxes {
    ($($(#[$doc:meta])* $name:ident $on:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// `x` has any shape of at least one axis, contiguous in C order, float32 or float64; the result has its shape and dtype.
        #[pyfunction]
        #[pyo3(signature = (x, out=None))]
        pub fn $name<'py>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
            const OP: &str = stringify!($name);
            by_type!(OP, "x", x, T => {
                let py = x.py();
                let x = Read::<T>::new(OP, "x", x)?;
                let mut to = Out::<T>::new(py, OP, out, x.shape(), &[&x])?;
                let ((cols, _), from, y) = (x.lines()?, x.slice()?, to.slice()?);
                py.detach(|| fulmen::dispatch!(|s| parallel::$on(s, from, cols, y))).map_err(value_error)?;
                Ok(to.into_array())
            })
        }
    )*};
}

softmaxes! {
    /// `e**(x - max)/Σ e**(x - max)` over the last axis.
    ///
    /// >>> fulmen.softmax(np.array([[1.0, 1.0]]))
    /// array([[0.5, 0.5]])
    softmax softmax_on;
    /// `(x - max) - ln Σ e**(x - max)` over the last axis.
    ///
    /// >>> fulmen.log_softmax(np.array([[0.0, 0.0]]))
    /// array([[-0.69314718, -0.69314718]])
    log_softmax log_softmax_on;
}

/// `(x - mean)/√(variance + eps)·gamma + beta` over the last axis, of `n` elements.
///
/// `x` has any shape of at least one axis, `gamma` and `beta` have the shape `[n]`; all contiguous in C order, of one
/// dtype. The result has the shape and dtype of `x`.
///
/// >>> fulmen.layer_norm(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), eps=0.0)
/// array([[-1.,  1.]])
#[pyfunction]
#[pyo3(signature = (x, gamma, beta, eps=1e-5, out=None))]
pub fn layer_norm<'py>(
    x: Arg<'_, 'py>,
    gamma: Arg<'_, 'py>,
    beta: Arg<'_, 'py>,
    eps: f64,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "layer_norm";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let x = Read::<T>::new(OP, "x", x)?;
        let (g, b) = (Read::<T>::new(OP, "gamma", gamma)?, Read::<T>::new(OP, "beta", beta)?);
        let (cols, _) = x.lines()?;
        g.expect(&[cols])?;
        b.expect(&[cols])?;
        let mut to = Out::<T>::new(py, OP, out, x.shape(), &[&x, &g, &b])?;
        let (from, g, b, y, eps) = (x.slice()?, g.slice()?, b.slice()?, to.slice()?, <T as Item>::of(eps));
        py.detach(|| fulmen::dispatch!(|s| parallel::layer_norm_on(s, from, g, b, eps, y))).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// `x/√(Σ x²/n + eps)·gamma` over the last axis, of `n` elements.
///
/// `x` has any shape of at least one axis, `gamma` has the shape `[n]`; both contiguous in C order, of one dtype. The
/// result is like `x`.
///
/// >>> fulmen.rms_norm(np.array([[3.0, 4.0]]), np.ones(2), eps=0.0)
/// array([[0.84852814, 1.13137085]])
#[pyfunction]
#[pyo3(signature = (x, gamma, eps=1e-5, out=None))]
pub fn rms_norm<'py>(
    x: Arg<'_, 'py>,
    gamma: Arg<'_, 'py>,
    eps: f64,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "rms_norm";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let (x, g) = (Read::<T>::new(OP, "x", x)?, Read::<T>::new(OP, "gamma", gamma)?);
        g.expect(&[x.lines()?.0])?;
        let mut to = Out::<T>::new(py, OP, out, x.shape(), &[&x, &g])?;
        let (from, g, y, eps) = (x.slice()?, g.slice()?, to.slice()?, <T as Item>::of(eps));
        py.detach(|| fulmen::dispatch!(|s| parallel::rms_norm_on(s, from, g, eps, y))).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// Whether `axis` is the last axis (`true`) or all elements (`false`). Other axes are errors.
fn over_last_axis<T: Item>(x: &Read<'_, T>, op: &'static str, axis: Option<isize>) -> PyResult<bool> {
    match (axis, x.axes() as isize) {
        (None, _) => Ok(false),
        (Some(axis), n) if n > 0 && (axis == -1 || axis == n - 1) => Ok(true),
        _ => Err(Name(op, "axis").value_error("must be None, for all elements, or -1, for the last axis")),
    }
}

/// A reduction: `all` reduces all elements on several threads, `row` reduces one row on this thread.
trait Reduce {
    fn all<S: Simd, T: Element>(s: S, x: &[T]) -> Result<T, Error>;
    fn row<S: Simd, T: Element>(s: S, x: &[T]) -> Result<T, Error>;
}

/// Calls `f` with each row and the place of its result.
fn each_row<T, Y>(
    x: &[T],
    cols: usize,
    y: &mut [Y],
    mut f: impl FnMut(&[T], &mut Y) -> Result<(), Error>,
) -> Result<(), Error> {
    y.iter_mut().enumerate().try_for_each(|(i, y)| f(&x[i * cols..][..cols], y))
}

fn reduce<'py, T: Item, R: Reduce>(op: &'static str, x: Arg<'_, 'py>, axis: Option<isize>) -> Returned<'py>
where
    f64: From<T>,
{
    let py = x.py();
    let x = Read::<T>::new(op, "x", x)?;
    let from = x.slice()?;
    if !over_last_axis(&x, op, axis)? {
        let y = py.detach(|| fulmen::dispatch!(|s| R::all(s, from))).map_err(value_error)?;
        return Ok(f64::from(y).into_pyobject(py)?.into_any());
    }
    let (cols, _) = x.lines()?;
    let mut to = Out::<T>::new(py, op, None, &x.shape()[..x.axes() - 1], &[])?;
    let y = to.slice()?;
    let rows = || fulmen::dispatch!(|s| each_row(from, cols, y, |x, y| R::row(s, x).map(|z| *y = z)));
    py.detach(rows).map_err(value_error)?;
    Ok(to.into_array())
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $R:ident $on:ident [$($ok:ident)?];)*) => {$(
        struct $R;
        impl Reduce for $R {
            fn all<S: Simd, T: Element>(s: S, x: &[T]) -> Result<T, Error> {
                $($ok)?(parallel::$on(s, x))
            }
            fn row<S: Simd, T: Element>(s: S, x: &[T]) -> Result<T, Error> {
                $($ok)?(fulmen::$on(s, x))
            }
        }
        $(#[$doc])*
        ///
        /// `x` has any shape, contiguous in C order, float32 or float64. The result is a float; with `axis=-1` it is
        /// an array without the last axis.
        #[pyfunction]
        #[pyo3(signature = (x, axis=None))]
        pub fn $name<'py>(x: Arg<'_, 'py>, axis: Option<isize>) -> Returned<'py> {
            by_type!(stringify!($name), "x", x, T => reduce::<T, $R>(stringify!($name), x, axis))
        }
    )*};
}

reductions! {
    /// `Σ x[i]`, by a tree of partial sums; 0 without elements.
    ///
    /// >>> fulmen.sum(np.array([1.0, 2.0, 3.5]))
    /// 6.5
    sum Sum sum_on [Ok];
    /// `Σ x[i]/n`. An array without elements raises a ValueError.
    ///
    /// >>> fulmen.mean(np.array([[1.0, 2.0], [5.0, 7.0]]), axis=-1)
    /// array([1.5, 6. ])
    mean Mean mean_on [];
    /// The population variance `Σ (x[i] - mean)²/n`. An array without elements raises a ValueError.
    ///
    /// >>> fulmen.variance(np.array([1.0, 2.0, 3.0, 6.0]))
    /// 3.5
    variance Variance variance_on [];
}

/// The index of the first largest element. NaN, and an array without elements, raise a ValueError.
///
/// `x` has any shape, contiguous in C order, float32 or float64. The result is an int, the index in C order;
/// with `axis=-1` it is an array of int64 without the last axis.
///
/// >>> fulmen.argmax(np.array([1.0, 3.0, 3.0]))
/// 1
#[pyfunction]
#[pyo3(signature = (x, axis=None))]
pub fn argmax<'py>(x: Arg<'_, 'py>, axis: Option<isize>) -> Returned<'py> {
    const OP: &str = "argmax";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let x = Read::<T>::new(OP, "x", x)?;
        let from = x.slice()?;
        if !over_last_axis(&x, OP, axis)? {
            let at = py.detach(|| fulmen::dispatch!(|s| parallel::argmax_on(s, from))).map_err(value_error)?;
            return Ok(at.into_pyobject(py)?.into_any());
        }
        let (cols, _) = x.lines()?;
        let mut to = Out::<i64>::new(py, OP, None, &x.shape()[..x.axes() - 1], &[])?;
        let y = to.slice()?;
        let rows = || fulmen::dispatch!(|s| each_row(from, cols, y, |x, y| fulmen::argmax_on(s, x).map(|i| *y = i as i64)));
        py.detach(rows).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// Selects the `k` largest or smallest elements of each row, in order, with their indices.
fn select_rows<S: Simd, T: Element, const LARGEST: bool>(
    s: S,
    x: &[T],
    cols: usize,
    k: usize,
    values: &mut [T],
    indices: &mut [u32],
) -> Result<(), Error> {
    if k == 0 {
        return Ok(());
    }
    for ((x, values), indices) in
        x.chunks_exact(cols).zip(values.chunks_exact_mut(k)).zip(indices.chunks_exact_mut(k))
    {
        if LARGEST {
            fulmen::top_k_on(s, x, k, values, indices)
        } else {
            fulmen::bottom_k_on(s, x, k, values, indices)
        }?;
    }
    Ok(())
}

/// The values and indices of the `k` largest or smallest elements of each row, in order; without `k`, of all elements.
fn select<'py, T: Item, const LARGEST: bool>(
    op: &'static str,
    x: Arg<'_, 'py>,
    k: Option<usize>,
    out: Option<Arg<'_, 'py>>,
) -> PyResult<(Out<'py, T>, Out<'py, u32>)> {
    let py = x.py();
    let x = Read::<T>::new(op, "x", x)?;
    let (cols, _) = x.lines()?;
    let k = k.unwrap_or(cols);
    if k > cols {
        return Err(Name(op, "k")
            .value_error(format_args!("is {k}, at most {cols} expected, the length of the last axis")));
    }
    let mut shape = x.shape().to_vec();
    shape[x.axes() - 1] = k;
    let mut values = Out::<T>::new(py, op, out, &shape, &[&x])?;
    let mut indices = Out::<u32>::new(py, op, None, &shape, &[])?;
    let (from, v, i) = (x.slice()?, values.slice()?, indices.slice()?);
    py.detach(|| fulmen::dispatch!(|s| select_rows::<_, T, LARGEST>(s, from, cols, k, v, i)))
        .map_err(value_error)?;
    Ok((values, indices))
}

/// The `k` largest elements along the last axis, largest first, with their indices; ties are in order of the index.
///
/// `x` has any shape of at least one axis, contiguous in C order, float32 or float64. Returns the values, in the dtype of `x`,
/// and the indices, in uint32, with a last axis of `k`. NaN raises a ValueError, as it is not ordered.
///
/// >>> fulmen.top_k(np.array([1.0, 7.0, 9.0, 7.0]), 2)
/// (array([9., 7.]), array([2, 1], dtype=uint32))
#[pyfunction]
pub fn top_k<'py>(x: Arg<'_, 'py>, k: usize) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    by_type!("top_k", "x", x, T => {
        let (values, indices) = select::<T, true>("top_k", x, Some(k), None)?;
        Ok((values.into_array(), indices.into_array()))
    })
}

/// Sorts the last axis in ascending order. -0 and +0 are equal; equal elements keep their order.
///
/// `x` has any shape of at least one axis, contiguous in C order, float32 or float64; the result has its shape and dtype. NaN raises
/// a ValueError.
///
/// >>> fulmen.sort(np.array([3.0, 1.0, 2.0]))
/// array([1., 2., 3.])
#[pyfunction]
#[pyo3(signature = (x, out=None))]
pub fn sort<'py>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    by_type!("sort", "x", x, T => Ok(select::<T, false>("sort", x, None, out)?.0.into_array()))
}

/// The indices that sort the last axis in ascending order; ties are in order of the index.
///
/// `x` has any shape of at least one axis, contiguous in C order, float32 or float64; the result has its shape, in
/// uint32. NaN raises a ValueError.
///
/// >>> fulmen.argsort(np.array([3.0, 1.0, 2.0]))
/// array([1, 2, 0], dtype=uint32)
#[pyfunction]
pub fn argsort<'py>(x: Arg<'_, 'py>) -> Returned<'py> {
    by_type!("argsort", "x", x, T => Ok(select::<T, false>("argsort", x, None, None)?.1.into_array()))
}

/// The median along the last axis: the middle element in order, or the mean of the two.
///
/// `x` has any shape of at least one axis, contiguous in C order, float32 or float64. The result of one axis is a float; that
/// of more axes is an array without the last one. NaN, and a last axis without elements, raise a ValueError.
///
/// >>> fulmen.median(np.array([3.0, 1.0, 2.0, 10.0]))
/// 2.5
#[pyfunction]
pub fn median<'py>(x: Arg<'_, 'py>) -> Returned<'py> {
    const OP: &str = "median";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let shape = Read::<T>::new(OP, "x", x)?.shape().to_vec();
        let Some((&cols, before)) = shape.split_last() else { return Err(Name(OP, "x").value_error("has no axis")) };
        if cols == 0 {
            return Err(Name(OP, "x").value_error("has no element along its last axis, at least 1 expected"));
        }
        let k = cols / 2 + 1;
        let (mut values, _) = select::<T, false>(OP, x, Some(k), None)?;
        let middle = |row: &[T]| match (cols % 2, row) {
            (0, [.., a, b]) => <T as Item>::of(0.5) * *a + <T as Item>::of(0.5) * *b,
            (_, [.., a]) => *a,
            (_, []) => <T as Item>::of(f64::NAN),
        };
        if before.is_empty() {
            return Ok(f64::from(middle(values.slice()?)).into_pyobject(py)?.into_any());
        }
        let mut to = Out::<T>::new(py, OP, None, before, &[])?;
        for (row, y) in values.slice()?.chunks_exact(k).zip(to.slice()?) {
            *y = middle(row);
        }
        Ok(to.into_array())
    })
}
