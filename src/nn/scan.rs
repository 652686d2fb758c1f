//! Cumulative sums of rows (prefix sums).

use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Read, Write, count, each_row};

ops! { $ scan_ops in crate::nn::scan;
    /// `out[r][i] = x[r][0] + … + x[r][i]`: the running sum of each row.
    ///
    /// Shapes and units: `x` and `out` hold whole rows of `cols` elements. The terms are added in their order, each sum
    /// rounded, so the bits are the same on every CPU; devices add them in another order, within the same bound. Error of
    /// element `i`: `γ_i Σ |x[r][k]|` over `k ≤ i`.
    ///
    /// NaN and ±0: NaN from the first NaN of a row on, and where infinities of both signs came; the first sum is the first
    /// element.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Rows`] when `x` does not hold whole rows, [`Error::Len`] when
    /// `out` differs in length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 4];
    /// fulmen::cumsum(&[1.0, 2.0, 3.0, 4.0], 2, &mut out)?;
    /// assert_eq!(out, [1.0, 3.0, 3.0, 7.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: Higham, *Accuracy and Stability of Numerical Algorithms*, §4.2 (recursive summation).
    /// Contract: `contracts/cumsum-v1.yaml`.
    #[doc(alias = "prefix_sum")]
    #[doc(alias = "scan")]
    threads cumsum, cumsum_on, cumsum_by (x: in T, cols: by usize, out: out T) -> Result<()>;
}

/// Rows whose sums are interleaved: one waits for an addition at every element.
pub(crate) const SIDE_BY_SIDE: usize = 4;

#[inline]
pub(crate) fn cumsum_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    let rows = count("x", x.len(), cols)?;
    same_len("out", x.len(), out.len())?;
    let several = rows / SIDE_BY_SIDE * SIDE_BY_SIDE * cols;
    let ((x4, x1), (out4, out1)) =
        (x.split_at_checked(several).unwrap_or((x, &[])), out.split_at_mut(several.min(x.len())));
    let wide = SIDE_BY_SIDE * cols;
    each_row(
        j,
        s,
        wide,
        (Read(x4, wide), Write(out4, wide)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| {
            let mut sums = [None; SIDE_BY_SIDE];
            for i in 0..cols {
                for (r, sum) in sums.iter_mut().enumerate() {
                    if let (Some(x), Some(out)) = (x.0.get(r * cols + i), out.0.get_mut(r * cols + i)) {
                        *out = sum.map_or(*x, |sum| sum + *x);
                        *sum = Some(*out);
                    }
                }
            }
        },
    );
    each_row(
        j,
        s,
        cols,
        (Read(x1, cols), Write(out1, cols)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| {
            let mut sum = None;
            for (x, out) in x.0.iter().zip(out.0) {
                *out = sum.map_or(*x, |sum: T| sum + *x);
                sum = Some(*out);
            }
        },
    );
    contract!(
        cumsum,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(cols).zip(out.chunks_exact(cols));
            rows.try_for_each(|(x, y)| match (x.first(), y.last()) {
                (Some(first), Some(last)) => check(&Call::new(&[&[*first]], &[*last])),
                _ => Ok(()),
            })
        }
    )
}
