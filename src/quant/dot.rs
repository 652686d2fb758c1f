//! The ops: conversions, products, rows of a table.

use super::block::{Active, Block, Sealed, part};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::fold::{Join, Serial};
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, from_fn, native};
use crate::nn::parts::{Read, Write, each_row};

/// The op, and its form on a named instruction set.
macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident, $on:ident, $by:ident ($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name<B: Block>($($arg: $ty),*) -> $ret {
            $on(native(), $($arg),*)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: Simd, B: Block>(s: S, $($arg: $ty),*) -> $ret {
            $by(Serial, s, $($arg),*)
        }
    )*};
}

forms! {
    /// `out[i] = (d·scale)·code − m·min` of each element: numbers from blocks.
    ///
    /// Shapes and units: `out` has as many elements as the blocks of `x`.
    ///
    /// NaN and ±0: a NaN or infinite scale gives what the formula gives; ±0 and subnormal scales are kept.
    ///
    /// Errors: [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// // The scale 0.5 in half precision, then the codes.
    /// let file: [u8; 34] = core::array::from_fn(|i| if i < 2 { [0, 0x38][i] } else { i as u8 });
    /// let mut out = [0.0; 32];
    /// fulmen::dequantize(blocks::<Q8_0>(&file)?, &mut out)?;
    /// assert_eq!(out[..3], [1.0, 1.5, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the layouts of GGUF. Contract: `contracts/dequantize-v1.yaml`.
    dequantize, dequantize_on, dequantize_by(x: &[B], out: &mut [f32]) -> Result<(), Error>;

    /// Blocks whose elements are near `x`: scales that make the squared error small, searched from several first
    /// guesses. For `q8_0`, `q8_1` and `q8_k` the scale maps the largest magnitude to 127, and the errors have no
    /// weights.
    ///
    /// Shapes and units: `x` has as many elements as the blocks of `out`. With `importance`, error `i` of each row of as
    /// many elements has that weight.
    ///
    /// NaN and ±0: NaN and infinities are refused; −0 is 0.
    ///
    /// Errors: [`Error::Len`] when `x` has another length; [`Error::Rows`] when it is no whole rows of `importance`, or
    /// that has no whole blocks; [`Error::Domain`] names `x` when an element is not finite or past what a half-precision
    /// scale holds (2047 for `q8_1`, else 65504; `q8_k` and `mxfp4` have no limit), `importance` when one is negative or not finite.
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let x: [f32; 32] = core::array::from_fn(|i| i as f32 / 31.0);
    /// let mut to = *blocks::<Q8_0>(&[0; 34])?.first_chunk::<1>().unwrap();
    /// let mut back = [0.0; 32];
    /// fulmen::quantize(&x, None, &mut to)?;
    /// fulmen::dequantize(&to, &mut back)?;
    /// assert!(x.iter().zip(back).all(|(x, y)| (x - y).abs() < 0.005));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: least squares. Contract: `contracts/quantize-v1.yaml`.
    quantize, quantize_on, quantize_by(x: &[f32], importance: Option<&[f32]>, out: &mut [B]) -> Result<(), Error>;

    /// `Σ a[i]·b[i]` of weights and quantised activations.
    ///
    /// Shapes and units: `b` has as many elements as `a`.
    ///
    /// NaN and ±0: as the scales give; +0 for nothing.
    ///
    /// Errors: [`Error::Len`] when `b` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let file: [u8; 34] = core::array::from_fn(|i| if i < 2 { [0, 0x38][i] } else { 3 });
    /// let x = blocks::<Q8_0>(&file)?;
    /// assert_eq!(fulmen::quant_dot(x, x)?, 32.0 * 1.5 * 1.5);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition; products of codes are summed in 32-bit integers. Contract: `contracts/quant_dot-v1.yaml`.
    quant_dot, quant_dot_on, quant_dot_by(a: &[B], b: &[B::Partner]) -> Result<f32, Error>;

    /// `out[r] = Σ weights[r][i]·x[i]`: a matrix of quantised rows times a vector of quantised activations.
    ///
    /// Shapes and units: `weights` has a row for each of `out`, as long as `x`.
    ///
    /// NaN and ±0: as [`quant_dot`](crate::quant_dot()), whose bits each element has.
    ///
    /// Errors: [`Error::Rows`] when `x` has no whole blocks of weights; [`Error::Len`] when `weights` has another length.
    /// Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let file: [u8; 68] = core::array::from_fn(|i| [0, 0x38, 3, 3][(i % 34).min(2)]);
    /// let (weights, mut out) = (blocks::<Q8_0>(&file)?, [0.0; 2]);
    /// fulmen::quant_gemv(weights, &weights[..1], &mut out)?;
    /// assert_eq!(out, [72.0; 2]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/quant_gemv-v1.yaml`.
    quant_gemv, quant_gemv_on, quant_gemv_by(weights: &[B], x: &[B::Partner], out: &mut [f32]) -> Result<(), Error>;

    /// `out[j][r] = Σ weights[r][i]·x[j][i]`: quantised rows times several vectors of activations.
    ///
    /// Shapes and units: rows of `cols` elements, which are whole blocks; `out` holds a row of as many elements as
    /// `weights` has rows, for each row of `x`.
    ///
    /// NaN and ±0: as [`quant_dot`](crate::quant_dot()), whose bits each element has.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0; [`Error::Rows`] when it is not whole blocks (naming `cols`), or
    /// `weights` or `x` are not whole rows; [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let file: [u8; 68] = core::array::from_fn(|i| [0, 0x38, 3, 3][(i % 34).min(2)]);
    /// let (x, mut out) = (blocks::<Q8_0>(&file)?, [0.0; 4]);
    /// fulmen::quant_gemm(x, x, 32, &mut out)?;
    /// assert_eq!(out, [72.0; 4]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/quant_gemm-v1.yaml`.
    quant_gemm, quant_gemm_on, quant_gemm_by(weights: &[B], x: &[B::Partner], cols: usize, out: &mut [f32]) -> Result<(), Error>;

    /// `out[r] = table[ids[r]]`: rows of a quantised table as numbers, what an embedding is.
    ///
    /// Shapes and units: rows of `cols` elements, which are whole blocks; `out` has one for each of `ids`.
    ///
    /// NaN and ±0: as [`dequantize`](crate::dequantize()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0; [`Error::Rows`] when it is not whole blocks (naming `cols`), or `table`
    /// is not whole rows; [`Error::Len`] when `out` has another length; [`Error::Index`] when an index is not below the
    /// number of rows. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let file: [u8; 68] = core::array::from_fn(|i| [0, 0x38, (i / 34) as u8][(i % 34).min(2)]);
    /// let mut out = [7.0; 64];
    /// fulmen::quant_rows(blocks::<Q8_0>(&file)?, 32, &[1, 0], &mut out)?;
    /// assert_eq!((out[0], out[63]), (0.5, 0.0));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/quant_rows-v1.yaml`.
    quant_rows, quant_rows_on, quant_rows_by(table: &[B], cols: usize, ids: &[u32], out: &mut [f32]) -> Result<(), Error>;
}

/// Calls `f` for each chunk of 32 of a block, one after the other: what depends on the number is a constant there.
#[inline(always)]
fn each_chunk<S: Simd, B: Block>(mut f: impl FnMut(usize)) {
    const { assert!(B::ELEMENTS == 32 || B::ELEMENTS == 256) };
    if !S::REGISTERS {
        (0..B::ELEMENTS / 32).for_each(f);
        return;
    }
    f(0);
    if B::ELEMENTS > 32 {
        let ((), (), (), (), (), (), ()) = (f(1), f(2), f(3), f(4), f(5), f(6), f(7));
    }
}

/// The elements of a block.
#[inline(always)]
fn decode<S: Simd, B: Block>(s: S, x: &B, out: &mut [f32]) {
    let [[d, ..], [m, ..]] = B::factors(s, [x; 4]);
    let [scales, mins] = x.scales(s);
    let (scales, mins) = (s.array(scales), s.array(mins));
    let of = |x: &[u8; 32], i: usize| f32::from(i16::from_le_bytes(part(x, 2 * i)));
    for (chunk, out) in out.chunks_exact_mut(32).enumerate() {
        let codes = s.array(x.codes(s, chunk));
        for ((codes, out), i) in codes.chunks_exact(16).zip(out.chunks_exact_mut(16)).zip([chunk, 8 + chunk])
        {
            let (scale, min) = (d * of(&scales, i), m * of(&mins, i));
            for (out, q) in out.iter_mut().zip(codes) {
                let x = scale * (i32::from(*q as i8) - B::OFFSET) as f32;
                *out = if B::MINS { x - min } else { x };
            }
        }
    }
}

/// Four products, of `R` rows of weights and `X` of activations, block by block; with one of each, four times the same.
/// A block's codes are multiplied in integers, and the products of blocks are added one after the other.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "r < R and x < X")]
fn tile<'a, S: Simd, B: Block, const R: usize, const X: usize>(
    s: S,
    blocks: impl Iterator<Item = ([&'a B; R], [&'a B::Partner; X])>,
) -> [f32; 4] {
    const { assert!(B::ELEMENTS == <B::Partner as Block>::ELEMENTS && (R * X == 4 || R * X == 1)) };
    let of = |k: usize| (k / X % R, k % X);
    let mut out = [0.0f32; 4];
    for (a, b) in blocks {
        let mut sums = [[s.zero(); X]; R];
        let scales = from_fn::<_, R>(
            #[inline(always)]
            |r| a[r].scales(s),
        );
        each_chunk::<S, B>(
            #[inline(always)]
            |c| {
                let y = from_fn::<_, X>(
                    #[inline(always)]
                    |x| b[x].codes(s, c),
                );
                for ((sums, a), [scales, _]) in sums.iter_mut().zip(&a).zip(&scales) {
                    let codes = a.codes(s, c);
                    for (sum, y) in sums.iter_mut().zip(&y) {
                        *sum = match (B::GROUPS, B::SIGNED) {
                            (true, _) => s.dot_scaled(*sum, codes, *y, *scales, c),
                            (_, true) => s.dot::<true>(*sum, codes, *y),
                            _ => s.dot::<false>(*sum, codes, *y),
                        };
                    }
                }
            },
        );
        let totals = s.totals(from_fn(
            #[inline(always)]
            |k| sums[of(k).0][of(k).1],
        ));
        // What an offset, or the mins, are multiplied with.
        let below = if B::OFFSET == 0 && !(B::GROUPS && B::MINS) {
            [0; 4]
        } else {
            let each = from_fn::<_, X>(
                #[inline(always)]
                |x| if B::GROUPS { b[x].sums(s) } else { b[x].codes(s, 0) },
            );
            s.totals(from_fn(
                #[inline(always)]
                |k| {
                    let (r, x) = of(k);
                    if B::GROUPS {
                        s.dot_scales(scales[r][1], each[x])
                    } else {
                        s.dot::<false>(s.zero(), s.bytes([1; 32]), each[x])
                    }
                },
            ))
        };
        let [d, m] = B::factors(s, from_fn(|k| a[of(k).0]));
        let [by, sum] = <B::Partner as Sealed>::factors(s, from_fn(|k| b[of(k).1]));
        for (((((out, total), below), (d, m)), by), sum) in
            out.iter_mut().zip(totals).zip(below).zip(d.into_iter().zip(m)).zip(by).zip(sum)
        {
            let total =
                if B::OFFSET == 0 { total } else { total.wrapping_sub(B::OFFSET.wrapping_mul(below)) };
            *out += d * by * total as f32;
            if B::MINS {
                *out -= m * if B::GROUPS { by * below as f32 } else { sum };
            }
        }
    }
    out
}

/// The product of a row.
#[inline(always)]
fn product<S: Simd, B: Block>(s: S, a: &[B], b: &[B::Partner]) -> f32 {
    let pairs = a.iter().zip(b).map(
        #[inline(always)]
        |(a, b)| ([a], [b]),
    );
    let [y, ..] = tile::<S, B, 1, 1>(s, pairs);
    y
}

/// The products of four pairs, where there are no registers to share.
#[inline(always)]
fn one_by_one<S: Simd, B: Block>(s: S, pairs: [(&[B], &[B::Partner]); 4]) -> [f32; 4] {
    let mut out = [0.0; 4];
    for (out, (a, b)) in out.iter_mut().zip(pairs) {
        *out = product(s, a, b);
    }
    out
}

/// The products of four rows and a vector: the rows lie one after the other, of `each` blocks.
#[inline(always)]
fn of_rows<S: Simd, B: Block>(s: S, rows: &[B], each: usize, x: &[B::Partner]) -> [f32; 4] {
    let (low, high) = rows.split_at_checked(2 * each).unwrap_or_default();
    let (a, b) = low.split_at_checked(each).unwrap_or_default();
    let (c, d) = high.split_at_checked(each).unwrap_or_default();
    if !S::REGISTERS {
        return one_by_one(s, [(a, x), (b, x), (c, x), (d, x)]);
    }
    // Four short streams start too often for the prefetchers of a CPU: what comes is asked for here, the next four rows in
    // the order of memory while these are multiplied.
    let mut ahead = rows.as_ptr_range().end;
    let blocks = a.iter().zip(b).zip(c.iter().zip(d)).zip(x).map(
        #[inline(always)]
        |(((a, b), (c, d)), x)| {
            for line in (0..4 * size_of::<B>()).step_by(64) {
                S::F32::prefetch(s, ahead.wrapping_byte_add(line).cast());
            }
            ahead = ahead.wrapping_add(4);
            ([a, b, c, d], [x])
        },
    );
    tile::<S, B, 4, 1>(s, blocks)
}

/// The products of a row and four vectors of as many blocks.
#[inline(always)]
fn of_vectors<S: Simd, B: Block>(s: S, row: &[B], x: &[B::Partner]) -> [f32; 4] {
    let each = row.len();
    let (low, high) = x.split_at_checked(2 * each).unwrap_or_default();
    let (a, b) = low.split_at_checked(each).unwrap_or_default();
    let (c, d) = high.split_at_checked(each).unwrap_or_default();
    if !S::REGISTERS {
        return one_by_one(s, [(row, a), (row, b), (row, c), (row, d)]);
    }
    let blocks = a.iter().zip(b).zip(c.iter().zip(d)).zip(row).map(
        #[inline(always)]
        |(((a, b), (c, d)), row)| ([row], [a, b, c, d]),
    );
    tile::<S, B, 1, 4>(s, blocks)
}

/// How many blocks hold a row of `cols`.
#[inline]
fn whole<B: Block>(cols: usize) -> Result<usize, Error> {
    not_empty("cols", cols)?;
    if cols.is_multiple_of(B::ELEMENTS) {
        Ok(cols / B::ELEMENTS)
    } else {
        Err(Error::Rows { arg: "cols", cols: B::ELEMENTS, got: cols })
    }
}

/// How many rows of `each` blocks `x` holds.
#[inline]
fn rows(arg: &'static str, x: usize, each: usize) -> Result<usize, Error> {
    if x.is_multiple_of(each) { Ok(x / each) } else { Err(Error::Rows { arg, cols: each, got: x }) }
}

pub(crate) fn dequantize_by<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    x: &[B],
    out: &mut [f32],
) -> Result<(), Error> {
    same_len("out", x.len().saturating_mul(B::ELEMENTS), out.len())?;
    let parts = (Read(x, 1), Write(out, B::ELEMENTS));
    each_row(
        j,
        s,
        B::ELEMENTS,
        parts,
        #[inline(always)]
        |(x, out): (Read<'_, B>, Write<'_, f32>)| {
            let [x] = x.0 else { return };
            decode(s, x, out.0);
        },
    );
    Ok(())
}

pub(crate) fn quantize_by<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    x: &[f32],
    importance: Option<&[f32]>,
    out: &mut [B],
) -> Result<(), Error> {
    same_len("x", out.len().saturating_mul(B::ELEMENTS), x.len())?;
    if let Some(w) = importance {
        if w.is_empty() || !w.len().is_multiple_of(B::ELEMENTS) {
            return Err(Error::Rows { arg: "importance", cols: B::ELEMENTS, got: w.len() });
        }
        if !x.len().is_multiple_of(w.len()) {
            return Err(Error::Rows { arg: "x", cols: w.len(), got: x.len() });
        }
    }
    let valid = s.vectorize(
        #[inline(always)]
        || {
            let fits = |x: &[f32], least: f32, most: f32| {
                x.iter().fold(true, |all, x| all & (*x >= least) & (*x <= most))
            };
            [fits(x, -B::LIMIT, B::LIMIT), importance.is_none_or(|w| fits(w, 0.0, f32::MAX))]
        },
    );
    for (valid, arg) in valid.into_iter().zip(["x", "importance"]) {
        if !valid {
            return Err(Error::Domain { arg });
        }
    }
    let per = importance.map_or(1, |w| w.len() / B::ELEMENTS);
    let count = crate::nn::parts::Count(0..out.len());
    each_row(
        j,
        s,
        B::ELEMENTS,
        (Read(x, B::ELEMENTS), Write(out, 1), count),
        #[inline(always)]
        |(x, out, at): (Read<'_, f32>, Write<'_, B>, crate::nn::parts::Count)| {
            let [out] = out.0 else { return };
            let from = at.0.start % per * B::ELEMENTS;
            *out = B::encode(x.0, importance.and_then(|w| w.get(from..)));
        },
    );
    Ok(())
}

pub(crate) fn quant_dot_by<J: Join, S: Simd, B: Block>(
    _: J,
    s: S,
    a: &[B],
    b: &[B::Partner],
) -> Result<f32, Error> {
    let per = B::ELEMENTS / <B::Partner as Block>::ELEMENTS;
    same_len("b", a.len().saturating_mul(per), b.len())?;
    Ok(s.vectorize(
        #[inline(always)]
        || product(s, a, b),
    ))
}

pub(crate) fn quant_gemv_by<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    weights: &[B],
    x: &[B::Partner],
    out: &mut [f32],
) -> Result<(), Error> {
    let per = B::ELEMENTS / <B::Partner as Block>::ELEMENTS;
    let each = rows("x", x.len(), per)?;
    same_len("weights", each.saturating_mul(out.len()), weights.len())?;
    if each == 0 {
        out.fill(0.0);
        return Ok(());
    }
    some_rows(j, s, weights, each, x, out);
    Ok(())
}

/// Elements of weights from which a product with one vector goes to threads: fewer are multiplied in the time that it
/// takes to wake one.
pub(crate) const APART: usize = 1 << 18;

/// [`quant_gemv`](crate::quant_gemv()) of checked sizes: the rows are halved between threads.
fn some_rows<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    weights: &[B],
    each: usize,
    x: &[B::Partner],
    out: &mut [f32],
) {
    let n = weights.len().saturating_mul(B::ELEMENTS);
    if J::SERIAL || n <= APART || out.len() <= 4 {
        return rows_here(s, weights, each, x, out);
    }
    let cut = out.len().div_ceil(8) * 4;
    let (w0, w1) = weights.split_at_checked(cut * each).unwrap_or_default();
    let (out0, out1) = out.split_at_mut_checked(cut).unwrap_or_default();
    j.join(n, || some_rows(j, s, w0, each, x, out0), || some_rows(j, s, w1, each, x, out1));
}

/// The rows on this thread: apart, as the serial form and the parallel one share it.
#[inline(never)]
fn rows_here<S: Simd, B: Block>(s: S, weights: &[B], each: usize, x: &[B::Partner], out: &mut [f32]) {
    let fours = out.len() / 4 * 4;
    let (weights, last) = weights.split_at_checked(fours * each).unwrap_or_default();
    let (out, rest) = out.split_at_mut_checked(fours).unwrap_or_default();
    s.vectorize(
        #[inline(always)]
        || {
            for (out, rows) in out.chunks_exact_mut(4).zip(weights.chunks_exact(4 * each)) {
                out.copy_from_slice(&of_rows(s, rows, each, x));
            }
            for (out, row) in rest.iter_mut().zip(last.chunks_exact(each)) {
                *out = product(s, row, x);
            }
        },
    );
}

/// Rows of activations that one pass over the weights serves: they stay in the first cache.
pub(crate) const TOGETHER: usize = 16;

pub(crate) fn quant_gemm_by<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    weights: &[B],
    x: &[B::Partner],
    cols: usize,
    out: &mut [f32],
) -> Result<(), Error> {
    let each = whole::<B>(cols)?;
    let of_x = each * (B::ELEMENTS / <B::Partner as Block>::ELEMENTS);
    let (n, m) = (rows("weights", weights.len(), each)?, rows("x", x.len(), of_x)?);
    same_len("out", n.saturating_mul(m), out.len())?;
    if out.is_empty() {
        return Ok(());
    }
    if m == 1 {
        return quant_gemv_by(j, s, weights, x, out);
    }
    blocks_of_rows(j, s, weights, x, [each, of_x, n], out);
    Ok(())
}

/// [`quant_gemm`](crate::quant_gemm()) of checked sizes: the rows of `x` are halved between threads, and then taken
/// some at a time.
fn blocks_of_rows<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    weights: &[B],
    x: &[B::Partner],
    [each, of_x, n]: [usize; 3],
    out: &mut [f32],
) {
    let m = out.len() / n;
    if !J::SERIAL && m > 1 {
        let (x0, x1) = x.split_at_checked(m / 2 * of_x).unwrap_or_default();
        let (out0, out1) = out.split_at_mut_checked(m / 2 * n).unwrap_or_default();
        j.join(
            weights.len().saturating_mul(m * B::ELEMENTS),
            || blocks_of_rows(j, s, weights, x0, [each, of_x, n], out0),
            || blocks_of_rows(j, s, weights, x1, [each, of_x, n], out1),
        );
        return;
    }
    vectors_here(s, weights, x, [each, of_x, n], out);
}

/// The vectors on this thread: apart, as the serial form and the parallel one share it.
#[inline(never)]
fn vectors_here<S: Simd, B: Block>(
    s: S,
    weights: &[B],
    x: &[B::Partner],
    [each, of_x, n]: [usize; 3],
    out: &mut [f32],
) {
    s.vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks(TOGETHER * of_x).zip(out.chunks_mut(TOGETHER * n)) {
                for (r, row) in weights.chunks_exact(each).enumerate() {
                    let mut to = out.iter_mut().skip(r).step_by(n);
                    let fours = x.chunks_exact(4 * of_x);
                    for x in fours.clone() {
                        for (y, to) in of_vectors(s, row, x).into_iter().zip(&mut to) {
                            *to = y;
                        }
                    }
                    for (x, to) in fours.remainder().chunks_exact(of_x).zip(to) {
                        *to = product(s, row, x);
                    }
                }
            }
        },
    );
}

pub(crate) fn quant_rows_by<J: Join, S: Simd, B: Block>(
    j: J,
    s: S,
    table: &[B],
    cols: usize,
    ids: &[u32],
    out: &mut [f32],
) -> Result<(), Error> {
    let each = whole::<B>(cols)?;
    let n = rows("table", table.len(), each)?;
    same_len("out", ids.len().saturating_mul(cols), out.len())?;
    if let Some(&i) = ids.iter().find(|i| **i as usize >= n) {
        return Err(Error::Index { arg: "ids", index: i as usize, below: n });
    }
    each_row(
        j,
        s,
        cols,
        (Read(ids, 1), Write(out, cols)),
        #[inline(always)]
        |(id, out): (Read<'_, u32>, Write<'_, f32>)| {
            let [id] = id.0 else { return };
            let row = table.get(*id as usize * each..).and_then(|t| t.get(..each)).unwrap_or_default();
            for (x, out) in row.iter().zip(out.0.chunks_exact_mut(B::ELEMENTS)) {
                decode(s, x, out);
            }
        },
    );
    Ok(())
}
