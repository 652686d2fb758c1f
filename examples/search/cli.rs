//! The command line: arguments, files, progress, the table of kernels, and lines cut to fit.

use crate::engine::text::is_unspaced;
use crate::engine::{Answer, Failure, Hit, Observer, Options, best, search, text_of};
use crate::files::{self, shown};
use crate::program::{self, Stop};
use crate::progress::Progress;
use clap::Parser;
use fulmen::lanes::Simd;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Whether the outputs are terminals.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Standard output.
    pub out: bool,
    /// Standard error.
    pub err: bool,
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    out: &mut impl Write,
    err: &mut impl Write,
    terminal: Terminal,
) -> u8 {
    let done = program::parse("search", args).and_then(|r| answer(&r, out, err, terminal));
    program::end("search", done, out, err)
}

#[derive(Debug, Parser)]
#[command(
    name = "search",
    args_override_self = true,
    about = "Prints the lines of a text most similar to a query: line number, score, text. The score is the cosine of word and \
        letter-group vectors, 1 at most. Timing goes to standard error.",
    after_help = "Without arguments it searches the text that it brings.\n\n\
        exit status: 0 lines were found, 1 none was, 2 the arguments or the file are of no use"
)]
struct Request {
    /// The text; - reads standard input [default: The Adventures of Sherlock Holmes]
    #[arg(requires = "query")]
    file: Option<PathBuf>,
    /// What to look for, in quotes [default: a blue gem that was stolen]
    query: Option<String>,
    /// How many lines to print
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    /// Elements of a vector; more means fewer collisions and more time
    #[arg(long, value_name = "D", default_value = "1024", value_parser = clap::value_parser!(u32).range(16..=65536))]
    dim: u32,
    /// Print one JSON object instead
    #[arg(long)]
    json: bool,
}

/// The bytes of the file.
fn read(path: Option<&Path>) -> Result<Vec<u8>, Stop> {
    let Some(path) = path else { return Ok(include_bytes!("../texts/holmes.txt").to_vec()) };
    if path.is_dir() {
        return Err(Stop::Useless(format!("{} is a directory; name one text file in it", shown(path))));
    }
    files::read(path).map_err(|e| Stop::Useless(format!("cannot read {}: {e}", shown(path))))
}

/// Searches and prints.
fn answer(
    request: &Request,
    out: &mut impl Write,
    err: &mut impl Write,
    terminal: Terminal,
) -> Result<(), Stop> {
    let started = Instant::now();
    let file = read(request.file.as_deref())?;
    let query = request.query.as_deref().unwrap_or("a blue gem that was stolen");
    let options = Options { top: request.top as usize, dim: request.dim as usize };
    let mut meter = Meter { rows: Vec::new(), err: &mut *err, progress: Progress::percent(terminal.err) };
    let found = search(&file, query, options, &mut meter);
    meter.progress.clear();
    let rows = core::mem::take(&mut meter.rows);
    let name = shown(request.file.as_deref().unwrap_or(Path::new("holmes.txt")));
    let found = found.map_err(|why| match why {
        Failure::Range(_) | Failure::NoQuery => Stop::Usage(why.to_string()),
        Failure::Unknown(_) => Stop::Without(format!("{name}: {why}")),
        Failure::Empty | Failure::Binary(_) | Failure::Kernel(_) => Stop::Useless(format!("{name}: {why}")),
    })?;
    for (word, instead) in &found.missing {
        let _ = match instead {
            Some(instead) => writeln!(err, "\"{word}\" is not in the file; \"{instead}\" was taken instead"),
            None => writeln!(err, "\"{word}\" is not in the file; it was left out"),
        };
    }
    if request.json {
        writeln!(out, "{}", found.json(&file))?;
    } else {
        print(&file, &found, out, terminal.out)?;
    }
    out.flush()?;
    // Standard error may be closed; the answer is out all the same.
    let _ = report(err, &rows, &file, &found, started.elapsed());
    if found.hits.is_empty() {
        return Err(Stop::Without(format!("{name}: no line is similar to the query")));
    }
    Ok(())
}

/// The hits, one line each.
fn print(file: &[u8], found: &Answer, out: &mut impl Write, terminal: bool) -> io::Result<()> {
    let digits = found.hits.iter().map(|h| h.passage.line).max().unwrap_or(0).to_string().len();
    let room = if terminal { columns().saturating_sub(digits + 9).max(20) } else { usize::MAX };
    for hit in &found.hits {
        let text = fit(&text_of(file, &hit.passage), hit, room);
        writeln!(out, "{:>digits$}  {:.3}  {text}", hit.passage.line, hit.score)?;
    }
    Ok(())
}

/// The width of the terminal, as far as the environment tells.
fn columns() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).filter(|&c| c > 0).unwrap_or(100)
}

/// One printable line of at most `room` columns that shows the word which the query has too.
pub fn fit(text: &str, hit: &Hit, room: usize) -> String {
    let cells: Vec<(usize, String)> = text.char_indices().map(|(at, c)| (at, printable(c))).collect();
    let width = |s: &str| s.chars().map(|c| 1 + usize::from(is_wide(c))).sum::<usize>();
    let total: usize = cells.iter().map(|(_, s)| width(s)).sum();
    if total <= room {
        return cells.into_iter().map(|(_, s)| s).collect();
    }
    // Start a third of the room before the word, unless it shows from the beginning too.
    let ahead: usize = cells.iter().filter(|(at, _)| *at < hit.focus).map(|(_, s)| width(s)).sum();
    let mut skip = if ahead + room / 3 < room { 0 } else { (ahead - room / 3).min(total + 1 - room) };
    let mut line = String::from(if skip > 0 { "…" } else { "" });
    let mut used = line.chars().count();
    let mut left = total;
    for (_, s) in &cells {
        let w = width(s);
        left -= w;
        if skip > 0 {
            skip = skip.saturating_sub(w);
            continue;
        }
        // One column stays for the mark, unless this is the end.
        if used + w + usize::from(left > 0) > room {
            line.push('…');
            break;
        }
        line.push_str(s);
        used += w;
    }
    line
}

/// What stands for `c` on a terminal: control and direction characters show as escapes.
fn printable(c: char) -> String {
    match c {
        '\t' => " ".into(),
        c if c.is_control() => c.escape_default().to_string(),
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}' => {
            c.escape_default().to_string()
        }
        c => c.into(),
    }
}

/// Whether `c` takes two columns.
fn is_wide(c: char) -> bool {
    is_unspaced(c)
        || matches!(c, '\u{1100}'..='\u{115F}' | '\u{3000}'..='\u{303F}' | '\u{AC00}'..='\u{D7A3}'
            | '\u{FF00}'..='\u{FF60}' | '\u{1F300}'..='\u{1FAFF}')
}

/// What one kernel did.
struct Row {
    name: &'static str,
    calls: u64,
    items: u64,
    bytes: u64,
    time: Duration,
}

/// Times kernels and shows progress.
struct Meter<'a, W> {
    rows: Vec<Row>,
    err: &'a mut W,
    progress: Progress,
}

impl<W: Write> Observer for Meter<'_, W> {
    fn kernel<R>(&mut self, name: &'static str, items: usize, bytes: usize, run: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let value = run();
        let time = start.elapsed();
        let (items, bytes) = (items as u64, bytes as u64);
        match self.rows.iter_mut().find(|r| r.name == name) {
            Some(row) => {
                row.calls += 1;
                row.items += items;
                row.bytes += bytes;
                row.time += time;
            }
            None => self.rows.push(Row { name, calls: 1, items, bytes, time }),
        }
        value
    }

    fn progress(&mut self, done: usize, total: usize) {
        let share = done as u64 * 100 / total.max(1) as u64;
        self.progress.show(share as usize, "searching", false, self.err);
    }
}

/// How long each kernel took, and on which lanes.
fn report(
    err: &mut impl Write,
    rows: &[Row],
    file: &[u8],
    found: &Answer,
    elapsed: Duration,
) -> io::Result<()> {
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    writeln!(
        err,
        "\n{:<10} {:>8} {:>12} {:>10} {:>10} {:>8}",
        "step", "calls", "ns/call", "ms", "M items/s", "GB/s"
    )?;
    for r in rows {
        let ns = (r.time.as_nanos() as f64).max(1.0);
        writeln!(
            err,
            "{:<10} {:>8} {:>12.0} {:>10.2} {:>10.1} {:>8.2}",
            r.name,
            r.calls,
            ns / r.calls as f64,
            ms(r.time),
            r.items as f64 / ns * 1e3,
            r.bytes as f64 / ns
        )?;
    }
    writeln!(
        err,
        "{} passages, {:.1} MB, {:.1} ms\n{}",
        found.passages,
        file.len() as f64 / 1e6,
        ms(elapsed),
        program::lanes(best!(|s| name(s)))
    )
}

fn name<S: Simd>(_: S) -> &'static str {
    S::NAME
}
