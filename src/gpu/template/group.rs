//! GEMM on Hopper's warp groups (WGMMA): a producer warp loads tiles by TMA into a ring in shared memory, the others multiply.
//! Sizes, strides and factors are arguments: one kernel serves every shape.
//!
//! An `f32` operand is three `bf16` numbers of eight bits each ([`super::triple`]), whose six largest products give the
//! precision of `f32`.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Group, Hopper, Kernel, Special};
use super::super::types::{F32, Number, Pred, Stored, Type, U32, U64};
use super::flat::get;
use crate::alu::{Body as _, Formula};
use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

mod epilogue;
pub(crate) mod flash;
pub(crate) mod plan;
pub(crate) mod slopes;
mod tiles;

pub use epilogue::Along;
use epilogue::Ending;

/// Bytes of a row of a tile in shared memory: what a swizzle reaches over.
const SLAB: u32 = 128;
/// Columns of a box of 16-bit elements: such a row.
const COLS: u32 = 64;
/// Threads of a warp group.
const GROUP: u32 = 128;
/// The parameter that points to C.
const C: u32 = 2;
/// Rows of tiles that blocks take together, so that they share what they read.
const BAND: u32 = 16;

/// The tile of a product of warp groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupTile {
    /// Rows of the result: 64 or 128 for each group.
    pub m: u32,
    /// Columns: a multiple of 8 up to 256.
    pub n: u32,
    /// Slabs of 128 bytes of depth in the ring.
    pub stages: u32,
    /// Warp groups that multiply.
    pub groups: u32,
}

impl GroupTile {
    /// Tiles that the planner chooses from.
    pub const ALL: [Self; 9] = [
        Self { m: 128, n: 256, stages: 4, groups: 2 },
        Self { m: 128, n: 192, stages: 5, groups: 2 },
        Self { m: 256, n: 128, stages: 4, groups: 2 },
        Self { m: 128, n: 128, stages: 6, groups: 2 },
        Self { m: 128, n: 96, stages: 4, groups: 2 },
        Self { m: 128, n: 64, stages: 4, groups: 2 },
        Self { m: 64, n: 128, stages: 4, groups: 1 },
        Self { m: 64, n: 64, stages: 6, groups: 1 },
        Self { m: 64, n: 32, stages: 8, groups: 1 },
    ];

    /// That of [`triple_gemm`]: two stages fill the shared memory.
    pub const TRIPLE: Self = Self { m: 128, n: 128, stages: 2, groups: 2 };

    /// Another number for each tile.
    pub(in super::super) const fn number(self) -> u32 {
        self.m << 20 | self.n << 8 | self.stages << 4 | self.groups
    }

    /// Whether two blocks have registers on a multiprocessor.
    const fn is_light(self) -> bool {
        self.m * self.n / self.groups <= 64 * 96 && self.threads() == 3 * GROUP
    }

    /// Whether a thread has registers for the products of a slab beside its sums.
    pub(in super::super) const fn holds_slabs(self) -> bool {
        self.m * self.n / self.groups <= 64 * 192
    }

    /// Threads of a block.
    #[must_use]
    pub const fn threads(self) -> u32 {
        GROUP * (self.groups + 1)
    }

    fn check(self) -> Result<(), Error> {
        let rule = "64 or 128 rows a group, columns by 8 up to 256, at most 16384 sums a group, 2 to 8 stages, 1 or 2 groups";
        let rows = self.m.checked_div(self.groups).unwrap_or(0);
        let fits = matches!(rows, 64 | 128)
            && rows * self.groups == self.m
            && (8..=256).contains(&self.n)
            && self.n.is_multiple_of(8)
            && rows * self.n <= 16384
            && (2..=8).contains(&self.stages)
            && matches!(self.groups, 1 | 2);
        if fits { Ok(()) } else { Err(Error::Tile { rule }) }
    }
}

/// What a tile is summed in.
trait Sum: Number + Stored {
    /// α or β.
    fn factor(word: Value<'_, U32>) -> Value<'_, Self>;
    /// One or two neighbours of C.
    fn read<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32) -> [Value<'b, Self>; N];
    /// Writes what [`read`](Self::read) reads.
    fn write<'b, const N: usize>(frame: &Frame<'b>, at: Value<'b, U64>, offset: i32, v: [Value<'b, Self>; N]);
    /// What the kernel's end makes of neighbours in this row, of which the first is so far from this column.
    fn end<'b, const N: usize>(
        _: &Frame<'b>,
        v: [Value<'b, Self>; N],
        _: [Value<'b, U32>; 2],
        _: i32,
    ) -> [Value<'b, Self>; N] {
        v
    }
    /// Sums times α on their way to memory: of this row and column, the tile's first column is `left`.
    fn finish<'b>(
        frame: &Frame<'b>,
        sums: &[Value<'b, Self>],
        place: [Value<'b, U32>; 2],
        left: Value<'b, U32>,
    ) {
        frame.by_pairs(sums, place, left);
    }
}

/// The products of three parts of A and of B that `f32` shows, the smallest first.
const PRODUCTS: [[u32; 2]; 6] = [[0, 2], [2, 0], [1, 1], [0, 1], [1, 0], [0, 0]];

/// `C ← α·A·B + β·C`, with A of m × k and B of n × k, both with the depth along their rows, and C row by row. Of 16 bits, A
/// or B may have its depth `across` its rows (k × m, k × n); for such a B tiles have a multiple of 64 columns.
///
/// Parameters: tensor maps of A and B (boxes of the tile's rows and 128 bytes, swizzled; of 64 × 64 where the depth goes
/// across), C, its row distance in
/// elements (`U64`), m, n, slabs of depth, rows and columns of tiles (`U32`), α and β (`F32`; `U32` of integers, whose C
/// has 32 bits and is modulo 2³²); for blocks along z, as in
/// [`super::strided`]: slabs of a block, and elements from the sums of one to those of the next (`U32`). C is not read
/// where β is 0. The grid has any number of blocks along x.
///
/// With `shared` blocks along z share the depth of a tile (split-K), and the last of them that ends adds up the sums of all in
/// their order: two more parameters, for sums of whole tiles of all parts, and zeros, a word for each warp of each tile, which
/// are zeros again at the end.
///
/// Of 8-bit floats the products of each slab are added up before they are added to the others, as of these warp groups
/// keep 14 bits of a sum.
pub fn group_gemm(
    tile: GroupTile,
    input: Group,
    output: Type,
    across: [bool; 2],
    shared: bool,
) -> Result<Kernel, Error> {
    group_gemm_by((tile, input, output, across, shared), "", |_| None)
}

/// As [`group_gemm`], whose sums are `f32`, of what a formula makes of each element of `αAB + βC` and a bias. Further parameters:
/// the bias, if there is one, and those of the formula.
pub fn group_gemm_with<F: Formula<P, 1>, const P: usize>(
    (tile, input, output, across, shared): (GroupTile, Group, Type, [bool; 2], bool),
    bias: Option<Along>,
) -> Result<Kernel, Error> {
    if input.sums() != Type::F32 {
        return Err(Error::Operand { instruction: "st" });
    }
    let by = match bias {
        None => "",
        Some(Along::Rows) => "_row",
        Some(Along::Columns) => "_col",
    };
    group_gemm_by((tile, input, output, across, shared), &format!("{by}_{}", F::NAME), |b| {
        let bias = bias.map(|along| (b.param(), along));
        let body = F::body(b.numbers::<F32, P>());
        Some(Ending { bias, body: Box::new(move |v| body.eval([v])) })
    })
}

fn group_gemm_by(
    (tile, input, output, across, shared): (GroupTile, Group, Type, [bool; 2], bool),
    name: &str,
    ending: impl for<'b> FnOnce(&'b Builder) -> Option<Ending<'b>>,
) -> Result<Kernel, Error> {
    tile.check()?;
    let [a_across, b_across] = across;
    if (a_across || b_across) && input.depth() != 16 || b_across && !tile.n.is_multiple_of(COLS) {
        return Err(Error::Tile {
            rule: "16 bits where the depth goes across rows, and of B a multiple of 64 columns",
        });
    }
    let letters = match input {
        Group::F16 => "f16",
        Group::Bf16 => "bf16",
        Group::Tf32 => "tf32",
        Group::E4m3 => "e4m3",
        Group::S8 => "s8",
    };
    if input == Group::E4m3 && !tile.holds_slabs() {
        return Err(Error::Tile { rule: "of 8-bit floats a thread has registers for twice its sums" });
    }
    let to = match output {
        Type::U32 if input == Group::S8 => "s32",
        _ if input == Group::S8 => return Err(Error::Operand { instruction: "st" }),
        Type::F32 => "f32",
        Type::F16 => "f16",
        Type::Bf16 => "bf16",
        _ => return Err(Error::Operand { instruction: "st" }),
    };
    let GroupTile { m, n, stages, groups } = tile;
    let by = match across {
        [false, false] => "",
        [true, false] => "_tn",
        [false, true] => "_nn",
        [true, true] => "_tt",
    };
    let split = if shared { "_split" } else { "" };
    let b = Builder::new(&format!("group_gemm_{letters}_{to}_{m}x{n}_{stages}_{groups}{by}{split}{name}"));
    let mut frame = Frame::new(&b, tile, input, output, across, false);
    frame.shared = shared.then(|| Shared { sums: b.param(), ended: b.param() });
    frame.ending = ending(&b);
    frame.run();
    drop(frame);
    b.finish()
}

/// As [`group_gemm`], of `f32` in three parts of `bf16`: the maps are of three matrices below each other. Each slab's
/// products are added up before they are added to the others, as warp groups truncate their sums.
///
/// Further parameters: rows from part to part of A and of B (`U32`), and for each tile whether it is left out (words of
/// `U32`, row by row).
pub fn triple_gemm(tile: GroupTile) -> Result<Kernel, Error> {
    tile.check()?;
    let b = Builder::new(&format!("triple_gemm_{}x{}", tile.m, tile.n));
    Frame::new(&b, tile, Group::Bf16, Type::F32, [false; 2], true).run();
    b.finish()
}

/// What three parts need beyond one.
struct Triple<'b> {
    /// Rows from part to part.
    apart: [Value<'b, U32>; 2],
    /// Which tiles are left out.
    left_out: Value<'b, U64>,
}

/// What blocks that share a tile need.
struct Shared<'b> {
    /// The sums of each.
    sums: Value<'b, U64>,
    /// How many of them ended, for each warp.
    ended: Value<'b, U64>,
}

/// The descriptor of swizzled pieces of 8 rows of 128 bytes, one after the other, so many bytes apart the other way.
fn descriptor(at: Value<'_, U32>, apart: u32) -> Value<'_, U64> {
    let b = at.builder();
    let start = (at >> b.int::<U32>(4)) & b.int(0x3fff);
    start.to::<U64>() | b.bits(1 << 62 | 64 << 32 | u64::from(apart >> 4) << 16)
}

/// Until the phase of a barrier is over.
fn wait<'b>(barrier: Value<'b, U32>, parity: Value<'b, U32>) {
    let b = barrier.builder();
    b.repeat([parity], |[v]| (!b.try_wait(barrier, parity), [v]));
}

struct Frame<'b> {
    b: &'b Builder,
    tile: GroupTile,
    input: Group,
    output: Type,
    across: [bool; 2],
    maps: [Value<'b, U64>; 2],
    c: Value<'b, U64>,
    pitch: Value<'b, U64>,
    size: [Value<'b, U32>; 2],
    slabs: Value<'b, U32>,
    tiles: [Value<'b, U32>; 2],
    /// α and β, as the kernel gets them.
    factors: [Value<'b, U32>; 2],
    rings: [Value<'b, U32>; 2],
    full: Value<'b, U32>,
    empty: Value<'b, U32>,
    thread: Value<'b, U32>,
    /// The first slab of the block.
    slab: Value<'b, U32>,
    /// Whether the products of each slab are added up before they are added to the others.
    slabs_apart: bool,
    triple: Option<Triple<'b>>,
    shared: Option<Shared<'b>>,
    ending: Option<Ending<'b>>,
}

impl<'b> Frame<'b> {
    fn new(
        b: &'b Builder,
        tile: GroupTile,
        input: Group,
        output: Type,
        across: [bool; 2],
        triple: bool,
    ) -> Self {
        let GroupTile { m, n, stages, .. } = tile;
        b.threads([tile.threads(), 1, 1]);
        b.halves(if output == Type::Bf16 { 1 << C } else { 0 });
        let slabs_apart = triple || input == Group::E4m3;
        if tile.is_light() && !slabs_apart {
            b.resident(2);
        }
        let parts = if triple { 3 } else { 1 };
        let mut k = Self {
            b,
            tile,
            input,
            output,
            across,
            maps: [b.param(), b.param()],
            c: b.param(),
            pitch: b.param(),
            size: [b.param(), b.param()],
            slabs: b.param(),
            tiles: [b.param(), b.param()],
            factors: [b.param(), b.param()],
            rings: [m, n].map(|rows| b.shared(stages * parts * rows * SLAB, 1024)),
            full: b.shared(8 * stages, 8),
            empty: b.shared(8 * stages, 8),
            thread: b.special(Special::TidX),
            slab: b.int(0),
            slabs_apart,
            triple: None,
            shared: None,
            ending: None,
        };
        let (chunk, sums) = (b.param::<U32>(), b.param::<U32>());
        let z = b.special(Special::CtaidZ);
        k.slab = z * chunk;
        k.slabs = chunk.least(k.slabs - k.slab);
        k.c = k.c + (z * sums).wide(b.int(i64::from(output.bytes())));
        if triple {
            k.triple = Some(Triple { apart: [b.param(), b.param()], left_out: b.param() });
        }
        k
    }

    fn run(&self) {
        let (k, b) = (self, self.b);
        k.start();
        let loads = (k.thread >> b.int::<U32>(7)).compare(Cmp::Eq, b.int(0));
        b.either::<U32, 0>(
            loads,
            || {
                k.load();
                []
            },
            || {
                match k.input.sums() {
                    Type::F32 => k.multiply::<F32>(),
                    _ => k.multiply::<U32>(),
                }
                []
            },
        );
    }

    fn u(&self, v: u32) -> Value<'b, U32> {
        self.b.int(i64::from(v))
    }

    /// The barriers: one arrival fills a stage, with its bytes; every warp that multiplies empties it. All of it while
    /// the kernel before may still run.
    fn start(&self) {
        let b = self.b;
        b.when(self.thread.compare(Cmp::Eq, b.int(0)), || {
            for s in 0..self.tile.stages {
                let at = self.u(8 * s);
                b.hopper(Hopper::BarrierInit, &[(self.full + at).into(), self.u(1).into()]);
                let warps = self.u(4 * self.tile.groups);
                b.hopper(Hopper::BarrierInit, &[(self.empty + at).into(), warps.into()]);
            }
            b.hopper(Hopper::ProxyFence, &[]);
            self.maps.iter().for_each(|map| b.hopper(Hopper::MapPrefetch, &[(*map).into()]));
        });
        b.barrier();
        b.hopper(Hopper::Await, &[]);
    }

    /// The stage of a turn, and the parity of its phase.
    fn stage(&self, turn: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let stages = self.u(self.tile.stages);
        [turn % stages, (turn / stages) & self.u(1)]
    }

    /// For each tile of this block: its number, its first row and column; turns go on from tile to tile.
    fn each_tile(&self, body: impl FnOnce(Value<'b, U32>, [Value<'b, U32>; 2], Value<'b, U32>)) {
        let b = self.b;
        let [down, across] = self.tiles;
        let range = [b.special(Special::CtaidX), down * across, b.special(Special::NctaidX)];
        b.count(range, 1, &[self.u(0)], |t, turns| {
            let first_turn = turns.first().copied().unwrap_or(t);
            let band = across * self.u(BAND);
            let (first, inside) = (t / band * self.u(BAND), t % band);
            let rows = (down - first).least(self.u(BAND));
            let [row, col] = [first + inside % rows, inside / rows];
            let corner = [row * self.u(self.tile.m), col * self.u(self.tile.n)];
            let Some(triple) = &self.triple else {
                body(t, corner, first_turn);
                return Vec::from([first_turn + self.slabs]);
            };
            let out = get::<U32>(triple.left_out, row * across + col).compare(Cmp::Ne, b.int(0));
            let next = || {
                body(t, corner, first_turn);
                [first_turn + self.slabs]
            };
            Vec::from(b.either(out, || [first_turn], next))
        });
    }

    /// One thread keeps the ring full.
    fn load(&self) {
        let b = self.b;
        if self.tile.groups > 1 && !self.tile.is_light() {
            b.hopper(Hopper::MaxRegisters { more: false, count: 40 }, &[]);
        }
        b.when(self.thread.compare(Cmp::Eq, b.int(0)), || {
            self.each_tile(|_, corner, first| {
                b.count::<U32, U32>([first, first + self.slabs, self.u(1)], 1, &[], |turn, _| {
                    let [stage, parity] = self.stage(turn);
                    let barrier = stage * self.u(8);
                    wait(self.empty + barrier, parity ^ self.u(1));
                    let [rows, cols] = [self.tile.m, self.tile.n].map(|r| r * SLAB);
                    let full = self.full + barrier;
                    let parts = if self.triple.is_some() { 3 } else { 1 };
                    b.hopper(Hopper::BarrierExpect, &[full.into(), self.u(parts * (rows + cols)).into()]);
                    let deep = (turn - first + self.slab) * self.u(SLAB * self.input.depth() as u32 / 32);
                    let [apart_a, apart_b] = self.triple.as_ref().map_or([b.int(0); 2], |t| t.apart);
                    let ([ring_a, ring_b], [map_a, map_b], [row, col]) = (self.rings, self.maps, corner);
                    let sides = [(ring_a, map_a, row, apart_a, rows), (ring_b, map_b, col, apart_b, cols)];
                    for ((ring, map, first, apart, bytes), across) in sides.into_iter().zip(self.across) {
                        if across {
                            for piece in 0..bytes / (COLS * SLAB) {
                                let to = ring + stage * self.u(bytes) + self.u(piece * COLS * SLAB);
                                let first = first + self.u(piece * COLS);
                                let args = [to.into(), map.into(), first.into(), deep.into(), full.into()];
                                b.hopper(Hopper::TensorLoad, &args);
                            }
                            continue;
                        }
                        for part in 0..parts {
                            let to = ring + (stage * self.u(parts) + self.u(part)) * self.u(bytes);
                            let row = if part == 0 { first } else { first + apart * self.u(part) };
                            let args = [to.into(), map.into(), deep.into(), row.into(), full.into()];
                            b.hopper(Hopper::TensorLoad, &args);
                        }
                    }
                    Vec::new()
                });
            });
        });
    }

    /// The descriptor of rows that start at an address: swizzled, pieces of 8 rows one after the other.
    fn descriptor(&self, at: Value<'b, U32>) -> Value<'b, U64> {
        descriptor(at, 16)
    }

    /// That of an operand, and how far it is to the next 32 bytes along the depth, in 16 bytes.
    fn operand(&self, at: Value<'b, U32>, across: bool) -> (Value<'b, U64>, i64) {
        match across {
            true => (descriptor(at, COLS * SLAB), i64::from(SLAB)),
            false => (descriptor(at, 16), 2),
        }
    }

    fn multiply<T: Sum>(&self) {
        let b = self.b;
        let GroupTile { m, n, groups, .. } = self.tile;
        if groups > 1 && !self.tile.is_light() {
            b.hopper(Hopper::MaxRegisters { more: true, count: 232 }, &[]);
        }
        let group = (self.thread >> self.u(7)) - self.u(1);
        let rows = m / groups;
        let lane = self.thread & self.u(31);
        let zeros: Vec<Value<'b, T>> = (0..rows * n / 128).map(|_| b.bits(0)).collect();
        self.each_tile(|tile, corner, first| {
            let range = [first, first + self.slabs, self.u(1)];
            let sums = match self.slabs_apart {
                true => b.count(range, 1, &zeros, |turn, sums| self.add_parts(group, turn, sums)),
                false => b.count(range, 1, &zeros, |turn, sums| self.add(group, [first, turn], sums)),
            };
            if !self.slabs_apart {
                b.hopper(Hopper::GroupWait(0), &[]);
                self.free(first + self.slabs, self.slabs.compare(Cmp::Ne, b.int(0)));
            }
            let warp = (self.thread >> self.u(5)) & self.u(3);
            let [top, left] = corner;
            let row = top + group * self.u(rows) + warp * self.u(16) + (lane >> self.u(2));
            let col = left + (lane & self.u(3)) * self.u(2);
            self.of_all([tile, row], &sums, |sums| {
                let alpha = T::factor(self.factors[0]);
                let sums: Vec<Value<'b, T>> = sums.iter().map(|s| alpha * *s).collect();
                T::finish(self, &sums, [row, col], left);
            });
        });
    }

    /// The stage of the turn before can be filled again.
    fn free(&self, turn: Value<'b, U32>, really: Value<'b, Pred>) {
        let b = self.b;
        let [stage, _] = self.stage(turn - self.u(1));
        let leads = (self.thread & self.u(31)).compare(Cmp::Eq, b.int(0));
        b.when(leads & really, || {
            b.hopper(Hopper::BarrierArrive, &[(self.empty + stage * self.u(8)).into()]);
        });
    }

    /// The products of a slab, under way until the next turn.
    fn add<T: Sum>(
        &self,
        group: Value<'b, U32>,
        [first, turn]: [Value<'b, U32>; 2],
        sums: &[Value<'b, T>],
    ) -> Vec<Value<'b, T>> {
        let b = self.b;
        let GroupTile { m, n, groups, .. } = self.tile;
        let [stage, parity] = self.stage(turn);
        wait(self.full + stage * self.u(8), parity);
        b.hopper(Hopper::GroupFence, &[]);
        let [ring_a, ring_b] = self.rings;
        let a = ring_a + stage * self.u(m * SLAB) + group * self.u(m / groups * SLAB);
        let [a_across, b_across] = self.across;
        let (a, a_step) = self.operand(a, a_across);
        let (bt, b_step) = self.operand(ring_b + stage * self.u(n * SLAB), b_across);
        let mut next: Vec<Value<'b, T>> = sums.to_vec();
        for step in 0..4 {
            for (part, sums) in next.chunks_mut(n as usize / 2).enumerate() {
                let at = [a + b.int(a_step * step + 512 * part as i64), bt + b.int(b_step * step)];
                let new = b.wgmma(self.input, n as u16, at, self.across, sums);
                sums.iter_mut().zip(new).for_each(|(s, new)| *s = new);
            }
        }
        b.hopper(Hopper::GroupCommit, &[]);
        // The products of the slab before are done: its stage can be filled again.
        b.hopper(Hopper::GroupWait(1), &[]);
        self.free(turn, turn.compare(Cmp::Ne, first));
        next
    }

    /// The products of the parts of a slab, which are added to the sums when they are done: the other group has the
    /// unit meanwhile.
    fn add_parts<T: Sum>(
        &self,
        group: Value<'b, U32>,
        turn: Value<'b, U32>,
        sums: &[Value<'b, T>],
    ) -> Vec<Value<'b, T>> {
        let b = self.b;
        let GroupTile { m, n, groups, .. } = self.tile;
        let rows = m / groups;
        let [stage, parity] = self.stage(turn);
        wait(self.full + stage * self.u(8), parity);
        b.hopper(Hopper::GroupFence, &[]);
        let [ring_a, ring_b] = self.rings;
        let mut slab: Vec<Vec<Value<'b, T>>> = (0..rows / 64).map(|_| Vec::new()).collect();
        let (parts, products): (u32, &[_]) = match self.triple {
            Some(_) => (3, &PRODUCTS),
            None => (1, &[[0; 2]]),
        };
        for [x, y] in products.iter().copied() {
            let a = ring_a + (stage * self.u(parts) + self.u(x)) * self.u(m * SLAB);
            let a = self.descriptor(a + group * self.u(rows * SLAB));
            let bt = self.descriptor(ring_b + (stage * self.u(parts) + self.u(y)) * self.u(n * SLAB));
            for step in 0..4 {
                for (part, slab) in slab.iter_mut().enumerate() {
                    let a = a + b.int(2 * step + 512 * part as i64);
                    *slab = b.wgmma(self.input, n as u16, [a, bt + b.int(2 * step)], [false; 2], slab);
                }
            }
        }
        b.hopper(Hopper::GroupCommit, &[]);
        b.hopper(Hopper::GroupWait(0), &[]);
        self.free(turn + self.u(1), self.slabs.compare(Cmp::Ne, b.int(0)));
        sums.iter().zip(slab.iter().flatten()).map(|(s, new)| *s + *new).collect()
    }
}
