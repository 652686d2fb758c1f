//! The Python module `fulmen`: ops on NumPy arrays, which are read and written in place. Kernels run without the GIL, on the instruction
//! set of the CPU.

mod arrays;
mod fourier;
mod images;
mod products;
mod quant;
mod rows;
mod sparse;
mod systems;

use fulmen::lanes::Simd;
use pyo3::prelude::*;

/// The instruction set that kernels run on, such as "avx512x16", and the number of threads.
///
/// The environment variable RAYON_NUM_THREADS sets the number of threads. It is read at the first call.
///
/// >>> name, threads = fulmen.runs_on()
#[pyfunction]
fn runs_on() -> (&'static str, usize) {
    const fn name<S: Simd>(_: S) -> &'static str {
        S::NAME
    }
    (fulmen::dispatch!(|s| name(s)), arrays::threads())
}

/// Numeric kernels over NumPy arrays.
///
/// Arguments are read in place, and results are written to a new array or to `out`. An argument that cannot be read in place
/// raises a TypeError (not an array, another dtype) or a ValueError (shape, layout, values), which names the op and the argument.
/// The GIL is released while a kernel runs: no other thread may write an argument in that time, as with NumPy itself.
#[pymodule(name = "fulmen")]
mod module {
    #[pymodule_export]
    use super::fourier::{fft, fft2, ifft, ifft2, irfft, rfft};
    #[pymodule_export]
    use super::images::{gaussian_filter, median_filter, resize};
    #[pymodule_export]
    use super::products::{attention, conv1d, einsum, gemm, matmul};
    #[pymodule_export]
    use super::quant::{dequantize, quantize};
    #[pymodule_export]
    use super::rows::{
        argmax, argsort, erf, exp, gelu, layer_norm, log, log_softmax, mean, median, rms_norm, sigmoid,
        softmax, sort, sum, tanh, top_k, variance,
    };
    #[pymodule_export]
    use super::runs_on;
    #[pymodule_export]
    use super::sparse::{Csr, cg, spmv};
    #[pymodule_export]
    use super::systems::{cholesky, eigh, lstsq, lu, qr, solve, svd};
}
