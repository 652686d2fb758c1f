//! Pre-tokenizers: how a text is cut into the words that byte pairs are joined in, by the names of `tokenizer.ggml.pre`.
//!
//! A pre-tokenizer is a list of rules. Each cuts every part that the rules before it left: where its pattern matches, and
//! between. Sources: the patterns in the `tokenizer.json` of the models of these names; for `Defaults`, what llama.cpp takes
//! for each name where a file lacks the key (its `llama-vocab.cpp`, package llama-cpp-python 0.3.36).

use core::ops::Range;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// A rule of a pre-tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// What the pattern matches, and then white space: a run of it leaves its last character to the word that follows, unless
    /// it is that character alone or ends the text.
    Words(&'static str),
    /// As `Words`, where a run is cut into 512, 256, 128, 64, 32, 16, 8, 4, 2 and 1.
    Halves(&'static str),
    /// What the pattern matches, and nothing else.
    Parts(&'static str),
    /// Decimal digits in groups of three from the right; with `true`, only where no letter follows them.
    Threes(bool),
}
use Rule::{Halves, Parts, Threes, Words};

/// What a name stands for: its rules, and the values of keys that a file lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pre {
    pub rules: &'static [Rule],
    /// A word that is a token is that token, whatever its pairs are.
    pub whole_words: bool,
    /// The token of the start stands before a text.
    pub start: bool,
    /// Tokens are text in UTF-8 with U+2581 for a space, not the alphabet of GPT-2.
    pub plain: bool,
}

/// The pattern of GPT-2.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+";
/// Of Llama 3.
const LLAMA3: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+";
/// Of Qwen 2.
const QWEN2: &str =
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+";
/// Of GPT-4o: words begin with their large letters.
const GPT4O: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+";
/// Of DeepSeek 3, after numbers and Chinese.
const DEEPSEEK3: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+"##;
const HAN_AND_KANA: &str = r"[\x{4e00}-\x{9fa5}\x{3040}-\x{309f}\x{30a0}-\x{30ff}]+";
const CJK_OF_DEEPSEEK: &str = r"[\x{4e00}-\x{9fa5}\x{800}-\x{4e00}\x{ac00}-\x{d7ff}]+";
/// Words between white space and marks of sentences.
const BLOOM: &str = r" ?[^(\s|.,!?…。，、।۔،)]+";
const LINES: &str = r"[^\n]+|[\n]+";

const PLAIN: Pre = Pre { rules: &[Words(GPT2)], whole_words: false, start: false, plain: false };
const fn of(rules: &'static [Rule]) -> Pre {
    Pre { rules, ..PLAIN }
}

/// What the name means, if it is known.
pub fn named(name: &str) -> Option<Pre> {
    Some(match name {
        "default" => {
            of(&[Parts(r"[\p{P}\$\+<=>\^~\|]+"), Words(GPT2), Parts(r"\p{N}+"), Parts("[0-9][0-9][0-9]")])
        }
        "gpt-2" | "phi-2" | "jina-es" | "jina-de" | "gigachat" | "jina-v2-es" | "jina-v2-de" | "a.x-4.0"
        | "mellum" | "modern-bert" | "jina-v1-en" | "jina-v2-code" | "roberta-bpe" | "mpt" | "olmo"
        | "jais" | "trillion" | "granite-docling" | "exaone4" => PLAIN,
        "llama3" | "llama-v3" | "llama-bpe" | "falcon3" | "falcon-h1" | "pixtral" | "midm-2.0" | "lfm2"
        | "jina-v5-nano" => Pre { whole_words: true, start: true, ..of(&[Words(LLAMA3)]) },
        "dbrx" | "smaug-bpe" | "chatglm-bpe" => of(&[Words(LLAMA3)]),
        "glm4" | "glm5" => Pre { whole_words: true, ..of(&[Words(LLAMA3)]) },
        "jais-2" => of(&[Halves(LLAMA3)]),
        "minicpm5" => Pre {
            whole_words: true,
            ..of(&[
                Parts(r"\p{N}{1,3}"),
                Words(
                    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+",
                ),
            ])
        },
        "qwen2" | "deepseek-r1-qwen" | "kormo" | "f2llmv2" | "megrez" | "stablelm2" | "hunyuan"
        | "solar-open" | "grok-2" => of(&[Words(QWEN2)]),
        "qwen35" => of(&[Words(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+",
        )]),
        "ufakzeka" => of(&[Words(r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+")]),
        "laguna" => of(&[Parts(LINES), Words(QWEN2)]),
        "seed-coder" => of(&[Words(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+",
        )]),
        "bailingmoe" | "bailingmoe2" | "llada-moe" => of(&[Words(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]",
        )]),
        "exaone-moe" => of(&[Words(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]",
        )]),
        "deepseek-llm" => of(&[
            Parts(r"[\r\n]"),
            Parts(DEEPSEEK_LETTERS),
            Parts(r"\s?[!-/:-~！-／：-～‘-‟　-。]+"),
            Parts(r"\s+$"),
            Parts(CJK_OF_DEEPSEEK),
            Parts(r"\p{N}+"),
        ]),
        "deepseek-coder" => of(&[
            Parts(r"[\r\n]"),
            Parts(r"\s?\p{L}+"),
            Parts(r"\s?\p{P}+"),
            Parts(CJK_OF_DEEPSEEK),
            Parts(r"\p{N}"),
        ]),
        "deepseek-v3" | "hunyuan-dense" | "joyai-llm" | "hy_v4" => {
            of(&[Parts(r"\p{N}{1,3}"), Parts(HAN_AND_KANA), Words(DEEPSEEK3)])
        }
        "spark2_5" => of(&[
            Parts(r"\p{N}{1,3}"),
            Parts(HAN_AND_KANA),
            Words(
                r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]"##,
            ),
            Parts(r"\p{N}"),
        ]),
        "afmoe" => of(&[
            Threes(false),
            Parts(
                r"[一-鿿㐀-䶿豈-\x{faff}぀-ゟ゠-ヿ･-ﾟ⼀-⿟\x{e00}-\x{e7f}\x{e80}-\x{eff}\x{1780}-\x{17ff}\x{1000}-\x{109f}\x{aa60}-\x{aa7f}\x{a9e0}-\x{a9ff}가-\x{d7af}\x{1100}-\x{11ff}]+",
            ),
            Words(DEEPSEEK3),
        ]),
        "youtu" => Pre {
            whole_words: true,
            ..of(&[
                Parts(r"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+"),
                Words(
                    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+",
                ),
            ])
        },
        "falcon" => of(&[Parts(r"[\p{P}\$\+<=>\^~\|`]+"), Words(GPT2), Parts("[0-9][0-9][0-9]")]),
        "starcoder" | "refact" | "command-r" | "smollm" | "codeshell" | "exaone" | "minerva-7b"
        | "mellum2" => of(&[Parts(r"\p{N}"), Words(GPT2)]),
        "poro-chat" | "bloom" | "gpt3-finnish" => of(&[Parts(BLOOM)]),
        "viking" => of(&[Parts(BLOOM), Parts(r"\p{N}")]),
        "tekken" => Pre {
            whole_words: true,
            start: true,
            ..of(&[Words(
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+",
            )])
        },
        "chameleon" => Pre {
            start: true,
            ..of(&[
                Parts("<sentinel:[0-9]+>"),
                Parts("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z"),
                Parts(r"([\t\n]|    |  )"),
                Parts(r"\p{N}"),
                Parts(r"[\p{P}!-/:-@\[-`{-~]"),
                Words(GPT2),
            ])
        },
        "gpt-4o" | "llama4" | "kanana2" | "talkie" | "minimax-m2" => of(&[Words(GPT4O)]),
        "granite-embed-multi-97m" => Pre { whole_words: true, ..of(&[Words(GPT4O)]) },
        "tiny_aya" | "cohere2moe" => of(&[Threes(true), Words(GPT4O)]),
        "superbpe" => of(&[Parts(r"\p{N}+"), Threes(false)]),
        "kimi-k2" => of(&[Words(
            r"\p{Han}+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+",
        )]),
        "gemma4" | "granite-embed-multi-311m" => Pre { start: true, plain: true, ..of(&[Parts(LINES)]) },
        "sarvam-moe" => Pre { plain: true, ..of(&[Parts(LINES)]) },
        _ => return None,
    })
}

/// The letters of DeepSeek's first models: those with a case, as they were listed in Unicode then.
const DEEPSEEK_LETTERS: &str = r"\s?[A-Za-z\x{b5}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1ba}\x{1bc}-\x{1bf}\x{1c4}-\x{293}\x{295}-\x{2af}\x{370}-\x{373}\x{376}\x{377}\x{37b}-\x{37d}\x{37f}\x{386}\x{388}-\x{38a}\x{38c}\x{38e}-\x{3a1}\x{3a3}-\x{3f5}\x{3f7}-\x{481}\x{48a}-\x{52f}\x{531}-\x{556}\x{10a0}-\x{10c5}\x{13a0}-\x{13f5}\x{13f8}-\x{13fd}\x{1c90}-\x{1cba}\x{1cbd}-\x{1cbf}\x{1d00}-\x{1d2b}\x{1d6b}-\x{1d77}\x{1d79}-\x{1d9a}\x{1e00}-\x{1f15}\x{1f18}-\x{1f1d}\x{1f20}-\x{1f45}\x{1f48}-\x{1f4d}\x{1f50}-\x{1f57}\x{1f59}\x{1f5b}\x{1f5d}\x{1f5f}-\x{1f7d}\x{1f80}-\x{1fb4}\x{1fb6}-\x{1fbc}\x{1fbe}\x{1fc2}-\x{1fc4}\x{1fc6}-\x{1fcc}\x{1fd0}-\x{1fd3}\x{1fd6}-\x{1fdb}\x{1fe0}-\x{1fec}\x{1ff2}-\x{1ff4}\x{1ff6}-\x{1ffc}\x{2102}\x{2107}\x{210a}-\x{2113}\x{2115}\x{2119}-\x{211d}\x{2124}\x{2126}\x{2128}\x{212a}-\x{212d}\x{212f}-\x{2134}\x{2139}\x{213c}-\x{213f}\x{2145}-\x{2149}\x{214e}\x{2183}\x{2184}\x{2c00}-\x{2c7b}\x{2c7e}-\x{2ce4}\x{2ceb}-\x{2cee}\x{2cf2}\x{2cf3}\x{a640}-\x{a66d}\x{a680}-\x{a69b}\x{a722}-\x{a76f}\x{a771}-\x{a787}\x{a78b}-\x{a78e}\x{ab70}-\x{abbf}\x{fb00}-\x{fb06}\x{fb13}-\x{fb17}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{10400}-\x{1044f}\x{104b0}-\x{104d3}\x{104d8}-\x{104fb}\x{10c80}-\x{10cb2}\x{10cc0}-\x{10cf2}\x{118a0}-\x{118df}\x{1e900}-\x{1e943}]+";

/// A rule, ready to be run.
#[derive(Debug, Clone)]
enum Ready {
    /// The pattern, and for some what becomes of white space, which is the second pattern then.
    Pattern(Regex, fn(usize, bool) -> usize),
    Threes(bool),
}

/// Rules, ready to be run.
#[derive(Debug, Clone)]
pub struct Cutter(Vec<Ready>);

impl Cutter {
    /// Errors: what is wrong with a pattern; those of [`named`] are right.
    pub fn new(rules: &[Rule]) -> Result<Self, String> {
        let regex = |patterns: &[&str]| {
            // Bytes that are no text are in no class, and lie between matches.
            let bytes = syntax::Config::new().utf8(false);
            Regex::builder().syntax(bytes).build_many(patterns).map_err(|e| e.to_string())
        };
        let ready =
            |rule: &Rule| {
                Ok(match *rule {
                    Words(pattern) => Ready::Pattern(regex(&[pattern, r"\s+"])?, |run, last| {
                        if last || run == 1 { run } else { run - 1 }
                    }),
                    Halves(pattern) => Ready::Pattern(regex(&[pattern, r"\s+"])?, |run, last| {
                        let most = if last { run } else { run - 1 };
                        [512, 256, 128, 64, 32, 16, 8, 4, 2].into_iter().find(|&n| n <= most).unwrap_or(1)
                    }),
                    Parts(pattern) => Ready::Pattern(regex(&[pattern])?, |run, _| run),
                    Threes(alone) => Ready::Threes(alone),
                })
            };
        rules.iter().map(ready).collect::<Result<_, String>>().map(Self)
    }

    /// Where the words of a text lie, without gaps.
    pub fn words(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut parts: Vec<_> = (!text.is_empty()).then_some(0..text.len()).into_iter().collect();
        for rule in &self.0 {
            let mut finer = Vec::with_capacity(parts.len());
            for part in parts {
                rule.cut(&text[part.clone()], part.start, &mut finer);
            }
            parts = finer;
        }
        parts
    }
}

impl Ready {
    /// Cuts `text`, which starts at `start`.
    fn cut(&self, text: &[u8], start: usize, to: &mut Vec<Range<usize>>) {
        let mut put = |range: Range<usize>| {
            if !range.is_empty() {
                to.push(start + range.start..start + range.end);
            }
        };
        let mut done = 0;
        match self {
            Self::Pattern(regex, white) => {
                let mut at = 0;
                while at < text.len() {
                    // The text before `at` is not looked at by any pattern, and `$` is the end of the part.
                    let Some(found) = regex.search(&Input::new(&text[at..]).anchored(Anchored::No)) else {
                        break;
                    };
                    let (from, mut end) = (at + found.start(), at + found.end());
                    if found.pattern().as_usize() == 1 {
                        put(done..from);
                        let last = end == text.len();
                        let marks: Vec<usize> = decoded(&text[from..end]).map(|(i, _)| from + i).collect();
                        let mut i = 0;
                        while i < marks.len() && (i == 0 || last || i + 1 < marks.len()) {
                            let next = i + white(marks.len() - i, last);
                            end = marks.get(next).copied().unwrap_or(end);
                            put(marks[i]..end);
                            i = next;
                        }
                        (done, at) = (end, end);
                        continue;
                    }
                    put(done..from);
                    put(from..end);
                    // A pattern that matches nothing would stay where it is.
                    (done, at) = (end, end.max(at + 1));
                }
            }
            Self::Threes(alone) => {
                let digit = |c: &char| c.is_numeric() && is_decimal(*c);
                let all: Vec<(usize, char)> = decoded(text).collect();
                let mut i = 0;
                while i < all.len() {
                    let run = all[i..].iter().take_while(|(_, c)| digit(c)).count();
                    let next = all.get(i + run).map(|(_, c)| *c);
                    let grouped =
                        run > 0 && !(*alone && next.is_some_and(|c| c.is_alphanumeric() || c == '_'));
                    if grouped {
                        put(done..all[i].0);
                        let mut from = i;
                        let mut end = if run % 3 == 0 { i + 3 } else { i + run % 3 };
                        while from < i + run {
                            let to = all.get(end).map_or(text.len(), |x| x.0);
                            put(all[from].0..to);
                            (done, from, end) = (to, end, end + 3);
                        }
                    }
                    i += run.max(1);
                }
            }
        }
        put(done..text.len());
    }
}

fn is_decimal(c: char) -> bool {
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
    c.general_category() == GeneralCategory::DecimalNumber
}

/// The characters of a text and where they start; a byte of none is U+FFFD.
pub fn decoded(text: &[u8]) -> impl Iterator<Item = (usize, char)> {
    let mut at = 0;
    text.utf8_chunks().flat_map(move |chunk| {
        let (start, bad) = (at, at + chunk.valid().len());
        at = bad + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(i, c)| (start + i, c));
        valid.chain((bad..at).map(|i| (i, '\u{fffd}')))
    })
}
