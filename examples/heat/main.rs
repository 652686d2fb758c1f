//! Solves a sparse, symmetric, positive definite system by preconditioned conjugate gradients: the temperatures of a plate
//! that is heated in its middle and cold at its edges, or a matrix from a Matrix Market file:
//!
//! ```sh
//! cargo run --release --example heat -- --grid 500 --svg residuals.svg
//! cargo run --release --example heat -- matrix.mtx --preconditioner jacobi
//! ```
//!
//! `system.rs` makes the matrices, `market.rs` has them from files by the library, `chart.rs` draws the residuals. `cli.rs` is the command line.

mod chart;
mod cli;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that read files as a whole")]
mod files;
mod market;
mod system;

use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

fn main() -> ExitCode {
    let code = cli::run(std::env::args_os().skip(1), &mut stdout(), &mut stderr(), stderr().is_terminal());
    ExitCode::from(code)
}
