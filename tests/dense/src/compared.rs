//! How much each test compared: every assertion of the test programs and of what they share is counted where it is made.
//!
//! A verdict says that a test ended, not that it looked at anything, and what a test prints is its own to write. The
//! counts go to the file that `FULMEN_COMPARED` names, one line for each test when its thread ends; `fulmen contract
//! lint --compared` holds them against floors.

use std::cell::{Cell, OnceCell};
use std::fs::OpenOptions;
use std::io::Write;

struct Count {
    test: OnceCell<String>,
    made: Cell<u64>,
    lacks: Cell<Option<&'static str>>,
}

thread_local! {
    static COUNT: Count =
        const { Count { test: OnceCell::new(), made: Cell::new(0), lacks: Cell::new(None) } };
}

/// What this thread's test has compared.
pub fn made() -> u64 {
    COUNT.with(|c| c.made.get())
}

/// So many comparisons more.
pub fn add(n: u64) {
    // Not while the thread ends.
    let _ = COUNT.try_with(|c| {
        // The runner names threads by their tests.
        c.test.get_or_init(|| std::thread::current().name().unwrap_or_default().into());
        c.made.set(c.made.get() + n);
    });
}

/// This thread's test compares nothing, as the machine lacks what it is about.
pub fn lacks(what: &'static str) {
    println!("skipped: this machine lacks {what}; nothing was tested on it");
    add(0);
    COUNT.with(|c| c.lacks.set(Some(what)));
}

impl Drop for Count {
    fn drop(&mut self) {
        let (Some(test), Some(file)) = (self.test.get(), std::env::var_os("FULMEN_COMPARED")) else { return };
        // Threads of a test's own have no name, and the runner's is `main`.
        if test.contains("::") {
            let line = match self.lacks.get() {
                Some(what) => format!("{test} lacks {what}\n"),
                None => format!("{test} {}\n", self.made.get()),
            };
            // Whole lines, as several threads and programs write.
            let file = OpenOptions::new().append(true).create(true).open(file);
            file.and_then(|mut f| f.write_all(line.as_bytes())).expect("the counts can be written");
        }
    }
}
