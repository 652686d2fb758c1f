//! Products of many matrices of one size, and the contraction that they are: a share of the peak of `f32`.

use crate::{PEAK_F32, data, listed, say};
use fulmen::backend::Contractions;
use fulmen::gpu::backend::{Batch, BatchMut, Gpu};
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::{Einsum, EinsumPlan};

pub fn run<D: Computes<f32> + Blocking + 'static>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    for (count, n) in [(65_536, 8), (16_384, 16), (4096, 32), (1024, 64), (1000, 100), (256, 256), (64, 512)]
    {
        let all = count * n * n;
        let (a, b) = (gpu.upload(&data(all))?, gpu.upload(&data(all))?);
        let mut c = gpu.alloc::<f32>(all)?;
        let (sizes, by) = ([count, n, n], [n * n, n, 1]);
        let rate = |name: &str, seconds: f64| {
            let rate = 2.0 * (all * n) as f64 / seconds;
            let name = format!("{name} of {count} times {n}");
            say(&name, seconds, &format!("{:.2} TFLOP/s", rate / 1e12), rate / PEAK_F32);
        };
        let seconds = listed(gpu, 10, wait, || {
            let (a, b) = (Batch::strided(a.view(), sizes, by)?, Batch::strided(b.view(), sizes, by)?);
            gpu.gemm_strided_batched(1.0, a, b, 0.0, BatchMut::strided(c.view_mut(), sizes, by)?)
        })?;
        rate("gemm_strided_batched", seconds);
        let plan = EinsumPlan::new(&Einsum::parse("bij,bjk->bik")?, &[&sizes, &sizes])?;
        let seconds = listed(gpu, 10, wait, || gpu.einsum(&plan, &[a.view(), b.view()], c.view_mut(), ()))?;
        rate("einsum", seconds);
    }
    Ok(())
}
