//! Fourier transforms of lengths around the threshold, and of large ones, against sums in two parts.

use crate::nn::Noise;
use crate::nn::transforms::{Sum, turn};
use crate::sizes::{POOLS, threshold};
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
    let powers = (8..=18).map(|k| 1 << k);
    for n in powers.chain([1000, 4095, 4097, 12289, 12288, 15000, 65537, 99_999, 100_000, 1 << 20]) {
        one::<f32>(n);
        one::<f64>(n);
    }
}
