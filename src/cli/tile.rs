//! `fulmen tile`: a tile, and the facts that it follows from.

use clap::Args;
use fulmen::hardware::{
    Choice, Form, Scalar, TARGETS, Target, arithmetic_intensity, check_tile, optimal_tile, reference_tile,
    target,
};
use std::fmt::Write as _;

#[derive(Args)]
pub struct TileArgs {
    /// A target of the facts, such as `sm_80`
    #[arg(long)]
    target: String,
    /// `pointwise`, `reduce`, `row_reduce` or `gemm`
    #[arg(long, default_value = "gemm")]
    op: String,
    /// `f16`, `bf16`, `f32`, `f64` or `i8`
    #[arg(long = "type", default_value = "f32")]
    scalar: String,
    /// M, N and K of a problem
    #[arg(num_args = 3, value_names = ["M", "N", "K"])]
    size: Vec<u32>,
}

/// A name among `all`, or an error that lists them.
fn named<T: Copy>(
    what: &str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, String> {
    all.iter().copied().find(|&t| name_of(t) == name).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|&t| name_of(t)).collect();
        format!("no {what} `{name}`; there are {}", names.join(", "))
    })
}

pub fn target_named(name: &str) -> Result<&'static Target, String> {
    target(name).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|t| t.name).collect();
        format!("no target `{name}`; the facts have {}", names.join(", "))
    })
}

pub fn scalar_named(name: &str) -> Result<Scalar, String> {
    named("type", name, &Scalar::ALL, Scalar::name)
}

pub fn explain(args: &TileArgs) -> Result<String, String> {
    let target = target_named(&args.target)?;
    let form = named("op", &args.op, &Form::ALL, Form::name)?;
    let scalar = scalar_named(&args.scalar)?;
    let choice = optimal_tile(target, form, scalar).map_err(|e| format!("{}: {e}", target.name))?;
    let mut out = String::new();
    facts(&mut out, target);
    let _ = write!(out, "{choice}");
    if target.gpu().is_some() && scalar != Scalar::F32 {
        let _ = writeln!(out, "kernel      none is made from this plan: kernels of plans are of f32");
    }
    if form == Form::Gemm && target.gpu().is_some() {
        reference(&mut out, target, scalar);
    }
    if let &[m, n, k] = args.size.as_slice() {
        problem(&mut out, target, &choice, [m, n, k])?;
    }
    Ok(out)
}

fn facts(out: &mut String, target: &Target) {
    let or = |v: Option<u32>| v.map_or("unknown".into(), |v| v.to_string());
    let thousandths =
        |v: Option<u64>| v.map_or("unknown".into(), |v| format!("{}.{:03}", v / 1000, v % 1000));
    if let Some(g) = target.gpu() {
        let _ = writeln!(
            out,
            "{}: warps of {}, {} threads a block, {} an SM; shared memory {} a block, {} if asked for, {} an SM; {} registers an SM; {} SMs; {} GB/s; {} TFLOP/s in f32, {} in f16",
            target.name,
            g.warp_size,
            g.threads_per_block_max,
            or(g.threads_per_sm_max),
            g.shared_memory_per_block_max,
            g.shared_memory_per_block_optin.map_or("no more".into(), |v| v.to_string()),
            or(g.shared_memory_per_sm),
            or(g.registers_per_sm),
            or(g.sm_count),
            thousandths(g.memory_mb_s),
            thousandths(g.fp32_gflops),
            thousandths(g.fp16_gflops),
        );
    }
    if let Some(c) = target.cpu() {
        let fma = if c.fma { "with" } else { "without" };
        let _ = writeln!(
            out,
            "{}: {} vectors of {} bits, {fma} fused multiply-add; caches {} and {} bytes",
            target.name,
            c.vector_registers,
            c.vector_bits,
            or(c.l1_data_cache),
            or(c.l2_cache),
        );
    }
}

/// The published rule beside our choice.
fn reference(out: &mut String, target: &Target, scalar: Scalar) {
    for (optin, how) in [(false, "without asking"), (true, "with memory that is asked for")] {
        let Ok(tile) = reference_tile(target, optin) else { continue };
        let intensity = arithmetic_intensity(&tile, Scalar::F32).unwrap_or(0);
        let _ = write!(
            out,
            "reference   {} x {} x {} {how}, {}.{:03} operations per byte with C moved each step",
            tile.m,
            tile.n,
            tile.k,
            intensity / 1000,
            intensity % 1000
        );
        let _ = match check_tile(target, Form::Gemm, scalar, &tile) {
            Ok(c) => writeln!(out, "; {} bytes of {}", c.shared_bytes, scalar.name()),
            Err(e) => writeln!(out, "; for {}: {e}", scalar.name()),
        };
    }
}

/// What the tile means for one problem.
fn problem(out: &mut String, target: &Target, choice: &Choice, size: [u32; 3]) -> Result<(), String> {
    if size.contains(&0) {
        return Err("M, N and K are at least 1".into());
    }
    let ([m, n, k], tile) = (size.map(u64::from), choice.tile);
    let up = |x: u64, by: u32| x.div_ceil(by.into());
    let tiles = up(m, tile.m) * up(n, tile.n);
    let done = u128::from(m) * u128::from(n) * 1000;
    let computed = u128::from(tiles) * u128::from(tile.m) * u128::from(tile.n);
    let used = done / computed;
    let _ = write!(
        out,
        "{m} x {n} x {k}: {} x {} tiles, {} steps; {}.{} % of the computed elements are wanted",
        up(m, tile.m),
        up(n, tile.n),
        up(k, tile.k),
        used / 10,
        used % 10
    );
    if let (Some(sms), Some(occupancy)) = (target.gpu().and_then(|g| g.sm_count), choice.occupancy) {
        let at_once = u64::from(sms) * u64::from(occupancy.blocks);
        let _ = write!(out, "; {} waves of {at_once} blocks", tiles.div_ceil(at_once));
    }
    out.push('\n');
    Ok(())
}
