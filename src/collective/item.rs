//! The elements that ranks exchange, and how two of them are reduced.

use crate::plain::Plain;
#[cfg(not(feature = "gpu"))]
use crate::plain::Plain as Stored;
#[cfg(feature = "gpu")]
use crate::quant::Bits as Stored;

/// How elements are reduced.
///
/// Integers wrap around. A maximum or minimum of which one operand is NaN is NaN; of -0 and +0 it may be either. `f16` and `bf16`
/// are added and multiplied in `f32` and rounded once by [`Local`](super::Local). NCCL has rules of its own for these three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduce {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// The types of elements.
#[allow(missing_docs, reason = "the names of the types")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    I8,
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

/// An element that ranks exchange.
pub trait Item: Plain + Stored {
    /// Its type.
    const KIND: Kind;
    /// Zero.
    const ZERO: Self;
    /// What reductions are computed in.
    type Wide: Plain;
    /// As that.
    fn widened(self) -> Self::Wide;
    /// Rounded from that.
    fn narrowed(x: Self::Wide) -> Self;
    /// Two of them reduced.
    fn reduced(op: Reduce, x: Self::Wide, y: Self::Wide) -> Self::Wide;
}

macro_rules! integers {
    ($($T:ident $Kind:ident)*) => { $(
        impl Item for $T {
            const KIND: Kind = Kind::$Kind;
            const ZERO: Self = 0;
            type Wide = Self;
            fn widened(self) -> Self {
                self
            }
            fn narrowed(x: Self) -> Self {
                x
            }
            fn reduced(op: Reduce, x: Self, y: Self) -> Self {
                match op {
                    Reduce::Sum => x.wrapping_add(y),
                    Reduce::Product => x.wrapping_mul(y),
                    Reduce::Max => x.max(y),
                    Reduce::Min => x.min(y),
                }
            }
        }
    )* };
}
integers! { i8 I8 u8 U8 i32 I32 u32 U32 i64 I64 u64 U64 }

macro_rules! floats {
    ($($T:ty, $Wide:ident, $Kind:ident, $zero:expr, $widened:expr, $narrowed:expr;)*) => { $(
        impl Item for $T {
            const KIND: Kind = Kind::$Kind;
            const ZERO: Self = $zero;
            type Wide = $Wide;
            fn widened(self) -> $Wide {
                $widened(self)
            }
            fn narrowed(x: $Wide) -> Self {
                $narrowed(x)
            }
            fn reduced(op: Reduce, x: $Wide, y: $Wide) -> $Wide {
                match op {
                    Reduce::Sum => x + y,
                    Reduce::Product => x * y,
                    _ if x.is_nan() => x,
                    _ if y.is_nan() => y,
                    Reduce::Max => if x < y { y } else { x },
                    Reduce::Min => if y < x { y } else { x },
                }
            }
        }
    )* };
}
floats! {
    f32, f32, F32, 0.0, core::convert::identity, core::convert::identity;
    f64, f64, F64, 0.0, core::convert::identity, core::convert::identity;
}
#[cfg(feature = "half")]
floats! {
    half::f16, f32, F16, half::f16::ZERO, half::f16::to_f32, half::f16::from_f32;
    half::bf16, f32, Bf16, half::bf16::ZERO, half::bf16::to_f32, half::bf16::from_f32;
}
