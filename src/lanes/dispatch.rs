//! `dispatch!` selects an instruction set at run time, so that one binary serves many machines.

/// Evaluates an expression with the token of the widest instruction set that this CPU has and this build knows.
///
/// `dispatch!(|s| body)` asks the CPU (the answer is kept by `std`) and evaluates `body` once, with `s` the token of
/// AVX-512 (when the feature `avx512` permits it), AVX2, or [`native`](crate::lanes::native). `body` is compiled once for
/// each of them, so its type must not depend on `s`, and it may move what it uses. On every other architecture the sets
/// are known when the program is built, and `s` is the native token.
///
/// Put a whole job inside, not a single op: the choice costs a load and a branch, and code between two ops is then
/// compiled for the wider set, too. This chooses per call, unlike the functions without `_on`, which are chosen when
/// the crate is built.
///
/// See `examples/small/lanes.rs`.
///
/// ```
/// use fulmen::lanes::Simd;
/// let (x, mut y) = ([0.5f32, -0.5, 2.0], [0.0f32; 3]);
/// fulmen::dispatch!(|s| fulmen::relu_on(s, &x, &mut y))?;
/// assert_eq!(y, [0.5, 0.0, 2.0]);
///
/// fn name<S: Simd>(_: S) -> &'static str {
///     S::NAME
/// }
/// println!("lanes: {}", fulmen::dispatch!(|s| name(s)));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[macro_export]
macro_rules! dispatch {
    (|$s:ident| $body:expr) => {
        $crate::__widest!(|$s| $body)
    };
}

// A macro's text is compiled under the user's features, its definition under ours.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __widest {
    (|$s:ident| $body:expr) => {
        if let Some($s) = $crate::lanes::Avx512::detect() {
            $body
        } else if let Some($s) = $crate::lanes::Avx2::detect() {
            $body
        } else {
            let $s = $crate::lanes::native();
            $body
        }
    };
}
#[cfg(all(target_arch = "x86_64", not(feature = "avx512")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __widest {
    (|$s:ident| $body:expr) => {
        if let Some($s) = $crate::lanes::Avx2::detect() {
            $body
        } else {
            let $s = $crate::lanes::native();
            $body
        }
    };
}
#[cfg(not(target_arch = "x86_64"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __widest {
    (|$s:ident| $body:expr) => {{
        let $s = $crate::lanes::native();
        $body
    }};
}
