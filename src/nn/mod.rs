//! Layers of neural networks, their gradients and the steps of optimisers. Row ops are here: each row of a row-major
//! matrix becomes a row of the same length.
//!
//! `x` has whole rows of `cols` elements. `op` writes to `out`, and `op_in_place` overwrites `x`; both give the same
//! bits. Rows are independent of each other.

pub(crate) mod attention;
pub(crate) mod conv1d;
pub(crate) mod conv2d;
pub(crate) mod embedding;
pub(crate) mod gated;
pub(crate) mod int_to_float;
pub(crate) mod log_sum_exp;
pub(crate) mod losses;
pub(crate) mod nll;
mod norm;
pub(crate) mod norm_backward;
mod normalize;
pub(crate) mod optimisers;
pub(crate) mod pool;
pub(crate) mod rope;
mod rope_table;
pub(crate) mod sampling;
pub(crate) mod scan;
pub(crate) mod similarity;
pub(crate) mod softmax;
pub(crate) mod softmax_backward;

pub use attention::*;
pub use conv1d::*;
pub use conv2d::*;
pub use embedding::*;
pub use gated::*;
pub use int_to_float::*;
pub use log_sum_exp::*;
pub use losses::*;
pub use nll::*;
pub use norm::*;
pub use norm_backward::*;
pub use normalize::*;
pub use optimisers::*;
pub use pool::*;
pub use rope::*;
pub use rope_table::*;
pub use sampling::*;
pub use scan::*;
pub use similarity::*;
pub use softmax::*;
pub use softmax_backward::*;

use crate::alu::{Alu, Body};
use crate::error::{Error, not_empty, same_len};
use crate::lanes::executor::{Executor, Serial, split};
use crate::lanes::fold::{Fold, to_scalar};
use crate::lanes::inout::InOut;
use crate::lanes::multipass::{Folds, Row, Slices, Streams, Summary};
use crate::lanes::portable::{Portable, scalar};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};

/// A function of one row.
pub(crate) trait RowOp<T: Element>: Copy + Send + Sync {
    /// Elements in a row; checks the parameters.
    fn cols(self) -> Result<usize, Error>;
    /// What acts by column, a row long each; empty where the op has none.
    fn columns(&self) -> [&[T]; 2] {
        [&[]; 2]
    }
    /// Writes one row; `j` may split it. Mark it `#[inline(always)]`.
    fn row<J: Executor, S: Simd>(self, j: J, s: S, row: InOut<'_, T>);
}

/// A row on a CPU, with the columns that its map takes.
struct OnRow<'a, 'r, J, S, T>(J, S, InOut<'r, T>, [&'a [T]; 2]);

impl<J: Executor, S: Simd, T: Element> OnRow<'_, '_, J, S, T> {
    #[inline(always)]
    fn slices(&self) -> Slices<'_, J, S, T, 1> {
        Slices(self.0, self.1, [self.2.input()])
    }
}

impl<J: Executor, S: Simd, T: Element> Folds<T, 1> for OnRow<'_, '_, J, S, T> {
    type V = T::Vec<Portable<1>>;
    #[inline(always)]
    fn fold<F: Fold<T, 1, K>, const K: usize>(&self, f: F) -> [Self::V; K] {
        self.slices().fold(f)
    }
    #[inline(always)]
    fn fold_where<F: Fold<T, 1, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        f: F,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.slices().fold_where(m, f, otherwise)
    }
    #[inline(always)]
    fn number(&self, v: Self::V) -> T {
        to_scalar(v)
    }
}

impl<J: Executor, S: Simd, T: Element> Streams<T, 1> for OnRow<'_, '_, J, S, T> {
    #[inline(always)]
    fn summary<P: Summary<T, 1, K>, const K: usize>(&self, p: P) -> [Self::V; K] {
        self.slices().summary(p)
    }
    #[inline(always)]
    fn summary_where<P: Summary<T, 1, K>, const K: usize>(
        &self,
        m: <Self::V as Alu>::Mask,
        p: P,
        otherwise: [Self::V; K],
    ) -> [Self::V; K] {
        self.slices().summary_where(m, p, otherwise)
    }
    #[inline(always)]
    fn len(&self) -> Self::V {
        self.slices().len()
    }
    #[inline(always)]
    fn sample<F: Fold<T, 1, K>, const K: usize>(&self, f: F) -> ([Self::V; K], Self::V) {
        self.slices().sample(f)
    }
}

impl<J: Executor, S: Simd, T: Element> Row<T> for OnRow<'_, '_, J, S, T> {
    #[inline(always)]
    fn first(&self) -> Self::V {
        scalar(self.2.input().first().copied().unwrap_or_default())
    }
    #[inline(always)]
    fn known(&self, m: <Self::V as Alu>::Mask) -> Option<bool> {
        Some(<Self::V as Vector>::any(m))
    }
    #[inline(always)]
    fn map<B: Body<T, 1>>(&mut self, body: B) {
        self.2.map(self.0, self.1, body);
    }
    #[inline(always)]
    fn map_scaled<B: Body<T, 2>>(&mut self, body: B) {
        let [gamma, _] = self.3;
        self.2.map2(self.0, self.1, body, gamma);
    }
    #[inline(always)]
    fn map_affine<B: Body<T, 3>>(&mut self, body: B) {
        let [gamma, beta] = self.3;
        self.2.map3(self.0, self.1, body, gamma, beta);
    }
}

/// Runs `op` on all rows.
#[inline]
pub(crate) fn rows_by<J, S, T, R>(j: J, s: S, op: R, x: &[T], out: &mut [T]) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    R: RowOp<T>,
{
    let cols = whole_rows(op, x.len())?;
    same_len("out", x.len(), out.len())?;
    each_row(j, s, op, cols, InOut::new(x, out));
    Ok(())
}

/// Runs `op` on all rows over the input.
#[inline]
pub(crate) fn rows_in_place_by<J, S, T, R>(j: J, s: S, op: R, x: &mut [T]) -> Result<(), Error>
where
    J: Executor,
    S: Simd,
    T: Element,
    R: RowOp<T>,
{
    let cols = whole_rows(op, x.len())?;
    each_row(j, s, op, cols, InOut::in_place(x));
    Ok(())
}

#[inline]
fn whole_rows<T: Element>(op: impl RowOp<T>, got: usize) -> Result<usize, Error> {
    let cols = op.cols()?;
    match got.checked_rem(cols) {
        None => Err(Error::must_be("cols", "at least 1")),
        Some(0) => Ok(cols),
        Some(_) => Err(Error::rows("x", cols, got)),
    }
}

/// Elements that one thread takes at a time, as long as there is more than one row.
pub(crate) const GRAIN: usize = 32768;

fn each_row<J, S, T, R>(j: J, s: S, op: R, cols: usize, mut x: InOut<'_, T>)
where
    J: Executor,
    S: Simd,
    T: Element,
    R: RowOp<T>,
{
    if !J::SERIAL {
        let n = x.len();
        if n == cols {
            return s.vectorize(
                #[inline(always)]
                || op.row(j, s, x),
            );
        }
        if n > GRAIN.max(cols) {
            let (a, b) = x.split_at(split(n, cols));
            j.join(n, || each_row(j, s, op, cols, a), || each_row(j, s, op, cols, b));
            return;
        }
    }
    s.vectorize(
        #[inline(always)]
        || {
            while x.len() > 0 {
                let (row, rest) = x.split_at(cols);
                op.row(Serial, s, row);
                x = rest;
            }
        },
    );
}

/// The four functions of a row op: `op`, `op_on`, `op_in_place`, `op_in_place_on`.
macro_rules! row_op {
    ($($(#[$doc:meta])* $name:ident, $on:ident, $in_place:ident, $in_place_on:ident
       ($($arg:ident: $ty:ty),*) $op:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $name<T: $crate::Element>(x: &[T], $($arg: $ty,)* out: &mut [T]) -> Result<(), $crate::Error> {
            $on($crate::lanes::native(), x, $($arg,)* out)
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $on<S: $crate::lanes::Simd, T: $crate::Element>(
            s: S,
            x: &[T],
            $($arg: $ty,)*
            out: &mut [T],
        ) -> Result<(), $crate::Error> {
            let op = $op;
            let [first, second] = $crate::nn::RowOp::<T>::columns(&op);
            $crate::forms::named!([Result] $name at serial s, (x: in, out: out), $crate::contract::contract!(
                $name,
                $crate::nn::rows_by($crate::lanes::executor::Serial, s, op, x, out),
                &$crate::contract::Call::new(&[x, first, second], out).cols($crate::nn::RowOp::<T>::cols(op).unwrap_or_default())
            ))
        }
        #[doc = concat!("[`", stringify!($name), "`](crate::", stringify!($name), "()) over its input.")]
        #[inline]
        pub fn $in_place<T: $crate::Element>(x: &mut [T], $($arg: $ty),*) -> Result<(), $crate::Error> {
            $in_place_on($crate::lanes::native(), x, $($arg),*)
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "()) on the instruction set of `s`.")]
        #[inline]
        pub fn $in_place_on<S: $crate::lanes::Simd, T: $crate::Element>(
            s: S,
            x: &mut [T],
            $($arg: $ty),*
        ) -> Result<(), $crate::Error> {
            $crate::forms::named!([Result] $name at serial s, (x: inout), $crate::nn::rows_in_place_by($crate::lanes::executor::Serial, s, $op, x))
        }
    )*};
}
pub(crate) use row_op;

/// `cols`, which must not be zero.
#[inline]
fn at_least_one(cols: usize) -> Result<usize, Error> {
    not_empty("cols", cols)?;
    Ok(cols)
}
