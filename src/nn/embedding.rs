//! Rows of a matrix chosen by indices: `embedding` reads them, `scatter` writes and `scatter_add` adds to them.

use crate::alu::{Alu, Body, Number};
use crate::blas::Same;
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd, drive};
use crate::parts::{Read, Write, count, each_row};
use crate::pointwise::Add;

ops! { $ embedding_ops in crate::nn::embedding;
    /// `out[r] = table[ids[r]]`: a row of the table for each index (a gather).
    ///
    /// Shapes and units: `table` and `out` hold whole rows of `cols` elements, `out` one for each of `ids`.
    ///
    /// NaN and ±0: copied bit by bit.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `table` does not hold whole rows, [`Error::Len`]
    /// when `out` has another length, [`Error::Index`] when an index is not below the number of rows. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 4];
    /// fulmen::embedding(&[1.0, 2.0, 3.0, 4.0], 2, &[1, 0], &mut out)?;
    /// assert_eq!(out, [3.0, 4.0, 1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/embedding-v1.yaml`.
    #[doc(alias = "take")]
    #[doc(alias = "index_select")]
    threads embedding, embedding_on, embedding_by (table: in T, cols: by usize, ids: in u32, out: out T) -> Result<()>;

    /// `out[ids[r]] = x[r]`, in order: the last of equal indices stays. So new keys and values go to their places in a
    /// cache.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements, `x` one for each of `ids`. Other rows of `out`
    /// stay as they are.
    ///
    /// NaN and ±0: copied bit by bit.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `out` does not hold whole rows, [`Error::Len`]
    /// when `x` has another length, [`Error::Index`] when an index is not below the number of rows. Scratch: none.
    ///
    /// ```
    /// // The keys of positions 5 and 6 in a cache of four places that is a ring.
    /// let mut keys = [0.0f32; 8];
    /// fulmen::scatter(&[1.0, 2.0, 3.0, 4.0], 2, &[5 % 4, 6 % 4], &mut keys)?;
    /// assert_eq!(keys, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/scatter-v1.yaml`.
    serial scatter, scatter_on, scatter_by (x: in T, cols: by usize, ids: in u32, out: inout T) -> Result<()>;

    /// `out[ids[r]] += x[r]`, in order: the gradient of [`embedding`](crate::embedding()) by its table.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements, `x` one for each of `ids`.
    ///
    /// NaN and ±0: as [`add`](crate::add()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `out` does not hold whole rows, [`Error::Len`]
    /// when `x` has another length, [`Error::Index`] when an index is not below the number of rows. Scratch: none.
    ///
    /// ```
    /// let mut out = [1.0f32; 2];
    /// fulmen::scatter_add(&[1.0, 2.0, 4.0], 1, &[1, 0, 1], &mut out)?;
    /// assert_eq!(out, [3.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/scatter_add-v1.yaml`.
    serial scatter_add, scatter_add_on, scatter_add_by (x: in T, cols: by usize, ids: in u32, out: inout T) -> Result<()>;
}

/// The second of two values, bit by bit.
#[derive(Debug, Clone, Copy)]
struct Second;
impl<T: Number> Body<T, 2> for Second {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [_, x]: [V; 2]) -> V {
        x
    }
}

/// `Ok` when `chosen` holds whole rows that all of `ids` are below, and `each` as many as there are `ids`.
#[inline]
fn check_ids(
    chosen: (&'static str, usize),
    each: (&'static str, usize),
    cols: usize,
    ids: &[u32],
) -> Result<(), Error> {
    let rows = count(chosen.0, chosen.1, cols)?;
    same_len(each.0, ids.len().saturating_mul(cols), each.1)?;
    match ids.iter().find(|i| **i as usize >= rows) {
        Some(&i) => Err(Error::index("ids", i as usize, rows)),
        None => Ok(()),
    }
}

/// Row `i` of `x`, which holds it.
#[inline(always)]
fn row<T>(x: &[T], cols: usize, i: u32) -> &[T] {
    x.get(i as usize * cols..).and_then(|x| x.get(..cols)).unwrap_or_default()
}

/// As [`row`].
#[inline(always)]
fn row_mut<T>(x: &mut [T], cols: usize, i: u32) -> &mut [T] {
    x.get_mut(i as usize * cols..).and_then(|x| x.get_mut(..cols)).unwrap_or_default()
}

#[inline]
pub(crate) fn embedding_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    table: &[T],
    cols: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    check_ids(("table", table.len()), ("out", out.len()), cols, ids)?;
    let parts = (Read(ids, 1), Write(&mut *out, cols));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(id, out): (Read<'_, u32>, Write<'_, T>)| {
            let [id] = id.0 else { return };
            drive::map(Serial, s, Same, [row(table, cols, *id)], out.0);
        },
    );
    contract!(
        embedding,
        Ok(()),
        each | check | {
            let rows = ids.iter().zip(out.chunks_exact(cols));
            rows.into_iter().try_for_each(|(id, y)| check(&Call::new(&[row(table, cols, *id)], y)))
        }
    )
}

/// `out[ids[r]] = body(out[ids[r]], x[r])`, in order.
#[inline]
fn into_rows<S: Simd, T: Element>(
    s: S,
    body: impl Body<T, 2>,
    x: &[T],
    cols: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    check_ids(("out", out.len()), ("x", x.len()), cols, ids)?;
    s.vectorize(
        #[inline(always)]
        || {
            for (id, x) in ids.iter().zip(x.chunks_exact(cols)) {
                drive::zip_in_place(Serial, s, body, row_mut(out, cols, *id), x);
            }
        },
    );
    Ok(())
}

#[inline]
pub(crate) fn scatter_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    cols: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    into_rows(s, Second, x, cols, ids, out)?;
    contract!(
        scatter,
        Ok(()),
        each | check | {
            let last = ids.last().zip(x.rchunks_exact(cols).next());
            last.map_or(Ok(()), |(id, x)| check(&Call::new(&[x], row(out, cols, *id))))
        }
    )
}

#[inline]
pub(crate) fn scatter_add_by<S: Simd, T: Element>(
    s: S,
    x: &[T],
    cols: usize,
    ids: &[u32],
    out: &mut [T],
) -> Result<(), Error> {
    into_rows(s, Add, x, cols, ids, out)?;
    contract!(
        scatter_add,
        Ok(()),
        each | check | {
            let mut rows = ids.iter().zip(x.chunks_exact(cols));
            rows.try_for_each(|(id, x)| check(&Call::new(&[x], row(out, cols, *id))))
        }
    )
}
