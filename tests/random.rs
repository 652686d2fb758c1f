//! Random numbers: the known answers of Random123, formulas in f64, statistics of fixed seeds, and the same bits from every
//! lane, cut and thread.

use common::lanes::*;
use fulmen::random::*;
use fulmen::*;

#[path = "random/statistics.rs"]
mod statistics;

/// The digits of π, as Random123's tests take them.
const PI: [u64; 8] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6c,
    0xc0ac_29b7_c97c_50dd,
    0x3f84_d5b5_b547_0917,
];

fn words<const N: usize>(from: usize) -> [u32; N] {
    std::array::from_fn(|i| (PI[(from + i) / 2] >> (32 * (1 - (from + i) % 2))) as u32)
}
fn wide<const N: usize>(from: usize) -> [u64; N] {
    std::array::from_fn(|i| PI[from + i])
}

#[test]
fn known_answers() {
    macro_rules! answers {
        ($($G:ident $of:ident $keys:literal $n:literal [$zeros:expr, $ones:expr, $pi:expr];)*) => {$({
            let ([k, l, m], [x, y, z]) =
                ([[0; $keys], [!0; $keys], $of($n)], [[0; $n], [!0; $n], $of(0)]);
            assert_eq!($G::generate_at(k, x), $zeros, concat!(stringify!($G), " of zeros"));
            assert_eq!($G::generate_at(l, y), $ones, concat!(stringify!($G), " of ones"));
            assert_eq!($G::generate_at(m, z), $pi, concat!(stringify!($G), " of the digits of pi"));
        })*};
    }
    answers! {
        Philox2x32 words 1 2 [[0xff1dae59, 0x6cd10df2], [0x2c3f628b, 0xab4fd7ad], [0xdd7ce038, 0xf62a4c12]];
        Philox2x64 wide 1 2 [
            [0xca00a0459843d731, 0x66c24222c9a845b5],
            [0x65b021d60cd8310f, 0x4d02f3222f86df20],
            [0x0a5e742c2997341c, 0xb0f883d38000de5d]
        ];
        Philox4x32 words 2 4 [
            [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
            [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
            [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
        ];
        Philox4x64 wide 2 4 [
            [0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b],
            [0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0],
            [0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6]
        ];
        Threefry2x32 words 2 2 [[0x6b200159, 0x99ba4efe], [0x1cb996fc, 0xbb002be7], [0xc4923a9c, 0x483df7a0]];
        Threefry4x32 words 4 4 [
            [0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8],
            [0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732],
            [0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84]
        ];
        Threefry2x64 wide 2 2 [
            [0xc2b6e3a8c2c69865, 0x6f81ed42f350084d],
            [0xe02cb7c4d95d277a, 0xd06633d0893b8b68],
            [0x263c7d30bb0f0af1, 0x56be8361d3311526]
        ];
    }
    let four = |k: [u64; 4], x: [u64; 4]| Threefry4x64::generate_at(k, x);
    assert_eq!(
        four([0; 4], [0; 4]),
        [0x09218ebde6c85537, 0x55941f5266d86105, 0x4bd25e16282434dc, 0xee29ec846bd2e40b]
    );
    assert_eq!(
        four([!0; 4], [!0; 4]),
        [0x29c24097942bba1b, 0x0371bbfb0f6f4e11, 0x3c231ffa33f83a1c, 0xcd29113fde32d168]
    );
    // One of its key's words is there twice.
    let key = [PI[4], PI[5], PI[5], PI[6]];
    assert_eq!(
        four(key, wide(0)),
        [0xa7e8fde591651bd9, 0xbaafd0c30138319b, 0x84a5c1a729e685b9, 0x901d406ccebc1ba4]
    );
}

/// A stream of which no part is zero, whose counters carry and end near `offset`.
fn stream(offset: u64) -> Stream {
    Stream::new(0x0123_4567_89ab_cdef).with_id(0xfedc_ba98).skip(offset)
}

/// Where parts begin: around groups, where the low word of a counter carries, at the end.
const STARTS: [u64; 9] = [0, 1, 31, 63, 64, (1 << 34) - 5, (1 << 33) - 3, u64::MAX - 40, u64::MAX];

/// Every op that fills a slice by elements: `$f!(name, type, arguments)`.
macro_rules! each_op {
    ($f:ident) => {
        $f!(random_bits, random_bits_on, u32,);
        $f!(uniform, uniform_on, f32,);
        $f!(uniform, uniform_on, f64,);
        $f!(normal, normal_on, f32, 1.5, 0.75);
        $f!(normal, normal_on, f64, 1.5, 0.75);
        $f!(exponential, exponential_on, f32, 0.75);
        $f!(exponential, exponential_on, f64, 0.75);
        $f!(truncated_normal, truncated_normal_on, f32, 0.5, 2.0, -1.0, 3.0);
        $f!(truncated_normal, truncated_normal_on, f64, 0.5, 2.0, -1.0, f64::INFINITY);
        $f!(integers, integers_on, u32, 5, 0x9000_0000);
        $f!(integers, integers_on, i32, i32::MIN, i32::MAX);
        $f!(integers, integers_on, u64, 5, 0x9000_0000_0000_0000);
        $f!(integers, integers_on, i64, -5, 5);
        $f!(bernoulli, bernoulli_on, bool, 0.3);
    };
}

/// What stands where nothing was written.
trait Mark: Copy + PartialEq + std::fmt::Debug {
    const MARK: Self;
    fn bits(self) -> u64;
}
macro_rules! mark {
    ($($t:ty: $mark:expr, |$x:ident| $bits:expr;)*) => {$(
        impl Mark for $t {
            const MARK: Self = $mark;
            fn bits(self) -> u64 { let $x = self; $bits }
        }
    )*};
}
mark! {
    u32: 7, |x| x.into();
    i32: 7, |x| x as u64;
    u64: 7, |x| x;
    i64: 7, |x| x as u64;
    f32: -7.0, |x| x.to_bits().into();
    f64: -7.0, |x| x.to_bits();
    bool: false, |x| x.into();
}

fn bits<T: Mark>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.bits()).collect()
}

#[test]
fn any_cut_and_any_lane_gives_the_same_bits() {
    macro_rules! check {
        ($f:ident, $on:ident, $t:ty, $($arg:expr),*) => {{
            // All of it, cut here into elements of their own.
            let (mut one, mut want) = ([<$t>::MARK], std::collections::BTreeMap::new());
            for start in STARTS {
                for i in 0..150 {
                    let at = start.wrapping_add(i);
                    let _ = $f(stream(at), $($arg,)* &mut one);
                    want.insert(at, one[0].bits());
                }
            }
            for_each_lane!(|s| for start in STARTS {
                for n in [0, 1, 2, 63, 64, 65, 150] {
                    let mut got = vec![<$t>::MARK; n + 2];
                    let _ = $on(s, stream(start), $($arg,)* &mut got[1..=n]);
                    let want: Vec<u64> = (0..n as u64).map(|i| want[&start.wrapping_add(i)]).collect();
                    assert_eq!(bits(&got[1..=n]), want, "{} of {} from {start}", stringify!($f), stringify!($t));
                    assert_eq!([got[0], got[n + 1]], [<$t>::MARK; 2], "{} writes past its part", stringify!($f));
                }
            });
        }};
    }
    each_op!(check);
}

#[cfg(feature = "parallel")]
#[test]
fn threads_give_the_same_bits() {
    macro_rules! check {
        ($f:ident, $on:ident, $t:ty, $($arg:expr),*) => {{
            // More than any part that stays on one thread.
            let n = if stringify!($f) == "truncated_normal" { 40_000 } else { 70_001 };
            let (mut a, mut b) = (vec![<$t>::MARK; n], vec![<$t>::MARK; n]);
            let _ = $f(stream(u64::MAX - 100), $($arg,)* &mut a);
            let _ = parallel::$f(stream(u64::MAX - 100), $($arg,)* &mut b);
            assert!(bits(&a) == bits(&b), "{} of {}", stringify!($f), stringify!($t));
        }};
    }
    each_op!(check);
}

#[test]
fn refusals_name_the_argument_and_write_nothing() {
    let s = stream(3);
    macro_rules! refuse {
        ($t:ty: $($f:ident $args:tt names $arg:literal;)*) => {$(
            let mut out = [<$t>::MARK; 9];
            assert_eq!(refuse!(@ $f, s, $args, &mut out), Err(Error::domain($arg)), stringify!($f $args));
            assert_eq!(out, [<$t>::MARK; 9], stringify!($f));
            // Also where there is nothing to write.
            assert!(refuse!(@ $f, s, $args, &mut out[..0]).is_err());
            #[cfg(feature = "parallel")]
            assert_eq!(refuse!(@ parallel::$f, s, $args, &mut out), Err(Error::domain($arg)));
        )*};
        (@ $f:path, $s:ident, ($($arg:expr),*), $out:expr) => { $f($s, $($arg,)* $out) };
    }
    macro_rules! reals {
        ($t:ident) => {
            const NAN: $t = $t::NAN;
            const INF: $t = $t::INFINITY;
            refuse! { $t:
                normal(NAN, 1.0) names "mean";
                normal(INF, 1.0) names "mean";
                normal(-INF, 1.0) names "mean";
                normal(0.0, NAN) names "stddev";
                normal(0.0, INF) names "stddev";
                normal(0.0, -1e-30) names "stddev";
                exponential(NAN) names "scale";
                exponential(INF) names "scale";
                exponential(-1e-30) names "scale";
                truncated_normal(NAN, 1.0, 0.0, 1.0) names "mean";
                truncated_normal(0.0, 0.0, 0.0, 1.0) names "stddev";
                truncated_normal(0.0, NAN, 0.0, 1.0) names "stddev";
                truncated_normal(0.0, INF, 0.0, 1.0) names "stddev";
                truncated_normal(0.0, 1.0, NAN, 1.0) names "low";
                truncated_normal(0.0, 1.0, INF, INF) names "low";
                truncated_normal(0.0, 1.0, 0.0, NAN) names "high";
                truncated_normal(0.0, 1.0, -INF, -INF) names "high";
                truncated_normal(0.0, 1.0, 1.0, 0.5) names "high";
            }
        };
    }
    {
        reals!(f32);
    }
    reals!(f64);
    refuse! { u32: integers(3, 2) names "high"; }
    refuse! { i64: integers(0, i64::MIN) names "high"; }
    refuse! { bool:
        bernoulli(f64::NAN) names "p";
        bernoulli(-1e-300) names "p";
        bernoulli(1.0 + f64::EPSILON) names "p";
        bernoulli(f64::INFINITY) names "p";
    }
}

/// `-ln` of the middle of part `h` of 2⁶⁴ of (0, 1), of `bits` upper bits: of what is missing to 1 where that is less.
fn minus_ln(h: u64, bits: i32) -> f64 {
    let unit = 2f64.powi(-bits);
    let (low, high) = ((h as f64 + 0.5) * unit, ((u64::MAX >> (64 - bits)) - h) as f64 * unit + 0.5 * unit);
    if low < 0.5 { -low.ln() } else { -(-high).ln_1p() }
}

/// The pair of normal numbers of a radius and the `n + 2` low bits of `angle`.
fn pair(e: f64, angle: u64, n: u32) -> [f64; 2] {
    let middle = 2f64.powi(n as i32 - 1) - 0.5;
    let theta =
        ((angle & ((1 << n) - 1)) as f64 - middle) / 2f64.powi(n as i32) * std::f64::consts::FRAC_PI_2;
    let (sin, cos) = theta.sin_cos();
    let r = (2.0 * e).sqrt() * if angle >> (n + 1) & 1 == 1 { -1.0 } else { 1.0 };
    if angle >> n & 1 == 1 { [r * sin, r * cos] } else { [r * cos, r * sin] }
}

/// Word `e` of a stream, by blocks.
fn word(s: Stream, e: u64) -> u32 {
    s.generate_at(e / 4)[e as usize % 4]
}
fn long(s: Stream, e: u64) -> u64 {
    let [a, b, c, d] = s.generate_at(e / 2).map(u64::from);
    if e.is_multiple_of(2) { a | b << 32 } else { c | d << 32 }
}

fn reference(op: &str, ty: &str, s: Stream, e: u64) -> f64 {
    match (op, ty) {
        ("uniform", "f32") => f64::from(word(s, e) >> 8) / 2f64.powi(24),
        ("uniform", _) => (long(s, e) >> 11) as f64 / 2f64.powi(53),
        ("exponential", "f32") => minus_ln(word(s, e).into(), 32),
        ("exponential", _) => minus_ln(long(s, e), 64),
        (_, "f32") => {
            let [a, b] = [word(s, e & !1), word(s, e | 1)].map(u64::from);
            pair(minus_ln(b << 8 | a >> 24, 40), a, 22)[e as usize % 2]
        }
        _ => pair(minus_ln(long(s, e & !1), 64), long(s, e | 1), 51)[e as usize % 2],
    }
}

fn values<T: Variate + Mark>() {
    let key = Stream::new(0);
    let unlike: &[u64] = if T::NAME == "f32" { &UNLIKELY } else { &UNLIKELY_WIDE };
    let starts = unlike.iter().map(|e| e & !1).chain((0..64).map(|i| i << 40));
    for start in starts {
        let n = 100;
        let s = key.skip(start);
        let mut out =
            [("uniform", vec![T::MARK; n]), ("normal", vec![T::MARK; n]), ("exponential", vec![T::MARK; n])];
        let [(_, u), (_, z), (_, e)] = &mut out;
        uniform(s, u);
        normal(s, T::ZERO, T::ONE, z).unwrap();
        exponential(s, T::ONE, e).unwrap();
        for (op, out) in &out {
            let tolerance = contract::spec(op).unwrap().tolerance(T::NAME).unwrap();
            let mut errors = common::Errors::of(op, T::NAME, common::lanes::name_of(fulmen::lanes::native()));
            for (i, got) in out.iter().enumerate() {
                let want = reference(op, T::NAME, s, start + i as u64);
                let allowed = tolerance.allowed::<T>(want, &[], 0.0);
                errors.see((got.to_f64() - want).abs(), allowed, 1);
                assert!(
                    contract::agrees(*got, want, allowed),
                    "{op} of {}: {got:?} at {start} + {i}, not {want:e}",
                    T::NAME
                );
            }
        }
    }
}

#[test]
fn values_are_those_of_the_reference() {
    values::<f32>();
    values::<f64>();
}

/// Offsets whose words are the least and the largest of 2³¹: radii far out and near 0, angles at the ends of a quarter.
/// They were searched for.
const UNLIKELY: [u64; 6] = [2043226799, 1117418819, 1668622029, 1642810008, 237051576, 40381712];
const UNLIKELY_WIDE: [u64; 4] = [834311014, 563334288, 940653149, 572944731];

/// One draw after the other.
fn drawn(s: Stream, e: u64, low: i128, high: i128, bits: u32) -> i128 {
    let range = (high - low + 1) as u128;
    let first = if bits == 32 { word(s, e).into() } else { long(s, e) };
    let later = (1..).flat_map(|attempt| {
        let key = [s.key as u32, (s.key >> 32) as u32];
        let w = Philox4x32::generate_at(key, [e as u32, (e >> 32) as u32, s.id, attempt]).map(u64::from);
        if bits == 32 { w.to_vec() } else { vec![w[0] | w[1] << 32, w[2] | w[3] << 32] }
    });
    // Values below the largest multiple of the range, scaled: each is hit by as many words.
    let counts = |w: &u64| (u128::from(*w) * range) % (1 << bits) >= (1u128 << bits) % range;
    let w = std::iter::once(first).chain(later).find(counts).unwrap();
    low + ((u128::from(w) * range) >> bits) as i128
}

fn whole<I: Integer + Mark + Into<i128>>(bits: u32, ranges: &[(I, I)]) {
    for (low, high) in ranges {
        let s = stream(u64::MAX - 99);
        let mut out = vec![I::MARK; 2000];
        integers(s, *low, *high, &mut out).unwrap();
        for (i, got) in out.into_iter().enumerate() {
            let want = drawn(s, s.offset.wrapping_add(i as u64), (*low).into(), (*high).into(), bits);
            assert_eq!(got.into(), want, "element {i} of {low:?} to {high:?}");
        }
    }
}

#[test]
fn integers_are_those_of_the_reference() {
    // The last range rejects one draw in a hundred: most groups none, some a single one.
    whole::<u32>(
        32,
        &[
            (0, 0),
            (0, 1),
            (3, 8),
            (0, 1 << 31),
            (7, u32::MAX),
            (0, u32::MAX - 1),
            (0, u32::MAX),
            (0, 42_949_673),
        ],
    );
    whole::<i32>(32, &[(-1, 1), (i32::MIN, i32::MAX), (i32::MIN, 0), (-7, -7)]);
    whole::<u64>(
        64,
        &[(0, 0), (3, 8), (0, 1 << 63), (7, u64::MAX), (0, u64::MAX - 1), (0, u64::MAX), (0, 1 << 40)],
    );
    whole::<i64>(64, &[(-1, 1), (i64::MIN, i64::MAX), (i64::MIN, 0), (i64::MAX, i64::MAX)]);
}

#[test]
fn orders_are_permutations() {
    for_each_lane!(|s| for n in [0, 1, 2, 3, 255, 256, 257, 258, 700] {
        let mut order = vec![7; n];
        permutation_on(s, stream(u64::MAX - 300), &mut order);
        let mut want: Vec<usize> = (0..n).collect();
        for i in 0..n.saturating_sub(1) {
            let last = n - 1 - i;
            let e = (u64::MAX - 300).wrapping_add(i as u64);
            want.swap(last, drawn(stream(0), e, 0, last as i128, 64) as usize);
        }
        assert_eq!(order, want);
        let mut x: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        shuffle_on(s, stream(u64::MAX - 300), &mut x);
        assert!(x.iter().zip(&order).all(|(x, i)| *x == i.to_string()));
        order.sort();
        assert!(order.into_iter().eq(0..n));
    });
}

/// The cases of the contracts.
mod edge_cases {
    use super::*;
    use common::yaml::contract;
    use common::yaml::schema::EdgeCase as Edge;

    fn option(e: &Edge, name: &str) -> u64 {
        let all = e.options.iter().filter_map(|o| o.split_once('='));
        all.filter(|(k, _)| *k == name).map(|(_, v)| v.parse().unwrap()).next().unwrap()
    }
    /// Runs `f` on each case of a type.
    fn each<X: Copy>(
        op: &str,
        ty: &str,
        mark: X,
        number: impl Fn(X) -> f64,
        f: impl Fn(Stream, &[f64], &mut [X]) -> Result<(), Error>,
    ) {
        let c = contract(op);
        assert!(c.edge_cases.len() >= 4, "{op}");
        for e in c.edge_cases.iter().filter(|e| e.types.as_ref().is_none_or(|t| t.iter().any(|t| t == ty))) {
            let s = Stream {
                key: option(e, "key"),
                id: option(e, "id").try_into().unwrap(),
                offset: option(e, "offset"),
            };
            let params: Vec<f64> = e.params.iter().flatten().map(|p| p.value(ty)).collect();
            let mut out = vec![mark; option(e, "n") as usize];
            let got = f(s, &params, &mut out);
            if let Some(error) = &e.error {
                let got = format!("{:?}", got.unwrap_err());
                assert!(got.starts_with(error.as_str()), "{op} {}: {got}", e.name);
                continue;
            }
            got.unwrap();
            // The result of the formula, in more digits than the type has, where there is a tolerance.
            let want: Vec<f64> = e.out.as_ref().unwrap().iter().map(|x| x.exact(ty)).collect();
            assert_eq!(out.len(), want.len(), "{op} {}", e.name);
            for (got, want) in out.iter().map(|x| number(*x)).zip(want) {
                let tolerance = contract::spec(op).unwrap().tolerance(ty).unwrap();
                let near = if ty == "f32" {
                    contract::agrees(got as f32, want, tolerance.allowed::<f32>(want, &[], 0.0))
                } else {
                    contract::agrees(got, want, tolerance.allowed::<f64>(want, &[], 0.0))
                };
                assert!(near, "{op} of {ty}, {}: {got:e}, not {want:e}", e.name);
            }
        }
    }
    macro_rules! cases {
        ($op:literal $($t:ident)*, |$s:ident, $stream:ident, $p:ident, $out:ident| $call:expr) => {
            $(for_each_lane!(|$s| each($op, stringify!($t), $t::MARK, |x| x as f64, |$stream, $p, $out: &mut [$t]| {
                #[allow(dead_code, reason = "an op may have no parameters")]
                type T = $t;
                $call
            }));)*
        };
    }
    #[test]
    fn random_bits() {
        cases!("random_bits" u32, |s, x, _p, out| {
            random_bits_on(s, x, out);
            Ok(())
        });
    }
    #[test]
    fn uniform() {
        cases!("uniform" f32 f64, |s, x, _p, out| {
            uniform_on(s, x, out);
            Ok(())
        });
    }
    #[test]
    fn normal() {
        cases!("normal" f32 f64, |s, x, p, out| normal_on(s, x, p[0] as T, p[1] as T, out));
    }
    #[test]
    fn exponential() {
        cases!("exponential" f32 f64, |s, x, p, out| exponential_on(s, x, p[0] as T, out));
    }
    #[test]
    fn truncated_normal() {
        cases!("truncated_normal" f32 f64, |s, x, p, out| {
            truncated_normal_on(s, x, p[0] as T, p[1] as T, p[2] as T, p[3] as T, out)
        });
    }
    #[test]
    fn integers() {
        cases!("integers" u32 i32 u64 i64, |s, x, p, out| integers_on(s, x, p[0] as T, p[1] as T, out));
    }
    #[test]
    fn bernoulli() {
        let number = |b: bool| f64::from(u8::from(b));
        for_each_lane!(|s| each("bernoulli", "bool", false, number, |stream, p, out| bernoulli_on(
            s, stream, p[0], out
        )));
    }
    #[test]
    fn permutation() {
        for_each_lane!(|s| each(
            "permutation",
            "u64",
            7usize,
            |x| x as f64,
            |stream, _, out| {
                permutation_on(s, stream, out);
                Ok(())
            }
        ));
    }
    #[test]
    fn shuffle() {
        for_each_lane!(|s| each(
            "shuffle",
            "u64",
            0.0,
            |x| x,
            |stream, _, out| {
                (0u8..).zip(out.iter_mut()).for_each(|(i, x)| *x = i.into());
                shuffle_on(s, stream, out);
                Ok(())
            }
        ));
    }
}

/// As a generator of `rand_core` a stream gives its words in order, whatever is asked for.
#[cfg(feature = "rand_core")]
#[test]
fn as_a_generator() {
    use rand_core::{Rng, SeedableRng};
    let from = Stream::new(5).with_id(2).skip((1 << 34) - 3);
    let mut words = [0u32; 400];
    fulmen::random_bits(from, &mut words);
    let mut rng = from;
    let mut at = 0;
    for n in [0, 1, 3, 4, 5, 255, 256, 257, 300] {
        assert_eq!(rng.next_u32(), words[at]);
        assert_eq!(rng.next_u64(), u64::from(words[at + 2]) << 32 | u64::from(words[at + 1]));
        let mut bytes = vec![0xaa; n];
        rng.fill_bytes(&mut bytes);
        let want: Vec<u8> = words[at + 3..].iter().flat_map(|w| w.to_le_bytes()).take(n).collect();
        assert_eq!(bytes, want);
        at += 3 + n.div_ceil(4);
        assert_eq!(rng, from.skip(at as u64), "{n}");
    }
    // Past the end it starts again.
    let mut last = Stream::new(1).skip(u64::MAX);
    last.next_u32();
    assert_eq!(last, Stream::new(1));
    assert_eq!(Stream::from_seed([1, 2, 0, 0, 0, 0, 0, 3]), Stream::new(0x0300_0000_0000_0201));
    assert_eq!(Stream::seed_from_u64(9), Stream::new(9));
}
