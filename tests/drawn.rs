//! Ops on slices and on views at shapes that a seed draws, beside the fixed ones of the other tests: mostly small, now and then past
//! the thresholds of loops and of threads.

use common::blas::{Options, exact, half, inputs, scales, shapes, solves};
use common::call::{Args, Form, Out, call};
use common::matrix::{OPERANDS, RESULTS};
use common::nn::Noise;
use common::reference::dd::Dd;
use common::reference::story::answer;
use common::seed::Seed;
use fulmen::Element;
use fulmen::contract::{agrees, spec, ulp};
use fulmen::lanes::{Native, native};
use fulmen::ops::{OPS, Op};

/// Whether the reference of the story knows the op.
fn known(op: &Op) -> bool {
    matches!(op.shape, "unary" | "binary" | "ternary" | "update" | "total" | "reduce" | "reduce2" | "arg")
        || op.shape.starts_with("rows")
}

fn one<T: Element>(op: &Op, r: &mut Noise) {
    let [rows, cols] = match r.within(1..=12) {
        1 => [2 * r.within(500..=700) + 1, r.within(1..=9)],
        2 => [r.within(1..=2), r.size(60_000)],
        _ => [r.size(30), r.size(500)],
    };
    let n = rows * cols;
    let mut raw: [Vec<T>; 3] = [0, 1, 2].map(|_| r.slice(n, 8.0));
    if ["ln", "log2", "log10", "sqrt", "pow", "pow_scalar", "acosh"].contains(&op.name) {
        raw[0].iter_mut().for_each(|x| *x = T::from_f64(x.to_f64().abs() + 1.0));
    }
    if ["asin", "acos", "atanh"].contains(&op.name) {
        raw[0].iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / 8.5));
    }
    let args = Args { x: [&raw[0], &raw[1], &raw[2]], params: &[], cols, eps: T::from_f64(1e-3), k: 1 };
    let want = answer::<Native, T>(op, args);
    let per = spec(op.name).and_then(|s| s.tolerance(T::NAME)).unwrap();
    let wide: Vec<Vec<f64>> = raw.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
    let forms = [
        Form::Native,
        Form::InPlace,
        #[cfg(feature = "parallel")]
        Form::Parallel,
    ];
    for form in forms {
        let (mut y, mut index) = (raw[0].clone(), [u32::MAX]);
        match call(native(), op.name, form, args, &mut Out { y: &mut y, index: &mut index }) {
            Some(done) => done.unwrap(),
            None => continue,
        }
        let at = format!("{} {} {rows} x {cols} {form:?}", op.name, T::NAME);
        if op.shape == "arg" {
            assert_eq!(index, want.index[..1], "{at}");
        }
        for (i, w) in want.y.iter().enumerate() {
            let inputs: Vec<&[f64]> = match op.shape {
                "total" | "reduce" | "reduce2" => wide.iter().map(|x| &x[..]).collect(),
                s if s.starts_with("rows") => vec![&wide[0][i / cols * cols..(i / cols + 1) * cols]],
                _ => wide.iter().map(|x| &x[i..=i]).collect(),
            };
            let near = T::from_f64(w.value).to_f64();
            let value = if near.is_infinite() { near } else { w.value };
            let allowed = per.allowed::<T>(value, &inputs, w.terms);
            let allowed = w.bound.unwrap_or(allowed) + w.own * ulp::<f64>(value);
            assert!(agrees(y[i], value, allowed), "{at}: {i} is {:e}, exactly {value:e}", y[i].to_f64());
        }
    }
}

#[test]
fn ops_on_slices() {
    let seed = Seed::new("ops_on_slices");
    let mut ran = 0;
    for op in OPS.iter().filter(|op| known(op)) {
        let mut r = seed.stream(op.name);
        one::<f32>(op, &mut r);
        one::<f64>(op, &mut r);
        ran += 1;
    }
    println!("{ran} ops");
    assert!(ran > 80, "{ran}");
}

fn blas<T: Element>(name: &'static str, r: &mut Noise) {
    let (turn, most) = (r.within(0..=7), if r.one_in(6) { 150 } else { 24 });
    let (o, dims) = (Options::nth(turn), [r.size(most), r.size(most), r.size(most)]);
    let layouts = [(); 3].map(|()| OPERANDS[r.within(0..=OPERANDS.len() - 1)]);
    let layouts = [layouts[0], layouts[1], RESULTS[r.within(0..=RESULTS.len() - 1)]];
    let shapes = shapes(name, o, dims);
    // The last is written.
    let own = &layouts[3 - shapes.len()..];
    let old = inputs::<T>(name, o, &shapes, own, r.bits());
    let params = [(1.0, 0.0), (-0.5, 2.0), (0.0, 0.5), (2.0, 1.0)][r.within(0..=3)];
    let params = [params.0, params.1].map(T::from_f64);
    let scales = scales(name, params);
    let per = spec(name).and_then(|s| s.tolerance(T::NAME)).unwrap();
    for parallel in [false, true] {
        let mut m = old.clone();
        common::blas::call(native(), name, o, params, &mut m, parallel).unwrap();
        let new = &m[m.len() - 1];
        for (i, j) in (0..new.shape[0]).flat_map(|i| (0..new.shape[1]).map(move |j| (i, j))) {
            if half(name) && !o.holds(i, j) {
                continue;
            }
            let (want, mass, n) = exact(name, o, scales, &old, new, i, j);
            let got = new.at(i, j);
            let apart = if solves(name) { want } else { Dd::from(got) - want };
            let bound = per.allowed::<T>(want.value(), &[&vec![0.0; n]], mass);
            let off = apart.value().abs();
            assert!(off <= bound, "{name} {} {dims:?} {o:?} {own:?}: ({i}, {j}) is {got}", T::NAME);
        }
    }
}

#[test]
fn blas_on_views() {
    let seed = Seed::new("blas_on_views");
    for name in
        ["gemv", "ger", "syr", "syr2", "symv", "trmv", "trsv", "symm", "syrk", "syr2k", "trmm", "trsm"]
    {
        let mut r = seed.stream(name);
        for _ in 0..3 {
            blas::<f32>(name, &mut r);
            blas::<f64>(name, &mut r);
        }
    }
}
