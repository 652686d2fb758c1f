//! FlashAttention-3 (Shah et al. 2024) on Hopper's warp groups: a producer warp loads tiles of K and V by TMA into
//! rings in shared memory, consumer groups multiply. The softmax of one group overlaps the products of the other, and its own
//! products of the tile before; weights go from accumulators to operands in registers.

use super::super::super::builder::{Builder, Value};
use super::super::super::error::Error;
use super::super::super::ir::{Approx, Cmp, Hopper, Kernel, Rmw, Shuffle, Space, Special};
use super::super::super::types::{F32, Pred, U32, U64};
use super::super::attention::{Heads, On, Scores};
use super::super::flat::put;
use super::plan::{GroupFlash, ROWS, STAGES, slabs};
use super::tiles::{Columns, add_rows, arrive, load_tile, products, round, stage};
use super::{SLAB, wait};
use crate::alu::{Alu, Body};
use crate::nn::shift;
use crate::pointwise::Ln;
use alloc::format;
use alloc::vec::Vec;

/// Barriers, and what they guard: a stage has come, or is free.
#[derive(Clone, Copy)]
struct Ring<'b> {
    base: Value<'b, U32>,
    full: Value<'b, U32>,
    empty: Value<'b, U32>,
}

struct Frame<'b> {
    b: &'b Builder,
    size: GroupFlash,
    maps: [Value<'b, U64>; 3],
    out: On<'b>,
    lse: Value<'b, U64>,
    op: Heads<'b, F32>,
    queries: Ring<'b>,
    keys: Ring<'b>,
    values: Ring<'b>,
    /// Heads, those of all sequences, whose queries are taken one after the other, the last of each first.
    together: Value<'b, U32>,
    /// Sequences.
    batch: Value<'b, U32>,
    /// How many works blocks took beyond their first; 0 where each has but one.
    taken: Value<'b, U64>,
    /// The work whose queries are in shared memory.
    own: Value<'b, U32>,
    thread: Value<'b, U32>,
}

/// The queries that a block takes at a time.
#[derive(Clone, Copy)]
struct Work<'b> {
    sequence: Value<'b, U32>,
    head: Value<'b, U32>,
    /// Of the sequence the first query; the first key that one of them sees, and the tiles from there.
    first: Value<'b, U32>,
    start: Value<'b, U32>,
    tiles: Value<'b, U32>,
    /// Where tiles begin and end that all queries see whole.
    plain: [Value<'b, U32>; 2],
    /// Tiles of the block before.
    turn: Value<'b, U32>,
}

/// What a thread keeps of its two rows: weighted values, weights of a tile in `bf16`, peaks, its part of the sums.
struct State<'b> {
    sums: Vec<Value<'b, F32>>,
    weights: Vec<Value<'b, F32>>,
    peaks: [Value<'b, F32>; 2],
    totals: [Value<'b, F32>; 2],
}

/// `out[i] = Σ_j w[j]·v[j]`, as [`attention`](crate::attention()), of `bf16`, for a scale above 0 and heads of as many elements as the kernel has, or up to
/// 15 fewer; weights are rounded to `bf16`.
///
/// Parameters: tensor maps of Q (boxes of the block's queries), K and V (of the tile's keys), all 64 columns wide and swizzled, of a head's
/// columns, rows, heads and sequences;
/// `out` (`F32`) and its strides; `lse`; queries, keys, query heads, those that share a key head, elements of a head,
/// whether later keys are hidden, the window; the scale; heads, those of all sequences, whose queries are taken one after the
/// other, the last of each first; sequences; the address of a zero, where there are more works than blocks, or 0. Any number of blocks along x.
pub fn group_flash(size: GroupFlash) -> Result<Kernel, Error> {
    let b = Builder::new(&format!("group_flash_bf16_{}_{}", size.dim, size.groups));
    b.threads([size.threads(), 1, 1]);
    // One block: `setmaxnreg` is ignored where an assembler does not know what threads have at the start.
    b.resident(1);
    Frame::new(&b, size).run();
    b.finish()
}

impl<'b> Frame<'b> {
    fn new(b: &'b Builder, size: GroupFlash) -> Self {
        let slabs = slabs(size.dim);
        let ring = |rows: u32, stages: u32| Ring {
            base: b.shared(stages * rows * slabs * SLAB, 1024),
            full: b.shared(8 * stages, 8),
            empty: b.shared(8 * stages, 8),
        };
        let maps = b.params();
        let [out] = On::params(b);
        Self {
            b,
            size,
            maps,
            out,
            lse: b.param(),
            op: Heads::params(b, Scores::default()),
            queries: ring(size.queries(), 1),
            keys: ring(size.keys, STAGES),
            values: ring(size.keys, STAGES),
            together: b.param(),
            batch: b.param(),
            taken: b.param(),
            own: b.shared(4, 4),
            thread: b.special(Special::TidX),
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
            for (ring, stages) in [(k.queries, 1), (k.keys, STAGES), (k.values, STAGES)] {
                for at in (0..stages).map(|s| k.int(8 * s)) {
                    init(ring.full + at, 1);
                    init(ring.empty + at, 4 * k.size.groups);
                }
            }
            b.hopper(Hopper::ProxyFence, &[]);
            k.maps.iter().for_each(|map| b.hopper(Hopper::MapPrefetch, &[(*map).into()]));
        });
        b.barrier();
        b.hopper(Hopper::Await, &[]);
        let [few, many] = k.size.registers();
        let loads = (k.thread >> b.int::<U32>(7)).compare(Cmp::Eq, b.int(0));
        b.either::<U32, 0>(
            loads,
            || {
                b.hopper(Hopper::MaxRegisters { more: false, count: few }, &[]);
                b.when(k.thread.compare(Cmp::Eq, b.int(0)), || k.loads());
                []
            },
            || {
                b.hopper(Hopper::MaxRegisters { more: true, count: many }, &[]);
                k.multiplies();
                []
            },
        );
    }

    /// Blocks of queries of a head.
    fn across(&self) -> Value<'b, U32> {
        (self.op.n + self.int(self.size.queries() - 1)) / self.int(self.size.queries())
    }

    /// The blocks of queries of all heads and sequences.
    fn works(&self) -> Value<'b, U32> {
        self.across() * self.op.heads * self.batch
    }

    /// The work of this number; those of some heads go round by their length, the longest first.
    fn work(&self, i: Value<'b, U32>, turn: Value<'b, U32>) -> Work<'b> {
        let (op, one, many, across) = (self.op, self.int(1), self.int(self.size.queries()), self.across());
        let each = self.together * across;
        let (from, inside) = (i / each * self.together, i % each);
        let heads = self.together.least(op.heads * self.batch - from);
        let (head, tile) = (from + inside % heads, across - one - inside / heads);
        let (sequence, head) = (head / op.heads, head % op.heads);
        let first = tile * many;
        let last = (first + many).least(op.n) - one;
        let ([start, plain_to], [plain_from, end]) = (op.of_query(first), op.of_query(last));
        let tiles =
            (Heads::<F32>::less(end, start) + self.int(self.size.keys - 1)) / self.int(self.size.keys);
        // Queries that see nothing see a tile that is hidden.
        Work { sequence, head, first, start, tiles: tiles.most(one), plain: [plain_from, plain_to], turn }
    }

    /// One thread takes works, the first by the block's number and then the next that is left, and keeps the rings full; it
    /// says which beside the queries.
    fn loads(&self) {
        let (b, one, zero) = (self.b, self.int(1), self.int(0));
        let (all, blocks) = (self.works(), b.special(Special::NctaidX));
        b.repeat([b.special(Special::CtaidX), zero, zero], |[i, turn, round]| {
            wait(self.queries.empty, (round & one) ^ one);
            b.store(Space::Shared, self.own, 0, i);
            let more = i.compare(Cmp::Lt, all);
            let next = b.either(
                more,
                || {
                    let work = self.work(i, turn);
                    self.load(work);
                    let [next] = b.either(
                        self.taken.compare(Cmp::Ne, b.int(0)),
                        || [blocks + b.atomic(Space::Global, Rmw::Add, self.taken, one)],
                        || [all],
                    );
                    [next, turn + work.tiles, round + one]
                },
                || {
                    b.hopper(Hopper::BarrierExpect, &[self.queries.full.into(), zero.into()]);
                    [i, turn, round]
                },
            );
            (more, next)
        });
    }

    /// The other threads multiply what comes. Which, a lane reads for its warp: the one that says when it has been read.
    fn multiplies(&self) {
        let (b, one, zero, all) = (self.b, self.int(1), self.int(0), self.works());
        b.repeat([zero; 2], |[turn, round]| {
            wait(self.queries.full, round & one);
            let leads = (self.thread & self.int(31)).compare(Cmp::Eq, zero);
            let [i] = b.either(leads, || [b.load::<U32>(Space::Shared, self.own, 0)], || [zero]);
            let i = i.shuffle(Shuffle::Index, zero);
            let more = i.compare(Cmp::Lt, all);
            let [turn] = b.either(
                more,
                || {
                    let work = self.work(i, turn);
                    self.multiply(work);
                    [turn + work.tiles]
                },
                || [turn],
            );
            (more, [turn, round + one])
        });
    }

    /// Asks for a tile, which is all that its barrier waits for.
    fn ask(
        &self,
        map: Value<'b, U64>,
        base: Value<'b, U32>,
        full: Value<'b, U32>,
        at: [Value<'b, U32>; 3],
        rows: u32,
    ) {
        let slabs = slabs(self.size.dim);
        self.b.hopper(Hopper::BarrierExpect, &[full.into(), self.int(rows * slabs * SLAB).into()]);
        load_tile(map, base, full, at, [rows, slabs]);
    }

    /// Asks for the queries of a work, and for its keys and values as there is room.
    fn load(&self, work: Work<'b>) {
        let (b, one) = (self.b, self.int(1));
        let [q, k, v] = self.maps;
        let corner = [work.first, work.head, work.sequence];
        self.ask(q, self.queries.base, self.queries.full, corner, self.size.queries());
        let head = work.head / self.op.group;
        b.count::<U32, U32>([self.int(0), work.tiles, one], 1, &[], |tile, _| {
            let [stage, parity] = stage(work.turn + tile, STAGES);
            let row = work.start + tile * self.int(self.size.keys);
            for (ring, map) in [(self.keys, k), (self.values, v)] {
                let barrier = stage * self.int(8);
                wait(ring.empty + barrier, parity ^ one);
                let base = self.at(ring, stage);
                self.ask(map, base, ring.full + barrier, [row, head, work.sequence], self.size.keys);
            }
            Vec::new()
        });
    }

    /// Where a stage of a ring of keys or values is.
    fn at(&self, ring: Ring<'b>, stage: Value<'b, U32>) -> Value<'b, U32> {
        ring.base + stage * self.int(self.size.keys * slabs(self.size.dim) * SLAB)
    }

    /// A stage of a ring can be filled again.
    fn free(&self, ring: Ring<'b>, turn: Value<'b, U32>) {
        let [stage, _] = stage(turn, STAGES);
        arrive(self.thread, ring.empty + stage * self.int(8));
    }

    /// The scores of a tile, under way.
    fn scores(&self, group: Value<'b, U32>, turn: Value<'b, U32>) -> Vec<Value<'b, F32>> {
        let b = self.b;
        let [stage, parity] = stage(turn, STAGES);
        wait(self.keys.full + stage * self.int(8), parity);
        b.hopper(Hopper::GroupFence, &[]);
        let base = self.at(self.keys, stage);
        let queries = self.queries.base + group * self.int(ROWS * SLAB);
        products((queries, self.size.queries()), (base, self.size.keys), self.size.dim)
    }

    /// Adds a tile's values times its weights, under way.
    fn add(
        &self,
        turn: Value<'b, U32>,
        weights: &[Value<'b, F32>],
        sums: &[Value<'b, F32>],
    ) -> Vec<Value<'b, F32>> {
        let b = self.b;
        let [stage, _] = stage(turn, STAGES);
        let base = self.at(self.values, stage);
        let sums = add_rows((base, self.size.keys), self.size.dim, weights, sums);
        b.hopper(Hopper::GroupCommit, &[]);
        sums
    }

    /// Waits for a tile of values.
    fn came(&self, turn: Value<'b, U32>) {
        let [stage, parity] = stage(turn, STAGES);
        wait(self.values.full + stage * self.int(8), parity);
    }

    /// What the four threads of a row have together.
    fn along(
        &self,
        v: Value<'b, F32>,
        merge: impl Fn(Value<'b, F32>, Value<'b, F32>) -> Value<'b, F32>,
    ) -> Value<'b, F32> {
        [2, 1].into_iter().fold(v, |v, by| merge(v, v.shuffle(Shuffle::Butterfly, self.int(by))))
    }

    /// The weights of a tile's scores, the peaks and sums with them, and what all before is multiplied with.
    fn weigh(
        &self,
        work: Work<'b>,
        scores: &[Value<'b, F32>],
        tile: Value<'b, U32>,
        rows: [Value<'b, U32>; 2],
        peaks: [Value<'b, F32>; 2],
        totals: [Value<'b, F32>; 2],
    ) -> (State<'b>, [Value<'b, F32>; 2]) {
        let b = self.b;
        let none = b.f32(f32::NEG_INFINITY);
        let keys = self.int(self.size.keys);
        let first = work.start + tile * keys;
        let [from, to] = work.plain;
        let whole = from.compare(Cmp::Le, first) & (first + keys).compare(Cmp::Le, to);
        let masked = || {
            let seen = rows.map(|row| self.op.of_query(row.least(self.op.n - self.int(1))));
            let lane = first + (self.thread & self.int(3)) * self.int(2);
            let hide = |(k, score): (usize, &Value<'b, F32>)| {
                let [start, end] = seen.get(k / 2 % 2).copied().unwrap_or(work.plain);
                let j = lane + self.int((k / 4 * 8 + k % 2) as u32);
                let sees = start.compare(Cmp::Le, j) & j.compare(Cmp::Lt, end);
                Value::select(sees, *score, none)
            };
            scores.iter().enumerate().map(hide).collect()
        };
        let mut scores = b.unless(scores, !whole, masked);
        let unit = self.op.scale * b.f32(core::f32::consts::LOG2_E);
        let mut state = State { sums: Vec::new(), weights: Vec::new(), peaks, totals };
        let mut keep = [none; 2];
        let own = state.peaks.iter_mut().zip(&mut state.totals).zip(&mut keep).enumerate();
        for (r, ((peak, total), keep)) in own {
            let line = || (0..scores.len()).filter(|k| k / 2 % 2 == r);
            // NaN is not in the peak, but in the sum.
            let top = line().filter_map(|k| scores.get(k).copied()).fold(none, |top, s| top.most(s));
            let top = peak.most(self.along(top, |p, q| p.most(q)));
            let level = shift(top) * unit;
            *keep = peak.fma(unit, -level).approx(Approx::Ex2);
            let places: Vec<usize> = line().collect();
            let mut parts = [b.f32(0.0); 2];
            for (e, k) in places.into_iter().enumerate() {
                if let (Some(s), Some(part)) = (scores.get_mut(k), parts.get_mut(e % 2)) {
                    *s = s.fma(unit, -level).approx(Approx::Ex2);
                    *part = *part + *s;
                }
            }
            let [even, odd] = parts;
            *total = total.fma(*keep, even + odd);
            *peak = top;
        }
        state.weights = scores;
        (state, keep)
    }

    fn multiply(&self, work: Work<'b>) {
        let b = self.b;
        let group = (self.thread >> self.int(7)) - self.int(1);
        let (warp, lane) = ((self.thread >> self.int(5)) & self.int(3), self.thread & self.int(31));
        let row = work.first + group * self.int(ROWS) + warp * self.int(16) + (lane >> self.int(2));
        let rows = [row, row + self.int(8)];
        let (zero, none) = (b.f32(0.0), b.f32(f32::NEG_INFINITY));
        let scores = self.scores(group, work.turn);
        b.hopper(Hopper::GroupWait(0), &[]);
        self.free(self.keys, work.turn);
        let (mut state, _) = self.weigh(work, &scores, self.int(0), rows, [none; 2], [zero; 2]);
        self.came(work.turn);
        state.weights = round(&state.weights);
        state.sums = (0..self.size.dim / 2).map(|_| zero).collect();
        let (many, held) = (self.size.dim as usize / 2, self.size.keys as usize / 4);
        let unpack = |all: &[Value<'b, F32>]| {
            let at = |k: usize| all.get(k).copied().unwrap_or(zero);
            let end = many + held;
            State {
                sums: all.get(..many).unwrap_or_default().to_vec(),
                weights: all.get(many..end).unwrap_or_default().to_vec(),
                peaks: [at(end), at(end + 1)],
                totals: [at(end + 2), at(end + 3)],
            }
        };
        let pack = |s: State<'b>| [&s.sums[..], &s.weights, &s.peaks, &s.totals].concat();
        let range = [self.int(1), work.tiles, self.int(1)];
        let all = b.count::<U32, F32>(range, 1, &pack(state), |tile, all| {
            let (before, turn) = (unpack(all), work.turn + tile);
            let last = turn - self.int(1);
            let scores = self.scores(group, turn);
            let sums = self.add(last, &before.weights, &before.sums);
            b.hopper(Hopper::GroupWait(1), &[]);
            self.free(self.keys, turn);
            let (mut state, keep) = self.weigh(work, &scores, tile, rows, before.peaks, before.totals);
            // The assembler moves the next instruction up to the last loop: to be behind the weights it needs one here.
            self.came(turn);
            b.hopper(Hopper::GroupWait(0), &[]);
            self.free(self.values, last);
            state.weights = round(&state.weights);
            let [upper, lower] = keep;
            let factor = |k: usize| if (k / 2).is_multiple_of(2) { upper } else { lower };
            state.sums = sums.iter().enumerate().map(|(k, s)| *s * factor(k)).collect();
            pack(state)
        });
        arrive(self.thread, self.queries.empty);
        let state = unpack(&all);
        let last = work.turn + work.tiles - self.int(1);
        b.hopper(Hopper::GroupFence, &[]);
        let sums = self.add(last, &state.weights, &state.sums);
        b.hopper(Hopper::GroupWait(0), &[]);
        self.free(self.values, last);
        self.finish(work, rows, &State { sums, ..state });
    }

    fn finish(&self, work: Work<'b>, rows: [Value<'b, U32>; 2], state: &State<'b>) {
        let (b, op) = (self.b, self.op);
        let (zero, none) = (b.f32(0.0), b.f32(f32::NEG_INFINITY));
        let columns = Columns::new(&op, self.out, work.head, self.thread, self.size.dim);
        for (r, row) in rows.into_iter().enumerate() {
            let [peak, total] = [state.peaks, state.totals].map(|two| two.get(r).copied().unwrap_or(zero));
            let total = self.along(total, |p, q| p + q);
            let empty: Value<'b, Pred> = total.eq(zero);
            let factor = total.approx(Approx::Rcp);
            let places = || state.sums.iter().enumerate().filter(|(k, _)| k / 2 % 2 == r);
            let line: Vec<(u32, Value<'b, F32>)> = places()
                .map(|(k, v)| ((k / 4 * 8 + k % 2) as u32, Value::select(empty, zero, *v * factor)))
                .collect();
            b.when(row.compare(Cmp::Lt, op.n), || {
                let row = work.sequence * op.n + row;
                columns.put(row, &line);
                b.when((self.thread & self.int(3)).compare(Cmp::Eq, b.int(0)), || {
                    let log = (shift(peak) * op.scale) + Ln.eval([total]);
                    put(self.lse, row * op.heads + work.head, Value::select(empty, none, log));
                });
            });
        }
    }
}
