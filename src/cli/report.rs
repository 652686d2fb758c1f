//! Findings, as text and as SARIF 2.1.0.

use core::fmt::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Error,
}

/// Every rule: id, severity, what a finding means.
pub const RULES: &[(&str, Severity, &str)] = &[
    ("FUL-VAL-001", Severity::Error, "the file does not follow the schema"),
    ("FUL-VAL-002", Severity::Error, "another schema version"),
    ("FUL-VAL-003", Severity::Error, "file name and op differ"),
    ("FUL-VAL-004", Severity::Error, "an empty text where the contract must say something"),
    ("FUL-VAL-005", Severity::Error, "a duplicate id or predicate"),
    ("FUL-VAL-006", Severity::Error, "an id that does not follow its pattern"),
    ("FUL-VAL-007", Severity::Error, "a name that the call does not have"),
    ("FUL-VAL-008", Severity::Error, "an edge case that does not fit the call"),
    ("FUL-VAL-009", Severity::Error, "a tolerance or figure is missing for an element type"),
    ("FUL-VAL-010", Severity::Error, "a measured error is above the tolerance"),
    ("FUL-VAL-011", Severity::Error, "a version or date that is none"),
    ("FUL-AUD-003", Severity::Error, "no reference"),
    ("FUL-AUD-004", Severity::Error, "an edge case that every float op must state is missing"),
    ("FUL-AUD-005", Severity::Error, "no equivalence or bound obligation"),
    ("FUL-AUD-006", Severity::Error, "two contracts use one id"),
    ("FUL-AUD-007", Severity::Warning, "a measured ratio is below the regression threshold"),
    ("FUL-SCR-001", Severity::Error, "the score is below the threshold"),
    ("FUL-VER-001", Severity::Error, "a FALSIFY test was not executed in this run"),
    ("FUL-VER-002", Severity::Error, "a FALSIFY test failed in this run"),
    ("FUL-VER-003", Severity::Error, "a FALSIFY test does not exist in the source"),
    ("FUL-VER-004", Severity::Error, "the results file proves nothing"),
    ("FUL-VER-006", Severity::Error, "a test passed that compared less than tests of its kind do"),
    ("FUL-ENF-001", Severity::Error, "no precondition"),
    ("FUL-ENF-002", Severity::Error, "no postcondition"),
    ("FUL-ENF-003", Severity::Error, "src/contract/generated.rs does not match the contracts"),
    ("FUL-ENF-004", Severity::Error, "`contract!` is missing in the source of the op"),
    ("FUL-LCK-001", Severity::Error, "a guarantee differs from contracts/locked.toml"),
    ("FUL-LCK-002", Severity::Error, "a contract is not locked"),
    ("FUL-LCK-003", Severity::Error, "a locked contract is gone"),
    ("FUL-LCK-004", Severity::Error, "contracts/locked.toml is not what `lock` writes"),
    (
        "FUL-LCK-005",
        Severity::Error,
        "a guarantee is looser than it was, and contracts/loosened.yaml has no reason",
    ),
    ("FUL-LVL-001", Severity::Error, "the level claimed is above what the proof given can carry"),
    ("FUL-LVL-002", Severity::Error, "a theorem is not in proofs/INDEX.txt"),
    ("FUL-LVL-003", Severity::Error, "an indexed theorem is not in its file"),
    ("FUL-LVL-004", Severity::Error, "a proof is not finished: Admitted, admit, Abort or an axiom"),
    ("FUL-LVL-005", Severity::Error, "no obligation reaches L2"),
    ("FUL-LVL-006", Severity::Error, "the index does not list the op for the theorem"),
    ("FUL-LVL-007", Severity::Error, "the index lists a theorem for what is no op"),
    ("FUL-REV-001", Severity::Error, "an op of src/ops.rs has no contract"),
    ("FUL-REV-002", Severity::Error, "a contract has no binding"),
    ("FUL-REV-003", Severity::Error, "a binding has no contract, or names an equation that it does not have"),
    ("FUL-REV-004", Severity::Error, "a contract has no row in src/ops.rs"),
    (
        "FUL-REV-005",
        Severity::Error,
        "a binding points at a function of another name, or misses one of the row",
    ),
    (
        "FUL-REV-006",
        Severity::Error,
        "a backend without status, or a status that is neither `native` nor `host: reason`",
    ),
    ("FUL-REV-007", Severity::Error, "contract and row disagree on shape, family, forms or samples"),
    ("FUL-REV-008", Severity::Error, "binding.yaml does not follow the schema"),
    ("FUL-REV-009", Severity::Error, "contracts/ops.json is not what the list of ops says"),
    (
        "FUL-REV-010",
        Severity::Error,
        "contract and row disagree on what is read and written, or on its order",
    ),
];

#[derive(Debug, Clone)]
pub struct Finding {
    pub rule: &'static str,
    pub file: String,
    pub message: String,
}

impl Finding {
    pub fn severity(&self) -> Severity {
        RULES.iter().find(|(id, ..)| *id == self.rule).map_or(Severity::Error, |(_, s, _)| *s)
    }
}

pub fn text(findings: &[Finding]) -> String {
    let mut out = String::new();
    for f in findings {
        let severity = match f.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let _ = writeln!(out, "{severity}[{}] {}: {}", f.rule, f.file, f.message);
    }
    out
}

pub fn sarif(findings: &[Finding]) -> String {
    let level = |s| match s {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let rules: Vec<String> = RULES
        .iter()
        .map(|(id, s, text)| {
            format!(
                "{{\"id\":{},\"shortDescription\":{{\"text\":{}}},\"defaultConfiguration\":{{\"level\":\"{}\"}}}}",
                json(id),
                json(text),
                level(*s)
            )
        })
        .collect();
    let results: Vec<String> = findings
        .iter()
        .map(|f| {
            format!(
                "{{\"ruleId\":{},\"level\":\"{}\",\"message\":{{\"text\":{}}},\"locations\":[{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":{}}}}}}}]}}",
                json(f.rule),
                level(f.severity()),
                json(&f.message),
                json(&f.file)
            )
        })
        .collect();
    format!(
        "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{{\"name\":\"fulmen contract\",\"version\":{},\"rules\":[{}]}}}},\"results\":[{}]}}]}}\n",
        json(env!("CARGO_PKG_VERSION")),
        rules.join(","),
        results.join(",")
    )
}

pub fn json(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
