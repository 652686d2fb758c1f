//! Running sums of rows: a share of a copy's rate, as each element is read and written; and the largest elements, as each is read.

use crate::{data, listed, say};
use fulmen::backend::{Analysis, Reductions};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};

pub fn run<D: Computes<f32> + Blocking + 'static>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    peak: f64,
) -> Result<(), Error> {
    // Few long rows, as many as there are, short ones, and rows that start at no multiples of 16 bytes.
    for [rows, cols] in [
        [1, 1 << 24],
        [1, 1 << 26],
        [32, 128_256],
        [132, 50_257],
        [4096, 8192],
        [8192, 1000],
        [65_536, 100],
        [1 << 20, 32],
        [1 << 22, 4],
    ] {
        let x = gpu.upload(&data(rows * cols))?;
        let mut out = gpu.alloc::<f32>(rows * cols)?;
        let seconds = listed(gpu, 10, wait, || gpu.cumsum(x.view(), cols, out.view_mut()))?;
        let rate = 8.0 * (rows * cols) as f64 / seconds;
        let name = format!("cumsum of {rows} rows of {cols}");
        say(&name, seconds, &format!("{:.0} GB/s", rate / 1e9), rate / peak);
    }
    for (n, k) in
        [(1 << 16, 50), (1 << 20, 10), (1 << 20, 1000), (1 << 20, 1 << 14), (1 << 24, 50), (1 << 26, 1000)]
    {
        let x = gpu.upload(&data(n))?;
        let (mut values, mut indices) = (gpu.alloc::<f32>(k)?, gpu.alloc::<u32>(k)?);
        let seconds =
            listed(gpu, 10, wait, || gpu.top_k(x.view(), k, values.view_mut(), indices.view_mut()))?;
        let rate = 4.0 * n as f64 / seconds;
        say(&format!("top_k, {k} of {n}"), seconds, &format!("{:.0} GB/s", rate / 1e9), rate / peak);
    }
    Ok(())
}
