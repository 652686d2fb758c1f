//! The AVX2 implementation of `Simd`, with FMA: eight `f32` or four `f64` lanes.

use super::vector::{Sealed, Vector};
use super::{Isa, Simd, lookup, sse2};
use crate::alu::{Alu, Bits, Mask};
use core::arch::x86_64::*;
use core::ops::{Neg, Not};

/// The token of AVX2 and FMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(());

impl Avx2 {
    #[cfg(all(target_feature = "avx2", target_feature = "fma"))]
    #[allow(dead_code, reason = "AVX-512 may be native instead")]
    pub(super) const NATIVE: Self = Self(());

    /// The token, if this CPU has AVX2 and FMA.
    #[cfg(feature = "std")]
    pub fn detect() -> Option<Self> {
        let present = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
        present.then_some(Self(()))
    }

    /// The token without a check.
    ///
    /// # Safety
    /// The CPU that runs this has AVX2 and FMA.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(())
    }
}

impl Sealed for Avx2 {}

impl Simd for Avx2 {
    const ISA: Isa = Isa::Avx2;
    const NAME: &'static str = "avx2x8";
    const FUSED: bool = true;
    type F32 = F32x8;
    type F64 = F64x4;
    lane_fns! {
        fn dot_i16(self, sum: I32x8, a: I32x8, b: I32x8) -> I32x8 = I32x8(_mm256_add_epi32(sum.0, _mm256_madd_epi16(a.0, b.0)));
        fn mul_i32(self, a: I32x8, b: I32x8) -> I32x8 = I32x8(_mm256_mullo_epi32(a.0, b.0));
        fn floats(self, x: I32x8) -> F32x8 = F32x8(_mm256_cvtepi32_ps(x.0));
        fn mul_low(self, a: I64x4, b: I64x4) -> I64x4 = I64x4(_mm256_mul_epu32(a.0, b.0));
    }
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32x8, a: I32x8, b: I32x8) -> I32x8 {
        // SAFETY: the token proves AVX2.
        unsafe {
            if SIGNED {
                // -128 has no magnitude of 8 bits, so the products are of 16.
                let even = |x: I32x8| _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(x.0));
                let odd = |x: I32x8| _mm256_srai_epi16::<8>(x.0);
                let both =
                    _mm256_add_epi32(_mm256_madd_epi16(even(a), even(b)), _mm256_madd_epi16(odd(a), odd(b)));
                I32x8(_mm256_add_epi32(sum.0, both))
            } else {
                let pairs = _mm256_maddubs_epi16(a.0, b.0);
                I32x8(_mm256_add_epi32(sum.0, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))))
            }
        }
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,fma")]
        #[inline]
        fn inner<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: a token exists only where the CPU has AVX2 and FMA.
        unsafe { inner(f) }
    }
}

macro_rules! avx2_lane {
    ($F:ident, $B:ident, $M:ident, $f:ident, $i:ident, $n:literal, $v:ident, $set1:ident, $seti:ident,
     $add:ident $sub:ident $mul:ident $div:ident $iadd:ident $isub:ident $sll:ident $srl:ident $fma:ident
     $sqrt:ident $and:ident $andnot:ident $or:ident $xor:ident $min:ident $max:ident $cmp:ident $blend:ident
     $toi:ident $fromi:ident $ieq:ident $movemask:ident $round:ident
     $loadu:ident $storeu:ident $stream:ident $maskload:ident $unpacklo:ident $unpackhi:ident $permute:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F($v);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B(__m256i);
        /// All ones or all zeros a lane.
        #[derive(Debug, Clone, Copy)]
        pub struct $M($v);

        lane_ops!($F: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);
        lane_ops!($B: Add add $iadd, Sub sub $isub, BitAnd bitand _mm256_and_si256,
                  BitOr bitor _mm256_or_si256, BitXor bitxor _mm256_xor_si256);
        lane_ops!($M: BitAnd bitand $and, BitOr bitor $or);

        impl Neg for $F {
            type Output = Self;
            lane_fns! { fn neg(self) -> Self = Self($xor(self.0, $set1(-0.0))); }
        }
        impl Not for $M {
            type Output = Self;
            lane_fns! { fn not(self) -> Self = Self($xor(self.0, $fromi(_mm256_set1_epi64x(-1)))); }
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
            const FUSED: bool = true;
            lane_fns! {
                fn lit(self, c: $f) -> Self = Self($set1(c));
                fn param(self, p: $f) -> Self = Self($set1(p));
                fn mul_add(self, b: Self, c: Self) -> Self = Self($fma(self.0, b.0, c.0));
                fn sqrt(self) -> Self = Self($sqrt(self.0));
                fn abs(self) -> Self = Self($andnot($set1(-0.0), self.0));
                fn min(self, o: Self) -> Self = Self($min(self.0, o.0));
                fn max(self, o: Self) -> Self = Self($max(self.0, o.0));
                fn lt(self, o: Self) -> $M = $M($cmp::<_CMP_LT_OQ>(self.0, o.0));
                fn le(self, o: Self) -> $M = $M($cmp::<_CMP_LE_OQ>(self.0, o.0));
                fn eq(self, o: Self) -> $M = $M($cmp::<_CMP_EQ_OQ>(self.0, o.0));
                fn select(m: $M, a: Self, b: Self) -> Self = Self($blend(b.0, a.0, m.0));
                fn to_bits(self) -> $B = $B($toi(self.0));
                fn from_bits(b: $B) -> Self = Self($fromi(b.0));
                fn bits_eq(a: $B, b: $B) -> $M = $M($fromi($ieq(a.0, b.0)));
            }
            #[inline(always)]
            fn lookup(i: $B, table: &'static [$f]) -> Self {
                let mut at = [0 as $i; $n];
                // SAFETY: `at` is as large as the register.
                unsafe { _mm256_storeu_si256(at.as_mut_ptr().cast(), i.0) };
                let v = lookup(at.map(|i| i as u32), table);
                // SAFETY: `v` is as large as the register.
                unsafe { Self($loadu(v.as_ptr())) }
            }
            #[inline(always)]
            fn patch(self, rare: $M, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
            lane_fns! {
                fn round_ties_even(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0));
                fn trunc(self) -> Self = Self($round::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0));
                fn floor(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0));
                fn ceil(self) -> Self = Self($round::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(self.0));
            }
        }

        impl $F {
            /// All ones in the first `n` lanes.
            #[inline(always)]
            fn first(n: usize) -> __m256i {
                const ONES: [[$i; $n]; 2] = [[-1; $n], [0; $n]];
                // SAFETY: `$n - n` lies in `0..=$n`, so the load ends within `ONES`.
                unsafe { _mm256_loadu_si256(ONES.as_ptr().cast::<$i>().add($n - n.min($n)).cast()) }
            }
        }

        impl Vector for $F {
            type Token = Avx2;
            const LANES: usize = $n;
            const STREAMS: bool = true;
            lane_fns! {
                fn splat(_s: Avx2, c: $f) -> Self = Self($set1(c));
                fn any(m: $M) -> bool = $movemask(m.0) != 0;
                fn fence(_s: Avx2) -> () = _mm_sfence();
                fn zip(_s: Avx2, a: Self, b: Self) -> [Self; 2] = {
                    let (low, high) = ($unpacklo(a.0, b.0), $unpackhi(a.0, b.0));
                    [Self($permute::<0x20>(low, high)), Self($permute::<0x31>(low, high))]
                };
            }
            const SQUARES: bool = true;
            #[inline(always)]
            unsafe fn square<const STREAM: bool>(_: Avx2, from: *const $f, step: isize, to: *mut $f, width: isize) {
                // SAFETY: the caller's promise.
                unsafe { Self::strips::<STREAM>(from, step, to, width) }
            }
            #[inline(always)]
            unsafe fn load(_: Avx2, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements; the token proves AVX2.
                unsafe { Self($loadu(p)) }
            }
            #[inline(always)]
            unsafe fn load_first(_: Avx2, p: *const $f, n: usize, fill: $f) -> Self {
                let m = Self::first(n);
                // SAFETY: masked-off lanes are not read; the token proves AVX2.
                unsafe { Self($blend($set1(fill), $maskload(p, m), $fromi(m))) }
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
            fn hide(_: Avx2, mut p: *const $f) -> *const $f {
                // SAFETY: no instruction; the register keeps its value.
                unsafe { core::arch::asm!("/* {0} */", inout(reg) p, options(pure, nomem, nostack, preserves_flags)) }
                p
            }
            #[inline(always)]
            fn prefetch(_: Avx2, p: *const $f) {
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

avx2_lane!(F32x8, I32x8, M32x8, f32, i32, 8, __m256, _mm256_set1_ps, _mm256_set1_epi32,
    _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps _mm256_add_epi32 _mm256_sub_epi32
    _mm256_slli_epi32 _mm256_srli_epi32 _mm256_fmadd_ps _mm256_sqrt_ps _mm256_and_ps _mm256_andnot_ps
    _mm256_or_ps _mm256_xor_ps _mm256_min_ps _mm256_max_ps _mm256_cmp_ps _mm256_blendv_ps
    _mm256_castps_si256 _mm256_castsi256_ps _mm256_cmpeq_epi32 _mm256_movemask_ps _mm256_round_ps
    _mm256_loadu_ps _mm256_storeu_ps _mm256_stream_ps _mm256_maskload_ps
    _mm256_unpacklo_ps _mm256_unpackhi_ps _mm256_permute2f128_ps);
avx2_lane!(F64x4, I64x4, M64x4, f64, i64, 4, __m256d, _mm256_set1_pd, _mm256_set1_epi64x,
    _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd _mm256_add_epi64 _mm256_sub_epi64
    _mm256_slli_epi64 _mm256_srli_epi64 _mm256_fmadd_pd _mm256_sqrt_pd _mm256_and_pd _mm256_andnot_pd
    _mm256_or_pd _mm256_xor_pd _mm256_min_pd _mm256_max_pd _mm256_cmp_pd _mm256_blendv_pd
    _mm256_castpd_si256 _mm256_castsi256_pd _mm256_cmpeq_epi64 _mm256_movemask_pd _mm256_round_pd
    _mm256_loadu_pd _mm256_storeu_pd _mm256_stream_pd _mm256_maskload_pd
    _mm256_unpacklo_pd _mm256_unpackhi_pd _mm256_permute2f128_pd);

// Squares are transposed a strip of 16 bytes a row at a time: half a register comes from each of two rows, which
// costs a load and a blend where exchanges of whole registers wait for the ports that shuffle.

impl F32x8 {
    /// # Safety
    /// As [`Vector::square`].
    #[inline(always)]
    unsafe fn strips<const STREAM: bool>(from: *const f32, step: isize, to: *mut f32, width: isize) {
        // SAFETY: rows 0 to 7, columns 0 to 7 of both squares; the token proves AVX2.
        unsafe {
            let mut j = 0;
            while j < 8 {
                // Four elements of the rows `i` and `i + 4`.
                let rows = |i: isize| {
                    let half = |k: isize| _mm_loadu_ps(from.offset((i + k) * step + j));
                    _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(half(0)), half(4))
                };
                let (a, b, c, d) = (rows(0), rows(1), rows(2), rows(3));
                let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
                let (ef, gh) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
                let pair = |x, y| (_mm256_castps_pd(x), _mm256_castps_pd(y));
                let ((p, q), (u, v)) = (pair(ab, cd), pair(ef, gh));
                let out = [
                    _mm256_unpacklo_pd(p, q),
                    _mm256_unpackhi_pd(p, q),
                    _mm256_unpacklo_pd(u, v),
                    _mm256_unpackhi_pd(u, v),
                ];
                for (k, x) in out.into_iter().enumerate() {
                    put::<Self, STREAM>(Self(_mm256_castpd_ps(x)), to.offset((j + k as isize) * width));
                }
                j += 4;
            }
        }
    }
}

impl F64x4 {
    /// # Safety
    /// As [`Vector::square`].
    #[inline(always)]
    unsafe fn strips<const STREAM: bool>(from: *const f64, step: isize, to: *mut f64, width: isize) {
        // SAFETY: rows 0 to 3, columns 0 to 3 of both squares; the token proves AVX2.
        unsafe {
            let mut j = 0;
            while j < 4 {
                // Two elements of the rows `i` and `i + 2`.
                let rows = |i: isize| {
                    let half = |k: isize| _mm_loadu_pd(from.offset((i + k) * step + j));
                    _mm256_insertf128_pd::<1>(_mm256_castpd128_pd256(half(0)), half(2))
                };
                let (a, b) = (rows(0), rows(1));
                put::<Self, STREAM>(Self(_mm256_unpacklo_pd(a, b)), to.offset(j * width));
                put::<Self, STREAM>(Self(_mm256_unpackhi_pd(a, b)), to.offset((j + 1) * width));
                j += 2;
            }
        }
    }
}

/// # Safety
/// As [`Vector::stream`] if `STREAM`, else as [`Vector::store`].
#[inline(always)]
unsafe fn put<V: Vector, const STREAM: bool>(v: V, p: *mut V::Elem) {
    // SAFETY: the caller's promise.
    unsafe { if STREAM { v.stream(p) } else { v.store(p) } }
}

// Short stores go in pieces: a masked store is microcode on AMD.

impl F32x8 {
    /// # Safety
    /// `p` is valid for writes of `n < 8` elements.
    #[inline(always)]
    unsafe fn store_some(self, mut p: *mut f32, n: usize) {
        // SAFETY: 4 elements are written if `n` has bit 2 and then `n % 4`: `n` in all.
        unsafe {
            let mut v = _mm256_castps256_ps128(self.0);
            if n & 4 != 0 {
                _mm_storeu_ps(p, v);
                v = _mm256_extractf128_ps::<1>(self.0);
                p = p.add(4);
            }
            sse2::F32x4(v).store_some(p, n);
        }
    }
}

impl F64x4 {
    /// # Safety
    /// `p` is valid for writes of `n < 4` elements.
    #[inline(always)]
    unsafe fn store_some(self, mut p: *mut f64, n: usize) {
        // SAFETY: 2 elements are written if `n` has bit 1 and then `n % 2`: `n` in all.
        unsafe {
            let mut v = _mm256_castpd256_pd128(self.0);
            if n & 2 != 0 {
                _mm_storeu_pd(p, v);
                v = _mm256_extractf128_pd::<1>(self.0);
                p = p.add(2);
            }
            sse2::F64x2(v).store_some(p, n);
        }
    }
}
