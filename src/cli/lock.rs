//! `contracts/locked.toml`: the guarantees of each contract in one line, and what each file of proofs states, so that
//! weakening one shows up in review as a changed line and never slips past `lint`.

use super::corpus::{Corpus, read, without_comments};
use super::schema::Contract;

/// Everything that can be weakened, as one line of text.
pub fn guarantees(corpus: &Corpus, c: &Contract) -> String {
    let tolerance: Vec<String> = c.tolerance.iter().map(|(t, tol)| format!("{t} {tol:?}")).collect();
    let residual = |r: &super::schema::Residual| {
        format!("; {}: {} <= ({} {:?} + {}) u {}", r.name, r.error, r.times, r.per, r.plus, r.of)
    };
    let residuals: String = c.residuals.iter().map(residual).collect();
    let equations = c.equations.values();
    let count = |f: fn(&super::schema::Equation) -> usize| equations.clone().map(f).sum::<usize>();
    let levels: Vec<String> = c.proof_obligations.iter().map(|o| format!("{:?}", o.level)).collect();
    let bindings = corpus.binding.iter().flat_map(|b| &b.bindings).filter(|b| b.op == c.op);
    let bindings: Vec<String> = bindings.map(|b| format!("{b:?}")).collect();
    // What most contracts do not have leaves their fingerprints alone.
    let mut excused = String::new();
    if !(c.partial.is_empty() && c.after_writes.is_empty()) {
        excused = format!("{:?}{:?}", c.partial, c.after_writes);
    }
    let call = format!("{:?}", c.call).replace(", overwrites: []", "");
    let stated = format!(
        "{:?}{call}{:?}{:?}{:?}{:?}{:?}{:?}{:?}{bindings:?}{excused}",
        c.types,
        c.equations,
        c.edge_cases,
        c.proof_obligations,
        c.falsify,
        c.kani_harnesses,
        c.performance,
        c.worst_error_measured,
    );
    format!(
        "{:?} {:?} | {}{residuals} | pre {} post {} inv {} | edges {} | {} | {:016x}",
        c.determinism,
        c.order,
        tolerance.join(", "),
        count(|e| e.preconditions.len()),
        count(|e| e.postconditions.len()),
        count(|e| e.invariants.len()),
        c.edge_cases.len(),
        levels.join(" "),
        fnv(&stated),
    )
}

/// What a file of proofs states, and the definitions that its statements rest on: all of it but comments and the tactics of
/// proofs. A tactic begins with a small letter and a command with a capital one, so that what stands between `Proof` and `Qed` and
/// defines something is part of it, whatever ends the proof.
fn statements(text: &str) -> String {
    let (mut said, mut proof) = (String::new(), false);
    for sentence in sentences(&without_comments(text)) {
        // What goals begin with: bullets and braces.
        let command = sentence.trim_start_matches(|c: char| "+-*{}".contains(c) || c.is_whitespace());
        match command {
            "Qed" if proof => proof = false,
            _ if command == "Proof" || command.starts_with("Proof ") => proof = true,
            _ if proof && command.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit()) => {}
            "" => {}
            _ => {
                proof &= command != "Defined";
                said.push_str(command);
                said.push_str(". ");
            }
        }
    }
    said
}

/// The sentences of Coq: each ends with a full stop and white space, neither of them in a string. White space is one blank.
fn sentences(text: &str) -> Vec<String> {
    let (mut all, mut one, mut string) = (Vec::new(), String::new(), false);
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        string ^= bare.matches('"').count() % 2 == 1;
        let (bare, ends) = match bare.strip_suffix('.') {
            Some(bare) if !string => (bare, true),
            _ => (bare, false),
        };
        if !bare.is_empty() {
            if !one.is_empty() {
                one.push(' ');
            }
            one.push_str(bare);
        }
        if ends {
            all.push(std::mem::take(&mut one));
        }
    }
    all.push(one);
    all
}

/// FNV-1a: a fingerprint against accidents and unnoticed edits, not against forgery.
pub fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The text of `locked.toml`.
pub fn render(corpus: &Corpus) -> String {
    let mut out = String::from(
        "# Written by `fulmen contract lock`. A changed line means a changed guarantee: review it.\n",
    );
    for (_, c) in corpus.contracts() {
        out.push_str(&format!("{} = '{}'\n", c.op, guarantees(corpus, c)));
    }
    let mut files: Vec<_> = std::fs::read_dir(corpus.dir.join("proofs"))
        .into_iter()
        .flatten()
        .filter_map(|e| e.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "v"))
        .collect();
    files.sort();
    for path in files {
        let said = statements(&read(&path));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let theorems: Vec<_> = corpus.theorems.iter().filter(|t| t.file == name).collect();
        let coq: String = theorems.iter().map(|t| format!("{} {} ", t.name, t.fingerprint)).collect();
        out.push_str(&format!(
            "'proofs/{name}' = '{} theorems | {:016x} | {:016x}'\n",
            theorems.len(),
            fnv(&said),
            fnv(&coq)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::statements;

    #[test]
    fn a_proof_states_nothing_and_all_else_is_stated() {
        let one = "Definition a := 1. (* why *)\nTheorem t : a = 1.\nProof.\n  reflexivity.\nQed.\n";
        let other = "Definition a := 1.\nTheorem t :\n  a = 1.\nProof. now unfold a. Qed.";
        assert_eq!(statements(one), statements(other));
        for (from, to) in [
            ("a = 1", "True"),
            ("a := 1", "a := 2"),
            ("Theorem", "Hypothesis absurd : False. Theorem"),
            ("Qed.", "Defined."),
            ("reflexivity.", "Definition b := 2. reflexivity."),
            ("reflexivity.", "- Definition b := 2. reflexivity."),
            ("Qed.", "Qed .\nDefinition b := 2."),
            ("Qed.", "Qed.\nDefinition b := 2. Definition c := 3."),
            ("Definition", "Check \"(*\". Definition"),
        ] {
            assert_ne!(statements(one), statements(&one.replace(from, to)), "{to}");
        }
        let after = |end: &str, b: &str| {
            statements(&one.replace(
                "Qed.",
                &format!("{end}\nDefinition b := {b}.\nTheorem u : b = b.\nProof. now idtac. Qed."),
            ))
        };
        for end in
            ["Qed.", "Qed .", "Qed\n.", "Defined.", "Defined (* why *) .", "Check \"(*\". Qed.", "Save a."]
        {
            assert_ne!(after(end, "1"), after(end, "2"), "{end}");
        }
    }
}
