//! Files: read as far as memory goes, replaced as a whole or not at all, and named so that a line stays a line.

use crate::memory;
use core::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// A text as part of a message: what would break the line or steer a terminal is escaped.
pub struct Shown<T>(pub T);

impl<T: AsRef<str>> fmt::Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().chars().try_for_each(|c| {
            if c.is_control() { write!(f, "{}", c.escape_default()) } else { write!(f, "{c}") }
        })
    }
}

/// A path as part of a message.
pub fn shown(path: &Path) -> Shown<String> {
    Shown(path.to_string_lossy().into_owned())
}

/// What went wrong with which file.
#[derive(Debug)]
pub struct Failed {
    pub path: PathBuf,
    pub why: io::Error,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", shown(&self.path), self.why)
    }
}

/// The bytes of a file, or of anything that ends before memory does.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = memory::free().unwrap_or(isize::MAX as u64) / 2;
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it does not fit into memory"));
    }
    Ok(bytes)
}

/// The file that a writer to `path` replaces: where a link leads, and nothing but a regular file.
fn goal(path: &Path) -> io::Result<PathBuf> {
    let path = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path)?,
        _ => path.to_path_buf(),
    };
    match fs::metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file, so it is not replaced")),
        Err(e) if e.kind() == ErrorKind::NotFound && path.file_name().is_some() => Ok(path),
        Err(e) => Err(e),
    }
}

/// The new file beside `path`, empty. One that a killed run left makes room.
fn part(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    let part = path.with_file_name(name);
    let new = || File::options().write(true).create_new(true).open(&part);
    let file = match new() {
        Err(e) if e.kind() == ErrorKind::AlreadyExists && fs::symlink_metadata(&part)?.is_file() => {
            fs::remove_file(&part)?;
            new()?
        }
        other => other?,
    };
    Ok((part, file))
}

/// Writes beside `path` and puts it there as a whole: whoever reads finds the old file or the new one. After an error
/// the old one is as it was, and nothing lies beside it.
pub fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failed> {
    let replaced = || {
        let path = goal(path)?;
        let (part, file) = part(&path)?;
        let mut file = BufWriter::new(file);
        let written = write(&mut file)
            .and_then(|()| file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all())
            .and_then(|()| fs::rename(&part, &path));
        if written.is_err() {
            // It may be gone already; the first error is the one to tell.
            _ = fs::remove_file(&part);
        }
        written
    };
    replaced().map_err(|why| Failed { path: path.to_path_buf(), why })
}

/// Whether [`replace`] will find a place to write: asked before work whose result goes there.
pub fn writable(path: &Path) -> Result<(), Failed> {
    let tried = || {
        let (part, file) = part(&goal(path)?)?;
        drop(file);
        fs::remove_file(part)
    };
    tried().map_err(|why| Failed { path: path.to_path_buf(), why })
}

/// Whether both name one file that exists.
pub fn same(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}
