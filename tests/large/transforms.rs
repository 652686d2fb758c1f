//! Fourier transforms of lengths around the threshold, and of large ones, against sums in two parts.

use crate::nn::Noise;
use crate::nn::transforms::{Sum, turn};
use crate::sizes::POOLS;
use fulmen::{Complex, Direction, Element, Fft, RealFft, fft, fft_in_place, irfft, parallel, rfft};

/// The result `j`.
fn bin<T: Element>(x: &[Complex<T>], j: usize, back: bool) -> [f64; 2] {
    let n = x.len();
    let (mut re, mut im) = (Sum::default(), Sum::default());
    for (k, x) in x.iter().enumerate() {
        let [c, s] = turn((j as u128 * k as u128 % n as u128) as usize, n);
        let s = if back { s } else { -s };
        let (a, b) = (x.re.to_f64(), x.im.to_f64());
        re.add(a * c);
        re.add(-b * s);
        im.add(a * s);
        im.add(b * c);
    }
    [re.value(), im.value()]
}

fn one<T: Element>(n: usize) {
    let u = f64::powi(2.0, -T::SIGNIFICAND - 1);
    let mut table = vec![T::NAN; fulmen::fft_plan_len(n)];
    let mut work = vec![Complex::new(T::NAN, T::NAN); 4 * fulmen::fft_workspace(n)];
    let plan = Fft::plan(n, &mut table, &mut work).unwrap();
    let x = Complex::of(&Noise(n as u64).slice::<T>(6 * n, 1.0)).unwrap().to_vec();
    let norm = x.iter().take(n).map(|x| x.norm_sqr().to_f64()).sum::<f64>().sqrt();
    let most = 9.0 * u * (n as f64).log2().sqrt() * norm;
    for d in [Direction::Forward, Direction::Inverse] {
        let back = d == Direction::Inverse;
        let scale = if back { n as f64 } else { 1.0 };
        let mut y = vec![Complex::new(T::NAN, T::NAN); 3 * n];
        work.fill(Complex::new(T::NAN, T::NAN));
        fft(&plan, d, &x, &mut y, &mut work).unwrap();
        let mut z = x.clone();
        fft_in_place(&plan, d, &mut z, &mut work).unwrap();
        assert!(y == z, "{} {n} in place", T::NAME);
        z.fill(Complex::ZERO);
        POOLS[1].install(|| parallel::fft(&plan, d, &x, &mut z, &mut work)).unwrap();
        assert!(y == z, "{} {n} on threads", T::NAME);
        // Neighbours on both sides of each sixteenth, and some between.
        let edges = (0..16).flat_map(|k| [k * n / 16, (k * n / 16 + n - 1) % n]);
        for j in edges.chain((0..16).map(|i| (i * 7919 * (n / 100 + 1) + i) % n)) {
            let [re, im] = bin(&x[..n], j, back);
            let off = [y[j].re.to_f64() * scale - re, y[j].im.to_f64() * scale - im];
            assert!(off.iter().all(|e| e.abs() < most), "{} {n} {d:?} at {j}: {off:?}, {most:e}", T::NAME);
        }
    }
    let mut table = vec![T::NAN; fulmen::rfft_plan_len(n)];
    let mut work = vec![Complex::new(T::NAN, T::NAN); fulmen::rfft_workspace(n)];
    let plan = RealFft::plan(n, &mut table, &mut work).unwrap();
    let x = Complex::parts(&x)[..n].to_vec();
    let (mut y, mut z) = (vec![Complex::ZERO; plan.bins()], vec![T::NAN; n]);
    rfft(&plan, &x, &mut y, &mut work).unwrap();
    irfft(&plan, &y, &mut z, &mut work).unwrap();
    let wide: Vec<Complex<T>> = x.iter().map(|x| (*x).into()).collect();
    for j in (0..y.len()).step_by(y.len() / 20 + 1) {
        let [re, im] = bin(&wide, j, false);
        let off = [y[j].re.to_f64() - re, y[j].im.to_f64() - im];
        assert!(off.iter().all(|e| e.abs() < most), "real {} {n} at {j}: {off:?}, {most:e}", T::NAME);
    }
    let near = 20.0 * u * (n as f64).log2();
    assert!(x.iter().zip(&z).all(|(x, z)| (x.to_f64() - z.to_f64()).abs() < near), "real {} {n}", T::NAME);
}

#[test]
fn transforms_of_every_kind_of_length() {
    let powers = (8..=18).map(|k| 1 << k);
    for n in powers.chain([1000, 4095, 4097, 12289, 12288, 15000, 65537, 99_999, 100_000, 1 << 20]) {
        one::<f32>(n);
        one::<f64>(n);
    }
}
