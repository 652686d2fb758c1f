//! Row ops against references with an error bound for each element, on every lane, serial and
//! parallel, in place and out of place.

use common::lanes::*;
use common::reference::reduce::{BLOCK, unit};
use common::reference::rows::*;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

fn noise<T: Element>(n: usize, seed: u64, spread: f64, centre: f64) -> Vec<T> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        T::from_f64(((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0) * spread + centre)
    };
    (0..n).map(|_| next()).collect()
}

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

/// A row op with its parameters, out of place and in place, on a token.
trait Op<T: Element> {
    const NAME: &'static str;
    fn out<S: Simd>(s: S, x: &[T], cols: usize, out: &mut [T]) -> Result<(), Error>;
    fn over<S: Simd>(s: S, x: &mut [T], cols: usize) -> Result<(), Error>;
    #[cfg(feature = "parallel")]
    fn parallel<S: Simd>(s: S, x: &[T], cols: usize, out: &mut [T]) -> Result<(), Error>;
    #[cfg(feature = "parallel")]
    fn parallel_over<S: Simd>(s: S, x: &mut [T], cols: usize) -> Result<(), Error>;
    fn want<S: Simd>(x: &[T]) -> Vec<Bounded>;
}

const EPS: f64 = 1e-3;

fn eps<T: Element>() -> T {
    T::from_f64(EPS)
}

fn gamma<T: Element>(cols: usize) -> Vec<T> {
    noise(cols, 21, 1.0, 0.5)
}

fn beta<T: Element>(cols: usize) -> Vec<T> {
    noise(cols, 22, 2.0, 0.0)
}

macro_rules! ops {
    ($($Op:ident $f:ident $on:ident $over:ident ($cols:ident) [$($arg:expr),*] |$x:ident| $want:expr;)*) => {
        $(
            struct $Op;
            impl<T: Element> Op<T> for $Op {
                const NAME: &'static str = stringify!($f);
                fn out<S: Simd>(s: S, x: &[T], $cols: usize, out: &mut [T]) -> Result<(), Error> {
                    fulmen::$on(s, x, $($arg,)* out)
                }
                fn over<S: Simd>(s: S, x: &mut [T], $cols: usize) -> Result<(), Error> {
                    fulmen::$over(s, x, $($arg),*)
                }
                #[cfg(feature = "parallel")]
                fn parallel<S: Simd>(s: S, x: &[T], $cols: usize, out: &mut [T]) -> Result<(), Error> {
                    fulmen::parallel::$on(s, x, $($arg,)* out)
                }
                #[cfg(feature = "parallel")]
                fn parallel_over<S: Simd>(s: S, x: &mut [T], $cols: usize) -> Result<(), Error> {
                    fulmen::parallel::$over(s, x, $($arg),*)
                }
                fn want<S: Simd>($x: &[T]) -> Vec<Bounded> {
                    $want
                }
            }
        )*
        /// Calls `$check::<S, T, Op>(s)` for each op.
        macro_rules! for_each_row_op {
            ($check:ident, $s:expr, $T:ty) => {{ $($check::<_, $T, $Op>($s);)* }};
        }
    };
}
ops! {
    Softmax softmax softmax_on softmax_in_place_on (cols) [cols] |x| softmax::<S, T>(x, false);
    LogSoftmax log_softmax log_softmax_on log_softmax_in_place_on (cols) [cols] |x| softmax::<S, T>(x, true);
    LayerNorm layer_norm layer_norm_on layer_norm_in_place_on (cols) [&gamma::<T>(cols), &beta::<T>(cols), eps()] |x|
        standard::<S, T>(x, Some((&gamma(x.len()), &beta(x.len()))), eps::<T>().to_f64());
    LayerNormSimple layer_norm_simple layer_norm_simple_on layer_norm_simple_in_place_on (cols) [cols, eps()] |x|
        standard::<S, T>(x, None, eps::<T>().to_f64());
    RmsNorm rms_norm rms_norm_on rms_norm_in_place_on (cols) [&gamma::<T>(cols), eps()] |x|
        by_length::<S, T>(x, x.len() as f64, eps::<T>().to_f64(), Some(&gamma(x.len())));
    Normalize normalize normalize_on normalize_in_place_on (cols) [cols] |x| by_length::<S, T>(x, 1.0, 0.0, None);
    Zscore zscore zscore_on zscore_in_place_on (cols) [cols] |x|
        if x.len() == 1 { vec![(0.0, 0.0)] } else { standard::<S, T>(x, None, 0.0) };
    MinmaxNormalize minmax_normalize minmax_normalize_on minmax_normalize_in_place_on (cols) [cols] |x| interval(x);
}

/// The op on rows of data, against the reference; in place and alone give the same bits.
fn rows_agree<S: Simd, T: Element, O: Op<T>>(s: S, rows: usize, cols: usize, spread: f64, offset: usize) {
    let n = rows * cols;
    let data = noise::<T>(n + 8, 23, spread, 0.25 * spread);
    let x = &data[offset..][..n];
    // Sentinels on both sides of the output.
    let mut out = vec![T::from_f64(7.0); n + 2];
    O::out(s, x, cols, &mut out[1..=n]).unwrap();
    assert!(out[0] == T::from_f64(7.0) && out[n + 1] == T::from_f64(7.0), "{} wrote outside", O::NAME);
    let out = &out[1..=n];
    let mut over = x.to_vec();
    O::over(s, &mut over, cols).unwrap();
    assert_eq!(bits(out), bits(&over), "{} {} in place, {rows} × {cols}", O::NAME, S::NAME);
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (tolerance, length) = (spec(O::NAME).and_then(|c| c.tolerance(T::NAME)).unwrap(), vec![0.0; cols]);
    let scales = |of: fn(usize) -> Vec<T>, has: &[&str]| {
        if has.contains(&O::NAME) { wide(&of(cols)) } else { vec![] }
    };
    let (g, b) = (scales(gamma, &["layer_norm", "rms_norm"]), scales(beta, &["layer_norm"]));
    let small = if ["normalize", "zscore"].contains(&O::NAME) { 0.0 } else { eps::<T>().to_f64() };
    let mut errors = common::Errors::of(O::NAME, T::NAME, S::NAME);
    for (r, (x, y)) in x.chunks(cols).zip(out.chunks(cols)).enumerate() {
        let mut masses = masses(O::NAME, &wide(x), [&g, &b], small).into_iter();
        for (i, (y, (want, off))) in y.iter().zip(O::want::<S>(x)).enumerate() {
            let y = y.to_f64();
            let mass = masses.next().filter(|m| !m.is_nan()).unwrap_or(want.abs());
            errors.see((y - want).abs(), tolerance.allowed::<T>(want, &[&length], mass), cols);
            assert!(
                (y - want).abs() <= off || y == want,
                "{} {} {}, {rows} × {cols}, row {r}, column {i}: {y:e}, not {want:e} ± {off:e}",
                O::NAME,
                S::NAME,
                T::NAME
            );
        }
        if r < 2 {
            let mut alone = vec![T::ZERO; cols];
            O::out(s, x, cols, &mut alone).unwrap();
            assert_eq!(bits(y), bits(&alone), "{} {}: a row depends on others", O::NAME, S::NAME);
        }
    }
}

fn every_length<S: Simd, T: Element, O: Op<T>>(s: S) {
    for cols in (1..=2 * 16 + 1).chain([63, 64, 65, 127, 129, 257]) {
        rows_agree::<S, T, O>(s, 3, cols, [1.0, 20.0, 200.0][cols % 3], cols % 4);
    }
    for cols in [BLOCK - 1, BLOCK + 1] {
        rows_agree::<S, T, O>(s, 1, cols, 5.0, 1);
    }
    let empty = O::out(s, &[], 5, &mut []);
    assert_eq!(empty, Ok(()), "no rows are whole rows");
}

#[test]
fn rows_keep_their_bounds() {
    for_each_width!(|s| {
        for_each_row_op!(every_length, s, f32);
        for_each_row_op!(every_length, s, f64);
    });
}

/// Rows beyond the size where softmax takes its exponentials twice, and beyond the leaf of the tree.
#[test]
fn long_rows_keep_their_bounds() {
    fn long<S: Simd, T: Element, O: Op<T>>(s: S) {
        rows_agree::<S, T, O>(s, 1, LONG_ROW / size_of::<T>() + 4099, 10.0, 1);
    }
    for_each_width!(|s| {
        long::<_, f32, Softmax>(s);
        long::<_, f64, Softmax>(s);
        long::<_, f32, LogSoftmax>(s);
        long::<_, f32, LayerNorm>(s);
    });
}

/// A row with NaN or an infinity becomes NaN as a whole where the docs say so; the others don't care.
fn poison<S: Simd, T: Element, O: Op<T>>(s: S) {
    let spreads_infinity = !matches!(O::NAME, "rms_norm" | "normalize");
    for cols in [1, 2, 5, 16, 33, 70] {
        for at in 0..cols {
            for bad in [T::NAN, T::INFINITY, -T::INFINITY] {
                let masked = bad == -T::INFINITY && O::NAME.ends_with("softmax");
                if masked || (bad.to_f64().is_infinite() && !spreads_infinity) {
                    continue;
                }
                let clean = noise::<T>(3 * cols, 24, 1.0, 0.0);
                let mut x = clean.clone();
                x[cols + at] = bad;
                let (mut y, mut want) = (x.clone(), clean);
                O::over(s, &mut y, cols).unwrap();
                O::over(s, &mut want, cols).unwrap();
                let label = format!("{} {} {bad:?} at {at} of {cols}", O::NAME, S::NAME);
                assert!(y[cols..2 * cols].iter().all(|y| y.to_f64().is_nan()), "{label}");
                assert_eq!(bits(&y[..cols]), bits(&want[..cols]), "{label}");
                assert_eq!(bits(&y[2 * cols..]), bits(&want[2 * cols..]), "{label}");
            }
        }
    }
}

#[test]
fn nan_and_infinity_stay_in_their_row() {
    for_each_width!(|s| {
        for_each_row_op!(poison, s, f32);
        for_each_row_op!(poison, s, f64);
    });
}

fn masks<S: Simd, T: Element>(s: S) {
    let neg = -T::INFINITY;
    for cols in [1, 3, 16, 37, 300] {
        let mut x = noise::<T>(3 * cols, 25, 3.0, 0.0);
        x[cols..2 * cols].fill(neg);
        for i in (0..cols).step_by(2) {
            x[i] = neg;
        }
        let mut p = vec![T::ONE; 3 * cols];
        fulmen::softmax_on(s, &x, cols, &mut p).unwrap();
        assert!(x.iter().zip(&p).all(|(x, p)| (*x == neg) == (*p == T::ZERO)), "{} cols = {cols}", S::NAME);
        assert!(p[cols..2 * cols].iter().all(|p| *p == T::ZERO));
        fulmen::log_softmax_on(s, &x, cols, &mut p).unwrap();
        assert!(x.iter().zip(&p).all(|(x, p)| (*x == neg) == (*p == neg)), "{} cols = {cols}", S::NAME);
    }
    // Large values of either sign, and a spread past the range of the exponential.
    let big = T::from_f64(if T::NAME == "f32" { 3e38 } else { 1e308 });
    for (x, want) in [
        ([big, big], [0.5, 0.5]),
        ([-big, -big], [0.5, 0.5]),
        ([big, -big], [1.0, 0.0]),
        ([T::ZERO, T::from_f64(-1e4)], [1.0, 0.0]),
        ([-T::ZERO, T::ZERO], [0.5, 0.5]),
    ] {
        let mut p = x;
        fulmen::softmax_in_place_on(s, &mut p, 2).unwrap();
        assert_eq!(p.map(T::to_f64), want, "{} {x:?}", S::NAME);
    }
}

#[test]
fn masked_entries_and_rows_are_zero() {
    for_each_width!(|s| {
        masks::<_, f32>(s);
        masks::<_, f64>(s);
    });
}

/// The sum of a row of probabilities, and what adding a constant changes (nothing, where it is exact).
fn probabilities<S: Simd, T: Element>(s: S) {
    for cols in [2, 17, 1000, 20_000] {
        let x: Vec<T> =
            noise::<f64>(cols, 26, 8.0, 0.0).iter().map(|x| T::from_f64((x * 64.0).round() / 64.0)).collect();
        let shifted: Vec<T> = x.iter().map(|x| *x + T::from_f64(1000.0)).collect();
        let (mut p, mut q) = (x.clone(), shifted);
        fulmen::softmax_in_place_on(s, &mut p, cols).unwrap();
        fulmen::softmax_in_place_on(s, &mut q, cols).unwrap();
        assert_eq!(bits(&p), bits(&q), "{} cols = {cols}", S::NAME);
        let total: f64 = p.iter().map(|p| p.to_f64()).sum();
        let off = common::reference::reduce::gamma::<T>(common::reference::reduce::depth::<S, T>(cols) + 4.0);
        assert!((total - 1.0).abs() <= off, "{} cols = {cols}: {total}", S::NAME);
    }
}

#[test]
fn softmax_sums_to_one_and_ignores_a_shift() {
    for_each_width!(|s| {
        probabilities::<_, f32>(s);
        probabilities::<_, f64>(s);
    });
}

fn degenerate<S: Simd, T: Element>(s: S) {
    let tenth = T::from_f64(0.1);
    for cols in [1, 2, 3, 10, 33, 1000, BLOCK + 5] {
        let constant = vec![tenth; cols];
        let mut y = constant.clone();
        fulmen::zscore_in_place_on(s, &mut y, cols).unwrap();
        assert!(y.iter().all(|y| *y == T::ZERO), "zscore {} cols = {cols}", S::NAME);
        y.copy_from_slice(&constant);
        fulmen::minmax_normalize_in_place_on(s, &mut y, cols).unwrap();
        assert!(y.iter().all(|y| *y == T::ZERO), "minmax {} cols = {cols}", S::NAME);
        let zeros = vec![T::ZERO; cols];
        fulmen::normalize_on(s, &zeros, cols, &mut y).unwrap();
        assert!(y.iter().all(|y| *y == T::ZERO), "normalize {} cols = {cols}", S::NAME);
        let (gamma, beta) = (gamma::<T>(cols), beta::<T>(cols));
        fulmen::layer_norm_on(s, &constant, &gamma, &beta, T::from_f64(1e-5), &mut y).unwrap();
        assert_eq!(bits(&y), bits(&beta), "layer_norm {} cols = {cols}", S::NAME);
        fulmen::rms_norm_on(s, &zeros, &gamma, T::from_f64(1e-5), &mut y).unwrap();
        assert!(y.iter().all(|y| *y == T::ZERO));
    }
    // Rows whose squares overflow or underflow, and a difference that overflows.
    let (big, small) = if T::NAME == "f32" { (120, -140) } else { (1020, -1060) };
    for e in [big, small] {
        let p = 2f64.powi(e / 2) * 2f64.powi(e - e / 2);
        let mut x = [3.0, -4.0].map(|x| T::from_f64(x * p));
        fulmen::normalize_in_place_on(s, &mut x, 2).unwrap();
        let u = unit::<T>();
        assert!((x[0].to_f64() - 0.6).abs() < 4.0 * u && (x[1].to_f64() + 0.8).abs() < 4.0 * u, "{x:?}");
    }
    let large = T::from_f64(if T::NAME == "f32" { f64::from(f32::MAX) } else { f64::MAX });
    let mut x = [-large, T::ZERO, large, T::ZERO];
    fulmen::minmax_normalize_in_place_on(s, &mut x, 4).unwrap();
    assert_eq!(x.map(T::to_f64), [0.0, 0.5, 1.0, 0.5]);
}

#[test]
fn degenerate_rows_are_defined() {
    for_each_width!(|s| {
        degenerate::<_, f32>(s);
        degenerate::<_, f64>(s);
    });
}

#[test]
fn bad_arguments_are_refused_and_nothing_is_written() {
    let x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let (g2, g3) = ([1.0f32; 2], [1.0f32; 3]);
    let mut out = [9.0f32; 6];
    let rows = Err(Error::rows("x", 4, 6));
    let empty = Err(Error::empty("cols"));
    let short = Err(Error::len("out", 6, 5));
    let domain = Err(Error::domain("eps"));
    for f in [
        fulmen::softmax::<f32>,
        fulmen::log_softmax::<f32>,
        fulmen::normalize::<f32>,
        fulmen::zscore::<f32>,
        fulmen::minmax_normalize::<f32>,
    ] {
        assert_eq!(f(&x, 4, &mut out), rows);
        assert_eq!(f(&x, 0, &mut out), empty);
        assert_eq!(f(&x, 3, &mut out[..5]), short);
    }
    assert_eq!(fulmen::layer_norm_simple(&x, 4, 0.0, &mut out), rows);
    assert_eq!(fulmen::layer_norm_simple(&x, 0, 0.0, &mut out), empty);
    assert_eq!(fulmen::layer_norm_simple(&x, 3, 0.0, &mut out[..5]), short);
    let none = Err(Error::empty("gamma"));
    assert_eq!(fulmen::layer_norm(&x, &[], &[], 0.0, &mut out), none);
    assert_eq!(fulmen::rms_norm(&x, &[], 0.0, &mut out), none);
    let beta = Err(Error::len("beta", 3, 2));
    assert_eq!(fulmen::layer_norm(&x, &g3, &g2, 0.0, &mut out), beta);
    for eps in [-1e-9, f32::NAN, f32::NEG_INFINITY] {
        assert_eq!(fulmen::layer_norm(&x, &g3, &g3, eps, &mut out), domain);
        assert_eq!(fulmen::layer_norm_simple(&x, 3, eps, &mut out), domain);
        assert_eq!(fulmen::rms_norm(&x, &g3, eps, &mut out), domain);
    }
    assert_eq!(out, [9.0; 6]);
    let mut over = x;
    assert_eq!(fulmen::softmax_in_place(&mut over, 4), rows);
    assert_eq!(fulmen::rms_norm_in_place(&mut over, &g3, -1.0), domain);
    assert_eq!(over, x);
}

#[cfg(feature = "parallel")]
mod parallel {
    use super::*;
    use common::compared::on_threads;

    /// Many rows, few long ones, and a single one.
    fn same_bits<S: Simd, T: Element, O: Op<T>>(s: S) {
        for (rows, cols) in [(1200, 33), (3, BLOCK + 3), (1, 2 * BLOCK + 9)] {
            let x = noise::<T>(rows * cols, 27, 3.0, 0.5);
            let (mut y, mut z) = (x.clone(), x.clone());
            O::out(s, &x, cols, &mut y).unwrap();
            O::parallel(s, &x, cols, &mut z).unwrap();
            assert_eq!(bits(&y), bits(&z), "{} {} {rows} × {cols}", O::NAME, S::NAME);
            z.copy_from_slice(&x);
            O::parallel_over(s, &mut z, cols).unwrap();
            assert_eq!(bits(&y), bits(&z), "{} {} {rows} × {cols} in place", O::NAME, S::NAME);
        }
    }

    #[test]
    fn rows_give_the_same_bits_at_any_number_of_threads() {
        for threads in 1..=3 {
            on_threads(threads, || {
                let s = fulmen::lanes::native();
                for_each_row_op!(same_bits, s, f32);
                for_each_row_op!(same_bits, s, f64);
                let s = fulmen::lanes::Portable::<4>::new();
                for_each_row_op!(same_bits, s, f32);
            });
        }
    }

    #[test]
    fn a_long_row_gives_the_same_bits_at_any_number_of_threads() {
        let n = LONG_ROW / 4 + 4099;
        let x = noise::<f32>(n, 28, 10.0, 0.0);
        let mut want = vec![0.0; n];
        fulmen::softmax(&x, n, &mut want).unwrap();
        for threads in 1..=3 {
            let mut got = vec![0.0; n];
            on_threads(threads, || fulmen::parallel::softmax(&x, n, &mut got)).unwrap();
            assert_eq!(bits(&want), bits(&got));
        }
    }
}
