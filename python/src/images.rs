//! Images: resizing, a Gaussian blur and a median filter.

use crate::arrays::{Arg, Layout, Name, Out, Read, Returned, scratch, threads, value_error};
use fulmen::image::{
    Border, Image, ImageMut, Interpolation, Pixel, Resample, Resize, ResizePlan, gaussian_len,
};
use fulmen::parallel;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods, dtype};
use pyo3::prelude::*;

/// The height, the width and the channels.
fn sizes<T: Layout>(x: &Read<'_, T>) -> PyResult<[usize; 3]> {
    match *x.shape() {
        [height, width] => Ok([height, width, 1]),
        [height, width, channels] => Ok([height, width, channels]),
        _ => Err(x.name.value_error(format_args!("has {} axes, 2 or 3 expected", x.axes()))),
    }
}

fn border<T>(op: &'static str, name: &str) -> PyResult<Border<T>> {
    Ok(match name {
        "reflect" => Border::Reflect,
        "mirror" => Border::Reflect101,
        "nearest" => Border::Clamp,
        "wrap" => Border::Wrap,
        _ => {
            return Err(Name(op, "mode").value_error(format_args!(
                "is {name:?}; expected \"reflect\", \"mirror\", \"nearest\" or \"wrap\""
            )));
        }
    })
}

/// Whether the pixels are uint8 instead of float32. Other types are errors.
fn is_u8(op: &'static str, x: Arg<'_, '_>) -> PyResult<bool> {
    let found =
        x.cast::<PyUntypedArray>().map_err(|_| Name(op, "image").type_error("is not a NumPy array"))?.dtype();
    if found.is_equiv_to(&dtype::<u8>(x.py())) {
        return Ok(true);
    }
    if found.is_equiv_to(&dtype::<f32>(x.py())) {
        return Ok(false);
    }
    Err(Name(op, "image").type_error(format_args!("has the dtype {found}, uint8 or float32 expected")))
}

fn resized<'py, P>(
    image: Arg<'_, 'py>,
    size: (usize, usize),
    by: Interpolation,
    antialias: bool,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py>
where
    P: Resample + Layout<As = P>,
    P::Weight: Copy + Default + Send + Sync,
    P::Middle: Copy + Default + Send,
{
    const OP: &str = "resize";
    let py = image.py();
    let x = Read::<P>::new(OP, "image", image)?;
    let [height, width, channels] = sizes(&x)?;
    let resize = Resize { from: [width, height], to: [size.1, size.0], by, antialias };
    let shape = [&[size.0, size.1], &x.shape()[2..]].concat();
    let from = Image::new(x.slice()?, width, height, channels).map_err(value_error)?;
    // The result is allocated first, so that a size beyond the memory fails before scratch for it is allocated.
    let mut to = Out::<P>::new(py, OP, out, &shape, &[&x])?;
    let (mut spans, mut weights) =
        (scratch(resize.spans())?, scratch::<P::Weight>(resize.weights::<P::Weight>())?);
    let plan = ResizePlan::new(resize, &mut spans, &mut weights).map_err(value_error)?;
    let y = ImageMut::new(to.slice()?, size.1, size.0, channels).map_err(value_error)?;
    let mut workspace =
        scratch::<P::Middle>(fulmen::resize_workspace(width, channels).saturating_mul(threads()))?;
    py.detach(|| fulmen::dispatch!(|s| parallel::resize_on(s, plan, from, y, &mut workspace)))
        .map_err(value_error)?;
    Ok(to.into_array())
}

/// Resizes the image to `size`, `(height, width)`.
///
/// `image` is `[height, width]` or `[height, width, channels]`, with 1 to 4 channels, uint8 or float32, contiguous in C order;
/// the result has its channels and dtype. `kernel` is "nearest", "bilinear", "bicubic", "lanczos" or "area". With `antialias`
/// the kernel is widened by the factor by which the image shrinks, as in Pillow.
///
/// >>> fulmen.resize(np.array([[0, 100]], np.uint8), (1, 4))
/// array([[  0,  25,  75, 100]], dtype=uint8)
#[pyfunction]
#[pyo3(signature = (image, size, kernel="bilinear", antialias=true, out=None))]
pub fn resize<'py>(
    image: Arg<'_, 'py>,
    size: (usize, usize),
    kernel: &str,
    antialias: bool,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    let by = match kernel {
        "nearest" => Interpolation::Nearest,
        "bilinear" => Interpolation::Bilinear,
        "bicubic" => Interpolation::Bicubic,
        "lanczos" => Interpolation::Lanczos3,
        "area" => Interpolation::Area,
        _ => {
            let known = "expected \"nearest\", \"bilinear\", \"bicubic\", \"lanczos\" or \"area\"";
            return Err(Name("resize", "kernel").value_error(format_args!("is {kernel:?}; {known}")));
        }
    };
    if is_u8("resize", image)? {
        resized::<u8>(image, size, by, antialias, out)
    } else {
        resized::<f32>(image, size, by, antialias, out)
    }
}

fn blurred<'py, P>(image: Arg<'_, 'py>, sigma: f64, mode: &str, out: Option<Arg<'_, 'py>>) -> Returned<'py>
where
    P: Resample + Pixel + Layout<As = P>,
    P::Weight: Copy + Default + Send + Sync,
    P::Middle: Copy + Default + Send,
{
    const OP: &str = "gaussian_filter";
    let py = image.py();
    let border = border::<P>(OP, mode)?;
    let x = Read::<P>::new(OP, "image", image)?;
    let [height, width, channels] = sizes(&x)?;
    if !(sigma > 0.0 && sigma <= 255.75) {
        return Err(
            Name(OP, "sigma").value_error(format_args!("is {sigma}, above 0 and at most 255.75 expected"))
        );
    }
    let from = Image::new(x.slice()?, width, height, channels).map_err(value_error)?;
    let mut to = Out::<P>::new(py, OP, out, x.shape(), &[&x])?;
    let y = ImageMut::new(to.slice()?, width, height, channels).map_err(value_error)?;
    let len = gaussian_len(sigma);
    let workspace_len =
        fulmen::image::correlate_separable_workspace(width, channels, len).saturating_mul(threads());
    let (mut weights, mut workspace) = (scratch::<P::Weight>(len)?, scratch::<P::Middle>(workspace_len)?);
    let run = || {
        fulmen::dispatch!(|s| parallel::gaussian_on(s, from, sigma, border, y, &mut weights, &mut workspace))
    };
    py.detach(run).map_err(value_error)?;
    Ok(to.into_array())
}

/// Blurs the image with a Gaussian, which is truncated at four times `sigma`.
///
/// `image` is `[height, width]` or `[height, width, channels]`, with 1 to 4 channels, uint8 or float32, contiguous in C order;
/// the result has its shape and dtype. `mode` is the border: "reflect" (`b a | a b`), "mirror" (`b | a b`), "nearest" or "wrap".
///
/// >>> fulmen.gaussian_filter(np.array([[0, 0, 100, 0, 0]], np.uint8), 0.5)
/// array([[ 0, 11, 79, 11,  0]], dtype=uint8)
#[pyfunction]
#[pyo3(signature = (image, sigma, mode="reflect", out=None))]
pub fn gaussian_filter<'py>(
    image: Arg<'_, 'py>,
    sigma: f64,
    mode: &str,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    if is_u8("gaussian_filter", image)? {
        blurred::<u8>(image, sigma, mode, out)
    } else {
        blurred::<f32>(image, sigma, mode, out)
    }
}

/// The median filter: each pixel becomes the median of the square of `size` by `size` pixels around it.
///
/// `image` is `[height, width]` or `[height, width, channels]`, with 1 to 4 channels, uint8, contiguous in C order; the result
/// has its shape and dtype. `size` is odd and at most 255; `mode` is that of `gaussian_filter`.
///
/// >>> fulmen.median_filter(np.array([[10, 10, 200, 10, 30, 30]], np.uint8), 3)
/// array([[10, 10, 10, 30, 30, 30]], dtype=uint8)
#[pyfunction]
#[pyo3(signature = (image, size, mode="reflect", out=None))]
pub fn median_filter<'py>(
    image: Arg<'_, 'py>,
    size: usize,
    mode: &str,
    out: Option<Arg<'_, 'py>>,
) -> Returned<'py> {
    const OP: &str = "median_filter";
    let (py, border) = (image.py(), border(OP, mode)?);
    let x = Read::<u8>::new(OP, "image", image)?;
    let [height, width, channels] = sizes(&x)?;
    if size.is_multiple_of(2) || size > 255 {
        return Err(
            Name(OP, "size").value_error(format_args!("is {size}, an odd number of at most 255 expected"))
        );
    }
    let from = Image::new(x.slice()?, width, height, channels).map_err(value_error)?;
    let mut to = Out::<u8>::new(py, OP, out, x.shape(), &[&x])?;
    let y = ImageMut::new(to.slice()?, width, height, channels).map_err(value_error)?;
    let mut workspace = scratch::<u8>(fulmen::median_workspace(width, size).saturating_mul(threads()))?;
    py.detach(|| fulmen::dispatch!(|s| parallel::median_on(s, from, size, border, y, &mut workspace)))
        .map_err(value_error)?;
    Ok(to.into_array())
}
