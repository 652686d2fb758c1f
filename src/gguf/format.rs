//! The tensor types of GGUF by their numbers: the name, the elements and the bytes of a block.

use crate::quant::*;

/// How elements are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Its name in lower case, such as `"f32"` or `"q4_k"`.
    pub name: &'static str,
    /// Elements of a block; 1 for plain numbers.
    pub elements: usize,
    /// Bytes of a block.
    pub bytes: usize,
}

/// The format of a number in a file: all that the specification has, whether this crate computes with them or not.
pub const fn format(kind: u32) -> Option<Format> {
    const fn of<B: Block>() -> (&'static str, usize, usize) {
        (B::NAME, B::ELEMENTS, size_of::<B>())
    }
    let (name, elements, bytes) = match Some(kind) {
        Some(0) => ("f32", 1, 4),
        Some(1) => ("f16", 1, 2),
        Q4_0::TYPE => of::<Q4_0>(),
        Q4_1::TYPE => of::<Q4_1>(),
        Q5_0::TYPE => of::<Q5_0>(),
        Q5_1::TYPE => of::<Q5_1>(),
        Q8_0::TYPE => of::<Q8_0>(),
        Q8_1::TYPE => of::<Q8_1>(),
        Q2_K::TYPE => of::<Q2_K>(),
        Q3_K::TYPE => of::<Q3_K>(),
        Q4_K::TYPE => of::<Q4_K>(),
        Q5_K::TYPE => of::<Q5_K>(),
        Q6_K::TYPE => of::<Q6_K>(),
        Q8_K::TYPE => of::<Q8_K>(),
        Some(16) => ("iq2_xxs", 256, 66),
        Some(17) => ("iq2_xs", 256, 74),
        Some(18) => ("iq3_xxs", 256, 98),
        Some(19) => ("iq1_s", 256, 50),
        IQ4_NL::TYPE => of::<IQ4_NL>(),
        Some(21) => ("iq3_s", 256, 110),
        Some(22) => ("iq2_s", 256, 82),
        Some(23) => ("iq4_xs", 256, 136),
        Some(24) => ("i8", 1, 1),
        Some(25) => ("i16", 1, 2),
        Some(26) => ("i32", 1, 4),
        Some(27) => ("i64", 1, 8),
        Some(28) => ("f64", 1, 8),
        Some(29) => ("iq1_m", 256, 56),
        Some(30) => ("bf16", 1, 2),
        Some(34) => ("tq1_0", 256, 54),
        Some(35) => ("tq2_0", 256, 66),
        MXFP4::TYPE => of::<MXFP4>(),
        Some(40) => ("nvfp4", 64, 36),
        Some(41) => ("q1_0", 128, 18),
        _ => return None,
    };
    Some(Format { name, elements, bytes })
}
