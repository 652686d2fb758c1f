//! The command line: arguments, files, progress, the table of kernels, and lines cut to fit.

use crate::engine::text::is_unspaced;
use crate::engine::{Answer, Failure, Hit, Observer, Options, search, text_of};
use core::fmt;
use fulmen::NATIVE;
use fulmen::lanes::{Isa, Native, Simd};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: search FILE QUERY [--top N] [--dim D] [--json]

Prints the lines of FILE ('-' reads standard input) most similar to QUERY: line number, score, text.
The score is the cosine of word and letter-group vectors, 1 at most. Timing goes to standard error.

  --top N   how many lines to print (default 5)
  --dim D   elements of a vector, 16 to 65536 (default 1024; more means fewer collisions, more time)
  --json    print one JSON object instead

exit status: 0 lines were found, 1 none was, 2 the arguments or the file are of no use";

/// From this size on, progress is told on standard error even when that is no terminal.
const LONG_FILE: usize = 8 << 20;

/// Whether the outputs are terminals.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Standard output.
    pub out: bool,
    /// Standard error.
    pub err: bool,
}

/// Why the program ends with another status than 0.
enum Stop {
    /// The reader of standard output is gone: nothing left to do.
    Closed,
    /// Writing failed.
    Write(io::Error),
    /// Help was asked for.
    Help,
    /// The arguments are wrong.
    Usage(String),
    /// The file is of no use.
    File(String),
    /// Nothing was found.
    Nothing(String),
}

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        if e.kind() == ErrorKind::BrokenPipe { Self::Closed } else { Self::Write(e) }
    }
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    out: &mut impl Write,
    err: &mut impl Write,
    terminal: Terminal,
) -> u8 {
    let done = answer(args, out, err, terminal).and_then(|()| Ok(out.flush()?));
    // When standard error is closed too, the exit status is all that can be said.
    let mut say = |text: fmt::Arguments<'_>| _ = writeln!(err, "{text}");
    match done {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Help) => u8::from(writeln!(out, "{USAGE}").is_err()),
        Err(Stop::Write(e)) => {
            say(format_args!("search: cannot write the answer: {e}"));
            2
        }
        Err(Stop::Usage(why)) => {
            say(format_args!("search: {why}\n\n{USAGE}"));
            2
        }
        Err(Stop::File(why)) => {
            say(format_args!("search: {why}"));
            2
        }
        Err(Stop::Nothing(why)) => {
            say(format_args!("search: {why}"));
            1
        }
    }
}

/// What the arguments ask for.
struct Request {
    file: PathBuf,
    query: String,
    options: Options,
    json: bool,
}

/// Reads the arguments.
fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Request, Stop> {
    let mut options = Options { top: 5, dim: 1024 };
    let (mut json, mut only_places) = (false, false);
    let mut places: Vec<OsString> = Vec::new();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        if only_places || !text.starts_with('-') || text == "-" {
            places.push(arg);
            continue;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text.as_str(), None),
        };
        let mut number = || {
            let value = value.clone().or_else(|| args.next().map(|v| v.to_string_lossy().into_owned()));
            let value = value.ok_or_else(|| Stop::Usage(format!("{name} needs a number")))?;
            value
                .parse::<usize>()
                .map_err(|_| Stop::Usage(format!("{name} needs a whole number, not \"{value}\"")))
        };
        match name {
            "--top" => options.top = number()?,
            "--dim" => options.dim = number()?,
            "--json" => json = true,
            "--help" | "-h" => return Err(Stop::Help),
            "--" => only_places = true,
            _ => return Err(Stop::Usage(format!("unknown option {name}"))),
        }
    }
    let mut places = places.into_iter();
    match (places.next(), places.next(), places.next()) {
        (Some(file), Some(query), None) => {
            Ok(Request { file: file.into(), query: query.to_string_lossy().into_owned(), options, json })
        }
        (_, _, Some(more)) => Err(Stop::Usage(format!(
            "\"{}\" is one argument too many; put the query in quotes",
            more.to_string_lossy()
        ))),
        (None, ..) => Err(Stop::Usage("FILE and QUERY are missing".into())),
        _ => Err(Stop::Usage("QUERY is missing".into())),
    }
}

/// The bytes of the file.
fn read(request: &Request) -> Result<Vec<u8>, Stop> {
    let name = request.file.display();
    let fail = |e: io::Error| Stop::File(format!("cannot read {name}: {e}"));
    let mut bytes = Vec::new();
    if request.file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map_err(fail)?;
    } else if request.file.is_dir() {
        return Err(Stop::File(format!("{name} is a directory; name one text file in it")));
    } else {
        bytes = std::fs::read(&request.file).map_err(fail)?;
    }
    Ok(bytes)
}

/// Searches and prints.
fn answer(
    args: impl Iterator<Item = OsString>,
    out: &mut impl Write,
    err: &mut impl Write,
    terminal: Terminal,
) -> Result<(), Stop> {
    let request = parse(args)?;
    let started = Instant::now();
    let file = read(&request)?;
    let progress = match terminal.err {
        true => Progress::Bar,
        false if file.len() >= LONG_FILE => Progress::Lines,
        false => Progress::Off,
    };
    let mut meter = Meter { rows: Vec::new(), err: &mut *err, progress, started, drawn: None };
    let found = search(&file, &request.query, request.options, &mut meter);
    meter.clear();
    let rows = core::mem::take(&mut meter.rows);
    let name = request.file.display();
    let found = found.map_err(|why| match why {
        Failure::Range(_) | Failure::NoQuery => Stop::Usage(why.to_string()),
        Failure::Unknown(_) => Stop::Nothing(format!("{name}: {why}")),
        Failure::Empty | Failure::Binary(_) | Failure::Kernel(_) => Stop::File(format!("{name}: {why}")),
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
        return Err(Stop::Nothing(format!("{name}: no line is similar to the query")));
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

/// How progress shows.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Off,
    /// A line now and then, for a log.
    Lines,
    /// A bar that is drawn over.
    Bar,
}

/// Times kernels and shows progress.
struct Meter<'a, W> {
    rows: Vec<Row>,
    err: &'a mut W,
    progress: Progress,
    started: Instant,
    /// When progress was shown last.
    drawn: Option<Instant>,
}

impl<W: Write> Meter<'_, W> {
    /// Takes the bar away.
    fn clear(&mut self) {
        if self.drawn.take().is_some() && self.progress == Progress::Bar {
            let _ = write!(self.err, "\r{:60}\r", "");
            let _ = self.err.flush();
        }
    }
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
        // Short searches end before a bar could be read.
        let (wait, every) = match self.progress {
            Progress::Off => return,
            Progress::Lines => (2000, 2000),
            Progress::Bar => (300, 100),
        };
        let due = match self.drawn {
            Some(drawn) => drawn.elapsed() >= Duration::from_millis(every),
            None => self.started.elapsed() >= Duration::from_millis(wait),
        };
        if !due {
            return;
        }
        self.drawn = Some(Instant::now());
        let tenths = (done as u64 * 1000 / total.max(1) as u64).min(1000);
        let (whole, tenth) = (tenths / 10, tenths % 10);
        let _ = match self.progress {
            Progress::Bar => {
                write!(self.err, "\r[{:40}] {whole:3}.{tenth} %", "#".repeat(tenths as usize / 25))
            }
            _ => writeln!(self.err, "search: {whole}.{tenth} % done"),
        };
        let _ = self.err.flush();
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
        "{} passages, {:.1} MB, {:.1} ms; lanes: {}",
        found.passages,
        file.len() as f64 / 1e6,
        ms(elapsed),
        Native::NAME
    )?;
    if let Some(hint) = hint() {
        writeln!(err, "{hint}")?;
    }
    Ok(())
}

/// One line when the CPU offers more than this build uses, with the flags that change it.
fn hint() -> Option<String> {
    let (better, feature) = more()?;
    Some(format!(
        "this CPU also has {better}: RUSTFLAGS=\"-C target-cpu=native\" cargo run --release {feature}--example search -- …"
    ))
}

/// The best instruction set of the CPU that the build leaves out, and its Cargo feature.
#[cfg(target_arch = "x86_64")]
fn more() -> Option<(&'static str, &'static str)> {
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match NATIVE {
        Isa::Avx512 => None,
        _ if avx512 => Some(("AVX-512", "--features avx512 ")),
        Isa::Avx2 => None,
        _ => avx2.then_some(("AVX2 and FMA", "")),
    }
}

/// The best instruction set of the CPU that the build leaves out, and its Cargo feature.
#[cfg(target_arch = "aarch64")]
fn more() -> Option<(&'static str, &'static str)> {
    (NATIVE != Isa::Neon).then_some(("NEON", "--features neon "))
}

/// The best instruction set of the CPU that the build leaves out, and its Cargo feature.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn more() -> Option<(&'static str, &'static str)> {
    None
}
