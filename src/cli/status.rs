//! What is proven, and by what that ran: every count is derived.

use super::corpus::Corpus;
use super::results::Results;
use super::schema::{Level, ProvenBy};
use core::fmt::Write as _;

/// op × obligations per level × backends × tests executed.
pub fn table(corpus: &Corpus, results: Option<&str>) -> Result<String, String> {
    let results = results.map(Results::parse).transpose()?;
    let bindings = corpus.binding.as_ref().map_err(|e| format!("binding.yaml: {e}"))?;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<20} {:>3} {:>3} {:>3} {:>3} {:>3} {:>3}  {:<6} {:<6} {:<6} tests",
        "op", "L0", "L1", "L2", "L3", "L4", "L5", "cpu", "wgpu", "cuda"
    );
    let mut totals = [0usize; 6];
    let (mut ran, mut named) = (0, 0);
    for (_, c) in corpus.contracts() {
        let mut levels = [0usize; 6];
        for o in &c.proof_obligations {
            let discharged = match &o.proven_by {
                // A theorem counts when the index lists it; `make proofs` checks the index.
                ProvenBy::Theorem(t) => {
                    corpus.theorems.iter().any(|i| format!("{}:{}", i.file, i.name) == *t)
                }
                // A test counts when it ran, or when no run was given to look into.
                ProvenBy::Test(id) => {
                    passed(results.as_ref(), c.falsify.iter().find(|f| f.id == *id).map(|f| &f.test))
                }
                // Kani does not run here: its obligation counts through the bounded test beside it.
                ProvenBy::Kani(id) => passed(
                    results.as_ref(),
                    c.kani_harnesses.iter().find(|k| k.id == *id).map(|k| &k.discharged_by),
                ),
                ProvenBy::Review(_) | ProvenBy::Types(_) => true,
            };
            if discharged && let Some(n) = levels.get_mut(index(o.level)) {
                *n += 1;
            }
        }
        for (t, l) in totals.iter_mut().zip(levels) {
            *t += l;
        }
        let status = bindings.bindings.iter().find(|b| b.op == c.op).map(|b| &b.status);
        let backend = |name: &str| {
            status.and_then(|s| s.get(name)).map_or("-", |s| s.split(':').next().unwrap_or("-")).to_string()
        };
        let here = c
            .falsify
            .iter()
            .filter(|f| results.as_ref().is_some_and(|r| r.tests.get(&f.test) == Some(&true)))
            .count();
        ran += here;
        named += c.falsify.len();
        let tests = if results.is_some() {
            format!("{here}/{}", c.falsify.len())
        } else {
            format!("?/{}", c.falsify.len())
        };
        let [l0, l1, l2, l3, l4, l5] = levels;
        let _ = writeln!(
            out,
            "{:<20} {l0:>3} {l1:>3} {l2:>3} {l3:>3} {l4:>3} {l5:>3}  {:<6} {:<6} {:<6} {tests}",
            c.op,
            backend("cpu"),
            backend("wgpu"),
            backend("cuda"),
        );
    }
    let [l0, l1, l2, l3, l4, l5] = totals;
    let _ = writeln!(
        out,
        "{} contracts: L0 {l0}, L1 {l1}, L2 {l2}, L3 {l3}, L4 {l4}, L5 {l5}; {}; {} theorems indexed; {} Kani harnesses named, none run here (L4 counts their bounded tests)",
        corpus.files.len(),
        if results.is_some() {
            format!("{ran} of {named} named tests executed and passed")
        } else {
            format!("{named} named tests, no run given (--results)")
        },
        corpus.theorems.len(),
        corpus.contracts().map(|(_, c)| c.kani_harnesses.len()).sum::<usize>(),
    );
    Ok(out)
}

fn index(l: Level) -> usize {
    l as usize
}

fn passed(results: Option<&Results>, test: Option<&String>) -> bool {
    test.is_some_and(|t| results.is_none_or(|r| r.tests.get(t) == Some(&true)))
}
