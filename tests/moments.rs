//! Statistics and norms of data far from zero, up to 10⁷ elements: what eight whole numbers repeated are on top of a mean
//! of up to 10⁸ times their spread is known exactly, so the reference costs nothing.

use common::lanes::*;
use common::reference::reduce::*;
use fulmen::Element;
use fulmen::lanes::Simd;

const A: [f64; 8] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
const B: [f64; 8] = [3.0, 0.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0];

/// Their mean and variance, and what both vary together.
const MEAN: f64 = 3.5;
const VARIANCE: f64 = 5.25;
fn covariance_of_both() -> f64 {
    A.iter().zip(B).map(|(a, b)| (a - MEAN) * (b - MEAN)).sum::<f64>() / 8.0
}

/// The largest mean at which `T` still holds the whole numbers: 3·10⁶ times the spread, 10⁸ times in `f64`.
fn far<T: Element>() -> f64 {
    if T::NAME == "f32" { 10_000_000.0 } else { 240_000_000.0 }
}

fn on_top<T: Element>(n: usize, mean: f64, pattern: [f64; 8]) -> Vec<T> {
    pattern.map(|v| T::from_f64(mean + v)).into_iter().cycle().take(n).collect()
}

#[track_caller]
fn close<S: Simd, T: Element>(s: S, what: &str, n: usize, got: T, want: f64, off: f64) {
    let got = got.to_f64();
    assert!(
        (got - want).abs() <= off,
        "{what} {} {}, n = {n}: {got:e}, not {want:e} ± {off:e}",
        T::NAME,
        name_of(s)
    );
}

fn statistics<S: Simd, T: Element>(s: S, n: usize) {
    let (a, b) = (on_top::<T>(n, far::<T>(), A), on_top::<T>(n, -0.9 * far::<T>(), B));
    // Relative to the spread alone.
    let off = Moments::share::<S, T>(n);
    close(s, "variance", n, fulmen::variance_on(s, &a).unwrap(), VARIANCE, off * VARIANCE);
    let sigma = VARIANCE.sqrt();
    close(s, "stddev", n, fulmen::stddev_on(s, &a).unwrap(), sigma, off * sigma);
    let both = covariance_of_both();
    close(s, "covariance", n, fulmen::covariance_on(s, &a, &b).unwrap(), both, off * VARIANCE);
    close(s, "correlation", n, fulmen::correlation_on(s, &a, &b).unwrap(), both / VARIANCE, 2.0 * off);
    let (same, var) = (fulmen::covariance_on(s, &a, &a).unwrap(), fulmen::variance_on(s, &a).unwrap());
    close(s, "covariance with itself", n, same, var.to_f64(), off * VARIANCE);
    close(s, "correlation with itself", n, fulmen::correlation_on(s, &a, &a).unwrap(), 1.0, 2.0 * off);
    #[cfg(feature = "parallel")]
    {
        use fulmen::parallel as p;
        let equal = |what: &str, one: T, many: T| assert!(one == many, "{what} on threads, n = {n}");
        equal("variance", var, p::variance_on(s, &a).unwrap());
        equal("stddev", fulmen::stddev_on(s, &a).unwrap(), p::stddev_on(s, &a).unwrap());
        equal("covariance", same, p::covariance_on(s, &a, &a).unwrap());
        let one = fulmen::correlation_on(s, &a, &b).unwrap();
        equal("correlation", one, p::correlation_on(s, &a, &b).unwrap());
    }
}

/// Every element of a row that repeats eight values, `want` being those of each.
#[track_caller]
fn row<S: Simd, T: Element>(s: S, what: &str, got: &[T], want: [f64; 8], off: f64) {
    let worst = got.chunks(8).flat_map(|g| g.iter().zip(want).map(|(g, w)| (g.to_f64() - w).abs()));
    let worst = worst.fold(0.0, |a: f64, b| if b <= a { a } else { b });
    assert!(worst <= off, "{what} {} {}, n = {}: off by {worst:e} > {off:e}", T::NAME, name_of(s), got.len());
}

fn rows<S: Simd, T: Element>(s: S, n: usize) {
    let x = on_top::<T>(n, far::<T>(), A);
    let eps = T::from_f64(0.75);
    let (ones, zeros) = (vec![T::ONE; n], vec![T::ZERO; n]);
    // The largest result is 1.53; the rest is the mean's own error and that of the scale.
    let off = 4.0 * Moments::share::<S, T>(n) + 16.0 * unit::<T>();
    let want = |scale: f64| A.map(|a| (a - MEAN) * scale);
    let mut y = zeros.clone();
    fulmen::zscore_on(s, &x, n, &mut y).unwrap();
    row(s, "zscore", &y, want(1.0 / VARIANCE.sqrt()), off);
    let scale = 1.0 / (VARIANCE + 0.75).sqrt();
    fulmen::layer_norm_on(s, &x, &ones, &zeros, eps, &mut y).unwrap();
    row(s, "layer_norm", &y, want(scale), off);
    fulmen::layer_norm_simple_on(s, &x, n, eps, &mut y).unwrap();
    row(s, "layer_norm_simple", &y, want(scale), off);
    // Its gradient for dy = 1, 0, 0, 0, 0, 0, 0, 0 and so on: g less its mean, less what lies along x̂.
    let dy = on_top::<T>(n, 0.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let (mut dgamma, mut dbeta) = (zeros.clone(), zeros.clone());
    fulmen::layer_norm_backward_on(s, &x, &ones, &dy, eps, &mut y, &mut dgamma, &mut dbeta).unwrap();
    let unit_row = want(scale);
    let along = unit_row[0] / 8.0;
    let dx = [0, 1, 2, 3, 4, 5, 6, 7]
        .map(|k| scale * (if k == 0 { 1.0 } else { 0.0 } - 0.125 - unit_row[k] * along));
    row(s, "layer_norm_backward", &y, dx, 4.0 * off);
    row(s, "dgamma", &dgamma, [unit_row[0], 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], off);
    // Squares that would overflow and underflow at their own size.
    for e in if T::NAME == "f32" { [70, -90] } else { [600, -700] } {
        let p = 2f64.powi(e);
        let x = on_top::<T>(n, 0.0, A.map(|a| (a + 1.0) * p));
        let mean: f64 = A.iter().map(|a| (a + 1.0) * (a + 1.0)).sum::<f64>() / 8.0;
        fulmen::rms_norm_on(s, &x, &ones, T::ZERO, &mut y).unwrap();
        row(s, "rms_norm", &y, A.map(|a| (a + 1.0) / mean.sqrt()), off);
        fulmen::zscore_on(s, &x, n, &mut y).unwrap();
        row(s, "zscore", &y, want(1.0 / VARIANCE.sqrt()), off);
        close(s, "stddev", n, fulmen::stddev_on(s, &x).unwrap(), VARIANCE.sqrt() * p, off * p);
    }
}

/// The same values in order from the `first` one on: where the first elements tell nothing of the mean, or little.
fn ordered<S: Simd, T: Element>(s: S, n: usize, first: usize) {
    let at = |i: usize| (i * 8 / n + first) % 8;
    let of =
        |mean: f64, values: [f64; 8]| (0..n).map(|i| T::from_f64(mean + values[at(i)])).collect::<Vec<T>>();
    let (a, b) = (of(far::<T>(), A), of(-0.9 * far::<T>(), B));
    let off = Moments::share::<S, T>(n);
    close(s, "variance in order", n, fulmen::variance_on(s, &a).unwrap(), VARIANCE, off * VARIANCE);
    let both = covariance_of_both();
    close(s, "covariance in order", n, fulmen::covariance_on(s, &a, &b).unwrap(), both, off * VARIANCE);
    let off = 4.0 * off + 16.0 * unit::<T>();
    let rows = |what: &str, got: &[T], want: [f64; 8], off: f64| {
        for (i, y) in got.iter().enumerate() {
            close(s, what, n, *y, want[at(i)], off);
        }
    };
    let eps = T::from_f64(0.75);
    let (ones, zeros) = (vec![T::ONE; n], vec![T::ZERO; n]);
    let mut y = zeros.clone();
    fulmen::zscore_on(s, &a, n, &mut y).unwrap();
    rows("zscore in order", &y, A.map(|a| (a - MEAN) / VARIANCE.sqrt()), off);
    let scale = 1.0 / (VARIANCE + 0.75).sqrt();
    fulmen::layer_norm_on(s, &a, &ones, &zeros, eps, &mut y).unwrap();
    let unit_row = A.map(|a| (a - MEAN) * scale);
    rows("layer_norm in order", &y, unit_row, off);
    // For dy = 1 where the value is A[7], else 0.
    let dy = of(0.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let (mut dgamma, mut dbeta) = (zeros.clone(), zeros.clone());
    fulmen::layer_norm_backward_on(s, &a, &ones, &dy, eps, &mut y, &mut dgamma, &mut dbeta).unwrap();
    let along = unit_row[7] / 8.0;
    let dx = [0, 1, 2, 3, 4, 5, 6, 7]
        .map(|k| scale * (if k == 7 { 1.0 } else { 0.0 } - 0.125 - unit_row[k] * along));
    rows("layer_norm_backward in order", &y, dx, 4.0 * off);
}

/// The first elements are as far from the others as a mean of them can be: eleven standard deviations from that of all.
fn misled<S: Simd, T: Element>(s: S) {
    let (n, first) = (16_384, 128);
    let x: Vec<f64> = (0..n).map(|i| if i < first { 0.0 } else { 1e6 + 1.3 * A[i % 8] }).collect();
    let x: Vec<T> = x.into_iter().map(T::from_f64).collect();
    // A mean in `f64` is exact enough, whose squares go to 2^40.
    let wide: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
    let mean = wide.iter().sum::<f64>() / n as f64;
    let variance = wide.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
    let off = (Moments::share::<S, T>(n) + 1e-13) * variance;
    close(s, "variance of two heaps", n, fulmen::variance_on(s, &x).unwrap(), variance, off);
    close(s, "covariance of two heaps", n, fulmen::covariance_on(s, &x, &x).unwrap(), variance, off);
}

#[test]
fn nor_does_an_order() {
    for_each_lane!(|s| {
        misled::<_, f32>(s);
        misled::<_, f64>(s);
        // The first values are off by 1.5 to .2 standard deviations, on both sides.
        for first in 0..8 {
            for n in [1280, 16_392] {
                ordered::<_, f32>(s, n, first);
                ordered::<_, f64>(s, n, first);
            }
        }
    });
}

/// One element of a thousand is the next value: the spread is a thirtieth of an ulp, the mean 10⁸ times as large.
fn rare<S: Simd, T: Element>(s: S) {
    let (n, least) = (100_000, 2.0 * unit::<T>());
    let mut x = vec![T::ONE; n];
    x.iter_mut().skip(417).step_by(1000).for_each(|x| *x = T::from_f64(1.0 + least));
    let (variance, off) = (0.001 * 0.999 * least * least, Moments::share::<S, T>(n));
    close(s, "variance", n, fulmen::variance_on(s, &x).unwrap(), variance, off * variance);
    close(s, "covariance", n, fulmen::covariance_on(s, &x, &x).unwrap(), variance, off * variance);
    close(s, "correlation", n, fulmen::correlation_on(s, &x, &x).unwrap(), 1.0, 2.0 * off);
    let mut y = vec![T::ZERO; n];
    fulmen::zscore_on(s, &x, n, &mut y).unwrap();
    let unit = 1.0 / (0.001f64 * 0.999).sqrt();
    close(s, "zscore", n, y[0], -0.001 * unit, off);
    close(s, "zscore", n, y[417], 0.999 * unit, 64.0 * off);
}

#[test]
fn a_large_mean_costs_no_digits() {
    for_each_lane!(|s| {
        for n in [8, 128, 50_000] {
            statistics::<_, f32>(s, n);
            statistics::<_, f64>(s, n);
        }
        for n in [8, 128, 16_392] {
            rows::<_, f32>(s, n);
            rows::<_, f64>(s, n);
        }
        rare::<_, f32>(s);
        rare::<_, f64>(s);
    });
}

/// On the build's own lanes only, since the tree is what is long here; a tenth of that without optimisation.
#[test]
fn nor_do_ten_million_elements() {
    let (s, n) = (fulmen::lanes::native(), if cfg!(debug_assertions) { 1_000_000 } else { 10_000_000 });
    statistics::<_, f32>(s, n);
    statistics::<_, f64>(s, n);
    rows::<_, f32>(s, n / 10);
    rows::<_, f64>(s, n / 10);
}
