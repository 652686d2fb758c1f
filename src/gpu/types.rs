//! The types of SSA values, and the Rust types that stand for them in the builder.

use core::fmt::Debug;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A truth value; cannot be in memory.
    Pred,
    /// 8 bits, unsigned: in memory and in conversions only.
    U8,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, unsigned; also addresses of global memory.
    U64,
    /// 8 bits, two's complement: in memory and in conversions only.
    S8,
    /// 16 bits, two's complement.
    S16,
    /// 32 bits, two's complement.
    S32,
    /// 64 bits, two's complement.
    S64,
    /// IEEE binary16.
    F16,
    /// The upper half of IEEE binary32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// 32 bits without a meaning of their own: packed fragments.
    B32,
    /// 64 bits without a meaning of their own.
    B64,
}

/// What a type is for arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Bool,
    Unsigned,
    Signed,
    Float,
    Raw,
}

impl Type {
    /// Width in memory; predicates have none.
    #[must_use]
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Pred => 0,
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::S32 | Self::F32 | Self::B32 => 4,
            Self::U64 | Self::S64 | Self::F64 | Self::B64 => 8,
        }
    }

    /// Width of arithmetic.
    #[inline]
    pub(crate) const fn bits(self) -> u32 {
        if matches!(self, Self::Pred) { 1 } else { 8 * self.bytes() }
    }

    #[inline]
    pub(crate) const fn mask(self) -> u64 {
        match self {
            Self::Pred => 1,
            Self::U8 | Self::S8 => 0xff,
            Self::U16 | Self::S16 | Self::F16 | Self::Bf16 => 0xffff,
            Self::U32 | Self::S32 | Self::F32 | Self::B32 => 0xffff_ffff,
            Self::U64 | Self::S64 | Self::F64 | Self::B64 => u64::MAX,
        }
    }

    #[inline]
    pub(crate) const fn sort(self) -> Sort {
        match self {
            Self::Pred => Sort::Bool,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Sort::Unsigned,
            Self::S8 | Self::S16 | Self::S32 | Self::S64 => Sort::Signed,
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => Sort::Float,
            Self::B32 | Self::B64 => Sort::Raw,
        }
    }

    #[inline]
    pub(crate) const fn is_float(self) -> bool {
        matches!(self.sort(), Sort::Float)
    }

    /// What `cvt` of PTX makes of a NaN of this type as an integer: 0 from at most 32 bits to at most 32, else the highest bit alone.
    pub(crate) const fn nan_as(self, to: Self) -> u64 {
        let (integer, long) = (matches!(to.sort(), Sort::Unsigned | Sort::Signed), to.bits() == 64);
        if self.is_float() && integer && (long || self.bits() == 64) { 1 << (to.bits() - 1) } else { 0 }
    }

    /// The suffix of an instruction on this type.
    #[cfg(feature = "cuda")]
    pub(crate) const fn suffix(self) -> &'static str {
        match self {
            Self::Pred => ".pred",
            Self::U8 => ".u8",
            Self::U16 => ".u16",
            Self::U32 => ".u32",
            Self::U64 => ".u64",
            Self::S8 => ".s8",
            Self::S16 => ".s16",
            Self::S32 => ".s32",
            Self::S64 => ".s64",
            Self::F16 => ".f16",
            Self::Bf16 => ".bf16",
            Self::F32 => ".f32",
            Self::F64 => ".f64",
            Self::B32 => ".b32",
            Self::B64 => ".b64",
        }
    }

    /// The suffix of an instruction that only moves bits.
    #[cfg(feature = "cuda")]
    pub(crate) const fn raw(self) -> &'static str {
        match self.bits() {
            1 => ".pred",
            8 => ".b8",
            16 => ".b16",
            32 => ".b32",
            _ => ".b64",
        }
    }
}

/// A Rust type that stands for a [`Type`].
pub trait Scalar: Copy + Debug + 'static {
    /// The type.
    const TYPE: Type;
}
/// A number that has arithmetic.
pub trait Number: Scalar {}
/// An integer that has arithmetic.
pub trait Integer: Number {}
/// A floating-point number.
pub trait Float: Number {}
/// What memory can hold.
pub trait Stored: Scalar {}

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident: $($kind:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name;
        impl Scalar for $name {
            const TYPE: Type = Type::$name;
        }
        $(impl $kind for $name {})*
    )*};
}
scalars! {
    /// [`Type::Pred`].
    Pred:;
    /// [`Type::U8`].
    U8: Stored;
    /// [`Type::U16`].
    U16: Stored Number Integer;
    /// [`Type::U32`].
    U32: Stored Number Integer;
    /// [`Type::U64`].
    U64: Stored Number Integer;
    /// [`Type::S8`].
    S8: Stored;
    /// [`Type::S16`].
    S16: Stored Number Integer;
    /// [`Type::S32`].
    S32: Stored Number Integer;
    /// [`Type::S64`].
    S64: Stored Number Integer;
    /// [`Type::F16`].
    F16: Stored Number Float;
    /// [`Type::Bf16`].
    Bf16: Stored Number Float;
    /// [`Type::F32`].
    F32: Stored Number Float;
    /// [`Type::F64`].
    F64: Stored Number Float;
    /// [`Type::B32`].
    B32: Stored;
    /// [`Type::B64`].
    B64: Stored;
}
