//! The interpreter's numbers against the references, within the contract of each op.

use super::support::*;
use common::call::Args;
#[cfg(all(target_arch = "x86_64", feature = "std"))]
use common::call::{Form, Out, call};
use common::reference::story::{self, answer};
use fulmen::contract::{agrees, spec, ulp};
use fulmen::gpu::pass;
use fulmen::lanes::Native;
use fulmen::ops::{Gpu, OPS};

fn check<T: Moved>(name: &'static str) {
    let op = pointwise().find(|op| op.name == name).unwrap();
    let at = format!("{name} {}", T::NAME);
    let k =
        T::kernel(name).unwrap_or_else(|| panic!("{at}: no kernel")).unwrap_or_else(|e| panic!("{at}: {e}"));
    let parameters: Vec<T> = sample(name).into_iter().map(T::from_f64).collect();
    let mut best = k.clone();
    pass::optimise(&mut best);
    let tolerance = spec(name).and_then(|c| c.tolerance(T::NAME)).unwrap();
    // Fewer threads than elements, as many, and more.
    for (round, (n, grid, threads)) in
        [(1, 1, 32), (33, 1, 32), (97, 2, 64), (200, 3, 32)].into_iter().enumerate()
    {
        for kind in 0..3u8 {
            let seed = round as u64 * 3 + u64::from(kind) + 1;
            let raw: [Vec<T>; 3] = [0, 1, 2].map(|j| data(n, seed + 100 * j, kind));
            let x = [&raw[0][..], &raw[1][..], &raw[2][..]];
            let args = Args { x, params: &[], cols: n, eps: T::from_f64(1e-3), k: 1 };
            let want = answer::<Native, T>(op, args);
            let inputs = match op.shape {
                "unary" => vec![x[0]],
                "binary" | "update" => vec![x[0], x[1]],
                _ => x.to_vec(),
            };
            let y = run(&k, grid, threads, &inputs, &parameters).unwrap_or_else(|e| panic!("{at}: {e}"));
            let fast = run(&best, grid, threads, &inputs, &parameters)
                .unwrap_or_else(|e| panic!("{at}, optimised: {e}"));
            assert!(y.iter().zip(&fast).all(|(a, b)| T::same(*a, *b)), "{at}: passes changed the numbers");
            for (i, w) in want.y.iter().enumerate() {
                let near = T::from_f64(w.value).to_f64();
                let w = &story::Want { value: if near.is_infinite() { near } else { w.value }, ..*w };
                let contract = tolerance.allowed::<T>(w.value, &[&[], &[]], w.terms);
                let allowed = w.bound.unwrap_or(contract) + w.own * ulp::<f64>(w.value);
                assert!(
                    agrees(y[i], w.value, allowed),
                    "{at} n={n} kind={kind} at {i} of {:?}: {:e}, exactly {:e}",
                    inputs.iter().map(|x| x[i].to_f64()).collect::<Vec<_>>(),
                    y[i].to_f64(),
                    w.value
                );
            }
        }
    }
}

/// Every element-wise body, unchanged, in the interpreter.
#[test]
fn pointwise_bodies_keep_their_contracts() {
    let template = |op: &&fulmen::ops::Op| op.gpu == Gpu::Template("pointwise");
    let (mut ran, rows) = (0, OPS.iter().filter(template).count());
    for op in pointwise() {
        check::<f32>(op.name);
        check::<f64>(op.name);
        ran += 1;
    }
    println!("{ran} element-wise ops in f32 and f64");
    assert_eq!(ran, rows, "ops whose row says that the template runs them");
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn same_bits<T: Moved>(s: fulmen::lanes::Avx2, name: &str) -> bool {
    let k = T::kernel(name).unwrap().unwrap();
    let op = pointwise().find(|op| op.name == name).unwrap();
    let inputs = match op.shape {
        "unary" => 1,
        "binary" | "update" => 2,
        _ => 3,
    };
    // Values that no row has: one kernel serves them all.
    let sets: &[[f64; 2]] = match name {
        _ if sample(name).is_empty() => &[[0.0; 2]],
        // Its α is positive.
        "celu" => &[[0.3, 2.75], [1.25, 0.125]],
        _ => &[[0.3, 2.75], [-1.25, 0.125]],
    };
    let same = |kind: u8, set: &[f64; 2]| {
        let parameters: Vec<T> = set.iter().take(sample(name).len()).map(|p| T::from_f64(*p)).collect();
        let raw: [Vec<T>; 3] = [0, 1, 2].map(|j| data(257, 11 + 100 * j + u64::from(kind), kind));
        let x = [&raw[0][..], &raw[1][..], &raw[2][..]];
        let mut y = vec![T::NAN; 257];
        let args = Args { x, params: &parameters, cols: 257, eps: T::from_f64(1e-3), k: 1 };
        call(s, name, Form::On, args, &mut Out { y: &mut y, index: &mut [] }).unwrap().unwrap();
        let got = run(&k, 2, 64, &x[..inputs], &parameters).unwrap();
        got.iter().zip(&y).all(|(a, b)| T::same(*a, *b))
    };
    (0..3).all(|kind| sets.iter().all(|set| same(kind, set)))
}

/// A body gives the same bits in the interpreter as on lanes with a fused multiply-add, for any parameters.
#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[test]
fn bodies_give_the_bits_of_fused_lanes() {
    let Some(s) = fulmen::lanes::Avx2::detect() else {
        println!("SKIPPED no AVX2 to compare with");
        return;
    };
    let other: Vec<&str> = pointwise()
        .map(|op| op.name)
        .filter(|name| !same_bits::<f32>(s, name) || !same_bits::<f64>(s, name))
        .collect();
    assert!(other.is_empty(), "{other:?}");
}
