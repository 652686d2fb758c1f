//! Everything the gates read, loaded once from a source tree.

use super::expand::{Shapes, parse};
use super::schema::{BindingFile, Contract};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A contract file, parsed or not.
pub struct File {
    pub path: PathBuf,
    pub contract: Result<Contract, String>,
}

/// One line of `contracts/proofs/INDEX.txt`.
pub struct Theorem {
    /// Of its statement, and of the definitions under it.
    pub fingerprint: String,
    pub file: String,
    pub name: String,
    pub ops: Vec<String>,
}

pub struct Corpus {
    pub root: PathBuf,
    pub dir: PathBuf,
    pub files: Vec<File>,
    pub binding: Result<BindingFile, String>,
    pub theorems: Vec<Theorem>,
    pub locked: BTreeMap<String, String>,
}

/// Files beside the contracts that are none.
const OTHERS: [&str; 3] = ["binding.yaml", "loosened.yaml", "promises.yaml"];

impl Corpus {
    /// Reads `dir` (the folder with the contracts); its parent is the root of the source tree.
    ///
    /// Errors when the folder is missing or holds no contract: nothing to check is no success.
    pub fn load(dir: &Path) -> Result<Self, String> {
        let dir = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
        let root = dir.parent().ok_or("the contracts folder has no parent")?.to_path_buf();
        let mut paths: Vec<PathBuf> = fs::read_dir(&dir)
            .map_err(|e| format!("{}: {e}", dir.display()))?
            .filter_map(|e| e.ok().map(|e| e.path()))
            .filter(|p| p.extension().is_some_and(|e| e == "yaml") && !OTHERS.iter().any(|o| p.ends_with(o)))
            .collect();
        paths.sort();
        if paths.is_empty() {
            return Err(format!("{}: no contract here", dir.display()));
        }
        let shapes = Shapes::load(&dir)?;
        let mut files = Vec::new();
        for path in paths {
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let contract = shapes.expand(&text).and_then(|whole| parse(&whole));
            files.push(File { path, contract });
        }
        let binding =
            fs::read_to_string(dir.join("binding.yaml")).map_err(|e| e.to_string()).and_then(|t| parse(&t));
        let theorems = theorems(&read(&dir.join("proofs/INDEX.txt")));
        let locked = guarantees(&read(&dir.join("locked.toml")));
        Ok(Self { root, dir, files, binding, theorems, locked })
    }

    /// The contracts that parse.
    pub fn contracts(&self) -> impl Iterator<Item = (&File, &Contract)> {
        self.files.iter().filter_map(|f| f.contract.as_ref().ok().map(|c| (f, c)))
    }
}

/// The text of a file; a missing one reads as empty, and the gates report what it should hold.
pub fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// `File theorem  statement  ops  fingerprint`: ops are separated by commas; `File.v` holds the theorem, and the fingerprint is that
/// of what Coq says that it states, which `scripts/proofs.sh` compares.
fn theorems(text: &str) -> Vec<Theorem> {
    text.lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .filter_map(|l| {
            let mut words = l.split_whitespace();
            let (file, name) = (words.next()?, words.next()?);
            let (fingerprint, ops) = (words.next_back()?, words.next_back()?);
            Some(Theorem {
                fingerprint: fingerprint.into(),
                file: format!("{file}.v"),
                name: name.into(),
                ops: ops.split(',').map(Into::into).collect(),
            })
        })
        .collect()
}

/// The lines of `locked.toml`, by the name of the op or file.
fn guarantees(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(" = "))
        .map(|(op, v)| (op.trim_matches('\'').to_string(), v.trim_matches('\'').to_string()))
        .collect()
}

/// Coq text without its (nested) comments. A comment does not begin in a string, nor end in one that it has.
pub fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut string) = (0usize, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('(', Some('*')) if !string => {
                chars.next();
                depth += 1;
                continue;
            }
            ('*', Some(')')) if depth > 0 && !string => {
                chars.next();
                depth -= 1;
                continue;
            }
            ('"', _) => string = !string,
            _ => {}
        }
        if depth == 0 {
            out.push(c);
        }
    }
    out
}
