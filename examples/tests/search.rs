//! The search example: features, ranking, refusals, and the command line without a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../search/cli.rs"]
mod cli;
#[path = "../search/core.rs"]
mod engine;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that write files")]
mod files;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "the program's main has the rest")]
mod program;
#[path = "../common/progress.rs"]
mod progress;

use engine::text::{Features, Passage, STOP_WORDS, grams, is_stop, passages, word_hash, words};
use engine::{Answer, Failure, Observer, Options, search};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// Counts what it is told.
#[derive(Default)]
struct Witness {
    kernels: Vec<&'static str>,
    progress: Vec<(usize, usize)>,
}

impl Observer for Witness {
    fn kernel<R>(&mut self, name: &'static str, _: usize, _: usize, run: impl FnOnce() -> R) -> R {
        self.kernels.push(name);
        run()
    }
    fn progress(&mut self, done: usize, total: usize) {
        self.progress.push((done, total));
    }
}

fn find(file: &[u8], query: &str, top: usize) -> Result<Answer, Failure> {
    search(file, query, Options { top, dim: 1024 }, &mut Witness::default())
}

fn lines(file: &str, query: &str, top: usize) -> Vec<usize> {
    find(file.as_bytes(), query, top).unwrap().hits.iter().map(|h| h.passage.line).collect()
}

fn split(text: &str) -> Vec<String> {
    let mut list = Vec::new();
    words(text, &mut String::new(), |w, at| {
        assert!(text.is_char_boundary(at));
        list.push(w.to_string());
    });
    list
}

const CORPUS: &str = "\
Baking bread needs flour, water, salt and yeast.

The quick brown fox jumps over the lazy dog.
A WASM function at the edge starts in a millisecond.
Yeast makes the dough rise.
Edge cases are where functions fail.
Bread.
";

#[test]
fn ranks_a_small_corpus() {
    assert_eq!(lines(CORPUS, "wasm edge function", 5), [4, 6]);
    assert_eq!(lines(CORPUS, "dog and fox", 5), [3]);
    assert_eq!(lines(CORPUS, "yeast dough", 5), [5, 1]);
    // A line of one matching word does not beat the line with both.
    assert_eq!(lines(CORPUS, "bread flour", 2), [1, 7]);
}

#[test]
fn more_lines_asked_than_there_are() {
    assert_eq!(lines(CORPUS, "yeast dough", usize::MAX), [5, 1]);
    assert_eq!(lines("one line", "line", 10), [1]);
}

#[test]
fn inflections_and_other_spellings_match() {
    assert_eq!(lines(CORPUS, "WASM functions at edges", 5), [4, 6]);
    let found = find(b"the licenses of software\nsomething else\n", "licence", 5).unwrap();
    assert_eq!(found.missing, [("licence".to_string(), Some("licenses".to_string()))]);
    assert_eq!(found.hits[0].passage.line, 1);
    // Words that merely rhyme are no replacement, and a lacking word leaves the others in place.
    let found = find(b"a table with four legs\nsomething else\n", "stable legs", 5).unwrap();
    assert_eq!(found.missing, [("stable".to_string(), None)]);
    assert_eq!(found.hits.len(), 1);
}

#[test]
fn stop_words_do_not_decide() {
    let text = "the of and to in\nthe tide\nnothing of note\n";
    assert_eq!(lines(text, "the tide of the sea", 5), [2]);
    // Unless there is nothing else to go by.
    assert_eq!(lines("to be or not to be\nquestion\n", "not to be", 5), [1]);
}

#[test]
fn equal_lines_tie_in_the_order_of_the_file() {
    let found = find(b"alpha beta\ngamma\nbeta, alpha!\nalpha beta\n", "alpha beta", 5).unwrap();
    assert_eq!(found.hits.iter().map(|h| h.passage.line).collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!(found.hits[0].score.to_bits(), found.hits[1].score.to_bits());
    assert_eq!(found.hits[0].score.to_bits(), found.hits[2].score.to_bits());
}

#[test]
fn scores_are_sorted_cosines_and_repeat() {
    let file = include_bytes!("../../LICENSE-APACHE");
    let found = find(file, "patent litigation", 20).unwrap();
    assert!(found.hits.len() > 3);
    assert!(found.hits.iter().all(|h| h.score > 0.0 && h.score <= 1.0));
    assert!(found.hits.windows(2).all(|w| w[0].score >= w[1].score));
    assert_eq!(found, find(file, "patent litigation", 20).unwrap());
    // The first hits do not depend on how many are asked for.
    assert_eq!(found.hits[..3], find(file, "patent litigation", 3).unwrap().hits);
    let first =
        String::from_utf8_lossy(&file[found.hits[0].passage.start..found.hits[0].passage.end]).to_lowercase();
    assert!(first.contains("patent") && first.contains("litigation"), "{first}");
}

#[test]
fn a_wide_vector_finds_the_same() {
    let file = include_bytes!("../../LICENSE-APACHE");
    let wide =
        search(file, "trademark use", Options { top: 3, dim: 16384 }, &mut Witness::default()).unwrap();
    let found = find(file, "trademark use", 3).unwrap();
    let places = |a: &Answer| a.hits.iter().map(|h| h.passage.line).collect::<Vec<_>>();
    assert_eq!(places(&wide), places(&found));
    for (a, b) in wide.hits.iter().zip(&found.hits) {
        // Collisions in 1023 elements move a cosine by 1 / √1023 on average.
        assert!((a.score - b.score).abs() < 4.0 / 32.0);
    }
}

#[test]
fn refuses_what_it_cannot_search() {
    assert_eq!(find(b"", "x", 5), Err(Failure::Empty));
    assert_eq!(find(b" \n\t\r\n", "x", 5), Err(Failure::Empty));
    assert!(matches!(find(b"text\0text", "text", 5), Err(Failure::Binary(_))));
    assert!(matches!(find(b"\xFF\xFEt\0e\0", "te", 5), Err(Failure::Binary(_))));
    assert!(matches!(find(&[0x80u8; 100], "x", 5), Err(Failure::Binary(_))));
    assert!(matches!(find(&[1u8; 100], "x", 5), Err(Failure::Binary(_))));
    assert_eq!(find(b"text", "", 5), Err(Failure::NoQuery));
    assert_eq!(find(b"text", " ?!", 5), Err(Failure::NoQuery));
    assert_eq!(find(b"text", "zyx", 5), Err(Failure::Unknown(vec!["zyx".into()])));
    assert!(matches!(find(b"the text", "the zyx", 5), Err(Failure::Unknown(_))));
    assert!(matches!(find(b"text", "text", 0), Err(Failure::Range(_))));
    for dim in [0, 15, 65537, usize::MAX] {
        assert!(matches!(
            search(b"text", "text", Options { top: 5, dim }, &mut Witness::default()),
            Err(Failure::Range(_))
        ));
    }
}

#[test]
fn text_that_is_partly_not_utf8_is_searched() {
    let found = find(b"na\xEFve approach\nanother\n", "approach", 5).unwrap();
    assert_eq!(found.hits[0].passage.line, 1);
}

#[test]
fn every_kernel_is_told_and_progress_ends() {
    let mut witness = Witness::default();
    let file = CORPUS.repeat(100);
    search(file.as_bytes(), "yeast", Options { top: 5, dim: 64 }, &mut witness).unwrap();
    for kernel in ["count", "idf", "ln", "tf-idf", "scatter", "normalize", "hash", "dot", "top_k"] {
        assert!(witness.kernels.contains(&kernel), "{kernel}");
    }
    assert!(witness.progress.windows(2).all(|w| w[0].0 <= w[1].0));
    assert_eq!(witness.progress.last(), Some(&(2 * file.len(), 2 * file.len())));
}

#[test]
fn words_are_lower_case_runs_of_letters() {
    assert_eq!(split("Hello, WORLD_42 don't x86-64"), ["hello", "world", "42", "dont", "x86", "64"]);
    assert_eq!(split("Über ΣΊΣΥΦΟΣ Ёлка İi"), ["über", "σίσυφοσ", "ёлка", "ii"]);
    assert_eq!(split("cafe\u{301} co\u{AD}operate"), ["cafe", "cooperate"]);
    assert_eq!(split("東京都 is 京"), ["東京", "京都", "is", "京"]);
    assert_eq!(split("a東b"), ["a", "東", "b"]);
    assert_eq!(split(""), Vec::<String>::new());
}

#[test]
fn the_list_of_stop_words_is_sorted_and_short() {
    assert!(STOP_WORDS.is_sorted());
    assert!(STOP_WORDS.iter().all(|w| is_stop(w)));
    assert!(!is_stop("edge") && !is_stop(""));
}

#[test]
fn hashes_are_fixed() {
    // Changing a hash changes every score, so that is noticed. Computed apart from this code: FNV-1a
    // from its offset basis over "w" and the stem, then MurmurHash3's 64-bit finaliser.
    assert_eq!(word_hash("edge"), EDGE);
    assert_eq!(word_hash("edges"), EDGE);
    assert_eq!(word_hash("libraries"), word_hash("library"));
    assert_ne!(word_hash("is"), word_hash("i"));
    assert_ne!(word_hash("class"), word_hash("clas"));
    let mut list = Vec::new();
    grams("aé", |g| list.push(g));
    assert_eq!(list, GRAMS_OF_AE);
    list.clear();
    grams("abcd", |g| list.push(g));
    // <ab <abc <abcd abc abcd abcd> bcd bcd> cd>
    assert_eq!(list.len(), 9);
}
/// `word_hash("edge")`.
const EDGE: u64 = 0x6F83_E649_3F8E_D9DD;
/// `<aé`, `<aé>`, `aé>`.
const GRAMS_OF_AE: [u64; 3] = [0xF115_ACAE_48CA_A248, 0xBFFD_E7F3_1403_6006, 0xA27E_0E47_5BF0_E98E];

#[test]
fn features_depend_on_the_set_of_words_only() {
    let of = |text: &str| {
        let mut list = Vec::new();
        Features::new().unwrap().of(text, |f| list.push(f));
        list
    };
    assert_eq!(of("alpha beta beta"), of("Beta... beta! ALPHA"));
    assert_ne!(of("alpha beta beta"), of("alpha beta"));
    for feature in of("a plain sentence with words of several lengths, and internationalisation") {
        let squares: f32 = feature.elements(1024).map(|(_, w)| w * w).sum();
        assert!((squares - feature.share * feature.share).abs() <= 1e-7);
        for dim in [16, 1000, 65536] {
            assert!(feature.elements(dim).all(|(i, _)| i < dim - 1), "the pivot's element stays free");
        }
    }
    // The longest word with n-grams has a share for each of them; beyond it there are none.
    assert!(of(&"x".repeat(40)).iter().all(|f| f.share > 0.0));
    assert_eq!(of(&"x".repeat(41)).len(), 1);
}

#[test]
fn passages_are_trimmed_lines_and_parts_of_long_ones() {
    let list = passages(b"  one \r\n\n\ttwo");
    assert_eq!(list, [Passage { line: 1, start: 2, end: 5 }, Passage { line: 3, start: 10, end: 13 }]);
    // 3000 bytes in words, then 3000 bytes of one letter of two bytes: no character is split.
    for long in ["word ".repeat(600), "é".repeat(1500)] {
        let list = passages(long.as_bytes());
        assert!(list.len() >= 3 && list.iter().all(|p| p.line == 1 && p.end - p.start <= 1024));
        let kept: usize =
            list.iter().map(|p| long[p.start..p.end].split(' ').map(str::len).sum::<usize>()).sum();
        assert_eq!(kept, long.replace(' ', "").len());
    }
}

#[test]
fn json_escapes() {
    let file = b"say \"hi\" \\ \x1B[1m bell\x07\n";
    let json = find(file, "bell", 1).unwrap().json(file);
    assert!(json.contains(r#""text":"say \"hi\" \\ \u001b[1m bell\u0007""#), "{json}");
}

// The command line.

/// A file in the folder for this test's temporary files, removed at the end.
struct Temp(PathBuf);
impl Temp {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("search-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).unwrap();
        Self(path)
    }
}
impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Exit status, standard output, standard error.
fn run(args: &[&dyn AsRef<std::ffi::OsStr>]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let args: Vec<OsString> = args.iter().map(|a| a.as_ref().to_os_string()).collect();
    let terminal = cli::Terminal { out: false, err: false };
    let code = cli::run(args.into_iter(), &mut out, &mut err, terminal);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

#[test]
fn prints_lines_timing_and_lanes() {
    let file = Temp::new("corpus.txt", CORPUS.as_bytes());
    let (code, out, err) = run(&[&file.0, &"yeast dough"]);
    assert_eq!(code, 0, "{err}");
    let shown: Vec<&str> = out.lines().collect();
    assert_eq!(shown.len(), 2);
    assert!(shown[0].starts_with("5  0.") && shown[0].ends_with("Yeast makes the dough rise."), "{out}");
    for word in ["ns/call", "GB/s", "normalize", "top_k", "6 passages", "lanes: "] {
        assert!(err.contains(word), "{word}: {err}");
    }
    for args in [["--top", "1"], ["--top=1", "--dim=2048"]] {
        let (code, out, _) = run(&[&args[0], &args[1], &file.0, &"yeast dough"]);
        assert_eq!((code, out.lines().count()), (0, 1));
    }
    let (code, out, _) = run(&[&"--json", &"--", &file.0, &"yeast"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("{\"passages\":6,") && out.trim_end().ends_with("]}"), "{out}");
}

#[test]
fn says_what_is_wrong() {
    let text = Temp::new("text.txt", b"some text\n");
    let empty = Temp::new("empty.txt", b"");
    let binary = Temp::new("binary", b"\x7FELF\0\0");
    let lost = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("search-no-such-file");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let wrong = |args: &[&dyn AsRef<std::ffi::OsStr>], status: u8, why: &str| {
        let (code, out, err) = run(args);
        assert_eq!((code, out.as_str()), (status, ""), "{err}");
        assert!(err.starts_with("search: ") && err.contains(why), "{why}: {err}");
    };
    wrong(&[&text.0], 2, "<QUERY>");
    wrong(&[&text.0, &"some", &"text"], 2, "unexpected argument 'text'");
    wrong(&[&text.0, &""], 2, "no word");
    wrong(&[&text.0, &"some", &"--top"], 2, "a value is required");
    wrong(&[&text.0, &"some", &"--top", &"many"], 2, "'many'");
    wrong(&[&text.0, &"some", &"--top", &"-1"], 2, "'-1'");
    wrong(&[&text.0, &"some", &"--top", &"0"], 2, "0 is not in 1..=");
    wrong(&[&text.0, &"some", &"--dim", &"1"], 2, "1 is not in 16..=65536");
    wrong(&[&text.0, &"some", &"--best"], 2, "unexpected argument '--best'");
    wrong(&[&lost, &"some"], 2, "cannot read");
    wrong(&[&folder, &"some"], 2, "is a directory");
    wrong(&[&empty.0, &"some"], 2, "no text");
    wrong(&[&binary.0, &"some"], 2, "NUL");
    wrong(&[&text.0, &"zyx"], 1, "zyx");
    let (code, out, err) = run(&[&"--help"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("Usage: search"));
    // What ships.
    let (code, out, err) = run(&[]);
    assert!(code == 0 && out.to_lowercase().contains("blue") && err.contains("lanes: "), "{out} {err}");
}

/// A pipe whose reader is gone, or a full disk.
struct Gone(io::ErrorKind);
impl Write for Gone {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn outputs_that_close_are_no_panic() {
    let text = Temp::new("closed.txt", b"some text\n");
    let args = || [text.0.clone().into_os_string(), "some".into()].into_iter();
    let terminal = cli::Terminal { out: true, err: true };
    let mut err = Vec::new();
    assert_eq!(cli::run(args(), &mut Gone(io::ErrorKind::BrokenPipe), &mut err, terminal), 0);
    assert_eq!(err, b"");
    assert_eq!(cli::run(args(), &mut Gone(io::ErrorKind::StorageFull), &mut err, terminal), 2);
    assert!(String::from_utf8_lossy(&err).contains("standard output"));
    let mut out = Vec::new();
    assert_eq!(cli::run(args(), &mut out, &mut Gone(io::ErrorKind::BrokenPipe), terminal), 0);
    assert!(String::from_utf8_lossy(&out).contains("some text"));
}

#[test]
fn lines_fit_a_terminal_and_carry_no_control_characters() {
    let hit = |focus| engine::Hit { passage: Passage { line: 1, start: 0, end: 0 }, score: 1.0, focus };
    assert_eq!(cli::fit("short", &hit(0), 10), "short");
    assert_eq!(cli::fit("a\tb\x1B[1m\u{202E}", &hit(0), 80), "a b\\u{1b}[1m\\u{202e}");
    assert_eq!(cli::fit("0123456789abc", &hit(0), 10), "012345678…");
    let long = format!("{}needle{}", "x".repeat(100), "y".repeat(100));
    for room in [20, 33, 60] {
        let line = cli::fit(&long, &hit(100), room);
        assert!(line.chars().count() <= room && line.contains("needle"), "{room}: {line}");
        assert!(line.starts_with('…') && line.ends_with('…'));
    }
    let end = cli::fit(&long, &hit(200), 30);
    assert!(end.starts_with('…') && end.ends_with('y') && end.chars().count() <= 30, "{end}");
    // Han takes two columns each.
    assert_eq!(cli::fit("北京是中国的首都", &hit(0), 9), "北京是中…");
}
