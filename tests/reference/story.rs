//! Every op of the list by its definition, for `tests/backend_story.rs`.

use crate::call::Args;
use crate::reference::unary::UNARY;
use crate::reference::{dd::Dd, reduce, rows};
use fulmen::Element;
use fulmen::contract::ulp;
use fulmen::lanes::Simd;
use fulmen::ops::Op;

/// One result: its exact value, the mass of a bound that is relative to the terms of a formula, and a
/// bound that replaces the contract's where that one is about a whole row.
#[derive(Debug, Clone, Copy)]
pub struct Want {
    pub value: f64,
    pub terms: f64,
    pub bound: Option<f64>,
    /// How far `value` itself may be off, in ulp of `f64`: formulas composed in `f64` multiply the error of
    /// an argument of up to 745, and by two or three roundings.
    pub own: f64,
}

/// The elements and the indices that an op should give.
pub struct Answer {
    pub y: Vec<Want>,
    pub index: Vec<u32>,
}

fn exactly(value: f64) -> Want {
    Want { value, terms: value.abs(), bound: None, own: 0.0 }
}

fn row((value, bound): rows::Bounded) -> Want {
    Want { value, terms: 0.0, bound: Some(bound), own: 3.0 }
}

/// One-input ops: exact ones in the type's own arithmetic, the others in `f64`.
fn unary<T: Element>(name: &str, x: T) -> Want {
    let v = x.to_f64();
    let own = |y: T| exactly(y.to_f64());
    match name {
        "neg" => own(-x),
        "abs" => exactly(v.abs()),
        "recip" => own(T::ONE / x),
        "sqrt" => exactly(T::from_f64(v.sqrt()).to_f64()),
        "square" => own(x * x),
        "scale" => own(x * T::from_f64(1.5)),
        "clamp" => exactly(v.clamp(-0.75, 1.25)),
        "threshold" => exactly(if v > 0.5 { v } else { -0.25 }),
        "floor" => exactly(v.floor()),
        "ceil" => exactly(v.ceil()),
        "trunc" => exactly(v.trunc()),
        "round" => exactly(v.round()),
        "round_ties_even" => exactly(v.round_ties_even()),
        "fract" => exactly(v.fract()),
        "sign" => exactly(if v == 0.0 { v } else { v.signum() }),
        _ => {
            let Some(u) = UNARY.iter().find(|u| u.name == name) else { panic!("no reference for {name}") };
            Want { own: 2048.0, ..exactly((u.exact)(v)) }
        }
    }
}

fn binary<T: Element>(name: &str, a: T, b: T) -> Want {
    let (x, y) = (a.to_f64(), b.to_f64());
    let own = |y: T| exactly(y.to_f64());
    match name {
        "add" => own(a + b),
        "sub" => own(a - b),
        "mul" => own(a * b),
        "div" => own(a / b),
        "copysign" => exactly(x.copysign(y)),
        "less" => exactly(f64::from(u8::from(x < y))),
        "less_equal" => exactly(f64::from(u8::from(x <= y))),
        "equal" => exactly(f64::from(u8::from(x == y))),
        "prelu" => own(if x < 0.0 { a * b } else { a }),
        // The data holds no NaN; the contracts' edge cases do.
        "minimum" => exactly(if x < y || (x == y && x.is_sign_negative()) { x } else { y }),
        "maximum" => exactly(if x > y || (x == y && x.is_sign_positive()) { x } else { y }),
        "lerp" => {
            let t = 0.25;
            let exact = Dd::from(1.0 - t) * Dd::from(x) + Dd::from(t) * Dd::from(y);
            Want { value: exact.value(), terms: (0.75 * x).abs() + (0.25 * y).abs(), bound: None, own: 3.0 }
        }
        // Over its first input: α times the second plus the first.
        "axpy" => fma(1.5, y, x),
        "pow" => Want { own: 3.0, ..exactly(x.powf(y)) },
        "swiglu" => gated::<T>(x * logistic(Dd::from(x))[0], x * logistic(Dd::from(x))[0], y, x),
        "geglu" => {
            let v = gelu(x).0;
            gated::<T>(x * logistic(v)[0], x * logistic(v)[0], y, v.0)
        }
        "relu_backward" => exactly(if x > 0.0 { y } else { 0.0 * y }),
        "leaky_relu_backward" => exactly(if x < 0.0 { 0.25 * y } else { y }),
        "sigmoid_backward" => gated::<T>(x * (1.0 - x), x * (1.0 - x), y, 0.0),
        "tanh_backward" => gated::<T>((1.0 - x) * (1.0 + x), (1.0 - x) * (1.0 + x), y, 0.0),
        "silu_backward" => {
            let [s, both] = logistic(Dd::from(x));
            gated::<T>(s + x * both, s + (x * both).abs(), y, x)
        }
        "gelu_backward" => {
            let (v, slope) = gelu(x);
            let [s, both] = logistic(v);
            let part = x.clamp(-30.0, 30.0) * slope * both;
            gated::<T>(s + part, s + part.abs(), y, v.0)
        }
        _ => panic!("no reference for {name}"),
    }
}

/// `σ(x)`, and `σ(x) σ(-x)`. The exponential multiplies the error of its argument by that, hence two words.
fn logistic(x: Dd) -> [f64; 2] {
    let left = x.0 < 0.0;
    let e = (-x.0.abs()).exp() * (1.0 + if left { x.1 } else { -x.1 });
    let r = 1.0 / (1.0 + e);
    [if left { e * r } else { r }, e * r * r]
}

/// What is in the sigmoid of gelu, and its slope; gelu is flat beyond ±30.
fn gelu(x: f64) -> (Dd, f64) {
    let x = x.clamp(-30.0, 30.0);
    // √(8/π) in two words.
    let k = Dd(1.5957691216057308, -9.96930880911092e-17);
    let (wide, cubic) = (Dd::from(x), Dd(0.044715, 2.1960211427085595e-18));
    let v = k * (wide + cubic * wide * wide * wide);
    (v, k.0 * (1.0 + 3.0 * 0.044715 * x * x))
}

/// `slope · y`; where the slope is below the normal numbers, its error is that of the smallest of them. `exponent` is that
/// of the exponential in it.
fn gated<T: Element>(slope: f64, terms: f64, y: f64, exponent: f64) -> Want {
    let tiny = if T::NAME == "f32" { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let value = slope * y;
    // The exponentials of this reference are off by an ulp, the rest of it by three; below the normal numbers an ulp is
    // that of the smallest, and is multiplied.
    let coarse = slope.abs() < 1e3 * f64::MIN_POSITIVE;
    let lost =
        if coarse { (2.0 + exponent.abs()) * f64::from_bits(1) * y.abs() / ulp::<f64>(value) } else { 0.0 };
    Want { terms: terms.abs().max(tiny) * y.abs(), own: 8.0 + lost, ..exactly(value) }
}

fn fma(a: f64, b: f64, c: f64) -> Want {
    let exact = Dd::from(a) * Dd::from(b) + Dd::from(c);
    Want { value: exact.value(), terms: (a * b).abs() + c.abs(), bound: None, own: 3.0 }
}

fn reduction<T: Element>(name: &str, a: &[T], b: &[T]) -> Want {
    let n = a.len() as f64;
    let largest = |x: &[T]| x.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let abs: Vec<f64> = a.iter().map(|x| x.to_f64().abs()).collect();
    let (var_a, var_b) = (reduce::covariance(a, a), reduce::covariance(b, b));
    let value = match name {
        "sum" | "sum_kahan" => reduce::sum(a).value(),
        "sum_of_squares" => reduce::dot(a, a).value(),
        "norm_l1" => reduce::sum(&abs).value(),
        "norm_l2" => reduce::dot(a, a).sqrt().value(),
        "norm_linf" => largest(a),
        "euclidean_distance" => reduce::distance(a, b).value(),
        "dot" => reduce::dot(a, b).value(),
        "cosine_similarity" => {
            let norms = reduce::dot(a, a).sqrt().value() * reduce::dot(b, b).sqrt().value();
            if norms == 0.0 { 0.0 } else { reduce::dot(a, b).value() / norms }
        }
        "prod" => return product(a),
        "logsumexp" => return log_sum_exp(a),
        "max" => a.iter().map(|x| x.to_f64()).fold(f64::NEG_INFINITY, f64::max),
        "min" => a.iter().map(|x| x.to_f64()).fold(f64::INFINITY, f64::min),
        "mean" => reduce::sum(a).value() / n,
        "variance" => var_a.value(),
        "stddev" => var_a.sqrt().value(),
        "covariance" => reduce::covariance(a, b).value(),
        "correlation" => {
            let s = var_a.sqrt().value() * var_b.sqrt().value();
            if s == 0.0 { 0.0 } else { reduce::covariance(a, b).value() / s }
        }
        _ => panic!("no reference for {name}"),
    };
    Want { own: 3.0, ..exactly(value) }
}

/// The product, its significand in two words and its exponent apart.
fn product<T: Element>(a: &[T]) -> Want {
    let (mut m, mut e) = (Dd::from(1.0), 0i64);
    for x in a {
        let (part, k) = libm::frexp(x.to_f64());
        m = m * Dd::from(part);
        let (_, up) = libm::frexp(m.value());
        m = m * Dd::from(libm::ldexp(1.0, -up));
        e += i64::from(k + up);
    }
    Want { own: 3.0, ..exactly(libm::ldexp(m.value(), e.clamp(-9999, 9999) as i32)) }
}

/// `m + ln Σ e^(x - m)`, and the magnitudes that its bound is about.
fn log_sum_exp<T: Element>(a: &[T]) -> Want {
    let m = a.iter().map(|x| x.to_f64()).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = a.iter().map(|x| (x.to_f64() - m).exp()).sum();
    Want { value: m + sum.ln(), terms: m.abs() + (a.len() as f64).ln() + 1.0, bound: None, own: 8.0 }
}

/// What `op` should give for `a`, on lanes like those of `S` where a bound depends on them.
pub fn answer<S: Simd, T: Element>(op: &Op, a: Args<'_, T>) -> Answer {
    let [x, b, c] = a.x;
    let each = |f: &dyn Fn(usize) -> Want| Answer { y: (0..x.len()).map(f).collect(), index: vec![] };
    let one = |w: Want| Answer { y: vec![w], index: vec![] };
    let per_row = |f: &dyn Fn(&[T]) -> Vec<rows::Bounded>| Answer {
        y: x.chunks(a.cols.max(1)).flat_map(f).map(row).collect(),
        index: vec![],
    };
    let (gamma, beta) = (b.get(..a.cols).unwrap_or(&[]), c.get(..a.cols).unwrap_or(&[]));
    let eps = a.eps.to_f64();
    match op.shape {
        "unary" => each(&|i| unary(op.name, x[i])),
        "binary" | "update" => each(&|i| binary(op.name, x[i], b[i])),
        "ternary" if op.name == "select" => {
            each(&|i| exactly(if x[i].to_f64() == 0.0 { c[i].to_f64() } else { b[i].to_f64() }))
        }
        "ternary" => each(&|i| fma(x[i].to_f64(), b[i].to_f64(), c[i].to_f64())),
        "total" | "reduce" | "reduce2" => one(reduction(op.name, x, b)),
        "arg" => {
            let order = reduce::descending(x);
            let end = if op.name.starts_with("argmax") { order.first() } else { order.last() };
            let value = end.map_or(0.0, |&i| x[i].to_f64());
            let is = |v: &T| v.to_f64() == value;
            let last = op.name.ends_with("_last");
            let best = if last { x.iter().rposition(is) } else { x.iter().position(is) }.unwrap_or(0);
            Answer { y: vec![], index: vec![best as u32] }
        }
        "select" => {
            let order = if op.name == "top_k" {
                reduce::descending(x)
            } else {
                reduce::descending(&x.iter().map(|x| -*x).collect::<Vec<T>>())
            };
            let first = order.get(..a.k).unwrap_or(&order);
            let y = first.iter().map(|&i| exactly(x[i].to_f64())).collect();
            Answer { y, index: first.iter().map(|&i| i as u32).collect() }
        }
        _ => match op.name {
            "softmax" => per_row(&|r| rows::softmax::<S, T>(r, false)),
            "log_softmax" => per_row(&|r| rows::softmax::<S, T>(r, true)),
            "layer_norm" => per_row(&|r| rows::standard::<S, T>(r, Some((gamma, beta)), eps)),
            "layer_norm_simple" => per_row(&|r| rows::standard::<S, T>(r, None, eps)),
            "rms_norm" => per_row(&|r| rows::by_length::<S, T>(r, r.len() as f64, eps, Some(gamma))),
            "normalize" => per_row(&|r| rows::by_length::<S, T>(r, 1.0, 0.0, None)),
            // A constant row gives zeros.
            "zscore" => per_row(&|r| {
                let constant = r.iter().all(|x| Some(x) == r.first());
                if constant { vec![(0.0, 0.0); r.len()] } else { rows::standard::<S, T>(r, None, 0.0) }
            }),
            "minmax_normalize" => per_row(&|r| rows::interval(r)),
            _ => panic!("no reference for {}", op.name),
        },
    }
}
