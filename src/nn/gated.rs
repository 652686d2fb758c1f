//! Gated linear units (SwiGLU, GEGLU): the activation of the gate times the up projection; and the backward pass.

use crate::alu::math::sigmoid::silu_and_slope;
use crate::alu::{Alu, Body, Number};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::{self, Update};
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::{Element, Simd};
use crate::parts::{Read, Write, count, each_row};
use crate::pointwise::binary;

/// `silu(gate)·up`.
#[derive(Debug, Clone, Copy)]
pub struct Swiglu;
impl<T: Number> Body<T, 2> for Swiglu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [gate, up]: [V; 2]) -> V {
        gate.silu() * up
    }
}
binary! {
    /// `out[i] = silu(a[i])·b[i]`: `a` is the gate, `b` what it lets through.
    ///
    /// Within 3 ulp, and one subnormal times `b[i]`. NaN where either is NaN; a gate of −∞ closes: −0 times `b[i]`.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::swiglu(&[0.0, 40.0], &[3.0, 0.5], &mut out)?;
    /// assert_eq!(out, [0.0, 20.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: N. Shazeer, arXiv:2002.05202. Contract: `contracts/swiglu-v1.yaml`.
    swiglu, swiglu_on, swiglu_in_place, Swiglu
}

/// `gelu(gate)·up`.
#[derive(Debug, Clone, Copy)]
pub struct Geglu;
impl<T: Number> Body<T, 2> for Geglu {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [gate, up]: [V; 2]) -> V {
        gate.gelu() * up
    }
}
binary! {
    /// `out[i] = gelu(a[i])·b[i]`: `a` is the gate, `b` what it lets through; [`gelu`](crate::gelu()) in its tanh form.
    ///
    /// Within 3 ulp, and one subnormal times `b[i]`. NaN where either is NaN; a gate of −∞ closes: −0 times `b[i]`.
    ///
    /// Errors: [`Error::Len`](crate::Error::Len) when `b` or `out` differs in length from `a`.
    /// Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::geglu(&[0.0, 40.0], &[3.0, 0.5], &mut out)?;
    /// assert_eq!(out, [0.0, 20.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: N. Shazeer, arXiv:2002.05202. Contract: `contracts/geglu-v1.yaml`.
    geglu, geglu_on, geglu_in_place, Geglu
}

/// The gradients of gate and up, `silu'(gate)·up·dy` and `silu(gate)·dy`: both from one exponential.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GateBackward;
impl<T: Number> Update<T, 3, 2> for GateBackward {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [gate, up, dy]: [V; 3], _: [V; 2]) -> [V; 2] {
        let [silu, slope] = silu_and_slope(gate);
        [slope * up * dy, silu * dy]
    }
}

/// Rows of two halves of `cols` elements: their number.
#[inline]
fn pairs(x: usize, cols: usize) -> Result<usize, Error> {
    count("x", x, cols.checked_mul(2).ok_or(Error::overflow("cols"))?)
}

ops! { $ gated_ops in crate::nn::gated;
    /// `out[r][i] = silu(x[r][i])·x[r][cols + i]`: [`swiglu`](crate::swiglu()) of what a product with the weights
    /// of gate and up side by side gives.
    ///
    /// Shapes and units: `x` holds whole rows of `2 cols` elements, gate before up; `out` half as many.
    ///
    /// NaN and ±0: as [`swiglu`](crate::swiglu()).
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Overflow`] when `2 cols` overflows, [`Error::Rows`] when
    /// `x` does not hold whole rows, [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 2];
    /// fulmen::swiglu_packed(&[0.0, 40.0, 3.0, 0.5], 2, &mut out)?;
    /// assert_eq!(out, [0.0, 20.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`swiglu`](crate::swiglu()). Contract: `contracts/swiglu_packed-v1.yaml`.
    threads swiglu_packed, swiglu_packed_on, swiglu_packed_by (x: in T, cols: by usize, out: out T) -> Result<()>;

    /// `dx[r][i] = silu'(g)·u·dy[r][i]` and `dx[r][cols + i] = silu(g)·dy[r][i]` with `g = x[r][i]`,
    /// `u = x[r][cols + i]`: the gradient of [`swiglu_packed`](crate::swiglu_packed()).
    ///
    /// Shapes and units: `x` and `dx` hold whole rows of `2 cols` elements, `dy` half as many.
    ///
    /// NaN and ±0: NaN where a factor is.
    ///
    /// Errors: [`Error::Empty`] when `cols` is 0, [`Error::Overflow`] when `2 cols` overflows, [`Error::Rows`] when
    /// `x` does not hold whole rows, [`Error::Len`] when `dy` or `dx` has another length. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 2];
    /// fulmen::swiglu_packed_backward(&[0.0, 3.0], &[2.0], 1, &mut dx)?;
    /// assert_eq!(dx, [3.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/swiglu_packed_backward-v1.yaml`.
    threads swiglu_packed_backward, swiglu_packed_backward_on, swiglu_packed_backward_by
        (x: in T, dy: in T, cols: by usize, dx: out T) -> Result<()>;
}

#[inline]
pub(crate) fn swiglu_packed_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    cols: usize,
    out: &mut [T],
) -> Result<(), Error> {
    let rows = pairs(x.len(), cols)?;
    same_len("out", rows * cols, out.len())?;
    each_row(
        j,
        s,
        cols,
        (Read(x, 2 * cols), Write(out, cols)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| {
            let (gate, up) = x.0.split_at_checked(cols).unwrap_or_default();
            drive::map(Serial, s, Swiglu, [gate, up], out.0);
        },
    );
    contract!(
        swiglu_packed,
        Ok(()),
        each | check | {
            let halves = x.chunks_exact(2 * cols).map(|x| x.split_at_checked(cols).unwrap_or_default());
            halves.zip(out.chunks_exact(cols)).try_for_each(|((g, u), y)| check(&Call::new(&[g, u], y)))
        }
    )
}

#[inline]
pub(crate) fn swiglu_packed_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    dy: &[T],
    cols: usize,
    dx: &mut [T],
) -> Result<(), Error> {
    let rows = pairs(x.len(), cols)?;
    same_len("dy", rows * cols, dy.len())?;
    same_len("dx", x.len(), dx.len())?;
    let parts = (Read(x, 2 * cols), Read(dy, cols), Write(&mut *dx, 2 * cols));
    each_row(
        j,
        s,
        cols,
        parts,
        #[inline(always)]
        |(x, dy, dx): (Read<'_, T>, Read<'_, T>, Write<'_, T>)| {
            let (gate, up) = x.0.split_at_checked(cols).unwrap_or_default();
            let (dgate, dup) = dx.0.split_at_mut_checked(cols).unwrap_or_default();
            drive::update(s, GateBackward, [gate, up, dy.0], [dgate, dup]);
        },
    );
    contract!(
        swiglu_packed_backward,
        Ok(()),
        each | check | {
            let rows = x.chunks_exact(2 * cols).zip(dy.chunks_exact(cols)).zip(dx.chunks_exact(2 * cols));
            rows.map(|((x, dy), dx)| (x.split_at_checked(cols).unwrap_or_default(), dy, dx)).try_for_each(
                |((g, u), dy, dx)| {
                    let (dg, du) = dx.split_at_checked(cols).unwrap_or_default();
                    check(&Call::new(&[g, u, dy], dg))?;
                    check(&Call::new(&[g, dy], du))
                },
            )
        }
    )
}
