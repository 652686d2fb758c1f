//! Sparse matrices beside the device's own copy: a Laplacian on a square of points, and a graph whose degrees follow a power law.
//! `benches/pytorch.py --gpu-sparse` times cuSPARSE on matrices that are made alike.

use crate::{data, listed, median, say};
use fulmen::Csr;
use fulmen::backend::{SparseMatrices, SparseProducts};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen_harness::pattern::{Pattern, laplacian};

fn power_law(n: usize) -> Pattern {
    let mut bits = 1u64;
    let random = std::iter::repeat_with(move || {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (bits >> 11) as f64 / (1u64 << 53) as f64
    });
    fulmen_harness::pattern::power_law(n, random)
}

/// `copy` are bytes per second of the device's own copy.
pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    copy: f64,
) -> Result<(), Error> {
    for (name, (offsets, columns)) in
        [("laplacian of 1M rows", laplacian(1000)), ("power law of 300k rows", power_law(300_000))]
    {
        let (n, len) = (offsets.len() - 1, columns.len());
        let values = data(len);
        let a = gpu.csr(Csr::new(n, n, &offsets, &columns, &values)?)?;
        let (x, mut y) = (gpu.upload(&data(32 * n))?, gpu.alloc::<f32>(32 * n)?);
        let line = |op: &str, bytes: usize, seconds: f64| {
            let rate = bytes as f64 / seconds;
            say(&format!("{op}, {name}"), seconds, &format!("{:.0} GB/s", rate / 1e9), rate / copy);
        };
        // Values and columns, offsets, a vector and the result.
        let bytes = |cols: usize| 8 * len + 4 * n + 8 * n * cols;
        let seconds = listed(gpu, 20, wait, || {
            let [to, _] = y.view_mut().split(n)?;
            gpu.spmv(1.0, &a, x.view().part(0..n)?, 0.0, to)
        })?;
        line("spmv", bytes(1), seconds);
        let seconds = listed(gpu, 20, wait, || {
            gpu.spmm(1.0, &a, x.view().matrix(n, 32)?, 0.0, y.view_mut().matrix(n, 32)?)
        })?;
        line("spmm of 32 columns", bytes(32), seconds);
        let seconds = median(3, wait, || gpu.csr_transpose(&a, (), (), ()).map(drop))?;
        line("csr_transpose", 2 * bytes(0), seconds);
        let seconds = median(3, wait, || gpu.spgemm(&a, &a, (), (), (), ()).map(drop))?;
        let got = gpu.spgemm(&a, &a, (), (), (), ())?.values().len();
        line("spgemm of the square", 8 * (2 * len + got), seconds);
    }
    Ok(())
}
