//! The AVX-512 implementation of `Simd` (F, BW, DQ, VL): sixteen `f32` or eight `f64` lanes, and mask registers.

use super::vector::{Sealed, Vector};
use super::{Isa, Simd};
use crate::alu::{Alu, Bits, Mask};
use core::arch::asm;
use core::arch::x86_64::*;
use core::ops::{BitAnd, BitOr, Neg, Not};

/// The token of AVX-512 F, BW, DQ and VL with AVX2 and FMA.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(());

impl Avx512 {
    #[cfg(all(
        target_feature = "avx512f",
        target_feature = "avx512bw",
        target_feature = "avx512dq",
        target_feature = "avx512vl",
        target_feature = "avx2",
        target_feature = "fma"
    ))]
    pub(super) const NATIVE: Self = Self(());

    /// The token, if this CPU has AVX-512 F, BW, DQ, VL, AVX2 and FMA.
    #[cfg(feature = "std")]
    pub fn detect() -> Option<Self> {
        let present = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma");
        present.then_some(Self(()))
    }

    /// The token without a check.
    ///
    /// # Safety
    /// The CPU that runs this has AVX-512 F, BW, DQ, VL, AVX2 and FMA.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(())
    }
}

impl Sealed for Avx512 {}

impl Simd for Avx512 {
    const ISA: Isa = Isa::Avx512;
    const NAME: &'static str = "avx512x16";
    const FUSED: bool = true;
    type F32 = F32x16;
    type F64 = F64x8;
    #[cfg(not(target_feature = "avx512vnni"))]
    lane_fns! {
        fn dot_i16(self, sum: I32x16, a: I32x16, b: I32x16) -> I32x16 = I32x16(_mm512_add_epi32(sum.0, _mm512_madd_epi16(a.0, b.0)));
    }
    #[cfg(not(target_feature = "avx512vnni"))]
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32x16, a: I32x16, b: I32x16) -> I32x16 {
        // SAFETY: the token proves the instructions.
        unsafe {
            if SIGNED {
                // -128 has no magnitude of 8 bits, so the products are of 16.
                let even = |x: I32x16| _mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(x.0));
                let odd = |x: I32x16| _mm512_srai_epi16::<8>(x.0);
                let both =
                    _mm512_add_epi32(_mm512_madd_epi16(even(a), even(b)), _mm512_madd_epi16(odd(a), odd(b)));
                I32x16(_mm512_add_epi32(sum.0, both))
            } else {
                let pairs = _mm512_maddubs_epi16(a.0, b.0);
                I32x16(_mm512_add_epi32(sum.0, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1))))
            }
        }
    }
    #[cfg(target_feature = "avx512vnni")]
    const FLIP: u8 = 0x80;
    #[cfg(target_feature = "avx512vnni")]
    lane_fns! {
        fn dot_i16(self, sum: I32x16, a: I32x16, b: I32x16) -> I32x16 = I32x16(_mm512_dpwssd_epi32(sum.0, a.0, b.0));
    }
    #[cfg(target_feature = "avx512vnni")]
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32x16, a: I32x16, b: I32x16) -> I32x16 {
        // SAFETY: the token proves AVX-512, and the build has VNNI.
        unsafe { I32x16(_mm512_dpbusd_epi32(sum.0, a.0, b.0)) }
    }
    lane_fns! {
        fn mul_i32(self, a: I32x16, b: I32x16) -> I32x16 = I32x16(_mm512_mullo_epi32(a.0, b.0));
        fn floats(self, x: I32x16) -> F32x16 = F32x16(_mm512_cvtepi32_ps(x.0));
        fn mul_low(self, a: I64x8, b: I64x8) -> I64x8 = I64x8(_mm512_mul_epu32(a.0, b.0));
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]
        #[inline]
        fn inner<R>(f: impl FnOnce() -> R) -> R {
            f()
        }
        // SAFETY: a token exists only where the CPU has these instruction sets.
        unsafe { inner(f) }
    }
}

macro_rules! avx512_lane {
    ($F:ident, $B:ident, $M:ident, $f:ident, $i:ident, $n:literal, $v:ident, $k:ident, $set1:ident, $seti:ident,
     $add:ident $sub:ident $mul:ident $div:ident $iadd:ident $isub:ident $sll:ident $srl:ident $fma:ident
     $sqrt:ident $andnot:ident $xor:ident $min:ident $max:ident $cmp:ident $blend:ident
     $toi:ident $fromi:ident $ieq:ident $round:ident $scalef:ident $recip:ident $permutes:literal
     $loadu:ident $storeu:ident $stream:ident $maskload:ident $maskstore:ident $permute:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F($v);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B(__m512i);
        /// One bit a lane.
        #[derive(Debug, Clone, Copy)]
        pub struct $M($k);

        lane_ops!($F: Add add $add, Sub sub $sub, Mul mul $mul, Div div $div);
        lane_ops!($B: Add add $iadd, Sub sub $isub, BitAnd bitand _mm512_and_si512,
                  BitOr bitor _mm512_or_si512, BitXor bitxor _mm512_xor_si512);

        impl Neg for $F {
            type Output = Self;
            lane_fns! { fn neg(self) -> Self = Self($xor(self.0, $set1(-0.0))); }
        }
        impl BitAnd for $M {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, o: Self) -> Self {
                Self(self.0 & o.0)
            }
        }
        impl BitOr for $M {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, o: Self) -> Self {
                Self(self.0 | o.0)
            }
        }
        impl Not for $M {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }
        impl Mask for $M {}

        impl Bits for $B {
            lane_fns! {
                fn lit(self, c: i64) -> Self = Self($seti(c as $i));
                // The immediate forms want a `u32`; a constant count becomes an immediate anyway.
                fn shl<const K: i32>(self) -> Self = Self($sll(self.0, _mm_cvtsi32_si128(K)));
                fn shr<const K: i32>(self) -> Self = Self($srl(self.0, _mm_cvtsi32_si128(K)));
            }
        }

        impl Alu for $F {
            type Elem = $f;
            type Mask = $M;
            type Bits = $B;
            const FUSED: bool = true;
            const SCALES: bool = true;
            const PERMUTES: bool = $permutes;
            lane_fns! {
                fn scale2(self, n: Self) -> Self = Self($scalef(self.0, n.0));
                fn coarse_recip(self) -> Self = Self($recip(self.0));
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
                fn select(m: $M, a: Self, b: Self) -> Self = Self($blend(m.0, b.0, a.0));
                fn to_bits(self) -> $B = $B($toi(self.0));
                fn from_bits(b: $B) -> Self = Self($fromi(b.0));
                fn bits_eq(a: $B, b: $B) -> $M = $M($ieq(a.0, b.0));
                fn round_ties_even(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0));
                fn trunc(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0));
                fn floor(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0));
                fn ceil(self) -> Self =
                    Self($round::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(self.0));
            }
            #[inline(always)]
            fn lookup(i: $B, table: &'static [$f]) -> Self {
                // A gather's index is an `i32`.
                let Some(last) = table.len().checked_sub(1) else { return i.zero() };
                let last = last.min(i32::MAX as usize) as i32;
                // SAFETY: every index lies in `0..=last`, within the table.
                unsafe { i.gather(table.as_ptr(), last) }
            }
            #[inline(always)]
            fn lookup32(i: $B, table: &'static [$f; 32]) -> Self {
                i.permute(table)
            }
            #[inline(always)]
            fn patch(self, rare: $M, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
        }

        impl $B {
            lane_fns! { fn zero(self) -> $F = $F($set1(0.0)); }
        }

        impl $F {
            /// The first `n < LANES` lanes.
            #[inline(always)]
            fn first(n: usize) -> $k {
                ((1u32 << n) - 1) as $k
            }
            /// Two choices of lanes of a pair: those of `b` follow those of `a`.
            #[inline(always)]
            fn permuted(a: Self, b: Self, at: [[$i; $n]; 2]) -> [Self; 2] {
                let [x, y] = at;
                // SAFETY: the arrays are as large as the register; a value of this type proves AVX-512.
                unsafe {
                    let x = _mm512_loadu_si512(x.as_ptr().cast());
                    let y = _mm512_loadu_si512(y.as_ptr().cast());
                    [Self($permute(a.0, x, b.0)), Self($permute(a.0, y, b.0))]
                }
            }
        }

        impl Vector for $F {
            type Token = Avx512;
            const LANES: usize = $n;
            const STREAMS: bool = true;
            const CLAIMS: bool = true;
            lane_fns! {
                fn splat(_s: Avx512, c: $f) -> Self = Self($set1(c));
                fn fence(_s: Avx512) -> () = _mm_sfence();
            }
            #[inline(always)]
            fn any(m: $M) -> bool {
                m.0 != 0
            }
            #[inline(always)]
            fn exchange<const BY: usize>(_: Avx512, a: Self, b: Self) -> [Self; 2] {
                // Lane numbers of the pair: those of `b` follow those of `a`.
                #[allow(clippy::indexing_slicing, reason = "i < n")]
                const fn from<const BY: usize>(second: bool) -> [$i; $n] {
                    let (mut at, mut i) = ([0; $n], 0);
                    while i < $n {
                        at[i] = match (second, i & BY != 0) {
                            (false, false) => i,
                            (false, true) => $n + i - BY,
                            (true, false) => i + BY,
                            (true, true) => $n + i,
                        } as $i;
                        i += 1;
                    }
                    at
                }
                let (x, y) = const { (from::<BY>(false), from::<BY>(true)) };
                Self::permuted(a, b, [x, y])
            }
            #[inline(always)]
            fn unzip(_: Avx512, a: Self, b: Self) -> [Self; 2] {
                #[allow(clippy::indexing_slicing, reason = "i < n")]
                const fn every_other(first: usize) -> [$i; $n] {
                    let (mut at, mut i) = ([0; $n], 0);
                    while i < $n {
                        at[i] = (2 * i + first) as $i;
                        i += 1;
                    }
                    at
                }
                Self::permuted(a, b, const { [every_other(0), every_other(1)] })
            }
            #[inline(always)]
            fn zip(_: Avx512, a: Self, b: Self) -> [Self; 2] {
                #[allow(clippy::indexing_slicing, reason = "i < n")]
                const fn in_turn(first: usize) -> [$i; $n] {
                    let (mut at, mut i) = ([0; $n], 0);
                    while i < $n {
                        at[i] = ((first + i) / 2 + i % 2 * $n) as $i;
                        i += 1;
                    }
                    at
                }
                Self::permuted(a, b, const { [in_turn(0), in_turn($n)] })
            }
            #[inline(always)]
            unsafe fn gather(_: Avx512, p: *const $f, step: isize) -> Self {
                // SAFETY: the caller's promise.
                unsafe { Self::apart(p, step) }
            }
            const SQUARES: bool = true;
            #[inline(always)]
            unsafe fn square<const STREAM: bool>(
                s: Avx512,
                from: *const $f,
                step: isize,
                to: *mut $f,
                width: isize,
            ) {
                // SAFETY: the caller's promise.
                unsafe { Self::strips::<STREAM>(s, from, step, to, width) }
            }
            #[inline(always)]
            unsafe fn load(_: Avx512, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `LANES` readable elements; the token proves AVX-512.
                unsafe { Self($loadu(p)) }
            }
            #[inline(always)]
            unsafe fn load_first(_: Avx512, p: *const $f, n: usize, fill: $f) -> Self {
                // SAFETY: masked-off lanes are not read; the token proves AVX-512.
                unsafe { Self($maskload($set1(fill), Self::first(n), p)) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $f) {
                // SAFETY: the caller guarantees `LANES` writable elements.
                unsafe { $storeu(p, self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $f, n: usize) {
                // SAFETY: masked-off lanes are not written.
                unsafe { $maskstore(p, Self::first(n), self.0) }
            }
            #[inline(always)]
            fn claim(_: Avx512, p: *mut $f) {
                // SAFETY: a prefetch touches no memory that a program can see, and never faults.
                unsafe { asm!("prefetchw [{}]", in(reg) p.addr(), options(nomem, nostack, preserves_flags)) }
            }
            #[inline(always)]
            #[allow(clippy::pointers_in_nomem_asm_block, reason = "nothing is read through it")]
            fn hide(_: Avx512, mut p: *const $f) -> *const $f {
                // SAFETY: no instruction; the register keeps its value.
                unsafe { asm!("/* {0} */", inout(reg) p, options(pure, nomem, nostack, preserves_flags)) }
                p
            }
            #[inline(always)]
            fn prefetch(_: Avx512, p: *const $f) {
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

avx512_lane!(F32x16, I32x16, M32x16, f32, i32, 16, __m512, __mmask16, _mm512_set1_ps, _mm512_set1_epi32,
    _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps _mm512_add_epi32 _mm512_sub_epi32
    _mm512_sll_epi32 _mm512_srl_epi32 _mm512_fmadd_ps _mm512_sqrt_ps _mm512_andnot_ps _mm512_xor_ps
    _mm512_min_ps _mm512_max_ps _mm512_cmp_ps_mask _mm512_mask_blend_ps
    _mm512_castps_si512 _mm512_castsi512_ps _mm512_cmpeq_epi32_mask _mm512_roundscale_ps _mm512_scalef_ps
    _mm512_rcp14_ps true
    _mm512_loadu_ps _mm512_storeu_ps _mm512_stream_ps _mm512_mask_loadu_ps _mm512_mask_storeu_ps
    _mm512_permutex2var_ps);
avx512_lane!(F64x8, I64x8, M64x8, f64, i64, 8, __m512d, __mmask8, _mm512_set1_pd, _mm512_set1_epi64,
    _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd _mm512_add_epi64 _mm512_sub_epi64
    _mm512_sll_epi64 _mm512_srl_epi64 _mm512_fmadd_pd _mm512_sqrt_pd _mm512_andnot_pd _mm512_xor_pd
    _mm512_min_pd _mm512_max_pd _mm512_cmp_pd_mask _mm512_mask_blend_pd
    _mm512_castpd_si512 _mm512_castsi512_pd _mm512_cmpeq_epi64_mask _mm512_roundscale_pd _mm512_scalef_pd
    recip_pd false
    _mm512_loadu_pd _mm512_storeu_pd _mm512_stream_pd _mm512_mask_loadu_pd _mm512_mask_storeu_pd
    _mm512_permutex2var_pd);

// Squares are transposed a strip of 16 bytes a row at a time: a quarter of a register comes from each of four rows,
// which costs a load and a blend where a shuffle of whole registers would wait for the one port that does those.

impl F32x16 {
    /// # Safety
    /// As [`Vector::gather`].
    #[inline(always)]
    unsafe fn apart(p: *const f32, step: isize) -> Self {
        // In 64 bits: a step may be of any length.
        let i = |from: i64| {
            // SAFETY: registers only; the caller has AVX-512.
            unsafe {
                let k = _mm512_setr_epi64(
                    from,
                    from + 1,
                    from + 2,
                    from + 3,
                    from + 4,
                    from + 5,
                    from + 6,
                    from + 7,
                );
                _mm512_mullo_epi64(k, _mm512_set1_epi64(step as i64))
            }
        };
        // SAFETY: the caller guarantees that each of these elements can be read.
        unsafe {
            let (low, high) = (_mm512_i64gather_ps::<4>(i(0), p), _mm512_i64gather_ps::<4>(i(8), p));
            Self(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high))
        }
    }
}

impl F64x8 {
    /// # Safety
    /// As [`Vector::gather`].
    #[inline(always)]
    unsafe fn apart(p: *const f64, step: isize) -> Self {
        // SAFETY: the caller guarantees that each of these elements can be read, and has AVX-512.
        unsafe {
            let i =
                _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(step as i64));
            Self(_mm512_i64gather_pd::<8>(i, p))
        }
    }
}

/// What leads from a row to the three that follow: addresses made so need two registers, where the multiples of a
/// stride that a compiler makes ahead would not fit.
struct Strides {
    one: isize,
    three: isize,
}

impl Strides {
    #[inline(always)]
    fn new(s: Avx512, step: isize) -> Self {
        let three = core::ptr::without_provenance::<f32>(step.wrapping_mul(3).cast_unsigned());
        Self { one: step, three: F32x16::hide(s, three).addr().cast_signed() }
    }
    /// Elements to the row `k < 4`.
    #[inline(always)]
    fn to(&self, k: usize) -> isize {
        match k {
            0 => 0,
            1 => self.one,
            2 => 2 * self.one,
            _ => self.three,
        }
    }
}

impl F32x16 {
    /// # Safety
    /// As [`Vector::square`].
    #[inline(always)]
    unsafe fn strips<const STREAM: bool>(
        s: Avx512,
        from: *const f32,
        step: isize,
        to: *mut f32,
        width: isize,
    ) {
        // SAFETY: rows 0 to 15, columns 0 to 15 of both squares; the token proves AVX-512.
        unsafe {
            let [a, b] = [step, width].map(|x| Strides::new(s, x));
            let quads = [0, 4, 8, 12].map(|k| Self::hide(s, from.offset(k * step)));
            let mut to = to;
            let mut j = 0;
            while j < 16 {
                // Four elements of the rows `i`, `i + 4`, `i + 8`, `i + 12`.
                let rows = |i: usize| {
                    let [p, q, r, t] = quads.map(|quad| _mm_loadu_ps(quad.offset(a.to(i)).add(j)));
                    let x = _mm512_insertf32x4::<1>(_mm512_castps128_ps512(p), q);
                    _mm512_insertf32x4::<3>(_mm512_insertf32x4::<2>(x, r), t)
                };
                let (p, q, r, t) = (rows(0), rows(1), rows(2), rows(3));
                let (pq, rt) = (_mm512_unpacklo_ps(p, q), _mm512_unpacklo_ps(r, t));
                let (pq1, rt1) = (_mm512_unpackhi_ps(p, q), _mm512_unpackhi_ps(r, t));
                let pair = |x, y| (_mm512_castps_pd(x), _mm512_castps_pd(y));
                let ((p, q), (u, v)) = (pair(pq, rt), pair(pq1, rt1));
                let out = [
                    _mm512_unpacklo_pd(p, q),
                    _mm512_unpackhi_pd(p, q),
                    _mm512_unpacklo_pd(u, v),
                    _mm512_unpackhi_pd(u, v),
                ];
                for (k, x) in out.into_iter().enumerate() {
                    put::<Self, STREAM>(Self(_mm512_castpd_ps(x)), to.offset(b.to(k)));
                }
                to = to.wrapping_offset(4 * width);
                j += 4;
            }
        }
    }
}

impl F64x8 {
    /// # Safety
    /// As [`Vector::square`].
    #[inline(always)]
    unsafe fn strips<const STREAM: bool>(
        s: Avx512,
        from: *const f64,
        step: isize,
        to: *mut f64,
        width: isize,
    ) {
        // SAFETY: rows 0 to 7, columns 0 to 7 of both squares; the token proves AVX-512.
        unsafe {
            let a = Strides::new(s, step);
            let (low, high) = (Self::hide(s, from), Self::hide(s, from.offset(4 * step)));
            let mut to = to;
            let mut j = 0;
            while j < 8 {
                // Two elements of the rows `i`, `i + 2`, `i + 4`, `i + 6`.
                let rows = |i: usize| {
                    let x = _mm512_castpd128_pd512(_mm_loadu_pd(low.offset(a.to(i)).add(j)));
                    let x = _mm512_insertf64x2::<1>(x, _mm_loadu_pd(low.offset(a.to(i + 2)).add(j)));
                    let x = _mm512_insertf64x2::<2>(x, _mm_loadu_pd(high.offset(a.to(i)).add(j)));
                    _mm512_insertf64x2::<3>(x, _mm_loadu_pd(high.offset(a.to(i + 2)).add(j)))
                };
                let (p, q) = (rows(0), rows(1));
                put::<Self, STREAM>(Self(_mm512_unpacklo_pd(p, q)), to);
                put::<Self, STREAM>(Self(_mm512_unpackhi_pd(p, q)), to.offset(width));
                to = to.wrapping_offset(2 * width);
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

/// `1 / x`, rounded.
#[target_feature(enable = "avx512f")]
#[inline]
fn recip_pd(x: __m512d) -> __m512d {
    _mm512_div_pd(_mm512_set1_pd(1.0), x)
}

impl I32x16 {
    /// `table[i mod 32]`.
    #[inline(always)]
    fn permute(self, table: &'static [f32; 32]) -> F32x16 {
        let p = table.as_ptr();
        // SAFETY: both halves lie within the table; a value of this type proves AVX-512.
        unsafe { F32x16(_mm512_permutex2var_ps(_mm512_loadu_ps(p), self.0, _mm512_loadu_ps(p.add(16)))) }
    }

    /// # Safety
    /// `p` is valid for reads of `last + 1` elements, and `last` is not negative.
    #[inline(always)]
    unsafe fn gather(self, p: *const f32, last: i32) -> F32x16 {
        // SAFETY: as unsigned numbers the indices are at most `last`; a value of this type proves
        // AVX-512.
        unsafe { F32x16(_mm512_i32gather_ps::<4>(_mm512_min_epu32(self.0, _mm512_set1_epi32(last)), p)) }
    }
}

impl I64x8 {
    /// `table[i mod 32]`.
    #[inline(always)]
    fn permute(self, table: &'static [f64; 32]) -> F64x8 {
        F64x8::lookup(self & self.lit(31), table)
    }

    /// # Safety
    /// `p` is valid for reads of `last + 1` elements, and `last` is not negative.
    #[inline(always)]
    unsafe fn gather(self, p: *const f64, last: i32) -> F64x8 {
        // SAFETY: as for `I32x16`; the low halves of the lanes are the indices.
        unsafe {
            let i = _mm256_min_epu32(_mm512_cvtepi64_epi32(self.0), _mm256_set1_epi32(last));
            F64x8(_mm512_i32gather_pd::<8>(i, p))
        }
    }
}
