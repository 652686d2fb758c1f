//! The implementation of `Simd` in safe Rust arrays of `N` lanes: the scalar instruction set (`N = 1`), and the
//! reference that every other one is tested against.

use super::vector::{Sealed, Vector};
use super::{Isa, Simd};
use crate::alu::{Alu, Bits, Mask};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// The token of arrays of `N` lanes: always present. `N` is 1, 2, 4, 8 or 16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Portable<const N: usize>(());

impl<const N: usize> Portable<N> {
    /// The token.
    pub const NATIVE: Self = {
        assert!(matches!(N, 1 | 2 | 4 | 8 | 16), "Portable<N>: N is 1, 2, 4, 8 or 16");
        Self(())
    };

    /// The token.
    #[inline(always)]
    pub const fn new() -> Self {
        Self::NATIVE
    }
}

impl<const N: usize> Default for Portable<N> {
    fn default() -> Self {
        Self::NATIVE
    }
}

impl<const N: usize> Sealed for Portable<N> {}

impl<const N: usize> Simd for Portable<N> {
    const ISA: Isa = Isa::Portable;
    const NAME: &'static str = match N {
        1 => "portable1",
        2 => "portable2",
        4 => "portable4",
        8 => "portable8",
        _ => "portable16",
    };
    const FUSED: bool = false;
    type F32 = F32s<N>;
    type F64 = F64s<N>;
    #[inline(always)]
    fn dot_i16(self, sum: I32s<N>, a: I32s<N>, b: I32s<N>) -> I32s<N> {
        let halves = |x: i32| [i32::from(x as i16), x >> 16];
        let products = zip(a.0, b.0, |a, b| {
            let ([a0, a1], [b0, b1]) = (halves(a), halves(b));
            (a0 * b0).wrapping_add(a1 * b1)
        });
        I32s(zip(sum.0, products, i32::wrapping_add))
    }
    #[inline(always)]
    fn mul_low(self, a: I64s<N>, b: I64s<N>) -> I64s<N> {
        let low = |x: i64| x & 0xffff_ffff;
        I64s(zip(a.0, b.0, |a, b| low(a).wrapping_mul(low(b))))
    }
    #[inline(always)]
    fn dot_i8<const SIGNED: bool>(self, sum: I32s<N>, a: I32s<N>, b: I32s<N>) -> I32s<N> {
        let products = zip(a.0, b.0, |a, b| {
            let bytes = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
            bytes.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum::<i32>()
        });
        I32s(zip(sum.0, products, i32::wrapping_add))
    }
    #[inline(always)]
    fn mul_i32(self, a: I32s<N>, b: I32s<N>) -> I32s<N> {
        I32s(zip(a.0, b.0, i32::wrapping_mul))
    }
    #[inline(always)]
    fn floats(self, x: I32s<N>) -> F32s<N> {
        F32s(map(x.0, |x| x as f32))
    }
    #[inline(always)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

/// One truth value a lane.
#[derive(Debug, Clone, Copy)]
pub struct Masks<const N: usize>([bool; N]);

impl<const N: usize> Mask for Masks<N> {}
impl<const N: usize> BitAnd for Masks<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, o: Self) -> Self {
        Self(zip(self.0, o.0, |a, b| a & b))
    }
}
impl<const N: usize> BitOr for Masks<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, o: Self) -> Self {
        Self(zip(self.0, o.0, |a, b| a | b))
    }
}
impl<const N: usize> Not for Masks<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(map(self.0, |a| !a))
    }
}

/// Of each element. Without optimisation `core`'s own costs ten times what a loop does, and the tests wait for it: there it
/// is a loop, and a call.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::indexing_slicing, reason = "i < N by construction, and 0 < N; checked indexing folds away")]
fn map<A: Copy, R: Copy, const N: usize>(a: [A; N], f: impl Fn(A) -> R) -> [R; N] {
    if cfg!(not(debug_assertions)) {
        return a.map(f);
    }
    let (mut all, mut i) = ([f(a[0]); N], 1);
    while i < N {
        all[i] = f(a[i]);
        i += 1;
    }
    all
}

/// Of each pair.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[allow(clippy::indexing_slicing, reason = "as above")]
fn zip<A: Copy, B: Copy, R: Copy, const N: usize>(a: [A; N], b: [B; N], f: impl Fn(A, B) -> R) -> [R; N] {
    if cfg!(not(debug_assertions)) {
        return core::array::from_fn(|i| f(a[i], b[i]));
    }
    let (mut all, mut i) = ([f(a[0], b[0]); N], 1);
    while i < N {
        all[i] = f(a[i], b[i]);
        i += 1;
    }
    all
}

macro_rules! portable_lane {
    ($F:ident, $B:ident, $f:ident, $i:ident, $u:ident, $sqrt:ident) => {
        /// Lanes of the element.
        #[derive(Debug, Clone, Copy)]
        pub struct $F<const N: usize>([$f; N]);
        /// Their integer view.
        #[derive(Debug, Clone, Copy)]
        pub struct $B<const N: usize>([$i; N]);

        portable_lane!(@op $F, Add add |a, b| a + b);
        portable_lane!(@op $F, Sub sub |a, b| a - b);
        portable_lane!(@op $F, Mul mul |a, b| a * b);
        portable_lane!(@op $F, Div div |a, b| a / b);
        portable_lane!(@op $B, Add add |a, b| a.wrapping_add(b));
        portable_lane!(@op $B, Sub sub |a, b| a.wrapping_sub(b));
        portable_lane!(@op $B, BitAnd bitand |a, b| a & b);
        portable_lane!(@op $B, BitOr bitor |a, b| a | b);
        portable_lane!(@op $B, BitXor bitxor |a, b| a ^ b);

        impl<const N: usize> Neg for $F<N> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(map(self.0, |a| -a))
            }
        }

        impl<const N: usize> Bits for $B<N> {
            #[inline(always)]
            fn lit(self, c: i64) -> Self {
                Self([c as $i; N])
            }
            #[inline(always)]
            fn shl<const K: i32>(self) -> Self {
                Self(map(self.0, |a| a << K))
            }
            #[inline(always)]
            fn shr<const K: i32>(self) -> Self {
                Self(map(self.0, |a| ((a as $u) >> K) as $i))
            }
        }

        impl<const N: usize> Alu for $F<N> {
            type Elem = $f;
            type Mask = Masks<N>;
            type Bits = $B<N>;
            const FUSED: bool = false;
            #[inline(always)]
            fn lit(self, c: $f) -> Self {
                Self([c; N])
            }
            #[inline(always)]
            fn param(self, p: $f) -> Self {
                Self([p; N])
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                self * b + c
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(map(self.0, $sqrt))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(map(self.0, |a| a.abs()))
            }
            #[inline(always)]
            fn min(self, o: Self) -> Self {
                Self(zip(self.0, o.0, |a, b| if a < b { a } else { b }))
            }
            #[inline(always)]
            fn max(self, o: Self) -> Self {
                Self(zip(self.0, o.0, |a, b| if a > b { a } else { b }))
            }
            #[inline(always)]
            fn lt(self, o: Self) -> Masks<N> {
                Masks(zip(self.0, o.0, |a, b| a < b))
            }
            #[inline(always)]
            fn le(self, o: Self) -> Masks<N> {
                Masks(zip(self.0, o.0, |a, b| a <= b))
            }
            #[inline(always)]
            fn eq(self, o: Self) -> Masks<N> {
                Masks(zip(self.0, o.0, |a, b| a == b))
            }
            #[inline(always)]
            fn select(m: Masks<N>, a: Self, b: Self) -> Self {
                Self(zip(m.0, zip(a.0, b.0, |a, b| (a, b)), |m, (a, b)| if m { a } else { b }))
            }
            #[inline(always)]
            fn to_bits(self) -> $B<N> {
                $B(map(self.0, |a| a.to_bits() as $i))
            }
            #[inline(always)]
            fn from_bits(b: $B<N>) -> Self {
                Self(map(b.0, |a| $f::from_bits(a as $u)))
            }
            #[inline(always)]
            fn bits_eq(a: $B<N>, b: $B<N>) -> Masks<N> {
                Masks(zip(a.0, b.0, |a, b| a == b))
            }
            #[inline(always)]
            fn lookup(i: $B<N>, table: &'static [$f]) -> Self {
                Self(super::lookup(map(i.0, |i| i as u32), table))
            }
            #[inline(always)]
            fn patch(self, rare: Masks<N>, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
                if Self::any(rare) { Self::select(rare, f(x), self) } else { self }
            }
        }

        impl<const N: usize> Vector for $F<N> {
            type Token = Portable<N>;
            const LANES: usize = N;
            #[inline(always)]
            fn splat(_: Portable<N>, c: $f) -> Self {
                Self([c; N])
            }
            #[inline(always)]
            fn any(m: Masks<N>) -> bool {
                m.0.iter().fold(false, |a, b| a | b)
            }
            #[inline(always)]
            unsafe fn load(_: Portable<N>, p: *const $f) -> Self {
                // SAFETY: the caller guarantees `N` readable elements; `[$f; N]` has their alignment.
                Self(unsafe { p.cast::<[$f; N]>().read() })
            }
            #[inline(always)]
            unsafe fn load_first(_: Portable<N>, p: *const $f, n: usize, fill: $f) -> Self {
                // SAFETY: the caller guarantees `n` readable elements.
                Self(unsafe { super::read_first(p, n, fill) })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $f) {
                // SAFETY: the caller guarantees `N` writable elements.
                unsafe { p.cast::<[$f; N]>().write(self.0) }
            }
            #[inline(always)]
            unsafe fn store_first(self, p: *mut $f, n: usize) {
                for (i, v) in self.0.into_iter().enumerate().take(n) {
                    // SAFETY: `i < n`, and the caller guarantees `n` writable elements.
                    unsafe { p.add(i).write(v) }
                }
            }
        }
    };
    (@op $T:ident, $tr:ident $m:ident |$a:ident, $b:ident| $e:expr) => {
        impl<const N: usize> $tr for $T<N> {
            type Output = Self;
            #[inline(always)]
            fn $m(self, o: Self) -> Self {
                Self(zip(self.0, o.0, |$a, $b| $e))
            }
        }
    };
}

portable_lane!(F32s, I32s, f32, i32, u32, sqrt_f32);
portable_lane!(F64s, I64s, f64, i64, u64, sqrt_f64);

/// The hardware instruction where `std` gives it, else `libm`.
#[inline(always)]
fn sqrt_f32(x: f32) -> f32 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrtf(x)
}

#[inline(always)]
fn sqrt_f64(x: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.sqrt();
    #[cfg(not(feature = "std"))]
    libm::sqrt(x)
}

/// One element as a lane: how `T`-level results run the same bodies.
#[inline(always)]
pub(crate) fn scalar<T: super::Element>(x: T) -> T::Vec<Portable<1>> {
    T::Vec::<Portable<1>>::splat(Portable::NATIVE, x)
}
