//! The model, once for every backend: forward with what the backward pass needs, and backward.
//!
//! Rows are tokens; several sequences of one length follow each other. `S` is the sequence length, `D` the width,
//! `H` and `K` the query and key heads of width `hd`, `F` the hidden width, `V` the vocabulary.

/// Ends a brick, or calls another function of the module `profile`. Without the feature `trace` it expands to nothing.
macro_rules! profile {
    ($brick:ident) => {
        profile!(lap(profile::$brick))
    };
    ($what:ident($($argument:expr),*)) => {
        #[cfg(feature = "trace")]
        profile::$what($($argument),*);
    };
}

#[path = "backward.rs"]
mod backward;
#[cfg(feature = "trace")]
#[path = "profile.rs"]
pub mod profile;

pub use backward::{train, training_room};

use crate::config::{Biases, Config, Place, TENSORS};
use core::ops::Range;
use fulmen::backend::{Backend, Memory};
use fulmen::{Attention, Error};

/// Elements that are read.
pub type In<'a, B> = <B as Memory>::Ref<'a, f32>;
/// Elements that are written.
pub type Out<'a, B> = <B as Memory>::Mut<'a, f32>;
/// Tokens.
pub type Ids<'a, B> = <B as Memory>::Ref<'a, u32>;

/// Products with weights in blocks of few bits, where a backend has them.
pub trait Blocked: Backend<f32> {
    /// Blocks of any formats where the backend has them.
    type Store;
    /// Rows of blocks.
    type Blocks<'a>: Copy;
    /// The blocks of the format `kind` in these bytes.
    fn blocks(all: &Self::Store, kind: u32, range: Range<usize>) -> Option<Self::Blocks<'_>>;
    /// `y = x·wᵀ`, where the rows of both have `n` elements; those of `x` are quantised in the workspace.
    fn times(
        &self,
        w: Self::Blocks<'_>,
        n: usize,
        x: In<'_, Self>,
        y: Out<'_, Self>,
        workspace: Out<'_, Self>,
    ) -> Result<(), Self::Error>;
    /// The rows `ids` of `w`, which have `n` elements.
    fn rows(
        &self,
        w: Self::Blocks<'_>,
        n: usize,
        ids: Ids<'_, Self>,
        out: Out<'_, Self>,
    ) -> Result<(), Self::Error>;
}

/// The rows of a matrix: numbers, or blocks.
pub enum Part<'a, B: Blocked> {
    Numbers(In<'a, B>),
    Blocks(B::Blocks<'a>),
}

impl<B: Blocked> Copy for Part<'_, B> {}
impl<B: Blocked> Clone for Part<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

/// A matrix with a row for each output: one part, or the first rows and the others, of different formats.
pub enum Matrix<'a, B: Blocked> {
    Whole(Part<'a, B>),
    Two { first: usize, parts: [Part<'a, B>; 2] },
}

/// All weights of a model, each in its format, in the order of [`TENSORS`] between the embedding and the last norm, after
/// which come the output weights if they are their own.
pub struct Table<'a, B: Blocked> {
    pub numbers: In<'a, B>,
    pub blocks: &'a B::Store,
    pub places: &'a [Place],
}

impl<'a, B: Blocked> Table<'a, B> {
    /// The tensors from `first` to `last`, which lie one after the other and have one format.
    fn part(&self, first: &Place, last: &Place) -> Result<Part<'a, B>, B::Error> {
        let range = first.range.start..last.range.end;
        if first.kind == 0 {
            return Ok(Part::Numbers(B::part(self.numbers, range)?));
        }
        let blocks = B::blocks(self.blocks, first.kind, range);
        Ok(Part::Blocks(blocks.ok_or(Error::domain("weights"))?))
    }
    fn place(&self, at: usize) -> Result<&'a Place, B::Error> {
        Ok(self.places.get(at).ok_or(Error::out_of_bounds("weights", self.places.len()))?)
    }
    fn matrix(&self, at: usize) -> Result<Matrix<'a, B>, B::Error> {
        let place = self.place(at)?;
        Ok(Matrix::Whole(self.part(place, place)?))
    }
    /// The tensor `at` and the next as one matrix.
    fn pair(&self, at: usize) -> Result<Matrix<'a, B>, B::Error> {
        let [a, b] = [self.place(at)?, self.place(at + 1)?];
        if a.kind == b.kind {
            return Ok(Matrix::Whole(self.part(a, b)?));
        }
        Ok(Matrix::Two { first: a.rows, parts: [self.part(a, a)?, self.part(b, b)?] })
    }
    fn vector(&self, at: usize) -> Result<In<'a, B>, B::Error> {
        B::part(self.numbers, self.place(at)?.range.clone())
    }
    /// The weights of block `l`.
    fn block(&self, c: &Config, l: usize) -> Result<Weights<In<'a, B>, Matrix<'a, B>>, B::Error> {
        let at = 1 + c.tensors() * l;
        let mut next = at + TENSORS;
        // The vectors of `n` tensors, as one.
        let mut bias = |there: bool, n: usize| {
            if !there {
                return Ok(None);
            }
            next += n;
            let range = self.place(next - n)?.range.start..self.place(next - 1)?.range.end;
            B::part(self.numbers, range).map(Some)
        };
        let Biases { qkv, output, ffn } = c.biases;
        Ok(Weights {
            biases: [bias(qkv, 1)?, bias(qkv, 2)?, bias(output, 1)?, bias(ffn, 2)?, bias(ffn, 1)?],
            norm_1: self.vector(at)?,
            q: self.matrix(at + 1)?,
            kv: self.pair(at + 2)?,
            o: self.matrix(at + 4)?,
            norm_2: self.vector(at + 5)?,
            gate_up: self.pair(at + 6)?,
            down: self.matrix(at + 8)?,
        })
    }
}

/// How many tokens a pass sees.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Sequences.
    pub sequences: usize,
    /// New tokens in each.
    pub tokens: usize,
    /// Tokens before them, whose keys and values are there already; 0 when there are several sequences.
    pub past: usize,
}

impl Span {
    fn rows(self) -> usize {
        self.sequences * self.tokens
    }
}

/// Cosines and sines of the positions, `context` rows of `hd / 2`; where there are several sequences, of all their tokens.
pub struct Angles<'a, B: Backend<f32>> {
    pub cos: In<'a, B>,
    pub sin: In<'a, B>,
}

impl<'a, B: Backend<f32>> Angles<'a, B> {
    fn of(&self, span: Span, half: usize) -> Result<(In<'a, B>, In<'a, B>), B::Error> {
        let range = span.past * half..(span.past + span.rows()) * half;
        Ok((B::part(self.cos, range.clone())?, B::part(self.sin, range)?))
    }
}

fn part_mut<'a, B: Backend<f32>>(x: &'a mut Out<'_, B>, range: Range<usize>) -> Result<Out<'a, B>, B::Error> {
    let [_, x] = B::split(B::lend(x), range.start)?;
    let [x, _] = B::split(x, range.len())?;
    Ok(x)
}

/// The keys and values, old and new, of all sequences.
fn keys_values<'a, B: Backend<f32>>(
    c: &Config,
    span: Span,
    kv: In<'a, B>,
) -> Result<[<B as Memory>::Mat<'a, f32>; 2], B::Error> {
    let (len, width) = (span.past + span.rows(), c.kv_width());
    let all = B::matrix(B::part(kv, 0..len * width)?, len, width)?;
    Ok([B::cols(all, 0..width / 2)?, B::cols(all, width / 2..width)?])
}

/// What a block's forward pass leaves for its backward pass; the keys and values are apart, as they are the cache.
pub struct Kept<'a, B: Backend<f32>> {
    x1: Out<'a, B>,
    q: Out<'a, B>,
    attended: Out<'a, B>,
    lse: Out<'a, B>,
    h: Out<'a, B>,
    x2: Out<'a, B>,
    gate_up: Out<'a, B>,
    hidden: Out<'a, B>,
}

/// Elements of a [`Kept`] of one token: those that 16 bits are enough for, and the others.
fn kept_len(c: &Config) -> [usize; 2] {
    [2 * c.dim + 2 * c.q_width() + 3 * c.hidden, c.dim + c.heads]
}

impl<'a, B: Backend<f32>> Kept<'a, B> {
    fn new(c: &Config, rows: usize, [room, exact]: [Out<'a, B>; 2]) -> Result<Self, B::Error> {
        let (d, q_width) = (rows * c.dim, rows * c.q_width());
        let [x1, room] = B::split(room, d)?;
        let [q, room] = B::split(room, q_width)?;
        let [attended, room] = B::split(room, q_width)?;
        let [lse, exact] = B::split(exact, rows * c.heads)?;
        let [h, _] = B::split(exact, d)?;
        let [x2, room] = B::split(room, d)?;
        let [gate_up, room] = B::split(room, rows * 2 * c.hidden)?;
        let [hidden, _] = B::split(room, rows * c.hidden)?;
        Ok(Self { x1, q, attended, lse, h, x2, gate_up, hidden })
    }
}

/// The weights of a block: norms, matrices, and biases of q, kv, o, gate and up, down; or with `Out` their gradients.
struct Weights<T, W = T> {
    biases: [Option<T>; 5],
    norm_1: T,
    q: W,
    kv: W,
    o: W,
    norm_2: T,
    gate_up: W,
    down: W,
}

/// Numbers as what [`linear`] multiplies with.
fn matrices<'a, B: Blocked>(w: &Weights<In<'a, B>>) -> Weights<In<'a, B>, Matrix<'a, B>> {
    let of = |x| Matrix::Whole(Part::Numbers(x));
    let Weights { norm_1, norm_2, biases, .. } = *w;
    let (q, kv, o) = (of(w.q), of(w.kv), of(w.o));
    Weights { biases, norm_1, q, kv, o, norm_2, gate_up: of(w.gate_up), down: of(w.down) }
}

fn weights<'a, B: Backend<f32>>(
    c: &Config,
    all: In<'a, B>,
    l: usize,
) -> Result<Weights<In<'a, B>>, B::Error> {
    let at = c.block();
    let block = B::part(all, c.block_at(l))?;
    let part = |range| B::part(block, range);
    Ok(Weights {
        biases: [None; 5],
        norm_1: part(at.norm_1)?,
        q: part(at.q)?,
        kv: part(at.kv)?,
        o: part(at.o)?,
        norm_2: part(at.norm_2)?,
        gate_up: part(at.gate_up)?,
        down: part(at.down)?,
    })
}

fn attention(c: &Config, span: Span) -> Attention<f32> {
    let dim = c.head_dim();
    let scale = 1.0 / (dim as f32).sqrt();
    let batch = span.sequences;
    Attention { causal: true, batch, ..Attention::new(c.heads, c.kv_heads, dim, scale) }
}

/// `y = x·wᵀ + bias`: `x` has rows of `n` elements, `w` a row of `n` for each of `m` outputs.
fn linear<B: Blocked>(
    b: &B,
    [m, n]: [usize; 2],
    x: In<'_, B>,
    (w, bias): (&Matrix<'_, B>, Option<In<'_, B>>),
    mut y: Out<'_, B>,
    workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    product(b, [m, n], x, w, B::lend(&mut y), workspace)?;
    let Some(bias) = bias else { return Ok(()) };
    (0..B::len(x) / n).try_for_each(|r| b.add_in_place(part_mut::<B>(&mut y, r * m..(r + 1) * m)?, bias))
}

/// [`linear`] without a bias.
fn product<B: Blocked>(
    b: &B,
    [m, n]: [usize; 2],
    x: In<'_, B>,
    w: &Matrix<'_, B>,
    mut y: Out<'_, B>,
    mut workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    let (first, parts) = match w {
        Matrix::Whole(part) => return times(b, [m, n], x, *part, y, workspace),
        Matrix::Two { first, parts } => (*first, parts),
    };
    // Each part has its columns of `y`: a row at a time they are in a line.
    for r in 0..B::len(x) / n {
        let x = B::part(x, r * n..(r + 1) * n)?;
        let y = B::split(part_mut::<B>(&mut y, r * m..(r + 1) * m)?, first)?;
        for ((part, y), m) in parts.iter().zip(y).zip([first, m - first]) {
            times(b, [m, n], x, *part, y, B::lend(&mut workspace))?;
        }
    }
    Ok(())
}

/// [`product`] with a part.
fn times<B: Blocked>(
    b: &B,
    [m, n]: [usize; 2],
    x: In<'_, B>,
    w: Part<'_, B>,
    y: Out<'_, B>,
    workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    let w = match w {
        Part::Numbers(w) => w,
        Part::Blocks(w) => return b.times(w, n, x, y, workspace),
    };
    let rows = B::len(x) / n;
    if rows == 1 {
        return b.gemv(1.0, B::matrix(w, m, n)?, B::vector(x), 0.0, B::vector_mut(y));
    }
    let (x, w) = (B::matrix(x, rows, n)?, B::matrix(w, m, n)?);
    b.gemm(1.0, x, B::t(w), 0.0, B::matrix_mut(y, rows, m)?, B::workspace(workspace))
}

/// Workspace of any call that the model makes with up to `rows` rows.
pub fn workspace<B: Backend<f32>>(b: &B, c: &Config, rows: usize) -> usize {
    let mut most =
        b.attention_workspace(c.heads, c.head_dim()).max(b.attention_backward_workspace(c.head_dim()));
    for wide in [c.dim, c.q_width(), c.kv_width(), 2 * c.hidden, c.hidden, c.vocab] {
        for [m, n, k] in [[rows, wide, c.dim], [rows, c.dim, wide], [wide, c.dim, rows], [c.dim, wide, rows]]
        {
            most = most.max(b.gemm_workspace(m, n, k));
        }
    }
    most
}

/// The stream of activations, `before` plus what the last block adds to it in `added`, is left in `added`; over it the norm
/// `gamma`, in `out`. Before the first block there is nothing to add to.
fn stream<B: Backend<f32>>(
    b: &B,
    eps: f32,
    before: Option<In<'_, B>>,
    mut added: Out<'_, B>,
    gamma: In<'_, B>,
    out: Out<'_, B>,
) -> Result<(), B::Error> {
    match before {
        Some(before) => b.rms_norm_residual(before, B::lend(&mut added), gamma, eps, out),
        None => b.rms_norm(B::read(&added), gamma, eps, out),
    }
}

/// One block over a stream as [`stream()`] takes it, of rows of `D`, to what it adds to its `kept.h`. `kv` holds
/// `past + tokens` rows of keys and values for each sequence.
#[allow(clippy::too_many_arguments, reason = "a block's operands")]
fn block<B: Blocked>(
    b: &B,
    c: &Config,
    span: Span,
    w: &Weights<In<'_, B>, Matrix<'_, B>>,
    angles: &Angles<'_, B>,
    before: Option<In<'_, B>>,
    mut h_in: Out<'_, B>,
    mut kv: Out<'_, B>,
    kept: &mut Kept<'_, B>,
    added: Out<'_, B>,
    mut workspace: Out<'_, B>,
) -> Result<(), B::Error> {
    let (d, qd, width, f, hd) = (c.dim, c.q_width(), c.kv_width(), c.hidden, c.head_dim());
    let [q_bias, kv_bias, o_bias, gate_up_bias, down_bias] = w.biases;
    stream(b, c.eps, before, B::lend(&mut h_in), w.norm_1, B::lend(&mut kept.x1))?;
    profile!(RMS_NORM);
    let h_in = B::read(&h_in);
    let x1 = B::read(&kept.x1);
    let ((cos, sin), rows) = (angles.of(span, hd / 2)?, span.rows());
    // What follows its product at once is one launch with it.
    linear(b, [qd, d], x1, (&w.q, q_bias), B::lend(&mut kept.q), B::lend(&mut workspace))?;
    profile!(QKV);
    let q = B::matrix_mut(B::lend(&mut kept.q), rows, qd)?;
    b.rope_view(q, hd, cos, sin, c.rope.style, false)?;
    profile!(ROPE);
    let mut new = part_mut::<B>(&mut kv, span.past * width..(span.past + span.rows()) * width)?;
    linear(b, [width, d], x1, (&w.kv, kv_bias), B::lend(&mut new), B::lend(&mut workspace))?;
    profile!(QKV);
    let [keys, _] = B::split_cols(B::matrix_mut(new, rows, width)?, width / 2)?;
    b.rope_view(keys, hd, cos, sin, c.rope.style, false)?;
    profile!(ROPE);
    let [keys, values] = keys_values::<B>(c, span, B::read(&kv))?;
    let q = B::matrix(B::read(&kept.q), rows, qd)?;
    let out = B::matrix_mut(B::lend(&mut kept.attended), rows, qd)?;
    let (op, lse) = (attention(c, span), B::lend(&mut kept.lse));
    b.attention(&op, q, keys, values, None, out, Some(lse), B::workspace(B::lend(&mut workspace)))?;
    profile!(ATTENTION);
    let attended = B::read(&kept.attended);
    linear(b, [d, qd], attended, (&w.o, o_bias), B::lend(&mut kept.h), B::lend(&mut workspace))?;
    profile!(OUTPUT);
    b.rms_norm_residual(h_in, B::lend(&mut kept.h), w.norm_2, c.eps, B::lend(&mut kept.x2))?;
    profile!(RMS_NORM);
    linear(
        b,
        [2 * f, d],
        B::read(&kept.x2),
        (&w.gate_up, gate_up_bias),
        B::lend(&mut kept.gate_up),
        B::lend(&mut workspace),
    )?;
    profile!(GATE_UP);
    b.swiglu_packed(B::read(&kept.gate_up), f, B::lend(&mut kept.hidden))?;
    profile!(SWIGLU);
    linear(b, [d, f], B::read(&kept.hidden), (&w.down, down_bias), added, workspace)?;
    profile!(DOWN);
    Ok(())
}

/// The stream that block `l - 1` has left at the end of what is kept of blocks; before the first there is none.
fn last_stream<'a, B: Backend<f32>>(
    kept: &'a Out<'_, B>,
    stream: usize,
    l: usize,
) -> Result<Option<In<'a, B>>, B::Error> {
    let kept = B::read(kept);
    let end = B::len(kept);
    if l == 0 { Ok(None) } else { B::part(kept, end - stream..end).map(Some) }
}

/// Elements of room that [`logits`] needs for `rows` new tokens.
pub fn generating_room(c: &Config, rows: usize) -> usize {
    let [kept, exact] = kept_len(c);
    rows * (2 * c.dim + kept + 2 * exact) + c.dim
}

/// Elements of the keys and values of `context` tokens.
pub fn cache_len(c: &Config) -> usize {
    c.layers * c.context * c.kv_width()
}

/// What follows the last of `ids`, which come after `span.past` tokens of the cache and are added to it.
#[allow(clippy::too_many_arguments, reason = "what a pass reads and writes")]
pub fn logits<B: Blocked>(
    b: &B,
    c: &Config,
    span: Span,
    all: &Table<'_, B>,
    angles: &Angles<'_, B>,
    ids: Ids<'_, B>,
    mut cache: Out<'_, B>,
    room: Out<'_, B>,
    mut workspace: Out<'_, B>,
    out: Out<'_, B>,
) -> Result<(), B::Error> {
    profile!(pass(span, 1));
    let (d, rows) = (c.dim, span.rows());
    let [mut h, room] = B::split(room, rows * d)?;
    let [mut next, room] = B::split(room, rows * d)?;
    let [mut x, room] = B::split(room, d)?;
    let first = all.place(0)?;
    let embedding = all.part(first, first)?;
    match embedding {
        Part::Numbers(x) => b.embedding(x, d, ids, B::lend(&mut h))?,
        Part::Blocks(x) => b.rows(x, d, ids, B::lend(&mut h))?,
    }
    profile!(EMBEDDING);
    let (cached, used) = (c.context * c.kv_width(), (span.past + span.tokens) * c.kv_width());
    let [more, exact] = kept_len(c).map(|n| rows * n);
    let [mut more, room] = B::split(room, more)?;
    // Of a block, and of the one before it.
    let [mut one, room] = B::split(room, exact)?;
    let [mut other, _] = B::split(room, exact)?;
    for l in 0..c.layers {
        let kv = part_mut::<B>(&mut cache, l * cached..l * cached + used)?;
        let mut kept = Kept::<B>::new(c, rows, [B::lend(&mut more), B::lend(&mut one)])?;
        let (w, before) = (all.block(c, l)?, last_stream::<B>(&other, rows * d, l)?);
        let (added, workspace) = (B::lend(&mut next), B::lend(&mut workspace));
        block(b, c, span, &w, angles, before, B::lend(&mut h), kv, &mut kept, added, workspace)?;
        drop(kept);
        core::mem::swap(&mut h, &mut next);
        core::mem::swap(&mut one, &mut other);
    }
    // Of the last token.
    let row = (rows - 1) * d..rows * d;
    let before = last_stream::<B>(&other, rows * d, c.layers)?;
    let before = before.map(|x| B::part(x, row.clone())).transpose()?;
    let norm = all.vector(1 + c.tensors() * c.layers)?;
    stream(b, c.eps, before, part_mut::<B>(&mut h, row)?, norm, B::lend(&mut x))?;
    profile!(RMS_NORM);
    let output = if c.tied {
        embedding
    } else {
        let place = all.place(2 + c.tensors() * c.layers)?;
        all.part(place, place)?
    };
    times(b, [c.vocab, d], B::read(&x), output, out, workspace)?;
    profile!(HEAD);
    Ok(())
}
