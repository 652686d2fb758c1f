//! Epilogues behind products of bytes: scales, biases, bodies, and results in `f32` and in bytes.

use super::*;
use fulmen::lanes::Simd;
use fulmen::{
    BiasCol, BiasRow, Chain, Pointwise, Relu, Requantize, ScaleCol, ScaleRow, gemm_i8_with_on,
    gemm_i8_with_workspace, gemm_u8_with_on,
};

/// Products of every shape and layout with a scale and a bias behind them, in C of one type.
fn every_case<S: Simd, C: Requantize + PartialEq + core::fmt::Debug>(s: S, guard: C, round: fn(f32) -> C) {
    cases(|[m, n, k], layouts, turn| {
        let alpha = [1.0, 0.5, -0.007, 0.0][turn % 4];
        let (a_zero, b_zero) = [(0, 0), (128, -3), (255, 127), (7, -128)][turn / 2 % 4];
        let (signed, across) = (turn % 2 == 0, turn % 3 == 0);
        let a = Matrix::new(layouts[0], [m, k], 77, |x| x as u8, 1);
        let i = Matrix { data: a.data.iter().map(|x| x.cast_signed()).collect(), ..a_like(&a) };
        let b = Matrix::new(layouts[1], [k, n], 77, |x| x as i8, 2);
        let old = Matrix::new(layouts[2], [m, n], guard, |_| guard, 3);
        let mut c = old.clone();
        let mut ws = vec![i32::MIN; gemm_i8_with_workspace(m, n, k)];
        let line =
            |n: usize, by: usize| (0..n).map(|i| ((i * by) % 13) as f32 * 0.37 - 2.0).collect::<Vec<_>>();
        let [rows, cols, down, along] = [line(m, 5), line(n, 7), line(m, 3), line(n, 11)];
        let what = format!("{} {m} x {n} x {k} {layouts:?} {alpha} {signed} {across}", name_of(s));
        macro_rules! run {
            ($e:expr) => {{
                let (e, to) = ($e, c.view_mut());
                if signed {
                    gemm_i8_with_on(s, alpha, i.view(), b.view(), to, e, &mut ws).unwrap();
                } else {
                    gemm_u8_with_on(s, alpha, a.view(), a_zero, b.view(), b_zero, to, e, &mut ws).unwrap();
                }
            }};
        }
        if across {
            run!(Chain(ScaleRow(&rows), BiasCol(&along)));
        } else {
            run!(Chain(Chain(ScaleCol(&cols), BiasRow(&down)), Pointwise(Relu)));
        }
        assert!(c.only(&old, |x| format!("{x:?}")), "{what}: something outside C was written");
        let columns = b.cols_as(|x| f64::from(x) - if signed { 0.0 } else { f64::from(b_zero) });
        let lines = match signed {
            true => i.rows_as(f64::from),
            false => a.rows_as(|x| f64::from(x) - f64::from(a_zero)),
        };
        for (i, row) in lines.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let x = alpha * (dense::dot(row, column)[0] as i64 as i32) as f32;
                let y = match across {
                    true => x * rows[i] + along[j],
                    false => (x * cols[j] + down[i]).max(0.0),
                };
                assert_eq!(c.at(i, j), round(y), "{what}: ({i}, {j})");
            }
        }
    });
}

/// A matrix of bytes that lies as another one, without elements.
fn a_like(a: &Matrix<u8>) -> Matrix<i8> {
    Matrix { data: vec![], offset: a.offset, shape: a.shape, strides: a.strides }
}

#[test]
fn epilogues_on_every_lane() {
    for_each_lane!(|s| every_case(s, 9.5f32, |x| x));
    for_each_lane!(|s| every_case(s, 77i8, |x| x.round_ties_even().clamp(-128.0, 127.0) as i8));
    for_each_lane!(|s| every_case(s, 77u8, |x| x.round_ties_even().clamp(0.0, 255.0) as u8));
}

/// Ties go to even, what is too large to the nearest that there is, NaN to 0 in bytes.
#[test]
fn bytes_are_the_nearest() {
    for_each_lane!(|s| {
        let (a, b) = ([1i8], [-5, -3, -1, 0, 1, 3, 5, 127, -128i8]);
        let (a, b) = (MatRef::row_major(&a, 1, 1).unwrap(), MatRef::row_major(&b, 1, 9).unwrap());
        let mut room = vec![0; gemm_i8_with_workspace(1, 9, 1)];
        let mut run = |alpha: f32, bias: &[f32; 9]| {
            let (mut x, mut y, mut z) = ([9.0f32; 9], [9i8; 9], [9u8; 9]);
            macro_rules! each {
                ($to:expr) => {{
                    let c = MatMut::row_major($to, 1, 9).unwrap();
                    gemm_i8_with_on(s, alpha, a, b, c, BiasCol(bias), &mut room).unwrap();
                }};
            }
            each!(&mut x);
            each!(&mut y);
            each!(&mut z);
            (x, y, z)
        };
        let (x, y, z) = run(0.5, &[0.0; 9]);
        assert_eq!(x, [-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 63.5, -64.0]);
        assert_eq!((y, z), ([-2, -2, 0, 0, 0, 2, 2, 64, -64], [0, 0, 0, 0, 0, 2, 2, 64, 0]));
        let (f, i) = (f32::INFINITY, 1e9);
        let (x, y, z) = run(4.0, &[f32::NAN, f, -f, i, -i, 114.5, 242.5, 0.0, 384.5]);
        assert!(x[0].is_nan() && x[1..] == [f, -f, 1e9, -1e9, 126.5, 262.5, 508.0, -127.5]);
        assert_eq!(
            (y, z),
            ([0, 127, -128, 127, -128, 126, 127, 127, -128], [0, 255, 0, 255, 0, 126, 255, 255, 0])
        );
    });
}

/// Each refusal names its argument and leaves C.
#[test]
fn epilogues_are_refused() {
    let (x, mut y) = ([1i8; 2200], [7i8; 6]);
    let (a, b) = (MatRef::row_major(&x, 2, 1100).unwrap(), MatRef::row_major(&x, 1100, 2).unwrap());
    let most = gemm_i8_with_workspace(2, 2, 1100);
    let mut call = |b, rows, bias: &[f32], len| {
        let c = MatMut::row_major(&mut y[..rows * 2], rows, 2).unwrap();
        let done = fulmen::gemm_i8_with(1.0, a, b, c, BiasCol(bias), &mut vec![0; len]);
        assert_eq!(y, [7; 6]);
        done
    };
    assert_eq!(call(a, 2, &[0.0; 2], most), Err(Error::shape("b", [1100, 1100], [2, 1100])));
    assert_eq!(call(b, 3, &[0.0; 2], most), Err(Error::shape("c", [2, 2], [3, 2])));
    assert_eq!(call(b, 2, &[0.0; 3], most), Err(Error::len("epilogue", 2, 3)));
    let Err(Error::Workspace { needed, got: 0, .. }) = call(b, 2, &[0.0; 2], 0) else {
        panic!("none is needed")
    };
    assert!(needed <= most, "{needed} are needed of {most}");
    assert_eq!(call(b, 2, &[0.0; 2], needed - 1), Err(Error::workspace(needed, needed - 1)));
}
