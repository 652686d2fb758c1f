//! Ops on slices: element-wise ones, reductions, ops on rows; of one element type in a program, [`Tested`](crate::Tested).

use crate::call::{Args, Form, Out, call};
use crate::sizes::*;
use crate::story::{Want, answer};
use fulmen::contract::{agrees, ulp};
use fulmen::lanes::native;
use fulmen::ops::{OPS, Op};
use fulmen::{Element, parallel};

/// What an output holds before.
const STALE: f64 = 1234.5678;

fn arguments<'a, T: Element>(x: [&'a [T]; 3], cols: usize, k: usize) -> Args<'a, T> {
    Args { x, params: &[], cols, eps: T::from_f64(1e-3), k }
}

/// One result against its reference.
fn agree<T: Element>(what: &str, op: &Op, i: usize, got: T, want: &Want, inputs: [&[f64]; 2]) {
    let allowed = match want.bound {
        Some(bound) => bound,
        None => tolerance::<T>(op.name).allowed::<T>(want.value, &[inputs[0], inputs[1]], want.terms),
    };
    let allowed = allowed + want.own * ulp::<f64>(want.value);
    // A product may be past the largest number.
    let rounded = T::from_f64(want.value).to_f64();
    let value = if rounded.is_infinite() { rounded } else { want.value };
    assert!(
        agrees(got, value, allowed),
        "{what} at {i}: {:e}, exactly {:e}, where {allowed:e} is allowed",
        got.to_f64(),
        want.value
    );
}

fn ops(shapes: &[&str]) -> impl Iterator<Item = &'static Op> {
    OPS.iter().filter(move |op| shapes.contains(&op.shape))
}

/// An element-wise op in every form, at places of its result.
fn elements<T: Element>(op: &Op, x: [&[T]; 3], random: usize) {
    let n = x[0].len();
    let at = places(n, random);
    let some = x.map(|x| at.iter().map(|i| x[*i]).collect::<Vec<T>>());
    let want = answer_native(op, arguments([&some[0], &some[1], &some[2]], 1, 1));
    for form in [Form::Native, Form::InPlace, Form::Parallel] {
        let what = format!("{} {} n={n} {form:?}", op.name, T::NAME);
        let mut y = if form == Form::InPlace { x[0].to_vec() } else { vec![T::from_f64(STALE); n] };
        let mut out = Out { y: &mut y, index: &mut [] };
        let done = POOLS[n % 2].install(|| call(native(), op.name, form, arguments(x, 1, 1), &mut out));
        let Some(done) = done else { continue };
        assert_eq!(done, Ok(()), "{what}");
        let stale = bits(T::from_f64(STALE));
        assert!(y.iter().all(|y| bits(*y) != stale), "{what}: an element was not written");
        for (i, want) in at.iter().zip(&want) {
            agree(&what, op, *i, y[*i], want, [&[], &[]]);
        }
    }
}

/// The references want a set of lanes where a bound depends on them.
fn answer_native<T: Element>(op: &Op, a: Args<'_, T>) -> Vec<Want> {
    fn of<S: fulmen::lanes::Simd, T: Element>(_: S, op: &Op, a: Args<'_, T>) -> Vec<Want> {
        answer::<S, T>(op, a).y
    }
    of(native(), op, a)
}

/// Every element-wise op past all thresholds.
fn far<T: Element>() {
    let n = threshold("lanes::drive::STREAM_BYTES") / size_of::<T>() / 2 + 4099;
    let mut r = Stream::new(3);
    let x = [(); 3].map(|()| r.slice::<T>(n, 3.0));
    let off = x.each_ref().map(|x| &x[1..]);
    for op in ops(&["unary", "binary", "ternary", "update"]) {
        elements(op, off, 300);
    }
}

#[test]
fn element_wise_far_of_the_type() {
    far::<crate::Tested>();
}

/// The cheapest op of each shape around every threshold, every element of it: the loop is the same for all.
fn loops<T: Element>(apart: usize) {
    let most = threshold("lanes::drive::STREAM_BYTES") / size_of::<T>();
    let mut r = Stream::new(5);
    let all = [(); 3].map(|()| r.slice::<T>(most + 8, 4.0));
    let half = T::from_f64(0.5);
    for n in around::<T>(most + 1) {
        // Up to the largest on every boundary.
        let start = if n > 1 << 20 { apart } else { (n + apart) % 4 };
        let [a, b, c] = all.each_ref().map(|x| &x[start..start + n]);
        let stale = T::from_f64(STALE);
        let mut y = vec![stale; n + 8];
        let shift = n % 5;
        let hold = |what: &str, y: &[T], want: &dyn Fn(usize) -> f64| {
            for i in 0..n {
                let (got, want) = (y[shift + i], T::from_f64(want(i)));
                assert!(
                    bits(got) == bits(want),
                    "{what} {} n={n}: at {i} {:e}, not {:e}",
                    T::NAME,
                    got.to_f64(),
                    want.to_f64()
                );
            }
            let outside = y[..shift].iter().chain(&y[shift + n..]);
            assert!(
                outside.into_iter().all(|y| bits(*y) == bits(stale)),
                "{what} {} n={n}: wrote outside",
                T::NAME
            );
        };
        let out = |y: &mut Vec<T>| y.fill(stale);
        fulmen::neg(a, &mut y[shift..shift + n]).unwrap();
        hold("neg", &y, &|i| -a[i].to_f64());
        out(&mut y);
        POOLS[0].install(|| parallel::neg(a, &mut y[shift..shift + n])).unwrap();
        hold("parallel neg", &y, &|i| -a[i].to_f64());
        if n > 1 << 20 && n != most && n != most / 2 && n != most / 3 {
            continue;
        }
        out(&mut y);
        y[shift..shift + n].copy_from_slice(a);
        fulmen::neg_in_place(&mut y[shift..shift + n]).unwrap();
        hold("neg_in_place", &y, &|i| -a[i].to_f64());
        out(&mut y);
        fulmen::maximum(a, b, &mut y[shift..shift + n]).unwrap();
        hold("maximum", &y, &|i| a[i].to_f64().max(b[i].to_f64()));
        out(&mut y);
        POOLS[1].install(|| parallel::maximum(a, b, &mut y[shift..shift + n])).unwrap();
        hold("parallel maximum", &y, &|i| a[i].to_f64().max(b[i].to_f64()));
        out(&mut y);
        y[shift..shift + n].copy_from_slice(a);
        POOLS[0].install(|| parallel::axpy(half, b, &mut y[shift..shift + n])).unwrap();
        hold("parallel axpy", &y, &|i| (half * b[i] + a[i]).to_f64());
        out(&mut y);
        fulmen::fma(a, b, c, &mut y[shift..shift + n]).unwrap();
        // Fused in `f32`, as products of 24 bits are exact in `f64`.
        if T::NAME == "f32" {
            let want: Vec<f64> =
                (0..n).map(|i| a[i].to_f64().mul_add(b[i].to_f64(), c[i].to_f64())).collect();
            for i in 0..n {
                let (got, want) = (y[shift + i].to_f64(), want[i]);
                assert!(
                    (got - want).abs() <= 2e-6 * (1.0 + want.abs()),
                    "fma n={n}: at {i} {got:e}, not {want:e}"
                );
            }
        }
    }
}

#[test]
fn loops_at_thresholds_of_the_type() {
    loops::<crate::Tested>(size_of::<crate::Tested>() / 4);
}

/// Reductions around every threshold, and over several leaves of the tree.
fn reductions<T: Element>() {
    let leaf = threshold("lanes::fold::LEAF_VECTORS") * width::<T>();
    let mut lengths = around::<T>(40_000);
    lengths.extend([
        leaf - 1,
        leaf,
        leaf + 1,
        2 * leaf + 1,
        3 * leaf - 1,
        3 * leaf + 1,
        4 * leaf + 3,
        5 * leaf + 1,
    ]);
    lengths.push(threshold("lanes::drive::GRAIN") * 9 + 5);
    let mut r = Stream::new(7);
    let [a, b] = [(); 2].map(|()| r.slice::<T>(5 * leaf + 400_000, 3.0));
    for (turn, n) in lengths.into_iter().enumerate() {
        let x = [&a[turn % 7..][..n], &b[turn % 3..][..n], &[]];
        let wide = [x[0], x[1]].map(|x| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        for op in ops(&["total", "reduce", "reduce2", "arg"]) {
            // The pairs take the longest to verify.
            if n > 20_000 && turn % 2 == 1 && ["stddev", "norm_l1", "sum_kahan", "argmin"].contains(&op.name)
            {
                continue;
            }
            let args = arguments(x, n, 1);
            let want = answer::<fulmen::lanes::Portable<16>, T>(op, args);
            for form in [Form::Native, Form::Parallel] {
                let what = format!("{} {} n={n} {form:?}", op.name, T::NAME);
                let (mut y, mut index) = ([T::from_f64(STALE)], [u32::MAX]);
                let mut out = Out { y: &mut y, index: &mut index };
                let done = POOLS[turn % 2].install(|| call(native(), op.name, form, args, &mut out));
                assert_eq!(done, Some(Ok(())), "{what}");
                match want.y.first() {
                    // Of the products' magnitudes, which are at most the norms.
                    Some(w) if ["cosine_similarity", "correlation"].contains(&op.name) => {
                        agree(&what, op, 0, y[0], &Want { terms: 1.0, ..*w }, [&wide[0], &wide[1]]);
                    }
                    Some(w) => agree(&what, op, 0, y[0], w, [&wide[0], &wide[1]]),
                    None => assert_eq!(index[0], want.index[0], "{what}"),
                }
            }
        }
    }
}

#[test]
fn reductions_of_the_type() {
    reductions::<crate::Tested>();
}

/// The extremum at every kind of place, one larger than the rest.
#[test]
fn extrema_at_thresholds() {
    for n in around::<crate::Tested>(300_000) {
        let mut x: Vec<crate::Tested> = (0..n).map(|i| (i % 977) as crate::Tested).collect();
        let found = places(n, 20);
        for at in found.iter().step_by(1 + found.len() / 60) {
            let old = std::mem::replace(&mut x[*at], 5000.0);
            assert_eq!(fulmen::argmax(&x), Ok(*at), "n={n}");
            assert_eq!(fulmen::max(&x), Ok(5000.0), "n={n}");
            x[*at] = -1.0;
            assert_eq!(fulmen::argmin(&x), Ok(*at), "n={n}");
            assert_eq!(POOLS[0].install(|| parallel::argmin(&x)), Ok(*at), "n={n}");
            assert_eq!(POOLS[0].install(|| parallel::min(&x)), Ok(-1.0), "n={n}");
            x[*at] = old;
        }
    }
}

#[test]
fn top_k_at_thresholds() {
    for (turn, n) in around::<crate::Tested>(40_000).into_iter().enumerate() {
        let mut x = Stream::new(n as u64).slice::<crate::Tested>(n, 3.0);
        // The last one is the largest, or the first.
        x[if turn % 2 == 0 { n - 1 } else { 0 }] = 4.0;
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by(|&i, &j| x[j as usize].partial_cmp(&x[i as usize]).unwrap().then(i.cmp(&j)));
        for k in [1, 3, 65, n / 2, n].into_iter().filter(|k| *k <= n && (turn % 4 == 0 || *k < 100)) {
            let (mut values, mut index) = (vec![0.0; k], vec![0; k]);
            fulmen::top_k(&x, k, &mut values, &mut index).unwrap();
            assert_eq!(index, order[..k], "n={n} k={k}");
            assert!(values.iter().zip(&index).all(|(v, i)| *v == x[*i as usize]), "n={n} k={k}");
        }
    }
}

/// Ops on rows: few rows with columns around every threshold, and many short ones.
fn rows<T: Element>() {
    let most = threshold("nn::softmax::LONG_ROW") / size_of::<T>() + 1;
    let grain = threshold("nn::GRAIN");
    let mut shapes: Vec<[usize; 2]> =
        around::<T>(most).into_iter().map(|c| [if c > 9000 { 1 } else { 3 }, c]).collect();
    shapes.extend([
        [2, most],
        [grain / 33 + 1, 33],
        [grain / 33 * 9, 33],
        [40_003, 3],
        [5, grain / 2 + 1],
        [1, 6000],
        [2, 12_345],
    ]);
    let mut r = Stream::new(11);
    let all = r.slice::<T>(2 * most + grain * 10, 4.0);
    let scales = [(); 2].map(|()| r.slice::<T>(most + 70_000, 2.0));
    for (turn, [rows, cols]) in shapes.into_iter().enumerate() {
        let n = rows * cols;
        let x = &all[turn % 5..][..n];
        for op in ops(&["rows", "rows_eps", "rows_scale", "rows_affine"]) {
            // Large means take the tolerance of their own in tests/rows.rs.
            let args = arguments([x, &scales[0], &scales[1]], cols, 1);
            let want = answer_native(op, args);
            for form in [Form::Native, Form::InPlace, Form::Parallel] {
                let what = format!("{} {} {rows} × {cols} {form:?}", op.name, T::NAME);
                let mut y = if form == Form::InPlace { x.to_vec() } else { vec![T::from_f64(STALE); n] };
                let mut out = Out { y: &mut y, index: &mut [] };
                let done = POOLS[turn % 2].install(|| call(native(), op.name, form, args, &mut out));
                assert_eq!(done, Some(Ok(())), "{what}");
                for (i, want) in want.iter().enumerate() {
                    agree(&what, op, i, y[i], want, [&[], &[]]);
                }
            }
        }
    }
}

#[test]
fn rows_of_the_type() {
    rows::<crate::Tested>();
}
