//! Tensor contractions: matrix products where they are such, else a thread for each element of the result. Padding, gather and scatter
//! along an axis: a thread for each element of the result.

use super::super::device::{Computes, Device, Error};
use super::super::template::tensor::{self, Around};
use super::ops::{Done, Scalar, arguments, called};
use super::{Array, Gpu, Many, Product, View, ViewMut};
use crate::backend::Contractions;
use crate::einsum::contraction::Contraction;
use crate::einsum::gather::Axis;
use crate::einsum::pad::Frame;
use crate::einsum::view::{self, List, Nest, Sizes};
use crate::error::same_len;
use crate::{EINSUM_OPERANDS, EinsumPlan, Pad};
use alloc::vec;
use alloc::vec::Vec;

/// Multiplications of a product of matrices from which on their template is worth it, alone and where there are several.
pub(crate) const PRODUCT: usize = 1 << 15;
const PRODUCTS: usize = 1 << 12;

/// A tensor: its elements, and where those of its indices are.
type Tensor<'a, T, D> = (View<'a, T, D>, view::View);

impl<D: Device> Gpu<D> {
    /// Each element of `y` from those of the factors.
    fn contracted<T: Scalar>(&self, sizes: &Sizes, x: &[Tensor<'_, T, D>], (y, to): Tensor<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        let mut bound = Vec::with_capacity(3);
        for (x, _) in x {
            planner.line::<T::Recorded>("operands", x.len())?;
            bound.push(x.binding(self)?);
        }
        planner.line::<T::Recorded>("out", y.len())?;
        bound.push(y.binding(self)?);
        let two = x.len() > 1;
        let views: [&view::View; 2] = match x {
            [(_, p), (_, q), ..] => [p, q],
            [(_, p)] => [p, p],
            [] => return Ok(()),
        };
        let read = views.iter().fold(0, |all, v| all | v.mask);
        let [p, q] = views;
        let summed: List = p.order.pick(read & !to.mask).and(&q.order.pick(q.mask & !p.mask & !to.mask));
        let kept = Nest::new(sizes, &to.order, [p, q, &to]);
        let summed = Nest::new(sizes, &summed, [p, q, q]);
        let n = kept.dims().iter().map(|d| d.size).product();
        let mut words = vec![n];
        for d in kept.dims() {
            let [p, q, to] = d.stride;
            words.extend(if two { vec![d.size, p, q, to] } else { vec![d.size, p, to] });
        }
        for d in summed.dims() {
            let [p, q, _] = d.stride;
            words.extend(if two { vec![d.size, p, q] } else { vec![d.size, p] });
        }
        let all = arguments::<T>(bound.len(), &words, &[]);
        let [outer, inner] = [&kept, &summed].map(|n| n.dims().len() as u32);
        let make = move || match two {
            true => tensor::contracted::<T::Recorded, 2>(outer, inner),
            false => tensor::contracted::<T::Recorded, 1>(outer, inner),
        };
        let form = (outer * 64 + inner) * 2 + u32::from(two);
        let launch = planner.flat_by::<T::Recorded>("einsum", form, || Some(make()), n, all)?;
        self.run_one(launch, &bound)
    }

    /// A pair as products of matrices, whose copies lie in `scratch`; `None` where that is not worth it.
    fn products<T: Scalar>(
        &self,
        sizes: &Sizes,
        [a, b, c]: [Tensor<'_, T, D>; 3],
        scratch: View<'_, T, D>,
    ) -> Result<Option<()>, Error>
    where
        D: Computes<T>,
    {
        let Some(of) = Contraction::new(sizes, &a.1, &b.1, &c.1) else { return Ok(None) };
        let shape = [of.m.size, of.n.size, of.k.size];
        let least = if of.batch.dims().is_empty() { PRODUCT } else { PRODUCTS };
        if shape.iter().fold(1, |all: usize, n| all.saturating_mul(*n)) < least {
            return Ok(None);
        }
        let (mut at, mut tensors) = (0, [a, b, c]);
        for ((tensor, n), view) in tensors.iter_mut().zip(of.copies).zip([of.a, of.b, of.c]) {
            if n > 0 {
                *tensor = (scratch.part(at..at + n)?, view);
                at += n;
            }
        }
        let moved = |from: Tensor<'_, T, D>, to: Tensor<'_, T, D>| self.contracted(sizes, &[from], to);
        if of.copies[0] > 0 {
            moved(a, tensors[0])?;
        }
        if of.copies[1] > 0 {
            moved(b, tensors[1])?;
        }
        let stride = |dim: view::Dim, k: usize| dim.stride.get(k).copied().unwrap_or(0);
        let strides = [(of.m, of.k), (of.k, of.n), (of.m, of.n)];
        let mut strides = strides.into_iter().enumerate().map(|(k, (r, c))| [stride(r, k), stride(c, k)]);
        let strides = [(); 3].map(|()| strides.next().unwrap_or_default());
        let product = Product::new(shape, strides, [T::ONE, T::ZERO]);
        // Two axes by one launch; the others, of which there rarely are any, one after the other.
        let (others, inner) = of.batch.inner();
        let (others, outer) = others.inner();
        let apart = [0, 1, 2].map(|k| [stride(outer, k), stride(inner, k)]);
        let many = Many { counts: [outer.size, inner.size], apart };
        let (nest, plan) = match self.state.planner.products::<T::Recorded>(&product, &many)? {
            Some(plan) => (&others, plan),
            None => (&of.batch, self.state.planner.product::<T::Recorded>(&product)?),
        };
        let mut done = Ok(());
        nest.each(|at| {
            let each = || {
                let [(a, _), (b, _), (c, _)] = tensors;
                let [a, b, c] = [(a, at[0]), (b, at[1]), (c, at[2])].map(|(x, at)| x.part(at..x.len()));
                self.run(&plan, &[a?.binding(self)?, b?.binding(self)?, c?.binding(self)?])
            };
            if done.is_ok() {
                done = each();
            }
        });
        done?;
        if of.copies[2] > 0 {
            moved(tensors[2], c)?;
        }
        Ok(Some(()))
    }
}

impl<T: Scalar, D: Computes<T>> Contractions<T> for Gpu<D> {
    /// [`einsum`](crate::einsum()), without a workspace of the caller's. A pair whose indices make matrices of some size is
    /// their products, all of them by one launch as by [`Gpu::gemm_strided_batched`]; another one a thread for each element of its
    /// result.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Overflow`](crate::Error::Overflow), [`Error::Limit`], [`Error::Lost`].
    fn einsum(&self, plan: &EinsumPlan, operands: &[View<'_, T, D>], out: ViewMut<'_, T, D>, _: ()) -> Done {
        called!(einsum, {
            same_len("operands", plan.operands(), operands.len())?;
            for (i, x) in operands.iter().enumerate() {
                same_len("operands", plan.operand_len(i), x.len())?;
            }
            same_len("out", plan.len(), out.len())?;
            if out.is_empty() {
                return Ok(());
            }
            if plan.nothing() {
                return self.fill(T::ZERO, out);
            }
            let (sizes, to) = (plan.sizes(), out.read());
            if let [x] = operands {
                return self.contracted(sizes, &[(*x, plan.view(0))], (to, plan.out()));
            }
            let buffer: Array<T, D> = self.alloc(plan.workspace())?;
            let whole = buffer.view();
            for (step, pair) in plan.path().enumerate() {
                let place = |i: usize| operands.get(i).copied().map_or_else(|| whole.part(plan.range(i)), Ok);
                let [a, b] = pair.map(|i| place(i).map(|x| (x, plan.view(i))));
                let c = EINSUM_OPERANDS + step;
                let y = if step + 2 == plan.operands() { to } else { whole.part(plan.range(c))? };
                let three = [a?, b?, (y, plan.view(c))];
                if self.products(sizes, three, whole.part(plan.scratch(step)..whole.len())?)?.is_none() {
                    self.contracted(sizes, &three[..2], three[2])?;
                }
            }
            Ok(())
        })
    }

    /// [`pad`](crate::pad())
    ///
    /// # Errors
    /// Those of [`pad`](crate::pad()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    fn pad(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        padding: &[[usize; 2]],
        with: Pad<T>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(pad, {
            let (frame, [of_x, of_out]) = Frame::new(shape, padding, &with)?;
            same_len("x", of_x, x.len())?;
            same_len("out", of_out, out.len())?;
            let (around, value) = match with {
                Pad::Constant(value) => (Around::Constant, value),
                Pad::Edge => (Around::Edge, T::ZERO),
                Pad::Reflect => (Around::Reflect, T::ZERO),
                Pad::Wrap => (Around::Wrap, T::ZERO),
            };
            let planner = &self.state.planner;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            if x.is_empty() {
                return self.fill(value, out);
            }
            // All axes behind the last one that grows are one.
            let mut words = vec![frame.inner, frame.inner, 0, 1];
            let mut step = frame.inner;
            let outer = frame.outer.0.iter().copied().zip(frame.outer.1.iter().copied());
            for (n, [before, after]) in outer.chain([frame.axis]).rev() {
                words.splice(0..0, [before + n + after, n, before, step]);
                step *= n;
            }
            let axes = (words.len() / 4) as u32;
            words.insert(0, out.len());
            let all = arguments::<T>(2, &words, &[value]);
            let make = || Some(tensor::padded::<T::Recorded>(axes, around));
            let launch =
                planner.flat_by::<T::Recorded>("pad", 4 * axes + around as u32, make, out.len(), all)?;
            self.run_one(launch, &[x.binding(self)?, out.binding(self)?])
        })
    }

    /// [`gather`](crate::gather()). What an index past the axis chooses is zeros, and the next download says so.
    ///
    /// # Errors
    /// Those of [`gather`](crate::gather()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    fn gather(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(gather, {
            let axis = Axis::new(shape, axis, [x.len(), ids.len(), out.len()])?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [out.len(), ids.len(), axis.n, axis.inner];
            self.run_flat::<T>("gather", tensor::gather::<T::Recorded>, out.len(), &bound, (&words, &[]))
        })
    }

    /// [`gather_elements`](crate::gather_elements()). What an index past the axis chooses is zeros, and the next download says so.
    ///
    /// # Errors
    /// Those of [`gather_elements`](crate::gather_elements()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    fn gather_elements(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(gather_elements, {
            let (of, many) = Axis::along(shape, axis, ("x", x.len()), ids.len(), ("out", out.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [out.len(), many, of.n, of.inner];
            let make = tensor::gather_elements::<T::Recorded>;
            self.run_flat::<T>("gather_elements", make, out.len(), &bound, (&words, &[]))
        })
    }

    /// [`scatter_add_elements`](crate::scatter_add_elements()). What an index past the axis names is added nowhere, and the next
    /// download says so.
    ///
    /// # Errors
    /// Those of [`scatter_add_elements`](crate::scatter_add_elements()); [`Limit`](super::super::device::Error::Limit), [`Lost`](super::super::device::Error::Lost).
    fn scatter_add_elements(
        &self,
        x: View<'_, T, D>,
        shape: &[usize],
        axis: usize,
        ids: View<'_, u32, D>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        called!(scatter_add_elements, {
            let (of, many) = Axis::along(shape, axis, ("out", out.len()), ids.len(), ("x", x.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if x.is_empty() {
                return Ok(());
            }
            let threads = of.outer * of.inner;
            let bound = [x.binding(self)?, ids.binding(self)?, out.binding(self)?, self.status()?];
            let words = [threads, many, of.n, of.inner];
            let make = tensor::scatter_add_elements::<T::Recorded>;
            self.run_flat::<T>("scatter_add_elements", make, threads, &bound, (&words, &[]))
        })
    }
}
