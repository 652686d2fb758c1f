//! The peak: fused multiply-adds on registers, twelve chains of the widest vectors of this build.

use std::hint::black_box;

const STEPS: usize = 1 << 14;

/// What a call does.
pub struct Flops {
    pub f32: f64,
    pub f64: f64,
}

macro_rules! roof {
    ($t:ident, $v:ty, $set:ident, $fma:ident) => {
        #[inline(never)]
        pub fn $t() {
            // SAFETY: the build has the instructions.
            unsafe {
                let (x, y) = ($set(black_box(1.0)), $set(black_box(0.0)));
                let mut acc: [$v; 12] = [x; 12];
                for _ in 0..STEPS {
                    for a in &mut acc {
                        *a = $fma(*a, x, y);
                    }
                }
                black_box(acc);
            }
        }
    };
}
/// For vectors of so many `f32`.
#[allow(dead_code, reason = "a build without vectors has its own number")]
const fn flops(lanes: usize) -> Flops {
    Flops { f32: (24 * lanes * STEPS) as f64, f64: (12 * lanes * STEPS) as f64 }
}

cfg_select! {
    target_feature = "avx512f" => {
        use std::arch::x86_64::*;
        pub const FLOPS: Flops = flops(16);
        roof!(f32, __m512, _mm512_set1_ps, _mm512_fmadd_ps);
        roof!(f64, __m512d, _mm512_set1_pd, _mm512_fmadd_pd);
    }
    target_feature = "fma" => {
        use std::arch::x86_64::*;
        pub const FLOPS: Flops = flops(8);
        roof!(f32, __m256, _mm256_set1_ps, _mm256_fmadd_ps);
        roof!(f64, __m256d, _mm256_set1_pd, _mm256_fmadd_pd);
    }
    _ => {
        pub const FLOPS: Flops = Flops { f32: (24 * STEPS) as f64, f64: (24 * STEPS) as f64 };
        fn set(x: f64) -> f64 {
            x
        }
        fn add(a: f64, x: f64, y: f64) -> f64 {
            a * x + y
        }
        roof!(f64, f64, set, add);
        pub fn f32() {
            f64();
        }
    }
}

/// Elements handled at once: enough registers in flight to hide the latency of loads.
const BLOCK: usize = 64;

/// Reads all of `x` and does next to nothing with it.
#[inline(never)]
pub fn read(x: &[f32]) -> u32 {
    let mut acc = [0; BLOCK];
    for x in x.as_chunks::<BLOCK>().0 {
        for (a, x) in acc.iter_mut().zip(x) {
            *a |= x.to_bits();
        }
    }
    acc.into_iter().fold(0, |a, b| a | b)
}

/// Reads two and writes one.
#[inline(never)]
pub fn merge(a: &[f32], b: &[f32], out: &mut [f32]) {
    for ((a, b), o) in a.iter().zip(b).zip(out) {
        *o = f32::from_bits(a.to_bits() | b.to_bits());
    }
}
