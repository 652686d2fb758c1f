//! Conversions of half-precision numbers as bits, which need no feature: `convert` and the scales of `quant` use them.

/// Exact for finite values; NaN keeps its sign and the bits of its payload.
#[inline(always)]
pub(crate) fn f16_to_f32(h: u16) -> f32 {
    let h = u32::from(h);
    let sign = (h & 0x8000) << 16;
    let magnitude = (h & 0x7fff) << 13;
    // The exponents differ by 112; the product is exact and makes subnormals normal.
    let finite = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
    let special = magnitude | 0x7f80_0000;
    // An f16 NaN is quieted, as the hardware conversion does.
    let quiet = if magnitude > 0x0f80_0000 { 0x0040_0000 } else { 0 };
    f32::from_bits(sign | if magnitude >= 0x0f80_0000 { special | quiet } else { finite })
}

/// Round to nearest even; overflow gives infinity, NaN stays NaN (quiet, truncated payload).
#[inline(always)]
pub(crate) fn f32_to_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) & 0x8000;
    let a = bits & 0x7fff_ffff;
    // Normal results: add half an ulp less the tie to even, then move the exponent down by 112.
    let normal = a.wrapping_add(0xc800_0fff).wrapping_add((a >> 13) & 1) >> 13;
    // Subnormal results: adding 0.5 lets the float adder round to multiples of 2^-24.
    let subnormal = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let nan = 0x7e00 | ((a >> 13) & 0x1ff);
    let finite = if a < 0x3880_0000 { subnormal } else { normal };
    let big = if a > 0x7f80_0000 { nan } else { 0x7c00 };
    let r = sign | if a >= 0x477f_f000 { big } else { finite };
    r as u16
}

/// The nearest `bf16`, ties to even; overflow gives infinity, NaN stays NaN (quiet, truncated payload).
#[inline(always)]
#[cfg(any(feature = "half", feature = "gpu"))]
pub(crate) fn f32_to_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    let nan = (bits >> 16) | 0x0040;
    let r = if bits & 0x7fff_ffff > 0x7f80_0000 { nan } else { rounded };
    r as u16
}
