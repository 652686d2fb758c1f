//! Libraries with the C interface of BLAS, when they are found at run time.

use libloading::Library;
use libloading::os::unix::{self, RTLD_NOW};
use std::ffi::c_void;

/// Shape, α, A, B (by columns if so), β, C.
pub type Gemm<'a, T> = Box<dyn Fn([usize; 3], T, &[T], &[T], T, &mut [T], bool) + 'a>;

/// Of glibc.
const RTLD_DEEPBIND: i32 = 8;

pub struct Blas {
    pub name: String,
    lib: Library,
}

macro_rules! gemm {
    ($name:ident, $symbol:literal, $t:ident) => {
        pub fn $name(&self) -> Option<Gemm<'_, $t>> {
            type Raw = unsafe extern "C" fn(
                i32,
                i32,
                i32,
                i32,
                i32,
                i32,
                $t,
                *const $t,
                i32,
                *const $t,
                i32,
                $t,
                *mut $t,
                i32,
            );
            // SAFETY: CBLAS's documented signature.
            let f = *unsafe { self.symbol::<Raw>($symbol)? };
            Some(Box::new(move |[m, n, k], alpha, a: &[$t], b: &[$t], beta, c: &mut [$t], by_columns| {
                assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
                let [m, n, k] = [m, n, k].map(|x| x as i32);
                // SAFETY: row-major matrices of these shapes.
                unsafe {
                    f(
                        101,
                        111,
                        if by_columns { 112 } else { 111 },
                        m,
                        n,
                        k,
                        alpha,
                        a.as_ptr(),
                        k,
                        b.as_ptr(),
                        if by_columns { k } else { n },
                        beta,
                        c.as_mut_ptr(),
                        n,
                    )
                }
            }))
        }
    };
}

macro_rules! functions {
    ($Functions:ident, $functions:ident, $($name:ident $symbol:literal ($($arg:ty),*) $(-> $ret:ty)?;)*) => {
        /// Functions, those that the library has.
        #[derive(Clone, Copy)]
        pub struct $Functions {
            $(pub $name: Option<unsafe extern "C" fn($($arg),*) $(-> $ret)?>,)*
        }
        impl Blas {
            pub fn $functions(&self) -> $Functions {
                // SAFETY: CBLAS's documented signatures, and those of MKL's and OpenBLAS's extensions.
                unsafe { $Functions { $($name: self.symbol($symbol).map(|f| *f),)* } }
            }
        }
    };
}
functions!(S1, s1,
    swap b"cblas_sswap" (i32, *mut f32, i32, *mut f32, i32);
    copy b"cblas_scopy" (i32, *const f32, i32, *mut f32, i32);
    scal b"cblas_sscal" (i32, f32, *mut f32, i32);
    axpy b"cblas_saxpy" (i32, f32, *const f32, i32, *mut f32, i32);
    dot b"cblas_sdot" (i32, *const f32, i32, *const f32, i32) -> f32;
    nrm2 b"cblas_snrm2" (i32, *const f32, i32) -> f32;
    asum b"cblas_sasum" (i32, *const f32, i32) -> f32;
    iamax b"cblas_isamax" (i32, *const f32, i32) -> usize;
    rot b"cblas_srot" (i32, *mut f32, i32, *mut f32, i32, f32, f32);
    rotm b"cblas_srotm" (i32, *mut f32, i32, *mut f32, i32, *const f32);
    omatcopy b"cblas_somatcopy" (i32, i32, i32, i32, f32, *const f32, i32, *mut f32, i32);
    mkl_omatcopy b"MKL_Somatcopy" (i8, i8, usize, usize, f32, *const f32, usize, *mut f32, usize);
    imatcopy b"cblas_simatcopy" (i32, i32, i32, i32, f32, *mut f32, i32, i32);
    mkl_imatcopy b"MKL_Simatcopy" (i8, i8, usize, usize, f32, *mut f32, usize, usize);
);
functions!(D1, d1,
    swap b"cblas_dswap" (i32, *mut f64, i32, *mut f64, i32);
    copy b"cblas_dcopy" (i32, *const f64, i32, *mut f64, i32);
    scal b"cblas_dscal" (i32, f64, *mut f64, i32);
    axpy b"cblas_daxpy" (i32, f64, *const f64, i32, *mut f64, i32);
    dot b"cblas_ddot" (i32, *const f64, i32, *const f64, i32) -> f64;
    nrm2 b"cblas_dnrm2" (i32, *const f64, i32) -> f64;
    asum b"cblas_dasum" (i32, *const f64, i32) -> f64;
    iamax b"cblas_idamax" (i32, *const f64, i32) -> usize;
    rot b"cblas_drot" (i32, *mut f64, i32, *mut f64, i32, f64, f64);
    rotm b"cblas_drotm" (i32, *mut f64, i32, *mut f64, i32, *const f64);
    omatcopy b"cblas_domatcopy" (i32, i32, i32, i32, f64, *const f64, i32, *mut f64, i32);
    mkl_omatcopy b"MKL_Domatcopy" (i8, i8, usize, usize, f64, *const f64, usize, *mut f64, usize);
    imatcopy b"cblas_dimatcopy" (i32, i32, i32, i32, f64, *mut f64, i32, i32);
    mkl_imatcopy b"MKL_Dimatcopy" (i8, i8, usize, usize, f64, *mut f64, usize, usize);
);

functions!(S23, s23,
    gemv b"cblas_sgemv" (i32, i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32);
    ger b"cblas_sger" (i32, i32, i32, f32, *const f32, i32, *const f32, i32, *mut f32, i32);
    syr b"cblas_ssyr" (i32, i32, i32, f32, *const f32, i32, *mut f32, i32);
    syr2 b"cblas_ssyr2" (i32, i32, i32, f32, *const f32, i32, *const f32, i32, *mut f32, i32);
    symv b"cblas_ssymv" (i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32);
    trsv b"cblas_strsv" (i32, i32, i32, i32, i32, *const f32, i32, *mut f32, i32);
    symm b"cblas_ssymm" (i32, i32, i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32);
    syrk b"cblas_ssyrk" (i32, i32, i32, i32, i32, f32, *const f32, i32, f32, *mut f32, i32);
    syr2k b"cblas_ssyr2k" (i32, i32, i32, i32, i32, f32, *const f32, i32, *const f32, i32, f32, *mut f32, i32);
    trmm b"cblas_strmm" (i32, i32, i32, i32, i32, i32, i32, f32, *const f32, i32, *mut f32, i32);
    trsm b"cblas_strsm" (i32, i32, i32, i32, i32, i32, i32, f32, *const f32, i32, *mut f32, i32);
);
functions!(D23, d23,
    gemv b"cblas_dgemv" (i32, i32, i32, i32, f64, *const f64, i32, *const f64, i32, f64, *mut f64, i32);
    ger b"cblas_dger" (i32, i32, i32, f64, *const f64, i32, *const f64, i32, *mut f64, i32);
    syr b"cblas_dsyr" (i32, i32, i32, f64, *const f64, i32, *mut f64, i32);
    syr2 b"cblas_dsyr2" (i32, i32, i32, f64, *const f64, i32, *const f64, i32, *mut f64, i32);
    symv b"cblas_dsymv" (i32, i32, i32, f64, *const f64, i32, *const f64, i32, f64, *mut f64, i32);
    trsv b"cblas_dtrsv" (i32, i32, i32, i32, i32, *const f64, i32, *mut f64, i32);
    symm b"cblas_dsymm" (i32, i32, i32, i32, i32, f64, *const f64, i32, *const f64, i32, f64, *mut f64, i32);
    syrk b"cblas_dsyrk" (i32, i32, i32, i32, i32, f64, *const f64, i32, f64, *mut f64, i32);
    syr2k b"cblas_dsyr2k" (i32, i32, i32, i32, i32, f64, *const f64, i32, *const f64, i32, f64, *mut f64, i32);
    trmm b"cblas_dtrmm" (i32, i32, i32, i32, i32, i32, i32, f64, *const f64, i32, *mut f64, i32);
    trsm b"cblas_dtrsm" (i32, i32, i32, i32, i32, i32, i32, f64, *const f64, i32, *mut f64, i32);
);
/// `C = AB` for square matrices in rows.
pub type Low<'a, T, C> = Box<dyn Fn(usize, &[T], &[T], &mut [C]) + 'a>;

impl Blas {
    /// A function, also as scipy's OpenBLAS calls it.
    /// # Safety
    /// `F` is its signature.
    unsafe fn symbol<F>(&self, name: &[u8]) -> Option<libloading::Symbol<'_, F>> {
        // SAFETY: the caller's promise.
        unsafe { self.lib.get(name).or_else(|_| self.lib.get([b"scipy_", name].concat().as_slice())).ok() }
    }
    /// MKL's product of bf16 matrices.
    pub fn gemm_bf16(&self) -> Option<Low<'_, half::bf16, f32>> {
        type Raw = unsafe extern "C" fn(
            i32,
            i32,
            i32,
            i32,
            i32,
            i32,
            f32,
            *const half::bf16,
            i32,
            *const half::bf16,
            i32,
            f32,
            *mut f32,
            i32,
        );
        // SAFETY: MKL's documented signature.
        let f = *unsafe { self.lib.get::<Raw>(b"cblas_gemm_bf16bf16f32").ok()? };
        Some(Box::new(move |n, a, b, c| {
            assert!([a.len(), b.len(), c.len()] == [n * n; 3]);
            let n = n as i32;
            // SAFETY: row-major matrices of this shape.
            unsafe { f(101, 111, 111, n, n, n, 1.0, a.as_ptr(), n, b.as_ptr(), n, 0.0, c.as_mut_ptr(), n) }
        }))
    }
    /// MKL's product of bytes, one operand of which it takes as unsigned.
    pub fn gemm_i8(&self) -> Option<Low<'_, i8, i32>> {
        type Raw = unsafe extern "C" fn(
            i32,
            i32,
            i32,
            i32,
            i32,
            i32,
            i32,
            f32,
            *const i8,
            i32,
            i8,
            *const i8,
            i32,
            i8,
            f32,
            *mut i32,
            i32,
            *const i32,
        );
        // SAFETY: MKL's documented signature.
        let f = *unsafe { self.lib.get::<Raw>(b"cblas_gemm_s8u8s32").ok()? };
        Some(Box::new(move |n, a, b, c| {
            assert!([a.len(), b.len(), c.len()] == [n * n; 3]);
            let n = n as i32;
            let (a, b) = (a.as_ptr(), b.as_ptr());
            // SAFETY: row-major matrices of this shape; no offsets, of which 173 (fixed) reads one number.
            unsafe { f(101, 111, 111, 173, n, n, n, 1.0, a, n, 0, b, n, 0, 0.0, c.as_mut_ptr(), n, &0) }
        }))
    }
    gemm!(sgemm, b"cblas_sgemm", f32);
    gemm!(dgemm, b"cblas_dgemm", f64);
}

/// `C = AB` for row-major matrices of one shape.
pub type Fixed<'a, T> = Box<dyn Fn(&[T], &[T], &mut [T]) + 'a>;

/// Code made at run time for one shape: MKL's JIT, libxsmm.
macro_rules! special {
    ($name:ident, $t:ident, $create:literal, $get:literal, $dispatch:literal) => {
        pub fn $name(&self, [m, n, k]: [usize; 3]) -> Option<Fixed<'_, $t>> {
            type Create = unsafe extern "C" fn(
                *mut *mut c_void,
                i32,
                i32,
                i32,
                i32,
                i32,
                i32,
                $t,
                i32,
                i32,
                $t,
                i32,
            ) -> i32;
            type Kernel = unsafe extern "C" fn(*mut c_void, *const $t, *const $t, *mut $t);
            type Get = unsafe extern "C" fn(*mut c_void) -> Option<Kernel>;
            type Bare = unsafe extern "C" fn(*const $t, *const $t, *mut $t);
            type Dispatch = unsafe extern "C" fn(
                i32,
                i32,
                i32,
                *const i32,
                *const i32,
                *const i32,
                *const $t,
                *const $t,
                *const i32,
                *const i32,
            ) -> Option<Bare>;
            let right = move |a: &[$t], b: &[$t], c: &[$t]| {
                assert!(a.len() == m * k && b.len() == k * n && c.len() == m * n);
            };
            let [m, n, k] = [m, n, k].map(|x| x as i32);
            // SAFETY: the documented signatures; the code lives as long as the library.
            unsafe {
                if let (Ok(create), Ok(get)) = (self.lib.get::<Create>($create), self.lib.get::<Get>($get)) {
                    let mut jit = std::ptr::null_mut();
                    let status = create(&mut jit, 101, 111, 111, m, n, k, 1.0, k, n, 0.0, n);
                    // 2 is an error; 1 is no code of its own, but a call that works.
                    let f = if status == 0 { get(jit)? } else { return None };
                    return Some(Box::new(move |a, b, c| {
                        right(a, b, c);
                        f(jit, a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                    }));
                }
                // By columns: Cᵀ = BᵀAᵀ.
                let dispatch = self.lib.get::<Dispatch>($dispatch).ok()?;
                let none = std::ptr::null();
                let f = dispatch(n, m, k, &n, &k, &n, &1.0, &0.0, none, none)?;
                Some(Box::new(move |a, b, c| {
                    right(a, b, c);
                    f(b.as_ptr(), a.as_ptr(), c.as_mut_ptr());
                }))
            }
        }
    };
}
impl Blas {
    special!(special_s, f32, b"mkl_cblas_jit_create_sgemm", b"mkl_jit_get_sgemm_ptr", b"libxsmm_smmdispatch");
    special!(special_d, f64, b"mkl_cblas_jit_create_dgemm", b"mkl_jit_get_dgemm_ptr", b"libxsmm_dmmdispatch");
}

/// MKL, OpenBLAS, BLIS and libxsmm, or what `FULMEN_MKL`, `FULMEN_OPENBLAS`, `FULMEN_BLIS` and `FULMEN_XSMM` name.
pub fn all(threads: i32) -> Vec<Blas> {
    let candidates = [
        ("mkl", "FULMEN_MKL", ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"]),
        ("openblas", "FULMEN_OPENBLAS", ["libopenblas.so.0", "libopenblas.so", "libopenblas64.so"]),
        ("blis", "FULMEN_BLIS", ["libblis.so.4", "libblis.so.5", "libblis.so"]),
        ("libxsmm", "FULMEN_XSMM", ["libxsmm.so.1", "libxsmm.so.2", "libxsmm.so"]),
    ];
    let mut found = Vec::new();
    for (name, variable, names) in candidates {
        let named = std::env::var(variable).ok();
        for path in named.iter().map(String::as_str).chain(names) {
            // Their own symbols first: each would otherwise call what the first of them defines.
            let flags = if name == "mkl" { RTLD_NOW } else { RTLD_NOW | RTLD_DEEPBIND };
            // SAFETY: the initialisers of these libraries may run before any thread uses them.
            let Ok(lib) = (unsafe { unix::Library::open(Some(path), flags) }) else { continue };
            let lib = Library::from(lib);
            for set in
                [&b"MKL_Set_Num_Threads"[..], b"openblas_set_num_threads", b"scipy_openblas_set_num_threads"]
            {
                // SAFETY: both take one C int.
                unsafe {
                    if let Ok(f) = lib.get::<unsafe extern "C" fn(i32)>(set) {
                        f(threads);
                    }
                }
            }
            println!("{name}: {path}");
            found.push(Blas { name: name.into(), lib });
            break;
        }
        if found.last().is_none_or(|b| b.name != name) {
            println!("{name}: not found");
        }
    }
    found
}
