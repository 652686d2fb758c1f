//! The seven gates: validate, audit, score, verify, enforce, level, reverse coverage.

use super::corpus::{Corpus, File, Row, read};
use super::report::Finding;
use super::results::Results;
use super::schema::{
    Contract, Domain, Level, ObligationKind, Output, PreCheck, ProvenBy, SCHEMA, Shape, Tolerance,
};
use super::{generate, lock};
use std::collections::{BTreeMap, BTreeSet};

/// The backends that a binding must account for.
pub const BACKENDS: [&str; 3] = ["cpu", "wgpu", "cuda"];

/// The variants of the library's `Error`.
const ERRORS: [&str; 11] = [
    "Len",
    "Empty",
    "Rows",
    "Domain",
    "Nan",
    "Workspace",
    "Shape",
    "OutOfBounds",
    "Index",
    "Overlap",
    "Overflow",
];

pub struct Outcome {
    pub findings: Vec<Finding>,
    /// Op → score, 0 to 100.
    pub scores: BTreeMap<String, u32>,
    /// Named FALSIFY tests: in all, and how many of them were found in the runner's output.
    pub named: usize,
    pub executed: Option<usize>,
}

struct Sink<'a> {
    corpus: &'a Corpus,
    findings: Vec<Finding>,
}

impl Sink<'_> {
    fn add(&mut self, rule: &'static str, file: &str, message: impl Into<String>) {
        self.findings.push(Finding { rule, file: file.into(), message: message.into() });
    }
    fn on(&mut self, rule: &'static str, f: &File, message: impl Into<String>) {
        let path = f.path.strip_prefix(&self.corpus.root).unwrap_or(&f.path);
        self.findings.push(Finding { rule, file: path.display().to_string(), message: message.into() });
    }
}

/// Runs all gates. `results` is the text of the test runner's output, when there is one.
pub fn run(corpus: &Corpus, results: Option<&str>, min_score: u32) -> Outcome {
    let mut s = Sink { corpus, findings: Vec::new() };
    for f in &corpus.files {
        match &f.contract {
            Err(e) => s.on("FUL-VAL-001", f, e.lines().next().unwrap_or("unreadable")),
            Ok(c) => {
                validate(&mut s, f, c);
                audit(&mut s, f, c);
                enforce(&mut s, f, c);
            }
        }
    }
    unique_across(&mut s);
    let results = results.map(Results::parse);
    let (named, executed) = verify(&mut s, results.as_ref());
    generated(&mut s);
    locked(&mut s);
    level(&mut s);
    reverse(&mut s);
    let scores = score(&mut s, min_score);
    Outcome { findings: s.findings, scores, named, executed }
}

fn validate(s: &mut Sink<'_>, f: &File, c: &Contract) {
    if c.schema != SCHEMA {
        s.on("FUL-VAL-002", f, format!("schema {}, this program reads {SCHEMA}", c.schema));
    }
    if f.path.file_name().is_none_or(|n| n != format!("{}-v1.yaml", c.op).as_str()) {
        s.on("FUL-VAL-003", f, format!("holds the contract of `{}`", c.op));
    }
    if c.equations.is_empty() || !c.equations.contains_key(&c.op) {
        s.on("FUL-VAL-004", f, "no equation named like the op");
    }
    let mut texts = vec![
        ("description", &c.metadata.description),
        ("family", &c.family),
        ("baseline", &c.performance.baseline),
    ];
    for e in c.equations.values() {
        texts.extend([("formula", &e.formula), ("domain", &e.domain), ("codomain", &e.codomain)]);
    }
    for o in &c.proof_obligations {
        texts.extend([("property", &o.property), ("formal", &o.formal)]);
    }
    for k in &c.kani_harnesses {
        texts.extend([("property", &k.property), ("bound", &k.bound), ("harness", &k.harness)]);
    }
    for o in &c.proof_obligations {
        if let ProvenBy::Review(text) | ProvenBy::Types(text) = &o.proven_by {
            texts.push(("proven_by", text));
        }
    }
    for t in &c.falsify {
        texts.extend([("prediction", &t.prediction), ("if_fails", &t.if_fails), ("test", &t.test)]);
    }
    for (key, text) in texts {
        if text.trim().is_empty() {
            s.on("FUL-VAL-004", f, format!("`{key}` is empty"));
        }
    }
    ids(s, f, c);
    arguments(s, f, c);
    edges(s, f, c);
    if c.types.is_empty() {
        s.on("FUL-VAL-009", f, "no element type");
    }
    for t in &c.types {
        if !c.tolerance.contains_key(t) || !c.performance.bytes_per_element.contains_key(t) {
            s.on("FUL-VAL-009", f, format!("`{t}` has no tolerance or no bytes_per_element"));
        }
    }
    measured(s, f, c);
    if c.tolerance.keys().any(|t| !c.types.contains(t)) {
        s.on("FUL-VAL-009", f, "a tolerance for a type that the op does not have");
    }
}

fn measured(s: &mut Sink<'_>, f: &File, c: &Contract) {
    for w in &c.worst_error_measured {
        let (found, most) = match (c.tolerance.get(&w.ty), w.ulp, w.rel) {
            (Some(Tolerance::Exact), Some(ulp), None) => (ulp, 0.0),
            (Some(Tolerance::Ulp(most)), Some(ulp), None) => (ulp, *most),
            (Some(Tolerance::Rel(most)), None, Some(rel)) => (rel, *most),
            (Some(Tolerance::RelAbs { rel: most, .. }), None, Some(rel)) => (rel, *most),
            // Not in the unit of the tolerance.
            _ => (f64::NAN, 0.0),
        };
        if found.is_nan() || found > most || w.inputs.is_empty() || w.lane.is_empty() {
            s.on(
                "FUL-VAL-010",
                f,
                format!("{} on {}: error {found} at {}, allowed {most}", w.ty, w.lane, w.at.exact(&w.ty)),
            );
        }
    }
    for m in &c.performance.measured {
        if m.ratio.is_nan() || m.ratio < c.performance.regression_threshold {
            s.on("FUL-AUD-007", f, format!("{} on {}", m.ratio, m.machine));
        }
    }
    let numbers =
        |text: &str, sep| text.split(sep).all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    let dates =
        c.worst_error_measured.iter().map(|w| &w.date).chain(c.performance.measured.iter().map(|m| &m.date));
    for d in dates.chain([&c.metadata.created]) {
        if d.len() != 10 || d.split('-').count() != 3 || !numbers(d, '-') {
            s.on("FUL-VAL-011", f, format!("`{d}` is no date like 2026-11-21"));
        }
    }
    if c.metadata.version.split('.').count() != 3 || !numbers(&c.metadata.version, '.') {
        s.on("FUL-VAL-011", f, format!("`{}` is no version like 1.0.0", c.metadata.version));
    }
}

fn ids(s: &mut Sink<'_>, f: &File, c: &Contract) {
    let upper = c.op.to_uppercase();
    let mut seen = BTreeSet::new();
    let all = c
        .proof_obligations
        .iter()
        .map(|o| (&o.id, format!("{upper}-P")))
        .chain(c.falsify.iter().map(|t| (&t.id, format!("FALSIFY-{upper}-"))))
        .chain(c.kani_harnesses.iter().map(|k| (&k.id, format!("KANI-{upper}-"))));
    for (id, prefix) in all {
        if !seen.insert(id) {
            s.on("FUL-VAL-005", f, format!("id `{id}` occurs twice"));
        }
        if !id.strip_prefix(&prefix).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
            s.on("FUL-VAL-006", f, format!("id `{id}` is not `{prefix}<number>`"));
        }
    }
    for e in c.equations.values() {
        let mut seen = BTreeSet::new();
        for p in e
            .preconditions
            .iter()
            .map(|p| format!("{p:?}"))
            .chain(e.postconditions.iter().map(|p| format!("{p:?}")))
        {
            if !seen.insert(p.clone()) {
                s.on("FUL-VAL-005", f, format!("{p} occurs twice"));
            }
        }
    }
    let mut names = BTreeSet::new();
    for e in &c.edge_cases {
        if !names.insert(&e.name) {
            s.on("FUL-VAL-005", f, format!("edge case `{}` occurs twice", e.name));
        }
    }
}

fn arguments(s: &mut Sink<'_>, f: &File, c: &Contract) {
    let mut known: BTreeSet<&str> = ["out", "cols", "eps", "k", "values", "indices", "workspace"].into();
    known.extend(c.call.inputs.iter().map(String::as_str));
    known.extend(c.call.params.iter().map(|p| p.name.as_str()));
    known.extend(c.call.options.iter().chain(&c.call.outputs).map(String::as_str));
    for p in c.pres() {
        for a in p.args.iter().filter(|a| !known.contains(a.as_str())) {
            s.on("FUL-VAL-007", f, format!("precondition on unknown argument `{a}`"));
        }
        if !ERRORS.contains(&p.error.as_str()) {
            s.on("FUL-VAL-007", f, format!("`{}` is no variant of Error", p.error));
        }
    }
    for p in c.posts() {
        if let super::schema::Post::WithinParams { lo, hi } = p {
            for a in [lo, hi].into_iter().filter(|a| !c.call.params.iter().any(|p| p.name == **a)) {
                s.on("FUL-VAL-007", f, format!("postcondition on unknown parameter `{a}`"));
            }
        }
    }
}

fn edges(s: &mut Sink<'_>, f: &File, c: &Contract) {
    for e in &c.edge_cases {
        let mut wrong = Vec::new();
        if e.inputs.len() != c.call.inputs.len() {
            wrong.push(format!("{} inputs, the call has {}", e.inputs.len(), c.call.inputs.len()));
        }
        if e.out.is_some() == e.error.is_some() && e.indices.is_none() {
            wrong.push("needs exactly one of out, indices and error".into());
        }
        if e.params.as_ref().is_some_and(|p| p.len() != c.call.params.len()) {
            wrong.push("params do not match the call".into());
        }
        if matches!(c.call.shape, Shape::Rows | Shape::RowsEps | Shape::Gemm | Shape::Mixed) {
            if e.cols.is_none() {
                wrong.push("a row op and a product of matrices need cols".into());
            }
        } else if e.cols.is_some() {
            wrong.push("cols without a `cols` argument".into());
        }
        let fits = |shapes: &Vec<[usize; 2]>| {
            shapes.len() == e.inputs.len()
                && shapes.iter().zip(&e.inputs).all(|([r, c], x)| r.checked_mul(*c) == Some(x.len()))
        };
        if e.shapes.is_some() != c.call.shape.own_call() || !e.shapes.as_ref().is_none_or(fits) {
            wrong.push("an op with a call of its own needs the shape of each input, others have none".into());
        }
        if !e.options.is_empty() && !c.call.shape.own_call() {
            wrong.push("options without arguments that are words".into());
        }
        // A product of matrices writes over its last input.
        let over = if matches!(c.call.shape, Shape::Gemm | Shape::Mixed) {
            e.inputs.last()
        } else {
            e.inputs.first()
        };
        let first = over.map_or(0, Vec::len);
        let length = match c.call.output {
            // What such an op writes is its own; its test compares lengths.
            Output::Slice if c.call.shape.own_call() => None,
            Output::Slice => Some(first),
            Output::Scalar => Some(1),
            Output::Index | Output::TopK => None,
        };
        if let (Some(out), Some(length)) = (&e.out, length)
            && out.len() != length
        {
            wrong.push(format!("{} results, expected {length}", out.len()));
        }
        if e.error.as_ref().is_some_and(|e| !ERRORS.contains(&e.as_str())) {
            wrong.push("no such Error".into());
        }
        if e.types.as_ref().is_some_and(|t| t.iter().any(|t| !c.types.contains(t))) {
            wrong.push("a type that the op does not have".into());
        }
        for w in wrong {
            s.on("FUL-VAL-008", f, format!("edge case `{}`: {w}", e.name));
        }
    }
}

fn audit(s: &mut Sink<'_>, f: &File, c: &Contract) {
    for o in &c.proof_obligations {
        let found = match &o.proven_by {
            ProvenBy::Test(id) => c.falsify.iter().any(|t| t.id == *id),
            ProvenBy::Kani(id) => c.kani_harnesses.iter().any(|k| k.id == *id),
            _ => true,
        };
        if !found {
            s.on("FUL-AUD-001", f, format!("{}: {:?} is not here", o.id, o.proven_by));
        }
    }
    for t in &c.falsify {
        let used =
            c.proof_obligations.iter().any(|o| matches!(&o.proven_by, ProvenBy::Test(id) if *id == t.id));
        if !used {
            s.on("FUL-AUD-002", f, format!("{} discharges nothing", t.id));
        }
    }
    if c.metadata.references.iter().all(|r| r.trim().is_empty()) {
        s.on("FUL-AUD-003", f, "metadata.references is empty");
    }
    if special(c) {
        for (what, there) in edge_kinds(c) {
            if !there {
                s.on("FUL-AUD-004", f, format!("no edge case with {what}"));
            }
        }
    }
    if !c
        .proof_obligations
        .iter()
        .any(|o| matches!(o.kind, ObligationKind::Equivalence | ObligationKind::Bound))
    {
        s.on("FUL-AUD-005", f, "nothing says that the op computes its formula");
    }
}

/// Whether the op has to state what it does with special inputs: bytes are none.
fn special(c: &Contract) -> bool {
    c.call.shape != Shape::Convert && c.types.iter().any(|t| t.starts_with('f'))
}

/// The special inputs, and whether some edge case has them.
fn edge_kinds(c: &Contract) -> [(&'static str, bool); 6] {
    let any = |test: fn(f64) -> bool| {
        c.edge_cases.iter().any(|e| e.inputs.iter().flatten().any(|x| test(x.value("f32"))))
    };
    [
        ("an empty input", c.edge_cases.iter().any(|e| e.inputs.first().is_some_and(Vec::is_empty))),
        ("NaN", any(f64::is_nan)),
        ("+inf", any(|x| x == f64::INFINITY)),
        ("-inf", any(|x| x == f64::NEG_INFINITY)),
        ("-0", any(|x| x == 0.0 && x.is_sign_negative())),
        ("a subnormal", any(|x| x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE))),
    ]
}

fn unique_across(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    let mut owner: BTreeMap<&str, &str> = BTreeMap::new();
    for (f, c) in corpus.contracts() {
        for id in c.falsify.iter().map(|t| t.id.as_str()) {
            if let Some(other) = owner.insert(id, &c.op)
                && other != c.op
            {
                s.on("FUL-AUD-006", f, format!("{id} also belongs to `{other}`"));
            }
        }
    }
}

fn verify(s: &mut Sink<'_>, results: Option<&Result<Results, String>>) -> (usize, Option<usize>) {
    let corpus = s.corpus;
    let mut executed = 0;
    let mut named = 0;
    if let Some(Err(e)) = results {
        s.add("FUL-VER-004", "results", e.clone());
    }
    let source = source_files(corpus);
    for (f, c) in corpus.contracts() {
        for k in &c.kani_harnesses {
            if !is_harness(&source, &k.harness) {
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
            if !in_source(corpus, test) {
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

/// Whether `target::path::name` is a `#[test] fn name` in the file of the target, or in the file
/// `tests/<target>/<module>.rs` of its first module. Modules that a macro makes per op stand in
/// `src/ops.rs`, so each must be a row there or a `mod` of the file. This is weaker than the runner's
/// output, which proves that the test ran.
fn in_source(corpus: &Corpus, test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let [target, modules @ .., name] = parts.as_slice() else { return false };
    let tests = corpus.root.join("tests");
    let own = modules.first().map(|m| tests.join(target).join(format!("{m}.rs"))).filter(|p| p.exists());
    let (text, modules) = match own {
        Some(path) => (read(&path), modules.get(1..).unwrap_or_default()),
        None if *target == "lib" => (source_files(corpus), modules),
        None => (read(&tests.join(format!("{target}.rs"))), modules),
    };
    let is_test = text
        .match_indices(&format!("fn {name}("))
        .any(|(at, _)| text.get(..at).is_some_and(|before| before.trim_end().ends_with("#[test]")));
    let known = |m: &&str| {
        text.contains(&format!("mod {m} "))
            || text.contains(&format!("mod {m};"))
            || corpus.rows.iter().any(|r| r.op == **m)
    };
    is_test && modules.iter().all(known)
}

/// Whether `path` is a function of `source` marked `#[kani::proof]`, by its name.
fn is_harness(source: &str, path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    source.split("#[kani::proof]").skip(1).any(|after| {
        let item = after.lines().map(str::trim).find(|l| !l.is_empty() && !l.starts_with("#["));
        item.is_some_and(|l| l.starts_with(&format!("fn {name}(")))
    })
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

fn enforce(s: &mut Sink<'_>, f: &File, c: &Contract) {
    // A total function refuses nothing; one with a call of its own is total when it returns no `Result`.
    let total = match c.call.shape {
        Shape::Total => true,
        shape if shape.own_call() => bindings(s.corpus, &c.op).all(|f| !f.signature.contains("Result")),
        _ => false,
    };
    if c.pres().count() == 0 && !total {
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

/// The functions that are bound to `op`.
fn bindings<'a>(corpus: &'a Corpus, op: &'a str) -> impl Iterator<Item = &'a super::schema::Function> {
    let all = corpus.binding.iter().flat_map(|b| &b.bindings);
    all.filter(move |b| b.op == op).flat_map(|b| &b.functions)
}

fn generated(s: &mut Sink<'_>) {
    let path = s.corpus.root.join("src/contract/generated.rs");
    match generate::render(s.corpus) {
        Ok(text) if text == read(&path) => {}
        Ok(_) => s.add("FUL-ENF-003", "src/contract/generated.rs", "run `fulmen contract generate`"),
        Err(e) => s.add("FUL-ENF-003", "src/contract/generated.rs", format!("cannot be made: {e}")),
    }
    // A text search: the compiler's check (`Enforced`) is the strong one, this one names the op.
    let source: String = source_files(s.corpus).chars().filter(|c| !c.is_whitespace()).collect();
    let by_macro = ["unary", "binary", "reduction", "row_op"].iter().all(|m| macro_has_contract(&source, m));
    let corpus = s.corpus;
    for (f, c) in corpus.contracts().filter(|(_, c)| !c.call.shape.own_types()) {
        let direct = source.contains(&format!("contract!({},", c.op));
        let through = source.contains(&format!("{0},{0}_on,", c.op));
        if !(direct || through && by_macro) {
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

fn locked(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for (f, c) in corpus.contracts() {
        match corpus.locked.get(&c.op) {
            None => s.on("FUL-LCK-002", f, "not in locked.toml; run `fulmen contract lock`"),
            Some(was) if *was != lock::promises(c) => {
                s.on("FUL-LCK-001", f, format!("locked: {was}; now: {}", lock::promises(c)));
            }
            Some(_) => {}
        }
    }
    for op in corpus.locked.keys() {
        if !corpus.files.iter().any(|f| f.path.ends_with(format!("{op}-v1.yaml"))) {
            s.add("FUL-LCK-003", "contracts/locked.toml", format!("`{op}` is locked, its contract is gone"));
        }
    }
}

fn level(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for (f, c) in corpus.contracts() {
        for o in &c.proof_obligations {
            let most = match &o.proven_by {
                ProvenBy::Review(_) => Level::L0,
                ProvenBy::Types(_) => Level::L1,
                ProvenBy::Test(_) => Level::L3,
                ProvenBy::Kani(_) => Level::L4,
                ProvenBy::Theorem(_) => Level::L5,
            };
            let least = if most == Level::L5 { Level::L5 } else { Level::L0 };
            if o.level > most || o.level < least {
                s.on(
                    "FUL-LVL-001",
                    f,
                    format!("{} claims {:?}, {:?} carries {most:?}", o.id, o.level, o.proven_by),
                );
            }
            if let ProvenBy::Theorem(t) = &o.proven_by {
                match corpus.theorems.iter().find(|i| format!("{}:{}", i.file, i.name) == *t) {
                    None => s.on("FUL-LVL-002", f, format!("{}: theorem `{t}`", o.id)),
                    Some(i) if !i.ops.contains(&c.op) => {
                        s.on("FUL-LVL-006", f, format!("{t} is for {}", i.ops.join(", ")))
                    }
                    Some(_) => {}
                }
            }
        }
        if !c.proof_obligations.iter().any(|o| o.level >= Level::L2) {
            s.on("FUL-LVL-005", f, "tested by nothing");
        }
    }
    for t in &corpus.theorems {
        let text = without_comments(&read(&corpus.dir.join("proofs").join(&t.file)));
        let stated = ["Theorem", "Lemma", "Corollary", "Fact", "Proposition"].iter().any(|k| {
            text.match_indices(&format!("{k} {}", t.name)).any(|(at, m)| {
                let next = text.get(at + m.len()..).and_then(|r| r.chars().next());
                next.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '\'')
            })
        });
        if !stated {
            s.add("FUL-LVL-003", &format!("contracts/proofs/{}", t.file), format!("no theorem `{}`", t.name));
        }
    }
    for e in std::fs::read_dir(corpus.dir.join("proofs")).into_iter().flatten().flatten() {
        let path = e.path();
        if path.extension().is_none_or(|x| x != "v") {
            continue;
        }
        let text = without_comments(&read(&path));
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for bad in [
            "Admitted",
            "admit",
            "Abort",
            "Axiom",
            "Axioms",
            "Parameter",
            "Parameters",
            "Conjecture",
            "give_up",
        ] {
            if words.contains(bad) {
                let name = path.strip_prefix(&corpus.root).unwrap_or(&path).display().to_string();
                s.add("FUL-LVL-004", &name, format!("`{bad}`"));
            }
        }
    }
}

/// Coq text without its (nested) comments.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('(', Some('*')) => {
                chars.next();
                depth += 1;
            }
            ('*', Some(')')) if depth > 0 => {
                chars.next();
                depth -= 1;
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

fn reverse(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for r in &corpus.rows {
        if !corpus.files.iter().any(|f| f.path.ends_with(format!("{}-v1.yaml", r.op))) {
            s.add("FUL-REV-001", "src/ops.rs", format!("`{}` has no contract", r.op));
        }
    }
    let bindings = match &corpus.binding {
        Ok(b) if b.schema == SCHEMA && b.target_crate == "fulmen" => b.bindings.as_slice(),
        Ok(b) => {
            s.add(
                "FUL-REV-008",
                "contracts/binding.yaml",
                format!("schema {} for {}", b.schema, b.target_crate),
            );
            return;
        }
        Err(e) => {
            s.add("FUL-REV-008", "contracts/binding.yaml", e.lines().next().unwrap_or("unreadable"));
            return;
        }
    };
    for (f, c) in corpus.contracts() {
        if !bindings.iter().any(|b| b.op == c.op) {
            s.on("FUL-REV-002", f, "no entry in binding.yaml");
        }
        let row = corpus.rows.iter().find(|r| r.op == c.op);
        match row {
            None if c.call.shape != Shape::Convert => s.on("FUL-REV-004", f, "no row in src/ops.rs"),
            Some(r)
                if r.shape != c.call.shape.name()
                    || r.family != c.family
                    || r.functions.iter().any(|f| f.ends_with("_in_place")) != c.call.in_place
                    || samples(c, r) =>
            {
                s.on(
                    "FUL-REV-007",
                    f,
                    format!(
                        "row: {} {} {} {:?}, contract: {} {} in_place {} {:?}",
                        r.shape,
                        r.family,
                        r.functions.join(" "),
                        r.params,
                        c.call.shape.name(),
                        c.family,
                        c.call.in_place,
                        c.call.params.iter().map(|p| p.sample.exact("f64")).collect::<Vec<_>>()
                    ),
                )
            }
            _ => {}
        }
    }
    let mut seen = BTreeSet::new();
    for b in bindings {
        let file = "contracts/binding.yaml";
        let contract = corpus.contracts().find(|(_, c)| c.op == b.op).map(|(_, c)| c);
        if contract.is_none_or(|c| !c.equations.contains_key(&b.equation)) || !seen.insert(&b.op) {
            s.add(
                "FUL-REV-003",
                file,
                format!("`{}`: no contract, no equation `{}`, or a second entry", b.op, b.equation),
            );
        }
        let names: Vec<&str> = b.functions.iter().map(|f| f.path.rsplit("::").next().unwrap_or("")).collect();
        let allowed = [b.op.clone(), format!("{}_on", b.op), format!("{}_in_place", b.op)];
        // The other forms of an op on matrices: in place, batched, packed.
        let forms = contract
            .is_some_and(|c| c.call.shape.own_call() || matches!(c.call.shape, Shape::Gemm | Shape::Mixed));
        let form = |n: &str| forms && n.strip_prefix(&b.op).is_some_and(|rest| rest.starts_with('_'));
        let wanted = corpus.rows.iter().find(|r| r.op == b.op).map(|r| r.functions.clone());
        let missing = wanted.into_iter().flatten().find(|w| !names.contains(&w.as_str()));
        if let Some(other) = names.iter().find(|n| !allowed.iter().any(|a| a == *n) && !form(n)) {
            s.add("FUL-REV-005", file, format!("`{}` is bound to `{other}`", b.op));
        } else if let Some(m) = missing {
            s.add("FUL-REV-005", file, format!("`{}` does not bind `{m}`", b.op));
        } else if names.is_empty() {
            s.add("FUL-REV-005", file, format!("`{}` binds nothing", b.op));
        }
        let host = corpus.rows.iter().any(|r| r.op == b.op && r.gpu.starts_with("host:"));
        for backend in BACKENDS {
            let ok = !(host && backend != "cpu" && b.status.get(backend).is_some_and(|s| s == "native"))
                && b.status.get(backend).is_some_and(|s| {
                    s == "native" || s.strip_prefix("host:").is_some_and(|why| !why.trim().is_empty())
                });
            if !ok {
                s.add("FUL-REV-006", file, format!("`{}` on {backend}: {:?}", b.op, b.status.get(backend)));
            }
        }
    }
}

/// Whether the samples of the parameters differ from those of the row, where the row has them.
fn samples(c: &Contract, r: &Row) -> bool {
    matches!(c.call.shape, Shape::Unary | Shape::Binary | Shape::Update)
        && c.call.params.iter().map(|p| p.sample.exact("f64")).ne(r.params.iter().copied())
}

/// 25 for a clean file, 25 for edge cases, 25 for what executes it, 25 for levels; each derived.
fn score(s: &mut Sink<'_>, min: u32) -> BTreeMap<String, u32> {
    let corpus = s.corpus;
    let mut scores = BTreeMap::new();
    for (f, c) in corpus.contracts() {
        let name = f.path.strip_prefix(&corpus.root).unwrap_or(&f.path).display().to_string();
        let clean = s.findings.iter().all(|x| x.file != name);
        let kinds = edge_kinds(c);
        let edges =
            if !special(c) { 25 } else { 25 * kinds.iter().filter(|(_, k)| *k).count() / kinds.len() };
        let executes = [c.pres().count() > 0, c.posts().count() > 0, c.falsify.len() >= 2]
            .iter()
            .filter(|b| **b)
            .count();
        let proven = c.proof_obligations.iter().filter(|o| o.level >= Level::L2).count();
        let levels = 25 * proven / c.proof_obligations.len().max(1);
        let total = u32::from(clean) * 25
            + edges as u32
            + [0, 9, 17, 25].get(executes).copied().unwrap_or(0)
            + levels as u32;
        if total < min {
            s.on("FUL-SCR-001", f, format!("{total} of 100, at least {min} is required"));
        }
        scores.insert(c.op.clone(), total);
    }
    scores
}
