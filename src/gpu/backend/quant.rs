//! Products with quantised weights on devices, in the block formats of GGUF files.

#[cfg(doc)]
use super::super::device::Error;
use super::super::device::{Computes, Device};
use super::super::template::Argument;
use super::super::template::activations::{QUANTISED, quantize};
use super::super::template::quant::{TILES, Unpack, product, scratch, unpack};
use super::super::types::F32;
use super::ops::{Done, arguments, called};
use super::plan::{POINTWISE, wide};
use super::{Gpu, View, ViewMut};
use crate::backend::Quantised;
use crate::error::same_len;
use crate::quant::ops::{rows, whole};
use crate::quant::{Activation, Block};
use alloc::vec;
use alloc::vec::Vec;

/// Chunks of a row of weights from which on a block has [`MANY`] threads.
const LONG: usize = 64;
/// Threads of a block of products of long rows, and of others.
const MANY: u32 = 128;
const FEW: u32 = 32;

/// The number of a kernel of a format among its own.
const fn form(kind: u32, wide: bool) -> u32 {
    2 * kind + wide as u32
}

impl<D: Device> Gpu<D> {
    /// Refuses blocks that kernels do not count by bytes.
    fn counted_blocks<B: Block>(&self, arg: &'static str, x: View<'_, B, D>) -> Done {
        let words = x.len().saturating_mul(size_of::<B>()).div_ceil(4).saturating_add(1);
        if words >= 1 << 30 {
            return Err(crate::Error::overflow(arg).into());
        }
        self.state.planner.line::<F32>(arg, words)
    }

    /// `out` from the rows of `x`, each of `row` blocks and `cols` elements; those of `ids`, if there are such.
    fn unpacked<B: Block>(
        &self,
        which: Unpack,
        x: View<'_, B, D>,
        [row, cols]: [usize; 2],
        ids: Option<View<'_, u32, D>>,
        out: &ViewMut<'_, f32, D>,
    ) -> Done
    where
        D: Computes<f32>,
    {
        self.counted_blocks("x", x)?;
        self.state.planner.line::<F32>("out", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let chunks = row * (B::ELEMENTS / 32);
        let n = (out.len() / cols).saturating_mul(chunks);
        self.state.planner.line::<F32>("out", n)?;
        let mut bound = vec![x.binding(self)?, out.binding(self)?];
        let wide = wide(&bound);
        if let Some(ids) = ids {
            bound.extend([ids.binding(self)?, self.status()?]);
        }
        let words = [n, chunks, cols, x.before(), x.len() / row];
        let told = arguments::<f32>(bound.len(), &words, &[]);
        let make = || Some(unpack::<B>(which, wide));
        let kind = match which {
            Unpack::Whole => 0,
            Unpack::Padded => 1,
            Unpack::Chosen => 2,
        };
        let program = self.state.planner.one_by::<F32>(B::NAME, form(kind, wide), make)?;
        let launch = self.state.planner.threads(program, n, POINTWISE, told)?;
        self.run_one(launch, &bound)
    }

    /// [`quantize`](crate::quantize()) of activations. It is no method of a trait, because it cannot refuse values. A block that has an element that is not finite, or past what the format
    /// holds, gets NaN for its scale: only the kernel sees it. `out` starts at a whole word, so at an even block of
    /// `q8_0`.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Domain`](crate::Error::Domain) where `out` starts within a word,
    /// [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    pub fn quantize<A: Activation>(&self, x: View<'_, f32, D>, out: ViewMut<'_, A, D>) -> Done
    where
        D: Computes<f32>,
    {
        called!(quantize, {
            same_len("x", out.len().saturating_mul(A::ELEMENTS), x.len())?;
            if out.read().before() != 0 {
                return Err(
                    crate::Error::must_be("out", "a view that starts at a whole word of 4 bytes").into()
                );
            }
            self.counted_blocks("out", out.read())?;
            let planner = &self.state.planner;
            planner.line::<F32>("x", x.len())?;
            if out.is_empty() {
                return Ok(());
            }
            let make = || Some(quantize::<A>(planner.meet));
            let program = planner.one_by::<F32>(A::NAME, u32::MAX, make)?;
            let told = arguments::<f32>(2, &[x.len()], &[]);
            let launch = planner.threads(program, x.len(), QUANTISED, told)?;
            self.run_one(launch, &[x.binding(self)?, out.binding(self)?])
        })
    }

    /// Products of `n` rows of weights and `m` of activations, each of `row` blocks.
    fn block_products<B: Block>(
        &self,
        weights: View<'_, B, D>,
        x: View<'_, B::Partner, D>,
        [n, m, row]: [usize; 3],
        out: &ViewMut<'_, f32, D>,
    ) -> Done
    where
        D: Computes<f32>,
    {
        const { assert!(B::ELEMENTS == <B::Partner as Block>::ELEMENTS) };
        self.counted_blocks("weights", weights)?;
        self.counted_blocks("x", x)?;
        let planner = &self.state.planner;
        planner.line::<F32>("out", out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let bound = [weights.binding(self)?, x.binding(self)?, out.binding(self)?];
        let wide = wide(bound.get(..2).unwrap_or_default());
        let threads = if row * (B::ELEMENTS / 32) >= LONG { MANY } else { FEW };
        // As many vectors as there are and have room: a block reads its weights once for all of them.
        let tiles =
            TILES.into_iter().take_while(|tile| scratch(*tile, threads) <= self.state.planner.limits.shared);
        let fits = tiles.take(1 + m.next_power_of_two().ilog2() as usize).enumerate().last();
        let (at, tile) = fits.unwrap_or((0, TILES[0]));
        let kind = 3 + 2 * at as u32 + u32::from(threads == MANY);
        let make = || Some(product::<B>(tile, threads, wide));
        let program = planner.one_by::<F32>(B::NAME, form(kind, wide), make)?;
        let [high, across] = tile.map(|t| t as usize);
        let told: Vec<Argument> = arguments::<f32>(3, &[weights.before(), x.before(), n, m, row], &[]);
        let launch = planner.grid_of(program, threads, [n.div_ceil(high), m.div_ceil(across)], told)?;
        self.run_one(launch, &bound)
    }
}

impl<D: Computes<f32>> Quantised for Gpu<D> {
    /// [`dequantize`](crate::dequantize())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn dequantize<B: Block>(&self, x: View<'_, B, D>, out: ViewMut<'_, f32, D>) -> Done {
        called!(dequantize, {
            same_len("out", x.len().saturating_mul(B::ELEMENTS), out.len())?;
            self.unpacked(Unpack::Whole, x, [1, B::ELEMENTS], None, &out)
        })
    }

    /// [`dequantize_padded`](crate::dequantize_padded())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn dequantize_padded<B: Block>(&self, x: View<'_, B, D>, cols: usize, out: ViewMut<'_, f32, D>) -> Done {
        called!(dequantize_padded, {
            let m = crate::parts::count("out", out.len(), cols)?;
            let row = cols.div_ceil(B::ELEMENTS);
            same_len("x", m.saturating_mul(row), x.len())?;
            self.unpacked(Unpack::Padded, x, [row, cols], None, &out)
        })
    }

    /// [`quant_dot`](crate::quant_dot()) to a view of one element.
    ///
    /// # Errors
    /// Those of [`Gpu::quant_gemv`].
    fn quant_dot<B: Block>(
        &self,
        a: View<'_, B, D>,
        b: View<'_, B::Partner, D>,
        out: ViewMut<'_, f32, D>,
    ) -> Done {
        called!(quant_dot, {
            same_len("b", a.len(), b.len())?;
            same_len("out", 1, out.len())?;
            self.quant_gemv(a, b, out)
        })
    }

    /// [`quant_gemv`](crate::quant_gemv())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn quant_gemv<B: Block>(
        &self,
        weights: View<'_, B, D>,
        x: View<'_, B::Partner, D>,
        out: ViewMut<'_, f32, D>,
    ) -> Done {
        called!(quant_gemv, {
            same_len("weights", x.len().saturating_mul(out.len()), weights.len())?;
            if x.is_empty() {
                return self.fill(0.0, out);
            }
            let sizes = [out.len(), 1, x.len()];
            self.block_products(weights, x, sizes, &out)
        })
    }

    /// [`quant_gemm`](crate::quant_gemm())
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn quant_gemm<B: Block>(
        &self,
        weights: View<'_, B, D>,
        x: View<'_, B::Partner, D>,
        cols: usize,
        out: ViewMut<'_, f32, D>,
    ) -> Done {
        called!(quant_gemm, {
            let row = whole::<B>(cols)?;
            let (n, m) = (rows("weights", weights.len(), row)?, rows("x", x.len(), row)?);
            same_len("out", n.saturating_mul(m), out.len())?;
            self.block_products(weights, x, [n, m, row], &out)
        })
    }

    /// [`quant_rows`](crate::quant_rows()). A row whose index is past the table is zeros, and the next
    /// [`Gpu::download`] says so.
    ///
    /// # Errors
    /// [`Empty`](crate::Error::Empty), [`Rows`](crate::Error::Rows), [`Len`](crate::Error::Len),
    /// [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn quant_rows<B: Block>(
        &self,
        table: View<'_, B, D>,
        cols: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, f32, D>,
    ) -> Done {
        called!(quant_rows, {
            let row = whole::<B>(cols)?;
            rows("table", table.len(), row)?;
            same_len("out", ids.len().saturating_mul(cols), out.len())?;
            self.unpacked(Unpack::Chosen, table, [row, cols], Some(ids), &out)
        })
    }
}
