//! Plane rotations of BLAS level 1: `rot` and `rotg`, and the modified `rotm` and `rotmg`.

use super::level1::{check_ends, ends};
use crate::alu::{Alu, Number};
use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::drive::Pair;
use crate::lanes::fold::magnitude;
use crate::lanes::{Element, Simd, strided};
use crate::reduce::{is_nan, square_root};
use crate::view::VecMut;

/// `c·x + s·y`, `c·y − s·x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rotate<T>(pub(crate) T, pub(crate) T);
impl<T: Number> Pair<T> for Rotate<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> [V; 2] {
        let (c, s) = (x.param(self.0), x.param(self.1));
        [x.mul_add(c, y * s), y.mul_add(c, -(x * s))]
    }
}

ops! { $ rotation_ops in crate::blas::rotation;
    /// `x[i], y[i] = c·x[i] + s·y[i], c·y[i] − s·x[i]`.
    ///
    /// Shapes and units: two vectors of one length, any strides. Two roundings where the lane has FMA, else three.
    ///
    /// NaN and ±0: NaN where any operand is NaN, 0·∞ or ∞ − ∞; no value of `c` or `s` is an exception.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::VecMut;
    /// let (mut x, mut y) = ([1.0f32, 2.0], [3.0f32, 4.0]);
    /// fulmen::rot(VecMut::from(&mut x[..]), VecMut::from(&mut y[..]), 0.0, 1.0)?;
    /// assert_eq!((x, y), ([3.0, 4.0], [-1.0, -2.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xROT`. Contract: `contracts/rot-v1.yaml`.
    serial rot, rot_on, rot_by (x: vec_inout T, y: vec_inout T, c: by T, s: by T) -> Result<()>;

    /// `x[i], y[i] = h11·x[i] + h12·y[i], h21·x[i] + h22·y[i]`.
    ///
    /// Shapes and units: two vectors of one length, any strides; `h` from [`rotmg`]. Elements of `h` that its form makes 1 or
    /// −1 are not multiplied with.
    ///
    /// NaN and ±0: NaN where any operand is NaN, 0·∞ or ∞ − ∞; the identity leaves the vectors as they are.
    ///
    /// Errors: [`Error::Len`] when `y` differs in length from `x`. Scratch: none.
    ///
    /// ```
    /// use fulmen::{RotM, VecMut};
    /// let (mut x, mut y) = ([1.0f32, 2.0], [10.0f32, 20.0]);
    /// let h = RotM::UnitDiagonal { h21: -1.0, h12: 0.5 };
    /// fulmen::rotm(VecMut::from(&mut x[..]), VecMut::from(&mut y[..]), &h)?;
    /// assert_eq!((x, y), ([6.0, 12.0], [9.0, 18.0]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: BLAS level 1, `xROTM`. Contract: `contracts/rotm-v1.yaml`.
    serial rotm, rotm_on, rotm_by (x: vec_inout T, y: vec_inout T, h: by &RotM<T>) -> Result<()>;
}

#[inline]
pub(crate) fn rot_by<S: Simd, T: Element>(
    token: S,
    mut x: VecMut<'_, T>,
    mut y: VecMut<'_, T>,
    c: T,
    s: T,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    let old = ends(&x.as_ref(), &y.as_ref());
    token.vectorize(
        #[inline(always)]
        || strided::pair_in_place(token, Rotate(c, s), x.reborrow(), y.reborrow()),
    );
    contract!(rot, Ok(()), each | check | check_ends(check, old, ends(&x.as_ref(), &y.as_ref()), &[c, s]))
}

/// What [`rotg`] computes: the rotation that takes `(a, b)` to `(r, 0)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Givens<T> {
    /// `±√(a² + b²)`, with the sign of the larger of `a` and `b`.
    pub r: T,
    /// One number from which `c` and `s` can be had again: `s` when `|a| > |b|`, else `1/c`, or 1 when `c = 0`.
    pub z: T,
    /// `a/r`; 1 when `b = 0`.
    pub c: T,
    /// `b/r`.
    pub s: T,
}

/// `2^e`, for exponents of normal numbers.
fn power<T: Element>(e: i32) -> T {
    T::from_f64(f64::from_bits(((1023 + e) as u64) << 52))
}

/// The smallest number whose inverse does not overflow, and that inverse's largest power of two.
fn safe<T: Element>() -> [T; 2] {
    if T::SIGNIFICAND == 23 { [power(-126), power(127)] } else { [power(-1022), power(1023)] }
}

ops! { $ rotation_forms in crate::blas::rotation;
    /// The plane rotation with `c·a + s·b = r`, `c·b − s·a = 0`.
    ///
    /// Shapes and units: two values of one unit; `r` in that unit, `c` and `s` without. Neither overflows nor underflows on
    /// the way: `r` is infinite only where `√(a² + b²)` is past the largest value. A handful of roundings each, the same
    /// bits on every instruction set.
    ///
    /// NaN and ±0: `r` is NaN when `a` or `b` is. `b = ±0` gives `r = a, c = 1, s = 0`, else `a = ±0` gives `r = b, c = 0,
    /// s = 1`. An infinity gives an infinite `r` and NaN in what it divides.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// let g = fulmen::rotg(3.0f32, 4.0);
    /// assert_eq!((g.r, g.c, g.s), (5.0, 0.6, 0.8));
    /// assert_eq!(fulmen::rotg(3e30f32, -4e30).r, -5e30);
    /// ```
    ///
    /// Source: Anderson, *Algorithm 978: Safe Scaling in the Level 1 BLAS* (2017), as `xROTG` since LAPACK 3.10. Contract:
    /// `contracts/rotg-v1.yaml`.
    serial rotg, rotg_on, rotg_by (a: by T, b: by T) -> Givens<T>;

    /// The modified rotation `H` that takes the vector `(√d1·x1, √d2·y1)` to one whose second component is 0, without square
    /// roots: the new weights `d1`, `d2` and component `x1` stand for `(√d1·x1, 0)`.
    ///
    /// Shapes and units: weights and components; `d1 ≥ 0`. The weights are kept within 2^-24 … 2^24 by factors of 4096 that
    /// go into `H`.
    ///
    /// NaN and ±0: `d1 < 0` gives zeros throughout. `d2·y1 = ±0` gives the identity. NaN elsewhere spreads; weights that are
    /// not finite are not scaled.
    ///
    /// Errors: none. Scratch: none.
    ///
    /// ```
    /// use fulmen::RotM;
    /// let g = fulmen::rotmg(1.0f32, 1.0, 4.0, 2.0);
    /// assert_eq!(g.h, RotM::UnitDiagonal { h21: -0.5, h12: 0.5 });
    /// assert_eq!((g.d1, g.d2, g.x1), (0.8, 0.8, 5.0));
    /// ```
    ///
    /// Source: BLAS level 1, `xROTMG`; Hopkins, *Restructuring the BLAS Level 1 Routine for Computing the Modified Givens
    /// Transformation* (1997). A weight that takes more than one factor keeps what `H` held before. Contract:
    /// `contracts/rotmg-v1.yaml`.
    serial rotmg, rotmg_on, rotmg_by (d1: by T, d2: by T, x1: by T, y1: by T) -> ModifiedGivens<T>;
}

#[inline]
pub(crate) fn rotg_by<S: Simd, T: Element>(_: S, a: T, b: T) -> Givens<T> {
    let g = givens(a, b);
    let checked: Result<(), Error> =
        contract!(rotg, Ok(()), each | check | check(&Call::new(&[&[a], &[b]], &[g.r])));
    debug_assert!(checked.is_ok());
    g
}

fn givens<T: Element>(a: T, b: T) -> Givens<T> {
    let (zero, one) = (T::ZERO, T::ONE);
    let (m, n) = (magnitude(a), magnitude(b));
    if n == zero {
        return Givens { r: a, z: zero, c: one, s: zero };
    }
    if m == zero {
        return Givens { r: b, z: one, c: zero, s: one };
    }
    let [least, most] = safe::<T>();
    let larger = if m > n { m } else { n };
    let raised = if larger > least { larger } else { least };
    let scale = if raised < most { raised } else { most };
    let lead = if m > n { a } else { b };
    let (p, q) = (a / scale, b / scale);
    let length = scale * square_root(p * p + q * q);
    let r = if lead < zero { -length } else { length };
    let (c, s) = (a / r, b / r);
    let z = if m > n {
        s
    } else if c != zero {
        one / c
    } else {
        one
    };
    Givens { r, z, c, s }
}

/// The matrix `H` of a modified rotation, by its form.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub enum RotM<T> {
    /// `[1 0; 0 1]`, the flag −2 of BLAS.
    Identity,
    /// `[h11 h12; h21 h22]`, the flag −1.
    Full {
        /// First row, first column.
        h11: T,
        /// Second row, first column.
        h21: T,
        /// First row, second column.
        h12: T,
        /// Second row, second column.
        h22: T,
    },
    /// `[1 h12; h21 1]`, the flag 0.
    UnitDiagonal {
        /// Second row, first column.
        h21: T,
        /// First row, second column.
        h12: T,
    },
    /// `[h11 1; −1 h22]`, the flag 1.
    UnitAntidiagonal {
        /// First row, first column.
        h11: T,
        /// Second row, second column.
        h22: T,
    },
}

impl<T: Element> RotM<T> {
    /// From the array of BLAS: the flag, then `h11, h21, h12, h22`, of which the flag says which count.
    ///
    /// Errors: [`Error::Domain`] names `param` when the flag is none of −2, −1, 0 and 1.
    #[inline]
    pub fn from_param([flag, h11, h21, h12, h22]: [T; 5]) -> Result<Self, Error> {
        if flag == T::from_f64(-2.0) {
            Ok(Self::Identity)
        } else if flag == -T::ONE {
            Ok(Self::Full { h11, h21, h12, h22 })
        } else if flag == T::ZERO {
            Ok(Self::UnitDiagonal { h21, h12 })
        } else if flag == T::ONE {
            Ok(Self::UnitAntidiagonal { h11, h22 })
        } else {
            Err(Error::must_be("param", "of a flag -2, -1, 0 or 1 first"))
        }
    }

    /// The array of BLAS, zeros where the flag says what stands there.
    #[inline]
    #[must_use]
    pub fn param(&self) -> [T; 5] {
        let zero = T::ZERO;
        match *self {
            Self::Identity => [T::from_f64(-2.0), zero, zero, zero, zero],
            Self::Full { h11, h21, h12, h22 } => [-T::ONE, h11, h21, h12, h22],
            Self::UnitDiagonal { h21, h12 } => [zero, zero, h21, h12, zero],
            Self::UnitAntidiagonal { h11, h22 } => [T::ONE, h11, zero, zero, h22],
        }
    }

    /// `[[h11, h12], [h21, h22]]`.
    #[inline]
    #[must_use]
    pub fn matrix(&self) -> [[T; 2]; 2] {
        let (zero, one) = (T::ZERO, T::ONE);
        match *self {
            Self::Identity => [[one, zero], [zero, one]],
            Self::Full { h11, h21, h12, h22 } => [[h11, h12], [h21, h22]],
            Self::UnitDiagonal { h21, h12 } => [[one, h12], [h21, one]],
            Self::UnitAntidiagonal { h11, h22 } => [[h11, one], [-one, h22]],
        }
    }
}

/// `h11·x + h12·y`, `h21·x + h22·y`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Full<T>(pub(crate) [[T; 2]; 2]);
impl<T: Number> Pair<T> for Full<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> [V; 2] {
        let [[h11, h12], [h21, h22]] = self.0;
        [x.mul_add(x.param(h11), y * y.param(h12)), x.mul_add(x.param(h21), y * y.param(h22))]
    }
}

/// `x + h12·y`, `h21·x + y`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitDiagonal<T>(pub(crate) T, pub(crate) T);
impl<T: Number> Pair<T> for UnitDiagonal<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> [V; 2] {
        [y.mul_add(y.param(self.1), x), x.mul_add(x.param(self.0), y)]
    }
}

/// `h11·x + y`, `h22·y − x`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitAntidiagonal<T>(pub(crate) T, pub(crate) T);
impl<T: Number> Pair<T> for UnitAntidiagonal<T> {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x, y]: [V; 2]) -> [V; 2] {
        [x.mul_add(x.param(self.0), y), y.mul_add(y.param(self.1), -x)]
    }
}

#[inline]
pub(crate) fn rotm_by<S: Simd, T: Element>(
    s: S,
    mut x: VecMut<'_, T>,
    mut y: VecMut<'_, T>,
    h: &RotM<T>,
) -> Result<(), Error> {
    same_len("y", x.len(), y.len())?;
    let old = ends(&x.as_ref(), &y.as_ref());
    let (u, v) = (x.reborrow(), y.reborrow());
    s.vectorize(
        #[inline(always)]
        || match *h {
            RotM::Identity => {}
            RotM::Full { .. } => strided::pair_in_place(s, Full(h.matrix()), u, v),
            RotM::UnitDiagonal { h21, h12 } => strided::pair_in_place(s, UnitDiagonal(h21, h12), u, v),
            RotM::UnitAntidiagonal { h11, h22 } => {
                strided::pair_in_place(s, UnitAntidiagonal(h11, h22), u, v);
            }
        },
    );
    let identity = *h == RotM::Identity;
    contract!(
        rotm,
        Ok(()),
        each | check
            | if identity { Ok(()) } else { check_ends(check, old, ends(&x.as_ref(), &y.as_ref()), &[]) }
    )
}

/// What [`rotmg`] computes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModifiedGivens<T> {
    /// The first weight after the rotation.
    pub d1: T,
    /// The second weight after the rotation.
    pub d2: T,
    /// The first component after the rotation.
    pub x1: T,
    /// The rotation.
    pub h: RotM<T>,
}

#[inline]
pub(crate) fn rotmg_by<S: Simd, T: Element>(_: S, d1: T, d2: T, x1: T, y1: T) -> ModifiedGivens<T> {
    let g = modified(d1, d2, x1, y1);
    let checked: Result<(), Error> = contract!(
        rotmg,
        Ok(()),
        each | check | {
            let untouched = d1 < T::ZERO || g.h == RotM::Identity;
            if untouched { Ok(()) } else { check(&Call::new(&[&[d1], &[d2], &[x1], &[y1]], &[g.x1])) }
        }
    );
    debug_assert!(checked.is_ok());
    g
}

fn modified<T: Element>(mut d1: T, mut d2: T, mut x1: T, y1: T) -> ModifiedGivens<T> {
    let (zero, one) = (T::ZERO, T::ONE);
    let none = RotM::Full { h11: zero, h21: zero, h12: zero, h22: zero };
    let nothing = ModifiedGivens { d1: zero, d2: zero, x1: zero, h: none };
    if d1 < zero {
        return nothing;
    }
    let p2 = d2 * y1;
    if p2 == zero {
        return ModifiedGivens { d1, d2, x1, h: RotM::Identity };
    }
    let p1 = d1 * x1;
    let (q1, q2) = (p1 * x1, p2 * y1);
    let mut h = if magnitude(q1) > magnitude(q2) {
        let (h21, h12) = (-y1 / x1, p2 / p1);
        let u = one - h12 * h21;
        // Not so only by rounding, or by a negative weight.
        if u <= zero {
            return nothing;
        }
        (d1, d2, x1) = (d1 / u, d2 / u, x1 * u);
        RotM::UnitDiagonal { h21, h12 }
    } else {
        // NaN goes on.
        if q2 < zero && !is_nan(q1) {
            return nothing;
        }
        let (h11, h22) = (p1 / p2, x1 / y1);
        let u = one + h11 * h22;
        (d1, d2, x1) = (d2 / u, d1 / u, y1 * u);
        RotM::UnitAntidiagonal { h11, h22 }
    };
    let full = |h: RotM<T>| {
        let [[h11, h12], [h21, h22]] = h.matrix();
        [h11, h21, h12, h22]
    };
    let gamma = T::from_f64(4096.0);
    while let Some((up, f)) = out_of_range(d1) {
        let [h11, h21, h12, h22] = full(h);
        (d1, x1) = (d1 * f, if up { x1 / gamma } else { x1 * gamma });
        let [h11, h12] = [h11, h12].map(|h| if up { h / gamma } else { h * gamma });
        h = RotM::Full { h11, h21, h12, h22 };
    }
    while let Some((up, f)) = out_of_range(d2) {
        let [h11, h21, h12, h22] = full(h);
        d2 = d2 * f;
        let [h21, h22] = [h21, h22].map(|h| if up { h / gamma } else { h * gamma });
        h = RotM::Full { h11, h21, h12, h22 };
    }
    ModifiedGivens { d1, d2, x1, h }
}

/// Whether a weight is so small that it must grow, or so large that it must shrink, and by what.
fn out_of_range<T: Element>(d: T) -> Option<(bool, T)> {
    let d = magnitude(d);
    // Infinite weights would never get into range.
    if d > T::ZERO && d <= power(-24) {
        Some((true, power(24)))
    } else if d >= power(24) && d < T::INFINITY {
        Some((false, power(-24)))
    } else {
        None
    }
}
