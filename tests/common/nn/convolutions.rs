//! Cosine transforms, and convolutions by transforms.

use super::transforms::{Sum, complex, complex_mut, split, wants};
use super::*;
use dense::waves::dct;
use fulmen::{ComplexConvolver, Convolver, Dct, DctKind, Extent};

#[macro_export]
macro_rules! for_each_convolution {
    ($cb:ident) => {
        $cb! {
            dct $crate::nn::convolutions::Cosines, threads;
            convolve $crate::nn::convolutions::Reals, threads;
            convolve_complex $crate::nn::convolutions::Complexes, threads;
            fir_fft $crate::nn::convolutions::Streamed, threads;
        }
    };
}

pub fn kind<T: Element>(a: &Args<T>) -> DctKind {
    match a.size("kind") {
        2 => DctKind::II,
        3 => DctKind::III,
        _ => DctKind::IV,
    }
}

/// Scratch for a table and so many complex numbers, on some threads; what no call that succeeds needs is cut.
fn scratch(table: usize, work: usize) -> usize {
    let all = table.saturating_add(work.saturating_mul(8));
    if all > 1 << 23 { 64 } else { all }
}

pub struct Cosines;
impl Op for Cosines {
    const NAME: &'static str = "dct";
    fn mixes<T: Element>(a: &Args<T>) -> Option<usize> {
        Some(a.size("n"))
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = if cols < 100 { cols } else { 2 * cols + r.bits() as usize % 2 };
        let kind = 2 + r.bits() as usize % 3;
        Args::new::<Self>(vec![r.slice(rows * n, 2.0)], vec![], &[("n", n), ("kind", kind)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(fulmen::dct_plan_len(kind(a), a.size("n")), fulmen::dct_workspace(a.size("n")))
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::dct_plan_len(kind(a), a.size("n")));
            Dct::plan(kind(a), a.size("n"), table, w).and_then(|plan| fulmen::dct_on(s, &plan, &a.x[0], out, w))
        },
        parallel {
            let (table, w) = split(w, fulmen::dct_plan_len(kind(a), a.size("n")));
            Dct::plan(kind(a), a.size("n"), table, w)
                .and_then(|plan| fulmen::parallel::dct_on(s, &plan, &a.x[0], out, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let n = a.size("n");
        let one = |x: &[f64]| wants(x, &dct(x, a.size("kind")), n, 1.0);
        vec![a.x[0].chunks(n).flat_map(one).collect()]
    }
}

pub fn extent<T: Element>(a: &Args<T>) -> Extent {
    match a.size("extent") {
        0 => Extent::Full,
        1 => Extent::Same,
        _ => Extent::Valid,
    }
}

/// Kernels of up to 40 numbers, and transforms that just hold them, or more; signals of some blocks.
fn sizes(rows: usize, cols: usize, r: &mut Noise) -> [usize; 3] {
    let taps = 1 + r.bits() as usize % if cols < 18 { 5 } else { 40 };
    let n =
        [taps, taps.next_power_of_two(), 2 * taps + 1, 4 * taps.next_power_of_two()][r.bits() as usize % 4];
    // On threads, blocks with some results.
    [taps, if rows * cols > 1000 { n.max(64) } else { n }, rows * cols]
}

/// `out[l] = Σ kernel[k]·x[l + start - k]` in pairs, `before` being the numbers before `x`; the error is relative to the norms of the
/// kernel and of what a block of `n` numbers has.
fn definition(kernel: &[f64], before: &[f64], x: &[f64], start: usize, len: usize, n: usize) -> Vec<Want> {
    let taps = kernel.len() / 2;
    let at = |i: isize| -> [f64; 2] {
        let all = if i < 0 { before } else { x };
        let i = if i < 0 { i + before.len() as isize / 2 } else { i };
        let part =
            |p: usize| usize::try_from(2 * i).ok().and_then(|i| all.get(i + p)).copied().unwrap_or(0.0);
        [part(0), part(1)]
    };
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut out = vec![];
    for first in (0..len).step_by(n + 1 - taps) {
        let base = (first + start) as isize - (taps - 1) as isize;
        let seen: Vec<f64> = (0..n as isize).flat_map(|j| at(base + j)).collect();
        let mass = norm(kernel) * norm(&seen);
        for l in first..(first + n + 1 - taps).min(len) {
            let mut y = [Sum::default(); 2];
            for (k, h) in kernel.chunks(2).enumerate() {
                let [re, im] = at((l + start) as isize - k as isize);
                y[0].add(h[0] * re);
                y[0].add(-h[1] * im);
                y[1].add(h[0] * im);
                y[1].add(h[1] * re);
            }
            out.extend(y.map(|y| Want { value: y.value(), mass, n }));
        }
    }
    out
}

fn pairs(x: &[f64]) -> Vec<f64> {
    x.iter().flat_map(|x| [*x, 0.0]).collect()
}

/// The results of a convolution whose kernel and signal are in pairs.
fn convolved(a: &Args<f64>, kernel: &[f64], x: &[f64]) -> Vec<Want> {
    let mut kernel = kernel.to_vec();
    if a.get("correlation").is_some() {
        kernel = kernel.rchunks(2).flat_map(|z| [z[0], -z[1]]).collect();
    }
    let (taps, len) = (kernel.len() / 2, x.len() / 2);
    let (start, len) = match extent(a) {
        Extent::Full => (0, len + taps - 1),
        Extent::Same => ((taps - 1) / 2, len),
        Extent::Valid => (taps - 1, (len + 1).saturating_sub(taps)),
    };
    definition(&kernel, &[], x, start, len, a.size("n"))
}

fn arguments<O: Op, T: Element>(rows: usize, cols: usize, parts: usize, r: &mut Noise) -> Args<T> {
    let [taps, n, len] = sizes(rows, cols, r);
    let mut words = vec![("n", n), ("extent", r.bits() as usize % 3)];
    if r.bits().is_multiple_of(2) {
        words.push(("correlation", 1));
    }
    Args::new::<O>(vec![r.slice(parts * taps, 1.0), r.slice(parts * len, 2.0)], vec![], &words)
}

fn results<T: Element>(a: &Args<T>, parts: usize) -> usize {
    let len = fulmen::convolve_len(extent(a), a.x[1].len() / parts, a.x[0].len() / parts);
    parts * len
}

pub struct Reals;
impl Op for Reals {
    const NAME: &'static str = "convolve";
    fn mixes<T: Element>(a: &Args<T>) -> Option<usize> {
        Some(a.size("n") + 1 - a.x[0].len())
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        arguments::<Self, T>(rows, cols, 1, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(results(a, 1))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        scratch(fulmen::convolve_plan_len(a.size("n")), fulmen::convolve_workspace(a.size("n")))
    }
    called! {
        |s, a, [out], w| {
            let (table, w) = split(w, fulmen::convolve_plan_len(a.size("n")));
            real(a, table, w).and_then(|plan| fulmen::convolve_on(s, &plan, extent(a), &a.x[1], out, w))
        },
        parallel {
            let (table, w) = split(w, fulmen::convolve_plan_len(a.size("n")));
            real(a, table, w).and_then(|plan| fulmen::parallel::convolve_on(s, &plan, extent(a), &a.x[1], out, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        vec![convolved(a, &pairs(&a.x[0]), &pairs(&a.x[1])).into_iter().step_by(2).collect()]
    }
}

fn real<'a, T: Element>(
    a: &Args<T>,
    table: &'a mut [T],
    w: &mut [fulmen::Complex<T>],
) -> Result<Convolver<'a, T>, Error> {
    let make = if a.get("correlation").is_some() { Convolver::correlation } else { Convolver::plan };
    make(&a.x[0], a.size("n"), table, w)
}

pub struct Complexes;
impl Op for Complexes {
    const NAME: &'static str = "convolve_complex";
    fn mixes<T: Element>(a: &Args<T>) -> Option<usize> {
        Some(2 * (a.size("n") + 1 - a.x[0].len() / 2))
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        arguments::<Self, T>(rows, cols, 2, r)
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(results(a, 2))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        let n = a.size("n");
        scratch(fulmen::convolve_complex_plan_len(n), fulmen::convolve_complex_workspace(n))
    }
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        w: &mut [T],
    ) -> Option<Result<(), Error>> {
        let [out] = out else { return None };
        let (table, w) = split(w, fulmen::convolve_complex_plan_len(a.size("n")));
        let make = if a.get("correlation").is_some() {
            ComplexConvolver::correlation
        } else {
            ComplexConvolver::plan
        };
        let plan = match make(complex(&a.x[0]), a.size("n"), table, w) {
            Ok(plan) => plan,
            Err(e) => return Some(Err(e)),
        };
        let (x, out) = (complex(&a.x[1]), complex_mut(out));
        match form {
            Form::On => Some(fulmen::convolve_complex_on(s, &plan, extent(a), x, out, w)),
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(fulmen::parallel::convolve_complex_on(s, &plan, extent(a), x, out, w)),
            _ => None,
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        vec![convolved(a, &a.x[0], &a.x[1])]
    }
}

pub struct Streamed;
impl Op for Streamed {
    const NAME: &'static str = "fir_fft";
    fn mixes<T: Element>(a: &Args<T>) -> Option<usize> {
        Some(a.size("n") + 1 - a.x[0].len())
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let [taps, n, len] = sizes(rows, cols, r);
        let x = vec![r.slice(taps, 1.0), r.slice(taps - 1, 2.0), r.slice(len, 2.0)];
        Args::new::<Self>(x, vec![], &[("n", n)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[2].len()), a.x[1].clone()]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        Reals::workspace(a)
    }
    called! {
        |s, a, [out, state], w| {
            let (table, w) = split(w, fulmen::convolve_plan_len(a.size("n")));
            real(a, table, w).and_then(|plan| fulmen::fir_fft_on(s, &plan, state, &a.x[2], out, w))
        },
        parallel {
            let (table, w) = split(w, fulmen::convolve_plan_len(a.size("n")));
            real(a, table, w).and_then(|plan| fulmen::parallel::fir_fft_on(s, &plan, state, &a.x[2], out, w))
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let [kernel, before, x] = [0, 1, 2].map(|i| pairs(&a.x[i]));
        let y = definition(&kernel, &before, &x, 0, a.x[2].len(), a.size("n"));
        let all = [&a.x[1][..], &a.x[2]].concat();
        let kept = all[all.len() - a.x[1].len()..].iter().map(|x| Want { mass: 0.0, ..copied(*x) }).collect();
        vec![y.into_iter().step_by(2).collect(), kept]
    }
}
