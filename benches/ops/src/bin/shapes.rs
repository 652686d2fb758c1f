//! Shapes and orders at which ops take other paths than in the tables: many kept elements, sorted input.
//! Beside plain Rust, built with the same flags. `make bench` runs it.

use fulmen_harness::race::{Case, Contender, Race};

/// Numbers of -1 … 1 without an order.
fn noise(n: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// The largest elements of input that rises, and of input without an order.
fn selections(race: &mut Race) {
    let cases = [(true, 100_000, 4096), (true, 100_000, 10), (false, 1000, 1000), (false, 1_000_000, 100)];
    for (rises, n, k) in cases.into_iter().chain([1000, 5000, 50_000].map(|k| (false, 100_000, k))) {
        let x = if rises { (0..n).map(|i| i as f32).collect() } else { noise(n, 1) };
        let (mut values, mut indices) = (vec![0.0; k], vec![0; k]);
        let (mut found, mut order) = (vec![0.0; k], vec![0u32; n]);
        let list = vec![
            Contender::ours(|| fulmen::top_k(&x, k, &mut values, &mut indices).unwrap()),
            Contender::peer("std", || {
                order.iter_mut().enumerate().for_each(|(i, at)| *at = i as u32);
                let before = |a: &u32, b: &u32| x[*b as usize].total_cmp(&x[*a as usize]).then(a.cmp(b));
                if k < n {
                    order.select_nth_unstable_by(k - 1, before);
                }
                order[..k].sort_unstable_by(before);
                found.iter_mut().zip(&order).for_each(|(v, i)| *v = x[*i as usize]);
            }),
        ];
        let size = format!("{k} of {n}{}", if rises { ", rising" } else { "" });
        race.case(&Case { op: "top_k", ty: "f32", size, work: n as f64, unit: "G/s" }, list);
        assert_eq!(values, found);
        assert!(indices.iter().zip(&order).all(|(i, at)| *i == *at as usize));
    }
}

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut race = Race::new(&args);
    selections(&mut race);
    match args.iter().find_map(|a| a.strip_prefix("--csv=")) {
        Some(path) => {
            race.finish(path.as_ref(), "Shapes and orders beside plain Rust (right of 1 is faster)")
        }
        None => Ok(()),
    }
}
