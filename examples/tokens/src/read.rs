//! A vocabulary from the keys of a file.

use crate::keys::Keys;
use crate::prefixes::Prefixes;
use crate::pretokenize::{Pre, named};
use crate::sentencepiece::Pieces;
use crate::special::{Finder, Whole, ends, kind};
use crate::unigram::{Table, Unigrams};
use crate::wordpiece::Words;
use crate::{Form, Tokens, bpe};
use fulmen::gguf::{Gguf, Value};
use std::collections::HashMap;

/// What the form of a vocabulary says where a file says nothing.
struct Defaults {
    start: Option<u32>,
    end: Option<u32>,
    unknown: Option<u32>,
    add: [bool; 2],
}

/// All that the forms are read from.
struct Parts<'k, 'f, 'a> {
    keys: &'k Keys<'f, 'a>,
    names: &'k [&'a str],
    types: &'k [i64],
    unknown: Option<u32>,
}

impl Tokens {
    /// From the keys `tokenizer.*`.
    ///
    /// Errors: what is wrong with them, with the key's name.
    pub fn read(file: &Gguf<'_>) -> Result<Self, String> {
        let keys = Keys(file);
        let lacks = |name: &str| format!("it has no `tokenizer.ggml.{name}`");
        let mut notes = Vec::new();
        let model = keys.text("model")?.ok_or_else(|| lacks("model"))?;
        let names = keys.texts("tokens")?.ok_or_else(|| lacks("tokens"))?;
        if names.is_empty() || u32::try_from(names.len()).is_err() {
            return Err("its `tokenizer.ggml.tokens` is empty, or longer than 32 bits count".into());
        }
        let mut types: Vec<i64> = match keys.numbers("token_type")? {
            None => vec![kind::NORMAL; names.len()],
            Some(all) => all.iter().map(|&t| i64::try_from(t).unwrap_or(i64::MAX)).collect(),
        };
        fits("token_type", types.len(), names.len())?;
        if let Some(odd) = types.iter().find(|t| !(0..=kind::BYTE).contains(*t)) {
            return Err(format!("its `tokenizer.ggml.token_type` has {odd}, which is not known here"));
        }
        let pre = pre_of(&keys, model, &mut notes)?;
        let usual = match model {
            "llama" => Defaults { start: Some(1), end: Some(2), unknown: Some(0), add: [true, false] },
            "bert" => Defaults { start: Some(101), end: Some(102), unknown: Some(100), add: [true, true] },
            "t5" => Defaults { start: None, end: Some(1), unknown: Some(2), add: [false, true] },
            "gpt2" | "gemma4" => Defaults { start: None, end: None, unknown: None, add: [pre.start, false] },
            other => {
                let known = "none of llama, gpt2, gemma4, bert and t5";
                return Err(format!("its `tokenizer.ggml.model` is {:?}, {known}", shown(other)));
            }
        };
        let here = |id: Option<u32>| id.filter(|&id| (id as usize) < names.len());
        let token = |name: &str| keys.token(name, names.len());
        let words = model == "bert";
        let first = if words { token("cls_token_id")? } else { None };
        let start = first.or(token("bos_token_id")?).or(here(usual.start));
        let eos = token("eos_token_id")?;
        let last = if words { token("seperator_token_id")?.or(token("separator_token_id")?) } else { eos };
        let last = last.or(here(usual.end));
        let unknown = token("unknown_token_id")?.or(here(usual.unknown));
        let more =
            ["eot_token_id", "eom_token_id", "fim_pad_token_id", "fim_rep_token_id", "fim_sep_token_id"];
        let mut given = vec![if words { eos } else { last }];
        for name in more {
            given.push(token(name)?);
        }
        let ends = ends(&names, &mut types, &given);
        let adds =
            [keys.flag("add_bos_token")?, keys.flag(if words { "add_sep_token" } else { "add_eos_token" })?];
        let mut add = [adds[0].unwrap_or(usual.add[0]), adds[1].unwrap_or(usual.add[1])];
        if pre.plain && pre.start && !add[0] {
            notes.push("its `add_bos_token` is false, but such a model needs the token of the start, which is put there".into());
            add[0] = true;
        }
        if adds[0].is_none() && add[0] && start.is_none() {
            notes.push(
                "models of its `tokenizer.ggml.pre` take a token of the start, which the file does not name"
                    .into(),
            );
            add[0] = false;
        }
        for (add, id, key) in
            [(add[0], start, "bos"), (add[1], last, if words { "seperator" } else { "eos" })]
        {
            if add && id.is_none() {
                return Err(format!(
                    "texts are to have the token of `tokenizer.ggml.{key}_token_id`, which it lacks"
                ));
            }
        }
        let parts = Parts { keys: &keys, names: &names, types: &types, unknown };
        let (form, texts) = match model {
            "llama" => parts.pieces()?,
            "t5" => parts.unigrams()?,
            "bert" => parts.words()?,
            _ => parts.pairs(pre)?,
        };
        keys.all_known()?;
        if let Form::Pairs(pairs) = &form
            && let Some(first) = pairs.missing().next()
        {
            let n = pairs.missing().count();
            notes.push(format!(
                "its vocabulary has no token for {n} bytes, as {first}: they are left out of a text"
            ));
        }
        let (users, whole) = parts.whole(file, model)?;
        let mut never = Vec::new();
        for id in keys.numbers("suppress_tokens")?.unwrap_or_default() {
            match u32::try_from(id) {
                Ok(id) if (id as usize) < names.len() => never.push(id),
                _ => return Err("its `tokenizer.ggml.suppress_tokens` has one that is no token".into()),
            }
        }
        Ok(Self {
            texts,
            names: names.iter().map(|&n| n.into()).collect(),
            form,
            users,
            whole,
            start: start.filter(|_| add[0]),
            end: last.filter(|_| add[1]),
            named: [start, last],
            ends,
            never,
            notes,
        })
    }
}

fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

fn fits(name: &str, n: usize, all: usize) -> Result<(), String> {
    if n == all { Ok(()) } else { Err(format!("its `tokenizer.ggml.{name}` is not of all tokens")) }
}

/// The pre-tokenizer that a file names; those without byte pairs have none.
fn pre_of(keys: &Keys<'_, '_>, model: &str, notes: &mut Vec<String>) -> Result<Pre, String> {
    let name = keys.text("pre")?;
    let name = match (model, name) {
        ("gemma4", _) => "gemma4",
        ("gpt2", Some(name)) => name,
        ("gpt2", None) => {
            notes.push(
                "it has no `tokenizer.ggml.pre`, so words are cut by llama.cpp's default, which may not be how the model learnt"
                    .into(),
            );
            "default"
        }
        _ => "default",
    };
    named(name)
        .ok_or_else(|| format!("its `tokenizer.ggml.pre` is {:?}, which is not known here", shown(name)))
}

impl Parts<'_, '_, '_> {
    /// Bytes in the form `<0x0A>`.
    fn byte(&self, id: usize) -> Option<u8> {
        let byte = self.names[id].strip_prefix("<0x")?.strip_suffix('>')?;
        if self.types[id] != kind::BYTE || byte.len() != 2 {
            return None;
        }
        u8::from_str_radix(byte, 16).ok()
    }

    /// The tokens of bytes.
    fn bytes(&self) -> Vec<Option<u32>> {
        let mut bytes = vec![None; 256];
        for id in 0..self.names.len() {
            if let Some(byte) = self.byte(id) {
                bytes[usize::from(byte)].get_or_insert(id as u32);
            }
        }
        bytes
    }

    /// The text of a token in forms that write spaces as U+2581.
    fn plain(&self, id: usize) -> Vec<u8> {
        match self.types[id] {
            kind::BYTE => self.byte(id).into_iter().collect(),
            kind::CONTROL | kind::UNKNOWN => Vec::new(),
            _ => self.names[id].replace('▁', " ").into_bytes(),
        }
    }

    fn texts(&self) -> Vec<Vec<u8>> {
        (0..self.names.len()).map(|id| self.plain(id)).collect()
    }

    /// Whether words of a text become the token.
    fn written(&self, id: usize) -> bool {
        matches!(self.types[id], 0 | kind::NORMAL | kind::UNUSED)
    }

    fn scores(&self) -> Result<Vec<f32>, String> {
        let scores = self.keys.reals("scores")?.ok_or("it has no `tokenizer.ggml.scores`")?;
        fits("scores", scores.len(), self.names.len())?;
        Ok(scores)
    }

    /// Refuses keys that mean something to other forms, where they would change something.
    fn only(&self, names: &[&str]) -> Result<(), String> {
        for &name in names {
            let there = match name {
                "precompiled_charsmap" => self.keys.bytes(name)?.is_some_and(|b| !b.is_empty()),
                "normalizer.lowercase" | "normalizer.strip_accents" => self.keys.flag(name)?.is_some(),
                name => self.keys.flag(name)? == Some(true),
            };
            if there {
                return Err(format!("its `tokenizer.ggml.{name}` is not known here for such a vocabulary"));
            }
        }
        Ok(())
    }

    fn pieces(&self) -> Result<(Form, Vec<Vec<u8>>), String> {
        const OTHERS: [&str; 4] = [
            "remove_extra_whitespaces",
            "precompiled_charsmap",
            "normalizer.lowercase",
            "normalizer.strip_accents",
        ];
        self.only(&OTHERS)?;
        let (texts, bytes) = (self.texts(), self.bytes());
        let unknown =
            self.types.iter().position(|&t| t == kind::UNKNOWN).map(|id| id as u32).or(self.unknown);
        if unknown.is_none() && bytes.contains(&None) {
            return Err("its vocabulary has no token for every byte, and none for the unknown".into());
        }
        let mut ids = HashMap::new();
        for (id, text) in texts.iter().enumerate().filter(|(id, t)| self.written(*id) && !t.is_empty()) {
            ids.entry(text[..].into()).or_insert(id as u32);
        }
        let space = self.keys.flag("add_space_prefix")?.unwrap_or(true);
        let pieces = Pieces { ids, scores: self.scores()?, bytes, unknown };
        Ok((Form::Pieces(Box::new(pieces), space), texts))
    }

    fn unigrams(&self) -> Result<(Form, Vec<Vec<u8>>), String> {
        self.only(&["normalizer.lowercase", "normalizer.strip_accents"])?;
        let mut scores = self.scores()?;
        let normal = self.types.iter().zip(&scores).filter(|(t, _)| **t == kind::NORMAL);
        let least = normal.fold(f32::MAX, |m, (_, &s)| m.min(s));
        let entry = |id: usize| (self.names[id].as_bytes().into(), id as u32);
        let user = |id: &usize| self.types[*id] == kind::USER;
        let all = 0..self.names.len();
        let tokens = Prefixes::new(all.clone().filter(|id| self.written(*id) || user(id)).map(entry));
        let users = Prefixes::new(all.clone().filter(user).map(entry));
        all.filter(user).for_each(|id| scores[id] = 0.0);
        let flag = |name: &str| Ok::<_, String>(self.keys.flag(name)?.unwrap_or(false));
        let table = Table::new(self.keys.bytes("precompiled_charsmap")?.unwrap_or_default());
        let form = Unigrams {
            tokens,
            users,
            scores,
            unknown: self.unknown.ok_or("it has no `tokenizer.ggml.unknown_token_id`")?,
            unknown_score: f64::from(least) - 10.0,
            table: table.ok_or("its `tokenizer.ggml.precompiled_charsmap` is no such table")?,
            space_before: flag("add_space_prefix")?,
            one_space: flag("remove_extra_whitespaces")?,
        };
        Ok((Form::Unigrams(Box::new(form)), self.texts()))
    }

    fn words(&self) -> Result<(Form, Vec<Vec<u8>>), String> {
        self.only(&[
            "add_space_prefix",
            "remove_extra_whitespaces",
            "precompiled_charsmap",
            "add_eos_token",
        ])?;
        let texts = self.texts();
        let all = texts.iter().enumerate().filter(|(id, _)| self.written(*id));
        let lowercase = self.keys.flag("normalizer.lowercase")?.unwrap_or(true);
        let form = Words {
            tokens: Prefixes::new(all.map(|(id, t)| (t[..].into(), id as u32))),
            unknown: self.unknown.ok_or("it has no `tokenizer.ggml.unknown_token_id`")?,
            lowercase,
            strip_accents: self.keys.flag("normalizer.strip_accents")?.unwrap_or(lowercase),
        };
        Ok((Form::Words(Box::new(form)), texts))
    }

    fn pairs(&self, pre: Pre) -> Result<(Form, Vec<Vec<u8>>), String> {
        const OTHERS: [&str; 5] = [
            "add_space_prefix",
            "remove_extra_whitespaces",
            "precompiled_charsmap",
            "normalizer.lowercase",
            "normalizer.strip_accents",
        ];
        self.only(&OTHERS)?;
        let merges = self.keys.texts("merges")?.ok_or("it has no `tokenizer.ggml.merges`")?;
        let of: HashMap<char, u8> = bpe::alphabet().into_iter().zip(0..=255).collect();
        let bytes =
            |text: &str| if pre.plain { Some(text.as_bytes().to_vec()) } else { bpe::bytes_of(text, &of) };
        let mut texts = Vec::with_capacity(self.names.len());
        for (id, name) in self.names.iter().enumerate() {
            texts.push(match self.types[id] {
                kind::USER => name.as_bytes().to_vec(),
                // One that is not of the alphabet stands for no bytes, and no text becomes it.
                _ if self.written(id) && !pre.plain => bytes(name).unwrap_or_default(),
                _ if pre.plain => self.plain(id),
                _ => Vec::new(),
            });
        }
        let as_merged = |id: usize| match (self.written(id), pre.plain) {
            (false, _) => None,
            (true, true) => Some(self.names[id].as_bytes()),
            (true, false) => Some(&texts[id][..]),
        };
        let merge = |text: &&str| {
            // The second one starts after a space; the first may be one.
            let at = text.char_indices().skip(1).find(|(_, c)| *c == ' ')?.0;
            Some((bytes(&text[..at])?, bytes(&text[at + 1..])?))
        };
        let all = (0..self.names.len()).map(as_merged);
        let tokens_of_bytes = self.bytes();
        let byte = |b: u8| tokens_of_bytes[usize::from(b)];
        let pairs = bpe::Pairs::new(pre, all, merges.iter().map(merge), byte, self.unknown)?;
        Ok((Form::Pairs(Box::new(pairs)), texts))
    }

    /// The tokens that are found as a whole: those of users, and all.
    fn whole(&self, file: &Gguf<'_>, model: &str) -> Result<(Finder, Finder), String> {
        let text = |key: &str| file.value(key).and_then(Value::text).unwrap_or_default();
        // Which of them take white space is in no key: llama.cpp knows it by these names.
        let (pre, architecture) = (text("tokenizer.ggml.pre"), text("general.architecture"));
        let name = text("general.name").to_ascii_lowercase();
        let has = |text: &str, all: &[&str]| all.iter().any(|part| text.contains(part));
        let mask = has(pre, &["jina-v2-de", "jina-v2-es", "jina-v2-code"])
            || has(architecture, &["nomic-bert-moe", "jina-bert-v3"]);
        let phi = !mask && has(&name, &["phi-3", "phi3"]);
        let modern = !mask && !phi && has(&name, &["modern-bert"]);
        let strips = |token: &str| {
            let before = mask && token == "<mask>" || modern && token == "[MASK]";
            [before, phi && !["<unk>", "<s>", "<|endoftext|>"].contains(&token)]
        };
        let (mut users, mut whole) = (Vec::new(), Vec::new());
        for (id, name) in self.names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let spaced = if model == "llama" { name.replace('▁', " ") } else { (*name).into() };
            let one = |text: String| Whole { id: id as u32, text: text.into_bytes(), strips: strips(name) };
            match self.types[id] {
                kind::USER => {
                    users.push(one(spaced.clone()));
                    whole.push(one(spaced));
                }
                kind::CONTROL | kind::UNKNOWN => whole.push(one((*name).into())),
                _ => {}
            }
        }
        Ok((Finder::new(users)?, Finder::new(whole)?))
    }
}
