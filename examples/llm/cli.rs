//! The command line: what the arguments ask for.

#[path = "arguments.rs"]
mod arguments;
#[path = "commands.rs"]
pub mod commands;
#[cfg(feature = "collective")]
#[path = "of_ranks.rs"]
mod of_ranks;

use crate::bench;
use crate::chat;
use crate::config::Config;
use crate::files::{self, Place, Shown, shown};
use crate::gguf::parts::{self, Parts};
use crate::gguf::{self, Model};
use crate::machine::{
    AllReduce, BACKENDS, Follower, Job, Machine, Weights, follower_plan, on_best_lanes, on_device,
};
use crate::memory::{self, Bytes, Lack, Row};
pub use crate::program::Stop;
use crate::program::{self, end};
use crate::tokens::Tokenizer;
use crate::train::{Mark, Rank, Recipe, Trainer, first_parameters, trainer_plan, uniform};
use crate::vocabulary::{MOST, Vocabulary, Words, bigram_entropy};
use crate::weights;
use core::fmt;
use fulmen::backend::Blocking;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

impl From<Lack> for Stop {
    fn from(e: Lack) -> Self {
        Self::Useless(e.to_string())
    }
}

impl From<fulmen::Error> for Stop {
    fn from(e: fulmen::Error) -> Self {
        Self::Useless(e.to_string())
    }
}

pub fn useless(path: &Path, why: impl fmt::Display) -> Stop {
    Stop::Useless(format!("{}: {why}", shown(path)))
}

/// Where the words of the program go.
pub struct Streams<'a> {
    pub out: &'a mut (dyn Write + Send),
    pub err: &'a mut (dyn Write + Send),
    /// Standard error is a terminal: progress is a bar.
    pub terminal: bool,
    /// From when this is called, Ctrl-C sets the flag.
    pub interrupt: fn() -> Arc<AtomicBool>,
}

impl Streams<'_> {
    /// Says something beside the result; a closed standard error stops no work.
    pub fn note(&mut self, text: fmt::Arguments<'_>) {
        _ = self.err.write_fmt(text).and_then(|()| self.err.flush());
    }
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
    terminal: bool,
    interrupt: fn() -> Arc<AtomicBool>,
) -> u8 {
    let done = Request::parse(args).and_then(|r| {
        let mut io = Streams { out, err, terminal, interrupt };
        #[cfg(feature = "collective")]
        if r.ranks > 1 && !r.plan {
            return of_ranks::run(&r, &mut io);
        }
        let work = Work(&r, &mut io);
        if r.backend != "cpu" {
            let unknown = || {
                let name = Shown(&r.backend);
                Stop::Usage(format!("there is no backend {name} in this build, but {BACKENDS}"))
            };
            return on_device(&r.backend, work).ok_or_else(unknown)??;
        }
        match r.threads() {
            threads @ 2.. if r.command != Command::Train => {
                #[cfg(feature = "parallel")]
                return on_best_lanes(crate::machine::OnThreads(work, threads));
                #[cfg(not(feature = "parallel"))]
                {
                    work.1.note(format_args!(
                        "one thread, not {threads}: this build lacks the feature parallel\n"
                    ));
                    on_best_lanes(work)
                }
            }
            _ => on_best_lanes(work),
        }
    });
    end("llm", done, out, err)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Train,
    Generate,
    Bench,
    Quantize,
    Perplexity,
    Inspect,
    Chat,
    Tokenize,
}

/// The cores that this program may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the arguments ask for.
#[derive(Clone)]
pub struct Request {
    command: Command,
    /// None stands for the text that ships.
    file: Option<PathBuf>,
    out: Option<PathBuf>,
    texts: Vec<PathBuf>,
    to: Option<u32>,
    svg: Option<PathBuf>,
    pub prompt: Option<Vec<u8>>,
    resume: bool,
    fresh: bool,
    plan: bool,
    plain: bool,
    pub system: Option<String>,
    pub template: Option<PathBuf>,
    pub context: Option<usize>,
    save_every: usize,
    pub tokens: Option<usize>,
    temperature: f32,
    top_k: usize,
    top_p: f32,
    backend: String,
    pub steps: Option<usize>,
    pub threads: Option<usize>,
    pub config: Config,
    pub recipe: Recipe,
    /// The sizes and the recipe's numbers that were given, by name.
    given: Vec<(&'static str, f64)>,
    profile: bool,
    trace: Option<PathBuf>,
    ranks: usize,
    deterministic: bool,
}

impl Request {
    fn of(command: Command, file: Option<PathBuf>) -> Self {
        Self {
            command,
            file,
            out: None,
            texts: Vec::new(),
            to: None,
            svg: None,
            prompt: None,
            resume: false,
            fresh: false,
            plan: false,
            plain: false,
            system: None,
            template: None,
            context: None,
            save_every: 100,
            tokens: None,
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
            backend: String::from("cpu"),
            steps: None,
            threads: None,
            config: Config::default(),
            recipe: Recipe::default(),
            given: Vec::new(),
            profile: false,
            trace: None,
            ranks: 1,
            deterministic: false,
        }
    }

    /// The file that is read, by the name that messages have.
    pub fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("holmes.txt"))
    }

    /// The text that is learnt.
    fn text(&self) -> Result<Vec<u8>, Stop> {
        match &self.file {
            Some(path) => files::read(path).map_err(|why| useless(path, why)),
            None => Ok(include_bytes!("../texts/holmes.txt").to_vec()),
        }
    }

    /// Threads of a rank's training step.
    pub fn workers(&self) -> usize {
        (self.threads.map_or_else(cores, |n| n.min(cores())) / self.ranks).max(1)
    }

    /// Threads of an op elsewhere; more than there are cores would only wait for each other.
    pub fn threads(&self) -> usize {
        let all = cfg!(feature = "parallel") && self.command == Command::Quantize;
        self.threads.unwrap_or(if all { cores() } else { 1 }).min(cores())
    }

    fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let r = arguments::request(program::parse("llm", args)?)?;
        r.check()?;
        Ok(r)
    }

    fn check(&self) -> Result<(), Stop> {
        let usage = |why: &str| Err(Stop::Usage(why.into()));
        if self.recipe.length > self.config.context && self.command == Command::Train {
            return usage("--length is longer than --context");
        }
        if self.command == Command::Train && self.out.is_none() && !self.plan {
            return usage("train needs --out, where a FILE is given");
        }
        if !cfg!(feature = "trace") && (self.profile || self.trace.is_some()) {
            return usage("--profile and --trace need the feature trace, which this build lacks");
        }
        if !cfg!(feature = "collective") && self.ranks > 1 {
            return usage("--ranks needs the feature collective, which this build lacks");
        }
        if self.ranks > 1 && (self.profile || self.trace.is_some()) {
            return usage("--profile and --trace are of one rank");
        }
        if self.ranks > self.recipe.batch {
            return usage("--ranks is more than the sequences of a --batch");
        }
        if self.ranks > 1
            && !self.recipe.groups.is_multiple_of(self.ranks)
            && (self.backend == "cpu" || self.deterministic)
        {
            return Err(Stop::Usage(format!(
                "--ranks {} does not divide the {} groups of a batch",
                self.ranks, self.recipe.groups
            )));
        }
        if self.command == Command::Tokenize && self.prompt.is_none() && self.texts.is_empty() {
            return usage("tokenize needs a --prompt or a --text");
        }
        Ok(())
    }

    /// What writes a sample with the model that was trained.
    fn sample(&self, model: &Path) -> Self {
        let prompt = Some(b"The ".to_vec());
        let mut r = Self { prompt, ..self.clone() };
        (r.command, r.file, r.tokens) = (Command::Generate, Some(model.into()), None);
        (r.profile, r.trace) = (false, None);
        r
    }
}

/// The request, to be run on some machine.
struct Work<'a, 'b>(&'a Request, &'a mut Streams<'b>);

impl Job for Work<'_, '_> {
    type Done = Result<(), Stop>;
    fn run<M: Machine + Blocking>(self, machine: M) -> Self::Done {
        let Self(r, io) = self;
        // One rank, or the plan of each.
        let at = Rank { ranks: r.ranks, deterministic: r.deterministic, ..Rank::ALONE };
        match r.command {
            Command::Train => commands::train(machine, r, io, at, None),
            Command::Generate => commands::generate(machine, r, io),
            Command::Bench => {
                let model = Model::open(r.file()).map_err(|why| useless(r.file(), why))?;
                bench::run(machine, r, model, io, at, None)
            }
            Command::Quantize => commands::quantize(r, io),
            Command::Perplexity => {
                let (model, path) = (
                    Model::open(r.file()).map_err(|why| useless(r.file(), why))?,
                    r.texts.first().map_or(Path::new(""), |p| p),
                );
                let text = files::read(path).map_err(|why| useless(path, why))?;
                weights::perplexity(machine, (r.file(), model), &text, r.tokens.unwrap_or(usize::MAX), io)
            }
            Command::Chat => chat::run(machine, r, &mut io::stdin().lock(), io),
            Command::Tokenize => commands::tokenize(r, io),
            Command::Inspect => {
                let bytes = files::read(r.file()).map_err(|why| useless(r.file(), why))?;
                weights::inspect(r.file(), &bytes, io.out)
            }
        }
    }
}
