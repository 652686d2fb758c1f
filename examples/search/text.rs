//! Text to features: passages of a file, words of a passage, hashed features of a word.

extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;
use fulmen::{Alu, Body, Error};

/// Longest passage in bytes: a longer line is cut at white space, and each part counts by itself.
pub const PASSAGE: usize = 1024;
/// Longest word, in characters, whose inner n-grams count; beyond it stand blobs and hashes.
const LONG: usize = 40;
/// What the n-grams of a word weigh against the word itself.
const GRAMS: f32 = 0.5;
/// Elements that a word counts in.
const COPIES: usize = 4;
/// `1 / √COPIES`.
const COPY: f32 = 0.5;
/// What a stop word weighs against any other word.
const STOP: f32 = 0.05;

/// English words that say little about what a line is about. Sorted, for binary search.
pub const STOP_WORDS: [&str; 127] = [
    "a", "about", "after", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "being", "between", "both", "but", "by", "can", "could", "did", "do", "does", "doing",
    "dont", "down", "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her",
    "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "itself", "just", "may", "me",
    "might", "more", "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "one", "only",
    "or", "other", "our", "out", "over", "own", "same", "shall", "she", "should", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "thus", "to", "too", "two", "under", "until", "up", "upon", "us", "use", "used", "using", "very", "via",
    "was", "we", "were", "what", "when", "where", "whether", "which", "while", "who", "whom", "why", "will",
    "with", "within", "without", "would", "you", "your",
];

/// Whether the list of stop words has `word`.
pub fn is_stop(word: &str) -> bool {
    // No word of the list is longer than "because".
    word.len() <= 7 && STOP_WORDS.binary_search(&word).is_ok()
}

/// A line, or a part of a long one: bytes `start..end` of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// Line number, from 1.
    pub line: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The passages of `file` that hold more than white space, in order.
pub fn passages(file: &[u8]) -> Vec<Passage> {
    let mut out = Vec::new();
    let mut at = 0;
    for (i, line) in file.split(|&b| b == b'\n').enumerate() {
        let mut start = at;
        let mut rest = line;
        while !rest.is_empty() {
            let (part, tail) = rest.split_at_checked(cut(rest)).unwrap_or((rest, &[]));
            let blank = part.len() - part.trim_ascii_start().len();
            let text = part.trim_ascii();
            if !text.is_empty() {
                out.push(Passage { line: i + 1, start: start + blank, end: start + blank + text.len() });
            }
            start += part.len();
            rest = tail;
        }
        at += line.len() + 1;
    }
    out
}

/// Where the first passage of `line` ends.
fn cut(line: &[u8]) -> usize {
    match line.get(..PASSAGE) {
        None => line.len(),
        Some(head) => {
            let space = head.iter().rposition(u8::is_ascii_whitespace).map(|i| i + 1);
            // Without white space, before the character that the limit would split.
            let character = head.iter().rposition(|b| b & 0xC0 != 0x80).filter(|&i| i > 0);
            space.or(character).unwrap_or(PASSAGE)
        }
    }
}

/// Scripts that put no space between words: Han and kana.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

/// Characters that vanish inside a word: apostrophes, the soft hyphen, combining accents.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{AD}' | '\u{300}'..='\u{36F}')
}

/// Calls `emit(word, offset)` for each word of `text`: a run of letters and digits in lower case,
/// and for scripts without spaces each pair of neighbours. `word` is scratch.
pub fn words(text: &str, word: &mut String, mut emit: impl FnMut(&str, usize)) {
    word.clear();
    let mut first = 0;
    // The last character of an unspaced run, and whether a pair with it was emitted.
    let mut before: Option<(char, usize, bool)> = None;
    for (at, c) in text.char_indices().chain(Some((text.len(), ' '))) {
        let unspaced = !c.is_ascii() && is_unspaced(c);
        if !unspaced {
            if let Some((b, from, false)) = before {
                word.push(b);
                emit(word, from);
                word.clear();
            }
            before = None;
            if c.is_ascii_alphanumeric() || (!c.is_ascii() && c.is_alphanumeric()) {
                if word.is_empty() {
                    first = at;
                }
                if c.is_ascii() {
                    word.push(c.to_ascii_lowercase());
                } else {
                    // The lower case of some letters ends in a combining accent.
                    word.extend(c.to_lowercase().filter(|&l| !is_silent(l)));
                }
                continue;
            }
            if is_silent(c) {
                continue;
            }
        }
        if !word.is_empty() {
            emit(word, first);
            word.clear();
        }
        if unspaced {
            if let Some((b, from, _)) = before {
                word.push(b);
                word.push(c);
                emit(word, from);
                word.clear();
            }
            before = Some((c, at, before.is_some()));
        }
    }
}

/// FNV-1a of 64 bits, begun with `kind` so that a word and an n-gram with the same letters differ.
const fn fnv_start(kind: u8) -> u64 {
    fnv_step(0xCBF2_9CE4_8422_2325, kind)
}

/// One byte further.
const fn fnv_step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01B3)
}

/// The finaliser of MurmurHash3, so that every bit of a short text's hash is usable.
const fn fmix(hash: u64) -> u64 {
    let h = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let h = (h ^ (h >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    h ^ (h >> 33)
}

/// The hash of a whole word without the `s` of an English plural.
pub fn word_hash(word: &str) -> u64 {
    let (stem, ending) = singular(word);
    fmix(stem.bytes().chain(ending.bytes()).fold(fnv_start(b'w'), fnv_step))
}

/// Harman's S stemmer: `(stem, ending)`, as in `("librar", "y")` for `libraries`.
fn singular(word: &str) -> (&str, &str) {
    let not = |endings: [&str; 3]| word.len() > 3 && !endings.iter().any(|e| word.ends_with(e));
    if let Some(stem) = word.strip_suffix("ies").filter(|_| not(["eies", "aies", "ss"])) {
        (stem, "y")
    } else if let Some(stem) = word.strip_suffix('s').filter(|_| not(["us", "ss", "is"])) {
        (stem, "")
    } else {
        (word, "")
    }
}

/// Calls `emit` with the hash of each run of 3 to 5 characters of `<word>`.
pub fn grams(word: &str, mut emit: impl FnMut(u64)) {
    // First with the opening mark, then from each character on.
    let marked = fnv_step(fnv_start(b'g'), b'<');
    runs(marked, 1, word.as_bytes(), &mut emit);
    for (at, _) in word.char_indices() {
        runs(fnv_start(b'g'), 0, word.as_bytes().get(at..).unwrap_or_default(), &mut emit);
    }
}

/// Extends a run of `count` characters by those of `from` and the closing mark, up to 5.
#[inline]
fn runs(mut hash: u64, mut count: usize, from: &[u8], emit: &mut impl FnMut(u64)) {
    let mut bytes = from.iter().copied().chain(Some(b'>')).peekable();
    while count < 5
        && let Some(b) = bytes.next()
    {
        hash = fnv_step(hash, b);
        // The rest of a character of several bytes.
        while let Some(b) = bytes.next_if(|b| b & 0xC0 == 0x80) {
            hash = fnv_step(hash, b);
        }
        count += 1;
        if count >= 3 {
            emit(fmix(hash));
        }
    }
}

/// One hashed feature of a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feature {
    /// Its hash.
    pub hash: u64,
    /// How much one occurrence weighs before the idf.
    pub share: f32,
    /// How often its word occurs in the passage.
    pub count: f32,
    /// In how many elements it counts: [`COPIES`] for a word, so that one collision cannot make two
    /// words look alike, and 1 for an n-gram, which has company anyway.
    pub copies: usize,
}

impl Feature {
    /// The element of each copy in a vector of `dim`, the last of which stays free, and its weight,
    /// whose square sums to `share²`. Signs let features that share an element cancel on average.
    pub fn elements(self, dim: usize) -> impl Iterator<Item = (usize, f32)> {
        let share = if self.copies == COPIES { self.share * COPY } else { self.share };
        (0..self.copies as u64).map(move |copy| {
            let h = if copy == 0 { self.hash } else { fmix(self.hash ^ copy) };
            let element = ((h >> 32) * (dim as u64 - 1)) >> 32;
            (element as usize, if h & 0x8000_0000 == 0 { share } else { -share })
        })
    }
}

/// Most n-grams that a word has: three lengths in [`LONG`] characters and two marks.
const MOST_GRAMS: usize = 3 * LONG;

/// `GRAMS / √x`: the share of each of `x` n-grams, so that together they have the norm `GRAMS`.
#[derive(Clone, Copy)]
struct GramShare;
impl Body<f32, 1> for GramShare {
    #[inline(always)]
    fn eval<V: Alu<Elem = f32>>(self, [x]: [V; 1]) -> V {
        x.lit(GRAMS) / x.sqrt()
    }
}

/// Finds the features of passages; keeps its scratch to save allocations.
#[derive(Debug)]
pub struct Features {
    /// [`GramShare`] of each count.
    shares: [f32; MOST_GRAMS],
    word: String,
    letters: String,
    words: Vec<(u64, usize, usize)>,
    grams: Vec<u64>,
}

impl Features {
    /// With empty scratch.
    pub fn new() -> Result<Self, Error> {
        let mut shares: [f32; MOST_GRAMS] = core::array::from_fn(|n| n as f32);
        fulmen::map_in_place(GramShare, &mut shares)?;
        Ok(Self { shares, word: String::new(), letters: String::new(), words: Vec::new(), grams: Vec::new() })
    }

    /// Calls `emit` for each feature of `text`, in an order that depends on the set of words only,
    /// so that lines with the same words get the same bits.
    pub fn of(&mut self, text: &str, mut emit: impl FnMut(Feature)) {
        let Self { shares, word, letters, words: list, grams: inner } = self;
        letters.clear();
        list.clear();
        words(text, word, |w, _| {
            list.push((word_hash(w), letters.len(), letters.len() + w.len()));
            letters.push_str(w);
        });
        list.sort_unstable();
        for same in list.chunk_by(|a, b| a.0 == b.0) {
            let Some(&(hash, start, end)) = same.first() else { continue };
            let count = same.len() as f32;
            let w = letters.get(start..end).unwrap_or_default();
            if is_stop(w) {
                emit(Feature { hash, share: STOP, count, copies: COPIES });
                continue;
            }
            emit(Feature { hash, share: 1.0, count, copies: COPIES });
            inner.clear();
            if has_grams(w) {
                grams(w, |g| inner.push(g));
            }
            let share = shares.get(inner.len()).copied().unwrap_or_default();
            for &hash in inner.iter() {
                emit(Feature { hash, share, count, copies: 1 });
            }
        }
    }
}

/// Whether the inside of `word` means something: it begins with a letter and is not a blob.
pub fn has_grams(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_alphabetic) && word.chars().nth(LONG).is_none()
}
