//! Changes pictures: a PNG or JPEG file in, a chain of steps, a file out.
//!
//! ```sh
//! cargo run --release --example image
//! cargo run --release --example image -- in.png canny --low 50 --high 150 out.png
//! cargo run --release --example image -- in.jpg resize 800x grey equalize out.png --sheet steps.png
//! ```
//!
//! `steps.rs` has the steps and their arguments, `apply.rs` runs one by the ops of the library, `machine.rs` is what they run on,
//! `formats.rs` reads and writes files, `sheet.rs` draws the contact sheet, `cli.rs` is the command line. Files are written as all
//! programs here write theirs.

mod apply;
mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for other programs")]
mod files;
mod formats;
mod machine;
mod made;
mod picture;
#[path = "../common/program.rs"]
mod program;
mod sheet;
mod steps;

use std::io::{stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr()))
}
