//! One way to write files: beside the old one, under a lock, and in its place as a whole.

use super::{Failed, shown};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Error, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Parts that a folder may have of one name before no other is tried.
const PARTS: u32 = 1000;

/// The file `path`, emptied, for what is of use wherever it ends: it is written while the work goes on, and is none of the files
/// that are read.
#[allow(dead_code, reason = "the programs that write whole files have this too")]
pub fn stream(path: &Path, inputs: &[&Path]) -> Result<File, Failed> {
    let open = || {
        if let Some(input) = inputs.iter().find(|input| same(path, input)) {
            let why = format!("it is {}, which is read and would be written over", shown(input));
            return Err(Error::new(ErrorKind::InvalidInput, why));
        }
        File::create(path)
    };
    open().map_err(|why| Failed { path: path.to_path_buf(), why })
}

/// Where a result goes. While this is held no other run has it: they are refused.
#[derive(Debug)]
pub struct Place {
    /// As it was given.
    path: PathBuf,
    /// The file that is replaced: where a link leads.
    goal: PathBuf,
    /// Removed, and then closed, at the end.
    lock: Option<(PathBuf, File)>,
}

impl Place {
    /// The place of `path`, which can be written, and is none of the files that are read. Asked for before work whose result
    /// goes there.
    pub fn claim(path: &Path, inputs: &[&Path]) -> Result<Self, Failed> {
        let claim = || {
            let goal = goal(path)?;
            if let Some(input) = inputs.iter().find(|input| same(&goal, input)) {
                let why = format!("it is {}, which is read and would be written over", shown(input));
                return Err(Error::new(ErrorKind::InvalidInput, why));
            }
            let lock = lock(&goal)?;
            let place = Self { path: path.to_path_buf(), goal, lock };
            place.clear()?;
            let (part, file) = place.part()?;
            drop(file);
            fs::remove_file(part)?;
            Ok(place)
        };
        claim().map_err(|why| Failed { path: path.to_path_buf(), why })
    }

    /// Writes beside the old file and puts it there as a whole: whoever reads finds the old one or the new one, also after a crash.
    /// After an error the old one is as it was, and nothing lies beside it.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failed> {
        let written = || {
            let (part, file) = self.part()?;
            let fill = || {
                if let Ok(old) = fs::metadata(&self.goal) {
                    file.set_permissions(old.permissions())?;
                }
                let mut buffer = BufWriter::new(&file);
                write(&mut buffer)?;
                buffer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
                fs::rename(&part, &self.goal)
            };
            let filled = fill();
            if filled.is_err() {
                // It may be gone already; the first error is the one to report.
                _ = fs::remove_file(&part);
            }
            filled?;
            sync(folder(&self.goal))
        };
        written().map_err(|why| Failed { path: self.path.clone(), why })
    }

    /// A new file beside the goal, empty. A name that is taken is not touched.
    fn part(&self) -> io::Result<(PathBuf, File)> {
        for n in 0..PARTS {
            let part = beside(&self.goal, &format!(".{}-{n}{PART}", std::process::id()));
            match File::options().write(true).create_new(true).open(&part) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                other => return Ok((part, other?)),
            }
        }
        Err(Error::new(ErrorKind::AlreadyExists, "too many parts of it lie beside it"))
    }

    /// Removes the parts that runs left which were ended: with the lock, no other run has one.
    fn clear(&self) -> io::Result<()> {
        let (Some(_), Some(name)) = (&self.lock, self.goal.file_name()) else { return Ok(()) };
        for entry in fs::read_dir(folder(&self.goal))? {
            let entry = entry?;
            if is_part(&entry.file_name(), name) && entry.file_type()?.is_file() {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.lock {
            // Before the lock ends. What stays after an error is an empty file that hinders nobody.
            _ = fs::remove_file(path);
        }
    }
}

/// Writes all of a file at once, as [`Place::write`].
#[allow(dead_code, reason = "for programs that write as soon as they know where")]
pub fn replace(
    path: &Path,
    inputs: &[&Path],
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failed> {
    Place::claim(path, inputs)?.write(write)
}

/// Whether both name one file that exists, by links and hard links, too.
pub fn same(a: &Path, b: &Path) -> bool {
    let (Ok(x), Ok(y)) = (fs::metadata(a), fs::metadata(b)) else { return false };
    one(&x, &y)
        .unwrap_or_else(|| matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b))
}

/// Whether both are of one file, where the system says it.
#[cfg(unix)]
fn one(x: &fs::Metadata, y: &fs::Metadata) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    Some((x.dev(), x.ino()) == (y.dev(), y.ino()))
}

#[cfg(not(unix))]
fn one(_: &fs::Metadata, _: &fs::Metadata) -> Option<bool> {
    None
}

/// What names of parts end with.
const PART: &str = ".part";

/// Whether `found` is the name of a part of `name`: two numbers are between them.
fn is_part(found: &OsStr, name: &OsStr) -> bool {
    let middle = found.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
    let middle = middle.and_then(|x| x.strip_prefix(b".")?.strip_suffix(PART.as_bytes()));
    middle
        .and_then(|x| str::from_utf8(x).ok()?.split_once('-'))
        .is_some_and(|(a, b)| [a, b].iter().all(|x| !x.is_empty() && x.bytes().all(|c| c.is_ascii_digit())))
}

/// `path` with `more` at the end of its name.
fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_os_string();
    name.push(more);
    path.with_file_name(name)
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file that a writer to `path` replaces: where a link leads, and nothing but a regular file.
fn goal(path: &Path) -> io::Result<PathBuf> {
    let path = match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => fs::canonicalize(path)?,
        _ => path.to_path_buf(),
    };
    match fs::metadata(&path) {
        Ok(found) if found.is_file() => Ok(path),
        Ok(_) => Err(Error::new(ErrorKind::InvalidInput, "it is no regular file, so it is not replaced")),
        Err(e) if e.kind() == ErrorKind::NotFound && path.file_name().is_some() => Ok(path),
        Err(e) => Err(e),
    }
}

/// The lock of a place, as a file beside it that is there as long; nothing where the file system has no locks.
fn lock(goal: &Path) -> io::Result<Option<(PathBuf, File)>> {
    let path = beside(goal, ".fulmen-lock");
    loop {
        // Nothing is written to it, so that whatever has this name keeps what it holds.
        let known = fs::symlink_metadata(&path);
        if known.is_ok_and(|found| !found.is_file() || found.len() > 0) {
            return Err(Error::new(
                ErrorKind::AlreadyExists,
                format!("{} is no lock of this program", shown(&path)),
            ));
        }
        let file = File::options().append(true).create(true).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(ErrorKind::WouldBlock, "another run is writing to it"));
            }
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Unsupported => {
                fs::remove_file(&path)?;
                return Ok(None);
            }
            Err(TryLockError::Error(e)) => return Err(e),
        }
        // Whoever had it may have removed it before the lock was got here; then another run may have a new one.
        let still = file.metadata().ok().zip(fs::metadata(&path).ok());
        if still.is_some_and(|(held, named)| one(&held, &named).unwrap_or(true)) {
            return Ok(Some((path, file)));
        }
    }
}

/// Makes the names in a folder outlive a crash, where the system can.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // A folder that may not be read, or a file system that does not sync folders: the file is there.
        Err(e)
            if matches!(
                e.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        other => other,
    }
}
