//! The seven gates: validate, audit, score, verify, enforce, level, reverse coverage.

mod contract;
mod proofs;
mod reverse;
mod signature;
mod source;

use crate::corpus::{Corpus, File};
use crate::report::Finding;
use crate::results::Results;
use crate::schema::{Level, Obligation, ProvenBy};
use contract::{audit, edge_kinds, special, validate};
use source::{enforce, generated, locked, verify};
use std::collections::BTreeMap;

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

/// Runs all gates. `results` is the text of the test runner's output, when there is one, and `compared` of what the tests
/// counted in that run.
pub fn run(corpus: &Corpus, results: Option<&str>, compared: Option<&str>, min_score: u32) -> Outcome {
    let mut s = Sink { corpus, findings: Vec::new() };
    for f in &corpus.files {
        match &f.contract {
            Err(e) => s.on("FUL-VAL-001", f, e.lines().next().unwrap_or("unreadable")),
            Ok(c) => {
                validate(&mut s, f, c);
                audit(&mut s, f, c);
                enforce(&mut s, f, c);
                signature::signature(&mut s, f, c);
            }
        }
    }
    unique_across(&mut s);
    let results = results.map(Results::parse);
    let (named, executed) = verify(&mut s, results.as_ref());
    if let (Some(Ok(results)), Some(compared)) = (&results, compared) {
        source::floors(&mut s, results, compared);
    }
    generated(&mut s);
    locked(&mut s);
    source::loosened(&mut s);
    proofs::level(&mut s);
    reverse::reverse(&mut s);
    let scores = score(&mut s, min_score);
    Outcome { findings: s.findings, scores, named, executed }
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
        let executes =
            [c.pres().count() > 0 || source::total(corpus, c), c.posts().count() > 0, c.falsify.len() >= 2]
                .iter()
                .filter(|b| **b)
                .count();
        // What a theorem says of the formula neither adds to the score nor lowers it.
        let formula = |o: &&Obligation| o.level < Level::L2 && matches!(o.proven_by, ProvenBy::Theorem(_));
        let (formulas, all) = (c.proof_obligations.iter().filter(formula).count(), c.proof_obligations.len());
        let proven = c.proof_obligations.iter().filter(|o| o.level >= Level::L2).count();
        let levels = 25 * proven / (all - formulas).max(1);
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
