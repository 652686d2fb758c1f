//! The command line: arguments, the solution, progress.

use crate::chart::{Chart, Line, machine_and_date};
use crate::files::{Bytes, Place, free, shown};
use crate::market;
use crate::program::{self, Stop};
use crate::progress::Progress;
use crate::system::{Matrix, heater, laplacian, room};
use clap::Parser;
use fulmen::lanes::Simd;
use fulmen::{Cg, Csr, Error, cg_workspace, ilu0, norm_l2_on, spmv_on};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Points of the longest side: their squares are columns of 32 bits.
const LONGEST: i64 = 10_000;
/// Bytes that a point of the plate takes: of the matrix, the factors of its preconditioner, and the vectors of the iteration.
const BYTES: usize = 164;

fn unsolved(e: Error) -> Stop {
    Stop::Without(match e {
        Error::Pivot { arg: "a", index, .. } => {
            format!("the matrix is not positive definite, as step {index} shows")
        }
        Error::Convergence { residual: Some(left), .. } => {
            format!("the residual is {left}, and rounding errors keep it there")
        }
        e => e.to_string(),
    })
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        unsolved(e)
    }
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
    terminal: bool,
) -> u8 {
    let done = program::parse::<Request>("heat", args)
        .and_then(|r| fulmen::dispatch!(|s| r.answer(s, out, err, terminal)));
    program::end("heat", done, out, err)
}

/// What makes a system easier.
#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
enum Preconditioner {
    Ilu0,
    Jacobi,
    #[value(name = "none")]
    Nothing,
}

impl Preconditioner {
    const fn name(self) -> &'static str {
        match self {
            Self::Ilu0 => "ILU(0)",
            Self::Jacobi => "Jacobi",
            Self::Nothing => "none",
        }
    }
}

/// A preconditioner that was made.
enum About {
    /// In the places of the matrix.
    Factors(Vec<f64>),
    Diagonal(Matrix),
    Nothing,
}

impl About {
    fn csr<'a>(&'a self, m: &'a Matrix) -> Result<Option<Csr<'a, f64>>, Error> {
        match self {
            Self::Factors(values) => m.with(values).map(Some),
            Self::Diagonal(d) => d.csr().map(Some),
            Self::Nothing => Ok(None),
        }
    }
}

/// More than 0 and less than 1.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x < 1.0 => Ok(x),
        _ => Err("it must be between 0 and 1".into()),
    }
}

#[derive(Debug, Parser)]
#[command(
    name = "heat",
    args_override_self = true,
    about = "Solves a symmetric, positive definite system by conjugate gradients: the temperatures of a plate that is heated in \
        its middle, or a matrix from a file, with ones as the solution.",
    after_help = "exit status: 0 solved, 1 not solved, 2 the arguments or a file are of no use"
)]
struct Request {
    /// A matrix in a Matrix Market file, for the plate's
    #[arg(conflicts_with = "side")]
    file: Option<PathBuf>,
    /// Points of a side of the plate
    #[arg(long = "grid", value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=LONGEST))]
    side: u32,
    /// What makes the system easier; where it is not positive definite the next one takes its place, which a line says
    #[arg(long, value_name = "P", default_value = "ilu0")]
    preconditioner: Preconditioner,
    /// The residual to reach, as a share of the right-hand side
    #[arg(long, value_name = "X", default_value = "1e-10", value_parser = share)]
    tolerance: f64,
    /// At most so many steps
    #[arg(long = "steps", value_name = "N", default_value = "10000")]
    most: usize,
    /// The residuals as a picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Request {
    /// Refuses a plate that memory does not hold, before the system kills whoever takes it.
    fn fits(&self) -> Result<(), Stop> {
        let needed = BYTES * self.side as usize * self.side as usize;
        match free() {
            Some(free) if self.file.is_none() && needed as u64 > free => Err(Stop::Useless(format!(
                "there is not enough memory: --grid {} needs {}, and {} are free",
                self.side,
                Bytes(needed as u128),
                Bytes(free.into())
            ))),
            _ => Ok(()),
        }
    }

    /// Solves and prints.
    fn answer<S: Simd>(
        &self,
        s: S,
        out: &mut dyn Write,
        err: &mut dyn Write,
        terminal: bool,
    ) -> Result<(), Stop> {
        self.fits()?;
        let side = self.side as usize;
        let inputs: Vec<&Path> = self.file.iter().map(PathBuf::as_path).collect();
        let place = self.svg.as_deref().map(|path| Place::claim(path, &inputs)).transpose()?;
        let m = match &self.file {
            Some(path) => market::open(path).map_err(|e| Stop::Useless(format!("{}: {e}", shown(path))))?,
            None => laplacian(side)?,
        };
        let n = m.rows();
        let a = m.csr()?;
        let b = match self.file {
            None => heater(side)?,
            Some(_) => {
                let mut b = room(n, 0.0)?;
                spmv_on(s, 1.0, a, &room(n, 1.0)?, 0.0, &mut b)?;
                b
            }
        };
        let started = Instant::now();
        let about = self.about(&m, err)?;
        let made = started.elapsed();
        let mut x = room(n, 0.0)?;
        let mut workspace = room(cg_workspace(n), 0.0)?;
        let mut progress = Progress::percent(terminal);
        let mut residuals = Vec::new();
        let solved = self.iterate(
            s,
            &mut Cg::new_on(s, a, about.csr(&m)?, &b, &mut x, &mut workspace)?,
            &mut residuals,
            &mut progress,
            err,
        );
        progress.clear();
        let took = started.elapsed() - made;
        // What the iteration followed, computed anew.
        let mut left = room(n, 0.0)?;
        left.copy_from_slice(&b);
        spmv_on(s, -1.0, a, &x, 1.0, &mut left)?;
        let norm = norm_l2_on(s, &b);
        let left = if norm > 0.0 { norm_l2_on(s, &left) / norm } else { 0.0 };
        let steps = residuals.len() - 1;
        writeln!(
            out,
            "{n} unknowns, {} elements: {steps} steps, residual {left:.2e}, {:.3} s and {:.3} s for the preconditioner",
            m.values.len(),
            took.as_secs_f64(),
            made.as_secs_f64()
        )?;
        match self.file {
            None => {
                let at = (0..n).fold(0, |at, i| if x[i] > x[at] { i } else { at });
                let h = 1.0 / (side + 1) as f64;
                let [down, right] = [at / side, at % side].map(|i| h * (i + 1) as f64);
                writeln!(out, "the warmest point has {:.8}, at ({right:.3}, {down:.3})", x[at])?;
            }
            Some(_) => {
                let far = x.iter().fold(0.0f64, |far, x| far.max((x - 1.0).abs()));
                writeln!(out, "the solution differs from ones by {far:.2e} at most")?;
            }
        }
        if let Some(place) = place {
            let title =
                format!("Conjugate gradients: {n} unknowns, preconditioner {}", self.preconditioner.name());
            let points = residuals.iter().enumerate().map(|(i, r)| (i as f64, *r)).collect();
            let line = Line { name: "residual".into(), points, dashed: false };
            let y = "residual, share of the right-hand side";
            let chart = Chart { title: &title, x: "step", y, powers: true };
            let about = format!("lanes {}; {}", S::NAME, machine_and_date());
            let picture = chart.svg(&[line], &about).map_err(Stop::Useless)?;
            place.write(|to| to.write_all(picture.as_bytes()))?;
        }
        // When standard error is closed, the answer is out all the same.
        _ = writeln!(err, "{}", program::lanes(S::NAME));
        solved
    }

    /// What each step solves with: what was asked for, or the next that is positive definite, with a line that says so.
    fn about(&self, m: &Matrix, err: &mut dyn Write) -> Result<About, Stop> {
        let mut instead = |which: &str, at: usize, next: &str| {
            _ = writeln!(
                err,
                "heat: {which} is not positive definite in row {}: {next} takes its place",
                at + 1
            );
        };
        let mut wanted = self.preconditioner;
        if wanted == Preconditioner::Ilu0 {
            let mut values = room(m.values.len(), 0.0)?;
            let bad = match ilu0(m.csr()?, &mut values) {
                Ok(()) => (0..m.rows()).find(|&i| m.place(i, i).is_none_or(|at| values[at] <= 0.0)),
                Err(Error::Pivot { index, .. }) => Some(index),
                Err(e) => return Err(e.into()),
            };
            let Some(at) = bad else { return Ok(About::Factors(values)) };
            instead("ILU(0)", at, "Jacobi");
            wanted = Preconditioner::Jacobi;
        }
        if wanted == Preconditioner::Jacobi {
            let diagonal = m.diagonal()?;
            let Some(at) = diagonal.values.iter().position(|d| *d <= 0.0) else {
                return Ok(About::Diagonal(diagonal));
            };
            instead("the diagonal", at, "none");
        }
        Ok(About::Nothing)
    }

    /// Steps until the tolerance is reached; the residual before each, and the last.
    fn iterate<S: Simd>(
        &self,
        s: S,
        state: &mut Cg<'_, f64>,
        residuals: &mut Vec<f64>,
        progress: &mut Progress,
        err: &mut dyn Write,
    ) -> Result<(), Stop> {
        residuals.push(state.residual());
        let mut most_left = state.residual();
        while !state.solved_on(s, self.tolerance)? {
            if state.steps() == self.most {
                let (left, most) = (state.residual(), self.most);
                return Err(Stop::Without(format!("the residual is {left:.2e} after {most} steps")));
            }
            state.step_on(s)?;
            residuals.push(state.residual());
            // The residual may rise before it falls.
            most_left = most_left.max(state.residual());
            let share = (most_left / state.residual()).ln() / (most_left / self.tolerance).ln();
            let message = format!("{} steps, residual {:.1e}", state.steps(), state.residual());
            progress.show((100.0 * share.clamp(0.0, 1.0)) as usize, &message, false, err);
        }
        // As it is now, not as the last step made it.
        if let Some(last) = residuals.last_mut() {
            *last = state.residual();
        }
        Ok(())
    }
}
