//! What the source has to hold of the contracts: their tests and harnesses, preconditions, and generated and locked files.

use super::Sink;
use crate::corpus::{Corpus, File, read};
use crate::results::{Results, compared};
use crate::schema::{Contract, Domain, Function, PreCheck, Shape};
use crate::{generate, lock, loosened};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

pub(super) fn verify(s: &mut Sink<'_>, results: Option<&Result<Results, String>>) -> (usize, Option<usize>) {
    let corpus = s.corpus;
    let mut executed = 0;
    let mut named = 0;
    if let Some(Err(e)) = results {
        s.add("FUL-VER-004", "results", e.clone());
    }
    let library = source_files(corpus);
    let harnesses = harnesses(&library);
    let mut texts = BTreeMap::from([(corpus.root.join("src"), Tests::of(&library))]);
    for (f, c) in corpus.contracts() {
        for k in &c.kani_harnesses {
            if !harnesses.contains(k.harness.rsplit("::").next().unwrap_or(&k.harness)) {
                s.on(
                    "FUL-VER-005",
                    f,
                    format!("{}: `{}` is no #[kani::proof] of the source", k.id, k.harness),
                );
            }
        }
        let discharging = c.kani_harnesses.iter().map(|k| (&k.id, &k.discharged_by));
        for (id, test) in c.falsify.iter().map(|t| (&t.id, &t.test)).chain(discharging) {
            named += 1;
            if !in_source(corpus, &mut texts, test) {
                s.on("FUL-VER-003", f, format!("{id}: `{test}` is no #[test] of the source"));
            }
            if let Some(Ok(results)) = results {
                match results.tests.get(test) {
                    Some(true) => executed += 1,
                    Some(false) => s.on("FUL-VER-002", f, format!("{id}: `{test}` failed")),
                    None => s.on("FUL-VER-001", f, format!("{id}: `{test}` was not executed")),
                }
            }
        }
    }
    (named, results.map(|_| executed))
}

/// The least that a test of this name compares: less than the shortest of its kind does, more than one does whose list of
/// lengths or lanes is empty.
fn floor(test: &str) -> u64 {
    match test.rsplit("::").next() {
        Some("every_op_on_every_lane") => 100_000,
        Some("every_size") => 100,
        Some("postconditions") if test.starts_with("contracts::falsify::") => 150,
        Some("edge_cases") => 10,
        Some("preconditions") if test.starts_with("contracts::falsify::") => 4,
        _ => 1,
    }
}

/// A test that passed looked at something: one whose body returns at once, whose list of lengths is empty, or that runs no
/// case passes, too.
pub(super) fn floors(s: &mut Sink<'_>, results: &Results, text: &str) {
    let made = match compared(text) {
        Ok(made) => made,
        Err(e) => return s.add("FUL-VER-004", "compared", e),
    };
    for test in &results.counted {
        let (made, least) = (made.get(test.as_str()), floor(test));
        match made {
            // It said what this machine lacks.
            Some(None) => {}
            Some(Some(made)) if *made >= least => {}
            made => {
                let made = made.copied().flatten().unwrap_or(0);
                s.add(
                    "FUL-VER-006",
                    "compared",
                    format!("`{test}` compared {made} times, at least {least} is expected"),
                );
            }
        }
    }
}

/// The names that a text gives to tests and modules.
struct Tests {
    tests: BTreeSet<String>,
    modules: BTreeSet<String>,
}

impl Tests {
    fn of(text: &str) -> Self {
        let after = |what: &'static str| {
            text.match_indices(what).map(move |(at, _)| (at, name_at(text, at + what.len())))
        };
        let is_test = |at: usize| text.get(..at).is_some_and(|before| before.trim_end().ends_with("#[test]"));
        Self {
            tests: after("fn ")
                .filter(|(at, n)| n.1.starts_with('(') && is_test(*at))
                .map(|(_, n)| n.0.into())
                .collect(),
            modules: after("mod ")
                .filter(|(_, n)| n.1.starts_with([' ', ';']))
                .map(|(_, n)| n.0.into())
                .collect(),
        }
    }
}

/// The identifier at `at`, and what follows it.
fn name_at(text: &str, at: usize) -> (&str, &str) {
    let rest = text.get(at..).unwrap_or("");
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    rest.split_at(end)
}

/// Whether `target::path::name` is a `#[test] fn name` in the file `tests/<target>.rs`, or in the file
/// `tests/<target>/<module>.rs` of the next module. Modules that a macro makes per op stand in
/// `src/ops.rs`, so each must be a row there or a `mod` of the file. This is weaker than the runner's
/// output, which proves that the test ran. `texts` keeps what was read; the library is there.
fn in_source(corpus: &Corpus, texts: &mut BTreeMap<PathBuf, Tests>, test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let [target, modules @ .., name] = parts.as_slice() else { return false };
    let mut tests = corpus.root.join("tests");
    // What GPUs run is tested by a program of its own.
    if !tests.join(format!("{target}.rs")).exists() {
        tests.push("devices");
    }
    let own = modules.first().map(|m| tests.join(target).join(format!("{m}.rs"))).filter(|p| p.exists());
    let (path, modules) = match own {
        Some(path) => (path, modules.get(1..).unwrap_or_default()),
        None if *target == "lib" => (corpus.root.join("src"), modules),
        None => (tests.join(format!("{target}.rs")), modules),
    };
    let text = texts.entry(path).or_insert_with_key(|path| Tests::of(&read(path)));
    let known = |m: &&str| text.modules.contains(*m) || fulmen::ops::OPS.iter().any(|r| *r.name == **m);
    text.tests.contains(*name) && modules.iter().all(known)
}

/// The functions of `source` marked `#[kani::proof]`.
fn harnesses(source: &str) -> BTreeSet<&str> {
    source
        .split("#[kani::proof]")
        .skip(1)
        .filter_map(|after| {
            let item = after.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with("#["))?;
            Some(name_at(item.strip_prefix("fn ")?, 0).0)
        })
        .collect()
}

fn source_files(corpus: &Corpus) -> String {
    fn walk(dir: &std::path::Path, out: &mut String) {
        for e in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let p = e.path();
            if p.is_dir() {
                walk(&p, out);
            } else if p.extension().is_some_and(|x| x == "rs") {
                out.push_str(&read(&p));
                out.push('\n');
            }
        }
    }
    let mut out = String::new();
    walk(&corpus.root.join("src"), &mut out);
    out
}

pub(super) fn enforce(s: &mut Sink<'_>, f: &File, c: &Contract) {
    if c.pres().count() == 0 && !total(s.corpus, c) {
        s.on("FUL-ENF-001", f, "the op refuses nothing");
    }
    let domains = c.call.params.iter().filter(|p| p.domain != Domain::Any).count();
    if domains > 0 && !c.pres().any(|p| p.check == PreCheck::ParamDomain) {
        s.on("FUL-ENF-001", f, "a parameter has a domain that no precondition checks");
    }
    if c.posts().count() == 0 && !c.call.shape.own_types() {
        s.on("FUL-ENF-002", f, "no executable postcondition");
    }
}

/// Whether the op refuses nothing; one with a call of its own does when it returns no `Result`.
pub(super) fn total(corpus: &Corpus, c: &Contract) -> bool {
    match c.call.shape {
        Shape::Total => true,
        shape if shape.own_call() => bindings(corpus, &c.op).all(|f| !f.signature.contains("Result")),
        _ => false,
    }
}

/// The functions that are bound to `op`.
fn bindings<'a>(corpus: &'a Corpus, op: &'a str) -> impl Iterator<Item = &'a Function> {
    let all = corpus.binding.iter().flat_map(|b| &b.bindings);
    all.filter(move |b| b.op == op).flat_map(|b| &b.functions)
}

pub(super) fn generated(s: &mut Sink<'_>) {
    match generate::files(s.corpus) {
        Ok(files) => {
            for (path, text) in files {
                if text != read(&s.corpus.root.join(path)) {
                    s.add("FUL-ENF-003", path, "run `fulmen contract generate`");
                }
            }
        }
        Err(e) => s.add("FUL-ENF-003", "src/contract/specs.rs", format!("cannot be made: {e}")),
    }
    // A text search: the compiler's check (`Enforced`) is the strong one, this one names the op.
    let source: String = source_files(s.corpus).chars().filter(|c| !c.is_whitespace()).collect();
    let by_macro = ["unary", "binary", "entry", "row_op"].iter().all(|m| macro_has_contract(&source, m));
    // `contract!(op,`, and `op,op_on,` where a macro writes the function.
    let direct: BTreeSet<&str> = source
        .match_indices("contract!(")
        .map(|(at, what)| name_at(&source, at + what.len()))
        .filter(|(_, rest)| rest.starts_with(','))
        .map(|(name, _)| name)
        .collect();
    let through: BTreeSet<&str> = source
        .match_indices("_on,")
        .filter_map(|(at, _)| {
            let before = source.get(..at)?;
            let (rest, op) = before.rsplit_once(',')?;
            rest.ends_with(op).then_some(op)
        })
        .collect();
    let corpus = s.corpus;
    for (f, c) in corpus.contracts().filter(|(_, c)| !c.call.shape.own_types()) {
        let op = c.op.as_str();
        if !(direct.contains(op) || through.contains(op) && by_macro) {
            s.on("FUL-ENF-004", f, "no `contract!` in the op's function");
        }
    }
}

/// Whether `macro_rules! name`, in text without white space, contains `contract!(` before the next one.
fn macro_has_contract(source: &str, name: &str) -> bool {
    source
        .split_once(&format!("macro_rules!{name}{{"))
        .map(|(_, rest)| rest.split("macro_rules!").next().unwrap_or(rest))
        .is_some_and(|body| body.contains("contract!($name,"))
}

pub(super) fn locked(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for (f, c) in corpus.contracts() {
        let now = lock::guarantees(corpus, c);
        match corpus.locked.get(&c.op) {
            None => s.on("FUL-LCK-002", f, "not in locked.toml; run `fulmen contract lock`"),
            Some(was) if *was != now => s.on("FUL-LCK-001", f, format!("locked: {was}; now: {now}")),
            Some(_) => {}
        }
    }
    let file = "contracts/locked.toml";
    for op in corpus.locked.keys().filter(|op| !op.starts_with("proofs/")) {
        if !corpus.files.iter().any(|f| f.path.ends_with(format!("{op}-v1.yaml"))) {
            s.add("FUL-LCK-003", file, format!("`{op}` is locked, its contract is gone"));
        }
    }
    // Whatever else differs: a line that is there twice, a statement of a proof, the order.
    let (text, now) = (read(&corpus.dir.join("locked.toml")), lock::render(corpus));
    if text != now {
        let now: Vec<&str> = now.lines().collect();
        let mut seen = BTreeSet::new();
        let odd = text.lines().find(|l| !now.contains(l) || !seen.insert(*l));
        let gone = || now.iter().find(|l| !text.lines().any(|t| t == **l)).copied();
        let odd = odd.or_else(gone).unwrap_or("the order of the lines");
        s.add("FUL-LCK-004", file, format!("is not what `fulmen contract lock` writes: {odd}"));
    }
}

/// Guarantees that are looser than the tightest ones recorded.
pub(super) fn loosened(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    let file = "contracts/tightest.toml";
    let (record, now) = (loosened::parse(&read(&corpus.dir.join("tightest.toml"))), loosened::now(corpus));
    let reasons = loosened::reasons(corpus).unwrap_or_else(|e| {
        s.add("FUL-LCK-005", "contracts/loosened.yaml", e);
        Vec::new()
    });
    for l in loosened::loosened(&record, &now).iter().filter(|l| l.reason(&reasons).is_none()) {
        s.add("FUL-LCK-005", file, l.to_string());
    }
    // What is tighter than the record is in it from the next lock on.
    let kept = loosened::kept(&record, now, &reasons);
    if let Some(op) = kept.iter().find(|(op, items)| record.get(*op) != Some(items)).map(|(op, _)| op) {
        s.add("FUL-LCK-004", file, format!("is not what `fulmen contract lock` writes: {op}"));
    }
}
