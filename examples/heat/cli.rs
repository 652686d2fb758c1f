//! The command line: arguments, the solution, progress.

use crate::chart;
use crate::files::{Failed, Place};
use crate::market;
use crate::system::{Matrix, heater, laplacian, room};
use core::fmt;
use fulmen::{Cg, Csr, Error, cg_workspace, ilu0, spmv};
use lexopt::Arg;
use std::collections::TryReserveError;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: heat [--grid N]   the temperatures of a plate of N x N points (200) that is heated in its middle
       heat FILE         the system of a Matrix Market file, whose solution is all ones

Solves by conjugate gradients until the residual is small. The matrix has to be symmetric and positive definite.

  --preconditioner P   ilu0, jacobi or none (ilu0); where it is not positive definite the next one takes its place,
                       which a line on standard error says
  --tolerance X        the residual to reach, as a share of the right-hand side (1e-10)
  --steps N            at most so many steps (10000)
  --svg FILE           the residuals as a picture

exit status: 0 solved, 1 not solved, 2 the arguments or a file are of no use";

/// Points of the longest side: their squares are columns of 32 bits.
const LONGEST: usize = 10_000;

/// Why the program ends early.
#[derive(Debug)]
enum Stop {
    /// The reader of standard output is gone: nothing left to do.
    Closed,
    /// Help was asked for.
    Help,
    /// The arguments are wrong.
    Usage(String),
    /// Something is of no use, or cannot be written.
    Useless(String),
    /// The system is not solved.
    Unsolved(String),
}

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        if e.kind() == ErrorKind::BrokenPipe {
            Self::Closed
        } else {
            Self::Useless(format!("standard output: {e}"))
        }
    }
}

impl From<lexopt::Error> for Stop {
    fn from(e: lexopt::Error) -> Self {
        Self::Usage(shown(&e.to_string()))
    }
}

impl From<Failed> for Stop {
    fn from(e: Failed) -> Self {
        Self::Useless(e.to_string())
    }
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Self::Unsolved(match e {
            Error::Pivot { arg: "a", index } => {
                format!("the matrix is not positive definite, as step {index} shows")
            }
            Error::Convergence { residual: Some(left), .. } => {
                format!("the residual is {left}, and rounding errors keep it there")
            }
            e => e.to_string(),
        })
    }
}

impl From<TryReserveError> for Stop {
    fn from(_: TryReserveError) -> Self {
        Self::Useless("there is not enough memory for a system of this size".into())
    }
}

/// A text as part of a message: what would break the line or steer a terminal is escaped.
fn shown(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// A path as part of a message.
fn named(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
    terminal: bool,
) -> u8 {
    let done = Request::parse(args).and_then(|r| {
        r.answer(out, err, terminal)?;
        Ok(out.flush()?)
    });
    let mut fail = |code, text: fmt::Arguments<'_>| {
        // When standard error is closed too, the exit status is all that can be said.
        _ = writeln!(err, "heat: {text}");
        code
    };
    match done {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Help) => match writeln!(out, "{USAGE}").and_then(|()| out.flush()).map_err(Stop::from) {
            Ok(()) | Err(Stop::Closed) => 0,
            Err(_) => 2,
        },
        Err(Stop::Usage(why)) => fail(2, format_args!("{why}\n\n{USAGE}")),
        Err(Stop::Useless(why)) => fail(2, format_args!("{why}")),
        Err(Stop::Unsolved(why)) => fail(1, format_args!("{why}")),
    }
}

/// The value of an option.
fn text(args: &mut lexopt::Parser) -> Result<String, Stop> {
    Ok(args.value()?.to_string_lossy().into_owned())
}

/// What makes a system easier.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Preconditioner {
    Ilu0,
    Jacobi,
    Nothing,
}

/// A preconditioner that was made.
enum About {
    /// In the places of the matrix.
    Factors(Vec<f64>),
    Diagonal(Matrix),
}

impl About {
    fn csr<'a>(&'a self, m: &'a Matrix) -> Result<Csr<'a, f64>, Error> {
        match self {
            Self::Factors(values) => m.with(values),
            Self::Diagonal(d) => d.csr(),
        }
    }
}

/// What the arguments ask for.
struct Request {
    file: Option<PathBuf>,
    side: usize,
    preconditioner: Preconditioner,
    tolerance: f64,
    most: usize,
    svg: Option<PathBuf>,
}

impl Request {
    fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let mut args = lexopt::Parser::from_args(args.collect::<Vec<_>>());
        let mut r = Self {
            file: None,
            side: 200,
            preconditioner: Preconditioner::Ilu0,
            tolerance: 1e-10,
            most: 10_000,
            svg: None,
        };
        let mut grid = false;
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Err(Stop::Help),
                Arg::Long("grid") => {
                    let value = text(&mut args)?;
                    grid = true;
                    r.side = match value.parse() {
                        Ok(n @ 1..=LONGEST) => n,
                        _ => {
                            return usage(format!(
                                "--grid is from 1 to {LONGEST}, not \"{}\"",
                                shown(&value)
                            ));
                        }
                    };
                }
                Arg::Long("steps") => {
                    let value = text(&mut args)?;
                    r.most = match value.parse() {
                        Ok(n) => n,
                        _ => return usage(format!("--steps is a whole number, not \"{}\"", shown(&value))),
                    };
                }
                Arg::Long("tolerance") => {
                    let value = text(&mut args)?;
                    r.tolerance = match value.parse() {
                        Ok(x) if x > 0.0 && x < 1.0 => x,
                        _ => {
                            return usage(format!(
                                "--tolerance is between 0 and 1, not \"{}\"",
                                shown(&value)
                            ));
                        }
                    };
                }
                Arg::Long("preconditioner") => {
                    r.preconditioner = match text(&mut args)?.as_str() {
                        "ilu0" => Preconditioner::Ilu0,
                        "jacobi" => Preconditioner::Jacobi,
                        "none" => Preconditioner::Nothing,
                        other => {
                            return usage(format!(
                                "--preconditioner is ilu0, jacobi or none, not \"{}\"",
                                shown(other)
                            ));
                        }
                    };
                }
                Arg::Long("svg") => r.svg = Some(args.value()?.into()),
                Arg::Value(file) if r.file.is_none() => r.file = Some(file.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        if grid && r.file.is_some() {
            return usage("--grid and FILE are one too many".into());
        }
        Ok(r)
    }

    /// Solves and prints.
    fn answer(&self, out: &mut dyn Write, err: &mut dyn Write, terminal: bool) -> Result<(), Stop> {
        let inputs: Vec<&Path> = self.file.iter().map(PathBuf::as_path).collect();
        let place = self.svg.as_deref().map(|path| Place::claim(path, &inputs)).transpose()?;
        let m = match &self.file {
            Some(path) => market::open(path).map_err(|e| Stop::Useless(format!("{}: {e}", named(path))))?,
            None => laplacian(self.side)?,
        };
        let n = m.rows();
        let a = m.csr()?;
        let b = match self.file {
            None => heater(self.side)?,
            Some(_) => {
                let mut b = room(n, 0.0)?;
                spmv(1.0, a, &room(n, 1.0)?, 0.0, &mut b)?;
                b
            }
        };
        let started = Instant::now();
        let about = self.about(&m, err)?;
        let made = started.elapsed();
        let mut x = room(n, 0.0)?;
        let mut workspace = room(cg_workspace(n), 0.0)?;
        let mut bar = Bar { err, terminal, drawn: None, started };
        let mut residuals = Vec::new();
        let solved = self.iterate(
            &mut Cg::new(a, about.csr(&m)?, &b, &mut x, &mut workspace)?,
            &mut residuals,
            &mut bar,
        );
        bar.clear();
        let took = started.elapsed() - made;
        // What the iteration followed, computed anew.
        let mut left = room(n, 0.0)?;
        left.copy_from_slice(&b);
        spmv(-1.0, a, &x, 1.0, &mut left)?;
        let norm = fulmen::norm_l2(&b);
        let left = if norm > 0.0 { fulmen::norm_l2(&left) / norm } else { 0.0 };
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
                let h = 1.0 / (self.side + 1) as f64;
                let [down, right] = [at / self.side, at % self.side].map(|i| h * (i + 1) as f64);
                writeln!(out, "the warmest point has {:.8}, at ({right:.3}, {down:.3})", x[at])?;
            }
            Some(_) => {
                let far = x.iter().fold(0.0f64, |far, x| far.max((x - 1.0).abs()));
                writeln!(out, "the solution differs from ones by {far:.2e} at most")?;
            }
        }
        if let Some(place) = place {
            let title = format!("residual by step; {n} unknowns");
            place.write(|to| to.write_all(chart::svg(&residuals, &title).as_bytes()))?;
        }
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
            let diagonal = m.diagonal(false)?;
            let Some(at) = diagonal.values.iter().position(|d| *d <= 0.0) else {
                return Ok(About::Diagonal(diagonal));
            };
            instead("the diagonal", at, "none");
        }
        Ok(About::Diagonal(m.diagonal(true)?))
    }

    /// Steps until the tolerance is reached; the residual before each, and the last.
    fn iterate(
        &self,
        state: &mut Cg<'_, f64>,
        residuals: &mut Vec<f64>,
        bar: &mut Bar<'_>,
    ) -> Result<(), Stop> {
        residuals.push(state.residual());
        let mut most_left = state.residual();
        while !state.solved(self.tolerance)? {
            if state.steps() == self.most {
                let (left, most) = (state.residual(), self.most);
                return Err(Stop::Unsolved(format!("the residual is {left:.2e} after {most} steps")));
            }
            state.step()?;
            residuals.push(state.residual());
            // The residual may rise before it falls.
            most_left = most_left.max(state.residual());
            bar.show((most_left / state.residual()).ln() / (most_left / self.tolerance).ln(), state.steps());
        }
        // As it is now, not as the last step made it.
        if let Some(last) = residuals.last_mut() {
            *last = state.residual();
        }
        Ok(())
    }
}

/// How far the solution is, on a terminal.
struct Bar<'a> {
    err: &'a mut dyn Write,
    terminal: bool,
    drawn: Option<Instant>,
    started: Instant,
}

impl Bar<'_> {
    /// Draws it over the last one, now and then. Short solutions end before it could be read.
    fn show(&mut self, share: f64, steps: usize) {
        let due = match self.drawn {
            Some(drawn) => drawn.elapsed() >= Duration::from_millis(100),
            None => self.started.elapsed() >= Duration::from_millis(300),
        };
        if !self.terminal || !due {
            return;
        }
        self.drawn = Some(Instant::now());
        let share = share.clamp(0.0, 1.0);
        let whole = "#".repeat((40.0 * share) as usize);
        _ = write!(self.err, "\r[{whole:40}] {:5.1} %, {steps} steps", 100.0 * share)
            .and_then(|()| self.err.flush());
    }
    /// Takes it away.
    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            _ = write!(self.err, "\r{:72}\r", "").and_then(|()| self.err.flush());
        }
    }
}
