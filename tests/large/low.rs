//! Products of short types and conversions. Whole numbers make every sum exact, so that the results are.

use crate::gemm::some;
use crate::sizes::*;
use fulmen::quant::{Block, Q4_0, Q4_K, Q8_0, blocks, blocks_in};
use fulmen::{E4m3, MatMut, MatRef, parallel};
use half::{bf16, f16};

/// Whole numbers up to 7 in magnitude: their products and sums of a million of them are exact in `f32`.
fn whole(n: usize, seed: u64) -> Vec<i8> {
    let mut r = Stream::new(seed);
    (0..n).map(|_| (r.below(15) as i8) - 7).collect()
}

fn dims() -> Vec<[usize; 3]> {
    let mut all = vec![];
    for n in around::<f32>(1100) {
        all.extend([[n, 5, 33], [3, n, 70], [19, 40, n]]);
    }
    all.extend([[1, 4097, 130], [65, 300, 513], [130, 4100, 40], [300, 300, 600]]);
    all
}

/// The sum of products at (i, j), and what the call had there before.
fn exact(a: &[i8], b: &[i8], [_, n, k]: [usize; 3], [i, j]: [usize; 2]) -> i64 {
    (0..k).map(|p| i64::from(a[i * k + p]) * i64::from(b[p * n + j])).sum()
}

macro_rules! short {
    ($name:ident $H:ty, $f:ident, $workspace:ident) => {
        #[test]
        fn $name() {
            for (turn, dims) in dims().into_iter().enumerate() {
                let [m, n, k] = dims;
                let (x, y) = (whole(m * k, 1), whole(k * n, 2));
                let [a, b] =
                    [&x, &y].map(|v| v.iter().map(|v| <$H>::from_f32(f32::from(*v))).collect::<Vec<_>>());
                let [alpha, beta] = [[1.0f32, 0.0], [-1.0, 1.0], [0.5, -1.0], [1.0, 2.0]][turn % 4];
                let old: Vec<f32> = whole(m * n, 3).into_iter().map(f32::from).collect();
                let mut c = if beta == 0.0 { vec![f32::NAN; m * n] } else { old.clone() };
                let mut workspace = vec![f32::NAN; fulmen::$workspace(m, n, k)];
                let (a, b) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
                fulmen::$f(alpha, a, b, beta, MatMut::row_major(&mut c, m, n).unwrap(), &mut workspace)
                    .unwrap();
                for at in some(m, n, 60) {
                    let was = f64::from(old[at[0] * n + at[1]]);
                    let want = f64::from(alpha) * exact(&x, &y, dims, at) as f64
                        + if beta == 0.0 { 0.0 } else { f64::from(beta) * was };
                    assert_eq!(
                        f64::from(c[at[0] * n + at[1]]),
                        want,
                        "{} {dims:?} at {at:?}",
                        stringify!($f)
                    );
                }
                assert!(c.iter().all(|c| c.is_finite()), "{} {dims:?}", stringify!($f));
            }
        }
    };
}
short!(bf16_products bf16, gemm_bf16, gemm_bf16_workspace);
short!(f16_products f16, gemm_f16, gemm_f16_workspace);
short!(e4m3_products E4m3, gemm_e4m3, gemm_e4m3_workspace);

#[test]
fn i8_products() {
    on_blocks!(|s| i8_products_on(s));
}

fn i8_products_on<S: fulmen::lanes::Simd>(s: S) {
    for (turn, dims) in dims().into_iter().enumerate() {
        let [m, n, k] = dims;
        let mut r = Stream::new(turn as u64);
        let mut all = |n: usize| (0..n).map(|_| (r.bits() & 255) as u8 as i8).collect::<Vec<_>>();
        let (x, y) = (all(m * k), all(k * n));
        let [alpha, beta] = [[1, 0], [-1, 1], [3, -1], [1, 2]][turn % 4];
        let old: Vec<i32> = (0..m * n).map(|i| i as i32 * 7 - 900).collect();
        let mut c = old.clone();
        let mut workspace = vec![0; fulmen::gemm_i8_workspace(m, n, k)];
        let (a, b) = (MatRef::row_major(&x, m, k).unwrap(), MatRef::row_major(&y, k, n).unwrap());
        let to = MatMut::row_major(&mut c, m, n).unwrap();
        fulmen::gemm_i8_on(s, alpha, a, b, beta, to, &mut workspace).unwrap();
        for at in some(m, n, 80) {
            let i = at[0] * n + at[1];
            let want = i64::from(alpha) * exact(&x, &y, dims, at) + i64::from(beta) * i64::from(old[i]);
            assert_eq!(i64::from(c[i]), want, "gemm_i8 {dims:?} at {at:?}");
        }
        // The same numbers as unsigned bytes, of which 128 is zero.
        let x: Vec<u8> = x.iter().map(|x| x.cast_unsigned() ^ 0x80).collect();
        let (a, mut d) = (MatRef::row_major(&x, m, k).unwrap(), old);
        let to = MatMut::row_major(&mut d, m, n).unwrap();
        fulmen::gemm_u8_on(s, alpha, a, 128, b, 0, beta, to, &mut workspace).unwrap();
        assert!(c == d, "gemm_u8 {dims:?}");
    }
}

/// Every length around the thresholds, every element.
#[test]
fn conversions() {
    let most = threshold("lanes::drive::STREAM_BYTES") / 4;
    let mut r = Stream::new(1);
    let x: Vec<f32> = r.slice(most + 1, 70.0);
    for n in around::<f32>(most).into_iter().filter(|n| *n < 300_000 || n % 2 == 1) {
        let x = &x[n % 3..][..n.min(x.len() - 3)];
        let (mut a, mut b) = (vec![f16::NAN; x.len()], vec![bf16::NAN; x.len()]);
        fulmen::f32_to_f16(x, &mut a).unwrap();
        fulmen::f32_to_bf16(x, &mut b).unwrap();
        let mut back = vec![f32::NAN; x.len()];
        let at: Vec<usize> = if n < 10_000 { (0..n).collect() } else { places(x.len(), 500) };
        assert!(at.iter().all(|i| a[*i] == f16::from_f32(x[*i])), "f32_to_f16 {n}");
        assert!(at.iter().all(|i| b[*i] == bf16::from_f32(x[*i])), "f32_to_bf16 {n}");
        fulmen::f16_to_f32(&a, &mut back).unwrap();
        assert!(at.iter().all(|i| back[*i] == a[*i].to_f32()), "f16_to_f32 {n}");
        fulmen::bf16_to_f32(&b, &mut back).unwrap();
        assert!(at.iter().all(|i| back[*i] == b[*i].to_f32()), "bf16_to_f32 {n}");
    }
}

/// Products of quantised rows with one and with several vectors, past the sizes at which they go to threads or are taken
/// some at a time, and on both sides of the rows of which four are more than the first cache: the sums of what the blocks
/// stand for.
fn quantised<B: Block>() {
    let apart = threshold("quant::ops::APART") / 1024;
    products::<B>(1024, &[apart - 1, apart, apart + 1, apart + 6, 2 * apart + 7]);
    let near = threshold("quant::tile::NEAR_BYTES") / (4 * size_of::<B>());
    for each in [near, near + 1] {
        products::<B>(each * B::ELEMENTS, &[37, 40]);
    }
}

/// Products of so many rows of `cols`, the last of which are the most, at least 37.
fn products<B: Block>(cols: usize, gemv: &[usize]) {
    let mut r = Stream::new(5);
    let (few, together) = (threshold("quant::ops::FEW"), threshold("quant::panel::TOGETHER"));
    let most = gemv[gemv.len() - 1];
    let zeros = vec![0; most * cols / B::ELEMENTS * size_of::<B>()];
    let mut w = blocks::<B>(&zeros).unwrap().to_vec();
    fulmen::quantize(&r.slice::<f32>(most * cols, 1.0), None, &mut w).unwrap();
    let each = cols / B::ELEMENTS;
    let (vectors, step) = (2 * together + 3, cols / B::Partner::ELEMENTS);
    let mut room = vec![0.0; vectors * cols];
    let x = &mut blocks_in::<B::Partner>(&mut room)[..vectors * step];
    fulmen::quantize(&r.slice::<f32>(vectors * cols, 1.0), None, x).unwrap();
    let (mut wide, mut of_x) = (vec![0.0f32; most * cols], vec![0.0f32; vectors * cols]);
    fulmen::dequantize(&w, &mut wide).unwrap();
    fulmen::dequantize(x, &mut of_x).unwrap();
    let check = |rows: usize, m: usize, y: &[f32]| {
        for (j, y) in y.chunks(rows).enumerate().take(m) {
            for (i, y) in y.iter().enumerate() {
                let pairs = || wide[i * cols..][..cols].iter().zip(&of_x[j * cols..][..cols]);
                let want: f64 = pairs().map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                let size: f64 = pairs().map(|(a, b)| (f64::from(*a) * f64::from(*b)).abs()).sum();
                let off = (f64::from(*y) - want).abs();
                assert!(off < 1e-5 * size, "{} {rows}x{m} at {i}, {j}: {y} for {want}", B::NAME);
            }
        }
    };
    for rows in gemv.iter().copied() {
        let w = &w[..rows * each];
        let (mut one, mut other) = (vec![f32::NAN; rows], vec![f32::NAN; rows]);
        fulmen::quant_gemv(w, &x[..step], &mut one).unwrap();
        check(rows, 1, &one);
        for pool in &*POOLS {
            other.fill(f32::NAN);
            pool.install(|| parallel::quant_gemv(w, &x[..step], &mut other)).unwrap();
            same(B::NAME, &one, &other);
        }
    }
    for m in [few - 1, few, few + 1, together - 1, together, together + 1, vectors] {
        let (rows, x) = (37, &x[..m * step]);
        let w = &w[..rows * each];
        let (mut one, mut other) = (vec![f32::NAN; rows * m], vec![f32::NAN; rows * m]);
        fulmen::quant_gemm(w, x, cols, &mut one).unwrap();
        check(rows, m, &one);
        for pool in &*POOLS {
            other.fill(f32::NAN);
            pool.install(|| parallel::quant_gemm(w, x, cols, &mut other)).unwrap();
            same(B::NAME, &one, &other);
        }
    }
}

/// Sums of bytes past a run that 32 bits hold: exact.
#[test]
fn fixed_sums() {
    let run = threshold("fixed::RUN");
    let x: Vec<i8> = Stream::new(3).slice::<f32>(3 * run, 100.0).iter().map(|x| *x as i8).collect();
    for n in [run - 1, run, run + 1, 3 * run] {
        let want: i64 = x[..n].iter().map(|x| i64::from(*x).pow(2)).sum();
        assert_eq!(fulmen::fixed_dot(&x[..n], &x[..n]), Ok(want.min(i32::MAX.into()) as i32), "{n}");
    }
}

#[test]
fn quantised_rows() {
    quantised::<Q4_0>();
    quantised::<Q8_0>();
    quantised::<Q4_K>();
}
