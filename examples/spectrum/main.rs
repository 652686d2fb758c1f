//! Draws the spectrum of a sound over time: a WAV file in, a picture out, in SVG with axes, or in PNG.
//!
//! ```sh
//! cargo run --release --example spectrum
//! cargo run --release --example spectrum -- sound.wav spectrum.png --fft 2048 --window blackman-harris
//! ```
//!
//! `wav.rs` reads sounds, `picture.rs` measures and draws levels, `cli.rs` is the command line. Files are written as all
//! programs here write theirs.

#[path = "../common/chart.rs"]
#[allow(dead_code, reason = "a spectrum has no lines")]
mod chart;
mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for other programs")]
mod files;
mod picture;
#[path = "../common/program.rs"]
mod program;
mod wav;

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr()))
}
