//! What memory of a backend may hold.

use crate::lanes::Element;
use crate::{Complex, E4m3};

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
impl Plain for E4m3 {}
