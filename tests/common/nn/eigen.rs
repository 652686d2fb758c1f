//! Eigenvalues of matrices that need not be symmetric.

use super::solvers::{bounded, order, wants};
use super::*;
use fulmen::MatMut;

/// `x·y` and `x/y` of complex numbers.
fn times(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]
}

/// The eigenvalues by complex QR steps with single shifts on the whole matrix, row by row: another way than the op's.
fn eigenvalues(a: &[f64], n: usize) -> Vec<[f64; 2]> {
    let minus = |x: [f64; 2], y: [f64; 2]| [x[0] - y[0], x[1] - y[1]];
    let size = |x: [f64; 2]| x[0].hypot(x[1]);
    let mut h: Vec<[f64; 2]> = a.iter().map(|x| [*x, 0.0]).collect();
    // Zeros below the first diagonal under the main one, by rotations.
    let rotate =
        |h: &mut Vec<[f64; 2]>, p: usize, q: usize, c: f64, s: [f64; 2], cols: std::ops::Range<usize>| {
            for j in cols {
                let (x, y) = (h[p * n + j], h[q * n + j]);
                let sy = times(s, y);
                let sx = times([s[0], -s[1]], x);
                h[p * n + j] = [c * x[0] + sy[0], c * x[1] + sy[1]];
                h[q * n + j] = [c * y[0] - sx[0], c * y[1] - sx[1]];
            }
        };
    let back = |h: &mut Vec<[f64; 2]>, p: usize, q: usize, c: f64, s: [f64; 2], rows: usize| {
        for i in 0..rows {
            let (x, y) = (h[i * n + p], h[i * n + q]);
            let sy = times([s[0], -s[1]], y);
            let sx = times(s, x);
            h[i * n + p] = [c * x[0] + sy[0], c * x[1] + sy[1]];
            h[i * n + q] = [c * y[0] - sx[0], c * y[1] - sx[1]];
        }
    };
    let turn = |x: [f64; 2], y: [f64; 2]| {
        let r = size(x).hypot(size(y));
        if size(y) == 0.0 {
            return (1.0, [0.0; 2]);
        }
        if size(x) == 0.0 {
            return (0.0, [y[0] / r, -y[1] / r]);
        }
        let of = times([x[0] / size(x), x[1] / size(x)], [y[0], -y[1]]);
        (size(x) / r, [of[0] / r, of[1] / r])
    };
    for k in 0..n.saturating_sub(2) {
        for i in (k + 2..n).rev() {
            let (c, s) = turn(h[(i - 1) * n + k], h[i * n + k]);
            rotate(&mut h, i - 1, i, c, s, 0..n);
            back(&mut h, i - 1, i, c, s, n);
        }
    }
    let mut end = n;
    let mut turns = 0;
    while end > 1 {
        let i = end - 1;
        let mut l = i;
        while l > 0 && size(h[l * n + l - 1]) > 1e-16 * (size(h[l * n + l]) + size(h[(l - 1) * n + l - 1])) {
            l -= 1;
        }
        if l == i {
            end -= 1;
            continue;
        }
        turns += 1;
        assert!(turns < 1000 * n, "the reference does not end");
        // The eigenvalue of the last two rows that is nearer to the last element, or another shift now and then.
        let [a, b, c, d] = [h[(i - 1) * n + i - 1], h[(i - 1) * n + i], h[i * n + i - 1], h[i * n + i]];
        let half = [(a[0] - d[0]) / 2.0, (a[1] - d[1]) / 2.0];
        let (square, bc) = (times(half, half), times(b, c));
        let of = [square[0] + bc[0], square[1] + bc[1]];
        let (length, angle) = (size(of).sqrt(), of[1].atan2(of[0]) / 2.0);
        let root = [length * angle.cos(), length * angle.sin()];
        let both = [1.0, -1.0].map(|s| [d[0] + half[0] + s * root[0], d[1] + half[1] + s * root[1]]);
        let mut shift = if size(minus(both[0], d)) < size(minus(both[1], d)) { both[0] } else { both[1] };
        if turns % 11 == 10 {
            shift = [d[0] + size(c), d[1] + 0.3 * size(c)];
        }
        (l..=i).for_each(|k| h[k * n + k] = minus(h[k * n + k], shift));
        let mut all = vec![];
        for k in l..i {
            let (c, s) = turn(h[k * n + k], h[(k + 1) * n + k]);
            rotate(&mut h, k, k + 1, c, s, 0..n);
            all.push((k, c, s));
        }
        all.into_iter().for_each(|(k, c, s)| back(&mut h, k, k + 1, c, s, i + 1));
        (l..=i).for_each(|k| h[k * n + k] = [h[k * n + k][0] + shift[0], h[k * n + k][1] + shift[1]]);
    }
    (0..n).map(|k| h[k * n + k]).collect()
}

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
