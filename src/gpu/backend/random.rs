//! Counter-based random numbers, with the bits of a CPU.

#[cfg(doc)]
use super::super::device::Error;
use super::super::device::{Computes, Device};
use super::super::template::random;
use super::super::types::F32;
use super::ops::{Done, Scalar, arguments, called};
use super::{Gpu, ViewMut, Word};
use crate::backend::{Random, RandomBits, RandomFlags, RandomIntegers};
use crate::gpu::template::Argument;
use crate::random::{Integer, Stream, Variate, ops};
use alloc::vec;
use alloc::vec::Vec;

/// Integers of 32 bits.
pub trait Narrow: Integer + Word {}
impl Narrow for u32 {}
impl Narrow for i32 {}

impl<D: Device> Gpu<D> {
    /// A launch of a thread for each block that numbers `each` of are made of.
    fn draw<T: Word>(
        &self,
        op: &'static str,
        stream: Stream,
        each: u32,
        out: &ViewMut<'_, T, D>,
        make: impl FnOnce() -> Result<super::super::ir::Kernel, super::super::Error>,
        more: Vec<Argument>,
    ) -> Done {
        let n = out.len();
        self.state.planner.line::<F32>("out", n.saturating_mul(T::BYTES / 4))?;
        if n == 0 {
            return Ok(());
        }
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let (first, skip) = (stream.offset / u64::from(each), (stream.offset % u64::from(each)) as u32);
        let words = [
            &[n as u32],
            &halves(stream.key)[..],
            &[stream.id],
            &halves(first),
            &[skip],
            &halves(stream.offset),
        ];
        let words = words.concat().into_iter().map(|w| Argument::Bits(u64::from(w)));
        let mut all = vec![Argument::Buffer(0)];
        all.extend(words);
        all.extend(more);
        let blocks = (n + skip as usize).div_ceil(each as usize);
        let launch = if T::BYTES == 8 {
            self.state.planner.flat::<super::super::types::F64>(op, || Some(make()), blocks, all)?
        } else {
            self.state.planner.flat::<F32>(op, || Some(make()), blocks, all)?
        };
        self.run_one(launch, &[out.binding(self)?])
    }
}

impl<T: Scalar + Variate, D: Computes<T>> Random<T> for Gpu<D> {
    /// [`uniform`](crate::uniform())
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    fn uniform(&self, stream: Stream, out: ViewMut<'_, T, D>) -> Done {
        called!(uniform, {
            let each = random::elements::<T::Recorded>();
            self.draw("uniform", stream, each, &out, random::uniform::<T::Recorded>, vec![])
        })
    }

    /// [`normal`](crate::normal())
    ///
    /// # Errors
    /// [`Domain`](crate::Error::Domain), [`Error::Limit`], [`Error::Lost`].
    fn normal(&self, stream: Stream, mean: T, stddev: T, out: ViewMut<'_, T, D>) -> Done {
        called!(normal, {
            ops::normal(stream, mean, stddev, &mut [])?;
            let each = random::elements::<T::Recorded>();
            let more = arguments(0, &[], &[mean, stddev]);
            self.draw("normal", stream, each, &out, random::gaussian::<T::Recorded>, more)
        })
    }

    /// [`exponential`](crate::exponential())
    ///
    /// # Errors
    /// [`Domain`](crate::Error::Domain), [`Error::Limit`], [`Error::Lost`].
    fn exponential(&self, stream: Stream, scale: T, out: ViewMut<'_, T, D>) -> Done {
        called!(exponential, {
            ops::exponential(stream, scale, &mut [])?;
            let each = random::elements::<T::Recorded>();
            let more = arguments(0, &[], &[scale]);
            self.draw("exponential", stream, each, &out, random::waiting::<T::Recorded>, more)
        })
    }
}

impl<D: Device> RandomBits for Gpu<D> {
    /// [`random_bits`](crate::random_bits())
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    fn random_bits(&self, stream: Stream, out: ViewMut<'_, u32, D>) -> Done {
        called!(random_bits, { self.draw("random_bits", stream, 4, &out, random::random_bits, vec![]) })
    }
}

impl<I: Narrow, D: Device> RandomIntegers<I> for Gpu<D> {
    /// [`integers`](crate::integers()) of 32 bits.
    ///
    /// # Errors
    /// [`Domain`](crate::Error::Domain), [`Error::Limit`], [`Error::Lost`].
    fn integers(&self, stream: Stream, low: I, high: I, out: ViewMut<'_, I, D>) -> Done {
        called!(integers, {
            ops::integers(stream, low, high, &mut [])?;
            let range = I::span(low, high) + 1;
            let low = [low];
            let low = I::bytes(&low).first_chunk().map_or(0, |b| u32::from_le_bytes(*b));
            let words = [low, range as u32, ((1 << 32) % range) as u32];
            let more = words.map(|w| Argument::Bits(u64::from(w))).into();
            self.draw("integers", stream, 4, &out, random::integers, more)
        })
    }
}

impl<D: Device> RandomFlags<u32> for Gpu<D> {
    /// [`bernoulli`](crate::bernoulli()): 1 or 0.
    ///
    /// # Errors
    /// [`Domain`](crate::Error::Domain), [`Error::Limit`], [`Error::Lost`].
    fn bernoulli(&self, stream: Stream, p: f64, out: ViewMut<'_, u32, D>) -> Done {
        called!(bernoulli, {
            ops::bernoulli::<u32>(stream, p, &mut [])?;
            let limit = (p * (1u128 << 64) as f64) as u128;
            let words = [(limit >> 32) as u32, limit as u32, (limit >> 64) as u32];
            let more = words.map(|w| Argument::Bits(u64::from(w))).into();
            self.draw("bernoulli", stream, 4, &out, random::bernoulli, more)
        })
    }
}
