//! The command line: arguments, files, progress.

#[path = "commands.rs"]
pub mod commands;

use crate::bench;
use crate::chart;
use crate::chat;
use crate::config::Config;
use crate::files::{self, Failed, Place, Shown, shown};
use crate::gguf::parts::{self, Parts};
use crate::gguf::{self, Model};
use crate::machine::{BACKENDS, Follower, Job, Machine, Weights, follower_plan, on_best_lanes, on_device};
use crate::memory::{self, Bytes, Lack, Row};
use crate::tokens::Tokenizer;
use crate::train::{Mark, Recipe, Trainer, first_parameters, trainer_plan, uniform};
use crate::vocabulary::{MOST, Vocabulary, Words, bigram_entropy};
use crate::weights;
use core::fmt;
use fulmen::backend::Blocking;
use lexopt::{Arg, ValueExt};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const USAGE: &str = "\
usage: llm train FILE --out MODEL     learns from the bytes of FILE
       llm generate MODEL --prompt T  writes what follows T
       llm bench MODEL                measures training and generation
       llm quantize MODEL --to FORMAT --out FILE
                                      the model with matrices of q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl, mxfp4 or q2_k to
                                      q6_k, which stay so when it runs; a row that 256 does not divide takes blocks of 32
                                      in the place of q2_k to q6_k, as in llama.cpp
       llm perplexity MODEL --text FILE
                                      how well the model foresees FILE (its first --tokens)
       llm inspect FILE               the keys and tensors of any GGUF file
       llm chat MODEL                 answers each line of standard input, or the --prompt
       llm tokenize MODEL --prompt T  the tokens of T, or of each file --text, in a line; of any GGUF file with a vocabulary

train:
  --out MODEL      the model; beside it, MODEL.state, from which --resume goes on
  --resume         go on from MODEL.state (its settings hold) | --fresh: start anew over it
  --steps N        steps in all (600)            --batch N   sequences of a step (16)
  --length N       tokens of a sequence (128)    --rate X    largest step size (0.003)
  --vocab N        tokens to learn, 256 = bytes alone (512)
  --dim N (128)  --layers N (4)  --heads N (4)  --kv-heads N (2)  --hidden N (384)  --context N (256)
  --save-every N   steps between two states (100)
  --svg FILE       the losses as a picture (MODEL.svg)
generate:
  --tokens N       how many to write (200, or up to the context)
  --temperature X  0 takes the likeliest (0.8)   --top-k N (40)   --top-p X (0.95)
  Names of control tokens in a prompt, as <|im_start|>, are those tokens; what is written ends at the model's end of text or turn.
chat:
  --system T       what the conversation starts with   --template FILE  a template in Jinja, for the model's own
  --context N      tokens of a conversation (4096, or as many as the model takes)   --tokens N  of an answer (no limit)
  The model's own `tokenizer.chat_template` writes the messages; an answer ends at the model's end of turn.
tokenize:
  --plain          names of control tokens are letters, and nothing is put around the text
bench:
  --steps N        steps to measure (10)
all:
  --threads N      at most the cores (train, quantize: all of them; else 1; more need the feature parallel, but for train)
  --seed N         (1)
  --backend NAME   cpu; with the features of these names wgpu (the adapter FULMEN_ADAPTER) and cuda (FULMEN_CUDA; cuda-bf16
                   rounds operands of products, and writes with weights, keys and values in bf16), and interpreter, which is slow
  --plan           print every buffer's bytes and stop

exit status: 0 done, 1 the training went astray, 2 the arguments or a file are of no use";

/// Why the program ends early.
#[derive(Debug)]
pub enum Stop {
    /// The reader of standard output is gone: nothing left to do.
    Closed,
    /// Help was asked for.
    Help,
    /// The arguments are wrong.
    Usage(String),
    /// Something is of no use, or cannot be written.
    Useless(String),
    /// The losses are no numbers any more.
    Astray(String),
}

/// Of standard output: other files have their names in their errors, and standard error may fail.
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
        Self::Usage(Shown(e.to_string()).to_string())
    }
}

impl From<Failed> for Stop {
    fn from(e: Failed) -> Self {
        Self::Useless(e.to_string())
    }
}

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
    /// Standard error is a terminal: one line of progress is written over the other.
    pub terminal: bool,
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
) -> u8 {
    let done = Request::parse(args).and_then(|r| {
        let mut io = Streams { out, err, terminal };
        let work = Work(&r, &mut io);
        if r.backend != "cpu" {
            let unknown = || {
                let name = Shown(&r.backend);
                Stop::Usage(format!("there is no backend {name} in this build, but {BACKENDS}"))
            };
            on_device(&r.backend, work).ok_or_else(unknown)???;
            return Ok(out.flush()?);
        }
        match r.threads() {
            threads @ 2.. if r.command != Command::Train => {
                #[cfg(feature = "parallel")]
                on_best_lanes(crate::machine::OnThreads(work, threads))?;
                #[cfg(not(feature = "parallel"))]
                {
                    work.1.note(format_args!(
                        "one thread, not {threads}: this build lacks the feature parallel\n"
                    ));
                    on_best_lanes(work)?;
                }
            }
            _ => on_best_lanes(work)?,
        }
        Ok(out.flush()?)
    });
    let mut fail = |code, text: fmt::Arguments<'_>| {
        // When standard error is closed too, the exit status is all that can be said.
        _ = writeln!(err, "llm: {text}");
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
        Err(Stop::Astray(why)) => fail(1, format_args!("{why}")),
    }
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

/// The options that take a number.
const NUMBERS: [&str; 18] = [
    "steps",
    "threads",
    "seed",
    "batch",
    "length",
    "rate",
    "vocab",
    "dim",
    "layers",
    "heads",
    "kv-heads",
    "hidden",
    "context",
    "save-every",
    "tokens",
    "temperature",
    "top-k",
    "top-p",
];

/// The cores that this program may use.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What the arguments ask for.
pub struct Request {
    command: Command,
    pub file: PathBuf,
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
}

impl Request {
    /// Threads of a training step.
    pub fn workers(&self) -> usize {
        self.threads.map_or_else(cores, |n| n.min(cores()))
    }

    /// Threads of an op elsewhere; more than there are cores would only wait for each other.
    pub fn threads(&self) -> usize {
        let all = cfg!(feature = "parallel") && self.command == Command::Quantize;
        self.threads.unwrap_or(if all { cores() } else { 1 }).min(cores())
    }

    fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let mut args = lexopt::Parser::from_args(args.collect::<Vec<_>>());
        let command = match args.next()? {
            Some(Arg::Value(word)) => match word.to_str() {
                Some("train") => Command::Train,
                Some("generate") => Command::Generate,
                Some("bench") => Command::Bench,
                Some("quantize") => Command::Quantize,
                Some("perplexity") => Command::Perplexity,
                Some("inspect") => Command::Inspect,
                Some("chat") => Command::Chat,
                Some("tokenize") => Command::Tokenize,
                _ => {
                    let word = Shown(word.to_string_lossy());
                    return usage(format!(
                        "\"{word}\" is not train, generate, bench, quantize, perplexity, inspect, chat or tokenize"
                    ));
                }
            },
            Some(Arg::Short('h') | Arg::Long("help")) => return Err(Stop::Help),
            Some(other) => return Err(other.unexpected().into()),
            None => {
                return usage(
                    "train, generate, bench, quantize, perplexity, inspect, chat or tokenize?".into(),
                );
            }
        };
        let mut r = Self {
            command,
            file: PathBuf::new(),
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
        };
        let mut files = Vec::new();
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Err(Stop::Help),
                Arg::Long("resume") => r.resume = true,
                Arg::Long("fresh") => r.fresh = true,
                Arg::Long("plan") => r.plan = true,
                Arg::Long("plain") => r.plain = true,
                Arg::Long("out") => r.out = Some(args.value()?.into()),
                Arg::Long("text") => r.texts.push(args.value()?.into()),
                Arg::Long("to") => {
                    let name = args.value()?.to_string_lossy().into_owned();
                    r.to = gguf::named(&name.to_lowercase());
                    if r.to.is_none() {
                        return usage(format!("--to {} is no format of weights", Shown(name)));
                    }
                }
                Arg::Long("system") => r.system = Some(args.value()?.string()?),
                Arg::Long("template") => r.template = Some(args.value()?.into()),
                Arg::Long("svg") => r.svg = Some(args.value()?.into()),
                Arg::Long("prompt") => r.prompt = Some(args.value()?.into_encoded_bytes()),
                Arg::Long("backend") => {
                    r.backend = args.value()?.to_string_lossy().into_owned();
                }
                Arg::Long(name) if NUMBERS.contains(&name) => {
                    let name = format!("--{name}");
                    r.number(&name, &args.value()?.to_string_lossy())?;
                }
                Arg::Value(file) => files.push(file),
                other => return Err(other.unexpected().into()),
            }
        }
        let Ok([file]) = <[OsString; 1]>::try_from(files) else { return usage("one file is needed".into()) };
        r.file = file.into();
        r.config = r.config.checked().map_err(|why| Stop::Usage(why.to_string()))?;
        r.check()?;
        Ok(r)
    }

    /// Sets what `name` names.
    fn number(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        let whole = || {
            let n = value.parse::<usize>().ok().filter(|&n| n <= u32::MAX as usize);
            n.ok_or_else(|| Stop::Usage(format!("{name} needs a whole number, not \"{}\"", Shown(value))))
        };
        let real = || {
            let x = value.parse::<f32>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            x.ok_or_else(|| Stop::Usage(format!("{name} needs a number from 0 up, not \"{}\"", Shown(value))))
        };
        match name {
            "--steps" => self.steps = Some(whole()?),
            "--threads" => self.threads = Some(whole()?),
            "--seed" => self.recipe.seed = whole()? as u32,
            "--batch" => self.recipe.batch = whole()?,
            "--length" => self.recipe.length = whole()?,
            "--rate" => self.recipe.rate = real()?,
            "--vocab" => self.config.vocab = whole()?,
            "--dim" => self.config.dim = whole()?,
            "--layers" => self.config.layers = whole()?,
            "--heads" => self.config.heads = whole()?,
            "--kv-heads" => self.config.kv_heads = whole()?,
            "--hidden" => self.config.hidden = whole()?,
            "--context" => {
                self.config.context = whole()?;
                self.context = Some(self.config.context);
            }
            "--save-every" => self.save_every = whole()?,
            "--tokens" => self.tokens = Some(whole()?),
            "--temperature" => self.temperature = real()?,
            "--top-k" => self.top_k = whole()?,
            "--top-p" => self.top_p = real()?,
            _ => return Err(Stop::Usage(format!("{name} is no number"))),
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), Stop> {
        let usage = |why: &str| Err(Stop::Usage(why.into()));
        let r = &mut self.recipe;
        if let (Some(steps), Command::Train) = (self.steps, self.command) {
            r.steps = steps;
        }
        r.groups = r.groups.min(r.batch);
        if r.batch == 0
            || r.length == 0
            || r.steps == 0
            || self.threads == Some(0)
            || self.save_every == 0
            || self.top_k == 0
        {
            return usage("--batch, --length, --steps, --threads, --save-every and --top-k are at least 1");
        }
        if self.steps == Some(0) {
            return usage("--steps is at least 1");
        }
        if !(self.top_p > 0.0 && self.top_p <= 1.0) {
            return usage("--top-p is more than 0 and at most 1");
        }
        if r.length > self.config.context && self.command != Command::Chat {
            return usage("--length is longer than --context");
        }
        if !(256..=MOST).contains(&self.config.vocab) {
            return usage("--vocab is from 256 to 65536");
        }
        if self.command == Command::Train && self.out.is_none() && !self.plan {
            return usage("train needs --out");
        }
        if self.command == Command::Quantize && (self.out.is_none() || self.to.is_none()) {
            return usage("quantize needs --to and --out");
        }
        if self.command == Command::Perplexity && self.texts.len() != 1 {
            return usage("perplexity needs a --text");
        }
        if self.command == Command::Tokenize && self.prompt.is_none() && self.texts.is_empty() {
            return usage("tokenize needs a --prompt or a --text");
        }
        if self.resume && self.fresh {
            return usage("--resume or --fresh, not both");
        }
        if self.command == Command::Generate && self.prompt.as_ref().is_none_or(Vec::is_empty) && !self.plan {
            return usage("generate needs a --prompt");
        }
        Ok(())
    }
}

/// The request, to be run on some machine.
struct Work<'a, 'b>(&'a Request, &'a mut Streams<'b>);

impl Job for Work<'_, '_> {
    type Done = Result<(), Stop>;
    fn run<M: Machine + Blocking>(self, machine: M) -> Self::Done {
        let Self(r, io) = self;
        match r.command {
            Command::Train => commands::train(machine, r, io),
            Command::Generate => commands::generate(machine, r, io),
            Command::Bench => {
                let model = Model::open(&r.file).map_err(|why| useless(&r.file, why))?;
                bench::run(machine, r, model, io)
            }
            Command::Quantize => commands::quantize(r, io),
            Command::Perplexity => {
                let (model, path) = (
                    Model::open(&r.file).map_err(|why| useless(&r.file, why))?,
                    r.texts.first().map_or(Path::new(""), |p| p),
                );
                let text = files::read(path).map_err(|why| useless(path, why))?;
                weights::perplexity(machine, (&r.file, model), &text, r.tokens.unwrap_or(usize::MAX), io)
            }
            Command::Chat => chat::run(machine, r, &mut io::stdin().lock(), io),
            Command::Tokenize => commands::tokenize(r, io),
            Command::Inspect => {
                let bytes = files::read(&r.file).map_err(|why| useless(&r.file, why))?;
                weights::inspect(&r.file, &bytes, io.out)
            }
        }
    }
}
