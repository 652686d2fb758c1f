//! Sparse times sparse, `C = AB` (SpGEMM), and sparse sums `C = αA + βB`.

use super::Csr;
use super::convert::at_least;
use super::csr::pairs;
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::{Element, Simd};

/// Elements of a row that are sorted by insertion; columns of more are marked as bits, which are read in order.
pub(crate) const SHORT: usize = 24;

/// The word of a bit, and which of its bits.
const fn bit(at: usize) -> (usize, u32) {
    (at / usize::BITS as usize, (at % usize::BITS as usize) as u32)
}

/// The first bit of a word.
const fn first(word: usize) -> usize {
    word * usize::BITS as usize
}

/// Words for so many bits.
const fn words(bits: usize) -> usize {
    bits.div_ceil(usize::BITS as usize)
}

/// Elements of workspace that [`spgemm`] and [`Csr::product_len`] need for a B of `cols` columns: a mark for each, a bit for each, and a bit for each word
/// of those.
pub const fn spgemm_workspace(cols: usize) -> usize {
    cols.saturating_add(words(cols)).saturating_add(words(words(cols)))
}

ops! { $ spgemm_ops in crate::sparse::spgemm;
    /// `C = AB` of sparse A and B, in compressed rows: an element wherever a product falls, also where the sum is 0, as nothing is dropped. The
    /// number of elements is returned; [`Csr::product_len`] says it beforehand. [`Csr::new`] takes `offsets`, and as many of `columns` and `values`.
    ///
    /// Shapes: A is `m` by `k`, B `k` by `n`; `offsets` has `m + 1` numbers, `columns` and `values` at least as many as C has elements; what
    /// follows those stays as it is. Each element is one sum, in the order of A's row, so the bits are the same on every instruction set.
    ///
    /// NaN and ±0: NaN and infinities spread by IEEE 754, also through a stored 0, but not through what is not stored. Sums begin with 0.
    ///
    /// Errors: [`Error::Shape`] names `b`; [`Error::Len`] names `offsets`, `columns` or `values`; [`Error::Workspace`];
    /// [`Error::Overflow`] names `b` when there are more products than the machine counts. Nothing is written then.
    ///
    /// Scratch: [`spgemm_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, spgemm, spgemm_workspace};
    /// // [4 0 1]   [0 1]
    /// // [0 2 0] · [3 0]
    /// //           [5 0]
    /// let a = Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?;
    /// let b = Csr::new(3, 2, &[0, 1, 2, 3], &[1, 0, 0], &[1.0, 3.0, 5.0])?;
    /// let mut workspace = [0; spgemm_workspace(2)];
    /// assert_eq!(a.product_len(b, &mut workspace)?, 3);
    /// let (mut offsets, mut columns, mut values) = ([0; 3], [0; 3], [0.0; 3]);
    /// spgemm(a, b, &mut offsets, &mut columns, &mut values, &mut workspace)?;
    /// assert_eq!((offsets, columns, values), ([0, 2, 3], [0, 1, 0], [5.0, 4.0, 6.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: F. Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition" (1978). Contract:
    /// `contracts/spgemm-v1.yaml`.
    #[doc(alias = "csrgemm")]
    serial spgemm, spgemm_on, spgemm_by
        (a: by Csr<'_, T>, b: by Csr<'_, T>, offsets: host_out usize, columns: host_out u32, values: out T, workspace: host_scratch usize) -> Result<usize>;
}

ops! { $ spadd_ops in crate::sparse::spgemm;
    /// `C = αA + βB` of sparse A and B, in compressed rows: an element wherever A or B has one, whatever its value. The number of elements is
    /// returned; [`Csr::sum_len`] says it beforehand, and it is at most that of A and B together.
    ///
    /// Shapes: A and B are `m` by `n`; `offsets` has `m + 1` numbers, `columns` and `values` at least as many as C has elements; what follows
    /// those stays as it is. Where both have an element the products are rounded and added; so the bits are the same on every instruction set.
    ///
    /// NaN and ±0: by IEEE 754, also where `α` or `β` is 0.
    ///
    /// Errors: [`Error::Shape`] names `b`; [`Error::Len`] names `offsets`, `columns` or `values`. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, spadd};
    /// let a = Csr::new(2, 2, &[0, 1, 2], &[0, 1], &[1.0f32, 2.0])?;
    /// let b = Csr::new(2, 2, &[0, 2, 2], &[0, 1], &[10.0, 20.0])?;
    /// let (mut offsets, mut columns, mut values) = ([0; 3], [0; 3], [0.0; 3]);
    /// assert_eq!(spadd(2.0, a, 1.0, b, &mut offsets, &mut columns, &mut values)?, 3);
    /// assert_eq!((offsets, columns, values), ([0, 2, 3], [0, 1, 1], [12.0, 20.0, 4.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/spadd-v1.yaml`.
    serial spadd, spadd_on, spadd_by
        (alpha: by T, a: by Csr<'_, T>, beta: by T, b: by Csr<'_, T>, offsets: host_out usize, columns: host_out u32, values: out T) -> Result<usize>;
}

impl<T: Element> Csr<'_, T> {
    /// How many elements the product `AB` has that [`spgemm`] makes.
    ///
    /// Errors: [`Error::Shape`] names `b`; [`Error::Workspace`]; [`Error::Overflow`] names `b`. Scratch: [`spgemm_workspace`].
    pub fn product_len(self, b: Csr<'_, T>, workspace: &mut [usize]) -> Result<usize, Error> {
        same_shape("b", [self.cols(), b.cols()], [b.rows(), b.cols()])?;
        enough(spgemm_workspace(b.cols()), workspace.len())?;
        let marks = workspace.get_mut(..b.cols()).unwrap_or_default();
        count(self, b, marks).ok_or(Error::overflow("b"))
    }
    /// How many elements the sum `A + B` has that [`spadd`] makes.
    ///
    /// Errors: [`Error::Shape`] names `b`.
    pub fn sum_len(self, b: Csr<'_, T>) -> Result<usize, Error> {
        same_shape("b", [self.rows(), self.cols()], [b.rows(), b.cols()])?;
        let rows = self.rows_from(0).zip(b.rows_from(0));
        // Both are slices of memory, so the number of their elements is one.
        Ok(rows.map(|((a, _), (b, _))| Merge { a, b }.count()).sum())
    }
}

/// Elements of `AB`; nothing when they are too many to count.
#[inline(always)]
fn count<T: Element>(a: Csr<'_, T>, b: Csr<'_, T>, marks: &mut [usize]) -> Option<usize> {
    marks.fill(0);
    let mut n = 0usize;
    for (i, (row, _)) in a.rows_from(0).enumerate() {
        let before = n;
        // One row of B is C's as it is.
        if let [k] = row {
            n = n.checked_add(b.row(*k as usize).0.len())?;
            continue;
        }
        for k in row {
            for c in b.row(*k as usize).0 {
                let Some(mark) = marks.get_mut(*c as usize) else { continue };
                n += usize::from(*mark != i + 1);
                *mark = i + 1;
            }
        }
        if n < before {
            return None;
        }
    }
    Some(n)
}

#[allow(clippy::too_many_arguments, reason = "three matrices")]
pub(crate) fn spgemm_by<S: Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    b: Csr<'_, T>,
    offsets: &mut [usize],
    columns: &mut [u32],
    values: &mut [T],
    workspace: &mut [usize],
) -> Result<usize, Error> {
    let n = b.cols();
    same_shape("b", [a.cols(), n], [b.rows(), n])?;
    same_len("offsets", a.rows().saturating_add(1), offsets.len())?;
    enough(spgemm_workspace(n), workspace.len())?;
    let (marks, rest) = workspace.split_at_mut_checked(n).unwrap_or_default();
    let (bits, of_bits) = rest.split_at_mut_checked(words(n)).unwrap_or_default();
    let of_bits = of_bits.get_mut(..words(bits.len())).unwrap_or_default();
    let needed = s.vectorize(
        #[inline(always)]
        || count(a, b, marks),
    );
    let needed = needed.ok_or(Error::overflow("b"))?;
    at_least(needed, columns.len(), values.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            marks.fill(0);
            bits.fill(0);
            of_bits.fill(0);
            let (first, ends) = offsets.split_first_mut()?;
            *first = 0;
            let mut begin = 0;
            for (row, end) in a.rows_from(0).zip(ends) {
                let (columns, values) = (columns.get_mut(begin..)?, values.get_mut(begin..)?);
                begin += product(row, b, begin, columns, values, marks, [&mut *bits, &mut *of_bits])?;
                *end = begin;
            }
            Some(())
        },
    );
    contract!(
        spgemm,
        Ok(needed),
        each | check | {
            let nan = |x: &T| x.to_f64().is_nan();
            let (offsets, columns, values) = (&*offsets, &*columns, &*values);
            let mut rows = a.rows_from(0).zip(pairs(offsets));
            rows.try_for_each(|((k, v), [from, to])| {
                let of = columns.get(*from..*to).unwrap_or_default().iter();
                let mut of = of.zip(values.get(*from..*to).unwrap_or_default());
                of.try_for_each(|(c, x)| {
                    let odd = k.iter().zip(v).any(|(k, v)| {
                        let (others, of) = b.row(*k as usize);
                        let there = others.iter().zip(of).find(|(other, _)| *other == c);
                        there.is_some_and(|(_, w)| nan(v) || nan(w))
                    });
                    check(&Call::new(&[&[if odd { T::NAN } else { T::ZERO }]], &[*x]))
                })
            })
        }
    )
}

/// One row of C, which begins at `begin` of all: its length. A mark is one more than where its column stands, if that is in this row.
#[inline(always)]
fn product<T: Element>(
    (row, factors): (&[u32], &[T]),
    b: Csr<'_, T>,
    begin: usize,
    columns: &mut [u32],
    values: &mut [T],
    marks: &mut [usize],
    bits: [&mut [usize]; 2],
) -> Option<usize> {
    let mut n = 0;
    for (k, f) in row.iter().zip(factors) {
        let (others, of) = b.row(*k as usize);
        for (c, v) in others.iter().zip(of) {
            let (mark, term) = (marks.get_mut(*c as usize)?, *f * *v);
            if *mark <= begin {
                (*columns.get_mut(n)?, *values.get_mut(n)?) = (*c, T::ZERO + term);
                n += 1;
                *mark = begin + n;
            } else {
                let to = values.get_mut(*mark - begin - 1)?;
                *to = *to + term;
            }
        }
    }
    if row.len() > 1 {
        let (columns, values) = (columns.get_mut(..n)?, values.get_mut(..n)?);
        if n <= SHORT {
            insert(columns, values)?;
        } else {
            ascend(columns, bits)?;
            follow(columns, values, begin, marks)?;
        }
    }
    Some(n)
}

/// Columns in ascending order, each with its value: those of one row of B stand so already.
#[inline(always)]
fn insert<T: Element>(columns: &mut [u32], values: &mut [T]) -> Option<()> {
    for i in 1..columns.len() {
        let (c, v) = (*columns.get(i)?, *values.get(i)?);
        let mut at = i;
        while at > 0 && *columns.get(at - 1)? > c {
            *columns.get_mut(at)? = *columns.get(at - 1)?;
            *values.get_mut(at)? = *values.get(at - 1)?;
            at -= 1;
        }
        (*columns.get_mut(at)?, *values.get_mut(at)?) = (c, v);
    }
    Some(())
}

/// Values to where their columns stand now; the marks, which have where they stood, too: one cycle after the other.
#[inline(always)]
fn follow<T: Element>(columns: &[u32], values: &mut [T], begin: usize, marks: &mut [usize]) -> Option<()> {
    for first in 0..columns.len() {
        let (mut at, kept) = (first, *values.get(first)?);
        loop {
            let mark = marks.get_mut(*columns.get(at)? as usize)?;
            let from = core::mem::replace(mark, begin + at + 1) - begin - 1;
            if from == first {
                *values.get_mut(at)? = kept;
                break;
            }
            *values.get_mut(at)? = *values.get(from)?;
            at = from;
        }
    }
    Some(())
}

/// Different columns in ascending order. The bits are 0 before and after.
#[inline(always)]
fn ascend(columns: &mut [u32], [bits, words]: [&mut [usize]; 2]) -> Option<()> {
    let (mut least, mut most) = (usize::MAX, 0);
    for c in columns.iter() {
        let (word, at) = bit(*c as usize);
        *bits.get_mut(word)? |= 1 << at;
        let (above, at) = bit(word);
        *words.get_mut(above)? |= 1 << at;
        (least, most) = (least.min(above), most.max(above));
    }
    let mut to = columns.iter_mut();
    for (at, word) in words.get_mut(least..=most)?.iter_mut().zip(least..).map(|(w, at)| (at, w)) {
        while *word != 0 {
            let of = first(at) + word.trailing_zeros() as usize;
            *word &= *word - 1;
            let mut left = core::mem::take(bits.get_mut(of)?);
            while left != 0 {
                *to.next()? = (first(of) + left.trailing_zeros() as usize) as u32;
                left &= left - 1;
            }
        }
    }
    Some(())
}

/// The columns of two rows in order, and whether each of the two has them.
struct Merge<'a> {
    a: &'a [u32],
    b: &'a [u32],
}

impl Iterator for Merge<'_> {
    type Item = (u32, [bool; 2]);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (x, y) = (self.a.first(), self.b.first());
        let of = match (x, y) {
            (Some(x), Some(y)) => [x <= y, y <= x],
            _ => [x.is_some(), y.is_some()],
        };
        let c = if of[0] { x } else { y };
        let c = *c?;
        if of[0] {
            self.a = self.a.get(1..)?;
        }
        if of[1] {
            self.b = self.b.get(1..)?;
        }
        Some((c, of))
    }
}

#[allow(clippy::too_many_arguments, reason = "three matrices, two factors")]
pub(crate) fn spadd_by<S: Simd, T: Element>(
    s: S,
    alpha: T,
    a: Csr<'_, T>,
    beta: T,
    b: Csr<'_, T>,
    offsets: &mut [usize],
    columns: &mut [u32],
    values: &mut [T],
) -> Result<usize, Error> {
    let needed = s.vectorize(
        #[inline(always)]
        || a.sum_len(b),
    )?;
    same_len("offsets", a.rows().saturating_add(1), offsets.len())?;
    at_least(needed, columns.len(), values.len())?;
    s.vectorize(
        #[inline(always)]
        || {
            let (first, ends) = offsets.split_first_mut()?;
            *first = 0;
            let mut at = 0;
            let mut to = columns.iter_mut().zip(values.iter_mut());
            for ((of_a, of_b), end) in a.rows_from(0).zip(b.rows_from(0)).zip(ends) {
                let (mut x, mut y) = (of_a.1.iter(), of_b.1.iter());
                for (c, of) in (Merge { a: of_a.0, b: of_b.0 }) {
                    let value = match of {
                        [true, true] => alpha * *x.next()? + beta * *y.next()?,
                        [true, false] => alpha * *x.next()?,
                        _ => beta * *y.next()?,
                    };
                    let (column, to) = to.next()?;
                    (*column, *to) = (c, value);
                    at += 1;
                }
                *end = at;
            }
            Some(())
        },
    );
    contract!(
        spadd,
        Ok(needed),
        each | check | {
            let (offsets, columns, values) = (&*offsets, &*columns, &*values);
            let at = |m: Csr<'_, T>, i: usize, c: u32| {
                let (columns, of) = m.row(i);
                columns.iter().position(|x| *x == c).and_then(|at| of.get(at)).copied().unwrap_or_default()
            };
            pairs(offsets).enumerate().try_for_each(|(i, [from, to])| {
                let of = columns.get(*from..*to).unwrap_or_default().iter();
                let mut of = of.zip(values.get(*from..*to).unwrap_or_default());
                of.try_for_each(|(c, x)| check(&Call::new(&[&[at(a, i, *c)], &[at(b, i, *c)]], &[*x])))
            })
        }
    )
}
