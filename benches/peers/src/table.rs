//! `--table`: transposes, products, pointwise ops and softmax against ndarray, on one thread and with outputs that
//! the caller made, beside the limit that both meet.

use crate::{buffer, gemm, roof};
use fulmen::{MatMut, MatRef, VecMut, VecRef};
use fulmen_harness::race::{Case, Contender, Race};
use ndarray::{ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, Zip};
use std::hint::black_box;

fn show(race: &mut Race, op: &str, n: usize, (work, unit): (f64, &str), list: Vec<Contender<'_>>) {
    race.case(&Case { op, ty: "f32", size: n.to_string(), work, unit }, list);
}

fn transpose(race: &mut Race, n: usize) {
    let (a, mut b) = (buffer::<f32>(n * n, 1), buffer::<f32>(n * n, 2));
    let (a, pb) = (&*a, b.as_mut_ptr());
    // SAFETY: one contender at a time runs; the buffer outlives them.
    let out = move || unsafe { std::slice::from_raw_parts_mut(black_box(pb), n * n) };
    let list = vec![
        Contender::ours(move || {
            let a = MatRef::row_major(black_box(a), n, n).unwrap();
            fulmen::transpose(a, MatMut::row_major(out(), n, n).unwrap()).unwrap();
        }),
        Contender::peer("ndarray", move || {
            let a = ArrayView2::from_shape((n, n), black_box(a)).unwrap();
            ArrayViewMut2::from_shape((n, n), out()).unwrap().assign(&a.t());
        }),
        Contender::roof(None, move || out().copy_from_slice(black_box(a))),
    ];
    show(race, "transpose", n, (8.0 * (n * n) as f64, "GB/s"), list);
}

fn gemv(race: &mut Race, n: usize) {
    let (a, x, mut y) = (buffer::<f32>(n * n, 1), buffer::<f32>(n, 2), buffer::<f32>(n, 3));
    let (a, x, py) = (&*a, &*x, y.as_mut_ptr());
    // SAFETY: as above.
    let out = move || unsafe { std::slice::from_raw_parts_mut(black_box(py), n) };
    let list = vec![
        Contender::ours(move || {
            let a = MatRef::row_major(black_box(a), n, n).unwrap();
            fulmen::gemv(1.0, a, VecRef::from(x), 0.0, VecMut::from(out())).unwrap();
        }),
        Contender::peer("ndarray", move || {
            let a = ArrayView2::from_shape((n, n), black_box(a)).unwrap();
            let mut y = ArrayViewMut1::from(out());
            ndarray::linalg::general_mat_vec_mul(1.0, &a, &ArrayView1::from(x), 0.0, &mut y);
        }),
        Contender::roof(None, move || {
            black_box(roof::read(black_box(a)));
        }),
    ];
    show(race, "gemv", n, (4.0 * (n * n) as f64, "GB/s"), list);
}

fn vectors(race: &mut Race, n: usize) {
    let (a, b, mut c) = (buffer::<f32>(n, 1), buffer::<f32>(n, 2), buffer::<f32>(n, 3));
    let (a, b, pc) = (&*a, &*b, c.as_mut_ptr());
    // SAFETY: as above.
    let out = move || unsafe { std::slice::from_raw_parts_mut(black_box(pc), n) };
    let list = vec![
        Contender::ours(move || fulmen::add(black_box(a), black_box(b), out()).unwrap()),
        Contender::peer("ndarray", move || {
            let (a, b) = (ArrayView1::from(black_box(a)), ArrayView1::from(black_box(b)));
            Zip::from(ArrayViewMut1::from(out())).and(a).and(b).for_each(|c, a, b| *c = a + b);
        }),
        Contender::new(fulmen_harness::race::Kind::OursFixed, "fulmen-in-place", move || {
            fulmen::add_in_place(out(), black_box(b)).unwrap();
        }),
        Contender::roof(None, move || roof::merge(black_box(a), black_box(b), out())),
    ];
    show(race, "add", n, (12.0 * n as f64, "GB/s"), list);
    let list = vec![
        Contender::ours(move || fulmen::relu(black_box(a), out()).unwrap()),
        Contender::peer("ndarray", move || {
            let a = ArrayView1::from(black_box(a));
            Zip::from(ArrayViewMut1::from(out())).and(a).for_each(|c, a| *c = a.max(0.0));
        }),
        Contender::new(fulmen_harness::race::Kind::OursFixed, "fulmen-in-place", move || {
            fulmen::relu_in_place(out()).unwrap();
        }),
        Contender::roof(None, move || out().copy_from_slice(black_box(a))),
    ];
    show(race, "relu", n, (8.0 * n as f64, "GB/s"), list);
}

fn softmax(race: &mut Race, n: usize) {
    let (a, mut c) = (buffer::<f32>(n, 1), buffer::<f32>(n, 3));
    let (a, pc) = (&*a, c.as_mut_ptr());
    // SAFETY: as above.
    let out = move || unsafe { std::slice::from_raw_parts_mut(black_box(pc), n) };
    let list = vec![
        Contender::ours(move || fulmen::softmax(black_box(a), n, out()).unwrap()),
        Contender::peer("ndarray", move || {
            let a = ArrayView1::from(black_box(a));
            let m = a.fold(f32::NEG_INFINITY, |m, &x| m.max(x));
            let mut o = ArrayViewMut1::from(out());
            Zip::from(&mut o).and(&a).for_each(|o, &x| *o = (x - m).exp());
            let s = o.sum();
            o /= s;
        }),
        Contender::roof(None, move || out().copy_from_slice(black_box(a))),
    ];
    show(race, "softmax", n, (8.0 * n as f64, "GB/s"), list);
}

pub fn run(race: &mut Race) {
    [64, 128, 256, 512].into_iter().for_each(|n| transpose(race, n));
    let options = gemm::Options { transposed: false, only: Some("fulmen,ndarray") };
    [64, 128, 256, 512, 1024].into_iter().for_each(|n| gemm::case::<f32>(race, &[], [n; 3], &options));
    [64, 128, 256, 512, 1024].into_iter().for_each(|n| gemv(race, n));
    [1000, 10_000, 100_000, 1_000_000].into_iter().for_each(|n| vectors(race, n));
    [128, 1024, 4096, 32_768].into_iter().for_each(|n| softmax(race, n));
}
