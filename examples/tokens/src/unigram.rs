//! Unigrams: of all ways to cut a text into tokens, the one with the greatest sum of scores.
//!
//! Sources: Kudo, *Subword Regularization* (2018); the table of a file that normalises text is SentencePiece's
//! `precompiled_charsmap`: its length in four bytes, a double array of the units of darts-clone, and texts that end with 0.

use crate::prefixes::Prefixes;
use crate::pretokenize::decoded;

/// What a unigram vocabulary is made of.
#[derive(Debug, Clone)]
pub struct Unigrams {
    pub tokens: Prefixes,
    /// What is kept as it is.
    pub users: Prefixes,
    /// Of each token; 0 for one of a user.
    pub scores: Vec<f32>,
    pub unknown: u32,
    /// What a character costs that is in no token: 10 less than the least score.
    pub unknown_score: f64,
    pub table: Table,
    pub space_before: bool,
    pub one_space: bool,
}

/// A table of texts and what stands for them.
#[derive(Debug, Clone, Default)]
pub struct Table {
    units: Vec<u32>,
    texts: Vec<u8>,
}

impl Table {
    /// From the bytes of a file.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        if bytes.is_empty() {
            return Some(Self::default());
        }
        let (len, rest) = bytes.split_first_chunk()?;
        let (units, texts) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        let (units, left) = units.as_chunks();
        if !left.is_empty() || texts.last() != Some(&0) {
            return None;
        }
        Some(Self { units: units.iter().map(|&u| u32::from_le_bytes(u)).collect(), texts: texts.to_vec() })
    }

    /// How many bytes at the start of `text` something stands for, and what; of several, the most.
    fn find(&self, text: &[u8]) -> Option<(usize, &[u8])> {
        let unit = |at: u32| self.units.get(at as usize).copied();
        let base = |unit: u32| (unit >> 10) << ((unit & 1 << 9) >> 6);
        let mut at = base(unit(0)?);
        let mut found = None;
        for (i, &c) in text.iter().enumerate() {
            at ^= u32::from(c);
            let Some(this) = unit(at).filter(|u| c != 0 && u & (1 << 31 | 0xff) == u32::from(c)) else {
                break;
            };
            at ^= base(this);
            if this >> 8 & 1 == 1 {
                found = Some((i + 1, unit(at)? & !(1 << 31)));
            }
        }
        let (len, start) = found?;
        let text = self.texts.get(start as usize..)?;
        Some((len, &text[..text.iter().position(|&c| c == 0)?]))
    }
}

impl Unigrams {
    /// Appends the tokens of a text.
    pub fn encode(&self, text: &[u8], out: &mut Vec<u32>) {
        let text = self.normal(text);
        if text.is_empty() {
            return;
        }
        // The best way to each place: its sum, where its last token starts, and that token.
        let mut best = vec![(f64::NEG_INFINITY, 0, self.unknown); text.len() + 1];
        best[0].0 = 0.0;
        let mut places: Vec<usize> = decoded(&text).map(|(at, _)| at).collect();
        places.push(text.len());
        for pair in places.windows(2) {
            let (at, next) = (pair[0], pair[1]);
            let sum = best[at].0;
            let mut known = false;
            let mut offer = |end: usize, score: f64, id: u32| {
                if sum + score > best[end].0 {
                    best[end] = (sum + score, at, id);
                }
            };
            for (len, id) in self.tokens.of(&text[at..]) {
                known |= at + len == next;
                offer(at + len, self.scores.get(id as usize).copied().unwrap_or(0.0).into(), id);
            }
            if !known {
                offer(next, self.unknown_score, self.unknown);
            }
        }
        let (start, mut at) = (out.len(), text.len());
        while at > 0 {
            let (_, from, id) = best[at];
            // Unknown characters side by side are one token.
            if !(id == self.unknown && out.len() > start && out.last() == Some(&id)) {
                out.push(id);
            }
            at = from;
        }
        out[start..].reverse();
    }

    /// The text as the table says, with U+2581 for spaces.
    fn normal(&self, text: &[u8]) -> Vec<u8> {
        const SPACE: &[u8] = "▁".as_bytes();
        let (mut out, mut at) = (Vec::with_capacity(2 * text.len()), 0);
        let (mut inside, mut before) = (false, false);
        while at < text.len() {
            let rest = &text[at..];
            let (len, is) = if let Some((len, _)) = self.users.of(rest).last() {
                (len, &rest[..len])
            } else if let Some(found) = self.table.find(rest) {
                found
            } else {
                let chunk = rest[..rest.len().min(4)].utf8_chunks().next();
                match chunk.and_then(|c| c.valid().chars().next()) {
                    Some(c) => (c.len_utf8(), &rest[..c.len_utf8()]),
                    None => (1, "\u{fffd}".as_bytes()),
                }
            };
            at += len;
            for &c in is {
                if c == b' ' {
                    inside = false;
                    if !self.one_space {
                        out.extend_from_slice(SPACE);
                    }
                    continue;
                }
                if !inside {
                    inside = true;
                    if self.space_before && !before || self.one_space {
                        out.extend_from_slice(SPACE);
                        before = true;
                    }
                }
                out.push(c);
            }
        }
        out
    }
}
