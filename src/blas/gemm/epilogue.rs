//! The epilogue of a matrix product: a bias, a residual or any pointwise body is applied while the tile of C is in
//! registers.

use super::strided::part_of_row;
use crate::alu::Body;
use crate::error::Error;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::view::MatRef;

/// Something done to each element of `αAB + βC` before it is stored.
///
/// `()` does nothing and costs nothing. [`Pointwise`] evaluates a body, [`BiasRow`], [`BiasCol`] and
/// [`Residual`] add what depends on the place, [`ScaleRow`] and [`ScaleCol`] multiply by it, and [`Chain`] does one after
/// the other.
pub trait Epilogue<T: Element>: Copy + Send + Sync + sealed::Sealed<T> {
    #[doc(hidden)]
    const NONE: bool = false;
    /// The same on the transposed product.
    #[doc(hidden)]
    type Transposed: Epilogue<T>;
    #[doc(hidden)]
    fn transposed(self) -> Self::Transposed;
    /// Refuses operands that do not fit a product of `shape`.
    #[doc(hidden)]
    fn check(self, shape: [usize; 2]) -> Result<(), Error>;
    /// The part for a block of the product that starts there.
    #[doc(hidden)]
    fn part(self, start: [usize; 2]) -> Self;
    /// On the first `n` lanes of a vector that starts at `row` and `col`.
    #[doc(hidden)]
    fn apply<S: Simd>(self, s: S, x: T::Vec<S>, at: [usize; 2], n: usize) -> T::Vec<S>;
}

mod sealed {
    /// Keeps the epilogues to this module: what they guarantee about lanes is not checked.
    pub trait Sealed<T> {}
}

impl<T: Element> sealed::Sealed<T> for () {}
impl<T: Element> Epilogue<T> for () {
    const NONE: bool = true;
    type Transposed = ();
    #[inline(always)]
    fn transposed(self) {}
    #[inline(always)]
    fn check(self, _: [usize; 2]) -> Result<(), Error> {
        Ok(())
    }
    #[inline(always)]
    fn part(self, _: [usize; 2]) {}
    #[inline(always)]
    fn apply<S: Simd>(self, _: S, x: T::Vec<S>, _: [usize; 2], _: usize) -> T::Vec<S> {
        x
    }
}

/// A body of one input: any activation, or a [`Then`](crate::Then) of several.
#[derive(Debug, Clone, Copy)]
pub struct Pointwise<B>(pub B);

impl<T: Element, B: Body<T, 1>> sealed::Sealed<T> for Pointwise<B> {}
impl<T: Element, B: Body<T, 1>> Epilogue<T> for Pointwise<B> {
    type Transposed = Self;
    #[inline(always)]
    fn transposed(self) -> Self {
        self
    }
    #[inline(always)]
    fn check(self, _: [usize; 2]) -> Result<(), Error> {
        self.0.check()
    }
    #[inline(always)]
    fn part(self, _: [usize; 2]) -> Self {
        self
    }
    #[inline(always)]
    fn apply<S: Simd>(self, _: S, x: T::Vec<S>, _: [usize; 2], _: usize) -> T::Vec<S> {
        self.0.eval([x])
    }
}

/// Adds a matrix of the product's shape.
#[derive(Debug)]
pub struct Residual<'a, T>(pub MatRef<'a, T>);

/// Adds one value per row of the product.
#[derive(Debug)]
pub struct BiasRow<'a, T>(pub &'a [T]);

/// Adds one value per column of the product.
#[derive(Debug)]
pub struct BiasCol<'a, T>(pub &'a [T]);

/// Multiplies by one value per row of the product.
#[derive(Debug)]
pub struct ScaleRow<'a, T>(pub &'a [T]);

/// Multiplies by one value per column of the product.
#[derive(Debug)]
pub struct ScaleCol<'a, T>(pub &'a [T]);

/// The first, then the second.
#[derive(Debug, Clone, Copy)]
pub struct Chain<E, F>(pub E, pub F);

macro_rules! copies {
    ($($View:ident)*) => {$(
        impl<T> Clone for $View<'_, T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $View<'_, T> {}
        impl<T: Element> sealed::Sealed<T> for $View<'_, T> {}
    )*};
}
copies!(Residual BiasRow BiasCol ScaleRow ScaleCol);

impl<'a, T: Element> Epilogue<T> for Residual<'a, T> {
    type Transposed = Self;
    #[inline(always)]
    fn transposed(self) -> Self {
        Self(self.0.t())
    }
    #[inline(always)]
    fn check(self, expected: [usize; 2]) -> Result<(), Error> {
        let got = [self.0.rows(), self.0.cols()];
        if got == expected { Ok(()) } else { Err(Error::shape("epilogue", expected, got)) }
    }
    #[inline(always)]
    fn part(self, start: [usize; 2]) -> Self {
        Self(self.0.block(start, [usize::MAX; 2]))
    }
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, x: T::Vec<S>, [i, j]: [usize; 2], n: usize) -> T::Vec<S> {
        x + part_of_row(s, self.0, i, j, n)
    }
}

/// `Ok` when there is one element for each row or column.
#[inline(always)]
fn fits(got: usize, expected: usize) -> Result<(), Error> {
    crate::error::same_len("epilogue", expected, got)
}

macro_rules! lines {
    ($Row:ident $Col:ident $op:tt) => {
        impl<'a, T: Element> Epilogue<T> for $Row<'a, T> {
            type Transposed = $Col<'a, T>;
            #[inline(always)]
            fn transposed(self) -> $Col<'a, T> {
                $Col(self.0)
            }
            #[inline(always)]
            fn check(self, [rows, _]: [usize; 2]) -> Result<(), Error> {
                fits(self.0.len(), rows)
            }
            #[inline(always)]
            fn part(self, [i, _]: [usize; 2]) -> Self {
                Self(self.0.get(i..).unwrap_or_default())
            }
            #[inline(always)]
            fn apply<S: Simd>(self, s: S, x: T::Vec<S>, [i, _]: [usize; 2], _: usize) -> T::Vec<S> {
                x $op T::Vec::<S>::splat(s, self.0.get(i).copied().unwrap_or(T::ZERO))
            }
        }

        impl<'a, T: Element> Epilogue<T> for $Col<'a, T> {
            type Transposed = $Row<'a, T>;
            #[inline(always)]
            fn transposed(self) -> $Row<'a, T> {
                $Row(self.0)
            }
            #[inline(always)]
            fn check(self, [_, cols]: [usize; 2]) -> Result<(), Error> {
                fits(self.0.len(), cols)
            }
            #[inline(always)]
            fn part(self, [_, j]: [usize; 2]) -> Self {
                Self(self.0.get(j..).unwrap_or_default())
            }
            #[inline(always)]
            fn apply<S: Simd>(self, s: S, x: T::Vec<S>, [_, j]: [usize; 2], n: usize) -> T::Vec<S> {
                x $op part_of_row(s, MatRef::line(self.0), 0, j, n)
            }
        }
    };
}
lines!(BiasRow BiasCol +);
lines!(ScaleRow ScaleCol *);

impl<T: Element, E: Epilogue<T>, F: Epilogue<T>> sealed::Sealed<T> for Chain<E, F> {}
impl<T: Element, E: Epilogue<T>, F: Epilogue<T>> Epilogue<T> for Chain<E, F> {
    const NONE: bool = E::NONE && F::NONE;
    type Transposed = Chain<E::Transposed, F::Transposed>;
    #[inline(always)]
    fn transposed(self) -> Self::Transposed {
        Chain(self.0.transposed(), self.1.transposed())
    }
    #[inline(always)]
    fn check(self, shape: [usize; 2]) -> Result<(), Error> {
        self.0.check(shape)?;
        self.1.check(shape)
    }
    #[inline(always)]
    fn part(self, start: [usize; 2]) -> Self {
        Self(self.0.part(start), self.1.part(start))
    }
    #[inline(always)]
    fn apply<S: Simd>(self, s: S, x: T::Vec<S>, at: [usize; 2], n: usize) -> T::Vec<S> {
        self.1.apply(s, self.0.apply(s, x, at, n), at, n)
    }
}
