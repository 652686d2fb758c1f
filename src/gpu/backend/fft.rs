//! Plans of Fourier transforms on devices.

use super::super::device::{Binding, Computes, Device, Error, Launch};
use super::super::template::Argument;
use super::super::template::fft::{self, Around, Lines};
use super::ops::{Done, Scalar, arguments};
use super::plan::Planner;
use super::{Array, Gpu, View};
use crate::Direction;
use crate::complex::Complex;
use crate::error::not_empty;
use crate::fft::bluestein;
use crate::fft::plan::smooth;
use crate::hardware::Language;
use alloc::vec;
use alloc::vec::Vec;
use core::marker::PhantomData;

/// Points of a thread, twice as many of longer lines than [`SHORT`] points, and of such as long as that with a stride between points.
const POINTS: usize = 16;
const SHORT: usize = 1 << 13;
const APART: usize = 1 << 12;
/// The longest of two parts: longer ones leave too few lines to a multiprocessor, and three parts are faster.
const LONG: usize = 1 << 11;
/// Threads of a block, if it has lines of a few points.
const BLOCK: usize = 128;
/// Threads of a block at most.
const MOST_THREADS: u32 = 1024;
/// Neighbouring lines of a block that go across memory: of `f32` the least is a sector, the other one half a line.
const TOGETHER: [usize; 2] = [4, 8];

/// A table of roots, and a length or a shift that belongs to it.
#[derive(Debug)]
pub(super) struct Roots<T, D: Device> {
    n: usize,
    table: Array<Complex<T>, D>,
}

/// A product of radices, in parts that fit a block's shared memory.
#[derive(Debug)]
pub(super) struct Smooth<T, D: Device> {
    n: usize,
    parts: Vec<Roots<T, D>>,
    /// Between two parts.
    turns: Vec<Roots<T, D>>,
}

/// A plan of transforms of one length in memory of a device, as [`Fft`](crate::Fft) is on a CPU.
#[derive(Debug)]
pub struct Fft<T, D: Device> {
    pub(super) n: usize,
    /// Of the length, or of that of a convolution, with the chirp and the transform of the filter.
    inner: Smooth<T, D>,
    chirp: Option<[Array<Complex<T>, D>; 2]>,
}

impl<T, D: Device> Fft<T, D> {
    /// The length.
    #[allow(clippy::len_without_is_empty, reason = "it is at least 1")]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.n
    }

    /// Whether the length is a product of radices.
    pub(super) const fn is_smooth(&self) -> bool {
        self.chirp.is_none()
    }
}

/// A plan of transforms of real numbers in memory of a device, as [`RealFft`](crate::RealFft) is on a CPU.
#[derive(Debug)]
pub struct RealFft<T, D: Device> {
    pub(super) n: usize,
    pub(super) inner: Fft<T, D>,
    /// Of an even length.
    pub(super) twist: Option<Array<Complex<T>, D>>,
}

impl<T, D: Device> RealFft<T, D> {
    /// How many real numbers.
    #[allow(clippy::len_without_is_empty, reason = "it is at least 1")]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.n
    }

    /// How many complex ones.
    #[must_use]
    pub const fn bins(&self) -> usize {
        self.n / 2 + 1
    }
}

/// Lines of complex numbers: which operand they are in, from one to the next, from one point to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub(super) at: usize,
    pub(super) row: usize,
    pub(super) point: usize,
}

impl Operand {
    /// Its lines by one number, the last of three.
    const fn far(self) -> (usize, [usize; 4]) {
        (self.at, [0, 0, self.row, self.point])
    }
}

/// What a transform does at its ends: imaginary parts that are read, and both parts that are written, times these.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends<T> {
    sign: T,
    scale: [T; 2],
}

impl<T: Scalar> Ends<T> {
    pub(super) const PLAIN: Self = Self { sign: T::ONE, scale: [T::ONE; 2] };

    /// The inverse is the forward transform of conjugates, conjugated.
    pub(super) fn of(direction: Direction, n: usize) -> Self {
        match direction {
            Direction::Forward => Self::PLAIN,
            Direction::Inverse => {
                let by = T::ONE / T::from_usize(n);
                Self { sign: -T::ONE, scale: [by, -by] }
            }
        }
    }
}

impl Planner {
    /// How lines of this length lie over a block; `None` where it has no room for them.
    fn lines(&self, n: usize, bytes: usize, across: bool, turned: bool) -> Option<Lines> {
        let long = n > SHORT || n >= APART && (across || turned);
        let points = if long { 2 * POINTS } else { POINTS };
        let (threads, most) = (n.div_ceil(points), self.limits.threads.min(MOST_THREADS));
        let most = if self.language == Language::Wgsl { most.min(256) } else { most } as usize;
        let scratch = Lines::scratch(u32::try_from(n).ok()?) as usize * 2 * bytes;
        let (fits, least, wanted) = match across || turned {
            true => (most / threads, TOGETHER[0], TOGETHER[1].max(2 * BLOCK / threads)),
            false => (most / threads, 1, BLOCK / threads),
        };
        let rows = fits.min(self.limits.shared as usize / scratch).min(wanted.max(least));
        // Blocks have a power of two of threads.
        let rows = if long { rows.checked_ilog2().map_or(0, |log| 1 << log) } else { rows };
        let [n, rows, threads] = [n as u32, rows as u32, threads as u32];
        let lines =
            Lines { n, rows, threads, across, turned, twiddled: false, whole: true, around: Around::Nothing };
        (rows as usize >= least).then_some(lines)
    }

    /// The lengths of up to three parts, each of which has room in a block.
    fn parts(&self, n: usize, bytes: usize) -> Option<Vec<usize>> {
        if self.lines(n, bytes, false, false).is_some() {
            return Some(vec![n]);
        }
        let fits = |n: usize| self.lines(n, bytes, true, false).is_some();
        // The most even ones.
        let two = |n: usize, most: usize| {
            let best = (2..).take_while(|d| d * d <= n).filter(|d| n.is_multiple_of(*d)).last()?;
            (n / best <= most && fits(n / best)).then(|| vec![n / best, best])
        };
        let three = || {
            let all: Vec<usize> =
                (2..).take_while(|d| d * d * d <= n).filter(|d| n.is_multiple_of(*d) && fits(*d)).collect();
            all.into_iter().rev().find_map(|d| two(n / d, n).map(|rest| [&rest[..], &[d]].concat()))
        };
        two(n, LONG).or_else(three).or_else(|| two(n, n))
    }
}

/// What a block does beside its passes, with which operands, and its number.
struct Beside {
    around: Around,
    tables: Vec<usize>,
    number: Option<usize>,
}

impl Beside {
    const NOTHING: Self = Self { around: Around::Nothing, tables: Vec::new(), number: None };
}

/// The launches of a call, and what they are bound to.
pub(super) struct List<'a, T, D: Device> {
    gpu: &'a Gpu<D>,
    launches: Vec<Launch>,
    bound: Vec<Binding<'a, D::Buffer>>,
    element: PhantomData<T>,
}

impl<'a, T: Scalar, D: Computes<T>> List<'a, T, D> {
    pub(super) fn new(gpu: &'a Gpu<D>) -> Self {
        Self { gpu, launches: Vec::new(), bound: Vec::new(), element: PhantomData }
    }

    pub(super) fn bind<X: super::Word>(&mut self, x: View<'a, X, D>) -> Result<usize, Error> {
        self.bound.push(x.binding(self.gpu)?);
        Ok(self.bound.len() - 1)
    }

    /// Whether complex numbers of an operand lie at multiples of their size.
    fn whole(&self, at: usize) -> bool {
        self.bound.get(at).is_some_and(|b| b.start.is_multiple_of(2 * size_of::<T>() as u64))
    }

    /// A thread for each of `n`.
    pub(super) fn flat(
        &mut self,
        op: &'static str,
        make: impl FnOnce() -> Result<super::super::ir::Kernel, super::super::Error>,
        n: usize,
        buffers: &[usize],
        words: &[usize],
        numbers: &[T],
    ) -> Done {
        let mut all: Vec<Argument> = buffers.iter().map(|k| Argument::Buffer(*k)).collect();
        all.extend(arguments(0, words, numbers));
        let launch = self.gpu.state.planner.flat::<T::Recorded>(op, || Some(make()), n, all)?;
        self.launches.push(launch);
        Ok(())
    }

    /// The transforms of `count` lines that fit a block: line `(a·middle + b)·last + c` is at `a`, `b` and `c` times the
    /// first three distances of an operand, its points the fourth apart.
    fn lines(
        &mut self,
        lines: Lines,
        roots: &'a Roots<T, D>,
        Beside { around, tables, number }: Beside,
        [count, middle, last]: [usize; 3],
        operands: [(usize, [usize; 4]); 2],
        ends: Ends<T>,
    ) -> Done {
        let [(x, from), (out, to)] = operands;
        let whole = self.whole(x) && self.whole(out);
        let twiddled = around == Around::Nothing && !tables.is_empty();
        let lines = Lines { twiddled, whole, around, ..lines };
        let mut buffers = vec![x, out, self.bind(roots.table.view())?];
        buffers.extend(tables);
        let mut words = vec![count, middle, last];
        words.extend(from);
        words.extend(to);
        words.extend(number);
        let mut all: Vec<Argument> = buffers.into_iter().map(Argument::Buffer).collect();
        all.extend(arguments(0, &words, &[ends.sign, ends.scale[0], ends.scale[1]]));
        let planner = &self.gpu.state.planner;
        let flags = [lines.across, lines.turned, lines.twiddled, lines.whole];
        let form =
            flags.into_iter().fold(4 * lines.n + around as u32, |form, flag| 2 * form + u32::from(flag));
        let make = || Some(fft::lines::<T::Recorded>(lines));
        let program = planner.one_by::<T::Recorded>("fft", form, make)?;
        let blocks = count.div_ceil(lines.rows as usize);
        self.launches.push(planner.grid_of(program, lines.block(), [blocks, 1], all)?);
        Ok(())
    }

    /// The roots between two parts.
    fn turns(&mut self, turns: &'a Roots<T, D>) -> Result<Beside, Error> {
        Ok(Beside { tables: vec![self.bind(turns.table.view())?], number: Some(turns.n), ..Beside::NOTHING })
    }

    /// The transforms of `rows` lines of real numbers that a block holds, with a table of roots.
    pub(super) fn real(
        &mut self,
        plan: &'a Fft<T, D>,
        rows: usize,
        operands: [Operand; 2],
        (around, twist): (Around, usize),
        ends: Ends<T>,
    ) -> Done {
        self.held(plan, rows, operands, Beside { around, tables: vec![twist], number: None }, ends)
    }

    /// One launch for `rows` lines that a block holds from the first pass to the last.
    fn held(
        &mut self,
        plan: &'a Fft<T, D>,
        rows: usize,
        operands: [Operand; 2],
        beside: Beside,
        ends: Ends<T>,
    ) -> Done {
        let (Some(shape), [only]) = (self.gpu.state.planner.in_blocks(plan), &plan.inner.parts[..]) else {
            return Err(self.gpu.state.planner.too_long(plan.n));
        };
        self.lines(shape, only, beside, [rows, 1, rows], operands.map(Operand::far), ends)
    }

    /// The transforms of `rows` lines of a product of radices.
    fn smooth(
        &mut self,
        plan: &'a Smooth<T, D>,
        rows: usize,
        [x, out]: [Operand; 2],
        between: Option<usize>,
        ends: Ends<T>,
    ) -> Done {
        let (gpu, n) = (self.gpu, plan.n);
        let lines = |n: usize, across: bool, turned: bool| {
            let planner = &gpu.state.planner;
            planner.lines(n, size_of::<T>(), across, turned).ok_or_else(|| planner.too_long(n))
        };
        let (first, last) = (Ends { scale: [T::ONE; 2], ..ends }, Ends { sign: T::ONE, ..ends });
        match (&plan.parts[..], &plan.turns[..], between) {
            ([only], ..) => {
                // Lines with a stride between points are read across.
                let [across, over] = [x, out].map(|o| o.point > 1 && o.row < o.point);
                let shape = lines(n, across, across != over).or_else(|_| lines(n, false, false))?;
                self.lines(shape, only, Beside::NOTHING, [rows, 1, rows], [x, out].map(Operand::far), ends)
            }
            ([p, q], [turn], Some(mid)) => {
                let counts = [rows * q.n, 1, q.n];
                let from = (x.at, [x.row, 0, x.point, q.n * x.point]);
                let beside = self.turns(turn)?;
                self.lines(
                    lines(p.n, true, false)?,
                    p,
                    beside,
                    counts,
                    [from, (mid, [n, 0, 1, q.n])],
                    first,
                )?;
                let counts = [rows * p.n, 1, p.n];
                let to = (out.at, [out.row, 0, out.point, p.n * out.point]);
                self.lines(
                    lines(q.n, false, true)?,
                    q,
                    Beside::NOTHING,
                    counts,
                    [(mid, [n, 0, q.n, 1]), to],
                    last,
                )
            }
            ([p, q, r], [turn, inner], Some(mid)) => {
                let m = q.n * r.n;
                let from = (x.at, [x.row, 0, x.point, m * x.point]);
                let shape = lines(p.n, true, false)?;
                let beside = self.turns(turn)?;
                self.lines(shape, p, beside, [rows * m, 1, m], [from, (mid, [n, 0, 1, m])], first)?;
                let over = (mid, [n, m, 1, r.n]);
                let counts = [rows * p.n * r.n, p.n, r.n];
                let beside = self.turns(inner)?;
                self.lines(lines(q.n, true, false)?, q, beside, counts, [over; 2], Ends::PLAIN)?;
                let counts = [rows * p.n * q.n, q.n, p.n];
                let to = (out.at, [out.row, p.n * out.point, out.point, p.n * q.n * out.point]);
                self.lines(
                    lines(r.n, false, true)?,
                    r,
                    Beside::NOTHING,
                    counts,
                    [(mid, [n, r.n, m, 1]), to],
                    last,
                )
            }
            _ => Err(gpu.state.planner.too_long(n)),
        }
    }

    /// The transforms of `rows` lines.
    pub(super) fn transform(
        &mut self,
        plan: &'a Fft<T, D>,
        rows: usize,
        [x, out]: [Operand; 2],
        scratch: &'a Scratch<T, D>,
        ends: Ends<T>,
    ) -> Done {
        let between = match &scratch.between {
            Some(mid) => Some(self.bind(mid.view())?),
            None => None,
        };
        let Some([chirp, filter]) = &plan.chirp else {
            return self.smooth(&plan.inner, rows, [x, out], between, ends);
        };
        let (n, m) = (plan.n, plan.inner.n);
        let [chirp, filter] = [self.bind(chirp.view())?, self.bind(filter.view())?];
        let Some([a, b]) = &scratch.lines else {
            let beside = Beside { around: Around::Chirp, tables: vec![chirp, filter], number: Some(n) };
            return self.held(plan, rows, [x, out], beside, ends);
        };
        let [a, b] = [self.bind(a.view())?, self.bind(b.view())?];
        let whole = |at: usize| Operand { at, row: m, point: 1 };
        let words = |o: Operand| [rows, n, m, o.row, o.point];
        // Real numbers in pairs may lie anywhere.
        let [from, to] = [x.at, out.at].map(|at| self.whole(at));
        let op = if from { "fft_chirped" } else { "fft_chirped_apart" };
        self.flat(
            op,
            || fft::chirped::<T::Recorded>(from),
            rows * m,
            &[x.at, a, chirp],
            &words(x),
            &[ends.sign],
        )?;
        self.smooth(&plan.inner, rows, [whole(a), whole(b)], between, Ends::PLAIN)?;
        let make = fft::filtered::<T::Recorded>;
        self.flat("fft_filtered", make, rows * m, &[b, filter], &[rows * m, m], &[])?;
        // The filter is divided by `m`.
        let back = Ends { sign: -T::ONE, scale: [T::ONE, -T::ONE] };
        self.smooth(&plan.inner, rows, [whole(b), whole(a)], between, back)?;
        let op = if to { "fft_unchirped" } else { "fft_unchirped_apart" };
        self.flat(
            op,
            || fft::unchirped::<T::Recorded>(to),
            rows * n,
            &[a, out.at, chirp],
            &words(out),
            &ends.scale,
        )
    }

    pub(super) fn go(self) -> Done {
        self.gpu.go(self.launches, vec![], &self.bound)
    }
}

impl Planner {
    /// How lines lie over blocks which hold them from the first pass to the last, so that more is done there.
    pub(super) fn in_blocks<T, D: Device>(&self, plan: &Fft<T, D>) -> Option<Lines> {
        (plan.inner.parts.len() == 1).then(|| self.lines(plan.inner.n, size_of::<T>(), false, false))?
    }

    fn too_long(&self, n: usize) -> Error {
        Error::Limit {
            device: self.device.clone(),
            what: "points of a transform in shared memory",
            asked: n as u64,
            available: u64::from(self.limits.shared) / 8,
        }
    }
}

/// What is between the parts of transforms, and the lines of convolutions.
pub(super) struct Scratch<T, D: Device> {
    between: Option<Array<Complex<T>, D>>,
    lines: Option<[Array<Complex<T>, D>; 2]>,
}

impl<D: Device> Gpu<D> {
    fn roots<T: Scalar>(&self, n: usize, all: Vec<[f64; 2]>) -> Result<Roots<T, D>, Error> {
        let all: Vec<Complex<T>> =
            all.into_iter().map(|[re, im]| Complex::new(T::from_f64(re), T::from_f64(im))).collect();
        // One at least, so that there is something to bind.
        let table = if all.is_empty() { self.upload(&[Complex::ONE])? } else { self.upload(&all)? };
        Ok(Roots { n, table })
    }

    fn smooth<T: Scalar>(&self, n: usize) -> Result<Smooth<T, D>, Error> {
        let planner = &self.state.planner;
        let lengths = planner.parts(n, size_of::<T>()).ok_or_else(|| planner.too_long(n))?;
        let parts = lengths.iter().map(|n| self.roots(*n, fft::roots(*n))).collect::<Result<_, Error>>()?;
        let mut turns = Vec::new();
        let mut rest = n;
        for part in lengths.iter().take(lengths.len() - 1) {
            // Roots of `rest` as products of two.
            let shift = rest.ilog2() as usize / 2;
            let (fine, coarse) = (0..1 << shift, (0..=rest >> shift).map(|k| k << shift));
            let all = fine.chain(coarse).map(|k| fft::root((k % rest) as u64, rest as u64)).collect();
            turns.push(self.roots(shift, all)?);
            rest /= part;
        }
        Ok(Smooth { n, parts, turns })
    }

    /// The plan of transforms of `n` complex numbers.
    pub(super) fn complex_plan<T: Scalar>(&self, n: usize) -> Result<Fft<T, D>, Error>
    where
        D: Computes<T>,
    {
        not_empty("n", n)?;
        let overflow = crate::Error::overflow("n");
        let line = |n: usize| self.state.planner.line::<T::Recorded>("n", n.checked_mul(2).ok_or(overflow)?);
        line(n)?;
        if smooth(n) {
            return Ok(Fft { n, inner: self.smooth(n)?, chirp: None });
        }
        let m = bluestein::padded_len(n);
        line(m)?;
        let mut table = vec![T::ZERO; bluestein::plan_len(n)];
        bluestein::fill(n, &mut table, &mut vec![Complex::ZERO; bluestein::workspace(n)]);
        let (chirp, rest) = table.split_at(2 * n);
        let filter = rest.get(..2 * m).unwrap_or_default();
        let chirp = Some([self.upload(Complex::of(chirp)?)?, self.upload(Complex::of(filter)?)?]);
        Ok(Fft { n, inner: self.smooth(m)?, chirp })
    }

    /// The plan of transforms of `n` real numbers.
    pub(super) fn real_plan<T: Scalar>(&self, n: usize) -> Result<RealFft<T, D>, Error>
    where
        D: Computes<T>,
    {
        if !n.is_multiple_of(2) || n == 0 {
            return Ok(RealFft { n, inner: self.complex_plan(n)?, twist: None });
        }
        let inner = self.complex_plan(n / 2)?;
        // Times -i.
        let turned = (0..=n as u64 / 4).map(|k| fft::root(k, n as u64)).map(|[re, im]| [im, -re]);
        let twist = Some(self.roots::<T>(n, turned.collect())?.table);
        Ok(RealFft { n, inner, twist })
    }

    pub(super) fn scratch<T: Scalar>(&self, plan: &Fft<T, D>, rows: usize) -> Result<Scratch<T, D>, Error> {
        let m = plan.inner.n;
        let all = rows.checked_mul(m).ok_or(crate::Error::overflow("x"))?;
        let planner = &self.state.planner;
        let overflow = crate::Error::overflow("x");
        let several = plan.inner.parts.len() > 1;
        if several || plan.chirp.is_some() {
            planner.line::<T::Recorded>("x", all.checked_mul(2).ok_or(overflow)?)?;
        }
        let between = if several { Some(self.alloc(all)?) } else { None };
        let lines = match plan.chirp {
            Some(_) if planner.in_blocks(plan).is_none() => Some([self.alloc(all)?, self.alloc(all)?]),
            _ => None,
        };
        Ok(Scratch { between, lines })
    }
}
