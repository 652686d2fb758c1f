//! Statistics of fixed seeds: where a bound is passed, a fair sample would pass it less than once in a million.

use super::*;

const N: usize = 1 << 16;

/// The largest distance of a sample from its distribution function, times √n: of a fair one 2.7 at most.
fn kolmogorov(name: &str, mut x: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    x.sort_by(f64::total_cmp);
    let n = x.len() as f64;
    let off = x.iter().enumerate().map(|(i, x)| {
        let f = cdf(*x);
        assert!((0.0..=1.0).contains(&f), "{name}: {x:e}");
        (f - i as f64 / n).abs().max(((i + 1) as f64 / n - f).abs())
    });
    let d = off.fold(0.0, f64::max) * n.sqrt();
    assert!(d < 2.7, "{name}: Kolmogorov and Smirnov's distance is {d}");
    // A distance near 0 is as unlikely.
    assert!(d > 0.25, "{name}: Kolmogorov and Smirnov's distance is but {d}");
}

/// Counts of bins that are as likely: within five standard deviations of χ².
fn chi_square(name: &str, counts: &[usize]) {
    let (k, n) = (counts.len() as f64, counts.iter().sum::<usize>() as f64);
    let each = n / k;
    let chi: f64 = counts.iter().map(|c| (*c as f64 - each).powi(2) / each).sum();
    // Wilson and Hilferty: its cube root is nearly normal.
    let z = ((chi / (k - 1.0)).cbrt() - (1.0 - 2.0 / (9.0 * (k - 1.0)))) / (2.0 / (9.0 * (k - 1.0))).sqrt();
    assert!(z.abs() < 5.0, "{name}: χ² is {chi} for {k} bins, {z} standard deviations off");
}

/// Sums of `n` terms of this mean and variance: within five standard deviations.
fn mean(name: &str, x: impl Iterator<Item = f64>, mean: f64, variance: f64) {
    let (sum, n) = x.fold((0.0, 0.0), |(s, n), x| (s + x, n + 1.0));
    let z = (sum / n - mean) / (variance / n).sqrt();
    assert!(z.abs() < 5.0, "{name} is {}, {z} standard deviations off", sum / n);
}

fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

fn wide<T: Variate>(x: &[T]) -> Vec<f64> {
    x.iter().map(|x| x.to_f64()).collect()
}

fn reals<T: Variate>() {
    let s = Stream::new(2026).with_id(if T::NAME == "f32" { 1 } else { 2 });
    let name = |what: &str| format!("{what} of {}", T::NAME);
    let mut x = vec![T::ZERO; N];

    uniform(s, &mut x);
    let u = wide(&x);
    mean(&name("the mean"), u.iter().copied(), 0.5, 1.0 / 12.0);
    mean(&name("the square"), u.iter().map(|u| u * u), 1.0 / 3.0, 4.0 / 45.0);
    for lag in [1, 2, 3, 4, 16, 32, 64] {
        let products = u.windows(lag + 1).map(|w| (w[0] - 0.5) * (w[lag] - 0.5));
        mean(&name(&format!("the product {lag} apart")), products, 0.0, 1.0 / 144.0);
    }
    let mut bins = [0; 256];
    u.iter().for_each(|u| bins[(u * 256.0) as usize] += 1);
    chi_square(&name("uniform"), &bins);
    let mut pairs = [0; 256];
    u.windows(2).step_by(2).for_each(|w| pairs[(w[0] * 16.0) as usize * 16 + (w[1] * 16.0) as usize] += 1);
    chi_square(&name("pairs"), &pairs);
    kolmogorov(&name("uniform"), u, |u| u);

    normal(s, T::ZERO, T::ONE, &mut x).unwrap();
    let z = wide(&x);
    for (power, moment, variance) in [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)] {
        mean(&name(&format!("moment {power}")), z.iter().map(|z| z.powi(power)), moment, variance);
    }
    for limit in [1.0, 2.0, 3.0, 3.5] {
        let p = phi(-limit);
        mean(&name("above"), z.iter().map(|z| f64::from(*z > limit)), p, p * (1.0 - p));
        mean(&name("below"), z.iter().map(|z| f64::from(*z < -limit)), p, p * (1.0 - p));
    }
    // Both of a pair come from one radius: neither they nor their squares go together.
    mean(&name("the product of a pair"), z.chunks(2).map(|z| z[0] * z[1]), 0.0, 1.0);
    mean(&name("of their squares"), z.chunks(2).map(|z| (z[0] * z[0] - 1.0) * (z[1] * z[1] - 1.0)), 0.0, 4.0);
    let mut octants = [0; 8];
    z.chunks(2).for_each(|z| {
        octants[usize::from(z[0] < 0.0) * 4
            + usize::from(z[1] < 0.0) * 2
            + usize::from(z[0].abs() < z[1].abs())] += 1;
    });
    chi_square(&name("angles"), &octants);
    kolmogorov(&name("normal"), z, phi);

    exponential(s, T::from_f64(0.5), &mut x).unwrap();
    let e = wide(&x);
    mean(&name("the mean of exponential"), e.iter().copied(), 0.5, 0.25);
    mean(&name("above ln 1000"), e.iter().map(|e| f64::from(*e > 0.5 * 1000f64.ln())), 1e-3, 1e-3);
    kolmogorov(&name("exponential"), e, |e| -(-2.0 * e).exp_m1());

    // Limits in standard deviations: each way to draw, and the ends of each.
    let inf = f64::INFINITY;
    for (low, high) in [
        (-1.0, 2.0),
        (-inf, inf),
        (-inf, 1.0),
        (-0.5, 0.7),
        (0.0, 1.5),
        (0.5, inf),
        (1.0, 1.25),
        (3.0, 3.5),
        (6.0, inf),
        (-7.0, -5.0),
        (-inf, -2.0),
        (-30.0, -20.0),
    ] {
        let name = name(&format!("normal from {low} to {high}"));
        let (center, spread) = (3.0, 0.25);
        let x = &mut x[..N / 8];
        let [a, b] = [low, high].map(|l| T::from_f64(center + spread * l));
        truncated_normal(s, T::from_f64(center), T::from_f64(spread), a, b, x).unwrap();
        assert!(x.iter().all(|x| *x >= a && *x <= b), "{name}");
        // Far out on one side, from the end that is not 0.
        let (a, b, sign) = if high < 0.0 { (-high, -low, -1.0) } else { (low, high, 1.0) };
        let above = |x: f64| phi(-x);
        let cdf = |x: f64| {
            let z = sign * (x - center) / spread;
            let p = ((above(a) - above(z)) / (above(a) - above(b))).clamp(0.0, 1.0);
            if sign < 0.0 { 1.0 - p } else { p }
        };
        kolmogorov(&name, wide(x), cdf);
    }
}

fn ranges<I: Integer + Into<i128>>(limits: impl Fn(u32) -> (I, I)) {
    for k in [2, 3, 6, 7, 100, 128] {
        let (low, high) = limits(k);
        let mut out = vec![I::default(); N / 4];
        integers(stream(k.into()), low, high, &mut out).unwrap();
        let mut counts = vec![0; k as usize];
        out.into_iter().for_each(|x| counts[(x.into() - low.into()) as usize] += 1);
        chi_square(&format!("integers of {k}"), &counts);
    }
}

#[test]
fn distributions() {
    reals::<f32>();
    reals::<f64>();
    ranges::<u32>(|k| (7, 6 + k));
    ranges::<i32>(|k| (-50, k as i32 - 51));
    ranges::<u64>(|k| (u64::MAX - u64::from(k) + 1, u64::MAX));
    ranges::<i64>(|k| (i64::MIN, i64::MIN + i64::from(k) - 1));
    // Multiply and shift without a second draw would make a third of these one half more likely.
    let mut out = vec![0u32; N];
    integers(stream(0), 0, 0xbfff_ffff, &mut out).unwrap();
    let mut thirds = [0; 3];
    out.iter().for_each(|x| thirds[(x % 3) as usize] += 1);
    chi_square("two thirds of all words", &thirds);
    for p in [0.5, 0.3, 1e-3, 0.999] {
        let mut out = vec![false; N];
        bernoulli(stream(9), p, &mut out).unwrap();
        mean("bernoulli", out.into_iter().map(|b| f64::from(u8::from(b))), p, p * (1.0 - p));
    }
    let mut words = vec![0u32; N];
    random_bits(stream(0), &mut words);
    for bit in 0..32 {
        mean("a bit", words.iter().map(|w| f64::from(w >> bit & 1)), 0.5, 0.25);
    }
    // Streams next to each other, and keys: words differ in half of their bits.
    for other in [stream(0).with_id(stream(0).id + 1), Stream { key: stream(0).key + 1, ..stream(0) }] {
        let mut others = vec![0u32; N];
        random_bits(other, &mut others);
        mean("a distance", words.iter().zip(others).map(|(a, b)| f64::from((a ^ b).count_ones())), 16.0, 8.0);
    }
}

#[test]
fn orders_are_as_likely() {
    let mut counts = std::collections::BTreeMap::new();
    for i in 0..24_000 {
        let mut x = [0, 1, 2, 3];
        permutation(Stream::new(5).skip(4 * i), &mut x);
        *counts.entry(x).or_insert(0) += 1;
    }
    let counts: Vec<usize> = counts.into_values().collect();
    assert_eq!(counts.len(), 24);
    chi_square("orders of four", &counts);
}
