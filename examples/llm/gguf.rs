//! Model files: GGUF, version 3, with `f32` tensors. What a file says about its sizes is checked against its length.

use crate::config::Config;
use crate::files::{self, Shown};
use crate::memory::{Lack, zeros};
use crate::vocabulary::Vocabulary;
use core::fmt;
use core::ops::Range;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

const MAGIC: &[u8; 4] = b"GGUF";
const VERSION: u32 = 3;
/// Tensors start at multiples of this.
const ALIGNMENT: usize = 32;

/// A value of the file's dictionary, of the types that we write.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    U32(u32),
    F32(f32),
    Text(String),
    Numbers(Vec<u32>),
    Reals(Vec<f32>),
    Texts(Vec<String>),
}

/// A file: its dictionary, and its tensors with their rows and columns (one row for a vector).
#[derive(Debug, Default, PartialEq)]
pub struct Gguf<'a> {
    pub values: BTreeMap<String, Value>,
    pub tensors: Vec<(String, [usize; 2], Cow<'a, [f32]>)>,
}

/// Why a file is of no use.
#[derive(Debug)]
pub enum Trouble {
    Io(std::io::Error),
    /// It is something else.
    Foreign(String),
    /// It ends early, or says something of itself that cannot be.
    Broken(String),
    /// It is larger than this machine.
    Lack(Lack),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(e) => write!(f, "{e}"),
            Self::Foreign(why) => write!(f, "not a model of this program: {why}"),
            Self::Broken(why) => write!(f, "damaged: {why}"),
            Self::Lack(why) => write!(f, "{why}"),
        }
    }
}

impl From<std::io::Error> for Trouble {
    fn from(e: std::io::Error) -> Self {
        Self::Io(e)
    }
}

impl From<Lack> for Trouble {
    fn from(why: Lack) -> Self {
        Self::Lack(why)
    }
}

fn broken<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Broken(why.into()))
}

fn foreign<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Foreign(why.into()))
}

impl Gguf<'_> {
    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut head: Vec<u8> = Vec::new();
        head.extend(MAGIC);
        head.extend(VERSION.to_le_bytes());
        head.extend((self.tensors.len() as u64).to_le_bytes());
        head.extend((self.values.len() as u64).to_le_bytes());
        let text = |head: &mut Vec<u8>, s: &str| {
            head.extend((s.len() as u64).to_le_bytes());
            head.extend(s.as_bytes());
        };
        let array = |head: &mut Vec<u8>, kind: u32, len: usize| {
            head.extend(9u32.to_le_bytes());
            head.extend(kind.to_le_bytes());
            head.extend((len as u64).to_le_bytes());
        };
        for (key, value) in &self.values {
            text(&mut head, key);
            match value {
                Value::Numbers(x) => {
                    array(&mut head, 4, x.len());
                    x.iter().for_each(|x| head.extend(x.to_le_bytes()));
                }
                Value::Reals(x) => {
                    array(&mut head, 6, x.len());
                    x.iter().for_each(|x| head.extend(x.to_le_bytes()));
                }
                Value::Texts(x) => {
                    array(&mut head, 8, x.len());
                    x.iter().for_each(|x| text(&mut head, x));
                }
                Value::U32(x) => {
                    head.extend(4u32.to_le_bytes());
                    head.extend(x.to_le_bytes());
                }
                Value::F32(x) => {
                    head.extend(6u32.to_le_bytes());
                    head.extend(x.to_le_bytes());
                }
                Value::Text(s) => {
                    head.extend(8u32.to_le_bytes());
                    text(&mut head, s);
                }
            }
        }
        let mut offset = 0;
        for (name, [rows, cols], data) in &self.tensors {
            text(&mut head, name);
            // The dimension that varies fastest comes first; a vector has only that.
            let dims = if *rows == 1 { vec![*cols] } else { vec![*cols, *rows] };
            head.extend((dims.len() as u32).to_le_bytes());
            dims.iter().for_each(|&d| head.extend((d as u64).to_le_bytes()));
            head.extend(0u32.to_le_bytes());
            head.extend((offset as u64).to_le_bytes());
            offset += (4 * data.len()).next_multiple_of(ALIGNMENT);
        }
        head.resize(head.len().next_multiple_of(ALIGNMENT), 0);
        out.write_all(&head)?;
        for (_, _, data) in &self.tensors {
            for x in data.iter() {
                out.write_all(&x.to_le_bytes())?;
            }
            out.write_all(&[0; ALIGNMENT][..(4 * data.len()).next_multiple_of(ALIGNMENT) - 4 * data.len()])?;
        }
        Ok(())
    }

    /// Reads a file.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        Self::read(&files::read(path)?)
    }

    /// Reads the file's bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, Trouble> {
        if !bytes.starts_with(MAGIC) {
            return foreign("it does not start with GGUF");
        }
        let mut r = Cursor { rest: &bytes[4..] };
        match r.u32()? {
            VERSION => {}
            v => return foreign(format!("version {v} of GGUF, {VERSION} is read here")),
        }
        let (tensors, values) = (r.count(24)?, r.count(13)?);
        let mut file = Self::default();
        for _ in 0..values {
            let key = r.text()?;
            let value = match r.u32()? {
                4 => Value::U32(r.u32()?),
                6 => Value::F32(f32::from_bits(r.u32()?)),
                8 => Value::Text(r.text()?),
                9 => match (r.u32()?, r.count(4)?) {
                    (4, n) => Value::Numbers((0..n).map(|_| r.u32()).collect::<Result<_, _>>()?),
                    (6, n) => {
                        Value::Reals((0..n).map(|_| r.u32().map(f32::from_bits)).collect::<Result<_, _>>()?)
                    }
                    (8, n) => Value::Texts((0..n).map(|_| r.text()).collect::<Result<_, _>>()?),
                    (kind, _) => return foreign(format!("`{}` is an array of type {kind}", Shown(&key))),
                },
                kind => return foreign(format!("`{}` has type {kind}", Shown(&key))),
            };
            file.values.insert(key, value);
        }
        let mut places = Vec::new();
        for _ in 0..tensors {
            let name = r.text()?;
            let dims = (0..r.u32()?.min(3)).map(|_| r.size()).collect::<Result<Vec<_>, _>>()?;
            let shape = match dims[..] {
                [cols] => [1, cols],
                [cols, rows] => [rows, cols],
                _ => return foreign(format!("`{}` has {} dimensions", Shown(&name), dims.len())),
            };
            match r.u32()? {
                0 => places.push((name, shape, r.size()?)),
                kind => {
                    let name = Shown(&name);
                    return foreign(format!("`{name}` holds elements of type {kind}, 0 (f32) is read here"));
                }
            }
        }
        let data = (bytes.len() - r.rest.len()).next_multiple_of(ALIGNMENT);
        // Tensors that share bytes would make much of a small file.
        let mut held = 0usize;
        for (name, [rows, cols], offset) in places {
            let len = rows.checked_mul(cols).and_then(|n| n.checked_mul(4));
            let end = len.and_then(|n| n.checked_add(data)?.checked_add(offset));
            let Some(raw) = end.and_then(|end| bytes.get(data + offset..end)) else {
                return broken(format!("the file ends before the end of `{}`", Shown(&name)));
            };
            held = held.saturating_add(raw.len());
            if held > bytes.len() {
                return broken("its tensors overlap");
            }
            let (words, _) = raw.as_chunks();
            file.tensors.push((
                name,
                [rows, cols],
                words.iter().map(|&w| f32::from_le_bytes(w)).collect::<Vec<_>>().into(),
            ));
        }
        Ok(file)
    }

    fn number(&self, key: &str) -> Result<usize, Trouble> {
        match self.values.get(key) {
            Some(&Value::U32(x)) => Ok(x as usize),
            _ => foreign(format!("it has no number `{key}`")),
        }
    }

    fn real(&self, key: &str) -> Result<f32, Trouble> {
        match self.values.get(key) {
            Some(&Value::F32(x)) => Ok(x),
            _ => foreign(format!("it has no number `{key}`")),
        }
    }
}

/// The bytes that are left.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], Trouble> {
        let Some((taken, rest)) = self.rest.split_at_checked(n) else { return broken("the file ends early") };
        self.rest = rest;
        Ok(taken)
    }
    fn u32(&mut self) -> Result<u32, Trouble> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().unwrap_or_default()))
    }
    fn size(&mut self) -> Result<usize, Trouble> {
        let n = u64::from_le_bytes(self.take(8)?.try_into().unwrap_or_default());
        usize::try_from(n).or_else(|_| broken("a size is too large"))
    }
    /// How many things of at least `each` bytes follow.
    fn count(&mut self, each: usize) -> Result<usize, Trouble> {
        let n = self.size()?;
        if n > bytes_left(self.rest, each) {
            broken("the file is too short for what it says to hold")
        } else {
            Ok(n)
        }
    }
    fn text(&mut self) -> Result<String, Trouble> {
        let n = self.size()?;
        String::from_utf8(self.take(n)?.to_vec()).or_else(|_| broken("a name is not UTF-8"))
    }
}

fn bytes_left(rest: &[u8], each: usize) -> usize {
    rest.len() / each
}

/// A model: its sizes, its vocabulary and its parameters.
#[derive(Debug, PartialEq)]
pub struct Model {
    pub config: Config,
    pub vocabulary: Vocabulary,
    pub parameters: Vec<f32>,
}

/// Name, place and shape of each tensor.
fn tensors(c: &Config) -> Vec<(String, Range<usize>, [usize; 2])> {
    let (d, kv) = (c.dim, c.kv_width() / 2);
    let mut all = vec![("token_embd.weight".into(), c.embedding(), [c.vocab, d])];
    for l in 0..c.layers {
        let (start, at) = (c.block_at(l).start, c.block());
        let mut add = |name: &str, range: Range<usize>, shape| {
            all.push((format!("blk.{l}.{name}.weight"), start + range.start..start + range.end, shape));
        };
        let halves = |r: &Range<usize>| [r.start..r.start + r.len() / 2, r.start + r.len() / 2..r.end];
        let ([k, v], [gate, up]) = (halves(&at.kv), halves(&at.gate_up));
        add("attn_norm", at.norm_1, [1, d]);
        add("attn_q", at.q, [d, d]);
        add("attn_k", k, [kv, d]);
        add("attn_v", v, [kv, d]);
        add("attn_output", at.o, [d, d]);
        add("ffn_norm", at.norm_2, [1, d]);
        add("ffn_gate", gate, [c.hidden, d]);
        add("ffn_up", up, [c.hidden, d]);
        add("ffn_down", at.down, [d, c.hidden]);
    }
    all.push(("output_norm.weight".into(), c.last_norm(), [1, d]));
    all
}

/// A model as a file, under the names that files of this architecture use.
pub fn file_of<'a>(c: &Config, vocabulary: &Vocabulary, parameters: &'a [f32]) -> Gguf<'a> {
    let number = |n: usize| Value::U32(u32::try_from(n).unwrap_or(u32::MAX));
    let values = [
        ("general.architecture", Value::Text("llama".into())),
        ("llama.vocab_size", number(c.vocab)),
        ("llama.embedding_length", number(c.dim)),
        ("llama.block_count", number(c.layers)),
        ("llama.attention.head_count", number(c.heads)),
        ("llama.attention.head_count_kv", number(c.kv_heads)),
        ("llama.feed_forward_length", number(c.hidden)),
        ("llama.context_length", number(c.context)),
        ("llama.rope.freq_base", Value::F32(c.rope_base)),
        ("llama.attention.layer_norm_rms_epsilon", Value::F32(c.eps)),
        ("fulmen.pairs", Value::Numbers(vocabulary.pairs().concat())),
        // For other programs that read such files: the same vocabulary in the form of GPT-2.
        ("tokenizer.ggml.model", Value::Text("gpt2".into())),
        ("tokenizer.ggml.pre", Value::Text("gpt-2".into())),
        ("tokenizer.ggml.tokens", Value::Texts(vocabulary.printable())),
        ("tokenizer.ggml.merges", Value::Texts(vocabulary.merges())),
    ];
    let cut = |(name, range, shape): (_, Range<usize>, _)| {
        (name, shape, parameters.get(range).unwrap_or_default().into())
    };
    Gguf {
        values: values.into_iter().map(|(k, v)| (k.into(), v)).collect(),
        tensors: tensors(c).into_iter().map(cut).collect(),
    }
}

impl Model {
    /// From a file.
    pub fn from_file(file: &Gguf<'_>) -> Result<Self, Trouble> {
        match file.values.get("general.architecture") {
            Some(Value::Text(name)) if name == "llama" => {}
            _ => return foreign("its architecture is not llama"),
        }
        let config = Config {
            vocab: file.number("llama.vocab_size")?,
            dim: file.number("llama.embedding_length")?,
            layers: file.number("llama.block_count")?,
            heads: file.number("llama.attention.head_count")?,
            kv_heads: file.number("llama.attention.head_count_kv")?,
            hidden: file.number("llama.feed_forward_length")?,
            context: file.number("llama.context_length")?,
            rope_base: file.real("llama.rope.freq_base")?,
            eps: file.real("llama.attention.layer_norm_rms_epsilon")?,
        };
        let config = config.checked().or_else(|why| broken(why.to_string()))?;
        let Some(Value::Numbers(pairs)) = file.values.get("fulmen.pairs") else {
            return foreign("it has no vocabulary of byte pairs");
        };
        let (pairs, rest) = pairs.as_chunks();
        let vocabulary =
            Vocabulary::new(pairs.to_vec()).filter(|v| rest.is_empty() && v.len() == config.vocab);
        let Some(vocabulary) = vocabulary else { return broken("its vocabulary is not one of byte pairs") };
        // The file holds all of it, so it fits into memory.
        let held: usize = file.tensors.iter().map(|t| t.2.len()).sum();
        if held < config.parameters() {
            return broken(format!("it has {held} of {} parameters", config.parameters()));
        }
        let mut parameters = zeros(config.parameters())?;
        for (name, range, shape) in tensors(&config) {
            let Some((_, got, data)) = file.tensors.iter().find(|t| t.0 == name) else {
                return broken(format!("`{name}` is missing"));
            };
            if *got != shape {
                return broken(format!("`{name}` is {got:?}, not {shape:?}"));
            }
            parameters[range].copy_from_slice(data);
        }
        Ok(Self { config, vocabulary, parameters })
    }
}
