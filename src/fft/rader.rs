//! Rader's algorithm, for prime lengths: with the points in the order of the powers of a primitive root, the transform
//! is a cyclic convolution that is one point shorter.

use super::execute::{Io, passes};
use super::plan::{Steps, fill as roots, roots_len, smooth, turn};
use crate::complex::Complex;
use crate::lanes::{Element, Simd};
use crate::slices::{split, split_mut};

/// The least length. Below it, and where 16 does not divide the convolution's, twice as long a power of two takes less.
pub(crate) const LEAST: usize = 257;
/// No length has as much: powers stand in the table, where `f32` has them exactly.
pub(crate) const PAST: usize = 1 << 24;

/// Whether a length is a prime of which one less is a product of radices that fills lanes.
pub(crate) const fn fits(n: usize) -> bool {
    if n < LEAST || n % 16 != 1 || n >= PAST || !smooth(n - 1) {
        return false;
    }
    let mut divisor = 3;
    while divisor * divisor <= n {
        if n.is_multiple_of(divisor) {
            return false;
        }
        divisor += 2;
    }
    true
}

/// Two arrays of the convolution's length, and what its transform needs.
pub(super) const fn workspace(n: usize) -> usize {
    2 * (n - 1) + super::plan::scratch(n - 1)
}

/// The powers of the primitive root, the transform of the roots of unity, and the roots of the convolution's length.
pub(super) const fn plan_len(n: usize) -> usize {
    3 * (n - 1) + roots_len(n - 1)
}

/// `g^e` modulo `n`, which is below 2²⁴.
fn power(g: u64, mut e: u64, n: u64) -> u64 {
    let (mut y, mut square) = (1, g);
    while e > 0 {
        if e % 2 == 1 {
            y = y * square % n;
        }
        square = square * square % n;
        e /= 2;
    }
    y
}

/// The least primitive root: no power of it by a part of `n - 1` is 1.
fn generator(n: u64) -> u64 {
    let m = n - 1;
    let first = |g: u64| [2, 3, 5, 7].into_iter().all(|f| !m.is_multiple_of(f) || power(g, m / f, n) != 1);
    (2..n).find(|g| first(*g)).unwrap_or(1)
}

/// Fills `table`, which is [`plan_len`] long, with [`workspace`].
pub(super) fn fill<T: Element>(n: usize, table: &mut [T], workspace: &mut [Complex<T>]) {
    let m = n - 1;
    let (powers, rest) = table.split_at_mut(m.min(table.len()));
    let (filter, table) = rest.split_at_mut((2 * m).min(rest.len()));
    roots(m, table);
    let (a, work) = workspace.split_at_mut(m.min(workspace.len()));
    let (g, mut power) = (generator(n as u64), 1);
    for (q, p) in powers.iter_mut().enumerate() {
        *p = T::from_usize(power as usize);
        let [cos, sin] = turn(power, n as u64);
        if let Some(a) = a.get_mut(if q == 0 { 0 } else { m - q }) {
            // 1/m of the inverse transform.
            *a = Complex::new(T::from_f64(cos / m as f64), T::from_f64(-sin / m as f64));
        }
        power = power * g % n as u64;
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
    if workspace.len() < 2 * m || table.len() < 3 * m || io.len() < n {
        return debug_assert!(false, "as all callers check");
    }
    let (powers, rest) = split(table, m);
    let (filter, table) = split(rest, 2 * m);
    let Ok(filter) = Complex::of(filter) else { return };
    let (a, rest) = split_mut(workspace, m);
    let (b, work) = split_mut(rest, m);
    let exchanged = |z: Complex<T>| if back { Complex::new(z.im, z.re) } else { z };
    let place = |power: &T| power.to_f64() as usize;
    let x = io.input();
    let first = exchanged(x.first().copied().unwrap_or_default());
    for (a, p) in a.iter_mut().zip(powers) {
        *a = exchanged(x.get(place(p)).copied().unwrap_or_default());
    }
    passes(s, steps, table, false, T::ONE, Io::Apart(a, b), work);
    let sum = first + b.first().copied().unwrap_or_default();
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
    let y = io.output();
    if let Some(y) = y.first_mut() {
        *y = exchanged(sum.scale(scale));
    }
    // The powers of the inverse: 1, then the last ones first.
    for (a, p) in a.iter().zip(powers.iter().take(1).chain(powers.iter().skip(1).rev())) {
        if let Some(y) = y.get_mut(place(p)) {
            *y = exchanged((first + Complex::new(a.im, a.re)).scale(scale));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{fits, generator};

    /// The powers of a generator are all numbers below the prime: of every length that has such a plan, up to 20 000.
    #[test]
    fn generators_generate() {
        let mut lengths = 0;
        for n in (0..20_000).filter(|n| fits(*n)) {
            let (n, mut power, mut order) = (n as u64, 1, 0);
            let g = generator(n);
            loop {
                (power, order) = (power * g % n, order + 1);
                if power == 1 {
                    break;
                }
                assert!(order < n, "{g} of {n}");
            }
            assert_eq!(order, n - 1, "{g} of {n}");
            lengths += 1;
        }
        assert!(lengths > 40, "{lengths}");
    }
}
