//! `--amx`: products on the tiles of AMX against MKL's of the same types, and those of `f32` against every product
//! of `f32` at hand.

use crate::libs::Blas;
use fulmen::lanes::Amx;
use fulmen::{MatMut, MatRef};
use fulmen_harness::race::{Case, Contender, Kind, Race};
use half::bf16;

fn contender<'a>(name: &str, run: impl FnMut() + 'a) -> Contender<'a> {
    Contender::new(if name.starts_with("fulmen") { Kind::Ours } else { Kind::Peer }, name, run)
}

fn show(race: &mut Race, ty: &str, n: usize, list: Vec<Contender<'_>>) {
    let work = 2.0 * (n as f64).powi(3);
    race.case(&Case { op: "gemm-amx", ty, size: n.to_string(), work, unit: "GOP/s" }, list);
}

/// A product on the calling thread, or on all that were asked for.
macro_rules! product {
    ($f:ident, $threads:expr, $($arg:expr),*) => {
        if $threads > 1 { fulmen::parallel::$f($($arg),*) } else { fulmen::$f($($arg),*) }.unwrap()
    };
}

fn numbers(n: usize, seed: u64) -> impl Iterator<Item = f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64.wrapping_mul(seed + 1);
    (0..n).map(move |_| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((state >> 40) as f64 / (1u64 << 23) as f64 - 1.0) as f32
    })
}

fn close(what: &str, n: usize, got: &[f32], want: &[f32], bound: f32) {
    let far = got.iter().zip(want).position(|(x, y)| (x - y).abs().is_nan() || (x - y).abs() > bound);
    assert!(far.is_none(), "{what} {n}: the results differ at {far:?}");
}

fn views<'a, T>(n: usize, a: &'a [T], b: &'a [T]) -> (MatRef<'a, T>, MatRef<'a, T>) {
    (MatRef::row_major(a, n, n).unwrap(), MatRef::row_major(b, n, n).unwrap())
}

fn halves(amx: Amx, n: usize, race: &mut Race, mkl: Option<&Blas>) {
    let fill = |seed| numbers(n * n, seed).map(bf16::from_f32).collect::<Vec<_>>();
    let (a, b) = (fill(1), fill(2));
    let [mut c, mut d, mut e] = [0, 1, 2].map(|_| vec![0.0f32; n * n]);
    let threads = race.threads;
    let mut ws = fulmen::Buffer::<f32>::new(threads * fulmen::gemm_bf16_workspace(n, n, n));
    let mut ws2 = fulmen::Buffer::<f32>::new(threads * fulmen::gemm_bf16_workspace(n, n, n));
    let mkl = mkl.and_then(Blas::gemm_bf16);
    let mut list = vec![contender("fulmen", || {
        let (a, b) = views(n, &a, &b);
        let c = MatMut::row_major(&mut c, n, n).unwrap();
        product!(gemm_bf16_amx, threads, amx, 1.0, a, b, 0.0, c, &mut ws);
    })];
    if n <= 1024 {
        list.push(contender("fulmen-lanes", || {
            let (a, b) = views(n, &a, &b);
            let e = MatMut::row_major(&mut e, n, n).unwrap();
            product!(gemm_bf16, threads, 1.0, a, b, 0.0, e, &mut ws2);
        }));
    }
    if let Some(f) = &mkl {
        list.push(contender("mkl", || f(n, &a, &b, &mut d)));
    }
    show(race, "bf16", n, list);
    if mkl.is_some() {
        close("bf16", n, &c, &d, 1e-4 * n as f32);
    }
}

fn bytes(amx: Amx, n: usize, race: &mut Race, mkl: Option<&Blas>) {
    // MKL takes one of the two as unsigned.
    let fill = |seed| numbers(n * n, seed).map(|x| (x.abs() * 127.0) as i8).collect::<Vec<_>>();
    let (a, b) = (fill(1), fill(2));
    let [mut c, mut d, mut e] = [0, 1, 2].map(|_| vec![0i32; n * n]);
    let [mut ws, mut ws2] = [0, 1].map(|_| vec![0i32; race.threads * fulmen::gemm_i8_workspace(n, n, n)]);
    let threads = race.threads;
    let mkl = mkl.and_then(Blas::gemm_i8);
    let mut list = vec![contender("fulmen", || {
        let (a, b) = views(n, &a, &b);
        let c = MatMut::row_major(&mut c, n, n).unwrap();
        product!(gemm_i8_amx, threads, amx, 1, a, b, 0, c, &mut ws);
    })];
    if n <= 1024 {
        list.push(contender("fulmen-lanes", || {
            let (a, b) = views(n, &a, &b);
            let e = MatMut::row_major(&mut e, n, n).unwrap();
            product!(gemm_i8, threads, 1, a, b, 0, e, &mut ws2);
        }));
    }
    if let Some(f) = &mkl {
        list.push(contender("mkl", || f(n, &a, &b, &mut d)));
    }
    show(race, "i8", n, list);
    assert!(mkl.is_none() || c == d, "i8 {n}: MKL disagrees");
}

fn floats(amx: Amx, n: usize, race: &mut Race, libs: &[Blas]) {
    let (a, b): (Vec<f32>, Vec<f32>) = (numbers(n * n, 1).collect(), numbers(n * n, 2).collect());
    let [mut c, mut d, mut e, mut f, mut g] = [0, 1, 2, 3, 4].map(|_| vec![0.0f32; n * n]);
    let threads = race.threads;
    let room = || fulmen::Buffer::<f32>::new(threads * fulmen::gemm_f32_amx_workspace(n, n, n));
    let (mut w0, mut w1, mut w2) = (room(), room(), room());
    let blas: Vec<_> = libs.iter().filter_map(|l| Some((&l.name, l.sgemm()?))).collect();
    let mut results: Vec<Vec<f32>> = blas.iter().map(|_| vec![0.0; n * n]).collect();
    let mut list = vec![
        contender("fulmen-6", || {
            let (a, b) = views(n, &a, &b);
            let c = MatMut::row_major(&mut c, n, n).unwrap();
            product!(gemm_f32_amx, threads, amx, 1.0, a, b, 0.0, c, &mut w0);
        }),
        contender("fulmen-3", || {
            let (a, b) = views(n, &a, &b);
            let d = MatMut::row_major(&mut d, n, n).unwrap();
            product!(gemm_f32_amx3, threads, amx, 1.0, a, b, 0.0, d, &mut w1);
        }),
        // The product by fused multiply-adds is a peer here.
        Contender::peer("fulmen-lanes", || {
            let (a, b) = views(n, &a, &b);
            let e = MatMut::row_major(&mut e, n, n).unwrap();
            product!(gemm, threads, 1.0, a, b, 0.0, e, &mut w2);
        }),
    ];
    for ((name, f), y) in blas.iter().zip(&mut results) {
        list.push(contender(name, || f([n; 3], 1.0, &a, &b, 0.0, y, false)));
    }
    list.push(contender("gemm", || {
        let s = n as isize;
        // SAFETY: the slices hold row-major matrices of these shapes.
        unsafe {
            gemm::gemm(
                n,
                n,
                n,
                f.as_mut_ptr(),
                1,
                s,
                false,
                a.as_ptr(),
                1,
                s,
                b.as_ptr(),
                1,
                s,
                0.0,
                1.0,
                false,
                false,
                false,
                gemm::Parallelism::None,
            )
        }
    }));
    list.push(contender("matrixmultiply", || {
        let s = n as isize;
        // SAFETY: as above.
        unsafe {
            matrixmultiply::sgemm(n, n, n, 1.0, a.as_ptr(), s, 1, b.as_ptr(), s, 1, 0.0, g.as_mut_ptr(), s, 1)
        }
    }));
    show(race, "f32", n, list);
    close("f32 by six", n, &c, &e, 1e-6 * n as f32);
    close("f32 by three", n, &d, &e, 1e-4 * n as f32);
}

pub fn run(race: &mut Race, sizes: &[usize], only: Option<&str>, libs: &[Blas]) {
    let Some(amx) = Amx::detect() else {
        println!("no tiles here: nothing was measured");
        return;
    };
    let mkl = libs.iter().find(|l| l.name == "mkl");
    for &n in sizes {
        if only.is_none_or(|t| t == "bf16") {
            halves(amx, n, race, mkl);
        }
        if only.is_none_or(|t| t == "i8") {
            bytes(amx, n, race, mkl);
        }
        if only.is_none_or(|t| t == "f32") {
            floats(amx, n, race, libs);
        }
    }
}
