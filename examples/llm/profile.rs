//! Measures the bricks of a pass (feature `trace`): each thread of the model has a profiler, and spans are written to a file.
//!
//! The bricks of a thread follow each other: the end of one is the start of the next. On a device, the time of a brick is what the
//! host takes to queue its launches.

use super::{Config, Span};
use crate::config::Place;
use fulmen::trace::{BrickId as Id, Listener, Profiler, Sink, SpanInfo, clock, listen, silence};
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

/// The counts of passes, from which the floating-point operations and bytes of bricks follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passes {
    passes: u64,
    tokens: u64,
    /// The number of tokens whose logits were computed.
    heads: u64,
    /// The keys that were read, and the pairs of a query and a key that it attends to.
    keys: u64,
    pairs: u64,
}

/// The profile of one thread.
#[derive(Debug, Default)]
struct ThreadProfile {
    profiler: Profiler<16>,
    passes: Passes,
    last: u64,
}

static ON: AtomicBool = AtomicBool::new(false);
static ALL: Mutex<Vec<Arc<Mutex<ThreadProfile>>>> = Mutex::new(Vec::new());
static THREADS: AtomicUsize = AtomicUsize::new(1);
static FILE: Mutex<Option<Spans>> = Mutex::new(None);
static LISTENER: Listener = Listener { clock: clock::fastest, sink: &FileSink };

thread_local! {
    static MINE: OnceCell<Arc<Mutex<ThreadProfile>>> = const { OnceCell::new() };
    static NUMBER: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

fn lock<T>(x: &Mutex<T>) -> MutexGuard<'_, T> {
    x.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_profile(f: impl FnOnce(&mut ThreadProfile)) {
    if !ON.load(Ordering::Relaxed) {
        return;
    }
    MINE.with(|mine| {
        let mine = mine.get_or_init(|| {
            let new = Arc::<Mutex<ThreadProfile>>::default();
            lock(&ALL).push(new.clone());
            new
        });
        f(&mut lock(mine));
    });
}

/// Begins a brick.
pub fn start() {
    with_profile(|local| {
        local.last = clock::fastest();
        local.profiler.start(local.last);
    });
}

/// Ends the brick `id`, and begins the next.
pub fn lap(id: Id) {
    with_profile(|local| {
        let now = clock::fastest();
        let counted = local.profiler.lap(id, now);
        debug_assert!(counted.is_ok(), "{counted:?}");
        if let Some(file) = lock(&FILE).as_mut() {
            file.span(name(id), None, local.last, now);
        }
        local.last = now;
    });
}

/// Begins a pass over the tokens of `span`, which computes the logits of `heads` tokens.
pub fn pass(span: Span, heads: usize) {
    with_profile(|local| {
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

/// A running measurement, from its begin to its end.
pub struct Watch {
    profile: bool,
    trace: bool,
}

impl Watch {
    /// Begins a measurement: `profile` counts bricks, and `file` receives spans.
    pub fn begin(profile: bool, file: Option<File>) -> Self {
        for local in lock(&ALL).iter() {
            *lock(local) = ThreadProfile::default();
        }
        let trace = file.is_some();
        *lock(&FILE) = file.map(Spans::new);
        ON.store(profile || trace, Ordering::Relaxed);
        if trace {
            listen(&LISTENER);
        }
        Self { profile, trace }
    }

    /// Ends the measurement, and returns the table and the number of spans in the file, if there are any.
    pub fn end(self, c: &Config, places: Option<&[Place]>, path: &Path) -> String {
        silence();
        ON.store(false, Ordering::Relaxed);
        let mut text = String::new();
        if self.profile {
            let (mut all, mut passes) = (Profiler::new(), Passes::default());
            for local in lock(&ALL).iter() {
                let local = lock(local);
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
            && let Some(file) = lock(&FILE).take()
        {
            text += &file.end(path);
        }
        text
    }
}

/// The bytes of `tensors` tensors from `at` on, in the format in which they are stored; without `places`, those of `f32`.
fn stored_bytes(places: Option<&[Place]>, at: usize, tensors: usize, elements: usize) -> u64 {
    let Some(places) = places else { return 4 * elements as u64 };
    let bytes = |p: &Place| p.range.len() * if p.kind == 0 { 4 } else { 1 };
    places.iter().skip(at).take(tensors).map(bytes).sum::<usize>() as u64
}

/// The floating-point operations of a brick, and the bytes of weights, keys and values that it reads.
fn brick_work(id: Id, p: &Passes, c: &Config, places: Option<&[Place]>) -> Option<[u64; 2]> {
    let (d, qd, width, f) = (c.dim, c.q_width(), c.kv_width(), c.hidden);
    let layers = c.layers as u64;
    let product = |tensor: usize, tensors: usize, elements: usize| {
        let bytes: u64 = (0..c.layers)
            .map(|l| stored_bytes(places, 1 + c.tensors() * l + tensor, tensors, elements))
            .sum();
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
            Some([2 * p.heads * elements as u64, p.passes * stored_bytes(places, at, 1, elements)])
        }
        ATTENTION => Some([4 * layers * p.pairs * qd as u64, 4 * layers * p.keys * width as u64]),
        _ => None,
    }
}

/// The table, with a row for each brick.
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
        if let Some([flops, bytes]) = brick_work(id, p, c, places) {
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

/// Writes ops and launches to the file.
struct FileSink;

impl Sink for FileSink {
    fn end(&self, info: &SpanInfo<'_>, start: u64, stop: u64) {
        if let Some(file) = lock(&FILE).as_mut() {
            file.span(info.name(), Some(info.traffic.bytes), start, stop);
        }
    }
}

/// The bytes of text that are written at once.
const BLOCK: usize = 1 << 16;

/// A file of spans in Chrome's Trace Event Format, which Perfetto opens. Its closing bracket is optional, and is not written.
struct Spans {
    to: File,
    failed: Option<io::Error>,
    text: String,
    /// The number of spans in `text`, in the file, and lost.
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
        // Both ends are rounded in the same way, so that nested spans stay nested.
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

/// Appends `name` to `to`, escaped for a JSON string.
fn escape(name: &str, to: &mut String) {
    for c in name.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            c if c.is_control() => _ = write!(to, "\\u{:04x}", c as u32),
            c => to.push(c),
        }
    }
}
