//! Factors of many small matrices, their eigenvalues, and those of a large one; factors and solutions as a share of a copy's rate: each is read and written once.

use crate::{data, median, say};
use fulmen::backend::*;
use fulmen::gpu::backend::{Batch, BatchMut, Gpu};
use fulmen::gpu::device::{Blocking, Computes, Error};

/// Matrices.
const COUNT: usize = 4096;

pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    peak: f64,
) -> Result<(), Error> {
    for n in [16, 32, 64] {
        let all = COUNT * n * n;
        // Each diagonal outweighs its rows.
        let mut x = data(all);
        (0..COUNT * n).for_each(|k| x[k / n * n * n + k % n * (n + 1)] = 2.0 * n as f32);
        let from = gpu.upload(&x)?;
        let (mut a, mut b) = (gpu.alloc::<f32>(all)?, gpu.upload(&data(COUNT * n))?);
        let mut pivots = gpu.alloc::<u32>(COUNT * n)?;
        let ([sizes, by], [right, along]) = ([[COUNT, n, n], [n * n, n, 1]], [[COUNT, n, 1], [n, 1, 1]]);
        let line = |name: &str, seconds: f64, bytes: usize| {
            let rate = bytes as f64 / seconds;
            say(
                &format!("{name} of {COUNT} times {n}"),
                seconds,
                &format!("{:.0} GB/s", rate / 1e9),
                rate / peak,
            );
        };
        // The copy is timed by itself, and taken off.
        let copy = median(10, wait, || gpu.scale(from.view(), 1.0, a.view_mut()))?;
        let seconds = median(10, wait, || {
            gpu.scale(from.view(), 1.0, a.view_mut())?;
            gpu.cholesky_batched(BatchMut::strided(a.view_mut(), sizes, by)?)
        })?;
        line("cholesky_batched", seconds - copy, 4 * all);
        let seconds = median(10, wait, || {
            let l = Batch::strided(a.view(), sizes, by)?;
            gpu.cholesky_solve_batched(l, BatchMut::strided(b.view_mut(), right, along)?)
        })?;
        line("cholesky_solve_batched", seconds, 4 * all);
        let seconds = median(10, wait, || {
            gpu.scale(from.view(), 1.0, a.view_mut())?;
            gpu.lu_batched(BatchMut::strided(a.view_mut(), sizes, by)?, pivots.view_mut())
        })?;
        line("lu_batched", seconds - copy, 8 * all);
        let seconds = median(10, wait, || {
            let f = Batch::strided(a.view(), sizes, by)?;
            gpu.lu_solve_batched(f, pivots.view(), BatchMut::strided(b.view_mut(), right, along)?)
        })?;
        line("lu_solve_batched", seconds, 4 * all);
    }
    // What a second does of them: their number of operations is not known.
    for (count, n) in [(1024, 32), (1024, 64), (1, 256), (1, 1024)] {
        let all = count * n * n;
        let from = gpu.upload(&data(all))?;
        let (mut a, mut values) = (gpu.alloc::<f32>(all)?, gpu.alloc::<f32>(count * n)?);
        let times = if n > 256 { 1 } else { 3 };
        let line = |name: &str, seconds: f64| {
            say(
                &format!("{name} of {count} times {n}"),
                seconds,
                &format!("{:.0}/s", count as f64 / seconds),
                0.0,
            );
        };
        let seconds = median(times, wait, || {
            gpu.scale(from.view(), 1.0, a.view_mut())?;
            gpu.eigh_batched(
                BatchMut::strided(a.view_mut(), [count, n, n], [n * n, n, 1])?,
                values.view_mut(),
            )
        })?;
        line("eigh", seconds);
        if count > 1 {
            let (mut u, mut vt) = (gpu.alloc::<f32>(all)?, gpu.alloc::<f32>(all)?);
            let seconds = median(times, wait, || {
                gpu.scale(from.view(), 1.0, a.view_mut())?;
                let [to, u, vt] = [a.view_mut(), u.view_mut(), vt.view_mut()]
                    .map(|x| BatchMut::strided(x, [count, n, n], [n * n, n, 1]));
                gpu.svd_batched(to?, u?, values.view_mut(), vt?)
            })?;
            line("svd", seconds);
        }
        if count == 1 {
            let (mut u, mut vt) = (gpu.alloc::<f32>(all)?, gpu.alloc::<f32>(all)?);
            let seconds = median(times, wait, || {
                let to = u.view_mut().matrix(n, n)?;
                gpu.scale(from.view(), 1.0, a.view_mut())?;
                gpu.svd(a.view_mut().matrix(n, n)?, to, values.view_mut(), vt.view_mut().matrix(n, n)?, ())
            })?;
            line("svd", seconds);
        }
    }
    Ok(())
}
