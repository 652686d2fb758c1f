//! What the harnesses use of Kani, so that they are type-checked where Kani is not installed. Nothing here can run.
#![no_std]

pub use macros::{proof, unwind};

/// What Kani makes values of.
pub trait Arbitrary {}

macro_rules! arbitrary {
    ($($T:ty)*) => {$(impl Arbitrary for $T {})*};
}
arbitrary!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char);
impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {}
impl<T: Arbitrary> Arbitrary for Option<T> {}

pub fn any<T: Arbitrary>() -> T {
    unimplemented!("only Kani has every value")
}

pub fn assume(_: bool) {
    unimplemented!("only Kani assumes")
}
