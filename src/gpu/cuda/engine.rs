//! Work that another library does on a device's stream.

use super::{Code, Cuda, first, sys};
use crate::gpu::backend::{Gpu, View, Word};
use crate::gpu::device::Error;
use alloc::rc::Rc;
use core::ffi::c_void;

/// The stream of a device, and the addresses of what is read and written on it.
pub(crate) struct OnStream {
    pub(crate) stream: *mut c_void,
    pub(crate) from: *const c_void,
    pub(crate) to: *mut c_void,
}

impl Gpu<Cuda> {
    /// Calls `work` after what was launched before, with the device's context current in this thread. `work` may put on the stream what
    /// reads the elements of `from` and writes those of `to`, which are the caller's to write.
    ///
    /// # Errors
    /// [`Error::Foreign`] for memory of another device, [`Error::Range`] for a part that starts or ends within four bytes,
    /// [`Error::Limit`] for elements that lie as `bf16`, [`Error::Lost`].
    pub(crate) fn on_stream<T: Word, R>(
        &self,
        from: View<'_, T, Cuda>,
        to: View<'_, T, Cuda>,
        work: impl FnOnce(OnStream) -> R,
    ) -> Result<R, Error> {
        let (reads, writes) = (
            self.as_it_lies(from, size_of::<T>() * from.len())?,
            self.as_it_lies(to, size_of::<T>() * to.len())?,
        );
        let device = self.device();
        let from = device.range(reads.buffer, reads.start, reads.bytes)?;
        let to = device.range(writes.buffer, writes.start, writes.bytes)?;
        self.changes(&writes);
        device.enter()?;
        device.told(device.context.start())?;
        Ok(work(OnStream {
            stream: device.context.stream.cast(),
            from: core::ptr::with_exposed_provenance(from as usize),
            to: core::ptr::with_exposed_provenance_mut(to as usize),
        }))
    }

    /// Makes the device's context current in this thread.
    pub(crate) fn enter(&self) -> Result<(), Error> {
        self.device().enter()
    }

    /// Whether both are one device with one stream.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.device().context, &other.device().context)
    }
}

/// The context of a device, for a thread that ends before the device's value does.
pub(crate) struct Current(sys::CUcontext);

// SAFETY: the driver lets any thread make a context its own.
unsafe impl Send for Current {}

impl Current {
    /// The context of this device.
    pub(crate) fn of(gpu: &Gpu<Cuda>) -> Self {
        Self(gpu.device().context.inner)
    }

    /// Makes it this thread's.
    pub(crate) fn enter(&self) {
        // SAFETY: the context lives as long as the device's value. An error is one of every later call, too.
        let _ = unsafe { sys::cuCtxSetCurrent(self.0) };
    }
}

/// A place on a stream.
pub(crate) struct Mark(sys::CUevent);

// SAFETY: the driver lets any thread use an event.
unsafe impl Send for Mark {}

impl Mark {
    /// A mark of the device whose context is current, on no stream yet.
    pub(crate) fn new() -> Result<Self, Error> {
        let mut event = core::ptr::null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: valid for a write.
        first(unsafe { sys::cuEventCreate(&raw mut event, flags) })?;
        Ok(Self(event))
    }

    /// Puts it behind all work that is on the stream of the device whose context is current.
    pub(crate) fn put(&self, stream: *mut c_void) -> Result<(), Error> {
        // SAFETY: the event and the stream are alive.
        first(unsafe { sys::cuEventRecord(self.0, stream.cast()) })
    }

    /// Whether the work before it has ended; also on a device that does nothing more.
    pub(crate) fn passed(&self) -> bool {
        // SAFETY: the event is alive.
        unsafe { sys::cuEventQuery(self.0) != Code::CUDA_ERROR_NOT_READY }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: the event was made by `new`; the driver frees it after work that uses it. There is nobody to tell of an error.
        let _ = unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}
