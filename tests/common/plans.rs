//! Turns bytes into one call of an op on a device that only looks at its launches: what the planner makes of sizes, strides
//! and places must be in range, and what it refuses must be named.

use fulmen::backend::*;
use fulmen::gpu::Type;
use fulmen::gpu::backend::{Array, Batch, BatchMut, Gpu, Mat, MatMut, View, ViewMut, Word};
use fulmen::gpu::device::{
    Binding, Blocking, Computes, Device, Error, Facts, Launch, Limits, Readback, check,
};
use fulmen::gpu::template::{Argument, Meet};
use fulmen::hardware::Language;
use fulmen::{Adam, Align, Attention, Conv1d, Conv2d, Diagonal, Pad, RopeStyle, Side, Triangle};
use std::cell::RefCell;

/// A device that holds nothing and runs nothing.
#[derive(Debug)]
pub struct Paper {
    facts: Facts,
    /// Parts of buffers that a list was given, by their size in bytes.
    seen: RefCell<Vec<[u64; 3]>>,
}

/// How many bytes it would have.
#[derive(Debug)]
pub struct Sheet(u64);

impl Device for Paper {
    type Buffer = Sheet;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn allocate(&self, bytes: u64) -> Result<Sheet, Error> {
        let available = self.facts.limits.buffer;
        if bytes <= available {
            return Ok(Sheet(bytes));
        }
        let device = self.facts.name.clone();
        Err(Error::Limit { device, what: "bytes of a buffer", asked: bytes, available })
    }

    fn number(&self, buffer: &Sheet) -> u64 {
        core::ptr::from_ref(buffer).addr() as u64
    }

    fn write(&self, to: &Sheet, start: u64, bytes: &[u8]) -> Result<(), Error> {
        assert!(start + bytes.len() as u64 <= to.0, "a write past its buffer");
        Ok(())
    }

    unsafe fn launch(&self, list: &[Launch], bindings: &[Binding<'_, Sheet>]) -> Result<(), Error> {
        let limits = &self.facts.limits;
        for b in bindings {
            let end = b.start.checked_add(b.bytes).expect("the end of a binding is a number");
            assert!(end <= b.buffer.0, "a binding of {} bytes from {} in {}", b.bytes, b.start, b.buffer.0);
            assert!(b.start % 4 == 0 && b.bytes % 4 == 0, "a binding of parts of words");
            self.seen.borrow_mut().push([b.buffer.0, b.start, b.bytes]);
        }
        for l in list {
            let kernel = l.program.kernel();
            let name = &kernel.name;
            match check(&self.facts, l, bindings.len()) {
                // What no plan of this op has is refused by the device; a grid or a block it was told before.
                Err(few @ Error::Limit { what: "buffers of a kernel", .. }) => return Err(few),
                other => other.unwrap_or_else(|e| panic!("{name}: {e}: {:?} of {:?}", l.grid, l.block)),
            }
            assert!(l.grid.iter().all(|n| *n > 0), "{name}: a grid without blocks: {:?}", l.grid);
            for (a, of) in l.arguments.iter().zip(&kernel.params) {
                let fits = match (a, of) {
                    (Argument::Buffer(k) | Argument::Map(k, _), Type::U64) => {
                        let (asked, available) = (bindings[*k].bytes, limits.binding);
                        if asked > available {
                            let device = self.facts.name.clone();
                            return Err(Error::Limit {
                                device,
                                what: "bytes of a binding",
                                asked,
                                available,
                            });
                        }
                        true
                    }
                    (Argument::Bits(bits), Type::U32 | Type::F32) => u32::try_from(*bits).is_ok(),
                    (Argument::Bits(_), Type::U64 | Type::F64) => true,
                    _ => false,
                };
                assert!(fits, "{name}: {a:?} for {of:?}");
            }
        }
        Ok(())
    }

    async fn read(&self, parts: &mut [Readback<'_, Sheet>]) -> Result<(), Error> {
        parts.iter_mut().for_each(|p| p.to.fill(0));
        Ok(())
    }
}
impl Blocking for Paper {}
impl Computes<f32> for Paper {}
impl Computes<u8> for Paper {}

/// Devices that differ in what the planner asks: small and large, of each language.
fn papers() -> Vec<Gpu<Paper>> {
    let small = Limits {
        buffer: 1 << 32,
        binding: 1 << 27,
        bindings: 8,
        grid: [65535; 3],
        threads: 256,
        shared: 16 << 10,
    };
    let large =
        Limits { buffer: 1 << 50, binding: 1 << 50, bindings: 32, threads: 1024, shared: 227 << 10, ..small };
    let tight = Limits { buffer: 4096, binding: 1024, bindings: 4, threads: 256, ..small };
    let wide = Limits { grid: [0x7fff_ffff, 65535, 65535], ..large };
    let of = |language, meet, limits, blocks, groups, short| {
        let name = String::from("paper");
        let facts = Facts { name, language, meet, groups, matrices: !groups, short, blocks, limits };
        Gpu::new(Paper { facts, seen: RefCell::default() })
    };
    vec![
        of(Language::Rust, Meet::Warps, small, 8, false, false),
        of(Language::Wgsl, Meet::Memory, small, 4096, false, false),
        of(Language::Wgsl, Meet::Warps, large, 4096, false, false),
        of(Language::Wgsl, Meet::Memory, small, 16, false, true),
        of(Language::Ptx, Meet::Warps, wide, 1056, true, false),
        of(Language::Ptx, Meet::Warps, Limits { shared: 48 << 10, ..wide }, 64, false, false),
        of(Language::Wgsl, Meet::Memory, tight, 2, false, false),
    ]
}

/// Numbers out of the bytes.
struct Dice<'a>(&'a [u8]);
impl Dice<'_> {
    fn byte(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }
    /// Mostly small or about a power of two; now and then past what anything counts.
    fn size(&mut self) -> usize {
        let (how, by) = (self.byte(), self.byte());
        match how % 8 {
            0..3 => by,
            3..6 => ((1usize << (by % 18)) + how / 8).saturating_sub(16),
            6 => ((1usize << (by % 34)) + how / 8).saturating_sub(16),
            _ => [0, 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, 1 << 40, usize::MAX / 4, usize::MAX][by % 8],
        }
    }
    fn few(&mut self) -> usize {
        self.size() % 2500
    }
    fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }
}

/// A length, and where in its array it starts.
struct Line<T: Word> {
    array: Array<T, Paper>,
    from: usize,
    len: usize,
}

impl<T: Word> Line<T> {
    fn new(gpu: &Gpu<Paper>, d: &mut Dice<'_>, len: usize) -> Result<Self, Error> {
        let from = d.byte() % 6;
        let all = len.checked_add(from + d.byte() % 3).ok_or(fulmen::Error::overflow("len"))?;
        Ok(Self { array: gpu.alloc(all)?, from, len })
    }
    fn view(&self) -> Result<View<'_, T, Paper>, Error> {
        self.array.view().part(self.from..self.from + self.len)
    }
    fn view_mut(&mut self) -> Result<ViewMut<'_, T, Paper>, Error> {
        let [_, rest] = self.array.view_mut().split(self.from)?;
        let [own, _] = rest.split(self.len)?;
        Ok(own)
    }
}

/// A matrix in wider rows, or a transposed one.
struct Grid {
    line: Line<f32>,
    shape: [usize; 2],
    before: usize,
    turned: bool,
}

impl Grid {
    fn new(gpu: &Gpu<Paper>, d: &mut Dice<'_>, [rows, cols]: [usize; 2]) -> Result<Self, Error> {
        let overflow = fulmen::Error::overflow("rows * cols");
        let turned = d.flag();
        let [rows, cols] = if turned { [cols, rows] } else { [rows, cols] };
        let (before, behind) = if d.flag() { (d.byte() % 9, d.byte() % 9) } else { (0, 0) };
        let wide = cols.checked_add(before + behind).ok_or(overflow)?;
        let line = Line::new(gpu, d, rows.checked_mul(wide).ok_or(overflow)?)?;
        Ok(Self { line, shape: [rows, wide], before, turned })
    }
    fn cols(&self, [rows, cols]: [usize; 2]) -> core::ops::Range<usize> {
        self.before..self.before + if self.turned { rows } else { cols }
    }
    fn mat(&self, shape: [usize; 2]) -> Result<Mat<'_, f32, Paper>, Error> {
        let all = self.line.view()?.matrix(self.shape[0], self.shape[1])?.cols(self.cols(shape))?;
        Ok(if self.turned { all.t() } else { all })
    }
    fn mat_mut(&mut self, shape: [usize; 2]) -> Result<MatMut<'_, f32, Paper>, Error> {
        let (cols, turned, [rows, wide]) = (self.cols(shape), self.turned, self.shape);
        let [_, rest] = self.line.view_mut()?.matrix(rows, wide)?.split_cols(cols.start)?;
        let [own, _] = rest.split_cols(cols.len())?;
        Ok(if turned { own.t() } else { own })
    }
}

/// One call: the first bytes pick the device and the op, the others sizes, strides and places. Whether anything was launched.
///
/// # Panics
/// Where a launch is out of range, or a refusal has no name.
pub fn run(bytes: &[u8]) -> bool {
    thread_local!(static PAPERS: Vec<Gpu<Paper>> = papers());
    let d = &mut Dice(bytes);
    let (paper, op) = (d.byte(), d.byte());
    PAPERS.with(|papers| {
        let gpu = &papers[paper % papers.len()];
        gpu.device().seen.borrow_mut().clear();
        match call(gpu, op, d) {
            Ok(()) | Err(Error::Call(_) | Error::Limit { .. }) => {}
            Err(other) => panic!("op {}: {other}", op % OPS),
        }
        !gpu.device().seen.borrow().is_empty()
    })
}

/// Ops that [`run`] picks from.
pub const OPS: usize = 29;

#[allow(clippy::too_many_lines, reason = "a case for each op")]
fn call(gpu: &Gpu<Paper>, op: usize, d: &mut Dice<'_>) -> Result<(), Error> {
    let (n, cols) = (d.size(), d.size());
    // Whole rows, so that not all is refused at once.
    let n = if d.byte().is_multiple_of(4) || cols == 0 || cols > n { n } else { n / cols * cols };
    let line = |d: &mut Dice<'_>, n: usize| Line::<f32>::new(gpu, d, n);
    let area = |d: &mut Dice<'_>| [d.size(), d.size()];
    let narrow = |d: &mut Dice<'_>| [d.few(), d.few()];
    let overflow = Error::Call(fulmen::Error::overflow("n"));
    match op % OPS {
        0 => {
            let (x, mut y) = (line(d, n)?, line(d, n)?);
            gpu.scale(x.view()?, 1.5, y.view_mut()?)?;
            // The pieces of what is read are all of it, one behind the other.
            let seen = gpu.device().seen.borrow();
            let read: Vec<_> = seen.iter().step_by(2).collect();
            let ends = read.windows(2).all(|w| w[0][1] + w[0][2] == w[1][1]);
            let all: u64 = read.iter().map(|s| s[2]).sum();
            assert!(ends && (n == 0 || all == 4 * n as u64), "{n} elements in {read:?}");
            Ok(())
        }
        1 => {
            let (a, b, mut y) = (line(d, n)?, line(d, n)?, line(d, n)?);
            gpu.add(a.view()?, b.view()?, y.view_mut()?)
        }
        2 => {
            let (x, mut y) = (line(d, n)?, line(d, n)?);
            gpu.axpy(0.5, x.view()?, y.view_mut()?)
        }
        3 => gpu.fill(2.0, line(d, n)?.view_mut()?),
        4 => {
            let (x, mut one) = (line(d, n)?, line(d, 1)?);
            match d.byte() % 4 {
                0 => gpu.sum(x.view()?, one.view_mut()?),
                1 => gpu.variance(x.view()?, one.view_mut()?),
                2 => gpu.norm_l2(x.view()?, one.view_mut()?),
                _ => gpu.argmax(x.view()?, Line::<u32>::new(gpu, d, 1)?.view_mut()?),
            }
        }
        5 => {
            let (a, b, mut one) = (line(d, n)?, line(d, n)?, line(d, 1)?);
            gpu.dot(a.view()?, b.view()?, one.view_mut()?)
        }
        6 => {
            let (x, mut y) = (line(d, n)?, line(d, n)?);
            gpu.softmax(x.view()?, cols, y.view_mut()?)
        }
        7 => {
            let (x, g, mut y) = (line(d, n)?, line(d, cols)?, line(d, n)?);
            gpu.rms_norm(x.view()?, g.view()?, 1e-5, y.view_mut()?)
        }
        8 | 9 => {
            let (m, n, k) = (d.size(), d.size(), d.size());
            let (a, b, mut c) =
                (Grid::new(gpu, d, [m, k])?, Grid::new(gpu, d, [k, n])?, Grid::new(gpu, d, [m, n])?);
            let factors = [d.byte() % 3, d.byte() % 2].map(|x| x as f32);
            let (a, b, c) = (a.mat([m, k])?, b.mat([k, n])?, c.mat_mut([m, n])?);
            gpu.gemm(factors[0], a, b, factors[1], c)
        }
        10 => {
            let [m, k] = area(d);
            let (a, x, mut y) =
                (Grid::new(gpu, d, [m, k])?, Grid::new(gpu, d, [k, 1])?, Grid::new(gpu, d, [m, 1])?);
            Products::gemv(gpu, 1.0, a.mat([m, k])?, x.mat([k, 1])?, d.byte() as f32, y.mat_mut([m, 1])?)
        }
        11 => {
            let [m, n] = area(d);
            let (a, mut b) = (Grid::new(gpu, d, [m, n])?, Grid::new(gpu, d, [n, m])?);
            gpu.transpose(a.mat([m, n])?, b.mat_mut([n, m])?)
        }
        12 | 13 => {
            let (kv_heads, group, dim) = (d.byte() % 9, d.byte() % 5, d.byte() % 140);
            let heads = kv_heads * group;
            let window = d.flag().then(|| d.size());
            let o = Attention { causal: d.flag(), window, ..Attention::new(heads, kv_heads, dim, 0.3) };
            let (rows, keys) = (d.size(), d.size());
            let o = match d.byte() % 3 {
                0 => Attention {
                    softcap: Some(2.0),
                    align: Align::TopLeft,
                    value_dim: Some(d.byte() % 140),
                    ..o
                },
                1 => Attention { value_dim: Some(d.byte() % 140), ..o },
                _ => o,
            };
            let values = o.value_dim.unwrap_or(dim);
            let [q_shape, k_shape] = [[rows, heads * dim], [keys, kv_heads * dim]];
            let [v_shape, out_shape] = [[keys, kv_heads * values], [rows, heads * values]];
            let mask_shape = [if d.flag() { rows } else { rows.checked_mul(heads).unwrap_or(rows) }, keys];
            let mask = if d.flag() { Some(Grid::new(gpu, d, mask_shape)?) } else { None };
            let mask = mask.as_ref().map(|mask| mask.mat(mask_shape)).transpose()?;
            let q = Grid::new(gpu, d, q_shape)?;
            let [k, v] = [Grid::new(gpu, d, k_shape)?, Grid::new(gpu, d, v_shape)?];
            let mut out = Grid::new(gpu, d, out_shape)?;
            let mut lse = line(d, rows.checked_mul(heads).ok_or(overflow)?)?;
            let lse = if d.flag() { Some(lse.view_mut()?) } else { None };
            let (q, k, v) = (q.mat(q_shape)?, k.mat(k_shape)?, v.mat(v_shape)?);
            gpu.attention(&o, q, k, v, mask, out.mat_mut(out_shape)?, lse, ())
        }
        14 => {
            let many = d.byte() * d.byte();
            let ids = Line::<u32>::new(gpu, d, many)?;
            let n = ids.len.checked_mul(cols).ok_or(overflow)?;
            let (table, mut out) = (line(d, n / 2)?, line(d, n)?);
            if d.flag() {
                return gpu.embedding(table.view()?, cols, ids.view()?, out.view_mut()?);
            }
            gpu.scatter_add(out.view()?, cols, ids.view()?, line(d, cols)?.view_mut()?)
        }
        15 => {
            let (x, mut y) = (line(d, n.saturating_mul(2))?, line(d, n)?);
            gpu.swiglu_packed(x.view()?, cols, y.view_mut()?)
        }
        16 => {
            let rows = n.checked_div(cols).unwrap_or(3);
            let (x, t) = (line(d, n)?, Line::<u32>::new(gpu, d, rows)?);
            let (mut losses, mut lse) = (line(d, rows)?, line(d, rows)?);
            gpu.cross_entropy(x.view()?, t.view()?, cols, losses.view_mut()?, lse.view_mut()?)
        }
        17 => {
            let (rows, heads, dim) = (d.size(), d.byte() % 9, d.byte());
            let mut x = Grid::new(gpu, d, [rows, heads * dim])?;
            let half = rows.checked_mul(dim / 2).ok_or(overflow)?;
            let [cos, sin] = [line(d, half)?, line(d, half)?];
            let x = x.mat_mut([rows, heads * dim])?;
            gpu.rope_view(x, dim, cos.view()?, sin.view()?, RopeStyle::Neox, d.flag())
        }
        18 => {
            let k = d.few();
            let (x, mut values) = (line(d, n)?, line(d, k)?);
            gpu.top_k(x.view()?, k, values.view_mut()?, Line::<u32>::new(gpu, d, k)?.view_mut()?)
        }
        19 => {
            let ([m, n], side) = (narrow(d), if d.flag() { Side::Left } else { Side::Right });
            let k = if side == Side::Left { m } else { n };
            let (a, mut b) = (Grid::new(gpu, d, [k, k])?, Grid::new(gpu, d, [m, n])?);
            let triangle = if d.flag() { Triangle::Upper } else { Triangle::Lower };
            let (a, b) = (a.mat([k, k])?, b.mat_mut([m, n])?);
            Blas::trsm(gpu, side, 1.5, triangle, Diagonal::NonUnit, a, b, ())
        }
        20 => {
            let (channels_in, channels_out) = (d.byte() % 20, d.byte() % 20);
            let (length, kernel, stride) = (d.size(), d.byte() % 12, d.byte() % 5);
            let padding = if d.byte().is_multiple_of(8) { d.size() } else { d.byte() };
            let (dilation, groups) = (d.byte() % 4, [1, 1, 2, 0][d.byte() % 4]);
            if d.flag() {
                let (height, kh) = (d.byte(), d.byte() % 4);
                let conv = Conv2d {
                    stride: [d.byte() % 4, stride],
                    padding: [[d.byte() % 5, d.byte() % 5], [d.byte(), padding]],
                    dilation: [d.byte() % 3, dilation],
                    groups,
                    ..Conv2d::new(channels_in, channels_out, [height, length], [kh, kernel])
                };
                let [rows, cols] = conv.output().unwrap_or([1, 3]);
                let batch = d.byte() % 9;
                let elements = |channels: usize, [rows, cols]: [usize; 2]| {
                    let plane = rows.checked_mul(cols).and_then(|n| n.checked_mul(channels * batch));
                    plane.ok_or(overflow.clone())
                };
                let mut x = line(d, elements(channels_in, [height, length])?)?;
                let mut w = line(d, channels_out * (channels_in / groups.max(1)) * kh * kernel)?;
                let mut y = line(d, elements(channels_out, [rows, cols])?)?;
                return match d.byte() % 3 {
                    0 => gpu.conv2d(conv, x.view()?, w.view()?, None, y.view_mut()?, ()),
                    1 => gpu.conv2d_backward_input(conv, y.view()?, w.view()?, x.view_mut()?, ()),
                    _ => gpu.conv2d_backward_weights(conv, x.view()?, y.view()?, w.view_mut()?, None, ()),
                };
            }
            let conv =
                Conv1d { channels_in, channels_out, length, kernel, stride, padding, dilation, groups };
            let out = conv.output().unwrap_or(3);
            let batch = d.byte();
            let x = line(d, length.checked_mul(channels_in * batch).ok_or(overflow.clone())?)?;
            let w = line(d, channels_out * (channels_in / groups.max(1)) * kernel)?;
            let mut y = line(d, out.checked_mul(channels_out * batch).ok_or(overflow)?)?;
            gpu.conv1d(conv, x.view()?, w.view()?, None, y.view_mut()?, ())
        }
        21 => {
            let (rows, [a, b, c]) = (d.byte() % 9, [(); 3].map(|()| d.byte() % 5));
            let x = line(d, rows.checked_mul(cols).ok_or(overflow.clone())?)?;
            let (shape, by) = ([rows, cols], [[a, b], [0, c]]);
            if d.flag() {
                if d.flag() {
                    // As many along the rows as `a`.
                    let ids = Line::<u32>::new(gpu, d, cols.checked_mul(a).ok_or(overflow)?)?;
                    let (axis, whole) = (d.byte() % 3, d.flag());
                    let mut small = line(d, if whole { ids.len } else { n })?;
                    let (ids, mut all) = (ids.view()?, x);
                    return match d.flag() {
                        true => gpu.gather_elements(all.view()?, &shape, axis, ids, small.view_mut()?),
                        false => gpu.scatter_add_elements(small.view()?, &shape, axis, ids, all.view_mut()?),
                    };
                }
                let ids = Line::<u32>::new(gpu, d, a * b)?;
                let n = if d.flag() { cols } else { rows }.checked_mul(ids.len).ok_or(overflow)?;
                return gpu.gather(x.view()?, &shape, d.byte() % 3, ids.view()?, line(d, n)?.view_mut()?);
            }
            let with = [Pad::Constant(1.5), Pad::Edge, Pad::Reflect, Pad::Wrap][d.byte() % 4];
            let n = cols.checked_add(c).and_then(|n| n.checked_mul(rows + a + b)).ok_or(overflow)?;
            gpu.pad(x.view()?, &shape, &by, with, line(d, n)?.view_mut()?)
        }
        22 => {
            let ([m, n], cols) = (narrow(d), d.byte());
            let (mut a, mut b) = (Grid::new(gpu, d, [m, n])?, Grid::new(gpu, d, [m, cols])?);
            let (mut pivots, mut tau) = (Line::<u32>::new(gpu, d, m.min(n))?, line(d, m.min(n))?);
            let which = d.byte() % 11;
            if which > 6 {
                // Of any strides, also such as lead nowhere or to the same element.
                let (count, n) = (d.byte() % 9, m % 70);
                let by = [n * n + d.byte() % 3, n + d.byte() % 2, 1 + d.byte() % 2];
                let by = if d.flag() { [by[0], by[2], by[1]] } else { by };
                let mut a = line(d, count * (n + 1) * (n + 2))?;
                let mut b = line(d, count * n * cols)?;
                let mut pivots = Line::<u32>::new(gpu, d, count * n)?;
                let (of, to) = ([count, n, n], ([count, n, cols], [n * cols, cols, 1]));
                return match which {
                    7 => gpu.cholesky_batched(BatchMut::strided(a.view_mut()?, of, by)?),
                    8 => gpu.lu_batched(BatchMut::strided(a.view_mut()?, of, by)?, pivots.view_mut()?),
                    9 => {
                        let b = BatchMut::strided(b.view_mut()?, to.0, to.1)?;
                        gpu.cholesky_solve_batched(Batch::strided(a.view()?, of, by)?, b)
                    }
                    _ => {
                        let b = BatchMut::strided(b.view_mut()?, to.0, to.1)?;
                        gpu.lu_solve_batched(Batch::strided(a.view()?, of, by)?, pivots.view()?, b)
                    }
                };
            }
            match which {
                0 => gpu.cholesky(a.mat_mut([m, n])?, ()),
                1 => gpu.cholesky_solve(a.mat([m, n])?, b.mat_mut([m, cols])?, ()),
                2 => gpu.lu(a.mat_mut([m, n])?, pivots.view_mut()?, ()),
                3 => gpu.lu_solve(a.mat([m, n])?, pivots.view()?, b.mat_mut([m, cols])?, ()),
                4 => gpu.qr(a.mat_mut([m, n])?, tau.view_mut()?, ()),
                5 => gpu.qr_apply(d.flag(), a.mat([m, n])?, tau.view()?, b.mat_mut([m, cols])?, ()),
                _ => gpu.least_squares(a.mat_mut([m, n])?, tau.view_mut()?, b.mat_mut([m, cols])?, ()),
            }
        }
        23 => {
            let (x, channels) = (Line::<u8>::new(gpu, d, n)?, if d.flag() { cols } else { 1 + d.byte() % 5 });
            let ([scale, offset], mut out) = ([line(d, channels)?, line(d, channels)?], line(d, n)?);
            if d.flag() {
                let x = Line::<i16>::new(gpu, d, n)?;
                return gpu.i16_to_float(x.view()?, scale.view()?, offset.view()?, out.view_mut()?);
            }
            gpu.u8_to_float(x.view()?, scale.view()?, offset.view()?, out.view_mut()?)
        }
        24 => {
            let (rows, of_row, n, k) = (d.few(), d.byte() % 3, d.byte() + 2, d.size());
            let offsets: Vec<usize> = (0..=rows).map(|i| i * of_row).collect();
            let columns: Vec<u32> = (0..rows).flat_map(|_| 0..of_row as u32).collect();
            let values = vec![0.0; columns.len()];
            let a = gpu.csr(fulmen::Csr::new(rows, n, &offsets, &columns, &values)?)?;
            if d.flag() {
                let turned = gpu.csr_transpose(&a, (), (), ())?;
                return gpu.spgemm(&a, &turned, (), (), (), ()).map(drop);
            }
            let (x, y) = (Grid::new(gpu, d, [rows, k])?, Grid::new(gpu, d, [k, n])?);
            let mut to = line(d, values.len())?;
            gpu.sddmm(1.5, x.mat([rows, k])?, y.mat([k, n])?, &a, d.byte() as f32, to.view_mut()?)
        }
        25 => {
            let block = d.size();
            let (count, slot) = (n.div_ceil(block.max(1)), fulmen::lz4_bound(block));
            let (mut x, mut sizes) = (Line::<u8>::new(gpu, d, n)?, Line::<u32>::new(gpu, d, count)?);
            let less = if d.flag() { d.byte() % 9 } else { 0 };
            let mut slots = Line::<u8>::new(gpu, d, count.saturating_mul(slot).saturating_sub(less))?;
            if less > 0 || d.flag() {
                return gpu.lz4_decompress(slots.view()?, sizes.view()?, block, x.view_mut()?);
            }
            gpu.lz4_compress(x.view()?, block, slots.view_mut()?, sizes.view_mut()?)
        }
        26 => {
            let (x, mut y) = (line(d, n)?, line(d, n)?);
            // Long rows, too.
            let cols = if d.flag() { n / (1 + d.byte() % 4) } else { cols };
            gpu.cumsum(x.view()?, cols, y.view_mut()?)
        }
        27 => {
            let (count, [m, n, k]) = (d.size(), [(); 3].map(|()| d.few() % 200));
            let all = |rows: usize, cols: usize| count.checked_mul(rows * cols).ok_or(overflow.clone());
            let (a, b, mut c) = (line(d, all(m, k)?)?, line(d, all(k, n)?)?, line(d, all(m, n)?)?);
            let p = Batch::strided(a.view()?, [count, m, k], [m * k, k, 1])?;
            let q = Batch::strided(b.view()?, [count, k, n], [k * n, n, 1])?;
            gpu.gemm_strided_batched(
                1.5,
                p,
                q,
                0.5,
                BatchMut::strided(c.view_mut()?, [count, m, n], [m * n, n, 1])?,
            )
        }
        _ => {
            let with = Adam {
                lr: 1e-3,
                beta1: 0.9,
                beta2: 0.99,
                eps: 1e-8,
                weight_decay: 0.1,
                step: d.byte() as u32,
            };
            let (g, mut m, mut v, mut p) = (line(d, n)?, line(d, n)?, line(d, n)?, line(d, n)?);
            gpu.adamw(with, g.view()?, m.view_mut()?, v.view_mut()?, p.view_mut()?)
        }
    }
}
