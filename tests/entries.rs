//! The entries of every op, made from the list of ops: sizes and strides that no caller should pass, results that are
//! empty, and slices that end where memory ends. Sizes overflow in other places where `usize` has 32 bits, so this runs
//! there too. With `--cfg fulmen_compact` it is what touches memory in the loops, which alone are others then.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

#[cfg(all(target_os = "linux", target_pointer_width = "64", not(fulmen_compact)))]
#[path = "entries/calls.rs"]
mod calls;
#[path = "entries/empty.rs"]
mod empty;
#[cfg(not(fulmen_compact))]
#[path = "entries/errors.rs"]
mod errors;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[path = "entries/guard.rs"]
mod guard;
#[cfg(not(fulmen_compact))]
#[path = "entries/hostile.rs"]
mod hostile;
#[cfg(not(fulmen_compact))]
#[path = "entries/products.rs"]
mod products;
// Some profiles run this program alone.
mod profiles;
mod selection;
