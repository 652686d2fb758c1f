//! The model's sizes, and where each weight lies in the one vector of parameters.

use core::fmt;
use core::ops::Range;
use fulmen::{RopeScaling, RopeStyle};

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
    /// Width of a head; 0 for `dim / heads`, as in every model that is trained here.
    pub head: usize,
    /// Base of the rotary frequencies.
    pub rope_base: f32,
    /// What else there is to say of the rotary positions.
    pub rope: Rope,
    /// Of the norms.
    pub eps: f32,
    /// Whether the output weights are the embedding's, as in every model that is trained here.
    pub tied: bool,
    /// Which products have biases; none in a model that is trained here.
    pub biases: Biases,
}

/// How the heads of queries and keys turn with the position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rope {
    /// Which elements are a pair.
    pub style: RopeStyle,
    /// How the angles differ from those of the base.
    pub scaling: RopeScaling<f32>,
    /// What cosines and sines are multiplied with, besides what the scaling says.
    pub length: f32,
}

impl Default for Rope {
    fn default() -> Self {
        Self { style: RopeStyle::Interleaved, scaling: RopeScaling::None, length: 1.0 }
    }
}

/// Which products have a bias in every block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Biases {
    /// Queries, keys and values.
    pub qkv: bool,
    /// What attention gives.
    pub output: bool,
    /// The three of the feed-forward part.
    pub ffn: bool,
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
            head: 0,
            rope: Rope::default(),
            biases: Biases::default(),
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
    /// The biases, which are empty where there are none.
    pub q_bias: Range<usize>,
    pub kv_bias: Range<usize>,
    pub o_bias: Range<usize>,
    pub gate_up_bias: Range<usize>,
    pub down_bias: Range<usize>,
    pub len: usize,
}

/// Tensors of a block without biases, in this order: the first norm, q, k, v, o, the second norm, gate, up, down. Biases follow, in
/// the order of their matrices.
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
        if self.head > 1 << 24 {
            return refuse("a size of the model is above 16 777 216");
        }
        if self.head == 0 && !self.dim.is_multiple_of(self.heads) {
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
        if !(self.rope.length.is_finite() && self.rope.length > 0.0) {
            return refuse("the length of the rotary pairs is not a number above zero");
        }
        // The largest product of sizes below, twice over, must be an address.
        let heads = self.heads.checked_mul(2 * self.head_dim());
        let Some(heads) = heads else { return refuse("the model is larger than the address space") };
        let wide = [self.dim, self.hidden, self.vocab, heads].into_iter().max().unwrap_or(1);
        let room = wide.checked_mul(wide.max(self.context)).and_then(|n| n.checked_mul(32 * self.layers));
        if room.is_none_or(|n| n > isize::MAX as usize) {
            return refuse("the model is larger than the address space");
        }
        Ok(self)
    }

    /// Width of one head.
    pub fn head_dim(&self) -> usize {
        if self.head == 0 { self.dim / self.heads } else { self.head }
    }

    /// Width of the queries of one token.
    pub fn q_width(&self) -> usize {
        self.heads * self.head_dim()
    }

    /// Tensors of a block.
    pub fn tensors(&self) -> usize {
        let Biases { qkv, output, ffn } = self.biases;
        TENSORS + 3 * usize::from(qkv) + usize::from(output) + 3 * usize::from(ffn)
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
        let (d, q_width, kv_width) = (self.dim, self.q_width(), self.kv_width());
        let (norm_1, q, kv, o) = (next(d), next(q_width * d), next(kv_width * d), next(d * q_width));
        let (norm_2, gate_up, down) = (next(d), next(2 * self.hidden * d), next(d * self.hidden));
        let Biases { qkv, output, ffn } = self.biases;
        let mut bias = |there, n| next(if there { n } else { 0 });
        let (q_bias, kv_bias, o_bias) = (bias(qkv, q_width), bias(qkv, kv_width), bias(output, d));
        let (gate_up_bias, down_bias) = (bias(ffn, 2 * self.hidden), bias(ffn, d));
        let len = down_bias.end;
        Block {
            norm_1,
            q,
            kv,
            o,
            norm_2,
            gate_up,
            down,
            q_bias,
            kv_bias,
            o_bias,
            gate_up_bias,
            down_bias,
            len,
        }
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
