//! The SSE2 implementation of `Simd`, for every x86-64 CPU: four `f32` or two `f64` lanes. It uses nothing newer, so
//! blends, rounding and 64-bit integer equality are sequences of instructions.

use super::vector::{Sealed, Vector};
use super::{Isa, Simd, lookup};
use crate::alu::{Alu, Bits, Mask};
use core::arch::x86_64::*;
use core::ops::{Neg, Not};

/// The token of SSE2: always present on x86-64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sse2(());

impl Sse2 {
    #[allow(dead_code, reason = "used where the ladder selects SSE2")]
    pub(super) const NATIVE: Self = Self(());

    /// The token.
    #[inline(always)]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Sse2 {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Sse2 {}

impl Simd for Sse2 {
    const ISA: Isa = Isa::Sse2;
    const NAME: &'static str = "sse2x4";
    const FUSED: bool = false;
    type F32 = F32x4;
    type F64 = F64x2;
    lane_fns! {
        fn dot_i16(self, sum: I32x4, a: I32x4, b: I32x4) -> I32x4 = I32x4(_mm_add_epi32(sum.0, _mm_madd_epi16(a.0, b.0)));
        fn mul_i32(self, a: I32x4, b: I32x4) -> I32x4 = {
            let even = _mm_mul_epu32(a.0, b.0);
            let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a.0), _mm_srli_epi64::<32>(b.0));
            let low = |x| _mm_shuffle_epi32::<0b00_00_10_00>(x);
            I32x4(_mm_unpacklo_epi32(low(even), low(odd)))
        };
        fn floats(self, x: I32x4) -> F32x4 = F32x4(_mm_cvtepi32_ps(x.0));
        fn mul_low(self, a: I64x2, b: I64x2) -> I64x2 = I64x2(_mm_mul_epu32(a.0, b.0));
    }
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32x4, a: I32x4, b: I32x4) -> I32x4 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let even = |x: I32x4| _mm_srai_epi16::<8>(_mm_slli_epi16::<8>(x.0));
            let odd = |x: I32x4| _mm_srai_epi16::<8>(x.0);
            let both = _mm_add_epi32(_mm_madd_epi16(even(a), even(b)), _mm_madd_epi16(odd(a), odd(b)));
            I32x4(_mm_add_epi32(sum.0, both))
        }
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

/// Equality of 64-bit integers: both 32-bit halves agree.
#[inline(always)]
unsafe fn cmpeq_epi64(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: SSE2 is part of x86-64.
    unsafe {
        let half = _mm_cmpeq_epi32(a, b);
        _mm_and_si128(half, _mm_shuffle_epi32::<0b10_11_00_01>(half))
    }
}

macro_rules! sse2_lane {
    ($F:ident, $B:ident, $M:ident, $f:ident, $i:ident, $n:literal, $v:ident, $set1:ident, $seti:ident,
     $add:ident $sub:ident $mul:ident $div:ident $iadd:ident $isub:ident $sll:ident $srl:ident
     $sqrt:ident $and:ident $andnot:ident $or:ident $xor:ident $min:ident $max:ident $lt:ident $le:ident
     $eq:ident $toi:ident $fromi:ident $ieq:ident $movemask:ident $loadu:ident $storeu:ident $stream:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F(pub(super) $v);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B(__m128i);
        /// All ones or all zeros a lane.
        #[derive(Debug, Clone, Copy)]
        pub struct $M($v);

        lane_ops!($F: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);
        lane_ops!($B: Add add $iadd, Sub sub $isub, BitAnd bitand _mm_and_si128,
                  BitOr bitor _mm_or_si128, BitXor bitxor _mm_xor_si128);
        lane_ops!($M: BitAnd bitand $and, BitOr bitor $or);

        impl Neg for $F {
            type Output = Self;
            lane_fns! { fn neg(self) -> Self = Self($xor(self.0, $set1(-0.0))); }
        }
        impl Not for $M {
            type Output = Self;
            lane_fns! { fn not(self) -> Self = Self($xor(self.0, $fromi(_mm_set1_epi32(-1)))); }
        }
        impl Mask for $M {}

        impl Bits for $B {
            lane_fns! {
                fn lit(self, c: i64) -> Self = Self($seti(c as $i));
                fn shl<const K: i32>(self) -> Self = Self($sll::<K>(self.0));
                fn shr<const K: i32>(self) -> Self = Self($srl::<K>(self.0));
            }
        }

        impl Alu for $F {
            type Elem = $f;
            type Mask = $M;
            type Bits = $B;
            const FUSED: bool = false;
            lane_fns! {
                fn lit(self, c: $f) -> Self = Self($set1(c));
                fn param(self, p: $f) -> Self = Self($set1(p));
                fn sqrt(self) -> Self = Self($sqrt(self.0));
                fn abs(self) -> Self = Self($andnot($set1(-0.0), self.0));
                fn min(self, o: Self) -> Self = Self($min(self.0, o.0));
                fn max(self, o: Self) -> Self = Self($max(self.0, o.0));
                fn lt(self, o: Self) -> $M = $M($lt(self.0, o.0));
                fn le(self, o: Self) -> $M = $M($le(self.0, o.0));
                fn eq(self, o: Self) -> $M = $M($eq(self.0, o.0));
                fn select(m: $M, a: Self, b: Self) -> Self =
                    Self($or($and(m.0, a.0), $andnot(m.0, b.0)));
                fn to_bits(self) -> $B = $B($toi(self.0));
                fn from_bits(b: $B) -> Self = Self($fromi(b.0));
                fn bits_eq(a: $B, b: $B) -> $M = $M($fromi($ieq(a.0, b.0)));
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn lookup(i: $B, table: &'static [$f]) -> Self {
                let mut at = [0 as $i; $n];
                // SAFETY: `at` is as large as the register.
                unsafe { _mm_storeu_si128(at.as_mut_ptr().cast(), i.0) };
                let v = lookup(at.map(|i| i as u32), table);
                // SAFETY: `v` is as large as the register.
                unsafe { Self($loadu(v.as_ptr())) }
            }
            #[inline(always)]
            fn patch(self, rare: $M, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
        }

        impl Vector for $F {
            type Token = Sse2;
            const LANES: usize = $n;
            const STREAMS: bool = true;
            lane_fns! {
                fn splat(_s: Sse2, c: $f) -> Self = Self($set1(c));
                fn any(m: $M) -> bool = $movemask(m.0) != 0;
                fn fence(_s: Sse2) -> () = _mm_sfence();
            }
            #[inline(always)]
            unsafe fn load(_: Sse2, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements.
                unsafe { Self($loadu(p)) }
            }
            #[inline(always)]
            unsafe fn load_first(_: Sse2, p: *const $f, n: usize, fill: $f) -> Self {
                // SAFETY: the caller guarantees `n` readable elements; the array is as large as the register.
                unsafe { Self($loadu(super::read_first::<$f, $n>(p, n, fill).as_ptr())) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $f) {
                // SAFETY: the caller guarantees `LANES` writable elements.
                unsafe { $storeu(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $f, n: usize) {
                // SAFETY: the caller guarantees `n` writable elements.
                unsafe { self.store_some(p, n) }
            }
            #[inline(always)]
            #[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read through it")]
            fn hide(_: Sse2, mut p: *const $f) -> *const $f {
                // SAFETY: no instruction; the register keeps its value.
                unsafe { core::arch::asm!("/* {0} */", inout(reg) p, options(pure, nomem, nostack, preserves_flags)) }
                p
            }
            #[inline(always)]
            fn prefetch(_: Sse2, p: *const $f) {
                // SAFETY: a prefetch reads nothing and ignores addresses that are not mapped.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(p.cast()) }
            }
            #[inline(always)]
            unsafe fn stream(self, p: *mut $f) {
                // SAFETY: the caller guarantees `LANES` writable elements, aligned.
                unsafe { $stream(p, self.0) }
            }
        }
    };
}

sse2_lane!(F32x4, I32x4, M32x4, f32, i32, 4, __m128, _mm_set1_ps, _mm_set1_epi32,
    _mm_add_ps _mm_sub_ps _mm_mul_ps _mm_div_ps _mm_add_epi32 _mm_sub_epi32 _mm_slli_epi32 _mm_srli_epi32
    _mm_sqrt_ps _mm_and_ps _mm_andnot_ps _mm_or_ps _mm_xor_ps _mm_min_ps _mm_max_ps _mm_cmplt_ps _mm_cmple_ps
    _mm_cmpeq_ps _mm_castps_si128 _mm_castsi128_ps _mm_cmpeq_epi32 _mm_movemask_ps _mm_loadu_ps _mm_storeu_ps
    _mm_stream_ps);
sse2_lane!(F64x2, I64x2, M64x2, f64, i64, 2, __m128d, _mm_set1_pd, _mm_set1_epi64x,
    _mm_add_pd _mm_sub_pd _mm_mul_pd _mm_div_pd _mm_add_epi64 _mm_sub_epi64 _mm_slli_epi64 _mm_srli_epi64
    _mm_sqrt_pd _mm_and_pd _mm_andnot_pd _mm_or_pd _mm_xor_pd _mm_min_pd _mm_max_pd _mm_cmplt_pd _mm_cmple_pd
    _mm_cmpeq_pd _mm_castpd_si128 _mm_castsi128_pd cmpeq_epi64 _mm_movemask_pd _mm_loadu_pd _mm_storeu_pd
    _mm_stream_pd);

impl F32x4 {
    /// Also the end of wider tails.
    ///
    /// # Safety
    /// `p` is valid for writes of `n % 4` elements, and those are written.
    #[inline(always)]
    pub(super) unsafe fn store_some(self, mut p: *mut f32, n: usize) {
        let mut v = self.0;
        // SAFETY: 2 elements are written if `n` has bit 1 and then 1 if it has bit 0: `n % 4`.
        // `_mm_storel_epi64` needs no alignment.
        unsafe {
            if n & 2 != 0 {
                _mm_storel_epi64(p.cast(), _mm_castps_si128(v));
                v = _mm_movehl_ps(v, v);
                p = p.add(2);
            }
            if n & 1 != 0 {
                p.write(_mm_cvtss_f32(v));
            }
        }
    }
}

impl F64x2 {
    /// Also the end of wider tails.
    ///
    /// # Safety
    /// `p` is valid for writes of `n % 2` elements, and those are written.
    #[inline(always)]
    pub(super) unsafe fn store_some(self, p: *mut f64, n: usize) {
        if n & 1 != 0 {
            // SAFETY: the caller guarantees one writable element.
            unsafe { p.write(_mm_cvtsd_f64(self.0)) }
        }
    }
}
