//! LOBPCG: the smallest or largest eigenvalues of a sparse, symmetric A.

use super::residual::{Sum, row};
use super::triangular::{divides, finite, solve};
use super::{Csr, spmv_on};
use crate::alu::not_negative;
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::{Diagonal, Triangle, gemv_on, nrm2_on};
use crate::contract::{Call, contract};
use crate::error::{Error, enough, same_len, same_shape};
use crate::forms::ops;
use crate::lanes::executor::Serial;
use crate::lanes::{Element, Simd};
use crate::reduce::dot_on;
use crate::solve::{eigh_on, eigh_workspace, orient};
use crate::view::{MatMut, MatRef};

/// Elements of the parts of a workspace: directions, those of the last step, two vectors, a matrix between directions, its eigenvalues, those of its vectors
/// that are wanted, products with one vector, and scratch for what is called.
const fn parts(n: usize, k: usize) -> [usize; 9] {
    let m = k.saturating_mul(3);
    let (eigh, gemm) = (eigh_workspace(m), gemm_workspace(k, n, m));
    let scratch = if eigh > gemm { eigh } else { gemm };
    let own = k.saturating_mul(n);
    [own.saturating_mul(3), own, n, n, m.saturating_mul(m), m, m.saturating_mul(k), m, scratch]
}

/// Elements of workspace that [`lobpcg`] needs for `n` unknowns and `k` eigenvalues.
pub const fn lobpcg_workspace(n: usize, k: usize) -> usize {
    let [a, b, c, d, e, f, g, h, i] = parts(n, k);
    let vectors = a.saturating_add(b).saturating_add(c).saturating_add(d);
    let small = e.saturating_add(f).saturating_add(g).saturating_add(h);
    vectors.saturating_add(small).saturating_add(i)
}

ops! { $ lobpcg_ops in crate::sparse::lobpcg;
    /// The `k` smallest eigenvalues of a sparse, symmetric A, or with `largest` the largest ones, and vectors `Av = λBv`, by the locally optimal block
    /// preconditioned conjugate gradient method, from the vectors that `x` has; how many steps it took. B is symmetric and positive definite; without one it is
    /// the identity. `lu` is a preconditioner as for [`cg`](crate::cg()): two triangles that make about A (or A less a shift), symmetric and positive
    /// definite; without one residuals are taken as they are, which is better for the largest values.
    ///
    /// Shapes: A, B and `lu` are `n` by `n`; `values` has `k ≤ n` elements, and `x` those of `k` vectors, one after the other. The values come from their end of
    /// the spectrum on: ascending, or with `largest` descending. The vectors have `xᵢᵀBxⱼ = 1` for `i = j`, else 0, and the first of the largest magnitudes
    /// of each is positive. It ends when each `|Ax - λBx| ≤ tolerance·(|A| + |λ||B|)·|x|`, with 2-norms of vectors and the largest sum of magnitudes in a row of matrices, 1
    /// without B; the `x` and λ that are returned do, by sums in twice the precision, which look at them once more before `Ok`. `most` bounds the steps, each of which makes at most `4k` products with A.
    /// A few vectors more than are wanted, and independent ones to begin with, make it faster where values lie close; a value whose vector is orthogonal to all of
    /// `x` may be missed. In each step the vectors, their preconditioned residuals and the last directions are made orthonormal, one by one and twice,
    /// and a direction is dropped where nothing of it is left; so none of the small problems is ill conditioned. The bits are the same for one width of
    /// lanes, by which sums are ordered.
    ///
    /// NaN and ±0: NaN and infinities are refused.
    ///
    /// Errors: [`Error::Domain`] names `tolerance` when it is negative or NaN, `values` when they are more than `n`; [`Error::Shape`] names `a`, `b` or `lu`, [`Error::Len`]
    /// `x`; [`Error::Overflow`] `x`; [`Error::Workspace`]; [`Error::Nan`] and [`Error::Domain`] name what holds NaN or an infinity, and [`Error::Domain`] a matrix with a row
    /// whose sum of magnitudes is none; [`Error::Pivot`] names `lu` with the index of the first element of its diagonal that is 0 or not stored: nothing is written
    /// then. [`Error::Pivot`] names `x` with the index of the first vector that depends on those before, and `b` with the number of the step when it shows not
    /// to be positive definite; [`Error::Domain`] names `a` when what is made of it goes past the largest number; [`Error::Convergence`] after `most` steps, or when no residual brings a direction that is new, with the largest `|Ax - λBx|` as a share of `(|A| + |λ||B|)·|x|`: `x` and `values` are as far as
    /// they came then.
    ///
    /// Scratch: [`lobpcg_workspace`].
    ///
    /// ```
    /// use fulmen::{Csr, lobpcg, lobpcg_workspace};
    /// let (offsets, columns) = ([0, 2, 5, 7], [0, 1, 0, 1, 2, 1, 2]);
    /// let a = Csr::new(3, 3, &offsets, &columns, &[2.0f64, -1.0, -1.0, 2.0, -1.0, -1.0, 2.0])?;
    /// let (mut x, mut values) = ([1.0, 0.0, 0.0], [0.0]);
    /// lobpcg(false, a, None, None, &mut x, &mut values, 1e-12, 20, &mut [0.0; lobpcg_workspace(3, 1)])?;
    /// assert!((values[0] - (2.0 - 2f64.sqrt())).abs() < 1e-12);
    /// assert!((x[1] - 0.5f64.sqrt()).abs() < 1e-9 && (x[0] - 0.5).abs() < 1e-9);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: A. Knyazev, "Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate Gradient Method" (2001); the last directions:
    /// J. Duersch, M. Shao, C. Yang, M. Gu, "A Robust and Efficient Implementation of LOBPCG" (2018). Contract: `contracts/lobpcg-v1.yaml`.
    #[doc(alias = "eigsh")]
    serial lobpcg, lobpcg_on, lobpcg_by
        (largest: by bool, a: by Csr<'_, T>, b: by Option<Csr<'_, T>>, lu: by Option<Csr<'_, T>>, x: inout T, values: out T,
         tolerance: by T, most: by usize, workspace: scratch T) -> Result<usize>;
}

/// The largest sum of magnitudes in a row.
fn size<T: Element>(arg: &'static str, a: Csr<'_, T>) -> Result<T, Error> {
    let of = |sum: T, v: &T| sum + if *v < T::ZERO { -*v } else { *v };
    let rows = a.rows_from(0).map(|(_, v)| v.iter().fold(T::ZERO, of));
    let most = rows.fold(T::ZERO, |most, sum| if sum > most { sum } else { most });
    if most < T::INFINITY {
        Ok(most)
    } else {
        Err(Error::must_be(arg, "of rows whose sum of magnitudes is finite"))
    }
}

/// What each step needs.
struct Space<'a, T> {
    a: Csr<'a, T>,
    b: Option<Csr<'a, T>>,
    n: usize,
    /// Vectors that are wanted, and directions that there are.
    k: usize,
    m: usize,
    /// Orthonormal rows.
    basis: &'a mut [T],
    last: &'a mut [T],
    u: &'a mut [T],
    v: &'a mut [T],
    small: &'a mut [T],
    theta: &'a mut [T],
    chosen: &'a mut [T],
    along: &'a mut [T],
    scratch: &'a mut [T],
}

impl<'a, T: Element> Space<'a, T> {
    fn new(a: Csr<'a, T>, b: Option<Csr<'a, T>>, k: usize, workspace: &'a mut [T]) -> Self {
        let n = a.rows();
        let mut rest = workspace;
        let each = parts(n, k).map(|len| {
            let (part, others) = core::mem::take(&mut rest).split_at_mut_checked(len).unwrap_or_default();
            rest = others;
            part
        });
        let [basis, last, u, v, small, theta, chosen, along, scratch] = each;
        Self { a, b, n, k, m: 0, basis, last, u, v, small, theta, chosen, along, scratch }
    }
    /// `v = Bx` of direction `i`.
    fn metric<S: Simd>(&mut self, s: S, i: usize) -> Result<(), Error> {
        let x = self.basis.get(i * self.n..(i + 1) * self.n).unwrap_or_default();
        match self.b {
            Some(b) => spmv_on(s, T::ONE, b, x, T::ZERO, self.v),
            None => {
                self.v.iter_mut().zip(x).for_each(|(to, x)| *to = *x);
                Ok(())
            }
        }
    }
    /// Divides direction `i` by its length in B, and gives that: 0 when there is nothing of it. `v` is `Bx` then.
    fn normalize<S: Simd>(&mut self, s: S, i: usize, step: usize) -> Result<T, Error> {
        self.metric(s, i)?;
        let x = self.basis.get_mut(i * self.n..(i + 1) * self.n).unwrap_or_default();
        let square = dot_on(s, x, self.v)?;
        let nothing = x.iter().all(|x| *x == T::ZERO);
        if nothing || square == T::ZERO || square - square != T::ZERO {
            return Ok(T::ZERO);
        }
        if square < T::ZERO {
            return Err(Error::pivot("b", step));
        }
        let length = T::from_f64(libm::sqrt(square.to_f64()));
        x.iter_mut().chain(self.v.iter_mut()).for_each(|x| *x = *x / length);
        Ok(length)
    }
    /// Takes the vector behind the directions for one more, made orthonormal to them; whether anything of it was left.
    fn append<S: Simd>(&mut self, s: S, step: usize) -> Result<bool, Error> {
        let (n, m) = (self.n, self.m);
        // The length by the largest magnitude first: no square of a direction leaves the range.
        let x = self.basis.get_mut(m * n..(m + 1) * n).unwrap_or_default();
        let larger = |most: T, x: &T| {
            if *x > most {
                *x
            } else if -*x > most {
                -*x
            } else {
                most
            }
        };
        let most = x.iter().fold(T::ZERO, larger);
        if most == T::ZERO || most - most != T::ZERO {
            return Ok(false);
        }
        x.iter_mut().for_each(|x| *x = *x / most);
        if self.normalize(s, m, step)? == T::ZERO {
            return Ok(false);
        }
        // What rounding leaves of a vector that depends on the others.
        let nothing = T::from_f64(64.0) / T::INTEGRAL;
        for _ in 0..4 {
            let (done, x) = self.basis.split_at_mut_checked(m * n).unwrap_or_default();
            let x = x.get_mut(..n).unwrap_or_default();
            let (all, along) = (MatRef::packed(done, m, n), self.along.get_mut(..m).unwrap_or_default());
            gemv_on(s, T::ONE, all, (&*self.v).into(), T::ZERO, along.into())?;
            let along = self.along.get(..m).unwrap_or_default();
            gemv_on(s, -T::ONE, all.t(), along.into(), T::ONE, x.into())?;
            let left = self.normalize(s, m, step)?;
            if left < nothing {
                return Ok(false);
            }
            // Nothing more is lost: it is orthogonal as far as numbers go.
            if left > T::from_f64(0.7) {
                self.m += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }
    /// The best vectors of all directions to `x`, and with `moved` what they have of those behind the first `k` to `last`.
    fn ritz<S: Simd>(
        &mut self,
        s: S,
        largest: bool,
        moved: bool,
        x: &mut [T],
        values: &mut [T],
    ) -> Result<(), Error> {
        let (n, m, k) = (self.n, self.m, self.k);
        for i in 0..m {
            let row = self.basis.get(i * n..(i + 1) * n).unwrap_or_default();
            spmv_on(s, T::ONE, self.a, row, T::ZERO, self.u)?;
            let before = MatRef::packed(self.basis, i + 1, n);
            let to = self.small.get_mut(i * m..i * m + i + 1).unwrap_or_default();
            gemv_on(s, T::ONE, before, (&*self.u).into(), T::ZERO, to.into())?;
        }
        let theta = self.theta.get_mut(..m).unwrap_or_default();
        eigh_on(s, MatMut::packed(self.small, m, m), theta, self.scratch).map_err(|e| match e {
            Error::Nan { .. } | Error::Domain { .. } => {
                Error::must_be("a", "finite in every step: scale the matrix")
            }
            e => e,
        })?;
        for (i, value) in values.iter_mut().enumerate() {
            let column = if largest { m - 1 - i } else { i };
            *value = theta.get(column).copied().unwrap_or_default();
            let of = self.small.iter().skip(column).step_by(m.max(1));
            self.chosen.iter_mut().skip(i * m).take(m).zip(of).for_each(|(to, x)| *to = *x);
        }
        let all = MatRef::packed(self.basis, m, n);
        let mut product = |chosen: &[T], to: &mut [T]| {
            let (a, c) = (MatRef::packed(chosen, k, m), MatMut::packed(to, k, n));
            gemm_by(Serial, s, Problem { alpha: T::ONE, beta: T::ZERO, a, b: all, c }, (), self.scratch)
        };
        product(self.chosen, x)?;
        if moved {
            self.chosen
                .chunks_mut(m.max(1))
                .for_each(|row| row.iter_mut().take(k).for_each(|x| *x = T::ZERO));
            product(self.chosen, self.last)?;
        }
        Ok(())
    }
    /// The residual of vector `i`, among the directions, to the row behind these; its norm, and that of the vector.
    fn residual<S: Simd>(&mut self, s: S, i: usize, value: T) -> Result<[T; 2], Error> {
        let (n, m) = (self.n, self.m);
        self.metric(s, i)?;
        let (done, to) = self.basis.split_at_mut_checked(m * n).unwrap_or_default();
        let (x, to) = (done.get(i * n..(i + 1) * n).unwrap_or_default(), to.get_mut(..n).unwrap_or_default());
        spmv_on(s, T::ONE, self.a, x, T::ZERO, to)?;
        to.iter_mut().zip(&*self.v).for_each(|(to, v)| *to = *to - value * *v);
        Ok([nrm2_on(s, (&*to).into()), nrm2_on(s, x.into())])
    }
    /// As [`Space::residual`], with sums in twice the precision: the norm as a share of `(|A| + |λ||B|)·|x|`, and the row as one, too.
    fn exact<S: Simd>(&mut self, s: S, i: usize, value: T, [of_a, of_b]: [T; 2]) -> f64 {
        let (n, m) = (self.n, self.m);
        let (done, to) = self.basis.split_at_mut_checked(m * n).unwrap_or_default();
        let x = done.get(i * n..(i + 1) * n).unwrap_or_default();
        let whole = of_a.to_f64() + libm::fabs(value.to_f64()) * of_b.to_f64();
        let long = nrm2_on(s, x.into()).to_f64();
        let mut squares = 0.0;
        for (k, to) in to.iter_mut().enumerate().take(n) {
            let mut left = row(self.a, k, x);
            let other = match self.b {
                Some(b) => row(b, k, x),
                None => Sum::new(x.get(k).copied().unwrap_or_default()),
            };
            left.add_times(-value, other);
            let left = left.value();
            let share = if left == 0.0 { 0.0 } else { left / whole / long };
            *to = T::from_f64(share);
            squares += share * share;
        }
        libm::sqrt(squares)
    }
    /// The largest of these shares.
    fn worst<S: Simd>(&mut self, s: S, values: &[T], sizes: [T; 2]) -> f64 {
        let all = values.iter().enumerate().map(|(i, value)| self.exact(s, i, *value, sizes));
        all.fold(0.0, |most: f64, x| if x <= most { most } else { x })
    }
}

#[allow(clippy::too_many_arguments, reason = "the operands, and where it ends")]
pub(crate) fn lobpcg_by<S: Simd, T: Element>(
    s: S,
    largest: bool,
    a: Csr<'_, T>,
    b: Option<Csr<'_, T>>,
    lu: Option<Csr<'_, T>>,
    x: &mut [T],
    values: &mut [T],
    tolerance: T,
    most: usize,
    workspace: &mut [T],
) -> Result<usize, Error> {
    let (n, k) = (a.rows(), values.len());
    not_negative("tolerance", tolerance)?;
    for (arg, m) in [("a", Some(a)), ("b", b), ("lu", lu)] {
        m.map_or(Ok(()), |m| same_shape(arg, [n, n], [m.rows(), m.cols()]))?;
    }
    if k > n {
        return Err(Error::must_be("values", "at most the rows of `a`"));
    }
    same_len("x", n.checked_mul(k).ok_or(Error::overflow("x"))?, x.len())?;
    enough(lobpcg_workspace(n, k), workspace.len())?;
    let mut sizes = [T::ZERO, T::ONE];
    for ((arg, m), size_of) in [("a", Some(a)), ("b", b)].into_iter().zip(&mut sizes) {
        let Some(m) = m else { continue };
        finite(arg, m.values())?;
        *size_of = size(arg, m)?;
    }
    if let Some(lu) = lu {
        finite("lu", lu.values())?;
        divides("lu", lu)?;
    }
    finite("x", x)?;
    if k == 0 {
        return Ok(0);
    }
    let mut space = Space::new(a, b, k, workspace);
    let steps = iterate(s, largest, &mut space, lu, x, values, (tolerance, sizes, most))?;
    orient(s, MatMut::packed(x, k, n), None);
    contract!(
        lobpcg,
        Ok(steps),
        each | check | values.iter().try_for_each(|x| check(&Call::new(&[&[*x]], &[*x])))
    )
}

fn iterate<S: Simd, T: Element>(
    s: S,
    largest: bool,
    space: &mut Space<'_, T>,
    lu: Option<Csr<'_, T>>,
    x: &mut [T],
    values: &mut [T],
    (tolerance, [of_a, of_b], most): (T, [T; 2], usize),
) -> Result<usize, Error> {
    let (n, k) = (space.n, space.k);
    let sizes = [of_a, of_b];
    // Residuals are those of rounded sums until all are small enough, and then those of sums in twice the precision.
    let (mut steps, mut exact) = (0, false);
    loop {
        space.m = 0;
        space.basis.iter_mut().zip(&*x).for_each(|(to, x)| *to = *x);
        for index in 0..k {
            if !space.append(s, steps)? {
                return Err(Error::pivot("x", index));
            }
        }
        if steps == 0 {
            // The best of what there is.
            space.ritz(s, largest, false, x, values)?;
            space.basis.iter_mut().zip(&*x).for_each(|(to, x)| *to = *x);
        }
        let mut active = false;
        for (i, value) in values.iter().enumerate() {
            let [left, length] = space.residual(s, i, *value)?;
            let size = if *value < T::ZERO { -*value } else { *value };
            let enough = tolerance * (of_a + size * of_b) * length;
            if if exact { space.exact(s, i, *value, sizes) <= tolerance.to_f64() } else { left <= enough } {
                continue;
            }
            active = true;
            if let Some(lu) = lu {
                let to = space.basis.get_mut(space.m * n..(space.m + 1) * n).unwrap_or_default();
                s.vectorize(
                    #[inline(always)]
                    || {
                        solve(Triangle::Lower, Diagonal::Unit, lu, to);
                        solve(Triangle::Upper, Diagonal::NonUnit, lu, to);
                    },
                );
            }
            space.append(s, steps)?;
        }
        if !active && exact {
            // The vectors that were looked at.
            x.iter_mut().zip(&*space.basis).for_each(|(x, of)| *x = *of);
            return Ok(steps);
        }
        if !active {
            exact = true;
            continue;
        }
        if steps == most || space.m == k {
            return Err(Error::unsolved(space.worst(s, values, sizes)));
        }
        for i in 0..if steps == 0 { 0 } else { k } {
            let (to, from) = (space.m * n, i * n);
            let last = space.last.get(from..from + n).unwrap_or_default();
            space.basis.iter_mut().skip(to).zip(last).for_each(|(to, x)| *to = *x);
            space.append(s, steps)?;
        }
        space.ritz(s, largest, true, x, values)?;
        steps += 1;
    }
}
