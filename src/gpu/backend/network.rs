//! Pooling and convolution on devices, and their backward passes.

use super::super::device::{Computes, Device, Error};
use super::super::ir::Kernel;
use super::super::template::{Argument, Meet, conv2d, window};
use super::ops::{Done, Scalar, arguments, called};
use super::plan::counted;
use super::{Gpu, View, ViewMut};
use crate::backend::Network;
use crate::error::same_len;
use crate::nn::conv1d::Lines;
use crate::nn::conv2d::{Axis, Maps};
use crate::nn::pool::Along;
use crate::nn::pool::geometry::Planes;
use crate::{Conv1d, Conv2d, Pool};
use alloc::vec;
use alloc::vec::Vec;

/// The sizes of a convolution.
struct Convolution {
    /// The parameters of kernels.
    words: Vec<usize>,
    images: usize,
    channels_out: usize,
    /// The elements of a channel of the result.
    places: usize,
}

impl TryFrom<&Lines> for Convolution {
    type Error = Error;
    fn try_from(of: &Lines) -> Result<Self, Error> {
        let Lines { conv, n, ci, co, images } = *of;
        let Conv1d { channels_in, channels_out, length, kernel, padding, .. } = conv;
        // Kernels count from the start of the padding, and look at nothing behind its end.
        let all = counted("padding", length.saturating_add(padding.saturating_mul(2)))? as usize;
        let [stride, dilation] = [conv.stride, conv.dilation].map(|d| d.min(all));
        let words = vec![channels_in, channels_out, ci, co, length, n, kernel, stride, padding, dilation];
        Ok(Self { words, images, channels_out, places: n })
    }
}

impl TryFrom<&Maps> for Convolution {
    type Error = Error;
    fn try_from(of: &Maps) -> Result<Self, Error> {
        let Maps { conv, down, across, rows, cols, ci, co, images } = *of;
        // As of lines.
        let steps = |axis: &Axis| {
            let padded = axis.length.saturating_add(axis.before).saturating_add(axis.behind);
            let all = counted("padding", padded)? as usize;
            Ok::<_, Error>([axis.stride, axis.dilation].map(|d| d.min(all)))
        };
        let [[sh, dh], [sw, dw]] = [steps(&down)?, steps(&across)?];
        let channels = [conv.channels_in, conv.channels_out, ci, co];
        let sizes = [down.length, across.length, rows, cols, down.kernel, across.kernel];
        let rest = [sh, sw, down.before, across.before, dh, dw];
        let words = channels.into_iter().chain(sizes).chain(rest).collect();
        Ok(Self { words, images, channels_out: conv.channels_out, places: of.places() })
    }
}

/// Whether windows are over volumes of more than a plane.
fn volumes(of: &Planes) -> bool {
    [of.deep.n, of.deep.kernel, of.depth] != [1; 3]
}

/// What kernels are told of windows.
fn windows(of: &Planes) -> Result<Vec<usize>, Error> {
    let Planes { deep, down, across, depth, rows, cols, .. } = *of;
    // Where the last window ends may be behind the padding.
    let stride = |along: Along, count: usize| {
        let all = counted("padding", along.padded().max(along.end(count)))?;
        Ok::<_, Error>(along.stride.min(all as usize))
    };
    let [sd, sh, sw] = [stride(deep, depth)?, stride(down, rows)?, stride(across, cols)?];
    let [[d, kd, pd, dd], [h, kh, ph, dh], [w, kw, pw, dw]] =
        [deep, down, across].map(|along| [along.n, along.kernel, along.before, along.dilation]);
    let plane = [h, w, rows, cols, kh, kw, sh, sw, ph, pw, dh, dw];
    let planes = [d, depth, kd, sd, pd, dd];
    Ok([&plane[..], if volumes(of) { &planes } else { &[] }].concat())
}

/// What the means of all windows count: from where to where in rows, in columns, then in planes if they are over volumes,
/// from the start of the padding on.
fn counts(planes: &Planes, count_padding: bool) -> Vec<usize> {
    let of = |along: Along| match count_padding {
        true => [0, along.padded()],
        false => [along.before, along.before + along.n],
    };
    let all = [planes.down, planes.across, planes.deep].map(of);
    all.into_iter().take(if volumes(planes) { 3 } else { 2 }).flatten().collect()
}

/// The name of a kernel over planes, or over volumes.
fn kernel(of: &Planes, [plane, volume]: [&'static str; 2]) -> &'static str {
    if volumes(of) { volume } else { plane }
}

impl<D: Device> Gpu<D> {
    /// Refuses lines of elements that kernels do not count or reach.
    pub(super) fn all_lines<T: Scalar>(&self, all: &[(&'static str, usize)]) -> Result<(), Error> {
        all.iter().try_for_each(|(arg, n)| self.state.planner.line::<T::Recorded>(arg, *n))
    }
}

/// The methods that convolutions of lines and of planes share: `op` is the name of a kernel and the function that makes it.
impl<D: Device> Gpu<D> {
    fn conv<T: Scalar>(
        &self,
        (op, make): (&'static str, impl FnOnce() -> Result<Kernel, super::super::Error>),
        of: &Convolution,
        [x, weights]: [View<'_, T, D>; 2],
        bias: Option<View<'_, T, D>>,
        out: ViewMut<'_, T, D>,
    ) -> Done {
        bias.map_or(Ok(()), |bias| same_len("bias", of.channels_out, bias.len()))?;
        self.all_lines::<T>(&[("x", x.len()), ("weights", weights.len()), ("out", out.len())])?;
        if out.is_empty() {
            return Ok(());
        }
        let words = [&[out.len(), usize::from(bias.is_some())], &of.words[..]].concat();
        let bias = bias.unwrap_or(weights);
        let bound = [x.binding(self)?, weights.binding(self)?, bias.binding(self)?, out.binding(self)?];
        self.run_flat::<T>(op, make, out.len(), &bound, (&words, &[]))
    }

    fn conv_backward_input<T: Scalar>(
        &self,
        (op, make): (&'static str, impl FnOnce() -> Result<Kernel, super::super::Error>),
        of: &Convolution,
        [dy, weights]: [View<'_, T, D>; 2],
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        self.all_lines::<T>(&[("dx", dx.len()), ("weights", weights.len()), ("dy", dy.len())])?;
        if dx.is_empty() {
            return Ok(());
        }
        let words = [&[dx.len()], &of.words[..]].concat();
        let bound = [dy.binding(self)?, weights.binding(self)?, dx.binding(self)?];
        self.run_flat::<T>(op, make, dx.len(), &bound, (&words, &[]))
    }

    fn conv_backward_weights<T: Scalar>(
        &self,
        (op, make): (&'static str, impl FnOnce(Meet) -> Result<Kernel, super::super::Error>),
        of: &Convolution,
        [x, dy]: [View<'_, T, D>; 2],
        dweights: ViewMut<'_, T, D>,
        dbias: Option<ViewMut<'_, T, D>>,
    ) -> Done {
        dbias.as_ref().map_or(Ok(()), |dbias| same_len("dbias", of.channels_out, dbias.len()))?;
        self.all_lines::<T>(&[("x", x.len()), ("dweights", dweights.len()), ("dy", dy.len())])?;
        if of.images == 0 {
            return Ok(());
        }
        let planner = &self.state.planner;
        let words = [&[dweights.len(), of.images], &of.words[..]].concat();
        let (all, grid) = (arguments::<T>(3, &words, &[]), [dweights.len(), 1]);
        let mut launches = vec![planner.blocks::<T::Recorded>(op, make, grid, all)?];
        let mut bound = vec![x.binding(self)?, dy.binding(self)?, dweights.binding(self)?];
        if let Some(dbias) = dbias {
            let mut all: Vec<Argument> = [1, 3].map(Argument::Buffer).into();
            all.extend(arguments::<T>(0, &[of.channels_out, of.images, of.places], &[]));
            let (make, grid) = (window::channel_sums::<T::Recorded>, [of.channels_out, 1]);
            launches.push(planner.blocks::<T::Recorded>("channel_sums", make, grid, all)?);
            bound.push(dbias.binding(self)?);
        }
        self.go(launches, vec![], &bound)
    }
}

impl<T: Scalar, D: Computes<T>> Network<T> for Gpu<D> {
    fn conv1d(
        &self,
        conv: Conv1d,
        x: View<'_, T, D>,
        weights: View<'_, T, D>,
        bias: Option<View<'_, T, D>>,
        out: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(conv1d, {
            let of = conv.on([("x", x.len()), ("weights", weights.len()), ("out", out.len())])?;
            let make = window::conv1d::<T::Recorded>;
            self.conv(("conv1d", make), &Convolution::try_from(&of)?, [x, weights], bias, out)
        })
    }

    fn conv1d_backward_input(
        &self,
        conv: Conv1d,
        dy: View<'_, T, D>,
        weights: View<'_, T, D>,
        dx: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(conv1d_backward_input, {
            let of = conv.on([("dx", dx.len()), ("weights", weights.len()), ("dy", dy.len())])?;
            let make = window::conv1d_backward_input::<T::Recorded>;
            self.conv_backward_input(
                ("conv1d_backward_input", make),
                &Convolution::try_from(&of)?,
                [dy, weights],
                dx,
            )
        })
    }

    fn conv1d_backward_weights(
        &self,
        conv: Conv1d,
        x: View<'_, T, D>,
        dy: View<'_, T, D>,
        dweights: ViewMut<'_, T, D>,
        dbias: Option<ViewMut<'_, T, D>>,
        _: (),
    ) -> Done {
        called!(conv1d_backward_weights, {
            let of = conv.on([("x", x.len()), ("dweights", dweights.len()), ("dy", dy.len())])?;
            let make = window::conv1d_backward_weights::<T::Recorded>;
            let of = Convolution::try_from(&of)?;
            self.conv_backward_weights(("conv1d_backward_weights", make), &of, [x, dy], dweights, dbias)
        })
    }

    fn conv2d(
        &self,
        conv: Conv2d,
        x: View<'_, T, D>,
        weights: View<'_, T, D>,
        bias: Option<View<'_, T, D>>,
        out: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(conv2d, {
            let of = conv.on([("x", x.len()), ("weights", weights.len()), ("out", out.len())])?;
            let make = conv2d::conv2d::<T::Recorded>;
            self.conv(("conv2d", make), &Convolution::try_from(&of)?, [x, weights], bias, out)
        })
    }

    fn conv2d_backward_input(
        &self,
        conv: Conv2d,
        dy: View<'_, T, D>,
        weights: View<'_, T, D>,
        dx: ViewMut<'_, T, D>,
        _: (),
    ) -> Done {
        called!(conv2d_backward_input, {
            let of = conv.on([("dx", dx.len()), ("weights", weights.len()), ("dy", dy.len())])?;
            let make = conv2d::conv2d_backward_input::<T::Recorded>;
            self.conv_backward_input(
                ("conv2d_backward_input", make),
                &Convolution::try_from(&of)?,
                [dy, weights],
                dx,
            )
        })
    }

    fn conv2d_backward_weights(
        &self,
        conv: Conv2d,
        x: View<'_, T, D>,
        dy: View<'_, T, D>,
        dweights: ViewMut<'_, T, D>,
        dbias: Option<ViewMut<'_, T, D>>,
        _: (),
    ) -> Done {
        called!(conv2d_backward_weights, {
            let of = conv.on([("x", x.len()), ("dweights", dweights.len()), ("dy", dy.len())])?;
            let make = conv2d::conv2d_backward_weights::<T::Recorded>;
            let of = Convolution::try_from(&of)?;
            self.conv_backward_weights(("conv2d_backward_weights", make), &of, [x, dy], dweights, dbias)
        })
    }

    fn max_pool(&self, x: View<'_, T, D>, pool: Pool, out: ViewMut<'_, T, D>) -> Done {
        called!(max_pool, {
            let of = pool.on(("x", x.len()), ("out", out.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let words = [&[out.len()], &windows(&of)?[..]].concat();
            let bound = [x.binding(self)?, out.binding(self)?];
            let make = || window::max_pool::<T::Recorded>(volumes(&of));
            let name = kernel(&of, ["max_pool", "max_pool_volumes"]);
            self.run_flat::<T>(name, make, out.len(), &bound, (&words, &[]))
        })
    }

    fn max_pool_indices(
        &self,
        x: View<'_, T, D>,
        pool: Pool,
        out: ViewMut<'_, T, D>,
        indices: ViewMut<'_, u32, D>,
    ) -> Done {
        called!(max_pool_indices, {
            let of = pool.with_indices(x.len(), out.len(), indices.len())?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let words = [&[out.len()], &windows(&of)?[..]].concat();
            let bound = [x.binding(self)?, indices.binding(self)?, out.binding(self)?];
            let make = || window::largest::<T::Recorded>(true, volumes(&of));
            let name = kernel(&of, ["max_pool_indices", "max_pool_indices_volumes"]);
            self.run_flat::<T>(name, make, out.len(), &bound, (&words, &[]))
        })
    }

    fn max_pool_backward(
        &self,
        x: View<'_, T, D>,
        dy: View<'_, T, D>,
        pool: Pool,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        called!(max_pool_backward, {
            let of = pool.on(("x", x.len()), ("dy", dy.len()))?;
            same_len("dx", x.len(), dx.len())?;
            self.all_lines::<T>(&[("x", x.len()), ("dy", dy.len())])?;
            if dx.is_empty() {
                return Ok(());
            }
            let (planner, windows) = (&self.state.planner, windows(&of)?);
            // Operands: x, dy, dx, then where the largest elements are.
            let told = |buffers: &[usize], n: usize| {
                let mut all: Vec<Argument> = buffers.iter().map(|k| Argument::Buffer(*k)).collect();
                all.extend(arguments::<T>(0, &[&[n], &windows[..]].concat(), &[]));
                all
            };
            let make = || Some(window::largest::<T::Recorded>(false, volumes(&of)));
            let name = kernel(&of, ["largest", "largest_volumes"]);
            let search = planner.flat::<T::Recorded>(name, make, dy.len(), told(&[0, 3], dy.len()))?;
            let make = || Some(window::max_pool_backward::<T::Recorded>(volumes(&of)));
            let all = told(&[3, 1, 2], dx.len());
            let name = kernel(&of, ["max_pool_backward", "max_pool_backward_volumes"]);
            let gather = planner.flat::<T::Recorded>(name, make, dx.len(), all)?;
            let bound = [x.binding(self)?, dy.binding(self)?, dx.binding(self)?];
            self.go(vec![search, gather], vec![4 * dy.len() as u64], &bound)
        })
    }

    fn avg_pool(&self, x: View<'_, T, D>, pool: Pool, count_padding: bool, out: ViewMut<'_, T, D>) -> Done {
        called!(avg_pool, {
            let of = pool.on(("x", x.len()), ("out", out.len()))?;
            self.all_lines::<T>(&[("x", x.len()), ("out", out.len())])?;
            if out.is_empty() {
                return Ok(());
            }
            let words = [&[out.len()], &windows(&of)?[..], &counts(&of, count_padding)[..]].concat();
            let bound = [x.binding(self)?, out.binding(self)?];
            let make = || window::avg_pool::<T::Recorded>(volumes(&of));
            let name = kernel(&of, ["avg_pool", "avg_pool_volumes"]);
            self.run_flat::<T>(name, make, out.len(), &bound, (&words, &[]))
        })
    }

    fn avg_pool_backward(
        &self,
        dy: View<'_, T, D>,
        pool: Pool,
        count_padding: bool,
        dx: ViewMut<'_, T, D>,
    ) -> Done {
        called!(avg_pool_backward, {
            let of = pool.on(("dx", dx.len()), ("dy", dy.len()))?;
            self.all_lines::<T>(&[("dx", dx.len()), ("dy", dy.len())])?;
            if dx.is_empty() {
                return Ok(());
            }
            let words = [&[dx.len()], &windows(&of)?[..], &counts(&of, count_padding)[..]].concat();
            let bound = [dy.binding(self)?, dx.binding(self)?];
            let make = || window::avg_pool_backward::<T::Recorded>(volumes(&of));
            let name = kernel(&of, ["avg_pool_backward", "avg_pool_backward_volumes"]);
            self.run_flat::<T>(name, make, dx.len(), &bound, (&words, &[]))
        })
    }
}
