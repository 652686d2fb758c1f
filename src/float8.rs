//! The 8-bit float E4M3, and its conversions.

use core::cmp::Ordering;
use core::fmt;

/// A number of eight bits: a sign, four bits of exponent (bias 7), three of fraction; NaN, but no infinities. The largest
/// is 448, the smallest 2⁻⁹; 0 to 16 are whole numbers in it.
///
/// In memory it is a byte, whose bits are those of `float8_e4m3fn` of ml_dtypes and PyTorch and of the tensor cores' `e4m3`. Products of
/// two are exact in `f32`. What is past the largest number becomes that, as in PyTorch from 2.13 on and in PTX's `cvt.satfinite`; in
/// PyTorch up to 2.12, ml_dtypes 0.6 and JAX 0.10 it becomes NaN, from what is above 464 on and infinities too.
///
/// ```
/// use fulmen::E4m3;
/// let x = [1.0, -0.3, 17.0, 1e9, f32::NAN].map(E4m3::from_f32);
/// assert_eq!(x[..4], [1.0, -0.3125, 16.0, 448.0].map(E4m3::from_f32));
/// assert!(x[4].to_f32().is_nan());
/// ```
///
/// Source: P. Micikevicius et al.: FP8 Formats for Deep Learning, 2022; OCP 8-bit Floating Point Specification, revision
/// 1.0, 2023.
#[repr(transparent)]
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct E4m3(u8);

impl E4m3 {
    /// The largest: 448.
    pub const MAX: Self = Self(0x7e);
    /// Not a number.
    pub const NAN: Self = Self(0x7f);

    /// The number with these bits.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Its bits.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// The number next to `x`, of two as near the even one; what is beyond the largest becomes that, infinities too, and
    /// what is nearest 0 keeps its sign. NaN gives NaN with its sign.
    #[inline]
    #[must_use]
    pub const fn from_f32(x: f32) -> Self {
        let bits = x.to_bits();
        let (sign, size) = ((bits >> 24) as u8 & 0x80, bits & 0x7fff_ffff);
        if size > 0x7f80_0000 {
            return Self(sign | 0x7f);
        }
        // The least that is rounded to more than 448.
        if size >= 0x43e8_0000 {
            return Self(sign | 0x7e);
        }
        let magnitude = if size < 0x3c80_0000 {
            // Below 2⁻⁶ they are 2⁻⁹ apart: adding 2¹⁴ leaves whole ones of those, rounded.
            (f32::from_bits(size) + 16384.0).to_bits() - 0x4680_0000
        } else {
            // Half a unit less the tie to even, then the exponent moves down by 120.
            (size + 0x7_ffff + (size >> 20 & 1) - (120 << 23)) >> 20
        };
        Self(sign | magnitude as u8)
    }

    /// The number, exactly. NaN is quiet and keeps its sign.
    #[inline]
    #[must_use]
    pub const fn to_f32(self) -> f32 {
        let (sign, size) = ((self.0 as u32 & 0x80) << 24, self.0 as u32 & 0x7f);
        // The exponents differ by 120; the product is exact and makes subnormals normal.
        let finite = (f32::from_bits(size << 20) * f32::from_bits(0x7b80_0000)).to_bits();
        f32::from_bits(sign | if size == 0x7f { 0x7fc0_0000 } else { finite })
    }
}

impl PartialEq for E4m3 {
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl PartialOrd for E4m3 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.to_f32().partial_cmp(&other.to_f32())
    }
}

impl fmt::Debug for E4m3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f32().fmt(f)
    }
}

impl From<E4m3> for f32 {
    fn from(x: E4m3) -> Self {
        x.to_f32()
    }
}
