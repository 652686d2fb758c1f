//! Reads texts with vocabularies that the input makes, and conversations with templates that it holds: `make fuzz`.
//!
//! The first byte chooses the form and the flags; lines up to an empty one are the tokens, each with its type and score in its
//! first two bytes; what follows is pairs to join, a table, a text and a template at once.
#![no_main]

use fulmen::gguf::{Array, Error, Gguf, Value, write};
use fulmen_tokens::chat::{Message, Template};
use fulmen_tokens::{Reading, Tokens};

const PRE: [&str; 12] = [
    "default",
    "gpt-2",
    "llama-bpe",
    "qwen2",
    "deepseek-llm",
    "deepseek-v3",
    "tekken",
    "jais-2",
    "superbpe",
    "tiny_aya",
    "gemma4",
    "kimi-k2",
];

/// A list of texts as files hold it.
fn texts(all: &[&str]) -> Vec<u8> {
    all.iter().flat_map(|t| [&(t.len() as u64).to_le_bytes()[..], t.as_bytes()].concat()).collect()
}

fn vocabulary(first: u8, tokens: &[(i32, f32, String)], rest: &[u8], bytes: bool) -> Vec<u8> {
    let mut names: Vec<String> = tokens.iter().map(|t| t.2.clone()).collect();
    let mut types: Vec<i32> = tokens.iter().map(|t| t.0).collect();
    let mut scores: Vec<f32> = tokens.iter().map(|t| t.1).collect();
    if bytes {
        for (i, c) in fulmen_tokens::alphabet().iter().enumerate() {
            names.push(if first % 5 == 0 { c.to_string() } else { format!("<0x{i:02X}>") });
            types.push(if first % 5 == 0 { 1 } else { 6 });
            scores.push(-1.0);
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let text = String::from_utf8_lossy(rest);
    let merges: Vec<&str> = text.lines().collect();
    let (tokens, joins) = (texts(&names), texts(&merges));
    let types: Vec<u8> = types.iter().flat_map(|x| x.to_le_bytes()).collect();
    let scores: Vec<u8> = scores.iter().flat_map(|x| x.to_le_bytes()).collect();
    let list = |of, len, bytes| Value::Array(Array::new(of, len, bytes).unwrap());
    let model = ["gpt2", "llama", "t5", "bert", "gemma4"][usize::from(first % 5)];
    let mut values = vec![
        ("tokenizer.ggml.model", Value::Text(model)),
        ("tokenizer.ggml.pre", Value::Text(PRE[usize::from(first) % PRE.len()])),
        ("tokenizer.ggml.tokens", list(8, names.len(), &tokens)),
        ("tokenizer.ggml.token_type", list(5, names.len(), &types)),
        ("tokenizer.ggml.scores", list(6, names.len(), &scores)),
        ("tokenizer.ggml.bos_token_id", Value::U32(0)),
        ("tokenizer.ggml.unknown_token_id", Value::U32(0)),
        ("tokenizer.ggml.add_bos_token", Value::Bool(first & 32 != 0)),
    ];
    match model {
        "gpt2" | "gemma4" => values.push(("tokenizer.ggml.merges", list(8, merges.len(), &joins))),
        "t5" => {
            values.push(("tokenizer.ggml.add_space_prefix", Value::Bool(first & 64 != 0)));
            values.push(("tokenizer.ggml.remove_extra_whitespaces", Value::Bool(first & 128 != 0)));
            values.push(("tokenizer.ggml.precompiled_charsmap", list(0, rest.len(), rest)));
        }
        _ => {}
    }
    let mut file = Vec::new();
    let sink = |bytes: &[u8]| {
        file.extend_from_slice(bytes);
        Ok::<(), Error<'_>>(())
    };
    write(&values, &[], sink, |_, _| Ok(())).unwrap();
    file
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&first, input)) = input.split_first() else { return };
    let mut lines = input.split(|&c| c == b'\n');
    let mut used = 0;
    let mut tokens = Vec::new();
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        used += line.len() + 1;
        let [kind, score, name @ ..] = line else { continue };
        tokens.push((
            i32::from(kind % 8),
            -f32::from(*score) / 7.0,
            String::from_utf8_lossy(name).into_owned(),
        ));
    }
    let rest = input.get(used..).unwrap_or_default();
    let file = vocabulary(first, &tokens, rest, first & 16 == 0);
    let marks = if let Ok(v) = Tokens::read(&Gguf::read(&file).unwrap()) {
        for how in [Reading::default(), Reading { marks: true, control: true }] {
            let ids = v.encode(rest, how);
            assert!(ids.iter().all(|&id| (id as usize) < v.len()));
            let mut back = Vec::new();
            ids.iter().for_each(|&id| v.decode_into(id, &mut back));
        }
        v.marks().map(String::from)
    } else {
        [String::new(), String::new()]
    };
    let source = String::from_utf8_lossy(rest);
    if let Ok(template) = Template::new(&source, [&marks[0], &marks[1]]) {
        let messages = [Message::new("system", "a"), Message::new("user", source.as_ref())];
        let _ = template.text(&messages);
    }
});
