//! The PTX compiler: what it emits is assembled by the real `ptxas`, what it builds runs in the interpreter.
#![cfg(all(feature = "cuda", not(target_arch = "wasm32")))]

#[path = "../common/call.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod call;
#[path = "../reference/mod.rs"]
mod reference;
#[path = "../reference/story.rs"]
#[allow(dead_code, reason = "shared with the other tests")]
mod story;
#[allow(dead_code, reason = "shared with the other tests")]
#[path = "../reference/unary.rs"]
mod unary;

mod assemble;
mod bounded;
mod fuzz;
mod instructions;
mod numbers;
mod passes;
mod plans;
mod support;
mod templates;
