//! FlashAttention (Dao 2023) without tensor cores: a block keeps rows of queries (for gradients, of keys) and streams tiles of
//! the others through shared memory. Scores are register tiles; the score matrix is never stored.
//!
//! What a query does not see adds nothing, whatever it is: tiles that all of a block's rows see whole are multiplied
//! plainly, the others element by element.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::attention::{Heads, On, Scores, slope};
use super::block_reduce::Meet;
use super::flat::{keep, neighbours, put};
use crate::alu::{Alu, Body, Number, Real};
use crate::nn::{exp_not_above_zero, shift};
use crate::pointwise::Ln;
use alloc::format;
use alloc::vec::Vec;

/// Threads along a row, and rows of a thread.
const ACROSS: u32 = 16;
const EACH: u32 = 4;
/// Terms of a product that are written out.
const TERMS: u32 = 8;
/// The largest head.
pub(crate) const FLASH_DIM: usize = 128;

/// The rows that a block holds, and those of a tile that it takes at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlashTile {
    pub(crate) rows: u32,
    pub(crate) cols: u32,
}

impl FlashTile {
    /// The best first: a device takes the first that its shared memory holds.
    pub(crate) const ALL: [Self; 5] = [
        Self { rows: 64, cols: 64 },
        Self { rows: 64, cols: 32 },
        Self { rows: 32, cols: 32 },
        Self { rows: 32, cols: 16 },
        Self { rows: 16, cols: 16 },
    ];

    /// Threads of a block.
    pub(crate) const fn threads(self) -> u32 {
        self.rows / EACH * ACROSS
    }

    /// Whether there is a kernel of it for heads of up to `dim` elements.
    pub(crate) const fn is_for(self, dim: u32) -> bool {
        // A line of a head for each round of threads; of long heads a tile of 64 columns would leave room for one block on a
        // multiprocessor.
        self.threads() >= dim && self.cols * dim <= 64 * 64
    }
}

/// Which of the three kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flash {
    Forward,
    Queries,
    Keys,
}

/// A tile in shared memory: the address, and the elements from one line to the next.
#[derive(Clone, Copy)]
struct SharedTile<'b> {
    at: Value<'b, U32>,
    pitch: u32,
}

/// The frame of a block.
struct Frame<'b, T> {
    b: &'b Builder,
    op: Heads<'b, T>,
    meet: Meet,
    /// Elements of a head, up to a power of two; the rows of the block and the columns of a tile.
    dim: u32,
    rows: u32,
    cols: u32,
    /// The thread's place.
    down: Value<'b, U32>,
    across: Value<'b, U32>,
}

/// Values of a thread: its rows, then columns.
type Values<'b, T> = Vec<Value<'b, T>>;

impl<'b, T: Recorded> Frame<'b, T> {
    fn int(&self, v: u32) -> Value<'b, U32> {
        self.b.int(i64::from(v))
    }

    /// A tile of lines along the depth of a product: of `span` rows or columns.
    fn tile(&self, depth: u32, span: u32) -> SharedTile<'b> {
        let pitch = span + 4;
        SharedTile { at: self.b.shared(depth * pitch * T::TYPE.bytes(), 16), pitch }
    }

    /// The thread's `k`th column of `span` on top of what [`Frame::column`] gives for 0.
    const fn place(span: u32, k: u32) -> u32 {
        let many = if span / ACROSS < 4 { span / ACROSS } else { 4 };
        k / many * (ACROSS * many) + k % many
    }

    fn column(&self, span: u32) -> Value<'b, U32> {
        self.across * self.int((span / ACROSS).min(4))
    }

    /// Rows `first` to `first + count` of a head of `width` elements, 0 past `end`: with the head along the depth, with the rows, or both.
    /// Four neighbours are written at once, which WGSL's arrays of four want.
    fn fill(
        &self,
        (x, of, width): (On<'b>, Value<'b, U32>, Value<'b, U32>),
        [first, end]: [Value<'b, U32>; 2],
        count: u32,
        [by_head, by_row]: [Option<SharedTile<'b>>; 2],
    ) {
        let (b, tid) = (self.b, self.b.special(Special::TidX));
        let threads = self.rows / EACH * ACROSS;
        let get = |r: Value<'b, U32>, c: Value<'b, U32>| {
            let row = first + r;
            let v = x.get::<T>(row.least(end - self.int(1)), of + c.least(width - self.int(1)));
            let inside = c.compare(Cmp::Lt, width) & row.compare(Cmp::Lt, end);
            Value::select(inside, v, b.bits(0))
        };
        let put = |to: SharedTile<'b>, line, place, v: [Value<'b, T>; 4]| {
            let at = to.at + (line * self.int(to.pitch) + place) * self.int(T::TYPE.bytes());
            keep(b, Space::Shared, at, &v);
        };
        let four = self.int(4);
        for (e, to) in
            (0..count * self.dim / 4 / threads).flat_map(|e| by_head.iter().map(move |to| (e, *to)))
        {
            let (c, r) = (tid & self.int(self.dim - 1), tid >> self.int(self.dim.ilog2()));
            let r = (r + self.int(e * threads / self.dim)) * four;
            put(to, c, r, core::array::from_fn(|k| get(r + self.int(k as u32), c)));
        }
        let quads = self.dim / 4;
        for (e, to) in (0..count * quads / threads).flat_map(|e| by_row.iter().map(move |to| (e, *to))) {
            let (c, r) = ((tid & self.int(quads - 1)) * four, tid >> self.int(quads.ilog2()));
            let r = r + self.int(e * threads / quads);
            put(to, r, c, core::array::from_fn(|k| get(r, c + self.int(k as u32))));
        }
    }

    fn zeros(&self, span: u32) -> Values<'b, T> {
        (0..EACH * span / ACROSS).map(|_| self.b.bits(0)).collect()
    }

    /// `sum + Σ a[p][row]·b[p][column]` from one depth to another, of the terms that count.
    fn product(
        &self,
        sum: &[Value<'b, T>],
        [a, other]: [SharedTile<'b>; 2],
        span: u32,
        [from, to]: [Value<'b, U32>; 2],
        counts: Option<&dyn Fn(Value<'b, U32>) -> Vec<Value<'b, Pred>>>,
    ) -> Values<'b, T> {
        let (b, width, many) = (self.b, T::TYPE.bytes(), (span / ACROSS).min(4));
        let start = a.at + self.down * self.int(EACH * width);
        let other_start = other.at + self.column(span) * self.int(width);
        b.count::<U32, T>([from, to, self.int(TERMS)], 1, sum, |p, sum| {
            let mut sum = sum.to_vec();
            let [at, other_at] = [(start, a.pitch), (other_start, other.pitch)]
                .map(|(start, pitch)| start + p * self.int(pitch * width));
            for k in 0..TERMS {
                let rows = neighbours::<T>(b, Space::Shared, at, (k * a.pitch * width) as i32, EACH);
                let part = |c| {
                    let offset = (k * other.pitch + Self::place(span, c)) * width;
                    neighbours::<T>(b, Space::Shared, other_at, offset as i32, many)
                };
                let cols: Vec<_> = (0..span / ACROSS).step_by(many as usize).flat_map(part).collect();
                let seen = counts.map(|counts| counts(p + self.int(k)));
                for (r, row) in rows.iter().enumerate() {
                    let seen = seen.as_ref().and_then(|s| s.get(r).copied());
                    for (s, col) in sum.iter_mut().skip(r * cols.len()).zip(&cols) {
                        let more = row.fma(*col, *s);
                        *s = seen.map_or(more, |seen| Value::select(seen, more, *s));
                    }
                }
            }
            sum
        })
    }

    /// [`Frame::product`] along a tile, plainly where it is `whole`.
    fn add(
        &self,
        sum: &[Value<'b, T>],
        tiles: [SharedTile<'b>; 2],
        whole: Value<'b, Pred>,
        counts: &dyn Fn(Value<'b, U32>) -> Vec<Value<'b, Pred>>,
    ) -> Values<'b, T> {
        let (zero, cols) = (self.int(0), self.int(self.cols));
        let plain = Value::select(whole, cols, zero);
        let sum = self.product(sum, tiles, self.dim, [zero, plain], None);
        self.product(&sum, tiles, self.dim, [plain, cols], Some(counts))
    }

    /// The products of a tile over a head of `width` elements.
    fn products(&self, tiles: [SharedTile<'b>; 2], width: Value<'b, U32>) -> Values<'b, T> {
        let terms = (width + self.int(TERMS - 1)) & self.b.int(!i64::from(TERMS - 1));
        self.product(&self.zeros(self.cols), tiles, self.cols, [self.int(0), terms], None)
    }

    /// The thread's values of a tile of scores, by lines of columns.
    fn keep(&self, to: SharedTile<'b>, v: &[Value<'b, T>]) {
        let (each, width) = (self.cols / ACROSS, T::TYPE.bytes());
        let start = self.column(self.cols) * self.int(to.pitch) + self.down * self.int(EACH);
        let start = to.at + start * self.int(width);
        for c in 0..each {
            let mut rows = v.iter().skip(c as usize).step_by(each as usize).copied();
            let offset = (Self::place(self.cols, c) * to.pitch * width) as i32;
            let none = self.b.bits(0);
            let rows = core::array::from_fn::<_, { EACH as usize }, _>(|_| rows.next().unwrap_or(none));
            self.b.store_vector(Space::Shared, start, offset, rows);
        }
    }

    /// Writes the thread's values of the rows of a head of `width` elements: those before `end`.
    fn store(
        &self,
        (to, of, width): (On<'b>, Value<'b, U32>, Value<'b, U32>),
        rows: &[Value<'b, U32>],
        end: Value<'b, U32>,
        v: &[Value<'b, T>],
    ) {
        let each = self.dim / ACROSS;
        for (row, v) in rows.iter().zip(v.chunks(each as usize)) {
            for (c, v) in (0..).zip(v) {
                let col = self.column(self.dim) + self.int(Self::place(self.dim, c));
                let inside = row.compare(Cmp::Lt, end) & col.compare(Cmp::Lt, width);
                self.b.when(inside, || to.put(*row, of + col, *v));
            }
        }
    }

    /// What all threads of a row have together, for each of a thread's rows. `scratch` is shared memory for as many values as
    /// the block's threads have rows; no thread is done with it.
    fn along(
        &self,
        scratch: SharedTile<'b>,
        v: [Value<'b, T>; EACH as usize],
        merge: impl Fn(Value<'b, T>, Value<'b, T>) -> Value<'b, T>,
    ) -> [Value<'b, T>; EACH as usize] {
        let b = self.b;
        match self.meet {
            Meet::Warps => v.map(|v| {
                let turn = |v: Value<'b, T>, by| merge(v, v.shuffle(Shuffle::Butterfly, self.int(by)));
                [8, 4, 2, 1].into_iter().fold(v, turn)
            }),
            Meet::Memory => {
                let line = EACH * T::TYPE.bytes();
                keep(b, Space::Shared, scratch.at + b.special(Special::TidX) * self.int(line), &v);
                b.barrier();
                let start = scratch.at + self.down * self.int(ACROSS * line);
                let of = |k: u32| b.load_vector(Space::Shared, start, (k * line) as i32);
                (1..ACROSS).fold(of(0), |all: [_; EACH as usize], k| {
                    let mut next = of(k).into_iter();
                    all.map(|v| next.next().map_or(v, |w| merge(v, w)))
                })
            }
        }
    }

    /// Threads read what others had put into the scratch of [`Frame::along`]: only then is it written again.
    fn read(&self) {
        if self.meet == Meet::Memory {
            self.b.barrier();
        }
    }

    /// A thread's rows of those from `first` on.
    fn rows(&self, first: Value<'b, U32>) -> Vec<Value<'b, U32>> {
        (0..EACH).map(|r| first + self.down * self.int(EACH) + self.int(r)).collect()
    }

    /// A thread's columns of those from `first` on.
    fn columns(&self, first: Value<'b, U32>) -> Vec<Value<'b, U32>> {
        let start = first + self.column(self.cols);
        (0..self.cols / ACROSS).map(|c| start + self.int(Self::place(self.cols, c))).collect()
    }

    /// The last row that there is of a tile.
    fn last(&self, first: Value<'b, U32>, count: u32, end: Value<'b, U32>) -> Value<'b, U32> {
        (first + self.int(count)).least(end) - self.int(1)
    }

    fn blocks(&self, rows: Value<'b, U32>, body: impl FnOnce(Value<'b, U32>)) {
        let b = self.b;
        let rows_of = self.int(self.rows);
        let first = b.special(Special::CtaidX) * rows_of;
        b.count::<U32, U32>([first, rows, b.special(Special::NctaidX) * rows_of], 1, &[], |first, _| {
            body(first);
            b.barrier();
            Vec::new()
        });
    }
}

fn within<'b>(j: Value<'b, U32>, [start, end]: [Value<'b, U32>; 2]) -> Value<'b, Pred> {
    start.compare(Cmp::Le, j) & j.compare(Cmp::Lt, end)
}

/// A kernel for heads of up to `dim` elements, 64 or 128. Parameters are those of the kernels of
/// [`attention`](super::attention); blocks have the tile's rows along x, heads along y.
pub(crate) fn flash<T: Recorded>(
    which: Flash,
    dim: u32,
    tile: FlashTile,
    meet: Meet,
    scores: Scores,
) -> Result<Kernel, Error> {
    let name = match which {
        Flash::Forward => "attention",
        Flash::Queries => "attention_queries",
        Flash::Keys => "attention_keys",
    };
    let FlashTile { rows, cols } = tile;
    let b = Builder::new(&format!("flash_{name}{}_{dim}_{rows}x{cols}_{}", scores.name(), T::Elem::NAME));
    b.threads([tile.threads(), 1, 1]);
    let frame = || frame::<T>(&b, dim, tile, meet, scores);
    match which {
        Flash::Forward => {
            let (matrices, lse) = (On::params(&b), b.param::<U64>());
            forward(&frame(), matrices, lse);
        }
        Flash::Queries => {
            let (matrices, sums) = (On::params(&b), b.param::<U64>());
            queries(&frame(), matrices, sums);
        }
        Flash::Keys => {
            let (matrices, sums) = (On::params(&b), b.param::<U64>());
            keys(&frame(), matrices, sums);
        }
    }
    b.finish()
}

fn frame<'b, T: Recorded>(
    b: &'b Builder,
    dim: u32,
    tile: FlashTile,
    meet: Meet,
    scores: Scores,
) -> Frame<'b, T> {
    let op = Heads::params(b, scores);
    let tid = b.special(Special::TidX);
    let (down, across) = (tid >> b.int(i64::from(ACROSS.ilog2())), tid & b.int(i64::from(ACROSS - 1)));
    let FlashTile { rows, cols } = tile;
    Frame { b, op, meet, dim, rows, cols, down, across }
}

fn forward<'b, T: Recorded>(f: &Frame<'b, T>, [q, k, v, out]: [On<'b>; 4], lse: Value<'b, U64>) {
    let (b, op, width) = (f.b, f.op, (f.dim / ACROSS * EACH) as usize);
    let h = b.special(Special::CtaidY);
    let g = h / op.group;
    let (of, of_k, of_v) = (h * op.dim, g * op.dim, g * op.value_dim);
    let (zero, none) = (b.bits::<T>(0), b.bits::<T>(0).lit(-<T::Elem as Number>::INFINITY));
    let [queries, keys] = [f.rows, f.cols].map(|span| f.tile(f.dim, span));
    let (values, weights) = (f.tile(f.cols, f.dim), f.tile(f.cols, f.rows));
    f.blocks(op.n, |first| {
        f.fill((q, of, op.dim), [first, op.n], f.rows, [Some(queries), None]);
        let rows = f.rows(first);
        let last = f.last(first, f.rows, op.n);
        let seen: Vec<_> = rows.iter().map(|i| op.of_query(i.least(last))).collect();
        let ([start, plain_to], [plain_from, end]) = (op.of_query(first), op.of_query(last));
        let mut init = f.zeros(f.dim);
        init.extend([none; EACH as usize]);
        init.extend([zero; EACH as usize]);
        let all = b.count::<U32, T>([start, end, f.int(f.cols)], 1, &init, |t, carried| {
            f.fill((k, of_k, op.dim), [t, op.len], f.cols, [Some(keys), None]);
            f.fill((v, of_v, op.value_dim), [t, op.len], f.cols, [None, Some(values)]);
            b.barrier();
            let (sums, state) = carried.split_at(width);
            let (peaks, totals) = state.split_at(EACH as usize);
            let mut scores = f.products([queries, keys], op.dim);
            let columns = f.columns(t);
            let each = columns.len();
            for ((line, seen), i) in scores.chunks_mut(each).zip(&seen).zip(&rows) {
                for (score, j) in line.iter_mut().zip(&columns) {
                    let at = [h, i.least(last), j.least(op.len - f.int(1))];
                    *score = Value::select(within(*j, *seen), op.score(*score, at).0, none);
                }
            }
            // NaN is not in the peak, but in the sum.
            let tops = core::array::from_fn(|r| {
                let line = scores.iter().skip(r * each).take(each);
                line.fold(none, |top, s| top.max(Value::select(s.is_nan(), none, *s)))
            });
            let tops = f.along(weights, tops, |p, q| p.max(q));
            let (mut sums, mut state, mut more) = (sums.to_vec(), Vec::new(), Vec::new());
            for (r, (line, top)) in scores.chunks_mut(each).zip(tops).enumerate() {
                let at = |list: &[Value<'b, T>]| list.get(r).copied().unwrap_or(zero);
                let (peak, total) = (at(peaks), at(totals));
                let top = peak.max(top);
                let level = shift(top);
                line.iter_mut().for_each(|s| *s = exp_not_above_zero(*s - level));
                let sum = line.iter().fold(zero, |sum, w| sum + *w);
                let keep = exp_not_above_zero(peak - level);
                let own = f.dim as usize / ACROSS as usize;
                sums.iter_mut().skip(r * own).take(own).for_each(|s| *s = *s * keep);
                state.push(top);
                // Of the thread's own columns: all are added once, at the end.
                more.push(total.fma(keep, sum));
            }
            f.read();
            f.keep(weights, &scores);
            b.barrier();
            let whole = plain_from.compare(Cmp::Le, t) & (t + f.int(f.cols)).compare(Cmp::Le, plain_to);
            let counts = |p: Value<'b, U32>| seen.iter().map(|seen| within(t + p, *seen)).collect();
            let mut all = f.add(&sums, [weights, values], whole, &counts);
            b.barrier();
            all.extend(state);
            all.extend(more);
            all
        });
        let (sums, state) = all.split_at(width);
        let (peaks, totals) = state.split_at(EACH as usize);
        let totals = core::array::from_fn(|r| totals.get(r).copied().unwrap_or(zero));
        let totals = f.along(weights, totals, |p, q| p + q);
        let mut found = Vec::new();
        let lines = sums.chunks(f.dim as usize / ACROSS as usize);
        for ((line, (peak, total)), row) in lines.zip(peaks.iter().zip(totals)).zip(&rows) {
            let empty = total.eq(zero);
            let factor = zero.c(1.0) / total;
            found.extend(line.iter().map(|v| Value::select(empty, zero, *v * factor)));
            let leads = f.across.compare(Cmp::Eq, f.int(0)) & row.compare(Cmp::Lt, op.n);
            b.when(leads, || {
                let log = shift(*peak) + Ln.eval([total]);
                put(lse, *row * op.heads + h, Value::select(empty, none, log));
            });
        }
        f.store((out, h * op.value_dim, op.value_dim), &rows, op.n, &found);
    });
}

/// What is known of an element of a tile of products: whether the query sees the key, the log-sum-exp and the mean of the
/// query, and head, query and key.
type Known<'b, T> = (Value<'b, Pred>, [Value<'b, T>; 2], [Value<'b, U32>; 3]);

/// The weights of a tile of products, if asked for, and the gradients of the products; 0 where a query does not see a key.
fn slopes<'b, T: Recorded>(
    f: &Frame<'b, T>,
    products: &[Value<'b, T>],
    along: &[Value<'b, T>],
    of: impl Fn(usize, usize) -> Known<'b, T>,
) -> [Values<'b, T>; 2] {
    let (each, zero) = ((f.cols / ACROSS) as usize, f.b.bits(0));
    let pairs = products.iter().zip(along).enumerate().map(|(k, (product, along))| {
        let (seen, sums, at) = of(k / each, k % each);
        let (score, by) = f.op.score(*product, at);
        let [w, s] = slope(score, sums, *along);
        (Value::select(seen, w, zero), Value::select(seen, s * by, zero))
    });
    let (weights, slopes) = pairs.unzip();
    [weights, slopes]
}

fn queries<'b, T: Recorded>(f: &Frame<'b, T>, [q, k, v, dout, dq]: [On<'b>; 5], sums: Value<'b, U64>) {
    let (b, op) = (f.b, f.op);
    let h = b.special(Special::CtaidY);
    let g = h / op.group;
    let (of, of_k, of_v) = (h * op.dim, g * op.dim, g * op.value_dim);
    let [queries, results] = [(); 2].map(|()| f.tile(f.dim, f.rows));
    let [keys, values] = [(); 2].map(|()| f.tile(f.dim, f.cols));
    let (lines, weights) = (f.tile(f.cols, f.dim), f.tile(f.cols, f.rows));
    f.blocks(op.n, |first| {
        f.fill((q, of, op.dim), [first, op.n], f.rows, [Some(queries), None]);
        f.fill((dout, h * op.value_dim, op.value_dim), [first, op.n], f.rows, [Some(results), None]);
        let rows = f.rows(first);
        let last = f.last(first, f.rows, op.n);
        let known: Vec<_> = rows
            .iter()
            .map(|i| {
                let i = i.least(last);
                let at = i * op.heads + h;
                (i, op.of_query(i), op.sums(sums, at))
            })
            .collect();
        let ([start, plain_to], [plain_from, end]) = (op.of_query(first), op.of_query(last));
        let sum = b.count::<U32, T>([start, end, f.int(f.cols)], 1, &f.zeros(f.dim), |t, sum| {
            f.fill((k, of_k, op.dim), [t, op.len], f.cols, [Some(keys), Some(lines)]);
            f.fill((v, of_v, op.value_dim), [t, op.len], f.cols, [Some(values), None]);
            b.barrier();
            let products = f.products([queries, keys], op.dim);
            let along = f.products([results, values], op.value_dim);
            let columns = f.columns(t);
            let nothing = (f.int(0), [f.int(0); 2], [b.bits(0); 2]);
            let of = |r: usize, c: usize| {
                let (i, seen, sums) = known.get(r).copied().unwrap_or(nothing);
                let j = columns.get(c).copied().unwrap_or(t);
                (within(j, seen), sums, [h, i, j.least(op.len - f.int(1))])
            };
            let [_, slopes] = slopes(f, &products, &along, of);
            f.keep(weights, &slopes);
            b.barrier();
            let whole = plain_from.compare(Cmp::Le, t) & (t + f.int(f.cols)).compare(Cmp::Le, plain_to);
            let counts = |p: Value<'b, U32>| known.iter().map(|(_, seen, _)| within(t + p, *seen)).collect();
            let sum = f.add(sum, [weights, lines], whole, &counts);
            b.barrier();
            sum
        });
        f.store((dq, of, op.dim), &rows, op.n, &sum);
    });
}

fn keys<'b, T: Recorded>(f: &Frame<'b, T>, [q, k, v, dout, dk, dv]: [On<'b>; 6], sums: Value<'b, U64>) {
    let (b, op) = (f.b, f.op);
    let g = b.special(Special::CtaidY);
    let (of_k, of_v) = (g * op.dim, g * op.value_dim);
    let [keys, values] = [(); 2].map(|()| f.tile(f.dim, f.rows));
    let [queries, results] = [(); 2].map(|()| f.tile(f.dim, f.cols));
    let [query_lines, result_lines] = [(); 2].map(|()| f.tile(f.cols, f.dim));
    let [kept, slopes_kept] = [(); 2].map(|()| f.tile(f.cols, f.rows));
    f.blocks(op.len, |first| {
        f.fill((k, of_k, op.dim), [first, op.len], f.rows, [Some(keys), None]);
        f.fill((v, of_v, op.value_dim), [first, op.len], f.rows, [Some(values), None]);
        let rows = f.rows(first);
        let last = f.last(first, f.rows, op.len);
        // Queries before this one see none of the keys.
        let from = Heads::<T>::less(first + op.n, op.end).least(op.n);
        let from = Value::select(op.causal.compare(Cmp::Eq, b.int(0)), b.int(0), from);
        let (head, width) = (g * op.group, (f.dim / ACROSS * EACH) as usize);
        let init = [f.zeros(f.dim), f.zeros(f.dim)].concat();
        let all = b.count::<U32, T>([head, head + op.group, b.int(1)], 1, &init, |h, both| {
            let (of, to) = (h * op.dim, h * op.value_dim);
            b.count::<U32, T>([from, op.n, f.int(f.cols)], 1, both, |t, both| {
                f.fill((q, of, op.dim), [t, op.n], f.cols, [Some(queries), Some(query_lines)]);
                f.fill((dout, to, op.value_dim), [t, op.n], f.cols, [Some(results), Some(result_lines)]);
                b.barrier();
                let products = f.products([keys, queries], op.dim);
                let along = f.products([values, results], op.value_dim);
                let end = f.last(t, f.cols, op.n);
                let sees = |i: Value<'b, U32>| {
                    let [start, to] = op.of_query(i.least(end));
                    [start, Value::select(i.compare(Cmp::Le, end), to, start)]
                };
                let known: Vec<_> = f
                    .columns(t)
                    .into_iter()
                    .map(|i| {
                        let (seen, i) = (sees(i), i.least(end));
                        let at = i * op.heads + h;
                        (i, seen, op.sums(sums, at))
                    })
                    .collect();
                let nothing = (f.int(0), [f.int(0); 2], [b.bits(0); 2]);
                let of = |r: usize, c: usize| {
                    let (i, seen, sums) = known.get(c).copied().unwrap_or(nothing);
                    let j = rows.get(r).copied().unwrap_or(first);
                    (within(j, seen), sums, [h, i, j.least(last)])
                };
                let [weights, slopes] = slopes(f, &products, &along, of);
                f.keep(kept, &weights);
                f.keep(slopes_kept, &slopes);
                b.barrier();
                let ([_, plain_to], [plain_from, _]) = (op.of_query(t), op.of_query(end));
                let whole = (t + f.int(f.cols)).compare(Cmp::Le, op.n)
                    & plain_from.compare(Cmp::Le, first)
                    & last.compare(Cmp::Lt, plain_to);
                let counts = |p: Value<'b, U32>| {
                    let seen = sees(t + p);
                    rows.iter().map(|j| within(*j, seen)).collect()
                };
                let (to_k, to_v) = both.split_at(width);
                let mut all = f.add(to_k, [slopes_kept, query_lines], whole, &counts);
                all.extend(f.add(to_v, [kept, result_lines], whole, &counts));
                b.barrier();
                all
            })
        });
        let (to_k, to_v) = all.split_at(width);
        f.store((dk, of_k, op.dim), &rows, op.len, to_k);
        f.store((dv, of_v, op.value_dim), &rows, op.len, to_v);
    });
}
