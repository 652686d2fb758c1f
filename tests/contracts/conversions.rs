//! Edge cases and preconditions of the conversions, whose element types differ on the two sides.

use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::Scalar;
use half::{bf16, f16};

/// Runs `f(inputs, expected results)` for every edge case of `op`.
fn each(op: &str, f: impl Fn(&str, Vec<f64>, Vec<f64>)) {
    let cases = &contract(op).edge_cases;
    assert!(cases.len() >= 5, "{op}");
    for e in cases {
        let numbers = |x: &[Scalar]| x.iter().map(|v| v.value("f32")).collect();
        f(&e.name, numbers(&e.inputs[0]), numbers(e.out.as_deref().unwrap_or_default()));
    }
}

fn same(at: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{at}");
    for (g, w) in got.iter().zip(want) {
        assert!(g.to_bits() == w.to_bits() || (g.is_nan() && w.is_nan()), "{at}: {g:e}, expected {w:e}");
    }
}

#[test]
fn edge_cases() {
    for_each_lane!(|s| {
        macro_rules! try_op {
            ($name:literal, $on:ident, $from:expr, $zero:expr) => {
                each($name, |case, x, want| {
                    for copies in [1, 40] {
                        let repeat = |v: &[f64]| v.repeat(copies);
                        let x: Vec<_> = repeat(&x).into_iter().map($from).collect();
                        let mut out = vec![$zero; x.len()];
                        fulmen::$on(s, &x, &mut out).unwrap();
                        let out: Vec<f64> = out.into_iter().map(f64::from).collect();
                        same(&format!("{} {case}", $name), &out, &repeat(&want));
                    }
                });
            };
        }
        try_op!("f16_to_f32", f16_to_f32_on, f16::from_f64, 0f32);
        try_op!("bf16_to_f32", bf16_to_f32_on, bf16::from_f64, 0f32);
        try_op!("f32_to_f16", f32_to_f16_on, |x| x as f32, f16::ZERO);
        try_op!("f32_to_bf16", f32_to_bf16_on, |x| x as f32, bf16::ZERO);
    });
}

#[test]
fn preconditions() {
    for_each_lane!(|s| {
        macro_rules! try_op {
            ($on:ident, $x:expr, $y:expr) => {
                for n in [0, 2] {
                    let mut out = vec![$y; n];
                    assert!(matches!(fulmen::$on(s, &[$x], &mut out), Err(fulmen::Error::Len { .. })));
                    assert!(out.iter().all(|&v| v == $y));
                }
            };
        }
        try_op!(f16_to_f32_on, f16::ONE, 7f32);
        try_op!(bf16_to_f32_on, bf16::ONE, 7f32);
        try_op!(f32_to_f16_on, 1f32, f16::MAX);
        try_op!(f32_to_bf16_on, 1f32, bf16::MAX);
    });
}
