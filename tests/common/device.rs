//! Every op of the list that has kernels, on a device, against its definition and within its contract.

use crate::call::Args;
use crate::reference::story::{Answer, answer};
use crate::seed::Seed;
use fulmen::backend::*;
use fulmen::contract::{Tolerance, agrees, spec, ulp};
use fulmen::gpu::backend::{Array, Gpu, Mat, MatMut, Scalar, View, ViewMut, Word};
use fulmen::gpu::device::{Blocking, Computes, Device, Error};
use fulmen::lanes::Native;
use fulmen::ops::{OPS, Op};
use std::cell::Cell;

mod bytes;
pub mod few_bits;
mod formulas;
mod numbers;
pub mod specials;
pub use bytes::byte_products;
pub use numbers::numbers;

/// `kind` 0 is moderate, 1 spans twenty binades, 2 is small whole numbers, with ties and zeros.
pub fn data<T: Scalar>(n: usize, seed: u64, kind: u8) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
            let sign = if state & (1 << 63) == 0 { 1.0 } else { -1.0 };
            T::from_f64(match kind {
                0 => 8.0 * unit * sign,
                1 => sign * (unit * 20.0 - 10.0).exp2(),
                _ => (unit * 9.0).floor() - 4.0,
            })
        })
        .collect()
}

/// One op's inputs on the device, each behind `pad` elements of its buffer.
pub struct On<'a, T, D: Device> {
    pub gpu: &'a Gpu<D>,
    pub x: [View<'a, T, D>; 3],
    pub cols: usize,
    pub eps: T,
    /// The op's parameters; the values of its row where this is shorter.
    pub params: &'a [T],
    pub used: Cell<usize>,
}

impl<T: Scalar, D: Device> On<'_, T, D> {
    /// The next parameter given, or the row's.
    fn next(&self, row: f64) -> T {
        let k = self.used.replace(self.used.get() + 1);
        self.params.get(k).copied().unwrap_or(T::from_f64(row))
    }
}

macro_rules! calls {
    ($($shape:ident $name:ident($f:ident $(, $more:ident)*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// Calls an op, out of place; `false` when devices have no method for it.
        pub fn call<T: Scalar, D: Computes<T>>(op: &str, on: &On<'_, T, D>, out: ViewMut<'_, T, D>, index: ViewMut<'_, u32, D>) -> Result<bool, Error> {
            #[allow(unused_variables, reason = "each shape takes what it needs")]
            let ((gpu, [a, b, c]), cols) = ((on.gpu, on.x), on.cols);
            on.used.set(0);
            match op {
                $(stringify!($name) => calls!(@$shape $f [$($p),*] on gpu a b c cols out index),)*
                _ => return Ok(false),
            }
            .map(|()| true)
        }
        /// Calls its form in place, over a copy of the first input in `out`; `false` when there is none.
        pub fn call_in_place<T: Scalar, D: Computes<T>>(op: &str, on: &On<'_, T, D>, out: ViewMut<'_, T, D>) -> Result<bool, Error> {
            #[allow(unused_variables, reason = "each shape takes what it needs")]
            let ((gpu, [_, b, c]), cols) = ((on.gpu, on.x), on.cols);
            on.used.set(0);
            match op {
                $(stringify!($name) => calls!(@in_place $shape ($($more),*) [$($p),*] on gpu b c cols out),)*
                _ => return Ok(false),
            }
            .map(|()| true)
        }
    };
    (@unary $f:ident [$($p:expr),*] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a $(, $on.next($p))*, $out) };
    (@binary $f:ident [$($p:expr),*] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $b $(, $on.next($p))*, $out) };
    (@ternary $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $b, $c, $out) };
    // Over its first input, which `out` holds.
    (@update $f:ident [$p:expr] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($on.next($p), $b, $out) };
    (@total $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $out.split(1)?.into_iter().next().unwrap()) };
    (@reduce $($rest:tt)*) => { calls!(@total $($rest)*) };
    (@reduce2 $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $b, $out.split(1)?.into_iter().next().unwrap()) };
    (@arg $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $index) };
    (@rows $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $cols, $out) };
    (@rows_eps $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $cols, $on.eps, $out) };
    (@rows_scale $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $b.part(0..$cols)?, $on.eps, $out) };
    (@rows_affine $f:ident [] $on:ident $gpu:ident $a:ident $b:ident $c:ident $cols:ident $out:ident $index:ident) => { $gpu.$f($a, $b.part(0..$cols)?, $c.part(0..$cols)?, $on.eps, $out) };
    (@in_place unary ($s:ident, $f:ident) [$($p:expr),*] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out $(, $on.next($p))*) };
    (@in_place binary ($s:ident, $f:ident) [$($p:expr),*] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out, $b $(, $on.next($p))*) };
    (@in_place rows ($s:ident, $f:ident) [] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out, $cols) };
    (@in_place rows_eps ($s:ident, $f:ident) [] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out, $cols, $on.eps) };
    (@in_place rows_scale ($s:ident, $f:ident) [] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out, $b.part(0..$cols)?, $on.eps) };
    (@in_place rows_affine ($s:ident, $f:ident) [] $on:ident $gpu:ident $b:ident $c:ident $cols:ident $out:ident) => { $gpu.$f($out, $b.part(0..$cols)?, $c.part(0..$cols)?, $on.eps) };
    (@$($rest:tt)*) => { return Ok(false) };
}
fulmen::for_each_op!(calls);

/// An op's worst error, as a share of what its contract allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    pub op: &'static str,
    pub share: f64,
    pub got: f64,
    pub want: f64,
}

impl Worst {
    /// Another result, off by this share of what is allowed.
    pub fn add(&mut self, share: f64, got: f64, want: f64) {
        // NaN is worse than every number.
        if share > self.share || share.is_nan() {
            *self = Self { share, got, want, ..*self };
        }
    }
}

fn share<T: Scalar>(
    op: &Op,
    language: &str,
    got: &[T],
    want: &Answer,
    inputs: &[&[T]],
    cols: usize,
    worst: &mut Worst,
) {
    let tolerance = spec(op.name).and_then(|s| s.tolerance(language).or(s.tolerance(T::NAME))).unwrap();
    // WGSL leaves it open whether subnormal numbers are kept.
    let least = if language == "wgsl" { f64::from(f32::MIN_POSITIVE) } else { 0.0 };
    let wide: Vec<Vec<f64>> = inputs.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
    for (i, (got, want)) in got.iter().zip(&want.y).enumerate() {
        let one: Vec<&[f64]> = match op.shape {
            "total" | "reduce" | "reduce2" => wide.iter().map(|x| &x[..]).collect(),
            s if s.starts_with("rows") => vec![&wide[0][i / cols * cols..(i / cols + 1) * cols]],
            _ => wide.iter().map(|x| &x[i..=i]).collect(),
        };
        let allowed = tolerance.allowed::<T>(want.value, &one, want.terms);
        let allowed = want.bound.unwrap_or(allowed) + want.own * ulp::<f64>(want.value);
        let off = (got.to_f64() - want.value).abs();
        let past = T::from_f64(want.value).to_f64().is_infinite()
            && got.to_f64() == T::from_f64(want.value).to_f64();
        // What is dropped may have been a factor of an input, but not of a huge one: that would excuse any zero.
        let factor =
            || one.iter().flat_map(|x| x.iter()).fold(1.0, |most: f64, x| most.max(x.abs())).min(16384.0);
        // The factor is looked for where it may matter: it reads a whole row, for each of its results.
        let small = want.value.abs();
        let flushed = got.to_f64() == 0.0 && small < least * 16384.0 && small < least * factor();
        let this = if past || flushed || agrees(*got, want.value, 0.0) {
            0.0
        } else if off.is_finite() && allowed > 0.0 {
            off / allowed
        } else {
            f64::INFINITY
        };
        // NaN is worse than every number.
        if this > worst.share || this.is_nan() {
            *worst = Worst { op: op.name, share: this, got: got.to_f64(), want: want.value };
        }
    }
}

/// Runs an op in all its forms at this size; `None` when devices have no method for it.
pub fn run<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    op: &Op,
    (rows, cols): (usize, usize),
    kind: u8,
) -> Result<Option<Worst>, Error> {
    // At a multiple of 16 bytes and elsewhere, as kernels differ.
    let pad = 3 + (usize::from(kind) + cols) % 2;
    let n = rows * cols;
    let mut raw: [Vec<T>; 3] = [0, 1, 2].map(|j| data(n, 7 * n as u64 + 100 * j + u64::from(kind), kind));
    if ["ln", "log2", "log10", "sqrt", "pow", "pow_scalar", "acosh"].contains(&op.name) {
        raw[0].iter_mut().for_each(|x| *x = T::from_f64(x.to_f64().abs() + 1.0));
    }
    if ["asin", "acos", "atanh"].contains(&op.name) {
        raw[0].iter_mut().for_each(|x| *x = T::from_f64(x.to_f64() / 1025.0));
    }
    let args = Args { x: [&raw[0], &raw[1], &raw[2]], params: &[], cols, eps: T::from_f64(1e-3), k: 1 };
    let padded = |x: &[T]| gpu.upload(&[&vec![T::ONE; pad][..], x].concat());
    let arrays = [padded(&raw[0])?, padded(&raw[1])?, padded(&raw[2])?];
    let part = |k: usize| arrays[k].view().part(pad..pad + n);
    let on =
        On { gpu, x: [part(0)?, part(1)?, part(2)?], cols, eps: args.eps, params: &[], used: Cell::new(0) };
    let mut index = gpu.upload(&[7u32])?;
    // What surrounds the result is not written.
    let mark = T::from_f64(12345.0);
    let around = |out: &[T]| [&vec![mark; pad][..], out, &vec![mark; pad][..]].concat();
    let mut out = gpu.upload(&around(&raw[0]))?;
    {
        let [_, rest] = out.view_mut().split(pad)?;
        let [inner, _] = rest.split(n)?;
        if !call(op.name, &on, inner, index.view_mut())? {
            return Ok(None);
        }
    }
    let want = answer::<Native, T>(op, args);
    let mut worst = Worst { op: op.name, share: 0.0, got: 0.0, want: 0.0 };
    let mut got = vec![T::ZERO; n + 2 * pad];
    gpu.download(out.view(), &mut got)?;
    let inputs = [&raw[0][..], &raw[1][..], &raw[2][..]];
    let check = |got: &[T], worst: &mut Worst| {
        assert!(
            got[..pad].iter().chain(&got[n + pad..]).all(|x| *x == mark),
            "{}: wrote past its result",
            op.name
        );
        share(op, language, &got[pad..], &want, &inputs, cols, worst);
    };
    check(&got, &mut worst);
    if op.shape == "arg" {
        let mut at = [0];
        gpu.download(index.view(), &mut at)?;
        assert_eq!(at[0], want.index[0], "{} n={n}", op.name);
    }
    let mut over = gpu.upload(&around(&raw[0]))?;
    let [_, rest] = over.view_mut().split(pad)?;
    let [inner, _] = rest.split(n)?;
    if call_in_place(op.name, &on, inner)? {
        gpu.download(over.view(), &mut got)?;
        check(&got, &mut worst);
    }
    // Inputs are as they were.
    for (array, raw) in arrays.iter().zip(&raw) {
        let mut back = vec![T::ZERO; n];
        gpu.download(array.view().part(pad..pad + n)?, &mut back)?;
        assert_eq!(&back, raw, "{}: an input changed", op.name);
    }
    Ok(Some(worst))
}

/// Products with all transposes, α and β, on parts of larger matrices: their worst error.
pub fn products<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    shapes: &[[usize; 3]],
) -> Result<Worst, Error> {
    let call =
        |alpha, a: Mat<'_, T, D>, b: Mat<'_, T, D>, beta, c: MatMut<'_, T, D>| gpu.gemm(alpha, a, b, beta, c);
    let per = spec("gemm").and_then(|s| s.tolerance(T::NAME)).unwrap();
    products_by(gpu, ("gemm", per), shapes, |n, seed| data::<T>(n, seed, 0), T::to_f64, call)
}

/// As [`products`], of matrices of 16 and 8 bits: those of `bf16`, of `f16`, of `E4m3`, of bytes; and every exponent of
/// `f16` and number of `E4m3`, alone. The first shapes are those of 16 bits.
#[cfg(feature = "half")]
pub fn low_precision_products<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    [shapes, bytes]: [&[[usize; 3]]; 2],
) -> Result<[Worst; 5], Error> {
    use fulmen::E4m3;
    use half::{bf16, f16};
    let e4 = |n, seed| data::<f32>(n, seed, 0).into_iter().map(E4m3::from_f32).collect::<Vec<_>>();
    let call_e4 = |alpha, a: Mat<'_, E4m3, D>, b: Mat<'_, E4m3, D>, beta, c: MatMut<'_, f32, D>| {
        gpu.gemm_e4m3(alpha, a, b, beta, c, ())
    };
    let bf = |n, seed| data::<f32>(n, seed, 0).into_iter().map(bf16::from_f32).collect::<Vec<_>>();
    let f = |n, seed| data::<f32>(n, seed, 0).into_iter().map(f16::from_f32).collect::<Vec<_>>();
    let call_bf = |alpha, a: Mat<'_, bf16, D>, b: Mat<'_, bf16, D>, beta, c: MatMut<'_, f32, D>| {
        gpu.gemm_bf16(alpha, a, b, beta, c, ())
    };
    let call_f = |alpha, a: Mat<'_, f16, D>, b: Mat<'_, f16, D>, beta, c: MatMut<'_, f32, D>| {
        gpu.gemm_f16(alpha, a, b, beta, c, ())
    };
    let of = |op| (op, spec(op).and_then(|s| s.tolerance("f32")).unwrap());
    // Warp groups cut off what is far below the largest product.
    let cut = spec("gemm_e4m3").and_then(|s| s.tolerance("tensor")).unwrap();
    let exact = of("gemm_e4m3");
    let of_e4 = if gpu.device().facts().groups { (exact.0, cut) } else { exact };
    let value = |x: E4m3| f64::from(x.to_f32());
    let [signed, unsigned] = byte_products(gpu, bytes)?;
    let worst = [
        products_by(gpu, of("gemm_bf16"), shapes, bf, bf16::to_f64, call_bf)?,
        products_by(gpu, of("gemm_f16"), shapes, f, f16::to_f64, call_f)?,
        products_by(gpu, of_e4, bytes, e4, value, call_e4)?,
        signed,
        unsigned,
    ];
    // Small integers, of which nothing is cut off; and a first slab so large that of one sum the others would be.
    let round = |x: f32| E4m3::from_f32(libm::roundf(4.0 * x).clamp(-4.0, 4.0));
    let whole = |n, seed| data::<f32>(n, seed, 0).into_iter().map(round).collect::<Vec<_>>();
    let deep = [64, 32, 512];
    let falls = |n, seed| {
        let pitch = n / deep[0];
        let of = |i: usize| if seed == 1 && i % pitch < 48 { 256.0 } else { 0.9375 };
        (0..n).map(|i| E4m3::from_f32(of(i))).collect::<Vec<_>>()
    };
    if !bytes.is_empty() {
        let few = [[128, 128, 64], [80, 48, 32], [64, 40, 48]];
        for other in [
            products_by(gpu, exact, &few, whole, value, call_e4)?,
            products_by(gpu, of_e4, &[deep], falls, value, call_e4)?,
        ] {
            assert!(other.share <= 1.0, "{other:?}");
        }
    }
    let all: Vec<E4m3> = (0..=255).map(E4m3::from_bits).collect();
    let (x, one, mut out) = (gpu.upload(&all)?, gpu.upload(&[E4m3::from_f32(1.0)])?, gpu.alloc::<f32>(256)?);
    let (x, one, to) = (x.view(), one.view(), out.view_mut());
    gpu.gemm_e4m3(1.0, x.matrix(256, 1)?, one.matrix(1, 1)?, 0.0, to.matrix(256, 1)?, ())?;
    let mut got = vec![0.0; 256];
    gpu.download(out.view(), &mut got)?;
    for (x, got) in all.iter().zip(&got) {
        assert!(x.to_f32() == *got || (x.to_f32().is_nan() && got.is_nan()), "{x:?} became {got}");
    }
    // Subnormals, infinities and NaN among them: `A·[1]` is A.
    let mantissas = [0, 1, 0x155, 0x3ff];
    let all: Vec<f16> = (0..64u16).flat_map(|e| mantissas.map(|m| f16::from_bits(e << 10 | m))).collect();
    let (x, one, mut out) = (gpu.upload(&all)?, gpu.upload(&[f16::ONE])?, gpu.alloc::<f32>(all.len())?);
    let (x, one, to) = (x.view(), one.view(), out.view_mut());
    gpu.gemm_f16(1.0, x.matrix(all.len(), 1)?, one.matrix(1, 1)?, 0.0, to.matrix(all.len(), 1)?, ())?;
    let mut got = vec![0.0; all.len()];
    gpu.download(out.view(), &mut got)?;
    for (x, got) in all.iter().zip(&got) {
        assert!(x.to_f32() == *got || (x.is_nan() && got.is_nan()), "{x} became {got}");
    }
    Ok(worst)
}

/// Attention of bf16, of so many sequences, on parts of wider matrices, by rows and by columns in turn, and its gradients: their
/// worst errors.
#[cfg(feature = "half")]
pub fn half_attention<D: Computes<f32> + Blocking>(
    gpu: &Gpu<D>,
    batch: usize,
    cases: &[([usize; 5], bool, Option<usize>)],
) -> Result<[Worst; 2], Error> {
    use crate::nn::attention::{Naive, gradients};
    use fulmen::Attention;
    use half::bf16;
    let op_name = "attention_bf16";
    let per = spec(op_name).and_then(|s| s.tolerance("f32")).unwrap();
    let mut worst = Worst { op: op_name, share: 0.0, got: 0.0, want: 0.0 };
    let mut worst_back = Worst { op: "attention_bf16_backward", ..worst };
    let per_back = spec(worst_back.op).and_then(|s| s.tolerance("f32")).unwrap();
    for (turn, (sizes, causal, window)) in cases.iter().enumerate() {
        // Whoever runs this on a card sees which case ended it.
        println!("{op_name} {batch} of {sizes:?} causal {causal} window {window:?}");
        let [heads, kv_heads, dim, n, len] = *sizes;
        let scale = 1.3 / (dim as f32).sqrt();
        let whole = Attention::new(heads, kv_heads, dim, scale);
        let op = Attention { causal: *causal, window: *window, batch, ..whole };
        let (each, [n, len]) = ([n, len], [n, len].map(|rows| batch * rows));
        let (of_query, of_key) = ([n, heads * dim], [len, kv_heads * dim]);
        let shapes = [of_query, of_key, of_key, of_query];
        // Rows that tensor maps read as they are, rows at odd places, and columns.
        let pad = [8, 3, 1][turn % 3];
        let round = |x: &f32| bf16::from_f32(2.0 * *x);
        let halves: Vec<Vec<bf16>> = (1u64..)
            .zip(shapes)
            .map(|(seed, [r, c])| data::<f32>(r * (c + pad), seed, 0).iter().map(round).collect())
            .collect();
        let on: Vec<_> = halves.iter().map(|x| gpu.upload(x)).collect::<Result<_, Error>>()?;
        let turned = turn % 3 == 2;
        let part = |k: usize| {
            let [r, c] = shapes[k];
            match turned {
                true => on[k].view().matrix(c + pad, r)?.t().cols(pad..c + pad),
                false => on[k].view().matrix(r, c + pad)?.cols(pad..c + pad),
            }
        };
        let cols = heads * dim;
        let old = vec![7.0f32; n * (cols + pad)];
        let (mut out, mut lse) = (gpu.upload(&old)?, gpu.upload(&vec![7.0f32; n * heads])?);
        let [_, to] = out.view_mut().matrix(n, cols + pad)?.split_cols(pad)?;
        gpu.attention_bf16(&op, part(0)?, part(1)?, part(2)?, to, Some(lse.view_mut()), ())?;
        let (mut got, mut sums) = (old, vec![0.0f32; n * heads]);
        gpu.download(out.view(), &mut got)?;
        gpu.download(lse.view(), &mut sums)?;
        // The gradients from these results, but those of very many keys; each is the last columns of a wider matrix.
        let backward = len < 10_000;
        let mut back = [0, 1, 2].map(|k: usize| vec![7.0f32; shapes[k][0] * (shapes[k][1] + pad)]);
        let mut on_back = [gpu.upload(&back[0])?, gpu.upload(&back[1])?, gpu.upload(&back[2])?];
        if backward {
            let [dq, dk, dv] = on_back.each_mut();
            fn last<D: Device>(
                x: &mut Array<f32, D>,
                [r, c]: [usize; 2],
                pad: usize,
            ) -> Result<MatMut<'_, f32, D>, Error> {
                let [_, last] = x.view_mut().matrix(r, c + pad)?.split_cols(pad)?;
                Ok(last)
            }
            let results = out.view().matrix(n, cols + pad)?.cols(pad..cols + pad)?;
            let (q, k, v, dout) = (part(0)?, part(1)?, part(2)?, part(3)?);
            let (dq, dk, dv) =
                (last(dq, shapes[0], pad)?, last(dk, shapes[1], pad)?, last(dv, shapes[2], pad)?);
            gpu.attention_bf16_backward(&op, q, k, v, results, lse.view(), dout, dq, dk, dv, ())?;
        }
        for (on, back) in on_back.iter().zip(&mut back) {
            gpu.download(on.view(), back)?;
        }
        let wide: Vec<Vec<f64>> = (0..4)
            .map(|k| {
                let [r, c] = shapes[k];
                let at =
                    |i: usize, j: usize| if turned { (j + pad) * r + i } else { i * (c + pad) + j + pad };
                (0..r * c).map(|e| halves[k][at(e / c, e % c)].to_f64()).collect()
            })
            .collect();
        let [q, k, v] = [0, 1, 2].map(|k| &wide[k][..]);
        let whole = Attention::new(heads, kv_heads, dim, f64::from(scale));
        let op = Attention { causal: *causal, window: *window, batch, ..whole };
        let [n, len] = each;
        let naive = Naive { op, n, len, q, k, v, mask: &[] };
        let inner = |x: &[f32], c: usize| -> Vec<f64> {
            x.chunks(c + pad).flat_map(|row| &row[pad..]).map(|x| f64::from(*x)).collect()
        };
        let (of_out, of_lse) = (inner(&got, cols), sums.iter().map(|x| f64::from(*x)).collect::<Vec<_>>());
        // A weight below 2⁻¹²⁶ may be 0: 2⁻⁸ of this mass.
        let want_back = match backward {
            true => gradients(&naive, [&of_out, &of_lse, &wide[3]], 1.0 / 16.0, 2f64.powi(-118)),
            false => Vec::new(),
        };
        for ((got, want), [_, c]) in back.iter().zip(&want_back).zip(shapes) {
            assert!(
                got.chunks(c + pad).flat_map(|row| &row[..pad]).all(|x| *x == 7.0),
                "wrote beside gradients"
            );
            for (got, w) in inner(got, c).into_iter().zip(want) {
                let share = match got == w.value {
                    true => 0.0,
                    false => {
                        (got - w.value).abs() / per_back.allowed::<f32>(w.value, &[&vec![0.0; w.n]], w.mass)
                    }
                };
                if share > worst_back.share || share.is_nan() {
                    worst_back = Worst { share, got, want: w.value, ..worst_back };
                }
            }
        }
        let [want, want_sums] = naive.forward();
        let rows = got.chunks(cols + pad);
        let inside = rows.clone().flat_map(|row| &row[pad..]);
        assert!(rows.flat_map(|row| &row[..pad]).all(|x| *x == 7.0), "{op_name} wrote beside its results");
        // Weights are rounded whatever the scores are, and the scores' errors are those of `f32`.
        let most = |e: usize| (want_sums[e].mass - 1.0 - want_sums[e].value.abs()) / 4.0;
        let out = want.iter().enumerate().map(|(e, w)| {
            let most = if w.mass == 0.0 { 0.0 } else { most(e / dim) };
            (w, per, w.mass / (1.0 + 4.0 * most) * (1.0 + most / 16.0))
        });
        let of_sums = spec("attention").and_then(|s| s.tolerance("f32")).unwrap();
        let all = out.chain(want_sums.iter().map(|w| (w, of_sums, w.mass)));
        for (got, (w, per, mass)) in inside.chain(&sums).zip(all) {
            let got = f64::from(*got);
            let share = match got == w.value {
                true => 0.0,
                false => (got - w.value).abs() / per.allowed::<f32>(w.value, &[&vec![0.0; w.n]], mass),
            };
            if share > worst.share || share.is_nan() {
                worst = Worst { op: op_name, share, got, want: w.value };
            }
        }
    }
    Ok([worst, worst_back])
}

/// On parts of larger matrices, which start at multiples of 16 bytes where the sizes are multiples of 8, and elsewhere
/// otherwise.
fn products_by<E: Word, T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    (op, per): (&'static str, Tolerance),
    shapes: &[[usize; 3]],
    elements: impl Fn(usize, u64) -> Vec<E>,
    value: impl Fn(E) -> f64,
    call: impl Fn(T, Mat<'_, E, D>, Mat<'_, E, D>, T, MatMut<'_, T, D>) -> Result<(), Error>,
) -> Result<Worst, Error> {
    let mut worst = Worst { op, share: 0.0, got: 0.0, want: 0.0 };
    for (case, [m, n, k]) in shapes.iter().enumerate() {
        let ([m, n, k], flip) = ([*m, *n, *k], [case & 1 > 0, case & 2 > 0]);
        let (alpha, beta) = [(1.0, 0.0), (-0.5, 1.0), (1.5, 0.25), (0.0, 2.0), (2.0, 0.5)][case % 5];
        let whole = [m, n, k].iter().all(|s| s.is_multiple_of(8));
        // Tensor maps read rows that are a multiple of 16 bytes apart.
        let side = (16 / E::BYTES).max(8);
        let [of_a, of_b, of_c] = if whole { [side, side, 4] } else { [2, 1, 3] };
        let (a, b) = (elements(m * (k + of_a), 1), elements(k * (n + of_b), 2));
        let c = data::<T>(m * (n + of_c), 3, 0);
        let [on_a, on_b] = [gpu.upload(&a)?, gpu.upload(&b)?];
        // Where β is 0, C holds what must not be read.
        let old = if beta == 0.0 { vec![T::from_f64(f64::NAN); c.len()] } else { c.clone() };
        let mut on_c = gpu.upload(&old)?;
        let mat_a = if flip[0] {
            on_a.view().matrix(k + of_a, m)?.t().cols(of_a..k + of_a)?
        } else {
            on_a.view().matrix(m, k + of_a)?.cols(of_a..k + of_a)?
        };
        let mat_b = if flip[1] {
            on_b.view().matrix(n + of_b, k)?.t().cols(of_b..n + of_b)?
        } else {
            on_b.view().matrix(k, n + of_b)?.cols(of_b..n + of_b)?
        };
        let [_, mat_c] = on_c.view_mut().matrix(m, n + of_c)?.split_cols(of_c)?;
        call(T::from_f64(alpha), mat_a, mat_b, T::from_f64(beta), mat_c)?;
        let mut got = vec![T::ZERO; c.len()];
        gpu.download(on_c.view(), &mut got)?;
        let at_a = |i: usize, p: usize| {
            value(if flip[0] { a[(p + of_a) * m + i] } else { a[i * (k + of_a) + p + of_a] })
        };
        let at_b = |p: usize, j: usize| {
            value(if flip[1] { b[(j + of_b) * k + p] } else { b[p * (n + of_b) + j + of_b] })
        };
        let cols: Vec<Vec<f64>> = (0..n).map(|j| (0..k).map(|p| at_b(p, j)).collect()).collect();
        for i in 0..m {
            let row: Vec<f64> = (0..k).map(|p| at_a(i, p)).collect();
            for (j, col) in cols.iter().enumerate() {
                let [sum, mass] = dense::dot(&row, col);
                let before = if beta == 0.0 { 0.0 } else { c[i * (n + of_c) + of_c + j].to_f64() };
                let want = alpha * sum + beta * before;
                let allowed = alpha.abs() * per.allowed::<T>(sum, &[&row, col], mass)
                    + 2.0 * ulp::<T>(alpha * sum)
                    + 2.0 * ulp::<T>(want);
                let got = got[i * (n + of_c) + of_c + j];
                let this = (got.to_f64() - want).abs() / allowed;
                if this > worst.share || this.is_nan() {
                    worst = Worst { op, share: this, got: got.to_f64(), want };
                }
            }
            let left = &got[i * (n + of_c)..][..of_c];
            assert!(
                left.iter().zip(&old[i * (n + of_c)..]).all(|(x, y)| x == y || (x != x && y != y)),
                "{op} wrote past C"
            );
        }
    }
    Ok(worst)
}

/// Every op of the list at these sizes, the first with all kinds of data: its worst error, the ops that have no method.
/// `slow` devices have but one size of two blocks, for reductions. `language`: whose tolerance holds where a contract
/// states one, else the element type's.
pub fn story<T: Scalar, D: Computes<T> + Blocking>(
    gpu: &Gpu<D>,
    language: &str,
    slow: bool,
    sizes: &[(usize, usize)],
    products_of: &[[usize; 3]],
) -> Result<(Vec<Worst>, Vec<&'static str>), Error> {
    let (mut ran, mut without) = (Vec::new(), Vec::new());
    Seed::new("ops on a device");
    for op in OPS {
        let mut worst: Option<Worst> = None;
        let whole = ["total", "reduce", "reduce2", "arg"].contains(&op.shape);
        for (i, size) in sizes.iter().enumerate() {
            if slow && !whole && size.0 * size.1 > 1000 {
                continue;
            }
            for kind in if i == 0 { 0..3 } else { 1..2 } {
                let this = run::<T, D>(gpu, language, op, *size, kind)?;
                worst = worst.into_iter().chain(this).max_by(|a, b| a.share.total_cmp(&b.share));
            }
        }
        if op.name == "gemm" {
            worst = Some(products::<T, D>(gpu, products_of)?);
        }
        let Some(mut worst) = worst else {
            without.push(op.name);
            continue;
        };
        match op.name {
            "gemm" => crate::layers::linear::poked::<T, D>(gpu, language, op.name, &mut worst)?,
            _ => specials::list::<T, D>(gpu, language, op, &mut worst)?,
        }
        ran.push(worst);
    }
    formulas::story::<T, D>(gpu)?;
    Ok((ran, without))
}
