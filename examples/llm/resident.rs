//! Devices as machines: their memory, and blocks that stay on them.

use super::*;
use fulmen::gpu::backend::{Array, View, ViewMut};
use fulmen::gpu::device::Computes;

/// Blocks of one format on a device, whichever it is.
pub trait Resident<D: Computes<f32>> {
    /// [`Blocked::times`] with the rows in these bytes.
    fn times(
        &self,
        gpu: &Gpu<D>,
        bytes: Range<usize>,
        n: usize,
        x: View<'_, f32, D>,
        y: ViewMut<'_, f32, D>,
    ) -> Result<(), fulmen::gpu::device::Error>;
    /// [`Blocked::rows`] of those in these bytes.
    fn rows(
        &self,
        gpu: &Gpu<D>,
        bytes: Range<usize>,
        n: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, f32, D>,
    ) -> Result<(), fulmen::gpu::device::Error>;
}

impl<Q: Block, D: Computes<f32>> Resident<D> for Array<Q, D> {
    fn times(
        &self,
        gpu: &Gpu<D>,
        bytes: Range<usize>,
        n: usize,
        x: View<'_, f32, D>,
        y: ViewMut<'_, f32, D>,
    ) -> Result<(), fulmen::gpu::device::Error> {
        // From the pool, and back to it.
        let mut to = gpu.alloc::<Q::Partner>(x.len() / Q::Partner::ELEMENTS)?;
        gpu.quantize(x, to.view_mut())?;
        gpu.quant_gemm(self.view().part(blocks_of::<Q>(bytes))?, to.view(), n, y)
    }
    fn rows(
        &self,
        gpu: &Gpu<D>,
        bytes: Range<usize>,
        n: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, f32, D>,
    ) -> Result<(), fulmen::gpu::device::Error> {
        gpu.quant_rows(self.view().part(blocks_of::<Q>(bytes))?, n, ids, out)
    }
}

/// The blocks that are in these bytes.
const fn blocks_of<Q: Block>(bytes: Range<usize>) -> Range<usize> {
    bytes.start / size_of::<Q>()..bytes.end / size_of::<Q>()
}

/// Tensors of one format that lie one after the other: their format, their first byte, and the blocks.
pub struct Run<D: Computes<f32>> {
    kind: u32,
    start: usize,
    blocks: Box<dyn Resident<D>>,
}

/// A part of them, by its bytes.
pub struct Stretch<'a, D: Computes<f32>> {
    blocks: &'a dyn Resident<D>,
    start: usize,
    end: usize,
}

impl<D: Computes<f32>> Copy for Stretch<'_, D> {}
impl<D: Computes<f32>> Clone for Stretch<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Blocks stay blocks on a device.
impl<D: Computes<f32>> Blocked for Gpu<D> {
    type Store = Vec<Run<D>>;
    type Blocks<'a> = Stretch<'a, D>;
    fn blocks(all: &Self::Store, kind: u32, range: Range<usize>) -> Option<Self::Blocks<'_>> {
        let run = all.iter().rev().find(|run| run.start <= range.start && run.kind == kind)?;
        let [start, end] = [range.start, range.end].map(|at| at - run.start);
        Some(Stretch { blocks: &*run.blocks, start, end })
    }
    fn times(
        &self,
        w: Self::Blocks<'_>,
        n: usize,
        x: In<'_, Self>,
        y: Out<'_, Self>,
        _: Out<'_, Self>,
    ) -> Result<(), Self::Error> {
        w.blocks.times(self, w.start..w.end, n, x, y)
    }
    fn rows(
        &self,
        w: Self::Blocks<'_>,
        n: usize,
        ids: Ids<'_, Self>,
        out: Out<'_, Self>,
    ) -> Result<(), Self::Error> {
        w.blocks.rows(self, w.start..w.end, n, ids, out)
    }
}

/// What a device says, as the program does.
impl<D: Computes<f32>> Machine for Gpu<D> {
    type Floats = Array<f32, D>;
    type Words = Array<u32, D>;
    const HOST: bool = false;
    fn name(&self) -> String {
        self.device().facts().name.clone()
    }
    fn floats(&self, n: usize) -> Result<Self::Floats, Lack> {
        let mut x = self.alloc(n)?;
        self.fill(0.0, x.view_mut())?;
        Ok(x)
    }
    fn activations(&self, n: usize) -> Result<Self::Floats, Lack> {
        let mut x = if self.rounds() { self.alloc_halves(n)? } else { self.alloc(n)? };
        self.fill(0.0, x.view_mut())?;
        Ok(x)
    }
    fn floats_of(&self, x: Vec<f32>) -> Result<Self::Floats, Lack> {
        Ok(self.upload(&x)?)
    }
    fn weights_of(&self, x: Vec<f32>) -> Result<Self::Floats, Lack> {
        if !self.rounds() {
            return self.floats_of(x);
        }
        let mut all = self.alloc_halves(x.len())?;
        self.write(&x, all.view_mut())?;
        Ok(all)
    }
    fn weight_bytes(&self) -> usize {
        if self.rounds() { 2 } else { 4 }
    }
    fn store_of(&self, all: Vec<u8>, places: &[Place]) -> Result<Self::Store, Lack> {
        fn upload<Q: Block, D: Computes<f32>>(
            gpu: &Gpu<D>,
            bytes: &[u8],
        ) -> Result<Box<dyn Resident<D>>, Lack> {
            Ok(Box::new(gpu.upload(blocks::<Q>(bytes)?)?))
        }
        let mut runs = Vec::new();
        let blocks: Vec<&Place> = places.iter().filter(|p| p.kind != crate::gguf::F32).collect();
        for run in blocks.chunk_by(|a, b| a.kind == b.kind) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                runs.push((first.kind, first.range.start..last.range.end));
            }
        }
        let unknown = || Lack::from(Error::domain("weights"));
        let upload = |(kind, range): (u32, Range<usize>)| {
            let (start, bytes) = (range.start, all.get(range).ok_or_else(unknown)?);
            let blocks = of_kind!(kind, upload<D>(self, bytes)).ok_or_else(unknown)??;
            Ok(Run { kind, start, blocks })
        };
        runs.into_iter().map(upload).collect()
    }
    async fn on_host<'a>(&self, x: &'a Self::Floats) -> Result<Cow<'a, [f32]>, Lack> {
        let mut to = zeros(x.len())?;
        self.download_async(x.view(), &mut to).await?;
        Ok(Cow::Owned(to))
    }
    fn words(&self, n: usize) -> Result<Self::Words, Lack> {
        let mut x = self.alloc(n)?;
        self.fill(0, x.view_mut())?;
        Ok(x)
    }
    fn view(x: &Self::Floats) -> In<'_, Self> {
        x.view()
    }
    fn view_mut(x: &mut Self::Floats) -> Out<'_, Self> {
        x.view_mut()
    }
    fn ids(x: &Self::Words) -> Ids<'_, Self> {
        x.view()
    }
    fn ids_mut(x: &mut Self::Words) -> <Self as Memory>::Mut<'_, u32> {
        x.view_mut()
    }
    fn steps<R>(
        trainer: &impl Training<Self>,
        others: Option<&dyn AllReduce<Self>>,
        _: usize,
        text: &[u32],
        body: impl FnOnce(Steps<'_>) -> R,
    ) -> R
    where
        Self: Blocking,
    {
        body(&mut |step| trainer.now(others, step, text))
    }
    fn together(&self, work: impl FnOnce() -> Result<(), Lack>) -> Result<(), Lack> {
        Gpu::together(self, work)
    }
    fn sum_of(&self, _: &[f32]) -> Option<f32> {
        None
    }
    #[cfg(feature = "parallel")]
    fn on_threads<J: Job<Done: Send> + Send>(self, _: usize, job: J) -> J::Done
    where
        Self: Blocking,
    {
        job.run(self)
    }
}
