//! `Stream`: the key and counter of each random number, and the loop that fills a slice.

use super::Philox4x32;
use crate::alu::{Alu, Bits};
use crate::lanes::executor::Executor;
use crate::lanes::vector::Vector;
use crate::lanes::{Quads, Simd};

/// A stream of random numbers, and where to start in it. The number at `offset` is a function of `key`, `id` and
/// `offset` alone: an op gives `out[i]` what the stream has at `offset + i`. So parts may be computed in any order, on
/// any thread, and skipping ahead is an addition.
///
/// Offsets count numbers of the op's own type and wrap: after 2⁶⁴ of them the stream starts again. Streams of different
/// `key` or `id` are independent, and so are numbers of 32 and of 64 bits at offsets that don't meet: number `i` of 32 bits
/// is word `i mod 4` of block `i / 4`, and of 64 bits words `2·(i mod 2)`, the low half, and the next of block `i / 2`.
/// Block `b` is [`Philox4x32`] at counter `[b mod 2³², b / 2³², id, 0]`; what takes more draws than one (a
/// rejected one is drawn again) finds try `t` of number `i` at `[i mod 2³², i / 2³², id, t]`. Two ops that read the
/// same part of a stream are not independent of each other.
///
/// ```
/// use fulmen::random::Stream;
/// let stream = Stream::new(7);
/// let (mut all, mut part) = ([0.0f32; 8], [0.0f32; 3]);
/// fulmen::uniform(stream, &mut all);
/// fulmen::uniform(stream.skip(5), &mut part);
/// assert_eq!(all[5..], part);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Stream {
    /// The seed. Any value is as good as another.
    pub key: u64,
    /// Which stream of the key: a layer, a worker, a purpose.
    pub id: u32,
    /// How many numbers come before the first.
    pub offset: u64,
}

impl Stream {
    /// The start of the first stream of a key.
    #[inline]
    #[must_use]
    pub const fn new(key: u64) -> Self {
        Self { key, id: 0, offset: 0 }
    }
    /// The start of another stream of this key.
    #[inline]
    #[must_use]
    pub const fn with_id(self, id: u32) -> Self {
        Self { key: self.key, id, offset: 0 }
    }
    /// This stream from `n` numbers further on; past 2⁶⁴ from its start again.
    #[inline]
    #[must_use]
    pub const fn skip(self, n: u64) -> Self {
        Self { key: self.key, id: self.id, offset: self.offset.wrapping_add(n) }
    }
    /// The four words of a block, whatever the offset is.
    #[inline]
    #[must_use]
    pub const fn generate_at(self, block: u64) -> [u32; 4] {
        self.attempt(block, 0)
    }
    /// The words of try `attempt` of number `at`.
    #[inline]
    pub(super) const fn attempt(self, at: u64, attempt: u32) -> [u32; 4] {
        let key = [self.key as u32, (self.key >> 32) as u32];
        Philox4x32::generate_at(key, [at as u32, (at >> 32) as u32, self.id, attempt])
    }
}

/// Blocks that are made at a time.
pub(crate) const BLOCKS: usize = 16;

/// Numbers of so many blocks, of 64 bits: two of a block in a row.
pub(super) type Words = [u64; 2 * BLOCKS];

/// The keys of all rounds.
type Keys<S> = [[Quads<S>; 2]; 10];

/// All lanes with a word.
#[inline(always)]
fn splat<S: Simd>(s: S, word: u64) -> Quads<S> {
    S::F64::splat(s, f64::from_bits(word)).to_bits()
}

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "round < 10")]
fn keys<S: Simd>(s: S, stream: Stream) -> Keys<S> {
    let mut keys = [[splat(s, 0); 2]; 10];
    let (mut k, mut l) = (stream.key as u32, (stream.key >> 32) as u32);
    let mut round = 0;
    while round < 10 {
        keys[round] = [splat(s, u64::from(k)), splat(s, u64::from(l))];
        (k, l) = (k.wrapping_add(0x9E37_79B9), l.wrapping_add(0xBB67_AE85));
        round += 1;
    }
    keys
}

/// The blocks from `first` on, a multiple of [`BLOCKS`].
#[inline(always)]
fn blocks<S: Simd>(s: S, keys: &Keys<S>, stream: Stream, first: u64) -> Words {
    // Two vectors hide the latency of each other's products; a core without lanes has few registers.
    match S::F64::LANES {
        1 | BLOCKS => run::<S, 1>(s, keys, stream, first),
        _ => run::<S, 2>(s, keys, stream, first),
    }
}

/// [`blocks`], `N` vectors at a time.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "i < N")]
fn run<S: Simd, const N: usize>(s: S, keys: &Keys<S>, stream: Stream, first: u64) -> Words {
    const INDEX: [u64; BLOCKS] = {
        let (mut index, mut i) = ([0; BLOCKS], 0);
        while i < BLOCKS {
            index[i] = i as u64;
            i += 1;
        }
        index
    };
    let lanes = S::F64::LANES;
    let (zero, low) = (splat(s, 0), splat(s, 0xffff_ffff));
    let (m, n) = (splat(s, 0xD251_1F53), splat(s, 0xCD9E_8D57));
    let mut words = [0; 2 * BLOCKS];
    for (index, words) in INDEX.chunks_exact(N * lanes).zip(words.chunks_exact_mut(2 * N * lanes)) {
        // Words lie in the low halves of lanes of 64 bits, where their product is one instruction. What is above them never
        // matters: the products and the last step drop it.
        let mut a = [splat(s, first); N];
        let (mut b, mut c, mut d) =
            ([splat(s, first >> 32); N], [splat(s, u64::from(stream.id)); N], [zero; N]);
        let mut i = 0;
        while i < N {
            // SAFETY: `index` has `N` vectors; as an `f64` a word keeps its bits.
            a[i] = a[i] | unsafe { S::F64::load(s, index.as_ptr().add(i * lanes).cast()) }.to_bits();
            i += 1;
        }
        // Compilers unroll loops of five rounds, but not of ten.
        for keys in keys.as_chunks::<5>().0 {
            for [k, l] in keys {
                let mut i = 0;
                while i < N {
                    let (p, q) = (s.mul_low(a[i], m), s.mul_low(c[i], n));
                    (a[i], c[i]) = (q.shr::<32>() ^ (b[i] ^ *k), p.shr::<32>() ^ (d[i] ^ *l));
                    (b[i], d[i]) = (q, p);
                    i += 1;
                }
            }
        }
        let mut i = 0;
        while i < N {
            let x = S::F64::from_bits((a[i] & low) | b[i].shl::<32>());
            let y = S::F64::from_bits((c[i] & low) | d[i].shl::<32>());
            let [x, y] = S::F64::zip(s, x, y);
            let at = words.as_mut_ptr().wrapping_add(2 * i * lanes).cast::<f64>();
            // SAFETY: `words` has `2·N` vectors.
            unsafe {
                x.store(at);
                y.store(at.add(lanes));
            }
            i += 1;
        }
    }
    words
}

/// The words of 32 bits.
#[inline(always)]
pub(super) fn halves(words: &Words) -> [u32; 4 * BLOCKS] {
    let bytes = words.map(u64::to_le_bytes);
    let mut to = [0; 4 * BLOCKS];
    for (to, from) in to.iter_mut().zip(bytes.as_flattened().as_chunks::<4>().0) {
        *to = u32::from_le_bytes(*from);
    }
    to
}

/// Numbers that one thread takes at a time.
pub(crate) const GRAIN: usize = 1 << 15;

/// Fills `out` with what `make` makes of the words of `N` numbers, 16 blocks; its second argument is the offset of the
/// first one. Mark it `#[inline(always)]`.
pub(super) fn fill<const N: usize, J: Executor, S: Simd, X: Copy + Default + Send>(
    j: J,
    s: S,
    stream: Stream,
    out: &mut [X],
    make: impl Fn(&Words, u64, &mut [X; N]) + Copy + Sync,
) {
    if !J::SERIAL && out.len() > 2 * GRAIN {
        let n = out.len();
        let (a, b) = out.split_at_mut((n / 2).next_multiple_of(N).min(n));
        let next = stream.skip(a.len() as u64);
        j.join(n, || fill(j, s, stream, a, make), || fill(j, s, next, b, make));
        return;
    }
    s.vectorize(
        #[inline(always)]
        || {
            let keys = keys(s, stream);
            let (mut at, mut rest) = (stream.offset, out);
            let mut some = [X::default(); N];
            while !rest.is_empty() {
                // The groups are those of the stream, wherever `out` starts.
                let before = at as usize % N;
                let n = rest.len().min(N - before);
                let (part, others) = core::mem::take(&mut rest).split_at_mut(n);
                let start = at - before as u64;
                let words = blocks(s, &keys, stream, start / (N / BLOCKS) as u64);
                if let Some(whole) = part.first_chunk_mut() {
                    make(&words, start, whole);
                } else {
                    make(&words, start, &mut some);
                    for (part, some) in part.iter_mut().zip(some.iter().skip(before)) {
                        *part = *some;
                    }
                }
                (at, rest) = (at.wrapping_add(n as u64), others);
            }
        },
    );
}

/// `out[i] = make(offset of i)`, for what does not go by groups.
pub(super) fn each<J: Executor, X: Send>(
    j: J,
    stream: Stream,
    out: &mut [X],
    make: impl Fn(u64) -> X + Copy + Sync,
) {
    if !J::SERIAL && out.len() > GRAIN {
        let (a, b) = out.split_at_mut(out.len() / 2);
        let next = stream.skip(a.len() as u64);
        // The work is some ten times that of a map.
        let n = (a.len() + b.len()).saturating_mul(10);
        j.join(n, || each(j, stream, a, make), || each(j, next, b, make));
        return;
    }
    for (i, out) in (0u64..).zip(out) {
        *out = make(stream.offset.wrapping_add(i));
    }
}
