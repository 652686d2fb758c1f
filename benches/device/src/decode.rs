//! Tokens that a model of 41 million parameters follows one by one, on a device and on this CPU: the program `llm`.

use crate::config::Config;
use crate::gguf::Stored;
use crate::machine::{Follower, Job, Machine, Weights};
use crate::{listed, say};
use fulmen::Attention;
use fulmen::backend::Caches;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use half::bf16;
use std::time::Instant;

/// One query over a cache of halves, 32 heads of 128: as many bytes as no cache holds, by turns. The peer is
/// `benches/pytorch.py --gpu-attention`.
pub fn attention<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    wait: impl Fn() -> Result<(), Error> + Copy,
    copy: f64,
) -> Result<(), Error> {
    let (heads, dim) = (32, 128);
    for kv_heads in [32, 8] {
        for len in [1024, 8192, 65_536] {
            let n = len * kv_heads * dim;
            let many = ((256 << 20) / (4 * n)).clamp(1, 64);
            let x: Vec<_> = crate::data(n).into_iter().map(bf16::from_f32).collect();
            let caches = (0..many).map(|_| Ok((gpu.upload(&x)?, gpu.upload(&x)?)));
            let caches = caches.collect::<Result<Vec<_>, Error>>()?;
            let (q, mut out) = (gpu.upload(&crate::data(heads * dim))?, gpu.alloc(heads * dim)?);
            let op = Attention::new(heads, kv_heads, dim, 0.1f32);
            let mut call = 0;
            let seconds = listed(gpu, 20usize.next_multiple_of(many), wait, || {
                call += 1;
                let (k, v) = &caches[call % many];
                gpu.attention_decode(&op, q.view(), k.view(), v.view(), None, out.view_mut(), None, ())
            })?;
            let rate = 4.0 * n as f64 / seconds;
            let name = format!("attention_decode bf16, {heads}/{kv_heads} of {dim}, {len}");
            say(&name, seconds, &format!("{:.0} GB/s", rate / 1e9), rate / copy);
        }
    }
    Ok(())
}

/// Tokens that are followed, after some that are not timed.
const TOKENS: usize = 200;

/// A model of 41 million parameters.
fn small() -> Config {
    Config {
        vocab: 8192,
        dim: 512,
        layers: 12,
        heads: 8,
        kv_heads: 4,
        hidden: 1536,
        context: 512,
        ..Config::default()
    }
}

/// A model of 1.24 billion parameters.
#[cfg(feature = "cuda")]
pub fn large() -> Config {
    Config {
        vocab: 32_000,
        dim: 2048,
        layers: 26,
        heads: 32,
        kv_heads: 8,
        hidden: 5632,
        context: 1024,
        ..Config::default()
    }
}

pub struct Decode;
impl Job for Decode {
    type Done = ();
    fn run<M: Machine + fulmen::backend::Blocking>(self, machine: M) {
        run(machine);
    }
}

pub fn run<M: Machine + fulmen::backend::Blocking>(machine: M) {
    follow(machine, small());
}

pub fn follow<M: Machine + fulmen::backend::Blocking>(machine: M, c: Config) {
    let numbers = (0..c.parameters()).map(|i| (i % 4093) as f32 / 4093.0 * 0.1 - 0.05).collect();
    let (name, width) = (machine.name(), machine.weight_bytes());
    let weights = Weights::new(&machine, Stored::of(&c, numbers)).expect("memory for the weights");
    let mut follower = Follower::new(machine, c, &weights, 16).expect("memory for the activations");
    let mut times = Vec::new();
    for token in 0..TOKENS + 20 {
        let start = Instant::now();
        follower.feed(&[token as u32]).expect("a token");
        times.push(start.elapsed().as_secs_f64());
    }
    let timed = &mut times[20..];
    let all: f64 = timed.iter().sum();
    timed.sort_by(f64::total_cmp);
    let (median, bytes) = (timed[TOKENS / 2], (width * c.parameters()) as f64);
    println!(
        "decode of {} parameters on {name}: {:.0} tokens/s, a median token {:.3} ms, {:.0} GB/s of weights",
        c.parameters(),
        TOKENS as f64 / all,
        median * 1e3,
        bytes / median / 1e9
    );
}
