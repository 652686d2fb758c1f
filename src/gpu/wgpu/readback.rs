//! Reads results and errors back from wgpu. A thread waits for the mapped buffer; a browser, in which no thread may
//! wait, awaits it.

use super::super::device::{Error, Readback};
use super::{Buffer, Usage, Wgpu};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::future::poll_fn;
use core::task::{Poll, Waker};
use std::sync::{Mutex, PoisonError};

/// The most bytes of a read whose memory is kept for the next one.
const KEPT: u64 = 1 << 20;

/// What callbacks of the driver said.
pub(super) type Said = Arc<Mutex<Option<String>>>;

pub(super) fn said(of: &Said) -> Option<String> {
    of.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

pub(super) fn say(of: &Said, what: String) {
    of.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
}

/// What a callback answers, and who is to be told.
#[derive(Default)]
struct Answer {
    said: Option<Result<(), String>>,
    waker: Option<Waker>,
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) use thread::park;

#[cfg(not(target_arch = "wasm32"))]
mod thread {
    use super::super::super::device::Blocking;
    use super::Wgpu;
    use alloc::sync::Arc;
    use alloc::task::Wake;
    use core::pin::pin;
    use core::task::{Context, Poll};
    use core::time::Duration;
    use std::thread::{self, Thread};

    /// Between two looks at whether the device is still there.
    const PATIENCE: Duration = Duration::from_secs(1);

    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    /// Waits for what does not need this thread.
    pub(in super::super) fn park<F: Future>(f: F) -> F::Output {
        let waker = Arc::new(Unpark(thread::current())).into();
        let mut f = pin!(f);
        loop {
            match f.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(out) => return out,
                Poll::Pending => thread::park(),
            }
        }
    }

    impl Blocking for Wgpu {
        fn turn(&self) {
            // A wait that ends: a device that is lost does not answer. What is wrong is said by whoever reads.
            let _ =
                self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(PATIENCE) });
        }
    }
}

/// Does `f`; what the driver says against it is the error. In a browser it is said later, to [`Wgpu::alive`].
pub(super) fn scoped<R>(device: &wgpu::Device, f: impl FnOnce() -> R) -> Result<R, String> {
    #[cfg(target_arch = "wasm32")]
    {
        let _ = device;
        Ok(f())
    }
    #[cfg(not(target_arch = "wasm32"))]
    {
        let scopes =
            [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
                .map(|filter| device.push_error_scope(filter));
        let out = f();
        // The last pushed is popped first.
        let [memory, internal, validation] = scopes;
        let errors = [park(validation.pop()), park(internal.pop()), park(memory.pop())];
        errors.into_iter().flatten().next().map_or(Ok(out), |e| Err(e.to_string()))
    }
}

impl Wgpu {
    /// Memory of the host's for so many bytes: that of the last read, if it is as large.
    fn staging(&self, bytes: u64) -> wgpu::Buffer {
        let kept = self.staging.take().filter(|b| b.size() >= bytes);
        kept.unwrap_or_else(|| {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("read"),
                size: bytes,
                usage: Usage::MAP_READ | Usage::COPY_DST,
                mapped_at_creation: false,
            })
        })
    }

    /// Parts of buffers that are checked, after all that was submitted.
    pub(super) async fn copied(&self, parts: &mut [Readback<'_, Buffer>]) -> Result<(), Error> {
        let bytes = parts.iter().map(|p| p.to.len() as u64).sum();
        let driver = |reason| Error::Driver { device: self.facts.name.clone(), reason };
        let answer: Arc<Mutex<Answer>> = Arc::default();
        let told = Arc::clone(&answer);
        let staging = scoped(&self.device, || {
            // One submission: the work that is waited for, and the copies.
            let mut encoder = self.record()?;
            let staging = self.staging(bytes);
            let mut at = 0;
            for p in parts.iter().filter(|p| !p.to.is_empty()) {
                let bytes = p.to.len() as u64;
                encoder.copy_buffer_to_buffer(&p.buffer.inner, p.start, &staging, at, Some(bytes));
                at += bytes;
            }
            self.submit(encoder);
            staging.map_async(wgpu::MapMode::Read, ..bytes, move |r| {
                let mut answer = told.lock().unwrap_or_else(PoisonError::into_inner);
                answer.said = Some(r.map_err(|e| e.to_string()));
                if let Some(waker) = answer.waker.take() {
                    waker.wake();
                }
            });
            Ok::<_, Error>(staging)
        });
        self.alive()?;
        let staging = staging.map_err(driver)??;
        poll_fn(|context| {
            let mut answer = answer.lock().unwrap_or_else(PoisonError::into_inner);
            match answer.said.take() {
                Some(Ok(())) => return Poll::Ready(Ok(())),
                Some(Err(reason)) => return Poll::Ready(self.alive().and(Err(driver(reason)))),
                None => answer.waker = Some(context.waker().clone()),
            }
            drop(answer);
            if let Err(lost) = self.alive() {
                return Poll::Ready(Err(lost));
            }
            // Callbacks run while a thread asks for them; those of a browser on their own.
            #[cfg(not(target_arch = "wasm32"))]
            {
                let _ = self.device.poll(wgpu::PollType::Poll);
                context.waker().wake_by_ref();
            }
            Poll::Pending
        })
        .await?;
        let view = staging.get_mapped_range(..bytes).map_err(|e| driver(e.to_string()))?;
        let mut rest = &*view;
        for p in parts {
            let Some((part, more)) = rest.split_at_checked(p.to.len()) else { break };
            p.to.copy_from_slice(part);
            rest = more;
        }
        drop(view);
        staging.unmap();
        if staging.size() <= KEPT {
            self.staging.replace(Some(staging));
        }
        Ok(())
    }
}
