//! Products of `f16` on a device, against their definition and within their contract.

use crate::device::{Worst, data};
use fulmen::contract::spec;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};
use half::f16;

/// With all transposes, α and β, on parts of larger matrices, which start at multiples of 16 bytes where the shape is one
/// of whole tiles and elsewhere otherwise; and every exponent, alone. The worst error.
pub fn products<D: Computes<f32> + Blocking>(gpu: &Gpu<D>, shapes: &[[usize; 3]]) -> Result<Worst, Error> {
    let per = spec("gemm_f16").and_then(|s| s.tolerance("f32")).unwrap();
    let mut worst = Worst { op: "gemm_f16", share: 0.0, got: 0.0, want: 0.0 };
    let halves =
        |n: usize, seed: u64| data::<f32>(n, seed, 0).into_iter().map(f16::from_f32).collect::<Vec<_>>();
    for (case, [m, n, k]) in shapes.iter().enumerate() {
        let ([m, n, k], flip) = ([*m, *n, *k], [case & 1 > 0, case & 2 > 0]);
        let (alpha, beta) = [(1.0f32, 0.0f32), (-0.5, 1.0), (1.5, 0.25), (0.0, 2.0), (2.0, 0.5)][case % 5];
        let [pad, left] = if m % 128 == 0 && n % 128 == 0 { [8, 4] } else { [1, 3] };
        let (a, b) = (halves(m * (k + pad), 1), halves((k + pad) * (n + pad), 2));
        let c = data::<f32>(m * (n + left), 3, 0);
        let [on_a, on_b] = [gpu.upload(&a)?, gpu.upload(&b)?];
        let old = if beta == 0.0 { vec![f32::NAN; c.len()] } else { c.clone() };
        let mut on_c = gpu.upload(&old)?;
        let mat_a = if flip[0] {
            on_a.view().matrix(k + pad, m)?.t().cols(pad..k + pad)?
        } else {
            on_a.view().matrix(m, k + pad)?.cols(pad..k + pad)?
        };
        let mat_b = if flip[1] {
            on_b.view().matrix(n + pad, k + pad)?.t().cols(pad..n + pad)?.t().cols(pad..k + pad)?.t()
        } else {
            on_b.view().matrix(k + pad, n + pad)?.t().cols(pad..k + pad)?.t().cols(pad..n + pad)?
        };
        let [_, mat_c] = on_c.view_mut().matrix(m, n + left)?.split_cols(left)?;
        gpu.gemm_f16(alpha, mat_a, mat_b, beta, mat_c)?;
        let mut got = vec![0.0; c.len()];
        gpu.download(on_c.view(), &mut got)?;
        let at_a = |i: usize, p: usize| {
            f64::from(if flip[0] { a[(p + pad) * m + i] } else { a[i * (k + pad) + p + pad] })
        };
        let at_b = |p: usize, j: usize| {
            f64::from(if flip[1] {
                b[(j + pad) * (k + pad) + p + pad]
            } else {
                b[(p + pad) * (n + pad) + j + pad]
            })
        };
        // All of a small one; of a large one some rows and columns of each tile.
        let some = |n: usize| (0..n).step_by(if n >= 128 { 13 } else { 1 });
        for (i, j) in some(m).flat_map(|i| some(n).map(move |j| (i, j))) {
            let row: Vec<f64> = (0..k).map(|p| at_a(i, p)).collect();
            let col: Vec<f64> = (0..k).map(|p| at_b(p, j)).collect();
            let terms = row.iter().zip(&col).map(|(x, y)| x * y);
            let (sum, mass) = terms.fold((0.0, 0.0), |(s, m), t| (s + t, m + t.abs()));
            let before = if beta == 0.0 { 0.0 } else { f64::from(c[i * (n + left) + left + j]) };
            let (alpha, beta) = (f64::from(alpha), f64::from(beta));
            let want = alpha * sum + beta * before;
            let ulp = |x: f64| f64::from(f32::EPSILON) * x.abs();
            let allowed = alpha.abs() * per.allowed::<f32>(sum, &[&row, &col], mass)
                + 2.0 * ulp(alpha * sum)
                + 2.0 * ulp(want)
                + f64::from(f32::MIN_POSITIVE);
            let got = got[i * (n + left) + left + j];
            let share = (f64::from(got) - want).abs() / allowed;
            if share > worst.share || share.is_nan() {
                worst = Worst { op: "gemm_f16", share, got: f64::from(got), want };
            }
        }
        let outside = got.chunks(n + left).zip(old.chunks(n + left)).all(|(got, old)| {
            got[..left]
                .iter()
                .zip(&old[..left])
                .all(|(x, y)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan()))
        });
        assert!(outside, "gemm_f16 wrote past C");
    }
    exponents(gpu)?;
    Ok(worst)
}

/// Subnormals, infinities and NaN among them: `A·[1]` is A.
fn exponents<D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<(), Error> {
    let mantissas = [0, 1, 0x155, 0x3ff];
    let all: Vec<f16> = (0..64u16).flat_map(|e| mantissas.map(|m| f16::from_bits(e << 10 | m))).collect();
    let (x, one) = (gpu.upload(&all)?, gpu.upload(&[f16::ONE])?);
    let mut out = gpu.alloc::<f32>(all.len())?;
    gpu.gemm_f16(
        1.0,
        x.view().matrix(all.len(), 1)?,
        one.view().matrix(1, 1)?,
        0.0,
        out.view_mut().matrix(all.len(), 1)?,
    )?;
    let mut got = vec![0.0; all.len()];
    gpu.download(out.view(), &mut got)?;
    for (x, got) in all.iter().zip(&got) {
        assert!(x.to_f32() == *got || (x.is_nan() && got.is_nan()), "{x} became {got}");
    }
    Ok(())
}
