//! Intel AMX: eight tile registers of sixteen rows of 64 bytes, and the instructions that multiply them.
//!
//! [`Amx`] is a token like the others, but does not implement `Simd`: no stable compiler guarantees the instructions at
//! compile time, and only matrix products use them. Only functions with the name `…_amx` take it.

use super::Avx512;
use super::avx512::F32x16;
use super::vector::Vector;
use crate::alu::{Alu, Bits};
use core::arch::asm;
use core::arch::x86_64::*;
use core::marker::PhantomData;

/// The token of AMX (tiles, bf16 and int8), of AVX-512 beside it, and of the operating system's permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amx(Avx512);

impl Amx {
    /// The token, if this CPU has AMX-TILE, AMX-BF16, AMX-INT8 and AVX-512, and the operating system lets this
    /// process use them. On Linux that is asked for here, once and for all threads; elsewhere there is none.
    #[cfg(feature = "std")]
    pub fn detect() -> Option<Self> {
        let lanes = Avx512::detect()?;
        (has_tiles() && permitted()).then_some(Self(lanes))
    }

    /// The token without a check.
    ///
    /// # Safety
    /// The CPU that runs this has AMX-TILE, AMX-BF16, AMX-INT8, AVX-512 F, BW, DQ, VL, AVX2 and FMA, and the
    /// operating system has permitted tiles to this process.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        // SAFETY: the caller's promise covers AVX-512.
        Self(unsafe { Avx512::assume() })
    }

    /// The lanes beside the tiles.
    #[inline(always)]
    pub const fn avx512(self) -> Avx512 {
        self.0
    }

    /// Configures the tiles of this thread until the result is dropped.
    #[inline]
    pub(crate) fn tiles(self) -> TileConfig {
        // SAFETY: the token proves the instruction and the permission; the operand is a valid configuration
        // of 64 bytes. Tiles are registers that no code of the compiler's uses.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const CONFIG, options(nostack, preserves_flags, readonly),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _);
        }
        TileConfig(PhantomData)
    }
}

/// Whether CPUID and XCR0 show tiles with both multiplications.
#[cfg(feature = "std")]
fn has_tiles() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    const BF16_TILE_INT8: u32 = 1 << 22 | 1 << 24 | 1 << 25;
    const TILE_STATE: u32 = 1 << 17 | 1 << 18;
    #[allow(unused_unsafe, reason = "newer compilers have it safe")]
    // SAFETY: every x86-64 CPU has CPUID.
    let cpuid = |leaf| unsafe { __cpuid_count(leaf, 0) };
    if cpuid(0).eax < 7 || cpuid(1).ecx & OSXSAVE == 0 || cpuid(7).edx & BF16_TILE_INT8 != BF16_TILE_INT8 {
        return false;
    }
    let low: u32;
    // SAFETY: OSXSAVE says that XCR0 can be read.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    low & TILE_STATE == TILE_STATE
}

/// Asks Linux for tiles. It gives the state to each thread when that uses it first.
#[cfg(all(feature = "std", target_os = "linux"))]
fn permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const ARCH_REQ_XCOMP_PERM: usize = 0x1023;
    const XFEATURE_XTILEDATA: usize = 18;
    let result: isize;
    // SAFETY: this system call touches no memory of the program; the kernel overwrites rcx and r11.
    unsafe {
        asm!("syscall", inlateout("rax") ARCH_PRCTL => result, in("rdi") ARCH_REQ_XCOMP_PERM,
            in("rsi") XFEATURE_XTILEDATA, out("rcx") _, out("r11") _, options(nostack, nomem));
    }
    result == 0
}

/// No other system's way to ask is known here.
#[cfg(all(feature = "std", not(target_os = "linux")))]
fn permitted() -> bool {
    false
}

/// The operand of `ldtilecfg`.
#[repr(C, align(64))]
struct Config {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Eight tiles, all of them full.
static CONFIG: Config = Config {
    palette: 1,
    start_row: 0,
    reserved: [0; 14],
    bytes: [64, 64, 64, 64, 64, 64, 64, 64, 0, 0, 0, 0, 0, 0, 0, 0],
    rows: [16, 16, 16, 16, 16, 16, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0],
};

/// A tile in memory: of C, sixteen rows of sixteen elements; of A, sixteen rows of sixteen groups of
/// elements; of B, sixteen rows of a group of each of sixteen columns. A group is what fills 32 bits.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct AmxTile(pub [[u32; 16]; 16]);

impl AmxTile {
    pub(crate) const ZERO: Self = Self([[0; 16]; 16]);

    /// The whole tiles in `scratch`.
    pub(crate) fn within<T: Words>(scratch: &mut [T]) -> &mut [Self] {
        // SAFETY: by `Words`, any bits are a `T` and any elements are bits; a `AmxTile` is nothing but bits.
        unsafe { scratch.align_to_mut().1 }
    }
}

/// # Safety
/// Numbers without padding, each pattern of whose bits is a value.
pub(crate) unsafe trait Words: Copy {}
// SAFETY: they are.
unsafe impl Words for f32 {}
// SAFETY: they are.
unsafe impl Words for i32 {}
// SAFETY: they are.
unsafe impl Words for i8 {}
#[cfg(feature = "half")]
// SAFETY: they are.
unsafe impl Words for half::bf16 {}

/// An element of which 32 bits hold a group.
pub(crate) trait Group: Words {
    /// Bits of an element.
    const BITS: u32;
    /// Elements in a group.
    const LEN: usize;
    fn bits(self) -> u32;
    /// Sixteen groups of elements below each other, in `LEN` rows `step` apart.
    /// # Safety
    /// Sixteen elements of each row are valid for reads.
    unsafe fn below(s: Avx512, from: *const Self, step: isize, to: &mut [u32; 16]);
    /// Sixteen groups of neighbours.
    /// # Safety
    /// `16·LEN` elements are valid for reads.
    #[inline(always)]
    unsafe fn beside(_: Avx512, from: *const Self, to: &mut [u32; 16]) {
        // SAFETY: the caller's promise; the array is as large as the register, and the token proves AVX-512.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_loadu_si512(from.cast())) }
    }
}

impl Group for i8 {
    const BITS: u32 = 8;
    const LEN: usize = 4;
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self.cast_unsigned())
    }
    #[inline(always)]
    unsafe fn below(_: Avx512, from: *const Self, step: isize, to: &mut [u32; 16]) {
        // SAFETY: the caller's promise; the array is as large as the register, and the token proves AVX-512.
        unsafe {
            let [a, b, c, d] =
                [0, 1, 2, 3].map(|i| _mm512_cvtepu8_epi32(_mm_loadu_si128(from.offset(i * step).cast())));
            let low = _mm512_or_si512(a, _mm512_slli_epi32::<8>(b));
            let high = _mm512_or_si512(_mm512_slli_epi32::<16>(c), _mm512_slli_epi32::<24>(d));
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_or_si512(low, high));
        }
    }
}

#[cfg(feature = "half")]
impl Group for half::bf16 {
    const BITS: u32 = 16;
    const LEN: usize = 2;
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self.to_bits())
    }
    #[inline(always)]
    unsafe fn below(_: Avx512, from: *const Self, step: isize, to: &mut [u32; 16]) {
        // SAFETY: as above.
        unsafe {
            let low = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.cast()));
            let high = _mm512_cvtepu16_epi32(_mm256_loadu_si256(from.offset(step).cast()));
            let to = to.as_mut_ptr().cast();
            _mm512_storeu_si512(to, _mm512_or_si512(low, _mm512_slli_epi32::<16>(high)));
        }
    }
}

/// `x = x₀ + x₁ + …`, each the bf16 nearest to what is left, in the upper half of a lane. For `|x|` below 2¹²⁷ nothing
/// overflows; three parts are exact from 2⁻¹⁰² up.
/// # Safety
/// Sixteen elements are valid for reads.
#[inline(always)]
pub(crate) unsafe fn split<const P: usize>(s: Avx512, x: *const f32) -> [F32x16; P] {
    // SAFETY: the caller's promise.
    let mut left = unsafe { F32x16::load(s, x) };
    let mut parts = [left; P];
    for part in &mut parts {
        let bits = left.to_bits();
        // Half a unit less one, and one more if the last bit kept is odd: ties go to even.
        let round = bits.lit(0x7fff) + (bits.shr::<16>() & bits.lit(1));
        *part = F32x16::from_bits((bits + round) & bits.lit(0xffff_0000));
        left = left - *part;
    }
    parts
}

/// Groups of the parts of elements below each other.
#[inline(always)]
pub(crate) fn split_below(even: F32x16, odd: F32x16, to: &mut [u32; 16]) {
    let words = even.to_bits().shr::<16>() | odd.to_bits();
    // SAFETY: the array is as large as the register; an `f32` keeps the bits.
    unsafe { F32x16::from_bits(words).store(to.as_mut_ptr().cast()) };
}

/// Groups of the parts of 32 neighbours.
#[inline(always)]
pub(crate) fn split_beside(first: F32x16, second: F32x16, to: &mut [u32; 16]) {
    // The upper half of each lane of both.
    static UPPER: [u16; 32] = {
        let (mut at, mut i) = ([0; 32], 0);
        #[allow(clippy::indexing_slicing, reason = "i < 32")]
        while i < 32 {
            at[i] = 2 * i as u16 + 1;
            i += 1;
        }
        at
    };
    let (mut a, mut b) = ([0u32; 16], [0u32; 16]);
    // SAFETY: the arrays are as large as the registers; values of lanes prove AVX-512.
    unsafe {
        first.store(a.as_mut_ptr().cast());
        second.store(b.as_mut_ptr().cast());
        let at = _mm512_loadu_si512(UPPER.as_ptr().cast());
        let (a, b) = (_mm512_loadu_si512(a.as_ptr().cast()), _mm512_loadu_si512(b.as_ptr().cast()));
        _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_permutex2var_epi16(a, at, b));
    }
}

/// Where the four tiles of a result lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quad {
    /// Left above, right above, left below, right below.
    pub at: [*mut u32; 4],
    /// Bytes from one row to the next.
    pub stride: isize,
}

/// Proof that this thread's tiles are configured.
#[derive(Debug)]
pub(crate) struct TileConfig(PhantomData<*const ()>);

impl Drop for TileConfig {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the value proves the instruction. Without a configuration the CPU has no tile state to keep.
        unsafe {
            asm!("tilerelease", options(nomem, nostack, preserves_flags),
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _);
        }
    }
}

/// `quad = [quad +] Σ a·b` over `steps` steps, each `$tiles` tiles of A and of B: two below (beside) each other,
/// for each part of a split operand. One block of assembly from the first load to the last store, as
/// nothing guarantees that tiles live longer.
macro_rules! kernel {
    ($(#[$meta:meta])* $name:ident, $bytes:literal, $($line:expr),*) => {
        $(#[$meta])*
        /// # Safety
        /// `a` and `b` are valid for reads of all steps; the rows of `quad` are valid for writes of 64 bytes,
        /// and for reads if `add`.
        #[inline]
        pub(crate) unsafe fn $name(&self, a: *const AmxTile, b: *const AmxTile, steps: usize, quad: Quad, add: bool) {
            if steps == 0 && add {
                return;
            }
            let [c0, c1, c2, c3] = quad.at;
            // SAFETY: the caller's promise; `self` proves the instructions and the configuration of the tiles,
            // all of which are declared as overwritten. Memory is not guaranteed to be untouched.
            unsafe {
                asm!(
                    "test {add:e}, {add:e}",
                    "jne 2f",
                    "tilezero tmm0",
                    "tilezero tmm1",
                    "tilezero tmm2",
                    "tilezero tmm3",
                    "jmp 3f",
                    "2:",
                    "tileloadd tmm0, [{c0} + {cs}*1]",
                    "tileloadd tmm1, [{c1} + {cs}*1]",
                    "tileloadd tmm2, [{c2} + {cs}*1]",
                    "tileloadd tmm3, [{c3} + {cs}*1]",
                    "3:",
                    "test {k}, {k}",
                    "je 5f",
                    "4:",
                    $($line,)*
                    concat!("add {a}, ", $bytes),
                    concat!("add {b}, ", $bytes),
                    "dec {k}",
                    "jne 4b",
                    "5:",
                    "tilestored [{c0} + {cs}*1], tmm0",
                    "tilestored [{c1} + {cs}*1], tmm1",
                    "tilestored [{c2} + {cs}*1], tmm2",
                    "tilestored [{c3} + {cs}*1], tmm3",
                    add = in(reg) u32::from(add),
                    k = inout(reg) steps => _,
                    a = inout(reg) a => _,
                    b = inout(reg) b => _,
                    s = in(reg) 64usize,
                    c0 = in(reg) c0,
                    c1 = in(reg) c1,
                    c2 = in(reg) c2,
                    c3 = in(reg) c3,
                    cs = in(reg) quad.stride,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                );
            }
        }
    };
}

/// The two tiles of A's part at `$at` to tmm4 and tmm5, hinted not to stay in the first-level cache: B's panel does.
macro_rules! left {
    ($at:literal, $next:literal) => {
        concat!("tileloaddt1 tmm4, [{a} + {s}*1 + ", $at, "]\ntileloaddt1 tmm5, [{a} + {s}*1 + ", $next, "]")
    };
}
/// The two tiles of B's part at `$at` to tmm6 and tmm7.
macro_rules! right {
    ($at:literal, $next:literal) => {
        concat!("tileloadd tmm6, [{b} + {s}*1 + ", $at, "]\ntileloadd tmm7, [{b} + {s}*1 + ", $next, "]")
    };
}
/// Four products.
macro_rules! multiply {
    ($op:literal) => {
        concat!(
            $op,
            " tmm0, tmm4, tmm6\n",
            $op,
            " tmm1, tmm4, tmm7\n",
            $op,
            " tmm2, tmm5, tmm6\n",
            $op,
            " tmm3, tmm5, tmm7"
        )
    };
}

impl TileConfig {
    kernel! {
        /// 32 bf16 elements a step.
        #[cfg(feature = "half")]
        bf16, 2048, left!(0, 1024), right!(0, 1024), multiply!("tdpbf16ps")
    }
    kernel! {
        /// 64 signed bytes a step.
        int8, 2048, left!(0, 1024), right!(0, 1024), multiply!("tdpbssd")
    }
    kernel! {
        /// 32 elements in three parts of bf16, six products a step: 2·0, 1·0, 1·1, 0·1, 0·2, 0·0. One operand
        /// changes at a time, and the largest product comes last.
        six, 6144,
        left!(4096, 5120), right!(0, 1024), multiply!("tdpbf16ps"),
        left!(2048, 3072), multiply!("tdpbf16ps"),
        right!(2048, 3072), multiply!("tdpbf16ps"),
        left!(0, 1024), multiply!("tdpbf16ps"),
        right!(4096, 5120), multiply!("tdpbf16ps"),
        right!(0, 1024), multiply!("tdpbf16ps")
    }
    kernel! {
        /// 32 elements in two parts of bf16, three products a step: 1·0, 0·0, 0·1.
        three, 4096,
        left!(2048, 3072), right!(0, 1024), multiply!("tdpbf16ps"),
        left!(0, 1024), multiply!("tdpbf16ps"),
        right!(2048, 3072), multiply!("tdpbf16ps")
    }
}
