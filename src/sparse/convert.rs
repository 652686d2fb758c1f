//! Conversions to compressed rows (CSR): from coordinates (COO), and the transpose.

use super::Csr;
use super::csr::pairs;
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::{Element, Simd};

/// Elements of workspace that [`coo_to_csr`] needs for `len` elements of a `rows` by `cols` matrix.
pub const fn coo_to_csr_workspace(rows: usize, cols: usize, len: usize) -> usize {
    let most = if rows > cols { rows } else { cols };
    most.saturating_add(1).saturating_add(len.saturating_mul(2))
}

ops! { $ convert_ops in crate::sparse::convert;
    /// Compressed rows of a matrix of coordinates: element `x[k]` stands in row `i[k]` and column `j[k]`, in any order. Those of one place are added, in
    /// the order that they have. [`Csr::new`] takes `offsets`, and as many of `columns` and `values` as are returned.
    ///
    /// Shapes: `i`, `j` and `x` have one length, `offsets` has `rows + 1` numbers, `columns` and `values` at least as many as there are places;
    /// what follows those stays as it is. Sums have one order, so the bits are the same on every instruction set. Time is that of two
    /// passes of a radix sort: it grows with the elements, the rows and the columns.
    ///
    /// NaN and ±0: an element that is alone keeps its bits; sums are those of IEEE 754, and one that is 0 is stored, too.
    ///
    /// Errors: [`Error::Len`] names `j`, `x`, `offsets`, `columns` or `values`; [`Error::Workspace`]; [`Error::Index`] names `i` or `j`;
    /// [`Error::Overflow`] names `rows`. Nothing is written then.
    ///
    /// Scratch: [`coo_to_csr_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, coo_to_csr, coo_to_csr_workspace};
    /// let (i, j, x) = ([1, 0, 1, 0], [1, 2, 1, 0], [5.0f32, 1.0, -3.0, 4.0]);
    /// let (mut offsets, mut columns, mut values) = ([0; 3], [0; 4], [0.0; 4]);
    /// let mut workspace = [0; coo_to_csr_workspace(2, 3, 4)];
    /// let n = coo_to_csr(2, 3, &i, &j, &x, &mut offsets, &mut columns, &mut values, &mut workspace)?;
    /// let a = Csr::new(2, 3, &offsets, &columns[..n], &values[..n])?;
    /// assert_eq!(a.row(0), (&[0, 2][..], &[4.0, 1.0][..]));
    /// assert_eq!(a.row(1), (&[1][..], &[2.0][..]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; the order: D. Knuth, "The Art of Computer Programming" 3, §5.2.5. Contract: `contracts/coo_to_csr-v1.yaml`.
    #[doc(alias = "tocsr")]
    serial coo_to_csr, coo_to_csr_on, coo_to_csr_by
        (rows: by usize, cols: by usize, i: host_in u32, j: host_in u32, x: in T, offsets: host_out usize, columns: host_out u32,
         values: out T, workspace: host_scratch usize) -> Result<usize>;
}

ops! { $ transpose_ops in crate::sparse::convert;
    /// The transpose of a sparse A, in compressed rows, too. Those are A's compressed columns: a matrix in CSC is the `Csr` of its transpose, so this
    /// is the conversion either way.
    ///
    /// Shapes: with A of `m` by `n`, `offsets` has `n + 1` numbers, `columns` and `values` have as many as A. Bits are moved as they are.
    ///
    /// NaN and ±0: bits are moved as they are.
    ///
    /// Errors: [`Error::Len`] names `offsets`, `columns` or `values`; [`Error::Overflow`] names `a` when its rows are more than 32 bits count. Nothing is
    /// written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Csr, csr_transpose};
    /// // [4 0 1]
    /// // [0 2 0]
    /// let a = Csr::new(2, 3, &[0, 2, 3], &[0, 2, 1], &[4.0f32, 1.0, 2.0])?;
    /// let (mut offsets, mut columns, mut values) = ([0; 4], [0; 3], [0.0; 3]);
    /// csr_transpose(a, &mut offsets, &mut columns, &mut values)?;
    /// assert_eq!((offsets, columns, values), ([0, 1, 2, 3], [0, 1, 0], [4.0, 2.0, 1.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: F. Gustavson, "Two Fast Algorithms for Sparse Matrices: Multiplication and Permuted Transposition" (1978). Contract:
    /// `contracts/csr_transpose-v1.yaml`.
    serial csr_transpose, csr_transpose_on, csr_transpose_by
        (a: by Csr<'_, T>, offsets: host_out usize, columns: host_out u32, values: out T) -> Result<()>;
}

/// `Ok` when every index is below that.
fn below(arg: &'static str, x: &[u32], below: usize) -> Result<(), Error> {
    match x.iter().find(|x| **x as usize >= below) {
        Some(&index) => Err(Error::index(arg, index as usize, below)),
        None => Ok(()),
    }
}

/// `from` in the order of what `key` has of each, those of one number as they were; `counts` has a number more than there are.
#[inline(always)]
fn sort(from: impl Iterator<Item = usize> + Clone, key: &[u32], counts: &mut [usize], to: &mut [usize]) {
    let of = |k: usize| key.get(k).copied().unwrap_or(0) as usize;
    counts.fill(0);
    for k in from.clone() {
        if let Some(n) = counts.get_mut(of(k) + 1) {
            *n += 1;
        }
    }
    let mut sum = 0;
    for n in counts.iter_mut() {
        sum += *n;
        *n = sum;
    }
    for k in from {
        let Some(at) = counts.get_mut(of(k)) else { continue };
        if let Some(to) = to.get_mut(*at) {
            *to = k;
        }
        *at += 1;
    }
}

#[allow(clippy::too_many_arguments, reason = "coordinates and compressed rows")]
pub(crate) fn coo_to_csr_by<S: Simd, T: Element>(
    _: S,
    rows: usize,
    cols: usize,
    i: &[u32],
    j: &[u32],
    x: &[T],
    offsets: &mut [usize],
    columns: &mut [u32],
    values: &mut [T],
    workspace: &mut [usize],
) -> Result<usize, Error> {
    let len = i.len();
    same_len("j", len, j.len())?;
    same_len("x", len, x.len())?;
    same_len("offsets", rows.checked_add(1).ok_or(Error::overflow("rows"))?, offsets.len())?;
    let needed = coo_to_csr_workspace(rows, cols, len);
    enough(needed, workspace.len())?;
    below("i", i, rows)?;
    below("j", j, cols)?;
    let short = Error::workspace(needed, workspace.len());
    let (first, rest) = workspace.split_at_mut_checked(len).ok_or(short)?;
    let (order, counts) = rest.split_at_mut_checked(len).ok_or(short)?;
    sort(0..len, j, counts.get_mut(..=cols).unwrap_or_default(), first);
    sort(first.iter().copied(), i, counts.get_mut(..=rows).unwrap_or_default(), order);
    let place = |k: &usize| i.get(*k).zip(j.get(*k));
    let again = pairs(order).filter(|[a, b]| place(a) == place(b)).count();
    at_least(len - again, columns.len(), values.len())?;
    let (mut n, mut before) = (0, None);
    offsets.fill(0);
    for k in order.iter() {
        let (here, Some(x)) = (place(k), x.get(*k)) else { continue };
        let Some((row, column)) = here else { continue };
        if here == before {
            if let Some(to) = values.get_mut(n - 1) {
                *to = *to + *x;
            }
            continue;
        }
        before = here;
        if let (Some(c), Some(v)) = (columns.get_mut(n), values.get_mut(n)) {
            (*c, *v) = (*column, *x);
        }
        n += 1;
        if let Some(end) = offsets.get_mut(*row as usize + 1) {
            *end = n;
        }
    }
    // A row without elements ends where the one before does.
    let mut end = 0;
    for to in offsets.iter_mut() {
        end = end.max(*to);
        *to = end;
    }
    contract!(
        coo_to_csr,
        Ok(n),
        each | check | {
            // What stands in the place of an element has it in its sum.
            let (offsets, columns, values) = (&*offsets, &*columns, &*values);
            let of = |k: usize| {
                let (row, column) = (*i.get(k)? as usize, j.get(k)?);
                let (from, to) = (*offsets.get(row)?, *offsets.get(row + 1)?);
                let at = columns.get(from..to)?.iter().position(|c| c == column)?;
                Some((*x.get(k)?, *values.get(from + at)?))
            };
            (0..len).filter_map(of).try_for_each(|(x, y)| check(&Call::new(&[&[x]], &[y])))
        }
    )
}

/// `Ok` when there is room for so many columns and values.
pub(super) fn at_least(needed: usize, columns: usize, values: usize) -> Result<(), Error> {
    same_len("columns", needed, columns.min(needed))?;
    same_len("values", needed, values.min(needed))
}

pub(crate) fn csr_transpose_by<S: Simd, T: Element>(
    _: S,
    a: Csr<'_, T>,
    offsets: &mut [usize],
    columns: &mut [u32],
    values: &mut [T],
) -> Result<(), Error> {
    same_len("offsets", a.cols().checked_add(1).ok_or(Error::overflow("a"))?, offsets.len())?;
    same_len("columns", a.len(), columns.len())?;
    same_len("values", a.len(), values.len())?;
    if u32::try_from(a.rows()).is_err() {
        return Err(Error::overflow("a"));
    }
    offsets.fill(0);
    for (all, _) in a.rows_from(0) {
        for c in all {
            if let Some(n) = offsets.get_mut(*c as usize) {
                *n += 1;
            }
        }
    }
    let mut sum = 0;
    for n in offsets.iter_mut() {
        sum += core::mem::replace(n, sum);
    }
    for (i, (all, of)) in a.rows_from(0).enumerate() {
        for (c, v) in all.iter().zip(of) {
            let Some(at) = offsets.get_mut(*c as usize) else { continue };
            if let (Some(column), Some(value)) = (columns.get_mut(*at), values.get_mut(*at)) {
                (*column, *value) = (i as u32, *v);
            }
            *at += 1;
        }
    }
    // Each row now begins where the next one should.
    let mut begin = 0;
    for at in offsets.iter_mut() {
        begin = core::mem::replace(at, begin);
    }
    contract!(
        csr_transpose,
        Ok(()),
        each | check | {
            let rows = a.rows_from(0).enumerate();
            let mut all =
                rows.flat_map(|(i, (c, v))| c.iter().zip(v).map(move |(c, v)| (i, *c as usize, *v)));
            all.try_for_each(|(i, c, v)| {
                let there = offsets.get(c).zip(offsets.get(c + 1)).and_then(|(from, to)| {
                    let at = columns.get(*from..*to)?.iter().position(|c| *c as usize == i)?;
                    values.get(*from + at)
                });
                check(&Call::new(&[&[v]], &[there.copied().unwrap_or_default()]))
            })
        }
    )
}
