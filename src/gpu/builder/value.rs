//! The operators and methods of a [`Value`]: arithmetic, comparisons, conversions, shuffles.

use super::*;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Shl, Shr, Sub};

impl<'b, T: Scalar> Value<'b, T> {
    /// The kernel that is being written.
    #[must_use]
    pub fn builder(self) -> &'b Builder {
        self.builder
    }

    fn op<R: Scalar>(self, op: Op) -> Value<'b, R> {
        self.builder.one(op, &[self.id])
    }

    fn with<U, R: Scalar>(self, op: Op, o: Value<'b, U>) -> Value<'b, R> {
        self.builder.one(op, &[self.id, o.id])
    }

    /// The same bits as another type of the same width; verification refuses another width.
    #[must_use]
    #[inline(never)]
    pub fn cast<R: Scalar>(self) -> Value<'b, R> {
        self.op(Op::Bitcast)
    }

    /// The value in another type: to nearest even; from floats to integers towards zero, as Rust's `as`: what is out of range becomes
    /// the nearest integer, NaN 0.
    #[must_use]
    #[inline(never)]
    pub fn to<R: Scalar>(self) -> Value<'b, R> {
        let converted = self.op(Op::Convert);
        if T::TYPE.nan_as(R::TYPE) != 0 {
            let number = self.builder.one(Op::Compare(Cmp::Eq), &[self.id, self.id]);
            return Value::select(number, converted, self.builder.bits(0));
        }
        converted
    }

    /// A comparison; with NaN only `Ne` holds.
    #[must_use]
    #[inline(never)]
    pub fn compare(self, cmp: Cmp, o: Self) -> Value<'b, Pred>
    where
        T: Number,
    {
        self.with(Op::Compare(cmp), o)
    }

    /// `p ? self : o`.
    #[must_use]
    #[inline(never)]
    pub fn select(p: Value<'b, Pred>, a: Self, b: Self) -> Self {
        p.builder.one(Op::Select, &[p.id, a.id, b.id])
    }

    /// `self · b + c`, rounded once.
    #[must_use]
    #[inline(never)]
    pub fn fma(self, b: Self, c: Self) -> Self
    where
        T: Number,
    {
        self.builder.one(Op::Fma, &[self.id, b.id, c.id])
    }

    /// The smaller; the one that is a number, if one is.
    #[must_use]
    #[inline(never)]
    pub fn least(self, o: Self) -> Self
    where
        T: Number,
    {
        self.with(Op::Min, o)
    }

    /// The larger; the one that is a number, if one is.
    #[must_use]
    #[inline(never)]
    pub fn most(self, o: Self) -> Self
    where
        T: Number,
    {
        self.with(Op::Max, o)
    }

    /// The magnitude.
    #[must_use]
    #[inline(never)]
    pub fn magnitude(self) -> Self
    where
        T: Number,
    {
        self.op(Op::Abs)
    }

    /// The square root, correctly rounded.
    #[must_use]
    pub fn root(self) -> Self
    where
        T: Float,
    {
        self.op(Op::Sqrt)
    }

    /// The value of another lane of the warp.
    #[must_use]
    pub fn shuffle(self, mode: Shuffle, lane: Value<'b, U32>) -> Self {
        self.with(Op::Shuffle(mode), lane)
    }
}

impl<'b> Value<'b, F32> {
    /// An approximate function.
    #[must_use]
    pub fn approx(self, f: Approx) -> Self {
        self.op(Op::Approx(f))
    }
}

impl<'b> Value<'b, U32> {
    /// The product in 64 bits.
    #[must_use]
    pub fn wide(self, o: Self) -> Value<'b, U64> {
        self.with(Op::MulWide, o)
    }

    /// The high half of the product.
    #[must_use]
    pub fn high(self, o: Self) -> Self {
        self.with(Op::MulHi, o)
    }

    /// The products of the four signed bytes of both, added to `c`.
    #[must_use]
    pub fn dot4(self, o: Self, c: Self) -> Self {
        self.builder.one(Op::Dot4, &[self.id, o.id, c.id])
    }

    /// Bits set.
    #[must_use]
    pub fn popc(self) -> Self {
        self.op(Op::Popc)
    }

    /// Leading zeros.
    #[must_use]
    pub fn clz(self) -> Self {
        self.op(Op::Clz)
    }

    /// Bits in reverse order.
    #[must_use]
    pub fn brev(self) -> Self {
        self.op(Op::Brev)
    }
}

impl<'b> Value<'b, Pred> {
    /// Whether it holds in all lanes of the warp.
    #[must_use]
    pub fn all(self) -> Self {
        self.op(Op::Vote(Vote::All))
    }

    /// Whether it holds in some lane of the warp.
    #[must_use]
    pub fn any(self) -> Self {
        self.op(Op::Vote(Vote::Any))
    }

    /// One bit per lane of the warp.
    #[must_use]
    pub fn ballot(self) -> Value<'b, U32> {
        self.op(Op::Vote(Vote::Ballot))
    }
}

/// Operands of a test or a fuzzer, which knows types at run time only.
impl Builder {
    /// A value of a type and an op that are known at run time only; verification refuses what does not fit.
    pub fn raw(&self, op: Op, ty: Type, args: &[Id]) -> Id {
        self.emit(op, &[ty], args).at(0)
    }

    /// The value with this number.
    pub fn typed<T: Scalar>(&self, id: Id) -> Value<'_, T> {
        self.value(id)
    }
}

impl<T> Value<'_, T> {
    /// Its number.
    #[must_use]
    pub fn id(self) -> Id {
        self.id
    }
}

macro_rules! operators {
    ($($trait:ident $f:ident $op:ident $kind:ident;)*) => {$(
        impl<'b, T: $kind> $trait for Value<'b, T> {
            type Output = Self;
            #[inline(never)]
            fn $f(self, o: Self) -> Self {
                self.with(Op::$op, o)
            }
        }
    )*};
}
operators! {
    Add add Add Number;
    Sub sub Sub Number;
    Mul mul Mul Number;
    Div div Div Number;
    Rem rem Rem Integer;
}

/// Types with bitwise operators: integers and truth values.
pub trait Bitwise: Scalar {}
macro_rules! bitwise {
    ($($t:ident)*) => {$(impl Bitwise for $t {})*};
}
bitwise!(Pred U16 U32 U64 S16 S32 S64 B32 B64);
operators! {
    BitAnd bitand And Bitwise;
    BitOr bitor Or Bitwise;
    BitXor bitxor Xor Bitwise;
}

impl<'b, T: Bitwise> Not for Value<'b, T> {
    type Output = Self;
    #[inline(never)]
    fn not(self) -> Self {
        self.op(Op::Not)
    }
}
impl<'b, T: Number> Neg for Value<'b, T> {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        self.op(Op::Neg)
    }
}
impl<'b, T: Integer> Shl<Value<'b, U32>> for Value<'b, T> {
    type Output = Self;
    #[inline(never)]
    fn shl(self, by: Value<'b, U32>) -> Self {
        self.with(Op::Shl, by)
    }
}
impl<'b, T: Integer> Shr<Value<'b, U32>> for Value<'b, T> {
    type Output = Self;
    #[inline(never)]
    fn shr(self, by: Value<'b, U32>) -> Self {
        self.with(Op::Shr, by)
    }
}
