//! Fourier transforms of lengths around the threshold, and of large ones, against sums in two parts.

use crate::nn::Noise;
use crate::nn::transforms::{Sum, turn};
use crate::sizes::{POOLS, same, threshold};
use fulmen::{
    Complex, Direction, Element, Fft, MatMut, MatRef, RealFft, fft, fft_in_place, irfft, parallel, rfft,
};

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
    // Both ends, and the middle, which is its own mirror.
    let ends = [n / 4, n.div_ceil(4), y.len() - 1];
    for j in (0..y.len()).step_by(y.len() / 20 + 1).chain(ends) {
        let [re, im] = bin(&wide, j, false);
        let off = [y[j].re.to_f64() - re, y[j].im.to_f64() - im];
        assert!(off.iter().all(|e| e.abs() < most), "real {} {n} at {j}: {off:?}, {most:e}", T::NAME);
    }
    let near = 20.0 * u * (n as f64).log2();
    assert!(x.iter().zip(&z).all(|(x, z)| (x.to_f64() - z.to_f64()).abs() < near), "real {} {n}", T::NAME);
}

/// Frames are transforms of what they are made of, on one thread and on several.
fn frames<T: Element>(n: usize, window: usize, hop: usize, len: usize) {
    let mut table = vec![T::NAN; fulmen::rfft_plan_len(n)];
    let mut work = vec![Complex::new(T::NAN, T::NAN); 4 * fulmen::stft_workspace(n)];
    let plan = RealFft::plan(n, &mut table, &mut work).unwrap();
    let (x, w) = (Noise(n as u64).slice::<T>(len, 1.0), Noise(9).slice::<T>(window, 1.0));
    let frames = (len - window) / hop + 1;
    let [mut y, mut z] = [(); 2].map(|()| vec![Complex::new(T::NAN, T::NAN); frames * plan.bins()]);
    work.fill(Complex::new(T::NAN, T::NAN));
    fulmen::stft(&plan, &w, hop, &x, &mut y, &mut work).unwrap();
    POOLS[1].install(|| parallel::stft(&plan, &w, hop, &x, &mut z, &mut work)).unwrap();
    assert!(y == z, "{} {n} {hop} on threads", T::NAME);
    let mut one = vec![Complex::ZERO; plan.bins()];
    for (f, y) in y.chunks_exact(plan.bins()).enumerate() {
        let mut frame: Vec<T> = x[f * hop..].iter().zip(&w).map(|(x, w)| *x * *w).collect();
        frame.resize(n, T::ZERO);
        rfft(&plan, &frame, &mut one, &mut work).unwrap();
        assert!(one == y, "{} {n} {hop}: frame {f}", T::NAME);
    }
}

/// Rows and columns of views, by groups and on threads, against transforms of copies one by one: the same bits.
fn planes<T: Element>(m: usize, n: usize) {
    let nan = Complex::new(T::NAN, T::NAN);
    let [mut first, mut second] = [m, n].map(|n| vec![T::NAN; fulmen::fft_plan_len(n)]);
    let mut work = vec![nan; 4 * fulmen::fft_2d_workspace(m, n)];
    let down = Fft::plan(m, &mut first, &mut work).unwrap();
    let along = Fft::plan(n, &mut second, &mut work).unwrap();
    let x = Complex::of(&Noise(m as u64).slice::<T>(2 * m * n, 1.0)).unwrap().to_vec();
    let d = if m % 2 == 0 { Direction::Forward } else { Direction::Inverse };
    let mut rows = x.clone();
    fft_in_place(&along, d, &mut rows, &mut work).unwrap();
    let mut both = rows.clone();
    for k in 0..n {
        let mut column: Vec<_> = (0..m).map(|i| rows[i * n + k]).collect();
        fft_in_place(&down, d, &mut column, &mut work).unwrap();
        (0..m).for_each(|i| both[i * n + k] = column[i]);
    }
    let turned =
        |z: &[Complex<T>]| -> Vec<Complex<T>> { (0..m * n).map(|at| z[at % m * n + at / m]).collect() };
    let across = turned(&x);
    for (from, rows, both, columns) in
        [(&x, rows.clone(), both.clone(), false), (&across, turned(&rows), turned(&both), true)]
    {
        let view =
            if columns { MatRef::col_major(from, m, n) } else { MatRef::row_major(from, m, n) }.unwrap();
        for threads in [false, true] {
            let mut run = |planar: bool| {
                let mut out = vec![nan; m * n];
                work.fill(nan);
                let to = if columns {
                    MatMut::col_major(&mut out, m, n)
                } else {
                    MatMut::row_major(&mut out, m, n)
                }
                .unwrap();
                let (down, along, work) = (&down, &along, &mut work[..]);
                match (planar, threads) {
                    (false, false) => fulmen::fft_rows(along, d, view, to, work),
                    (false, true) => POOLS[1].install(|| parallel::fft_rows(along, d, view, to, work)),
                    (true, false) => fulmen::fft_2d(down, along, d, view, to, work),
                    (true, true) => POOLS[1].install(|| parallel::fft_2d(down, along, d, view, to, work)),
                }
                .unwrap();
                out
            };
            assert!(run(false) == rows, "{} rows, {m} × {n}, columns {columns}, threads {threads}", T::NAME);
            assert!(run(true) == both, "{} planes, {m} × {n}, columns {columns}, threads {threads}", T::NAME);
        }
    }
}

#[test]
fn planes_around_the_thresholds() {
    let group = threshold("fft::rows::TOGETHER");
    for m in [1, group - 1, group, group + 1, 3 * group + 5] {
        for n in [2, group, group + 1, 8 * threshold("fft::rows::APART"), 301] {
            planes::<f32>(m, n);
            planes::<f64>(m, n);
        }
    }
    planes::<f32>(512, 300);
}

#[test]
fn frames_of_long_signals() {
    for (n, window, hop, len) in
        [(1024, 1024, 256, 40_000), (1000, 701, 1400, 100_001), (8193, 8193, 1, 8200)]
    {
        frames::<f32>(n, window, hop, len);
        frames::<f64>(n, window, hop, len);
    }
}

#[test]
fn transforms_of_every_kind_of_length() {
    let powers = (6..=18).map(|k| 1 << k);
    for n in powers.chain([
        threshold("fft::rader::LEAST"),
        433,
        1000,
        4095,
        4097,
        12289,
        12288,
        15000,
        65537,
        99_999,
        100_000,
        1 << 20,
    ]) {
        one::<f32>(n);
        one::<f64>(n);
    }
}

/// Long convolutions in every extent, on one thread and on several, and in parts; some results by their sums.
fn convolution<T: Element>(taps: usize, len: usize) {
    let (h, x) = (Noise(taps as u64).slice::<T>(taps, 1.0), Noise(len as u64).slice::<T>(len, 1.0));
    let n = fulmen::convolve_block(taps, len);
    let nan = Complex::new(T::NAN, T::NAN);
    let (mut table, mut work) =
        (vec![T::NAN; fulmen::convolve_plan_len(n)], vec![nan; 4 * fulmen::convolve_workspace(n)]);
    let plan = fulmen::Convolver::plan(&h, n, &mut table, &mut work).unwrap();
    for (extent, start) in [(fulmen::Extent::Full, 0), (fulmen::Extent::Same, (taps - 1) / 2)] {
        let m = fulmen::convolve_len(extent, len, taps);
        let [mut y, mut z] = [(); 2].map(|()| vec![T::NAN; m]);
        work.fill(nan);
        fulmen::convolve(&plan, extent, &x, &mut y, &mut work).unwrap();
        POOLS[1].install(|| parallel::convolve(&plan, extent, &x, &mut z, &mut work)).unwrap();
        same(&format!("convolve {} {taps} {len}", T::NAME), &y, &z);
        let u = f64::powi(2.0, -T::SIGNIFICAND - 1);
        // Norms of a kernel and of a block of numbers up to 1, and transforms that add roundings with their logarithm.
        let most = 8.0 * u * (n as f64).log2() * (taps as f64 * n as f64).sqrt() / 3.0;
        for l in (0..m).step_by(1 + m / 97).chain([m - 1]) {
            let seen = h.iter().enumerate().filter_map(|(k, h)| {
                let x = x.get((l + start).checked_sub(k)?)?;
                Some(h.to_f64() * x.to_f64())
            });
            let (want, got) = (seen.sum::<f64>(), y[l].to_f64());
            assert!((want - got).abs() <= most, "{} {taps} {len}: {l} is {got}, {want}", T::NAME);
        }
    }
}

#[test]
fn convolutions_of_long_signals() {
    let grain = threshold("fft::convolve::GRAIN");
    for (taps, len) in [(3, grain - 2), (3, grain - 1), (64, 3 * grain), (1500, grain + 1), (20_000, 40_000)]
    {
        convolution::<f32>(taps, len);
        convolution::<f64>(taps, len);
    }
}

/// Cosine transforms of long rows and of many: the third kind undoes the second, the fourth itself, on threads the same bits.
fn cosines<T: Element>(n: usize, rows: usize) {
    let nan = Complex::new(T::NAN, T::NAN);
    let x = Noise(n as u64).slice::<T>(rows * n, 1.0);
    let mut work = vec![nan; 4 * fulmen::dct_workspace(n)];
    let mut through = |kind, x: &[T]| {
        let mut table = vec![T::NAN; fulmen::dct_plan_len(kind, n)];
        let plan = fulmen::Dct::plan(kind, n, &mut table, &mut work).unwrap();
        let [mut y, mut z] = [(); 2].map(|()| vec![T::NAN; rows * n]);
        work.fill(nan);
        fulmen::dct(&plan, x, &mut y, &mut work).unwrap();
        POOLS[1].install(|| parallel::dct(&plan, x, &mut z, &mut work)).unwrap();
        same(&format!("dct {} {n} {kind:?}", T::NAME), &y, &z);
        y
    };
    use fulmen::DctKind::{II, III, IV};
    let most = 64.0 * f64::powi(2.0, -T::SIGNIFICAND - 1) * (n as f64).log2();
    for (there, back) in [(II, III), (IV, IV)] {
        let y = through(there, &x);
        let z = through(back, &y);
        let near = |(x, z): (&T, &T)| (x.to_f64() - z.to_f64() * 2.0 / n as f64).abs() < most;
        assert!(x.iter().zip(&z).all(near), "{} {n} {there:?}", T::NAME);
    }
}

#[test]
fn cosines_of_long_rows() {
    let grain = threshold("fft::real::GRAIN");
    for (n, rows) in [(grain / 2, 2), (grain / 2 + 1, 2), (33, 1200), (1 << 16, 1), (65537, 1), (100_000, 2)]
    {
        cosines::<f32>(n, rows);
        cosines::<f64>(n, rows);
    }
}
