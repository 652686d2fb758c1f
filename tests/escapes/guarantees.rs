//! Ways to state or guarantee less: behind a proof, and with what `lock` accepts.

use super::{Tree, caught_by_lint};
use std::fs;

/// What a proof ends with is Coq's business: what follows is read, whatever it is.
#[test]
fn what_follows_a_proof() {
    let file = "contracts/proofs/Csr.v";
    for (name, end) in
        [("qed-blank", "Qed ."), ("defined", "Defined."), ("string", "Fail Check \"(*\". Qed.")]
    {
        let tree = Tree::new(name);
        tree.edit(file, "Qed.", &format!("{end}\nDefinition smuggled := 1."));
        assert!(
            tree.lint(&[]).iter().any(|l| l.contains("FUL-LCK-004") && l.contains("proofs/Csr.v")),
            "{name}"
        );
        // Once that is accepted, another value is not.
        assert!(tree.fulmen(&["lock"]).status.success());
        assert!(tree.lint(&[]).is_empty(), "{name}");
        tree.edit(file, "Definition smuggled := 1.", "Definition smuggled := 2.");
        assert!(
            tree.lint(&[]).iter().any(|l| l.contains("FUL-LCK-004") && l.contains("proofs/Csr.v")),
            "{name}"
        );
    }
    // The fingerprint of what Coq says.
    caught_by_lint("fingerprint", "FUL-LCK-005", "softmax_sums_to_one", |t| {
        let path = t.0.join("contracts/proofs/INDEX.txt");
        let text = fs::read_to_string(&path).expect("read");
        let line = text.lines().find(|l| l.contains("softmax_sums_to_one")).expect("listed");
        let (said, _) = line.rsplit_once(' ').expect("a fingerprint");
        fs::write(&path, text.replace(line, &format!("{said} 0123456789abcdef"))).expect("written");
        assert!(t.fulmen(&["lock"]).status.success());
    });
}

/// `lock` accepts a looser guarantee in `locked.toml`; the record of the tightest ones takes a line with the reason.
#[test]
fn a_loosened_promise() {
    let remove = |from: &'static str| (from, "");
    for (name, file, (from, to), what) in [
        (
            "looser-bound",
            "contracts/add-v1.yaml",
            ("f32: {ulp: 0.5}", "f32: {ulp: 4}"),
            "add: tolerance f32: from Ulp(0.5) to Ulp(4.0)",
        ),
        (
            "looser-class",
            "contracts/relu-v1.yaml",
            ("determinism: exact", "determinism: stable"),
            "relu: class: from exact to stable",
        ),
        (
            "dropped-edge",
            "contracts/relu-v1.yaml",
            remove("  - {name: nan, in: [[nan]], out: [nan]}\n"),
            "relu: edge nan",
        ),
        (
            "dropped-law",
            "contracts/relu-v1.yaml",
            remove("      - {check: nan_iff_nan}\n"),
            "from NanIffNan to nothing",
        ),
        (
            "dropped-device",
            "contracts/binding.yaml",
            ("cuda: native", "cuda: \"host: nobody asked\""),
            "device cuda: from native to host",
        ),
    ] {
        let tree = Tree::new(name);
        let record = tree.0.join("contracts/tightest.toml");
        let before = fs::read_to_string(&record).expect("read");
        tree.edit(file, from, to);
        let locked = tree.fulmen(&["lock"]);
        assert!(locked.status.success());
        assert!(String::from_utf8_lossy(&locked.stderr).contains(what), "{name}: lock is silent");
        assert_eq!(fs::read_to_string(&record).expect("read"), before, "{name}: the record took it");
        let found = tree.lint(&[]);
        let found =
            found.iter().find(|l| l.contains("FUL-LCK-005") && l.contains("LOOSENED") && l.contains(what));
        let found = found.unwrap_or_else(|| panic!("{name}: not found")).clone();
        // A reason of the same change, and of another.
        let (_, rest) = found.split_once("LOOSENED ").expect("said");
        let (op, rest) = rest.split_once(": ").expect("an op");
        let (item, rest) = rest.split_once(": from ").expect("an item");
        let (was, is) = rest.split_once(" to ").expect("both");
        let line = |to: &str| {
            format!(
                "- {{op: {op}, what: '{item}', from: '{was}', to: '{to}', reason: a test of what the gate accepts}}\n"
            )
        };
        let reasons = tree.0.join("contracts/loosened.yaml");
        fs::write(&reasons, line("less")).expect("written");
        assert!(tree.lint(&[]).iter().any(|l| l.contains("FUL-LCK-005")), "{name}");
        fs::write(&reasons, line(is)).expect("written");
        assert!(tree.fulmen(&["lock"]).status.success());
        assert!(!tree.lint(&[]).iter().any(|l| l.contains("FUL-LCK-00")), "{name}: {:#?}", tree.lint(&[]));
        // Beside the earlier record it is still seen, and without the line it fails.
        let earlier = tree.0.join("earlier.toml");
        fs::write(&earlier, &before).expect("written");
        let since = |tree: &Tree| tree.fulmen(&["loosened", "--since", &earlier.display().to_string()]);
        let said = since(&tree);
        assert!(said.status.success() && String::from_utf8_lossy(&said.stdout).contains(what), "{name}");
        fs::write(&reasons, "").expect("written");
        assert_eq!(since(&tree).status.code(), Some(1), "{name}");
    }
    caught_by_lint("gone-op", "FUL-LCK-005", "LOOSENED relu: contract", |t| {
        fs::remove_file(t.0.join("contracts/relu-v1.yaml")).expect("removed");
        assert!(t.fulmen(&["lock"]).status.success());
    });
}
