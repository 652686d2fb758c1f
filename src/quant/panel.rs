//! The product of quantised weights with many vectors. A lane has a row of the weights, so nothing is summed across
//! lanes, and codes are unpacked once for all vectors. A step is 256 elements of each row; integers and the order of
//! sums are those of [`super::tile`].

use super::block::{Active, Block, Sealed};
use crate::alu::{Alu, Bits};
use crate::blas::gemm::pack::interleave;
use crate::lanes::vector::Vector;
use crate::lanes::{Pairs, Simd, from_fn, put, register};
use crate::view::MatRef;

/// Most lanes of any set.
pub(crate) const LANES: usize = 16;
/// Registers of rows in a panel: what is prepared of the vectors serves them all.
pub(crate) const SUBS: usize = 2;
/// Elements of a step.
pub(crate) const STEP: usize = 256;
use place::{BLOCKS, FACTORS, FINE, WORDS};
/// Where the words of a row are in a step: codes, then factors or scales, then the low bytes of codes.
mod place {
    use super::STEP;
    pub(super) const WORDS: usize = FINE + STEP / 4;
    pub(super) const FACTORS: usize = STEP / 4;
    pub(super) const FINE: usize = FACTORS + 16;
    /// Blocks of the smallest format.
    pub(super) const BLOCKS: usize = STEP / 32;
}

/// Vectors that one pass over the weights serves: they stay in the second cache.
pub(crate) const TOGETHER: usize = 64;

/// Bytes as words, each byte xored with `flip`.
#[inline(always)]
fn words(to: &mut [f32], from: [u8; 32], flip: u8) {
    let flip = u32::from_ne_bytes([flip; 4]);
    for (to, from) in to.iter_mut().zip(from.as_chunks().0) {
        *to = f32::from_bits(u32::from_le_bytes(*from) ^ flip);
    }
}

/// The factors of four blocks, or of fewer, and then anything.
#[inline(always)]
fn factors<S: Simd, B: Block>(s: S, blocks: &[B]) -> [[f32; 4]; 2] {
    let Some(first) = blocks.first() else { return [[0.0; 4]; 2] };
    B::factors(
        s,
        from_fn(
            #[inline(always)]
            |i| blocks.get(i).unwrap_or(first),
        ),
    )
}

/// A step of as many rows as a register has lanes.
struct Rows<S: Simd> {
    /// Word after word, of all rows each.
    words: [f32; LANES * WORDS],
    scales: [Pairs<S>; STEP / 16],
    factors: [[f32; LANES]; 2],
}

impl<S: Simd> Rows<S> {
    #[inline(always)]
    fn new(s: S) -> Self {
        let zero = S::F32::splat(s, 0.0).to_bits();
        Self { words: [0.0; LANES * WORDS], scales: [zero; STEP / 16], factors: [[0.0; LANES]; 2] }
    }

    /// `count` blocks from `at` on of rows of `each`; `scratch` has a row for each.
    #[inline(always)]
    fn pack<B: Block>(
        &mut self,
        s: S,
        rows: &[B],
        [each, at, count]: [usize; 3],
        scratch: &mut [f32; LANES * WORDS],
    ) {
        let lanes = S::F32::LANES;
        let per = const { B::ELEMENTS / 32 };
        let flip = if B::SIGNED { S::FLIP } else { 0 };
        for ((r, row), to) in rows.chunks_exact(each).enumerate().zip(scratch.as_chunks_mut::<WORDS>().0) {
            let row = row.get(at..).unwrap_or_default();
            // The next step's bytes, which no CPU expects from so many rows by turns.
            let mut next = row.as_ptr().wrapping_add(count);
            for _ in (0..count * size_of::<B>()).step_by(64) {
                S::F32::prefetch(s, next.cast());
                next = next.wrapping_byte_add(64);
            }
            let (codes, rest) = to.split_at_mut(FACTORS);
            let (more, fine) = rest.split_at_mut(16);
            for ((block, codes), fine) in row
                .iter()
                .zip(codes.chunks_exact_mut(8 * per))
                .zip(fine.chunks_exact_mut(8 * per))
                .take(count)
            {
                for ((c, codes), fine) in codes.chunks_exact_mut(8).enumerate().zip(fine.chunks_exact_mut(8))
                {
                    words(codes, s.array(block.codes(s, c)), flip);
                    if B::FINE {
                        words(fine, s.array(block.fine(s, c)), flip);
                    }
                }
            }
            let (first, second) = more.split_at_mut(8);
            if B::GROUPS {
                if let Some(block) = row.first() {
                    let [scales, mins] = block.scales(s);
                    words(first, s.array(scales), 0);
                    words(second, s.array(mins), 0);
                    let [[d, ..], [m, ..]] = B::factors(s, [block; 4]);
                    let [ds, ms] = &mut self.factors;
                    for (to, x) in
                        ds.iter_mut().zip(ms).skip(r).take(1).map(|(a, b)| [a, b]).map(|to| (to, [d, m]))
                    {
                        let ([a, b], [d, m]) = (to, x);
                        (*a, *b) = (d, m);
                    }
                }
            } else {
                for ((blocks, d), m) in row
                    .chunks(4)
                    .zip(first.as_chunks_mut().0)
                    .zip(second.as_chunks_mut().0)
                    .take(count.div_ceil(4))
                {
                    [*d, *m] = factors(s, blocks);
                }
            }
        }
        let cols = if B::FINE { WORDS } else { FINE };
        if let Ok(scratch) = MatRef::row_major(&scratch[..], LANES, WORDS) {
            interleave(s, scratch.block([0, 0], [lanes, cols]), &mut self.words);
        }
        if B::GROUPS {
            // Even scales, then odd ones, two in a word.
            let [low, sign] = [self.scales[0].lit(0xffff), self.scales[0].lit(0x8000)];
            let of = |x: Pairs<S>| (x ^ sign) - sign;
            for h in 0..8 {
                let x = self.word(s, FACTORS + h);
                // Of the list of even scales and then odd ones, 2h and 2h + 1.
                let to = if h < 4 { 4 * h } else { 4 * (h - 4) + 1 };
                for (to, x) in
                    self.scales.iter_mut().skip(to).step_by(2).zip([of(x & low), of(x.shr::<16>())])
                {
                    *to = x;
                }
            }
        }
    }

    /// Word `i` of each row.
    #[inline(always)]
    fn word(&self, s: S, i: usize) -> Pairs<S> {
        self.float(s, i).to_bits()
    }

    #[inline(always)]
    fn float(&self, s: S, i: usize) -> S::F32 {
        register(s, self.words.get(i * S::F32::LANES..).unwrap_or_default())
    }
}

/// A step of `X` vectors.
struct Side<const X: usize> {
    codes: [[u32; STEP / 4]; X],
    /// Twice the sums of groups' codes, or what offsets take off the products of each block.
    sums: [[u32; 8]; X],
    by: [[f32; BLOCKS]; X],
    /// The elements' sum of each block, where weights of one group have mins.
    sum: [[f32; BLOCKS]; X],
}

impl<const X: usize> Side<X> {
    fn new() -> Self {
        Self { codes: [[0; STEP / 4]; X], sums: [[0; 8]; X], by: [[0.0; BLOCKS]; X], sum: [[0.0; BLOCKS]; X] }
    }

    /// `count` blocks from `at` on of vectors of `each`.
    #[inline(always)]
    fn fill<S: Simd, B: Block>(&mut self, s: S, x: &[B::Partner], [each, at, count]: [usize; 3]) {
        let per = const { B::ELEMENTS / 32 };
        let offset = B::OFFSET + if B::SIGNED { i32::from(S::FLIP) } else { 0 };
        let vectors = x.chunks_exact(each).zip(&mut self.codes).zip(&mut self.sums);
        for (((x, codes), sums), (by, sum)) in vectors.zip(self.by.iter_mut().zip(&mut self.sum)) {
            let x = x.get(at..).unwrap_or_default();
            let mut totals = [s.zero(); BLOCKS];
            for ((x, codes), total) in
                x.iter().zip(codes.chunks_exact_mut(8 * per)).zip(&mut totals).take(count)
            {
                for (c, to) in codes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                    let codes = x.codes(s, c);
                    for (to, x) in to.iter_mut().zip(s.array(codes).as_chunks().0) {
                        *to = u32::from_le_bytes(*x);
                    }
                    if !B::GROUPS && (B::MINS || offset != 0) {
                        *total = s.dot::<false>(*total, s.bytes([1; 32]), codes);
                    }
                }
            }
            let fours = by.as_chunks_mut::<4>().0.iter_mut().zip(sum.as_chunks_mut::<4>().0);
            for ((((by, sum), x), off), totals) in fours
                .zip(x.chunks(4))
                .zip(sums.as_chunks_mut::<4>().0)
                .zip(totals.as_chunks::<4>().0)
                .take(count.div_ceil(4))
            {
                [*by, _] = factors(s, x);
                if !B::GROUPS && (B::MINS || offset != 0) {
                    for (((off, total), by), sum) in off.iter_mut().zip(s.totals(*totals)).zip(&*by).zip(sum)
                    {
                        *off = total.wrapping_mul(-offset).cast_unsigned();
                        *sum = by * total as f32;
                    }
                }
            }
            if B::GROUPS
                && let Some(x) = x.first()
            {
                for (to, x) in sums.iter_mut().zip(s.array(x.sums(s)).as_chunks().0) {
                    *to = u32::from_le_bytes(*x);
                }
            }
        }
    }
}

/// Adds the products of `n` words of codes, which begin at `from`, from word `at` on.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < X; words of a step")]
fn dot<S: Simd, B: Block, const X: usize>(
    s: S,
    rows: &Rows<S>,
    x: &Side<X>,
    mut sums: [Pairs<S>; X],
    [from, at, n]: [usize; 3],
) -> [Pairs<S>; X] {
    let lanes = S::F32::LANES;
    let words = rows.words.get((from + at) * lanes..).unwrap_or_default();
    for (i, w) in words.chunks_exact(lanes).take(n).enumerate() {
        let w = register::<S::F32>(s, w).to_bits();
        let mut k = 0;
        while k < X {
            let x = w.lit(i64::from(x.codes[k][(at + i) % (STEP / 4)]));
            sums[k] =
                if B::SIGNED { s.dot_i8::<true>(sums[k], w, x) } else { s.dot_i8::<false>(sums[k], w, x) };
            k += 1;
        }
    }
    sums
}

/// Adds the products of a step to `out`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < X; blocks and words of a step")]
fn tile<S: Simd, B: Block, const X: usize>(
    s: S,
    rows: &Rows<S>,
    x: &Side<X>,
    count: usize,
    out: &mut [S::F32; X],
) {
    let lit = |x: u32| rows.scales[0].lit(i64::from(x));
    let splat = |x: f32| S::F32::splat(s, x);
    if B::GROUPS {
        let mut sums = [lit(0); X];
        let group = const { B::GROUP / 4 };
        for (g, scale) in rows.scales.iter().step_by(B::GROUP / 16).enumerate() {
            let each = dot::<S, B, X>(s, rows, x, [lit(0); X], [0, g * group, group]);
            let mut k = 0;
            while k < X {
                sums[k] = sums[k] + s.mul_i32(each[k], *scale);
                k += 1;
            }
        }
        let mut k = 0;
        let (d, m) = (register::<S::F32>(s, &rows.factors[0]), register::<S::F32>(s, &rows.factors[1]));
        while k < X {
            let mut below = lit(0);
            if B::MINS || B::OFFSET != 0 {
                for (h, sums) in x.sums[k].iter().enumerate() {
                    below = s.dot_i16(below, rows.word(s, FACTORS + 8 + h), lit(*sums));
                }
            }
            if B::OFFSET != 0 {
                sums[k] = sums[k] - s.mul_i32(below, lit(B::OFFSET.cast_unsigned()));
            }
            let by = splat(x.by[k][0]);
            out[k] = out[k] + d * by * s.floats(sums[k]);
            if B::MINS {
                out[k] = out[k] - m * (by * s.floats(below));
            }
            k += 1;
        }
        return;
    }
    let per = const { B::ELEMENTS / 4 };
    for b in 0..count.min(BLOCKS) {
        let off = from_fn::<_, X>(
            #[inline(always)]
            |k| lit(x.sums[k][b]),
        );
        let mut sums = dot::<S, B, X>(s, rows, x, off, [0, b * per, per]);
        if B::FINE {
            let high = from_fn(
                #[inline(always)]
                |k| sums[k].shl::<8>() + off[k],
            );
            sums = dot::<S, B, X>(s, rows, x, high, [FINE, b * per, per]);
        }
        let [d, m] = [rows.float(s, FACTORS + b), rows.float(s, FACTORS + 8 + b)];
        let mut k = 0;
        while k < X {
            out[k] = out[k] + d * splat(x.by[k][b]) * s.floats(sums[k]);
            if B::MINS {
                out[k] = out[k] - m * splat(x.sum[k][b]);
            }
            k += 1;
        }
    }
}

/// `out[j][r]` of all rows, `each` blocks long, and vectors.
#[inline(always)]
pub(super) fn products<S: Simd, B: Block>(
    s: S,
    weights: &[B],
    x: &[B::Partner],
    each: usize,
    out: &mut [f32],
) {
    const { assert!(B::ELEMENTS == <B::Partner as Block>::ELEMENTS && STEP.is_multiple_of(B::ELEMENTS)) };
    if const { S::ISA.registers() >= 32 } {
        by::<S, B, 8>(s, weights, x, each, out);
    } else {
        by::<S, B, 4>(s, weights, x, each, out);
    }
}

/// [`products`], `X` vectors at a time.
#[inline(always)]
fn by<S: Simd, B: Block, const X: usize>(
    s: S,
    weights: &[B],
    x: &[B::Partner],
    each: usize,
    out: &mut [f32],
) {
    let (lanes, each) = (S::F32::LANES, each.max(1));
    let n = weights.len() / each;
    // So many rows of blocks, and of results.
    let blocks = |rows: usize| (rows * each).max(1);
    let results = |rows: usize| (rows * n).max(1);
    let mut scratch = [0.0; LANES * WORDS];
    let mut panel = [Rows::<S>::new(s), Rows::new(s)];
    let mut side = Side::<X>::new();
    let mut sums = [[S::F32::splat(s, 0.0); X]; SUBS * TOGETHER / 4];
    for (x, out) in x.chunks(blocks(TOGETHER)).zip(out.chunks_mut(results(TOGETHER))) {
        let tiles = || x.chunks(blocks(X));
        for (p, rows) in weights.chunks(blocks(SUBS * lanes)).enumerate() {
            for sums in sums.iter_mut().take(SUBS * tiles().len()) {
                *sums = [S::F32::splat(s, 0.0); X];
            }
            for at in (0..each).step_by(STEP / B::ELEMENTS) {
                let count = (each - at).min(STEP / B::ELEMENTS);
                for (rows, panel) in rows.chunks(blocks(lanes)).zip(&mut panel) {
                    panel.pack(s, rows, [each, at, count], &mut scratch);
                }
                for (x, sums) in tiles().zip(sums.chunks_exact_mut(SUBS)) {
                    side.fill::<S, B>(s, x, [each, at, count]);
                    for ((_, panel), sums) in rows.chunks(blocks(lanes)).zip(&panel).zip(sums) {
                        tile::<S, B, X>(s, panel, &side, count, sums);
                    }
                }
            }
            for (sums, out) in sums.chunks_exact(SUBS).zip(out.chunks_mut(results(X))) {
                for (sums, from) in sums.iter().zip((p * SUBS * lanes..n).step_by(lanes)) {
                    for (sum, out) in sums.iter().zip(out.chunks_exact_mut(results(1))) {
                        let to = out.get_mut(from..).unwrap_or_default();
                        let most = to.len().min(lanes);
                        put(*sum, to.get_mut(..most).unwrap_or_default());
                    }
                }
            }
        }
    }
}
