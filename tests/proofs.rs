//! What links the theorems of `contracts/proofs` to the code: their formulas, evaluated as they stand there and compared with what ops
//! write; their algorithms, with the code's own tables; their constants; their conclusions, on inputs whose every number is exact.

use common::nn::Noise;
use fulmen::*;

mod blocks;
mod coq;
mod factors;
mod indices;
mod transforms;

/// The text of a file of the repository without blanks.
fn packed(path: &str) -> String {
    let text = std::fs::read_to_string(std::path::Path::new(common::ROOT).join(path));
    text.unwrap_or_else(|e| panic!("{path}: {e}")).chars().filter(|c| !c.is_whitespace()).collect()
}

/// What a test transcribes stands so in the proof.
fn stated(file: &str, text: &str) {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    assert!(packed(&format!("contracts/proofs/{file}")).contains(&text), "{file} has no `{text}`");
}

/// A theorem about the code's tree has the code's numbers in it.
#[test]
fn constants_of_theorems_are_those_of_the_code() {
    let leaf = fulmen::thresholds::ALL.iter().find(|t| t.name == "lanes::fold::LEAF_VECTORS");
    let lanes = 8;
    let leaf = leaf.expect("the leaf of the tree is a threshold").value * lanes;
    assert!(leaf.is_power_of_two());
    let text =
        std::fs::read_to_string(std::path::Path::new(common::ROOT).join("contracts/proofs/DriveSum.v"));
    let text = text.expect("the proof is there");
    // Along a path: an accumulator's blocks, four merges of accumulators, those of the lanes.
    let depth = |unroll: usize| leaf / (unroll * lanes) + 4 + lanes.ilog2() as usize;
    for (theorem, wide, depth) in [
        ("drive_sum_error_f32_8_lanes", "true", depth(8)),
        ("drive_compensated_sum_error_f32_8_lanes", "false", depth(4)),
    ] {
        let at = text.find(&format!("Theorem {theorem} ")).unwrap_or_else(|| panic!("no theorem {theorem}"));
        let statement = &text[at..at + text[at..].find("Proof.").expect("a proof")];
        let tree = format!("drive_tree {wide} (2 ^ {}) {} x n", leaf.ilog2(), lanes.ilog2());
        assert!(statement.contains(&tree), "{theorem} is not about `{tree}`");
        assert!(statement.contains(&format!("({depth} + ")), "{theorem} does not speak of {depth} roundings");
        assert!(statement.contains(&format!("2 ^ k * (2 ^ {})", leaf.ilog2())), "{theorem}");
    }
}

/// The theorems about Philox4x32 and Threefry4x64 have the multipliers, keys and rotations of the code.
#[test]
fn generators_of_theorems_are_those_of_the_code() {
    let read = |path: &str| packed(path).replace('_', "");
    let (proof, code) = (read("contracts/proofs/Philox.v"), read("src/random/generators.rs"));
    let defined = |name: &str, ty: &str| {
        let head = format!("Definition{name}:{ty}:=");
        let at = proof.find(&head).unwrap_or_else(|| panic!("no {name}")) + head.len();
        let end = proof[at..].find('.').expect("an end");
        proof[at..at + end].to_owned()
    };
    let [m0, m1, w0, w1, parity] = ["M0", "M1", "W0", "W1", "PARITY"].map(|name| defined(name, "Z"));
    let rotations = defined("ROTATIONS", "list(Z*Z)").replace('(', "[").replace(')', "]").replace(';', ",");
    for numbers in [
        format!("Philox4x32,u32,u64,{m0}{m1},{w0}{w1},"),
        format!("Threefry4x64,u64,4,{parity},{rotations},"),
    ] {
        assert!(code.contains(&numbers), "the code has no `{numbers}`");
    }
}
