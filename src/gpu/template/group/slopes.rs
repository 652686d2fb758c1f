//! The backward pass of FlashAttention-3 (Shah et al. 2024) on Hopper's warp groups, as two kernels without atomics, so that it
//! is deterministic: blocks of queries accumulate dQ over all keys, blocks of keys dK and dV over all queries. Each recomputes
//! the weights from the log-sum-exps; they and dS go from accumulators to operands in registers.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Approx, Cmp, Hopper, Kernel, Shuffle, Space, Special};
use super::super::super::types::{F32, Pred, U32, U64};
use super::super::attention::{Heads, On, Scores};
use super::super::flat::{aligned, at, get, put};
use super::super::low_precision::bf16_at;
use super::plan::{GroupSlopes, ROWS, STAGES, Slopes, slabs};
use super::tiles::{Columns, add_rows, arrive, load_tile, products, round, stage};
use super::{SLAB, wait};
use alloc::format;
use alloc::vec::Vec;

/// Rows of a block.
const ALL: u32 = GroupSlopes::rows();
/// The sums of a head's queries are filled up to a multiple of so many.
pub(crate) const SUMS: u32 = 128;

/// Threads of a query of a head in [`group_sums`].
const EACH: u32 = 8;

/// What the kernels need of each query: its log-sum-exp in units of `ln 2`, infinity where there is no query or it sees no
/// key, and `Σ dout·out`. A quarter of a warp for each query of each head, 16 bytes of `dout` a thread where all rows start at
/// such. A head has both for its queries, filled up to a multiple of 128, the former first.
///
/// Parameters: `out` (`F32`) and its strides; `dout`, its elements in front, its strides; `lse`; the sums; queries, heads,
/// elements of a head, and those from head to head of `dout`.
pub fn group_sums() -> Result<Kernel, Error> {
    let b = Builder::new("group_sums_bf16");
    b.threads([256, 1, 1]);
    let [out] = On::params(&b);
    let (dout, [before, row_by, col_by]) = (b.param::<U64>(), b.params::<U32, 3>());
    let [lse, sums] = b.params::<U64, 2>();
    let [n, heads, dim, apart] = b.params::<U32, 4>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let padded = (n + int(SUMS - 1)) & b.int(-i64::from(SUMS));
    let tid = b.special(Special::TidX);
    let (own, part) = ((tid & int(31)) >> int(EACH.ilog2()), tid & int(EACH - 1));
    let step = b.special(Special::NctaidX) * int(8);
    let first = b.special(Special::CtaidX) * int(8) + (tid >> int(5));
    let whole = (before | (col_by ^ int(1)) | ((dim | apart) & int(7))).compare(Cmp::Eq, int(0));
    let wide = aligned(dout, row_by, [16, 2]) & whole & out.beside(4);
    let zero = b.f32(0.0);
    // The queries of all heads are a multiple of a warp's: its threads stay together.
    b.count::<U32, U32>([first, (padded * heads) >> int(2), step], 1, &[], |j, _| {
        let i = j * int(32 / EACH) + own;
        let (row, head) = (i / heads, i % heads);
        let (to, there) = (head * int(2) * padded + row, row.compare(Cmp::Lt, n));
        // Eight elements, which are aligned, or one at a time.
        let added = |each: u32| {
            let bounds = [part * int(each), dim, int(EACH * each)];
            let sum = b.count::<U32, F32>(bounds, 1, &[zero], |c, sum| {
                let col = head * dim + c;
                let there = row * row_by + (head * apart + c) * col_by;
                let x = bf16_at(dout, before * int(2), there, each);
                let y: Vec<Value<'_, F32>> = if each == 1 {
                    Vec::from([out.get(row, col)])
                } else {
                    let four = |by| b.load_vector::<F32, 4>(Space::Global, out.place(row, col), by);
                    [four(0), four(16)].concat()
                };
                let fold = |sum: &Value<'_, F32>| {
                    let sum = b.typed::<F32>(sum.id());
                    x.iter().zip(&y).fold(sum, |sum, (x, y)| x.fma(*y, sum))
                };
                sum.iter().map(fold).collect()
            });
            [sum.first().copied().unwrap_or(zero)]
        };
        let [sum] = b.either(there, || b.either(wide, || added(8), || added(1)), || [zero]);
        let sum = [4, 2, 1].into_iter().fold(sum, |sum, by| sum + sum.shuffle(Shuffle::Butterfly, int(by)));
        b.when(part.compare(Cmp::Eq, int(0)), || {
            let [log] =
                b.either(there, || [get::<F32>(lse, row * heads + head)], || [b.f32(f32::NEG_INFINITY)]);
            let none = log.compare(Cmp::Eq, b.f32(f32::NEG_INFINITY));
            let log = Value::select(none, b.f32(f32::INFINITY), log * b.f32(core::f32::consts::LOG2_E));
            put(sums, to, log);
            put(sums, to + padded, sum);
        });
        Vec::new()
    });
    b.finish()
}

/// `dq[i] = scale·Σ_j ds[i][j]·k[j]`, or `dk[j] = scale·Σ_i ds[i][j]·q[i]` and `dv[j] = Σ_i w[i][j]·dout[i]`, with the weights
/// `w` and slopes `ds = w·(dout[i]·v[j] - Σ dout[i]·out[i])` rounded to `bf16`; for heads of
/// as many elements as the kernel has, or up to 15 fewer.
///
/// Parameters: tensor maps of Q, K, V and `dout` (64 columns, swizzled; the block's 128 rows of what it is of, and the tile's of
/// the others; of a head's columns, rows, heads and sequences); the sums of [`group_sums`]; the gradients (`F32`), and their strides;
/// then as [`super::flash::group_flash`] up to the scale.
/// Launch a block for each 128 queries of each head, or keys of each key head, heads along y, sequences along z; of several,
/// queries are multiples of 128, and the sums are those of all their queries.
pub fn group_slopes(size: GroupSlopes) -> Result<Kernel, Error> {
    let of = match size.of {
        Slopes::Queries => "queries",
        Slopes::Both => "both",
        Slopes::Keys => "keys",
        Slopes::Values => "values",
    };
    let b = Builder::new(&format!("group_{of}_bf16_{}", size.dim));
    b.threads([GroupSlopes::threads(), 1, 1]);
    b.resident(1);
    Frame::new(&b, size).run();
    b.finish()
}

/// Two matrices with as many rows: queries and gradients of the results, or keys and values.
#[derive(Clone, Copy)]
struct Pair<'b> {
    maps: [Value<'b, U64>; 2],
    bases: [Value<'b, U32>; 2],
    /// Has come: for each.
    full: [Value<'b, U32>; 2],
    rows: u32,
}

struct Frame<'b> {
    b: &'b Builder,
    size: GroupSlopes,
    /// Those of the block, and those that come in tiles.
    own: Pair<'b>,
    others: Pair<'b>,
    empty: Value<'b, U32>,
    /// Those of [`group_sums`].
    sums: Value<'b, U64>,
    out: Vec<On<'b>>,
    op: Heads<'b, F32>,
    thread: Value<'b, U32>,
    /// The first row of the block, and its head; the rows of the sequences before, of the block's and of the others.
    first: Value<'b, U32>,
    head: Value<'b, U32>,
    before: [Value<'b, U32>; 2],
    sequence: Value<'b, U32>,
    /// Queries of a head of all sequences.
    queries: Value<'b, U32>,
    /// The first row of the others, tiles from there, and the heads that they are of.
    start: Value<'b, U32>,
    tiles: Value<'b, U32>,
    heads: Value<'b, U32>,
}

impl<'b> Frame<'b> {
    fn new(b: &'b Builder, size: GroupSlopes) -> Self {
        let [q, k, v, dout, sums] = b.params::<U64, 5>();
        let pair = |maps, rows: u32, stages: u32| Pair {
            maps,
            bases: [(); 2].map(|()| b.shared(stages * rows * slabs(size.dim) * SLAB, 1024)),
            full: [(); 2].map(|()| b.shared(8 * stages, 8)),
            rows,
        };
        let [own, others] = if size.keys() { [[k, v], [q, dout]] } else { [[q, dout], [k, v]] };
        let (own, others) = (pair(own, ALL, 1), pair(others, size.tile, STAGES));
        let out = match size.of {
            Slopes::Both => On::params::<2>(b).to_vec(),
            _ => On::params::<1>(b).to_vec(),
        };
        let op = Heads::params(b, Scores::default());
        let int = |c: u32| b.int::<U32>(i64::from(c));
        let (x, head) = (b.special(Special::CtaidX), b.special(Special::CtaidY));
        let sequence = b.special(Special::CtaidZ);
        let before = [op.n, op.len].map(|rows| sequence * rows);
        let [queries, keys] = before;
        let before = if size.keys() { [keys, queries] } else { before };
        let padded = (op.n + int(SUMS - 1)) & b.int(-i64::from(SUMS));
        // Of causal works the longest first: those of the last queries, and of the first keys.
        let x = if size.keys() { x } else { b.special(Special::NctaidX) - int(1) - x };
        let first = x * int(ALL);
        let (start, end, heads) = if size.keys() {
            // Queries before the first see none of the keys, and none from the last on.
            let last = (first + int(ALL)).least(op.len);
            let from = Heads::<F32>::less(first + op.n, op.end).least(op.n);
            let every = op.causal.compare(Cmp::Eq, int(0));
            let far = op.window.compare(Cmp::Ge, op.len + op.n);
            let to = Heads::<F32>::less(last + op.window.least(op.len + op.n) + op.n, op.end + int(1));
            // Whole tiles of the sums.
            let from = Value::select(every, int(0), from & b.int(-i64::from(size.tile)));
            (from, Value::select(far, op.n, to.least(op.n)), op.group)
        } else {
            let last = (first + int(ALL)).least(op.n) - int(1);
            let ([start, _], [_, end]) = (op.of_query(first), op.of_query(last));
            (start, end, int(1))
        };
        let tiles = (Heads::<F32>::less(end, start) + int(size.tile - 1)) >> int(size.tile.ilog2());
        Self {
            b,
            size,
            own,
            others,
            empty: b.shared(8 * STAGES, 8),
            sums,
            out,
            op,
            thread: b.special(Special::TidX),
            first,
            head,
            before,
            sequence,
            queries: padded * b.special(Special::NctaidZ),
            start,
            tiles,
            heads,
        }
    }

    fn int(&self, v: u32) -> Value<'b, U32> {
        self.b.int(i64::from(v))
    }

    fn run(&self) {
        let (k, b) = (self, self.b);
        b.when(k.thread.compare(Cmp::Eq, b.int(0)), || {
            let init = |at: Value<'b, U32>, count: u32| {
                b.hopper(Hopper::BarrierInit, &[at.into(), k.int(count).into()]);
            };
            k.own.full.iter().for_each(|full| init(*full, 1));
            for at in (0..STAGES).map(|s| k.int(8 * s)) {
                k.others.full.iter().for_each(|full| init(*full + at, 1));
                init(k.empty + at, 8);
            }
            b.hopper(Hopper::ProxyFence, &[]);
            let maps = k.own.maps.iter().chain(&k.others.maps);
            maps.for_each(|map| b.hopper(Hopper::MapPrefetch, &[(*map).into()]));
        });
        b.barrier();
        b.hopper(Hopper::Await, &[]);
        let loads = (k.thread >> b.int::<U32>(7)).compare(Cmp::Eq, b.int(0));
        let [few, many] = GroupSlopes::registers();
        b.either::<U32, 0>(
            loads,
            || {
                b.hopper(Hopper::MaxRegisters { more: false, count: few }, &[]);
                b.when(k.thread.compare(Cmp::Eq, b.int(0)), || k.load());
                []
            },
            || {
                b.hopper(Hopper::MaxRegisters { more: true, count: many }, &[]);
                k.multiply();
                []
            },
        );
    }

    /// The first row of the tile of a turn, and its head.
    fn tile(&self, turn: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let (head, tile) = match self.size.keys() {
            true => (self.head * self.op.group + turn / self.tiles, turn % self.tiles),
            false => (self.head / self.op.group, turn),
        };
        [self.start + tile * self.int(self.size.tile), head]
    }

    /// One thread loads the rows of the block, and tiles as stages of the ring are free.
    fn load(&self) {
        let (b, slabs) = (self.b, slabs(self.size.dim));
        let Pair { maps, bases, full, rows } = self.own;
        for ((map, base), full) in maps.into_iter().zip(bases).zip(full) {
            b.hopper(Hopper::BarrierExpect, &[full.into(), self.int(rows * slabs * SLAB).into()]);
            load_tile(map, base, full, [self.first, self.head, self.sequence], [rows, slabs]);
        }
        let Pair { maps, bases, full, rows } = self.others;
        b.count::<U32, U32>([self.int(0), self.tiles * self.heads, self.int(1)], 1, &[], |turn, _| {
            let ([stage, parity], [row, head]) = (stage(turn, STAGES), self.tile(turn));
            let barrier = stage * self.int(8);
            wait(self.empty + barrier, parity ^ self.int(1));
            for ((map, base), full) in maps.into_iter().zip(bases).zip(full) {
                let (full, bytes) = (full + barrier, self.int(rows * slabs * SLAB));
                b.hopper(Hopper::BarrierExpect, &[full.into(), bytes.into()]);
                load_tile(map, base + stage * bytes, full, [row, head, self.sequence], [rows, slabs]);
            }
            Vec::new()
        });
    }

    fn multiply(&self) {
        let (b, op, size) = (self.b, self.op, self.size);
        let group = (self.thread >> self.int(7)) - self.int(1);
        let (warp, lane) = ((self.thread >> self.int(5)) & self.int(3), self.thread & self.int(31));
        let row = self.first + group * self.int(ROWS) + warp * self.int(16) + (lane >> self.int(2));
        let rows = [row, row + self.int(8)];
        let zero = b.f32(0.0);
        let (padded, [own_before, before]) = (self.queries, self.before);
        // Of a block of queries, the sums of this thread's.
        let known = rows.map(|row| {
            [0, 1].map(|k| match size.keys() {
                true => zero,
                false => {
                    let of_head = (self.head * self.int(2) + self.int(k)) * padded;
                    get::<F32>(self.sums, of_head + own_before + row)
                }
            })
        });
        self.own.full.iter().for_each(|full| wait(*full, b.int(0)));
        let own = self.own.bases.map(|base| base + group * self.int(ROWS * SLAB));
        let each = size.dim as usize / 2;
        let has_slopes = size.of != Slopes::Values;
        let has_weights = matches!(size.of, Slopes::Both | Slopes::Values);
        let zeros: Vec<_> = (0..each * self.out.len()).map(|_| zero).collect();
        let range = [self.int(0), self.tiles * self.heads, self.int(1)];
        let all = b.count::<U32, F32>(range, 1, &zeros, |turn, sums| {
            let ([stage, parity], [first, of]) = (stage(turn, STAGES), self.tile(turn));
            let barrier = stage * self.int(8);
            let summed = of * self.int(2) * padded + before + first;
            let bases =
                self.others.bases.map(|base| base + stage * self.int(size.tile * slabs(size.dim) * SLAB));
            let [x, y] = self.others.full.map(|full| full + barrier);
            wait(x, parity);
            b.hopper(Hopper::GroupFence, &[]);
            let scores = products((own[0], ALL), (bases[0], size.tile), size.dim);
            wait(y, parity);
            let along = match has_slopes {
                true => products((own[1], ALL), (bases[1], size.tile), size.dim),
                false => Vec::new(),
            };
            b.hopper(Hopper::GroupWait(u8::from(has_slopes)), &[]);
            let (to_slopes, to_weights) = sums.split_at(if has_slopes { each } else { 0 });
            let of = |which: usize| {
                let columns = if size.keys() {
                    self.columns(summed + padded * self.int(which as u32))
                } else {
                    Vec::new()
                };
                move |k: usize| match size.keys() {
                    true => columns.get(k / 4 * 2 + k % 2).copied().unwrap_or(zero),
                    false => known.get(k / 2 % 2).and_then(|two| two.get(which)).copied().unwrap_or(zero),
                }
            };
            let logs = of(0);
            let unit = op.scale * b.f32(core::f32::consts::LOG2_E);
            let weights: Vec<_> =
                scores.iter().enumerate().map(|(k, s)| s.fma(unit, -logs(k)).approx(Approx::Ex2)).collect();
            b.hopper(Hopper::GroupWait(0), &[]);
            let means = of(1);
            let slopes: Vec<_> = weights
                .iter()
                .zip(&along)
                .enumerate()
                .map(|(k, (w, along))| *w * (*along - means(k)))
                .collect();
            let many = slopes.len();
            let of = if has_weights { [slopes, weights].concat() } else { slopes };
            let of = round(&self.hide(&of, scores.len(), first, rows));
            let (slopes, weights) = of.split_at(many / 2);
            b.hopper(Hopper::GroupFence, &[]);
            let mut sums = Vec::new();
            if has_weights {
                sums = add_rows((bases[1], size.tile), size.dim, weights, to_weights);
            }
            let mut all = match has_slopes {
                true => add_rows((bases[0], size.tile), size.dim, slopes, to_slopes),
                false => Vec::new(),
            };
            all.extend(sums);
            b.hopper(Hopper::GroupCommit, &[]);
            b.hopper(Hopper::GroupWait(0), &[]);
            arrive(self.thread, self.empty + barrier);
            all
        });
        let limit = if size.keys() { op.len } else { op.n };
        for (j, (out, sums)) in self.out.iter().zip(all.chunks(each)).enumerate() {
            let by = if j == 0 && has_slopes { op.scale } else { b.f32(1.0) };
            let columns = Columns::new(&op, *out, self.head, self.thread, size.dim);
            for (r, row) in rows.into_iter().enumerate() {
                let places = sums.iter().enumerate().filter(|(k, _)| k / 2 % 2 == r);
                let line: Vec<_> = places.map(|(k, v)| ((k / 4 * 8 + k % 2) as u32, *v * by)).collect();
                b.when(row.compare(Cmp::Lt, limit), || columns.put(own_before + row, &line));
            }
        }
    }

    /// Of a tile of queries, the log-sum-exps or means of this thread's columns, which start at this place of the sums.
    fn columns(&self, start: Value<'b, U32>) -> Vec<Value<'b, F32>> {
        let (b, tile) = (self.b, self.size.tile);
        let lane = start + (self.thread & self.int(3)) * self.int(2);
        let from = at::<F32>(self.sums, lane);
        let pairs = (0..tile / 8).flat_map(|j| b.load_vector::<F32, 2>(Space::Global, from, 32 * j as i32));
        pairs.collect()
    }

    /// Slopes of a tile whose first row is this, so many, and weights if there are some, without those of keys that queries
    /// do not see.
    fn hide(
        &self,
        all: &[Value<'b, F32>],
        many: usize,
        first: Value<'b, U32>,
        rows: [Value<'b, U32>; 2],
    ) -> Vec<Value<'b, F32>> {
        let (b, op, one) = (self.b, self.op, self.int(1));
        let end = first + self.int(self.size.tile);
        // The queries and keys at hand.
        let own_end = self.first + self.int(ALL);
        let [(query, query_end), (key, key_end)] = match self.size.keys() {
            true => [(first, end), (self.first, own_end.least(op.len))],
            false => [(self.first, own_end), (first, end)],
        };
        let ([_, plain_to], [plain_from, _]) = (op.of_query(query), op.of_query(query_end.least(op.n) - one));
        let whole: Value<'b, Pred> = plain_from.compare(Cmp::Le, key) & key_end.compare(Cmp::Le, plain_to);
        let lane = first + (self.thread & self.int(3)) * self.int(2);
        let masked = || {
            let column = |k: usize| lane + self.int((k / 4 * 8 + k % 2) as u32);
            let seen_by = |i: Value<'b, U32>| op.of_query(i.least(op.n - one));
            let of_rows = rows.map(|row| if self.size.keys() { [row; 2] } else { seen_by(row) });
            let of_columns: Vec<[Value<'b, U32>; 2]> = (0..many / 2)
                .map(|c| column(c / 2 * 4 + c % 2))
                .map(|c| if self.size.keys() { seen_by(c) } else { [c; 2] })
                .collect();
            let none = [first; 2];
            let seen: Vec<Value<'b, Pred>> = (0..many)
                .map(|k| {
                    let r = of_rows.get(k / 2 % 2).copied().unwrap_or(none);
                    let c = of_columns.get(k / 4 * 2 + k % 2).copied().unwrap_or(none);
                    let ([from, to], [j, _]) = if self.size.keys() { (c, r) } else { (r, c) };
                    from.compare(Cmp::Le, j) & j.compare(Cmp::Lt, to)
                })
                .collect();
            let zero = b.f32(0.0);
            all.iter().zip(seen.iter().cycle()).map(|(v, seen)| Value::select(*seen, *v, zero)).collect()
        };
        b.unless(all, !whole, masked)
    }
}
