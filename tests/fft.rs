//! Fourier transforms against sums, and by what they must keep.

use common::nn::Noise;
use common::nn::transforms::{Sum, dft, turn};
use fulmen::lanes::{Portable, Simd, native};
use fulmen::*;

/// A plan's memory.
struct Room<T> {
    n: usize,
    table: Vec<T>,
    work: Vec<Complex<T>>,
}

impl<T: Element> Room<T> {
    fn new(n: usize) -> Self {
        let mut table = vec![T::NAN; fft_plan_len(n)];
        let mut work = vec![Complex::new(T::NAN, T::NAN); fft_workspace(n)];
        Fft::plan(n, &mut table, &mut work).unwrap();
        Self { n, table, work }
    }
    fn run<S: Simd>(&mut self, s: S, d: Direction, x: &[Complex<T>]) -> Vec<Complex<T>> {
        let plan = Fft::of(self.n, &self.table).unwrap();
        let mut y = vec![Complex::new(T::NAN, T::NAN); x.len()];
        self.work.fill(Complex::new(T::NAN, T::NAN));
        fft_on(s, &plan, d, x, &mut y, &mut self.work).unwrap();
        let mut z = x.to_vec();
        fft_in_place_on(s, &plan, d, &mut z, &mut self.work).unwrap();
        assert_eq!(y, z, "in place, {}", self.n);
        y
    }
}

fn noise<T: Element>(n: usize, seed: u64) -> Vec<Complex<T>> {
    Complex::of(&Noise(seed).slice::<T>(2 * n, 1.0)).unwrap().to_vec()
}

fn wide<T: Element>(x: &[Complex<T>]) -> Vec<f64> {
    Complex::parts(x).iter().map(|x| x.to_f64()).collect()
}

fn norm(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|x| x * x).sum::<f64>().sqrt()
}

/// The error of some results, root mean square, in units of `u·√(log2 n)` of the results.
fn error<T: Element>(x: &[Complex<T>], y: &[Complex<T>], back: bool) -> f64 {
    let (n, x, y) = (x.len(), wide(x), wide(y));
    let some = if cfg!(fulmen_emulated) && n > 2000 { 8 } else { 48 };
    let bins: Vec<usize> =
        if n <= 200 { (0..n).collect() } else { (0..some).map(|i| (i * i * 7919 + i) % n).collect() };
    let scale = if back { 1.0 / n as f64 } else { 1.0 };
    let all = if n <= 200 { dft(&x, back) } else { vec![] };
    let one = |j: usize| {
        if n <= 200 {
            return [all[2 * j], all[2 * j + 1]];
        }
        let (mut re, mut im) = (Sum::default(), Sum::default());
        for k in 0..n {
            let [c, s] = turn(j * k % n, n);
            let s = if back { s } else { -s };
            re.add(x[2 * k] * c);
            re.add(-x[2 * k + 1] * s);
            im.add(x[2 * k] * s);
            im.add(x[2 * k + 1] * c);
        }
        [re.value() * scale, im.value() * scale]
    };
    let off = norm(bins.iter().flat_map(|&j| {
        let [re, im] = one(j);
        [y[2 * j] - re, y[2 * j + 1] - im]
    }));
    let typical = norm(x.iter().copied()) * scale * (bins.len() as f64).sqrt();
    off / typical / f64::powi(2.0, -T::SIGNIFICAND - 1) / (n as f64).log2().max(1.0).sqrt()
}

fn errors<S: Simd, T: Element>(s: S, lengths: impl Iterator<Item = usize>) -> f64 {
    let mut worst = 0.0f64;
    for n in lengths {
        let mut room = Room::<T>::new(n);
        let x = noise(n, n as u64);
        let directions = [Direction::Forward, Direction::Inverse];
        for d in directions.into_iter().take(if n > 5000 { 1 } else { 2 }) {
            let y = room.run(s, d, &x);
            let e = error(&x, &y, d == Direction::Inverse);
            assert!(e < 3.0, "{} {n} {d:?} on {}: {e}", T::NAME, S::NAME);
            worst = worst.max(e);
        }
    }
    worst
}

#[test]
fn error_grows_with_the_logarithm() {
    let all = (1..=200).filter(|n| !cfg!(fulmen_emulated) || *n <= 48 || n % 8 == 1 || n % 32 == 0);
    let some = [257, 433, 1000, 1024, 1155, 2048, 2187, 3125, 4096];
    let worst = errors::<_, f32>(
        native(),
        all.clone().chain(some).chain([1 << 13, 1 << 14, 1 << 15, 1 << 16, 12_289, 65_537]),
    );
    println!("f32: {worst:.2} u √log n");
    let worst = errors::<_, f64>(native(), all.chain(some).chain([1 << 13, 1 << 14, 12_289]));
    println!("f64: {worst:.2} u √log n");
    let few = (1..=40).chain([48, 64, 96, 100, 128, 180, 256, 512]);
    errors::<_, f32>(Portable::<1>::new(), few.clone());
    errors::<_, f64>(Portable::<1>::new(), few.clone());
    errors::<_, f32>(Portable::<16>::new(), few.clone());
    errors::<_, f64>(Portable::<16>::new(), few);
}

#[test]
fn inverse_undoes() {
    fn one<T: Element>(n: usize) {
        let mut room = Room::<T>::new(n);
        let x = noise::<T>(n, 3);
        let y = room.run(native(), Direction::Forward, &x);
        let z = room.run(native(), Direction::Inverse, &y);
        let u = f64::powi(2.0, -T::SIGNIFICAND - 1);
        let most = 8.0 * u * ((n as f64).log2() + 2.0) * 8.0;
        assert!(wide(&x).iter().zip(wide(&z)).all(|(x, z)| (x - z).abs() < most), "{n}");
        let mut table = vec![T::NAN; rfft_plan_len(n)];
        let mut work = vec![Complex::new(T::NAN, T::NAN); rfft_workspace(n)];
        let plan = RealFft::plan(n, &mut table, &mut work).unwrap();
        let x = Noise(5).slice::<T>(n, 1.0);
        let (mut y, mut z) = (vec![Complex::ZERO; plan.bins()], vec![T::NAN; n]);
        rfft(&plan, &x, &mut y, &mut work).unwrap();
        irfft(&plan, &y, &mut z, &mut work).unwrap();
        assert!(x.iter().zip(&z).all(|(x, z)| (x.to_f64() - z.to_f64()).abs() < most), "real {n}");
    }
    for n in (1..70).chain([100, 128, 210, 256, 500, 1000, 1022, 1024, 4096]) {
        one::<f32>(n);
        one::<f64>(n);
    }
}

/// Linearity, shift, Parseval, and an impulse at each place.
#[test]
fn identities() {
    for n in [2, 3, 8, 12, 16, 31, 60, 64, 128, 210, 211, 256, 1000] {
        let mut room = Room::<f64>::new(n);
        let mut f = |x: &[c64]| room.run(native(), Direction::Forward, x);
        let (x, y) = (noise::<f64>(n, 1), noise::<f64>(n, 2));
        let (fx, fy) = (f(&x), f(&y));
        let most = 1e-13 * n as f64;
        let near = |a: c64, b: c64| (a - b).norm_sqr().sqrt() < most;
        let a = Complex::new(0.7, -1.3);
        let sum: Vec<c64> = x.iter().zip(&y).map(|(x, y)| a * *x + *y).collect();
        assert!(
            f(&sum).iter().zip(fx.iter().zip(&fy)).all(|(s, (x, y))| near(*s, a * *x + *y)),
            "linear, {n}"
        );
        let energy = |x: &[c64]| x.iter().map(|x| x.norm_sqr()).sum::<f64>();
        assert!((energy(&fx) / n as f64 - energy(&x)).abs() < most, "Parseval, {n}");
        let by = n / 3 + 1;
        let shifted: Vec<c64> = (0..n).map(|k| x[(k + n - by % n) % n]).collect();
        for (j, s) in f(&shifted).into_iter().enumerate() {
            let [c, t] = turn(j * by % n, n);
            assert!(near(s, fx[j] * Complex::new(c, -t)), "shift, {n}");
        }
        for at in (0..n).step_by(1 + n / 16) {
            let mut impulse = vec![Complex::ZERO; n];
            impulse[at] = Complex::ONE;
            for (j, y) in f(&impulse).into_iter().enumerate() {
                let [c, t] = turn(j * at % n, n);
                assert!(near(y, Complex::new(c, -t)), "impulse {at} of {n}");
            }
        }
    }
}

/// A table made when the program was compiled is the one that is made when it runs.
#[test]
fn constant_tables() {
    static TABLE: [f32; fft_plan_len(1024)] = fft_table_f32(1024);
    const WIDE: [f64; fft_plan_len(360)] = fft_table_f64(360);
    assert_eq!(Room::<f32>::new(1024).table, TABLE);
    assert_eq!(Room::<f64>::new(360).table, WIDE);
    const PLAN: Result<Fft<'_, f32>, Error> = Fft::of(1024, &TABLE);
    assert_eq!(PLAN.unwrap().len(), 1024);
}

#[test]
fn plans_are_refused() {
    let (mut table, mut work) = ([7.0f32; 500], [Complex::<f32>::ZERO; 100]);
    assert!(matches!(Fft::plan(0, &mut table, &mut work), Err(Error::Empty { arg: "n", .. })));
    assert!(matches!(RealFft::plan(0, &mut table, &mut work), Err(Error::Empty { arg: "n", .. })));
    let short = fft_plan_len(64) - 1;
    assert!(matches!(Fft::plan(64, &mut table[..short], &mut []), Err(Error::Len { arg: "table", .. })));
    assert!(matches!(Fft::<f32>::of(64, &table[..short]), Err(Error::Len { arg: "table", .. })));
    assert!(matches!(Fft::plan(31, &mut table, &mut work), Err(Error::Workspace { .. })));
    let short = rfft_plan_len(64) - 1;
    assert!(matches!(RealFft::plan(64, &mut table[..short], &mut []), Err(Error::Len { arg: "table", .. })));
    for n in [usize::MAX, usize::MAX / 2, 1 << (usize::BITS - 1), (1 << (usize::BITS - 2)) + 1] {
        assert!(matches!(Fft::plan(n, &mut table, &mut work), Err(Error::Len { arg: "table", .. })), "{n}");
        assert!(
            matches!(RealFft::plan(n, &mut table, &mut work), Err(Error::Len { arg: "table", .. })),
            "{n}"
        );
    }
    assert!(table.iter().all(|x| *x == 7.0), "written");
    assert!(matches!(Complex::of(&table[..3]), Err(Error::Rows { arg: "parts", cols: 2, got: 3, .. })));
    assert!(Complex::of_mut(&mut table[..3]).is_err());
}

/// Windows against their sums of cosines, or the integral of the Bessel function, on both of their lengths.
#[test]
fn windows() {
    // I₀ by the trapezoidal rule, which is exact but for what falls off faster than any power.
    fn bessel(x: f64) -> f64 {
        let steps = 200;
        let at = |i: usize| (x * ((std::f64::consts::PI * i as f64 / steps as f64).cos() - 1.0)).exp();
        ((1..steps).map(at).sum::<f64>() + 0.5 * (at(0) + at(steps))) / steps as f64
    }
    let cosines: [(Window, &[f64]); 5] = [
        (Window::Hann, &[0.5, -0.5]),
        (Window::Hamming, &[0.54, -0.46]),
        (Window::Blackman, &[0.42, -0.5, 0.08]),
        (Window::BlackmanHarris, &[0.35875, -0.48829, 0.14128, -0.01168]),
        (Window::FlatTop, &[0.21557895, -0.41663158, 0.277263158, -0.083578947, 0.006947368]),
    ];
    let betas = [0.0, 0.5, 8.6, 40.0, 500.0];
    // Of an exponent, the rounding is seen in all of the result.
    fn both<T: Element>(window: Window, want: &dyn Fn(usize, usize) -> f64) {
        let beta = if let Window::Kaiser { beta } = window { beta } else { 0.0 };
        let own = 4e-15 + 4e-16 * beta;
        for n in (0usize..40).chain([256, 1001]) {
            for around in [n, n.saturating_sub(1)] {
                let mut w = vec![T::NAN; n];
                let done = if around == n { window.periodic(&mut w) } else { window.symmetric(&mut w) };
                done.unwrap();
                let u = f64::powi(2.0, -T::SIGNIFICAND - 1);
                for (k, w) in w.iter().enumerate() {
                    let exact = if around == 0 { 1.0 } else { want(k, around) };
                    let off = (w.to_f64() - exact).abs();
                    assert!(off <= 2.0 * u + own, "{window:?} {} {n} {around} at {k}: {off:e}", T::NAME);
                }
                let same = (1..around).all(|k| w[k] == w[around - k]);
                assert!(same && w.iter().all(|w| w.to_f64() > -0.1), "{window:?} {n}: {w:?}");
            }
        }
    }
    for (window, terms) in cosines {
        let want = |k: usize, n: usize| -> f64 {
            terms.iter().enumerate().map(|(j, a)| a * turn(j * k, n)[0]).sum()
        };
        both::<f32>(window, &want);
        both::<f64>(window, &want);
    }
    for beta in betas {
        let whole = bessel(beta);
        let want = |k: usize, n: usize| {
            let x = 2.0 * k as f64 / n as f64 - 1.0;
            let inside = beta * (1.0 - x * x).max(0.0).sqrt();
            bessel(inside) / whole * (inside - beta).exp()
        };
        both::<f32>(Window::Kaiser { beta }, &want);
        both::<f64>(Window::Kaiser { beta }, &want);
    }
    both::<f64>(Window::Bartlett, &|k, n| 1.0 - (2.0 * k as f64 / n as f64 - 1.0).abs());
    both::<f32>(Window::Rectangular, &|_, _| 1.0);
    for beta in [-1.0, 501.0, f64::NAN, f64::INFINITY] {
        let mut w = [7.0f32; 3];
        let refused = Window::Kaiser { beta }.periodic(&mut w);
        assert_eq!((refused, w), (Err(Error::domain("beta")), [7.0; 3]));
    }
}

/// A tone's spectrum stands in its bin in each frame, turned by how far the frame is.
#[test]
fn frames_of_a_tone() {
    let (n, hop, tone) = (64, 24, 5);
    let x: Vec<f64> = (0..1000).map(|t| turn(tone * t, n)[0]).collect();
    let (mut table, mut work) = (vec![0.0; rfft_plan_len(n)], vec![Complex::ZERO; stft_workspace(n)]);
    let plan = RealFft::plan(n, &mut table, &mut work).unwrap();
    let mut window = vec![0.0; n];
    Window::Hann.periodic(&mut window).unwrap();
    let mut out = vec![Complex::ZERO; stft_frames(x.len(), n, hop) * plan.bins()];
    stft(&plan, &window, hop, &x, &mut out, &mut work).unwrap();
    for (f, y) in out.chunks_exact(plan.bins()).enumerate() {
        let [c, s] = turn(tone * f * hop, n);
        for (j, y) in y.iter().enumerate() {
            // Half of the window's sum, and a quarter of it with the sign turned on both sides.
            let size = match j.abs_diff(tone) {
                0 => 16.0,
                1 => -8.0,
                _ => 0.0,
            };
            assert!((*y - Complex::new(c, s).scale(size)).norm_sqr() < 1e-24, "frame {f}, bin {j}: {y:?}");
        }
    }
}

/// Filters give in blocks what they give at once.
#[test]
fn filters_in_blocks() {
    let x = Noise(9).slice::<f32>(5000, 1.0);
    let list = [0.3, -0.2].map(|a| Biquad { b: [0.5, 0.2, -0.1f32], a: [a, 0.5] });
    for (taps, decimation) in [(1, 1), (2, 1), (7, 1), (16, 2), (33, 4), (64, 1), (67, 5)] {
        let h = Noise(taps as u64).slice::<f32>(taps, 1.0);
        let n = x.len() / decimation;
        let (mut all, mut state) = (vec![f32::NAN; n], vec![0.0; taps - 1]);
        fir(&h, decimation, &mut state, &x[..n * decimation], &mut all).unwrap();
        for block in [1, 3, 16, 40, 1030] {
            let (mut y, mut again) = (vec![f32::NAN; n], vec![0.0; taps - 1]);
            for (x, y) in x[..n * decimation].chunks(block * decimation).zip(y.chunks_mut(block)) {
                fir(&h, decimation, &mut again, x, y).unwrap();
            }
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5 * (taps as f32).sqrt();
            assert!(y.iter().zip(&all).all(near), "{taps} taps, {decimation}, blocks of {block}");
            assert_eq!(state, again);
        }
        if decimation > 1 {
            continue;
        }
        // By transforms, the same.
        let block = convolve_block(taps, x.len());
        assert!(block.is_power_of_two() && block >= 8 * taps && block < 16 * taps, "{block}");
        let (mut table, mut work) =
            (vec![f32::NAN; convolve_plan_len(block)], vec![Complex::ZERO; convolve_workspace(block)]);
        let plan = Convolver::plan(&h, block, &mut table, &mut work).unwrap();
        assert_eq!((plan.taps(), plan.block()), (taps, block));
        // A call knows of those before it no more than the last elements, fewer than `taps`.
        let most = 2 * taps + 50;
        for size in [1, 3, taps, block, 5000] {
            let (mut y, mut again) = (vec![f32::NAN; x.len()], vec![0.0; taps - 1]);
            for (x, y) in x.chunks(size).zip(y.chunks_mut(size)).take(most) {
                fir_fft(&plan, &mut again, x, y, &mut work).unwrap();
            }
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5 * (taps as f32).sqrt();
            let done = y.len().min(most * size);
            assert!(y[..done].iter().zip(&all).all(near), "{taps} taps by transforms, blocks of {size}");
            assert!(done < y.len() || state == again);
        }
    }
    let (mut all, mut state) = (vec![f32::NAN; x.len()], [0.0; 4]);
    biquad(&list, &mut state, &x, &mut all).unwrap();
    for block in [1, 7, 1000] {
        let (mut y, mut again) = (vec![f32::NAN; x.len()], [0.0; 4]);
        for (x, y) in x.chunks(block).zip(y.chunks_mut(block)) {
            biquad(&list, &mut again, x, y).unwrap();
        }
        assert_eq!((&y, again), (&all, state), "blocks of {block}");
    }
}

/// Of every prime length that has powers of a primitive root in its plan, up to 20 000: the transform of a one in the second place is
/// the roots of unity in their order.
#[test]
fn primes_up_to_20_000() {
    let smooth = |mut n: usize| {
        for f in [2, 3, 5, 7] {
            while n.is_multiple_of(f) {
                n /= f;
            }
        }
        n == 1
    };
    let prime = |n: usize| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let mut lengths = 0;
    for n in (257..20_000).step_by(16).filter(|n| smooth(n - 1) && prime(*n)) {
        let mut x = vec![Complex::<f64>::ZERO; n];
        x[1] = Complex::ONE;
        let y = Room::<f64>::new(n).run(native(), Direction::Forward, &x);
        for (k, y) in y.iter().enumerate() {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
            assert!((y.re - cos).abs() + (y.im + sin).abs() < 1e-12, "{n}: {k} is {y:?}");
        }
        lengths += 1;
    }
    println!("{lengths} lengths");
    assert!(lengths > 40, "{lengths}");
}
