//! `out = W·x` of quantised rows, for one vector and for several (`--rows=8,64`), contenders interleaved, on the same bytes;
//! quantising `x` counts, as every step does it. Work is the bytes of the weights, for several vectors the products.

use candle_core::quantized::k_quants::{
    BlockQ2K, BlockQ3K, BlockQ4_0, BlockQ4K, BlockQ5K, BlockQ6K, BlockQ8_0, GgmlType, matmul,
};
use fulmen::quant::*;
use fulmen_harness::race::{Case, Contender, Race};

/// Rows and columns of what a step of decoding multiplies.
const SHAPES: [[usize; 2]; 3] = [[4096, 4096], [14336, 4096], [4096, 14336]];

fn numbers(n: usize) -> Vec<f32> {
    let mut s = 1u64;
    let mut next = || {
        s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (s >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..n).map(|_| next() + next() + next()).collect()
}

/// Blocks of `n` elements near `x`.
fn quantised<B: Block>(x: &[f32]) -> Vec<B> {
    let mut to = blocks::<B>(&vec![0; x.len() / B::ELEMENTS * size_of::<B>()]).unwrap().to_vec();
    fulmen::quantize(x, None, &mut to).unwrap();
    to
}

fn race<B: Block, T: GgmlType>(race: &mut Race, shapes: &[[usize; 2]], rows: usize) {
    assert_eq!((size_of::<B>(), B::ELEMENTS), (size_of::<T>(), T::BLCK_SIZE));
    for &[m, n] in shapes {
        let (x, row) = (numbers(rows * n), quantised::<B>(&numbers(n)));
        // Each row begins elsewhere in the same numbers.
        let w: Vec<B> =
            (0..m).flat_map(|i| row.iter().cycle().skip(i % row.len()).take(row.len())).copied().collect();
        let bytes = bytes_of(&w);
        let mut theirs = vec![T::zeros(); w.len()];
        // SAFETY: candle's blocks are `repr(C)` of halves and bytes, any bits are values, and the sizes are equal.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), theirs.as_mut_ptr().cast(), bytes.len()) };
        let (mut a, mut b) = (vec![0.0; rows * m], vec![0.0; rows * m]);
        let mut partner = quantised::<B::Partner>(&x);
        let mut ours = || {
            fulmen::quantize(&x, None, &mut partner).unwrap();
            fulmen::quant_gemm(&w, &partner, n, &mut a).unwrap();
        };
        ours();
        matmul((rows, n, m), &x, &theirs, &mut b).unwrap();
        let most = b.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let off = a.iter().zip(&b).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
        assert!(off <= 1e-3 * most, "{} {m} x {n}: results differ by {off}, the largest is {most}", B::NAME);
        let mut ours = || {
            fulmen::quantize(&x, None, &mut partner).unwrap();
            fulmen::quant_gemm(&w, &partner, n, &mut a).unwrap();
        };
        let list = vec![
            Contender::ours(&mut ours),
            Contender::peer("candle", || matmul((rows, n, m), &x, &theirs, &mut b).unwrap()),
        ];
        let (op, work, unit) = match rows {
            1 => ("gemv", bytes.len() as f64, "GB/s"),
            _ => ("gemm", (2 * rows * m * n) as f64, "GFLOP/s"),
        };
        let size = if rows == 1 { format!("{m}x{n}") } else { format!("{m}x{n}x{rows}") };
        let case = Case { op, ty: B::NAME, size, work, unit };
        race.case(&case, list);
    }
}

fn run(args: &[String]) {
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    let shape = |d: &str| d.split_once('x').map(|(m, n)| [m.parse().unwrap(), n.parse().unwrap()]).unwrap();
    let shapes = value("--dims=").map_or(SHAPES.to_vec(), |d| d.split(',').map(shape).collect());
    let rows = value("--rows=").map_or(vec![1], |d| d.split(',').map(|n| n.parse().unwrap()).collect());
    println!("lanes {:?}", fulmen::NATIVE);
    let mut all = Race::new(args);
    macro_rules! formats {
        ($($B:ident $T:ident),*) => {$(
            if value("--type=").is_none_or(|ty| ty == $B::NAME) {
                for rows in &rows {
                    race::<$B, $T>(&mut all, &shapes, *rows);
                }
            }
        )*};
    }
    formats!(Q4_K BlockQ4K, Q5_K BlockQ5K, Q6_K BlockQ6K, Q8_0 BlockQ8_0, Q4_0 BlockQ4_0, Q2_K BlockQ2K, Q3_K BlockQ3K);
    if let Some(path) = value("--csv=").map(std::path::Path::new) {
        all.finish(path, "speed of fulmen over candle (right of 1 is faster)").unwrap();
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // The harness measures the time of the calling thread, so candle's loops must run on it.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| run(&args));
}
