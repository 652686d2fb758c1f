//! BLAS on a device, against its definitions and within its contracts.

use super::Done;
use crate::blas::{Options, exact, half, inputs, scales, shapes, solves, triangular};
use crate::device::Worst;
use crate::device::specials::{self, Group, Kind, compare, refusal};
use crate::matrix::*;
use crate::nn::Noise;
use crate::reference::dd::Dd;
use crate::seed::Seed;
use fulmen::backend::*;
use fulmen::contract::spec;
use fulmen::gpu::backend::{Array, Gpu, Mat, MatMut, Scalar, View, ViewMut};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::lanes::native;
use std::cmp::Ordering;

const SCALES: [[f64; 2]; 6] = [[1.0, 0.0], [1.0, 1.0], [-0.5, 2.0], [0.0, 0.5], [2.0, 0.0], [0.0, 0.0]];

/// Where a matrix lies on the device: rows and columns of what it is a part of, and whether it is that transposed.
fn lies<T>(x: &Matrix<T>) -> ([usize; 2], bool) {
    let ([rows, cols], [r, c]) = (x.shape, x.strides.map(isize::unsigned_abs));
    // Nothing lies a row's stride away from a single row.
    let r = if rows == 1 { r.max(cols) } else { r };
    if (cols == 1 && r != 1) || c == 1 { ([rows, r], false) } else { ([cols, c], true) }
}

fn view<'a, T: Scalar, D: Device>(x: &Matrix<T>, on: View<'a, T, D>) -> Result<Mat<'a, T, D>, Error> {
    let ([rows, cols], turned) = lies(x);
    let all = on.part(x.offset..x.offset + rows * cols)?.matrix(rows, cols)?;
    if turned { all.cols(0..x.shape[0]).map(Mat::t) } else { all.cols(0..x.shape[1]) }
}

fn view_mut<'a, T: Scalar, D: Device>(
    x: &Matrix<T>,
    on: ViewMut<'a, T, D>,
) -> Result<MatMut<'a, T, D>, Error> {
    let ([rows, cols], turned) = lies(x);
    let [_, rest] = on.split(x.offset)?;
    let [part, _] = rest.split(rows * cols)?;
    let all = part.matrix(rows, cols)?;
    let [part, _] = all.split_cols(if turned { x.shape[0] } else { x.shape[1] })?;
    Ok(if turned { part.t() } else { part })
}

fn call<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    name: &str,
    o: Options,
    [alpha, beta]: [T; 2],
    x: &[Mat<'_, T, D>],
    out: MatMut<'_, T, D>,
) -> Done {
    let w = ();
    match name {
        "gemm" => gpu.gemm(alpha, x[0], x[1], beta, out),
        "gemv" => gpu.gemv(alpha, x[0], x[1], beta, out),
        "ger" => gpu.ger(alpha, x[0], x[1], out),
        "syr" => gpu.syr(alpha, x[0], o.triangle, out),
        "syr2" => gpu.syr2(alpha, x[0], x[1], o.triangle, out),
        "symv" => gpu.symv(alpha, o.triangle, x[0], x[1], beta, out),
        "trmv" => gpu.trmv(o.triangle, o.diagonal, x[0], out),
        "trsv" => gpu.trsv(o.triangle, o.diagonal, x[0], out),
        "symm" => gpu.symm(o.side, alpha, o.triangle, x[0], x[1], beta, out, w),
        "syrk" => gpu.syrk(alpha, x[0], beta, o.triangle, out, w),
        "syr2k" => gpu.syr2k(alpha, x[0], x[1], beta, o.triangle, out, w),
        "trmm" => gpu.trmm(o.side, alpha, o.triangle, o.diagonal, x[0], out, w),
        "trsm" => gpu.trsm(o.side, alpha, o.triangle, o.diagonal, x[0], out, w),
        other => panic!("no call of {other}"),
    }
}

/// One call: nothing but the result is written, NaN is wherever it must not look.
fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    name: &'static str,
    turn: usize,
    dims: [usize; 3],
    worst: &mut Worst,
) -> Done {
    let o = Options::nth(turn);
    let layouts = [[Rows, Cols, Padded], [Padded, Rows, Cols], [Cols, Padded, Rows]][turn % 3];
    let shapes = shapes(name, o, dims);
    let mut m = inputs::<T>(name, o, &shapes, &layouts, 1 + turn as u64);
    let params = SCALES[turn % 6].map(T::from_f64);
    let scales = scales(name, params);
    let old = m.clone();
    let last = m.len() - 1;
    // What β = 0 or α = 0 must not read.
    if scales[1] == 0.0 && (!triangular(name) || scales[0] == 0.0) {
        m[last].data.fill(T::from_f64(f64::NAN));
    }
    let mut on = m.iter().map(|m| gpu.upload(&m.data)).collect::<Result<Vec<_>, Error>>()?;
    let (out, x) = on.split_last_mut().unwrap();
    {
        let x = x.iter().zip(&m).map(|(x, m)| view(m, x.view())).collect::<Result<Vec<_>, Error>>()?;
        call(gpu, name, o, params, &x, view_mut(&m[last], out.view_mut())?)?;
    }
    let (before, mut new) = (m.pop().unwrap(), old[last].clone());
    gpu.download(out.view(), &mut new.data)?;
    let tolerance = spec(name).and_then(|s| s.tolerance(language).or(s.tolerance(T::NAME))).unwrap();
    let mut inside = vec![false; new.data.len()];
    for i in 0..new.shape[0] {
        for j in 0..new.shape[1] {
            if half(name) && !o.holds(i, j) {
                continue;
            }
            inside[new.index(i, j)] = true;
            let (want, mass, n) = exact(name, o, scales, &old, &new, i, j);
            let got = new.at(i, j);
            let apart = if solves(name) { want } else { Dd::from(got) - want };
            let bound = tolerance.allowed::<T>(want.value(), &[&vec![0.0; n]], mass);
            let off = apart.value().abs();
            worst.add(if off == 0.0 { 0.0 } else { off / bound }, got, want.value());
        }
    }
    for (at, inside) in inside.into_iter().enumerate() {
        let (x, y) = (new.data[at].to_f64(), before.data[at].to_f64());
        assert!(inside || x == y || x.is_nan() && y.is_nan(), "{name} wrote element {at}");
    }
    Ok(())
}

/// Small calls with NaN, infinities and the largest numbers among the scalars or the elements, beside a CPU's.
pub fn poked<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    name: &'static str,
    worst: &mut Worst,
) -> Done {
    let mut r = Seed::running().stream(name);
    for round in 0..8 {
        let kind = Kind::of(language)[round % 2];
        let o = Options::nth(r.within(0..=7));
        let shapes = shapes(name, o, [r.within(1..=4), r.within(1..=4), r.within(1..=4)]);
        let mut m = inputs::<T>(name, o, &shapes, &[Rows, Padded, Cols], r.bits());
        let mut params = SCALES[r.within(0..=5)].map(T::from_f64);
        let mut group = Group::One;
        if round % 4 < 2 {
            kind.poke(&mut params, &mut r, |_| true);
            if specials::open(name, &params) {
                group = Group::Each;
            }
        } else {
            let k = r.within(0..=m.len() - 1);
            let free: Vec<bool> = m[k].data.iter().map(|x| !x.to_f64().is_nan()).collect();
            kind.poke(&mut m[k].data, &mut r, |at| free[at]);
        }
        let on = m.iter().map(|m| gpu.upload(&m.data)).collect::<Result<Vec<_>, Error>>()?;
        let (mut on, last) = (on, m.len() - 1);
        let ran = {
            let (out, x) = on.split_last_mut().unwrap();
            let x = x.iter().zip(&m).map(|(x, m)| view(m, x.view())).collect::<Result<Vec<_>, Error>>()?;
            refusal(call(gpu, name, o, params, &x, view_mut(&m[last], out.view_mut())?))?
        };
        let mut got = m[last].clone();
        gpu.download(on[last].view(), &mut got.data)?;
        let (what, before) = (format!("{o:?}, {params:?}, {m:?}"), m.clone());
        let want = crate::blas::call(native(), name, o, params, &mut m, false);
        let inside = |x: &Matrix<T>| {
            let [rows, cols] = x.shape;
            let all = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
            vec![
                all.filter(|(i, j)| !half(name) || o.holds(*i, *j))
                    .map(|(i, j)| x.data[x.index(i, j)])
                    .collect(),
            ]
        };
        let (got, want) = (ran.map(|()| inside(&got)), want.map(|()| inside(&m[last])));
        let mass = specials::mass(params.iter().chain(before.iter().flat_map(|m| &m.data)));
        compare(worst, (kind, group), &what, &got, &want, |_, _| mass);
    }
    Ok(())
}

/// `gemv` of both layouts, on parts of larger matrices.
pub fn gemv<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
) -> Result<Worst, Error> {
    let per = spec("gemv").and_then(|s| s.tolerance(T::NAME)).unwrap();
    let mut worst = Worst { op: "gemv", share: 0.0, got: 0.0, want: 0.0 };
    let mut noise = Noise(5);
    for (case, [m, n]) in shapes.iter().enumerate() {
        let (m, n, across) = (*m, *n, case % 2 == 0);
        let (alpha, beta) = [(1.0, 0.0), (-0.5, 1.0), (1.5, 0.25), (0.0, 2.0)][case / 2 % 4];
        let wide = n + 2;
        let (a, x, y): (Vec<T>, Vec<T>, Vec<T>) =
            (noise.slice(m * wide, 2.0), noise.slice(n, 2.0), noise.slice(m, 2.0));
        let (on_a, on_x) = (gpu.upload(&a)?, gpu.upload(&x)?);
        let old = if beta == 0.0 { vec![T::from_f64(f64::NAN); m] } else { y.clone() };
        let mut on_y = gpu.upload(&old)?;
        let mat = if across { on_a.view().matrix(m, wide)? } else { on_a.view().matrix(wide, m)?.t() };
        let vector = <Gpu<D> as fulmen::backend::Memory>::vector(on_x.view());
        let result = <Gpu<D> as fulmen::backend::Memory>::vector_mut(on_y.view_mut());
        gpu.gemv(T::from_f64(alpha), mat.cols(2..wide)?, vector, T::from_f64(beta), result)?;
        let mut got = vec![T::ZERO; m];
        gpu.download(on_y.view(), &mut got)?;
        for i in 0..m {
            let at = |p: usize| if across { a[i * wide + p + 2] } else { a[(p + 2) * m + i] };
            let terms: Vec<f64> = (0..n).map(|p| alpha * at(p).to_f64() * x[p].to_f64()).collect();
            let before = if beta == 0.0 { 0.0 } else { beta * y[i].to_f64() };
            let want = terms.iter().sum::<f64>() + before;
            let mass = terms.iter().map(|t| t.abs()).sum::<f64>() + before.abs();
            let off = (got[i].to_f64() - want).abs();
            let allowed = per.allowed::<T>(want, &[&terms], mass);
            let this = if off == 0.0 { 0.0 } else { off / allowed };
            if this > worst.share || !this.is_finite() {
                worst = Worst { op: "gemv", share: this, got: got[i].to_f64(), want };
            }
        }
    }
    poked::<T, D>(gpu, language, "gemv", &mut worst)?;
    Ok(worst)
}

/// `transpose` between parts of larger matrices of either layout.
pub fn transpose<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
) -> Result<Worst, Error> {
    let mut worst = Worst { op: "transpose", share: 0.0, got: 0.0, want: 0.0 };
    specials::took_part("transpose");
    let mut noise = Noise(7);
    for (case, [m, n]) in shapes.iter().enumerate() {
        let (m, n) = (*m, *n);
        let mut a: Vec<T> = noise.slice(m * (n + 2), 2.0);
        Kind::of(language)[case % 2].poke(&mut a, &mut noise, |_| true);
        let on_a = gpu.upload(&a)?;
        let mut to = gpu.upload(&vec![T::from_f64(9.0); n * (m + 1)])?;
        let flat = case % 2 > 0;
        let from = if flat { on_a.view().matrix(n + 2, m)?.t() } else { on_a.view().matrix(m, n + 2)? };
        let [_, inner] = to.view_mut().matrix(n, m + 1)?.split_cols(1)?;
        gpu.transpose(from.cols(2..n + 2)?, inner)?;
        let mut got = vec![T::ZERO; n * (m + 1)];
        gpu.download(to.view(), &mut got)?;
        for (at, got) in got.iter().enumerate() {
            let (j, i) = (at / (m + 1), at % (m + 1));
            let want = match i {
                0 => T::from_f64(9.0),
                i if flat => a[(j + 2) * m + i - 1],
                i => a[(i - 1) * (n + 2) + j + 2],
            };
            let [x, y] = [*got, want].map(|x| x.to_f64());
            if x.to_bits() != y.to_bits() && !(x.is_nan() && y.is_nan()) {
                worst = Worst { share: f64::INFINITY, got: got.to_f64(), want: want.to_f64(), ..worst };
            }
        }
    }
    Ok(worst)
}

/// BLAS: all options of small matrices, and with `far` more rows than a block has threads.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    far: &[usize],
) -> Result<Vec<Worst>, Error> {
    let mut all = vec![];
    for (k, name) in ["ger", "syr", "syr2", "symv", "trmv", "trsv", "symm", "syrk", "syr2k", "trmm", "trsm"]
        .into_iter()
        .enumerate()
    {
        let mut worst = Worst { op: name, share: 0.0, got: 0.0, want: 0.0 };
        for turn in 0..9 {
            run::<T, D>(gpu, language, name, turn, [3 + turn % 4, 1 + turn * 5 % 7, turn % 4], &mut worst)?;
        }
        run::<T, D>(gpu, language, name, 1, [0, 2, 2], &mut worst)?;
        run::<T, D>(gpu, language, name, 2, [2, 0, 2], &mut worst)?;
        for (i, n) in far.iter().enumerate() {
            let turn = i + k + 2 * (i % 2);
            let dims =
                if turn % 2 == 0 || half(name) || name.ends_with('v') { [2, *n, 2] } else { [2, *n, 1] };
            let left = Options::nth(turn).side == fulmen::Side::Left;
            let dims = if left && matches!(name, "symm" | "trmm" | "trsm") { [*n, 2, 1] } else { dims };
            run::<T, D>(gpu, language, name, turn, dims, &mut worst)?;
        }
        poked::<T, D>(gpu, language, name, &mut worst)?;
        all.push(worst);
    }
    all.extend(super::level1::story::<T, D>(gpu, language)?);
    all.extend([largest::<T, D>(gpu, true)?, largest::<T, D>(gpu, false)?]);
    Ok(all)
}

/// The largest or smallest elements of few and of many, with ties, in one step and in several.
fn largest<T: Scalar, D: Computes<T> + Blocking>(gpu: &Gpu<D>, top: bool) -> Result<Worst, Error> {
    let op = if top { "top_k" } else { "bottom_k" };
    let mut r = Seed::running().stream(op);
    specials::took_part(op);
    let mut worst = Worst { op, share: 0.0, got: 0.0, want: 0.0 };
    for (n, k) in [(1, 1), (7, 7), (40, 3), (513, 2), (1050, 256), (520, 257), (5, 0)] {
        let mut noise = Noise(n as u64);
        let mut x: Vec<T> =
            noise.slice::<T>(n, 2.0).iter().map(|x| T::from_f64((x.to_f64() * 300.0).round())).collect();
        // Every second time with NaN, which is before everything, and infinities.
        if n % 2 == 1 {
            Kind::Classes.poke(&mut x, &mut r, |_| true);
        }
        let on = gpu.upload(&x)?;
        let (mut values, mut indices) = (gpu.upload(&vec![T::ZERO; k])?, gpu.upload(&vec![9u32; k])?);
        match top {
            true => gpu.top_k(on.view(), k, values.view_mut(), indices.view_mut())?,
            false => gpu.bottom_k(on.view(), k, values.view_mut(), indices.view_mut())?,
        }
        let (mut v, mut at) = (vec![T::ZERO; k], vec![9; k]);
        gpu.download(values.view(), &mut v)?;
        gpu.download(indices.view(), &mut at)?;
        let mut want: Vec<usize> = (0..n).collect();
        let key = |i: usize| if top { -x[i].to_f64() } else { x[i].to_f64() };
        let number = |i: usize| !key(i).is_nan();
        // -0 and 0 tie.
        let by_value = |a: usize, b: usize| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal);
        want.sort_by(|a, b| number(*a).cmp(&number(*b)).then(by_value(*a, *b)).then(a.cmp(b)));
        for ((v, at), want) in v.iter().zip(&at).zip(&want) {
            let right = *at as usize == *want && (*v == x[*want] || v.to_f64().is_nan() && !number(*want));
            worst.add(if right { 0.0 } else { f64::INFINITY }, f64::from(*at), *want as f64);
        }
    }
    Ok(worst)
}

/// `x` with NaN in its place: the first NaN is the largest.
pub fn nan_is_largest<D: Computes<f32> + Blocking>(gpu: &Gpu<D>) -> Result<[u32; 3], Error> {
    let mut at = [0; 3];
    for (at, bad) in at.iter_mut().zip([vec![], vec![2100, 70], vec![2051]]) {
        let mut x = vec![1.0f32; 2200];
        x[2049] = f32::NEG_INFINITY;
        bad.iter().for_each(|i: &usize| x[*i] = f32::NAN);
        let on = gpu.upload(&x)?;
        let mut index: Array<u32, D> = gpu.upload(&[9u32])?;
        gpu.iamax(on.view().matrix(2200, 1)?, index.view_mut())?;
        let mut got = [0];
        gpu.download(index.view(), &mut got)?;
        *at = got[0];
    }
    Ok(at)
}
