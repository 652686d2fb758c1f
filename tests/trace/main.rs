//! Tests of the hook in every op, and of the profiler.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic, and so may its helpers"
)]

mod hook;
mod profiler;
