//! The command line: arguments, the sound, the picture.

use crate::files::{self, Place, Shown, shown};
use crate::picture;
use crate::wav::{Wav, Wrong};
use core::fmt;
use fulmen::{Window, stft_frames};
use lexopt::Arg;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::time::Instant;

const USAGE: &str = "\
usage: spectrum SOUND.wav PICTURE.png
       spectrum SOUND.wav --samples     prints the rate, and for each moment a line of the numbers of all channels

Draws how strong each frequency of a sound is over time: to the right time, upwards frequency, one pixel for each frame and
each bin. A tone of full scale has 0 dB, and so has a constant of 1 at 0 Hz.

  --fft N          numbers of one transform, which has N/2 + 1 bins (1024)
  --window W       hann, hamming, blackman, blackman-harris, flat-top, bartlett, kaiser or rectangular (hann)
  --beta X         the parameter of the window kaiser (8.6)
  --length N       numbers of the window, zeros follow it (those of the transform)
  --hop N          numbers from one frame to the next (a quarter of the window)
  --range X        decibels from black to white (100)
  --channel N      the channel, counted from 1 (the mean of all)

exit status: 0 drawn or printed, 2 the arguments or a file are of no use";

/// The longest transform.
const LONGEST: usize = 1 << 16;
/// Pixels of the largest picture.
const MOST_PIXELS: usize = 1 << 28;

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

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Useless(format!("standard output: {e}")),
        }
    }
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

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let done = Request::parse(args).and_then(|r| {
        r.answer(out, err)?;
        Ok(out.flush()?)
    });
    let mut fail = |text: fmt::Arguments<'_>| {
        // When standard error is closed too, the exit status is all that can be said.
        _ = writeln!(err, "spectrum: {text}");
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

/// The value of the option `name`, a whole number from `least` to `most`.
fn whole(args: &mut lexopt::Parser, name: &str, least: usize, most: usize) -> Result<usize, Stop> {
    let value = args.value()?.to_string_lossy().into_owned();
    match value.parse() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(Stop::Usage(format!("--{name} is from {least} to {most}, not \"{}\"", Shown(value)))),
    }
}

/// The value of the option `name`, a number from `least` to `most`.
fn number(args: &mut lexopt::Parser, name: &str, least: f64, most: f64) -> Result<f64, Stop> {
    let value = args.value()?.to_string_lossy().into_owned();
    match value.parse() {
        Ok(x) if (least..=most).contains(&x) => Ok(x),
        _ => Err(Stop::Usage(format!("--{name} is from {least} to {most}, not \"{}\"", Shown(value)))),
    }
}

/// Prints the rate and the numbers, with as many digits as tell them from all others.
fn print(wav: &Wav<'_>, out: &mut dyn Write) -> io::Result<Result<(), Wrong>> {
    writeln!(out, "{} Hz, {} channels", wav.rate, wav.channels)?;
    for i in 0..wav.len() {
        for c in 0..wav.channels {
            match wav.at(i, c) {
                Ok(x) => write!(out, "{}{x}", if c > 0 { " " } else { "" })?,
                Err(wrong) => return Ok(Err(wrong)),
            }
        }
        writeln!(out)?;
    }
    Ok(Ok(()))
}

/// What the arguments ask for.
struct Request {
    sound: PathBuf,
    /// Where the picture goes; the numbers are printed where there is none.
    picture: Option<PathBuf>,
    fft: usize,
    window: Window,
    length: usize,
    hop: usize,
    range: f64,
    channel: Option<usize>,
}

impl Request {
    fn parse(args: impl Iterator<Item = OsString>) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        let mut args = lexopt::Parser::from_args(args.collect::<Vec<_>>());
        let (mut fft, mut length, mut hop, mut range, mut channel) = (1024, None, None, 100.0, None);
        let (mut window, mut beta, mut paths) = (Window::Hann, None, Vec::new());
        let mut print = false;
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Err(Stop::Help),
                Arg::Long("samples") => print = true,
                Arg::Long("fft") => fft = whole(&mut args, "fft", 2, LONGEST)?,
                Arg::Long("length") => length = Some(whole(&mut args, "length", 2, LONGEST)?),
                Arg::Long("hop") => hop = Some(whole(&mut args, "hop", 1, usize::MAX)?),
                Arg::Long("range") => range = number(&mut args, "range", 1.0, 400.0)?,
                Arg::Long("beta") => beta = Some(number(&mut args, "beta", 0.0, 500.0)?),
                Arg::Long("channel") => channel = Some(whole(&mut args, "channel", 1, 65_535)?),
                Arg::Long("window") => {
                    window = match args.value()?.to_string_lossy().as_ref() {
                        "hann" => Window::Hann,
                        "hamming" => Window::Hamming,
                        "blackman" => Window::Blackman,
                        "blackman-harris" => Window::BlackmanHarris,
                        "flat-top" => Window::FlatTop,
                        "bartlett" => Window::Bartlett,
                        "kaiser" => Window::Kaiser { beta: 8.6 },
                        "rectangular" => Window::Rectangular,
                        other => return usage(format!("--window does not know \"{}\"", Shown(other))),
                    };
                }
                Arg::Value(path) if paths.len() < 2 => paths.push(PathBuf::from(path)),
                other => return Err(other.unexpected().into()),
            }
        }
        match (&mut window, beta) {
            (Window::Kaiser { beta }, Some(given)) => *beta = given,
            (_, Some(_)) => return usage("--beta is for --window kaiser".into()),
            _ => {}
        }
        let length = length.unwrap_or(fft);
        if length > fft {
            return usage(format!("--length {length} is more than the {fft} of --fft"));
        }
        let hop = hop.unwrap_or(length.div_ceil(4));
        let mut paths = paths.into_iter();
        let (sound, picture) = match (paths.next(), paths.next(), print) {
            (Some(sound), Some(picture), false) => (sound, Some(picture)),
            (Some(sound), None, true) => (sound, None),
            (.., true) => return usage("--samples takes a sound and no picture".into()),
            _ => return usage("a sound and a picture are needed".into()),
        };
        Ok(Self { sound, picture, fft, window, length, hop, range, channel: channel.map(|c| c - 1) })
    }

    /// Reads, draws and says what it saw.
    fn answer(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Stop> {
        let of_sound = |why: &dyn fmt::Display| Stop::Useless(format!("{}: {why}", shown(&self.sound)));
        let place = self.picture.as_deref().map(|path| Place::claim(path, &[&self.sound])).transpose()?;
        let bytes = files::read(&self.sound).map_err(|e| of_sound(&e))?;
        let wav = Wav::of(&bytes).map_err(|e| of_sound(&e))?;
        for note in &wav.notes {
            // When standard error is closed, the work goes on.
            _ = writeln!(err, "spectrum: note: {}: {note}", shown(&self.sound));
        }
        let Some(place) = place else {
            return print(&wav, out)?.map_err(|e| of_sound(&e));
        };
        if let Some(c) = self.channel.filter(|c| *c >= wav.channels) {
            let why = format!("there is no channel {}, only {}", c + 1, wav.channels);
            return Err(of_sound(&why));
        }
        let frames = stft_frames(wav.len(), self.length, self.hop);
        if frames == 0 {
            let why = format!("{} numbers are less than one window of {}", wav.len(), self.length);
            return Err(of_sound(&why));
        }
        let bins = self.fft / 2 + 1;
        if frames.saturating_mul(bins) > MOST_PIXELS {
            let why = format!(
                "{frames} frames of {bins} bins are too large a picture: --hop {} is too small",
                self.hop
            );
            return Err(of_sound(&why));
        }
        let x = wav.samples(self.channel).map_err(|e| of_sound(&e))?;
        let started = Instant::now();
        let mut window = vec![0.0; self.length];
        let drawn = self
            .window
            .periodic(&mut window)
            .and_then(|()| picture::levels(&x, self.fft, &window, self.hop, self.range as f32));
        let levels = drawn.map_err(|e| of_sound(&e))?;
        let took = started.elapsed();
        place.write(|to| picture::png(&levels, to))?;
        let rate = f64::from(wav.rate);
        writeln!(
            out,
            "{} x {} pixels: {:.3} s, {:.3} ms each; 0 to {} Hz, {:.3} Hz each; transforms on {:?} in {:.3} s",
            levels.width,
            levels.height,
            x.len() as f64 / rate,
            1e3 * self.hop as f64 / rate,
            rate / 2.0,
            rate / self.fft as f64,
            fulmen::NATIVE,
            took.as_secs_f64()
        )?;
        let (frame, bin, level) = levels.peak;
        match level > f32::NEG_INFINITY {
            true => writeln!(
                out,
                "the strongest: {:.1} Hz at {:.3} s, {level:.1} dB",
                bin as f64 * rate / self.fft as f64,
                (frame * self.hop) as f64 / rate
            )?,
            false => writeln!(out, "silence")?,
        }
        Ok(())
    }
}
