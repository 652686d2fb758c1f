//! From a graph and the facts of a machine to kernels: assembled, and run in the interpreter.

use super::support::*;
use super::templates::multiply;
use fulmen::gpu::template::{GemmTile, planned};
use fulmen::gpu::{Error, Module, Target};
use fulmen::hardware::{
    self, Chain, Kind, Language, Node, Plan, Scalar, TARGETS, compile_for_target, find_fusible_chains, parse,
};
use std::collections::BTreeSet;

fn node(name: &'static str, kind: Kind, inputs: &'static [usize], shape: [u32; 2]) -> Node<'static> {
    Node { name, kind, inputs, parameters: &[], shape, kept: false }
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
        let module = planned(&plan, &graph).unwrap_or_else(|e| panic!("{}: {e}", machine.name)).module;
        let tile = GemmTile::of(&plan);
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
        planned(&plan, &graph).unwrap().module
    };
    // The parts and the merge of a stage, of which the variance has a second for what leaves the range of squares; a norm hands its rows to the product in memory.
    for (nodes, kernels) in [(&[3, 4, 5][..], 1), (&[6], 1), (&[6, 8], 2), (&[9], 4)] {
        let module = of(nodes);
        assert_eq!(module.kernels.len(), kernels, "{nodes:?}");
        module.emit(Target::of(machine).unwrap(), &mut String::new()).unwrap();
    }
    // relu(x) · row + col.
    let x: Vec<f32> = data(8 * 16, 3, 0);
    let (row, col): (Vec<f32>, Vec<f32>) = (data(16, 4, 0), data(8, 5, 0));
    let mut d = fulmen::gpu::Interpreter::new();
    let [a, b, c] = [&x, &row, &col].map(|v| d.buffer(fulmen::gpu::Bytes::f32(v)));
    let out = d.buffer(fulmen::gpu::Bytes::uninitialised(4 * 8 * 16));
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
        planned(&plan, &graph).map(|p| p.module.kernels.len())
    };
    let large = Error::Overflow { what: "number of elements" };
    assert_eq!(one("relu", Kind::Pointwise, [1 << 20, 1 << 20]), Err(large));
    assert_eq!(one("relu", Kind::Pointwise, [4, 4]), Ok(1));
    for (name, kind) in [("nothing", Kind::Pointwise), ("softmax", Kind::Pointwise), ("relu", Kind::Norm)] {
        assert_eq!(one(name, kind, [4, 4]), Err(Error::Node { node: 1 }), "{name}");
    }
    for (name, kind, expected) in
        [("add", Kind::Pointwise, 2), ("fma", Kind::Pointwise, 3), ("rms_norm", Kind::Norm, 2)]
    {
        assert_eq!(one(name, kind, [4, 4]), Err(Error::Operands { node: 1, expected, got: 1 }), "{name}");
    }
    assert_eq!(one("dot", Kind::Reduce, [1, 1]), Err(Error::Operands { node: 1, expected: 2, got: 1 }));
    for (name, kind, expected) in
        [("scale", Kind::Pointwise, 1), ("clamp", Kind::Pointwise, 2), ("layer_norm_simple", Kind::Norm, 1)]
    {
        assert_eq!(one(name, kind, [4, 4]), Err(Error::Parameters { node: 1, expected, got: 0 }), "{name}");
    }
    let with = |name, kind, parameters| {
        let shape = [4, 4];
        let inputs = &[0][..];
        let graph =
            [node("x", Kind::Input, &[], shape), Node { name, kind, inputs, parameters, shape, kept: false }];
        let plan = compile_for_target(machine, &graph, &[1], Scalar::F32).unwrap();
        planned(&plan, &graph).map(|p| p.parameters)
    };
    assert_eq!(with("clamp", Kind::Pointwise, &[1.0, -1.0]), Err(Error::Domain { node: 1, arg: "lo" }));
    assert_eq!(with("layer_norm_simple", Kind::Norm, &[-1.0]), Err(Error::Domain { node: 1, arg: "eps" }));
    assert_eq!(
        with("relu", Kind::Pointwise, &[2.0]),
        Err(Error::Parameters { node: 1, expected: 0, got: 1 })
    );
    assert_eq!(with("softmax", Kind::Norm, &[2.0]), Err(Error::Parameters { node: 1, expected: 0, got: 1 }));
    assert_eq!(with("clamp", Kind::Pointwise, &[-1.0, 2.0]), Ok(vec![vec![-1.0, 2.0]]));
    let graph = layer([8, 8, 8]);
    let half = compile_for_target(machine, &graph, &[4], Scalar::F16).unwrap();
    assert!(matches!(planned(&half, &graph), Err(Error::Operand { .. })));
}

/// What the ops of the chains below do to one element, from their definitions.
fn naive(name: &str, x: &[f64], p: &[f64]) -> f64 {
    match (name, x, p) {
        ("scale", [x], [a]) => a * x,
        ("clamp", [x], [lo, hi]) => x.max(*lo).min(*hi),
        ("elu", [x], [a]) => {
            if *x < 0.0 {
                a * x.exp_m1()
            } else {
                *x
            }
        }
        ("leaky_relu", [x], [a]) => {
            if *x < 0.0 {
                a * x
            } else {
                *x
            }
        }
        ("leaky_relu_backward", [x, dy], [a]) => {
            if *x < 0.0 {
                a * dy
            } else {
                *dy
            }
        }
        ("lerp", [a, b], [t]) => (1.0 - t) * a + t * b,
        ("axpy", [y, x], [a]) => a * x + y,
        ("pow_scalar", [x], [e]) => x.powf(*e),
        ("square", [x], []) => x * x,
        ("add", [a, b], []) => a + b,
        _ => panic!("{name} of {x:?} with {p:?}"),
    }
}

/// Each element of a chain of pointwise ops, by `f64`; `value` are the nodes known before.
fn chain_by_definition(graph: &[Node<'_>], chain: &[usize], value: &mut [Vec<f64>]) {
    for &at in chain {
        let n = &graph[at];
        let [rows, cols] = n.shape;
        value[at] = (0..rows * cols)
            .map(|i| {
                let (row, col) = (i / cols, i % cols);
                let x: Vec<f64> = n
                    .inputs
                    .iter()
                    .map(|&k| {
                        let [r, c] = graph[k].shape;
                        value[k][((row % r) * c + col % c) as usize]
                    })
                    .collect();
                naive(n.name, &x, n.parameters)
            })
            .collect();
    }
}

fn near(got: &[f32], want: &[f64], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        assert!((f64::from(*got) - want).abs() <= 2e-5 * want.abs().max(1.0), "{what} at {i}: {got}, {want}");
    }
}

/// Every op that has parameters, in one chain, and behind a product, with two sets of values that no row of the list has:
/// one text serves both, and each gives the numbers of its own values.
#[test]
fn chains_take_their_parameters_when_they_run() {
    use fulmen::gpu::{Bytes, Interpreter};
    let machine = hardware::target("sm_80").unwrap();
    let sets: [[f64; 9]; 2] = [
        [0.3, -2.5, 3.5, 0.7, 0.05, 0.8, -0.6, 3.0, 0.2],
        [-1.75, -0.5, 0.625, 2.25, 0.4, 0.1, 1.2, 2.0, 0.9],
    ];
    let (rows, cols, depth) = (7, 9, 5);
    let graphs = sets.each_ref().map(|p| {
        let node = |name, kind, inputs: &'static [usize], parameters, shape| Node {
            name,
            kind,
            inputs,
            parameters,
            shape,
            kept: false,
        };
        let of = |name, inputs, parameters| node(name, Kind::Pointwise, inputs, parameters, [rows, cols]);
        vec![
            node("a", Kind::Input, &[], &[], [rows, depth]),
            node("b", Kind::Input, &[], &[], [depth, cols]),
            node("x", Kind::Input, &[], &[], [rows, cols]),
            node("row", Kind::Input, &[], &[], [1, cols]),
            node("col", Kind::Input, &[], &[], [rows, 1]),
            // Element-wise ops from here to 13, then a product and what follows it.
            of("scale", &[2], &p[..1]),
            of("clamp", &[5], &p[1..3]),
            of("elu", &[6], &p[3..4]),
            of("leaky_relu", &[7], &p[4..5]),
            of("lerp", &[8, 3], &p[5..6]),
            of("axpy", &[9, 4], &p[6..7]),
            of("square", &[10], &[]),
            of("pow_scalar", &[11], &p[7..8]),
            of("leaky_relu_backward", &[12, 2], &p[8..9]),
            node("gemm", Kind::Contraction, &[0, 1], &[], [rows, cols]),
            of("scale", &[14], &p[5..6]),
            of("axpy", &[15, 3], &p[..1]),
            of("clamp", &[16], &p[1..3]),
            node("rms_norm", Kind::Norm, &[2, 3], &p[3..4], [rows, cols]),
        ]
    });
    let modules = graphs.each_ref().map(|graph| {
        [&[5, 6, 7, 8, 9, 10, 11, 12, 13][..], &[14, 15, 16, 17], &[18]].map(|nodes| {
            let plan = compile_for_target(machine, graph, nodes, Scalar::F32).unwrap();
            (planned(&plan, graph).unwrap(), plan)
        })
    });
    for ((one, _), (other, _)) in modules[0].iter().zip(&modules[1]) {
        let text = |m: &Module| {
            let mut text = String::new();
            m.emit(Target::sm(80), &mut text).unwrap();
            text
        };
        assert_eq!(text(&one.module), text(&other.module), "one text for all values");
        assert_ne!(one.parameters, other.parameters);
    }
    for ((graph, [(maps, _), (product, plan), (norm, _)]), set) in graphs.iter().zip(&modules).zip(&sets) {
        let inputs: Vec<Vec<f32>> = (0..5)
            .map(|k| data((graph[k].shape[0] * graph[k].shape[1]) as usize, 31 + k as u64, 2))
            .collect();
        let mut value: Vec<Vec<f64>> =
            inputs.iter().map(|x| x.iter().map(|x| f64::from(*x)).collect()).collect();
        value.resize(graph.len(), Vec::new());
        chain_by_definition(graph, &[5, 6, 7, 8, 9, 10, 11, 12, 13], &mut value);
        value[14] = (0..rows * cols)
            .map(|i| {
                let (r, c) = ((i / cols) as usize, (i % cols) as usize);
                (0..depth as usize)
                    .map(|p| value[0][r * depth as usize + p] * value[1][p * cols as usize + c])
                    .sum()
            })
            .collect();
        chain_by_definition(graph, &[15, 16, 17], &mut value);
        value[18] = value[2]
            .chunks(cols as usize)
            .flat_map(|row| {
                let mean = row.iter().map(|x| x * x).sum::<f64>() / f64::from(cols);
                row.iter()
                    .zip(&value[3])
                    .map(move |(x, g)| x / (mean + set[3]).sqrt() * g)
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut d = Interpreter::new();
        let at: Vec<u64> = inputs.iter().map(|x| d.buffer(Bytes::f32(x))).collect();
        let [y, z, w] = [(); 3].map(|()| d.buffer(Bytes::uninitialised((4 * rows * cols) as usize)));
        let own = |p: &[f64]| -> Vec<u64> { p.iter().map(|p| bits(*p as f32)).collect() };
        let sizes = [u64::from(rows), u64::from(cols)];
        // The operands in the order in which the ops first read them.
        let args = [&[at[2], at[3], at[4], y][..], &sizes, &own(&maps.parameters[0])].concat();
        d.launch(&maps.module.kernels[0], [2, 1, 1], [32, 1, 1], &args).unwrap();
        let args = [&[at[0], at[1], z, at[3]][..], &sizes, &[u64::from(depth)], &own(&product.parameters[0])]
            .concat();
        let grid = [plan.grid[0], plan.grid[1], 1];
        d.launch(&product.module.kernels[0], grid, [GemmTile::of(plan).threads(), 1, 1], &args).unwrap();
        let args = [&[at[2], w][..], &sizes, &[at[3]], &own(&norm.parameters[0])].concat();
        d.launch(&norm.module.kernels[0], [2, 1, 1], [128, 1, 1], &args).unwrap();
        for (out, want, what) in [(y, 13, "maps"), (z, 17, "product"), (w, 18, "rms_norm")] {
            near(&d.get(out).unwrap().to_f32(), &value[want], &format!("{what} with {set:?}"));
        }
    }
}
