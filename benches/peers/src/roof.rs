//! The peak: fused multiply-adds on registers, twelve chains of the widest vectors of this build.

use std::hint::black_box;

macro_rules! roof {
    ($t:ident, $v:ty, $lanes:literal, $set:ident, $fma:ident) => {
        #[inline(never)]
        pub fn $t() -> f64 {
            const STEPS: usize = 1 << 16;
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
            (2 * 12 * $lanes * STEPS) as f64
        }
    };
}
cfg_select! {
    target_feature = "avx512f" => {
        use std::arch::x86_64::*;
        roof!(f32, __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps);
        roof!(f64, __m512d, 8, _mm512_set1_pd, _mm512_fmadd_pd);
    }
    target_feature = "fma" => {
        use std::arch::x86_64::*;
        roof!(f32, __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps);
        roof!(f64, __m256d, 4, _mm256_set1_pd, _mm256_fmadd_pd);
    }
    _ => {
        fn add(a: f64, x: f64, y: f64) -> f64 {
            a * x + y
        }
        roof!(f64, f64, 1, f64::from, add);
        pub fn f32() -> f64 {
            f64()
        }
    }
}
