//! Fourier transforms: Stockham's passes in shared memory, over lines that lie anywhere; and what is done before and after
//! them to real numbers and to lengths with other primes.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::flat::{each, get, keep, named, neighbours, put};
use super::layer::each_row;
use crate::alu::Alu;
use crate::fft::butterfly::{Dft, Pair, Radix, mul};
use crate::fft::pass::apart;
use crate::fft::plan::{Steps, turn};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

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
}

impl Lines {
    /// Threads of a block: some of them may have nothing to do.
    pub fn block(&self) -> u32 {
        (self.rows * self.threads).next_power_of_two()
    }
    /// Complex numbers of a line in shared memory: behind each 16 there is one more, so that points a power of two apart
    /// are in different banks, and so are lines.
    pub const fn room(n: u32) -> u32 {
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
        let row = self.tile + line * self.int(Lines::room(self.lines.n) * width);
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
/// transform, first `2^shift` neighbours, then each `2^shift`-th; the lines, how many the middle and the last of the three
/// numbers of a line have; from one line to the next by each of these, and from one point to the next, read and written;
/// with `twiddled` the `shift`; what imaginary parts that are read, and both parts that are written, are multiplied with.
pub fn lines<T: Recorded>(lines: Lines) -> Result<Kernel, Error> {
    let b = named::<T>(&format!("fft_{}", lines.n));
    b.threads([lines.block(), 1, 1]);
    let [x, out] = [(); 2].map(|()| pairs_at(&b, lines.whole));
    let roots = pairs(&b);
    let table = lines.twiddled.then(|| pairs(&b));
    let [count, middle, last] = [(); 3].map(|()| b.param::<U32>());
    let [from, to] = [(); 2].map(|()| [(); 4].map(|()| b.param::<U32>()));
    let twiddles = table.map(|t| (t, b.param::<U32>()));
    let [sign, re, im] = [(); 3].map(|()| b.param::<T>());
    let width = 2 * T::TYPE.bytes();
    let tile = b.shared(lines.rows * Lines::room(lines.n) * width, width);
    let with = Passes {
        b: &b,
        lines,
        roots,
        twiddles,
        count,
        inner: [middle, last],
        from,
        to,
        scale: [re, im],
        tile,
    };
    let groups = (count + with.int(lines.rows - 1)) / with.int(lines.rows);
    each_row(&b, groups, |group| {
        let mine = with.mine(group, lines.across);
        passes(&with, x, out, sign, mine);
        if lines.turned {
            // From shared memory, by the other threads.
            let mine = with.mine(group, !lines.across);
            for k in 0..lines.n.div_ceil(lines.threads) {
                let j = mine.place + with.int(k * lines.threads);
                let inside =
                    ((k + 1) * lines.threads > lines.n).then(|| j.compare(Cmp::Lt, with.int(lines.n)));
                guarded(&b, [Some(mine.active), inside], || {
                    let (at, offset) = with.shared(mine.line, j, 0, true);
                    let y = neighbours::<T>(&b, Space::Shared, at, offset, 2);
                    with.put(out, mine, j, pair(&y, b.bits(0)));
                });
            }
        }
    });
    b.finish()
}

/// All passes over one line: the first reads it, the last writes it, or leaves it in shared memory where it is `turned`.
fn passes<'b, T: Recorded>(
    with: &Passes<'b, T>,
    x: Pairs<'b>,
    out: Pairs<'b>,
    sign: Value<'b, T>,
    mine: Mine<'b>,
) {
    let (b, n, threads) = (with.b, with.lines.n, with.lines.threads);
    let steps = Steps::of(n as usize);
    let radices: &[u8] = if n == 1 { &[1] } else { steps.radices() };
    let (mut done, mut start) = (1, 0);
    for (pass, r) in radices.iter().copied().map(u32::from).enumerate() {
        let (many, m) = (n / r, n / (done * r));
        let all: Vec<_> = (0..many.div_ceil(threads))
            .map(|i| {
                let t = mine.place + with.int(i * threads);
                let inside = ((i + 1) * threads > many).then(|| t.compare(Cmp::Lt, with.int(many)));
                let t = if inside.is_some() { t.least(with.int(many - 1)) } else { t };
                let place = t / with.int(done);
                let mut y = butterfly(r, |k| {
                    let more = k as u32 * many;
                    if pass == 0 {
                        let [re, im] = x.get::<T>(mine.from + (t + with.int(more)) * with.from[3], 0);
                        return [re, im * sign];
                    }
                    let (at, offset) = with.shared(mine.line, t, more, false);
                    pair(&neighbours::<T>(b, Space::Shared, at, offset, 2), b.bits(0))
                });
                if m > 1 {
                    for (j, y) in (0..).zip(y.iter_mut().skip(1)) {
                        *y = mul(*y, with.roots.get(place, start + j * m));
                    }
                }
                // Where the first result goes.
                let to = place * with.int((r - 1) * done) + t;
                (to, inside, y)
            })
            .collect();
        if pass > 0 {
            // All have read what is written now.
            b.barrier();
        }
        let last = pass + 1 == radices.len() && !with.lines.turned;
        for (to, inside, y) in all {
            guarded(b, [if last { Some(mine.active) } else { mine.seated }, inside], || {
                for (j, y) in (0..).zip(y) {
                    if last {
                        with.put(out, mine, to + with.int(j * done), y);
                        continue;
                    }
                    // 16 neighbours from a multiple of 16 on have nothing between them.
                    let (at, offset) = with.shared(mine.line, to, j * done, done == 1 && r == PAD);
                    b.store_vector(Space::Shared, at, offset, y);
                }
            });
        }
        if !last {
            b.barrier();
        }
        if m > 1 {
            start += (r - 1) * m;
        }
        done *= r;
    }
}

/// Lines of `n` times the chirp, and zeros up to `m`. Parameters: `x`, `out`, the chirp; lines, `n`, `m`, from one line and
/// from one point of `x` to the next; what imaginary parts are multiplied with. `whole` is that of [`Lines`], of `x`.
pub fn chirped<T: Recorded>(whole: bool) -> Result<Kernel, Error> {
    let b = named::<T>("fft_chirped");
    let [x, out, chirp] = [whole, true, true].map(|whole| pairs_at(&b, whole));
    let [rows, n, m, row, point] = [(); 5].map(|()| b.param::<U32>());
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
    let [n, m] = [(); 2].map(|()| b.param::<U32>());
    each(&b, n, |i| z.put(i, mul(z.get::<T>(i, 0), filter.get(i - i / m * m, 0))));
    b.finish()
}

/// The first `n` of lines of `m` times the chirp. Parameters: `z`, `out`, the chirp; lines, `n`, `m`, from one line and from
/// one point of `out` to the next; what real and imaginary parts are multiplied with. `whole` is that of [`Lines`], of `out`.
pub fn unchirped<T: Recorded>(whole: bool) -> Result<Kernel, Error> {
    let b = named::<T>("fft_unchirped");
    let [z, out, chirp] = [true, whole, true].map(|whole| pairs_at(&b, whole));
    let [rows, n, m, row, point] = [(); 5].map(|()| b.param::<U32>());
    let scale = [(); 2].map(|()| b.param::<T>());
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let [re, im] = mul(z.get::<T>(r * m + k, 0), chirp.get(k, 0));
        out.put(r * row + k * point, [re * scale[0], im * scale[1]]);
    });
    b.finish()
}

/// The transform of `2m` real numbers from that of `m` complex ones, or, `back`, the other way. Parameters: what is read and
/// written, `-i·e^(-2πi·k/2m)`; lines, `m`.
pub fn untangled<T: Recorded>(back: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if back { "fft_tangled" } else { "fft_untangled" });
    let [x, out, twist] = [(); 3].map(|()| pairs(&b));
    let [rows, m] = [(); 2].map(|()| b.param::<U32>());
    let (one, zero) = (b.int(1), b.bits::<T>(0));
    // From one line to the next.
    let [bins, from, to] = [m + one, if back { m + one } else { m }, if back { m } else { m + one }];
    let each_of = m / b.int(2) + one;
    each(&b, rows * each_of, |i| {
        let r = i / each_of;
        let k = i - r * each_of;
        let (from, to, mirror) = (r * from, r * to, m - k);
        let first = k.compare(Cmp::Eq, b.int(0));
        b.when(first, || {
            let [p, q] = x.get::<T>(from, 0);
            if back {
                let [s, _] = x.get::<T>(from + m, 0);
                let [p, s] = [p * p.c(0.5), s * s.c(0.5)];
                out.put(to, [p + s, p - s]);
            } else {
                out.put(to, [p + q, zero]);
                out.put(to + bins - one, [p - q, zero]);
            }
        });
        b.when(!first, || {
            let [cos, sin] = twist.get::<T>(k, 0);
            let turn = [cos, if back { -sin } else { sin }];
            let [p, q] = apart(x.get(from + k, 0), x.get(from + mirror, 0), turn);
            out.put(to + k, p);
            out.put(to + mirror, q);
        });
    });
    b.finish()
}

/// Real numbers as complex ones. Parameters: `x`, `out`; how many.
pub fn widened<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_widened");
    let (x, out, n) = (b.param::<U64>(), pairs(&b), b.param::<U32>());
    each(&b, n, |i| out.put(i, [get::<T>(x, i), b.bits(0)]));
    b.finish()
}

/// The first `bins` of lines of `n`. Parameters: `z`, `out`; lines, `n`, `bins`.
pub fn halved<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_halved");
    let [z, out] = [(); 2].map(|()| pairs(&b));
    let [rows, n, bins] = [(); 3].map(|()| b.param::<U32>());
    each(&b, rows * bins, |i| {
        let r = i / bins;
        out.put(i, z.get::<T>(r * n + (i - r * bins), 0));
    });
    b.finish()
}

/// Lines of an odd `n` from their first `bins`: the others are conjugates. Parameters: `x`, `out`; lines, `n`, `bins`.
pub fn mirrored<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_mirrored");
    let [x, out] = [(); 2].map(|()| pairs(&b));
    let [rows, n, bins] = [(); 3].map(|()| b.param::<U32>());
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let low = k.compare(Cmp::Lt, bins);
        let [re, im] = x.get::<T>(r * bins + Value::select(low, k, n - k), 0);
        let im = Value::select(low, im, -im);
        out.put(i, [re, Value::select(k.compare(Cmp::Eq, b.int(0)), b.bits(0), im)]);
    });
    b.finish()
}

/// The real parts. Parameters: `z`, `out`; how many.
pub fn narrowed<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fft_narrowed");
    let (z, out, n) = (pairs(&b), b.param::<U64>(), b.param::<U32>());
    each(&b, n, |i| {
        let [re, _] = z.get::<T>(i, 0);
        put(out, i, re);
    });
    b.finish()
}

/// Pieces of a signal times a window, and zeros up to `n`. Parameters: the signal, the window, `out`; pieces, `n`, the
/// window's length, from one piece to the next.
pub fn framed<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("stft_framed");
    let [x, window, out] = [(); 3].map(|()| b.param::<U64>());
    let [rows, n, len, hop] = [(); 4].map(|()| b.param::<U32>());
    each(&b, rows * n, |i| {
        let r = i / n;
        let k = i - r * n;
        let inside = k.compare(Cmp::Lt, len);
        let [v] = b.either(inside, || [get::<T>(x, r * hop + k) * get(window, k)], || [b.bits(0)]);
        put(out, i, v);
    });
    b.finish()
}
