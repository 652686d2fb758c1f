//! cuBLAS, by its C interface.

use cudarc::driver::sys;
use fulmen::gpu::template::GroupProduct;
use fulmen::gpu::{Group, Type};
use libloading::Library;
use std::ffi::c_void;

type Handle = *mut c_void;
type GemmEx = unsafe extern "C" fn(
    Handle,
    i32,
    i32,
    i32,
    i32,
    i32,
    *const c_void,
    u64,
    i32,
    i32,
    u64,
    i32,
    i32,
    *const c_void,
    u64,
    i32,
    i32,
    i32,
    i32,
) -> i32;

pub struct Cublas {
    library: Library,
    handle: Handle,
}

fn done(code: i32) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("cuBLAS says {code}")) }
}

impl Cublas {
    /// The library at this path, with a workspace of its own in the current context.
    pub fn open(path: &str) -> Result<Self, String> {
        // SAFETY: runs the library's initialisers only; the signatures are those of cublas_v2.h.
        unsafe {
            let library = Library::new(path).map_err(|e| e.to_string())?;
            let mut handle: Handle = std::ptr::null_mut();
            let create = library
                .get::<unsafe extern "C" fn(*mut Handle) -> i32>(b"cublasCreate_v2")
                .map_err(|e| e.to_string())?;
            done(create(&raw mut handle))?;
            let space = cudarc::driver::result::malloc_sync(64 << 20).map_err(|e| format!("{e:?}"))?;
            let set = library
                .get::<unsafe extern "C" fn(Handle, u64, usize) -> i32>(b"cublasSetWorkspace_v2")
                .map_err(|e| e.to_string())?;
            done(set(handle, space, 64 << 20))?;
            Ok(Self { library, handle })
        }
    }

    /// Row-major `C = A·Bᵀ` is column-major `Cᵀ = Bᵀᵀ·Aᵀ`.
    pub fn product(
        &self,
        stream: sys::CUstream,
        p: &GroupProduct,
        [a, b, c]: [u64; 3],
    ) -> Result<(), String> {
        let code = |ty| match ty {
            Type::F16 => 2,
            Type::Bf16 => 14,
            _ => 0,
        };
        let (input, output) = (code(p.input.element()), code(p.output));
        // CUBLAS_COMPUTE_32F, and its form with TF32.
        let compute = if p.input == Group::Tf32 { 77 } else { 68 };
        let (alpha, beta) = (p.alpha, p.beta);
        // SAFETY: as in `open`; the buffers hold what the sizes say, the factors outlive the call.
        unsafe {
            let stream_of = self
                .library
                .get::<unsafe extern "C" fn(Handle, sys::CUstream) -> i32>(b"cublasSetStream_v2")
                .map_err(|e| e.to_string())?;
            done(stream_of(self.handle, stream))?;
            let gemm = self.library.get::<GemmEx>(b"cublasGemmEx").map_err(|e| e.to_string())?;
            done(gemm(
                self.handle,
                1,
                0,
                p.n as i32,
                p.m as i32,
                p.k as i32,
                (&raw const alpha).cast(),
                b,
                input,
                p.ldb as i32,
                a,
                input,
                p.lda as i32,
                (&raw const beta).cast(),
                c,
                output,
                p.ldc as i32,
                compute,
                -1,
            ))
        }
    }
}
