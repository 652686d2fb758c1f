//! Byte pairs: tokens are the 256 bytes and pairs of tokens that follow each other often in the text they were learnt
//! from. A token holds white space only at its start, so words are apart and each is encoded once.

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

fn merge(word: &mut Vec<u32>, pair: [u32; 2], token: u32) {
    let mut to = 0;
    let mut from = 0;
    while from < word.len() {
        let found = word[from..].starts_with(&pair);
        word[to] = if found { token } else { word[from] };
        from += if found { 2 } else { 1 };
        to += 1;
    }
    word.truncate(to);
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
    pub fn learn(text: &[u8], size: usize) -> Self {
        let mut counts: HashMap<&[u8], u64> = HashMap::new();
        for word in words(text) {
            *counts.entry(word).or_default() += 1;
        }
        let mut known: Vec<(Vec<u32>, u64)> =
            counts.into_iter().map(|(w, n)| (w.iter().map(|&c| c.into()).collect(), n)).collect();
        known.sort_unstable();
        let mut pairs = Vec::new();
        let mut lengths = vec![1; 256];
        let mut seen: HashMap<[u32; 2], u64> = HashMap::new();
        while pairs.len() + 256 < size.min(MOST) {
            seen.clear();
            for (word, n) in &known {
                for pair in word.windows(2) {
                    *seen.entry([pair[0], pair[1]]).or_default() += n;
                }
            }
            // The most frequent, of equals the first: the same text gives the same tokens.
            let short = |p: &[u32; 2]| lengths[p[0] as usize] + lengths[p[1] as usize] <= LONGEST;
            let best =
                seen.iter().filter(|(p, _)| short(p)).max_by_key(|&(&pair, &n)| (n, std::cmp::Reverse(pair)));
            let Some((&pair, 2..)) = best else { break };
            let token = 256 + pairs.len() as u32;
            for (word, _) in &mut known {
                merge(word, pair, token);
            }
            pairs.push(pair);
            lengths.push(lengths[pair[0] as usize] + lengths[pair[1] as usize]);
        }
        Self { pairs }
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
        let mut known: HashMap<&[u8], Vec<u32>> = HashMap::new();
        let mut out = Vec::with_capacity(text.len() / 2);
        for word in words(text) {
            let tokens = known.entry(word).or_insert_with(|| {
                let mut tokens: Vec<u32> = word.iter().map(|&c| c.into()).collect();
                for (i, &pair) in self.pairs.iter().enumerate() {
                    if tokens.len() < 2 {
                        break;
                    }
                    merge(&mut tokens, pair, 256 + i as u32);
                }
                tokens
            });
            out.extend_from_slice(tokens);
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
