//! What memory of a backend may hold, and which types of this crate are plain data to `bytemuck`: without padding, any bits a value.

use crate::lanes::Element;
use crate::{Complex, E4m3};
use bytemuck::{Pod, Zeroable};

// SAFETY: it consists of two numbers of a type of which zeros are a value.
unsafe impl<T: Zeroable> Zeroable for Complex<T> {}
// SAFETY: it is `repr(C)` of two numbers of one type of which any bits are a value: the second follows the first without a gap, and
// nothing follows it, as its alignment is theirs.
unsafe impl<T: Pod> Pod for Complex<T> {}

/// For types that are `repr(C)` or `repr(transparent)` of bytes and arrays of bytes.
macro_rules! of_bytes {
    ($($T:ty)*) => { $(
        const _: () = assert!(align_of::<$T>() == 1 && size_of::<$T>() > 0);
        // SAFETY: it consists of bytes, which may be zeros.
        unsafe impl bytemuck::Zeroable for $T {}
        // SAFETY: it consists of bytes, of which any are a value, and its alignment is 1, so none lie between or behind them.
        unsafe impl bytemuck::Pod for $T {}
        impl $crate::plain::Plain for $T {}
    )* };
}
pub(crate) use of_bytes;
of_bytes! { E4m3 }

/// What a backend's memory may hold.
pub trait Plain: Copy + Send + Sync + 'static {}
impl<T: Element> Plain for T {}
impl<T: Element> Plain for Complex<T> {}
impl Plain for u32 {}
impl Plain for usize {}
impl Plain for i8 {}
impl Plain for u8 {}
impl Plain for i16 {}
impl Plain for u16 {}
impl Plain for i32 {}
impl Plain for u64 {}
impl Plain for i64 {}
impl Plain for bool {}
#[cfg(feature = "half")]
impl Plain for half::f16 {}
#[cfg(feature = "half")]
impl Plain for half::bf16 {}
