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
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
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
    }
}
