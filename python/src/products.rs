//! Matrix products, contractions, convolution and attention.

use crate::arrays::{Arg, Argument, Item, Name, Out, Read, Returned, by_type, scratch, threads, value_error};
use fulmen::{Attention, Conv1d, Einsum, EinsumPlan, MatMut, MatRef, parallel};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

fn product<T: Item>(
    py: Python<'_>,
    (alpha, beta): (f64, f64),
    a: MatRef<'_, T>,
    b: MatRef<'_, T>,
    c: MatMut<'_, T>,
) -> PyResult<()> {
    let room = parallel::gemm_workspace(c.rows(), c.cols(), a.cols(), threads());
    let mut workspace = scratch::<T>(room)?;
    let (alpha, beta) = (<T as Item>::of(alpha), <T as Item>::of(beta));
    py.detach(|| fulmen::dispatch!(|s| parallel::gemm_on(s, alpha, a, b, beta, c, &mut workspace)))
        .map_err(value_error)
}

/// The matrix product `a @ b`.
///
/// `a` is `[m, k]` or `[k]`, `b` is `[k, n]` or `[k]`, of one dtype, float32 or float64, with any strides: slices,
/// transposes and columns are read in place. The result is `[m, n]` without the axes that an operand lacks. `out` may
/// have any strides, too.
///
/// >>> fulmen.matmul(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
/// array([12., 34.])
#[pyfunction]
#[pyo3(signature = (a, b, out=None))]
pub fn matmul<'py>(a: Arg<'_, 'py>, b: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "matmul";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let (a, b) = (Read::<T>::new(OP, "a", a)?, Read::<T>::new(OP, "b", b)?);
        let (left, right) = (a.matrix()?, b.matrix()?);
        // A vector is a row; on the right it is a column.
        let right = if b.axes() < 2 { right.t() } else { right };
        if a.axes() == 0 || b.axes() == 0 {
            return Err(Name(OP, if a.axes() == 0 { "a" } else { "b" }).value_error("has no axis, 1 or 2 expected"));
        }
        if right.rows() != left.cols() {
            return Err(Name(OP, "b").value_error(format_args!("has {} rows, {} expected", right.rows(), left.cols())));
        }
        let mut shape = a.shape()[..a.axes() - 1].to_vec();
        shape.extend(&b.shape()[1..]);
        let mut to = Out::<T>::new(py, OP, out, &shape, &[&a, &b])?;
        let c = to.matrix()?;
        // The result of a matrix and a vector is a column.
        let c = if a.axes() == 2 && b.axes() == 1 { c.t() } else { c };
        product(py, (1.0, 0.0), left, right, c)?;
        Ok(to.into_array())
    })
}

/// `c = alpha·a @ b + beta·c`, written to `c`, which is returned.
///
/// `a` is `[m, k]`, `b` is `[k, n]` and `c` is `[m, n]`, of one dtype, float32 or float64, with any strides. With
/// `beta=0`, `c` is not read.
///
/// >>> fulmen.gemm(2.0, np.eye(2), np.ones((2, 2)), 1.0, np.ones((2, 2)))
/// array([[3., 3.],
///        [3., 3.]])
#[pyfunction]
pub fn gemm<'py>(alpha: f64, a: Arg<'_, 'py>, b: Arg<'_, 'py>, beta: f64, c: Arg<'_, 'py>) -> Returned<'py> {
    const OP: &str = "gemm";
    by_type!(OP, "a", a, T => {
        let py = a.py();
        let (a, b) = (Read::<T>::new(OP, "a", a)?, Read::<T>::new(OP, "b", b)?);
        let ([m, k], [rows, n]) = (a.sizes()?, b.sizes()?);
        if rows != k {
            return Err(Name(OP, "b").value_error(format_args!("has {rows} rows, {k} expected")));
        }
        let mut to = Out::<T>::of(Name(OP, "c"), c, &[m, n], &[&a, &b])?;
        product(py, (alpha, beta), a.matrix()?, b.matrix()?, to.matrix()?)?;
        Ok(to.into_array())
    })
}

/// The tensor contraction of an expression in Einstein notation.
///
/// `operands` are arrays of one dtype, float32 or float64, contiguous in C order, one for each part of the expression.
/// The result has the axes after the arrow. Pairs of operands are contracted in the order of fewest multiplications.
///
/// >>> fulmen.einsum("ij,j->i", np.ones((2, 3)), np.array([1.0, 2.0, 3.0]))
/// array([6., 6.])
#[pyfunction]
#[pyo3(signature = (expression, *operands, out=None))]
pub fn einsum<'py>(
    expression: &str,
    operands: &Bound<'py, PyTuple>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "einsum";
    let first = operands
        .get_item(0)
        .map_err(|_| Name(OP, "operands").type_error("is empty, at least one array expected"))?;
    by_type!(OP, "operands", &first, T => {
        let py = operands.py();
        let all = operands.iter().map(|x| Read::<T>::new(OP, "operands", &x)).collect::<PyResult<Vec<_>>>()?;
        let shapes = all.iter().map(Read::shape).collect::<Vec<_>>();
        let plan = EinsumPlan::new(&Einsum::parse(expression).map_err(value_error)?, &shapes).map_err(value_error)?;
        let shape = plan.shape().collect::<Vec<_>>();
        let read = all.iter().map(|x| x as &dyn Argument).collect::<Vec<_>>();
        let mut to = Out::<T>::new(py, OP, out, &shape, &read)?;
        let parts = all.iter().map(Read::slice).collect::<PyResult<Vec<_>>>()?;
        let mut workspace = scratch::<T>(plan.workspace())?;
        let y = to.slice()?;
        py.detach(|| fulmen::dispatch!(|s| parallel::einsum_on(s, &plan, &parts, y, &mut workspace))).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The one-dimensional convolution of neural networks, which is a correlation: the filters are not flipped.
///
/// `x` is `[images, channels_in, n]` or `[channels_in, n]`, `weights` is `[channels_out, channels_in/groups, kernel]`,
/// `bias` is `[channels_out]`; contiguous in C order, of one dtype, float32 or float64. The result is
/// `[images, channels_out, (n + 2·padding - dilation·(kernel - 1) - 1)//stride + 1]`, without images where `x` has none.
///
/// >>> fulmen.conv1d(np.array([[1.0, 2.0, 4.0, 8.0]]), np.array([[[1.0, 0.0, -1.0]]]), padding=1)
/// array([[-2., -3., -6.,  4.]])
#[pyfunction]
#[pyo3(signature = (x, weights, bias=None, stride=1, padding=0, dilation=1, groups=1, out=None))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the op")]
pub fn conv1d<'py>(
    x: Arg<'_, 'py>,
    weights: Arg<'_, 'py>,
    bias: Option<Arg<'_, 'py>>,
    stride: usize,
    padding: usize,
    dilation: usize,
    groups: usize,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "conv1d";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let (x, w) = (Read::<T>::new(OP, "x", x)?, Read::<T>::new(OP, "weights", weights)?);
        let bias = bias.map(|b| Read::<T>::new(OP, "bias", b)).transpose()?;
        let (before, channels_in, length) = match *x.shape() {
            [c, n] => (vec![], c, n),
            [images, c, n] => (vec![images], c, n),
            _ => return Err(x.name.value_error(format_args!("has {} axes, 2 or 3 expected", x.axes()))),
        };
        let [channels_out, _, kernel] = w.sizes()?;
        if groups == 0 || channels_in % groups != 0 {
            return Err(Name(OP, "groups").value_error(format_args!("is {groups}, a divisor of {channels_in} expected")));
        }
        w.expect(&[channels_out, channels_in / groups, kernel])?;
        if let Some(bias) = &bias {
            bias.expect(&[channels_out])?;
        }
        let conv = Conv1d { channels_in, channels_out, length, kernel, stride, padding, dilation, groups };
        let shape = [&before[..], &[channels_out, conv.output().map_err(value_error)?]].concat();
        let mut read: Vec<&dyn Argument> = vec![&x, &w];
        read.extend(bias.as_ref().map(|b| b as &dyn Argument));
        let mut to = Out::<T>::new(py, OP, out, &shape, &read)?;
        let mut workspace = scratch::<T>(parallel::conv1d_workspace(conv, threads()))?;
        let (from, w, b, y) = (x.slice()?, w.slice()?, bias.as_ref().map(Read::slice).transpose()?, to.slice()?);
        py.detach(|| fulmen::dispatch!(|s| parallel::conv1d_on(s, conv, from, w, b, y, &mut workspace))).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// Scaled dot-product attention, computed in tiles, so that the matrix of scores is never stored.
///
/// `softmax(scale·q @ kᵀ + mask) @ v` for each head. `q` is `[batch, n, heads, dim]`, `k` `[batch, len, kv_heads, dim]` and
/// `v` `[batch, len, kv_heads, value_dim]`, each without `batch` too; contiguous in C order, of one dtype, float32 or float64.
/// Query head `h` reads key head `h//(heads//kv_heads)`. `mask` is `[n, len]` or `[heads, n, len]` and is added to the scores.
/// `scale` is `dim**-0.5` by default. The last query has the position of the last key. With `causal` a query attends to the
/// keys up to its own position; with `window` it attends to the last `window` of them; with `softcap=c` a score `s` becomes
/// `c·tanh(s/c)`. The result is `[batch, n, heads, value_dim]`.
///
/// >>> x = np.ones((2, 1, 1))
/// >>> fulmen.attention(x, x, x, causal=True).shape
/// (2, 1, 1)
#[pyfunction]
#[pyo3(signature = (q, k, v, mask=None, scale=None, causal=false, window=None, softcap=None, out=None))]
#[allow(clippy::too_many_arguments, reason = "the arguments of the op")]
pub fn attention<'py>(
    q: Arg<'_, 'py>,
    k: Arg<'_, 'py>,
    v: Arg<'_, 'py>,
    mask: Option<Arg<'_, 'py>>,
    scale: Option<f64>,
    causal: bool,
    window: Option<usize>,
    softcap: Option<f64>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "attention";
    by_type!(OP, "q", q, T => {
        let py = q.py();
        let (q, k, v) = (Read::<T>::new(OP, "q", q)?, Read::<T>::new(OP, "k", k)?, Read::<T>::new(OP, "v", v)?);
        let mask = mask.map(|m| Read::<T>::new(OP, "mask", m)).transpose()?;
        let (before, [n, heads, dim]) = match *q.shape() {
            [n, h, d] => (vec![], [n, h, d]),
            [b, n, h, d] => (vec![b], [n, h, d]),
            _ => return Err(q.name.value_error(format_args!("has {} axes, 3 or 4 expected", q.axes()))),
        };
        let [len, kv_heads, value_dim] = match (v.shape(), &before[..]) {
            (&[n, h, d], []) => [n, h, d],
            (&[b, n, h, d], [batch]) if b == *batch => [n, h, d],
            (shape, _) => return Err(v.name.value_error(format_args!("has the shape {shape:?}, that of `q` is {:?}", q.shape()))),
        };
        k.expect(&[&before[..], &[len, kv_heads, dim]].concat())?;
        let batch = before.first().copied().unwrap_or(1);
        let scale = <T as Item>::of(scale.unwrap_or(1.0 / (dim as f64).sqrt()));
        let op = Attention {
            causal,
            window,
            softcap: softcap.map(<T as Item>::of),
            value_dim: Some(value_dim),
            batch,
            ..Attention::new(heads, kv_heads, dim, scale)
        };
        let lines = match mask.as_ref().map(Read::shape) {
            None => 0,
            Some(&[rows, cols]) if [rows, cols] == [n, len] => n,
            Some(&[of, rows, cols]) if [of, rows, cols] == [heads, n, len] => heads * n,
            Some(shape) => {
                let say = format_args!("has the shape {shape:?}, {:?} or {:?} expected", [n, len], [heads, n, len]).to_string();
                return Err(Name(OP, "mask").value_error(say));
            }
        };
        let mut read: Vec<&dyn Argument> = vec![&q, &k, &v];
        read.extend(mask.as_ref().map(|m| m as &dyn Argument));
        let mut to = Out::<T>::new(py, OP, out, &[&before[..], &[n, heads, value_dim]].concat(), &read)?;
        let of = |x, rows, cols| MatRef::row_major(x, rows, cols).map_err(value_error);
        let (queries, keys) = (of(q.slice()?, batch * n, heads * dim)?, of(k.slice()?, batch * len, kv_heads * dim)?);
        let values = of(v.slice()?, batch * len, kv_heads * value_dim)?;
        let mask = mask.as_ref().map(|m| of(m.slice()?, lines, len)).transpose()?;
        let y = MatMut::row_major(to.slice()?, batch * n, heads * value_dim).map_err(value_error)?;
        let mut workspace = scratch::<T>(parallel::attention_workspace(heads, dim.max(value_dim), threads()))?;
        let run = || fulmen::dispatch!(|s| parallel::attention_on(s, &op, queries, keys, values, mask, y, None, &mut workspace));
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}
