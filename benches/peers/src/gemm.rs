//! The matrix product against every library at hand.

use crate::{buffer, libs, roof};
use fulmen::{MatMut, MatRef};
use fulmen_harness::race::{Case, Contender, Kind, Race};
use std::hint::black_box;

/// Element types that peers have kernels for. Shapes are rows, columns, inner dimension; all matrices by rows.
pub trait Elem: fulmen::Element + Into<f64> {
    fn matrixmultiply(dims: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]);
    fn ndarray(dims: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]);
    fn nalgebra(dims: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]);
    fn faer(dims: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self], transposed: bool, threads: usize);
    fn cblas(lib: &libs::Blas) -> Option<libs::Gemm<'_, Self>>;
    fn special(lib: &libs::Blas, dims: [usize; 3]) -> Option<libs::Fixed<'_, Self>>;
    fn roof<'a>() -> Contender<'a>;
}

macro_rules! elem {
    ($t:ident, $mm:ident, $cblas:ident, $special:ident) => {
        impl Elem for $t {
            fn matrixmultiply([m, n, k]: [usize; 3], a: &[$t], b: &[$t], c: &mut [$t]) {
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                let (ks, ns) = (k as isize, n as isize);
                // SAFETY: the slices hold row-major matrices of these shapes.
                unsafe { matrixmultiply::$mm(m, k, n, 1.0, a, ks, 1, b, ns, 1, 0.0, c, ns, 1) }
            }
            fn ndarray([m, n, k]: [usize; 3], a: &[$t], b: &[$t], c: &mut [$t]) {
                let a = ndarray::ArrayView2::from_shape((m, k), a).unwrap();
                let b = ndarray::ArrayView2::from_shape((k, n), b).unwrap();
                let mut c = ndarray::ArrayViewMut2::from_shape((m, n), c).unwrap();
                ndarray::linalg::general_mat_mul(1.0, &a, &b, 0.0, &mut c);
            }
            fn nalgebra([m, n, k]: [usize; 3], a: &[$t], b: &[$t], c: &mut [$t]) {
                // By columns: Cᵀ = BᵀAᵀ.
                let (a, b) =
                    (nalgebra::DMatrixView::from_slice(a, k, m), nalgebra::DMatrixView::from_slice(b, n, k));
                nalgebra::DMatrixViewMut::from_slice(c, n, m).gemm(1.0, &b, &a, 0.0);
            }
            fn faer(
                [m, n, k]: [usize; 3],
                a: &[$t],
                b: &[$t],
                c: &mut [$t],
                transposed: bool,
                threads: usize,
            ) {
                let a = faer::MatRef::from_row_major_slice(a, m, k);
                let b = if transposed {
                    faer::MatRef::from_column_major_slice(b, k, n)
                } else {
                    faer::MatRef::from_row_major_slice(b, k, n)
                };
                let c = faer::MatMut::from_row_major_slice_mut(c, m, n);
                let par = if threads == 1 { faer::Par::Seq } else { faer::Par::rayon(threads) };
                faer::linalg::matmul::matmul(c, faer::Accum::Replace, a, b, 1.0, par);
            }
            fn cblas(lib: &libs::Blas) -> Option<libs::Gemm<'_, $t>> {
                lib.$cblas()
            }
            fn special(lib: &libs::Blas, dims: [usize; 3]) -> Option<libs::Fixed<'_, $t>> {
                lib.$special(dims)
            }
            fn roof<'a>() -> Contender<'a> {
                Contender::roof(Some(roof::FLOPS.$t), roof::$t)
            }
        }
    };
}
elem!(f32, sgemm, sgemm, special_s);
elem!(f64, dgemm, dgemm, special_d);

/// How the products are raced.
pub struct Options<'a> {
    /// `C = A·Bᵀ` with B in rows, as in a linear layer.
    pub transposed: bool,
    /// Contenders, by the beginnings of their names.
    pub only: Option<&'a str>,
}

/// The largest size for which peers are asked to make code.
const SPECIAL: usize = 128;

#[allow(clippy::too_many_lines, reason = "one list of contenders")]
pub fn case<T: Elem>(race: &mut Race, libs: &[libs::Blas], dims: [usize; 3], options: &Options<'_>) {
    let (transposed, threads) = (options.transposed, race.threads);
    let [m, n, k] = dims;
    let (a, b, mut c) = (buffer::<T>(m * k, 1), buffer::<T>(k * n, 2), buffer::<T>(m * n, 3));
    let (a, b, pc) = (&*a, &*b, c.as_mut_ptr());
    // SAFETY: one contender at a time runs; the buffer outlives them.
    let out = move || unsafe { std::slice::from_raw_parts_mut(black_box(pc), m * n) };
    let operands = move || (black_box(a), black_box(b));
    let mut ws = fulmen::Buffer::<T>::new(fulmen::parallel::gemm_workspace(m, n, k, threads));
    let mut list = vec![Contender::ours(move || {
        let (a, b) = operands();
        let b = if transposed { MatRef::col_major(b, k, n) } else { MatRef::row_major(b, k, n) };
        let (a, b) = (MatRef::row_major(a, m, k).unwrap(), b.unwrap());
        let c = MatMut::row_major(out(), m, n).unwrap();
        if threads == 1 {
            fulmen::gemm(T::ONE, a, b, T::ZERO, c, &mut ws).unwrap();
        } else {
            fulmen::parallel::gemm(T::ONE, a, b, T::ZERO, c, &mut ws).unwrap();
        }
    })];
    macro_rules! fixed {
        ($($n:literal)*) => {$(
            if dims == [$n; 3] && threads == 1 && !transposed {
                list.push(Contender::new(Kind::OursFixed, "fulmen-fixed", move || {
                    let ((a, b), c) = (operands(), out());
                    let (a, b, c) = (a.as_chunks::<$n>().0, b.as_chunks::<$n>().0, c.as_chunks_mut::<$n>().0);
                    let (a, b): (&[[T; $n]; $n], &[[T; $n]; $n]) = (a.try_into().unwrap(), b.try_into().unwrap());
                    fulmen::gemm_fixed(T::ONE, a, b, T::ZERO, c.try_into().unwrap());
                }));
            }
        )*};
    }
    fixed!(4 8 16 32 37 48 64 65 96 100 127 128);
    for lib in libs {
        if let Some(f) = T::cblas(lib) {
            list.push(Contender::peer(lib.name.clone(), move || {
                let (a, b) = operands();
                f([m, n, k], T::ONE, a, b, T::ZERO, out(), transposed);
            }));
        }
        if threads == 1
            && !transposed
            && m.max(n).max(k) <= SPECIAL
            && let Some(f) = T::special(lib, dims)
        {
            let name = if lib.name == "mkl" { "mkl-jit" } else { &lib.name };
            list.push(Contender::new(Kind::Special, name, move || {
                let (a, b) = operands();
                f(a, b, out());
            }));
        }
    }
    list.push(Contender::peer("gemm", move || {
        let ((a, b), c) = (operands(), out());
        let (ks, ns) = (k as isize, n as isize);
        let (b_col, b_row) = if transposed { (ks, 1) } else { (1, ns) };
        let parallel = if threads == 1 { gemm::Parallelism::None } else { gemm::Parallelism::Rayon(threads) };
        let (pa, pb, pc, no) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), false);
        // SAFETY: the slices hold row-major matrices of these shapes.
        unsafe {
            gemm::gemm(
                m,
                n,
                k,
                pc,
                1,
                ns,
                no,
                pa,
                1,
                ks,
                pb,
                b_col,
                b_row,
                T::ZERO,
                T::ONE,
                no,
                no,
                no,
                parallel,
            );
        }
    }));
    list.push(Contender::peer("faer", move || {
        let (a, b) = operands();
        T::faer(dims, a, b, out(), transposed, threads);
    }));
    // These have one thread here, and no way to say that B is transposed.
    if threads == 1 && !transposed {
        for (name, f) in [
            ("matrixmultiply", T::matrixmultiply as fn([usize; 3], &[T], &[T], &mut [T])),
            ("ndarray", T::ndarray),
            ("nalgebra", T::nalgebra),
        ] {
            list.push(Contender::peer(name, move || {
                let (a, b) = operands();
                f(dims, a, b, out());
            }));
        }
    }
    if let Some(only) = options.only {
        list.retain(|c| only.split(',').any(|o| c.name().starts_with(o)));
    }

    // All must agree.
    let mut want: Option<Vec<T>> = None;
    for x in &mut list {
        out().fill(T::ZERO);
        x.run();
        let Some(w) = &want else {
            want = Some(out().to_vec());
            continue;
        };
        let bound = 1e-4 * (k as f64).sqrt().max(1.0);
        let far = w.iter().zip(out().iter()).position(|(x, y)| ((*x).into() - (*y).into()).abs() > bound);
        assert!(far.is_none(), "{dims:?}: {} disagrees at {far:?}", x.name());
    }
    list.push(T::roof());
    let work = 2.0 * m as f64 * n as f64 * k as f64;
    let (op, ty) = ("gemm", std::any::type_name::<T>());
    race.case(&Case { op, ty, size: format!("{m}x{k}x{n}"), work, unit: "GFLOP/s" }, list);
}
