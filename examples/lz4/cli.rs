//! The command line: what is read, what is written, and what is said of it.

use crate::files::{self, Place, Shown, shown};
use crate::frame;
use core::fmt;
use lexopt::Arg;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

const USAGE: &str = "\
usage: lz4 FILE [-o OUT]        compresses FILE to FILE.lz4
       lz4 -d FILE [-o OUT]     decompresses FILE.lz4 to FILE

The name - is standard input or output. A file that is there is replaced where -o names it.

exit status: 0 done, 2 the arguments or a file are of no use";

/// Why the program ends early.
enum Stop {
    /// The reader of standard output is gone: nothing left to do.
    Closed,
    /// Help was asked for.
    Help,
    /// The arguments are wrong.
    Usage(String),
    /// A file is of no use, or cannot be written.
    Useless(String),
}

impl From<lexopt::Error> for Stop {
    fn from(e: lexopt::Error) -> Self {
        Self::Usage(Shown(e.to_string()).to_string())
    }
}

impl From<files::Failed> for Stop {
    fn from(e: files::Failed) -> Self {
        Self::Useless(e.to_string())
    }
}

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Useless(format!("standard output: {e}")),
        }
    }
}

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    from: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let done = Request::parse(args).and_then(|r| {
        r.answer(from, out, err)?;
        Ok(out.flush()?)
    });
    let mut fail = |text: fmt::Arguments<'_>| {
        // When standard error is closed too, the exit status is all that can be said.
        _ = writeln!(err, "lz4: {text}");
        2
    };
    match done {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Help) => match writeln!(out, "{USAGE}").and_then(|()| out.flush()).map_err(Stop::from) {
            Ok(()) | Err(Stop::Closed) => 0,
            Err(_) => 2,
        },
        Err(Stop::Usage(why)) => fail(format_args!("{why}\n\n{USAGE}")),
        Err(Stop::Useless(why)) => fail(format_args!("{why}")),
    }
}

/// What the arguments ask for; no path is standard input or output.
struct Request {
    from: Option<PathBuf>,
    to: Option<PathBuf>,
    back: bool,
}

impl Request {
    fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let mut args = lexopt::Parser::from_args(args.collect::<Vec<_>>());
        let (mut from, mut to, mut back) = (None, None, false);
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Err(Stop::Help),
                Arg::Short('d') | Arg::Long("decompress") => back = true,
                Arg::Short('o') | Arg::Long("out") => to = Some(PathBuf::from(args.value()?)),
                Arg::Value(path) if from.is_none() => from = Some(PathBuf::from(path)),
                other => return Err(other.unexpected().into()),
            }
        }
        let Some(from) = from else { return usage("a file is needed, or - for standard input".into()) };
        let named = |path: PathBuf| Some(path).filter(|p| p.as_os_str() != "-");
        let to = match (to, named(from.clone()), back) {
            (Some(to), ..) => named(to),
            (None, None, _) => None,
            (None, Some(path), back) => {
                let made = if back {
                    let whole =
                        path.extension().is_some_and(|end| end == "lz4").then(|| path.with_extension(""));
                    let Some(made) = whole else {
                        return usage(format!(
                            "{} does not end with .lz4: -o names the file to write",
                            shown(&path)
                        ));
                    };
                    made
                } else {
                    let mut made = path.into_os_string();
                    made.push(".lz4");
                    made.into()
                };
                if std::fs::symlink_metadata(&made).is_ok() {
                    return Err(Stop::Useless(format!("{}: it is there; -o replaces it", shown(&made))));
                }
                Some(made)
            }
        };
        Ok(Self { from: named(from), to, back })
    }

    /// Reads, writes and says how much.
    fn answer(&self, standard: &mut dyn Read, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Stop> {
        let name = self.from.as_deref().map_or("standard input".into(), |path| shown(path).to_string());
        let useless = |why: &dyn fmt::Display| Stop::Useless(format!("{name}: {why}"));
        let inputs: Vec<&Path> = self.from.iter().map(PathBuf::as_path).collect();
        let place = self.to.as_deref().map(|to| Place::claim(to, &inputs)).transpose()?;
        let (mut file, mut size) = (None, None);
        if let Some(path) = &self.from {
            let opened = File::open(path).map_err(|e| useless(&e))?;
            let about = opened.metadata().map_err(|e| useless(&e))?;
            if about.is_dir() {
                return Err(useless(&io::Error::from(ErrorKind::IsADirectory)));
            }
            size = about.is_file().then_some(about.len());
            file = Some(BufReader::new(opened));
        }
        let from: &mut dyn Read = match &mut file {
            Some(file) => file,
            None => standard,
        };
        let mut convert = |to: &mut dyn Write| {
            if self.back { frame::read(from, to) } else { frame::write(from, size, to) }
        };
        let Some(place) = place else {
            return match convert(out) {
                Ok(_) => Ok(()),
                Err(e) if e.closed() => Err(Stop::Closed),
                Err(frame::Failed::To(e)) => Err(e.into()),
                Err(e) => Err(useless(&e)),
            };
        };
        let mut done = Ok([0; 2]);
        let written = place.write(|to| {
            done = convert(to);
            match &done {
                Ok(_) => Ok(()),
                // Said below.
                Err(frame::Failed::To(e)) => Err(io::Error::new(e.kind(), e.to_string())),
                Err(_) => Err(ErrorKind::InvalidData.into()),
            }
        });
        match done {
            Err(e @ (frame::Failed::From(_) | frame::Failed::Wrong { .. })) => return Err(useless(&e)),
            _ => written?,
        }
        let [came, went] = done.unwrap_or_default();
        let to = self.to.as_deref().unwrap_or(Path::new(""));
        // When standard error is closed, the file is there all the same.
        _ = writeln!(err, "{}: {went} bytes, from {came}", shown(to));
        Ok(())
    }
}
