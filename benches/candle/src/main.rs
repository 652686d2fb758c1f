//! One training step of the llm example's default model, ours and candle's in turn, same sizes and threads:
//!
//! ```sh
//! RUSTFLAGS="-C target-cpu=native" cargo run --release --manifest-path benches/candle/Cargo.toml -- [THREADS] [STEPS]
//! ```
//!
//! With `--attention [THREADS]`: attention alone.
#![allow(dead_code, reason = "the other half of the example's files")]

mod attention;
#[path = "../../../examples/llm/config.rs"]
mod config;
#[path = "../../../examples/common/files.rs"]
mod files;
#[path = "../../../examples/llm/gguf.rs"]
mod gguf;
#[path = "../../../examples/llm/machine.rs"]
mod machine;
#[path = "../../../examples/llm/memory.rs"]
mod memory;
#[path = "../../../examples/llm/model.rs"]
mod model;
#[path = "../../../examples/llm/tokens.rs"]
mod tokens;
#[path = "../../../examples/llm/train.rs"]
mod train;
#[path = "../../../examples/llm/vocabulary.rs"]
mod vocabulary;

use candle_core::{D, Device, Result, Tensor, Var};
use candle_nn::optim::{AdamW, Optimizer, ParamsAdamW};
use config::Config;
use std::time::Instant;
use train::{Rank, Recipe, Trainer, first_parameters, random};

/// The same model in candle, each weight with a row per output.
struct Candle {
    c: Config,
    embedding: Var,
    blocks: Vec<[Var; 9]>,
    norm: Var,
    cos: Tensor,
    sin: Tensor,
    mask: Tensor,
}

impl Candle {
    fn new(c: Config, length: usize, parameters: &[f32]) -> Result<Self> {
        let device = &Device::Cpu;
        let var = |range: core::ops::Range<usize>, rows: usize| {
            let cols = range.len() / rows;
            let x = Tensor::from_slice(&parameters[range], (rows, cols), device)?;
            Var::from_tensor(&if rows == 1 { x.squeeze(0)? } else { x })
        };
        let at = c.block();
        let kv = c.kv_width() / 2;
        let block = |l: usize| {
            let s = c.block_at(l).start;
            let of = |r: &core::ops::Range<usize>, part: usize, parts: usize| {
                let n = r.len() / parts;
                s + r.start + part * n..s + r.start + (part + 1) * n
            };
            Ok([
                var(of(&at.norm_1, 0, 1), 1)?,
                var(of(&at.q, 0, 1), c.dim)?,
                var(of(&at.kv, 0, 2), kv)?,
                var(of(&at.kv, 1, 2), kv)?,
                var(of(&at.o, 0, 1), c.dim)?,
                var(of(&at.norm_2, 0, 1), 1)?,
                var(of(&at.gate_up, 0, 2), c.hidden)?,
                var(of(&at.gate_up, 1, 2), c.hidden)?,
                var(of(&at.down, 0, 1), c.dim)?,
            ])
        };
        let half = c.head_dim() / 2;
        let angle = |i: usize| {
            let (position, pair) = (i / half, i % half);
            position as f32 / c.rope_base.powf(2.0 * pair as f32 / c.head_dim() as f32)
        };
        let angles: Vec<f32> = (0..length * half).map(angle).collect();
        let angles = Tensor::from_vec(angles, (length, half), device)?;
        let mask: Vec<f32> = (0..length * length)
            .map(|i| if i % length > i / length { f32::NEG_INFINITY } else { 0.0 })
            .collect();
        Ok(Self {
            c,
            embedding: var(c.embedding(), c.vocab)?,
            blocks: (0..c.layers).map(block).collect::<Result<_>>()?,
            norm: var(c.last_norm(), 1)?,
            cos: angles.cos()?,
            sin: angles.sin()?,
            mask: Tensor::from_vec(mask, (length, length), device)?,
        })
    }

    fn rms(&self, x: &Tensor, g: &Var) -> Result<Tensor> {
        let mean = x.sqr()?.mean_keepdim(D::Minus1)?;
        x.broadcast_div(&(mean + f64::from(self.c.eps))?.sqrt()?)?.broadcast_mul(g)
    }

    fn loss(&self, ids: &Tensor, targets: &Tensor, batch: usize) -> Result<Tensor> {
        let c = &self.c;
        let (t, hd) = (ids.elem_count() / batch, c.head_dim());
        let mut h = self.embedding.index_select(ids, 0)?;
        for [norm_1, q, k, v, o, norm_2, gate, up, down] in &self.blocks {
            let x = self.rms(&h, norm_1)?;
            let heads = |w: &Var, n: usize| {
                x.matmul(&w.t()?)?.reshape((batch, t, n, hd))?.transpose(1, 2)?.contiguous()
            };
            let turn = |x: Tensor| candle_nn::rotary_emb::rope_i_slow(&x, &self.cos, &self.sin);
            let repeat = |x: Tensor| {
                let n = c.heads / c.kv_heads;
                x.unsqueeze(2)?.expand((batch, c.kv_heads, n, t, hd))?.reshape((batch, c.heads, t, hd))
            };
            let (q, k, v) = (
                turn(heads(q, c.heads)?)?,
                repeat(turn(heads(k, c.kv_heads)?)?)?,
                repeat(heads(v, c.kv_heads)?)?,
            );
            let scores =
                (q.matmul(&k.transpose(2, 3)?)? * (1.0 / (hd as f64).sqrt()))?.broadcast_add(&self.mask)?;
            let mixed = candle_nn::ops::softmax(&scores, D::Minus1)?.matmul(&v)?;
            let mixed = mixed.transpose(1, 2)?.reshape((batch * t, c.dim))?;
            h = (h + mixed.matmul(&o.t()?)?)?;
            let x = self.rms(&h, norm_2)?;
            let hidden = (x.matmul(&gate.t()?)?.silu()? * x.matmul(&up.t()?)?)?;
            h = (h + hidden.matmul(&down.t()?)?)?;
        }
        let logits = self.rms(&h, &self.norm)?.matmul(&self.embedding.t()?)?;
        candle_nn::loss::cross_entropy(&logits, targets)
    }

    fn vars(&self) -> Vec<Var> {
        let mut all = vec![self.embedding.clone(), self.norm.clone()];
        all.extend(self.blocks.iter().flatten().cloned());
        all
    }
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

struct Bench {
    threads: usize,
    steps: usize,
}

impl machine::Job for Bench {
    type Done = Result<()>;
    fn run<M: machine::Machine>(self, m: M) -> Result<()> {
        let c = Config::default();
        let r = Recipe::default();
        let parameters = first_parameters(&c, 1);
        let text: Vec<u32> = (0..1 << 16).map(|i| (random(9, i) % c.vocab as u64) as u32).collect();
        let trainer =
            Trainer::new(m, c, r, parameters.clone(), Rank::ALONE).map_err(candle_core::Error::wrap)?;
        let candle = Candle::new(c, r.length, &parameters)?;
        let how = ParamsAdamW {
            lr: f64::from(r.rate),
            beta1: 0.9,
            beta2: 0.99,
            eps: 1e-8,
            weight_decay: f64::from(r.decay),
        };
        let mut adamw = AdamW::new(candle.vars(), how)?;
        let rows = r.batch * r.length;
        let mut times = [Vec::new(), Vec::new()];
        trainer.with_threads(None, self.threads, &text, |one| {
            for step in 0..self.steps + 2 {
                let started = Instant::now();
                let ours = one(step).map_err(candle_core::Error::wrap)?;
                let ours_time = started.elapsed().as_secs_f64();
                let pick = |shift: usize| {
                    let of =
                        |i: usize| (0..r.length).map(move |j| (random(r.seed ^ 0x5eed, i as u64), j + shift));
                    let places = (text.len() - r.length) as u64;
                    let all: Vec<u32> = (step * r.batch..(step + 1) * r.batch)
                        .flat_map(of)
                        .map(|(start, j)| text[(start % places) as usize + j])
                        .collect();
                    Tensor::from_vec(all, rows, &Device::Cpu)
                };
                let (ids, targets) = (pick(0)?, pick(1)?);
                let started = Instant::now();
                let loss = candle.loss(&ids, &targets, r.batch)?;
                adamw.backward_step(&loss)?;
                let time = started.elapsed().as_secs_f64();
                if step == 0 {
                    println!("first loss: ours {ours:.5}, candle {:.5}", loss.to_scalar::<f32>()?);
                }
                if step >= 2 {
                    times[0].push(ours_time);
                    times[1].push(time);
                }
            }
            Ok::<_, candle_core::Error>(())
        })?;
        let [ours, theirs] = times.map(median);
        println!(
            "{} parameters, {rows} tokens a step, {} threads, {}: ours {:.1} ms, candle {:.1} ms, ratio {:.2}",
            c.parameters(),
            self.threads,
            M::NAME,
            ours * 1e3,
            theirs * 1e3,
            theirs / ours
        );
        Ok(())
    }
}

fn main() -> Result<()> {
    let alone = std::env::args().nth(1).is_some_and(|a| a == "--attention");
    let numbers = std::env::args().skip(1 + usize::from(alone));
    let mut args = numbers.map(|a| a.parse().expect("a number"));
    let (threads, steps) = (args.next().unwrap_or(2), args.next().unwrap_or(20));
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("the first pool");
    if alone {
        return attention::run(threads);
    }
    machine::on_best_lanes(Bench { threads, steps })
}
