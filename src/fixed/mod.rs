//! Fixed-point kernels for firmware: `i8` as Q7 and `i16` as Q15, the formats of CMSIS-DSP and CMSIS-NN.
//!
//! A Q7 number is `x/128`, a Q15 number `x/32768`, unless a function says otherwise. Sums are exact in 64 bits;
//! what is narrower than its sum is rounded and saturated once, at the end, so every instruction set gives the same bits.
//!
//! | function | CMSIS | what differs |
//! |---|---|---|
//! | [`fixed_dot`] | `arm_dot_prod_q7`, `arm_dot_prod_q15` | 18.14 saturates, where theirs wraps |
//! | [`fixed_gemv`] | `arm_fully_connected_q7`, `arm_fully_connected_q15` with `ARM_NNUSE_ROUND` | the sum cannot wrap |
//! | [`fixed_softmax`] | `arm_softmax_q7`, `arm_softmax_q15` | rows |
//! | [`fixed_relu`] | `arm_relu_q7`, `arm_relu_q15` | |
//! | [`fixed_sigmoid`], [`fixed_tanh`] | `arm_nn_activations_direct_q7`, `arm_nn_activations_direct_q15` | |
//! | [`fixed_fir`] | `arm_fir_q7`, `arm_fir_q15`, `arm_fir_decimate_q15` | the order of the taps; the sum of Q7 cannot wrap |
//! | [`fixed_biquad`] | `arm_biquad_cascade_df1_q15` | the signs of the recursive coefficients |
//!
//! Filters round down, as CMSIS has them; `fixed_gemv` rounds to the nearest.
//!
//! [`fixed_dot`]: crate::fixed_dot()
//! [`fixed_gemv`]: crate::fixed_gemv()
//! [`fixed_softmax`]: crate::fixed_softmax()
//! [`fixed_relu`]: crate::fixed_relu()
//! [`fixed_sigmoid`]: crate::fixed_sigmoid()
//! [`fixed_tanh`]: crate::fixed_tanh()
//! [`fixed_fir`]: crate::fixed_fir()
//! [`fixed_biquad`]: crate::fixed_biquad()

pub(crate) mod activation;
pub(crate) mod dot;
pub(crate) mod filter;
pub(crate) mod softmax;
mod table;

pub use activation::*;
pub use dot::*;
pub use filter::*;
pub use softmax::*;

/// A number of fixed point: `i8` (Q7) or `i16` (Q15).
pub trait Fixed:
    Copy + core::fmt::Debug + PartialEq + Ord + Default + Send + Sync + 'static + Sealed
{
    /// What a dot product is: `i32` in 18.14 for Q7, `i64` in 34.30 for Q15.
    type Sum: Copy + core::fmt::Debug + PartialEq;
}

impl Fixed for i8 {
    type Sum = i32;
}
impl Fixed for i16 {
    type Sum = i64;
}

pub(crate) use sealed::Sealed;
mod sealed {
    use super::table::{SIGMOID_Q7, SIGMOID_Q15, TANH_Q7, TANH_Q15};
    use crate::lanes::Simd;

    /// The parts that only this crate uses.
    pub trait Sealed: Sized {
        /// Bits of the fraction.
        const FRACTION: u32;
        /// How far below the largest element of a softmax others count.
        const DEPTH: i32;
        /// The sum of products, exact.
        fn products<S: Simd>(s: S, a: &[Self], b: &[Self]) -> i64;
        /// The nearest that there is.
        fn saturated(x: i64) -> Self;
        fn wide(self) -> i32;
        /// The nearest sum.
        fn sum(x: i64) -> <Self as super::Fixed>::Sum
        where
            Self: super::Fixed;
        /// The tables of `sigmoid` and `tanh` at `self` with so many bits before the point.
        fn looked_up(self, table: Table, int_bits: u32) -> Self;
    }

    /// Which function.
    #[derive(Debug, Clone, Copy)]
    pub enum Table {
        Sigmoid,
        Tanh,
    }

    impl Sealed for i8 {
        const FRACTION: u32 = 7;
        const DEPTH: i32 = 8;
        #[inline(always)]
        fn products<S: Simd>(s: S, a: &[i8], b: &[i8]) -> i64 {
            // A run has less than 2³¹: 2¹⁶·2¹⁴.
            let mut total = 0;
            for (a, b) in a.chunks(RUN).zip(b.chunks(RUN)) {
                let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
                let mut sum = s.zero();
                for (a, b) in a.iter().zip(b) {
                    sum = s.dot::<true>(sum, s.bytes(a.map(|x| x as u8)), s.bytes(b.map(|x| x as u8)));
                }
                let [whole, ..] = s.totals([sum; 4]);
                let rest = rest_a.iter().zip(rest_b).map(|(a, b)| i32::from(*a) * i32::from(*b));
                total += i64::from(whole) + i64::from(rest.sum::<i32>());
            }
            total
        }
        #[inline(always)]
        fn saturated(x: i64) -> i8 {
            x.clamp(-128, 127) as i8
        }
        #[inline(always)]
        fn wide(self) -> i32 {
            self.into()
        }
        #[inline(always)]
        fn sum(x: i64) -> i32 {
            x.clamp(i32::MIN.into(), i32::MAX.into()) as i32
        }
        #[inline(always)]
        fn looked_up(self, table: Table, int_bits: u32) -> i8 {
            let table = match table {
                Table::Sigmoid => &SIGMOID_Q7,
                Table::Tanh => &TANH_Q7,
            };
            table.get(usize::from((self >> (3 - int_bits)) as u8)).copied().unwrap_or(0)
        }
    }

    /// Bytes whose products 32 bits hold.
    pub(crate) const RUN: usize = 1 << 16;

    impl Sealed for i16 {
        const FRACTION: u32 = 15;
        const DEPTH: i32 = 16;
        #[inline(always)]
        fn products<S: Simd>(_: S, a: &[i16], b: &[i16]) -> i64 {
            // A pair of the least numbers is 2³¹, so pairs are not added in 32 bits.
            a.iter().zip(b).map(|(a, b)| i64::from(i32::from(*a) * i32::from(*b))).sum()
        }
        #[inline(always)]
        fn saturated(x: i64) -> i16 {
            x.clamp(-32768, 32767) as i16
        }
        #[inline(always)]
        fn wide(self) -> i32 {
            self.into()
        }
        #[inline(always)]
        fn sum(x: i64) -> i64 {
            x
        }
        #[inline(always)]
        fn looked_up(self, table: Table, int_bits: u32) -> i16 {
            let table = match table {
                Table::Sigmoid => &SIGMOID_Q15,
                Table::Tanh => &TANH_Q15,
            };
            let shift = 11 - int_bits;
            let (at, part) = (self >> shift, i32::from(self) & ((1 << shift) - 1));
            let of = |at: i16| i32::from(table.get(usize::from(at as u8)).copied().unwrap_or(0));
            if at == 127 {
                // Nothing is on the right of the last.
                return of(at) as i16;
            }
            ((((1 << shift) - part) * of(at) + part * of(at + 1)) >> shift) as i16
        }
    }
}
pub(crate) use sealed::{RUN, Table};
