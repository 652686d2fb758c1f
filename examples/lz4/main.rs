//! Compresses and decompresses `.lz4` files, which the `lz4` program and others read and write.
//!
//! ```sh
//! cargo run --release --example lz4 -- FILE              # FILE.lz4
//! cargo run --release --example lz4 -- -d FILE.lz4       # FILE
//! tar c folder | cargo run --release --example lz4 -- - > folder.tar.lz4
//! ```
//!
//! `frame.rs` is the format, over the library's blocks; `cli.rs` is the command line.

mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that read files as a whole")]
mod files;
mod frame;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "lz4 has no kernels of numbers")]
mod program;

use std::io::{BufWriter, stderr, stdin, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut from, mut to) = (stdin().lock(), BufWriter::new(stdout().lock()));
    ExitCode::from(cli::run(std::env::args_os().skip(1), &mut from, &mut to, &mut stderr()))
}
