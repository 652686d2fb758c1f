//! Postconditions of contracts as data, and the function that evaluates them.

use crate::alu::Real;

/// One executable postcondition; NaN elements are skipped unless the text says otherwise.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Post {
    /// `lo <= out[i] <= hi`.
    Range(f64, f64),
    /// `out[i]` is NaN exactly when an input is (at `i`, in the row, or anywhere) or a parameter. The parameters of the positions
    /// listed act on some elements only: `out[i]` need not be NaN where one of them is, and may be NaN where one of them is not finite.
    NanIffNan(&'static [usize]),
    /// `out[i]` is NaN when an input is (at `i`, in the row, or anywhere) or a parameter, but for those of the positions listed.
    NanIfNan(&'static [usize]),
    /// Each finite `out[i]` is an integer.
    Integral,
    /// `out[i]` has the sign bit of the first input.
    SameSign,
    /// `out[i]` has the sign bit of the second input.
    SignOfSecond,
    /// `|out[i]|` equals the magnitude of the first input.
    SameMagnitude,
    /// `out[i]` is one of the inputs at `i`; a scalar result is one of the elements.
    Selects,
    /// `x[i] <= x[i+1]` implies `out[i] <= out[i+1]`, up to so many units in the last place.
    Monotone(f64),
    /// Between the parameters of these positions.
    WithinParams(usize, usize),
    /// `|out[i]|` is at most so many times that, but for rounding. An infinite result needs a bound past the largest value.
    Bounded(By, f64),
    /// `out[i] >= 0` where the first input is positive.
    NonNegativeWhereFirstIs,
    /// The scalar result is `>=` every element.
    DominatesMax,
    /// The scalar result is `<=` every element.
    DominatesMin,
    /// Each row without NaN, unless masked by -inf as a whole, sums to the value within so many `(n + 16)·u`.
    RowSum(f64, f64),
    /// The exponentials of each such row sum to the value within so many `(n + 16)·u`.
    RowExpSum(f64, f64),
    /// The squares of each row sum to at most the value (0: the row length) times `1 + k·(n + 16)·u`.
    RowSumSquares(f64, f64),
    /// Every index is below the length of the input.
    IndexInRange,
    /// `out[i]` is the input at `indices[i]`, and earlier equal elements come first.
    IndexSelects,
    /// The index is that of the first largest element.
    IndexOfMax,
    /// The index is that of the first smallest element.
    IndexOfMin,
    /// The index is that of the last largest element.
    IndexOfLastMax,
    /// The index is that of the last smallest element.
    IndexOfLastMin,
    /// `out` is sorted, largest first.
    Descending,
    /// `out` is sorted, smallest first.
    Ascending,
}

/// What the magnitude of a result is compared with.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// `|a| + |b|`.
    Sum,
    /// `|a b|`.
    Product,
    /// `|a / b|`.
    Quotient,
    /// `|a b| + |c|`.
    MulAdd,
    /// `|b|`.
    Second,
    /// The first parameter times `|a|`.
    Scaled,
    /// `|(1 - t) a| + |t b|`, `t` being the first parameter.
    Lerp,
    /// `Σ |x|`.
    SumAbs,
    /// `Σ |x| / n`.
    MeanAbs,
    /// `Σ |a b|`.
    SumAbsProducts,
    /// `√(Σ a² Σ b²) / n`.
    Spreads,
    /// `√cols |γ[i]| + |β[i]|`: what an element of a row of unit variance becomes, at most.
    Row,
}

impl By {
    /// The bound of element `i`, and the roundings that may have come on top.
    fn of<T: Real>(self, c: &Call<'_, T>, i: usize) -> (f64, f64) {
        let x = |k: usize| match at(c, k, i) {
            Some(v) => v.to_f64().abs(),
            None => 0.0,
        };
        let p = c.params.first().map_or(0.0, |p| p.to_f64());
        let of = |k: usize| c.inputs.get(k).copied().unwrap_or_default();
        let all = |k: usize| of(k).iter().map(|v| v.to_f64());
        let n = of(0).len() as f64;
        let weight = |k: usize, none: f64| {
            let column = i.checked_rem(c.cols).unwrap_or(0);
            at(c, k, column).map_or(none, |v| v.to_f64().abs())
        };
        match self {
            Self::Sum => (x(0) + x(1), 2.0),
            Self::Product => (x(0) * x(1), 8.0),
            Self::Quotient => (x(0) / x(1), 2.0),
            Self::MulAdd => (x(0) * x(1) + x(2), 4.0),
            Self::Second => (x(1), 8.0),
            Self::Scaled => (p.abs() * x(0), 2.0),
            Self::Lerp => ((1.0 - p).abs() * x(0) + p.abs() * x(1), 8.0),
            Self::SumAbs => (all(0).map(f64::abs).sum(), n + 4.0),
            Self::MeanAbs => (all(0).map(f64::abs).sum::<f64>() / n, n + 4.0),
            Self::SumAbsProducts => (all(0).zip(all(1)).map(|(a, b)| (a * b).abs()).sum(), n + 4.0),
            Self::Spreads => {
                let squares = |k: usize| all(k).map(|v| v * v).sum::<f64>();
                (libm::sqrt(squares(0)) * libm::sqrt(squares(1)) / n, 8.0 * (n + 16.0))
            }
            Self::Row => (libm::sqrt(c.cols as f64) * weight(1, 1.0) + weight(2, 0.0), c.cols as f64 + 32.0),
        }
    }
}

/// One finished call: the arguments and the result.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a, T> {
    /// The slice inputs, in the order of the signature.
    pub inputs: &'a [&'a [T]],
    /// The parameters, in the order of the signature.
    pub params: &'a [T],
    /// The row length of a row op, else 0.
    pub cols: usize,
    /// The result; one element for a scalar.
    pub out: &'a [T],
    /// The resulting indices, if any.
    pub indices: &'a [u32],
}

impl<'a, T> Call<'a, T> {
    /// A call without parameters, rows or indices.
    #[must_use]
    pub const fn new(inputs: &'a [&'a [T]], out: &'a [T]) -> Self {
        Self { inputs, params: &[], cols: 0, out, indices: &[] }
    }
    /// With parameters.
    #[must_use]
    pub const fn params(self, params: &'a [T]) -> Self {
        Self { params, ..self }
    }
    /// With a row length.
    #[must_use]
    pub const fn cols(self, cols: usize) -> Self {
        Self { cols, ..self }
    }
    /// With indices.
    #[must_use]
    pub const fn indices(self, indices: &'a [u32]) -> Self {
        Self { indices, ..self }
    }
}

/// A postcondition that does not hold, and where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation {
    /// The postcondition.
    pub post: Post,
    /// The element, row or index position where it fails first.
    pub at: usize,
}

/// Checks that `c` satisfies every one of `posts`.
///
/// Errors: the first [`Violation`].
pub fn evaluate<T: Real>(posts: &[Post], c: &Call<'_, T>) -> Result<(), Violation> {
    for &post in posts {
        if let Some(at) = first_failure(post, c) {
            return Err(Violation { post, at });
        }
    }
    Ok(())
}

// Contracts are checked in builds without optimisation, where each step of an iterator is some calls: what looks at every
// element goes by its index.

#[inline(always)]
pub(crate) fn nan<T: Real>(x: T) -> bool {
    let x = x.to_f64();
    x != x
}
#[allow(clippy::indexing_slicing, reason = "i < x.len()")]
fn any_nan<T: Real>(x: &[T]) -> bool {
    let mut i = 0;
    while i < x.len() && !nan(x[i]) {
        i += 1;
    }
    i < x.len()
}
fn negative<T: Real>(x: T) -> bool {
    x.to_f64().is_sign_negative()
}
/// The element of input `k` that belongs to output `i`.
#[allow(clippy::indexing_slicing, reason = "both are compared with the lengths")]
fn at<T: Real>(c: &Call<'_, T>, k: usize, i: usize) -> Option<T> {
    if k < c.inputs.len() && i < c.inputs[k].len() { Some(c.inputs[k][i]) } else { None }
}
/// Whether two values are the same: NaN equals NaN, zeros differ by sign.
fn same<T: Real>(a: T, b: T) -> bool {
    let (a, b) = (a.to_f64(), b.to_f64());
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

/// Applies `check` to vectors that are no slices, some elements of each at a time. Their elements at `i < n` are `at(i)`.
#[allow(clippy::indexing_slicing, reason = "k < N and j < m ≤ 64")]
pub(crate) fn in_parts<T: Real, const N: usize>(
    n: usize,
    at: impl Fn(usize) -> [T; N],
    check: impl Fn([&[T]; N]) -> Result<(), Violation>,
) -> Result<(), Violation> {
    let mut part = [[T::ZERO; 64]; N];
    let mut i = 0;
    while i < n {
        let m = (n - i).min(64);
        let mut j = 0;
        while j < m {
            let (x, mut k) = (at(i + j), 0);
            while k < N {
                part[k][j] = x[k];
                k += 1;
            }
            j += 1;
        }
        check(part.each_ref().map(|x| &x[..m]))?;
        i += m;
    }
    Ok(())
}

/// The first output element that is not NaN although an input in its scope is or, if `only` then, the other way round. The
/// scope is the same position for element-wise ops, the row for row ops, and everything for a scalar. A parameter has everything in
/// its scope, unless its position is in `partial`.
fn nans<T: Real>(c: &Call<'_, T>, partial: &[usize], only: bool) -> Option<usize> {
    let (mut params, mut only) = (false, only);
    for (k, p) in c.params.iter().enumerate() {
        if partial.contains(&k) {
            // Which elements it makes NaN is the formula's: an infinite factor does so where it meets 0.
            only &= p.to_f64().is_finite();
        } else {
            params |= nan(*p);
        }
    }
    if c.cols == 0 {
        let scalar = c.out.len() == 1 || c.inputs.iter().any(|x| x.len() != c.out.len());
        let anywhere = params || (scalar && c.inputs.iter().any(|x| any_nan(x)));
        return nans_of(c.out, if scalar { &[] } else { c.inputs }, anywhere, only);
    }
    let x = c.inputs.first().copied().unwrap_or_default();
    let weights = c.inputs.get(1..).unwrap_or_default();
    for (r, (row, x)) in c.out.chunks(c.cols).zip(x.chunks(c.cols)).enumerate() {
        // Weights act by column.
        if let Some(i) = nans_of(row, weights, params || any_nan(x), only) {
            return Some(r * c.cols + i);
        }
    }
    None
}

/// [`nans`] of elements with inputs at the same position each, and whether all have a NaN besides.
#[allow(clippy::indexing_slicing, reason = "all are compared with the lengths")]
fn nans_of<T: Real>(out: &[T], inputs: &[&[T]], anywhere: bool, only: bool) -> Option<usize> {
    let mut i = 0;
    while i < out.len() {
        let (mut input, mut k) = (anywhere, 0);
        while !input && k < inputs.len() {
            input = i < inputs[k].len() && nan(inputs[k][i]);
            k += 1;
        }
        if nan(out[i]) != input && (input || only) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Element positions where `holds` is false.
#[allow(clippy::indexing_slicing, reason = "i < c.out.len()")]
fn elements<T: Real>(c: &Call<'_, T>, holds: impl Fn(usize, T) -> bool) -> Option<usize> {
    let mut i = 0;
    while i < c.out.len() {
        if !nan(c.out[i]) && !holds(i, c.out[i]) {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// Rows where the sum of `f` fails `holds`; rows with NaN and rows of -inf alone are skipped.
fn rows<T: Real>(c: &Call<'_, T>, f: fn(f64) -> f64, holds: impl Fn(f64, f64) -> bool) -> Option<usize> {
    let cols = if c.cols == 0 { c.out.len().max(1) } else { c.cols };
    let x = c.inputs.first().copied().unwrap_or_default();
    c.out.chunks(cols).zip(x.chunks(cols)).position(|(row, x)| {
        let margin = (row.len() + 16) as f64 * libm::ldexp(1.0, -T::SIGNIFICAND - 1);
        let sum: f64 = row.iter().map(|&y| f(y.to_f64())).sum();
        let masked = x.iter().all(|&x| x == -T::INFINITY);
        !masked && !sum.is_nan() && !holds(sum, margin)
    })
}

fn extremum<T: Real>(c: &Call<'_, T>, better: fn(f64, f64) -> bool) -> Option<usize> {
    let x = c.inputs.first().copied().unwrap_or_default();
    let mut best: Option<(usize, f64)> = None;
    for (i, v) in x.iter().map(|v| v.to_f64()).enumerate() {
        if best.is_none_or(|(_, b)| better(v, b)) {
            best = Some((i, v));
        }
    }
    (c.indices.first().copied() != best.map(|(i, _)| u32::try_from(i).unwrap_or(u32::MAX))).then_some(0)
}

fn first_failure<T: Real>(post: Post, c: &Call<'_, T>) -> Option<usize> {
    let first = c.inputs.first().copied().unwrap_or_default();
    match post {
        Post::Range(lo, hi) => {
            // A bound that is no value of `T` holds for its rounding.
            let (lo, hi) = (T::from_f64(lo).to_f64().min(lo), T::from_f64(hi).to_f64().max(hi));
            elements(c, |_, y| lo <= y.to_f64() && y.to_f64() <= hi)
        }
        Post::NanIffNan(partial) => nans(c, partial, true),
        Post::NanIfNan(partial) => nans(c, partial, false),
        Post::Integral => elements(c, |_, y| {
            let y = y.to_f64();
            !y.is_finite() || libm::trunc(y) == y
        }),
        Post::SameSign => elements(c, |i, y| at(c, 0, i).is_none_or(|x| negative(x) == negative(y))),
        Post::SignOfSecond => elements(c, |i, y| at(c, 1, i).is_none_or(|x| negative(x) == negative(y))),
        Post::SameMagnitude => {
            elements(c, |i, y| at(c, 0, i).is_none_or(|x| x.to_f64().abs() == y.to_f64().abs()))
        }
        Post::Selects => elements(c, |i, y| {
            if c.out.len() == 1 {
                c.inputs.iter().any(|x| x.iter().any(|&x| same(x, y)))
            } else {
                (0..c.inputs.len()).any(|k| at(c, k, i).is_some_and(|x| same(x, y)))
            }
        }),
        Post::Monotone(ulps) => first.windows(2).zip(c.out.windows(2)).position(|(x, y)| {
            let ([x0, x1], [y0, y1]) = (x, y) else { return false };
            let margin = if ulps == 0.0 { 0.0 } else { ulps * super::ulp::<T>(y1.to_f64()) };
            (x0 <= x1 && y0.to_f64() > y1.to_f64() + margin)
                || (x0 >= x1 && y1.to_f64() > y0.to_f64() + margin)
        }),
        Post::WithinParams(lo, hi) => elements(c, |_, y| {
            c.params.get(lo).is_none_or(|&lo| lo <= y) && c.params.get(hi).is_none_or(|&hi| y <= hi)
        }),
        Post::Bounded(by, times) => {
            let (u, smallest) = (libm::ldexp(1.0, -T::SIGNIFICAND - 1), super::ulp::<T>(0.0));
            // Halves, so that the largest value and what follows are told apart in `f64`, too.
            let largest = if T::SIGNIFICAND == 23 { f64::from(f32::MAX) } else { f64::MAX };
            elements(c, |i, y| {
                let (bound, roundings) = by.of(c, i);
                // A subnormal product is off by half of the smallest one.
                let most = times * bound * (1.0 + roundings * u) + (2.0 + roundings) * smallest;
                let y = y.to_f64().abs();
                // The sum before the division may overflow.
                let sum = match by {
                    By::MeanAbs | By::Spreads => most * c.inputs.first().map_or(1.0, |x| x.len() as f64),
                    _ => most,
                };
                nan(bound) || y <= most || (y.is_infinite() && sum >= largest)
            })
        }
        Post::NonNegativeWhereFirstIs => {
            elements(c, |i, y| at(c, 0, i).is_none_or(|x| y >= T::ZERO || x <= T::ZERO || nan(x)))
        }
        Post::DominatesMax => elements(c, |_, y| first.iter().all(|&x| x <= y)),
        Post::DominatesMin => elements(c, |_, y| first.iter().all(|&x| y <= x)),
        Post::RowSum(v, k) => rows(c, |y| y, |sum, nu| (sum - v).abs() <= k * nu),
        Post::RowExpSum(v, k) => rows(c, libm::exp, |sum, nu| (sum - v).abs() <= k * nu),
        Post::RowSumSquares(v, k) => {
            let cols = c.cols as f64;
            let most = if v == 0.0 { cols } else { v };
            rows(c, |y| y * y, |sum, nu| sum <= most * (1.0 + k * nu))
        }
        Post::IndexInRange => c.indices.iter().position(|&i| i as usize >= first.len()),
        Post::IndexSelects => c.indices.iter().zip(c.out).enumerate().position(|(k, (&i, &y))| {
            let previous = k.checked_sub(1).and_then(|p| Some((*c.indices.get(p)?, *c.out.get(p)?)));
            !first.get(i as usize).is_some_and(|&x| same(x, y))
                || previous.is_some_and(|(j, z)| same(y, z) && j >= i)
        }),
        Post::IndexOfMax => extremum(c, |v, best| v > best),
        Post::IndexOfMin => extremum(c, |v, best| v < best),
        Post::IndexOfLastMax => extremum(c, |v, best| v >= best),
        Post::IndexOfLastMin => extremum(c, |v, best| v <= best),
        Post::Descending => c.out.windows(2).position(|w| matches!(w, [a, b] if a < b)),
        Post::Ascending => c.out.windows(2).position(|w| matches!(w, [a, b] if a > b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_each_element_once() {
        for n in [0usize, 1, 63, 64, 65, 128, 200] {
            // Which element is off; none where it is `n`.
            for off in [0, n / 2, n.saturating_sub(1), n] {
                let count = core::cell::Cell::new(0);
                let checked = in_parts(
                    n,
                    |i| [i as f64, (i + usize::from(i == off)) as f64],
                    |[x, y]| {
                        assert!(
                            x.len() == y.len()
                                && x.iter().enumerate().all(|(k, &x)| x == (count.get() + k) as f64)
                        );
                        count.set(count.get() + x.len());
                        let at = x.iter().zip(y).position(|(x, y)| x != y);
                        at.map_or(Ok(()), |at| Err(Violation { post: Post::Selects, at }))
                    },
                );
                assert_eq!(checked.is_err(), off < n, "{n} {off}");
                assert!(count.get() > off.min(n.saturating_sub(1)) || n == 0, "{n} {off}");
                assert!(count.get() == n || off < n, "{n} {off}");
            }
        }
    }
}
