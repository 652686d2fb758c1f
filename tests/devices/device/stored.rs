//! Memory whose elements lie as `bf16`.

use super::*;
use common::stored::{self, host_of};

#[test]
fn ops_on_halves_are_those_of_floats_rounded() {
    stored::ops(&Gpu::new(Host::default()));
}

#[test]
fn products_of_halves_that_lie_so() {
    stored::products(&Gpu::rounding(hopper_host(2)).unwrap());
}

/// Where memory cannot lie so, or an op has no kernel for it, that is said; and memory that is given back is of `f32` again.
#[test]
fn halves_that_cannot_be_are_refused() {
    let wgsl = Gpu::new(host(48 << 10, 8, Language::Wgsl));
    assert!(matches!(wgsl.alloc_halves(4), Err(Error::Limit { what: "elements stored as bf16", .. })));
    let gpu = Gpu::new(Host::default());
    assert!(matches!(
        gpu.alloc_halves(usize::MAX / 2 + 1),
        Err(Error::Call(fulmen::Error::Overflow { arg: "len", .. }))
    ));
    drop(gpu.alloc_halves(128).unwrap());
    let x = gpu.upload(&[1.0 / 3.0f32; 64]).unwrap();
    assert_eq!(host_of(&gpu, &x), [1.0 / 3.0; 64]);
    // A tensor map has elements of one type.
    let halves = gpu.alloc_halves(16).unwrap();
    assert_eq!(host_of(&gpu, &halves).len(), 16);
}
