//! Training on several ranks: threads of this process, each with a device or a share of the cores. Gradients are added by the library's
//! collectives: through the host's memory, or between CUDA devices by NCCL.

use crate::machine::{self, AllReduce, Job, Machine};
use crate::memory::Lack;
use crate::model::Out;
use crate::train::Rank;
use core::time::Duration;
use fulmen::backend::{Blocking, Cpu};
use fulmen::collective::{self, Collective, Local, Reduce};

/// How long a rank waits for another. One that has ended is noticed at once.
const DEADLINE: Duration = Duration::from_secs(600);

impl From<collective::Error> for Lack {
    fn from(e: collective::Error) -> Self {
        Self::Ranks(e)
    }
}

/// Something to do on a rank.
pub trait RankJob: Sized {
    type Done;
    /// The second argument is what joins it with the others.
    fn run<M: Machine + Blocking>(self, machine: M, at: Rank, others: &dyn AllReduce<M>) -> Self::Done;
}

fn sum_of_host(local: &Local, x: f32) -> Result<f32, Lack> {
    let mut x = [x];
    local.all_reduce(&Cpu::native(), Reduce::Sum, &mut x[..])?;
    Ok(x[0])
}

/// Ranks that add through the host's memory, always in the same order.
struct HostAllReduce(Local);

impl<M: Machine + Blocking> AllReduce<M> for HostAllReduce {
    fn sum_of_host(&self, x: f32) -> Result<f32, Lack> {
        sum_of_host(&self.0, x)
    }
    fn sum(&self, machine: &M, gradients: Out<'_, M>) -> Result<(), Lack> {
        Ok(self.0.all_reduce(machine, Reduce::Sum, gradients)?)
    }
}

#[cfg(all(feature = "nccl", target_os = "linux"))]
mod devices {
    use super::*;
    use core::cell::RefCell;
    use fulmen::collective::{Nccl, sum_in_order, sum_in_order_workspace};
    use fulmen::gpu::backend::{Array, Gpu};
    use fulmen::gpu::cuda::Cuda;

    /// Ranks whose devices add by NCCL.
    pub(super) struct NcclAllReduce {
        local: Local,
        group: Nccl,
        /// Of sums in order.
        workspace: RefCell<Option<Array<f32, Cuda>>>,
        deterministic: bool,
    }

    impl NcclAllReduce {
        pub(super) fn join(local: &Local, gpu: &Gpu<Cuda>, at: Rank) -> Result<Self, Lack> {
            let [local, other] = [local.split(0, at.rank)?, local.split(0, at.rank)?];
            let group = Nccl::join(other, gpu)?;
            Ok(Self { local, group, workspace: RefCell::new(None), deterministic: at.deterministic })
        }
    }

    impl AllReduce<Gpu<Cuda>> for NcclAllReduce {
        fn sum_of_host(&self, x: f32) -> Result<f32, Lack> {
            sum_of_host(&self.local, x)
        }
        fn sum(&self, machine: &Gpu<Cuda>, gradients: Out<'_, Gpu<Cuda>>) -> Result<(), Lack> {
            if !self.deterministic {
                return Ok(self.group.all_reduce(machine, Reduce::Sum, gradients)?);
            }
            let mut workspace = self.workspace.borrow_mut();
            let workspace = match &mut *workspace {
                Some(there) => there,
                none => {
                    let n = sum_in_order_workspace(self.group.ranks(), gradients.len());
                    none.insert(machine.alloc(n)?)
                }
            };
            Ok(sum_in_order(&self.group, machine, gradients, workspace.view_mut())?)
        }
        fn check(&self) -> Result<(), Lack> {
            Ok(self.group.check()?)
        }
    }
}

/// A rank's part of a job, on lanes or a device that need no more than that.
struct Joined<'a, J>(&'a Local, Rank, J);

impl<J: RankJob> Job for Joined<'_, J> {
    type Done = Result<J::Done, Lack>;
    fn run<M: Machine + Blocking>(self, machine: M) -> Self::Done {
        let Self(local, at, job) = self;
        let others = HostAllReduce(local.split(0, at.rank)?);
        Ok(job.run(machine, at, &others))
    }
}

/// Runs `job` as this rank, on the backend of this name: the CUDA device with the rank's number, or what other runs have. `None` when
/// this build has no such backend.
fn on_rank<J: RankJob>(name: &str, local: &Local, at: Rank, job: J) -> Option<Result<J::Done, Lack>> {
    #[cfg(all(feature = "nccl", target_os = "linux"))]
    if let "cuda" | "cuda-bf16" = name {
        use fulmen::gpu::{backend::Gpu, cuda::Cuda};
        let run = || {
            let cache = std::env::var_os("FULMEN_CUDA_CACHE").filter(|c| !c.is_empty());
            let device = Cuda::open(&at.rank.to_string(), cache.as_ref().map(std::path::Path::new))?;
            let gpu = if name == "cuda" { Gpu::new(device) } else { Gpu::rounding(device)? };
            let others = devices::NcclAllReduce::join(local, &gpu, at)?;
            Ok(job.run(gpu, at, &others))
        };
        return Some(run());
    }
    if name == "cpu" {
        return Some(machine::on_best_lanes(Joined(local, at, job)));
    }
    machine::on_device(name, Joined(local, at, job)).map(|done| done.flatten())
}

/// Runs the job that `job` makes for each rank; that of rank 0 on this thread. Gives what each came to, by rank: `None` of a thread that panicked, and a
/// backend that this build has not.
pub fn on_ranks<J: RankJob<Done: Send> + Send>(
    name: &str,
    ranks: usize,
    deterministic: bool,
    mut job: impl FnMut(usize) -> J,
) -> Vec<Option<Result<J::Done, Lack>>> {
    std::thread::scope(|scope| {
        let mut group = Local::group(ranks, DEADLINE).into_iter().enumerate();
        let first = group.next().map(|(_, local)| (local, job(0)));
        let threads: Vec<_> = group
            .map(|(rank, local)| {
                let job = job(rank);
                scope.spawn(move || on_rank(name, &local, Rank { rank, ranks, deterministic }, job))
            })
            .collect();
        let mut done = Vec::with_capacity(ranks);
        done.extend(
            first.map(|(local, job)| on_rank(name, &local, Rank { rank: 0, ranks, deterministic }, job)),
        );
        done.extend(threads.into_iter().map(|thread| thread.join().ok().flatten()));
        done
    })
}
