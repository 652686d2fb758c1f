//! The one-input float ops against wider arithmetic, on every lane: `f64` on random, special and
//! hard arguments, `f32` on a subset of all bit patterns (`examples/exhaustive.rs` runs all).

use common::lanes::*;
use common::reference::unary::{UNARY, Unary, error_f32, run};
use common::reference::wide::{Evaluator, Wide, error_f64};
use fulmen::lanes::Simd;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Random arguments an op in the `f64` test, and patterns in the `f32` test.
const POINTS: usize = if cfg!(debug_assertions) { 5_000 } else { 100_000 };
const PATTERNS: u64 = if cfg!(debug_assertions) { 1 << 15 } else { 1 << 20 };

/// Marsaglia's xorshift, 64 bits.
struct Random(u64);
impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// In [-1, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Special values, neighbours of the points where reductions switch and where results run out of
/// range, and random values over several ranges.
fn arguments() -> Vec<f64> {
    let ln2 = core::f64::consts::LN_2;
    let pi = core::f64::consts::PI;
    let mut centres = vec![
        0.0,
        1.0,
        2.0,
        3.0,
        0.5,
        0.25,
        f64::MIN_POSITIVE,
        1e-300,
        1e-160,
        1e-17,
        1e-8,
        87.0,
        88.0,
        690.0,
        708.0,
        708.4,
        709.78,
        710.4758600739439,
        745.13,
        746.0,
        750.0,
        765.0,
        1022.0,
        1023.5,
        1024.0,
        1074.0,
        1075.0,
        18.7,
        19.06,
        20.0,
        21.6,
        22.5,
        25.0,
        36.7,
        37.4,
        38.0,
        40.0,
        44.0,
        1e5,
        1e9,
        1e22,
        1e300,
        f64::MAX,
        2f64.sqrt(),
        0.5f64.sqrt(),
    ];
    for n in (1..1080).step_by(if cfg!(debug_assertions) { 24 } else { 1 }) {
        centres.push((f64::from(n) - 0.5) * ln2);
        centres.push((f64::from(n) - 0.5) * ln2 / 2.0);
        centres.push(f64::from(n) * ln2);
        centres.push(f64::from(n) * pi / 4.0);
    }
    let mut x = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    x.extend([1u64, 2, 3, 1 << 51, (1 << 52) - 1].map(f64::from_bits));
    for c in centres {
        for ulps in -2i64..=2 {
            let v = f64::from_bits(c.to_bits().saturating_add_signed(ulps));
            x.extend([v, -v]);
        }
    }
    let mut r = Random(0x9E37_79B9_7F4A_7C15);
    while x.len() < POINTS {
        let any = f64::from_bits(r.bits());
        x.extend([
            r.unit(),
            0.3 * r.unit(),
            4.0 * r.unit(),
            25.0 * r.unit(),
            760.0 * r.unit(),
            1e-4 * r.unit(),
            any,
        ]);
    }
    x
}

/// `f(op)` for every op, on all cores.
fn for_each_op<R: Send + Sync>(f: impl Fn(&Unary) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let mut all: Vec<(usize, R)> = std::thread::scope(|scope| {
        let work = || {
            let mut mine = Vec::new();
            while let Some((i, op)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, UNARY.get(i)?)))
            {
                mine.push((i, f(op)));
            }
            mine
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|t| t.join().expect("a worker")).collect()
    });
    all.sort_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, r)| r).collect()
}

fn check_f64<S: Simd>(s: S, x: &[f64], exact: &[Vec<Wide>], failures: &mut Vec<String>) {
    let mut y = vec![0.0; x.len()];
    for (op, exact) in UNARY.iter().zip(exact) {
        let bound = op.bound::<f64>();
        run(s, op.name, x, &mut y).unwrap();
        let errors = y.iter().zip(exact).map(|(&got, &exact)| error_f64(bound, got, exact));
        let (worst, at) = errors.zip(0..).fold((-1.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        common::Errors::of(op.name, "f64", S::NAME).see(worst.max(0.0), bound.limit(), 1);
        println!("f64 {:12} {:15} {worst:.4e} at {:e}", S::NAME, op.name, x[at]);
        if worst > bound.limit() {
            failures.push(format!(
                "{} f64 {}: {worst:e} > {:?} at {:e}: {:e}",
                S::NAME,
                op.name,
                bound,
                x[at],
                y[at]
            ));
        }
    }
}

fn check_f32<S: Simd>(s: S, x: &[f32], exact: &[Vec<f64>], failures: &mut Vec<String>) {
    let mut y = vec![0.0; x.len()];
    for (op, exact) in UNARY.iter().zip(exact) {
        let bound = op.bound::<f32>();
        run(s, op.name, x, &mut y).unwrap();
        let errors = y.iter().zip(exact).map(|(&got, &exact)| error_f32(bound, got, exact));
        let (worst, at) = errors.zip(0..).fold((-1.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        common::Errors::of(op.name, "f32", S::NAME).see(worst.max(0.0), bound.limit(), 1);
        if worst > bound.limit() {
            failures.push(format!(
                "{} f32 {}: {worst:e} > {:?} at {:e}: {:e}",
                S::NAME,
                op.name,
                bound,
                x[at],
                y[at]
            ));
        }
    }
}

#[test]
fn f64_within_bounds() {
    let x = arguments();
    let exact = for_each_op(|op| {
        let mut wide = Evaluator::new();
        x.iter().map(|&x| wide.exact(op, x)).collect::<Vec<_>>()
    });
    let mut failures = Vec::new();
    for_each_lane!(|s| check_f64(s, &x, &exact, &mut failures));
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn f32_within_bounds() {
    let stride = (1u64 << 32) / PATTERNS + 1;
    let x: Vec<f32> = (0..PATTERNS).map(|i| f32::from_bits((i * stride) as u32)).collect();
    let exact = for_each_op(|op| x.iter().map(|&x| (op.exact)(f64::from(x))).collect::<Vec<_>>());
    let mut failures = Vec::new();
    for_each_lane!(|s| check_f32(s, &x, &exact, &mut failures));
    assert!(failures.is_empty(), "{failures:#?}");
}
