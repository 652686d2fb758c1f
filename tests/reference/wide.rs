//! The definitions of the one-input ops in 192-bit arithmetic, for `f64` arguments.

use super::unary::{Bound, Unary};
use astro_float_num::{BigFloat, Consts, RoundingMode};

const P: usize = 192;
const RM: RoundingMode = RoundingMode::ToEven;

/// An exact value, to more than 110 bits.
#[derive(Debug, Clone, Copy)]
pub enum Wide {
    /// NaN, an infinity, or a value that `f64` holds to half an ulp: zeros and saturated results.
    Plain(f64),
    /// `(hi + lo) 2^exponent` with `0.5 <= |hi + lo| < 1`.
    Scaled { hi: f64, lo: f64, exponent: i32 },
}

/// Evaluates definitions; holds the constants that the arithmetic caches.
pub struct Evaluator(Consts);

/// `2^n` for `n` in the exponents of normal numbers.
fn exp2i(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// `x 2^n`, exact where the result is normal.
fn scale(x: f64, n: i32) -> f64 {
    let n = n.clamp(-3000, 3000);
    x * exp2i(n / 3) * exp2i(n / 3) * exp2i(n - 2 * (n / 3))
}

impl From<&BigFloat> for Wide {
    fn from(x: &BigFloat) -> Self {
        if x.is_nan() {
            return Self::Plain(f64::NAN);
        }
        if x.is_inf() {
            return Self::Plain(if x.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        let sign = if x.is_negative() { -1.0 } else { 1.0 };
        if x.is_zero() {
            return Self::Plain(0.0 * sign);
        }
        // The mantissa's last word is its highest, with the top bit set.
        let Some((words, _, _, exponent, _)) = x.as_raw_parts() else { return Self::Plain(f64::NAN) };
        // Words have 64 bits or 32, as the machine has; their first 128 bits here.
        let width = 8 * words.first().map_or(8, size_of_val);
        let mut high_first = words.iter().rev().copied();
        let top = (0..128 / width)
            .fold(0, |top: u128, _| top << width | u128::from(high_first.next().unwrap_or(0)));
        let hi = (top >> 75) as f64 * exp2i(-53);
        let lo = ((top >> 11) as u64) as f64 * exp2i(-53 - 64);
        Self::Scaled { hi: hi * sign, lo: lo * sign, exponent }
    }
}

impl Evaluator {
    #[allow(clippy::new_without_default, reason = "it allocates much")]
    pub fn new() -> Self {
        Self(Consts::new().expect("memory for the constants"))
    }

    /// The exact value of `op` at `x`.
    pub fn exact(&mut self, op: &Unary, x: f64) -> Wide {
        let plain = (op.exact)(x);
        // Far out these are saturated, and their exponentials leave even this arithmetic's range.
        let saturates = !matches!(
            op.name,
            "ln" | "ln_1p"
                | "log2"
                | "log10"
                | "sin"
                | "cos"
                | "tan"
                | "atan"
                | "asinh"
                | "acosh"
                | "pow_scalar"
        );
        let flat = matches!(op.name, "hardswish" | "relu" | "hard_sigmoid") && plain == 0.0;
        if x == 0.0 || !x.is_finite() || plain.is_nan() || flat || (saturates && x.abs() > 1e4) {
            return Wide::Plain(plain);
        }
        Wide::from(&self.value(op.name, x))
    }

    fn value(&mut self, name: &str, x: f64) -> BigFloat {
        // The conversion is right for normal numbers.
        let c = |v: f64| {
            if v.abs() >= f64::MIN_POSITIVE || v == 0.0 {
                return BigFloat::from_f64(v, P);
            }
            BigFloat::from_f64(v * exp2i(64), P).mul(&BigFloat::from_f64(exp2i(-64), P), P, RM)
        };
        let b = c(x);
        let cc = &mut self.0;
        let add = |a: &BigFloat, b: &BigFloat| a.add(b, P, RM);
        let mul = |a: &BigFloat, b: &BigFloat| a.mul(b, P, RM);
        let div = |a: &BigFloat, b: &BigFloat| a.div(b, P, RM);
        let one = c(1.0);
        // x (1 + x (1/2 + x/6)) and x (1 - x (1/2 - x/3)) are exact enough where e^x - 1 cancels.
        let tiny = x.abs() < 1e-25;
        let expm1_of = |b: &BigFloat, cc: &mut Consts| {
            if tiny {
                let t = add(&div(b, &c(6.0)), &c(0.5));
                mul(b, &add(&one, &mul(b, &t)))
            } else {
                b.exp(2 * P, RM, cc).sub(&one, P, RM)
            }
        };
        let expm1 = |cc: &mut Consts| expm1_of(&b, cc);
        // 1/(1 + e^-w).
        let sigmoid = |w: &BigFloat, cc: &mut Consts| div(&one, &add(&one, &w.neg().exp(P, RM, cc)));
        match name {
            "exp" | "approx_exp" => b.exp(P, RM, cc),
            "exp2" => c(2.0).pow(&b, P, RM, cc),
            "exp_m1" => expm1(cc),
            "sinh" => b.sinh(P, RM, cc),
            "cosh" => b.cosh(P, RM, cc),
            "tanh" | "approx_tanh" => b.tanh(P, RM, cc),
            "softsign" => div(&b, &add(&one, &c(x.abs()))),
            "relu" => c(x.max(0.0)),
            "leaky_relu" => {
                if x < 0.0 {
                    mul(&b, &c(0.25))
                } else {
                    b
                }
            }
            "elu" if x > 0.0 => b,
            "elu" => mul(&c(1.5), &expm1(cc)),
            "celu" if x > 0.0 => b,
            "celu" => mul(&c(1.5), &expm1_of(&div(&b, &c(1.5)), cc)),
            "selu" if x > 0.0 => mul(&c(super::unary::LAMBDA), &b),
            "selu" => mul(&mul(&c(super::unary::LAMBDA), &c(super::unary::ALPHA)), &expm1(cc)),
            "sigmoid" | "approx_sigmoid" => sigmoid(&b, cc),
            "silu" => mul(&b, &sigmoid(&b, cc)),
            "gelu" | "approx_gelu" => {
                let pi = cc.pi(P, RM);
                let k = mul(&c(2.0), &div(&c(2.0), &pi).sqrt(P, RM));
                // 0.044715 to all digits.
                let cube = mul(&mul(&mul(&b, &b), &b), &div(&c(44715.0), &c(1e6)));
                let w = mul(&k, &add(&b, &cube));
                mul(&b, &sigmoid(&w, cc))
            }
            "erf" if x.abs() < 3.0 => erf_near(&b, cc),
            "erf" if x < 0.0 => erfc_far(&b.neg(), cc).sub(&one, P, RM),
            "erf" => one.sub(&erfc_far(&b, cc), P, RM),
            "gelu_erf" => {
                let t = div(&b, &c(2.0).sqrt(P, RM)).neg();
                let erfc = if x.abs() < 4.0 {
                    one.sub(&erf_near(&t, cc), P, RM)
                } else if x < 0.0 {
                    erfc_far(&t, cc)
                } else {
                    c(2.0).sub(&erfc_far(&t.neg(), cc), P, RM)
                };
                div(&mul(&b, &erfc), &c(2.0))
            }
            "softplus" => {
                let e = b.exp(P, RM, cc);
                if x < -60.0 {
                    let t = c(0.5).sub(&div(&e, &c(3.0)), P, RM);
                    mul(&e, &one.sub(&mul(&e, &t), P, RM))
                } else {
                    e.add_full_prec(&one).ln(P, RM, cc)
                }
            }
            "hard_sigmoid" if x >= 3.0 => one,
            "hard_sigmoid" => div(&b.add_full_prec(&c(3.0)), &c(6.0)),
            "hardswish" if x >= 3.0 => b,
            "hardswish" => div(&mul(&b, &add(&b, &c(3.0))), &c(6.0)),
            "mish" => {
                let e = b.exp(P, RM, cc);
                let n = mul(&e, &add(&e, &c(2.0)));
                div(&mul(&b, &n), &add(&n, &c(2.0)))
            }
            "ln" => b.ln(P, RM, cc),
            "ln_1p" if tiny => {
                let t = c(0.5).sub(&div(&b, &c(3.0)), P, RM);
                mul(&b, &one.sub(&mul(&b, &t), P, RM))
            }
            "ln_1p" => b.add_full_prec(&one).ln(P, RM, cc),
            "log2" => b.log2(P, RM, cc),
            "log10" => b.log10(P, RM, cc),
            "pow_scalar" => mul(&mul(&b, &b), &b.sqrt(P, RM)),
            "sin" => b.sin(P, RM, cc),
            "cos" => b.cos(P, RM, cc),
            "tan" => b.tan(P, RM, cc),
            "asin" => b.asin(P, RM, cc),
            "acos" => b.acos(P, RM, cc),
            "atan" => b.atan(P, RM, cc),
            "asinh" => b.asinh(P, RM, cc),
            "acosh" => b.acosh(P, RM, cc),
            "atanh" => b.atanh(P, RM, cc),
            _ => panic!("no definition of {name}"),
        }
    }
}

/// `erf x = 2/√π e^(-x²) (x + 2x³/3 + 4x⁵/15 + …)`, all terms of one sign; for `|x|` of a few units.
fn erf_near(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    let square = x.mul(x, P, RM);
    let (mut term, mut sum) = (x.clone(), x.clone());
    for n in 1..160 {
        let by = square.div(&BigFloat::from_f64(n as f64 + 0.5, P), P, RM);
        term = term.mul(&by, P, RM);
        sum = sum.add(&term, P, RM);
    }
    let scale = BigFloat::from_f64(2.0, P).div(&cc.pi(P, RM).sqrt(P, RM), P, RM);
    sum.mul(&square.neg().exp(P, RM, cc), P, RM).mul(&scale, P, RM)
}

/// `erfc x = e^(-x²)/√π · 1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + …))))` for `x` from 2.8 on.
fn erfc_far(x: &BigFloat, cc: &mut Consts) -> BigFloat {
    let mut under = x.clone();
    for n in (1..220).rev() {
        under = x.add(&BigFloat::from_f64(0.5 * f64::from(n), P).div(&under, P, RM), P, RM);
    }
    let tail = x.mul(x, 2 * P, RM).neg().exp(P, RM, cc);
    tail.div(&under.mul(&cc.pi(P, RM).sqrt(P, RM), P, RM), P, RM)
}

/// The error of `got` in the units of `b`, or infinite when one is NaN, or a zero has the wrong sign.
pub fn error_f64(b: Bound, got: f64, exact: Wide) -> f64 {
    let (hi, lo, exponent) = match exact {
        Wide::Plain(e) if e.is_nan() || got.is_nan() => {
            return if e.is_nan() == got.is_nan() { 0.0 } else { f64::INFINITY };
        }
        Wide::Plain(e) if e == 0.0 || e.is_infinite() => {
            return if got.to_bits() == e.to_bits() { 0.0 } else { f64::INFINITY };
        }
        Wide::Plain(e) => {
            // To a significand in [1/2, 1).
            let field = if e.abs() < f64::MIN_POSITIVE {
                (scale(e, 64).to_bits() >> 52 & 0x7ff) as i32 - 64
            } else {
                (e.to_bits() >> 52 & 0x7ff) as i32
            };
            (scale(e, 1022 - field), 0.0, field - 1022)
        }
        Wide::Scaled { hi, lo, exponent } => (hi, lo, exponent),
    };
    if got.is_nan() || (got == 0.0 && got.is_sign_negative() != (hi < 0.0)) {
        return f64::INFINITY;
    }
    // Past the largest number the spacing goes on, and infinity stands for the next power of two.
    let (got, shift) = if got.is_infinite() { (1.0f64.copysign(got), 1024) } else { (got, 0) };
    if exponent > 1024 && shift == 1024 {
        return if (hi < 0.0) == (got < 0.0) { 0.0 } else { f64::INFINITY };
    }
    // In units of 2^exponent; a subnormal is scaled up exactly.
    let error = (scale(got, shift - exponent) - hi - lo).abs();
    match b {
        Bound::Ulp(_) => scale(error, exponent - (exponent - 53).max(-1074)),
        Bound::Relative(_, floor) => {
            (error - scale(1.0, -1074 - exponent)).max(0.0) / hi.abs().max(scale(floor, -exponent))
        }
    }
}
