//! `train` and `bench` with `--ranks`: rank 0 reads, writes and speaks as a run of one rank does; the others train with it.

use super::*;
use crate::ranks::{RankJob, on_ranks};
use std::io::sink;
use std::sync::{Mutex, PoisonError};

/// What failed first: the other ranks fail because of it.
type First = Mutex<Option<(usize, Stop)>>;

struct Part<'a, 'b> {
    request: &'a Request,
    /// Of rank 0.
    io: Option<&'a mut Streams<'b>>,
    first: &'a First,
}

impl RankJob for Part<'_, '_> {
    type Done = ();
    fn run<M: Machine + Blocking>(self, machine: M, at: Rank, others: &dyn AllReduce<M>) {
        let (mut out, mut err) = (sink(), sink());
        let mut silent = Streams {
            out: &mut out,
            err: &mut err,
            terminal: false,
            interrupt: || Arc::new(AtomicBool::new(false)),
        };
        let r = self.request;
        let part = |io: &mut Streams<'_>| {
            if r.command == Command::Train {
                return commands::train(machine, r, io, at, Some(others));
            }
            let model = Model::open(r.file()).map_err(|why| useless(r.file(), why))?;
            bench::run(machine, r, model, io, at, Some(others))
        };
        let done = match self.io {
            Some(io) => part(io),
            None => part(&mut silent),
        };
        // Before this rank leaves the group, which the others notice.
        if let Err(stop) = done {
            let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert((at.rank, stop));
        }
    }
}

/// Runs on all ranks. The error is that of the rank which failed first.
pub(super) fn run(r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let first = First::default();
    let mut io = Some(io);
    let done =
        on_ranks(&r.backend, r.ranks, r.deterministic, |_| Part { request: r, io: io.take(), first: &first });
    if let Some((rank, stop)) = first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(match (rank, stop) {
            (0, stop) => stop,
            (rank, Stop::Useless(why) | Stop::Without(why)) => Stop::Useless(format!("rank {rank}: {why}")),
            (_, stop) => stop,
        });
    }
    let failed = |(rank, done): (usize, Option<Result<(), Lack>>)| match done {
        Some(Ok(())) => None,
        Some(Err(why)) => Some((rank, Some(why))),
        None => Some((rank, None)),
    };
    // A rank whose device does not open leaves the group: what the others say of that comes last.
    let mut failed: Vec<_> = done.into_iter().enumerate().filter_map(failed).collect();
    failed.sort_by_key(|(_, why)| matches!(why, Some(Lack::Ranks(_))));
    match failed.into_iter().next() {
        None => Ok(()),
        Some((rank, Some(why))) => Err(Stop::Useless(format!("rank {rank}: {why}"))),
        Some((0, None)) => {
            let name = Shown(&r.backend);
            Err(Stop::Usage(format!("there is no backend {name} in this build, but {BACKENDS}")))
        }
        Some((rank, None)) => Err(Stop::Useless(format!("rank {rank} has stopped without a word"))),
    }
}
