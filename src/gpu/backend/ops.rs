//! The backend traits for devices: the list of ops generates most methods.

use super::super::device::{Computes, Device, Error};
use super::super::record::Recorded;
use super::super::template::Argument;
use super::super::types::{F32, F64};
use super::plan::{Plan, Planner, wide};
use super::{Gpu, Mat, MatMut, Product, View, ViewMut, Word};
use crate::alu::Body;
use crate::alu::not_negative;
use crate::error::{OpName, not_empty, same_len, same_shape};
use crate::lanes::Element;
use alloc::vec::Vec;

/// An element type of kernels.
pub trait Scalar: Element + Word {
    /// Its values in the recorder.
    type Recorded: Recorded<Elem = Self>;
}
impl Scalar for f32 {
    type Recorded = F32;
}
impl Scalar for f64 {
    type Recorded = F64;
}

pub(super) fn bits<T: Scalar>(x: T) -> u64 {
    <T::Recorded as Recorded>::bits(x)
}

pub(super) type Done = Result<(), Error>;

/// The arguments of a kernel: buffers `0..buffers`, words, then numbers.
pub(super) fn arguments<T: Scalar>(buffers: usize, words: &[usize], numbers: &[T]) -> Vec<Argument> {
    let mut all: Vec<Argument> = (0..buffers).map(Argument::Buffer).collect();
    // Strides that no element needs may be longer than a word.
    all.extend(words.iter().map(|w| Argument::Bits(u64::from(u32::try_from(*w).unwrap_or(u32::MAX)))));
    all.extend(numbers.iter().map(|x| Argument::Bits(bits(*x))));
    all
}

/// What a method of the op `$name` does; a refusal of its arguments has that name.
macro_rules! called {
    ($name:ident, $body:block) => {{
        const OP: $crate::error::OpName = $crate::error::OpName::of(stringify!($name));
        $crate::gpu::backend::ops::within(OP, move || $body)
    }};
}

pub(super) fn within<R>(op: OpName, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    crate::forms::span!(op, of crate::trace::SpanInfo::new("gpu"));
    run().map_err(|e| e.of(op))
}

pub(super) use called;

/// The method of a row of the list.
macro_rules! method {
    (unary $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt [$($p:ident),*]) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, x: View<'_, T, D> $(, $p: T)*, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, {
                Body::<T, 1>::check(method!(=body $body $($p)*))?;
                self.pointwise(stringify!($name), [("x", x)], &[$(bits($p)),*], out)
            })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, x: ViewMut<'_, T, D> $(, $p: T)*) -> Done
        where D: Computes<T> {
            called!($name, {
                Body::<T, 1>::check(method!(=body $body $($p)*))?;
                self.in_place(stringify!($name), x, [], &[$(bits($p)),*])
            })
        }
    };
    (binary $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt [$($p:ident),*]) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, a: View<'_, T, D>, b: View<'_, T, D> $(, $p: T)*, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, {
                Body::<T, 2>::check(method!(=body $body $($p)*))?;
                self.pointwise(stringify!($name), [("a", a), ("b", b)], &[$(bits($p)),*], out)
            })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, a: ViewMut<'_, T, D>, b: View<'_, T, D> $(, $p: T)*) -> Done
        where D: Computes<T> {
            called!($name, {
                Body::<T, 2>::check(method!(=body $body $($p)*))?;
                self.in_place(stringify!($name), a, [("b", b)], &[$(bits($p)),*])
            })
        }
    };
    (ternary $name:ident ($f:ident, $on:ident) $body:tt []) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, a: View<'_, T, D>, b: View<'_, T, D>, c: View<'_, T, D>, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, { self.pointwise(stringify!($name), [("a", a), ("b", b), ("c", c)], &[], out) })
        }
    };
    (update $name:ident ($f:ident, $on:ident) $body:tt [$p:ident]) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, $p: T, x: View<'_, T, D>, y: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, {
                Body::<T, 2>::check(crate::$body($p))?;
                same_len("y", x.len(), y.len())?;
                let n = y.len();
                let bound = [x.binding(self)?, y.binding(self)?];
                let wide = wide(&bound);
                self.pieces([n, size_of::<T>()], 2, &bound, |n| {
                    self.state.planner.pointwise::<T::Recorded>(stringify!($name), &[1, 0, 1], n, &[bits($p)], wide)
                })
            })
        }
    };
    (rows $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt []) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, x: View<'_, T, D>, cols: usize, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "cols", cols, x, Some(out), [], None) })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, x: ViewMut<'_, T, D>, cols: usize) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "cols", cols, x.read(), None, [], None) })
        }
    };
    (rows_eps $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt []) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, x: View<'_, T, D>, cols: usize, eps: T, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "cols", cols, x, Some(out), [], Some(eps)) })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, x: ViewMut<'_, T, D>, cols: usize, eps: T) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "cols", cols, x.read(), None, [], Some(eps)) })
        }
    };
    (rows_scale $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt []) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, x: View<'_, T, D>, gamma: View<'_, T, D>, eps: T, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "gamma", gamma.len(), x, Some(out), [("gamma", gamma)], Some(eps)) })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, x: ViewMut<'_, T, D>, gamma: View<'_, T, D>, eps: T) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "gamma", gamma.len(), x.read(), None, [("gamma", gamma)], Some(eps)) })
        }
    };
    (rows_affine $name:ident ($f:ident, $on:ident, $in_place:ident) $body:tt []) => {
        #[doc = concat!("[`", stringify!($f), "`](crate::", stringify!($f), "())")]
        pub fn $f<T: Scalar>(&self, x: View<'_, T, D>, gamma: View<'_, T, D>, beta: View<'_, T, D>, eps: T, out: ViewMut<'_, T, D>) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "gamma", gamma.len(), x, Some(out), [("gamma", gamma), ("beta", beta)], Some(eps)) })
        }
        #[doc = concat!("[`", stringify!($in_place), "`](crate::", stringify!($in_place), "())")]
        pub fn $in_place<T: Scalar>(&self, x: ViewMut<'_, T, D>, gamma: View<'_, T, D>, beta: View<'_, T, D>, eps: T) -> Done
        where D: Computes<T> {
            called!($name, { self.rows(stringify!($name), "gamma", gamma.len(), x.read(), None, [("gamma", gamma), ("beta", beta)], Some(eps)) })
        }
    };
    (=body $body:tt) => { crate::$body };
    (=body $body:tt $($p:ident)+) => { crate::$body($($p),+) };
    ($other:ident $($row:tt)*) => {};
}

macro_rules! methods {
    ($($shape:ident $name:ident $f:tt $body:tt [$($parameter:ident: $value:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// The ops of regular rows of the list.
        #[allow(clippy::too_many_arguments, reason = "the op's own")]
        impl<D: Device> Gpu<D> { $(method! { $shape $name $f $body [$($parameter),*] })* }
    };
}
crate::for_each_op!(methods);

impl<D: Device> Gpu<D> {
    fn pointwise<T: Scalar, const N: usize>(
        &self,
        op: &'static str,
        x: [(&'static str, View<'_, T, D>); N],
        parameters: &[u64],
        out: ViewMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        self.elementwise(x, out, |operands, n, wide| {
            self.state.planner.pointwise::<T::Recorded>(op, operands, n, parameters, wide)
        })
    }

    /// Runs the plan of an element-wise kernel: of its operands, their number, and whether they start at multiples of 16 bytes.
    pub(super) fn elementwise<T: Scalar, const N: usize>(
        &self,
        x: [(&'static str, View<'_, T, D>); N],
        out: ViewMut<'_, T, D>,
        plan: impl Fn(&[usize], usize, bool) -> Result<Plan, Error>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let n = x.first().map_or(out.len(), |(_, x)| x.len());
        for (arg, x) in x.iter().skip(1) {
            same_len(arg, n, x.len())?;
        }
        same_len("out", n, out.len())?;
        let mut bound = Vec::with_capacity(N + 1);
        for (_, x) in x {
            bound.push(x.binding(self)?);
        }
        bound.push(out.binding(self)?);
        let (operands, wide): (Vec<usize>, _) = ((0..=N).collect(), wide(&bound));
        self.pieces([n, size_of::<T>()], N + 1, &bound, |n| plan(&operands, n, wide))
    }

    fn in_place<T: Scalar, const N: usize>(
        &self,
        op: &'static str,
        x: ViewMut<'_, T, D>,
        others: [(&'static str, View<'_, T, D>); N],
        parameters: &[u64],
    ) -> Done {
        let n = x.len();
        let mut bound = Vec::with_capacity(N + 1);
        bound.push(x.binding(self)?);
        for (arg, other) in others {
            same_len(arg, n, other.len())?;
            bound.push(other.binding(self)?);
        }
        // Those of the inputs, then the first again.
        let operands = [0, 1, 2, 3].map(|k| if k <= N { k } else { 0 });
        let operands = operands.get(..N + 2).unwrap_or_default();
        let wide = wide(&bound);
        self.pieces([n, size_of::<T>()], N + 1, &bound, |n| {
            self.state.planner.pointwise::<T::Recorded>(op, operands, n, parameters, wide)
        })
    }

    pub(super) fn reduction<T: Scalar, R: Word, const N: usize>(
        &self,
        op: &'static str,
        x: [(&'static str, View<'_, T, D>); N],
        out: ViewMut<'_, R, D>,
    ) -> Done {
        same_len("out", 1, out.len())?;
        let n = x.first().map_or(0, |(_, x)| x.len());
        let mut bound = x.iter().map(|(_, x)| x.binding(self)).collect::<Result<Vec<_>, Error>>()?;
        let plan = self.state.planner.reduction::<T::Recorded>(op, N, n, wide(&bound))?;
        bound.push(out.binding(self)?);
        self.run(&plan, &bound)
    }

    #[allow(clippy::too_many_arguments, reason = "what rows have")]
    fn rows<T: Scalar, const N: usize>(
        &self,
        op: &'static str,
        width: &'static str,
        cols: usize,
        x: View<'_, T, D>,
        out: Option<ViewMut<'_, T, D>>,
        weights: [(&'static str, View<'_, T, D>); N],
        eps: Option<T>,
    ) -> Done {
        not_empty(width, cols)?;
        for (arg, weights) in &weights {
            same_len(arg, cols, weights.len())?;
        }
        if let Some(eps) = eps {
            not_negative("eps", eps)?;
        }
        if !x.len().is_multiple_of(cols) {
            return Err(crate::Error::rows("x", cols, x.len()).into());
        }
        let mut bound = Vec::with_capacity(N + 2);
        bound.push(x.binding(self)?);
        if let Some(out) = &out {
            same_len("out", x.len(), out.len())?;
            bound.push(out.binding(self)?);
        }
        for (_, w) in weights {
            bound.push(w.binding(self)?);
        }
        let to = usize::from(out.is_some());
        // Of no rows there may be as many columns as anybody says.
        let width = cols.saturating_mul(size_of::<T>());
        let aligned = wide(&bound);
        self.pieces([x.len() / cols, width], to + 1, &bound, |rows| {
            self.state.planner.rows::<T::Recorded>(op, [rows, cols], to, N, eps.map(bits), aligned)
        })
    }

    /// [`gemm`](crate::gemm()), without a workspace of the caller's.
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), `Overflow`, [`Error::Limit`], [`Error::Lost`].
    pub fn gemm<T: Scalar>(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
    ) -> Done
    where
        D: Computes<T>,
    {
        called!(gemm, {
            self.product_by(alpha, a, b, beta, c, None, |planner, product, _| {
                planner.product::<T::Recorded>(product)
            })
        })
    }

    /// A product by a plan, which is told whether C starts at a multiple of 16 bytes; a bias is the operand behind C.
    #[allow(clippy::too_many_arguments, reason = "BLAS, a bias, a plan")]
    pub(super) fn product_by<T: Scalar>(
        &self,
        alpha: T,
        a: Mat<'_, T, D>,
        b: Mat<'_, T, D>,
        beta: T,
        c: MatMut<'_, T, D>,
        bias: Option<View<'_, T, D>>,
        plan: impl FnOnce(&Planner, &Product<T>, bool) -> Result<Plan, Error>,
    ) -> Done {
        let ([m, n], k) = (c.0.shape, a.shape[1]);
        same_shape("a", [m, k], a.shape)?;
        same_shape("b", [k, n], b.shape)?;
        let strides = [a.strides, b.strides, c.0.strides];
        let c = c.0.binding(self)?;
        let halves = c.start.is_multiple_of(8) && self.state.is_bf16(c.buffer);
        let product = Product { sizes: [m, n, k], strides, alpha, beta, halves };
        let plan = plan(&self.state.planner, &product, c.start.is_multiple_of(16))?;
        let mut bound = Vec::from([a.binding(self)?, b.binding(self)?, c]);
        bound.extend(bias.map(|bias| bias.binding(self)).transpose()?);
        self.run(&plan, &bound)
    }
}
