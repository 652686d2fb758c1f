//! What ops take on a device as its users call them: seconds of calls in a row that are waited for, beside the device's
//! own copies and launches. Medians of seven rounds. A word behind the device's name picks the groups that have it in
//! their names: `lines`, `batches`, `blocks` (products of quantised weights), `transforms`, `products`, `low_precision`, `attention`, `host`, `cached`
//! (one query over a cache), `decode`, `factors`, `images`, `scans`, `small`, `sparse`.
//!
//! A case is a line of fields between bars: its name, whose time it is, µs, a rate, and the share of what limits it. `table`
//! joins such lines of several programs.

// The program `llm`, whose modules know each other from the root.
macro_rules! program {
    ($($module:ident $path:literal)*) => { $(#[allow(dead_code, reason = "a part of it is measured")] #[path = $path] mod $module;)* };
}
program! {
    config "../../../examples/llm/config.rs"
    files "../../../examples/common/files.rs"
    gguf "../../../examples/llm/gguf.rs"
    machine "../../../examples/llm/machine.rs"
    memory "../../../examples/llm/memory.rs"
    model "../../../examples/llm/model.rs"
    tokens "../../../examples/llm/tokens.rs"
    train "../../../examples/llm/train.rs"
    vocabulary "../../../examples/llm/vocabulary.rs"
}

mod batches;
mod blocks;
#[cfg(feature = "cuda")]
mod cuda;
mod decode;
mod factors;
mod images;
mod lines;
#[cfg(feature = "nccl")]
mod ranks;
mod scans;
mod small;
mod sparse;
mod table;
mod transforms;
#[cfg(feature = "wgpu")]
mod wgpu;

use fulmen::backend::*;
use fulmen::gpu::backend::{Bias, Gpu};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::{ApproxTanh, Attention, Body, Formula, Gelu, Number, Relu};
use std::process::ExitCode;
use std::time::Instant;

/// Elements of the long operands.
pub const N: usize = 1 << 26;
const ROUNDS: usize = 7;

/// The median of seconds, each of `times` calls that are waited for.
pub fn median(
    times: usize,
    wait: impl Fn() -> Result<(), Error>,
    mut f: impl FnMut() -> Result<(), Error>,
) -> Result<f64, Error> {
    f()?;
    wait()?;
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..times {
            f()?;
        }
        wait()?;
        all.push(start.elapsed().as_secs_f64() / times as f64);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[ROUNDS / 2])
}

/// As [`median`], of `times` calls of one list: as those of a peer's graph they do not wait for the host.
pub fn listed<D: Device>(
    gpu: &Gpu<D>,
    times: usize,
    wait: impl Fn() -> Result<(), Error>,
    mut f: impl FnMut() -> Result<(), Error>,
) -> Result<f64, Error> {
    let list = median(1, wait, || gpu.together(|| (0..times).try_for_each(|_| f())))?;
    Ok(list / times as f64)
}

/// A case's line, for people and for [`table`]; the share is of the device's copy, or of the peak of its products.
pub fn say(name: &str, seconds: f64, rate: &str, share: f64) {
    println!("{name:40} | fulmen | {:10.2} µs | {rate:>12} | {share:.2}", seconds * 1e6);
}

/// The peak that a product's rate is a share of, in FLOP/s: an H100's or H200's of its data sheet, dense.
pub const PEAK_F32: f64 = 66.9e12;
pub const PEAK_F16: f64 = 989e12;

fn teraflops(rate: f64) -> String {
    format!("{:.1} TFLOP/s", rate / 1e12)
}

/// Random numbers from -1 to 1.
fn data(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0).collect()
}

/// Every case that is wanted; `copy` says the seconds in which the device itself copies 2²⁶ `f32`.
fn run<D: Computes<f32> + Blocking>(gpu: &Gpu<D>, copy: impl Fn() -> f64) -> Result<(), Error> {
    println!("{}", gpu.device().facts().name);
    let mark = gpu.upload(&[0.0f32])?;
    let wait = || gpu.download(mark.view(), &mut [0.0f32]);
    let wanted = std::env::args().nth(2).unwrap_or_default();
    let picked = |group: &str| group.contains(&wanted);
    if picked("lines") {
        lines::run(gpu, wait, copy())?;
    }
    if picked("blocks") {
        blocks::run(gpu, 8.0 * N as f64 / copy(), wait)?;
    }
    if picked("transforms") {
        transforms::run(gpu, wait, 8.0 * N as f64 / copy() / 1e9)?;
    }
    if picked("products") {
        products(gpu, wait)?;
    }
    if picked("batches") {
        batches::run(gpu, wait)?;
    }
    if picked("vectors") {
        vectors(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("scans") {
        scans::run(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("images") {
        images::run(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("factors") {
        factors::run(gpu, wait)?;
    }
    if picked("small") {
        small::run(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("sparse") {
        sparse::run(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("low_precision") {
        low_precision(gpu, wait)?;
    }
    if picked("attention") {
        attention(gpu, wait)?;
    }
    if picked("host") {
        host(gpu, wait)?;
    }
    if picked("cached") {
        decode::attention(gpu, wait, 8.0 * N as f64 / copy())?;
    }
    if picked("decode") {
        decode::run(gpu.clone());
        machine::on_best_lanes(decode::Decode);
    }
    Ok(())
}

/// Products of `f32`.
fn products<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    let a = gpu.upload(&data(8192 * 8192))?;
    let (view, mut y) = (a.view(), gpu.alloc::<f32>(8192 * 8192)?);
    for size in [64, 128, 256, 512, 768, 1024, 2048, 4096, 8192] {
        let p = view.part(0..size * size)?;
        let q = if size == 8192 { p } else { view.part(7..size * size + 7)? };
        let times = if size < 2048 { 100 } else { 5 };
        let seconds = listed(gpu, times, wait, || {
            let [z, _] = y.view_mut().split(size * size)?;
            gpu.gemm(1.0, p.matrix(size, size)?, q.matrix(size, size)?, 0.0, z.matrix(size, size)?)
        })?;
        let rate = 2.0 * (size as f64).powi(3) / seconds;
        say(&format!("gemm f32, {size}"), seconds, &teraflops(rate), rate / PEAK_F32);
    }
    Ok(())
}

/// Seconds of the processor that this thread has had, where Linux says it.
fn processor() -> f64 {
    let all = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = all.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    first.map_or(f64::NAN, |ns| ns / 1e9)
}

/// A kernel of one block: what the host takes to ask for it, and until it is done.
fn host<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    const TIMES: usize = 20_000;
    let mut y = gpu.upload(&[1.0f32; 64])?;
    let done = median(TIMES, wait, || gpu.scale_in_place(y.view_mut(), 1.0))?;
    let (start, before) = (Instant::now(), processor());
    for _ in 0..TIMES {
        gpu.scale_in_place(y.view_mut(), 1.0)?;
    }
    let asked = [start.elapsed().as_secs_f64(), processor() - before].map(|t| t / TIMES as f64 * 1e6);
    wait()?;
    let [clock, own] = asked;
    println!(
        "a launch of one block: {:.2} µs until done, {clock:.2} µs of the host, {own:.2} of its processor",
        done * 1e6
    );
    let single = median(
        200,
        || Ok(()),
        || {
            gpu.scale_in_place(y.view_mut(), 1.0)?;
            wait()
        },
    )?;
    println!("a launch that is waited for by a read of 4 bytes: {:.1} µs", single * 1e6);
    Ok(())
}

/// Products of rows with a vector, as a token of a model has them: one right after the other, of weights that no cache holds.
fn vectors<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    copy: f64,
) -> Result<(), Error> {
    for [rows, cols] in
        [[1024, 2048], [2048, 2048], [11_264, 2048], [2048, 5632], [32_000, 2048], [8192, 8192]]
    {
        for (name, width) in [("bf16", 2), ("f32", 4)] {
            let (n, x) = (rows * cols, gpu.upload(&data(cols))?);
            let many = ((512 << 20) / (width * n)).clamp(2, 32);
            let mut y = gpu.alloc(rows)?;
            let all = (0..many).map(|_| {
                let mut a = if width == 2 { gpu.alloc_halves(n)? } else { gpu.alloc(n)? };
                gpu.fill(0.01f32, a.view_mut())?;
                Ok(a)
            });
            let all = all.collect::<Result<Vec<_>, Error>>()?;
            let list = || {
                all.iter().try_for_each(|a| {
                    let (x, y) = (Gpu::<D>::vector(x.view()), Gpu::<D>::vector_mut(y.view_mut()));
                    Products::gemv(gpu, 1.0, a.view().matrix(rows, cols)?, x, 0.0, y)
                })
            };
            let mut list = list;
            let seconds = median(5, wait, || gpu.together(&mut list))? / many as f64;
            let rate = (width * n) as f64 / seconds;
            let name = format!("gemv {name}, {rows} x {cols}");
            say(&name, seconds, &format!("{:.0} GB/s", rate / 1e9), rate / copy);
        }
    }
    Ok(())
}

macro_rules! ends {
    ($($Name:ident $name:literal $body:expr;)+) => {$(
        #[doc = concat!("What follows a layer's product: `", $name, "`.")]
        struct $Name;
        impl Formula<0, 1> for $Name {
            const NAME: &'static str = $name;
            fn body<T: Number>([]: [T; 0]) -> impl Body<T, 1> {
                $body
            }
        }
    )+};
}
ends! {
    Short "relu" Relu;
    Longer "approx_tanh" ApproxTanh;
    Long "gelu" Gelu;
}

/// Products of `f16`, and of bytes, whose B lies by columns, as their peers want it.
fn low_precision<D: Computes<f32>>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    for size in [1024, 2048, 4096, 8192] {
        let n = size * size;
        let x: Vec<_> = (0..n).map(|i| half::f16::from_f32((i % 251) as f32 / 251.0 - 0.5)).collect();
        let (p, q) = (gpu.upload(&x)?, gpu.upload(&x)?);
        let mut z = gpu.alloc(n)?;
        let seconds = listed(gpu, 20, wait, || {
            let (p, q) = (p.view().matrix(size, size)?, q.view().matrix(size, size)?);
            gpu.gemm_f16(1.0, p, q, 0.0, z.view_mut().matrix(size, size)?, ())
        })?;
        let rate = 2.0 * (size as f64).powi(3) / seconds;
        say(&format!("gemm_f16, {size}"), seconds, &teraflops(rate), rate / PEAK_F16);
        let bias = gpu.upload(&data(size))?;
        // A bias and a formula, and beside them the product, and a map of the formula alone.
        macro_rules! ended {
            ($($Name:ident)+) => {$(
                for ended in [true, false] {
                    let seconds = listed(gpu, 20, wait, || {
                        let (p, q) = (p.view().matrix(size, size)?, q.view().matrix(size, size)?);
                        let to = z.view_mut().matrix(size, size)?;
                        if ended {
                            return gpu.gemm_f16_with(1.0, p, q, 0.0, to, Bias::Columns(bias.view()), $Name, []);
                        }
                        gpu.gemm_f16(1.0, p, q, 0.0, to, ())?;
                        gpu.map_in_place($Name, [], z.view_mut())
                    })?;
                    let rate = 2.0 * (size as f64).powi(3) / seconds;
                    let how = if ended { "_with a bias," } else { ", then" };
                    let name = format!("gemm_f16{how} {}, {size}", $Name::NAME);
                    say(&name, seconds, &teraflops(rate), rate / PEAK_F16);
                }
            )+};
        }
        ended!(Short Longer Long);
    }
    for size in [512, 1024, 2048, 4096, 8192] {
        let n = size * size;
        let x: Vec<_> = (0..n).map(|i| fulmen::E4m3::from_f32((i % 251) as f32 / 251.0 - 0.5)).collect();
        let y: Vec<_> = (0..n).map(|i| (i % 251) as u8 as i8).collect();
        let ((p, q), (x, y)) = ((gpu.upload(&x)?, gpu.upload(&x)?), (gpu.upload(&y)?, gpu.upload(&y)?));
        let (mut z, mut sums) = (gpu.alloc(n)?, gpu.alloc(n)?);
        let floats = listed(gpu, 20, wait, || {
            let (p, q) = (p.view().matrix(size, size)?, q.view().matrix(size, size)?.t());
            gpu.gemm_e4m3(1.0, p, q, 0.0, z.view_mut().matrix(size, size)?, ())
        })?;
        let bytes = listed(gpu, 20, wait, || {
            let (x, y) = (x.view().matrix(size, size)?, y.view().matrix(size, size)?.t());
            gpu.gemm_i8(1, x, y, 0, sums.view_mut().matrix(size, size)?, ())
        })?;
        for (name, seconds) in [("gemm_e4m3", floats), ("gemm_i8", bytes)] {
            let rate = 2.0 * (size as f64).powi(3) / seconds;
            say(&format!("{name}, {size}"), seconds, &teraflops(rate), rate / (2.0 * PEAK_F16));
        }
    }
    Ok(())
}

/// Causal attention and its gradients, as models train: 2 and 5 products of which half are hidden.
fn attention<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    for (n, heads, dim) in [(256, 64, 64), (1024, 16, 64), (4096, 8, 64), (2048, 8, 128)] {
        let op = Attention { causal: true, ..Attention::new(heads, heads, dim, 0.1f32) };
        let cols = heads * dim;
        let x = gpu.upload(&(0..n * cols).map(|i| (i % 97) as f32 / 97.0 - 0.5).collect::<Vec<_>>())?;
        let (mut out, mut lse) = (gpu.alloc(n * cols)?, gpu.alloc(n * heads)?);
        let [mut dq, mut dk, mut dv] = [gpu.alloc(n * cols)?, gpu.alloc(n * cols)?, gpu.alloc(n * cols)?];
        let v = x.view().matrix(n, cols)?;
        let forward = median(5, wait, || {
            let to = out.view_mut().matrix(n, cols)?;
            gpu.attention(&op, v, v, v, None, to, Some(lse.view_mut()), ())
        })?;
        let backward = median(5, wait, || {
            let [dq, dk, dv] = [&mut dq, &mut dk, &mut dv].map(|x| x.view_mut().matrix(n, cols));
            let (o, lse) = (out.view().matrix(n, cols)?, lse.view());
            gpu.attention_backward(&op, v, v, v, None, o, lse, v, dq?, dk?, dv?, ())
        })?;
        let flop = 2.0 * (n * n) as f64 * cols as f64;
        let name = format!("attention of {n}, {heads} heads of {dim}");
        for (name, seconds, flop) in
            [(name.clone(), forward, flop), (name + ", gradients", backward, 2.5 * flop)]
        {
            let rate = flop / seconds;
            say(&name, seconds, &teraflops(rate), rate / PEAK_F32);
        }
    }
    Ok(())
}

/// Normal numbers in `bf16`.
fn normal() -> impl FnMut() -> half::bf16 {
    let mut bits = 1u64;
    move || {
        let mut sum = -6.0;
        for _ in 0..12 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            sum += (bits >> 40) as f32 / 16_777_216.0;
        }
        half::bf16::from_f32(sum)
    }
}

/// Attention of `bf16` and its gradients for heads of many widths: 4 sequences of 4096, 16 heads.
fn half_widths<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    let ([batch, n, heads], mut normal) = ([4, 4096, 16], normal());
    let rows = batch * n;
    for dim in [64, 80, 96, 112, 128, 160, 192, 256, 72, 100] {
        let cols = heads * dim;
        let mut on = || gpu.upload(&(0..rows * cols).map(|_| normal()).collect::<Vec<_>>());
        let (q, k, v) = (on()?, on()?, on()?);
        let (mut out, mut lse) = (gpu.alloc(rows * cols)?, gpu.alloc(heads * rows)?);
        let mut grads =
            [(); 3].map(|()| gpu.alloc(rows * cols)).into_iter().collect::<Result<Vec<_>, _>>()?;
        let [q, k, v] = [&q, &k, &v].map(|x| x.view().matrix(rows, cols));
        let (q, k, v) = (q?, k?, v?);
        for causal in [false, true] {
            let of = Attention::new(heads, heads, dim, 1.0 / (dim as f32).sqrt());
            let op = Attention { causal, batch, ..of };
            let seconds = median(10, wait, || {
                gpu.attention_bf16(&op, q, k, v, out.view_mut().matrix(rows, cols)?, Some(lse.view_mut()), ())
            })?;
            let o = out.view().matrix(rows, cols)?;
            let backward = median(4, wait, || {
                let mut to = grads.iter_mut().map(|x| x.view_mut().matrix(rows, cols));
                let mut next = || to.next().expect("there are three");
                gpu.attention_bf16_backward(&op, q, k, v, o, lse.view(), v, next()?, next()?, next()?, ())
            })?;
            let flop = if causal { 2.0 } else { 4.0 } * n as f64 * (rows * cols) as f64;
            let mask = if causal { "causal" } else { "full" };
            for (name, seconds, flop) in
                [("attention_bf16", seconds, flop), ("attention_bf16_backward", backward, 2.5 * flop)]
            {
                let rate = flop / seconds;
                say(&format!("{name}, heads of {dim}, {mask}"), seconds, &teraflops(rate), rate / PEAK_F16);
            }
        }
    }
    Ok(())
}

/// Attention of `bf16` and its gradients: 16 384 tokens, 2048 columns, in texts of `n`; the peer is `benches/pytorch.py --attention cuda`.
fn half_attention<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
) -> Result<(), Error> {
    const ALL: usize = 1 << 25;
    let mut normal = normal();
    let [q, k, v] = [(); 3].map(|()| gpu.upload(&(0..ALL).map(|_| normal()).collect::<Vec<_>>()));
    let (q, k, v, mut out) = (q?, k?, v?, gpu.alloc(ALL)?);
    let mut grads = [gpu.alloc(ALL)?, gpu.alloc(ALL)?, gpu.alloc(ALL)?];
    for (dim, causal) in [(128, false), (128, true), (64, false), (64, true)] {
        for n in [1024, 2048, 4096, 8192, 16_384] {
            // The texts of a batch are heads: a row has those of all at one place.
            let (heads, cols) = (ALL / n / dim, ALL / n);
            let scale = 1.0 / (dim as f32).sqrt();
            let op = Attention { causal, ..Attention::new(heads, heads, dim, scale) };
            let seconds = median(10, wait, || {
                let [q, k, v] = [&q, &k, &v].map(|x| x.view().matrix(n, cols));
                gpu.attention_bf16(&op, q?, k?, v?, out.view_mut().matrix(n, cols)?, None, ())
            })?;
            let mut lse = gpu.alloc(heads * n)?;
            let to = out.view_mut().matrix(n, cols)?;
            let [q, k, v] = [&q, &k, &v].map(|x| x.view().matrix(n, cols));
            let (q, k, v) = (q?, k?, v?);
            gpu.attention_bf16(&op, q, k, v, to, Some(lse.view_mut()), ())?;
            let backward = median(5, wait, || {
                let [dq, dk, dv] = grads.each_mut().map(|x| x.view_mut().matrix(n, cols));
                let o = out.view().matrix(n, cols)?;
                gpu.attention_bf16_backward(&op, q, k, v, o, lse.view(), v, dq?, dk?, dv?, ())
            })?;
            let flop = if causal { 2.0 } else { 4.0 } * n as f64 * ALL as f64;
            let mask = if causal { "causal" } else { "full" };
            for (name, seconds, flop) in
                [("attention_bf16", seconds, flop), ("attention_bf16_backward", backward, 2.5 * flop)]
            {
                let rate = flop / seconds;
                say(&format!("{name}, {dim}, {n}, {mask}"), seconds, &teraflops(rate), rate / PEAK_F16);
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let asked = std::env::args().nth(1).unwrap_or_default();
    let done = match asked.as_str() {
        #[cfg(feature = "cuda")]
        "cuda" => cuda::run(),
        #[cfg(feature = "cuda")]
        "attention" => cuda::attention(),
        #[cfg(feature = "cuda")]
        "attention-widths" => cuda::widths(),
        #[cfg(feature = "nccl")]
        "ranks" => {
            ranks::run();
            Ok(())
        }
        #[cfg(feature = "wgpu")]
        "wgpu" => wgpu::run(),
        "table" => {
            let mut files = std::env::args().skip(2);
            let done = table::run(&files.next().unwrap_or_default(), files);
            return done.map_or_else(
                |why| {
                    eprintln!("{why}");
                    ExitCode::FAILURE
                },
                |()| ExitCode::SUCCESS,
            );
        }
        other => {
            eprintln!(
                "`{other}`: there are cuda, attention, attention-widths, ranks and wgpu, with the features of their names, and table"
            );
            return ExitCode::FAILURE;
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
