//! The matrix product against every library at hand, interleaved in one process, with the FMA peak of
//! the machine measured between them.

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod amx;
mod attention;
mod level1;
mod level23;
mod libs;
mod roof;

use std::hint::black_box;
use std::time::{Duration, Instant};

use fulmen::{MatMut, MatRef};

/// Element types that peers have kernels for.
pub trait Elem: fulmen::Element + Into<f64> {
    fn matrixmultiply(dims: [usize; 3], a: &[Self], b: &[Self], c: &mut [Self]);
    fn cblas(lib: &libs::Blas) -> Option<libs::Gemm<Self>>;
    /// Flops in some microseconds of nothing but fused multiply-adds.
    fn roof() -> f64;
}

macro_rules! elem {
    ($t:ident, $mm:ident, $field:ident) => {
        impl Elem for $t {
            fn matrixmultiply([m, n, k]: [usize; 3], a: &[$t], b: &[$t], c: &mut [$t]) {
                let (k_, n_) = (k as isize, n as isize);
                // SAFETY: the slices hold row-major matrices of these shapes.
                unsafe {
                    matrixmultiply::$mm(
                        m,
                        k,
                        n,
                        1.0,
                        a.as_ptr(),
                        k_,
                        1,
                        b.as_ptr(),
                        n_,
                        1,
                        0.0,
                        c.as_mut_ptr(),
                        n_,
                        1,
                    )
                }
            }
            fn cblas(lib: &libs::Blas) -> Option<libs::Gemm<$t>> {
                lib.$field()
            }
            fn roof() -> f64 {
                roof::$t()
            }
        }
    };
}
elem!(f32, sgemm, sgemm);
elem!(f64, dgemm, dgemm);

/// 64-byte aligned.
pub fn buffer<T: fulmen::Element>(n: usize, seed: usize) -> fulmen::Buffer<T> {
    let mut x = fulmen::Buffer::new(n);
    let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed as u64 + 1);
    for x in x.iter_mut() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *x = T::from_f64(((state >> 40) as f64) / (1u64 << 23) as f64 - 1.0);
    }
    x
}

struct Row {
    ty: &'static str,
    dims: [usize; 3],
    name: String,
    gflops: f64,
    roof: f64,
}

struct Contender<'a, T> {
    name: String,
    run: Box<dyn FnMut(&[T], &[T], &mut [T]) + 'a>,
}

fn case<T: Elem>(
    rows: &mut Vec<Row>,
    dims: [usize; 3],
    libs: &[libs::Blas],
    quick: bool,
    only: Option<&str>,
) {
    let transposed = TRANSPOSED.load(std::sync::atomic::Ordering::Relaxed);
    let [m, n, k] = dims;
    let (a, b, mut c) = (buffer::<T>(m * k, 1), buffer::<T>(k * n, 2), buffer::<T>(m * n, 3));
    let threads = rayon::current_num_threads();
    let mut ws = fulmen::Buffer::<T>::new(fulmen::parallel::gemm_workspace(m, n, k, threads));
    let mut list: Vec<Contender<'_, T>> = Vec::new();
    list.push(Contender {
        name: "fulmen".into(),
        run: Box::new(move |a, b, c| {
            let b = if transposed { MatRef::col_major(b, k, n) } else { MatRef::row_major(b, k, n) };
            let (a, b) = (MatRef::row_major(a, m, k).unwrap(), b.unwrap());
            let c = MatMut::row_major(c, m, n).unwrap();
            if threads == 1 {
                fulmen::gemm(T::ONE, a, b, T::ZERO, c, &mut ws).unwrap();
            } else {
                fulmen::parallel::gemm(T::ONE, a, b, T::ZERO, c, &mut ws).unwrap();
            }
        }),
    });
    macro_rules! fixed {
        ($($n:literal)*) => {$(
            if dims == [$n; 3] {
                list.push(Contender {
                    name: "fulmen-fixed".into(),
                    run: Box::new(|a, b, c| {
                        let ((a, _), (b, _), (c, _)) = (a.as_chunks::<$n>(), b.as_chunks::<$n>(), c.as_chunks_mut::<$n>());
                        let (a, b): (&[[T; $n]; $n], &[[T; $n]; $n]) = (a.try_into().unwrap(), b.try_into().unwrap());
                        fulmen::gemm_fixed(T::ONE, a, b, T::ZERO, c.try_into().unwrap());
                    }),
                });
            }
        )*};
    }
    fixed!(4 8 16 32 37 48 64);
    for lib in libs {
        if let Some(f) = T::cblas(lib) {
            list.push(Contender {
                name: lib.name.clone(),
                run: Box::new(move |a, b, c| f([m, n, k], T::ONE, a, b, T::ZERO, c, transposed)),
            });
        }
    }
    list.push(Contender {
        name: "gemm".into(),
        run: Box::new(move |a, b, c| {
            // SAFETY: the slices hold row-major matrices of these shapes.
            unsafe {
                gemm::gemm(
                    m,
                    n,
                    k,
                    c.as_mut_ptr(),
                    1,
                    n as isize,
                    false,
                    a.as_ptr(),
                    1,
                    k as isize,
                    b.as_ptr(),
                    if transposed { k as isize } else { 1 },
                    if transposed { 1 } else { n as isize },
                    T::ZERO,
                    T::ONE,
                    false,
                    false,
                    false,
                    if threads == 1 { gemm::Parallelism::None } else { gemm::Parallelism::Rayon(threads) },
                )
            }
        }),
    });
    list.push(Contender {
        name: "matrixmultiply".into(),
        run: Box::new(move |a, b, c| T::matrixmultiply(dims, a, b, c)),
    });
    if threads > 1 {
        list.retain(|c| ["fulmen", "gemm"].contains(&c.name.as_str()));
    }
    if transposed {
        list.retain(|c| c.name != "matrixmultiply" && c.name != "fulmen-fixed");
    }
    if let Some(only) = only {
        list.retain(|c| only.split(',').any(|o| c.name.starts_with(o)));
    }

    // All must agree.
    let mut want: Option<Vec<T>> = None;
    for x in &mut list {
        c.fill(T::ZERO);
        (x.run)(&a, &b, &mut c);
        match &want {
            None => want = Some(c.to_vec()),
            Some(w) => {
                let bound = 1e-4 * (k as f64).sqrt().max(1.0);
                let far = w.iter().zip(c.iter()).position(|(x, y)| ((*x).into() - (*y).into()).abs() > bound);
                assert!(far.is_none(), "{dims:?}: {} disagrees at {far:?}", x.name);
            }
        }
    }

    let flops = 2.0 * m as f64 * n as f64 * k as f64;
    // Short samples, many of them: what another process takes falls on few.
    // Threads that have gone to sleep take a while to wake: longer ones where there are several.
    let target = Duration::from_millis(if threads == 1 { 1 } else { 20 });
    let rounds = if quick { 40 } else { 150 };
    let reps: Vec<u32> = list
        .iter_mut()
        .map(|x| {
            let mut reps = 1u32;
            loop {
                let t = Instant::now();
                for _ in 0..reps {
                    (x.run)(black_box(&a), black_box(&b), &mut c);
                }
                let took = t.elapsed();
                if took >= target / 4 || reps > 1 << 24 {
                    break ((f64::from(reps) * target.as_secs_f64() / took.as_secs_f64()) as u32).max(1);
                }
                reps *= 2;
            }
        })
        .collect();
    let mut rates = vec![Vec::new(); list.len()];
    let mut roofs = Vec::new();
    for _ in 0..rounds {
        for (i, x) in list.iter_mut().enumerate() {
            (x.run)(&a, &b, &mut c);
            let t = Instant::now();
            for _ in 0..reps[i] {
                (x.run)(black_box(&a), black_box(&b), black_box(&mut c));
            }
            rates[i].push(flops * f64::from(reps[i]) / t.elapsed().as_secs_f64() / 1e9);
        }
        let t = Instant::now();
        let f = T::roof();
        roofs.push(f / t.elapsed().as_secs_f64() / 1e9);
    }
    let good = |v: &mut Vec<f64>| {
        v.sort_by(f64::total_cmp);
        v[v.len() / 2]
    };
    let roof = good(&mut roofs);
    let rates: Vec<f64> = rates.iter_mut().map(good).collect();
    let best = list
        .iter()
        .zip(&rates)
        .filter(|(c, _)| !c.name.starts_with("fulmen"))
        .map(|(_, r)| *r)
        .fold(0.0, f64::max);
    print!("{} {:>15} |", T::NAME, format!("{m}x{k}x{n}"));
    for (x, r) in list.iter().zip(&rates) {
        print!(" {} {:6.1}", x.name, r);
        rows.push(Row { ty: T::NAME, dims, name: x.name.clone(), gflops: *r, roof });
    }
    println!(
        " | roof {roof:6.1} | ours {:4.1}% of roof, {:.3} of best",
        100.0 * rates[0] / roof,
        rates[0] / best
    );
}

const SQUARES: [usize; 21] =
    [8, 16, 32, 37, 48, 64, 65, 96, 100, 127, 128, 129, 192, 256, 257, 384, 512, 768, 1000, 1024, 2048];
/// Sizes on the tiles.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
const AMX: [usize; 7] = [128, 256, 257, 512, 1000, 1024, 2048];
static TRANSPOSED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// Rows, columns, inner dimension.
const SKINNY: [[usize; 3]; 7] = [
    [1, 1024, 1024],
    [1, 4096, 4096],
    [4, 4096, 4096],
    [32, 4096, 4096],
    [4096, 4096, 64],
    [64, 64, 4096],
    [4096, 4, 4096],
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|a| a == "--quick");
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    // C = A·Bᵀ with B in rows, as in a linear layer.
    TRANSPOSED.store(args.iter().any(|a| a == "--transposed"), std::sync::atomic::Ordering::Relaxed);
    let (only, ty, dims) = (value("--only="), value("--type="), value("--dims="));
    let threads = value("--threads=").map_or(1, |n| n.parse().unwrap());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let libs = libs::all();
    #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
    if args.iter().any(|a| a == "--amx") {
        let sizes = dims.map_or(AMX.to_vec(), |d| d.split(',').map(|n| n.parse().unwrap()).collect());
        let csv = amx::run(&sizes, ty, quick, &libs);
        if let Some(path) = value("--csv=") {
            std::fs::write(path, csv).unwrap();
        }
        return;
    }
    if args.iter().any(|a| a == "--attention") {
        let csv = attention::run(&libs, quick);
        if let Some(path) = value("--csv=") {
            std::fs::write(path, csv).unwrap();
        }
        return;
    }
    let asked = |names: &[&str]| args.iter().any(|a| names.contains(&a.as_str()));
    let one = asked(&["--transpose", "--level1"]).then(|| level1::run(&libs, &args, quick));
    let other = one.or_else(|| asked(&["--level2", "--level3"]).then(|| level23::run(&libs, &args, quick)));
    if let Some(csv) = other {
        if let Some(path) = value("--csv=") {
            std::fs::write(path, format!("op,type,size,contender,ns,GB/s or GFLOP/s\n{csv}")).unwrap();
        }
        return;
    }
    let mut rows = Vec::new();
    let mut shapes: Vec<[usize; 3]> = SQUARES.iter().map(|&n| [n; 3]).collect();
    shapes.extend(SKINNY);
    if let Some(d) = dims {
        shapes = d
            .split(',')
            .map(|d| {
                let v: Vec<usize> = d.split('x').map(|x| x.parse().unwrap()).collect();
                if v.len() == 1 { [v[0]; 3] } else { [v[0], v[2], v[1]] }
            })
            .collect();
    }
    for s in &shapes {
        if ty.is_none_or(|t| t == "f32") {
            case::<f32>(&mut rows, *s, &libs, quick, only);
        }
    }
    for s in &shapes {
        if ty.is_none_or(|t| t == "f64") {
            case::<f64>(&mut rows, *s, &libs, quick, only);
        }
    }
    let mut csv = String::from("type,m,k,n,contender,gflops,roof\n");
    for r in &rows {
        let [m, n, k] = r.dims;
        csv += &format!("{},{m},{k},{n},{},{:.2},{:.2}\n", r.ty, r.name, r.gflops, r.roof);
    }
    if let Some(path) = value("--csv=") {
        std::fs::write(path, csv).unwrap();
    }
}
