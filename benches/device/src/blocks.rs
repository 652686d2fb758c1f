//! Products with quantised weights, which come from memory: as many matrices by turns as no cache holds.

use super::{listed, say};
use fulmen::backend::Quantised;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use fulmen::quant::{Block, Q4_0, Q4_K, Q6_K, Q8_0, blocks};
use std::cell::Cell;

/// Bytes of all matrices of a case.
const ALL: usize = 256 << 20;

/// `copy` are bytes per second of the device's own copy.
pub fn run<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    copy: f64,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    for size in [[4096, 4096], [4096, 14_336]] {
        format::<Q4_0, D>(gpu, copy, wait, size)?;
        format::<Q8_0, D>(gpu, copy, wait, size)?;
        format::<Q4_K, D>(gpu, copy, wait, size)?;
        format::<Q6_K, D>(gpu, copy, wait, size)?;
    }
    Ok(())
}

fn format<B: Block, D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    copy: f64,
    wait: impl Fn() -> Result<(), Error>,
    [rows, cols]: [usize; 2],
) -> Result<(), Error> {
    let (row, each) = (cols / B::ELEMENTS, size_of::<B>());
    let one = rows * row;
    let many = (ALL / (one * each)).max(2);
    // Codes of any bits; scales are small numbers.
    let bytes: Vec<u8> =
        (0..one * each).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_le_bytes()[2] & 0x3b).collect();
    let w: Vec<_> = (0..many).map(|_| gpu.upload(blocks::<B>(&bytes)?)).collect::<Result<_, Error>>()?;
    let numbers: Vec<f32> = (0..cols * 8).map(|i| (i % 251) as f32 / 251.0 - 0.5).collect();
    let (x, mut q) = (gpu.upload(&numbers)?, gpu.alloc::<B::Partner>(row * 8)?);
    let mut y = gpu.alloc::<f32>(rows * 8)?;
    let turn = Cell::new(0);
    let next = || {
        turn.set((turn.get() + 1) % many);
        w[turn.get()].view()
    };
    let quantise = listed(gpu, 100, &wait, || {
        gpu.quantize(x.view().part(0..cols)?, q.view_mut().split(row)?.into_iter().next().unwrap())
    })?;
    gpu.quantize(x.view(), q.view_mut())?;
    let gemv = listed(gpu, 100, &wait, || {
        let [to, _] = y.view_mut().split(rows)?;
        gpu.quant_gemv(next(), q.view().part(0..row)?, to)
    })?;
    let eight = listed(gpu, 50, &wait, || gpu.quant_gemm(next(), q.view(), cols, y.view_mut()))?;
    let (name, rate) = (format!("{rows} x {cols}, {}", B::NAME), (one * each) as f64);
    for (name, seconds) in
        [(format!("quant_gemv {name}"), gemv), (format!("quant_gemm {name}, 8 vectors"), eight)]
    {
        let rate = rate / seconds;
        say(&name, seconds, &format!("{:.0} GB/s", rate / 1e9), rate / copy);
    }
    let moved = (4 * cols + row * size_of::<B::Partner>()) as f64 / quantise;
    say(
        &format!("quantize {cols}, {}", B::Partner::NAME),
        quantise,
        &format!("{:.0} GB/s", moved / 1e9),
        moved / copy,
    );
    Ok(())
}
