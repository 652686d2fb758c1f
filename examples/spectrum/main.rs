//! Draws the spectrum of a sound over time: a WAV file in, a PNG picture out.
//!
//! ```sh
//! cargo run --release --example spectrum -- sound.wav spectrum.png --fft 2048 --window blackman-harris
//! ```
//!
//! `wav.rs` reads sounds, `picture.rs` measures and draws levels, `cli.rs` is the command line. Files are written as all
//! programs here write theirs.

mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for other programs")]
mod files;
mod picture;
mod wav;

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr()))
}
