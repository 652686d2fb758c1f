//! Kernels with a thread for each element whose accesses are no plain map: embedding and scatter (rows by indices),
//! SwiGLU of packed halves, rotary positions (pairs of elements), and optimiser steps (parameters and state).

use super::super::builder::{Address, Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, Stored, U32, U64};
use super::status::{Index, note};
use crate::alu::{Alu, Body, Real};
use crate::lanes::drive::Update;
use crate::lanes::rotary;
use crate::nn::{Adam, Adaptive, Descent, Heavy, Moments};
use crate::nn::{GateBackward, Swiglu};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The address of element `i`.
pub(super) fn at<'b, T: Stored>(base: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, U64> {
    base + i.wide(base.builder().int(i64::from(T::TYPE.bytes())))
}

/// Element `i`.
pub(super) fn get<'b, T: Stored>(base: Value<'b, U64>, i: Value<'b, U32>) -> Value<'b, T> {
    base.builder().load(Space::Global, at::<T>(base, i), 0)
}

/// Writes element `i`.
pub(super) fn put<'b, T: Stored>(base: Value<'b, U64>, i: Value<'b, U32>, v: Value<'b, T>) {
    base.builder().store(Space::Global, at::<T>(base, i), 0, v);
}

/// One, two or four neighbours at once; the address is a multiple of their size.
pub(super) fn neighbours<'b, T: Stored>(
    b: &'b Builder,
    space: Space,
    start: impl Into<Address<'b>>,
    offset: i32,
    many: u32,
) -> Vec<Value<'b, T>> {
    match many {
        4 => b.load_vector::<T, 4>(space, start, offset).to_vec(),
        2 => b.load_vector::<T, 2>(space, start, offset).to_vec(),
        _ => Vec::from([b.load::<T>(space, start, offset)]),
    }
}

/// Writes one, two or four neighbours at once, as [`neighbours`] reads them.
pub(super) fn keep<'b, T: Stored>(
    b: &'b Builder,
    space: Space,
    to: impl Into<Address<'b>>,
    v: &[Value<'b, T>],
) {
    match *v {
        [p, q, r, s] => b.store_vector(space, to, 0, [p, q, r, s]),
        [p, q] => b.store_vector(space, to, 0, [p, q]),
        [v] => b.store(space, to, 0, v),
        _ => {}
    }
}

/// Whether lines of elements of `width` bytes, from `base` on and `by` elements from one to the next, all start at multiples
/// of `bytes`.
pub(super) fn aligned<'b>(
    base: Value<'b, U64>,
    by: Value<'b, U32>,
    [bytes, width]: [u32; 2],
) -> Value<'b, Pred> {
    let low = |v: Value<'b, U32>, most: u32| v & v.builder().int(i64::from(most - 1));
    (low(base.to(), bytes) | low(by, bytes / width)).compare(Cmp::Eq, base.builder().int(0))
}

/// The elements of `y` from those of `x`, and the old ones of `y` if these are `read`. With `wide` 16 bytes are read and
/// written at once, where every array starts at a multiple of so many.
pub(super) fn map<'b, T: Recorded, const N: usize, const K: usize>(
    b: &'b Builder,
    n: Value<'b, U32>,
    wide: bool,
    x: [Value<'b, U64>; N],
    (y, read): ([Value<'b, U64>; K], bool),
    // Not a type, as this would be compiled for each body.
    body: &dyn Fn([Value<'b, T>; N], [Value<'b, T>; K]) -> [Value<'b, T>; K],
) {
    let turn = |i: Value<'b, U32>, many: u32| {
        let get = |from| neighbours::<T>(b, Space::Global, at::<T>(from, i), 0, many).into_iter();
        let (mut x, mut old) = (x.map(get), read.then(|| y.map(get)));
        let none = b.bits::<T>(0);
        let new: Vec<[_; K]> = (0..many)
            .map(|_| {
                let x = x.each_mut().map(|x| x.next().unwrap_or(none));
                let old = old.as_mut().map(|y| y.each_mut().map(|y| y.next().unwrap_or(none)));
                body(x, old.unwrap_or([none; K]))
            })
            .collect();
        for (j, to) in y.iter().enumerate() {
            let to = at::<T>(*to, i);
            let v: Vec<_> = new.iter().filter_map(|new| new.get(j).copied()).collect();
            keep(b, Space::Global, to, &v);
        }
        Vec::new()
    };
    let width = b.special(Special::NtidX);
    let start = b.special(Special::CtaidX) * width + b.special(Special::TidX);
    let step = b.special(Special::NctaidX) * width;
    let rest = if wide {
        let many = 16 / T::TYPE.bytes();
        let whole = n & b.int(!i64::from(many - 1));
        let by = b.int(i64::from(many));
        b.count::<U32, T>([start * by, whole, step * by], 1, &[], |i, _| turn(i, many));
        whole + start
    } else {
        start
    };
    b.count::<U32, T>([rest, n, step], 1, &[], |i, _| turn(i, 1));
}

/// The body for each of `n`, whatever the grid.
pub(super) fn each<'b>(b: &'b Builder, n: Value<'b, U32>, body: impl FnOnce(Value<'b, U32>)) {
    let width = b.special(Special::NtidX);
    let start = b.special(Special::CtaidX) * width + b.special(Special::TidX);
    b.count::<U32, U32>([start, n, b.special(Special::NctaidX) * width], 1, &[], |i, _| {
        body(i);
        Vec::new()
    });
}

pub(super) fn named<T: Recorded>(op: &str) -> Builder {
    Builder::new(&format!("{op}_{}", T::Elem::NAME))
}

/// Two words by turns. Parameters: where; the number of words, the words.
pub fn fill() -> Result<Kernel, Error> {
    let b = Builder::new("fill");
    let to = b.param::<U64>();
    let [n, even, odd] = b.params::<U32, 3>();
    each(&b, n, |i| {
        let second = (i & b.int(1)).compare(Cmp::Ne, b.int(0));
        put(to, i, Value::select(second, odd, even));
    });
    b.finish()
}

/// A word of which the bits of a mask stay. Parameters: the word, the mask, the other bits (`U32`). Launch a block.
pub fn word() -> Result<Kernel, Error> {
    let b = Builder::new("word");
    b.threads([32, 1, 1]);
    let at = b.param::<U64>();
    let [mask, bits] = b.params::<U32, 2>();
    let zero = b.int::<U32>(0);
    b.when(b.special(Special::TidX).compare(Cmp::Eq, b.int(0)), || {
        put::<U32>(at, zero, (get::<U32>(at, zero) & mask) | bits);
    });
    b.finish()
}

/// `out[r] = table[ids[r]]`. Parameters: the table, the indices, `out`, the status words; the elements of `out`, columns,
/// rows of the table. A row whose index is past the table is zeros.
pub fn embedding<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("embedding");
    let [table, ids, out, status] = b.params::<U64, 4>();
    let [n, cols, rows] = b.params::<U32, 3>();
    each(&b, n, |i| {
        let r = i / cols;
        let id = get::<U32>(ids, r);
        let [v] = b.either(
            id.compare(Cmp::Lt, rows),
            || [get::<T>(table, id * cols + (i - r * cols))],
            || {
                note(status, Index::Embedding, id);
                [b.bits(0)]
            },
        );
        put(out, i, v);
    });
    b.finish()
}

/// For the first of each `many` of `n`, a multiple of so many, what is read and what is written: a thread reads two pieces
/// before it writes.
pub(super) fn each_piece<'b, R>(
    b: &'b Builder,
    n: Value<'b, U32>,
    many: u32,
    read: impl Fn(Value<'b, U32>) -> R,
    write: impl Fn(Value<'b, U32>, R),
) {
    if many == 1 {
        return each(b, n, |i| write(i, read(i)));
    }
    let by = b.int(i64::from(many.ilog2()));
    let (width, block) = (b.special(Special::NtidX), b.special(Special::CtaidX));
    let (tid, blocks) = (b.special(Special::TidX), b.special(Special::NctaidX));
    let (pieces, pair) = (n >> by, width + width);
    let whole = pieces / pair * pair;
    for (first, end, each) in [(block * pair, whole, 2), (whole + block * width, pieces, 1)] {
        let step = blocks * if each == 2 { pair } else { width };
        b.count::<U32, U32>([first + tid, end, step], 1, &[], |i, _| {
            let at: Vec<_> = [i, i + width].into_iter().take(each).map(|i| i << by).collect();
            let got: Vec<R> = at.iter().map(|i| read(*i)).collect();
            at.into_iter().zip(got).for_each(|(i, got)| write(i, got));
            Vec::new()
        });
    }
}

/// Elements that a thread takes at a time.
fn at_once<T: Stored>(wide: bool) -> u32 {
    if wide { 16 / T::TYPE.bytes() } else { 1 }
}

fn named_by<T: Recorded>(op: &str, wide: bool) -> Builder {
    if wide { named::<T>(&format!("{op}_wide")) } else { named::<T>(op) }
}

/// How threads of gates take elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gates {
    /// One by one.
    Single,
    /// 16 bytes at once: columns are a multiple of so many, and every array starts at one.
    Wide,
    /// The same, of operands that lie as `bf16`: results are so coarse that [`near_silu`] is enough.
    Near,
}

impl Gates {
    fn named<T: Recorded>(self, op: &str) -> Builder {
        match self {
            Self::Near => named::<T>(&format!("{op}_near")),
            _ => named_by::<T>(op, self == Self::Wide),
        }
    }
    fn at_once<T: Stored>(self) -> u32 {
        at_once::<T>(self != Self::Single)
    }
}

/// `silu(x)` and its slope within 2⁻¹⁷ of their terms: by the exponential and the reciprocal of the special function unit, as
/// arithmetic is what gates of 16 bits wait for otherwise.
fn near_silu<'b, T: Recorded>(x: Value<'b, T>) -> [Value<'b, T>; 2] {
    use crate::alu::Alu;
    let c = |v: f64| Alu::c(x, v);
    // From there on both are what they are at infinity.
    let end = 104.0;
    let x = c(-end).max(x);
    // Raised, so that it is a normal number as far as it counts.
    let exponent = x.magnitude().fma(c(-core::f64::consts::LOG2_E), c(24.0));
    let raised = exponent.short_power().unwrap_or_else(|| exponent.exp2());
    let power = raised * c(f64::from_bits((1023 - 24) << 52));
    let right = T::reciprocal(power + c(1.0));
    let (left, negative) = (power * right, x.compare(Cmp::Lt, c(0.0)));
    let [sigmoid, rest] = [(left, right), (right, left)].map(|(a, b)| Value::select(negative, a, b));
    [x * sigmoid, (c(end).min(x) * sigmoid).fma(rest, sigmoid)]
}

/// `out[r][i] = silu(x[r][i])·x[r][cols + i]`. Parameters: `x`, `out`; the elements of `out`, columns.
pub fn swiglu_packed<T: Recorded>(by: Gates) -> Result<Kernel, Error> {
    let b = by.named::<T>("swiglu_packed");
    let [x, out] = b.params::<U64, 2>();
    let [n, cols] = b.params::<U32, 2>();
    let many = by.at_once::<T>();
    let read = |i: Value<'_, U32>| {
        let gate = b.typed::<U32>(i.id());
        let gate = gate + gate / cols * cols;
        [gate, gate + cols].map(|from| neighbours::<T>(&b, Space::Global, at::<T>(x, from), 0, many))
    };
    each_piece(&b, n, many, read, |i, [gate, up]| {
        let both = gate.into_iter().zip(up);
        let one =
            |gate, up| if by == Gates::Near { near_silu(gate)[0] * up } else { Swiglu.eval([gate, up]) };
        let y: Vec<_> = both.map(|(gate, up)| one(gate, up)).collect();
        keep(&b, Space::Global, at::<T>(out, i), &y);
    });
    b.finish()
}

/// Its gradient. Parameters: `x`, `dy`, `dx`; the elements of `dy`, columns.
pub fn swiglu_packed_backward<T: Recorded>(by: Gates) -> Result<Kernel, Error> {
    let b = by.named::<T>("swiglu_packed_backward");
    let [x, dy, dx] = b.params::<U64, 3>();
    let [n, cols] = b.params::<U32, 2>();
    let many = by.at_once::<T>();
    let read = |i: Value<'_, U32>| {
        let i = b.typed::<U32>(i.id());
        let gate = i + i / cols * cols;
        let of = |from, i| neighbours::<T>(&b, Space::Global, at::<T>(from, i), 0, many);
        (gate, [of(x, gate), of(x, gate + cols), of(dy, i)])
    };
    each_piece(&b, n, many, read, |_, (first, [gate, up, dy])| {
        let all = gate.into_iter().zip(up).zip(dy);
        let slopes = all.map(|((gate, up), dy)| match by {
            Gates::Near => {
                let [silu, slope] = near_silu(gate);
                [slope * up * dy, silu * dy]
            }
            _ => GateBackward.eval([gate, up, dy], [b.bits(0); 2]),
        });
        let (dgate, dup): (Vec<_>, Vec<_>) = slopes.map(|[dgate, dup]| (dgate, dup)).unzip();
        keep(&b, Space::Global, at::<T>(dx, first), &dgate);
        keep(&b, Space::Global, at::<T>(dx, first + cols), &dup);
    });
    b.finish()
}

/// [`rope`] of pairs of neighbours, 16 bytes at once: half a head is a multiple of as many pairs, rows are one of as many
/// elements, and every array starts at a multiple of 16 bytes. Its parameters.
pub fn rope_wide<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("rope_wide");
    let [x, out, cos, sin] = b.params::<U64, 4>();
    let [n, pairs, half, row, _, _, _] = b.params::<U32, 7>();
    let sign = b.param::<T>();
    let many = at_once::<T>(true);
    let read = |i: Value<'_, U32>| {
        let i = b.typed::<U32>(i.id());
        let r = i / pairs;
        let j = i - r * pairs;
        let first = r * row + j * b.int(2);
        let angle = r * half + (j - j / half * half);
        let of = |from, i, many| neighbours::<T>(&b, Space::Global, at::<T>(from, i), 0, many);
        (first, of(x, first, many), [cos, sin].map(|from| of(from, angle, many / 2)))
    };
    each_piece(&b, n, many / 2, read, |_, (first, x, [cos, sin])| {
        let turned =
            x.chunks_exact(2).zip(cos.into_iter().zip(sin)).flat_map(|(pair, (cos, sin))| match *pair {
                [u, v] => rotary::pair([u, v], cos, sin * sign).to_vec(),
                _ => Vec::new(),
            });
        keep(&b, Space::Global, at::<T>(out, first), &turned.collect::<Vec<_>>());
    });
    b.finish()
}

/// Pairs turned by their angles. Parameters: `x`, `out`, cosines, sines; the pairs of the matrix and of a row, of a head,
/// the strides of rows and columns, the distance of neighbouring pairs and that of a pair's elements (in columns); what
/// sines are multiplied with, ±1.
pub fn rope<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("rope");
    let [x, out, cos, sin] = b.params::<U64, 4>();
    let [n, pairs, half, row, col, step, apart] = b.params::<U32, 7>();
    let sign = b.param::<T>();
    each(&b, n, |i| {
        let r = i / pairs;
        let j = i - r * pairs;
        let head = j / half;
        let p = j - head * half;
        let first = r * row + (head * half * b.int(2) + p * step) * col;
        let second = first + apart * col;
        let angle = r * half + p;
        let [u, v] =
            rotary::pair([get::<T>(x, first), get(x, second)], get(cos, angle), get::<T>(sin, angle) * sign);
        put(out, first, u);
        put(out, second, v);
    });
    b.finish()
}

/// `x *= max_norm / norm` where the norm is above it or NaN. Parameters: `x`, the norm; elements; `max_norm`.
pub fn clip<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("clip_by_norm");
    let [x, norm] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let most = b.param::<T>();
    let norm = b.load::<T>(Space::Global, norm, 0);
    let factor = most / norm;
    let within = norm.le(most);
    each(&b, n, |i| {
        let v = get::<T>(x, i);
        put(x, i, Value::select(within, v, v * factor));
    });
    b.finish()
}

/// `y = body(g, y)`: steps of optimisers. Parameters: `g`, the states and what is moved; elements; the body's numbers.
fn update<T: Recorded, B, const P: usize, const K: usize>(
    op: &str,
    wide: bool,
    body: impl FnOnce([Param<T>; P]) -> B,
) -> Result<Kernel, Error>
where
    B: Update<Param<T>, 1, K>,
{
    let b = named::<T>(&if wide { format!("{op}_wide") } else { String::from(op) });
    let g = b.param::<U64>();
    let y: [_; K] = b.params::<U64, _>();
    let n = b.param::<U32>();
    let body = body(b.numbers());
    map::<T, 1, K>(&b, n, wide, [g], (y, true), &|x, y| body.eval(x, y));
    b.finish()
}

/// The step of an optimiser by its name. Its numbers are those of its body in their order; those of Adam, without the step,
/// are followed by `1 / (1 − β₁ᵗ)` and `1 / (1 − β₂ᵗ)`. `wide` is that of [`map`].
#[must_use]
pub fn optimiser<T: Recorded>(op: &str, wide: bool) -> Option<Result<Kernel, Error>> {
    let with = |[lr, beta1, beta2, eps, weight_decay]: [Param<T>; 5]| Adam {
        lr,
        beta1,
        beta2,
        eps,
        weight_decay,
        step: 1,
    };
    Some(match op {
        "sgd" => update::<T, _, 2, 1>(op, wide, |[lr, decay]| Descent { lr, decay }),
        "momentum" => update::<T, _, 5, 2>(op, wide, Heavy::from),
        "adagrad" => update::<T, _, 3, 2>(op, wide, |[lr, eps, decay]| Adaptive { lr, eps, decay }),
        "adam" => update::<T, _, 7, 3>(op, wide, |[a, b, c, d, e, unbias @ ..]| Moments::<_, false> {
            with: with([a, b, c, d, e]),
            unbias,
        }),
        "adamw" => update::<T, _, 7, 3>(op, wide, |[a, b, c, d, e, unbias @ ..]| Moments::<_, true> {
            with: with([a, b, c, d, e]),
            unbias,
        }),
        _ => return None,
    })
}
