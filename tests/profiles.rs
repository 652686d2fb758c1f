//! The instruction set that a deployment profile (`features/*.toml`) states is the one that its
//! build selected. `scripts/profile.py` sets `FULMEN_NATIVE`; a plain `cargo test` has none.

use fulmen::NATIVE;
use fulmen::lanes::Isa;

const STATED: Option<&str> = option_env!("FULMEN_NATIVE");

const fn name(isa: Isa) -> &'static str {
    match isa {
        Isa::Portable => "Portable",
        Isa::Sse2 => "Sse2",
        Isa::Avx2 => "Avx2",
        Isa::Avx512 => "Avx512",
        Isa::Neon => "Neon",
        Isa::Simd128 => "Simd128",
        _ => "an instruction set that this test does not know",
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

// At compile time, so that a build for a CPU that this machine has not is held to it as well.
const _: () = core::assert!(
    match STATED {
        Some(stated) => same(stated.as_bytes(), name(NATIVE).as_bytes()),
        None => true,
    },
    "the build did not select the lanes that the profile states"
);

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn native_is_what_the_profile_states() {
    assert_eq!(format!("{NATIVE:?}"), STATED.unwrap_or(name(NATIVE)));
}
