//! What ops take on a device of NVIDIA's, beside its own copies and launches.

use cudarc::driver::sys;
use fulmen::Attention;
use fulmen::backend::Layers;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use fulmen::gpu::device::Error;
use fulmen::gpu::{F32, template};
use std::ffi::CString;
use std::ptr;
use std::time::Instant;

/// Elements of the long operands.
const N: usize = 1 << 26;
const ROUNDS: usize = 7;

/// The median of seconds, each of `times` calls that are waited for.
fn median(
    times: usize,
    wait: impl Fn() -> Result<(), Error>,
    mut f: impl FnMut() -> Result<(), Error>,
) -> Result<f64, Error> {
    f()?;
    wait()?;
    let mut all = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..times {
            f()?;
        }
        wait()?;
        all.push(start.elapsed().as_secs_f64() / times as f64);
    }
    all.sort_by(f64::total_cmp);
    Ok(all[ROUNDS / 2])
}

pub fn run(gpu: &Gpu<Cuda>) -> Result<(), Error> {
    let data: Vec<f32> =
        (0..N).map(|i| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32 / 8_388_608.0 - 1.0).collect();
    let (a, b, c) = (gpu.upload(&data)?, gpu.upload(&data[..N / 2])?, gpu.upload(&data[..4096])?);
    let mut y = gpu.alloc::<f32>(N)?;
    let mut one = gpu.alloc::<f32>(1)?;
    let mark = gpu.upload(&[0.0f32])?;
    let wait = || gpu.download(mark.view(), &mut [0.0f32]);

    // The driver's own copy: as many bytes read as written.
    let mut room = [0; 2];
    for at in &mut room {
        // SAFETY: valid for a write; the device's context is this thread's since the last call of it.
        assert_eq!(unsafe { sys::cuMemAlloc_v2(at, 4 * N) }, sys::CUresult::CUDA_SUCCESS);
    }
    let sync = || {
        // SAFETY: no argument.
        assert_eq!(unsafe { sys::cuCtxSynchronize() }, sys::CUresult::CUDA_SUCCESS);
        Ok(())
    };
    let copy = median(20, sync, || {
        // SAFETY: both are as long.
        let code = unsafe { sys::cuMemcpyDtoDAsync_v2(room[1], room[0], 4 * N, ptr::null_mut()) };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        Ok(())
    })?;
    for at in room {
        // SAFETY: allocated above, and nothing uses it.
        unsafe { sys::cuMemFree_v2(at) };
    }
    let rate = 8.0 * N as f64 / copy / 1e9;
    println!("a copy of 2^26 f32 by the driver: {:.3} ms, {rate:.0} GB/s", copy * 1e3);

    let line = |name: &str, words: f64, seconds: f64| {
        let gb = 4.0 * words / seconds / 1e9;
        println!("{name:24} {:8.3} ms {gb:7.0} GB/s {:5.2} of the copy", seconds * 1e3, gb / rate);
    };
    let n = N as f64;
    let half = N / 2;
    let view = a.view();
    macro_rules! time {
        ($name:expr, $words:expr, $e:expr) => {
            line($name, $words, median(20, wait, || $e)?);
        };
    }
    time!("scale", 2.0 * n, gpu.scale(view, 1.5, y.view_mut()));
    time!("exp", 2.0 * n, gpu.exp(view, y.view_mut()));
    time!("gelu", 2.0 * n, gpu.gelu(view, y.view_mut()));
    time!("tanh", 2.0 * n, gpu.tanh(view, y.view_mut()));
    time!("add of halves", 1.5 * n, {
        let [to, _] = y.view_mut().split(half)?;
        gpu.add(b.view(), view.part(0..half)?, to)
    });
    time!("axpy", 3.0 * n, gpu.axpy(0.5, view, y.view_mut()));
    time!("sum", n, gpu.sum(view, one.view_mut()));
    time!("dot", n, gpu.dot(b.view(), view.part(half..N)?, one.view_mut()));
    time!("norm_l2", n, gpu.norm_l2(view, one.view_mut()));
    time!("variance", 2.0 * n, gpu.variance(view, one.view_mut()));
    for cols in [128, 1024, 4096] {
        time!(&format!("softmax, rows of {cols}"), 2.0 * n, gpu.softmax(view, cols, y.view_mut()));
        let gamma = c.view().part(0..cols)?;
        time!(&format!("rms_norm, rows of {cols}"), 2.0 * n, gpu.rms_norm(view, gamma, 1e-5, y.view_mut()));
    }
    for cols in [32_768, 1 << 21] {
        time!(&format!("softmax, rows of {cols}"), 2.0 * n, gpu.softmax(view, cols, y.view_mut()));
    }
    for size in [256, 512, 768, 1024, 2048, 4096] {
        let (p, q) = (view.part(0..size * size)?, view.part(7..size * size + 7)?);
        let seconds = median(5, wait, || {
            let [z, _] = y.view_mut().split(size * size)?;
            gpu.gemm(1.0, p.matrix(size, size)?, q.matrix(size, size)?, 0.0, z.matrix(size, size)?)
        })?;
        println!(
            "gemm {size:5}: {:8.3} ms, {:.1} TFLOP/s",
            seconds * 1e3,
            2e-12 * (size as f64).powi(3) / seconds
        );
    }
    attention(gpu, wait)?;
    launches(gpu)
}

/// Causal attention and its gradients, as models train: 2 and 5 products of which half are hidden.
fn attention(gpu: &Gpu<Cuda>, wait: impl Fn() -> Result<(), Error> + Copy) -> Result<(), Error> {
    for (n, heads, dim) in [(256, 64, 64), (1024, 16, 64), (4096, 8, 64), (2048, 8, 128)] {
        let op = Attention { heads, kv_heads: heads, dim, scale: 0.1f32, causal: true, window: None };
        let cols = heads * dim;
        let x = gpu.upload(&(0..n * cols).map(|i| (i % 97) as f32 / 97.0 - 0.5).collect::<Vec<_>>())?;
        let (mut out, mut lse, mut none) = (gpu.alloc(n * cols)?, gpu.alloc(n * heads)?, gpu.alloc(0)?);
        let [mut dq, mut dk, mut dv] = [gpu.alloc(n * cols)?, gpu.alloc(n * cols)?, gpu.alloc(n * cols)?];
        let v = x.view().matrix(n, cols)?;
        let forward = median(5, wait, || {
            let to = out.view_mut().matrix(n, cols)?;
            gpu.attention(&op, v, v, v, to, Some(lse.view_mut()), none.view_mut())
        })?;
        let backward = median(5, wait, || {
            let [dq, dk, dv] = [&mut dq, &mut dk, &mut dv].map(|x| x.view_mut().matrix(n, cols));
            let (o, lse) = (out.view().matrix(n, cols)?, lse.view());
            gpu.attention_backward(&op, v, v, v, o, lse, v, dq?, dk?, dv?, none.view_mut())
        })?;
        let flop = 2.0 * (n * n) as f64 * cols as f64;
        println!(
            "attention of {n} on {heads} heads of {dim}: {:.3} ms, {:.1} TFLOP/s; gradients {:.3} ms, {:.1} TFLOP/s",
            forward * 1e3,
            1e-12 * flop / forward,
            backward * 1e3,
            2.5e-12 * flop / backward
        );
    }
    Ok(())
}

/// A kernel of one block through the backend, and through the driver's call alone.
fn launches(gpu: &Gpu<Cuda>) -> Result<(), Error> {
    const TIMES: usize = 20_000;
    let mut y = gpu.upload(&[1.0f32; 64])?;
    let mark = gpu.upload(&[0.0f32])?;
    let wait = || gpu.download(mark.view(), &mut [0.0f32]);
    let ours = median(TIMES, wait, || gpu.scale_in_place(y.view_mut(), 1.0))?;
    let mut text = String::new();
    template::named::<F32>("scale").unwrap().unwrap().emit(gpu.device().target(), &mut text).unwrap();
    let (image, name) = (CString::new(text).unwrap(), CString::new("scale_f32").unwrap());
    let (mut module, mut function, mut at) = (ptr::null_mut(), ptr::null_mut(), 0);
    // SAFETY: valid for writes; the text ends with 0; the context is this thread's.
    unsafe {
        assert_eq!(sys::cuModuleLoadData(&mut module, image.as_ptr().cast()), sys::CUresult::CUDA_SUCCESS);
        assert_eq!(
            sys::cuModuleGetFunction(&mut function, module, name.as_ptr()),
            sys::CUresult::CUDA_SUCCESS
        );
        assert_eq!(sys::cuMemAlloc_v2(&mut at, 256), sys::CUresult::CUDA_SUCCESS);
    }
    let mut args = [at, at, 64, u64::from(1.0f32.to_bits())];
    let mut args: Vec<*mut std::ffi::c_void> = args.iter_mut().map(|a| (&raw mut *a).cast()).collect();
    let sync = || {
        // SAFETY: no argument.
        assert_eq!(unsafe { sys::cuCtxSynchronize() }, sys::CUresult::CUDA_SUCCESS);
        Ok(())
    };
    let raw = median(TIMES, sync, || {
        // SAFETY: the arguments are those of the kernel, on a buffer of 64 elements.
        let code = unsafe {
            sys::cuLaunchKernel(
                function,
                1,
                1,
                1,
                256,
                1,
                1,
                0,
                ptr::null_mut(),
                args.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        assert_eq!(code, sys::CUresult::CUDA_SUCCESS);
        Ok(())
    })?;
    println!(
        "a launch: {:.2} µs through the backend, {:.2} µs by cuLaunchKernel alone",
        ours * 1e6,
        raw * 1e6
    );
    Ok(())
}
