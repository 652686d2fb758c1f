//! Products on AMX, where the CPU has it. Whole numbers make the sums exact.
#![cfg(all(target_arch = "x86_64", feature = "avx512"))]

use crate::gemm::some;
use crate::sizes::*;
use fulmen::lanes::Amx;
use fulmen::thresholds::TILES;
use fulmen::{MatMut, MatRef, parallel};
use half::bf16;

/// Sides around the tiles, their quads, bands and blocks, and enough for threads.
fn dims() -> Vec<[usize; 3]> {
    let mut all = vec![];
    for t in TILES.iter().filter(|t| t.value < 1000) {
        for n in [t.value - 1, t.value, t.value + 1, 4 * t.value + 1, 20 * t.value + 1, 32 * t.value + 1] {
            all.extend([[n, 17, 70], [17, n, 70], [40, 50, n]]);
        }
    }
    for k in [511, 512, 513, 1025] {
        all.push([70, 90, k]);
    }
    all.extend([[300, 700, 600], [130, 1100, 257], [600, 500, 130]]);
    all
}

fn whole(n: usize, most: usize, seed: u64) -> Vec<i8> {
    let mut r = Stream::new(seed);
    (0..n).map(|_| (r.below(2 * most + 1) as i64 - most as i64) as i8).collect()
}

fn exact(a: &[i8], b: &[i8], [_, n, k]: [usize; 3], [i, j]: [usize; 2]) -> i64 {
    (0..k).map(|p| i64::from(a[i * k + p]) * i64::from(b[p * n + j])).sum()
}

#[test]
fn every_product() {
    let Some(amx) = Amx::detect() else {
        println!("skipped AMX: this CPU, or this system, has no tiles");
        return;
    };
    for (turn, dims) in dims().into_iter().enumerate() {
        let [m, n, k] = dims;
        let (x, y, z) = (whole(m * k, 7, 1), whole(k * n, 7, 2), whole(m * n, 7, 3));
        let [alpha, beta] = [[1, 0], [-1, 1], [2, -1], [1, 1]][turn % 4];
        let want = |at: [usize; 2]| {
            i64::from(alpha) * exact(&x, &y, dims, at) + i64::from(beta) * i64::from(z[at[0] * n + at[1]])
        };
        let float = |v: &[i8]| v.iter().map(|v| f32::from(*v)).collect::<Vec<f32>>();
        let [af, bf, cf] = [&x, &y, &z].map(|v| float(v));
        let [ah, bh] = [&x, &y].map(|v| v.iter().map(|v| bf16::from_f32(f32::from(*v))).collect::<Vec<_>>());
        let c32: Vec<i32> = z.iter().map(|z| i32::from(*z)).collect();
        let (fa, fb) = (alpha as f32, beta as f32);
        for pool in [None, Some(0), Some(1)] {
            macro_rules! product {
                ($f:ident, $alpha:expr, $beta:expr, $a:expr, $b:expr, $c:expr, $workspace:expr, $zero:expr) => {{
                    let mut c = $c.clone();
                    let mut workspace = vec![$zero; 4 * $workspace(m, n, k)];
                    let (a, b) =
                        (MatRef::row_major(&$a, m, k).unwrap(), MatRef::row_major(&$b, k, n).unwrap());
                    let view = MatMut::row_major(&mut c, m, n).unwrap();
                    match pool {
                        None => fulmen::$f(amx, $alpha, a, b, $beta, view, &mut workspace).map(|_| ()),
                        Some(p) => POOLS[p]
                            .install(|| parallel::$f(amx, $alpha, a, b, $beta, view, &mut workspace))
                            .map(|_| ()),
                    }
                    .unwrap();
                    for at in some(m, n, 60) {
                        let got = c[at[0] * n + at[1]] as f64;
                        assert_eq!(got, want(at) as f64, "{} {dims:?} on {pool:?} at {at:?}", stringify!($f));
                    }
                }};
            }
            product!(gemm_i8_amx, alpha, beta, x, y, c32, fulmen::gemm_i8_workspace, 0i32);
            product!(gemm_bf16_amx, fa, fb, ah, bh, cf, fulmen::gemm_bf16_workspace, 0f32);
            product!(gemm_f32_amx, fa, fb, af, bf, cf, fulmen::gemm_f32_amx_workspace, 0f32);
            product!(gemm_f32_amx3, fa, fb, af, bf, cf, fulmen::gemm_f32_amx_workspace, 0f32);
        }
    }
}
