//! Tokens that a model of 41 million parameters follows one by one, on a device and on this CPU: the program `llm`.

use crate::config::Config;
use crate::gguf::Stored;
use crate::machine::{Follower, Job, Machine, Weights};
use fulmen::backend::Blocking;
use std::time::Instant;

/// Tokens that are followed, after some that are not timed.
const TOKENS: usize = 200;

pub struct Decode;
impl Job for Decode {
    type Done = ();
    fn run<M: Machine + Blocking>(self, machine: M) {
        run(machine);
    }
}

pub fn run<M: Machine + Blocking>(machine: M) {
    let c = Config {
        vocab: 8192,
        dim: 512,
        layers: 12,
        heads: 8,
        kv_heads: 4,
        hidden: 1536,
        context: 512,
        ..Config::default()
    };
    let numbers = (0..c.parameters()).map(|i| (i % 4093) as f32 / 4093.0 * 0.1 - 0.05).collect();
    let name = machine.name();
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
    let (median, bytes) = (timed[TOKENS / 2], 4.0 * c.parameters() as f64);
    println!(
        "decode of {} parameters on {name}: {:.0} tokens/s, a median token {:.3} ms, {:.0} GB/s of weights",
        c.parameters(),
        TOKENS as f64 / all,
        median * 1e3,
        bytes / median / 1e9
    );
}
