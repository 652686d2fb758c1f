//! The tokens of any model file: our byte pairs, or what the file's `tokenizer.ggml` keys say, in the forms of
//! SentencePiece (`llama`) and of byte pairs over GPT-2's alphabet (`gpt2`).
//!
//! Sources: Kudo, Richardson, *SentencePiece* (2018); Sennrich, Haddow, Birch, *Neural Machine Translation of Rare Words
//! with Subword Units* (2016); the patterns of words are those that the files name.

use crate::vocabulary::Vocabulary;
use core::ops::Range;
use fulmen::gguf::{Gguf, Value};
use std::collections::{BinaryHeap, HashMap};

/// From text to tokens and back.
#[derive(Debug, Clone, PartialEq)]
pub enum Tokenizer {
    Ours(Vocabulary),
    Foreign(Box<Foreign>),
}

/// What a file of another program says of its tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreign {
    /// The bytes of each token; none for one that only steers.
    texts: Vec<Vec<u8>>,
    ids: HashMap<Vec<u8>, u32>,
    kind: Kind,
    /// What stands before a text, and what ends one.
    start: Option<u32>,
    end: Option<u32>,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// The pair with the best score of its token is joined first; what is in no token falls back to `bytes`.
    Pieces { scores: Vec<f32>, bytes: Vec<Option<u32>>, unknown: Option<u32>, space: bool },
    /// The pair that is first in the list is joined first, inside of words.
    Pairs { ranks: HashMap<[u32; 2], usize>, words: Words },
}

/// How a text is cut into words.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Words {
    Gpt2,
    /// Numbers of three digits, newlines together, one sign before letters; a word that is a token is one.
    Llama3,
}

impl Tokenizer {
    pub fn len(&self) -> usize {
        match self {
            Self::Ours(v) => v.len(),
            Self::Foreign(f) => f.texts.len(),
        }
    }
    /// The tokens of a text, with what this vocabulary puts before one.
    pub fn encode(&self, text: &[u8]) -> Vec<u32> {
        match self {
            Self::Ours(v) => v.encode(text),
            Self::Foreign(f) => f.encode(text),
        }
    }
    /// Appends the bytes of a token.
    pub fn decode_into(&self, token: u32, out: &mut Vec<u8>) {
        match self {
            Self::Ours(v) => v.decode_into(token, out),
            Self::Foreign(f) => out.extend(f.texts.get(token as usize).into_iter().flatten()),
        }
    }
    /// The token that ends a text.
    pub fn end(&self) -> Option<u32> {
        match self {
            Self::Ours(_) => None,
            Self::Foreign(f) => f.end,
        }
    }
}

/// The types of tokens that are text: normal, of a user, unused; and a byte.
const TEXTS: [i64; 3] = [1, 4, 5];
const UNKNOWN: i64 = 2;
const BYTE: i64 = 6;

impl Foreign {
    /// As the keys say; else what is wrong with them.
    pub fn read(file: &Gguf<'_>) -> Result<Self, String> {
        let key = |name: &str| file.value(&format!("tokenizer.ggml.{name}"));
        let list = |name: &str| key(name).and_then(Value::array);
        let text = |name: &str| key(name).and_then(Value::text);
        let lacks = |name: &str| format!("it has no `tokenizer.ggml.{name}`");
        let tokens: Vec<&str> = list("tokens")
            .and_then(|a| a.iter().map(Value::text).collect())
            .ok_or_else(|| lacks("tokens"))?;
        let fits = |name: &str, n: usize| {
            if n == tokens.len() {
                Ok(())
            } else {
                Err(format!("`tokenizer.ggml.{name}` is not of all tokens"))
            }
        };
        let types = match list("token_type") {
            None => vec![1; tokens.len()],
            Some(a) => a.iter().filter_map(|x| x.number().and_then(|n| i64::try_from(n).ok())).collect(),
        };
        fits("token_type", types.len())?;
        let token = |name: &str| -> Result<Option<u32>, String> {
            let Some(n) = key(name).and_then(Value::number) else { return Ok(None) };
            match u32::try_from(n) {
                Ok(id) if (id as usize) < tokens.len() => Ok(Some(id)),
                _ => Err(format!("`tokenizer.ggml.{name}` is no token")),
            }
        };
        let flag = |name: &str, otherwise| match key(name) {
            Some(Value::Bool(x)) => x,
            _ => otherwise,
        };
        let model = text("model").ok_or_else(|| lacks("model"))?;
        let (mut ids, mut texts) = (HashMap::new(), Vec::with_capacity(tokens.len()));
        let mut add = |bytes: Option<Vec<u8>>, id: usize, kind: i64| {
            let bytes = bytes.unwrap_or_default();
            if kind == 1 && !bytes.is_empty() {
                ids.entry(bytes.clone()).or_insert(id as u32);
            }
            texts.push(bytes);
        };
        let kind = match model {
            "llama" => {
                let scores: Vec<f32> = match list("scores") {
                    Some(a) => a.iter().filter_map(|x| x.real().map(|x| x as f32)).collect(),
                    None => return Err(lacks("scores")),
                };
                fits("scores", scores.len())?;
                let mut bytes = vec![None; 256];
                for (id, (token, kind)) in tokens.iter().zip(&types).enumerate() {
                    let byte = || u8::from_str_radix(token.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok();
                    let text = match *kind {
                        BYTE => byte().map(|byte| {
                            bytes[usize::from(byte)] = Some(id as u32);
                            vec![byte]
                        }),
                        kind if TEXTS.contains(&kind) => Some(token.replace('▁', " ").into_bytes()),
                        _ => None,
                    };
                    add(text, id, *kind);
                }
                let unknown = types.iter().position(|&t| t == UNKNOWN).map(|id| id as u32);
                if unknown.is_none() && bytes.contains(&None) {
                    return Err(String::from(
                        "its vocabulary has no token for every byte, and none for the unknown",
                    ));
                }
                Kind::Pieces { scores, bytes, unknown, space: flag("add_space_prefix", true) }
            }
            "gpt2" => {
                let words = match text("pre") {
                    Some("gpt-2") => Words::Gpt2,
                    Some("llama-bpe" | "llama3" | "llama-v3") => Words::Llama3,
                    Some(other) => {
                        return Err(format!("its tokenizer.ggml.pre is {other:?}, which is not known here"));
                    }
                    None => return Err(lacks("pre")),
                };
                let alphabet = Vocabulary::new(Vec::new()).map(|v| v.printable()).unwrap_or_default();
                let of: HashMap<char, u8> = alphabet
                    .iter()
                    .zip(0..=255)
                    .filter_map(|(text, byte)| Some((text.chars().next()?, byte)))
                    .collect();
                let bytes =
                    |text: &str| text.chars().map(|c| of.get(&c).copied()).collect::<Option<Vec<u8>>>();
                for (id, (token, kind)) in tokens.iter().zip(&types).enumerate() {
                    let text = match *kind {
                        1 => match bytes(token) {
                            None => return Err(format!("token {id} is not of GPT-2's alphabet")),
                            bytes => bytes,
                        },
                        4 => Some(token.as_bytes().to_vec()),
                        _ => None,
                    };
                    add(text, id, *kind);
                }
                if let Some(byte) = (0..=255u8).find(|&byte| !ids.contains_key(&[byte][..])) {
                    return Err(format!("its vocabulary has no token for the byte {byte}"));
                }
                let (mut ranks, merges) = (HashMap::new(), list("merges").ok_or_else(|| lacks("merges"))?);
                for (rank, merge) in merges.iter().enumerate() {
                    let id = |text: &str| ids.get(&bytes(text)?).copied();
                    let pair = merge.text().and_then(|m| m.split_once(' ')).and_then(|(a, b)| {
                        id(&[a, b].concat())?;
                        Some([id(a)?, id(b)?])
                    });
                    let pair = pair.ok_or_else(|| format!("its merge {rank} is not of its tokens"))?;
                    ranks.entry(pair).or_insert(rank);
                }
                Kind::Pairs { ranks, words }
            }
            other => return Err(format!("its tokenizer.ggml.model is {other:?}, neither llama nor gpt2")),
        };
        let start = token("bos_token_id")?.filter(|_| flag("add_bos_token", model == "llama"));
        Ok(Self { texts, ids, kind, start, end: token("eos_token_id")? })
    }

    fn encode(&self, text: &[u8]) -> Vec<u32> {
        let mut out: Vec<u32> = self.start.into_iter().collect();
        match &self.kind {
            Kind::Pieces { scores, bytes, unknown, space } => {
                let mut all = Vec::with_capacity(text.len() + 1);
                if *space && !text.is_empty() {
                    all.push(b' ');
                }
                all.extend_from_slice(text);
                let score = |a: &Range<usize>, b: &Range<usize>| {
                    let id = *self.ids.get(&all[a.start..b.end])?;
                    scores.get(id as usize).copied()
                };
                for part in joined(chars(&all).map(|(at, _)| at).collect(), score) {
                    let part = &all[part];
                    match self.ids.get(part) {
                        Some(&id) => out.push(id),
                        None if part.iter().all(|&b| bytes[usize::from(b)].is_some()) => {
                            out.extend(part.iter().filter_map(|&b| bytes[usize::from(b)]));
                        }
                        None => out.extend(unknown),
                    }
                }
            }
            Kind::Pairs { ranks, words } => {
                for word in words.of(text) {
                    let word = &text[word];
                    let id = |at: &Range<usize>| self.ids.get(&word[at.clone()]).copied();
                    if let (Words::Llama3, Some(&id)) = (words, self.ids.get(word)) {
                        out.push(id);
                        continue;
                    }
                    let rank =
                        |a: &Range<usize>, b: &Range<usize>| Some(-(*ranks.get(&[id(a)?, id(b)?])? as f32));
                    out.extend(
                        joined((0..word.len()).map(|i| i..i + 1).collect(), rank).iter().filter_map(id),
                    );
                }
            }
        }
        out
    }
}

/// Joins neighbours, the best of all pairs first and of equals the first in the text, until no pair has a value.
fn joined(
    parts: Vec<Range<usize>>,
    value: impl Fn(&Range<usize>, &Range<usize>) -> Option<f32>,
) -> Vec<Range<usize>> {
    /// A pair by its value, its place, and how far it reached when it was found.
    #[derive(PartialEq)]
    struct Found(f32, usize, usize, usize);
    impl Eq for Found {}
    impl Ord for Found {
        fn cmp(&self, other: &Self) -> core::cmp::Ordering {
            self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
        }
    }
    impl PartialOrd for Found {
        fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    let n = parts.len();
    let (mut parts, mut next): (Vec<Option<Range<usize>>>, Vec<usize>) =
        (parts.into_iter().map(Some).collect(), (1..=n).collect());
    let mut before: Vec<usize> = (0..n).map(|i| i.wrapping_sub(1)).collect();
    let mut heap = BinaryHeap::new();
    let look = |parts: &[Option<Range<usize>>], heap: &mut BinaryHeap<Found>, a: usize, b: usize| {
        if let (Some(Some(left)), Some(Some(right))) = (parts.get(a), parts.get(b))
            && let Some(value) = value(left, right)
        {
            heap.push(Found(value, a, b, right.end));
        }
    };
    (1..n).for_each(|i| look(&parts, &mut heap, i - 1, i));
    while let Some(Found(_, a, b, end)) = heap.pop() {
        // What was found before one of them grew is of no use.
        let (Some(left), Some(right)) = (&parts[a], &parts[b]) else { continue };
        if next[a] != b || right.end != end || left.end != right.start {
            continue;
        }
        parts[a] = Some(left.start..right.end);
        parts[b] = None;
        next[a] = next[b];
        if let Some(to) = before.get_mut(next[a]) {
            *to = a;
        }
        look(&parts, &mut heap, before[a], a);
        look(&parts, &mut heap, a, next[a]);
    }
    parts.into_iter().flatten().collect()
}

/// The characters of a text and where they lie; a byte of none is U+FFFD.
fn chars(text: &[u8]) -> impl Iterator<Item = (Range<usize>, char)> {
    let mut at = 0;
    text.utf8_chunks().flat_map(move |chunk| {
        let mut found = Vec::new();
        for c in chunk.valid().chars() {
            found.push((at..at + c.len_utf8(), c));
            at += c.len_utf8();
        }
        for _ in chunk.invalid() {
            found.push((at..at + 1, '\u{fffd}'));
            at += 1;
        }
        found
    })
}

impl Words {
    /// Where the words of a text lie.
    fn of(self, text: &[u8]) -> Vec<Range<usize>> {
        let all: Vec<(Range<usize>, char)> = chars(text).collect();
        let (mut words, mut i) = (Vec::new(), 0);
        while i < all.len() {
            let n = self.word(&all[i..]).max(1);
            words.push(all[i].0.start..all[i + n - 1].0.end);
            i += n;
        }
        words
    }

    /// The characters of the first word of `x`.
    fn word(self, x: &[(Range<usize>, char)]) -> usize {
        let at = |i: usize| x.get(i).map(|(_, c)| *c);
        let run =
            |from: usize, is: &dyn Fn(char) -> bool| x[from..].iter().take_while(|(_, c)| is(*c)).count();
        let letter = |c: char| c.is_alphabetic();
        let number = |c: char| c.is_numeric();
        let sign = |c: char| !c.is_whitespace() && !letter(c) && !number(c);
        let llama = self == Self::Llama3;
        if at(0) == Some('\'') {
            let fold = |c: Option<char>| c.map(|c| if llama { c.to_ascii_lowercase() } else { c });
            match (fold(at(1)), fold(at(2))) {
                (Some('s' | 't' | 'm' | 'd'), _) => return 2,
                (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => return 3,
                _ => {}
            }
        }
        let skip = usize::from(at(0) == Some(' '));
        let first = at(skip);
        if llama {
            let one = |c: char| !matches!(c, '\r' | '\n') && !letter(c) && !number(c);
            let lead = usize::from(at(0).is_some_and(one));
            let letters = run(lead, &letter);
            if letters > 0 {
                return lead + letters;
            }
            if at(0).is_some_and(number) {
                return run(0, &number).min(3);
            }
        } else {
            for is in [&letter as &dyn Fn(char) -> bool, &number] {
                if first.is_some_and(is) {
                    return skip + run(skip, is);
                }
            }
        }
        if first.is_some_and(sign) {
            let signs = skip + run(skip, &sign);
            return signs + if llama { run(signs, &|c| matches!(c, '\r' | '\n')) } else { 0 };
        }
        let blank = run(0, &char::is_whitespace);
        if llama && let Some(line) = (0..blank).rev().find(|&i| matches!(at(i), Some('\r' | '\n'))) {
            return line + 1;
        }
        // The last one belongs to what follows, if something does.
        if blank > 1 && blank < x.len() { blank - 1 } else { blank }
    }
}
