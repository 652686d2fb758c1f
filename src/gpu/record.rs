//! The recorder: [`Value`] implements [`Alu`], so that the body of any op, unchanged, records itself as instructions of
//! a kernel.

use super::builder::{Bitwise, Builder, Value};
use super::ir::{Approx, Cmp, Id, Space};
use super::types::{F32, F64, Float, Integer, Pred, Scalar, Stored, Type, U32, U64};
use crate::alu::{Alu, Bits, Mask, Number};
use crate::lanes::Element;
use alloc::vec::Vec;
use core::marker::PhantomData;

impl Mask for Value<'_, Pred> {}

impl<T: Integer + Bitwise> Bits for Value<'_, T> {
    fn lit(self, c: i64) -> Self {
        self.builder().int(c)
    }
    fn shl<const K: i32>(self) -> Self {
        self << self.builder().int::<U32>(i64::from(K))
    }
    fn shr<const K: i32>(self) -> Self {
        self >> self.builder().int::<U32>(i64::from(K))
    }
}

/// A float that bodies are written in, and its integer view.
pub trait Recorded: Float + Stored {
    /// The element on the host.
    type Elem: Element;
    /// The integer of the same width.
    type Bits: Integer + Bitwise + Stored;
    /// The bits of a constant.
    fn bits(x: Self::Elem) -> u64;
    /// `1 / x`, as coarse as [`Alu::coarse_recip`] allows.
    fn reciprocal(x: Value<'_, Self>) -> Value<'_, Self>;
    /// `1/√x` of a positive number, within an ulp.
    fn inverse_root(x: Value<'_, Self>) -> Value<'_, Self>;
    /// [`Alu::short_power`].
    fn power(x: Value<'_, Self>) -> Option<Value<'_, Self>>;
}

impl Recorded for F32 {
    type Elem = f32;
    type Bits = U32;
    fn bits(x: f32) -> u64 {
        u64::from(x.to_bits())
    }
    fn reciprocal(x: Value<'_, Self>) -> Value<'_, Self> {
        x.approx(Approx::Rcp)
    }
    fn inverse_root(x: Value<'_, Self>) -> Value<'_, Self> {
        // A step of Newton's.
        let (y, b) = (x.approx(Approx::Rsqrt), x.builder());
        let rest = (-(x * y)).fma(y, b.f32(1.0));
        (y * b.f32(0.5)).fma(rest, y)
    }
    fn power(x: Value<'_, Self>) -> Option<Value<'_, Self>> {
        Some(x.approx(Approx::Ex2))
    }
}

impl Recorded for F64 {
    type Elem = f64;
    type Bits = U64;
    fn bits(x: f64) -> u64 {
        x.to_bits()
    }
    fn reciprocal(x: Value<'_, Self>) -> Value<'_, Self> {
        x.builder().f64(1.0) / x
    }
    fn inverse_root(x: Value<'_, Self>) -> Value<'_, Self> {
        x.builder().f64(1.0) / x.root()
    }
    fn power(_: Value<'_, Self>) -> Option<Value<'_, Self>> {
        None
    }
}

/// A parameter of a body that is recorded: a value that the kernel has when it runs, such as one of its arguments. A
/// body takes it where it takes a plain number on a CPU; it belongs to the kernel that it was made in.
pub struct Param<T>(Id, PhantomData<fn() -> T>);

impl<T> Clone for Param<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Param<T> {}
impl<T> core::fmt::Debug for Param<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Param").field(&self.0).finish()
    }
}
impl<T: Recorded> Number for Param<T> {
    type Real = T::Elem;
}

impl<T: Recorded> Value<'_, T> {
    /// The value as a parameter of bodies.
    #[must_use]
    pub fn number(self) -> Param<T> {
        Param(self.id(), PhantomData)
    }
}

impl<'b, T: Recorded> Alu for Value<'b, T> {
    type Elem = Param<T>;
    type Mask = Value<'b, Pred>;
    type Bits = Value<'b, T::Bits>;
    const FUSED: bool = true;

    fn lit(self, c: T::Elem) -> Self {
        self.builder().bits(T::bits(c))
    }
    fn param(self, p: Param<T>) -> Self {
        self.builder().typed(p.0)
    }
    fn mul_add(self, b: Self, c: Self) -> Self {
        self.fma(b, c)
    }
    fn sqrt(self) -> Self {
        self.root()
    }
    fn abs(self) -> Self {
        self.magnitude()
    }
    // PTX's own `min` and `max` prefer the number to the NaN.
    fn min(self, o: Self) -> Self {
        Self::select(self.lt(o), self, o)
    }
    fn max(self, o: Self) -> Self {
        Self::select(o.lt(self), self, o)
    }
    fn lt(self, o: Self) -> Self::Mask {
        self.compare(Cmp::Lt, o)
    }
    fn le(self, o: Self) -> Self::Mask {
        self.compare(Cmp::Le, o)
    }
    fn eq(self, o: Self) -> Self::Mask {
        self.compare(Cmp::Eq, o)
    }
    fn select(m: Self::Mask, a: Self, b: Self) -> Self {
        Value::select(m, a, b)
    }
    fn to_bits(self) -> Self::Bits {
        self.cast()
    }
    fn from_bits(b: Self::Bits) -> Self {
        b.cast()
    }
    fn bits_eq(a: Self::Bits, b: Self::Bits) -> Self::Mask {
        a.compare(Cmp::Eq, b)
    }
    fn lookup(i: Self::Bits, table: &'static [T::Elem]) -> Self {
        let b = i.builder();
        let bits: Vec<u64> = table.iter().map(|x| T::bits(*x)).collect();
        let last = b.int::<U32>(bits.len() as i64 - 1);
        let i: Value<'b, U32> = if T::Bits::TYPE == Type::U32 { i.cast() } else { i.to() };
        let i = i.least(last);
        let width = b.int::<U32>(i64::from(T::TYPE.bytes()));
        b.load(Space::Const, b.table(T::TYPE, bits) + i.wide(width), 0)
    }
    fn coarse_recip(self) -> Self {
        T::reciprocal(self)
    }
    fn near_recip(self) -> Self {
        T::reciprocal(self)
    }
    fn short_power(self) -> Option<Self> {
        T::power(self)
    }
    fn patch(self, rare: Self::Mask, x: Self, f: impl FnOnce(Self) -> Self) -> Self {
        let [y] = self.builder().either(rare, || [f(x)], || [self]);
        y
    }
}

impl Builder {
    /// Parameters that bodies read, one after the other.
    pub fn numbers<T: Recorded, const P: usize>(&self) -> [Param<T>; P] {
        core::array::from_fn(|_| self.param::<T>().number())
    }
}
