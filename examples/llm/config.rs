//! The model's sizes, and where each weight lies in the one vector of parameters.

use core::fmt;
use core::ops::Range;

/// A decoder-only transformer: RMS norm, rotary positions, grouped-query attention, SwiGLU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Tokens of the vocabulary.
    pub vocab: usize,
    /// Width of the residual stream.
    pub dim: usize,
    /// Blocks.
    pub layers: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads.
    pub kv_heads: usize,
    /// Hidden width of a feed-forward part.
    pub hidden: usize,
    /// Longest sequence.
    pub context: usize,
    /// Base of the rotary frequencies.
    pub rope_base: f32,
    /// Of the norms.
    pub eps: f32,
    /// Whether the output weights are the embedding's, as in every model that is trained here.
    pub tied: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            vocab: 512,
            dim: 128,
            layers: 4,
            heads: 4,
            kv_heads: 2,
            hidden: 384,
            context: 256,
            rope_base: 10000.0,
            eps: 1e-5,
            tied: true,
        }
    }
}

/// Why a configuration is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub &'static str);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Where the weights of one block lie, from the block's start. Each matrix has a row per output.
#[derive(Debug, Clone)]
pub struct Block {
    pub norm_1: Range<usize>,
    pub q: Range<usize>,
    pub kv: Range<usize>,
    pub o: Range<usize>,
    pub norm_2: Range<usize>,
    pub gate_up: Range<usize>,
    pub down: Range<usize>,
    pub len: usize,
}

/// Tensors of a block, in this order: the first norm, q, k, v, o, the second norm, gate, up, down.
pub const TENSORS: usize = 9;

/// A tensor of a model: its format, by the number in GGUF files, its rows, and where it lies among the numbers, or the
/// bytes of the blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub kind: u32,
    pub rows: usize,
    pub range: Range<usize>,
}

impl Config {
    /// Itself, when the sizes go together.
    pub fn checked(self) -> Result<Self, Refused> {
        let sizes = [self.vocab, self.dim, self.layers, self.heads, self.kv_heads, self.hidden, self.context];
        let refuse = |why| Err(Refused(why));
        if sizes.contains(&0) {
            return refuse("every size of the model is at least 1");
        }
        if sizes.iter().any(|&n| n > 1 << 24) {
            return refuse("a size of the model is above 16 777 216");
        }
        if !self.dim.is_multiple_of(self.heads) {
            return refuse("--dim is not a multiple of --heads");
        }
        if !self.head_dim().is_multiple_of(2) {
            return refuse("--dim / --heads is odd: rotary positions turn pairs");
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return refuse("--heads is not a multiple of --kv-heads");
        }
        let finite =
            self.rope_base.is_finite() && self.rope_base > 0.0 && self.eps.is_finite() && self.eps >= 0.0;
        if !finite {
            return refuse(
                "the base of the rotary frequencies or the norms' epsilon is not a number above zero",
            );
        }
        // The largest product of sizes below, twice over, must be an address.
        let wide = [self.dim, self.hidden, self.vocab, self.kv_width()].into_iter().max().unwrap_or(1);
        let room = wide.checked_mul(wide.max(self.context)).and_then(|n| n.checked_mul(32 * self.layers));
        if room.is_none_or(|n| n > isize::MAX as usize) {
            return refuse("the model is larger than the address space");
        }
        Ok(self)
    }

    /// Width of one head.
    pub fn head_dim(&self) -> usize {
        self.dim / self.heads
    }

    /// Width of the keys and the values of one token together.
    pub fn kv_width(&self) -> usize {
        2 * self.kv_heads * self.head_dim()
    }

    /// Where the weights of a block lie.
    pub fn block(&self) -> Block {
        let mut at = 0;
        let mut next = |n: usize| {
            at += n;
            at - n..at
        };
        let d = self.dim;
        let (norm_1, q, kv, o) = (next(d), next(d * d), next(self.kv_width() * d), next(d * d));
        let (norm_2, gate_up, down) = (next(d), next(2 * self.hidden * d), next(d * self.hidden));
        Block { norm_1, q, kv, o, norm_2, gate_up, len: down.end, down }
    }

    /// Where block `l` lies.
    pub fn block_at(&self, l: usize) -> Range<usize> {
        let (start, len) = (self.vocab * self.dim, self.block().len);
        start + l * len..start + (l + 1) * len
    }

    /// The embedding.
    pub fn embedding(&self) -> Range<usize> {
        0..self.vocab * self.dim
    }

    /// The scale of the last norm.
    pub fn last_norm(&self) -> Range<usize> {
        let start = self.block_at(self.layers).start;
        start..start + self.dim
    }

    /// The output weights, after everything else if they are their own.
    pub fn output(&self) -> Range<usize> {
        let end = self.last_norm().end;
        if self.tied { self.embedding() } else { end..end + self.vocab * self.dim }
    }

    /// Number of parameters.
    pub fn parameters(&self) -> usize {
        self.last_norm().end.max(self.output().end)
    }
}
