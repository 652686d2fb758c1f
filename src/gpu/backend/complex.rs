//! BLAS of interleaved complex numbers on devices.

use super::super::device::{Binding, Computes, Device, Error};
use super::super::ir::Kernel;
use super::super::template::{Argument, complex};
use super::ops::{Done, Scalar, arguments, called};
use super::plan::{PART, wide};
use super::{Gpu, Mat, MatMut, Product, View, ViewMut};
use crate::backend::ComplexAlgebra;
use crate::blas::complex::elements::{Angle, Magnitude};
use crate::complex::Complex;
use crate::error::{same_len, same_shape};
use crate::{Conjugate, Element};
use alloc::vec;

/// What imaginary parts are multiplied with.
fn sign<T: Element>(conjugate: bool) -> T {
    if conjugate { -T::ONE } else { T::ONE }
}

impl<D: Device> Gpu<D> {
    /// Refuses a matrix of pairs that kernels do not count or reach.
    pub(super) fn pairs<T: Scalar>(&self, arg: &'static str, x: Mat<'_, Complex<T>, D>) -> Result<(), Error>
    where
        D: Computes<T>,
    {
        let wide = x.strides.map(|s| s.saturating_mul(2));
        self.state.planner.matrix::<T::Recorded>(arg, x.shape, wide)
    }

    /// The product over the first `k` columns of A.
    fn product_of_pairs<T: Scalar>(
        &self,
        alpha: Complex<T>,
        [a, b, c]: [Mat<'_, Complex<T>, D>; 3],
        k: usize,
        [first, second]: [bool; 2],
        beta: Complex<T>,
    ) -> Done
    where
        D: Computes<T>,
    {
        let planner = &self.state.planner;
        let [m, n] = c.shape;
        if m == 0 || n == 0 {
            return Ok(());
        }
        let all = |arg, rows: usize, cols: usize| {
            let n = rows.saturating_mul(cols);
            planner.line::<T::Recorded>(arg, n.saturating_mul(2)).map(|()| n)
        };
        let [of_a, of_b, of_c] = [all("a", m, k)?, all("b", k.saturating_mul(2), n)?, all("c", m, n)?];
        let pairs = self.alloc::<Complex<T>>(of_b)?;
        let pairs = pairs.view().binding(self)?;
        if k > 0 {
            let numbers = [sign(second), sign(first), alpha.re, alpha.im];
            let bound = [b.binding(self)?, pairs];
            let words = [k * n, n, b.strides[0], b.strides[1]];
            let make = complex::paired::<T::Recorded>;
            self.run_flat::<T>("gemm_complex_pairs", make, k * n, &bound, (&words, &numbers))?;
        }
        let packed;
        let (left, row) = if a.strides[1] == 1 || k <= 1 {
            (a.binding(self)?, a.strides[0])
        } else {
            packed = self.alloc::<Complex<T>>(of_a)?;
            let to = packed.view().binding(self)?;
            let bound = [a.binding(self)?, to];
            let words = [of_a, k, a.strides[0], a.strides[1]];
            let make = complex::packed::<T::Recorded>;
            self.run_flat::<T>("gemm_complex_packed", make, of_a, &bound, (&words, &[]))?;
            (to, k)
        };
        let real = |c: Binding<'_, D::Buffer>, to: usize, beta: T| {
            let wide = |row: usize| [row.saturating_mul(2), 1];
            let (sizes, strides) = ([m, 2 * n, 2 * k], [wide(row), wide(n), wide(to)]);
            let plan = planner.product::<T::Recorded>(&Product::new(sizes, strides, [T::ONE, beta]))?;
            self.run(&plan, &[left, pairs, c])
        };
        // Into C itself where rows of it are rows of real numbers, too.
        if (c.strides[1] == 1 || n == 1) && beta.im == T::ZERO {
            return real(c.binding(self)?, c.strides[0], beta.re);
        }
        let sums = self.alloc::<Complex<T>>(of_c)?;
        let sums = sums.view().binding(self)?;
        real(sums, n, T::ZERO)?;
        let bound = [sums, c.binding(self)?];
        let words = [of_c, n, c.strides[0], c.strides[1]];
        let make = complex::added::<T::Recorded>;
        self.run_flat::<T>("gemm_complex_added", make, of_c, &bound, (&words, &[beta.re, beta.im]))
    }

    /// A reduction of the parts of a column's numbers, which are copied where others lie between.
    fn of_all<T: Scalar>(&self, op: &'static str, x: Mat<'_, Complex<T>, D>, out: ViewMut<'_, T, D>) -> Done
    where
        D: Computes<T>,
    {
        same_len("out", 1, out.len())?;
        self.pairs("x", x)?;
        let (n, planner) = (x.shape[0], &self.state.planner);
        let copy;
        let parts = if x.strides[0] == 1 || n <= 1 {
            x.binding(self)?
        } else {
            copy = self.alloc::<Complex<T>>(n)?;
            let to = copy.view().binding(self)?;
            let bound = [x.binding(self)?, to];
            let words = [n, 1, x.strides[0], 1];
            self.run_flat::<T>(
                "gemm_complex_packed",
                complex::packed::<T::Recorded>,
                n,
                &bound,
                (&words, &[]),
            )?;
            to
        };
        let plan = planner.reduction::<T::Recorded>(op, 1, n.saturating_mul(2), wide(&[parts]))?;
        self.run(&plan, &[parts, out.binding(self)?])
    }

    /// A launch of a thread for each of `n` numbers, of these operands.
    fn each<T: Scalar>(
        &self,
        op: &'static str,
        make: impl FnOnce() -> Result<Kernel, super::super::Error>,
        n: usize,
        bound: &[Binding<'_, D::Buffer>],
        numbers: &[T],
    ) -> Result<(), Error> {
        let planner = &self.state.planner;
        planner.line::<T::Recorded>("x", n.saturating_mul(2))?;
        if n == 0 {
            return Ok(());
        }
        self.run_flat::<T>(op, make, n, bound, (&[n], numbers))
    }
}

impl<T: Scalar, D: Computes<T>> ComplexAlgebra<T> for Gpu<D> {
    /// [`gemm_complex`](crate::gemm_complex()): one real product, as there, with two rows of real numbers
    /// for each of B's; rows of A or C whose numbers do not follow each other, and a β that is not real, take copies.
    ///
    /// ```
    /// use fulmen::backend::ComplexAlgebra;
    /// use fulmen::{Complex, Conjugate, gpu::{backend::Gpu, device::Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let a = gpu.upload(&[Complex::new(1.0f32, 2.0), Complex::I])?;
    /// let mut c = gpu.alloc(1)?;
    /// let (row, column) = (a.view().matrix(1, 2)?, a.view().matrix(2, 1)?);
    /// let conjugate = Conjugate { a: false, b: true };
    /// gpu.gemm_complex(Complex::ONE, row, column, conjugate, Complex::ZERO, c.view_mut().matrix(1, 1)?, ())?;
    /// let mut square = [Complex::ZERO];
    /// gpu.download(c.view(), &mut square)?;
    /// assert_eq!(square, [Complex::new(6.0, 0.0)]);
    /// # Ok::<(), fulmen::gpu::device::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Shape`](crate::Error::Shape), [`Error::Limit`], [`Error::Lost`].
    fn gemm_complex(
        &self,
        alpha: Complex<T>,
        a: Mat<'_, Complex<T>, D>,
        b: Mat<'_, Complex<T>, D>,
        conjugate: Conjugate,
        beta: Complex<T>,
        c: MatMut<'_, Complex<T>, D>,
        _: (),
    ) -> Done {
        called!(gemm_complex, {
            let ([m, k], n) = (a.shape, b.shape[1]);
            same_shape("b", [k, n], b.shape)?;
            same_shape("c", [m, n], c.0.shape)?;
            [("a", a), ("b", b), ("c", c.0)].into_iter().try_for_each(|(arg, x)| self.pairs(arg, x))?;
            let k = if alpha == Complex::ZERO { 0 } else { k };
            let Conjugate { a: first, b: second } = conjugate;
            if c.0.strides[1] != 1 && c.0.strides[0] == 1 && m > 1 && n > 1 {
                // Rows and columns change their roles.
                return self.product_of_pairs(alpha, [b.t(), a.t(), c.0.t()], k, [second, first], beta);
            }
            self.product_of_pairs(alpha, [a, b, c.0], k, [first, second], beta)
        })
    }

    /// [`gemv_complex`](crate::gemv_complex()) of columns.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    #[allow(clippy::too_many_arguments, reason = "BLAS")]
    fn gemv_complex(
        &self,
        alpha: Complex<T>,
        a: Mat<'_, Complex<T>, D>,
        conjugate: bool,
        x: Mat<'_, Complex<T>, D>,
        beta: Complex<T>,
        y: MatMut<'_, Complex<T>, D>,
    ) -> Done {
        called!(gemv_complex, {
            let [m, n] = a.shape;
            same_len("x", n, x.shape[0])?;
            same_len("y", m, y.0.shape[0])?;
            [("a", a), ("x", x), ("y", y.0)].into_iter().try_for_each(|(arg, x)| self.pairs(arg, x))?;
            if m == 0 {
                return Ok(());
            }
            let n = if alpha == Complex::ZERO { 0 } else { n };
            let words = [m, n, a.strides[0], a.strides[1], x.strides[0], y.0.strides[0]];
            let numbers = [sign(conjugate), alpha.re, alpha.im, beta.re, beta.im];
            let bound = [a.binding(self)?, x.binding(self)?, y.0.binding(self)?];
            let told = (&words[..], &numbers[..]);
            if a.strides[1] > a.strides[0] {
                let make = || complex::gemv::<T::Recorded>(self.state.planner.meet, true);
                return self.run_flat::<T>("gemv_complex_down", make, m, &bound, told);
            }
            let make = |meet| complex::gemv::<T::Recorded>(meet, false);
            self.run_blocks::<T>("gemv_complex", make, [m, 1], &bound, told)
        })
    }

    /// [`dot_complex`](crate::dot_complex()) of columns, to a view of one number.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn dot_complex(
        &self,
        conjugate: bool,
        x: Mat<'_, Complex<T>, D>,
        y: Mat<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done {
        called!(dot_complex, {
            let n = x.shape[0];
            same_len("y", n, y.shape[0])?;
            same_len("out", 1, out.len())?;
            [("x", x), ("y", y)].into_iter().try_for_each(|(arg, x)| self.pairs(arg, x))?;
            let planner = &self.state.planner;
            let blocks = n.div_ceil(PART).clamp(1, planner.blocks as usize);
            let parts = self.alloc::<Complex<T>>(blocks)?;
            let told = arguments(3, &[n, x.strides[0], y.strides[0]], &[sign::<T>(conjugate)]);
            let make = complex::dot::<T::Recorded>;
            let sums = planner.blocks::<T::Recorded>("dot_complex", make, [blocks, 1], told)?;
            let told = [2, 3].map(Argument::Buffer).into_iter().chain(arguments::<T>(0, &[blocks], &[]));
            let make = complex::dot_merge::<T::Recorded>;
            let merge = planner.blocks::<T::Recorded>("dot_complex_merge", make, [1, 1], told.collect())?;
            let bound = [x.binding(self)?, y.binding(self)?, parts.view().binding(self)?, out.binding(self)?];
            self.go(vec![sums, merge], vec![], &bound)
        })
    }

    /// [`axpy_complex`](crate::axpy_complex()) of columns.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn axpy_complex(
        &self,
        alpha: Complex<T>,
        x: Mat<'_, Complex<T>, D>,
        y: MatMut<'_, Complex<T>, D>,
    ) -> Done {
        called!(axpy_complex, {
            let n = x.shape[0];
            same_len("y", n, y.0.shape[0])?;
            [("x", x), ("y", y.0)].into_iter().try_for_each(|(arg, x)| self.pairs(arg, x))?;
            if n == 0 {
                return Ok(());
            }
            let bound = [x.binding(self)?, y.0.binding(self)?];
            let words = [n, x.strides[0], y.0.strides[0]];
            let make = complex::axpy::<T::Recorded>;
            self.run_flat::<T>("axpy_complex", make, n, &bound, (&words, &[alpha.re, alpha.im]))
        })
    }

    /// [`scal_complex`](crate::scal_complex()) of a column.
    ///
    /// # Errors
    /// [`Error::Limit`], [`Error::Lost`].
    fn scal_complex(&self, alpha: Complex<T>, x: MatMut<'_, Complex<T>, D>) -> Done {
        called!(scal_complex, {
            let n = x.0.shape[0];
            self.pairs("x", x.0)?;
            if n == 0 {
                return Ok(());
            }
            let bound = [x.0.binding(self)?];
            let words = [n, x.0.strides[0]];
            let make = complex::scal::<T::Recorded>;
            self.run_flat::<T>("scal_complex", make, n, &bound, (&words, &[alpha.re, alpha.im]))
        })
    }

    /// [`nrm2_complex`](crate::nrm2_complex()) of a column, to a view of one element.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn nrm2_complex(&self, x: Mat<'_, Complex<T>, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(nrm2_complex, { self.of_all("norm_l2", x, out) })
    }

    /// [`asum_complex`](crate::asum_complex()) of a column, to a view of one element.
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn asum_complex(&self, x: Mat<'_, Complex<T>, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(asum_complex, { self.of_all("norm_l1", x, out) })
    }

    /// [`mul_complex`](crate::mul_complex())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn mul_complex(
        &self,
        conjugate: bool,
        x: View<'_, Complex<T>, D>,
        y: View<'_, Complex<T>, D>,
        out: ViewMut<'_, Complex<T>, D>,
    ) -> Done {
        called!(mul_complex, {
            same_len("y", x.len(), y.len())?;
            same_len("out", x.len(), out.len())?;
            let bound = [x.binding(self)?, y.binding(self)?, out.binding(self)?];
            let make = complex::products::<T::Recorded>;
            self.each("mul_complex", make, x.len(), &bound, &[sign::<T>(conjugate)])
        })
    }

    /// [`abs_complex`](crate::abs_complex())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn abs_complex(&self, x: View<'_, Complex<T>, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(abs_complex, {
            same_len("out", x.len(), out.len())?;
            let make = || complex::of_parts::<T::Recorded>("abs_complex", Magnitude);
            self.each::<T>("abs_complex", make, x.len(), &[x.binding(self)?, out.binding(self)?], &[])
        })
    }

    /// [`arg_complex`](crate::arg_complex())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn arg_complex(&self, x: View<'_, Complex<T>, D>, out: ViewMut<'_, T, D>) -> Done {
        called!(arg_complex, {
            same_len("out", x.len(), out.len())?;
            let make = || complex::of_parts::<T::Recorded>("arg_complex", Angle);
            self.each::<T>("arg_complex", make, x.len(), &[x.binding(self)?, out.binding(self)?], &[])
        })
    }

    /// [`interleave`](crate::interleave())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn interleave(&self, re: View<'_, T, D>, im: View<'_, T, D>, out: ViewMut<'_, Complex<T>, D>) -> Done {
        called!(interleave, {
            same_len("im", re.len(), im.len())?;
            same_len("out", re.len(), out.len())?;
            let bound = [re.binding(self)?, im.binding(self)?, out.binding(self)?];
            self.each::<T>("interleave", || complex::interleaved::<T::Recorded>(false), re.len(), &bound, &[])
        })
    }

    /// [`deinterleave`](crate::deinterleave())
    ///
    /// # Errors
    /// [`Len`](crate::Error::Len), [`Error::Limit`], [`Error::Lost`].
    fn deinterleave(&self, x: View<'_, Complex<T>, D>, re: ViewMut<'_, T, D>, im: ViewMut<'_, T, D>) -> Done {
        called!(deinterleave, {
            same_len("re", x.len(), re.len())?;
            same_len("im", x.len(), im.len())?;
            let bound = [re.binding(self)?, im.binding(self)?, x.binding(self)?];
            self.each::<T>("deinterleave", || complex::interleaved::<T::Recorded>(true), x.len(), &bound, &[])
        })
    }
}
