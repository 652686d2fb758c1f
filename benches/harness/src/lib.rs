//! What the benches share: the one timing loop, its table and its charts.

pub mod chart;
pub mod machine;
pub mod pattern;
pub mod race;
