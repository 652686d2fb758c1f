//! From facts about machines to tiles and fused kernels: nothing here asks the machine it runs on.

mod cpu;
mod error;
mod facts;
mod fusion;
#[cfg(any(test, kani))]
mod kani;
mod parse;
mod plan;
mod predicates;
mod tiling;

pub use cpu::{pass_depth, register_tile};
pub use error::{Limit, PlanError};
pub use facts::{Cpu, Device, FACTS, Gpu, Language, MmaShape, MmaShapes, Scalar, TARGETS, Target, target};
pub use fusion::{Chain, Kind, MAX_CHAIN, MAX_NODES, Node, check_chain, find_fusible_chains};
pub use parse::{FactError, FactErrorKind, count, parse};
pub use plan::{Plan, compile_for_target};
pub use tiling::{
    Choice, Form, Occupancy, Tile, arithmetic_intensity, check_tile, occupancy, optimal_tile, reference_tile,
    stream_intensity,
};
