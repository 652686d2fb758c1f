//! The ops of transformers on a device, against their definitions and within their contracts.

use crate::device::{Worst, specials};
use crate::nn::attention::{self, options};
use crate::nn::conv1d::{self, conv};
use crate::nn::conv2d;
use crate::nn::pool::{self, counts_padding};
use crate::nn::{
    Args, Bounds, Noise, Op, Routine, convolutions, filters, indexed, optimisers, products, rows, scans,
    sparse, tensors,
};
use crate::seed::Seed;
use fulmen::backend::*;
use fulmen::contract::agrees;
use fulmen::gpu::backend::{Array, Gpu, Scalar, Sparse, View, ViewMut, Word};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::{Adam, RopeStyle};

pub mod batches;
pub mod blocks;
pub mod complex;
pub mod contractions;
pub mod decode;
pub mod eigen;
pub mod images;
pub mod level1;
pub mod linear;
pub mod lz4;
pub mod random;
pub mod solvers;
pub mod transforms;

type Done = Result<(), Error>;

/// An op's operands on the device.
struct On<'a, T, D: Device> {
    gpu: &'a Gpu<D>,
    a: &'a Args<T>,
    x: Vec<Array<T, D>>,
    ids: Array<u32, D>,
}

impl<T: Scalar, D: Computes<T> + Blocking> On<'_, T, D> {
    fn x(&self, k: usize) -> View<'_, T, D> {
        self.x[k].view()
    }
    fn cols(&self) -> usize {
        self.a.size("cols")
    }
    fn adam(&self) -> Adam<T> {
        let [lr, beta1, beta2, eps, weight_decay] = [0, 1, 2, 3, 4].map(|k| self.a.p[k]);
        Adam { lr, beta1, beta2, eps, weight_decay, step: self.a.size("step") as u32 }
    }
    fn style(&self) -> RopeStyle {
        if self.a.get("interleaved").is_some() { RopeStyle::Interleaved } else { RopeStyle::Neox }
    }
}

/// The first input as integers, behind some others: those of a call start anywhere in a word.
fn samples<T: Scalar, D: Computes<T> + Blocking, I: Word>(
    on: &On<'_, T, D>,
    of: impl Fn(f64) -> I,
) -> Result<(Array<I, D>, usize), Error> {
    let before = on.a.x[0].len() % 4;
    let x: Vec<I> = (0..before).map(|_| of(99.0)).chain(on.a.x[0].iter().map(|x| of(x.to_f64()))).collect();
    Ok((on.gpu.upload(&x)?, before))
}

fn of_numbers<T: Scalar>(x: &[T]) -> Vec<usize> {
    x.iter().map(|x| x.to_f64() as usize).collect()
}

/// A sparse matrix as numbers: where its rows begin, columns, values.
fn formed<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    of: &Sparse<T, D>,
    [offsets, columns, values]: [ViewMut<'_, T, D>; 3],
) -> Done {
    for (from, to) in [(of.offsets(), offsets), (of.columns(), columns)] {
        let mut words = vec![0; from.len()];
        gpu.download(from, &mut words)?;
        let numbers: Vec<T> = words.iter().map(|x| T::from_usize(*x as usize)).collect();
        let [to, _] = to.split(words.len())?;
        gpu.write(&numbers, to)?;
    }
    let mut all = vec![T::ZERO; of.values().len()];
    gpu.download(of.values(), &mut all)?;
    let [to, _] = values.split(all.len())?;
    gpu.write(&all, to)
}

/// The call of the op of this name.
fn call<T: Scalar, D: Computes<T> + Blocking>(
    op: &str,
    on: &On<'_, T, D>,
    out: Vec<ViewMut<'_, T, D>>,
) -> Done {
    let (gpu, a) = (on.gpu, on.a);
    let mut rest = out.into_iter();
    let mut next = || rest.next().unwrap();
    let (p, ids) = (|k: usize| a.p[k], on.ids.view());
    match op {
        "swiglu_packed" => gpu.swiglu_packed(on.x(0), on.cols(), next()),
        "swiglu_packed_backward" => gpu.swiglu_packed_backward(on.x(0), on.x(1), on.cols(), next()),
        "rms_norm_backward" => gpu.rms_norm_backward(on.x(0), on.x(1), on.x(2), p(0), next(), next()),
        "rms_norm_residual" => gpu.rms_norm_residual(on.x(0), next(), on.x(2), p(0), next()),
        "rms_norm_residual_backward" => {
            gpu.rms_norm_residual_backward(on.x(0), on.x(1), on.x(2), p(0), next(), next())
        }
        "layer_norm_backward" => {
            gpu.layer_norm_backward(on.x(0), on.x(1), on.x(2), p(0), next(), next(), next())
        }
        "softmax_backward" => gpu.softmax_backward(on.x(0), on.x(1), on.cols(), next()),
        "log_softmax_backward" => gpu.log_softmax_backward(on.x(0), on.x(1), on.cols(), next()),
        "masked_softmax" => gpu.masked_softmax(on.x(0), on.x(1), on.cols(), next()),
        "scatter" => gpu.scatter(on.x(0), on.cols(), ids, next()),
        "gemm_backward_a" => {
            let [m, n, k] = ["m", "n", "k"].map(|s| a.size(s));
            let (dc, b) = (on.x(0).matrix(m, n)?, on.x(1).matrix(k, n)?);
            gpu.gemm_backward_a(dc, b, p(0), next().matrix(m, k)?, ())
        }
        "gemm_backward_b" => {
            let [m, n, k] = ["m", "n", "k"].map(|s| a.size(s));
            let (x, dc) = (on.x(0).matrix(m, k)?, on.x(1).matrix(m, n)?);
            gpu.gemm_backward_b(x, dc, p(0), next().matrix(k, n)?, ())
        }
        "cross_entropy" => gpu.cross_entropy(on.x(0), ids, on.cols(), next(), next()),
        "cross_entropy_backward" => {
            gpu.cross_entropy_backward(on.x(0), ids, on.x(2), on.cols(), p(0), next())
        }
        "cross_entropy_backward over its input" => {
            gpu.cross_entropy_backward_in_place(next(), ids, on.x(2), on.cols(), p(0))
        }
        "cross_entropy_with_gradient" => {
            gpu.cross_entropy_with_gradient(next(), ids, on.cols(), p(0), next())
        }
        "nll" => {
            let weights = (a.size("weighted") == 1).then(|| on.x(2));
            gpu.nll(weights, p(0), on.x(0), ids, on.cols(), next())
        }
        "nll_backward" => {
            let weights = (a.size("weighted") == 1).then(|| on.x(1));
            gpu.nll_backward(weights, p(0), ids, on.cols(), p(1), next())
        }
        "cumsum" => gpu.cumsum(on.x(0), on.cols(), next()),
        "u8_to_float" => {
            let (x, before) = samples(on, |x| x as u8)?;
            gpu.u8_to_float(x.view().part(before..x.len())?, on.x(1), on.x(2), next())
        }
        "i16_to_float" => {
            let (x, before) = samples(on, |x| x as i16)?;
            gpu.i16_to_float(x.view().part(before..x.len())?, on.x(1), on.x(2), next())
        }
        "cosine_similarity_rows" => gpu.cosine_similarity_rows(on.x(0), on.x(1), next()),
        "pad" => {
            let axes = tensors::axes(a);
            let (shape, by) = (tensors::shape(a), tensors::padding(a));
            gpu.pad(on.x(0), &shape[..axes], &by[..axes], tensors::with(a), next())
        }
        "gather" => gpu.gather(on.x(0), &tensors::shape(a), a.size("axis"), ids, next()),
        "gather_elements" => gpu.gather_elements(on.x(0), &tensors::shape(a), a.size("axis"), ids, next()),
        "scatter_add_elements" => {
            gpu.scatter_add_elements(on.x(0), &tensors::shape(a), a.size("axis"), ids, next())
        }
        "embedding" => gpu.embedding(on.x(0), on.cols(), ids, next()),
        "scatter_add" => gpu.scatter_add(on.x(0), on.cols(), ids, next()),
        "sgd" => gpu.sgd(p(0), p(1), on.x(0), next()),
        "momentum" => gpu.momentum(optimisers::momentum(a), on.x(0), next(), next()),
        "adagrad" => gpu.adagrad(optimisers::adagrad(a), on.x(0), next(), next()),
        "adam" => gpu.adam(on.adam(), on.x(0), next(), next(), next()),
        "adamw" => gpu.adamw(on.adam(), on.x(0), next(), next(), next()),
        "clip_by_norm" => gpu.clip_by_norm(p(0), next(), next()),
        "rope" => gpu.rope(on.x(0), a.size("dim"), on.x(1), on.x(2), on.style(), next()),
        "rope_backward" => gpu.rope_backward(on.x(0), a.size("dim"), on.x(1), on.x(2), on.style(), next()),
        "rope_view" => {
            let x = next();
            let tokens = a.size("tokens");
            let cols = x.len() / tokens;
            let back = a.get("back").is_some();
            gpu.rope_view(x.matrix(tokens, cols)?, a.size("dim"), on.x(1), on.x(2), on.style(), back)
        }
        "spmv" | "spmv_transposed" | "spmm" => {
            let offsets = of_numbers(&a.x[0]);
            let cols = a.size("cols");
            let m = gpu.csr(fulmen::Csr::new(offsets.len() - 1, cols, &offsets, &a.ids, &a.x[2])?)?;
            let n = a.get("n").unwrap_or(1);
            match op {
                "spmv" => gpu.spmv(p(0), &m, on.x(3), p(1), next()),
                "spmm" => {
                    gpu.spmm(p(0), &m, on.x(3).matrix(cols, n)?, p(1), next().matrix(offsets.len() - 1, n)?)
                }
                _ => gpu.spmv_transposed(p(0), &m, on.x(3), p(1), next()),
            }
        }
        "csr_transpose" => {
            let offsets = of_numbers(&a.x[0]);
            let m =
                gpu.csr(fulmen::Csr::new(offsets.len() - 1, a.size("cols"), &offsets, &a.ids, &a.x[2])?)?;
            formed(gpu, &gpu.csr_transpose(&m, (), (), ())?, [next(), next(), next()])
        }
        "spgemm" => {
            let (offsets, others) = (of_numbers(&a.x[0]), of_numbers(&a.x[3]));
            let columns: Vec<u32> = a.x[4].iter().map(|c| c.to_f64() as u32).collect();
            let (k, n) = (a.size("k"), a.size("n"));
            let m = gpu.csr(fulmen::Csr::new(offsets.len() - 1, k, &offsets, &a.ids, &a.x[2])?)?;
            let other = gpu.csr(fulmen::Csr::new(k, n, &others, &columns, &a.x[5])?)?;
            formed(gpu, &gpu.spgemm(&m, &other, (), (), (), ())?, [next(), next(), next()])
        }
        "sddmm" => {
            let offsets = of_numbers(&a.x[0]);
            let (m, n, k) = (offsets.len() - 1, a.size("cols"), a.size("k"));
            let pattern = gpu.csr(fulmen::Csr::new(m, n, &offsets, &a.ids, &a.x[2])?)?;
            // X in wider rows; Y by its columns where its depth is odd.
            let edge = [T::from_f64(f64::NAN)];
            let wide: Vec<T> = a.x[3].chunks(k).flat_map(|row| [&edge, row, &edge].concat()).collect();
            let turned: Vec<T> = (0..n * k).map(|e| a.x[4][e % k * n + e / k]).collect();
            let (wide, turned) = (gpu.upload(&wide)?, gpu.upload(&turned)?);
            let x = wide.view().matrix(m, k + 2)?.cols(1..k + 1)?;
            let y = if k % 2 == 1 { turned.view().matrix(n, k)?.t() } else { on.x(4).matrix(k, n)? };
            gpu.sddmm(p(0), x, y, &pattern, p(1), next())
        }
        "dct" => gpu.dct(&gpu.dct_plan(convolutions::kind(a), a.size("n"), (), ())?, on.x(0), next(), ()),
        "convolve" => {
            let plan = match a.get("correlation") {
                Some(_) => gpu.correlate_plan(&a.x[0], a.size("n"), (), ())?,
                None => gpu.convolve_plan(&a.x[0], a.size("n"), (), ())?,
            };
            gpu.convolve(&plan, convolutions::extent(a), on.x(1), next(), ())
        }
        "fir_fft" => {
            let (out, state) = (next(), next());
            gpu.fir_fft(&gpu.convolve_plan(&a.x[0], a.size("n"), (), ())?, state, on.x(2), out, ())
        }
        "fir" => {
            let (out, state) = (next(), next());
            gpu.fir(on.x(0), a.size("decimation"), state, on.x(2), out)
        }
        "conv1d" => {
            let bias = (!a.x[2].is_empty()).then(|| on.x(2));
            gpu.conv1d(conv(a), on.x(0), on.x(1), bias, next(), ())
        }
        "conv1d_backward_input" => gpu.conv1d_backward_input(conv(a), on.x(0), on.x(1), next(), ()),
        "conv1d_backward_weights" => {
            let (dw, db) = (next(), next());
            gpu.conv1d_backward_weights(conv(a), on.x(0), on.x(1), dw, Some(db), ())
        }
        "conv2d" => {
            let bias = (!a.x[2].is_empty()).then(|| on.x(2));
            gpu.conv2d(conv2d::conv(a), on.x(0), on.x(1), bias, next(), ())
        }
        "conv2d_backward_input" => gpu.conv2d_backward_input(conv2d::conv(a), on.x(0), on.x(1), next(), ()),
        "conv2d_backward_weights" => {
            let (dw, db) = (next(), next());
            gpu.conv2d_backward_weights(conv2d::conv(a), on.x(0), on.x(1), dw, Some(db), ())
        }
        "max_pool" => gpu.max_pool(on.x(0), pool::pool(a), next()),
        "max_pool_indices" => {
            let (out, to) = (next(), next());
            let mut numbers = vec![T::ZERO; to.len()];
            pool::as_numbers(&mut numbers, |own| {
                let mut on_device = gpu.upload(own)?;
                gpu.max_pool_indices(on.x(0), pool::pool(a), out, on_device.view_mut())?;
                gpu.download(on_device.view(), own)
            })?;
            gpu.write(&numbers, to)
        }
        "max_pool_backward" => gpu.max_pool_backward(on.x(0), on.x(1), pool::pool(a), next()),
        "avg_pool" => gpu.avg_pool(on.x(0), pool::pool(a), counts_padding(a), next()),
        "avg_pool_backward" => gpu.avg_pool_backward(on.x(0), pool::pool(a), counts_padding(a), next()),
        "attention" => {
            let op = options(a);
            let [q, k, v] = attention::shapes(a);
            let mask = attention::mask(a, 3).map(|[r, c]| on.x(3).matrix(r, c)).transpose()?;
            let (out, lse) = (next(), next());
            let [q, k, v] = [(0, q), (1, k), (2, v)].map(|(k, [r, c])| on.x(k).matrix(r, c));
            let out = out.matrix(attention::shapes(a)[0][0], op.heads * op.value_dim.unwrap_or(op.dim))?;
            gpu.attention(&op, q?, k?, v?, mask, out, Some(lse), ())
        }
        "attention_backward" => {
            let op = options(a);
            let [q_of, k_of, v_of] = attention::shapes(a);
            let results = [q_of[0], op.heads * op.value_dim.unwrap_or(op.dim)];
            let [dq, dk, dv] = [next(), next(), next()];
            let shapes = [(0, q_of), (1, k_of), (2, v_of), (4, results), (6, results)];
            let [q, k, v, out, dout] = shapes.map(|(k, [r, c])| on.x(k).matrix(r, c));
            let mask = attention::mask(a, 3).map(|[r, c]| on.x(3).matrix(r, c)).transpose()?;
            gpu.attention_backward(
                &op,
                q?,
                k?,
                v?,
                mask,
                out?,
                on.x(5),
                dout?,
                dq.matrix(q_of[0], q_of[1])?,
                dk.matrix(k_of[0], k_of[1])?,
                dv.matrix(v_of[0], v_of[1])?,
                (),
            )
        }
        other => panic!("no call of {other}"),
    }
}

/// Runs the op of these arguments, its outputs behind so many elements of larger buffers: the outputs. Nothing else is written.
fn outputs<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    called: &str,
    a: &Args<T>,
    pad: usize,
) -> Result<Vec<Vec<T>>, Error> {
    let mut before = (op.before)(a);
    let mark = vec![T::from_f64(12345.0); pad];
    if called != op.name {
        before = vec![a.x[0].clone()];
    }
    let padded = |x: &Vec<T>| gpu.upload(&[&mark[..], x, &mark].concat());
    let mut outs = before.iter().map(padded).collect::<Result<Vec<_>, Error>>()?;
    let x = a.x.iter().map(|x| gpu.upload(x)).collect::<Result<Vec<_>, Error>>()?;
    let on = On { gpu, a, x, ids: gpu.upload(&a.ids)? };
    {
        let inner = |(out, before): (_, &Vec<T>)| -> Result<ViewMut<'_, T, D>, Error> {
            let out: &mut Array<T, D> = out;
            let [_, rest] = out.view_mut().split(pad)?;
            let [inner, _] = rest.split(before.len())?;
            Ok(inner)
        };
        let out = outs.iter_mut().zip(&before).map(inner).collect::<Result<Vec<_>, Error>>()?;
        call(called, &on, out)?;
    }
    let mut all = Vec::new();
    for (out, before) in outs.iter().zip(&before) {
        let mut got = vec![T::ZERO; before.len() + 2 * pad];
        gpu.download(out.view(), &mut got)?;
        let (head, rest) = got.split_at(pad);
        let (got, tail) = rest.split_at(before.len());
        assert!(head == mark && tail == mark, "{called} wrote past its result");
        all.push(got.to_vec());
    }
    // Inputs are as they were.
    for (array, raw) in on.x.iter().zip(&a.x) {
        let mut back = vec![T::ZERO; raw.len()];
        gpu.download(array.view(), &mut back)?;
        let same = |(x, y): (&T, &T)| x == y || x.to_f64().is_nan() && y.to_f64().is_nan();
        assert!(back.iter().zip(raw).all(same), "{called}: an input changed");
    }
    Ok(all)
}

/// The op of these arguments, as [`outputs`]; its worst error.
fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    called: &str,
    a: &Args<T>,
    pad: usize,
) -> Result<Worst, Error> {
    let all = outputs(gpu, op, called, a, pad)?;
    let mut worst = Worst { op: op.name, share: 0.0, got: 0.0, want: 0.0 };
    // WGSL leaves it open whether subnormal numbers are kept.
    let least = if language == "wgsl" { 16384.0 * f64::from(f32::MIN_POSITIVE) } else { 0.0 };
    let bounds = Bounds::of::<T>(op.name);
    for (got, want) in all.iter().zip((op.want)(&a.wide())) {
        assert_eq!(got.len(), want.len(), "{called}");
        for (got, want) in got.iter().zip(&want) {
            let off = (got.to_f64() - want.value).abs();
            let this = if agrees(*got, want.value, 0.0) || off <= least {
                0.0
            } else {
                off / bounds.allowed::<T>(want)
            };
            if this > worst.share || !this.is_finite() {
                worst = Worst { op: op.name, share: this, got: got.to_f64(), want: want.value };
            }
        }
    }
    Ok(worst)
}

/// The forms of an op on each of these shapes, in turn, and with special values: its worst error.
fn family<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    shapes: &[[usize; 2]],
    forms: &[(&'static str, &[(&str, usize)])],
    all: &mut Vec<Worst>,
) -> Result<(), Error> {
    let mut worst = on_shapes(gpu, op, language, shapes, forms)?;
    specials::op(op, language, forms[0].1, &mut worst, &|a| outputs(gpu, op, op.name, a, 3))?;
    all.push(worst);
    Ok(())
}

fn on_shapes<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    op: &Routine<T>,
    language: &str,
    shapes: &[[usize; 2]],
    forms: &[(&'static str, &[(&str, usize)])],
) -> Result<Worst, Error> {
    let mut worst = Worst { op: op.name, share: 0.0, got: 0.0, want: 0.0 };
    let mut noise = Noise(17);
    for (i, [rows, cols]) in shapes.iter().enumerate() {
        let (called, words) = forms[i % forms.len()];
        let mut a: Args<T> = (op.sample)(*rows, *cols, &mut noise);
        a.n.extend(words.iter().map(|(name, n)| (String::from(*name), *n)));
        // At a multiple of 16 bytes and elsewhere, as kernels differ: each form at both.
        let pad = if i / 2 % 2 == 0 { 4 } else { 3 };
        let this = run(gpu, op, language, called, &a, pad)?;
        if this.share > worst.share || !this.share.is_finite() {
            worst = this;
        }
    }
    Ok(worst)
}

/// Every op that has kernels of its own at these shapes: rows and columns, in the sense of each; BLAS also of `far` rows.
pub fn story<T: Scalar + fulmen::random::Variate, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    shapes: &[[usize; 2]],
    heads: &[[usize; 2]],
    far: &[usize],
) -> Result<Vec<Worst>, Error> {
    Seed::new("layers on a device");
    let mut all =
        vec![linear::gemv::<T, D>(gpu, language, shapes)?, linear::transpose::<T, D>(gpu, language, shapes)?];
    // Results of up to 4096 elements have memory in their test.
    let few: Vec<_> = shapes.iter().copied().filter(|[rows, cols]| rows * cols < 4096).collect();
    let few = &few[..];
    // Rows of more than a block's registers hold, in pieces of 16 bytes: some after the other, and a rest.
    let long = &[shapes, &[[1, 33_284]; 2]].concat()[..];
    macro_rules! each {
        ($($Op:path: $name:literal on $shapes:ident $(, $also:literal)*;)*) => {$(
            let forms: &[(&str, &[(&str, usize)])] = &[($name, &[]) $(, ($also, &[]))*];
            family(gpu, &Routine::native::<$Op>(), language, $shapes, forms, &mut all)?;
        )*};
    }
    each! {
        rows::SwigluPacked: "swiglu_packed" on shapes;
        rows::SwigluPackedBackward: "swiglu_packed_backward" on shapes;
        rows::RmsNormBackward: "rms_norm_backward" on shapes;
        indexed::CrossEntropy: "cross_entropy" on long;
        indexed::CrossEntropyBackward: "cross_entropy_backward" on long, "cross_entropy_backward over its input";
        indexed::CrossEntropyWithGradient: "cross_entropy_with_gradient" on long;
        indexed::NegativeLog: "nll" on shapes;
        indexed::NegativeLogBackward: "nll_backward" on shapes;
        scans::Cumsum: "cumsum" on shapes;
        scans::Bytes: "u8_to_float" on shapes;
        scans::Words: "i16_to_float" on shapes;
        scans::CosineRows: "cosine_similarity_rows" on shapes;
        indexed::Embedding: "embedding" on shapes;
        indexed::ScatterAdd: "scatter_add" on shapes;
        indexed::Scatter: "scatter" on shapes;
        tensors::Padded: "pad" on shapes;
        tensors::Gathered: "gather" on shapes;
        tensors::GatheredElements: "gather_elements" on shapes;
        tensors::ScatteredElements: "scatter_add_elements" on shapes;
        rows::RmsNormResidual: "rms_norm_residual" on shapes;
        rows::RmsNormResidualBackward: "rms_norm_residual_backward" on shapes;
        rows::LayerNormBackward: "layer_norm_backward" on shapes;
        rows::SoftmaxBackward: "softmax_backward" on shapes;
        rows::LogSoftmaxBackward: "log_softmax_backward" on shapes;
        rows::MaskedSoftmax: "masked_softmax" on shapes;
        products::GemmBackwardA: "gemm_backward_a" on shapes;
        products::GemmBackwardB: "gemm_backward_b" on shapes;
        optimisers::Sgd: "sgd" on shapes;
        optimisers::Momentum: "momentum" on shapes;
        optimisers::Adagrad: "adagrad" on shapes;
        optimisers::Adam: "adam" on shapes;
        optimisers::AdamW: "adamw" on shapes;
        optimisers::ClipByNorm: "clip_by_norm" on shapes;
        sparse::Spmv: "spmv" on shapes;
        sparse::SpmvTransposed: "spmv_transposed" on shapes;
        sparse::Spmm: "spmm" on shapes;
        sparse::formed::Sampled: "sddmm" on shapes;
        sparse::formed::Transposed: "csr_transpose" on few;
        sparse::formed::Product: "spgemm" on few;
        filters::Fir: "fir" on shapes;
        conv1d::Forward: "conv1d" on shapes;
        conv1d::BackwardInput: "conv1d_backward_input" on shapes;
        conv1d::BackwardWeights: "conv1d_backward_weights" on shapes;
        conv2d::Forward: "conv2d" on shapes;
        conv2d::BackwardInput: "conv2d_backward_input" on shapes;
        conv2d::BackwardWeights: "conv2d_backward_weights" on shapes;
        pool::MaxPool: "max_pool" on shapes;
        pool::MaxPoolIndices: "max_pool_indices" on shapes;
        pool::MaxPoolBackward: "max_pool_backward" on shapes;
        pool::AvgPool: "avg_pool" on shapes;
        pool::AvgPoolBackward: "avg_pool_backward" on shapes;
        attention::Rope: "rope" on heads;
        attention::RopeBackward: "rope_backward" on heads;
        attention::RopeView: "rope_view" on heads;
    }
    let [mut forward, mut backward] = attentions::<T, D>(gpu, language, heads)?;
    let op = Routine::native::<attention::Forward>();
    specials::op(&op, language, &[], &mut forward, &|a| outputs(gpu, &op, op.name, a, 3))?;
    let op = Routine::native::<attention::Backward>();
    let words = [("causal", 1), ("window", 5)];
    specials::op(&op, language, &words, &mut backward, &|a| outputs(gpu, &op, op.name, a, 3))?;
    all.extend([forward, backward]);
    all.extend(linear::story::<T, D>(gpu, language, far)?);
    all.extend(solvers::story::<T, D>(gpu, language, far)?);
    all.extend(eigen::story::<T, D>(gpu, language)?);
    all.extend(random::story::<T, D>(gpu, language)?);
    all.push(contractions::story::<T, D>(gpu, language)?);
    all.extend(transforms::story::<T, D>(gpu, language, shapes)?);
    all.extend(complex::story::<T, D>(gpu, language, shapes)?);
    Ok(all)
}

/// Attention and its gradients, with masks in turn: their worst errors.
pub fn attentions<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    heads: &[[usize; 2]],
) -> Result<[Worst; 2], Error> {
    let masks: [&[(&str, usize)]; 4] =
        [&[], &[("causal", 1)], &[("causal", 1), ("window", 5)], &[("window", 3)]];
    let forward = on_shapes(
        gpu,
        &Routine::<T>::native::<attention::Forward>(),
        language,
        heads,
        &masks.map(|m| ("attention", m)),
    )?;
    let mut worst = Worst { op: "attention_backward", share: 0.0, got: 0.0, want: 0.0 };
    let backward = Routine::native::<attention::Backward>();
    let mut noise = Noise(23);
    for (i, [rows, cols]) in heads.iter().enumerate() {
        // The log-sum-exps depend on the mask.
        let mut a: Args<T> = attention::Forward::sample(*rows, *cols, &mut noise);
        a.n.extend(masks[i % masks.len()].iter().map(|(name, n)| (String::from(*name), *n)));
        let sizes: Vec<(&str, usize)> = a.n.iter().map(|(name, n)| (&name[..], *n)).collect();
        let op = options(&a);
        let rows = attention::shapes(&a)[0][0];
        let dout = noise.slice(rows * op.heads * op.value_dim.unwrap_or(op.dim), 2.0);
        let x = attention::with_forward(a.x.clone(), dout, &sizes, a.p[0]);
        let a = Args::new::<attention::Backward>(x, a.p.clone(), &sizes);
        let this = run(gpu, &backward, language, backward.name, &a, 3 + i % 2)?;
        if this.share > worst.share || !this.share.is_finite() {
            worst = this;
        }
    }
    Ok([forward, worst])
}
