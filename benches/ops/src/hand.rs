//! `dot` by hand in intrinsics, to show what a body written once is measured against. It uses the instruction set
//! that the build selected, and is absent elsewhere.

pub type Dot = fn(&[f32], &[f32]) -> f32;

macro_rules! hand {
    ($lanes:literal, $zero:ident $load:ident $store:ident $add:ident $fma:ident) => {
        fn by_hand(a: &[f32], b: &[f32]) -> f32 {
            use std::arch::x86_64::*;
            let n = a.len();
            assert!(b.len() == n);
            let (a, b) = (a.as_ptr(), b.as_ptr());
            let mut i = 0;
            // SAFETY: offsets stay below `n`; the build has the target features.
            unsafe {
                let mut acc = [$zero(); 8];
                while n - i >= 8 * $lanes {
                    for (u, acc) in acc.iter_mut().enumerate() {
                        let i = i + u * $lanes;
                        *acc = $fma($load(a.add(i)), $load(b.add(i)), *acc);
                    }
                    i += 8 * $lanes;
                }
                let mut lanes = [0.0f32; $lanes];
                let s = acc.into_iter().reduce(|p, q| $add(p, q)).unwrap_or_else(|| $zero());
                $store(lanes.as_mut_ptr(), s);
                let mut s: f32 = lanes.iter().sum();
                while i < n {
                    s += *a.add(i) * *b.add(i);
                    i += 1;
                }
                s
            }
        }
    };
}

cfg_select! {
    all(target_arch = "x86_64", feature = "avx512", target_feature = "avx512f") => {
        hand!(16, _mm512_setzero_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps);
        pub const DOT: Option<Dot> = Some(by_hand);
    }
    all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma") => {
        hand!(8, _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps);
        pub const DOT: Option<Dot> = Some(by_hand);
    }
    _ => { pub const DOT: Option<Dot> = None; }
}
