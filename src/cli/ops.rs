//! `fulmen ops`: the list of ops as the library was compiled with it, for people and, as `contracts/ops.json`, for scripts.

use super::report::json;
use core::fmt::Write as _;
use fulmen::ops::{Argument, Gpu, OPS, Op, Signature, signatures};

/// Lists the ops: what each takes and gives, and what runs it.
#[derive(clap::Args)]
pub struct Ops {
    /// Every field, as JSON: the text of contracts/ops.json
    #[arg(long)]
    json: bool,
}

/// The text of the command.
pub fn list(args: &Ops) -> String {
    if args.json { as_json() } else { OPS.iter().map(line).collect() }
}

/// The text of `contracts/ops.json`: an object of `ops`, and of `forms`, which are further functions of them. One to a line.
pub fn as_json() -> String {
    let ops: Vec<String> = OPS.iter().map(op).collect();
    let forms: Vec<String> = signatures()
        .filter(|s| OPS.iter().all(|op| op.name != s.op))
        .map(|s| format!("{{\"form\": {}, {}}}", json(s.op), fields(s)))
        .collect();
    format!("{{\n\"ops\": [\n{}\n],\n\"forms\": [\n{}\n]\n}}\n", ops.join(",\n"), forms.join(",\n"))
}

fn signature(op: &Op) -> Option<&'static Signature> {
    signatures().find(|s| s.op == op.name)
}

fn list_of<T>(items: &[T], f: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(f).collect::<Vec<_>>().join(", "))
}

/// The text of a type without the spaces that the compiler may leave between its words.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.trim_start_matches("::").chars().peekable();
    while let Some(c) = rest.next() {
        let before = out.ends_with(['<', '&', '(', '[']) || out.ends_with("::");
        let after = rest.peek().is_none_or(|next| "<>:;,)]".contains(*next));
        if c != ' ' || !(before || after) {
            out.push(c);
        }
    }
    out
}

/// `null` where there is nothing.
fn option(text: Option<&str>) -> String {
    text.map_or_else(|| "null".into(), json)
}

fn op(op: &Op) -> String {
    let [cuda, wgpu] = match op.gpu {
        Gpu::Cuda(_) => [true, false],
        Gpu::Host(_) => [false; 2],
        _ => [true; 2],
    };
    let (template, reason) = match op.gpu {
        Gpu::Template(template) => (Some(template), None),
        Gpu::Cuda(reason) | Gpu::Host(reason) => (None, Some(reason)),
        _ => (None, None),
    };
    let mut out = format!(
        "{{\"op\": {}, \"family\": {}, \"shape\": {}, \"functions\": {}, \"parameters\": {}",
        json(op.name),
        json(op.family),
        json(op.shape),
        list_of(op.functions, |f| json(f)),
        list_of(op.parameters, |p| format!("{p:?}")),
    );
    if let Some(s) = signature(op) {
        let _ = write!(out, ", {}", fields(s));
    }
    let _ = write!(
        out,
        ", \"devices\": {{\"cuda\": {cuda}, \"wgpu\": {wgpu}, \"template\": {}, \"reason\": {}}}}}",
        option(template),
        option(reason)
    );
    out
}

fn fields(s: &Signature) -> String {
    let argument = |a: &Argument| {
        format!(
            "{{\"name\": {}, \"kind\": {}, \"type\": {}}}",
            json(a.name),
            json(a.kind.name),
            json(&plain(a.ty))
        )
    };
    format!(
        "\"generics\": {}, \"arguments\": {}, \"result\": {}, \"threads\": {}, \"note\": {}, \"backend\": {}",
        json(&plain(s.generics)),
        list_of(s.arguments, argument),
        json(&plain(s.result)),
        s.threads,
        option(s.note),
        option(s.family)
    )
}

/// A line of the table for people.
fn line(op: &Op) -> String {
    let (arguments, threads) = signature(op).map_or_else(Default::default, |s| {
        let arguments: Vec<String> =
            s.arguments.iter().map(|a| format!("{}: {} {}", a.name, a.kind.name, plain(a.ty))).collect();
        let result = if s.result.is_empty() { String::new() } else { format!(" -> {}", s.result) };
        (format!("({}){result}", arguments.join(", ")), if s.threads { ", threads" } else { "" })
    });
    let devices = match op.gpu {
        Gpu::Template(template) => format!("devices: {template}"),
        Gpu::Cuda(why) => format!("CUDA alone: {why}"),
        Gpu::Host(why) => format!("on the host: {why}"),
        _ => String::new(),
    };
    format!("{}{arguments}: {}{threads}; {devices}\n", op.name, op.family)
}
