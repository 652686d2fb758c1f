//! The tokens of any model file: our byte pairs, or the vocabulary that the file's keys `tokenizer.*` hold.

use crate::vocabulary::Vocabulary;
use fulmen_tokens::{Reading, Tokens};

/// From text to tokens and back.
#[derive(Debug, Clone, PartialEq)]
pub enum Tokenizer {
    Ours(Vocabulary),
    Foreign(Box<Tokens>),
}

impl Tokenizer {
    /// The number of tokens.
    pub fn len(&self) -> usize {
        match self {
            Self::Ours(v) => v.len(),
            Self::Foreign(f) => f.len(),
        }
    }
    /// The tokens of a text that is measured: with what this vocabulary puts around one; names of control tokens are letters.
    pub fn encode(&self, text: &[u8]) -> Vec<u32> {
        self.read(text, Reading { marks: true, control: false })
    }
    /// The tokens of a prompt: with what this vocabulary puts around a text; names of control tokens are those tokens.
    pub fn encode_prompt(&self, text: &[u8]) -> Vec<u32> {
        self.read(text, Reading { marks: true, control: true })
    }
    /// The tokens of a text.
    pub fn read(&self, text: &[u8], how: Reading) -> Vec<u32> {
        match self {
            Self::Ours(v) => v.encode(text),
            Self::Foreign(f) => f.encode(text, how),
        }
    }
    /// Appends the bytes of a token.
    pub fn decode_into(&self, token: u32, out: &mut Vec<u8>) {
        match self {
            Self::Ours(v) => v.decode_into(token, out),
            Self::Foreign(f) => f.decode_into(token, out),
        }
    }
    /// Whether this token ends a text or a turn.
    pub fn ends(&self, token: u32) -> bool {
        match self {
            Self::Ours(_) => false,
            Self::Foreign(f) => f.ends(token),
        }
    }
    /// Tokens that are never to be generated.
    pub fn never(&self) -> &[u32] {
        match self {
            Self::Ours(_) => &[],
            Self::Foreign(f) => f.never(),
        }
    }
    /// What a user is to know of the file's vocabulary.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Ours(_) => &[],
            Self::Foreign(f) => f.notes(),
        }
    }
}
