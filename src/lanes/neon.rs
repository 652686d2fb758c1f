//! The NEON (AArch64 Advanced SIMD) implementation of `Simd`: four `f32` or two `f64` lanes, with fused multiply-add.

use super::vector::{Sealed, Vector};
use super::{Isa, Simd, lookup};
use crate::alu::{Alu, Bits, Mask};
use core::arch::aarch64::*;
use core::ops::{Neg, Not};

/// The token of Advanced SIMD. The module exists only where the build has the target feature,
/// which is every AArch64 target with a hardware float ABI, so there is nothing to detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neon(());

impl Neon {
    pub(super) const NATIVE: Self = Self(());

    /// The token.
    #[inline(always)]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Neon {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Neon {}

impl Simd for Neon {
    const ISA: Isa = Isa::Neon;
    const NAME: &'static str = "neonx4";
    const FUSED: bool = true;
    type F32 = F32x4;
    type F64 = F64x2;
    #[inline(always)]
    fn dot_i16(self, sum: U32x4, a: U32x4, b: U32x4) -> U32x4 {
        // SAFETY: the token proves NEON.
        unsafe {
            let (a, b) = (vreinterpretq_s16_u32(a.0), vreinterpretq_s16_u32(b.0));
            let (low, high) = (vmull_s16(vget_low_s16(a), vget_low_s16(b)), vmull_high_s16(a, b));
            U32x4(vaddq_u32(sum.0, vreinterpretq_u32_s32(vpaddq_s32(low, high))))
        }
    }
    #[inline(always)]
    fn mul_low(self, a: U64x2, b: U64x2) -> U64x2 {
        // SAFETY: the token proves NEON.
        unsafe { U64x2(vmull_u32(vmovn_u64(a.0), vmovn_u64(b.0))) }
    }
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: U32x4, a: U32x4, b: U32x4) -> U32x4 {
        // SAFETY: the token proves NEON, and any bits are values of these types.
        unsafe {
            let (a, b) = (vreinterpretq_s8_u32(a.0), vreinterpretq_s8_u32(b.0));
            U32x4(vreinterpretq_u32_s32(super::bytes::neon::in_lanes::<SIGNED>(
                vreinterpretq_s32_u32(sum.0),
                a,
                b,
            )))
        }
    }
    #[inline(always)]
    fn mul_i32(self, a: U32x4, b: U32x4) -> U32x4 {
        // SAFETY: the token proves NEON.
        unsafe { U32x4(vmulq_u32(a.0, b.0)) }
    }
    #[inline(always)]
    fn floats(self, x: U32x4) -> F32x4 {
        // SAFETY: the token proves NEON.
        unsafe { F32x4(vcvtq_f32_s32(vreinterpretq_s32_u32(x.0))) }
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

/// `!m` for 64-bit lanes.
#[inline(always)]
unsafe fn vmvnq_u64(m: uint64x2_t) -> uint64x2_t {
    // SAFETY: this module exists only where the build has NEON.
    unsafe { vreinterpretq_u64_u32(vmvnq_u32(vreinterpretq_u32_u64(m))) }
}

#[inline(always)]
unsafe fn any_u32(m: uint32x4_t) -> bool {
    // SAFETY: as above.
    unsafe { vmaxvq_u32(m) != 0 }
}

#[inline(always)]
unsafe fn any_u64(m: uint64x2_t) -> bool {
    // SAFETY: as above.
    unsafe { any_u32(vreinterpretq_u32_u64(m)) }
}

macro_rules! neon_lane {
    ($F:ident, $B:ident, $M:ident, $f:ident, $u:ident, $n:literal, $v:ident, $vu:ident, $dup:ident, $dupu:ident,
     $add:ident $sub:ident $mul:ident $div:ident $uadd:ident $usub:ident $shl:ident $dups:ident $and:ident $or:ident
     $xor:ident $mvn:ident $neg:ident $fma:ident $sqrt:ident $abs:ident $lt:ident $le:ident $eq:ident $bsl:ident
     $tou:ident $fromu:ident $ueq:ident $any:ident $rintn:ident $rintz:ident $rintm:ident $rintp:ident
     $ld1:ident $st1:ident $st1u:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F($v);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B($vu);
        /// All ones or all zeros a lane.
        #[derive(Debug, Clone, Copy)]
        pub struct $M($vu);

        lane_ops!($F: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);
        lane_ops!($B: Add add $uadd, Sub sub $usub, BitAnd bitand $and, BitOr bitor $or, BitXor bitxor $xor);
        lane_ops!($M: BitAnd bitand $and, BitOr bitor $or);

        impl Neg for $F {
            type Output = Self;
            lane_fns! { fn neg(self) -> Self = Self($neg(self.0)); }
        }
        impl Not for $M {
            type Output = Self;
            lane_fns! { fn not(self) -> Self = Self($mvn(self.0)); }
        }
        impl Mask for $M {}

        impl Bits for $B {
            lane_fns! {
                fn lit(self, c: i64) -> Self = Self($dupu(c as $u));
                // A shift by a register, which compiles to the one by a constant: that one does not compile
                // for a K beyond the width, not even in the arm of a body that is for wider elements.
                fn shl<const K: i32>(self) -> Self = Self($shl(self.0, $dups(K as _)));
                fn shr<const K: i32>(self) -> Self = Self($shl(self.0, $dups(-K as _)));
            }
        }

        impl Alu for $F {
            type Elem = $f;
            type Mask = $M;
            type Bits = $B;
            const FUSED: bool = true;
            lane_fns! {
                fn lit(self, c: $f) -> Self = Self($dup(c));
                fn param(self, p: $f) -> Self = Self($dup(p));
                fn mul_add(self, b: Self, c: Self) -> Self = Self($fma(c.0, self.0, b.0));
                fn sqrt(self) -> Self = Self($sqrt(self.0));
                fn abs(self) -> Self = Self($abs(self.0));
                // `fmin` and `fmax` order zeros and spread NaN; the contract is compare and select.
                fn min(self, o: Self) -> Self = Self($bsl($lt(self.0, o.0), self.0, o.0));
                fn max(self, o: Self) -> Self = Self($bsl($lt(o.0, self.0), self.0, o.0));
                fn lt(self, o: Self) -> $M = $M($lt(self.0, o.0));
                fn le(self, o: Self) -> $M = $M($le(self.0, o.0));
                fn eq(self, o: Self) -> $M = $M($eq(self.0, o.0));
                fn select(m: $M, a: Self, b: Self) -> Self = Self($bsl(m.0, a.0, b.0));
                fn to_bits(self) -> $B = $B($tou(self.0));
                fn from_bits(b: $B) -> Self = Self($fromu(b.0));
                fn bits_eq(a: $B, b: $B) -> $M = $M($ueq(a.0, b.0));
                fn round_ties_even(self) -> Self = Self($rintn(self.0));
                fn trunc(self) -> Self = Self($rintz(self.0));
                fn floor(self) -> Self = Self($rintm(self.0));
                fn ceil(self) -> Self = Self($rintp(self.0));
            }
            #[inline(always)]
            fn lookup(i: $B, table: &'static [$f]) -> Self {
                let mut at = [0 as $u; $n];
                // SAFETY: `at` is as large as the register.
                unsafe { $st1u(at.as_mut_ptr(), i.0) };
                let v = lookup(at.map(|i| i as u32), table);
                // SAFETY: `v` is as large as the register.
                unsafe { Self($ld1(v.as_ptr())) }
            }
            #[inline(always)]
            fn patch(self, rare: $M, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
        }

        impl Vector for $F {
            type Token = Neon;
            const LANES: usize = $n;
            lane_fns! {
                fn splat(_s: Neon, c: $f) -> Self = Self($dup(c));
                fn any(m: $M) -> bool = $any(m.0);
            }
            #[inline(always)]
            unsafe fn load(_: Neon, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements.
                unsafe { Self($ld1(p)) }
            }
            #[inline(always)]
            unsafe fn load_first(_: Neon, p: *const $f, n: usize, fill: $f) -> Self {
                // SAFETY: the caller guarantees `n` readable elements; the array is as large as the register.
                unsafe { Self($ld1(super::read_first::<$f, $n>(p, n, fill).as_ptr())) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $f) {
                // SAFETY: the caller guarantees `LANES` writable elements.
                unsafe { $st1(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $f, n: usize) {
                // SAFETY: the caller guarantees `n` writable elements.
                unsafe { self.store_some(p, n) }
            }
        }
    };
}

neon_lane!(F32x4, U32x4, M32x4, f32, u32, 4, float32x4_t, uint32x4_t, vdupq_n_f32, vdupq_n_u32,
    vaddq_f32 vsubq_f32 vmulq_f32 vdivq_f32 vaddq_u32 vsubq_u32 vshlq_u32 vdupq_n_s32 vandq_u32 vorrq_u32
    veorq_u32 vmvnq_u32 vnegq_f32 vfmaq_f32 vsqrtq_f32 vabsq_f32 vcltq_f32 vcleq_f32 vceqq_f32 vbslq_f32
    vreinterpretq_u32_f32 vreinterpretq_f32_u32 vceqq_u32 any_u32 vrndnq_f32 vrndq_f32 vrndmq_f32 vrndpq_f32
    vld1q_f32 vst1q_f32 vst1q_u32);
neon_lane!(F64x2, U64x2, M64x2, f64, u64, 2, float64x2_t, uint64x2_t, vdupq_n_f64, vdupq_n_u64,
    vaddq_f64 vsubq_f64 vmulq_f64 vdivq_f64 vaddq_u64 vsubq_u64 vshlq_u64 vdupq_n_s64 vandq_u64 vorrq_u64
    veorq_u64 vmvnq_u64 vnegq_f64 vfmaq_f64 vsqrtq_f64 vabsq_f64 vcltq_f64 vcleq_f64 vceqq_f64 vbslq_f64
    vreinterpretq_u64_f64 vreinterpretq_f64_u64 vceqq_u64 any_u64 vrndnq_f64 vrndq_f64 vrndmq_f64
    vrndpq_f64 vld1q_f64 vst1q_f64 vst1q_u64);

impl F32x4 {
    /// # Safety
    /// `p` is valid for writes of `n < 4` elements.
    #[inline(always)]
    unsafe fn store_some(self, mut p: *mut f32, n: usize) {
        // SAFETY: 2 elements are written if `n` has bit 1 and then 1 if it has bit 0: `n` in all.
        unsafe {
            let mut v = vget_low_f32(self.0);
            if n & 2 != 0 {
                vst1_f32(p, v);
                v = vget_high_f32(self.0);
                p = p.add(2);
            }
            if n & 1 != 0 {
                p.write(vget_lane_f32::<0>(v));
            }
        }
    }
}

impl F64x2 {
    /// # Safety
    /// `p` is valid for writes of `n < 2` elements.
    #[inline(always)]
    unsafe fn store_some(self, p: *mut f64, n: usize) {
        if n != 0 {
            // SAFETY: the caller guarantees one writable element.
            unsafe { p.write(vgetq_lane_f64::<0>(self.0)) }
        }
    }
}
