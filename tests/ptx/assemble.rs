//! Every kernel, for every target, through the real assembler.

use crate::support::*;
use fulmen::cuda::ptx::{Module, Target};

/// All kernels that the crate emits.
fn kernels() -> Module {
    let mut m = Module::new();
    for op in pointwise() {
        m.kernels.push(f32::kernel(op.name).unwrap().unwrap());
        m.kernels.push(f64::kernel(op.name).unwrap().unwrap());
    }
    m
}

#[test]
fn every_kernel_assembles_for_every_target() {
    let Some(ptxas) = ptxas() else { return };
    let m = kernels();
    for target in Target::ALL {
        let mut text = String::new();
        m.emit(target, &mut text).unwrap();
        let used = assemble(&ptxas, &text, target).unwrap_or_else(|e| panic!("{target}: {e}"));
        assert_eq!(used.len(), m.kernels.len(), "{target}");
        let most = used.iter().map(|u| u.registers).max();
        println!("{target}: {} kernels, at most {most:?} registers", used.len());
        for u in used.iter().filter(|u| u.spills > 0) {
            println!("{u:?}");
        }
    }
}
