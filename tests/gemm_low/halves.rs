//! Elements of 16 bits and of 8.

use super::*;
use fulmen::E4m3;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use half::{bf16, f16};

/// `C = αAB + βC` is within the tolerance of the contract of `gemm`, plus `more` of the terms.
pub fn floats<T: Copy, R: PartialEq + core::fmt::Debug>(
    [op, name]: [&str; 2],
    from: impl Fn(f32) -> T,
    to: impl Fn(T) -> f64,
    workspace: impl Fn(usize, usize, usize) -> usize,
    more: f64,
    ok: R,
    mut run: impl FnMut(f32, MatRef<'_, T>, MatRef<'_, T>, f32, MatMut<'_, f32>, &mut [f32]) -> R,
) {
    let tolerance = spec("gemm").and_then(|c| c.tolerance("f32")).unwrap();
    let own = spec(op).and_then(|c| c.tolerance("f32")).unwrap();
    let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
    cases(|[m, n, k], layouts, turn| {
        let (alpha, beta) = SCALES[turn % 6];
        let (alpha, beta) = (alpha as f32 * 0.5, beta as f32 * 0.75);
        let (alpha, beta) = if turn % 6 < 2 { (alpha * 2.0, beta / 0.75) } else { (alpha, beta) };
        let a = Matrix::new(layouts[0], [m, k], from(f32::NAN), |x| from(number(x)), 1);
        let b = Matrix::new(layouts[1], [k, n], from(f32::NAN), |x| from(number(x)), 2);
        let old = Matrix::new(layouts[2], [m, n], f32::NAN, number, 3);
        let mut c = old.clone();
        if beta == 0.0 {
            c.data.fill(f32::NAN);
        }
        let mut ws = vec![f32::NAN; workspace(m, n, k)];
        let what = format!("{name} {m} x {n} x {k} {layouts:?} {alpha} {beta}");
        assert_eq!(run(alpha, a.view(), b.view(), beta, c.view_mut(), &mut ws), ok, "{what}");
        assert!(c.only(&old, f32::to_bits), "{what}: something outside C was written");
        let (row, columns) = (vec![0.0; k], b.cols_as(&to));
        let mut errors = common::Errors::of(op, "f32", name);
        for (i, of_a) in a.rows_as(&to).iter().enumerate() {
            for (j, of_b) in columns.iter().enumerate() {
                let [sum, mass] = dense::dot(of_a, of_b);
                let (mut want, mut mass) = if alpha == 0.0 {
                    (0.0, 0.0)
                } else {
                    (f64::from(alpha) * sum, f64::from(alpha.abs()) * mass)
                };
                let split = more * mass;
                if beta != 0.0 {
                    let y = f64::from(beta) * f64::from(old.at(i, j));
                    (want, mass) = (want + y, mass + y.abs());
                }
                let (got, bound) =
                    (f64::from(c.at(i, j)), tolerance.allowed::<f32>(want, &[&row], mass) + split);
                let error = (got - want).abs();
                errors.see(error, own.allowed::<f32>(want, &[&row], mass), k);
                assert!(error <= bound, "{what}: ({i}, {j}) is {got}, off by {error:e}, allowed {bound:e}");
            }
        }
    });
}

/// `low` gives the bits of the product of the converted matrices.
fn as_f32<S: Simd, T: Copy>(
    s: S,
    nan: T,
    number: impl Fn(u64) -> T,
    to: impl Fn(T) -> f32,
    low: impl Fn(MatRef<'_, T>, MatRef<'_, T>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error>,
) {
    for [m, n, k] in [[5, 9, 3], [37, 70, 40], [33, 50, 700]] {
        let (a, b) = (Matrix::new(Rows, [m, k], nan, &number, 1), Matrix::new(Cols, [k, n], nan, &number, 2));
        let wide = |x: &Matrix<T>| Matrix {
            data: x.data.iter().map(|x| to(*x)).collect(),
            offset: x.offset,
            shape: x.shape,
            strides: x.strides,
        };
        let (x, y) = (wide(&a), wide(&b));
        let mut got = Matrix::new(Rows, [m, n], 0.0, |_| 1.0f32, 3);
        let mut want = got.clone();
        let mut ws = vec![0.0; fulmen::gemm_workspace(m, n, k)];
        fulmen::gemm_on(s, 0.5, x.view(), y.view(), 2.0, want.view_mut(), &mut ws).unwrap();
        let mut ws = vec![0.0; fulmen::gemm_bf16_workspace(m, n, k)];
        low(a.view(), b.view(), got.view_mut(), &mut ws).unwrap();
        let bits = |x: &Matrix<f32>| x.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert!(bits(&got) == bits(&want), "{} {m} x {n} x {k}", S::NAME);
    }
}

#[test]
fn bf16_has_the_bits_of_f32() {
    let number = |x: u64| bf16::from_bits((x % 0x1000 + 0x3800) as u16 | (x >> 20) as u16 & 0x8000);
    for_each_lane!(|s| as_f32(s, bf16::NAN, number, bf16::to_f32, |a, b, c, ws| {
        fulmen::gemm_bf16_on(s, 0.5, a, b, 2.0, c, ws)
    }));
}

#[test]
fn f16_has_the_bits_of_f32() {
    let number = |x: u64| f16::from_bits((x % 0x5000) as u16 | (x >> 20) as u16 & 0x8000);
    for_each_lane!(|s| as_f32(s, f16::NAN, number, f16::to_f32, |a, b, c, ws| {
        fulmen::gemm_f16_on(s, 0.5, a, b, 2.0, c, ws)
    }));
}

#[test]
fn e4m3_has_the_bits_of_f32() {
    let number = |x: u64| E4m3::from_bits((x >> 20) as u8 & 0xfe);
    for_each_lane!(|s| as_f32(s, E4m3::NAN, number, E4m3::to_f32, |a, b, c, ws| {
        fulmen::gemm_e4m3_on(s, 0.5, a, b, 2.0, c, ws)
    }));
}

#[test]
fn e4m3_on_every_lane() {
    for_each_lane!(|s| {
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            fulmen::gemm_e4m3_on(s, alpha, a, b, beta, c, ws)
        };
        let wide = |x: E4m3| f64::from(x.to_f32());
        floats(
            ["gemm_e4m3", name_of(s)],
            E4m3::from_f32,
            wide,
            fulmen::gemm_e4m3_workspace,
            0.0,
            Ok(()),
            run,
        );
    });
}

/// Each of the 256 numbers by the formula of the format, and what is rounded to it: of all numbers between two, the
/// halves to the even one.
#[test]
fn e4m3_is_the_format() {
    let value = |bits: u8| {
        let (e, m) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
        let size = if e == 0 { m * 2f64.powi(-9) } else { (8.0 + m) * 2f64.powi(e - 10) };
        if bits & 0x80 == 0 { size } else { -size }
    };
    for bits in (0..=255).filter(|b| b & 0x7f != 0x7f) {
        let x = E4m3::from_bits(bits);
        assert_eq!(f64::from(x.to_f32()).to_bits(), value(bits).to_bits(), "{bits:#x}");
        assert_eq!(E4m3::from_f32(x.to_f32()).to_bits(), bits);
        // To the next one away from 0; past the largest there is none.
        let (here, next) = (value(bits), value(bits + 1));
        if bits & 0x7f == 0x7e {
            let sign = here.signum() as f32;
            for x in [449.0, 464.0, 480.0, 1e30, f32::INFINITY] {
                assert_eq!(E4m3::from_f32(sign * x).to_bits(), bits, "{x}");
            }
            continue;
        }
        let middle = ((here + next) / 2.0) as f32;
        let even = bits + (bits & 1);
        assert_eq!(E4m3::from_f32(middle).to_bits(), even, "{middle}");
        let step = |by: i32| f32::from_bits((middle.to_bits() as i32 + by) as u32);
        assert_eq!([step(-1), step(1)].map(|x| E4m3::from_f32(x).to_bits()), [bits, bits + 1], "{middle}");
    }
    for (x, bits) in [(f32::NAN, 0x7f), (-f32::NAN, 0xff), (1e-30, 0), (-1e-30, 0x80)] {
        assert_eq!(E4m3::from_f32(x).to_bits(), bits, "{x}");
    }
    assert!(E4m3::NAN.to_f32().is_nan() && E4m3::from_bits(0xff).to_f32().is_sign_negative());
    assert_eq!(E4m3::MAX.to_f32(), 448.0);
    assert!(E4m3::NAN != E4m3::NAN && E4m3::from_bits(0x80) == E4m3::default());
    assert!(E4m3::from_f32(-2.0) < E4m3::from_f32(0.5));
}

#[test]
fn bf16_on_every_lane() {
    for_each_lane!(|s| {
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            fulmen::gemm_bf16_on(s, alpha, a, b, beta, c, ws)
        };
        floats(
            ["gemm_bf16", name_of(s)],
            bf16::from_f32,
            bf16::to_f64,
            fulmen::gemm_bf16_workspace,
            0.0,
            Ok(()),
            run,
        );
    });
}

#[test]
fn f16_on_every_lane() {
    for_each_lane!(|s| {
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            fulmen::gemm_f16_on(s, alpha, a, b, beta, c, ws)
        };
        floats(
            ["gemm_f16", name_of(s)],
            f16::from_f32,
            f16::to_f64,
            fulmen::gemm_f16_workspace,
            0.0,
            Ok(()),
            run,
        );
    });
}

/// What holds for every form: NaN and infinities spread, α = 0 reads neither A nor B, β = 0 does not read C.
pub fn specials<T: Copy>(
    from: impl Fn(f32) -> T,
    run: impl Fn(f32, MatRef<'_, T>, MatRef<'_, T>, f32, MatMut<'_, f32>),
) {
    let product = |alpha: f32, a: &[f32], b: &[f32], beta: f32, c: f32| {
        let (a, b): (Vec<T>, Vec<T>) =
            (a.iter().map(|x| from(*x)).collect(), b.iter().map(|x| from(*x)).collect());
        let (mut y, k) = ([c], a.len());
        let (a, b) = (MatRef::row_major(&a, 1, k).unwrap(), MatRef::row_major(&b, k, 1).unwrap());
        run(alpha, a, b, beta, MatMut::row_major(&mut y, 1, 1).unwrap());
        y[0]
    };
    let inf = f32::INFINITY;
    assert_eq!(product(0.0, &[f32::NAN], &[inf], 2.0, 3.0), 6.0);
    assert_eq!(product(1.0, &[2.0], &[3.0], 0.0, f32::NAN), 6.0);
    assert_eq!(product(f32::NAN, &[], &[], 0.0, f32::NAN), 0.0);
    assert_eq!(product(f32::NAN, &[], &[], 2.0, 3.0), 6.0);
    assert!(product(1.0, &[0.0], &[inf], 0.0, 0.0).is_nan());
    assert!(product(1.0, &[1.0, f32::NAN], &[1.0, 0.0], 0.0, 0.0).is_nan());
    assert!(product(f32::NAN, &[1.0], &[1.0], 0.0, 0.0).is_nan());
    assert!(product(1.0, &[inf, 1.0], &[1.0, -inf], 0.0, 0.0).is_nan());
    assert_eq!(product(1.0, &[inf, 1.0], &[2.0, 1.0], 0.0, 0.0), inf);
    assert_eq!(product(1.0, &[1.5], &[-inf], 1.0, 5.0), -inf);
    assert_eq!(product(1.0, &[-0.0], &[1.0], 0.0, 0.0).to_bits(), 0);
    // C is not the tiles' business: its subnormals stay.
    let tiny = f32::from_bits(3);
    assert_eq!(product(1.0, &[0.0], &[1.0], 1.0, tiny), tiny);
}

#[test]
fn special_values_on_every_lane() {
    for_each_lane!(|s| {
        specials(bf16::from_f32, |alpha, a, b, beta, c| {
            fulmen::gemm_bf16_on(s, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
        });
        specials(f16::from_f32, |alpha, a, b, beta, c| {
            fulmen::gemm_f16_on(s, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
        });
    });
}

#[test]
fn half_refusals_name_the_argument_and_leave_c() {
    let w = fulmen::gemm_bf16_workspace(3, 3, 4);
    for_each_lane!(|s| {
        refusals(7.0, |a, b, c, ws| fulmen::gemm_bf16_on(s, 1.0, a, b, 0.0, c, ws), w);
        refusals(7.0, |a, b, c, ws| fulmen::gemm_f16_on(s, 1.0, a, b, 0.0, c, ws), w);
        refusals(7.0, |a, b, c, ws| fulmen::gemm_e4m3_on(s, 1.0, a, b, 0.0, c, ws), w);
    });
}

/// The bits of the product and of the epilogue in passes of their own, past blocks of rows, of columns and of depth.
#[test]
fn epilogues_of_low_precision() {
    for [m, n, k] in [[5, 9, 3], [37, 70, 0], [300, 33, 600], [9, 3001, 520]] {
        let number = |x: u64| bf16::from_bits((x % 0x100 + 0x3f00) as u16 | (x >> 20) as u16 & 0x8000);
        let (a, b) = (
            Matrix::new(Rows, [m, k], bf16::NAN, number, 1),
            Matrix::new(Cols, [k, n], bf16::NAN, number, 2),
        );
        let floats = |n: usize, by: f32| (0..n).map(|i| (i % 23) as f32 * by - 4.0).collect::<Vec<_>>();
        let (row, col, res) = (floats(m, 0.5), floats(n, 0.25), floats(m * n, 0.375));
        let mut ws = vec![0.0; fulmen::gemm_bf16_workspace(m, n, k)];
        for_each_lane!(|s| {
            let mut want = vec![1.0f32; m * n];
            let c = MatMut::row_major(&mut want, m, n).unwrap();
            fulmen::gemm_bf16_on(s, 0.5, a.view(), b.view(), 2.0, c, &mut ws).unwrap();
            for (i, y) in want.iter_mut().enumerate() {
                *y = (*y + row[i / n] + col[i % n]) + res[i];
                *y = if *y < 0.0 { 0.0 } else { *y };
            }
            let residual = fulmen::Residual(MatRef::row_major(&res, m, n).unwrap());
            let bias = fulmen::Chain(fulmen::BiasRow(&row), fulmen::BiasCol(&col));
            let e = fulmen::Chain(bias, fulmen::Chain(residual, fulmen::Pointwise(fulmen::Relu)));
            let mut got = vec![1.0f32; m * n];
            let c = MatMut::row_major(&mut got, m, n).unwrap();
            fulmen::gemm_bf16_with_on(s, 0.5, a.view(), b.view(), 2.0, c, e, &mut ws).unwrap();
            let same = got.iter().zip(&want).all(|(x, y)| x.to_bits() == y.to_bits());
            assert!(same, "{} {m} x {n} x {k}", name_of(s));
        });
    }
}

#[test]
fn epilogues_of_low_precision_that_do_not_fit_are_refused() {
    let (x, y) = ([f16::ONE; 6], [E4m3::from_f32(1.0); 6]);
    let mut c = [7.0f32; 4];
    let mut ws = [0.0; fulmen::gemm_f16_workspace(2, 2, 3)];
    let (a, b) = (MatRef::row_major(&x, 2, 3).unwrap(), MatRef::row_major(&x, 3, 2).unwrap());
    let bias = fulmen::BiasRow(&[1.0; 3]);
    let refused = Err(Error::len("epilogue", 2, 3));
    let to = MatMut::row_major(&mut c, 2, 2).unwrap();
    assert_eq!(fulmen::gemm_f16_with(1.0, a, b, 0.0, to, bias, &mut ws), refused);
    let (a, b) = (MatRef::row_major(&y, 2, 3).unwrap(), MatRef::row_major(&y, 3, 2).unwrap());
    let to = MatMut::row_major(&mut c, 2, 2).unwrap();
    assert_eq!(fulmen::gemm_e4m3_with(1.0, a, b, 0.0, to, bias, &mut ws), refused);
    assert_eq!(c, [7.0; 4]);
    let to = MatMut::row_major(&mut c, 2, 2).unwrap();
    fulmen::gemm_e4m3_with(1.0, a, b, 0.0, to, fulmen::BiasRow(&[1.0, 2.0]), &mut ws).unwrap();
    assert_eq!(c, [4.0, 4.0, 5.0, 5.0]);
}
