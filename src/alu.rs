//! Declares `Alu`, the straight-line arithmetic that the body of an op is written in.
//!
//! A body is one function over [`Alu`]. The CPU runs it on vector lanes; a recorder may implement
//! the same trait with node ids and turn the body into GPU code. So there are no branches here:
//! choices are [`Alu::select`], and [`Alu::patch`] where a CPU may skip work that no lane needs.

pub(crate) mod math;

use crate::error::Error;
use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};
use math::{erf, exp, hyperbolic, inverse, ln, pow, sigmoid, tanh_table, trig};

/// A lane-wise truth value.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}

/// The integer view of a float lane: two's complement of the same width, wrapping.
pub trait Bits:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The constant `c` in every lane, cut to the lane's width; `self` only names where.
    fn lit(self, c: i64) -> Self;
    /// Shift left by the constant `K` (below the width).
    fn shl<const K: i32>(self) -> Self;
    /// Logical shift right by the constant `K` (1 up to the width less one).
    fn shr<const K: i32>(self) -> Self;
}

/// Straight-line arithmetic on IEEE 754 values, lane by lane, round to nearest even.
pub trait Alu:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// What a body keeps its parameters in: the element of one lane, `f32` or `f64`; in a recorder a number that
    /// the kernel reads when it runs.
    type Elem: Number;
    /// The result of a comparison.
    type Mask: Mask;
    /// The integer view of the same width.
    type Bits: Bits;
    /// Whether [`Alu::mul_add`] rounds once.
    const FUSED: bool;
    /// Whether [`Alu::scale2`] is one instruction.
    const SCALES: bool = false;
    /// Whether [`Alu::lookup32`] is one instruction.
    const PERMUTES: bool = false;

    /// The constant `c` in every lane; `self` only names where.
    fn lit(self, c: <Self::Elem as Number>::Real) -> Self;
    /// The parameter `p` of a body in every lane, before the loop on a CPU, an argument of a GPU's kernel; `self` only
    /// names where. What is made of parameters is computed on the values that this gives.
    fn param(self, p: Self::Elem) -> Self;
    /// `self * b + c`: rounds once when [`Alu::FUSED`], else twice.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Clears the sign bit.
    fn abs(self) -> Self;
    /// `if self < o { self } else { o }`: yields `o` when either is NaN or both are zero.
    fn min(self, o: Self) -> Self;
    /// `if self > o { self } else { o }`: yields `o` when either is NaN or both are zero.
    fn max(self, o: Self) -> Self;
    /// `self < o`; false with NaN.
    fn lt(self, o: Self) -> Self::Mask;
    /// `self <= o`; false with NaN.
    fn le(self, o: Self) -> Self::Mask;
    /// `self == o`; false with NaN.
    fn eq(self, o: Self) -> Self::Mask;
    /// `a` where `m`, else `b`.
    fn select(m: Self::Mask, a: Self, b: Self) -> Self;
    /// The bit pattern.
    fn to_bits(self) -> Self::Bits;
    /// The value with this bit pattern.
    fn from_bits(b: Self::Bits) -> Self;
    /// Integer equality.
    fn bits_eq(a: Self::Bits, b: Self::Bits) -> Self::Mask;
    /// `table[i]` where `i` is the low 32 bits of the index, clamped to the last entry.
    fn lookup(i: Self::Bits, table: &'static [<Self::Elem as Number>::Real]) -> Self;
    /// `table[i mod 32]`.
    #[inline(always)]
    fn lookup32(i: Self::Bits, table: &'static [<Self::Elem as Number>::Real; 32]) -> Self {
        Self::lookup(i & i.lit(31), table)
    }
    /// `1 / self`, within a relative 2⁻¹⁴ for `f32` and rounded for `f64`; a result below the normal
    /// numbers may be 0. CPUs with AVX-512 from different makers may give different bits.
    #[inline(always)]
    fn coarse_recip(self) -> Self {
        self.c(1.0) / self
    }
    /// `1 / self` of a number from ½ to 4, rounded or within a few ulp.
    #[inline(always)]
    fn near_recip(self) -> Self {
        self.c(1.0) / self
    }
    /// `2^self` of a number up to 100, within a relative 2⁻²² and 0 from the smallest normal number down, where that
    /// is an instruction.
    #[inline(always)]
    fn short_power(self) -> Option<Self> {
        None
    }
    /// `select(rare, f(x), self)`; an implementation may skip `f` when no lane is `rare`. Let `f` be a closure
    /// marked `#[inline(always)]`: on a detected set, instructions in an `f` apart become calls.
    fn patch(self, rare: Self::Mask, x: Self, f: impl FnOnce(Self) -> Self) -> Self;

    /// The constant `c`, rounded to the element type.
    #[inline(always)]
    fn c(self, c: f64) -> Self {
        self.lit(<Self::Elem as Number>::Real::from_f64(c))
    }
    /// `self > o`; false with NaN.
    #[inline(always)]
    fn gt(self, o: Self) -> Self::Mask {
        o.lt(self)
    }
    /// `self >= o`; false with NaN.
    #[inline(always)]
    fn ge(self, o: Self) -> Self::Mask {
        o.le(self)
    }
    /// True for NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.eq(self)
    }
    /// The magnitude of `self` with the sign of `sign`.
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let s = self.c(-0.0).to_bits();
        Self::from_bits(self.abs().to_bits() | (sign.to_bits() & s))
    }
    /// `self` with the sign bit of `sign` flipped in.
    #[inline(always)]
    fn xor_sign(self, sign: Self) -> Self {
        let s = self.c(-0.0).to_bits();
        Self::from_bits(self.to_bits() ^ (sign.to_bits() & s))
    }
    /// Nearest integer, ties to even; keeps the sign of zero.
    #[inline(always)]
    fn round_ties_even(self) -> Self {
        // |x| + 2^(p-1) - 2^(p-1) rounds to an integer; larger values already are integers.
        let big = self.lit(Self::Elem::INTEGRAL);
        let a = self.abs();
        let r = ((a + big) - big).copysign(self);
        Self::select(a.lt(big), r, self)
    }
    /// Rounds towards zero; keeps the sign of zero.
    #[inline(always)]
    fn trunc(self) -> Self {
        let a = self.abs();
        let r = a.round_ties_even();
        let one = self.c(1.0);
        let t = Self::select(a.lt(r), r - one, r).copysign(self);
        Self::select(a.lt(self.lit(Self::Elem::INTEGRAL)), t, self)
    }
    /// Rounds towards minus infinity; keeps the sign of zero.
    #[inline(always)]
    fn floor(self) -> Self {
        let r = self.round_ties_even();
        Self::select(self.lt(r), r - self.c(1.0), r).copysign(self)
    }
    /// Rounds towards plus infinity; keeps the sign of zero.
    #[inline(always)]
    fn ceil(self) -> Self {
        let r = self.round_ties_even();
        Self::select(r.lt(self), r + self.c(1.0), r).copysign(self)
    }

    // exp family

    /// `self · 2ⁿ` rounded once, for an integral `n` of up to twice the exponents of normal numbers and
    /// a `self` near 1.
    #[inline(always)]
    fn scale2(self, n: Self) -> Self {
        exp::scale2(self, n)
    }
    /// `e^self`, within 1 ulp.
    #[inline(always)]
    fn exp(self) -> Self {
        exp::exp(self)
    }
    /// `2^self`, within 1 ulp.
    #[inline(always)]
    fn exp2(self) -> Self {
        exp::exp2(self)
    }
    /// `e^self - 1`, within 2 ulp; keeps the sign of zero.
    #[inline(always)]
    fn exp_m1(self) -> Self {
        exp::exp_m1(self)
    }
    /// Hyperbolic sine, within 2 ulp.
    #[inline(always)]
    fn sinh(self) -> Self {
        hyperbolic::sinh(self)
    }
    /// Hyperbolic cosine, within 2 ulp.
    #[inline(always)]
    fn cosh(self) -> Self {
        hyperbolic::cosh(self)
    }
    /// Hyperbolic tangent, within 1 ulp.
    #[inline(always)]
    fn tanh(self) -> Self {
        hyperbolic::tanh(self)
    }
    /// `1 / (1 + e^-self)`, within 1 ulp.
    #[inline(always)]
    fn sigmoid(self) -> Self {
        sigmoid::sigmoid(self)
    }
    /// `self / (1 + e^-self)`, within 2 ulp.
    #[inline(always)]
    fn silu(self) -> Self {
        sigmoid::silu(self)
    }
    /// `self·(1 + tanh(√(2/π)(self + 0.044715 self³)))/2`, within 2 ulp.
    #[inline(always)]
    fn gelu(self) -> Self {
        sigmoid::gelu(self)
    }
    /// The error function, within 2 ulp.
    #[inline(always)]
    fn erf(self) -> Self {
        erf::erf(self)
    }
    /// `self·(1 + erf(self/√2))/2`, within 4 ulp.
    #[inline(always)]
    fn gelu_erf(self) -> Self {
        erf::gelu_erf(self)
    }
    /// `self·tanh(ln(1 + e^self))`, within 2 ulp.
    #[inline(always)]
    fn mish(self) -> Self {
        sigmoid::mish(self)
    }
    /// `e^self` within a relative 2⁻¹².
    #[inline(always)]
    fn approx_exp(self) -> Self {
        exp::approx_exp(self)
    }
    /// Hyperbolic tangent within a relative 2⁻¹²; keeps the sign of zero.
    #[inline(always)]
    fn approx_tanh(self) -> Self {
        hyperbolic::approx_tanh(self)
    }
    /// `1 / (1 + e^-self)` within a relative 2⁻¹².
    #[inline(always)]
    fn approx_sigmoid(self) -> Self {
        sigmoid::approx_sigmoid(self)
    }
    /// [`Alu::gelu`] within a relative 2⁻¹¹.
    #[inline(always)]
    fn approx_gelu(self) -> Self {
        sigmoid::approx_gelu(self)
    }

    // log and trig

    /// Natural logarithm, within 1 ulp.
    #[inline(always)]
    fn ln(self) -> Self {
        ln::ln(self)
    }
    /// Logarithm to base 2, within 1 ulp.
    #[inline(always)]
    fn log2(self) -> Self {
        ln::log2(self)
    }
    /// Logarithm to base 10, within 1 ulp.
    #[inline(always)]
    fn log10(self) -> Self {
        ln::log10(self)
    }
    /// `ln(1 + self)`, within 2 ulp; keeps the sign of zero.
    #[inline(always)]
    fn ln_1p(self) -> Self {
        ln::ln_1p(self)
    }
    /// `self` to the power `y`, within 2 ulp, with the special cases of C's Annex F.
    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        pow::pow(self, y)
    }
    /// Sine of radians, any magnitude, within 1 ulp; keeps the sign of zero.
    #[inline(always)]
    fn sin(self) -> Self {
        trig::sin(self)
    }
    /// Cosine of radians, any magnitude, within 1 ulp.
    #[inline(always)]
    fn cos(self) -> Self {
        trig::cos(self)
    }
    /// Tangent of radians, any magnitude, within 2 ulp; keeps the sign of zero.
    #[inline(always)]
    fn tan(self) -> Self {
        trig::tan(self)
    }
    /// Arc sine; NaN outside [-1, 1], keeps the sign of zero. Within 2 ulp.
    #[inline(always)]
    fn asin(self) -> Self {
        inverse::asin(self)
    }
    /// Arc cosine; NaN outside [-1, 1]. Within 2 ulp.
    #[inline(always)]
    fn acos(self) -> Self {
        inverse::acos(self)
    }
    /// Arc tangent; keeps the sign of zero. Within 2 ulp.
    #[inline(always)]
    fn atan(self) -> Self {
        inverse::atan(self)
    }
    /// Inverse hyperbolic sine; keeps the sign of zero. Within 2 ulp.
    #[inline(always)]
    fn asinh(self) -> Self {
        inverse::asinh(self)
    }
    /// Inverse hyperbolic cosine; NaN below 1. Within 2 ulp.
    #[inline(always)]
    fn acosh(self) -> Self {
        inverse::acosh(self)
    }
    /// Inverse hyperbolic tangent; ±∞ at ±1, NaN beyond, keeps the sign of zero. Within 2 ulp.
    #[inline(always)]
    fn atanh(self) -> Self {
        inverse::atanh(self)
    }
}

/// What a body's parameters are: `f32` or `f64` on a CPU, in a recorder what stands for one that is known only when the
/// kernel runs. A body hands them to [`Alu::param`] and can do nothing else with them, so none can get into the text
/// of a kernel.
pub trait Number: Copy + Send + Sync {
    /// `f32` or `f64`.
    type Real: Real;
    /// Zero.
    const ZERO: Self::Real = <Self::Real as Number>::ZERO;
    /// One.
    const ONE: Self::Real = <Self::Real as Number>::ONE;
    /// Plus infinity.
    const INFINITY: Self::Real = <Self::Real as Number>::INFINITY;
    /// A quiet NaN.
    const NAN: Self::Real = <Self::Real as Number>::NAN;
    /// The smallest positive normal number.
    const MIN_NORMAL: Self::Real = <Self::Real as Number>::MIN_NORMAL;
    /// Stored bits of the significand: 23 or 52.
    const SIGNIFICAND: i32 = <Self::Real as Number>::SIGNIFICAND;
    /// From here on every value is an integer: 2^23 or 2^52.
    const INTEGRAL: Self::Real = <Self::Real as Number>::INTEGRAL;
    /// Overlapping words of the bits of 2/π, for the reduction of large angles.
    #[doc(hidden)]
    const TWO_OVER_PI: &'static [Self::Real] = <Self::Real as Number>::TWO_OVER_PI;
    /// Polynomials of tanh by [`Alu::lookup32`], where there are any.
    #[doc(hidden)]
    const TANH: Option<&'static [[Self::Real; 32]; 7]> = <Self::Real as Number>::TANH;
}

/// An element type: `f32` or `f64`.
pub trait Real:
    Number<Real = Self>
    + PartialOrd
    + Debug
    + Default
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// Nearest value.
    fn from_f64(x: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Nearest value.
    fn from_usize(n: usize) -> Self;
}

macro_rules! real {
    ($t:ident, $bits:literal, $words:ident, $tanh:expr) => {
        impl Number for $t {
            type Real = Self;
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = $t::INFINITY;
            const NAN: Self = $t::NAN;
            const MIN_NORMAL: Self = $t::MIN_POSITIVE;
            const SIGNIFICAND: i32 = $bits;
            const INTEGRAL: Self = (1u64 << $bits) as $t;
            const TWO_OVER_PI: &'static [Self] = &trig::$words;
            const TANH: Option<&'static [[Self; 32]; 7]> = $tanh;
        }
        impl Real for $t {
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn from_usize(n: usize) -> Self {
                n as $t
            }
        }
    };
}
real!(f32, 23, WORDS_32, Some(&tanh_table::TANH));
real!(f64, 52, WORDS_64, None);

/// An element-wise function of `N` inputs: the one definition of an op on every backend. Its parameters are fields of
/// the type `T`.
///
/// ```
/// use fulmen::{Alu, Body, Number};
/// /// y = x² + 1
/// #[derive(Clone, Copy)]
/// struct Bump;
/// impl<T: Number> Body<T, 1> for Bump {
///     #[inline(always)]
///     fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
///         x.mul_add(x, x.c(1.0))
///     }
/// }
/// /// y = x² + b
/// #[derive(Clone, Copy)]
/// struct BumpBy<T>(T);
/// impl<T: Number> Body<T, 1> for BumpBy<T> {
///     #[inline(always)]
///     fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
///         x.mul_add(x, x.param(self.0))
///     }
/// }
/// let mut y = [0.0f32; 3];
/// fulmen::map(Bump, [&[1.0, 2.0, 3.0]], &mut y)?;
/// assert_eq!(y, [2.0, 5.0, 10.0]);
/// fulmen::map(BumpBy(0.5), [&[1.0, 2.0, 3.0]], &mut y)?;
/// assert_eq!(y, [1.5, 4.5, 9.5]);
/// # Ok::<(), fulmen::Error>(())
/// ```
pub trait Body<T: Number, const N: usize>: Copy + Send + Sync {
    /// The value for one lane of each input. Mark it `#[inline(always)]`.
    fn eval<V: Alu<Elem = T>>(self, x: [V; N]) -> V;

    /// Refuses parameters outside the body's domain; called once before anything is written.
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        Ok(())
    }
}

/// A [`Body`] that is made of its parameters on each backend: a device's are numbers that its kernel takes as arguments, so it
/// compiles one for all their values. [`Bodies::map`](crate::backend::Bodies::map) runs it.
///
/// ```
/// use fulmen::backend::{Bodies, Cpu};
/// use fulmen::{Body, Error, Formula, Number, Scale, Tanh, Then};
/// /// `tanh(a·x)`
/// struct Squash;
/// impl Formula<1, 1> for Squash {
///     const NAME: &'static str = "squash";
///     fn body<T: Number>([a]: [T; 1]) -> impl Body<T, 1> {
///         Then(Scale(a), Tanh)
///     }
/// }
/// fn run<B: Bodies<f32>>(b: &B, x: B::Ref<'_, f32>, out: B::Mut<'_, f32>) -> Result<(), B::Error> {
///     b.map(Squash, [0.5], [x], out)
/// }
/// let mut y = [0.0; 2];
/// run(&Cpu::native(), &[2.0, 0.0], &mut y)?;
/// assert_eq!(y, [1.0f32.tanh(), 0.0]);
/// # Ok::<(), Error>(())
/// ```
pub trait Formula<const P: usize, const N: usize>: 'static {
    /// What a device calls its kernel: letters, digits and `_`.
    const NAME: &'static str;
    /// With these parameters.
    fn body<T: Number>(parameters: [T; P]) -> impl Body<T, N>;
}

/// `Then(F, G)` is `G ∘ F`: `F`, then `G`, in one pass. See `examples/small/fused.rs`.
#[derive(Debug, Clone, Copy)]
pub struct Then<F, G>(pub F, pub G);

impl<T: Number, F: Body<T, N>, G: Body<T, 1>, const N: usize> Body<T, N> for Then<F, G> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, x: [V; N]) -> V {
        self.1.eval([self.0.eval(x)])
    }
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        self.0.check()?;
        self.1.check()
    }
}

/// `WithFirst(F, G)` is `F(G(x₀), x₁, …)`: `G` on the first input, then `F`, in one pass.
#[derive(Debug, Clone, Copy)]
pub struct WithFirst<F, G>(pub F, pub G);

impl<T: Number, F: Body<T, N>, G: Body<T, 1>, const N: usize> Body<T, N> for WithFirst<F, G> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, mut x: [V; N]) -> V {
        if let Some(first) = x.first_mut() {
            *first = self.1.eval([*first]);
        }
        self.0.eval(x)
    }
    #[inline(always)]
    fn check(self) -> Result<(), Error>
    where
        T: Real,
    {
        self.0.check()?;
        self.1.check()
    }
}

/// `Ok` when a parameter is neither negative nor NaN.
#[inline]
pub(crate) fn not_negative<T: Real>(arg: &'static str, x: T) -> Result<(), crate::Error> {
    if x >= T::ZERO { Ok(()) } else { Err(crate::Error::must_be(arg, "0 or more")) }
}
