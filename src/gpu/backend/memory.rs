//! The memory of a device: it is allocated, written, filled and downloaded; the backend's [`Memory`] and [`Transfer`].

use super::super::device::{Binding, Blocking, Device, Error};
use super::Gpu;
use super::image::{ImageView, ImageViewMut};
use super::mat::{Mat, MatMut};
use super::pool::MemoryUse;
use super::stored;
use super::view::{Array, View, ViewMut, Word};
use crate::backend::{self, Memory, Plain, Transfer};
use crate::error::same_len;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// Bytes that a kernel fills at a time, a multiple of two words: it counts words by 31 bits.
const PIECE: u64 = 1 << 32;

impl<D: Device> Gpu<D> {
    /// Memory for so many elements, with anything in it.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    pub fn alloc<T: Word>(&self, len: usize) -> Result<Array<T, D>, Error> {
        let overflow = crate::Error::overflow("len");
        let bytes = len.checked_mul(T::BYTES).ok_or(overflow)? as u64;
        let memory = self.state.take(bytes)?;
        if T::BYTES % 4 != 0 {
            self.state.device.shares_words(&memory.buffer, bytes.next_multiple_of(4));
        }
        Ok(Array::new(memory, len, &self.state))
    }

    /// Memory for so many elements that are stored as `bf16`, in half the bytes, with anything in it: what an op writes is
    /// rounded to nearest, ties to even, and what it reads is converted, so that every op computes as it does with `f32`. A
    /// product whose operands are rounded ([`Gpu::rounding`]) reads it as it is.
    ///
    /// ```
    /// # use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let mut x = gpu.alloc_halves(3)?;
    /// gpu.write(&[1.0f32, 1.0 / 3.0, -2.0], x.view_mut())?;
    /// gpu.scale_in_place(x.view_mut(), 2.0)?;
    /// let mut host = [0.0; 3];
    /// gpu.download(x.view(), &mut host)?;
    /// assert_eq!(host, [2.0, 0.66796875, -4.0]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Gpu::alloc`]; [`Error::Limit`] on a device whose kernels are not PTX. An op whose kernel adds to memory
    /// at once says so when it is called with such memory: [`Error::Limit`].
    pub fn alloc_halves(&self, len: usize) -> Result<Array<f32, D>, Error> {
        self.state.planner.can_store_bf16()?;
        let overflow = crate::Error::overflow("len");
        let bytes = len.checked_mul(2).ok_or(overflow)? as u64;
        let memory = self.state.take(bytes)?;
        self.state.device.shares_words(&memory.buffer, bytes.next_multiple_of(4));
        self.state.bf16.add(self.state.device.number(&memory.buffer));
        Ok(Array::new(memory, len, &self.state))
    }

    /// How much memory this value and its clones hold.
    ///
    /// ```
    /// # use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let x = gpu.alloc::<f32>(1000)?;
    /// assert!(gpu.memory_use().live >= 4000);
    /// drop(x);
    /// let now = gpu.memory_use();
    /// assert!(now.live == 0 && now.cached >= 4000 && now.peak >= 4000);
    /// assert_eq!(gpu.trim(), now.cached);
    /// assert_eq!(gpu.memory_use().cached, 0);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn memory_use(&self) -> MemoryUse {
        self.state.pool.memory_use()
    }

    /// Gives the device the memory back that nothing has: that of arrays that were dropped, of scratch, and of operands that a
    /// rounding device keeps. A block of which a part is in use stays. Gives the bytes. NVIDIA's driver waits for the work before.
    ///
    /// An allocation that the device refuses does this by itself and tries once more; only another device value, another process or
    /// another library needs a call to it.
    #[expect(clippy::must_use_candidate, reason = "most callers want the memory, not its size")]
    pub fn trim(&self) -> u64 {
        self.state.give_up();
        self.state.pool.trim()
    }

    /// From now on no allocation makes this value hold more than so many bytes: what would is refused with [`Error::Limit`], after
    /// what nothing has was given back. `u64::MAX` is no limit. A few kibibytes of words by which kernels report are not counted.
    pub fn limit_memory(&self, bytes: u64) {
        self.state.pool.limit(bytes);
    }

    /// Memory that holds these elements.
    ///
    /// # Errors
    /// Those of [`Gpu::alloc`].
    pub fn upload<T: Word>(&self, from: &[T]) -> Result<Array<T, D>, Error> {
        let mut array = self.alloc(from.len())?;
        self.write(from, array.view_mut())?;
        Ok(array)
    }

    /// From the host.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Lost`].
    pub fn write<T: Word>(&self, from: &[T], to: ViewMut<'_, T, D>) -> Result<(), Error> {
        same_len("to", from.len(), to.len())?;
        let b = to.binding(self)?;
        if from.is_empty() {
            return Ok(());
        }
        self.changes(&b);
        let (from, halves) = (T::bytes(from), self.state.is_bf16(b.buffer));
        if from.len() as u64 == b.bytes && !halves {
            return self.state.device.write(b.buffer, b.start, from);
        }
        let mut bytes = Vec::with_capacity(b.bytes as usize);
        bytes.resize(to.0.before(), 0);
        bytes.extend_from_slice(from);
        bytes.resize(b.bytes as usize, 0);
        let (mut b, mut beside) = (b, to.0.beside());
        if halves {
            let (part, before) = stored::bf16_binding(b);
            bytes = stored::to_bf16(&bytes);
            bytes.splice(0..0, vec![0; before as usize]);
            let after = (part.bytes as usize).saturating_sub(bytes.len());
            bytes.resize(part.bytes as usize, 0);
            (b, beside) = (part, [before as usize, if to.0.is_last() { 0 } else { after }]);
        }
        let (b, bytes) = self.ends(b, bytes, beside)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.state.device.write(b.buffer, b.start, &bytes)
    }

    /// Before a device writes this part.
    pub(in super::super) fn changes(&self, b: &Binding<'_, D::Buffer>) {
        self.state.last.take();
        self.state.changed(b.buffer, &(b.start..b.start + b.bytes));
    }

    /// The same everywhere.
    ///
    /// # Errors
    /// [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    pub fn fill<T: Word>(&self, x: T, to: ViewMut<'_, T, D>) -> Result<(), Error> {
        let b = to.binding(self)?;
        // A kernel writes two words by turns.
        if T::BYTES != 4 && T::BYTES != 8 {
            return self.write(&vec![x; to.len()], to);
        }
        // Elements of eight bytes are two words.
        let x = [x];
        let words = T::bytes(&x).as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w));
        let [low, high] = match words.collect::<Vec<_>>()[..] {
            [low, high] => [low, high],
            [word] => [word; 2],
            _ => [0; 2],
        };
        // Pieces of what kernels count.
        (0..b.bytes.div_ceil(PIECE)).map(|k| k * PIECE).try_for_each(|from| {
            let piece = Binding { start: b.start + from, bytes: (b.bytes - from).min(PIECE), ..b };
            let plan = self.state.planner.fill((piece.bytes / 4) as usize, [low, high])?;
            self.run(&plan, &[piece])
        })
    }

    /// To the host, when everything before it is done.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Lost`], and what went wrong in the work before: [`Error::Index`] and
    /// [`Error::Pivot`] for what only a kernel saw.
    pub fn download<T: Word>(&self, from: View<'_, T, D>, to: &mut [T]) -> Result<(), Error>
    where
        D: Blocking,
    {
        self.state.device.wait(self.download_async(from, to))
    }

    /// As [`Gpu::download`], without waiting: all that there is in a browser.
    ///
    /// # Errors
    /// Those of [`Gpu::download`].
    pub async fn download_async<T: Word>(&self, from: View<'_, T, D>, to: &mut [T]) -> Result<(), Error> {
        same_len("to", from.len(), to.len())?;
        let b = from.binding(self)?;
        if to.is_empty() {
            return Ok(());
        }
        let halves = self.state.is_bf16(b.buffer);
        if !halves && size_of_val(to) as u64 == b.bytes {
            return self.state.read(b, T::bytes_mut(to)).await?;
        }
        let (b, before) = if halves { stored::bf16_binding(b) } else { (b, from.before() as u64) };
        let mut bytes = vec![0; usize::try_from(b.bytes).map_err(|_| crate::Error::overflow("to"))?];
        let said = self.state.read(b, &mut bytes).await?;
        let bytes = bytes.get(before as usize..).unwrap_or_default();
        let wide = if halves { stored::from_bf16(bytes) } else { Vec::new() };
        let bytes = if halves { &wide } else { bytes };
        T::bytes_mut(to).iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        said
    }
}

impl<D: Device> Memory for Gpu<D> {
    type Error = Error;
    type Ref<'a, T: Plain> = View<'a, T, D>;
    type Mut<'a, T: Plain> = ViewMut<'a, T, D>;
    type Mat<'a, T: Plain> = Mat<'a, T, D>;
    type MatMut<'a, T: Plain> = MatMut<'a, T, D>;
    /// A matrix of one column.
    type Vec<'a, T: Plain> = Mat<'a, T, D>;
    type VecMut<'a, T: Plain> = MatMut<'a, T, D>;
    type Image<'a, T: Plain> = ImageView<'a, T, D>;
    type ImageMut<'a, T: Plain> = ImageViewMut<'a, T, D>;
    /// Work is in memory of the device's pool.
    type Workspace<'a, T: Plain> = ();

    fn len<T: Plain>(x: Self::Ref<'_, T>) -> usize {
        x.len()
    }
    fn part<T: Plain>(x: Self::Ref<'_, T>, range: Range<usize>) -> Result<Self::Ref<'_, T>, Error> {
        x.part(range)
    }
    fn split<T: Plain>(x: Self::Mut<'_, T>, at: usize) -> Result<[Self::Mut<'_, T>; 2], Error> {
        x.split(at)
    }
    fn read<'a, T: Plain>(x: &'a Self::Mut<'_, T>) -> Self::Ref<'a, T> {
        x.read()
    }
    fn lend<'a, T: Plain>(x: &'a mut Self::Mut<'_, T>) -> Self::Mut<'a, T> {
        x.lend()
    }
    fn workspace<T: Plain>(_: Self::Mut<'_, T>) -> Self::Workspace<'_, T> {}
    fn host_workspace<T: Plain>(_: &mut [T]) -> Self::Workspace<'_, T> {}
    fn matrix<T: Plain>(x: Self::Ref<'_, T>, rows: usize, cols: usize) -> Result<Self::Mat<'_, T>, Error> {
        x.matrix(rows, cols)
    }
    fn matrix_mut<T: Plain>(
        x: Self::Mut<'_, T>,
        rows: usize,
        cols: usize,
    ) -> Result<Self::MatMut<'_, T>, Error> {
        x.matrix(rows, cols)
    }
    fn image<T: Plain>(
        x: Self::Ref<'_, T>,
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<Self::Image<'_, T>, Error> {
        x.image(width, height, channels)
    }
    fn image_mut<T: Plain>(
        x: Self::Mut<'_, T>,
        width: usize,
        height: usize,
        channels: usize,
    ) -> Result<Self::ImageMut<'_, T>, Error> {
        x.image(width, height, channels)
    }
    fn vector<T: Plain>(x: Self::Ref<'_, T>) -> Self::Vec<'_, T> {
        Mat { all: x, shape: [x.len(), 1], strides: [1, 1], start: 0 }
    }
    fn vector_mut<T: Plain>(x: Self::Mut<'_, T>) -> Self::VecMut<'_, T> {
        MatMut(Self::vector(x.0))
    }
    fn t<T: Plain>(x: Self::Mat<'_, T>) -> Self::Mat<'_, T> {
        x.t()
    }
    fn cols<T: Plain>(x: Self::Mat<'_, T>, range: Range<usize>) -> Result<Self::Mat<'_, T>, Error> {
        x.cols(range)
    }
    fn split_cols<T: Plain>(x: Self::MatMut<'_, T>, col: usize) -> Result<[Self::MatMut<'_, T>; 2], Error> {
        x.split_cols(col)
    }
}

impl<T: Plain + Word, D: Device> Transfer<T> for Gpu<D> {
    fn write(&self, from: &[T], to: ViewMut<'_, T, D>) -> Result<(), Error> {
        Self::write(self, from, to)
    }
    fn fill(&self, x: T, to: ViewMut<'_, T, D>) -> Result<(), Error> {
        Self::fill(self, x, to)
    }
    async fn download_async(&self, from: Self::Ref<'_, T>, to: &mut [T]) -> Result<(), Error> {
        Self::download_async(self, from, to).await
    }
}

impl<D: Blocking> backend::Blocking for Gpu<D> {
    fn wait<F: Future>(&self, f: F) -> F::Output {
        self.state.device.wait(f)
    }
}
