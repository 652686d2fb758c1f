//! Arbitrary bytes as arguments of every op: never a panic, never a write past a slice, nothing
//! written on an error. The same body serves the fuzz target.

use common::{arbitrary, nn, views};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        arbitrary::run(&bytes);
    }
    #[test]
    fn arbitrary_views(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        views::run(&bytes);
    }
}

/// Every op is reached with every kind of length mismatch.
#[test]
fn every_op_with_mismatched_lengths() {
    for op in 0..fulmen::ops::OPS.len() {
        for shape in 0..=u8::MAX {
            let mut bytes = vec![op as u8, shape, 0x35];
            bytes.extend((0..200u32).map(|i| (i * 41 + u32::from(shape)) as u8));
            arbitrary::run(&bytes);
        }
    }
}

/// Every op on views is called, and refused.
#[test]
fn every_op_on_views() {
    for op in 0..28u8 {
        for (length, step) in [(5, 1), (7, 2), (3, 255), (0, 0)] {
            for other in 3..6 {
                let mut bytes = vec![op, 1, length, step, 2, other, 1, 3, 1, 7, 5];
                bytes.extend((0..600u32).map(|i| (i * 41 + 7) as u8));
                views::run(&bytes);
            }
        }
    }
}

/// [`nn::run`] sees what is written.
fn twisted<T: fulmen::Element>(op: &nn::Routine<T>, seeds: std::ops::Range<u64>) {
    let refused: usize = seeds.map(|seed| op.twisted(seed)).sum();
    assert!(
        if nn::FITTING.contains(&op.name) { refused == 0 } else { refused > 10 },
        "{}: {refused} calls were refused",
        op.name
    );
}

macro_rules! twisted {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        twisted(&nn::Routine::<f32>::native::<$Op>(), 0..250);
        twisted(&nn::Routine::<f64>::native::<$Op>(), 250..400);
    )*};
}

#[test]
fn every_op_of_its_own_call() {
    common::for_each_nn_op!(twisted);
}
