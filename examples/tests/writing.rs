//! The one way to write files: whole or not at all, by one run at a time, never onto what is read.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

mod common;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for reading")]
mod files;

use common::Folder;
use files::{Place, replace, same};
use std::fs;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

fn file(folder: &Folder, name: &str, text: &str) -> PathBuf {
    folder.file(name, text).into()
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    replace(path, &[], |to| to.write_all(text.as_bytes())).map_err(|e| e.to_string())
}

fn why(path: &Path, inputs: &[&Path]) -> String {
    Place::claim(path, inputs).unwrap_err().to_string()
}

#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let folder = Folder::new("fails");
    let path = file(&folder, "model", "old");
    let failed = replace(&path, &[], |to| {
        to.write_all(&[0; 1 << 16])?;
        Err(Error::from(ErrorKind::StorageFull))
    });
    let failed = failed.unwrap_err();
    assert!(
        failed.to_string().starts_with(path.to_str().unwrap()) && failed.why.kind() == ErrorKind::StorageFull
    );
    assert_eq!((fs::read(&path).unwrap(), folder.names()), (b"old".to_vec(), vec!["model".into()]));
    assert!(why(&folder.at("no/such"), &[]).contains("no/such"));
    assert!(why(&folder.0, &[]).contains("no regular file"));
    assert!(why(&folder.at(""), &[]).contains("no regular file"));
    write(&path, "new").unwrap();
    assert_eq!((fs::read(&path).unwrap(), folder.names()), (b"new".to_vec(), vec!["model".into()]));
}

/// Through names, links, hard links, and folders that are links.
#[test]
fn an_input_is_not_replaced() {
    let folder = Folder::new("inputs");
    let (input, other) = (file(&folder, "input", "text"), file(&folder, "other", "text"));
    symlink(&input, folder.at("soft")).unwrap();
    fs::hard_link(&input, folder.at("hard")).unwrap();
    symlink(&folder.0, folder.at("folder")).unwrap();
    let ways = ["input", "./input", "soft", "hard", "folder/input", "folder/soft", "folder/folder/hard"];
    for a in ways {
        for b in ways {
            let [a, b] = [a, b].map(|name| folder.at(name));
            assert!(same(&a, &b) && !same(&a, &other) && !same(&other, &b));
            let why = why(&a, &[&other, &b]);
            assert!(why.contains(b.to_str().unwrap()) && why.contains("would be written over"), "{why}");
        }
    }
    assert!(!same(&folder.at("none"), &folder.at("none")));
    Place::claim(&other, &[&input, &folder.at("none")]).unwrap();
    assert_eq!(fs::read(&input).unwrap(), b"text");
    assert_eq!(folder.names(), ["folder", "hard", "input", "other", "soft"]);
}

#[test]
fn one_run_at_a_time() {
    let folder = Folder::new("lock");
    let path = file(&folder, "out", "old");
    symlink(&path, folder.at("link")).unwrap();
    let first = Place::claim(&path, &[]).unwrap();
    for other in ["out", "link"] {
        assert!(why(&folder.at(other), &[]).ends_with("another run is writing to it"));
    }
    first.write(|to| to.write_all(b"one")).unwrap();
    assert!(write(&path, "two").is_err());
    first.write(|to| to.write_all(b"three")).unwrap();
    drop(first);
    assert_eq!(fs::read(&path).unwrap(), b"three");
    write(&folder.at("link"), "four").unwrap();
    assert!(fs::symlink_metadata(folder.at("link")).unwrap().is_symlink());
    assert_eq!(
        (fs::read(&path).unwrap(), folder.names()),
        (b"four".to_vec(), vec!["link".into(), "out".into()])
    );
    // What of a run that was ended is left: a lock that nobody has, and parts. Files of other names are nobody's parts.
    for name in ["out.fulmen-lock", "out.12-0.part", "out.4-999.part"] {
        folder.file(name, if name.ends_with("lock") { "" } else { "half" });
    }
    let kept =
        ["out.part", "out.12.part", "out.a-0.part", "out.12-.part", "out2.12-0.part", "out.12-0.partly"];
    for name in kept {
        folder.file(name, "mine");
    }
    write(&path, "five").unwrap();
    let mut names = kept.to_vec();
    names.extend(["link", "out"]);
    names.sort();
    assert_eq!(folder.names(), names);
    // Locks of others stay, whatever they are.
    folder.file("out.fulmen-lock", "mine");
    assert!(why(&path, &[]).contains("out.fulmen-lock is no lock of this program"));
    fs::remove_file(folder.at("out.fulmen-lock")).unwrap();
    symlink(folder.at("elsewhere"), folder.at("out.fulmen-lock")).unwrap();
    assert!(why(&path, &[]).contains("is no lock of this program") && !folder.at("elsewhere").exists());
    fs::remove_file(folder.at("out.fulmen-lock")).unwrap();
    let _socket = UnixListener::bind(folder.at("out.fulmen-lock")).unwrap();
    assert!(why(&path, &[]).contains("is no lock of this program"));
}

/// Many threads write a file: each is refused or writes all of its own, and whoever reads finds one of them as a whole.
#[test]
fn many_writers_at_once() {
    let folder = Folder::new("many");
    let path = folder.at("out");
    let text = |i: usize| format!("{i} ").repeat(20_000);
    write(&path, &text(0)).unwrap();
    let written: usize = std::thread::scope(|scope| {
        let writer = |i| {
            let path = &path;
            scope.spawn(move || {
                (0..30)
                    .filter(|_| match write(path, &text(i)) {
                        Ok(()) => true,
                        Err(why) => {
                            assert!(why.ends_with("another run is writing to it"), "{why}");
                            false
                        }
                    })
                    .count()
            })
        };
        let all: Vec<_> = (1..5).map(writer).collect();
        while all.iter().any(|t| !t.is_finished()) {
            let found = fs::read_to_string(&path).unwrap();
            let i = found.split(' ').next().unwrap().parse().unwrap();
            assert!(found == text(i));
        }
        all.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert!(written > 0);
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn permissions_stay_and_the_file_is_new() {
    let folder = Folder::new("mode");
    let path = file(&folder, "out", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    write(&path, "new").unwrap();
    let after = fs::metadata(&path).unwrap();
    assert!(after.mode() & 0o777 == 0o600 && after.ino() != before);
}
