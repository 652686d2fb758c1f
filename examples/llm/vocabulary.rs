//! Byte pairs: tokens are the 256 bytes and pairs of tokens that follow each other often in the text they were learnt
//! from. A token holds white space only at its start, so words are apart and each is encoded once.

use crate::memory::{self, Lack, Row};
use core::hash::Hash;
use core::ops::Range;
use std::collections::HashMap;

/// The pairs, in the order in which they were learnt; token `256 + i` is pair `i`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    pairs: Vec<[u32; 2]>,
}

/// The longest vocabulary.
pub const MOST: usize = 1 << 16;
/// Bytes of the longest token.
const LONGEST: usize = 256;

/// White space and what follows it up to the next white space.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|c| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        let len = rest[start..].iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |n| start + n);
        let (word, tail) = rest.split_at(len);
        rest = tail;
        (!word.is_empty()).then_some(word)
    })
}

/// Puts `token` where `pair` is; how long the word is then.
fn merge(word: &mut [u32], pair: [u32; 2], token: u32) -> usize {
    let mut to = 0;
    let mut from = 0;
    while from < word.len() {
        let found = word[from..].starts_with(&pair);
        word[to] = if found { token } else { word[from] };
        from += if found { 2 } else { 1 };
        to += 1;
    }
    to
}

/// The bytes of a table of so many entries while it grows: a power of two of places, of which seven eighths are used at most, beside
/// the table of half the size.
fn table(entries: usize, each: usize) -> usize {
    let places = (entries.saturating_mul(8) / 7).checked_next_power_of_two().unwrap_or(usize::MAX);
    places.saturating_mul(each + 1).saturating_mul(3) / 2
}

/// Room for one entry more, or that there is none: neither free memory nor the allocator is asked for what it has not.
fn grow<K: Eq + Hash, V>(table_of: &mut HashMap<K, V>) -> Result<(), Lack> {
    if table_of.len() < table_of.capacity() {
        return Ok(());
    }
    let bytes = table(2 * table_of.len().max(8), size_of::<(K, V)>());
    memory::check(&[("words", bytes.div_ceil(4))])?;
    let lack = |_| Lack::Memory { needed: Some(bytes as u128), free: None };
    table_of.try_reserve(table_of.len().max(8)).map_err(lack)
}

/// The different words of a text, and how often each occurs.
pub struct Words<'a> {
    counts: HashMap<&'a [u8], u64>,
    /// The bytes of all of them.
    bytes: usize,
}

impl<'a> Words<'a> {
    /// Of a text.
    pub fn of(text: &'a [u8]) -> Result<Self, Lack> {
        let (mut counts, mut bytes) = (HashMap::new(), 0);
        for word in words(text) {
            if let Some(n) = counts.get_mut(word) {
                *n += 1;
                continue;
            }
            grow(&mut counts)?;
            counts.insert(word, 1);
            bytes += word.len();
        }
        Ok(Self { counts, bytes })
    }

    /// The buffers in which `size` tokens are learnt from a text of `len` bytes with these words, and the text is encoded.
    pub fn plan(&self, size: usize, len: usize) -> [Row; 4] {
        let distinct = self.counts.len();
        let pairs = self.bytes.min(size.saturating_mul(size));
        let learnt =
            table(distinct, size_of::<(&[u8], u64)>()) + distinct * size_of::<Word>() + 4 * self.bytes;
        // The table of the words that are encoded comes when that of learning is gone.
        let encoded = table(distinct, size_of::<(&[u8], Range<usize>)>());
        [
            // As it is read, and without what is held out.
            ("text", (2 * len).div_ceil(4)),
            ("words", learnt.max(encoded).div_ceil(4)),
            ("pairs", table(pairs, size_of::<([u32; 2], u64)>()).div_ceil(4)),
            // A list of tokens that grows, beside the one of half the size.
            ("text's tokens", len + len / 2),
        ]
    }
}

/// A word among the tokens of all, and how often it occurs.
struct Word {
    start: usize,
    len: usize,
    n: u64,
}

impl Vocabulary {
    /// Of `pairs` of earlier tokens; `None` when one names a token that is not yet there, or is too long.
    pub fn new(pairs: Vec<[u32; 2]>) -> Option<Self> {
        let mut lengths = vec![1; 256];
        for pair in &pairs {
            let len: usize = pair.iter().map(|&t| lengths.get(t as usize)).sum::<Option<_>>()?;
            lengths.push(len);
            if len > LONGEST || lengths.len() > MOST {
                return None;
            }
        }
        Some(Self { pairs })
    }

    /// Learns from `text` until there are `size` tokens or no pair is left that occurs twice.
    ///
    /// Errors: [`Lack::Memory`] when the words of the text need more than is free.
    pub fn learn(text: &[u8], size: usize) -> Result<Self, Lack> {
        let words = Words::of(text)?;
        memory::check(&words.plan(size, 0))?;
        let full = |n: usize| move |_| Lack::Memory { needed: Some(n as u128), free: None };
        let (mut tokens, mut known) = (Vec::new(), Vec::new());
        tokens.try_reserve_exact(words.bytes).map_err(full(4 * words.bytes))?;
        let n = words.counts.len();
        known.try_reserve_exact(n).map_err(full(n * size_of::<Word>()))?;
        for (word, n) in words.counts {
            known.push(Word { start: tokens.len(), len: word.len(), n });
            tokens.extend(word.iter().map(|&c| u32::from(c)));
        }
        let mut pairs = Vec::new();
        let mut lengths = vec![1; 256];
        let mut seen: HashMap<[u32; 2], u64> = HashMap::new();
        while pairs.len() + 256 < size.min(MOST) {
            seen.clear();
            for word in &known {
                for pair in tokens[word.start..word.start + word.len].windows(2) {
                    grow(&mut seen)?;
                    *seen.entry([pair[0], pair[1]]).or_default() += word.n;
                }
            }
            // The most frequent, of equals the first: the same text gives the same tokens.
            let short = |p: &[u32; 2]| lengths[p[0] as usize] + lengths[p[1] as usize] <= LONGEST;
            let best =
                seen.iter().filter(|(p, _)| short(p)).max_by_key(|&(&pair, &n)| (n, std::cmp::Reverse(pair)));
            let Some((&pair, 2..)) = best else { break };
            let token = 256 + pairs.len() as u32;
            for word in &mut known {
                word.len = merge(&mut tokens[word.start..word.start + word.len], pair, token);
            }
            pairs.push(pair);
            lengths.push(lengths[pair[0] as usize] + lengths[pair[1] as usize]);
        }
        Ok(Self { pairs })
    }

    /// The pairs.
    pub fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// The tokens in the alphabet of GPT-2, which gives each byte a character that can be seen: itself where it is
    /// one, else the next from U+0100 on.
    pub fn printable(&self) -> Vec<String> {
        let mut next = '\u{100}'..;
        let mut texts: Vec<String> = (0..=255u8)
            .map(|c| match c {
                b'!'..=b'~' | 0xa1..=0xac | 0xae.. => char::from(c),
                _ => next.next().unwrap_or_default(),
            })
            .map(String::from)
            .collect();
        for [a, b] in &self.pairs {
            texts.push(format!("{}{}", texts[*a as usize], texts[*b as usize]));
        }
        texts
    }

    /// The pairs in that alphabet.
    pub fn merges(&self) -> Vec<String> {
        let texts = self.printable();
        self.pairs.iter().map(|[a, b]| format!("{} {}", texts[*a as usize], texts[*b as usize])).collect()
    }

    /// Number of tokens.
    pub fn len(&self) -> usize {
        256 + self.pairs.len()
    }

    /// The tokens of a text.
    pub fn encode(&self, text: &[u8]) -> Vec<u32> {
        // Where the tokens of a word stand that came before.
        let mut known: HashMap<&[u8], Range<usize>> = HashMap::new();
        let (mut out, mut tokens) = (Vec::with_capacity(text.len() / 2), Vec::new());
        for word in words(text) {
            if let Some(before) = known.get(word) {
                out.extend_from_within(before.clone());
                continue;
            }
            tokens.clear();
            tokens.extend(word.iter().map(|&c| u32::from(c)));
            for (i, &pair) in self.pairs.iter().enumerate() {
                if tokens.len() < 2 {
                    break;
                }
                let len = merge(&mut tokens, pair, 256 + i as u32);
                tokens.truncate(len);
            }
            known.insert(word, out.len()..out.len() + tokens.len());
            out.extend_from_slice(&tokens);
        }
        out
    }

    /// Appends the bytes of a token; nothing for one that is not in the vocabulary.
    pub fn decode_into(&self, token: u32, out: &mut Vec<u8>) {
        match (token as usize).checked_sub(256) {
            None => out.push(token as u8),
            Some(i) => {
                for &part in self.pairs.get(i).into_iter().flatten() {
                    self.decode_into(part, out);
                }
            }
        }
    }
}

/// The entropy of a byte given the byte before it, in nats: what the best table of byte pairs would reach.
pub fn bigram_entropy(text: &[u8]) -> f64 {
    let mut counts = vec![[0u32; 256]; 256];
    for pair in text.windows(2) {
        counts[usize::from(pair[0])][usize::from(pair[1])] += 1;
    }
    let mut nats = 0.0;
    for row in &counts {
        let all: f64 = row.iter().map(|&n| f64::from(n)).sum();
        nats -=
            row.iter().filter(|&&n| n > 0).map(|&n| f64::from(n) * (f64::from(n) / all).ln()).sum::<f64>();
    }
    nats / (text.len().saturating_sub(1).max(1)) as f64
}
