//! Edge cases of the products of matrices whose element types are not the result's, or that run on tiles.

use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::Scalar;
use fulmen::contract::{agrees, spec};
use fulmen::{MatMut, MatRef};
use half::{bf16, f16};

/// Runs `f([alpha, beta, …], A, B, C, [m, n, k])` on each case of `op`, as it stands and repeated below and beside itself,
/// and compares what it leaves in C.
fn each<const P: usize>(op: &str, ty: &str, f: impl Fn([f64; P], &[f64], &[f64], &mut [f64], [usize; 3])) {
    let c = contract(op);
    assert!(c.edge_cases.len() >= 10, "{op}");
    for e in &c.edge_cases {
        let numbers = |x: &[Scalar]| x.iter().map(|v| v.value(ty)).collect::<Vec<f64>>();
        let samples: Vec<Scalar> = c.call.params.iter().map(|p| p.sample.clone()).collect();
        let scales = numbers(e.params.as_deref().unwrap_or(&samples)).try_into().unwrap();
        let [a, b, old] = [0, 1, 2].map(|i| numbers(&e.inputs[i]));
        let (n, want) = (e.cols.unwrap(), numbers(e.out.as_deref().unwrap()));
        let (m, k) = (old.len() / n, b.len() / n);
        assert_eq!((a.len(), b.len(), old.len()), (m * k, k * n, m * n), "{}", e.name);
        for (down, across) in [(1, 1), (40, 1), (1, 53), (33, 35)] {
            let tiled = |x: &[f64], cols: usize, down: usize, across: usize| -> Vec<f64> {
                let rows = x.chunks(cols.max(1)).map(|row| row.repeat(across));
                rows.collect::<Vec<_>>().concat().repeat(down)
            };
            let (a, b) = (tiled(&a, k, down, 1), tiled(&b, n, 1, across));
            let mut y = tiled(&old, n, down, across);
            f(scales, &a, &b, &mut y, [m * down, n * across, k]);
            for (at, (got, want)) in y.iter().zip(tiled(&want, n, down, across)).enumerate() {
                let allowed = spec(op).and_then(|s| s.tolerance(ty)).unwrap();
                let allowed = allowed.allowed::<f32>(want, &[&vec![0.0; k]], want.abs());
                let sign = want != 0.0 || *got != 0.0 || want.is_sign_negative() == got.is_sign_negative();
                assert!(
                    sign && (agrees(*got, want, allowed)),
                    "{op} `{}`, {down} by {across}: element {at} is {got:e}, expected {want:e}",
                    e.name
                );
            }
        }
    }
}

/// Calls `$run(alpha, A, B, beta, C, workspace)` on each case.
macro_rules! cases {
    ($op:literal, $ty:literal, $A:expr, $C:ty, $workspace:ident, $run:expr) => {
        each($op, $ty, |[alpha, beta], a, b, c, [m, n, k]| {
            let (a, b): (Vec<_>, Vec<_>) =
                (a.iter().map(|x| $A(*x)).collect(), b.iter().map(|x| $A(*x)).collect());
            let mut y: Vec<$C> = c.iter().map(|x| *x as $C).collect();
            let mut ws = vec![<$C>::default(); fulmen::$workspace(m, n, k)];
            let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
            $run(alpha as $C, a, b, beta as $C, MatMut::row_major(&mut y, m, n).unwrap(), &mut ws[..])
                .unwrap();
            c.iter_mut().zip(y).for_each(|(c, y)| *c = f64::from(y));
        })
    };
}

#[test]
fn gemm_bf16() {
    for_each_lane!(|s| {
        cases!("gemm_bf16", "f32", bf16::from_f64, f32, gemm_bf16_workspace, |alpha, a, b, beta, c, ws| {
            fulmen::gemm_bf16_on(s, alpha, a, b, beta, c, ws)
        })
    });
}

#[test]
fn gemm_f16() {
    for_each_lane!(|s| {
        cases!("gemm_f16", "f32", f16::from_f64, f32, gemm_f16_workspace, |alpha, a, b, beta, c, ws| {
            fulmen::gemm_f16_on(s, alpha, a, b, beta, c, ws)
        })
    });
}

#[test]
fn gemm_e4m3() {
    let from = |x: f64| fulmen::E4m3::from_f32(x as f32);
    for_each_lane!(|s| {
        cases!("gemm_e4m3", "f32", from, f32, gemm_e4m3_workspace, |alpha, a, b, beta, c, ws| {
            fulmen::gemm_e4m3_on(s, alpha, a, b, beta, c, ws)
        })
    });
}

#[test]
fn gemm_i8() {
    for_each_lane!(|s| {
        cases!("gemm_i8", "i32", |x| x as i8, i32, gemm_i8_workspace, |alpha, a, b, beta, c, ws| {
            fulmen::gemm_i8_on(s, alpha, a, b, beta, c, ws)
        })
    });
}

#[test]
fn gemm_u8() {
    for_each_lane!(|s| {
        each("gemm_u8", "i32", |[alpha, beta, a_zero, b_zero], a, b, c, [m, n, k]| {
            let a: Vec<u8> = a.iter().map(|x| *x as u8).collect();
            let b: Vec<i8> = b.iter().map(|x| *x as i8).collect();
            let mut y: Vec<i32> = c.iter().map(|x| *x as i32).collect();
            let mut ws = vec![0; fulmen::gemm_u8_workspace(m, n, k)];
            let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
            let (to, [za, zb]) = (MatMut::row_major(&mut y, m, n).unwrap(), [a_zero, b_zero]);
            fulmen::gemm_u8_on(s, alpha as i32, a, za as u8, b, zb as i8, beta as i32, to, &mut ws).unwrap();
            c.iter_mut().zip(y).for_each(|(c, y)| *c = f64::from(y));
        })
    });
}

#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
mod tiles {
    /// The token, or a line that says why its test does not run.
    pub fn token() -> Option<fulmen::lanes::Amx> {
        let token = fulmen::lanes::Amx::detect();
        if token.is_none() {
            common::compared::lacks("AMX");
        }
        token
    }
}

#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
#[test]
fn gemm_bf16_amx() {
    let Some(amx) = tiles::token() else { return };
    cases!("gemm_bf16_amx", "f32", bf16::from_f64, f32, gemm_bf16_workspace, |alpha, a, b, beta, c, ws| {
        fulmen::gemm_bf16_amx(amx, alpha, a, b, beta, c, ws)
    });
}

#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
#[test]
fn gemm_f32_amx3() {
    let Some(amx) = tiles::token() else { return };
    cases!("gemm_f32_amx3", "f32", |x| x as f32, f32, gemm_f32_amx_workspace, |alpha, a, b, beta, c, ws| {
        fulmen::gemm_f32_amx3(amx, alpha, a, b, beta, c, ws)
    });
    // The form with six products has the cases of `gemm`.
    cases!("gemm", "f32", |x| x as f32, f32, gemm_f32_amx_workspace, |alpha, a, b, beta, c, ws| {
        fulmen::gemm_f32_amx(amx, alpha, a, b, beta, c, ws)
    });
}
