//! Kernels over the diagonals of factors: determinants, and the division by the 1×1 and 2×2 blocks of LDLᵀ.
//!
//! Sources: the definition; J. Bunch, L. Kaufman, "Some Stable Methods for Calculating Inertia and Solving Symmetric Linear Systems" (1977).

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::factor::{constant, refused, size};
use super::flat::{each, get, named, put};
use super::layer::leads;
use super::status::{Index, note};
use crate::Number;
use crate::alu::Real;

/// A number from 1 to 2, with a sign, and the exponent of the power of two that it is to be multiplied by. What has no exponent (zeros, infinities, NaN)
/// is the first number, and 0 the second.
fn parts<'b, T: Recorded>([x, e]: [Value<'b, T>; 2]) -> [Value<'b, T>; 2] {
    let (b, single) = (x.builder(), T::TYPE.bytes() == 4);
    let (mantissa, most, mask) = if single { (23, 127, 0xff) } else { (52, 1023, 0x7ff) };
    let number = |x: f64| constant::<T>(b, T::Elem::from_f64(x));
    // A subnormal number has no exponent of its own.
    let small = x.magnitude().compare(Cmp::Lt, number(libm::ldexp(1.0, 1 - most)));
    let x_ = Value::select(small, x * number(libm::ldexp(1.0, 64)), x);
    let shift = b.int::<U32>(mantissa);
    let bits = x_.cast::<T::Bits>();
    let exponent = (bits >> shift) & b.int(mask);
    let rest = bits & !(b.int::<T::Bits>(mask) << shift);
    let near = (rest | (b.int::<T::Bits>(i64::from(most)) << shift)).cast::<T>();
    let of = exponent.to::<T>() - number(f64::from(most)) - Value::select(small, number(64.0), b.bits(0));
    let none = refused(size(x)) | x.compare(Cmp::Eq, b.bits(0));
    [Value::select(none, x, near), e + Value::select(none, b.bits(0), of)]
}

fn product<'b, T: Recorded>([x, e]: [Value<'b, T>; 2], [y, f]: [Value<'b, T>; 2]) -> [Value<'b, T>; 2] {
    parts([x * y, e + f])
}

/// `x·2^e`, rounded once where that is no smaller than the square of the least number.
fn scaled<'b, T: Recorded>(b: &'b Builder, [x, e]: [Value<'b, T>; 2]) -> Value<'b, T> {
    let (mantissa, most) = if T::TYPE.bytes() == 4 { (23, 127) } else { (52, 1023) };
    let number = |x: i32| constant::<T>(b, T::Elem::from_f64(f64::from(x)));
    let within = |e: Value<'b, T>, far: i32| {
        let low = Value::select(e.compare(Cmp::Lt, number(-far)), number(-far), e);
        Value::select(low.compare(Cmp::Gt, number(far)), number(far), low)
    };
    let (mut x, mut left) = (x, within(e, 4 * most));
    for _ in 0..4 {
        let step = within(left, most - 1);
        let power = ((step + number(most)).to::<T::Bits>() << b.int::<U32>(mantissa)).cast::<T>();
        (x, left) = (x * power, left - step);
    }
    x
}

/// The product of a diagonal, negated for each row that was exchanged, by one block. Parameters: the factors, the pivots, where it goes, the
/// status words; rows, of which there are some, the stride of the diagonal.
pub fn determinant<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("determinant");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [a, pivots, to, status] = b.params::<U64, 4>();
    let [n, step] = b.params::<U32, 2>();
    let unit = constant::<T>(b, T::Elem::ONE);
    let bounds = [b.special(Special::TidX), n, b.int(i64::from(THREADS))];
    let mine = b.count::<U32, T>(bounds, 1, &[unit, b.bits(0)], |i, all| {
        let pivot = get::<U32>(pivots, i);
        b.when(pivot.compare(Cmp::Ge, n), || note(status, Index::DeterminantPivots, pivot));
        let x = get::<T>(a, i * step);
        let x = Value::select(pivot.compare(Cmp::Ne, i), -x, x);
        let before = core::array::from_fn(|k| all.get(k).copied().unwrap_or(unit));
        product(before, parts([x, b.bits(0)])).to_vec()
    });
    let mine = core::array::from_fn(|k| mine.get(k).copied().unwrap_or(unit));
    let all = block_reduce(b, meet, mine, product);
    b.when(leads(b), || put(to, b.int(0), scaled(b, all)));
    builder.finish()
}

/// `D⁻¹·B` over B, a thread for each element of it. Parameters: the factors, what is beside the diagonal, B, the status words; rows, columns of
/// B, the stride of the diagonal, the strides of B.
pub fn divided<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("ldlt_divided");
    let [a, off, to, status] = b.params::<U64, 4>();
    let [n, cols, step, row, col] = b.params::<U32, 5>();
    let (zero, one, none) = (b.int::<U32>(0), b.int(1), b.bits::<T>(0));
    each(&b, n * cols, |e| {
        let k = e / cols;
        let c = e - k * cols;
        let next = (k + one).least(n - one);
        let own = [k, next];
        let (diagonal, places) = (own.map(|k| k * step), own.map(|k| k * row + c * col));
        // Nothing is beside the last one.
        let beside = Value::select(k.compare(Cmp::Lt, next), get::<T>(off, k), none);
        let before = Value::select(k.compare(Cmp::Eq, zero), none, get::<T>(off, k.most(one) - one));
        let first = before.compare(Cmp::Eq, none);
        let two = beside.compare(Cmp::Ne, none);
        b.when(first & two, || {
            let [x, y] = places.map(|at| get::<T>(to, at) / beside);
            let [p, q] = diagonal.map(|at| get::<T>(a, at) / beside);
            let by = p * q - constant::<T>(&b, T::Elem::ONE);
            put(to, places[0], (q * x - y) / by);
            put(to, places[1], (p * y - x) / by);
        });
        b.when(first & !two, || {
            let d = get::<T>(a, diagonal[0]);
            b.when(d.compare(Cmp::Eq, none) & c.compare(Cmp::Eq, zero), || note(status, Index::LdltSolve, k));
            put(to, places[0], get::<T>(to, places[0]) / d);
        });
    });
    b.finish()
}
