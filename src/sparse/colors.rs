//! Parallel Gauss–Seidel sweeps by graph colouring: [`Colors`].

use super::Csr;
use super::csr::pairs;
use super::preconditioners::{relaxed, swept};
use super::spmv::{Work, divide};
use super::triangular::divides;
use crate::blas::Triangle;
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};

/// A colour for each row, and the rows of each colour: those from `offsets[c]` to `offsets[c + 1]` of `order`. Rows of one colour
/// that have no elements in each other's columns can be swept at once, by [`gauss_seidel_colored`].
///
/// ```
/// use fulmen::{Colors, Csr, Triangle, gauss_seidel_colored};
/// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
/// let a = Csr::new(3, 3, &offsets, &columns, &[2.0f32, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
/// // No more than four colours.
/// let (mut colors, mut order, mut ends) = ([0; 3], [0; 3], [0; 5]);
/// let red_black = Colors::greedy(a, &mut colors, &mut order, &mut ends)?;
/// assert_eq!((red_black.len(), red_black.rows(0), red_black.rows(1)), (2, &[0, 2][..], &[1][..]));
/// let mut x = [0.0; 3];
/// gauss_seidel_colored(Triangle::Lower, 1.0, a, red_black, &[2.0, 0.0, 2.0], &mut x, &mut [0.0; 3])?;
/// assert_eq!(x, [1.0, 1.0, 1.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// Source: Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd edition, §3.3.3 and §12.4.
#[derive(Debug, Clone, Copy)]
pub struct Colors<'a> {
    offsets: &'a [usize],
    order: &'a [u32],
}

impl<'a> Colors<'a> {
    /// The colours, once everything about them is found to be true.
    ///
    /// Shapes: `colors` and `order` have a number for each row, `offsets` one more than there are colours.
    ///
    /// Errors: [`Error::Len`] names `order`; [`Error::Domain`] `offsets` when the first is not 0, one is below that before it or the last is not the number of rows,
    /// `order` when rows of a colour do not ascend or have another in `colors`; [`Error::Index`] names `order`.
    pub fn new(colors: &[u32], order: &'a [u32], offsets: &'a [usize]) -> Result<Self, Error> {
        let n = colors.len();
        same_len("order", n, order.len())?;
        let ends = (offsets.first(), offsets.last()) == (Some(&0), Some(&n));
        if !ends || !pairs(offsets).all(|[a, b]| a <= b) {
            return Err(Error::must_be("offsets", "0 first, then ascending up to the number of rows"));
        }
        if let Some(row) = order.iter().find(|row| **row as usize >= n) {
            return Err(Error::index("order", *row as usize, n));
        }
        // Rows that ascend and are as many as there are, each in the place of its one colour, are each there once.
        for (c, [from, to]) in pairs(offsets).enumerate() {
            let rows = order.get(*from..*to).unwrap_or_default();
            let own = |row: &u32| colors.get(*row as usize).is_some_and(|color| *color as usize == c);
            if !pairs(rows).all(|[a, b]| a < b) || !rows.iter().all(own) {
                return Err(Error::must_be(
                    "order",
                    "ascending in each colour, each row in its colour of `colors`",
                ));
            }
        }
        Ok(Self { offsets, order })
    }
    /// A colour for each row of `a`, the first that no row before it has with which it shares an element: rows of one colour share none. At most one more than a
    /// row has elements beside its diagonal.
    ///
    /// Shapes: `colors` and `order` have a number for each row, `offsets` at least one more than there are colours.
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square; [`Error::Len`] names `colors` or `order`, [`Error::Overflow`] `a` when its rows are more than 32 bits
    /// count, [`Error::Domain`] `a` when an element has none opposite it: nothing is written then. [`Error::Len`] names `offsets` when there are more colours than it
    /// has room for; those are in `colors` then.
    pub fn greedy<T>(
        a: Csr<'_, T>,
        colors: &mut [u32],
        order: &'a mut [u32],
        offsets: &'a mut [usize],
    ) -> Result<Self, Error> {
        let n = a.rows();
        same_shape("a", [n, n], [n, a.cols()])?;
        same_len("colors", n, colors.len())?;
        same_len("order", n, order.len())?;
        u32::try_from(n).map_err(|_| Error::overflow("a"))?;
        let there = |(i, c): (usize, &u32)| a.row(*c as usize).0.binary_search(&(i as u32)).is_ok();
        if !(0..n).all(|i| a.row(i).0.iter().all(|c| there((i, c)))) {
            return Err(Error::must_be("a", "symmetric in where its elements are"));
        }
        let mut most = 0;
        for i in 0..n {
            let (done, rest) = colors.split_at_mut_checked(i).unwrap_or_default();
            let taken = a.row(i).0.iter().filter_map(|c| done.get(*c as usize));
            let mut first = 0u32;
            loop {
                // Those of 64 colours that neighbours have.
                let mask = taken.clone().fold(0u64, |mask, color| {
                    mask | color.checked_sub(first).and_then(|at| 1u64.checked_shl(at)).unwrap_or(0)
                });
                if mask != u64::MAX {
                    first += mask.trailing_ones();
                    break;
                }
                first += u64::BITS;
            }
            rest.first_mut().into_iter().for_each(|to| *to = first);
            most = most.max(first as usize + 1);
        }
        let capacity = offsets.len();
        let Some(ends) = offsets.get_mut(..=most) else {
            return Err(Error::len("offsets", most + 1, capacity));
        };
        ends.fill(0);
        for color in colors.iter() {
            ends.iter_mut().skip(*color as usize + 1).take(1).for_each(|n| *n += 1);
        }
        let mut sum = 0;
        for n in ends.iter_mut() {
            sum += *n;
            *n = sum;
        }
        // Each colour's end moves on as its rows come, and back afterwards.
        for (row, color) in (0..).zip(colors.iter()) {
            let Some(at) = ends.get_mut(*color as usize) else { continue };
            order.iter_mut().skip(*at).take(1).for_each(|to| *to = row);
            *at += 1;
        }
        ends.rotate_right(1);
        ends.first_mut().into_iter().for_each(|first| *first = 0);
        Ok(Self { offsets: ends, order })
    }
    /// Colours.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty, reason = "a shape, not a container")]
    pub const fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// The rows of colour `c`; none of one that is not there.
    #[inline(always)]
    pub fn rows(&self, c: usize) -> &'a [u32] {
        let Some(&[from, to]) = self.offsets.get(c..).and_then(|at| at.first_chunk()) else { return &[] };
        self.order.get(from..to).unwrap_or_default()
    }
}

ops! { $ colors_forms in crate::sparse::colors;
    /// A sweep as that of [`gauss_seidel`](crate::gauss_seidel()), one colour after the other: `xᵢ + ω(b - Ax)ᵢ/aᵢᵢ` for all rows of a colour, with what `x` holds before any of
    /// them is written. [`Triangle::Lower`] begins with the first colour, [`Triangle::Upper`] with the last. Where rows of a colour share no element, it is the
    /// sweep over the rows in this order; of a single colour it is a step of Jacobi's method.
    ///
    /// Shapes: A is `n` by `n`, `b` and `x` have `n` elements, and there is a colour for each row. From `bᵢ` the products of the row are subtracted in their order. So
    /// the bits are the same on every instruction set and at any number of threads, which have parts of a colour's rows.
    ///
    /// NaN and ±0: as [`gauss_seidel`](crate::gauss_seidel()).
    ///
    /// Errors: [`Error::Shape`] names `a`, [`Error::Len`] `colors`, `b` or `x`; [`Error::Workspace`]; [`Error::Pivot`] with the index of the first element of the diagonal
    /// that is 0 or not stored. Nothing is written then.
    ///
    /// Scratch: `n` elements.
    ///
    /// ```
    /// use fulmen::{Colors, Csr, Triangle, gauss_seidel_colored};
    /// let a = Csr::new(2, 2, &[0, 2, 4], &[0, 1, 0, 1], &[4.0f32, 1.0, 1.0, 2.0])?;
    /// // One colour: Jacobi.
    /// let one = Colors::new(&[0, 0], &[0, 1], &[0, 2])?;
    /// let mut x = [0.0; 2];
    /// gauss_seidel_colored(Triangle::Lower, 1.0, a, one, &[8.0, 5.0], &mut x, &mut [0.0; 2])?;
    /// assert_eq!(x, [2.0, 2.5]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: [`Colors`]. Contract: `contracts/gauss_seidel-v1.yaml`.
    threads gauss_seidel_colored, gauss_seidel_colored_on, gauss_seidel_colored_by
        (order: by Triangle, omega: by T, a: by Csr<'_, T>, colors: by Colors<'_>, b: in T, x: inout T, workspace: scratch T) -> Result<()>;
}

/// Rows of a colour, of about as many elements each.
#[derive(Clone, Copy)]
struct Class(usize);

impl Work for Class {
    fn work(&self, i: usize) -> usize {
        i.saturating_mul(self.0)
    }
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn gauss_seidel_colored_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    order: Triangle,
    omega: T,
    a: Csr<'_, T>,
    colors: Colors<'_>,
    b: &[T],
    x: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("colors", n, colors.order.len())?;
    same_len("b", n, b.len())?;
    same_len("x", n, x.len())?;
    enough(n, workspace.len())?;
    divides("a", a)?;
    let class = Class(a.len() / n.max(1) + 1);
    for c in 0..colors.len() {
        let rows = colors.rows(if order == Triangle::Lower { c } else { colors.len() - 1 - c });
        let fresh = workspace.get_mut(..rows.len()).unwrap_or_default();
        let old = &*x;
        divide(j, class, 1, &mut *fresh, 0, &|fresh: &mut [T], first| {
            s.vectorize(
                #[inline(always)]
                || {
                    for (to, row) in fresh.iter_mut().zip(rows.get(first..).unwrap_or_default()) {
                        let i = *row as usize;
                        *to = relaxed(i, a.row(i), b.get(i).copied().unwrap_or_default(), omega, old);
                    }
                },
            )
        });
        for (row, v) in rows.iter().zip(&*fresh) {
            x.get_mut(*row as usize).into_iter().for_each(|x| *x = *v);
        }
    }
    swept(b, x)
}
