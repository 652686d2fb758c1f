//! What the build selected is what its target features and Cargo features say.

use common::lanes::*;
use fulmen::NATIVE;
use fulmen::lanes::{Isa, Native, Simd, native};

/// The ladder of the library, said again in other words.
fn expected() -> (Isa, &'static str) {
    if cfg!(target_arch = "x86_64") {
        let avx2 = cfg!(target_feature = "avx2") && cfg!(target_feature = "fma");
        let avx512 = cfg!(target_feature = "avx512f")
            && cfg!(target_feature = "avx512bw")
            && cfg!(target_feature = "avx512dq")
            && cfg!(target_feature = "avx512vl");
        if avx2 && avx512 && cfg!(feature = "avx512") {
            (Isa::Avx512, "avx512x16")
        } else if avx2 {
            (Isa::Avx2, "avx2x8")
        } else {
            (Isa::Sse2, "sse2x4")
        }
    } else if cfg!(all(target_arch = "aarch64", target_feature = "neon", feature = "neon")) {
        (Isa::Neon, "neonx4")
    } else if cfg!(all(target_arch = "wasm32", target_feature = "simd128", feature = "simd128")) {
        (Isa::Simd128, "simd128x4")
    } else {
        (Isa::Portable, "portable1")
    }
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn native_is_what_the_build_says() {
    let (isa, name) = expected();
    assert_eq!(NATIVE, isa);
    assert_eq!(Native::ISA, isa);
    assert_eq!(Native::NAME, name);
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn native_runs() {
    let x: Vec<f32> = (0..37).map(|i| i as f32 - 18.0).collect();
    let mut y = vec![f32::NAN; x.len()];
    fulmen::relu_on(native(), &x, &mut y).unwrap();
    assert!(x.iter().zip(&y).all(|(x, y)| *y == x.max(0.0)), "{y:?}");
}

fn zero_sized<S: Simd>(_: S) {
    assert_eq!(size_of::<S>(), 0, "{}", S::NAME);
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn tokens_are_zero_sized_and_names_unique() {
    let ran = for_each_lane!(|s| zero_sized(s));
    let unique: std::collections::BTreeSet<_> = ran.iter().collect();
    assert_eq!(unique.len(), ran.len(), "{ran:?}");
    assert!(ran.contains(&Native::NAME), "the selected {} is not among {ran:?}", Native::NAME);
}

#[cfg(all(target_arch = "x86_64", feature = "std"))]
#[test]
fn detection_finds_what_the_build_presumes() {
    use fulmen::lanes::Avx2;
    if cfg!(all(target_feature = "avx2", target_feature = "fma")) {
        assert!(Avx2::detect().is_some());
    }
    #[cfg(feature = "avx512")]
    if NATIVE == Isa::Avx512 {
        assert!(fulmen::lanes::Avx512::detect().is_some());
    }
}
