//! The metadata values of a GGUF file, and the cursor that decodes them from bytes.

use super::{Error, MAX_NAME};

/// What is left of the bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, n: usize, what: &'static str) -> Result<&'a [u8], Error<'a>> {
        let (taken, rest) = self.0.split_at_checked(n).ok_or(Error::Truncated(what))?;
        self.0 = rest;
        Ok(taken)
    }
    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Error<'a>> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Error::Truncated(what))?;
        self.0 = rest;
        Ok(*taken)
    }
    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, Error<'a>> {
        self.array(what).map(u32::from_le_bytes)
    }
    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, Error<'a>> {
        self.array(what).map(u64::from_le_bytes)
    }
    /// A number of things of at least `each` bytes that follow.
    pub(super) fn count(&mut self, each: usize, what: &'static str) -> Result<usize, Error<'a>> {
        let n = usize::try_from(self.u64(what)?).map_err(|_| Error::Count(what))?;
        if n > self.0.len() / each.max(1) { Err(Error::Count(what)) } else { Ok(n) }
    }
    fn string(&mut self, what: &'static str) -> Result<&'a [u8], Error<'a>> {
        let n = usize::try_from(self.u64(what)?).map_err(|_| Error::Truncated(what))?;
        self.take(n, what)
    }
    /// A text of the key `name`.
    fn text(&mut self, name: &'a str, what: &'static str) -> Result<&'a str, Error<'a>> {
        core::str::from_utf8(self.string(what)?).map_err(|_| Error::Text(name))
    }
    /// The name of a key or of a tensor.
    pub(super) fn name(&mut self, what: &'static str) -> Result<&'a str, Error<'a>> {
        let bytes = self.string(what)?;
        if bytes.len() > MAX_NAME {
            return Err(Error::Count("bytes of a name"));
        }
        core::str::from_utf8(bytes).map_err(|_| Error::Name(what))
    }
    /// The bytes of the name that stands at `place`; none for a place without one.
    pub(super) fn name_at(self, place: usize) -> &'a [u8] {
        self.at(place).string("").unwrap_or_default()
    }
    /// What is left from `place` on.
    pub(super) fn at(self, place: usize) -> Self {
        Self(self.0.get(place..).unwrap_or_default())
    }
    /// The elements of the array of the key `name`; whoever has checked them once need not look into texts again.
    fn elements(&mut self, name: &'a str, of: u32, len: usize, check: bool) -> Result<&'a [u8], Error<'a>> {
        let start = self.0;
        let each = size(of).ok_or(Error::Type(name, of))?;
        match of {
            TEXT if check => (0..len).try_for_each(|_| self.text(name, "a text").map(drop))?,
            TEXT => (0..len).try_for_each(|_| self.string("a text").map(drop))?,
            _ => {
                let bytes = self.take(each.checked_mul(len).ok_or(Error::Count("elements"))?, "an array")?;
                if of == BOOL && bytes.iter().any(|b| *b > 1) {
                    return Err(Error::Type(name, of));
                }
            }
        }
        Ok(start.get(..start.len() - self.0.len()).unwrap_or(&[]))
    }
    fn value(&mut self, name: &'a str, of: u32, check: bool) -> Result<Value<'a>, Error<'a>> {
        const WHAT: &str = "a value";
        Ok(match of {
            0 => Value::U8(u8::from_le_bytes(self.array(WHAT)?)),
            1 => Value::I8(i8::from_le_bytes(self.array(WHAT)?)),
            2 => Value::U16(u16::from_le_bytes(self.array(WHAT)?)),
            3 => Value::I16(i16::from_le_bytes(self.array(WHAT)?)),
            4 => Value::U32(self.u32(WHAT)?),
            5 => Value::I32(i32::from_le_bytes(self.array(WHAT)?)),
            6 => Value::F32(f32::from_le_bytes(self.array(WHAT)?)),
            BOOL => match self.array(WHAT)? {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                _ => return Err(Error::Type(name, of)),
            },
            TEXT => Value::Text(self.text(name, WHAT)?),
            ARRAY => {
                let of = self.u32(WHAT)?;
                // An array of arrays nests without end; no writer makes one.
                let each = size(of).ok_or(Error::Type(name, of))?;
                let len = self.count(each, "elements")?;
                Value::Array(Array { of, len, bytes: self.elements(name, of, len, check)? })
            }
            10 => Value::U64(self.u64(WHAT)?),
            11 => Value::I64(i64::from_le_bytes(self.array(WHAT)?)),
            12 => Value::F64(f64::from_le_bytes(self.array(WHAT)?)),
            _ => return Err(Error::Type(name, of)),
        })
    }
    /// A key and its value.
    pub(super) fn pair(&mut self, check: bool) -> Result<(&'a str, Value<'a>), Error<'a>> {
        let name = self.name("the name of a key")?;
        let of = self.u32("a key")?;
        Ok((name, self.value(name, of, check)?))
    }
}

pub(super) const BOOL: u32 = 7;
pub(super) const TEXT: u32 = 8;
pub(super) const ARRAY: u32 = 9;

/// Bytes of an element of an array, at least.
fn size(of: u32) -> Option<usize> {
    match of {
        0 | 1 | BOOL => Some(1),
        2 | 3 => Some(2),
        4..=6 => Some(4),
        TEXT | 10..=12 => Some(8),
        _ => None,
    }
}

/// A value of the file's dictionary.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "each is its type")]
pub enum Value<'a> {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
    Bool(bool),
    Text(&'a str),
    Array(Array<'a>),
}

impl<'a> Value<'a> {
    /// A whole number of any integer type that is not negative.
    pub fn number(self) -> Option<u64> {
        match self {
            Self::U8(x) => Some(x.into()),
            Self::U16(x) => Some(x.into()),
            Self::U32(x) => Some(x.into()),
            Self::U64(x) => Some(x),
            Self::I8(x) => x.try_into().ok(),
            Self::I16(x) => x.try_into().ok(),
            Self::I32(x) => x.try_into().ok(),
            Self::I64(x) => x.try_into().ok(),
            _ => None,
        }
    }
    /// A real number.
    pub fn real(self) -> Option<f64> {
        match self {
            Self::F32(x) => Some(x.into()),
            Self::F64(x) => Some(x),
            _ => None,
        }
    }
    /// A text.
    pub fn text(self) -> Option<&'a str> {
        if let Self::Text(x) = self { Some(x) } else { None }
    }
    /// An array.
    pub fn array(self) -> Option<Array<'a>> {
        if let Self::Array(x) = self { Some(x) } else { None }
    }
}

/// Values of one type, none of them an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array<'a> {
    of: u32,
    len: usize,
    bytes: &'a [u8],
}

impl<'a> Array<'a> {
    /// `len` values of the type with the number `of` (0 `u8`, 1 `i8`, 2 `u16`, 3 `i16`, 4 `u32`, 5 `i32`, 6 `f32`, 7 `bool`,
    /// 8 text, 10 `u64`, 11 `i64`, 12 `f64`), as a file holds them: little-endian; a text follows its length, a `u64`.
    ///
    /// Errors: those of reading; [`Error::Count`] when bytes are left.
    pub fn new(of: u32, len: usize, bytes: &'a [u8]) -> Result<Self, Error<'a>> {
        let mut c = Cursor(bytes);
        c.elements("", of, len, true)?;
        if c.0.is_empty() { Ok(Self { of, len, bytes }) } else { Err(Error::Count("bytes")) }
    }
    /// The number of the values' type, as in [`Array::new`].
    pub fn of(&self) -> u32 {
        self.of
    }
    /// How many.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// As the file holds them.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
    /// The values, in order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let (mut c, of) = (Cursor(self.bytes), self.of);
        (0..self.len).map_while(move |_| c.value("", of, false).ok())
    }
}
