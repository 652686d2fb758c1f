//! Libraries with the C interface of BLAS, when they are found at run time.

use libloading::Library;

/// Shape, α, A, B (by columns if so), β, C.
pub type Gemm<'a, T> = Box<dyn Fn([usize; 3], T, &[T], &[T], T, &mut [T], bool) + 'a>;

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
            let f = *unsafe { self.lib.get::<Raw>($symbol).ok()? };
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

impl Blas {
    gemm!(sgemm, b"cblas_sgemm", f32);
    gemm!(dgemm, b"cblas_dgemm", f64);
}

/// MKL, OpenBLAS and BLIS, or what `FULMEN_MKL`, `FULMEN_OPENBLAS` and `FULMEN_BLIS` name.
pub fn all() -> Vec<Blas> {
    let candidates = [
        ("mkl", "FULMEN_MKL", ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"]),
        ("openblas", "FULMEN_OPENBLAS", ["libopenblas.so.0", "libopenblas.so", "libopenblas64.so"]),
        ("blis", "FULMEN_BLIS", ["libblis.so.4", "libblis.so.5", "libblis.so"]),
    ];
    let mut found = Vec::new();
    for (name, variable, names) in candidates {
        let named = std::env::var(variable).ok();
        for path in named.iter().map(String::as_str).chain(names) {
            // SAFETY: the initialisers of these libraries may run before any thread uses them.
            let Ok(lib) = (unsafe { Library::new(path) }) else { continue };
            for (set, threads) in [(&b"MKL_Set_Num_Threads"[..], 1), (b"openblas_set_num_threads", 1)] {
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
    }
    found
}
