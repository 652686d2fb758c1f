//! Every way around a contract that we know of, tried on a copy of the tree, and which stage
//! notices. Needs the feature `cli` for the program.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

#[path = "escapes/guarantees.rs"]
mod guarantees;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A copy of what the gates and the compiler read.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("escapes").join(name);
        let _ = fs::remove_dir_all(&root);
        let from = Path::new(env!("CARGO_MANIFEST_DIR"));
        for part in ["src", "contracts", "tests"] {
            copy(&from.join(part), &root.join(part));
        }
        for file in ["Cargo.toml", "Cargo.lock", "README.md"] {
            if from.join(file).exists() {
                fs::copy(from.join(file), root.join(file)).expect("copied");
            }
        }
        // The other packages are not part of what is copied.
        let manifest = root.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).expect("read");
        let alone: Vec<&str> = text
            .lines()
            .filter(|l| !l.starts_with("members = ") && !l.starts_with("default-members = "))
            .collect();
        fs::write(&manifest, alone.join("\n")).expect("written");
        Self(root)
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path).expect("read");
        assert!(text.contains(from), "{file} does not contain `{from}`");
        fs::write(&path, text.replacen(from, to, 1)).expect("written");
    }

    fn fulmen(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_fulmen"))
            .arg("contract")
            .args(args)
            .current_dir(&self.0)
            .output()
            .expect("the program runs")
    }

    /// The findings, one line each.
    fn lint(&self, args: &[&str]) -> BTreeSet<String> {
        let out = self.fulmen(&[&["lint"], args].concat());
        assert!(matches!(out.status.code(), Some(0 | 1)), "{}", String::from_utf8_lossy(&out.stderr));
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let findings: BTreeSet<String> =
            text.lines().filter(|l| l.contains("[FUL-")).map(Into::into).collect();
        assert_eq!(findings.is_empty(), out.status.success(), "the exit status does not follow the findings");
        findings
    }

    fn check(&self) -> Output {
        // What is older than its last success cargo takes for checked.
        let root = self.0.join("src/lib.rs");
        let text = fs::read(&root).expect("read");
        fs::write(&root, text).expect("written");
        Command::new(env!("CARGO"))
            .args(["check", "--lib", "--profile", "test", "--offline", "--quiet"])
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("escapes-target"))
            // Of one tree after the other little is new.
            .env("CARGO_INCREMENTAL", "1")
            // That of the program lets the compiler take what is not stable.
            .env_remove("RUSTC_WORKSPACE_WRAPPER")
            .current_dir(&self.0)
            .output()
            .expect("cargo runs")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for e in fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display())) {
        let path = e.expect("entry").path();
        let to = to.join(path.file_name().expect("named"));
        if path.is_dir() {
            copy(&path, &to);
        } else if path
            .extension()
            .is_some_and(|x| ["rs", "yaml", "json", "toml", "txt", "v", "md", "pl"].iter().any(|k| x == *k))
        {
            fs::copy(&path, &to).expect("copied");
        }
    }
}

/// Applies `escape` to a fresh copy; the gates must then report a finding of `rule` that contains
/// `about`. The untouched copy has no finding at all, see `the_tree_as_it_is_passes`.
fn caught_by_lint(name: &str, rule: &str, about: &str, escape: impl FnOnce(&Tree)) {
    caught_by_rules(name, &[(rule, about)], escape);
}

/// The same for several rules that an escape breaks, or for escapes in places apart.
fn caught_by_rules(name: &str, rules: &[(&str, &str)], escape: impl FnOnce(&Tree)) {
    let tree = Tree::new(name);
    escape(&tree);
    let found = tree.lint(&[]);
    for (rule, about) in rules {
        assert!(
            found.iter().any(|l| l.contains(&format!("[{rule}]")) && l.contains(about)),
            "{name}: no {rule} about `{about}`; findings: {found:#?}"
        );
    }
}

#[test]
fn the_tree_as_it_is_passes() {
    let findings = Tree::new("untouched").lint(&[]);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_deleted_contract() {
    let remove = |t: &Tree| fs::remove_file(t.0.join("contracts/relu-v1.yaml")).expect("removed");
    let rules = [("FUL-REV-001", "`relu`"), ("FUL-LCK-003", "`relu`"), ("FUL-REV-003", "`relu`")];
    caught_by_rules("delete", &rules, remove);
    let tree = Tree::new("delete");
    remove(&tree);
    assert!(!tree.fulmen(&["generate", "--check"]).status.success());
}

#[test]
fn a_dropped_theorem() {
    caught_by_lint("drop", "FUL-LVL-002", "softmax_sums_to_one", |t| {
        let path = t.0.join("contracts/proofs/INDEX.txt");
        let text = fs::read_to_string(&path).expect("read");
        let kept: Vec<&str> = text.lines().filter(|l| !l.contains("softmax_sums_to_one")).collect();
        fs::write(&path, kept.join("\n")).expect("written");
    });
    caught_by_lint("drop-proof", "FUL-LVL-003", "softmax_sums_to_one", |t| {
        t.edit("contracts/proofs/Softmax.v", "Theorem softmax_sums_to_one", "Theorem something_else");
    });
    caught_by_lint("drop-op", "FUL-LVL-007", "softmax_sums_to_one", |t| {
        let line = "the parts of a non-empty row sum to 1  softmax";
        t.edit("contracts/proofs/INDEX.txt", line, &format!("{line},softmin"));
    });
}

#[test]
fn an_admitted_lemma() {
    caught_by_lint("admit", "FUL-LVL-004", "Admitted", |t| {
        t.edit("contracts/proofs/Softmax.v", "Qed.", "Admitted.")
    });
    caught_by_lint("axiom", "FUL-LVL-004", "Axiom", |t| {
        t.edit("contracts/proofs/Softmax.v", "\nTheorem ", "\nAxiom convenient : False.\nTheorem ");
    });
}

#[test]
fn a_deleted_or_renamed_test() {
    caught_by_lint("rename", "FUL-VER-003", "FALSIFY-RELU-001", |t| {
        t.edit("tests/contracts.rs", "fn edge_cases()", "fn edge_case()");
        t.edit("tests/contracts.rs", "fn edge_cases()", "fn edge_case()");
    });
    caught_by_lint("no-attribute", "FUL-VER-003", "FALSIFY-RELU-002", |t| {
        for _ in 0..2 {
            t.edit("tests/contracts.rs", "#[test]\n            fn postconditions()", "fn postconditions()");
        }
    });
    caught_by_lint("numbered-twice", "FUL-VAL-005", "RELU-P1", |t| {
        let twice = "promises: [of_shape, {promise: falsify.edge_cases, number: 1}]\nperformance:";
        t.edit("contracts/relu-v1.yaml", "performance:", twice);
    });
}

/// The runner's output decides: a test that is named and exists, but did not run or failed, is found.
#[test]
fn a_test_that_did_not_run() {
    let tree = Tree::new("results");
    let log = |name: &str, text: &str| {
        let path = tree.0.join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let run = "     Running main.rs (x)\n";
    let part = log(
        "part.log",
        &format!(
            "{run}test contracts::falsify::relu::edge_cases ... ok\ntest contracts::falsify::relu::postconditions ... FAILED\ntest contracts::falsify::relu::preconditions ... ignored\n"
        ),
    );
    let findings = tree.lint(&["--results", &part]);
    let has = |rule: &str, id: &str| findings.iter().any(|l| l.contains(rule) && l.contains(id));
    assert!(!has("FUL-VER-001", "FALSIFY-RELU-001") && !has("FUL-VER-002", "FALSIFY-RELU-001"));
    assert!(has("FUL-VER-002", "FALSIFY-RELU-002"));
    assert!(has("FUL-VER-001", "FALSIFY-RELU-003"));
    assert!(has("FUL-VER-001", "FALSIFY-ADD-001"));
    // Another target's test of the same name proves nothing.
    let other = log("other.log", "     Running other.rs (x)\ntest falsify::relu::edge_cases ... ok\n");
    assert!(
        tree.lint(&["--results", &other])
            .iter()
            .any(|l| l.contains("FUL-VER-001") && l.contains("FALSIFY-RELU-001"))
    );
    let empty = log("empty.log", "running 0 tests\n");
    assert!(tree.lint(&["--results", &empty]).iter().any(|l| l.contains("FUL-VER-004")));
    assert_eq!(tree.fulmen(&["lint", "--results", "absent.log"]).status.code(), Some(2));
    // One that passed and looked at less than its kind does.
    let relu = |what: &str| format!("contracts::falsify::relu::edge_cases {what}\n");
    for (text, found) in
        [(relu("40"), false), (relu("4"), true), (String::new(), true), (relu("lacks AMX"), false)]
    {
        let counts = log("counts", &text);
        let findings = tree.lint(&["--results", &part, "--compared", &counts]);
        assert_eq!(
            findings.iter().any(|l| l.contains("FUL-VER-006") && l.contains("relu::edge_cases")),
            found,
            "{text}"
        );
    }
    let table = String::from_utf8(tree.fulmen(&["status", "--results", &part]).stdout).expect("text");
    assert!(table.lines().any(|l| l.starts_with("relu ") && l.ends_with("1/3")), "{table}");
}

#[test]
fn a_weakened_postcondition() {
    let weaken = |t: &Tree| t.edit("contracts/relu-v1.yaml", "lo: 0,", "lo: -1,");
    caught_by_lint("weaken", "FUL-LCK-001", "relu", weaken);
    caught_by_lint("weaken", "FUL-ENF-003", "specs.rs", weaken);
    let remove = |t: &Tree| t.edit("contracts/relu-v1.yaml", ", {check: nan_iff_nan}", "");
    caught_by_lint("remove-post", "FUL-LCK-001", "relu", remove);
}

#[test]
fn what_is_stated_beside_the_promises() {
    // A theorem, and what it rests on.
    let file = "contracts/proofs/Softmax.v";
    let sums = "forall l, l <> [] -> total (softmax l) = 1.";
    caught_by_lint("theorem", "FUL-LCK-004", "proofs/Softmax.v", |t| t.edit(file, sums, "True."));
    let absurd = "Section S. Hypothesis absurd : False. Theorem softmax_sums_to_one";
    let absurd = |t: &Tree| t.edit(file, "Theorem softmax_sums_to_one", absurd);
    caught_by_lint("hypothesis", "FUL-LCK-004", "proofs/Softmax.v", absurd);
    // Bounds, figures and bindings.
    for (name, file, from, to, op) in [
        ("bound", "contracts/promises.yaml", "up to 8 leaves", "up to 80 leaves", "softmax"),
        ("shape", "contracts/shapes/unary.yaml", "error: Len", "error: Empty", "relu"),
        ("promise", "contracts/shapes/unary.yaml", "  - falsify.preconditions\n", "", "relu"),
        (
            "invariant",
            "contracts/exp-v1.yaml",
            "equation:\n",
            "equation:\n  invariants: [{check: odd}]\n",
            "exp",
        ),
        ("worst", "contracts/exp-v1.yaml", "ulp: 0.8942", "ulp: 0.1", "exp"),
        ("speed", "contracts/exp-v1.yaml", "{ratio: 1", "{ratio: 9", "exp"),
        ("bound-op", "contracts/binding.yaml", "signature: \"", "signature: \"unsafe ", "was"),
    ] {
        let tree = Tree::new(name);
        tree.edit(file, from, to);
        let found = tree.lint(&[]);
        assert!(
            found.iter().any(|l| l.contains("FUL-LCK-001") && (op == "was" || l.contains(op))),
            "{name}: {found:#?}"
        );
    }
    // A second line for an op, which a reader of the file might take for the first.
    caught_by_lint("second", "FUL-LCK-004", "relu", |t| {
        let path = t.0.join("contracts/locked.toml");
        let text = fs::read_to_string(&path).expect("read");
        let line = text.lines().find(|l| l.starts_with("relu = ")).expect("locked").to_owned();
        fs::write(&path, format!("{text}{line}\n")).expect("written");
    });
}

#[test]
fn a_widened_tolerance() {
    let widen = |t: &Tree| t.edit("contracts/add-v1.yaml", "f32: {ulp: 0.5}", "f32: {ulp: 4}");
    caught_by_rules("widen", &[("FUL-LCK-001", "add"), ("FUL-ENF-003", "specs.rs")], widen);
    let tree = Tree::new("widen");
    widen(&tree);
    assert!(!tree.fulmen(&["generate", "--check"]).status.success());
    // Regenerating does not hide it: only `lock` accepts it, and that is a line in the diff.
    assert!(tree.fulmen(&["generate"]).status.success());
    assert!(tree.lint(&[]).iter().any(|l| l.contains("FUL-LCK-001") && l.contains("add")));
    let before = fs::read_to_string(tree.0.join("contracts/locked.toml")).expect("read");
    assert!(tree.fulmen(&["lock"]).status.success());
    let after = fs::read_to_string(tree.0.join("contracts/locked.toml")).expect("read");
    assert_eq!(before.lines().zip(after.lines()).filter(|(a, b)| a != b).count(), 1);
    // The generated file by hand.
    caught_by_lint("by-hand", "FUL-ENF-003", "specs.rs", |t| {
        t.edit("src/contract/specs.rs", "Tolerance::Ulp(0.5)", "Tolerance::Ulp(50.0)");
    });
}

#[test]
fn a_binding_to_another_function() {
    caught_by_lint("rebind", "FUL-REV-005", "`relu` is bound to `abs`", |t| {
        t.edit("contracts/binding.yaml", "\"fulmen::relu\"", "\"fulmen::abs\"");
    });
    caught_by_lint("unbind", "FUL-REV-002", "relu", |t| {
        t.edit(
            "contracts/binding.yaml",
            "  - op: relu\n    equation: relu",
            "  - op: gone\n    equation: gone",
        );
    });
}

#[test]
fn an_op_marked_not_implemented() {
    caught_by_lint("unimplemented", "FUL-REV-006", "not_implemented", |t| {
        t.edit("contracts/binding.yaml", "cpu: native", "cpu: not_implemented");
    });
    caught_by_lint("no-reason", "FUL-REV-006", "wgpu", |t| {
        t.edit(
            "contracts/binding.yaml",
            "wgpu: \"host: one instruction of a GPU, part of its loads and stores\"",
            "wgpu: \"host:\"",
        );
    });
    // There is a template, and there is none.
    caught_by_lint("on-the-host", "FUL-REV-006", "on wgpu", |t| {
        t.edit("contracts/binding.yaml", "wgpu: native", "wgpu: \"host: nobody asked\"");
    });
    caught_by_lint("no-template", "FUL-REV-006", "on cuda", |t| {
        t.edit(
            "contracts/binding.yaml",
            "cuda: \"host: one instruction of a GPU, part of its loads and stores\"",
            "cuda: native",
        );
    });
}

#[test]
fn smaller_promises() {
    let prose = "equation:\n  invariants: [\"exp(x) > x\"]\n";
    // An invariant that the op has no arguments for.
    let arity = "equation:\n  invariants: [{check: commutative}]\n";
    let above = "op: add\nworst_error_measured: [{type: f32, lane: avx2x8, ulp: 0.75, at: 1.5, inputs: all, date: 2026-01-01}]\n";
    let exact = "reason_for_wide_bound: \"it is exact\"\nequation:";
    let level = "promises: [{promise: falsify.edge_cases, level: L5}, falsify.postconditions, falsify.preconditions]\nperformance:";
    let row = "  - {name: nan, in: [[nan]], out: [nan]}\n";
    // Each of an op of its own: its contract, its row of the list, its line of the lock.
    let escapes = [
        ("FUL-LVL-001", "RELU-P1", "contracts/relu-v1.yaml", "performance:", level),
        ("FUL-AUD-004", "floor", "contracts/floor-v1.yaml", row, ""),
        ("FUL-REV-004", "ceil", "contracts/ceil-v1.yaml", "op: ceil\n", "op: roof\n"),
        ("FUL-REV-009", "ops.json", "contracts/ops.json", "\"kind\": \"out\"", "\"kind\": \"inout\""),
        ("FUL-REV-010", "`y: vec_inout T`", "contracts/gemv-v1.yaml", "inputs: [a, x, y]", "inputs: [a, x]"),
        (
            "FUL-REV-010",
            "in the order",
            "contracts/cosine_similarity_rows-v1.yaml",
            "inputs: [",
            "inputs: [x, ",
        ),
        ("FUL-LCK-002", "sub", "contracts/locked.toml", "\nsub = ", "\n# sub = "),
        ("FUL-VAL-001", "exp-v1", "contracts/exp-v1.yaml", "equation:\n", prose),
        ("FUL-VAL-007", "log2", "contracts/log2-v1.yaml", "equation:\n", arity),
        ("FUL-VAL-001", "mul-v1", "contracts/mul-v1.yaml", "op: mul\n", "op: mul\nnote: x\n"),
        ("FUL-VAL-001", "neg-v1", "contracts/neg-v1.yaml", "op: neg\n", "op: neg\nop: neg\n"),
        ("FUL-VAL-002", "exp2", "contracts/exp2-v1.yaml", "op: exp2\n", "op: exp2\nschema: 2\n"),
        ("FUL-VAL-009", "abs", "contracts/abs-v1.yaml", "equation:", exact),
        ("FUL-VAL-010", "add", "contracts/add-v1.yaml", "op: add\n", above),
    ];
    caught_by_rules("smaller", &escapes.map(|(rule, about, ..)| (rule, about)), |t| {
        escapes.iter().for_each(|(_, _, file, from, to)| t.edit(file, from, to));
    });
}

#[test]
fn nothing_to_check_is_an_error() {
    let tree = Tree::new("empty");
    assert_eq!(tree.fulmen(&["lint", "--dir", "absent"]).status.code(), Some(2));
    fs::create_dir_all(tree.0.join("none")).expect("made");
    assert_eq!(tree.fulmen(&["lint", "--dir", "none"]).status.code(), Some(2));
    assert_eq!(tree.fulmen(&["generate", "--dir", "none"]).status.code(), Some(2));
    assert_eq!(tree.fulmen(&["status", "--dir", "none"]).status.code(), Some(2));
    fs::write(tree.0.join("none/relu-v1.yaml"), "not: a contract\n").expect("written");
    assert_eq!(tree.fulmen(&["lint", "--dir", "none"]).status.code(), Some(1));
    assert_eq!(tree.fulmen(&["lock", "--dir", "none"]).status.code(), Some(2));
}

#[test]
fn sarif_names_the_rule_and_the_file() {
    let tree = Tree::new("sarif");
    tree.edit("contracts/relu-v1.yaml", "op: relu\n", "op: relu\nschema: 2\n");
    let out = tree.fulmen(&["lint", "--format", "sarif"]);
    assert_eq!(out.status.code(), Some(1));
    let text = String::from_utf8(out.stdout).expect("UTF-8");
    let parsed: serde_like::Json = serde_like::parse(&text);
    assert!(parsed.0, "no balanced JSON: {text}");
    assert!(text.contains("\"version\":\"2.1.0\"") && text.contains("\"ruleId\":\"FUL-VAL-002\""));
    assert!(text.contains("\"uri\":\"contracts/relu-v1.yaml\""));
}

/// JSON is YAML's subset: the reader of the contracts says whether it is well formed.
mod serde_like {
    pub struct Json(pub bool);
    pub fn parse(text: &str) -> Json {
        Json(serde_saphyr::from_str::<serde::de::IgnoredAny>(text).is_ok())
    }
}

/// What the compiler itself refuses: one tree, changed and restored in turn.
#[test]
fn the_compiler_refuses() {
    let tree = Tree::new("compiler");
    let refused = |whys: &[&str]| {
        let out = tree.check();
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        for why in whys {
            assert!(!out.status.success() && text.contains(why), "expected `{why}`: {text}");
        }
    };
    let keep = |file: &str| (tree.0.join(file), fs::read_to_string(tree.0.join(file)).expect("read"));
    let restore = |(path, text): (PathBuf, String)| fs::write(path, text).expect("written");

    // A removed `contract!`, a function of another type, and a binding to one, regenerated: types all, which one run finds.
    let kept =
        ["src/pointwise/arithmetic.rs", "contracts/binding.yaml", "src/contract/bindings.rs"].map(keep);
    let text = &kept[0].1;
    let start = text.find("contract!(fma, ").expect("fma has its contract!");
    let end = start + text[start..].find(", &Call").expect("its call");
    let close = end + text[end..].find("\n}").expect("its end");
    // The last parenthesis is that of `named!`, which the contract stands in.
    let without =
        format!("{}{}){}", &text[..start], &text[start + "contract!(fma, ".len()..end], &text[close..]);
    fs::write(&kept[0].0, without).expect("written");
    tree.edit(
        "src/pointwise/arithmetic.rs",
        "pub fn axpy<T: Element>(alpha: T, x: &[T]",
        "pub fn axpy<T: Element>(x: &[T], alpha: T",
    );
    tree.edit("contracts/binding.yaml", "\"fulmen::relu\"", "\"fulmen::add\"");
    assert!(tree.fulmen(&["generate"]).status.success());
    refused(&["Enforced", "mismatched types", "crate::axpy::<f32>;", "crate::add::<f32>;"]);
    kept.into_iter().for_each(restore);
    // A removed function.
    let kept = keep("src/pointwise/arithmetic.rs");
    tree.edit("src/pointwise/arithmetic.rs", "pub fn axpy<T", "pub fn axpby<T");
    refused(&["cannot find value `axpy`"]);
    restore(kept);

    // `not_implemented`, regenerated.
    let kept = (keep("contracts/binding.yaml"), keep("src/contract/bindings.rs"));
    tree.edit("contracts/binding.yaml", "cpu: native", "cpu: not_implemented");
    assert!(tree.fulmen(&["generate"]).status.success());
    refused(&["is not implemented on cpu"]);
    restore(kept.0);
    restore(kept.1);

    // And the way in: the tree as it was, with a scaffolded op, compiles and passes the gates.
    let before = tree.lint(&[]);
    for (op, shape) in [("twin_of_x", "unary"), ("twin_sum", "binary")] {
        let out = tree.fulmen(&["new", op, "--shape", shape]);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
    // The program is older than the new rows, and finds no other fault.
    let found: Vec<String> = tree.lint(&[]).difference(&before).cloned().collect();
    let (no_row, others): (Vec<&String>, Vec<&String>) =
        found.iter().partition(|l| l.contains("FUL-REV-004"));
    assert!(no_row.len() == 2 && no_row.iter().all(|l| l.contains("twin_")), "{found:#?}");
    // That a row is unknown costs the names of its tests, and the score that those give.
    let follows = |l: &&String| {
        (l.contains("FUL-VER-003") || l.contains("FUL-SCR-001")) && l.contains("contracts/twin_")
    };
    assert!(others.iter().all(follows), "the scaffold has findings: {others:#?}");
    let ok = tree.check();
    assert!(ok.status.success(), "{}", String::from_utf8_lossy(&ok.stderr));
    for (op, why) in [("twin_of_x", "exists"), ("Bad", "snake"), ("../up", "snake")] {
        let out = tree.fulmen(&["new", op]);
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&out.stderr).contains(why));
    }
}

/// Facts that are wrong stop the compiler, with file and line. Their module alone is compiled, with the sets of CPUs that it names:
/// the library has no other place that reads them.
#[test]
fn malformed_facts_stop_the_build() {
    let tree = Tree::new("facts");
    let read = |file: &str| fs::read_to_string(tree.0.join(file)).expect("read");
    let root = tree.0.join("src/facts_alone.rs");
    fs::write(&root, "pub mod isa; pub mod hardware;").expect("written");
    let check = || {
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Aunexpected_cfgs", "-o"]);
        rustc.arg(tree.0.join("facts.rmeta")).arg(&root).current_dir(&tree.0).output().expect("rustc runs")
    };
    let ok = check();
    assert!(ok.status.success(), "{}", String::from_utf8_lossy(&ok.stderr));
    let (facts, good) = (tree.0.join("src/hardware/facts.pl"), read("src/hardware/facts.pl"));
    let line = 1 + good.lines().position(|l| l == "hw_warp_size(sm_80, 32).").expect("the A100's warps");
    let target = 1 + good.lines().position(|l| l == "hardware_target(sm_80).").expect("the A100");
    for (from, to, line, why) in [
        ("hw_warp_size(sm_80, 32).", "hw_warp_size(sm_80, 32)", line, "expected `name(target, value).`"),
        ("hw_warp_size(sm_80, 32).", "hw_warp_size(sm_80, 0).", line, "is zero"),
        ("hw_warp_size(sm_80, 32).", "", target, "lacks the fact hw_warp_size"),
    ] {
        fs::write(&facts, good.replacen(from, to, 1)).expect("written");
        let out = check();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(!out.status.success(), "{to:?} compiles");
        assert!(
            text.contains(&format!("src/hardware/facts.pl:{line}: ")) && text.contains(why),
            "{to:?}: {text}"
        );
    }
}
