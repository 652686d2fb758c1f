//! Level 2 and 3 around every threshold: words, layouts, α and β in turn, on one thread and on several.

use crate::blas::*;
use crate::dd::Dd;
use crate::gemm::{SCALES, some};
use crate::matrix::{Layout::*, *};
use crate::sizes::*;
use fulmen::Element;
use fulmen::lanes::native;

fn verify<T: Element>(
    name: &str,
    o: Options,
    dims: [usize; 3],
    layouts: &[Layout],
    scale: [f64; 2],
    random: usize,
) {
    let mut m = inputs::<T>(name, o, &shapes(name, o, dims), layouts, 1 + dims[1] as u64);
    let params = scale.map(T::from_f64);
    let scales = scales(name, params);
    let old = m.clone();
    let last = m.len() - 1;
    // What β = 0 or α = 0 must not read.
    if scales[1] == 0.0 && (!triangular(name) || scales[0] == 0.0) {
        m[last].data.fill(T::NAN);
    }
    let mut threads = [m.clone(), m.clone()];
    let what = format!("{name} {} {dims:?} {o:?} {layouts:?} {scale:?}", T::NAME);
    assert_eq!(call(native(), name, o, params, &mut m, false), Ok(()), "{what}");
    for (pool, m2) in POOLS.iter().zip(&mut threads) {
        assert_eq!(pool.install(|| call(native(), name, o, params, m2, true)), Ok(()), "{what}");
        same(&what, &m[last].data, &m2[last].data);
    }
    let tolerance = tolerance::<T>(name);
    let new = &m[last];
    // For the equations, each side with the solution in it.
    let source = if solves(name) { vec![old[0].clone(), new.clone()] } else { old.clone() };
    for [i, j] in some(new.shape[0], new.shape[1], random) {
        if half(name) && !o.holds(i, j) {
            continue;
        }
        let (mut sum, mut mass, mut n) = (Dd::ZERO, 0.0, 0);
        if scales[0] != 0.0 {
            let pairs = products(name, o, &source, i, j);
            n = pairs.len();
            for (x, y) in pairs {
                sum = sum + Dd::from(x) * Dd::from(y);
                mass += (x * y).abs();
            }
        }
        let before = old[last].at(i, j);
        let apart = if solves(name) {
            let b = if scales[0] == 0.0 { 0.0 } else { scales[0] * before };
            mass += b.abs();
            sum - Dd::from(b)
        } else {
            sum = sum * Dd::from(scales[0]);
            mass *= scales[0].abs();
            if scales[1] != 0.0 {
                sum = sum + Dd::from(scales[1]) * Dd::from(before);
                mass += (scales[1] * before).abs();
            }
            Dd::from(new.at(i, j)) - sum
        };
        let bound = tolerance.allowed::<T>(sum.value(), &[zeros(n)], mass);
        let error = apart.value().abs();
        assert!(
            error <= bound,
            "{what}: ({i}, {j}) is {}, off by {error:e}, allowed {bound:e}",
            new.at(i, j)
        );
    }
}

/// Lengths of each side.
fn sizes<T: Element>(name: &str) -> Vec<[usize; 3]> {
    let matrix = matches!(name, "gemv" | "ger" | "syr" | "syr2" | "symv" | "trmv" | "trsv");
    let mut all = vec![];
    if matrix {
        for n in around::<T>(2100) {
            let other = 1 + n % 5;
            match name {
                "gemv" => all.extend([[n, 1, other], [other, 1, n], [n.min(300), 1, n]]),
                "ger" => all.extend([[n, other, 1], [other, n, 1]]),
                _ if n <= 520 => all.push([1, n, 1]),
                _ => {}
            }
        }
        if name == "gemv" {
            // Past what one thread takes, and the second-level cache between columns.
            all.extend([
                [600, 1, 1000],
                [1000, 1, 600],
                [3, 1, 100_003],
                [100_003, 1, 3],
                [9, 1, 70_001],
                [2500, 1, 130],
            ]);
        }
        if name == "ger" {
            all.extend([[300, 2100, 1], [2100, 300, 1]]);
        }
    } else {
        for n in around::<T>(300) {
            let other = 3 + n % 20;
            all.extend([[n, other, 1 + n % 9], [other, n, n % 11], [other, other, n]]);
        }
        all.extend([
            [150, 151, 40],
            [151, 150, 300],
            [257, 130, 65],
            [130, 257, 129],
            [600, 70, 300],
            [70, 600, 20],
        ]);
        all.extend([[65, 200, 70], [200, 65, 700], [520, 520, 40]]);
    }
    all
}

fn sweep<T: Element>(name: &str) {
    for (turn, dims) in sizes::<T>(name).into_iter().enumerate() {
        let layouts = [RESULTS[turn % 5], RESULTS[(turn + turn / 5) % 5], RESULTS[(turn / 3 + 1) % 5]];
        // Every word, and every α with every word, comes by.
        for k in 0..2 {
            let o = Options::nth(turn * 3 + k * 5);
            verify::<T>(name, o, dims, &layouts, SCALES[(turn + turn / 8 + 4 * k) % 9], 40);
        }
    }
    // Each word with each α and β, past the panels and bands.
    for i in 0..8 {
        for (k, scale) in SCALES.into_iter().enumerate() {
            let n = if k % 2 == 0 { 70 } else { 151 };
            verify::<T>(name, Options::nth(i), [n, n + 13, 19], &[Padded, Rows, Padded], scale, 25);
        }
    }
}

macro_rules! tests {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn f32() {
                super::sweep::<f32>(stringify!($name));
            }
            #[test]
            fn f64() {
                super::sweep::<f64>(stringify!($name));
            }
        }
    )*};
}
tests!(gemv ger syr syr2 symv trmv trsv symm syrk syr2k trmm trsm);
