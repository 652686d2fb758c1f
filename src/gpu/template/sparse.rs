//! Kernels over sparse matrices: SpMV, SpMM and SDDMM of compressed rows (CSR).

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Shuffle, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use super::window::fold;
use alloc::vec::Vec;

/// The first place of a range from which on it holds, or its end: what is left of the range is halved. No place past the end is asked for,
/// but the end itself, of which nothing is made.
pub(super) fn first_of<'b>(
    [from, to]: [Value<'b, U32>; 2],
    holds: impl FnOnce(Value<'b, U32>) -> Value<'b, Pred>,
) -> Value<'b, U32> {
    let (b, one) = (from.builder(), from.builder().int(1));
    let [first, _] = b.repeat([from, to], |[low, high]| {
        let middle = low + ((high - low) >> one);
        let there = holds(middle) | middle.compare(Cmp::Ge, high);
        let (low, high) = (Value::select(there, low, middle + one), Value::select(there, middle, high));
        (low.compare(Cmp::Lt, high), [low, high])
    });
    first
}

/// The last row that begins at an element or before: what is left of the rows is halved.
pub(super) fn row_of<'b>(
    offsets: Value<'b, U64>,
    rows: Value<'b, U32>,
    element: Value<'b, U32>,
) -> Value<'b, U32> {
    let (b, one) = (rows.builder(), rows.builder().int(1));
    let [row, _] = b.repeat([b.int(0), rows], |[low, high]| {
        let middle = low + ((high - low) >> one);
        let behind = element.compare(Cmp::Lt, get(offsets, middle));
        let (low, high) = (Value::select(behind, low, middle), Value::select(behind, middle, high));
        ((high - low).compare(Cmp::Gt, one), [low, high])
    });
    row
}

/// A matrix by its compressed rows, what it is multiplied with and what is written.
struct Product<'b, T> {
    b: &'b Builder,
    offsets: Value<'b, U64>,
    columns: Value<'b, U64>,
    values: Value<'b, U64>,
    /// Where the values of a transposed matrix are.
    places: Option<Value<'b, U64>>,
    x: Value<'b, U64>,
    y: Value<'b, U64>,
    rows: Value<'b, U32>,
    cols: Value<'b, U32>,
    x_strides: [Value<'b, U32>; 2],
    y_strides: [Value<'b, U32>; 2],
    alpha: Value<'b, T>,
    beta: Value<'b, T>,
}

impl<'b, T: Recorded> Product<'b, T> {
    /// From the parameters: where rows begin, columns, values, with `turned` where in these, X, Y; rows, columns of Y, the
    /// strides of X and of Y; α, β.
    fn new(b: &'b Builder, turned: bool) -> Self {
        let [offsets, columns, values] = b.params::<U64, 3>();
        let places = turned.then(|| b.param::<U64>());
        let [x, y] = b.params::<U64, 2>();
        let [rows, cols, x_row, x_col, y_row, y_col] = b.params::<U32, 6>();
        let (alpha, beta) = (b.param::<T>(), b.param::<T>());
        let (x_strides, y_strides) = ([x_row, x_col], [y_row, y_col]);
        Self { b, offsets, columns, values, places, x, y, rows, cols, x_strides, y_strides, alpha, beta }
    }

    /// The elements of row `i`: none where α is 0.
    fn row(&self, i: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let [start, end] = [i, i + self.b.int(1)].map(|i| get::<U32>(self.offsets, i));
        [start, Value::select(self.alpha.compare(Cmp::Eq, self.b.bits(0)), start, end)]
    }

    /// The sum and element `k`'s product with column `j`.
    fn plus(&self, k: Value<'b, U32>, j: Value<'b, U32>, sum: Value<'b, T>) -> Value<'b, T> {
        let v = get::<T>(self.values, self.places.map_or(k, |places| get::<U32>(places, k)));
        let from = get::<U32>(self.columns, k) * self.x_strides[0] + j * self.x_strides[1];
        v.fma(get(self.x, from), sum)
    }

    /// Writes element `i, j`, which is not read where β is 0.
    fn put(&self, i: Value<'b, U32>, j: Value<'b, U32>, sum: Value<'b, T>) {
        let (to, plain) = (i * self.y_strides[0] + j * self.y_strides[1], sum * self.alpha);
        let fresh = self.beta.compare(Cmp::Eq, self.b.bits(0));
        let [v] = self.b.either(fresh, || [plain], || [self.beta.fma(get::<T>(self.y, to), plain)]);
        put(self.y, to, v);
    }

    /// One column, a thread for each row but what is long of it: the threads of a warp share that, row by row.
    fn mixed(&self) {
        let b = self.b;
        let int = |v: u32| b.int::<U32>(i64::from(v));
        let (tid, zero, column) = (b.special(Special::TidX), b.bits::<T>(0), int(0));
        let lane = tid & int(31);
        let [first, step] = [Special::CtaidX, Special::NctaidX].map(|of| b.special(of) * int(THREADS));
        b.count::<U32, U32>([first, self.rows, step], 1, &[], |base, _| {
            let there = (base + tid).compare(Cmp::Lt, self.rows);
            let i = (base + tid).least(self.rows - int(1));
            let [start, end] = self.row(i);
            // A row that is not there has no elements.
            let end = Value::select(there, end, start);
            let own = (start + int(OWN)).least(end);
            let sum = fold(b, [start, own], zero, |k, sum| self.plus(k, column, sum));
            let long = own.compare(Cmp::Lt, end).any();
            let lanes = Value::select(long, int(32), int(0));
            let sum = b.count::<U32, T>([int(0), lanes, int(1)], 1, &[sum], |l, sum| {
                let [from, to] = [own, end].map(|v| v.shuffle(Shuffle::Index, l));
                let rest = b.unless(&[zero], from.compare(Cmp::Lt, to), || {
                    let part = b.count::<U32, T>([from + lane, to, int(32)], 2, &[zero], |k, part| {
                        part.iter().map(|part| self.plus(k, column, *part)).collect()
                    });
                    let all = |part: Value<'b, T>, by: u32| part + part.shuffle(Shuffle::Butterfly, int(by));
                    part.iter().map(|part| [16, 8, 4, 2, 1].into_iter().fold(*part, all)).collect()
                });
                let of_it = l.compare(Cmp::Eq, lane);
                sum.iter().zip(rest).map(|(sum, rest)| Value::select(of_it, *sum + rest, *sum)).collect()
            });
            b.when(there, || self.put(i, column, sum.first().copied().unwrap_or(zero)));
            Vec::new()
        });
    }
}

/// `Y = α·A·X + β·Y`, a thread for each element; the parameters are those of [`Product`].
pub fn product<T: Recorded>(turned: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if turned { "spmm_turned" } else { "spmm" });
    let p = Product::<T>::new(&b, turned);
    each(&b, p.rows * p.cols, |e| {
        let i = e / p.cols;
        let j = e - i * p.cols;
        let sum = fold(&b, p.row(i), b.bits(0), |k, sum| p.plus(k, j, sum));
        p.put(i, j, sum);
    });
    b.finish()
}

/// Elements of a row that a thread of [`mixed_rows`] takes: the threads of its warp share the others.
const OWN: u32 = 16;

/// The same of one column, a thread for each row but what is long of it: the threads of a warp share that, row by row.
pub fn mixed_rows<T: Recorded>(turned: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if turned { "spmv_mixed_turned" } else { "spmv_mixed" });
    b.threads([THREADS, 1, 1]);
    Product::<T>::new(&b, turned).mixed();
    b.finish()
}

/// The same of one column and long rows, a block for each.
pub fn long_rows<T: Recorded>(meet: Meet, turned: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if turned { "spmv_turned" } else { "spmv" });
    b.threads([THREADS, 1, 1]);
    let p = Product::<T>::new(&b, turned);
    each_row(&b, p.rows, |i| {
        let [start, end] = p.row(i);
        let bounds = [start + b.special(Special::TidX), end, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>(bounds, 1, &[zero], |k, sum| {
            sum.iter().map(|sum| p.plus(k, b.int(0), *sum)).collect()
        });
        let [sum] = block_reduce(&b, meet, [sum.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        b.when(leads(&b), || p.put(i, b.int(0), sum));
    });
    b.finish()
}

/// `values = α(XY) + β·values` where a pattern has elements, a thread for each. Parameters: where rows begin, columns, X, Y,
/// values; the elements, rows, the depth, the strides of X and of Y; α, β.
pub fn sampled<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("sddmm");
    let [offsets, columns, x, y, values] = b.params::<U64, 5>();
    let [n, rows, depth, x_row, x_col, y_row, y_col] = b.params::<U32, 7>();
    let (alpha, beta) = (b.param::<T>(), b.param::<T>());
    let zero = b.bits::<T>(0);
    // α = 0 reads neither X nor Y.
    let skips = alpha.compare(Cmp::Eq, zero);
    let depth = Value::select(skips, b.int(0), depth);
    each(&b, n, |k| {
        let i = row_of(offsets, rows, k);
        let (row, col) = (i * x_row, get::<U32>(columns, k) * y_col);
        let sum = fold(&b, [b.int(0), depth], zero, |p, sum| {
            get::<T>(x, row + p * x_col).fma(get(y, p * y_row + col), sum)
        });
        let fresh = beta.compare(Cmp::Eq, zero);
        let [old] = b.either(fresh, || [zero], || [beta * get::<T>(values, k)]);
        put(values, k, Value::select(skips, old, alpha.fma(sum, old)));
    });
    b.finish()
}
