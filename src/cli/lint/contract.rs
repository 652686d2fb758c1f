//! What a contract alone has to hold: its fields, ids, arguments, edge cases and measurements, and what its obligations name.

use super::Sink;
use crate::corpus::File;
use crate::schema::{Contract, ObligationKind, Output, Post, ProvenBy, SCHEMA, Shape, Tolerance};
use std::collections::BTreeSet;

/// The variants of the library's `Error`.
const ERRORS: [&str; 14] = [
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
    "Pivot",
    "Convergence",
    "Expression",
    "Overflow",
];

pub(super) fn validate(s: &mut Sink<'_>, f: &File, c: &Contract) {
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
    for r in &c.residuals {
        texts.extend([("name", &r.name), ("error", &r.error), ("of", &r.of)]);
        texts.extend(r.reason_for_wide_bound.iter().map(|why| ("reason_for_wide_bound", why)));
    }
    texts.extend(c.reason_for_wide_bound.iter().map(|why| ("reason_for_wide_bound", why)));
    for (key, text) in texts {
        if text.trim().is_empty() {
            s.on("FUL-VAL-004", f, format!("`{key}` is empty"));
        }
    }
    ids(s, f, c);
    arguments(s, f, c);
    edges(s, f, c);
    for name in c.partial.iter().filter(|name| c.call.params.iter().all(|p| p.name != **name)) {
        s.on("FUL-VAL-006", f, format!("`{name}` of `partial` is no parameter"));
    }
    if !(c.partial.is_empty() || c.nan_of_parameters()) {
        s.on("FUL-VAL-006", f, "no postcondition is about NaN of a parameter, and `partial` excuses some");
    }
    for late in c.after_writes.iter().filter(|l| !ERRORS.contains(&l.error.as_str()) || l.args.is_empty()) {
        s.on("FUL-VAL-006", f, format!("`after_writes` has {late:?}"));
    }
    if c.types.is_empty() {
        s.on("FUL-VAL-009", f, "no element type");
    }
    for t in &c.types {
        if !c.tolerance.contains_key(t) || !c.performance.bytes_per_element.contains_key(t) {
            s.on("FUL-VAL-009", f, format!("`{t}` has no tolerance or no bytes_per_element"));
        }
    }
    measured(s, f, c);
    // What WGSL leaves open, and what units for narrower elements cut off, are stated beside the type that they have.
    let beside = |t: &String| matches!(&t[..], "wgsl" | "tensor") && c.types.iter().any(|t| t == "f32");
    let has = |t: &String| c.types.contains(t) || beside(t);
    if c.reason_for_wide_bound.is_some() && c.tolerance.values().all(|t| *t == Tolerance::Exact) {
        s.on("FUL-VAL-009", f, "the bound of an exact result is not wide: it has no `reason_for_wide_bound`");
    }
    if c.tolerance.keys().any(|t| !has(t)) {
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
    for inv in c.equations.values().flat_map(|e| &e.invariants) {
        if let Err(why) = inv.applies(&c.call) {
            s.on("FUL-VAL-007", f, format!("invariant {inv:?}: {why}"));
        }
    }
    for p in c.posts() {
        if let Post::WithinParams { lo, hi } = p {
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

pub(super) fn audit(s: &mut Sink<'_>, f: &File, c: &Contract) {
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

/// Whether the op has to state what it does with special inputs: bytes are none, and random numbers have none.
pub(super) fn special(c: &Contract) -> bool {
    !matches!(c.call.shape, Shape::Convert | Shape::Random) && c.types.iter().any(|t| t.starts_with('f'))
}

/// The special inputs, and whether some edge case has them.
pub(super) fn edge_kinds(c: &Contract) -> [(&'static str, bool); 6] {
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
