//! Page-locked host memory: the device copies from and to it at the full rate of the bus, while the host continues.

use super::{Buffer, Code, Context, Cuda, sys};
use crate::gpu::backend::{Gpu, View, ViewMut, Word};
use crate::gpu::device::{Binding, Error, Readback};
use alloc::rc::Rc;
use core::cell::Cell;
use core::ffi::c_void;
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};

/// Bytes that are read through page-locked memory of the device's own: beyond, the driver's way is as fast.
const STAGED: usize = 1 << 20;

/// Page-locked memory.
#[derive(Debug)]
pub(super) struct Locked {
    at: NonNull<u8>,
    context: Rc<Context>,
}

impl Locked {
    /// So many bytes of zeros; the context was entered.
    fn new(context: &Rc<Context>, bytes: usize) -> Result<Self, Code> {
        let mut at: *mut c_void = ptr::null_mut();
        // SAFETY: valid for a write.
        let code = unsafe { sys::cuMemHostAlloc(&raw mut at, bytes.max(1), 0) };
        let at = NonNull::new(at.cast::<u8>()).filter(|_| code == Code::CUDA_SUCCESS).ok_or(code)?;
        // SAFETY: so many bytes were allocated.
        unsafe { at.write_bytes(0, bytes) };
        Ok(Self { at, context: Rc::clone(context) })
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        let _ = self.context.enter();
        // SAFETY: allocated by `new`, in this context, once; whoever copies from or to it has waited. There is nobody to tell of
        // an error.
        let _ = unsafe { sys::cuMemFreeHost(self.at.as_ptr().cast()) };
    }
}

/// Numbers in page-locked memory of the host. [`Gpu::write_pinned`] and [`Gpu::read_pinned`] start copies and wait for nothing;
/// looking at the numbers waits for the copies.
#[derive(Debug)]
pub struct Pinned<T: Word> {
    memory: Locked,
    all: NonNull<[T]>,
    /// Whether a copy may be under way.
    busy: Cell<bool>,
}

impl<T: Word> Pinned<T> {
    /// Waits for the copies.
    fn wait(&self) {
        if self.busy.replace(false) {
            let _ = self.memory.context.enter();
            // SAFETY: the stream is of this context. What went wrong the next call to the device says.
            let _ = unsafe { sys::cuStreamSynchronize(self.memory.context.stream) };
        }
    }
}

impl<T: Word> Deref for Pinned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.wait();
        // SAFETY: the memory is as long and lives as long as `self`; any bits are values of a `Word`; no copy is under way, and
        // none starts while this is borrowed that writes, as that takes it `&mut`.
        unsafe { self.all.as_ref() }
    }
}

impl<T: Word> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.wait();
        // SAFETY: as in `deref`; a copy that reads starts only from a shared borrow.
        unsafe { self.all.as_mut() }
    }
}

impl<T: Word> Drop for Pinned<T> {
    fn drop(&mut self) {
        self.wait();
    }
}

impl Gpu<Cuda> {
    /// So many zeros in page-locked memory of the host.
    ///
    /// ```no_run
    /// use fulmen::gpu::{backend::Gpu, cuda::Cuda};
    /// let gpu = Gpu::new(Cuda::from_env()?);
    /// let (mut from, mut to) = (gpu.pinned(1 << 20)?, gpu.pinned(1 << 20)?);
    /// from.fill(2.0f32);
    /// let mut x = gpu.alloc(1 << 20)?;
    /// gpu.write_pinned(&from, x.view_mut())?;
    /// gpu.scale_in_place(x.view_mut(), 0.5)?;
    /// gpu.read_pinned(x.view(), &mut to)?;
    /// assert!(to.iter().all(|x| *x == 1.0));
    /// # Ok::<(), fulmen::gpu::device::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Overflow`, [`Error::Driver`] where the host has no such memory left, [`Error::Lost`].
    pub fn pinned<T: Word>(&self, len: usize) -> Result<Pinned<T>, Error> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|n| isize::try_from(*n).is_ok());
        let bytes = bytes.ok_or(crate::Error::overflow("len"))?;
        let device = self.device();
        device.enter()?;
        let memory = Locked::new(&device.context, bytes).or_else(|code| {
            // A code of success comes with memory.
            device.told(code).and(Err(Error::Foreign))
        })?;
        let all = NonNull::slice_from_raw_parts(memory.at.cast::<T>(), len);
        Ok(Pinned { memory, all, busy: Cell::new(false) })
    }

    /// As [`Gpu::write`], after what was launched before, without waiting: whoever changes `from` next waits for the copy.
    ///
    /// # Errors
    /// Those of [`Gpu::write`]; [`Error::Foreign`] for memory of another device, [`Error::Range`] for a part that starts or ends
    /// within four bytes, [`Error::Limit`] for elements that lie as `bf16`.
    pub fn write_pinned<T: Word>(&self, from: &Pinned<T>, to: ViewMut<'_, T, Cuda>) -> Result<(), Error> {
        let b = self.whole_words(from, to.read())?;
        self.changes(&b);
        let device = self.device();
        let at = device.range(b.buffer, b.start, b.bytes)?;
        device.enter()?;
        device.told(device.context.start())?;
        from.busy.set(true);
        let (host, stream) = (from.memory.at.as_ptr().cast::<c_void>(), device.context.stream);
        // SAFETY: the range was checked, the lengths are equal; `from` lives until the copy was waited for.
        device.told(unsafe { sys::cuMemcpyHtoDAsync_v2(at, host, b.bytes as usize, stream) })
    }

    /// As [`Gpu::download`], after what was launched before, without waiting: whoever looks at `to` next waits for the copy. What
    /// only kernels saw of their arguments the next [`Gpu::download`] says.
    ///
    /// # Errors
    /// Those of [`Gpu::write_pinned`].
    pub fn read_pinned<T: Word>(&self, from: View<'_, T, Cuda>, to: &mut Pinned<T>) -> Result<(), Error> {
        let b = self.whole_words(to, from)?;
        let device = self.device();
        let at = device.range(b.buffer, b.start, b.bytes)?;
        device.enter()?;
        device.told(device.context.start())?;
        to.busy.set(true);
        let (host, stream) = (to.memory.at.as_ptr().cast::<c_void>(), device.context.stream);
        // SAFETY: as in `write_pinned`.
        device.told(unsafe { sys::cuMemcpyDtoHAsync_v2(host, at, b.bytes as usize, stream) })
    }

    /// The view of a device's memory that as many page-locked numbers are copied from or to as they lie.
    fn whole_words<'a, T: Word>(
        &self,
        pinned: &Pinned<T>,
        on_device: View<'a, T, Cuda>,
    ) -> Result<Binding<'a, Buffer>, Error> {
        if !Rc::ptr_eq(&pinned.memory.context, &self.device().context) {
            return Err(Error::Foreign);
        }
        let len = pinned.all.len();
        crate::error::same_len("pinned", on_device.len(), len)?;
        self.as_it_lies(on_device, len * size_of::<T>())
    }
}

impl Cuda {
    /// To the host through page-locked memory: one wait for all parts. Says whether they fit and there is such memory.
    pub(super) fn read_staged(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<bool, Error> {
        let bytes = parts.iter().fold(0usize, |n, p| n.saturating_add(p.to.len()));
        let make = || Locked::new(&self.context, STAGED).ok();
        let Some(scratch) = (bytes <= STAGED).then(|| self.staging.get_or_init(make).as_ref()).flatten()
        else {
            return Ok(false);
        };
        let mut start = 0;
        for p in &*parts {
            let at = self.range(p.buffer, p.start, p.to.len() as u64)?;
            // SAFETY: the range was checked; together they are no longer than the memory.
            self.told(unsafe {
                let host = scratch.at.add(start).as_ptr().cast();
                sys::cuMemcpyDtoHAsync_v2(host, at, p.to.len(), self.context.stream)
            })?;
            start += p.to.len();
        }
        // SAFETY: the stream is of this context.
        self.told(unsafe { sys::cuStreamSynchronize(self.context.stream) })?;
        // SAFETY: as long as all parts; no copy is under way.
        let mut from = unsafe { core::slice::from_raw_parts(scratch.at.as_ptr(), bytes) };
        for p in parts {
            let (own, rest) = from.split_at(p.to.len());
            p.to.copy_from_slice(own);
            from = rest;
        }
        Ok(true)
    }
}
