//! Rotary embedding where the generic tests do not go: tables at far positions, strides, the gradient.

use common::lanes::*;
use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, RopeScaling, RopeStyle};

const STYLES: [RopeStyle; 2] = [RopeStyle::Interleaved, RopeStyle::Neox];

fn noise<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64(((i * 7919 + 13) % 1009) as f64 / 500.0 - 1.0)).collect()
}

fn linear<T: Element>(share: f64) -> RopeScaling<T> {
    RopeScaling::Linear { factor: T::from_f64(1.0 / share) }
}

/// What each pair turns by from one position to the next, from the table of the positions 0 and 1.
fn turns(dim: usize, base: f64, scaling: RopeScaling<f64>) -> Vec<f64> {
    let (mut cos, mut sin) = (vec![0.0; dim], vec![0.0; dim]);
    fulmen::rope_table(0, dim, base, scaling, &mut cos, &mut sin).unwrap();
    let length = cos[0];
    assert!(cos[..dim / 2].iter().all(|c| *c == length) && sin[..dim / 2].iter().all(|s| *s == 0.0));
    let pairs = cos[dim / 2..].iter().zip(&sin[dim / 2..]);
    let angle = |(c, s): (&f64, &f64)| {
        assert!((c.hypot(*s) / length - 1.0).abs() < 1e-15);
        s.atan2(*c)
    };
    pairs.map(angle).collect()
}

#[test]
fn scaled_tables_have_the_published_angles() {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
    let dim = 128;
    // Llama 3.1: pairs shorter than 8192/4 positions stay, those longer than 8192 are 8 times longer.
    let plain = turns(dim, 500_000.0, RopeScaling::None);
    let llama = RopeScaling::Llama3 { factor: 8.0, length: 8192, low: 1.0, high: 4.0 };
    let mut kinds = [0; 3];
    for (got, plain) in turns(dim, 500_000.0, llama).into_iter().zip(&plain) {
        let long = core::f64::consts::TAU / plain;
        let (kind, want) = if long < 2048.0 {
            (0, *plain)
        } else if long > 8192.0 {
            (1, plain / 8.0)
        } else {
            let smooth = (8192.0 / long - 1.0) / 3.0;
            (2, (1.0 - smooth) * plain / 8.0 + smooth * plain)
        };
        kinds[kind] += 1;
        assert!(near(got, want), "{got} {want}");
    }
    assert_eq!(kinds, [29, 29, 6]);

    // YaRN: for a base of 10 000 and 4096 positions the ramp goes from pair 20 to pair 46.
    let plain = turns(dim, 10_000.0, RopeScaling::None);
    let yarn = RopeScaling::yarn(16.0, 4096);
    for (i, (got, plain)) in turns(dim, 10_000.0, yarn).into_iter().zip(&plain).enumerate() {
        let slowed = (i.clamp(20, 46) - 20) as f64 / 26.0;
        assert!(near(got, plain * (1.0 - slowed * 15.0 / 16.0)), "pair {i}");
    }
    let (mut cos, mut sin) = ([0.0f64; 1], [0.0; 1]);
    fulmen::rope_table(0, 2, 1e4, yarn, &mut cos, &mut sin).unwrap();
    assert!(near(cos[0], 1.0 + 0.1 * 16f64.ln()), "{}", cos[0]);

    // The base that keeps the first pair and slows the last one down by the factor.
    let ntk = turns(dim, 10_000.0, RopeScaling::Ntk { factor: 4.0 });
    assert!(ntk[0] == 1.0 && near(ntk[63], plain[63] / 4.0), "{ntk:?}");
    let base: f64 = 10_000.0 * 4f64.powf(128.0 / 126.0);
    assert!(ntk.iter().enumerate().all(|(i, t)| near(*t, base.powf(-2.0 * i as f64 / 128.0))));
    assert_eq!(turns(2, 10_000.0, RopeScaling::Ntk { factor: 4.0 }), [1.0]);
}

#[test]
fn scaling_of_no_use_is_refused() {
    let (factor, length, attention) = (2.0, 64, 1.0);
    let (fast, slow) = (32.0, 1.0);
    for scaling in [
        RopeScaling::Linear { factor: 0.0f32 },
        RopeScaling::Linear { factor: f32::NAN },
        RopeScaling::Ntk { factor: -1.0 },
        RopeScaling::Ntk { factor: f32::INFINITY },
        RopeScaling::Yarn { factor, length: 0, fast, slow, attention },
        RopeScaling::Yarn { factor, length, fast: 1.0, slow: 2.0, attention },
        RopeScaling::Yarn { factor, length, fast, slow, attention: 0.0 },
        RopeScaling::Llama3 { factor, length: 0, low: 1.0, high: 4.0 },
        RopeScaling::Llama3 { factor, length, low: 4.0, high: 4.0 },
        RopeScaling::Llama3 { factor, length, low: 0.0, high: 4.0 },
    ] {
        let (mut cos, mut sin) = ([7.0f32; 2], [7.0f32; 2]);
        let got = fulmen::rope_table(0, 4, 1e4, scaling, &mut cos, &mut sin);
        assert_eq!(got, Err(Error::domain("scaling")), "{scaling:?}");
        assert_eq!((cos, sin), ([7.0; 2], [7.0; 2]));
    }
}

#[test]
fn tables_are_exact_at_far_positions() {
    let (dim, rows, base) = (6, 3, 10_000.0f64);
    for start in [0usize, 1, 1000, 131_071, 2_000_000] {
        for factor in [1.0, 0.25] {
            let (mut cos, mut sin) = (vec![0.0f32; rows * dim / 2], vec![0.0f32; rows * dim / 2]);
            fulmen::rope_table(start, dim, base as f32, linear(factor), &mut cos, &mut sin).unwrap();
            let (mut wide_cos, mut wide_sin) = (vec![0.0f64; cos.len()], vec![0.0f64; cos.len()]);
            fulmen::rope_table(start, dim, base, linear(factor), &mut wide_cos, &mut wide_sin).unwrap();
            for r in 0..rows {
                for i in 0..dim / 2 {
                    // The angle by steps of 1024 positions, each reduced, so that no large angle is rounded.
                    let turn = factor * base.powf(-2.0 * i as f64 / dim as f64);
                    let at = start + r;
                    let (mut c, mut s) = (1.0f64, 0.0f64);
                    let mut left = at;
                    while left > 0 {
                        let step = left.min(1024);
                        let (sin, cos) = (step as f64 * turn).sin_cos();
                        (c, s) = (c * cos - s * sin, s * cos + c * sin);
                        left -= step;
                    }
                    let k = r * dim / 2 + i;
                    let off = 2f64.powi(-50) * at as f64 * turn + 1e-12;
                    assert!((wide_cos[k] - c).abs() < off && (wide_sin[k] - s).abs() < off, "{at} {i}");
                    assert!((f64::from(cos[k]) - c).abs() < 6e-8 + off, "{at} {i}: {} {c}", cos[k]);
                    assert!((f64::from(sin[k]) - s).abs() < 6e-8 + off, "{at} {i}: {} {s}", sin[k]);
                }
            }
        }
    }
    let (mut cos, mut sin) = ([7.0f32; 3], [7.0f32; 3]);
    let got = fulmen::rope_table(0, 3, 1e4, RopeScaling::None, &mut cos, &mut sin);
    assert_eq!(got, Err(Error::domain("dim")));
    assert!(fulmen::rope_table(0, 4, 1e4, RopeScaling::None, &mut cos, &mut sin).is_err());
    assert!(fulmen::rope_table(0, 2, 1e4, RopeScaling::None, &mut cos, &mut sin[..2]).is_err());
    assert!(fulmen::rope_table(0, 0, 1e4, RopeScaling::None, &mut cos, &mut sin).is_err());
    assert_eq!((cos, sin), ([7.0; 3], [7.0; 3]));
}

fn views<S: Simd, T: Element>(s: S) {
    for dim in [2, 6, 8, 34, 64] {
        let (rows, heads, wide) = (5, 3, 5 * dim + 1);
        let (cos, sin) = (noise::<T>(rows * dim / 2), noise::<T>(rows * dim));
        let sin = &sin[rows * dim / 2..];
        let all = noise::<T>(rows * wide);
        for style in STYLES {
            for back in [false, true] {
                let cols = heads * dim;
                let packed: Vec<T> = (0..rows).flat_map(|r| all[r * wide + 1..][..cols].to_vec()).collect();
                let mut want = vec![T::ZERO; packed.len()];
                if back {
                    fulmen::rope_backward_on(s, &packed, dim, &cos, sin, style, &mut want).unwrap();
                } else {
                    fulmen::rope_on(s, &packed, dim, &cos, sin, style, &mut want).unwrap();
                }
                let mut got = all.clone();
                let x = MatMut::strided(&mut got, 1, rows, cols, wide as isize, 1).unwrap();
                fulmen::rope_view_on(s, x, dim, &cos, sin, style, back).unwrap();
                let mut expected = all.clone();
                for r in 0..rows {
                    expected[r * wide + 1..][..cols].copy_from_slice(&want[r * cols..][..cols]);
                }
                assert!(got == expected, "{} {style:?} {back} {dim}", S::NAME);
                let mut columns = vec![T::ZERO; packed.len()];
                for r in 0..rows {
                    for j in 0..cols {
                        columns[j * rows + r] = packed[r * cols + j];
                    }
                }
                let x = MatMut::col_major(&mut columns, rows, cols).unwrap();
                fulmen::rope_view_on(s, x, dim, &cos, sin, style, back).unwrap();
                for r in 0..rows {
                    for j in 0..cols {
                        assert!(columns[j * rows + r] == want[r * cols + j], "{} column {j}", S::NAME);
                    }
                }
            }
        }
    }
}

#[test]
fn views_have_the_bits_of_slices() {
    for_each_lane!(|s| {
        views::<_, f32>(s);
        views::<_, f64>(s);
    });
}

#[test]
fn backward_is_the_gradient_and_the_inverse() {
    let (rows, heads, dim) = (3, 2, 10);
    let (mut cos, mut sin) = (vec![0.0f64; rows * dim / 2], vec![0.0f64; rows * dim / 2]);
    fulmen::rope_table(5, dim, 100.0, RopeScaling::None, &mut cos, &mut sin).unwrap();
    let x = noise::<f64>(rows * heads * dim);
    let dy: Vec<f64> = x.iter().rev().copied().collect();
    for style in STYLES {
        let turn = |x: &[f64]| {
            let mut y = vec![0.0; x.len()];
            fulmen::rope(x, dim, &cos, &sin, style, &mut y).unwrap();
            y
        };
        let loss = |x: &[f64]| -> f64 { turn(x).iter().zip(&dy).map(|(y, d)| y * d).sum() };
        let mut dx = vec![0.0; x.len()];
        fulmen::rope_backward(&dy, dim, &cos, &sin, style, &mut dx).unwrap();
        for i in 0..x.len() {
            let at = |h: f64| {
                let mut x = x.clone();
                x[i] += h;
                loss(&x)
            };
            let slope = (at(0.5) - at(-0.5)) / 1.0;
            assert!((dx[i] - slope).abs() < 1e-12, "{style:?} {i}: {} {slope}", dx[i]);
        }
        let mut again = vec![0.0; x.len()];
        fulmen::rope_backward(&turn(&x), dim, &cos, &sin, style, &mut again).unwrap();
        assert!(again.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-14));
    }
}
