//! Cosine similarity of one vector with each row of a matrix.

use crate::contract::{Call, contract};
use crate::error::{Error, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::parts::{Read, Write, count, each_row};
use crate::reduce::cosine_similarity_by;

ops! { $ similarity_ops in crate::nn::similarity;
    /// `out[r] = Σ query[i]·x[r][i] / (‖query‖·‖x[r]‖)`: [`cosine_similarity`](crate::cosine_similarity()) of a query with
    /// each row.
    ///
    /// Shapes and units: `x` holds whole rows of `query.len()` elements, `out` one element for each. The nearest rows are
    /// those that [`top_k`](crate::top_k()) finds in `out`. Each row is read once.
    ///
    /// NaN and ±0: as [`cosine_similarity`](crate::cosine_similarity()), row by row: NaN where the row or the query is not
    /// finite, 0 where either is zero.
    ///
    /// Errors: [`Error::Empty`] when `query` is empty, [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] of
    /// `out`. Scratch: none.
    ///
    /// ```
    /// let rows = [3.0f32, 4.0, -4.0, 3.0, 4.0, 3.0];
    /// let (mut scores, mut values, mut nearest) = ([0.0; 3], [0.0; 2], [0; 2]);
    /// fulmen::cosine_similarity_rows(&[3.0, 4.0], &rows, &mut scores)?;
    /// fulmen::top_k(&scores, 2, &mut values, &mut nearest)?;
    /// assert_eq!(nearest, [0, 2]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/search.rs`.
    ///
    /// Source: the definition. Contract: `contracts/cosine_similarity_rows-v1.yaml`.
    threads cosine_similarity_rows, cosine_similarity_rows_on, cosine_similarity_rows_by (query: in T, x: in T, out: out T) -> Result<()>;
}

#[inline]
pub(crate) fn cosine_similarity_rows_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    query: &[T],
    x: &[T],
    out: &mut [T],
) -> Result<(), Error> {
    let cols = query.len();
    not_empty("query", cols)?;
    let rows = count("x", x.len(), cols)?;
    same_len("out", rows, out.len())?;
    each_row(
        j,
        s,
        cols,
        (Read(x, cols), Write(&mut *out, 1)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| {
            // Of one length.
            if let ([out], Ok(cosine)) = (out.0, cosine_similarity_by(Serial, s, query, x.0)) {
                *out = cosine;
            }
        },
    );
    contract!(
        cosine_similarity_rows,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(cols).zip(out.chunks_exact(1));
            rows.try_for_each(|(x, y)| check(&Call::new(&[query, x], y)))
        }
    )
}
