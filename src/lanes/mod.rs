//! The instruction sets: `Simd` tokens that prove that one is present, and their selection at compile time.
//!
//! A token is a zero-sized value, which `Avx2::detect()` (feature `std`) or the `unsafe` `Avx2::assume()` creates;
//! [`native`] returns the token of the instruction set that this build was compiled for. Every op has an `_on` form
//! that takes a token and runs on that instruction set.

/// Operator impls that are one intrinsic.
#[allow(unused_macros, reason = "a target may have no intrinsics")]
macro_rules! lane_ops {
    ($T:ident: $($tr:ident $m:ident $f:ident),*) => {$(
        impl core::ops::$tr for $T {
            type Output = Self;
            #[inline(always)]
            fn $m(self, o: Self) -> Self {
                // SAFETY: a value of this type proves that the CPU has its instruction set.
                unsafe { Self($f(self.0, o.0)) }
            }
        }
    )*};
}

/// Methods that are one expression of intrinsics on registers; none may take a pointer.
#[allow(unused_macros, reason = "a target may have no intrinsics")]
macro_rules! lane_fns {
    ($(fn $m:ident $(<const $K:ident: i32>)? ($s:ident $(: $st:ty)? $(, $a:ident: $t:ty)*) -> $r:ty = $e:expr;)*) => {$(
        #[inline(always)]
        fn $m $(<const $K: i32>)? ($s $(: $st)? $(, $a: $t)*) -> $r {
            // SAFETY: an argument is the token or a value of a lane type, and either one proves
            // that the CPU has the instruction set.
            unsafe { $e }
        }
    )*};
}

pub(crate) mod bytes;
#[cfg(feature = "std")]
mod dispatch;
pub(crate) mod drive;
pub(crate) mod executor;
pub(crate) mod fold;
pub(crate) mod inout;
#[cfg(any(test, kani))]
mod kani;
pub(crate) mod multipass;
pub(crate) mod planes;
pub(crate) mod portable;
pub(crate) mod rotary;
pub(crate) mod strided;
pub(crate) mod taps;
pub(crate) mod windows;

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub(crate) mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use amx::Amx;
#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
pub use avx512::Avx512;
#[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
pub use neon::Neon;
pub use portable::Portable;
#[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
pub use simd128::Simd128;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sse2;

use crate::alu::{Alu, Real};
pub use crate::isa::Isa;
use core::fmt::Debug;
use core::mem::MaybeUninit;
use vector::Vector;

/// [`Native`] by the first condition that holds; `cfg_select!` needs Rust 1.95.
macro_rules! ladder {
    ([$($above:meta),*] _ => $isa:ty;) => {
        /// The token type of the instruction set that this build was compiled for.
        #[cfg(not(any($($above),*)))]
        pub type Native = $isa;
    };
    ([$($above:meta),*] $here:meta => $isa:ty; $($below:tt)*) => {
        /// The token type of the instruction set that this build was compiled for.
        #[cfg(all($here, not(any($($above),*))))]
        pub type Native = $isa;
        ladder! { [$($above,)* $here] $($below)* }
    };
}

// The one ladder. A Cargo feature permits, the target features select.
ladder! {
    []
    all(
        target_arch = "x86_64", feature = "avx512", target_feature = "avx512f", target_feature = "avx512bw",
        target_feature = "avx512dq", target_feature = "avx512vl", target_feature = "avx2", target_feature = "fma"
    ) => Avx512;
    all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma") => Avx2;
    target_arch = "x86_64" => Sse2;
    all(target_arch = "aarch64", feature = "neon", target_feature = "neon") => Neon;
    all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128") => Simd128;
    _ => Portable<1>;
}

/// The instruction set that this build was compiled for, as a constant to assert on.
///
/// ```
/// # #[cfg(all(target_arch = "x86_64", target_feature = "avx2", not(feature = "avx512")))]
/// const _: () = assert!(matches!(fulmen::NATIVE, fulmen::lanes::Isa::Avx2));
/// ```
pub const NATIVE: Isa = Native::ISA;

/// The token of [`NATIVE`].
#[inline(always)]
pub const fn native() -> Native {
    Native::NATIVE
}

/// An instruction set that is known to be present: implemented by the tokens only.
pub trait Simd:
    Copy + Debug + Send + Sync + 'static + vector::Sealed + bytes::Bytes + taps::Taps + planes::Planes
{
    /// Which instruction set.
    const ISA: Isa;
    /// Its name with the width in `f32` lanes, such as `"avx2x8"`.
    const NAME: &'static str;
    /// Whether [`Alu::mul_add`] rounds once.
    const FUSED: bool;
    #[doc(hidden)]
    type F32: Vector<Token = Self, Elem = f32>;
    #[doc(hidden)]
    type F64: Vector<Token = Self, Elem = f64>;
    /// Runs `f` compiled for this instruction set, provided `f` is `#[inline(always)]`.
    #[doc(hidden)]
    fn vectorize<R>(self, f: impl FnOnce() -> R) -> R;
    /// `sum + a₀·b₀ + a₁·b₁` in each 32-bit lane, of its two signed 16-bit halves, modulo 2³².
    #[doc(hidden)]
    fn dot_i16(self, sum: Pairs<Self>, a: Pairs<Self>, b: Pairs<Self>) -> Pairs<Self>;
    /// What signed bytes are xored with to be the `a` of [`Simd::dot_i8`]: 128 adds 128 to each.
    #[doc(hidden)]
    const FLIP: u8 = 0;
    /// `sum + Σ a[i]·b[i]` of the four bytes in each 32-bit lane, modulo 2³²; those of `b` are signed. With `SIGNED` those
    /// of `a` are signed numbers, xored with [`Simd::FLIP`] and taken for unsigned ones if that is not 0; without, below 64.
    #[doc(hidden)]
    fn dot_i8<const SIGNED: bool>(self, sum: Pairs<Self>, a: Pairs<Self>, b: Pairs<Self>) -> Pairs<Self>;
    /// `a·b` in each 32-bit lane, modulo 2³².
    #[doc(hidden)]
    fn mul_i32(self, a: Pairs<Self>, b: Pairs<Self>) -> Pairs<Self>;
    /// The signed numbers of 32-bit lanes, rounded to the nearest.
    #[doc(hidden)]
    fn floats(self, x: Pairs<Self>) -> Self::F32;
    /// `a·b` in each 64-bit lane, of its unsigned lower halves.
    #[doc(hidden)]
    fn mul_low(self, a: Quads<Self>, b: Quads<Self>) -> Quads<Self>;
}

/// The 32-bit integer lanes of a set.
#[doc(hidden)]
pub type Pairs<S> = <<S as Simd>::F32 as Alu>::Bits;

/// The 64-bit integer lanes of a set.
#[doc(hidden)]
pub type Quads<S> = <<S as Simd>::F64 as Alu>::Bits;

/// The element types of float ops: `f32` and `f64`.
pub trait Element: Real + bytemuck::Pod + vector::Sealed {
    #[doc(hidden)]
    type Vec<S: Simd>: Vector<Token = S, Elem = Self>;
    /// The bit pattern, of as many bits as the type has.
    #[doc(hidden)]
    fn pattern(self) -> u64;
    /// The value with this bit pattern.
    #[doc(hidden)]
    fn of_pattern(bits: u64) -> Self;
}

impl Element for f32 {
    type Vec<S: Simd> = S::F32;
    #[inline(always)]
    fn pattern(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn of_pattern(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
}
impl Element for f64 {
    type Vec<S: Simd> = S::F64;
    #[inline(always)]
    fn pattern(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_pattern(bits: u64) -> Self {
        Self::from_bits(bits)
    }
}

/// `table[i]` lane by lane, for sets without a good gather; an index past the end reads the last.
#[inline(always)]
fn lookup<T: Real, const N: usize>(at: [u32; N], table: &'static [T]) -> [T; N] {
    let last = table.len().saturating_sub(1);
    at.map(|i| table.get((i as usize).min(last)).copied().unwrap_or(T::ZERO))
}

/// `core::array::from_fn`, always inlined. Core's own may stay a call, and then the `f` inside is
/// compiled without the lane's instructions: each intrinsic becomes a call. Mark `f`
/// `#[inline(always)]`, for the same reason.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k < N")]
pub(crate) fn from_fn<B: Copy, const N: usize>(f: impl Fn(usize) -> B) -> [B; N] {
    let mut y = [const { MaybeUninit::uninit() }; N];
    let mut k = 0;
    while k < N {
        y[k] = MaybeUninit::new(f(k));
        k += 1;
    }
    // SAFETY: the loop has set all, and `MaybeUninit<B>` is laid out as `B`.
    unsafe { (&raw const y).cast::<[B; N]>().read() }
}

/// The length of the shortest slice; the most there is of none. Closures in generic functions would be compiled for each of their bodies.
#[inline]
pub(crate) fn shortest<T>(x: &[&[T]]) -> usize {
    x.iter().fold(usize::MAX, |n, x| n.min(x.len()))
}

/// Whether every slice has `n` elements.
#[inline]
pub(crate) fn all_have<T>(x: &[&[T]], n: usize) -> bool {
    x.iter().all(|x| x.len() == n)
}

/// The first `LANES` elements as a register; zeros if there are fewer.
#[inline(always)]
pub(crate) fn register<V: Vector>(s: V::Token, x: &[V::Elem]) -> V {
    if x.len() < V::LANES {
        return V::splat(s, V::Elem::default());
    }
    // SAFETY: the slice has `LANES` elements.
    unsafe { V::load(s, x.as_ptr()) }
}

/// The first lanes of a register, as many as `to` has.
#[inline(always)]
pub(crate) fn put<V: Vector>(x: V, to: &mut [V::Elem]) {
    if to.len() < V::LANES {
        // SAFETY: the slice has as many elements, fewer than `LANES`.
        return unsafe { x.store_first(to.as_mut_ptr(), to.len()) };
    }
    // SAFETY: the slice has `LANES` elements.
    unsafe { x.store(to.as_mut_ptr()) }
}

/// Built for size (`--cfg fulmen_compact`): each loop holds its body once, with the same bits.
pub(crate) const COMPACT: bool = cfg!(fulmen_compact);

/// The first `n` elements, then `fill`.
///
/// # Safety
/// `p` is valid for reads of `n.min(N)` elements.
#[inline(always)]
unsafe fn read_first<T: Copy, const N: usize>(p: *const T, n: usize, fill: T) -> [T; N] {
    if cfg!(debug_assertions) {
        // As `portable::map`.
        let mut all = [fill; N];
        // SAFETY: of so many the caller guarantees that they can be read, and `all` holds them.
        unsafe { all.as_mut_ptr().copy_from_nonoverlapping(p, n.min(N)) };
        return all;
    }
    // SAFETY: element `i` is read only when `i < n`.
    core::array::from_fn(|i| if i < n { unsafe { p.add(i).read() } } else { fill })
}

pub(crate) mod vector {
    //! What the loops need of a lane beyond arithmetic; not nameable outside the crate.
    use super::{Alu, Element, Simd};

    /// Keeps [`Simd`] and [`Element`] to this crate.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}

    /// A register of lanes. Holding a value proves that the CPU has the token's instructions.
    pub trait Vector: Alu<Elem: Element> + Send + Sync {
        /// The token whose instructions this type uses.
        type Token: Simd;
        /// Lanes in one register.
        const LANES: usize;
        /// Whether [`Vector::stream`] is non-temporal.
        const STREAMS: bool = false;

        /// `c` in every lane.
        fn splat(s: Self::Token, c: Self::Elem) -> Self;
        /// True when any lane is.
        fn any(m: Self::Mask) -> bool;
        /// Lane `j` receives lane `j + BY`, for the lanes where that exists; `BY` is a power of two.
        #[inline(always)]
        fn down<const BY: usize>(self, s: Self::Token) -> Self {
            // The widest register has 16 lanes. Compilers turn this into one shuffle.
            let mut from = [Self::Elem::default(); 16];
            let mut to = [Self::Elem::default(); 16];
            // SAFETY: `LANES <= 16`.
            unsafe { self.store(from.as_mut_ptr()) }
            for (to, from) in to.iter_mut().zip(from.iter().skip(BY)) {
                *to = *from;
            }
            // SAFETY: `LANES <= 16`.
            unsafe { Self::load(s, to.as_ptr()) }
        }
        /// Exchanges lanes `i + BY` of `a` with lanes `i` of `b`, for each `i` without the bit `BY`: one step of a
        /// transpose.
        #[inline(always)]
        fn exchange<const BY: usize>(s: Self::Token, a: Self, b: Self) -> [Self; 2] {
            // As in `down`.
            let mut x = [[Self::Elem::default(); 16]; 2];
            // SAFETY: `LANES <= 16`.
            unsafe {
                a.store(x[0].as_mut_ptr());
                b.store(x[1].as_mut_ptr());
            }
            let [mut x, mut y] = x;
            for (i, (x, y)) in x.iter_mut().skip(BY).zip(&mut y).enumerate() {
                if i & BY == 0 {
                    core::mem::swap(x, y);
                }
            }
            // SAFETY: `LANES <= 16`.
            unsafe { [Self::load(s, x.as_ptr()), Self::load(s, y.as_ptr())] }
        }
        /// The even lanes of `a` and then of `b`, and the odd ones.
        #[inline(always)]
        fn unzip(s: Self::Token, a: Self, b: Self) -> [Self; 2] {
            // As in `down`.
            let mut from = [Self::Elem::default(); 32];
            let mut to = [[Self::Elem::default(); 16]; 2];
            let p = from.as_mut_ptr();
            // SAFETY: `LANES <= 16`.
            unsafe {
                a.store(p);
                b.store(p.add(Self::LANES));
            }
            let [even, odd] = &mut to;
            for ((even, odd), pair) in even.iter_mut().zip(odd).zip(from.as_chunks::<2>().0) {
                [*even, *odd] = *pair;
            }
            // SAFETY: `LANES <= 16`.
            unsafe { [Self::load(s, to[0].as_ptr()), Self::load(s, to[1].as_ptr())] }
        }
        /// Lanes of `a` and `b` in turn: the inverse of [`Vector::unzip`].
        #[inline(always)]
        fn zip(s: Self::Token, a: Self, b: Self) -> [Self; 2] {
            // As in `down`.
            let mut from = [[Self::Elem::default(); 16]; 2];
            let mut to = [Self::Elem::default(); 32];
            // SAFETY: `LANES <= 16`.
            unsafe {
                a.store(from[0].as_mut_ptr());
                b.store(from[1].as_mut_ptr());
            }
            let [a, b] = from;
            for ((a, b), pair) in a.into_iter().zip(b).zip(to.as_chunks_mut::<2>().0) {
                *pair = [a, b];
            }
            let p = to.as_ptr();
            // SAFETY: `LANES <= 16`.
            unsafe { [Self::load(s, p), Self::load(s, p.add(Self::LANES))] }
        }
        /// Whether [`Vector::square`] is there.
        const SQUARES: bool = false;
        /// Transposes a square of `LANES` rows from memory to memory, with non-temporal stores if `STREAM`: for sets with a
        /// better way than steps of [`Vector::exchange`].
        /// # Safety
        /// Rows of `LANES` elements at `from + i·step` are valid for reads and at `to + j·width` for writes, those
        /// aligned to a register if `STREAM`; reads and writes don't overlap.
        #[inline(always)]
        unsafe fn square<const STREAM: bool>(
            _: Self::Token,
            _from: *const Self::Elem,
            _step: isize,
            _to: *mut Self::Elem,
            _width: isize,
        ) {
        }
        /// The first lane.
        #[inline(always)]
        fn lane0(self) -> Self::Elem {
            let mut to = [Self::Elem::default(); 16];
            // SAFETY: `LANES <= 16`.
            unsafe { self.store(to.as_mut_ptr()) }
            let [first, ..] = to;
            first
        }
        /// # Safety
        /// `p` is valid for reads of `LANES` elements; no alignment is needed.
        unsafe fn load(s: Self::Token, p: *const Self::Elem) -> Self;
        /// The elements at `p + i·step`.
        /// # Safety
        /// They are valid for reads for each `i < LANES`.
        #[inline(always)]
        unsafe fn gather(s: Self::Token, p: *const Self::Elem, step: isize) -> Self {
            // As in `down`.
            let mut to = [Self::Elem::default(); 16];
            for (i, to) in to.iter_mut().enumerate().take(Self::LANES) {
                // SAFETY: the caller's promise.
                *to = unsafe { p.offset(i as isize * step).read() };
            }
            // SAFETY: `LANES <= 16`.
            unsafe { Self::load(s, to.as_ptr()) }
        }
        /// The first `n < LANES` elements, `fill` in the other lanes.
        /// # Safety
        /// `p` is valid for reads of `n` elements.
        unsafe fn load_first(s: Self::Token, p: *const Self::Elem, n: usize, fill: Self::Elem) -> Self;
        /// # Safety
        /// `p` is valid for writes of `LANES` elements; no alignment is needed.
        unsafe fn store(self, p: *mut Self::Elem);
        /// Writes the first `n < LANES` elements.
        /// # Safety
        /// `p` is valid for writes of `n` elements.
        unsafe fn store_first(self, p: *mut Self::Elem, n: usize);
        /// Like `store`, non-temporal where the CPU can. [`Vector::fence`] must follow.
        /// # Safety
        /// As `store`, and `p` is aligned to the register's size.
        #[inline(always)]
        unsafe fn stream(self, p: *mut Self::Elem) {
            // SAFETY: the caller's promise for `stream` covers `store`.
            unsafe { self.store(p) }
        }
        /// Whether [`Vector::claim`] does something.
        const CLAIMS: bool = false;
        /// Prefetches the cache line at `p`, which need not be a valid address, for writing.
        #[inline(always)]
        fn claim(_: Self::Token, _p: *mut Self::Elem) {}
        /// Prefetches the cache line at `p`, which need not be a valid address.
        #[inline(always)]
        fn prefetch(_: Self::Token, _: *const Self::Elem) {}
        /// `p`, in a way that the compiler can't see through, where it can be done without a cost: addresses
        /// made from it are not replaced by ones that need more registers.
        #[inline(always)]
        fn hide(_: Self::Token, p: *const Self::Elem) -> *const Self::Elem {
            p
        }
        /// Orders streamed stores before later ones.
        #[inline(always)]
        fn fence(_: Self::Token) {}
    }
}
