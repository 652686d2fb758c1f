//! `contracts/locked.toml`: the promises of each contract in one line, so that weakening one shows up
//! in review as a changed line and never slips past `lint`.

use super::schema::Contract;
use std::collections::BTreeMap;

/// Everything that can be weakened, as one line of text.
pub fn promises(c: &Contract) -> String {
    let tolerance: Vec<String> = c.tolerance.iter().map(|(t, tol)| format!("{t} {tol:?}")).collect();
    let equations = c.equations.values();
    let count = |f: fn(&super::schema::Equation) -> usize| equations.clone().map(f).sum::<usize>();
    let levels: Vec<String> = c.proof_obligations.iter().map(|o| format!("{:?}", o.level)).collect();
    let conditions: String = equations
        .clone()
        .map(|e| {
            format!(
                "{:?}{:?}{:?}{:?}{:?}",
                e.formula, e.domain, e.codomain, e.preconditions, e.postconditions
            )
        })
        .collect();
    // A key that is left out promises nothing, so it changes no fingerprint.
    let call = format!("{:?}", c.call).replace(", options: [], outputs: []", "");
    format!(
        "{:?} {:?} | {} | pre {} post {} inv {} | edges {} | {} | {:016x}",
        c.determinism,
        c.order,
        tolerance.join(", "),
        count(|e| e.preconditions.len()),
        count(|e| e.postconditions.len()),
        count(|e| e.invariants.len()),
        c.edge_cases.len(),
        levels.join(" "),
        fnv(&format!("{conditions}{call}{:?}{:?}{:?}", c.edge_cases, c.proof_obligations, c.falsify)),
    )
}

/// FNV-1a: a fingerprint against accidents and unnoticed edits, not against forgery.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The text of `locked.toml`.
pub fn render<'a>(contracts: impl Iterator<Item = &'a Contract>) -> String {
    let mut out = String::from(
        "# Written by `fulmen contract lock`. A changed line means a changed promise: review it.\n",
    );
    for c in contracts {
        out.push_str(&format!("{} = '{}'\n", c.op, promises(c)));
    }
    out
}

pub fn parse(text: &str) -> BTreeMap<String, String> {
    text.lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|l| l.split_once(" = "))
        .map(|(op, v)| (op.to_string(), v.trim_matches('\'').to_string()))
        .collect()
}
