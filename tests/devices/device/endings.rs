//! Products of low precision that a bias and a formula end.

use super::*;
use common::endings::{Bend, Squash, ended_bytes, ended_floats, ended_products};
use fulmen::E4m3;
use fulmen::gpu::backend::{Array, Bias, Mat};
use half::bf16;

/// Biases and formulas at the end of products: while sums are in registers, and by a kernel of their own.
#[test]
fn formulas_end_products() {
    ended_products(&Gpu::new(Host::default()), &[[3, 5, 7], [34, 4, 67], [5, 33, 0], [6, 8, 9]]);
    ended_products(
        &hopper(2),
        &[
            [65, 40, 64],
            [40, 72, 130],
            [70, 131, 48],
            [17, 19, 33],
            [64, 64, 40],
            [16, 130, 2100],
            [8, 9, 20],
            [8, 12, 20],
        ],
    );
    let gpu = hopper(2);
    let of = |n: usize| gpu.upload(&vec![half::bf16::ONE; n]).unwrap();
    let (a, b, bias) = (of(64 * 64), of(64 * 64), gpu.upload(&[0.25f32; 64]).unwrap());
    let mut c = gpu.alloc::<f32>(64 * 64).unwrap();
    let square = |x| -> Mat<'_, half::bf16, Host> { x };
    let (x, y) = (square(a.view().matrix(64, 64).unwrap()), square(b.view().matrix(64, 64).unwrap().t()));
    let mut got = vec![0.0; 64 * 64];
    // A formula of few steps is in the product's kernel, beside the one that counts them.
    let to = c.view_mut().matrix(64, 64).unwrap();
    gpu.gemm_bf16_with(-1.0, x, y, 0.0, to, Bias::Columns(bias.view()), Bend, [0.5]).unwrap();
    gpu.download(c.view(), &mut got).unwrap();
    assert!(gpu.kernels() == 2 && got.iter().all(|x| *x == -31.875), "{}", got[0]);
    let to = c.view_mut().matrix(64, 64).unwrap();
    gpu.gemm_bf16_with(1.0, x, y, 0.0, to, Bias::Columns(bias.view()), Squash, [0.01]).unwrap();
    gpu.download(c.view(), &mut got).unwrap();
    assert!(gpu.kernels() == 5 && got.iter().all(|x| (x - 0.6425f32.tanh()).abs() < 1e-6), "{}", got[0]);
    // Another formula is another kernel, of whatever name.
    struct Twice;
    impl fulmen::Formula<0, 1> for Twice {
        const NAME: &'static str = "bend";
        fn body<T: fulmen::Number>([]: [T; 0]) -> impl fulmen::Body<T, 1> {
            fulmen::Square
        }
    }
    let to = c.view_mut().matrix(64, 64).unwrap();
    gpu.gemm_bf16_with(0.125, x, y, 0.0, to, Bias::None, Twice, []).unwrap();
    gpu.download(c.view(), &mut got).unwrap();
    assert!(gpu.kernels() == 7 && got.iter().all(|x| *x == 64.0), "{}", got[0]);
    let to = c.view_mut().matrix(64, 64).unwrap();
    let short = Bias::Rows(bias.view().part(0..63).unwrap());
    let said = gpu.gemm_bf16_with(1.0, x, y, 0.0, to, short, Squash, [1.0]);
    let named = Error::Call(fulmen::Error::len("bias", 64, 63));
    assert!(said == Err(named), "{said:?}");
}

/// Of eight bits: what a bias and a formula make of the product's bits.
#[test]
fn products_of_eight_bits_end() {
    for gpu in [Gpu::new(Host::default()), hopper(2)] {
        for [m, n, k] in [[5, 8, 7], [40, 96, 64], [70, 65, 140]] {
            let of =
                |n, seed| -> Vec<E4m3> { data::<f32>(n, seed, 0).into_iter().map(E4m3::from_f32).collect() };
            let (a, b) = (gpu.upload(&of(m * k, 1)).unwrap(), gpu.upload(&of(n * k, 2)).unwrap());
            let (before, cols) = (data::<f32>(m * n, 3, 0), data::<f32>(n, 4, 0));
            let bias = gpu.upload(&cols).unwrap();
            let (x, y): (Mat<'_, E4m3, Host>, Mat<'_, E4m3, Host>) =
                (a.view().matrix(m, k).unwrap(), b.view().matrix(n, k).unwrap().t());
            let [mut c, mut bent, mut tanhs] = [(); 3].map(|()| gpu.upload(&before).unwrap());
            let host = |x: &Array<f32, Host>| {
                let mut all = vec![0.0; m * n];
                gpu.download(x.view(), &mut all).unwrap();
                all
            };
            gpu.gemm_e4m3(0.5, x, y, -1.0, c.view_mut().matrix(m, n).unwrap(), ()).unwrap();
            let to = bent.view_mut().matrix(m, n).unwrap();
            gpu.gemm_e4m3_with(0.5, x, y, -1.0, to, Bias::Columns(bias.view()), Bend, [0.25]).unwrap();
            let to = tanhs.view_mut().matrix(m, n).unwrap();
            gpu.gemm_e4m3_with(0.5, x, y, -1.0, to, Bias::Columns(bias.view()), Squash, [0.25]).unwrap();
            for (i, (c, (bent, tanh))) in
                host(&c).into_iter().zip(host(&bent).into_iter().zip(host(&tanhs))).enumerate()
            {
                let sum = c + cols[i % n];
                let want = if sum > 0.0 { sum } else { 0.25 * sum };
                assert!(bent == want, "{m} x {n}: {i} is {bent}, not {want}");
                assert!((tanh - (0.25 * sum).tanh()).abs() < 1e-6, "{m} x {n}: {i} is {tanh} of {sum}");
            }
            common::compared::add(2 * (m * n) as u64);
        }
    }
}

/// Into an array that lies as `bf16`: sums are rounded once, behind the bias and a formula of few steps.
#[test]
fn products_end_in_halves() {
    for gpu in [Gpu::new(Host::default()), hopper(2)] {
        for (turn, [m, n, k]) in [[5, 8, 7], [40, 96, 64], [70, 64, 40], [33, 50, 24]].into_iter().enumerate()
        {
            let of =
                |n, seed| -> Vec<bf16> { data::<f32>(n, seed, 0).into_iter().map(bf16::from_f32).collect() };
            let (a, b) = (gpu.upload(&of(m * k, 1)).unwrap(), gpu.upload(&of(n * k, 2)).unwrap());
            let before: Vec<f32> = of(m * n, 3).into_iter().map(bf16::to_f32).collect();
            let biases = [data::<f32>(m, 4, 0), data::<f32>(n, 5, 0)];
            let [rows, cols] = biases.each_ref().map(|x| gpu.upload(x).unwrap());
            let (x, y): (Mat<'_, bf16, Host>, Mat<'_, bf16, Host>) =
                (a.view().matrix(m, k).unwrap(), b.view().matrix(n, k).unwrap().t());
            for (along, beta) in [(0, 0.0), (1, 0.0), (2, 0.5), (2, 0.0)] {
                let bias = || match along {
                    0 => Bias::None,
                    1 => Bias::Rows(rows.view()),
                    _ => Bias::Columns(cols.view()),
                };
                let by = [0.75 / (turn + 1) as f32];
                let [mut wide, mut tanhs] = [(); 2].map(|()| gpu.upload(&before).unwrap());
                let [mut near, mut near_tanhs] = [(); 2].map(|()| gpu.alloc_halves(m * n).unwrap());
                for near in [&mut near, &mut near_tanhs] {
                    gpu.write(&before, near.view_mut()).unwrap();
                }
                for to in [&mut wide, &mut near] {
                    let to = to.view_mut().matrix(m, n).unwrap();
                    gpu.gemm_bf16_with(1.0, x, y, beta, to, bias(), Bend, by).unwrap();
                }
                for to in [&mut tanhs, &mut near_tanhs] {
                    let to = to.view_mut().matrix(m, n).unwrap();
                    gpu.gemm_bf16_with(1.0, x, y, beta, to, bias(), Squash, by).unwrap();
                }
                let host = |x: &Array<f32, Host>| {
                    let mut all = vec![0.0; m * n];
                    gpu.download(x.view(), &mut all).unwrap();
                    all
                };
                let fused = gpu.device().facts().groups && m.min(n).min(k) >= 16;
                for (i, (got, want)) in host(&near).into_iter().zip(host(&wide)).enumerate() {
                    let once = bf16::from_f32(want).to_f32();
                    // Else the product is rounded first, which may be several times as large.
                    let twice = (got - want).abs() <= want.abs() / 100.0 + 0.05;
                    assert!(got == once || !fused && twice, "{m} x {n}, {along}: {i} is {got}, not {once}");
                }
                for (i, (got, want)) in host(&near_tanhs).into_iter().zip(host(&tanhs)).enumerate() {
                    assert!((got - want).abs() <= 0.03, "{m} x {n}, {along}: {i} is {got}, not {want}");
                }
                common::compared::add(2 * (m * n) as u64);
            }
        }
    }
}

/// Of bytes: lines that start inside words, columns as lines, single lines.
#[test]
fn products_of_bytes_end() {
    for gpu in [Gpu::new(Host::default()), hopper(2)] {
        let shapes = [
            [5, 7, 9],
            [1, 6, 3],
            [1, 5, 2],
            [3, 1, 4],
            [17, 20, 33],
            [2, 1, 8],
            [33, 18, 64],
            [1, 1, 1],
            [4, 3, 0],
        ];
        ended_bytes(&gpu, &shapes);
        let of = |n: usize| gpu.upload(&vec![1i8; n]).unwrap();
        let (a, b, mut c) = (of(6), of(6), gpu.upload(&[5u8; 4]).unwrap());
        let (x, y): (Mat<'_, i8, Host>, Mat<'_, i8, Host>) =
            (a.view().matrix(2, 3).unwrap(), b.view().matrix(3, 2).unwrap());
        let bias = gpu.upload(&[0.5f32; 3]).unwrap();
        let to = c.view_mut().matrix(2, 2).unwrap();
        let said = gpu.gemm_i8_with(1.0, x, y, to, Bias::Rows(bias.view()), Bend, [1.0]);
        assert_eq!(said, Err(Error::Call(fulmen::Error::len("bias", 2, 3))));
        let to = c.view_mut().matrix(2, 2).unwrap();
        let said = gpu.gemm_i8_with(1.0, x, x, to, Bias::None, Bend, [1.0]);
        assert!(matches!(said, Err(Error::Call(fulmen::Error::Shape { arg: "b", .. }))), "{said:?}");
        let mut left = [0u8; 4];
        gpu.download(c.view(), &mut left).unwrap();
        assert_eq!(left, [5; 4]);
    }
}

/// Of floats of any width: by 16 bytes, and element by element.
#[test]
fn products_of_floats_end() {
    let shapes = [[5, 7, 9], [3, 4, 2], [6, 8, 5], [17, 33, 20], [2, 6, 0]];
    for gpu in [Gpu::new(Host::default()), Gpu::rounding(hopper_host(2)).unwrap()] {
        ended_floats::<f32, _>(&gpu, &shapes);
        ended_floats::<f64, _>(&gpu, &shapes);
    }
    let gpu = Gpu::new(Host::default());
    let (x, mut c) = (gpu.upload(&[2.0f64; 4]).unwrap(), gpu.alloc::<f64>(4).unwrap());
    let view = x.view().matrix(2, 2).unwrap();
    let short = Bias::Columns(x.view().part(0..1).unwrap());
    let said = gpu.gemm_with(1.0, view, view, 0.0, c.view_mut().matrix(2, 2).unwrap(), short, Bend, [0.0]);
    assert_eq!(said, Err(Error::Call(fulmen::Error::len("bias", 2, 1))));
}
