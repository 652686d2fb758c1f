//! The invariants of the contracts, called on every lane; and what the ops that move bits guarantee of NaN.

use crate::contracts::edge::apply;
use crate::contracts::post::data;
use common::call::{Form, Out};
use common::lanes::*;
use common::yaml;
use common::yaml::schema::{Contract, Invariant, Output, Shape};
use fulmen::Element;
use fulmen::contract::ulp;
use fulmen::lanes::Simd;

/// The result of one call.
fn of<S: Simd, T: Element>(s: S, c: &Contract, ty: &str, inputs: &[&[T]]) -> Vec<T> {
    scaled(s, c, ty, inputs, &|_| T::ONE)
}

/// Of a call with each argument times a factor.
fn scaled<S: Simd, T: Element>(
    s: S,
    c: &Contract,
    ty: &str,
    inputs: &[&[T]],
    factor: &dyn Fn(&str) -> T,
) -> Vec<T> {
    let times = |(x, name): (&&[T], &String)| x.iter().map(|x| *x * factor(name)).collect();
    let inputs: Vec<Vec<T>> = inputs.iter().zip(&c.call.inputs).map(times).collect();
    let params = c.call.params.iter().map(|p| T::from_f64(p.sample.value(ty)) * factor(&p.name));
    let params: Vec<T> = params.collect();
    let n = if c.call.output == Output::Scalar { 1 } else { inputs[0].len() };
    let mut y = vec![T::from_f64(-77.0); n];
    let called = apply(s, c, Form::On, &inputs, &params, 0, &mut Out { y: &mut y, index: &mut [] });
    called.expect("every op has this form").unwrap_or_else(|e| panic!("{}: {e}", c.op));
    y
}

/// The same bits, or both NaN.
fn same<T: Element>(a: T, b: T) -> bool {
    let (a, b) = (a.to_f64(), b.to_f64());
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn negated<T: Element>(x: &[T]) -> Vec<T> {
    x.iter().map(|x| -*x).collect()
}

/// How many elements were compared.
fn holds<S: Simd, T: Element>(s: S, c: &Contract, ty: &str, inv: &Invariant, n: usize, kind: usize) -> usize {
    let (a, b) = (data::<T>(kind, n, kind, ty), data::<T>(kind, n, kind + 10, ty));
    let one = |x: &[T]| of(s, c, ty, &[x]);
    let two = |a: &[T], b: &[T]| of(s, c, ty, &[a, b]);
    let fixed = |v: &yaml::schema::Scalar| vec![T::from_f64(v.value(ty)); n];
    let equal = |got: Vec<T>, want: Vec<T>| -> Vec<(T, T, bool)> {
        assert_eq!(got.len(), want.len());
        got.into_iter().zip(want).map(|(g, w)| (g, w, same(g, w))).collect()
    };
    let compared = match inv {
        Invariant::Odd {} => equal(one(&negated(&a)), negated(&one(&a))),
        Invariant::Even {} => equal(one(&negated(&a)), one(&a)),
        Invariant::Idempotent {} => equal(one(&one(&a)), one(&a)),
        Invariant::Involution {} => equal(one(&one(&a)), a.clone()),
        Invariant::Commutative {} => equal(two(&a, &b), two(&b, &a)),
        Invariant::Anticommutative {} => {
            let both = equal(two(&a, &b), negated(&two(&b, &a)));
            both.into_iter().map(|(g, w, ok)| (g, w, ok || g == w)).collect()
        }
        Invariant::OfEqual {} => equal(two(&a, &a), a.clone()),
        Invariant::FirstIs { value, out } => {
            equal(two(&fixed(value), &b), out.as_ref().map_or(b.clone(), fixed))
        }
        Invariant::SecondIs { value, out } => {
            equal(two(&a, &fixed(value)), out.as_ref().map_or(a.clone(), fixed))
        }
        Invariant::Reflects { ulps } => {
            let (y, z) = (one(&a), one(&negated(&a)));
            let near = |x: T, y: T, z: T| {
                let x = x.to_f64();
                !x.is_finite() || (y.to_f64() - z.to_f64() - x).abs() <= ulps * ulp::<T>(x)
            };
            a.iter().zip(y).zip(z).map(|((x, y), z)| (y, z, near(*x, y, z))).collect()
        }
        Invariant::Complements { ulps } => {
            let near = |y: T, z: T| {
                let sum = y.to_f64() + z.to_f64();
                sum.is_nan() || (sum - 1.0).abs() <= ulps * ulp::<T>(1.0)
            };
            one(&a).into_iter().zip(one(&negated(&a))).map(|(y, z)| (y, z, near(y, z))).collect()
        }
        // Numbers of any size round where they leave the normal ones.
        Invariant::Scales { .. } if kind == 2 => return 0,
        Invariant::Scales { .. } => {
            let inputs = &[&a[..], &b][..c.call.inputs.len()];
            return common::scaling::one_holds(c, inv, |factor| vec![scaled(s, c, ty, inputs, factor)]);
        }
    };
    for (i, (got, want, ok)) in compared.iter().enumerate() {
        assert!(ok, "{} {ty} on {}, {inv:?}, kind {kind} at {i}: {got:?} and {want:?}", c.op, S::NAME);
    }
    compared.len()
}

fn on<S: Simd>(s: S, c: &Contract, inv: &Invariant) -> usize {
    let mut compared = 0;
    for n in [1, 2, 17, 133] {
        for kind in 0..6 {
            compared +=
                holds::<S, f32>(s, c, "f32", inv, n, kind) + holds::<S, f64>(s, c, "f64", inv, n, kind);
        }
    }
    compared
}

#[test]
fn every_invariant_holds() {
    let (mut stated, mut compared) = (0, 0);
    // Those of other calls are beside their cases.
    let here = |c: &Contract| !c.call.shape.own_call() && c.call.shape != Shape::Gemm;
    for (_, c) in yaml::get().contracts().filter(|(_, c)| here(c)) {
        for inv in c.equations.values().flat_map(|e| &e.invariants) {
            stated += 1;
            for_each_lane!(|s| compared += on(s, c, inv));
        }
    }
    assert!(stated >= 40 && compared >= stated * 48, "{stated} stated, {compared} elements compared");
}

/// The bits of every NaN: both signs, quiet, payloads from all over the field. Signalling ones are left out, as loading
/// one may quieten it on some hosts.
fn nans(single: bool) -> Vec<u64> {
    let (quiet, sign, low) =
        if single { (0x7fc0_0000u64, 1u64 << 31, 22) } else { (0x7ff8_0000_0000_0000, 1u64 << 63, 51) };
    (0..low).flat_map(|k| [quiet | 1 << k, quiet | ((1 << k) - 1)]).flat_map(|b| [b, b | sign]).collect()
}

/// `neg`, `abs` and `copysign` work on the sign bit alone, NaN's too; in the vector body and in the tail.
fn signs<S: Simd>(s: S) {
    macro_rules! check {
        ($T:ty, $bits:ty, $single:literal) => {{
            let sign: $bits = 1 << (<$bits>::BITS - 1);
            let x: Vec<$T> = nans($single).into_iter().map(|b| <$T>::from_bits(b as $bits)).collect();
            for n in [x.len(), x.len() - 1, 3] {
                let x = &x[..n];
                let to: Vec<$T> = (0..n).map(|i| if i % 3 == 0 { -0.0 } else { 2.0 }).collect();
                let mut y = vec![0.0; n];
                let compare = |what: &str, y: &[$T], want: &dyn Fn(usize) -> $bits| {
                    for (i, y) in y.iter().enumerate() {
                        let (got, want) = (y.to_bits(), want(i));
                        assert!(got == want, "{what} {} at {i} of {n}: {got:#x}, not {want:#x}", S::NAME);
                    }
                };
                fulmen::neg_on(s, x, &mut y).unwrap();
                compare("neg", &y, &|i| x[i].to_bits() ^ sign);
                fulmen::abs_on(s, x, &mut y).unwrap();
                compare("abs", &y, &|i| x[i].to_bits() & !sign);
                fulmen::copysign_on(s, x, &to, &mut y).unwrap();
                compare("copysign", &y, &|i| x[i].to_bits() & !sign | to[i].to_bits() & sign);
                // NaN gives its sign, too.
                fulmen::copysign_on(s, &to, x, &mut y).unwrap();
                compare("copysign of NaN's sign", &y, &|i| to[i].to_bits() & !sign | x[i].to_bits() & sign);
            }
        }};
    }
    check!(f32, u32, true);
    check!(f64, u64, false);
}

#[test]
fn signs_are_bits_of_nan_too() {
    for_each_lane!(|s| signs(s));
}
