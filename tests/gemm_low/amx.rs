//! On the tiles of AMX.

use super::halves::{floats, specials};
use super::*;
use fulmen::contract::spec;
use fulmen::{AmxPath, gemm_f32_amx, gemm_f32_amx_workspace, gemm_f32_amx3};
use half::bf16;

#[test]
fn i8_on_tiles() {
    let Some(amx) = tiles() else { return };
    bytes("amx", |alpha, a, b, beta, c, ws| fulmen::gemm_i8_amx(amx, alpha, a, b, beta, c, ws));
}

#[test]
fn bf16_on_tiles() {
    let Some(amx) = tiles() else { return };
    let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
        fulmen::gemm_bf16_amx(amx, alpha, a, b, beta, c, ws)
    };
    floats(
        ["gemm_bf16_amx", "amx"],
        bf16::from_f32,
        bf16::to_f64,
        fulmen::gemm_bf16_workspace,
        0.0,
        Ok(()),
        run,
    );
}

#[test]
fn f32_by_six_products_is_within_the_contract_of_gemm() {
    let Some(amx) = tiles() else { return };
    let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
        gemm_f32_amx(amx, alpha, a, b, beta, c, ws)
    };
    floats(["gemm", "amx"], |x| x, f64::from, gemm_f32_amx_workspace, 0.0, Ok(AmxPath::Tiles), run);
}

#[test]
fn f32_by_three_products_is_within_its_bound() {
    let Some(amx) = tiles() else { return };
    let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
        gemm_f32_amx3(amx, alpha, a, b, beta, c, ws)
    };
    let left_out = (1.0 + 1.0 / 512.0) / 32768.0;
    floats(
        ["gemm_f32_amx3", "amx"],
        |x| x,
        f64::from,
        gemm_f32_amx_workspace,
        left_out,
        Ok(AmxPath::Tiles),
        run,
    );
}

#[test]
fn special_values_on_tiles() {
    let Some(amx) = tiles() else { return };
    specials(bf16::from_f32, |alpha, a, b, beta, c| {
        fulmen::gemm_bf16_amx(amx, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
    });
    for run in [gemm_f32_amx, gemm_f32_amx3] {
        specials(
            |x| x,
            |alpha, a, b, beta, c| {
                run(amx, alpha, a, b, beta, c, &mut [0.0; 4000]).unwrap();
            },
        );
    }
}

#[test]
fn refusals_on_tiles() {
    let Some(amx) = tiles() else { return };
    let (w, v) = (fulmen::gemm_bf16_workspace(3, 3, 4), gemm_f32_amx_workspace(3, 3, 4));
    refusals(7.0, |a, b, c, ws| fulmen::gemm_bf16_amx(amx, 1.0, a, b, 0.0, c, ws), w);
    refusals(7.0, |a, b, c, ws| gemm_f32_amx(amx, 1.0, a, b, 0.0, c, ws).map(|_| ()), v);
    refusals(7.0, |a, b, c, ws| gemm_f32_amx3(amx, 1.0, a, b, 0.0, c, ws).map(|_| ()), v);
}

/// One product of a 1 by 2 and a 2 by 1 matrix, and the path it took.
fn pair(amx: fulmen::lanes::Amx, a: [f32; 2], b: [f32; 2]) -> (AmxPath, f32) {
    let mut c = [0.0];
    let (a, b) = (MatRef::row_major(&a, 1, 2).unwrap(), MatRef::row_major(&b, 2, 1).unwrap());
    let y = MatMut::row_major(&mut c, 1, 1).unwrap();
    let path = gemm_f32_amx(amx, 1.0, a, b, 0.0, y, &mut [0.0; 4000]).unwrap();
    (path, c[0])
}

#[test]
fn extreme_values_take_the_lanes() {
    let Some(amx) = tiles() else { return };
    let (two, tiny) = (|e: i32| 2.0f32.powi(e), f32::from_bits(1));
    for (a, b, path, want) in [
        ([1.0, 0.0], [3.0, 0.0], AmxPath::Tiles, 3.0),
        ([0.0, 0.0], [0.0, 0.0], AmxPath::Tiles, 0.0),
        ([two(-96), 0.0], [1.0, 1.0], AmxPath::Tiles, two(-96)),
        ([two(-97), 0.0], [1.0, 1.0], AmxPath::Lanes, two(-97)),
        ([two(-50), 0.0], [two(-46), 1.0], AmxPath::Tiles, two(-96)),
        ([two(-50), 0.0], [two(-47), 1.0], AmxPath::Lanes, two(-97)),
        ([tiny, 1.0], [1.0, 0.0], AmxPath::Lanes, tiny),
        ([two(60), 0.0], [two(60), 0.0], AmxPath::Tiles, two(120)),
        ([two(64), two(64)], [two(64), -two(64)], AmxPath::Lanes, f32::NAN),
        ([two(63), two(63)], [two(63), two(63)], AmxPath::Lanes, two(127)),
        ([f32::MAX, 0.0], [0.0, 0.0], AmxPath::Lanes, 0.0),
        ([f32::INFINITY, 1.0], [1.0, 1.0], AmxPath::Lanes, f32::INFINITY),
        ([f32::INFINITY, 1.0], [0.0, 0.0], AmxPath::Lanes, f32::NAN),
        ([1.0, f32::NAN], [0.0, 0.0], AmxPath::Lanes, f32::NAN),
    ] {
        for (a, b) in [(a, b), (b, a)] {
            let (took, got) = pair(amx, a, b);
            // ∞ - ∞ of the first overflow.
            let same = got == want || (got.is_nan() && want.is_nan()) || (want.is_nan() && got.is_infinite());
            assert!(took == path && same, "{a:?} {b:?}: {got:e} by {took:?}, expected {want:e} by {path:?}");
        }
    }
}

/// Elements all over the range that the tiles take, so that what they flush would show.
#[test]
fn the_whole_range_of_the_tiles_is_within_the_contract() {
    let Some(amx) = tiles() else { return };
    let tolerance = spec("gemm").and_then(|c| c.tolerance("f32")).unwrap();
    let (m, n, k) = (33, 34, 70);
    for (low, high) in [(-48, -40), (-48, 55), (-20, 59), (0, 59)] {
        let number = |x: u64| {
            let size = 1.0 + (x % (1 << 23)) as f32 / (1 << 23) as f32;
            let scaled = size * 2.0f32.powi(low + (x >> 30) as i32 % (high - low));
            if x >> 29 & 1 == 0 { scaled } else { -scaled }
        };
        let (a, b) = (Matrix::new(Rows, [m, k], 0.0, number, 5), Matrix::new(Rows, [k, n], 0.0, number, 6));
        let mut c = Matrix::new(Rows, [m, n], 0.0, |_| 0.0, 7);
        let mut ws = vec![0.0; gemm_f32_amx_workspace(m, n, k)];
        let path = gemm_f32_amx(amx, 1.0, a.view(), b.view(), 0.0, c.view_mut(), &mut ws);
        assert_eq!(path, Ok(AmxPath::Tiles));
        let row = vec![0.0; k];
        let mut errors = common::Errors::of("gemm", "f32", "amx");
        for i in 0..m {
            for j in 0..n {
                let terms = (0..k).map(|p| f64::from(a.at(i, p)) * f64::from(b.at(p, j)));
                let (want, mass) = terms.fold((0.0, 0.0), |(s, m), x| (s + x, m + x.abs()));
                let (error, bound) =
                    ((f64::from(c.at(i, j)) - want).abs(), tolerance.allowed::<f32>(want, &[&row], mass));
                errors.see(error, bound, k);
                assert!(error <= bound, "{low} to {high}: ({i}, {j}) off by {error:e}, allowed {bound:e}");
            }
        }
    }
}

/// An element's bits depend on its row, its column, α and β alone.
#[test]
fn bits_do_not_depend_on_shape_or_layout() {
    let Some(amx) = tiles() else { return };
    let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
    for k in [5, 300, 1100] {
        let (m, n) = (37, 70);
        let (a, b) = (Matrix::new(Rows, [m, k], 0.0, number, 1), Matrix::new(Rows, [k, n], 0.0, number, 2));
        let mut ws = vec![0.0; gemm_f32_amx_workspace(m, n, k)];
        for (alpha, beta) in [(1.0, 0.0), (1.5, 0.5), (1.0, 1.0)] {
            let mut whole = Matrix::new(Rows, [m, n], 0.0, |_| 0.25, 3);
            gemm_f32_amx(amx, alpha, a.view(), b.view(), beta, whole.view_mut(), &mut ws).unwrap();
            for (rows, cols) in [(0..1, 0..n), (3..4, 17..18), (0..m, 5..6), (30..m, 1..n), (2..35, 30..65)] {
                for layout in [Rows, Cols, Apart] {
                    let mut c = Matrix::new(layout, [rows.len(), cols.len()], 0.0, |_| 0.25, 9);
                    let (a, b) = (
                        a.view().sub(rows.clone(), 0..k).unwrap(),
                        b.view().sub(0..k, cols.clone()).unwrap(),
                    );
                    gemm_f32_amx(amx, alpha, a, b, beta, c.view_mut(), &mut ws).unwrap();
                    for (i, row) in rows.clone().enumerate() {
                        for (j, col) in cols.clone().enumerate() {
                            let (got, want) = (c.at(i, j), whole.at(row, col));
                            assert_eq!(got.to_bits(), want.to_bits(), "{layout:?} ({row}, {col}), k = {k}");
                        }
                    }
                }
            }
        }
    }
}

/// A subnormal bf16 counts as zero, as documented; if a CPU did otherwise, the documentation would be wrong.
#[test]
fn subnormal_bf16_elements_count_as_zero() {
    let Some(amx) = tiles() else { return };
    let (a, b) = ([bf16::from_bits(1)], [bf16::MAX]);
    let mut c = [1.0];
    let (a, b) = (MatRef::row_major(&a, 1, 1).unwrap(), MatRef::row_major(&b, 1, 1).unwrap());
    fulmen::gemm_bf16_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, 1, 1).unwrap(), &mut [0.0; 2000])
        .unwrap();
    assert_eq!(c, [0.0]);
}

/// Threads change no bit; a workspace for one is enough.
#[cfg(feature = "parallel")]
#[test]
fn threads_on_tiles_give_the_same_bits() {
    use fulmen::parallel;
    let Some(amx) = tiles() else { return };
    let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
    let shapes = if cfg!(debug_assertions) {
        vec![[5, 7, 9], [260, 300, 270], [33, 1100, 600]]
    } else {
        vec![[5, 7, 9], [260, 300, 270], [33, 1100, 600], [700, 333, 310], [70, 900, 1100]]
    };
    for [m, n, k] in shapes {
        let (a, b) = (Matrix::new(Rows, [m, k], 0.0, number, 1), Matrix::new(Cols, [k, n], 0.0, number, 2));
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        macro_rules! same {
            ($f:ident, $a:expr, $b:expr, $t:ty, $old:expr, $room:expr, $scales:expr) => {
                for (alpha, beta) in $scales {
                    let mut want = vec![$old; m * n];
                    let mut ws = vec![<$t>::default(); $room * 3];
                    let c = MatMut::row_major(&mut want, m, n).unwrap();
                    let path = fulmen::$f(amx, alpha, $a, $b, beta, c, &mut ws).unwrap();
                    for (threads, room) in [(1, 1), (2, 2), (3, 3), (3, 1)] {
                        let mut got = vec![$old; m * n];
                        let c = MatMut::row_major(&mut got, m, n).unwrap();
                        let ws = &mut ws[..$room * room];
                        let took =
                            pool(threads).install(|| parallel::$f(amx, alpha, $a, $b, beta, c, ws).unwrap());
                        assert_eq!(took, path);
                        assert!(want == got, "{} {m} x {n} x {k}, {threads} threads", stringify!($f));
                    }
                    let c = MatMut::row_major(&mut want, m, n).unwrap();
                    let short = parallel::$f(amx, alpha, $a, $b, beta, c, &mut []);
                    assert!(matches!(short, Err(Error::Workspace { got: 0, .. })));
                }
            };
        }
        let scales = [(1.0, 0.0), (1.5, 0.5)];
        let room = gemm_f32_amx_workspace(m, n, k);
        same!(gemm_f32_amx, a.view(), b.view(), f32, 0.25, room, scales);
        same!(gemm_f32_amx3, a.view(), b.view(), f32, 0.25, room, scales);
        let halves = |x: &Matrix<f32>, len: usize, cols: usize| -> Vec<bf16> {
            (0..len * cols).map(|i| bf16::from_f32(x.at(i / cols, i % cols))).collect()
        };
        let (a16, b16) = (halves(&a, m, k), halves(&b, k, n));
        let (a16, b16) = (MatRef::row_major(&a16, m, k).unwrap(), MatRef::row_major(&b16, k, n).unwrap());
        same!(gemm_bf16_amx, a16, b16, f32, 0.25, fulmen::gemm_bf16_workspace(m, n, k), scales);
        let (a8, b8): (Vec<i8>, Vec<i8>) =
            ((0..m * k).map(|i| (i % 251) as i8).collect(), (0..k * n).map(|i| (i % 241) as i8).collect());
        let (a8, b8) = (MatRef::row_major(&a8, m, k).unwrap(), MatRef::row_major(&b8, k, n).unwrap());
        same!(gemm_i8_amx, a8, b8, i32, 3, fulmen::gemm_i8_workspace(m, n, k), [(1, 0), (3, -2)]);
    }
    // Beyond the range of the tiles: the lanes, for all of C.
    let n = 600;
    let mut a = vec![1.0f32; n * n];
    a[n * n - 1] = f32::INFINITY;
    let (x, mut c) = (MatRef::row_major(&a, n, n).unwrap(), vec![0.0; n * n]);
    let mut ws = vec![0.0; 2 * gemm_f32_amx_workspace(n, n, n)];
    let c = MatMut::row_major(&mut c, n, n).unwrap();
    assert_eq!(parallel::gemm_f32_amx(amx, 1.0, x, x, 0.0, c, &mut ws), Ok(AmxPath::Lanes));
}
