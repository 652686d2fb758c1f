//! Scales that make the squared error small: least squares for the codes at hand, from several first guesses.

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

/// The weighted squared error of `scale·code − min` with the best codes in `lo..=hi`.
pub(crate) fn error(x: &[f32], w: Option<&[f32]>, scale: f32, min: f32, lo: i32, hi: i32) -> f32 {
    let by = inverse(scale);
    let each = x.iter().enumerate().map(|(i, &x)| {
        let q = nearest((x + min) * by).clamp(lo, hi) as f32;
        let e = scale * q - min - x;
        weight(w, i) * e * e
    });
    each.sum()
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
pub(crate) fn symmetric(x: &[f32], w: Option<&[f32]>, n: i32) -> f32 {
    let top = extreme(x);
    if inverse(top) == 0.0 {
        return 0.0;
    }
    let mut best = (-1.0, 0.0);
    for step in -12..=12 {
        for ends in [-(n as f32), (n - 1) as f32] {
            let by = (ends + 0.1 * step as f32) / top;
            let (mut xq, mut qq) = (0.0f32, 0.0f32);
            for (i, x) in x.iter().enumerate() {
                let q = nearest(x * by).clamp(-n, n - 1) as f32;
                xq += weight(w, i) * (x / top) * q;
                qq += weight(w, i) * q * q;
            }
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
    let mut least = error(x, w, best[0], best[1], 0, n);
    for step in -10..=10 {
        let by = (n as f32 + 0.1 * step as f32) / range;
        // In units of the range, so that the sums neither overflow nor vanish.
        let [mut s, mut sx, mut sq, mut sqq, mut sxq] = [0.0f32; 5];
        for (i, x) in x.iter().enumerate() {
            let (w, y) = (weight(w, i), (x - lo) / range);
            let q = nearest((x - lo) * by).clamp(0, n) as f32;
            s += w;
            sx += w * y;
            sq += w * q;
            sqq += w * q * q;
            sxq += w * y * q;
        }
        let det = s * sqq - sq * sq;
        if det <= 0.0 {
            continue;
        }
        let scale = (s * sxq - sx * sq) / det;
        let offset = (sqq * sx - sq * sxq) / det;
        let mut at = [scale * range, -(offset * range + lo)];
        let beyond = (mins == Mins::Below && at[1] < 0.0) || (mins == Mins::Above && at[1] > 0.0);
        if beyond && sqq > 0.0 {
            // Through zero.
            at = [(sxq + lo / range * sq) / sqq * range, 0.0];
        }
        if at[0].is_nan() || at[0] <= 0.0 {
            continue;
        }
        let e = error(x, w, at[0], at[1], 0, n);
        if e < least {
            (best, least) = (at, e);
        }
    }
    best
}
