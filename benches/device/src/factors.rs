//! Factors of matrices, each on a fresh copy, whose time counts: a matrix is read and written once more.

use crate::{PEAK_F32, data, median, say};
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};

pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    for n in [256, 1024, 4096] {
        // Its diagonal outweighs its rows, so that it is definite.
        let mut all = data(n * n);
        (0..n).for_each(|i| all[i * n + i] = 2.0 * n as f32);
        let from = gpu.upload(&all)?;
        let mut a = gpu.alloc::<f32>(n * n)?;
        let (mut tau, mut pivots) = (gpu.alloc::<f32>(n)?, gpu.alloc::<u32>(n)?);
        let times = if n > 1024 { 3 } else { 10 };
        let cube = (n as f64).powi(3);
        for (name, flop) in [("cholesky", cube / 3.0), ("lu", 2.0 * cube / 3.0), ("qr", 4.0 * cube / 3.0)] {
            let seconds = median(times, wait, || {
                gpu.scale(from.view(), 1.0, a.view_mut())?;
                let of = a.view_mut().matrix(n, n)?;
                match name {
                    "cholesky" => gpu.cholesky(of, ()),
                    "lu" => gpu.lu(of, pivots.view_mut(), ()),
                    _ => gpu.qr(of, tau.view_mut(), ()),
                }
            })?;
            let rate = flop / seconds;
            say(&format!("{name} of {n}"), seconds, &format!("{:.2} TFLOP/s", rate / 1e12), rate / PEAK_F32);
        }
    }
    Ok(())
}
