//! A communicator whose operations are given up when they do not end by a deadline.

use super::library::{Code, Comm, IN_PROGRESS, Nccl, SUCCESS, engine};
use crate::collective::{Error, of_backend};
use crate::gpu::backend::Gpu;
use crate::gpu::cuda::{Cuda, Current, Mark};
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::time::Duration;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// The time between two looks at the operation under way, which is given up at most this much later than the deadline.
const PERIOD: Duration = Duration::from_millis(50);

/// A communicator, and the thread that watches its operations.
///
/// The time of an operation begins when the work before it on the stream has ended, and it ends when the work behind it may begin: a device
/// that is busy is not late.
pub(super) struct Watched {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    library: Arc<Nccl>,
    deadline: Duration,
    /// Tells the other ranks of an operation that was given up.
    fails: Box<dyn Fn(Error) + Send + Sync>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// None when it has been aborted or destroyed.
    comm: Option<Owned>,
    operations: Operations<Mark>,
    /// Why the communicator does nothing more.
    failed: Option<Error>,
    ends: bool,
}

struct Owned(Comm);

// SAFETY: NCCL lets any thread use a communicator, one at a time; the mutex of `Shared` sees to that.
unsafe impl Send for Owned {}

/// A place on a stream.
trait Place {
    /// Whether the work before it has ended.
    fn passed(&self) -> bool;
}

impl Place for Mark {
    fn passed(&self) -> bool {
        Self::passed(self)
    }
}

struct Operation<M> {
    name: &'static str,
    /// Before and behind it on the stream.
    marks: [M; 2],
    /// When the work before it was seen to have ended.
    since: Option<Instant>,
}

struct Operations<M> {
    /// On the stream, in order.
    begun: VecDeque<Operation<M>>,
    /// Of operations that have ended.
    unused: Vec<[M; 2]>,
}

impl<M: Place> Operations<M> {
    /// The name of the operation that is under way, if that has taken longer than `deadline` by now.
    fn late(&mut self, now: Instant, deadline: Duration) -> Option<&'static str> {
        while self.begun.front().is_some_and(|first| first.marks[1].passed())
            && let Some(operation) = self.begun.pop_front()
        {
            self.unused.push(operation.marks);
        }
        let first = self.begun.front_mut()?;
        if first.since.is_none() && first.marks[0].passed() {
            first.since = Some(now);
        }
        let since = first.since?;
        (now.duration_since(since) > deadline).then_some(first.name)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `f` with the communicator, unless it was given up.
    fn with<R>(&self, f: impl FnOnce(&mut State, Comm) -> R) -> Result<R, Error> {
        let mut state = self.lock();
        match (&state.failed, &state.comm) {
            (Some(e), _) => Err(e.clone()),
            (None, None) => Err(engine("the communicator has ended")),
            (None, Some(Owned(comm))) => {
                let comm = *comm;
                Ok(f(&mut state, comm))
            }
        }
    }

    /// Aborts the communicator for an operation that has not ended.
    fn give_up(&self, state: &mut State, what: &str) -> Error {
        let e = engine(format!("{what} after {} s", self.deadline.as_secs()));
        let e = state.failed.get_or_insert(e).clone();
        if let Some(Owned(comm)) = state.comm.take() {
            // SAFETY: the communicator is alive, and nobody has it after this. There is nobody to tell of an error.
            let _ = unsafe { (self.library.comm_abort)(comm) };
        }
        (self.fails)(e.clone());
        e
    }

    /// Until the communicator ends.
    fn watch(&self) {
        let mut state = self.lock();
        while !state.ends && state.failed.is_none() {
            if let Some(name) = state.operations.late(Instant::now(), self.deadline) {
                self.give_up(&mut state, &format!("{name} had not ended"));
                return;
            }
            if state.operations.begun.is_empty() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state = self.changed.wait_timeout(state, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Watched {
    /// Watches `comm`, which it owns from here on, in a thread; `fails` is called with the error of an operation that was given up.
    pub(super) fn new(
        library: &Arc<Nccl>,
        comm: Comm,
        gpu: &Gpu<Cuda>,
        deadline: Duration,
        fails: impl Fn(Error) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let state = State {
            comm: Some(Owned(comm)),
            operations: Operations { begun: VecDeque::new(), unused: Vec::new() },
            failed: None,
            ends: false,
        };
        let shared = Arc::new(Shared {
            library: Arc::clone(library),
            deadline,
            fails: Box::new(fails),
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let (watching, current) = (Arc::clone(&shared), Current::of(gpu));
        let run = move || {
            current.enter();
            watching.watch();
        };
        let thread = thread::Builder::new().name("fulmen-nccl".into()).spawn(run);
        let thread = thread.map_err(|e| engine(format!("no thread could be started: {e}")));
        // Without a thread its end aborts the communicator.
        let mut made = Self { shared, thread: None };
        made.thread = Some(thread?);
        Ok(made)
    }

    /// Puts `work` on the stream, and waits until it is there.
    pub(super) fn put(
        &self,
        name: &'static str,
        stream: *mut c_void,
        work: impl FnOnce(Comm) -> Code,
    ) -> Result<(), Error> {
        let (marks, code) = self.shared.with(|state, comm| {
            let marks = match state.operations.unused.pop() {
                Some(marks) => marks,
                None => [Mark::new().map_err(of_backend)?, Mark::new().map_err(of_backend)?],
            };
            marks[0].put(stream).map_err(of_backend)?;
            let code = work(comm);
            self.shared.library.check(code, comm).map(|()| (marks, code))
        })??;
        if code == IN_PROGRESS {
            self.settled(name)?;
        }
        marks[1].put(stream).map_err(of_backend)?;
        self.shared.with(|state, _| {
            let begun = &mut state.operations.begun;
            begun.push_back(Operation { name, marks, since: None });
            if begun.len() == 1 {
                self.shared.changed.notify_all();
            }
        })
    }

    /// The error of an operation that was given up.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.shared.with(|_, _| ())
    }

    /// Waits until what was begun without waiting is begun.
    pub(super) fn settled(&self, name: &'static str) -> Result<(), Error> {
        let started = Instant::now();
        loop {
            let code = self.shared.with(|_, comm| {
                let mut code: Code = SUCCESS;
                // SAFETY: the communicator is alive, the code is valid for a write.
                let asked = unsafe { (self.shared.library.async_error)(comm, &raw mut code) };
                self.shared.library.check(asked, comm)?;
                self.shared.library.check(code, comm)?;
                Ok(code)
            })??;
            if code != IN_PROGRESS {
                return Ok(());
            }
            let waited = started.elapsed();
            if waited > self.shared.deadline {
                return Err(self.shared.give_up(&mut self.shared.lock(), &format!("{name} was not ready")));
            }
            // An operation is on the stream after some microseconds, which are less than a sleep takes.
            if waited < Duration::from_millis(1) {
                thread::yield_now();
            } else {
                thread::sleep(Duration::from_micros(100));
            }
        }
    }

    /// Ends what was begun.
    fn finished(&self) -> Result<(), Error> {
        self.shared.with(|_, comm| {
            // SAFETY: the communicator is alive.
            self.shared.library.check(unsafe { (self.shared.library.comm_finalize)(comm) }, comm)
        })??;
        self.settled("finalize")
    }
}

/// With the device's context current in this thread.
impl Drop for Watched {
    fn drop(&mut self) {
        // A rank that ends in a panic leaves operations that others wait for: they are given up.
        let ends = self.thread.is_some() && !thread::panicking() && self.finished().is_ok();
        let comm = {
            let mut state = self.shared.lock();
            state.ends = true;
            state.comm.take()
        };
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(Owned(comm)) = comm {
            let library = &self.shared.library;
            // SAFETY: the communicator is alive, and nobody has it after this. There is nobody to tell of an error.
            let _ = unsafe { if ends { (library.comm_destroy)(comm) } else { (library.comm_abort)(comm) } };
        }
        let mut state = self.shared.lock();
        state.operations.begun.clear();
        state.operations.unused.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::rc::Rc;
    use core::cell::Cell;

    impl Place for Rc<Cell<bool>> {
        fn passed(&self) -> bool {
            self.get()
        }
    }

    /// The time of an operation is that between its marks: neither a busy device nor the operations before it make it late.
    #[test]
    fn an_operation_is_late_by_its_own_time() {
        let places: Vec<Rc<Cell<bool>>> = (0..4).map(|_| Rc::default()).collect();
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| Rc::clone(&places[k]));
        let operation = |name, marks| Operation { name, marks, since: None };
        let begun = VecDeque::from([operation("first", [a, b]), operation("second", [c, d])]);
        let mut of = Operations { begun, unused: Vec::new() };
        let (start, deadline) = (Instant::now(), Duration::from_secs(10));
        let mut late = |seconds| of.late(start + Duration::from_secs(seconds), deadline);
        // The device is busy with other work.
        assert_eq!([late(0), late(1000)], [None; 2]);
        places[0].set(true);
        assert_eq!([late(2000), late(2010), late(2011)], [None, None, Some("first")]);
        // It ended after all, and the next one begins at once.
        places[1].set(true);
        places[2].set(true);
        assert_eq!([late(3000), late(3010), late(3011)], [None, None, Some("second")]);
        places[3].set(true);
        assert_eq!(late(9000), None);
        assert!(of.begun.is_empty());
        assert_eq!(of.unused.len(), 2);
    }
}
