//! The frames: what each thread reads and writes. What is computed is the op's own body.

use super::{Error, emit};
use crate::alu::Body;
use crate::for_each_op;
use crate::hardware::{Form, Language, Plan, Scalar};
use crate::lanes::fold::Fold;
use crate::reduce::{Dot, MaxAbs, Sum, SumAbs, SumSquares};
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

/// Bindings 0 up: the inputs, the result, the sizes.
fn bindings(inputs: &[&str], out: &str) -> String {
    let mut text = String::from(emit::PRELUDE);
    for (i, name) in inputs.iter().enumerate() {
        text += &format!("@group(0) @binding({i}) var<storage, read> {name}: array<f32>;\n");
    }
    let n = inputs.len();
    text += &format!("@group(0) @binding({n}) var<storage, read_write> {out}: array<f32>;\n");
    text += &format!("@group(0) @binding({}) var<uniform> params: vec4<u32>;\n", n + 1);
    text
}

fn inputs(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("in{i}")).collect()
}

fn list(n: usize, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect::<Vec<_>>().join(", ")
}

/// `out[i] = body(in0[i], in1[i], …)` for `i < params.x`. Each thread takes every so-many-th element, so any grid along
/// x does; the elements and the threads of the grid together stay below 2³².
///
/// # Errors
/// `Body`, `Lacks`, `Name`, `Threads`.
pub fn pointwise<B: Body<f32, N>, const N: usize>(
    name: &str,
    body: B,
    threads: u32,
) -> Result<String, Error> {
    check_name(name)?;
    check_threads(threads)?;
    let function = format!("{name}_body");
    let code = emit::body(&function, body)?;
    let names = inputs(N);
    let head = bindings(&names.iter().map(String::as_str).collect::<Vec<_>>(), "out");
    let x = list(N, |i| format!("in{i}[i]"));
    Ok(format!(
        "{head}{code}@compute @workgroup_size({threads})
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  for (var i = id.x; i < params.x; i += groups.x * {threads}u) {{
    out[i] = {function}({x})[0];
  }}
}}
"
    ))
}

/// Adds the accumulators of a block's threads up in shared memory; the first thread then has them in `part[0]`.
fn gather(name: &str, threads: u32, k: usize) -> String {
    let (left, right) = (list(k, |i| format!("part[t][{i}]")), list(k, |i| format!("part[t + s][{i}]")));
    format!(
        "    part[t] = acc;
    workgroupBarrier();
    for (var s = {}u; s > 0u; s >>= 1u) {{
      if t < s {{ part[t] = {name}_merge({left}, {right}); }}
      workgroupBarrier();
    }}
",
        threads / 2
    )
}

fn shared(threads: u32, k: usize) -> String {
    format!("var<workgroup> part: array<array<f32, {k}>, {threads}>;\n")
}

/// The folds that have a text, by the names of the ops that start from them.
macro_rules! folds {
    ($($name:literal $F:expr, $n:literal, $k:literal;)*) => {
        /// The two texts that fold a whole vector, in blocks of 256: each block writes its accumulators to `out`, then one
        /// block merges `params.x` such groups. `None` for an op that starts from no fold of this list.
        #[must_use]
        pub fn total(name: &str) -> Option<Result<[String; 2], Error>> {
            Some(match name {
                $($name => reduce::<_, $n, $k>(name, $F, 256),)*
                _ => return None,
            })
        }
        /// The text that folds each of `params.x` rows of `params.y` elements, in blocks of 256; `None` as in [`total`].
        #[must_use]
        pub fn rows(name: &str) -> Option<Result<String, Error>> {
            Some(match name {
                $($name => row_reduce::<_, $n, $k>(name, $F, 256),)*
                _ => return None,
            })
        }
    };
}
folds! {
    "sum" Sum, 1, 1;
    "norm_l1" SumAbs, 1, 1;
    "sum_of_squares" SumSquares, 1, 1;
    "dot" Dot, 2, 1;
    "norm_linf" MaxAbs, 1, 2;
}

/// A fold of `params.x` elements: each block writes its `K` accumulators to `out`; the second text, in one
/// block, merges `params.x` such groups of its input into `out`.
fn reduce<F: Fold<f32, N, K>, const N: usize, const K: usize>(
    name: &str,
    fold: F,
    threads: u32,
) -> Result<[String; 2], Error> {
    check_name(name)?;
    check_threads(threads)?;
    let code = emit::fold(name, fold)?;
    let names = inputs(N);
    let head = bindings(&names.iter().map(String::as_str).collect::<Vec<_>>(), "out");
    let (acc, x) = (list(K, |i| format!("acc[{i}]")), list(N, |i| format!("in{i}[i]")));
    let (part, gather) = (shared(threads, K), gather(name, threads, K));
    let first = format!(
        "{head}{code}{part}@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
    var acc = {name}_identity(0.0f);
    for (var i = group.x * {threads}u + t; i < params.x; i += groups.x * {threads}u) {{
      acc = {name}_step({acc}, {x});
    }}
{gather}    if t == 0u {{
      for (var k = 0u; k < {K}u; k++) {{ out[group.x * {K}u + k] = part[0][k]; }}
    }}
}}
"
    );
    let head = bindings(&["in0"], "out");
    let x = list(K, |i| format!("in0[i * {K}u + {i}u]"));
    let second = format!(
        "{head}{code}{part}@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) t: u32) {{
    var acc = {name}_identity(0.0f);
    for (var i = t; i < params.x; i += {threads}u) {{
      acc = {name}_merge({acc}, {x});
    }}
{gather}    if t == 0u {{
      for (var k = 0u; k < {K}u; k++) {{ out[k] = part[0][k]; }}
    }}
}}
"
    );
    Ok([first, second])
}

/// A fold of each row: `params.x` rows of `params.y` elements, `K` accumulators to `out` for each. A block takes a row
/// at a time, so any grid along x does.
fn row_reduce<F: Fold<f32, N, K>, const N: usize, const K: usize>(
    name: &str,
    fold: F,
    threads: u32,
) -> Result<String, Error> {
    check_name(name)?;
    check_threads(threads)?;
    let code = emit::fold(name, fold)?;
    let names = inputs(N);
    let head = bindings(&names.iter().map(String::as_str).collect::<Vec<_>>(), "out");
    let (acc, x) = (list(K, |i| format!("acc[{i}]")), list(N, |i| format!("in{i}[row * params.y + i]")));
    let (part, gather) = (shared(threads, K), gather(name, threads, K));
    Ok(format!(
        "{head}{code}{part}@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  for (var row = group.x; row < params.x; row += groups.x) {{
    var acc = {name}_identity(0.0f);
    for (var i = t; i < params.y; i += {threads}u) {{
      acc = {name}_step({acc}, {x});
    }}
{gather}    if t == 0u {{
      for (var k = 0u; k < {K}u; k++) {{ out[row * {K}u + k] = part[0][k]; }}
    }}
    // The next row must not meet what is still being read.
    workgroupBarrier();
  }}
}}
"
    ))
}

/// How a further operand of an epilogue is read at row `r` and column `c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// One element per column, such as a bias.
    Row,
    /// One element per row.
    Col,
    /// A matrix of the result's shape, such as a residual.
    Full,
}

/// `C = epilogue(A·B, …)`, all row-major: `params` holds rows, columns and the inner dimension. The first input of the
/// epilogue is the product, the others are `operands`, which are bound after A and B. Tile, block and grid are the plan's.
///
/// # Errors
/// `Plan` for another form, language or type, or another number of operands; `Body`, `Lacks`, `Name`, `Tile`.
pub fn gemm<B: Body<f32, N>, const N: usize>(
    name: &str,
    plan: &Plan<'_>,
    epilogue: B,
    operands: &[Operand],
) -> Result<String, Error> {
    check_name(name)?;
    let fits = plan.form == Form::Gemm && plan.language == Language::Wgsl && plan.scalar == Scalar::F32;
    if !fits || operands.len() + 1 != N {
        return Err(Error::Plan);
    }
    let tile = plan.choice.tile;
    let threads = tile.threads()?;
    let ([tm, tn], stages) = (tile.per_thread, tile.stages);
    let (m, n, k) = (tile.m, tile.n, tile.k);
    let [across, down] = plan.block;
    let function = format!("{name}_epilogue");
    let code = emit::body(&function, epilogue)?;
    let names = inputs(operands.len());
    let mut buffers = Vec::from(["a", "b"]);
    buffers.extend(names.iter().map(String::as_str));
    let head = bindings(&buffers, "c");
    let more: String = operands
        .iter()
        .enumerate()
        .map(|(i, o)| match o {
            Operand::Row => format!(", in{i}[col]"),
            Operand::Col => format!(", in{i}[row]"),
            Operand::Full => format!(", in{i}[row * params.y + col]"),
        })
        .collect();
    // With two stages the next piece is written while the last is read, so one barrier per step is enough.
    let again = if stages == 1 { "    workgroupBarrier();\n" } else { "" };
    let (a_size, b_size, results) = (m * k, k * n, tm * tn);
    Ok(format!(
        "{head}{code}var<workgroup> a_tile: array<f32, {a_all}>;
var<workgroup> b_tile: array<f32, {b_all}>;
@compute @workgroup_size({across}, {down})
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {{
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

macro_rules! kernels {
    ($($shape:ident $name:ident($($f:ident),*) $body:ident [$($p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// The text of an element-wise op of the list, with the parameters of its row, in blocks of 256; `None` for an
        /// op of another shape.
        #[must_use]
        pub fn op(name: &str) -> Option<Result<String, Error>> {
            Some(match name {
                $(stringify!($name) => kernels!(@$shape $name, $body [$($p),*]),)*
                _ => return None,
            })
        }
    };
    (@unary $name:ident, $body:ident [$($p:expr),*]) => { pointwise::<_, 1>(stringify!($name), kernels!(@body $body $($p)*), 256) };
    (@binary $name:ident, $body:ident [$($p:expr),*]) => { pointwise::<_, 2>(stringify!($name), kernels!(@body $body $($p)*), 256) };
    (@update $name:ident, $body:ident [$($p:expr),*]) => { pointwise::<_, 2>(stringify!($name), kernels!(@body $body $($p)*), 256) };
    (@ternary $name:ident, $body:ident [$($p:expr),*]) => { pointwise::<_, 3>(stringify!($name), kernels!(@body $body $($p)*), 256) };
    (@body $body:ident) => { crate::$body };
    (@body $body:ident $($p:expr)+) => { crate::$body($($p),+) };
    (@$other:ident $name:ident, $body:ident [$($p:expr),*]) => { return None };
}
for_each_op!(kernels);
