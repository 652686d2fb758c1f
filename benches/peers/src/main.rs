//! Linear algebra against every library at hand, interleaved in one process, with the limits of the machine measured
//! between them.
//!
//! | mode | what |
//! |---|---|
//! | | the matrix product; `--transposed`: `A·Bᵀ` |
//! | `--level1`, `--level2`, `--level3`, `--transpose` | BLAS; `--inc=` a stride at level 1 |
//! | `--amx` | products on tiles |
//! | `--attention` | attention against gemm, three steps, and a sum over K and V |
//! | `--table` | 26 common calls against ndarray |
//!
//! `--quick`, `--dims=` sizes (`64,4x4096x4096`: rows, inner dimension, columns), `--type=f32`, `--only=` ops or contenders,
//! `--threads=`, `--budget=` seconds of a case; `--csv=FILE` also writes charts beside it.

#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod amx;
mod attention;
mod gemm;
mod level1;
mod level23;
mod libs;
mod roof;
mod table;

use fulmen_harness::race::Race;

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

const SQUARES: [usize; 21] =
    [8, 16, 32, 37, 48, 64, 65, 96, 100, 127, 128, 129, 192, 256, 257, 384, 512, 768, 1000, 1024, 2048];
/// Sizes on the tiles.
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
const AMX: [usize; 7] = [128, 256, 257, 512, 1000, 1024, 2048];

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

fn products(race: &mut Race, libs: &[libs::Blas], args: &[String]) {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let mut shapes: Vec<[usize; 3]> = SQUARES.iter().map(|&n| [n; 3]).collect();
    shapes.extend(SKINNY);
    if let Some(d) = value("--dims=") {
        let shape = |d: &str| {
            let v: Vec<usize> = d.split('x').map(|x| x.parse().unwrap()).collect();
            if v.len() == 1 { [v[0]; 3] } else { [v[0], v[2], v[1]] }
        };
        shapes = d.split(',').map(shape).collect();
    }
    let transposed = args.iter().any(|a| a == "--transposed");
    let options = gemm::Options { transposed, only: value("--only=") };
    let ty = |t: &str| value("--type=").is_none_or(|ty| ty == t);
    for s in shapes.iter().filter(|_| ty("f32")) {
        gemm::case::<f32>(race, libs, *s, &options);
    }
    for s in shapes.iter().filter(|_| ty("f64")) {
        gemm::case::<f64>(race, libs, *s, &options);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let asked = |name: &str| args.iter().any(|a| a == name);
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let threads: usize = value("--threads=").map_or(1, |n| n.parse().unwrap());
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().unwrap();
    let libs = libs::all(threads as i32);
    if asked("--attention") {
        let csv = attention::run(&libs, &args, threads);
        if let Some(path) = value("--csv=") {
            std::fs::write(path, csv).unwrap();
        }
        return;
    }
    let mut race = Race::new(&args);
    let mut rates = false;
    if asked("--amx") {
        #[cfg(all(target_arch = "x86_64", feature = "avx512"))]
        {
            let sizes = |d: &str| d.split(',').map(|n| n.parse().unwrap()).collect();
            let sizes: Vec<usize> = value("--dims=").map_or(AMX.to_vec(), sizes);
            amx::run(&mut race, &sizes, value("--type="), &libs);
        }
    } else if asked("--table") {
        table::run(&mut race);
    } else if asked("--transpose") || asked("--level1") {
        level1::run(&mut race, &libs, &args);
    } else if asked("--level2") || asked("--level3") {
        level23::run(&mut race, &libs, &args);
    } else {
        rates = true;
        products(&mut race, &libs, &args);
    }
    let Some(path) = value("--csv=").map(std::path::Path::new) else { return };
    race.finish(path, "speed of fulmen over the best peer (right of 1 is faster)").unwrap();
    for ty in ["f32", "f64"].into_iter().filter(|_| rates) {
        let chart = race.lines(&format!("{ty}, square matrices"), ty);
        std::fs::write(path.with_extension(format!("{ty}.svg")), chart).unwrap();
    }
}
