//! From a graph and the facts of a machine to kernels: assembled, and run in the interpreter.

use super::support::*;
use super::templates::multiply;
use fulmen::cuda::ptx::template::{Tile, planned};
use fulmen::cuda::ptx::{Error, Module, Target};
use fulmen::hardware::{
    self, Chain, Kind, Language, Node, Plan, Scalar, TARGETS, compile_for_target, find_fusible_chains, parse,
};
use std::collections::BTreeSet;

fn node(name: &'static str, kind: Kind, inputs: &'static [usize], shape: [u32; 2]) -> Node<'static> {
    Node { name, kind, inputs, shape, kept: false }
}

/// `gelu(a·b + bias) + residual`, as far as shapes of this size go.
fn layer([m, n, k]: [u32; 3]) -> Vec<Node<'static>> {
    vec![
        node("a", Kind::Input, &[], [m, k]),
        node("b", Kind::Input, &[], [k, n]),
        node("bias", Kind::Input, &[], [1, n]),
        node("residual", Kind::Input, &[], [m, n]),
        node("gemm", Kind::Contraction, &[0, 1], [m, n]),
        node("add", Kind::Pointwise, &[4, 2], [m, n]),
        node("gelu", Kind::Pointwise, &[5], [m, n]),
        node("add", Kind::Pointwise, &[6, 3], [m, n]),
    ]
}

/// The plan of the one chain of a graph.
fn plan_of<'a>(target: &'a hardware::Target, graph: &[Node<'_>]) -> Plan<'a> {
    let mut chains = [Chain::EMPTY; 2];
    assert_eq!(find_fusible_chains(graph, &mut chains), Ok(1));
    compile_for_target(target, graph, chains[0].nodes(), Scalar::F32).unwrap()
}

fn nvidia() -> impl Iterator<Item = &'static hardware::Target> {
    TARGETS.iter().filter(|t| t.language == Language::Ptx)
}

/// A machine that exists as facts only.
static MADE: [hardware::Target; 1] = {
    const TEXT: &str = "hardware_target(made).
hw_language(made, ptx).
hw_compute_capability(made, 8.0).
hw_warp_size(made, 32).
hw_threads_per_block_max(made, 256).
hw_threads_per_sm_max(made, 512).
hw_grid_x_max(made, 65535).
hw_grid_y_max(made, 65535).
hw_shared_memory_per_block_max(made, 8192).
hw_shared_memory_per_sm(made, 16384).
hw_registers_per_sm(made, 32768).
hw_memory_bandwidth_gb_s(made, 100).
hw_fp32_flops_tflops(made, 2.5).
hw_supports_tensor_cores(made, false).
";
    match parse(TEXT) {
        Ok(t) => t,
        Err(_) => panic!("the facts are malformed"),
    }
};

/// A product and three ops behind it, on each NVIDIA target and on one that is facts alone, with the tile of its facts:
/// `ptxas` finds no spill, and the interpreter's numbers keep the contract on shapes with every kind of edge.
#[test]
fn fused_products_of_every_target() {
    let ptxas = ptxas();
    let mut tiles = BTreeSet::new();
    let mut made = None;
    for machine in nvidia().chain(&MADE) {
        let graph = layer([70, 45, 33]);
        let plan = plan_of(machine, &graph);
        assert_eq!(plan.chain.nodes(), [4, 5, 6, 7], "{}", machine.name);
        let module = planned(&plan, &graph).unwrap_or_else(|e| panic!("{}: {e}", machine.name));
        let tile = Tile::of(&plan);
        let target = Target::of(machine).unwrap();
        let mut text = String::new();
        module.emit(target, &mut text).unwrap_or_else(|e| panic!("{}: {e}", machine.name));
        if let Some(ptxas) = &ptxas {
            for used in assemble(ptxas, &text, target).unwrap_or_else(|e| panic!("{}: {e}", machine.name)) {
                println!("{}: {tile:?}, {} registers, {} spilled", machine.name, used.registers, used.spills);
                assert_eq!(used.spills, 0, "{}", machine.name);
            }
        }
        if machine.name == "made" {
            made = Some(tile);
        }
        if !tiles.insert([tile.m, tile.n, tile.k, tile.tm, tile.tn, tile.stages]) {
            continue;
        }
        let [kernel] = &module.kernels[..] else { panic!("one kernel") };
        let mut state = u64::from(tile.m) << 8 | u64::from(tile.n);
        let mut random = |below: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            1 + (state >> 33) as usize % below
        };
        let (rows, cols) = (tile.m as usize, tile.n as usize);
        multiply(kernel, tile, [1, 1, 1]);
        multiply(kernel, tile, [random(rows), random(cols), 0]);
        multiply(kernel, tile, [rows + 1, random(cols), random(40)]);
        multiply(kernel, tile, [random(rows), cols + random(9), random(70)]);
    }
    let made = made.unwrap();
    assert!(made.shared() <= 8192 && made.threads() <= 256, "{made:?}");
}

#[test]
fn plans_of_other_forms_have_kernels() {
    let machine = hardware::target("sm_80").unwrap();
    let shape = [8, 16];
    let graph = [
        node("x", Kind::Input, &[], shape),
        node("row", Kind::Input, &[], [1, 16]),
        node("col", Kind::Input, &[], [8, 1]),
        node("relu", Kind::Pointwise, &[0], shape),
        node("mul", Kind::Pointwise, &[3, 1], shape),
        node("add", Kind::Pointwise, &[4, 2], shape),
        node("softmax", Kind::Norm, &[0], shape),
        node("w", Kind::Input, &[], [16, 4]),
        node("gemm", Kind::Contraction, &[6, 7], [8, 4]),
        node("variance", Kind::Reduce, &[0], [1, 1]),
    ];
    let of = |nodes: &[usize]| -> Module {
        let plan = compile_for_target(machine, &graph, nodes, Scalar::F32).unwrap();
        planned(&plan, &graph).unwrap()
    };
    // The parts and the merge of one stage; a norm hands its rows to the product in memory.
    for (nodes, kernels) in [(&[3, 4, 5][..], 1), (&[6], 1), (&[6, 8], 2), (&[9], 2)] {
        let module = of(nodes);
        assert_eq!(module.kernels.len(), kernels, "{nodes:?}");
        module.emit(Target::of(machine).unwrap(), &mut String::new()).unwrap();
    }
    // relu(x) · row + col.
    let x: Vec<f32> = data(8 * 16, 3, 0);
    let (row, col): (Vec<f32>, Vec<f32>) = (data(16, 4, 0), data(8, 5, 0));
    let mut d = fulmen::cuda::ptx::Device::new();
    let [a, b, c] = [&x, &row, &col].map(|v| d.buffer(fulmen::cuda::ptx::Bytes::f32(v)));
    let out = d.buffer(fulmen::cuda::ptx::Bytes::uninitialised(4 * 8 * 16));
    d.launch(&of(&[3, 4, 5]).kernels[0], [2, 1, 1], [32, 1, 1], &[a, b, c, out, 8, 16]).unwrap();
    for (i, got) in d.get(out).unwrap().to_f32().iter().enumerate() {
        assert_eq!(*got, x[i].max(0.0) * row[i % 16] + col[i / 16], "{i}");
    }
}

#[test]
fn what_no_kernel_can_do_is_refused_before_it_is_written() {
    let machine = hardware::target("sm_90").unwrap();
    let refused = |size: [u32; 3]| {
        let graph = layer(size);
        planned(&plan_of(machine, &graph), &graph).unwrap_err()
    };
    assert_eq!(refused([8, 3 << 30, 8]), Error::Overflow { what: "columns" });
    assert_eq!(refused([8, 8, 3 << 30]), Error::Overflow { what: "inner dimension" });
    let one = |name, kind, shape| {
        let graph = [node("x", Kind::Input, &[], shape), node(name, kind, &[0], shape)];
        let plan = compile_for_target(machine, &graph, &[1], Scalar::F32).unwrap();
        planned(&plan, &graph).map(|m| m.kernels.len())
    };
    let large = Error::Overflow { what: "number of elements" };
    assert_eq!(one("relu", Kind::Pointwise, [1 << 20, 1 << 20]), Err(large));
    assert_eq!(one("relu", Kind::Pointwise, [4, 4]), Ok(1));
    for (name, kind) in [("add", Kind::Pointwise), ("nothing", Kind::Pointwise), ("relu", Kind::Norm)] {
        assert_eq!(one(name, kind, [4, 4]), Err(Error::Node { node: 1 }), "{name}");
    }
    let graph = layer([8, 8, 8]);
    let half = compile_for_target(machine, &graph, &[4], Scalar::F16).unwrap();
    assert!(matches!(planned(&half, &graph), Err(Error::Operand { .. })));
}
