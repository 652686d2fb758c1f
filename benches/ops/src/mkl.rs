//! MKL's vector math, when `libmkl_rt` is found at run time (`FULMEN_MKL` names another path).

use libloading::{Library, Symbol};

type Unary = unsafe extern "C" fn(i64, *const f32, *mut f32, i64);

/// Accuracy modes of VML.
#[derive(Clone, Copy)]
pub enum Mode {
    La = 1,
    Ha = 2,
    Ep = 3,
}

pub struct Mkl(Library);

impl Mkl {
    pub fn load() -> Option<Self> {
        let named = std::env::var("FULMEN_MKL").ok();
        let names = named.into_iter().chain(
            ["libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"].into_iter().flat_map(|n| {
                let home = std::env::var("HOME").unwrap_or_default();
                let pyenv =
                    std::fs::read_dir(format!("{home}/.pyenv/versions")).into_iter().flatten().flatten();
                let found: Vec<String> =
                    pyenv.map(|d| d.path().join("lib").join(n).to_string_lossy().into_owned()).collect();
                [n.to_string()].into_iter().chain(found)
            }),
        );
        for name in names {
            // SAFETY: MKL's initialisers are safe to run once, before any thread uses it.
            if let Ok(lib) = unsafe { Library::new(&name) } {
                let mkl = Self(lib);
                // SAFETY: `MKL_Set_Num_Threads(int)` is MKL's documented C signature.
                unsafe {
                    if let Ok(f) = mkl.0.get::<unsafe extern "C" fn(i32)>(b"MKL_Set_Num_Threads") {
                        f(1);
                    }
                }
                println!("MKL from {name}");
                return Some(mkl);
            }
        }
        println!("MKL not found: its rows are missing (set FULMEN_MKL to the path of libmkl_rt.so)");
        None
    }

    /// `vmsExp` and its like: `out = f(x)` with an explicit accuracy mode.
    pub fn unary(&self, name: &str, mode: Mode) -> Option<impl Fn(&[f32], &mut [f32]) + '_> {
        // SAFETY: vms* functions take (MKL_INT n, const float*, float*, MKL_INT64 mode).
        let f: Symbol<'_, Unary> = unsafe { self.0.get(name.as_bytes()).ok()? };
        // The default interface is LP64: `n` is a 32-bit int in the low half of the register.
        Some(move |x: &[f32], out: &mut [f32]| {
            assert_eq!(x.len(), out.len());
            // SAFETY: both slices have `n` elements.
            unsafe { f(x.len() as i64, x.as_ptr(), out.as_mut_ptr(), mode as i64) }
        })
    }

    /// `cblas_sdot`.
    pub fn dot(&self) -> Option<impl Fn(&[f32], &[f32]) -> f32 + '_> {
        type Dot = unsafe extern "C" fn(i32, *const f32, i32, *const f32, i32) -> f32;
        // SAFETY: CBLAS's documented signature.
        let f: Symbol<'_, Dot> = unsafe { self.0.get(b"cblas_sdot").ok()? };
        Some(move |x: &[f32], y: &[f32]| {
            assert_eq!(x.len(), y.len());
            // SAFETY: both slices have `n` elements.
            unsafe { f(x.len() as i32, x.as_ptr(), 1, y.as_ptr(), 1) }
        })
    }

    /// `cblas_saxpy`.
    pub fn axpy(&self) -> Option<impl Fn(f32, &[f32], &mut [f32]) + '_> {
        type Axpy = unsafe extern "C" fn(i32, f32, *const f32, i32, *mut f32, i32);
        // SAFETY: CBLAS's documented signature.
        let f: Symbol<'_, Axpy> = unsafe { self.0.get(b"cblas_saxpy").ok()? };
        Some(move |alpha: f32, x: &[f32], y: &mut [f32]| {
            assert_eq!(x.len(), y.len());
            // SAFETY: both slices have `n` elements.
            unsafe { f(x.len() as i32, alpha, x.as_ptr(), 1, y.as_mut_ptr(), 1) }
        })
    }
}
