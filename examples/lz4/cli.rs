//! The command line: what is read, what is written, and what is said of it.

use crate::files::{Place, shown};
use crate::frame;
use crate::program::{self, Stop};
use clap::Parser;
use core::fmt;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(
    args: impl Iterator<Item = OsString>,
    from: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let done = program::parse("lz4", args).and_then(Request::of).and_then(|r| r.answer(from, out, err));
    program::end("lz4", done, out, err)
}

#[derive(Debug, Parser)]
#[command(
    name = "lz4",
    about = "Compresses FILE to FILE.lz4, or decompresses FILE.lz4 to FILE.",
    after_help = "The name - is standard input or output. A file that is there is replaced where -o names it.\n\n\
        exit status: 0 done, 2 the arguments or a file are of no use"
)]
struct Line {
    /// What is read
    file: PathBuf,
    /// Decompress
    #[arg(short, long)]
    decompress: bool,
    /// What is written
    #[arg(short, long, value_name = "OUT")]
    out: Option<PathBuf>,
}

/// What the arguments ask for; no path is standard input or output.
struct Request {
    from: Option<PathBuf>,
    to: Option<PathBuf>,
    back: bool,
}

impl Request {
    fn of(line: Line) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let Line { file: from, decompress: back, out: to } = line;
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
