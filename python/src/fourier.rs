//! Fourier transforms along the last axis, and of matrices.

use crate::arrays::{Arg, Item, Name, Out, Read, Returned, by_type, scratch, threads, value_error};
use fulmen::{Complex, Direction, Fft, RealFft, parallel};
use pyo3::prelude::*;

/// Allocates the table of a plan, and the scratch for its transforms on all threads.
fn plan_buffers<T: Item>(table: usize, workspace: usize) -> PyResult<(Vec<T>, Vec<Complex<T>>)> {
    Ok((scratch(table)?, scratch(workspace.saturating_mul(threads()))?))
}

fn transform_rows<'py, T: Item>(
    op: &'static str,
    direction: Direction,
    x: Arg<'_, 'py>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    let py = x.py();
    let x = Read::<T::Pair>::new(op, "x", x)?;
    let (n, _) = x.lines()?;
    let mut to = Out::<T::Pair>::new(py, op, out, x.shape(), &[&x])?;
    let (mut table, mut workspace) = plan_buffers::<T>(
        fulmen::fft_plan_len(n),
        fulmen::fft_rows_workspace(n).max(fulmen::fft_workspace(n)),
    )?;
    let (from, y) = (x.rows()?, to.rows()?);
    let run = || {
        let plan = Fft::plan(n, &mut table, &mut workspace)?;
        fulmen::dispatch!(|s| parallel::fft_rows_on(s, &plan, direction, from, y, &mut workspace))
    };
    py.detach(run).map_err(value_error)?;
    Ok(to.into_array())
}

fn transform_2d<'py, T: Item>(
    op: &'static str,
    direction: Direction,
    x: Arg<'_, 'py>,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    let py = x.py();
    let x = Read::<T::Pair>::new(op, "x", x)?;
    let [m, n] = x.sizes()?;
    let mut to = Out::<T::Pair>::new(py, op, out, &[m, n], &[&x])?;
    let most = fulmen::fft_2d_workspace(m, n).max(fulmen::fft_workspace(m)).max(fulmen::fft_workspace(n));
    let (mut table, mut workspace) = plan_buffers::<T>(fulmen::fft_plan_len(m), most)?;
    let mut other = scratch::<T>(fulmen::fft_plan_len(n))?;
    let (from, y) = (x.matrix()?, to.matrix()?);
    let run = || {
        let (down, along) =
            (Fft::plan(m, &mut table, &mut workspace)?, Fft::plan(n, &mut other, &mut workspace)?);
        fulmen::dispatch!(|s| parallel::fft_2d_on(s, &down, &along, direction, from, y, &mut workspace))
    };
    py.detach(run).map_err(value_error)?;
    Ok(to.into_array())
}

macro_rules! transforms {
    ($($(#[$doc:meta])* $name:ident $how:ident $direction:ident;)*) => {$(
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = (x, out=None))]
        pub fn $name<'py>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
            by_type!(pairs stringify!($name), "x", x, T => $how::<T>(stringify!($name), Direction::$direction, x, out))
        }
    )*};
}

transforms! {
    /// `Σ x[k]·e**(-2πi·jk/n)` along the last axis, of any length.
    ///
    /// `x` is complex64 or complex128. With one or two axes it may have any strides; with more it is contiguous in C order.
    /// The result has its shape and dtype. For real numbers use `rfft`.
    ///
    /// >>> fulmen.fft(np.array([1.0 + 0j, 2.0, 3.0, 4.0])).real
    /// array([10., -2., -2., -2.])
    fft transform_rows Forward;
    /// `1/n·Σ x[j]·e**(2πi·jk/n)` along the last axis, the inverse of `fft`, with the same arguments.
    ///
    /// >>> fulmen.ifft(np.array([3.0 + 0j, -1.0])).real
    /// array([1., 2.])
    ifft transform_rows Inverse;
    /// The two-dimensional transform of a matrix.
    ///
    /// `x` is `[m, n]`, complex64 or complex128, with any strides. The result has its shape and dtype.
    ///
    /// >>> fulmen.fft2(np.ones((2, 2), complex)).real
    /// array([[4., 0.],
    ///        [0., 0.]])
    fft2 transform_2d Forward;
    /// The inverse of `fft2`, with the same arguments.
    ///
    /// >>> fulmen.ifft2(np.array([[4.0 + 0j, 0.0], [0.0, 0.0]])).real
    /// array([[1., 1.],
    ///        [1., 1.]])
    ifft2 transform_2d Inverse;
}

/// `Σ x[k]·e**(-2πi·jk/n)` along the last axis for `j <= n/2`; the other values are the conjugates of these.
///
/// `x` has any shape of at least one axis, contiguous in C order, float32 or float64. The result is complex64 or
/// complex128, with a last axis of `n//2 + 1`.
///
/// >>> fulmen.rfft(np.array([1.0, 2.0, 3.0, 4.0])).real
/// array([10., -2., -2.])
#[pyfunction]
#[pyo3(signature = (x, out=None))]
pub fn rfft<'py>(x: Arg<'_, 'py>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "rfft";
    by_type!(OP, "x", x, T => {
        let py = x.py();
        let x = Read::<T>::new(OP, "x", x)?;
        let (n, _) = x.lines()?;
        let mut shape = x.shape().to_vec();
        shape[x.axes() - 1] = n / 2 + 1;
        let mut to = Out::<<T as Item>::Pair>::new(py, OP, out, &shape, &[&x])?;
        let (mut table, mut workspace) = plan_buffers::<T>(fulmen::rfft_plan_len(n), fulmen::rfft_workspace(n))?;
        let (from, y) = (x.slice()?, to.slice()?);
        let run = || {
            let plan = RealFft::plan(n, &mut table, &mut workspace)?;
            fulmen::dispatch!(|s| parallel::rfft_on(s, &plan, from, y, &mut workspace))
        };
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}

/// The `n` real numbers along the last axis whose `rfft` is `x`.
///
/// `x` has any shape of at least one axis, contiguous in C order, complex64 or complex128, with a last axis of `n//2 + 1`; the
/// result is float32 or float64, with a last axis of `n`, which is `2·(x.shape[-1] - 1)` by default. The imaginary part of the
/// first number, and for an even `n` of the last one, is not used.
///
/// >>> fulmen.irfft(np.array([3.0 + 0j, -1.0]))
/// array([1., 2.])
#[pyfunction]
#[pyo3(signature = (x, n=None, out=None))]
pub fn irfft<'py>(x: Arg<'_, 'py>, n: Option<usize>, out: Option<Arg<'_, 'py>>) -> Returned<'py> {
    const OP: &str = "irfft";
    by_type!(pairs OP, "x", x, T => {
        let py = x.py();
        let x = Read::<<T as Item>::Pair>::new(OP, "x", x)?;
        let (bins, _) = x.lines()?;
        let n = n.unwrap_or(2 * bins.saturating_sub(1));
        if n / 2 + 1 != bins {
            return Err(Name(OP, "n").value_error(format_args!("is {n}, {} or {} expected for a last axis of {bins}", 2 * bins.saturating_sub(1), (2 * bins).saturating_sub(1))));
        }
        let mut shape = x.shape().to_vec();
        shape[x.axes() - 1] = n;
        let mut to = Out::<T>::new(py, OP, out, &shape, &[&x])?;
        let (mut table, mut workspace) = plan_buffers::<T>(fulmen::rfft_plan_len(n), fulmen::rfft_workspace(n))?;
        let (from, y) = (x.slice()?, to.slice()?);
        let run = || {
            let plan = RealFft::plan(n, &mut table, &mut workspace)?;
            fulmen::dispatch!(|s| parallel::irfft_on(s, &plan, from, y, &mut workspace))
        };
        py.detach(run).map_err(value_error)?;
        Ok(to.into_array())
    })
}
