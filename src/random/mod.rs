//! Counter-based random numbers and distributions: each number is a function of a key and its index in a stream.
//!
//! A [`Stream`] is a key, a number and an offset; each op fills a slice with what the stream has there. Nothing is
//! updated: the same call gives the same numbers, and [`Stream::skip`] is the next part. Every op gives the same bits on
//! every instruction set, cut into parts at will, on any number of threads.
//!
//! ```
//! use fulmen::random::Stream;
//! let mut weights = [0.0f32; 100];
//! fulmen::normal(Stream::new(42), 0.0, 0.02, &mut weights)?;
//! # Ok::<(), fulmen::Error>(())
//! ```
//!
//! The generators stand alone too, for protocols of one's own: [`Philox4x32::generate_at`] and seven more. They pass the
//! known answers of Random123. None is for secrets.
//!
//! With the feature `rand_core` a stream is a generator of that crate (`Rng`, `SeedableRng`), for whoever draws number by number.
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
pub use integers::Integer;
pub use ops::*;
pub use stream::Stream;
pub use variates::Variate;
