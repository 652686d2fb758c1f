//! Files: read as far as memory goes, replaced as a whole or not at all, and named so that a line stays a line.

#[path = "write.rs"]
mod write;

use core::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
#[allow(unused_imports, reason = "some programs write as they go, others at their end")]
pub use write::{Place, replace, same, stream};

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

#[allow(dead_code, reason = "not every program has sizes")]
/// A number of bytes in the largest unit that fits.
pub struct Bytes(pub u128);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
        let (mut n, mut unit) = (self.0 as f64, 0);
        while n >= 1000.0 && unit + 1 < units.len() {
            n /= 1000.0;
            unit += 1;
        }
        let digits = usize::from(unit > 0);
        write!(f, "{n:.digits$} {}", units.get(unit).unwrap_or(&""))
    }
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

/// The bytes of a file, or of anything that ends before memory does; `-` is standard input.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = free().unwrap_or(isize::MAX as u64) / 2;
    let from: Box<dyn Read> = match path.as_os_str().as_encoded_bytes() {
        b"-" => Box::new(io::stdin()),
        _ => Box::new(File::open(path)?),
    };
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it does not fit into memory"));
    }
    Ok(bytes)
}

/// The bytes that a program can still have, where the system tells.
pub fn free() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let known = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = known.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    let machine = line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.saturating_mul(1024);
    // A container may have less.
    let limit = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some(machine.min(limit))
}
