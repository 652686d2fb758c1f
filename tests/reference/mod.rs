//! Naive references: definitions in a wider arithmetic than the library's.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod dd;
pub mod reduce;
pub mod rows;
