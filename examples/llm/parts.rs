//! The files of a model: one, or the parts that it was split into.

use super::{Trouble, foreign};
use crate::files::{self, Shown, shown};
use fulmen::gguf::{Gguf, Tensor, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The keys of the first file, and the tensors of all.
pub struct Parts<'a> {
    files: Vec<Gguf<'a>>,
    values: HashMap<&'a str, Value<'a>>,
    tensors: HashMap<&'a str, Tensor<'a>>,
}

/// Which part a file is, counted from 0, and of how many.
fn part(file: &Gguf<'_>) -> Result<(usize, usize), Trouble> {
    let number = |key| match file.value(key) {
        None => Ok(0),
        Some(v) => match v.number().and_then(|n| u16::try_from(n).ok()) {
            Some(n) => Ok(usize::from(n)),
            None => foreign(format!("its `{key}` is no number of parts")),
        },
    };
    let (no, count) = (number("split.no")?, number("split.count")?.max(1));
    if no < count { Ok((no, count)) } else { foreign(format!("it is part {} of {count}", no + 1)) }
}

/// The name of part `no` of `count` beside the file `path`, which is part `is`; none when that has another form of name.
fn beside(path: &Path, is: usize, no: usize, count: usize) -> Option<PathBuf> {
    let end = |no: usize| format!("-{:05}-of-{count:05}.gguf", no + 1);
    let stem = path.file_name()?.to_str()?.strip_suffix(&end(is))?;
    Some(path.with_file_name(format!("{stem}{}", end(no))))
}

/// The files of a model, in order: their paths, and their bytes.
pub struct Files {
    pub paths: Vec<PathBuf>,
    pub bytes: Vec<Vec<u8>>,
}

/// The files of a model, of which `path` is one.
pub fn read(path: &Path) -> Result<Files, Trouble> {
    let bytes = files::read(path)?;
    let (is, count) = part(&Gguf::read(&bytes)?)?;
    if count == 1 {
        return Ok(Files { paths: vec![path.into()], bytes: vec![bytes] });
    }
    let incomplete = |why: String| Trouble::Incomplete(format!("it is part {} of {count}, {why}", is + 1));
    let (mut paths, mut all, mut own) = (Vec::new(), Vec::new(), Some(bytes));
    for no in 0..count {
        if let Some(bytes) = own.take_if(|_| no == is) {
            all.push(bytes);
            paths.push(path.into());
            continue;
        }
        let Some(other) = beside(path, is, no, count) else {
            let end = format!("-{:05}-of-{count:05}.gguf", is + 1);
            return Err(incomplete(format!(
                "and its name does not end in {end}, so the others are not found"
            )));
        };
        let name = shown(Path::new(other.file_name().unwrap_or_default())).to_string();
        match files::read(&other) {
            Ok(bytes) => all.push(bytes),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                return Err(incomplete(format!("and {name} is missing beside it")));
            }
            Err(e) => return Err(incomplete(format!("and {name} cannot be read: {e}"))),
        }
        let found = all.last().map_or(&[][..], |bytes| bytes);
        let found = Gguf::read(found).map_err(Trouble::from).and_then(|file| part(&file));
        match found {
            Ok(it) if it == (no, count) => {}
            Ok((no, count)) => {
                return Err(incomplete(format!("and {name} says that it is part {} of {count}", no + 1)));
            }
            Err(why) => return Err(incomplete(format!("and {name} is of no use: {why}"))),
        }
        paths.push(other);
    }
    Ok(Files { paths, bytes: all })
}

impl<'a> Parts<'a> {
    /// Of the files that [`read`] found.
    pub fn of(files: &'a Files) -> Result<Self, Trouble> {
        let files = files.bytes.iter().map(|bytes| Ok(Gguf::read(bytes)?)).collect::<Result<_, Trouble>>()?;
        Self::new(files)
    }

    /// Of all parts in order.
    pub fn new(files: Vec<Gguf<'a>>) -> Result<Self, Trouble> {
        let Some(first) = files.first() else { return foreign("it is no file") };
        let (no, count) = part(first)?;
        if count != files.len() {
            let why = format!("it is part {} of {count}, and the others are not here", no + 1);
            return Err(Trouble::Incomplete(why));
        }
        let values = first.values().collect();
        let mut tensors = HashMap::new();
        for t in files.iter().flat_map(Gguf::tensors) {
            if tensors.insert(t.info.name(), t).is_some() {
                return foreign(format!("its tensor `{}` is in two of its parts", Shown(t.info.name())));
            }
        }
        let told = first.value("split.tensors.count").and_then(Value::number);
        if let Some(n) = told.filter(|n| *n != tensors.len() as u64) {
            return Err(Trouble::Broken(format!("it has {} of {n} tensors in {count} parts", tensors.len())));
        }
        Ok(Self { files, values, tensors })
    }

    /// The file with the keys.
    pub fn first(&self) -> &Gguf<'a> {
        &self.files[0]
    }

    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<Value<'a>> {
        self.values.get(key).copied()
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<Tensor<'a>> {
        self.tensors.get(name).copied()
    }

    /// All tensors, in the order of the files.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor<'a>> {
        self.files.iter().flat_map(Gguf::tensors)
    }
}
