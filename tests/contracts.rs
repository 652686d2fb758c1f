//! Every op on slices on every lane: the contracts, executed (every edge case, postcondition and precondition of every
//! `contracts/<op>-v1.yaml`, read from the YAML; those of ops with calls of their own are in the program `families`), the
//! backend story, accuracy, and calls that must neither panic nor allocate. The tests that the contracts name as FALSIFY
//! tests are here, one module per op, made from the op list.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise, in its helpers too"
)]

mod accuracy;
mod backend_story;
mod edge;
mod invariant;
#[cfg(feature = "half")]
mod low;
mod no_alloc;
mod no_panic;
mod post;
mod pre;
use common::yaml;

macro_rules! falsify {
    ($($shape:ident $name:ident($($f:ident),*) $body:ident [$($p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// One module per op, three attempts to break it.
        mod falsify {
            $(falsify!(@op $shape $name);)*
        }
    };
    // Other element types: see `conversions`.
    (@op convert $name:ident) => {};
    // Views of matrices: see `product`.
    (@op gemm $name:ident) => {};
    // Views, each with its own call: see `level1` and `views`.
    (@op blas $name:ident) => {};
    // Each with its own call: see `nn`.
    (@op nn $name:ident) => {};
    // Other element types again: see `low`.
    (@op mixed $name:ident) => {};
    (@op quant $name:ident) => {};
    (@op random $name:ident) => {};
    // A total function has no precondition to violate.
    (@op total $name:ident) => {
        mod $name {
            #[test]
            fn edge_cases() {
                crate::contracts::edge::run(stringify!($name));
            }
            #[test]
            fn postconditions() {
                crate::contracts::post::run(stringify!($name));
            }
        }
    };
    (@op $shape:ident $name:ident) => {
        mod $name {
            #[test]
            fn edge_cases() {
                crate::contracts::edge::run(stringify!($name));
            }
            #[test]
            fn postconditions() {
                crate::contracts::post::run(stringify!($name));
            }
            #[test]
            fn preconditions() {
                crate::contracts::pre::run(stringify!($name));
            }
        }
    };
}
fulmen::for_each_op!(falsify);

#[cfg(feature = "half")]
mod conversions;

/// `src/contract/generated.rs` is what the contracts say.
#[test]
fn generated_file_is_current() {
    let text = yaml::generate::render(yaml::get()).expect("the contracts and bindings parse");
    let file = include_str!("../src/contract/generated.rs");
    assert!(text == file, "run `cargo run --features cli --bin fulmen -- contract generate`");
}

/// The gates that need no test run find nothing.
#[test]
fn contracts_hold_every_op_of_the_list() {
    let corpus = yaml::get();
    for f in &corpus.files {
        assert!(f.contract.is_ok(), "{}: {:?}", f.path.display(), f.contract.as_ref().err());
    }
    for op in fulmen::ops::OPS {
        let c = yaml::contract(op.name);
        assert_eq!((c.call.shape.name(), c.family.as_str()), (op.shape, op.family), "{}", op.name);
        let row = corpus.rows.iter().find(|r| r.op == op.name);
        assert!(row.is_some(), "the text of ops.rs and its constant differ at {}", op.name);
    }
    assert_eq!(corpus.rows.len(), fulmen::ops::OPS.len());
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
    let read = |path: &str| {
        let text =
            std::fs::read_to_string(std::path::Path::new(common::ROOT).join(path)).expect("it is there");
        text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect::<String>()
    };
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
