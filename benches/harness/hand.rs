//! The same jobs by hand in intrinsics, to show what a body written once is measured against.
//! They use the instruction set that the build selected, and are absent elsewhere.

pub type AddRelu = fn(&[f32], &[f32], &mut [f32]);
pub type Dot = fn(&[f32], &[f32]) -> f32;

/// `add ∘ relu` and `dot` for the lanes of this build.
pub fn kernels() -> Option<(AddRelu, Dot)> {
    cfg_select! {
        all(target_arch = "x86_64", feature = "avx512", target_feature = "avx512f") => {
            Some((avx512::add_relu, avx512::dot))
        }
        all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma") => {
            Some((avx2::add_relu, avx2::dot))
        }
        _ => { None }
    }
}

macro_rules! hand {
    ($mod:ident, $lanes:literal, $zero:ident $load:ident $store:ident $add:ident $max:ident $fma:ident $features:meta) => {
        #[cfg(all(target_arch = "x86_64", $features))]
        mod $mod {
            use std::arch::x86_64::*;
            pub fn add_relu(a: &[f32], b: &[f32], out: &mut [f32]) {
                let n = out.len();
                assert!(a.len() == n && b.len() == n);
                let (a, b, o) = (a.as_ptr(), b.as_ptr(), out.as_mut_ptr());
                let mut i = 0;
                // SAFETY: offsets stay below `n`; the build has the target features.
                unsafe {
                    let zero = $zero();
                    while n - i >= 4 * $lanes {
                        for u in 0..4 {
                            let i = i + u * $lanes;
                            $store(o.add(i), $max(zero, $add($load(a.add(i)), $load(b.add(i)))));
                        }
                        i += 4 * $lanes;
                    }
                    while i < n {
                        let s = *a.add(i) + *b.add(i);
                        *o.add(i) = if s < 0.0 { 0.0 } else { s };
                        i += 1;
                    }
                }
            }
            pub fn dot(a: &[f32], b: &[f32]) -> f32 {
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
        }
    };
}
hand!(avx2, 8, _mm256_setzero_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_max_ps _mm256_fmadd_ps target_feature = "avx2");
hand!(avx512, 16, _mm512_setzero_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_max_ps _mm512_fmadd_ps target_feature = "avx512f");
