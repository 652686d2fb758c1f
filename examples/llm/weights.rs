//! What is done with a model's weights: shown, quantised, and measured on a text.

use crate::cli::{Stop, Streams, useless};
use crate::config::Config;
use crate::files::Shown;
use crate::gguf::parts::Parts;
use crate::gguf::{Model, Trouble, encoded, instead, numbers_of};
use crate::machine::{Follower, Machine, Weights};
use core::fmt;
use fulmen::backend::Blocking;
use fulmen::gguf::{self, Gguf, Info, Value, format};
use std::io::Write;
use std::path::Path;

/// A value of a file in a line.
struct Line<'a>(Value<'a>);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Text(s) if s.chars().count() > 60 => {
                write!(f, "{:?}…, {} bytes", s.chars().take(60).collect::<String>(), s.len())
            }
            Value::Text(s) => write!(f, "{s:?}"),
            Value::Array(a) => {
                write!(f, "{} of [", a.len())?;
                for (i, x) in a.iter().take(6).enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, Line(x))?;
                }
                f.write_str(if a.len() > 6 { ", …]" } else { "]" })
            }
            Value::Bool(x) => write!(f, "{x}"),
            Value::F32(x) => write!(f, "{x}"),
            Value::F64(x) => write!(f, "{x}"),
            Value::I8(x) => write!(f, "{x}"),
            Value::I16(x) => write!(f, "{x}"),
            Value::I32(x) => write!(f, "{x}"),
            Value::I64(x) => write!(f, "{x}"),
            x => write!(f, "{}", x.number().unwrap_or(0)),
        }
    }
}

/// Prints the keys and tensors of any file.
pub fn inspect(path: &Path, bytes: &[u8], out: &mut dyn Write) -> Result<(), Stop> {
    let file = Gguf::read(bytes).map_err(|e| useless(path, Trouble::from(e)))?;
    writeln!(out, "version {}, alignment {}", file.version(), file.alignment())?;
    for (key, value) in file.values() {
        writeln!(out, "{} = {}", Shown(key), Line(value))?;
    }
    for t in file.tensors() {
        let name = format(t.info.kind()).map_or("", |f| f.name);
        writeln!(out, "{:>8} {:?} {}, {} bytes", name, t.info.shape(), Shown(t.info.name()), t.bytes.len())?;
    }
    Ok(())
}

/// Bytes of a matrix that are quantised at a time.
const PART: usize = 16 << 20;

/// Writes the model again with its matrices, which are numbers, in the format `kind`; those whose rows are no whole blocks of it take the
/// format that is [`instead`] of it, or stay, as vectors do, and are named.
pub fn quantize(
    file: &Parts<'_>,
    kind: u32,
    note: &mut Streams<'_>,
    out: &mut dyn Write,
) -> Result<(), Trouble> {
    let (tensors, mut infos): (Vec<_>, Vec<Info<'_>>) = (file.tensors().collect(), Vec::new());
    let (mut done, mut other, mut kept) = (0, Vec::new(), Vec::new());
    for t in &tensors {
        let (name, shape) = (t.info.name(), t.info.shape());
        if shape.len() < 2 {
            infos.push(t.info);
            continue;
        }
        if numbers_of(t.info.kind(), &[]).is_none() {
            let is = format(t.info.kind()).map_or("", |f| f.name);
            return Err(Trouble::Incomplete(format!("`{}` is {is}, not f32, f16 or bf16", Shown(name))));
        }
        let said = || format!("{} {shape:?}", Shown(name));
        let second = || instead(kind).and_then(|kind| Info::new(name, shape, kind).ok());
        if let Ok(info) = Info::new(name, shape, kind) {
            infos.push(info);
            done += 1;
        } else if let Some(info) = second() {
            infos.push(info);
            other.push(said());
        } else {
            infos.push(t.info);
            kept.push(said());
        }
    }
    let format = |kind| format(kind).map_or("", |f| f.name);
    let is = format(kind);
    if done == 0 && other.is_empty() {
        return Err(Trouble::Incomplete(format!("none of its matrices has rows of whole blocks of {is}")));
    }
    let second =
        instead(kind).map_or(String::new(), |kind| format!("in {}, as llama.cpp does", format(kind)));
    for (how, names) in [(second, other), ("as they are".into(), kept)] {
        if !names.is_empty() {
            note.note(format_args!("no whole blocks of {is} in a row, so {how}: {}\n", names.join(", ")));
        }
    }
    let apart = |key: &str| key == "general.alignment" || key.starts_with("split.");
    let values: Vec<_> = file.first().values().filter(|(key, _)| !apart(key)).collect();
    let sink = |bytes: &[u8]| Ok::<(), Trouble>(out.write_all(bytes)?);
    gguf::write(&values, &infos, sink, |i, put| {
        let (Some(t), Some(info)) = (tensors.get(i), infos.get(i)) else { return Ok(()) };
        if info.kind() == t.info.kind() {
            return put(t.bytes);
        }
        let rows: usize = info.shape().split_last().map_or(1, |(_, rows)| rows.iter().product());
        // Some rows at a time, of which threads have enough to do.
        let row = (t.bytes.len() / rows.max(1)).max(1);
        for part in t.bytes.chunks(row * (PART / row).max(1)) {
            let x = numbers_of(t.info.kind(), part).unwrap_or_default();
            let bytes = encoded(info.kind(), &x)
                .map_err(|e| Trouble::Broken(format!("`{}`: {e}", Shown(info.name()))))?;
            put(&bytes)?;
        }
        Ok(())
    })
}

/// Prints how well the model from the file `path` foresees `text`, in windows of its context, of which the first token is given.
pub fn perplexity<M: Machine + Blocking>(
    machine: M,
    (path, model): (&Path, Model),
    text: &[u8],
    most: usize,
    io: &mut Streams<'_>,
) -> Result<(), Stop> {
    let tokens = model.vocabulary.encode(text);
    let tokens = tokens.get(..most).unwrap_or(&tokens);
    if tokens.len() < 2 {
        return Err(Stop::Useless("the text has no two tokens".into()));
    }
    if let Some((name, at, x)) = model.weights.odd(&model.config)? {
        return Err(useless(
            path,
            format_args!("its tensor `{name}` has {x} at element {at}: it foresees nothing"),
        ));
    }
    let config = Config { context: model.config.context.min(tokens.len()), ..model.config };
    let weights = Weights::new(&machine, model.weights)?;
    let mut follower = Follower::new(machine, config, &weights, 1)?;
    let (mut sum, mut count, mut bytes) = (0.0f64, 0usize, Vec::new());
    for window in tokens.chunks(config.context) {
        follower.restart();
        for pair in window.windows(2) {
            let [one, next] = pair else { continue };
            let logits = follower.feed(&[*one]).map_err(|why| useless(path, why))?;
            let top = logits.iter().fold(f32::NEG_INFINITY, |m, x| m.max(*x));
            let mass: f64 = logits.iter().map(|x| f64::from(x - top).exp()).sum();
            let it = logits.get(*next as usize).copied().unwrap_or(f32::NAN);
            sum += mass.ln() - f64::from(it - top);
            count += 1;
            model.vocabulary.decode_into(*next, &mut bytes);
        }
    }
    let (per_token, per_byte) = (sum / count.max(1) as f64, sum / bytes.len().max(1) as f64);
    Ok(writeln!(
        io.out,
        "perplexity {:.4} over {count} tokens, {per_byte:.4} nats per byte",
        per_token.exp()
    )?)
}
