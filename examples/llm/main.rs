//! Trains a small language model on a text and writes more of it:
//!
//! ```sh
//! cargo run --release
//! cargo run --release -- train FILE --out model.gguf
//! cargo run --release -- generate model.gguf --prompt "The "
//! cargo run --release -- bench model.gguf
//! cargo run --release -- quantize model.gguf --to q4_0 --out small.gguf
//! cargo run --release -- perplexity small.gguf --text FILE
//! cargo run --release -- inspect small.gguf
//! cargo run --release -- chat MODEL
//! ```
//!
//! `model.rs` is the model, written once for every backend; `train.rs` and `machine.rs` run it on the CPU; `gguf.rs` is its
//! file, `keys.rs` what the keys of one mean, `parts.rs` reads those that were split, `blocks.rs` formats that the library does not
//! multiply with, `weights.rs` is what else is done with files, `vocabulary.rs` the tokens that it learns and `tokens.rs` those of other files,
//! which `examples/tokens` reads. `chat.rs` holds conversations; `ranks.rs` trains on several devices. `cli.rs` and `arguments.rs` are the command line.

mod bench;
#[path = "../common/chart.rs"]
mod chart;
mod chat;
mod cli;
mod config;
#[path = "../common/files.rs"]
mod files;
mod gguf;
mod machine;
mod memory;
mod model;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/progress.rs"]
mod progress;
#[cfg(feature = "collective")]
mod ranks;
mod tokens;
mod train;
mod vocabulary;
mod weights;

use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = cli::run(
        std::env::args_os().skip(1),
        &mut stdout(),
        &mut stderr(),
        stderr().is_terminal(),
        program::interrupt,
    );
    ExitCode::from(code)
}
