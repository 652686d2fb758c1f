//! NVIDIA's driver.

use super::{N, median};
use cudarc::driver::sys;
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use fulmen::gpu::device::Error;
use fulmen::gpu::{F32, template};
use std::ffi::CString;
use std::ptr;

pub fn run() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    let copy = copy(&gpu)?;
    super::run(&gpu, || copy)?;
    if "decode".contains(&std::env::args().nth(2).unwrap_or_default()) {
        super::decode::follow(Gpu::rounding(Cuda::from_env()?)?, super::decode::large());
    }
    if "lz4".contains(&std::env::args().nth(2).unwrap_or_default()) {
        lz4(&gpu, copy)?;
    }
    launches(&gpu)
}

/// Words in blocks of 64 KiB: as many bytes as the copy has.
fn lz4(gpu: &Gpu<Cuda>, copy: f64) -> Result<(), Error> {
    const BLOCK: usize = 1 << 16;
    let (mut seed, mut text) = (1u64, Vec::new());
    while text.len() < 1 << 22 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Few words are used often.
        let word = (seed >> 32) % 2000 * ((seed >> 44) % 2000) / 2000;
        text.extend((0..2 + word % 8).map(|k| b'a' + ((word * 7 + k * (word % 5 + 1)) % 26) as u8));
        text.push(b' ');
    }
    text.truncate(1 << 22);
    let (all, count) = (text.repeat(4 * N / text.len()), 4 * N / BLOCK);
    let (from, mut back) = (gpu.upload(&all)?, gpu.alloc::<u8>(all.len())?);
    let mut slots = gpu.alloc::<u8>(count * fulmen::lz4_bound(BLOCK))?;
    let mut sizes = gpu.alloc::<u32>(count)?;
    let say = |name: &str, seconds: f64| {
        super::say(name, seconds, &format!("{:.1} GB/s", all.len() as f64 / seconds / 1e9), copy / seconds);
    };
    let seconds =
        median(5, sync, || gpu.lz4_compress(from.view(), BLOCK, slots.view_mut(), sizes.view_mut()))?;
    say("lz4_compress of words", seconds);
    let seconds = median(5, sync, || gpu.lz4_decompress(slots.view(), sizes.view(), BLOCK, back.view_mut()))?;
    say("lz4_decompress of words", seconds);
    let (mut got, mut lengths) = (vec![0; all.len()], vec![0; count]);
    gpu.download(back.view(), &mut got)?;
    gpu.download(sizes.view(), &mut lengths)?;
    assert!(got == all);
    let size: u64 = lengths.iter().map(|n: &u32| u64::from(*n)).sum();
    println!("  ratio {:.3}", all.len() as f64 / size as f64);
    Ok(())
}

/// Of 16-bit elements alone.
pub fn attention() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    let mark = gpu.upload(&[0.0f32])?;
    super::half_attention(&gpu, || gpu.download(mark.view(), &mut [0.0f32]))
}

/// Of heads of many widths.
pub fn widths() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    let mark = gpu.upload(&[0.0f32])?;
    super::half_widths(&gpu, || gpu.download(mark.view(), &mut [0.0f32]))
}

fn sync() -> Result<(), Error> {
    // SAFETY: no argument.
    assert_eq!(unsafe { sys::cuCtxSynchronize() }, sys::CUresult::CUDA_SUCCESS);
    Ok(())
}

/// Seconds of a copy of `N` `f32`.
fn copy(gpu: &Gpu<Cuda>) -> Result<f64, Error> {
    // The context becomes this thread's.
    gpu.download(gpu.upload(&[0.0f32])?.view(), &mut [0.0f32])?;
    // The driver's own copy: as many bytes read as written.
    let mut room = [0; 2];
    for at in &mut room {
        // SAFETY: valid for a write; the device's context is this thread's since the last call of it.
        assert_eq!(unsafe { sys::cuMemAlloc_v2(at, 4 * N) }, sys::CUresult::CUDA_SUCCESS);
    }
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
    Ok(copy)
}

/// A kernel of one block through the driver's call alone.
fn launches(gpu: &Gpu<Cuda>) -> Result<(), Error> {
    const TIMES: usize = 20_000;
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
    println!("a launch of one block: {:.2} µs by cuLaunchKernel alone", raw * 1e6);
    Ok(())
}
