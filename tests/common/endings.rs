//! Products of low precision that a bias and a formula end, on a device.

use super::stored::host_of;
use crate::device::data;
use fulmen::Element;
use fulmen::gpu::backend::{Bias, Gpu, Mat, MatMut, Scalar, Word};
use fulmen::gpu::device::{Blocking, Computes};
use fulmen::{
    BiasCol, BiasRow, Body, Chain, Formula, LeakyRelu, MatMut as HostMut, MatRef, Number, Pointwise,
    Requantize, Scale, Tanh, Then, gemm_i8_with_workspace,
};

/// `tanh(a·x)`, which takes too many steps for products to end in it.
pub struct Squash;
impl Formula<1, 1> for Squash {
    const NAME: &'static str = "squash";
    fn body<T: Number>([a]: [T; 1]) -> impl Body<T, 1> {
        Then(Scale(a), Tanh)
    }
}

/// `x` above zero, `a·x` below, which takes few.
pub struct Bend;
impl Formula<1, 1> for Bend {
    const NAME: &'static str = "bend";
    fn body<T: Number>([a]: [T; 1]) -> impl Body<T, 1> {
        LeakyRelu(a)
    }
}

/// Products of `bf16` and of `f16` that a bias and a formula end, C by rows of a wider matrix, by columns, and whole in turn,
/// against the formula in `f64`.
pub fn ended_products<D: Blocking + Computes<f32>>(gpu: &Gpu<D>, shapes: &[[usize; 3]]) {
    let squash = |a: f64, x: f64| (a * x).tanh();
    let bend = |a: f64, x: f64| if x > 0.0 { x } else { a * x };
    macro_rules! of {
        ($T:ty, $call:ident, $F:ident, $by:expr, $in_f64:ident) => {
            for (turn, shape) in shapes.iter().enumerate() {
                for along in 0..3 {
                    let halves = |n, seed| -> Vec<$T> {
                        data::<f32>(n, seed, 0).into_iter().map(<$T>::from_f32).collect()
                    };
                    let by = $by(shape[2] as f32);
                    ended(
                        gpu,
                        (turn, *shape, along),
                        halves,
                        <$T>::to_f64,
                        (by, $in_f64),
                        |alpha, a, b, beta, c, bias, by| {
                            gpu.$call(alpha, a, b, beta, c, bias, $F, by).unwrap();
                        },
                    );
                }
            }
        };
    }
    of!(half::bf16, gemm_bf16_with, Squash, |k: f32| 1.5 / (k + 1.0).sqrt(), squash);
    of!(half::f16, gemm_f16_with, Squash, |k: f32| 1.5 / (k + 1.0).sqrt(), squash);
    of!(half::bf16, gemm_bf16_with, Bend, |_| -0.375, bend);
    of!(half::f16, gemm_f16_with, Bend, |_| 0.125, bend);
}

#[allow(clippy::type_complexity, reason = "a product's arguments")]
fn ended<T: Word, D: Blocking + Computes<f32>>(
    gpu: &Gpu<D>,
    (turn, [m, n, k], along): (usize, [usize; 3], usize),
    halves: impl Fn(usize, u64) -> Vec<T>,
    value: impl Fn(T) -> f64,
    (by, formula): (f32, impl Fn(f64, f64) -> f64),
    call: impl Fn(f32, Mat<'_, T, D>, Mat<'_, T, D>, f32, MatMut<'_, f32, D>, Bias<'_, f32, D>, [f32; 1]),
) {
    let (a, b) = (halves(m * k, 1), halves(n * k, 2));
    let [rows, cols] = [data::<f32>(m, 3, 0), data::<f32>(n, 4, 0)];
    // Rows of C in a wider matrix, or all of a matrix by rows, or by columns.
    let pitch = if turn.is_multiple_of(3) { n + 3 } else { n };
    let before = data::<f32>(m * pitch, 5, 0);
    let at = |i: usize, j: usize| if turn % 3 == 2 { j * m + i } else { i * pitch + j };
    let (alpha, beta) = [(0.5, 0.0), (-1.0, 0.25), (1.0, -0.5), (0.0, 1.0)][(turn + along) % 4];
    let [on_a, on_b] = [&a, &b].map(|x| gpu.upload(x).unwrap());
    let (on_rows, on_cols) = (gpu.upload(&rows).unwrap(), gpu.upload(&cols).unwrap());
    let mut c = gpu.upload(&before).unwrap();
    let bias = match along {
        0 => Bias::None,
        1 => Bias::Rows(on_rows.view()),
        _ => Bias::Columns(on_cols.view()),
    };
    let (x, y) = (on_a.view().matrix(m, k).unwrap(), on_b.view().matrix(n, k).unwrap().t());
    let view = c.view_mut();
    let to = match turn % 3 {
        0 => {
            let [left, _] = view.matrix(m, pitch).unwrap().split_cols(n).unwrap();
            left
        }
        1 => view.matrix(m, n).unwrap(),
        _ => view.matrix(n, m).unwrap().t(),
    };
    call(alpha, x, y, beta, to, bias, [by]);
    let mut left = before.clone();
    let got = host_of(gpu, &c);
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let terms = (0..k).map(|p| f64::from(alpha) * value(a[i * k + p]) * value(b[j * k + p]));
        let bias = [0.0, rows[i], cols[j]][along];
        let more =
            [if beta == 0.0 { 0.0 } else { f64::from(beta) * f64::from(before[at(i, j)]) }, f64::from(bias)];
        let (sum, mass) = terms.chain(more).fold((0.0, 0.0), |(s, w), t| (s + t, w + f64::abs(t)));
        let want = formula(f64::from(by), sum);
        let (got, allowed) = (f64::from(got[at(i, j)]), 1e-5 * mass + 1e-6);
        assert!(
            (got - want).abs() <= allowed,
            "{m} x {n} x {k}, bias {along}, {alpha}, {beta}: ({i}, {j}) is {got}, not {want}"
        );
        left[at(i, j)] = got as f32;
    }
    assert!(left == got, "{m} x {n} x {k}: elements beside C are written");
    crate::compared::add((m * n) as u64);
}

/// Products of floats that a bias and a formula end, by rows of a wider matrix and whole in turn: what both make of the product's bits.
pub fn ended_floats<T: Element + Scalar, D: Blocking + Computes<T>>(gpu: &Gpu<D>, shapes: &[[usize; 3]]) {
    for (turn, [m, n, k]) in shapes.iter().copied().enumerate() {
        let pitch = n + turn % 2 * 3;
        let (a, b, before) = (data::<T>(m * k, 1, 0), data::<T>(k * n, 2, 0), data::<T>(m * pitch, 3, 0));
        let (rows, cols) = (data::<T>(m, 4, 0), data::<T>(n, 5, 0));
        let [on_a, on_b, on_rows, on_cols] = [&a, &b, &rows, &cols].map(|x| gpu.upload(x).unwrap());
        let (alpha, beta, by) = (T::from_f64(-0.75), T::from_f64(0.5), T::from_f64(0.125));
        for along in 0..3 {
            let bias = match along {
                0 => Bias::None,
                1 => Bias::Rows(on_rows.view()),
                _ => Bias::Columns(on_cols.view()),
            };
            let [mut plain, mut ended] = [(); 2].map(|()| gpu.upload(&before).unwrap());
            let (x, y) = (on_a.view().matrix(m, k).unwrap(), on_b.view().matrix(k, n).unwrap());
            let [to, _] = plain.view_mut().matrix(m, pitch).unwrap().split_cols(n).unwrap();
            gpu.gemm(alpha, x, y, beta, to).unwrap();
            let [to, _] = ended.view_mut().matrix(m, pitch).unwrap().split_cols(n).unwrap();
            gpu.gemm_with(alpha, x, y, beta, to, bias, Bend, [by]).unwrap();
            let [mut want, mut got] = [(); 2].map(|()| before.clone());
            gpu.download(plain.view(), &mut want).unwrap();
            gpu.download(ended.view(), &mut got).unwrap();
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let x = &mut want[i * pitch + j];
                let sum = *x + [T::ZERO, rows[i], cols[j]][along];
                *x = if sum > T::ZERO { sum } else { by * sum };
            }
            assert!(got == want, "{m} x {n} x {k} in {}, bias {along}", T::NAME);
            crate::compared::add((m * n) as u64);
        }
    }
}

/// Products of bytes that a scale, a bias and a formula end, as `f32` and as bytes of either sign, C by rows inside a wider matrix, by
/// columns, and whole in turn, against those of a CPU, bit for bit.
pub fn ended_bytes<D: Blocking + Computes<f32>>(gpu: &Gpu<D>, shapes: &[[usize; 3]]) {
    for (turn, shape) in shapes.iter().enumerate() {
        for along in 0..3 {
            bytes_as::<f32, D>(gpu, turn, *shape, along, |x| x as f32);
            bytes_as::<i8, D>(gpu, turn, *shape, along, |x| x as i8);
            bytes_as::<u8, D>(gpu, turn, *shape, along, |x| x);
        }
    }
}

fn bytes_as<C: Requantize + Word + Default + PartialOrd + std::fmt::Debug, D: Blocking + Computes<f32>>(
    gpu: &Gpu<D>,
    turn: usize,
    [m, n, k]: [usize; 3],
    along: usize,
    number: impl Fn(u8) -> C,
) {
    let bytes = |n: usize, by: usize| (0..n).map(move |i| ((i * by + i / 7) % 256) as u8);
    let unsigned: Vec<u8> = bytes(m * k, 37).collect();
    let signed: Vec<i8> = unsigned.iter().map(|x| *x as i8).collect();
    let b: Vec<i8> = bytes(k * n, 91).map(|x| x as i8).collect();
    let alpha = [0.004, 0.0, -0.02][(turn + along) % 3];
    let by = [-0.25f32];
    let [rows, mut cols] = [m, n].map(|n| (0..n).map(|i| (i % 9) as f32 * 7.5 - 30.0).collect::<Vec<f32>>());
    // Not a number is 0 as a byte.
    cols[n / 2] = f32::NAN;
    let pitch = if turn.is_multiple_of(3) { n + 3 } else { n };
    let at = |i: usize, j: usize| match turn % 3 {
        0 => i * pitch + j + 1,
        1 => i * n + j,
        _ => j * m + i,
    };
    let before: Vec<C> = bytes(m * pitch, 5).map(number).collect();
    let on = [gpu.upload(&rows).unwrap(), gpu.upload(&cols).unwrap()];
    let (on_a, on_unsigned, on_b) = (gpu.upload(&signed), gpu.upload(&unsigned), gpu.upload(&b));
    let (on_a, on_unsigned, on_b) = (on_a.unwrap(), on_unsigned.unwrap(), on_b.unwrap());
    for zeros in [None, Some((131u8, -7i8))] {
        let mut c = gpu.upload(&before).unwrap();
        let view = c.view_mut();
        let to = match turn % 3 {
            0 => {
                let [_, right] = view.matrix(m, pitch).unwrap().split_cols(1).unwrap();
                let [middle, _] = right.split_cols(n).unwrap();
                middle
            }
            1 => view.matrix(m, n).unwrap(),
            _ => view.matrix(n, m).unwrap().t(),
        };
        let bias = match along {
            0 => Bias::None,
            1 => Bias::Rows(on[0].view()),
            _ => Bias::Columns(on[1].view()),
        };
        let right: Mat<'_, i8, D> = on_b.view().matrix(k, n).unwrap();
        match zeros {
            None => {
                let left: Mat<'_, i8, D> = on_a.view().matrix(m, k).unwrap();
                gpu.gemm_i8_with(alpha, left, right, to, bias, Bend, by).unwrap();
            }
            Some((of_a, of_b)) => {
                let left: Mat<'_, u8, D> = on_unsigned.view().matrix(m, k).unwrap();
                gpu.gemm_u8_with(alpha, left, of_a, right, of_b, to, bias, Bend, by).unwrap();
            }
        }
        let (mut product, mut work) = (vec![C::default(); m * n], vec![0; gemm_i8_with_workspace(m, n, k)]);
        let end = Pointwise(LeakyRelu(by[0]));
        macro_rules! on_cpu {
            ($end:expr) => {{
                let right = MatRef::row_major(&b, k, n).unwrap();
                let to = HostMut::row_major(&mut product, m, n).unwrap();
                match zeros {
                    None => {
                        let left = MatRef::row_major(&signed, m, k).unwrap();
                        fulmen::gemm_i8_with(alpha, left, right, to, $end, &mut work).unwrap();
                    }
                    Some((of_a, of_b)) => {
                        let left = MatRef::row_major(&unsigned, m, k).unwrap();
                        fulmen::gemm_u8_with(alpha, left, of_a, right, of_b, to, $end, &mut work).unwrap();
                    }
                }
            }};
        }
        match along {
            0 => on_cpu!(end),
            1 => on_cpu!(Chain(BiasRow(&rows), end)),
            _ => on_cpu!(Chain(BiasCol(&cols), end)),
        }
        let mut want = before.clone();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            want[at(i, j)] = product[i * n + j];
        }
        let mut got = before.clone();
        gpu.download(c.view(), &mut got).unwrap();
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let none = |x: &C| x.partial_cmp(x).is_none();
            let same = got == want || none(got) && none(want);
            assert!(same, "{m} x {n} x {k}, {turn}, bias {along}, {zeros:?}: {i} is {got:?}, not {want:?}");
        }
        crate::compared::add((m * n) as u64);
    }
}
