//! What the program does with too much, with losses that are no numbers, and with files that cannot be written.

use super::{Folder, SMALL, a_file, a_model, bytes_of, program, text, tiny};
use crate::cli;
use crate::config::Config;
use crate::files::{Place, replace, shown};
use crate::gguf::{Draft, Model, Stored, Trouble, Value};
use crate::machine::{Follower, Training, Weights};
use crate::memory::{Lack, check, product, zeros};
use crate::train::{Mark, Rank, Recipe, Trainer, first_parameters};
use crate::vocabulary::Vocabulary;
use fulmen::backend::Cpu;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::Path;

fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The program with one error line, its name in front.
fn refused(args: &[&str], part: &str) {
    let (code, out, err) = program(args);
    assert!(code == 2 && out.is_empty() && err.contains(part), "{args:?}: {code} {out} {err}");
    assert!(err.starts_with("llm: ") && err.lines().count() == 1, "{args:?}: {err:?}");
}

#[test]
fn what_does_not_fit_memory_is_said_in_a_line() {
    let folder = Folder::new("memory");
    let (file, out) = (folder.at("text"), folder.at("model"));
    std::fs::write(&file, text()).unwrap();
    let [file, out] = [&file, &out].map(|p| word(p));
    for sizes in [
        vec!["--batch=4000000000"],
        vec!["--batch=4000000000", "--context=16000000", "--length=16000000"],
        vec!["--dim=2097152", "--hidden=64", "--layers=64"],
        vec!["--layers=16000000"],
        vec!["--hidden=16000000", "--layers=100"],
    ] {
        let args = [&["train", file, "--out", out, "--seed=7"], &sizes[..]].concat();
        refused(&args, "memory");
        assert!(!Path::new(out).exists(), "{sizes:?}");
        let plan = program(&[&args[..], &["--plan"]].concat());
        assert!(
            plan.0 == 0 && plan.1.contains("in all") || plan.2.contains("addresses"),
            "{sizes:?}: {plan:?}"
        );
    }
    assert!(matches!(zeros::<f32>(isize::MAX as usize / 4), Err(Lack::Memory { .. })));
    assert!(matches!(product(&[1 << 40, 1 << 40]), Err(Lack::Memory { needed: None, .. })));
    assert!(matches!(check(&[("a", isize::MAX as usize / 4); 2]), Err(Lack::Memory { .. })));
    assert_eq!((product(&[3, 5]), check(&[("a", 1)]), zeros(2)), (Ok(15), Ok(()), Ok(vec![0.0f32; 2])));
}

#[test]
fn a_long_context_takes_the_memory_of_its_text() {
    let folder = Folder::new("context");
    let path = folder.at("model");
    let model = a_model();
    let mut file = a_file(&model);
    file.values.insert("llama.context_length".into(), Value::U32(1 << 24));
    std::fs::write(&path, bytes_of(&file)).unwrap();
    let (code, out, err) = program(&["generate", word(&path), "--prompt=the", "--tokens=4", "--plan"]);
    let total: u64 = out
        .lines()
        .find(|l| l.contains("in all"))
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(code == 0 && total < 1 << 20, "{out} {err}");
    assert_eq!(program(&["generate", word(&path), "--prompt=the", "--tokens=4"]).0, 0);
    let huge = Config { context: 1 << 24, layers: 1000, ..tiny() };
    let weights = Weights::new(&Cpu::native(), a_model().weights).unwrap();
    assert!(matches!(Follower::new(Cpu::native(), huge, &weights, 1).err(), Some(Lack::Memory { .. })));
}

#[test]
fn more_threads_than_cores_are_not_started() {
    let folder = Folder::new("threads");
    let path = folder.at("model");
    std::fs::write(&path, bytes_of(&a_file(&a_model()))).unwrap();
    let ask = |threads| program(&["generate", word(&path), "--prompt=the", "--tokens=4", threads]);
    let (one, many) = (ask("--threads=1"), ask("--threads=4000000000"));
    assert_eq!((one.0, many.0), (0, 0), "{} {}", one.2, many.2);
    assert_eq!(one.1, many.1);
}

#[test]
fn a_training_that_goes_astray_keeps_the_old_file() {
    let folder = Folder::new("astray");
    let (file, out) = (folder.at("text"), folder.at("model"));
    std::fs::write(&file, text()).unwrap();
    let run = |more: &[&str]| {
        program(&[&["train", word(&file), "--out", word(&out), "--fresh"], &SMALL[..], more].concat())
    };
    assert_eq!(run(&["--steps=2"]).0, 0);
    let old = ["model", "model.state", "model.svg"].map(|f| std::fs::read(folder.at(f)).unwrap());
    for rate in ["--rate=1e30", "--rate=3e38"] {
        let (code, said, err) = run(&["--steps=8", rate, "--save-every=1"]);
        assert!(code == 1 && said.is_empty() && err.contains("astray"), "{code} {said} {err}");
        let new = ["model", "model.state", "model.svg"].map(|f| std::fs::read(folder.at(f)).unwrap());
        assert!(old == new, "{rate}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 4);
}

#[cfg(unix)]
#[test]
fn special_files_are_not_replaced_and_links_are_followed() {
    use std::os::unix::{fs::symlink, net::UnixListener};
    let folder = Folder::new("special");
    let (file, socket, real, link) =
        (folder.at("text"), folder.at("socket"), folder.at("real"), folder.at("link"));
    std::fs::write(&file, text()).unwrap();
    let _bound = UnixListener::bind(&socket).unwrap();
    for place in [socket.as_path(), &folder.0, Path::new("/dev/null")] {
        for option in ["--out", "--svg"] {
            let out = folder.at("out");
            let mut args = vec!["train", word(&file), option, word(place)];
            if option == "--svg" {
                args.extend(["--out", word(&out)]);
            }
            refused(&args, "regular file");
        }
    }
    assert!(!std::fs::symlink_metadata(&socket).unwrap().is_file());
    std::fs::write(&real, "old").unwrap();
    symlink(&real, &link).unwrap();
    replace(&link, &[], |to| to.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read(&real).unwrap(), b"new");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 4);
}

/// What is written is no input, is one run's, and is there as a whole or not.
#[cfg(unix)]
#[test]
fn models_are_whole_or_not_there() {
    crate::common::disk::inside(program);
    let folder = Folder::new("whole");
    let [file, model, out] = ["text", "model", "out"].map(|name| folder.at(name));
    std::fs::write(&file, text()).unwrap();
    // Of rows that are whole blocks.
    let config = Config { dim: 32, hidden: 32, ..tiny() };
    let weights = Stored::of(&config, first_parameters(&config, 3).unwrap());
    std::fs::write(&model, bytes_of(&a_file(&Model { config, weights, ..a_model() }))).unwrap();
    let whole = std::fs::read(&model).unwrap();
    for (name, of) in [("text", &file), ("model", &model)] {
        std::fs::hard_link(of, folder.at(&format!("{name} hard"))).unwrap();
        std::os::unix::fs::symlink(of, folder.at(&format!("{name} soft"))).unwrap();
        for to in [name.to_string(), format!("{name} hard"), format!("{name} soft")] {
            let to = folder.at(&to);
            if name == "text" {
                refused(
                    &["train", word(&file), "--out", word(&to)],
                    "text, which is read and would be written over",
                );
                refused(&["train", word(&file), "--out", word(&out), "--svg", word(&to)], "which is read");
            } else {
                let args = ["quantize", word(&model), "--to", "q8_0", "--out", word(&to)];
                refused(&args, "model, which is read and would be written over");
            }
        }
    }
    assert_eq!((std::fs::read(&file).unwrap(), std::fs::read(&model).unwrap()), (text(), whole));
    let train = [&["train", word(&file), "--out", word(&out), "--steps=2", "--fresh"], &SMALL[..]].concat();
    let quantize = ["quantize", word(&model), "--to", "q8_0", "--out", word(&out)];
    std::fs::write(&out, "old").unwrap();
    let name = "manners::models_are_whole_or_not_there";
    for args in [&train[..], &quantize] {
        assert!(crate::common::disk::full(name, args).starts_with("llm: "));
        // Each of the places of a run is its own as long as it runs.
        let places: &[&str] = if args.len() > 6 { &["out", "out.state", "out.svg"] } else { &["out"] };
        for place in places {
            let _other = Place::claim(&folder.at(place), &[]).unwrap();
            refused(args, &format!("{place}: another run is writing to it"));
        }
    }
    assert_eq!(std::fs::read(&out).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 7);
    assert_eq!((program(&train).0, program(&quantize).0), (0, 0));
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 9);
}

#[test]
fn outputs_are_checked_before_the_training() {
    let folder = Folder::new("outputs");
    let (file, lost, out) = (folder.at("text"), folder.at("no/such"), folder.at("out"));
    std::fs::write(&file, text()).unwrap();
    // Steps that would take hours.
    let train = ["train", word(&file), "--steps=1000000", "--out"];
    refused(&[&train[..], &[word(&lost)]].concat(), "no/such");
    refused(&[&train[..], &[word(&file)]].concat(), "written over");
    refused(&[&train[..], &[word(&out), "--svg", word(&out)]].concat(), "two results");
    refused(&[&train[..], &[word(&out), "--svg", word(&lost)]].concat(), "no/such");
    assert_eq!(std::fs::read(&file).unwrap(), text());
}

#[test]
fn another_text_is_not_resumed() {
    let folder = Folder::new("other");
    let (file, out) = (folder.at("text"), folder.at("model"));
    std::fs::write(&file, text()).unwrap();
    let args = [&["train", word(&file), "--out", word(&out), "--steps=2"], &SMALL[..]].concat();
    assert_eq!(program(&args).0, 0);
    let resume = [&args[..], &["--resume"]].concat();
    assert_eq!(program(&resume).0, 0);
    let mut other = text();
    other[7] ^= 1;
    std::fs::write(&file, &other).unwrap();
    refused(&resume, "not the text");
    assert_ne!(Mark::of(b"ab"), Mark::of(b"ba"));
}

#[test]
fn names_of_files_and_keys_stay_on_their_line() {
    let mut file = Draft::default();
    let key = "a\nkey\x1b[2J";
    file.values.insert(key.into(), Value::U32(1));
    let mut bytes = bytes_of(&file);
    let at = bytes.windows(key.len()).position(|w| w == key.as_bytes()).unwrap() + key.len();
    bytes[at] = 77;
    let why = Model::read(&bytes).unwrap_err();
    assert!(matches!(why, Trouble::Foreign(_)));
    assert_eq!(why.to_string(), "not a model of this program: \"a\\nkey\\u{1b}[2J\" has the unknown type 77");
    assert_eq!(shown(Path::new("it's\rhere")).to_string(), r"it's\rhere");
    let (code, _, err) = program(&["gener\nate"]);
    assert!(code == 2 && err.contains(r"gener\nate"), "{err}");
    let (code, _, err) = program(&["bench", "x", "--steps=\x1b"]);
    assert!(code == 2 && !err.contains('\x1b'), "{err}");
}

/// A stream that takes nothing.
struct Dead(ErrorKind);

impl Write for Dead {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn streams_that_are_closed_or_full() {
    let folder = Folder::new("streams");
    let (file, out) = (folder.at("text"), folder.at("model"));
    std::fs::write(&file, text()).unwrap();
    let train = [&["train", word(&file), "--out", word(&out), "--steps=2"], &SMALL[..]].concat();
    let run = |args: &[&str], stdout: &mut (dyn Write + Send), stderr: &mut (dyn Write + Send)| {
        cli::run(args.iter().map(OsString::from), stdout, stderr, true, Default::default)
    };
    // Nobody reads the progress: the model is trained all the same.
    assert_eq!(run(&train, &mut Vec::new(), &mut Dead(ErrorKind::BrokenPipe)), 0);
    assert!(out.exists());
    let generate = ["generate", word(&out), "--prompt=the", "--tokens=3"];
    for args in [&generate[..], &["--help"], &["generate", word(&out), "--plan"]] {
        let mut err = Vec::new();
        assert_eq!(run(args, &mut Dead(ErrorKind::BrokenPipe), &mut err), 0, "{args:?}");
        assert_eq!(run(args, &mut Dead(ErrorKind::StorageFull), &mut err), 2, "{args:?}");
    }
    let mut err = Vec::new();
    assert_eq!(run(&generate, &mut Dead(ErrorKind::StorageFull), &mut err), 2);
    assert!(String::from_utf8(err).unwrap().contains("standard output"));
}

#[test]
fn a_part_of_the_text_is_held_out_to_measure_by() {
    let all: Vec<u8> = (0..1000u32).map(|i| (i % 251) as u8).collect();
    let (learnt, held) = cli::commands::hold_out(&all, 10);
    assert_eq!((learnt.len(), held.len()), (950, 50));
    assert_eq!((&held[..10], &learnt[94..97]), (&all[95..105], &[94, 105, 106][..]));
    assert_eq!(cli::commands::hold_out(&all, 0), (all, Vec::new()));

    // After some steps on a text that repeats itself, the same text is cheaper than another.
    let c = tiny();
    let recipe = Recipe { steps: 20, batch: 5, length: 12, groups: 3, rate: 1e-2, ..Recipe::default() };
    let trainer =
        Trainer::new(Cpu::native(), c, recipe, first_parameters(&c, 1).unwrap(), Rank::ALONE).unwrap();
    let v = Vocabulary::new(Vec::new()).unwrap();
    let (known, strange) =
        (v.encode(&text()), v.encode(&text().iter().map(|c| c ^ 0x55).collect::<Vec<_>>()));
    trainer.with_threads(None, 1, &known, |one| (0..20).for_each(|s| assert!(one(s).unwrap().is_finite())));
    let loss = |t: &[u32]| trainer.held_out(t, 64).unwrap();
    assert!(loss(&known).unwrap() + 1.0 < loss(&strange).unwrap(), "{:?} {:?}", loss(&known), loss(&strange));
    assert_eq!(loss(&known[..12]), None);

    let folder = Folder::new("held");
    let (file, out) = (folder.at("text"), folder.at("model"));
    std::fs::write(&file, text().repeat(8)).unwrap();
    let args = [&["train", word(&file), "--out", word(&out), "--steps=2"], &SMALL[..]].concat();
    let (code, said, _) = program(&args);
    assert!(code == 0 && said.contains("on text held out"), "{said}");
}
