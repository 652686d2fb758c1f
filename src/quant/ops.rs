//! The ops on quantised blocks: quantisation, dequantisation, dot products, products with matrices, rows of a table.

use super::block::Block;
use super::panel::products;
use super::tile::{of_rows, product, streams};
use crate::error::{Error, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::Simd;
use crate::lanes::executor::Executor;
use crate::parts::{Read, Write, each_row};
use crate::slices::{lines, lines_mut};

ops! { $ quant_ops in crate::quant::ops;
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
    #[doc(alias = "decode")]
    threads dequantize<B: crate::quant::Block>, dequantize_on, dequantize_by
        (x: in B, out: out f32) -> Result<()>;

    /// Rows of `cols` elements of blocks that [`quantize_padded`](crate::quantize_padded()) made: what lies behind them
    /// is left out.
    ///
    /// Shapes and units: `out` has rows of `cols` elements, `x` as many blocks for each as hold it.
    ///
    /// NaN and ±0: as [`dequantize`](crate::dequantize()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0; [`Error::Rows`] when `out` is not whole rows; [`Error::Len`] when `x` has
    /// another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let file: [u8; 34] = core::array::from_fn(|i| if i < 2 { [0, 0x38][i] } else { i as u8 });
    /// let mut out = [0.0; 3];
    /// fulmen::dequantize_padded(blocks::<Q8_0>(&file)?, 3, &mut out)?;
    /// assert_eq!(out, [1.0, 1.5, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/dequantize_padded-v1.yaml`.
    threads dequantize_padded<B: crate::quant::Block>, dequantize_padded_on, dequantize_padded_by
        (x: in B, cols: by usize, out: out f32) -> Result<()>;

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
    threads "One row is on one thread." quant_dot<B: crate::quant::Block>, quant_dot_on, quant_dot_by
        (a: in B, b: in B::Partner) -> Result<f32>;

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
    /// See `examples/small/quantised.rs`.
    ///
    /// Source: the definition. Contract: `contracts/quant_gemv-v1.yaml`.
    #[doc(alias = "mul_mat_vec")]
    threads quant_gemv<B: crate::quant::Block>, quant_gemv_on, quant_gemv_by
        (weights: in B, x: in B::Partner, out: out f32) -> Result<()>;

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
    threads quant_gemm<B: crate::quant::Block>, quant_gemm_on, quant_gemm_by
        (weights: in B, x: in B::Partner, cols: by usize, out: out f32) -> Result<()>;

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
    threads quant_rows<B: crate::quant::Block>, quant_rows_on, quant_rows_by
        (table: in B, cols: by usize, ids: in u32, out: out f32) -> Result<()>;
}

ops! { $ host_quant_ops in crate::quant::ops;
    /// Blocks whose elements are near `x`: scales that make the squared error small, searched from several first
    /// guesses. For `q8_0`, `q8_1`, `q8_k` and `q8_64` the scale maps the largest magnitude to 127, and the errors have no
    /// weights; for `nf4` it is the largest magnitude where the weights are equal.
    ///
    /// Shapes and units: `x` has as many elements as the blocks of `out`. With `importance`, error `i` of each row of as
    /// many elements has that weight.
    ///
    /// NaN and ±0: NaN and infinities are refused; −0 is 0.
    ///
    /// Errors: [`Error::Len`] when `x` has another length; [`Error::Rows`] when it is no whole rows of `importance`, or
    /// that has no whole blocks; [`Error::Domain`] names `x` when an element is not finite or past what a half-precision
    /// scale holds (2047 for `q8_1`, else 65504; `q8_k`, `q8_64`, `nf4` and `mxfp4` have no limit), `importance` when one is negative or not finite.
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
    threads quantize<B: crate::quant::Block>, quantize_on, quantize_by
        (x: in f32, importance: opt_in f32, out: out B) -> Result<()>;

    /// Blocks of rows that are not whole blocks: as [`quantize`](crate::quantize()), with zeros behind each row whose
    /// errors have no weight. Products with activations that are padded in the same way are those of the rows.
    ///
    /// Shapes and units: `x` has rows of `cols` elements, `out` as many blocks for each as hold it; `importance`, where
    /// it is, `cols` elements.
    ///
    /// NaN and ±0: as [`quantize`](crate::quantize()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0; [`Error::Rows`] when `x` is not whole rows; [`Error::Len`] when `out` or
    /// `importance` has another length; [`Error::Domain`] as [`quantize`](crate::quantize()). Scratch: none.
    ///
    /// ```
    /// use fulmen::quant::{Q8_0, blocks};
    /// let mut to = *blocks::<Q8_0>(&[0; 136])?.first_chunk::<4>().unwrap();
    /// // Two rows of 40 elements in two blocks each.
    /// fulmen::quantize_padded(&[1.0; 80], 40, None, &mut to)?;
    /// let mut back = [0.0; 80];
    /// fulmen::dequantize_padded(&to, 40, &mut back)?;
    /// assert!(back.iter().all(|x| (x - 1.0).abs() < 1e-3));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/quantize_padded-v1.yaml`.
    threads quantize_padded<B: crate::quant::Block>, quantize_padded_on, quantize_padded_by
        (x: in f32, cols: by usize, importance: opt_in f32, out: out B) -> Result<()>;
}

/// Elements of the largest block.
pub(crate) const MOST: usize = 256;

/// How many blocks hold a row of `cols`.
#[inline]
pub(crate) fn whole<B: Block>(cols: usize) -> Result<usize, Error> {
    not_empty("cols", cols)?;
    if cols.is_multiple_of(B::ELEMENTS) {
        Ok(cols / B::ELEMENTS)
    } else {
        Err(Error::rows("cols", B::ELEMENTS, cols))
    }
}

/// How many rows of `each` blocks `x` holds.
#[inline]
pub(crate) fn rows(arg: &'static str, x: usize, each: usize) -> Result<usize, Error> {
    match x.checked_div(each) {
        Some(n) if n * each == x => Ok(n),
        _ => Err(Error::rows(arg, each, x)),
    }
}

pub(crate) fn dequantize_by<J: Executor, S: Simd, B: Block>(
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
            x.decode(s, out.0);
        },
    );
    Ok(())
}

/// Whether blocks can hold `x`, and the weights are none that an error has not.
fn in_domain<S: Simd, B: Block>(s: S, x: &[f32], importance: Option<&[f32]>) -> Result<(), Error> {
    let valid = s.vectorize(
        #[inline(always)]
        || {
            let fits = |x: &[f32], least: f32, most: f32| {
                x.iter().fold(true, |all, x| all & (*x >= least) & (*x <= most))
            };
            [fits(x, -B::LIMIT, B::LIMIT), importance.is_none_or(|w| fits(w, 0.0, f32::MAX))]
        },
    );
    let limits = [("x", "of numbers that the format holds"), ("importance", "finite and not negative")];
    for (valid, (arg, limit)) in valid.into_iter().zip(limits) {
        if !valid {
            return Err(Error::must_be(arg, limit));
        }
    }
    Ok(())
}

pub(crate) fn quantize_by<J: Executor, S: Simd, B: Block>(
    j: J,
    s: S,
    x: &[f32],
    importance: Option<&[f32]>,
    out: &mut [B],
) -> Result<(), Error> {
    same_len("x", out.len().saturating_mul(B::ELEMENTS), x.len())?;
    if let Some(w) = importance {
        if w.is_empty() || !w.len().is_multiple_of(B::ELEMENTS) {
            return Err(Error::rows("importance", B::ELEMENTS, w.len()));
        }
        if !x.len().is_multiple_of(w.len()) {
            return Err(Error::rows("x", w.len(), x.len()));
        }
    }
    in_domain::<S, B>(s, x, importance)?;
    let per = importance.map_or(1, |w| w.len() / B::ELEMENTS);
    let count = crate::parts::Count(0..out.len());
    each_row(
        j,
        s,
        B::ELEMENTS,
        (Read(x, B::ELEMENTS), Write(out, 1), count),
        #[inline(always)]
        |(x, out, at): (Read<'_, f32>, Write<'_, B>, crate::parts::Count)| {
            let [out] = out.0 else { return };
            let from = at.0.start.checked_rem(per).unwrap_or(0) * B::ELEMENTS;
            *out = B::encode(x.0, importance.and_then(|w| w.get(from..)));
        },
    );
    Ok(())
}

pub(crate) fn quantize_padded_by<J: Executor, S: Simd, B: Block>(
    j: J,
    s: S,
    x: &[f32],
    cols: usize,
    importance: Option<&[f32]>,
    out: &mut [B],
) -> Result<(), Error> {
    let m = crate::parts::count("x", x.len(), cols)?;
    let each = cols.div_ceil(B::ELEMENTS);
    same_len("out", m.saturating_mul(each), out.len())?;
    if let Some(w) = importance {
        same_len("importance", cols, w.len())?;
    }
    in_domain::<S, B>(s, x, importance)?;
    each_row(
        j,
        s,
        cols,
        (Read(x, cols), Write(out, each)),
        #[inline(always)]
        |(x, out): (Read<'_, f32>, Write<'_, B>)| {
            for (i, (x, out)) in x.0.chunks(B::ELEMENTS).zip(out.0).enumerate() {
                let w = importance.and_then(|w| w.get(i * B::ELEMENTS..));
                *out = if x.len() == B::ELEMENTS { B::encode(x, w) } else { encode_padded(x, w) };
            }
        },
    );
    Ok(())
}

/// The block of fewer elements than it has.
#[inline(never)]
fn encode_padded<B: Block>(x: &[f32], w: Option<&[f32]>) -> B {
    let (mut all, mut weights) = ([0.0; MOST], [0.0; MOST]);
    for ((i, x), (to, weight)) in x.iter().enumerate().zip(all.iter_mut().zip(&mut weights)) {
        (*to, *weight) = (*x, super::search::weight(w, i));
    }
    let (all, _) = all.split_at(B::ELEMENTS.min(MOST));
    B::encode(all, Some(&weights))
}

pub(crate) fn dequantize_padded_by<J: Executor, S: Simd, B: Block>(
    j: J,
    s: S,
    x: &[B],
    cols: usize,
    out: &mut [f32],
) -> Result<(), Error> {
    let m = crate::parts::count("out", out.len(), cols)?;
    let each = cols.div_ceil(B::ELEMENTS);
    same_len("x", m.saturating_mul(each), x.len())?;
    each_row(
        j,
        s,
        cols,
        (Read(x, each), Write(out, cols)),
        #[inline(always)]
        |(x, out): (Read<'_, B>, Write<'_, f32>)| {
            for (x, out) in x.0.iter().zip(out.0.chunks_mut(B::ELEMENTS)) {
                if out.len() == B::ELEMENTS {
                    x.decode(s, out);
                } else {
                    let mut all = [0.0; MOST];
                    x.decode(s, all.split_at_mut(B::ELEMENTS.min(MOST)).0);
                    for (out, x) in out.iter_mut().zip(all) {
                        *out = x;
                    }
                }
            }
        },
    );
    Ok(())
}

pub(crate) fn quant_dot_by<J: Executor, S: Simd, B: Block>(
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

pub(crate) fn quant_gemv_by<J: Executor, S: Simd, B: Block>(
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
fn some_rows<J: Executor, S: Simd, B: Block>(
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

/// The rows on this thread, four at a time.
fn rows_here<S: Simd, B: Block>(s: S, weights: &[B], each: usize, x: &[B::Partner], out: &mut [f32]) {
    let fours = out.len() / 4 * 4;
    let (weights, last) = weights.split_at_checked(fours * each).unwrap_or_default();
    let (out, rest) = out.split_at_mut_checked(fours).unwrap_or_default();
    if fours > 0 && streams::<B>(each) {
        rows_apart(s, weights, each, x, out);
    } else {
        neighbours(s, weights, each, x, out);
    }
    for (out, row) in rest.iter_mut().zip(lines(last, each)) {
        *out = s.vectorize(
            #[inline(always)]
            || product(s, row, x),
        );
    }
}

/// Fours of rows of four quarters: apart, as the serial form and the parallel one share it.
#[inline(never)]
fn rows_apart<S: Simd, B: Block>(s: S, weights: &[B], each: usize, x: &[B::Partner], out: &mut [f32]) {
    s.vectorize(
        #[inline(always)]
        || {
            let quarter = out.len() / 4;
            let mut parts = lines(weights, quarter * each).map(|part| lines(part, each));
            let mut outs = lines_mut(out, quarter);
            let mut row = || parts.next().unwrap_or(lines(&[], 1));
            let rows = row().zip(row()).zip(row().zip(row()));
            let mut y = || outs.next().unwrap_or_default().iter_mut();
            let out = y().zip(y()).zip(y().zip(y()));
            for (((ya, yb), (yc, yd)), ((a, b), (c, d))) in out.zip(rows) {
                [*ya, *yb, *yc, *yd] = of_rows(s, [a, b, c, d], true, x);
            }
        },
    );
}

/// Fours of neighbours, as [`rows_apart`].
#[inline(never)]
fn neighbours<S: Simd, B: Block>(s: S, weights: &[B], each: usize, x: &[B::Partner], out: &mut [f32]) {
    s.vectorize(
        #[inline(always)]
        || {
            for (out, rows) in out.chunks_exact_mut(4).zip(lines(weights, 4 * each)) {
                let (low, high) = rows.split_at_checked(2 * each).unwrap_or_default();
                let (a, b) = low.split_at_checked(each).unwrap_or_default();
                let (c, d) = high.split_at_checked(each).unwrap_or_default();
                out.copy_from_slice(&of_rows(s, [a, b, c, d], false, x));
            }
        },
    );
}

pub(crate) fn quant_gemm_by<J: Executor, S: Simd, B: Block>(
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
    if m < FEW {
        for (x, out) in lines(x, of_x).zip(lines_mut(out, n)) {
            some_rows(j, s, weights, each, x, out);
        }
        return Ok(());
    }
    blocks_of_rows(j, s, weights, x, [each, of_x, n], out);
    Ok(())
}

/// Vectors from which what their products share is worth the time to make it: fewer are multiplied one by one.
pub(crate) const FEW: usize = 5;

/// [`quant_gemm`](crate::quant_gemm()) of checked sizes: the rows of `x` are halved between threads, and then taken
/// some at a time.
fn blocks_of_rows<J: Executor, S: Simd, B: Block>(
    j: J,
    s: S,
    weights: &[B],
    x: &[B::Partner],
    [each, of_x, n]: [usize; 3],
    out: &mut [f32],
) {
    let m = out.len().checked_div(n).unwrap_or(0);
    let work = weights.len().saturating_mul(m * B::ELEMENTS);
    // Whole groups of vectors: what is made of a row's bits serves eight.
    if !J::SERIAL && m > 8 && work > APART {
        let half = (m / 2).next_multiple_of(8);
        let (x0, x1) = x.split_at_checked(half * of_x).unwrap_or_default();
        let (out0, out1) = out.split_at_mut_checked(half * n).unwrap_or_default();
        j.join(
            work,
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
            if S::REGISTERS {
                return products(s, weights, x, each, out);
            }
            for (x, out) in lines(x, of_x).zip(lines_mut(out, n)) {
                for (row, out) in lines(weights, each).zip(out) {
                    *out = product(s, row, x);
                }
            }
        },
    );
}

pub(crate) fn quant_rows_by<J: Executor, S: Simd, B: Block>(
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
        return Err(Error::index("ids", i as usize, n));
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
                x.decode(s, out);
            }
        },
    );
    Ok(())
}
