//! Typed memory from a pool, and views of it. A view that is written belongs to one place at a time, as `&mut` does.

use super::super::device::{Binding, Blocking, Device, Error, Readback};
use super::super::template::Index;
use super::super::template::launch::ZERO_WORDS;
use super::Gpu;
use super::copies::Copies;
use super::gemv::Last;
use super::mat::{Mat, MatMut};
use super::plan::Planner;
use super::stored::{self, Halves};
use crate::backend::{self, Memory, Plain, Transfer};
use crate::error::same_len;
use crate::lanes::Element;
use crate::quant::{Bits, as_bytes, as_bytes_mut};
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, OnceCell, RefCell};
use core::marker::PhantomData;
use core::ops::Range;

/// Bytes that a kernel fills at a time, a multiple of two words: it counts words by 31 bits.
const PIECE: u64 = 1 << 32;

/// What a device's memory holds: numbers as they lie on the host, the lowest byte first.
pub trait Word: Bits {
    /// Bytes of an element.
    const BYTES: usize = size_of::<Self>();
}
impl<T: Bits> Word for T {}
const _: () = assert!(cfg!(target_endian = "little"), "devices have the lowest byte first");

/// Memory from the pool.
#[derive(Debug)]
pub(super) struct Room<B> {
    pub(super) buffer: B,
    pub(super) bytes: u64,
}

/// Bytes of the status words.
const STATUS: usize = 4 * Index::ALL.len();

#[derive(Debug)]
pub(super) struct State<D: Device> {
    pub(super) device: D,
    pub(super) planner: Planner,
    pub(super) copies: Copies<D::Buffer>,
    pub(super) halves: Halves,
    /// Lists that are open, and the last launch of them if a next one may become one with it.
    pub(super) lists: Cell<usize>,
    pub(super) last: RefCell<Option<Last>>,
    free: RefCell<BTreeMap<u64, Vec<D::Buffer>>>,
    status: OnceCell<D::Buffer>,
    /// Words in which blocks count who ended: zeros between launches.
    zeros: OnceCell<D::Buffer>,
    /// Whether a kernel that may write a status word ran since they were read.
    unsure: Cell<bool>,
}

impl<D: Device> State<D> {
    pub(super) fn new(device: D) -> Self {
        let planner = Planner::new(device.facts());
        let (copies, halves) = (Copies::default(), Halves::default());
        Self {
            device,
            planner,
            copies,
            halves,
            lists: Cell::default(),
            last: RefCell::default(),
            free: RefCell::default(),
            status: OnceCell::new(),
            zeros: OnceCell::new(),
            unsure: Cell::new(false),
        }
    }

    /// Opens a list.
    pub(super) fn begin(&self) {
        self.lists.set(self.lists.get() + 1);
        self.device.begin();
    }

    /// Closes it.
    pub(super) fn end(&self) -> Result<(), Error> {
        self.lists.set(self.lists.get().saturating_sub(1));
        self.last.take();
        self.device.end()
    }

    /// At least so many bytes. Sizes are powers of two, or multiples of a mebibyte.
    pub(super) fn take(&self, bytes: u64) -> Result<Room<D::Buffer>, Error> {
        const LARGE: u64 = 1 << 20;
        let limit = self.device.facts().limits.buffer;
        let rounded = match bytes {
            0..=256 => 256,
            257..LARGE => bytes.next_power_of_two(),
            _ => bytes.checked_next_multiple_of(LARGE).unwrap_or(u64::MAX),
        };
        // What fits is not refused for its rounding.
        let size = if rounded > limit { bytes } else { rounded };
        let kept = self.free.borrow_mut().get_mut(&size).and_then(Vec::pop);
        let buffer = match kept {
            Some(buffer) => buffer,
            // What copies hold is given up for it.
            None => self.device.allocate(size).or_else(|error| match self.copies.clear() {
                true => self.device.allocate(size),
                false => Err(error),
            })?,
        };
        Ok(Room { buffer, bytes: size })
    }

    /// The status words, for a kernel that may write one.
    pub(super) fn status(&self) -> Result<&D::Buffer, Error> {
        self.unsure.set(true);
        self.words(&self.status, &[0; STATUS])
    }

    /// Zeros, for kernels that leave zeros.
    pub(super) fn zeros(&self) -> Result<&D::Buffer, Error> {
        self.words(&self.zeros, &[0; 4 * ZERO_WORDS])
    }

    /// Memory that is made when it is first asked for, with these bytes.
    fn words<'a>(&'a self, at: &'a OnceCell<D::Buffer>, bytes: &[u8]) -> Result<&'a D::Buffer, Error> {
        if let Some(words) = at.get() {
            return Ok(words);
        }
        let words = self.device.allocate(bytes.len() as u64)?;
        self.device.write(&words, 0, bytes)?;
        Ok(at.get_or_init(|| words))
    }

    /// To the host, and what kernels said of their arguments since the last time.
    async fn read(&self, b: Binding<'_, D::Buffer>, to: &mut [u8]) -> Result<Result<(), Error>, Error> {
        let read = Readback { buffer: b.buffer, start: b.start, to };
        let Some(words) = self.status.get().filter(|_| self.unsure.get()) else {
            self.device.read(&mut [read]).await?;
            return Ok(Ok(()));
        };
        let mut bytes = [0; STATUS];
        self.device.read(&mut [read, Readback { buffer: words, start: 0, to: &mut bytes }]).await?;
        self.unsure.set(false);
        let mut each = Index::ALL.into_iter().zip(bytes.as_chunks::<4>().0);
        let Some((what, word)) = each.find(|(_, word)| **word != [0; 4]) else { return Ok(Ok(())) };
        self.device.write(words, 0, &[0; STATUS])?;
        let (op, arg) = what.names();
        let index = u32::from_le_bytes(*word) - 1;
        Ok(Err(match what {
            Index::Lz4 => Error::Block { op, arg, index },
            _ if what.pivot() => Error::Pivot { op, arg, index },
            _ => Error::Index { op, arg, index },
        }))
    }

    pub(super) fn give(&self, room: Room<D::Buffer>) {
        self.changed(&room.buffer, &(0..u64::MAX));
        self.halves.forget(self.device.number(&room.buffer));
        self.free.borrow_mut().entry(room.bytes).or_default().push(room.buffer);
    }
}

/// Elements in memory of a device. It goes back to the pool when dropped.
#[derive(Debug)]
pub struct Array<T, D: Device> {
    // Nothing only while it is dropped.
    room: Option<Room<D::Buffer>>,
    len: usize,
    state: Rc<State<D>>,
    element: PhantomData<T>,
}

impl<T, D: Device> Drop for Array<T, D> {
    fn drop(&mut self) {
        if let Some(room) = self.room.take() {
            self.state.give(room);
        }
    }
}

impl<T: Word, D: Device> Array<T, D> {
    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All of it, read.
    #[must_use]
    pub const fn view(&self) -> View<'_, T, D> {
        View { array: self, start: 0, len: self.len }
    }

    /// All of it, written.
    #[must_use]
    pub const fn view_mut(&mut self) -> ViewMut<'_, T, D> {
        ViewMut(View { array: self, start: 0, len: self.len })
    }
}

/// Elements in a line, read.
#[derive(Debug)]
pub struct View<'a, T, D: Device> {
    array: &'a Array<T, D>,
    start: usize,
    len: usize,
}

impl<T, D: Device> Clone for View<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, D: Device> Copy for View<'_, T, D> {}

/// Elements in a line, written.
#[derive(Debug)]
pub struct ViewMut<'a, T, D: Device>(View<'a, T, D>);

impl<'a, T, D: Device> View<'a, T, D> {
    /// Number of elements.
    #[must_use]
    pub const fn len(self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The elements in the range.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds) when it has not all of them.
    pub fn part(self, range: Range<usize>) -> Result<Self, Error> {
        let bad = Error::Call(crate::Error::OutOfBounds { arg: "x", got: self.len });
        if range.start > range.end || range.end > self.len {
            return Err(bad);
        }
        Ok(Self { start: self.start + range.start, len: range.end - range.start, ..self })
    }

    /// Row after row.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Overflow`](crate::Error::Overflow).
    pub fn matrix(self, rows: usize, cols: usize) -> Result<Mat<'a, T, D>, Error> {
        let n = rows.checked_mul(cols).ok_or(crate::Error::Overflow { arg: "rows * cols" })?;
        same_len("data", n, self.len)?;
        Ok(Mat { all: self, shape: [rows, cols], strides: [cols, 1], start: 0 })
    }

    /// The elements of a sequence, of so many of one length.
    pub(super) fn sequence(self, at: usize, of: usize) -> Result<Self, Error> {
        let n = self.len / of.max(1);
        self.part(at * n..(at + 1) * n)
    }

    /// What launches take.
    pub(super) fn binding(self, of: &Gpu<D>) -> Result<Binding<'a, D::Buffer>, Error> {
        if !Rc::ptr_eq(&self.array.state, &of.state) {
            return Err(Error::Foreign);
        }
        let room = self.array.room.as_ref().ok_or(Error::Foreign)?;
        let [start, end] = self.bytes();
        // Whole words: elements that are no words may be in one with a neighbour.
        let start = start - start % 4;
        Ok(Binding { buffer: &room.buffer, start, bytes: end.next_multiple_of(4) - start })
    }

    /// Whether both are the same elements.
    pub(super) fn same(self, other: Self) -> bool {
        core::ptr::eq(self.array, other.array) && [self.start, self.len] == [other.start, other.len]
    }

    /// Where its bytes start and end.
    const fn bytes(self) -> [u64; 2] {
        let width = size_of::<T>() as u64;
        [self.start as u64 * width, (self.start + self.len) as u64 * width]
    }

    /// Whether it ends where all of it does.
    const fn is_last(self) -> bool {
        self.start + self.len == self.array.len
    }

    /// Bytes of neighbours in the words at its ends; behind the last element of all there is none.
    const fn beside(self) -> [usize; 2] {
        let [_, end] = self.bytes();
        [self.before(), if self.is_last() { 0 } else { (end.next_multiple_of(4) - end) as usize }]
    }

    /// Bytes between the word where the binding starts and the first element.
    pub(super) const fn before(self) -> usize {
        self.bytes()[0] as usize % 4
    }
}

impl<'a, T, D: Device> ViewMut<'a, T, D> {
    /// As [`View::sequence`]: each has its own elements.
    pub(super) fn sequence(&self, at: usize, of: usize) -> Result<Self, Error> {
        Ok(Self(self.0.sequence(at, of)?))
    }

    /// Number of elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// To be read.
    #[must_use]
    pub const fn read(&self) -> View<'_, T, D> {
        self.0
    }

    /// To be written, for a while.
    #[must_use]
    pub const fn lend(&mut self) -> ViewMut<'_, T, D> {
        ViewMut(self.0)
    }

    /// The first `at` elements and the others.
    ///
    /// # Errors
    /// [`OutOfBounds`](crate::Error::OutOfBounds).
    pub fn split(self, at: usize) -> Result<[Self; 2], Error> {
        let n = self.0.len;
        Ok([Self(self.0.part(0..at)?), Self(self.0.part(at..n)?)])
    }

    /// As [`View::matrix`].
    ///
    /// # Errors
    /// Those of [`View::matrix`].
    pub fn matrix(self, rows: usize, cols: usize) -> Result<MatMut<'a, T, D>, Error> {
        Ok(MatMut(self.0.matrix(rows, cols)?))
    }

    pub(super) fn binding(&self, of: &Gpu<D>) -> Result<Binding<'a, D::Buffer>, Error> {
        self.0.binding(of)
    }
}

impl<D: Device> Gpu<D> {
    /// Memory for so many elements, with anything in it.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    pub fn alloc<T: Word>(&self, len: usize) -> Result<Array<T, D>, Error> {
        let overflow = crate::Error::Overflow { arg: "len" };
        let bytes = len.checked_mul(T::BYTES).ok_or(overflow)? as u64;
        let room = Some(self.state.take(bytes)?);
        Ok(Array { room, len, state: Rc::clone(&self.state), element: PhantomData })
    }

    /// Memory for so many elements that lie in it as `bf16`, in half the bytes, with anything in it: what an op writes is
    /// rounded to nearest, ties to even, and what it reads is widened, so that every op computes as it does with `f32`. A
    /// product whose operands are rounded ([`Gpu::rounding`]) reads it as it lies.
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
        self.state.planner.has_halves()?;
        let overflow = crate::Error::Overflow { arg: "len" };
        let room = self.state.take(len.checked_mul(2).ok_or(overflow)? as u64)?;
        self.state.halves.add(self.state.device.number(&room.buffer));
        Ok(Array { room: Some(room), len, state: Rc::clone(&self.state), element: PhantomData })
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
        let (from, halves) = (as_bytes(from), self.state.is_halves(b.buffer));
        if from.len() as u64 == b.bytes && !halves {
            return self.state.device.write(b.buffer, b.start, from);
        }
        let mut bytes = Vec::with_capacity(b.bytes as usize);
        bytes.resize(to.0.before(), 0);
        bytes.extend_from_slice(from);
        bytes.resize(b.bytes as usize, 0);
        let (mut b, mut beside) = (b, to.0.beside());
        if halves {
            let (part, before) = stored::half_of(b);
            bytes = stored::to_halves(&bytes);
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
        let words = as_bytes(&x).as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w));
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
        let halves = self.state.is_halves(b.buffer);
        if !halves && size_of_val(to) as u64 == b.bytes {
            return self.state.read(b, as_bytes_mut(to)).await?;
        }
        let (b, before) = if halves { stored::half_of(b) } else { (b, from.before() as u64) };
        let mut bytes = vec![0; usize::try_from(b.bytes).map_err(|_| crate::Error::Overflow { arg: "to" })?];
        let said = self.state.read(b, &mut bytes).await?;
        let bytes = bytes.get(before as usize..).unwrap_or_default();
        let wide = if halves { stored::from_halves(bytes) } else { Vec::new() };
        let bytes = if halves { &wide } else { bytes };
        as_bytes_mut(to).iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        said
    }
}

impl<D: Device + 'static> Memory for Gpu<D> {
    type Error = Error;
    type Ref<'a, T: Plain> = View<'a, T, D>;
    type Mut<'a, T: Plain> = ViewMut<'a, T, D>;
    type Mat<'a, T: Plain> = Mat<'a, T, D>;
    type MatMut<'a, T: Plain> = MatMut<'a, T, D>;
    /// A matrix of one column.
    type Vec<'a, T: Plain> = Mat<'a, T, D>;
    type VecMut<'a, T: Plain> = MatMut<'a, T, D>;

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
    fn vector<T: Element>(x: Self::Ref<'_, T>) -> Self::Vec<'_, T> {
        Mat { all: x, shape: [x.len(), 1], strides: [1, 1], start: 0 }
    }
    fn vector_mut<T: Element>(x: Self::Mut<'_, T>) -> Self::VecMut<'_, T> {
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

impl<T: Plain + Word, D: Device + 'static> Transfer<T> for Gpu<D> {
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

impl<D: Blocking + 'static> backend::Blocking for Gpu<D> {
    fn wait<F: Future>(&self, f: F) -> F::Output {
        self.state.device.wait(f)
    }
}
