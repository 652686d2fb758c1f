//! Work that another library does on a device's stream.

use super::Cuda;
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
