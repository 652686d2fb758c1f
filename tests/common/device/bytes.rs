//! Products of bytes on a device.

use super::Worst;
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Blocking, Computes, Error};

/// As [`products`](super::products), of bytes, whose sums are exact modulo 2³², or a panic: both signed, and those of A without a sign, each
/// with its zero.
pub fn byte_products<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    shapes: &[[usize; 3]],
) -> Result<[Worst; 2], Error> {
    for (case, [m, n, k]) in shapes.iter().enumerate() {
        let ([m, n, k], flip) = ([*m, *n, *k], [case & 1 > 0, case & 2 > 0, case % 5 == 4]);
        let (alpha, beta) = [(1, 0), (-3, 1), (i32::MAX, 5), (0, 2), (2, 0)][case % 5];
        let whole = [m, n, k].iter().all(|s| s.is_multiple_of(16));
        let pads = if whole { [16, 16, 2] } else { [2, 1, 3] };
        // The matrix is the last columns of a wider one, which lies by rows or by columns.
        let dims = [[m, k + pads[0]], [k, n + pads[1]], [m, n + pads[2]]];
        let numbers = |k: usize, by: u64| -> Vec<i32> {
            let mut r = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(by);
            let next = |_| {
                r = r.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (r >> 33) as i32
            };
            (0..dims[k][0] * dims[k][1]).map(next).collect()
        };
        let bytes =
            [numbers(0, 1), numbers(1, 2)].map(|x| x.into_iter().map(|x| x as i8).collect::<Vec<_>>());
        let old = numbers(2, 3);
        let unsigned: Vec<u8> = bytes[0].iter().map(|x| x.cast_unsigned()).collect();
        let [on_a, on_b] = [gpu.upload(&bytes[0])?, gpu.upload(&bytes[1])?];
        let on_u = gpu.upload(&unsigned)?;
        macro_rules! part {
            ($k:expr, $x:expr) => {{
                let ([rows, cols], x) = (dims[$k], $x.view());
                let all = if flip[$k] { x.matrix(cols, rows)?.t() } else { x.matrix(rows, cols)? };
                all.cols(pads[$k]..cols)?
            }};
        }
        let place = |k: usize, row: usize, col: usize| {
            let ([rows, cols], col) = (dims[k], col + pads[k]);
            if flip[k] { col * rows + row } else { row * cols + col }
        };
        let [rows, cols] = dims[2];
        let (a_zero, b_zero) = [(128, 0), (3, -7), (255, 127), (0, -128), (128, 5), (9, 0)][case % 6];
        for op in ["gemm_i8", "gemm_u8"] {
            let mut on_c = gpu.upload(&old)?;
            let all = if flip[2] {
                on_c.view_mut().matrix(cols, rows)?.t()
            } else {
                on_c.view_mut().matrix(rows, cols)?
            };
            let ([_, c], b) = (all.split_cols(pads[2])?, part!(1, on_b));
            let less: [Vec<i32>; 2] = if op == "gemm_i8" {
                gpu.gemm_i8(alpha, part!(0, on_a), b, beta, c, ())?;
                bytes.each_ref().map(|x| x.iter().map(|x| i32::from(*x)).collect())
            } else {
                gpu.gemm_u8(alpha, part!(0, on_u), a_zero, b, b_zero, beta, c, ())?;
                let a = unsigned.iter().map(|x| i32::from(*x) - i32::from(a_zero));
                [a.collect(), bytes[1].iter().map(|x| i32::from(*x) - i32::from(b_zero)).collect()]
            };
            let mut got = vec![0; old.len()];
            gpu.download(on_c.view(), &mut got)?;
            let mut want = old.clone();
            let column = |j: usize| (0..k).map(|p| less[1][place(1, p, j)]).collect();
            let columns: Vec<Vec<i32>> = (0..n).map(column).collect();
            for i in 0..m {
                let row: Vec<i32> = (0..k).map(|p| less[0][place(0, i, p)]).collect();
                for (j, column) in columns.iter().enumerate() {
                    let c = &mut want[place(2, i, j)];
                    *c = alpha.wrapping_mul(dense::dot_i32(&row, column)).wrapping_add(beta.wrapping_mul(*c));
                }
            }
            assert!(got == want, "{op} {m} x {n} x {k}, {alpha} {beta} {flip:?}, zeros {a_zero} {b_zero}");
        }
    }
    Ok(["gemm_i8", "gemm_u8"].map(|op| Worst { op, share: 0.0, got: 0.0, want: 0.0 }))
}
