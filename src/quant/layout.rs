//! The layout of each block format for kernels that read 32-bit words: byte offsets and bit fields of codes, scales and
//! mins.

/// A number of a block.
#[derive(Debug, Clone, Copy)]
pub enum Factor {
    /// In half precision.
    Half(usize),
    /// In single precision.
    Single(usize),
    /// Half of `2^(e − 127)`, by the byte `e`.
    Power(usize),
}

/// Bits of codes; those of several fields make a code together.
#[derive(Debug, Clone, Copy)]
pub enum Field {
    /// The low nibbles of 16 bytes, then the high ones.
    Nibbles(usize),
    /// Pieces of 32 bytes, each with `bits` of each element of `span / lines` chunks of 32 elements; neighbouring chunks
    /// are in `lines` pieces by turns. They are the code's bits from `up` on.
    Pieces {
        /// Where the first piece is.
        at: usize,
        /// Bits of a code: 1, 2, 4 or 8.
        bits: u32,
        /// Chunks of `lines` pieces.
        span: u32,
        /// Pieces that have neighbouring chunks.
        lines: u32,
        /// The lowest of the code's bits.
        up: u32,
    },
    /// The fifth bit of each of 32 elements, one after the other.
    Flags(usize),
    /// The nibbles of 16 bytes for each chunk, those of a byte being neighbours; the high one first, where it says so.
    Pairs(usize, bool),
}

/// The factors of groups of elements.
#[derive(Debug, Clone, Copy)]
pub enum Scales {
    /// 1.
    One,
    /// Of 16 elements, the low nibble of a byte; the high one is the min.
    Nibbles(usize),
    /// Of 16 elements, a signed byte.
    Bytes(usize),
    /// Of 16 elements, six bits less 32: the low four in nibbles of eight bytes, the others in pairs of bits of the next four.
    Six(usize),
    /// Of 32 elements, six bits, and as many for the min: those of four chunks in eight bytes, whose high bits and the
    /// four behind them have the others.
    Packed(usize),
}

/// A format.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// The factor of scales.
    pub d: Factor,
    /// What products multiply it with.
    pub by: f32,
    /// The factor of mins, in half precision, which products take the sum of the codes with; of activations their stored sum.
    pub m: Option<usize>,
    /// Whether it is to be negated.
    pub negative: bool,
    /// The codes.
    pub codes: &'static [Field],
    /// What they choose from, if they do; and the low bytes of that.
    pub table: Option<[&'static [i8; 16]; 2]>,
    /// What they stand for beside the scale, where that is no integer.
    pub levels: Option<&'static [f32; 16]>,
    /// The factors of groups.
    pub scales: Scales,
    /// The sums of the codes of each 16, where there are such.
    pub sums: Option<usize>,
}

impl Words {
    /// Of a factor in half precision and codes.
    pub const fn new(d: usize, codes: &'static [Field]) -> Self {
        let (d, scales) = (Factor::Half(d), Scales::One);
        Self { d, by: 1.0, m: None, negative: false, codes, table: None, levels: None, scales, sums: None }
    }
    /// With mins.
    pub const fn mins(self, m: usize, negative: bool) -> Self {
        Self { m: Some(m), negative, ..self }
    }
    /// With factors of groups.
    pub const fn scales(self, scales: Scales) -> Self {
        Self { scales, ..self }
    }
}

/// A byte each.
pub const fn bytes(at: usize) -> Field {
    Field::Pieces { at, bits: 8, span: 1, lines: 1, up: 0 }
}

/// So many bits each, of as many chunks as a byte has such.
pub const fn pieces(at: usize, bits: u32, up: u32) -> Field {
    Field::Pieces { at, bits, span: 8 / bits, lines: 1, up }
}
