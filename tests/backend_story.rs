//! The backend story on WASM, where the rest of `tests/contracts.rs`, which reads files, does not run.
#![cfg(target_arch = "wasm32")]

// First: its macros are used below.
#[macro_use]
#[path = "common/nn.rs"]
mod nn;

#[path = "contracts/backend_story.rs"]
mod backend_story;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "common/call.rs"]
mod call;
#[path = "common/lanes.rs"]
mod lanes;
mod reference;
#[path = "reference/story.rs"]
mod story;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "reference/unary.rs"]
mod unary;
