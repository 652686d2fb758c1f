//! The command line: arguments, files, progress.

use crate::bench;
use crate::chart;
use crate::config::Config;
use crate::gguf::{Gguf, Model, replace};
use crate::machine::{Follower, Job, Machine, follower_plan, on_best_lanes};
use crate::train::{Recipe, Trainer, first_parameters, trainer_plan, uniform};
use crate::vocabulary::{MOST, Vocabulary, bigram_entropy};
use core::fmt;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

const USAGE: &str = "\
usage: llm train FILE --out MODEL     learns from the bytes of FILE
       llm generate MODEL --prompt T  writes what follows T
       llm bench MODEL                measures training and generation

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
  --threads N      (train: all cores; else 1, more need a build with the feature parallel)
  --seed N         (1)           --backend cpu
  --plan           print every buffer's bytes and stop

exit status: 0 done, 2 the arguments or a file are of no use";

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
}

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        if e.kind() == ErrorKind::BrokenPipe { Self::Closed } else { Self::Useless(e.to_string()) }
    }
}

impl From<fulmen::Error> for Stop {
    fn from(e: fulmen::Error) -> Self {
        Self::Useless(e.to_string())
    }
}

fn useless(path: &Path, why: impl fmt::Display) -> Stop {
    Stop::Useless(format!("{}: {why}", path.display()))
}

/// Where the words of the program go.
pub struct Streams<'a> {
    pub out: &'a mut (dyn Write + Send),
    pub err: &'a mut (dyn Write + Send),
    /// Standard error is a terminal: one line of progress is written over the other.
    pub terminal: bool,
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
        match r.threads {
            Some(threads @ 2..) if r.command != Command::Train => {
                #[cfg(feature = "parallel")]
                on_best_lanes(crate::machine::OnThreads(work, threads))?;
                #[cfg(not(feature = "parallel"))]
                {
                    writeln!(work.1.err, "one thread, not {threads}: this build lacks the feature parallel")?;
                    on_best_lanes(work)?;
                }
            }
            _ => on_best_lanes(work)?,
        }
        Ok(out.flush()?)
    });
    // When standard error is closed too, the exit status is all that can be said.
    let mut say = |text: fmt::Arguments<'_>| _ = writeln!(err, "{text}");
    match done {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Help) => u8::from(writeln!(out, "{USAGE}").is_err()),
        Err(Stop::Usage(why)) => {
            say(format_args!("llm: {why}\n\n{USAGE}"));
            2
        }
        Err(Stop::Useless(why)) => {
            say(format_args!("llm: {why}"));
            2
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Train,
    Generate,
    Bench,
}

/// What the arguments ask for.
pub struct Request {
    command: Command,
    file: PathBuf,
    out: Option<PathBuf>,
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
    pub steps: Option<usize>,
    pub threads: Option<usize>,
    pub config: Config,
    pub recipe: Recipe,
}

impl Request {
    /// Threads of a training step.
    pub fn workers(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let command = match args.next().as_ref().and_then(|a| a.to_str()) {
            Some("train") => Command::Train,
            Some("generate") => Command::Generate,
            Some("bench") => Command::Bench,
            Some("--help" | "-h") => return Err(Stop::Help),
            Some(other) => return usage(format!("\"{other}\" is not train, generate or bench")),
            None => return usage("train, generate or bench?".into()),
        };
        let mut r = Self {
            command,
            file: PathBuf::new(),
            out: None,
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
            steps: None,
            threads: None,
            config: Config::default(),
            recipe: Recipe::default(),
        };
        let mut files = Vec::new();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy().into_owned();
            if !text.starts_with("--") {
                if text == "-h" {
                    return Err(Stop::Help);
                }
                files.push(arg);
                continue;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text.as_str(), None),
            };
            let mut value = || {
                let next = value.clone().or_else(|| args.next());
                next.ok_or_else(|| Stop::Usage(format!("{name} needs a value")))
            };
            match name {
                "--help" => return Err(Stop::Help),
                "--resume" => r.resume = true,
                "--fresh" => r.fresh = true,
                "--plan" => r.plan = true,
                "--out" => r.out = Some(value()?.into()),
                "--svg" => r.svg = Some(value()?.into()),
                "--prompt" => r.prompt = Some(value()?.into_encoded_bytes()),
                "--backend" => match value()?.to_str() {
                    Some("cpu") => {}
                    other => return usage(format!("there is no backend {other:?} in this build, but cpu")),
                },
                _ => {
                    let value = value()?;
                    r.number(name, &value.to_string_lossy())?;
                }
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
            n.ok_or_else(|| Stop::Usage(format!("{name} needs a whole number, not \"{value}\"")))
        };
        let real = || {
            let x = value.parse::<f32>().ok().filter(|x| x.is_finite() && *x >= 0.0);
            x.ok_or_else(|| Stop::Usage(format!("{name} needs a number from 0 up, not \"{value}\"")))
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
            _ => return Err(Stop::Usage(format!("what is \"{name}\"?"))),
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
    fn run<M: Machine>(self, machine: M) -> Self::Done {
        let Self(r, io) = self;
        match r.command {
            Command::Train => train(machine, r, io),
            Command::Generate => generate(machine, r, io),
            Command::Bench => {
                let model = open(&r.file)?;
                bench::run(machine, r, &model, io)
            }
        }
    }
}

fn open(path: &Path) -> Result<Model, Stop> {
    Gguf::open(path).and_then(|file| Model::from_file(&file)).map_err(|why| useless(path, why))
}

/// Prints the bytes of each buffer of `f32` or tokens.
fn print_plan(out: &mut dyn Write, rows: &[(&str, usize)]) -> Result<(), Stop> {
    for (name, elements) in rows {
        writeln!(out, "{:>14}  {name}", 4 * elements)?;
    }
    Ok(writeln!(out, "{:>14}  in all, allocated once", 4 * rows.iter().map(|r| r.1).sum::<usize>())?)
}

/// `path` with `more` at its end.
fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(more);
    name.into()
}

fn train<M: Machine>(machine: M, r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    if r.plan {
        return print_plan(io.out, &trainer_plan(machine, &r.config, &r.recipe));
    }
    let text = std::fs::read(&r.file).map_err(|why| useless(&r.file, why))?;
    let out = r.out.as_deref().unwrap_or(Path::new(""));
    let state = beside(out, ".state");
    let (trainer, vocabulary, mut losses) = if r.resume {
        Trainer::resume(machine, &state).map_err(|why| useless(&state, why))?
    } else {
        if state.exists() && !r.fresh {
            return Err(useless(&state, "a run left this; --resume goes on from it, --fresh starts over it"));
        }
        let vocabulary = Vocabulary::learn(&text, r.config.vocab);
        let config = Config { vocab: vocabulary.len(), ..r.config };
        let parameters = first_parameters(&config, r.recipe.seed);
        (Trainer::new(machine, config, r.recipe, parameters)?, vocabulary, Vec::new())
    };
    let Recipe { steps, length, batch, .. } = trainer.recipe;
    let tokens = vocabulary.encode(&text);
    if tokens.len() <= length {
        let why = format!("it has {} tokens, training needs more than {length} (--length)", tokens.len());
        return Err(useless(&r.file, why));
    }
    let (bytes, bigram) = (text.len() as f32 / tokens.len() as f32, bigram_entropy(&text));
    drop(text);
    let c = &trainer.config;
    writeln!(
        io.err,
        "{} parameters, {} tokens of {bytes:.2} bytes, {} threads on {}; entropy of byte pairs {bigram:.3} nats per byte",
        c.parameters(),
        tokens.len(),
        r.workers().min(trainer.recipe.groups),
        M::NAME
    )?;
    let first = losses.len();
    losses.reserve_exact(steps.saturating_sub(first));
    let started = Instant::now();
    let result: Result<(), Stop> = trainer.with_threads(r.workers(), &tokens, |one| {
        for step in first..steps {
            losses.push(one(step)?);
            let (done, loss) = (step + 1, recent(&losses) / bytes);
            let rate = ((done - first) * batch * length) as f32 / started.elapsed().as_secs_f32();
            if io.terminal {
                let filled = 30 * done / steps;
                let bar = [&"=".repeat(filled)[..], &" ".repeat(30 - filled)[..]].concat();
                write!(io.err, "\r[{bar}] {done}/{steps}  {loss:.3} nats per byte  {rate:.0} tokens/s ")?;
                io.err.flush()?;
            } else if done % 50 == 0 || done == steps {
                writeln!(io.err, "step {done}: {loss:.3} nats per byte, {rate:.0} tokens/s")?;
            }
            if done % r.save_every == 0 || done == steps {
                trainer.save(out, &state, &vocabulary, &losses).map_err(|why| useless(out, why))?;
            }
        }
        Ok(())
    });
    if io.terminal {
        writeln!(io.err)?;
    }
    result?;
    let svg = r.svg.clone().unwrap_or_else(|| beside(out, ".svg"));
    let per_byte: Vec<f32> = losses.iter().map(|x| x / bytes).collect();
    let picture = chart::svg(&per_byte, bigram as f32);
    replace(&svg, |to| to.write_all(picture.as_bytes())).map_err(|why| useless(&svg, why))?;
    let last = recent(&losses) / bytes;
    Ok(writeln!(
        io.out,
        "{}: {last:.3} nats per byte ({:.3} below byte pairs)",
        out.display(),
        bigram as f32 - last
    )?)
}

/// The mean of the last twenty losses.
fn recent(losses: &[f32]) -> f32 {
    let last = &losses[losses.len().saturating_sub(20)..];
    last.iter().sum::<f32>() / last.len().max(1) as f32
}

fn generate<M: Machine>(machine: M, r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let Model { config, vocabulary, parameters } = open(&r.file)?;
    if r.plan {
        let mut rows = vec![("parameters", config.parameters())];
        rows.extend(follower_plan(machine, &config, config.context));
        return print_plan(io.out, &rows);
    }
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
    let count = r.tokens.unwrap_or(200.min(room));
    let with = fulmen::Sampling { temperature: r.temperature, top_k: r.top_k, top_p: r.top_p };
    let choices = fulmen::sample_workspace(config.vocab, r.top_k);
    let (mut values, mut indices) = (vec![0.0; choices], vec![0; choices]);
    let mut follower = Follower::new(machine, config, &parameters, config.context)?;
    io.out.write_all(prompt)?;
    let started = Instant::now();
    let mut logits = follower.feed(&ids)?;
    let read = started.elapsed();
    let mut bytes = Vec::new();
    for i in 0..count {
        // Rounded to `f32`, a number below 1 may be 1.
        let draw = (uniform(r.recipe.seed, i as u64) as f32).min(1.0 - f32::EPSILON / 2.0);
        let token = fulmen::sample(logits, with, draw, &mut values, &mut indices)? as u32;
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
    Ok(writeln!(io.err, "read {reading:.0} tokens/s, wrote {writing:.0} tokens/s on {}", M::NAME)?)
}
