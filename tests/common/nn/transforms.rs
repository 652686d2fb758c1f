//! Fourier transforms and filters.

use super::*;
pub use dense::waves::{Sum, dft, turn};
use fulmen::{Complex, Direction, Fft, MatMut, MatRef, RealFft};

#[macro_export]
macro_rules! for_each_transform {
    ($cb:ident) => {
        $cb! {
            fft $crate::nn::transforms::Forward, threads;
            rfft $crate::nn::transforms::Real, threads;
            irfft $crate::nn::transforms::RealInverse, threads;
            fft_rows $crate::nn::transforms::Rows, threads;
            fft_2d $crate::nn::transforms::Planes, threads;
            fft_3d $crate::nn::transforms::Volumes, threads;
            stft $crate::nn::transforms::Frames, threads;
            fir $crate::nn::filters::Fir;
            biquad $crate::nn::filters::Sections;
        }
    };
}

/// Results of one transform, whose error is relative to all of its input.
pub(super) fn wants(x: &[f64], y: &[f64], n: usize, scale: f64) -> Vec<Want> {
    let mass = scale * (n as f64 * x.iter().map(|x| x * x).sum::<f64>()).sqrt();
    y.iter().map(move |y| Want { value: *y, mass, n }).collect()
}

/// What a call asks for; what no call that succeeds would is cut.
fn bounded(n: usize) -> usize {
    if n > 1 << 21 { 64 } else { n }
}

pub(super) fn complex<T: Element>(x: &[T]) -> &[Complex<T>] {
    Complex::of(&x[..x.len() / 2 * 2]).unwrap()
}
pub(super) fn complex_mut<T: Element>(x: &mut [T]) -> &mut [Complex<T>] {
    let n = x.len() / 2 * 2;
    Complex::of_mut(&mut x[..n]).unwrap()
}

/// The table and what is left.
pub(super) fn split<T: Element>(w: &mut [T], table: usize) -> (&mut [T], &mut [Complex<T>]) {
    let (table, rest) = w.split_at_mut(table.min(w.len()));
    (table, complex_mut(rest))
}

fn direction<T: Element>(a: &Args<T>) -> Direction {
    if a.get("inverse").is_some() { Direction::Inverse } else { Direction::Forward }
}

fn forward<S: Simd, T: Element>(
    s: S,
    form: Form,
    a: &Args<T>,
    out: &mut [T],
    w: &mut [T],
) -> Option<Result<(), Error>> {
    let n = a.size("n");
    let (table, w) = split(w, fulmen::fft_plan_len(n));
    let plan = match Fft::plan(n, table, w) {
        Ok(plan) => plan,
        Err(e) => return Some(Err(e)),
    };
    let (d, x) = (direction(a), complex(&a.x[0]));
    match form {
        Form::On => Some(fulmen::fft_on(s, &plan, d, x, complex_mut(out), w)),
        Form::InPlace => {
            if out.len() != a.x[0].len() {
                return None;
            }
            out.copy_from_slice(&a.x[0]);
            let done = fulmen::fft_in_place_on(s, &plan, d, complex_mut(out), w);
            if done.is_err() {
                assert_eq!(bits(out), bits(&a.x[0]), "written");
                out.fill(T::from_f64(STALE));
            }
            Some(done)
        }
        #[cfg(feature = "parallel")]
        Form::Parallel => {
            let done = fulmen::parallel::fft_on(s, &plan, d, x, complex_mut(out), w);
            if done.is_ok() {
                let mut over = x.to_vec();
                fulmen::parallel::fft_in_place_on(s, &plan, d, &mut over, w).unwrap();
                assert_eq!(bits(out), bits(Complex::parts(&over)), "in place");
            }
            Some(done)
        }
        #[cfg(not(feature = "parallel"))]
        Form::Parallel => None,
    }
}

pub struct Forward;
impl Op for Forward {
    const NAME: &'static str = "fft";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let mut sizes = vec![("n", cols)];
        if r.bits().is_multiple_of(2) {
            sizes.push(("inverse", 1));
        }
        Args::new::<Self>(vec![r.slice(2 * rows * cols, 2.0)], vec![], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = a.size("n");
        bounded(fulmen::fft_plan_len(n).saturating_add(fulmen::fft_workspace(n).saturating_mul(8)))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        workspace: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        forward(s, form, a, out, workspace)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, back) = (a.size("n"), direction(a) == Direction::Inverse);
        let scale = if back { 1.0 / n as f64 } else { 1.0 };
        vec![a.x[0].chunks(2 * n).flat_map(|x| wants(x, &dft(x, back), n, scale)).collect()]
    }
}

pub struct Real;
impl Op for Real {
    const NAME: &'static str = "rfft";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = if cols < 100 { cols } else { 2 * cols };
        Args::new::<Self>(vec![r.slice(rows * n, 2.0)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let n = a.size("n").max(1);
        vec![stale(bounded((a.x[0].len() / n).saturating_mul((n / 2 + 1).saturating_mul(2))))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = a.size("n");
        bounded(fulmen::rfft_plan_len(n).saturating_add(fulmen::rfft_workspace(n).saturating_mul(8)))
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w).and_then(|plan| fulmen::rfft_on(s, &plan, &a.x[0], complex_mut(out), w))
        },
        parallel {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w)
                .and_then(|plan| fulmen::parallel::rfft_on(s, &plan, &a.x[0], complex_mut(out), w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let one = |x: &[f64]| {
            let wide: Vec<f64> = x.iter().flat_map(|x| [*x, 0.0]).collect();
            wants(x, &dft(&wide, false)[..2 * (n / 2 + 1)], n, 1.0)
        };
        vec![a.x[0].chunks(n).flat_map(one).collect()]
    }
}

pub struct RealInverse;
impl Op for RealInverse {
    const NAME: &'static str = "irfft";
    fn mixes<T: Element>(a: &Args<T>) -> Option<usize> {
        Some(a.size("n"))
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = if cols < 100 { cols } else { 2 * cols };
        Args::new::<Self>(vec![r.slice(2 * rows * (n / 2 + 1), 2.0)], vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let n = bounded(a.size("n"));
        vec![stale(bounded(a.x[0].len() / (2 * (n / 2 + 1)) * n))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        Real::workspace(a)
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w).and_then(|plan| fulmen::irfft_on(s, &plan, complex(&a.x[0]), out, w))
        },
        parallel {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w)
                .and_then(|plan| fulmen::parallel::irfft_on(s, &plan, complex(&a.x[0]), out, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let one = |x: &[f64]| {
            let mut all = vec![0.0; 2 * n];
            for k in 0..n {
                let (at, sign) = if 2 * k <= n { (k, 1.0) } else { (n - k, -1.0) };
                let im = if k == 0 || 2 * k == n { 0.0 } else { sign * x[2 * at + 1] };
                [all[2 * k], all[2 * k + 1]] = [x[2 * at], im];
            }
            let y: Vec<f64> = dft(&all, true).into_iter().step_by(2).collect();
            wants(&all, &y, n, 1.0 / n as f64)
        };
        vec![a.x[0].chunks(2 * (n / 2 + 1)).flat_map(one).collect()]
    }
}

/// A plan's length, which an edge case may state: that of the rows.
fn length<T: Element>(a: &Args<T>) -> usize {
    a.get("plan").unwrap_or(a.size("n"))
}

/// Complex numbers as rows of `n`; rows lie across where the option says so.
fn matrix<'a, T: Element>(a: &Args<T>, x: &'a [T]) -> Result<MatRef<'a, Complex<T>>, Error> {
    let (x, n) = (complex(x), a.size("n"));
    let rows = x.len().checked_div(n).unwrap_or(0);
    if a.get("across").is_some() { MatRef::col_major(x, rows, n) } else { MatRef::row_major(x, rows, n) }
}
fn matrix_mut<'a, T: Element>(a: &Args<T>, x: &'a mut [T]) -> Result<MatMut<'a, Complex<T>>, Error> {
    let (x, n) = (complex_mut(x), a.size("n"));
    let rows = x.len().checked_div(n).unwrap_or(0);
    if a.get("across").is_some() { MatMut::col_major(x, rows, n) } else { MatMut::row_major(x, rows, n) }
}

/// Row `i` of rows of `n`, in pairs, and where its numbers are.
fn places(a: &Args<f64>, rows: usize, i: usize) -> Vec<usize> {
    let n = a.size("n");
    (0..n).map(|k| if a.get("across").is_some() { k * rows + i } else { i * n + k }).collect()
}

/// Transforms of the numbers at these places, over them.
fn transform_at(x: &mut [f64], places: &[usize], back: bool) {
    let row: Vec<f64> = places.iter().flat_map(|&at| [x[2 * at], x[2 * at + 1]]).collect();
    for (&at, y) in places.iter().zip(dft(&row, back).chunks_exact(2)) {
        x[2 * at..2 * at + 2].copy_from_slice(y);
    }
}

/// Rows and columns past a group of rows, and what is left; long rows are made several.
fn groups(rows: usize, cols: usize) -> [usize; 2] {
    match cols {
        0..20 => [7 * rows + 1, cols],
        20..1000 => [rows, cols],
        _ => [40 * rows, 2 + cols / 40],
    }
}

/// Words at random: the inverse, and columns instead of rows.
fn words(sizes: &mut Vec<(&str, usize)>, r: &mut Noise) {
    for word in ["inverse", "across"] {
        if r.bits().is_multiple_of(2) {
            sizes.push((word, 1));
        }
    }
}

pub struct Rows;
impl Op for Rows {
    const NAME: &'static str = "fft_rows";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [rows, cols] = groups(rows, cols);
        let mut sizes = vec![("n", cols)];
        words(&mut sizes, r);
        Args::new::<Self>(vec![r.slice(2 * rows * cols, 2.0)], vec![], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = length(a);
        bounded(fulmen::fft_plan_len(n).saturating_add(fulmen::fft_rows_workspace(n).saturating_mul(8)))
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::fft_plan_len(length(a)));
            Fft::plan(length(a), table, w).and_then(|plan| {
                fulmen::fft_rows_on(s, &plan, direction(a), matrix(a, &a.x[0])?, matrix_mut(a, out)?, w)
            })
        },
        parallel {
            let (table, w) = split(w, fulmen::fft_plan_len(length(a)));
            Fft::plan(length(a), table, w).and_then(|plan| {
                fulmen::parallel::fft_rows_on(s, &plan, direction(a), matrix(a, &a.x[0])?, matrix_mut(a, out)?, w)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, back) = (a.size("n"), direction(a) == Direction::Inverse);
        let rows = a.x[0].len() / 2 / n;
        let mut out = vec![copied(0.0); a.x[0].len()];
        for i in 0..rows {
            let (mut y, at) = (a.x[0].clone(), places(a, rows, i));
            let row: Vec<f64> = at.iter().flat_map(|&at| [y[2 * at], y[2 * at + 1]]).collect();
            transform_at(&mut y, &at, back);
            for at in at {
                let scale = if back { 1.0 / n as f64 } else { 1.0 };
                out[2 * at..2 * at + 2].copy_from_slice(&wants(&row, &y[2 * at..2 * at + 2], n, scale));
            }
        }
        vec![out]
    }
}

pub struct Planes;
impl Op for Planes {
    const NAME: &'static str = "fft_2d";
    const LINE: usize = 600;
    const ONE_NAN_IS_ALL: bool = true;
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [m, n] = groups(rows, cols);
        let mut sizes = vec![("m", m), ("n", n)];
        words(&mut sizes, r);
        Args::new::<Self>(vec![r.slice(2 * m * n, 2.0)], vec![], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let (m, n) = (a.size("m"), length(a));
        let plans = fulmen::fft_plan_len(n).saturating_add(fulmen::fft_plan_len(m));
        bounded(plans.saturating_add(fulmen::fft_2d_workspace(m, n).saturating_mul(8)))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        w: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        let (m, n) = (a.size("m"), length(a));
        let (first, w) = w.split_at_mut(fulmen::fft_plan_len(m).min(w.len()));
        let (second, w) = split(w, fulmen::fft_plan_len(n));
        let mut call = || {
            let (down, along) = (Fft::plan(m, first, w)?, Fft::plan(n, second, w)?);
            let (x, out) = (matrix(a, &a.x[0])?, matrix_mut(a, out)?);
            match form {
                #[cfg(feature = "parallel")]
                Form::Parallel => fulmen::parallel::fft_2d_on(s, &down, &along, direction(a), x, out, w),
                _ => fulmen::fft_2d_on(s, &down, &along, direction(a), x, out, w),
            }
        };
        match form {
            Form::On => Some(call()),
            Form::Parallel if cfg!(feature = "parallel") => Some(call()),
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (m, n, back) = (a.size("m"), a.size("n"), direction(a) == Direction::Inverse);
        let mut y = a.x[0].clone();
        let rows: Vec<Vec<usize>> = (0..m).map(|i| places(a, m, i)).collect();
        for row in &rows {
            transform_at(&mut y, row, back);
        }
        for k in 0..n {
            let column: Vec<usize> = rows.iter().map(|row| row[k]).collect();
            transform_at(&mut y, &column, back);
        }
        let scale = if back { 1.0 / (m * n) as f64 } else { 1.0 };
        vec![wants(&a.x[0], &y, m * n, scale)]
    }
}

pub struct Volumes;
impl Op for Volumes {
    const NAME: &'static str = "fft_3d";
    const LINE: usize = 600;
    const ONE_NAN_IS_ALL: bool = true;
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [m, n] = groups(rows, cols);
        let d = 1 + r.bits() as usize % 4;
        let mut sizes = vec![("d", d), ("m", m), ("n", n)];
        if r.bits().is_multiple_of(2) {
            sizes.push(("inverse", 1));
        }
        Args::new::<Self>(vec![r.slice(2 * d * m * n, 2.0)], vec![], &sizes)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let (d, m, n) = (a.size("d"), a.size("m"), length(a));
        let plans = [d, m, n].iter().fold(0, |all: usize, n| all.saturating_add(fulmen::fft_plan_len(*n)));
        bounded(plans.saturating_add(fulmen::fft_3d_workspace(d, m, n).saturating_mul(8)))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        w: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        let lengths = [a.size("d"), a.size("m"), length(a)];
        let (first, w) = w.split_at_mut(fulmen::fft_plan_len(lengths[0]).min(w.len()));
        let (second, w) = w.split_at_mut(fulmen::fft_plan_len(lengths[1]).min(w.len()));
        let (third, w) = split(w, fulmen::fft_plan_len(lengths[2]));
        let mut call = || {
            let plans = [
                &Fft::plan(lengths[0], first, w)?,
                &Fft::plan(lengths[1], second, w)?,
                &Fft::plan(lengths[2], third, w)?,
            ];
            let (x, out) = (complex(&a.x[0]), complex_mut(out));
            match form {
                #[cfg(feature = "parallel")]
                Form::Parallel => fulmen::parallel::fft_3d_on(s, plans, direction(a), x, out, w),
                _ => fulmen::fft_3d_on(s, plans, direction(a), x, out, w),
            }
        };
        match form {
            Form::On => Some(call()),
            Form::Parallel if cfg!(feature = "parallel") => Some(call()),
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (d, m, n) = (a.size("d"), a.size("m"), a.size("n"));
        let (all, back) = (d * m * n, direction(a) == Direction::Inverse);
        let mut y = a.x[0].clone();
        for (len, step) in [(n, 1), (m, n), (d, m * n)] {
            for first in (0..all).filter(|at| at / step % len == 0) {
                let line: Vec<usize> = (0..len).map(|k| first + k * step).collect();
                transform_at(&mut y, &line, back);
            }
        }
        let scale = if back { 1.0 / all as f64 } else { 1.0 };
        vec![wants(&a.x[0], &y, all, scale)]
    }
}

pub struct Frames;
impl Op for Frames {
    const NAME: &'static str = "stft";
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        Some(2)
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = if cols < 100 { cols } else { 2 * cols };
        // As long as the transform or shorter; frames that overlap, meet, or leave numbers out; and numbers after the last.
        let window = n - r.bits() as usize % n.div_ceil(3);
        let hop = 1 + r.bits() as usize % (window + 2);
        let len = (rows - 1) * hop + window + r.bits() as usize % hop;
        Args::new::<Self>(vec![r.slice(window, 1.0), r.slice(len, 2.0)], vec![], &[("n", n), ("hop", hop)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        let frames = fulmen::stft_frames(a.x[1].len(), a.x[0].len(), a.size("hop"));
        vec![stale(bounded(frames.saturating_mul((a.size("n") / 2 + 1).saturating_mul(2))))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = a.size("n");
        bounded(fulmen::rfft_plan_len(n).saturating_add(fulmen::stft_workspace(n).saturating_mul(8)))
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w)
                .and_then(|plan| fulmen::stft_on(s, &plan, &a.x[0], a.size("hop"), &a.x[1], complex_mut(out), w))
        },
        parallel {
            let (table, w) = split(w, fulmen::rfft_plan_len(a.size("n")));
            RealFft::plan(a.size("n"), table, w).and_then(|plan| {
                fulmen::parallel::stft_on(s, &plan, &a.x[0], a.size("hop"), &a.x[1], complex_mut(out), w)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, hop, window) = (a.size("n"), a.size("hop"), &a.x[0]);
        let one = |at: usize| {
            let mut wide = vec![0.0; 2 * n];
            for (k, w) in window.iter().enumerate() {
                wide[2 * k] = a.x[1][at + k] * w;
            }
            wants(&wide, &dft(&wide, false)[..2 * (n / 2 + 1)], n, 1.0)
        };
        let all = (0..a.x[1].len()).step_by(hop).take_while(|at| at + window.len() <= a.x[1].len());
        vec![all.flat_map(one).collect()]
    }
}
