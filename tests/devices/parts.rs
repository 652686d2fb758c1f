//! Devices on the interpreter: products of `f16`, and operands past a binding.

use common::device::data;
use fulmen::Momentum;
use fulmen::backend::*;
#[cfg(all(feature = "half", feature = "wgsl"))]
use fulmen::gpu::Group;
use fulmen::gpu::backend::Gpu;
#[cfg(all(feature = "half", feature = "wgsl"))]
use fulmen::gpu::backend::{Planner, Product};
use fulmen::gpu::device::{Device, Facts, Host, Limits};
#[cfg(all(feature = "half", feature = "wgsl"))]
use fulmen::hardware::Language;

#[cfg(all(feature = "half", feature = "wgsl"))]
fn wgsl_facts() -> Facts {
    let facts = Host::default().facts().clone();
    let limits = Limits { shared: 48 << 10, ..facts.limits };
    Facts { limits, blocks: 4096, language: Language::Wgsl, ..facts }
}

/// Whole tiles that are aligned go to cooperative matrices; nothing else does, nor a device without them.
#[cfg(all(feature = "half", feature = "wgsl"))]
#[test]
fn products_of_f16_go_to_matrices_where_there_are_some() {
    let facts = wgsl_facts();
    let planner = |matrices| Planner::new(&Facts { matrices, ..facts.clone() });
    let of = |sizes, strides| Product::new(sizes, strides, [1.0f32, 0.0]);
    let launches = |with: bool, of: &Product<f32>, aligned| {
        let plan = planner(with).low_precision_product(Group::F16, of, [0, 0], aligned).unwrap();
        (plan.launches.len(), plan.launches[0].program.text().is_some(), plan.launches[0].grid)
    };
    let whole = of([256, 384, 64], [[64, 1], [1, 64], [384, 1]]);
    assert_eq!(launches(true, &whole, [true; 3]), (1, true, [3, 2, 1]));
    assert!(!launches(false, &whole, [true; 3]).1);
    for aligned in [[false, true, true], [true, false, true], [true, true, false]] {
        assert!(!launches(true, &whole, aligned).1, "{aligned:?}");
    }
    assert_eq!(
        planner(true).low_precision_product(Group::Bf16, &whole, [0, 0], [true; 3]).unwrap().launches.len(),
        3
    );
    for other in [
        of([255, 384, 64], [[64, 1], [1, 64], [384, 1]]),
        of([256, 383, 64], [[64, 1], [1, 64], [384, 1]]),
        of([256, 384, 65], [[72, 1], [1, 72], [384, 1]]),
        of([256, 384, 64], [[68, 1], [1, 64], [384, 1]]),
        of([256, 384, 64], [[64, 1], [2, 128], [384, 1]]),
        of([256, 384, 64], [[64, 1], [1, 64], [386, 1]]),
        of([256, 384, 64], [[64, 1], [1, 64], [1, 256]]),
        Product { alpha: 0.0, ..whole },
    ] {
        assert!(!launches(true, &other, [true; 3]).1, "{other:?}");
    }
}

/// Element-wise ops, rows and steps of optimisers go on in pieces where a binding ends; the host refuses what is longer.
#[test]
fn operands_past_a_binding_are_split() {
    let limits = Limits { binding: 1024, ..Host::default().facts().limits };
    let whole = Gpu::new(Host::default());
    let split = Gpu::new(Host::with(Facts { limits, ..Host::default().facts().clone() }));
    let n = 192 * 3 + 50;
    let [x, z, g] = [1, 2, 3].map(|seed| data::<f32>(n, seed, 0));
    let run = |gpu: &Gpu<Host>| {
        let (x, z, gamma) = (gpu.upload(&x).unwrap(), gpu.upload(&z).unwrap(), gpu.upload(&g[..2]).unwrap());
        let mut all = Vec::new();
        let mut out = gpu.alloc::<f32>(n).unwrap();
        let mut keep = |y: &fulmen::gpu::backend::Array<f32, Host>| {
            let mut back = vec![0.0; n];
            gpu.download(y.view(), &mut back).unwrap();
            all.extend(back);
        };
        gpu.mul(x.view(), z.view(), out.view_mut()).unwrap();
        keep(&out);
        gpu.axpy(0.5, x.view(), out.view_mut()).unwrap();
        keep(&out);
        gpu.add_in_place(out.view_mut(), z.view()).unwrap();
        keep(&out);
        gpu.rms_norm(x.view(), gamma.view(), 1e-3, out.view_mut()).unwrap();
        keep(&out);
        gpu.softmax_in_place(out.view_mut(), 2).unwrap();
        keep(&out);
        let mut m = gpu.upload(&g).unwrap();
        let with = Momentum { lr: 0.1, mu: 0.9, dampening: 0.25, weight_decay: 0.01, nesterov: true };
        gpu.momentum(with, x.view(), m.view_mut(), out.view_mut()).unwrap();
        keep(&out);
        keep(&m);
        all
    };
    assert_eq!(run(&whole), run(&split));
}

/// Rows that several blocks share go on in pieces, too, with scratch of their own.
#[test]
fn shared_rows_past_a_binding_are_split() {
    const COLS: usize = 8200;
    let facts = Host::default().facts().clone();
    // Two rows at a time, then one, on more multiprocessors than rows.
    let limits = Limits { binding: 4 * 2 * COLS as u64 + 256, ..facts.limits };
    let gpu = Gpu::new(Host::with(Facts { limits, blocks: 64, ..facts }));
    let x = data::<f32>(3 * COLS, 1, 0);
    let (from, mut out) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(x.len()).unwrap());
    gpu.softmax(from.view(), COLS, out.view_mut()).unwrap();
    let mut got = vec![0.0; x.len()];
    gpu.download(out.view(), &mut got).unwrap();
    for (x, got) in x.chunks(COLS).zip(got.chunks(COLS)) {
        let sum: f64 = x.iter().map(|x| f64::from(*x).exp()).sum();
        for (x, got) in x.iter().zip(got) {
            let want = f64::from(*x).exp() / sum;
            assert!((f64::from(*got) - want).abs() <= 1e-5 * want, "{got} and {want}");
        }
    }
}
