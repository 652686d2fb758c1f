//! Weights in quantised blocks, in the layouts of GGUF files and of bitsandbytes, and their products with quantised
//! activations.
//!
//! A [`Block`] is bytes without alignment, so [`blocks`] views a part of a file as weights without a copy. Rows are whole
//! blocks, one after the other. Activations are quantised to the format's [`Block::Partner`] and multiplied in integers;
//! the sums of a group are exact and everything after them has one order, so each op gives the same bits on every
//! instruction set and on any number of threads.
//!
//! | format | elements | bytes | partner |
//! |---|---|---|---|
//! | [`Q4_0`], [`Q5_0`], [`Q8_0`] | 32 | 18, 22, 34 | [`Q8_0`] |
//! | [`Q4_1`], [`Q5_1`], [`Q8_1`] | 32 | 20, 24, 36 | [`Q8_1`] |
//! | [`IQ4_NL`], [`MXFP4`] | 32 | 18, 17 | [`Q8_0`] |
//! | [`NF4`], [`NF4_LOW`], [`Q8_64`] | 64 | 36, 36, 68 | [`Q8_64`] |
//! | [`Q2_K`], [`Q3_K`], [`Q4_K`], [`Q5_K`], [`Q6_K`], [`Q8_K`] | 256 | 84, 110, 144, 176, 210, 292 | [`Q8_K`] |

pub(crate) mod absmax;
mod block;
mod bytes;
mod codebook;
mod k;
pub(crate) mod layout;
mod legacy;
mod nf4;
pub(crate) mod ops;
pub(crate) mod panel;
mod q8;
mod search;
pub(crate) mod tile;

pub use absmax::*;
pub use block::{Activation, Block};
#[cfg(feature = "gpu")]
pub(crate) use bytes::Bits;
pub use bytes::{blocks, blocks_in, bytes_of};
pub use codebook::{IQ4_NL, MXFP4};
pub use k::{Q2_K, Q3_K, Q4_K, Q5_K, Q6_K};
pub use legacy::{Q4_0, Q4_1, Q5_0, Q5_1};
pub use nf4::{NF4, NF4_LOW, Q8_64};
pub use ops::*;
#[cfg(feature = "gpu")]
pub(crate) use q8::MOST_SCALE;
pub use q8::{Q8_0, Q8_1, Q8_K};

crate::plain::of_bytes! { Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q8_1 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K NF4 NF4_LOW Q8_64 }
