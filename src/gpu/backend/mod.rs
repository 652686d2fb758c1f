//! The ops on devices: methods that check arguments, plan kernels and launch them over memory of a device.
//!
//! ```
//! use fulmen::gpu::backend::Gpu;
//! use fulmen::gpu::device::Host;
//! let gpu = Gpu::new(Host::default());
//! let x = gpu.upload(&[1.0f32, 1.0])?;
//! let mut p = gpu.alloc(2)?;
//! gpu.softmax(x.view(), 2, p.view_mut())?;
//! gpu.mul_in_place(p.view_mut(), x.view())?;
//! let mut host = [0.0; 2];
//! gpu.download(p.view(), &mut host)?;
//! assert_eq!(host, [0.5, 0.5]);
//! # Ok::<(), fulmen::gpu::device::Error>(())
//! ```
//!
//! A device that lacks a type is not asked for it:
//! ```compile_fail,E0277
//! # use fulmen::gpu::{backend::{Gpu, View, ViewMut}, device::{Computes, Device, Error}};
//! fn twice<D: Computes<f32>>(gpu: &Gpu<D>, x: View<'_, f64, D>, out: ViewMut<'_, f64, D>) -> Result<(), Error> {
//!     gpu.scale(x, 2.0, out)
//! }
//! ```
//!
//! Nothing waits but [`Gpu::download`]: a reduction writes its value to a view of one element. What is checked on a CPU
//! before the first write is checked here before the launch, with the same errors; NaN in an order, which only the
//! kernel sees, is said in the method's own words. Kernels count in 32 bits: an operand has at most 2^31 elements, one of
//! quantised blocks fewer than 2^30 words of four bytes; more is [`crate::Error::Overflow`].

mod attention;
mod batch;
mod blas;
mod complex;
mod copies;
mod decode;
mod eigen;
mod einsum;
mod fft;
mod formula;
mod gemv;
mod image;
mod integers;
mod layers;
mod losses;
mod low_precision;
mod lz4;
mod mat;
#[cfg(all(feature = "half", feature = "wgsl"))]
mod matrices;
mod memory;
mod network;
mod ops;
mod optimisers;
mod pattern;
mod plan;
mod pool;
mod product;
mod products;
mod quant;
mod random;
mod reductions;
mod reflect;
mod scan;
mod score;
mod select;
mod solve;
mod sparse;
mod spectra;
mod state;
mod stored;
mod transforms;
mod view;
mod words;

pub use batch::{Batch, BatchMut};
pub use decode::DeviceCached;
pub use fft::{Fft, RealFft};
pub use image::{ImageView, ImageViewMut};
pub use low_precision::Bias;
pub use mat::{Mat, MatMut};
pub use ops::Scalar;
pub use plan::{Plan, Planner};
pub use pool::MemoryUse;
pub use product::{Many, Product};
pub use random::Narrow;
pub use sparse::Sparse;
pub use spectra::{ComplexConvolver, Convolver, Dct};
pub use view::{Array, View, ViewMut, Word};

use super::device::{Binding, Device, Error, Launch};
use super::ir::Kernel;
use super::template::{Argument, Index, Meet};
use alloc::rc::Rc;
use alloc::vec::Vec;
use state::State;

/// A device, with a pool of its memory and the kernels made so far. Copies share them.
#[derive(Debug)]
pub struct Gpu<D: Device> {
    state: Rc<State<D>>,
}

impl<D: Device> Clone for Gpu<D> {
    fn clone(&self) -> Self {
        Self { state: Rc::clone(&self.state) }
    }
}

impl<D: Device> Gpu<D> {
    /// On this device.
    pub fn new(device: D) -> Self {
        Self { state: Rc::new(State::new(device)) }
    }

    /// On this device, with operands of products in `f32` rounded to `bf16` first, as training in mixed precision does: sums
    /// are in `f32`, each is off by up to 2⁻⁸ of its terms beside the bound of [`gemm`](crate::gemm()). What is stored stays `f32`.
    /// Attention of heads of up to 256 elements and its gradients are those of their operands in `bf16`
    /// (`attention_bf16`). Products of fewer than 2²¹ terms, or with a side below 16, are as without. An operand is rounded
    /// once for all products that read it before it changes: half its memory more is in use, which is given up where
    /// there is no other left.
    ///
    /// # Errors
    /// [`Error::Limit`] where the device has no such products: it has no warp groups of tensor cores.
    pub fn rounding(device: D) -> Result<Self, Error> {
        let mut state = State::new(device);
        if !state.planner.groups {
            let device = state.planner.device;
            return Err(Error::Limit { device, what: "warp groups of tensor cores", asked: 1, available: 0 });
        }
        state.planner.rounds = true;
        Ok(Self { state: Rc::new(state) })
    }

    /// Whether operands of products are rounded, as [`Gpu::rounding`] makes it.
    #[must_use]
    pub fn rounds(&self) -> bool {
        self.state.planner.rounds
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &D {
        &self.state.device
    }

    /// Kernels made so far: each once, whatever its sizes and parameters.
    #[must_use]
    pub fn kernels(&self) -> usize {
        self.state.planner.kernels()
    }

    /// Gives the device what `work` launches as one list. NVIDIA's driver starts a list that comes again by a call for every
    /// 48 launches, as graphs of which only what differs from the last time is changed; other devices run launches as they come.
    ///
    /// ```
    /// # use fulmen::gpu::{backend::Gpu, device::{Error, Host}};
    /// let gpu = Gpu::new(Host::default());
    /// let mut x = gpu.upload(&[3.0f32, 4.0])?;
    /// for _ in 0..3 {
    ///     gpu.together(|| {
    ///         gpu.scale_in_place(x.view_mut(), 2.0)?;
    ///         gpu.sqrt_in_place(x.view_mut())
    ///     })?;
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `work`, whose launches before the error run; [`Error::Lost`].
    pub fn together<R, E: From<Error>>(&self, work: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
        /// Ends the list also where `work` panics.
        struct Open<'a, D: Device>(&'a State<D>);
        impl<D: Device> Drop for Open<'_, D> {
            fn drop(&mut self) {
                let _ = self.0.end();
            }
        }
        self.state.begin();
        let open = Open(&self.state);
        let done = work();
        core::mem::forget(open);
        let ended = self.state.end().inspect_err(|_| {
            self.state.give_up();
        });
        let done = done?;
        Ok(ended.map(|()| done)?)
    }

    /// Runs a plan for `n` elements or rows of `width` bytes, in pieces where a binding reaches fewer. The first `lines`
    /// operands have a part for each piece; the others are whole.
    fn pieces(
        &self,
        [n, width]: [usize; 2],
        lines: usize,
        operands: &[Binding<'_, D::Buffer>],
        plan: impl Fn(usize) -> Result<Plan, Error>,
    ) -> Result<(), Error> {
        let most = self.state.planner.most(width).max(1);
        if n <= most {
            return self.run(&plan(n)?, operands);
        }
        let (mut launches, mut all) = (Vec::new(), Vec::new());
        // Behind the operands of all pieces comes the scratch, which they use one after the other.
        let (own, end) = (operands.len(), n.div_ceil(most) * operands.len());
        let mut scratch: Vec<u64> = Vec::new();
        for start in (0..n).step_by(most) {
            let (first, many) = (all.len(), most.min(n - start));
            let [from, bytes] = [start, many].map(|n| (n * width) as u64);
            all.extend(operands.iter().enumerate().map(|(k, b)| match k < lines {
                true => Binding { buffer: b.buffer, start: b.start + from, bytes },
                false => *b,
            }));
            let mut piece = plan(many)?;
            for a in piece.launches.iter_mut().flat_map(|l| &mut l.arguments) {
                if let Argument::Buffer(k) = a {
                    *k = if *k < own { *k + first } else { *k - own + end };
                }
            }
            launches.extend(piece.launches);
            scratch.resize(scratch.len().max(piece.scratch.len()), 0);
            scratch.iter_mut().zip(piece.scratch).for_each(|(most, n)| *most = n.max(*most));
        }
        self.run(&Plan { launches, scratch }, &all)
    }

    /// Runs a plan on these operands.
    fn run(&self, plan: &Plan, operands: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
        if self.state.planner.rounds {
            return self.run_rounding(plan, operands);
        }
        if plan.scratch.is_empty() {
            return self.launch(&plan.launches, operands, operands.len());
        }
        let scratch = plan.scratch.iter().map(|n| self.state.take(*n)).collect::<Result<Vec<_>, Error>>()?;
        let mut bindings = operands.to_vec();
        bindings.extend(scratch.iter().map(|b| Binding { buffer: &b.buffer, start: 0, bytes: b.bytes }));
        let done = self.launch(&plan.launches, &bindings, operands.len());
        // Work runs in order, so whoever takes it next writes after this.
        scratch.into_iter().for_each(|b| self.state.give(b));
        done
    }

    fn go(
        &self,
        launches: Vec<Launch>,
        scratch: Vec<u64>,
        operands: &[Binding<'_, D::Buffer>],
    ) -> Result<(), Error> {
        self.run(&Plan { launches, scratch }, operands)
    }

    /// One launch.
    fn run_one(&self, launch: Launch, operands: &[Binding<'_, D::Buffer>]) -> Result<(), Error> {
        self.go(Vec::from([launch]), Vec::new(), operands)
    }

    /// One launch of a thread for each of `n` results, told of the operands, then of sizes and numbers.
    fn run_flat<T: ops::Scalar>(
        &self,
        op: &'static str,
        make: impl FnOnce() -> Result<Kernel, super::Error>,
        n: usize,
        operands: &[Binding<'_, D::Buffer>],
        (words, numbers): (&[usize], &[T]),
    ) -> Result<(), Error> {
        let told = ops::arguments(operands.len(), words, numbers);
        self.run_one(self.state.planner.flat::<T::Recorded>(op, || Some(make()), n, told)?, operands)
    }

    /// As [`flat`](Self::run_flat), of a block for each of `grid`.
    fn run_blocks<T: ops::Scalar>(
        &self,
        op: &'static str,
        make: impl FnOnce(Meet) -> Result<Kernel, super::Error>,
        grid: [usize; 2],
        operands: &[Binding<'_, D::Buffer>],
        (words, numbers): (&[usize], &[T]),
    ) -> Result<(), Error> {
        let told = ops::arguments(operands.len(), words, numbers);
        self.run_one(self.state.planner.blocks::<T::Recorded>(op, make, grid, told)?, operands)
    }

    /// The status words as an operand.
    fn status(&self) -> Result<Binding<'_, D::Buffer>, Error> {
        let buffer = self.state.status()?;
        Ok(Binding { buffer, start: 0, bytes: 4 * Index::ALL.len() as u64 })
    }
}
