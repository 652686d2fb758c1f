//! The command line: arguments, the sound, the picture.

use crate::files::{self, Place, shown};
use crate::picture;
use crate::program::{self, Stop};
use crate::wav::{Wav, Wrong};
use clap::{Parser, ValueEnum, value_parser};
use core::fmt;
use fulmen::lanes::Simd;
use fulmen::{Window, stft_frames};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The longest transform.
const LONGEST: i64 = 1 << 16;
/// Pixels of the largest picture.
const MOST_PIXELS: usize = 1 << 28;

/// Runs the program on `args`, which lack its name. Returns the exit status.
pub fn run(args: impl Iterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let done = program::parse("spectrum", args).and_then(Request::of);
    let done = done.and_then(|r| fulmen::dispatch!(|s| r.answer(s, out, err)));
    program::end("spectrum", done, out, err)
}

/// A number from 1 to 400.
fn decibels(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (1.0..=400.0).contains(&x) => Ok(x),
        _ => Err("it must be from 1 to 400".into()),
    }
}

/// A number from 0 to 500.
fn beta(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..=500.0).contains(&x) => Ok(x),
        _ => Err("it must be from 0 to 500".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Kind {
    Hann,
    Hamming,
    Blackman,
    BlackmanHarris,
    FlatTop,
    Bartlett,
    Kaiser,
    Rectangular,
}

#[derive(Debug, Parser)]
#[command(
    name = "spectrum",
    args_override_self = true,
    about = "Draws how strong each frequency of a sound is over time: to the right time, upwards frequency. A tone of full scale \
        has 0 dB, and so has a constant of 1 at 0 Hz.",
    after_help = "Without arguments it draws a sound that it makes to spectrum.svg.\n\n\
        exit status: 0 drawn or printed, 2 the arguments or a file are of no use"
)]
struct Line {
    /// A WAV file [default: a sound that the program makes]
    #[arg(value_name = "SOUND.wav")]
    sound: Option<PathBuf>,
    /// PICTURE.svg has axes; PICTURE.png one pixel for each frame and each bin, and nothing else
    #[arg(value_name = "PICTURE", conflicts_with = "samples")]
    picture: Option<PathBuf>,
    /// Print the rate, and for each moment a line of the numbers of all channels
    #[arg(long, requires = "sound")]
    samples: bool,
    /// Numbers of one transform, which has N/2 + 1 bins
    #[arg(long, value_name = "N", default_value = "1024", value_parser = value_parser!(u32).range(2..=LONGEST))]
    fft: u32,
    /// What each piece is multiplied with
    #[arg(long, value_name = "W", default_value = "hann")]
    window: Kind,
    /// The parameter of the window kaiser [default: 8.6]
    #[arg(long, value_name = "X", value_parser = beta)]
    beta: Option<f64>,
    /// Numbers of the window, zeros follow it [default: those of the transform]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=LONGEST))]
    length: Option<u32>,
    /// Numbers from one frame to the next [default: a quarter of the window]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    hop: Option<u32>,
    /// Decibels from black to white
    #[arg(long, value_name = "X", default_value = "100", value_parser = decibels)]
    range: f64,
    /// The channel, counted from 1 [default: the mean of all]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=65_535))]
    channel: Option<u32>,
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

/// A sound of three seconds: a tone that rises, one that stays, and a click.
fn made() -> (u32, Vec<f32>) {
    const RATE: u32 = 16_000;
    let at = |i: u32| {
        let t = f64::from(i) / f64::from(RATE);
        let rising = 0.5 * (core::f64::consts::TAU * (200.0 * t + 1000.0 * t * t)).sin();
        let still = 0.1 * (core::f64::consts::TAU * 1000.0 * t).sin();
        let click = if (RATE..RATE + 8).contains(&i) { 0.4 } else { 0.0 };
        (rising + still + click) as f32
    };
    (RATE, (0..3 * RATE).map(at).collect())
}

/// What the arguments ask for.
struct Request {
    /// None is the sound that the program makes.
    sound: Option<PathBuf>,
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
    fn of(line: Line) -> Result<Self, Stop> {
        let usage = |why: String| Err(Stop::Usage(why));
        if line.beta.is_some() && line.window != Kind::Kaiser {
            return usage("--beta is for --window kaiser".into());
        }
        let window = match line.window {
            Kind::Hann => Window::Hann,
            Kind::Hamming => Window::Hamming,
            Kind::Blackman => Window::Blackman,
            Kind::BlackmanHarris => Window::BlackmanHarris,
            Kind::FlatTop => Window::FlatTop,
            Kind::Bartlett => Window::Bartlett,
            Kind::Kaiser => Window::Kaiser { beta: line.beta.unwrap_or(8.6) },
            Kind::Rectangular => Window::Rectangular,
        };
        let fft = line.fft as usize;
        let length = line.length.map_or(fft, |n| n as usize);
        if length > fft {
            return usage(format!("--length {length} is more than the {fft} of --fft"));
        }
        let hop = line.hop.map_or(length.div_ceil(4), |n| n as usize);
        let picture = match (&line.sound, line.picture, line.samples) {
            (None, ..) => Some("spectrum.svg".into()),
            (_, None, false) => return usage("a picture is needed, PICTURE.svg or PICTURE.png".into()),
            (_, picture, _) => picture,
        };
        let channel = line.channel.map(|c| c as usize - 1);
        Ok(Self { sound: line.sound, picture, fft, window, length, hop, range: line.range, channel })
    }

    /// The rate and the numbers; none where they were printed.
    fn heard(&self, out: &mut dyn Write, err: &mut dyn Write) -> Result<Option<(u32, Vec<f32>)>, Stop> {
        let Some(path) = &self.sound else { return Ok(Some(made())) };
        let of_sound = |why: &dyn fmt::Display| Stop::Useless(format!("{}: {why}", shown(path)));
        let bytes = files::read(path).map_err(|e| of_sound(&e))?;
        let wav = Wav::of(&bytes).map_err(|e| of_sound(&e))?;
        for note in &wav.notes {
            // When standard error is closed, the work goes on.
            _ = writeln!(err, "spectrum: note: {}: {note}", shown(path));
        }
        if self.picture.is_none() {
            return print(&wav, out)?.map(|()| None).map_err(|e| of_sound(&e));
        }
        if let Some(c) = self.channel.filter(|c| *c >= wav.channels) {
            let why = format!("there is no channel {}, only {}", c + 1, wav.channels);
            return Err(of_sound(&why));
        }
        self.fits(wav.len()).map_err(|why| of_sound(&why))?;
        Ok(Some((wav.rate, wav.samples(self.channel).map_err(|e| of_sound(&e))?)))
    }

    /// Refuses a sound that is too short, or a picture that is too large.
    fn fits(&self, len: usize) -> Result<(), String> {
        let frames = stft_frames(len, self.length, self.hop);
        if frames == 0 {
            return Err(format!("{len} numbers are less than one window of {}", self.length));
        }
        let bins = self.fft / 2 + 1;
        if frames.saturating_mul(bins) > MOST_PIXELS {
            return Err(format!(
                "{frames} frames of {bins} bins are too large a picture: --hop {} is too small",
                self.hop
            ));
        }
        Ok(())
    }

    /// Reads, draws and says what it saw.
    fn answer<S: Simd>(&self, s: S, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Stop> {
        let name = self.sound.as_deref().unwrap_or(Path::new("a sound that the program made"));
        let of_sound = |why: &dyn fmt::Display| Stop::Useless(format!("{}: {why}", shown(name)));
        let inputs: Vec<&Path> = self.sound.iter().map(PathBuf::as_path).collect();
        let place = self.picture.as_deref().map(|path| Place::claim(path, &inputs)).transpose()?;
        let (Some((rate, x)), Some(place)) = (self.heard(out, err)?, place) else { return Ok(()) };
        self.fits(x.len()).map_err(|why| of_sound(&why))?;
        let started = Instant::now();
        let mut window = vec![0.0; self.length];
        let drawn = self
            .window
            .periodic(&mut window)
            .and_then(|()| picture::levels(s, &x, self.fft, &window, self.hop, self.range as f32));
        let levels = drawn.map_err(|e| of_sound(&e))?;
        let took = started.elapsed();
        let rate = f64::from(rate);
        let picture = self.picture.as_deref().unwrap_or(Path::new(""));
        if picture.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) {
            let about = picture::About {
                title: &format!("Spectrum of {}", shown(name)),
                seconds: x.len() as f64 / rate,
                rate,
                range: self.range,
                lanes: S::NAME,
            };
            let drawn = picture::svg(&levels, &about).map_err(Stop::Useless)?;
            place.write(|to| to.write_all(drawn.as_bytes()))?;
        } else {
            place.write(|to| picture::png(&levels, to))?;
        }
        writeln!(
            out,
            "{} x {} pixels: {:.3} s, {:.3} ms each; 0 to {} Hz, {:.3} Hz each; transforms in {:.3} s\n{}: the picture",
            levels.width,
            levels.height,
            x.len() as f64 / rate,
            1e3 * self.hop as f64 / rate,
            rate / 2.0,
            rate / self.fft as f64,
            took.as_secs_f64(),
            shown(picture)
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
        // When standard error is closed, the picture is there all the same.
        _ = writeln!(err, "{}", program::lanes(S::NAME));
        Ok(())
    }
}
