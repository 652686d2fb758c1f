//! Sparse times vector, `y = αAx + βy` and `y = αAᵀx + βy` (SpMV).

use super::Csr;
use crate::contract::{Call, contract, nan};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};

/// Elements and rows that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 15;
/// Independent partial sums of a long row.
pub(crate) const SUMS: usize = 4;
/// Elements of a row that is long: what four sums cost around it is less than what they save.
pub(crate) const LONG: usize = 16;

ops! { $ spmv_ops in crate::sparse::spmv;
    /// `y = αAx + βy` for a sparse A.
    ///
    /// Shapes: `x` has A's columns, `y` its rows. The elements of a row are multiplied and added in their order. A row of 16 and more has
    /// four sums in turn, as far as whole fours go; the first and third, the second and fourth, and those two sums are added, then
    /// what is left. So the bits are the same on every instruction set and at any number of threads, which have whole rows, about as many elements each.
    ///
    /// NaN and ±0: `β = 0` writes `y` without reading it, `α = 0` reads neither A nor `x`, and a row without elements is 0.
    /// Otherwise NaN and infinities spread by IEEE 754, also through a stored 0.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, spmv};
    /// let a = Csr::new(2, 2, &[0, 1, 3], &[1, 0, 1], &[2.0f32, 3.0, 4.0])?;
    /// let mut y = [1.0, 1.0];
    /// spmv(1.0, a, &[10.0, 100.0], -1.0, &mut y)?;
    /// assert_eq!(y, [199.0, 429.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/page_rank.rs`.
    ///
    /// Source: the definition. Contract: `contracts/spmv-v1.yaml`.
    #[doc(alias = "csrmv")]
    threads spmv, spmv_on, spmv_by (alpha: by T, a: csr T, x: in T, beta: by T, y: inout T) -> Result<()>;

    /// `y = αAᵀx + βy` for a sparse A, whose transpose nobody makes.
    ///
    /// Shapes: `x` has A's rows, `y` its columns. After `βy`, what each row of A has is added to `y` in the order of rows: `y[j] + v·(αxᵢ)`
    /// with two roundings. So the bits are the same on every instruction set; rows add to the same elements, so all
    /// of them belong to one thread.
    ///
    /// NaN and ±0: as [`spmv`]: `β = 0` writes `y` without reading it, `α = 0` reads neither A nor `x`. Otherwise NaN and
    /// infinities spread by IEEE 754, also through a stored 0; NaN in `α` makes all of `y` NaN. Where A has a column without elements, its
    /// `y` is `βy`, or on a device NaN beside an infinite `α`.
    ///
    /// Errors: [`Error::Len`] names `x` or `y`; nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, spmv_transposed};
    /// let a = Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?;
    /// let mut y = [1.0; 3];
    /// spmv_transposed(1.0, a, &[1.0, 10.0], 0.0, &mut y)?;
    /// assert_eq!(y, [4.0, 20.0, 1.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/spmv_transposed-v1.yaml`.
    threads "The rows add to the same elements of `y`, so one thread does it." spmv_transposed, spmv_transposed_on, spmv_transposed_by
        (alpha: by T, a: csr T, x: in T, beta: by T, y: inout T) -> Result<()>;
}

/// A matrix of a format whose product with a vector is made by whole rows.
pub(crate) trait Rows<T: Element>: Work {
    /// Rows and columns.
    fn shape(&self) -> [usize; 2];
    /// `y = αAx + βy` for the rows from `first` on, which can be parted from those before; `x` has A's columns.
    fn multiply(self, alpha: T, x: &[T], beta: T, y: &mut [T], first: usize);
    /// The elements of each row by their columns.
    fn elements(self) -> impl Iterator<Item = (usize, impl Iterator<Item = (u32, T)>)>;
}

/// What the contract says of `y` holds for every format.
pub(crate) fn spmv_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    alpha: T,
    a: impl Rows<T>,
    x: &[T],
    beta: T,
    y: &mut [T],
) -> Result<(), Error> {
    let [rows, cols] = a.shape();
    same_len("x", cols, x.len())?;
    same_len("y", rows, y.len())?;
    divide(j, a, 1, &mut *y, 0, &|y: &mut [T], first| {
        s.vectorize(
            #[inline(always)]
            || a.multiply(alpha, x, beta, y, first),
        )
    });
    contract!(
        spmv,
        Ok(()),
        each | check | {
            let of = |(c, v): (u32, T)| nan(v) || matches!(x.get(c as usize), Some(&x) if nan(x));
            a.elements().try_for_each(|(i, mut row)| {
                let input = if alpha != T::ZERO && row.any(of) { T::NAN } else { T::ZERO };
                y.get(i).map_or(Ok(()), |y| check(&Call::new(&[&[input]], &[*y])))
            })
        }
    )
}

/// `αx + βy` without what 0 multiplies: a NaN there is not read.
#[inline(always)]
pub(super) fn axpby<T: Element>(alpha: T, x: T, beta: T, y: T) -> T {
    let old = if beta == T::ZERO { T::ZERO } else { beta * y };
    if alpha == T::ZERO { old } else { alpha * x + old }
}

/// A matrix of a format that knows how much work its rows are.
pub(crate) trait Work: Copy + Sync {
    /// That of the rows before row `i`: a row's is that of its elements, and one more.
    fn work(&self, i: usize) -> usize;
    /// Rows can be parted before its multiples.
    fn step(&self) -> usize {
        1
    }
    /// The row that half of the work of the rows in between comes before, where rows can be parted.
    fn middle(&self, from: usize, to: usize) -> usize {
        let (step, half) = (self.step(), self.work(from) / 2 + self.work(to) / 2);
        let (mut low, mut high) = (from / step, to.div_ceil(step));
        while low < high {
            let mid = low + (high - low) / 2;
            if self.work(mid.saturating_mul(step)) < half { low = mid + 1 } else { high = mid }
        }
        low.saturating_mul(step).min(to)
    }
}

/// What rows of A make, which can be cut between two.
pub(super) trait Cut: Send + Sized {
    fn rows(&self) -> usize;
    fn cut(self, at: usize) -> Option<(Self, Self)>;
}

impl<T: Element> Cut for &mut [T] {
    #[inline(always)]
    fn rows(&self) -> usize {
        self.len()
    }
    #[inline(always)]
    fn cut(self, at: usize) -> Option<(Self, Self)> {
        self.split_at_mut_checked(at)
    }
}

/// Halves of the work on different threads, while they are worth it: `body` has the part of `y` that begins with row `first`. An element of
/// A is multiplied `each` times.
pub(super) fn divide<J: Executor, A: Work, Y: Cut>(
    j: J,
    a: A,
    each: usize,
    y: Y,
    first: usize,
    body: &(impl Fn(Y, usize) + Sync),
) {
    let to = first + y.rows();
    let work = a.work(to).saturating_sub(a.work(first)).saturating_mul(each);
    let middle = if J::SERIAL || work < 2 * GRAIN { first } else { a.middle(first, to) };
    if middle == first || middle == to {
        return body(y, first);
    }
    let Some((above, below)) = y.cut(middle - first) else { return };
    j.join(usize::MAX, || divide(j, a, each, above, first, body), || divide(j, a, each, below, middle, body));
}

impl<T: Element> Rows<T> for Csr<'_, T> {
    #[inline(always)]
    fn shape(&self) -> [usize; 2] {
        [self.rows(), self.cols()]
    }
    #[inline(always)]
    fn multiply(self, alpha: T, x: &[T], beta: T, y: &mut [T], first: usize) {
        let Some(x) = x.get(..self.cols()) else { return };
        let zero = alpha == T::ZERO;
        for (y, row) in y.iter_mut().zip(self.rows_from(first)) {
            *y = axpby(alpha, if zero { T::ZERO } else { product(row, x) }, beta, *y);
        }
    }
    fn elements(self) -> impl Iterator<Item = (usize, impl Iterator<Item = (u32, T)>)> {
        self.rows_from(0).map(|(c, v)| c.iter().copied().zip(v.iter().copied())).enumerate()
    }
}

/// Of one row of a matrix that has as many columns as `x` elements.
#[inline(always)]
fn product<T: Element>((columns, values): (&[u32], &[T]), x: &[T]) -> T {
    // SAFETY: the columns are those of a `Csr`, which has checked each to be below `cols`, and its caller that `x` has `cols` elements.
    let at = |c: &u32| unsafe { *x.get_unchecked(*c as usize) };
    let add = |sum: T, (c, v): (&u32, &T)| sum + *v * at(c);
    if columns.len() < LONG {
        return columns.iter().zip(values).fold(T::ZERO, add);
    }
    let (columns, last_columns) = columns.as_chunks::<SUMS>();
    let (values, last_values) = values.as_chunks::<SUMS>();
    let mut sums = [T::ZERO; SUMS];
    for (columns, values) in columns.iter().zip(values) {
        for (sum, of) in sums.iter_mut().zip(columns.iter().zip(values)) {
            *sum = add(*sum, of);
        }
    }
    let [p, q, r, s] = sums;
    last_columns.iter().zip(last_values).fold((p + r) + (q + s), add)
}

pub(crate) fn spmv_transposed_by<J: Executor, S: Simd, T: Element>(
    _: J,
    s: S,
    alpha: T,
    a: Csr<'_, T>,
    x: &[T],
    beta: T,
    y: &mut [T],
) -> Result<(), Error> {
    same_len("x", a.rows(), x.len())?;
    same_len("y", a.cols(), y.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            for y in y.iter_mut() {
                *y = if beta == T::ZERO { T::ZERO } else { beta * *y };
            }
        },
    );
    if alpha.to_f64().is_nan() {
        // A column without elements gets no product that it could be in.
        y.fill(alpha);
    } else if alpha != T::ZERO {
        for (x, (columns, values)) in x.iter().zip(a.rows_from(0)) {
            let f = alpha * *x;
            for (c, v) in columns.iter().zip(values) {
                if let Some(y) = y.get_mut(*c as usize) {
                    *y = *y + *v * f;
                }
            }
        }
    }
    contract!(
        spmv_transposed,
        Ok(()),
        each | check | {
            let y = &*y;
            let rows = x.iter().enumerate().filter(|_| alpha != T::ZERO);
            let mut all = rows.flat_map(|(i, x)| {
                let (columns, values) = a.row(i);
                columns
                    .iter()
                    .zip(values)
                    .map(move |(c, v)| [y.get(*c as usize).copied(), Some(*x), Some(*v)])
            });
            all.try_for_each(|of| match of {
                [Some(y), Some(x), Some(v)] => check(&Call::new(&[&[x], &[v]], &[y])),
                _ => Ok(()),
            })
        }
    )
}

#[cfg(test)]
mod tests {
    use super::{Executor, GRAIN, Work, divide};
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// Both parts, as threads would have them.
    #[derive(Clone, Copy)]
    struct Both;

    impl Executor for Both {
        const SERIAL: bool = false;
        fn join<A: Send, B: Send>(
            self,
            _: usize,
            a: impl FnOnce() -> A + Send,
            b: impl FnOnce() -> B + Send,
        ) -> (A, B) {
            (a(), b())
        }
    }

    /// Rows whose work is nothing, or that of several threads.
    #[derive(Clone, Copy)]
    struct Uneven {
        step: usize,
        heavy: usize,
    }

    impl Work for Uneven {
        fn work(&self, i: usize) -> usize {
            i + (i / self.heavy) * 3 * GRAIN + if i > 5 { 50 * GRAIN } else { 0 }
        }
        fn step(&self) -> usize {
            self.step
        }
    }

    /// What `divided_rows_are_all` and `divided_parts_begin_at_steps` of contracts/proofs/Formats.v say.
    #[test]
    fn parts_are_all_rows() {
        let mut y = [0.0f64; 300];
        for (step, heavy) in [(1, 1), (1, 7), (4, 3), (16, 1), (16, 40), (7, 100), (48, 1), (500, 1)] {
            for n in 0..=300 {
                let (end, parts) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let y = y.get_mut(..n).unwrap_or_default();
                divide(Both, Uneven { step, heavy }, 1, y, 0, &|y, first| {
                    assert_eq!(first, end.fetch_add(y.len(), Relaxed));
                    assert!(first.is_multiple_of(step));
                    assert!((first + y.len()).is_multiple_of(step) || first + y.len() == n);
                    parts.fetch_add(1, Relaxed);
                });
                assert_eq!(end.into_inner(), n);
                assert!(parts.into_inner() > 2 || n < 300 || heavy > 1 || step > n, "{step}");
            }
        }
    }
}
