//! From the source back: every row and binding has its contract, and says the same.

use super::Sink;
use crate::corpus::read;
use crate::ops::as_json;
use crate::schema::{Contract, SCHEMA, Shape};
use fulmen::ops::{Gpu, OPS, Op};
use std::collections::BTreeSet;

/// The backends that a binding must account for.
const BACKENDS: [&str; 3] = ["cpu", "wgpu", "cuda"];

pub(super) fn reverse(s: &mut Sink<'_>) {
    let corpus = s.corpus;
    for r in OPS {
        if !corpus.files.iter().any(|f| f.path.ends_with(format!("{}-v1.yaml", r.name))) {
            s.add("FUL-REV-001", "src/ops.rs", format!("`{}` has no contract", r.name));
        }
    }
    if read(&corpus.dir.join("ops.json")) != as_json() {
        s.add("FUL-REV-009", "contracts/ops.json", "run `fulmen contract generate`");
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
        match row(&c.op) {
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
                        r.parameters,
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
        let wanted = row(&b.op).map_or(&[] as &[&str], |r| r.functions);
        let missing = wanted.iter().find(|w| !names.contains(w));
        if let Some(other) = names.iter().find(|n| !allowed.iter().any(|a| a == *n) && !form(n)) {
            s.add("FUL-REV-005", file, format!("`{}` is bound to `{other}`", b.op));
        } else if let Some(m) = missing {
            s.add("FUL-REV-005", file, format!("`{}` does not bind `{m}`", b.op));
        } else if names.is_empty() {
            s.add("FUL-REV-005", file, format!("`{}` binds nothing", b.op));
        }
        let gpu = row(&b.op).map(|r| r.gpu);
        let (host, cuda) = (matches!(gpu, Some(Gpu::Host(_))), matches!(gpu, Some(Gpu::Cuda(_))));
        for backend in BACKENDS {
            // A device runs an op exactly when its row names a template, or it.
            let native = backend == "cpu" || !host && (backend == "cuda" || !cuda);
            let ok = b.status.get(backend).is_some_and(|s| match s.strip_prefix("host:") {
                Some(why) => !native && !why.trim().is_empty(),
                None => native && s == "native",
            });
            if !ok {
                s.add("FUL-REV-006", file, format!("`{}` on {backend}: {:?}", b.op, b.status.get(backend)));
            }
        }
    }
}

/// The row of an op.
fn row(op: &str) -> Option<&'static Op> {
    OPS.iter().find(|r| r.name == op)
}

/// Whether the samples of the parameters differ from those of the row, where the row has them.
fn samples(c: &Contract, r: &Op) -> bool {
    matches!(c.call.shape, Shape::Unary | Shape::Binary | Shape::Update)
        && c.call.params.iter().map(|p| p.sample.exact("f64")).ne(r.parameters.iter().copied())
}
