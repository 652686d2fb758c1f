//! Every op, in every form, under an allocator that aborts.

use common::call::{Args, Form, Out, call};
use common::nn;
use fulmen::Element;
use fulmen::lanes::native;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Guarded;

thread_local! {
    // Of this thread: the test runner's own may allocate, to say that a test takes long.
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: forwards to the system allocator, or aborts.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if FORBIDDEN.get() {
            std::process::abort();
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(p, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Guarded = Guarded;

fn run<T: Element>(n: usize) -> usize {
    let x: Vec<T> = (0..n).map(|i| T::from_f64((i * 37 % 101) as f64 / 50.0 - 1.0)).collect();
    let (mut y, mut index) = (x.clone(), vec![0; n]);
    let mut calls = 0;
    for op in fulmen::ops::OPS {
        for form in [Form::Native, Form::On, Form::InPlace] {
            // Below its entry this form is the next one.
            if form == Form::Native && n > 1000 {
                continue;
            }
            let args = Args { x: [&x, &x, &x], cols: n / 4, eps: T::from_f64(1e-5), k: 5, params: &[] };
            FORBIDDEN.set(true);
            let r = call(native(), op.name, form, args, &mut Out { y: &mut y, index: &mut index });
            FORBIDDEN.set(false);
            if let Some(r) = r {
                assert_eq!(r, Ok(()), "{}", op.name);
                calls += 1;
            }
        }
    }
    calls
}

#[test]
fn no_op_allocates() {
    // One leaf, and several levels of the reduction tree.
    let calls = run::<f32>(64) + run::<f64>(64) + run::<f32>(100_000) + run::<f64>(100_000);
    // These have tests of their own.
    let own = ["nn", "random", "quant", "blas", "gemm", "mixed", "convert"];
    let count = |of: &dyn Fn(&str) -> bool| fulmen::ops::OPS.iter().filter(|op| of(op.shape)).count();
    let listed = count(&|shape| !own.contains(&shape));
    let in_place = count(&|shape| shape == "unary" || shape == "binary" || shape.starts_with("rows"));
    assert_eq!(calls, 6 * listed + 4 * in_place);
    println!("{calls} calls without an allocation");
}

/// Ops with a call of their own, for short rows and long ones.
fn quiet<T: Element, O: nn::Op>() {
    // Integers are made of their samples or results on the way: `no_op_on_integers_allocates`.
    if ["u8_to_float", "i16_to_float", "max_pool_indices"].contains(&O::NAME) {
        return;
    }
    // As many bytes of both types.
    for [rows, cols] in [[3, 7], [2, 64], [1, 100_000 / size_of::<T>()]] {
        let a = O::sample::<T>(rows, cols, &mut nn::Noise(3));
        for form in [nn::Form::On, nn::Form::InPlace] {
            let mut before = O::before(&a);
            let mut out: Vec<&mut [T]> = before.iter_mut().map(Vec::as_mut_slice).collect();
            let mut workspace = vec![T::ZERO; O::workspace(&a)];
            FORBIDDEN.set(true);
            let r = O::call(native(), form, &a, &mut out, &mut workspace);
            FORBIDDEN.set(false);
            assert!(r == Some(Ok(())) || (r.is_none() && form == nn::Form::InPlace), "{}: {r:?}", O::NAME);
        }
    }
}

macro_rules! quiet {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        quiet::<f32, $Op>();
        quiet::<f64, $Op>();
    )*};
}

#[test]
fn no_op_of_its_own_call_allocates() {
    common::for_each_nn_op!(quiet);
}

#[test]
fn no_op_on_integers_allocates() {
    let (bytes, words, scale) = ([7u8; 999], [-7i16; 999], [0.5f32, 1.0, 2.0]);
    let (mut out, mut most, mut indices) = ([0.0f32; 999], [0.0f32; 332], [0; 332]);
    FORBIDDEN.set(true);
    let all = [
        fulmen::u8_to_float(&bytes, &scale, &scale, &mut out),
        fulmen::u8_to_float_on(native(), &bytes, &scale, &scale, &mut out),
        fulmen::i16_to_float(&words, &scale, &scale, &mut out),
        fulmen::i16_to_float_on(native(), &words, &scale, &scale, &mut out),
    ];
    FORBIDDEN.set(false);
    assert_eq!(all, [Ok(()); 4]);
    assert_eq!(out[..3], [-3.0, -6.0, -12.0]);
    FORBIDDEN.set(true);
    let done = fulmen::max_pool_indices(&out, fulmen::Pool::line(999, 4, 3, 0), &mut most, &mut indices);
    FORBIDDEN.set(false);
    assert_eq!((done, most[1], indices[..2].to_vec()), (Ok(()), -3.0, vec![0, 3]));
}

/// Runs `f` in a pool of which no thread may allocate meanwhile. Only the thread that waits outside may: rayon queues
/// there what it hands over.
#[cfg(feature = "parallel")]
fn on_quiet_threads<R: Send>(pool: &rayon::ThreadPool, f: impl FnOnce() -> R + Send) -> R {
    pool.broadcast(|_| FORBIDDEN.set(true));
    let done = pool.install(f);
    pool.broadcast(|_| FORBIDDEN.set(false));
    done
}

#[cfg(feature = "parallel")]
fn pool() -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    // A thread's first search for work sets it up.
    let x = vec![1.0f32; 1 << 22];
    for _ in 0..20 {
        assert_eq!(pool.install(|| fulmen::parallel::sum(&x)), x.len() as f32);
    }
    pool
}

#[cfg(feature = "parallel")]
#[test]
fn no_op_on_threads_allocates() {
    let pool = pool();
    let n = 300_000;
    let x: Vec<f32> = (0..n).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    let (mut y, mut index) = (x.clone(), vec![0; n]);
    let mut calls = 0;
    for op in fulmen::ops::OPS {
        let args = Args { x: [&x, &x, &x], cols: n / 4, eps: 1e-5, k: 5, params: &[] };
        let mut out = Out { y: &mut y, index: &mut index };
        let r = on_quiet_threads(&pool, || call(native(), op.name, Form::Parallel, args, &mut out));
        if let Some(r) = r {
            assert_eq!(r, Ok(()), "{}", op.name);
            calls += 1;
        }
    }
    assert!(calls > 40, "only {calls} calls were made");
    println!("{calls} calls on threads without an allocation");
}

/// Products of low precision.
#[cfg(feature = "half")]
#[test]
fn no_product_of_low_precision_allocates() {
    use fulmen::{
        E4m3, MatMut, MatRef, gemm_bf16, gemm_bf16_workspace, gemm_e4m3, gemm_e4m3_workspace, gemm_f16,
        gemm_f16_workspace, gemm_i8, gemm_i8_with_workspace, gemm_i8_workspace,
    };
    use half::{bf16, f16};
    for [m, n, k] in [[3, 4, 5], [40, 60, 50], [70, 300, 260]] {
        macro_rules! quiet {
            ($f:ident $room:ident $Zero:expr, $one:expr, $C:ty, $c:expr) => {{
                let (a, b) = (vec![$one; m * k], vec![$one; k * n]);
                let mut c: Vec<$C> = vec![$c; m * n];
                let mut room = vec![$Zero; $room(m, n, k)];
                FORBIDDEN.set(true);
                let (x, y) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
                let z = MatMut::row_major(&mut c, m, n).unwrap();
                let r = $f(1 as $C, x, y, 0 as $C, z, &mut room);
                FORBIDDEN.set(false);
                assert_eq!(r, Ok(()));
                assert!(c.iter().all(|c| *c == k as $C));
            }};
        }
        quiet!(gemm_bf16 gemm_bf16_workspace 0.0f32, bf16::ONE, f32, 0.0);
        quiet!(gemm_f16 gemm_f16_workspace 0.0f32, f16::ONE, f32, 0.0);
        quiet!(gemm_e4m3 gemm_e4m3_workspace 0.0f32, E4m3::from_f32(1.0), f32, 0.0);
        quiet!(gemm_i8 gemm_i8_workspace 0i32, 1i8, i32, 0);
        let u8_by_ones = |alpha, a: MatRef<'_, i8>, b, beta, c, room: &mut Vec<i32>| {
            let ones = MatRef::strided(&[4u8], 0, a.rows(), a.cols(), 0, 0)?;
            fulmen::gemm_u8(alpha, ones, 3, b, 0, beta, c, room)
        };
        quiet!(u8_by_ones gemm_i8_workspace 0i32, 1i8, i32, 0);
        let i8_with = |alpha, a, b, _, c: MatMut<'_, f32>, room: &mut Vec<i32>| {
            fulmen::gemm_i8_with(alpha, a, b, c, (), room)
        };
        quiet!(i8_with gemm_i8_with_workspace 0i32, 1i8, f32, 0.0);
    }
    for (n, len) in [(1, 300), (200, 300)] {
        let op = fulmen::Attention { causal: true, ..fulmen::Attention::new(2, 1, 8, 1.0) };
        let (q, k, mut out) = (vec![bf16::ONE; n * 16], vec![bf16::ONE; len * 8], vec![0.0; n * 16]);
        let mut room = vec![0.0; fulmen::attention_bf16_workspace(2, 1, 8, n, len)];
        FORBIDDEN.set(true);
        let (x, y) = (MatRef::row_major(&q, n, 16).unwrap(), MatRef::row_major(&k, len, 8).unwrap());
        let z = MatMut::row_major(&mut out, n, 16).unwrap();
        let r = fulmen::attention_bf16(&op, x, y, y, z, None, &mut room);
        FORBIDDEN.set(false);
        assert_eq!(r, Ok(()));
        assert!(out.iter().all(|x| (*x - 1.0).abs() < 1e-6));
        let ([mut dk, mut dv], mut dq) = ([vec![0.0; len * 8], vec![0.0; len * 8]], vec![0.0; n * 16]);
        let lse = vec![100.0; n * 2];
        let mut room = vec![0.0; fulmen::attention_bf16_backward_workspace(2, 1, 8, n, len)];
        FORBIDDEN.set(true);
        let o = MatRef::row_major(&out, n, 16).unwrap();
        let [dk, dv] = [&mut dk, &mut dv].map(|x| MatMut::row_major(x, len, 8).unwrap());
        let dq = MatMut::row_major(&mut dq, n, 16).unwrap();
        let r = fulmen::attention_bf16_backward(&op, x, y, y, o, &lse, x, dq, dk, dv, &mut room);
        FORBIDDEN.set(false);
        assert_eq!(r, Ok(()));
    }
}

/// One query over a cache of blocks, in pages.
#[test]
fn no_attention_over_a_cache_allocates() {
    let cache = vec![0; 300 * 34];
    let keys = fulmen::quant::blocks::<fulmen::quant::Q8_0>(&cache).unwrap();
    let op = fulmen::Attention::new(2, 1, 32, 1.0);
    let (table, mut out) = ([2, 0, 1], [1.0; 64]);
    let mut room = vec![0.0; fulmen::attention_decode_workspace(2, 32)];
    FORBIDDEN.set(true);
    let pages = Some(fulmen::Pages { table: &table[..], rows: 100, len: 250 });
    let r = fulmen::attention_decode(&op, &[1.0; 64], keys, keys, pages, &mut out, None, &mut room);
    FORBIDDEN.set(false);
    assert_eq!((r, out), (Ok(()), [0.0; 64]));
}

/// Fixed point, and scales that are quantised themselves.
#[test]
fn no_op_on_fixed_point_allocates() {
    let (x, mut out, mut y) = ([3i16; 64], [0i16; 64], [0i16; 2]);
    let (absmax, mut codes, mut scales, mut back) = ([1.0f32; 300], [0u8; 300], [0.0f32; 2], [0.0f32; 300]);
    let map = &fulmen::quant::DYNAMIC_MAP;
    use fulmen::Biquad;
    FORBIDDEN.set(true);
    let all = [
        fulmen::fixed_dot(&x, &x[1..]).is_err(),
        fulmen::fixed_dot(&x, &x).is_ok(),
        fulmen::fixed_gemv(&x, &x[..32], None, 0, 7, &mut y).is_ok(),
        fulmen::fixed_softmax(&x, 16, &mut out).is_ok(),
        fulmen::fixed_relu(&x, &mut out).is_ok(),
        fulmen::fixed_sigmoid(&x, 3, &mut out).is_ok(),
        fulmen::fixed_tanh(&x, 3, &mut out).is_ok(),
        fulmen::fixed_fir(&x[..3], 1, &mut y, &x, &mut out).is_ok(),
        fulmen::fixed_fir(&x[..1], 16, &mut [], &x, &mut out[..4]).is_ok(),
        fulmen::fixed_biquad(&[Biquad { b: [1, 2, 3], a: [4, 5] }; 5], 1, &mut [0; 20], &x, &mut out).is_ok(),
        fulmen::quantize_absmax(map, &absmax, &mut codes, &mut scales).is_ok(),
        fulmen::dequantize_absmax(map, &codes, &scales, 0.5, &mut back).is_ok(),
    ];
    FORBIDDEN.set(false);
    assert_eq!(all, [true; 12]);
}

/// Images.
#[test]
fn no_op_on_images_allocates() {
    use fulmen::image::{
        Border, Image, ImageMut, Interpolation, Kernel, Norm, Resize, ResizePlan, gaussian_len,
    };
    const SIZES: Resize =
        Resize { from: [40, 30], to: [30, 20], by: Interpolation::Lanczos3, antialias: true };
    let (src, mut dst, mut room) = ([9u8; 3600], [7u8; 1800], [0; fulmen::resize_workspace(40, 3)]);
    let (mut spans, mut weights) = ([[0; 2]; SIZES.spans()], [0i16; SIZES.weights::<i16>()]);
    let (mut blurred, mut edges, mut slopes) = ([7u8; 3600], [7u8; 3600], [[7i16; 3600]; 2]);
    let (mut bell, mut line) = ([0i16; gaussian_len(1.5)], [0i16; 54 * 3]);
    let mut found = vec![0u32; fulmen::canny_workspace(120, 30)];
    FORBIDDEN.set(true);
    let done = ResizePlan::new(SIZES, &mut spans, &mut weights).and_then(|plan| {
        let (from, to) = (Image::new(&src, 40, 30, 3)?, ImageMut::new(&mut dst, 30, 20, 3)?);
        fulmen::resize(plan, from, to, &mut room)?;
        let bell = Kernel::gaussian(1.5, &mut bell)?;
        let to = ImageMut::new(&mut blurred, 40, 30, 3)?;
        fulmen::correlate_separable(from, bell, bell, Border::Wrap, to, &mut line)?;
        let [dx, dy] = &mut slopes;
        let slopes_of = |data| ImageMut::new(data, 40, 30, 3);
        fulmen::sobel(from, Border::Clamp, slopes_of(dx)?, slopes_of(dy)?)?;
        let (grey, to) = (Image::new(&src, 120, 30, 1)?, ImageMut::new(&mut edges, 120, 30, 1)?);
        fulmen::canny(grey, 10, 20, Norm::L2, to, &mut found)
    });
    FORBIDDEN.set(false);
    assert_eq!((done, dst, blurred, edges), (Ok(()), [9; 1800], [9; 3600], [0; 3600]));
}

/// Further ops on images.
#[test]
fn no_op_on_pixels_allocates() {
    use fulmen::image::*;
    let (src, mut dst, mut colours) = ([9u8; 1200], [7u8; 1200], [7u8; 1200]);
    let (mut sums, mut counts, mut level) = ([7u64; 41 * 31], [7u32; 256], [7u8; 1]);
    let (mut bytes, mut words) =
        ([0u8; fulmen::median_workspace(40, 7)], [0u32; fulmen::equalize_workspace(1)]);
    let mut boxes = [0u32; fulmen::box_filter_workspace(40, 1, 5)];
    let (mut far, mut near) = ([7f32; 1200], [0u16; fulmen::distance_transform_workspace(40)]);
    let (mut weights, mut line, places) = ([0i16; gaussian_len(1.5)], [0i16; 52], [3.5f32; 2400]);
    const HALF: Resize = Resize { from: [20, 20], to: [10, 10], by: Interpolation::Area, antialias: true };
    let (mut spans, mut by) = ([[0; 2]; HALF.spans()], [0i16; HALF.weights::<i16>()]);
    let (mut pairs, mut by_pairs) = ([[0; 2]; HALF.chroma().spans()], [0i16; HALF.chroma().weights::<i16>()]);
    let (mut tensor, mut room) = ([0.0; 300], [0i16; fulmen::rgb_to_tensor_workspace(20, 10)]);
    FORBIDDEN.set(true);
    let grey = || Image::new(&src, 40, 30, 1);
    let mut on = |op: &mut dyn FnMut(Image<'_, u8>, ImageMut<'_, u8>) -> Result<(), fulmen::Error>| {
        op(grey()?, ImageMut::new(&mut dst, 40, 30, 1)?)
    };
    let all = [
        on(&mut |from, to| fulmen::median(from, 3, Border::Clamp, to, &mut [])),
        on(&mut |from, to| fulmen::median(from, 7, Border::Wrap, to, &mut bytes)),
        on(&mut |from, to| fulmen::erode(from, [3, 5], Border::Clamp, to, &mut bytes)),
        on(&mut |from, to| fulmen::dilate(from, [3, 5], Border::Clamp, to, &mut bytes)),
        on(&mut |from, to| fulmen::box_filter(from, [5; 2], Border::Clamp, to, &mut boxes)),
        on(&mut |from, to| fulmen::gaussian(from, 1.5, Border::Clamp, to, &mut weights, &mut line)),
        on(&mut |from, to| fulmen::equalize(from, to, &mut words)),
        on(&mut |from, to| fulmen::threshold_image(from, 9, ThresholdKind::ToZeroInverse, to)),
        on(&mut |from, to| fulmen::flip(from, Flip::Both, to)),
        on(&mut |from, to| {
            let matrix = Affine::rotation([9.0, 9.0], 30.0, 0.5);
            fulmen::warp_affine(from, matrix, Sampler::Bilinear, Border::Clamp, to)
        }),
        on(&mut |from, to| {
            fulmen::remap(from, Image::new(&places, 40, 30, 2)?, Sampler::Bilinear, Border::Clamp, to)
        }),
        on(&mut |from, _| fulmen::integral(from, ImageMut::new(&mut sums, 41, 31, 1)?)),
        on(&mut |from, _| fulmen::distance_transform(from, ImageMut::new(&mut far, 40, 30, 1)?, &mut near)),
        on(&mut |from, _| fulmen::histogram(from, &mut counts, &mut words)),
        fulmen::otsu(&counts, &mut level),
        on(&mut |from, _| fulmen::rotate90(from, Turn::Left, ImageMut::new(&mut colours, 30, 40, 1)?)),
        (|| {
            let (from, to) = (Image::new(&src, 20, 20, 3)?, ImageMut::new(&mut colours, 20, 20, 3)?);
            fulmen::rgb_to_bgr(from, to)?;
            fulmen::rgb_to_hsv(from, ImageMut::new(&mut colours, 20, 20, 3)?)?;
            fulmen::grey(from, Luma::Bt601, ImageMut::new(&mut colours[..400], 20, 20, 1)?)?;
            let (y, uv) = (Image::new(&src[..400], 20, 20, 1)?, Image::new(&src[..200], 10, 10, 2)?);
            fulmen::nv12_to_rgb(y, uv, Yuv::Bt709, ImageMut::new(&mut colours, 20, 20, 3)?)?;
            let (luma_plan, chroma_plan) = (
                ResizePlan::new(HALF, &mut spans, &mut by)?,
                ResizePlan::new(HALF.chroma(), &mut pairs, &mut by_pairs)?,
            );
            fulmen::rgb_to_tensor(luma_plan, from, Normalization::UNIT, &mut tensor, &mut room)?;
            let (coding, n) = (Yuv::Bt601, Normalization::UNIT);
            fulmen::nv12_to_tensor(luma_plan, chroma_plan, y, uv, coding, n, &mut tensor, &mut room)
        })(),
    ];
    FORBIDDEN.set(false);
    assert_eq!(all, [Ok(()); 17]);
    assert_eq!((dst, sums[41 * 31 - 1], counts[9], level), ([9; 1200], 10800, 1200, [9]));
}

/// LZ4 blocks, and what is none.
#[test]
fn no_lz4_allocates() {
    let (x, mut out, mut sizes) = (vec![3; 1000], vec![0; 2 * fulmen::lz4_bound(600)], [0; 2]);
    let mut back = vec![7; 1000];
    FORBIDDEN.set(true);
    let all = [
        fulmen::lz4_compress(&x, 600, &mut out, &mut sizes).is_ok(),
        fulmen::lz4_decompress(&out, &sizes, 600, &mut back).is_ok() && back == x,
        fulmen::lz4_decompress(&out, &[1; 2], 600, &mut back).is_err(),
    ];
    FORBIDDEN.set(false);
    assert_eq!((all, back), ([true; 3], vec![0; 1000]));
}

/// Blocks of quantised numbers.
#[test]
fn no_op_on_blocks_allocates() {
    use fulmen::quant::{Q4_K, Q6_K, Q8_K, blocks};
    let x: Vec<f32> = (0..1024).map(|i| (i * 37 % 101) as f32 - 50.0).collect();
    macro_rules! quiet {
        ($B:ident) => {{
            let zeros = vec![0; 4 * size_of::<$B>()];
            let mut w = blocks::<$B>(&zeros).unwrap().to_vec();
            let mut a = blocks::<Q8_K>(&[0; 4 * 292]).unwrap().to_vec();
            let (mut out, mut y) = (vec![0.0; 1024], [0.0; 4]);
            FORBIDDEN.set(true);
            let all = [
                fulmen::quantize(&x, Some(&x[..0]), &mut w).is_err(),
                fulmen::quantize(&x, None, &mut w).is_ok(),
                fulmen::quantize(&x, None, &mut a).is_ok(),
                fulmen::dequantize(&w, &mut out).is_ok(),
                fulmen::quant_dot(&w, &a).is_ok(),
                fulmen::quant_gemv(&w, &a[..2], &mut y[..2]).is_ok(),
                fulmen::quant_gemm(&w, &a, 512, &mut y).is_ok(),
                fulmen::quant_rows(&w, 256, &[3, 0, 1, 2], &mut out).is_ok(),
                fulmen::quantize_padded(&x[..800], 200, Some(&x[..0]), &mut w).is_err(),
                fulmen::quantize_padded(&x[..800], 200, None, &mut w).is_ok(),
                fulmen::dequantize_padded(&w, 200, &mut out[..800]).is_ok(),
            ];
            FORBIDDEN.set(false);
            assert_eq!(all, [true; 11]);
        }};
    }
    quiet!(Q4_K);
    quiet!(Q6_K);
    quiet!(Q8_K);
}

/// Random numbers, draws that are rejected among them.
#[test]
fn no_random_number_allocates() {
    use fulmen::random::Stream;
    let s = Stream::new(7).skip(5);
    let (mut x, mut y, mut w, mut b, mut order) =
        ([0.0f32; 99], [0.0f64; 99], [0u32; 99], [false; 99], [0; 99]);
    FORBIDDEN.set(true);
    fulmen::random_bits(s, &mut w);
    fulmen::uniform(s, &mut x);
    fulmen::uniform(s, &mut y);
    fulmen::permutation(s, &mut order);
    fulmen::shuffle(s, &mut order);
    let all = [
        fulmen::normal(s, 0.0, 1.0, &mut x).is_ok(),
        fulmen::normal(s, 0.0, f64::NAN, &mut y).is_err(),
        fulmen::exponential(s, 1.0, &mut y).is_ok(),
        fulmen::truncated_normal(s, 0.0, 1.0, 3.0, 4.0, &mut y).is_ok(),
        fulmen::integers(s, 0, 1 << 31, &mut w).is_ok(),
        fulmen::bernoulli(s, 0.5, &mut b).is_ok(),
    ];
    FORBIDDEN.set(false);
    assert_eq!(all, [true; 6]);
}

/// A model file.
#[test]
fn no_file_is_read_with_an_allocation() {
    use fulmen::gguf::{Gguf, Need, validate_model_load};
    let bytes = std::fs::read(format!("{}/tests/golden/gguf/small.gguf", common::ROOT)).unwrap();
    FORBIDDEN.set(true);
    let file = Gguf::read(&bytes).unwrap();
    let elements = file.values().filter_map(|(_, v)| v.array()).map(|a| a.iter().count()).sum::<usize>();
    let held = file.tensors().map(|t| t.bytes.len()).sum::<usize>();
    let lacks = validate_model_load(&file, &[Need::Tensor("matrix", &[3, 4]), Need::Text("absent")]).is_err();
    FORBIDDEN.set(false);
    assert_eq!((elements, held, lacks), (10, 48 + 48 + 136 + 4, true));
}

/// Every path of the matrix product: one tile, direct, packed, few rows, by columns.
#[test]
fn no_matrix_product_allocates() {
    use fulmen::{
        BiasCol, Chain, MatMut, MatRef, Pointwise, Relu, gemm, gemm_packed, gemm_with, gemm_workspace, pack_b,
    };
    for [m, n, k] in [[3, 4, 5], [40, 60, 50], [70, 300, 260], [1, 300, 100], [33, 1, 40]] {
        let (a, b, mut c) = (vec![1.0f32; m * k], vec![1.0; k * n], vec![0.0; m * n]);
        let mut ws = vec![0.0; gemm_workspace(m, n, k)];
        let mut room = vec![0.0; fulmen::packed_b_len(k, n)];
        let bias = vec![0.5; n];
        FORBIDDEN.set(true);
        let (x, y) = (MatRef::row_major(&a, m, k).unwrap(), MatRef::row_major(&b, k, n).unwrap());
        let t = MatRef::col_major(&b, k, n).unwrap();
        let e = Chain(BiasCol(&bias), Pointwise(Relu));
        let packed = pack_b(y, &mut room).unwrap();
        let results = [
            gemm(1.0, x, y, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), &mut ws),
            gemm(1.0, x, t, 1.0, MatMut::col_major(&mut c, m, n).unwrap(), &mut ws),
            gemm_packed(1.0, x, packed, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), &mut ws),
            gemm_with(1.0, x, t, 0.0, MatMut::row_major(&mut c, m, n).unwrap(), e, &mut ws),
        ];
        FORBIDDEN.set(false);
        assert_eq!(results, [Ok(()); 4]);
        assert!(c.iter().all(|c| *c == k as f32 + 0.5));
    }
}

/// Level 1 and the transpose: contiguous, with strides, at edges and past the caches.
#[test]
fn no_vector_op_and_no_transpose_allocates() {
    use fulmen::*;
    for n in [5, 300, 20_000] {
        let (mut x, mut y) = (vec![1.0f32; 2 * n], vec![2.0; 2 * n]);
        for stride in [1, 2] {
            FORBIDDEN.set(true);
            macro_rules! x {
                () => {
                    VecMut::strided(&mut x, 0, n, stride).unwrap()
                };
            }
            macro_rules! y {
                () => {
                    VecMut::strided(&mut y, 0, n, stride).unwrap()
                };
            }
            let h = rotmg(1.0, 1.0, 4.0, 2.0).h;
            let g = rotg(3.0, 4.0);
            scal(1.0, x!());
            let results = [
                swap(x!(), y!()),
                copy(x!().as_ref(), y!()),
                axpy_strided(1.0, x!().as_ref(), y!()),
                rot(x!(), y!(), g.c, g.s),
                rotm(x!(), y!(), &h),
            ];
            let values = [
                dot_strided(x!().as_ref(), y!().as_ref()).unwrap(),
                nrm2(x!().as_ref()),
                asum(x!().as_ref()),
            ];
            let at = iamax(x!().as_ref());
            FORBIDDEN.set(false);
            assert!(results == [Ok(()); 5] && at.is_ok());
            assert!(values.iter().all(|v| v.is_finite()));
        }
    }
    for [m, n] in [[3, 5], [40, 33], [1000, 1040]] {
        let (a, mut b) = (vec![1.0f32; m * n], vec![0.0; m * n]);
        let mut square = vec![3.0f32; n * n];
        let (mut over, mut room) = (a.clone(), vec![0.0; transpose_packed_in_place_workspace(m, n)]);
        FORBIDDEN.set(true);
        let x = MatRef::row_major(&a, m, n).unwrap();
        let results = [
            transpose(x, MatMut::col_major(&mut b, n, m).unwrap()),
            transpose(x, MatMut::row_major(&mut b, n, m).unwrap()),
            transpose_in_place(MatMut::row_major(&mut square, n, n).unwrap()),
            transpose_packed_in_place(&mut over, m, n, &mut room),
            transpose_batched(
                BatchRef::strided(&a, 0, [1, m, n], [0, n as isize, 1]).unwrap(),
                BatchMut::strided(&mut b, 0, [1, n, m], [0, m as isize, 1]).unwrap(),
            ),
        ];
        FORBIDDEN.set(false);
        assert_eq!(results, [Ok(()); 5]);
        assert!(b.iter().all(|b| *b == 1.0));
    }
}

/// Levels 2 and 3.
#[test]
fn no_triangle_allocates() {
    use fulmen::*;
    for n in [5, 70, 150] {
        let (a, x) = (vec![1.0f32; n * n], vec![1.0f32; n]);
        let (mut c, mut y) = (vec![1.0f32; n * n], vec![1.0f32; n]);
        let (left, lower, unit) = (Side::Left, Triangle::Lower, Diagonal::Unit);
        let mut w =
            vec![0.0; symm_workspace(left, n, n).max(syr2k_workspace(n, n)).max(trsm_workspace(left, n, n))];
        for stride in [1, -1] {
            FORBIDDEN.set(true);
            let a = MatRef::row_major(&a, n, n).unwrap();
            let v = VecRef::strided(&x, if stride == 1 { 0 } else { n - 1 }, n, stride).unwrap();
            macro_rules! c {
                () => {
                    MatMut::row_major(&mut c, n, n).unwrap()
                };
            }
            macro_rules! y {
                () => {
                    VecMut::strided(&mut y, if stride == 1 { 0 } else { n - 1 }, n, stride).unwrap()
                };
            }
            let results = [
                gemv(1.0, a, v, 0.0, y!()),
                gemv(1.0, a.t(), v, 0.0, y!()),
                ger(0.0, v, v, c!()),
                syr(0.5, v, lower, c!()),
                syr2(0.5, v, v, lower, c!().t()),
                symv(1.0, lower, a, v, 0.0, y!()),
                trmv(lower, unit, a, y!()),
                trsv(lower, unit, a, y!()),
                symm(left, 1.0, lower, a, a, 0.0, c!(), &mut w),
                syrk(1.0, a, 0.0, lower, c!(), &mut w),
                syr2k(1.0, a, a, 0.0, lower, c!(), &mut w),
                trmm(left, 1.0, lower, unit, a, c!(), &mut w),
                trsm(left, 1.0, lower, unit, a, c!(), &mut w),
            ];
            FORBIDDEN.set(false);
            assert_eq!(results, [Ok(()); 13]);
        }
    }
}
