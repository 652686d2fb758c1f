//! `--attention`: ours and candle's two forms in turn, 8 heads, the rows that `benches/peers` prints.

use candle_core::{Device, Result, Tensor};
use candle_nn::cpu_flash_attention::run_flash_attn_cpu;
use fulmen::{Attention, MatMut, MatRef, parallel};
use std::time::Instant;

const HEADS: usize = 8;

type Run<'a> = (&'static str, Box<dyn FnMut() -> Result<()> + 'a>);

fn tensor(rows: usize, cols: usize) -> Result<Tensor> {
    Tensor::rand(-1.0f32, 1.0, (rows, cols), &Device::Cpu)
}

/// `n` keys, and as many queries or one: a line for each contender.
fn case(threads: usize, n: usize, dim: usize, rows: usize, causal: bool, rounds: usize) -> Result<()> {
    let scale = 1.0 / (dim as f32).sqrt();
    let op = Attention { causal, ..Attention::new(HEADS, HEADS, dim, scale) };
    let cols = HEADS * dim;
    let all = [tensor(rows, cols)?, tensor(n, cols)?, tensor(n, cols)?];
    let slices = all.iter().map(|x| x.flatten_all()?.to_vec1::<f32>()).collect::<Result<Vec<_>>>()?;
    let mut out = vec![0.0f32; rows * cols];
    let mut room = vec![0.0f32; parallel::attention_workspace(HEADS, dim, threads)];
    // One sequence, its tokens, its heads; and the heads first, as its products want them.
    let tokens = all.iter().map(|x| x.reshape((1, x.dim(0)?, HEADS, dim))).collect::<Result<Vec<_>>>()?;
    let heads = tokens.iter().map(|x| x.transpose(1, 2)?.contiguous()).collect::<Result<Vec<_>>>()?;
    let hidden = |i: usize| causal && rows > 1 && i % n > i / n;
    let mask: Vec<f32> = (0..rows * n).map(|i| if hidden(i) { f32::NEG_INFINITY } else { 0.0 }).collect();
    let mask = Tensor::from_vec(mask, (1, rows, n), &Device::Cpu)?;
    let masked = causal && rows > 1;
    let mut list: Vec<Run<'_>> = vec![
        (
            "attention",
            Box::new(|| {
                let view = |x, rows| MatRef::row_major(x, rows, cols).map_err(candle_core::Error::wrap);
                let to = MatMut::row_major(&mut out, rows, cols).map_err(candle_core::Error::wrap)?;
                let [q, k, v] = [view(&slices[0], rows)?, view(&slices[1], n)?, view(&slices[2], n)?];
                parallel::attention(&op, q, k, v, None, to, None, &mut room).map_err(candle_core::Error::wrap)
            }),
        ),
        (
            "candle: matmul softmax matmul",
            Box::new(|| {
                let scores = (heads[0].matmul(&heads[1].transpose(2, 3)?)? * f64::from(scale))?;
                let scores = if masked { scores.broadcast_add(&mask)? } else { scores };
                candle_nn::ops::softmax_last_dim(&scores)?.matmul(&heads[2]).map(drop)
            }),
        ),
        (
            "candle: cpu_flash_attention",
            Box::new(|| {
                let mask = masked.then_some(&mask);
                run_flash_attn_cpu::<f32>(&tokens[0], &tokens[1], &tokens[2], mask, scale, None, None)
                    .map(drop)
            }),
        ),
    ];
    let mut times = vec![vec![]; list.len()];
    for round in 0..rounds + 1 {
        for ((_, run), times) in list.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run()?;
            if round > 0 {
                times.push(start.elapsed().as_secs_f64());
            }
        }
    }
    let pairs = if causal { n * (n + 1) / 2 } else { n * n };
    let (mode, work) = if rows == 1 {
        ("decode", (2 * n * cols * 4) as f64)
    } else {
        ("prefill", 4.0 * cols as f64 * pairs as f64)
    };
    let mask = if causal { "causal" } else { "full" };
    let times: Vec<f64> = times.into_iter().map(crate::median).collect();
    for ((name, _), t) in list.iter().zip(&times) {
        let (rate, ratio) = (work / t * 1e-9, t / times[0]);
        println!("{mode},{threads},{HEADS},{HEADS},{dim},{n},{mask},{name},{t:.3e},{rate:.1},{ratio:.2}");
    }
    Ok(())
}

/// All sizes.
pub fn run(threads: usize) -> Result<()> {
    println!("mode,threads,heads,kv_heads,dim,n,mask,contender,seconds,gflops_or_gbs,times_ours");
    for n in [1024, 2048, 4096] {
        for dim in [64, 128] {
            for causal in [true, false] {
                case(threads, n, dim, n, causal, 3)?;
            }
        }
    }
    for n in [1024, 2048, 4096, 8192] {
        for dim in [64, 128] {
            case(threads, n, dim, 1, true, 40_000 / n)?;
        }
    }
    Ok(())
}
