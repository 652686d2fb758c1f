//! Evaluates an instruction on constants, bit by bit; constant folding and the interpreter share it.

use super::ir::{Approx, Cmp, Op};
use super::types::{Sort, Type};

/// The NaN that `f32` arithmetic gives.
const NAN_32: u64 = 0x7fff_ffff;
const NAN_64: u64 = 0x7ff8_0000_0000_0000;

/// `op` on bits, with a result of type `ty` and a first operand (for a selection, second) of type `from`.
///
/// What lies above an operand's type is ignored.
pub(crate) fn eval(op: Op, ty: Type, from: Type, [a, b, c]: [u64; 3]) -> u64 {
    let second = if matches!(op, Op::Shl | Op::Shr) { Type::U32 } else { from };
    let first = if op == Op::Select { Type::Pred } else { from };
    let (a, b, c) = (a & first.mask(), b & second.mask(), c & ty.mask());
    let bits = match op {
        Op::Bitcast => a,
        Op::Not => !a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Select => {
            if a & 1 != 0 {
                b
            } else {
                c
            }
        }
        Op::Popc => u64::from(a.count_ones()),
        Op::Clz => u64::from(a.leading_zeros().saturating_sub(64 - from.bits())),
        Op::Brev => a.reverse_bits() >> (64 - from.bits()),
        Op::Shl => a.checked_shl(b as u32).unwrap_or(0),
        Op::Shr if ty.sort() == Sort::Signed => (signed(a, ty) >> b.min(63)) as u64,
        Op::Shr => a.checked_shr(b as u32).unwrap_or(0),
        Op::Compare(cmp) => u64::from(compare(cmp, from, a, b)),
        Op::Convert => convert(ty, from, a),
        Op::Pack(to) => [a, b].into_iter().fold(0, |all, x| all << 16 | convert(to.element(), from, x)),
        _ => match ty {
            Type::F32 => single(op, a, b, c),
            Type::F64 => double(op, a, b, c),
            Type::F16 | Type::Bf16 => half(op, ty, a, b, c),
            _ => integer(op, ty, from, a, b, c),
        },
    };
    bits & ty.mask()
}

/// [`eval`] of an instruction that kernels are mostly made of, chosen once for all threads.
pub(crate) fn quick(op: Op, ty: Type, from: Type) -> Option<fn([u64; 3]) -> u64> {
    const fn f(x: u64) -> f32 {
        f32::from_bits(x as u32)
    }
    const fn bits(x: f32) -> u64 {
        if x.is_nan() { NAN_32 } else { x.to_bits() as u64 }
    }
    const fn int(x: u32) -> u64 {
        x as u64
    }
    let word = matches!(ty, Type::U32 | Type::S32 | Type::B32);
    Some(match op {
        Op::Add if ty == Type::F32 => |[a, b, _]| bits(f(a) + f(b)),
        Op::Sub if ty == Type::F32 => |[a, b, _]| bits(f(a) - f(b)),
        Op::Mul if ty == Type::F32 => |[a, b, _]| bits(f(a) * f(b)),
        Op::Fma if ty == Type::F32 => |[a, b, c]| bits(libm::fmaf(f(a), f(b), f(c))),
        Op::Add if word && from == ty => |[a, b, _]| int((a as u32).wrapping_add(b as u32)),
        Op::Sub if word && from == ty => |[a, b, _]| int((a as u32).wrapping_sub(b as u32)),
        Op::Mul if word && from == ty => |[a, b, _]| int((a as u32).wrapping_mul(b as u32)),
        Op::Add if ty == Type::U64 && from == ty => |[a, b, _]| a.wrapping_add(b),
        Op::Mul if ty == Type::U64 && from == ty => |[a, b, _]| a.wrapping_mul(b),
        Op::And if word && from == ty => |[a, b, _]| int(a as u32 & b as u32),
        Op::Or if word && from == ty => |[a, b, _]| int(a as u32 | b as u32),
        Op::Xor if word && from == ty => |[a, b, _]| int(a as u32 ^ b as u32),
        Op::Select if word || ty == Type::F32 => {
            |[p, a, b]| int(if p & 1 != 0 { a as u32 } else { b as u32 })
        }
        Op::Compare(Cmp::Lt) if from == Type::U32 => |[a, b, _]| u64::from((a as u32) < b as u32),
        _ => return None,
    })
}

fn signed(a: u64, ty: Type) -> i64 {
    let up = 64 - ty.bits();
    ((a << up) as i64) >> up
}

/// Integers as 128 bits hold every product.
fn wide(a: u64, ty: Type) -> i128 {
    if ty.sort() == Sort::Signed { i128::from(signed(a, ty)) } else { i128::from(a & ty.mask()) }
}

fn integer(op: Op, ty: Type, from: Type, a: u64, b: u64, c: u64) -> u64 {
    let (x, y) = (wide(a, from), wide(b, from));
    let r = match op {
        Op::Neg => -x,
        Op::Abs => x.abs(),
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul | Op::MulWide => x.wrapping_mul(y),
        Op::MulHi => x.wrapping_mul(y) >> ty.bits(),
        Op::Fma => x.wrapping_mul(y).wrapping_add(wide(c, ty)),
        Op::Dot4 => {
            let bytes = |x: u64| (x as u32).to_le_bytes().map(|x| i128::from(x as i8)).into_iter();
            bytes(a).zip(bytes(b)).map(|(x, y)| x * y).sum::<i128>() + wide(c, ty)
        }
        Op::Div => x.checked_div(y).unwrap_or(-1),
        Op::Rem => x.checked_rem(y).unwrap_or(x),
        Op::Min => x.min(y),
        Op::Max => x.max(y),
        _ => 0,
    };
    r as u64
}

fn compare(cmp: Cmp, ty: Type, a: u64, b: u64) -> bool {
    let order = if ty.is_float() {
        to_f64(ty, a).partial_cmp(&to_f64(ty, b))
    } else {
        Some(wide(a, ty).cmp(&wide(b, ty)))
    };
    use core::cmp::Ordering::{Equal, Greater, Less};
    match cmp {
        Cmp::Lt => order == Some(Less),
        Cmp::Le => matches!(order, Some(Less | Equal)),
        Cmp::Gt => order == Some(Greater),
        Cmp::Ge => matches!(order, Some(Greater | Equal)),
        Cmp::Eq => order == Some(Equal),
        Cmp::Ne => order != Some(Equal),
    }
}

/// The one that is a number, if one is; `-0 < +0`.
fn extremum<T: PartialOrd + Copy>(a: T, b: T, less: bool, negative: impl Fn(T) -> bool, nan: T) -> T {
    match a.partial_cmp(&b) {
        Some(core::cmp::Ordering::Less) => {
            if less {
                a
            } else {
                b
            }
        }
        Some(core::cmp::Ordering::Greater) => {
            if less {
                b
            } else {
                a
            }
        }
        Some(core::cmp::Ordering::Equal) => {
            if negative(a) == less {
                a
            } else {
                b
            }
        }
        None if a.partial_cmp(&a).is_some() => a,
        None if b.partial_cmp(&b).is_some() => b,
        None => nan,
    }
}

fn single(op: Op, a: u64, b: u64, c: u64) -> u64 {
    let f = |bits: u64| f32::from_bits(bits as u32);
    let (x, y, z) = (f(a), f(b), f(c));
    let r = match op {
        Op::Neg => return a ^ 0x8000_0000,
        Op::Abs => return a & 0x7fff_ffff,
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x * y,
        Op::Div => x / y,
        Op::Fma => libm::fmaf(x, y, z),
        Op::Sqrt => libm::sqrtf(x),
        Op::Min => extremum(x, y, true, f32::is_sign_negative, f32::NAN),
        Op::Max => extremum(x, y, false, f32::is_sign_negative, f32::NAN),
        Op::Approx(f) => {
            let x = f64::from(x);
            (match f {
                Approx::Ex2 => libm::exp2(x),
                Approx::Lg2 => libm::log2(x),
                Approx::Rcp => 1.0 / x,
                Approx::Rsqrt => 1.0 / libm::sqrt(x),
                Approx::Sin => libm::sin(x),
                Approx::Cos => libm::cos(x),
                Approx::Tanh => libm::tanh(x),
            }) as f32
        }
        _ => 0.0,
    };
    if r.is_nan() { NAN_32 } else { u64::from(r.to_bits()) }
}

fn double(op: Op, a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let r = match op {
        Op::Neg => return a ^ (1 << 63),
        Op::Abs => return a & !(1 << 63),
        Op::Add => x + y,
        Op::Sub => x - y,
        Op::Mul => x * y,
        Op::Div => x / y,
        Op::Fma => libm::fma(x, y, z),
        Op::Sqrt => libm::sqrt(x),
        Op::Min => extremum(x, y, true, f64::is_sign_negative, f64::NAN),
        Op::Max => extremum(x, y, false, f64::is_sign_negative, f64::NAN),
        _ => 0.0,
    };
    if r.is_nan() { NAN_64 } else { r.to_bits() }
}

fn half(op: Op, ty: Type, a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (to_f64(ty, a), to_f64(ty, b), to_f64(ty, c));
    let r = match op {
        Op::Neg => return a ^ 0x8000,
        Op::Abs => return a & 0x7fff,
        Op::Add => odd_sum(x, y),
        Op::Sub => odd_sum(x, -y),
        // The product of two 11-bit significands is exact.
        Op::Mul => x * y,
        Op::Fma => odd_sum(x * y, z),
        Op::Min => extremum(x, y, true, f64::is_sign_negative, f64::NAN),
        Op::Max => extremum(x, y, false, f64::is_sign_negative, f64::NAN),
        _ => 0.0,
    };
    round_to(ty, r)
}

/// `x + y` with an odd last bit when it is inexact, so that rounding it again to fewer bits is right.
pub(crate) fn odd_sum(x: f64, y: f64) -> f64 {
    let s = x + y;
    if !s.is_finite() {
        return s;
    }
    let t = s - x;
    let e = (x - (s - t)) + (y - t);
    let bits = s.to_bits();
    if e == 0.0 || bits & 1 == 1 {
        return s;
    }
    let away = (e > 0.0) == (s > 0.0);
    f64::from_bits(if away { bits + 1 } else { bits - 1 })
}

/// The value of a float of any width; exact.
pub(crate) fn to_f64(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F64 => f64::from_bits(bits),
        Type::F32 => f64::from(f32::from_bits(bits as u32)),
        Type::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
        _ => {
            let (e, m) = (bits >> 10 & 31, bits & 1023);
            let magnitude = match e {
                0 => m as f64 / 16_777_216.0,
                31 if m == 0 => f64::INFINITY,
                31 => f64::NAN,
                // The exponent's bias goes from 15 to 1023.
                _ => f64::from_bits((e + 1008) << 52 | m << 42),
            };
            if bits & 0x8000 != 0 { -magnitude } else { magnitude }
        }
    }
}

/// The nearest value of a 16-bit float, ties to even.
fn round_to(ty: Type, x: f64) -> u64 {
    let (stored, min, max) = if ty == Type::F16 { (10, -14, 15) } else { (7, -126, 127) };
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let top = (2 * max as u64 + 1) << stored;
    if x.is_nan() {
        return 0x7fff;
    }
    if x.is_infinite() || x == 0.0 {
        return sign | if x == 0.0 { 0 } else { top };
    }
    let e = libm::ilogb(x).max(min);
    // Units in the last place; the scaling is exact, and a carry into the exponent is right.
    let units = libm::rint(libm::scalbn(x.abs(), stored - e)) as u64;
    let biased = (e - min) as u64;
    sign | ((biased << stored) + units).min(top)
}

fn convert(ty: Type, from: Type, a: u64) -> u64 {
    match (from.is_float(), ty.is_float()) {
        (false, false) => wide(a, from) as u64,
        (false, true) if ty == Type::F32 => u64::from((wide(a, from) as f32).to_bits()),
        (false, true) => (wide(a, from) as f64).to_bits(),
        (true, true) => {
            let x = to_f64(from, a);
            match ty {
                Type::F32 if x.is_nan() => NAN_32,
                Type::F64 if x.is_nan() => NAN_64,
                Type::F32 => u64::from((x as f32).to_bits()),
                Type::F64 => x.to_bits(),
                _ => round_to(ty, x),
            }
        }
        // Out of range saturates.
        (true, false) => {
            let x = to_f64(from, a);
            if x.is_nan() {
                return from.nan_as(ty);
            }
            match ty {
                Type::U8 => u64::from(x as u8),
                Type::U16 => u64::from(x as u16),
                Type::U32 => u64::from(x as u32),
                Type::U64 => x as u64,
                Type::S8 => (x as i8) as u64,
                Type::S16 => (x as i16) as u64,
                Type::S32 => (x as i32) as u64,
                _ => (x as i64) as u64,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{eval, quick};
    use crate::gpu::ir::{Cmp, Op};
    use crate::gpu::types::Type;

    /// Special values and bits of all kinds, above a type's own too.
    #[test]
    fn quick_ones_are_the_same_functions() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let special = [0, 1, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x3f80_0000, u64::MAX];
            if state >> 61 == 0 { special[(state >> 40) as usize % 8] } else { state.rotate_left(29) }
        };
        let types = [Type::Pred, Type::U8, Type::U16, Type::S16, Type::U32, Type::S32, Type::B32, Type::U64];
        let types =
            types.into_iter().chain([Type::S64, Type::B64, Type::F16, Type::Bf16, Type::F32, Type::F64]);
        let ops =
            [Op::Add, Op::Sub, Op::Mul, Op::Fma, Op::And, Op::Or, Op::Xor, Op::Select, Op::Min, Op::Div];
        let ops = ops.into_iter().chain([Op::Compare(Cmp::Lt), Op::Compare(Cmp::Le), Op::Shl, Op::Neg]);
        let mut tried = 0;
        for op in ops {
            for ty in types.clone() {
                let (ty, from) = if matches!(op, Op::Compare(_)) { (Type::Pred, ty) } else { (ty, ty) };
                let Some(f) = quick(op, ty, from) else { continue };
                tried += 1;
                for _ in 0..2000 {
                    let x = [next(), next(), next()];
                    assert_eq!(f(x), eval(op, ty, from, x), "{op:?} {ty:?} {from:?} {x:x?}");
                }
            }
        }
        assert_eq!(tried, 29);
    }
}
