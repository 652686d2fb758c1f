//! The search itself: no clock, no files, no threads, so the same source compiles to WebAssembly.
//!
//! A passage becomes a vector: each word, and each run of 3 to 5 characters in it, is hashed to an
//! element and a sign; it counts `(1 + ln tf) · idf · share`. The score is the cosine between the
//! passage and the query. One element is kept for [`PIVOT`], which only passages have: it holds back
//! very short ones, which would else beat a longer line that has more of the query's words.
//!
//! The file is read twice, first for the document frequencies, then for the scores, one batch of
//! dense rows at a time. So memory is the file, a table, and one score per passage.

extern crate alloc;

#[path = "answer.rs"]
pub mod answer;
#[path = "text.rs"]
pub mod text;

pub use answer::{Answer, Hit};

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use fulmen::{Alu, Body, Error, Then};
use text::{Features, Passage};

/// `best!(|s| body)` evaluates `body` with `s` the best instruction set of the processor; in a module, of the build.
macro_rules! best {
    (|$s:ident| $body:expr) => {{
        #[cfg(not(target_arch = "wasm32"))]
        let value = fulmen::dispatch!(|$s| $body);
        #[cfg(target_arch = "wasm32")]
        let value = {
            let $s = fulmen::lanes::native();
            $body
        };
        value
    }};
}
#[allow(unused_imports, reason = "for the command line, which names them")]
pub(crate) use best;

/// Rows of a batch: with 1024 columns, 256 KiB that stay in a second-level cache.
const ROWS: usize = 64;
/// What every passage has besides its features, in words of the highest idf.
const PIVOT: f32 = 1.0;
/// From this Dice coefficient on, a word of the file may stand for one that it lacks.
const ALIKE: f32 = 0.6;
/// The lowest score, as a share of the best one, worth a line without a whole word of the query.
const CUT: f32 = 0.15;

/// What a caller sees while a search runs. Kernels are timed by the caller, who has a clock.
pub trait Observer {
    /// Runs one kernel that reads and writes `bytes` for `items` elements.
    fn kernel<R>(&mut self, name: &'static str, items: usize, bytes: usize, run: impl FnOnce() -> R) -> R;
    /// `done` of `total` bytes are through.
    fn progress(&mut self, done: usize, total: usize);
}

/// What to search for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Most hits.
    pub top: usize,
    /// Elements of a vector, from 16 to 65536.
    pub dim: usize,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file has nothing but white space.
    Empty,
    /// The file is not text, and why it looks so.
    Binary(&'static str),
    /// The query has no letter or digit.
    NoQuery,
    /// No word of the query, and nothing like it, is in the file.
    Unknown(Vec<String>),
    /// A number is out of range.
    Range(&'static str),
    /// A kernel refused.
    Kernel(Error),
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Self::Kernel(e)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "there is no text in it"),
            Self::Binary(why) => write!(f, "not a text file: {why}"),
            Self::NoQuery => write!(f, "the query has no word in it"),
            Self::Unknown(words) => {
                write!(f, "no line has a word like {}", words.join(", "))
            }
            Self::Range(what) => write!(f, "{what}"),
            Self::Kernel(e) => write!(f, "{e}"),
        }
    }
}

/// Refuses what is not text.
fn check_text(file: &[u8]) -> Result<(), Failure> {
    if file.starts_with(&[0xFF, 0xFE]) || file.starts_with(&[0xFE, 0xFF]) {
        return Err(Failure::Binary("it is UTF-16, convert it to UTF-8 first (iconv -f utf-16 -t utf-8)"));
    }
    if file.contains(&0) {
        return Err(Failure::Binary("it has NUL bytes"));
    }
    // Text in another encoding passes: only its letters beyond ASCII are lost.
    let odd: usize = file
        .utf8_chunks()
        .map(|c| {
            c.invalid().len()
                + c.valid()
                    .bytes()
                    .filter(|&b| b < 0x20 && !(b'\x07'..=b'\r').contains(&b) && b != 0x1B)
                    .count()
        })
        .sum();
    if odd > file.len() / 4 {
        return Err(Failure::Binary("much of it is neither UTF-8 nor printable"));
    }
    Ok(())
}

/// `(1 + n) / (1 + df)`, given `1 + n`.
#[derive(Clone, Copy)]
struct Ratio(f32);
impl Body<f32, 1> for Ratio {
    #[inline(always)]
    fn eval<V: Alu<Elem = f32>>(self, [df]: [V; 1]) -> V {
        df.param(self.0) / (df + df.c(1.0))
    }
}

/// `x + 1`.
#[derive(Clone, Copy)]
struct PlusOne;
impl Body<f32, 1> for PlusOne {
    #[inline(always)]
    fn eval<V: Alu<Elem = f32>>(self, [x]: [V; 1]) -> V {
        x + x.c(1.0)
    }
}

/// `(1 + ln tf) · share · idf`.
#[derive(Clone, Copy)]
struct Weight;
impl Body<f32, 3> for Weight {
    #[inline(always)]
    fn eval<V: Alu<Elem = f32>>(self, [ln_tf, share, idf]: [V; 3]) -> V {
        ln_tf.mul_add(share, share) * idf
    }
}

/// In how many passages each feature occurs, then its idf.
struct Table {
    /// By the low bits of the hash; a last entry stands for a feature that never occurs.
    value: Vec<f32>,
    /// Which passage counted last.
    last: Vec<u32>,
}

impl Table {
    /// For a file of `bytes` bytes: about two entries for each feature that it can have, up to 2²⁰.
    fn new(bytes: usize) -> Self {
        let size = bytes.saturating_mul(4).next_power_of_two().clamp(1 << 12, 1 << 20);
        Self { value: vec![0.0; size + 1], last: vec![0; size] }
    }
    fn index(&self, hash: u64) -> usize {
        hash as usize & (self.last.len() - 1)
    }
    fn get(&self, hash: u64) -> f32 {
        self.value.get(self.index(hash)).copied().unwrap_or_default()
    }
    /// Counts a feature of passage `number`, from 1, once for each passage.
    fn count(&mut self, hash: u64, number: u32) {
        let i = self.index(hash);
        if let (Some(last), Some(df)) = (self.last.get_mut(i), self.value.get_mut(i))
            && *last != number
        {
            *last = number;
            *df += 1.0;
        }
    }
    /// Document frequencies of `n` passages to `idf = ln((1 + n) / (1 + df)) + 1`.
    fn weigh<O: Observer>(&mut self, n: usize, observer: &mut O) -> Result<(), Error> {
        let value = &mut self.value;
        let (items, bytes) = (value.len(), 8 * value.len());
        observer.kernel("idf", items, bytes, || {
            best!(|s| fulmen::map_in_place_on(
                s,
                Then(Ratio(1.0 + n as f32), Then(fulmen::Ln, PlusOne)),
                value
            ))
        })
    }
    /// The idf of what never occurs: the highest there is.
    fn most(&self) -> f32 {
        self.value.last().copied().unwrap_or_default()
    }
}

/// Some passages on their way to dense rows.
struct Batch {
    dim: usize,
    rows: usize,
    slot: Vec<usize>,
    tf: Vec<f32>,
    share: Vec<f32>,
    idf: Vec<f32>,
    weight: Vec<f32>,
    dense: Vec<f32>,
}

impl Batch {
    fn new(dim: usize) -> Self {
        Self {
            dim,
            rows: 0,
            slot: Vec::new(),
            tf: Vec::new(),
            share: Vec::new(),
            idf: Vec::new(),
            weight: Vec::new(),
            dense: vec![0.0; ROWS * dim],
        }
    }

    /// Begins again without rows.
    fn clear(&mut self) {
        self.rows = 0;
        for list in [&mut self.tf, &mut self.share, &mut self.idf] {
            list.clear();
        }
        self.slot.clear();
    }

    /// One row with the features of `text` that `keep` accepts.
    fn push(&mut self, text: &str, features: &mut Features, table: &Table, keep: impl Fn(u64) -> bool) {
        let Self { dim, rows, slot, tf, share, idf, .. } = self;
        features.of(text, |f| {
            if keep(f.hash) {
                let weight = table.get(f.hash);
                for (element, part) in f.elements(*dim) {
                    slot.push(*rows * *dim + element);
                    tf.push(f.count);
                    share.push(part);
                    idf.push(weight);
                }
            }
        });
        *rows += 1;
    }

    /// The rows, whose last element is `pivot`.
    fn dense<O: Observer>(&mut self, pivot: f32, observer: &mut O) -> Result<&mut [f32], Error> {
        let Self { dim, rows, slot, tf, share, idf, weight, dense } = self;
        let (n, all) = (tf.len(), *rows * *dim);
        observer.kernel("ln", n, 8 * n, || best!(|s| fulmen::map_in_place_on(s, fulmen::Ln, tf)))?;
        weight.resize(n, 0.0);
        observer
            .kernel("tf-idf", n, 16 * n, || best!(|s| fulmen::map_on(s, Weight, [tf, share, idf], weight)))?;
        let Some(dense) = dense.get_mut(..all) else { return Ok(&mut []) };
        observer.kernel("scatter", n, 4 * all + 16 * n, || {
            dense.fill(0.0);
            for row in dense.chunks_exact_mut(*dim) {
                if let Some(last) = row.last_mut() {
                    *last = pivot;
                }
            }
            for (&slot, &weight) in slot.iter().zip(weight.iter()) {
                if let Some(x) = dense.get_mut(slot) {
                    *x += weight;
                }
            }
        });
        Ok(dense)
    }
}

/// What compares passages with the query, batch after batch.
pub trait Compare {
    type Error: From<Failure>;
    /// The cosines of rows of `query.len()` elements with the unit vector `query`; which is the first, and of how many.
    fn rows<O: Observer>(
        &mut self,
        of: [usize; 2],
        rows: &mut [f32],
        query: &[f32],
        observer: &mut O,
    ) -> Result<(), Self::Error>;
}

/// This thread, and the scores that it found.
struct Here(Vec<f32>);

fn unit<O: Observer>(rows: &mut [f32], dim: usize, observer: &mut O) -> Result<(), Error> {
    let n = rows.len();
    observer.kernel("normalize", n, 8 * n, || best!(|s| fulmen::normalize_in_place_on(s, rows, dim)))
}

impl Compare for Here {
    type Error = Failure;
    fn rows<O: Observer>(
        &mut self,
        _: [usize; 2],
        rows: &mut [f32],
        query: &[f32],
        observer: &mut O,
    ) -> Result<(), Failure> {
        unit(rows, query.len(), observer)?;
        observer.kernel("dot", rows.len(), 4 * rows.len(), || {
            rows.chunks_exact(query.len()).try_for_each(|row| {
                self.0.push(best!(|s| fulmen::dot_on(s, row, query))?);
                Ok(())
            })
        })
    }
}

/// The text of a passage; what is not UTF-8 becomes U+FFFD.
pub fn text_of<'a>(file: &'a [u8], p: &Passage) -> alloc::borrow::Cow<'a, str> {
    String::from_utf8_lossy(file.get(p.start..p.end).unwrap_or_default())
}

/// A word of the query.
struct Asked {
    word: String,
    hash: u64,
    /// Whether the file has it.
    found: bool,
}

/// The distinct words of the query, in order.
fn asked(query: &str) -> Vec<Asked> {
    let mut list: Vec<Asked> = Vec::new();
    text::words(query, &mut String::new(), |w, _| {
        if list.iter().all(|a| a.word != w) {
            list.push(Asked { word: w.to_string(), hash: text::word_hash(w), found: false });
        }
    });
    list
}

/// The distinct pairs of neighbours in `<word>`, sorted.
fn pairs(word: &str, list: &mut Vec<(char, char)>) {
    list.clear();
    let mut before = '<';
    for c in word.chars().chain(Some('>')) {
        list.push((before, c));
        before = c;
    }
    list.sort_unstable();
    list.dedup();
}

/// For each of `missing` the word of the file that has most pairs of letters in common with it, by
/// the Dice coefficient. Only one with the same first letter: others merely rhyme.
fn alike(file: &[u8], passages: &[Passage], missing: &[String]) -> Vec<Option<String>> {
    let wanted: Vec<Vec<(char, char)>> = missing
        .iter()
        .map(|w| {
            let mut list = Vec::new();
            pairs(w, &mut list);
            list
        })
        .collect();
    let mut best: Vec<(f32, Option<String>)> = vec![(ALIKE, None); missing.len()];
    // A word that was looked at lately need not be looked at again.
    let mut seen = vec![0u64; 1 << 16];
    let (mut word, mut list) = (String::new(), Vec::new());
    for p in passages {
        text::words(&text_of(file, p), &mut word, |w, _| {
            let hash = text::word_hash(w);
            match seen.get_mut(hash as usize & 0xFFFF) {
                Some(s) if *s != hash => *s = hash,
                _ => return,
            }
            if text::is_stop(w) || !text::has_grams(w) {
                return;
            }
            pairs(w, &mut list);
            for ((missing, wanted), best) in missing.iter().zip(&wanted).zip(&mut best) {
                if missing.chars().next() != w.chars().next() {
                    continue;
                }
                let common = list.iter().filter(|p| wanted.binary_search(p).is_ok()).count();
                let dice = 2.0 * common as f32 / (wanted.len() + list.len()) as f32;
                if dice > best.0 {
                    *best = (dice, Some(w.to_string()));
                }
            }
        });
    }
    best.into_iter().map(|(_, word)| word).collect()
}

/// The lines of `file` most similar to `query`.
pub fn search<O: Observer>(
    file: &[u8],
    query: &str,
    options: Options,
    observer: &mut O,
) -> Result<Answer, Failure> {
    let mut here = Here(Vec::new());
    let compared = compare(file, query, options, &mut here, observer)?;
    compared.answer(&here.0, observer)
}

/// A search whose passages are compared with the query.
pub struct Compared<'a> {
    file: &'a [u8],
    top: usize,
    passages: Vec<Passage>,
    /// The features of the query, sorted.
    sought: Vec<u64>,
    only_stops: bool,
    missing: Vec<(String, Option<String>)>,
}

/// Hands all passages of `file`, and `query`, to what compares them.
pub fn compare<'a, C: Compare, O: Observer>(
    file: &'a [u8],
    query: &str,
    options: Options,
    with: &mut C,
    observer: &mut O,
) -> Result<Compared<'a>, C::Error> {
    let Options { top, dim } = options;
    if top == 0 {
        return Err(Failure::Range("the number of lines must be at least 1").into());
    }
    if !(16..=65536).contains(&dim) {
        return Err(Failure::Range("the dimension must lie between 16 and 65536").into());
    }
    let mut asked = asked(query);
    if asked.is_empty() {
        return Err(Failure::NoQuery.into());
    }
    check_text(file)?;
    let passages = text::passages(file);
    if passages.is_empty() {
        return Err(Failure::Empty.into());
    }

    // First reading: document frequencies.
    let mut features = Features::new().map_err(Failure::Kernel)?;
    let mut table = Table::new(file.len());
    let total = 2 * file.len();
    // Bit `hash % 64` of each word of the query, to pass over nearly all others.
    let filter = asked.iter().fold(0u64, |f, a| f | 1 << (a.hash & 63));
    for (number, batch) in (1u32..).step_by(ROWS).zip(passages.chunks(ROWS)) {
        let bytes = batch.iter().map(|p| p.end - p.start).sum();
        observer.kernel("count", bytes, bytes, || {
            for (number, p) in (number..).zip(batch) {
                features.of(&text_of(file, p), |f| {
                    table.count(f.hash, number);
                    if filter >> (f.hash & 63) & 1 == 1 {
                        asked.iter_mut().filter(|a| a.hash == f.hash).for_each(|a| a.found = true);
                    }
                });
            }
        });
        observer.progress(batch.last().map_or(0, |p| p.end), total);
    }

    // The query, without the words that the file lacks: they would only add noise.
    let lacking: Vec<String> =
        asked.iter().filter(|a| !a.found && !text::is_stop(&a.word)).map(|a| a.word.clone()).collect();
    let instead = if lacking.is_empty() { Vec::new() } else { alike(file, &passages, &lacking) };
    let only_stops = asked.iter().all(|a| text::is_stop(&a.word));
    let of_use = asked.iter().any(|a| a.found && (only_stops || !text::is_stop(&a.word)));
    if !of_use && instead.iter().all(Option::is_none) {
        return Err(Failure::Unknown(asked.into_iter().map(|a| a.word).collect()).into());
    }
    let known: Vec<&str> = asked
        .iter()
        .filter(|a| a.found)
        .map(|a| a.word.as_str())
        .chain(instead.iter().flatten().map(String::as_str))
        .collect();
    let plain = known.join(" ");
    let mut sought = Vec::new();
    features.of(&plain, |f| {
        if table.get(f.hash) > 0.0 {
            sought.push(f.hash);
        }
    });
    sought.sort_unstable();
    table.weigh(passages.len(), observer).map_err(Failure::Kernel)?;
    let mut batch = Batch::new(dim);
    batch.push(&plain, &mut features, &table, |hash| sought.binary_search(&hash).is_ok());
    let mut query = batch.dense(0.0, observer).map_err(Failure::Kernel)?.to_vec();
    unit(&mut query, dim, observer).map_err(Failure::Kernel)?;

    // Second reading: scores.
    let pivot = PIVOT * table.most();
    for (first, part) in (0..).step_by(ROWS).zip(passages.chunks(ROWS)) {
        let bytes = part.iter().map(|p| p.end - p.start).sum();
        batch.clear();
        observer.kernel("hash", bytes, bytes, || {
            for p in part {
                batch.push(&text_of(file, p), &mut features, &table, |_| true);
            }
        });
        let dense = batch.dense(pivot, observer).map_err(Failure::Kernel)?;
        with.rows([first, passages.len()], dense, &query, observer)?;
        observer.progress(file.len() + part.last().map_or(0, |p| p.end), total);
    }
    observer.progress(total, total);
    let missing = lacking.into_iter().zip(instead).collect();
    Ok(Compared { file, top, passages, sought, only_stops, missing })
}

impl Compared<'_> {
    /// The best, by the scores of all passages.
    pub fn answer<O: Observer>(self, scores: &[f32], observer: &mut O) -> Result<Answer, Failure> {
        let Self { file, top, passages, sought, only_stops, missing } = self;
        // More than asked for, since a line may score by a collision of hashes alone.
        let k = top.saturating_mul(2).saturating_add(16).min(scores.len());
        let (mut values, mut indices) = (vec![0.0f32; k], vec![0u32; k]);
        observer.kernel("top_k", scores.len(), 4 * scores.len(), || {
            best!(|s| fulmen::top_k_on(s, scores, k, &mut values, &mut indices))
        })?;
        let least = CUT * values.first().copied().unwrap_or_default();
        let hits: Vec<Hit> = values
            .iter()
            .zip(&indices)
            .filter_map(|(&score, &i)| {
                let passage = *passages.get(i as usize)?;
                let (focus, whole) = focus(&text_of(file, &passage), &sought, only_stops)?;
                (score > if whole { 0.0 } else { least }).then_some(Hit { passage, score, focus })
            })
            .take(top)
            .collect();
        Ok(Answer { hits, passages: passages.len(), missing })
    }
}

/// Where the passage first has a word of the query, and true; or else the inside of one, and false.
/// None when all that it has is a stop word (unless `stops` count) or a collision. `sought` is sorted.
fn focus(text: &str, sought: &[u64], stops: bool) -> Option<(usize, bool)> {
    let (mut exact, mut inside) = (None, None);
    text::words(text, &mut String::new(), |w, at| {
        if text::is_stop(w) && !stops {
            return;
        }
        if exact.is_none() && sought.binary_search(&text::word_hash(w)).is_ok() {
            exact = Some((at, true));
        }
        if inside.is_none() && text::has_grams(w) {
            text::grams(w, |g| {
                if sought.binary_search(&g).is_ok() {
                    inside = Some((at, false));
                }
            });
        }
    });
    exact.or(inside)
}
