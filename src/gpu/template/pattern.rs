//! Kernels over the patterns of sparse matrices, a thread for each part of them, none of which waits for another one: sums of counts, a stable
//! sort by columns, and rows of products.
//!
//! Sources: F. Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition" (1978); the sort, by the
//! digits of a number from the last one on: D. Knuth, "The Art of Computer Programming" 3, §5.2.5; the sums: G. Blelloch, "Prefix Sums
//! and Their Applications" (1990).

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel};
use super::super::record::Recorded;
use super::super::types::{F32, Pred, U32, U64};
use super::flat::{each, get, named, put};
use super::sparse::{first_of, row_of};
use alloc::vec::Vec;

/// Numbers that a thread adds up.
pub const ADDED: usize = 64;
/// Elements that a thread sorts.
pub const SORTED: usize = 256;
/// What a digit is one of.
pub const DIGITS: usize = 256;
/// Columns of a product that a thread has at once.
const WINDOW: i64 = 32;

fn one<'b>(b: &'b Builder) -> Value<'b, U32> {
    b.int(1)
}

/// The body for each of the numbers of a part, with what is carried.
fn of_part<'b>(
    part: Value<'b, U32>,
    (n, each): (Value<'b, U32>, usize),
    init: &[Value<'b, U32>],
    body: impl FnOnce(Value<'b, U32>, &[Value<'b, U32>]) -> Vec<Value<'b, U32>>,
) -> Vec<Value<'b, U32>> {
    let b = part.builder();
    let first = part * b.int(each as i64);
    b.count::<U32, U32>([first, (first + b.int(each as i64)).least(n), one(b)], 1, init, body)
}

/// A sum that stays at the largest number.
fn plus<'b>(x: Value<'b, U32>, y: Value<'b, U32>) -> Value<'b, U32> {
    let all = x + y;
    Value::select(all.compare(Cmp::Lt, x), all.builder().int(i64::from(u32::MAX)), all)
}

/// The sums of parts of [`ADDED`] numbers. Parameters: the numbers, the sums; numbers, parts.
pub fn sums() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_sums");
    let [x, to] = b.params::<U64, 2>();
    let [n, parts] = b.params::<U32, 2>();
    each(&b, parts, |p| {
        let all = of_part(p, (n, ADDED), &[b.int(0)], |i, all| {
            all.iter().map(|sum| plus(*sum, get::<U32>(x, i))).collect()
        });
        all.iter().for_each(|sum| put(to, p, *sum));
    });
    b.finish()
}

/// Numbers become the sums of those before them. Parameters: the numbers, the sums before each part; numbers, parts.
pub fn begins() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_begins");
    let [x, before] = b.params::<U64, 2>();
    let [n, parts] = b.params::<U32, 2>();
    each(&b, parts, |p| {
        of_part(p, (n, ADDED), &[get::<U32>(before, p)], |i, sum| {
            let own = get::<U32>(x, i);
            sum.iter().for_each(|sum| put(x, i, *sum));
            sum.iter().map(|sum| plus(*sum, own)).collect()
        });
    });
    b.finish()
}

/// The numbers from 0 on. Parameters: where; how many.
pub fn numbers() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_numbers");
    let (to, n) = (b.param::<U64>(), b.param::<U32>());
    each(&b, n, |i| put(to, i, i));
    b.finish()
}

/// Which counter of all a digit of an element has in its part.
fn counter<'b>(
    (keys, place): (Value<'b, U64>, Value<'b, U32>),
    shift: Value<'b, U32>,
    [part, parts]: [Value<'b, U32>; 2],
) -> Value<'b, U32> {
    let digit = (get::<U32>(keys, place) >> shift) & place.builder().int(DIGITS as i64 - 1);
    digit * parts + part
}

/// How many elements of each part have each digit. Parameters: columns, the order of elements, the counters, which are 0; elements, parts, the
/// bits behind the digit.
pub fn digits() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_digits");
    let [keys, order, counts] = b.params::<U64, 3>();
    let [n, parts, shift] = b.params::<U32, 3>();
    each(&b, parts, |p| {
        of_part(p, (n, SORTED), &[], |i, _| {
            let c = counter((keys, get(order, i)), shift, [p, parts]);
            put(counts, c, get::<U32>(counts, c) + one(&b));
            Vec::new()
        });
    });
    b.finish()
}

/// Elements in the order of a digit, those of one digit as they were. Parameters: columns, the order before, where each counter begins, the order
/// behind; elements, parts, the bits behind the digit.
pub fn moved() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_moved");
    let [keys, order, counts, to] = b.params::<U64, 4>();
    let [n, parts, shift] = b.params::<U32, 3>();
    each(&b, parts, |p| {
        of_part(p, (n, SORTED), &[], |i, _| {
            let place = get::<U32>(order, i);
            let c = counter((keys, place), shift, [p, parts]);
            let at = get::<U32>(counts, c);
            put(to, at, place);
            put(counts, c, at + one(&b));
            Vec::new()
        });
    });
    b.finish()
}

/// Where the columns of elements in their order begin. Parameters: columns, the order, where these go; elements, of which there are
/// some, columns of the matrix and one.
pub fn columns() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_columns");
    let [keys, order, to] = b.params::<U64, 3>();
    let [n, all] = b.params::<U32, 2>();
    each(&b, all, |c| {
        let key = |i| get::<U32>(keys, get::<U32>(order, i));
        put(to, c, first_of([b.int(0), n], |i| key(i).compare(Cmp::Ge, c)));
    });
    b.finish()
}

/// The rows of elements in their order. Parameters: where rows begin, the order, where these go; elements, rows.
pub fn rows() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_rows");
    let [offsets, order, to] = b.params::<U64, 3>();
    let [n, rows] = b.params::<U32, 2>();
    each(&b, n, |e| put(to, e, row_of(offsets, rows, get(order, e))));
    b.finish()
}

/// Every so many numbers the next. Parameters: numbers, where they go; how many go, how far each is from the next.
pub fn every() -> Result<Kernel, Error> {
    let b = named::<F32>("sparse_every");
    let [from, to] = b.params::<U64, 2>();
    let [n, by] = b.params::<U32, 2>();
    each(&b, n, |i| put(to, i, get::<U32>(from, i * by)));
    b.finish()
}

/// Elements in another order. Parameters: elements, their order, where they go; how many.
pub fn ordered<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("sparse_ordered");
    let [from, order, to] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    each(&b, n, |i| put(to, i, get::<T>(from, get::<U32>(order, i))));
    b.finish()
}

/// How many bits are 1, by sums of neighbours: kernels in WGSL have no instruction for it.
fn ones<'b>(x: Value<'b, U32>) -> Value<'b, U32> {
    let int = |n: i64| x.builder().int::<U32>(n);
    let twos = x - ((x >> int(1)) & int(0x5555_5555));
    let fours = (twos & int(0x3333_3333)) + ((twos >> int(2)) & int(0x3333_3333));
    let eights = (fours + (fours >> int(4))) & int(0x0f0f_0f0f);
    (eights * int(0x0101_0101)) >> int(24)
}

/// Rows of A and B as a thread sees them that has a part of the columns of a row of their product.
struct Part<'b> {
    b: &'b Builder,
    /// Columns of A; where rows of B begin, and its columns.
    a: Value<'b, U64>,
    other: [Value<'b, U64>; 2],
    /// The last element of B, of which there are some.
    last: Value<'b, U32>,
    /// The elements of A's row.
    row: [Value<'b, U32>; 2],
    /// The columns.
    columns: [Value<'b, U32>; 2],
}

/// An element of B: its place, the place of the one of A that it is multiplied by, its column.
struct Product<'b> {
    of_a: Value<'b, U32>,
    of_b: Value<'b, U32>,
    column: Value<'b, U32>,
    /// Whether it is there, and in the window.
    inside: Value<'b, Pred>,
}

impl<'b> Part<'b> {
    /// Of the operands: where rows of A begin and its columns, those of B; and from the parameters behind all operands: rows times
    /// parts, parts, columns of a part, all columns, elements of B. Gives the number of threads, too.
    fn of(
        b: &'b Builder,
        [begins, a, other_begins, other]: [Value<'b, U64>; 4],
    ) -> (Value<'b, U32>, impl FnOnce(Value<'b, U32>) -> Self) {
        let [threads, parts, wide, cols, len] = b.params::<U32, 5>();
        let part = move |t: Value<'b, U32>| {
            let i = t / parts;
            let first = (t - i * parts) * wide;
            let row = [i, i + one(b)].map(|i| get::<U32>(begins, i));
            // A part behind the last column has none.
            let columns = [first.least(cols), (first + wide).least(cols)];
            Self { b, a, other: [other_begins, other], last: len - one(b), row, columns }
        };
        (threads, part)
    }

    /// What the body makes of a state by all products of a window, in the order of A's row.
    fn window<const K: usize>(
        &self,
        start: Value<'b, U32>,
        init: [Value<'b, U32>; K],
        body: impl FnOnce(Product<'b>, &[Value<'b, U32>]) -> Vec<Value<'b, U32>>,
    ) -> [Value<'b, U32>; K] {
        let (b, [begins, columns], end) = (self.b, self.other, self.columns[1]);
        let past = (start + b.int(WINDOW)).least(end);
        let all = b.count::<U32, U32>([self.row[0], self.row[1], one(b)], 1, &init, |of_a, state| {
            let k = get::<U32>(self.a, of_a);
            let [from, to] = [k, k + one(b)].map(|k| get::<U32>(begins, k));
            let column = |p: Value<'b, U32>| get::<U32>(columns, p.least(self.last));
            let first = first_of([from, to], |p| column(p).compare(Cmp::Ge, start));
            let state: [_; 3] = core::array::from_fn(|k| match k {
                0 => first,
                _ => state.get(k - 1).copied().unwrap_or(start),
            });
            let turned = b.repeat(state, |[of_b, rest @ ..]| {
                let column = Value::select(of_b.compare(Cmp::Lt, to), column(of_b), end);
                let inside = column.compare(Cmp::Lt, past);
                let next = body(Product { of_a, of_b, column, inside }, &rest);
                let next = core::array::from_fn(|k| match k {
                    0 => of_b + one(b),
                    _ => next.get(k - 1).copied().unwrap_or(start),
                });
                (inside, next)
            });
            turned.into_iter().skip(1).take(K).collect()
        });
        core::array::from_fn(|k| all.get(k).copied().unwrap_or(start))
    }

    /// A bit for each column of a window in which there is a product, and the first column behind it that has one, or the end.
    fn bits(&self, start: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let b = self.b;
        self.window(start, [b.int(0), self.columns[1]], |at, state| {
            let bit = Value::select(at.inside, one(b) << ((at.column - start) & b.int(WINDOW - 1)), b.int(0));
            let behind = Value::select(at.inside, self.columns[1], at.column);
            state
                .iter()
                .zip([bit, behind])
                .enumerate()
                .map(|(k, (x, y))| if k == 0 { *x | y } else { x.least(y) })
                .collect()
        })
    }

    /// The body with the bits of each window that has some, and how many columns there were before; gives how many there are.
    fn each(&self, body: impl FnOnce(Value<'b, U32>, Value<'b, U32>, Value<'b, U32>)) -> Value<'b, U32> {
        let [_, found] = self.b.repeat([self.columns[0], self.b.int(0)], |[start, found]| {
            let [bits, next] = self.bits(start);
            body(start, bits, found);
            (next.compare(Cmp::Lt, self.columns[1]), [next, found + ones(bits)])
        });
        found
    }
}

/// How many columns each part of each row of a product has. Parameters: where rows of A begin and its columns, those of B, the counts;
/// those of [`Part`].
pub fn counted() -> Result<Kernel, Error> {
    let b = named::<F32>("spgemm_counted");
    let of = b.params::<U64, 4>();
    let to = b.param::<U64>();
    let (threads, part) = Part::of(&b, of);
    each(&b, threads, |t| put(to, t, part(t).each(|_, _, _| {})));
    b.finish()
}

/// The columns of a product. Parameters: where rows of A begin and its columns, those of B, where the columns of each part begin, these
/// themselves; those of [`Part`].
pub fn listed() -> Result<Kernel, Error> {
    let b = named::<F32>("spgemm_listed");
    let of = b.params::<U64, 4>();
    let [begins, to] = b.params::<U64, 2>();
    let (threads, part) = Part::of(&b, of);
    each(&b, threads, |t| {
        let at = get::<U32>(begins, t);
        part(t).each(|start, bits, found| {
            let all = [b.int(0), ones(bits), one(&b)];
            b.count::<U32, U32>(all, 1, &[bits], |i, left| {
                left.iter()
                    .map(|left| {
                        // As many bits as are behind the first one, and what is left.
                        let less = *left - one(&b);
                        put(to, at + found + i, start + ones(!*left & less));
                        *left & less
                    })
                    .collect()
            });
        });
    });
    b.finish()
}

/// The values of a product, each a sum in the order of A's row that begins with 0. Parameters: where rows of A begin and its columns, those
/// of B, the values of A and of B, where the columns of each part begin, the values; those of [`Part`].
pub fn multiplied<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("spgemm");
    let of = b.params::<U64, 4>();
    let [x, y, begins, to] = b.params::<U64, 4>();
    let (threads, part) = Part::of(&b, of);
    each(&b, threads, |t| {
        let (at, part) = (get::<U32>(begins, t), part(t));
        part.each(|start, bits, found| {
            let first = at + found;
            b.count::<U32, U32>([first, first + ones(bits), one(&b)], 1, &[], |i, _| {
                put(to, i, b.bits::<T>(0));
                Vec::new()
            });
            part.window(start, [], |of, _| {
                b.when(of.inside, || {
                    let before = (one(&b) << (of.column - start)) - one(&b);
                    let i = first + ones(bits & before);
                    put(to, i, get::<T>(to, i) + get::<T>(x, of.of_a) * get(y, of.of_b));
                });
                Vec::new()
            });
        });
    });
    b.finish()
}
