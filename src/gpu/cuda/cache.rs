//! Compiled modules in files: written whole or not at all, and never read back damaged.

use super::super::device::Fnv;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process;

/// What a file begins with; a new layout takes a new one.
const MAGIC: &[u8; 8] = b"fulmen01";

fn hash(bytes: &[u8]) -> u128 {
    let mut hash = Fnv::default();
    hash.add(bytes);
    hash.0
}

/// What was kept at `path`, if it is there and whole.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    let mut file = fs::read(path).ok()?;
    let (head, rest) = file.split_first_chunk::<24>()?;
    let (magic, sum) = head.split_at(8);
    let whole = magic == MAGIC && sum == hash(rest).to_le_bytes();
    whole.then(|| file.split_off(24))
}

/// Keeps `bytes` at `path`: another process sees all of it or what was there before.
pub(super) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static TURN: AtomicU32 = AtomicU32::new(0);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut part = path.as_os_str().to_os_string();
    let turn = TURN.fetch_add(1, Ordering::Relaxed);
    part.push(format!(".{}-{turn}.part", process::id()));
    let written = fs::File::create(&part).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&hash(bytes).to_le_bytes())?;
        file.write_all(bytes)
    });
    let done = written.and_then(|()| fs::rename(&part, path));
    if done.is_err() {
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
