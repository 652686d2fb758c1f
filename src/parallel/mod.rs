//! The ops on several threads (feature `parallel`): the same kernels on disjoint parts, on rayon's thread pool, with
//! the same bits.
//!
//! This module has no kernels: disjoint parts of the work run the serial ones, and a reduction merges along the tree of
//! the serial one, so the bits are the same for any number of threads. An op on fewer than some ten thousand elements
//! runs on the calling thread. The functions have the names, parameters, errors and results of those at the root of the
//! crate; the number of threads is that of the pool (`rayon::ThreadPool::install`, `RAYON_NUM_THREADS`).
//!
//! See `examples/small/threads.rs`.
//!
//! ```
//! let x = vec![1.0f32; 1 << 20];
//! assert_eq!(fulmen::parallel::sum(&x), fulmen::sum(&x));
//! ```
//!
//! Strided vectors have no parallel form: memory bandwidth limits gathers of single elements. [`top_k`](crate::top_k())
//! and [`bottom_k`](crate::bottom_k()) have none, as they keep one heap in the slices of the caller. Pooling assigns
//! whole volumes (or planes, or rows) to threads, so a single one is computed by one thread.

mod gemm;
mod ops;
mod pointwise;
mod reduce;
mod rows;
mod workspace;

pub use gemm::*;
pub use ops::*;
pub use pointwise::*;
pub use reduce::*;
pub use rows::*;
pub use workspace::*;

use crate::lanes::drive::GRAIN;
use crate::lanes::executor::Executor;

/// Both halves on rayon's pool, when there is enough to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threads;

/// Of no type, so that what rayon does for two closures is compiled once and not for each two that there are.
#[inline(never)]
fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

impl Executor for Threads {
    const SERIAL: bool = false;
    #[inline]
    #[expect(clippy::unreachable, reason = "both have run, or one has panicked and so has rayon")]
    fn join<A: Send, B: Send>(
        self,
        n: usize,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if n <= GRAIN {
            return (a(), b());
        }
        let (mut a, mut b, mut x, mut y) = (Some(a), Some(b), None, None);
        both(&mut || x = a.take().map(|a| a()), &mut || y = b.take().map(|b| b()));
        let (Some(x), Some(y)) = (x, y) else { unreachable!() };
        (x, y)
    }
    #[inline]
    fn threads(self) -> usize {
        rayon::current_num_threads()
    }
}
