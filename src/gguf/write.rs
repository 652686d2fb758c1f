//! Writes a GGUF file: metadata first, then the tensors with their padding.

use super::names::{sorted, twice};
use super::value::{ARRAY, BOOL, TEXT};
use super::{ALIGNMENT, Error, Info, MAX_NAME, MAX_NAMES, Value};

/// Writes a file of version 3.
///
/// `sink` takes the bytes in order; its error ends the writing. When a tensor's turn comes, `data(i, put)` hands the bytes of
/// `tensors[i]` to `put`, in one piece or in many, so that they need not be in memory together. Tensors are aligned to
/// [`ALIGNMENT`].
///
/// Errors: [`Error::Duplicate`], [`Error::Count`] for more names than [`MAX_NAMES`] or longer ones than [`MAX_NAME`], and [`Error::Unfit`] for a key
/// `general.alignment`, all before anything is written; [`Error::Bytes`] when `data` hands over another number of bytes
/// than the tensor has.
pub fn write<'a, E: From<Error<'a>>>(
    values: &[(&'a str, Value<'a>)],
    tensors: &[Info<'a>],
    mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    mut data: impl FnMut(usize, &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E>,
) -> Result<(), E> {
    check(values, tensors)?;
    let mut head = 0usize;
    let mut put = |bytes: &[u8]| {
        head = head.wrapping_add(bytes.len());
        sink(bytes)
    };
    put(b"GGUF")?;
    put(&3u32.to_le_bytes())?;
    put(&(tensors.len() as u64).to_le_bytes())?;
    put(&(values.len() as u64).to_le_bytes())?;
    for (key, v) in values {
        text(&mut put, key)?;
        value(&mut put, v)?;
    }
    let mut at = 0u64;
    for t in tensors {
        text(&mut put, t.name())?;
        put(&(t.shape().len() as u32).to_le_bytes())?;
        for d in t.shape().iter().rev() {
            put(&(*d as u64).to_le_bytes())?;
        }
        put(&t.kind().to_le_bytes())?;
        put(&at.to_le_bytes())?;
        let bytes = t.bytes() as u64;
        let end = at.checked_add(bytes).and_then(|n| n.checked_next_multiple_of(ALIGNMENT as u64));
        at = end.ok_or(Error::Shape(t.name()))?;
    }
    sink(zeros(head))?;
    for (i, t) in tensors.iter().enumerate() {
        let (name, expected, mut got) = (t.name(), t.bytes(), 0usize);
        let short = |got| E::from(Error::Bytes { name, expected, got });
        data(i, &mut |bytes| {
            got = got.saturating_add(bytes.len());
            if got > expected { Err(short(got)) } else { sink(bytes) }
        })?;
        if got != expected {
            return Err(short(got));
        }
        sink(zeros(expected))?;
    }
    Ok(())
}

/// What is refused before the first byte.
fn check<'a>(values: &[(&'a str, Value<'a>)], tensors: &[Info<'a>]) -> Result<(), Error<'a>> {
    for (n, what) in [(values.len(), "keys"), (tensors.len(), "tensors")] {
        if n > MAX_NAMES {
            return Err(Error::Count(what));
        }
    }
    if let Some((key, _)) = values.iter().find(|(key, _)| *key == "general.alignment") {
        return Err(Error::Unfit(key));
    }
    differ(values.len(), |i| values.get(i).map_or("", |(key, _)| key))?;
    differ(tensors.len(), |i| tensors.get(i).map_or("", Info::name))
}

/// Whether none of `n` names is too long, or occurs twice.
fn differ<'a>(n: usize, name: impl Fn(usize) -> &'a str) -> Result<(), Error<'a>> {
    if (0..n).any(|i| name(i).len() > MAX_NAME) {
        return Err(Error::Count("bytes of a name"));
    }
    match sorted(n, 0..n, &name, |all| twice(all, &name)) {
        None => Ok(()),
        Some(i) => Err(Error::Duplicate(name(i))),
    }
}

/// What fills up to the next multiple of the alignment.
fn zeros(len: usize) -> &'static [u8] {
    const ZEROS: [u8; ALIGNMENT] = [0; ALIGNMENT];
    ZEROS.get(..(ALIGNMENT - len % ALIGNMENT) % ALIGNMENT).unwrap_or(&[])
}

fn text<E>(put: &mut impl FnMut(&[u8]) -> Result<(), E>, s: &str) -> Result<(), E> {
    put(&(s.len() as u64).to_le_bytes())?;
    put(s.as_bytes())
}

fn value<E>(put: &mut impl FnMut(&[u8]) -> Result<(), E>, v: &Value<'_>) -> Result<(), E> {
    let mut plain = |of: u32, bytes: &[u8]| {
        put(&of.to_le_bytes())?;
        put(bytes)
    };
    match *v {
        Value::U8(x) => plain(0, &x.to_le_bytes()),
        Value::I8(x) => plain(1, &x.to_le_bytes()),
        Value::U16(x) => plain(2, &x.to_le_bytes()),
        Value::I16(x) => plain(3, &x.to_le_bytes()),
        Value::U32(x) => plain(4, &x.to_le_bytes()),
        Value::I32(x) => plain(5, &x.to_le_bytes()),
        Value::F32(x) => plain(6, &x.to_le_bytes()),
        Value::Bool(x) => plain(BOOL, &[x.into()]),
        Value::Text(s) => {
            put(&TEXT.to_le_bytes())?;
            text(put, s)
        }
        Value::Array(a) => {
            put(&ARRAY.to_le_bytes())?;
            put(&a.of().to_le_bytes())?;
            put(&(a.len() as u64).to_le_bytes())?;
            put(a.bytes())
        }
        Value::U64(x) => plain(10, &x.to_le_bytes()),
        Value::I64(x) => plain(11, &x.to_le_bytes()),
        Value::F64(x) => plain(12, &x.to_le_bytes()),
    }
}
