//! Collective operations: sums, gathers and broadcasts among the ranks of a group, each of which has a backend of its own.
//!
//! A rank is a thread with its backend. Every rank of a group calls the same operations in the same order; a call that one rank
//! makes with another length, type or root returns an error on every rank. [`Local`] joins the threads of a process, over any
//! backend, through memory of the host; with the feature `nccl`, `Nccl` joins the CUDA devices of such threads by NVIDIA's NCCL.
//! [`sum_in_order`] adds in an order that depends on the ranks' numbers alone, over any engine.
//!
//! ```
//! use fulmen::backend::Cpu;
//! use fulmen::collective::{Collective, Local, Reduce};
//! use std::time::Duration;
//!
//! std::thread::scope(|scope| {
//!     for group in Local::group(4, Duration::from_secs(60)) {
//!         scope.spawn(move || {
//!             let mut x = [group.rank() as f32, 1.0];
//!             group.all_reduce(&Cpu::native(), Reduce::Sum, &mut x)?;
//!             assert_eq!(x, [6.0, 4.0]);
//!             Ok::<(), fulmen::collective::Error>(())
//!         });
//!     }
//! });
//! ```

mod item;
mod local;
#[cfg(all(feature = "nccl", target_os = "linux"))]
mod nccl;

pub use item::{Item, Kind, Reduce};
pub use local::Local;
#[cfg(all(feature = "nccl", target_os = "linux"))]
pub use nccl::Nccl;

use crate::backend::{Backend, Memory, Transfer};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

/// Why an operation among ranks was not done. What is written is undefined then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// This rank's argument is wrong.
    Argument {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        error: crate::Error,
    },
    /// What this rank's backend says.
    Backend(String),
    /// Another rank refused the operation for an error of its own.
    Refused {
        /// The operation.
        op: &'static str,
        /// The rank.
        rank: usize,
        /// That rank's error.
        reason: String,
    },
    /// A rank called with something else than rank 0.
    Differs {
        /// The operation of this rank.
        op: &'static str,
        /// The first rank that differs from rank 0.
        rank: usize,
        /// What differs.
        what: &'static str,
    },
    /// Ranks did not come within the deadline. The group does nothing more.
    Missing {
        /// The operation.
        op: &'static str,
        /// Those ranks.
        ranks: Vec<usize>,
        /// The deadline.
        seconds: u64,
    },
    /// A rank has left the group: its thread has ended. The group does nothing more.
    Ended {
        /// The operation.
        op: &'static str,
        /// The rank.
        rank: usize,
    },
    /// What the library behind the group says.
    Engine {
        /// The library.
        name: &'static str,
        /// Its words.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { op, error } => write!(f, "{op}: {error}"),
            Self::Backend(e) => f.write_str(e),
            Self::Refused { op, rank, reason } => write!(f, "{op}: rank {rank} refused: {reason}"),
            Self::Differs { op, rank, what } => {
                write!(f, "{op}: rank {rank} called with another {what} than rank 0")
            }
            Self::Missing { op, ranks, seconds } => {
                write!(f, "{op}: after {seconds} s no call came from rank")?;
                ranks.iter().enumerate().try_for_each(|(i, rank)| {
                    f.write_str(if i == 0 { " " } else { ", " })?;
                    write!(f, "{rank}")
                })
            }
            Self::Ended { op, rank } => write!(f, "{op}: rank {rank} has left the group"),
            Self::Engine { name, reason } => write!(f, "{name}: {reason}"),
        }
    }
}

impl core::error::Error for Error {}

/// What a backend says, in words.
fn of_backend(e: impl core::error::Error) -> Error {
    Error::Backend(e.to_string())
}

/// A group of ranks, as one of them sees it, over memory of the backend `B`.
///
/// Every method is called by every rank of the group, in the same order. An operation is done when the method returns, or, on
/// a device, before the work that is launched after it.
///
/// # Errors
/// Those of [`Error`]. A length that does not fit is [`Error::Argument`] on the rank that has it and [`Error::Refused`] on the others.
pub trait Collective<B: Memory> {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;
    /// How many ranks there are.
    fn ranks(&self) -> usize;
    /// Waits until every rank has called it.
    fn barrier(&self, b: &B) -> Result<(), Error>;
    /// `x` of the rank `root`, in `x` of every rank.
    fn broadcast<T: Item>(&self, b: &B, root: usize, x: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>;
    /// The reduction of `x` over all ranks, in `x` of every rank: the same bits on each.
    fn all_reduce<T: Item>(&self, b: &B, op: Reduce, x: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>;
    /// Part `r` of the reduction of `x` over all ranks, in `out` of rank `r`; `x` has a part for each rank, of the length of `out`.
    fn reduce_scatter<T: Item>(
        &self,
        b: &B,
        op: Reduce,
        x: B::Ref<'_, T>,
        out: B::Mut<'_, T>,
    ) -> Result<(), Error>
    where
        B: Transfer<T>;
    /// `x` of every rank, one after the other, in `out` of every rank.
    fn all_gather<T: Item>(&self, b: &B, x: B::Ref<'_, T>, out: B::Mut<'_, T>) -> Result<(), Error>
    where
        B: Transfer<T>;
    /// The elements of `to` go to that rank, and those of `from` come from that rank, which calls it with this rank in its `to`. Ranks that
    /// take no part do not call it.
    fn send_receive<T: Item>(
        &self,
        b: &B,
        to: (usize, B::Ref<'_, T>),
        from: (usize, B::Mut<'_, T>),
    ) -> Result<(), Error>
    where
        B: Transfer<T>;
}

/// The part of `n` elements that rank `rank` of `ranks` has: the parts follow each other and differ by one element at most. A rank that
/// there is not has none.
#[must_use]
pub const fn share(n: usize, rank: usize, ranks: usize) -> Range<usize> {
    if rank >= ranks {
        return n..n;
    }
    let (each, more) = (n / ranks, n % ranks);
    let least = if rank < more { rank } else { more };
    let start = rank * each + least;
    start..start + each + (rank < more) as usize
}

/// Elements of [`sum_in_order`]'s workspace for a group of `ranks` whose `x` has `n`: it has them all at once, or parts of at most 2²².
#[must_use]
pub const fn sum_in_order_workspace(ranks: usize, n: usize) -> usize {
    const PART: usize = 1 << 22;
    ranks.saturating_mul(if n < PART { n } else { PART })
}

/// The sum of `x` over all ranks, in `x` of every rank, in a fixed order: pairs of neighbours first, as (x₀ + x₁) + (x₂ + x₃).
///
/// The bits depend on the values and on the number of ranks alone, on no size, transport or run. Where each rank's `x` is itself such
/// a sum of 2ⁱ parts, they depend on the number of parts alone: 1, 2 and 4 ranks with four parts in all give the same bits.
/// Any workspace of `ranks` elements or more will do; of [`sum_in_order_workspace`] it takes the fewest calls. All ranks have workspaces of one length.
///
/// Each rank reads all of the others' elements: for N ranks N / 2 times what an engine's own [`Collective::all_reduce`] transfers.
///
/// # Errors
/// [`crate::Error::Workspace`] for fewer elements than ranks; those of [`Collective::all_gather`].
pub fn sum_in_order<B: Backend<f32>>(
    group: &impl Collective<B>,
    b: &B,
    mut x: B::Mut<'_, f32>,
    mut workspace: B::Mut<'_, f32>,
) -> Result<(), Error> {
    let (n, ranks) = (B::len(B::read(&x)), group.ranks());
    let got = B::len(B::read(&workspace));
    let most = got / ranks;
    if most == 0 && n > 0 {
        let error = crate::Error::workspace(ranks, got);
        return Err(Error::Argument { op: "sum_in_order", error });
    }
    let mut from = 0;
    while from < n {
        let len = most.min(n - from);
        let [mut all, _] = B::split(B::lend(&mut workspace), ranks * len).map_err(of_backend)?;
        group.all_gather(
            b,
            B::part(B::read(&x), from..from + len).map_err(of_backend)?,
            B::lend(&mut all),
        )?;
        let mut distance = 1;
        while distance < ranks {
            for left in (0..ranks - distance).step_by(2 * distance) {
                let [_, rest] = B::split(B::lend(&mut all), left * len).map_err(of_backend)?;
                let [sum, rest] = B::split(rest, len).map_err(of_backend)?;
                let right = (distance - 1) * len..distance * len;
                b.add_in_place(sum, B::part(B::read(&rest), right).map_err(of_backend)?)
                    .map_err(of_backend)?;
            }
            distance *= 2;
        }
        let [_, rest] = B::split(B::lend(&mut x), from).map_err(of_backend)?;
        let [to, _] = B::split(rest, len).map_err(of_backend)?;
        let sum = B::part(B::read(&all), 0..len).map_err(of_backend)?;
        b.copy(B::vector(sum), B::vector_mut(to)).map_err(of_backend)?;
        from += len;
    }
    Ok(())
}
