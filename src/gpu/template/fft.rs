//! Fourier transforms: Stockham passes in shared memory over strided lines, the pre- and post-processing of real transforms, and
//! Bluestein's chirp products.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::flat::{each, keep, named, neighbours};
use super::layer::each_row;
use crate::alu::Alu;
use crate::fft::butterfly::{Dft, Pair, Radix, mul};
use crate::fft::pass::apart;
use crate::fft::plan::{Steps, turn};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// What a block does around the passes over its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// Nothing.
    Nothing,
    /// Real numbers, read as half as many complex ones, become the first half of their transform: [`untangled`].
    Real,
    /// And back.
    RealBack,
    /// A transform of another length, as a convolution (L. Bluestein, "A linear filtering approach to the computation of discrete
    /// Fourier transform", 1970): numbers times the chirp and zeros, transformed, times the filter, transformed back, times the chirp.
    Chirp,
}

/// How lines of one length lie over a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// The length, a product of radices.
    pub n: u32,
    /// Lines of a block.
    pub rows: u32,
    /// Threads of a line.
    pub threads: u32,
    /// Whether neighbouring threads read neighbouring lines, not neighbouring points.
    pub across: bool,
    /// Whether they write the other way.
    pub turned: bool,
    /// Whether results are multiplied by roots of a longer transform.
    pub twiddled: bool,
    /// Whether complex numbers lie at multiples of their size.
    pub whole: bool,
    /// What is done before and after.
    pub around: Around,
}

impl Lines {
    /// Threads of a block: some of them may have nothing to do.
    pub fn block(&self) -> u32 {
        (self.rows * self.threads).next_power_of_two()
    }
    /// Complex numbers of a line in shared memory: behind each 16 there is one more, so that points a power of two apart
    /// are in different banks, and so are lines.
    pub const fn scratch(n: u32) -> u32 {
        (n + n / PAD) | 1
    }
}

const PAD: u32 = 16;

/// The roots of each pass: of each output of a butterfly but the first, at each place. Pairs of cosine and `-sin`.
pub fn roots(n: usize) -> Vec<[f64; 2]> {
    let (mut all, mut rest) = (Vec::new(), n);
    for r in Steps::of(n).radices().iter().copied().map(usize::from) {
        let m = rest / r;
        if m > 1 {
            let pairs = (1..r).flat_map(|j| (0..m).map(move |p| (j * p) as u64));
            all.extend(pairs.map(|k| root(k, rest as u64)));
        }
        rest = m;
    }
    all
}

/// `e^(-2πi·k/n)`.
pub fn root(k: u64, n: u64) -> [f64; 2] {
    let [cos, sin] = turn(k, n);
    [cos, -sin]
}

/// A butterfly of `r` points.
fn butterfly<V: Alu>(r: u32, load: impl Fn(usize) -> Pair<V>) -> Vec<Pair<V>> {
    fn of<V: Alu, const R: usize>(load: impl Fn(usize) -> Pair<V>) -> Vec<Pair<V>>
    where
        Dft: Radix<R>,
    {
        let mut y = Vec::with_capacity(R);
        Dft::dft(load, |j, v| y.push((j, v)));
        y.sort_by_key(|(j, _)| *j);
        y.into_iter().map(|(_, v)| v).collect()
    }
    match r {
        1 => vec![load(0)],
        2 => of::<V, 2>(load),
        3 => of::<V, 3>(load),
        4 => of::<V, 4>(load),
        5 => of::<V, 5>(load),
        7 => of::<V, 7>(load),
        8 => of::<V, 8>(load),
        _ => of::<V, 16>(load),
    }
}

/// Memory of complex numbers.
#[derive(Clone, Copy)]
pub(super) struct Pairs<'b> {
    base: Value<'b, U64>,
    whole: bool,
}

impl<'b> Pairs<'b> {
    /// Number `i`, and `more` behind it.
    pub(super) fn get<T: Recorded>(self, i: Value<'b, U32>, more: u32) -> Pair<Value<'b, T>> {
        let (b, width) = (i.builder(), T::TYPE.bytes());
        let (at, offset) = (self.at::<T>(i), (2 * width * more) as i32);
        let both = match self.whole {
            true => neighbours::<T>(b, Space::Global, at, offset, 2),
            false => [0, width as i32].map(|k| b.load::<T>(Space::Global, at, offset + k)).into(),
        };
        pair(&both, b.bits(0))
    }
    pub(super) fn put<T: Recorded>(self, i: Value<'b, U32>, v: Pair<Value<'b, T>>) {
        let (b, at) = (i.builder(), self.at::<T>(i));
        if self.whole {
            return keep(b, Space::Global, at, &v);
        }
        b.store(Space::Global, at, 0, v[0]);
        b.store(Space::Global, at, T::TYPE.bytes() as i32, v[1]);
    }
    fn at<T: Recorded>(self, i: Value<'b, U32>) -> Value<'b, U64> {
        self.base + i.wide(self.base.builder().int(i64::from(2 * T::TYPE.bytes())))
    }
}

fn pair<V: Copy>(both: &[V], none: V) -> Pair<V> {
    [0, 1].map(|k| both.get(k).copied().unwrap_or(none))
}

pub(super) fn pairs(b: &Builder) -> Pairs<'_> {
    pairs_at(b, true)
}

fn pairs_at(b: &Builder, whole: bool) -> Pairs<'_> {
    Pairs { base: b.param(), whole }
}

/// `f` in threads where all that is asked holds.
fn guarded<'b>(b: &'b Builder, asked: [Option<Value<'b, Pred>>; 2], f: impl FnOnce()) {
    match asked.into_iter().flatten().reduce(|p, q| p & q) {
        Some(all) => b.when(all, f),
        None => f(),
    }
}

/// A thread's line and its place in it.
#[derive(Clone, Copy)]
struct Mine<'b> {
    /// Of the lines of the block.
    line: Value<'b, U32>,
    /// Of the threads of a line.
    place: Value<'b, U32>,
    /// Whether it has one of the block's, if not all threads have, and whether that is a line at all.
    seated: Option<Value<'b, Pred>>,
    active: Value<'b, Pred>,
    /// Where the line is, and the last of the numbers that say so.
    from: Value<'b, U32>,
    to: Value<'b, U32>,
    last: Value<'b, U32>,
}

/// The kernel's parameters.
struct Passes<'b, T> {
    b: &'b Builder,
    lines: Lines,
    roots: Pairs<'b>,
    twiddles: Option<(Pairs<'b>, Value<'b, U32>)>,
    /// Lines, and of these those of the two inner numbers.
    count: Value<'b, U32>,
    inner: [Value<'b, U32>; 2],
    /// From one line to the next, by each of three numbers; from one point to the next.
    from: [Value<'b, U32>; 4],
    to: [Value<'b, U32>; 4],
    scale: [Value<'b, T>; 2],
    tile: Value<'b, U32>,
}

impl<'b, T: Recorded> Passes<'b, T> {
    fn int(&self, c: u32) -> Value<'b, U32> {
        self.b.int(i64::from(c))
    }

    /// The thread's part of a group of lines.
    fn mine(&self, group: Value<'b, U32>, across: bool) -> Mine<'b> {
        let (rows, threads) = (self.lines.rows, self.lines.threads);
        let tid = self.b.special(Special::TidX);
        let (line, place) = if across {
            let place = tid / self.int(rows);
            (tid - place * self.int(rows), place)
        } else {
            let line = tid / self.int(threads);
            (line, tid - line * self.int(threads))
        };
        let (last, end) = (self.int(rows - 1), self.int(threads - 1));
        let row = group * self.int(rows) + line;
        let seated = (self.lines.block() > rows * threads)
            .then(|| line.compare(Cmp::Le, last) & place.compare(Cmp::Le, end));
        let exists = row.compare(Cmp::Lt, self.count);
        let active = seated.map_or(exists, |seated| exists & seated);
        // Threads without a line read one that there is.
        let (line, place) = (line.least(last), place.least(end));
        let row = row.least(self.count - self.int(1));
        let outer = row / self.inner[1];
        let c = row - outer * self.inner[1];
        let a = outer / self.inner[0];
        let all = [a, outer - a * self.inner[0], c];
        let at = |by: [Value<'b, U32>; 4]| all[0] * by[0] + all[1] * by[1] + all[2] * by[2];
        Mine { line, place, seated, active, from: at(self.from), to: at(self.to), last: c }
    }

    /// The address of point `i` of the line in shared memory; that of one `more` behind it, as an offset from there where
    /// it is always the same.
    fn shared(
        &self,
        line: Value<'b, U32>,
        i: Value<'b, U32>,
        more: u32,
        aligned: bool,
    ) -> (Value<'b, U32>, i32) {
        let width = 2 * T::TYPE.bytes();
        let row = self.tile + line * self.int(Lines::scratch(self.lines.n) * width);
        let at = |i: Value<'b, U32>| row + (i + i / self.int(PAD)) * self.int(width);
        if more.is_multiple_of(PAD) || aligned {
            (at(i), ((more + more / PAD) * width) as i32)
        } else {
            (at(i + self.int(more)), 0)
        }
    }

    /// Writes result `j`.
    fn put(&self, out: Pairs<'b>, mine: Mine<'b>, j: Value<'b, U32>, mut y: Pair<Value<'b, T>>) {
        if let Some((table, shift)) = self.twiddles {
            let one = self.int(1) << shift;
            let turn = j * mine.last;
            let fine = table.get(turn & (one - self.int(1)), 0);
            y = mul(y, mul(fine, table.get((turn >> shift) + one, 0)));
        }
        out.put(mine.to + j * self.to[3], [y[0] * self.scale[0], y[1] * self.scale[1]]);
    }
}

/// The transform of each of `count` lines. Parameters: `x`, `out`, the roots of the passes, with `twiddled` those of a longer
/// transform, first `2^shift` neighbours, then each `2^shift`-th, for real numbers those of [`untangled`], for another length the chirp
/// and the transform of the filter; the lines, how many the middle and the last of the three
/// numbers of a line have; from one line to the next by each of these, and from one point to the next, read and written;
/// with `twiddled` the `shift`, for another length that; what imaginary parts that are read, and both parts that are written, are
/// multiplied with.
pub fn lines<T: Recorded>(lines: Lines) -> Result<Kernel, Error> {
    let what = match lines.around {
        Around::Nothing => "",
        Around::Real => "real_",
        Around::RealBack => "real_back_",
        Around::Chirp => "chirp_",
    };
    let b = named::<T>(&format!("fft_{what}{}", lines.n));
    b.threads([lines.block(), 1, 1]);
    let [x, out] = [(); 2].map(|()| pairs_at(&b, lines.whole));
    let roots = pairs(&b);
    let tables: Vec<_> = (0..lines.tables()).map(|_| pairs(&b)).collect();
    let [count, middle, last] = b.params::<U32, 3>();
    let [from, to] = [(); 2].map(|()| b.params::<U32, 4>());
    let number = (lines.twiddled || lines.around == Around::Chirp).then(|| b.param::<U32>());
    let [sign, re, im] = b.params::<T, 3>();
    let width = 2 * T::TYPE.bytes();
    let tile = b.shared(lines.rows * Lines::scratch(lines.n) * width, width);
    let with = Passes {
        b: &b,
        lines,
        roots,
        twiddles: if lines.twiddled { tables.first().copied().zip(number) } else { None },
        count,
        inner: [middle, last],
        from,
        to,
        scale: [re, im],
        tile,
    };
    let int = |c: u32| with.int(c);
    let groups = (count + int(lines.rows - 1)) / int(lines.rows);
    each_row(&b, groups, |group| {
        let mine = with.mine(group, lines.across);
        let read = |i: Value<'_, U32>| {
            let [re, im] = x.get::<T>(b.typed::<U32>(mine.from.id()) + b.typed::<U32>(i.id()) * from[3], 0);
            [re, im * sign]
        };
        let write = |j: Value<'_, U32>, y: Pair<Value<'_, T>>| {
            with.put(out, mine, b.typed(j.id()), y.map(|y| b.typed(y.id())))
        };
        match (lines.around, &tables[..]) {
            (Around::Real, [twist]) => {
                with.passes(mine, false, read, None::<fn(_, _)>);
                with.untangle(out, mine, *twist);
            }
            (Around::RealBack, [twist]) => with.passes(
                mine,
                false,
                |i| with.tangled(x, mine, *twist, sign, b.typed(i.id())),
                Some(write),
            ),
            (Around::Chirp, [chirp, filter]) => {
                with.convolve(x, out, [*chirp, *filter], number.unwrap_or(count), sign, mine)
            }
            _ if !lines.turned => with.passes(mine, false, read, Some(write)),
            _ => {
                with.passes(mine, false, read, None::<fn(_, _)>);
                // From shared memory, by the other threads.
                let mine = with.mine(group, !lines.across);
                with.each_of(mine, lines.n, |j| with.put(out, mine, j, with.held(mine.line, j)));
            }
        }
    });
    b.finish()
}

impl Lines {
    /// Tables beside the roots of the passes.
    const fn tables(&self) -> usize {
        match self.around {
            Around::Chirp => 2,
            Around::Real | Around::RealBack => 1,
            Around::Nothing => self.twiddled as usize,
        }
    }
}

impl<'b, T: Recorded> Passes<'b, T> {
    /// `f` of each of the first `n` numbers of the thread's line, if there is one.
    fn each_of(&self, mine: Mine<'b>, n: u32, f: impl Fn(Value<'b, U32>)) {
        let threads = self.lines.threads;
        for k in 0..n.div_ceil(threads) {
            let j = mine.place + self.int(k * threads);
            let inside = ((k + 1) * threads > n).then(|| j.compare(Cmp::Lt, self.int(n)));
            guarded(self.b, [Some(mine.active), inside], || f(j));
        }
    }

    /// Point `i` of a line in shared memory.
    fn held(&self, line: Value<'b, U32>, i: Value<'b, U32>) -> Pair<Value<'b, T>> {
        let (at, offset) = self.shared(line, i, 0, true);
        pair(&neighbours::<T>(self.b, Space::Shared, at, offset, 2), self.b.bits(0))
    }

    /// [`untangle`] of a line in shared memory.
    fn untangle(&self, out: Pairs<'b>, mine: Mine<'b>, twist: Pairs<'b>) {
        let (b, m) = (self.b, self.lines.n);
        let to = |k: Value<'b, U32>| mine.to + k * self.to[3];
        self.each_of(mine, m / 2 + 1, |k| {
            let first = k.compare(Cmp::Eq, b.int(0));
            let mirror = Value::select(first, k, self.int(m) - k);
            let (z, other) = (self.held(mine.line, k), self.held(mine.line, mirror));
            let [p, q] = untangle(first, [z, other], twist.get(k, 0));
            out.put(to(k), p);
            out.put(to(self.int(m) - k), q);
        });
    }

    /// Point `i` of [`tangle`].
    fn tangled(
        &self,
        x: Pairs<'b>,
        mine: Mine<'b>,
        twist: Pairs<'b>,
        sign: Value<'b, T>,
        i: Value<'b, U32>,
    ) -> Pair<Value<'b, T>> {
        let m = self.int(self.lines.n);
        let low = i.least(m - i);
        let at = |k: Value<'b, U32>| x.get::<T>(mine.from + k * self.from[3], 0);
        let first = i.compare(Cmp::Eq, self.int(0));
        let [p, q] = tangle(first, [at(low), at(m - low)], twist.get(low, 0));
        let lower = i.compare(Cmp::Eq, low);
        let [re, im] = [[p[0], q[0]], [p[1], q[1]]].map(|[p, q]| Value::select(lower, p, q));
        [re, im * sign]
    }

    /// A line of another length.
    fn convolve(
        &self,
        x: Pairs<'b>,
        out: Pairs<'b>,
        [chirp, filter]: [Pairs<'b>; 2],
        n: Value<'b, U32>,
        sign: Value<'b, T>,
        mine: Mine<'b>,
    ) {
        let b = self.b;
        let read = |i: Value<'b, U32>| {
            let inside = i.compare(Cmp::Lt, n);
            let i = i.least(n - b.int(1));
            let [re, im] = x.get::<T>(mine.from + i * self.from[3], 0);
            mul([re, im * sign], chirp.get(i, 0)).map(|v| Value::select(inside, v, b.bits(0)))
        };
        self.passes(mine, false, read, None::<fn(_, _)>);
        // The way back is that of conjugates.
        let again = |i: Value<'b, U32>| {
            let [re, im] = mul(self.held(mine.line, i), filter.get(i, 0));
            [re, -im]
        };
        let write = |j: Value<'b, U32>, [re, im]: Pair<Value<'b, T>>| {
            b.when(j.compare(Cmp::Lt, n), || self.put(out, mine, j, mul([re, -im], chirp.get(j, 0))));
        };
        self.passes(mine, true, again, Some(write));
    }

    /// All passes over one line: the first reads it by `read`, `held` or not in shared memory, the last gives it to `write`, or leaves
    /// it in shared memory.
    fn passes(
        &self,
        mine: Mine<'b>,
        held: bool,
        read: impl Fn(Value<'b, U32>) -> Pair<Value<'b, T>>,
        write: Option<impl Fn(Value<'b, U32>, Pair<Value<'b, T>>)>,
    ) {
        let (b, n, threads) = (self.b, self.lines.n, self.lines.threads);
        let steps = Steps::of(n as usize);
        let radices: &[u8] = if n == 1 { &[1] } else { steps.radices() };
        let (mut done, mut start) = (1, 0);
        for (pass, r) in radices.iter().copied().map(u32::from).enumerate() {
            let (many, m) = (n / r, n / (done * r));
            let all: Vec<_> = (0..many.div_ceil(threads))
                .map(|i| {
                    let t = mine.place + self.int(i * threads);
                    let inside = ((i + 1) * threads > many).then(|| t.compare(Cmp::Lt, self.int(many)));
                    let t = if inside.is_some() { t.least(self.int(many - 1)) } else { t };
                    let place = t / self.int(done);
                    let mut y = butterfly(r, |k| {
                        let more = k as u32 * many;
                        if pass == 0 {
                            return read(t + self.int(more));
                        }
                        let (at, offset) = self.shared(mine.line, t, more, false);
                        pair(&neighbours::<T>(b, Space::Shared, at, offset, 2), b.bits(0))
                    });
                    if m > 1 {
                        for (j, y) in (0..).zip(y.iter_mut().skip(1)) {
                            *y = mul(*y, self.roots.get(place, start + j * m));
                        }
                    }
                    // Where the first result goes.
                    let to = place * self.int((r - 1) * done) + t;
                    (to, inside, y)
                })
                .collect();
            if pass > 0 || held {
                // All have read what is written now.
                b.barrier();
            }
            let last = write.as_ref().filter(|_| pass + 1 == radices.len());
            for (to, inside, y) in all {
                guarded(b, [if last.is_some() { Some(mine.active) } else { mine.seated }, inside], || {
                    for (j, y) in (0..).zip(y) {
                        if let Some(write) = last {
                            write(to + self.int(j * done), y);
                            continue;
                        }
                        // 16 neighbours from a multiple of 16 on have nothing between them.
                        let (at, offset) = self.shared(mine.line, to, j * done, done == 1 && r == PAD);
                        b.store_vector(Space::Shared, at, offset, y);
                    }
                });
            }
            if last.is_none() {
                b.barrier();
            }
            if m > 1 {
                start += (r - 1) * m;
            }
            done *= r;
        }
    }
}

/// Lines of `n` times the chirp, and zeros up to `m`. Parameters: `x`, `out`, the chirp; lines, `n`, `m`, from one line and
/// from one point of `x` to the next; what imaginary parts are multiplied with. `whole` is that of [`Lines`], of `x`.
pub fn chirped<T: Recorded>(whole: bool) -> Result<Kernel, Error> {
    let b = named::<T>("fft_chirped");
    let [x, out, chirp] = [whole, true, true].map(|whole| pairs_at(&b, whole));
    let [rows, n, m, row, point] = b.params::<U32, 5>();
    let sign = b.param::<T>();
    each(&b, rows * m, |i| {
        let r = i / m;
        let k = i - r * m;
        let z = b.either(
            k.compare(Cmp::Lt, n),
            || {
                let [re, im] = x.get::<T>(r * row + k * point, 0);
                mul([re, im * sign], chirp.get(k, 0))
            },
            || [b.bits(0); 2],
        );
        out.put(i, z);
    });
    b.finish()
}

/// `z *= filter`, line by line. Parameters: `z`, the filter; the numbers of all lines, of one.
pub fn filtered<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_filtered");
    let [z, filter] = [(); 2].map(|()| pairs(&b));
    let [n, m] = b.params::<U32, 2>();
    each(&b, n, |i| z.put(i, mul(z.get::<T>(i, 0), filter.get(i - i / m * m, 0))));
    b.finish()
}

/// The first `n` of lines of `m` times the chirp. Parameters: `z`, `out`, the chirp; lines, `n`, `m`, from one line and from
/// one point of `out` to the next; what real and imaginary parts are multiplied with. `whole` is that of [`Lines`], of `out`.
pub fn unchirped<T: Recorded>(whole: bool) -> Result<Kernel, Error> {
    let b = named::<T>("fft_unchirped");
    let [z, out, chirp] = [true, whole, true].map(|whole| pairs_at(&b, whole));
    let [rows, n, m, row, point] = b.params::<U32, 5>();
    let scale = b.params::<T, 2>();
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let [re, im] = mul(z.get::<T>(r * m + k, 0), chirp.get(k, 0));
        out.put(r * row + k * point, [re * scale[0], im * scale[1]]);
    });
    b.finish()
}

/// Points `k` and `m - k` of the transform of `2m` real numbers, from those of `m` complex ones, of which point `m` is the
/// first: where `first` k is 0. `turn` is `-i·e^(-2πi·k/2m)`.
fn untangle<'b, T: Recorded>(
    first: Value<'b, Pred>,
    [z, mirror]: [Pair<Value<'b, T>>; 2],
    turn: Pair<Value<'b, T>>,
) -> [Pair<Value<'b, T>>; 2] {
    let [p, q] = apart(z, mirror, turn);
    let pick = |[re, im]: Pair<Value<'b, T>>, end: Value<'b, T>| {
        [Value::select(first, end, re), Value::select(first, z[0].c(0.0), im)]
    };
    [pick(p, z[0] + z[1]), pick(q, z[0] - z[1])]
}

/// The way back from [`untangle`]; where `first`, the other point is none.
fn tangle<'b, T: Recorded>(
    first: Value<'b, Pred>,
    [x, mirror]: [Pair<Value<'b, T>>; 2],
    [cos, sin]: Pair<Value<'b, T>>,
) -> [Pair<Value<'b, T>>; 2] {
    let [p, q] = apart(x, mirror, [cos, -sin]);
    let [a, b] = [x[0], mirror[0]].map(|v| v * v.c(0.5));
    [[Value::select(first, a + b, p[0]), Value::select(first, a - b, p[1])], q]
}

/// The transform of `2m` real numbers from that of `m` complex ones, or, `back`, the other way. Parameters: what is read and
/// written, `-i·e^(-2πi·k/2m)`; lines, `m`.
pub fn untangled<T: Recorded>(back: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if back { "fft_tangled" } else { "fft_untangled" });
    let [x, out, twist] = [(); 3].map(|()| pairs(&b));
    let [rows, m] = b.params::<U32, 2>();
    let one = b.int(1);
    // From one line to the next.
    let [from, to] = if back { [m + one, m] } else { [m, m + one] };
    let each_of = m / b.int(2) + one;
    each(&b, rows * each_of, |i| {
        let r = i / each_of;
        let k = i - r * each_of;
        let (from, to, mirror) = (r * from, r * to, m - k);
        let first = k.compare(Cmp::Eq, b.int(0));
        let turn = twist.get::<T>(k, 0);
        let points = |mirror| [x.get(from + k, 0), x.get(from + mirror, 0)];
        if back {
            let [p, q] = tangle(first, points(mirror), turn);
            out.put(to + k, p);
            b.when(!first, || out.put(to + mirror, q));
        } else {
            let [p, q] = untangle(first, points(Value::select(first, k, mirror)), turn);
            out.put(to + k, p);
            out.put(to + mirror, q);
        }
    });
    b.finish()
}
