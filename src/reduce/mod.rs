//! Reductions of a whole slice to one value.
//!
//! `op` runs on the instruction set of the build, `op_on` on that of a token. The order of a reduction is a function of
//! the number of lanes and the length only: each block of 8192 registers has up to eight register accumulators, which
//! are merged in pairs, then the lanes by halves; the blocks are merged by a tree that splits at powers of two. Nothing
//! depends on addresses or on the number of threads.

pub(crate) mod covariance;
pub(crate) mod extrema;
pub(crate) mod map_reduce;
pub(crate) mod moments;
pub(crate) mod norms;
pub(crate) mod product;
pub(crate) mod select;
pub(crate) mod sums;
pub(crate) mod top_k;

pub use covariance::*;
pub use extrema::*;
pub use map_reduce::*;
pub use moments::*;
pub use norms::*;
pub use product::*;
pub use sums::*;
pub use top_k::*;

pub(crate) use crate::lanes::fold::fold_by as run;

#[inline(always)]
pub(crate) fn is_nan<T: crate::Element>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}
