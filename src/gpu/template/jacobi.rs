//! The one-sided Jacobi method for eigenvalues and singular values: pairs of columns are rotated until their products
//! are negligible. The disjoint pairs of a round run at once, and a sweep has each pair once.
//!
//! A general matrix: one-sided Jacobi (Hestenes). W = A·V ends as left singular vectors times singular values, V as the right ones.
//!
//! A symmetric matrix: two-sided Jacobi, of which only columns are rotated. V, at first the identity, and W = A·V are rotated
//! together; the elements of VᵀAV are products of their columns, and V ends as the eigenvectors. At the end the eigenvalues are
//! Rayleigh quotients vᵀAv / vᵀv with A as it was given, so that their errors are those of two products, whatever the rotations have
//! added to W. One-sided Jacobi of a matrix that is shifted until it is definite is not used: it compares products of columns that are
//! as long as the shift, ‖A‖₁ and more, and stops n² products near u·‖A‖₁² from the answer; in `f32` the eigenvalues of 2048 rows
//! were 1.3·10⁻² of the norm off.
//!
//! Sources: G. Golub, C. Van Loan, "Matrix Computations", §8.5 and §8.6; J. Demmel, K. Veselić, "Jacobi's Method is More Accurate
//! than QR" (1992); R. Brent, F. Luk, "The Solution of Singular-Value and Symmetric Eigenvalue
//! Problems on Multiprocessor Arrays" (1985), the order.
#![allow(clippy::indexing_slicing, reason = "places of registers that are counted here")]

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Space, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::factor::{constant, refused, size};
use super::flat::{get, named, put};
use super::layer::{each_row, leads, strided};
use super::reflect::ends;
use super::small::{larger, number};
use super::status::{Index, note};
use crate::Number;
use crate::alu::Real;
use alloc::vec::Vec;

mod block;
pub use block::{EARLY, eigh, svd, whole, whole_threads};

/// Vectors that a block turns: two neighbours, and two others.
pub const TURNED: usize = 4;
/// Sweeps at most. After the one in which nothing turns the others end at once.
pub const SWEEPS: u32 = 16;

/// A power of two near to a magnitude, which no number that a square of a quotient by it needs is past; and its reciprocal.
fn scales<T: Recorded>(most: Value<'_, T>) -> [Value<'_, T>; 2] {
    let b = most.builder();
    let single = T::TYPE.bytes() == 4;
    let (far, mask) = if single { (120, 0x7f80_0000) } else { (1000, 0x7ff0_0000_0000_0000) };
    let [low, high] = [-far, far].map(|e| constant::<T>(b, T::Elem::from_f64(libm::ldexp(1.0, e))));
    let within = Value::select(most.compare(Cmp::Lt, low), low, most);
    let within = Value::select(within.compare(Cmp::Gt, high), high, within);
    let back = (within.cast::<T::Bits>() & b.int(mask)).cast::<T>();
    [constant::<T>(b, T::Elem::ONE) / back, back]
}

fn most<'b, T: Recorded>([x]: [Value<'b, T>; 1], [y]: [Value<'b, T>; 1]) -> [Value<'b, T>; 1] {
    [Value::select(y.compare(Cmp::Gt, x), y, x)]
}

fn sum<'b, T: Recorded, const K: usize>(x: [Value<'b, T>; K], y: [Value<'b, T>; K]) -> [Value<'b, T>; K] {
    core::array::from_fn(|k| x[k] + y[k])
}

/// A fold over every so many elements of `n`.
fn fold<'b, T: Recorded, const K: usize>(
    b: &'b Builder,
    bounds: [Value<'b, U32>; 3],
    init: [Value<'b, T>; K],
    step: impl FnOnce(Value<'b, U32>, [Value<'b, T>; K]) -> [Value<'b, T>; K],
) -> [Value<'b, T>; K] {
    let all =
        b.count::<U32, T>(bounds, 1, &init, |i, acc| step(i, core::array::from_fn(|k| acc[k])).to_vec());
    core::array::from_fn(|k| all[k])
}

/// A sum and what its roundings left, with one product more (Dot2 of T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product",
/// 2005): a column next to a unit vector has one large product, which each later sum of hundreds would round again.
fn exact_sum<'b, T: Recorded>(
    [sum, rest]: [Value<'b, T>; 2],
    x: Value<'b, T>,
    y: Value<'b, T>,
) -> [Value<'b, T>; 2] {
    let product = x * y;
    let all = sum + product;
    let part = all - sum;
    let left = (sum - (all - part)) + (product - part);
    [all, rest + (left + x.fma(y, -product))]
}

/// An element of a product of a matrix and a vector of `n` elements.
fn exact_element<'b, T: Recorded>(
    b: &'b Builder,
    n: Value<'b, U32>,
    product: impl FnOnce(Value<'b, U32>) -> [Value<'b, T>; 2],
) -> Value<'b, T> {
    let bounds = [b.int(0), n, b.int(1)];
    let [sum, rest] = fold::<T, 2>(b, bounds, [b.bits(0); 2], |k, sums| {
        let [x, y] = product(k);
        exact_sum(sums, x, y)
    });
    sum + rest
}

/// The length of `A·v`, for a vector of length 1, instead of that of a column of W that thousands of rotations have rounded, unless the
/// two are far from each other: then the value is so small that what is off in `v` is more.
fn nearer<'b, T: Recorded>(turned: Value<'b, T>, again: Value<'b, T>) -> Value<'b, T> {
    let near = constant::<T>(turned.builder(), T::Elem::from_f64(1.0 / 4096.0));
    Value::select((again - turned).magnitude().compare(Cmp::Le, near * turned), again, turned)
}

/// A thread's part of `n` elements that a block has.
fn part<'b>(b: &'b Builder, n: Value<'b, U32>) -> [Value<'b, U32>; 3] {
    [b.special(Special::TidX), n, number(b, THREADS)]
}

/// The largest of `n` magnitudes.
fn largest<'b, T: Recorded>(
    b: &'b Builder,
    meet: Meet,
    from: Value<'b, U64>,
    n: Value<'b, U32>,
) -> Value<'b, T> {
    let mine = fold::<T, 1>(b, part(b, n), [b.bits(0)], |i, m| most(m, [get(from, i)]));
    let [all] = block_reduce(b, meet, mine, most);
    all
}

/// When a pair is rotated, by the elements of its symmetric matrix of two rows.
enum Limits<'b, T> {
    /// Products of columns of W with themselves and with each other.
    OneSided {
        /// The cosine from which on they are not orthogonal.
        cosine: Value<'b, T>,
        /// The part of the longer one in the other from which on they are not.
        least: Value<'b, T>,
    },
    /// Elements of VᵀAV.
    TwoSided {
        /// The part of the norm from which on the element beside the diagonal is not zero.
        part: Value<'b, T>,
        /// No more than the norm of A.
        norm: Value<'b, T>,
    },
}

impl<'b, T: Recorded> Limits<'b, T> {
    fn past(&self, a: Value<'b, T>, b: Value<'b, T>, d: Value<'b, T>) -> Value<'b, Pred> {
        let d = d.magnitude();
        match self {
            Self::OneSided { cosine, least } => {
                let [longer] = most([a], [b]);
                d.compare(Cmp::Gt, *cosine * a.root() * b.root()) & d.compare(Cmp::Gt, *least * longer.root())
            }
            Self::TwoSided { part, norm } => {
                let [larger] = most(most([a.magnitude()], [b.magnitude()]), [*norm]);
                d.compare(Cmp::Gt, *part * larger)
            }
        }
    }
    /// What the first and the second vector are of both, so that they are orthogonal.
    fn rotation(
        &self,
        a: Value<'b, T>,
        b: Value<'b, T>,
        d: Value<'b, T>,
    ) -> ([[Value<'b, T>; 2]; 2], Value<'b, Pred>) {
        let (of, turns) = (a.builder(), self.past(a, b, d));
        let [zero, one] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(of, x));
        let ([_, far], z) = (ends::<T>(of), (b - a) / (d + d));
        let large = z.magnitude();
        let large = Value::select(large.compare(Cmp::Gt, far), far, large);
        let t = one / (large + large.fma(large, one).root());
        let t = Value::select(z.compare(Cmp::Lt, zero), -t, t);
        let c = one / t.fma(t, one).root();
        let (c, s) = (Value::select(turns, c, one), Value::select(turns, c * t, zero));
        // The smaller angle, whichever is longer: with the longer one first, as de Rijk has it for pairs one after the other, rounds
        // of pairs took twice as many sweeps (256 random vectors 20, now 11).
        ([[c, -s], [s, c]], turns)
    }
}

/// The players of a pair in a round, of an even number.
fn meeting_of<'b>(
    pair: Value<'b, U32>,
    round: Value<'b, U32>,
    rounds: Value<'b, U32>,
) -> [Value<'b, U32>; 2] {
    let b = pair.builder();
    let within = |x: Value<'b, U32>| Value::select(x.compare(Cmp::Ge, rounds), x - rounds, x);
    let first = pair.compare(Cmp::Eq, b.int(0));
    let [p, q] = [Value::select(first, rounds, within(round + pair)), within(round + rounds - pair)];
    [p.least(q), p.most(q)]
}

/// A round: each block turns two neighbours and two others, among each other. Parameters: W, V, a word for each sweep that says
/// whether it turned any, the state of [`symmetric`] matrices if it `is_symmetric`; vectors, their length, that of those of V, rounds,
/// the round, the sweep; the numbers of [`Limits`]. Where loops may end `early` they do.
pub fn turn<T: Recorded>(meet: Meet, is_symmetric: bool, early: bool) -> Result<Kernel, Error> {
    let builder = named::<T>(if is_symmetric { "eigh_turn" } else { "svd_turn" });
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [w, v, words] = b.params::<U64, 3>();
    let state = is_symmetric.then(|| b.param::<U64>());
    let [n, len, wide, rounds, round, sweep] = b.params::<U32, 6>();
    let [cosine, least] = b.params::<T, 2>();
    let limits = match state {
        Some(state) => Limits::TwoSided { part: cosine, norm: get::<T>(state, b.int(1)) },
        None => Limits::OneSided { cosine, least },
    };
    let [zero, one] = [0, 1].map(|x| b.int::<U32>(x));
    let (none, unit) = (b.bits::<T>(0), constant::<T>(b, T::Elem::ONE));
    let first = sweep.compare(Cmp::Eq, zero);
    let before = get::<U32>(words, Value::select(first, zero, sweep - one));
    let mut goes = first | before.compare(Cmp::Ne, zero);
    if early {
        // Of shared memory all threads read the same.
        let flag = b.shared(4, 4);
        b.when(leads(b), || b.store(Space::Shared, flag, 0, Value::select(goes, one, zero)));
        b.barrier();
        goes = b.load::<U32>(Space::Shared, flag, 0).compare(Cmp::Ne, zero);
    }
    let pairs = (rounds + one) >> one;
    let pairs = if early { Value::select(goes, pairs, zero) } else { pairs };
    each_row(b, pairs, |pair| {
        let [p, q] = meeting_of(pair, round, rounds).map(|p| p + p);
        let own = [p, p + one, q, q + one];
        let has = own.map(|c| c.compare(Cmp::Lt, n));
        let starts = own.map(|c| c.least(n - one));
        let read = |from, len, i| {
            let x = |k: usize| Value::select(has[k], get::<T>(from, starts[k] * len + i), none);
            core::array::from_fn::<_, TURNED, _>(x)
        };
        let pairs = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]];
        let products = pairs.into_iter().chain((0..TURNED).map(|k| [k; 2])).collect::<Vec<_>>();
        // No branch: every thread has to reach the barriers.
        let bounds = part(b, Value::select(goes, len, zero));
        let mine = fold::<T, 10>(b, bounds, [none; 10], |i, acc| {
            let x = read(w, len, i);
            if !is_symmetric {
                return core::array::from_fn(|k| x[products[k][0]].fma(x[products[k][1]], acc[k]));
            }
            let y = read(v, len, i);
            core::array::from_fn(|k| {
                let [i, j] = products[k];
                let one = y[i].fma(x[j], acc[k]);
                // Both elements beside the diagonal: their mean has less of what rounding left.
                if i == j { one } else { y[j].fma(x[i], one) }
            })
        });
        let mut sums = block_reduce(b, meet, mine, sum);
        if is_symmetric {
            let half = constant::<T>(b, T::Elem::from_f64(0.5));
            sums.iter_mut().take(pairs.len()).for_each(|x| *x = *x * half);
        }
        let mut gram = [[none; TURNED]; TURNED];
        for ([i, j], x) in products.iter().zip(sums) {
            (gram[*i][*j], gram[*j][*i]) = (x, x);
        }
        let past = pairs.map(|[i, j]| limits.past(gram[i][i], gram[j][j], gram[i][j]));
        let turns = past.into_iter().fold(none.compare(Cmp::Ne, none), |p, q| p | q);
        let mut all = [[none; TURNED]; TURNED];
        (0..TURNED).for_each(|k| all[k][k] = unit);
        for [i, j] in pairs {
            let (by, _) = limits.rotation(gram[i][i], gram[j][j], gram[i][j]);
            let turned = |x, y| by.map(|[p, q]| p * x + q * y);
            let rows: [_; TURNED] = core::array::from_fn(|k| turned(gram[i][k], gram[j][k]));
            (gram[i], gram[j]) = (rows.map(|[x, _]| x), rows.map(|[_, y]| y));
            for m in [&mut gram, &mut all] {
                for row in m {
                    [row[i], row[j]] = turned(row[i], row[j]);
                }
            }
        }
        // Six products have left it less orthogonal than its elements' rounding does, which thousands of rounds would add up: a step of
        // Newton and Schulz.
        let half = constant::<T>(b, T::Elem::from_f64(0.5));
        let dot =
            |i: usize, j: usize| (1..TURNED).fold(all[0][i] * all[0][j], |x, k| all[k][i].fma(all[k][j], x));
        let less: [[_; TURNED]; TURNED] = core::array::from_fn(|i| {
            core::array::from_fn(|j| if i == j { (unit - dot(i, j)) * half } else { -(dot(i, j) * half) })
        });
        let all: [[_; TURNED]; TURNED] = core::array::from_fn(|i| {
            core::array::from_fn(|j| {
                let more = (1..TURNED).fold(all[i][0] * less[0][j], |x, k| all[i][k].fma(less[k][j], x));
                all[i][j] + more
            })
        });
        b.when(leads(b) & turns, || put(words, sweep, one));
        b.when(turns, || {
            for (of, len) in [(w, len), (v, wide)] {
                strided(b, [zero, len], |i| {
                    let x = read(of, len, i);
                    for (j, (has, start)) in has.into_iter().zip(starts).enumerate() {
                        let y = (1..TURNED).fold(x[0] * all[0][j], |y, k| x[k].fma(all[k][j], y));
                        b.when(has, || put(of, start * len + i, y));
                    }
                });
            }
        });
    });
    builder.finish()
}

/// Says a matrix that is not finite, by the largest magnitude of a part of it.
fn says<'b, T: Recorded>(status: Value<'b, U64>, what: Index, most: Value<'b, T>, index: Value<'b, U32>) {
    let b = index.builder();
    let bad = refused(most) & most.compare(Cmp::Ne, b.bits(0));
    b.when(leads(b) & bad, || note(status, what, index));
}

/// The largest magnitude of each row of a matrix, `symmetric`: of which the lower triangle is read; a block for each. Parameters: A, the
/// largest ones, the status words; rows, columns, the strides of rows and columns.
pub fn rows<T: Recorded>(meet: Meet, symmetric: bool) -> Result<Kernel, Error> {
    let (what, name) = if symmetric { (Index::Eigh, "eigh_rows") } else { (Index::Svd, "svd_rows") };
    let builder = named::<T>(name);
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [a, to, status] = b.params::<U64, 3>();
    let [m, n, row, col] = b.params::<U32, 4>();
    each_row(b, m, |i| {
        let mine = fold::<T, 1>(b, part(b, n), [b.bits(0)], |j, all| {
            let [i, j] = if symmetric { [i.most(j), i.least(j)] } else { [i, j] };
            most(all, [size(get::<T>(a, i * row + j * col))])
        });
        let [all] = block_reduce(b, meet, mine, most);
        says(status, what, all, i);
        b.when(leads(b), || put(to, i, all));
    });
    builder.finish()
}

/// The columns of a symmetric matrix next to 1, and those of the identity unless it is done `again`. Parameters: A, the largest
/// magnitudes of rows, W, V, the squares of the columns' lengths, the power of two that takes them back; rows, the strides of rows and
/// columns.
pub fn symmetric<T: Recorded>(meet: Meet, again: bool) -> Result<Kernel, Error> {
    let builder = named::<T>(if again { "eigh_again" } else { "eigh_open" });
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [a, rows, w, v, squares, state] = b.params::<U64, 6>();
    let [n, row, col] = b.params::<U32, 3>();
    let [by, back] = scales(largest::<T>(b, meet, rows, n));
    b.barrier();
    each_row(b, n, |j| {
        let mine = fold::<T, 1>(b, part(b, n), [b.bits(0)], |i, [all]| {
            let x = get::<T>(a, i.most(j) * row + i.least(j) * col) * by;
            put(w, j * n + i, x);
            if !again {
                let same = i.compare(Cmp::Eq, j);
                put(v, j * n + i, Value::select(same, constant::<T>(b, T::Elem::ONE), b.bits(0)));
            }
            [x.fma(x, all)]
        });
        let [all] = block_reduce(b, meet, mine, sum);
        b.when(leads(b), || put(squares, j, all));
        b.when(leads(b) & j.compare(Cmp::Eq, b.int(0)), || put(state, j, back));
    });
    builder.finish()
}

/// The length of the longest column, which is no more than the norm, by one block. Parameters: the squares of the lengths, the state,
/// whose second number it is; rows.
pub fn longest<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("eigh_norm");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [squares, state] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let all = largest::<T>(b, meet, squares, n).root();
    b.when(leads(b), || put(state, b.int(1), all));
    builder.finish()
}

/// Rayleigh quotients and the lengths of vectors; says a matrix of which the last sweep still turned some. Parameters: A as
/// [`symmetric`] made it again, V, the quotients, the lengths, the words of sweeps, the status words; rows.
pub fn quotients<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("eigh_quotients");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [a, v, to, lengths, words, status] = b.params::<U64, 6>();
    let n = b.param::<U32>();
    let zero = b.int::<U32>(0);
    let last = get::<U32>(words, number(b, SWEEPS - 1)).compare(Cmp::Ne, zero);
    each_row(b, n, |j| {
        let mine = fold::<T, 2>(b, part(b, n), [b.bits(0); 2], |i, [quotient, squares]| {
            // Neighbours of a row are read by neighbours.
            let y = exact_element::<T>(b, n, |k| [get(a, k * n + i), get(v, j * n + k)]);
            let x = get::<T>(v, j * n + i);
            [x.fma(y, quotient), x.fma(x, squares)]
        });
        let [quotient, squares] = block_reduce(b, meet, mine, sum);
        b.when(leads(b), || {
            put(to, j, known(quotient / squares));
            put(lengths, j, squares.root());
        });
        b.when(leads(b) & last & j.compare(Cmp::Eq, zero), || note(status, Index::Eigh, j));
    });
    builder.finish()
}

/// A number, 0 for NaN: those of a matrix that is refused have an order, too.
fn known<T: Recorded>(x: Value<'_, T>) -> Value<'_, T> {
    Value::select(x.compare(Cmp::Eq, x), x, x.builder().bits(0))
}

/// The vectors of a matrix next to 1, over themselves, and those of the identity. Parameters: the largest magnitudes of vectors, the
/// vectors, the others, the power of two that takes them back; vectors, their length.
pub fn general<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("svd_open");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [rows, w, v, state] = b.params::<U64, 4>();
    let [n, len] = b.params::<U32, 2>();
    let [by, back] = scales(largest::<T>(b, meet, rows, n));
    b.barrier();
    each_row(b, n, |j| {
        strided(b, [b.int(0), len], |i| put(w, j * len + i, get::<T>(w, j * len + i) * by));
        strided(b, [b.int(0), n], |i| {
            let same = i.compare(Cmp::Eq, j);
            put(v, j * n + i, Value::select(same, constant::<T>(b, T::Elem::ONE), b.bits(0)));
        });
        b.when(leads(b) & j.compare(Cmp::Eq, b.int(0)), || put(state, j, back));
    });
    builder.finish()
}

/// Singular values, the lengths of the columns of W and V divided: rotations by rounded numbers change both alike, and thousands of them
/// by more than the answer may be off; and of A and what became of V, see [`nearer`]. Says a matrix of which the last sweep still turned
/// some. Parameters: A, W, V, the values, the lengths of V's columns, the words of sweeps, the status words, the power of two that takes
/// the values back; vectors, their length, the strides of A's rows and columns.
pub fn lengths<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("svd_lengths");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [a, w, v, to, wide, words, status, state] = b.params::<U64, 8>();
    let [n, len, row, col] = b.params::<U32, 4>();
    let by = constant::<T>(b, T::Elem::ONE) / get::<T>(state, b.int(0));
    let last = get::<U32>(words, number(b, SWEEPS - 1)).compare(Cmp::Ne, b.int(0));
    each_row(b, n, |j| {
        let [own, other] = [(w, len), (v, n)].map(|(of, len)| {
            let [all] = fold::<T, 1>(b, part(b, len), [b.bits(0)], |i, [all]| {
                let x = get::<T>(of, j * len + i);
                [x.fma(x, all)]
            });
            all
        });
        let [again] = fold::<T, 1>(b, part(b, len), [b.bits(0)], |i, [all]| {
            let y = exact_element::<T>(b, n, |k| [get::<T>(a, i * row + k * col) * by, get(v, j * n + k)]);
            [y.fma(y, all)]
        });
        let [own, other, again] = block_reduce(b, meet, [own, other, again], sum);
        let other = other.root();
        b.when(leads(b), || {
            put(to, j, size(nearer(own.root() / other, again.root() / other)));
            put(wide, j, other);
        });
        b.when(leads(b) & last & j.compare(Cmp::Eq, b.int(0)), || note(status, Index::Svd, j));
    });
    builder.finish()
}

/// Whether a number comes before another one, whose index is larger if they are the same.
fn before<'b, T: Recorded>(
    descends: bool,
    [x, y]: [Value<'b, T>; 2],
    [i, j]: [Value<'b, U32>; 2],
) -> Value<'b, U32> {
    let b = x.builder();
    let first = x.compare(if descends { Cmp::Gt } else { Cmp::Lt }, y)
        | (x.compare(Cmp::Eq, y) & i.compare(Cmp::Lt, j));
    Value::select(first, b.int(1), b.int(0))
}

/// How many of the lengths come before that of vector `j`.
fn rank<'b, T: Recorded>(
    b: &'b Builder,
    (meet, descends): (Meet, bool),
    lengths: Value<'b, U64>,
    [n, j]: [Value<'b, U32>; 2],
) -> Value<'b, U32> {
    let own = get::<T>(lengths, j);
    let mine = b.count::<U32, U32>(part(b, n), 1, &[b.int(0)], |i, all| {
        Vec::from([all[0] + before(descends, [get(lengths, i), own], [i, j])])
    });
    let [all] = block_reduce(b, meet, [mine[0]], |[x], [y]| [x + y]);
    all
}

/// 1 or -1: the sign of the first of the largest magnitudes.
fn sign<'b, T: Recorded>(
    b: &'b Builder,
    meet: Meet,
    n: Value<'b, U32>,
    at: impl Fn(Value<'b, U32>) -> Value<'b, T>,
) -> Value<'b, T> {
    let [none, unit] = [T::Elem::ZERO, T::Elem::ONE].map(|x| constant::<T>(b, x));
    let mine =
        fold::<T, 2>(b, part(b, n), [-unit, none], |i, best| larger(best, [at(i).magnitude(), i.to::<T>()]));
    let [_, first] = block_reduce(b, meet, mine, larger);
    // Of NaN nothing is the largest.
    let x = at(first.to::<U32>().least(n - b.int(1)));
    Value::select(x.compare(Cmp::Lt, none), -unit, unit)
}

/// The eigenvectors in their order, and the values. Parameters: V, the lengths of its vectors, their quotients, the power of two,
/// A, the values; rows, the strides of rows and columns.
pub fn eigenvectors<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("eigh_close");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [v, lengths, quotients, state, a, values] = b.params::<U64, 6>();
    let [n, row, col] = b.params::<U32, 3>();
    let back = get::<T>(state, b.int(0));
    each_row(b, n, |j| {
        let to = rank::<T>(b, (meet, false), quotients, [n, j]);
        let sign = sign::<T>(b, meet, n, |i| get(v, j * n + i));
        let len = get::<T>(lengths, j);
        strided(b, [b.int(0), n], |i| put(a, i * row + to * col, get::<T>(v, j * n + i) * sign / len));
        b.when(leads(b), || put(values, to, get::<T>(quotients, j) * back));
    });
    builder.finish()
}

/// The vectors in their order, those that were turned with them as rows of Vᵀ, and the values. Parameters: the vectors, the others,
/// the values and the others' lengths, the power of two, where the vectors go, Vᵀ, the values; vectors, their length, the strides of
/// Vᵀ's rows and columns.
pub fn ordered<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("svd_order");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [w, v, lengths, wide, state, to, vt, values] = b.params::<U64, 8>();
    let [n, len, row, col] = b.params::<U32, 4>();
    let back = get::<T>(state, b.int(0));
    each_row(b, n, |j| {
        let at = rank::<T>(b, (meet, true), lengths, [n, j]);
        let wide = get::<T>(wide, j);
        strided(b, [b.int(0), len], |i| put(to, at * len + i, get::<T>(w, j * len + i)));
        strided(b, [b.int(0), n], |i| put(vt, at * row + i * col, get::<T>(v, j * n + i) / wide));
        b.when(leads(b), || put(values, at, get::<T>(lengths, j) * back));
    });
    builder.finish()
}

/// The identity, as far as it goes. Parameters: U; rows times columns, columns, the strides of rows and columns.
pub fn identity<T: Recorded>() -> Result<Kernel, Error> {
    let builder = named::<T>("svd_identity");
    let b = &builder;
    let u = b.param::<U64>();
    let [all, n, row, col] = b.params::<U32, 4>();
    super::flat::each(b, all, |e| {
        let i = e / n;
        let j = e - i * n;
        let same = i.compare(Cmp::Eq, j);
        put(u, i * row + j * col, Value::select(same, constant::<T>(b, T::Elem::ONE), b.bits(0)));
    });
    builder.finish()
}

/// The signs of both vectors of each value: U is the orthogonal factor of the vectors, whose diagonal may be negative. Parameters:
/// the factors, U, Vᵀ; rows of U, columns, the stride of the factors' diagonal, those of rows and columns of U and Vᵀ.
pub fn oriented<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let builder = named::<T>("svd_close");
    let b = &builder;
    b.threads([THREADS, 1, 1]);
    let [factors, u, vt] = b.params::<U64, 3>();
    let [m, n, step, row, col, down, along] = b.params::<U32, 7>();
    each_row(b, n, |j| {
        let at = |i| i * row + j * col;
        let sign = sign::<T>(b, meet, m, |i| get(u, at(i)));
        let r = get::<T>(factors, j * step);
        let other = Value::select(r.compare(Cmp::Lt, b.bits(0)), -sign, sign);
        // All have read it.
        b.barrier();
        strided(b, [b.int(0), m], |i| put(u, at(i), get::<T>(u, at(i)) * sign));
        strided(b, [b.int(0), n], |i| {
            let at = j * down + i * along;
            put(vt, at, get::<T>(vt, at) * other);
        });
    });
    builder.finish()
}
