//! The PTX spelling of types, state spaces, vector widths, comparisons, rounding modifiers and special registers.

use super::super::ir::{Approx, Cmp, Rmw, Space, Special};
use super::super::types::Type;

/// Parameters and memory have no 16-bit floats of their own.
pub(super) const fn param(ty: Type) -> &'static str {
    match ty {
        Type::F16 | Type::Bf16 => ".b16",
        _ => ty.suffix(),
    }
}

pub(super) const fn memory(ty: Type) -> &'static str {
    match ty {
        Type::U8 | Type::S8 => ty.suffix(),
        _ => ty.raw(),
    }
}

pub(super) const fn vector(n: usize) -> &'static str {
    match n {
        2 => ".v2",
        4 => ".v4",
        _ => "",
    }
}

pub(super) const fn space(s: Space) -> &'static str {
    match s {
        Space::Global => ".global",
        Space::Shared => ".shared",
        Space::Local => ".local",
        Space::Const => ".const",
    }
}

pub(super) const fn atomic(rmw: Rmw) -> &'static str {
    match rmw {
        Rmw::Add => ".add",
        Rmw::Min => ".min",
        Rmw::Max => ".max",
        Rmw::And => ".and",
        Rmw::Or => ".or",
        Rmw::Xor => ".xor",
        Rmw::Exchange => ".exch",
        Rmw::CompareExchange => ".cas",
    }
}

pub(super) const fn approx(f: Approx) -> &'static str {
    match f {
        Approx::Ex2 => "ex2",
        Approx::Lg2 => "lg2",
        Approx::Rcp => "rcp",
        Approx::Rsqrt => "rsqrt",
        Approx::Sin => "sin",
        Approx::Cos => "cos",
        Approx::Tanh => "tanh",
    }
}

pub(super) const fn cmp(c: Cmp, ty: Type) -> &'static str {
    match c {
        Cmp::Lt => ".lt",
        Cmp::Le => ".le",
        Cmp::Gt => ".gt",
        Cmp::Ge => ".ge",
        Cmp::Eq => ".eq",
        // True with NaN.
        Cmp::Ne if ty.is_float() => ".neu",
        Cmp::Ne => ".ne",
    }
}

pub(super) const fn rounding(from: Type, to: Type) -> &'static str {
    match (from.is_float(), to.is_float()) {
        (true, false) => ".rzi",
        (false, true) => ".rn",
        (true, true) if to.bits() < from.bits() => ".rn",
        _ => "",
    }
}

pub(super) const fn special(s: Special) -> &'static str {
    match s {
        Special::TidX => "%tid.x",
        Special::TidY => "%tid.y",
        Special::TidZ => "%tid.z",
        Special::NtidX => "%ntid.x",
        Special::NtidY => "%ntid.y",
        Special::NtidZ => "%ntid.z",
        Special::CtaidX => "%ctaid.x",
        Special::CtaidY => "%ctaid.y",
        Special::CtaidZ => "%ctaid.z",
        Special::NctaidX => "%nctaid.x",
        Special::NctaidY => "%nctaid.y",
        Special::NctaidZ => "%nctaid.z",
        Special::LaneId => "%laneid",
        Special::WarpId => "%warpid",
    }
}
