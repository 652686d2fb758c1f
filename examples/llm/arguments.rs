//! The arguments, as clap reads them.

use super::*;
use clap::{Args, Parser, Subcommand, value_parser};

#[derive(Debug, Parser)]
#[command(
    name = "llm",
    args_override_self = true,
    about = "Trains a small language model on a text, and lets it write.",
    after_help = "Without a command it trains on the text that it brings, writes a sample and leaves the model in holmes.gguf.\n\n\
        exit status: 0 done, 1 the training went astray, 2 the arguments or a file are of no use"
)]
pub struct Line {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Learns from the bytes of a text
    Train(Box<Train>),
    /// Writes what follows a prompt
    #[command(
        after_help = "Names of control tokens in a prompt, as <|im_start|>, are those tokens; what is written ends at the \
        model's end of text or turn."
    )]
    Generate(Generate),
    /// Measures training and generation
    Bench(Bench),
    /// Stores the matrices of a model in blocks of few bits
    #[command(
        after_help = "A row that 256 does not divide takes blocks of 32 in the place of q2_k to q6_k, as in llama.cpp."
    )]
    Quantize(Quantize),
    /// Says how well a model foresees a text
    Perplexity(Perplexity),
    /// Lists the keys and tensors of any GGUF file
    Inspect {
        /// A GGUF file
        file: PathBuf,
    },
    /// Answers each line of standard input, or the --prompt
    #[command(
        after_help = "The model's own `tokenizer.chat_template` writes the messages; an answer ends at the model's end of turn."
    )]
    Chat(Chat),
    /// Prints the tokens of a prompt, or of each file --text, in a line
    Tokenize(Tokenize),
}

/// Where it runs.
#[derive(Debug, Args)]
struct Where {
    /// At most the cores; train and quantize take all of them, the rest one; more need the feature parallel, but for train
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    threads: Option<u32>,
    /// cpu; with the features of these names wgpu (the adapter FULMEN_ADAPTER) and cuda (FULMEN_CUDA; cuda-bf16 rounds operands of
    /// products, and writes with weights, keys and values in bf16), and interpreter, which is slow
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    backend: String,
    /// Print every buffer's bytes and stop
    #[arg(long)]
    plan: bool,
}

/// What a step of training reads.
#[derive(Debug, Args)]
struct Batch {
    /// Sequences of a step [default: 16]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    batch: Option<u32>,
    /// Tokens of a sequence [default: 128]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    length: Option<u32>,
    /// Of the first weights and of what is drawn [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u32>,
}

/// How training is spread.
#[derive(Debug, Args)]
struct Ranks {
    /// Devices, or shares of the cores, that each take a part of a batch; needs the feature collective
    #[arg(long, value_name = "N", default_value = "1", value_parser = value_parser!(u32).range(1..))]
    ranks: u32,
    /// The same bits with 1, 2 and 4 ranks; CPUs always give them
    #[arg(long)]
    deterministic: bool,
}

/// How tokens are drawn.
#[derive(Debug, Args)]
struct Draw {
    /// Tokens to write, or of an answer
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    tokens: Option<u32>,
    /// 0 takes the likeliest token
    #[arg(long, value_name = "X", default_value = "0.8", value_parser = program::from_zero)]
    temperature: f32,
    /// Tokens to choose from
    #[arg(long, value_name = "N", default_value = "40", value_parser = value_parser!(u32).range(1..))]
    top_k: u32,
    /// Probability of the tokens to choose from
    #[arg(long, value_name = "X", default_value = "0.95", value_parser = share)]
    top_p: f32,
    /// Of what is drawn
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u32,
}

/// Profiles and traces of a run, which need the feature trace.
#[derive(Debug, Args)]
struct Observe {
    /// Print a table at the end: the time of each part of the model
    #[arg(long)]
    profile: bool,
    /// Write a span for each op and each part of the model to FILE, which Perfetto opens
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct Train {
    /// The text; - reads standard input [default: the text that ships]
    file: Option<PathBuf>,
    /// The model; beside it MODEL.state, from which --resume goes on [default without FILE: holmes.gguf]
    #[arg(long, value_name = "MODEL")]
    out: Option<PathBuf>,
    /// Go on from MODEL.state, whose settings hold; --steps may be more than they were
    #[arg(long, conflicts_with = "fresh")]
    resume: bool,
    /// Start anew over MODEL.state
    #[arg(long)]
    fresh: bool,
    /// Steps in all [default: 600]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Largest step size [default: 0.003]
    #[arg(long, value_name = "X", value_parser = program::positive)]
    rate: Option<f32>,
    #[command(flatten)]
    batch: Batch,
    #[command(flatten)]
    sizes: Sizes,
    /// Steps between two states
    #[arg(long, value_name = "N", default_value = "100", value_parser = value_parser!(u32).range(1..))]
    save_every: u32,
    /// The losses as a picture [default: MODEL.svg]
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    ranks: Ranks,
    #[command(flatten)]
    observe: Observe,
    #[command(flatten)]
    on: Where,
}

/// Of a model.
#[derive(Debug, Args)]
struct Sizes {
    /// Tokens to learn; 256 are the bytes alone [default: 512]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(256..=MOST as i64))]
    vocab: Option<u32>,
    /// Width of the residual stream [default: 128]
    #[arg(long, value_name = "N")]
    dim: Option<u32>,
    /// Blocks [default: 4]
    #[arg(long, value_name = "N")]
    layers: Option<u32>,
    /// Query heads [default: 4]
    #[arg(long, value_name = "N")]
    heads: Option<u32>,
    /// Key and value heads [default: 2]
    #[arg(long, value_name = "N")]
    kv_heads: Option<u32>,
    /// Hidden width of a feed-forward part [default: 384]
    #[arg(long, value_name = "N")]
    hidden: Option<u32>,
    /// Longest sequence [default: 256]
    #[arg(long, value_name = "N")]
    context: Option<u32>,
}

#[derive(Debug, Args)]
struct Generate {
    /// A GGUF file with a model
    model: PathBuf,
    /// What the text begins with
    #[arg(long, value_name = "T", default_value = "The ")]
    prompt: OsString,
    #[command(flatten)]
    draw: Draw,
    #[command(flatten)]
    observe: Observe,
    #[command(flatten)]
    on: Where,
}

#[derive(Debug, Args)]
struct Bench {
    /// A GGUF file with a model
    model: PathBuf,
    /// Steps to measure
    #[arg(long, value_name = "N", default_value = "10", value_parser = value_parser!(u32).range(1..))]
    steps: u32,
    #[command(flatten)]
    batch: Batch,
    #[command(flatten)]
    ranks: Ranks,
    #[command(flatten)]
    on: Where,
}

#[derive(Debug, Args)]
struct Quantize {
    /// A GGUF file with a model
    model: PathBuf,
    /// q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl, mxfp4, or q2_k to q6_k, in large or small letters
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    to: u32,
    /// The smaller model
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    on: Where,
}

#[derive(Debug, Args)]
struct Perplexity {
    /// A GGUF file with a model
    model: PathBuf,
    /// The text; - reads standard input
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// The first tokens of it alone
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    tokens: Option<u32>,
    #[command(flatten)]
    on: Where,
}

#[derive(Debug, Args)]
struct Chat {
    /// A GGUF file with a model
    model: PathBuf,
    /// What the conversation starts with
    #[arg(long, value_name = "T")]
    system: Option<String>,
    /// A template in Jinja, for the model's own
    #[arg(long, value_name = "FILE")]
    template: Option<PathBuf>,
    /// Tokens of a conversation [default: 4096, or as many as the model takes]
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// One message, in the place of standard input
    #[arg(long, value_name = "T")]
    prompt: Option<OsString>,
    #[command(flatten)]
    draw: Draw,
    #[command(flatten)]
    on: Where,
}

#[derive(Debug, Args)]
struct Tokenize {
    /// A GGUF file with a vocabulary
    model: PathBuf,
    /// The text
    #[arg(long, value_name = "T")]
    prompt: Option<OsString>,
    /// Files with texts
    #[arg(long, value_name = "FILE")]
    text: Vec<PathBuf>,
    /// Names of control tokens are letters, and nothing is put around the text
    #[arg(long)]
    plain: bool,
}

/// More than 0 and at most 1.
fn share(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x > 0.0 && x <= 1.0 => Ok(x),
        _ => Err("it must be more than 0 and at most 1".into()),
    }
}

/// The number of a format of weights.
fn format(name: &str) -> Result<u32, String> {
    gguf::named(&name.to_lowercase()).ok_or_else(|| String::from("it is no format of weights"))
}

impl Where {
    fn put(self, r: &mut Request) {
        (r.threads, r.backend, r.plan) = (self.threads.map(|n| n as usize), self.backend, self.plan);
    }
}

impl Observe {
    fn put(self, r: &mut Request) {
        (r.profile, r.trace) = (self.profile, self.trace);
    }
}

impl Ranks {
    fn put(self, r: &mut Request) {
        (r.ranks, r.deterministic) = (self.ranks as usize, self.deterministic);
    }
}

impl Draw {
    fn put(self, r: &mut Request) {
        r.tokens = self.tokens.map(|n| n as usize);
        (r.temperature, r.top_k, r.top_p) = (self.temperature, self.top_k as usize, self.top_p);
        r.recipe.seed = self.seed;
    }
}

impl Batch {
    fn put(self, r: &mut Request) {
        r.take("--batch", self.batch, |r, n| r.recipe.batch = n);
        r.take("--length", self.length, |r, n| r.recipe.length = n);
        r.take("--seed", self.seed, |r, n| r.recipe.seed = n as u32);
        r.recipe.groups = r.recipe.groups.min(r.recipe.batch);
    }
}

impl Sizes {
    fn put(self, r: &mut Request) {
        r.take("--vocab", self.vocab, |r, n| r.config.vocab = n);
        r.take("--dim", self.dim, |r, n| r.config.dim = n);
        r.take("--layers", self.layers, |r, n| r.config.layers = n);
        r.take("--heads", self.heads, |r, n| r.config.heads = n);
        r.take("--kv-heads", self.kv_heads, |r, n| r.config.kv_heads = n);
        r.take("--hidden", self.hidden, |r, n| r.config.hidden = n);
        r.take("--context", self.context, |r, n| r.config.context = n);
    }
}

impl Request {
    /// Sets a number that was given, and keeps that it was.
    fn take(&mut self, name: &'static str, value: Option<u32>, set: impl FnOnce(&mut Self, usize)) {
        if let Some(n) = value {
            set(self, n as usize);
            self.given.push((name, f64::from(n)));
        }
    }
}

/// What the line asks for.
pub fn request(line: Line) -> Result<Request, Stop> {
    let Some(verb) = line.verb else {
        let mut r = Request::of(Command::Train, None);
        (r.out, r.fresh, r.recipe.steps) = (Some("holmes.gguf".into()), true, DEMO_STEPS);
        return Ok(r);
    };
    let bytes = |text: OsString| text.into_encoded_bytes();
    Ok(match verb {
        Verb::Train(a) => {
            let mut r = Request::of(Command::Train, a.file);
            r.out = a.out.or_else(|| r.file.is_none().then(|| "holmes.gguf".into()));
            (r.resume, r.fresh, r.svg, r.save_every) = (a.resume, a.fresh, a.svg, a.save_every as usize);
            r.steps = a.steps.map(|n| n as usize);
            r.recipe.steps = r.steps.unwrap_or(r.recipe.steps);
            if let Some(rate) = a.rate {
                r.recipe.rate = rate;
                r.given.push(("--rate", f64::from(rate)));
            }
            a.batch.put(&mut r);
            a.sizes.put(&mut r);
            a.ranks.put(&mut r);
            a.observe.put(&mut r);
            a.on.put(&mut r);
            r.config = r.config.checked().map_err(|why| Stop::Usage(why.to_string()))?;
            r
        }
        Verb::Generate(a) => {
            let mut r = Request::of(Command::Generate, Some(a.model));
            r.prompt = Some(bytes(a.prompt));
            a.draw.put(&mut r);
            a.observe.put(&mut r);
            a.on.put(&mut r);
            r
        }
        Verb::Bench(a) => {
            let mut r = Request::of(Command::Bench, Some(a.model));
            r.steps = Some(a.steps as usize);
            a.batch.put(&mut r);
            a.ranks.put(&mut r);
            a.on.put(&mut r);
            r
        }
        Verb::Quantize(a) => {
            let mut r = Request::of(Command::Quantize, Some(a.model));
            (r.to, r.out) = (Some(a.to), Some(a.out));
            a.on.put(&mut r);
            r
        }
        Verb::Perplexity(a) => {
            let mut r = Request::of(Command::Perplexity, Some(a.model));
            (r.texts, r.tokens) = (vec![a.text], a.tokens.map(|n| n as usize));
            a.on.put(&mut r);
            r
        }
        Verb::Inspect { file } => Request::of(Command::Inspect, Some(file)),
        Verb::Chat(a) => {
            let mut r = Request::of(Command::Chat, Some(a.model));
            (r.system, r.template, r.prompt) = (a.system, a.template, a.prompt.map(bytes));
            r.context = a.context.map(|n| n as usize);
            a.draw.put(&mut r);
            a.on.put(&mut r);
            r
        }
        Verb::Tokenize(a) => {
            let mut r = Request::of(Command::Tokenize, Some(a.model));
            (r.prompt, r.texts, r.plain) = (a.prompt.map(bytes), a.text, a.plain);
            r
        }
    })
}

/// Steps of a run without arguments: a minute of two cores.
const DEMO_STEPS: usize = 300;
