//! Attention without tensor cores: a block for each query of each head takes the keys in tiles, a thread for each key's score, and
//! keeps the maximum, the sum and the weighted values (online softmax). The gradients recompute the weights from the
//! log-sum-exps.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{aligned, each, get, named, put};
use super::layer::strided;
use crate::alu::{Alu, Body, Number};
use crate::nn::{exp_not_above_zero, shift, softcap};
use crate::pointwise::{Ln, TanhBackward};
use alloc::format;
use alloc::vec::Vec;

/// A matrix on strides.
#[derive(Clone, Copy)]
pub(super) struct On<'b> {
    base: Value<'b, U64>,
    row: Value<'b, U32>,
    col: Value<'b, U32>,
}

impl<'b> On<'b> {
    pub(super) fn params<const N: usize>(b: &'b Builder) -> [Self; N] {
        let bases: [_; N] = b.params::<U64, _>();
        bases.map(|base| Self { base, row: b.param(), col: b.param() })
    }
    fn at(self, row: Value<'b, U32>, col: Value<'b, U32>) -> Value<'b, U32> {
        row * self.row + col * self.col
    }
    pub(super) fn get<T: Recorded>(self, row: Value<'b, U32>, col: Value<'b, U32>) -> Value<'b, T> {
        get(self.base, self.at(row, col))
    }
    /// Whether so many elements, from a multiple of as many columns on, are contiguous and aligned to their size;
    /// elements have 4 bytes.
    pub(super) fn beside(self, many: u32) -> Value<'b, Pred> {
        aligned(self.base, self.row, [4 * many, 4]) & self.col.compare(Cmp::Eq, self.col.builder().int(1))
    }
    /// The address of an element of 4 bytes in a contiguous row.
    pub(super) fn place(self, row: Value<'b, U32>, col: Value<'b, U32>) -> Value<'b, U64> {
        self.base + (row * self.row + col).wide(self.base.builder().int(4))
    }
    pub(super) fn put<T: Recorded>(self, row: Value<'b, U32>, col: Value<'b, U32>, v: Value<'b, T>) {
        put(self.base, self.at(row, col), v);
    }
}

/// What kernels do with scores; what they don't is not in their text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scores {
    pub capped: bool,
    pub masked: bool,
}

impl Scores {
    /// A number for each.
    pub(crate) fn form(self) -> u32 {
        u32::from(self.capped) + 2 * u32::from(self.masked)
    }

    /// The end of a kernel's name.
    pub(super) const fn name(self) -> &'static str {
        match (self.capped, self.masked) {
            (false, false) => "",
            (true, false) => "_capped",
            (false, true) => "_masked",
            (true, true) => "_capped_masked",
        }
    }
}

/// A mask: where the elements of a head's rows begin, and the strides of heads, queries and keys.
#[derive(Clone, Copy)]
struct MaskOn<'b> {
    on: On<'b>,
    head: Value<'b, U32>,
}

/// What the three kernels are told besides their matrices.
#[derive(Clone, Copy)]
pub(super) struct Heads<'b, T> {
    b: &'b Builder,
    pub(super) n: Value<'b, U32>,
    pub(super) len: Value<'b, U32>,
    pub(super) heads: Value<'b, U32>,
    pub(super) group: Value<'b, U32>,
    pub(super) dim: Value<'b, U32>,
    pub(super) causal: Value<'b, U32>,
    pub(super) window: Value<'b, U32>,
    /// Elements of a head's values, and the position after the last query's.
    pub(super) value_dim: Value<'b, U32>,
    pub(super) end: Value<'b, U32>,
    pub(super) scale: Value<'b, T>,
    softcap: Option<Value<'b, T>>,
    mask: Option<MaskOn<'b>>,
}

impl<'b, T: Recorded> Heads<'b, T> {
    pub(super) fn params(b: &'b Builder, scores: Scores) -> Self {
        let [n, len, heads, group, dim, causal, window, value_dim, end] = b.params::<U32, 9>();
        let scale = b.param();
        let softcap = scores.capped.then(|| b.param());
        let mask = scores.masked.then(|| {
            let [on] = On::params(b);
            MaskOn { on, head: b.param() }
        });
        Self { b, n, len, heads, group, dim, causal, window, value_dim, end, scale, softcap, mask }
    }

    /// The score of query `i` of head `h` and key `j`, all of which there are, from the product, and what its gradient is
    /// multiplied with.
    pub(super) fn score(
        &self,
        product: Value<'b, T>,
        [h, i, j]: [Value<'b, U32>; 3],
    ) -> (Value<'b, T>, Value<'b, T>) {
        let (mut score, mut slope) = (product * self.scale, self.scale);
        if let Some(cap) = self.softcap {
            let [capped, t] = softcap(score, cap);
            (score, slope) = (capped, TanhBackward.eval([t, slope]));
        }
        if let Some(mask) = self.mask {
            let on = mask.on;
            score = score + get(on.base, h * mask.head + on.at(i, j));
        }
        (score, slope)
    }

    pub(super) fn less(a: Value<'b, U32>, b: Value<'b, U32>) -> Value<'b, U32> {
        Value::select(a.compare(Cmp::Gt, b), a - b, a.builder().int(0))
    }

    /// The keys that query `i` sees: from, and before.
    pub(super) fn of_query(&self, i: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let b = self.b;
        let upto = Self::less(self.end + i + b.int(1), self.n);
        let start = Self::less(upto, self.window).least(self.len);
        let every = self.causal.compare(Cmp::Eq, b.int(0));
        [start, Value::select(every, self.len, upto.least(self.len))]
    }

    /// The log-sum-exp and the mean of a query and head.
    pub(super) fn sums(&self, sums: Value<'b, U64>, at: Value<'b, U32>) -> [Value<'b, T>; 2] {
        [at, self.n * self.heads + at].map(|at| get(sums, at))
    }

    /// `Σ a[r][of + c]·b[s][with + c]` over the `width` elements of a head.
    fn dot(
        &self,
        width: Value<'b, U32>,
        (x, r, of): (On<'b>, Value<'b, U32>, Value<'b, U32>),
        (y, s, with): (On<'b>, Value<'b, U32>, Value<'b, U32>),
    ) -> Value<'b, T> {
        let b = self.b;
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>([b.int(0), width, b.int(1)], 4, &[zero], |c, sum| {
            let (x, y) = (x.get::<T>(r, of + c), y.get::<T>(s, with + c));
            sum.iter().map(|sum| x.fma(y, *sum)).collect()
        });
        sum.first().copied().unwrap_or(zero)
    }

    /// Tiles of [`THREADS`] of `range`, with values carried from one to the next.
    fn tiles<const K: usize>(
        &self,
        [start, end]: [Value<'b, U32>; 2],
        init: [Value<'b, T>; K],
        body: impl FnOnce(Value<'b, U32>, [Value<'b, T>; K]) -> [Value<'b, T>; K],
    ) -> [Value<'b, T>; K] {
        let (b, zero) = (self.b, self.b.bits::<T>(0));
        let typed = |v: &[Value<'b, T>]| core::array::from_fn(|k| v.get(k).copied().unwrap_or(zero));
        let step = b.int(i64::from(THREADS));
        let all =
            b.count::<U32, T>([start, end, step], 1, &init, |t, carried| body(t, typed(carried)).to_vec());
        typed(&all)
    }

    /// Adds `Σ w[j]·x[first + j]` of the tile at `first` to the `cols` columns of a head in `to`, times `keep`.
    #[allow(clippy::too_many_arguments, reason = "the operands of a product")]
    fn add(
        &self,
        cols: Value<'b, U32>,
        (to, row, col): (On<'b>, Value<'b, U32>, Value<'b, U32>),
        keep: Option<Value<'b, T>>,
        weights: Value<'b, U32>,
        (x, of): (On<'b>, Value<'b, U32>),
        first: Value<'b, U32>,
        count: Value<'b, U32>,
    ) {
        let (b, width) = (self.b, self.b.int::<U32>(i64::from(T::TYPE.bytes())));
        strided(b, [b.int(0), cols], |c| {
            let old = to.get::<T>(row, col + c);
            let old = keep.map_or(old, |keep| old * keep);
            let sum = b.count::<U32, T>([b.int(0), count, b.int(1)], 4, &[old], |j, sum| {
                let w = b.load::<T>(Space::Shared, weights + j * width, 0);
                let x = x.get::<T>(first + j, of + c);
                sum.iter().map(|s| w.fma(x, *s)).collect()
            });
            sum.iter().for_each(|s| to.put(row, col + c, *s));
        });
    }

    fn clear(&self, cols: Value<'b, U32>, to: On<'b>, row: Value<'b, U32>, col: Value<'b, U32>) {
        strided(self.b, [self.b.int(0), cols], |c| to.put(row, col + c, self.b.bits::<T>(0)));
    }

    /// The first `[i][h]` of the block and the steps from there: queries along x, heads along y.
    fn each(&self, rows: Value<'b, U32>, body: impl FnOnce(Value<'b, U32>)) {
        let b = self.b;
        b.count::<U32, U32>(
            [b.special(Special::CtaidX), rows, b.special(Special::NctaidX)],
            1,
            &[],
            |i, _| {
                body(i);
                b.barrier();
                Vec::new()
            },
        );
    }

    fn own(&self, scratch: Value<'b, U32>) -> Value<'b, U32> {
        scratch + self.b.special(Special::TidX) * self.b.int(i64::from(T::TYPE.bytes()))
    }

    fn scratch(&self) -> Value<'b, U32> {
        self.b.shared(THREADS * T::TYPE.bytes(), T::TYPE.bytes())
    }
}

fn leads(b: &Builder) -> Value<'_, Pred> {
    b.special(Special::TidX).compare(Cmp::Eq, b.int(0))
}

/// Blocks: queries along x (any number), heads along y. Parameters: `q`, `k`, `v`, `out`, then the strides of the rows and
/// columns of each; `lse`; queries, keys, query heads, those that share a key head, elements of a head, whether later
/// keys are hidden, the window (all bits set for none), elements of a head's values, the position after the last query's; the
/// scale; if capped, the cap; if masked, the mask, and its strides of queries, keys and heads.
pub fn attention<T: Recorded>(meet: Meet, scores: Scores) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("attention{}", scores.name()));
    b.threads([THREADS, 1, 1]);
    let [q, k, v, out] = On::params(&b);
    let lse = b.param::<U64>();
    let op = Heads::<T>::params(&b, scores);
    let h = b.special(Special::CtaidY);
    let (of, with) = (h * op.dim, h / op.group * op.dim);
    let (to, of_v) = (h * op.value_dim, h / op.group * op.value_dim);
    op.each(op.n, |i| {
        op.clear(op.value_dim, out, i, to);
        let zero = b.bits::<T>(0);
        let none = zero.lit(-<T::Elem as Number>::INFINITY);
        let weights = op.scratch();
        let seen = op.of_query(i);
        let [peak, sum] = op.tiles(seen, [none, zero], |first, [peak, sum]| {
            let j = first + b.special(Special::TidX);
            let [_, end] = seen;
            let [score] = b.either(
                j.compare(Cmp::Lt, end),
                || [op.score(op.dot(op.dim, (q, i, of), (k, j, with)), [h, i, j]).0],
                || [none],
            );
            // NaN is not in the peak, but in the sum.
            let top = Value::select(score.is_nan(), none, score);
            let [top] = block_reduce(&b, meet, [top], |[p], [q]| [p.max(q)]);
            let top = peak.max(top);
            let level = shift(top);
            let weight = exp_not_above_zero(score - level);
            let keep = exp_not_above_zero(peak - level);
            b.store(Space::Shared, op.own(weights), 0, weight);
            let [more] = block_reduce(&b, meet, [weight], |[p], [q]| [p + q]);
            let count = (end - first).least(b.int(i64::from(THREADS)));
            op.add(op.value_dim, (out, i, to), Some(keep), weights, (v, of_v), first, count);
            // The next tile's weights go where these were.
            b.barrier();
            [top, sum.fma(keep, more)]
        });
        let empty = sum.eq(zero);
        let factor = zero.c(1.0) / sum;
        strided(&b, [b.int(0), op.value_dim], |c| {
            let v = out.get::<T>(i, to + c) * factor;
            out.put(i, to + c, Value::select(empty, zero, v));
        });
        b.when(leads(&b), || {
            let log = shift(peak) + Ln.eval([sum]);
            put(lse, i * op.heads + h, Value::select(empty, none, log));
        });
    });
    b.finish()
}

/// The log-sum-exps of each query and head, then `Σ out·dout` of each: one buffer, as few devices bind more than 8. Parameters:
/// `out`, `dout`, then their strides; `lse`, where both go; and as [`attention`], neither capped nor masked.
pub fn attention_sums<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("attention_sums");
    let [out, dout] = On::params(&b);
    let [lse, sums] = b.params::<U64, 2>();
    let op = Heads::<T>::params(&b, Scores::default());
    each(&b, op.n * op.heads, |i| {
        let r = i / op.heads;
        let of = (i - r * op.heads) * op.value_dim;
        put(sums, i, get::<T>(lse, i));
        put(sums, op.n * op.heads + i, op.dot(op.value_dim, (out, r, of), (dout, r, of)));
    });
    b.finish()
}

/// The weight of a score, and its slope from that of the result; a query that sees no key has no weights.
pub(super) fn slope<'b, T: Recorded>(
    score: Value<'b, T>,
    [lse, mean]: [Value<'b, T>; 2],
    along: Value<'b, T>,
) -> [Value<'b, T>; 2] {
    let infinity = score.lit(<T::Elem as Number>::INFINITY);
    let lse = Value::select(lse.eq(-infinity), infinity, lse);
    let weight = exp_not_above_zero(score - lse);
    [weight, weight * (along - mean)]
}

/// The gradient of the queries. Blocks as [`attention`]. Parameters: `q`, `k`, `v`, `dout`, `dq`, then their strides;
/// the sums of [`attention_sums`]; and as [`attention`].
pub fn attention_queries<T: Recorded>(scores: Scores) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("attention_queries{}", scores.name()));
    b.threads([THREADS, 1, 1]);
    let [q, k, v, dout, dq] = On::params(&b);
    let sums = b.param::<U64>();
    let op = Heads::<T>::params(&b, scores);
    let h = b.special(Special::CtaidY);
    let (of, with) = (h * op.dim, h / op.group * op.dim);
    let (from, of_v) = (h * op.value_dim, h / op.group * op.value_dim);
    op.each(op.n, |i| {
        op.clear(op.dim, dq, i, of);
        let slopes = op.scratch();
        let seen = op.of_query(i);
        let at = i * op.heads + h;
        let [] = op.tiles(seen, [], |first, []| {
            let j = first + b.special(Special::TidX);
            let [_, end] = seen;
            let [s] = b.either(
                j.compare(Cmp::Lt, end),
                || {
                    let product = op.dot(op.dim, (q, i, of), (k, j, with));
                    let (score, by) = op.score(product, [h, i, j]);
                    let along = op.dot(op.value_dim, (dout, i, from), (v, j, of_v));
                    let [_, s] = slope(score, op.sums(sums, at), along);
                    [s * by]
                },
                || [b.bits(0)],
            );
            b.store(Space::Shared, op.own(slopes), 0, s);
            b.barrier();
            let count = (end - first).least(b.int(i64::from(THREADS)));
            op.add(op.dim, (dq, i, of), None, slopes, (k, with), first, count);
            b.barrier();
            []
        });
    });
    b.finish()
}

/// The gradients of the keys and values. Blocks: keys along x (any number), key heads along y. Parameters: `q`, `k`, `v`,
/// `dout`, `dk`, `dv`, then their strides; the sums of [`attention_sums`]; and as [`attention`].
pub fn attention_keys<T: Recorded>(scores: Scores) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("attention_keys{}", scores.name()));
    b.threads([THREADS, 1, 1]);
    let [q, k, v, dout, dk, dv] = On::params(&b);
    let sums = b.param::<U64>();
    let op = Heads::<T>::params(&b, scores);
    let g = b.special(Special::CtaidY);
    let (with, of_v) = (g * op.dim, g * op.value_dim);
    op.each(op.len, |j| {
        op.clear(op.dim, dk, j, with);
        op.clear(op.value_dim, dv, j, of_v);
        let [weights, slopes] = [op.scratch(), op.scratch()];
        // Queries before this one do not see the key.
        let from = Heads::<T>::less(j + op.n, op.end).least(op.n);
        let from = Value::select(op.causal.compare(Cmp::Eq, b.int(0)), b.int(0), from);
        let first = g * op.group;
        b.count::<U32, U32>([first, first + op.group, b.int(1)], 1, &[], |h, _| {
            let (of, results) = (h * op.dim, h * op.value_dim);
            let [] = op.tiles([from, op.n], [], |first, []| {
                let i = first + b.special(Special::TidX);
                let none = [b.bits::<T>(0); 2];
                let [w, s] = b.either(
                    i.compare(Cmp::Lt, op.n),
                    || {
                        let [start, end] = op.of_query(i);
                        let sees = start.compare(Cmp::Le, j) & j.compare(Cmp::Lt, end);
                        let at = i * op.heads + h;
                        b.either(
                            sees,
                            || {
                                let product = op.dot(op.dim, (q, i, of), (k, j, with));
                                let (score, by) = op.score(product, [h, i, j]);
                                let along = op.dot(op.value_dim, (dout, i, results), (v, j, of_v));
                                let [w, s] = slope(score, op.sums(sums, at), along);
                                [w, s * by]
                            },
                            || none,
                        )
                    },
                    || none,
                );
                b.store(Space::Shared, op.own(weights), 0, w);
                b.store(Space::Shared, op.own(slopes), 0, s);
                b.barrier();
                let count = (op.n - first).least(b.int(i64::from(THREADS)));
                op.add(op.dim, (dk, j, with), None, slopes, (q, of), first, count);
                op.add(op.value_dim, (dv, j, of_v), None, weights, (dout, results), first, count);
                b.barrier();
                []
            });
            Vec::new()
        });
    });
    b.finish()
}
