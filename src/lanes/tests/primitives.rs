//! Tests of arithmetic, comparison, selection, bit operations, rounding and table lookup.

use super::*;
use crate::alu::math::hyperbolic::tanh_by_table;
use crate::alu::{Bits, Number};

on_every_lane! {
    arithmetic: check_arithmetic;
    ordering: check_ordering;
    masks: check_masks;
    bits: check_bits;
    rounding: check_rounding;
    lookup: check_lookup;
    coarse_recip: check_coarse_recip;
    tanh_table: check_tanh_table;
    patch: check_patch;
    unzip: check_unzip;
}

/// Runs `op`, compiled as users get it, over `N` streams by whole vectors and compares each element with the model.
fn check<V: Vector<Elem: Scalar>, const N: usize>(
    what: &str,
    s: V::Token,
    x: [&[V::Elem]; N],
    op: impl Fn([V; N]) -> V,
    model: impl Fn([V::Elem; N]) -> V::Elem,
) {
    let n = x[0].len();
    let mut at = 0;
    while at < n {
        let mut lanes = [[V::Elem::ZERO; 16]; N];
        for (lanes, x) in lanes.iter_mut().zip(x) {
            for (lane, x) in lanes.iter_mut().zip(&x[at..]) {
                *lane = *x;
            }
        }
        let mut got = [V::Elem::ZERO; 16];
        s.vectorize(
            #[inline(always)]
            // SAFETY: no register has more than 16 lanes.
            || unsafe { op(lanes.map(|l| V::load(s, l.as_ptr()))).store(got.as_mut_ptr()) },
        );
        for (j, &got) in got.iter().enumerate().take(V::LANES.min(n - at)) {
            let args = lanes.map(|l| l[j]);
            let want = model(args);
            assert!(same(got, want), "{} {what}{args:?}: {got:?}, not {want:?}", <V::Token as Simd>::NAME);
        }
        at += V::LANES;
    }
}

pub(super) fn unary<V: Vector<Elem: Scalar>>(
    what: &str,
    s: V::Token,
    x: &[V::Elem],
    op: impl Fn(V) -> V,
    model: impl Fn(V::Elem) -> V::Elem,
) {
    check::<V, 1>(what, s, [x], |[x]| op(x), |[x]| model(x));
}

/// All pairs of values; fewer where the code is slow.
fn pairs<T: Scalar>() -> [Vec<T>; 2] {
    let x = values::<T>(if cfg!(debug_assertions) { 5 } else { 40 });
    let pairs = || x.iter().flat_map(|&a| x.iter().map(move |&b| (a, b)));
    [pairs().map(|p| p.0).collect(), pairs().map(|p| p.1).collect()]
}

fn check_arithmetic<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let [a, b] = &pairs::<T>();
    macro_rules! two {
        ($what:literal, $op:expr, $model:expr) => {
            check::<V<S, T>, 2>($what, s, [a, b], $op, $model)
        };
    }
    two!("add", |[a, b]| a + b, |[a, b]| a + b);
    two!("sub", |[a, b]| a - b, |[a, b]| a - b);
    two!("mul", |[a, b]| a * b, |[a, b]| a * b);
    two!("div", |[a, b]| a / b, |[a, b]| a / b);
    two!("copysign", |[a, b]| a.copysign(b), |[a, b]| a.with_sign(b));
    two!("xor_sign", |[a, b]| a.xor_sign(b), |[a, b]| T::of_bits(a.bits() ^ (b.bits() & T::SIGN)));

    let x = &values::<T>(1000);
    unary::<V<S, T>>("neg", s, x, |x| -x, |x| -x);
    unary::<V<S, T>>("abs", s, x, |x| x.abs(), |x| T::of_bits(x.bits() & !T::SIGN));
    unary::<V<S, T>>("sqrt", s, x, |x| x.sqrt(), T::root);
    unary::<V<S, T>>("lit", s, x, |x| x.lit(T::from_f64(0.1)), |_| T::from_f64(0.1));
    unary::<V<S, T>>("c", s, x, |x| x.c(0.1), |_| T::from_f64(0.1));
    unary::<V<S, T>>("splat", s, x, |_| V::<S, T>::splat(s, T::from_f64(-0.0)), |_| T::from_f64(-0.0));

    assert_eq!(V::<S, T>::FUSED, S::FUSED);
    let model = |[a, b, c]: [T; 3]| if S::FUSED { a.fma(b, c) } else { a * b + c };
    for c in values::<T>(8).into_iter().step_by(if cfg!(debug_assertions) { 7 } else { 1 }) {
        let c = &std::vec![c; a.len()];
        check::<V<S, T>, 3>("mul_add", s, [a, b, c], |[a, b, c]| a.mul_add(b, c), model);
    }
}

fn check_ordering<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let [a, b] = &pairs::<T>();
    macro_rules! two {
        ($what:literal, $op:expr, $model:expr) => {
            check::<V<S, T>, 2>($what, s, [a, b], $op, $model)
        };
    }
    two!("min", |[a, b]| a.min(b), |[a, b]| if a < b { a } else { b });
    two!("max", |[a, b]| a.max(b), |[a, b]| if a > b { a } else { b });
    macro_rules! truth {
        ($what:literal, $op:expr, $model:expr) => {
            two!($what, |x| V::<S, T>::select($op(x), x[0].c(1.0), x[0].c(-0.0)), |x| if $model(x) {
                T::ONE
            } else {
                -T::ZERO
            })
        };
    }
    truth!("lt", |[a, b]: [V<S, T>; 2]| a.lt(b), |[a, b]: [T; 2]| a < b);
    truth!("le", |[a, b]: [V<S, T>; 2]| a.le(b), |[a, b]: [T; 2]| a <= b);
    truth!("eq", |[a, b]: [V<S, T>; 2]| a.eq(b), |[a, b]: [T; 2]| a == b);
    truth!("gt", |[a, b]: [V<S, T>; 2]| a.gt(b), |[a, b]: [T; 2]| a > b);
    truth!("ge", |[a, b]: [V<S, T>; 2]| a.ge(b), |[a, b]: [T; 2]| a >= b);
    truth!("is_nan", |[a, _]: [V<S, T>; 2]| a.is_nan(), |[a, _]: [T; 2]| a.to_f64().is_nan());
    truth!("and", |[a, b]: [V<S, T>; 2]| a.lt(b) & b.is_nan(), |[_, _]: [T; 2]| false);
    truth!("and", |[a, b]: [V<S, T>; 2]| a.le(b) & b.le(a), |[a, b]: [T; 2]| a == b);
    truth!("or", |[a, b]: [V<S, T>; 2]| a.lt(b) | b.lt(a), |[a, b]: [T; 2]| a < b || b < a);
    truth!("not", |[a, b]: [V<S, T>; 2]| !a.lt(b), |[a, b]: [T; 2]| a.partial_cmp(&b)
        != Some(std::cmp::Ordering::Less));
    truth!(
        "bits_eq",
        |[a, b]: [V<S, T>; 2]| V::<S, T>::bits_eq(a.to_bits(), b.to_bits()),
        |[a, b]: [T; 2]| a.bits() == b.bits()
    );
}

/// Every mask of up to 8 lanes, and one lane set or clear in wider ones.
fn check_masks<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let lanes = V::<S, T>::LANES;
    let patterns: Vec<u32> = if lanes <= 8 {
        (0..1 << lanes).collect()
    } else {
        (0..lanes).flat_map(|j| [1 << j, !(1 << j)]).chain([0, !0, 0x5555, 0xff]).collect()
    };
    for p in patterns {
        let x: [T; 16] = std::array::from_fn(|j| if p >> j & 1 == 1 { -T::ONE } else { T::ONE });
        // SAFETY: no register has more than 16 lanes.
        let v = unsafe { V::<S, T>::load(s, x.as_ptr()) };
        let m = v.lt(v.c(0.0));
        let some = x.iter().take(lanes).any(|&x| x < T::ZERO);
        let all = x.iter().take(lanes).all(|&x| x < T::ZERO);
        assert_eq!(V::<S, T>::any(m), some, "{} {p:b}", S::NAME);
        assert_eq!(V::<S, T>::any(!m), !all, "{} {p:b}", S::NAME);
        assert!(!V::<S, T>::any(m & !m) && V::<S, T>::any(m | !m));
        let pick = |[_]: [V<S, T>; 1]| V::<S, T>::select(m, v.c(3.0), v.c(4.0));
        let model = |[x]: [T; 1]| T::from_f64(if x < T::ZERO { 3.0 } else { 4.0 });
        check::<V<S, T>, 1>("select", s, [&x[..lanes]], pick, model);
    }
}

fn check_bits<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let [a, b] = &pairs::<T>();
    macro_rules! two {
        ($what:literal, $op:expr, $model:expr) => {
            check::<V<S, T>, 2>(
                $what,
                s,
                [a, b],
                |[a, b]| V::<S, T>::from_bits($op(a.to_bits(), b.to_bits())),
                |[a, b]| T::of_bits($model(a.bits(), b.bits()) & T::MASK),
            )
        };
    }
    two!("bits add", |a, b| a + b, u64::wrapping_add);
    two!("bits sub", |a, b| a - b, u64::wrapping_sub);
    two!("bits and", |a, b| a & b, |a: u64, b: u64| a & b);
    two!("bits or", |a, b| a | b, |a: u64, b: u64| a | b);
    two!("bits xor", |a, b| a ^ b, |a: u64, b: u64| a ^ b);
    for c in [0, 1, -1, 0x7fff_ffff, i64::MIN, 0x3ff0_0000_0000_0000, 0x1234_5678_9abc] {
        let lit = |v: V<S, T>| V::<S, T>::from_bits(v.to_bits().lit(c));
        unary::<V<S, T>>("bits lit", s, &[T::ONE; 16], lit, |_| T::of_bits(c as u64 & T::MASK));
    }
    // NaN counts as NaN above, so equality of integers covers the rest of its bits.
    let all = |a: &T| {
        let v = V::<S, T>::splat(s, *a);
        let same = V::<S, T>::bits_eq(v.to_bits(), v.to_bits().lit(a.bits() as i64));
        assert!(!V::<S, T>::any(!same), "{} bits of {a:?}", S::NAME);
        for bit in 0..T::WIDTH {
            let off = v.to_bits() ^ v.to_bits().lit(1 << bit);
            assert!(!V::<S, T>::any(V::<S, T>::bits_eq(v.to_bits(), off)), "{} bit {bit}", S::NAME);
        }
    };
    values::<T>(40).iter().for_each(all);
    T::check_shifts::<V<S, T>>(s, &values::<T>(1000));
}

fn check_rounding<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let mut x = values::<T>(4000);
    // Around integers and halves, small and near the last value with a fraction.
    for k in (0..40).chain((0..40).map(|k| (T::INTEGRAL.to_f64() / 2.0) as i64 - 20 + k)) {
        x.extend([0.0, 0.25, 0.5, 0.75].map(|f| T::from_f64(k as f64 + f)).iter().flat_map(|&x| [x, -x]));
    }
    unary::<V<S, T>>("round_ties_even", s, &x, |x| x.round_ties_even(), |x| x.rounded()[0]);
    unary::<V<S, T>>("trunc", s, &x, |x| x.trunc(), |x| x.rounded()[1]);
    unary::<V<S, T>>("floor", s, &x, |x| x.floor(), |x| x.rounded()[2]);
    unary::<V<S, T>>("ceil", s, &x, |x| x.ceil(), |x| x.rounded()[3]);
}

fn check_lookup<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    // The low 32 bits count, so wide lanes carry something in the high half.
    let index = [0, 1, 2, 3, 4, 5, 6, 100, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];
    let x: Vec<T> =
        index.iter().flat_map(|i| [*i, i | 0x1234_5678 << 32]).map(|i| T::of_bits(i & T::MASK)).collect();
    let at = |x: T| (x.bits() as u32 as usize).min(T::TABLE.len() - 1);
    let find = |v: V<S, T>| V::<S, T>::lookup(v.to_bits(), T::TABLE);
    unary::<V<S, T>>("lookup", s, &x, find, |x| T::TABLE[at(x)]);
    let find = |v: V<S, T>| V::<S, T>::lookup(v.to_bits(), &T::TABLE[..1]);
    unary::<V<S, T>>("lookup of one", s, &x, find, |_| T::TABLE[0]);
    let find = |v: V<S, T>| V::<S, T>::lookup(v.to_bits(), &[]);
    unary::<V<S, T>>("lookup of none", s, &x, find, |_| T::ZERO);
    let find = |v: V<S, T>| V::<S, T>::lookup32(v.to_bits(), T::TABLE_OF_32);
    unary::<V<S, T>>("lookup32", s, &x, find, |x| T::TABLE_OF_32[x.bits() as usize % 32]);
}

fn check_coarse_recip<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let x: Vec<T> =
        values(1000).into_iter().filter(|x: &T| (1e-30..1e30).contains(&x.to_f64().abs())).collect();
    let near = if T::SIGNIFICAND == 23 { 0.000_061_1 } else { 3e-16 };
    let off = |v: V<S, T>| v.coarse_recip().mul_add(v, v.c(-1.0)).abs();
    let good = |v: V<S, T>| V::<S, T>::select(off(v).le(v.c(near)), v.c(1.0), v.c(0.0));
    unary::<V<S, T>>("coarse_recip", s, &x, good, |_| T::ONE);
    let x = [0.0, -0.0, f64::INFINITY, -f64::INFINITY, f64::NAN].map(T::from_f64);
    unary::<V<S, T>>("coarse_recip", s, &x, |v| v.coarse_recip(), |x| T::ONE / x);
}

/// Lanes that have a better way of their own included.
fn check_tanh_table<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let Some(table) = T::TANH else { return };
    let step = if cfg!(debug_assertions) { 40_009 } else { 1009 };
    let x: Vec<T> = (0..0x4180_0000u64).step_by(step).map(T::of_bits).collect();
    // Half a unit of the last place and what the contract of tanh leaves room for.
    let near = |x: T| {
        let exact = x.to_f64().tanh();
        let unit = f64::powi(2.0, (exact.log2().floor() as i32).max(-126) - 23);
        [exact - 0.6 * unit, exact + 0.6 * unit].map(T::from_f64)
    };
    let bounds: Vec<[T; 2]> = x.iter().map(|x| near(*x)).collect();
    let [low, high]: [Vec<T>; 2] = [0, 1].map(|k| bounds.iter().map(|b| b[k]).collect());
    let within = |[x, low, high]: [V<S, T>; 3]| {
        let y = tanh_by_table(x, table);
        V::<S, T>::select(low.le(y) & y.le(high), x.c(1.0), y)
    };
    check::<V<S, T>, 3>("tanh_by_table", s, [&x, &low, &high], within, |_| T::ONE);
    let special = [0.0, -0.0, 9.0, -20.0, f64::INFINITY, -f64::INFINITY, f64::NAN].map(T::from_f64);
    let model = |x: T| T::from_f64(x.to_f64().tanh());
    unary::<V<S, T>>("tanh_by_table", s, &special, |v| tanh_by_table(v, table), model);
}

fn check_patch<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let x = values::<T>(100);
    let op = |v: V<S, T>| v.abs().patch(v.lt(v.c(0.0)), v, |x| x * x.c(3.0));
    let model = |x: T| if x < T::ZERO { x * T::from_f64(3.0) } else { T::of_bits(x.bits() & !T::SIGN) };
    unary::<V<S, T>>("patch", s, &x, op, model);
}

/// Even and odd lanes of two registers come apart and together again.
fn check_unzip<S: Simd, T: Scalar>(s: S, _: T) {
    type V<S, T> = <T as Element>::Vec<S>;
    let n = V::<S, T>::LANES;
    let x: [T; 32] = std::array::from_fn(|i| T::from_usize(i + 1));
    let (mut apart, mut again) = ([T::ZERO; 32], [T::ZERO; 32]);
    s.vectorize(
        #[inline(always)]
        // SAFETY: no register has more than 16 lanes.
        || unsafe {
            let [a, b] = [0, n].map(|at| V::<S, T>::load(s, x.as_ptr().add(at)));
            let [even, odd] = V::<S, T>::unzip(s, a, b);
            even.store(apart.as_mut_ptr());
            odd.store(apart.as_mut_ptr().add(n));
            let [a, b] = V::<S, T>::zip(s, even, odd);
            a.store(again.as_mut_ptr());
            b.store(again.as_mut_ptr().add(n));
        },
    );
    let want: Vec<T> = (0..2 * n).map(|i| x[2 * i % (2 * n) + i / n]).collect();
    assert_eq!(apart[..2 * n], want, "{}", S::NAME);
    assert_eq!(again[..2 * n], x[..2 * n], "{}", S::NAME);
}
