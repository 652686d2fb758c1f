//! Solves a sparse, symmetric, positive definite system by preconditioned conjugate gradients: the temperatures of a plate
//! that is heated in its middle and cold at its edges, or a matrix from a Matrix Market file:
//!
//! ```sh
//! cargo run --release --example heat
//! cargo run --release --example heat -- --grid 500 --svg residuals.svg
//! cargo run --release --example heat -- matrix.mtx --preconditioner jacobi
//! ```
//!
//! `system.rs` makes the matrices, `market.rs` has them from files by the library, `cli.rs` is the command line.

#[path = "../common/chart.rs"]
mod chart;
mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that read files as a whole")]
mod files;
mod market;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/progress.rs"]
mod progress;
mod system;

use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr(), stderr().is_terminal());
    ExitCode::from(code)
}
