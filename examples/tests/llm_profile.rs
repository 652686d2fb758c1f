//! Tests of `llm --profile` and `--trace`. They run the program, as the listener belongs to a process.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where it fails"
)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A temporary folder, which is deleted with its files when it is dropped.
struct Folder(PathBuf);
impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fulmen-profile-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Exit status, standard output and standard error.
fn llm(args: &[&str]) -> (Option<i32>, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_llm")).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (done.status.code(), text(done.stdout), text(done.stderr))
}

const LAYERS: usize = 2;

/// A model of two blocks, and the output of its training with a profile and a file of spans.
fn trained() -> &'static (Folder, String, String) {
    static MADE: OnceLock<(Folder, String, String)> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Folder::new("model");
        let [text, model, spans] = ["text", "model.gguf", "train.json"].map(|name| folder.at(name));
        std::fs::write(&text, "the cat sat on the mat. the dog sat on the log. ".repeat(40)).unwrap();
        let sizes = "--dim=16 --layers=2 --heads=2 --kv-heads=1 --hidden=16 --context=32 --vocab=270 --batch=4 --length=8 --threads=2 --steps=3 --seed=7";
        let mut args = vec!["train", &text, "--out", &model, "--profile", "--trace", &spans];
        args.extend(sizes.split(' '));
        let (code, _, err) = llm(&args);
        assert_eq!(code, Some(0), "{err}");
        (folder, model, err)
    })
}

/// The rows of the table: the brick, its calls, and its time in ms.
fn rows(err: &str) -> Vec<(String, usize, f64)> {
    let table = err.lines().skip_while(|line| !line.starts_with("brick ")).skip(1);
    let rows = table.map(|line| {
        let name = line.get(..10).unwrap().trim().to_string();
        let numbers: Vec<&str> = line[10..].split_whitespace().collect();
        let calls = if name == "all" { 0 } else { numbers[0].parse().unwrap() };
        let ms = numbers[usize::from(name != "all")].parse().unwrap();
        (name, calls, ms)
    });
    let mut found = Vec::new();
    for row in rows {
        let last = row.0 == "all";
        found.push(row);
        if last {
            break;
        }
    }
    found
}

/// All spans of a file, whose array has no closing bracket: the name, the thread, and the begin and end in ns.
fn spans(path: &Path) -> Vec<(String, u64, [u64; 2])> {
    let text = std::fs::read_to_string(path).unwrap();
    let whole = text.strip_suffix(",\n").unwrap();
    let all: Vec<Value> = serde_json::from_str(&format!("{whole}]")).unwrap();
    let ns = |v: &Value| (v.as_f64().unwrap() * 1e3).round() as u64;
    let spans = all.iter().filter(|e| e["ph"] == "X").map(|e| {
        let from = ns(&e["ts"]);
        (e["name"].as_str().unwrap().into(), e["tid"].as_u64().unwrap(), [from, from + ns(&e["dur"])])
    });
    spans.collect()
}

/// Asserts that two spans of a thread are nested or disjoint.
fn nested(spans: &[(String, u64, [u64; 2])]) {
    let mut sorted: Vec<_> =
        spans.iter().map(|(name, tid, [from, to])| (*tid, *from, u64::MAX - to, name)).collect();
    sorted.sort();
    let mut open: Vec<(u64, u64)> = Vec::new();
    for (tid, from, to, name) in sorted {
        let to = u64::MAX - to;
        while open.last().is_some_and(|(t, end)| *t != tid || *end <= from) {
            open.pop();
        }
        assert!(open.last().is_none_or(|(_, end)| to <= *end), "{name} from {from} to {to} in {open:?}");
        open.push((tid, to));
    }
}

#[test]
fn every_brick_of_generation_is_counted() {
    let (folder, model, _) = trained();
    let [plain, watched] = [&[][..], &["--profile"]].map(|more| {
        let args = ["generate", model, "--prompt=the ", "--tokens=9", "--seed=3"];
        llm(&[&args[..], more].concat())
    });
    assert_eq!((plain.0, &plain.1), (Some(0), &watched.1), "the text is the same: {}", watched.2);
    assert!(!plain.2.contains("brick") && folder.0.exists());
    let rows = rows(&watched.2);
    // The prompt is one pass, and so is each token but the last.
    let of = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| row.1);
    let passes = of("head").unwrap();
    assert!((2..=9).contains(&passes), "{}", watched.2);
    let layers = LAYERS * passes;
    for (name, calls) in [
        ("RMS norm", 2 * layers + passes),
        ("QKV", 2 * layers),
        ("RoPE", 2 * layers),
        ("attention", layers),
        ("output", layers),
        ("gate-up", layers),
        ("SwiGLU", layers),
        ("down", layers),
        ("embedding", passes),
    ] {
        assert_eq!(of(name), Some(calls), "{name}: {}", watched.2);
    }
    assert!((passes..=passes + 1).contains(&of("sampling").unwrap()), "{}", watched.2);
    let (all, parts) = rows.split_last().unwrap();
    let sum: f64 = parts.iter().map(|row| row.2).sum();
    assert!(all.2 > 0.0 && (sum - all.2).abs() <= 0.005 * (rows.len() as f64 + 1.0), "{sum}: {}", watched.2);
}

#[test]
fn threads_of_training_are_merged() {
    let (folder, _, err) = trained();
    let rows = rows(err);
    let of = |name: &str| rows.iter().find(|row| row.0 == name).map(|row| row.1);
    // The steps of training, and the measurements of held-out losses, are passes on any thread.
    let passes = of("loss").unwrap();
    assert!(passes >= 3, "{err}");
    for (name, calls) in
        [("attention", LAYERS * passes), ("backward", passes), ("head", passes), ("embedding", passes)]
    {
        assert_eq!(of(name), Some(calls), "{name}: {err}");
    }
    let spans = spans(&folder.0.join("train.json"));
    nested(&spans);
    let bricks = spans.iter().filter(|span| span.0 == "backward").count();
    assert_eq!(bricks, passes);
    // The ops within the bricks.
    for op in ["gemm", "rms_norm", "attention", "attention_backward", "adamw"] {
        assert!(spans.iter().any(|span| span.0 == op), "{op}");
    }
    assert!(err.contains(&format!("train.json: {} spans", spans.len())), "{err}");
}

#[test]
fn a_file_that_is_cut_off_still_opens() {
    let (folder, model, _) = trained();
    let path = folder.at("cut.json");
    let (code, _, err) = llm(&["generate", model, "--prompt=the ", "--tokens=9", "--trace", &path]);
    assert_eq!(code, Some(0), "{err}");
    let whole = std::fs::read_to_string(&path).unwrap();
    let all = spans(Path::new(&path)).len();
    assert!(all > 100, "{all}");
    nested(&spans(Path::new(&path)));
    let cut = whole[..whole.len() / 2].rfind(",\n").unwrap();
    std::fs::write(&path, &whole[..cut + 2]).unwrap();
    let left = spans(Path::new(&path)).len();
    assert!(left > 0 && left < all);
}

#[test]
fn a_full_disk_stops_nothing() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let (_, model, _) = trained();
    let args = ["generate", model, "--prompt=the ", "--tokens=9", "--seed=3"];
    let plain = llm(&args);
    let full = llm(&[&args[..], &["--trace", "/dev/full"]].concat());
    assert_eq!((full.0, &full.1), (Some(0), &plain.1));
    let lines: Vec<&str> = full.2.lines().filter(|line| line.contains("/dev/full")).collect();
    assert_eq!(lines.len(), 1, "{}", full.2);
    assert!(lines[0].contains("0 spans are written, ") && !lines[0].contains(" 0 are lost"), "{}", full.2);
}

#[test]
fn a_place_that_cannot_be_is_refused() {
    let (folder, model, _) = trained();
    let refused = |path: &str, why: &str| {
        let (code, out, err) = llm(&["generate", model, "--tokens=2", "--trace", path]);
        assert!(
            code == Some(2) && out.is_empty() && err.contains(why) && err.lines().count() == 1,
            "{code:?} {out} {err}"
        );
    };
    refused(&folder.at("none/spans.json"), "No such file");
    refused(model, "read and would be written over");
}
