//! Rotary position embedding: pairs of elements of each head are rotated by an angle that grows with the position.

use crate::contract::{Call, contract};
use crate::error::{Error, not_empty, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::inout::InOut;
use crate::lanes::rotary::{self, Turn};
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use crate::parts::{Change, Read, each_row};
use crate::view::MatMut;

/// Which elements of a head of `dim` are pair `i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RopeStyle {
    /// `2i` and `2i + 1`.
    Interleaved,
    /// `i` and `i + dim/2`.
    Neox,
}

/// The pairs of a head of `dim` elements, which `cos` and `sin` hold rows of.
pub(crate) fn half_of(dim: usize, cos: usize, sin: usize) -> Result<usize, Error> {
    not_empty("dim", dim)?;
    if !dim.is_multiple_of(2) {
        return Err(Error::must_be("dim", "even"));
    }
    let half = dim / 2;
    if !cos.is_multiple_of(half) {
        return Err(Error::rows("cos", half, cos));
    }
    same_len("sin", cos, sin)?;
    Ok(half)
}

/// Bytes from which a result is not in the first cache.
pub(crate) const NEAR: usize = 16 << 10;

/// What to do with rows of heads.
#[derive(Debug, Clone, Copy)]
struct Angles<'a, T> {
    half: usize,
    cos: &'a [T],
    sin: &'a [T],
    turn: Turn,
}

impl<'a, T: Element> Angles<'a, T> {
    #[inline]
    fn new(dim: usize, cos: &'a [T], sin: &'a [T], style: RopeStyle, back: bool) -> Result<Self, Error> {
        let turn = Turn { neighbours: style == RopeStyle::Interleaved, back, more: false };
        Ok(Self { half: half_of(dim, cos.len(), sin.len())?, cos, sin, turn })
    }

    /// The angles of row `r`.
    #[inline(always)]
    fn row(&self, r: usize) -> [&'a [T]; 2] {
        [self.cos, self.sin].map(|x| x.get(r * self.half..(r + 1) * self.half).unwrap_or_default())
    }

    fn slices<J: Executor, S: Simd>(self, j: J, s: S, x: InOut<'_, T>) -> Result<(), Error> {
        let rows = self.cos.len().checked_div(self.half).unwrap_or(0);
        let unit = rows.checked_mul(2 * self.half).ok_or(Error::overflow("dim"))?;
        if x.len().checked_rem(unit).unwrap_or(x.len()) != 0 {
            return Err(Error::rows("x", unit, x.len()));
        }
        let cols = x.len().checked_div(rows).unwrap_or(0);
        // Two matrices that the first cache does not hold.
        let turn = Turn { more: size_of_val(x.input()) >= NEAR, ..self.turn };
        each_row(
            j,
            s,
            cols,
            (Read(self.cos, self.half), Read(self.sin, self.half), Change(x, cols)),
            #[inline(always)]
            |(cos, sin, x): (Read<'_, T>, Read<'_, T>, Change<'_, T>)| {
                rotary::rotate(s, turn, x.0, cos.0, sin.0);
            },
        );
        Ok(())
    }

    fn view<S: Simd>(self, s: S, mut x: MatMut<'_, T>) -> Result<(), Error> {
        same_shape("x", [self.cos.len() / self.half, x.cols()], [x.rows(), x.cols()])?;
        if !x.cols().is_multiple_of(2 * self.half) {
            return Err(Error::rows("x", 2 * self.half, x.cols()));
        }
        s.vectorize(
            #[inline(always)]
            || {
                for r in 0..x.rows() {
                    let [cos, sin] = self.row(r);
                    match x.row_slice_mut(r) {
                        Some(row) => rotary::rotate(s, self.turn, InOut::in_place(row), cos, sin),
                        None => self.apart(s, x.reborrow().block([r, 0], [1, usize::MAX]), cos, sin),
                    }
                }
            },
        );
        Ok(())
    }

    /// A row with a column stride.
    #[inline(always)]
    fn apart<S: Simd>(&self, s: S, mut x: MatMut<'_, T>, cos: &[T], sin: &[T]) {
        let lane = |x: Option<T>| T::Vec::<S>::splat(s, x.unwrap_or_default());
        for head in (0..x.cols()).step_by(2 * self.half) {
            for (i, (cos, sin)) in cos.iter().zip(sin).enumerate() {
                let sin = if self.turn.back { -*sin } else { *sin };
                let at = if self.turn.neighbours { [2 * i, 2 * i + 1] } else { [i, i + self.half] };
                let [a, b] = at.map(|at| head + at);
                let both = [lane(x.get(0, a)), lane(x.get(0, b))];
                let [u, v] = rotary::pair(both, lane(Some(*cos)), lane(Some(sin)));
                x.set(0, a, u.lane0());
                x.set(0, b, v.lane0());
            }
        }
    }
}

/// The bodies of one direction.
macro_rules! direction {
    ($name:ident $by:ident $in_place_by:ident $back:literal) => {
        #[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
        pub(crate) fn $by<J: Executor, S: Simd, T: Element>(
            j: J,
            s: S,
            x: &[T],
            dim: usize,
            cos: &[T],
            sin: &[T],
            style: RopeStyle,
            out: &mut [T],
        ) -> Result<(), Error> {
            let angles = Angles::new(dim, cos, sin, style, $back)?;
            same_len("out", x.len(), out.len())?;
            angles.slices(j, s, InOut::new(x, out))?;
            // Either element of a pair reaches both.
            contract!(
                $name,
                Ok(()),
                each | check | x.iter().zip(&*out).try_for_each(|(x, y)| check(&Call::new(&[&[*x]], &[*y])))
            )
        }
        pub(crate) fn $in_place_by<J: Executor, S: Simd, T: Element>(
            j: J,
            s: S,
            x: &mut [T],
            dim: usize,
            cos: &[T],
            sin: &[T],
            style: RopeStyle,
        ) -> Result<(), Error> {
            Angles::new(dim, cos, sin, style, $back)?.slices(j, s, InOut::in_place(x))
        }
    };
}
direction!(rope rope_by rope_in_place_by false);
direction!(rope_backward rope_backward_by rope_backward_in_place_by true);

ops! { $ rope_ops in crate::nn::rope;
    /// `(a, b) = (a·cos - b·sin, b·cos + a·sin)` for each pair of elements of each head.
    ///
    /// Shapes: `x` and `out` are `[tokens, heads, dim]`, `cos` and `sin` `tokens` rows of `dim/2` ([`rope_table`](crate::rope_table()));
    /// which elements are a pair is `style`. Each product is rounded, and each sum.
    ///
    /// NaN and ±0: by IEEE 754; a NaN or an infinity in a pair reaches both of its elements.
    ///
    /// Errors: [`Error::Empty`] when `dim` is 0, [`Error::Domain`] names `dim` when it is odd, [`Error::Rows`] of `cos` and of `x`,
    /// [`Error::Len`] of `sin` and `out`. Nothing is written then. Scratch: none.
    ///
    /// ```
    /// use fulmen::{RopeStyle, rope};
    /// let mut out = [0.0f32; 4];
    /// // A quarter turn of the second pair.
    /// rope(&[1.0, 2.0, 3.0, 4.0], 4, &[1.0, 0.0], &[0.0, 1.0], RopeStyle::Neox, &mut out)?;
    /// assert_eq!(out, [1.0, -4.0, 3.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Su et al., arXiv:2104.09864. Contract: `contracts/rope-v1.yaml`.
    #[doc(alias = "rotary_embedding")]
    threads rope, rope_on, rope_by
        (x: in T, dim: by usize, cos: in T, sin: in T, style: by RopeStyle, out: out T) -> Result<()>;

    /// `(a, b) = (a·cos + b·sin, b·cos - a·sin)`: the gradient of [`rope`] with respect to its input, and its inverse.
    ///
    /// Shapes, NaN and ±0, errors, scratch: as [`rope`].
    ///
    /// ```
    /// use fulmen::{RopeStyle, rope_backward};
    /// let mut dx = [0.0f32; 2];
    /// rope_backward(&[-4.0, 2.0], 2, &[0.0], &[1.0], RopeStyle::Interleaved, &mut dx)?;
    /// assert_eq!(dx, [2.0, 4.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`rope`]. Contract: `contracts/rope_backward-v1.yaml`.
    threads rope_backward, rope_backward_on, rope_backward_by
        (x: in T, dim: by usize, cos: in T, sin: in T, style: by RopeStyle, out: out T) -> Result<()>;

    /// [`rope`], or with `inverse` [`rope_backward`], over a matrix of `tokens` by `heads·dim`: the queries and keys of a
    /// fused matrix, a row of a cache.
    ///
    /// Shapes: `x` has as many rows as `cos` and `sin`, whole heads in its columns, and any strides. The bits are those of
    /// the forms on slices.
    ///
    /// NaN and ±0: as [`rope`].
    ///
    /// Errors: as [`rope`], and [`Error::Shape`] when `x` has another number of rows. Scratch: none.
    ///
    /// ```
    /// use fulmen::{MatMut, RopeStyle, rope_view};
    /// // Two queries and a value; the queries turn by a quarter.
    /// let mut x = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let queries = MatMut::row_major(&mut x, 1, 6)?.sub(0..1, 0..4)?;
    /// rope_view(queries, 2, &[0.0], &[1.0], RopeStyle::Neox, false)?;
    /// assert_eq!(x, [-2.0, 1.0, -4.0, 3.0, 5.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`rope`]. Contract: `contracts/rope_view-v1.yaml`.
    serial rope_view, rope_view_on, rope_view_by
        (x: mat_inout T, dim: by usize, cos: in T, sin: in T, style: by RopeStyle, inverse: by bool) -> Result<()>;
}

ops! { $ rope_forms in crate::nn::rope;
    /// [`rope`] over its input.
    threads rope_in_place, rope_in_place_on, rope_in_place_by
        (x: inout T, dim: by usize, cos: in T, sin: in T, style: by RopeStyle) -> Result<()>;

    /// [`rope_backward`] over its input.
    threads rope_backward_in_place, rope_backward_in_place_on, rope_backward_in_place_by
        (x: inout T, dim: by usize, cos: in T, sin: in T, style: by RopeStyle) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the operands of one formula")]
pub(crate) fn rope_view_by<S: Simd, T: Element>(
    s: S,
    mut x: MatMut<'_, T>,
    dim: usize,
    cos: &[T],
    sin: &[T],
    style: RopeStyle,
    inverse: bool,
) -> Result<(), Error> {
    Angles::new(dim, cos, sin, style, inverse)?.view(s, x.reborrow())?;
    contract!(
        rope_view,
        Ok(()),
        each | check | {
            let nan = |x: &[T]| x.iter().any(|x| x.to_f64().is_nan());
            // A pair without an angle has no value.
            let all = x.rows() > 0 && cos.iter().chain(sin).all(|x| nan(&[*x]));
            let elements = (0..x.rows()).flat_map(|i| (0..x.cols()).map(move |j| (i, j)));
            elements
                .filter_map(|(i, j)| x.as_ref().get(i, j))
                .try_for_each(|y| check(&Call::new(&[&[if all { T::NAN } else { T::ZERO }]], &[y])))
        }
    )
}
