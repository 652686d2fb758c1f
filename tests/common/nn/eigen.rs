//! Eigenvalues of matrices that need not be symmetric.

use super::solvers::{bounded, order, wants};
use super::*;
use dense::factors::eigenvalues;
use fulmen::MatMut;

/// By real parts, those of a pair together.
fn ordered(x: &mut [[f64; 2]]) {
    x.sort_by(|p, q| {
        let near = (p[0] - q[0]).abs() < 1e-3 * (1.0 + p[0].abs());
        if near { p[1].total_cmp(&q[1]) } else { p[0].total_cmp(&q[0]) }
    });
}

/// The eigenvalues as [`ordered`] has them, without memory.
fn sort<T: Element>(re: &mut [T], im: &mut [T]) {
    for i in 1..re.len() {
        for k in (1..=i).rev() {
            let [p, q] = [k - 1, k].map(|k| [re[k].to_f64(), im[k].to_f64()]);
            let near = (p[0] - q[0]).abs() < 1e-3 * (1.0 + p[0].abs());
            if if near { p[1] <= q[1] } else { p[0] <= q[0] } {
                break;
            }
            re.swap(k - 1, k);
            im.swap(k - 1, k);
        }
    }
}

/// Eigenvalues that are apart: pairs, and single ones, with a little of everything else.
fn sampled<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
    let n = order(cols).min(40 + 10 * rows);
    let mut a = r.slice::<T>(n * n, 0.2);
    let mut k = 0;
    while k < n {
        let pair = k + 1 < n && r.bits().is_multiple_of(2);
        let at = T::from_f64(3.0 * k as f64 - n as f64);
        a[k * n + k] = at;
        if pair {
            (a[(k + 1) * n + k + 1], a[k * n + k + 1], a[(k + 1) * n + k]) =
                (at, T::from_f64(2.0), T::from_f64(-1.0));
        }
        k += if pair { 2 } else { 1 };
    }
    Args::new::<O>(vec![a], vec![], &[("n", n)])
}

/// The eigenvalues, as both ops have to find them.
fn wanted(a: &Args<f64>) -> Vec<Vec<Want>> {
    let n = a.size("n");
    let mut all = eigenvalues(&a.x[0], n);
    ordered(&mut all);
    // Zeros have no sign.
    let of = |k: usize| {
        wants(all.iter().map(|x| if x[k].abs() < 1e-12 { 0.0 } else { x[k] }).collect::<Vec<_>>(), n)
    };
    let (re, mut im) = (of(0), of(1));
    let most = re.iter().chain(&im).fold(0.0f64, |m, w| m.max(w.mass));
    im.iter_mut().for_each(|w| w.mass = most);
    vec![re.into_iter().map(|w| Want { mass: most, ..w }).collect(), im]
}

/// `N` matrices of the size of A, of which the first is A, before what is left of the workspace.
fn matrices<'a, T: Element, const N: usize>(
    a: &Args<T>,
    small: &'a mut [[T; 64]; N],
    w: &'a mut [T],
) -> ([&'a mut [T]; N], &'a mut [T]) {
    let len = a.x[0].len();
    let fits = w.len() >= N * len && a.get("workspace").is_none();
    let (given, w) = w.split_at_mut(if fits { N * len } else { 0 });
    let mut given = given.chunks_exact_mut(len.max(1));
    let all = small.each_mut().map(|small| match given.next() {
        Some(all) if fits => all,
        _ => &mut small[..len.min(64)],
    });
    all[0].iter_mut().zip(&a.x[0]).for_each(|(to, x)| *to = *x);
    (all, w)
}

macro_rules! eigenvalues {
    ($N:literal, $name:literal, $workspace:path, |$s:ident, [$($m:ident),*], $re:ident, $im:ident, $w:ident| $call:expr) => {
        const NAME: &'static str = $name;
        const CUBED: bool = true;
        const REFUSES_NAN: bool = true;
        fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
            sampled::<T, Self>(rows, cols, r)
        }
        fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
            let n = bounded(a.size("n"));
            vec![stale(n); 2]
        }
        fn workspace<T: Element>(a: &Args<T>) -> usize {
            let n = bounded(a.size("n"));
            // The matrices are the test's.
            $workspace(n) + $N * n * n
        }
        called! {
            |$s, a, [$re, $im], w| {
                let (n, len) = (a.size("n"), a.x[0].len());
                let cols = len.checked_div(n).unwrap_or(0);
                let mut small = [[T::ZERO; 64]; $N];
                let ([$($m),*], $w) = matrices(a, &mut small, w);
                let done = (|| {
                    $(let $m = MatMut::row_major($m, n, cols)?;)*
                    $call
                })();
                if done.is_ok() {
                    sort($re, $im);
                }
                done
            }
        }
        fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
            wanted(a)
        }
    };
}

pub struct Schur;
impl Op for Schur {
    eigenvalues!(2, "schur", fulmen::schur_workspace, |s, [t, z], re, im, w| fulmen::schur_on(
        s, t, z, re, im, w
    ));
}

pub struct Eig;
impl Op for Eig {
    eigenvalues!(3, "eig", fulmen::eig_workspace, |s, [t, u, v], re, im, w| fulmen::eig_on(
        s,
        t,
        Some(u),
        Some(v),
        re,
        im,
        w
    ));
}
