//! The WebAssembly SIMD128 implementation of `Simd`: four `f32` or two `f64` lanes, no fused multiply-add.
#![allow(unused_unsafe, reason = "wasm intrinsics without pointers are safe; the shared macros don't know")]

use super::vector::{Sealed, Vector};
use super::{Isa, Simd, lookup};
use crate::alu::{Alu, Bits, Mask};
use core::arch::wasm32::*;
use core::ops::{Neg, Not};

/// The token of SIMD128. A module that uses it is refused by an engine without it, so the build's
/// target feature is the proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Simd128(());

impl Simd128 {
    pub(super) const NATIVE: Self = Self(());

    /// The token.
    #[inline(always)]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Default for Simd128 {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Simd128 {}

impl Simd for Simd128 {
    const ISA: Isa = Isa::Simd128;
    const NAME: &'static str = "simd128x4";
    const FUSED: bool = false;
    type F32 = F32x4;
    type F64 = F64x2;
    lane_fns! {
        fn dot_i16(self, sum: I32x4, a: I32x4, b: I32x4) -> I32x4 = I32x4(i32x4_add(sum.0, i32x4_dot_i16x8(a.0, b.0)));
        fn mul_i32(self, a: I32x4, b: I32x4) -> I32x4 = I32x4(i32x4_mul(a.0, b.0));
        fn floats(self, x: I32x4) -> F32x4 = F32x4(f32x4_convert_i32x4(x.0));
        fn mul_low(self, a: I64x2, b: I64x2) -> I64x2 = {
            let low = i64x2_splat(0xffff_ffff);
            I64x2(i64x2_mul(v128_and(a.0, low), v128_and(b.0, low)))
        };
    }
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32x4, a: I32x4, b: I32x4) -> I32x4 {
        let even = |x: I32x4| i16x8_shr(i16x8_shl(x.0, 8), 8);
        let odd = |x: I32x4| i16x8_shr(x.0, 8);
        let both = i32x4_add(i32x4_dot_i16x8(even(a), even(b)), i32x4_dot_i16x8(odd(a), odd(b)));
        I32x4(i32x4_add(sum.0, both))
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

macro_rules! simd128_lane {
    ($F:ident, $B:ident, $M:ident, $f:ident, $i:ident, $n:literal, $splat:ident, $splati:ident,
     $add:ident $sub:ident $mul:ident $div:ident $iadd:ident $isub:ident $shl:ident $shr:ident $neg:ident $sqrt:ident
     $abs:ident $pmin:ident $pmax:ident $lt:ident $le:ident $eq:ident $ieq:ident $nearest:ident $trunc:ident
     $floor:ident $ceil:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F(v128);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B(v128);
        /// All ones or all zeros a lane.
        #[derive(Debug, Clone, Copy)]
        pub struct $M(v128);

        lane_ops!($F: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);
        lane_ops!($B: Add add $iadd, Sub sub $isub, BitAnd bitand v128_and, BitOr bitor v128_or,
                  BitXor bitxor v128_xor);
        lane_ops!($M: BitAnd bitand v128_and, BitOr bitor v128_or);

        impl Neg for $F {
            type Output = Self;
            lane_fns! { fn neg(self) -> Self = Self($neg(self.0)); }
        }
        impl Not for $M {
            type Output = Self;
            lane_fns! { fn not(self) -> Self = Self(v128_not(self.0)); }
        }
        impl Mask for $M {}

        impl Bits for $B {
            lane_fns! {
                fn lit(self, c: i64) -> Self = Self($splati(c as $i));
                fn shl<const K: i32>(self) -> Self = Self($shl(self.0, K as u32));
                fn shr<const K: i32>(self) -> Self = Self($shr(self.0, K as u32));
            }
        }

        impl Alu for $F {
            type Elem = $f;
            type Mask = $M;
            type Bits = $B;
            const FUSED: bool = false;
            lane_fns! {
                fn lit(self, c: $f) -> Self = Self($splat(c));
                fn param(self, p: $f) -> Self = Self($splat(p));
                fn sqrt(self) -> Self = Self($sqrt(self.0));
                fn abs(self) -> Self = Self($abs(self.0));
                // pmin(a, b) is `if b < a { b } else { a }` and pmax(a, b) `if a < b { b } else { a }`,
                // so the operands are swapped.
                fn min(self, o: Self) -> Self = Self($pmin(o.0, self.0));
                fn max(self, o: Self) -> Self = Self($pmax(o.0, self.0));
                fn lt(self, o: Self) -> $M = $M($lt(self.0, o.0));
                fn le(self, o: Self) -> $M = $M($le(self.0, o.0));
                fn eq(self, o: Self) -> $M = $M($eq(self.0, o.0));
                fn select(m: $M, a: Self, b: Self) -> Self = Self(v128_bitselect(a.0, b.0, m.0));
                fn to_bits(self) -> $B = $B(self.0);
                fn from_bits(b: $B) -> Self = Self(b.0);
                fn bits_eq(a: $B, b: $B) -> $M = $M($ieq(a.0, b.0));
                fn round_ties_even(self) -> Self = Self($nearest(self.0));
                fn trunc(self) -> Self = Self($trunc(self.0));
                fn floor(self) -> Self = Self($floor(self.0));
                fn ceil(self) -> Self = Self($ceil(self.0));
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn lookup(i: $B, table: &'static [$f]) -> Self {
                let mut at = [0 as $i; $n];
                // SAFETY: `at` is as large as the register.
                unsafe { v128_store(at.as_mut_ptr().cast(), i.0) };
                let v = lookup(at.map(|i| i as u32), table);
                // SAFETY: `v` is as large as the register.
                unsafe { Self(v128_load(v.as_ptr().cast())) }
            }
            #[inline(always)]
            fn patch(self, rare: $M, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
        }

        impl Vector for $F {
            type Token = Simd128;
            const LANES: usize = $n;
            lane_fns! {
                fn splat(_s: Simd128, c: $f) -> Self = Self($splat(c));
                fn any(m: $M) -> bool = v128_any_true(m.0);
            }
            #[inline(always)]
            unsafe fn load(_: Simd128, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements; no alignment is needed.
                unsafe { Self(v128_load(p.cast())) }
            }
            #[inline(always)]
            unsafe fn load_first(_: Simd128, p: *const $f, n: usize, fill: $f) -> Self {
                // SAFETY: the caller guarantees `n` readable elements; the array is as large as the register.
                unsafe { Self(v128_load(super::read_first::<$f, $n>(p, n, fill).as_ptr().cast())) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $f) {
                // SAFETY: the caller guarantees `LANES` writable elements; no alignment is needed.
                unsafe { v128_store(p.cast(), self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $f, n: usize) {
                // SAFETY: the caller guarantees `n` writable elements.
                unsafe { self.store_some(p, n) }
            }
        }
    };
}

simd128_lane!(F32x4, I32x4, M32x4, f32, i32, 4, f32x4_splat, i32x4_splat,
    f32x4_add f32x4_sub f32x4_mul f32x4_div i32x4_add i32x4_sub i32x4_shl u32x4_shr f32x4_neg f32x4_sqrt
    f32x4_abs f32x4_pmin f32x4_pmax f32x4_lt f32x4_le f32x4_eq i32x4_eq f32x4_nearest f32x4_trunc
    f32x4_floor f32x4_ceil);
simd128_lane!(F64x2, I64x2, M64x2, f64, i64, 2, f64x2_splat, i64x2_splat,
    f64x2_add f64x2_sub f64x2_mul f64x2_div i64x2_add i64x2_sub i64x2_shl u64x2_shr f64x2_neg f64x2_sqrt
    f64x2_abs f64x2_pmin f64x2_pmax f64x2_lt f64x2_le f64x2_eq i64x2_eq f64x2_nearest f64x2_trunc
    f64x2_floor f64x2_ceil);

impl F32x4 {
    /// # Safety
    /// `p` is valid for writes of `n < 4` elements.
    #[inline(always)]
    unsafe fn store_some(self, mut p: *mut f32, n: usize) {
        let mut v = self.0;
        // SAFETY: 2 elements are written if `n` has bit 1 and then 1 if it has bit 0: `n` in all.
        unsafe {
            if n & 2 != 0 {
                v128_store64_lane::<0>(v, p.cast());
                v = i64x2_shuffle::<1, 1>(v, v);
                p = p.add(2);
            }
            if n & 1 != 0 {
                v128_store32_lane::<0>(v, p.cast());
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
            unsafe { v128_store64_lane::<0>(self.0, p.cast()) }
        }
    }
}
