//! Texts in WGSL: parsed and validated by naga, made from the bodies that the CPU runs, on the tiles that the facts give.

use fulmen::gpu::wgsl::{self, Error, Operand};
use fulmen::hardware::*;
use fulmen::ops::{Gpu, OPS};
use fulmen::{Add, Alu, Body, Clamp, Gelu, Number, Relu, Scale, Then};

/// Parses and validates for any device; returns the entry point's block and its bytes of shared memory.
fn valid(text: &str) -> ([u32; 3], u32) {
    valid_with(text, naga::valid::Capabilities::empty())
}

fn valid_with(text: &str, has: naga::valid::Capabilities) -> ([u32; 3], u32) {
    let module =
        naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(text)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, has);
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{}\n{text}", e.emit_to_string(text)));
    let [entry] = &module.entry_points[..] else { panic!("one entry point: {text}") };
    assert_eq!(entry.name, "main");
    let layout = module.to_ctx();
    let shared = module
        .global_variables
        .iter()
        .filter(|(_, v)| v.space == naga::AddressSpace::WorkGroup)
        .map(|(_, v)| layout.types[v.ty].inner.size(layout))
        .sum();
    let _ = info;
    (entry.workgroup_size, shared)
}

/// Rows that meet by shuffles: subgroups, and for a warp a row nothing that is shared. Each mode by its name.
#[test]
fn shuffles_are_those_of_subgroups() {
    use fulmen::gpu::template::{Meet, Pieces, Threads, row_by};
    use fulmen::gpu::{Builder, F32, Shuffle, Space, Special, U64};
    let has = naga::valid::Capabilities::SUBGROUP;
    for (row, shared) in [(32, false), (256, true)] {
        let threads = Threads { block: 256, row };
        let kernel = row_by::<F32>("softmax", Meet::Warps, threads, Pieces::NONE).unwrap().unwrap();
        let text = wgsl::kernel(&kernel, 256, &[0, 1, 2, 3], true).unwrap().text;
        let (block, bytes) = valid_with(&text, has);
        assert_eq!((block, bytes > 0), ([256, 1, 1], shared), "{text}");
        assert_eq!(text.contains("subgroupShuffle("), !shared, "{text}");
        assert!(text.contains("subgroupShuffleDown("), "{text}");
    }
    for (mode, name) in [
        (Shuffle::Up, "subgroupShuffleUp("),
        (Shuffle::Down, "subgroupShuffleDown("),
        (Shuffle::Butterfly, "subgroupShuffleXor("),
        (Shuffle::Index, "subgroupShuffle("),
    ] {
        let b = Builder::new("shuffled");
        let (out, tid) = (b.param::<U64>(), b.special(Special::TidX));
        b.store(Space::Global, out + tid.wide(b.int(4)), 0, tid.shuffle(mode, b.int(1)));
        let text = wgsl::kernel(&b.finish().unwrap(), 64, &[0], true).unwrap().text;
        valid_with(&text, has);
        assert!(text.contains(name), "{text}");
    }
}

/// Constants of integers with a sign are of that type, the least one too.
#[test]
fn signed_constants_are_valid() {
    use fulmen::gpu::{Builder, S32, Space, Special, U32, U64};
    let b = Builder::new("signed");
    let (out, tid) = (b.param::<U64>(), b.special(Special::TidX));
    let clipped = tid.cast::<S32>().most(b.int(i64::from(i32::MIN))).least(b.int(-3)) + b.int(7);
    b.store(Space::Global, out + tid.wide(b.int(4)), 0, clipped.cast::<U32>());
    let text = wgsl::kernel(&b.finish().unwrap(), 64, &[0], true).unwrap().text;
    valid(&text);
    for constant in ["i32(-2147483648)", "i32(-3)", "i32(7)"] {
        assert!(text.contains(constant), "{text}");
    }
}

/// Every element-wise op of the list, from its own body.
#[test]
fn every_pointwise_op_is_valid() {
    let mut ran = 0;
    for row in OPS {
        if let Some(text) = wgsl::op(row.name) {
            let text = text.unwrap_or_else(|e| panic!("{}: {e}", row.name));
            assert_eq!(valid(&text), ([256, 1, 1], 0), "{}", row.name);
            ran += 1;
        }
    }
    println!("{ran} element-wise ops are valid WGSL");
    assert!(ran > 50, "{ran}");
    assert!(wgsl::op("softmax").is_none() && wgsl::op("nothing").is_none());
}

/// Every reduction and every row op of the list, from the kernels whose numbers tests/ptx checks in the interpreter.
#[test]
fn every_reduction_and_row_op_is_valid() {
    let mut ran = 0;
    for row in OPS {
        match row.gpu {
            Gpu::Template("reduce") => {
                for text in wgsl::reduction(row.name).unwrap().unwrap_or_else(|e| panic!("{}: {e}", row.name))
                {
                    for text in text {
                        let (block, shared) = valid(&text);
                        assert_eq!(block, [128, 1, 1], "{}", row.name);
                        assert!(shared >= 128 * 4, "{}", row.name);
                    }
                }
                ran += 1;
            }
            Gpu::Template("row_reduce") => {
                let text = wgsl::row(row.name).unwrap().unwrap_or_else(|e| panic!("{}: {e}", row.name));
                assert_eq!(valid(&text).0, [128, 1, 1], "{}", row.name);
                ran += 1;
            }
            _ => assert!(wgsl::reduction(row.name).is_none() && wgsl::row(row.name).is_none()),
        }
    }
    println!("{ran} reductions and row ops are valid WGSL");
    assert_eq!(wgsl::reduction("variance").unwrap().unwrap().len(), 2);
    assert_eq!(wgsl::reduction("norm_l2").unwrap().unwrap().len(), 2);
}

/// Three ops in one: a bias, an activation, a residual.
#[derive(Clone, Copy)]
struct Tail;
impl<T: Number> Body<T, 3> for Tail {
    fn eval<V: Alu<Elem = T>>(self, [product, bias, residual]: [V; 3]) -> V {
        Add.eval([Gelu.eval([Add.eval([product, bias])]), residual])
    }
}

fn plan<'a>(t: &'a Target, scalar: Scalar) -> Plan<'a> {
    let node = |name, kind, inputs, shape| Node { name, kind, inputs, parameters: &[], shape, kept: false };
    let graph = [
        node("a", Kind::Input, &[], [100, 70]),
        node("b", Kind::Input, &[], [70, 90]),
        node("gemm", Kind::Contraction, &[0, 1], [100, 90]),
    ];
    compile_for_target(t, &graph, &[2], scalar).unwrap()
}

/// The same product and epilogue, on the tile of each target of this language.
#[test]
fn products_take_the_tile_of_their_target() {
    let mut tiles = std::collections::BTreeSet::new();
    for t in TARGETS.iter().filter(|t| t.language == Language::Wgsl) {
        let plan = plan(t, Scalar::F32);
        let text = wgsl::gemm("layer", &plan, |[]| Tail, &[Operand::Row, Operand::Full]).unwrap();
        let [x, y] = plan.block;
        assert_eq!(valid(&text), ([x, y, 1], plan.choice.shared_bytes), "{}", t.name);
        tiles.insert([plan.choice.tile.m, plan.choice.tile.n, plan.choice.tile.k]);
    }
    assert!(tiles.len() > 1, "{tiles:?}");
}

/// A machine that exists as facts only.
static MADE: [Target; 1] = {
    const TEXT: &str = "hardware_target(made).
hw_language(made, wgsl).
hw_warp_size(made, 16).
hw_threads_per_block_max(made, 256).
hw_grid_x_max(made, 65535).
hw_grid_y_max(made, 65535).
hw_shared_memory_per_block_max(made, 16384).
hw_shared_memory_per_sm(made, 32768).
hw_memory_bandwidth_gb_s(made, 100).
hw_fp32_flops_tflops(made, 2.5).
hw_supports_tensor_cores(made, false).
";
    match parse(TEXT) {
        Ok(t) => t,
        Err(_) => panic!("the facts are malformed"),
    }
};

/// A graph becomes texts by the names of its nodes, on every target of this language and on one that is facts alone.
#[test]
fn plans_become_texts() {
    let node = |name, kind, inputs, shape| Node { name, kind, inputs, parameters: &[], shape, kept: false };
    let graph = [
        node("x", Kind::Input, &[], [60, 70]),
        node("w", Kind::Input, &[], [70, 90]),
        node("bias", Kind::Input, &[], [1, 90]),
        node("softmax", Kind::Norm, &[0], [60, 70]),
        node("gemm", Kind::Contraction, &[3, 1], [60, 90]),
        node("add", Kind::Pointwise, &[4, 2], [60, 90]),
        node("gelu", Kind::Pointwise, &[5], [60, 90]),
        node("mul", Kind::Pointwise, &[6, 2], [60, 90]),
        node("norm_l2", Kind::Reduce, &[7], [1, 1]),
    ];
    for t in TARGETS.iter().filter(|t| t.language == Language::Wgsl).chain(&MADE) {
        for (nodes, texts) in [(&[3, 4, 5, 6, 7][..], 2), (&[4, 5], 1), (&[5, 6], 1), (&[3], 1), (&[8], 4)] {
            let plan = compile_for_target(t, &graph, nodes, Scalar::F32).unwrap();
            let all = wgsl::planned(&plan, &graph).unwrap_or_else(|e| panic!("{} {nodes:?}: {e}", t.name));
            assert_eq!((all.texts.len(), all.parameters.len()), (texts, texts), "{} {nodes:?}", t.name);
            for text in &all.texts {
                valid(text);
            }
        }
    }
    let wrong = [node("x", Kind::Input, &[], [4, 4]), node("nothing", Kind::Pointwise, &[0], [4, 4])];
    let plan = compile_for_target(&MADE[0], &wrong, &[1], Scalar::F32).unwrap();
    assert!(matches!(wgsl::planned(&plan, &wrong), Err(Error::Body(_))));
}

#[test]
fn what_a_frame_cannot_do_is_refused() {
    let webgpu = target("webgpu").unwrap();
    let good = plan(webgpu, Scalar::F32);
    let gemm = |plan: &Plan<'_>, operands: &[Operand]| wgsl::gemm("f", plan, |[]| Tail, operands).map(|_| ());
    assert_eq!(gemm(&good, &[Operand::Row, Operand::Col]), Ok(()));
    assert_eq!(gemm(&good, &[Operand::Row]), Err(Error::Plan));
    assert_eq!(gemm(&plan(target("sm_90").unwrap(), Scalar::F32), &[Operand::Row; 2]), Err(Error::Plan));
    assert_eq!(gemm(&plan(webgpu, Scalar::F16), &[Operand::Row; 2]), Err(Error::Plan));
    for (name, threads, why) in [
        ("", 64, Error::Name),
        ("9", 64, Error::Name),
        ("a b", 64, Error::Name),
        ("Relu", 64, Error::Name),
        ("relu", 0, Error::Threads),
        ("relu", 96, Error::Threads),
        ("relu", 512, Error::Threads),
    ] {
        assert_eq!(wgsl::pointwise::<_, 0, 1>(name, |[]| Relu, threads), Err(why), "{name:?} {threads}");
    }
}

/// NaN and infinity are no constants of WGSL; they come from their bits.
#[test]
fn constants_that_wgsl_refuses_come_from_their_bits() {
    #[derive(Clone, Copy)]
    struct Odd;
    impl<T: Number> Body<T, 1> for Odd {
        fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
            let y = x.c(f64::NAN) + x.c(f64::NEG_INFINITY) + x.c(1e-40) + x.c(-0.0) + x.c(f32::MAX.into());
            V::select(x.lt(y), x, y)
        }
    }
    let text = wgsl::pointwise("odd", |[]| Odd, 64).unwrap();
    valid(&text);
    for bits in ["0x7fc00000u", "0xff800000u", "0x116c2u", "0x80000000u"] {
        assert!(text.contains(&format!("from_bits({bits})")), "{bits}: {text}");
    }
    assert!(text.contains("3.4028235e38f"));
    let composed = wgsl::pointwise("relu_add", |[]| Then(Add, Relu), 64).unwrap();
    valid(&composed);
    assert!(composed.contains("relu_add_body(in0[i], in1[i])"));
}

/// Parameters are a uniform: no text holds one, and the values go beside it.
#[test]
fn parameters_are_no_part_of_a_text() {
    let text = wgsl::pointwise("scaled", |[by, lo, hi]| Then(Scale(by), Clamp(lo, hi)), 64).unwrap();
    valid(&text);
    assert!(text.contains("@binding(3) var<uniform> numbers: array<vec4<f32>, 1>;"), "{text}");
    assert!(text.contains("scaled_body(in0[i], numbers[0][0], numbers[0][1], numbers[0][2])"), "{text}");
    let graph = |parameters: &'static [f64]| {
        let node = |name, kind, inputs, parameters| Node {
            name,
            kind,
            inputs,
            parameters,
            shape: [8, 9],
            kept: false,
        };
        [
            node("x", Kind::Input, &[][..], &[][..]),
            node("scale", Kind::Pointwise, &[0], parameters),
            node("clamp", Kind::Pointwise, &[1], &[-2.5, 3.5]),
            node("elu", Kind::Pointwise, &[2], parameters),
            node("lerp", Kind::Pointwise, &[3, 0], parameters),
        ]
    };
    let texts = |graph: &[Node<'_>]| {
        let plan = compile_for_target(target("webgpu").unwrap(), graph, &[1, 2, 3, 4], Scalar::F32).unwrap();
        wgsl::planned(&plan, graph)
    };
    let (one, other) = (texts(&graph(&[0.3])).unwrap(), texts(&graph(&[7.25])).unwrap());
    assert_eq!(one.texts, other.texts);
    assert_eq!(one.parameters, [[0.3, -2.5, 3.5, 0.3, 0.3]]);
    assert_eq!(other.parameters, [[7.25, -2.5, 3.5, 7.25, 7.25]]);
    valid(&one.texts[0]);
    let said = texts(&graph(&[])).unwrap_err();
    assert_eq!(said, Error::Body(fulmen::gpu::Error::Parameters { node: 1, expected: 1, got: 0 }));
}
