//! Reads a GGUF file in place: its header, its metadata and the views of its tensors.

use super::names::{place_of, sorted, twice};
use super::value::{Cursor, Value};
use super::{ALIGNMENT, Error, MAX_DIMS, MAX_NAMES, format};

/// A tensor's name, shape and format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info<'a> {
    name: &'a str,
    kind: u32,
    dims: [usize; MAX_DIMS],
    rank: usize,
    bytes: usize,
}

impl<'a> Info<'a> {
    /// A tensor of `shape`, rows before columns, whose elements have the format of that number ([`format`]).
    ///
    /// Errors: [`Error::Format`] for an unknown one; [`Error::Shape`] for more than [`MAX_DIMS`] dimensions, a last one
    /// that is not whole blocks, and a size past the machine's integers.
    pub fn new(name: &'a str, shape: &[usize], kind: u32) -> Result<Self, Error<'a>> {
        let f = format(kind).ok_or(Error::Format(name, kind))?;
        let mut dims = [1; MAX_DIMS];
        dims.get_mut(..shape.len()).ok_or(Error::Shape(name))?.copy_from_slice(shape);
        // Blocks lie along a row.
        let last = shape.last().copied().unwrap_or(1);
        let all = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        let blocks = all.filter(|_| last.is_multiple_of(f.elements)).map(|n| n / f.elements);
        let bytes = blocks.and_then(|n| n.checked_mul(f.bytes)).ok_or(Error::Shape(name))?;
        Ok(Self { name, kind, dims, rank: shape.len(), bytes })
    }
    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }
    /// The number of its format.
    pub fn kind(&self) -> u32 {
        self.kind
    }
    /// The dimensions in the usual order: rows before columns.
    pub fn shape(&self) -> &[usize] {
        self.dims.get(..self.rank).unwrap_or(&[])
    }
    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// A tensor of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// Its name, shape and format.
    pub info: Info<'a>,
    /// What it holds.
    pub bytes: &'a [u8],
}

/// A file, checked.
#[derive(Debug, Clone, Copy)]
pub struct Gguf<'a> {
    version: u32,
    pairs: Cursor<'a>,
    keys: usize,
    entries: Cursor<'a>,
    tensors: usize,
    data: &'a [u8],
    alignment: usize,
}

/// The entry of a tensor and its place in the data.
fn entry<'a>(c: &mut Cursor<'a>) -> Result<(Info<'a>, usize), Error<'a>> {
    const WHAT: &str = "a tensor's entry";
    let name = c.name("the name of a tensor")?;
    let rank = c.u32(WHAT)? as usize;
    let mut dims = [1; MAX_DIMS];
    let shape = dims.get_mut(..rank).ok_or(Error::Shape(name))?;
    // The dimension that varies fastest comes first.
    for d in shape.iter_mut().rev() {
        *d = usize::try_from(c.u64(WHAT)?).map_err(|_| Error::Shape(name))?;
    }
    let info = Info::new(name, shape, c.u32(WHAT)?)?;
    let at = usize::try_from(c.u64(WHAT)?).map_err(|_| Error::Offset(name))?;
    Ok((info, at))
}

/// Where `next` finds each of `n` things that follow each other from `c` on.
fn places<'a, T>(
    mut c: Cursor<'a>,
    n: usize,
    next: impl Fn(&mut Cursor<'a>) -> Result<T, Error<'a>>,
) -> impl Iterator<Item = usize> {
    let all = c.0.len();
    (0..n).map_while(move |_| {
        let place = all - c.0.len();
        next(&mut c).ok().map(|_| place)
    })
}

impl<'a> Gguf<'a> {
    /// Checks all of a file; [`Error`] says what is wrong. No two tensors share a byte; the data may lie in another order than
    /// the entries.
    ///
    /// Time is that of three passes over the header, and of sorting the names: no file makes it grow as the square of their number.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error<'a>> {
        let mut c = Cursor(bytes);
        if c.array("the header") != Ok(*b"GGUF") {
            return Err(Error::Magic);
        }
        let version = c.u32("the header")?;
        if !(2..=3).contains(&version) {
            return Err(Error::Version(version));
        }
        // A tensor's entry without name and dimensions has 24 bytes, a key without name and value 13.
        let (tensors, keys) = (c.count(24, "tensors")?, c.count(13, "keys")?);
        for (n, what) in [(tensors, "tensors"), (keys, "keys")] {
            if n > MAX_NAMES {
                return Err(Error::Count(what));
            }
        }
        let mut file = Self { version, pairs: c, keys, entries: c, tensors, data: &[], alignment: ALIGNMENT };
        for _ in 0..keys {
            let (name, value) = c.pair(true)?;
            if name == "general.alignment" {
                let n = value.number().ok_or(Error::Unfit(name))?;
                let fits = |n: &usize| *n >= 8 && n.is_power_of_two();
                file.alignment = usize::try_from(n).ok().filter(fits).ok_or(Error::Alignment(n))?;
            }
        }
        file.entries = c;
        for _ in 0..tensors {
            entry(&mut c)?;
        }
        let start = (bytes.len() - c.0.len()).checked_next_multiple_of(file.alignment);
        file.data = start.and_then(|s| bytes.get(s..)).unwrap_or(&[]);
        file.differ()?;
        let mut c = file.entries;
        for _ in 0..tensors {
            let (info, at) = entry(&mut c)?;
            let end = at.checked_add(info.bytes).filter(|&e| e <= file.data.len());
            end.filter(|_| at.is_multiple_of(file.alignment)).ok_or(Error::Offset(info.name))?;
        }
        file.apart()?;
        Ok(file)
    }
    /// Whether all keys have names of their own, and all tensors.
    fn differ(&self) -> Result<(), Error<'a>> {
        let named = |c: Cursor<'a>, place| match c.at(place).name("a name") {
            Ok(name) => Error::Duplicate(name),
            Err(e) => e,
        };
        for (c, found) in [
            (self.pairs, self.by_key(|keys| twice(keys, |at| self.pairs.name_at(at)))),
            (self.entries, self.by_name(|names| twice(names, |at| self.entries.name_at(at)))),
        ] {
            if let Some(place) = found {
                return Err(named(c, place));
            }
        }
        Ok(())
    }
    /// Whether no two tensors share a byte.
    fn apart(&self) -> Result<(), Error<'a>> {
        let place = |at| entry(&mut self.entries.at(at)).map_or((0, 0), |(info, at)| (at, at + info.bytes));
        let entries = places(self.entries, self.tensors, entry);
        let shared = sorted(self.tensors, entries, place, |all| {
            let shares = |pair: &[usize]| match *pair {
                [a, b] if place(b).0 < place(a).1 => Some(b),
                _ => None,
            };
            all.windows(2).find_map(shares)
        });
        let Some(at) = shared else { return Ok(()) };
        Err(Error::Overlap(entry(&mut self.entries.at(at))?.0.name))
    }
    /// Calls `body` with the places of the keys, by their names.
    fn by_key<R>(&self, body: impl FnOnce(&[usize]) -> R) -> R {
        let all = places(self.pairs, self.keys, |c| c.pair(false));
        sorted(self.keys, all, |at| self.pairs.name_at(at), body)
    }
    /// Calls `body` with the places of the tensors' entries, by their names.
    fn by_name<R>(&self, body: impl FnOnce(&[usize]) -> R) -> R {
        let all = places(self.entries, self.tensors, entry);
        sorted(self.tensors, all, |at| self.entries.name_at(at), body)
    }
    /// Calls `body` with what finds the value of a key and the entry of a tensor in time `ln n`.
    pub(super) fn with_index<R>(&self, body: impl FnOnce(&Index<'_, 'a>) -> R) -> R {
        self.by_key(|keys| self.by_name(|names| body(&Index { file: self, keys, names })))
    }
    /// 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }
    /// What the places of tensors are multiples of.
    pub fn alignment(&self) -> usize {
        self.alignment
    }
    /// The dictionary, in the order of the file.
    pub fn values(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let mut c = self.pairs;
        (0..self.keys).map_while(move |_| c.pair(false).ok())
    }
    /// The value of a key.
    pub fn value(&self, key: &str) -> Option<Value<'a>> {
        self.values().find(|(k, _)| *k == key).map(|(_, v)| v)
    }
    /// The tensors, in the order of the file.
    pub fn tensors(&self) -> impl Iterator<Item = Tensor<'a>> + use<'a> {
        let (mut c, data) = (self.entries, self.data);
        (0..self.tensors).map_while(move |_| {
            let (info, at) = entry(&mut c).ok()?;
            Some(Tensor { info, bytes: data.get(at..)?.get(..info.bytes)? })
        })
    }
    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<Tensor<'a>> {
        self.tensors().find(|t| t.info.name == name)
    }
}

/// The names of a file in order.
pub(super) struct Index<'i, 'a> {
    file: &'i Gguf<'a>,
    keys: &'i [usize],
    names: &'i [usize],
}

impl<'a> Index<'_, 'a> {
    /// The value of a key.
    pub(super) fn value(&self, key: &str) -> Option<Value<'a>> {
        let c = self.file.pairs;
        let at = place_of(self.keys, |at| c.name_at(at), &key.as_bytes())?;
        Some(c.at(at).pair(false).ok()?.1)
    }
    /// The entry of a tensor.
    pub(super) fn info(&self, name: &str) -> Option<Info<'a>> {
        let c = self.file.entries;
        let at = place_of(self.names, |at| c.name_at(at), &name.as_bytes())?;
        Some(entry(&mut c.at(at)).ok()?.0)
    }
}
