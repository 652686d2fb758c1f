//! Finds the lines of a text file most similar to a query, in words that carry meaning:
//!
//! ```sh
//! cargo run --release --example search
//! cargo run --release --example search -- README.md "wasm edge function" --top 5
//! ```
//!
//! `text.rs` makes features of text and `core.rs` searches with this crate's kernels; both also
//! run in WebAssembly (`wasm/demo`). `cli.rs` is the command line.

mod cli;
#[path = "core.rs"]
mod engine;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that write files")]
mod files;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/progress.rs"]
mod progress;

use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let terminal = cli::Terminal { out: stdout().is_terminal(), err: stderr().is_terminal() };
    let code = cli::run(std::env::args_os().skip(1), &mut stdout().lock(), &mut stderr().lock(), terminal);
    ExitCode::from(code)
}
