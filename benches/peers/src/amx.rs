//! `--amx`: products on the tiles of AMX against MKL's of the same types, and those of `f32` against every product
//! of `f32` at hand. Contenders take turns; a ratio is the median over rounds of ours to the best peer's in
//! that round. Time is this thread's own: all of them run on one, and what others take of the CPU does not count.

use std::hint::black_box;

use crate::libs::Blas;
use fulmen::lanes::Amx;
use fulmen::{MatMut, MatRef};
use half::bf16;

struct Contender<'a> {
    name: String,
    ours: bool,
    run: Box<dyn FnMut() + 'a>,
}

fn contender<'a>(name: &str, run: impl FnMut() + 'a) -> Contender<'a> {
    Contender { name: name.into(), ours: name.starts_with("fulmen"), run: Box::new(run) }
}

/// Seconds that this thread has run.
fn now() -> f64 {
    #[repr(C)]
    struct Time {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, time: *mut Time) -> i32;
    }
    let mut t = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: the signature of POSIX on 64-bit Linux; 3 is CLOCK_THREAD_CPUTIME_ID.
    assert_eq!(unsafe { clock_gettime(3, &mut t) }, 0);
    t.seconds as f64 + t.nanoseconds as f64 / 1e9
}

/// Giga-operations a second of each, in turn, and one line of CSV each.
fn race(ty: &str, n: usize, quick: bool, csv: &mut String, mut list: Vec<Contender<'_>>) {
    let work = 2.0 * (n as f64).powi(3);
    let rounds = if quick { 30 } else { 100 };
    let reps: Vec<u32> = list
        .iter_mut()
        .map(|x| {
            (x.run)();
            let t = now();
            (x.run)();
            (0.0005 / (now() - t)).clamp(1.0, 1e4) as u32
        })
        .collect();
    let mut rates = vec![Vec::new(); list.len()];
    for _ in 0..rounds {
        for (i, x) in list.iter_mut().enumerate() {
            // The operands are in the caches that they fit.
            (x.run)();
            let t = now();
            for _ in 0..reps[i] {
                black_box(&mut x.run)();
            }
            rates[i].push(work * f64::from(reps[i]) / (now() - t) / 1e9);
        }
    }
    let quantile = |v: &[f64], q: usize| {
        let mut v = v.to_vec();
        v.sort_by(f64::total_cmp);
        v[(v.len() * q / 100).min(v.len() - 1)]
    };
    print!("{ty:>5} {n:5} |");
    for (i, x) in list.iter().enumerate() {
        let good = quantile(&rates[i], 90);
        print!(" {} {good:7.1}", x.name);
        let mut ratio = f64::NAN;
        if x.ours {
            let best = |r: usize| {
                (0..list.len()).filter(|j| !list[*j].ours).map(|j| rates[j][r]).fold(0.0, f64::max)
            };
            let ratios: Vec<f64> =
                (0..rounds).map(|r| rates[i][r] / best(r)).filter(|r| r.is_finite()).collect();
            if !ratios.is_empty() {
                ratio = quantile(&ratios, 50);
                print!(" ({ratio:.2} of the best peer)");
            }
        }
        *csv += &format!("{ty},{n},{},{good:.1},{ratio:.3}\n", x.name);
    }
    println!();
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

fn halves(amx: Amx, n: usize, quick: bool, csv: &mut String, mkl: Option<&Blas>) {
    let fill = |seed| numbers(n * n, seed).map(bf16::from_f32).collect::<Vec<_>>();
    let (a, b) = (fill(1), fill(2));
    let [mut c, mut d, mut e] = [0, 1, 2].map(|_| vec![0.0f32; n * n]);
    let mut ws = fulmen::Buffer::<f32>::new(fulmen::gemm_bf16_workspace(n, n, n));
    let mut ws2 = fulmen::Buffer::<f32>::new(fulmen::gemm_bf16_workspace(n, n, n));
    let mkl = mkl.and_then(Blas::gemm_bf16);
    let mut list = vec![contender("fulmen", || {
        let (a, b) = views(n, &a, &b);
        fulmen::gemm_bf16_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, n, n).unwrap(), &mut ws)
            .unwrap();
    })];
    if n <= 1024 {
        list.push(contender("fulmen-lanes", || {
            let (a, b) = views(n, &a, &b);
            fulmen::gemm_bf16(1.0, a, b, 0.0, MatMut::row_major(&mut e, n, n).unwrap(), &mut ws2).unwrap();
        }));
    }
    if let Some(f) = &mkl {
        list.push(contender("mkl", || f(n, &a, &b, &mut d)));
    }
    race("bf16", n, quick, csv, list);
    if mkl.is_some() {
        close("bf16", n, &c, &d, 1e-4 * n as f32);
    }
}

fn bytes(amx: Amx, n: usize, quick: bool, csv: &mut String, mkl: Option<&Blas>) {
    // MKL takes one of the two as unsigned.
    let fill = |seed| numbers(n * n, seed).map(|x| (x.abs() * 127.0) as i8).collect::<Vec<_>>();
    let (a, b) = (fill(1), fill(2));
    let [mut c, mut d, mut e] = [0, 1, 2].map(|_| vec![0i32; n * n]);
    let [mut ws, mut ws2] = [0, 1].map(|_| vec![0i32; fulmen::gemm_i8_workspace(n, n, n)]);
    let mkl = mkl.and_then(Blas::gemm_i8);
    let mut list = vec![contender("fulmen", || {
        let (a, b) = views(n, &a, &b);
        fulmen::gemm_i8_amx(amx, 1, a, b, 0, MatMut::row_major(&mut c, n, n).unwrap(), &mut ws).unwrap();
    })];
    if n <= 1024 {
        list.push(contender("fulmen-lanes", || {
            let (a, b) = views(n, &a, &b);
            fulmen::gemm_i8(1, a, b, 0, MatMut::row_major(&mut e, n, n).unwrap(), &mut ws2).unwrap();
        }));
    }
    if let Some(f) = &mkl {
        list.push(contender("mkl", || f(n, &a, &b, &mut d)));
    }
    race("i8", n, quick, csv, list);
    assert!(mkl.is_none() || c == d, "i8 {n}: MKL disagrees");
}

fn floats(amx: Amx, n: usize, quick: bool, csv: &mut String, libs: &[Blas]) {
    let (a, b): (Vec<f32>, Vec<f32>) = (numbers(n * n, 1).collect(), numbers(n * n, 2).collect());
    let [mut c, mut d, mut e, mut f, mut g] = [0, 1, 2, 3, 4].map(|_| vec![0.0f32; n * n]);
    let room = || fulmen::Buffer::<f32>::new(fulmen::gemm_f32_amx_workspace(n, n, n));
    let (mut w0, mut w1, mut w2) = (room(), room(), room());
    let blas: Vec<_> = libs.iter().filter_map(|l| Some((&l.name, l.sgemm()?))).collect();
    let mut results: Vec<Vec<f32>> = blas.iter().map(|_| vec![0.0; n * n]).collect();
    let mut list = vec![
        contender("fulmen-6", || {
            let (a, b) = views(n, &a, &b);
            fulmen::gemm_f32_amx(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut c, n, n).unwrap(), &mut w0)
                .unwrap();
        }),
        contender("fulmen-3", || {
            let (a, b) = views(n, &a, &b);
            fulmen::gemm_f32_amx3(amx, 1.0, a, b, 0.0, MatMut::row_major(&mut d, n, n).unwrap(), &mut w1)
                .unwrap();
        }),
        // The product by fused multiply-adds is a peer here.
        Contender {
            ours: false,
            ..contender("fulmen-lanes", || {
                let (a, b) = views(n, &a, &b);
                fulmen::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut e, n, n).unwrap(), &mut w2).unwrap();
            })
        },
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
    race("f32", n, quick, csv, list);
    close("f32 by six", n, &c, &e, 1e-6 * n as f32);
    close("f32 by three", n, &d, &e, 1e-4 * n as f32);
}

pub fn run(sizes: &[usize], only: Option<&str>, quick: bool, libs: &[Blas]) -> String {
    let mut csv = String::from("type,n,contender,gops,ratio\n");
    let Some(amx) = Amx::detect() else {
        println!("no tiles here: nothing was measured");
        return csv;
    };
    let mkl = libs.iter().find(|l| l.name == "mkl");
    for &n in sizes {
        if only.is_none_or(|t| t == "bf16") {
            halves(amx, n, quick, &mut csv, mkl);
        }
        if only.is_none_or(|t| t == "i8") {
            bytes(amx, n, quick, &mut csv, mkl);
        }
        if only.is_none_or(|t| t == "f32") {
            floats(amx, n, quick, &mut csv, libs);
        }
    }
    csv
}
