//! SentencePiece's pieces: the pair whose token has the best score is joined first, and what is in no token falls back to
//! tokens of bytes.
//!
//! Source: Kudo, Richardson, *SentencePiece* (2018).

use crate::merge::joined;
use crate::pretokenize::decoded;
use core::cmp::Ordering;
use core::ops::Range;
use std::collections::HashMap;

/// Pieces of a file; a space is a space in them, not U+2581.
#[derive(Debug, Clone)]
pub struct Pieces {
    pub ids: HashMap<Box<[u8]>, u32>,
    pub scores: Vec<f32>,
    pub bytes: Vec<Option<u32>>,
    pub unknown: Option<u32>,
}

/// A score, in the order of IEEE 754.
#[derive(Clone, Copy, PartialEq)]
struct Score(f32);
impl Eq for Score {}
impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Pieces {
    /// Appends the tokens of a text, whose spaces are spaces.
    pub fn encode(&self, text: &[u8], out: &mut Vec<u32>) {
        let mut starts: Vec<usize> = decoded(text).map(|(at, _)| at).collect();
        starts.push(text.len());
        let of = |range: Range<usize>| &text[starts[range.start]..starts[range.end]];
        let score = |a: &Range<usize>, b: &Range<usize>| {
            let id = *self.ids.get(of(a.start..b.end))?;
            self.scores.get(id as usize).copied().map(Score)
        };
        for part in joined(starts.len() - 1, score) {
            let part = of(part);
            let byte = |&b: &u8| self.bytes[usize::from(b)];
            match self.ids.get(part) {
                Some(&id) => out.push(id),
                None if part.iter().all(|b| byte(b).is_some()) => out.extend(part.iter().filter_map(byte)),
                None => out.extend(self.unknown),
            }
        }
    }
}
