//! Rotary embedding where the generic tests do not go: tables at far positions, strides, the gradient.

#[path = "common/lanes.rs"]
mod lanes;

use fulmen::lanes::Simd;
use fulmen::{Element, Error, MatMut, RopeStyle};
use lanes::*;

const STYLES: [RopeStyle; 2] = [RopeStyle::Interleaved, RopeStyle::Neox];

fn noise<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64(((i * 7919 + 13) % 1009) as f64 / 500.0 - 1.0)).collect()
}

#[test]
fn tables_are_exact_at_far_positions() {
    let (dim, rows, base) = (6, 3, 10_000.0f64);
    for start in [0usize, 1, 1000, 131_071, 2_000_000] {
        for factor in [1.0, 0.25] {
            let (mut cos, mut sin) = (vec![0.0f32; rows * dim / 2], vec![0.0f32; rows * dim / 2]);
            fulmen::rope_table(start, dim, base as f32, factor as f32, &mut cos, &mut sin).unwrap();
            let (mut wide_cos, mut wide_sin) = (vec![0.0f64; cos.len()], vec![0.0f64; cos.len()]);
            fulmen::rope_table(start, dim, base, factor, &mut wide_cos, &mut wide_sin).unwrap();
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
    let got = fulmen::rope_table(0, 3, 1e4, 1.0, &mut cos, &mut sin);
    assert_eq!(got, Err(Error::Domain { arg: "dim" }));
    assert!(fulmen::rope_table(0, 4, 1e4, 1.0, &mut cos, &mut sin).is_err());
    assert!(fulmen::rope_table(0, 2, 1e4, 1.0, &mut cos, &mut sin[..2]).is_err());
    assert!(fulmen::rope_table(0, 0, 1e4, 1.0, &mut cos, &mut sin).is_err());
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
    fulmen::rope_table(5, dim, 100.0, 1.0, &mut cos, &mut sin).unwrap();
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
