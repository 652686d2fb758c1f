//! What the command line refuses, goes on with and says.

use super::{Folder, SMALL, program, text};
use crate::cli;
use crate::train::{Rank, Trainer};
use fulmen::backend::Cpu;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// A text, and the line that trains two steps on it to `model`.
pub(super) fn folder(name: &str) -> (Folder, Vec<String>) {
    let folder = Folder::new(name);
    let file = folder.file("text", text());
    let mut line: Vec<String> =
        ["train", &file, "--out", &folder.path("model"), "--steps=2"].map(String::from).into();
    line.extend(SMALL.map(String::from));
    (folder, line)
}

pub(super) fn with(line: &[String], more: &[&str]) -> (u8, String, String) {
    let line: Vec<&str> = line.iter().map(|word| &**word).chain(more.iter().copied()).collect();
    program(&line)
}

fn steps_done(folder: &Folder) -> usize {
    Trainer::resume(Cpu::native(), &folder.at("model.state"), Rank::ALONE).unwrap().3.len()
}

#[test]
fn a_usage_error_is_short_and_says_the_limit() {
    let (_folder, line) = folder("usage");
    for (more, part) in [
        (["--rate", "0"], "above 0"),
        (["--rate", "-1"], "'-1'"),
        (["--dim", "4294967296"], "4294967296 is not in 0..=4294967295"),
        (["--steps", "0"], "0 is not in 1..=4294967295"),
        (["--vocab", "70000"], "70000 is not in 256..=65536"),
        (["--colour", "red"], "--colour"),
    ] {
        let (code, out, err) = with(&line, &more);
        assert!(code == 2 && out.is_empty() && err.contains(part), "{more:?}: {code} {err}");
        assert!(err.starts_with("llm: ") && err.lines().count() < 6, "{more:?}: {err}");
    }
}

#[test]
fn a_resumed_run_goes_on_further_and_refuses_other_settings() {
    let (folder, line) = folder("rules");
    let (code, out, err) = with(&line, &[]);
    assert!(code == 0 && err.contains("step 1: ") && err.contains("--resume --steps 4"), "{err}");
    // The sample, and where everything is.
    assert!(out.contains("The ") && out.contains("model.svg: the losses as a picture"), "{out}");
    let (code, _, err) = with(&line, &["--resume"]);
    assert!(code == 0 && err.contains("all 2 steps are done"), "{err}");
    for (more, part) in [
        ("--rate=0.1", "--rate 0.1 cannot be changed: the run that --resume goes on with has 0.01"),
        ("--hidden=32", "--hidden 32 cannot be changed"),
        ("--seed=8", "--seed 8 cannot be changed"),
        ("--steps=1", "2 steps are done, so --steps must be more than 2"),
        ("--fresh", "cannot be used with"),
    ] {
        let (code, out, err) = with(&line, &["--resume", more]);
        assert!(code == 2 && out.is_empty() && err.contains(part), "{more}: {code} {err}");
    }
    assert_eq!(steps_done(&folder), 2);
    let (code, _, err) = with(&line, &["--resume", "--steps=4"]);
    assert!(code == 0 && err.contains("step 4: "), "{err}");
    assert_eq!(steps_done(&folder), 4);
}

/// What Ctrl-C leaves is where `--resume` goes on, to the same bits as without it.
#[test]
fn an_interrupted_run_is_saved_and_goes_on() {
    let (folder, line) = folder("interrupted");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args = line.iter().map(OsString::from);
    let code = cli::run(args, &mut out, &mut err, false, || Arc::new(true.into()));
    let err = String::from_utf8(err).unwrap();
    assert!(code == 1 && err.contains("stopped after step 1 of 2; `--resume` goes on from"), "{err}");
    assert_eq!((steps_done(&folder), with(&line, &["--resume"]).0, steps_done(&folder)), (1, 0, 2));
    let read = |name: &str| std::fs::read(folder.at(name)).unwrap();
    let resumed = ["model", "model.state"].map(read);
    assert_eq!(with(&line, &["--fresh"]).0, 0);
    assert!(resumed == ["model", "model.state"].map(read));
}

#[test]
fn errors_name_the_file_and_formats_are_named_in_any_case() {
    let (folder, mut line) = folder("named");
    line.extend(["--dim=32", "--hidden=32"].map(String::from));
    assert_eq!(with(&line, &[]).0, 0);
    let [file, model, small] = ["text", "model", "small"].map(|name| folder.path(name));
    for args in [
        ["inspect", &file].as_slice(),
        &["quantize", &file, "--to=q8_0", "--out", &small],
        &["quantize", &model, "--to=q8_0", "--out", &model],
        &["generate", &file],
    ] {
        let (code, _, err) = program(args);
        assert!(code == 2 && err.contains(args[1]), "{args:?}: {err}");
    }
    let (code, _, err) = program(&["quantize", &model, "--to=Q8_0", "--out", &small]);
    assert!(code == 0, "{err}");
    let (code, _, err) = program(&["quantize", &small, "--to=Q8_0", "--out", &folder.path("smaller")]);
    // It is a model, and not one to make smaller.
    assert!(code == 2 && err.contains(&small) && !err.contains("not a model"), "{err}");
}

#[test]
fn a_text_ships_and_the_picture_says_what_it_shows() {
    let (code, out, err) = program(&["train", "--plan"]);
    assert!(code == 0 && out.contains("in all"), "{err}");
    let ships = include_bytes!("../texts/holmes.txt");
    assert!((200_000..1_000_000).contains(&ships.len()) && str::from_utf8(ships).is_ok());
    let (folder, line) = folder("picture");
    assert_eq!(with(&line, &[]).0, 0);
    let picture = std::fs::read_to_string(PathBuf::from(folder.path("model.svg"))).unwrap();
    let words = [
        "Loss of a language model by step",
        "loss, nats per byte",
        "step",
        "text held out",
        "entropy of byte pairs",
        "core",
    ];
    for word in words {
        assert!(picture.contains(word), "{word}: {picture}");
    }
}
