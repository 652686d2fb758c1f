//! What a test runner printed: which tests ran in this run, and how they ended.

use std::collections::{BTreeMap, BTreeSet};

/// The test as a contract names it → passed: the path that the runner prints, of `lib` and the other programs of one
/// file behind their name.
pub struct Results {
    pub tests: BTreeMap<String, bool>,
    /// Those that count what they compare: of `tests/`, but for what WebAssembly runs, which writes no file.
    pub counted: BTreeSet<String>,
}

/// What each test compared, in the lines that `tests/common/compared.rs` writes; `None` of one that said what the machine
/// lacks. Several runs add up.
pub fn compared(text: &str) -> Result<BTreeMap<&str, Option<u64>>, String> {
    let mut tests = BTreeMap::new();
    for line in text.lines() {
        let (test, made) = line.split_once(' ').ok_or_else(|| format!("`{line}` is no count"))?;
        let made = match made.strip_prefix("lacks ") {
            Some(_) => None,
            None => Some(made.parse::<u64>().map_err(|e| format!("`{line}`: {e}"))?),
        };
        let known = tests.entry(test).or_insert(None);
        *known = made.map_or(*known, |made| Some(made.saturating_add(known.unwrap_or(0))));
    }
    Ok(tests)
}

impl Results {
    /// Reads the output of `cargo test` (stdout and stderr together) or of `cargo nextest run`.
    ///
    /// Errors when it holds no test at all: an empty log proves nothing.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut tests, mut counted) = (BTreeMap::new(), BTreeSet::new());
        let (mut target, mut counts) = (None, false);
        // Verdicts that a program may still give, once it has said how many tests it runs.
        let mut left: Option<usize> = None;
        for line in text.lines().map(|l| strip_ansi(l.trim())) {
            if let Some(rest) = line.strip_prefix("Running ") {
                target = Some(target_of(rest));
                counts = matches!(target.as_deref(), Some("main" | "families")) && !rest.contains(".wasm)");
            } else if line.starts_with("Doc-tests ") {
                target = None;
            } else if let Some(n) = line.strip_prefix("running ").and_then(|l| l.split_once(" test")) {
                left = n.0.parse().ok();
            } else if let Some(rest) = line.strip_prefix("test ") {
                let Some((name, end)) = rest.rsplit_once(" ... ") else { continue };
                let name = name.strip_suffix(" - should panic").unwrap_or(name);
                if matches!(end, "ok" | "FAILED") || end.starts_with("ignored") {
                    // What a test prints may look like a verdict, but it comes on top of the runner's own.
                    left = match left {
                        Some(0) => {
                            return Err(format!(
                                "more verdicts than tests: `{line}` is not the runner's own"
                            ));
                        }
                        left => left.map(|n| n - 1),
                    };
                }
                // Anything else is no verdict: a line of output that fell into this one.
                if let (Some(target), "ok" | "FAILED") = (&target, end) {
                    if counts {
                        counted.insert(name.to_owned());
                    }
                    record(&mut tests, full_name(target, name), end == "ok");
                }
            } else if let Some((pass, rest)) = nextest(&line) {
                // `[   0.010s] (1/9) fulmen-tests::main contracts::falsify::relu::edge_cases`
                let mut words = rest.rsplit(' ');
                if let (Some(name), Some(binary)) = (words.next(), words.next()) {
                    let target = binary.split_once("::").map_or("lib", |(_, t)| t);
                    record(&mut tests, full_name(target, name), pass);
                }
            }
        }
        if tests.is_empty() {
            Err("no executed test in the results file".into())
        } else {
            Ok(Self { tests, counted })
        }
    }
}

/// A test that failed in any run of the log has failed.
fn record(tests: &mut BTreeMap<String, bool>, name: String, pass: bool) {
    tests.entry(name).and_modify(|p| *p &= pass).or_insert(pass);
}

/// The modules of these programs are the files beside them, whose names a contract's test begins with.
fn full_name(target: &str, name: &str) -> String {
    if matches!(target, "main" | "families") { name.into() } else { format!("{target}::{name}") }
}

fn nextest(line: &str) -> Option<(bool, &str)> {
    if let Some(rest) = line.strip_prefix("PASS ") {
        return Some((true, rest));
    }
    line.strip_prefix("FAIL ").map(|rest| (false, rest))
}

/// `tests/main.rs (target/…)`, `unittests src/lib.rs (…)`.
fn target_of(rest: &str) -> String {
    let path = rest.split(" (").next().unwrap_or(rest);
    if path.starts_with("unittests") {
        return "lib".into();
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    file.strip_suffix(".rs").unwrap_or(file).into()
}

fn strip_ansi(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars();
    while let Some(ch) = chars.next() {
        if ch == '\u{1b}' {
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            out.push(ch);
        }
    }
    out.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::Results;

    #[test]
    fn reads_libtest() {
        let r = Results::parse(
            "     Running unittests src/lib.rs (target/a)\ntest x::y ... ok\n     Running main.rs (b)\n\
             test contracts::falsify::relu::edge_cases ... ok\ntest slow ... ignored\ntest torn ... a line of output\nok\ntest contracts::bad ... FAILED\n   Doc-tests fulmen\ntest src/lib.rs - a ... ok\n",
        )
        .unwrap_or_else(|e| panic!("{e}"));
        let tests: Vec<_> = r.tests.iter().map(|(n, p)| (n.as_str(), *p)).collect();
        assert_eq!(
            tests,
            [("contracts::bad", false), ("contracts::falsify::relu::edge_cases", true), ("lib::x::y", true)]
        );
    }

    #[test]
    fn a_verdict_that_a_test_prints_is_one_too_many() {
        let real = "Running main.rs (b)\nrunning 2 tests\ntest a ... ok\ntest b ... ok\n";
        assert!(Results::parse(real).is_ok());
        for forged in ["test forged ... ok\n", "test b ... ok\n"] {
            assert!(Results::parse(&real.replace("test b", &format!("{forged}test b"))).is_err());
        }
    }

    #[test]
    fn reads_what_was_compared() {
        let read = super::compared("a::b 3\na::c lacks AMX\na::b 4\na::d lacks AMX\na::d 1\n");
        let read = read.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            read.into_iter().collect::<Vec<_>>(),
            [("a::b", Some(7)), ("a::c", None), ("a::d", Some(1))]
        );
        assert!(super::compared("a::b many\n").is_err() && super::compared("a::b\n").is_err());
    }

    #[test]
    fn reads_nextest() {
        let r = Results::parse(
            "        PASS [   0.010s] (1/2) fulmen-tests::main contracts::falsify::relu::edge_cases\n        \
             FAIL [   0.010s] (2/2) fulmen x::y\n",
        )
        .unwrap_or_else(|e| panic!("{e}"));
        let tests: Vec<_> = r.tests.iter().map(|(n, p)| (n.as_str(), *p)).collect();
        assert_eq!(tests, [("contracts::falsify::relu::edge_cases", true), ("lib::x::y", false)]);
    }

    #[test]
    fn an_empty_log_is_an_error() {
        assert!(Results::parse("").is_err());
        assert!(Results::parse("running 0 tests\n").is_err());
    }
}
