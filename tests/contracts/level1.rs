//! Edge cases and postconditions of level 1 and the transpose, whose arguments are views.

use common::cases::{params, values};
use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::{Contract, EdgeCase};
use fulmen::contract::{Call, Tolerance, agrees, evaluate, spec, ulp};
use fulmen::lanes::Simd;
use fulmen::*;

const OPS: [&str; 13] = [
    "swap",
    "copy",
    "scal",
    "axpy_strided",
    "dot_strided",
    "nrm2",
    "asum",
    "iamax",
    "rot",
    "rotm",
    "rotg",
    "rotmg",
    "transpose",
];

/// Those whose elements have nothing to do with each other.
const ELEMENTWISE: [&str; 6] = ["swap", "copy", "scal", "axpy_strided", "rot", "rotm"];

/// A vector that is spread over a slice.
struct Spread<T> {
    data: Vec<T>,
    first: usize,
    len: usize,
    stride: isize,
}

impl<T: Element> Spread<T> {
    fn new(x: &[T], stride: isize) -> Self {
        let room = x.len().saturating_sub(1) * stride.unsigned_abs();
        let first = 3 + if stride < 0 { room } else { 0 };
        let mut s = Self { data: vec![T::from_f64(-77.0); room + 7], first, len: x.len(), stride };
        for (i, x) in x.iter().enumerate() {
            assert!(s.write().set(i, *x));
        }
        s
    }
    fn read(&self) -> VecRef<'_, T> {
        VecRef::strided(&self.data, self.first, self.len, self.stride).unwrap()
    }
    fn write(&mut self) -> VecMut<'_, T> {
        VecMut::strided(&mut self.data, self.first, self.len, self.stride).unwrap()
    }
    fn values(&self) -> Vec<T> {
        (0..self.len).map(|i| self.read().get(i).unwrap()).collect()
    }
}

/// What is written, one after the other, and an index.
type Outcome<T> = Result<(Vec<T>, Option<u32>), Error>;

/// Calls `op`; the strides are those of the vectors, or whether the matrices lie by columns.
fn apply<S: Simd, T: Element>(
    s: S,
    op: &str,
    inputs: &[Vec<T>],
    shapes: &[[usize; 2]],
    params: &[T],
    strides: [isize; 2],
) -> Outcome<T> {
    let empty = Vec::new();
    let input = |i: usize| inputs.get(i).unwrap_or(&empty);
    let (mut x, mut y) = (Spread::new(input(0), strides[0]), Spread::new(input(1), strides[1]));
    let both = |x: &Spread<T>, y: &Spread<T>| Ok(([x.values(), y.values()].concat(), None));
    match op {
        "swap" => swap_on(s, x.write(), y.write()).and_then(|()| both(&x, &y)),
        "copy" => copy_on(s, x.read(), y.write()).map(|()| (y.values(), None)),
        "scal" => {
            scal_on(s, params[0], x.write());
            Ok((x.values(), None))
        }
        "axpy_strided" => axpy_strided_on(s, params[0], x.read(), y.write()).map(|()| (y.values(), None)),
        "dot_strided" => dot_strided_on(s, x.read(), y.read()).map(|d| (vec![d], None)),
        "nrm2" => Ok((vec![nrm2_on(s, x.read())], None)),
        "asum" => Ok((vec![asum_on(s, x.read())], None)),
        "iamax" => iamax_on(s, x.read()).map(|i| (Vec::new(), Some(i as u32))),
        "rot" => rot_on(s, x.write(), y.write(), params[0], params[1]).and_then(|()| both(&x, &y)),
        "rotm" => {
            let h = RotM::from_param(params.try_into().unwrap())?;
            rotm_on(s, x.write(), y.write(), &h).and_then(|()| both(&x, &y))
        }
        "rotg" => {
            let pairs = inputs[0].iter().zip(&inputs[1]).map(|(a, b)| rotg_on(s, *a, *b));
            Ok((pairs.flat_map(|g| [g.r, g.z, g.c, g.s]).collect(), None))
        }
        "rotmg" => {
            let calls = (0..inputs[0].len()).map(|i| {
                let [d1, d2, x1, y1] = [0, 1, 2, 3].map(|k| inputs[k][i]);
                rotmg_on(s, d1, d2, x1, y1)
            });
            let row = |g: ModifiedGivens<T>| [&[g.d1, g.d2, g.x1][..], &g.h.param()].concat();
            Ok((calls.flat_map(row).collect(), None))
        }
        "transpose" => {
            let [[m, n], [r, c]] = [shapes[0], shapes[1]];
            let by_columns = strides.map(|s| s < 0);
            let lay = |x: &[T], [r, c]: [usize; 2], by_columns: bool| -> Vec<T> {
                let at = |k: usize| if by_columns { k % r * c + k / r } else { k };
                (0..x.len()).map(|k| x[at(k)]).collect()
            };
            let (a, mut b) = (lay(&inputs[0], [m, n], by_columns[0]), lay(&inputs[1], [r, c], by_columns[1]));
            let a = if by_columns[0] { MatRef::col_major(&a, m, n) } else { MatRef::row_major(&a, m, n) };
            let view =
                if by_columns[1] { MatMut::col_major(&mut b, r, c) } else { MatMut::row_major(&mut b, r, c) };
            transpose_on(s, a?, view?)?;
            Ok((lay(&b, if by_columns[1] { [c, r] } else { [r, c] }, by_columns[1]), None))
        }
        _ => unreachable!(),
    }
}

/// The magnitudes that the formula of element `i` of the result adds.
fn terms<T: Element>(op: &str, inputs: &[Vec<f64>], params: &[T], i: usize) -> f64 {
    let n = inputs[0].len();
    let at = |k: usize| inputs[k][i % n];
    let p = |k: usize| params[k].to_f64();
    match op {
        "axpy_strided" => (p(0) * at(0)).abs() + at(1).abs(),
        "rot" if i < n => (p(0) * at(0)).abs() + (p(1) * at(1)).abs(),
        "rot" => (p(0) * at(1)).abs() + (p(1) * at(0)).abs(),
        "rotm" => {
            let h = RotM::from_param(params.try_into().unwrap()).unwrap().matrix()[usize::from(i >= n)];
            // The identity does not multiply.
            let term = |h: T, x: f64| if h == T::ZERO { 0.0 } else { (h.to_f64() * x).abs() };
            term(h[0], at(0)) + term(h[1], at(1))
        }
        _ => 0.0,
    }
}

fn edge<S: Simd, T: Element>(s: S, c: &Contract, e: &EdgeCase) {
    let op = c.op.as_str();
    let tolerance = spec(op).and_then(|s| s.tolerance(T::NAME)).unwrap();
    let params = params::<T>(c, e, T::NAME);
    let once: Vec<Vec<T>> = e.inputs.iter().map(|x| values(x, T::NAME, 1)).collect();
    let many = if ELEMENTWISE.contains(&op) && e.error.is_none() { 53 } else { 1 };
    for copies in [1, many] {
        for strides in [[1, 1], [1, 2], [-1, -1], [3, -2], [-5, 1]] {
            let at = format!("{op} `{}` {} on {}, {copies} times, {strides:?}", e.name, T::NAME, S::NAME);
            let inputs: Vec<Vec<T>> = once.iter().map(|x| x.repeat(copies)).collect();
            let got = apply(s, op, &inputs, e.shapes.as_deref().unwrap(), &params, strides);
            if let Some(error) = &e.error {
                let got = got.expect_err(&at);
                assert!(format!("{got:?}").starts_with(error.as_str()), "{at}: {got:?}");
                continue;
            }
            let (got, index) = got.unwrap_or_else(|e| panic!("{at}: {e}"));
            if let Some(want) = &e.indices {
                assert_eq!(index.as_slice(), want.as_slice(), "{at}");
                continue;
            }
            let want: Vec<f64> = e.out.as_ref().unwrap().iter().map(|x| x.exact(T::NAME)).collect();
            // Each vector that is written is repeated.
            let part = if many > 1 { once[0].len().max(1) } else { want.len().max(1) };
            let want: Vec<f64> = want.chunks(part).flat_map(|x| x.repeat(copies)).collect();
            assert_eq!(got.len(), want.len(), "{at}");
            let exact: Vec<Vec<f64>> =
                inputs.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
            let scope: Vec<&[f64]> = exact.iter().map(Vec::as_slice).collect();
            let mut errors = common::Errors::of(op, T::NAME, S::NAME);
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                let rounded = matches!(tolerance, Tolerance::Exact | Tolerance::Ulp(_));
                // What the file says is rounded to f64.
                let (want, allowed) = if rounded {
                    (T::from_f64(want).to_f64(), 0.0)
                } else {
                    let terms = terms(op, &exact, &params, i);
                    (want, tolerance.allowed::<T>(want, &scope, terms) + 0.5 * ulp::<f64>(want))
                };
                errors.see((got.to_f64() - want).abs(), allowed, scope.first().map_or(1, |x| x.len()));
                let zeros = want == 0.0 && got.to_f64() == 0.0;
                let sign = !zeros || want.is_sign_negative() == got.to_f64().is_sign_negative();
                assert!(
                    sign && agrees(*got, want, allowed),
                    "{at}: element {i} is {got:?}, expected {want:e} within {allowed:e}"
                );
            }
        }
    }
}

#[test]
fn edge_cases() {
    for op in OPS {
        let c = contract(op);
        assert!(c.edge_cases.len() >= 7, "{op}");
        for e in &c.edge_cases {
            for_each_lane!(|s| {
                edge::<_, f32>(s, c, e);
                edge::<_, f64>(s, c, e);
            });
        }
    }
}

/// Numbers of many magnitudes, some of them special.
fn noise<T: Element>(n: usize, seed: usize) -> Vec<T> {
    let number = |eighths: usize| match eighths {
        0 => T::NAN,
        1 => -T::INFINITY,
        2 => T::from_f64(-0.0),
        3 => T::ZERO,
        x => T::from_f64((x as f64 / 8.0 - 6.0) * [1.0, 1e-30, 1e30][x % 3]),
    };
    common::scaling::eighths(seed).take(n).map(number).collect()
}

fn spread<S: Simd, T: Element>(s: S, op: &str) -> usize {
    let c = contract(op);
    let samples: Vec<T> = c.call.params.iter().map(|p| T::from_f64(p.sample.value(T::NAME))).collect();
    let posts = spec(op).unwrap().post;
    let mut nans = 0;
    for (seed, n) in (0..40).chain([63, 64, 65, 130, 257]).enumerate() {
        let inputs: Vec<Vec<T>> = (0..c.call.inputs.len()).map(|k| noise(n, seed + 31 * k)).collect();
        let strides = [[1, 1], [2, 1], [-1, 3]][seed % 3];
        let shapes = if op == "transpose" { [[1, n], [n, 1]] } else { [[n, 1]; 2] };
        let Ok((out, index)) = apply(s, op, &inputs, &shapes, &samples, strides) else {
            assert!(op == "iamax" && n == 0, "{op}");
            continue;
        };
        nans += out.iter().filter(|x| x.to_f64().is_nan()).count();
        let at = |i: usize| inputs.iter().map(move |x| vec![x[i % n]]).collect::<Vec<_>>();
        let ask = |inputs: &[Vec<T>], out: &[T], indices: &[u32]| {
            let inputs: Vec<&[T]> = inputs.iter().map(Vec::as_slice).collect();
            let checked = evaluate(posts, &Call::new(&inputs, out).indices(indices));
            assert_eq!(checked, Ok(()), "{op}, {n} elements, {} on {}", T::NAME, S::NAME);
        };
        match op {
            // NaN counts as the largest.
            "iamax" => {
                let largest = T::from_f64(f64::INFINITY);
                let key = |x: &T| match x.to_f64().abs() {
                    x if x.is_nan() => largest,
                    x if x.is_infinite() => T::from_f64(1e37),
                    x => T::from_f64(x),
                };
                ask(&[inputs[0].iter().map(key).collect()], &[], index.as_slice());
            }
            "rotg" => out.chunks(4).enumerate().for_each(|(i, g)| ask(&at(i), &g[..1], &[])),
            // A negative first weight gives zeros, and the identity leaves x1.
            "rotmg" => out.chunks(8).enumerate().for_each(|(i, g)| {
                if at(i)[0][0] >= T::ZERO && g[3] != T::from_f64(-2.0) {
                    ask(&at(i), &g[2..3], &[]);
                }
            }),
            "transpose" => (0..n).for_each(|i| ask(&at(i)[..1], &out[i..=i], &[])),
            _ if ELEMENTWISE.contains(&op) => {
                out.iter().enumerate().for_each(|(i, y)| ask(&at(i), &[*y], &[]));
            }
            _ => ask(&inputs, &out, &[]),
        }
    }
    nans
}

#[test]
fn postconditions() {
    for op in OPS {
        for_each_lane!(|s| {
            let nans = spread::<_, f32>(s, op) + spread::<_, f64>(s, op);
            assert!(nans > 10 || op == "iamax", "{op}: {nans} results are NaN");
        });
    }
}

fn scaled<S: Simd, T: Element>(s: S, op: &str) -> usize {
    let c = contract(op);
    let one = |(seed, n): (usize, usize)| {
        common::scaling::holds(c, |factor| {
            let inputs = c.call.inputs.iter().enumerate().map(|(k, name)| {
                common::scaling::moderate::<T>(seed + 31 * k).take(n).map(|x| x * factor(name)).collect()
            });
            let params = c.call.params.iter().map(|p| T::from_f64(p.sample.value(T::NAME)) * factor(&p.name));
            let (inputs, params): (Vec<Vec<T>>, Vec<T>) = (inputs.collect(), params.collect());
            let strides = [[1, 1], [2, 1], [-1, 3]][seed % 3];
            vec![apply(s, op, &inputs, &[[n, 1]; 2], &params, strides).unwrap().0]
        })
    };
    [1, 7, 16, 65, 130, 257].into_iter().enumerate().map(one).sum()
}

#[test]
fn invariants() {
    let mut stated = 0;
    for op in OPS.into_iter().filter(|op| contract(op).equations.values().any(|e| !e.invariants.is_empty())) {
        stated += 1;
        let s = fulmen::lanes::native();
        let compared = scaled::<_, f32>(s, op) + scaled::<_, f64>(s, op);
        assert!(compared >= 24, "{op}: {compared} elements compared");
    }
    assert!(stated >= 4, "{stated} ops of level 1 have invariants");
}
