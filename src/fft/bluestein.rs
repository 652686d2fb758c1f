//! Bluestein's algorithm, for lengths with a large prime factor: `jk = (j² + k² - (j - k)²)/2` makes the transform a
//! convolution with a chirp, which is computed by transforms of a length with small factors.

use super::execute::{Io, passes};
use super::plan::{Steps, fill as roots, roots_len, smooth, turn};
use crate::complex::Complex;
use crate::lanes::{Element, Simd};
use crate::slices::{split, split_mut};

/// The length of the convolution: at least `2n - 1`, the shortest of the products of a power of two and a few odd numbers.
pub(crate) const fn padded_len(n: usize) -> usize {
    const ODD: [usize; 7] = [1, 3, 5, 7, 9, 15, 25];
    let Some(most) = n.checked_mul(4) else { return usize::MAX };
    let least = 2 * n - 1;
    let (mut best, mut i) = (most, 0);
    while i < ODD.len() {
        #[allow(clippy::indexing_slicing, reason = "below its length")]
        let mut m = ODD[i].saturating_mul(16);
        while m < least {
            m *= 2;
        }
        if m < best {
            best = m;
        }
        i += 1;
    }
    if smooth(best) { best } else { least.next_power_of_two() }
}

/// Two arrays of that length, and what its transform needs.
pub(crate) const fn workspace(n: usize) -> usize {
    let m = padded_len(n);
    m.saturating_mul(2).saturating_add(super::plan::scratch(m))
}

/// The chirp, the transform of its conjugate, and the roots of the convolution's length.
pub(crate) const fn plan_len(n: usize) -> usize {
    let m = padded_len(n);
    if m == usize::MAX {
        return m;
    }
    n.saturating_mul(2).saturating_add(m.saturating_mul(2)).saturating_add(roots_len(m))
}

/// The parts of a table.
fn parts<T>(n: usize, m: usize, table: &[T]) -> [&[T]; 3] {
    let (chirp, rest) = split(table, 2 * n);
    let (filter, roots) = split(rest, 2 * m);
    [chirp, filter, roots]
}

/// Fills `table`, which is [`plan_len`] long, with [`workspace`].
pub(crate) fn fill<T: Element>(n: usize, table: &mut [T], workspace: &mut [Complex<T>]) {
    let m = padded_len(n);
    let (chirp, rest) = table.split_at_mut((2 * n).min(table.len()));
    let (filter, table) = rest.split_at_mut((2 * m).min(rest.len()));
    roots(m, table);
    let (a, work) = workspace.split_at_mut(m.min(workspace.len()));
    a.fill(Complex::ZERO);
    // k² modulo 2n.
    let (mut square, period) = (0u64, 2 * n as u64);
    for (k, c) in chirp.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let [cos, sin] = turn(square, period);
        *c = [T::from_f64(cos), T::from_f64(-sin)];
        // 1/m of the inverse transform.
        let to = Complex::new(T::from_f64(cos / m as f64), T::from_f64(sin / m as f64));
        for at in [k, if k == 0 { 0 } else { m - k }] {
            if let Some(a) = a.get_mut(at) {
                *a = to;
            }
        }
        square += 2 * k as u64 + 1;
        square -= if square < period { 0 } else { period };
    }
    if let Ok(filter) = Complex::of_mut(filter) {
        passes(crate::lanes::native(), &Steps::of(m), table, false, T::ONE, Io::Apart(a, filter), work);
    }
}

/// One transform, as [`passes`].
#[allow(clippy::too_many_arguments, reason = "a plan, in parts")]
pub(super) fn one<S: Simd, T: Element>(
    s: S,
    n: usize,
    steps: &Steps,
    table: &[T],
    back: bool,
    scale: T,
    mut io: Io<'_, T>,
    workspace: &mut [Complex<T>],
) {
    let m = steps.n;
    if workspace.len() < 2 * m || table.len() < 2 * (n + m) {
        return debug_assert!(false, "as all callers check");
    }
    let [chirp, filter, table] = parts(n, m, table);
    let (Ok(chirp), Ok(filter)) = (Complex::of(chirp), Complex::of(filter)) else { return };
    let (a, rest) = split_mut(workspace, m);
    let (b, work) = split_mut(rest, m);
    let exchanged = |z: Complex<T>| if back { Complex::new(z.im, z.re) } else { z };
    s.vectorize(
        #[inline(always)]
        || {
            let (head, tail) = split_mut(a, n);
            for (a, (x, c)) in head.iter_mut().zip(io.input().iter().zip(chirp)) {
                *a = exchanged(*x) * *c;
            }
            tail.fill(Complex::ZERO);
        },
    );
    passes(s, steps, table, false, T::ONE, Io::Apart(a, b), work);
    s.vectorize(
        #[inline(always)]
        || {
            for (b, f) in b.iter_mut().zip(filter) {
                // The inverse transform is the forward one between two exchanges of parts.
                let z = *b * *f;
                *b = Complex::new(z.im, z.re);
            }
        },
    );
    passes(s, steps, table, false, T::ONE, Io::Apart(b, a), work);
    s.vectorize(
        #[inline(always)]
        || {
            for (y, (a, c)) in io.output().iter_mut().zip(a.iter().zip(chirp)) {
                *y = exchanged((Complex::new(a.im, a.re) * *c).scale(scale));
            }
        },
    );
}
