//! Groups of CUDA devices, joined by NVIDIA's NCCL.

mod library;
mod watch;

use super::local::Call;
use super::{Collective, Error, Item, Kind, Local, Reduce, of_backend};
use crate::backend::Transfer;
use crate::gpu::backend::{Gpu, View, ViewMut};
use crate::gpu::cuda::{Cuda, OnStream};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::c_int;
use core::ptr;
use library::{Code, Comm, Config, IN_PROGRESS, SUCCESS, UniqueId, engine};
use watch::Watched;

/// A rank of a group of CUDA devices, one for each thread of a [`Local`] group: elements go from device to device by NCCL.
///
/// Before each operation the ranks agree on it through the `Local`: a rank that does not come, that has ended or that calls something
/// else gives the errors of [`Local`] on every rank, before NCCL waits for it. Operations are put on the device's stream, and the host
/// does not wait for them. An operation that has not ended when the deadline of the `Local` is over is given up, so that no rank waits for a
/// device that hangs: every later call of every rank, [`Collective::barrier`] too, returns [`Error::Engine`] with its name, and the elements
/// that it was to write are undefined. The time begins when the device has done the work before the operation. Parts of arrays start and end at whole words of four bytes. In the default order the bits of a sum may differ with the
/// number of elements, the algorithm that NCCL chooses and the ranks; [`sum_in_order`](super::sum_in_order) has an order of its own.
///
/// ```no_run
/// use fulmen::collective::{Collective, Local, Nccl, Reduce};
/// use fulmen::gpu::{backend::Gpu, cuda::Cuda};
/// use std::time::Duration;
/// std::thread::scope(|scope| {
///     for local in Local::group(2, Duration::from_secs(60)) {
///         scope.spawn(move || {
///             let gpu = Gpu::new(Cuda::open(&local.rank().to_string(), None)?);
///             let group = Nccl::join(local, &gpu)?;
///             let mut x = gpu.upload(&[1.0f32, 2.0])?;
///             group.all_reduce(&gpu, Reduce::Sum, x.view_mut())?;
///             Ok::<(), Box<dyn core::error::Error + Send + Sync>>(())
///         });
///     }
/// });
/// ```
pub struct Nccl {
    watched: Watched,
    library: Arc<library::Nccl>,
    gpu: Gpu<Cuda>,
    local: Local,
}

impl core::fmt::Debug for Nccl {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Nccl {{ {:?} }}", self.local)
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        // The fields that end after this use the device.
        let _ = self.gpu.enter();
    }
}

/// NCCL's number of a type.
const fn data_type(kind: Kind) -> c_int {
    match kind {
        Kind::I8 => 0,
        Kind::U8 => 1,
        Kind::I32 => 2,
        Kind::U32 => 3,
        Kind::I64 => 4,
        Kind::U64 => 5,
        Kind::F16 => 6,
        Kind::F32 => 7,
        Kind::F64 => 8,
        Kind::Bf16 => 9,
    }
}

/// NCCL's number of a reduction.
const fn operation(op: Reduce) -> c_int {
    match op {
        Reduce::Sum => 0,
        Reduce::Product => 1,
        Reduce::Max => 2,
        Reduce::Min => 3,
    }
}

impl Nccl {
    /// Joins the devices of a group's ranks, which are different ones. Every rank calls it.
    ///
    /// # Errors
    /// [`Error::Engine`] when NCCL's library is not there or older than 2.18, or for what it says; those of [`Local`].
    pub fn join(local: Local, gpu: &Gpu<Cuda>) -> Result<Self, Error> {
        let opened = library::Nccl::open();
        let call = Call::new("join");
        let made = opened.clone().and_then(|library| {
            let mut id = UniqueId([0; 128]);
            // Only that of rank 0 is used: NCCL listens for the other ranks where an identity is made.
            if local.rank() == 0 {
                // SAFETY: valid for a write.
                library.check(unsafe { (library.get_unique_id)(&raw mut id) }, ptr::null_mut())?;
            }
            gpu.enter().map_err(of_backend)?;
            Ok(id.0)
        });
        let all = local.exchange(call, made)?;
        let (library, first) = (opened?, all.first().ok_or_else(|| engine("the group has no rank"))?);
        let (ranks, mut comm, mut config) = (all.len(), ptr::null_mut(), Config::without_blocking());
        let number = |n: usize| c_int::try_from(n).map_err(|_| engine("there are too many ranks"));
        // SAFETY: the communicator and the settings are valid for a write and a read; the device's context is current.
        let code = unsafe {
            (library.comm_init)(
                &raw mut comm,
                number(ranks)?,
                UniqueId(**first),
                number(local.rank())?,
                &raw mut config,
            )
        };
        library.check(code, ptr::null_mut())?;
        if comm.is_null() {
            return Err(engine("it made no communicator"));
        }
        let watched = Watched::new(&library, comm, gpu, local.deadline(), local.breaks());
        let settled = watched.and_then(|watched| watched.settled(call.op).map(|()| watched));
        // The others do not wait for a rank whose communicator failed.
        local.exchange(call, settled.as_ref().map(drop).map_err(Error::clone))?;
        Ok(Self { watched: settled?, library, gpu: gpu.clone(), local })
    }

    /// The error of an operation of this rank that was given up. It waits for nothing: elements that were copied to the host before are those of
    /// operations that ended, if it returns `Ok`.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub fn check(&self) -> Result<(), Error> {
        self.watched.check()
    }

    /// Agrees with the other ranks on a call and puts it on the stream. `refused` is what is wrong with this rank's arguments.
    fn call<T: Item>(
        &self,
        b: &Gpu<Cuda>,
        call: Call,
        refused: Option<crate::Error>,
        from: View<'_, T, Cuda>,
        to: View<'_, T, Cuda>,
        work: impl FnOnce(&library::Nccl, OnStream, Comm) -> Code,
    ) -> Result<(), Error> {
        let call = Call { kind: Some(T::KIND), ..call };
        let mine = match refused {
            Some(error) => Err(call.refused(error)),
            None if !b.is(&self.gpu) => Err(of_backend(crate::gpu::device::Error::Foreign)),
            // What is wrong with memory is seen before the others start.
            None => b.on_stream(from, to, drop).map_err(of_backend),
        };
        self.local.exchange(call, mine)?;
        let put = |on: OnStream| self.watched.put(call.op, on.stream, |comm| work(&self.library, on, comm));
        b.on_stream(from, to, put).map_err(of_backend)?
    }
}

impl Collective<Gpu<Cuda>> for Nccl {
    fn rank(&self) -> usize {
        self.local.rank()
    }

    fn ranks(&self) -> usize {
        self.local.ranks()
    }

    fn barrier(&self, b: &Gpu<Cuda>) -> Result<(), Error> {
        self.local.barrier(b)
    }

    fn broadcast<T: Item>(&self, b: &Gpu<Cuda>, root: usize, x: ViewMut<'_, T, Cuda>) -> Result<(), Error>
    where
        Gpu<Cuda>: Transfer<T>,
    {
        let (n, ranks) = (x.len(), self.local.ranks());
        let refused = (root >= ranks).then(|| crate::Error::index("root", root, ranks));
        let call = Call { root, len: n, ..Call::new("broadcast") };
        self.call(b, call, refused, x.read(), x.read(), |nccl, on, comm| {
            // SAFETY: as many elements of the type as the array has, which this rank may write; the context is current.
            unsafe { (nccl.broadcast)(on.from, on.to, n, data_type(T::KIND), root as c_int, comm, on.stream) }
        })
    }

    fn all_reduce<T: Item>(&self, b: &Gpu<Cuda>, op: Reduce, x: ViewMut<'_, T, Cuda>) -> Result<(), Error>
    where
        Gpu<Cuda>: Transfer<T>,
    {
        let n = x.len();
        let call = Call { reduce: Some(op), len: n, ..Call::new("all_reduce") };
        self.call(b, call, None, x.read(), x.read(), |nccl, on, comm| {
            // SAFETY: as in `broadcast`.
            unsafe {
                (nccl.all_reduce)(on.from, on.to, n, data_type(T::KIND), operation(op), comm, on.stream)
            }
        })
    }

    fn reduce_scatter<T: Item>(
        &self,
        b: &Gpu<Cuda>,
        op: Reduce,
        x: View<'_, T, Cuda>,
        out: ViewMut<'_, T, Cuda>,
    ) -> Result<(), Error>
    where
        Gpu<Cuda>: Transfer<T>,
    {
        let (n, each) = (x.len(), out.len());
        let needed = each.saturating_mul(self.local.ranks());
        let refused = (needed != n).then(|| crate::Error::len("x", needed, n));
        let call = Call { reduce: Some(op), len: n, ..Call::new("reduce_scatter") };
        self.call(b, call, refused, x, out.read(), |nccl, on, comm| {
            // SAFETY: `x` has as many elements of the type for each rank as `out` has; the context is current.
            unsafe {
                (nccl.reduce_scatter)(
                    on.from,
                    on.to,
                    each,
                    data_type(T::KIND),
                    operation(op),
                    comm,
                    on.stream,
                )
            }
        })
    }

    fn all_gather<T: Item>(
        &self,
        b: &Gpu<Cuda>,
        x: View<'_, T, Cuda>,
        out: ViewMut<'_, T, Cuda>,
    ) -> Result<(), Error>
    where
        Gpu<Cuda>: Transfer<T>,
    {
        let (n, got) = (x.len(), out.len());
        let needed = n.saturating_mul(self.local.ranks());
        let refused = (needed != got).then(|| crate::Error::len("out", needed, got));
        let call = Call { len: n, ..Call::new("all_gather") };
        self.call(b, call, refused, x, out.read(), |nccl, on, comm| {
            // SAFETY: `out` has as many elements of the type for each rank as `x` has; the context is current.
            unsafe { (nccl.all_gather)(on.from, on.to, n, data_type(T::KIND), comm, on.stream) }
        })
    }

    /// All ranks call it, each with a receiver and a sender: NCCL pairs what is sent.
    fn send_receive<T: Item>(
        &self,
        b: &Gpu<Cuda>,
        (to, x): (usize, View<'_, T, Cuda>),
        (from, out): (usize, ViewMut<'_, T, Cuda>),
    ) -> Result<(), Error>
    where
        Gpu<Cuda>: Transfer<T>,
    {
        let (sent, received, ranks) = (x.len(), out.len(), self.local.ranks());
        let refused = [("to", to), ("from", from)]
            .into_iter()
            .find_map(|(arg, rank)| (rank >= ranks).then(|| crate::Error::index(arg, rank, ranks)));
        let call = Call { kind: Some(T::KIND), ..Call::new("send_receive") };
        // What each rank sends to whom, so that no rank waits for what nobody sends.
        let plan = self.local.exchange(call, Ok((to, from, sent, received)))?;
        let differs = |rank, what| Error::Differs { op: call.op, rank, what };
        for (rank, of) in plan.iter().enumerate() {
            let (to, _, sent, _) = **of;
            let receiver: Option<&Arc<(usize, usize, usize, usize)>> = plan.get(to);
            match receiver {
                Some(there) if there.1 != rank => return Err(differs(rank, "receiver")),
                Some(there) if there.3 != sent => return Err(differs(rank, "length")),
                _ => {}
            }
        }
        self.call(b, call, refused, x, out.read(), |nccl, on, comm| {
            let kind = data_type(T::KIND);
            // SAFETY: `x` and `out` have so many elements of the type, and their ranks expect as many; the context is current.
            let codes: Vec<Code> = unsafe {
                Vec::from([
                    (nccl.group_start)(),
                    (nccl.send)(on.from, sent, kind, to as c_int, comm, on.stream),
                    (nccl.recv)(on.to, received, kind, from as c_int, comm, on.stream),
                    (nccl.group_end)(),
                ])
            };
            let bad = codes.iter().copied().find(|code| *code != SUCCESS && *code != IN_PROGRESS);
            bad.or(codes.last().copied()).unwrap_or(SUCCESS)
        })
    }
}
