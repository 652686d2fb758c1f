//! The one-input float ops against their definitions: an exact function and a bound for each.
//!
//! The error in ulp is `|computed - exact| / ulp(exact)`, where `ulp` is the spacing of the element
//! type in the binade of the exact value, and never below the smallest subnormal.

use fulmen::lanes::Simd;
use fulmen::{Element, Error};

/// How far a result may be from the exact value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// In ulp of the element type.
    Ulp(f64),
    /// Relative to the exact value; where that is below the second number, 0 is right too.
    Relative(f64, f64),
}
use Bound::{Relative, Ulp};

/// One op: its definition in `f64`, good to 2⁻⁴⁵ for `f32` arguments, and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Unary {
    pub name: &'static str,
    pub exact: fn(f64) -> f64,
    pub single: Bound,
    pub double: Bound,
}

macro_rules! unary {
    ($($name:ident $exact:expr, $bound:expr $(, $double:expr)?;)*) => {
        /// Every one-input float op.
        pub const UNARY: &[Unary] = &[$(Unary {
            name: stringify!($name),
            exact: $exact,
            single: $bound,
            double: { let _both = $bound; $(let _both = $double;)? _both },
        }),*];
    };
}
unary! {
    exp f64::exp, Ulp(1.0);
    exp2 f64::exp2, Ulp(1.0);
    exp_m1 f64::exp_m1, Ulp(2.0);
    sinh f64::sinh, Ulp(2.0);
    cosh f64::cosh, Ulp(2.0);
    tanh f64::tanh, Ulp(1.0);
    approx_exp f64::exp, Relative(2.44140625e-4, 6e-42), Relative(2.44140625e-4, 2.1e-320);
    approx_tanh f64::tanh, Relative(2.44140625e-4, 0.0);

    relu |x| if x < 0.0 { 0.0 } else { x }, Ulp(0.0);
    leaky_relu |x| if x < 0.0 { 0.25 * x } else { x }, Ulp(0.5);
    elu |x| if x > 0.0 { x } else { 1.5 * x.exp_m1() }, Ulp(2.0);
    selu |x| if x > 0.0 { LAMBDA * x } else { LAMBDA * ALPHA * x.exp_m1() }, Ulp(2.0);
    sigmoid |x| logistic(1.0, x), Ulp(1.0);
    silu |x| times_sigmoid(x, x), Ulp(2.0);
    gelu |x| times_sigmoid(x, x * (C1 + C3 * x * x)), Ulp(2.0);
    hardswish |x| x.max_or_nan(-3.0) * ((x.max_or_nan(-3.0) + 3.0).min_or_nan(6.0) / 6.0), Ulp(2.0);
    mish |x| if x < -40.0 { times_sigmoid(x, x) } else { x * x.exp().ln_1p().tanh() }, Ulp(2.0);
    approx_sigmoid |x| logistic(1.0, x), Relative(2.44140625e-4, 1.3e-35), Relative(2.44140625e-4, 2.4e-305);
    approx_gelu |x| times_sigmoid(x, x * (C1 + C3 * x * x)), Relative(4.8828125e-4, 7e-35), Relative(4.8828125e-4, 2.8e-304);

    ln f64::ln, Ulp(1.0);
    ln_1p f64::ln_1p, Ulp(2.0);
    log2 f64::log2, Ulp(1.0);
    log10 f64::log10, Ulp(1.0);
    pow_scalar |x| x.powf(2.5), Ulp(2.0);
    sin f64::sin, Ulp(1.0);
    cos f64::cos, Ulp(1.0);
    tan f64::tan, Ulp(2.0);
    asin f64::asin, Ulp(2.0);
    acos f64::acos, Ulp(2.0);
    atan f64::atan, Ulp(2.0);
    asinh asinh, Ulp(2.0);
    acosh acosh, Ulp(2.0);
    atanh |x| (0.5 * (2.0 * x.abs() / (1.0 - x.abs())).ln_1p()).copysign(x), Ulp(2.0);
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
    ($($shape:ident $name:ident($($f:ident),*) $body:ident [$($p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
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
            let flushed = got == 0.0 && exact.abs() < floor;
            // One rounding to a subnormal is no error of the function.
            let error = (got - exact).abs() - f64::from(f32::from_bits(1));
            if flushed || error <= 0.0 { 0.0 } else { error / exact.abs() }
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
