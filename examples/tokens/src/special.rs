//! Whole tokens: those that a user or a chat's template writes into a text, and that nothing cuts.

use aho_corasick::{AhoCorasick, Input, MatchKind};
use core::ops::Range;

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    Text(Range<usize>),
    Token(u32),
}

/// A token that is found in texts as a whole.
#[derive(Debug, Clone)]
pub struct Whole {
    pub id: u32,
    pub text: Vec<u8>,
    /// White space before it, and after it, is part of it.
    pub strips: [bool; 2],
}

/// Finds whole tokens: the leftmost first, and of those that start at one place the longest.
#[derive(Debug, Clone)]
pub struct Finder {
    all: Vec<Whole>,
    search: AhoCorasick,
}

impl Finder {
    /// Errors: there are too many tokens for the automaton.
    pub fn new(all: Vec<Whole>) -> Result<Self, String> {
        let mut builder = AhoCorasick::builder();
        let search = builder.match_kind(MatchKind::LeftmostLongest).build(all.iter().map(|w| &w.text));
        let search = search.map_err(|e| format!("its whole tokens are too many: {e}"))?;
        Ok(Self { all, search })
    }

    /// The parts of a text; no text among them is empty.
    pub fn parts(&self, text: &[u8]) -> Vec<Part> {
        let (mut parts, mut done) = (Vec::new(), 0);
        let put = |parts: &mut Vec<Part>, range: Range<usize>| {
            if !range.is_empty() {
                parts.push(Part::Text(range));
            }
        };
        // White space that one token took is not looked at for the next.
        while let Some(found) = self.search.find(Input::new(text).range(done..)) {
            let whole = &self.all[found.pattern().as_usize()];
            let (mut from, mut to) = (found.start(), found.end());
            if whole.strips[0] {
                from -= text[done..from].iter().rev().take_while(space).count();
            }
            if whole.strips[1] {
                to += text[to..].iter().take_while(space).count();
            }
            put(&mut parts, done..from);
            parts.push(Part::Token(whole.id));
            done = to;
        }
        put(&mut parts, done..text.len());
        parts
    }
}

/// White space of ASCII, the vertical tab included.
fn space(c: &&u8) -> bool {
    c.is_ascii_whitespace() || **c == 0x0b
}

/// Names of tokens that end a turn or a text in models whose files do not say so, whatever type the file gives them. Source:
/// llama.cpp's list (`llama-vocab.cpp`, package llama-cpp-python 0.3.36).
const ENDS: [&str; 23] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|plamo:eos|>",
];

/// Names of tokens around the parts of a program whose middle is to be written; a model that writes one of the second list has
/// no more to say.
const MIDDLE: [&str; 24] = [
    "<|fim_prefix|>",
    "<fim-prefix>",
    "<fim_prefix>",
    "<｜fim▁begin｜>",
    "<PRE>",
    "▁<PRE>",
    "<|fim_suffix|>",
    "<fim-suffix>",
    "<fim_suffix>",
    "<｜fim▁hole｜>",
    "<SUF>",
    "▁<SUF>",
    "<|fim_middle|>",
    "<fim-middle>",
    "<fim_middle>",
    "<｜fim▁end｜>",
    "<MID>",
    "▁<MID>",
    "<|code_prefix|>",
    "<|code_suffix|>",
    "<|code_middle|>",
    "<|prefix|>",
    "<|suffix|>",
    "<|middle|>",
];
const MIDDLE_ENDS: [&str; 11] = [
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
];

/// Tokens of gpt-oss that are text, though files call them control tokens.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// The types of tokens in files.
pub mod kind {
    pub const NORMAL: i64 = 1;
    pub const UNKNOWN: i64 = 2;
    pub const CONTROL: i64 = 3;
    pub const USER: i64 = 4;
    pub const UNUSED: i64 = 5;
    pub const BYTE: i64 = 6;
}

/// The tokens that end what is generated, beside `given`, in ascending order. Tokens whose names say that they steer become
/// control tokens in `types`.
pub fn ends(tokens: &[&str], types: &mut [i64], given: &[Option<u32>]) -> Vec<u32> {
    let mut ends: Vec<u32> = given.iter().copied().flatten().collect();
    let here = |name: &str| tokens.contains(&name);
    // In these models `<|end|>` parts messages of one turn, and `</s>` is a word like any other.
    let many = (here("<|return|>") || here("<|flush|>")) && (here("<|call|>") || here("<|calls|>"));
    let word = here("<|tool_response>") || here("<|plamo:eos|>");
    for ((id, name), kind) in (0u32..).zip(tokens).zip(types) {
        let end = ENDS.contains(name);
        if end || MIDDLE_ENDS.contains(name) {
            ends.push(id);
        }
        if (end || MIDDLE_ENDS.contains(name) || MIDDLE.contains(name)) && *kind != kind::UNKNOWN {
            *kind = kind::CONTROL;
        }
        if SHOWN.contains(name) {
            *kind = kind::USER;
        }
        if many && *name == "<|end|>" {
            ends.retain(|&e| e != id);
            *kind = kind::USER;
        }
        if word && *name == "</s>" {
            ends.retain(|&e| e != id);
            *kind = kind::NORMAL;
        }
    }
    ends.sort_unstable();
    ends.dedup();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_tokens_are_leftmost_and_longest_and_take_space() {
        let whole = |id, text: &str, strips| Whole { id, text: text.into(), strips };
        let all =
            vec![whole(7, "<a>", [true, false]), whole(8, "<a>b", [false, true]), whole(9, "\n", [false; 2])];
        let finder = Finder::new(all).unwrap();
        assert_eq!(finder.parts(b""), []);
        assert_eq!(finder.parts(b"x <a>y"), [Part::Text(0..1), Part::Token(7), Part::Text(5..6)]);
        assert_eq!(finder.parts(b"x <a>b  y"), [Part::Text(0..2), Part::Token(8), Part::Text(8..9)]);
        // Space that one token took is not there for the next.
        assert_eq!(finder.parts(b"<a>b \n <a>"), [Part::Token(8), Part::Token(7)]);
    }

    #[test]
    fn ends_of_turns_are_known_by_name() {
        let tokens = ["a", "<|im_end|>", "<|end|>", "</s>", "<|return|>", "<|call|>", "<PAD>", "<PRE>"];
        let mut types = [1, 4, 4, 1, 3, 3, 1, 1];
        assert_eq!(ends(&tokens, &mut types, &[Some(0), None]), [0, 1, 3, 4, 5, 6]);
        assert_eq!(types, [1, 3, 4, 3, 3, 3, 3, 3]);
        let mut types = [1, 1, 1];
        assert_eq!(ends(&["<|end|>", "</s>", "<|tool_response>"], &mut types, &[None]), [0, 2]);
        assert_eq!(types, [3, 1, 3]);
    }
}
