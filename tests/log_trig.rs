//! Logarithms, powers, trigonometric and inverse hyperbolic functions: error, special values, and
//! that a value does not depend on its neighbours, on every lane.

use common::Errors;
use common::lanes::*;
use fulmen::lanes::Simd;
use fulmen::{
    Acos, Acosh, Asin, Asinh, Atan, Atanh, Body, Cos, Element, Ln, Ln1p, Log2, Log10, Pow, Real, Sin, Tan,
    map_on,
};

/// Calls `$f!(name, Body, reference, bound in ulp, values at +0, 1, ∞, −1, −∞)` for each function.
macro_rules! for_each_function {
    ($f:ident) => {
        $f!("ln", Ln, f64::ln, 1.0, [-INF, 0.0, INF, NAN, NAN]);
        $f!("log2", Log2, f64::log2, 1.0, [-INF, 0.0, INF, NAN, NAN]);
        $f!("log10", Log10, f64::log10, 1.0, [-INF, 0.0, INF, NAN, NAN]);
        $f!("ln_1p", Ln1p, f64::ln_1p, 2.0, [0.0, LN_2, INF, -INF, NAN]);
        $f!("sin", Sin, f64::sin, 1.0, [0.0, 1f64.sin(), NAN, -1f64.sin(), NAN]);
        $f!("cos", Cos, f64::cos, 1.0, [1.0, 1f64.cos(), NAN, 1f64.cos(), NAN]);
        $f!("tan", Tan, f64::tan, 2.0, [0.0, 1f64.tan(), NAN, -1f64.tan(), NAN]);
        $f!("asin", Asin, f64::asin, 2.0, [0.0, FRAC_PI_2, NAN, -FRAC_PI_2, NAN]);
        $f!("acos", Acos, f64::acos, 2.0, [FRAC_PI_2, 0.0, NAN, PI, NAN]);
        $f!("atan", Atan, f64::atan, 2.0, [0.0, FRAC_PI_4, FRAC_PI_2, -FRAC_PI_4, -FRAC_PI_2]);
        $f!("asinh", Asinh, f64::asinh, 2.0, [0.0, 1f64.asinh(), INF, -1f64.asinh(), -INF]);
        $f!("acosh", Acosh, f64::acosh, 2.0, [NAN, 0.0, INF, NAN, NAN]);
        $f!("atanh", Atanh, f64::atanh, 2.0, [0.0, INF, NAN, -INF, NAN]);
    };
}

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2, PI};
const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// One unit in the last place of the binade of `x`, for `p` stored bits and least exponent `least`.
fn ulp(x: f64, p: i32, least: i32) -> f64 {
    let e = ((x.abs().to_bits() >> 52) as i32 - 1023).max(least) - p;
    if e >= -1022 { f64::from_bits(((e + 1023) as u64) << 52) } else { f64::from_bits(1 << (e + 1074)) }
}

/// The values of `body`, with `x` as its input.
fn run<S: Simd, T: Element, B: Body<T, 1>>(s: S, body: B, x: &[T]) -> Vec<T> {
    let mut y = vec![T::ZERO; x.len()];
    map_on(s, body, [x], &mut y).unwrap();
    y
}

/// Bit patterns `STRIDE` apart over all of `f32`; `STRIDE` is odd, so every exponent meets many
/// different significands.
const STRIDE: usize = if cfg!(debug_assertions) { 499_979 } else { 997 };

fn single_sweep<S: Simd>(s: S) {
    let x: Vec<f32> = (0..=u32::MAX).step_by(STRIDE).map(f32::from_bits).collect();
    macro_rules! check {
        ($name:literal, $body:ident, $reference:expr, $bound:literal, $special:expr) => {
            let mut errors = Errors::of($name, "f32", S::NAME);
            for (&x, y) in x.iter().zip(run(s, $body, &x)) {
                let exact: f64 = $reference(f64::from(x));
                if exact.is_nan() {
                    assert!(y.is_nan(), "{} {}({x:e}) = {y:e}, not NaN", S::NAME, $name);
                    continue;
                }
                let error = (f64::from(y) - exact).abs() / ulp(exact, 23, -126);
                let same = f64::from(y) == exact;
                errors.see(if same { 0.0 } else { error }, $bound, 1);
                assert!(same || error <= $bound, "{} {}({x:e}) = {y:e}: {error} ulp", S::NAME, $name);
            }
        };
    }
    for_each_function!(check);
}

#[test]
fn errors_of_f32() {
    for_each_lane!(|s| single_sweep(s));
}

/// `op x y hi lo` of the golden file.
fn golden() -> Vec<(&'static str, [f64; 4])> {
    let row = |line: &'static str| {
        let (op, words) = line.split_once(' ').unwrap();
        let mut words = words.split(' ').map(|w| f64::from_bits(u64::from_str_radix(w, 16).unwrap()));
        (op, core::array::from_fn(|_| words.next().unwrap()))
    };
    include_str!("golden/log_trig_f64.txt").lines().map(row).collect()
}

fn double_error(y: f64, hi: f64, lo: f64) -> f64 {
    if y == hi && lo == 0.0 { 0.0 } else { ((y - hi) - lo).abs() / ulp(hi, 52, -1022) }
}

fn double_golden<S: Simd>(s: S) {
    let golden = golden();
    macro_rules! check {
        ($name:literal, $body:ident, $reference:expr, $bound:literal, $special:expr) => {
            let rows: Vec<_> = golden.iter().filter(|r| r.0 == $name).collect();
            assert!(rows.len() > 40, "too few golden rows for {}", $name);
            let x: Vec<f64> = rows.iter().map(|r| r.1[0]).collect();
            let mut errors = Errors::of($name, "f64", S::NAME);
            for (r, y) in rows.iter().zip(run(s, $body, &x)) {
                let [x, _, hi, lo] = r.1;
                let error = double_error(y, hi, lo);
                errors.see(error, $bound, 1);
                assert!(error <= $bound, "{} {}({x:e}) = {y:e}: {error} ulp", S::NAME, $name);
            }
        };
    }
    for_each_function!(check);
    for (_, [x, y, hi, lo]) in golden.iter().filter(|r| r.0 == "pow") {
        let mut p = [0.0];
        map_on(s, Pow, [&[*x], &[*y]], &mut p).unwrap();
        let error = double_error(p[0], *hi, *lo);
        Errors::of("pow", "f64", S::NAME).see(error, 2.0, 1);
        assert!(error <= 2.0, "{} pow({x:e}, {y:e}) = {:e}: {error} ulp", S::NAME, p[0]);
    }
}

#[test]
fn errors_of_f64() {
    for_each_lane!(|s| double_golden(s));
}

/// Equal to the bit, or both NaN.
fn same<T: Real>(a: T, b: T) -> bool {
    let (a, b) = (a.to_f64(), b.to_f64());
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Within two units of the type.
fn close<T: Real>(a: T, b: f64) -> bool {
    let unit = if T::SIGNIFICAND == 23 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    same(a, T::from_f64(b)) || (b != 0.0 && (a.to_f64() - b).abs() <= unit * b.abs())
}

fn specials<S: Simd, T: Element>(s: S) {
    let x = [0.0, 1.0, INF, -1.0, -INF].map(T::from_f64);
    // Between ordinary values, in the places of different lanes.
    let mut mixed = vec![T::from_f64(0.3); 41];
    let place = |i: usize| 3 + 7 * i;
    for (i, x) in x.into_iter().enumerate() {
        mixed[place(i)] = x;
    }
    macro_rules! check {
        ($name:literal, $body:ident, $reference:expr, $bound:literal, $special:expr) => {
            let want: [f64; 5] = $special;
            let (y, among) = (run(s, $body, &x), run(s, $body, &mixed));
            for i in 0..5 {
                assert!(close(y[i], want[i]), "{} {}({:?}) = {:?}", S::NAME, $name, x[i], y[i]);
                assert!(same(y[i], among[place(i)]), "{} {}({:?}) beside others", S::NAME, $name, x[i]);
            }
            let zero = run(s, $body, &[T::from_f64(-0.0), T::NAN]);
            // The odd functions keep the sign of zero.
            let want = if want[0] == 0.0 { -0.0 } else { want[0] };
            assert!(close(zero[0], want), "{} {}(-0) = {:?}", S::NAME, $name, zero[0]);
            assert!(zero[1].to_f64().is_nan(), "{} {}(NaN) = {:?}", S::NAME, $name, zero[1]);
        };
    }
    for_each_function!(check);
}

#[test]
fn special_values() {
    for_each_lane!(|s| specials::<_, f32>(s));
    for_each_lane!(|s| specials::<_, f64>(s));
}

/// Arguments on both sides of every rare range.
fn neighbours<S: Simd, T: Element>(s: S) {
    let ordinary = T::from_f64(0.75);
    let x: Vec<T> =
        [0.0, 1e-310, 1e-40, -0.2, 0.5, 2.0, 1e4, 1.3e4, 8.1e5, 8.3e5, 1e18, 1e30, 1e300, INF, NAN]
            .map(T::from_f64)
            .into();
    macro_rules! check {
        ($name:literal, $body:ident, $reference:expr, $bound:literal, $special:expr) => {
            let together = run(s, $body, &x);
            for (&x, &y) in x.iter().zip(&together) {
                let alone = run(s, $body, &[x]);
                let first = run(s, $body, &[[x].as_slice(), &[ordinary; 40]].concat());
                assert!(same(y, alone[0]) && same(y, first[0]), "{} {}({x:?})", S::NAME, $name);
            }
        };
    }
    for_each_function!(check);
}

#[test]
fn a_value_does_not_depend_on_its_neighbours() {
    for_each_lane!(|s| neighbours::<_, f32>(s));
    for_each_lane!(|s| neighbours::<_, f64>(s));
}

/// ISO C, F.10.4.4.
fn powers<S: Simd, T: Element>(s: S) {
    let rows: &[(f64, f64, f64)] = &[
        (NAN, 0.0, 1.0),
        (INF, -0.0, 1.0),
        (1.0, NAN, 1.0),
        (1.0, INF, 1.0),
        (-1.0, INF, 1.0),
        (-1.0, -INF, 1.0),
        (-1.0, NAN, NAN),
        (NAN, 1.0, NAN),
        (2.0, NAN, NAN),
        (0.0, -3.0, INF),
        (-0.0, -3.0, -INF),
        (-0.0, -2.0, INF),
        (-0.0, -0.5, INF),
        (-0.0, -INF, INF),
        (0.0, 3.0, 0.0),
        (-0.0, 3.0, -0.0),
        (-0.0, 2.0, 0.0),
        (-0.0, 0.5, 0.0),
        (-8.0, 1.0 / 3.0, NAN),
        (-8.0, 3.0, -512.0),
        (-8.0, 2.0, 64.0),
        (0.5, -INF, INF),
        (-0.5, INF, 0.0),
        (2.0, -INF, 0.0),
        (-2.0, INF, INF),
        (-INF, -3.0, -0.0),
        (-INF, -2.0, 0.0),
        (-INF, 3.0, -INF),
        (-INF, 0.5, INF),
        (INF, -0.5, 0.0),
        (INF, 0.5, INF),
        (-2.0, 1e30, INF),
        (2.0, -1e30, 0.0),
        (9.0, 0.5, 3.0),
        (10.0, -2.0, 0.01),
    ];
    let x: Vec<T> = rows.iter().map(|r| T::from_f64(r.0)).collect();
    let y: Vec<T> = rows.iter().map(|r| T::from_f64(r.1)).collect();
    let mut p = vec![T::ZERO; rows.len()];
    map_on(s, Pow, [&x, &y], &mut p).unwrap();
    for (p, (x, y, want)) in p.into_iter().zip(rows) {
        assert!(close(p, *want), "{} pow({x}, {y}) = {p:?}, not {want}", S::NAME);
    }
}

#[test]
fn powers_by_annex_f() {
    for_each_lane!(|s| powers::<_, f32>(s));
    for_each_lane!(|s| powers::<_, f64>(s));
}

/// Pairs whose powers are finite, spread over the whole range of results.
fn single_powers<S: Simd>(s: S) {
    let n: u32 = if cfg!(debug_assertions) { 20_000 } else { 400_000 };
    let x: Vec<f32> = (0..n)
        .map(|i| match i % 3 {
            0 => f32::from_bits(i.wrapping_mul(0x9e37_79b9) & 0x7f7f_ffff),
            1 => 1.0 + i as f32 * 1e-7,
            _ => 1.0 - i as f32 * 2e-6,
        })
        .collect();
    let y: Vec<f32> = x
        .iter()
        .zip(0..n)
        .map(|(x, i)| {
            (((f64::from(i) * 0.618_033_988_75).fract() * 276.0 - 149.0) / f64::from(*x).log2()) as f32
        })
        .collect();
    let mut p = vec![0.0f32; x.len()];
    map_on(s, Pow, [&x, &y], &mut p).unwrap();
    let mut errors = Errors::of("pow", "f32", S::NAME);
    for ((x, y), p) in x.iter().zip(&y).zip(p) {
        let exact = f64::from(*x).powf(f64::from(*y));
        if exact.abs() < f64::from(f32::MAX) {
            let error = (f64::from(p) - exact).abs() / ulp(exact, 23, -126);
            errors.see(error, 2.0, 1);
            assert!(error <= 2.0, "{} pow({x:e}, {y:e}) = {p:e}: {error} ulp", S::NAME);
        }
    }
}

#[test]
fn errors_of_pow_f32() {
    for_each_lane!(|s| single_powers(s));
}
