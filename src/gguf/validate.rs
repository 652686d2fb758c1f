//! Validates a file against the tensors, shapes and formats that a program needs, before it computes.

use super::read::Index;
use super::{Error, Gguf, Info};

/// Something that a model must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need<'a> {
    /// A key with a whole number that is not negative.
    Number(&'a str),
    /// A key with a real number.
    Real(&'a str),
    /// A key with a text.
    Text(&'a str),
    /// A key with an array of the type of that number ([`Array::new`](super::Array::new)).
    Array(&'a str, u32),
    /// A tensor of that shape, rows before columns.
    Tensor(&'a str, &'a [usize]),
}

/// `Ok` when bytes are a row-major matrix of the format with the number `kind`, each row of whole blocks.
///
/// Errors: [`Error::Bytes`] with the bytes that are expected and those that are there; [`Error::Format`]; [`Error::Shape`]
/// when a row is no whole blocks, as when rows and columns were exchanged.
pub fn validate_weight_buffer<'a>(
    name: &'a str,
    bytes: &[u8],
    rows: usize,
    cols: usize,
    kind: u32,
) -> Result<(), Error<'a>> {
    let (expected, got) = (Info::new(name, &[rows, cols], kind)?.bytes(), bytes.len());
    if expected == got { Ok(()) } else { Err(Error::Bytes { name, expected, got }) }
}

/// `Ok` when the file has all of `needs`.
///
/// Errors: for the first that it lacks [`Error::Missing`], or [`Error::Unfit`] when it is of another type or shape. Time: that of
/// sorting the names of the file, and of a search for each need.
pub fn validate_model_load<'a>(file: &Gguf<'_>, needs: &[Need<'a>]) -> Result<(), Error<'a>> {
    file.with_index(|file| needs.iter().try_for_each(|need| validate(file, *need)))
}

/// `Ok` when the file has it.
fn validate<'a>(file: &Index<'_, '_>, need: Need<'a>) -> Result<(), Error<'a>> {
    let (name, fits) = match need {
        Need::Number(name) => (name, file.value(name).map(|v| v.number().is_some())),
        Need::Real(name) => (name, file.value(name).map(|v| v.real().is_some())),
        Need::Text(name) => (name, file.value(name).map(|v| v.text().is_some())),
        Need::Array(name, of) => (name, file.value(name).map(|v| v.array().is_some_and(|a| a.of() == of))),
        Need::Tensor(name, shape) => (name, file.info(name).map(|info| info.shape() == shape)),
    };
    match fits {
        None => Err(Error::Missing(name)),
        Some(false) => Err(Error::Unfit(name)),
        Some(true) => Ok(()),
    }
}
