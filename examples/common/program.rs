//! What the command lines of all programs share: arguments by clap, why a program stops early, and what it then says.

use crate::files::{Failed, Shown};
use clap::Parser;
use clap::error::ErrorKind as Kind;
use core::fmt;
use std::collections::TryReserveError;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why a program stops early.
#[derive(Debug)]
#[allow(dead_code, reason = "not every program has each of them")]
pub enum Stop {
    /// The reader of standard output is gone: nothing is left to do.
    Closed,
    /// Help was asked for; this is its text.
    Help(String),
    /// The arguments are wrong.
    Usage(String),
    /// A file or a size is of no use, or something cannot be written.
    Useless(String),
    /// The work was done, and its result is not what was asked for.
    Without(String),
}

/// Of standard output: other files have their names in their errors, and standard error may fail.
impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Self {
        match e.kind() {
            ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Useless(format!("standard output: {e}")),
        }
    }
}

impl From<Failed> for Stop {
    fn from(e: Failed) -> Self {
        Self::Useless(e.to_string())
    }
}

impl From<TryReserveError> for Stop {
    fn from(_: TryReserveError) -> Self {
        Self::Useless("there is not enough memory for this size".into())
    }
}

/// The arguments of the program `name`, which lack its name.
pub fn parse<P: Parser>(name: &'static str, args: impl Iterator<Item = OsString>) -> Result<P, Stop> {
    let args: Vec<OsString> = [OsString::from(name)].into_iter().chain(args).collect();
    P::try_parse_from(&args).map_err(|e| match e.kind() {
        Kind::DisplayHelp | Kind::DisplayVersion => Stop::Help(e.to_string()),
        _ => {
            let mut text = e.to_string();
            // What was typed is in it, with all of its characters.
            for arg in
                args.iter().map(|arg| arg.to_string_lossy()).filter(|arg| arg.contains(char::is_control))
            {
                let value = arg.split_once('=').map_or(&*arg, |(_, value)| value);
                text = text.replace(value, &Shown(value).to_string());
            }
            let text = text.split("For more information").next().unwrap_or_default();
            let lines = text.lines().map(|line| Shown(line.trim_end()).to_string());
            let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
            Stop::Usage(lines.join("\n").trim_start_matches("error: ").into())
        }
    })
}

/// Says how the program `name` ended, and gives its exit status.
pub fn end(name: &str, done: Result<(), Stop>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut fail = |code, text: fmt::Arguments<'_>| {
        // When standard error is closed too, the exit status is all that can be said.
        _ = writeln!(err, "{name}: {text}");
        code
    };
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) | Err(Stop::Closed) => 0,
        Err(Stop::Help(text)) => match write!(out, "{text}").and_then(|()| out.flush()).map_err(Stop::from) {
            Ok(()) | Err(Stop::Closed) => 0,
            Err(_) => 2,
        },
        Err(Stop::Usage(why)) => fail(2, format_args!("{why}\n`{name} --help` lists what it takes")),
        Err(Stop::Useless(why)) => fail(2, format_args!("{why}")),
        Err(Stop::Without(why)) => fail(1, format_args!("{why}")),
    }
}

/// A flag that Ctrl-C sets. The second Ctrl-C ends the program as the system does it.
#[allow(dead_code, reason = "for programs that save what they have done")]
pub fn interrupt() -> Arc<AtomicBool> {
    let asked = Arc::<AtomicBool>::default();
    // Where the system has no such signal, Ctrl-C ends the program at once.
    _ = signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, asked.clone());
    _ = signal_hook::flag::register(signal_hook::consts::SIGINT, asked.clone());
    asked
}

/// How a user starts the program `name` again.
#[allow(dead_code, reason = "for programs that say what to try next")]
pub fn again(name: &str) -> String {
    match std::env::var_os("CARGO") {
        Some(_) if name == "llm" => "cargo run --release --".into(),
        Some(_) => format!("cargo run --release --example {name} --"),
        None => name.into(),
    }
}

/// A line with the instruction set that the kernels ran on, the same for all programs, and with what the processor has beyond it.
pub fn lanes(name: &str) -> String {
    match more(name) {
        Some((better, feature)) => {
            format!("lanes: {name}; this processor also has {better}: --features {feature}")
        }
        None => format!("lanes: {name}"),
    }
}

/// The best instruction set of the processor that a build leaves out, and its Cargo feature.
#[cfg(target_arch = "x86_64")]
fn more(name: &str) -> Option<(&'static str, &'static str)> {
    let has = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    (has && name.starts_with("avx2")).then_some(("AVX-512", "avx512"))
}

/// The best instruction set of the processor that a build leaves out, and its Cargo feature.
#[cfg(not(target_arch = "x86_64"))]
fn more(name: &str) -> Option<(&'static str, &'static str)> {
    (cfg!(target_arch = "aarch64") && name.starts_with("portable")).then_some(("NEON", "neon"))
}

/// A number above 0.
#[allow(dead_code, reason = "not every program takes one")]
pub fn positive(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x.is_finite() && x > 0.0 => Ok(x),
        _ => Err("it must be a number above 0".into()),
    }
}

/// A number from 0 up.
#[allow(dead_code, reason = "not every program takes one")]
pub fn from_zero(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
        _ => Err("it must be a number from 0 up".into()),
    }
}
