//! Softmax and log-softmax of rows.

use super::{OnRow, RowOp, at_least_one, row_op};
use crate::alu::{Alu, Bits, Body, Number, Real};
use crate::error::Error;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::{Fold, fold_by, to_scalar};
use crate::lanes::inout::InOut;
use crate::lanes::multipass::{Row, Slices, Streams, Summary};
use crate::lanes::portable::scalar;
use crate::lanes::{COMPACT, Element, Simd};
use crate::pointwise::Add;
use crate::reduce::Sum;

/// From this row size on, in bytes, reading the row again and taking its exponentials twice is
/// cheaper than storing them and scaling what was stored.
pub(crate) const LONG_ROW: usize = 1 << 19;
/// Elements of a long row that are taken at a time: they stay in the first cache.
pub(crate) const BLOCK: usize = 4096;

/// `e^t` for `t ≤ 0`, as softmax needs it: relative error `(4 + 2|t|) u`, at most what the rounding
/// of `t = x - max` itself causes for large `|t|`; 0 from the smallest normal number down, -inf
/// included; NaN for NaN. The public `exp` is correct everywhere and costs more.
#[inline(always)]
pub(crate) fn exp_not_above_zero<V: Alu>(t: V) -> V {
    if let Some(power) = (t * t.c(core::f64::consts::LOG2_E)).short_power() {
        return power;
    }
    // 1.5·2^p plus the exponent's bias, p the stored bits: adding it rounds to an integer whose
    // low bits are the biased exponent.
    const MAGIC_F32: f64 = 12582912.0 + 127.0;
    const MAGIC_F64: f64 = 6755399441055744.0 + 1023.0;
    let single = V::Elem::SIGNIFICAND == 23;
    // At -bias·ln 2 the biased exponent is 0, and so is the power. `max` in this order keeps NaN.
    let bias = if single { 127.0 } else { 1023.0 };
    let t = t.c(-bias * core::f64::consts::LN_2).max(t);
    let magic = t.c(if single { MAGIC_F32 } else { MAGIC_F64 });
    let shifted = t.mul_add(t.c(core::f64::consts::LOG2_E), magic);
    let n = shifted - magic;
    let f = n.mul_add(t.c(-core::f64::consts::LN_2), t);
    // Minimax for relative error on |f| ≤ ln 2 / 2, first two terms exact: 1.1e-7 and 3.7e-18.
    let (p, power) = if single {
        let p = f.c(0.008312514962786923);
        let p = p.mul_add(f, f.c(0.04189020038984029));
        let p = p.mul_add(f, f.c(0.1666711484033744));
        let p = p.mul_add(f, f.c(0.4999923120034751));
        (p, V::from_bits(shifted.to_bits().shl::<23>()))
    } else {
        let p = f.c(2.500005093427801e-8);
        let p = p.mul_add(f, f.c(2.763026285079372e-7));
        let p = p.mul_add(f, f.c(2.7557586481251375e-6));
        let p = p.mul_add(f, f.c(2.4801493061586292e-5));
        let p = p.mul_add(f, f.c(0.00019841269506377647));
        let p = p.mul_add(f, f.c(0.0013888888943662573));
        let p = p.mul_add(f, f.c(0.00833333333349459));
        let p = p.mul_add(f, f.c(0.04166666666653005));
        let p = p.mul_add(f, f.c(0.16666666666666413));
        let p = p.mul_add(f, f.c(0.5000000000000011));
        (p, V::from_bits(shifted.to_bits().shl::<52>()))
    };
    let p = p.mul_add(f, f.c(1.0)).mul_add(f, f.c(1.0));
    p * power
}

/// The largest element, NaN left out: softmax sees NaN in the sum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peak;

impl<T: Number> Fold<T, 1, 1> for Peak {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [-T::INFINITY]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
        [like.lit(-T::INFINITY)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [m]: [V; 1], [x]: [V; 1]) -> [V; 1] {
        [x.max(m)]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [m]: [V; 1], [n]: [V; 1]) -> [V; 1] {
        [n.max(m)]
    }
}

/// `e^(x - shift)`.
#[derive(Debug, Clone, Copy)]
struct ExpShifted<T>(T);

impl<T: Number> Body<T, 1> for ExpShifted<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        exp_not_above_zero(x - x.param(self.0))
    }
}

/// `e^(x - shift) · scale`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpShiftedScaled<T>(pub(crate) T, pub(crate) T);

impl<T: Number> Body<T, 1> for ExpShiftedScaled<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        exp_not_above_zero(x - x.param(self.0)) * x.param(self.1)
    }
}

/// `(x - shift) - log_sum`.
#[derive(Debug, Clone, Copy)]
struct LogShifted<T>(T, T);

impl<T: Number> Body<T, 1> for LogShifted<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        (x - x.param(self.0)) - x.param(self.1)
    }
}

/// `x · scale`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times<T>(pub(super) T);

impl<T: Number> Body<T, 1> for Times<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x * x.param(self.0)
    }
}

/// `Σ e^(x - shift)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumExp<T>(pub(crate) T);

impl<T: Number> Fold<T, 1, 1> for SumExp<T> {
    #[inline(always)]
    fn fill(self) -> [T; 1]
    where
        T: Real,
    {
        [-T::INFINITY]
    }
    #[inline(always)]
    fn identity<V: Alu<Elem = T>>(self, like: V) -> [V; 1] {
        [like.c(0.0)]
    }
    #[inline(always)]
    fn step<V: Alu<Elem = T>>(self, [acc]: [V; 1], [x]: [V; 1]) -> [V; 1] {
        [acc + ExpShifted(self.0).eval([x])]
    }
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [a]: [V; 1], [b]: [V; 1]) -> [V; 1] {
        [a + b]
    }
}

/// The shift of a row with this peak: a row of -inf alone must not become -inf - -inf.
#[inline(always)]
pub(crate) fn shift<V: Alu>(peak: V) -> V {
    V::select(peak.eq(peak.lit(-V::Elem::INFINITY)), peak.c(0.0), peak)
}

/// Of a part: the peak, and `Σ e^(x - shift(peak))`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeakAndSum;

impl<T: Number> Summary<T, 1, 2> for PeakAndSum {
    /// A long row is read from memory once, block by block.
    #[inline(always)]
    fn block(self, n: usize) -> usize {
        if is_long::<T::Real>(n) { BLOCK } else { n }
    }
    #[inline(always)]
    fn of<R: Streams<T, 1>>(self, x: &R) -> [R::V; 2] {
        let [peak] = x.fold(Peak);
        let [sum] = x.fold(SumExp(x.number(shift(peak))));
        [peak, sum]
    }
    /// The online softmax merge: both sums at the larger peak.
    #[inline(always)]
    fn merge<V: Alu<Elem = T>>(self, [p, a]: [V; 2], [q, b]: [V; 2]) -> [V; 2] {
        let peak = p.max(q);
        let at = |p: V, sum: V| sum * exp_not_above_zero(p - shift(peak));
        [peak, at(p, a) + at(q, b)]
    }
    #[cfg(feature = "gpu")]
    #[inline(always)]
    fn empty<V: Alu<Elem = T>>(self, like: V) -> [V; 2] {
        [like.lit(-T::INFINITY), like.c(0.0)]
    }
}

/// [`shift`] of one element.
#[inline(always)]
pub(super) fn shift_of<T: Element>(peak: T) -> T {
    to_scalar(shift(scalar(peak)))
}

/// The peak and the sum of a row.
#[inline(always)]
pub(super) fn peak_and_sum<J: Executor, S: Simd, T: Element>(j: J, s: S, x: &[T]) -> [T; 2] {
    Slices(j, s, [x]).summary(PeakAndSum).map(to_scalar)
}

/// What turns an exponential into a probability; 0 when the whole row is masked.
#[inline(always)]
fn scale<V: Alu>(sum: V) -> V {
    let zero = sum.c(0.0);
    V::select(sum.eq(zero), zero, sum.c(1.0) / sum)
}

/// A row of [`softmax`](crate::softmax()), which is read twice more after its peak and written once.
#[inline(always)]
pub(crate) fn softmax_row<T: Number, R: Row<T>>(row: &mut R) {
    let [peak, sum] = row.summary(PeakAndSum);
    let body = ExpShiftedScaled(row.number(shift(peak)), row.number(scale(sum)));
    row.map(body);
}

/// A row of [`log_softmax`](crate::log_softmax()).
#[inline(always)]
pub(crate) fn log_softmax_row<T: Number, R: Row<T>>(row: &mut R) {
    let [peak, sum] = row.summary(PeakAndSum);
    // ln 1 for a row that is masked as a whole: its entries stay -inf.
    let sum = R::V::select(sum.eq(sum.c(0.0)), sum.c(1.0), sum);
    let body = LogShifted(row.number(shift(peak)), row.number(sum.ln()));
    row.map(body);
}

#[inline(always)]
fn is_long<T>(n: usize) -> bool {
    !COMPACT && n > LONG_ROW / size_of::<T>()
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Softmax(pub(crate) usize);

impl<T: Element> RowOp<T> for Softmax {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        if is_long::<T>(row.len()) {
            long_row(j, s, row);
        } else {
            let [peak] = fold_by(j, s, Peak, [row.input()]);
            below(j, s, peak, row);
        }
    }
}

/// What is left of a row that stays in the caches, once its peak is known.
#[inline(always)]
fn below<J: Executor, S: Simd, T: Element>(j: J, s: S, peak: T, mut row: InOut<'_, T>) {
    let [sum] = row.map_fold(j, s, (ExpShifted(shift_of(peak)), -T::INFINITY), Sum);
    InOut::in_place(row.output()).map(j, s, Times(to_scalar(scale(scalar(sum)))));
}

/// The softmax of `x + mask`, whose peak is found while the two are added.
#[inline(always)]
pub(super) fn masked_row<S: Simd, T: Element>(s: S, x: &[T], mask: &[T], out: &mut [T]) {
    let mut row = InOut::new(x, out);
    if is_long::<T>(row.len()) {
        row.map2(Serial, s, Add, mask);
        return long_row(Serial, s, InOut::in_place(row.output()));
    }
    let [peak] = row.map2_fold(Serial, s, (Add, [-T::INFINITY, T::ZERO]), Peak, mask);
    below(Serial, s, peak, InOut::in_place(row.output()));
}

/// A row that the caches don't hold: it is read twice and written once.
fn long_row<J: Executor, S: Simd, T: Element>(j: J, s: S, row: InOut<'_, T>) {
    s.vectorize(
        #[inline(always)]
        || softmax_row(&mut OnRow(j, s, row, [&[]; 2])),
    );
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LogSoftmax(pub(crate) usize);

impl<T: Element> RowOp<T> for LogSoftmax {
    #[inline]
    fn cols(self) -> Result<usize, Error> {
        at_least_one(self.0)
    }
    #[inline(always)]
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>) {
        log_softmax_row(&mut OnRow(j, s, row, [&[]; 2]));
    }
}

row_op! {
    /// `out[r][i] = e^(x[r][i] - m) / Σ e^(x[r][k] - m)`, `m` the row's largest element.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements. Each row of `out` sums to
    /// one within rounding. Relative error of an element: `(c + 2|x - m|) u` plus the same, averaged
    /// with the row as weights, for the sum; `|x - m| u` of it is the rounding of `x - m`.
    /// Exponentials below the smallest normal number count as 0.
    ///
    /// NaN and ±0: -inf gives 0, and a row of -inf alone gives zeros (a mask that hides a whole row);
    /// a row with NaN or +inf becomes NaN as a whole.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows,
    /// [`Error::Len`] when `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 4];
    /// fulmen::softmax(&[1.0, 1.0, 0.0, f32::NEG_INFINITY], 2, &mut out)?;
    /// assert_eq!(out, [0.5, 0.5, 1.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Milakov, Gimelshein, *Online normalizer calculation for softmax* (2018) for rows
    /// beyond 512 KiB. Contract: `contracts/softmax-v1.yaml`.
    softmax, softmax_on, softmax_in_place, softmax_in_place_on (cols: usize) Softmax(cols);

    /// `out[r][i] = (x[r][i] - m) - ln Σ e^(x[r][k] - m)`, `m` the row's largest element.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements.
    ///
    /// NaN and ±0: -inf stays -inf, in a row of -inf alone too; a row with NaN or +inf becomes NaN
    /// as a whole.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows,
    /// [`Error::Len`] when `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f64; 2];
    /// fulmen::log_softmax(&[3.0, 3.0], 2, &mut out)?;
    /// assert!((out[0] + core::f64::consts::LN_2).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`softmax`](crate::softmax()). Contract: `contracts/log_softmax-v1.yaml`.
    log_softmax, log_softmax_on, log_softmax_in_place, log_softmax_in_place_on (cols: usize) LogSoftmax(cols);
}
