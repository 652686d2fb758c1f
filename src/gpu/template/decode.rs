//! Attention of one query over a cache of keys and values (split-KV: T. Dao et al., "Flash-Decoding for long-context inference",
//! 2023): blocks take parts of the keys, keep the peak, the sum and the weighted values of each head (the online softmax), and a
//! second kernel merges what they leave. Heads that share a key head read its keys and values once; rows may lie in pages.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::types::{F32, Pred, U32, U64};
use super::THREADS;
use super::attention::Scores;
use super::block_reduce::{Meet, Threads, on_row};
use super::flat::{at, get, keep, neighbours, put};
use super::status::{Index, note};
use crate::alu::{Alu, Body};
use crate::nn::{Cached, exp_not_above_zero, shift, softcap};
use crate::pointwise::Ln;
use crate::quant::Block;
use alloc::format;
use alloc::vec::Vec;

/// Keys that a row of threads takes at a time: their reads are under way at once.
const TURN: u32 = 4;
/// Sums of a thread, and heads of a block, at most.
const SUMS: u32 = 64;
const HEADS: u32 = 8;

/// What a cache on a device holds: a kernel reads its elements as numbers.
pub trait DeviceCached: Cached {
    /// The name of the format in those of kernels.
    #[doc(hidden)]
    const NAME: &'static str;
    /// Numbers that a thread reads at once: where rows start at multiples of 16 bytes, and elsewhere.
    #[doc(hidden)]
    const READS: [u32; 2];
    /// `each` numbers from `at` on, of an array whose first element is `before` bytes behind `base`.
    #[doc(hidden)]
    fn read<'b>(
        base: Value<'b, U64>,
        before: Value<'b, U32>,
        at: Value<'b, U32>,
        each: u32,
    ) -> Vec<Value<'b, F32>>;
}

impl<B: Block> DeviceCached for B {
    const NAME: &'static str = B::NAME;
    const READS: [u32; 2] = [32, 32];
    fn read<'b>(
        base: Value<'b, U64>,
        before: Value<'b, U32>,
        at: Value<'b, U32>,
        _: u32,
    ) -> Vec<Value<'b, F32>> {
        super::numbers_at::<B>(base, before, at)
    }
}

macro_rules! numbers {
    ($($T:ty: $name:literal, $many:literal, $read:expr;)*) => {$(
        impl DeviceCached for $T {
            const NAME: &'static str = $name;
            const READS: [u32; 2] = [$many, 1];
            fn read<'b>(base: Value<'b, U64>, before: Value<'b, U32>, at: Value<'b, U32>, each: u32) -> Vec<Value<'b, F32>> {
                $read(base, before, at, each)
            }
        }
    )*};
}
numbers! { f32: "f32", 4, |base, _, at, each| f32_at(base, at, each); }
#[cfg(feature = "half")]
numbers! {
    half::f16: "f16", 8, super::f16_at;
    half::bf16: "bf16", 8, super::bf16_at;
}

/// The form of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Split {
    /// Numbers that a thread reads at once.
    pub(crate) each: u32,
    /// Threads of a key's row, and how often each reads: powers of two.
    pub(crate) lanes: u32,
    pub(crate) turns: u32,
    /// Heads of a block, which share a key head: a power of two.
    pub(crate) heads: u32,
    pub(crate) paged: bool,
    pub(crate) scores: Scores,
}

impl Split {
    /// For heads of `dim` numbers read `each` at once, of which `group` share a key head. None where a head is too long.
    pub(crate) fn of(
        meet: Meet,
        dim: u32,
        each: u32,
        group: u32,
        paged: bool,
        scores: Scores,
    ) -> Option<Self> {
        let pieces = dim.div_ceil(each).checked_next_power_of_two()?;
        let lanes = pieces.min(32);
        let turns = pieces / lanes;
        let most = (SUMS / each).checked_div(turns).filter(|n| *n > 0)?;
        let heads = group.checked_next_power_of_two()?.min(most).min(HEADS);
        // A power of two below what the sums allow; without shuffles one, as kernels with many barriers take long to compile.
        let heads = if meet == Meet::Memory { 1 } else { 1 << heads.ilog2() };
        Some(Self { each, lanes, turns, heads, paged, scores })
    }

    /// Keys that a block takes at a time.
    pub(crate) const fn keys(self) -> u32 {
        THREADS / self.lanes * TURN
    }

    /// Another number for each form.
    pub(crate) fn number(self) -> u32 {
        let logs = [self.each, self.lanes, self.turns, self.heads].map(u32::ilog2);
        logs.into_iter().fold(self.scores.form() << 1 | u32::from(self.paged), |n, log| n << 3 | log)
    }
}

/// Of a thread, one after the other.
type Numbers<'b> = Vec<Value<'b, F32>>;

struct Frame<'b> {
    b: &'b Builder,
    by: Split,
    meet: Meet,
    lane: Value<'b, U32>,
    slot: Value<'b, U32>,
    /// Shared memory of a number for each thread, and of four, which some languages write together alone.
    scratch: [Value<'b, U32>; 2],
}

impl<'b> Frame<'b> {
    fn int(&self, v: u32) -> Value<'b, U32> {
        self.b.int(i64::from(v))
    }

    /// Shared memory of so `many` numbers, one or four, of the thread of this lane and slot.
    fn place(&self, many: u32, slot: Value<'b, U32>, lane: Value<'b, U32>) -> Value<'b, U32> {
        let [one, four] = self.scratch;
        let scratch = if many == 1 { one } else { four };
        scratch + (slot * self.int(self.by.lanes) + lane) * self.int(4 * many)
    }

    /// The sum over the threads of a row, in each of them.
    fn along(&self, v: Value<'b, F32>) -> Value<'b, F32> {
        let b = self.b;
        if self.meet == Meet::Warps {
            let distances = (0..self.by.lanes.ilog2()).rev().map(|k| 1 << k);
            return distances.fold(v, |v, by| v + v.shuffle(Shuffle::Butterfly, self.int(by)));
        }
        b.store(Space::Shared, self.place(1, self.slot, self.lane), 0, v);
        b.barrier();
        let of = |k: Value<'b, U32>| b.load::<F32>(Space::Shared, self.place(1, self.slot, k), 0);
        let bounds = [self.int(1), self.int(self.by.lanes), self.int(1)];
        let all = b.count::<U32, F32>(bounds, 1, &[of(self.int(0))], |k, all| {
            all.iter().map(|all| *all + of(k)).collect()
        });
        let all = all.first().copied().unwrap_or(v);
        b.barrier();
        all
    }

    /// What the threads of a lane in all slots have, in each of them: one value or four.
    fn across<const N: usize>(
        &self,
        v: [Value<'b, F32>; N],
        merge: impl Fn(Value<'b, F32>, Value<'b, F32>) -> Value<'b, F32>,
    ) -> [Value<'b, F32>; N] {
        let (b, many) = (self.b, N as u32);
        keep(b, Space::Shared, self.place(many, self.slot, self.lane), &v);
        b.barrier();
        let of = |k| neighbours::<F32>(b, Space::Shared, self.place(many, k, self.lane), 0, many);
        let bounds = [self.int(1), self.int(THREADS / self.by.lanes), self.int(1)];
        let all = b.count::<U32, F32>(bounds, 4, &of(self.int(0)), |k, all| {
            all.iter().zip(of(k)).map(|(p, q)| merge(*p, q)).collect()
        });
        b.barrier();
        let mut all = all.into_iter();
        v.map(|v| all.next().unwrap_or(v))
    }

    /// Whether each thread weighs scores of its own, which warps exchange.
    const fn shares(&self) -> bool {
        matches!(self.meet, Meet::Warps) && self.by.lanes >= TURN
    }

    /// Scores that a thread has: of a turn's keys and heads, or of the heads in each thread.
    const fn own(&self) -> u32 {
        if !self.shares() {
            return self.by.heads;
        }
        let all = TURN * self.by.heads;
        if all > self.by.lanes { all / self.by.lanes } else { 1 }
    }

    /// The thread of the own row that has score `k` of a turn.
    fn owner(&self, k: u32) -> Value<'b, U32> {
        let (all, b) = (TURN * self.by.heads, self.b);
        let apart = if all < self.by.lanes { self.by.lanes / all } else { 1 };
        let row = b.special(Special::TidX) & b.int(31 & !i64::from(self.by.lanes - 1));
        row + self.int(k / self.own() * apart)
    }

    /// The sums over the threads of a row, of which each keeps its own: halves are exchanged.
    fn scatter(&self, mut v: Numbers<'b>) -> Numbers<'b> {
        for k in (0..self.by.lanes.ilog2()).rev() {
            let by = self.int(1 << k);
            if v.len() == 1 {
                v = v.iter().map(|v| *v + v.shuffle(Shuffle::Butterfly, by)).collect();
                continue;
            }
            let upper = (self.lane & by).compare(Cmp::Ne, self.int(0));
            let (low, high) = v.split_at(v.len() / 2);
            let pairs = low.iter().zip(high).map(|(p, q)| {
                Value::select(upper, *q, *p) + Value::select(upper, *p, *q).shuffle(Shuffle::Butterfly, by)
            });
            v = pairs.collect();
        }
        v
    }

    /// The online softmax: from a thread's parts of the scores of a turn, keys after each other and heads within, and which keys
    /// are there, the peaks and sums after them; the weights, and for each head what earlier sums are multiplied with.
    fn weigh(
        &self,
        parts: Numbers<'b>,
        there: &[Value<'b, Pred>],
        cap: Option<Value<'b, F32>>,
        (peaks, sums): (&[Value<'b, F32>], &[Value<'b, F32>]),
    ) -> (Numbers<'b>, Numbers<'b>, Numbers<'b>, Numbers<'b>) {
        let (b, heads) = (self.b, self.by.heads);
        let (none, zero) = (b.f32(f32::NEG_INFINITY), b.f32(0.0));
        let get = |v: &[Value<'b, F32>], k: u32| v.get(k as usize).copied().unwrap_or(zero);
        let capped = |score| cap.map_or(score, |cap| softcap(score, cap)[0]);
        // NaN is not in the peak, but in the sum.
        let known = |s: Value<'b, F32>| Value::select(s.is_nan(), none, s);
        let mut next = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if !self.shares() {
            let scores: Vec<_> = (0..)
                .zip(parts)
                .map(|(k, v)| {
                    let there = there.get((k / heads) as usize).copied();
                    let score = capped(self.along(v));
                    there.map_or(none, |there| Value::select(there, score, none))
                })
                .collect();
            next.2 = scores.clone();
            for k in 0..heads {
                let of = || (0..TURN).map(|t| t * heads + k);
                let top = of().fold(get(peaks, k), |top, i| top.max(known(get(&scores, i))));
                let level = shift(top);
                let keep = exp_not_above_zero(get(peaks, k) - level);
                let mut sum = get(sums, k) * keep;
                for i in of() {
                    let weight = exp_not_above_zero(get(&scores, i) - level);
                    sum = sum + weight;
                    if let Some(to) = next.2.get_mut(i as usize) {
                        *to = weight;
                    }
                }
                next.0.push(top);
                next.1.push(sum);
                next.3.push(keep);
            }
            return next;
        }
        let own = self.own();
        let all = TURN * heads;
        // The first of this thread's scores, and the keys that are there as bits.
        let apart = if all < self.by.lanes { self.by.lanes / all } else { 1 };
        let first = (self.lane >> self.int(apart.ilog2())) * self.int(own);
        let bits = (0..).zip(there).map(|(t, there)| Value::select(*there, self.int(1 << t), self.int(0)));
        let bits = bits.reduce(|p, q| p | q).unwrap_or(self.int(0));
        let mut weights = Vec::new();
        let mut keeps = Vec::new();
        for (r, score) in (0..own).zip(self.scatter(parts)) {
            let key = (first + self.int(r)) >> self.int(heads.ilog2());
            let there = ((bits >> key) & self.int(1)).compare(Cmp::Ne, self.int(0));
            let score = Value::select(there, capped(score), none);
            // The other keys of this head are with the threads that are half a row away, and a quarter.
            let top = [self.by.lanes / 2, self.by.lanes / 4]
                .into_iter()
                .fold(known(score), |top, by| top.max(top.shuffle(Shuffle::Butterfly, self.int(by))));
            let top = get(peaks, r).max(top);
            let level = shift(top);
            let (keep, weight) =
                (exp_not_above_zero(get(peaks, r) - level), exp_not_above_zero(score - level));
            next.0.push(top);
            next.1.push(get(sums, r) * keep + weight);
            weights.push(weight);
            keeps.push(keep);
        }
        let of = |v: &[Value<'b, F32>], k: u32| get(v, k % own).shuffle(Shuffle::Index, self.owner(k));
        next.2 = (0..all).map(|k| of(&weights, k)).collect();
        next.3 = (0..heads).map(|k| of(&keeps, k)).collect();
        next
    }

    /// The peak and the sum of head `k`, in all threads of the row.
    fn of_head(&self, k: u32, (peaks, sums): (&[Value<'b, F32>], &[Value<'b, F32>])) -> [Value<'b, F32>; 2] {
        let zero = self.b.f32(0.0);
        let get = |v: &[Value<'b, F32>], k: u32| v.get(k as usize).copied().unwrap_or(zero);
        if !self.shares() {
            return [get(peaks, k), get(sums, k)];
        }
        let of = |v, k: u32| get(v, k % self.own()).shuffle(Shuffle::Index, self.owner(k));
        let sum = (1..TURN).fold(of(sums, k), |sum, t| sum + of(sums, t * self.by.heads + k));
        [of(peaks, k), sum]
    }
}

/// A part of the keys for some heads: blocks have parts along x, key heads and their sets of heads along y. Parameters: `q`, the
/// keys, the values, where parts go; with pages the table and the status words; the first key and the end of them, heads of
/// a key head, elements of a head, from a key and a value to the next, bytes before the first of each; with pages keys of a page and pages; the scale and,
/// if scores are capped, the cap.
pub(crate) fn split<C: DeviceCached>(meet: Meet, by: Split) -> Result<Kernel, Error> {
    let Split { each, lanes, turns, heads, paged, scores } = by;
    let paged_name = if paged { "_paged" } else { "" };
    let b = Builder::new(&format!(
        "decode_{}{paged_name}{}_{each}x{lanes}x{turns}_{heads}",
        C::NAME,
        scores.name()
    ));
    b.threads([THREADS, 1, 1]);
    let [q, keys, values, parts] = b.params::<U64, 4>();
    let pages = paged.then(|| b.params::<U64, 2>());
    let [start, end, group, dim, row_keys, row_values, before_keys, before_values] = b.params::<U32, 8>();
    let page = paged.then(|| b.params::<U32, 2>());
    let scale = b.param::<F32>();
    let cap = scores.capped.then(|| b.param::<F32>());
    let int = |v: u32| b.int::<U32>(i64::from(v));
    let tid = b.special(Special::TidX);
    let scratch = [4, 16].map(|bytes| b.shared(THREADS * bytes, bytes));
    let (lane, slot) = (tid & int(lanes - 1), tid >> int(lanes.ilog2()));
    let frame = Frame { b: &b, by, meet, lane, slot, scratch };
    let (zero, none) = (b.f32(0.0), b.f32(f32::NEG_INFINITY));

    let sets = (group + int(heads - 1)) / int(heads);
    let y = b.special(Special::CtaidY);
    let g = y / sets;
    let first = (y - g * sets) * int(heads);
    // The numbers of a head that this thread has: those past the end are none.
    let cols: Vec<_> = (0..turns).map(|t| (lane + int(t * lanes)) * int(each)).collect();
    let inside: Vec<_> = cols.iter().map(|c| c.compare(Cmp::Lt, dim)).collect();
    let within = |c: Value<'_, U32>| b.typed::<U32>(c.id()).least(dim - int(each));
    // A head past those of the key head is as the last, and not written.
    let head = |k: u32| g * group + (first + int(k)).least(group - int(1));
    let queries: Vec<Numbers<'_>> = (0..heads)
        .map(|k| {
            let of = head(k) * dim;
            let each_of = cols
                .iter()
                .zip(&inside)
                .flat_map(|(c, inside)| (0..each).map(move |e| (of + within(*c) + int(e), *inside)));
            each_of.map(|(at, inside)| Value::select(inside, get::<F32>(q, at) * scale, zero)).collect()
        })
        .collect();

    let (part, blocks) = (b.special(Special::CtaidX), b.special(Special::NctaidX));
    let many = (end - start + (blocks - int(1))) / blocks;
    let begin = (start + part * many).least(end);
    let last = (begin + many).least(end);
    let width = (each * turns) as usize;
    let own = frame.own() as usize;
    let init: Vec<_> =
        (0..2 * own + heads as usize * width).map(|k| if k < own { none } else { zero }).collect();
    let carried = b.count::<U32, F32>([begin, last, int(by.keys())], 1, &init, |base, carried| {
        // Rows of keys and values of a turn, and whether they are there.
        let read = |t: u32| {
            let j = base + slot + int(t * THREADS / lanes);
            let there = j.compare(Cmp::Lt, last);
            let j = j.least(last - int(1));
            let (row_of, there) = match (pages, page) {
                (Some([table, status]), Some([rows, held])) => {
                    let turn = j / rows;
                    let page = get::<U32>(table, turn);
                    let good = page.compare(Cmp::Lt, held);
                    b.when(!good, || note(status, Index::Pages, page));
                    (page.least(held - int(1)) * rows + (j - turn * rows), there & good)
                }
                _ => (j, there),
            };
            let x = |from, before, row| -> Numbers<'_> {
                let at = row_of * row + g * dim;
                let pieces = cols.iter().map(|c| C::read(from, before, at + within(*c), each));
                pieces
                    .zip(&inside)
                    .flat_map(|(x, inside)| {
                        x.into_iter().map(move |x| Value::select(*inside & there, x, zero))
                    })
                    .collect()
            };
            (there, x(keys, before_keys, row_keys), x(values, before_values, row_values))
        };
        let rows: Vec<(Value<'_, Pred>, Numbers<'_>, Numbers<'_>)> = (0..TURN).map(read).collect();
        let product = |(q, k): (&Numbers<'_>, &Numbers<'_>)| {
            let terms = q.iter().zip(k);
            b.typed::<F32>(
                terms.fold(zero, |sum, (q, k)| b.typed::<F32>(q.id()).fma(b.typed(k.id()), sum)).id(),
            )
        };
        let parts = rows.iter().flat_map(|(_, k, _)| queries.iter().map(move |q| (q, k))).map(product);
        let there: Vec<_> = rows.iter().map(|(there, ..)| *there).collect();
        let (state, acc) = carried.split_at(2 * own);
        let (peaks, sums, weights, keeps) = frame.weigh(parts.collect(), &there, cap, state.split_at(own));
        let acc = acc.chunks(width).zip(&keeps).enumerate().flat_map(|(k, (acc, keep))| {
            let (weights, rows, heads) = (&weights, &rows, heads as usize);
            acc.iter().enumerate().map(move |(e, acc)| {
                let terms = weights.iter().skip(k).step_by(heads).zip(rows);
                terms.fold(*acc * *keep, |acc, (w, (.., v))| v.get(e).map_or(acc, |v| w.fma(*v, acc)))
            })
        });
        let acc: Vec<_> = acc.collect();
        [peaks, sums, acc].concat()
    });

    // What the slots have, each head after the other.
    let (state, acc) = carried.split_at(2 * own);
    for (k, acc) in (0..heads).zip(acc.chunks(width)) {
        let [own_peak, own_sum] = frame.of_head(k, state.split_at(own));
        let [peak] = frame.across([own_peak], |p, q| p.max(q));
        let by = exp_not_above_zero(own_peak - shift(peak));
        let [sum] = frame.across([own_sum * by], |p, q| p + q);
        let at = (head(k) * blocks + part) * (dim + int(2));
        let real = (first + int(k)).compare(Cmp::Lt, group) & slot.compare(Cmp::Eq, int(0));
        let acc: Vec<_> = acc.iter().map(|v| *v * by).collect();
        let (fours, rest) = acc.as_chunks::<4>();
        let mut all: Vec<_> = fours.iter().flat_map(|v| frame.across(*v, |p, q| p + q)).collect();
        all.extend(rest.iter().flat_map(|v| frame.across([*v], |p, q| p + q)));
        b.when(real, || {
            b.when(lane.compare(Cmp::Eq, int(0)), || {
                put(parts, at, peak);
                put(parts, at + int(1), sum);
            });
            for ((c, inside), acc) in cols.iter().zip(&inside).zip(all.chunks(each as usize)) {
                b.when(*inside, || {
                    (2..).zip(acc).for_each(|(e, v)| put(parts, at + *c + int(e), *v));
                });
            }
        });
    }
    b.finish()
}

/// Parts of a head at most: a thread of a block that merges them has one.
pub(crate) const PARTS: u32 = 256;
/// Columns that are merged at a time.
const STRIP: u32 = 128;

/// The results of all parts: a block of `threads` for each head. Parameters: the parts, `out`, `lse`; the parts of a head,
/// elements of a head.
pub(crate) fn merge(meet: Meet, threads: u32) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("decode_merge_{threads}"));
    b.threads([threads, 1, 1]);
    let [parts, out, lse] = b.params::<U64, 3>();
    let [count, dim] = b.params::<U32, 2>();
    let int = |v: u32| b.int::<U32>(i64::from(v));
    let (tid, h) = (b.special(Special::TidX), b.special(Special::CtaidX));
    let (zero, none) = (b.f32(0.0), b.f32(f32::NEG_INFINITY));
    let from = |k: Value<'_, U32>| (h * count + b.typed::<U32>(k.id())) * (dim + int(2));
    let row = Threads { block: threads, row: threads };
    let there = tid.compare(Cmp::Lt, count);
    let own = from(tid.least(count - int(1)));
    let at = Value::select(there, get::<F32>(parts, own), none);
    let [peak] = on_row(&b, meet, row, [at], |[p], [q]| [p.max(q)]);
    let level = shift(peak);
    let weight = exp_not_above_zero(at - level);
    let more = Value::select(there, weight * get(parts, own + int(1)), zero);
    let [sum] = on_row(&b, meet, row, [more], |[p], [q]| [p + q]);
    let (weights, sums) = (b.shared(PARTS * 4, 4), b.shared(threads * 4, 4));
    b.when(there, || b.store(Space::Shared, weights + tid * int(4), 0, weight));
    b.barrier();
    let empty = sum.eq(zero);
    let factor = b.f32(1.0) / sum;
    // Threads of a column take some of the parts each.
    let (group, col, groups) = (tid >> int(STRIP.ilog2()), tid & int(STRIP - 1), threads / STRIP);
    b.count::<U32, U32>([int(0), dim, int(STRIP)], 1, &[], |first, _| {
        let c = (first + col).least(dim - int(1));
        let v = b.count::<U32, F32>([group, count, int(groups)], 8, &[zero], |k, v| {
            let w = b.load::<F32>(Space::Shared, weights + k * int(4), 0);
            v.iter().map(|v| w.fma(get(parts, from(k) + c + int(2)), *v)).collect()
        });
        b.store(Space::Shared, sums + tid * int(4), 0, v.first().copied().unwrap_or(zero));
        b.barrier();
        b.when(tid.compare(Cmp::Lt, int(STRIP)) & (first + col).compare(Cmp::Lt, dim), || {
            let of = |g: u32| b.load::<F32>(Space::Shared, sums + tid * int(4), (g * STRIP * 4) as i32);
            let v = (1..groups).fold(of(0), |all, g| all + of(g));
            put(out, h * dim + first + col, Value::select(empty, zero, v * factor));
        });
        b.barrier();
        Vec::new()
    });
    b.when(tid.compare(Cmp::Eq, int(0)), || {
        put(lse, h, Value::select(empty, none, level + Ln.eval([sum])));
    });
    b.finish()
}

/// `each` elements of `f32` from `at` on: four, which are aligned, or one.
pub(crate) fn f32_at<'b>(base: Value<'b, U64>, i: Value<'b, U32>, each: u32) -> Vec<Value<'b, F32>> {
    neighbours::<F32>(i.builder(), Space::Global, at::<F32>(base, i), 0, each)
}
