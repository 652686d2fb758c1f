//! Householder reflections of a panel, and their compact form `I - VTVᵀ`.

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
use super::status::{Index, note_first};
use crate::Number;
use alloc::vec::Vec;

/// Columns that a reflection is applied to at once.
const WIDE: usize = 4;

/// Powers of two between which a number and its reciprocal are far from the ends of the range.
pub(super) fn ends<T: Recorded>(b: &Builder) -> [Value<'_, T>; 2] {
    let far = T::Elem::INTEGRAL * T::Elem::INTEGRAL;
    [T::Elem::ONE / far, far].map(|x| constant::<T>(b, x))
}

/// The power of two that brings the largest magnitude of a column where its reciprocal, by which devices may divide, is a normal
/// number.
pub(super) fn scale<T: Recorded>(most: Value<'_, T>) -> Value<'_, T> {
    let b = most.builder();
    let [low, high] = ends::<T>(b);
    let down = Value::select(most.compare(Cmp::Gt, high), low, constant::<T>(b, T::Elem::ONE));
    Value::select(most.compare(Cmp::Lt, low), high, down)
}

/// `A = QR` of a part with no more columns than rows, of which there are any number, by one block: a thread has every [`THREADS`]-th row, and meets the
/// others in sums alone. Parameters: A, τ, the status words; rows, columns, the strides of rows and columns, the first
/// column's index in the whole matrix.
pub fn qr<T: Recorded>(meet: Meet, what: Index) -> Result<Kernel, Error> {
    let b = named::<T>("qr");
    b.threads([THREADS, 1, 1]);
    let [a, taus, status] = b.params::<U64, 3>();
    let [m, n, row, col, first] = b.params::<U32, 5>();
    let (tid, one) = (b.special(Special::TidX), b.int::<U32>(1));
    let (threads, own) = (b.int::<U32>(i64::from(THREADS)), b.int::<U32>(i64::from(THREADS - 1)));
    let zero = constant::<T>(&b, T::Elem::ZERO);
    let unit = constant::<T>(&b, T::Elem::ONE);
    let at = |i, j| get::<T>(a, i * row + j * col);
    let set = |i, j, v: Value<'_, T>| put(a, i * row + j * col, v);
    // The thread's rows from `k` on.
    let rows = |k| [k + ((tid - k) & own), m, threads];
    let has = |i| tid.compare(Cmp::Eq, i & own);
    b.count::<U32, U32>([b.int(0), n, one], 1, &[], |k, _| {
        let most = b.count::<U32, T>(rows(k + one), 1, &[zero], |i, most| {
            let x = size(at(i, k));
            most.iter().map(|most| Value::select(x.compare(Cmp::Gt, *most), x, *most)).collect()
        });
        let most = most.first().copied().unwrap_or(zero);
        let [mine] = b.either(has(k), || [at(k, k)], || [zero]);
        let [most, alpha] = block_reduce(&b, meet, [most, mine], |[p, x], [q, y]| {
            [Value::select(q.compare(Cmp::Gt, p), q, p), x + y]
        });
        let nothing = most.compare(Cmp::Eq, zero);
        let most = {
            let x = size(alpha);
            Value::select(x.compare(Cmp::Gt, most), x, most)
        };
        b.when(leads(&b) & refused(most) & most.compare(Cmp::Ne, zero), || {
            note_first(status, what, first + k)
        });
        // Quotients by the largest: no square of them overflows, and none that counts underflows.
        let by = scale(most);
        let largest = most * by;
        let share = |x| x * by / largest;
        let squares = b.count::<U32, T>(rows(k), 1, &[zero], |i, sum| {
            let x = share(at(i, k));
            sum.iter().map(|sum| x.fma(x, *sum)).collect()
        });
        let [sum] = block_reduce(&b, meet, [squares.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        let (norm, alpha) = (sum.root(), share(alpha));
        let beta = Value::select(alpha.compare(Cmp::Lt, zero), norm, -norm);
        let tau = Value::select(nothing, zero, (beta - alpha) / beta);
        let d = alpha - beta;
        b.when(!nothing, || {
            b.count::<U32, U32>(rows(k + one), 1, &[], |i, _| {
                set(i, k, share(at(i, k)) / d);
                Vec::new()
            });
            b.when(has(k), || set(k, k, beta * largest / by));
        });
        b.when(leads(&b), || put(taus, k, tau));
        b.count::<U32, U32>([k + one, n, b.int(WIDE as i64)], 1, &[], |j, _| {
            let v = |i| Value::select(k.compare(Cmp::Eq, i), unit, at(i, k));
            // Of columns past the last one the last one's sum is not used.
            let columns: [_; WIDE] = core::array::from_fn(|c| j + b.int(c as i64));
            let sums = b.count::<U32, T>(rows(k), 1, &[zero; WIDE], |i, sums| {
                let v = v(i);
                sums.iter().zip(columns).map(|(sum, j)| v.fma(at(i, j.least(n - one)), *sum)).collect()
            });
            let sums = core::array::from_fn(|c| sums.get(c).copied().unwrap_or(zero));
            let sums: [_; WIDE] =
                block_reduce(&b, meet, sums, |[a, b, c, d], [e, f, g, h]| [a + e, b + f, c + g, d + h]);
            b.count::<U32, U32>(rows(k), 1, &[], |i, _| {
                let v = v(i);
                for (sum, j) in sums.into_iter().zip(columns) {
                    b.when(j.compare(Cmp::Lt, n), || set(i, j, (-(tau * sum)).fma(v, at(i, j))));
                }
                Vec::new()
            });
            b.barrier();
            Vec::new()
        });
        b.barrier();
        Vec::new()
    });
    b.finish()
}

/// The vectors of reflections as a matrix by rows, a thread for each of its elements: their ones, and zeros before them; of
/// one whose τ is 0, zeros alone. Parameters: the factors, τ, V; elements, columns, the strides of the factors' rows and columns.
pub fn vectors<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("vectors");
    let [a, taus, v] = b.params::<U64, 3>();
    let [all, n, row, col] = b.params::<U32, 4>();
    let [zero, unit] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(&b, x));
    each(&b, all, |e| {
        let i = e / n;
        let j = e - i * n;
        let some = get::<T>(taus, j).compare(Cmp::Ne, zero);
        let [x] = b.either(
            some & i.compare(Cmp::Gt, j),
            || [get::<T>(a, i * row + j * col)],
            || [Value::select(some & i.compare(Cmp::Eq, j), unit, zero)],
        );
        put(v, e, x);
    });
    b.finish()
}

/// The diagonal of `T⁻¹`, whose upper triangle is that of `VᵀV`: `1/τ`, or 1 where there is no reflection. Parameters: `VᵀV`
/// by rows, τ; rows.
pub fn inverse<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("inverse");
    let [g, taus] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let [zero, unit] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(&b, x));
    each(&b, n, |k| {
        let tau = get::<T>(taus, k);
        put(g, k * n + k, Value::select(tau.compare(Cmp::Eq, zero), unit, unit / tau));
    });
    b.finish()
}
