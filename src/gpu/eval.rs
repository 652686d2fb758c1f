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

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// A register of each of them.
pub(crate) type Row = [u64; LANES];

/// [`eval`] for the lanes of a warp that are in `lanes`; what the others get means nothing. For what kernels are mostly
/// made of, the instruction and its types are looked at once, and not for each lane.
pub(crate) fn row(op: Op, ty: Type, from: Type, x: [&Row; 3], lanes: u32) -> Row {
    const fn f(x: u64) -> f32 {
        f32::from_bits(x as u32)
    }
    const fn d(x: u64) -> f64 {
        f64::from_bits(x)
    }
    const fn float(x: f32) -> u64 {
        if x.is_nan() { NAN_32 } else { x.to_bits() as u64 }
    }
    const fn double(x: f64) -> u64 {
        if x.is_nan() { NAN_64 } else { x.to_bits() }
    }
    const fn int(x: u32) -> u64 {
        x as u64
    }
    let (word, long) = (ty.bits() == 32, ty.bits() == 64);
    let (float_32, float_64) = (ty == Type::F32, ty == Type::F64);
    let (word_int, long_int) = (word && !float_32, long && !float_64);
    match op {
        Op::Add if float_32 => each(x, |a, b, _| float(f(a) + f(b))),
        Op::Sub if float_32 => each(x, |a, b, _| float(f(a) - f(b))),
        Op::Mul if float_32 => each(x, |a, b, _| float(f(a) * f(b))),
        Op::Fma if float_32 => each(x, |a, b, c| float(libm::fmaf(f(a), f(b), f(c)))),
        Op::Neg if float_32 => each(x, |a, _, _| int(a as u32 ^ 0x8000_0000)),
        Op::Abs if float_32 => each(x, |a, _, _| a & 0x7fff_ffff),
        Op::Add if float_64 => each(x, |a, b, _| double(d(a) + d(b))),
        Op::Sub if float_64 => each(x, |a, b, _| double(d(a) - d(b))),
        Op::Mul if float_64 => each(x, |a, b, _| double(d(a) * d(b))),
        Op::Neg if float_64 => each(x, |a, _, _| a ^ 1 << 63),
        Op::Abs if float_64 => each(x, |a, _, _| a & !(1 << 63)),
        Op::Add if word_int => each(x, |a, b, _| int((a as u32).wrapping_add(b as u32))),
        Op::Sub if word_int => each(x, |a, b, _| int((a as u32).wrapping_sub(b as u32))),
        Op::Mul if word_int => each(x, |a, b, _| int((a as u32).wrapping_mul(b as u32))),
        Op::Fma if word_int => {
            each(x, |a, b, c| int((a as u32).wrapping_mul(b as u32).wrapping_add(c as u32)))
        }
        Op::Add if long_int => each(x, |a, b, _| a.wrapping_add(b)),
        Op::Sub if long_int => each(x, |a, b, _| a.wrapping_sub(b)),
        Op::Mul if long_int => each(x, |a, b, _| a.wrapping_mul(b)),
        Op::MulWide if ty == Type::U64 => each(x, |a, b, _| int(a as u32) * int(b as u32)),
        Op::Min if ty == Type::U32 => each(x, |a, b, _| int((a as u32).min(b as u32))),
        Op::Max if ty == Type::U32 => each(x, |a, b, _| int((a as u32).max(b as u32))),
        Op::Div if ty == Type::U32 => {
            each(x, |a, b, _| int((a as u32).checked_div(b as u32).unwrap_or(u32::MAX)))
        }
        Op::Rem if ty == Type::U32 => {
            each(x, |a, b, _| int((a as u32).checked_rem(b as u32).unwrap_or(a as u32)))
        }
        Op::And => each(x, |a, b, _| a & b & ty.mask()),
        Op::Or => each(x, |a, b, _| (a | b) & ty.mask()),
        Op::Xor => each(x, |a, b, _| (a ^ b) & ty.mask()),
        Op::Not => each(x, |a, _, _| !a & ty.mask()),
        Op::Bitcast => each(x, |a, _, _| a & ty.mask()),
        Op::Select => each(x, |p, a, b| (if p & 1 != 0 { a } else { b }) & ty.mask()),
        Op::Shl if word => each(x, |a, b, _| int((a as u32).checked_shl(b as u32).unwrap_or(0))),
        Op::Shr if ty == Type::U32 => each(x, |a, b, _| int((a as u32).checked_shr(b as u32).unwrap_or(0))),
        Op::Convert if from == Type::U32 && ty == Type::U64 => each(x, |a, _, _| int(a as u32)),
        Op::Convert if from == Type::U64 && ty == Type::U32 => each(x, |a, _, _| int(a as u32)),
        Op::Convert if from == Type::U32 && float_32 => each(x, |a, _, _| float(a as u32 as f32)),
        Op::Convert if from == Type::Bf16 && float_32 => each(x, |a, _, _| float(f(a << 16))),
        Op::Compare(cmp) if from == Type::U32 => compared(cmp, x, |a| a as u32),
        Op::Compare(cmp) if from == Type::S32 => compared(cmp, x, |a| a as i32),
        Op::Compare(cmp) if from == Type::U64 => compared(cmp, x, |a| a),
        Op::Compare(cmp) if from == Type::F32 => compared(cmp, x, f),
        Op::Compare(cmp) if from == Type::F64 => compared(cmp, x, d),
        _ => {
            let mut lane = 0;
            each(x, |a, b, c| {
                let active = lanes >> lane & 1 != 0;
                lane += 1;
                if active { eval(op, ty, from, [a, b, c]) } else { 0 }
            })
        }
    }
}

#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "a lane is below `LANES`")]
fn each([a, b, c]: [&Row; 3], mut f: impl FnMut(u64, u64, u64) -> u64) -> Row {
    let mut y = [0; LANES];
    for lane in 0..LANES {
        y[lane] = f(a[lane], b[lane], c[lane]);
    }
    y
}

fn compared<T: PartialOrd>(cmp: Cmp, x: [&Row; 3], value: impl Fn(u64) -> T) -> Row {
    match cmp {
        Cmp::Lt => each(x, |a, b, _| u64::from(value(a) < value(b))),
        Cmp::Le => each(x, |a, b, _| u64::from(value(a) <= value(b))),
        Cmp::Gt => each(x, |a, b, _| u64::from(value(a) > value(b))),
        Cmp::Ge => each(x, |a, b, _| u64::from(value(a) >= value(b))),
        Cmp::Eq => each(x, |a, b, _| u64::from(value(a) == value(b))),
        Cmp::Ne => each(x, |a, b, _| u64::from(value(a) != value(b))),
    }
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
    use super::{LANES, Row, eval, row};
    use crate::gpu::ir::{Cmp, Op};
    use crate::gpu::types::Type;
    use std::vec::Vec;

    /// Special values and bits of all kinds, above a type's own too.
    #[test]
    fn rows_are_the_same_functions() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let special = [0, 1, 31, 32, 64, 0x8000_0000, 0xffff_ffff, 0x8000_0000_0000_0000, u64::MAX];
            let floats = [0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x3f80_0000, 0x7ff0_0000_0000_0001];
            let special = special.into_iter().chain(floats).nth((state >> 40) as usize % 14);
            if state >> 61 == 0 { special.unwrap() } else { state.rotate_left(29) }
        };
        let mut rows = Vec::new();
        for _ in 0..20 {
            let [a, b, c] = [(); 3].map(|()| -> Row { std::array::from_fn(|_| next()) });
            // Equal operands, small ones, and numbers that differ little.
            rows.extend([
                [a, b, c],
                [a, a, c],
                [a, b.map(|b| b % 70), c],
                [a, a.map(|a| a.wrapping_add(1)), b],
            ]);
        }
        use Type::{B32, B64, Bf16, F16, F32, F64, Pred, S8, S16, S32, S64, U8, U16, U32, U64};
        let types = [U16, S16, U32, S32, B32, U64, S64, B64, F16, Bf16, F32, F64];
        let same = [Op::Add, Op::Sub, Op::Mul, Op::Fma, Op::Neg, Op::Abs, Op::Min, Op::Max, Op::Div, Op::Rem];
        let same = same.into_iter().chain([Op::And, Op::Or, Op::Xor, Op::Not, Op::Select, Op::Shl, Op::Shr]);
        let mut all: Vec<(Op, Type, Type)> =
            same.flat_map(|op| types.into_iter().map(move |t| (op, t, t))).collect();
        all.extend([Op::And, Op::Or, Op::Xor, Op::Not].map(|op| (op, Pred, Pred)));
        for cmp in [Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge, Cmp::Eq, Cmp::Ne] {
            all.extend(types.map(|t| (Op::Compare(cmp), Pred, t)));
        }
        let stored = types.into_iter().chain([U8, S8]);
        for from in stored.clone() {
            all.extend(stored.clone().map(|ty| (Op::Convert, ty, from)));
            all.extend(
                types.into_iter().filter(|ty| ty.bits() == from.bits()).map(|ty| (Op::Bitcast, ty, from)),
            );
        }
        all.extend([(Op::MulWide, U64, U32), (Op::MulWide, S64, S32), (Op::Popc, U32, U64)]);
        for (op, ty, from) in all {
            for [a, b, c] in &rows {
                for lanes in [u32::MAX, 0x8000_0001] {
                    let y = row(op, ty, from, [a, b, c], lanes);
                    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
                        let x = [a[lane], b[lane], c[lane]];
                        assert_eq!(y[lane], eval(op, ty, from, x), "{op:?} {ty:?} {from:?} {x:x?}");
                    }
                }
            }
        }
    }
}
