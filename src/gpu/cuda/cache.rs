//! A cache of compiled modules in files, which are written whole or not at all and never read back damaged. A cached
//! module runs on the device, so neither the folder nor a file in it may be one that another user can write; the folder
//! is created for its owner alone.

use super::super::device::Fnv;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process;

/// What a file begins with; a new layout takes a new one.
const MAGIC: &[u8; 8] = b"fulmen01";

fn hash(bytes: &[u8]) -> u128 {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.0
}

#[cfg(unix)]
mod owner {
    use std::fs::{DirBuilder, Metadata};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    // SAFETY: POSIX has it; it takes nothing and does not fail.
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }

    /// Whether this user owns it, and no other may write it.
    pub(super) fn alone(of: &Metadata) -> bool {
        of.uid() == geteuid() && of.mode() & 0o022 == 0
    }

    /// With folders above it, for this user alone.
    pub(super) fn make(folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    }
}

/// Where files have no owners that are numbers, the system's own rules hold.
#[cfg(not(unix))]
mod owner {
    pub(super) const fn alone(_: &std::fs::Metadata) -> bool {
        true
    }
    pub(super) fn make(folder: &std::path::Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)
    }
}

/// Refuses a folder that is there and that another user can write.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_dir() => Err(io::Error::other("it is no folder")),
        Ok(found) if !owner::alone(&found) => Err(io::Error::other(
            "another user owns it or may write it; it has to be one's own, as by `chmod 700`",
        )),
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

/// What is in a file that is no link and that this user alone can write.
fn own(path: &Path) -> Option<Vec<u8>> {
    if fs::symlink_metadata(path).ok()?.is_symlink() {
        return None;
    }
    let mut file = fs::File::open(path).ok()?;
    // Of what was opened, whatever is at the path by now.
    let found = file.metadata().ok().filter(|m| m.is_file() && owner::alone(m))?;
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What was kept at `path`, if it is there, this user's and whole.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    folder(path.parent()?).ok()?;
    let mut file = own(path)?;
    let (head, rest) = file.split_first_chunk::<24>()?;
    let (magic, sum) = head.split_at(8);
    let whole = magic == MAGIC && sum == hash(rest).to_le_bytes();
    whole.then(|| file.split_off(24))
}

/// Keeps `bytes` at `path`: another process sees all of it or what was there before.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static TURN: AtomicU32 = AtomicU32::new(0);
    if let Some(at) = path.parent() {
        owner::make(at)?;
        folder(at)?;
    }
    let mut part = path.as_os_str().to_os_string();
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    part.push(format!(".{}-{turn}.part", process::id()));
    let written = fs::File::create_new(&part).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&hash(bytes).to_le_bytes())?;
        file.write_all(bytes)
    });
    // A file of this name that another process left is its own, and stays.
    let there = matches!(&written, Err(e) if e.kind() == io::ErrorKind::AlreadyExists);
    let done = written.and_then(|()| fs::rename(&part, path));
    if done.is_err() && !there {
        // What is left of it helps nobody, and the first error is the one to tell.
        let _ = fs::remove_file(&part);
    }
    done
}

/// The name of what this text becomes for this target, by this driver.
pub(super) fn name(text: &str, target: &str, driver: i32) -> String {
    format!("{:032x}-{target}-{driver}.cubin", hash(text.as_bytes()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
mod tests {
    use super::*;

    /// What others can write is not read: not a file, not a link, not a folder. What is made is for its owner alone.
    #[cfg(unix)]
    #[test]
    fn what_others_can_write_is_not_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let top = std::env::temp_dir().join(format!("fulmen-owner-{}", process::id()));
        let at = top.join("deep");
        let path = at.join(name("text", "sm_90a", 13000));
        let bytes = Vec::from([1, 2, 3]);
        write(&path, &bytes).unwrap();
        let mode = |of: &Path| fs::metadata(of).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&top), mode(&at)], [0o700; 2]);
        let set = |of: &Path, mode| fs::set_permissions(of, fs::Permissions::from_mode(mode)).unwrap();
        for of in [&path, &at] {
            let before = mode(of);
            for (other, refused) in [(before | 0o020, true), (before | 0o002, true), (before | 0o044, false)]
            {
                set(of, other);
                assert_eq!(read(&path).is_none(), refused, "{of:?} with mode {other:o}");
                assert_eq!(folder(&at).is_err(), refused && *of == at, "{of:?} with mode {other:o}");
            }
            set(of, before);
            assert_eq!(read(&path).as_ref(), Some(&bytes));
        }
        set(&at, 0o770);
        assert!(write(&path, &bytes).is_err(), "nothing is written where others may write");
        set(&at, 0o700);
        // A link, whatever it is to.
        let link = at.join("link");
        symlink(&path, &link).unwrap();
        assert_eq!(read(&link), None);
        assert!(folder(&path).is_err());
        assert!(folder(&top.join("not there")).is_ok());
        fs::remove_dir_all(top).unwrap();
    }

    #[test]
    fn what_is_damaged_is_not_read() {
        let folder = std::env::temp_dir().join(format!("fulmen-cache-{}", process::id()));
        let path = folder.join("deep").join(name("text", "sm_90a", 13000));
        assert_eq!(read(&path), None);
        let bytes: Vec<u8> = (0..200).collect();
        write(&path, &bytes).unwrap();
        assert_eq!(read(&path).as_ref(), Some(&bytes));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= 1;
            fs::write(&path, &bad).unwrap();
            assert_eq!(read(&path), None, "byte {at} is another");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(read(&path), None, "{at} bytes of it");
        }
        // It is made again, over what is there, and leaves nothing beside it.
        write(&path, &bytes[1..]).unwrap();
        assert_eq!(read(&path).as_deref(), Some(&bytes[1..]));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        // A folder that cannot be made is an error, not a stop.
        assert!(write(&path.join("below a file"), &bytes).is_err());
        fs::remove_dir_all(folder).unwrap();
        for other in
            [name("text.", "sm_90a", 13000), name("text", "sm_90", 13000), name("text", "sm_90a", 13010)]
        {
            assert_ne!(path.file_name().unwrap().to_str().unwrap(), other);
        }
    }
}
