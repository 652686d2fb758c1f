//! Interleaved complex numbers: strided vectors, the matrix-vector product, and the rearrangement of operands by which the complex
//! matrix product is a real one.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::{Param, Recorded};
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::fft::{Pairs, pairs};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use crate::alu::{Alu, Body};
use crate::fft::butterfly::{Pair, mul};

type Number<'b, T> = Pair<Value<'b, T>>;

fn number<T: Recorded>(b: &Builder) -> Number<'_, T> {
    b.params::<T, 2>()
}

/// `z`, its imaginary part times `sign`.
fn signed<'b, T: Recorded>([re, im]: Number<'b, T>, sign: Value<'b, T>) -> Number<'b, T> {
    [re, im * sign]
}

/// `sum + a·b`.
fn plus<'b, T: Recorded>(sum: Number<'b, T>, [a, b]: Number<'b, T>, [c, d]: Number<'b, T>) -> Number<'b, T> {
    let [re, im] = sum;
    [a.mul_add(c, (-b).mul_add(d, re)), a.mul_add(d, b.mul_add(c, im))]
}

fn zero<T: Recorded>(b: &Builder) -> Number<'_, T> {
    [b.bits(0); 2]
}

fn is_zero<'b, T: Recorded>([re, im]: Number<'b, T>) -> Value<'b, Pred> {
    let none = re.builder().bits(0);
    re.compare(Cmp::Eq, none) & im.compare(Cmp::Eq, none)
}

/// `sum + β·y[at]`: nothing is read where β is 0, and each part is multiplied where it is real.
fn scaled_sum<'b, T: Recorded>(
    b: &'b Builder,
    sum: Number<'b, T>,
    beta: Number<'b, T>,
    y: Pairs<'b>,
    at: Value<'b, U32>,
) -> Number<'b, T> {
    b.either(
        is_zero(beta),
        || sum,
        || {
            let old = y.get::<T>(at, 0);
            let real = beta[1].compare(Cmp::Eq, b.bits(0));
            let whole = plus(sum, beta, old);
            [0, 1].map(|p| {
                let part = old.get(p).zip(sum.get(p)).map(|(y, s)| beta[0].mul_add(*y, *s));
                Value::select(real, part.unwrap_or(sum[0]), whole.get(p).copied().unwrap_or(sum[0]))
            })
        },
    )
}

/// Each number `z = α·B` as two rows of real numbers: those that multiply the real, and those that multiply the imaginary parts of A.
/// Parameters: B, the rows; B's elements, columns and strides; what its imaginary parts, and those of A, are multiplied
/// with; α.
pub fn paired<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("gemm_complex_pairs");
    let [x, out] = [(); 2].map(|()| pairs(&b));
    let [n, cols, row, col] = b.params::<U32, 4>();
    let [second, first] = b.params::<T, 2>();
    let alpha = number::<T>(&b);
    each(&b, n, |i| {
        let p = i / cols;
        let j = i - p * cols;
        let [re, im] = mul(alpha, signed(x.get::<T>(p * row + j * col, 0), second));
        let to = p * b.int(2) * cols + j;
        out.put(to, [re, im]);
        out.put(to + cols, [-(im * first), re * first]);
    });
    b.finish()
}

/// A matrix row after row. Parameters: the matrix, where it goes; elements, columns, strides.
pub fn packed<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("gemm_complex_packed");
    let [x, out] = [(); 2].map(|()| pairs(&b));
    let [n, cols, row, col] = b.params::<U32, 4>();
    each(&b, n, |i| {
        let r = i / cols;
        out.put(i, x.get::<T>(r * row + (i - r * cols) * col, 0));
    });
    b.finish()
}

/// `C = S + βC`, with S row after row. Parameters: S, C; elements, columns, strides; β.
pub fn added<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("gemm_complex_added");
    let [sums, c] = [(); 2].map(|()| pairs(&b));
    let [n, cols, row, col] = b.params::<U32, 4>();
    let beta = number::<T>(&b);
    each(&b, n, |i| {
        let r = i / cols;
        let at = r * row + (i - r * cols) * col;
        c.put(at, scaled_sum(&b, sums.get::<T>(i, 0), beta, c, at));
    });
    b.finish()
}

/// `y += α·x`. Parameters: `x`, `y`; numbers, strides; α.
pub fn axpy<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("axpy_complex");
    let [x, y] = [(); 2].map(|()| pairs(&b));
    let [n, x_step, y_step] = b.params::<U32, 3>();
    let alpha = number::<T>(&b);
    each(&b, n, |i| {
        let to = i * y_step;
        y.put(to, plus(y.get::<T>(to, 0), alpha, x.get(i * x_step, 0)));
    });
    b.finish()
}

/// The sum of `term` from `first` to `end` by `step`.
fn sum<'b, T: Recorded>(
    b: &'b Builder,
    bounds: [Value<'b, U32>; 3],
    term: impl FnOnce(Value<'b, U32>, Number<'b, T>) -> Number<'b, T>,
) -> Number<'b, T> {
    let number = |s: &[Value<'b, T>]| [0, 1].map(|p| s.get(p).copied().unwrap_or(b.bits(0)));
    number(&b.count::<U32, T>(bounds, 1, &zero(b), |i, sum| term(i, number(sum)).into()))
}

/// The sum of what the block's threads have, in each of them.
fn all<'b, T: Recorded>(b: &'b Builder, meet: Meet, mine: Number<'b, T>) -> Number<'b, T> {
    block_reduce(b, meet, mine, |[a, b], [c, d]| [a + c, b + d])
}

/// `Σ x·y` by blocks. Parameters: `x`, `y`, where each block's sum goes; numbers, strides; what imaginary parts of `x` are
/// multiplied with.
pub fn dot<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("dot_complex");
    b.threads([THREADS, 1, 1]);
    let [x, y, out] = [(); 3].map(|()| pairs(&b));
    let [n, x_step, y_step] = b.params::<U32, 3>();
    let sign = b.param::<T>();
    let threads = b.int(i64::from(THREADS));
    let block = b.special(Special::CtaidX);
    let bounds = [block * threads + b.special(Special::TidX), n, b.special(Special::NctaidX) * threads];
    let mine = sum(&b, bounds, |i, s| plus(s, signed(x.get::<T>(i * x_step, 0), sign), y.get(i * y_step, 0)));
    let whole = all(&b, meet, mine);
    b.when(leads(&b), || out.put(block, whole));
    b.finish()
}

/// The sum of what blocks left. Parameters: their sums, where it goes; blocks. Launch a block.
pub fn dot_merge<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("dot_complex_merge");
    b.threads([THREADS, 1, 1]);
    let [parts, out] = [(); 2].map(|()| pairs(&b));
    let bounds = [b.special(Special::TidX), b.param::<U32>(), b.int(i64::from(THREADS))];
    let mine = sum(&b, bounds, |i, [p, q]| {
        let [re, im] = parts.get::<T>(i, 0);
        [p + re, q + im]
    });
    let whole = all(&b, meet, mine);
    b.when(leads(&b), || out.put(b.int(0), whole));
    b.finish()
}

/// `y ← α·op(A)·x + β·y`: a block for each row of A, whose threads read neighbours along it, or where `down` a thread, of
/// which neighbours read neighbours down the columns. Parameters: A, `x`, `y`; rows, columns; the strides of A's rows and columns,
/// of `x` and of `y`; what A's imaginary parts are multiplied with; α, β.
pub fn gemv<T: Recorded>(meet: Meet, down: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if down { "gemv_complex_down" } else { "gemv_complex" });
    let [a, x, y] = [(); 3].map(|()| pairs(&b));
    let [rows, cols, row, col, x_step, y_step] = b.params::<U32, 6>();
    let sign = b.param::<T>();
    let [alpha, beta] = [(); 2].map(|()| number::<T>(&b));
    let part = |r: Value<'_, U32>, first: Value<'_, U32>, step: u32| {
        let bounds = [b.typed(first.id()), cols, b.int(i64::from(step))];
        let start = b.typed::<U32>(r.id()) * row;
        sum(&b, bounds, |i, s| plus(s, signed(a.get::<T>(start + i * col, 0), sign), x.get(i * x_step, 0)))
    };
    let put = |r: Value<'_, U32>, sum: Number<'_, T>| {
        let to = b.typed::<U32>(r.id()) * y_step;
        let sum = mul(alpha, sum.map(|v| b.typed::<T>(v.id())));
        y.put(to, scaled_sum(&b, sum, beta, y, to));
    };
    if down {
        each(&b, rows, |r| put(r, part(r, b.int(0), 1)));
    } else {
        b.threads([THREADS, 1, 1]);
        each_row(&b, rows, |r| {
            let whole = all(&b, meet, part(r, b.special(Special::TidX), THREADS));
            b.when(leads(&b), || put(r, whole));
        });
    }
    b.finish()
}

/// `x = α·x`, a real α times each part. Parameters: `x`; numbers, stride; α.
pub fn scal<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("scal_complex");
    let x = pairs(&b);
    let [n, step] = b.params::<U32, 2>();
    let alpha = number::<T>(&b);
    let real = alpha[1].compare(Cmp::Eq, b.bits(0));
    each(&b, n, |i| {
        let at = i * step;
        let z = x.get::<T>(at, 0);
        let [re, im] = mul(alpha, z);
        let [u, v] = z.map(|part| part * alpha[0]);
        x.put(at, [Value::select(real, u, re), Value::select(real, v, im)]);
    });
    b.finish()
}

/// `out = x·y`, number by number. Parameters: `x`, `y`, `out`; numbers; what imaginary parts of `x` are multiplied with.
pub fn products<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("mul_complex");
    let [x, y, out] = [(); 3].map(|()| pairs(&b));
    let n = b.param::<U32>();
    let sign = b.param::<T>();
    each(&b, n, |i| out.put(i, mul(signed(x.get::<T>(i, 0), sign), y.get(i, 0))));
    b.finish()
}

/// A body of both parts. Parameters: `x`, `out`; numbers.
pub fn of_parts<T: Recorded>(op: &str, body: impl Body<Param<T>, 2>) -> Result<Kernel, Error> {
    let b = named::<T>(op);
    let (x, out) = (pairs(&b), b.param::<U64>());
    let n = b.param::<U32>();
    each(&b, n, |i| put(out, i, body.eval(x.get::<T>(i, 0))));
    b.finish()
}

/// Planar to interleaved, or, `back`, the other way. Parameters: real, imaginary parts, pairs; numbers.
pub fn interleaved<T: Recorded>(back: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if back { "deinterleave" } else { "interleave" });
    let [re, im] = b.params::<U64, 2>();
    let (z, n) = (pairs(&b), b.param::<U32>());
    each(&b, n, |i| match back {
        false => z.put(i, [get::<T>(re, i), get(im, i)]),
        true => {
            let [u, v] = z.get::<T>(i, 0);
            put(re, i, u);
            put(im, i, v);
        }
    });
    b.finish()
}
