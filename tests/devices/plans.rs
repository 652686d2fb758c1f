//! Random sizes, strides, places and devices, as the planner takes them.

use common::plans;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use std::cell::RefCell;

/// No panic, no overflow, launches in range, refusals with names; and each op is launched often enough to say so.
#[test]
fn plans_are_in_range() {
    let launched = RefCell::new([0; plans::OPS]);
    let config = ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(bytes in vec(any::<u8>(), 40..90))| {
        launched.borrow_mut()[usize::from(bytes[1]) % plans::OPS] += usize::from(plans::run(&bytes));
    });
    let launched = launched.into_inner();
    assert!(launched.iter().all(|n| *n >= 5), "calls that were launched, by op: {launched:?}");
}

/// Bytes that end early are sizes of 0.
#[test]
fn nothing_is_planned() {
    for (device, op) in (0..7).flat_map(|device| (0..plans::OPS).map(move |op| (device, op))) {
        plans::run(&[device, op as u8]);
    }
}
