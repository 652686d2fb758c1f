//! How far a program is: a bar on a terminal, lines now and then elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::time::{Duration, Instant};

/// Seconds between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(10);

/// How far a program is.
pub struct Progress {
    bar: ProgressBar,
    terminal: bool,
    /// When the last line was written.
    said: Instant,
    /// What stands around the number of such a line.
    words: [&'static str; 2],
}

impl Progress {
    /// Of `steps` steps, of which `done` were done before.
    #[allow(dead_code, reason = "not every program counts steps")]
    pub fn new(steps: usize, done: usize, terminal: bool) -> Self {
        Self::of([steps, done], terminal, "[{bar:30}] {pos}/{len}  {msg}  {eta} left", ["step ", ""])
    }

    /// Of a hundred.
    #[allow(dead_code, reason = "not every program knows a share")]
    pub fn percent(terminal: bool) -> Self {
        Self::of([100, 0], terminal, "[{bar:30}] {pos:>3} %  {msg}  {eta} left", ["", " %"])
    }

    fn of([steps, done]: [usize; 2], terminal: bool, template: &str, words: [&'static str; 2]) -> Self {
        // Short work ends before a bar could be read.
        let target =
            if terminal { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target).with_position(done as u64);
        // Time left is of the steps of this run.
        bar.reset_eta();
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, terminal, said: Instant::now(), words }
    }

    /// `done` steps are done, and `message` says what came of them. On no terminal it is a line when `due` or ten seconds passed.
    pub fn show(&mut self, done: usize, message: &str, due: bool, err: &mut dyn Write) {
        if self.terminal {
            self.bar.set_message(message.to_string());
            self.bar.set_position(done as u64);
        } else if due || self.said.elapsed() >= EVERY {
            self.said = Instant::now();
            // A closed standard error stops no work.
            _ = writeln!(err, "{}{done}{}: {message}", self.words[0], self.words[1])
                .and_then(|()| err.flush());
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
