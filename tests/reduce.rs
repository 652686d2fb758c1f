//! Reductions against double-double references, on every lane, serial and parallel.

use common::lanes::*;
use common::nn::Noise;
use common::reference::dd::Dd;
use common::reference::reduce::*;
use common::seed::Seed;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

mod bodies;

/// Deterministic values in -1 … 1, around `centre`.
fn noise<T: Element>(n: usize, seed: u64, centre: f64) -> Vec<T> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0 + centre)
    };
    (0..n).map(|_| next()).collect()
}

/// Every length around the unrolled loops of the widest lane, around the blocks of the statistics
/// and around the leaves of the tree.
fn lengths<S: Simd, T: Element>() -> impl Iterator<Item = usize> {
    let leaf = leaf::<S, T>();
    let short = (0..=2 * 16 + 1).chain([63, 64, 65, 127, 129, 150, 191, 257, BLOCK - 1, BLOCK + 1]);
    short.chain([3 * leaf + 5, leaf - 1, leaf, leaf + 1].into_iter().take(if cfg!(debug_assertions) {
        1
    } else {
        4
    }))
}

#[track_caller]
fn close(what: &str, n: usize, got: f64, want: f64, tolerance: f64) {
    assert!(
        (got - want).abs() <= tolerance || got == want,
        "{what}, n = {n}: {got:e}, not {want:e} ± {tolerance:e}"
    );
}

fn within_bounds<S: Simd, T: Element>(s: S) {
    let most = 3 * leaf::<S, T>() + 16;
    let (a, b) = (noise::<T>(most, 1, 0.3), noise::<T>(most, 2, -0.1));
    let u = unit::<T>();
    for n in lengths::<S, T>() {
        // Starts that are aligned to the element only.
        let (a, b) = (&a[1 + n % 3..][..n], &b[n % 5..][..n]);
        let wide = [a, b].map(|x| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        let check = |op: &str, got: T, want: f64, tolerance: f64| {
            // 1 for a cosine.
            let by = spec(op).and_then(|c| c.tolerance(T::NAME)).unwrap();
            let allowed = by.allowed::<T>(want, &[&wide[0], &wide[1]], 1.0);
            common::Errors::of(op, T::NAME, S::NAME).see((got.to_f64() - want).abs(), allowed, n);
            close(&format!("{op} {} {}", S::NAME, T::NAME), n, got.to_f64(), want, tolerance);
        };
        let g = gamma::<T>(depth::<S, T>(n) + 2.0);
        let total = sum(a).value();
        check("sum", fulmen::sum_on(s, a), total, g * sum_abs(a));
        let twice = gamma::<T>(2.0 * depth::<S, T>(n) + 4.0);
        let kahan = 2.0 * u * total.abs() + twice * twice * sum_abs(a);
        check("sum_kahan", fulmen::sum_kahan_on(s, a), total, kahan);
        let squares = dot(a, a).value();
        check("sum_of_squares", fulmen::sum_of_squares_on(s, a), squares, g * squares);
        let products: f64 = a.iter().zip(b).map(|(a, b)| (a.to_f64() * b.to_f64()).abs()).sum();
        check("dot", fulmen::dot_on(s, a, b).unwrap(), dot(a, b).value(), g * products);
        check("norm_l1", fulmen::norm_l1_on(s, a), sum_abs(a), g * sum_abs(a));
        let length = dot(a, a).sqrt().value();
        check("norm_l2", fulmen::norm_l2_on(s, a), length, (g + 2.0 * u) * length);
        let largest = a.iter().map(|a| a.to_f64().abs()).fold(0.0, f64::max);
        check("norm_linf", fulmen::norm_linf_on(s, a), largest, 0.0);
        let far = distance(a, b).value();
        check(
            "euclidean_distance",
            fulmen::euclidean_distance_on(s, a, b).unwrap(),
            far,
            (g + 4.0 * u) * far,
        );
        let lengths = length * dot(b, b).sqrt().value();
        let angle = if lengths == 0.0 { 0.0 } else { dot(a, b).value() / lengths };
        let off = 2.0 * g + 6.0 * u;
        check("cosine_similarity", fulmen::cosine_similarity_on(s, a, b).unwrap(), angle, off);
        if n == 0 {
            let empty = Err(Error::empty("x"));
            for r in [fulmen::max_on(s, a), fulmen::min_on(s, a), fulmen::mean_on(s, a)] {
                assert_eq!(r, empty);
            }
            assert_eq!(fulmen::variance_on(s, a), empty);
            assert_eq!(fulmen::stddev_on(s, a), empty);
            for r in [fulmen::argmax_on(s, a), fulmen::argmin_on(s, a)] {
                assert_eq!(r, Err(Error::empty("x")));
            }
            for r in [fulmen::covariance_on(s, a, b), fulmen::correlation_on(s, a, b)] {
                assert_eq!(r, Err(Error::empty("a")));
            }
            continue;
        }
        check("max", fulmen::max_on(s, a).unwrap(), max(a).unwrap(), 0.0);
        let negated: Vec<T> = a.iter().map(|a| -*a).collect();
        check("min", fulmen::min_on(s, a).unwrap(), -max(&negated).unwrap(), 0.0);
        assert_eq!(fulmen::argmax_on(s, a).unwrap(), descending(a)[0], "argmax {} n = {n}", S::NAME);
        assert_eq!(fulmen::argmin_on(s, a).unwrap(), descending(&negated)[0], "argmin {} n = {n}", S::NAME);
        check("mean", fulmen::mean_on(s, a).unwrap(), mean(a).value(), (g + u) * sum_abs(a) / n as f64);
        let (m, k) = (Moments::of::<S, T>(a), Moments::of::<S, T>(b));
        check("variance", fulmen::variance_on(s, a).unwrap(), m.variance, m.variance_error);
        // √v ± e lies within e / √v of √v, and within √e of it.
        let off = (m.variance_error / m.spread).min(m.variance_error.sqrt()) + u * m.spread;
        check("stddev", fulmen::stddev_on(s, a).unwrap(), m.spread, off);
        let both = covariance(a, b).value();
        let off = m.covariance_error(&k);
        check("covariance", fulmen::covariance_on(s, a, b).unwrap(), both, off);
        if n > 2 {
            let spreads = m.spread * k.spread;
            let relative = |m: &Moments| m.variance_error / m.variance;
            let off = off / spreads + relative(&m) + relative(&k) + 6.0 * u;
            check("correlation", fulmen::correlation_on(s, a, b).unwrap(), both / spreads, off);
        }
    }
}

#[test]
fn reductions_keep_their_bounds() {
    for_each_width!(|s| {
        within_bounds::<_, f32>(s);
        within_bounds::<_, f64>(s);
    });
}

/// Means of 10⁴ to 10⁷ spreads, near the end of what the type holds, where all but a bit or two of the deviations are
/// lost before the call.
fn far_from_zero<S: Simd, T: Element>(s: S) {
    let far = if T::NAME == "f32" { [1e4, 3e6] } else { [1e7, 1e14] };
    for (n, far) in [(100, far[0]), (1000, far[1]), (2 * BLOCK + 77, far[0]), (2 * BLOCK + 78, far[1])] {
        let (x, y) = (noise::<T>(n, 3, far), noise::<T>(n, 4, -2.0 * far));
        let (m, k) = (Moments::of::<S, T>(&x), Moments::of::<S, T>(&y));
        let got = fulmen::variance_on(s, &x).unwrap().to_f64();
        close(&format!("variance {} {}", S::NAME, T::NAME), n, got, m.variance, m.variance_error);
        assert!(m.variance_error < 0.01 * m.variance, "{} {}: the bound says nothing", S::NAME, T::NAME);
        let got = fulmen::covariance_on(s, &x, &y).unwrap().to_f64();
        let want = covariance(&x, &y).value();
        close(&format!("covariance {} {}", S::NAME, T::NAME), n, got, want, m.covariance_error(&k));
    }
}

#[test]
fn moments_survive_a_large_mean() {
    for_each_width!(|s| {
        far_from_zero::<_, f32>(s);
        far_from_zero::<_, f64>(s);
    });
}

/// Constant data has no spread, whatever rounding its sum has.
fn constants<S: Simd, T: Element>(s: S) {
    let ramp = noise::<T>(2 * BLOCK + 9, 5, 0.0);
    for n in [1, 3, 10, 1000, BLOCK, 2 * BLOCK + 9] {
        let x = vec![T::from_f64(0.1); n];
        assert_eq!(fulmen::correlation_on(s, &x, &ramp[..n]).unwrap(), T::ZERO, "{} n = {n}", S::NAME);
        assert_eq!(fulmen::covariance_on(s, &ramp[..n], &x).unwrap(), T::ZERO, "{} n = {n}", S::NAME);
        assert_eq!(fulmen::variance_on(s, &x).unwrap(), T::ZERO, "{} n = {n}", S::NAME);
    }
}

#[test]
fn constant_data_has_no_spread() {
    for_each_width!(|s| {
        constants::<_, f32>(s);
        constants::<_, f64>(s);
    });
}

/// NaN at each position reaches the result, or is refused where an order is asked.
fn nan_everywhere<S: Simd, T: Element>(s: S) {
    for n in [1, 2, 7, 16, 37, 150] {
        let clean = noise::<T>(n, 6, 0.0);
        for at in 0..n {
            let mut x = clean.clone();
            x[at] = T::NAN;
            let one = [
                fulmen::sum_on(s, &x),
                fulmen::sum_kahan_on(s, &x),
                fulmen::sum_of_squares_on(s, &x),
                fulmen::norm_l1_on(s, &x),
                fulmen::norm_l2_on(s, &x),
                fulmen::norm_linf_on(s, &x),
                fulmen::max_on(s, &x).unwrap(),
                fulmen::min_on(s, &x).unwrap(),
                fulmen::mean_on(s, &x).unwrap(),
                fulmen::variance_on(s, &x).unwrap(),
                fulmen::stddev_on(s, &x).unwrap(),
            ];
            for f in [
                fulmen::dot_on,
                fulmen::euclidean_distance_on,
                fulmen::cosine_similarity_on,
                fulmen::covariance_on,
                fulmen::correlation_on,
            ] {
                let f: fn(S, &[T], &[T]) -> Result<T, Error> = f;
                let zeros = vec![T::ZERO; n];
                for y in [&clean, &zeros] {
                    assert!(f(s, &x, y).unwrap().to_f64().is_nan(), "{} n = {n} at {at}", S::NAME);
                    assert!(f(s, y, &x).unwrap().to_f64().is_nan(), "{} n = {n} at {at}", S::NAME);
                }
            }
            for (i, r) in one.into_iter().enumerate() {
                assert!(r.to_f64().is_nan(), "op {i} {} n = {n} at {at}: {r:?}", S::NAME);
            }
            assert_eq!(fulmen::argmax_on(s, &x), Err(Error::nan("x")));
            assert_eq!(fulmen::argmin_on(s, &x), Err(Error::nan("x")));
            let (mut v, mut i) = ([T::ONE; 1], [77; 1]);
            assert_eq!(fulmen::top_k_on(s, &x, 1, &mut v, &mut i), Err(Error::nan("x")));
            assert_eq!((v, i), ([T::ONE; 1], [77; 1]), "written in spite of the error");
        }
    }
}

#[test]
fn nan_is_never_lost() {
    for_each_width!(|s| {
        nan_everywhere::<_, f32>(s);
        nan_everywhere::<_, f64>(s);
    });
}

fn infinities_and_zeros<S: Simd, T: Element>(s: S) {
    let (inf, zero) = (T::INFINITY, T::ZERO);
    let neg = |x: T| T::ONE / x.to_f64_sign();
    for n in [2, 5, 16, 33, 150] {
        let mut x = noise::<T>(n, 7, 0.0);
        x[n - 1] = inf;
        assert_eq!(fulmen::sum_on(s, &x), inf);
        assert_eq!(fulmen::sum_kahan_on(s, &x), inf);
        assert_eq!(fulmen::max_on(s, &x).unwrap(), inf);
        assert_eq!(fulmen::norm_l2_on(s, &x), inf);
        assert_eq!(fulmen::norm_linf_on(s, &x), inf);
        assert_eq!(fulmen::argmax_on(s, &x).unwrap(), n - 1);
        assert_eq!(fulmen::euclidean_distance_on(s, &x, &vec![zero; n]).unwrap(), inf);
        assert!(fulmen::variance_on(s, &x).unwrap().to_f64().is_nan());
        assert!(fulmen::cosine_similarity_on(s, &x, &x).unwrap().to_f64().is_nan());
        // Infinities of both signs have no sum, but an order.
        x[0] = -inf;
        assert!(fulmen::sum_on(s, &x).to_f64().is_nan());
        assert_eq!(fulmen::max_on(s, &x).unwrap(), inf);
        assert_eq!(fulmen::min_on(s, &x).unwrap(), -inf);
        assert_eq!(fulmen::argmax_on(s, &x).unwrap(), n - 1);
        assert_eq!(fulmen::argmin_on(s, &x).unwrap(), 0);
        let all = vec![-inf; n];
        assert_eq!(fulmen::max_on(s, &all).unwrap(), -inf);
        assert_eq!(fulmen::argmax_on(s, &all).unwrap(), 0);
        // -0 is below +0 in value and ties with it in order.
        for at in 0..n {
            let mut x = vec![-zero; n];
            x[at] = zero;
            assert!(neg(fulmen::max_on(s, &x).unwrap()) == T::ONE, "{} n = {n} at {at}", S::NAME);
            assert!(neg(fulmen::min_on(s, &x).unwrap()) == -T::ONE, "{} n = {n} at {at}", S::NAME);
            assert_eq!(fulmen::argmax_on(s, &x).unwrap(), 0);
        }
        assert!(neg(fulmen::max_on(s, &vec![-zero; n]).unwrap()) == -T::ONE);
        assert!(neg(fulmen::min_on(s, &vec![zero; n]).unwrap()) == T::ONE);
        assert!(neg(fulmen::sum_on(s, &vec![-zero; n])) == T::ONE);
    }
}

/// The sign as ±1, of zeros too.
trait Sign {
    fn to_f64_sign(self) -> Self;
}
impl<T: Element> Sign for T {
    fn to_f64_sign(self) -> T {
        T::from_f64(1f64.copysign(self.to_f64()))
    }
}

#[test]
fn infinities_and_zeros_have_their_place() {
    for_each_width!(|s| {
        infinities_and_zeros::<_, f32>(s);
        infinities_and_zeros::<_, f64>(s);
    });
}

/// Norms where the squares overflow, underflow, or do both in one slice.
fn extreme_norms<S: Simd, T: Element>(s: S) {
    // 2^e with e near the ends of the exponent range, and of the subnormals.
    let (big, small) = if T::NAME == "f32" { (127, -149) } else { (1023, -1074) };
    let u = unit::<T>();
    for n in [1usize, 4, 16, 37, 100] {
        let g = gamma::<T>(depth::<S, T>(n) + 6.0);
        let shape = noise::<f64>(n, 8, 0.0);
        for e in [big - 12, big / 2, -big / 2, -big + 8, -big - 1, small + 12] {
            let p = 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
            let x: Vec<T> = shape.iter().map(|x| T::from_f64(x * p)).collect();
            // The reference brings the data to 1, exactly.
            let back = |x: &[T]| -> Vec<f64> {
                x.iter().map(|x| x.to_f64() * 2f64.powi(-e / 2) * 2f64.powi(-(e - e / 2))).collect()
            };
            let unscaled = back(&x);
            let length = dot(&unscaled, &unscaled).sqrt().value();
            let least = 2f64.powi(small - e);
            let off = (g + 2.0 * u) * length + least;
            let got = back(&[fulmen::norm_l2_on(s, &x)])[0];
            close(&format!("norm_l2 {} {} 2^{e}", S::NAME, T::NAME), n, got, length, off);
            let zeros = vec![T::ZERO; n];
            let got = back(&[fulmen::euclidean_distance_on(s, &zeros, &x).unwrap()])[0];
            close(&format!("distance {} {} 2^{e}", S::NAME, T::NAME), n, got, length, off);
            let other: Vec<T> = noise(n, 9, 0.5);
            let want = dot(&unscaled, &back_one(&other)).value();
            let want = want / (length * dot(&other, &other).sqrt().value());
            let got = fulmen::cosine_similarity_on(s, &x, &other).unwrap().to_f64();
            close(&format!("cosine {} {} 2^{e}", S::NAME, T::NAME), n, got, want, 2.0 * g + 8.0 * u);
        }
        let huge: Vec<T> = vec![T::from_f64(2f64.powi(big)); n];
        let minus: Vec<T> = huge.iter().map(|x| -*x).collect();
        assert_eq!(fulmen::euclidean_distance_on(s, &huge, &huge).unwrap(), T::ZERO);
        assert!(fulmen::euclidean_distance_on(s, &huge, &minus).unwrap() == T::INFINITY, "past the largest");
        assert_eq!(fulmen::norm_l2_on(s, &huge[..1]), huge[0]);
        assert_eq!(fulmen::norm_l2_on(s, &vec![T::ZERO; n]), T::ZERO);
        // Close large values: the difference is small, its square is not lost.
        let a = vec![T::ONE; n];
        let b = vec![T::ONE + T::from_f64(2.0 * u); n];
        let want = 2.0 * u * (n as f64).sqrt();
        close("close values", n, fulmen::euclidean_distance_on(s, &a, &b).unwrap().to_f64(), want, g * want);
    }
}

fn back_one<T: Element>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

#[test]
fn norms_neither_overflow_nor_underflow() {
    for_each_width!(|s| {
        extreme_norms::<_, f32>(s);
        extreme_norms::<_, f64>(s);
    });
}

fn selections<S: Simd, T: Element>(s: S) {
    for n in [0usize, 1, 2, 17, 63, 64, 65, 200, 4095, 4097, 9001] {
        let random = noise::<T>(n, 10, 0.0);
        let coarse: Vec<T> = random.iter().map(|x| T::from_f64((x.to_f64() * 3.0).round())).collect();
        let rising: Vec<T> = (0..n).map(|i| T::from_usize(i)).collect();
        let falling: Vec<T> = (0..n).map(|i| T::from_usize(n - i)).collect();
        for x in [random, coarse, rising, falling, vec![T::ONE; n]] {
            let order = descending(&x);
            for k in [0, 1, 2, 5, 64, 100, n / 2, n] {
                let (mut values, mut indices) = (vec![T::NAN; k], vec![u32::MAX; k]);
                let r = fulmen::top_k_on(s, &x, k, &mut values, &mut indices);
                if k > n {
                    assert_eq!(r, Err(Error::domain("k")));
                    assert!(indices.iter().all(|i| *i == u32::MAX), "written in spite of the error");
                    continue;
                }
                assert_eq!(r, Ok(()));
                assert!(
                    indices.iter().map(|i| *i as usize).eq(order[..k].iter().copied()),
                    "{} n = {n}, k = {k}",
                    S::NAME
                );
                assert!(values.iter().zip(&indices).all(|(v, i)| *v == x[*i as usize]));
            }
            if let Some(first) = order.first() {
                assert_eq!(fulmen::argmax_on(s, &x).unwrap(), *first);
            }
        }
    }
}

#[test]
fn selections_are_sorted_and_stable() {
    for_each_width!(|s| {
        selections::<_, f32>(s);
        selections::<_, f64>(s);
    });
}

#[test]
fn lengths_are_checked() {
    let (a, b) = ([1.0f32; 3], [2.0f32; 2]);
    let wrong = Err(Error::len("b", 3, 2));
    assert_eq!(fulmen::dot(&a, &b), wrong);
    assert_eq!(fulmen::euclidean_distance(&a, &b), wrong);
    assert_eq!(fulmen::cosine_similarity(&a, &b), wrong);
    assert_eq!(fulmen::covariance(&a, &b), wrong);
    assert_eq!(fulmen::correlation(&a, &b), wrong);
    let (mut v, mut i) = ([0.0f32; 2], [9; 1]);
    let r = fulmen::top_k(&a, 2, &mut v, &mut i);
    assert_eq!(r, Err(Error::len("indices", 2, 1)));
    let r = fulmen::top_k(&a, 1, &mut v, &mut i);
    assert_eq!(r, Err(Error::len("values", 1, 2)));
    assert_eq!((v, i), ([0.0; 2], [9; 1]));
}

/// Ten million ones and tenths: naive `f32` sums are off in the third digit.
#[test]
fn long_sums_stay_accurate() {
    let x = vec![0.1f32; 10_000_000];
    let want = sum_abs(&x);
    let got = f64::from(fulmen::sum(&x));
    assert!((got - want).abs() < 2e-5 * want, "{got} for {want}");
    let got = f64::from(fulmen::sum_kahan(&x));
    assert!((got - want).abs() <= f64::from(f32::EPSILON) * want, "{got} for {want}");
}

/// The reference itself: a double-double sum keeps what a double loses.
#[test]
fn double_double_is_wider() {
    let x = [1e16, 1.0, -1e16];
    assert_eq!(x.iter().map(|x| Dd::from(*x)).sum::<Dd>().value(), 1.0);
    let third = Dd::from(1.0) / Dd::from(3.0);
    assert!((third + third + third - Dd::from(1.0)).value().abs() < 1e-30);
    let root = Dd::from(2.0).sqrt();
    assert!((root * root - Dd::from(2.0)).value().abs() < 1e-30);
}

#[cfg(feature = "parallel")]
mod parallel {
    use super::*;
    use common::compared::on_threads;

    fn bits<T: Element>(x: T) -> u64 {
        x.to_f64().to_bits()
    }

    fn same_bits<S: Simd, T: Element>(s: S) {
        for n in [1000, 5 * BLOCK + 3, 2 * leaf::<S, T>() + 3] {
            let (a, b) = (noise::<T>(n, 11, 0.2), noise::<T>(n, 12, 0.0));
            macro_rules! one {
                ($($f:ident)*) => {$(
                    assert_eq!(bits(fulmen::parallel::$f(s, &a)), bits(fulmen::$f(s, &a)), "{} {}", stringify!($f), S::NAME);
                )*};
            }
            macro_rules! fallible {
                ($($f:ident($($x:ident),+))*) => {$(
                    let (p, q) = (fulmen::parallel::$f(s, $(&$x),+), fulmen::$f(s, $(&$x),+));
                    assert_eq!(p.map(bits), q.map(bits), "{} {}", stringify!($f), S::NAME);
                )*};
            }
            one!(sum_on sum_kahan_on sum_of_squares_on norm_l1_on norm_l2_on norm_linf_on);
            fallible!(max_on(a) min_on(a) mean_on(a) variance_on(a) stddev_on(a) dot_on(a, b)
                euclidean_distance_on(a, b) cosine_similarity_on(a, b) covariance_on(a, b) correlation_on(a, b));
            assert_eq!(fulmen::parallel::argmax_on(s, &a), fulmen::argmax_on(s, &a));
            assert_eq!(fulmen::parallel::argmin_on(s, &a), fulmen::argmin_on(s, &a));
        }
    }

    #[test]
    fn reductions_give_the_same_bits_at_any_number_of_threads() {
        on_threads(2, || {
            for_each_width!(|s| {
                same_bits::<_, f32>(s);
                same_bits::<_, f64>(s);
            });
        });
        for threads in [1, 3] {
            on_threads(threads, || same_bits::<_, f32>(fulmen::lanes::native()));
        }
    }

    /// Elements that wait for another thread of the pool: there is one that works at the same time.
    #[test]
    fn both_halves_run_at_once() {
        use std::sync::Mutex;
        use std::thread::{ThreadId, current, yield_now};
        use std::time::{Duration, Instant};
        static SEEN: Mutex<(Vec<ThreadId>, Option<Instant>)> = Mutex::new((Vec::new(), None));
        #[derive(Clone, Copy)]
        struct Meets;
        impl<T: fulmen::Number> fulmen::Body<T, 1> for Meets {
            fn eval<V: fulmen::Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
                loop {
                    let mut seen = SEEN.lock().unwrap();
                    let (threads, start) = &mut *seen;
                    if !threads.contains(&current().id()) {
                        threads.push(current().id());
                    }
                    let late = start.get_or_insert_with(Instant::now).elapsed() > Duration::from_secs(20);
                    if threads.len() > 1 || late {
                        return x;
                    }
                    drop(seen);
                    yield_now();
                }
            }
        }
        let (x, mut y) = (vec![3.0f32; 70_000], vec![0.0; 70_000]);
        on_threads(2, || {
            fulmen::parallel::map(Meets, [&x], &mut y).unwrap();
        });
        assert_eq!(SEEN.lock().unwrap().0.len(), 2, "one thread did all the work");
        assert!(x == y);
    }

    #[test]
    fn element_wise_ops_give_the_same_bits_at_any_number_of_threads() {
        for threads in 1..=3 {
            on_threads(threads, || {
                for n in [0, 5, 40_000, 100_003] {
                    let (a, b) = (noise::<f32>(n, 13, 0.0), noise::<f32>(n, 14, 0.0));
                    let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
                    fulmen::add(&a, &b, &mut y).unwrap();
                    fulmen::parallel::add(&a, &b, &mut z).unwrap();
                    assert_eq!(y, z);
                    z.copy_from_slice(&a);
                    fulmen::parallel::add_in_place(&mut z, &b).unwrap();
                    assert_eq!(y, z);
                    fulmen::sqrt(&a, &mut y).unwrap();
                    fulmen::parallel::sqrt(&a, &mut z).unwrap();
                    assert!(y.iter().zip(&z).all(|(y, z)| y.to_bits() == z.to_bits()));
                    fulmen::scale(&a, 3.0, &mut y).unwrap();
                    z.copy_from_slice(&a);
                    fulmen::parallel::scale_in_place(&mut z, 3.0).unwrap();
                    assert_eq!(y, z);
                    fulmen::axpy(0.5, &a, &mut y).unwrap();
                    fulmen::parallel::axpy(0.5, &a, &mut z).unwrap();
                    assert_eq!(y, z);
                    fulmen::fma(&a, &b, &a, &mut y).unwrap();
                    fulmen::parallel::fma(&a, &b, &a, &mut z).unwrap();
                    assert_eq!(y, z);
                }
                let mut short = [0.0f32; 1];
                let wrong = Err(Error::len("out", 2, 1));
                assert_eq!(fulmen::parallel::sqrt(&[1.0, 2.0], &mut short), wrong);
            });
        }
    }
}

/// A NaN in any one block of a long slice is found.
#[test]
fn top_k_refuses_nan_in_any_block() {
    let mut x = vec![1.0f32; 300_000];
    let (mut values, mut indices) = ([0.0; 3], [0; 3]);
    for at in [0, 150_000, 299_999] {
        x[at] = f32::NAN;
        let r = fulmen::top_k(&x, 3, &mut values, &mut indices);
        assert_eq!(r, Err(fulmen::Error::nan("x")), "{at}");
        x[at] = 1.0;
    }
    assert_eq!(fulmen::top_k(&x, 3, &mut values, &mut indices), Ok(()));
}

/// Sizes and numbers of elements drawn at random, in orders that heaps, pivots and digits find hard.
#[test]
fn selections_of_any_size() {
    fn of<T: Element>(r: &mut Noise) {
        let n = r.size(6000);
        let k = if r.one_in(3) { r.within(0..=n) } else { r.size(n) };
        let kind = r.within(0..=6);
        let x: Vec<T> = (0..n)
            .map(|i| match (kind, r.bits()) {
                (0, _) => T::from_usize(i),
                (1, _) => T::from_usize(n - i),
                (2, bits) => T::from_f64([0.0, -0.0, 1.0, f64::INFINITY, -1.0][bits as usize % 5]),
                // Of every exponent, subnormal numbers too.
                (3, bits) => T::from_f64(f64::from(f32::from_bits(
                    bits as u32 & 0xbf7f_ffff | bits as u32 & 0x4000_0000 & ((bits >> 8) as u32),
                ))),
                (4, bits) => T::from_f64(1e6 + (bits >> 40) as f64 / 1e9),
                // One behind many equal ones.
                (5, _) => T::from_f64(if i + 1 == n { 2.0 } else { 1.0 }),
                (_, bits) => T::from_f64((bits >> 11) as f64 / (1u64 << 53) as f64 - 0.5),
            })
            .collect();
        let mut order: Vec<u32> = (0..n as u32).collect();
        for largest in [true, false] {
            let first = |i: &u32, j: &u32| {
                if largest { (*j as usize, *i as usize) } else { (*i as usize, *j as usize) }
            };
            order.sort_unstable_by(|i, j| {
                let (a, b) = first(i, j);
                x[a].partial_cmp(&x[b]).unwrap().then(i.cmp(j))
            });
            let (mut values, mut indices) = (vec![T::NAN; k], vec![u32::MAX; k]);
            let op = if largest { fulmen::top_k } else { fulmen::bottom_k };
            op(&x, k, &mut values, &mut indices).unwrap();
            assert!(indices == order[..k], "{} kind {kind}, n = {n}, k = {k}, largest: {largest}", T::NAME);
            let bits = |x: T| x.to_f64().to_bits();
            assert!(values.iter().zip(&indices).all(|(v, i)| bits(*v) == bits(x[*i as usize])));
        }
    }
    let r = &mut Seed::new("selections_of_any_size").stream("selections");
    for _ in 0..60 {
        of::<f32>(r);
        of::<f64>(r);
    }
}
