//! Eigenvalues and eigenvectors of a symmetric matrix: blocked Householder tridiagonalisation, then implicit QL or QR iterations, or divide
//! and conquer.

use super::rotations::{Band, Rotations, exchange, rotation, scratch, strip};
use super::{divide_conquer, finite, largest, multiply, orient, qr, scales, sqrt};
use crate::blas::{Triangle, gemv_on, symv_on, syr2k_by, syr2k_workspace, transpose};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{COMPACT, Element, Simd};
use crate::pointwise::axpy_on;
use crate::reduce::dot_on;
use crate::slices::swap;
use crate::view::{MatMut, MatRef, VecMut, VecRef};

/// Columns that are made tridiagonal before the rest of the matrix follows.
pub(crate) const BLOCK: usize = 32;

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// The smallest matrix whose vectors are found by divide and conquer.
pub(crate) const LEAST: usize = 64;

/// Whether they are: not where size counts.
const fn divides(n: usize) -> bool {
    !COMPACT && n >= LEAST
}

/// Elements of workspace that [`ql`] needs.
pub(super) const fn ql_workspace(n: usize) -> usize {
    scratch(n).saturating_add(strip(n))
}

/// Elements of workspace that [`eigh`] needs for an `n` by `n` A. From 64 rows on these are at most about `1.5n² + 530n` and what products
/// need: the vectors, those of both halves, and a block of 256 before and after a product.
pub const fn eigh_workspace(n: usize) -> usize {
    let b = if n < BLOCK { n } else { BLOCK };
    let panel = n.saturating_mul(2 * b).saturating_add(syr2k_workspace(n, b));
    let apply = qr::qr_apply_workspace(n, n, n);
    let rest = if !divides(n) {
        max(apply, ql_workspace(n))
    } else {
        n.saturating_add(n.saturating_mul(n)).saturating_add(max(apply, divide_conquer::room(n)))
    };
    max(panel, rest).saturating_add(n.saturating_mul(2))
}

ops! { $ eigh_ops in crate::solve::eigh;
    /// The eigenvalues of a symmetric A, and eigenvectors over A: column `i` of it has `A·v = values[i]·v`. The values ascend, and the
    /// vectors are orthonormal, whatever the values; the first of the largest magnitudes of each is positive. Of A the lower
    /// triangle is read; `a.t()` has the other there.
    ///
    /// Shapes: A is `n` by `n`, of any strides; `values` has `n` elements. Values and vectors are those of a matrix that differs from A
    /// by a small multiple of `n·u·|A|`. Vectors of values that lie closer than that span what the true ones span.
    ///
    /// NaN and ±0: NaN and infinities are refused. No square overflows or underflows on the way; a value past the largest number is infinite.
    ///
    /// Errors: [`Error::Shape`] names `a` when it is not square; [`Error::Len`] names `values`; [`Error::Workspace`];
    /// [`Error::Nan`] and [`Error::Domain`] when the triangle holds NaN or an infinity: nothing is written then. [`Error::Convergence`] when 30
    /// sweeps for each value are not enough, or 100 steps for a root, which no matrix is known to need; what is left is of no use.
    ///
    /// Scratch: [`eigh_workspace`].
    ///
    /// ```
    /// use fulmen::{MatMut, eigh, eigh_workspace};
    /// let (mut a, mut values) = ([2.0f64, f64::NAN, 1.0, 2.0], [0.0; 2]);
    /// eigh(MatMut::row_major(&mut a, 2, 2)?, &mut values, &mut [0.0; eigh_workspace(2)])?;
    /// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
    /// assert!((a[1] - 0.5f64.sqrt()).abs() < 1e-15 && (a[0] + a[2]).abs() < 1e-15);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/principal_axes.rs`.
    ///
    /// Source: J. Wilkinson, C. Reinsch, "Handbook for Automatic Computation" II, chapters II/2 and II/4; the blocks: J. Dongarra, S.
    /// Hammarling, D. Sorensen, "Block Reduction of Matrices to Condensed Forms for Eigenvalue Computations" (1989); from 64 rows on divide and
    /// conquer: M. Gu, S. Eisenstat, "A Divide-and-Conquer Algorithm for the Symmetric Tridiagonal Eigenproblem" (1995). Contract:
    /// `contracts/eigh-v1.yaml`.
    #[doc(alias = "syevd")]
    #[doc(alias = "eigvalsh")]
    threads eigh, eigh_on, eigh_by (a: mat_inout T, values: out T, workspace: scratch T) -> Result<()>;
}

pub(crate) fn eigh_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    values: &mut [T],
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    same_shape("a", [n, n], [n, a.cols()])?;
    same_len("values", n, values.len())?;
    enough(eigh_workspace(n), workspace.len())?;
    finite("a", a.as_ref(), Some(Triangle::Lower))?;
    let [by, back] = scales(largest(s, a.as_ref(), true));
    if by != T::ONE {
        multiply(a.reborrow(), by, true);
    }
    let (e, rest) = workspace.split_at_mut_checked(n).unwrap_or_default();
    let (tau, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
    let tau = tau.get_mut(..n.saturating_sub(1)).unwrap_or_default();
    tridiagonal(j, s, a.reborrow(), values, e, tau, rest)?;
    if !divides(n) {
        qr::form(j, s, a.reborrow(), tau, 1, rest)?;
        ql(s, values, e, a.reborrow().t(), rest)?;
        sort(s, values, a.reborrow().t())?;
        orient(s, a.reborrow().t(), None);
    } else {
        let (order, rest) = rest.split_at_mut_checked(n).unwrap_or_default();
        let (q, rest) = rest.split_at_mut_checked(n * n).unwrap_or_default();
        q.fill(T::ZERO);
        q.iter_mut().step_by(n + 1).for_each(|x| *x = T::ONE);
        let mut q = MatMut::packed(q, n, n);
        let beside = e.get(..n - 1).unwrap_or_default();
        let floor = divide_conquer::floor(s, values, beside);
        divide_conquer::divide(j, s, [values, e], floor, q.reborrow(), order, rest)?;
        let below = a.as_ref().block([1, 0], [n, n - 1]);
        qr::apply(j, s, false, below, tau, q.reborrow().block([0, 1], [n, n]).t(), rest)?;
        sort(s, values, q.reborrow())?;
        orient(s, q.reborrow(), None);
        transpose::run(j, s, q.as_ref(), a.reborrow());
    }
    if by != T::ONE {
        values.iter_mut().for_each(|x| *x = *x * back);
    }
    contract!(
        eigh,
        Ok(()),
        each | check | {
            let all = (0..n).flat_map(|i| (0..n).map(move |j| [i, j]));
            let mut all = all.filter_map(|[i, j]| a.get(i, j));
            all.try_for_each(|x| check(&Call::new(&[&[x]], &[x])))
        }
    )
}

/// The values ascending, and the rows with them.
fn sort<S: Simd, T: Element>(s: S, values: &mut [T], mut rows: MatMut<'_, T>) -> Result<(), Error> {
    for i in 0..values.len() {
        let rest = values.get(i..).unwrap_or_default().iter().zip(i..);
        let Some((_, least)) = rest.reduce(|x, y| if y.0 < x.0 { y } else { x }) else { continue };
        if least != i {
            swap(values, i, least);
            exchange(s, rows.reborrow(), i, least)?;
        }
    }
    Ok(())
}

/// Neighbours in pairs, exchanged.
fn other<T: Copy>(g: &mut [T]) {
    g.as_chunks_mut::<2>().0.iter_mut().for_each(|g| g.swap(0, 1));
}

/// `QᵀAQ` with its diagonal in `d`, what stands beside it in `e`, and the vectors of Q's reflections below that in A.
fn tridiagonal<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    mut a: MatMut<'_, T>,
    d: &mut [T],
    e: &mut [T],
    tau: &mut [T],
    scratch: &mut [T],
) -> Result<(), Error> {
    let n = a.rows();
    for (at, ((tau, d), e)) in
        tau.chunks_mut(BLOCK).zip(d.chunks_mut(BLOCK)).zip(e.chunks_mut(BLOCK)).enumerate()
    {
        let at = at * BLOCK;
        let (b, r) = (tau.len(), n - at);
        let mut a = a.reborrow().block([at, at], [r, r]);
        let (panel, products) = scratch.split_at_mut_checked(2 * b * r).unwrap_or_default();
        for (i, ((tau, d), e)) in tau.iter_mut().zip(d).zip(e).enumerate() {
            [*d, *e, *tau] = column(s, a.reborrow(), i, panel)?;
        }
        // The vectors v in even rows, and in odd ones the w of `A - vwᵀ - wvᵀ`.
        let rows = |odd: usize| MatRef::strided(panel, odd * r + b, b, r - b, 2 * r as isize, 1);
        let (v, w) = (rows(0)?, rows(1)?);
        let rest = a.block([b, b], [r, r]);
        syr2k_by(j, s, -T::ONE, v.t(), w.t(), T::ONE, Triangle::Lower, rest, products)?;
    }
    let last = n.wrapping_sub(1);
    if let (Some(d), Some(x)) = (d.get_mut(last), a.get(last, last)) {
        *d = x;
    }
    Ok(())
}

/// Column `i` of a block: what stands on the diagonal, below it, and the factor of the reflection.
fn column<S: Simd, T: Element>(
    s: S,
    mut a: MatMut<'_, T>,
    i: usize,
    panel: &mut [T],
) -> Result<[T; 3], Error> {
    let r = a.rows();
    let (done, rest) = panel.split_at_mut_checked(2 * i * r).unwrap_or_default();
    let (v, rest) = rest.split_at_mut_checked(r).unwrap_or_default();
    let w = rest.get_mut(..r).unwrap_or_default();
    let done = MatRef::packed(done, 2 * i, r);
    let mut g = [T::ZERO; 2 * BLOCK];
    let g = g.get_mut(..2 * i).unwrap_or_default();
    for (t, g) in g.iter_mut().enumerate() {
        *g = done.get(t ^ 1, i).unwrap_or_default();
    }
    for (k, v) in v.iter_mut().enumerate() {
        *v = if k < i { T::ZERO } else { a.get(k, i).unwrap_or_default() };
    }
    let column = VecMut::from(v.get_mut(i..).unwrap_or_default());
    gemv_on(s, -T::ONE, done.block([0, i], [2 * i, r]).t(), VecRef::from(&*g), T::ONE, column)?;
    let (above, v) = v.split_at_mut_checked(i + 1).unwrap_or_default();
    let d = above.last_mut().map_or(T::ZERO, core::mem::take);
    let tau = qr::reflection(s, v);
    let e = v.first_mut().map_or(T::ZERO, |first| core::mem::replace(first, T::ONE));
    let v = &*v;
    for (k, v) in v.iter().enumerate().skip(1) {
        a.set(i + 1 + k, i, *v);
    }
    let (above, w) = w.split_at_mut_checked(i + 1).unwrap_or_default();
    above.fill(T::ZERO);
    let rest = a.as_ref().block([i + 1, i + 1], [r, r]);
    symv_on(s, T::ONE, Triangle::Lower, rest, VecRef::from(v), T::ZERO, VecMut::from(&mut *w))?;
    let done = done.block([0, i + 1], [2 * i, r]);
    gemv_on(s, T::ONE, done, VecRef::from(v), T::ZERO, VecMut::from(&mut *g))?;
    other(g);
    gemv_on(s, -T::ONE, done.t(), VecRef::from(&*g), T::ONE, VecMut::from(&mut *w))?;
    w.iter_mut().for_each(|w| *w = *w * tau);
    let half = T::from_f64(-0.5) * tau * dot_on(s, v, w)?;
    axpy_on(s, half, v, w)?;
    Ok([d, e, tau])
}

/// [`iterate`] with as many sweeps as any matrix is known to need.
pub(super) fn ql<S: Simd, T: Element>(
    s: S,
    d: &mut [T],
    e: &mut [T],
    v: MatMut<'_, T>,
    workspace: &mut [T],
) -> Result<(), Error> {
    let n = d.len();
    iterate(s, d, e, v, workspace, n.saturating_mul(30))
}

/// The tridiagonal matrix made diagonal; the rows of `v` are turned as it is.
fn iterate<S: Simd, T: Element>(
    s: S,
    d: &mut [T],
    e: &mut [T],
    mut v: MatMut<'_, T>,
    workspace: &mut [T],
    most_sweeps: usize,
) -> Result<(), Error> {
    let n = d.len();
    let (scratch, buffer) = workspace.split_at_mut_checked(scratch(n)).unwrap_or_default();
    let mut rotations = Rotations::new(scratch);
    let mut band = Band::new(d, e);
    let unit = libm::ldexp(1.0, T::SIGNIFICAND + 1);
    let (mut high, mut down, mut sweeps) = (n.saturating_sub(1), false, 0);
    let mut before: Option<[usize; 2]> = None;
    loop {
        band.turn(0, high, false);
        let small = |band: &Band<'_, T>, i| {
            let e = band.e(i) * unit;
            e * e <= super::abs(band.d(i)) * super::abs(band.d(i + 1))
        };
        while high > 0 && small(&band, high - 1) {
            band.set_e(high - 1, 0.0);
            high -= 1;
        }
        if high == 0 {
            break;
        }
        let low = (0..high).rev().find(|i| small(&band, *i)).map_or(0, |i| i + 1);
        // The end with the smaller number comes first; parts of one block have its direction.
        if before.is_none_or(|[from, to]| high < from || low > to) {
            down = super::abs(band.d(high)) < super::abs(band.d(low));
        }
        before = Some([low, high]);
        if sweeps == most_sweeps {
            return Err(Error::convergence("a", None));
        }
        sweeps += 1;
        band.turn(low, high, down);
        if rotations.full(high - low) {
            rotations.apply(s, v.reborrow(), buffer);
        }
        rotations.begin(band.place(high - low), !down, high - low)?;
        s.vectorize(
            #[inline(always)]
            || sweep(s, &mut band, high - low, &mut rotations),
        );
    }
    rotations.apply(s, v, buffer);
    Ok(())
}

/// One step of QL with Wilkinson's shift on a block whose last element is `k`.
#[inline(always)]
fn sweep<S: Simd, T: Element>(token: S, band: &mut Band<'_, T>, k: usize, rotations: &mut Rotations<'_, T>) {
    let g = (band.d(1) - band.d(0)) / (2.0 * band.e(0));
    let r = libm::copysign(sqrt(token, g * g + 1.0), g);
    let mut g = band.d(k) - band.d(0) + band.e(0) / (g + r);
    let (mut c, mut s, mut p, mut r);
    (c, s, p) = (1.0, 1.0, 0.0);
    for i in (0..k).rev() {
        let (f, b) = (s * band.e(i), c * band.e(i));
        [c, s, r] = rotation(token, g, f);
        if i + 1 < k {
            band.set_e(i + 1, r);
        }
        g = band.d(i + 1) - p;
        r = (band.d(i) - g) * s + 2.0 * c * b;
        p = s * r;
        band.set_d(i + 1, g + p);
        g = c * r - b;
        rotations.push(c, s);
    }
    band.set_d(0, band.d(0) - p);
    band.set_e(0, g);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_bounded() {
        let (mut d, mut e, mut v) = ([1.0, 2.0, 3.0], [1.0f64; 3], [0.0; 9]);
        let mut w = [0.0; eigh_workspace(3)];
        let mut run = |most| {
            let v = MatMut::packed(&mut v, 3, 3);
            iterate(crate::lanes::native(), &mut d, &mut e[..2], v, &mut w, most)
        };
        assert_eq!(run(1), Err(Error::convergence("a", None)));
        assert_eq!(run(90), Ok(()));
    }
}
