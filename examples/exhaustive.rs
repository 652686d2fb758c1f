//! Every `f32` bit pattern through every one-input op, on each lane of this machine.
//!
//! `cargo run --release --features std --example exhaustive -- [--ops exp,tanh]
//! [--lanes avx2x8,portable8] [--stride K] [--threads N] [--csv FILE]`
//!
//! Prints the worst error and its argument, and exits with 1 if a bound is exceeded. With a stride
//! of `K` only the patterns `0, K, 2K, …` run.

use fulmen::lanes::{Portable, Simd};
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[allow(dead_code, reason = "the rest is for programs that read files")]
#[path = "common/files.rs"]
mod files;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/reference/unary.rs"]
mod unary;
use unary::{UNARY, Unary, error_f32};

/// Elements at a time; the lanes' whole vectors, unrolled loops and no tail.
const CHUNK: usize = 1 << 16;

type Run = Box<dyn Fn(&str, &[f32], &mut [f32]) + Sync>;

fn lane<S: Simd>(s: S) -> (&'static str, Run) {
    let run = move |name: &str, x: &[f32], y: &mut [f32]| {
        unary::run(s, name, x, y).unwrap_or_else(|e| panic!("{name}: {e}"));
    };
    (S::NAME, Box::new(run))
}

fn lanes() -> Vec<(&'static str, Run)> {
    let mut all = vec![lane(Portable::<1>::new()), lane(Portable::<8>::new())];
    #[cfg(target_arch = "x86_64")]
    {
        all.push(lane(fulmen::lanes::Sse2::new()));
        #[cfg(feature = "std")]
        all.extend(fulmen::lanes::Avx2::detect().map(lane));
        #[cfg(all(feature = "std", feature = "avx512"))]
        all.extend(fulmen::lanes::Avx512::detect().map(lane));
    }
    #[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
    all.push(lane(fulmen::lanes::Neon::new()));
    all
}

/// The worst error on one lane; infinite for a wrong NaN or sign of zero.
#[derive(Clone, Copy)]
struct Worst {
    error: f64,
    at: f32,
    got: f32,
    wrong: u64,
}

const NONE: Worst = Worst { error: -1.0, at: 0.0, got: 0.0, wrong: 0 };

impl Worst {
    fn merge(&mut self, o: Self) {
        let wrong = self.wrong + o.wrong;
        if o.error > self.error {
            *self = o;
        }
        self.wrong = wrong;
    }
}

fn check_chunk(op: &Unary, x: &[f32], exact: &[f64], got: &[f32]) -> Worst {
    let (mut worst, bound) = (NONE, op.bound::<f32>());
    for ((&x, &exact), &got) in x.iter().zip(exact).zip(got) {
        let error = error_f32(bound, got, exact);
        if error > worst.error {
            worst = Worst { error, at: x, got, ..worst };
        }
        worst.wrong += u64::from(error > bound.limit());
    }
    worst
}

fn check(op: &Unary, lanes: &[&(&'static str, Run)], stride: u64, threads: usize) -> Vec<Worst> {
    let count = (1u64 << 32).div_ceil(stride);
    let next = AtomicU64::new(0);
    let all = Mutex::new(vec![NONE; lanes.len()]);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut x, mut y) = (vec![0.0f32; CHUNK], vec![0.0f32; CHUNK]);
                let mut exact = vec![0.0f64; CHUNK];
                let mut mine = vec![NONE; lanes.len()];
                loop {
                    let start = next.fetch_add(CHUNK as u64, Ordering::Relaxed);
                    if start >= count {
                        break;
                    }
                    let n = CHUNK.min((count - start) as usize);
                    for (i, x) in x.iter_mut().enumerate() {
                        *x = f32::from_bits(((start + i as u64) * stride) as u32);
                    }
                    for (e, &x) in exact.iter_mut().zip(&x) {
                        *e = (op.exact)(f64::from(x));
                    }
                    for (worst, (_, run)) in mine.iter_mut().zip(lanes) {
                        run(op.name, &x, &mut y);
                        worst.merge(check_chunk(op, &x[..n], &exact[..n], &y[..n]));
                    }
                }
                let mut all = all.lock().unwrap_or_else(|e| e.into_inner());
                for (a, m) in all.iter_mut().zip(mine) {
                    a.merge(m);
                }
            });
        }
    });
    all.into_inner().unwrap_or_else(|e| e.into_inner())
}

/// The value after `--name`, if given.
fn option(name: &str) -> Option<String> {
    let mut args = std::env::args();
    args.find(|a| a == name)?;
    args.next()
}

fn number(name: &str, default: u64) -> u64 {
    option(name).map_or(default, |v| v.parse().unwrap_or_else(|_| panic!("{name}: not a number: {v}")))
}

fn main() -> ExitCode {
    let chosen =
        |list: &Option<String>, name: &str| list.as_ref().is_none_or(|l| l.split(',').any(|n| n == name));
    let (ops, only) = (option("--ops"), option("--lanes"));
    let (stride, threads) = (number("--stride", 1).max(1), number("--threads", 1) as usize);
    let all = lanes();
    let lanes: Vec<_> = all.iter().filter(|(n, _)| chosen(&only, n)).collect();
    for name in ops.iter().flat_map(|l| l.split(',')) {
        assert!(UNARY.iter().any(|u| u.name == name), "--ops: no op {name}");
    }
    for name in only.iter().flat_map(|l| l.split(',')) {
        assert!(all.iter().any(|(n, _)| *n == name), "--lanes: {name} is not available here");
    }
    let mut csv = String::from("op,lane,stride,worst,bound,input,input_bits,got,wrong\n");
    let mut passed = true;
    for op in UNARY.iter().filter(|u| chosen(&ops, u.name)) {
        let (worst, bound) = (check(op, &lanes, stride, threads), op.bound::<f32>());
        for ((lane, _), w) in lanes.iter().zip(worst) {
            let ok = w.error <= bound.limit();
            passed &= ok;
            println!(
                "{:15} {lane:10} {:>12.5e} of {:?} at {:e} ({:#010x}) -> {:e} {}",
                op.name,
                w.error,
                bound,
                w.at,
                w.at.to_bits(),
                w.got,
                if ok { String::new() } else { format!("EXCEEDED {} times", w.wrong) }
            );
            writeln!(
                csv,
                "{},{lane},{stride},{:e},{:e},{:e},{:#010x},{:e},{}",
                op.name,
                w.error,
                bound.limit(),
                w.at,
                w.at.to_bits(),
                w.got,
                w.wrong
            )
            .unwrap_or_else(|e| panic!("{e}"));
        }
    }
    if let Some(file) = option("--csv") {
        let written = files::replace(file.as_ref(), &[], |to| to.write_all(csv.as_bytes()));
        written.unwrap_or_else(|e| panic!("{e}"));
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
