//! `fulmen`: the command line around the contracts, the hardware facts and the text of GPU kernels. `fulmen --help`
//! lists what it does.
// Printing macros panic when the reader is gone or the disk is full: everything goes through `out` and `err`.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod corpus;
mod expand;
mod fuse;
mod generate;
mod lint;
mod lock;
mod loosened;
mod ops;
#[cfg(feature = "cuda")]
mod ptx;
mod report;
mod results;
mod scaffold;
mod schema;
mod status;
mod tile;

use clap::{Args, Parser, Subcommand, ValueEnum};
use corpus::Corpus;
use report::Severity;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "fulmen", version, about = "Tools around the fulmen kernels")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check, generate and list contracts
    #[command(subcommand)]
    Contract(Contract),
    /// List the ops: what each takes and gives, and what runs it
    Ops(ops::Ops),
    /// Explain the tile of a kernel on a target from the hardware facts
    Tile(tile::TileArgs),
    /// Explain which ops of a graph become one kernel on a target
    Fuse(fuse::Fuse),
    /// Print the PTX of an op's kernels
    #[cfg(feature = "cuda")]
    Ptx(ptx::Ptx),
    /// Print the PTX of an op's kernels (needs a build with the feature cuda)
    #[cfg(not(feature = "cuda"))]
    Ptx {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
        rest: Vec<String>,
    },
}

#[derive(Args)]
struct Dir {
    /// The folder with the contracts; its parent is the source tree
    #[arg(long, default_value = "contracts")]
    dir: PathBuf,
}

#[derive(Subcommand)]
enum Contract {
    /// Run the seven gates: validate, audit, score, verify, enforce, level, reverse coverage
    Lint {
        #[command(flatten)]
        dir: Dir,
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// What the test runner printed (`cargo test … 2>&1 | tee FILE`): proves that each named test ran
        #[arg(long)]
        results: Option<PathBuf>,
        /// What the tests of that run counted, in the file that `FULMEN_COMPARED` named: proves that each compared something
        #[arg(long, requires = "results")]
        compared: Option<PathBuf>,
        /// The lowest score allowed, of 100
        #[arg(long, default_value_t = 90)]
        min_score: u32,
    },
    /// Write src/contract/generated.rs and contracts/ops.json
    Generate {
        #[command(flatten)]
        dir: Dir,
        /// Compare instead of writing
        #[arg(long)]
        check: bool,
    },
    /// Print the whole contract of an op, with what its file leaves to its shape; of every op without a name
    Expand {
        #[command(flatten)]
        dir: Dir,
        /// The name of the op
        op: Option<String>,
    },
    /// Write contracts/locked.toml and tightest.toml: accept the guarantees as they are now
    Lock {
        #[command(flatten)]
        dir: Dir,
    },
    /// Print what is guaranteed less than in an earlier contracts/tightest.toml; fails where that has no reason
    Loosened {
        #[command(flatten)]
        dir: Dir,
        /// The earlier file
        #[arg(long)]
        since: PathBuf,
    },
    /// Table: op, level proven, backends, tests executed
    Status {
        #[command(flatten)]
        dir: Dir,
        /// What the test runner printed
        #[arg(long)]
        results: Option<PathBuf>,
    },
    /// Scaffold an element-wise op: contract, op file, row, binding
    New {
        /// The name of the function, in snake case
        op: String,
        /// `unary` or `binary`
        #[arg(long, default_value = "unary")]
        shape: String,
        #[command(flatten)]
        dir: Dir,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Sarif,
}

/// The gates found something.
const FOUND: u8 = 1;
/// There was nothing to check, or it could not be read.
const UNUSABLE: u8 = 2;

fn main() -> ExitCode {
    let show = |text: Result<String, String>| text.and_then(|text| out(&text)).map(|()| true);
    let outcome = match Cli::parse().command {
        Command::Contract(command) => run(command),
        Command::Ops(args) => show(Ok(ops::list(&args))),
        Command::Tile(args) => show(tile::explain(&args)),
        Command::Fuse(args) => show(fuse::explain(&args)),
        #[cfg(feature = "cuda")]
        Command::Ptx(command) => show(command.text()),
        #[cfg(not(feature = "cuda"))]
        Command::Ptx { .. } => Err("this build has no PTX: build it with `--features cli,cuda`".into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(FOUND),
        Err(e) => {
            err(&format!("error: {e}"));
            ExitCode::from(UNUSABLE)
        }
    }
}

/// Prints a result. A reader that has seen enough and is gone is no error; a full disk is.
fn out(text: &str) -> Result<(), String> {
    let mut to = stdout().lock();
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

/// Prints a line about a result. Where even that fails, the exit status is all that can be said.
fn err(line: &str) {
    _ = writeln!(stderr(), "{line}");
}

fn read_results(path: Option<&PathBuf>) -> Result<Option<String>, String> {
    path.map(|p| std::fs::read_to_string(p).map_err(|e| format!("{}: {e}", p.display()))).transpose()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn run(command: Contract) -> Result<bool, String> {
    match command {
        Contract::Lint { dir, format, results, compared, min_score } => {
            let corpus = Corpus::load(&dir.dir)?;
            let (results, compared) = (read_results(results.as_ref())?, read_results(compared.as_ref())?);
            let outcome = lint::run(&corpus, results.as_deref(), compared.as_deref(), min_score);
            let count = |s| outcome.findings.iter().filter(|f| f.severity() == s).count();
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            out(&match format {
                Format::Sarif => report::sarif(&outcome.findings),
                Format::Text => {
                    let lowest = outcome.scores.values().min().copied().unwrap_or(0);
                    format!(
                        "{}{} contracts, lowest score {lowest}; {} named tests, {}; {errors} errors, {warnings} warnings\n",
                        report::text(&outcome.findings),
                        corpus.files.len(),
                        outcome.named,
                        match outcome.executed {
                            Some(n) => format!("{n} executed and passed in this run"),
                            None =>
                                "looked up in the source only (weaker: pass --results to prove that they ran)"
                                    .into(),
                        }
                    )
                }
            })?;
            Ok(errors + warnings == 0)
        }
        Contract::Generate { dir, check } => {
            let corpus = Corpus::load(&dir.dir)?;
            let mut all_same = true;
            for (path, text) in [
                (corpus.root.join("src/contract/generated.rs"), generate::render(&corpus)?),
                (corpus.dir.join("ops.json"), ops::as_json()),
            ] {
                if !check {
                    write(&path, &text)?;
                } else if corpus::read(&path) != text {
                    all_same = false;
                    err(&format!(
                        "{}: differs from the contracts and the list of ops; run `fulmen contract generate`",
                        path.display()
                    ));
                }
            }
            Ok(all_same)
        }
        Contract::Expand { dir, op } => {
            let shapes = expand::Shapes::load(&dir.dir)?;
            let corpus = Corpus::load(&dir.dir)?;
            let mut found = false;
            for file in &corpus.files {
                let is = |op: &String| file.path.ends_with(format!("{op}-v1.yaml"));
                if op.as_ref().is_none_or(is) {
                    found = true;
                    let text = corpus::read(&file.path);
                    let whole = shapes.expand(&text).map_err(|e| format!("{}: {e}", file.path.display()))?;
                    out(&format!("---\n{whole}"))?;
                }
            }
            found
                .then_some(true)
                .ok_or_else(|| format!("there is no contract of `{}`", op.unwrap_or_default()))
        }
        Contract::Lock { dir } => {
            let corpus = Corpus::load(&dir.dir)?;
            if let Some(bad) = corpus.files.iter().find(|f| f.contract.is_err()) {
                return Err(format!("{}: does not parse", bad.path.display()));
            }
            accept(&corpus)?;
            Ok(true)
        }
        Contract::Loosened { dir, since } => {
            let corpus = Corpus::load(&dir.dir)?;
            let text = std::fs::read_to_string(&since).map_err(|e| format!("{}: {e}", since.display()))?;
            let reasons = loosened::reasons(&corpus)?;
            let record = loosened::parse(&text);
            if record.is_empty() {
                return Err(format!("{}: no guarantee is recorded there", since.display()));
            }
            let (mut all_have_reasons, mut count) = (true, 0);
            for l in loosened::loosened(&record, &loosened::now(&corpus)) {
                let reason = l.reason(&reasons);
                all_have_reasons &= reason.is_some();
                count += 1;
                out(&format!(
                    "{l}: {}\n",
                    reason.unwrap_or("contracts/loosened.yaml has no line with a reason")
                ))?;
            }
            out(&format!("{count} guarantees were loosened\n"))?;
            Ok(all_have_reasons)
        }
        Contract::Status { dir, results } => {
            let corpus = Corpus::load(&dir.dir)?;
            let results = read_results(results.as_ref())?;
            out(&status::table(&corpus, results.as_deref())?)?;
            Ok(true)
        }
        Contract::New { op, shape, dir } => {
            scaffold::new(&dir.dir, &op, &shape)?;
            let corpus = Corpus::load(&dir.dir)?;
            write(&corpus.root.join("src/contract/generated.rs"), &generate::render(&corpus)?)?;
            accept(&corpus)?;
            Ok(true)
        }
    }
}

/// Writes what the contracts guarantee now, and the tightest guarantees so far.
fn accept(corpus: &Corpus) -> Result<(), String> {
    write(&corpus.dir.join("locked.toml"), &lock::render(corpus))?;
    let path = corpus.dir.join("tightest.toml");
    let (record, now) = (loosened::parse(&corpus::read(&path)), loosened::now(corpus));
    let reasons = loosened::reasons(corpus)?;
    for l in loosened::loosened(&record, &now) {
        err(&format!(
            "{l}: {}",
            l.reason(&reasons).unwrap_or("contracts/loosened.yaml needs a line with a reason")
        ));
    }
    write(&path, &loosened::render(&loosened::kept(&record, now, &reasons)))
}
