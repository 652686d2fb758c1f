//! The command line: arguments, files, progress.

use crate::bench;
use crate::chart;
use crate::config::Config;
use crate::files::{self, Failed, Shown, replace, shown, writable};
use crate::gguf::{self, Model, Trouble};
use crate::machine::{BACKENDS, Follower, Job, Machine, Weights, follower_plan, on_best_lanes, on_device};
use crate::memory::{self, Bytes, Lack, Row};
use crate::train::{Mark, Recipe, Trainer, first_parameters, trainer_plan, uniform};
use crate::vocabulary::{MOST, Vocabulary, bigram_entropy};
use crate::weights;
use core::fmt;
use fulmen::backend::Blocking;
use fulmen::gguf::Gguf;
use lexopt::Arg;
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
                                      q6_k, which stay so when it runs
       llm perplexity MODEL --text FILE
                                      how well the model foresees FILE (its first --tokens)
       llm inspect FILE               the keys and tensors of any GGUF file

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
bench:
  --steps N        steps to measure (10)
all:
  --threads N      at most the cores (train: all of them; else 1, more need a build with the feature parallel)
  --seed N         (1)
  --backend NAME   cpu; with the features of these names wgpu (the adapter FULMEN_ADAPTER) and cuda (FULMEN_CUDA; cuda-bf16
                   rounds operands of products), and interpreter, which is slow
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

fn useless(path: &Path, why: impl fmt::Display) -> Stop {
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
    file: PathBuf,
    out: Option<PathBuf>,
    text: Option<PathBuf>,
    to: Option<u32>,
    svg: Option<PathBuf>,
    prompt: Option<Vec<u8>>,
    resume: bool,
    fresh: bool,
    plan: bool,
    save_every: usize,
    tokens: Option<usize>,
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
        self.threads.map_or(1, |n| n.min(cores()))
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
                _ => {
                    let word = Shown(word.to_string_lossy());
                    return usage(format!(
                        "\"{word}\" is not train, generate, bench, quantize, perplexity or inspect"
                    ));
                }
            },
            Some(Arg::Short('h') | Arg::Long("help")) => return Err(Stop::Help),
            Some(other) => return Err(other.unexpected().into()),
            None => return usage("train, generate, bench, quantize, perplexity or inspect?".into()),
        };
        let mut r = Self {
            command,
            file: PathBuf::new(),
            out: None,
            text: None,
            to: None,
            svg: None,
            prompt: None,
            resume: false,
            fresh: false,
            plan: false,
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
                Arg::Long("out") => r.out = Some(args.value()?.into()),
                Arg::Long("text") => r.text = Some(args.value()?.into()),
                Arg::Long("to") => {
                    let name = args.value()?.to_string_lossy().into_owned();
                    r.to = gguf::named(&name);
                    if r.to.is_none() {
                        return usage(format!("--to {} is no format of weights", Shown(name)));
                    }
                }
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
            "--context" => self.config.context = whole()?,
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
        if r.length > self.config.context {
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
        if self.command == Command::Perplexity && self.text.is_none() {
            return usage("perplexity needs a --text");
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
            Command::Train => train(machine, r, io),
            Command::Generate => generate(machine, r, io),
            Command::Bench => {
                let model = Model::open(&r.file).map_err(|why| useless(&r.file, why))?;
                bench::run(machine, r, model, io)
            }
            Command::Quantize => quantize(r, io),
            Command::Perplexity => {
                let (model, path) = (
                    Model::open(&r.file).map_err(|why| useless(&r.file, why))?,
                    r.text.as_deref().unwrap_or(Path::new("")),
                );
                let text = files::read(path).map_err(|why| useless(path, why))?;
                weights::perplexity(machine, model, &text, r.tokens.unwrap_or(usize::MAX), io)
            }
            Command::Inspect => {
                let bytes = files::read(&r.file).map_err(|why| useless(&r.file, why))?;
                weights::inspect(&bytes, io.out)
            }
        }
    }
}

fn quantize(r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let (Some(out), Some(kind)) = (r.out.as_deref(), r.to) else { return Ok(()) };
    let bytes = files::read(&r.file).map_err(|why| useless(&r.file, why))?;
    let file = Gguf::read(&bytes).map_err(|why| useless(&r.file, Trouble::from(why)))?;
    // What is wrong with the model is said of its file, before there is another.
    Model::from_file(&file).map_err(|why| useless(&r.file, why))?;
    let mut whole = Vec::new();
    weights::quantize(&file, kind, io, &mut whole).map_err(|why| useless(&r.file, why))?;
    replace(out, |to| to.write_all(&whole))?;
    Ok(writeln!(io.out, "{}: {} bytes, from {}", shown(out), whole.len(), bytes.len())?)
}

/// Prints the bytes of each buffer of `f32` or tokens.
fn print_plan(out: &mut dyn Write, rows: &[Row]) -> Result<(), Stop> {
    for (name, elements) in rows {
        writeln!(out, "{:>14}  {name}", 4 * *elements as u128)?;
    }
    let total = memory::total(rows);
    writeln!(out, "{total:>14}  in all ({}), allocated once", Bytes(total))?;
    if let Some(free) = memory::free() {
        writeln!(out, "{free:>14}  free now ({})", Bytes(free.into()))?;
    }
    Ok(())
}

/// `path` with `more` at its end.
fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(more);
    name.into()
}

/// The text that is learnt and, of longer ones, a twentieth in five stretches that is held out to measure by.
pub fn hold_out(text: &[u8], stretch: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut learnt, mut held) = (Vec::with_capacity(text.len()), Vec::new());
    let parts = if stretch == 0 { 1 } else { 5 };
    for part in 0..parts {
        let part = &text[part * text.len() / parts..(part + 1) * text.len() / parts];
        let from = (part.len() - stretch) / 2;
        learnt.extend_from_slice(&part[..from]);
        held.extend_from_slice(&part[from..from + stretch]);
        learnt.extend_from_slice(&part[from + stretch..]);
    }
    (learnt, held)
}

/// Refuses places for the results that cannot be written, before there are any.
fn check_outputs(text: &Path, outputs: &[&Path]) -> Result<(), Stop> {
    for (i, path) in outputs.iter().enumerate() {
        writable(path)?;
        if files::same(path, text) {
            return Err(useless(path, "this is the text, which would be written over"));
        }
        if outputs[..i].iter().any(|other| other == path || files::same(other, path)) {
            return Err(useless(path, "two results would go there"));
        }
    }
    Ok(())
}

fn train<M: Machine + Blocking>(machine: M, r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let name = machine.name();
    if r.plan {
        return print_plan(io.out, &trainer_plan(&machine, &r.config, &r.recipe)?);
    }
    let text = files::read(&r.file).map_err(|why| useless(&r.file, why))?;
    let out = r.out.as_deref().unwrap_or(Path::new(""));
    let state = beside(out, ".state");
    let svg = r.svg.clone().unwrap_or_else(|| beside(out, ".svg"));
    check_outputs(&r.file, &[out, &state, &svg])?;
    let mark = Mark::of(&text);
    // A stretch of a hundredth, when a sequence of mostly single bytes fits into all five.
    let stretch = if text.len() / 20 > 4 * r.config.context { text.len() / 100 } else { 0 };
    let bigram = bigram_entropy(&text) as f32;
    let (text, apart) = hold_out(&text, stretch);
    let (trainer, vocabulary, mut losses) = if r.resume {
        let (trainer, vocabulary, of, losses) =
            Trainer::resume(machine, &state).map_err(|why| useless(&state, why))?;
        if of != mark {
            let why = "this is not the text that the run to resume was learning";
            return Err(useless(&r.file, why));
        }
        (trainer, vocabulary, losses)
    } else {
        if state.exists() && !r.fresh {
            return Err(useless(&state, "a run left this; --resume goes on from it, --fresh starts over it"));
        }
        // Before the time that learning a vocabulary takes.
        let plan = trainer_plan(&machine, &r.config, &r.recipe)?;
        if M::HOST {
            memory::check(&plan)?;
        }
        let vocabulary = Vocabulary::learn(&text, r.config.vocab);
        let config = Config { vocab: vocabulary.len(), ..r.config };
        let parameters = first_parameters(&config, r.recipe.seed)?;
        (Trainer::new(machine, config, r.recipe, parameters)?, vocabulary, Vec::new())
    };
    let Recipe { steps, length, batch, .. } = trainer.recipe;
    let (tokens, held) = (vocabulary.encode(&text), vocabulary.encode(&apart));
    if tokens.len() <= length {
        let why = format!("it has {} tokens, training needs more than {length} (--length)", tokens.len());
        return Err(useless(&r.file, why));
    }
    let per_token = |text: &[u8], tokens: &[u32]| text.len() as f32 / tokens.len().max(1) as f32;
    let (bytes, held_bytes) = (per_token(&text, &tokens), per_token(&apart, &held));
    drop((text, apart));
    let c = &trainer.config;
    io.note(format_args!(
        "{} parameters, {} tokens of {bytes:.2} bytes, {} threads on {}; entropy of byte pairs {bigram:.3} nats per byte\n",
        c.parameters(),
        tokens.len(),
        r.workers().min(trainer.recipe.groups),
        name
    ));
    let first = losses.len();
    losses.try_reserve_exact(steps.saturating_sub(first)).map_err(|e| Stop::Useless(e.to_string()))?;
    let started = Instant::now();
    // Ten times the loss of one who knows nothing.
    let most = 10.0 * (c.vocab as f32).ln();
    let result: Result<(), Stop> = M::steps(&trainer, r.workers(), &tokens, |one| {
        for step in first..steps {
            let loss = one(step)?;
            let done = step + 1;
            let save = done % r.save_every == 0 || done == steps;
            // What the step made of the weights shows in the next loss only: before they are saved, one is asked for.
            let next = if save { trainer.held_out(&tokens[..=length])? } else { None };
            let lost = [Some(loss), next].iter().flatten().any(|l| l.is_nan() || *l > most);
            if lost || save && !trainer.is_sane()? {
                return Err(Stop::Astray(format!(
                    "the training went astray at step {done} (loss {loss}) and is not saved; a --rate below {} may help",
                    trainer.recipe.rate
                )));
            }
            losses.push(loss);
            let loss = recent(&losses) / bytes;
            let spent = started.elapsed().as_secs_f32();
            let rate = ((done - first) * batch * length) as f32 / spent;
            if io.terminal {
                let filled = 30 * done / steps;
                let bar = [&"=".repeat(filled)[..], &" ".repeat(30 - filled)[..]].concat();
                let left = (spent * (steps - done) as f32 / (done - first) as f32).round() as u64;
                io.note(format_args!(
                    "\r[{bar}] {done}/{steps}  {loss:.3} nats per byte  {rate:.0} tokens/s  {}:{:02} left ",
                    left / 60,
                    left % 60
                ));
            } else if done % 50 == 0 || done == steps {
                io.note(format_args!("step {done}: {loss:.3} nats per byte, {rate:.0} tokens/s\n"));
            }
            if save {
                trainer.save(out, &state, &vocabulary, mark, &losses)??;
            }
        }
        Ok(())
    });
    if io.terminal {
        io.note(format_args!("\n"));
    }
    result?;
    let per_byte: Vec<f32> = losses.iter().map(|x| x / bytes).collect();
    let picture = chart::svg(&per_byte, bigram);
    replace(&svg, |to| to.write_all(picture.as_bytes()))?;
    let last = recent(&losses) / bytes;
    let mut apart = String::from("the text is too short to hold some of it out");
    if let Some(loss) = trainer.held_out(&held)? {
        let loss = loss / held_bytes;
        apart = format!("{loss:.3} on text held out");
        if loss > 1.25 * last {
            io.note(format_args!(
                "warning: {apart}, {last:.3} on what it has seen: it memorises; more text or fewer --steps help\n"
            ));
        }
    }
    Ok(writeln!(
        io.out,
        "{}: {last:.3} nats per byte ({:.3} below byte pairs), {apart}",
        shown(out),
        bigram - last
    )?)
}

/// The mean of the last twenty losses.
fn recent(losses: &[f32]) -> f32 {
    let last = &losses[losses.len().saturating_sub(20)..];
    last.iter().sum::<f32>() / last.len().max(1) as f32
}

fn generate<M: Machine + Blocking>(machine: M, r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let name = machine.name();
    let Model { config, vocabulary, weights } = Model::open(&r.file).map_err(|why| useless(&r.file, why))?;
    let prompt = r.prompt.as_deref().unwrap_or_default();
    let ids = vocabulary.encode(prompt);
    let room = (config.context + 1).saturating_sub(ids.len());
    if room == 0 || r.tokens.is_some_and(|n| n > room) {
        let wanted = r.tokens.unwrap_or(1);
        let why = format!(
            "a prompt of {} tokens and {wanted} to write are more than the model's context of {}",
            ids.len(),
            config.context
        );
        return Err(Stop::Useless(why));
    }
    let mut count = r.tokens.unwrap_or(200.min(room));
    // Memory for this text, not for the longest that the model takes.
    let config = Config { context: config.context.min(ids.len() + count).max(1), ..config };
    let at_once = ids.len().clamp(1, 512);
    if r.plan {
        let bytes = weights.bytes();
        let mut rows = vec![("weights", bytes.div_ceil(4))];
        rows.extend(follower_plan(&machine, &config, at_once));
        return print_plan(io.out, &rows);
    }
    let with = fulmen::Sampling { temperature: r.temperature, top_k: r.top_k, top_p: r.top_p };
    let choices = fulmen::sample_workspace(config.vocab, r.top_k);
    let (mut values, mut indices) = (memory::zeros(choices)?, memory::zeros(choices)?);
    let weights = Weights::new(&machine, weights)?;
    let mut follower = Follower::new(machine, config, &weights, at_once)?;
    io.out.write_all(prompt)?;
    let started = Instant::now();
    let mut logits = follower.feed(&ids)?;
    let read = started.elapsed();
    let mut bytes = Vec::new();
    for i in 0..count {
        // Rounded to `f32`, a number below 1 may be 1.
        let draw = (uniform(r.recipe.seed, i as u64) as f32).min(1.0 - f32::EPSILON / 2.0);
        let token = fulmen::sample(logits, with, draw, &mut values, &mut indices)? as u32;
        if vocabulary.end() == Some(token) {
            count = i + 1;
            break;
        }
        vocabulary.decode_into(token, &mut bytes);
        io.out.write_all(&bytes)?;
        io.out.flush()?;
        bytes.clear();
        if i + 1 == count {
            break;
        }
        logits = follower.feed(&[token])?;
    }
    writeln!(io.out)?;
    let wrote = started.elapsed() - read;
    let rate = |n: usize, t: std::time::Duration| n as f64 / t.as_secs_f64().max(1e-9);
    let (reading, writing) = (rate(ids.len(), read), rate(count.saturating_sub(1), wrote));
    io.note(format_args!("read {reading:.0} tokens/s, wrote {writing:.0} tokens/s on {name}\n"));
    Ok(())
}
