//! The reader.

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
    let name = c.text("a tensor's name")?;
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

/// Which names may have come before: a bit for each, at a place that its bytes choose.
struct Seen([u64; 128]);

impl Seen {
    const NOTHING: Self = Self([0; 128]);
    /// Whether it may have come before; from now on it has.
    fn again(&mut self, name: &str) -> bool {
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let (word, bit) = ((hash >> 38) as usize % self.0.len(), 1 << (hash >> 58));
        self.0.get_mut(word).is_some_and(|w| {
            let before = *w & bit != 0;
            *w |= bit;
            before
        })
    }
}

impl<'a> Gguf<'a> {
    /// Checks all of a file; [`Error`] says what is wrong. Tensors lie one after the other, as `ggml` asks, too.
    ///
    /// Time is that of one pass for names that people give; a file that is made to be slow costs the square of its
    /// number of names, which is at most [`MAX_NAMES`].
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
        let mut seen = Seen::NOTHING;
        for i in 0..keys {
            let (name, value) = c.pair(true)?;
            if seen.again(name) && file.values().take(i).any(|(n, _)| n == name) {
                return Err(Error::Duplicate(name));
            }
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
        let (mut c, mut free, mut seen) = (file.entries, 0, Seen::NOTHING);
        for i in 0..tensors {
            let (info, at) = entry(&mut c)?;
            if seen.again(info.name) {
                let mut before = file.entries;
                for _ in 0..i {
                    if entry(&mut before)?.0.name == info.name {
                        return Err(Error::Duplicate(info.name));
                    }
                }
            }
            let end = at.checked_add(info.bytes).filter(|&e| e <= file.data.len());
            let end = end.filter(|_| at.is_multiple_of(file.alignment)).ok_or(Error::Offset(info.name))?;
            if at < free {
                return Err(Error::Overlap(info.name));
            }
            free = end;
        }
        Ok(file)
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
