//! What training and generation reach, and what this machine's memory lets them.

use crate::cli::{Request, Stop, Streams};
use crate::config::Config;
use crate::gguf::Model;
use crate::machine::{AllReduce, Follower, Machine, Weights};
use crate::memory::zeros;
use crate::train::{Rank, Recipe, Trainer, is_trained, random};
use fulmen::backend::Blocking;
use std::time::Instant;

/// The median time of `n` runs, in seconds.
fn median(n: usize, mut run: impl FnMut() -> Result<(), Stop>) -> Result<f64, Stop> {
    let mut times = Vec::new();
    for _ in 0..n {
        let started = Instant::now();
        run()?;
        times.push(started.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[n / 2])
}

/// Prints what the model reaches; of a run with other ranks, what training does.
pub fn run<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    model: Model,
    io: &mut Streams<'_>,
    at: Rank,
    others: Option<&dyn AllReduce<M>>,
) -> Result<(), Stop> {
    // The longest context that is measured, of those that a file may claim.
    let c = Config { context: model.config.context.min(4096), ..model.config };
    let steps = r.steps.unwrap_or(10);
    let bytes = model.weights.bytes(machine.weight_bytes());
    writeln!(io.out, "{} parameters, {bytes} bytes, on {}", c.parameters(), machine.name())?;
    let tokens: Vec<u32> = (0..1 << 16).map(|i| (random(1, i) % c.vocab as u64) as u32).collect();
    match is_trained(&c, &model.weights) {
        Ok(()) => train(&machine, r, c, &model, &tokens, io, (at, others))?,
        Err(why) => io.note(format_args!("training is not measured: the model has {why}\n")),
    }
    if at.ranks > 1 {
        return Ok(());
    }

    let pool = match r.threads() {
        #[cfg(feature = "parallel")]
        threads @ 2.. => format!("{threads} threads"),
        _ => String::from("one thread"),
    };
    let weights = Weights::new(&machine, model.weights)?;
    let mut follower = Follower::new(machine.clone(), c, &weights, c.context)?;
    let half = (c.context / 2).max(1);
    let time = median(steps, || {
        follower.restart();
        Ok(follower.feed(&tokens[..half]).map(drop)?)
    })?;
    writeln!(io.out, "reading: {:.0} tokens/s, {half} at once, {pool}", half as f64 / time)?;

    let writes = steps.max(50).min(c.context - half).max(1);
    let time = median(writes, || {
        if follower.left() == 0 {
            follower.restart();
        }
        Ok(follower.feed(&tokens[..1]).map(drop)?)
    })?;
    let rate = |t: f64| bytes as f64 / t / 1e9;
    write!(io.out, "writing: {:.0} tokens/s, {pool}; {:.1} GB/s of weights", 1.0 / time, rate(time))?;
    // The limit is reading every byte once, from whichever memory holds so many.
    if machine.sum_of(&[]).is_some() {
        let (mut sum, mut all) = (0.0, zeros(bytes / 4)?);
        all.fill(1.0);
        let limit = median(50, || {
            sum += machine.sum_of(core::hint::black_box(&all)).unwrap_or(0.0);
            Ok(())
        })?;
        core::hint::black_box(sum);
        let share = 100.0 * limit / time;
        write!(io.out, ", {share:.0} % of the {:.1} GB/s that `sum` reads as many at", rate(limit))?;
    }
    writeln!(io.out)?;
    Ok(())
}

/// What training reaches.
fn train<M: Machine + Blocking>(
    machine: &M,
    r: &Request,
    c: Config,
    model: &Model,
    tokens: &[u32],
    io: &mut Streams<'_>,
    (at, others): (Rank, Option<&dyn AllReduce<M>>),
) -> Result<(), Stop> {
    let steps = r.steps.unwrap_or(10);
    let recipe = Recipe { length: r.recipe.length.min(c.context), steps: steps + 1, ..r.recipe };
    let trainer = Trainer::new(machine.clone(), c, recipe, model.weights.numbers.clone(), at)?;
    let threads = r.workers().min(recipe.groups);
    let time = M::steps(&trainer, others, threads, tokens, |one| {
        one(0)?;
        let mut step = 0;
        median(steps, || {
            step += 1;
            Ok(one(step).map(drop)?)
        })
    })?;
    let rows = (recipe.batch * recipe.length) as f64;
    // A weight takes part in a multiplication and an addition forward, and in two of each backward.
    let flops = 6.0 * c.parameters() as f64 * rows;
    let ranks = if at.ranks > 1 { format!("{} ranks of ", at.ranks) } else { String::new() };
    writeln!(
        io.out,
        "training: {:.1} ms a step of {rows} tokens on {ranks}{threads} threads, {:.0} tokens/s, {:.1} GFLOP/s in the weights",
        time * 1e3,
        rows / time,
        flops / time / 1e9
    )?;
    Ok(())
}
