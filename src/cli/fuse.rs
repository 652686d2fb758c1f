//! `fulmen fuse`: the chains of a graph and the plan of each on a target.

use crate::tile::{scalar_named, target_named};
use clap::Args;
use fulmen::hardware::{
    Chain, Kind, Language, MAX_NODES, Node, Plan, compile_for_target, find_fusible_chains,
};
use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

#[derive(Args)]
pub struct Fuse {
    /// A graph in YAML: a list of nodes with `name`, `kind`, `inputs` (names), `shape`, the `op` of the library where it is
    /// not the name, its `parameters` (numbers), and `kept` if the value is wanted afterwards
    #[arg(required_unless_present = "example")]
    file: Option<PathBuf>,
    /// The feed-forward part of a transformer's layer instead of a file; `--print` shows it
    #[arg(long, conflicts_with = "file")]
    example: bool,
    /// Print the graph before its chains
    #[arg(long)]
    print: bool,
    /// A target of the facts, such as `sm_80`
    #[arg(long)]
    target: String,
    /// `f16`, `bf16`, `f32`, `f64` or `i8`
    #[arg(long = "type", default_value = "f32")]
    scalar: String,
}

const EXAMPLE: &str = "\
- {name: x, kind: input, shape: [512, 4096]}
- {name: gain, kind: input, shape: [1, 4096]}
- {name: up_weights, kind: input, shape: [4096, 11008]}
- {name: bias, kind: input, shape: [1, 11008]}
- {name: down_weights, kind: input, shape: [11008, 4096]}
- {name: rms_norm, kind: norm, inputs: [x, gain], parameters: [1.0e-5], shape: [512, 4096]}
- {name: up, op: gemm, kind: contraction, inputs: [rms_norm, up_weights], shape: [512, 11008]}
- {name: add_bias, op: add, kind: pointwise, inputs: [up, bias], shape: [512, 11008]}
- {name: gelu, kind: pointwise, inputs: [add_bias], shape: [512, 11008]}
- {name: down, op: gemm, kind: contraction, inputs: [gelu, down_weights], shape: [512, 4096]}
- {name: residual, op: add, kind: pointwise, inputs: [down, x], shape: [512, 4096]}
";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Op {
    name: String,
    op: Option<String>,
    kind: OpKind,
    #[serde(default)]
    inputs: Vec<String>,
    shape: [u32; 2],
    #[serde(default)]
    parameters: Vec<f64>,
    #[serde(default)]
    kept: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum OpKind {
    Input,
    Pointwise,
    Norm,
    RowReduce,
    Reduce,
    Contraction,
}

impl From<OpKind> for Kind {
    fn from(kind: OpKind) -> Self {
        match kind {
            OpKind::Input => Self::Input,
            OpKind::Pointwise => Self::Pointwise,
            OpKind::Norm => Self::Norm,
            OpKind::RowReduce => Self::RowReduce,
            OpKind::Reduce => Self::Reduce,
            OpKind::Contraction => Self::Contraction,
        }
    }
}

pub fn explain(args: &Fuse) -> Result<String, String> {
    let target = target_named(&args.target)?;
    let scalar = scalar_named(&args.scalar)?;
    let (origin, text) = match &args.file {
        Some(path) => {
            let origin = path.display().to_string();
            let text = std::fs::read_to_string(path).map_err(|e| format!("{origin}: {e}"))?;
            (origin, text)
        }
        None => ("the example".into(), EXAMPLE.into()),
    };
    let ops: Vec<Op> = serde_saphyr::from_str(&text).map_err(|e| format!("{origin}: {e}"))?;
    let inputs = resolve(&ops).map_err(|e| format!("{origin}: {e}"))?;
    let graph: Vec<Node<'_>> = ops
        .iter()
        .zip(&inputs)
        .map(|(o, inputs)| {
            let name = o.op.as_ref().unwrap_or(&o.name);
            Node {
                name,
                kind: o.kind.into(),
                inputs,
                parameters: &o.parameters,
                shape: o.shape,
                kept: o.kept,
            }
        })
        .collect();
    let named = |e| {
        let text = format!("{origin}: {e}");
        ops.iter()
            .enumerate()
            .fold(text, |t, (i, o)| t.replace(&format!("node {i} "), &format!("`{}` ", o.name)))
    };

    let mut chains = [Chain::EMPTY; MAX_NODES];
    let found = find_fusible_chains(&graph, &mut chains).map_err(|e| named(e.to_string()))?;
    let mut out = if args.print { format!("{text}\n") } else { String::new() };
    let mut fused = HashSet::<usize>::new();
    for chain in chains.iter().take(found) {
        let names: Vec<_> = chain.nodes().iter().filter_map(|&i| Some(ops.get(i)?.name.as_str())).collect();
        fused.extend(chain.nodes());
        let plan =
            compile_for_target(target, &graph, chain.nodes(), scalar).map_err(|e| named(e.to_string()))?;
        let saved = chain.saved_bytes(&graph, scalar).map_err(|e| named(e.to_string()))?;
        let made = kernels(&plan, &graph, &named);
        let _ = writeln!(out, "{}: {made}, {saved} bytes not moved", names.join(" > "));
        describe(&mut out, &plan);
    }
    for (i, (node, op)) in graph.iter().zip(&ops).enumerate() {
        if node.kind != Kind::Input && !fused.contains(&i) {
            let plan = compile_for_target(target, &graph, &[i], scalar).map_err(|e| named(e.to_string()))?;
            let _ = writeln!(out, "{} alone: {}", op.name, kernels(&plan, &graph, &named));
            describe(&mut out, &plan);
        }
    }
    Ok(out)
}

/// How many kernels the library makes of a plan, or why none: they are made, so that no other number is printed.
#[cfg_attr(
    not(any(feature = "cuda", feature = "wgsl")),
    allow(unused_variables, unreachable_code, reason = "this build makes none")
)]
fn kernels(plan: &Plan<'_>, graph: &[Node<'_>], named: &impl Fn(String) -> String) -> String {
    let made: Result<usize, String> = match plan.language {
        Language::Rust => return "calls of the library on the host".into(),
        #[cfg(feature = "cuda")]
        Language::Ptx => fulmen::gpu::template::planned(plan, graph)
            .map(|p| p.module.kernels.len())
            .map_err(|e| e.to_string()),
        #[cfg(feature = "wgsl")]
        Language::Wgsl => {
            fulmen::gpu::wgsl::planned(plan, graph).map(|p| p.texts.len()).map_err(|e| e.to_string())
        }
        #[cfg(not(all(feature = "cuda", feature = "wgsl")))]
        _ => return format!("kernels are made by a build with `--features cli,{}`", feature(plan.language)),
    };
    match made {
        Ok(1) => "one kernel".into(),
        Ok(n) => format!("{n} kernels"),
        Err(why) => format!("no kernel ({})", named(why)),
    }
}

#[cfg(not(all(feature = "cuda", feature = "wgsl")))]
fn feature(language: Language) -> &'static str {
    if matches!(language, Language::Wgsl) { "wgsl" } else { "cuda" }
}

/// The places of the names.
fn resolve(ops: &[Op]) -> Result<Vec<Vec<usize>>, String> {
    let mut places = HashMap::new();
    for (i, op) in ops.iter().enumerate() {
        if places.insert(op.name.as_str(), i).is_some() {
            return Err(format!("`{}` is there twice", op.name));
        }
    }
    let place = |op: &Op, name: &String| {
        places
            .get(name.as_str())
            .copied()
            .ok_or_else(|| format!("`{}` reads `{name}`, which does not exist", op.name))
    };
    ops.iter().map(|op| op.inputs.iter().map(|name| place(op, name)).collect()).collect()
}

fn describe(out: &mut String, plan: &Plan<'_>) {
    let [m, n, k] = plan.size;
    let guard = if plan.guarded { "guarded at the edges" } else { "whole tiles" };
    let _ = writeln!(
        out,
        "  {} on {} in {:?}: {m} x {n} x {k}, grid {} x {}, block {} x {}, {guard}",
        plan.form.name(),
        plan.target.name,
        plan.language,
        plan.grid[0],
        plan.grid[1],
        plan.block[0],
        plan.block[1],
    );
    for line in plan.choice.to_string().lines() {
        let _ = writeln!(out, "    {line}");
    }
}
