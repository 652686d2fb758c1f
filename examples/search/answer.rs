//! What a search answers, also as JSON.

use super::alloc::format;
use super::alloc::string::{String, ToString};
use super::alloc::vec::Vec;
use super::text::Passage;
use super::text_of;
use core::fmt::Write;

/// One line of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Where it stands.
    pub passage: Passage,
    /// Cosine with the query.
    pub score: f32,
    /// Offset in the passage of the first word that the query has too, else 0.
    pub focus: usize,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Best first; equal scores in the order of the file.
    pub hits: Vec<Hit>,
    /// How many passages were compared.
    pub passages: usize,
    /// Words of the query that the file lacks, each with the word that was taken instead.
    pub missing: Vec<(String, Option<String>)>,
}

impl Answer {
    /// The answer as one JSON object.
    pub fn json(&self, file: &[u8]) -> String {
        let hits: Vec<String> = self
            .hits
            .iter()
            .map(|h| {
                format!(
                    "{{\"line\":{},\"score\":{},\"text\":{}}}",
                    h.passage.line,
                    h.score,
                    quoted(&text_of(file, &h.passage))
                )
            })
            .collect();
        let missing: Vec<String> = self
            .missing
            .iter()
            .map(|(word, instead)| {
                format!("[{},{}]", quoted(word), instead.as_deref().map_or("null".to_string(), quoted))
            })
            .collect();
        format!(
            "{{\"passages\":{},\"missing\":[{}],\"hits\":[{}]}}",
            self.passages,
            missing.join(","),
            hits.join(",")
        )
    }
}

/// `text` as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
