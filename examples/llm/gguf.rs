//! Models as GGUF files: which keys and tensors they have. The library reads and writes.

#[path = "blocks.rs"]
mod blocks_of;
#[path = "keys.rs"]
mod keys;
#[path = "parts.rs"]
pub mod parts;

use crate::config::{Config, Place};
use crate::files::Shown;
use crate::memory::{Lack, zeros};
use crate::tokens::Tokenizer;
use crate::vocabulary::Vocabulary;
use core::fmt;
use core::ops::Range;
use fulmen::gguf::{self, Array, Gguf, Info, Tensor};
use fulmen::quant::{Block, blocks, bytes_of};
use fulmen::{Error, RopeScaling, RopeStyle};
use fulmen_tokens::Tokens;
use parts::Parts;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

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

/// A file to be written: its dictionary, and its tensors with their rows and columns (one row for a vector).
#[derive(Debug, Default, PartialEq)]
pub struct Draft<'a> {
    pub values: BTreeMap<String, Value>,
    pub tensors: Vec<(String, [usize; 2], Cow<'a, [f32]>)>,
}

/// Why a file is of no use.
#[derive(Debug)]
pub enum Trouble {
    Io(io::Error),
    /// It is something else.
    Foreign(String),
    /// It ends early, or says something of itself that cannot be.
    Broken(String),
    /// It is a part, and the others are not there.
    Incomplete(String),
    /// It is larger than this machine.
    Lack(Lack),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(e) => write!(f, "{e}"),
            Self::Foreign(why) => write!(f, "not a model of this program: {why}"),
            Self::Broken(why) => write!(f, "damaged: {why}"),
            Self::Incomplete(why) => write!(f, "{why}"),
            Self::Lack(why) => write!(f, "{why}"),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

impl From<Lack> for Trouble {
    fn from(why: Lack) -> Self {
        Self::Lack(why)
    }
}

impl From<gguf::Error<'_>> for Trouble {
    fn from(e: gguf::Error<'_>) -> Self {
        use gguf::Error::{Format, Magic, Missing, Name, Text, Type, Unfit, Version};
        match e {
            Magic | Version(_) | Type(..) | Format(..) | Name(_) | Text(_) | Missing(_) | Unfit(_) => {
                Self::Foreign(e.to_string())
            }
            _ => Self::Broken(e.to_string()),
        }
    }
}

fn broken<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Broken(why.into()))
}

fn foreign<T>(why: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::Foreign(why.into()))
}

/// A vector has one dimension in a file.
fn dims(shape: &[usize; 2]) -> &[usize] {
    if shape[0] == 1 { &shape[1..] } else { shape }
}

/// The number of the format `f32`.
pub const F32: u32 = 0;

impl Draft<'_> {
    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.stored(out).map_err(|why| match why {
            Trouble::Io(e) => e,
            why => io::Error::other(why.to_string()),
        })
    }

    fn stored(&self, out: &mut dyn Write) -> Result<(), Trouble> {
        let arrays: Vec<Vec<u8>> = self.values.values().map(Value::elements).collect();
        let mut values = Vec::new();
        for ((key, value), elements) in self.values.iter().zip(&arrays) {
            values.push((&key[..], value.stored(elements)?));
        }
        let mut infos = Vec::new();
        for (name, shape, _) in &self.tensors {
            infos.push(Info::new(name, dims(shape), F32)?);
        }
        let sink = |bytes: &[u8]| Ok::<(), Trouble>(out.write_all(bytes)?);
        gguf::write(&values, &infos, sink, |i, put| {
            let mut bytes = [0; 4096];
            for x in self.tensors[i].2.chunks(bytes.len() / 4) {
                let (to, _) = bytes.as_chunks_mut();
                to.iter_mut().zip(x).for_each(|(to, x)| *to = x.to_le_bytes());
                put(&bytes[..4 * x.len()])?;
            }
            Ok(())
        })
    }
}

impl Value {
    /// The elements of an array, as a file holds them.
    fn elements(&self) -> Vec<u8> {
        match self {
            Self::Numbers(x) => x.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Reals(x) => x.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::Texts(x) => {
                x.iter().flat_map(|x| [&(x.len() as u64).to_le_bytes(), x.as_bytes()].concat()).collect()
            }
            _ => Vec::new(),
        }
    }
    /// What the library writes, with these elements.
    fn stored<'a>(&'a self, elements: &'a [u8]) -> Result<gguf::Value<'a>, gguf::Error<'a>> {
        let array = |of, len| Array::new(of, len, elements).map(gguf::Value::Array);
        match self {
            Self::U32(x) => Ok(gguf::Value::U32(*x)),
            Self::F32(x) => Ok(gguf::Value::F32(*x)),
            Self::Text(x) => Ok(gguf::Value::Text(x)),
            Self::Numbers(x) => array(U32S, x.len()),
            Self::Reals(x) => array(F32S, x.len()),
            Self::Texts(x) => array(TEXTS, x.len()),
        }
    }
}

/// The types of our arrays.
const U32S: u32 = 4;
const F32S: u32 = 6;
const TEXTS: u32 = 8;

/// The array of whole numbers at `key`.
pub fn numbers(file: &Gguf<'_>, key: &str) -> Option<Vec<u32>> {
    let of = file.value(key)?.array().filter(|a| a.of() == U32S)?;
    Some(of.bytes().as_chunks().0.iter().map(|&x| u32::from_le_bytes(x)).collect())
}

/// The array of real numbers at `key`.
pub fn reals(file: &Gguf<'_>, key: &str) -> Option<Vec<f32>> {
    let of = file.value(key)?.array().filter(|a| a.of() == F32S)?;
    Some(of.bytes().as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect())
}

/// Calls `$f::<Format>(arguments)` for the format of that number; `None` for one that there is no quantising to.
macro_rules! of_kind {
    ($kind:expr, $f:ident $(<$T:ident>)? ($($arg:expr),*)) => {
        of_kind!(@ $kind, [$f $(, $T)?] ($($arg),*) Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 IQ4_NL MXFP4 Q2_K Q3_K Q4_K Q5_K Q6_K)
    };
    (@ $kind:expr, $f:tt $args:tt $($B:ident)*) => {
        match Some($kind) {
            $(<fulmen::quant::$B as fulmen::quant::Block>::TYPE => Some(of_kind!(@@ $f $B $args)),)*
            _ => None,
        }
    };
    (@@ [$f:ident $(, $T:ident)?] $B:ident ($($arg:expr),*)) => { $f::<fulmen::quant::$B $(, $T)?>($($arg),*) };
}
pub(crate) use of_kind;

/// The formats of two bytes, which become `f32`.
const F16: u32 = 1;
const BF16: u32 = 30;

/// A number in half precision.
fn half(x: u16) -> f32 {
    let (sign, rest) = (u32::from(x & 0x8000) << 16, u32::from(x & 0x7fff));
    let magnitude = match rest {
        // With an exponent of 112 more, which a product takes off again: subnormals come out right.
        0..0x7c00 => f32::from_bits(rest << 13) * f32::from_bits((127 + 112) << 23),
        _ => f32::from_bits(0x7f80_0000 | (rest & 0x3ff) << 13),
    };
    f32::from_bits(magnitude.to_bits() | sign)
}

/// The numbers in bytes of a format of numbers.
pub fn numbers_of(kind: u32, bytes: &[u8]) -> Option<Vec<f32>> {
    let halves = bytes.as_chunks().0.iter().map(|&x| u16::from_le_bytes(x));
    match kind {
        F32 => Some(bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect()),
        F16 => Some(halves.map(half).collect()),
        BF16 => Some(halves.map(|x| f32::from_bits(u32::from(x) << 16)).collect()),
        _ => None,
    }
}

/// The numbers in blocks of a format that the library does not multiply with.
pub fn read_blocks(kind: u32, bytes: &[u8]) -> Option<Vec<f32>> {
    let (read, format) = (blocks_of::reader(kind)?, gguf::format(kind)?);
    let mut to = vec![0.0; bytes.len() / format.bytes * format.elements];
    let blocks = bytes.chunks_exact(format.bytes);
    to.chunks_exact_mut(format.elements).zip(blocks).for_each(|(to, block)| read(block, to));
    Some(to)
}

/// The tensors of a model: blocks as they are, and numbers; those of a bias that a file lacks are 0.
fn stored(file: &Parts<'_>, all: &[(String, Range<usize>, [usize; 2])]) -> Result<Stored, Trouble> {
    fn known<B: Block>() {}
    let mut found: Vec<(Option<Tensor<'_>>, [usize; 2])> = Vec::new();
    let (mut numbers, mut bytes) = (0, 0);
    for (name, _, shape) in all {
        let t = file.tensor(name);
        found.push((t, *shape));
        let Some(t) = t else {
            if !name.ends_with(".bias") {
                return Err(gguf::Error::Missing(name).into());
            }
            numbers += shape[1];
            continue;
        };
        if t.info.shape() != dims(shape) {
            return Err(gguf::Error::Unfit(name).into());
        }
        let (name, kind) = (Shown(t.info.name()), t.info.kind());
        match kind {
            F32 => numbers += t.bytes.len() / 4,
            F16 | BF16 => numbers += t.bytes.len() / 2,
            _ if blocks_of::reader(kind).is_some() => numbers += shape[0] * shape[1],
            // A vector is no operand of a product.
            _ if of_kind!(kind, known()).is_some() && shape[0] > 1 => bytes += t.bytes.len(),
            _ => {
                let format = gguf::format(kind).map_or("unknown", |f| f.name);
                return foreign(format!("`{name}` is {format}"));
            }
        }
    }
    let mut to = Stored::default();
    let full = |bytes: usize| move |_| Lack::Memory { needed: Some(bytes as u128), free: None };
    to.numbers.try_reserve_exact(numbers).map_err(full(4 * numbers))?;
    to.blocks.try_reserve_exact(bytes).map_err(full(bytes))?;
    for (t, [rows, cols]) in found {
        let start = to.numbers.len();
        let Some(t) = t else {
            to.numbers.resize(start + cols, 0.0);
            to.places.push(Place { kind: F32, rows, range: start..start + cols });
            continue;
        };
        let kind = t.info.kind();
        let Some(numbers) = numbers_of(kind, t.bytes).or_else(|| read_blocks(kind, t.bytes)) else {
            let start = to.blocks.len();
            to.blocks.extend_from_slice(t.bytes);
            to.places.push(Place { kind, rows, range: start..to.blocks.len() });
            continue;
        };
        to.numbers.extend(numbers);
        to.places.push(Place { kind: F32, rows, range: start..to.numbers.len() });
    }
    Ok(to)
}

/// The numbers of a tensor that is nothing else, as many as there must be.
pub fn floats(file: &Gguf<'_>, name: &str, len: usize) -> Option<Vec<f32>> {
    let t = file.tensor(name).filter(|t| t.info.kind() == F32 && t.bytes.len() == 4 * len)?;
    Some(t.bytes.as_chunks().0.iter().map(|&x| f32::from_le_bytes(x)).collect())
}

/// The format that takes the place of that one in rows which its blocks do not divide, where llama.cpp has one: of blocks of 32
/// in the place of 256.
pub fn instead(kind: u32) -> Option<u32> {
    let other = match gguf::format(kind)?.name {
        "q2_k" | "q3_k" => "iq4_nl",
        "q4_k" => "q5_0",
        "q5_k" => "q5_1",
        "q6_k" => "q8_0",
        _ => return None,
    };
    named(other)
}

/// The number of the format with that name, of those that weights are quantised to.
pub fn named(name: &str) -> Option<u32> {
    fn is<B: Block>(name: &str) -> bool {
        B::NAME == name
    }
    (0..64).find(|&kind| of_kind!(kind, is(name)) == Some(true))
}

/// The blocks of rows in the format of that number, as bytes; none for a format that there is no quantising to. A pool of
/// threads shares them, where this is called on one.
pub fn encoded(kind: u32, x: &[f32]) -> Result<Vec<u8>, Error> {
    fn of<B: Block>(x: &[f32]) -> Result<Vec<u8>, Error> {
        let zeros = vec![0; x.len() / B::ELEMENTS * size_of::<B>()];
        let mut to = blocks::<B>(&zeros)?.to_vec();
        #[cfg(feature = "parallel")]
        if rayon::current_thread_index().is_some() {
            fulmen::parallel::quantize(x, None, &mut to)?;
            return Ok(bytes_of(&to).to_vec());
        }
        fulmen::quantize(x, None, &mut to)?;
        Ok(bytes_of(&to).to_vec())
    }
    of_kind!(kind, of(x)).unwrap_or_else(|| Ok(Vec::new()))
}

/// A model: its sizes, its vocabulary and its weights.
#[derive(Debug, PartialEq)]
pub struct Model {
    pub config: Config,
    pub vocabulary: Tokenizer,
    pub weights: Stored,
}

/// Weights as a file has them, in the order of [`tensors`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stored {
    /// The tensors that are numbers.
    pub numbers: Vec<f32>,
    /// The others, byte for byte.
    pub blocks: Vec<u8>,
    pub places: Vec<Place>,
    /// What the rotary angles of each pair are divided by; none where all are 1.
    pub factors: Vec<f32>,
}

impl Stored {
    /// Numbers, as a [`Config`] places them.
    #[allow(dead_code, reason = "for a page and tests, which have no file")]
    pub fn of(c: &Config, numbers: Vec<f32>) -> Self {
        let place = |(_, range, [rows, _]): (String, _, [usize; 2])| Place { kind: F32, rows, range };
        Self { numbers, places: tensors(c).into_iter().map(place).collect(), ..Self::default() }
    }

    /// How many bytes they are where a number has so many.
    pub fn bytes(&self, width: usize) -> usize {
        width * self.numbers.len() + self.blocks.len()
    }

    /// The first weight that is NaN or infinite: its tensor, its place there, and what it is.
    pub fn odd(&self, c: &Config) -> Result<Option<(String, usize, f32)>, Lack> {
        fn of<B: Block>(bytes: &[u8]) -> Result<Option<(usize, f32)>, Error> {
            // Some blocks at a time.
            let mut some = vec![0.0; 16 * 256];
            let many = some.len() / B::ELEMENTS;
            for (i, blocks) in blocks::<B>(bytes)?.chunks(many).enumerate() {
                let to = &mut some[..blocks.len() * B::ELEMENTS];
                fulmen::dequantize(blocks, to)?;
                if let Some((at, x)) = first(to) {
                    return Ok(Some((i * many * B::ELEMENTS + at, x)));
                }
            }
            Ok(None)
        }
        fn first(x: &[f32]) -> Option<(usize, f32)> {
            x.iter().position(|x| !x.is_finite()).map(|at| (at, x[at]))
        }
        for ((name, ..), place) in tensors(c).into_iter().zip(&self.places) {
            let found = match place.kind {
                F32 => first(&self.numbers[place.range.clone()]),
                kind => {
                    let unknown = Err(Error::domain("weights"));
                    of_kind!(kind, of(&self.blocks[place.range.clone()])).unwrap_or(unknown)?
                }
            };
            if let Some((at, x)) = found {
                return Ok(Some((name, at, x)));
            }
        }
        Ok(None)
    }

    /// All of them as numbers.
    pub fn expanded(self, c: &Config) -> Result<Vec<f32>, Lack> {
        fn of<B: Block>(bytes: &[u8], to: &mut [f32]) -> Result<(), Error> {
            fulmen::dequantize(blocks::<B>(bytes)?, to)
        }
        if self.blocks.is_empty() {
            return Ok(self.numbers);
        }
        let mut all = zeros(c.parameters())?;
        for ((_, range, _), place) in tensors(c).into_iter().zip(self.places) {
            let (to, from) = (&mut all[range], place.range);
            match place.kind {
                F32 => to.copy_from_slice(&self.numbers[from]),
                kind => {
                    let unknown = Err(Error::domain("weights"));
                    of_kind!(kind, of(&self.blocks[from], to)).unwrap_or(unknown)?;
                }
            }
        }
        Ok(all)
    }
}

/// Name, place and shape of each tensor.
pub fn tensors(c: &Config) -> Vec<(String, Range<usize>, [usize; 2])> {
    let (d, q, kv) = (c.dim, c.q_width(), c.kv_width() / 2);
    let mut all = vec![("token_embd.weight".into(), c.embedding(), [c.vocab, d])];
    for l in 0..c.layers {
        let (start, at) = (c.block_at(l).start, c.block());
        let mut add = |name: &str, range: Range<usize>, shape| {
            all.push((format!("blk.{l}.{name}"), start + range.start..start + range.end, shape));
        };
        let halves = |r: &Range<usize>| [r.start..r.start + r.len() / 2, r.start + r.len() / 2..r.end];
        let ([k, v], [gate, up]) = (halves(&at.kv), halves(&at.gate_up));
        add("attn_norm.weight", at.norm_1, [1, d]);
        add("attn_q.weight", at.q, [q, d]);
        add("attn_k.weight", k, [kv, d]);
        add("attn_v.weight", v, [kv, d]);
        add("attn_output.weight", at.o, [d, q]);
        add("ffn_norm.weight", at.norm_2, [1, d]);
        add("ffn_gate.weight", gate, [c.hidden, d]);
        add("ffn_up.weight", up, [c.hidden, d]);
        add("ffn_down.weight", at.down, [d, c.hidden]);
        let ([k, v], [gate, up]) = (halves(&at.kv_bias), halves(&at.gate_up_bias));
        if c.biases.qkv {
            add("attn_q.bias", at.q_bias, [1, q]);
            add("attn_k.bias", k, [1, kv]);
            add("attn_v.bias", v, [1, kv]);
        }
        if c.biases.output {
            add("attn_output.bias", at.o_bias, [1, d]);
        }
        if c.biases.ffn {
            add("ffn_gate.bias", gate, [1, c.hidden]);
            add("ffn_up.bias", up, [1, c.hidden]);
            add("ffn_down.bias", at.down_bias, [1, d]);
        }
    }
    all.push(("output_norm.weight".into(), c.last_norm(), [1, d]));
    if !c.tied {
        all.push(("output.weight".into(), c.output(), [c.vocab, d]));
    }
    all
}

/// A model as a file, under the names that files of this architecture use.
pub fn file_of<'a>(c: &Config, vocabulary: &Vocabulary, parameters: &'a [f32]) -> Draft<'a> {
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
    Draft {
        values: values.into_iter().map(|(k, v)| (k.into(), v)).collect(),
        tensors: tensors(c).into_iter().map(cut).collect(),
    }
}

/// The vocabulary of a file, whose model may be one that this program does not run.
pub fn tokenizer(file: &Gguf<'_>) -> Result<Tokenizer, Trouble> {
    let Some(pairs) = numbers(file, "fulmen.pairs") else {
        return Ok(Tokenizer::Foreign(Box::new(Tokens::read(file).or_else(foreign)?)));
    };
    let (pairs, rest) = pairs.as_chunks();
    match Vocabulary::new(pairs.to_vec()).filter(|_| rest.is_empty()) {
        Some(ours) => Ok(Tokenizer::Ours(ours)),
        None => broken("its vocabulary is not one of byte pairs"),
    }
}

impl Model {
    /// From a file's path; the other parts of a split one are read beside it.
    pub fn open(path: &Path) -> Result<Self, Trouble> {
        Self::from_parts(&Parts::of(&parts::read(path)?)?)
    }

    /// From the bytes of a file that has all of it.
    #[allow(dead_code, reason = "the program reads paths; tests and pages have bytes")]
    pub fn read(bytes: &[u8]) -> Result<Self, Trouble> {
        Self::from_file(&Gguf::read(bytes)?)
    }

    /// From a file that has all of it.
    pub fn from_file(file: &Gguf<'_>) -> Result<Self, Trouble> {
        Self::from_parts(&Parts::new(vec![*file])?)
    }

    /// From all files of it.
    pub fn from_parts(file: &Parts<'_>) -> Result<Self, Trouble> {
        let kind = file.value("general.type").and_then(gguf::Value::text).unwrap_or("model");
        if kind != "model" {
            return foreign(format!("its `general.type` is {}", Shown(kind)));
        }
        if file.value("general.architecture").is_some() && file.tensors().next().is_none() {
            return foreign("it has no tensors, but a vocabulary alone");
        }
        keys::architecture(file)?;
        let vocabulary = tokenizer(file.first())?;
        let config = keys::config(file, vocabulary.len())?;
        if vocabulary.len() != config.vocab {
            return broken(format!("its vocabulary has {} of {} tokens", vocabulary.len(), config.vocab));
        }
        // The file holds all of it but biases that are 0, so it fits into memory.
        let sizes = file.tensors().map(|t| t.info.shape().iter().product());
        let held = sizes.fold(0, |all: usize, n: usize| if n == 0 { all } else { all.saturating_add(n) });
        let least = Config { biases: Default::default(), ..config }.parameters();
        if held < least {
            return broken(format!("it has {held} of {least} parameters"));
        }
        let all = tensors(&config);
        let mut weights = stored(file, &all)?;
        let known: HashSet<&str> = all.iter().map(|(name, ..)| &name[..]).collect();
        for t in file.tensors() {
            let name = t.info.name();
            if name == FACTORS && config.rope.style == RopeStyle::Interleaved {
                weights.factors = factors(&config, t)?;
            } else if !name.starts_with("fulmen.") && !known.contains(name) {
                return foreign(format!("its tensor `{}` is no part of such a model", Shown(name)));
            }
        }
        Ok(Self { config, vocabulary, weights })
    }
}

/// The tensor of what the angles of the rotary pairs are divided by, as models of Llama 3.1 have it.
const FACTORS: &str = "rope_freqs.weight";

/// Its numbers.
fn factors(c: &Config, t: Tensor<'_>) -> Result<Vec<f32>, Trouble> {
    if matches!(c.rope.scaling, RopeScaling::Yarn { .. }) {
        return foreign(format!("its rotary positions have both `{FACTORS}` and the scaling yarn"));
    }
    let numbers = numbers_of(t.info.kind(), t.bytes).filter(|x| x.len() == c.head_dim() / 2);
    let Some(numbers) = numbers else { return Err(gguf::Error::Unfit(FACTORS).into()) };
    if !numbers.iter().all(|x| x.is_finite() && *x > 0.0) {
        return broken(format!("`{FACTORS}` has what is not a number above zero"));
    }
    Ok(numbers)
}
