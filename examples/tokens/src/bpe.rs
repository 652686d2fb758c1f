//! Byte pairs: inside of a word, the pair of symbols that is first in a list is joined first.
//!
//! Source: Sennrich, Haddow, Birch, *Neural Machine Translation of Rare Words with Subword Units* (2016); the alphabet of
//! bytes is that of GPT-2's vocabulary.

use crate::merge::joined;
use crate::pretokenize::{Cutter, Pre};
use core::cmp::Reverse;
use std::collections::HashMap;

/// Byte pairs of a file.
#[derive(Debug, Clone)]
pub struct Pairs {
    cutter: Cutter,
    pre: Pre,
    /// A symbol for each text that is a token or a part of one, and its token.
    symbols: HashMap<Box<[u8]>, u32>,
    tokens: Vec<Option<u32>>,
    /// The places in the list, and what the pair makes.
    ranks: HashMap<[u32; 2], (u32, u32)>,
    /// The token of each byte: its own, or that of what a text has none of.
    bytes: Vec<Option<u32>>,
}

/// The character that stands for each byte in GPT-2's alphabet: itself where it can be seen, else the next from U+0100 on.
pub fn alphabet() -> [char; 256] {
    let mut next = '\u{100}'..;
    core::array::from_fn(|c| match c as u8 {
        c @ (b'!'..=b'~' | 0xa1..=0xac | 0xae..) => char::from(c),
        _ => next.next().unwrap_or_default(),
    })
}

/// The bytes that a text in that alphabet means.
pub fn bytes_of(text: &str, of: &HashMap<char, u8>) -> Option<Vec<u8>> {
    text.chars().map(|c| of.get(&c).copied()).collect()
}

impl Pairs {
    /// Of the texts of tokens, which are none for those that no text becomes, and of pairs in the order in which they are
    /// joined. `byte` names the token of a byte that is in no token's text.
    ///
    /// Errors: what a vocabulary lacks.
    pub fn new<'a>(
        pre: Pre,
        texts: impl Iterator<Item = Option<&'a [u8]>>,
        merges: impl Iterator<Item = Option<(Vec<u8>, Vec<u8>)>>,
        byte: impl Fn(u8) -> Option<u32>,
        unknown: Option<u32>,
    ) -> Result<Self, String> {
        let (mut symbols, mut tokens) = (HashMap::<Box<[u8]>, u32>::new(), Vec::new());
        let mut symbol = |text: &[u8]| match symbols.get(text) {
            Some(&found) => found,
            None => {
                let new = symbols.len() as u32;
                symbols.insert(text.into(), new);
                new
            }
        };
        let mut token = |symbol: u32, id: Option<u32>| {
            let at = symbol as usize;
            if tokens.len() <= at {
                tokens.resize(at + 1, None);
            }
            // Of two tokens with one text, the first is written.
            tokens[at] = tokens[at].or(id);
        };
        for (id, text) in (0u32..).zip(texts) {
            if let Some(text) = text.filter(|t| !t.is_empty()) {
                token(symbol(text), Some(id));
            }
        }
        let mut ranks = HashMap::new();
        for (rank, merge) in (0u32..).zip(merges) {
            let (a, b) = merge.ok_or_else(|| format!("its merge {rank} is no pair of its alphabet"))?;
            let (left, right, both) = (symbol(&a), symbol(&b), symbol(&[a, b].concat()));
            token(both, None);
            ranks.entry([left, right]).or_insert((rank, both));
        }
        let one = |byte: u8| symbols.get(&[byte][..]).and_then(|&s| *tokens.get(s as usize)?);
        let bytes: Vec<_> = (0..=255).map(|b| one(b).or_else(|| byte(b)).or(unknown)).collect();
        Ok(Self { cutter: Cutter::new(pre.rules)?, pre, symbols, tokens, ranks, bytes })
    }

    /// Appends the tokens of a text.
    pub fn encode(&self, text: &[u8], out: &mut Vec<u32>) {
        let escaped;
        let text = if self.pre.plain {
            escaped = replaced(text, b" ", "▁".as_bytes());
            &escaped[..]
        } else {
            text
        };
        let mut known: HashMap<&[u8], Vec<u32>> = HashMap::new();
        for word in self.cutter.words(text) {
            let word = &text[word];
            let tokens = known.entry(word).or_insert_with(|| {
                let mut tokens = Vec::new();
                self.word(word, &mut tokens);
                tokens
            });
            out.extend_from_slice(tokens);
        }
    }

    fn token(&self, text: &[u8]) -> Option<u32> {
        *self.tokens.get(*self.symbols.get(text)? as usize)?
    }

    fn word(&self, word: &[u8], out: &mut Vec<u32>) {
        let lines = self.pre.plain && word.iter().all(|&c| c == b'\n');
        if let (true, Some(id)) = (self.pre.whole_words || lines, self.token(word)) {
            out.push(id);
            return;
        }
        // Where each first part starts: bytes, or characters where text is plain.
        let mut starts: Vec<usize> = if self.pre.plain {
            crate::pretokenize::decoded(word).map(|(at, _)| at).collect()
        } else {
            (0..word.len()).collect()
        };
        starts.push(word.len());
        let rank = |a: &core::ops::Range<usize>, b: &core::ops::Range<usize>| {
            let symbol =
                |r: &core::ops::Range<usize>| self.symbols.get(&word[starts[r.start]..starts[r.end]]);
            Some(Reverse(self.ranks.get(&[*symbol(a)?, *symbol(b)?])?.0))
        };
        for part in joined(starts.len() - 1, rank) {
            let part = &word[starts[part.start]..starts[part.end]];
            match self.token(part) {
                Some(id) => out.push(id),
                None => out.extend(part.iter().filter_map(|&b| self.bytes[usize::from(b)])),
            }
        }
    }

    /// The bytes that no token stands for: they are left out of a text, as llama.cpp and `tokenizers` do.
    pub fn missing(&self) -> impl Iterator<Item = u8> {
        (0..=255u8).filter(|&b| self.bytes[usize::from(b)].is_none())
    }
}

/// `text` with each `from` as `to`.
pub fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let (mut out, mut i) = (Vec::with_capacity(text.len() + text.len() / 4), 0);
    while i < text.len() {
        if text[i..].starts_with(from) {
            out.extend_from_slice(to);
            i += from.len();
        } else {
            out.push(text[i]);
            i += 1;
        }
    }
    out
}
