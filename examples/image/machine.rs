//! What the ops run on: this thread, several threads, or a device. Pictures are on the host between steps.

use crate::picture::zeros;
use crate::program::Stop;
use fulmen::Error;
#[cfg(feature = "parallel")]
use fulmen::backend::Threads;
use fulmen::backend::{Cpu, HostImages, Images, Made, Plain};
use fulmen::image::{Image, ImageMut, Norm};
use fulmen::lanes::Simd;

/// What every machine can hold.
#[cfg(feature = "gpu")]
pub trait Held: Plain + Default + fulmen::gpu::backend::Word {}
/// What every machine can hold.
#[cfg(not(feature = "gpu"))]
pub trait Held: Plain + Default {}
impl Held for u8 {}
impl Held for u16 {}
impl Held for i16 {}
impl Held for u32 {}
impl Held for f32 {}

/// The error of an op, as a reason to stop.
pub fn failed(e: impl core::fmt::Display) -> Stop {
    Stop::Useless(e.to_string())
}

/// A machine, and how an op runs on it.
pub trait Machine: Images {
    /// The lanes, or the device.
    fn name(&self) -> String;
    /// Runs `op` on an image of so many columns, rows and channels, with memory for `out` numbers of the result, and with `workspace`
    /// elements for each thread.
    fn run<P: Held, Q: Held, W: Held>(
        &self,
        src: (&[P], [usize; 3]),
        out: usize,
        workspace: usize,
        op: impl FnOnce(&Self, Self::Image<'_, P>, Self::Mut<'_, Q>, Self::Workspace<'_, W>) -> Made<Self>,
    ) -> Result<Vec<Q>, Stop>;
    /// [`fulmen::canny()`] of an image of so many columns and rows; none where the machine does not have it.
    fn canny(&self, src: (&[u8], [usize; 2]), levels: [u32; 2], norm: Norm) -> Option<Result<Vec<u8>, Stop>>;
}

macro_rules! machine {
    ($Backend:ident, $threads:expr) => {
        impl<S: Simd> Machine for $Backend<S> {
            fn name(&self) -> String {
                let threads: usize = $threads;
                if threads > 1 { format!("{} on {threads} threads", S::NAME) } else { S::NAME.into() }
            }
            fn run<P: Held, Q: Held, W: Held>(
                &self,
                (src, [width, height, channels]): (&[P], [usize; 3]),
                out: usize,
                workspace: usize,
                op: impl FnOnce(&Self, Image<'_, P>, &mut [Q], &mut [W]) -> Result<(), Error>,
            ) -> Result<Vec<Q>, Stop> {
                let mut to = zeros(out)?;
                let threads: usize = $threads;
                let mut room = zeros(workspace.saturating_mul(threads))?;
                let src = Image::new(src, width, height, channels).map_err(failed)?;
                op(self, src, &mut to, &mut room).map_err(failed)?;
                Ok(to)
            }
            fn canny(
                &self,
                (src, [width, height]): (&[u8], [usize; 2]),
                [low, high]: [u32; 2],
                norm: Norm,
            ) -> Option<Result<Vec<u8>, Stop>> {
                let run = || {
                    let mut out = zeros(src.len())?;
                    let mut room = zeros(fulmen::canny_workspace(width, height))?;
                    let from = Image::new(src, width, height, 1).map_err(failed)?;
                    let to = ImageMut::new(&mut out, width, height, 1).map_err(failed)?;
                    HostImages::canny(self, from, low, high, norm, to, &mut room).map_err(failed)?;
                    Ok(out)
                };
                Some(run())
            }
        }
    };
}
machine!(Cpu, 1);
#[cfg(feature = "parallel")]
machine!(Threads, rayon::current_num_threads());

#[cfg(feature = "gpu")]
impl<D: fulmen::gpu::device::Blocking> Machine for fulmen::gpu::backend::Gpu<D> {
    fn name(&self) -> String {
        self.device().facts().name.clone()
    }
    fn run<P: Held, Q: Held, W: Held>(
        &self,
        (src, [width, height, channels]): (&[P], [usize; 3]),
        out: usize,
        _: usize,
        op: impl FnOnce(&Self, Self::Image<'_, P>, Self::Mut<'_, Q>, ()) -> Made<Self>,
    ) -> Result<Vec<Q>, Stop> {
        let mut host = zeros(out)?;
        let from = self.upload(src).map_err(failed)?;
        let mut to = self.alloc(out).map_err(failed)?;
        let image =
            <Self as fulmen::backend::Memory>::image(from.view(), width, height, channels).map_err(failed)?;
        op(self, image, to.view_mut(), ()).map_err(failed)?;
        self.download(to.view(), &mut host).map_err(failed)?;
        Ok(host)
    }
    fn canny(&self, _: (&[u8], [usize; 2]), _: [u32; 2], _: Norm) -> Option<Result<Vec<u8>, Stop>> {
        None
    }
}

/// The machines that this build has, for a message.
pub const MACHINES: &[&str] = &[
    "cpu",
    #[cfg(feature = "parallel")]
    "threads",
    #[cfg(feature = "gpu")]
    "interpreter",
    #[cfg(feature = "wgpu")]
    "wgpu",
    #[cfg(feature = "cuda")]
    "cuda",
];
