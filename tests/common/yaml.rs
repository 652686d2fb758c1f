//! The contracts of the repository, read once with the program's own reader.

#![allow(dead_code, reason = "the program uses the rest")]

#[path = "../../src/cli/corpus.rs"]
mod corpus;
#[path = "../../src/cli/expand.rs"]
mod expand;
#[path = "../../src/cli/generate.rs"]
pub mod generate;
#[path = "../../src/cli/lock.rs"]
mod lock;
#[path = "../../src/cli/schema.rs"]
pub mod schema;

pub use corpus::Corpus;
use std::path::Path;
use std::sync::OnceLock;

pub fn get() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| {
        Corpus::load(&Path::new(crate::ROOT).join("contracts")).expect("contracts/ is readable")
    })
}

/// The contract of `op`, which must parse.
pub fn contract(op: &str) -> &'static schema::Contract {
    get()
        .contracts()
        .map(|(_, c)| c)
        .find(|c| c.op == op)
        .unwrap_or_else(|| panic!("no contract of {op} that parses"))
}
