//! Counter-based random numbers and distributions: each number is a function of a key and its index in a stream.
//!
//! A [`Stream`] is a key, an id and an offset; each op fills a slice with the numbers from that offset on. The stream
//! has no state: the same call gives the same numbers, and [`Stream::skip`] moves the offset. Every op gives the same
//! bits on every instruction set, for any division into parts and any number of threads.
//!
//! ```
//! use fulmen::random::Stream;
//! let mut weights = [0.0f32; 100];
//! fulmen::normal(Stream::new(42), 0.0, 0.02, &mut weights)?;
//! # Ok::<(), fulmen::Error>(())
//! ```
//!
//! The generators can be used alone, for protocols of your own: [`Philox4x32::generate_at`] and seven more. They pass
//! the known-answer tests of Random123. None is cryptographically secure.
//!
//! With the feature `rand_core` a stream implements the traits of that crate (`Rng`, `SeedableRng`), to draw one number
//! at a time.
//!
//! Source: Salmon, Moraes, Dror, Shaw, *Parallel Random Numbers: As Easy as 1, 2, 3* (SC 2011).

mod generators;
mod integers;
pub(crate) mod ops;
#[cfg(feature = "rand_core")]
mod rng;
pub(crate) mod stream;
pub(crate) mod transforms;
mod truncated;
mod variates;

pub use generators::*;
pub use integers::{Flag, Integer};
pub use ops::*;
pub use stream::Stream;
pub use variates::Variate;
