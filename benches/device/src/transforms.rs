//! Fourier transforms beside the device's own copy: the share of the time in which what is read and written once is copied.

use crate::{listed, say};
use fulmen::backend::{Plans, Transforms};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::{Complex, Direction};

/// Lengths and how many at once.
const CASES: [[usize; 2]; 17] = [
    [1 << 6, 1 << 19],
    [1 << 10, 1],
    [1 << 10, 32_768],
    [1 << 12, 8192],
    [1 << 13, 4096],
    [1 << 14, 2048],
    [1 << 16, 1],
    [1 << 16, 512],
    [1 << 18, 1],
    [1 << 18, 128],
    [1 << 20, 1],
    [1 << 20, 32],
    [1 << 22, 1],
    [1 << 24, 1],
    [1000, 16_777],
    [1009, 16_627],
    [5040, 3328],
];

/// `rate` is that of the device's copies, in GB/s of what is read and written.
pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    rate: f64,
) -> Result<(), Error> {
    let most = CASES.iter().map(|[n, rows]| n * rows).max().unwrap_or(0);
    let data: Vec<Complex<f32>> = (0..most as u32)
        .map(|i| [0x9e37_79b1u32, 0x85eb_ca77].map(|by| (i.wrapping_mul(by) >> 8) as f32 / 8_388_608.0 - 1.0))
        .map(|[re, im]| Complex::new(re, im))
        .collect();
    let x = gpu.upload(&data)?;
    let (mut y, mut z) = (gpu.alloc::<Complex<f32>>(most)?, gpu.alloc::<Complex<f32>>(most)?);
    let line = |name: &str, n: usize, bytes: usize, seconds: f64| {
        let gb = bytes as f64 / seconds / 1e9;
        let flop = 5.0 * n as f64 / seconds / 1e12;
        say(name, seconds, &format!("{flop:.2} TFLOP/s {gb:.0} GB/s"), gb / rate);
    };
    for [n, rows] in CASES {
        let all = n * rows;
        let (plan, from) = (gpu.fft_plan(n, (), ())?, x.view().part(0..all)?);
        let times = if all > 1 << 20 { 20 } else { 100 };
        let seconds = listed(gpu, times, wait, || {
            let [to, _] = y.view_mut().split(all)?;
            gpu.fft(&plan, Direction::Forward, from, to, ())
        })?;
        // The way back gives what was there.
        let [to, _] = z.view_mut().split(all)?;
        gpu.fft(&plan, Direction::Inverse, y.view().part(0..all)?, to, ())?;
        let mut back = vec![Complex::ZERO; all];
        gpu.download(z.view().part(0..all)?, &mut back)?;
        let off = back.iter().zip(&data).map(|(a, b)| (*a - *b).norm_sqr()).fold(0.0, f32::max).sqrt();
        assert!(off < 2e-5, "{n}: {off}");
        line(&format!("fft of {n}, {rows} times"), all * n.ilog2() as usize, 16 * all, seconds);
    }
    for [n, rows] in [[1 << 10, 65_536], [1 << 20, 64]] {
        let reals = gpu.upload(&vec![0.5f32; n * rows])?;
        let (plan, bins) = (gpu.rfft_plan(n, (), ())?, (n / 2 + 1) * rows);
        let mut to = gpu.alloc::<Complex<f32>>(bins)?;
        let seconds = listed(gpu, 20, wait, || gpu.rfft(&plan, reals.view(), to.view_mut(), ()))?;
        let work = n * rows / 2 * n.ilog2() as usize;
        line(&format!("rfft of {n}, {rows} times"), work, 4 * n * rows + 8 * bins, seconds);
    }
    let n = 4096;
    let plan = gpu.fft_plan(n, (), ())?;
    let seconds = listed(gpu, 20, wait, || {
        let from = x.view().part(0..n * n)?.matrix(n, n)?;
        let [to, _] = y.view_mut().split(n * n)?;
        gpu.fft_2d(&plan, &plan, Direction::Forward, from, to.matrix(n, n)?, ())
    })?;
    line("fft_2d of 4096 x 4096", n * n * 24, 16 * n * n, seconds);
    Ok(())
}
