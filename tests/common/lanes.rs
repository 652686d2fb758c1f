//! Runs a test on every lane that this machine has.
//!
//! `FULMEN_REQUIRE_LANES=avx2x8,sse2x4` (when running, or when building for targets without an
//! environment) turns the absence of a lane from a line of output into a failure.

use fulmen::lanes::Simd;

/// `for_each_lane!(|s| check::<_, f32>(s))` runs the expression with each token in turn and yields
/// the names that ran; `use` this module whole. Of the portable lanes these are the narrowest and the widest: what
/// depends on the width as such takes [`for_each_width`]. Built with `--cfg fulmen_one_lane`, only the build's own
/// lanes run.
#[macro_export]
macro_rules! for_each_lane {
    (|$s:ident| $body:expr) => {{
        use fulmen::lanes::*;
        let mut ran = std::vec::Vec::<&'static str>::new();
        #[cfg(not(fulmen_one_lane))]
        {
            for_each_lane!(@on ran, $s, $body, Portable::<1>::new());
            for_each_lane!(@on ran, $s, $body, Portable::<16>::new());
            #[cfg(target_arch = "x86_64")]
            for_each_lane!(@on ran, $s, $body, Sse2::new());
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            if let Some(token) = Avx2::detect() {
                for_each_lane!(@on ran, $s, $body, token);
            }
            // What no test here can run is not compiled for each of them.
            #[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512", not(fulmen_lacks_avx512)))]
            if let Some(token) = Avx512::detect() {
                for_each_lane!(@on ran, $s, $body, token);
            }
            #[cfg(all(target_arch = "aarch64", feature = "neon", target_feature = "neon"))]
            for_each_lane!(@on ran, $s, $body, Neon::new());
            #[cfg(all(target_arch = "wasm32", feature = "simd128", target_feature = "simd128"))]
            for_each_lane!(@on ran, $s, $body, Simd128::new());
        }
        // Without `std` nothing is detected, but what the build selected is there.
        #[cfg(any(fulmen_one_lane, not(feature = "std")))]
        if !ran.contains(&name_of(native())) {
            for_each_lane!(@on ran, $s, $body, native());
        }
        check_required(&ran);
        ran
    }};
    (@on $ran:ident, $s:ident, $body:expr, $token:expr) => {{
        let $s = $token;
        $ran.push(name_of($s));
        $body;
    }};
}
pub use for_each_lane;

/// [`for_each_lane`], and the portable lanes of the widths between: for loops, folds, rows and the lanes themselves.
#[macro_export]
macro_rules! for_each_width {
    (|$s:ident| $body:expr) => {{
        #[allow(unused_mut, reason = "the build's own lanes are all, built with `--cfg fulmen_one_lane`")]
        let mut ran = for_each_lane!(|$s| $body);
        #[cfg(not(fulmen_one_lane))]
        {
            use fulmen::lanes::*;
            for_each_lane!(@on ran, $s, $body, Portable::<2>::new());
            for_each_lane!(@on ran, $s, $body, Portable::<4>::new());
            for_each_lane!(@on ran, $s, $body, Portable::<8>::new());
            check_widths(&ran);
        }
        ran
    }};
}
pub use for_each_width;

/// The lane's name.
pub fn name_of<S: Simd>(_: S) -> &'static str {
    S::NAME
}

/// Of cases that try an algorithm rather than its lanes, the build's own lanes take all, others the `first`.
#[allow(dead_code, reason = "the unit tests, which share this file, try lanes")]
pub fn taken<S: Simd>(first: usize) -> usize {
    if S::NAME == name_of(fulmen::lanes::native()) { usize::MAX } else { first }
}

const LEFT_OUT: &str = "left out by `--cfg fulmen_one_lane`";

/// Every lane there is, and why it may be absent.
const ALL: [(&str, &str); 10] = [
    ("portable1", LEFT_OUT),
    ("portable2", LEFT_OUT),
    ("portable4", LEFT_OUT),
    ("portable8", LEFT_OUT),
    ("portable16", LEFT_OUT),
    ("sse2x4", "not x86-64"),
    ("avx2x8", "not x86-64 with AVX2 and FMA, or neither feature `std` nor target features to know it"),
    ("avx512x16", "not x86-64 with AVX-512 F, BW, DQ, VL, or without the features `avx512` and `std`"),
    ("neonx4", "not AArch64 with the feature `neon`"),
    ("simd128x4", "not wasm32 with the feature and the target feature `simd128`"),
];

/// What did not run, and why.
pub fn skipped(ran: &[&str]) -> impl Iterator<Item = std::string::String> {
    ALL.into_iter()
        .filter(|(name, _)| !ran.contains(name) && !WIDTHS.contains(name))
        .map(|(name, why)| std::format!("skipped {name}: {why}"))
}

/// Says what was skipped and why, once in each program; fails if `FULMEN_REQUIRE_LANES` names it.
pub fn check_required(ran: &[&str]) {
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| skipped(ran).for_each(|line| std::println!("{line}")));
    required(ran, |name| !WIDTHS.contains(&name));
}

#[allow(dead_code, reason = "as above")]
/// Fails if `FULMEN_REQUIRE_LANES` names one of the widths between that is not in `ran`.
pub fn check_widths(ran: &[&str]) {
    required(ran, |name| WIDTHS.contains(&name));
}

/// What [`for_each_width`] adds.
const WIDTHS: [&str; 3] = ["portable2", "portable4", "portable8"];

fn required(ran: &[&str], counts: impl Fn(&str) -> bool) {
    let required = std::env::var("FULMEN_REQUIRE_LANES").ok();
    let required = required.as_deref().or(option_env!("FULMEN_REQUIRE_LANES")).unwrap_or("");
    for name in required.split(',').map(str::trim).filter(|n| !n.is_empty() && counts(n)) {
        assert!(ALL.iter().any(|(n, _)| *n == name), "FULMEN_REQUIRE_LANES: there is no lane {name:?}");
        assert!(ran.contains(&name), "FULMEN_REQUIRE_LANES: {name} did not run here, only {ran:?}");
    }
}
