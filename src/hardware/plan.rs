//! Plans the kernel of a fused chain for a machine: the tile, the block, the grid and the language.

use super::choose::optimal_tile;
use super::error::{Limit, PlanError};
use super::fusion::{Chain, Kind, Node, check_chain, form};
use super::machine::{Gpu, Language, Scalar, Target};
use super::tiling::{Choice, Form};

/// A kernel before it is written.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The machine.
    pub target: &'a Target,
    /// What the kernel is written in.
    pub language: Language,
    /// The template.
    pub form: Form,
    /// The ops in it.
    pub chain: Chain,
    /// Type of the elements.
    pub scalar: Scalar,
    /// Rows, columns and inner dimension; that is 1 where there is no product, and the length of a row for rows.
    pub size: [u32; 3],
    /// The tile and what it takes.
    pub choice: Choice,
    /// Threads of a block along x and y.
    pub block: [u32; 2],
    /// Blocks along x and y. Where there are fewer than tiles, a block takes several in turn.
    pub grid: [u32; 2],
    /// Whether tiles reach over the edge, so that loads and stores need a guard.
    pub guarded: bool,
}

/// Plans the kernel of one chain, or of one op, on a target: the template, the tile and the launch.
///
/// The target is only facts: one that a text of one's own names works as well as those of [`TARGETS`](super::TARGETS).
///
/// # Errors
/// Those of [`check_chain`] and [`optimal_tile`]; `Domain` for an empty shape, `Overflow` for one that the language
/// cannot index, `Unsupported` for a type that it lacks, `DoesNotFit` for a grid that is too large.
pub fn compile_for_target<'a>(
    target: &'a Target,
    graph: &[Node<'_>],
    nodes: &[usize],
    scalar: Scalar,
) -> Result<Plan<'a>, PlanError> {
    let chain = check_chain(graph, nodes)?;
    let root = chain.root().and_then(|r| graph.get(r)).ok_or(PlanError::Domain { arg: "chain" })?;
    let form = form(root.kind).ok_or(PlanError::Domain { arg: "chain" })?;
    let first = root.inputs.first().and_then(|&i| graph.get(i)).map_or(root.shape, |n| n.shape);
    let [rows, cols] = if matches!(form, Form::Gemm) { root.shape } else { widest(root, first) };
    let size = [rows, cols, if matches!(form, Form::Gemm) { first[1] } else { 1 }];
    if size.contains(&0) {
        return Err(PlanError::Domain { arg: "shape" });
    }
    if matches!(target.language, Language::Wgsl) && matches!(scalar, Scalar::Bf16 | Scalar::F64 | Scalar::I8)
    {
        return Err(PlanError::Unsupported { what: scalar.name() });
    }
    indexable(target.language, scalar, size)?;
    let choice = optimal_tile(target, form, scalar)?;
    let tile = choice.tile;
    let [block, grid] = match target.gpu() {
        Some(gpu) => launch(gpu, &choice, size)?,
        None => [[1, 1], [1, 1]],
    };
    let guarded = match form {
        Form::Gemm => {
            !(rows.is_multiple_of(tile.m)
                && cols.is_multiple_of(tile.n)
                && size.iter().last().is_some_and(|k| k.is_multiple_of(tile.k)))
        }
        Form::RowReduce => !cols.is_multiple_of(tile.n),
        Form::Pointwise | Form::Reduce => {
            !(u64::from(rows) * u64::from(cols)).is_multiple_of(u64::from(tile.n))
        }
    };
    Ok(Plan { target, language: target.language, form, chain, scalar, size, choice, block, grid, guarded })
}

/// The shape that the kernel walks over: a reduction's is that of what it reads.
fn widest(root: &Node<'_>, first: [u32; 2]) -> [u32; 2] {
    match root.kind {
        Kind::RowReduce | Kind::Reduce => first,
        _ => root.shape,
    }
}

/// WGSL counts elements in 32 bits; the others count bytes in 63.
fn indexable(language: Language, scalar: Scalar, [m, n, k]: [u32; 3]) -> Result<(), PlanError> {
    for (arg, a, b) in [("a", m, k), ("b", k, n), ("c", m, n)] {
        let elements = u64::from(a) * u64::from(b);
        let fits = match language {
            Language::Wgsl => u32::try_from(elements).is_ok(),
            Language::Ptx | Language::Rust => {
                elements.checked_mul(scalar.bytes().into()).is_some_and(|b| i64::try_from(b).is_ok())
            }
        };
        if !fits {
            return Err(PlanError::Overflow { arg });
        }
    }
    Ok(())
}

/// Block and grid.
fn launch(gpu: &Gpu, choice: &Choice, [m, n, _]: [u32; 3]) -> Result<[[u32; 2]; 2], PlanError> {
    let tile = choice.tile;
    let [most_x, most_y] = gpu.grid_max;
    if matches!(choice.form, Form::Gemm) {
        let [rows, cols] = tile.per_thread;
        let across = tile.n.checked_div(cols).ok_or(PlanError::Domain { arg: "n" })?;
        let down = tile.m.checked_div(rows).ok_or(PlanError::Domain { arg: "m" })?;
        let grid = [n.div_ceil(tile.n), m.div_ceil(tile.m)];
        for (needed, available) in [(grid[0], most_x), (grid[1], most_y)] {
            if needed > available {
                let (needed, available) = (needed.into(), available.into());
                return Err(PlanError::DoesNotFit { limit: Limit::Grid, needed, available });
            }
        }
        return Ok([[across, down], grid]);
    }
    let tiles = if matches!(choice.form, Form::RowReduce) {
        u64::from(m)
    } else {
        (u64::from(m) * u64::from(n)).div_ceil(tile.n.into())
    };
    let resident = match (gpu.sm_count, choice.occupancy) {
        // The partial results of a reduction are as many as its blocks: no more than run at once.
        (Some(sms), Some(o)) if matches!(choice.form, Form::Reduce) => sms.saturating_mul(o.blocks),
        _ => most_x,
    };
    let blocks = u32::try_from(tiles).unwrap_or(u32::MAX).min(resident).min(most_x);
    Ok([[choice.threads, 1], [blocks, 1]])
}
