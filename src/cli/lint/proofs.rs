//! Levels: each obligation claims what carries it, and a theorem is one, proven.

use super::Sink;
use crate::corpus::{read, without_comments};
use crate::schema::{Level, ProvenBy};
use std::collections::BTreeSet;

/// Files whose theorems are about the formula and not about what the op computes: they say nothing of rounding.
fn over_the_reals(theorem: &str) -> bool {
    const FILES: [&str; 11] = [
        "Softmax",
        "OnlineSoftmax",
        "Rotary",
        "Activations",
        "Norms",
        "Fft",
        "RealFft",
        "Rader",
        "Factor",
        "Lu",
        "Householder",
    ];
    FILES.iter().any(|f| theorem.strip_prefix(f).is_some_and(|rest| rest.starts_with('.')))
}

pub(super) fn level(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for (f, c) in corpus.contracts() {
        for o in &c.proof_obligations {
            let most = match &o.proven_by {
                ProvenBy::Review(_) => Level::L0,
                ProvenBy::Types(_) => Level::L1,
                ProvenBy::Test(_) => Level::L3,
                ProvenBy::Kani(_) => Level::L4,
                ProvenBy::Theorem(t) if over_the_reals(t) => Level::L1,
                ProvenBy::Theorem(_) => Level::L5,
            };
            let least = if matches!(o.proven_by, ProvenBy::Theorem(_)) { most } else { Level::L0 };
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
        // `-`: a type of the library that no op uses.
        for op in t.ops.iter().filter(|op| *op != "-" && !fulmen::ops::OPS.iter().any(|r| r.name == **op)) {
            s.add("FUL-LVL-007", "contracts/proofs/INDEX.txt", format!("`{}` is for `{op}`, no op", t.name));
        }
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
