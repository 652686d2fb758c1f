//! The worst error of each op, as a share of what its contract allows: every comparison with a tolerance is seen here.
//!
//! With `FULMEN_ERRORS` in the environment each thread appends its worst ones to that file when it ends; `scripts/accuracy.py`
//! makes a table of them and holds it against the contracts.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::OnceLock;

/// Op, type, lane, and which of its bounds; whether a seed of this run drew the case.
type Key = ([String; 4], bool);

#[derive(Default)]
struct Seen(BTreeMap<Key, Worst>);

#[derive(Clone, Copy, Default)]
struct Worst {
    share: f64,
    n: usize,
    compared: u64,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
    static DRAWN: Cell<bool> = const { Cell::new(false) };
}

/// From now on the cases of this thread's test are of a seed that differs from run to run: no table can know their errors.
pub fn drawn() {
    DRAWN.set(true);
}

/// The errors of one op in one type on one lane, noted when this is dropped.
#[derive(Debug)]
pub struct Errors<'a> {
    key: [&'a str; 4],
    share: f64,
    n: usize,
    compared: u64,
}

impl<'a> Errors<'a> {
    /// Of the op's results.
    #[must_use]
    pub fn of(op: &'a str, ty: &'a str, lane: &'a str) -> Self {
        Self::guaranteed(op, ty, lane, "")
    }
    /// Of a guarantee beside the tolerance of the results: a residual, say.
    #[must_use]
    pub fn guaranteed(op: &'a str, ty: &'a str, lane: &'a str, guarantee: &'a str) -> Self {
        Self { key: [op, ty, lane, guarantee], share: 0.0, n: 0, compared: 0 }
    }
    /// The largest so far.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.share
    }
    /// An error, what is allowed, and the length that the bound grows with. An error that is no number is of an infinity,
    /// or of a NaN, which have no tolerance.
    pub fn see(&mut self, error: f64, allowed: f64, n: usize) {
        self.compared += 1;
        let share = if error == 0.0 { 0.0 } else { error / allowed };
        if share.is_finite() && share > self.share {
            (self.share, self.n) = (share, n);
        }
    }
}

impl Drop for Errors<'_> {
    fn drop(&mut self) {
        // Not of a test that fails: the file is about tests that passed.
        if self.compared == 0 || std::thread::panicking() || file().is_none() {
            return;
        }
        let _ = SEEN.try_with(|seen| {
            let mut seen = seen.borrow_mut();
            let worst = seen.0.entry((self.key.map(String::from), DRAWN.get())).or_default();
            worst.compared += self.compared;
            if self.share > worst.share {
                (worst.share, worst.n) = (self.share, self.n);
            }
        });
    }
}

fn file() -> Option<&'static std::ffi::OsString> {
    static FILE: OnceLock<Option<std::ffi::OsString>> = OnceLock::new();
    FILE.get_or_init(|| std::env::var_os("FULMEN_ERRORS")).as_ref()
}

impl Drop for Seen {
    fn drop(&mut self) {
        let Some(file) = file() else { return };
        // The runner names threads by their tests; a thread of a test's own has no name.
        let test = std::thread::current().name().unwrap_or("-").to_string();
        let lines: String = self
            .0
            .iter()
            .map(|(([op, ty, lane, guarantee], drawn), w)| {
                let kind = if *drawn { "drawn" } else { "fixed" };
                format!(
                    "{op}\t{ty}\t{lane}\t{guarantee}\t{:e}\t{}\t{}\t{kind}\t{test}\n",
                    w.share, w.n, w.compared
                )
            })
            .collect();
        if !lines.is_empty() {
            let file = OpenOptions::new().append(true).create(true).open(file);
            file.and_then(|mut f| f.write_all(lines.as_bytes())).expect("the errors can be written");
        }
    }
}
