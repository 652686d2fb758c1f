//! The keys of a file, by their types: a value of another type is an error that names the key.

use fulmen::gguf::{Array, Gguf, Value};

/// Keys that are read, or that change no token: the numbers of padding, masks, and parts of programs; other forms of the same
/// vocabulary; templates of chats.
const KNOWN: [&str; 36] = [
    "model",
    "pre",
    "tokens",
    "token_type",
    "token_type_count",
    "scores",
    "merges",
    "bos_token_id",
    "eos_token_id",
    "eot_token_id",
    "eom_token_id",
    "unknown_token_id",
    "seperator_token_id",
    "separator_token_id",
    "padding_token_id",
    "cls_token_id",
    "mask_token_id",
    "add_bos_token",
    "add_eos_token",
    "add_sep_token",
    "add_space_prefix",
    "remove_extra_whitespaces",
    "precompiled_charsmap",
    "normalizer.lowercase",
    "normalizer.strip_accents",
    "fim_pre_token_id",
    "fim_suf_token_id",
    "fim_mid_token_id",
    "fim_pad_token_id",
    "fim_rep_token_id",
    "fim_sep_token_id",
    "prefix_token_id",
    "suffix_token_id",
    "middle_token_id",
    "eot_token_ids",
    "suppress_tokens",
];

/// The keys `tokenizer.ggml.*` of a file.
pub struct Keys<'f, 'a>(pub &'f Gguf<'a>);

impl<'a> Keys<'_, 'a> {
    /// Refuses a key of the tokenizer that is not known.
    pub fn all_known(&self) -> Result<(), String> {
        let known = |key: &str| match key.strip_prefix("tokenizer.") {
            None => true,
            Some("chat_template" | "chat_templates" | "huggingface.json") => true,
            Some(rest) if rest.starts_with("chat_template.") => true,
            Some(rest) => rest.strip_prefix("ggml.").is_some_and(|rest| KNOWN.contains(&rest)),
        };
        match self.0.values().find(|(key, _)| !known(key)) {
            None => Ok(()),
            Some((key, _)) => Err(format!(
                "its key `{}` is not known here, and may change its tokens",
                key.escape_default()
            )),
        }
    }

    fn get<T>(
        &self,
        name: &str,
        what: &str,
        of: impl Fn(Value<'a>) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.0.value(&format!("tokenizer.ggml.{name}")) {
            None => Ok(None),
            Some(value) => {
                of(value).map(Some).ok_or_else(|| format!("its `tokenizer.ggml.{name}` is no {what}"))
            }
        }
    }

    pub fn text(&self, name: &str) -> Result<Option<&'a str>, String> {
        self.get(name, "text", Value::text)
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, String> {
        self.get(name, "truth value", |v| if let Value::Bool(x) = v { Some(x) } else { None })
    }

    fn list(&self, name: &str) -> Result<Option<Array<'a>>, String> {
        self.get(name, "list", Value::array)
    }

    pub fn texts(&self, name: &str) -> Result<Option<Vec<&'a str>>, String> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let texts: Option<Vec<_>> = list.iter().map(Value::text).collect();
        texts.map(Some).ok_or_else(|| format!("its `tokenizer.ggml.{name}` is no list of texts"))
    }

    pub fn reals(&self, name: &str) -> Result<Option<Vec<f32>>, String> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let whole = |v: Value<'_>| if let Value::I32(x) = v { Some(f64::from(x)) } else { None };
        let reals: Option<Vec<_>> =
            list.iter().map(|v| Some(v.real().or_else(|| whole(v))? as f32)).collect();
        reals.map(Some).ok_or_else(|| format!("its `tokenizer.ggml.{name}` is no list of numbers"))
    }

    pub fn numbers(&self, name: &str) -> Result<Option<Vec<u64>>, String> {
        let Some(list) = self.list(name)? else { return Ok(None) };
        let all: Option<Vec<_>> = list.iter().map(Value::number).collect();
        all.map(Some)
            .ok_or_else(|| format!("its `tokenizer.ggml.{name}` is no list of whole numbers from 0 up"))
    }

    /// The bytes of a list of bytes.
    pub fn bytes(&self, name: &str) -> Result<Option<&'a [u8]>, String> {
        match self.list(name)? {
            None => Ok(None),
            Some(list) if list.of() < 2 => Ok(Some(list.bytes())),
            Some(_) => Err(format!("its `tokenizer.ggml.{name}` is no list of bytes")),
        }
    }

    /// A token of `n`.
    pub fn token(&self, name: &str, n: usize) -> Result<Option<u32>, String> {
        let id = self.get(name, "token", Value::number)?;
        match id.map(|id| u32::try_from(id).ok().filter(|&id| (id as usize) < n)) {
            None => Ok(None),
            Some(Some(id)) => Ok(Some(id)),
            Some(None) => Err(format!("its `tokenizer.ggml.{name}` is no token")),
        }
    }
}
