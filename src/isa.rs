//! The instruction sets of CPUs: their names, and the facts of each that kernels are planned with.

/// The instruction sets that a token can stand for.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// Safe Rust arrays of a fixed width.
    Portable,
    /// x86-64 baseline.
    Sse2,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
    /// AArch64 Advanced SIMD.
    Neon,
    /// WebAssembly SIMD128.
    Simd128,
}

/// The sets by their names in descriptions of machines.
macro_rules! sets {
    ($($Set:ident $name:literal)*) => {
        impl Isa {
            pub(crate) const NAMES: &'static [&'static str] = &[$($name),*];
            /// The set of that place among the names.
            #[allow(unused_assignments, reason = "the last place")]
            pub(crate) const fn at(place: usize) -> Option<Self> {
                let mut k = 0;
                $(
                    if k == place {
                        return Some(Self::$Set);
                    }
                    k += 1;
                )*
                None
            }
            /// Does not compile while a set has no name.
            #[allow(dead_code, reason = "the compiler reads it")]
            const fn has_name(self) {
                match self {
                    $(Self::$Set => {})*
                }
            }
        }
    };
}
sets! { Portable "portable" Sse2 "sse2" Avx2 "avx2" Avx512 "avx512" Neon "neon" Simd128 "simd128" }

impl Isa {
    /// Vector registers; 16 for the portable set, whose kernels have to fit every machine.
    pub(crate) const fn registers(self) -> usize {
        match self {
            Self::Avx512 | Self::Neon => 32,
            Self::Avx2 | Self::Sse2 | Self::Simd128 | Self::Portable => 16,
        }
    }
    /// Whether a masked load costs no more than a plain one.
    pub(crate) const fn masks_are_free(self) -> bool {
        match self {
            Self::Avx512 => true,
            Self::Avx2 | Self::Neon | Self::Sse2 | Self::Simd128 | Self::Portable => false,
        }
    }
}
