//! Searches the scales of a block that minimise the squared error: least squares for given codes, from several initial
//! scales.

use core::array::from_fn;

/// `x` rounded to the nearest integer, ties to even, for magnitudes below 2²².
#[inline(always)]
pub(crate) fn nearest(x: f32) -> i32 {
    const SHIFT: f32 = 12_582_912.0;
    ((x.clamp(-1e6, 1e6) + SHIFT) - SHIFT) as i32
}

/// `1/x`, 0 for what has no finite inverse.
#[inline(always)]
pub(crate) fn inverse(x: f32) -> f32 {
    let y = 1.0 / x;
    if y.is_finite() { y } else { 0.0 }
}

/// The weight of element `i`.
#[inline(always)]
pub(crate) fn weight(w: Option<&[f32]>, i: usize) -> f32 {
    w.and_then(|w| w.get(i)).copied().unwrap_or(1.0)
}

/// The part of the weights from `at`.
#[inline(always)]
pub(crate) fn weights_from(w: Option<&[f32]>, at: usize) -> Option<&[f32]> {
    w.and_then(|w| w.get(at..))
}

/// The element of the largest magnitude.
pub(crate) fn extreme(x: &[f32]) -> f32 {
    x.iter().fold(0.0, |m: f32, &x| if x.abs() > m.abs() { x } else { m })
}

/// Guesses that are tried at once, in vectors of as many lanes as the target has: each adds what elements give in their
/// order, so what a scale is depends on none.
const GUESSES: usize = 8;

/// The code in `lo..=hi` nearest to `x`, 0 for NaN, as a number; 0 is one of them.
#[inline(always)]
fn code(x: f32, [lo, hi]: [f32; 2]) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    // As `clamp`, which would check the ends in each call.
    let x = if x < lo { lo } else { x };
    let x = if x > hi { hi } else { x };
    let q = (x + SHIFT) - SHIFT;
    if q.is_nan() { 0.0 } else { q }
}

/// The weighted squared errors of `scale·code − min` with the best codes in `lo..=hi`.
#[allow(clippy::indexing_slicing, reason = "k < N")]
pub(crate) fn errors<const N: usize>(
    x: &[f32],
    w: Option<&[f32]>,
    scale: [f32; N],
    min: [f32; N],
    [lo, hi]: [i32; 2],
) -> [f32; N] {
    let (by, ends) = (scale.map(inverse), [lo as f32, hi as f32]);
    let mut sums = [-0.0f32; N];
    for (i, &x) in x.iter().enumerate() {
        let w = weight(w, i);
        for k in 0..N {
            let q = code((x + min[k]) * by[k], ends);
            let e = scale[k] * q - min[k] - x;
            sums[k] += w * e * e;
        }
    }
    sums
}

/// The codes in `lo..=hi` nearest to `x` under `scale·code − min`.
#[inline]
pub(crate) fn codes<const N: usize>(x: &[f32], scale: f32, min: f32, lo: i32, hi: i32) -> [i8; N] {
    let mut to = [0; N];
    codes_into(x, scale, min, lo, hi, &mut to);
    to
}

/// [`codes`] as long as `to`.
#[inline]
pub(crate) fn codes_into(x: &[f32], scale: f32, min: f32, lo: i32, hi: i32, to: &mut [i8]) {
    let by = inverse(scale);
    for (to, x) in to.iter_mut().zip(x) {
        *to = nearest((x + min) * by).clamp(lo, hi) as i8;
    }
}

/// A scale for codes in `-n..n`.
#[allow(clippy::indexing_slicing, reason = "k < GUESSES, one of two ends")]
pub(crate) fn symmetric(x: &[f32], w: Option<&[f32]>, n: i32) -> f32 {
    let top = extreme(x);
    if inverse(top) == 0.0 {
        return 0.0;
    }
    let mut best = (-1.0, 0.0);
    let ends = [-(n as f32), (n - 1) as f32];
    // Each step from either end.
    for first in (0..50).step_by(GUESSES) {
        let by: [f32; GUESSES] = from_fn(|k| {
            let (step, end) = ((first + k) / 2, ends[(first + k) % 2]);
            (end + 0.1 * (step as i32 - 12) as f32) / top
        });
        let [mut xq, mut qq] = [[0.0f32; GUESSES]; 2];
        for (i, x) in x.iter().enumerate() {
            let (w, y) = (weight(w, i), x / top);
            for k in 0..GUESSES {
                let q = code(x * by[k], ends);
                xq[k] += w * y * q;
                qq[k] += w * q * q;
            }
        }
        for (xq, qq) in xq.into_iter().zip(qq).take(50 - first) {
            if qq > 0.0 && xq * xq > best.0 * qq {
                best = (xq * xq / qq, xq / qq * top);
            }
        }
    }
    best.1
}

/// Which mins a format has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mins {
    Any,
    /// Values down to zero or below: `min >= 0`.
    Below,
    /// `min <= 0`.
    Above,
}

/// A scale, not negative, and a min for codes in `0..=n`.
#[allow(clippy::indexing_slicing, reason = "k < GUESSES")]
pub(crate) fn affine(x: &[f32], w: Option<&[f32]>, n: i32, mins: Mins) -> [f32; 2] {
    let ends = |f: fn(f32, f32) -> f32| x.iter().copied().reduce(f).unwrap_or(0.0);
    let (mut lo, hi) = (ends(f32::min), ends(f32::max));
    match mins {
        Mins::Below => lo = lo.min(0.0),
        Mins::Above => lo = lo.max(0.0),
        Mins::Any => {}
    }
    let range = hi - lo;
    if inverse(range) == 0.0 {
        return [0.0, -lo];
    }
    let mut best = [range / n as f32, -lo];
    let [mut least] = errors(x, w, [best[0]], [best[1]], [0, n]);
    for first in (-10..=10).step_by(GUESSES) {
        let by: [f32; GUESSES] = from_fn(|k| (n as f32 + 0.1 * (first + k as i32) as f32) / range);
        // In units of the range, so that the sums neither overflow nor vanish.
        let [mut s, mut sx] = [0.0f32; 2];
        let [mut sq, mut sqq, mut sxq] = [[0.0f32; GUESSES]; 3];
        for (i, x) in x.iter().enumerate() {
            let (w, y) = (weight(w, i), (x - lo) / range);
            s += w;
            sx += w * y;
            for k in 0..GUESSES {
                let q = code((x - lo) * by[k], [0.0, n as f32]);
                sq[k] += w * q;
                sqq[k] += w * q * q;
                sxq[k] += w * y * q;
            }
        }
        // Through zero where the best min is of the wrong sign; none for what is no scale.
        let at: [[f32; 2]; GUESSES] = from_fn(|k| {
            let (sq, sqq, sxq) = (sq[k], sqq[k], sxq[k]);
            let det = s * sqq - sq * sq;
            let scale = (s * sxq - sx * sq) / det;
            let offset = (sqq * sx - sq * sxq) / det;
            let at = [scale * range, -(offset * range + lo)];
            let beyond = (mins == Mins::Below && at[1] < 0.0) || (mins == Mins::Above && at[1] > 0.0);
            match (det <= 0.0, beyond && sqq > 0.0) {
                (true, _) => [0.0; 2],
                (_, true) => [(sxq + lo / range * sq) / sqq * range, 0.0],
                _ => at,
            }
        });
        let found = errors(x, w, at.map(|at| at[0]), at.map(|at| at[1]), [0, n]);
        for ((at, e), _) in at.into_iter().zip(found).zip(first..=10) {
            if at[0] > 0.0 && e < least {
                (best, least) = (at, e);
            }
        }
    }
    best
}
