//! `fulmen contract new`: the edits that a new element-wise op needs, made consistently. What it
//! writes is a working op (the identity, or the sum); the author replaces formula, body and cases.

use super::corpus::read;
use super::write;
use std::path::{Path, PathBuf};

/// Adds `op` to the tree around `dir`.
///
/// Errors when the name is no snake-case identifier, when it exists, or when a file that must be
/// edited lacks its anchor; nothing is written then.
pub fn new(dir: &Path, op: &str, shape: &str) -> Result<(), String> {
    let valid = op.starts_with(|c: char| c.is_ascii_lowercase())
        && op.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if !valid {
        return Err(format!("`{op}` is no snake-case name"));
    }
    let binary = match shape {
        "unary" => false,
        "binary" => true,
        other => return Err(format!("`{other}`: new scaffolds `unary` and `binary` ops")),
    };
    let dir = dir.canonicalize().map_err(|e| format!("{}: {e}", dir.display()))?;
    let root = dir.parent().ok_or("the contracts folder has no parent")?;
    let contract = dir.join(format!("{op}-v1.yaml"));
    let source = root.join(format!("src/pointwise/{op}.rs"));
    for p in [&contract, &source] {
        if p.exists() {
            return Err(format!("{} exists", p.display()));
        }
    }
    let body: String = op
        .split('_')
        .map(|w| {
            w.chars()
                .next()
                .map(|c| c.to_ascii_uppercase().to_string() + w.get(1..).unwrap_or(""))
                .unwrap_or_default()
        })
        .collect();

    let ops = root.join("src/ops.rs");
    let rows = before_last_row(
        &read(&ops),
        &format!("            {shape} {op}({op}, {op}_on, {op}_in_place) {body}[] arithmetic, pointwise;\n"),
    )
    .ok_or("src/ops.rs: no row to put the new one after")?;
    let module = root.join("src/pointwise/mod.rs");
    let text = read(&module);
    let modules = sorted_line(&text, "mod ", &format!("mod {op};"))
        .and_then(|t| sorted_line(&t, "pub use ", &format!("pub use {op}::*;")))
        .ok_or("src/pointwise/mod.rs: no `mod` and `pub use` to put the new ones beside")?;
    let references: Vec<(PathBuf, String)> = REFERENCES
        .iter()
        .filter(|_| !binary)
        .filter_map(|(file, before, is)| {
            let path = root.join(file);
            let text = before_line(&read(&path), before, &is.replace("OP", op))?;
            Some((path, text))
        })
        .collect();
    let binding = dir.join("binding.yaml");
    let bindings = read(&binding) + &binding_entry(op, binary);

    write(&contract, &contract_text(op, shape, binary))?;
    write(&source, &source_text(op, &body, binary))?;
    write(&ops, &rows)?;
    write(&module, &modules)?;
    write(&binding, &bindings)?;
    for (path, text) in &references {
        write(path, text)?;
    }
    super::out(&format!(
        "wrote contracts/{op}-v1.yaml, src/pointwise/{op}.rs; edited src/ops.rs, src/pointwise/mod.rs, contracts/binding.yaml, {}.\n\
         Next: formula, bounds and cases in the contract, the body in the op file, the definition in tests/reference/;\n\
         then `fulmen contract generate` and `fulmen contract lock`.\n",
        if references.is_empty() {
            "no reference (none has this shape)"
        } else {
            "tests/reference/{unary,wide}.rs"
        }
    ))
}

/// `text` with `row` after the last row of the table.
fn before_last_row(text: &str, row: &str) -> Option<String> {
    let at = text
        .match_indices("            ")
        .filter(|(i, _)| {
            text.get(*i..)
                .and_then(|r| r.lines().next())
                .is_some_and(|l| l.trim_end().ends_with("pointwise;"))
        })
        .last()
        .map(|(i, _)| i)?;
    let end = at + text.get(at..)?.find('\n')? + 1;
    Some(format!("{}{row}{}", text.get(..end)?, text.get(end..)?))
}

/// The references of a one-input op: the file, the line that the identity goes before, the identity.
const REFERENCES: [(&str, &str, &str); 2] = [
    ("tests/reference/unary.rs", "    relu ", "    OP |x| x;"),
    ("tests/reference/wide.rs", "            \"relu\" ", "            \"OP\" => b,"),
];

/// `text` with `line` before the first line that starts with `next`.
fn before_line(text: &str, next: &str, line: &str) -> Option<String> {
    let at = text.find(&format!("\n{next}"))? + 1;
    Some(format!("{}{line}\n{}", text.get(..at)?, text.get(at..)?))
}

/// `text` with `line` among the first run of lines that start with `start`, where the order puts it.
fn sorted_line(text: &str, start: &str, line: &str) -> Option<String> {
    let mut run = text.lines().skip_while(|l| !l.starts_with(start)).take_while(|l| l.starts_with(start));
    let last = run.clone().last()?;
    match run.find(|l| *l > line) {
        Some(next) => before_line(text, next, line),
        None => Some(text.replacen(last, &format!("{last}\n{line}"), 1)),
    }
}

fn binding_entry(op: &str, binary: bool) -> String {
    let (inputs, in_place) = if binary { ("&[T], &[T]", "&mut [T], &[T]") } else { ("&[T]", "&mut [T]") };
    format!(
        "  - op: {op}\n    equation: {op}\n    functions:\n      \
         - {{path: \"fulmen::{op}\", signature: \"fn({inputs}, &mut [T]) -> Result<(), Error>\"}}\n      \
         - {{path: \"fulmen::{op}_on\", signature: \"fn(S, {inputs}, &mut [T]) -> Result<(), Error>\"}}\n      \
         - {{path: \"fulmen::{op}_in_place\", signature: \"fn({in_place}) -> Result<(), Error>\"}}\n    \
         status: {{cpu: native, wgpu: native, cuda: native}}\n"
    )
}

fn source_text(op: &str, body: &str, binary: bool) -> String {
    let (n, args, expr, what, kind) =
        if binary { (2, "[a, b]", "a + b", "a + b", "binary") } else { (1, "[x]", "x", "x", "unary") };
    let example = if binary { "&[1.0, 2.0], &[3.0, 4.0]" } else { "&[1.0, 2.0]" };
    let result = if binary { "[4.0, 6.0]" } else { "[1.0, 2.0]" };
    let indexed = if binary { "a[i] + b[i]" } else { "x[i]" };
    format!(
        "//! `{op}`.\n\nuse super::{kind};\nuse crate::alu::{{Alu, Body, Number}};\n\n/// `{what}`.\n#[derive(Debug, Clone, Copy)]\npub struct {body};\n\
         impl<T: Number> Body<T, {n}> for {body} {{\n    #[inline(always)]\n    fn eval<V: Alu<Elem = T>>(self, {args}: [V; {n}]) -> V {{\n        {expr}\n    }}\n}}\n\
         {kind}! {{\n    /// `out[i] = {indexed}`.\n    ///\n    /// NaN where an input is NaN.\n    ///\n    /// Errors: [`Error::Len`](crate::Error::Len) when the slices differ in length.\n    /// Scratch: none.\n    ///\n    \
         /// ```\n    /// let mut out = [0.0f32; 2];\n    /// fulmen::{op}({example}, &mut out)?;\n    /// assert_eq!(out, {result});\n    /// # Ok::<(), fulmen::Error>(())\n    /// ```\n    ///\n    \
         /// Contract: `contracts/{op}-v1.yaml`.\n    {op}, {op}_on, {op}_in_place, {body}\n}}\n"
    )
}

fn contract_text(op: &str, shape: &str, binary: bool) -> String {
    let (formula, tolerance, bytes, what) = if binary {
        ("out[i] = a[i] + b[i]", "{ulp: 0.5}", "{f32: 12, f64: 24}", "")
    } else {
        ("out[i] = x[i]", "exact", "{f32: 8, f64: 16}", "determinism: exact\n")
    };
    let case = |name: &str, x: &str, zero: &str| {
        if binary {
            format!("  - {{name: {name}, in: [[{x}], [{zero}]], out: [{x}]}}\n")
        } else {
            format!("  - {{name: {name}, in: [[{x}]], out: [{x}]}}\n")
        }
    };
    let cases = [
        case("empty", "", ""),
        case("nan", "nan", "1"),
        case("zeros", "0.0, -0.0", "0.0, -0.0"),
        case("infinities", "inf, -inf", "1, 1"),
        case("subnormals", "min_subnormal, -min_subnormal", "0.0, 0.0"),
    ]
    .concat();
    format!(
        "op: {op}\nfamily: arithmetic\nmetadata:\n  created: 2026-01-01\n  description: \"{formula}\"\n  references: [\"the definition\"]\ncall: {{shape: {shape}}}\n{what}\
         tolerance:\n  f32: {tolerance}\n  f64: {tolerance}\nequation:\n  formula: \"{formula}\"\n  domain: \"any value\"\n  codomain: \"any value\"\n  \
         postconditions: [{{check: nan_if_nan}}]\nedge_cases:\n{cases}\
         performance:\n  bytes_per_element: {bytes}\n  flops_per_element: 1\n  baseline: \"plain Rust loop built with the same flags\"\n"
    )
}
