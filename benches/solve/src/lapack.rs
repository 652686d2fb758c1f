//! LAPACK's Fortran interface, of libraries that are found at run time.

use fulmen::Element;
use libloading::Library;
use std::ffi::{c_char, c_void};

pub struct Lapack {
    pub name: &'static str,
    lib: Library,
}

pub fn all() -> Vec<Lapack> {
    let load = |name, key: &str, path: &str| {
        let path = std::env::var(key).unwrap_or_else(|_| path.into());
        // SAFETY: the initialisers of OpenBLAS and MKL are safe to run once, before any thread uses them.
        let lib = unsafe { Library::new(path) }.ok()?;
        for threads in [&b"openblas_set_num_threads"[..], b"MKL_Set_Num_Threads"] {
            // SAFETY: both are documented to take one `int`.
            unsafe {
                if let Ok(f) = lib.get::<unsafe extern "C" fn(i32)>(threads) {
                    f(1);
                }
            }
        }
        Some(Lapack { name, lib })
    };
    let libs = [
        load("openblas", "FULMEN_OPENBLAS", "libopenblas.so.0"),
        load("mkl", "FULMEN_MKL", "libmkl_rt.so.2"),
    ];
    libs.into_iter().flatten().collect()
}

/// The letter before LAPACK's names.
pub trait Real {
    const LETTER: char;
}
impl Real for f32 {
    const LETTER: char = 's';
}
impl Real for f64 {
    const LETTER: char = 'd';
}

/// What the routines write.
pub struct Room<T> {
    n: i32,
    a: Vec<T>,
    u: Vec<T>,
    vt: Vec<T>,
    values: Vec<T>,
    integers: Vec<i32>,
    work: Vec<T>,
}

type P<T> = *mut T;
type C<T> = *const T;

impl<T: Element + Real> Room<T> {
    pub fn new(n: usize) -> Self {
        let square = || vec![T::ZERO; n * n];
        // More than any of the routines asks for.
        let work = vec![T::ZERO; 8 * n * n + 200 * n + 4096];
        Self {
            n: n as i32,
            a: square(),
            u: square(),
            vt: square(),
            values: vec![T::ZERO; n],
            integers: vec![0; 16 * n + 64],
            work,
        }
    }

    pub fn run(&mut self, lapack: &Lapack, op: &str, from: &[T]) {
        self.a.copy_from_slice(from);
        let routine = match op {
            "cholesky" => "potrf",
            "lu" => "getrf",
            "qr" => "geqrf",
            "eigh" => "syevd",
            _ => "gesdd",
        };
        let name = format!("{}{routine}_", T::LETTER);
        let (n, len, integers) = (&self.n, self.work.len() as i32, self.integers.len() as i32);
        let (a, u, vt, work) =
            (self.a.as_mut_ptr(), self.u.as_mut_ptr(), self.vt.as_mut_ptr(), self.work.as_mut_ptr());
        let (values, ints) = (self.values.as_mut_ptr(), self.integers.as_mut_ptr());
        let (lower, vectors, thin) = (c"L".as_ptr(), c"V".as_ptr(), c"S".as_ptr());
        let mut info = 0i32;
        // SAFETY: LAPACK's documented signatures; every matrix has n by n elements and the rooms are as long as is said.
        unsafe {
            let f = lapack.lib.get::<*mut c_void>(name.as_bytes()).unwrap();
            let f: *mut c_void = *f;
            match op {
                "cholesky" => {
                    let f: unsafe extern "C" fn(C<c_char>, C<i32>, P<T>, C<i32>, P<i32>) =
                        std::mem::transmute(f);
                    f(lower, n, a, n, &mut info);
                }
                "lu" => {
                    let f: unsafe extern "C" fn(C<i32>, C<i32>, P<T>, C<i32>, P<i32>, P<i32>) =
                        std::mem::transmute(f);
                    f(n, n, a, n, ints, &mut info);
                }
                "qr" => {
                    let f: unsafe extern "C" fn(C<i32>, C<i32>, P<T>, C<i32>, P<T>, P<T>, C<i32>, P<i32>) =
                        std::mem::transmute(f);
                    f(n, n, a, n, values, work, &len, &mut info);
                }
                "eigh" => {
                    type F<T> = unsafe extern "C" fn(
                        C<c_char>,
                        C<c_char>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<T>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                        C<i32>,
                        P<i32>,
                    );
                    let f: F<T> = std::mem::transmute(f);
                    f(vectors, lower, n, a, n, values, work, &len, ints, &integers, &mut info);
                }
                _ => {
                    type F<T> = unsafe extern "C" fn(
                        C<c_char>,
                        C<i32>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<T>,
                        P<T>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                        P<i32>,
                    );
                    let f: F<T> = std::mem::transmute(f);
                    f(thin, n, n, a, n, values, u, n, vt, n, work, &len, ints, &mut info);
                }
            }
        }
        assert_eq!(info, 0, "{name}");
    }

    /// What is not a factorisation alone; `factors` are those of a condition.
    pub fn general(&mut self, lapack: &Lapack, op: &str, from: &[T], factors: &[T], norm: T) {
        if op != "lu_condition" {
            self.a.copy_from_slice(from);
        }
        let (n, len) = (&self.n, self.work.len() as i32);
        let (a, z, work) = (self.a.as_mut_ptr(), self.vt.as_mut_ptr(), self.work.as_mut_ptr());
        let (values, others, ints) =
            (self.values.as_mut_ptr(), self.u.as_mut_ptr(), self.integers.as_mut_ptr());
        let mut info = 0i32;
        let get = |name: &str| {
            let name = format!("{}{name}_", T::LETTER);
            // SAFETY: a symbol of LAPACK, which is a function.
            let f: *mut c_void = unsafe { *lapack.lib.get::<*mut c_void>(name.as_bytes()).unwrap() };
            f
        };
        // SAFETY: LAPACK's documented signatures; every matrix has n by n elements and the rooms are as long as is said.
        unsafe {
            match op {
                "inverse" => {
                    type F<T> = unsafe extern "C" fn(C<i32>, C<i32>, P<T>, C<i32>, P<i32>, P<i32>);
                    let f: F<T> = std::mem::transmute(get("getrf"));
                    f(n, n, a, n, ints, &mut info);
                    type G<T> = unsafe extern "C" fn(C<i32>, P<T>, C<i32>, C<i32>, P<T>, C<i32>, P<i32>);
                    let f: G<T> = std::mem::transmute(get("getri"));
                    f(n, a, n, ints, work, &len, &mut info);
                }
                "lu_condition" => {
                    type F<T> = unsafe extern "C" fn(
                        C<c_char>,
                        C<i32>,
                        C<T>,
                        C<i32>,
                        C<T>,
                        P<T>,
                        P<T>,
                        P<i32>,
                        P<i32>,
                    );
                    let f: F<T> = std::mem::transmute(get("gecon"));
                    f(c"1".as_ptr(), n, factors.as_ptr(), n, &norm, values, work, ints, &mut info);
                }
                "qr_pivoted" => {
                    type F<T> = unsafe extern "C" fn(
                        C<i32>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                        P<T>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                    );
                    let f: F<T> = std::mem::transmute(get("geqp3"));
                    self.integers.fill(0);
                    f(n, n, a, n, ints, values, work, &len, &mut info);
                }
                _ => {
                    type F<T> = unsafe extern "C" fn(
                        C<c_char>,
                        C<c_char>,
                        *const c_void,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                        P<T>,
                        P<T>,
                        P<T>,
                        C<i32>,
                        P<T>,
                        C<i32>,
                        P<i32>,
                        P<i32>,
                    );
                    let f: F<T> = std::mem::transmute(get("gees"));
                    let (with, none) = (c"V".as_ptr(), c"N".as_ptr());
                    let null = std::ptr::null();
                    let (some, bools) = (ints, ints.add(8));
                    f(with, none, null, n, a, n, some, values, others, z, n, work, &len, bools, &mut info);
                }
            }
        }
        assert_eq!(info, 0, "{op}");
    }
}
