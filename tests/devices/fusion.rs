//! Chains of a graph, and the plans of their kernels on every target and on one that is made of facts alone.

use fulmen::hardware::*;
use proptest::prelude::*;

fn node(name: &'static str, kind: Kind, inputs: &'static [usize], shape: [u32; 2]) -> Node<'static> {
    Node { name, kind, inputs, parameters: &[], shape, kept: false }
}

/// A transformer's block without attention: norm, product, bias, activation, product, residual, sum.
fn block() -> Vec<Node<'static>> {
    vec![
        node("x", Kind::Input, &[], [64, 256]),
        node("gain", Kind::Input, &[], [1, 256]),
        node("w1", Kind::Input, &[], [256, 512]),
        node("b1", Kind::Input, &[], [1, 512]),
        node("w2", Kind::Input, &[], [512, 256]),
        node("norm", Kind::Norm, &[0, 1], [64, 256]),
        node("up", Kind::Contraction, &[5, 2], [64, 512]),
        node("bias", Kind::Pointwise, &[6, 3], [64, 512]),
        node("gelu", Kind::Pointwise, &[7], [64, 512]),
        node("down", Kind::Contraction, &[8, 4], [64, 256]),
        node("residual", Kind::Pointwise, &[9, 0], [64, 256]),
        node("loss", Kind::Reduce, &[10], [1, 1]),
    ]
}

fn chains(graph: &[Node<'_>]) -> Vec<Vec<usize>> {
    let mut found = [Chain::EMPTY; MAX_NODES];
    let n = find_fusible_chains(graph, &mut found).unwrap();
    found[..n].iter().map(|c| c.nodes().to_vec()).collect()
}

#[test]
fn a_block_becomes_two_kernels_and_a_sum() {
    let graph = block();
    assert_eq!(chains(&graph), [vec![5, 6, 7, 8], vec![9, 10]]);
    let chain = check_chain(&graph, &[5, 6, 7, 8]).unwrap();
    assert_eq!((chain.prologue(), chain.root(), chain.epilogue()), (&[5][..], Some(6), &[7, 8][..]));
    // up and bias stay in registers: 64 · (512 + 512) elements, written and read.
    assert_eq!(chain.saved_bytes(&graph, Scalar::F32), Ok(64 * (512 + 512) * 8));
}

/// The published count: 13 ops that follow a product or another op, in each of 32 layers, save a round trip each.
#[test]
fn a_round_trip_is_saved_per_fused_op() {
    let shape = [1, 64];
    let names: Vec<Vec<usize>> = (0..13).map(|i| vec![i + 2]).collect();
    let mut graph = vec![
        node("x", Kind::Input, &[], shape),
        node("w", Kind::Input, &[], [64, 64]),
        node("product", Kind::Contraction, &[0, 1], shape),
    ];
    for inputs in &names {
        graph.push(Node { name: "op", kind: Kind::Pointwise, inputs, parameters: &[], shape, kept: false });
    }
    let mut found = [Chain::EMPTY; 2];
    assert_eq!(find_fusible_chains(&graph, &mut found), Ok(1));
    let trips = found[0].saved_bytes(&graph, Scalar::F32).unwrap() / (64 * 8);
    assert_eq!(trips * 32, 416);
}

#[test]
fn several_readers_end_a_chain() {
    let mut graph = block();
    graph[8].inputs = &[7, 6];
    assert_eq!(chains(&graph), [vec![5, 6], vec![9, 10], vec![7, 8]], "the product is read twice");
    assert_eq!(check_chain(&graph, &[6, 7]), Err(PlanError::SeveralConsumers { node: 6 }));

    let mut graph = block();
    graph[7].kept = true;
    assert_eq!(chains(&graph), [vec![5, 6, 7], vec![9, 10]], "what is kept has to be written");
    assert_eq!(check_chain(&graph, &[7, 8]), Err(PlanError::SeveralConsumers { node: 7 }));

    let mut graph = block();
    graph[10].inputs = &[9, 5];
    assert_eq!(chains(&graph), [vec![6, 7, 8], vec![9, 10]], "the norm is read twice");

    // One reader that reads a value twice is one reader.
    let mut graph = block();
    graph[8].inputs = &[7, 7];
    assert_eq!(chains(&graph)[0], [5, 6, 7, 8]);
}

#[test]
fn a_sum_of_two_products_goes_to_the_first() {
    let shape = [8, 8];
    let graph = [
        node("x", Kind::Input, &[], shape),
        node("left", Kind::Contraction, &[0, 0], shape),
        node("right", Kind::Contraction, &[0, 0], shape),
        node("sum", Kind::Pointwise, &[2, 1], shape),
    ];
    assert_eq!(chains(&graph), [[1, 3]]);
}

#[test]
fn only_the_left_factor_is_normed_in_the_kernel() {
    let square = [8, 8];
    let graph = [
        node("x", Kind::Input, &[], square),
        node("norm", Kind::Norm, &[0], square),
        node("right", Kind::Contraction, &[0, 1], square),
    ];
    assert_eq!(chains(&graph), Vec::<Vec<usize>>::new());
    assert_eq!(check_chain(&graph, &[1, 2]), Err(PlanError::NotFusible { node: 2 }));
    let mut graph = graph;
    graph[2].inputs = &[1, 1];
    assert_eq!(chains(&graph), Vec::<Vec<usize>>::new());
    graph[2].inputs = &[1, 0];
    assert_eq!(chains(&graph), [[1, 2]]);
}

#[test]
fn the_order_of_the_nodes_does_not_matter() {
    let shape = [4, 4];
    let graph = [
        node("second", Kind::Pointwise, &[1], shape),
        node("first", Kind::Pointwise, &[2], shape),
        node("product", Kind::Contraction, &[3, 3], shape),
        node("x", Kind::Input, &[], shape),
    ];
    assert_eq!(chains(&graph), [[2, 1, 0]]);
}

/// What a full chain has no room for is another chain, behind a product too; the list of one's own choice is refused.
#[test]
fn more_ops_than_a_chain_has_room_for() {
    const OPS: usize = 2 * MAX_CHAIN + 5;
    const BEFORE: [[usize; 1]; OPS] = {
        let (mut all, mut k) = ([[0]; OPS], 1);
        while k < OPS {
            all[k] = [k - 1];
            k += 1;
        }
        all
    };
    let mut graph = vec![node("x", Kind::Input, &[], [8, 8])];
    graph.extend(BEFORE[1..].iter().map(|input| node("op", Kind::Pointwise, input, [8, 8])));
    let parts = |from: usize| -> Vec<Vec<usize>> {
        (from..OPS).collect::<Vec<_>>().chunks(MAX_CHAIN).map(<[usize]>::to_vec).collect()
    };
    assert_eq!(chains(&graph), parts(1));
    let all: Vec<usize> = (1..OPS).collect();
    assert_eq!(check_chain(&graph, &all[..MAX_CHAIN]).unwrap().nodes(), &all[..MAX_CHAIN]);
    let full = PlanError::Capacity { needed: MAX_CHAIN + 1, got: MAX_CHAIN };
    assert_eq!(check_chain(&graph, &all[..=MAX_CHAIN]), Err(full));
    (graph[1], graph[2]) =
        (node("norm", Kind::Norm, &[0], [8, 8]), node("product", Kind::Contraction, &[1, 0], [8, 8]));
    assert_eq!(chains(&graph), parts(1));
}

#[test]
fn bad_graphs_are_named() {
    let find = |graph: &[Node<'_>]| find_fusible_chains(graph, &mut [Chain::EMPTY; 8]).unwrap_err();
    let edit = |change: &dyn Fn(&mut Vec<Node<'static>>)| {
        let mut graph = block();
        change(&mut graph);
        find(&graph)
    };
    assert_eq!(edit(&|g| g[8].inputs = &[12]), PlanError::UnknownInput { node: 8, input: 12 });
    assert_eq!(edit(&|g| g[8].inputs = &[]), PlanError::Inputs { node: 8 });
    assert_eq!(edit(&|g| g[9].inputs = &[8]), PlanError::Inputs { node: 9 });
    assert_eq!(edit(&|g| g[0].inputs = &[1]), PlanError::Inputs { node: 0 });
    assert_eq!(edit(&|g| g[9].inputs = &[4, 8]), PlanError::Shapes { node: 9 });
    assert_eq!(edit(&|g| g[8].shape = [64, 511]), PlanError::Shapes { node: 8 });
    assert_eq!(edit(&|g| g[5].inputs = &[1, 0]), PlanError::Shapes { node: 5 });
    assert_eq!(edit(&|g| g[11].shape = [1, 2]), PlanError::Shapes { node: 11 });
    assert_eq!(edit(&|g| g[7].inputs = &[6, 8]), PlanError::Cycle { node: 7 });
    assert_eq!(edit(&|g| g[10].inputs = &[10, 9]), PlanError::Cycle { node: 10 });
    let many = vec![node("x", Kind::Input, &[], [1, 1]); MAX_NODES + 1];
    assert_eq!(find(&many), PlanError::TooManyNodes { most: MAX_NODES });
    find_fusible_chains(&many[1..], &mut []).unwrap();

    let mut short = [Chain::EMPTY];
    assert_eq!(find_fusible_chains(&block(), &mut short), Err(PlanError::Capacity { needed: 2, got: 1 }));
    assert_eq!(short, [Chain::EMPTY], "nothing is written");
    let graph = block();
    assert_eq!(check_chain(&graph, &[]), Err(PlanError::Domain { arg: "chain" }));
    assert_eq!(check_chain(&graph, &[0]), Err(PlanError::NotFusible { node: 0 }));
    assert_eq!(check_chain(&graph, &[8, 9]), Err(PlanError::NotFusible { node: 9 }));
    assert_eq!(check_chain(&graph, &[77]), Err(PlanError::UnknownInput { node: 77, input: 77 }));
    for e in [PlanError::Cycle { node: 7 }, PlanError::Capacity { needed: 2, got: 1 }] {
        assert!(e.to_string().contains(char::is_numeric), "{e}");
    }
}

/// What a plan guarantees, by sums of the test's own.
fn sound(plan: &Plan<'_>) {
    let t = plan.choice.tile;
    let [m, n, k] = plan.size;
    let Some(gpu) = plan.target.gpu() else {
        assert_eq!((plan.language, plan.block, plan.grid), (Language::Rust, [1, 1], [1, 1]));
        return;
    };
    let threads = plan.block[0] * plan.block[1];
    assert!(threads == plan.choice.threads && threads <= gpu.threads_per_block_max, "{plan:?}");
    assert!(
        plan.grid[0] >= 1 && plan.grid[0] <= gpu.grid_max[0] && plan.grid[1] <= gpu.grid_max[1],
        "{plan:?}"
    );
    if plan.form == Form::Gemm {
        assert!(plan.grid[0] * t.n >= n && (plan.grid[0] - 1) * t.n < n, "{plan:?}");
        assert!(plan.grid[1] * t.m >= m && (plan.grid[1] - 1) * t.m < m, "{plan:?}");
        assert_eq!(plan.guarded, m % t.m != 0 || n % t.n != 0 || k % t.k != 0);
    } else {
        assert_eq!((plan.grid[1], k), (1, 1));
    }
}

#[test]
fn every_chain_has_a_plan_on_every_target() {
    let graph = block();
    for t in &TARGETS {
        for nodes in [&[5, 6, 7, 8][..], &[9, 10], &[11], &[5], &[8]] {
            let plan = compile_for_target(t, &graph, nodes, Scalar::F32).unwrap();
            sound(&plan);
            assert_eq!(plan.chain.nodes(), nodes);
            let sum = nodes == [11];
            assert_eq!(plan.form == Form::Reduce, sum);
            if sum {
                assert_eq!(plan.size, [64, 256, 1], "a sum walks over what it reads");
            }
        }
    }
}

#[test]
fn the_same_chain_differs_by_target() {
    let graph = block();
    let tiles: std::collections::BTreeSet<_> = TARGETS
        .iter()
        .map(|t| compile_for_target(t, &graph, &[6, 7, 8], Scalar::F32).unwrap())
        .map(|p| (p.choice.tile.m, p.choice.tile.n, p.choice.tile.k, p.language as u8))
        .collect();
    assert!(tiles.len() > 6, "{tiles:?}");
}

#[test]
fn what_a_target_cannot_do_is_refused() {
    let plan = |t: &str, m: u32, n: u32, k: u32, scalar| {
        let graph = [
            node("a", Kind::Input, &[], [m, k]),
            node("b", Kind::Input, &[], [k, n]),
            node("c", Kind::Contraction, &[0, 1], [m, n]),
        ];
        compile_for_target(target(t).unwrap(), &graph, &[2], scalar).map(|p| sound(&p))
    };
    assert_eq!(plan("webgpu", 64, 64, 64, Scalar::F64), Err(PlanError::Unsupported { what: "f64" }));
    assert_eq!(plan("webgpu", 64, 64, 64, Scalar::F16), Ok(()));
    assert_eq!(plan("webgpu", 65536, 65536, 8, Scalar::F32), Err(PlanError::Overflow { arg: "c" }));
    assert_eq!(plan("sm_90", 65536, 65536, 8, Scalar::F32), Ok(()));
    assert_eq!(plan("sm_90", u32::MAX, 8, u32::MAX, Scalar::F32), Err(PlanError::Overflow { arg: "a" }));
    assert_eq!(plan("sm_90", 0, 8, 8, Scalar::F32), Err(PlanError::Domain { arg: "shape" }));
    assert_eq!(plan("sm_90", 8, 8, 0, Scalar::F32), Err(PlanError::Domain { arg: "shape" }));
    let grid = PlanError::DoesNotFit { limit: Limit::Grid, needed: 1 << 24, available: 65535 };
    assert_eq!(plan("sm_90", 1 << 31, 8, 8, Scalar::F32), Err(grid));
}

/// A machine that nobody has heard of: facts, and nothing else.
static MADE: [Target; 1] = {
    const TEXT: &str = "hardware_target(made).
hw_language(made, wgsl).
hw_warp_size(made, 16).
hw_threads_per_block_max(made, 512).
hw_threads_per_sm_max(made, 1024).
hw_grid_x_max(made, 65535).
hw_grid_y_max(made, 65535).
hw_shared_memory_per_block_max(made, 24576).
hw_shared_memory_per_sm(made, 49152).
hw_memory_bandwidth_gb_s(made, 100).
hw_fp32_flops_tflops(made, 2.5).
hw_supports_tensor_cores(made, false).
";
    match parse(TEXT) {
        Ok(t) => t,
        Err(_) => panic!("the facts are malformed"),
    }
};

#[test]
fn a_new_target_is_facts_only() {
    let [made] = &MADE;
    let graph = block();
    let mut found = [Chain::EMPTY; 8];
    let n = find_fusible_chains(&graph, &mut found).unwrap();
    for chain in &found[..n] {
        let plan = compile_for_target(made, &graph, chain.nodes(), Scalar::F32).unwrap();
        sound(&plan);
        assert_eq!((plan.target.name, plan.language), ("made", Language::Wgsl));
        assert!(plan.choice.shared_bytes <= 24576 && plan.choice.threads <= 512);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random graphs: no node is in two chains, values inside a chain have one reader, and each chain has a plan.
    #[test]
    fn chains_of_random_graphs(ops in prop::collection::vec(any::<[u8; 4]>(), 1..40), t in 0..TARGETS.len()) {
        let shape = [24, 24];
        let inputs: Vec<Vec<usize>> = ops
            .iter()
            .enumerate()
            .map(|(i, &[kind, a, b, _])| {
                let [a, b] = [a, b].map(|x| usize::from(x) % (i + 1));
                match kind % 5 { 0 => vec![], 1 => vec![a], 2 | 3 => vec![a, b], _ => vec![i] }
            })
            .collect();
        let mut graph = vec![node("x", Kind::Input, &[], shape)];
        for (inputs, &[kind, _, _, kept]) in inputs.iter().zip(&ops) {
            let kind = match kind % 5 {
                0 => Kind::Input,
                1 => Kind::Norm,
                2 => Kind::Contraction,
                _ => Kind::Pointwise,
            };
            graph.push(Node { name: "", kind, inputs, parameters: &[], shape, kept: kept < 20 });
        }
        let mut seen = vec![false; graph.len()];
        for chain in chains(&graph) {
            let checked = check_chain(&graph, &chain).unwrap();
            prop_assert_eq!(checked.nodes(), &chain[..]);
            for (i, &n) in chain.iter().enumerate() {
                prop_assert!(!std::mem::replace(&mut seen[n], true), "{n} is in two chains");
                if let Some(&next) = chain.get(i + 1) {
                    let readers: Vec<_> = (0..graph.len()).filter(|&r| graph[r].inputs.contains(&n)).collect();
                    prop_assert_eq!(readers, [next]);
                    prop_assert!(!graph[n].kept);
                }
            }
            sound(&compile_for_target(&TARGETS[t], &graph, &chain, Scalar::F32).unwrap());
        }
    }

    /// Any graph at all: an answer or a named error.
    #[test]
    fn any_graph_is_judged(nodes in prop::collection::vec((0u8..6, prop::collection::vec(0usize..9, 0..4), any::<[u32; 2]>(), any::<bool>()), 0..9), small: bool) {
        common::compared::add(1);
        const KINDS: [Kind; 6] = [Kind::Input, Kind::Pointwise, Kind::Norm, Kind::RowReduce, Kind::Reduce, Kind::Contraction];
        let graph: Vec<Node<'_>> = nodes
            .iter()
            .map(|(kind, inputs, shape, kept)| {
                let shape = if small { shape.map(|s| s % 3) } else { *shape };
                Node { name: "", kind: KINDS[usize::from(*kind)], inputs, parameters: &[], shape, kept: *kept }
            })
            .collect();
        let _ = find_fusible_chains(&graph, &mut [Chain::EMPTY; 4]);
        for node in 0..graph.len() {
            for t in &TARGETS {
                if let Ok(plan) = compile_for_target(t, &graph, &[node], Scalar::F16) {
                    sound(&plan);
                    let _ = plan.chain.saved_bytes(&graph, Scalar::F16);
                }
            }
        }
    }
}
