//! Vocabularies of GGUF files: from text to tokens and back, as the keys `tokenizer.*` of a file say.
//!
//! The forms are byte pairs (`gpt2`, `gemma4`), SentencePiece's pieces (`llama`) and unigrams (`t5`), and WordPiece (`bert`).
//! Each key that changes tokens is honoured, and a key that is not known is refused by name. Where a file lacks a key,
//! llama.cpp's value holds.

mod bpe;
#[cfg(feature = "chat")]
pub mod chat;
#[cfg(all(test, feature = "chat"))]
mod chat_tests;
mod keys;
mod merge;
mod prefixes;
mod pretokenize;
mod read;
mod sentencepiece;
mod special;
#[cfg(test)]
mod tests;
mod unigram;
mod wordpiece;

pub use bpe::alphabet;
use core::fmt;
use special::{Finder, Part};

/// What is read of a text beside its letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The tokens that the file puts before and after a text stand there.
    pub marks: bool,
    /// The name of a control token in the text, as `<|im_start|>`, is that token; else it is letters. Tokens of users are
    /// tokens in both cases.
    pub control: bool,
}

/// A vocabulary.
#[derive(Clone)]
pub struct Tokens {
    /// The bytes of each token; none for one that only steers.
    texts: Vec<Vec<u8>>,
    /// What stands for each in the file.
    names: Vec<String>,
    form: Form,
    /// Tokens that are found as a whole: of users, and those with control tokens.
    users: Finder,
    whole: Finder,
    start: Option<u32>,
    end: Option<u32>,
    /// Those that `start` and `end` are, whether or not a text gets them.
    named: [Option<u32>; 2],
    ends: Vec<u32>,
    never: Vec<u32>,
    notes: Vec<String>,
}

/// By their texts, which is what two readings of one file have in common.
impl PartialEq for Tokens {
    fn eq(&self, other: &Self) -> bool {
        let of = |t: &Self| (t.start, t.end, t.named, t.ends.clone(), t.never.clone());
        self.texts == other.texts && self.names == other.names && of(self) == of(other)
    }
}

/// Without its automata, which fill pages.
impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("len", &self.len()).field("ends", &self.ends).finish_non_exhaustive()
    }
}

#[derive(Clone)]
enum Form {
    Pairs(Box<bpe::Pairs>),
    /// With a space before each text, or without.
    Pieces(Box<sentencepiece::Pieces>, bool),
    Words(Box<wordpiece::Words>),
    Unigrams(Box<unigram::Unigrams>),
}

impl Tokens {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none, which no file has.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The tokens of a text, which need not be UTF-8.
    pub fn encode(&self, text: &[u8], how: Reading) -> Vec<u32> {
        let mut out: Vec<u32> = self.start.filter(|_| how.marks).into_iter().collect();
        let finder = if how.control { &self.whole } else { &self.users };
        let mut first = true;
        for part in finder.parts(text) {
            match part {
                Part::Token(id) => {
                    out.push(id);
                    first = true;
                }
                Part::Text(range) => {
                    let text = &text[range];
                    match &self.form {
                        Form::Pairs(pairs) => pairs.encode(text, &mut out),
                        Form::Words(words) => words.encode(text, &mut out),
                        Form::Unigrams(unigrams) => unigrams.encode(text, &mut out),
                        Form::Pieces(pieces, space) => {
                            let mut all = if *space && first { vec![b' '] } else { Vec::new() };
                            all.extend(bpe::replaced(text, "▁".as_bytes(), b" "));
                            pieces.encode(&all, &mut out);
                        }
                    }
                    first = false;
                }
            }
        }
        out.extend(self.end.filter(|_| how.marks));
        out
    }

    /// Appends the bytes of a token: none for one that only steers, or is not of this vocabulary.
    pub fn decode_into(&self, token: u32, out: &mut Vec<u8>) {
        out.extend(self.texts.get(token as usize).into_iter().flatten());
    }

    /// Whether what is generated ends with this token: the end of the text or of a turn.
    pub fn ends(&self, token: u32) -> bool {
        self.ends.binary_search(&token).is_ok()
    }

    /// Tokens that are never to be generated.
    pub fn never(&self) -> &[u32] {
        &self.never
    }

    /// The token that a text starts with, if texts do.
    pub fn start(&self) -> Option<u32> {
        self.start
    }

    /// The names of the tokens of start and end, which templates of chats write.
    pub fn marks(&self) -> [&str; 2] {
        self.named.map(|id| id.and_then(|id| self.names.get(id as usize)).map_or("", |name| name))
    }

    /// What a user is to know of the file.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
