//! `src/contract/specs.rs` and `bindings.rs` from the contracts and the bindings.

use super::corpus::Corpus;
use super::schema::{Binding, Contract, Determinism, Mass, Per, Post, Scalar, Shape, Tolerance, Word};
use core::fmt::Write as _;

/// What `specs.rs` begins with.
const SPECS: &str = "//! The guarantees of each op as constants: tolerance, order, postconditions.\n//!\n\
                     //! `fulmen contract generate` writes this file from contracts/*.yaml; a test compares. Do not edit.\n\n";
/// What `bindings.rs` begins with.
const BINDINGS: &str = "//! Checks at compile time that each function of a contract exists with its type.\n//!\n\
                        //! `fulmen contract generate` writes this file from contracts/*.yaml; a test compares. Do not edit.\n\n";

/// The files below the root, and their texts.
///
/// Errors: the first file that does not parse, or a binding to an op without contract.
pub fn files(corpus: &Corpus) -> Result<[(&'static str, String); 2], String> {
    Ok([("src/contract/specs.rs", specs(corpus)?), ("src/contract/bindings.rs", bindings(corpus)?)])
}

fn specs(corpus: &Corpus) -> Result<String, String> {
    for f in &corpus.files {
        if let Err(e) = &f.contract {
            return Err(format!("{}: {e}", f.path.display()));
        }
    }
    let (mut specs, mut checks) = (String::new(), String::new());
    for (k, (_, c)) in corpus.contracts().enumerate() {
        spec(&mut specs, c);
        if !c.call.shape.own_types() {
            let _ = writeln!(checks, "    {} {k}", c.op);
        }
    }
    Ok(format!(
        "{SPECS}\
         use super::post::{{By, Post::*}};\n\
         use super::tolerance::{{Mass, Per, Tolerance}};\n\
         use super::{{Determinism, Residual, Spec}};\n\
         \n\
         /// One entry per contract.\n\
         pub const SPECS: &[Spec] = &[\n{specs}];\n\
         \n\
         // Each op whose calls are checked, and its place above.\n\
         checks! {{\n{checks}}}\n"
    ))
}

fn bindings(corpus: &Corpus) -> Result<String, String> {
    let bindings = &corpus.binding.as_ref().map_err(|e| format!("binding.yaml: {e}"))?.bindings;
    let mut typed = String::new();
    for b in bindings {
        let (_, c) = corpus
            .contracts()
            .find(|(_, c)| c.op == b.op)
            .ok_or_else(|| format!("binding.yaml: `{}` has no contract", b.op))?;
        if !c.call.shape.own_types() {
            let _ = writeln!(typed, "const _: () = enforced::<marker::{}>();", c.op);
        }
        functions(&mut typed, b, c);
    }
    Ok(format!(
        "{BINDINGS}\
         use super::{{enforced, marker}};\n\
         use crate::error::Error;\n\
         use crate::image::{{Affine, Border, Flip, Image, ImageMut, Kernel, Luma, Norm, Normalization, ResizePlan, Sampler, ThresholdKind, Turn, Yuv}};\n\
         use crate::lanes::Native;\n\
         use crate::{{Adagrad, Adam, Attention, BatchMut, BatchRef, Biquad, Bsr, Colors, Complex, ComplexConvolver, Conjugate, Conv1d, Conv2d, Convolver, Csr, Dct, Dia, Diagonal, Direction, EinsumPlan, Extent, Fft, Givens, MatMut, MatRef, ModifiedGivens, Momentum, PackedB, Pad, Pool, RealFft, RopeScaling, RopeStyle, RotM, Sampling, Sell, Side, Triangle, VecMut, VecRef}};\n\
         \n\
         // Each bound function, by its type: a missing or changed one does not compile.\n\
         {typed}"
    ))
}

fn number(x: f64) -> String {
    if x.is_nan() {
        "f64::NAN".into()
    } else if x.is_infinite() {
        if x > 0.0 { "f64::INFINITY".into() } else { "f64::NEG_INFINITY".into() }
    } else {
        format!("{x:?}")
    }
}

fn scalar(s: &Scalar) -> String {
    if s.word == Word::One { number(s.factor) } else { number(s.value("f64")) }
}

fn per(p: Per) -> &'static str {
    match p {
        Per::One => "Per::One",
        Per::Root => "Per::Root",
        Per::N => "Per::N",
        Per::Log => "Per::Log",
        Per::Tree => "Per::Tree",
    }
}

fn mass(m: Mass) -> String {
    format!("Mass::{m:?}")
}

fn tolerance(t: &Tolerance) -> String {
    match t {
        Tolerance::Exact => "Tolerance::Exact".into(),
        Tolerance::Ulp(k) => format!("Tolerance::Ulp({k:?})"),
        Tolerance::Rel(k) => format!("Tolerance::Rel({k:?})"),
        Tolerance::Abs(k) => format!("Tolerance::Abs({k:?})"),
        Tolerance::RelAbs { rel, abs } => format!("Tolerance::RelAbs {{ rel: {rel:?}, abs: {abs:?} }}"),
        Tolerance::Gamma { times, per: p, plus, of, flush } => format!(
            "Tolerance::Gamma {{ times: {times:?}, per: {}, plus: {plus:?}, of: {}, flush: {flush} }}",
            per(*p),
            mass(*of)
        ),
        Tolerance::Compensated { of } => format!("Tolerance::Compensated {{ of: {} }}", mass(*of)),
    }
}

fn post(p: &Post, c: &Contract) -> String {
    let param = |name: &str| c.call.params.iter().position(|p| p.name == name).unwrap_or(usize::MAX);
    match p {
        Post::Range { lo, hi } => format!("Range({}, {})", scalar(lo), scalar(hi)),
        Post::Monotone { ulps } => format!("Monotone({ulps:?})"),
        Post::WithinParams { lo, hi } => format!("WithinParams({}, {})", param(lo), param(hi)),
        Post::Bounded { by, times } => format!("Bounded(By::{by:?}, {times:?})"),
        Post::RowSum { value, ulps_per_n } => format!("RowSum({value:?}, {ulps_per_n:?})"),
        Post::RowExpSum { value, ulps_per_n } => format!("RowExpSum({value:?}, {ulps_per_n:?})"),
        Post::RowSumSquares { at_most, ulps_per_n } => format!("RowSumSquares({at_most:?}, {ulps_per_n:?})"),
        Post::NanIffNan {} | Post::NanIfNan {} => {
            let partial: Vec<String> = c.partial.iter().map(|name| param(name).to_string()).collect();
            let check = if matches!(p, Post::NanIfNan {}) { "NanIfNan" } else { "NanIffNan" };
            format!("{check}(&[{}])", partial.join(", "))
        }
        // The others carry nothing: their name is that of the variant.
        plain => format!("{plain:?}"),
    }
}

fn spec(out: &mut String, c: &Contract) {
    let determinism = match c.determinism {
        Determinism::Exact => "Exact",
        Determinism::Stable => "Stable",
        Determinism::Bounded => "Bounded",
    };
    let list = |items: Vec<String>| format!("&[{}]", items.join(", "));
    let tol = list(c.tolerance.iter().map(|(t, tol)| format!("({t:?}, {})", tolerance(tol))).collect());
    let bytes =
        list(c.performance.bytes_per_element.iter().map(|(t, b)| format!("({t:?}, {b:?})")).collect());
    let residual = |r: &super::schema::Residual| {
        let (name, times, plus) = (&r.name, r.times, r.plus);
        format!("Residual {{ name: {name:?}, times: {times:?}, per: {}, plus: {plus:?} }}", per(r.per))
    };
    let residuals = list(c.residuals.iter().map(residual).collect());
    let posts = list(c.posts().map(|p| post(p, c)).collect());
    let late =
        list(c.after_writes.iter().map(|late| format!("({:?}, &{:?})", late.error, late.args)).collect());
    let _ = writeln!(
        out,
        "    Spec {{\n        op: {:?},\n        determinism: Determinism::{determinism},\n        tolerance: {tol},\n        residuals: {residuals},\n        \
         bytes_per_element: {bytes},\n        flops_per_element: {:?},\n        post: {posts},\n        after_writes: {late},\n    }},",
        c.op, c.performance.flops_per_element,
    );
}

fn functions(out: &mut String, b: &Binding, c: &Contract) {
    for f in &b.functions {
        if let Some((backend, _)) = b.status.iter().find(|(_, s)| *s == "not_implemented") {
            let _ = writeln!(out, "compile_error!(\"`{}` is not implemented on {backend}\");", f.path);
        }
        let path = f.path.replacen("fulmen::", "crate::", 1);
        let has = |v: &str| f.signature.split(|ch: char| !ch.is_alphanumeric()).any(|w| w == v);
        let types: Vec<&str> = if has("T") { c.types.iter().map(String::as_str).collect() } else { vec![""] };
        for t in types {
            let mut generics = Vec::new();
            if has("S") {
                generics.push("Native");
            }
            if has("T") {
                generics.push(t);
            }
            // The format of blocks, or the type of a random number, follows from the signature, which names one.
            let turbofish = if generics.is_empty() || matches!(c.call.shape, Shape::Quant | Shape::Random) {
                String::new()
            } else {
                format!("::<{}>", generics.join(", "))
            };
            for feature in f.feature.iter().flat_map(|all| all.split(',')).map(str::trim) {
                let _ = writeln!(out, "#[cfg(feature = {feature:?})]");
            }
            if let Some(arch) = &f.arch {
                let _ = writeln!(out, "#[cfg(target_arch = {arch:?})]");
            }
            let signature = substitute(&substitute(&f.signature, "T", t), "S", "Native");
            let _ = writeln!(out, "const _: {signature} = {path}{turbofish};");
        }
    }
}

/// Replaces the word `from` by `to`.
fn substitute(text: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for ch in text.chars().chain([' ']) {
        if ch.is_alphanumeric() || ch == '_' {
            word.push(ch);
        } else {
            out.push_str(if word == from { to } else { &word });
            word.clear();
            out.push(ch);
        }
    }
    out.pop();
    out
}
