//! Plans tiles and fused kernels from recorded facts about machines; it never queries the machine that it runs on.

mod choose;
mod const_fn;
mod cpu;
mod error;
mod facts;
mod fusion;
#[cfg(any(test, kani))]
mod kani;
mod machine;
mod parse;
mod plan;
mod predicates;
mod tiling;

pub use choose::optimal_tile;
pub use cpu::{pass_depth, register_tile};
pub use error::{FactError, FactErrorKind, Limit, PlanError};
pub use facts::{FACTS, TARGETS, target};
pub use fusion::{Chain, Kind, MAX_CHAIN, MAX_NODES, Node, check_chain, find_fusible_chains};
pub use machine::{Cpu, Device, Gpu, Language, MmaShape, MmaShapes, Scalar, Target};
pub use parse::{count, parse};
pub use plan::{Plan, compile_for_target};
pub use tiling::{
    Choice, Form, Occupancy, Tile, arithmetic_intensity, check_tile, occupancy, reference_tile,
    stream_intensity,
};
