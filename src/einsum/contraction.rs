//! The kernels of a contraction: permuting the axes of a tensor, summing it over indices, and contracting two tensors
//! by matrix products.

use super::view::{Dim, List, Nest, Sizes, View, volume};
use crate::alu::{Alu, Number};
use crate::blas::gemm::{Problem, batch_by, gemm_by, gemm_workspace};
use crate::blas::level1::Same;
use crate::blas::transpose;
use crate::error::Error;
use crate::lanes::drive::{self, Update};
use crate::lanes::executor::{Executor, Serial};
use crate::lanes::fold::fold_views;
use crate::lanes::{Element, Simd, strided};
use crate::pointwise::{Add, Mul};
use crate::reduce::{Dot, Sum};
use crate::view::{BatchMut, BatchRef, MatMut, MatRef, VecMut, VecRef};

/// `n` elements of `x` from `at` on.
#[inline(always)]
fn line<T>(x: &[T], at: usize, n: usize, stride: usize) -> VecRef<'_, T> {
    // The plan has checked that they are there.
    VecRef::strided(x, at, n, stride as isize).unwrap_or_else(|_| VecRef::from(<&[T]>::default()))
}

/// `to[…] = Σ from[…]` over the indices that `to` has not; the others in the order of `to`, whose last one is dense.
pub(super) fn rearrange<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    sizes: &Sizes,
    (from, x): (&View, &[T]),
    (to, y): (&View, &mut [T]),
) {
    let kept = Nest::new(sizes, &to.order, [from, to, to]);
    let summed = from.order.pick(from.mask & !to.mask);
    if summed.mask() == 0 {
        return permute(j, s, &kept, x, y);
    }
    let summed = Nest::new(sizes, &summed, [from, from, from]);
    s.vectorize(
        #[inline(always)]
        || sum(s, &kept, &summed, x, y),
    );
}

fn permute<J: Executor, S: Simd, T: Element>(j: J, s: S, nest: &Nest, x: &[T], y: &mut [T]) {
    let (outer, row) = nest.inner();
    let dense = outer.dims().iter().position(|dim| dim.stride[0] == 1);
    let Some((i, col)) = dense.and_then(|i| Some((i, *outer.dims().get(i)?))).filter(|_| row.stride[0] != 1)
    else {
        return s.vectorize(
            #[inline(always)]
            || {
                outer.each(
                    #[inline(always)]
                    |[from, to, _]| {
                        if let Some(y) = y.get_mut(to..to + row.size) {
                            strided::map(s, Same, line(x, from, row.size, row.stride[0]), VecMut::from(y));
                        }
                    },
                );
            },
        );
    };
    outer.without(i).each(|[from, to, _]| {
        let a = MatRef::strided(x, from, row.size, col.size, row.stride[0] as isize, 1);
        let b = MatMut::strided(y, to, col.size, row.size, col.stride[1] as isize, 1);
        if let (Ok(a), Ok(b)) = (a, b) {
            transpose::run(j, s, a, b);
        }
    });
}

#[inline(always)]
fn sum<S: Simd, T: Element>(s: S, kept: &Nest, summed: &Nest, x: &[T], y: &mut [T]) {
    let ((outer, row), (others, inner)) = (kept.inner(), summed.inner());
    if row.stride[0] == 1 && inner.stride[0] != 1 && row.size > 1 {
        // Whole rows are added.
        outer.each(
            #[inline(always)]
            |[from, to, _]| {
                let Some(y) = y.get_mut(to..to + row.size) else { return };
                let mut first = true;
                others.each(
                    #[inline(always)]
                    |[at, ..]| {
                        let rows = |i: usize| {
                            let at = from + at + i * inner.stride[0];
                            x.get(at..at + row.size)
                        };
                        let mut i = 0;
                        if let (true, Some(x)) = (first, rows(0)) {
                            y.copy_from_slice(x);
                            (first, i) = (false, 1);
                        }
                        // Several at once: the result is read and written less often.
                        while let (true, Some(a), Some(b), Some(c), Some(d)) =
                            (i + 4 <= inner.size, rows(i), rows(i + 1), rows(i + 2), rows(i + 3))
                        {
                            drive::update(s, AddRows, [a, b, c, d], [&mut *y]);
                            i += 4;
                        }
                        while let (true, Some(x)) = (i < inner.size, rows(i)) {
                            drive::zip_in_place(Serial, s, Add, y, x);
                            i += 1;
                        }
                    },
                );
            },
        );
        return;
    }
    kept.each(
        #[inline(always)]
        |[from, to, _]| {
            let mut all = T::ZERO;
            others.each(
                #[inline(always)]
                |[at, ..]| {
                    let x = line(x, from + at, inner.size, inner.stride[0]);
                    let [part] = fold_views(Serial, s, Sum, [x]);
                    all = all + part;
                },
            );
            if let Some(y) = y.get_mut(to) {
                *y = all;
            }
        },
    );
}

/// `y = ab + y`.
#[derive(Debug, Clone, Copy)]
struct AddProduct;
impl<T: Number> Update<T, 2, 1> for AddProduct {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b]: [V; 2], [y]: [V; 1]) -> [V; 1] {
        [a.mul_add(b, y)]
    }
}

/// `y = y + (a + b) + (c + d)`.
#[derive(Debug, Clone, Copy)]
struct AddRows;
impl<T: Number> Update<T, 4, 1> for AddRows {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b, c, d]: [V; 4], [y]: [V; 1]) -> [V; 1] {
        [y + ((a + b) + (c + d))]
    }
}

/// How two tensors become a third: as products of matrices, one for each value of the indices that all three have.
pub(crate) struct Contraction {
    pub a: View,
    pub b: View,
    pub c: View,
    /// Elements of what stands in for a tensor whose indices cannot be taken together, or are summed over at once.
    pub copies: [usize; 3],
    pub batch: Nest,
    pub m: Dim,
    pub n: Dim,
    pub k: Dim,
}

impl Contraction {
    /// `None` when sizes cannot be counted. No index of a single element is in a view.
    pub(crate) fn new(sizes: &Sizes, a: &View, b: &View, c: &View) -> Option<Self> {
        let shared = a.mask & b.mask;
        let lone = [a.mask & !b.mask & !c.mask != 0, b.mask & !a.mask & !c.mask != 0];
        let (k, batch) = (shared & !c.mask, shared & c.mask);
        let (m, n) = (a.mask & c.mask & !b.mask, b.mask & c.mask & !a.mask);
        let batch = c.order.pick(batch);
        let mut best: Option<Self> = None;
        // The indices of a group in the order of one of the two tensors that have them, so that fewest elements move.
        for order in 0..8 {
            let of = |bit: u32, mask: u32, first: &View, second: &View| {
                if order >> bit & 1 == 0 { first.order.pick(mask) } else { second.order.pick(mask) }
            };
            let (m, n, k) = (of(0, m, c, a), of(1, n, c, b), of(2, k, a, b));
            let one = |list: &List, view: &View| view.joins(sizes, list);
            let moves = [
                lone[0] || !one(&m, a) || !one(&k, a),
                lone[1] || !one(&n, b) || !one(&k, b),
                !one(&m, c) || !one(&n, c),
            ];
            let orders = [batch.and(&m).and(&k), batch.and(&k).and(&n), batch.and(&m).and(&n)];
            let mut copies = [0; 3];
            let mut views = [*a, *b, *c];
            for (((copy, view), order), moves) in copies.iter_mut().zip(&mut views).zip(&orders).zip(moves) {
                if moves {
                    *copy = volume(sizes, order)?;
                    *view = View::dense(sizes, order);
                }
            }
            let moved = |copies: &[usize; 3]| copies.iter().fold(0usize, |n, c| n.saturating_add(*c));
            if best.as_ref().is_some_and(|best| moved(&best.copies) <= moved(&copies)) {
                continue;
            }
            let [a, b, c] = views;
            let dim = |list: &List| Nest::new(sizes, list, [&a, &b, &c]).single();
            // One loop each: what did not merge is in order now.
            let (Some(m), Some(n), Some(k)) = (dim(&m), dim(&n), dim(&k)) else { continue };
            let batch = Nest::new(sizes, &batch, [&a, &b, &c]);
            best = Some(Self { a, b, c, copies, batch, m, n, k });
            if copies == [0; 3] {
                // No order moves less.
                break;
            }
        }
        best
    }

    /// Elements of scratch; `None` when they cannot be counted.
    pub(super) fn needed(&self) -> Option<usize> {
        let one = self.m.size == 1 && self.n.size == 1;
        let product = if one { 0 } else { gemm_workspace(self.m.size, self.n.size, self.k.size) };
        self.copies.iter().try_fold(product, |n, c| n.checked_add(*c))
    }

    /// `y = Σ ab`, each tensor with its elements.
    #[allow(clippy::too_many_arguments, reason = "three tensors, and where they are multiplied")]
    pub(super) fn run<J: Executor, S: Simd, T: Element>(
        &self,
        j: J,
        s: S,
        sizes: &Sizes,
        (a, x): (&View, &[T]),
        (b, z): (&View, &[T]),
        (c, y): (&View, &mut [T]),
        scratch: &mut [T],
    ) -> Result<(), Error> {
        let [na, nb, nc] = self.copies;
        let (ca, rest) = scratch.split_at_mut_checked(na).unwrap_or_default();
        let (cb, rest) = rest.split_at_mut_checked(nb).unwrap_or_default();
        let (cc, rest) = rest.split_at_mut_checked(nc).unwrap_or_default();
        let x = if na == 0 {
            x
        } else {
            rearrange(j, s, sizes, (a, x), (&self.a, ca));
            ca
        };
        let z = if nb == 0 {
            z
        } else {
            rearrange(j, s, sizes, (b, z), (&self.b, cb));
            cb
        };
        if nc == 0 {
            return self.product(j, s, x, z, y, rest);
        }
        self.product(j, s, x, z, cc, rest)?;
        rearrange(j, s, sizes, (&self.c, cc), (c, y));
        Ok(())
    }

    fn product<J: Executor, S: Simd, T: Element>(
        &self,
        j: J,
        s: S,
        x: &[T],
        z: &[T],
        y: &mut [T],
        rest: &mut [T],
    ) -> Result<(), Error> {
        if self.m.size == 1 && self.n.size == 1 {
            s.vectorize(
                #[inline(always)]
                || self.pointwise(s, x, z, y),
            );
            return Ok(());
        }
        let (outer, batch) = self.batch.inner();
        let products = Products { batch, m: self.m, n: self.n, k: self.k };
        let mut done = Ok(());
        outer.each(|at| done = done.and_then(|()| products.run(j, s, at, x, z, y, rest)));
        done
    }

    /// The products, if they are all there is to do.
    pub(super) fn products(&self) -> Option<Products> {
        let batch = self.batch.single()?;
        let lie = self.copies == [0; 3] && (self.m.size > 1 || self.n.size > 1);
        lie.then_some(Products { batch, m: self.m, n: self.n, k: self.k })
    }

    /// Where no index is of one factor alone.
    #[inline(always)]
    fn pointwise<S: Simd, T: Element>(&self, s: S, x: &[T], z: &[T], y: &mut [T]) {
        let (outer, row) = self.batch.inner();
        if row.stride == [1; 3] && row.size > 1 {
            outer.each(
                #[inline(always)]
                |[a, b, c]| {
                    let Some(y) = y.get_mut(c..c + row.size) else { return };
                    for k in 0..self.k.size {
                        let (a, b) = (a + k * self.k.stride[0], b + k * self.k.stride[1]);
                        let (Some(x), Some(z)) = (x.get(a..a + row.size), z.get(b..b + row.size)) else {
                            return;
                        };
                        if k == 0 {
                            drive::map(Serial, s, Mul, [x, z], y);
                        } else {
                            drive::update(s, AddProduct, [x, z], [&mut *y]);
                        }
                    }
                },
            );
            return;
        }
        self.batch.each(
            #[inline(always)]
            |[a, b, c]| {
                let [sa, sb, _] = self.k.stride;
                let (x, z) = (line(x, a, self.k.size, sa), line(z, b, self.k.size, sb));
                let [dot] = fold_views(Serial, s, Dot, [x, z]);
                if let Some(y) = y.get_mut(c) {
                    *y = dot;
                }
            },
        );
    }
}

/// Products of matrices, one for each of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Products {
    batch: Dim,
    m: Dim,
    n: Dim,
    k: Dim,
}

impl Products {
    /// Of tensors that begin at these places.
    #[allow(clippy::too_many_arguments, reason = "three tensors, and where they are multiplied")]
    pub(super) fn run<J: Executor, S: Simd, T: Element>(
        &self,
        j: J,
        s: S,
        [at_a, at_b, at_c]: [usize; 3],
        x: &[T],
        z: &[T],
        y: &mut [T],
        rest: &mut [T],
    ) -> Result<(), Error> {
        let Self { batch, m, n, k } = *self;
        // Shape and strides of the matrices of one of the three.
        let of = |i: usize, [rows, cols]: [Dim; 2]| {
            ([batch.size, rows.size, cols.size], [batch, rows, cols].map(|dim| dim.step(i)))
        };
        let [da, db, dc] = [of(0, [m, k]), of(1, [k, n]), of(2, [m, n])];
        let (a, b) = (BatchRef::strided(x, at_a, da.0, da.1)?, BatchRef::strided(z, at_b, db.0, db.1)?);
        if let Ok(c) = BatchMut::strided(y, at_c, dc.0, dc.1) {
            return batch_by(j, s, [T::ONE, T::ZERO], a, b, c, rest);
        }
        // Results that do not follow each other.
        let ([_, rows, cols], [_, rs, cs]) = dc;
        (0..batch.size).try_for_each(|i| {
            let c = MatMut::strided(y, at_c + i * batch.stride[2], rows, cols, rs, cs)?;
            let (Some(a), Some(b)) = (a.get(i), b.get(i)) else { return Ok(()) };
            gemm_by(j, s, Problem { alpha: T::ONE, beta: T::ZERO, a, b, c }, (), rest)
        })
    }
}
