//! Level 1 of BLAS on a device: strided vectors against the definition, and special values beside a CPU.

use super::Done;
use crate::device::Worst;
use crate::device::specials::{self, Gave, Group, Kind, compare, refusal};
use crate::nn::Noise;
use crate::seed::Seed;
use fulmen::RotM;
use fulmen::backend::*;
use fulmen::contract::spec;
use fulmen::gpu::backend::{Gpu, Scalar};
use fulmen::gpu::device::{Blocking, Computes, Error};

/// The ops, and how many parameters each has.
const OPS: [(&str, usize); 10] = [
    ("swap", 0),
    ("copy", 0),
    ("scal", 1),
    ("axpy_strided", 1),
    ("rot", 2),
    ("rotm", 4),
    ("dot_strided", 0),
    ("nrm2", 0),
    ("asum", 0),
    ("iamax", 0),
];

/// A rotation of the kind that `turn` chooses.
fn rotation<T: Scalar>(turn: usize, [a, b, c, d]: [T; 4]) -> RotM<T> {
    match turn % 4 {
        0 => RotM::UnitDiagonal { h21: b, h12: c },
        1 => RotM::UnitAntidiagonal { h11: a, h22: d },
        2 => RotM::Identity,
        _ => RotM::Full { h11: a, h21: b, h12: c, h22: d },
    }
}

/// What an op of level 1 makes of two elements, exactly, and the sum of its terms' magnitudes.
fn pair(name: &str, [x, y]: [f64; 2], p: [f64; 4]) -> [[f64; 2]; 2] {
    let sum = |a: f64, b: f64| [a + b, a.abs() + b.abs()];
    let [a, b, c, d] = p;
    match name {
        "swap" => [sum(y, 0.0), sum(x, 0.0)],
        "copy" => [sum(x, 0.0), sum(x, 0.0)],
        "scal" => [sum(x, 0.0), sum(a * y, 0.0)],
        "axpy_strided" => [sum(x, 0.0), sum(a * x, y)],
        "rot" => [sum(a * x, b * y), sum(a * y, -b * x)],
        "rotm" => [sum(a * x, c * y), sum(b * x, d * y)],
        other => panic!("no formula of {other}"),
    }
}

/// Level 1 of `n` elements that are so far apart in larger matrices.
fn vectors<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    n: usize,
    [s, t]: [usize; 2],
    all: &mut [Worst],
) -> Done {
    let mut noise = Noise(n as u64);
    let (x, y): (Vec<T>, Vec<T>) = (noise.slice(n * s, 2.0), noise.slice(n * t, 2.0));
    let column = |x: &[T], s: usize| -> Vec<f64> { x.iter().step_by(s).map(|x| x.to_f64()).collect() };
    let (wide_x, wide_y) = (column(&x, s), column(&y, t));
    let of = |name: &str| spec(name).and_then(|c| c.tolerance(language).or(c.tolerance(T::NAME))).unwrap();
    let p = [-0.5, 0.75, 2.0, 0.25];
    let numbers = p.map(T::from_f64);
    let [a, b, ..] = numbers;
    for worst in all.iter_mut() {
        let (name, tolerance) = (worst.op, of(worst.op));
        let (mut on_x, mut on_y) = (gpu.upload(&x)?, gpu.upload(&y)?);
        if let "dot_strided" | "nrm2" | "asum" | "iamax" = name {
            let (vx, vy) = (on_x.view().matrix(n, s)?.cols(0..1)?, on_y.view().matrix(n, t)?.cols(0..1)?);
            let (mut to, mut index) = (gpu.upload(&[T::from_f64(9.0)])?, gpu.upload(&[9u32])?);
            match name {
                "dot_strided" => gpu.dot_strided(vx, vy, to.view_mut())?,
                "nrm2" => gpu.nrm2(vx, to.view_mut())?,
                "asum" => gpu.asum(vx, to.view_mut())?,
                _ => gpu.iamax(vx, index.view_mut())?,
            }
            let mut got = [T::ZERO];
            gpu.download(to.view(), &mut got)?;
            let terms: Vec<f64> = match name {
                "dot_strided" => wide_x.iter().zip(&wide_y).map(|(x, y)| x * y).collect(),
                "nrm2" => wide_x.iter().map(|x| x * x).collect(),
                _ => wide_x.iter().map(|x| x.abs()).collect(),
            };
            if name == "iamax" {
                let mut at = [0];
                gpu.download(index.view(), &mut at)?;
                let most = terms.iter().cloned().fold(0.0, f64::max);
                let want = terms.iter().position(|x| *x == most).unwrap();
                worst.add(
                    if at[0] as usize == want { 0.0 } else { f64::INFINITY },
                    f64::from(at[0]),
                    want as f64,
                );
                continue;
            }
            let sum: f64 = terms.iter().sum();
            let want = if name == "nrm2" { sum.sqrt() } else { sum };
            let mass = if name == "nrm2" { want } else { terms.iter().map(|x| x.abs()).sum() };
            let off = (got[0].to_f64() - want).abs();
            let allowed = tolerance.allowed::<T>(want, &[&wide_x, &wide_y], mass);
            worst.add(if off == 0.0 { 0.0 } else { off / allowed }, got[0].to_f64(), want);
            continue;
        }
        let mut p = p;
        {
            let [vx, _] = on_x.view_mut().matrix(n, s)?.split_cols(1)?;
            let [vy, _] = on_y.view_mut().matrix(n, t)?.split_cols(1)?;
            let read = gpu.upload(&x)?;
            let only = read.view().matrix(n, s)?.cols(0..1)?;
            match name {
                "swap" => gpu.swap(vx, vy)?,
                "copy" => gpu.copy(only, vy)?,
                "scal" => gpu.scal(a, vy)?,
                "axpy_strided" => gpu.axpy_strided(a, only, vy)?,
                "rot" => gpu.rot(vx, vy, a, b)?,
                _ => {
                    let h = rotation(n, numbers);
                    let [[h11, h12], [h21, h22]] = h.matrix().map(|row| row.map(|x| x.to_f64()));
                    p = [h11, h21, h12, h22];
                    gpu.rotm(vx, vy, &h)?;
                }
            }
        }
        let (mut got_x, mut got_y) = (vec![T::ZERO; n * s], vec![T::ZERO; n * t]);
        gpu.download(on_x.view(), &mut got_x)?;
        gpu.download(on_y.view(), &mut got_y)?;
        let old: [(&[T], &[T], usize); 2] = [(&x, &got_x, s), (&y, &got_y, t)];
        for (k, (before, after, step)) in old.into_iter().enumerate() {
            for (at, (before, after)) in before.iter().zip(after).enumerate() {
                if at % step != 0 || (k == 0 && !matches!(name, "swap" | "rot" | "rotm")) {
                    assert!(before == after, "{name} wrote element {at}");
                    continue;
                }
                let i = at / step;
                let [want, mass] = pair(name, [wide_x[i], wide_y[i]], p)[k];
                let off = (after.to_f64() - want).abs();
                let allowed = tolerance.allowed::<T>(want, &[&[wide_x[i]], &[wide_y[i]]], mass);
                worst.add(if off == 0.0 { 0.0 } else { off / allowed }, after.to_f64(), want);
            }
        }
    }
    Ok(())
}

/// An op that writes vectors, on any machine; `x` is what `over` holds.
fn written<T: Scalar, B: Blas<T>>(
    b: &B,
    op: &str,
    (turn, p): (usize, [T; 4]),
    x: B::Ref<'_, T>,
    over: B::Mut<'_, T>,
    y: B::Mut<'_, T>,
) -> Result<(), B::Error> {
    let (only, over, y) = (B::vector(x), B::vector_mut(over), B::vector_mut(y));
    match op {
        "swap" => b.swap(over, y),
        "copy" => b.copy(only, y),
        "scal" => b.scal(p[0], y),
        "axpy_strided" => b.axpy_strided(p[0], only, y),
        "rot" => b.rot(over, y, p[0], p[1]),
        _ => b.rotm(over, y, &rotation(turn, p)),
    }
}

/// Special values among the parameters or the elements.
fn special<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    params: usize,
    worst: &mut Worst,
) -> Done {
    let op = worst.op;
    let mut r = Seed::running().stream(op);
    for round in 0..8 {
        let (kind, n, turn) = (Kind::of(language)[round % 2], r.within(1..=9), r.within(0..=3));
        let mut x = [(); 2].map(|()| r.slice::<T>(n, 2.0));
        let mut p: Vec<T> = r.slice(params, 2.0);
        let mut group = Group::One;
        if round % 4 < 2 && params > 0 {
            kind.poke(&mut p, &mut r, |_| true);
            if specials::open(op, &p) {
                group = Group::Each;
            }
        } else {
            let k = r.within(0..=1);
            kind.poke(&mut x[k], &mut r, |_| true);
        }
        let what = format!("{x:?}, {p:?}, {turn}");
        let all: [T; 4] = std::array::from_fn(|k| p.get(k).copied().unwrap_or(T::ONE));
        let (mut over, mut y) = (x[0].clone(), x[1].clone());
        let (on_x, mut on_over, mut on_y) = (gpu.upload(&x[0])?, gpu.upload(&x[0])?, gpu.upload(&x[1])?);
        let [vx, vy] = [&x[0], &x[1]].map(|x| fulmen::VecRef::from(&x[..]));
        let (of_x, of_y) = (on_x.view().matrix(n, 1)?, on_y.view().matrix(n, 1)?);
        let (mut to, mut index) = (gpu.upload(&[T::ONE])?, gpu.upload(&[9u32])?);
        let (done, want) = match op {
            "dot_strided" => {
                (gpu.dot_strided(of_x, of_y, to.view_mut()), fulmen::dot_strided(vx, vy).map(|x| vec![x]))
            }
            "nrm2" => (gpu.nrm2(of_x, to.view_mut()), Ok(vec![fulmen::nrm2(vx)])),
            "asum" => (gpu.asum(of_x, to.view_mut()), Ok(vec![fulmen::asum(vx)])),
            "iamax" => {
                let want = fulmen::iamax(vx).map(|at| vec![T::from_usize(at)]);
                gpu.iamax(of_x, index.view_mut())?;
                let mut at = [0];
                gpu.download(index.view(), &mut at)?;
                (gpu.write(&[T::from_usize(at[0] as usize)], to.view_mut()), want)
            }
            _ => {
                let (over, y) = (&mut over[..], &mut y[..]);
                let want = written(&Cpu::native(), op, (turn, all), &x[0], over, y);
                let done = written(gpu, op, (turn, all), on_x.view(), on_over.view_mut(), on_y.view_mut());
                (done, want.map(|()| vec![]))
            }
        };
        let read = |done: Done| {
            done?;
            let (mut got, mut one) = ([vec![T::ZERO; n], vec![T::ZERO; n]], vec![T::ZERO]);
            gpu.download(on_over.view(), &mut got[0])?;
            gpu.download(on_y.view(), &mut got[1])?;
            gpu.download(to.view(), &mut one)?;
            Ok([&got[..], &[one]].concat())
        };
        let got = refusal(read(done))?;
        let want = want.map(|one| vec![over, y, if one.is_empty() { vec![T::ONE] } else { one }]);
        // The place is a number that is compared as such.
        let place = |gave: &Gave<Vec<Vec<T>>>| gave.as_ref().ok().and_then(|all| all.last().cloned());
        if op == "iamax" && place(&got) != place(&want) {
            worst.add(f64::INFINITY, 0.0, 0.0);
        }
        let mass = specials::mass(x.iter().flatten().chain(&p));
        compare(worst, (kind, group), &what, &got, &want, |_, _| mass);
    }
    Ok(())
}

/// The ops.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
) -> Result<Vec<Worst>, Error> {
    let mut all = OPS.map(|(op, _)| Worst { op, share: 0.0, got: 0.0, want: 0.0 });
    for (n, steps) in [(1, [1, 1]), (2, [3, 2]), (4, [1, 3]), (7, [2, 1]), (2055, [3, 1])] {
        vectors::<T, D>(gpu, language, n, steps, &mut all)?;
    }
    for (worst, (_, params)) in all.iter_mut().zip(OPS) {
        special::<T, D>(gpu, language, params, worst)?;
    }
    Ok(all.into())
}
