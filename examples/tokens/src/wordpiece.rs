//! WordPiece: words of letters alone or of one mark, each cut from the left into the longest tokens.
//!
//! Source: Devlin, Chang, Lee, Toutanova, *BERT* (2018), and the normaliser and pre-tokenizer of that name in `tokenizers`.
//! A token of a word's start begins with U+2581 in files, which is a space here.

use crate::prefixes::Prefixes;
use crate::pretokenize::decoded;
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Words of a file.
#[derive(Debug, Clone)]
pub struct Words {
    pub tokens: Prefixes,
    pub unknown: u32,
    pub lowercase: bool,
    pub strip_accents: bool,
}

impl Words {
    /// Appends the tokens of a text.
    pub fn encode(&self, text: &[u8], out: &mut Vec<u32>) {
        for word in self.words(text) {
            let word = [b" ", word.as_bytes()].concat();
            let (start, mut at) = (out.len(), 0);
            while at < word.len() {
                let Some((len, id)) = self.tokens.of(&word[at..]).last() else {
                    // A word that is not all tokens is none of them.
                    out.truncate(start);
                    out.push(self.unknown);
                    break;
                };
                out.push(id);
                at += len;
            }
        }
    }

    fn words(&self, text: &[u8]) -> Vec<String> {
        let all = decoded(text).map(|(_, c)| c).filter(|&c| c != '\u{fffd}');
        let all: Box<dyn Iterator<Item = char>> = if self.strip_accents {
            Box::new(all.nfd().filter(|c| c.general_category() != GeneralCategory::NonspacingMark))
        } else {
            Box::new(all)
        };
        let mut words = vec![String::new()];
        for c in all {
            let group = c.general_category_group();
            if c.is_whitespace() {
                words.push(String::new());
            } else if group == GeneralCategoryGroup::Other {
                // Control characters and those that are none.
            } else {
                let alone =
                    c.is_ascii_punctuation() || group == GeneralCategoryGroup::Punctuation || chinese(c);
                if alone {
                    words.push(String::new());
                }
                if let Some(word) = words.last_mut() {
                    if self.lowercase { word.extend(c.to_lowercase()) } else { word.push(c) }
                }
                if alone {
                    words.push(String::new());
                }
            }
        }
        words.retain(|w| !w.is_empty());
        words
    }
}

/// The blocks of Chinese characters that BERT keeps apart.
fn chinese(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2b73f}'
        | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
