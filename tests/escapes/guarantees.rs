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
    let loosened = [
        (
            "contracts/add-v1.yaml",
            ("f32: {ulp: 0.5}", "f32: {ulp: 4}"),
            "add: tolerance f32: from Ulp(0.5) to Ulp(4.0)",
        ),
        (
            "contracts/relu-v1.yaml",
            ("determinism: exact", "determinism: stable"),
            "relu: class: from exact to stable",
        ),
        ("contracts/relu-v1.yaml", remove("  - {name: nan, in: [[nan]], out: [nan]}\n"), "relu: edge nan"),
        ("contracts/relu-v1.yaml", remove(", {check: nan_iff_nan}"), "from NanIffNan to nothing"),
        (
            "contracts/binding.yaml",
            ("cuda: native", "cuda: \"host: nobody asked\""),
            "device cuda: from native to host",
        ),
    ];
    let tree = Tree::new("loosened");
    let record = tree.0.join("contracts/tightest.toml");
    let before = fs::read_to_string(&record).expect("read");
    for (file, (from, to), _) in loosened {
        tree.edit(file, from, to);
    }
    let locked = tree.fulmen(&["lock"]);
    assert!(locked.status.success());
    let said = String::from_utf8_lossy(&locked.stderr).into_owned();
    assert_eq!(fs::read_to_string(&record).expect("read"), before, "the record took it");
    // The finding of each, where there is one.
    let found = |tree: &Tree| {
        let lines = tree.lint(&[]);
        let of = |what: &str| {
            let is = |l: &&String| l.contains("FUL-LCK-005") && l.contains("LOOSENED") && l.contains(what);
            lines.iter().find(is).cloned()
        };
        (loosened.map(|(_, _, what)| of(what)), lines.iter().any(|l| l.contains("FUL-LCK-00")))
    };
    let first = found(&tree).0;
    // The line that names what was loosened and why: of this change, and of another.
    let mut reasons = Vec::new();
    for ((_, _, what), found) in loosened.iter().zip(&first) {
        assert!(said.contains(what), "{what}: lock is silent");
        let found = found.as_ref().unwrap_or_else(|| panic!("{what}: not found"));
        let (_, rest) = found.split_once("LOOSENED ").expect("said");
        let (op, rest) = rest.split_once(": ").expect("an op");
        let (item, rest) = rest.split_once(": from ").expect("an item");
        let (was, is) = rest.split_once(" to ").expect("both");
        let line = |to: &str| {
            format!(
                "- {{op: {op}, what: '{item}', from: '{was}', to: '{to}', reason: a test of what the gate accepts}}\n"
            )
        };
        reasons.push((line(is), line("less")));
    }
    let file = tree.0.join("contracts/loosened.yaml");
    let write = |text: String| fs::write(&file, text).expect("written");
    write(reasons.iter().map(|(_, other)| other.as_str()).collect());
    assert!(found(&tree).0.iter().all(Option::is_some));
    // Every second one has its reason: the others alone are found.
    let some = |i: usize, (own, other): &(String, String)| {
        if i.is_multiple_of(2) { own.clone() } else { other.clone() }
    };
    write(reasons.iter().enumerate().map(|(i, lines)| some(i, lines)).collect());
    for (i, one) in found(&tree).0.iter().enumerate() {
        assert_eq!(one.is_some(), !i.is_multiple_of(2), "{}", loosened[i].2);
    }
    write(reasons.iter().map(|(own, _)| own.as_str()).collect());
    assert!(tree.fulmen(&["lock"]).status.success());
    assert!(!found(&tree).1, "{:#?}", tree.lint(&[]));
    // Beside the earlier record each is still seen, and without the lines it fails.
    let earlier = tree.0.join("earlier.toml");
    fs::write(&earlier, &before).expect("written");
    let since = || tree.fulmen(&["loosened", "--since", &earlier.display().to_string()]);
    let said = since();
    assert!(said.status.success());
    for (_, _, what) in loosened {
        assert!(String::from_utf8_lossy(&said.stdout).contains(what), "{what}");
    }
    write(String::new());
    assert_eq!(since().status.code(), Some(1));
    caught_by_lint("gone-op", "FUL-LCK-005", "LOOSENED relu: contract", |t| {
        fs::remove_file(t.0.join("contracts/relu-v1.yaml")).expect("removed");
        assert!(t.fulmen(&["lock"]).status.success());
    });
}
