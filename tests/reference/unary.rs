//! The one-input float ops against their definitions: an exact function and a bound for each.
//!
//! The error in ulp is `|computed - exact| / ulp(exact)`, where `ulp` is the spacing of the element
//! type in the binade of the exact value, and never below the smallest subnormal.

use fulmen::contract::{Tolerance, spec};
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

/// How far a result may be from the exact value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// In ulp of the element type.
    Ulp(f64),
    /// Relative to the exact value, or to the second number where the exact value is below it.
    Relative(f64, f64),
}
use Bound::{Relative, Ulp};

/// One op: its definition in `f64`, good to 2⁻⁴⁵ for `f32` arguments.
#[derive(Debug, Clone, Copy)]
pub struct Unary {
    pub name: &'static str,
    pub exact: fn(f64) -> f64,
}

impl Unary {
    /// What the contract allows for elements of `T`.
    pub fn bound<T: Element>(&self) -> Bound {
        match spec(self.name).and_then(|c| c.tolerance(T::NAME)) {
            Some(Tolerance::Exact) => Ulp(0.0),
            Some(Tolerance::Ulp(ulp)) => Ulp(ulp),
            Some(Tolerance::Rel(rel)) => Relative(rel, 0.0),
            Some(Tolerance::RelAbs { rel, abs }) => Relative(rel, abs / rel),
            other => panic!("{}: {other:?} is no bound for a one-input op", self.name),
        }
    }
}

macro_rules! unary {
    ($($name:ident $exact:expr;)*) => {
        /// Every one-input float op.
        pub const UNARY: &[Unary] = &[$(Unary { name: stringify!($name), exact: $exact }),*];
    };
}
unary! {
    exp f64::exp;
    exp2 f64::exp2;
    exp_m1 f64::exp_m1;
    sinh f64::sinh;
    cosh f64::cosh;
    tanh f64::tanh;
    erf libm::erf;
    approx_exp f64::exp;
    approx_tanh f64::tanh;

    softsign |x| if x.is_infinite() { x.signum() } else { x / (1.0 + x.abs()) };
    relu |x| if x < 0.0 { 0.0 } else { x };
    leaky_relu |x| if x < 0.0 { 0.25 * x } else { x };
    elu |x| if x > 0.0 { x } else { 1.5 * x.exp_m1() };
    celu |x| if x > 0.0 { x } else { 1.5 * (x / 1.5).exp_m1() };
    selu |x| if x > 0.0 { LAMBDA * x } else { LAMBDA * ALPHA * x.exp_m1() };
    sigmoid |x| logistic(1.0, x);
    silu |x| times_sigmoid(x, x);
    gelu |x| times_sigmoid(x, x * (C1 + C3 * x * x));
    gelu_erf |x| if x < -40.0 { -0.0 } else { 0.5 * x * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2) };
    softplus |x| x.max_or_nan(0.0) + (-x.abs()).exp().ln_1p();
    hard_sigmoid |x| (x.max_or_nan(-3.0) + 3.0).min_or_nan(6.0) / 6.0;
    hardswish |x| x.max_or_nan(-3.0) * ((x.max_or_nan(-3.0) + 3.0).min_or_nan(6.0) / 6.0);
    mish |x| if x < -40.0 { times_sigmoid(x, x) } else { x * x.exp().ln_1p().tanh() };
    approx_sigmoid |x| logistic(1.0, x);
    approx_gelu |x| times_sigmoid(x, x * (C1 + C3 * x * x));

    ln f64::ln;
    ln_1p f64::ln_1p;
    log2 f64::log2;
    log10 f64::log10;
    pow_scalar |x| x.powf(2.5);
    sin f64::sin;
    cos f64::cos;
    tan f64::tan;
    asin f64::asin;
    acos f64::acos;
    atan f64::atan;
    asinh asinh;
    acosh acosh;
    atanh |x| (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x);
}

pub const LAMBDA: f64 = 1.0507009873554805;
pub const ALPHA: f64 = 1.6732632423543772;
/// 2√(2/π), and 0.044715 times that.
const C1: f64 = 1.5957691216057308;
const C3: f64 = 0.07135481627260025;

/// `x / (1 + e^-w)` without an overflow of the exponential or a loss in the subnormal numbers.
fn logistic(x: f64, w: f64) -> f64 {
    if w < 0.0 {
        let half = (0.5 * w).exp();
        x * half / (1.0 + half * half) * half
    } else {
        x / (1.0 + (-w).exp())
    }
}

/// The same with its limit at -∞.
fn times_sigmoid(x: f64, w: f64) -> f64 {
    if x == f64::NEG_INFINITY { -0.0 } else { logistic(x, w) }
}

/// `asinh x` without the cancellation of the standard library's form near 0.
fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let y =
        if a > 1e100 { a.ln() + core::f64::consts::LN_2 } else { (a + a * a / (1.0 + a.hypot(1.0))).ln_1p() };
    y.copysign(x)
}

/// `acosh x` without the cancellation near 1.
fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if t < 0.0 {
        return f64::NAN;
    }
    if x > 1e100 { x.ln() + core::f64::consts::LN_2 } else { (t + (t * (x + 1.0)).sqrt()).ln_1p() }
}

/// `max` and `min` that keep a NaN in `self`.
trait OrNan {
    fn max_or_nan(self, o: f64) -> f64;
    fn min_or_nan(self, o: f64) -> f64;
}
impl OrNan for f64 {
    fn max_or_nan(self, o: f64) -> f64 {
        if self < o { o } else { self }
    }
    fn min_or_nan(self, o: f64) -> f64 {
        if self > o { o } else { self }
    }
}

macro_rules! run {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// Calls the `_on` form of a one-input op with the parameters of its row in the list.
        pub fn run<S: Simd, T: Element>(s: S, name: &str, x: &[T], out: &mut [T]) -> Result<(), Error> {
            $(run!(@$shape ($($f),*) [$($p),*] $name s name x out);)*
            panic!("no one-input op named {name}")
        }
    };
    (@unary ($f:ident, $on:ident, $in_place:ident) [$($p:expr),*] $name:ident $s:ident $n:ident $x:ident $out:ident) => {
        if $n == stringify!($name) {
            return fulmen::$on($s, $x, $(T::from_f64($p),)* $out);
        }
    };
    (@$other:ident $($rest:tt)*) => {};
}
fulmen::for_each_op!(run);

/// The error of `got` as an `f32` result: in units of `b`, or infinite when one is NaN, or a zero has
/// the wrong sign.
pub fn error_f32(b: Bound, got: f32, exact: f64) -> f64 {
    let wrong_zero = got == 0.0 && got.is_sign_negative() != exact.is_sign_negative();
    if got.is_nan() != exact.is_nan() || wrong_zero {
        return f64::INFINITY;
    }
    if exact.is_nan() {
        return 0.0;
    }
    // Past the largest number the spacing goes on, and infinity stands for the next power of two.
    let top = 340282366920938463463374607431768211456.0;
    let exact = exact.clamp(-top, top);
    let got = f64::from(got).clamp(-top, top);
    match b {
        Ulp(_) => {
            let exponent = (exact.to_bits() >> 52 & 0x7ff).clamp(1023 - 126, 1023 + 127);
            // 1/ulp = 2^(23 - e).
            let inverse = f64::from_bits((1023 + 23 + 1023 - exponent) << 52);
            (got - exact).abs() * inverse
        }
        Relative(_, floor) => {
            // One rounding to a subnormal is no error of the function.
            let error = (got - exact).abs() - f64::from(f32::from_bits(1));
            if error <= 0.0 { 0.0 } else { error / exact.abs().max(floor) }
        }
    }
}

impl Bound {
    /// The number not to be exceeded.
    pub fn limit(self) -> f64 {
        match self {
            Ulp(b) | Relative(b, _) => b,
        }
    }
}
