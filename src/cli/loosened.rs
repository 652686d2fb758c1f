//! `contracts/tightest.toml`: the tightest guarantees that each op has had, item by item. `contract lock` tightens it; it loosens an
//! item only where `contracts/loosened.yaml` has a line with the item, what it was, what it is and why.

use super::corpus::{Corpus, read};
use super::lock::fnv;
use super::schema::{AfterWrites, Domain, Param, Tolerance};
use serde::Deserialize;
use std::collections::BTreeMap;

/// An item of an op, or of a file of proofs, and what is guaranteed.
type Items = BTreeMap<String, String>;
/// By the op.
pub type Record = BTreeMap<String, Items>;

/// A line of `loosened.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    pub op: String,
    pub what: String,
    pub from: String,
    pub to: String,
    pub reason: String,
}

/// An item that guarantees less than it did.
pub struct Loosened {
    pub op: String,
    pub what: String,
    pub from: String,
    pub to: String,
}

impl Loosened {
    /// What the change says of it.
    pub fn reason<'a>(&self, reasons: &'a [Reason]) -> Option<&'a str> {
        let fits =
            |r: &&Reason| (&r.op, &r.what, &r.from, &r.to) == (&self.op, &self.what, &self.from, &self.to);
        reasons.iter().find(fits).map(|r| r.reason.trim()).filter(|r| r.split_whitespace().count() > 2)
    }
}

impl std::fmt::Display for Loosened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LOOSENED {}: {}: from {} to {}", self.op, self.what, self.from, self.to)
    }
}

/// What stands where nothing is guaranteed any more.
const NOTHING: &str = "nothing";

/// What the contracts guarantee now.
pub fn now(corpus: &Corpus) -> Record {
    let mut record = Record::new();
    for (_, c) in corpus.contracts() {
        let mut items = Items::new();
        let mut put = |what: String, guaranteed: String| items.insert(what, guaranteed);
        put("class".into(), format!("{:?}", c.determinism).to_lowercase());
        put("order".into(), format!("{:?}", c.order).to_lowercase());
        for (ty, tolerance) in &c.tolerance {
            put(format!("tolerance {ty}"), told(tolerance));
        }
        for ty in &c.types {
            put(format!("type {ty}"), "there".into());
        }
        for e in &c.edge_cases {
            put(format!("edge {}", e.name), short(&format!("{e:?}")));
        }
        for e in c.equations.values() {
            for law in e
                .postconditions
                .iter()
                .map(|p| format!("{p:?}"))
                .chain(e.invariants.iter().map(|i| format!("{i:?}")))
            {
                put(format!("law {}", short(&law)), plain(&law));
            }
            for p in &e.preconditions {
                put(format!("refusal {:?} {}", p.check, p.args.join("+")), p.error.clone());
            }
        }
        if c.nan_of_parameters() {
            let whole = |p: &&Param| p.domain == Domain::Any && !c.partial.contains(&p.name);
            for p in c.call.params.iter().filter(whole) {
                put(format!("nan of {}", p.name), "every result".into());
            }
        }
        if c.pres().count() > 0 {
            let late = |l: &AfterWrites| format!("{} {}", l.error, l.args.join("+"));
            let late: Vec<String> = c.after_writes.iter().map(late).collect();
            let late = if late.is_empty() { "all".into() } else { format!("all but {}", late.join(" ")) };
            put("refusals before writes".into(), late);
        }
        for o in &c.proof_obligations {
            put(format!("level {}", o.id), format!("{:?}", o.level));
        }
        for t in &c.falsify {
            put(format!("test {}", t.id), plain(&t.test));
        }
        for k in &c.kani_harnesses {
            put(format!("harness {}", k.id), plain(&k.harness));
        }
        for b in corpus.binding.iter().flat_map(|b| &b.bindings).filter(|b| b.op == c.op) {
            for (device, status) in &b.status {
                put(format!("device {device}"), plain(if status == "native" { "native" } else { "host" }));
            }
        }
        record.insert(c.op.clone(), items);
    }
    for t in &corpus.theorems {
        let items = record.entry(format!("proofs/{}", t.file)).or_default();
        items.insert(format!("theorem {}", t.name), t.fingerprint.clone());
    }
    record
}

/// A text in eight digits.
fn short(text: &str) -> String {
    format!("{:08x}", fnv(text) >> 32)
}

/// Without what separates items.
fn plain(text: &str) -> String {
    text.replace(['\'', ';', '\n'], " ")
}

/// As contracts write it, on one line.
fn told(t: &Tolerance) -> String {
    plain(&format!("{t:?}"))
}

/// The text of `tightest.toml`.
pub fn render(record: &Record) -> String {
    let mut out = String::from(
        "# Written by `fulmen contract lock`: the tightest guarantees that there were. A looser one needs a line of contracts/loosened.yaml.\n",
    );
    for (op, items) in record {
        let items: Vec<String> =
            items.iter().map(|(what, guaranteed)| format!("{what} = {guaranteed}")).collect();
        out.push_str(&format!("'{op}' = '{}'\n", items.join("; ")));
    }
    out
}

/// What such a text records.
pub fn parse(text: &str) -> Record {
    text.lines()
        .filter_map(|l| l.strip_prefix('\'')?.strip_suffix('\'')?.split_once("' = '"))
        .map(|(op, items)| {
            let items = items.split("; ").filter_map(|i| i.split_once(" = "));
            (op.to_string(), items.map(|(what, guaranteed)| (what.into(), guaranteed.into())).collect())
        })
        .collect()
}

/// The lines of `loosened.yaml`; a file that is not there has none.
pub fn reasons(corpus: &Corpus) -> Result<Vec<Reason>, String> {
    let text = read(&corpus.dir.join("loosened.yaml"));
    let lines = text.lines().any(|l| !l.trim().is_empty() && !l.starts_with('#'));
    if lines {
        serde_saphyr::from_str(&text).map_err(|e| format!("loosened.yaml: {e}"))
    } else {
        Ok(Vec::new())
    }
}

/// What guarantees less than the record does.
pub fn loosened(record: &Record, now: &Record) -> Vec<Loosened> {
    let mut all = Vec::new();
    for (op, items) in record {
        let Some(here) = now.get(op) else {
            all.push(Loosened {
                op: op.clone(),
                what: "contract".into(),
                from: "there".into(),
                to: NOTHING.into(),
            });
            continue;
        };
        for (what, from) in items {
            let to = here.get(what).map_or(NOTHING, String::as_str);
            if from != to && !tighter(what, from, to) {
                all.push(Loosened { op: op.clone(), what: what.clone(), from: from.clone(), to: to.into() });
            }
        }
    }
    all
}

/// Whether a guarantee that differs is certainly no weaker.
fn tighter(what: &str, from: &str, to: &str) -> bool {
    let rank = |order: &[&str], x: &str| order.iter().position(|o| *o == x);
    let above = |order: &[&str]| rank(order, from).zip(rank(order, to)).is_some_and(|(from, to)| to > from);
    match what.split(' ').next() {
        _ if to == NOTHING => false,
        Some("class") => above(&["bounded", "stable", "exact"]),
        Some("level") => above(&["L0", "L1", "L2", "L3", "L4", "L5"]),
        Some("device") => above(&["host", "native"]),
        Some("tolerance") => to == told(&Tolerance::Exact) || smaller(from, to),
        _ => false,
    }
}

/// Of two bounds of one form, whose numbers alone differ, whether none grew.
fn smaller(from: &str, to: &str) -> bool {
    let parts = |text: &str| -> (String, Vec<f64>) {
        let mut form = String::new();
        let mut numbers = Vec::new();
        for word in text.split_inclusive([' ', '(', ')', ',']) {
            let bare = word.trim_end_matches([' ', '(', ')', ',']);
            match bare.parse::<f64>() {
                Ok(x) => numbers.push(x),
                Err(_) => form.push_str(bare),
            }
            form.push_str(word.get(bare.len()..).unwrap_or_default());
        }
        (form, numbers)
    };
    let ((form, was), (other, is)) = (parts(from), parts(to));
    // The root of a count and one are at most the count.
    let slower = |form: &str| form.replace("per: Root", "per: N").replace("per: One", "per: N");
    let grows = |form: &str| ["per: One", "per: Root", "per: N"].iter().position(|per| form.contains(per));
    (form == other || (slower(&form) == slower(&other) && grows(&other) < grows(&form)))
        && was.len() == is.len()
        && was.iter().zip(&is).all(|(was, is)| is <= was)
}

/// The record that `lock` writes: what is guaranteed now, and, where that is less than before without a reason, what was.
pub fn kept(record: &Record, mut now: Record, reasons: &[Reason]) -> Record {
    for l in loosened(record, &now) {
        if l.reason(reasons).is_none() {
            match (l.what.as_str(), record.get(&l.op)) {
                ("contract", Some(items)) => _ = now.insert(l.op, items.clone()),
                _ => _ = now.entry(l.op).or_default().insert(l.what, l.from),
            }
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Record {
        parse(&format!("'op' = '{text}'\n"))
    }

    #[test]
    fn what_is_looser() {
        for (from, to, looser) in [
            ("tolerance f32 = Ulp(0.5)", "tolerance f32 = Ulp(0.25)", 0),
            ("tolerance f32 = Ulp(0.5)", "tolerance f32 = Ulp(4.0)", 1),
            ("tolerance f32 = Ulp(0.5)", "tolerance f32 = Rel(1e-9)", 1),
            ("tolerance f32 = Ulp(0.5)", "tolerance f32 = Exact", 0),
            (
                "tolerance f32 = RelAbs { rel: 1e-7, abs: 1e-9 }",
                "tolerance f32 = RelAbs { rel: 1e-8, abs: 1e-8 }",
                1,
            ),
            (
                "tolerance f32 = RelAbs { rel: 1e-7, abs: 1e-9 }",
                "tolerance f32 = RelAbs { rel: 1e-8, abs: 1e-9 }",
                0,
            ),
            (
                "tolerance f32 = Gamma { times: 4.0, per: N, plus: 1.0 }",
                "tolerance f32 = Gamma { times: 2.0, per: Root, plus: 1.0 }",
                0,
            ),
            (
                "tolerance f32 = Gamma { times: 4.0, per: Root, plus: 1.0 }",
                "tolerance f32 = Gamma { times: 2.0, per: N, plus: 1.0 }",
                1,
            ),
            (
                "tolerance f32 = Gamma { times: 4.0, per: N, plus: 1.0 }",
                "tolerance f32 = Gamma { times: 5.0, per: Root, plus: 1.0 }",
                1,
            ),
            ("tolerance f32 = Ulp(0.5); tolerance f64 = Exact", "tolerance f32 = Ulp(0.5)", 1),
            ("class = exact", "class = stable", 1),
            ("class = stable", "class = exact", 0),
            ("edge nan = 00000001", "edge zero = 00000001", 1),
            ("edge nan = 00000001", "edge nan = 00000002", 1),
            ("level A = L3", "level A = L2", 1),
            ("level A = L2", "level A = L3; level B = L1", 0),
            ("device cuda = native", "device cuda = host", 1),
            ("law 0a = Odd", "class = exact", 1),
        ] {
            let (was, is) = (record(from), record(to));
            assert_eq!(loosened(&was, &is).len(), looser, "{from} -> {to}");
            assert_eq!(render(&kept(&was, is.clone(), &[])) == render(&is), looser == 0, "{from} -> {to}");
        }
        assert_eq!(loosened(&record("class = exact"), &Record::new()).len(), 1);
        let was = record("class = exact");
        assert_eq!(render(&kept(&was, Record::new(), &[])), render(&was));
        assert_eq!(parse(&render(&was)), was);
    }

    #[test]
    fn a_reason_is_of_the_change() {
        let l = Loosened { op: "a".into(), what: "class".into(), from: "exact".into(), to: "stable".into() };
        let reason = |to: &str, reason: &str| Reason {
            op: "a".into(),
            what: "class".into(),
            from: "exact".into(),
            to: to.into(),
            reason: reason.into(),
        };
        assert!(l.reason(&[reason("stable", "sums of threads differ")]).is_some());
        assert!(l.reason(&[reason("stable", "  ")]).is_none());
        assert!(l.reason(&[reason("bounded", "sums of threads differ")]).is_none());
    }
}
