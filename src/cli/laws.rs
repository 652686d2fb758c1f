//! The invariants of contracts, and of which calls each can be said.

use super::{CallShape, Scalar};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What relates several calls of an op; a test makes them on every lane. Bits are compared, except that one NaN is as
/// good as another.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "check", rename_all = "snake_case", deny_unknown_fields)]
pub enum Invariant {
    /// `f(-x) = -f(x)`.
    Odd {},
    /// `f(-x) = f(x)`.
    Even {},
    /// `f(f(x)) = f(x)`.
    Idempotent {},
    /// `f(f(x)) = x`.
    Involution {},
    /// `f(a, b) = f(b, a)`.
    Commutative {},
    /// `f(a, b) = -f(b, a)`, zeros of either sign.
    Anticommutative {},
    /// `f(x, x) = x`.
    OfEqual {},
    /// `f(value, b) = out`, even for NaN; `b` when `out` is left out.
    FirstIs {
        value: Scalar,
        #[serde(default)]
        out: Option<Scalar>,
    },
    /// `f(a, value) = out`, even for NaN; `a` when `out` is left out.
    SecondIs {
        value: Scalar,
        #[serde(default)]
        out: Option<Scalar>,
    },
    /// `f(x) - f(-x) = x` for finite `x`, up to so many ulp of it.
    Reflects { ulps: f64 },
    /// `f(x) + f(-x) = 1`, up to so many ulp.
    Complements { ulps: f64 },
    /// With these inputs and parameters times so many powers of `2ᵏ` each output is times so many: nothing on the way
    /// depends on a size.
    Scales { by: BTreeMap<String, i32>, out: Vec<i32> },
}

impl Invariant {
    /// Whether it can be said of an op with this call; else why not.
    pub fn applies(&self, call: &CallShape) -> Result<(), String> {
        let inputs = call.inputs.len();
        let takes = match self {
            _ if call.shape.own_types() => return Err("no test makes such calls of this shape".into()),
            Self::Scales { by, out } => {
                let known =
                    |name: &String| call.inputs.contains(name) || call.params.iter().any(|p| p.name == *name);
                if let Some(name) = by.keys().find(|name| !known(name)) {
                    return Err(format!("`{name}` is no argument"));
                }
                if by.is_empty() || by.values().any(|by| *by == 0) {
                    return Err("nothing is scaled".into());
                }
                let outputs = call.outputs.len().max(1);
                return if out.len() == outputs {
                    Ok(())
                } else {
                    Err(format!("{outputs} outputs are written"))
                };
            }
            _ if call.shape.own_call() => return Err("no test makes such calls of this shape".into()),
            Self::Odd {} | Self::Even {} | Self::Idempotent {} | Self::Involution {} => 1,
            Self::Reflects { ulps } | Self::Complements { ulps } => {
                if !(0.0..=64.0).contains(ulps) {
                    return Err(format!("{ulps} ulp are no bound"));
                }
                1
            }
            Self::Commutative {} | Self::Anticommutative {} | Self::OfEqual {} => 2,
            Self::FirstIs { value, out } | Self::SecondIs { value, out } => {
                let nan = |s: &Scalar| s.value("f32").is_nan();
                if nan(value) && out.is_none() {
                    return Err("what NaN gives has to be said".into());
                }
                2
            }
        };
        if inputs == takes { Ok(()) } else { Err(format!("it takes {takes} inputs, the call has {inputs}")) }
    }
}
