//! What tests of several programs share.
#![allow(dead_code, reason = "each program uses a part")]

#[cfg(unix)]
pub mod disk;

use std::path::PathBuf;

/// A folder of its own for a test, which is gone when the test ends.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("fulmen-{}-{}-{name}", env!("CARGO_CRATE_NAME"), std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Where a file of this name is.
    pub fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// [`Self::at`], as an argument of a program.
    pub fn path(&self, name: &str) -> String {
        self.at(name).to_str().unwrap().into()
    }

    /// A file that holds this.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.at(name), bytes).unwrap();
        self.path(name)
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let all = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = all.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}
