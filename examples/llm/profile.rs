//! Where the time of a pass goes (feature `trace`): a profiler for each thread of the model, and spans as a file.
//!
//! The bricks of a thread follow each other: the end of one is the start of the next. On a device they are what the host takes
//! to launch them.

use super::{Config, Span};
use crate::config::Place;
use fulmen::trace::{About, BrickId as Id, Listener, Profiler, Sink, clock, listen, silence};
use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A brick that the library does not name.
const fn own(k: usize) -> Id {
    match Id::own(k) {
        Ok(id) => id,
        Err(_) => Id::HEAD,
    }
}

pub const RMS_NORM: Id = Id::RMS_NORM;
pub const QKV: Id = Id::QKV;
pub const ROPE: Id = Id::ROPE;
pub const ATTENTION: Id = Id::ATTENTION;
pub const OUTPUT: Id = Id::OUTPUT;
pub const GATE_UP: Id = Id::GATE_UP;
pub const SWIGLU: Id = Id::SWIGLU;
pub const DOWN: Id = Id::DOWN;
pub const HEAD: Id = Id::HEAD;
pub const SAMPLING: Id = Id::SAMPLING;
pub const EMBEDDING: Id = own(0);
pub const LOSS: Id = own(1);
pub const BACKWARD: Id = own(2);
const OWN: [&str; 3] = ["embedding", "loss", "backward"];

fn name(id: Id) -> &'static str {
    let own = id.index().checked_sub(Id::BUILT_IN.len());
    id.name().or_else(|| OWN.get(own?).copied()).unwrap_or("")
}

/// What passes have done, from which the work of bricks follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passes {
    passes: u64,
    tokens: u64,
    /// Tokens whose logits were computed.
    heads: u64,
    /// Keys that were read, and pairs of a query and a key before it.
    keys: u64,
    pairs: u64,
}

/// What one thread has done.
#[derive(Debug, Default)]
struct Local {
    profiler: Profiler<16>,
    passes: Passes,
    last: u64,
}

static ON: AtomicBool = AtomicBool::new(false);
static ALL: Mutex<Vec<Arc<Mutex<Local>>>> = Mutex::new(Vec::new());
static THREADS: AtomicUsize = AtomicUsize::new(1);
static FILE: Mutex<Option<Spans>> = Mutex::new(None);
static LISTENER: Listener = Listener { clock: clock::fastest, sink: &ToFile };

thread_local! {
    static MINE: OnceCell<Arc<Mutex<Local>>> = const { OnceCell::new() };
    static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

fn held<T>(x: &Mutex<T>) -> MutexGuard<'_, T> {
    x.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with(f: impl FnOnce(&mut Local)) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    MINE.with(|mine| {
        let mine = mine.get_or_init(|| {
            let new = Arc::<Mutex<Local>>::default();
            held(&ALL).push(new.clone());
            new
        });
        f(&mut held(mine));
    });
}

/// A brick begins.
pub fn start() {
    with(|local| {
        local.last = clock::fastest();
        local.profiler.start(local.last);
    });
}

/// A brick ends, and the next begins.
pub fn lap(id: Id) {
    with(|local| {
        let now = clock::fastest();
        let counted = local.profiler.lap(id, now);
        debug_assert!(counted.is_ok(), "{counted:?}");
        if let Some(file) = held(&FILE).as_mut() {
            file.span(name(id), None, local.last, now);
        }
        local.last = now;
    });
}

/// A pass over these tokens begins, which computes the logits of so many.
pub fn pass(span: Span, heads: usize) {
    with(|local| {
        let [sequences, tokens, past] = [span.sequences, span.tokens, span.past].map(|n| n as u64);
        let p = &mut local.passes;
        p.passes += 1;
        p.tokens += sequences * tokens;
        p.heads += heads as u64;
        p.keys += sequences * (past + tokens);
        p.pairs += sequences * (tokens * past + tokens * (tokens + 1) / 2);
    });
    start();
}

/// The profile of a run, from its begin to its end.
pub struct Watch {
    profile: bool,
    trace: bool,
}

impl Watch {
    /// Counts bricks from now on where `profile` says so, and writes spans to the file.
    pub fn begin(profile: bool, file: Option<File>) -> Self {
        for local in held(&ALL).iter() {
            *held(local) = Local::default();
        }
        let trace = file.is_some();
        *held(&FILE) = file.map(Spans::new);
        ON.store(profile || trace, Ordering::Relaxed);
        if trace {
            listen(&LISTENER);
        }
        Self { profile, trace }
    }

    /// The table, if it was asked for, and what to say of the file.
    pub fn end(self, c: &Config, places: Option<&[Place]>, path: &Path) -> String {
        silence();
        ON.store(false, Ordering::Relaxed);
        let mut text = String::new();
        if self.profile {
            let (mut all, mut passes) = (Profiler::new(), Passes::default());
            for local in held(&ALL).iter() {
                let local = held(local);
                all.merge(&local.profiler);
                let p = &local.passes;
                passes.passes += p.passes;
                passes.tokens += p.tokens;
                passes.heads += p.heads;
                passes.keys += p.keys;
                passes.pairs += p.pairs;
            }
            text += &table(&all, &passes, c, places);
        }
        if self.trace
            && let Some(file) = held(&FILE).take()
        {
            text += &file.end(path);
        }
        text
    }
}

/// Bytes of the tensors from `at` on: as they are stored, or as numbers where it is not said.
fn stored(places: Option<&[Place]>, at: usize, tensors: usize, elements: usize) -> u64 {
    let Some(places) = places else { return 4 * elements as u64 };
    let bytes = |p: &Place| p.range.len() * if p.kind == 0 { 4 } else { 1 };
    places.iter().skip(at).take(tensors).map(bytes).sum::<usize>() as u64
}

/// Floating-point operations of a brick, and bytes of the weights, and of keys and values, that it reads.
fn work(id: Id, p: &Passes, c: &Config, places: Option<&[Place]>) -> Option<[u64; 2]> {
    let (d, qd, width, f) = (c.dim, c.q_width(), c.kv_width(), c.hidden);
    let layers = c.layers as u64;
    let product = |tensor: usize, tensors: usize, elements: usize| {
        let bytes: u64 =
            (0..c.layers).map(|l| stored(places, 1 + c.tensors() * l + tensor, tensors, elements)).sum();
        Some([2 * p.tokens * layers * elements as u64, p.passes * bytes])
    };
    match id {
        QKV => product(1, 3, (qd + width) * d),
        OUTPUT => product(4, 1, d * qd),
        GATE_UP => product(6, 2, 2 * f * d),
        DOWN => product(8, 1, d * f),
        HEAD => {
            let at = if c.tied { 0 } else { 2 + c.tensors() * c.layers };
            let elements = c.vocab * d;
            Some([2 * p.heads * elements as u64, p.passes * stored(places, at, 1, elements)])
        }
        ATTENTION => Some([4 * layers * p.pairs * qd as u64, 4 * layers * p.keys * width as u64]),
        _ => None,
    }
}

/// A row for each brick.
fn table(all: &Profiler<16>, p: &Passes, c: &Config, places: Option<&[Place]>) -> String {
    let tick = clock::tick(clock::fastest);
    let total = all.total().max(1) as f64;
    let mut text = format!(
        "{:<10} {:>8} {:>9} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8}\n",
        "brick", "calls", "self ms", "%", "us/token", "median us", "99 % us", "GFLOP/s", "GB/s"
    );
    let mut rows: Vec<_> = all.bricks().collect();
    rows.sort_by_key(|(_, stats)| std::cmp::Reverse(stats.total));
    for (id, stats) in rows {
        let ns = stats.total as f64 * tick;
        let us = |q| stats.quantile(q).unwrap_or(0) as f64 * tick / 1e3;
        _ = write!(
            text,
            "{:<10} {:>8} {:>9.2} {:>6.1} {:>9.2} {:>9.2} {:>9.2}",
            name(id),
            stats.count,
            ns / 1e6,
            100.0 * stats.total as f64 / total,
            ns / 1e3 / p.tokens.max(1) as f64,
            us(0.5),
            us(0.99)
        );
        if let Some([flops, bytes]) = work(id, p, c, places) {
            _ = write!(text, " {:>9.2} {:>8.2}", flops as f64 / ns, bytes as f64 / ns);
        }
        text.push('\n');
    }
    let (ms, tokens) = (total * tick / 1e6, p.tokens);
    _ = writeln!(
        text,
        "{:<10} {ms:>18.2}        {:>9.2}  of {tokens} tokens in {} passes; bytes are those of weights, keys and values",
        "all",
        ms * 1e3 / tokens.max(1) as f64,
        p.passes
    );
    text
}

/// Tells the file of ops and launches.
struct ToFile;

impl Sink for ToFile {
    fn end(&self, about: &About<'_>, start: u64, stop: u64) {
        if let Some(file) = held(&FILE).as_mut() {
            file.span(about.name(), Some(about.work.bytes), start, stop);
        }
    }
}

/// Bytes that are written at once.
const BLOCK: usize = 1 << 16;

/// Spans in the form of Chrome's traces, which Perfetto opens: an array, which may end anywhere.
struct Spans {
    to: File,
    failed: Option<io::Error>,
    text: String,
    /// Spans in `text`, in the file, and lost.
    waiting: u64,
    written: u64,
    lost: u64,
    first: u64,
    tick: f64,
}

impl Spans {
    fn new(to: File) -> Self {
        let tick = clock::tick(clock::fastest);
        let text = String::from(
            "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"llm\"}},\n",
        );
        let first = clock::fastest();
        Self { to, failed: None, text, waiting: 0, written: 0, lost: 0, first, tick }
    }

    fn span(&mut self, name: &str, bytes: Option<u64>, start: u64, stop: u64) {
        if self.failed.is_some() {
            self.lost += 1;
            return;
        }
        // Both ends are rounded alike, so that spans within each other stay so.
        let at = |ticks: u64| (ticks.saturating_sub(self.first) as f64 * self.tick) as u64;
        let (from, to) = (at(start), at(stop));
        let dur = to.saturating_sub(from);
        let tid = NUMBER.with(|n| *n);
        self.text += "{\"ph\":\"X\",\"name\":\"";
        escape(name, &mut self.text);
        _ = write!(
            self.text,
            "\",\"pid\":1,\"tid\":{tid},\"ts\":{}.{:03},\"dur\":{}.{:03}",
            from / 1000,
            from % 1000,
            dur / 1000,
            dur % 1000
        );
        if let Some(bytes) = bytes {
            _ = write!(self.text, ",\"args\":{{\"bytes\":{bytes}}}");
        }
        self.text += "},\n";
        self.waiting += 1;
        if self.text.len() >= BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        match self.to.write_all(self.text.as_bytes()) {
            Ok(()) => self.written += self.waiting,
            Err(why) => {
                self.lost += self.waiting;
                self.failed.get_or_insert(why);
            }
        }
        self.waiting = 0;
        self.text.clear();
    }

    fn end(mut self, path: &Path) -> String {
        self.flush();
        let path = crate::files::shown(path);
        match self.failed {
            None => format!("{path}: {} spans; https://ui.perfetto.dev opens it\n", self.written),
            Some(why) => {
                format!("{path}: {why}: {} spans are written, {} are lost\n", self.written, self.lost)
            }
        }
    }
}

/// `name` within a string of JSON.
fn escape(name: &str, to: &mut String) {
    for c in name.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            c if c.is_control() => _ = write!(to, "\\u{:04x}", c as u32),
            c => to.push(c),
        }
    }
}
