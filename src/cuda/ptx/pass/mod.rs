//! Passes: each changes the code and keeps its meaning.

pub mod barrier;
