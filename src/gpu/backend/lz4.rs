//! LZ4: a warp for each block, on devices with 8-bit loads.

use super::super::device::{Binding, Computes, Error};
use super::super::ir::Kernel;
use super::super::template::lz4::{self, WARP};
use super::super::types::F32;
use super::ops::{Done, arguments, called};
use super::plan::counted;
use super::{Gpu, View, ViewMut};
use crate::backend::Compression;
use crate::error::same_len;
use crate::lz4::{LZ4_BLOCK, lz4_bound, slots};

impl<D: Computes<u8>> Gpu<D> {
    fn warps(
        &self,
        op: &'static str,
        make: fn() -> Result<Kernel, super::super::Error>,
        blocks: usize,
        bound: &[Binding<'_, D::Buffer>],
        words: &[usize],
    ) -> Done {
        let planner = &self.state.planner;
        let program = planner.one::<F32>(op, || Some(make()))?;
        let told = arguments::<f32>(bound.len(), words, &[]);
        self.run_one(planner.grid_of(program, WARP, [blocks, 1], told)?, bound)
    }

    /// So many bytes as kernels count them.
    fn counted(&self, arg: &'static str, bytes: usize) -> Result<usize, Error> {
        self.state.planner.line::<F32>(arg, bytes.div_ceil(4))?;
        Ok(counted(arg, bytes)? as usize)
    }
}

impl<D: Computes<u8>> Compression for Gpu<D> {
    /// [`lz4_compress`](crate::lz4_compress()), the same bytes.
    ///
    /// # Errors
    /// Those of the op, [`Error::Limit`], [`Error::Lost`].
    fn lz4_compress(
        &self,
        data: View<'_, u8, D>,
        block: usize,
        out: ViewMut<'_, u8, D>,
        sizes: ViewMut<'_, u32, D>,
    ) -> Done {
        called!(lz4_compress, {
            same_len("out", slots(data.len(), block, LZ4_BLOCK, sizes.len())?, out.len())?;
            self.counted("out", out.len())?;
            if sizes.is_empty() {
                return Ok(());
            }
            let bound = [data.binding(self)?, out.binding(self)?, sizes.binding(self)?];
            let befores = [data.before(), out.read().before()];
            let words = [data.len(), block, lz4_bound(block), sizes.len(), befores[0], befores[1]];
            self.warps("lz4_compress", lz4::compress, sizes.len(), &bound, &words)
        })
    }

    /// [`lz4_decompress`](crate::lz4_decompress()). What is no block of its size is said by the next [`download`](Self::download), as
    /// [`Error::Block`] with its number; its part of `out` may hold anything then.
    ///
    /// # Errors
    /// Those of the op but for what `sizes` and `data` hold, [`Error::Limit`], [`Error::Lost`].
    fn lz4_decompress(
        &self,
        data: View<'_, u8, D>,
        sizes: View<'_, u32, D>,
        block: usize,
        out: ViewMut<'_, u8, D>,
    ) -> Done {
        called!(lz4_decompress, {
            let (all, slot) = (slots(out.len(), block, usize::MAX, sizes.len())?, lz4_bound(block));
            if data.len() > all || data.len() < all.saturating_sub(slot) {
                return Err(crate::Error::len("data", all, data.len()).into());
            }
            let most = [self.counted("data", data.len())?, self.counted("out", out.len())?];
            if sizes.is_empty() {
                return Ok(());
            }
            let bound = [data.binding(self)?, sizes.binding(self)?, out.binding(self)?, self.status()?];
            // Those of a single block may be larger than all of it.
            let (block, slot) = (block.min(most[1]), slot.min(most[0].max(1)));
            let befores = [data.before(), out.read().before()];
            let words = [data.len(), out.len(), block, slot, sizes.len(), befores[0], befores[1]];
            self.warps("lz4_decompress", lz4::decompress, sizes.len(), &bound, &words)
        })
    }
}
