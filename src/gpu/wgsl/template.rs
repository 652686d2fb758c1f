//! The entry points of WGSL texts around recorded bodies: pointwise, reduction, row and matrix-product kernels over the
//! bindings of a compute shader.

use super::kernel::text;
use super::{Error, emit};
use crate::alu::Body;
use crate::gpu::template::chain::{self, Broadcast, Broadcast as Operand, Steps};
use crate::gpu::template::{Meet, Pieces, Reduction, Threads, reduction_by, row_by, takes};
use crate::gpu::{F32, Param};
use crate::hardware::{Form, Language, Node, Plan, Scalar};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The name starts those of the functions; the entry point of each text is `main`.
fn check_name(name: &str) -> Result<(), Error> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let good = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(word);
    if good { Ok(()) } else { Err(Error::Name) }
}

fn check_threads(threads: u32) -> Result<(), Error> {
    if threads.is_power_of_two() && threads <= 256 { Ok(()) } else { Err(Error::Threads) }
}

/// Bindings 0 up: the inputs, the result, the sizes, and the parameters of bodies if there are some.
fn bindings(inputs: &[&str], out: &str, parameters: usize) -> String {
    let mut text = String::from(emit::PRELUDE);
    for (i, name) in inputs.iter().enumerate() {
        text += &format!("@group(0) @binding({i}) var<storage, read> {name}: array<f32>;\n");
    }
    let n = inputs.len();
    text += &format!("@group(0) @binding({n}) var<storage, read_write> {out}: array<f32>;\n");
    text += &format!("@group(0) @binding({}) var<uniform> params: vec4<u32>;\n", n + 1);
    if parameters > 0 {
        let (binding, rows) = (n + 2, parameters.div_ceil(4));
        text += &format!("@group(0) @binding({binding}) var<uniform> numbers: array<vec4<f32>, {rows}>;\n");
    }
    text
}

/// What a call hands a function for its parameters.
fn numbers(parameters: usize) -> impl Iterator<Item = String> {
    (0..parameters).map(|k| format!("numbers[{}][{}]", k / 4, k % 4))
}

fn inputs(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("in{i}")).collect()
}

/// `out[i] = body(in0[i], in1[i], …)` for `i < params.x`. Each thread takes every so-many-th element, so any grid along
/// x does; the elements and the threads of the grid together stay below 2³². The parameters that `body` is made from are
/// a uniform of their own, bound last, so one text serves all their values; whoever launches it checks them, as
/// [`Body::check`] does.
///
/// # Errors
/// `Body`, `Lacks`, `Name`, `Threads`.
pub fn pointwise<B: Body<Param<F32>, N>, const P: usize, const N: usize>(
    name: &str,
    body: impl FnOnce([Param<F32>; P]) -> B,
    threads: u32,
) -> Result<String, Error> {
    let function = function(name, threads)?;
    plain(&function, &emit::body(&function, body)?, [N, P], threads)
}

/// What the body of an element-wise text is called; whether there can be one.
fn function(name: &str, threads: u32) -> Result<String, Error> {
    check_name(name)?;
    check_threads(threads)?;
    Ok(format!("{name}_body"))
}

/// [`elementwise`] over whole arrays, so many, and so many parameters.
fn plain(function: &str, code: &str, [n, parameters]: [usize; 2], threads: u32) -> Result<String, Error> {
    let x: Vec<String> = (0..n).map(|i| format!("in{i}[i]")).collect();
    elementwise(function, code, &x, parameters, "params.x", threads)
}

/// `out[i] = function(x…, numbers…)` for `i < count`.
fn elementwise(
    function: &str,
    code: &str,
    x: &[String],
    parameters: usize,
    count: &str,
    threads: u32,
) -> Result<String, Error> {
    check_threads(threads)?;
    let names = inputs(x.len());
    let head = bindings(&names.iter().map(String::as_str).collect::<Vec<_>>(), "out", parameters);
    let x: Vec<String> = x.iter().cloned().chain(numbers(parameters)).collect();
    let x = x.join(", ");
    Ok(format!(
        "{head}{code}@compute @workgroup_size({threads})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  zero_bits = u32(params.x == 0xffffffffu);
  for (var i = id.x; i < {count}; i += groups.x * {threads}u) {{
    out[i] = {function}({x})[0];
  }}
}}
"
    ))
}

/// The texts of a reduction of the list: two for each stage, as
/// [`Stage`](crate::gpu::template::Stage) says. `None` for another op.
#[must_use]
pub fn reduction(name: &str) -> Option<Result<Vec<[String; 2]>, Error>> {
    let texts = |r: Reduction| r.stages.iter().map(|s| Ok([text(&s.parts)?, text(&s.merge)?])).collect();
    Some(reduction_by::<F32>(name, Meet::Memory, false)?.map_err(Error::from).and_then(texts))
}

/// The text of a row operation of the list, with the parameters that
/// [`row`](crate::gpu::template::row) says. `None` for another op.
#[must_use]
pub fn row(name: &str) -> Option<Result<String, Error>> {
    Some(
        row_by::<F32>(name, Meet::Memory, Threads::BLOCK, Pieces::NONE)?
            .map_err(Error::from)
            .and_then(|k| text(&k)),
    )
}

/// `C = epilogue(A·B, …)`, all row-major: `params` holds rows, columns and the inner dimension. The first input of the
/// epilogue is the product, the others are `operands`, which are bound after A and B; the parameters that it is made from
/// are those of [`pointwise`]. Tile, block and grid are the plan's.
///
/// # Errors
/// `Plan` for another form, language or type, or another number of operands; `Body`, `Lacks`, `Name`, `Tile`.
pub fn gemm<B: Body<Param<F32>, N>, const P: usize, const N: usize>(
    name: &str,
    plan: &Plan<'_>,
    epilogue: impl FnOnce([Param<F32>; P]) -> B,
    operands: &[Operand],
) -> Result<String, Error> {
    if operands.len() + 1 != N {
        return Err(Error::Plan);
    }
    let function = format!("{name}_epilogue");
    check_name(name)?;
    product(name, plan, &emit::body(&function, epilogue)?, operands, P)
}

/// The texts of a plan, and the values of the parameters of its ops.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The texts, in the order in which they run.
    pub texts: Vec<String>,
    /// For each text the values of its parameters, in order. Those of a norm are the words after its sizes, as bits.
    pub parameters: Vec<Vec<f64>>,
}

/// The texts of a plan in `f32`, by the names of its nodes; what they take is as in
/// [`planned`](crate::gpu::template::planned). A reduction has two texts a stage, a norm in front of a product is a
/// text of its own.
///
/// # Errors
/// `Plan` for another language or type, `Body` for sizes or nodes that no template runs or that have other operands or
/// parameters than their ops, and those of [`gemm`].
pub fn planned(plan: &Plan<'_>, graph: &[Node<'_>]) -> Result<Planned, Error> {
    if plan.language != Language::Wgsl || plan.scalar != Scalar::F32 {
        return Err(Error::Plan);
    }
    chain::countable(plan)?;
    let root = plan.chain.root().ok_or(Error::Plan)?;
    let unknown = |node| Error::Body(crate::gpu::Error::Node { node });
    let node = |at: usize| graph.get(at).ok_or(unknown(at));
    let norm = |at: usize| {
        chain::single(graph, at)?;
        let node = node(at)?;
        Ok((row(node.name).ok_or(unknown(at))??, node.parameters.to_vec()))
    };
    let own = node(root)?.name;
    let all: Vec<(String, Vec<f64>)> = match plan.form {
        Form::Gemm => {
            chain::single(graph, root)?;
            let steps = Steps::new(graph, plan.chain.epilogue(), Some(root))?;
            check_name(own)?;
            let code = emit::steps(&format!("{own}_epilogue"), &steps, true)?;
            let mut all =
                plan.chain.prologue().iter().map(|at| norm(*at)).collect::<Result<Vec<_>, Error>>()?;
            let text = product(own, plan, &code, &steps.operands, steps.parameters.len())?;
            all.push((text, steps.parameters));
            all
        }
        Form::Pointwise => {
            chain::elements(plan)?;
            let steps = Steps::new(graph, plan.chain.nodes(), None)?;
            check_name(own)?;
            let function = format!("{own}_body");
            let code = emit::steps(&function, &steps, false)?;
            let x: Vec<String> = steps
                .operands
                .iter()
                .enumerate()
                .map(|(i, o)| match o {
                    Broadcast::Full => format!("in{i}[i]"),
                    Broadcast::Row => format!("in{i}[i % params.y]"),
                    Broadcast::Col => format!("in{i}[i / params.y]"),
                    Broadcast::One => format!("in{i}[0]"),
                })
                .collect();
            let (count, threads) = ("params.x * params.y", plan.choice.threads);
            let text = elementwise(&function, &code, &x, steps.parameters.len(), count, threads)?;
            Vec::from([(text, steps.parameters)])
        }
        Form::RowReduce => Vec::from([norm(root)?]),
        Form::Reduce => {
            chain::elements(plan)?;
            chain::single(graph, root)?;
            let texts = reduction(own).ok_or(unknown(root))??;
            texts.into_iter().flatten().map(|text| (text, Vec::new())).collect()
        }
    };
    let (texts, parameters) = all.into_iter().unzip();
    Ok(Planned { texts, parameters })
}

/// A product whose epilogue is the function `name_epilogue` of `code`.
fn product(
    name: &str,
    plan: &Plan<'_>,
    code: &str,
    operands: &[Operand],
    parameters: usize,
) -> Result<String, Error> {
    if plan.form != Form::Gemm || plan.language != Language::Wgsl || plan.scalar != Scalar::F32 {
        return Err(Error::Plan);
    }
    let function = format!("{name}_epilogue");
    let tile = plan.choice.tile;
    let threads = tile.threads()?;
    let ([tm, tn], stages) = (tile.per_thread, tile.stages);
    let (m, n, k) = (tile.m, tile.n, tile.k);
    let [across, down] = plan.block;
    let names = inputs(operands.len());
    let mut buffers = Vec::from(["a", "b"]);
    buffers.extend(names.iter().map(String::as_str));
    let head = bindings(&buffers, "c", parameters);
    let more: String = operands
        .iter()
        .enumerate()
        .map(|(i, o)| match o {
            Operand::Row => format!(", in{i}[col]"),
            Operand::Col => format!(", in{i}[row]"),
            Operand::Full => format!(", in{i}[row * params.y + col]"),
            Operand::One => format!(", in{i}[0]"),
        })
        .chain(numbers(parameters).map(|n| format!(", {n}")))
        .collect();
    // With two stages the next piece is written while the last is read, so one barrier per step is enough.
    let again = if stages == 1 { "    workgroupBarrier();\n" } else { "" };
    let (a_size, b_size, results) = (m * k, k * n, tm * tn);
    Ok(format!(
        "{head}{code}var<workgroup> a_tile: array<f32, {a_all}>;
var<workgroup> b_tile: array<f32, {b_all}>;
@compute @workgroup_size({across}, {down})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {{
  zero_bits = u32(params.x == 0xffffffffu);
  let first_row = group.y * {m}u;
  let first_col = group.x * {n}u;
  let top = t / {across}u * {tm}u;
  let left = t % {across}u * {tn}u;
  var sum: array<f32, {results}>;
  for (var s = 0u; s * {k}u < params.z; s++) {{
    let a_at = s % {stages}u * {a_size}u;
    let b_at = s % {stages}u * {b_size}u;
    for (var e = t; e < {a_size}u; e += {threads}u) {{
      let row = first_row + e / {k}u;
      let p = s * {k}u + e % {k}u;
      var v = 0.0f;
      if row < params.x && p < params.z {{ v = a[row * params.z + p]; }}
      a_tile[a_at + e % {k}u * {m}u + e / {k}u] = v;
    }}
    for (var e = t; e < {b_size}u; e += {threads}u) {{
      let p = s * {k}u + e / {n}u;
      let col = first_col + e % {n}u;
      var v = 0.0f;
      if p < params.z && col < params.y {{ v = b[p * params.y + col]; }}
      b_tile[b_at + e] = v;
    }}
    workgroupBarrier();
    for (var p = 0u; p < {k}u; p++) {{
      for (var i = 0u; i < {tm}u; i++) {{
        let x = a_tile[a_at + p * {m}u + top + i];
        for (var j = 0u; j < {tn}u; j++) {{
          sum[i * {tn}u + j] = fma(x, b_tile[b_at + p * {n}u + left + j], sum[i * {tn}u + j]);
        }}
      }}
    }}
{again}  }}
  for (var i = 0u; i < {results}u; i++) {{
    let row = first_row + top + i / {tn}u;
    let col = first_col + left + i % {tn}u;
    if row < params.x && col < params.y {{
      c[row * params.y + col] = {function}(sum[i]{more})[0];
    }}
  }}
}}
",
        a_all = stages * a_size,
        b_all = stages * b_size,
    ))
}

/// The text of an element-wise op of the list in blocks of 256; `None` for an op of another shape.
#[must_use]
pub fn op(name: &str) -> Option<Result<String, Error>> {
    let takes = takes(name)?;
    let text = |function: String| {
        plain(&function, &emit::op(&function, name, takes)?, [takes.operands, takes.parameters], 256)
    };
    Some(function(name, 256).and_then(text))
}
