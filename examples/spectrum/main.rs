//! Draws the spectrum of a sound over time: a WAV file in, a PNG picture out.
//!
//! ```sh
//! cargo run --release --example spectrum -- sound.wav spectrum.png --fft 2048 --window blackman-harris
//! ```
//!
//! `wav.rs` reads sounds, `picture.rs` measures and draws levels, `cli.rs` is the command line. Files are written as `llm`
//! writes its own.

mod cli;
#[path = "../llm/files.rs"]
#[allow(dead_code, reason = "the rest is used by llm")]
mod files;
#[path = "../llm/memory.rs"]
#[allow(dead_code, reason = "the rest is used by llm")]
mod memory;
mod picture;
mod wav;

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr()))
}
