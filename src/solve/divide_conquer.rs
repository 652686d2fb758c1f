//! The divide-and-conquer eigensolver of symmetric tridiagonal matrices: two halves are solved, and a rank-1 update
//! merges them by the secular equation and a matrix product. Eigenvectors are rows.

use super::eigh::{ql, ql_workspace};
use super::{abs, secular};
use crate::blas::gemm::{Problem, gemm_by, gemm_workspace};
use crate::blas::rot_on;
use crate::error::Error;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Count, Write, each_row};
use crate::reduce::norm_linf_on;
use crate::slices::{copy, lines, split, swap};
use crate::view::{MatMut, MatRef};

/// The largest matrix that is not divided.
pub(crate) const LEAF: usize = 32;
/// Vectors that are made by one product.
pub(crate) const VECTORS: usize = 256;

const fn max(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// Elements of workspace for a matrix of `n` rows.
pub(super) const fn room(n: usize) -> usize {
    if n <= LEAF {
        return ql_workspace(n);
    }
    let (half, b) = (n.div_ceil(2), if n < VECTORS { n } else { VECTORS });
    let vectors = half.saturating_mul(half).saturating_mul(2);
    let blocks = b.saturating_mul(n).saturating_mul(2);
    // Eight lists of numbers, the vectors of the halves, and those of a block before and after a product.
    let own = n.saturating_mul(8).saturating_add(vectors).saturating_add(blocks);
    max(own.saturating_add(gemm_workspace(b, half, n)), room(half).saturating_mul(2))
}

fn at<T: Element>(x: &[T], i: usize) -> f64 {
    x.get(i).copied().unwrap_or_default().to_f64()
}

fn put<T: Element>(x: &mut [T], i: usize, to: f64) {
    if let Some(x) = x.get_mut(i) {
        *x = T::from_f64(to);
    }
}

/// A number of a row, which both types hold exactly.
fn index<T: Element>(x: &[T], i: usize) -> usize {
    at(x, i) as usize
}

/// The first elements of what is left of a workspace.
fn take<'a, T>(rest: &mut &'a mut [T], n: usize) -> &'a mut [T] {
    let (first, others) = core::mem::take(rest).split_at_mut_checked(n).unwrap_or_default();
    *rest = others;
    first
}

/// What is too small beside the largest element of a tridiagonal matrix to be joined: squares of less would underflow.
pub(super) fn floor<S: Simd, T: Element>(s: S, d: &[T], e: &[T]) -> f64 {
    let [d, e] = [d, e].map(|x| norm_linf_on(s, x).to_f64());
    libm::ldexp(d.max(e), if T::SIGNIFICAND < 30 { -60 } else { -200 })
}

/// The values of a tridiagonal matrix over its diagonal `d`, in any order, which `order` says: its elements are numbers of rows. The rows of `q`, which
/// is the identity, become the vectors.
pub(super) fn divide<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    [d, e]: [&mut [T]; 2],
    floor: f64,
    mut q: MatMut<'_, T>,
    order: &mut [T],
    work: &mut [T],
) -> Result<(), Error> {
    let n = d.len();
    if n <= LEAF {
        (0..n).for_each(|i| put(order, i, i as f64));
        ql(s, d, e, q, work)?;
        sort(d, order);
        return Ok(());
    }
    let half = n / 2;
    let beside = at(e, half - 1);
    for i in [half - 1, half] {
        let x = at(d, i);
        put(d, i, x - abs(beside));
    }
    let (e0, e1) = e.split_at_mut_checked(half).unwrap_or_default();
    let (d0, d1) = d.split_at_mut_checked(half).unwrap_or_default();
    let (order0, order1) = order.split_at_mut_checked(half).unwrap_or_default();
    let (work0, work1) = work.split_at_mut_checked(room(n - half)).unwrap_or_default();
    let (q0, q1) = q.reborrow().split_rows(half)?;
    let (q0, q1) = (q0.block([0, 0], [half, half]), q1.block([0, half], [n - half, n - half]));
    let (first, second) = j.join(
        n.saturating_mul(n).saturating_mul(LEAF),
        || divide(j, s, [d0, e0], floor, q0, order0, work0),
        || divide(j, s, [d1, e1], floor, q1, order1, work1),
    );
    first?;
    second?;
    merge(j, s, [beside, floor], d, q, order, work)
}

/// Numbers of rows in the order of their values.
fn sort<T: Element>(d: &[T], order: &mut [T]) {
    for i in 1..order.len() {
        for k in (0..i).rev() {
            if at(d, index(order, k)) <= at(d, index(order, k + 1)) {
                break;
            }
            swap(order, k, k + 1);
        }
    }
}

/// A pole of the secular equation.
struct Pole {
    d: f64,
    z: f64,
    row: usize,
    /// Which columns its vector has: those of the first half, of both, or of the second.
    kind: usize,
}

/// The poles that are kept, and from the end of `rows` on the rows whose values and vectors stay.
struct Poles<'a, T> {
    d: &'a mut [T],
    z: &'a mut [T],
    rows: &'a mut [T],
    kinds: &'a mut [T],
    kept: usize,
    gone: usize,
    counts: [usize; 3],
}

impl<T: Element> Poles<'_, T> {
    fn keep(&mut self, pole: &Pole) {
        put(self.d, self.kept, pole.d);
        put(self.z, self.kept, pole.z);
        put(self.rows, self.kept, pole.row as f64);
        put(self.kinds, self.kept, pole.kind as f64);
        if let Some(count) = self.counts.get_mut(pole.kind) {
            *count += 1;
        }
        self.kept += 1;
    }
    fn leave(&mut self, row: usize) {
        self.gone += 1;
        let at = self.rows.len().wrapping_sub(self.gone);
        put(self.rows, at, row as f64);
    }
    /// The poles of two halves in ascending order: those with next to nothing in z are left out, and of two that are next to each other one is
    /// by a rotation.
    fn find<S: Simd>(
        &mut self,
        s: S,
        d: &mut [T],
        mut q: MatMut<'_, T>,
        order: &[T],
        [beside, floor]: [f64; 2],
    ) -> Result<(), Error> {
        let n = d.len();
        let half = n / 2;
        let z = |q: MatRef<'_, T>, row: usize| {
            let (col, sign) = if row < half { (half - 1, 1.0) } else { (half, libm::copysign(1.0, beside)) };
            q.get(row, col).unwrap_or_default().to_f64() * sign * core::f64::consts::FRAC_1_SQRT_2
        };
        let rho = 2.0 * abs(beside);
        let most = d.iter().fold(0.0, |most: f64, d| most.max(abs(d.to_f64())));
        let most_z = (0..n).fold(0.0, |most: f64, row| most.max(abs(z(q.as_ref(), row))));
        let tolerance = libm::ldexp(most.max(rho * most_z), 2 - T::SIGNIFICAND).max(floor);
        let (mut x, mut y, mut before) = (0, half, None::<Pole>);
        for _ in 0..n {
            let (first, second) = (index(order, x), half + index(order, y));
            let left = x < half && (y >= n || at(d, first) <= at(d, second));
            let row = if left { first } else { second };
            (x, y) = if left { (x + 1, y) } else { (x, y + 1) };
            let mut pole = Pole { d: at(d, row), z: z(q.as_ref(), row), row, kind: if left { 0 } else { 2 } };
            if rho * abs(pole.z) <= tolerance {
                self.leave(row);
                continue;
            }
            if let Some(last) = before.take() {
                let length = libm::hypot(pole.z, last.z);
                let (gap, c, r) = (pole.d - last.d, pole.z / length, -last.z / length);
                if abs(gap * c * r) <= tolerance {
                    if last.kind != pole.kind {
                        pole.kind = 1;
                    }
                    let (above, below) = q.reborrow().split_rows(last.row.max(row))?;
                    let (above, below) = (above.row(last.row.min(row))?, below.row(0)?);
                    let [x, y] = if last.row < row { [above, below] } else { [below, above] };
                    rot_on(s, x, y, T::from_f64(c), T::from_f64(r))?;
                    put(d, last.row, last.d * c * c + pole.d * r * r);
                    pole.d = last.d * r * r + pole.d * c * c;
                    pole.z = length;
                    self.leave(last.row);
                } else {
                    self.keep(&last);
                }
            }
            before = Some(pole);
        }
        before.iter().for_each(|last| self.keep(last));
        Ok(())
    }
}

/// The values and vectors of a matrix of those of its halves.
fn merge<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    [beside, floor]: [f64; 2],
    d: &mut [T],
    mut q: MatMut<'_, T>,
    order: &mut [T],
    mut rest: &mut [T],
) -> Result<(), Error> {
    let n = d.len();
    let (half, b) = (n / 2, n.min(VECTORS));
    let lists: [&mut [T]; 8] = core::array::from_fn(|_| take(&mut rest, n));
    let [poles, z, rows, kinds, origins, offsets, poles_by_kind, z_by_kind] = lists;
    let mut all = Poles { d: poles, z, rows, kinds, kept: 0, gone: 0, counts: [0; 3] };
    all.find(s, d, q.reborrow(), order, [beside, floor])?;
    let Poles { d: poles, z, rows, kinds, kept: k, counts: [first, both, second], .. } = all;
    let [poles, z, origins, offsets] =
        [poles, z, origins, offsets].map(|x| x.get_mut(..k).unwrap_or_default());
    roots(j, s, poles, z, [&mut *origins, &mut *offsets], beside)?;
    // By kinds, so that zeros of vectors are left out of products.
    let [upper, lower] = [first + both, both + second];
    let (mut next, more) = ([0, first, upper], take(&mut rest, 2 * n.div_ceil(2) * n.div_ceil(2)));
    let (above, below) = more.split_at_mut_checked(upper * half).unwrap_or_default();
    let (mut above, mut below) = (MatMut::packed(above, upper, half), MatMut::packed(below, lower, n - half));
    for i in 0..k {
        let Some(next) = next.get_mut(index(kinds, i)) else { continue };
        let to = *next;
        *next += 1;
        put(poles_by_kind, to, at(poles, i));
        put(z_by_kind, to, at(z, i));
        let (row0, row1) = split(q.as_ref().row_slice(index(rows, i)).unwrap_or_default(), half);
        if let Some(to) = above.row_slice_mut(to) {
            copy(row0, to);
        }
        if let Some(to) = to.checked_sub(first).and_then(|to| below.row_slice_mut(to)) {
            copy(row1, to);
        }
    }
    let [poles_by_kind, z_by_kind] = [&*poles_by_kind, &*z_by_kind].map(|x| x.get(..k).unwrap_or_default());
    let (vectors, products) = (take(&mut rest, b * n), take(&mut rest, b * n));
    for from in (0..k).step_by(b) {
        let b = b.min(k - from);
        let vectors = vectors.get_mut(..b * k).unwrap_or_default();
        let (origins, offsets) = (&*origins, &*offsets);
        each_row(
            j,
            s,
            8 * k,
            (Write(&mut *vectors, k), Count(from..from + b)),
            #[inline(always)]
            |(to, i)| {
                let root = [at(origins, i.0.start), at(offsets, i.0.start)];
                secular::vector(s, poles_by_kind, z_by_kind, root, to.0);
            },
        );
        let vectors = MatRef::packed(vectors, b, k);
        let mut to = MatMut::packed(&mut *products, b, n);
        for (a, b, [col, cols]) in [
            (vectors.block([0, 0], [b, upper]), above.as_ref(), [0, half]),
            (vectors.block([0, first], [b, lower]), below.as_ref(), [half, n - half]),
        ] {
            let c = to.reborrow().block([0, col], [usize::MAX, cols]);
            if a.cols() > 0 {
                gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ZERO, a, b, c }, (), rest)?;
            } else {
                zeros(c);
            }
        }
        for (i, from) in (from..).zip(lines(products, n)).take(b) {
            if let Some(to) = q.row_slice_mut(index(rows, i)) {
                copy(from, to);
            }
        }
    }
    for i in 0..k {
        put(d, index(rows, i), at(origins, i) + at(offsets, i));
    }
    let (kept, gone) = rows.split_at_mut_checked(k).unwrap_or_default();
    gone.reverse();
    sort(d, gone);
    let (mut x, mut y) = (0, 0);
    for to in order {
        let first = x < k && (y >= n - k || at(d, index(kept, x)) <= at(d, index(gone, y)));
        *to = if first { kept.get(x) } else { gone.get(y) }.copied().unwrap_or_default();
        (x, y) = if first { (x + 1, y) } else { (x, y + 1) };
    }
    Ok(())
}

fn zeros<T: Element>(mut c: MatMut<'_, T>) {
    for i in 0..c.rows() {
        if let Some(row) = c.row_slice_mut(i) {
            row.fill(T::ZERO);
        }
    }
}

/// The roots of the secular equation, and over z that of which they are the exact ones.
fn roots<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    poles: &[T],
    z: &mut [T],
    [origins, offsets]: [&mut [T]; 2],
    beside: f64,
) -> Result<(), Error> {
    let k = poles.len();
    let (rho, weights) = (0.5 / abs(beside), &*z);
    each_row(
        j,
        s,
        64 * k,
        (Write(&mut *origins, 1), Write(&mut *offsets, 1), Count(0..k)),
        #[inline(always)]
        |(origin, offset, i)| {
            let [at, by] = secular::root(s, poles, weights, i.0.start, rho).unwrap_or([f64::NAN; 2]);
            put(origin.0, 0, at);
            put(offset.0, 0, by);
        },
    );
    if offsets.iter().any(|x| x.partial_cmp(x).is_none()) {
        return Err(Error::convergence("a", None));
    }
    let (origins, offsets) = (&*origins, &*offsets);
    each_row(
        j,
        s,
        8 * k,
        (Write(z, 1), Count(0..k)),
        #[inline(always)]
        |(z, i)| {
            let weight = secular::weight(s, [poles, origins, offsets], i.0.start, rho);
            let sign = at(z.0, 0);
            put(z.0, 0, libm::copysign(weight, sign));
        },
    );
    Ok(())
}
