//! Vocabularies of a few tokens, of each form.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use crate::pretokenize::{Cutter, named};
use crate::{Reading, Tokens, alphabet};
use fulmen::gguf::{Array, Error, Gguf, Value, write};

/// A file of keys.
enum Key<'a> {
    Text(&'a str),
    Texts(Vec<String>),
    Reals(Vec<f32>),
    Types(Vec<i32>),
    Number(u32),
    Flag(bool),
    Bytes(Vec<u8>),
}
use Key::{Bytes, Flag, Number, Reals, Text, Texts, Types};

fn file(keys: &[(&str, Key<'_>)]) -> Vec<u8> {
    let bytes: Vec<(u32, usize, Vec<u8>)> = keys
        .iter()
        .map(|(_, key)| match key {
            Texts(all) => {
                let one = |t: &String| [&(t.len() as u64).to_le_bytes()[..], t.as_bytes()].concat();
                (8, all.len(), all.iter().flat_map(one).collect())
            }
            Reals(all) => (6, all.len(), all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Types(all) => (5, all.len(), all.iter().flat_map(|x| x.to_le_bytes()).collect()),
            Bytes(all) => (0, all.len(), all.clone()),
            _ => (0, 0, Vec::new()),
        })
        .collect();
    let values: Vec<(String, Value<'_>)> = keys
        .iter()
        .zip(&bytes)
        .map(|((name, key), (of, len, bytes))| {
            let value = match key {
                Text(text) => Value::Text(text),
                Number(n) => Value::U32(*n),
                Flag(x) => Value::Bool(*x),
                _ => Value::Array(Array::new(*of, *len, bytes).unwrap()),
            };
            let name = if name.starts_with("tokenizer.") {
                (*name).into()
            } else {
                format!("tokenizer.ggml.{name}")
            };
            (name, value)
        })
        .collect();
    let values: Vec<(&str, Value<'_>)> = values.iter().map(|(k, v)| (k.as_str(), *v)).collect();
    let mut all = Vec::new();
    let sink = |bytes: &[u8]| {
        all.extend_from_slice(bytes);
        Ok::<(), Error<'_>>(())
    };
    write(&values, &[], sink, |_, _| Ok(())).unwrap();
    all
}

fn read(keys: &[(&str, Key<'_>)]) -> Result<Tokens, String> {
    Tokens::read(&Gguf::read(&file(keys)).unwrap())
}

const PLAIN: Reading = Reading { marks: false, control: false };
const PROMPT: Reading = Reading { marks: true, control: true };

/// Byte pairs: the 256 bytes, `ab`, `Ġab` and two more of other types.
fn pairs<'a>(more: Vec<(&'a str, Key<'a>)>) -> Vec<(&'a str, Key<'a>)> {
    let mut tokens: Vec<String> = alphabet().iter().map(char::to_string).collect();
    tokens.extend(["ab", "Ġab", "<think>", "<|im_start|>", "<|im_end|>", "<s>"].map(String::from));
    let mut types = vec![1; 258];
    types.extend([4, 3, 4, 3]);
    let mut keys = vec![
        ("model", Text("gpt2")),
        ("tokens", Texts(tokens)),
        ("token_type", Types(types)),
        ("merges", Texts(vec!["a b".into(), "Ġ ab".into()])),
        ("eos_token_id", Number(261)),
        ("bos_token_id", Number(261)),
    ];
    keys.extend(more);
    keys
}

#[test]
fn tokens_of_users_and_of_control_are_whole() {
    let v = read(&pairs(vec![("pre", Text("gpt-2"))])).unwrap();
    assert_eq!(v.encode(b"<think>ab ab", PLAIN), [258, 256, 257]);
    assert_eq!(v.encode(b"<|im_start|>ab<think>", PROMPT), [259, 256, 258]);
    assert_eq!(v.encode(b"<|im_start|>", PLAIN).len(), 12);
    // Control by its name, and an end, though the file calls it a token of a user.
    assert_eq!(v.encode(b"<|im_end|>", PLAIN).len(), 10);
    assert!(v.ends(260) && v.ends(261) && !v.ends(259));
    let mut text = Vec::new();
    [258, 259, 257].iter().for_each(|&id| v.decode_into(id, &mut text));
    assert_eq!(text, b"<think> ab");
}

/// Of two tokens with one text, and of two places of a pair in the list, the first counts.
#[test]
fn the_first_of_what_is_there_twice() {
    let mut keys = pairs(vec![("pre", Text("gpt-2"))]);
    for (_, key) in &mut keys {
        match key {
            Texts(all) if all.len() > 256 => all.extend(["ab", "bc"].map(String::from)),
            Texts(all) => *all = ["a b", "b c", "a b"].map(String::from).to_vec(),
            Types(all) => all.extend([1, 1]),
            _ => {}
        }
    }
    let v = read(&keys).unwrap();
    let [a, c] = [b"a", b"c"].map(|text| v.encode(text, PLAIN)[0]);
    assert_eq!(v.encode(b"abcbc", PLAIN), [256, c, 263]);
    assert_eq!(v.encode(b"aab", PLAIN), [a, 256]);
}

/// Words of newlines alone are whole where their text is a token, though no pair makes it; others are joined by pairs.
#[test]
fn lines_of_newlines_are_whole_where_text_is_plain() {
    let tokens = ["<unk>", "\n", "\n\n", "\n\n\n", "a", "aa", "▁"];
    let keys = vec![
        ("model", Text("gemma4")),
        ("tokens", Texts(tokens.map(String::from).to_vec())),
        ("token_type", Types(vec![3, 1, 1, 1, 1, 1, 1])),
        ("merges", Texts(vec!["▁ a".into()])),
        ("unknown_token_id", Number(0)),
        ("bos_token_id", Number(0)),
    ];
    let v = read(&keys).unwrap();
    for (text, want) in [("\n\n\n", &[3][..]), ("a\n\naa", &[4, 2, 4, 4]), ("\n\n\n\n", &[1, 1, 1, 1])] {
        assert_eq!(v.encode(text.as_bytes(), PLAIN), want, "{text:?}");
    }
}

#[test]
fn what_a_file_lacks_is_as_llama_cpp_has_it() {
    let start = |more| read(&pairs(more)).map(|v| v.encode(b"ab", PROMPT));
    for (pre, with) in [
        ("llama-bpe", true),
        ("llama-v3", true),
        ("llama3", true),
        ("tekken", true),
        ("gpt-2", false),
        ("qwen2", false),
    ] {
        let want = if with { vec![261, 256] } else { vec![256] };
        assert_eq!(start(vec![("pre", Text(pre))]).unwrap(), want, "{pre}");
        assert_eq!(start(vec![("pre", Text(pre)), ("add_bos_token", Flag(false))]).unwrap(), [256]);
        let both =
            start(vec![("pre", Text(pre)), ("add_bos_token", Flag(true)), ("add_eos_token", Flag(true))]);
        assert_eq!(both.unwrap(), [261, 256, 261]);
    }
    let v = read(&pairs(vec![])).unwrap();
    assert!(v.notes()[0].contains("tokenizer.ggml.pre"));
    // One that would stand there and is not named is told; one that a key asks for must be.
    let mut keys = pairs(vec![("pre", Text("llama-bpe"))]);
    keys.retain(|(name, _)| *name != "bos_token_id");
    let v = read(&keys).unwrap();
    assert!(v.notes()[0].contains("token of the start") && v.encode(b"ab", PROMPT) == [256]);
    keys.push(("add_bos_token", Flag(true)));
    assert!(read(&keys).unwrap_err().contains("bos_token_id"));
}

#[test]
fn a_key_is_honoured_or_refused_by_name() {
    for (key, value) in [
        ("normalizer.nfc", Flag(true)),
        ("normalizer.lowercase", Flag(true)),
        ("add_space_prefix", Flag(true)),
        ("remove_extra_whitespaces", Flag(true)),
        ("precompiled_charsmap", Bytes(vec![1, 2, 3])),
        ("add_bos_token", Number(1)),
        ("eot_token_id", Number(999)),
        ("suppress_tokens", Types(vec![999])),
        ("pre", Text("gpt-3")),
        ("tokenizer.rwkv.world", Text("x")),
    ] {
        let why = read(&pairs(vec![(key, value)])).unwrap_err();
        assert!(why.contains(key), "{key}: {why}");
    }
    let v = read(&pairs(vec![("suppress_tokens", Types(vec![7])), ("eot_token_id", Number(9))])).unwrap();
    assert!(v.never() == [7] && v.ends(9));
}

#[test]
fn bytes_that_no_token_stands_for_are_told() {
    let mut keys = pairs(vec![("pre", Text("gpt-2"))]);
    if let Texts(tokens) = &mut keys[1].1 {
        tokens[3] = "☃".into();
    }
    let v = read(&keys).unwrap();
    assert!(v.notes()[0].contains("no token for 1 bytes, as 3"));
    assert_eq!(v.encode(b"ab\x03ab", PLAIN), [256, 256]);
}

fn pieces<'a>(more: Vec<(&'a str, Key<'a>)>) -> Vec<(&'a str, Key<'a>)> {
    let tokens =
        ["<unk>", "<s>", "</s>", "▁", "a", "b", "▁a", "ab", "▁ab", "<|im_start|>", "<0xC3>", "<0xA9>"];
    let mut keys = vec![
        ("model", Text("llama")),
        ("tokens", Texts(tokens.map(String::from).to_vec())),
        ("token_type", Types(vec![2, 3, 3, 1, 1, 1, 1, 1, 1, 4, 6, 6])),
        ("scores", Reals(vec![0.0, 0.0, 0.0, -9.0, -9.0, -9.0, -3.0, -2.0, -1.0, 0.0, 0.0, 0.0])),
    ];
    keys.extend(more);
    keys
}

#[test]
fn pieces_are_joined_by_score_and_bytes_stand_for_the_rest() {
    let v = read(&pieces(vec![])).unwrap();
    assert_eq!(v.encode(b"ab ab", PROMPT), [1, 8, 8]);
    assert_eq!(v.encode("é☃".as_bytes(), PLAIN), [3, 10, 11, 0]);
    // A space stands before what follows a whole token, as before a text.
    assert_eq!(v.encode(b"<|im_start|>ab", PROMPT), [1, 9, 8]);
    assert_eq!(v.encode(b"</s>", PROMPT), [1, 2]);
    assert_eq!(v.encode("a▁ab".as_bytes(), PLAIN), [6, 8]);
    let v = read(&pieces(vec![
        ("add_space_prefix", Flag(false)),
        ("add_bos_token", Flag(false)),
        ("add_eos_token", Flag(true)),
    ]));
    assert_eq!(v.unwrap().encode(b"ab ab", PROMPT), [7, 8, 2]);
}

#[test]
fn unigrams_take_the_best_sum() {
    let tokens = ["<pad>", "</s>", "<unk>", "▁", "a", "b", "▁a", "ab", "▁ab", "abb"];
    let keys = |space, extra| {
        vec![
            ("model", Text("t5")),
            ("tokens", Texts(tokens.map(String::from).to_vec())),
            ("token_type", Types(vec![3, 3, 2, 1, 1, 1, 1, 1, 1, 4])),
            ("scores", Reals(vec![0.0, 0.0, 0.0, -2.0, -3.0, -3.0, -3.5, -4.0, -6.9, 0.0])),
            ("add_space_prefix", Flag(space)),
            ("remove_extra_whitespaces", Flag(extra)),
        ]
    };
    let v = read(&keys(true, true)).unwrap();
    // `▁a` and `b` are −6.5, `▁ab` −6.9, `▁` and `ab` −6.
    assert_eq!(v.encode(b"ab", PROMPT), [3, 7, 1]);
    assert_eq!(v.encode(b"  ab   a ", PLAIN), [3, 7, 6]);
    assert_eq!(v.encode("☃☃a".as_bytes(), PLAIN), [3, 2, 4]);
    let v = read(&keys(false, false)).unwrap();
    assert_eq!(v.encode(b" ab  a", PLAIN), [3, 7, 3, 6]);
    assert_eq!(v.encode(b"", PLAIN), []);
}

/// A character that only longer tokens begin with is unknown by itself, where the rest is better without them.
#[test]
fn a_character_that_begins_tokens_and_is_none() {
    let tokens = ["<pad>", "</s>", "<unk>", "bc", "cd"];
    let keys = vec![
        ("model", Text("t5")),
        ("tokens", Texts(tokens.map(String::from).to_vec())),
        ("token_type", Types(vec![3, 3, 2, 1, 1])),
        ("scores", Reals(vec![0.0, 0.0, 0.0, -2.0, -1.0])),
    ];
    let v = read(&keys).unwrap();
    assert_eq!(v.encode(b"bcd", PLAIN), [2, 4]);
    assert_eq!(v.encode(b"bc", PLAIN), [3]);
    assert_eq!(v.encode(b"bbcdd", PLAIN), [2, 4, 2]);
}

/// A table as SentencePiece writes it: a double array, in which each text's last unit says where its replacement begins.
#[test]
fn texts_are_normalised_by_the_table_of_a_file() {
    // `x` and `xy`, and U+00E9 of two bytes.
    let texts = b"a\0bc\0d\0";
    let entries: [(&[u8], u32); 3] = [(b"x", 0), (b"xy", 2), ("é".as_bytes(), 5)];
    let mut units = vec![0u32; 2048];
    // The children of the node that begins at `base` lie at `base ^ letter`.
    let base = |at: u32| at << 10;
    units[0] = base(256);
    let mut next = 512u32;
    let mut places = std::collections::HashMap::from([(vec![], 256u32)]);
    for (text, start) in entries {
        for n in 1..=text.len() {
            let at = (places[&text[..n - 1]] ^ u32::from(text[n - 1])) as usize;
            let here = *places.entry(text[..n].to_vec()).or_insert_with(|| {
                next += 256;
                next
            });
            let old = units[at] & 0x100;
            units[at] = base(at as u32 ^ here) | old | u32::from(text[n - 1]);
            if n == text.len() {
                units[at] |= 0x100;
                units[here as usize] = start | 1 << 31;
            }
        }
    }
    let table: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).collect();
    let table = [&(table.len() as u32).to_le_bytes()[..], &table, texts].concat();
    let tokens = ["<pad>", "</s>", "<unk>", "a", "b", "c", "d", "x", "y"];
    let keys = |table: Vec<u8>| {
        vec![
            ("model", Text("t5")),
            ("tokens", Texts(tokens.map(String::from).to_vec())),
            ("token_type", Types(vec![3, 3, 2, 1, 1, 1, 1, 1, 1])),
            ("scores", Reals(vec![-1.0; 9])),
            ("precompiled_charsmap", Bytes(table)),
        ]
    };
    let v = read(&keys(table.clone())).unwrap();
    for (text, want) in [
        ("x", &[3][..]),
        ("xy", &[4, 5]),
        ("xxyé", &[3, 4, 5, 6]),
        ("yx", &[8, 3]),
        ("dé", &[6, 6]),
        ("x\0y", &[3, 2, 8]),
        ("\0x", &[2, 3]),
    ] {
        assert_eq!(v.encode(text.as_bytes(), PLAIN), want, "{text:?}");
    }
    // A length that is no whole units, one past the end, and texts without an end are no table.
    let bent = |bytes: &[u8]| read(&keys(bytes.to_vec())).unwrap_err();
    let mut odd = table.clone();
    odd[0] += 1;
    let mut long = table.clone();
    long[3] = 0xff;
    for bytes in [&odd[..], &long, &table[..table.len() - 1], &[1, 2, 3]] {
        assert!(bent(bytes).contains("precompiled_charsmap` is no such table"));
    }
}

#[test]
fn words_are_cut_from_the_left() {
    let tokens = ["[UNK]", "[CLS]", "[SEP]", "▁un", "▁unable", "able", "s", "▁,", "▁日", "▁e"];
    let mut keys = vec![
        ("model", Text("bert")),
        ("tokens", Texts(tokens.map(String::from).to_vec())),
        ("token_type", Types(vec![3, 3, 3, 1, 1, 1, 1, 1, 1, 1])),
        ("unknown_token_id", Number(0)),
        ("cls_token_id", Number(1)),
        ("seperator_token_id", Number(2)),
    ];
    let v = read(&keys).unwrap();
    assert_eq!(v.encode(b"UNABLES, un", PROMPT), [1, 4, 6, 7, 3, 2]);
    assert_eq!(v.encode("ables É日日\u{0}\u{200b}x".as_bytes(), PLAIN), [0, 9, 8, 8, 0]);
    // Of a word that is not all tokens nothing stays.
    assert_eq!(v.encode(b"un unsx, unable-unables", PLAIN), [3, 0, 7, 4, 0, 4, 6]);
    // A character of Chinese that stands for another one is alone, too, where it is not decomposed.
    keys.push(("normalizer.strip_accents", Flag(false)));
    if let Texts(tokens) = &mut keys[1].1 {
        tokens.extend(["▁\u{2f800}", "▁\u{f900}"].map(String::from));
    }
    if let Types(types) = &mut keys[2].1 {
        types.extend([1, 1]);
    }
    let v = read(&keys).unwrap();
    assert_eq!(v.encode("un\u{2f800}\u{2f800}un\u{f900}e".as_bytes(), PLAIN), [3, 10, 10, 3, 11, 9]);
}

/// Where a pre-tokenizer cuts.
fn cut(name: &str, text: &str) -> Vec<String> {
    let cutter = Cutter::new(named(name).unwrap().rules).unwrap();
    let words = cutter.words(text.as_bytes());
    assert_eq!(words.iter().map(|w| w.len()).sum::<usize>(), text.len(), "{name}: a gap");
    words.into_iter().map(|w| text[w].to_string()).collect()
}

#[test]
fn each_pre_tokenizer_cuts_as_its_pattern_says() {
    for (name, text, want) in [
        ("gpt-2", "it's  12345\n\nIT'S", "it|'s| | 12345|\n|\n|IT|'|S"),
        ("llama-bpe", "it's  12345\n\nIT'S", "it|'s| | |123|45|\n\n|IT|'S"),
        ("qwen2", "a 123\r\n  b", "a| |1|2|3|\r\n| | b"),
        ("smollm", "a123 b", "a|1|2|3| b"),
        ("deepseek-v3", "日本語12345 a!b", "日本語|123|45| a|!b"),
        ("deepseek-coder", "ab 12\nc", "ab| |1|2|\n|c"),
        ("deepseek-llm", "ab 12\nc  ", "ab| |12|\n|c|  "),
        ("tekken", "HelloWorld iOS 12", "Hello|World| i|OS| |1|2"),
        ("gpt-4o", "HelloWorld's a/\n", "Hello|World's| a|/\n"),
        ("falcon", "a+b 12345", "a|+|b| |123|45"),
        ("jais-2", "a       b", "a|    |  | b"),
        ("superbpe", "a 1234567 b", "a |1|234|567| b"),
        ("tiny_aya", "1234 1234a", "1|234| |123|4|a"),
        ("kimi-k2", "日本ab12", "日本|ab|12"),
        ("bloom", "one, two", "one|,| two"),
        ("default", "a  1234?", "a| | |123|4|?"),
    ] {
        assert_eq!(cut(name, text).join("|"), want, "{name}");
    }
}

#[test]
fn hard_texts_are_cut_without_gaps_by_all() {
    let hard =
        "e\u{301}नमस्ते \u{200d}👩‍👩‍👧\u{a0}\u{3000}ｱ١٢٣ⅧſK'ſ\u{85}\u{feff}\u{10ffff} \u{0} x\t\r\n \u{2028}½";
    for name in [
        "default",
        "gpt-2",
        "llama3",
        "qwen2",
        "qwen35",
        "deepseek-llm",
        "deepseek-coder",
        "deepseek-v3",
        "spark2_5",
        "afmoe",
        "youtu",
        "falcon",
        "starcoder",
        "bloom",
        "viking",
        "tekken",
        "chameleon",
        "gpt-4o",
        "tiny_aya",
        "superbpe",
        "kimi-k2",
        "gemma4",
        "exaone-moe",
        "bailingmoe",
        "laguna",
        "minicpm5",
        "jais-2",
        "seed-coder",
        "ufakzeka",
    ] {
        assert_eq!(cut(name, hard).concat(), hard, "{name}");
    }
    // Bytes that are no text come back.
    let v = read(&pairs(vec![("pre", Text("qwen2"))])).unwrap();
    let odd = b"a\xffb\xe6\x97 \xf0";
    let mut back = Vec::new();
    v.encode(odd, PLAIN).iter().for_each(|&id| v.decode_into(id, &mut back));
    assert_eq!(back, odd);
}
