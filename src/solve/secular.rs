//! The secular equation of a rank-1 update of a diagonal matrix, `diag(d) + ρzzᵀ`: its eigenvalues are the roots of
//! `1/ρ + Σ z_j²/(d_j - λ) = 0`, one between two neighbouring poles each. All is computed in `f64`.

use super::{abs, sqrt};
use crate::lanes::{Element, Simd};

/// Sums that run side by side.
const SUMS: usize = 8;
/// Steps for a root.
const STEPS: usize = 100;

/// The sum of what the lanes of a sum hold.
#[inline(always)]
fn total(x: [f64; SUMS]) -> f64 {
    let [a, b, c, d, e, f, g, h] = x;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `Σ z²/(d - λ)` and its derivative `Σ z²/(d - λ)²` with `λ = origin + x`.
#[inline(always)]
fn sums<T: Element>(poles: &[T], z: &[T], origin: f64, x: f64) -> [f64; 2] {
    let (mut value, mut slope) = ([0.0; SUMS], [0.0; SUMS]);
    let ((poles, last_poles), (z, last_z)) = (poles.as_chunks::<SUMS>(), z.as_chunks::<SUMS>());
    for (poles, z) in poles.iter().zip(z) {
        for (((value, slope), d), z) in value.iter_mut().zip(&mut slope).zip(poles).zip(z) {
            let z = z.to_f64();
            let t = z / ((d.to_f64() - origin) - x);
            *value += z * t;
            *slope += t * t;
        }
    }
    for (((value, slope), d), z) in value.iter_mut().zip(&mut slope).zip(last_poles).zip(last_z) {
        let z = z.to_f64();
        let t = z / ((d.to_f64() - origin) - x);
        *value += z * t;
        *slope += t * t;
    }
    [total(value), total(slope)]
}

/// `Π (λ_i - d)/(d_i - d)` of the roots `λ_i = origins[i] + offsets[i]`.
#[inline(always)]
fn product<T: Element>(poles: &[T], origins: &[T], offsets: &[T], d: f64) -> f64 {
    let mut product = [1.0; SUMS];
    let (poles, last_poles) = poles.as_chunks::<SUMS>();
    let (origins, last_origins) = origins.as_chunks::<SUMS>();
    let (offsets, last_offsets) = offsets.as_chunks::<SUMS>();
    let of = |pole: T, origin: T, x: T| ((origin.to_f64() - d) + x.to_f64()) / (pole.to_f64() - d);
    for ((poles, origins), offsets) in poles.iter().zip(origins).zip(offsets) {
        for (((product, pole), origin), x) in product.iter_mut().zip(poles).zip(origins).zip(offsets) {
            *product *= of(*pole, *origin, *x);
        }
    }
    for (((product, pole), origin), x) in
        product.iter_mut().zip(last_poles).zip(last_origins).zip(last_offsets)
    {
        *product *= of(*pole, *origin, *x);
    }
    let [a, b, c, d, e, f, g, h] = product;
    ((a * e) * (c * g)) * ((b * f) * (d * h))
}

/// The magnitude of element `i` of the z of which the roots that were found are exact ones (M. Gu, S. Eisenstat): vectors of that z are
/// orthogonal however far the roots are from those of the first z. `rho` is 1/ρ.
#[inline(always)]
pub(super) fn weight<S: Simd, T: Element>(
    s: S,
    [poles, origins, offsets]: [&[T]; 3],
    i: usize,
    rho: f64,
) -> f64 {
    let at = |x: &[T], i: usize| x.get(i).copied().unwrap_or_default().to_f64();
    let d = at(poles, i);
    let part = |from: usize, to: usize| {
        let [poles, origins, offsets] =
            [poles, origins, offsets].map(|x| x.get(from..to).unwrap_or_default());
        product(poles, origins, offsets, d)
    };
    let own = (at(origins, i) - d) + at(offsets, i);
    sqrt(s, abs(rho * own * part(0, i) * part(i + 1, poles.len())))
}

/// The vector of a root: `z_j/(d_j - λ)`, of length 1.
#[inline(always)]
pub(super) fn vector<S: Simd, T: Element>(s: S, poles: &[T], z: &[T], [origin, x]: [f64; 2], to: &mut [T]) {
    let mut squares = [0.0; SUMS];
    let ((poles, last_poles), (z, last_z)) = (poles.as_chunks::<SUMS>(), z.as_chunks::<SUMS>());
    let (chunks, last) = to.as_chunks_mut::<SUMS>();
    for ((to, poles), z) in chunks.iter_mut().zip(poles).zip(z) {
        for (((to, square), d), z) in to.iter_mut().zip(&mut squares).zip(poles).zip(z) {
            let t = z.to_f64() / ((d.to_f64() - origin) - x);
            *square += t * t;
            *to = T::from_f64(t);
        }
    }
    for (((to, square), d), z) in last.iter_mut().zip(&mut squares).zip(last_poles).zip(last_z) {
        let t = z.to_f64() / ((d.to_f64() - origin) - x);
        *square += t * t;
        *to = T::from_f64(t);
    }
    let by = T::from_f64(1.0 / sqrt(s, total(squares)));
    for to in to {
        *to = *to * by;
    }
}

/// The offset that halves what is left, by its exponent while its ends are far from each other.
#[inline(always)]
fn between<S: Simd>(s: S, low: f64, high: f64) -> f64 {
    let (near, far) = if abs(low) < abs(high) { (low, high) } else { (high, low) };
    if near == 0.0 {
        far * 1e-6
    } else if abs(far) > 4.0 * abs(near) {
        libm::copysign(sqrt(s, near * far), far)
    } else {
        0.5 * (low + high)
    }
}

/// The solution of `cη² - aη + b = 0` that is `b/a` for small `c`, or the other one.
#[inline(always)]
fn quadratic<S: Simd>(s: S, [a, b, c]: [f64; 3], small: bool) -> f64 {
    let root = sqrt(s, abs(a * a - 4.0 * b * c));
    let q = if a < 0.0 { a - root } else { a + root };
    if small { 2.0 * b / q } else { q / (2.0 * c) }
}

/// Root `i`, which follows pole `i`: the pole that is nearer to it, and its distance from that.
///
/// Poles ascend and differ, no z is 0; `rho` is 1/ρ. None when [`STEPS`] steps are not enough.
#[inline(always)]
pub(super) fn root<S: Simd, T: Element>(s: S, poles: &[T], z: &[T], i: usize, rho: f64) -> Option<[f64; 2]> {
    let k = poles.len();
    let pole = |i: usize| poles.get(i).copied().unwrap_or_default().to_f64();
    let square = |i: usize| {
        let z = z.get(i).copied().unwrap_or_default().to_f64();
        z * z
    };
    if k < 2 {
        return Some([pole(i), square(i) / rho]);
    }
    let last = i + 1 == k;
    // The two poles next to it, and how many are in the first sum.
    let left = if last { i - 1 } else { i };
    let (first, gap) = (left + 1, pole(left + 1) - pole(left));
    let (poles_before, poles_after) = poles.split_at_checked(first)?;
    let (z_before, z_after) = z.split_at_checked(first)?;
    let all = |origin: f64, x: f64| {
        let [psi, psi_slope] = sums(poles_before, z_before, origin, x);
        let [phi, phi_slope] = sums(poles_after, z_after, origin, x);
        [psi, phi, psi_slope, phi_slope]
    };
    let (origin, mut x, [mut low, mut high]);
    let near_left;
    if last {
        let all: f64 = z.iter().map(|z| z.to_f64() * z.to_f64()).sum();
        (origin, near_left) = (pole(i), false);
        [low, high] = [0.0, all / rho * (1.0 + 1e-12)];
        x = square(i) / rho;
        if x >= high {
            x = 0.5 * high;
        }
    } else {
        let half = 0.5 * gap;
        let [psi, phi, ..] = all(pole(i), half);
        let value = rho + psi + phi;
        let (a, b) = (square(i), square(i + 1));
        let c = value - b / half + a / half;
        near_left = value > 0.0;
        if near_left {
            (origin, low, high) = (pole(i), 0.0, half);
            let a_ = c * gap + a + b;
            x = quadratic(s, [a_, a * gap, c], a_ > 0.0);
        } else {
            (origin, low, high) = (pole(i + 1), -half, 0.0);
            let a_ = c * gap - a - b;
            x = quadratic(s, [-a_, -b * gap, c], a_ < 0.0);
        }
        if !(x > low && x < high) {
            x = between(s, low, high);
        }
    }
    let unit = libm::ldexp(1.0, if T::SIGNIFICAND < 30 { -T::SIGNIFICAND - 4 } else { -T::SIGNIFICAND - 1 });
    let (mut before, mut other) = (f64::INFINITY, false);
    for step in 0..STEPS {
        let [psi, phi, psi_slope, phi_slope] = all(origin, x);
        let (value, slope) = (rho + psi + phi, psi_slope + phi_slope);
        let noise = 12.0 * (abs(phi) + abs(psi)) + 2.0 * rho + abs(x) * slope;
        if abs(value) <= unit * noise {
            return Some([origin, x]);
        }
        if value < 0.0 {
            low = low.max(x);
        } else {
            high = high.min(x);
        }
        // What was slow is not tried again.
        if step > 0 && abs(value) > 0.1 * abs(before) && (value < 0.0) == (before < 0.0) {
            other = !other;
        }
        before = value;
        let d = [(pole(left) - origin) - x, (pole(left + 1) - origin) - x];
        let [d0, d1] = d;
        let c = match (last || other, near_left) {
            (true, _) => value - d0 * psi_slope - d1 * phi_slope,
            (_, true) => value - d1 * slope + gap * square(left) / (d0 * d0),
            _ => value - d0 * slope - gap * square(left + 1) / (d1 * d1),
        };
        let a = (d0 + d1) * value - d0 * d1 * slope;
        let b = d0 * d1 * value;
        let (c, small) = if last { (abs(c), a < 0.0) } else { (c, a > 0.0) };
        let by = quadratic(s, [a, b, c], small);
        // A step the other way, or NaN, is one of Newton's.
        let mut next = x + if by * value < 0.0 { by } else { -value / slope };
        if !(next > low && next < high) || (step > 8 && step % 3 == 0) {
            next = between(s, low, high);
        }
        // No number lies between.
        if next == x || !(next > low && next < high) {
            return Some([origin, x]);
        }
        x = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::native;

    /// Poles and z of many sizes, poles that are next to each other and far, and z from large to next to nothing.
    #[test]
    fn roots_lie_between_poles() {
        let mut state = 1u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        for k in (1..40).chain([100]) {
            let (mut poles, mut z) = ([0.0f64; 100], [0.0f64; 100]);
            let mut pole = 0.0;
            for (pole_of, z) in poles.iter_mut().zip(&mut z).take(k) {
                pole += libm::exp2(-40.0 * next() * next());
                (*pole_of, *z) = (pole, libm::exp2(-40.0 * next() * next()));
            }
            let (poles, z) = (&poles[..k], &z[..k]);
            let (mut origins, mut offsets) = ([0.0; 100], [0.0; 100]);
            for i in 0..k {
                let [origin, x] = root(native(), poles, z, i, 0.7).unwrap();
                assert!(poles.contains(&origin) && x != 0.0, "{k} {i}");
                let next = poles.get(i + 1).map_or(f64::INFINITY, |next| next - origin);
                assert!(poles[i] - origin < x && x < next, "{k} {i}: {x} from {origin}");
                // The sign changes there.
                let value = |x: f64| 0.7 + sums(poles, z, origin, x)[0];
                let off = 1e-12 * abs(x);
                assert!(value(x - off) < 0.0 && value(x + off) > 0.0, "{k} {i}: {x}");
                (origins[i], offsets[i]) = (origin, x);
            }
            for (i, want) in z.iter().enumerate() {
                let found = weight(native(), [poles, &origins[..k], &offsets[..k]], i, 0.7);
                assert!(abs(found / want - 1.0) < 1e-12, "{k} {i}: {found} {want}");
            }
        }
    }
}
